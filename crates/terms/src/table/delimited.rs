//! Delimited text (RFC 4180) of files that people write by hand: records with the lines that they
//! start in, and the cells of such a file, quoted where needed.
//!
//! The `csv` crate reads. It takes an unclosed quote for closed and counts `\n` alone as a line
//! break, so both are done here. Costs one copy of the text and two passes.

use crate::error::{Fault, Result};
use crate::fault;

/// A record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    /// The line it starts in, from 1.
    pub(crate) line: u64,
    pub(crate) cells: csv::StringRecord,
}

/// The records of a text; blank lines are none. A quote opens at the start of a cell. Lines end in
/// `\n`, `\r\n` or `\r`.
///
/// # Errors
/// A delimiter that cannot be one, and a quote that is never closed.
pub(crate) fn records(text: &str, delimiter: char) -> Result<Vec<Row>> {
    let delimiter = usable(delimiter)?;
    // The reader removes one byte-order mark: this one, and none that belongs to the text. A record
    // of one letter at the end becomes part of a quote that is open there.
    const MARK: &str = "\u{feff}";
    let end = if delimiter == b'.' { "," } else { "." };
    let whole = format!("{MARK}{text}\n{end}");
    let reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .from_reader(whole.as_bytes());
    let mut lines = Lines { text: &whole, at: MARK.len(), line: 1 };
    let mut rows = Vec::new();
    for record in reader.into_records() {
        let record =
            record.map_err(|error| Fault::bug(format!("a text in memory cannot be read: {error}")))?;
        let from = record.position().map_or(0, csv::Position::byte) as usize;
        let line = lines.of_record(from);
        rows.push(Row { line, cells: record });
    }
    match rows.pop() {
        Some(last) if lines.at == whole.len() - end.len() && last.cells.iter().eq([end]) => Ok(rows),
        last => {
            let open = last.and_then(|row| row.cells.iter().next_back().map(breaks)).unwrap_or(0);
            Err(fault!(Input, "table.unclosed-quote", "a quote is opened and never closed")
                .line(1 + breaks(&whole) - open)
                .help("close it, or double a quote that belongs to a value")
                .into())
        }
    }
}

/// A delimiter as the reader takes it.
fn usable(delimiter: char) -> Result<u8> {
    if ['"', '\n', '\r'].contains(&delimiter) {
        return Err(fault!(
            Input,
            "table.delimiter-is-quote-or-break",
            "the delimiter cannot be a quote or a line break"
        )
        .key("delimiter")
        .into());
    }
    u8::try_from(delimiter).ok().filter(u8::is_ascii).ok_or_else(|| {
        fault!(
            Input,
            "table.delimiter-not-ascii",
            "the delimiter `{delimiter}` is not an ASCII character",
            delimiter = delimiter
        )
        .key("delimiter")
        .help("use ; or another ASCII character")
        .into()
    })
}

/// Counts lines from record to record.
struct Lines<'a> {
    text: &'a str,
    at: usize,
    line: u64,
}

impl Lines<'_> {
    /// The line of the record that starts at a byte, or after the line breaks there.
    fn of_record(&mut self, from: usize) -> u64 {
        let from = from.max(self.at);
        let rest = &self.text[from..];
        let start = self.text.len() - rest.trim_start_matches(['\r', '\n']).len();
        self.line += breaks(&self.text[self.at..start]);
        self.at = start;
        self.line
    }
}

/// The line breaks of a text.
fn breaks(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let ends =
        |(at, byte): (usize, &u8)| *byte == b'\n' || *byte == b'\r' && bytes.get(at + 1) != Some(&b'\n');
    bytes.iter().enumerate().filter(|&(at, byte)| ends((at, byte))).count() as u64
}

/// The cells in every line that is not blank, for each of several delimiters, when a quote may open
/// after any of them: what is within quotes divides nothing, whichever is the true delimiter. None
/// if a quote stays open.
pub fn widths(text: &str, delimiters: &[char]) -> Option<Vec<Vec<usize>>> {
    let outside = outside_quotes(text, delimiters)?;
    let lines = || outside.split(['\n', '\r']).filter(|line| !line.is_empty());
    let count = |delimiter: &char| lines().map(|line| line.split(*delimiter).count()).collect();
    Some(delimiters.iter().map(count).collect())
}

/// A text with a `"` in place of everything that is quoted.
fn outside_quotes(text: &str, delimiters: &[char]) -> Option<String> {
    let mut outside = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('"') {
        outside.push_str(&rest[..at]);
        let opens = outside.is_empty() || outside.ends_with(['\n', '\r']) || outside.ends_with(delimiters);
        outside.push('"');
        rest = &rest[at + 1..];
        if opens {
            rest = &rest[closing_quote(rest)? + 1..];
        }
    }
    outside.push_str(rest);
    Some(outside)
}

/// The place of the first quote that is not doubled.
fn closing_quote(text: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + text[from..].find('"')?;
        if !text[at + 1..].starts_with('"') {
            return Some(at);
        }
        from = at + 2;
    }
}

