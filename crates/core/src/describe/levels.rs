//! Proposes the hierarchy of a quasi-identifier, with the reason.
//!
//! Only a hierarchy that fits *every* value is proposed, so that the policy runs unchanged: a
//! single text among the numbers, and the column is pooled by frequency like any other categorical
//! column. Bounds of intervals are round numbers, not values. The cost does not grow with the
//! table.

use super::Kind;
use super::dates::FORMATS;
use super::facts::Facts;
use super::role::postal;
use super::shape::bit;
use super::words::Says;
use crate::hierarchy::{Date, End, Intervals, Mask, Postal, Priority, Spec};

/// A column with no more distinct values than this is released with its values or without.
const FEW: u64 = 8;

/// A hierarchy with the reason for it.
type Proposal = (Spec, String);

/// The hierarchy that a column should have as a quasi-identifier.
pub(super) fn propose(facts: &Facts) -> Proposal {
    let strays = facts.traits.placeholder().is_some();
    let structured = if strays { None } else { structured(facts) };
    prefixes(facts).or(structured).unwrap_or_else(|| {
        let (spec, mut reason) = classes(facts);
        if let Some(stray) = facts.traits.placeholder().filter(|_| facts.numeric() || facts.dated()) {
            reason += &format!(
                "; if `{stray}` means missing, list it under input.null and inspect again for {}",
                if facts.dated() { "calendar levels" } else { "intervals" }
            );
        }
        (spec, reason)
    })
}

/// A hierarchy that follows the meaning of the values.
fn structured(facts: &Facts) -> Option<Proposal> {
    if facts.distinct <= 2 {
        return None;
    }
    if facts.dated() {
        return dates(facts);
    }
    if facts.kind == Kind::Time {
        let spec = Spec::Mask(Mask { from: End::Right, char: '*', step: 3 });
        return Some((spec, "times of day: minutes are masked, then hours".into()));
    }
    if let Some(icd) = facts.icd.clone().filter(|_| facts.meaning.says() == Some(Says::Diagnosis)) {
        return Some((icd, "diagnosis codes: category, block, chapter".into()));
    }
    if facts.numeric() {
        return numbers(facts);
    }
    mask(facts)
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
    let mut reason = "postal codes: ever shorter prefixes".to_owned();
    if facts.numeric() && shortest < longest {
        reason += "; some have lost their leading zeros, which puts them beside codes of other places";
    }
    Some((Spec::Postal(Postal { keep }), reason))
}

fn dates(facts: &Facts) -> Option<Proposal> {
    let format = facts.format()?;
    let (first, last) = facts.traits.days(format);
    let years = (last - first).num_days() / 365;
    let mut levels = vec!["month", "quarter", "year"];
    if FORMATS[format].timed {
        levels.insert(0, "day");
    }
    levels.extend((years >= 5).then_some("5-year"));
    levels.extend((years >= 10).then_some("10-year"));
    let levels = levels.into_iter().map(String::from).collect();
    let pattern = FORMATS[format].pattern;
    let reason = format!("all values are dates written as {pattern}: calendar periods");
    Some((Spec::Date(Date { levels, format: pattern.into(), nested: true }), reason))
}

fn numbers(facts: &Facts) -> Option<Proposal> {
    let whole = facts.kind == Kind::Integer;
    let says = facts.meaning.says();
    let given = |widths: &[f64], low: f64, high: f64, reason: &str| {
        let (widths, bounds) = (widths.to_vec(), Vec::new());
        Some((
            Spec::Intervals(Intervals { widths, bounds, low: Some(low), high: Some(high), nested: true }),
            reason.to_owned(),
        ))
    };
    if facts.meaning.age && facts.between(0.0, 130.0) {
        return given(&[5.0, 10.0, 20.0], 0.0, 100.0, "ages: intervals of years");
    }
    if says == Some(Says::Month) && whole && facts.between(1.0, 12.0) {
        return given(&[3.0, 6.0], 1.0, 13.0, "months: quarters and halves of a year");
    }
    if facts.distinct <= FEW {
        return None;
    }
    if matches!(says, Some(Says::Year | Says::Date)) && whole && facts.between(1800.0, 2200.0) {
        let (low, high) = facts.traits.range;
        let (low, high) = ((low / 20.0).floor() * 20.0, (high / 20.0).floor() * 20.0 + 20.0);
        return given(&[5.0, 10.0, 20.0], low, high, "years: intervals of years");
    }
    let (low, high, far) = ends(facts);
    let (widths, low, high) = nice(low, high, whole)?;
    let reason = if far {
        "numbers: equal intervals; the few far ones are pooled at the ends"
    } else {
        "numbers: equal intervals"
    };
    given(&widths, low, high, reason)
}

/// Between which numbers to cut, and whether some few lie so far out that they are left outside.
fn ends(facts: &Facts) -> (f64, f64, bool) {
    let ((low, high), (first, last)) = (facts.traits.range, facts.middle);
    let far = last > first && (high - low) > 3.0 * (last - first);
    if far { (first, last, true) } else { (low, high, false) }
}

