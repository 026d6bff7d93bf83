//! Privacy models: what makes a class unsafe. One file per model, one line here.

mod k_anonymity;
mod no_missing;

pub use k_anonymity::KAnonymity;
pub use no_missing::NoMissing;

use crate::classes::{Flags, View};

/// A guarantee that classes meet or violate.
pub trait PrivacyModel: Send + Sync {
    /// What certificates call it.
    fn name(&self) -> String;

    /// Whether a row that is safe at a node is safe at every generalization of it.
    fn monotone(&self) -> bool;

    /// Whether leaving out other classes can make a class unsafe. Then flagging is repeated until
    /// nothing changes: what remains is the largest set of rows that is safe by itself.
    fn cascades(&self) -> bool;

    /// The measured columns whose histograms it reads.
    fn needs(&self) -> Vec<usize> {
        Vec::new()
    }

    /// Flags the classes that violate the model in the table without the classes flagged already.
    fn violations(&self, classes: &View<'_>, flags: &mut Flags);

    /// What is asked for, and what the classes that are not flagged reach; none for a rule that is no guarantee.
    fn verdict(&self, classes: &View<'_>, flags: &Flags) -> Option<Verdict>;
}

/// What a model asks for and what was reached.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// Asked for.
    pub required: f64,
    /// Reached; none when nothing is left.
    pub achieved: Option<f64>,
    /// Whether the one meets the other.
    pub holds: bool,
}

/// Flags every class that violates some model, in the table without the flagged ones.
pub fn judge(models: &[Box<dyn PrivacyModel>], classes: &View<'_>, flags: &mut Flags) {
    flags.reset(classes.len());
    let cascades = models.iter().any(|m| m.cascades());
    loop {
        let before = flags.classes();
        for model in models {
            model.violations(classes, flags);
        }
        if !cascades || flags.classes() == before {
            return;
        }
    }
}
