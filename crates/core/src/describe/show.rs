//! A description as an aligned table for a terminal.
//!
//! Values and names come from untrusted files: control characters and characters that change the
//! writing direction are escaped, so that nothing in a table can act on the terminal.

use rustc_hash::FxHashMap;

use super::draft::missing;
use super::role::percent;
use super::{ColumnDescription, Description, Kind};
use crate::hierarchy;
use crate::policy::Role;

const HEADINGS: [&str; 7] = ["column", "kind", "distinct", "missing", "unique", "role", "hierarchy"];

/// The greatest width of each column; what is longer is cut.
const WIDEST: [usize; 7] = [28, 10, 12, 9, 9, 10, 36];

/// Which columns are numbers and stand at the right.
const RIGHT: [bool; 7] = [false, false, true, true, true, false, false];

/// The greatest width of a line of text.
const LINE: usize = 100;

/// The description as text: a line per column, the reason for its role below it, and with `top` a
/// further line with the most frequent values; then the summary, the codes for missing values that
/// are proposed, and the questions to answer.
pub fn table(description: &Description, top: bool) -> String {
    let rows: Vec<[String; 7]> = description.columns.iter().map(cells).collect();
    let mut widths = HEADINGS.map(str::len);
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = match description.rows {
        1 => "1 row\n\n".to_owned(),
        rows => format!("{rows} rows\n\n"),
    };
    for found in &description.detected {
        text += &format!("detected: {}\n", cut(found, usize::MAX));
    }
    if !description.detected.is_empty() {
        text += "\n";
    }
    write_line(&mut text, &HEADINGS.map(String::from), &widths);
    write_line(&mut text, &widths.map(|w| "─".repeat(w)), &widths);
    // A long reason that columns share is written once.
    let mut given: FxHashMap<&str, &str> = FxHashMap::default();
    for (row, column) in rows.iter().zip(&description.columns) {
        write_line(&mut text, row, &widths);
        let long = column.reason.chars().count() + 4 > LINE;
        match given.get(column.reason.as_str()).filter(|_| long) {
            Some(first) => wrapped(&mut text, "    ", &format!("As for `{first}`.")),
            None => wrapped(&mut text, "    ", &column.reason),
        }
        given.entry(&column.reason).or_insert(&column.name);
        if top && !column.top.is_empty() {
            text += &format!("    {}\n", values(column));
        }
    }
    text += &format!("\n{}\n", description.summary_line());
    for code in &description.missing_codes {
        wrapped(&mut text, "", &missing(code));
    }
    if !description.questions.is_empty() {
        text += "\nQuestions to answer\n";
    }
    for (i, question) in description.questions.iter().enumerate() {
        wrapped(&mut text, &format!("{}. ", i + 1), &question.question);
        wrapped(&mut text, "   ", &format!("Change: {}", question.change));
    }
    text
}

/// Adds a text in lines of at most [`LINE`] characters; the first begins with `first`, the others
/// with as many spaces.
fn wrapped(text: &mut String, first: &str, words: &str) {
    let indent = " ".repeat(first.chars().count());
    for (i, line) in lines(&cut(words, usize::MAX), LINE - indent.len()).iter().enumerate() {
        *text += &format!("{}{line}\n", if i == 0 { first } else { &indent });
    }
}

/// The words of a text in lines of at most `width` characters; a longer word has a line of its own.
/// There is always a line.
pub(super) fn lines(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut length = 0;
    for word in text.split_whitespace() {
        let letters = word.chars().count();
        if length > 0 && length + 1 + letters > width {
            lines.push(String::new());
            length = 0;
        }
        let line = lines.len() - 1;
        if length > 0 {
            lines[line].push(' ');
            length += 1;
        }
        lines[line] += word;
        length += letters;
    }
    lines
}

fn cells(column: &ColumnDescription) -> [String; 7] {
    let about = if column.distinct_exact { "" } else { "~" };
    let spec = column.hierarchy.as_ref().map(hierarchy::describe).unwrap_or_else(|| fitted(column).into());
    let cells = [
        column.name.clone(),
        column.kind.name().into(),
        format!("{about}{}", column.distinct),
        percent(column.missing_share),
        percent(column.unique_share),
        column.role.name().into(),
        spec,
    ];
    let mut widest = WIDEST.iter();
    cells.map(|cell| cut(&cell, widest.next().copied().unwrap_or(usize::MAX)))
}

