//! Dates: reduced to month and year, to the year, or moved by a number of days with their format.

use std::cell::RefCell;

use chrono::{Datelike, NaiveDate, TimeDelta};

use crate::detect::{parse_date, three_numbers};
use crate::document::Document;
use crate::settings::DateRule;
use crate::token::{Flags, Token};

const ENGLISH: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Names of months by language; the English one is first.
const MONTHS: [[&str; 12]; 6] = [
    ENGLISH,
    [
        "Januar",
        "Februar",
        "März",
        "April",
        "Mai",
        "Juni",
        "Juli",
        "August",
        "September",
        "Oktober",
        "November",
        "Dezember",
    ],
    [
        "janvier",
        "février",
        "mars",
        "avril",
        "mai",
        "juin",
        "juillet",
        "août",
        "septembre",
        "octobre",
        "novembre",
        "décembre",
    ],
    [
        "enero",
        "febrero",
        "marzo",
        "abril",
        "mayo",
        "junio",
        "julio",
        "agosto",
        "septiembre",
        "octubre",
        "noviembre",
        "diciembre",
    ],
    [
        "gennaio",
        "febbraio",
        "marzo",
        "aprile",
        "maggio",
        "giugno",
        "luglio",
        "agosto",
        "settembre",
        "ottobre",
        "novembre",
        "dicembre",
    ],
    [
        "januari",
        "februari",
        "maart",
        "april",
        "mei",
        "juni",
        "juli",
        "augustus",
        "september",
        "oktober",
        "november",
        "december",
    ],
];

const WEEKDAYS: [[&str; 7]; 3] = [
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
    ["Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"],
    ["lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"],
];

/// What a date becomes by a rule; none if nothing can be kept of it.
pub fn date(text: &str, rule: DateRule, days: i32, day_first: bool) -> Option<String> {
    if matches!(rule, DateRule::MonthYear | DateRule::Year)
        && let Some(made) = from_numbers(text, rule, day_first).or_else(|| from_month(text, rule))
    {
        return Some(made);
    }
    whole(text, rule, days, day_first)
}

/// The same for a date of three numbers, without its tokens. None for any other date.
fn from_numbers(text: &str, rule: DateRule, day_first: bool) -> Option<String> {
    let (month, year_at, year, ambiguous) = three_numbers(text)?;
    if rule == DateRule::Year {
        return Some(year.to_string());
    }
    // Day and month are the first two numbers if they could be the other way round.
    let month = if ambiguous && day_first { 1 - month } else { month };
    let is_separator = |sign: &u8| !sign.is_ascii_digit();
    let separator = text.as_bytes().iter().position(is_separator)?;
    let sign = &text[separator..separator + 1];
    let mut numbers = text.split(|sign: char| !sign.is_ascii_digit());
    let numbers = [numbers.next()?, numbers.next()?, numbers.next()?];
    let [first, second] = if year_at < month { [year_at, month] } else { [month, year_at] };
    let (first, second) = (numbers.get(first)?, numbers.get(second)?);
    let mut made = String::with_capacity(first.len() + 1 + second.len());
    [first, sign, second].into_iter().for_each(|part| made.push_str(part));
    Some(made)
}

/// The same for "February 2, 1994" and "2 February 1994", without its tokens. None for any other
/// date.
fn from_month(text: &str, rule: DateRule) -> Option<String> {
    let (rest, year) = text.rsplit_once(' ')?;
    let (first, second) = rest.split_once(' ')?;
    let american = second.strip_suffix(',');
    let (month, day) = american.map_or((second, first), |day| (first, day));
    let digits = |number: &str| number.bytes().all(|sign| sign.is_ascii_digit());
    let dated = matches!(day.len(), 1 | 2) && digits(day) && matches!(day.parse(), Ok(1..=31));
    let valid = year.len() == 4 && digits(year) && matches!(year.parse(), Ok(1850..=2150));
    if !dated || !valid || !ENGLISH.contains(&month) {
        return None;
    }
    let separator = if american.is_some() { ", " } else { " " };
    Some(if rule == DateRule::Year { year.to_owned() } else { [month, separator, year].concat() })
}

