//! A linking attack as a page for the holder: counts, and why the strongest links were made.
//!
//! The page shows released cells and row numbers, and no external value: who a row is can be looked
//! up in the external table by its number.

use std::fmt::Write;

use super::Linkage;
use crate::markup::{escaped, head};

/// The page; `title` is the name of the release.
pub fn page(linkage: &Linkage, title: &str) -> String {
    let mut page = head(&format!("Linking attack on {title}"));
    let rows = linkage.rows;
    let _ = write!(
        page,
        "<p>For the holder alone: this page says which released rows an outsider would link to which external rows.</p>\
         <p>{} released rows were linked with {} external rows.</p><table><tr><th></th><th>links</th><th>correct</th><th>wrong</th><th>unresolved</th></tr>",
        rows.released, rows.external
    );
    let exact = &linkage.exact_join;
    let shown = |n: Option<u64>| n.map_or_else(|| "not known".to_owned(), |n| n.to_string());
    for (name, links, correct, wrong, rest) in [
        ("exact join", exact.links, exact.correct, exact.wrong, exact.several + exact.nobody),
        ("probabilistic", linkage.links, linkage.correct, linkage.wrong, linkage.unresolved),
    ] {
        let _ = write!(
            page,
            "<tr><td>{name}</td><td>{links}</td><td>{}</td><td>{}</td><td>{rest}</td></tr>",
            shown(correct),
            shown(wrong)
        );
    }
    let expected = &linkage.expected;
    let _ = write!(
        page,
        "</table><p>Expected right guesses: {:.1} (95 %: {:.1} to {:.1}), if the model's probabilities are right.</p>",
        expected.value, expected.low, expected.high
    );
    let _ = write!(page, "<h2>Strongest links</h2>");
    if linkage.strongest.is_empty() {
        page += "<p>There is no link.</p>";
    }
    for link in &linkage.strongest {
        let _ = write!(
            page,
            "<h3>Released row {}, external row {}</h3><p>{:.1} bits; probability {:.4}</p>\
             <table><tr><th>column</th><th>released cell</th><th>agreement</th><th>bits</th></tr>",
            link.released_row, link.external_row, link.bits, link.probability
        );
        for column in &link.agreement {
            let _ = write!(
                page,
                "<tr><td>{}</td><td>{}</td><td>{}</td><td>{:+.1}</td></tr>",
                escaped(&column.column),
                escaped(column.cell.as_deref().unwrap_or("(missing)")),
                column.level,
                column.bits
            );
        }
        page += "</table>";
    }
    page += "<h2>Weights</h2><table><tr><th>column</th><th>level</th><th>m</th><th>u</th><th>bits</th></tr>";
    for column in &linkage.model.columns {
        for level in &column.levels {
            let _ = write!(
                page,
                "<tr><td>{}</td><td>{}</td><td>{:.3e}</td><td>{:.3e}</td><td>{:+.2}</td></tr>",
                escaped(&column.released),
                level.level,
                level.m,
                level.u,
                level.bits
            );
        }
    }
    page += "</table></body></html>\n";
    page
}
