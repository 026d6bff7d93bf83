//! Arithmetic, geometric and harmonic mean: each grows with every value, so that all lower and all
//! upper bounds together give sharp bounds [Ferson 2007, 4.1 to 4.3]. One pass.

use crate::bounds::Bounds;
use crate::data::{Intervals, sum_of};
use crate::elementary::Product;
use crate::rounding::{EnclosedSum, Enclosure};

pub(crate) const EMPTY: &str = "there is no cell";
const NOT_POSITIVE: &str = "a cell can be negative, and this mean is that of positive numbers";
const ENDPOINTS: &str = "endpoints";

/// The mean.
pub fn mean(data: &Intervals) -> Bounds {
    if data.is_empty() {
        return Bounds::none(EMPTY);
    }
    let total = data.total_weight();
    let of = |ends: &[f64]| weighted_sum(data, ends) / total;
    let (low, high) = (of(data.low()), of(data.high()));
    Bounds::sharp(Enclosure { low: low.low, high: high.high }, ENDPOINTS)
}

/// Σ w·x over given values of the cells.
fn weighted_sum(data: &Intervals, values: &[f64]) -> Enclosure {
    let Some(weights) = data.weights() else { return sum_of(values) };
    let parts = data.parts(|places| {
        let mut sum = EnclosedSum::default();
        places.for_each(|at| sum.add(Enclosure::point(weights[at]) * Enclosure::point(values[at])));
        sum
    });
    let mut all = EnclosedSum::default();
    parts.iter().for_each(|part| all.merge(part));
    all.total()
}

/// The geometric mean, of cells that are not negative.
pub fn geometric_mean(data: &Intervals) -> Bounds {
    if data.is_empty() {
        return Bounds::none(EMPTY);
    }
    if data.low().iter().any(|&x| x < 0.0) {
        return Bounds::none(NOT_POSITIVE);
    }
    let total = data.total_weight();
    let of = |ends: &[f64]| {
        if ends.contains(&0.0) {
            return Enclosure::ZERO;
        }
        if ends.contains(&f64::INFINITY) {
            return Enclosure::point(f64::INFINITY);
        }
        (sum_of_logarithms(data, ends) / total).exp()
    };
    // The mean of equal numbers is that number: no need to widen it by its logarithm.
    let least = data.low().iter().copied().fold(f64::INFINITY, f64::min);
    let most = data.high().iter().copied().fold(0.0, f64::max);
    let at = Enclosure { low: of(data.low()).low.max(least), high: of(data.high()).high.min(most) };
    Bounds::sharp(at, ENDPOINTS)
}

/// Σ w·ln x. Without weights it is the logarithm of one product.
fn sum_of_logarithms(data: &Intervals, ends: &[f64]) -> Enclosure {
    match data.weights() {
        None => {
            let parts = data.parts(|places| {
                let mut product = Product::default();
                ends[places].iter().for_each(|&x| product.multiply(x));
                product
            });
            let mut all = Product::default();
            parts.iter().for_each(|part| all.merge(part));
            all.ln()
        }
        Some(weights) => {
            let parts = data.parts(|places| {
                let mut sum = EnclosedSum::default();
                places
                    .for_each(|at| sum.add(Enclosure::point(weights[at]) * Enclosure::point(ends[at]).ln()));
                sum
            });
            let mut all = EnclosedSum::default();
            parts.iter().for_each(|part| all.merge(part));
            all.total()
        }
    }
}

/// The harmonic mean, of positive cells. Cells that can be zero have the lower bound zero; without
/// any positive bound there is none.
pub fn harmonic_mean(data: &Intervals) -> Bounds {
    if data.is_empty() {
        return Bounds::none(EMPTY);
    }
    if data.low().iter().any(|&x| x < 0.0) {
        return Bounds::none(NOT_POSITIVE);
    }
    let total = data.total_weight();
    let of = |ends: &[f64]| {
        if ends.contains(&0.0) {
            return Enclosure::ZERO;
        }
        let parts = data.parts(|places| {
            let mut sum = EnclosedSum::default();
            places.for_each(|at| sum.add(Enclosure::point(data.weight(at)) / Enclosure::point(ends[at])));
            sum
        });
        let mut all = EnclosedSum::default();
        parts.iter().for_each(|part| all.merge(part));
        let inverse = all.total();
        // Cells without an upper bound add nothing.
        if inverse.high == 0.0 { Enclosure::point(f64::INFINITY) } else { total / inverse }
    };
    Bounds::sharp(Enclosure { low: of(data.low()).low, high: of(data.high()).high }, ENDPOINTS)
}
