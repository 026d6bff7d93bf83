//! Stata files (.dta, every release), read row by row with the `dta` crate.
//!
//! Missing values, `.` and `.a` to `.z`, are missing. Dates and periods follow the display format
//! of their variable. A variable whose values all have a label is read as its labels, which takes
//! one more pass; where only some have, as with the code of a top category, the values stay.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use chrono::NaiveDate;
use dta::stata::dta::dta_error::DtaError;
use dta::stata::dta::dta_reader::DtaReader;
use dta::stata::dta::long_string::LongString;
use dta::stata::dta::long_string_table::LongStringTable;
use dta::stata::dta::record_reader::RecordReader;
use dta::stata::dta::schema::Schema;
use dta::stata::dta::value::Value;
use dta::stata::dta::value_label_table::ValueLabelTable;
use dta::stata::dta::variable::Variable;
use dta::stata::dta::variable_type::VariableType;
use dta::stata::stata_byte::StataByte;
use dta::stata::stata_double::StataDouble;
use dta::stata::stata_float::StataFloat;
use dta::stata::stata_int::StataInt;
use dta::stata::stata_long::StataLong;
use dta::stata::temporal::TemporalKind;
use encoding_rs::Encoding;
use throng::error::{Error, Fault, Result};

use super::{Opened, TextRows, values};
use crate::error::{unlike, unreadable};
use crate::header::{labelled_notice, named, partly_labelled_notice};

/// A file at its first row, with everything that its cells refer to.
struct Dataset {
    records: RecordReader<BufReader<File>>,
    schema: Schema,
    labels: ValueLabelTable,
    long: LongStringTable,
}

/// Finds the columns of a file.
pub(super) fn open(file: &Path, labels: bool) -> Result<Opened> {
    let mut data = Dataset::open(file)?;
    let (columns, mut notices) =
        named(data.schema.variables().iter().map(|variable| variable.name().to_owned()).collect());
    let labelled = if labels { data.labelled(file, &columns, &mut notices)? } else { Vec::new() };
    notices.extend(labelled_notice(labelled.iter().map(|&place| columns[place].as_str())));
    Ok(Opened { columns, notices, labelled })
}

