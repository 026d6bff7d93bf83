//! No missing quasi-identifiers: `input.missing = "suppress"`.
//!
//! A row is suppressed while one of its quasi-identifiers is missing, except at the highest level,
//! where missing and present values look the same. Costs classes × columns that can be missing.

use super::{ModelFacts, PrivacyModel, Requirement, Verdict};
use crate::classes::{Flags, View};

/// Flags every class with a missing cell.
#[derive(Debug, Clone)]
pub struct NoMissing {
    facts: ModelFacts,
}

impl Default for NoMissing {
    fn default() -> Self {
        NoMissing { facts: ModelFacts::monotone(Requirement::NoMissing, "no missing") }
    }
}

impl PrivacyModel for NoMissing {
    fn facts(&self) -> &ModelFacts {
        &self.facts
    }

    fn violations(&self, classes: &View<'_>, flags: &mut Flags) {
        let node = classes.node();
        for column in 0..classes.columns() {
            if classes.hierarchies()[column].missing_at(node.level(column)).is_none() {
                continue;
            }
            for class in (0..classes.len()).filter(|&c| classes.missing(c, column)) {
                flags.flag(class, classes.counts()[class]);
            }
        }
    }

    fn verdict(&self, _: &View<'_>, _: &Flags) -> Option<Verdict> {
        None
    }
}
