//! Information loss ILoss [Xiao 2006]: the sum over cells of (leaves under the cell − 1) /
//! D, each column with its weight. Unlike LM it divides by D, so that the root of a small hierarchy
//! costs less than that of a large one, and it adds rows up.
//!
//! A suppressed cell costs as much as the root. Not monotone, because a suppressed row can be
//! released at a higher node; monotone if suppression is free, because cells only grow.
//! [`CellCosts`] provides the bounds. Costs one pass over the suppressed classes.

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
    build: |asked, marginals, weights| Box::new(InformationLoss::new(marginals, weights, asked.tradeoff)),
    cells: CellLoss::Columns(of_cells),
};

fn of_cells(sums: &ColumnSums, price: &Price, asked: &Asked) -> f64 {
    let Tradeoff { generalized, suppressed } = asked.tradeoff;
    let kept = (sums.leaves[0] - (price.rows - price.suppressed)) as f64;
    let hidden = (sums.all.saturating_sub(1) * price.suppressed) as f64;
    (generalized * kept + suppressed * hidden) / sums.all.max(1) as f64
}

pub(super) struct InformationLoss {
    costs: CellCosts,
    weights: Vec<f64>,
    tradeoff: Tradeoff,
}

impl InformationLoss {
    fn new(marginals: &Marginals, weights: &[f64], tradeoff: Tradeoff) -> Self {
        let share =
            |leaves: u32, c: &ColumnCounts| f64::from(leaves.saturating_sub(1)) / c.leaves.max(1) as f64;
        let released = |c: &ColumnCounts| {
            let cost = |&leaves: &u32| tradeoff.generalized * share(leaves, c);
            c.levels.iter().map(|l| l.leaves.iter().map(cost).collect()).collect()
        };
        let suppressed = |c: &ColumnCounts| tradeoff.suppressed * share(c.leaves as u32, c);
        let costs = CellCosts::new(marginals, released, suppressed);
        InformationLoss { costs, weights: weights.to_vec(), tradeoff }
    }

    /// Column by column, the weighted bounds.
    fn columns<'a>(&'a self, node: &'a Node, surplus: &'a [f64]) -> impl ExactSizeIterator<Item = f64> + 'a {
        self.costs.bounds(node, surplus).zip(&self.weights).map(|(cost, w)| w * cost)
    }
}

impl Loss for InformationLoss {
    fn kind(&self) -> LossKind {
        LossKind::ILoss
    }

    fn monotone(&self) -> bool {
        self.tradeoff.free()
    }

    fn loss(&self, view: &View<'_>, flags: &Flags) -> f64 {
        aggregate(Aggregate::Sum, self.parts(view, flags).into_iter())
    }

    fn bound(&self, node: &Node, surplus: &[f64]) -> f64 {
        aggregate(Aggregate::Sum, self.columns(node, surplus))
    }

    fn terms(&self, node: &Node, surplus: &[f64]) -> Option<Vec<f64>> {
        terms(Aggregate::Sum, self.columns(node, surplus))
    }

    fn total(&self, sum: f64) -> f64 {
        total(Aggregate::Sum, self.weights.len(), sum)
    }

    fn evidence(&self, view: &View<'_>, flags: &Flags, _: Allowed) -> Evidence {
        Evidence { above: self.bound(view.node(), &[]), surplus: self.costs.surplus(view, flags) }
    }

    fn parts(&self, view: &View<'_>, flags: &Flags) -> Vec<f64> {
        self.costs.sums(view, flags).into_iter().zip(&self.weights).map(|(cost, w)| w * cost).collect()
    }
}
