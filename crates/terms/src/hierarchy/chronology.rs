//! The order of dates in a column without a hierarchy, so that cells can be from one date to another
//! instead of a list of dates.
//!
//! Every value has to be a date in the same notation: year, month and day in this order, or day,
//! month and year, or month, day and year, with the same separator (`-`, `/` or `.`); a time may
//! follow after a space or a `T`. With the year last, the first number is the day unless a value
//! shows that it is the month. Costs one pass over the text of every distinct value, and a sort.

/// A date as numbers: its three parts as written, and the digits of the time.
struct Parts {
    separator: u8,
    numbers: [u32; 3],
    year_first: bool,
    time: u64,
}

/// The values in order of time, equal times by text; none unless all are dates in one notation.
pub(super) fn by_date(values: Vec<&str>) -> Option<Vec<&str>> {
    let parts: Vec<Parts> = values.iter().map(|value| parts(value)).collect::<Option<_>>()?;
    let first = parts.first()?;
    let alike = |p: &Parts| (p.separator, p.year_first) == (first.separator, first.year_first);
    if !parts.iter().all(alike) {
        return None;
    }
    let fits = |day_first: bool| parts.iter().all(|p| p.date(day_first).is_some());
    let day_first = fits(true);
    if !day_first && !fits(false) {
        return None;
    }
    let key = |p: &Parts| (p.date(day_first), p.time);
    let mut order: Vec<(_, &str)> = parts.iter().map(key).zip(values).collect();
    order.sort_unstable();
    Some(order.into_iter().map(|(_, value)| value).collect())
}

impl Parts {
    /// Year, month and day; none where these are out of range.
    fn date(&self, day_first: bool) -> Option<[u32; 3]> {
        let [a, b, c] = self.numbers;
        let [year, month, day] = match (self.year_first, day_first) {
            (true, _) => [a, b, c],
            (false, true) => [c, b, a],
            (false, false) => [c, a, b],
        };
        ((1..=12).contains(&month) && (1..=31).contains(&day)).then_some([year, month, day])
    }
}

fn parts(text: &str) -> Option<Parts> {
    let text = text.trim();
    let (date, clock) = match text.split_once([' ', 'T']) {
        Some((date, clock)) => (date, Some(clock)),
        None => (text, None),
    };
    let separator = *date.as_bytes().iter().find(|byte| b"-/.".contains(byte))?;
    let mut fields = date.split(char::from(separator));
    let fields = [fields.next()?, fields.next()?, fields.next().filter(|_| fields.next().is_none())?];
    let digits = |field: &str| field.bytes().all(|byte| byte.is_ascii_digit());
    let lengths = fields.map(str::len);
    let year_first = lengths[0] == 4;
    let (year, others) = if year_first { (0, [1, 2]) } else { (2, [0, 1]) };
    let short = others.iter().all(|&at| (1..=2).contains(&lengths[at]));
    if lengths[year] != 4 || !short || !fields.iter().all(|field| digits(field)) {
        return None;
    }
    let mut numbers = [0; 3];
    for (number, field) in numbers.iter_mut().zip(fields) {
        *number = field.parse().ok()?;
    }
    Some(Parts { separator, numbers, year_first, time: clock.map_or(Some(0), time)? })
}

/// Hours, minutes, seconds and a fraction as one number that grows with the time; without a zone, or
/// with `Z`.
fn time(text: &str) -> Option<u64> {
    let text = text.strip_suffix('Z').unwrap_or(text);
    let (clock, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut fields = clock.split(':');
    let mut number = 0;
    for (most, needed) in [(23, true), (59, true), (60, false)] {
        let field = match fields.next() {
            Some(field) if field.len() == 2 => field.parse::<u64>().ok().filter(|&n| n <= most)?,
            None if !needed => 0,
            _ => return None,
        };
        number = number * 100 + field;
    }
    let digits = fraction.len() <= 9 && fraction.bytes().all(|byte| byte.is_ascii_digit());
    if fields.next().is_some() || !digits {
        return None;
    }
    let fraction: u64 = format!("{fraction:0<9}").parse().ok()?;
    Some(number * 1_000_000_000 + fraction)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn order(values: &[&'static str]) -> Option<Vec<&'static str>> {
        by_date(values.to_vec())
    }

    #[test]
    fn dates_of_one_notation_are_in_order_of_time() {
        let days = ["2020-01-31", "1999-12-01", "2020-01-04"];
        assert_eq!(order(&days).unwrap(), ["1999-12-01", "2020-01-04", "2020-01-31"]);
        let dots = ["31.01.2020", "1.12.1999", "04.01.2020"];
        assert_eq!(order(&dots).unwrap(), ["1.12.1999", "04.01.2020", "31.01.2020"]);
        let months_first = ["02/01/2020", "01/31/2020", "01/02/2020"];
        assert_eq!(order(&months_first).unwrap(), ["01/02/2020", "01/31/2020", "02/01/2020"]);
        let days_first = ["02/01/2020", "31/01/2020", "01/02/2020"];
        assert_eq!(order(&days_first).unwrap(), ["02/01/2020", "31/01/2020", "01/02/2020"]);
        let times = ["2020-01-31 14:05", "2020-01-31T09:59:59.5Z", "2020-01-30 23:00:00"];
        assert_eq!(order(&times).unwrap(), [times[2], times[1], times[0]]);
    }

    #[test]
    fn anything_else_has_no_order() {
        for values in [
            &["2020-01-31", "2020-13-01"][..],
            &["2020-01-31", "unknown"],
            &["2020-01-31", "31-01-2020"],
            &["2020-01-31", "2020/01/31"],
            &["13/13/2020"],
            &["2020-01"],
            &["02138"],
            &["1.5"],
            &["2020-01-31 25:00"],
            &["2020-01-31 12:00+02:00"],
            &["1-2-3-2020"],
            &["20-01-31"],
            &[""],
            &[],
        ] {
            assert_eq!(order(values), None, "{values:?}");
        }
    }

    proptest! {
        /// Written with fixed widths and the year first, the order of texts is that of dates.
        #[test]
        fn years_first_are_in_the_order_of_texts(
            dates in prop::collection::btree_set((1900..2100u32, 1..=12u32, 1..=28u32), 1..20)
        ) {
            let texts: Vec<String> = dates.iter().map(|(y, m, d)| format!("{y}-{m:02}-{d:02}")).collect();
            let mut given: Vec<&str> = texts.iter().map(String::as_str).collect();
            given.reverse();
            prop_assert_eq!(by_date(given).unwrap(), texts.iter().map(String::as_str).collect::<Vec<_>>());
            let back: Vec<String> = dates.iter().map(|(y, m, d)| format!("{d}.{m}.{y}")).collect();
            let mut given: Vec<&str> = back.iter().map(String::as_str).collect();
            given.sort_unstable();
            prop_assert_eq!(by_date(given).unwrap(), back.iter().map(String::as_str).collect::<Vec<_>>());
        }

        #[test]
        fn nothing_makes_it_panic(values in prop::collection::vec("[0-9T:./ -]{0,20}", 0..4)) {
            let _ = by_date(values.iter().map(String::as_str).collect());
        }
    }
}
