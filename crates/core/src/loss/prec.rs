//! Prec as a loss (mission M2; S figure 32, I 2.9): the mean over cells of level / height.
//!
//! Monotone unless suppressed rows count; then their cells are at the top.

use super::{Evidence, Loss, Marginals};
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
        self.bound(view.node(), &self.evidence(view, flags).surplus)
    }

    fn bound(&self, node: &Node, surplus: &[f64]) -> f64 {
        let parts = node.levels().iter().zip(&self.heights).zip(&self.weights);
        let m = self.heights.len().max(1) as f64;
        let kept = parts.map(|((&l, h), w)| w * f64::from(l) / h).sum::<f64>() / m;
        match surplus {
            [share] => kept + share * (self.weights.iter().sum::<f64>() / m - kept),
            _ => kept,
        }
    }

    /// The share of suppressed rows.
    fn evidence(&self, view: &View<'_>, flags: &Flags) -> Evidence {
        let counted = self.count_suppressed && flags.rows() > 0;
        let surplus = if counted { vec![flags.rows() as f64 / view.rows() as f64] } else { Vec::new() };
        Evidence { above: self.bound(view.node(), &[]), surplus }
    }
}
