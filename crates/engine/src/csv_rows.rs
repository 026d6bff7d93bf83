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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::UInt8Array;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The `csv` crate writes the same bytes, of one column and of two.
        #[test]
        fn the_text_is_that_of_the_csv_crate(
            rows in prop::collection::vec((0u8..4, prop::option::of("[ab;,\"\r\n é]{0,4}")), 0..20),
            labels in prop::collection::vec("[ab;,\"\r\n]{0,3}", 4),
            delimiter in prop::sample::select(vec![b',', b';']),
            two in any::<bool>(),
        ) {
            let codes: ArrayRef = Arc::new(rows.iter().map(|row| row.0).collect::<UInt8Array>());
            let texts: ArrayRef = Arc::new(rows.iter().map(|row| row.1.clone()).collect::<StringArray>());
            let coded = Some(StringArray::from_iter_values(&labels));
            let (columns, labelled) = match two {
                true => (vec![codes, texts], vec![coded, None]),
                false => (vec![texts], vec![None]),
            };
            let csv = CsvRows::new(delimiter, "NA", &labelled);
            let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(Vec::new());
            for (code, text) in &rows {
                let text = text.as_deref().unwrap_or("NA");
                match two {
                    true => writer.write_record([labels[usize::from(*code)].as_str(), text]).unwrap(),
                    false => writer.write_record([text]).unwrap(),
                }
            }
            let expected = String::from_utf8(writer.into_inner().unwrap()).unwrap();
            let found = String::from_utf8(csv.text(&columns, rows.len()).unwrap()).unwrap();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn other_types_are_left_to_the_writer_of_arrow() {
        let numbers: ArrayRef = Arc::new(arrow::array::Int64Array::from(vec![1]));
        assert!(CsvRows::new(b',', "", &[None]).text(&[numbers], 1).is_none());
    }
}
