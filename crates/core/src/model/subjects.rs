//! k-anonymity of people: every combination of quasi-identifiers that is released belongs to at
//! least k people, whatever the rows.
//!
//! The measured column is the subject of the rows, so the people of a class are the distinct values
//! of that column. Merging classes only adds people: the model is monotone, and a safe class stays
//! safe with any other. A class has no more people than rows, so small classes need no look at
//! them. Costs one pass over the counts and one look-up per class that has rows enough.

use super::{KAnonymity, ModelFacts, PrivacyModel, Requirement, Scope, Verdict};
use crate::classes::{Flags, View};

/// At least k people per combination of all quasi-identifiers.
#[derive(Debug, Clone)]
pub struct Subjects {
    facts: ModelFacts,
    k: u64,
    column: usize,
}

impl Subjects {
    /// At least k people, who are the values of a measured column.
    pub fn new(k: u64, column: usize) -> Self {
        let facts = ModelFacts {
            class_wise: true,
            needs: vec![column],
            min_safe_rows: k,
            ..ModelFacts::monotone(Requirement::KAnonymity, KAnonymity::CLAIM)
        };
        Subjects { facts, k, column }
    }

    fn people(&self, classes: &View<'_>, class: usize) -> u64 {
        classes.histogram(self.column, class).0.len() as u64
    }
}

impl PrivacyModel for Subjects {
    fn facts(&self) -> &ModelFacts {
        &self.facts
    }

    fn violations(&self, classes: &View<'_>, flags: &mut Flags) {
        flags.flag_below(classes.counts(), self.k);
        for class in 0..classes.len() {
            if !flags.has(class) && self.people(classes, class) < self.k {
                flags.flag(class, classes.counts()[class]);
            }
        }
    }

    fn verdict(&self, classes: &View<'_>, flags: &Flags) -> Option<Verdict> {
        let released = (0..classes.len()).filter(|&class| !flags.has(class));
        Some(Verdict::at_least(self.k, released.map(|class| self.people(classes, class)).min()))
    }

    fn scope(&self) -> Scope<'_> {
        Scope::Subjects { column: self.column, least: self.k }
    }
}
