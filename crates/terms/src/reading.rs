//! How the cells of a column are written where that is not plain: numbers with a decimal comma,
//! thousands separators or a unit, dates with month names or two-digit years, day numbers of
//! spreadsheets, times of day, texts whose case varies.
//!
//! A [`Reading`] is what a policy states under `input.cells`; a [`CellReader`] rewrites cells:
//! numbers with a point and nothing else, dates as 2021-03-31 or 2021-03-31T23:59:00, times as
//! 23:59 or 23:59:00. A cell that is not written as stated has no reading and is refused, never
//! passed on. Linear in the length of a cell.

use chrono::{Datelike, Days, NaiveDate};
use serde::{Deserialize, Serialize};

use crate::error::Fault;
use crate::fault;

/// How the cells of a column are written; exactly one key is given.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    /// As numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<NumberStyle>,
    /// As days, with a time or without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<DateStyle>,
    /// As times of day, by strftime.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// As texts whose case or outer spaces mean nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<TextStyle>,
}

/// How texts become alike. All remove spaces at both ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TextStyle {
    /// The case stays.
    Trimmed,
    /// In small letters.
    Lower,
    /// In capitals.
    Upper,
}

impl TextStyle {
    fn read(self, text: &str) -> String {
        let text = text.trim();
        match self {
            TextStyle::Trimmed => text.to_owned(),
            TextStyle::Lower => text.to_lowercase(),
            TextStyle::Upper => text.to_uppercase(),
        }
    }
}

/// The format of days that are numbers: spreadsheets count them from 1899-12-30.
pub const SERIAL: &str = "serial";

/// The day of a number of a spreadsheet. Before March 1900 spreadsheets count a day that never was.
fn serial_day(text: &str) -> Option<NaiveDate> {
    let text = text.trim();
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let plain = whole.len() <= 6 && whole.bytes().all(|b| b.is_ascii_digit());
    if !plain || fraction.bytes().any(|b| b != b'0') {
        return None;
    }
    let number = whole.parse().ok().filter(|number| *number > 60)?;
    let day = NaiveDate::from_ymd_opt(1899, 12, 30)?.checked_add_days(Days::new(number))?;
    (day.year() <= 2200).then_some(day)
}

/// How numbers are written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NumberStyle {
    /// Before the fraction.
    #[serde(default = "point", skip_serializing_if = "is_point")]
    pub decimal: char,
    /// Between groups of three digits. A space stands for every kind of space, `'` also for `’`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thousands: Option<char>,
    /// A text before or after the number, which is removed: `€`, `%`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
}

/// How days are written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DateStyle {
    /// By strftime; `%b` is a month name in English or German, short or in full. [`SERIAL`] for day
    /// numbers.
    pub format: String,
    /// The first of the hundred years that a two-digit year stands for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_year: Option<i32>,
}

