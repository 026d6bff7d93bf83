//! Notations of other tools for intervals and sets, beside those that Throng writes.
//!
//! | written | by | means |
//! | --- | --- | --- |
//! | `[20, 30[`, `]20, 30]` | ARX | an interval; a bracket that opens outwards excludes its bound |
//! | `(20,30]`, `[60,Inf]` | `cut` of R, as in sdcMicro | an interval |
//! | `20-30`, `20 - 30` | many | from 20 to 30, both included |
//! | `<20`, `<=20`, `≤20`, `>90`, `>=90`, `≥90`, `90+` | many | below or above a bound |
//! | `{a,b}` | many | one of these values |
//!
//! Costs one pass over the text.

use crate::cell::{Cell, Interval, number};
use crate::hierarchy::Hierarchy;

/// Reads a cell of a column in any of the notations; a text in none of them is a value. A range is
/// one only where the column has an order and both ends are values of it.
pub(super) fn parse(text: &str, hierarchy: &Hierarchy) -> Cell {
    match Cell::parse(text) {
        Cell::Range(first, last) if hierarchy.between(&first, &last).is_none() => {}
        Cell::Value(_) => {}
        cell => return cell,
    }
    let text = text.trim();
    let found = brackets(text).or_else(|| bound(text)).or_else(|| dashed(text)).map(Cell::Interval);
    found.or_else(|| set(text).map(Cell::Set)).unwrap_or_else(|| Cell::Value(text.into()))
}

fn brackets(text: &str) -> Option<Interval> {
    let (open, close) = (text.chars().next()?, text.chars().last()?);
    let (from_low, to_high) = (open == '[', close == ']');
    if !"[](".contains(open) || !"[])".contains(close) {
        return None;
    }
    let inner = text.get(1..text.len().checked_sub(1)?)?;
    let (low, high) = inner.split_once(',')?;
    let (low, high) = (limit(low)?, limit(high)?);
    (low <= high).then_some(Interval { low, high, from_low, to_high })
}

/// A finite number, or no bound at all as R writes it.
fn limit(text: &str) -> Option<f64> {
    match text.trim() {
        "Inf" | "+Inf" | "∞" => Some(f64::INFINITY),
        "-Inf" | "-∞" => Some(f64::NEG_INFINITY),
        other => number(other),
    }
}

fn bound(text: &str) -> Option<Interval> {
    let below = |high: f64, to_high| Interval { low: f64::NEG_INFINITY, high, from_low: false, to_high };
    let above = |low: f64, from_low| Interval { low, high: f64::INFINITY, from_low, to_high: false };
    let after = |signs: &[&str]| signs.iter().find_map(|sign| text.strip_prefix(sign)).and_then(number);
    after(&["<=", "≤"])
        .map(|high| below(high, true))
        .or_else(|| after(&[">=", "≥"]).map(|low| above(low, true)))
        .or_else(|| after(&["<"]).map(|high| below(high, false)))
        .or_else(|| after(&[">"]).map(|low| above(low, false)))
        .or_else(|| text.strip_suffix('+').and_then(number).map(|low| above(low, true)))
}

/// Two numbers with a dash between them; a dash at the beginning is a sign.
fn dashed(text: &str) -> Option<Interval> {
    let dashes = text.char_indices().skip(1).filter(|(_, c)| matches!(c, '-' | '–'));
    let mut found = dashes.filter_map(|(at, dash)| {
        let (low, high) = (number(&text[..at])?, number(&text[at + dash.len_utf8()..])?);
        (low <= high).then_some(Interval { low, high, from_low: true, to_high: true })
    });
    found.next()
}

fn set(text: &str) -> Option<Vec<String>> {
    let inner = text.strip_prefix('{')?.strip_suffix('}')?;
    let values: Vec<String> = inner.split(',').map(|value| value.trim().to_owned()).collect();
    let plain = |value: &String| !value.is_empty() && !value.contains(['"', '{', '}']);
    values.iter().all(plain).then_some(values)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(text: &str) -> Cell {
        super::parse(text, &Hierarchy::new(Vec::new(), false).unwrap())
    }

    #[test]
    fn intervals_of_other_tools_are_read() {
        for (text, inside, outside) in [
            ("[20, 30[", "20", "30"),
            ("]20, 30]", "30", "20"),
            ("(20,30]", "30", "20"),
            ("[20,30)", "20", "30"),
            ("[60,Inf]", "1e9", "59"),
            ("(-Inf,20]", "-7", "21"),
            ("20-30", "30", "31"),
            ("20 – 30", "20", "19"),
            ("-5--1", "-5", "0"),
            ("-5-3", "3", "-6"),
            ("<20", "19", "20"),
            ("<=20", "20", "21"),
            ("≤ 20", "20", "21"),
            (">90", "91", "90"),
            ("≥90", "90", "89"),
            ("90+", "90", "89"),
            ("[20, 30)", "29", "30"),
            ("{a,b}", "b", "c"),
            ("{a , b}", "a", "a "),
        ] {
            let cell = parse(text);
            assert!(!matches!(cell, Cell::Value(_)), "{text}");
            assert!(cell.covers(inside) && !cell.covers(outside), "{text}: {cell:?}");
        }
    }

    #[test]
    fn other_texts_are_values() {
        for text in
            ["a-b", "a - b", "30-20", "2020-01-15", "[a, b]", "{}", "{a,}", "-5", "+", "<", "12 Main", ""]
        {
            assert!(matches!(parse(text), Cell::Value(_)), "{text}: {:?}", parse(text));
        }
    }

    proptest! {
        #[test]
        fn nothing_makes_it_panic(text in ".*") {
            let _ = parse(&text);
        }

        #[test]
        fn two_numbers_with_a_dash_are_an_interval(low in -999i32..999, width in 0i32..999) {
            let (low, high) = (f64::from(low), f64::from(low + width));
            let interval = Interval { low, high, from_low: true, to_high: true };
            prop_assert_eq!(parse(&format!("{low}-{high}")), Cell::Interval(interval));
        }
    }
}
