//! Labels of dates as days: `2020-03`, `2020-Q1`, `2020`, `2020-W07`, `[2020, 2025)`,
//! `[2020-01, 2020-07)`, `< 1930`. Days count from 1970-01-01, in the Gregorian calendar
//! [Hinnant 2013]. Costs one pass over the text.

/// Days from 1970-01-01 to a date, YYYY-MM-DD.
pub(crate) fn day(text: &str) -> Option<f64> {
    let shape = text.len() == 10 && text.as_bytes()[4] == b'-' && text.as_bytes()[7] == b'-';
    if !shape {
        return None;
    }
    let (year, month, day) = (digits(text.get(..4)?)?, digits(text.get(5..7)?)?, digits(text.get(8..)?)?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    (1..=days).contains(&day).then(|| days_to(year, month, day) as f64)
}

fn digits(text: &str) -> Option<i64> {
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok())?
}

/// Days from 1970-01-01 to a day; the month may be beyond the year.
fn days_to(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = (year + (month - 1).div_euclid(12), (month - 1).rem_euclid(12) + 1);
    // Years start in March, so that the leap day is the last one.
    let year = year - i64::from(month <= 2);
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The date of a number of days since 1970-01-01.
pub fn date(days: f64) -> String {
    let days = days.floor() as i64 + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// The first and the last day of a period.
pub(crate) fn period(text: &str) -> Option<(f64, f64)> {
    if let Some(before) = text.strip_prefix("< ") {
        return Some((f64::NEG_INFINITY, start(before)? as f64 - 1.0));
    }
    if let Some(inner) = text.strip_prefix('[').and_then(|text| text.strip_suffix(')')) {
        let (from, to) = inner.split_once(", ")?;
        return Some((start(from)? as f64, start(to)? as f64 - 1.0)).filter(|(from, to)| from <= to);
    }
    if let Some(day) = day(text) {
        return Some((day, day));
    }
    let (year, rest) = match text.split_once('-') {
        Some((year, rest)) => (year, Some(rest)),
        None => (text, None),
    };
    let year = digits(year).filter(|_| !year.is_empty() && year.len() <= 5)?;
    let months = |first: i64, count: i64| {
        let (from, to) = (days_to(year, first, 1), days_to(year, first + count, 1) - 1);
        Some((from as f64, to as f64))
    };
    match rest {
        None => months(1, 12),
        Some(rest) if rest.starts_with('Q') => {
            let quarter = digits(&rest[1..]).filter(|quarter| (1..=4).contains(quarter))?;
            months(3 * quarter - 2, 3)
        }
        Some(rest) if rest.starts_with('W') => {
            let week = digits(&rest[1..]).filter(|week| (1..=53).contains(week))?;
            // Week 1 is that of January 4th; day 0 is a Thursday.
            let fourth = days_to(year, 1, 4);
            let monday = fourth - (fourth + 3).rem_euclid(7) + 7 * (week - 1);
            Some((monday as f64, monday as f64 + 6.0))
        }
        Some(rest) => months(digits(rest).filter(|month| (1..=12).contains(month))?, 1),
    }
}

/// The first day of a year or of a month.
fn start(text: &str) -> Option<i64> {
    period(text).filter(|_| !text.starts_with(['[', '<'])).map(|(from, _)| from as i64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn periods_have_their_days() {
        let dates = |text: &str| period(text).map(|(from, to)| (date(from), date(to))).unwrap();
        let days = |from: &str, to: &str| (from.to_owned(), to.to_owned());
        assert_eq!(dates("2020"), days("2020-01-01", "2020-12-31"));
        assert_eq!(dates("2020-02"), days("2020-02-01", "2020-02-29"));
        assert_eq!(dates("2019-Q4"), days("2019-10-01", "2019-12-31"));
        assert_eq!(dates("2020-W01"), days("2019-12-30", "2020-01-05"));
        assert_eq!(dates("[2020, 2025)"), days("2020-01-01", "2024-12-31"));
        assert_eq!(dates("[2020-07, 2021-01)"), days("2020-07-01", "2020-12-31"));
        assert_eq!(period("< 1970").unwrap().1, -1.0);
        assert_eq!(period("1970-01-02"), Some((1.0, 1.0)));
        for text in ["", "-", "2020-13", "2020-Q5", "2020-W54", "[2025, 2020)", "spring", "[[2020, 2021), 3)"]
        {
            assert_eq!(period(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn dates_are_read_back(days in -700_000i32..1_000_000) {
            let text = date(f64::from(days));
            if text.len() == 10 {
                prop_assert_eq!(day(&text), Some(f64::from(days)));
            }
        }

        #[test]
        fn nothing_makes_it_panic(text in "\\PC{0,14}") {
            let _ = (period(&text), day(&text));
        }
    }
}
