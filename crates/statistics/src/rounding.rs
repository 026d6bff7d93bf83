//! Arithmetic that never loses the true value: every operation rounds outward.
//!
//! An [`Enclosure`] holds a number between two floats. Sums, products, quotients and roots compute
//! their rounding error exactly [Dekker 1971; Knuth 1997, 4.2.2] and step to the next float where
//! that error is on the wrong side. So results of short integers stay exact. Outside the range
//! where the error is a float itself, a step is always taken. [`Sum`] adds many numbers and loses
//! almost nothing: it carries the errors of a running sum and a bound on theirs [Ogita 2005]. Each
//! operation costs a few floating-point operations.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// The error of a product is a float if both factors are within these powers of two.
const LEAST: f64 = 3.2e-145;
const GREATEST: f64 = 3.1e144;

/// The rounded sum and its error, exactly.
#[inline]
pub(crate) fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let other = sum - a;
    (sum, (a - (sum - other)) + (b - other))
}

/// The rounded product and its error, exactly; none where the error need not be a float.
#[inline]
fn two_product(a: f64, b: f64) -> Option<(f64, f64)> {
    let safe = |x: f64| (LEAST..GREATEST).contains(&x.abs());
    if !(safe(a) && safe(b)) {
        return None;
    }
    // 2^27 + 1 cuts a float into two halves of at most 26 bits.
    let halves = |x: f64| {
        let shifted = 134_217_729.0 * x;
        let high = shifted - (shifted - x);
        (high, x - high)
    };
    let product = a * b;
    let ((ah, al), (bh, bl)) = (halves(a), halves(b));
    Some((product, ((ah * bh - product) + ah * bl + al * bh) + al * bl))
}

/// The greatest float that is at most a + b.
#[inline]
pub(crate) fn add_down(a: f64, b: f64) -> f64 {
    let (sum, error) = two_sum(a, b);
    if sum.is_finite() {
        return if error >= 0.0 { sum } else { sum.next_down() };
    }
    infinite_down(sum, a, b)
}

/// The least float that is at least a + b.
#[inline]
pub(crate) fn add_up(a: f64, b: f64) -> f64 {
    -add_down(-a, -b)
}

/// The lower bound of a result that is not finite: an overflow is at least the greatest float, an
/// undefined one can be anything.
fn infinite_down(result: f64, a: f64, b: f64) -> f64 {
    if result != f64::INFINITY {
        return f64::NEG_INFINITY;
    }
    if a.is_infinite() || b.is_infinite() { f64::INFINITY } else { f64::MAX }
}

/// A float that is at most a·b, and the greatest one within the usual range. Zero times infinity is
/// zero: an infinite end stands for finite numbers without a bound.
#[inline]
pub(crate) fn mul_down(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 {
        return 0.0;
    }
    match two_product(a, b) {
        Some((product, error)) => {
            if error >= 0.0 {
                product
            } else {
                product.next_down()
            }
        }
        None if (a * b).is_finite() => (a * b).next_down(),
        None => infinite_down(a * b, a, b),
    }
}

/// A float that is at least a·b.
#[inline]
pub(crate) fn mul_up(a: f64, b: f64) -> f64 {
    -mul_down(-a, b)
}

/// A float that is at most a/b, for a b that is not zero.
fn div_down(a: f64, b: f64) -> f64 {
    if a == 0.0 || b.is_infinite() {
        return if a.is_infinite() { f64::NEG_INFINITY } else { 0.0 };
    }
    let quotient = a / b;
    if !quotient.is_finite() {
        return infinite_down(quotient, a, 1.0);
    }
    match two_product(quotient, b) {
        // a − product is exact: the two are nearly equal.
        Some((product, error)) if a.abs() > LEAST => {
            let rest = (a - product) - error;
            if rest == 0.0 || (rest > 0.0) == (b > 0.0) { quotient } else { quotient.next_down() }
        }
        _ => quotient.next_down(),
    }
}

fn div_up(a: f64, b: f64) -> f64 {
    -div_down(-a, b)
}

/// A float that is at most √a, for an a that is not negative.
fn sqrt_down(a: f64) -> f64 {
    let root = a.sqrt();
    match two_product(root, root) {
        Some((product, error)) if a.is_finite() => {
            if (a - product) - error >= 0.0 {
                root
            } else {
                root.next_down()
            }
        }
        _ if a == 0.0 || a.is_infinite() => root,
        _ => root.next_down(),
    }
}

