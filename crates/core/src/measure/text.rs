//! The figures of a release as a table for the terminal.

use std::fmt::Write;

use super::Measures;

/// The figures as text.
pub fn text(measures: &Measures) -> String {
    let mut text = String::new();
    let Measures { rows, released, suppressed, risk, .. } = measures;
    let rows_of = match measures.correspondence {
        "key" => "rows correspond by key",
        "order" => "rows are in the same order",
        _ => "row correspondence is not known",
    };
    let _ = writeln!(text, "{rows} rows, {released} released, {suppressed} suppressed; {rows_of}");
    if !measures.levels.is_empty() {
        let levels: Vec<String> = measures.levels.iter().map(|(name, l)| format!("{name} {l}")).collect();
        let _ = writeln!(text, "levels: {}", levels.join(", "));
    }
    let mut lines: Vec<(String, String)> = Vec::new();
    for (model, claim) in &measures.privacy {
        let achieved = claim.achieved.map_or_else(|| "no rows".to_owned(), figure);
        let verdict = if claim.holds { "holds" } else { "DOES NOT HOLD" };
        let required = figure(claim.required);
        lines.push((model.clone(), format!("{verdict}: {achieved}, required {required}")));
    }
    section(&mut text, "privacy", &lines);
    let risk = [
        ("classes", risk.before.classes as f64, risk.after.classes as f64),
        ("unique rows", risk.before.unique_rows as f64, risk.after.unique_rows as f64),
        ("smallest class", risk.before.smallest as f64, risk.after.smallest as f64),
        ("prosecutor", risk.before.prosecutor, risk.after.prosecutor),
        ("marketer", risk.before.marketer, risk.after.marketer),
        ("rows at risk", risk.before.at_risk, risk.after.at_risk),
    ];
    let risk = risk.map(|(name, before, after)| {
        (name.to_owned(), format!("{}, of the original {}", figure(after), figure(before)))
    });
    section(&mut text, "risk", &risk);
    let losses = measures.loss.iter().map(|(name, &loss)| (name.clone(), figure(loss)));
    section(&mut text, "loss", &losses.collect::<Vec<_>>());
    let untrue = measures.untrue.iter().flatten().filter(|(_, cells)| **cells > 0);
    let untrue: Vec<_> = untrue.map(|(name, cells)| (name.clone(), cells.to_string())).collect();
    section(&mut text, "cells that are not true of the original", &untrue);
    let unavailable = measures.unavailable.iter().map(|(name, reason)| (name.clone(), reason.clone()));
    section(&mut text, "unavailable", &unavailable.collect::<Vec<_>>());
    text
}

fn section(text: &mut String, title: &str, lines: &[(String, String)]) {
    if lines.is_empty() {
        return;
    }
    let width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let _ = writeln!(text, "\n{title}");
    for (name, value) in lines {
        let _ = writeln!(text, "  {name:<width$}  {value}");
    }
}

/// A figure with at most six digits after the point.
fn figure(x: f64) -> String {
    let rounded = (x * 1e6).round() / 1e6;
    if rounded == 0.0 && x != 0.0 { format!("{x:e}") } else { rounded.to_string() }
}
