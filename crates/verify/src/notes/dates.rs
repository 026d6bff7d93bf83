//! Mentions of a date in the forms that people write: 5/26/1986, 26.05.86, 1986-05-26, 26 May 1986,
//! May 26th, May of 1986, 05/1986, 19860526, 1986.
//!
//! Numbers are read in every order, and a year of two digits as one of any century, because a
//! release must not depend on how a reader reads. Linear in the tokens.

use std::ops::Range;

use chrono::{Datelike, NaiveDate};

use super::tokens::Folded;

/// A day, and how much of it may be known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sought {
    year: u32,
    month: u32,
    day: u32,
    /// Whether year and month, or the year, are known from the label of the row.
    month_known: bool,
    year_known: bool,
}

/// Formats that are tried where the policy does not name one.
const FORMATS: [&str; 5] = ["%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y"];

/// Names of months in English, German, French, Spanish and Italian, without accents.
const MONTHS: [&[&str]; 12] = [
    &["january", "jan", "januar", "janner", "janvier", "enero", "gennaio"],
    &["february", "feb", "februar", "fevrier", "febrero", "febbraio"],
    &["march", "mar", "marz", "mars", "marzo"],
    &["april", "apr", "avril", "abril", "aprile"],
    &["may", "mai", "mayo", "maggio"],
    &["june", "jun", "juni", "juin", "junio", "giugno"],
    &["july", "jul", "juli", "juillet", "julio", "luglio"],
    &["august", "aug", "aout", "agosto"],
    &["september", "sep", "sept", "septembre", "septiembre", "settembre"],
    &["october", "oct", "oktober", "okt", "octobre", "octubre", "ottobre"],
    &["november", "nov", "novembre", "noviembre"],
    &["december", "dec", "dezember", "dez", "decembre", "diciembre", "dicembre"],
];

/// Words between the parts of a date.
const BETWEEN: [&str; 12] = ["st", "nd", "rd", "th", "of", "the", "de", "den", "del", "in", "le", "er"];

/// A date that a value is, if it is one.
pub(super) fn parse(value: &str, format: Option<&str>) -> Option<NaiveDate> {
    let day = value.get(..10).unwrap_or(value);
    let formats = format.into_iter().chain(FORMATS);
    let mut dates =
        formats.flat_map(|format| [value, day].map(|text| NaiveDate::parse_from_str(text, format)));
    dates.find_map(Result::ok)
}

impl Sought {
    /// A date, and what the label that a row is released with says of it.
    pub(super) fn new(date: NaiveDate, label: Option<&str>) -> Self {
        let year = u32::try_from(date.year()).unwrap_or(0);
        let label = label.unwrap_or_default();
        let numbers = label.split(|c: char| !c.is_ascii_digit());
        let years = numbers.filter(|number| number.len() == 4).count();
        let year_known = years == 1 && label.starts_with(&format!("{year:04}"));
        let month_known = label == format!("{year:04}-{:02}", date.month());
        Sought { year, month: date.month(), day: date.day(), month_known, year_known }
    }

    /// A date whose month and year many people share: only the day counts.
    pub(super) fn day_of(date: NaiveDate) -> Self {
        Sought { month_known: true, year_known: true, ..Sought::new(date, None) }
    }

    /// Whether a number is the year, in four digits or in two.
    fn is_year(&self, number: &str) -> bool {
        match number.len() {
            4 => number.parse() == Ok(self.year),
            2 => number.parse() == Ok(self.year % 100),
            _ => false,
        }
    }

    fn is_month_name(&self, word: &str) -> bool {
        MONTHS.get(self.month as usize - 1).is_some_and(|names| names.contains(&word))
    }

    /// The tokens of every mention that says more than is known.
    pub(super) fn mentions(&self, text: &Folded, source: &str, found: &mut Vec<Range<usize>>) {
        for at in 0..text.len() {
            let token = &text.tokens[at];
            if !token.digits {
                if self.is_month_name(text.get(at)) {
                    self.named(text, at, found);
                }
                continue;
            }
            let word = text.get(at);
            if word.len() == 8 && self.is_compact(word) {
                found.push(at..at + 1);
            }
            if word.len() == 4 && !self.year_known && self.is_year(word) {
                found.push(at..at + 1);
            }
            self.numbers(text, source, at, found);
        }
    }

    fn is_compact(&self, word: &str) -> bool {
        let Sought { year, month, day, .. } = self;
        let written = [
            format!("{year:04}{month:02}{day:02}"),
            format!("{day:02}{month:02}{year:04}"),
            format!("{month:02}{day:02}{year:04}"),
        ];
        written.iter().any(|written| written == word)
    }

