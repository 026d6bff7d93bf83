//! What all values of a column have in common, and its extremes.
//!
//! Everything here is a least, a greatest, an AND or an OR, so looking at a value twice changes
//! nothing: a value that is already counted need not be looked at again, and parts of a table merge
//! in any order. A value that means "missing" in most tables (`?`, `NA`) does not spoil what the
//! others have in common, but it is remembered: to a hierarchy it is a value like any other.

use chrono::{Datelike, NaiveDate};

use super::dates::{FORMATS, TWINS};
use super::missing::{PLACEHOLDERS, placeholder};
use super::shape::{Shapes, bit, look};

/// Candidate names for the pooled rest of a column; the first that is not a value of the column is
/// used.
const POOLS: [&str; 4] = ["other", "(other)", "(rest)", "(any other)"];

/// The common traits of the values.
#[derive(Debug, Clone)]
pub(super) struct Traits {
    /// Patterns that all values fit, placeholders aside.
    all: Shapes,
    /// Whether there was a value that is not a placeholder.
    any: bool,
    placeholders: u64,
    pools: u8,
    /// The least and the greatest number.
    pub range: (f64, f64),
    days: [(NaiveDate, NaiveDate); FORMATS.len()],
    /// What the user says about dates that could begin with the day or the month.
    pub day_first: Option<bool>,
    /// Days and months that occur when dates are read with the day first, per pair of twins.
    twins: [(u32, u32); TWINS.len()],
    /// The least and the greatest length in characters, placeholders aside.
    pub length: (usize, usize),
}

impl Traits {
    pub fn new() -> Self {
        Traits {
            all: bit::ALL,
            any: false,
            placeholders: 0,
            pools: 0,
            range: (f64::INFINITY, f64::NEG_INFINITY),
            days: [(NaiveDate::MAX, NaiveDate::MIN); FORMATS.len()],
            twins: [(0, 0); TWINS.len()],
            day_first: None,
            length: (usize::MAX, 0),
        }
    }

    /// Looks at one value.
    pub fn see(&mut self, value: &str) {
        if let Some(i) = POOLS.iter().position(|p| *p == value) {
            self.pools |= 1 << i;
        }
        if let Some(i) = placeholder(value) {
            self.placeholders |= 1 << i;
            return;
        }
        let length = value.chars().count();
        self.length = (self.length.0.min(length), self.length.1.max(length));
        self.any = true;
        if self.all == 0 {
            return;
        }
        let look = look(value, self.all);
        self.all &= look.shapes;
        if let Some(x) = look.number {
            self.range = (self.range.0.min(x), self.range.1.max(x));
        }
        if self.all & bit::DATES == 0 {
            return;
        }
        for (range, day) in self.days.iter_mut().zip(look.days) {
            if let Some(day) = day {
                *range = (range.0.min(day), range.1.max(day));
            }
        }
        for (bits, (day_first, _)) in self.twins.iter_mut().zip(TWINS) {
            if let Some(date) = look.days[day_first] {
                *bits = (bits.0 | 1 << date.day(), bits.1 | 1 << date.month());
            }
        }
    }

    /// Takes over what was seen of another part of the column.
    pub fn merge(&mut self, other: &Traits) {
        self.all &= other.all;
        self.any |= other.any;
        self.placeholders |= other.placeholders;
        self.pools |= other.pools;
        self.range = (self.range.0.min(other.range.0), self.range.1.max(other.range.1));
        self.length = (self.length.0.min(other.length.0), self.length.1.max(other.length.1));
        for (a, b) in self.days.iter_mut().zip(other.days) {
            *a = (a.0.min(b.0), a.1.max(b.1));
        }
        for (a, b) in self.twins.iter_mut().zip(other.twins) {
            *a = (a.0 | b.0, a.1 | b.1);
        }
    }

    /// Whether all values fit a pattern, placeholders aside.
    pub fn all(&self, shape: Shapes) -> bool {
        self.any && self.all & shape == shape
    }

