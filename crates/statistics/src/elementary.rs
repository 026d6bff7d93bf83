//! Logarithm and exponential with outward rounding.
//!
//! The functions of the standard library have no stated accuracy, so both are series with a bound
//! on the rest: the logarithm by the inverse hyperbolic tangent after taking out a power of two,
//! the exponential by Taylor's series after taking out a power of two [Muller 2016, 6]. Each costs
//! about twenty operations on enclosures.

use std::f64::consts::{LN_2, SQRT_2};

use crate::rounding::Enclosure;

/// ln 2 = 0.693147180369123816… + 1.908214929270587700…e-10: a float with so few bits that its
/// products with whole numbers below 2^20 are exact, and the rest.
const LN2_FIRST: Enclosure = Enclosure::point(f64::from_bits(0x3fe6_2e42_fee0_0000));
const LN2_REST: Enclosure = {
    let rest = f64::from_bits(0x3dea_39ef_3579_3c76);
    Enclosure { low: rest.next_down(), high: rest.next_up() }
};
/// Terms of the series of the logarithm: the rest is below 2^-65.
const LOG_TERMS: i32 = 13;
/// Terms of the series of the exponential: the rest is below 2^-75.
const EXP_TERMS: i32 = 18;

/// A positive float as m·2^e with m in [√½, √2).
fn split(x: f64) -> (f64, i32) {
    // Subnormal numbers are scaled first.
    let (x, shift) = if x < f64::MIN_POSITIVE { (x * 2f64.powi(54), 54) } else { (x, 0) };
    let bits = x.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i32 - 1023;
    let mantissa = f64::from_bits((bits & !(0x7ff << 52)) | (1023 << 52));
    match mantissa >= SQRT_2 {
        true => (mantissa / 2.0, exponent + 1 - shift),
        false => (mantissa, exponent - shift),
    }
}

/// n·ln 2.
fn times_ln2(n: f64) -> Enclosure {
    LN2_FIRST * Enclosure::point(n) + LN2_REST * Enclosure::point(n)
}

/// ln x of a positive float.
fn ln_point(x: f64) -> Enclosure {
    if x == f64::INFINITY {
        return Enclosure::point(x);
    }
    let (mantissa, exponent) = split(x);
    let m = Enclosure::point(mantissa);
    let one = Enclosure::point(1.0);
    let s = (m - one) / (m + one);
    let square = s.square();
    let mut series = Enclosure::ZERO;
    for j in (0..LOG_TERMS).rev() {
        series = one / Enclosure::point(f64::from(2 * j + 1)) + square * series;
    }
    // The terms after the last one form less than a geometric series, and square is below 0.03.
    let mut rest = Enclosure::point(1.1);
    (0..LOG_TERMS).for_each(|_| rest = rest * square);
    let series = series + Enclosure { low: 0.0, high: rest.high };
    Enclosure::point(2.0) * s * series + times_ln2(f64::from(exponent))
}

/// e^x of a float.
fn exp_point(x: f64) -> Enclosure {
    if x > 710.0 {
        return Enclosure { low: f64::MAX, high: f64::INFINITY };
    }
    if x < -700.0 {
        return Enclosure { low: 0.0, high: 1e-300 };
    }
    let power = (x / LN_2).round();
    let r = Enclosure::point(x) - times_ln2(power);
    let one = Enclosure::point(1.0);
    let mut series = one;
    for j in (1..EXP_TERMS).rev() {
        series = one + r * series / Enclosure::point(f64::from(j));
    }
    // |r| ≤ 0.35 and 18! > 2^52: all later terms are below 2^-75.
    let rest = 2f64.powi(-75);
    let series = series + Enclosure { low: -rest, high: rest };
    // In two steps, so that the power itself does not overflow.
    let half = (power as i32) / 2;
    series * Enclosure::point(2f64.powi(half)) * Enclosure::point(2f64.powi(power as i32 - half))
}

impl Enclosure {
    /// The natural logarithm of what is positive in it; minus infinity at zero.
    #[must_use]
    pub fn ln(self) -> Self {
        let at = |x: f64| if x > 0.0 { ln_point(x) } else { Enclosure::point(f64::NEG_INFINITY) };
        Enclosure { low: at(self.low).low, high: at(self.high).high }
    }

    /// The exponential.
    #[must_use]
    pub fn exp(self) -> Self {
        let at = |x: f64| match x {
            f64::NEG_INFINITY => Enclosure::ZERO,
            f64::INFINITY => Enclosure::point(x),
            x => exp_point(x),
        };
        Enclosure { low: at(self.low).low.max(0.0), high: at(self.high).high }
    }
}

/// A running product of positive floats, as m·2^e: no product of a table leaves the range of
/// floats.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Product {
    mantissa: Enclosure,
    exponent: i64,
}

