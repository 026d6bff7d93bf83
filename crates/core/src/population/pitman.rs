//! Pitman's sampling formula [Pitman 1995; Hoshino 2001 for uniqueness]: two parameters that
//! describe how new classes appear as rows are drawn.
//!
//! The maximum of the likelihood in θ for a given α, and in α along these, are each bracketed
//! between limits at which the derivative has different signs, because the usual starting values
//! for Newton's method lie far outside the domain if most classes are unique. A table with fewer
//! uniques than any α above 0 predicts has its maximum at α = 0, where the formula is that of Ewens
//! [Ewens 1972]. Sums over rows are differences of ψ, so a fit costs some hundred evaluations
//! whatever the number of rows: well below 1 ms.

use super::Sizes;
use super::gamma::{digamma_from, ln_ratio};
use super::root::root;

/// The nearest that α may come to its limits before it is taken to be there.
const EDGE: f64 = 1e-6;
/// The share of the population that θ may be for Hoshino's formula, which is for large populations,
/// to be off by less than that share.
const LARGE: f64 = 1e-4;

/// The formula fitted to a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pitman {
    /// How many classes there are to begin with; more than −α.
    pub theta: f64,
    /// How readily new ones turn up; from 0 to below 1.
    pub alpha: f64,
}

impl Pitman {
    /// The expected number of uniques in a population of this size.
    ///
    /// Hoshino's Γ(θ + 1)/Γ(θ + α) · N^α where N is large, so that figures agree with those of
    /// other programs; it passes N where θ does, and the expectation itself, N · (θ + α)…(θ + α + N
    /// − 2) / (θ + 1)…(θ + N − 1), is used there.
    pub fn uniques(&self, population: u64) -> f64 {
        let Pitman { theta, alpha } = *self;
        let people = population as f64;
        let start = ln_ratio(theta + alpha, 1.0 - alpha);
        if theta <= LARGE * people {
            return (start + alpha * people.ln()).exp();
        }
        (start + people.ln() + ln_ratio(theta + people, alpha - 1.0)).exp()
    }
}

/// The most likely parameters; none where the likelihood has no maximum: all rows are unique, or
/// there is one class.
pub fn pitman(sizes: &Sizes) -> Option<Pitman> {
    if sizes.classes() < 2 || sizes.classes() == sizes.rows() {
        return None;
    }
    let at = |alpha: f64| Pitman { theta: best_theta(sizes, alpha), alpha };
    let slope = |alpha: f64| by_alpha(sizes, at(alpha));
    if slope(0.0) <= 0.0 || slope(EDGE) <= 0.0 {
        return Some(at(0.0));
    }
    (slope(1.0 - EDGE) < 0.0).then(|| at(root(slope, EDGE, 1.0 - EDGE)))
}

/// Where the derivative by θ vanishes. It is positive next to −α and negative far away.
fn best_theta(sizes: &Sizes, alpha: f64) -> f64 {
    // In logarithms of θ + α, which may be tiny or large.
    root(|log| by_theta(sizes, log.exp() - alpha, alpha), -30.0, 40.0).exp() - alpha
}

/// Σ 1/(θ + iα) for i from 1 to classes − 1.
fn arrivals(sizes: &Sizes, theta: f64, alpha: f64) -> f64 {
    if alpha == 0.0 {
        return (sizes.classes() - 1) as f64 / theta;
    }
    digamma_from(theta / alpha + 1.0, (sizes.classes() - 1) as f64) / alpha
}

/// The likelihood's derivative by θ.
fn by_theta(sizes: &Sizes, theta: f64, alpha: f64) -> f64 {
    arrivals(sizes, theta, alpha) - digamma_from(theta + 1.0, (sizes.rows() - 1) as f64)
}

/// The likelihood's derivative by α.
fn by_alpha(sizes: &Sizes, Pitman { theta, alpha }: Pitman) -> f64 {
    let last = (sizes.classes() - 1) as f64;
    // Σ i/(θ + iα) for i from 1 to classes − 1.
    let new = match alpha == 0.0 {
        true => 0.5 * last * (last + 1.0) / theta,
        false => (last - theta * arrivals(sizes, theta, alpha)) / alpha,
    };
    let old: f64 = sizes
        .iter()
        .filter(|&(size, _)| size > 1)
        .map(|(size, classes)| classes as f64 * digamma_from(1.0 - alpha, (size - 1) as f64))
        .sum();
    new - old
}
