//! Calendar periods: 2020-03-14 → 2020-03 → 2020-Q1 → 2020 → [2020, 2025) → `*`.
//!
//! Every period except the week is a whole number of months counted from January of the year 0, so
//! a period nests in another if its length divides the other's. A week nests only in the top. Costs
//! one parse per distinct value. With `nested = false` periods only have to get longer [Sweeney
//! 2001, figure 27: windows of 2, 4, 6, 12 and 24 months]. Days before the year `low` have one label
//! at every level above 0.

use chrono::format::{Item, StrftimeItems};
use chrono::{Datelike, NaiveDate};

use super::build::{show, unfit, values};
use super::intervals::{UNNESTED, falls};
use super::{Assembly, Date, TOP};
use crate::error::{Error, Fault, Result, nearest};
use crate::fault;
use crate::table::Dictionary;

/// The longest window: no label then needs more than whole numbers.
const MOST_MONTHS: i64 = 12 * 10_000;

/// What levels are called; n is any number.
const NAMES: &str = "day, week, month, n-month, quarter, year and n-year (6-month, 10-year)";

/// A period of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Period {
    Day,
    Week,
    Month,
    Quarter,
    Year,
    /// A number of months, from 2.
    Months(i64),
    /// A number of years, from 2.
    Years(i64),
}

impl Period {
    fn parse(name: &str) -> Option<Period> {
        match name {
            "day" => Some(Period::Day),
            "week" => Some(Period::Week),
            "month" | "1-month" => Some(Period::Month),
            "quarter" => Some(Period::Quarter),
            "year" | "1-year" => Some(Period::Year),
            _ => {
                let (n, unit) = name.split_once('-')?;
                let n = n.parse::<i64>().ok().filter(|n| (2..=MOST_MONTHS).contains(n))?;
                match unit {
                    "month" => Some(Period::Months(n)),
                    "year" if n * 12 <= MOST_MONTHS => Some(Period::Years(n)),
                    _ => None,
                }
            }
        }
    }

    /// Its length, where that is a number of months.
    fn months(self) -> Option<i64> {
        match self {
            Period::Day | Period::Week => None,
            Period::Month => Some(1),
            Period::Quarter => Some(3),
            Period::Year => Some(12),
            Period::Months(n) => Some(n),
            Period::Years(n) => Some(12 * n),
        }
    }

    /// About how many days it has.
    fn days(self) -> i64 {
        match self {
            Period::Day => 1,
            Period::Week => 7,
            _ => 30 * self.months().unwrap_or(0),
        }
    }

    /// Whether two days in one period of this kind are always in one period of the other.
    fn nests_in(self, other: Period) -> bool {
        match (self.months(), other.months()) {
            (Some(short), Some(long)) => long % short == 0,
            _ => self == Period::Day || self == other,
        }
    }

    /// Appends the label of the period that a day lies in.
    fn write(self, date: NaiveDate, text: &mut String) {
        let year = i64::from(date.year());
        let month = 12 * year + i64::from(date.month0());
        let written = |month: i64| format!("{}-{:02}", month.div_euclid(12), month.rem_euclid(12) + 1);
        *text += &match self {
            Period::Day => date.format("%Y-%m-%d").to_string(),
            Period::Week => format!("{}-W{:02}", date.iso_week().year(), date.iso_week().week()),
            Period::Month => written(month),
            Period::Quarter => format!("{year}-Q{}", date.month0() / 3 + 1),
            Period::Year => year.to_string(),
            Period::Months(n) => {
                let first = month - month.rem_euclid(n);
                format!("[{}, {})", written(first), written(first + n))
            }
            Period::Years(n) => {
                let first = year - year.rem_euclid(n);
                format!("[{first}, {})", first + n)
            }
        };
    }
}

