//! Loss metric LM [Iyengar 2002]: the share of the hierarchy's leaves under a cell, scaled so that
//! a leaf costs 0 and the root costs 1.
//!
//! Monotone unless suppressed rows count (the default); their cells cost 1. Without their surplus,
//! LM follows from the column marginals alone; that value is the bound. With an uneven trade-off a
//! suppressed cell may cost less than a released one, and [`CellCosts`] provides the bounds. If
//! suppression is free, LM is monotone because cells only grow.

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
        Box::new(LossMetric::new(marginals, weights, asked.aggregate, asked.counted, asked.tradeoff))
    },
    cells: CellLoss::Columns(of_cells),
};

/// Mean over rows of (leaves − 1) / (D − 1).
fn of_cells(sums: &ColumnSums, price: &Price, asked: &Asked) -> f64 {
    if sums.all <= 1 || price.rows == 0 {
        return 0.0;
    }
    let Tradeoff { generalized, suppressed } = asked.tradeoff;
    let beyond = |part: usize, rows: u64| generalized * (sums.leaves[part] - rows) as f64;
    let hidden = match asked.counted {
        true => suppressed * ((sums.all - 1) * price.suppressed) as f64,
        false => beyond(1, price.suppressed),
    };
    let kept = beyond(0, price.rows - price.suppressed);
    (kept + hidden) / price.rows as f64 / (sums.all - 1) as f64
}

pub(super) struct LossMetric {
    /// Column → level → Σ over rows of the leaves under the cell.
    leaves: Vec<Vec<u64>>,
    /// Column → level → the leaves under its values, where all have as many.
    alike: Vec<Vec<Option<u64>>>,
    /// Column → leaves of its hierarchy.
    all: Vec<u64>,
    weights: Vec<f64>,
    rows: u64,
    aggregate: Aggregate,
    count_suppressed: bool,
    tradeoff: Tradeoff,
    /// Costs in leaves beyond the cell's own; only where the trade-off is not even.
    uneven: Option<CellCosts>,
}

impl LossMetric {
    pub(super) fn new(
        marginals: &Marginals,
        weights: &[f64],
        aggregate: Aggregate,
        count_suppressed: bool,
        tradeoff: Tradeoff,
    ) -> Self {
        let sum = |l: &super::marginals::LevelCounts| {
            l.rows.iter().zip(&l.leaves).map(|(n, &v)| n * u64::from(v)).sum()
        };
        let alike = |l: &super::marginals::LevelCounts| {
            let first = *l.leaves.first()?;
            l.leaves.iter().all(|&v| v == first).then_some(u64::from(first))
        };
        LossMetric {
            alike: marginals.columns.iter().map(|c| c.levels.iter().map(alike).collect()).collect(),
            leaves: marginals.columns.iter().map(|c| c.levels.iter().map(sum).collect()).collect(),
            all: marginals.columns.iter().map(|c| c.leaves as u64).collect(),
            weights: weights.to_vec(),
            rows: marginals.rows,
            aggregate,
            count_suppressed,
            tradeoff,
            uneven: (!tradeoff.even()).then(|| costs(marginals, tradeoff)),
        }
    }

    /// Column by column, the weighted parts of the loss or of its bound, from what the cells cost.
    fn uneven(&self, costs: impl ExactSizeIterator<Item = f64>) -> impl ExactSizeIterator<Item = f64> {
        let part = move |(c, cost): (usize, f64)| {
            let most = self.rows as f64 * self.all[c].saturating_sub(1) as f64;
            if most > 0.0 { self.weights[c] * cost / most } else { 0.0 }
        };
        costs.enumerate().map(part)
    }

    /// The same from Σ leaves, where the trade-off is even.
    fn even(&self, node: &Node, surplus: &[f64]) -> impl ExactSizeIterator<Item = f64> {
        let part = move |(c, &l): (usize, &u8)| {
            self.scaled(c, self.leaves[c][l as usize] as f64 + surplus.get(c).copied().unwrap_or(0.0))
        };
        node.levels().iter().enumerate().map(part)
    }

