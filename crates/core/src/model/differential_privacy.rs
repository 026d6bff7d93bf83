//! (ε, δ)-differential privacy by sampling and generalization [Li 2012; Bild 2018], the part that
//! concerns classes: each class has at least the k rows that follow from ε and δ.
//!
//! The guarantee covers the whole procedure, not classes alone: rows are sampled before they are
//! grouped, and levels and hierarchies do not depend on the data. [`crate::sampling`] defines the
//! sample and derives k; the policy rejects everything else that would leak data.

use super::{Build, MinRows, PrivacyModel, Setting};
use crate::error::Result;
use crate::policy::{DifferentialPrivacy, ModelKind};
use crate::sampling::Sampling;

/// At least k drawn rows in every class, with the k that ε and δ ask for.
///
/// # Errors
/// An ε or δ out of range.
pub(super) fn differential_privacy(claim: String, asked: &DifferentialPrivacy) -> Result<MinRows> {
    let k = Sampling::new(asked.epsilon, asked.delta)?.k();
    Ok(MinRows::new(ModelKind::DifferentialPrivacy, claim, k))
}

impl Build for DifferentialPrivacy {
    fn build(&self, claim: String, _setting: &Setting<'_>) -> Result<Box<dyn PrivacyModel>> {
        Ok(Box::new(differential_privacy(claim, self)?))
    }
}