/// One level per period, then the top.
pub(super) fn assembly(spec: &Date, dictionary: &Dictionary) -> Result<Assembly> {
    let mut faults = Vec::new();
    let periods = periods(spec, &mut faults);
    let (mut dates, mut others) = (Vec::new(), Vec::new());
    match format(&spec.format) {
        Some(fault) => faults.push(fault),
        None => {
            for value in values(dictionary) {
                match parse(value, &spec.format) {
                    Some(date) => dates.push((value, date)),
                    None => others.push(value),
                }
            }
        }
    }
    let not_dates = unfit(
        &others,
        |value| {
            fault!(
                Data,
                "hierarchy.value-not-a-date",
                "`{value}` is not a date as `{format}`",
                value = value,
                format = spec.format
            )
        },
        |value, count, more| {
            fault!(
                Data,
                "hierarchy.value-not-a-date",
                "{count} values are not dates: `{value}` and {more} more as `{format}`",
                count = count,
                value = value,
                more = more,
                format = spec.format
            )
        },
    );
    faults.extend(not_dates.map(|fault| {
        fault.help("say with `format` how dates are written, or list it under input.null if it means missing")
    }));
    Error::check(faults)?;
    let mut assembly = Assembly::default();
    for (value, date) in dates {
        let early = spec.low.filter(|low| date.year() < *low);
        assembly.add_chain(value, periods.len() + 1, spec.nested, |level, label| {
            match (periods.get(level - 1), early) {
                (None, _) => label.push_str(TOP),
                (_, Some(low)) => *label += &format!("< {low}"),
                (Some(period), None) => period.write(date, label),
            }
        });
    }
    Ok(assembly)
}

/// The periods that are named, checked one against the next.
fn periods(spec: &Date, faults: &mut Vec<Fault>) -> Vec<Period> {
    if spec.levels.is_empty() {
        faults.push(
            fault!(Input, "hierarchy.periods-are-empty", "`levels` lists no period")
                .help(format!("choose among {NAMES}")),
        );
    }
    let mut known: Vec<(&str, Period)> = Vec::new();
    for name in &spec.levels {
        match Period::parse(name) {
            Some(period) => known.push((name, period)),
            None => faults.push(unknown(name)),
        }
    }
    for pair in known.windows(2) {
        let ((short, period), (long, above)) = (pair[0], pair[1]);
        if !spec.nested && above.days() < period.days() {
            faults.push(falls(&format!("period `{short}`"), &format!("period `{long}`")));
        }
        if spec.nested && !period.nests_in(above) {
            faults.push(
                fault!(
                    Input,
                    "hierarchy.periods-do-not-nest",
                    "not nested: `{short}` does not lie within one `{long}`",
                    short = short,
                    long = long
                )
                .help(if period == Period::Week {
                    format!(
                        "a week reaches over the end of a month and a year: make it the last level; {UNNESTED}"
                    )
                } else {
                    format!(
                        "list periods from the shortest, each dividing the next: month, quarter, year, 10-year; {UNNESTED}"
                    )
                }),
            );
        }
    }
    known.into_iter().map(|(_, period)| period).collect()
}

/// The levels that are left if each must hold the last one kept.
pub(super) fn nesting(levels: &[String]) -> Vec<&str> {
    let mut kept: Vec<(&str, Period)> = Vec::new();
    for (name, period) in levels.iter().filter_map(|name| Some((name, Period::parse(name)?))) {
        if kept.last().is_none_or(|(_, last)| last.nests_in(period)) {
            kept.push((name, period));
        }
    }
    kept.into_iter().map(|(name, _)| name).collect()
}

fn unknown(name: &str) -> Fault {
    let near = nearest(name, ["day", "week", "month", "quarter", "year"]);
    let near = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
    fault!(Input, "hierarchy.unknown-period", "`{period}` is not a period", period = show(name))
        .help(format!("{near}periods are {NAMES}"))
}

/// The error of a format: it must be valid and contain the day.
fn format(format: &str) -> Option<Fault> {
    let fault = if StrftimeItems::new(format).any(|item| item == Item::Error) {
        fault!(
            Input,
            "hierarchy.invalid-date-format",
            "`{format}` is not a format of dates",
            format = show(format)
        )
    } else if !has_the_day(format) {
        fault!(
            Input,
            "hierarchy.date-format-without-day",
            "the format `{format}` has no day",
            format = show(format)
        )
    } else {
        return None;
    };
    Some(fault.help("write for instance format = \"%d.%m.%Y\": %d is the day, %m the month, %Y the year"))
}

/// Whether a day that is written in this format can be read back.
fn has_the_day(format: &str) -> bool {
    use std::fmt::Write;
    let Some(day) = NaiveDate::from_ymd_opt(2021, 11, 23).and_then(|day| day.and_hms_opt(13, 14, 15)) else {
        return false;
    };
    let mut text = String::new();
    write!(text, "{}", day.and_utc().format(format)).is_ok()
        && NaiveDate::parse_from_str(&text, format) == Ok(day.date())
}

impl Date {
    /// The day of a value as it is written in the column, in days since 1970-01-01.
    pub fn day(&self, value: &str) -> Option<i64> {
        let date = parse(value, &self.format)?;
        Some(i64::from(date.num_days_from_ce()) - 719_163)
    }
}