fn point() -> char {
    '.'
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_point(c: &char) -> bool {
    *c == '.'
}

impl Reading {
    /// Of numbers.
    pub fn number(style: NumberStyle) -> Self {
        Reading { number: Some(style), ..Reading::default() }
    }

    /// Of days.
    pub fn date(style: DateStyle) -> Self {
        Reading { date: Some(style), ..Reading::default() }
    }

    /// Of times of day.
    pub fn time(format: impl Into<String>) -> Self {
        Reading { time: Some(format.into()), ..Reading::default() }
    }

    /// What it is, as results call it.
    pub fn describe(&self) -> String {
        let number = self.number.as_ref().map(|style| {
            let thousands = style.thousands.map(|c| format!(", thousands `{c}`")).unwrap_or_default();
            let unit = style.unit.as_ref().map(|unit| format!(", unit `{unit}`")).unwrap_or_default();
            format!("numbers with decimal `{}`{thousands}{unit}", style.decimal)
        });
        let date = self.date.as_ref().map(|style| {
            let years = style.from_year.map(|year| format!(", years from {year} to {}", year + 99));
            match style.format.as_str() {
                SERIAL => "day numbers of a spreadsheet, counted from 1899-12-30".to_owned(),
                format => format!("dates as {format}{}", years.unwrap_or_default()),
            }
        });
        let time = self.time.as_ref().map(|format| format!("times as {format}"));
        let text = self.text.map(|style| {
            let case = match style {
                TextStyle::Trimmed => "",
                TextStyle::Lower => " and in small letters",
                TextStyle::Upper => " and in capitals",
            };
            format!("texts without outer spaces{case}")
        });
        number.or(date).or(time).or(text).unwrap_or_default()
    }

    /// Makes it ready to read cells.
    ///
    /// # Errors
    /// Not one key, a separator that cannot be one, and a format without day, month and year or with
    /// a field that is not known.
    #[expect(clippy::result_large_err, reason = "a fault is boxed by the caller, once per policy")]
    pub fn reader(&self) -> Result<CellReader, Fault> {
        match self {
            Reading { number: Some(style), date: None, time: None, text: None } => {
                style.check()?;
                Ok(CellReader(Kind::Number(style.clone())))
            }
            Reading { number: None, date: Some(style), time: None, text: None } => style.reader(),
            Reading { number: None, date: None, time: Some(format), text: None } => time_reader(format),
            Reading { number: None, date: None, time: None, text: Some(style) } => {
                Ok(CellReader(Kind::Text(*style)))
            }
            _ => Err(fault!(
                Input,
                "policy.not-one-reading",
                "cells are written as numbers, dates, times or texts: give one of the four"
            )
            .help("write one of number, date, time and text")),
        }
    }
}

impl DateStyle {
    #[expect(clippy::result_large_err, reason = "a fault is boxed by the caller, once per policy")]
    fn reader(&self) -> Result<CellReader, Fault> {
        if self.format == SERIAL {
            return Ok(CellReader(Kind::Serial));
        }
        let parts = parts(&self.format)?;
        let has = |part: &[Part]| part.iter().any(|part| parts.contains(part));
        let dated =
            has(&[Part::Day]) && has(&[Part::Month, Part::MonthName]) && has(&[Part::Year, Part::ShortYear]);
        if !dated {
            return Err(bad_format(&self.format, "lacks a day, a month or a year")
                .help("write for instance \"%d.%m.%Y\" or \"%d %b %Y\"; \"serial\" for day numbers of a spreadsheet"));
        }
        if has(&[Part::ShortYear]) && self.from_year.is_none() {
            return Err(bad_format(&self.format, "has years of two digits")
                .help("set from_year, for instance 1930 for years from 1930 to 2029"));
        }
        Ok(CellReader(Kind::Date { parts, from_year: self.from_year.unwrap_or(0) }))
    }
}

#[expect(clippy::result_large_err, reason = "a fault is boxed by the caller, once per policy")]
fn time_reader(format: &str) -> Result<CellReader, Fault> {
    let parts = parts(format)?;
    let timed =
        |part: &Part| matches!(part, Part::Hour | Part::Hour12 | Part::Minute | Part::Second | Part::Half);
    let only = parts.iter().all(|part| timed(part) || matches!(part, Part::Literal(_)));
    if !only || !parts.iter().any(|part| matches!(part, Part::Hour | Part::Hour12)) {
        return Err(
            bad_format(format, "is not a time of day").help("write for instance \"%H:%M\" or \"%I:%M %p\"")
        );
    }
    Ok(CellReader(Kind::Time { parts }))
}

impl NumberStyle {
    #[expect(clippy::result_large_err, reason = "a fault is boxed by the caller, once per policy")]
    fn check(&self) -> Result<(), Fault> {
        let wrong = if !matches!(self.decimal, '.' | ',') {
            "the decimal sign must be \".\" or \",\""
        } else if self.thousands == Some(self.decimal) {
            "decimal sign and thousands separator are the same"
        } else if self.thousands.is_some_and(|c| !matches!(c, '.' | ',' | ' ' | '\'' | '_')) {
            "the thousands separator must be \".\", \",\", \" \", \"'\" or \"_\""
        } else if self.unit.as_ref().is_some_and(|unit| unit.trim().is_empty() || unit.contains(is_digit)) {
            "a unit is a text without digits"
        } else {
            return Ok(());
        };
        Err(fault!(Input, "policy.bad-number-style", "{reason}", reason = wrong)
            .help("write for instance { decimal = \",\", thousands = \".\", unit = \"€\" }"))
    }

    /// The number with a point and nothing else.
    fn read(&self, text: &str) -> Option<String> {
        let (negative, text) = signed(text.trim());
        let text = match &self.unit {
            None => text,
            Some(unit) => {
                let unit = unit.trim();
                let rest = text.strip_prefix(unit).or_else(|| text.strip_suffix(unit)).unwrap_or(text);
                rest.trim()
            }
        };
        // The sign may stand between unit and number.
        let (inner, text) = signed(text);
        if negative.is_some() && inner.is_some() {
            return None;
        }
        let negative = negative.or(inner).unwrap_or(false);
        let (mantissa, exponent) = match text.find(['e', 'E']) {
            Some(at) if self.thousands.is_none() => (&text[..at], Some(exponent(&text[at + 1..])?)),
            _ => (text, None),
        };
        let (whole, fraction) = match mantissa.split_once(self.decimal) {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (mantissa, None),
        };
        let whole = self.whole(whole, fraction.is_some())?;
        if fraction.is_some_and(|f| !f.bytes().all(|b| b.is_ascii_digit()))
            || whole.is_empty() && fraction.is_none_or(str::is_empty)
        {
            return None;
        }
        let mut number = String::with_capacity(text.len() + 1);
        number.extend(negative.then_some('-'));
        number += if whole.is_empty() { "0" } else { &whole };
        if let Some(fraction) = fraction.filter(|fraction| !fraction.is_empty()) {
            number.push('.');
            number += fraction;
        }
        if let Some(exponent) = exponent {
            number.push('e');
            number += exponent;
        }
        Some(number)
    }

    /// The digits before the fraction; groups between separators have three.
    fn whole(&self, text: &str, fraction: bool) -> Option<String> {
        let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
        let separates = |c: char| match self.thousands {
            Some(' ') => c.is_whitespace(),
            Some('\'') => matches!(c, '\'' | '’'),
            other => other == Some(c),
        };
        let mut groups = text.split(separates);
        let first = groups.next()?;
        if !digits(first) || first.is_empty() && !(fraction && text.is_empty()) {
            return None;
        }
        let mut whole = first.to_owned();
        let mut rest = groups.peekable();
        if rest.peek().is_some() && first.len() > 3 {
            return None;
        }
        for group in rest {
            if group.len() != 3 || !digits(group) {
                return None;
            }
            whole += group;
        }
        Some(whole)
    }
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}

/// A sign before a number, and what follows it. Typeset minus signs are signs, too.
fn signed(text: &str) -> (Option<bool>, &str) {
    for (sign, negative) in [("-", true), ("−", true), ("+", false)] {
        if let Some(rest) = text.strip_prefix(sign) {
            return (Some(negative), rest.trim_start());
        }
    }
    (None, text)
}

fn exponent(text: &str) -> Option<&str> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    (!digits.is_empty() && digits.len() <= 3 && digits.bytes().all(|b| b.is_ascii_digit())).then_some(text)
}