    /// Dates in numbers that begin at a token.
    fn numbers(&self, text: &Folded, source: &str, at: usize, found: &mut Vec<Range<usize>>) {
        let joined = |at: usize| {
            let (Some(one), Some(two)) = (text.tokens.get(at), text.tokens.get(at + 1)) else { return None };
            let between = source[one.range.end..two.range.start].trim();
            let sign = match between {
                "/" | "-" | "." => between.chars().next(),
                _ => None,
            };
            sign.filter(|_| two.digits && two.gap <= 3)
        };
        let Some(sign) = joined(at) else { return };
        let number = |at: usize| text.get(at).parse::<u32>().ok();
        let is = |at: usize, wanted: u32| text.get(at).len() <= 2 && number(at) == Some(wanted);
        if joined(at + 1).is_some() {
            let [one, two, three] = [at, at + 1, at + 2];
            let (month, day) = (self.month, self.day);
            let ends = is(one, day) && is(two, month) || is(one, month) && is(two, day);
            let begins = self.is_year(text.get(one)) && is(two, month) && is(three, day);
            if ends && self.is_year(text.get(three)) || begins {
                found.push(at..at + 3);
            }
        }
        if !self.month_known {
            let [one, two] = [text.get(at), text.get(at + 1)];
            let short = sign == '/' && one.len() == 2 && two.len() == 2;
            let month_first = is(at, self.month) && (two.len() == 4 || short) && self.is_year(two);
            if month_first || one.len() == 4 && self.is_year(one) && is(at + 1, self.month) {
                found.push(at..at + 2);
            }
        }
    }

    /// Dates around the name of the month.
    fn named(&self, text: &Folded, month: usize, found: &mut Vec<Range<usize>>) {
        let is_day = |at: usize| {
            let word = text.get(at);
            text.tokens[at].digits && word.len() <= 2 && word.parse() == Ok(self.day)
        };
        let day_before = before(text, month).filter(|&at| is_day(at));
        let after = after(text, month);
        let day_after = after.filter(|&at| is_day(at));
        // The year follows the month, or the day after it.
        let year_at = |at: Option<usize>| at.filter(|&at| text.tokens[at].digits && text.get(at).len() == 4);
        let behind_day = day_after.and_then(|at| self::after(text, at));
        let year = year_at(after).or_else(|| year_at(behind_day));
        let other_year = year.is_some_and(|at| !self.is_year(text.get(at)));
        if let Some(at) = day_before.filter(|_| !other_year) {
            found.push(at..month + 1);
        }
        if let Some(at) = day_after.filter(|_| !other_year) {
            found.push(month..at + 1);
        }
        if let Some(at) = year.filter(|_| !other_year && !self.month_known) {
            found.push(month..at + 1);
        }
    }
}

/// The token after one, without words between the parts of a date.
fn after(text: &Folded, at: usize) -> Option<usize> {
    (at + 1..text.len().min(at + 4)).find(|&at| !BETWEEN.contains(&text.get(at)))
}

/// The token before one, likewise.
fn before(text: &Folded, at: usize) -> Option<usize> {
    (at.saturating_sub(3)..at).rev().find(|&at| !BETWEEN.contains(&text.get(at)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(note: &str, label: Option<&str>) -> bool {
        let date = parse("1986-05-26", None).unwrap();
        let mut found = Vec::new();
        Sought::new(date, label).mentions(&Folded::new(note), note, &mut found);
        !found.is_empty()
    }

    #[test]
    fn dates_are_found_in_their_usual_forms() {
        for note in [
            "DOB 05/26/86",
            "26.5.1986",
            "26 - 05 - 1986",
            "born 1986-05-26.",
            "May 26, 1986",
            "on the 26th of May",
            "26 mai 1986",
            "19860526",
            "26-MAY-1986",
        ] {
            for label in [None, Some("1986"), Some("1986-05"), Some("[1980, 1990)"), Some("*")] {
                assert!(found(note, label), "{note} {label:?}");
            }
        }
        for note in ["5/27/1986", "26 June", "May 26, 1991", "7 and 6/12 years", "build 19860527", ""] {
            let finer = note.contains("1986") && !note.contains("build");
            assert_eq!(found(note, None), finer, "{note}");
            assert!(!found(note, Some("1986")), "{note}");
        }
    }

    #[test]
    fn months_and_years_are_found_unless_the_label_says_them() {
        for note in ["in May of 1986", "05/1986", "05/86", "1986-05"] {
            assert!(found(note, None) && found(note, Some("1986")), "{note}");
            assert!(!found(note, Some("1986-05")), "{note}");
        }
        assert!(found("since 1986", Some("[1980, 1990)")) && !found("since 1986", Some("1986-Q2")));
        assert!(!found("May 1987", None) && !found("12/86", None));
    }

    #[test]
    fn values_are_dates_in_a_given_or_usual_format() {
        let date = NaiveDate::from_ymd_opt(1986, 5, 26);
        assert_eq!(parse("1986-05-26T00:00:00", None), date);
        assert_eq!(parse("26.05.1986", None), date);
        assert_eq!(parse("19860526", Some("%Y%m%d")), date);
        assert_eq!(parse("19860526", None), None);
    }
}
