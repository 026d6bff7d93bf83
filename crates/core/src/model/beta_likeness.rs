//! β-likeness (mission P15; Cao and Karras 2012): a class makes no value of a sensitive column more likely than
//! the whole table does by more than a factor: (p − q)/q ≤ β wherever p > q.
//!
//! p is the share in the class, q in the whole input table, suppressed rows included. *Basic* asks just that. *Enhanced*
//! asks for (p − q)/q ≤ min(β, −ln q), so that a frequent value cannot become certain. The figure is the largest gain;
//! for enhanced, the gain that would be as near to β as the gain is to its own limit. A missing cell is one more value.
//!
//! An upper limit on every share holds for a union of classes for which it holds; a safe class may be lost in an unsafe
//! one. Monotone only where nothing may be suppressed. Costs a pass over a class's values.

use super::Values;
use super::class::{Bound, Class, ClassModel, to_reach};
use crate::policy::{BetaLikeness as Asked, Likeness};

/// No value much more likely than in the table.
#[derive(Debug, Clone)]
pub struct BetaLikeness {
    claim: String,
    measured: usize,
    beta: f64,
    /// Code → its share of the table, and what its gain is multiplied by.
    shares: Vec<(f64, f64)>,
    strict: bool,
}

impl BetaLikeness {
    /// As a policy asks for it, of a column; `strict` where no row may be suppressed.
    pub fn new(claim: String, asked: &Asked, column: &Values<'_>, strict: bool) -> Self {
        let factor = |share: f64| match asked.kind {
            Likeness::Basic => 1.0,
            Likeness::Enhanced => asked.beta / asked.beta.min(-share.ln()),
        };
        let shares = column.shares().into_iter().map(|share| (share, factor(share))).collect();
        BetaLikeness { claim, measured: column.measured, beta: asked.beta, shares, strict }
    }
}

impl ClassModel for BetaLikeness {
    fn claim(&self) -> &str {
        &self.claim
    }

    fn column(&self) -> usize {
        self.measured
    }

    fn absorbs(&self) -> bool {
        self.strict
    }

    fn bound(&self) -> Bound {
        Bound::AtMost(self.beta)
    }

    fn behind(&self, class: Class<'_>) -> f64 {
        let rows = class.rows();
        let beyond = |(&code, &n): (&u32, &u32)| {
            let (share, factor) = self.shares[code as usize];
            let most = share * (1.0 + self.beta / factor);
            // A value that may be all there is has no rows beyond.
            if factor > 0.0 && most < 1.0 { to_reach(most, f64::from(n) / rows, rows) } else { 0.0 }
        };
        class.codes.iter().zip(class.counts).map(beyond).fold(0.0, f64::max)
    }

    fn figure(&self, class: Class<'_>) -> f64 {
        let rows = class.rows();
        let gain = |(&code, &n): (&u32, &u32)| {
            let (share, factor) = self.shares[code as usize];
            let gain = (f64::from(n) / rows - share) / share;
            // A value that all rows of the table have gains nothing, and has no limit to be near to.
            if gain > 0.0 { gain * factor } else { 0.0 }
        };
        class.codes.iter().zip(class.counts).map(gain).fold(0.0, f64::max)
    }
}