/// The cells of a quasi-identifier without a hierarchy.
fn fitted(column: &ColumnDescription) -> &'static str {
    match column.kind {
        _ if column.role != Role::Quasi => "",
        Kind::Integer | Kind::Decimal => "intervals that fit the rows",
        _ => "sets of values",
    }
}

fn values(column: &ColumnDescription) -> String {
    let shown = column.top.iter().map(|(value, count)| format!("{} ({count})", cut(value, 32)));
    shown.collect::<Vec<_>>().join(" · ")
}

fn write_line(text: &mut String, cells: &[String; 7], widths: &[usize; 7]) {
    let mut line = String::new();
    for ((cell, width), right) in cells.iter().zip(widths).zip(RIGHT) {
        if !line.is_empty() {
            line += "  ";
        }
        line += &if right { format!("{cell:>width$}") } else { format!("{cell:<width$}") };
    }
    *text += line.trim_end();
    *text += "\n";
}

/// A text with escapes for what could act on a terminal, and no longer than `widest`.
fn cut(text: &str, widest: usize) -> String {
    let mut shown = String::new();
    let mut length = 0;
    for c in text.chars() {
        let escaped = if acts(c) { c.escape_default().to_string() } else { c.to_string() };
        length += escaped.chars().count();
        if length > widest {
            let kept: String = shown.chars().take(widest.saturating_sub(1)).collect();
            return kept + "…";
        }
        shown += &escaped;
    }
    shown
}

/// Whether a character controls the terminal or the direction of writing, or cannot be seen.
fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::super::Describer;
    use super::*;

    fn description() -> Description {
        let mut describer = Describer::new(["sex", "age"].map(String::from).to_vec(), &["NA".into()]);
        for (sex, age) in [("m", "34"), ("f", "NA"), ("m", "35"), ("m\u{1b}[2J", "35")] {
            describer.push(0, Some(sex));
            describer.push(1, Some(age));
        }
        describer.finish()
    }

    #[test]
    fn aligned_with_top_values_on_request() {
        let text = table(&description(), true);
        let expected = "\
4 rows

column  kind      distinct  missing  unique  role   hierarchy
──────  ────────  ────────  ───────  ──────  ─────  ────────────────
sex     category         3      0 %    50 %  quasi  sets of values
    The column name suggests sex or gender, which outsiders may know.
    m (2) · f (1) · m\\u{1b}[2J (1)
age     integer          2     25 %    25 %  quasi  keep or suppress
    The column name suggests an age, which outsiders may know.
    35 (2) · 34 (1)

2 columns: 2 quasi-identifiers
";
        assert_eq!(text, expected);
        assert!(!table(&description(), false).contains('·'));
    }

    #[test]
    fn a_long_reason_that_columns_share_is_written_once() {
        let names = ["one", "two", "three"].map(String::from).to_vec();
        let mut describer = Describer::new(names, &[]);
        for row in 0..9 {
            (0..3).for_each(|column| describer.push(column, Some(["red", "green", "blue"][row % 3])));
        }
        let text = table(&describer.finish(), false);
        assert_eq!(text.matches("Treated as a quasi-identifier to be safe").count(), 1, "{text}");
        assert_eq!(text.matches("\n    As for `one`.\n").count(), 2, "{text}");
    }

    #[test]
    fn lines_are_wrapped_between_words() {
        let mut text = String::new();
        wrapped(&mut text, "1. ", &"word ".repeat(40));
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.len() == 3 && lines.iter().all(|l| l.chars().count() <= LINE), "{text}");
        assert!(lines[0].starts_with("1. word") && lines[1].starts_with("   word"), "{text}");
        text.clear();
        wrapped(&mut text, "", &"x".repeat(150));
        assert_eq!(text.lines().count(), 1, "a word is not cut");
    }

    #[test]
    fn long_and_hostile_texts_are_cut_and_escaped() {
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("abcd", 4), "abcd");
        assert_eq!(cut("a\u{202e}b\n", 99), "a\\u{202e}b\\n");
        assert_eq!(cut("\u{1b}\u{1b}", 9), "\\u{1b}…");
        assert_eq!(cut("", 4), "");
    }
}
