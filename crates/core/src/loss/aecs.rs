//! Average class size [LeFevre 2006, not divided by k]: n / (released classes + 1 if any row is
//! suppressed).
//!
//! Not monotone: generalizing can turn a suppressed class into a released one and so raise the
//! number of classes. Lower bound: n / all classes. Suppressed rows form one class among many, so a
//! trade-off has nothing to weigh. Costs one count of the classes.

use super::discernibility::{most_classes, occurring};
use super::{Asked, CellLoss, Definition, Evidence, Loss, Marginals, Price};
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

    fn bound(&self, node: &Node, _: &[f64]) -> f64 {
        self.rows / most_classes(&self.sizes, self.classes, node)
    }

    fn evidence(&self, view: &View<'_>, _: &Flags) -> Evidence {
        Evidence { above: self.rows / view.len().max(1) as f64, surplus: Vec::new() }
    }
}
