//! The page of an explored lattice: its numbers, its picture, its heights and its k-minimal nodes.

use super::frame::{page, section, table, tile};
use super::hasse;
use super::markup::{Html, markup};
use super::text::{decimal, integer, percent};
use crate::explore::{Explored, HeightFacts, NodeFacts};

/// The most k-minimal nodes in a table.
const SHOWN: usize = 100;

/// The page.
pub fn explored_page(explored: &Explored, title: &str, version: &str) -> String {
    let body = Html::from_iter([headline(explored), picture(explored), heights(explored), minimal(explored)]);
    let footer = markup!(
        "Written by Throng {}. This page contains levels and counts, and no values of cells.",
        version
    );
    page("lattice", title, &format!("Lattice of {title}"), body, footer)
}

fn headline(explored: &Explored) -> Html {
    let summary = &explored.summary;
    let chosen = explored.nodes.iter().find(|n| n.chosen);
    let (class, word, rest) = match chosen {
        None => ("unsafe", "No node is safe:", "no combination of levels satisfies the policy".to_owned()),
        Some(node) => {
            let best = if explored.optimal { "no safe node loses less" } else { "a better one may exist" };
            ("safe", "Chosen:", format!("{}; {best}", explored.levels_in_words(node)))
        }
    };
    let share = |nodes: u64| percent(nodes as f64 / summary.listed.max(1) as f64);
    let tagged = summary.tagged.map_or("–".to_owned(), integer);
    let tagged_note = summary.tagged.map_or("unknown for a part of the lattice".to_owned(), |n| {
        format!("{} decided by OLA without evaluating them", share(n))
    });
    let loss = chosen.map_or("–".to_owned(), |n| decimal(n.loss));
    let listed = match summary.around {
        Some(steps) => format!("of {}, within {steps} steps of the chosen one", integer(summary.nodes)),
        None => "all of the lattice".to_owned(),
    };
    let tiles = [
        tile("", "Nodes", integer(summary.listed), listed),
        tile("", "Safe", integer(summary.safe), format!("{} of the nodes", share(summary.safe))),
        tile("", "Tagged", tagged, tagged_note),
        tile("", "k-minimal", integer(summary.minimal), "safe, and nothing safe directly below"),
        tile("", &explored.loss, loss, format!("chosen by {}", explored.algorithm)),
        tile(
            "",
            "Rows",
            integer(explored.rows),
            format!("{} may be suppressed", integer(explored.max_suppressed)),
        ),
    ];
    markup!(
        "<section id=\"verdict\" aria-label=\"Verdict\">\n<p class=\"verdict {class}\"><strong>{word}</strong> {rest}</p>\n\
         <dl class=\"tiles\">\n{}</dl>\n</section>\n",
        Html::from_iter(tiles);
        class, word, rest
    )
}

/// The picture with its caption, in a box that a wide one moves in.
pub(super) fn figure(explored: &Explored) -> Html {
    let chosen = hasse::readable(explored) && explored.nodes.iter().any(|node| node.chosen);
    let link = match chosen {
        true => {
            markup!("<p class=\"narrow\"><a href=\"#{}\">Scroll to the chosen node</a></p>\n", hasse::CHOSEN)
        }
        false => Html::default(),
    };
    markup!(
        "<figure>{link}<div class=\"box\" tabindex=\"0\" role=\"region\" aria-label=\"The lattice\">{}</div>\
         <figcaption>{}</figcaption></figure>\n",
        hasse::lattice(explored),
        hasse::caption(explored);
        link
    )
}

fn picture(explored: &Explored) -> Html {
    let lead = "A node fixes one level for every quasi-identifier. It is safe if no more rows have to be suppressed \
                there than the policy allows.";
    section(1, "nodes", "Nodes", Html::fixed(lead), figure(explored))
}

fn heights(explored: &Explored) -> Html {
    let row = |h: &HeightFacts| {
        let counts = [("Nodes", h.nodes), ("Safe", h.safe), ("Tagged", h.tagged), ("k-minimal", h.minimal)];
        let cells: Html = counts.into_iter().map(|(name, n)| cell(name, integer(n))).collect();
        let loss = cell("Least loss", h.loss.map_or("–".to_owned(), decimal));
        markup!("<tr><th scope=\"row\">{}</th>{cells}{loss}</tr>\n", h.height; cells, loss)
    };
    let rows: Html = explored.summary.heights.iter().rev().map(row).collect();
    let head = Html::fixed(
        "<tr><th scope=\"col\">Height</th><th scope=\"col\" class=\"n\">Nodes</th>\
         <th scope=\"col\" class=\"n\">Safe</th><th scope=\"col\" class=\"n\">Tagged</th>\
         <th scope=\"col\" class=\"n\">k-minimal</th><th scope=\"col\" class=\"n\">Least loss</th></tr>",
    );
    let lead = Html::fixed("The height of a node is the sum of its levels.");
    section(2, "heights", "By height", lead, table("heights", "Nodes of each height", head, rows))
}

/// A number in a table, and what it is called where the table has no head.
fn cell(name: &str, number: String) -> Html {
    markup!("<td data-name=\"{name}\" class=\"n\">{number}</td>"; name, number)
}

/// A level of a column, with its name.
fn level_cell(explored: &Explored, column: usize, level: u8) -> Html {
    let name = explored
        .level_name(column, level)
        .map_or(Html::default(), |name| markup!("<small>{name}</small>"; name));
    markup!("<td data-name=\"{}\"><div>{level}{name}</div></td>", explored.columns[column]; level, name)
}

fn minimal(explored: &Explored) -> Html {
    let mut nodes: Vec<&NodeFacts> = explored.nodes.iter().filter(|n| n.minimal || n.chosen).collect();
    nodes.sort_by(|a, b| a.loss.total_cmp(&b.loss).then(a.height.cmp(&b.height)));
    let name = |name: &String| markup!("<th scope=\"col\">{name}</th>"; name);
    let columns: Html = explored.columns.iter().map(name).collect();
    let head = markup!(
        "<tr>{columns}<th scope=\"col\" class=\"n\">Height</th><th scope=\"col\" class=\"n\">Rows suppressed</th>\
         <th scope=\"col\" class=\"n\">{}</th></tr>",
        explored.loss;
        columns
    );
    let row = |node: &&NodeFacts| {
        let levels =
            node.levels.iter().enumerate().map(|(column, &level)| level_cell(explored, column, level));
        let levels: Html = levels.collect();
        let class = Html::fixed(if node.chosen { " class=\"target\"" } else { "" });
        let figures = [
            ("Height", node.height.to_string()),
            ("Rows suppressed", integer(node.suppressed)),
            (explored.loss.as_str(), decimal(node.loss)),
        ];
        let figures: Html = figures.into_iter().map(|(name, text)| cell(name, text)).collect();
        markup!("<tr{class}>{levels}{figures}</tr>\n"; class, levels, figures)
    };
    let rows: Html = nodes.iter().take(SHOWN).map(row).collect();
    let lead = match nodes.len() > SHOWN {
        true => {
            markup!("The {} of least loss; the JSON has all {}.", SHOWN, integer(nodes.len() as u64))
        }
        false => Html::fixed(
            "Safe nodes with no safe node directly below them, by loss; the chosen one is marked.",
        ),
    };
    section(3, "minimal", "k-minimal nodes", lead, table("fold", "Levels, suppression and loss", head, rows))
}
