//! How a table was prepared, in words: one line per fact.

use std::collections::BTreeMap;

use super::text::{count, integer};
use crate::release::PreparationFacts;

/// Rows read, eligible and left, then what joined files and steps did.
pub fn preparation_lines(facts: &PreparationFacts) -> Vec<String> {
    let mut lines = vec![format!("{} read", count(facts.read, "row"))];
    if let Some(condition) = &facts.condition {
        lines[0] += &format!(", {} eligible: {condition}", integer(facts.eligible));
    }
    if facts.rows != facts.eligible {
        lines[0] += &format!(", {} left", integer(facts.rows));
    }
    lines.extend(unreadable(&facts.unreadable));
    for join in &facts.joined {
        let mut line = format!(
            "{} of {} became lists of {}",
            count(join.rows - join.unmatched_rows, "row"),
            join.path,
            join.column
        );
        if join.unmatched_rows > 0 {
            let keys = count(join.unmatched_keys, "key");
            line += &format!("; {} with {keys} belong to nobody", integer(join.unmatched_rows));
        }
        if join.empty > 0 {
            line += &format!("; {} have an empty list", integer(join.empty));
        }
        lines.push(line);
    }
    for step in &facts.steps {
        let changed = match (step.rows, step.cells) {
            (rows, 0) => count(rows, "row"),
            (_, cells) => count(cells, "cell"),
        };
        lines.push(format!("{}: {changed}", step.step));
        lines.extend(unreadable(&step.unreadable));
    }
    lines
}

fn unreadable(cells: &BTreeMap<String, u64>) -> impl Iterator<Item = String> {
    cells.iter().map(|(column, cells)| {
        let cells = count(*cells, "cell");
        format!("{cells} of {column} could not be read as a number, date or truth value")
    })
}
