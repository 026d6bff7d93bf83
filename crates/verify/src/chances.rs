//! Binomial probabilities for the verifier: the lower confidence limit of a share [Clopper 1934],
//! and the number of successes that is reached with high probability.
//!
//! Plainer than what the search uses: the incomplete beta function is its power series (Abramowitz
//! and Stegun 26.5.4), binomial chances are added up one by one. Costs some √(rows) terms for each
//! of 60 halvings, and a step per success from far below the mean.
//!
//! The `statrs` crate has these functions too, and the tests compare with it. It is not used for
//! claims: it subtracts logarithms of large factorials, which leaves 6 to 7 digits of a chance
//! among 300 million people (the tests show that), and a claim is a whole number that a chance on
//! the wrong side of the error would change.

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

/// The largest number of successes, up to a limit, that this many trials reach except with at most
/// the error.
pub(super) fn surely(trials: u64, p: f64, error: f64, up_to: u64) -> u64 {
    let up_to = up_to.min(trials);
    let mean = trials as f64 * p;
    // Below this, 25 standard deviations, there are next to no chances; much further below there
    // would not be a number for them.
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
    use statrs::function::beta::beta_reg;

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

    /// What a function of two shapes and a share makes of the chance that one of n or more
    /// succeeds, beside 1 − (1 − p)^n: the largest relative error.
    fn error_of_one(beta: impl Fn(f64, f64, f64) -> f64) -> f64 {
        let error = |n: f64| {
            let p = 1.0 / n;
            (beta(p, 1.0, n) / -(n * (-p).ln_1p()).exp_m1() - 1.0).abs()
        };
        (0..200).map(|i| error(300_000_000.0 + f64::from(i) * 12_345.0)).fold(0.0, f64::max)
    }

    /// Why `statrs` does not judge: where it gets sharp enough for this to fail, it can.
    #[test]
    fn the_series_keeps_the_digits_that_statrs_loses() {
        assert!(error_of_one(series) < 1e-12, "{}", error_of_one(series));
        let theirs = error_of_one(|x, a, b| beta_reg(a, b, x));
        assert!(theirs > 1e-8, "{theirs}");
    }

    proptest! {
        /// Up to 10,000 rows: the largest relative error seen of `statrs` was below 10⁻⁹.
        #[test]
        fn the_series_is_the_function_of_statrs(n in 1u32..10_000, part in 0.0f64..1.0, below in 0.0f64..6.0) {
            let n = f64::from(n);
            let (a, b) = (1.0 + (part * (n - 1.0)).floor(), n - (part * (n - 1.0)).floor());
            let mean = a / (a + b);
            let x = mean - below * (mean * (1.0 - mean) / (a + b + 1.0)).sqrt();
            prop_assume!(x > 0.0);
            let (own, theirs) = (series(x, a, b), beta_reg(a, b, x));
            prop_assert!((own - theirs).abs() < 1e-9 * theirs, "{} {}", own, theirs);
        }

        /// The limit against a bisection of `statrs`'s function, and successes against its sums.
        #[test]
        fn limits_and_successes_are_those_of_statrs(
            n in 1u32..5000, part in 0.0f64..1.0, p in 0.001f64..0.999, error in 0.001f64..0.4,
        ) {
            let rows = f64::from(n);
            let x = 1.0 + (part * (rows - 1.0)).floor();
            let limit = lower_limit(x, rows, error);
            prop_assert!((beta_reg(x, rows - x + 1.0, limit) - error).abs() < 1e-9, "{}", limit);
            // P(X ≥ m) of n trials.
            let reached = |m: u64| match m {
                0 => 1.0,
                m if m > u64::from(n) => 0.0,
                m => beta_reg(m as f64, rows - m as f64 + 1.0, p),
            };
            let most = surely(u64::from(n), p, error, u64::MAX);
            prop_assert!(reached(most) >= 1.0 - error - 1e-9);
            prop_assert!(reached(most + 1) < 1.0 - error + 1e-9);
        }

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
