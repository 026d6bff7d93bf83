//! Losses that sum level / height: Prec, the mean over cells [Sweeney 2001, figure 32; De
//! Spoelberch, 2.9]; Vinterbo's measure, the sum over the cells of a row [Katirai 2006, "Method
//! 1"]; and the same with each column weighted by its mutual information with the targets
//! [Katirai 2006, "Method 2"], which arrives as column weights. The last two are means over rows.
//!
//! Monotone unless suppressed rows count; then their cells are at the top. With a trade-off, a
//! released row costs g·(its mean) and a suppressed row s·(the mean of the top); the bound charges
//! each row the lesser of the two. If suppression is free, the loss is monotone: the number of
//! released rows and the cost of each only grow.

use super::price::ColumnSums;
use super::{Allowed, Asked, CellLoss, Definition, Evidence, Loss, Marginals, Price, Tradeoff};
use crate::classes::{Flags, View};
use crate::lattice::Node;
use crate::policy::Aggregate;
use crate::registry::LossKind;

/// Prec and Vinterbo's measure.
pub(super) const DEFINITION: Definition = Definition {
    build: |asked, marginals, weights| {
        Box::new(Prec::new(asked.kind, marginals, weights, asked.counted, asked.tradeoff))
    },
    cells: CellLoss::Columns(of_cells),
};

/// Vinterbo's measure with each column weighted by its mutual information with the targets.
pub(super) const INFORMATION: Definition = Definition {
    build: |asked, marginals, weights| {
        let mutual = marginals.worths.iter().zip(weights).map(|(worths, w)| w * worths.mutual());
        let weights: Vec<f64> = mutual.collect();
        Box::new(Prec::new(asked.kind, marginals, &weights, asked.counted, asked.tradeoff))
    },
    cells: CellLoss::Columns(|sums, price, asked| sums.mutual * of_cells(sums, price, asked)),
};

/// Mean over rows of level / height.
fn of_cells(sums: &ColumnSums, price: &Price, asked: &Asked) -> f64 {
    let Tradeoff { generalized, suppressed } = asked.tradeoff;
    let hidden = match asked.counted {
        true => suppressed * price.suppressed as f64 * sums.height,
        false => generalized * sums.levels[1],
    };
    (generalized * sums.levels[0] + hidden) / sums.height / (price.rows as f64).max(1.0)
}

pub(super) struct Prec {
    kind: LossKind,
    /// What the sum over the cells of a row is divided by: the columns for a mean, 1 for a sum.
    share: f64,
    heights: Vec<f64>,
    weights: Vec<f64>,
    count_suppressed: bool,
    tradeoff: Tradeoff,
}

impl Prec {
    pub(super) fn new(
        kind: LossKind,
        marginals: &Marginals,
        weights: &[f64],
        count_suppressed: bool,
        tradeoff: Tradeoff,
    ) -> Self {
        let heights = marginals.columns.iter().map(|c| c.height() as f64).collect();
        let share = match kind.aggregate(None) {
            Aggregate::Mean => marginals.columns.len().max(1) as f64,
            _ => 1.0,
        };
        Prec { kind, share, heights, weights: weights.to_vec(), count_suppressed, tradeoff }
    }

    /// What a released row and a suppressed one cost.
    fn rows(&self, node: &Node) -> (f64, f64) {
        let parts = node.levels().iter().zip(&self.heights).zip(&self.weights);
        let m = self.share;
        let kept = parts.map(|((&l, h), w)| w * f64::from(l) / h).sum::<f64>() / m;
        let top = self.weights.iter().sum::<f64>() / m;
        (self.tradeoff.generalized * kept, self.tradeoff.suppressed * top)
    }

    /// The share of suppressed rows, where they count.
    fn share(&self, view: &View<'_>, flags: &Flags) -> Option<f64> {
        (self.count_suppressed && flags.rows() > 0).then(|| flags.rows() as f64 / view.rows() as f64)
    }
}

/// The weighted mean over kept and hidden rows.
fn mixed(kept: f64, hidden: f64, share: Option<f64>) -> f64 {
    share.map_or(kept, |share| kept + share * (hidden - kept))
}

impl Loss for Prec {
    fn kind(&self) -> LossKind {
        self.kind
    }

    fn monotone(&self) -> bool {
        !self.count_suppressed || self.tradeoff.free()
    }

    fn loss(&self, view: &View<'_>, flags: &Flags) -> f64 {
        let (kept, hidden) = self.rows(view.node());
        mixed(kept, hidden, self.share(view, flags))
    }

    fn bound(&self, node: &Node, surplus: &[f64]) -> f64 {
        let (kept, hidden) = self.rows(node);
        let least = if self.tradeoff.even() { kept } else { kept.min(hidden) };
        mixed(least, hidden, surplus.first().copied())
    }

    /// A column's least cost is charged by itself, so that uneven terms may add up to less than
    /// the bound.
    fn terms(&self, node: &Node, surplus: &[f64]) -> Option<Vec<f64>> {
        let Tradeoff { generalized, suppressed } = self.tradeoff;
        let columns = node.levels().iter().zip(&self.heights).zip(&self.weights);
        let term = |((&level, height), weight): ((&u8, &f64), &f64)| {
            let (kept, hidden) = (generalized * weight * f64::from(level) / height, suppressed * weight);
            let least = if self.tradeoff.even() { kept } else { kept.min(hidden) };
            mixed(least, hidden, surplus.first().copied()) / self.share
        };
        Some(columns.map(term).collect())
    }

    /// The share of suppressed rows.
    fn evidence(&self, view: &View<'_>, flags: &Flags, _: Allowed) -> Evidence {
        let surplus = self.share(view, flags).into_iter().collect();
        Evidence { above: self.bound(view.node(), &[]), surplus }
    }

    fn parts(&self, view: &View<'_>, flags: &Flags) -> Vec<f64> {
        let Tradeoff { generalized, suppressed } = self.tradeoff;
        let columns = view.node().levels().iter().zip(&self.heights).zip(&self.weights);
        let part = |((&l, h), w): ((&u8, &f64), &f64)| {
            mixed(generalized * w * f64::from(l) / h, suppressed * w, self.share(view, flags))
        };
        columns.map(part).collect()
    }
}