/// One part of a date format.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Literal(char),
    Day,
    Month,
    MonthName,
    Year,
    ShortYear,
    Hour,
    Hour12,
    Minute,
    Second,
    Half,
}

fn bad_format(format: &str, reason: &str) -> Fault {
    fault!(
        Input,
        "policy.bad-cell-format",
        "the format `{format}` {reason}",
        format = format,
        reason = reason
    )
}

#[expect(clippy::result_large_err, reason = "a fault is boxed by the caller, once per policy")]
fn parts(format: &str) -> Result<Vec<Part>, Fault> {
    let mut parts = Vec::new();
    let mut letters = format.chars();
    while let Some(letter) = letters.next() {
        if letter != '%' {
            parts.push(Part::Literal(letter));
            continue;
        }
        parts.push(match letters.next() {
            Some('d') => Part::Day,
            Some('m') => Part::Month,
            Some('b' | 'B') => Part::MonthName,
            Some('Y') => Part::Year,
            Some('y') => Part::ShortYear,
            Some('H') => Part::Hour,
            Some('I') => Part::Hour12,
            Some('M') => Part::Minute,
            Some('S') => Part::Second,
            Some('p') => Part::Half,
            Some('%') => Part::Literal('%'),
            _ => {
                return Err(bad_format(format, "has a field that is not known")
                    .help("known are %d, %m, %b, %Y, %y, %H, %I, %M, %S and %p"));
            }
        });
    }
    Ok(parts)
}

