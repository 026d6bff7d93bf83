//! Profiles a table in one pass, and detects the layout of a file.

use std::path::{Path, PathBuf};

use throng::describe::{self, Describer, Description};
use throng::error::Result;
use throng::policy::{Encoding, Format, Input};
use throng::watch::{Stage, Watch};

use crate::Engine;
use crate::cells::Cells;
use crate::error::unreadable;
use crate::source::Source;
use crate::text;

/// How much of a file is looked at to find its layout.
const SAMPLE: u64 = 1 << 20;

impl Engine {
    /// The profile of a table, with proposals.
    ///
    /// # Errors
    /// When the table cannot be read.
    pub fn describe(&self, source: &Source, nulls: &[String], watch: &Watch) -> Result<Description> {
        let columns = self.columns(source)?;
        let mut describer = Describer::new(columns.clone(), nulls);
        let mut rows = 0;
        self.scan(source, &columns, watch, |batch| {
            for (i, array) in batch.columns().iter().enumerate() {
                Cells::new(&columns[i], array)?.each(&mut |cell| describer.push(i, cell));
            }
            rows += batch.num_rows() as u64;
            watch.done(Stage::Reading, rows, None)
        })?;
        let mut description = describer.finish();
        describe::propose(&mut description, &hierarchy_files(source, &columns));
        Ok(description)
    }
}

/// Hierarchy files beside the table, with the column that each belongs to.
fn hierarchy_files(source: &Source, columns: &[String]) -> Vec<(String, String)> {
    let Some(first) = source.files.first() else { return Vec::new() };
    let stem = Format::stem(&first.to_string_lossy()).to_owned();
    let folder = first.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|e| e.path()).filter(|p| p.is_file()).collect();
    files.sort();
    files
        .into_iter()
        .filter_map(|path| {
            let name = path.file_name()?.to_string_lossy().into_owned();
            let column = describe::hierarchy_file(&stem, &name, columns)?;
            Some((column, path.display().to_string()))
        })
        .collect()
}

/// The layout of a table, as detected from its beginning.
///
/// # Errors
/// When it cannot be read.
pub fn sniff(path: &str) -> Result<Input> {
    let mut input = Input::of(path);
    let file = Path::new(path);
    if Format::of_input(path) != Some(Format::Csv) || !file.is_file() {
        return Ok(input);
    }
    let opened = std::fs::File::open(file).map_err(|e| unreadable(path, &e))?;
    let (head, utf16) = text::sample(opened, SAMPLE).map_err(|e| unreadable(path, &e))?;
    if utf16 {
        input.encoding = Encoding::Utf16;
    } else if std::str::from_utf8(&head).is_err_and(|e| e.error_len().is_some()) {
        // A character cut in two by the end of the sample does not indicate Latin-1.
        input.encoding = Encoding::Latin1;
    }
    input.delimiter = delimiter(&head);
    Ok(input)
}

/// The delimiter that divides the first lines into the same number of cells, most cells first.
fn delimiter(head: &[u8]) -> char {
    let cells = |delimiter: u8| {
        let mut records = csv::ReaderBuilder::new()
            .delimiter(delimiter)
            .has_headers(false)
            .flexible(true)
            .from_reader(head);
        let mut record = csv::ByteRecord::new();
        let mut widths = Vec::new();
        while widths.len() < 50 && records.read_byte_record(&mut record).unwrap_or(false) {
            widths.push(record.len());
        }
        // The last record may be cut off by the end of the sample.
        if widths.len() == 50 || widths.len() < 2 {
        } else {
            widths.pop();
        }
        let first = widths.first().copied().unwrap_or(0);
        if widths.iter().all(|w| *w == first) { first } else { 0 }
    };
    let candidates = [b',', b';', b'\t', b'|'];
    let best = candidates.into_iter().rev().max_by_key(|&d| cells(d));
    best.filter(|&d| cells(d) > 1).map_or(',', char::from)
}

#[cfg(test)]
mod tests {
    use super::delimiter;

    #[test]
    fn the_delimiter_is_the_one_that_divides_evenly() {
        assert_eq!(delimiter(b"a;b;c\n1;2,5;3\n4;5,5;6\n"), ';');
        assert_eq!(delimiter(b"a,b\n\"x;y\",2\n"), ',');
        assert_eq!(delimiter(b"a\tb\n1\t2\n"), '\t');
        assert_eq!(delimiter(b"only\n1\n"), ',');
        assert_eq!(delimiter(b""), ',');
    }
}
