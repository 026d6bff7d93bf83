//! The logarithm of the gamma function and its derivatives, for positive arguments.
//!
//! Upward recurrence to 12 and more, then Stirling's series (Abramowitz and Stegun 6.1.40, 6.3.18): about 14 digits in some 30 ns.

/// The argument from which the series is exact to the last digits.
const LARGE: f64 = 12.0;

/// ln Γ(x).
pub fn ln_gamma(mut x: f64) -> f64 {
    let mut product = 1.0;
    while x < LARGE {
        product *= x;
        x += 1.0;
    }
    let r = 1.0 / (x * x);
    let series = (1.0 / 12.0 - r * (1.0 / 360.0 - r * (1.0 / 1260.0 - r * (1.0 / 1680.0 - r / 1188.0)))) / x;
    (x - 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln() + series - product.ln()
}

/// ψ(x), the derivative of ln Γ.
pub fn digamma(mut x: f64) -> f64 {
    let mut sum = 0.0;
    while x < LARGE {
        sum += 1.0 / x;
        x += 1.0;
    }
    let r = 1.0 / (x * x);
    let series =
        r * (1.0 / 12.0 - r * (1.0 / 120.0 - r * (1.0 / 252.0 - r * (1.0 / 240.0 - r * (1.0 / 132.0)))));
    x.ln() - 0.5 / x - series - sum
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn known_values() {
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-13 * b.abs().max(1.0), "{a} is not {b}");
        near(ln_gamma(1.0), 0.0);
        near(ln_gamma(0.5), std::f64::consts::PI.sqrt().ln());
        near(ln_gamma(11.0), 3_628_800f64.ln());
        near(digamma(1.0), -0.577_215_664_901_532_9);
        near(digamma(0.5), -0.577_215_664_901_532_9 - 2.0 * std::f64::consts::LN_2);
    }

    proptest! {
        #[test]
        fn differences_are_sums_and_logarithms(x in 0.01f64..1e6, steps in 1u32..50) {
            let sum: f64 = (0..steps).map(|i| 1.0 / (x + f64::from(i))).sum();
            let log: f64 = (0..steps).map(|i| (x + f64::from(i)).ln()).sum();
            let y = x + f64::from(steps);
            prop_assert!((digamma(y) - digamma(x) - sum).abs() < 1e-12 * sum.max(1.0) + 1e-13 * y.ln().abs());
            prop_assert!((ln_gamma(y) - ln_gamma(x) - log).abs() < 1e-13 * ln_gamma(y).abs().max(10.0));
        }
    }
}
