//! Privacy models: what makes a class unsafe. One file per model, one line here.
//!
//! A model of the values of a sensitive column is a [`ClassModel`]: it judges one class at a time, whatever formed
//! it. A model of the whole table is a [`PrivacyModel`] by itself.

mod class;
mod k_anonymity;
mod l_diversity;
mod no_missing;

pub use class::{Bound, Class, ClassModel};
pub use k_anonymity::KAnonymity;
pub use l_diversity::LDiversity;
pub use no_missing::NoMissing;

use crate::classes::{Flags, View};
use crate::policy::ModelSpec;
use crate::table::{Code, Dictionary};

/// A sensitive column as models know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sensitive {
    /// Which of the measured columns it is.
    pub measured: usize,
    /// The code of a missing cell, where there is one.
    pub missing: Option<Code>,
}

impl Sensitive {
    /// A measured column with these values.
    pub fn new(measured: usize, values: &Dictionary) -> Self {
        Sensitive { measured, missing: values.missing() }
    }
}

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

    /// The same model for sets of rows that are no classes of a node; none where it judges the table as a whole.
    fn of_class(&self) -> Option<&dyn ClassModel> {
        None
    }
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

/// The model that a policy asks for, of a sensitive column with its values; `strict` where no row may be suppressed.
pub fn build(asked: &ModelSpec, column: Sensitive, strict: bool) -> Box<dyn PrivacyModel> {
    match asked {
        ModelSpec::LDiversity(l) => Box::new(LDiversity::new(asked.claim(), l, column, strict)),
    }
}
