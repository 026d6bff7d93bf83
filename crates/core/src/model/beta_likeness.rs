//! β-likeness [Cao 2012]: the relative gain of every sensitive value in a class is bounded: (p −
//! q)/q ≤ β wherever p > q.
//!
//! p is the share of the value in the class, q its share in the whole input table, suppressed rows
//! included. *Basic* requires exactly this. *Enhanced* requires (p − q)/q ≤ min(β, −ln q), so that
//! a frequent value cannot become certain. The figure is the largest gain; for *enhanced*, it is
//! the gain scaled so that it relates to β as the actual gain relates to its own limit. A missing
//! cell counts as one more value.
//!
//! An upper bound on every share carries over to a union of classes. A safe class may still be
//! merged into an unsafe one, so the model is monotone only if no row may be suppressed. Costs one
//! pass over a class's values.

use super::class::{Bound, Class, ClassFacts, ClassModel, to_reach};
use super::{Build, PrivacyModel, Setting, Values};
use crate::error::Result;
use crate::policy::{BetaLikeness as Asked, Likeness, ModelKind};

/// No value much more likely than in the table.
#[derive(Debug, Clone)]
pub struct BetaLikeness {
    facts: ClassFacts,
    beta: f64,
    /// Code → its share of the table, and what its gain is multiplied by.
    shares: Vec<(f64, f64)>,
}

impl BetaLikeness {
    /// From a policy's parameters, for a column; `strict` if no row may be suppressed.
    pub fn new(claim: String, asked: &Asked, column: &Values<'_>, strict: bool) -> Self {
        let factor = |share: f64| match asked.kind {
            Likeness::Basic => 1.0,
            Likeness::Enhanced => asked.beta / asked.beta.min(-share.ln()),
        };
        let shares = column.shares().into_iter().map(|share| (share, factor(share))).collect();
        let bound = Bound::AtMost(asked.beta);
        let facts = ClassFacts::new(ModelKind::BetaLikeness, claim, column.measured, bound).strict(strict);
        BetaLikeness { facts, beta: asked.beta, shares }
    }
}

impl ClassModel for BetaLikeness {
    fn class_facts(&self) -> &ClassFacts {
        &self.facts
    }

    fn unreleasable_rows(&self, class: Class<'_>) -> f64 {
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
            // A value that all rows of the table have gains nothing, and has no limit to be near
            // to.
            if gain > 0.0 { gain * factor } else { 0.0 }
        };
        class.codes.iter().zip(class.counts).map(gain).fold(0.0, f64::max)
    }
}

impl Build for Asked {
    fn build(&self, claim: String, setting: &Setting<'_>) -> Result<Box<dyn PrivacyModel>> {
        Ok(Box::new(BetaLikeness::new(claim, self, setting.column()?, setting.strict)))
    }

    fn safe_when_coarser(&self) -> bool {
        self.kind == Likeness::Basic
    }
}