/// About twenty intervals of a width of 1, 2 or 5 times a power of ten, then up to two wider ones,
/// each a multiple of the one before; with ends that are multiples of the widest and hold both
/// numbers.
fn nice(low: f64, high: f64, whole: bool) -> Option<(Vec<f64>, f64, f64)> {
    let span = high - low;
    if !span.is_finite() || span <= 0.0 {
        return None;
    }
    // Tenfold steps are found by logarithm, whose rounding costs at most one step of the series.
    let exponent = (span / 20.0).log10().floor();
    let factor = [1.0, 2.0, 5.0].into_iter().find(|m| m * 10_f64.powf(exponent) >= span / 20.0);
    let mut width = factor.map_or((1, exponent as i32 + 1), |m| (m as i64, exponent as i32));
    if whole && (width.1 < 0 || width == (1, 0)) {
        width = (2, 0);
    }
    let mut widths = Vec::new();
    while widths.len() < 3 && (widths.is_empty() || decimal(width.0, width.1) <= span) {
        widths.push(width);
        width = if width.0 == 1 { (5, width.1) } else { (1, width.1 + 1) };
    }
    let &(factor, exponent) = widths.last()?;
    let widest = decimal(factor, exponent);
    let (first, last) = ((low / widest).floor(), (high / widest).floor() + 1.0);
    // Beyond this, bounds are no longer distinguishable.
    if first.abs().max(last.abs()) > 1e9 || !(-12..=15).contains(&exponent) {
        return None;
    }
    let bound = |n: f64| decimal(n as i64 * factor, exponent);
    Some((widths.iter().map(|w| decimal(w.0, w.1)).collect(), bound(first), bound(last)))
}

/// A number as its decimal digits say: 2·10⁻¹ is the 0.2 that people write, not 2 × 0.1.
fn decimal(factor: i64, exponent: i32) -> f64 {
    format!("{factor}e{exponent}").parse().unwrap_or(0.0)
}

/// Codes of one length lose characters from the right.
fn mask(facts: &Facts) -> Option<Proposal> {
    let (shortest, longest) = facts.traits.length;
    let fixed = shortest == longest && (2..=20).contains(&longest);
    if facts.kind != Kind::Code || !fixed || facts.distinct <= FEW {
        return None;
    }
    let mask = Mask { from: End::Right, char: '*', step: longest.div_ceil(5) };
    Some((Spec::Mask(mask), "codes of one length: characters go from the right".into()))
}

/// Few classes stay or go; of many, the most frequent stay longest.
fn classes(facts: &Facts) -> Proposal {
    let keep: &[usize] = match facts.distinct {
        0..=2 => {
            return (Spec::Suppress, "at most two values: keep or suppress, no levels in between".into());
        }
        3..=FEW => return (Spec::Suppress, "few values: keep or suppress, no levels in between".into()),
        9..=16 => &[8, 4],
        17..=64 => &[16, 8, 4],
        65..=1000 => &[64, 16, 4],
        _ => &[256, 64, 16, 4],
    };
    match facts.traits.pool() {
        Some(other) => {
            let priority = Priority { keep: keep.to_vec(), other: other.into() };
            (Spec::Priority(priority), "many values: the rarest are pooled first".into())
        }
        None => {
            (Spec::Suppress, "no free name for pooled values: keep or suppress, no levels in between".into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nice_widths() {
        for (low, high, whole, widths, ends) in [
            (17.0, 90.0, true, &[5.0, 10.0, 50.0][..], (0.0, 100.0)),
            (0.0, 1000.0, true, &[50.0, 100.0, 500.0], (0.0, 1500.0)),
            (0.0, 16.0, true, &[2.0, 10.0], (0.0, 20.0)),
            (0.0, 200.0, true, &[10.0, 50.0, 100.0], (0.0, 300.0)),
            (1.23, 1.87, false, &[0.05, 0.1, 0.5], (1.0, 2.0)),
            (-0.3, 0.3, false, &[0.05, 0.1, 0.5], (-0.5, 0.5)),
            (0.1, 0.7, false, &[0.05, 0.1, 0.5], (0.0, 1.0)),
            (-7.0, 30.0, true, &[2.0, 10.0], (-10.0, 40.0)),
            (1e6, 9e6, true, &[5e5, 1e6, 5e6], (0.0, 1e7)),
        ] {
            assert_eq!(nice(low, high, whole), Some((widths.to_vec(), ends.0, ends.1)), "{low} {high}");
        }
    }

    #[test]
    fn no_widths_where_numbers_cannot_be_told_apart() {
        for (low, high) in [(5.0, 5.0), (f64::MIN, f64::MAX), (1e15, 1e15 + 1.0), (0.0, 1e300), (0.0, 1e-300)]
        {
            assert_eq!(nice(low, high, false), None, "{low} {high}");
        }
    }
}
