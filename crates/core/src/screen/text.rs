//! The screening report for a terminal: one line per column, as in [Katirai 2006, figure 16].

use std::fmt::Write;

use super::{Column, Screened};

/// A table of the columns, and what the figures mean.
pub fn text(screened: &Screened) -> String {
    let target = match screened.above {
        Some(limit) => format!("{} above {limit}", screened.target),
        None => screened.target.clone(),
    };
    let mut text = format!(
        "target  {target}: {} values, {:.4} bits, {} rows",
        screened.target_values, screened.entropy, screened.rows
    );
    if screened.without_target > 0 {
        let _ = write!(text, "; {} rows without it are left out", screened.without_target);
    }
    let name = |c: &Column| c.column.chars().count();
    let wide = screened.columns.iter().map(name).max().unwrap_or(0).max(6);
    let _ = write!(
        text,
        "\n\n{:<wide$}  {:>5}  {:>10}  {:>10}  {:>10}  {:>10}  {:>8}  kept\n",
        "column", "level", "values", "counted", "MI", "MI random", "ratio"
    );
    for column in &screened.columns {
        let ratio = column.ratio.map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.1}"));
        let kept = if column.keep { "yes" } else { "no" };
        let level = if column.levels == 0 { "–".to_owned() } else { column.level.to_string() };
        let _ = writeln!(
            text,
            "{:<wide$}  {level:>5}  {:>10}  {:>10}  {:>10.4}  {:>10.4}  {ratio:>8}  {kept}",
            column.column, column.values, column.counted, column.mutual, column.random
        );
    }
    if !screened.left_out.is_empty() {
        let _ = writeln!(
            text,
            "\nLeft out, because a release would not have them: {}",
            screened.left_out.join(", ")
        );
    }
    let _ = writeln!(
        text,
        "\nLevel: the level of the proposed hierarchy at which the column says most beyond chance; 0 is the value itself.\n\
         MI: bits of information about the target; MI random: those of a random column with as many values, the mean\n\
         of {} runs. Kept: a ratio of {} or more. Values with fewer than {} rows are not counted.",
        screened.runs, screened.threshold, screened.rare
    );
    text
}
