//! Brute force by the definitions, sharing no code with the crate: rows as they are, every node.
//! Losses are those of `naive_losses.rs`.

use std::collections::BTreeMap;

use throng::policy::{Aggregate, LossParameters};

use crate::naive_losses::{Cells, Released, firsts};

/// A column: for each leaf its labels at level 0, 1, …; the last is the same for all.
#[derive(Debug, Clone)]
pub struct Column {
    pub paths: Vec<Vec<usize>>,
    pub min: usize,
    pub max: usize,
    pub weight: f64,
}

impl Column {
    pub fn height(&self) -> usize {
        self.paths[0].len() - 1
    }

    fn under(&self, level: usize, label: usize) -> usize {
        self.paths.iter().filter(|p| p[level] == label).count()
    }
}

/// A problem in plain data.
#[derive(Debug, Clone)]
pub struct Instance {
    pub columns: Vec<Column>,
    /// Leaf numbers.
    pub rows: Vec<Vec<usize>>,
    /// Target → row → label.
    pub labels: Vec<Vec<usize>>,
    pub k: usize,
    /// Named groups: columns and k.
    pub groups: Vec<(Vec<usize>, usize)>,
    pub max_suppressed: usize,
    pub linked: Vec<Vec<usize>>,
    pub loss: &'static str,
    pub aggregate: Option<Aggregate>,
    pub counted: Option<bool>,
    pub tradeoff: Option<f64>,
}

/// A node by the definitions.
#[derive(Debug, Clone, PartialEq)]
pub struct Naive {
    pub levels: Vec<usize>,
    pub suppressed: usize,
    /// Distinct tuples that are released.
    pub classes: usize,
    pub loss: f64,
}

impl Instance {
    /// Every node within the limits, in lexicographic order.
    pub fn nodes(&self) -> Vec<Vec<usize>> {
        let mut nodes = vec![Vec::new()];
        for column in &self.columns {
            nodes = nodes
                .into_iter()
                .flat_map(|n: Vec<usize>| {
                    (column.min..=column.max).map(move |l| [n.clone(), vec![l]].concat())
                })
                .collect();
        }
        nodes.retain(|n| self.linked.iter().all(|g| g.iter().all(|&c| n[c] == n[g[0]])));
        nodes
    }

    fn general(&self, levels: &[usize]) -> Vec<Vec<usize>> {
        let cell = |(i, &leaf): (usize, &usize)| self.columns[i].paths[leaf][levels[i]];
        self.rows.iter().map(|row| row.iter().enumerate().map(cell).collect()).collect()
    }

    /// Which rows stay: the most that are safe by themselves.
    fn stay(&self, general: &[Vec<usize>]) -> Vec<bool> {
        let mut groups = self.groups.clone();
        groups.push(((0..self.columns.len()).collect(), self.k));
        let mut stay = vec![true; general.len()];
        loop {
            let same = |a: usize, b: usize, columns: &[usize]| {
                columns.iter().all(|&c| general[a][c] == general[b][c])
            };
            let short = (0..general.len()).filter(|&a| stay[a]).find(|&a| {
                groups.iter().any(|(columns, k)| {
                    (0..general.len()).filter(|&b| stay[b] && same(a, b, columns)).count() < *k
                })
            });
            match short {
                Some(row) => stay[row] = false,
                None => return stay,
            }
        }
    }

    /// For each class how often each label occurs in it, in order of what is counted.
    pub fn label_counts(&self, levels: &[usize], labels: &[usize]) -> Vec<Vec<(usize, usize)>> {
        let mut classes: BTreeMap<Vec<usize>, BTreeMap<usize, usize>> = BTreeMap::new();
        for (row, &label) in self.general(levels).into_iter().zip(labels) {
            *classes.entry(row).or_default().entry(label).or_default() += 1;
        }
        let mut counts: Vec<Vec<_>> = classes.into_values().map(|c| c.into_iter().collect()).collect();
        counts.sort();
        counts
    }

    pub fn evaluate(&self, levels: &[usize]) -> Naive {
        let general = self.general(levels);
        let stay = self.stay(&general);
        let suppressed = stay.iter().filter(|s| !**s).count();
        let released = general.iter().zip(&stay).filter(|(_, stays)| **stays).map(|(row, _)| row);
        let classes = released.collect::<std::collections::BTreeSet<_>>().len();
        Naive { levels: levels.to_vec(), suppressed, classes, loss: self.loss_of(levels, &general, &stay) }
    }

    /// The best by loss; nodes within rounding of it are ties, and the lowest and first is
    /// preferred.
    pub fn best(&self) -> Option<(Naive, Vec<Naive>)> {
        let safe: Vec<Naive> = self
            .nodes()
            .iter()
            .map(|n| self.evaluate(n))
            .filter(|n| n.suppressed <= self.max_suppressed)
            .collect();
        let least = safe.iter().map(|n| n.loss).fold(f64::INFINITY, f64::min);
        let near = |n: &Naive| (n.loss - least).abs() <= 1e-9 * least.abs().max(1.0);
        let mut ties: Vec<Naive> = safe.into_iter().filter(near).collect();
        ties.sort_by_key(|n| (n.levels.iter().sum::<usize>(), n.levels.clone()));
        Some((ties.first()?.clone(), ties))
    }

    fn loss_of(&self, levels: &[usize], general: &[Vec<usize>], stay: &[bool]) -> f64 {
        let column = |(c, column): (usize, &Column)| {
            let leaves = self.rows.iter().map(|row| row[c]);
            let under = |row: &Vec<usize>| column.under(levels[c], row[c]);
            let values = |level| leaves.clone().map(|leaf| column.paths[leaf][level]).collect();
            Cells {
                weight: column.weight,
                leaves: column.paths.len(),
                first: levels[c],
                level: vec![levels[c]; stay.len()],
                under: general.iter().map(under).collect(),
                values: (0..=column.height()).map(values).collect(),
            }
        };
        let released = Released {
            stay: stay.to_vec(),
            classes: firsts(general),
            columns: self.columns.iter().enumerate().map(column).collect(),
            targets: self.labels.clone(),
        };
        released.loss(&self.asked())
    }

    /// The loss with its parameters.
    pub fn asked(&self) -> LossParameters {
        LossParameters {
            kind: self.loss.parse().expect("a known loss"),
            aggregate: self.aggregate,
            count_suppressed: self.counted,
            tradeoff: self.tradeoff,
            rare: None,
        }
    }
}
