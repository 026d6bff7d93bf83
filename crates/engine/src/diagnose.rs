//! Finds the line that a fast reader stumbled over, so that the message can name it.

use std::io::{BufRead, BufReader};
use std::path::Path;

use serde_json::Value;
use throng::error::{Error, Fault};
use throng::policy::Format;

use crate::source::{Source, not_utf8};

/// The first line of a table that is not a row.
pub(crate) fn line(source: &Source) -> Option<Error> {
    source.files.iter().find_map(|file| match source.format {
        Format::Csv => ragged_file(source, file),
        Format::Json => no_object(file),
        Format::Parquet | Format::Arrow => None,
    })
}

/// The first line that is not a JSON object; the message has none of its values.
fn no_object(file: &Path) -> Option<Error> {
    let lines = BufReader::new(std::fs::File::open(file).ok()?).split(b'\n');
    for (i, line) in lines.enumerate() {
        let line = line.ok()?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let wrong = match serde_json::from_slice(&line) {
            Ok(Value::Object(_)) => continue,
            Ok(_) => "is JSON, but not an object".to_owned(),
            Err(e) => format!("is not a JSON object: {:?} error in column {}", e.classify(), e.column()),
        };
        return Some(
            Fault::data(wrong)
                .file(file.display().to_string())
                .line(i as u64 + 1)
                .help("write one object per line, without brackets or commas around them")
                .into(),
        );
    }
    None
}

fn ragged_file(source: &Source, file: &Path) -> Option<Error> {
    let name = file.display().to_string();
    let reader = BufReader::new(source.text(file).ok()?);
    let mut records = csv::ReaderBuilder::new()
        .delimiter(source.layout.delimiter)
        .quote(source.layout.quote)
        .has_headers(true)
        .flexible(true)
        .from_reader(reader);
    let mut record = csv::ByteRecord::new();
    while let Ok(true) = records.read_byte_record(&mut record) {
        let line = record.position().map_or(0, csv::Position::line);
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
    Fault::data(format!("has {found} {cells}, the header has {expected}"))
        .file(name)
        .line(line)
        .help(help)
        .into()
}
