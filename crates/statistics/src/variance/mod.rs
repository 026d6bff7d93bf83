//! Variance of interval data, and what follows from it: standard deviation and coefficient of
//! variation.
//!
//! The least variance is that of values moved as close to one point as they can be: a convex
//! function of that point (`lower.rs`). The greatest one is reached at bounds of the cells and is
//! NP-hard in general [Ferson 2002]. For any point c, Σ w·max((x − c)²) is at least W times the
//! variance, so its minimum over c bounds the variance from above (`upper.rs`). An original that
//! exceeds the best one found has its mean near that c, which leaves only few cells undecided:
//! those are arranged in order if none lies within another, and enumerated if there are few. That
//! gives the exact bound in the cases of [Ferson 2002; Ferson 2007, 4.5; Xiang 2007] in linear
//! time. Where too many cells are undecided, the bound is an enclosure, and its slack is known.

mod lower;
mod upper;
#[cfg(test)]
mod tests;

use crate::bounds::Bounds;
use crate::data::Intervals;
use crate::means::{EMPTY, mean};
use crate::rounding::{Enclosure, Sum, two_sum};

/// Which variance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Divisor {
    /// Divided by the rows minus one: the usual estimate from a sample.
    Sample,
    /// Divided by the rows.
    Population,
}

const FEW: &str = "a sample variance needs more than one row";

/// The variance of the population, from which all others follow.
#[derive(Debug, Clone, Copy)]
pub struct Spread {
    variance: Bounds,
    rows: Enclosure,
}

impl Spread {
    /// Of cells.
    pub fn new(data: &Intervals) -> Self {
        Spread { variance: population(data), rows: data.total_weight() }
    }

    /// Of cells whose weights count rows, each with a value of its own.
    pub(crate) fn of_counts(data: &Intervals) -> Self {
        let variance = match data.is_empty() {
            true => Bounds::none(EMPTY),
            false => {
                let low = lower::lower(data).bound;
                let at = Enclosure { low, high: upper::dual(data).max(low) };
                Bounds::enclosure(at, if data.is_exact() { "points" } else { "dual" })
            }
        };
        Spread { variance, rows: data.total_weight() }
    }

    /// The variance.
    pub fn variance(&self, divisor: Divisor) -> Bounds {
        if divisor == Divisor::Population || self.variance.method == "none" {
            return self.variance;
        }
        let less = self.rows - Enclosure::point(1.0);
        if less.low <= 0.0 {
            return Bounds::none(FEW);
        }
        let factor = self.rows / less;
        let at = self.variance.enclosed() * factor;
        let slack = self.variance.slack.map(|slack| (Enclosure::point(slack) * factor).high);
        Bounds { low: at.low, high: at.high, slack, ..self.variance }
    }

    /// The standard deviation.
    pub fn deviation(&self, divisor: Divisor) -> Bounds {
        let variance = self.variance(divisor);
        if variance.method == "none" {
            return variance;
        }
        let at = variance.enclosed().sqrt();
        // √(high − slack) is at most the sharp bound.
        let slack = variance.slack.map(|slack| {
            let sharp = (Enclosure::point(variance.high) - Enclosure::point(slack)).sqrt();
            (at - sharp).high.max(0.0)
        });
        Bounds { low: at.low, high: at.high, slack, ..variance }
    }

    /// The standard deviation divided by the mean, of a mean that is not zero: an enclosure from
    /// the bounds of both, at most the coefficient that any positive numbers of this size can have.
    pub fn variation(&self, data: &Intervals) -> Bounds {
        let deviation = self.deviation(Divisor::Sample);
        let mean = mean(data);
        if deviation.method == "none" {
            return deviation;
        }
        if mean.has(0.0) {
            return Bounds::none("the mean can be zero");
        }
        let mut at = deviation.enclosed() / mean.enclosed();
        // Numbers of one sign: the coefficient is at most √W, as if all but one were zero
        // [Katsnelson 1957]; with weights the lightest row is that one.
        if data.low().iter().all(|&x| x >= 0.0) && data.weights().is_none() {
            at.high = at.high.min(self.rows.sqrt().high);
        }
        let exact = data.is_exact();
        Bounds {
            exact,
            method: if exact { "points" } else { "quotient" },
            slack: None,
            ..Bounds::sharp(at, "")
        }
    }
}

/// The variance.
///
/// ```
/// use throng_statistics::{Divisor, Intervals, variance};
///
/// let cells = Intervals::new(&[(0.0, 10.0), (5.0, 15.0), (10.0, 20.0)])?;
/// let found = variance(&cells, Divisor::Population);
/// assert!(found.exact);
/// assert_eq!(found.method, "same-instrument");
/// assert_eq!(found.low, 0.0);                          // all three can be 10
/// assert!(found.has(650.0 / 9.0) && !found.has(72.3)); // 0, 15 and 20
/// # Ok::<(), throng_terms::error::Error>(())
/// ```
pub fn variance(data: &Intervals, divisor: Divisor) -> Bounds {
    Spread::new(data).variance(divisor)
}

/// The standard deviation.
pub fn standard_deviation(data: &Intervals, divisor: Divisor) -> Bounds {
    Spread::new(data).deviation(divisor)
}

fn population(data: &Intervals) -> Bounds {
    if data.is_empty() {
        return Bounds::none(EMPTY);
    }
    let low = lower::lower(data);
    let high = upper::upper(data);
    let at = Enclosure { low: low.bound, high: high.bound.max(low.bound) };
    let bounds = Bounds::sharp(at, high.method);
    Bounds { slack: high.slack, ..bounds.exactly(low.exact && high.slack.is_none()) }
}

/// The mean of the midpoints of bounded cells, as a float; 0 if there are none.
fn middle(data: &Intervals) -> f64 {
    let parts = data.parts(|places| {
        let (mut sum, mut weight) = (0.0, 0.0);
        for at in places {
            let middle = f64::midpoint(data.low()[at], data.high()[at]);
            if middle.is_finite() {
                sum += data.weight(at) * middle;
                weight += data.weight(at);
            }
        }
        (sum, weight)
    });
    let (sum, weight) = parts.iter().fold((0.0, 0.0), |all, part| (all.0 + part.0, all.1 + part.1));
    if weight > 0.0 { sum / weight } else { 0.0 }
}

/// The squares and the sum of (x − c), times the weight, of chosen values; with room for the
/// errors.
#[derive(Debug, Clone, Copy, Default)]
struct Deviations {
    squares: Sum,
    sum: Sum,
}

impl Deviations {
    #[inline]
    fn add(&mut self, x: f64, c: f64, weight: f64) {
        self.change(x, c, weight, 1.0);
    }

    /// Adds a value, or takes one away that was added: nothing is lost in between.
    #[inline]
    fn change(&mut self, x: f64, c: f64, weight: f64, sign: f64) {
        if weight == 1.0 {
            self.squares.add_square(x, c, sign);
            let (d, error) = two_sum(x, -c);
            self.sum.add(sign * d);
            if error != 0.0 {
                self.sum.add(sign * error);
            }
        } else {
            let d = Enclosure::point(x) - Enclosure::point(c);
            let weight = Enclosure::point(sign * weight);
            self.squares.add_enclosed(weight * d.square());
            self.sum.add_enclosed(weight * d);
        }
    }

    fn merge(&mut self, other: &Deviations) {
        self.squares.merge(&other.squares);
        self.sum.merge(&other.sum);
    }

    /// The variance of the values, of this many rows.
    fn variance(&self, rows: Enclosure) -> Enclosure {
        self.squares.total() / rows - (self.sum.total() / rows).square()
    }
}
