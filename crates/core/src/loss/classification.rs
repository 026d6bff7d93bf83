//! Classification metric CM [Iyengar 2002; De Spoelberch, 2.13, 2.14]: the share of rows that are
//! suppressed or whose label is not the majority label of their class. If labels tie, one of them
//! is the majority. With several target columns, CM is the mean over them. A missing label is a
//! label of its own.
//!
//! **Monotonicity.** Merging classes never lowers the number of minority rows: the most frequent
//! label of a union is at most as frequent as those of its parts together. Suppressed rows cost 1
//! instead and may be released at a higher node, so the sum is not monotone unless suppression is
//! free.
//!
//! **Bound.** A class costs at least the lesser of its minority and its rows; this too only grows
//! with merging, and every node lies above the table itself. Rows suppressed at a top cost all
//! their rows instead of their minority. Finer classes have smaller minorities, so this surplus
//! only grows towards the bottom. The same with the classes of a bottom in place of the table's
//! bounds the nodes between the two.
//!
//! Sums are integers until the trade-off factors apply. Costs one pass over the histograms.

use super::{Allowed, Asked, CellLoss, Definition, Evidence, Loss, Marginals, Price, Tradeoff};
use crate::classes::{Flags, View};
use crate::lattice::Node;
use crate::registry::LossKind;

pub(super) const DEFINITION: Definition = Definition {
    build: |asked, marginals, _| Box::new(Classification::new(marginals, asked.tradeoff)),
    cells: CellLoss::Whole(of_cells),
};

fn of_cells(price: &Price, asked: &Asked, _: &[f64]) -> f64 {
    let Tradeoff { generalized, suppressed } = asked.tradeoff;
    let targets = price.minorities.len() as f64;
    let minority = price.minorities.iter().sum::<u64>() as f64;
    let hidden = price.suppressed as f64;
    (generalized * minority + suppressed * hidden * targets) / (price.rows as f64 * targets).max(1.0)
}

pub(super) struct Classification {
    /// Measured columns that hold labels.
    targets: Vec<usize>,
    /// Rows × targets: what everything suppressed costs.
    all: f64,
    /// Rows in the minority of their class in the table itself, over all targets.
    least: u64,
    tradeoff: Tradeoff,
}

/// Rows of classes over all targets.
#[derive(Default)]
struct Rows {
    /// Released, in the minority of their class.
    minority: u64,
    /// Suppressed.
    suppressed: u64,
}

impl Classification {
    pub(super) fn new(marginals: &Marginals, tradeoff: Tradeoff) -> Self {
        Classification {
            targets: marginals.targets.iter().map(|t| t.measured).collect(),
            all: marginals.rows as f64 * marginals.targets.len() as f64,
            least: marginals.targets.iter().map(|t| t.minority).sum(),
            tradeoff,
        }
    }

    /// Calls `each` with rows and minority of every class and target.
    fn each(&self, view: &View<'_>, mut each: impl FnMut(usize, u64, u64)) {
        for &target in &self.targets {
            for (class, &rows) in view.counts().iter().enumerate() {
                let most = view.histogram(target, class).1.iter().max().copied().unwrap_or(0);
                each(class, u64::from(rows), u64::from(rows - most));
            }
        }
    }

    fn cost(&self, rows: &Rows) -> f64 {
        let Tradeoff { generalized, suppressed } = self.tradeoff;
        generalized * rows.minority as f64 + suppressed * rows.suppressed as f64
    }

    fn mean(&self, cost: f64) -> f64 {
        cost / self.all.max(1.0)
    }
}

impl Loss for Classification {
    fn kind(&self) -> LossKind {
        LossKind::Cm
    }

    fn monotone(&self) -> bool {
        self.tradeoff.free()
    }

    fn needs(&self) -> Vec<usize> {
        self.targets.clone()
    }

    fn loss(&self, view: &View<'_>, flags: &Flags) -> f64 {
        let mut sum = Rows::default();
        self.each(view, |class, rows, minority| match flags.has(class) {
            true => sum.suppressed += rows,
            false => sum.minority += minority,
        });
        self.mean(self.cost(&sum))
    }

    /// What every node costs, since a row in the minority costs at least the lesser factor.
    fn bound(&self, _: &Node, surplus: &[f64]) -> f64 {
        let factor = self.tradeoff.generalized.min(self.tradeoff.suppressed);
        self.mean(factor * self.least as f64 + surplus.first().copied().unwrap_or(0.0))
    }

    fn by_classes(&self) -> bool {
        true
    }

    fn bound_between(&self, bottom: &Node, above: f64, surplus: &[f64]) -> f64 {
        let with_surplus = above + self.mean(surplus.first().copied().unwrap_or(0.0));
        self.bound(bottom, surplus).max(with_surplus)
    }

    fn evidence(&self, view: &View<'_>, flags: &Flags, _: Allowed) -> Evidence {
        let (mut above, mut surplus) = (0.0, 0.0);
        self.each(view, |class, rows, minority| {
            let released = self.cost(&Rows { minority, suppressed: 0 });
            let suppressed = self.cost(&Rows { minority: 0, suppressed: rows });
            above += released.min(suppressed);
            surplus += if flags.has(class) { (suppressed - released).max(0.0) } else { 0.0 };
        });
        let surplus = if flags.rows() > 0 { vec![surplus] } else { Vec::new() };
        Evidence { above: self.mean(above), surplus }
    }
}
