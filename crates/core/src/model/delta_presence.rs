//! δ-presence [Nergiz 2007a]: an adversary who knows the population cannot infer from the release
//! that a person is in the table with probability above δmax or below δmin.
//!
//! That probability is the share of a class's people in the population who are in the release. One
//! model checks each bound. A class above δmax is suppressed. Below δmin suppression cannot help:
//! the class may contain nobody of the table (a ghost), and suppressing rows lowers the share
//! further. So either the whole table is safe or none of it is. With δmin = 0 there is no second
//! model.
//!
//! **Monotonicity.** The share of a union lies between those of its parts (mediant), so a table
//! whose classes all satisfy a bound satisfies it at every generalization (theorem 1 of the paper).
//! With suppression the upper bound is not monotone row by row: 1 of 2 people is within ½ and 3 of
//! 3 are suppressed, but merged they are 4 of 5, so safe rows become unsafe. With δmin above 0 no
//! row can be suppressed beside safe rows, and the model is monotone again. Costs one pass over the
//! classes.

use super::k_map::people;
use super::{Build, ModelFacts, PrivacyModel, Setting, Verdict};
use crate::classes::{Flags, View};
use crate::error::Result;
use crate::policy::{DeltaPresence as Asked, ModelKind};

/// No share too high.
#[derive(Debug, Clone)]
pub struct MostPresent {
    facts: ModelFacts,
    max: f64,
}

/// No share too low.
#[derive(Debug, Clone)]
pub struct LeastPresent {
    facts: ModelFacts,
    min: f64,
}

impl MostPresent {
    /// Of at most this share; `whole` where no class is ever suppressed beside safe ones.
    pub fn new(claim: String, max: f64, whole: bool) -> Self {
        let facts = ModelFacts { monotone: whole, ..ModelFacts::new(ModelKind::DeltaPresence, claim) };
        MostPresent { facts, max }
    }
}

impl LeastPresent {
    /// Of at least this share, which is above 0.
    pub fn new(claim: String, min: f64) -> Self {
        let facts = ModelFacts::monotone(ModelKind::DeltaPresence, claim);
        LeastPresent { facts: ModelFacts { needs_fixpoint: true, ..facts }, min }
    }

    /// The least share of all classes of the population, in a release without the flagged ones.
    fn least(classes: &View<'_>, flags: &Flags) -> f64 {
        if classes.ghosts() > 0 || flags.classes() > 0 {
            return 0.0;
        }
        (0..classes.len()).map(|class| share(classes, class)).fold(1.0, f64::min)
    }
}

/// The share of a class's people who are in the table; all of them where no population is known.
fn share(classes: &View<'_>, class: usize) -> f64 {
    // Quotients of whole numbers are rounded as the decimals of a policy are: 3 of 10 is 0.3.
    f64::from(classes.counts()[class]) / people(classes, class).max(1) as f64
}

impl PrivacyModel for MostPresent {
    fn facts(&self) -> &ModelFacts {
        &self.facts
    }

    fn violations(&self, classes: &View<'_>, flags: &mut Flags) {
        for class in (0..classes.len()).filter(|&class| share(classes, class) > self.max) {
            flags.flag(class, classes.counts()[class]);
        }
    }

    fn verdict(&self, classes: &View<'_>, flags: &Flags) -> Option<Verdict> {
        let released = (0..classes.len()).filter(|&class| !flags.has(class));
        let most = released.map(|class| share(classes, class)).reduce(f64::max);
        let holds = most.is_none_or(|share| share <= self.max);
        Some(Verdict::new(self.max, most, holds))
    }
}

impl PrivacyModel for LeastPresent {
    fn facts(&self) -> &ModelFacts {
        &self.facts
    }

    fn violations(&self, classes: &View<'_>, flags: &mut Flags) {
        if LeastPresent::least(classes, flags) < self.min {
            (0..classes.len()).for_each(|class| flags.flag(class, classes.counts()[class]));
        }
    }

    fn verdict(&self, classes: &View<'_>, flags: &Flags) -> Option<Verdict> {
        let released = flags.classes() < classes.len();
        let least = released.then(|| LeastPresent::least(classes, flags));
        let holds = least.is_none_or(|share| share >= self.min);
        Some(Verdict::new(self.min, least, holds))
    }
}

impl Build for Asked {
    fn build(&self, claim: String, setting: &Setting<'_>) -> Result<Box<dyn PrivacyModel>> {
        Ok(Box::new(MostPresent::new(claim, self.max, setting.strict || self.min > 0.0)))
    }

    fn other_half(&self) -> Option<Box<dyn PrivacyModel>> {
        let least = || Box::new(LeastPresent::new(Asked::LEAST.into(), self.min));
        (self.min > 0.0).then(|| least() as Box<dyn PrivacyModel>)
    }
}