/// The day of a value; an ISO date may be followed by a time of day.
fn parse(value: &str, format: &str) -> Option<NaiveDate> {
    let value = value.trim();
    let iso = format == "%Y-%m-%d" || format == "%F";
    let timed = |(_, time): &(&str, &str)| time.starts_with(|c: char| c.is_ascii_digit());
    let day = value.split_once(['T', 't', ' ']).filter(timed).map(|(day, _)| day).filter(|_| iso);
    let plain = if iso { plain_iso(day.unwrap_or(value)) } else { None };
    let by_format = |text| NaiveDate::parse_from_str(text, format).ok();
    plain.or_else(|| by_format(value)).or_else(|| by_format(day?))
}

/// The day of a date such as 2020-03-14, ten times as fast as by a format.
fn plain_iso(value: &str) -> Option<NaiveDate> {
    let bytes = <&[u8; 10]>::try_from(value.as_bytes()).ok()?;
    let digits = |from: usize, to: usize| {
        bytes[from..to]
            .iter()
            .try_fold(0, |number, byte| byte.is_ascii_digit().then(|| 10 * number + u32::from(byte - b'0')))
    };
    let (year, month, day) = (digits(0, 4)?, digits(5, 7)?, digits(8, 10)?);
    (bytes[4] == b'-' && bytes[7] == b'-').then_some(())?;
    NaiveDate::from_ymd_opt(year as i32, month, day)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// What is read without a format is what the format reads.
        #[test]
        fn plain_dates_are_read_as_by_their_format(value in "[0-9]{4}-[0-1][0-9]-[0-3][0-9]") {
            prop_assert_eq!(plain_iso(&value), NaiveDate::parse_from_str(&value, ISO).ok());
        }

        #[test]
        fn what_is_not_plain_is_left_to_the_format(value in "[0-9+-]{9,11}") {
            let read = plain_iso(&value);
            prop_assert!(read.is_none() || read == NaiveDate::parse_from_str(&value, ISO).ok());
        }
    }

    fn spec(levels: &[&str], format: &str) -> Date {
        let levels = levels.iter().map(|l| (*l).to_owned()).collect();
        Date { levels, format: format.into(), low: None, nested: true }
    }

    #[test]
    fn days_are_counted_from_1970() {
        let iso = spec(&["year"], "%Y-%m-%d");
        assert_eq!(iso.day("1970-01-01"), Some(0));
        assert_eq!(iso.day("2000-03-01 14:05"), Some(11_017));
        assert_eq!(spec(&["year"], "%d.%m.%Y").day("31.12.1969"), Some(-1));
        assert_eq!(iso.day("1970"), None);
    }

    fn date(levels: &[&str], format: &str, values: &[&str]) -> Result<Vec<String>> {
        let dictionary = Dictionary::of(values.iter().map(|v| Some(*v)));
        let assembly = assembly(&spec(levels, format), &dictionary)?;
        Ok(assembly.labels_of_leaves().into_iter().map(|labels| labels.join(" | ")).collect())
    }

    const ISO: &str = "%Y-%m-%d";

    #[test]
    fn every_period() {
        let levels = ["day", "month", "quarter", "6-month", "year", "5-year"];
        assert_eq!(
            date(&levels, ISO, &["2020-01-31", "2019-12-31"]).unwrap(),
            [
                "2020-01-31 | 2020-01 | 2020-Q1 | [2020-01, 2020-07) | 2020 | [2020, 2025) | *",
                "2019-12-31 | 2019-12 | 2019-Q4 | [2019-07, 2020-01) | 2019 | [2015, 2020) | *",
            ]
        );
    }

    #[test]
    fn iso_weeks_cross_years() {
        let weeks = date(&["day", "week"], ISO, &["2020-01-31", "2019-12-30", "2021-01-03"]).unwrap();
        assert_eq!(
            weeks,
            ["2020-01-31 | 2020-W05 | *", "2019-12-30 | 2020-W01 | *", "2021-01-03 | 2020-W53 | *"]
        );
    }

    #[test]
    fn days_before_the_first_year_are_one() {
        let spec = Date { low: Some(1937), ..spec(&["month", "year", "5-year"], ISO) };
        let labels = |day: &str| {
            assembly(&spec, &Dictionary::of([Some(day)])).unwrap().labels_of_leaves()[0].join(" | ")
        };
        assert_eq!(labels("1936-12-31"), "< 1937 | < 1937 | < 1937 | *");
        assert_eq!(labels("1890-01-01"), "< 1937 | < 1937 | < 1937 | *");
        assert_eq!(labels("1937-01-01"), "1937-01 | 1937 | [1935, 1940) | *");
    }

    #[test]
    fn windows_count_from_year_zero() {
        // 2020-01 is month 24240 = 4848 × 5 = 3462 × 7 + 6.
        assert_eq!(date(&["5-month"], ISO, &["2020-01-31"]).unwrap(), ["[2020-01, 2020-06) | *"]);
        assert_eq!(date(&["7-month"], ISO, &["2020-01-31"]).unwrap(), ["[2019-07, 2020-02) | *"]);
        assert_eq!(date(&["3-year"], ISO, &["-0001-06-01"]).unwrap(), ["[-3, 0) | *"]);
    }

    #[test]
    fn times_of_day() {
        let values = ["2020-01-31T10:00:00Z", "2020-01-31 23:59", "2020-01-31"];
        assert_eq!(date(&["day"], ISO, &values).unwrap(), ["2020-01-31 | *"; 3]);
        assert_eq!(date(&["month"], "%d.%m.%Y %H:%M", &["31.01.2020 10:00"]).unwrap(), ["2020-01 | *"]);
        assert!(date(&["day"], ISO, &["2020-01-31 noon"]).is_err());
        assert!(date(&["day"], "%d.%m.%Y", &["31.01.2020 10:00"]).is_err());
    }

    #[test]
    fn what_nests() {
        let nested = |levels: &[&str]| date(levels, ISO, &["2020-01-31"]).is_ok();
        for levels in [
            &["2-month", "6-month", "year"][..],
            &["3-month", "quarter", "12-month", "year", "2-year", "4-year"],
            &["18-month", "3-year"],
            &["day", "10-year"],
            &["day", "week"],
        ] {
            assert!(nested(levels), "{levels:?}");
        }
        for levels in [
            &["week", "month"][..],
            &["week", "year"],
            &["month", "week"],
            &["month", "day"],
            &["2-month", "quarter"],
            &["5-month", "year"],
            &["18-month", "2-year"],
            &["2-year", "5-year"],
            &["year", "quarter"],
        ] {
            let error = date(levels, ISO, &["2020-01-31"]).unwrap_err().to_string();
            assert!(error.contains(&format!("`{}` does not lie within one `{}`", levels[0], levels[1])));
        }
    }

    /// The windows of Sweeney's figure 27: 4 months reach over the end of 6.
    #[test]
    fn windows_that_do_not_nest() {
        let months = ["2-month", "4-month", "6-month", "12-month", "24-month"];
        let unnested = |levels: &[&str]| -> Result<String> {
            let spec = Date { nested: false, ..spec(levels, ISO) };
            let assembly = assembly(&spec, &Dictionary::of([Some("2021-06-30")]))?;
            Ok(assembly.labels_of_leaves()[0].join(" | "))
        };
        assert_eq!(
            unnested(&months).unwrap(),
            "[2021-05, 2021-07) | [2021-05, 2021-09) | [2021-01, 2021-07) | [2021-01, 2022-01) | [2020-01, 2022-01) | *"
        );
        assert_eq!(nesting(&months.map(String::from)), ["2-month", "4-month", "12-month", "24-month"]);
        assert!(unnested(&["week", "month", "year"]).is_ok());
        let error = unnested(&["year", "quarter"]).unwrap_err().to_string();
        assert!(error.contains("period `quarter` is above period `year`, and finer"), "{error}");
    }

    #[test]
    fn faults_are_collected() {
        let error = date(&["mnth", "0-year", "week", "year"], ISO, &["yesterday", "2020-02-30"]).unwrap_err();
        assert_eq!(error.faults().len(), 4, "{error}");
        let text = error.to_string();
        assert!(text.contains("did you mean `month`? periods are day, week"), "{text}");
        assert!(text.contains("2 values are not dates: `yesterday` and 1 more as `%Y-%m-%d`"), "{text}");
        assert!(date(&[], ISO, &["2020-01-31"]).is_err());
    }

    #[test]
    fn formats_are_checked() {
        let refused = |format: &str| date(&["year"], format, &[]).unwrap_err().to_string();
        assert!(refused("%Y-%m").contains("has no day"));
        assert!(refused("%").contains("is not a format"));
        assert!(refused("").contains("has no day"));
        for format in ["%d.%m.%Y", "%m/%d/%y", "%F", "%Y%m%d", "%d %B %Y", "%Y-%m-%dT%H:%M:%S%z", "%G-W%V-%u"]
        {
            assert!(date(&["year"], format, &[]).is_ok(), "{format}");
        }
    }
}
