//! The lattice drawn: every node with its edges where there are few (a Hasse diagram), otherwise
//! how many nodes of each height are safe, and what the best of them lose.
//!
//! Shape and filling show what colour shows, so that nothing depends on colour: a square is unsafe,
//! a circle safe, a diamond k-minimal; hollow is decided without computing it; a ring is chosen.

use std::collections::HashMap;

use super::markup::Html;
use super::svg::{Anchor, Pen};
use super::text::{count, decimal, integer, width};
use crate::explore::{Explored, HeightFacts, NodeFacts};

/// Beyond these a diagram cannot be read.
const NODES: usize = 400;
const ABREAST: usize = 66;
/// The width of a page.
const WIDE: f64 = 1080.0;
/// The size of letters in pictures.
const SIZE: f64 = 11.0;

/// Where a link to the chosen node goes.
pub(super) const CHOSEN: &str = "chosen-node";

/// The lattice, node by node or height by height.
pub(super) fn lattice(explored: &Explored) -> Html {
    if readable(explored) { diagram(explored) } else { heights(explored) }
}

/// Whether every node can be drawn by itself.
pub(super) fn readable(explored: &Explored) -> bool {
    explored.nodes.len() <= NODES && widest(explored) <= ABREAST
}

fn widest(explored: &Explored) -> usize {
    explored.summary.heights.iter().map(|h| h.nodes).max().unwrap_or(0) as usize
}

/// What the picture shows, for below it.
pub(super) fn caption(explored: &Explored) -> String {
    let rows = "One row per height, the sum of the levels; a node higher up is more general.";
    let tagged = "OLA decides them by another node, without computing them.";
    match (readable(explored), explored.summary.tagged.is_some()) {
        (true, true) => format!("{rows} {} Hollow nodes are tagged: {tagged}", order(explored)),
        (true, false) => format!("{rows} {}", order(explored)),
        (false, true) => format!("{rows} Pale nodes are tagged: {tagged}"),
        (false, false) => rows.to_owned(),
    }
}

fn order(explored: &Explored) -> String {
    format!("Levels are in the order {}.", explored.columns.join(", "))
}

fn levels(node: &NodeFacts) -> String {
    let parting = if node.levels.iter().any(|l| *l > 9) { "·" } else { "" };
    node.levels.iter().map(u8::to_string).collect::<Vec<_>>().join(parting)
}

/// The class of a node's shape.
fn class(node: &NodeFacts) -> &'static str {
    match (node.safe, node.tagged == Some(true)) {
        (true, false) => "node-safe",
        (true, true) => "node-safe hollow",
        (false, false) => "node-unsafe",
        (false, true) => "node-unsafe hollow",
    }
}

fn shape(pen: &mut Pen, node: &NodeFacts, (x, y): (f64, f64), r: f64) {
    let class = class(node);
    if node.minimal {
        let r = r * 1.35;
        pen.polygon(class, &[(x, y - r), (x + r, y), (x, y + r), (x - r, y)]);
    } else if node.safe {
        pen.circle(class, (x, y), r);
    } else {
        let half = r * 0.88;
        pen.rect(class, [x - half, y - half, 2.0 * half, 2.0 * half]);
    }
    if node.chosen {
        pen.circle("ring", (x, y), r + 4.5);
    }
}

fn words(explored: &Explored, node: &NodeFacts) -> String {
    let verdict = if node.safe { "safe" } else { "unsafe" };
    let mut text = format!(
        "{}: {verdict}, {} suppressed, {} {}",
        explored.levels_in_words(node),
        count(node.suppressed, "row"),
        explored.loss,
        decimal(node.loss)
    );
    for (is, word) in
        [(node.tagged == Some(true), ", tagged"), (node.minimal, ", k-minimal"), (node.chosen, ", chosen")]
    {
        text += if is { word } else { "" };
    }
    text
}

