//! Ambiguity [Nergiz 2007b]: the mean, over rows, of the number of leaf combinations that a row
//! could stand for. A suppressed row could stand for any.
//!
//! Not monotone. Without the surplus of suppressed rows it is monotone; that value is the bound.
//! With a trade-off, a released row costs g·(its combinations) and a suppressed row s·(all
//! combinations); the bound charges each row the lesser of the two. If suppression is free, the
//! loss is monotone.
//!
//! **Bound by classes.** A row stands for at least as many combinations above a node as at it: the
//! lesser cost of each row at b is `above`. A row that T suppresses is suppressed at every t below
//! T. It costs s·(all) there, and its part of `above` is at most its cost at T: the difference is
//! the surplus of T, and `above` + surplus bounds every node between b and T.

use super::{Allowed, Asked, CellLoss, Definition, Evidence, Loss, Marginals, Price, Tradeoff};
use crate::classes::{Flags, View};
use crate::lattice::Node;
use crate::registry::LossKind;

pub(super) const DEFINITION: Definition = Definition {
    build: |asked, marginals, _| Box::new(Ambiguity::new(marginals, asked.tradeoff)),
    cells: CellLoss::Whole(of_cells),
};

fn of_cells(price: &Price, asked: &Asked, _: &[f64]) -> f64 {
    let Tradeoff { generalized, suppressed } = asked.tradeoff;
    let hidden = price.suppressed as f64;
    (generalized * price.ambiguity + suppressed * hidden * price.everything) / (price.rows as f64).max(1.0)
}

pub(super) struct Ambiguity {
    /// Column → level → least leaves under an occurring value.
    least: Vec<Vec<f64>>,
    /// The cost of a suppressed row: all leaf combinations.
    everything: f64,
    tradeoff: Tradeoff,
}

impl Ambiguity {
    pub(super) fn new(marginals: &Marginals, tradeoff: Tradeoff) -> Self {
        let least = |level: &super::marginals::LevelCounts| {
            let occurring = level.rows.iter().zip(&level.leaves).filter(|(n, _)| **n > 0);
            f64::from(occurring.map(|(_, &l)| l).min().unwrap_or(1))
        };
        Ambiguity {
            least: marginals.columns.iter().map(|c| c.levels.iter().map(least).collect()).collect(),
            everything: tradeoff.suppressed
                * marginals.columns.iter().map(|c| c.leaves as f64).product::<f64>(),
            tradeoff,
        }
    }

    /// What a class's rows cost each when they are released.
    fn cells(&self, view: &View<'_>, class: usize) -> f64 {
        let leaves = |column: usize| {
            view.hierarchies()[column].leaves_under(view.node().level(column), view.code(class, column))
        };
        self.tradeoff.generalized * (0..view.columns()).map(|c| f64::from(leaves(c))).product::<f64>()
    }

    fn mean(&self, view: &View<'_>, cost: impl Fn(usize) -> f64) -> f64 {
        let part = |(class, &count): (usize, &u32)| f64::from(count) * cost(class);
        view.counts().iter().enumerate().map(part).sum::<f64>() / (view.rows() as f64).max(1.0)
    }
}

impl Loss for Ambiguity {
    fn kind(&self) -> LossKind {
        LossKind::Ambiguity
    }

    fn monotone(&self) -> bool {
        self.tradeoff.free()
    }

    fn loss(&self, view: &View<'_>, flags: &Flags) -> f64 {
        self.mean(view, |class| if flags.has(class) { self.everything } else { self.cells(view, class) })
    }

    fn bound(&self, node: &Node, surplus: &[f64]) -> f64 {
        let least: f64 = self.least.iter().zip(node.levels()).map(|(l, &level)| l[level as usize]).product();
        let least = (self.tradeoff.generalized * least).min(self.everything);
        match surplus {
            [share, _] => least + share * (self.everything - least),
            _ => least,
        }
    }

    fn bound_between(&self, bottom: &Node, above: f64, surplus: &[f64]) -> f64 {
        self.bound(bottom, surplus).max(above + surplus.get(1).copied().unwrap_or(0.0))
    }

    /// The surplus is the share of suppressed rows, which could be anything, and what they
    /// cost beyond their cells.
    fn evidence(&self, view: &View<'_>, flags: &Flags, _: Allowed) -> Evidence {
        let rows = (view.rows() as f64).max(1.0);
        let lesser = |class: usize| self.cells(view, class).min(self.everything);
        let beyond =
            |class: usize| f64::from(view.counts()[class]) * (self.everything - lesser(class)) / rows;
        let surplus = match flags.rows() {
            0 => Vec::new(),
            hidden => vec![hidden as f64 / rows, flags.iter().map(beyond).sum()],
        };
        Evidence { above: self.mean(view, lesser), surplus }
    }
}