    /// (mean share − 1/D) / (1 − 1/D), from Σ leaves over rows.
    fn scaled(&self, column: usize, leaves: f64) -> f64 {
        if self.all[column] <= 1 || self.rows == 0 {
            return 0.0;
        }
        self.weights[column] * (leaves / self.rows as f64 - 1.0) / (self.all[column] - 1) as f64
    }

    /// The surplus of a column is the leaves that suppressed rows add; towards the bottom there are
    /// more such rows, and each had fewer leaves to begin with.
    fn surplus(&self, view: &View<'_>, flags: &Flags) -> Vec<f64> {
        if !self.count_suppressed || flags.rows() == 0 {
            return Vec::new();
        }
        (0..view.columns()).map(|c| self.added(view, flags, c) as f64).collect()
    }

    /// What the suppressed rows add to Σ leaves of a column.
    fn added(&self, view: &View<'_>, flags: &Flags, column: usize) -> u64 {
        let hierarchy = &view.hierarchies()[column];
        let level = view.node().level(column);
        // At the leaves and at the top, which most columns are at, nothing has to be looked up.
        if let Some(leaves) = self.alike[column][level] {
            return (self.all[column] - leaves) * flags.rows();
        }
        let mut leaves = 0;
        let count = |code, rows| {
            leaves += u64::from(hierarchy.leaves_under(level, code)) * u64::from(rows);
        };
        // Of the rows that are suppressed and those that are not, the fewer are looked up.
        let released = 2 * flags.classes() > view.len() && view.rows() == self.rows;
        match released {
            true => view.unflagged(flags, column, count),
            false => view.flagged(flags, column, count),
        }
        let suppressed = if released { self.leaves[column][level] - leaves } else { leaves };
        self.all[column] * flags.rows() - suppressed
    }
}

/// A released cell costs the leaves beyond one under it, a suppressed one all beyond one.
fn costs(marginals: &Marginals, tradeoff: Tradeoff) -> CellCosts {
    let beyond = |leaves: u32| tradeoff.generalized * f64::from(leaves.saturating_sub(1));
    CellCosts::new(
        marginals,
        |c: &ColumnCounts| c.levels.iter().map(|l| l.leaves.iter().map(|&v| beyond(v)).collect()).collect(),
        |c: &ColumnCounts| tradeoff.suppressed * c.leaves.saturating_sub(1) as f64,
    )
}

impl Loss for LossMetric {
    fn kind(&self) -> LossKind {
        LossKind::Lm
    }

    fn monotone(&self) -> bool {
        !self.count_suppressed || self.tradeoff.free()
    }

    fn loss(&self, view: &View<'_>, flags: &Flags) -> f64 {
        aggregate(self.aggregate, self.parts(view, flags).into_iter())
    }

    fn bound(&self, node: &Node, surplus: &[f64]) -> f64 {
        match &self.uneven {
            Some(costs) => aggregate(self.aggregate, self.uneven(costs.bounds(node, surplus))),
            None => aggregate(self.aggregate, self.even(node, surplus)),
        }
    }

    fn terms(&self, node: &Node, surplus: &[f64]) -> Option<Vec<f64>> {
        match &self.uneven {
            Some(costs) => terms(self.aggregate, self.uneven(costs.bounds(node, surplus))),
            None => terms(self.aggregate, self.even(node, surplus)),
        }
    }

    fn total(&self, sum: f64) -> f64 {
        total(self.aggregate, self.weights.len(), sum)
    }

    fn evidence(&self, view: &View<'_>, flags: &Flags, _: Allowed) -> Evidence {
        let surplus = match &self.uneven {
            Some(costs) => costs.surplus(view, flags),
            None => self.surplus(view, flags),
        };
        Evidence { above: self.bound(view.node(), &[]), surplus }
    }

    fn parts(&self, view: &View<'_>, flags: &Flags) -> Vec<f64> {
        match &self.uneven {
            Some(costs) => self.uneven(costs.sums(view, flags).into_iter()).collect(),
            None => self.even(view.node(), &self.surplus(view, flags)).collect(),
        }
    }
}
