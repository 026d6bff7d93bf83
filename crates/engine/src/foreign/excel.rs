//! One sheet of a workbook (.xlsx, .xlsm, .xlsb, .xls, .ods), read with the `calamine` crate.
//!
//! The sheet is held in memory while it is read, so larger files than [`LARGEST`] are refused.
//! Dates are ISO text: in a column where one has a time, all have. Rows without any cell are left
//! out, like blank lines of a text file.

use std::path::Path;

use calamine::{Data, ExcelDateTime, Range, Reader, open_workbook_auto};
use throng::describe::{SAMPLED_LINES, first_line_is_data};
use throng::error::{Error, Result};
use throng::fault;
use throng::policy::{Header, Input};

use super::{Opened, TextRows, values};
use crate::error::{unlike, unreadable};
use crate::header::{headless, named, title_rows};

/// Bytes of the largest workbook that is read: about a gigabyte in memory.
const LARGEST: u64 = 100 << 20;

/// Rows that are looked at to find the header.
const LOOKED_AT: usize = 50;

/// Which part of a workbook is read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sheet {
    /// Its name; none: the first sheet with data.
    pub(crate) name: Option<String>,
    /// Rows above the header.
    pub(crate) skip: usize,
    /// Whether the first row after them has the column names.
    pub(crate) headed: bool,
}

impl Sheet {
    pub(crate) fn of(input: &Input) -> Self {
        let headed = input.header != Some(Header::None);
        Sheet { name: input.sheet.clone(), skip: input.skip, headed }
    }
}

/// Finds the columns of a sheet.
pub(super) fn open(file: &Path, input: &Input) -> Result<Opened> {
    let name = file.display().to_string();
    let (sheet, range) = sheet(file, input.sheet.as_deref())?;
    let table = Table::new(&range, input.skip);
    let mut rows = table.rows();
    let Some((line, first)) = rows.next() else {
        return Err(fault!(Data, "table.empty-sheet", "the sheet `{sheet}` is empty", sheet = sheet)
            .file(name)
            .help("set input.sheet to the sheet that holds the table, or lower input.skip")
            .into());
    };
    if input.header == Some(Header::None) {
        return Ok(Opened { columns: Header::generated(first.len()), ..Opened::default() });
    }
    let first = table.texts(first);
    if input.header.is_none() {
        let rows: Vec<Vec<String>> = rows.take(SAMPLED_LINES).map(|(_, row)| table.texts(row)).collect();
        if let Some(cells) = first_line_is_data(&first, &rows) {
            return Err(headless(cells, first.len()).file(name).line(line).into());
        }
    }
    let (columns, notices) = named(first);
    Ok(Opened { columns, notices, ..Opened::default() })
}

