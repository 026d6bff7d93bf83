//! SAS tables (.sas7bdat), read row by row with the `sas7bdat` crate, without mapping the file into
//! memory.
//!
//! Missing values, `.` and `.A` to `.Z`, are missing. Dates, times and date-times follow the format
//! of their column. Labels of values are in a file of their own (.sas7bcat) and are not read.

use std::ops::ControlFlow;
use std::path::Path;

use chrono::NaiveDate;
use sas7bdat::{CellValue, Dataset, IoBackendPreference, OpenOptions, SasDate};
use throng::error::{Error, Fault, Result};

use super::{Opened, TextRows, values};
use crate::error::unlike;
use crate::header::named;

/// Finds the columns of a file.
pub(super) fn open(file: &Path) -> Result<Opened> {
    let data = dataset(file)?;
    let (columns, notices) = named(data.columns().iter().map(|column| column.name.clone()).collect());
    Ok(Opened { columns, notices, ..Opened::default() })
}

/// Gives the rows of a file.
pub(super) fn rows(file: &Path, out: &mut TextRows<'_>) -> Result<bool> {
    let data = dataset(file)?;
    // A projection has each column once, in its own order.
    let mut places: Vec<usize> = out.wanted.clone();
    places.sort_unstable();
    places.dedup();
    // If no column is requested, the first one counts the rows.
    if places.is_empty() {
        places.push(0);
    }
    let projection = places.iter().fold(data.projection(), |built, &place| built.column_idx(place));
    let projection = projection.build().map_err(|_| damaged(file))?;
    let (mut goes_on, mut fault, mut read) = (true, None, 0);
    let scanned = data.scan().with_projection(&projection).visit_rows(|row| {
        let cell = |place: usize| {
            let at = places.binary_search(&place).map_err(|_| Fault::bug("a column was not read"))?;
            row.get(at).map_or(Ok(None), |value| text(file, value))
        };
        read += 1;
        match out.row(cell) {
            Ok(true) => return Ok(ControlFlow::Continue(())),
            Ok(false) => goes_on = false,
            Err(error) => fault = Some(error),
        }
        Ok(ControlFlow::Break(()))
    });
    if let Some(error) = fault {
        return Err(error);
    }
    scanned.map_err(|_| damaged(file))?;
    let about = data.metadata();
    // A file that was cut off between two rows would lose the others without a word.
    match goes_on && read != about.row_count.saturating_sub(about.deleted_row_count) {
        true => Err(damaged(file)),
        false => Ok(goes_on),
    }
}

fn dataset(file: &Path) -> Result<Dataset> {
    // A map of a file that another program changes is undefined behaviour.
    let options = OpenOptions::builder().io_backend(IoBackendPreference::Buffered).build();
    Dataset::open_with(file, options).map_err(|_| damaged(file))
}

fn damaged(file: &Path) -> Error {
    unlike(&file.display().to_string(), &"it is not a SAS table, or it is damaged")
}

/// A cell as text; none where it is missing.
fn text(file: &Path, value: &CellValue<'_>) -> Result<Option<String>> {
    let epoch = NaiveDate::from_ymd_opt(1960, 1, 1).unwrap_or(NaiveDate::MIN);
    Ok(match value {
        CellValue::Null => None,
        CellValue::Int32(x) => Some(x.to_string()),
        CellValue::Int64(x) => Some(x.to_string()),
        CellValue::Float64(x) if x.is_nan() => None,
        CellValue::Float64(x) => Some(values::number(*x)),
        CellValue::Str(text) => Some((*text).to_owned()),
        CellValue::Bytes(_) => return Err(damaged(file)),
        CellValue::Date(SasDate { days_since_sas_epoch }) => {
            values::day(epoch, i64::from(*days_since_sas_epoch))
        }
        CellValue::DateTime(moment) => values::moment(epoch, moment.seconds_since_sas_epoch as f64 * 1000.0),
        CellValue::Time(time) => Some(values::time(f64::from(time.seconds_since_midnight))),
    })
}
