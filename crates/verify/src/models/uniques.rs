//! Population uniqueness: independent implementation for the verifier, with the estimators of
//! Pitman [Hoshino 2001], Zayatz [Zayatz 1991] and the slide negative binomial [Chen 1998], and the
//! decision rule of [Dankar 2012].
//!
//! Works on the list of class sizes: probabilities are multiplied out, sums over rows are taken
//! term by term up to a limit and then as an integral with Euler–Maclaurin corrections, and roots
//! are bisected. Two such computations agree to many digits but not to the last, so figures are
//! compared with a larger tolerance than others. Costs some hundred thousand operations, and one
//! pass over the rows for Zayatz.

use super::whole::Whole;
use super::{Limit, judge_sizes};
use throng_terms::policy::{Estimator, PopulationUniqueness};

judge_sizes!(PopulationUniqueness);

/// Halvings of an interval of some hundred until nothing is left of it.
const HALVINGS: usize = 90;

impl Whole for PopulationUniqueness {
    fn limit(&self) -> Limit {
        Limit::Most(self.max)
    }

    fn figure(&self, rows: &[u64]) -> Option<f64> {
        let sample = Drawn::new(rows, self.population)?;
        Some(sample.by(self.estimator)? / sample.people)
    }

    fn near(&self) -> f64 {
        1e-6
    }
}

/// A sample: (size, classes), ascending, of a population.
struct Drawn {
    sizes: Vec<(f64, f64)>,
    classes: f64,
    rows: f64,
    people: f64,
    /// Classes of one row and of two.
    one: f64,
    two: f64,
}

impl Drawn {
    fn new(rows: &[u64], population: u64) -> Option<Self> {
        let all: u64 = rows.iter().sum();
        if all > population {
            return None;
        }
        let sizes: Vec<(f64, f64)> =
            rows.chunk_by(|a, b| a == b).map(|alike| (alike[0] as f64, alike.len() as f64)).collect();
        let of = |size: f64| sizes.iter().find(|(s, _)| *s == size).map_or(0.0, |(_, classes)| *classes);
        let (one, two) = (of(1.0), of(2.0));
        Some(Drawn {
            sizes,
            classes: rows.len() as f64,
            rows: all as f64,
            people: population as f64,
            one,
            two,
        })
    }

    fn fraction(&self) -> f64 {
        self.rows / self.people
    }

    /// The number of unique people; none if it cannot be estimated.
    fn by(&self, estimator: Estimator) -> Option<f64> {
        if self.one == 0.0 || self.rows == self.people {
            return Some(self.one);
        }
        let found = match estimator {
            Estimator::Pitman => self.pitman(),
            Estimator::Zayatz => Some(self.zayatz()),
            Estimator::Snb => self.snb(),
            Estimator::Dankar => return self.dankar(),
        };
        found.filter(|people| people.is_finite()).map(|people| people.max(0.0).min(self.people))
    }

    /// Pitman up to a tenth of the population, else the smaller of the others; Zayatz where there
    /// is nothing else.
    fn dankar(&self) -> Option<f64> {
        let zayatz = self.by(Estimator::Zayatz);
        let other = if self.fraction() > 0.1 { Estimator::Snb } else { Estimator::Pitman };
        match (self.by(other), zayatz) {
            (Some(snb), Some(zayatz)) if other == Estimator::Snb => Some(snb.min(zayatz)),
            (found, zayatz) => found.or(zayatz),
        }
    }

    /// Sample uniques over the sampling fraction, times the probability that a class with one
    /// sampled person has one.
    fn zayatz(&self) -> f64 {
        let once = |size: f64| {
            let others = (1..size as u64).map(|j| 1.0 - (self.rows - 1.0) / (self.people - j as f64));
            size * self.fraction() * others.map(|part| part.max(0.0)).product::<f64>()
        };
        let all: f64 = self.sizes.iter().map(|(size, classes)| classes * once(*size)).sum();
        self.one / self.fraction() * (self.one * once(1.0) / all)
    }

