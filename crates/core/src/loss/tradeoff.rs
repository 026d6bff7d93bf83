//! The trade-off between generalization and suppression: two factors from one number.
//!
//! τ in [0, 1] gives g = min(1, 2·(1 − τ)), the factor of generalization in released rows, and s =
//! min(1, 2·τ), the factor of suppression. At ½, the default, both are 1 and the loss is unchanged.
//! Below ½ suppression is cheaper; above ½ generalization is cheaper.

/// The two factors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Tradeoff {
    /// What generalization costs in released rows is multiplied by this.
    pub(super) generalized: f64,
    /// What suppression costs is multiplied by this.
    pub(super) suppressed: f64,
}

impl Tradeoff {
    /// The factors of τ.
    pub(super) fn new(tau: f64) -> Self {
        Tradeoff { generalized: (2.0 * (1.0 - tau)).min(1.0), suppressed: (2.0 * tau).min(1.0) }
    }

    /// Whether both are 1, so that nothing is changed.
    pub(super) fn even(self) -> bool {
        self.generalized == 1.0 && self.suppressed == 1.0
    }

    /// Whether suppression costs nothing. Losses whose cells never get cheaper by generalization
    /// are monotone then: towards the top ever more rows are released, and each costs ever more.
    pub(super) fn free(self) -> bool {
        self.suppressed == 0.0
    }
}