/// Every node, with an edge to each direct generalization.
fn diagram(explored: &Explored) -> Html {
    const MARGIN: f64 = 44.0;
    let widest = widest(explored);
    let gap = ((WIDE - MARGIN - 20.0) / widest.max(1) as f64).clamp(15.0, 84.0);
    let radius = (gap * 0.3).clamp(4.0, 8.0);
    let step = (gap * 1.5).clamp(46.0, 64.0);
    let span = (gap * widest as f64).max(520.0);
    let rows = &explored.summary.heights;
    let top = 40.0;
    let mut places: HashMap<&[u8], (f64, f64)> = HashMap::new();
    for (i, row) in rows.iter().rev().enumerate() {
        let y = top + step * (i as f64 + 0.5);
        let here = explored.nodes.iter().filter(|n| n.height == row.height);
        // Rows of few nodes are set wider, so that there is room for their names.
        let apart = apart(span, row.nodes, gap);
        let left = MARGIN + (span - apart * (row.nodes as f64 - 1.0)) / 2.0;
        for (j, node) in here.enumerate() {
            places.insert(&node.levels, (left + apart * j as f64, y));
        }
    }
    let mut pen = Pen::new();
    legend(&mut pen, explored, MARGIN);
    for (i, row) in rows.iter().rev().enumerate() {
        let y = top + step * (i as f64 + 0.5);
        pen.text("tick", (MARGIN - 12.0, y + 4.0), Anchor::End, &row.height.to_string());
    }
    draw_edges(&mut pen, explored, &places);
    for node in &explored.nodes {
        let abreast = rows.iter().find(|row| row.height == node.height).map_or(1, |row| row.nodes);
        let room = apart(span, abreast, gap);
        draw_node(&mut pen, explored, node, places[node.levels.as_slice()], radius, room);
    }
    let size = (MARGIN + span + 20.0, top + step * rows.len() as f64 + 12.0);
    pen.finish(size, "The lattice, node by node", &description(explored))
}

/// The distance between neighbours in a row of `nodes` nodes.
fn apart(span: f64, nodes: u64, least: f64) -> f64 {
    (span / nodes.max(1) as f64).min(54.0).max(least)
}

fn draw_edges(pen: &mut Pen, explored: &Explored, places: &HashMap<&[u8], (f64, f64)>) {
    for node in &explored.nodes {
        let (x1, y1) = places[node.levels.as_slice()];
        for step in &explored.steps {
            let mut above = node.levels.clone();
            step.iter().for_each(|&column| above[column] = above[column].saturating_add(1));
            if let Some(&(x2, y2)) = places.get(above.as_slice()) {
                pen.line("edge", [x1, y1, x2, y2]);
            }
        }
    }
}

fn draw_node(pen: &mut Pen, explored: &Explored, node: &NodeFacts, at: (f64, f64), radius: f64, room: f64) {
    let name = levels(node);
    pen.tip(&words(explored, node), |pen| {
        match node.chosen {
            true => pen.target(CHOSEN, |pen| shape(pen, node, at, radius)),
            false => shape(pen, node, at, radius),
        }
        let (x, y) = (at.0, at.1 + radius + 13.0);
        if node.chosen {
            pen.text("number halo", (x, y + 3.0), Anchor::Middle, &name);
        } else if width(&name, 10.0) < room - 3.0 {
            pen.text("number name", (x, y), Anchor::Middle, &name);
        }
    });
}

/// One of each kind, with its name; kinds that do not occur are left out.
fn legend(pen: &mut Pen, explored: &Explored, left: f64) {
    let kind = |safe, tagged, minimal, chosen| NodeFacts {
        levels: Vec::new(),
        height: 0,
        safe,
        suppressed: 0,
        loss: 0.0,
        tagged: Some(tagged),
        minimal,
        chosen,
    };
    let kinds = [
        ("unsafe", kind(false, false, false, false)),
        ("unsafe, tagged", kind(false, true, false, false)),
        ("safe", kind(true, false, false, false)),
        ("safe, tagged", kind(true, true, false, false)),
        ("k-minimal", kind(true, false, true, false)),
        ("chosen", kind(true, false, true, true)),
    ];
    let occurs = |of: &NodeFacts| {
        explored.nodes.iter().any(|n| {
            let same = (n.safe, n.tagged == Some(true)) == (of.safe, of.tagged == Some(true));
            if of.chosen {
                n.chosen
            } else if of.minimal {
                n.minimal
            } else {
                same && !n.minimal
            }
        })
    };
    let mut x = left;
    for (name, node) in kinds.iter().filter(|(_, node)| occurs(node)) {
        shape(pen, node, (x + 7.0, 16.0), 5.0);
        let beside = if node.chosen { 24.0 } else { 18.0 };
        pen.text("tick", (x + beside, 20.0), Anchor::Start, name);
        x += 38.0 + width(name, SIZE);
    }
}

fn description(explored: &Explored) -> String {
    let summary = &explored.summary;
    let tagged = summary.tagged.map_or(String::new(), |n| format!(", {} tagged", integer(n)));
    format!(
        "{} nodes listed, {} safe{tagged}, {} k-minimal.",
        integer(summary.listed),
        integer(summary.safe),
        integer(summary.minimal)
    )
}

