//! SPSS system files (.sav and .zsav), read case by case.
//!
//! The layout follows "System File Format" of the PSPP developers' guide: a header, records that
//! describe the variables (the dictionary), then cases of eight-byte units, which are plain, packed
//! by command codes, or packed and compressed with zlib. System-missing and user-missing values are
//! missing. Dates and times follow the print format of their variable. As in Stata files, a
//! variable whose values all have a label is read as its labels, which takes one more pass.
//!
//! One case is in memory at a time. Lengths that a file states are never allocated beforehand.

mod dictionary;
mod units;

use std::path::Path;

use chrono::NaiveDate;
use throng::error::Result;

use self::dictionary::{Dictionary, Variable, Width};
use self::units::Units;
use super::{Opened, TextRows, values};
use crate::header::{labelled_notice, named, partly_labelled_notice};

/// Print formats of dates, of date-times and of times.
const DATES: [u8; 8] = [20, 23, 24, 28, 29, 30, 38, 39];
const MOMENTS: [u8; 2] = [22, 41];
const TIMES: [u8; 3] = [21, 25, 40];

/// Finds the columns of a file.
pub(super) fn open(file: &Path, labels: bool) -> Result<Opened> {
    let (dictionary, units) = dictionary::open(file)?;
    let variables = &dictionary.variables;
    let (columns, mut notices) = named(variables.iter().map(|variable| variable.name.clone()).collect());
    let missing = variables.iter().filter(|variable| variable.has_missing());
    let missing: Vec<String> = missing.map(|variable| format!("`{}`", variable.name)).collect();
    if !missing.is_empty() {
        notices.push(format!("declared missing values are missing in {}", missing.join(", ")));
    }
    let labelled = if labels { labelled(&dictionary, units, &columns, &mut notices)? } else { Vec::new() };
    notices.extend(labelled_notice(labelled.iter().map(|&place| columns[place].as_str())));
    Ok(Opened { columns, notices, labelled })
}

/// Gives the cases of a file.
pub(super) fn rows(file: &Path, labelled: &[usize], out: &mut TextRows<'_>) -> Result<bool> {
    let (dictionary, mut units) = dictionary::open(file)?;
    let mut case = vec![0; dictionary.bytes()];
    while units.case(&mut case)? {
        let cell = |place: usize| {
            let variable = &dictionary.variables[place];
            let Some(value) = dictionary.value(variable, &case) else { return Ok(None) };
            let label = variable.label(&value).filter(|_| labelled.contains(&place));
            Ok(label.map(String::from).or_else(|| Some(text(variable, value))))
        };
        if !out.row(cell)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The variables whose values all have a label.
fn labelled(
    dictionary: &Dictionary,
    mut units: Units,
    names: &[String],
    notices: &mut Vec<String>,
) -> Result<Vec<usize>> {
    let variables = &dictionary.variables;
    let candidates: Vec<usize> =
        (0..variables.len()).filter(|&place| !variables[place].labels.is_empty()).collect();
    let mut seen = vec![(false, false); candidates.len()];
    let mut case = vec![0; dictionary.bytes()];
    while units.case(&mut case)? && seen.iter().any(|seen| *seen != (true, true)) {
        for (&place, seen) in candidates.iter().zip(&mut seen) {
            match dictionary.value(&variables[place], &case) {
                Some(value) if variables[place].label(&value).is_some() => seen.0 = true,
                // An empty text is missing.
                Some(Value::Text(text)) if text.is_empty() => {}
                Some(_) => seen.1 = true,
                None => {}
            }
        }
    }
    let partly = candidates.iter().zip(&seen).filter(|(_, seen)| **seen == (true, true));
    notices.extend(partly_labelled_notice(partly.map(|(&place, _)| names[place].as_str())));
    let whole = candidates.iter().zip(&seen).filter(|(_, seen)| **seen == (true, false));
    Ok(whole.map(|(&place, _)| place).collect())
}

/// A value that is not missing.
#[derive(Debug, Clone, PartialEq)]
enum Value {
    Number(f64),
    Text(String),
}

/// A value as text, by its print format.
fn text(variable: &Variable, value: Value) -> String {
    let number = match value {
        Value::Text(text) => return text,
        Value::Number(number) => number,
    };
    // The Gregorian calendar began on the next day.
    let epoch = NaiveDate::from_ymd_opt(1582, 10, 14).unwrap_or(NaiveDate::MIN);
    let shown = match variable.format {
        format if DATES.contains(&format) => values::day(epoch, (number / 86_400.0).floor() as i64),
        format if MOMENTS.contains(&format) => values::moment(epoch, number * 1000.0),
        format if TIMES.contains(&format) => Some(values::time(number)),
        _ => None,
    };
    shown.unwrap_or_else(|| values::number(number))
}

impl Dictionary {
    /// The value of a variable in a case; none where it is missing.
    fn value(&self, variable: &Variable, case: &[u8]) -> Option<Value> {
        match variable.width {
            Width::Number => {
                let bytes: [u8; 8] = case.get(variable.at..variable.at + 8)?.try_into().ok()?;
                let number = self.order.f64(bytes);
                (!number.is_nan() && number != -f64::MAX && !variable.is_missing_number(number))
                    .then_some(Value::Number(number))
            }
            Width::Text { .. } => {
                let bytes = variable.bytes(case)?;
                let text = self.encoding.decode_without_bom_handling(&bytes).0;
                let text = text.trim_end_matches([' ', '\0']);
                (!variable.missing_texts.iter().any(|missing| missing == text))
                    .then(|| Value::Text(text.to_owned()))
            }
        }
    }
}
