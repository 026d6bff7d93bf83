//! Dates shifted per person: all dates of a person move by the same number of days, so that the
//! time between them stays as it is.
//!
//! The number of days is from −n to n without 0: the first 64 bits of HMAC-SHA256 [Krawczyk 1997]
//! of the person, modulo 2n. It depends on the key and the person alone, so it is the same for every
//! column and every table with this key. Costs an HMAC and a parse per cell.

use chrono::{NaiveDate, TimeDelta};

use super::key::Key;
use crate::error::Result;
use crate::fault;

/// Shifts the dates of a column.
#[derive(Debug, Clone)]
pub struct DateShift {
    key: Key,
    days: u32,
    format: String,
}

impl DateShift {
    /// By at most this number of days, forward or back; dates are written in a format of strftime.
    pub fn new(key: &Key, days: u32, format: &str) -> Self {
        DateShift { key: key.clone(), days: days.max(1), format: format.to_owned() }
    }

    /// The days that the dates of a person move.
    pub fn days(&self, person: &str) -> i64 {
        let code = self.key.hmac(&[b"throng shift\0", person.as_bytes()]);
        let number = code.first_chunk::<8>().map_or(0, |bytes| u64::from_be_bytes(*bytes));
        let days = i64::from(self.days);
        let moved = (number % (2 * u64::from(self.days))) as i64 - days;
        if moved < 0 { moved } else { moved + 1 }
    }

    /// A date of a person, shifted.
    ///
    /// # Errors
    /// A cell that is not a date, or would leave the calendar.
    pub fn replace(&self, person: &str, cell: &str) -> Result<String> {
        let date = NaiveDate::parse_from_str(cell, &self.format).ok();
        let moved = date.and_then(|date| date.checked_add_signed(TimeDelta::days(self.days(person))));
        match moved {
            Some(date) => Ok(date.format(&self.format).to_string()),
            None => Err(fault!(
                Data,
                "pseudonym.not-a-date",
                "`{value}` is not a date written as {format}",
                value = cell,
                format = self.format
            )
            .help("give transform.shift a `format` that fits, such as \"%d.%m.%Y\", or clear such cells with input.prepare")
            .into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn shift(days: u32, format: &str) -> DateShift {
        DateShift::new(&Key::new(b"a key of 24 bytes, or so").unwrap(), days, format)
    }

    #[test]
    fn all_dates_of_a_person_move_by_the_same_days() {
        let shift = shift(3, "%Y-%m-%d");
        let moved: BTreeSet<i64> = (0..200).map(|person| shift.days(&format!("p{person}"))).collect();
        assert_eq!(moved, BTreeSet::from([-3, -2, -1, 1, 2, 3]));
        let date = |text: &str| NaiveDate::parse_from_str(text, "%Y-%m-%d").unwrap();
        for person in ["a", "b", "c"] {
            let [first, second] =
                ["2020-02-27", "2020-03-01"].map(|cell| date(&shift.replace(person, cell).unwrap()));
            assert_eq!((second - first).num_days(), 3);
            assert_eq!((first - date("2020-02-27")).num_days(), shift.days(person));
        }
    }

    #[test]
    fn other_formats_and_what_is_no_date() {
        let shift = shift(30, "%d.%m.%Y");
        assert_eq!(shift.replace("a", "01.03.2020").unwrap().len(), 10);
        let error = shift.replace("a", "2020-03-01").unwrap_err();
        assert!(error.has_code("pseudonym.not-a-date"), "{error}");
    }
}
