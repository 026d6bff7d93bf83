//! Conditional entropy Πe [Gionis 2007; De Spoelberch, 2.10–2.12]: the sum over cells of H(V | a),
//! the entropy in bits of the original values under the released value, with probabilities counted
//! in the whole original table. A suppressed cell costs H(V), the entropy of its column.
//!
//! Summed over all rows, it equals non-uniform entropy exactly: c(a)·H(V | a) is −Σ
//! c(v)·log2(c(v)/c(a)). The two differ in the cost of suppressed rows.
//!
//! Not monotone, because a suppressed row can be released at a higher node. Free suppression does
//! not make it monotone either: where a rare value with an even mixture under it merges with a
//! frequent one, a cell can cost less at a higher level, and more than a suppressed cell.
//! [`CellCosts`] provides bounds for this case.

use super::cells::CellCosts;
use super::columns::{aggregate, terms, total};
use super::marginals::ColumnCounts;
use super::price::ColumnSums;
use super::{Allowed, Asked, CellLoss, Definition, Evidence, Loss, Marginals, Price, Tradeoff};
use crate::classes::{Flags, View};
use crate::lattice::Node;
use crate::policy::Aggregate;
use crate::registry::LossKind;

pub(super) const DEFINITION: Definition = Definition {
    build: |asked, marginals, weights| {
        Box::new(ConditionalEntropy::new(marginals, weights, asked.aggregate, asked.tradeoff))
    },
    cells: CellLoss::Columns(of_cells),
};

fn of_cells(sums: &ColumnSums, price: &Price, asked: &Asked) -> f64 {
    let Tradeoff { generalized, suppressed } = asked.tradeoff;
    generalized * sums.conditional + suppressed * price.suppressed as f64 * sums.whole
}

pub(super) struct ConditionalEntropy {
    costs: CellCosts,
    weights: Vec<f64>,
    aggregate: Aggregate,
}

impl ConditionalEntropy {
    pub(super) fn new(marginals: &Marginals, weights: &[f64], how: Aggregate, tradeoff: Tradeoff) -> Self {
        let released = |c: &ColumnCounts| {
            let level = |l| bits(c, l).into_iter().map(|b| tradeoff.generalized * b).collect();
            (0..=c.height()).map(level).collect()
        };
        let suppressed = |c: &ColumnCounts| {
            let rows = &c.levels[0].rows;
            tradeoff.suppressed * entropy(rows, rows.iter().sum())
        };
        ConditionalEntropy {
            costs: CellCosts::new(marginals, released, suppressed),
            weights: weights.to_vec(),
            aggregate: how,
        }
    }

    /// Column by column, the weighted bounds.
    fn columns<'a>(&'a self, node: &'a Node, surplus: &'a [f64]) -> impl ExactSizeIterator<Item = f64> + 'a {
        self.costs.bounds(node, surplus).zip(&self.weights).map(|(bits, w)| w * bits)
    }
}

/// Value at a level → H(V | value).
fn bits(column: &ColumnCounts, level: usize) -> Vec<f64> {
    let mut under = vec![Vec::new(); column.levels[level].rows.len()];
    for (&code, &rows) in column.codes[level].iter().zip(&column.levels[0].rows) {
        under[code as usize].push(rows);
    }
    under.iter().zip(&column.levels[level].rows).map(|(leaves, &all)| entropy(leaves, all)).collect()
}

/// −Σ p·log2 p of counts that add up to `all`.
fn entropy(counts: &[u64], all: u64) -> f64 {
    let p = counts.iter().filter(|&&n| n > 0).map(|&n| n as f64 / all as f64);
    // Adding zero turns the −0 of a single value into 0.
    0.0 - p.map(|p| p * p.log2()).sum::<f64>()
}

impl Loss for ConditionalEntropy {
    fn kind(&self) -> LossKind {
        LossKind::ConditionalEntropy
    }

    fn monotone(&self) -> bool {
        false
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
        Evidence { above: self.bound(view.node(), &[]), surplus: self.costs.surplus(view, flags) }
    }

    fn parts(&self, view: &View<'_>, flags: &Flags) -> Vec<f64> {
        self.costs.sums(view, flags).into_iter().zip(&self.weights).map(|(bits, w)| w * bits).collect()
    }
}
