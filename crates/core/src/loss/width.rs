//! Width of the bounds that a recipient can compute [Xiang 2014, 3]: of every statistic of the loss
//! the width of its bounds, divided by the width that the policy states or by that which the
//! domain alone gives; the mean over the statistics.
//!
//! **Bound.** With all rows released, the bounds of a statistic of one column depend on the
//! column's level alone. A suppressed row only widens them (`utility.rs`), so that this width, or
//! the least one of a higher level, bounds every node above. Statistics of two columns add 0.
//! Not monotone: a generalization can release rows that were suppressed.

use std::sync::Arc;

use super::Loss;
use crate::classes::{Flags, View};
use crate::lattice::Node;
use crate::registry::LossKind;
use crate::utility::Utility;

pub(super) struct Width {
    utility: Arc<Utility>,
    /// Statistic → column and level → least width.
    floors: Vec<(usize, Vec<f64>)>,
}

impl Width {
    pub(super) fn new(utility: Arc<Utility>, suppresses: bool) -> Self {
        Width { floors: utility.floors(suppresses), utility }
    }
}

impl Loss for Width {
    fn kind(&self) -> LossKind {
        LossKind::Width
    }

    fn monotone(&self) -> bool {
        false
    }

    fn loss(&self, view: &View<'_>, flags: &Flags) -> f64 {
        self.utility.loss_at(view, flags)
    }

    fn bound(&self, node: &Node, _: &[f64]) -> f64 {
        let floor = |(column, floors): &(usize, Vec<f64>)| floors[node.level(*column)];
        self.floors.iter().map(floor).sum::<f64>() / self.floors.len().max(1) as f64
    }
}
