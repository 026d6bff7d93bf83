//! A column's own hierarchy as a chain of fields: each label predicts the labels below it.
//!
//! p(child | label) = (n(child) + 1/c) / (n(label) + 1) for the c children of a label: one
//! additional row per label, spread evenly [Perks 1947]. So every leaf is possible, and every label
//! above a leaf is certain. Building costs one step per leaf and level.

use crate::hierarchy::Hierarchy;
use crate::table::Code;

/// Labels below every label of a column, and shares.
#[derive(Debug, Clone)]
pub(super) struct Chain {
    /// Level → the labels below each of its labels.
    below: Vec<Below>,
    /// Level → label → its probability given the label above.
    given: Vec<Vec<f64>>,
}

/// The labels below each label of a level, end to end: a draw fetches two places of memory.
#[derive(Debug, Clone, Default)]
struct Below {
    /// Label → where its list starts; one more than labels.
    starts: Vec<u32>,
    /// Labels below, with the rows of the list up to and with each.
    labels: Vec<(Code, u64)>,
}

impl Below {
    /// The lists of `size` labels: `parent` has the label above each, `rows` the rows of each.
    fn new(size: usize, parent: &[Code], rows: &[u64]) -> Self {
        let mut starts = vec![0u32; size + 1];
        parent.iter().for_each(|&up| starts[up as usize + 1] += 1);
        (0..size).for_each(|label| starts[label + 1] += starts[label]);
        let mut ends = starts.clone();
        let mut labels = vec![(0, 0); parent.len()];
        for (label, (&up, &rows)) in parent.iter().zip(rows).enumerate() {
            let (start, at) = (starts[up as usize], &mut ends[up as usize]);
            let before = if *at > start { labels[*at as usize - 1].1 } else { 0 };
            labels[*at as usize] = (label as Code, before + rows);
            *at += 1;
        }
        Below { starts, labels }
    }

    fn of(&self, label: usize) -> &[(Code, u64)] {
        &self.labels[self.starts[label] as usize..self.starts[label + 1] as usize]
    }
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
        let mut below = vec![Below::default()];
        for level in 0..height {
            for (label, &up) in parent[level].iter().enumerate() {
                let n = rows[level][label];
                rows[level + 1][up as usize] += n;
            }
            below.push(Below::new(hierarchy.size(level + 1), &parent[level], &rows[level]));
        }
        let given = (0..height).map(|level| given(level, &parent, &rows, &below)).collect();
        Chain { below, given }
    }

    /// The labels below a label, with the rows up to and with each.
    pub(super) fn below(&self, level: usize, label: Code) -> &[(Code, u64)] {
        self.below[level].of(label as usize)
    }

    /// The probability of a label given the label above it.
    pub(super) fn given(&self, level: usize, label: Code) -> f64 {
        self.given[level][label as usize]
    }
}

fn given(level: usize, parent: &[Vec<Code>], rows: &[Vec<u64>], below: &[Below]) -> Vec<f64> {
    let share = |(label, &up): (usize, &Code)| {
        let siblings = below[level + 1].of(up as usize).len() as f64;
        (rows[level][label] as f64 + 1.0 / siblings) / (rows[level + 1][up as usize] as f64 + 1.0)
    };
    parent[level].iter().enumerate().map(share).collect()
}