fn sqrt_up(a: f64) -> f64 {
    let root = a.sqrt();
    match two_product(root, root) {
        Some((product, error)) if a.is_finite() => {
            if (a - product) - error <= 0.0 {
                root
            } else {
                root.next_up()
            }
        }
        _ if a == 0.0 || a.is_infinite() => root,
        _ => root.next_up(),
    }
}

/// A number between two floats; infinite ends stand for no bound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Enclosure {
    /// At most the number.
    pub low: f64,
    /// At least the number.
    pub high: f64,
}

impl Enclosure {
    /// Any number.
    pub const ANY: Enclosure = Enclosure { low: f64::NEG_INFINITY, high: f64::INFINITY };

    /// Between two floats, in either order.
    pub fn between(a: f64, b: f64) -> Self {
        Enclosure { low: a.min(b), high: a.max(b) }
    }

    /// Exactly a float.
    pub const fn point(x: f64) -> Self {
        Enclosure { low: x, high: x }
    }

    /// Exactly zero.
    pub const ZERO: Enclosure = Enclosure::point(0.0);

    /// The square.
    #[must_use]
    pub fn square(self) -> Self {
        let (least, most) = (self.magnitude_low(), self.magnitude());
        Enclosure { low: mul_down(least, least), high: mul_up(most, most) }
    }

    /// The third power.
    #[must_use]
    pub fn cube(self) -> Self {
        let down = |x: f64| if x >= 0.0 { mul_down(mul_down(x, x), x) } else { mul_down(mul_up(x, x), x) };
        Enclosure { low: down(self.low), high: -down(-self.high) }
    }

    /// The square root of what is not negative in it.
    #[must_use]
    pub fn sqrt(self) -> Self {
        Enclosure { low: sqrt_down(self.low.max(0.0)), high: sqrt_up(self.high.max(0.0)) }
    }

    /// The greatest absolute value.
    pub fn magnitude(self) -> f64 {
        self.low.abs().max(self.high.abs())
    }

    /// The least absolute value.
    pub fn magnitude_low(self) -> f64 {
        if self.low > 0.0 { self.low } else { (-self.high).max(0.0) }
    }

    /// Whether a number lies in it.
    pub fn has(self, x: f64) -> bool {
        self.low <= x && x <= self.high
    }

    /// Everything in either.
    #[must_use]
    pub fn hull(self, other: Self) -> Self {
        Enclosure { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// What is known if both are true; they have a number in common.
    #[must_use]
    pub fn meet(self, other: Self) -> Self {
        Enclosure { low: self.low.max(other.low), high: self.high.min(other.high) }
    }

    /// The width, rounded up.
    pub fn width(self) -> f64 {
        add_up(self.high, -self.low)
    }

    /// A float in the middle.
    pub fn mid(self) -> f64 {
        f64::midpoint(self.low, self.high)
    }
}

impl From<f64> for Enclosure {
    fn from(x: f64) -> Self {
        Enclosure::point(x)
    }
}

impl Add for Enclosure {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Enclosure { low: add_down(self.low, other.low), high: add_up(self.high, other.high) }
    }
}

impl Neg for Enclosure {
    type Output = Self;
    fn neg(self) -> Self {
        Enclosure { low: -self.high, high: -self.low }
    }
}

impl Sub for Enclosure {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Enclosure {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        if self.low >= 0.0 && other.low >= 0.0 {
            return Enclosure { low: mul_down(self.low, other.low), high: mul_up(self.high, other.high) };
        }
        let ends =
            [(self.low, other.low), (self.low, other.high), (self.high, other.low), (self.high, other.high)];
        Enclosure {
            low: ends.iter().fold(f64::INFINITY, |least, &(a, b)| least.min(mul_down(a, b))),
            high: ends.iter().fold(f64::NEG_INFINITY, |most, &(a, b)| most.max(mul_up(a, b))),
        }
    }
}

impl Div for Enclosure {
    type Output = Self;
    /// Any number where the divisor can be zero.
    fn div(self, other: Self) -> Self {
        if other.has(0.0) {
            return Enclosure::ANY;
        }
        let ends =
            [(self.low, other.low), (self.low, other.high), (self.high, other.low), (self.high, other.high)];
        Enclosure {
            low: ends.iter().fold(f64::INFINITY, |least, &(a, b)| least.min(div_down(a, b))),
            high: ends.iter().fold(f64::NEG_INFINITY, |most, &(a, b)| most.max(div_up(a, b))),
        }
    }
}

/// A running sum of floats that encloses the true sum.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sum {
    sum: f64,
    /// The errors of `sum`, added up.
    errors: f64,
    /// At least the errors of `errors`, but for its own rounding.
    slack: f64,
    /// The infinite numbers: minus and plus.
    infinite: [bool; 2],
}

