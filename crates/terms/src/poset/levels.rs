//! A level hierarchy as a poset (Sweeney's domain generalization hierarchy, which Katirai's posets
//! extend): every value has one parent at each level.
//!
//! The bound of some leaves is their label at the lowest level at which it is equal; its measure is
//! that level over the height, as in Prec. Joining costs at most the number of levels. Values are
//! leaves; a released label that occurs at several levels covers the leaves under any of them.

use super::{Common, Kind};
use crate::hierarchy::{Hierarchy, TOP};
use crate::table::Code;

/// A hierarchy whose leaves are the values.
#[derive(Debug)]
pub(super) struct Levels {
    hierarchy: Hierarchy,
}

impl Levels {
    pub(super) fn new(hierarchy: &Hierarchy) -> Self {
        Levels { hierarchy: hierarchy.clone() }
    }

    /// The lowest level from `level` on at which two leaves have one label.
    fn meet(&self, level: Code, a: Code, b: Code) -> Code {
        let together =
            |&level: &usize| self.hierarchy.generalize(a, level) == self.hierarchy.generalize(b, level);
        (level as usize..self.hierarchy.height()).find(together).unwrap_or(self.hierarchy.height()) as Code
    }
}

/// A common is the level at which all meet, and the first leaf of all.
impl Kind for Levels {
    fn only(&self, value: Code) -> Common {
        Common::Between(0, value)
    }

    fn join(&self, common: &mut Common, value: Code) {
        if let Common::Between(level, leaf) = *common {
            *common = Common::Between(self.meet(level, leaf, value), leaf.min(value));
        }
    }

    fn measure(&self, common: &Common) -> f64 {
        match common {
            Common::Between(level, _) => f64::from(*level) / self.hierarchy.height() as f64,
            _ => 1.0,
        }
    }

    fn cells(&self, common: &Common) -> Vec<String> {
        let label = match *common {
            Common::Between(level, leaf) => {
                let level = level as usize;
                self.hierarchy.label(level, self.hierarchy.generalize(leaf, level))
            }
            _ => None,
        };
        vec![label.unwrap_or(TOP).into()]
    }

    fn measure_of(&self, cell: &str) -> Option<f64> {
        let level = |level: &usize| {
            (0..self.hierarchy.size(*level))
                .any(|code| self.hierarchy.label(*level, code as Code) == Some(cell))
        };
        let highest = (0..=self.hierarchy.height()).rfind(level)?;
        Some(highest as f64 / self.hierarchy.height() as f64)
    }

    fn covers(&self, cell: &str, value: &str) -> bool {
        let Some(leaf) = self.hierarchy.leaf(Some(value)) else { return false };
        let label = |level: usize| self.hierarchy.label(level, self.hierarchy.generalize(leaf, level));
        (0..=self.hierarchy.height()).any(|level| label(level) == Some(cell))
    }
}
