//! Cuts the values of a column down to the bars that a page can show, without showing a rare one.
//!
//! Costs a sort of the distinct values.

use std::collections::BTreeMap;

use super::facts::Bar;
use super::text;

/// Labels without a number that may stand among numbers: a word for missing, and `*`.
const STRANGERS: usize = 2;

/// At most `limit` bars, and one each for what was cut off and for what is too rare to show.
///
/// Values that start with a number (numbers, intervals, dates, masked codes) keep their order, and
/// many distinct numbers or dates are counted in about `limit` ranges of equal width. Other values
/// stand most frequent first. Values and ranges with fewer than `floor` rows are pooled, so that a
/// report never shows a value that could point to a person.
pub fn bars<S: Into<String>>(
    values: impl IntoIterator<Item = (S, u64)>,
    limit: usize,
    floor: u64,
) -> Vec<Bar> {
    let mut counts = BTreeMap::<String, u64>::new();
    for (label, count) in values {
        *counts.entry(label.into()).or_default() += count;
    }
    let entries = counts.into_iter().filter(|(_, count)| *count > 0);
    let mut entries: Vec<Entry> = entries.map(|(label, rows)| Entry::new(label, rows)).collect();
    let ordered = is_ordered(&entries);
    if ordered && entries.len() > limit {
        entries = ranges(entries, limit);
    }
    cut(entries, limit, floor, ordered)
}

/// A value, or a range of them, on its way to a bar.
struct Entry {
    label: String,
    rows: u64,
    /// Distinct values in it.
    values: u64,
    /// The numbers of the label, when it starts with one.
    key: Option<Vec<f64>>,
}

impl Entry {
    fn new(label: String, rows: u64) -> Self {
        let key = key(&label);
        Entry { label, rows, values: 1, key }
    }

    /// The label as one quantity: a number that is not a code such as `02138`, or the year of an
    /// ISO date.
    fn quantity(&self) -> Option<f64> {
        let text = self.label.trim();
        let digits = text.trim_start_matches(['-', '+']).as_bytes();
        let code = digits.len() > 1 && digits[0] == b'0' && digits[1].is_ascii_digit();
        let date = digits.len() >= 7 && digits[..4].iter().all(u8::is_ascii_digit) && digits[4] == b'-';
        match text.parse::<f64>() {
            Ok(number) if !code && number.is_finite() => Some(number),
            _ if date => text[..4].parse().ok(),
            _ => None,
        }
    }
}

/// Whether the labels have an order of their own: all but a few start with a number.
fn is_ordered(entries: &[Entry]) -> bool {
    let strangers = entries.iter().filter(|e| e.key.is_none()).count();
    strangers <= STRANGERS && strangers < entries.len().div_ceil(2)
}

/// What to sort a label by that starts with a number, perhaps after a bracket or a comparison.
fn key(label: &str) -> Option<Vec<f64>> {
    let start = label.trim_start_matches([' ', '[', '(', ']', '{', '<', '>', '≤', '≥', '=', '~']);
    let signed = start.strip_prefix(['-', '−', '+']).unwrap_or(start);
    if !signed.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let mut numbers = numbers(label);
    // "<18" and "18–24" share their number; what is below it comes first.
    let below = label.trim_start().starts_with(['<', '≤']);
    numbers.insert(1, if below { 0.0 } else { 1.0 });
    Some(numbers)
}

/// All numbers in a text; a minus counts only where it cannot be a dash.
fn numbers(text: &str) -> Vec<f64> {
    let chars: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let mut i = 0;
    while i < chars.len() {
        if !chars[i].is_ascii_digit() {
            i += 1;
            continue;
        }
        let start = i;
        let inside = |j: usize| {
            let point = chars[j] == '.' && chars.get(j + 1).is_some_and(char::is_ascii_digit);
            chars[j].is_ascii_digit() || point
        };
        while i < chars.len() && inside(i) {
            i += 1;
        }
        let digits: String = chars[start..i].iter().collect();
        let minus = start > 0 && matches!(chars[start - 1], '-' | '−');
        let dash = start > 1 && chars[start - 2].is_alphanumeric();
        // Two points ("01.02.2003") make no number; its parts would say nothing about the order.
        let size = digits.parse::<f64>().unwrap_or(0.0);
        found.push(if minus && !dash { -size } else { size });
    }
    found
}

