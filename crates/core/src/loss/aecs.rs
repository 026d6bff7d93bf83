//! Average class size (mission M7): n / (released classes + 1 if anything is suppressed).
//!
//! Not monotone: a suppressed class can become a released one, and then there are more of them. Bounded by n / all
//! classes. Suppressed rows are one class of many, so that there is nothing for a trade-off to weigh.

use super::discernibility::{most_classes, occurring};
use super::{Evidence, Loss, Marginals};
use crate::classes::{Flags, View};
use crate::lattice::Node;

pub(super) struct AverageClass {
    rows: f64,
    classes: usize,
    sizes: Vec<Vec<usize>>,
}

impl AverageClass {
    pub(super) fn new(marginals: &Marginals) -> Self {
        AverageClass { rows: marginals.rows as f64, classes: marginals.classes, sizes: occurring(marginals) }
    }
}

impl Loss for AverageClass {
    fn name(&self) -> &'static str {
        "aecs"
    }

    fn monotone(&self) -> bool {
        false
    }

    fn loss(&self, view: &View<'_>, flags: &Flags) -> f64 {
        let released = view.len() - flags.classes() + usize::from(flags.rows() > 0);
        self.rows / released.max(1) as f64
    }

    fn bound(&self, node: &Node, _: &[f64]) -> f64 {
        self.rows / most_classes(&self.sizes, self.classes, node)
    }

    fn evidence(&self, view: &View<'_>, _: &Flags) -> Evidence {
        Evidence { above: self.rows / view.len().max(1) as f64, surplus: Vec::new() }
    }
}
