//! Average class size [LeFevre 2006, not divided by k]: n / (released classes + 1 if any row is
//! suppressed).
//!
//! Not monotone: generalizing can turn a suppressed class into a released one and so raise the
//! number of classes. Suppressed rows form one class among many, so a trade-off has nothing to
//! weigh. Costs one count of the classes.
//!
//! **Bound.** Let b be a node and t a safe node above it. Classes only merge, so t has at most as
//! many as b. Let m be the least rows of a released class, a the classes of b with m rows or more,
//! and c the others, with r rows. A released class of t contains one of the a, or it consists of
//! the c: of two at least, since one is too small, and with m rows at least. So t releases at most
//! a + min(c/2, r/m) classes, and suppressed rows add one. If T above t suppresses S rows, then t
//! suppresses them too and releases at most (n − S)/m classes: the surplus is n over that and one.

use super::discernibility::{most_classes, occurring};
use super::{Allowed, Asked, CellLoss, Definition, Evidence, Loss, Marginals, Price};
use crate::classes::{Flags, View};
use crate::lattice::Node;
use crate::registry::LossKind;

pub(super) const DEFINITION: Definition = Definition {
    build: |_, marginals, _| Box::new(AverageClass::new(marginals)),
    cells: CellLoss::Whole(of_cells),
};

fn of_cells(price: &Price, _: &Asked, _: &[f64]) -> f64 {
    price.rows as f64 / (price.classes + usize::from(price.suppressed > 0)).max(1) as f64
}

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
    fn kind(&self) -> LossKind {
        LossKind::Aecs
    }

    fn monotone(&self) -> bool {
        false
    }

    fn loss(&self, view: &View<'_>, flags: &Flags) -> f64 {
        let released = view.len() - flags.classes() + usize::from(flags.rows() > 0);
        self.rows / released.max(1) as f64
    }

    fn bound(&self, node: &Node, surplus: &[f64]) -> f64 {
        let by_columns = self.rows / most_classes(&self.sizes, self.classes, node);
        surplus.first().copied().unwrap_or(0.0).max(by_columns)
    }

    fn by_classes(&self) -> bool {
        true
    }

    fn evidence(&self, view: &View<'_>, flags: &Flags, allowed: Allowed) -> Evidence {
        let m = allowed.min_rows.clamp(1, view.rows().max(1));
        let small = view.counts().iter().map(|&count| u64::from(count)).filter(|&count| count < m);
        let (c, r) = small.fold((0, 0), |(classes, rows), count| (classes + 1, rows + count));
        let released = view.len() as u64 - c + (c / 2).min(r / m);
        let most = (released + u64::from(allowed.max_suppressed > 0)).min(view.len() as u64);
        let left = (view.rows() - flags.rows()) / m + 1;
        let surplus = if flags.rows() > 0 { vec![self.rows / left as f64] } else { Vec::new() };
        Evidence { above: self.rows / most.max(1) as f64, surplus }
    }
}
