//! Loss metric LM (mission M7; Iyengar 2002): the share of the hierarchy's leaves under a cell,
//! scaled so that a leaf costs 0 and everything costs 1.
//!
//! Monotone unless suppressed rows count (the default): their cells cost 1. Without their surplus
//! it is told from the columns alone, and that is the bound.

use super::columns::aggregate;
use super::{Evidence, Loss, Marginals};
use crate::classes::{Flags, View};
use crate::lattice::Node;
use crate::policy::Aggregate;

pub(super) struct LossMetric {
    /// Column → level → Σ over rows of the leaves under the cell.
    leaves: Vec<Vec<u64>>,
    /// Column → leaves of its hierarchy.
    all: Vec<u64>,
    weights: Vec<f64>,
    rows: u64,
    aggregate: Aggregate,
    count_suppressed: bool,
}

impl LossMetric {
    pub(super) fn new(
        marginals: &Marginals,
        weights: &[f64],
        aggregate: Aggregate,
        count_suppressed: bool,
    ) -> Self {
        let sum = |l: &super::marginals::LevelCounts| {
            l.rows.iter().zip(&l.leaves).map(|(n, &v)| n * u64::from(v)).sum()
        };
        LossMetric {
            leaves: marginals.columns.iter().map(|c| c.levels.iter().map(sum).collect()).collect(),
            all: marginals.columns.iter().map(|c| c.leaves as u64).collect(),
            weights: weights.to_vec(),
            rows: marginals.rows,
            aggregate,
            count_suppressed,
        }
    }

    /// (mean share − 1/D) / (1 − 1/D), from Σ leaves over rows.
    fn scaled(&self, column: usize, leaves: f64) -> f64 {
        if self.all[column] <= 1 || self.rows == 0 {
            return 0.0;
        }
        self.weights[column] * (leaves / self.rows as f64 - 1.0) / (self.all[column] - 1) as f64
    }

    /// What the suppressed rows add to Σ leaves of a column.
    fn surplus(&self, view: &View<'_>, flags: &Flags, column: usize) -> u64 {
        let hierarchy = &view.hierarchies()[column];
        let level = view.node().level(column);
        let mut kept = 0;
        view.flagged(flags, column, |code, rows| {
            kept += u64::from(hierarchy.leaves_under(level, code)) * u64::from(rows);
        });
        self.all[column] * flags.rows() - kept
    }
}

impl Loss for LossMetric {
    fn name(&self) -> &'static str {
        "lm"
    }

    fn monotone(&self) -> bool {
        !self.count_suppressed
    }

    fn loss(&self, view: &View<'_>, flags: &Flags) -> f64 {
        self.bound(view.node(), &self.evidence(view, flags).surplus)
    }

    fn bound(&self, node: &Node, surplus: &[f64]) -> f64 {
        let parts = node.levels().iter().enumerate().map(|(c, &l)| {
            self.scaled(c, self.leaves[c][l as usize] as f64 + surplus.get(c).copied().unwrap_or(0.0))
        });
        aggregate(self.aggregate, parts)
    }

    /// The surplus of a column is the leaves that suppressed rows add; towards the bottom there are more such
    /// rows, and each had fewer leaves to begin with.
    fn evidence(&self, view: &View<'_>, flags: &Flags) -> Evidence {
        let mut surplus = Vec::new();
        if self.count_suppressed && flags.rows() > 0 {
            surplus.extend((0..view.columns()).map(|c| self.surplus(view, flags, c) as f64));
        }
        Evidence { above: self.bound(view.node(), &[]), surplus }
    }
}