/// Appends a cell, in quotes where it has a quote, a line break or one of the delimiters.
pub fn write_cell(text: &mut String, cell: &str, delimiters: &[char]) {
    let quoted = match cell.is_ascii() {
        // Bytes are compared faster than characters are decoded.
        true => cell
            .bytes()
            .any(|byte| matches!(byte, b'"' | b'\n' | b'\r') || delimiters.contains(&char::from(byte))),
        false => cell.contains(['"', '\n', '\r']) || cell.contains(delimiters),
    };
    if quoted {
        text.push('"');
        text.push_str(&cell.replace('"', "\"\""));
        text.push('"');
    } else {
        text.push_str(cell);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The records of a text, character by character: what reads it must agree with this. A quote
    /// opens at the start of a cell, and within one after any of `openers`. The line of an open
    /// quote if there is one.
    fn plain(text: &str, delimiter: char, openers: &[char]) -> std::result::Result<Vec<Row>, u64> {
        let mut rows = Vec::new();
        let (mut cells, mut cell) = (Vec::new(), String::new());
        let (mut line, mut start, mut quoted) = (1, 1, false);
        let mut chars = text.chars().chain(['\n']).peekable();
        while let Some(c) = chars.next() {
            if c == '"' && (cell.is_empty() && !quoted || cell.ends_with(openers)) {
                quoted = true;
                let opened = line;
                loop {
                    let Some(c) = chars.next() else { return Err(opened) };
                    if c == '"' && chars.next_if_eq(&'"').is_none() {
                        break;
                    }
                    line += u64::from(c == '\n' || c == '\r' && chars.peek() != Some(&'\n'));
                    cell.push(c);
                }
            } else if c == delimiter {
                cells.push(std::mem::take(&mut cell));
                quoted = false;
            } else if c == '\n' || c == '\r' {
                if c == '\r' {
                    chars.next_if_eq(&'\n');
                }
                line += 1;
                let blank = cells.is_empty() && cell.is_empty() && !quoted;
                cells.push(std::mem::take(&mut cell));
                let cells = csv::StringRecord::from(std::mem::take(&mut cells));
                if !blank {
                    rows.push(Row { line: start, cells });
                }
                (start, quoted) = (line, false);
            } else {
                cell.push(c);
            }
        }
        Ok(rows)
    }

    fn files() -> impl Strategy<Value = String> {
        let cells = prop::collection::vec("[ab]{0,2}|\"[a;,\r\n]{0,3}(\"\")?\"|[a;\"\u{feff}é. ]{0,3}", 1..4);
        let lines = prop::collection::vec((cells, prop::sample::select(vec!["\n", "\r\n", "\r", ""])), 0..6);
        let joined = |lines: Vec<(Vec<String>, &str)>| {
            lines.into_iter().map(|(cells, end)| cells.join(";") + end).collect::<String>()
        };
        prop_oneof![lines.prop_map(joined), "[ab;,.\t\"\r\n\u{feff}]{0,24}"]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn records_are_those_of_a_plain_reader(text in files(), delimiter in prop::sample::select(vec![';', ',', '.'])) {
            match (records(&text, delimiter), plain(&text, delimiter, &[])) {
                (Ok(found), Ok(expected)) => prop_assert_eq!(found, expected),
                (Err(error), Err(line)) => {
                    prop_assert_eq!(error.faults()[0].place.line, Some(line));
                    prop_assert_eq!(&error.faults()[0].message, "a quote is opened and never closed");
                }
                (found, expected) => prop_assert!(false, "{found:?} is not {expected:?}"),
            }
        }

        #[test]
        fn widths_are_those_of_a_plain_reader(text in files()) {
            let delimiters = [';', '\t', ','];
            let width = |rows: Vec<Row>| rows.iter().map(|row| row.cells.len()).collect();
            let expected: std::result::Result<Vec<Vec<usize>>, u64> =
                delimiters.iter().map(|delimiter| plain(&text, *delimiter, &delimiters).map(width)).collect();
            prop_assert_eq!(widths(&text, &delimiters), expected.ok());
        }

        #[test]
        fn cells_read_back(cells in prop::collection::vec("[ab;,\"\r\n\u{feff} é]{0,4}", 2..5)) {
            let mut text = String::new();
            for (at, cell) in cells.iter().enumerate() {
                text.push_str(if at > 0 { ";" } else { "" });
                write_cell(&mut text, cell, &[';']);
            }
            prop_assert_eq!(records(&text, ';').unwrap(), [Row { line: 1, cells: cells.into() }]);
        }
    }

    #[test]
    fn delimiters_that_cannot_be_are_refused() {
        assert!(records("a", '"').unwrap_err().to_string().contains("cannot be a quote"));
        assert!(records("a", '§').unwrap_err().to_string().contains("`§` is not an ASCII character"));
    }
}