/// Month names in English and German, in the order of the year, from which the start of a name is
/// enough.
const MONTHS: [&[&str]; 12] = [
    &["january", "januar", "jänner"],
    &["february", "februar", "feber"],
    &["march", "märz", "maerz", "mrz"],
    &["april"],
    &["may", "mai"],
    &["june", "juni"],
    &["july", "juli"],
    &["august"],
    &["september"],
    &["october", "oktober"],
    &["november"],
    &["december", "dezember"],
];

/// The month that a name of three letters or more begins.
fn month(name: &str) -> Option<u32> {
    let name = name.to_lowercase();
    let begins = |full: &&str| full.starts_with(name.as_str());
    (name.chars().count() >= 3)
        .then(|| MONTHS.iter().position(|names| names.iter().any(&begins)))?
        .map(|at| at as u32 + 1)
}

/// The parts of a moment that a text has.
#[derive(Default)]
struct Moment {
    day: u32,
    month: u32,
    year: i32,
    hour: u32,
    minute: u32,
    second: Option<u32>,
    timed: bool,
    afternoon: Option<bool>,
}

/// Takes `most` digits at most and `least` at least from the front.
fn number(text: &mut &str, least: usize, most: usize) -> Option<u32> {
    let len = text.bytes().take(most).take_while(u8::is_ascii_digit).count();
    let (digits, rest) = text.split_at_checked(len).filter(|_| len >= least)?;
    *text = rest;
    digits.parse().ok()
}

fn moment(parts: &[Part], mut text: &str, from_year: i32) -> Option<Moment> {
    let mut found = Moment::default();
    for part in parts {
        match part {
            Part::Literal(c) if c.is_whitespace() => {
                let rest = text.trim_start();
                (rest.len() < text.len()).then_some(())?;
                text = rest;
            }
            Part::Literal(c) => text = text.strip_prefix(*c)?,
            Part::Day => found.day = number(&mut text, 1, 2)?,
            Part::Month => found.month = number(&mut text, 1, 2)?,
            Part::MonthName => {
                let len = text.find(|c: char| !c.is_alphabetic()).unwrap_or(text.len());
                found.month = month(&text[..len])?;
                text = text[len..].strip_prefix('.').unwrap_or(&text[len..]);
            }
            Part::Year => found.year = number(&mut text, 4, 4)? as i32,
            Part::ShortYear => {
                let short = number(&mut text, 2, 2)? as i32;
                found.year = from_year + (short - from_year).rem_euclid(100);
            }
            Part::Hour => (found.hour, found.timed) = (number(&mut text, 1, 2)?, true),
            Part::Hour12 => {
                let hour = number(&mut text, 1, 2).filter(|hour| (1..=12).contains(hour))?;
                (found.hour, found.timed) = (hour % 12, true);
            }
            Part::Minute => found.minute = number(&mut text, 2, 2)?,
            Part::Second => found.second = Some(number(&mut text, 2, 2)?),
            Part::Half => {
                let half = text.get(..2)?;
                found.afternoon = Some(match half.to_ascii_lowercase().as_str() {
                    "am" => false,
                    "pm" => true,
                    _ => return None,
                });
                text = &text[2..];
            }
        }
    }
    if found.afternoon == Some(true) {
        found.hour += 12;
    }
    let whole = text.is_empty()
        && found.hour < 24
        && found.minute < 60
        && found.second.is_none_or(|second| second < 60);
    whole.then_some(found)
}

