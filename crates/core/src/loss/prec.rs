//! Prec as a loss (mission M2; S figure 32, I 2.9): the mean over cells of level / height.
//!
//! Monotone unless suppressed rows count; then their cells are at the top.

use super::{Loss, Marginals};
use crate::classes::{Flags, View};
use crate::lattice::Node;

pub(super) struct Prec {
    heights: Vec<f64>,
    weights: Vec<f64>,
    count_suppressed: bool,
}

impl Prec {
    pub(super) fn new(marginals: &Marginals, weights: &[f64], count_suppressed: bool) -> Self {
        let heights = marginals.columns.iter().map(|c| c.height() as f64).collect();
        Prec { heights, weights: weights.to_vec(), count_suppressed }
    }
}

impl Loss for Prec {
    fn name(&self) -> &'static str {
        "prec"
    }

    fn monotone(&self) -> bool {
        !self.count_suppressed
    }

    fn loss(&self, view: &View<'_>, flags: &Flags) -> f64 {
        let kept = self.bound(view.node());
        if !self.count_suppressed || view.rows() == 0 {
            return kept;
        }
        let share = flags.rows() as f64 / view.rows() as f64;
        let top = self.weights.iter().sum::<f64>() / self.weights.len().max(1) as f64;
        kept + share * (top - kept)
    }

    fn bound(&self, node: &Node) -> f64 {
        let parts = node.levels().iter().zip(&self.heights).zip(&self.weights);
        parts.map(|((&l, h), w)| w * f64::from(l) / h).sum::<f64>() / self.heights.len().max(1) as f64
    }
}
