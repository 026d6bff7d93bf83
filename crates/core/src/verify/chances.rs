//! Binomial chances for the judge alone: the lower limit of a share (Clopper and Pearson 1934), and how many successes are as good as
//! certain.
//!
//! Plainer than what the search uses: the incomplete beta function is its power series (Abramowitz and Stegun 26.5.4), binomial chances are added up one by one. Costs some
//! √(rows) terms for each of 60 halvings, and a step per success from far below the mean.

/// ln Γ(x) for x > 0, by Stirling's series above 20 and the recurrence below.
fn ln_gamma(x: f64) -> f64 {
    if x < 20.0 {
        return ln_gamma(x + 1.0) - x.ln();
    }
    (x - 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln() + rest(x)
}

/// What Stirling's formula leaves out.
fn rest(x: f64) -> f64 {
    let square = x * x;
    1.0 / (12.0 * x) - 1.0 / (360.0 * x * square) + 1.0 / (1260.0 * x * square * square)
}

/// ln Γ(y) − ln Γ(y − f), for 0 ≤ f < y.
fn ln_fall(y: f64, f: f64) -> f64 {
    if y - f < 20.0 {
        return ln_gamma(y) - ln_gamma(y - f);
    }
    f * (y - f).ln() - (y - 0.5) * (-f / y).ln_1p() - f + rest(y) - rest(y - f)
}

/// P(Beta(a, b) ≤ x) by its series; for x not far above the mean.
fn series(x: f64, a: f64, b: f64) -> f64 {
    let front = a * x.ln() + b * (-x).ln_1p() + ln_fall(a + b, a) - ln_gamma(a) - a.ln();
    let (mut term, mut sum, mut at) = (1.0, 1.0, 0.0);
    while term > 1e-17 * sum {
        term *= (a + b + at) / (a + 1.0 + at) * x;
        sum += term;
        at += 1.0;
    }
    (front + f64::ln(sum)).exp()
}

/// The share below which x successes of n and more would be as unlikely as the error.
pub(super) fn lower_limit(x: f64, n: f64, error: f64) -> f64 {
    let (a, b) = (x, n - x + 1.0);
    let reached = |p: f64| match a > b {
        true => 1.0 - series(1.0 - p, b, a) >= error,
        false => series(p, a, b) >= error,
    };
    let (mut low, mut high) = (0.0, (x + 1.0) / (n + 1.0));
    for _ in 0..2000 {
        let mid = low + (high - low) / 2.0;
        if mid <= low || mid >= high {
            break;
        }
        if reached(mid) { high = mid } else { low = mid }
    }
    high
}

/// The most successes, up to a number, that so many trials fall short of with at most the error.
pub(super) fn surely(trials: u64, p: f64, error: f64, up_to: u64) -> u64 {
    let up_to = up_to.min(trials);
    let mean = trials as f64 * p;
    // Below this, 25 standard deviations, there are next to no chances; much further below there would be no number for them.
    let first = (mean - 25.0 * (mean * (1.0 - p)).sqrt() - 1.0).max(0.0).floor() as u64;
    if first >= up_to || p >= 1.0 {
        return up_to;
    }
    let (n, from) = (trials as f64, first as f64);
    let ways = ln_fall(n + 1.0, from) - ln_gamma(from + 1.0);
    let mut chance = (ways + from * p.ln().max(f64::MIN) + (n - from) * (-p).ln_1p()).exp();
    let mut short = 0.0;
    for m in first..up_to {
        short += chance;
        if short > error {
            return m;
        }
        chance *= (trials - m) as f64 / (m + 1) as f64 * (p / (1.0 - p));
    }
    up_to
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// P(Bin(n, p) ≥ m) from products.
    fn tail(m: u64, n: u64, p: f64) -> f64 {
        let ways = |j: u64| (0..j).map(|i| (n - i) as f64 / (i + 1) as f64).product::<f64>();
        (m..=n).map(|j| ways(j) * p.powi(j as i32) * (1.0 - p).powi((n - j) as i32)).sum()
    }

    #[test]
    fn limits_of_closed_form() {
        // One of n: 1 − (1 − p)^n is the error. All of n: p^n is.
        for (n, error) in [(10.0f64, 0.025f64), (1000.0, 0.05), (30_162.0, 0.0005)] {
            let one = -((-error).ln_1p() / n).exp_m1();
            assert!((lower_limit(1.0, n, error) / one - 1.0).abs() < 1e-9);
            let all = error.powf(1.0 / n);
            assert!((lower_limit(n, n, error) - all).abs() < 1e-9);
        }
        assert_eq!(surely(5, 1.0, 0.1, 9), 5);
        assert_eq!(surely(5, 0.0, 0.1, 9), 0);
        assert_eq!(surely(300_000_000, 0.5, 0.025, 7), 7);
        // Mean 150 million, standard deviation 8,660; 1.96 of these below it.
        let most = surely(300_000_000, 0.5, 0.025, u64::MAX) as f64;
        assert!((most - (150e6 - 1.96 * 8660.25)).abs() < 3.0, "{most}");
    }

    proptest! {
        #[test]
        fn limits_and_successes_are_those_of_the_sums(n in 1u64..50, part in 0.0f64..1.0, p in 0.001f64..0.999, error in 0.001f64..0.5) {
            let x = 1 + (part * (n as f64 - 1.0)) as u64;
            let limit = lower_limit(x as f64, n as f64, error);
            prop_assert!((tail(x, n, limit) - error).abs() < 1e-9, "{}", limit);
            let most = surely(n, p, error, u64::MAX);
            prop_assert!(tail(most, n, p) >= 1.0 - error - 1e-9);
            prop_assert!(most == n || tail(most + 1, n, p) < 1.0 - error + 1e-9);
        }
    }
}