/// Reads the cells of a column.
#[derive(Debug, Clone)]
pub struct CellReader(Kind);

#[derive(Debug, Clone)]
enum Kind {
    Number(NumberStyle),
    Date { parts: Vec<Part>, from_year: i32 },
    Time { parts: Vec<Part> },
    Serial,
    Text(TextStyle),
}

impl CellReader {
    /// A cell as everything after sees it; none where it is not written as stated.
    pub fn read(&self, text: &str) -> Option<String> {
        match &self.0 {
            Kind::Number(style) => style.read(text),
            Kind::Serial => serial_day(text).map(|day| day.to_string()),
            Kind::Text(style) => Some(style.read(text)),
            Kind::Date { parts, from_year } => {
                let found = moment(parts, text.trim(), *from_year)?;
                let day = NaiveDate::from_ymd_opt(found.year, found.month, found.day)?;
                (1800..=2200).contains(&day.year()).then_some(())?;
                Some(match found.timed {
                    false => day.to_string(),
                    true => format!(
                        "{day}T{:02}:{:02}:{:02}",
                        found.hour,
                        found.minute,
                        found.second.unwrap_or(0)
                    ),
                })
            }
            Kind::Time { parts } => {
                let found = moment(parts, text.trim(), 0)?;
                let minutes = format!("{:02}:{:02}", found.hour, found.minute);
                Some(match found.second {
                    None => minutes,
                    Some(second) => format!("{minutes}:{second:02}"),
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(decimal: char, thousands: Option<char>, unit: Option<&str>) -> CellReader {
        let unit = unit.map(String::from);
        Reading::number(NumberStyle { decimal, thousands, unit }).reader().unwrap()
    }

    fn date(format: &str, from_year: Option<i32>) -> CellReader {
        Reading::date(DateStyle { format: format.into(), from_year }).reader().unwrap()
    }

    #[test]
    fn numbers_lose_separators_and_units() {
        let german = number(',', Some('.'), Some("€"));
        for (text, plain) in [
            ("1.234,56 €", Some("1234.56")),
            ("€ 7", Some("7")),
            ("-1.000.000,5", Some("-1000000.5")),
            ("− 3,00 €", Some("-3.00")),
            ("€-3", Some("-3")),
            (",5", Some("0.5")),
            ("12,", Some("12")),
            ("1234,5", Some("1234.5")),
            ("1.23,5", None),
            ("1234.567", None),
            ("12.34", None),
            ("", None),
            ("€", None),
            ("--1", None),
            ("1 €€", None),
            ("$ 1", None),
            ("1e5", None),
        ] {
            assert_eq!(german.read(text).as_deref(), plain, "{text}");
        }
        let swiss = number('.', Some('\''), None);
        assert_eq!(swiss.read("12'345.60").as_deref(), Some("12345.60"));
        assert_eq!(swiss.read("12’345").as_deref(), Some("12345"));
        let spaces = number(',', Some(' '), Some("%"));
        assert_eq!(spaces.read("1\u{202f}234\u{a0}567,8 %").as_deref(), Some("1234567.8"));
        assert_eq!(number(',', None, None).read("1,5e-3").as_deref(), Some("1.5e-3"));
        assert_eq!(number(',', None, None).read("1,5e").as_deref(), None);
    }

    #[test]
    fn dates_become_iso() {
        for (format, from, text, iso) in [
            ("%d-%b-%y", Some(1930), "17-Mar-84", Some("1984-03-17")),
            ("%d-%b-%y", Some(1930), "17-Mar-29", Some("2029-03-17")),
            ("%d-%b-%y", Some(1930), "17-Mar-30", Some("1930-03-17")),
            ("%d. %b %Y", None, "3. März 1984", Some("1984-03-03")),
            ("%d. %b %Y", None, "3. Dez. 1984", Some("1984-12-03")),
            ("%b %d, %Y", None, "September 9, 2001", Some("2001-09-09")),
            ("%d %b %Y", None, "31 Feb 2001", None),
            ("%d %b %Y", None, "31 Ma 2001", None),
            ("%d/%m/%Y %H:%M", None, "1/2/2020 23:05", Some("2020-02-01T23:05:00")),
            ("%m/%d/%Y %I:%M %p", None, "1/2/2020 12:05 am", Some("2020-01-02T00:05:00")),
            ("%m/%d/%Y %I:%M %p", None, "1/2/2020 12:05 PM", Some("2020-01-02T12:05:00")),
            ("%d/%m/%Y", None, "1/2/2020 x", None),
            ("%d/%m/%Y", None, "1/2/20", None),
        ] {
            assert_eq!(date(format, from).read(text).as_deref(), iso, "{format} {text}");
        }
    }

    #[test]
    fn times_are_padded() {
        let read = |format: &str, text: &str| Reading::time(format).reader().unwrap().read(text);
        assert_eq!(read("%H:%M", "9:05").as_deref(), Some("09:05"));
        assert_eq!(read("%H:%M:%S", "23:59:59").as_deref(), Some("23:59:59"));
        assert_eq!(read("%I:%M %p", "9:05 pm").as_deref(), Some("21:05"));
        assert_eq!(read("%H:%M", "24:00"), None);
        assert_eq!(read("%H:%M", "9:5"), None);
    }

    #[test]
    fn day_numbers_of_spreadsheets_are_dates() {
        let serial = date(SERIAL, None);
        for (text, iso) in [
            ("44562", Some("2022-01-01")),
            (" 44562.0 ", Some("2022-01-01")),
            ("61", Some("1900-03-01")),
            ("60", None),
            ("44562.5", None),
            ("-5", None),
            ("4e4", None),
            ("200000", None),
            ("", None),
        ] {
            assert_eq!(serial.read(text).as_deref(), iso, "{text}");
        }
    }

    #[test]
    fn texts_become_alike() {
        let read = |text, cell: &str| {
            let reading = Reading { text: Some(text), ..Reading::default() };
            reading.reader().unwrap().read(cell).unwrap()
        };
        assert_eq!(read(TextStyle::Trimmed, " Male "), "Male");
        assert_eq!(read(TextStyle::Lower, "MÄNNLICH "), "männlich");
        assert_eq!(read(TextStyle::Upper, "m"), "M");
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        let refused = |reading: Reading| reading.reader().unwrap_err().code;
        let style = |decimal, thousands| Reading::number(NumberStyle { decimal, thousands, unit: None });
        assert_eq!(refused(style(',', Some(','))), "policy.bad-number-style");
        assert_eq!(refused(style(';', None)), "policy.bad-number-style");
        for (format, from_year) in [("%d.%m", None), ("%d.%m.%y", None), ("%d.%m.%Q", Some(1930))] {
            let reading = Reading::date(DateStyle { format: format.into(), from_year });
            assert_eq!(refused(reading), "policy.bad-cell-format", "{format}");
        }
        assert_eq!(refused(Reading::time("%d")), "policy.bad-cell-format");
        assert_eq!(refused(Reading::default()), "policy.not-one-reading");
        let both = Reading { text: Some(TextStyle::Lower), ..Reading::time("%H:%M") };
        assert_eq!(refused(both), "policy.not-one-reading");
    }
}
