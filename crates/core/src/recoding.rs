//! What was decided: a level per quasi-identifier, and which classes are suppressed.
//!
//! All that rewriting rows needs: per column a table from the value's code to its label's code, and
//! the generalized tuples that must not be let out. One look-up per cell, and one per row when
//! anything is suppressed.

use crate::classes::{Flags, View};
use crate::table::Code;
use crate::tuples::Tuples;

/// One recoded column.
#[derive(Debug, Clone)]
pub struct RecodedColumn {
    /// Its name.
    pub name: String,
    /// Its level.
    pub level: usize,
    /// Code of the value in the table's dictionary → code at the level.
    pub codes: Vec<Code>,
    /// Code at the level → label; `None` is missing.
    pub labels: Vec<Option<String>>,
}

/// What was decided.
#[derive(Debug, Clone)]
pub struct Recoding {
    /// The quasi-identifiers, in the order of the classes.
    pub columns: Vec<RecodedColumn>,
    suppressed: Tuples,
}

impl Recoding {
    /// The recoding of a node: `maps` lead from the dictionary of each column to its leaves.
    pub fn new(names: &[String], maps: &[Vec<Code>], view: &View<'_>, flags: &Flags) -> Self {
        let columns = view
            .hierarchies()
            .iter()
            .enumerate()
            .map(|(i, hierarchy)| {
                let level = view.node().level(i);
                RecodedColumn {
                    name: names[i].clone(),
                    level,
                    codes: maps[i].iter().map(|&leaf| hierarchy.generalize(leaf, level)).collect(),
                    labels: (0..hierarchy.size(level))
                        .map(|c| hierarchy.label(level, c as Code).map(String::from))
                        .collect(),
                }
            })
            .collect();
        let mut suppressed = Tuples::new(view.columns());
        let mut row = vec![0; view.columns()];
        for class in flags.iter() {
            for (column, cell) in row.iter_mut().enumerate() {
                *cell = view.code(class, column);
            }
            suppressed.insert(&row, view.counts()[class]);
        }
        Recoding { columns, suppressed }
    }

    /// Whether a generalized tuple must not be let out.
    pub fn suppresses(&self, row: &[Code]) -> bool {
        self.suppressed.find(row).is_some()
    }

    /// Whether anything is suppressed.
    pub fn suppresses_any(&self) -> bool {
        !self.suppressed.is_empty()
    }

    /// Rows that are suppressed.
    pub fn suppressed_rows(&self) -> u64 {
        self.suppressed.counts().iter().map(|&n| u64::from(n)).sum()
    }
}
