//! The page of an explored lattice: its numbers, its picture, its heights and its k-minimal nodes.

use super::hasse;
use super::html::{page, section, table, tile};
use super::text::{decimal, escape, integer, percent};
use crate::explore::{Explored, HeightFacts, NodeFacts};

/// The most k-minimal nodes in a table.
const SHOWN: usize = 100;

/// The page.
pub fn explored_page(explored: &Explored, title: &str, version: &str) -> String {
    let sections = [picture(explored), heights(explored), minimal(explored)].concat();
    let body = format!("{}{sections}", headline(explored));
    let footer =
        format!("Written by Throng {}. It holds levels and counts, and no value of a cell.", escape(version));
    page("lattice", title, &format!("Lattice of {title}"), &body, &footer)
}

fn headline(explored: &Explored) -> String {
    let summary = &explored.summary;
    let chosen = explored.nodes.iter().find(|n| n.chosen);
    let (class, word, rest) = match chosen {
        None => ("unsafe", "No node is safe:", "the policy asks for more than this lattice has".to_owned()),
        Some(node) => {
            let best = if explored.optimal { "no safe node loses less" } else { "a better one may exist" };
            ("safe", "Chosen:", format!("{}, and {best}", escape(&named(explored, node))))
        }
    };
    let share = |nodes: u64| percent(nodes as f64 / summary.listed.max(1) as f64);
    let tagged = summary.tagged.map_or("–".to_owned(), integer);
    let tagged_note = summary.tagged.map_or("not told for a part of the lattice".to_owned(), |n| {
        format!("{} need no look of OLA’s", share(n))
    });
    let loss = chosen.map_or("–".to_owned(), |n| decimal(n.loss));
    let listed = match summary.around {
        Some(steps) => format!("of {}, within {steps} steps of the chosen one", integer(summary.nodes)),
        None => "all of the lattice".to_owned(),
    };
    let tiles = [
        tile("", "Nodes", &integer(summary.listed), &listed),
        tile("", "Safe", &integer(summary.safe), &format!("{} of the nodes", share(summary.safe))),
        tile("", "Tagged", &tagged, &tagged_note),
        tile("", "k-minimal", &integer(summary.minimal), "safe, and nothing safe directly below"),
        tile("", &escape(&explored.loss), &loss, &format!("chosen by {}", escape(&explored.algorithm))),
        tile(
            "",
            "Rows",
            &integer(explored.rows),
            &format!("{} may be suppressed", integer(explored.max_suppressed)),
        ),
    ];
    format!(
        "<section id=\"verdict\" aria-label=\"Verdict\">\n<p class=\"verdict {class}\"><strong>{word}</strong> {rest}</p>\n\
         <dl class=\"tiles\">\n{}</dl>\n</section>\n",
        tiles.concat()
    )
}

fn named(explored: &Explored, node: &NodeFacts) -> String {
    let levels = explored.columns.iter().zip(&node.levels).map(|(c, l)| format!("{c} {l}"));
    levels.collect::<Vec<_>>().join(", ")
}

/// The picture with its caption, in a box that a wide one moves in.
pub(super) fn figure(explored: &Explored) -> String {
    format!(
        "<figure><div class=\"box\" tabindex=\"0\" role=\"region\" aria-label=\"The lattice\">{}</div>\
         <figcaption>{}</figcaption></figure>\n",
        hasse::lattice(explored),
        escape(&hasse::caption(explored))
    )
}

fn picture(explored: &Explored) -> String {
    let lead = "A node fixes one level for every quasi-identifier. It is safe if no more rows have to be suppressed \
                there than the policy allows.";
    section(1, "nodes", "Nodes", lead, &figure(explored))
}

fn heights(explored: &Explored) -> String {
    let row = |h: &HeightFacts| {
        let cells =
            [h.nodes, h.safe, h.tagged, h.minimal].map(|n| format!("<td class=\"n\">{}</td>", integer(n)));
        let loss = h.loss.map_or("–".to_owned(), decimal);
        format!("<tr><th scope=\"row\">{}</th>{}<td class=\"n\">{loss}</td></tr>\n", h.height, cells.concat())
    };
    let rows: String = explored.summary.heights.iter().rev().map(row).collect();
    let head = "<tr><th scope=\"col\">Height</th><th scope=\"col\" class=\"n\">Nodes</th>\
                <th scope=\"col\" class=\"n\">Safe</th><th scope=\"col\" class=\"n\">Tagged</th>\
                <th scope=\"col\" class=\"n\">k-minimal</th><th scope=\"col\" class=\"n\">Least loss of a safe node</th></tr>";
    let lead = "The height of a node is the sum of its levels.";
    section(2, "heights", "By height", lead, &table("heights", "Nodes of each height", head, &rows))
}

fn minimal(explored: &Explored) -> String {
    let mut nodes: Vec<&NodeFacts> = explored.nodes.iter().filter(|n| n.minimal || n.chosen).collect();
    nodes.sort_by(|a, b| a.loss.total_cmp(&b.loss).then(a.height.cmp(&b.height)));
    let columns: String = explored
        .columns
        .iter()
        .map(|c| format!("<th scope=\"col\" class=\"n\">{}</th>", escape(c)))
        .collect();
    let head = format!(
        "<tr>{columns}<th scope=\"col\" class=\"n\">Height</th><th scope=\"col\" class=\"n\">Rows suppressed</th>\
         <th scope=\"col\" class=\"n\">{}</th></tr>",
        escape(&explored.loss)
    );
    let row = |node: &&NodeFacts| {
        let cells: String = node.levels.iter().map(|l| format!("<td class=\"n\">{l}</td>")).collect();
        let class = if node.chosen { " class=\"target\"" } else { "" };
        format!(
            "<tr{class}>{cells}<td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
            node.height,
            integer(node.suppressed),
            decimal(node.loss)
        )
    };
    let rows: String = nodes.iter().take(SHOWN).map(row).collect();
    let lead = match nodes.len() > SHOWN {
        true => format!("The {SHOWN} of least loss; the JSON has all {}.", integer(nodes.len() as u64)),
        false => {
            "Safe nodes with no safe node directly below them, by loss; the chosen one is marked.".to_owned()
        }
    };
    section(
        3,
        "minimal",
        "k-minimal nodes",
        &lead,
        &table("losses", "Levels, suppression and loss", &head, &rows),
    )
}
