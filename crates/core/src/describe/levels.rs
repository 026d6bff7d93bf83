//! Proposes how a quasi-identifier is generalized: its hierarchy, or none where cells that fit the
//! rows say more.
//!
//! Methods that form regions write labels where there is a hierarchy, and intervals of numbers and
//! sets of other values where there is none. So plain numbers and few categories get none, and a
//! hierarchy for searches by level is offered beside them. Dates, postal codes and other codes
//! always get one: a set of exact dates or an interval of codes is not a generalization. Only what
//! fits *every* value is proposed, so that the policy runs unchanged. The cost does not grow with
//! the table.

use super::Kind;
use super::dates::{self, FORMATS};
use super::facts::{CATEGORIES, Facts};
use super::numbers;
use super::role::postal;
use super::shape::bit;
use super::vocabulary;
use super::words::Says;
use crate::cell::Cell;
use crate::hierarchy::{Date, End, Mask, Order, Postal, Priority, Spec};

/// A column with no more distinct values than this has no levels between its values and nothing.
const FEW: u64 = 8;

/// Values that an order lists, at most.
const LISTED: usize = 40;

/// How a column is generalized.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Levels {
    /// The hierarchy; none where cells fit the rows.
    pub hierarchy: Option<Spec>,
    /// Why, and how cells look.
    pub reason: String,
    /// A hierarchy for searches by level, where none is proposed.
    pub offered: Option<Spec>,
}

/// A hierarchy with the reason for it.
type Proposal = (Spec, String);

/// How a column should be generalized as a quasi-identifier.
pub(super) fn propose(facts: &Facts) -> Levels {
    let strays = facts.traits.placeholder();
    let structured = || if strays.is_none() { structured(facts) } else { None };
    if let Some((spec, reason)) = prefixes(facts).or_else(structured) {
        return Levels { hierarchy: Some(spec), reason, offered: None };
    }
    if facts.distinct <= 2 {
        let reason = "At most two values: keep or suppress, no levels in between.".into();
        return Levels { hierarchy: Some(Spec::Suppress), reason, offered: None };
    }
    if strays.is_none() && plain_numbers(facts) {
        let offered = numbers::levels(facts).map(|(spec, _)| spec).filter(|_| facts.distinct > FEW);
        return Levels { hierarchy: None, reason: "Numbers: cells become intervals.".into(), offered };
    }
    let (spec, reason) = classes(facts);
    if facts.values.is_empty() || coded(facts) || holds_dates(facts) {
        return Levels { hierarchy: Some(spec), reason, offered: None };
    }
    let reason = "Categories: cells become sets of few values.".into();
    Levels { hierarchy: None, reason, offered: Some(spec).filter(|spec| *spec != Spec::Suppress) }
}

/// Numbers that are sizes, not codes that happen to be digits.
fn plain_numbers(facts: &Facts) -> bool {
    facts.numeric() && !coded(facts)
}

/// Digits that are codes: with leading zeros, or postal by name. A set or interval of them without a
/// hierarchy would be read as numbers.
fn coded(facts: &Facts) -> bool {
    let zeros = facts.kind == Kind::Code && facts.traits.all(bit::NUMBER);
    zeros || facts.meaning.says() == Some(Says::Postal) || postal(facts)
}

/// Whether some values are dates: a set would list them.
fn holds_dates(facts: &Facts) -> bool {
    let is_date = |v: &String| (0..FORMATS.len()).any(|format| dates::read(v, format).is_some());
    facts.meaning.says() == Some(Says::Date) || facts.values.iter().any(is_date)
}

/// A hierarchy that follows the meaning of the values.
fn structured(facts: &Facts) -> Option<Proposal> {
    if facts.distinct <= 2 {
        return None;
    }
    if facts.dated() {
        return periods(facts);
    }
    if facts.kind == Kind::Time {
        let spec = Spec::Mask(Mask { from: End::Right, char: '*', step: 3 });
        return Some((spec, "times of day: minutes are masked, then hours".into()));
    }
    if let Some(icd) = facts.icd.clone().filter(|_| facts.meaning.says() == Some(Says::Diagnosis)) {
        return Some((icd, "Diagnosis codes: category, block, chapter.".into()));
    }
    ordered(facts).or_else(|| classification(facts)).or_else(|| mask(facts))
}

/// Categories with a known order: cells become ranges of it.
fn ordered(facts: &Facts) -> Option<Proposal> {
    if facts.numeric() || facts.values.len() > LISTED || facts.values.len() as u64 != facts.distinct {
        return None;
    }
    let values: Vec<&str> = facts.values.iter().map(String::as_str).collect();
    let values = vocabulary::in_order(&values)?;
    let listed = |value: &str| values.iter().any(|v| v == value);
    // A value that reads as a range of two others would be mistaken for one.
    let mistaken = |v: &String| matches!(Cell::parse(v), Cell::Range(a, b) if listed(&a) && listed(&b));
    if values.iter().any(mistaken) {
        return None;
    }
    let spec = Spec::Order(Order { fanout: Vec::new(), values });
    Some((spec, "Categories in a known order: cells become ranges of it.".into()))
}

