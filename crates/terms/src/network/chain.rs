//! A column's own hierarchy as a chain of fields: each label predicts the labels below it.
//!
//! p(child | label) = (n(child) + 1/c) / (n(label) + 1) for the c children of a label: one
//! additional row per label, spread evenly [Perks 1947]. So every leaf is possible, and every label
//! above a leaf is certain. Building costs one step per leaf and level.

use crate::hierarchy::Hierarchy;
use crate::table::Code;

/// Counts and shares of every label of a column.
#[derive(Debug, Clone)]
pub(super) struct Chain {
    /// Level → label → the labels of the level below it, with the rows up to and with each.
    below: Vec<Vec<Vec<(Code, u64)>>>,
    /// Level → label → rows.
    rows: Vec<Vec<u64>>,
    /// Level → label → its probability given the label above.
    given: Vec<Vec<f64>>,
}

impl Chain {
    /// Counts the leaves of some entries.
    pub(super) fn new(hierarchy: &Hierarchy, codes: &[Code], counts: &[u32]) -> Self {
        let height = hierarchy.height();
        let mut rows: Vec<Vec<u64>> = (0..=height).map(|level| vec![0; hierarchy.size(level)]).collect();
        for (&leaf, &count) in codes.iter().zip(counts) {
            rows[0][leaf as usize] += u64::from(count);
        }
        let mut parent: Vec<Vec<Code>> = (0..height).map(|level| vec![0; hierarchy.size(level)]).collect();
        for leaf in 0..hierarchy.leaf_count() as Code {
            for (level, parent) in parent.iter_mut().enumerate() {
                parent[hierarchy.generalize(leaf, level) as usize] = hierarchy.generalize(leaf, level + 1);
            }
        }
        let mut below = vec![Vec::new()];
        for level in 0..height {
            let mut labels = vec![Vec::new(); hierarchy.size(level + 1)];
            for (label, &up) in parent[level].iter().enumerate() {
                let n = rows[level][label];
                rows[level + 1][up as usize] += n;
                labels[up as usize].push((label as Code, rows[level + 1][up as usize]));
            }
            below.push(labels);
        }
        let given = (0..height).map(|level| given(level, &parent, &rows, &below)).collect();
        Chain { below, rows, given }
    }

    /// Rows of a label.
    pub(super) fn rows(&self, level: usize, label: Code) -> u64 {
        self.rows[level][label as usize]
    }

    /// The labels below a label, with the rows up to and with each.
    pub(super) fn below(&self, level: usize, label: Code) -> &[(Code, u64)] {
        &self.below[level][label as usize]
    }

    /// The probability of a label given the label above it.
    pub(super) fn given(&self, level: usize, label: Code) -> f64 {
        self.given[level][label as usize]
    }
}

fn given(level: usize, parent: &[Vec<Code>], rows: &[Vec<u64>], below: &[Vec<Vec<(Code, u64)>>]) -> Vec<f64> {
    let share = |(label, &up): (usize, &Code)| {
        let siblings = below[level + 1][up as usize].len() as f64;
        (rows[level][label] as f64 + 1.0 / siblings) / (rows[level + 1][up as usize] as f64 + 1.0)
    };
    parent[level].iter().enumerate().map(share).collect()
}