/// Gives the rows of a file.
pub(super) fn rows(file: &Path, labelled: &[usize], out: &mut TextRows<'_>) -> Result<bool> {
    let Dataset { mut records, schema, labels, long } = Dataset::open(file)?;
    let encoding = records.encoding();
    while let Some(record) = records.read_lazy_record().map_err(|e| failed(file, &e))? {
        let cell = |place: usize| {
            let variable = &schema.variables()[place];
            let value = record.value(place).map_err(|e| failed(file, &e))?;
            if let Value::LongStringRef(reference) = &value {
                return Ok(long.get(reference).and_then(|text| long_text(&text, encoding)));
            }
            let label = || labels.label_for(variable, code(&value)?);
            match label().filter(|_| labelled.contains(&place)) {
                Some(label) => Ok(Some(label.to_owned())),
                None => Ok(text(variable, &value)),
            }
        };
        if !out.row(cell)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A long string. pandas writes UTF-8 where release 117 has Latin-1, in which texts of several bytes
/// per character hardly occur.
fn long_text(text: &LongString<'_>, encoding: &'static Encoding) -> Option<String> {
    let utf8 = std::str::from_utf8(text.data()).ok().filter(|_| text.is_text());
    let plain = utf8.map(|plain| plain.trim_end_matches('\0').to_owned());
    plain.or_else(|| text.data_str(encoding).map(|text| text.into_owned()))
}

impl Dataset {
    fn open(file: &Path) -> Result<Self> {
        let failed = |e: DtaError| failed(file, &e);
        let opened = DtaReader::new().from_path(file).map_err(failed)?;
        let reader = opened.read_header().map_err(failed)?.read_schema().map_err(failed)?;
        let schema = reader.schema().clone();
        let mut labels = ValueLabelTable::new();
        let mut reader = reader.seek_value_labels().map_err(failed)?;
        reader.read_remaining_into(&mut labels).map_err(failed)?;
        let mut long = LongStringTable::for_reading();
        let is_long = |variable: &Variable| variable.variable_type() == VariableType::LongString;
        let records = if schema.variables().iter().any(is_long) {
            let mut reader = reader.seek_long_strings().map_err(failed)?;
            reader.read_remaining_into(&mut long).map_err(failed)?;
            reader.seek_records().map_err(failed)?
        } else {
            reader.seek_records().map_err(failed)?
        };
        Ok(Dataset { records, schema, labels, long })
    }

    /// The variables whose values all have a label.
    fn labelled(&mut self, file: &Path, names: &[String], notices: &mut Vec<String>) -> Result<Vec<usize>> {
        let variables = self.schema.variables();
        let has_labels = |variable: &Variable| {
            let set = self.labels.get(variable.value_label_name());
            set.is_some_and(|set| !set.entries().is_empty())
        };
        let candidates: Vec<usize> =
            (0..variables.len()).filter(|&place| has_labels(&variables[place])).collect();
        // Of each candidate: whether a value has a label, and whether one has none.
        let mut seen = vec![(false, false); candidates.len()];
        while let Some(record) = self.records.read_lazy_record().map_err(|e| failed(file, &e))? {
            if seen.iter().all(|seen| *seen == (true, true)) {
                break;
            }
            for (&place, seen) in candidates.iter().zip(&mut seen) {
                let value = record.value(place).map_err(|e| failed(file, &e))?;
                let label = code(&value).and_then(|code| self.labels.label_for(&variables[place], code));
                match label {
                    Some(_) => seen.0 = true,
                    None => seen.1 |= text(&variables[place], &value).is_some(),
                }
            }
        }
        let partly = candidates.iter().zip(&seen).filter(|(_, seen)| **seen == (true, true));
        notices.extend(partly_labelled_notice(partly.map(|(&place, _)| names[place].as_str())));
        let whole = candidates.iter().zip(&seen).filter(|(_, seen)| **seen == (true, false));
        Ok(whole.map(|(&place, _)| place).collect())
    }
}

/// The whole number that a label can belong to.
fn code(value: &Value<'_>) -> Option<i32> {
    let whole = |x: f64| (x.trunc() == x && x.abs() < 2e9).then_some(x as i32);
    match value {
        Value::Byte(StataByte::Present(x)) => Some(i32::from(*x)),
        Value::Int(StataInt::Present(x)) => Some(i32::from(*x)),
        Value::Long(StataLong::Present(x)) => Some(*x),
        Value::Float(StataFloat::Present(x)) => whole(f64::from(*x)),
        Value::Double(StataDouble::Present(x)) => whole(*x),
        _ => None,
    }
}

/// A cell as text; none where it is missing.
fn text(variable: &Variable, value: &Value<'_>) -> Option<String> {
    let (number, plain) = match value {
        Value::Byte(StataByte::Present(x)) => (f64::from(*x), x.to_string()),
        Value::Int(StataInt::Present(x)) => (f64::from(*x), x.to_string()),
        Value::Long(StataLong::Present(x)) => (f64::from(*x), x.to_string()),
        Value::Float(StataFloat::Present(x)) => (f64::from(*x), values::single(*x)),
        Value::Double(StataDouble::Present(x)) => (*x, values::number(*x)),
        Value::String(text) => return Some(text.clone().into_owned()),
        _ => return None,
    };
    let kind = TemporalKind::from_format(variable.format());
    Some(kind.and_then(|kind| temporal(&kind, number)).unwrap_or(plain))
}

/// A date or a period, counted from 1960 on.
fn temporal(kind: &TemporalKind, number: f64) -> Option<String> {
    let epoch = NaiveDate::from_ymd_opt(1960, 1, 1)?;
    let count = number.floor() as i64;
    let period = |parts: i64| (1960 + count.div_euclid(parts), count.rem_euclid(parts) + 1);
    Some(match kind {
        TemporalKind::Date => return values::day(epoch, count),
        TemporalKind::DateTime | TemporalKind::DateTimeLeap => return values::moment(epoch, number),
        TemporalKind::Year => count.to_string(),
        TemporalKind::Month => format!("{:04}-{:02}", period(12).0, period(12).1),
        TemporalKind::Quarter => format!("{:04}-Q{}", period(4).0, period(4).1),
        TemporalKind::HalfYear => format!("{:04}-H{}", period(2).0, period(2).1),
        TemporalKind::Week => format!("{:04}-W{:02}", period(52).0, period(52).1),
        // A kind of a later version stays a number.
        _ => return None,
    })
}

/// A file that cannot be read, or is not a Stata file.
fn failed(file: &Path, error: &DtaError) -> Error {
    let name = file.display().to_string();
    match error {
        DtaError::Io { source, .. } if source.kind() != std::io::ErrorKind::UnexpectedEof => {
            unreadable(&name, source)
        }
        DtaError::Io { .. } => unlike(&name, &"it ends too early"),
        DtaError::Format(_) => unlike(&name, &"it is not a Stata file, or it is damaged"),
        _ => Fault::bug(error.to_string()).file(name).into(),
    }
}