/// Counts quantities in at most `limit` ranges of equal, round width; leaves the rest, and tables
/// of other labels, as they are.
fn ranges(entries: Vec<Entry>, limit: usize) -> Vec<Entry> {
    let quantities: Vec<Option<f64>> = entries.iter().map(Entry::quantity).collect();
    let strange = entries.iter().zip(&quantities).any(|(e, q)| q.is_none() && e.key.is_some());
    let known = || quantities.iter().flatten().copied();
    let (low, high) = known().fold((f64::MAX, f64::MIN), |(l, h), q| (l.min(q), h.max(q)));
    if strange || !(high - low).is_finite() || low > high || limit == 0 {
        return entries;
    }
    let whole = known().all(|q| q.fract() == 0.0);
    let width = round_width(low, high, limit, whole);
    let mut rest = Vec::new();
    let mut bins = BTreeMap::<i64, Entry>::new();
    for (entry, quantity) in entries.into_iter().zip(&quantities) {
        let Some(quantity) = quantity else {
            rest.push(entry);
            continue;
        };
        let bin = (quantity / width).floor();
        let bin = bins.entry(bin as i64).or_insert_with(|| {
            let low = bin * width;
            Entry { label: range_label(low, width, whole), rows: 0, values: 0, key: Some(vec![low]) }
        });
        bin.rows += entry.rows;
        bin.values += 1;
    }
    bins.into_values().chain(rest).collect()
}

/// The least of 1, 2, 5, 10, 20, 50 … that needs no more than `limit` ranges from `low` to `high`.
fn round_width(low: f64, high: f64, limit: usize, whole: bool) -> f64 {
    let least = ((high - low) / limit as f64).max(f64::MIN_POSITIVE);
    let mut decade = 10_f64.powi(least.log10().floor() as i32);
    if whole {
        decade = decade.max(1.0);
    }
    // Two decades always suffice; the round edges cost at most one range more than the bare width.
    let widths = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0].map(|step| step * decade);
    let fits = |width: &f64| (high / width).floor() - (low / width).floor() < limit as f64;
    widths.into_iter().find(fits).unwrap_or(100.0 * decade)
}

fn range_label(low: f64, width: f64, whole: bool) -> String {
    // Years and other small whole numbers read better without separators.
    let show = |x: f64| match whole {
        true if x.abs() < 10_000.0 => format!("{x:.0}"),
        true => text::decimal(x),
        false => {
            let digits = (-width.log10().floor()).clamp(0.0, 9.0) as usize;
            format!("{x:.digits$}")
        }
    };
    let high = if whole { low + width - 1.0 } else { low + width };
    if whole && width == 1.0 {
        show(low)
    } else if low < 0.0 {
        format!("{} to {}", show(low), show(high))
    } else {
        format!("{}–{}", show(low), show(high))
    }
}

/// Pools what is rare, then what is beyond the limit, and puts the rest in order.
fn cut(entries: Vec<Entry>, limit: usize, floor: u64, ordered: bool) -> Vec<Bar> {
    let (rare, mut kept): (Vec<_>, Vec<_>) = entries.into_iter().partition(|e| e.rows < floor);
    kept.sort_by(|a, b| b.rows.cmp(&a.rows).then_with(|| a.label.cmp(&b.label)));
    let others = kept.split_off(limit.min(kept.len()));
    if ordered {
        // Labels without a number go last.
        kept.sort_by(|a, b| match (&a.key, &b.key) {
            (Some(a), Some(b)) => a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal),
            (a, b) => b.is_some().cmp(&a.is_some()),
        });
    }
    let bars = kept.into_iter().map(|e| Bar { label: e.label, count: e.rows, pooled: false });
    bars.chain(pool("others", &others)).chain(pool("rare", &rare)).collect()
}

