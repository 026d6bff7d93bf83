//! Two samples compared: difference of means, Welch's t, the probability of superiority of Mann and
//! Whitney, and the distance of Kolmogorov and Smirnov.
//!
//! The probability that a row of the first sample exceeds one of the second grows with every value
//! of the first and falls with every value of the second, so its bounds are sharp; so are those of
//! the difference of means. t and its p-value follow from bounds of means and deviations and are
//! enclosures. The largest distance of two p-boxes bounds that of the distributions. Costs four
//! sorts.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::bounds::Bounds;
use crate::data::Intervals;
use crate::means::{EMPTY, mean};
use crate::quantiles::PBox;
use crate::rounding::{EnclosedSum, Enclosure};
use crate::variance::{Divisor, Spread};

/// Two samples compared.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Comparison {
    /// Mean of the first minus mean of the second.
    pub mean_difference: Bounds,
    /// Welch's t.
    pub t: Bounds,
    /// Its p-value, two-sided.
    pub p_value: Bounds,
    /// The probability that a row of the first exceeds one of the second, with half of the ties
    /// [Mann 1947].
    pub superiority: Bounds,
    /// The greatest distance of the two distributions [Smirnov 1948].
    pub distance: Bounds,
}

/// Compares two samples.
///
/// ```
/// use throng_statistics::{Intervals, compare};
///
/// let treated = Intervals::new(&[(110.0, 120.0), (115.0, 125.0), (120.0, 130.0)])?;
/// let control = Intervals::new(&[(140.0, 150.0), (150.0, 160.0), (145.0, 155.0)])?;
/// let found = compare(&treated, &control);
/// assert_eq!((found.mean_difference.low, found.mean_difference.high), (-40.0, -20.0));
/// assert_eq!((found.superiority.low, found.superiority.high), (0.0, 0.0));
/// assert!(found.p_value.high < 0.2);
/// # Ok::<(), throng_terms::error::Error>(())
/// ```
pub fn compare(first: &Intervals, second: &Intervals) -> Comparison {
    let (Some(a), Some(b)) = (PBox::new(first), PBox::new(second)) else {
        let none = Bounds::none(EMPTY);
        return Comparison {
            mean_difference: none,
            t: none,
            p_value: none,
            superiority: none,
            distance: none,
        };
    };
    let difference = mean(first).enclosed() - mean(second).enclosed();
    let t = welch(first, second, difference);
    Comparison {
        mean_difference: Bounds::sharp(difference, "endpoints"),
        p_value: p_value(&t, first.total_weight(), second.total_weight()),
        t,
        superiority: superiority(first, second, &a, &b),
        distance: distance(first, second, &a, &b),
    }
}

fn welch(first: &Intervals, second: &Intervals, difference: Enclosure) -> Bounds {
    let error = |data: &Intervals| {
        let variance = Spread::new(data).variance(Divisor::Sample);
        (variance, variance.enclosed() / data.total_weight())
    };
    let ((a, part_a), (b, part_b)) = (error(first), error(second));
    if let Some(reason) = [a, b].iter().filter(|v| v.method == "none").find_map(|v| v.reason) {
        return Bounds::none(reason);
    }
    let spread = (part_a + part_b).sqrt();
    let sharp = first.is_exact() && second.is_exact();
    let mut at = difference / spread;
    if spread.low == 0.0 {
        // A sign that is certain stays so.
        let least = |x: f64| (Enclosure::point(x) / Enclosure::point(spread.high)).low;
        at = Enclosure::ANY;
        if difference.low > 0.0 && spread.high > 0.0 {
            at.low = least(difference.low);
        }
        if difference.high < 0.0 && spread.high > 0.0 {
            at.high = -least(-difference.high);
        }
    }
    let bounds = Bounds::sharp(at, if sharp { "points" } else { "quotient" }).exactly(sharp);
    if bounds.is_finite() { bounds } else { Bounds { reason: Some("a sample need not vary"), ..bounds } }
}

/// The two-sided p-value: it falls with |t| and with the degrees of freedom, which lie between
/// those of the smaller sample and those of both together.
fn p_value(t: &Bounds, first: Enclosure, second: Enclosure) -> Bounds {
    if t.method == "none" {
        return *t;
    }
    let least = first.low.min(second.low) - 1.0;
    let most = first.high + second.high - 2.0;
    // The distribution function is computed in floats; the margin is far above its error.
    let tail = |t: f64, degrees: f64| {
        if t.is_infinite() {
            return 0.0;
        }
        StudentsT::new(0.0, 1.0, degrees).map_or(f64::NAN, |d| 2.0 * d.sf(t))
    };
    if least <= 0.0 {
        return Bounds::none("a sample needs more than one row");
    }
    let inside = t.enclosed();
    let low = tail(inside.magnitude(), most) * (1.0 - 1e-9);
    let high = (tail(inside.magnitude_low(), least) * (1.0 + 1e-9)).min(1.0);
    Bounds::enclosure(Enclosure { low, high }, "t-distribution")
}

