//! Ambiguity (mission M7; Nergiz and Clifton 2007): the mean over rows of how many leaf
//! combinations a row could be. A suppressed row could be any.
//!
//! Not monotone; without the suppressed rows' surplus it is, and that is its bound.

use super::{Evidence, Loss, Marginals};
use crate::classes::{Flags, View};
use crate::lattice::Node;

pub(super) struct Ambiguity {
    /// Column → level → least leaves under an occurring value.
    least: Vec<Vec<f64>>,
    /// All leaf combinations.
    everything: f64,
}

impl Ambiguity {
    pub(super) fn new(marginals: &Marginals) -> Self {
        let least = |level: &super::marginals::LevelCounts| {
            let occurring = level.rows.iter().zip(&level.leaves).filter(|(n, _)| **n > 0);
            f64::from(occurring.map(|(_, &l)| l).min().unwrap_or(1))
        };
        Ambiguity {
            least: marginals.columns.iter().map(|c| c.levels.iter().map(least).collect()).collect(),
            everything: marginals.columns.iter().map(|c| c.leaves as f64).product(),
        }
    }

    fn cells(&self, view: &View<'_>, class: usize) -> f64 {
        let leaves = |column: usize| {
            view.hierarchies()[column].leaves_under(view.node().level(column), view.code(class, column))
        };
        (0..view.columns()).map(|c| f64::from(leaves(c))).product()
    }

    fn mean(&self, view: &View<'_>, suppressed: impl Fn(usize) -> bool) -> f64 {
        let part = |(class, &count): (usize, &u32)| {
            let cells = if suppressed(class) { self.everything } else { self.cells(view, class) };
            f64::from(count) * cells
        };
        view.counts().iter().enumerate().map(part).sum::<f64>() / (view.rows() as f64).max(1.0)
    }
}

impl Loss for Ambiguity {
    fn name(&self) -> &'static str {
        "ambiguity"
    }

    fn monotone(&self) -> bool {
        false
    }

    fn loss(&self, view: &View<'_>, flags: &Flags) -> f64 {
        self.mean(view, |class| flags.has(class))
    }

    fn bound(&self, node: &Node, surplus: &[f64]) -> f64 {
        let least: f64 = self.least.iter().zip(node.levels()).map(|(l, &level)| l[level as usize]).product();
        match surplus {
            [share] => least + share * (self.everything - least),
            _ => least,
        }
    }

    /// The surplus is the share of suppressed rows, each of which could be anything.
    fn evidence(&self, view: &View<'_>, flags: &Flags) -> Evidence {
        let share = flags.rows() as f64 / (view.rows() as f64).max(1.0);
        let surplus = if flags.rows() > 0 { vec![share] } else { Vec::new() };
        Evidence { above: self.mean(view, |_| false), surplus }
    }
}