    /// The maximum of the likelihood, where both derivatives vanish, or at α = 0 where it falls
    /// from there on; none where it rises up to α = 1.
    fn pitman(&self) -> Option<f64> {
        if self.classes < 2.0 || self.classes == self.rows {
            return None;
        }
        // Σ 1/(θ + iα) and Σ i/(θ + iα) over all classes but one.
        let last = self.classes - 1.0;
        let once = |theta: f64, alpha: f64| match alpha == 0.0 {
            true => last / theta,
            false => reciprocals(theta / alpha, last) / alpha,
        };
        let counted = |theta: f64, alpha: f64| match alpha == 0.0 {
            true => last * (last + 1.0) / 2.0 / theta,
            false => (last - theta * once(theta, alpha)) / alpha,
        };
        let theta = |alpha: f64| {
            let rises = |log: f64| {
                let theta = log.exp() - alpha;
                once(theta, alpha) > reciprocals(theta, self.rows - 1.0)
            };
            bisected(-30.0, 40.0, rises).exp() - alpha
        };
        let slope = |alpha: f64| {
            let old = self.sizes.iter().map(|(size, classes)| classes * reciprocals(-alpha, size - 1.0));
            counted(theta(alpha), alpha) - old.sum::<f64>()
        };
        let (low, high) = (1e-6, 1.0 - 1e-6);
        let alpha = match slope(0.0) <= 0.0 || slope(low) <= 0.0 {
            true => 0.0,
            false if slope(high) >= 0.0 => return None,
            false => bisected(low, high, |alpha| slope(alpha) > 0.0),
        };
        Some(self.expected(theta(alpha), alpha))
    }

    /// The expected uniques of Pitman's formula: Hoshino's where the population is ten thousand
    /// times θ, else N · Γ(θ + 1)/Γ(θ + α) · Γ(θ + α + N − 1)/Γ(θ + N).
    fn expected(&self, theta: f64, alpha: f64) -> f64 {
        let start = log_step(theta + alpha, 1.0 - alpha);
        match theta <= 1e-4 * self.people {
            true => (start + alpha * self.people.ln()).exp(),
            false => (start + self.people.ln() + log_step(theta + self.people, alpha - 1.0)).exp(),
        }
    }

    /// The number of classes of the population: Shlosser's estimator as [Haas 1998] changed it.
    fn all_classes(&self) -> f64 {
        let q = self.fraction();
        let sum = |part: &dyn Fn(f64) -> f64| -> f64 { self.sizes.iter().map(|(i, f)| f * part(*i)).sum() };
        let power = |base: f64, i: f64| (i * base.ln_1p()).exp();
        let first = sum(&|i| i * q * q * power(-q * q, i - 1.0));
        let second = sum(&|i| power(-q, i) * (i * q.ln_1p()).exp_m1());
        let third = sum(&|i| power(-q, i)) / sum(&|i| i * q * power(-q, i - 1.0));
        self.classes + self.one * first / second * third * third
    }

    /// The parameters under which as many classes are expected to show one row and two rows as do;
    /// of several, those with most uniques.
    fn snb(&self) -> Option<f64> {
        let classes = self.all_classes();
        if self.two == 0.0 || !classes.is_finite() {
            return None;
        }
        let (q, ratio) = (self.fraction(), 2.0 * self.two / self.one / self.fraction());
        let s = 1.0 - q;
        // By the odds of q·r, where r is (1 − β) / (1 − (1 − β)·s).
        let r_of = |logit: f64| 1.0 / (1.0 + (-logit).exp()) / q;
        let alpha_of = |r: f64| {
            let few = |log: f64| s * (2.0 * log).exp() + (2.0 + s * r - ratio * s) * log.exp() < ratio;
            bisected(-100.0, 100.0, few).exp() / r
        };
        let none_drawn = |logit: f64| -logit.exp().ln_1p();
        let off = |logit: f64| {
            let r = r_of(logit);
            let alpha = alpha_of(r);
            q * (alpha * none_drawn(logit)).exp() * (1.0 + s * alpha * r) - self.one / classes
        };
        // Where it is looked at belongs to the definition: a pair of roots between two points is
        // not seen.
        let points: Vec<f64> = (0..=400).map(|i| -40.0 + f64::from(i) / 5.0).collect();
        let known: Vec<f64> = points.iter().map(|&point| off(point)).collect();
        let crosses = |&at: &usize| {
            let (a, b) = (known[at], known[at + 1]);
            a.is_finite() && b.is_finite() && (a > 0.0) != (b > 0.0)
        };
        let roots = (0..points.len() - 1).filter(crosses).map(|at| {
            let before = known[at] > 0.0;
            let root = bisected(points[at], points[at + 1], |logit| (off(logit) > 0.0) == before);
            let r = r_of(root);
            classes * (alpha_of(r) * (none_drawn(root) - (s * r).ln_1p())).exp()
        });
        roots.reduce(f64::max)
    }
}

