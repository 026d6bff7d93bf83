//! Profitability [Wan 2015], as in the ARX models against a prosecutor: attacks do not pay, or the
//! release pays despite them.
//!
//! An attack on a row of a class of n rows wins the gain with probability 1/n and costs the cost,
//! so it pays if gain / n > cost. A row earns the publisher benefit · (1 − information loss), minus
//! publisher loss / n if it is attacked. Under `no_attack` a class stays if no attack on its rows
//! pays; under `payout`, if its rows earn more than 0. The figure is the earnings of all released
//! rows.
//!
//! The information loss of a row is the mean of LM over its cells: (leaves under the cell − 1) /
//! (leaves of the hierarchy − 1), and 0 in a column of one leaf. `no_attack` sets a minimum class
//! size and is monotone; under `payout`, generalization can cost a row more than its lower risk
//! earns. Costs one pass over the classes; payouts cost one look-up per cell.

use super::{Build, ModelFacts, PrivacyModel, Setting, Verdict};
use crate::classes::{Flags, View};
use crate::error::Result;
use crate::policy::{Game, ModelKind, Profitability as Asked};

/// How much of an amount is rounding: what is not more by that much is not more.
const ROUNDING: f64 = 1e-9;

/// Rows that pay, or that do not pay an adversary.
#[derive(Debug, Clone)]
pub struct Profitability {
    facts: ModelFacts,
    asked: Asked,
}

impl Profitability {
    /// From a policy's parameters.
    pub fn new(claim: String, asked: &Asked) -> Self {
        let monotone = asked.kind == Game::NoAttack;
        let facts = ModelFacts { monotone, ..ModelFacts::new(ModelKind::Profitability, claim) };
        Profitability { facts, asked: asked.clone() }
    }

    fn attacked(&self, rows: f64) -> bool {
        self.asked.adversary_gain / rows > self.asked.adversary_cost * (1.0 + ROUNDING)
    }

    /// The publisher's earnings for a row in a class of this size with this information loss.
    fn payout(&self, rows: f64, lost: f64) -> f64 {
        let harm = if self.attacked(rows) { self.asked.publisher_loss / rows } else { 0.0 };
        self.asked.publisher_benefit * (1.0 - lost) - harm
    }

    fn stays(&self, rows: f64, lost: impl FnOnce() -> f64) -> bool {
        match self.asked.kind {
            Game::NoAttack => !self.attacked(rows),
            Game::Payout => {
                let amounts = self.asked.publisher_benefit + self.asked.publisher_loss;
                self.payout(rows, lost()) > ROUNDING * amounts
            }
        }
    }
}

/// What cells lose at a node.
struct Lost {
    /// Column → generalized code → LM.
    cells: Vec<Vec<f64>>,
}

impl Lost {
    fn new(classes: &View<'_>) -> Self {
        let column = |(at, hierarchy): (usize, &crate::hierarchy::Hierarchy)| {
            let level = classes.node().level(at);
            let others = hierarchy.leaf_count().saturating_sub(1).max(1) as f64;
            let lost = |code: usize| f64::from(hierarchy.leaves_under(level, code as u32) - 1) / others;
            (0..hierarchy.size(level)).map(lost).collect()
        };
        Lost { cells: classes.hierarchies().iter().enumerate().map(column).collect() }
    }

    /// The mean over a class's cells.
    fn row(&self, classes: &View<'_>, class: usize) -> f64 {
        let cells = self.cells.iter().enumerate();
        let sum: f64 = cells.map(|(at, lost)| lost[classes.code(class, at) as usize]).sum();
        sum / self.cells.len().max(1) as f64
    }
}

impl PrivacyModel for Profitability {
    fn facts(&self) -> &ModelFacts {
        &self.facts
    }

    fn violations(&self, classes: &View<'_>, flags: &mut Flags) {
        let lost = Lost::new(classes);
        for (class, &count) in classes.counts().iter().enumerate() {
            if !flags.has(class) && !self.stays(f64::from(count), || lost.row(classes, class)) {
                flags.flag(class, count);
            }
        }
    }

    fn verdict(&self, classes: &View<'_>, flags: &Flags) -> Option<Verdict> {
        let lost = Lost::new(classes);
        let (mut all, mut holds, mut some) = (0.0, true, false);
        for class in (0..classes.len()).filter(|&class| !flags.has(class)) {
            let rows = f64::from(classes.counts()[class]);
            let lost = lost.row(classes, class);
            all += rows * self.payout(rows, lost);
            holds &= self.stays(rows, || lost);
            some = true;
        }
        Some(Verdict::new(0.0, some.then_some(all), holds))
    }
}

impl Build for Asked {
    fn build(&self, claim: String, _setting: &Setting<'_>) -> Result<Box<dyn PrivacyModel>> {
        Ok(Box::new(Profitability::new(claim, self)))
    }
}
