//! The known date formats, and their parser.
//!
//! chrono parses them, as it does when the hierarchy is built, so a format that fits here fits
//! there. Years before 1800 and after 2200 are not accepted: chrono reads `1/2/20` as the year 20.

use chrono::{Datelike, NaiveDate};

/// One way of writing a date.
pub(super) struct Format {
    /// As strftime writes it.
    pub pattern: &'static str,
    /// What stands between the first two parts; 0: nothing, and every byte is a letter or digit.
    separator: u8,
    /// Whether a time of day follows.
    pub timed: bool,
}

const fn format(pattern: &'static str, separator: u8, timed: bool) -> Format {
    Format { pattern, separator, timed }
}

/// All of them; of two that fit the same column the first is taken.
pub(super) const FORMATS: [Format; 20] = [
    format("%Y-%m-%d", b'-', false),
    format("%d/%m/%Y", b'/', false),
    format("%m/%d/%Y", b'/', false),
    format("%d.%m.%Y", b'.', false),
    format("%Y%m%d", 0, false),
    format("%Y/%m/%d", b'/', false),
    format("%d-%m-%Y", b'-', false),
    format("%m-%d-%Y", b'-', false),
    format("%d-%b-%Y", b'-', false),
    format("%d%b%Y", 0, false),
    format("%Y-%m-%d %H:%M:%S", b'-', true),
    format("%Y-%m-%dT%H:%M:%S", b'-', true),
    format("%Y-%m-%d %H:%M", b'-', true),
    format("%Y-%m-%dT%H:%M:%SZ", b'-', true),
    format("%Y-%m-%d %H:%M:%S%.f", b'-', true),
    format("%Y-%m-%dT%H:%M:%S%.f", b'-', true),
    format("%Y-%m-%dT%H:%M:%S%.fZ", b'-', true),
    format("%d/%m/%Y %H:%M", b'/', true),
    format("%m/%d/%Y %H:%M", b'/', true),
    format("%d.%m.%Y %H:%M", b'.', true),
];

/// Pairs of formats that differ only in which of day and month comes first.
pub(super) const TWINS: [(usize, usize); 3] = [(1, 2), (6, 7), (17, 18)];

/// The day that a value is in one format.
pub(super) fn read(value: &str, format: usize) -> Option<NaiveDate> {
    let Format { pattern, separator, timed } = FORMATS[format];
    let bytes = value.as_bytes();
    let fits = match separator {
        0 => matches!(bytes.len(), 8 | 9) && bytes.iter().all(u8::is_ascii_alphanumeric),
        _ => {
            (8..=32).contains(&bytes.len()) && bytes[1..5].contains(&separator) && (bytes.len() > 11) == timed
        }
    };
    if !fits || !bytes[0].is_ascii_digit() {
        return None;
    }
    let date =
        padded(bytes, pattern.as_bytes()).or_else(|| NaiveDate::parse_from_str(value, pattern).ok())?;
    (1800..=2200).contains(&date.year()).then_some(date)
}

/// Parses zero-padded dates, which most are: ten times as fast as chrono, and a subset of what
/// chrono accepts. `None` means that chrono must decide.
fn padded(mut value: &[u8], mut pattern: &[u8]) -> Option<NaiveDate> {
    let (mut year, mut month, mut day) = (0, 0, 0);
    while let Some((&letter, rest)) = pattern.split_first() {
        pattern = rest;
        if letter != b'%' {
            value = value.strip_prefix(&[letter])?;
            continue;
        }
        let (&field, rest) = pattern.split_first()?;
        pattern = rest;
        match field {
            b'Y' => year = digits(&mut value, 4)? as i32,
            b'm' => month = digits(&mut value, 2)?,
            b'd' => day = digits(&mut value, 2)?,
            b'H' => digits(&mut value, 2).filter(|h| *h < 24).map(drop)?,
            b'M' | b'S' => digits(&mut value, 2).filter(|m| *m < 60).map(drop)?,
            b'.' => {
                pattern = pattern.strip_prefix(b"f")?;
                value = fraction(value);
            }
            _ => return None,
        }
    }
    if value.is_empty() { NaiveDate::from_ymd_opt(year, month, day) } else { None }
}

