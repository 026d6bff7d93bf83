//! What is written of a table that was worked on: its cells as a [`Recoding`], and the record
//! beside it.
//!
//! The rule of the recoding is the level of each column; classes with blanked cells are exceptions.

use serde::Serialize;

use super::{State, Subject, Verdict};
use crate::recoding::{RecodedColumn, Recoding};
use crate::release::{FileFacts, PolicyFacts};
use crate::table::Code;
use crate::tuples::Tuples;

/// The cells as they are to be written: `maps` lead from the dictionary of each column to its
/// leaves.
pub(super) fn recoding(subject: Subject<'_>, state: &State, maps: &[Vec<Code>]) -> Recoding {
    let blanked = state.blanked.iter().fold(0, |any, mask| any | mask);
    let column = |(c, name): (usize, &String)| {
        let (hierarchy, level) = (&subject.hierarchies[c], state.levels[c]);
        let label = |code: usize| hierarchy.label(level, code as Code).map(String::from);
        // A blanked cell is a missing one: the label after those of the level.
        let labels = (0..hierarchy.size(level)).map(label).chain([None]).collect();
        let rule = maps[c].iter().map(|&leaf| hierarchy.generalize(leaf, level)).collect();
        RecodedColumn::new(name, labels, level > 0 || blanked >> c & 1 == 1, rule)
    };
    let columns: Vec<RecodedColumn> = subject.names.iter().enumerate().map(column).collect();
    let mut fates = Tuples::new(columns.len());
    let mut exceptional = Vec::new();
    for (class, &mask) in state.blanked.iter().enumerate().filter(|(_, mask)| **mask != 0) {
        let cell = |(c, column): (usize, &RecodedColumn)| match mask >> c & 1 {
            1 => column.labels.len() as Code - 1,
            _ => subject.hierarchies[c].generalize(subject.classes.code(class, c), state.levels[c]),
        };
        let row: Vec<Code> = columns.iter().enumerate().map(cell).collect();
        exceptional.push((class, Some(fates.insert(&row, 0))));
    }
    let width = columns.len();
    let cells = (0..fates.len()).flat_map(|fate| (0..width).map(|c| fates.code(fate, c)).collect::<Vec<_>>());
    let cells = cells.collect();
    Recoding::with_exceptions(columns, maps, subject.classes, exceptional.into_iter(), cells)
}

/// The file beside a written table: its properties and how it was made. It is not a certificate,
/// and no claim in it is verified.
#[derive(Debug, Clone, Serialize)]
pub struct Paper {
    /// Always false: what argus writes is tested, not proven.
    pub certified: bool,
    /// The verdict.
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
