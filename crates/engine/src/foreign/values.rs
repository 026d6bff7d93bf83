//! Numbers, days and times of foreign formats as text.

use chrono::{Duration, NaiveDate, NaiveDateTime, NaiveTime};

/// Above this, not every whole number is a floating-point number.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A number with 15 significant digits, which is what spreadsheets show: 0.1 + 0.2 is 0.3. Whole
/// numbers have no point.
pub(super) fn number(x: f64) -> String {
    if x.trunc() == x && x.abs() <= EXACT {
        return format!("{}", x as i64);
    }
    let rounded = format!("{x:.14e}").parse().unwrap_or(x);
    plain(rounded)
}

/// A single-precision number in its shortest form.
pub(super) fn single(x: f32) -> String {
    if x.trunc() == x && f64::from(x).abs() <= EXACT {
        return format!("{}", x as i64);
    }
    // The shortest text of the single is the shortest of the double that it names.
    x.to_string().parse().map_or_else(|_| x.to_string(), plain)
}

fn plain(x: f64) -> String {
    if (1e-7..1e15).contains(&x.abs()) { format!("{x}") } else { format!("{x:e}") }
}

/// A day, counted from another.
pub(super) fn day(epoch: NaiveDate, days: i64) -> Option<String> {
    let day = epoch.checked_add_signed(Duration::try_days(days)?)?;
    Some(day.format("%Y-%m-%d").to_string())
}

/// A moment, counted in milliseconds from a day.
pub(super) fn moment(epoch: NaiveDate, milliseconds: f64) -> Option<String> {
    if !milliseconds.is_finite() || milliseconds.abs() > 1e15 {
        return None;
    }
    let start = NaiveDateTime::new(epoch, NaiveTime::MIN);
    let moment = start.checked_add_signed(Duration::try_milliseconds(milliseconds.round() as i64)?)?;
    Some(moment.format("%Y-%m-%dT%H:%M:%S%.f").to_string())
}

/// A time of day or a duration, in seconds.
pub(super) fn time(seconds: f64) -> String {
    let sign = if seconds < 0.0 { "-" } else { "" };
    let whole = seconds.abs().round() as u64;
    format!("{sign}{:02}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_no_noise() {
        for (x, text) in [
            (0.1 + 0.2, "0.3"),
            (3.0, "3"),
            (-0.0, "0"),
            (1234567890123456.0, "1234567890123456"),
            (2.5, "2.5"),
            (1.0 / 3.0, "0.333333333333333"),
            (1e300, "1e300"),
            (1e-9, "1e-9"),
        ] {
            assert_eq!(number(x), text);
        }
        assert_eq!(single(0.1), "0.1");
        assert_eq!(single(7.0), "7");
    }

    #[test]
    fn days_and_times_are_iso() {
        let epoch = NaiveDate::from_ymd_opt(1960, 1, 1).unwrap();
        assert_eq!(day(epoch, 366).unwrap(), "1961-01-01");
        assert_eq!(day(epoch, i64::MAX), None);
        assert_eq!(moment(epoch, 86_400_000.0 + 500.0).unwrap(), "1960-01-02T00:00:00.500");
        assert_eq!(moment(epoch, f64::NAN), None);
        assert_eq!(time(3_661.0), "01:01:01");
        assert_eq!(time(90_000.0), "25:00:00");
    }
}