/// The same for any date, by its tokens.
fn whole(text: &str, rule: DateRule, days: i32, day_first: bool) -> Option<String> {
    let document = Document::read_tokens(text, SCRATCH.take());
    let made = made(&document, text, rule, days, day_first);
    SCRATCH.set(document.forget());
    made
}

thread_local! {
    /// Memory that is used again for the next date.
    static SCRATCH: RefCell<Document<'static>> = RefCell::default();
}

fn made(document: &Document<'_>, text: &str, rule: DateRule, days: i32, day_first: bool) -> Option<String> {
    let Some(mut written) = parse_date(document) else { return compact(text, rule) };
    if written.ambiguous && day_first {
        (written.day, written.month) = (written.month, written.day);
    }
    let year = written.year.map(|(at, _)| document.word(at).to_owned());
    match rule {
        DateRule::Year => written.year.map(|(_, year)| year.to_string()),
        DateRule::MonthYear => match (written.month, year) {
            (None, year) => year,
            (Some((at, number)), None) => Some(month_alone(document, at, number)),
            (Some((at, number)), Some(year)) => {
                Some(month_year(document, at, number, written.year.map_or(0, |(at, _)| at), &year))
            }
        },
        DateRule::Shift { .. } | DateRule::ShiftWithin { .. } => shifted(document, &written, days),
    }
}

/// A month without a year, by name.
fn month_alone(document: &Document<'_>, at: usize, number: u32) -> String {
    match document.tokens[at].is_word() {
        true => document.word(at).to_owned(),
        false => ENGLISH.get(number.wrapping_sub(1) as usize).copied().unwrap_or("*").to_owned(),
    }
}

/// Month and year in the order and with the separator of the original.
fn month_year(document: &Document<'_>, month: usize, number: u32, year_at: usize, year: &str) -> String {
    let _ = number;
    let name = document.word(month);
    if document.tokens[month].is_word() {
        let comma = document.tokens.iter().any(|token| token.is_sign(b','));
        let glued =
            document.tokens.get(month + 1).is_some_and(|next| next.is_sign(b'-') && !next.has(Flags::SPACE));
        let separator = if glued {
            "-"
        } else if comma {
            ", "
        } else {
            " "
        };
        return [name, separator, year].concat();
    }
    let sign =
        document.tokens.iter().find(|token| !token.is_word() && !token.is_number() && !token.is_sign(b','));
    let sign = sign.map_or("/", |sign| document.slice(sign.start..sign.end));
    if year_at < month { [year, sign, name].concat() } else { [name, sign, year].concat() }
}

/// Eight digits without separators; others cannot be reduced.
fn compact(text: &str, rule: DateRule) -> Option<String> {
    let digits = text.len() == 8 && text.bytes().all(|sign| sign.is_ascii_digit());
    let year = |part: &str| part.parse::<u32>().is_ok_and(|year| (1850..2150).contains(&year));
    match (digits, rule) {
        (true, DateRule::MonthYear) if year(&text[..4]) => Some(text[..6].to_owned()),
        (true, DateRule::Year) if year(&text[..4]) => Some(text[..4].to_owned()),
        (true, DateRule::MonthYear | DateRule::Year) if year(&text[4..]) => Some(text[4..].to_owned()),
        _ => None,
    }
}

