//! A verdict with its suggestions as text. It contains no cell values.

use std::fmt::Write;

use super::{Outlook, Side, Suggestion, TestedFacts, Verdict};

/// The command reference.
pub fn help() -> &'static str {
    "  g COLUMN [LEVEL]   generalize a column by one level, or to a level
  NUMBER             do what the suggestion of that number says
  s                  suppress: blank cells until no tested combination is rare
  u                  undo the last step
  show               show how the table is
  w [FILE]           write the table and its verdict
  q                  quit
"
}

/// The verdict, what suppressing would come to where anything is rare, and the suggestions by their
/// numbers.
pub fn text(verdict: &Verdict, outlook: &Outlook, suggestions: &[Suggestion]) -> String {
    let mut text = String::new();
    let levels = verdict.columns.iter().map(|c| format!("{} {}/{}", c.name, c.level, c.height));
    let _ = writeln!(text, "levels      {}", levels.collect::<Vec<_>>().join(", "));
    let _ = writeln!(text, "blanked     {}", blanked(verdict));
    let _ = writeln!(text, "precision   {:.4}", verdict.precision);
    text += &tested(&verdict.tested);
    text += &anonymity(verdict);
    if !verdict.not_judged.is_empty() {
        let _ = writeln!(text, "not judged  {}", verdict.not_judged.join(", "));
    }
    if outlook.rare > 0 {
        text += "\nto suppress after            still rare   cells to blank   precision then\n";
        text += &line("  s  nothing more", outlook);
        for (i, s) in suggestions.iter().enumerate() {
            text += &line(&format!("{:>3}  {} to {}", i + 1, s.column, s.level), &s.outlook);
        }
    }
    text
}

fn line(what: &str, outlook: &Outlook) -> String {
    let Outlook { rare, cells, loss } = outlook;
    format!("{what:<28} {rare:>10} {cells:>16} {:>16.4}\n", 1.0 - loss)
}

fn plural(n: u64, one: &str, many: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {many}") }
}

fn blanked(verdict: &Verdict) -> String {
    if verdict.suppressed == 0 {
        return "no cell".into();
    }
    let columns = verdict.columns.iter().filter(|c| c.suppressed > 0);
    let columns: Vec<String> = columns.map(|c| format!("{} {}", c.name, c.suppressed)).collect();
    let cells = plural(verdict.suppressed, "cell", "cells");
    format!("{cells} in {}: {}", plural(verdict.suppressed_rows, "row", "rows"), columns.join(", "))
}

/// As many unsafe combinations as are listed.
const SHOWN: usize = 20;

fn tested(tested: &[TestedFacts]) -> String {
    let combinations = plural(tested.len() as u64, "combination of columns", "combinations of columns");
    let mut wrong: Vec<&TestedFacts> = tested.iter().filter(|t| !t.safe).collect();
    if wrong.is_empty() {
        return format!("tested      {combinations}: all safe\n");
    }
    let mut text = format!("tested      {combinations}: {} NOT safe\n", wrong.len());
    wrong.sort_by_key(|t| std::cmp::Reverse(t.rare));
    for t in wrong.iter().take(SHOWN) {
        let rare = plural(t.rare, "rare combination", "rare combinations");
        let _ = writeln!(text, "  {}: {rare} in {}", t.columns.join(", "), plural(t.rows, "row", "rows"));
    }
    if wrong.len() > SHOWN {
        let _ = writeln!(text, "  … {} more; --json lists all", wrong.len() - SHOWN);
    }
    text
}

fn anonymity(verdict: &Verdict) -> String {
    let k = verdict.k;
    let both = &verdict.k_anonymity;
    let (value, anything) = (&both.blank_is_a_value, &both.blank_is_anything);
    let line = |how: &str, side: &Side| {
        let rows = if side.rows == 1 { "1 row is".into() } else { format!("{} rows are", side.rows) };
        format!("  {how}{rows} in classes of fewer than {k}; the smallest has {}\n", side.smallest)
    };
    let holds = if both.holds { "yes" } else { "NO" };
    let text = format!("{k}-anonymous over all quasi-identifiers: {holds}\n");
    // Where nothing is blank there is one way to see it.
    if value == anything && verdict.suppressed == 0 {
        return text + &line("", value);
    }
    text + &line("with a blank as a value, ", value) + &line("with a blank as anything, ", anything)
}