impl Default for Product {
    fn default() -> Self {
        Product { mantissa: Enclosure::point(1.0), exponent: 0 }
    }
}

impl Product {
    /// Multiplies by a positive float.
    pub fn multiply(&mut self, x: f64) {
        let (mantissa, exponent) = split(x);
        self.mantissa = self.mantissa * Enclosure::point(mantissa);
        self.exponent += i64::from(exponent);
        self.settle();
    }

    /// Takes a power of two out of the mantissa, exactly.
    fn settle(&mut self) {
        if self.mantissa.low > 1e100 || self.mantissa.high < 1e-100 {
            let power = split(self.mantissa.high).1;
            self.mantissa = self.mantissa * Enclosure::point(2f64.powi(-power));
            self.exponent += i64::from(power);
        }
    }

    /// Multiplies by another product.
    pub fn merge(&mut self, other: &Product) {
        self.mantissa = self.mantissa * other.mantissa;
        self.exponent += other.exponent;
        self.settle();
    }

    /// The logarithm of the product.
    pub fn ln(&self) -> Enclosure {
        self.mantissa.ln() + times_ln2(self.exponent as f64)
    }
}

#[cfg(test)]
mod tests {
    use num_bigint::BigInt;
    use num_rational::Ratio;
    use num_traits::{One, Zero};
    use proptest::prelude::*;

    use super::*;

    type Exact = Ratio<BigInt>;

    /// e^x between two fractions, by a hundred terms of its series.
    fn exp_between(x: &Exact) -> (Exact, Exact) {
        let (mut term, mut sum) = (Exact::one(), Exact::zero());
        for j in 1..60 {
            sum += &term;
            term = term * x / Exact::from_integer(j.into());
        }
        let rest = if term < Exact::zero() { -term } else { term } * Exact::from_integer(2.into());
        (&sum - &rest, sum + rest)
    }

    #[test]
    fn the_logarithm_of_two_lies_within() {
        let two = times_ln2(1.0);
        assert!(exp_between(&Ratio::from_float(two.low).unwrap()).0 <= Exact::from_integer(2.into()));
        assert!(exp_between(&Ratio::from_float(two.high).unwrap()).1 >= Exact::from_integer(2.into()));
        assert!(two.high <= two.low.next_up());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn the_exponential_lies_within(x in -8.0..8f64) {
            let found = Enclosure::point(x).exp();
            let (low, high) = exp_between(&Ratio::from_float(x).unwrap());
            prop_assert!(Ratio::from_float(found.low).unwrap() <= high);
            prop_assert!(Ratio::from_float(found.high).unwrap() >= low);
            prop_assert!(found.width() <= 1e-14 * found.high, "{found:?}");
        }

        /// ln x lies in [a, b] if and only if e^a ≤ x ≤ e^b.
        #[test]
        fn the_logarithm_lies_within(x in 1e-3..1e3f64) {
            let found = Enclosure::point(x).ln();
            let truth: Exact = Ratio::from_float(x).unwrap();
            prop_assert!(exp_between(&Ratio::from_float(found.low).unwrap()).0 <= truth);
            prop_assert!(exp_between(&Ratio::from_float(found.high).unwrap()).1 >= truth);
            prop_assert!(found.width() <= 1e-14 * found.magnitude().max(1.0), "{found:?}");
        }

        #[test]
        fn a_product_lies_within(factors in prop::collection::vec(1e-3..1e6f64, 1..300), cut in 0usize..300) {
            let (first, second) = factors.split_at(cut.min(factors.len()));
            let [mut a, mut b] = [Product::default(); 2];
            first.iter().for_each(|&x| a.multiply(x));
            second.iter().for_each(|&x| b.multiply(x));
            a.merge(&b);
            let sum: f64 = factors.iter().map(|x| x.ln()).sum();
            let found = a.ln();
            prop_assert!((found.mid() - sum).abs() <= 1e-10 * sum.abs().max(1.0), "{found:?} {sum}");
            let mut exact = Exact::one();
            if factors.len() < 8 {
                factors.iter().for_each(|&x| exact *= Exact::from_float(x).unwrap());
                let inside = found.exp();
                prop_assert!(Exact::from_float(inside.low).unwrap() <= exact);
                prop_assert!(Exact::from_float(inside.high).unwrap() >= exact);
            }
        }
    }

    #[test]
    fn ends_are_kept() {
        assert_eq!(Enclosure::point(1.0).ln(), Enclosure::ZERO);
        assert_eq!(Enclosure::ZERO.ln().high, f64::NEG_INFINITY);
        assert!(Enclosure::point(0.0).exp().has(1.0));
        assert_eq!(Enclosure::ANY.exp(), Enclosure { low: 0.0, high: f64::INFINITY });
        assert!(Enclosure::point(5e-324).ln().has(-744.440_071_921_381_2));
    }
}