/// A date moved by days, every part in its place and format.
fn shifted(document: &Document<'_>, written: &crate::detect::WrittenDate, days: i32) -> Option<String> {
    let (month_at, month) = written.month?;
    // A date without a year moves within a year that has no leap day.
    let year = written.year.map_or(2001, |(_, year)| year);
    let day = written.day.map_or(15, |(_, day)| day);
    let date = NaiveDate::from_ymd_opt(year, month, day)?.checked_add_signed(TimeDelta::days(days.into()))?;
    let known =
        [Some(month_at), written.day.map(|(at, _)| at), written.year.map(|(at, _)| at), written.weekday];
    let numbers = document
        .tokens
        .iter()
        .enumerate()
        .filter(|(at, token)| token.is_number() && !known.contains(&Some(*at)));
    if numbers.count() > 0 {
        return None;
    }
    let mut made = String::new();
    let mut end = document.tokens.first()?.start;
    for (at, token) in document.tokens.iter().enumerate() {
        made.push_str(document.slice(end..token.start));
        end = token.end;
        let text = document.slice(token.start..token.end);
        match Some(at) {
            place if place == known[0] => made.push_str(&month_like(text, token, date.month(), month)),
            place if place == known[1] => made.push_str(&number_like(text, date.day())),
            place if place == known[2] => made.push_str(&year_like(text, date.year())),
            place if place == known[3] => {
                made.push_str(&weekday_like(text, token, date, written.year.is_some(), days)?)
            }
            _ if at > 0 && Some(at - 1) == known[1] && token.is_word() && !token.has(Flags::SPACE) => {
                made.push_str(ordinal(date.day()))
            }
            _ => made.push_str(text),
        }
    }
    Some(made)
}

fn number_like(text: &str, number: u32) -> String {
    if text.len() == 2 { format!("{number:02}") } else { number.to_string() }
}

fn year_like(text: &str, year: i32) -> String {
    if text.len() == 2 { format!("{:02}", year.rem_euclid(100)) } else { year.to_string() }
}

fn ordinal(day: u32) -> &'static str {
    match day {
        1 | 21 | 31 => "st",
        2 | 22 => "nd",
        3 | 23 => "rd",
        _ => "th",
    }
}

/// A month in the language, length and case of the original.
fn month_like(text: &str, token: &Token, month: u32, was: u32) -> String {
    if !token.is_word() {
        return number_like(text, month);
    }
    let lower = text.to_lowercase();
    let starts = |names: &&[&str; 12]| {
        names.get(was as usize - 1).is_some_and(|name| name.to_lowercase().starts_with(&lower))
    };
    let exact =
        |names: &&[&str; 12]| names.get(was as usize - 1).is_some_and(|name| name.to_lowercase() == lower);
    let names = MONTHS.iter().find(exact).or_else(|| MONTHS.iter().find(starts)).unwrap_or(&ENGLISH);
    let whole = names[month as usize - 1];
    let short = lower.chars().count() < names[was as usize - 1].chars().count();
    let cut: String =
        whole.chars().take(if short { lower.chars().count().max(3) } else { usize::MAX }).collect();
    recased(&cut, text)
}

fn weekday_like(text: &str, token: &Token, date: NaiveDate, dated: bool, days: i32) -> Option<String> {
    let was = u32::from(token.cue.value).checked_sub(1)?;
    let now =
        if dated { date.weekday().num_days_from_monday() } else { (was as i32 + days).rem_euclid(7) as u32 };
    let lower = text.to_lowercase();
    let starts = |names: &&[&str; 7]| names[was as usize % 7].to_lowercase().starts_with(&lower);
    let names = WEEKDAYS.iter().find(starts).unwrap_or(&WEEKDAYS[0]);
    let short = lower.chars().count() < names[was as usize % 7].chars().count();
    let cut: String = names[now as usize % 7].chars().take(if short { 3 } else { usize::MAX }).collect();
    Some(recased(&cut, text))
}