    /// A text among the values that usually means missing.
    pub fn placeholder(&self) -> Option<&'static str> {
        PLACEHOLDERS.iter().enumerate().find(|(i, _)| self.placeholders >> i & 1 == 1).map(|(_, p)| *p)
    }

    /// A name for pooled values that is not itself a value.
    pub fn pool(&self) -> Option<&'static str> {
        POOLS.iter().enumerate().find(|(i, _)| self.pools >> i & 1 == 0).map(|(_, p)| *p)
    }

    /// The date format that fits all values, placeholders aside.
    pub fn format(&self) -> Option<usize> {
        let fits = |format: usize| self.all(1 << (bit::DATE + format as u32));
        let first = (0..FORMATS.len()).find(|&f| fits(f))?;
        let twin = TWINS.iter().position(|(day_first, _)| *day_first == first);
        match twin {
            Some(twin) if fits(TWINS[twin].1) => Some(self.day_or_month(twin)),
            _ => Some(first),
        }
    }

    /// Which of two formats is meant where no day is after the 12th: monthly data have the first of
    /// the month as their day; otherwise, as in the United States, the month comes first.
    fn day_or_month(&self, twin: usize) -> usize {
        let day_first = self.day_first.unwrap_or_else(|| self.monthly(twin) == Some(true));
        if day_first { TWINS[twin].0 } else { TWINS[twin].1 }
    }

    /// Whether dates are the first of several months, read with the day first or with the month
    /// first.
    fn monthly(&self, twin: usize) -> Option<bool> {
        let (days, months) = self.twins[twin];
        match (days == 1 << 1, months == 1 << 1) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            _ => None,
        }
    }

    /// Whether dates could begin with the day as well as with the month, and mean different days.
    pub fn ambiguous_days(&self) -> bool {
        let fits = |format: usize| self.all(1 << (bit::DATE + format as u32));
        TWINS.iter().enumerate().any(|(twin, &(day_first, month_first))| {
            let (days, months) = self.twins[twin];
            let same = days == months && days.count_ones() == 1;
            fits(day_first) && fits(month_first) && self.monthly(twin).is_none() && !same
        })
    }

    /// The first and the last day in a format that fits.
    pub fn days(&self, format: usize) -> (NaiveDate, NaiveDate) {
        self.days[format]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[&str]) -> Traits {
        let mut traits = Traits::new();
        values.iter().for_each(|v| traits.see(v));
        traits
    }

    fn format(values: &[&str]) -> Option<&'static str> {
        of(values).format().map(|f| FORMATS[f].pattern)
    }

    #[test]
    fn numbers_with_their_range() {
        let traits = of(&["3", "-1.5", "10"]);
        assert!(traits.all(bit::NUMBER));
        assert!(!traits.all(bit::INTEGER));
        assert_eq!(traits.range, (-1.5, 10.0));
        assert_eq!(traits.length, (1, 4));
        assert!(!of(&["3", "x"]).all(bit::NUMBER));
    }

    #[test]
    fn placeholders_do_not_spoil_the_rest() {
        let traits = of(&["3", "?", "4"]);
        assert!(traits.all(bit::INTEGER));
        assert_eq!(traits.placeholder(), Some("?"));
        assert!(!of(&["?"]).all(bit::INTEGER));
        assert_eq!(of(&["3"]).placeholder(), None);
    }

    #[test]
    fn day_and_month_are_told_apart_by_the_data() {
        assert_eq!(format(&["01/02/2020", "13/02/2020"]), Some("%d/%m/%Y"));
        assert_eq!(format(&["01/02/2020", "02/13/2020"]), Some("%m/%d/%Y"));
        assert_eq!(format(&["01/02/2020", "01/03/2020"]), Some("%d/%m/%Y"));
        assert_eq!(format(&["02/01/2020", "03/01/2020"]), Some("%m/%d/%Y"));
        assert_eq!(format(&["02/05/2020", "03/07/2020"]), Some("%m/%d/%Y"));
        assert_eq!(format(&["13/02/2020", "02/13/2020"]), None);
        assert_eq!(format(&["2020-01-01", "01/02/2020"]), None);
        assert_eq!(format(&[]), None);
    }

    #[test]
    fn a_free_name_for_the_rest() {
        assert_eq!(of(&["a"]).pool(), Some("other"));
        assert_eq!(of(&["other", "a"]).pool(), Some("(other)"));
        assert_eq!(of(&POOLS).pool(), None);
    }

    #[test]
    fn parts_merge() {
        let mut a = of(&["2020-01-02", "NA"]);
        a.merge(&of(&["2020-03-01", "other"]));
        let b = of(&["2020-01-02", "2020-03-01", "other", "NA"]);
        assert_eq!(format!("{a:?}"), format!("{b:?}"));
    }
}