/// Gives the rows of a sheet.
pub(super) fn rows(file: &Path, wanted: &Sheet, out: &mut TextRows<'_>) -> Result<bool> {
    let (_, range) = sheet(file, wanted.name.as_deref())?;
    let table = Table::new(&range, wanted.skip);
    for (_, row) in table.rows().skip(usize::from(wanted.headed)) {
        let cell = |place: usize| Ok(row.get(place).and_then(|data| text(data, table.timed[place])));
        if !out.row(cell)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The sheet that `inspect` reads, and the rows above its header.
pub(super) fn detect(file: &Path) -> Result<(String, usize)> {
    let (name, range) = sheet(file, None)?;
    let top = range.start().map_or(0, |(row, _)| row as usize);
    let filled = |row: &[Data]| row.iter().filter(|data| !is_blank(data)).count();
    let widths: Vec<usize> = range.rows().take(LOOKED_AT).map(filled).collect();
    let above = title_rows(&widths);
    Ok((name, if above == 0 { 0 } else { top + above }))
}

/// A sheet by name, or the first one that has a cell.
fn sheet(file: &Path, wanted: Option<&str>) -> Result<(String, Range<Data>)> {
    let name = file.display().to_string();
    let bytes = std::fs::metadata(file).map_err(|e| unreadable(&name, &e))?.len();
    if bytes > LARGEST {
        return Err(fault!(
            Data,
            "table.workbook-too-large",
            "has {bytes} bytes; workbooks are read up to {most}",
            bytes = bytes,
            most = LARGEST
        )
        .file(name)
        .help("save the sheet as .csv or .parquet")
        .into());
    }
    let broken = |e: &calamine::Error| not_a_workbook(&name, e);
    let mut workbook = open_workbook_auto(file).map_err(|e| broken(&e))?;
    let sheets = workbook.sheet_names();
    if let Some(wanted) = wanted {
        if !sheets.iter().any(|sheet| sheet == wanted) {
            return Err(fault!(Input, "table.no-such-sheet", "has no sheet `{sheet}`", sheet = wanted)
                .file(name)
                .key("input.sheet")
                .help(format!("its sheets are {}", sheets.join(", ")))
                .into());
        }
        let range = workbook.worksheet_range(wanted).map_err(|e| broken(&e))?;
        return Ok((wanted.to_owned(), range));
    }
    for sheet in &sheets {
        let range = workbook.worksheet_range(sheet).map_err(|e| broken(&e))?;
        if range.rows().any(|row| row.iter().any(|data| !is_blank(data))) {
            return Ok((sheet.clone(), range));
        }
    }
    Err(fault!(Data, "table.empty-file", "the file is empty")
        .file(name)
        .help("no sheet of the workbook holds a cell")
        .into())
}

/// A file that is not a workbook. The decoder's message may quote cells, so it is not passed on.
fn not_a_workbook(file: &str, error: &calamine::Error) -> Error {
    if error.to_string().to_lowercase().contains("password") {
        return fault!(Data, "table.protected-workbook", "is protected by a password")
            .file(file)
            .help("save a copy without a password, or as .csv")
            .into();
    }
    unlike(file, &"it is not a workbook, or it is damaged")
}

/// The rows of a sheet from the header on.
struct Table<'a> {
    range: &'a Range<Data>,
    skip: usize,
    /// Column → whether one of its dates has a time.
    timed: Vec<bool>,
}

impl<'a> Table<'a> {
    fn new(range: &'a Range<Data>, skip: usize) -> Self {
        let mut timed = vec![false; range.width()];
        for row in range.rows() {
            for (timed, data) in timed.iter_mut().zip(row) {
                *timed |= matches!(data, Data::DateTime(moment) if has_time(moment));
            }
        }
        Table { range, skip, timed }
    }

    /// Rows with a cell, with their number in the sheet.
    fn rows(&self) -> impl Iterator<Item = (u64, &'a [Data])> + use<'a> {
        let top = self.range.start().map_or(0, |(row, _)| row as usize);
        let numbered = self.range.rows().enumerate().map(move |(at, row)| (top + at, row));
        let skip = self.skip;
        numbered
            .filter(move |(at, row)| *at >= skip && !row.iter().all(is_blank))
            .map(|(at, row)| (at as u64 + 1, row))
    }

    fn texts(&self, row: &[Data]) -> Vec<String> {
        let cell = |(data, timed): (&Data, &bool)| text(data, *timed).unwrap_or_default();
        row.iter().zip(&self.timed).map(cell).collect()
    }
}

fn is_blank(data: &Data) -> bool {
    match data {
        Data::Empty => true,
        Data::String(text) => text.trim().is_empty(),
        _ => false,
    }
}

fn has_time(moment: &ExcelDateTime) -> bool {
    moment.is_datetime() && moment.as_f64().fract() != 0.0 && moment.as_f64() >= 1.0
}

/// A cell as text; none where it is empty.
fn text(data: &Data, timed: bool) -> Option<String> {
    Some(match data {
        Data::Empty => return None,
        Data::Int(x) => x.to_string(),
        Data::Float(x) => values::number(*x),
        Data::String(text) => text.clone(),
        Data::Bool(is) => is.to_string(),
        Data::DateTime(moment) => date(moment, timed),
        Data::DateTimeIso(text) | Data::DurationIso(text) => text.clone(),
        Data::Error(error) => error.to_string(),
    })
}

fn date(moment: &ExcelDateTime, timed: bool) -> String {
    let serial = moment.as_f64();
    if moment.is_duration() || (0.0..1.0).contains(&serial) {
        return values::time(serial * 86_400.0);
    }
    let (year, month, day, hour, minute, second, _) = moment.to_ymd_hms_milli();
    match timed {
        false => format!("{year:04}-{month:02}-{day:02}"),
        true => format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"),
    }
}