fn pool(name: &str, entries: &[Entry]) -> Option<Bar> {
    let values: u64 = entries.iter().map(|e| e.values).sum();
    let count = entries.iter().map(|e| e.rows).sum();
    let noun = if values == 1 { "value" } else { "values" };
    let label = format!("{name} ({} {noun})", text::integer(values));
    (values > 0).then_some(Bar { label, count, pooled: true })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(bars: &[Bar]) -> Vec<(&str, u64)> {
        bars.iter().map(|b| (b.label.as_str(), b.count)).collect()
    }

    #[test]
    fn names_stand_most_frequent_first_and_rare_ones_are_pooled() {
        let values =
            [("red", 7), ("blue", 9), ("green", 2), ("grey", 4), ("red", 1), ("black", 5), ("none", 0)];
        let found = bars(values, 2, 5);
        assert_eq!(shown(&found), [("blue", 9), ("red", 8), ("others (1 value)", 5), ("rare (2 values)", 6)]);
        assert_eq!(found.iter().map(|b| b.pooled).collect::<Vec<_>>(), [false, false, true, true]);
    }

    #[test]
    fn intervals_dates_and_masks_keep_their_order() {
        let order = |labels: &[&str]| -> Vec<String> {
            let values = labels.iter().enumerate().map(|(i, l)| (*l, 10 + i as u64));
            bars(values, 12, 1).into_iter().map(|b| b.label).collect()
        };
        assert_eq!(
            order(&["*", "≥ 65", "[18, 30)", "[-5, 0)", "<18", "[30, 65)"]),
            ["[-5, 0)", "<18", "[18, 30)", "[30, 65)", "≥ 65", "*"]
        );
        assert_eq!(order(&["2001-11", "2001-02", "1999-12"]), ["1999-12", "2001-02", "2001-11"]);
        assert_eq!(order(&["100–199", "20–29", "3-9"]), ["3-9", "20–29", "100–199"]);
        assert_eq!(order(&["537**", "021**", "60***"]), ["021**", "60***", "537**"]);
    }

    #[test]
    fn many_numbers_are_counted_in_round_ranges() {
        // Ages 17 to 90, two rows each: ten years per range, the eight of them from 10–19 to 90–99.
        let ages = (17..=90).map(|age| (age.to_string(), 2)).chain([("missing".to_owned(), 6)]);
        let found = bars(ages, 12, 3);
        assert_eq!(shown(&found)[..2], [("10–19", 6), ("20–29", 20)]);
        assert_eq!(shown(&found)[7..], [("80–89", 20), ("missing", 6), ("rare (1 value)", 2)]);
    }

    #[test]
    fn fractions_negatives_and_many_dates_have_ranges_too() {
        let found = bars((0..40).map(|i| (format!("{}", f64::from(i) * 0.25 - 1.0), 5)), 12, 1);
        assert_eq!(shown(&found)[..2], [("-1 to 0", 20), ("0–1", 20)]);
        assert_eq!(found.len(), 10);
        let dates = (0..60).map(|i| (format!("{}-0{}-11", 1990 + i / 2, 1 + i % 2), 3));
        let found = bars(dates, 12, 1);
        assert_eq!(shown(&found)[0], ("1990–1994", 30));
        assert_eq!(found.len(), 6);
    }

    #[test]
    fn codes_are_no_quantities() {
        let zips = (0..30_u64).map(|i| (format!("0{}", 2100 + i), 10 + i));
        let found = bars(zips, 3, 1);
        assert_eq!(shown(&found), [("02127", 37), ("02128", 38), ("02129", 39), ("others (27 values)", 621)]);
    }

    #[test]
    fn no_rare_value_is_ever_named() {
        let found = bars((0..500_u64).map(|i| (format!("v{i}"), i % 7)), 12, 5);
        assert!(found.iter().filter(|b| !b.pooled).all(|b| b.count >= 5));
        assert_eq!(found.iter().map(|b| b.count).sum::<u64>(), (0..500).map(|i| i % 7).sum::<u64>());
        assert!(bars(Vec::<(String, u64)>::new(), 12, 5).is_empty());
        assert_eq!(shown(&bars([("1e308", 9), ("-1e308", 9), ("0", 9)], 2, 1)).len(), 3);
    }
}