/// What follows a point with up to nine digits, if one stands in front.
fn fraction(value: &[u8]) -> &[u8] {
    let digits = value.iter().skip(1).take(9).take_while(|b| b.is_ascii_digit()).count();
    if value.first() == Some(&b'.') && digits > 0 { &value[digits + 1..] } else { value }
}

/// Takes `count` digits from the front.
fn digits(value: &mut &[u8], count: usize) -> Option<u32> {
    let (front, rest) = value.split_at_checked(count)?;
    *value = rest;
    front.iter().try_fold(0, |n, b| b.is_ascii_digit().then(|| n * 10 + u32::from(b - b'0')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitting(value: &str) -> Vec<&'static str> {
        (0..FORMATS.len()).filter(|&f| read(value, f).is_some()).map(|f| FORMATS[f].pattern).collect()
    }

    #[test]
    fn each_way_of_writing_is_read() {
        for (value, pattern) in [
            ("2021-03-31", "%Y-%m-%d"),
            ("31/03/2021", "%d/%m/%Y"),
            ("3/31/2021", "%m/%d/%Y"),
            ("31.3.2021", "%d.%m.%Y"),
            ("20210331", "%Y%m%d"),
            ("2021/03/31", "%Y/%m/%d"),
            ("31-03-2021", "%d-%m-%Y"),
            ("03-31-2021", "%m-%d-%Y"),
            ("31-Mar-2021", "%d-%b-%Y"),
            ("31MAR2021", "%d%b%Y"),
            ("2021-03-31T23:59:59Z", "%Y-%m-%dT%H:%M:%SZ"),
            ("31/03/2021 23:59", "%d/%m/%Y %H:%M"),
        ] {
            assert_eq!(fitting(value)[0], pattern, "{value}");
            assert_eq!(NaiveDate::from_ymd_opt(2021, 3, 31), read(value, index(pattern)));
        }
    }

    fn index(pattern: &str) -> usize {
        FORMATS.iter().position(|f| f.pattern == pattern).unwrap()
    }

    #[test]
    fn some_values_fit_two_ways() {
        assert_eq!(fitting("01/02/2021"), ["%d/%m/%Y", "%m/%d/%Y"]);
        assert_eq!(fitting("2021-03-31 10:00:00"), ["%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M:%S%.f"]);
    }

    #[test]
    fn what_is_no_date_is_none() {
        for value in
            ["", "2021", "2021-02-30", "1/2/20", "20211301", "12345678901234", "ab", "99-99", "31/31/2021"]
        {
            assert_eq!(fitting(value), [""; 0], "{value}");
        }
    }

    #[test]
    fn the_quick_way_agrees_with_chrono() {
        let values = [
            "2021-03-31",
            "31/03/2021",
            "31.03.2021",
            "20210331",
            "2021-03-31 23:59:59",
            "2021-03-31T23:59",
            "2021-03-31T23:59:59.123Z",
            "2021-03-31T23:59:59.123456789",
            "2021-03-31 23:59:59.",
        ];
        for value in values {
            for format in &FORMATS {
                if let Some(date) = padded(value.as_bytes(), format.pattern.as_bytes()) {
                    assert_eq!(NaiveDate::parse_from_str(value, format.pattern), Ok(date), "{value}");
                }
            }
        }
        let day = NaiveDate::from_ymd_opt(2021, 3, 31);
        assert_eq!(padded(b"2021-03-31 23:59:59.5", b"%Y-%m-%d %H:%M:%S%.f"), day);
        assert_eq!(padded(b"2021-03-31 23:59:59", b"%Y-%m-%d %H:%M:%S%.f"), day);
        assert_eq!(padded(b"2021-02-30", b"%Y-%m-%d"), None);
        assert_eq!(padded(b"2021-03-31 24:00", b"%Y-%m-%d %H:%M"), None);
        assert_eq!(padded(b"2021-03-31x", b"%Y-%m-%d"), None);
    }

    #[test]
    fn twins_are_twins() {
        for (day_first, month_first) in TWINS {
            assert!(FORMATS[day_first].pattern.starts_with("%d"));
            assert!(FORMATS[month_first].pattern.starts_with("%m"));
        }
    }
}
