//! Height, absolute and relative distance (mission M1; I 2.7, 2.8): Σ w·t and Σ w·t/h.
//!
//! Monotone; told from the node alone.

use super::{Loss, Marginals};
use crate::classes::{Flags, View};
use crate::lattice::Node;

pub(super) struct Height {
    name: &'static str,
    /// What one level of each column costs.
    step: Vec<f64>,
}

impl Height {
    pub(super) fn new(name: &'static str, marginals: &Marginals, weights: &[f64]) -> Self {
        let relative = name == "relative";
        let step = marginals
            .columns
            .iter()
            .zip(weights)
            .map(|(c, w)| if relative { w / c.height() as f64 } else { *w })
            .collect();
        Height { name, step }
    }
}

impl Loss for Height {
    fn name(&self) -> &'static str {
        self.name
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