/// Where something that holds below and not above begins not to hold.
fn bisected(mut low: f64, mut high: f64, below: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..HALVINGS {
        let middle = low + (high - low) / 2.0;
        if below(middle) { low = middle } else { high = middle }
    }
    low + (high - low) / 2.0
}

/// Σ 1/(x + i) for i from 1 to n, with x above −1.
fn reciprocals(x: f64, n: f64) -> f64 {
    const TERMS: f64 = 100.0;
    let some = n.min(TERMS);
    let sum: f64 = (1..=some as u64).map(|i| 1.0 / (x + i as f64)).sum();
    if n <= TERMS {
        return sum;
    }
    // The integral from half a step before the next term to half a step after the last, and what it
    // is off by.
    let (a, b) = (x + TERMS + 0.5, x + n + 0.5);
    let off = (b.powi(-2) - a.powi(-2)) / 24.0 - 7.0 * (b.powi(-4) - a.powi(-4)) / 960.0;
    sum + ((n - TERMS) / a).ln_1p() + off
}

/// ln Γ(x + 1), with x above −1: Stirling's series after some steps up.
fn log_factorial(x: f64) -> f64 {
    const STEPS: u32 = 20;
    let down: f64 = (1..=STEPS).map(|i| (x + f64::from(i)).ln()).sum();
    let z = x + f64::from(STEPS);
    let series = 1.0 / (12.0 * z) - 1.0 / (360.0 * z.powi(3)) + 1.0 / (1260.0 * z.powi(5));
    (z + 0.5) * z.ln() - z + 0.5 * (2.0 * std::f64::consts::PI).ln() + series - down
}

/// ln Γ(x + a) − ln Γ(x), for a from −1 to 1: where x is large by the series in 1/x, because two
/// large logarithms would lose the difference.
fn log_step(x: f64, a: f64) -> f64 {
    if x < 1000.0 {
        return log_factorial(x + a - 1.0) - log_factorial(x - 1.0);
    }
    let b = a * (a - 1.0);
    a * x.ln() + b / (2.0 * x) - b * (2.0 * a - 1.0) / (12.0 * x * x) + b * b / (12.0 * x * x * x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_factorials_are_those_of_the_definition() {
        for (x, n) in [(-0.9, 3.0), (-0.5, 1000.0), (0.0, 12345.0), (77.7, 500.0), (1e6, 2000.0)] {
            let plain: f64 = (1..=n as u64).rev().map(|i| 1.0 / (x + i as f64)).sum();
            assert!((reciprocals(x, n) / plain - 1.0).abs() < 1e-12, "{x} {n}");
        }
        let factorial: f64 = (1..=15).map(|i| f64::from(i).ln()).sum();
        assert!((log_factorial(15.0) - factorial).abs() < 1e-12);
        assert!((log_step(7.0, 1.0) - 7f64.ln()).abs() < 1e-12);
        // With mpmath at 30 digits.
        assert!((log_step(3.2e8, -0.282) + 5.522_640_497_594_888).abs() < 1e-13);
        assert!((log_factorial(-0.5) - std::f64::consts::PI.sqrt().ln()).abs() < 1e-12);
    }

    /// Half of ten people in classes of 1, 2 and 2: 1/2, and twice 2 · 1/2 · 5/9.
    #[test]
    fn zayatz_by_hand() {
        let sample = Drawn::new(&[1, 2, 2], 10).unwrap();
        let drawn_once = 0.5 + 2.0 * 2.0 * 0.5 * (5.0 / 9.0);
        assert!((sample.by(Estimator::Zayatz).unwrap() - 2.0 * (0.5 / drawn_once)).abs() < 1e-12);
    }

    /// The values of `population/tests.rs`, which were computed elsewhere: α inside, θ not small
    /// against the population, and α = 0.
    #[test]
    fn pitman_is_that_of_the_definition() {
        let rows = |of: &[(u64, usize)]| -> Vec<u64> { of.iter().flat_map(|&(s, c)| vec![s; c]).collect() };
        let pitman = |of: &[(u64, usize)], people| Drawn::new(&rows(of), people).unwrap().pitman().unwrap();
        let near =
            |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
        let inside = [(1, 300), (2, 80), (3, 40), (8, 20)];
        near(pitman(&inside, 7_400), 860.714_275_322_063_1);
        near(pitman(&inside, 74_000_000), 32_227.399_824_944_53);
        near(pitman(&[(1, 5), (2, 20), (9, 30), (40, 20)], 20_000), 17.966_622_502_265_07);
    }
}
