//! m-confidentiality [Wong 2007]: an adversary who knows everybody's quasi-identifiers, the policy
//! and the algorithm links nobody to a sensitive value with probability above 1/m.
//!
//! **The minimality attack.** A search that generalizes only as far as a model of sensitive values
//! requires reveals, by how far it went, that less was not enough. Suppressed classes reveal the
//! same. The paper's MASK hides this by changing values. Here the choice never depends on sensitive
//! values:
//! - The node and the suppressed rows follow from the quasi-identifiers alone: this model flags no
//!   class, and the policy may not combine it with another model of a sensitive column or a loss of
//!   labels.
//! - If a class of the resulting release has a value with a share above 1/m, nothing is released.
//!
//! **Why that is enough.** The release consists of the quasi-identifiers and, for every released
//! class, the counts of its values. Take a table that leads to the release. Reassign the values of
//! a class to its people in any way: the quasi-identifiers are unchanged, so node and suppressed
//! rows are, and the class has the same values, so the decision to release is the same too. All
//! assignments are equally likely, and in a share r/n of them a given person has a value that r of
//! the n rows have. That is the probability given everything the adversary knows, and it is at most
//! 1/m. The test mounts the attack on every table of a few rows.
//!
//! A holder who retries with another k after a refusal makes the choice depend on values after all,
//! and the refusal itself must not be published. The figure of a class is the largest share of a
//! value, or of a named value, among the rows that have one. The model flags nothing, so it does
//! not constrain a strategy. Costs one pass over a class's values, once.

use super::class::{Bound, Class};
use super::{Build, ModelFacts, PrivacyModel, Sensitive, Setting, Values, Verdict};
use crate::classes::{Flags, View};
use crate::error::Result;
use crate::policy::{MConfidentiality as Asked, ModelKind};

/// No value too frequent in any class, without any choice that depends on values.
#[derive(Debug, Clone)]
pub struct MConfidentiality {
    facts: ModelFacts,
    column: Sensitive,
    share: f64,
    /// Code → whether it counts.
    counts: Vec<bool>,
}

impl MConfidentiality {
    /// From a policy's parameters.
    ///
    /// # Errors
    /// A named value that the column does not have.
    pub fn new(claim: String, asked: &Asked, column: &Values<'_>) -> Result<Self> {
        let counts = column.named(asked.values.as_deref())?;
        let facts = ModelFacts {
            value_independent: true,
            needs: vec![column.measured],
            ..ModelFacts::monotone(ModelKind::MConfidentiality, claim)
        };
        Ok(MConfidentiality { facts, column: column.sensitive(), share: 1.0 / asked.m, counts })
    }

    fn figure(&self, classes: &View<'_>, class: usize) -> f64 {
        let (codes, counts) = classes.histogram(self.column.measured, class);
        let present = Class { codes, counts }.present(self.column.missing);
        let rows: u64 = present.clone().map(|(_, n)| u64::from(n)).sum();
        let counted = present.filter(|&(code, _)| self.counts[code as usize]);
        let most = counted.map(|(_, n)| n).max().unwrap_or(0);
        f64::from(most) / rows.max(1) as f64
    }
}

impl PrivacyModel for MConfidentiality {
    fn facts(&self) -> &ModelFacts {
        &self.facts
    }

    /// None: the choice of suppressed classes must reveal nothing about their values.
    fn violations(&self, _: &View<'_>, _: &mut Flags) {}

    fn verdict(&self, classes: &View<'_>, flags: &Flags) -> Option<Verdict> {
        let left = (0..classes.len()).filter(|&class| !flags.has(class));
        let achieved = left.map(|class| self.figure(classes, class)).reduce(f64::max);
        Some(Verdict::within(Bound::AtMost(self.share), achieved))
    }
}

impl Build for Asked {
    fn build(&self, claim: String, setting: &Setting<'_>) -> Result<Box<dyn PrivacyModel>> {
        Ok(Box::new(MConfidentiality::new(claim, self, setting.column()?)?))
    }
}
