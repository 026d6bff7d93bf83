//! Rates with intervals: how often an attack succeeds, and how much more often than its control.
//!
//! Intervals are Wilson's score intervals at 95 % [Wilson 1927]. The risk above a control is the
//! share of the success that the control does not explain, (attack − control) / (1 − control), as
//! Anonymeter defines it [Giomi 2023]; its interval is Newcombe's, from the limits of both rates
//! [Newcombe 1998].

use serde::Serialize;

/// The standard normal quantile of a two-sided interval at 95 %.
pub(crate) const Z: f64 = 1.959_963_984_540_054;

/// Successes among targets.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Rate {
    /// How many were attacked.
    pub targets: u64,
    /// How many attacks succeeded.
    pub successes: u64,
    /// The share of successes; 0 without targets.
    pub rate: f64,
    /// The lower limit of its interval.
    pub low: f64,
    /// The upper limit of its interval.
    pub high: f64,
}

impl Rate {
    /// Successes among targets, with Wilson's interval.
    ///
    /// ```
    /// let rate = throng_attack::Rate::new(10, 100);
    /// assert!((rate.low - 0.0552).abs() < 1e-4 && (rate.high - 0.1744).abs() < 1e-4);
    /// ```
    pub fn new(successes: u64, targets: u64) -> Self {
        if targets == 0 {
            return Rate { targets, successes, rate: 0.0, low: 0.0, high: 1.0 };
        }
        let (n, p) = (targets as f64, successes as f64 / targets as f64);
        let z2 = Z * Z;
        let middle = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
        let half = Z / (1.0 + z2 / n) * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
        Rate {
            targets,
            successes,
            rate: p,
            low: if successes == 0 { 0.0 } else { (middle - half).max(0.0) },
            high: if successes == targets { 1.0 } else { (middle + half).min(1.0) },
        }
    }
}

/// A share with an interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Above {
    /// The share; negative where the control succeeds more often.
    pub value: f64,
    /// The lower limit.
    pub low: f64,
    /// The upper limit.
    pub high: f64,
}

impl Above {
    /// How much of an attack's success its control does not explain.
    pub fn new(attack: &Rate, control: &Rate) -> Self {
        let room = (1.0 - control.rate).max(1e-12);
        let difference = attack.rate - control.rate;
        let low = ((attack.rate - attack.low).powi(2) + (control.high - control.rate).powi(2)).sqrt();
        let high = ((attack.high - attack.rate).powi(2) + (control.rate - control.low).powi(2)).sqrt();
        let scaled = |x: f64| (x / room).clamp(-1.0, 1.0);
        Above { value: scaled(difference), low: scaled(difference - low), high: scaled(difference + high) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_success_still_has_an_upper_limit() {
        let none = Rate::new(0, 20);
        assert_eq!((none.rate, none.low), (0.0, 0.0));
        // z² / (n + z²), the known limit for no successes.
        assert!((none.high - Z * Z / (20.0 + Z * Z)).abs() < 1e-12);
        let all = Rate::new(20, 20);
        assert_eq!((all.rate, all.high), (1.0, 1.0));
        assert!((all.low - (1.0 - none.high)).abs() < 1e-12);
        assert_eq!(Rate::new(0, 0).high, 1.0);
    }

    #[test]
    fn what_the_control_explains_is_not_a_risk() {
        let rate = Rate::new(300, 1000);
        let same = Above::new(&rate, &rate);
        assert!(same.value == 0.0 && same.low < 0.0 && same.high > 0.0);
        let above = Above::new(&Rate::new(900, 1000), &Rate::new(500, 1000));
        assert!((above.value - 0.8).abs() < 1e-12 && above.low > 0.7 && above.high < 0.9);
        assert!(Above::new(&Rate::new(10, 1000), &Rate::new(500, 1000)).value < 0.0);
    }
}
