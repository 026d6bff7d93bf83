//! Levels for columns of numbers: equal intervals, or bounds at quantiles where values are skewed.
//!
//! Regions of rows need no such levels, because their cells are intervals that fit the rows; they
//! serve searches by level and `throng hierarchy build`. Bounds are round numbers, not values, and
//! whole where all values are whole. The cost does not grow with the table.

use super::facts::Facts;
use super::words::Says;
use crate::hierarchy::{Intervals, Spec};

/// The levels of a column of numbers, with the reason; none where numbers are too close for
/// intervals.
pub(super) fn levels(facts: &Facts) -> Option<(Spec, String)> {
    let whole = facts.whole();
    let says = facts.meaning.says();
    let equal = |widths: &[f64], low: f64, high: f64, reason: &str| {
        let (widths, bounds) = (widths.to_vec(), Vec::new());
        Some((
            Spec::Intervals(Intervals { widths, bounds, low: Some(low), high: Some(high), nested: true }),
            reason.to_owned(),
        ))
    };
    if facts.meaning.age && facts.between(0.0, 130.0) {
        return equal(&[5.0, 10.0, 20.0], 0.0, 100.0, "Ages: intervals of years.");
    }
    if says == Some(Says::Month) && whole && facts.between(1.0, 12.0) {
        return equal(&[3.0, 6.0], 1.0, 13.0, "Months: quarters and halves of a year.");
    }
    if matches!(says, Some(Says::Year | Says::Date)) && whole && facts.between(1800.0, 2200.0) {
        let (low, high) = facts.traits.range;
        let (low, high) = ((low / 20.0).floor() * 20.0, (high / 20.0).floor() * 20.0 + 20.0);
        return equal(&[5.0, 10.0, 20.0], low, high, "Years: intervals of years.");
    }
    let (low, high, far) = ends(facts);
    let (widths, low, high) = nice(low, high, whole)?;
    if crowded(facts, widths[0], low)
        && let Some(bounds) = quantiles(facts, whole)
    {
        let spec = Intervals { bounds, ..Intervals::default() };
        let reason = "Numbers that crowd together: bounds at quantiles, about as many rows in each interval.";
        return Some((Spec::Intervals(spec), reason.into()));
    }
    let reason = if far {
        "Numbers: equal intervals; the few far ones are pooled at the ends."
    } else {
        "Numbers: equal intervals."
    };
    equal(&widths, low, high, reason)
}

/// Between which numbers to cut, and whether some few lie so far out that they are left outside.
fn ends(facts: &Facts) -> (f64, f64, bool) {
    let (low, high) = facts.traits.range;
    let (&first, &last) = match facts.percentiles[..] {
        [_, ref first, .., ref last, _] => (first, last),
        _ => return (low, high, false),
    };
    let far = last > first && (high - low) > 3.0 * (last - first);
    if far { (first, last, true) } else { (low, high, false) }
}

/// Whether more than a third of the cells lie in one of the narrowest intervals.
fn crowded(facts: &Facts, width: f64, low: f64) -> bool {
    let bin = |x: f64| ((x - low) / width).floor();
    let bins: Vec<f64> = facts.percentiles.iter().map(|x| bin(*x)).collect();
    let fullest = bins.chunk_by(|a, b| a == b).map(<[f64]>::len).max().unwrap_or(0);
    3 * fullest > bins.len() && bins.len() == 101
}

/// Bounds at eighths, quarters and halves of the cells, rounded and each once; none where rounding
/// leaves a single interval.
fn quantiles(facts: &Facts, whole: bool) -> Option<Vec<Vec<f64>>> {
    let (low, high, _) = ends(facts);
    let grid = Grid::new(high - low, whole)?;
    let (first, end) = (grid.below(low)?, grid.above(high)?);
    let bound = |eighth: usize| grid.above(*facts.percentiles.get(eighth * 25 / 2)?);
    let mut inner: Vec<(f64, u32)> =
        (1..8).filter_map(|e: usize| Some((bound(e)?, e.trailing_zeros()))).collect();
    inner.retain(|(x, _)| first < *x && *x < end);
    // Of equal bounds the coarsest stays, so that it is there at the higher levels, too.
    inner.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
    inner.dedup_by_key(|bound| bound.0);
    let mut levels: Vec<Vec<f64>> = Vec::new();
    for coarse in 0..3 {
        let level: Vec<f64> = inner.iter().filter(|(_, e)| *e >= coarse).map(|(x, _)| *x).collect();
        if !level.is_empty() && levels.last().is_none_or(|below| below.len() > level.len()) {
            levels.push(level);
        }
    }
    let finest = levels.first_mut()?;
    finest.insert(0, first);
    finest.push(end);
    Some(levels)
}

/// Round numbers: multiples of the power of ten that is at most a hundredth of a span, and whole
/// where values are.
struct Grid {
    exponent: i32,
}

impl Grid {
    fn new(span: f64, whole: bool) -> Option<Self> {
        let exponent = (span / 100.0).log10().floor();
        let usable = span.is_finite() && span > 0.0 && (-12.0..=15.0).contains(&exponent);
        usable.then_some(Grid { exponent: if whole { (exponent as i32).max(0) } else { exponent as i32 } })
    }

    /// The last round number that is not above a number.
    fn below(&self, x: f64) -> Option<f64> {
        self.multiple((x / decimal(1, self.exponent)).floor())
    }

    /// The first round number above a number.
    fn above(&self, x: f64) -> Option<f64> {
        self.multiple((x / decimal(1, self.exponent)).floor() + 1.0)
    }

    fn multiple(&self, n: f64) -> Option<f64> {
        (n.abs() < 1e9).then(|| decimal(n as i64, self.exponent))
    }
}

/// About twenty intervals of a width of 1, 2 or 5 times a power of ten, then up to two wider ones,
/// each a multiple of the one before; with ends that are multiples of the widest and hold both
/// numbers. Widths of whole numbers are whole, from 2.
pub(super) fn nice(low: f64, high: f64, whole: bool) -> Option<(Vec<f64>, f64, f64)> {
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
    fn skewed_counts_have_bounds_at_quantiles() {
        use super::super::sample::Sample;
        use super::super::traits::Traits;
        let (mut sample, mut traits) = (Sample::new(1000), Traits::new());
        // Visits: 40 % have none, most few, some up to 89.
        for (visits, rows) in [(0, 400), (1, 150), (2, 120), (3, 90), (5, 90), (8, 80), (20, 60), (89, 10)] {
            sample.add_count(&visits.to_string(), rows);
            traits.see(&visits.to_string());
        }
        let facts = Facts::new("visits", 0, 1000, &sample, traits);
        let Some((Spec::Intervals(spec), reason)) = levels(&facts) else { panic!("no levels") };
        assert_eq!(spec.bounds[0][0], 0.0);
        assert!(spec.widths.is_empty() && reason.contains("quantiles"), "{spec:?}");
        assert!(spec.bounds.iter().flatten().all(|x| x.fract() == 0.0), "{spec:?}");
        assert!(spec.bounds[0].len() >= 5 && spec.bounds.len() == 3, "{spec:?}");
        assert!(spec.bounds.windows(2).all(|l| l[1].iter().all(|x| l[0].contains(x))), "{spec:?}");
    }

    #[test]
    fn no_widths_where_numbers_cannot_be_told_apart() {
        for (low, high) in [(5.0, 5.0), (f64::MIN, f64::MAX), (1e15, 1e15 + 1.0), (0.0, 1e300), (0.0, 1e-300)]
        {
            assert_eq!(nice(low, high, false), None, "{low} {high}");
        }
    }
}
