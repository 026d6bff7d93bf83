//! The risk report for a terminal: figures with explanations, class sizes, the riskiest
//! combinations.

use std::fmt::Write;

use super::verdict::integer;
use super::{Combination, Figure, Guidance, Risk};

/// Figures that are probabilities or shares.
const SHARES: [&str; 7] = [
    "prosecutor",
    "rows_at_risk",
    "marketer",
    "sampling_fraction",
    "journalist",
    "journalist_mean",
    "journalist_rows_at_risk",
];

/// The figures, the class sizes, and the first `shown` combinations.
pub fn text(risk: &Risk, shown: usize) -> String {
    let verdict = risk.verdict();
    let mut text =
        format!("{}: {}\n\ncolumns  {}\n\n", verdict.finding, verdict.meaning, risk.columns.join(", "));
    if let Some(disagreement) = risk.disagreement() {
        let _ = writeln!(text, "{disagreement}\n");
    }
    let figures: Vec<(&str, String, &str)> =
        risk.figures.iter().map(|(name, f)| (name, value(name, f), f.means.as_str())).collect();
    let widest = figures.iter().map(|(_, value, _)| value.chars().count()).max().unwrap_or(0);
    for (name, value, means) in figures {
        let _ = writeln!(text, "{name:<24} {value:>widest$}  {means}");
    }
    text + &guidance(risk) + &sizes(risk) + &special(risk) + &combinations(&risk.combinations, shown)
}

/// A figure with its limits where it was not counted.
fn value(name: &str, figure: &Figure) -> String {
    let share = SHARES.contains(&name);
    let one = |v: f64| match share {
        true if v > 0.0 && v < 0.001 => format!("{v:.2e}"),
        true => format!("{v:.4}"),
        false => integer(v.round() as u64),
    };
    match (figure.value, figure.low, figure.high) {
        (Some(v), Some(low), Some(high)) if low < v || high > v => {
            format!("{} ({} to {})", one(v), one(low), one(high))
        }
        (Some(v), _, _) => one(v),
        (None, _, _) => "–".into(),
    }
}

/// Which k the threshold requires, and what others would mean.
fn guidance(risk: &Risk) -> String {
    let Guidance { threshold, prosecutor, journalist, choices } = &risk.guidance;
    let mut text = match prosecutor {
        Some(k) => format!("\na risk of at most {threshold} needs k = {k}"),
        None => "\nno k excludes every risk".into(),
    };
    if let Some(k) = journalist.filter(|k| Some(*k) != *prosecutor) {
        let _ = write!(text, "; k = {k} if nobody knows who is in the table");
    }
    let shown = |risk: Option<f64>| risk.map_or("–".into(), |risk| format!("{risk:.4}"));
    let _ = writeln!(
        text,
        "\n{:>12}  {:>10}  {:>10}  {:>9}  rows in smaller classes",
        "k", "prosecutor", "journalist", "anonymity"
    );
    for choice in choices {
        let _ = writeln!(
            text,
            "{:>12}  {:>10.4}  {:>10}  {:>9}  {:>12}",
            integer(choice.k),
            choice.prosecutor,
            shown(choice.journalist),
            shown(choice.anonymity),
            integer(choice.rows_below)
        );
    }
    text
}

fn sizes(risk: &Risk) -> String {
    let mut text = format!("\n{:>12}  {:>12}  {:>12}\n", "class size", "classes", "rows");
    for band in risk.class_sizes.iter().filter(|b| b.classes > 0) {
        let size = match band.to {
            Some(to) if to == band.from => band.from.to_string(),
            Some(to) => format!("{} to {to}", band.from),
            None => format!("{} or more", band.from),
        };
        let _ = writeln!(text, "{size:>12}  {:>12}  {:>12}", integer(band.classes), integer(band.rows));
    }
    text
}

/// What each column contributes to rows being special, and how high rows score.
fn special(risk: &Risk) -> String {
    let special = &risk.special_uniques;
    if special.rows == 0 {
        return String::new();
    }
    let mut columns: Vec<_> = special.columns.iter().collect();
    columns.sort_by(|a, b| b.share.total_cmp(&a.share));
    let columns = columns.iter().map(|c| format!("{} {:.1} %", c.column, 100.0 * c.share));
    let scores = special.scores.iter().map(|s| format!("{} of {:.1} %", s.score, 100.0 * s.share));
    format!(
        "\nspecial uniques, from sets of up to {} columns\n  contributions  {}\n  scores up to   {} of the rows\n",
        special.max_size,
        columns.collect::<Vec<_>>().join(", "),
        scores.collect::<Vec<_>>().join(", ")
    )
}

fn combinations(all: &[Combination], shown: usize) -> String {
    let mut text = format!(
        "\n{:>10}  {:>7}  {:>10}  {:>8}  {:>8}  {:>11}  {:>10}  combination\n",
        "unique", "share", "classes", "smallest", "median", "distinction", "separation"
    );
    for c in all.iter().take(shown) {
        let _ = writeln!(
            text,
            "{:>10}  {:>5.1} %  {:>10}  {:>8}  {:>8}  {:>11.4}  {:>10.4}  {}",
            integer(c.unique_rows),
            100.0 * c.unique_share,
            integer(c.classes),
            integer(c.smallest),
            integer(c.median),
            c.distinction,
            c.separation,
            c.columns.join(", ")
        );
    }
    if all.len() > shown {
        let _ = writeln!(text, "… {} more; --json lists all", integer((all.len() - shown) as u64));
    }
    text
}
