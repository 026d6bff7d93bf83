//! No missing quasi-identifier: `input.missing = "suppress"`.
//!
//! A row is suppressed while one of its quasi-identifiers is missing; at the highest level missing
//! and present look the same, so it need not be. Costs classes × columns that can be missing.

use super::{PrivacyModel, Verdict};
use crate::classes::{Flags, View};

/// Flags every class with a missing cell.
#[derive(Debug, Clone, Copy)]
pub struct NoMissing;

impl PrivacyModel for NoMissing {
    fn name(&self) -> String {
        "no missing".into()
    }

    fn monotone(&self) -> bool {
        true
    }

    fn cascades(&self) -> bool {
        false
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
