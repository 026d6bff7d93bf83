//! The regularized incomplete beta function, and the binomial tail.
//!
//! P(Bin(n, p) ≥ m) = I_p(m, n − m + 1); for a fractional m the function interpolates (Abramowitz
//! and Stegun 26.5.24). Lentz's algorithm for the continued fraction (Numerical Recipes 6.4): about
//! √(a + b) steps at worst, about 11 digits.

use super::gamma::{ln_gamma, ln_ratio};

/// Steps of the fraction before it is taken as it is; it needs far fewer.
const STEPS: u32 = 100_000;

/// I_x(a, b) for a, b > 0.
pub fn beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let front = (a * x.ln() + b * (-x).ln_1p() - ln_beta(a, b)).exp();
    // The fraction is quick below the mean; above it the other end is.
    if x < (a + 1.0) / (a + b + 2.0) {
        front * fraction(x, a, b) / a
    } else {
        1.0 - front * fraction(1.0 - x, b, a) / b
    }
}

/// P(Bin(n, p) ≥ m).
pub fn at_least(m: u64, n: u64, p: f64) -> f64 {
    match m {
        0 => 1.0,
        m if m > n => 0.0,
        m => beta(p, m as f64, (n - m + 1) as f64),
    }
}

/// ln B(a, b), the larger argument taken as a ratio so that no digits are lost to it.
fn ln_beta(a: f64, b: f64) -> f64 {
    let (small, large) = if a < b { (a, b) } else { (b, a) };
    ln_gamma(small) - ln_ratio(large, small)
}

fn fraction(x: f64, a: f64, b: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away = |v: f64| if v.abs() < TINY { TINY } else { v };
    let mut c = 1.0;
    let mut d = 1.0 / away(1.0 - (a + b) * x / (a + 1.0));
    let mut h = d;
    for m in 1..=STEPS {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / away(1.0 + even * d);
        c = away(1.0 + even / c);
        h *= d * c;
        d = 1.0 / away(1.0 + odd * d);
        c = away(1.0 + odd / c);
        h *= d * c;
        if (d * c - 1.0).abs() < 1e-16 {
            break;
        }
    }
    h
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn closed_forms() {
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-13 * b.abs().max(1e-3), "{a} is not {b}");
        for x in [0.001f64, 0.1, 0.5, 0.77, 0.999] {
            near(beta(x, 1.0, 1.0), x);
            near(beta(x, 2.5, 1.0), x.powf(2.5));
            near(beta(x, 1.0, 3.5), 1.0 - (1.0 - x).powf(3.5));
            near(beta(x, 0.5, 0.5), 2.0 / std::f64::consts::PI * x.sqrt().asin());
            near(beta(x, 2.0, 3.0), x * x * (6.0 - 8.0 * x + 3.0 * x * x));
        }
        assert_eq!((beta(0.0, 2.0, 3.0), beta(1.0, 2.0, 3.0)), (0.0, 1.0));
        assert_eq!((at_least(0, 5, 0.1), at_least(6, 5, 0.9)), (1.0, 0.0));
        near(at_least(5, 5, 0.9), 0.9f64.powi(5));
        near(at_least(1, 5, 0.9), 1.0 - 0.1f64.powi(5));
        // Three of 300 million, each with one chance in 100 million: Poisson of 3 to seven digits
        // and more.
        let poisson = 1.0 - (-3.0f64).exp() * (1.0 + 3.0 + 4.5);
        assert!((at_least(3, 300_000_000, 1e-8) - poisson).abs() < 1e-7);
    }

    proptest! {
        #[test]
        fn the_tail_of_the_binomial_is_its_sum(n in 1u64..60, m in 0u64..62, p in 0.001f64..0.999) {
            let mut sum = 0.0;
            for j in m..=n {
                let ways: f64 = (0..j).map(|i| (n - i) as f64 / (i + 1) as f64).product();
                sum += ways * p.powi(j as i32) * (1.0 - p).powi((n - j) as i32);
            }
            prop_assert!((at_least(m, n, p) - sum).abs() < 1e-11, "{} {}", at_least(m, n, p), sum);
        }

        #[test]
        fn it_turns_around(x in 0.001f64..0.999, a in 0.01f64..5000.0, b in 0.01f64..5000.0) {
            prop_assert!((beta(x, a, b) + beta(1.0 - x, b, a) - 1.0).abs() < 1e-9);
            // I_x(a, b) = I_x(a + 1, b) + x^a (1 − x)^b / (a B(a, b)).
            let step = (a * x.ln() + b * (1.0 - x).ln() - ln_beta(a, b)).exp() / a;
            prop_assert!((beta(x, a, b) - beta(x, a + 1.0, b) - step).abs() < 1e-9);
        }
    }
}
