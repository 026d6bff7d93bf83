//! Finds the line that a fast reader stumbled over, so that the message can name it.

use std::path::Path;

use throng::error::{Error, Fault};
use throng::policy::Format;

use crate::source::Source;

/// The first line of a delimited table that has the wrong number of cells or is not text.
pub(crate) fn ragged(source: &Source) -> Option<Error> {
    if source.format != Format::Csv {
        return None;
    }
    source.files.iter().find_map(|file| ragged_file(source, file))
}

fn ragged_file(source: &Source, file: &Path) -> Option<Error> {
    let name = file.display().to_string();
    let reader = std::io::BufReader::new(source.text(file).ok()?);
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
            return Some(
                Fault::data(format!("column `{}` is not UTF-8", source.header[cell]))
                    .file(name)
                    .line(line)
                    .help("set input.encoding = \"latin-1\", or convert the file")
                    .into(),
            );
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
    Fault::data(format!("has {found} cells, the header has {expected}"))
        .file(name)
        .line(line)
        .help(help)
        .into()
}