fn superiority(first: &Intervals, second: &Intervals, a: &PBox, b: &PBox) -> Bounds {
    let half = Enclosure::point(0.5);
    // Σ over rows of the first of the share of the second that lies below.
    let of = |ends: &[f64], upper: bool| {
        let mut sum = EnclosedSum::default();
        for (at, &x) in ends.iter().enumerate() {
            let (below, to) = b.rows_below(x, !upper);
            sum.add(Enclosure::point(first.weight(at)) * half * (below + to));
        }
        sum.total() / (a.rows() * b.rows())
    };
    let low = of(first.low(), false).low.max(0.0);
    let high = of(first.high(), true).high.min(1.0);
    debug_assert!(second.is_empty() || low <= high);
    Bounds::sharp(Enclosure { low, high }, "endpoints")
}

fn distance(first: &Intervals, second: &Intervals, a: &PBox, b: &PBox) -> Bounds {
    let (mut least, mut most) = (0f64, 0f64);
    for &x in [first.low(), first.high(), second.low(), second.high()].into_iter().flatten() {
        // At a bound and just below it, where the other kind of bound has not yet been passed.
        for inclusive in [true, false] {
            let (f, g) = (a.shares(x, inclusive), b.shares(x, inclusive));
            most = most.max((f - g).high).max((g - f).high);
            least = least.max((f - g).low).max((g - f).low);
        }
    }
    let sharp = first.is_exact() && second.is_exact();
    let at = Enclosure { low: least, high: most.min(1.0) };
    Bounds::sharp(at, if sharp { "points" } else { "p-boxes" }).exactly(sharp)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn superiority_of(x: &[f64], y: &[f64]) -> f64 {
        let one = |a: f64, b: f64| {
            if a > b {
                1.0
            } else if a == b {
                0.5
            } else {
                0.0
            }
        };
        let all: f64 = x.iter().flat_map(|&a| y.iter().map(move |&b| one(a, b))).sum();
        all / (x.len() * y.len()) as f64
    }

    fn distance_of(x: &[f64], y: &[f64]) -> f64 {
        let share = |values: &[f64], at: f64| {
            values.iter().filter(|&&v| v <= at).count() as f64 / values.len() as f64
        };
        x.iter().chain(y).map(|&at| (share(x, at) - share(y, at)).abs()).fold(0.0, f64::max)
    }

    fn welch_of(x: &[f64], y: &[f64]) -> f64 {
        let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
        let part = |v: &[f64]| {
            let (m, n) = (mean(v), v.len() as f64);
            v.iter().map(|x| (x - m) * (x - m)).sum::<f64>() / (n - 1.0) / n
        };
        (mean(x) - mean(y)) / (part(x) + part(y)).sqrt()
    }

    type Cell = (i32, i32, u8);

    fn sample(cells: &[Cell]) -> (Intervals, Vec<f64>) {
        let spans: Vec<(f64, f64)> = cells.iter().map(|c| (f64::from(c.0), f64::from(c.0 + c.1))).collect();
        let original = cells.iter().map(|c| f64::from(c.0) + f64::from(c.1) * f64::from(c.2) / 4.0);
        (Intervals::new(&spans).unwrap(), original.collect())
    }

    fn cells() -> impl Strategy<Value = Vec<Cell>> {
        prop::collection::vec((0i32..30, prop_oneof![Just(0), 0i32..10], 0u8..=4), 2..15)
    }

    proptest! {
        #[test]
        fn originals_lie_within(x in cells(), y in cells()) {
            let ((dx, ox), (dy, oy)) = (sample(&x), sample(&y));
            let found = compare(&dx, &dy);
            prop_assert!(found.superiority.has(superiority_of(&ox, &oy)), "{found:?}");
            let distance = distance_of(&ox, &oy);
            prop_assert!(found.distance.low <= distance + 1e-12 && distance - 1e-12 <= found.distance.high);
            let t = welch_of(&ox, &oy);
            prop_assert!(!t.is_finite() || (found.t.low <= t + 1e-9 && t - 1e-9 <= found.t.high), "{found:?} {t}");
            // Sharp bounds are reached at the ends.
            let least = superiority_of(dx.low(), dy.high());
            let most = superiority_of(dx.high(), dy.low());
            prop_assert!((found.superiority.low - least).abs() < 1e-12);
            prop_assert!((found.superiority.high - most).abs() < 1e-12);
        }

        #[test]
        fn exact_samples_have_one_answer(x in cells(), y in cells()) {
            let ((_, ox), (_, oy)) = (sample(&x), sample(&y));
            let found = compare(&Intervals::points(&ox).unwrap(), &Intervals::points(&oy).unwrap());
            let distance = distance_of(&ox, &oy);
            prop_assert!((found.distance.low - distance).abs() < 1e-12, "{found:?} {distance}");
            prop_assert!((found.distance.high - distance).abs() < 1e-12, "{found:?} {distance}");
            let t = welch_of(&ox, &oy);
            prop_assert!(!t.is_finite() || (found.t.low - t).abs() < 1e-6 * t.abs().max(1.0));
            if t.is_finite() {
                prop_assert!(found.p_value.low <= found.p_value.high && found.p_value.high <= 1.0);
            }
        }
    }
}
