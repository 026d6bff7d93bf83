//! Dates as people write them.

use chrono::{Datelike, Days, NaiveDate, Weekday};

use super::chance::Chance;

const MONTHS: [&str; 12] = [
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

/// How a letter writes its dates: the order of day and month, and the preferred layout.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    /// Whether the day comes before the month.
    pub day_first: bool,
    /// The layout that most dates of the letter have.
    layout: usize,
}

impl Style {
    /// A style for a letter.
    pub fn new(day_first: bool, chance: &mut Chance) -> Self {
        Style { day_first, layout: chance.below(LAYOUTS) }
    }
}

const LAYOUTS: usize = 12;

/// A date up to this many days before another.
pub(super) fn before(date: NaiveDate, days: u64, chance: &mut Chance) -> NaiveDate {
    date.checked_sub_days(Days::new(chance.below(days as usize + 1) as u64)).unwrap_or(date)
}

/// The name of a date's month.
pub(super) fn month(date: NaiveDate) -> &'static str {
    MONTHS[date.month0() as usize]
}

/// The name of a date's weekday.
pub(super) fn weekday(date: NaiveDate) -> &'static str {
    match date.weekday() {
        Weekday::Mon => "Monday",
        Weekday::Tue => "Tuesday",
        Weekday::Wed => "Wednesday",
        Weekday::Thu => "Thursday",
        Weekday::Fri => "Friday",
        Weekday::Sat => "Saturday",
        Weekday::Sun => "Sunday",
    }
}

fn ordinal(day: u32) -> &'static str {
    match (day % 10, day / 10) {
        (_, 1) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    }
}

/// A whole date; one in five is in another layout than the rest of the letter.
pub(super) fn whole(date: NaiveDate, style: Style, chance: &mut Chance) -> String {
    let layout = if chance.permille(200) { chance.below(LAYOUTS) } else { style.layout };
    let (day, number, year) = (date.day(), date.month(), date.year());
    let (name, short) = (month(date), &month(date)[..3]);
    let (one, two) = if style.day_first { (day, number) } else { (number, day) };
    match layout {
        0 | 1 if style.day_first => format!("{day} {name} {year}"),
        0 | 1 => format!("{name} {day}, {year}"),
        2 if style.day_first => format!("{day}{} {name} {year}", ordinal(day)),
        2 => format!("{short} {day}, {year}"),
        3 | 4 => format!("{one:02}/{two:02}/{year}"),
        5 => format!("{one}/{two}/{:02}", year % 100),
        6 => format!("{year}-{number:02}-{day:02}"),
        7 => format!("{day:02}-{short}-{year}"),
        8 if style.day_first => format!("{day:02}.{number:02}.{year}"),
        8 => format!("{one}-{two}-{:02}", year % 100),
        9 => format!("{day:02} {} {year}", short.to_uppercase()),
        10 => format!("{short}. {day}, {year}"),
        _ => format!("{one}/{two}/{year}"),
    }
}

/// A date without its year.
pub(super) fn day(date: NaiveDate, style: Style, chance: &mut Chance) -> String {
    let (day, number, name) = (date.day(), date.month(), month(date));
    match chance.below(7) {
        0 if style.day_first => format!("{day}/{number}"),
        0 => format!("{number}/{day}"),
        1 => format!("{day} {name}"),
        2 => format!("{name} {day}{}", ordinal(day)),
        3 => format!("{}{} of {name}", day, ordinal(day)),
        4 => format!("{} {day}", &name[..3]),
        5 if style.day_first => format!("{day}.{number}."),
        _ => format!("{name} {day}"),
    }
}

/// A date as figures without its year.
pub(super) fn short(date: NaiveDate, style: Style) -> String {
    let (one, two) = if style.day_first { (date.day(), date.month()) } else { (date.month(), date.day()) };
    format!("{one}/{two}")
}

/// A day relative to a holiday.
pub(super) fn holiday(chance: &mut Chance) -> String {
    let feast = chance.pick(&[
        "Christmas",
        "Thanksgiving",
        "Easter",
        "New Year's Eve",
        "Labor Day",
        "Memorial Day",
        "Christmas Eve",
        "Boxing Day",
        "Halloween",
        "Good Friday",
        "Independence Day",
    ]);
    match chance.below(4) {
        0 => format!("{} days before {feast}", chance.pick(&["two", "three", "four", "3", "5"])),
        1 => format!("the day after {feast}"),
        2 => format!("{} after {feast}", chance.pick(&["a week", "two weeks", "10 days"])),
        _ => feast.to_owned(),
    }
}

/// The age at a date in years.
pub(super) fn age(birth: NaiveDate, date: NaiveDate) -> u32 {
    date.years_since(birth).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_hold_day_month_and_year() {
        let date = NaiveDate::from_ymd_opt(2023, 3, 21).unwrap();
        let chance = &mut Chance::new(1, 1);
        for layout in 0..LAYOUTS {
            for day_first in [false, true] {
                let text = whole(date, Style { day_first, layout }, chance);
                assert!(text.contains("21") && text.contains("23"), "{text}");
                assert!(text.contains('3') || text.contains("Mar") || text.contains("MAR"), "{text}");
            }
        }
        assert_eq!(short(date, Style { day_first: true, layout: 0 }), "21/3");
        assert_eq!((ordinal(11), ordinal(21), ordinal(3), ordinal(30)), ("th", "st", "rd", "th"));
    }
}
