//! Height, absolute and relative distance [De Spoelberch, 2.7, 2.8]: Σ w·t and Σ w·t/h.
//!
//! Monotone, and computed from the node alone.

use super::{Loss, Marginals};
use crate::classes::{Flags, View};
use crate::lattice::Node;
use crate::registry::LossKind;

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
}
