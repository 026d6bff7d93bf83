//! Finds the line at which a fast reader failed, so that the error can name it.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use serde_json::Value;
use throng::error::{Error, Fault};
use throng::fault;
use throng::policy::Format;

use crate::chunks::{self, Splitter, State};
use crate::json_array;
use crate::source::{Source, not_utf8, nul_byte};

/// The first line of a table that is not a row.
pub(crate) fn line(source: &Source) -> Option<Error> {
    source.files.iter().find_map(|file| match source.format {
        Format::Csv => ragged_file(source, file),
        Format::Json => no_object(source, file),
        _ => None,
    })
}

/// The line of the quote that is not closed.
pub(crate) fn unclosed_quote(source: &Source) -> Option<Error> {
    source.files.iter().find_map(|file| {
        let mut text = BufReader::new(source.text(file).ok()?);
        let mut splitter = Splitter::new(source.layout.delimiter, source.layout.quote);
        let (mut line, mut opened) = (Vec::new(), None);
        for number in source.layout.skip as u64 + 1.. {
            line.clear();
            if text.read_until(b'\n', &mut line).ok()? == 0 {
                break;
            }
            let before = splitter.state;
            splitter.feed(&line);
            if splitter.state == State::Quoted && before != State::Quoted {
                opened = Some(number);
            }
        }
        let name = file.display().to_string();
        (splitter.state == State::Quoted)
            .then(|| chunks::unclosed_quote(&name).line(opened.unwrap_or(1)).into())
    })
}

/// The line of a cell that is not written as `input.cells` states.
pub(crate) fn unreadable_cell(source: &Source, error: Error) -> Error {
    let Some(fault) = error.faults().iter().find(|fault| fault.code == "prepare.unreadable-cell") else {
        return error;
    };
    let found = fault.place.column.as_ref().and_then(|column| match source.format {
        Format::Csv => source.files.iter().find_map(|file| unreadable_in(source, file, column)),
        _ => None,
    });
    found.unwrap_or_else(|| error.map(|fault| fault.file(&source.name)))
}

fn unreadable_in(source: &Source, file: &Path, column: &str) -> Option<Error> {
    let place = source.header.iter().position(|name| name == column)?;
    let preparation = source.preparation.as_ref()?;
    let reader = preparation.reader(column)?;
    let mut records = records(source, file)?;
    let mut record = csv::ByteRecord::new();
    while let Ok(true) = records.read_byte_record(&mut record) {
        let Some(Ok(cell)) = record.get(place).map(std::str::from_utf8) else { continue };
        let missing =
            cell.is_empty() && source.empty_is_missing || source.nulls.iter().any(|null| null == cell);
        if !missing && reader.read(cell).is_none() {
            let line = line_of(source, &record, &records);
            let fault = throng::preparation::unreadable_cell(cell, column);
            return Some(fault.file(file.display().to_string()).line(line).into());
        }
    }
    None
}

/// The records of a file, ragged ones as well.
fn records(source: &Source, file: &Path) -> Option<csv::Reader<BufReader<Box<dyn Read>>>> {
    let reader = BufReader::new(source.text(file).ok()?);
    let layout = &source.layout;
    let mut builder = csv::ReaderBuilder::new();
    builder.delimiter(layout.delimiter).quote(layout.quote).has_headers(source.headed).flexible(true);
    Some(builder.from_reader(reader))
}

/// The line of the record that was read last. The position of a record is before the blank lines
/// that are skipped on the way to it.
fn line_of<R: Read>(source: &Source, record: &csv::ByteRecord, records: &csv::Reader<R>) -> u64 {
    let before = record.position().map_or(0, csv::Position::line);
    let breaks = record.iter().flatten().filter(|&&byte| byte == b'\n').count() as u64;
    source.layout.skip as u64 + before.max(records.position().line().saturating_sub(breaks + 1))
}

/// The first line that is not a JSON object; the message has none of its values.
fn no_object(source: &Source, file: &Path) -> Option<Error> {
    let opened = || std::fs::File::open(file).ok();
    let lines = BufReader::new(opened()?).split(b'\n');
    let first = lines.map_while(Result::ok).map(|line| line.trim_ascii_start().first().copied());
    if first.flatten().next() == Some(b'[') {
        return not_array(source, file, opened()?);
    }
    let lines = BufReader::new(opened()?).split(b'\n');
    for (i, line) in lines.enumerate() {
        let fault = wrong_object(source, &line.ok()?, i as u64 + 1);
        if let Some(fault) = fault {
            return Some(fault.file(file.display().to_string()).into());
        }
    }
    None
}

/// What is wrong with a JSON array of objects.
fn not_array(source: &Source, file: &Path, opened: std::fs::File) -> Option<Error> {
    let mut found = None;
    let whole = json_array::each_object(opened, |line, object| {
        found = wrong_object(source, object, line);
        found.is_none()
    });
    let unclosed = || {
        fault!(Data, "table.json-array-not-closed", "the array of objects is not closed by `]`")
            .help("the file was cut off: export it again")
    };
    let fault = match (found, whole.ok()?) {
        (Some(fault), _) => fault,
        (None, Some(false)) => unclosed(),
        (None, _) => return None,
    };
    Some(fault.file(file.display().to_string()).into())
}

/// What is wrong with the text of an object, which begins at a line.
fn wrong_object(source: &Source, text: &[u8], line: u64) -> Option<Fault> {
    if text.trim_ascii().is_empty() {
        return None;
    }
    let wrong = match serde_json::from_slice(text) {
        Ok(Value::Object(object)) => return no_text(source, &object).map(|fault| fault.line(line)),
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
    Some(wrong.line(line).help("write one object per line, or one array of objects"))
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
    let mut records = records(source, file)?;
    let mut record = csv::ByteRecord::new();
    let mut first_row = true;
    while let Ok(true) = records.read_byte_record(&mut record) {
        let line = line_of(source, &record, &records);
        if record.len() != source.header.len() {
            return Some(wrong_width(source, &record, (line, first_row), name));
        }
        first_row = false;
        if record.iter().any(|cell| cell.contains(&0)) {
            return Some(nul_byte().file(name).line(line).into());
        }
        if let Some(cell) = record.iter().position(|c| std::str::from_utf8(c).is_err()) {
            let what = format!("column `{}`", source.header[cell]);
            return Some(not_utf8(&what).file(name).line(line).into());
        }
    }
    None
}

fn wrong_width(
    source: &Source,
    record: &csv::ByteRecord,
    (line, first_row): (u64, bool),
    name: String,
) -> Error {
    let (found, expected) = (record.len(), source.header.len());
    let help = if record.get(0).is_some_and(|cell| cell.starts_with(b"#")) {
        "comments are not rows: remove the line, or set input.skip if all of them are above the header"
    } else if found > expected && 2 * expected <= found {
        "a cell holds the delimiter and needs quotes around it; or lines above the header are a title: set \
         input.skip to their number"
    } else if found < expected {
        "a cell is missing, or a quote is not closed before it"
    } else if source.headed && found == expected + 1 && first_row {
        "R writes row names like this: write the table with row.names = FALSE, or put a delimiter in front of the \
         header. Otherwise a cell holds the delimiter and needs quotes around it"
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
