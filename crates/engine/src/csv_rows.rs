//! Rows as delimited text (RFC 4180), where every column is text or codes of labels.
//!
//! The text of a label is made once; a row is a copy of its cells. Cells are quoted where they hold
//! the delimiter, a quote or a line break, as the `csv` crate does it. Costs a copy per cell.

use arrow::array::{Array, ArrayRef, AsArray, StringArray};

use crate::encode::codes;

/// How rows become text.
pub(crate) struct CsvRows {
    delimiter: u8,
    /// The text of a missing cell.
    missing: Vec<u8>,
    /// Column → code → text of the label, where cells are codes.
    labels: Vec<Option<Vec<Vec<u8>>>>,
}

/// The cells of a column.
enum Column<'a> {
    Coded(Vec<u32>, &'a [Vec<u8>]),
    Text(&'a StringArray),
}

impl CsvRows {
    pub(crate) fn new(delimiter: u8, missing: &str, labels: &[Option<StringArray>]) -> Self {
        let mut rows = CsvRows { delimiter, missing: Vec::new(), labels: Vec::new() };
        rows.missing = rows.quoted(missing);
        let text =
            |label: Option<&str>| label.map_or_else(|| rows.missing.clone(), |label| rows.quoted(label));
        let column =
            |labels: &Option<StringArray>| labels.as_ref().map(|labels| labels.iter().map(text).collect());
        let labels = labels.iter().map(column).collect();
        CsvRows { labels, ..rows }
    }

    fn quoted(&self, cell: &str) -> Vec<u8> {
        let mut text = Vec::with_capacity(cell.len());
        self.cell(cell, &mut text);
        text
    }

    fn cell(&self, cell: &str, text: &mut Vec<u8>) {
        let special = |byte: &u8| *byte == self.delimiter || matches!(byte, b'"' | b'\n' | b'\r');
        if !cell.as_bytes().iter().any(special) {
            return text.extend_from_slice(cell.as_bytes());
        }
        text.push(b'"');
        text.extend_from_slice(cell.replace('"', "\"\"").as_bytes());
        text.push(b'"');
    }

    /// A line of column names.
    pub(crate) fn header<'a>(&self, names: impl Iterator<Item = &'a str>) -> Vec<u8> {
        let names: Vec<Vec<u8>> = names.map(|name| self.quoted(name)).collect();
        let mut line = names.join(&self.delimiter);
        if names.len() == 1 && line.is_empty() {
            line.extend_from_slice(b"\"\"");
        }
        line.push(b'\n');
        line
    }

    /// The text of some rows; none if a column is neither text nor coded.
    pub(crate) fn text(&self, columns: &[ArrayRef], rows: usize) -> Option<Vec<u8>> {
        let of = |at: usize| self.labels.get(at).and_then(Option::as_ref);
        let is_text =
            |(at, array): (usize, &ArrayRef)| of(at).is_some() || array.as_string_opt::<i32>().is_some();
        if !columns.iter().enumerate().all(is_text) {
            return None;
        }
        let columns: Vec<Column<'_>> = columns
            .iter()
            .enumerate()
            .map(|(at, array)| match of(at) {
                Some(labels) => Column::Coded(codes(array), labels),
                None => Column::Text(array.as_string::<i32>()),
            })
            .collect();
        let mut text = Vec::with_capacity(rows * 8 * columns.len());
        let only = columns.len() == 1;
        for row in 0..rows {
            let start = text.len();
            for column in &columns {
                match column {
                    Column::Coded(codes, labels) => text.extend_from_slice(&labels[codes[row] as usize]),
                    Column::Text(array) if array.is_valid(row) => self.cell(array.value(row), &mut text),
                    Column::Text(_) => text.extend_from_slice(&self.missing),
                }
                text.push(self.delimiter);
            }
            text.pop();
            // A blank line would not be a row.
            if only && text.len() == start {
                text.extend_from_slice(b"\"\"");
            }
            text.push(b'\n');
        }
        Some(text)
    }
}
