//! The limit that a model's figure is compared with.

/// Figures closer than this to each other are the same: they were computed in another order.
pub(super) const ROUNDING: f64 = 1e-9;

/// The limit of a figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Limit {
    /// This or more.
    Least(f64),
    /// This or less.
    Most(f64),
    /// Less than this, where figures are quotients of whole numbers.
    Under(f64),
    /// Less than this by more than rounding.
    WellUnder(f64),
}

impl Limit {
    /// The number.
    pub(super) fn number(self) -> f64 {
        match self {
            Limit::Least(number) | Limit::Most(number) | Limit::Under(number) | Limit::WellUnder(number) => {
                number
            }
        }
    }

    /// Whether a figure is enough.
    pub(super) fn met(self, figure: f64) -> bool {
        let slack = ROUNDING * self.number().abs().max(1.0);
        match self {
            Limit::Least(number) => figure >= number - slack,
            Limit::Most(number) => figure <= number + slack,
            Limit::Under(number) => figure < number,
            Limit::WellUnder(number) => figure < number - slack,
        }
    }

    /// A figure that is never enough.
    pub(super) fn unmet(self) -> f64 {
        match self {
            Limit::Least(_) => f64::NEG_INFINITY,
            _ => f64::INFINITY,
        }
    }

    /// From the worst figure to the best.
    pub(super) fn order(self, a: f64, b: f64) -> std::cmp::Ordering {
        match self {
            Limit::Least(_) => a.total_cmp(&b),
            _ => b.total_cmp(&a),
        }
    }
}