/// Postal codes; a stray `?` among them does no harm, as every text has prefixes.
fn prefixes(facts: &Facts) -> Option<Proposal> {
    let meant = facts.meaning.says() == Some(Says::Postal) || postal(facts);
    if !meant || facts.distinct <= 2 {
        return None;
    }
    let (shortest, longest) = facts.traits.length;
    let keep = match longest {
        _ if facts.share(bit::POSTAL_CA) >= 0.8 => vec![3, 2, 1],
        _ if facts.share(bit::POSTAL_UK) >= 0.8 => vec![4, 2, 1],
        10 if facts.share(bit::ZIP) >= 0.8 => vec![5, 3, 2, 1],
        3..=8 => (1..longest).rev().collect(),
        _ => return None,
    };
    let mut reason = "Postal codes: ever shorter prefixes.".to_owned();
    if facts.numeric() && shortest < longest {
        reason += " Some have lost their leading zeros, which puts them beside codes of other places.";
    }
    Some((Spec::Postal(Postal { keep }), reason))
}

/// Calendar periods, from the shortest that divides the time span to the longest that does.
fn periods(facts: &Facts) -> Option<Proposal> {
    let format = facts.format()?;
    let (first, last) = facts.traits.days(format);
    let days = (last - first).num_days();
    let mut levels = Vec::new();
    levels.extend(FORMATS[format].timed.then_some("day"));
    if days <= 62 {
        levels.extend((days > 7).then_some("week"));
    } else {
        // The longest ones are for people who share little else: a birth within 40 years is more
        // than `*`.
        let periods = [
            ("month", 28),
            ("quarter", 92),
            ("year", 366),
            ("5-year", 5 * 365),
            ("10-year", 10 * 365),
            ("20-year", 20 * 365),
            ("40-year", 40 * 365),
        ];
        levels.extend(periods.into_iter().filter(|(_, least)| days >= *least).map(|(period, _)| period));
    }
    if levels.is_empty() {
        levels.push("day");
    }
    let levels = levels.into_iter().map(String::from).collect();
    let pattern = FORMATS[format].pattern;
    let reason = format!("Dates written as {pattern}, {}: calendar periods.", span(days));
    Some((Spec::Date(Date { levels, format: pattern.into(), low: None, nested: true }), reason))
}

/// A time span in words.
fn span(days: i64) -> String {
    match days {
        0 => "all of one day".into(),
        1..=62 => format!("over {} days", days + 1),
        63..=730 => format!("over {} months", days / 30),
        _ => format!("over {} years", days / 365),
    }
}

/// Codes of a classification, which have ever shorter prefixes: ATC, NACE, ISCO and the like.
fn classification(facts: &Facts) -> Option<Proposal> {
    let (shortest, longest) = facts.traits.length;
    let digits = facts.traits.all(bit::DIGITS) || facts.kind == Kind::Integer;
    let keep = match facts.meaning.word.map(|w| w.label) {
        _ if facts.distinct <= FEW => return None,
        _ if facts.share(bit::ATC) >= 0.9 && facts.distinct > FEW => vec![5, 4, 3, 1],
        // Numbers of one length that the name calls codes of work.
        Some("work or employer") if digits && shortest == longest && (3..=6).contains(&longest) => {
            (1..longest).rev().collect()
        }
        Some("work or employer") if facts.share(bit::NACE) >= 0.9 => vec![4, 2],
        _ => return None,
    };
    Some((Spec::Postal(Postal { keep }), "Codes of a classification: ever shorter prefixes.".into()))
}

/// Codes of one length lose characters from the right.
fn mask(facts: &Facts) -> Option<Proposal> {
    let (shortest, longest) = facts.traits.length;
    let fixed = shortest == longest && (2..=20).contains(&longest);
    if facts.kind != Kind::Code || !fixed || facts.distinct <= FEW {
        return None;
    }
    let mask = Mask { from: End::Right, char: '*', step: longest.div_ceil(5) };
    Some((Spec::Mask(mask), "Codes of one length: characters go from the right.".into()))
}

/// Few classes stay or go; of many, the most frequent stay longest.
fn classes(facts: &Facts) -> Proposal {
    let keep: &[usize] = match facts.distinct {
        0..=FEW => return (Spec::Suppress, "Few values: keep or suppress, no levels in between.".into()),
        9..=16 => &[8, 4],
        17..=64 => &[16, 8, 4],
        65..=1000 => &[64, 16, 4],
        _ => &[256, 64, 16, 4],
    };
    match facts.traits.pool() {
        Some(other) => {
            let priority = Priority { keep: keep.to_vec(), other: other.into() };
            (
                Spec::Priority(priority),
                format!("More than {CATEGORIES} values, or codes: the rarest are pooled first."),
            )
        }
        None => {
            (Spec::Suppress, "No free name for pooled values: keep or suppress, no levels in between.".into())
        }
    }
}
