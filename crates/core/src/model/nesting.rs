//! Classes that nest with earlier releases: whoever is in a class shares the classes of earlier
//! releases with enough others in it.
//!
//! A measured column has the *trace* of every row: the classes of its person in earlier releases,
//! as a number. A class is safe if every trace that occurs in it has enough rows there. This is a
//! rule for the search and not a guarantee: the ledger judges what was decided by people, so a
//! verdict is never certified. Two safe classes are safe together, but a safe one is not safe with
//! any other: a trace with few rows may come along. Costs one pass over the traces of a class.

use super::class::{Bound, Class, ClassFacts, ClassModel};
use super::{ModelFacts, PrivacyModel, Requirement, Scope, Verdict};
use crate::classes::{Flags, View};
use crate::table::Code;

/// The rule that classes nest with earlier releases.
pub struct Nesting(Traces);

impl Nesting {
    /// A rule about a measured column of traces, whose codes need this many rows in a class. With
    /// `strict`, no row may be suppressed.
    pub fn new(column: usize, least: Vec<u64>, strict: bool) -> Self {
        let claim = "nesting".to_owned();
        let fewest = least.iter().copied().min().unwrap_or(1);
        let facts = ClassFacts::new(Requirement::Custom, claim, column, Bound::AtLeast(1.0));
        Nesting(Traces { facts: facts.strict(strict).min_safe_rows(fewest), least })
    }
}

impl PrivacyModel for Nesting {
    fn facts(&self) -> &ModelFacts {
        self.0.facts()
    }

    fn violations(&self, classes: &View<'_>, flags: &mut Flags) {
        self.0.violations(classes, flags);
    }

    fn verdict(&self, _: &View<'_>, _: &Flags) -> Option<Verdict> {
        None
    }

    fn scope(&self) -> Scope<'_> {
        Scope::Class(&self.0)
    }
}

/// The same as a model of single classes, for methods that form regions.
struct Traces {
    facts: ClassFacts,
    /// Code → rows that it needs in a class.
    least: Vec<u64>,
}

impl Traces {
    fn least(&self, code: Code) -> f64 {
        self.least.get(code as usize).copied().unwrap_or(1) as f64
    }
}

impl ClassModel for Traces {
    fn class_facts(&self) -> &ClassFacts {
        &self.facts
    }

    /// The least share that a trace has of the rows that it needs.
    fn figure(&self, class: Class<'_>) -> f64 {
        let share = |(code, rows): (Code, u32)| f64::from(rows) / self.least(code);
        class.present(None).map(share).fold(f64::INFINITY, f64::min)
    }

    /// Rows of a trace that has too few: no part of the class has more of them.
    fn unreleasable_rows(&self, class: Class<'_>) -> f64 {
        let few = class.present(None).filter(|&(code, rows)| f64::from(rows) < self.least(code));
        few.map(|(_, rows)| f64::from(rows)).sum()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_class_is_safe_if_every_trace_in_it_has_enough_rows(
            rows in prop::collection::vec(0u32..5, 0..40),
            least in prop::collection::vec(1u64..5, 5),
            split in prop::collection::vec(any::<bool>(), 40),
        ) {
            let model = Nesting::new(0, least.clone(), false);
            let class_model = model.scope().class_model().unwrap();
            let count = |rows: &[u32], code: u32| rows.iter().filter(|&&row| row == code).count() as u32;
            let safe = |rows: &[u32]| {
                let codes: Vec<u32> = (0..5).filter(|&code| count(rows, code) > 0).collect();
                let counts: Vec<u32> = codes.iter().map(|&code| count(rows, code)).collect();
                let class = Class { codes: &codes, counts: &counts };
                let safe = class_model.class_facts().bound.holds(class_model.figure(class));
                (safe, class_model.unreleasable_rows(class))
            };
            let enough = |rows: &[u32]| {
                rows.iter().all(|&row| u64::from(count(rows, row)) >= least[row as usize])
            };
            prop_assert_eq!(safe(&rows).0, enough(&rows));
            // Safe parts are safe together, and what is unreleasable is in no safe part.
            let part = |side: bool| -> Vec<u32> {
                rows.iter().zip(&split).filter(|(_, at)| **at == side).map(|(row, _)| *row).collect()
            };
            let parts = [part(true), part(false)];
            prop_assert!(!parts.iter().all(|part| enough(part)) || enough(&rows));
            let released: usize = parts.iter().filter(|part| enough(part)).map(Vec::len).sum();
            prop_assert!((rows.len() - released) as f64 >= safe(&rows).1);
        }
    }
}