/// Writes a word in small letters, capitals or with a capital, as the original is.
fn recased(word: &str, original: &str) -> String {
    let upper = original.chars().filter(|sign| sign.is_alphabetic()).all(char::is_uppercase);
    let capital = original.chars().next().is_some_and(char::is_uppercase);
    match () {
        _ if upper => word.to_uppercase(),
        _ if capital => {
            word.chars().take(1).flat_map(char::to_uppercase).chain(word.chars().skip(1)).collect()
        }
        _ => word.to_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// A date of three numbers becomes what its tokens say.
        #[test]
        fn numbers_are_read_as_tokens_are(
            text in "([0-9]{1,5}[/.-]){2}([0-9]{1,5})?|[0-3]?[0-9][/.-][0-3]?[0-9][/.-]((19|20)?[0-9]{2}|[0-9]{3})|(19|20)[0-9]{2}[/.-][01]?[0-9][/.-][0-3]?[0-9]",
            day_first: bool,
        ) {
            for rule in [DateRule::MonthYear, DateRule::Year] {
                let made = from_numbers(&text, rule, day_first);
                prop_assert!(made.is_none() || made == whole(&text, rule, 0, day_first), "{} {:?}", text, made);
            }
        }
    }

    proptest! {
        /// A date with the name of a month becomes what its tokens say.
        #[test]
        fn months_are_read_as_tokens_are(
            month in prop::sample::select(ENGLISH.as_slice()),
            day in "[0-3]?[0-9]",
            year in "(18|19|20|21)[0-9]{2}|[0-9]{2,5}",
        ) {
            let forms = [format!("{month} {day}, {year}"), format!("{day} {month} {year}"),
                format!("{month} {day} {year}"), format!("{day} {month}, {year}")];
            for text in forms {
                for rule in [DateRule::MonthYear, DateRule::Year] {
                    let made = from_month(&text, rule);
                    prop_assert!(made.is_none() || made == whole(&text, rule, 0, false), "{} {:?}", text, made);
                }
            }
        }
    }

    #[test]
    fn usual_dates_need_no_tokens() {
        for text in ["February 2, 1994", "31 May 2024"] {
            assert!(from_month(text, DateRule::MonthYear).is_some(), "{text}");
        }
        for text in ["05/26/86", "26.05.1986", "1986-05-26", "3/4/2024"] {
            assert!(from_numbers(text, DateRule::MonthYear, false).is_some(), "{text}");
        }
    }

    #[test]
    fn months_and_years_are_kept() {
        let cases = [
            ("Wednesday, February 2, 1994", Some("February, 1994")),
            ("05/26/86", Some("05/86")),
            ("26.05.1986", Some("05.1986")),
            ("1986-05-26", Some("1986-05")),
            ("2 February 1994", Some("February 1994")),
            ("06-Jun-2024", Some("Jun-2024")),
            ("14th March 2023", Some("March 2023")),
            ("21st of November", Some("November")),
            ("5/26", Some("May")),
            ("19860526", Some("198605")),
            ("three days before Christmas", None),
            ("Christmas 2019", Some("2019")),
            ("summer of 1993", Some("1993")),
        ];
        for (text, made) in cases {
            assert_eq!(date(text, DateRule::MonthYear, 0, false).as_deref(), made, "{text}");
        }
        assert_eq!(date("05/26/86", DateRule::Year, 0, false).as_deref(), Some("1986"));
        assert_eq!(date("03/04/2024", DateRule::MonthYear, 0, true).as_deref(), Some("04/2024"));
    }

    #[test]
    fn moved_dates_keep_their_format() {
        let cases = [
            ("Wednesday, February 2, 1994", 30, Some("Friday, March 4, 1994")),
            ("05/26/86", 10, Some("06/05/86")),
            ("1986-12-26", 10, Some("1987-01-05")),
            ("2. Februar 1994", 30, Some("4. März 1994")),
            ("08 AUG 24", -10, Some("29 JUL 24")),
            ("14th March 2023", 9, Some("23rd March 2023")),
            ("June 1993", 30, Some("July 1993")),
            ("3-5 May 2024", 1, None),
            ("Easter", 1, None),
        ];
        for (text, days, made) in cases {
            assert_eq!(date(text, DateRule::Shift { days }, days, false).as_deref(), made, "{text}");
        }
    }

    /// The time between two dates of a document stays as it is.
    #[test]
    fn intervals_are_preserved() {
        let parse = |text: &str| NaiveDate::parse_from_str(text, "%Y-%m-%d").unwrap();
        for days in [-400, -31, 1, 59, 366] {
            let moved = ["2020-02-27", "2020-03-01"]
                .map(|text| parse(&date(text, DateRule::Shift { days }, days, false).unwrap()));
            assert_eq!((moved[1] - moved[0]).num_days(), 3);
        }
    }
}
