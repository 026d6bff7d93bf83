//! Non-uniform entropy [Gionis 2007; de Waal 1999; El Emam 2009, appendix D]: the sum over columns
//! and rows of −log2(count of the original value / count of the generalized value), with counts
//! over the whole table.
//!
//! Monotone, and computed from the column marginals alone. Counting suppressed rows adds, per
//! column, the bits that distinguish the generalized values of the suppressed rows; then it is not
//! monotone, unless a trade-off makes suppression free. By definition the generalization bits count
//! all rows, and only the added bits count as suppression. The two never replace each other, so the
//! bound needs no further care.

use super::cells::count;
use super::columns::{aggregate, terms, total};
use super::price::ColumnSums;
use super::{Allowed, Asked, CellLoss, Definition, Evidence, Loss, Marginals, Price, Tradeoff};
use crate::classes::{Flags, View};
use crate::lattice::Node;
use crate::policy::Aggregate;
use crate::registry::LossKind;

pub(super) const DEFINITION: Definition = Definition {
    build: |asked, marginals, weights| {
        Box::new(Entropy::new(marginals, weights, asked.aggregate, asked.counted, asked.tradeoff))
    },
    cells: CellLoss::Columns(of_cells),
};

fn of_cells(sums: &ColumnSums, _: &Price, asked: &Asked) -> f64 {
    let Tradeoff { generalized, suppressed } = asked.tradeoff;
    generalized * sums.bits + if asked.counted { suppressed * sums.hidden } else { 0.0 }
}

pub(super) struct Entropy {
    /// Column → level → bits.
    bits: Vec<Vec<f64>>,
    weights: Vec<f64>,
    aggregate: Aggregate,
    count_suppressed: bool,
    tradeoff: Tradeoff,
}

impl Entropy {
    pub(super) fn new(
        marginals: &Marginals,
        weights: &[f64],
        aggregate: Aggregate,
        count_suppressed: bool,
        tradeoff: Tradeoff,
    ) -> Self {
        let bits = marginals.columns.iter().map(|c| (0..=c.height()).map(|l| bits(c, l)).collect()).collect();
        Entropy { bits, weights: weights.to_vec(), aggregate, count_suppressed, tradeoff }
    }

    /// Column's bits for telling the suppressed rows' generalized values apart.
    fn suppressed(&self, view: &View<'_>, flags: &Flags, column: usize, counts: &mut Vec<u64>) -> f64 {
        count(view, flags, column, counts);
        let all = flags.rows() as f64;
        let bits: f64 =
            counts.iter().filter(|&&n| n > 0).map(|&n| -(n as f64) * (n as f64 / all).log2()).sum();
        self.tradeoff.suppressed * bits
    }

    /// The surplus of a column is its bits for the suppressed rows. It only grows towards the
    /// bottom: values get finer, and n·H of a mixture is at least the sum of its parts'.
    fn surplus(&self, view: &View<'_>, flags: &Flags) -> Vec<f64> {
        if !self.count_suppressed || flags.rows() == 0 {
            return Vec::new();
        }
        let mut counts = Vec::new();
        (0..view.columns()).map(|c| self.suppressed(view, flags, c, &mut counts)).collect()
    }

    /// Column by column, the weighted parts.
    fn columns(&self, node: &Node, surplus: &[f64]) -> impl ExactSizeIterator<Item = f64> {
        let part = move |(c, &l): (usize, &u8)| {
            let bits = self.tradeoff.generalized * self.bits[c][l as usize];
            self.weights[c] * (bits + surplus.get(c).copied().unwrap_or(0.0))
        };
        node.levels().iter().enumerate().map(part)
    }
}

/// Bits lost by a column at a level.
fn bits(column: &super::marginals::ColumnCounts, level: usize) -> f64 {
    let leaves = column.levels[0].rows.iter().enumerate();
    leaves
        .filter(|(_, n)| **n > 0)
        .map(|(leaf, &n)| {
            let general = column.levels[level].rows[column.codes[level][leaf] as usize];
            -(n as f64) * (n as f64 / general as f64).log2()
        })
        .sum()
}

impl Loss for Entropy {
    fn kind(&self) -> LossKind {
        LossKind::Entropy
    }

    fn monotone(&self) -> bool {
        !self.count_suppressed || self.tradeoff.free()
    }

    fn loss(&self, view: &View<'_>, flags: &Flags) -> f64 {
        aggregate(self.aggregate, self.parts(view, flags).into_iter())
    }

    fn bound(&self, node: &Node, surplus: &[f64]) -> f64 {
        aggregate(self.aggregate, self.columns(node, surplus))
    }

    fn terms(&self, node: &Node, surplus: &[f64]) -> Option<Vec<f64>> {
        terms(self.aggregate, self.columns(node, surplus))
    }

    fn total(&self, sum: f64) -> f64 {
        total(self.aggregate, self.weights.len(), sum)
    }

    fn evidence(&self, view: &View<'_>, flags: &Flags, _: Allowed) -> Evidence {
        Evidence { above: self.bound(view.node(), &[]), surplus: self.surplus(view, flags) }
    }

    fn parts(&self, view: &View<'_>, flags: &Flags) -> Vec<f64> {
        self.columns(view.node(), &self.surplus(view, flags)).collect()
    }
}
