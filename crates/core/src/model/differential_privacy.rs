//! (ε,δ)-differential privacy by sampling and generalization (Li, Qardaji and Su 2012; Bild, Kuhn and Prasser 2018), as far as
//! classes are concerned: each has at least the k rows that ε and δ ask for.
//!
//! The guarantee is one of the whole way and not of classes alone: rows are drawn before they are grouped, and levels and
//! hierarchies do not follow from the data. [`crate::sampling`] has the draw and where k comes from; the policy refuses what else
//! would tell of the data. A missing cell is one more value. Classes only grow when they are merged, so it is monotone. Costs a
//! pass over the counts.

use super::{PrivacyModel, Verdict};
use crate::classes::{Flags, View};
use crate::error::Result;
use crate::policy;
use crate::sampling::Sampling;

/// At least k drawn rows in every class.
#[derive(Debug, Clone)]
pub struct DifferentialPrivacy {
    claim: String,
    k: u64,
}

impl DifferentialPrivacy {
    /// With the k that ε and δ ask for.
    ///
    /// # Errors
    /// An ε or δ out of range.
    pub fn new(claim: String, asked: &policy::DifferentialPrivacy) -> Result<Self> {
        Ok(DifferentialPrivacy { claim, k: Sampling::new(asked.epsilon, asked.delta)?.k() })
    }
}

impl PrivacyModel for DifferentialPrivacy {
    fn name(&self) -> String {
        self.claim.clone()
    }

    fn monotone(&self) -> bool {
        true
    }

    fn cascades(&self) -> bool {
        false
    }

    fn violations(&self, classes: &View<'_>, flags: &mut Flags) {
        flags.flag_below(classes.counts(), self.k);
    }

    fn verdict(&self, classes: &View<'_>, flags: &Flags) -> Option<Verdict> {
        let kept = (0..classes.len()).filter(|&class| !flags.has(class));
        let smallest = kept.map(|class| u64::from(classes.counts()[class])).min();
        Some(Verdict {
            required: self.k as f64,
            achieved: smallest.map(|size| size as f64),
            holds: smallest.is_none_or(|size| size >= self.k),
        })
    }
}
