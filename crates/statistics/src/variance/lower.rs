//! The least variance: min over c of Σ w·d(c, cell)²/W, a convex function of c [Ferson 2007,
//! 4.5.1].
//!
//! Newton's method on its piecewise linear derivative finds the point, with bisection as a
//! safeguard. The bound itself is rigorous whatever point was found: a convex function lies above
//! its tangent. Every step is one pass; ten steps are usual.

use super::Deviations;
use crate::data::Intervals;
use crate::rounding::{Enclosure, add_down};

/// Steps until the point is taken as it is.
const STEPS: usize = 100;

/// The least variance.
pub(super) struct Least {
    pub bound: f64,
    /// Whether it is reached by an original.
    pub exact: bool,
}

pub(super) fn lower(data: &Intervals) -> Least {
    let most_low = data.low().iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least_high = data.high().iter().copied().fold(f64::INFINITY, f64::min);
    if most_low <= least_high {
        // All cells have a point in common.
        let point = if most_low.is_finite() { most_low } else { least_high };
        return Least { bound: 0.0, exact: reached(data, point, point.max(least_high)) };
    }
    let point = minimum(data, least_high, most_low);
    let (value, slope) = tangent(data, point);
    // f(c*) ≥ f(c) + f'(c)(c* − c), and c* lies between the two ends.
    let away = Enclosure { low: least_high, high: most_low } - Enclosure::point(point);
    let rest = Enclosure::point(2.0) * slope * away;
    let bound = Enclosure::point(add_down(value.low, rest.low)) / data.total_weight();
    Least { bound: bound.low.max(0.0), exact: reached(data, point, point) }
}

/// Whether no cell with gaps is moved to a point inside it: a set need not have that value. With a
/// choice of points, the ends are tried.
fn reached(data: &Intervals, first: f64, last: f64) -> bool {
    let inside = |at: f64| {
        let cell = |&cell: &u32| data.low()[cell as usize] < at && at < data.high()[cell as usize];
        data.gaps().iter().any(cell)
    };
    !inside(first) || !inside(last)
}

/// The point where the derivative changes sign.
fn minimum(data: &Intervals, mut from: f64, mut to: f64) -> f64 {
    // Near the middle of all cells, where it usually is.
    let mut at = super::middle(data).clamp(from, to);
    for _ in 0..STEPS {
        let (slope, weight) = slope(data, at);
        if slope == 0.0 {
            return at;
        }
        if slope < 0.0 {
            from = at;
        } else {
            to = at;
        }
        let next = at - slope / weight;
        let next = if next > from && next < to { next } else { f64::midpoint(from, to) };
        if next == at || (next - at).abs() <= 1e-15 * (to.abs() + from.abs()) {
            return next;
        }
        at = next;
    }
    at
}

/// Half the derivative at a point, and its own derivative there, as floats.
fn slope(data: &Intervals, c: f64) -> (f64, f64) {
    let parts = data.parts(|places| {
        let (mut slope, mut weight) = (0.0, 0.0);
        for at in places {
            let (low, high) = (data.low()[at], data.high()[at]);
            let d = (c - high).max(0.0) - (low - c).max(0.0);
            if d != 0.0 {
                let w = data.weight(at);
                slope += w * d;
                weight += w;
            }
        }
        (slope, weight)
    });
    let (slope, weight) = parts.iter().fold((0.0, 0.0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
    (slope, if weight > 0.0 { weight } else { 1.0 })
}

/// Σ w·d² and Σ w·d at a point: value and half the derivative.
fn tangent(data: &Intervals, c: f64) -> (Enclosure, Enclosure) {
    let parts = data.parts(|places| {
        let mut all = Deviations::default();
        for at in places {
            let (low, high) = (data.low()[at], data.high()[at]);
            let from = if c > high {
                high
            } else if c < low {
                low
            } else {
                continue;
            };
            all.add(from, c, data.weight(at));
        }
        all
    });
    let mut all = Deviations::default();
    parts.iter().for_each(|part| all.merge(part));
    // The slope is that of (c − bound).
    (all.squares.total(), -all.sum.total())
}