/// Half a unit in the last place of 1: the greatest relative error of an operation.
const UNIT: f64 = f64::EPSILON / 2.0;

impl Sum {
    /// Adds a number.
    #[inline]
    pub fn add(&mut self, x: f64) {
        if !x.is_finite() {
            self.infinite[usize::from(x > 0.0)] = true;
            return;
        }
        let (sum, error) = two_sum(self.sum, x);
        self.sum = sum;
        self.errors += error;
        // Where nothing was lost, the errors are still 0, and so is this.
        self.slack += self.errors.abs() * UNIT;
    }

    /// Adds the square of a − b, times a sign of 1 or −1; nothing is lost but what the slack
    /// covers.
    #[inline]
    pub fn add_square(&mut self, a: f64, b: f64, sign: f64) {
        let (d, error) = two_sum(a, -b);
        let Some((square, rest)) = two_product(d, d) else {
            let d = Enclosure::point(a) - Enclosure::point(b);
            return self.add_enclosed(Enclosure::point(sign) * d.square());
        };
        self.add(sign * square);
        self.add(sign * rest);
        if error != 0.0 {
            // (d + e)² = d² + 2de + e².
            let twice = 2.0 * d * error;
            self.add(sign * twice);
            self.slack += twice.abs() * f64::EPSILON + error * error + f64::MIN_POSITIVE;
        }
    }

    /// Adds a number that lies in an enclosure.
    pub fn add_enclosed(&mut self, x: Enclosure) {
        let middle = x.mid();
        if !(middle.is_finite() && x.width().is_finite()) {
            self.infinite = [true; 2];
            return;
        }
        self.add(middle);
        if x.low < x.high {
            self.slack += x.width();
        }
    }

    /// Adds what another sum has added.
    pub fn merge(&mut self, other: &Sum) {
        self.add(other.sum);
        self.add(other.errors);
        self.slack += other.slack;
        (0..2).for_each(|sign| self.infinite[sign] |= other.infinite[sign]);
    }

    /// What the true sum lies in.
    pub fn total(&self) -> Enclosure {
        // Errors are finite unless the sum itself has left the range of floats.
        if !(self.sum.is_finite() && self.errors.is_finite() && self.slack.is_finite()) {
            return Enclosure::ANY;
        }
        // The slack is a sum of positive floats: fewer than 2^33 additions lose less than a
        // millionth of it. What is below the range of floats is covered by the least of them.
        let slack = if self.slack > 0.0 { self.slack * (1.0 + 1e-6) + f64::MIN_POSITIVE } else { 0.0 };
        let slack = Enclosure { low: -slack, high: slack };
        let finite = Enclosure::point(self.sum) + (Enclosure::point(self.errors) + slack);
        match self.infinite {
            [false, false] => finite,
            [true, false] => Enclosure::point(f64::NEG_INFINITY),
            [false, true] => Enclosure::point(f64::INFINITY),
            [true, true] => Enclosure::ANY,
        }
    }
}

/// A running sum of enclosures.
#[derive(Debug, Clone, Copy, Default)]
pub struct EnclosedSum {
    low: Sum,
    high: Sum,
}

impl EnclosedSum {
    /// Adds a term.
    #[inline]
    pub fn add(&mut self, x: Enclosure) {
        self.low.add(x.low);
        self.high.add(x.high);
    }

    /// Adds what another sum has added.
    pub fn merge(&mut self, other: &EnclosedSum) {
        self.low.merge(&other.low);
        self.high.merge(&other.high);
    }

    /// What the true sum lies in.
    pub fn total(&self) -> Enclosure {
        Enclosure { low: self.low.total().low, high: self.high.total().high }
    }
}

#[cfg(test)]
#[path = "rounding_tests.rs"]
mod tests;
