//! δ-presence (mission P15; Nergiz, Atzori and Clifton 2007): whoever knows the population cannot tell from the
//! release that somebody is in the table with more confidence than δmax, nor with less than δmin.
//!
//! That confidence is the share of the people of a class of the population who are in the release. Two models
//! make the two bounds. A class above δmax is suppressed. Below δmin there is nothing to suppress: nobody
//! of the class may be there to begin with (a ghost), and leaving somebody out only makes it worse. So the
//! whole table is safe or no row of it is; a δmin of 0 asks for nothing, and then there is no second model.
//!
//! **Monotone.** The share of merged classes lies between theirs (a mediant), so a table all of whose classes keep
//! to a bound keeps to it at every generalization (theorem 1 of the paper). With suppression the upper bound is
//! not monotone row by row: 1 of 2 people is within ½, 3 of 3 are suppressed, and merged they are 4 of 5, so
//! that rows that were safe are no longer. With a δmin above 0 nothing can be suppressed beside safe rows, and
//! it is monotone again. Costs a pass over the classes.

use super::k_map::people;
use super::{PrivacyModel, Verdict};
use crate::classes::{Flags, View};

/// No share too high.
#[derive(Debug, Clone)]
pub struct MostPresent {
    claim: String,
    max: f64,
    /// Whether no class is ever suppressed beside safe ones.
    whole: bool,
}

/// No share too low.
#[derive(Debug, Clone)]
pub struct LeastPresent {
    claim: String,
    min: f64,
}

impl MostPresent {
    /// Of at most this share; `whole` where no class is ever suppressed beside safe ones.
    pub fn new(claim: String, max: f64, whole: bool) -> Self {
        MostPresent { claim, max, whole }
    }
}

impl LeastPresent {
    /// Of at least this share, which is above 0.
    pub fn new(claim: String, min: f64) -> Self {
        LeastPresent { claim, min }
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
    fn name(&self) -> String {
        self.claim.clone()
    }

    fn monotone(&self) -> bool {
        self.whole
    }

    fn cascades(&self) -> bool {
        false
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
        Some(Verdict { required: self.max, achieved: most, holds })
    }
}

impl PrivacyModel for LeastPresent {
    fn name(&self) -> String {
        self.claim.clone()
    }

    fn monotone(&self) -> bool {
        true
    }

    fn cascades(&self) -> bool {
        true
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
        Some(Verdict { required: self.min, achieved: least, holds })
    }
}
