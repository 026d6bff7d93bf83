//! Column marginals used by losses: for each level, the count of each value; for a target, the
//! initial impurity of its labels.

use crate::classes::Classes;
use crate::hierarchy::Hierarchy;
use crate::histogram::Histogram;
use crate::worth::Worths;

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

/// One target column.
#[derive(Debug, Clone, Copy)]
pub struct TargetCounts {
    /// Which of the measured columns it is.
    pub measured: usize,
    /// Rows that do not have the most frequent label of their class, in the table itself.
    pub minority: u64,
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
    /// The measured columns that hold labels.
    pub targets: Vec<TargetCounts>,
    /// The information of each column about the targets; none without a target.
    pub worths: Vec<Worths>,
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
        let targets = classes.histograms()[..classes.targets()].iter().enumerate();
        let targets = targets.map(|(measured, h)| TargetCounts { measured, minority: minority(h) }).collect();
        let worths = Worths::of(classes, hierarchies);
        Marginals { columns, rows: classes.rows(), classes: classes.len(), targets, worths }
    }
}

/// Rows that do not have the most frequent value of their class.
fn minority(histogram: &Histogram) -> u64 {
    let class = |c: usize| {
        let rows = histogram.class(c).1;
        rows.iter().map(|&n| u64::from(n)).sum::<u64>() - rows.iter().max().map_or(0, |&n| u64::from(n))
    };
    (0..histogram.len()).map(class).sum()
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