/// One bar per height, parted by verdict, beside the least loss at that height.
fn heights(explored: &Explored) -> Html {
    const LEFT: f64 = 44.0;
    const BARS: f64 = 380.0;
    const LOSS: f64 = 540.0;
    const LOSSES: f64 = 170.0;
    let rows = &explored.summary.heights;
    let step = (460.0 / rows.len().max(1) as f64).clamp(11.0, 24.0);
    let top = 56.0;
    let bottom = top + step * rows.len() as f64;
    let widest = rows.iter().map(|h| h.nodes).max().unwrap_or(1).max(1) as f64;
    let greatest = rows.iter().filter_map(|h| h.loss).fold(0.0, f64::max);
    let chosen = explored.nodes.iter().find(|n| n.chosen);
    let loss_at = |loss: f64| LOSS + LOSSES * if greatest > 0.0 { loss / greatest } else { 0.0 };
    let mut pen = Pen::new();
    heights_legend(&mut pen, LEFT, explored);
    pen.text("tick", (LEFT - 8.0, top - 8.0), Anchor::End, "height");
    pen.text("tick", (LEFT, top - 8.0), Anchor::Start, "nodes");
    pen.text("tick", (LOSS, top - 8.0), Anchor::Start, &format!("least {} of a safe node", explored.loss));
    pen.line("base", [LEFT, top, LEFT, bottom]);
    pen.line("base", [LOSS, top, LOSS, bottom]);
    let mut line = Vec::new();
    for (i, row) in rows.iter().rev().enumerate() {
        let y = top + step * (i as f64 + 0.5);
        let here = chosen.is_some_and(|n| n.height == row.height);
        draw_height(&mut pen, row, (LEFT, y, BARS / widest, step), here);
        line.extend(row.loss.map(|loss| (loss_at(loss), y)));
    }
    pen.polyline("joint", &line);
    for (row, point) in rows.iter().rev().filter_map(|r| r.loss).zip(&line) {
        pen.tip(&decimal(row), |pen| pen.circle("tickdot", *point, 2.2));
    }
    if let Some(node) = chosen {
        let row = rows.iter().rev().position(|r| r.height == node.height).unwrap_or(0);
        let at = (loss_at(node.loss), top + step * (row as f64 + 0.5));
        pen.circle("chosen", at, 5.5);
        pen.text(
            "halo",
            (at.0 + 10.0, at.1 + 4.0),
            Anchor::Start,
            &format!("chosen, {}", decimal(node.loss)),
        );
    }
    pen.finish(
        (WIDE.min(LOSS + LOSSES + 130.0), bottom + 16.0),
        "The lattice, height by height",
        &description(explored),
    )
}

fn draw_height(pen: &mut Pen, row: &HeightFacts, (left, y, scale, step): (f64, f64, f64, f64), chosen: bool) {
    let tagged_unsafe = row.tagged - row.tagged_safe;
    let parts = [
        ("node-safe", row.safe - row.tagged_safe),
        ("node-safe pale", row.tagged_safe),
        ("node-unsafe", row.nodes - row.safe - tagged_unsafe),
        ("node-unsafe pale", tagged_unsafe),
    ];
    let tip = format!(
        "height {}: {}, {} safe, {} tagged, {} k-minimal",
        row.height,
        count(row.nodes, "node"),
        integer(row.safe),
        integer(row.tagged),
        integer(row.minimal)
    );
    let label = if chosen { "t-after" } else { "tick" };
    pen.text(label, (left - 8.0, y + 4.0), Anchor::End, &row.height.to_string());
    pen.tip(&tip, |pen| {
        let mut x = left;
        for (class, nodes) in parts {
            let length = scale * nodes as f64;
            pen.rect(class, [x, y - step * 0.4, length, step * 0.8]);
            x += length;
        }
        if row.minimal > 0 {
            let r = (step * 0.3).min(5.0);
            let at = x + 6.0 + r;
            pen.polygon("node-safe", &[(at, y - r), (at + r, y), (at, y + r), (at - r, y)]);
            pen.text("number", (at + r + 4.0, y + 4.0), Anchor::Start, &integer(row.minimal));
        }
    });
}

fn heights_legend(pen: &mut Pen, left: f64, explored: &Explored) {
    let mut kinds = vec![("node-safe", "safe"), ("node-unsafe", "unsafe")];
    if explored.summary.tagged.is_some() {
        kinds.insert(1, ("node-safe pale", "safe, tagged"));
        kinds.push(("node-unsafe pale", "unsafe, tagged"));
    }
    let mut x = left;
    for (class, name) in kinds {
        pen.rect(class, [x, 11.0, 10.0, 10.0]);
        pen.text("tick", (x + 15.0, 20.0), Anchor::Start, name);
        x += 34.0 + width(name, SIZE);
    }
    pen.polygon("node-safe", &[(x + 5.0, 11.0), (x + 10.0, 16.0), (x + 5.0, 21.0), (x, 16.0)]);
    pen.text("tick", (x + 15.0, 20.0), Anchor::Start, "k-minimal nodes");
}
