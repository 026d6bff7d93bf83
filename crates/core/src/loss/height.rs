//! Height, absolute and relative distance [De Spoelberch, 2.7, 2.8]: Σ w·t and Σ w·t/h.
//!
//! Monotone, and computed from the node alone; of cells, from the node of the first step.

use super::columns::aggregate;
use super::price::ColumnSums;
use super::{Asked, CellLoss, Definition, Loss, Marginals, Price};
use crate::classes::{Flags, View};
use crate::lattice::Node;
use crate::policy::Aggregate;
use crate::registry::LossKind;

pub(super) const DEFINITION: Definition = Definition {
    build: |asked, marginals, weights| Box::new(Height::new(asked.kind, marginals, weights)),
    cells: CellLoss::Whole(of_cells),
};

fn of_cells(price: &Price, asked: &Asked, weights: &[f64]) -> f64 {
    let relative = asked.kind == LossKind::Relative;
    let parts = price.first.iter().zip(&price.columns).zip(weights);
    let part = |((level, sums), weight): ((&f64, &ColumnSums), &f64)| {
        weight * if relative { level / sums.height } else { *level }
    };
    aggregate(Aggregate::Sum, parts.map(part))
}

pub(super) struct Height {
    kind: LossKind,
    /// What one level of each column costs.
    step: Vec<f64>,
}

impl Height {
    pub(super) fn new(kind: LossKind, marginals: &Marginals, weights: &[f64]) -> Self {
        let relative = kind == LossKind::Relative;
        let step = marginals
            .columns
            .iter()
            .zip(weights)
            .map(|(c, w)| if relative { w / c.height() as f64 } else { *w })
            .collect();
        Height { kind, step }
    }
}

impl Loss for Height {
    fn kind(&self) -> LossKind {
        self.kind
    }

    fn monotone(&self) -> bool {
        true
    }

    fn loss(&self, view: &View<'_>, _: &Flags) -> f64 {
        self.bound(view.node(), &[])
    }

    fn bound(&self, node: &Node, _: &[f64]) -> f64 {
        node.levels().iter().zip(&self.step).map(|(&l, s)| f64::from(l) * s).sum()
    }

    fn terms(&self, node: &Node, _: &[f64]) -> Option<Vec<f64>> {
        Some(node.levels().iter().zip(&self.step).map(|(&l, s)| f64::from(l) * s).collect())
    }
}
