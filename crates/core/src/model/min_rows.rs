//! At least n rows in every class: the part that concerns classes of models that derive n from
//! something else.
//!
//! A missing cell counts as one more value. Merging only enlarges classes, so such a model is
//! monotone. Costs one pass over the counts.

use super::{ModelFacts, PrivacyModel, Requirement, Verdict};
use crate::classes::{Flags, View};

/// At least n rows in every class.
#[derive(Debug, Clone)]
pub struct MinRows {
    facts: ModelFacts,
    rows: u64,
}

impl MinRows {
    /// At least this many rows, as a requirement asks.
    pub fn new(requirement: impl Into<Requirement>, claim: String, rows: u64) -> Self {
        MinRows { facts: ModelFacts::monotone(requirement, claim), rows }
    }
}

impl PrivacyModel for MinRows {
    fn facts(&self) -> &ModelFacts {
        &self.facts
    }

    fn violations(&self, classes: &View<'_>, flags: &mut Flags) {
        flags.flag_below(classes.counts(), self.rows);
    }

    fn verdict(&self, classes: &View<'_>, flags: &Flags) -> Option<Verdict> {
        let released = (0..classes.len()).filter(|&class| !flags.has(class));
        let least = released.map(|class| u64::from(classes.counts()[class])).min();
        Some(Verdict::at_least(self.rows, least))
    }
}
