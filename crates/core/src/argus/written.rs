//! The cells as they are to be written: all that rewriting rows needs, and nothing of the table besides.
//!
//! One look-up per cell, and one per row where any cell is blanked.

use serde::Serialize;

use super::{State, Subject, Verdict};
use crate::release::{FileFacts, PolicyFacts};
use crate::table::Code;
use crate::tuples::Tuples;

/// The cells as they are to be written.
#[derive(Debug, Clone)]
pub struct Cells {
    /// Column → code of the table's dictionary → leaf.
    leaves: Vec<Vec<Code>>,
    /// Column → leaf → label.
    codes: Vec<Vec<Code>>,
    /// Column → its labels; `None` is missing.
    labels: Vec<Vec<Option<String>>>,
    /// Columns in which nothing changes.
    same: Vec<bool>,
    /// Tuples of leaves with blanked cells, and which.
    blanked: Tuples,
    masks: Vec<u64>,
}

impl Cells {
    pub(super) fn new(subject: Subject<'_>, state: &State, maps: &[Vec<Code>]) -> Self {
        let mut blanked = Tuples::new(subject.names.len());
        let mut masks = Vec::new();
        let mut any = 0;
        for (class, &mask) in state.blanked.iter().enumerate().filter(|(_, mask)| **mask != 0) {
            let row: Vec<Code> = (0..subject.names.len()).map(|c| subject.classes.code(class, c)).collect();
            blanked.insert(&row, subject.classes.counts()[class]);
            masks.push(mask);
            any |= mask;
        }
        let columns = || subject.hierarchies.iter().zip(&state.levels);
        Cells {
            leaves: maps.to_vec(),
            codes: columns().map(|(h, &level)| h.codes(level).to_vec()).collect(),
            labels: columns()
                .map(|(h, &level)| {
                    (0..h.size(level)).map(|c| h.label(level, c as Code).map(String::from)).collect()
                })
                .collect(),
            same: state.levels.iter().enumerate().map(|(i, &l)| l == 0 && any >> i & 1 == 0).collect(),
            blanked,
            masks,
        }
    }

    /// The labels of a column; `None` is missing.
    pub fn labels(&self, column: usize) -> &[Option<String>] {
        &self.labels[column]
    }

    /// Whether a column stays as it is.
    pub fn same(&self, column: usize) -> bool {
        self.same[column]
    }

    /// Turns a row, in codes of the table's dictionaries, into codes of labels; a blanked cell has none.
    pub fn recode(&self, row: &mut [Code], cells: &mut Vec<Option<Code>>) {
        for (cell, leaves) in row.iter_mut().zip(&self.leaves) {
            *cell = leaves[*cell as usize];
        }
        let found = if self.masks.is_empty() { None } else { self.blanked.find(row) };
        let mask = found.map_or(0, |at| self.masks[at as usize]);
        let labels = row.iter().zip(&self.codes).enumerate();
        cells.clear();
        cells.extend(
            labels.map(|(column, (&leaf, codes))| (mask >> column & 1 == 0).then(|| codes[leaf as usize])),
        );
    }
}

/// What lies beside a table that was written: what holds of it, and how it was made. It is no certificate, and nobody has proven it
/// again.
#[derive(Debug, Clone, Serialize)]
pub struct Paper {
    /// Always false: what argus writes is tested, not proven.
    pub certified: bool,
    /// What holds.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// The steps, as they can be typed again.
    pub steps: Vec<String>,
    /// The table that was read.
    pub input: FileFacts,
    /// The table that was written.
    pub output: FileFacts,
    /// The policy.
    pub policy: PolicyFacts,
    /// The seed of the row order.
    pub seed: u64,
    /// The version of Throng.
    pub version: String,
}
