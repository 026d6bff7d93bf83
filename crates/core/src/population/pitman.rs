//! Pitman's sampling formula (Pitman 1995; Hoshino 2001 for uniqueness): two parameters that describe how new classes turn up
//! as rows are drawn.
//!
//! The likelihood's maximum in θ for a given α, and in α along these, are each found by bisection of the derivative, because
//! the usual starting values for Newton's method lie far outside the domain when most classes are unique. Sums over rows
//! are differences of ψ, so a fit costs some thousand evaluations whatever the number of rows; about 5 ms.

use super::Sizes;
use super::gamma::{digamma, ln_gamma};

/// The nearest that α may come to its limits 0 and 1 before the formula is said not to fit.
const EDGE: f64 = 1e-6;
/// Halvings of an interval: enough for the last bit.
const HALVINGS: usize = 64;

/// The formula fitted to a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pitman {
    /// How many classes there are to begin with; more than −α.
    pub theta: f64,
    /// How readily new ones turn up; between 0 and 1.
    pub alpha: f64,
}

impl Pitman {
    /// The expected number of uniques among so many people.
    pub fn uniques(&self, population: u64) -> f64 {
        let Pitman { theta, alpha } = *self;
        (ln_gamma(theta + 1.0) - ln_gamma(theta + alpha) + alpha * (population as f64).ln()).exp()
    }
}

/// The most likely parameters; none where the likelihood has its maximum at a limit: all rows unique, none unique, or
/// fewer uniques than the formula knows.
pub fn pitman(sizes: &Sizes) -> Option<Pitman> {
    if sizes.classes() < 2 || sizes.classes() == sizes.rows() {
        return None;
    }
    let slope = |alpha: f64| {
        let theta = best_theta(sizes, alpha);
        by_alpha(sizes, theta, alpha)
    };
    let (mut low, mut high) = (EDGE, 1.0 - EDGE);
    if slope(low) <= 0.0 || slope(high) >= 0.0 {
        return None;
    }
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if slope(middle) > 0.0 { low = middle } else { high = middle }
    }
    let alpha = 0.5 * (low + high);
    Some(Pitman { theta: best_theta(sizes, alpha), alpha })
}

/// Where the derivative by θ vanishes. It is positive next to −α and negative far away.
fn best_theta(sizes: &Sizes, alpha: f64) -> f64 {
    // In logarithms of θ + α, which may be tiny or large.
    let (mut low, mut high) = (-30.0f64, 40.0f64);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if by_theta(sizes, middle.exp() - alpha, alpha) > 0.0 { low = middle } else { high = middle }
    }
    (0.5 * (low + high)).exp() - alpha
}

/// Σ 1/(θ + iα) for i from 1 to classes − 1.
fn arrivals(sizes: &Sizes, theta: f64, alpha: f64) -> f64 {
    let start = theta / alpha;
    (digamma(start + sizes.classes() as f64) - digamma(start + 1.0)) / alpha
}

/// The likelihood's derivative by θ.
fn by_theta(sizes: &Sizes, theta: f64, alpha: f64) -> f64 {
    arrivals(sizes, theta, alpha) - (digamma(theta + sizes.rows() as f64) - digamma(theta + 1.0))
}

/// The likelihood's derivative by α.
fn by_alpha(sizes: &Sizes, theta: f64, alpha: f64) -> f64 {
    let new = ((sizes.classes() - 1) as f64 - theta * arrivals(sizes, theta, alpha)) / alpha;
    let old: f64 = sizes
        .iter()
        .filter(|&(size, _)| size > 1)
        .map(|(size, classes)| classes as f64 * (digamma(size as f64 - alpha) - digamma(1.0 - alpha)))
        .sum();
    new - old
}
