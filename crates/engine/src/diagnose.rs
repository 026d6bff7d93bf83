//! Finds the line at which a fast reader failed, so that the error can name it.

use std::io::{BufRead, BufReader};
use std::path::Path;

use serde_json::Value;
use throng::error::{Error, Fault};
use throng::fault;
use throng::policy::Format;

use crate::source::{Source, not_utf8};

/// The first line of a table that is not a row.
pub(crate) fn line(source: &Source) -> Option<Error> {
    source.files.iter().find_map(|file| match source.format {
        Format::Csv => ragged_file(source, file),
        Format::Json => no_object(source, file),
        Format::Parquet | Format::Arrow => None,
    })
}

/// The first line that is not a JSON object; the message has none of its values.
fn no_object(source: &Source, file: &Path) -> Option<Error> {
    let lines = BufReader::new(std::fs::File::open(file).ok()?).split(b'\n');
    for (i, line) in lines.enumerate() {
        let line = line.ok()?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let wrong = match serde_json::from_slice(&line) {
            Ok(Value::Object(object)) => match no_text(source, &object) {
                Some(fault) => {
                    return Some(fault.file(file.display().to_string()).line(i as u64 + 1).into());
                }
                None => continue,
            },
            Ok(_) => fault!(Data, "table.json-not-object", "is JSON, but not an object"),
            Err(e) if e.is_eof() => {
                fault!(Data, "table.json-cut-short", "is not a JSON object: it ends too early")
            }
            Err(e) => fault!(
                Data,
                "table.json-syntax",
                "is not a JSON object: there is a mistake in column {position}",
                position = e.column()
            ),
        };
        return Some(
            wrong
                .file(file.display().to_string())
                .line(i as u64 + 1)
                .help("write one object per line, without brackets or commas around them")
                .into(),
        );
    }
    None
}

/// A number or truth value in a column where other lines have text.
fn no_text(source: &Source, object: &serde_json::Map<String, Value>) -> Option<Fault> {
    let columns = source.inferred.get()?;
    let text = |name: &str| columns.field_with_name(name).is_ok_and(|f| f.data_type().is_string());
    let (name, value) =
        object.iter().find(|(name, value)| (value.is_number() || value.is_boolean()) && text(name))?;
    let what = if value.is_number() { "a number" } else { "a truth value" };
    let fault = fault!(Data, "table.mixed-types", "holds {found}, where other lines hold text", found = what)
        .column(name);
    Some(fault.help("write the column alike in every line, for instance with quotes"))
}

fn ragged_file(source: &Source, file: &Path) -> Option<Error> {
    let name = file.display().to_string();
    let reader = BufReader::new(source.text(file).ok()?);
    let mut records = csv::ReaderBuilder::new()
        .delimiter(source.layout.delimiter)
        .quote(source.layout.quote)
        .has_headers(source.headed)
        .flexible(true)
        .from_reader(reader);
    let mut record = csv::ByteRecord::new();
    while let Ok(true) = records.read_byte_record(&mut record) {
        // The position of a record is before the blank lines that are skipped on the way to it.
        let before = record.position().map_or(0, csv::Position::line);
        let breaks = record.iter().flatten().filter(|&&byte| byte == b'\n').count() as u64;
        let line = before.max(records.position().line().saturating_sub(breaks + 1));
        if record.len() != source.header.len() {
            return Some(wrong_width(source, &record, line, name));
        }
        if let Some(cell) = record.iter().position(|c| std::str::from_utf8(c).is_err()) {
            let what = format!("column `{}`", source.header[cell]);
            return Some(not_utf8(&what).file(name).line(line).into());
        }
    }
    None
}

fn wrong_width(source: &Source, record: &csv::ByteRecord, line: u64, name: String) -> Error {
    let (found, expected) = (record.len(), source.header.len());
    let help = if found < expected {
        "a cell is missing, or a quote is not closed before it"
    } else {
        "a cell holds the delimiter and needs quotes around it"
    };
    let cells = if found == 1 { "cell" } else { "cells" };
    let first = if source.headed { "header" } else { "first line" };
    fault!(
        Data,
        "table.wrong-cell-count",
        "has {found} {cells}, the {first} has {expected}",
        found = found,
        cells = cells,
        first = first,
        expected = expected
    )
    .file(name)
    .line(line)
    .help(help)
    .into()
}
