//! A linking attack as text.

use std::fmt::Write;

use super::Linkage;

/// What was found, for people.
pub fn text(linkage: &Linkage) -> String {
    let mut text = String::new();
    let rows = linkage.rows;
    let _ = writeln!(text, "{} released rows, {} external rows", rows.released, rows.external);
    let share = |n: u64| 100.0 * n as f64 / rows.released.max(1) as f64;
    let scored = |correct: Option<u64>, wrong: Option<u64>| match (correct, wrong) {
        (Some(correct), Some(wrong)) => format!(": {correct} correct, {wrong} wrong"),
        _ => String::new(),
    };
    let exact = &linkage.exact_join;
    let _ = writeln!(
        text,
        "\nExact join          {} links ({:.1} %){}\n                    {} rows fit several people, {} nobody",
        exact.links,
        share(exact.links),
        scored(exact.correct, exact.wrong),
        exact.several,
        exact.nobody
    );
    let _ = writeln!(
        text,
        "Probabilistic       {} links ({:.1} %){}\n                    {} rows unresolved",
        linkage.links,
        share(linkage.links),
        scored(linkage.correct, linkage.wrong),
        linkage.unresolved
    );
    let expected = &linkage.expected;
    let _ = writeln!(
        text,
        "Expected            {:.1} right guesses (95 %: {:.1} to {:.1}), if the model is right",
        expected.value, expected.low, expected.high
    );
    let model = &linkage.model;
    let rules: Vec<String> = model.blocking.iter().map(|rule| rule.join(" and ")).collect();
    let _ = writeln!(text, "\n{} pairs compared, which agree on {}", model.pairs, rules.join("; or on "));
    if model.crowded > 0 {
        let _ = writeln!(text, "{} rows fit too many external rows to compare them", model.crowded);
    }
    let _ = writeln!(text, "\n{:<20} {:<16} {:>12} {:>12} {:>8}", "column", "level", "m", "u", "bits");
    for column in &model.columns {
        for (at, level) in column.levels.iter().enumerate() {
            let name = if at == 0 { column.released.as_str() } else { "" };
            let assumed = if at == 0 && !column.estimated { "  (m is assumed)" } else { "" };
            let _ = writeln!(
                text,
                "{name:<20} {:<16} {:>12.3e} {:>12.3e} {:>8.2}{assumed}",
                level.level, level.m, level.u, level.bits
            );
        }
    }
    text
}
