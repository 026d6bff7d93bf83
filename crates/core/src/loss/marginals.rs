//! What losses need to know of single columns: for each level, how often its values occur.

use crate::classes::Classes;
use crate::hierarchy::Hierarchy;

/// One level of one column.
#[derive(Debug, Clone)]
pub struct LevelCounts {
    /// Generalized code → rows.
    pub rows: Vec<u64>,
    /// Generalized code → leaves of the hierarchy under it.
    pub leaves: Vec<u32>,
}

/// One column.
#[derive(Debug, Clone)]
pub struct ColumnCounts {
    /// The levels, from 0.
    pub levels: Vec<LevelCounts>,
    /// For each level, leaf code → generalized code.
    pub codes: Vec<Vec<u32>>,
    /// Leaves of the hierarchy.
    pub leaves: usize,
}

impl ColumnCounts {
    /// The highest level.
    pub fn height(&self) -> usize {
        self.levels.len() - 1
    }
}

/// All columns.
#[derive(Debug, Clone)]
pub struct Marginals {
    /// The columns, in the order of the classes.
    pub columns: Vec<ColumnCounts>,
    /// Rows of the table.
    pub rows: u64,
    /// Distinct tuples of the table.
    pub classes: usize,
}

impl Marginals {
    /// Counts every column at every level: one pass over the classes.
    pub fn new(classes: &Classes, hierarchies: &[Hierarchy]) -> Self {
        let mut leaf_rows: Vec<Vec<u64>> = hierarchies.iter().map(|h| vec![0; h.leaf_count()]).collect();
        for (class, &count) in classes.counts().iter().enumerate() {
            for (column, rows) in leaf_rows.iter_mut().enumerate() {
                rows[classes.code(class, column) as usize] += u64::from(count);
            }
        }
        let columns = hierarchies.iter().zip(&leaf_rows).map(|(h, rows)| column(h, rows)).collect();
        Marginals { columns, rows: classes.rows(), classes: classes.len() }
    }
}

fn column(hierarchy: &Hierarchy, leaf_rows: &[u64]) -> ColumnCounts {
    let levels = (0..=hierarchy.height())
        .map(|level| {
            let mut rows = vec![0; hierarchy.size(level)];
            for (leaf, &n) in leaf_rows.iter().enumerate() {
                rows[hierarchy.generalize(leaf as u32, level) as usize] += n;
            }
            let leaves =
                (0..hierarchy.size(level)).map(|c| hierarchy.leaves_under(level, c as u32)).collect();
            LevelCounts { rows, leaves }
        })
        .collect();
    let codes = (0..=hierarchy.height()).map(|l| hierarchy.codes(l).to_vec()).collect();
    ColumnCounts { levels, codes, leaves: hierarchy.leaf_count() }
}
