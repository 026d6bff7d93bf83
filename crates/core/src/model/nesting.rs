//! Classes that nest with earlier releases: everybody in a class shares the classes of earlier
//! releases with enough others in it.
//!
//! A measured column has the *trace* of every row: the classes of its person in earlier releases,
//! as a number, and the sensitive values of the row. A class is safe if every trace that occurs in
//! it has enough rows there, and enough values of every sensitive column: as many as the release
//! promises, or as many as the trace has in the whole table. This is a rule for the search and not
//! a guarantee: the ledger judges what was decided by people, so a verdict is never certified. Two
//! safe classes are safe together, but a safe one is not safe with any other: a trace with few rows
//! may come along. Costs one pass over the traces of a class.

use super::class::{Bound, Class, ClassFacts, ClassModel};
use super::{ModelFacts, PrivacyModel, Requirement, Scope, Verdict};
use crate::classes::{Flags, View};
use crate::table::Code;

/// A code of the column of traces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceCode {
    /// The trace.
    pub trace: u32,
    /// Sensitive column → value.
    pub values: Vec<u32>,
}

/// The rule that classes nest with earlier releases.
pub struct Nesting(Traces);

impl Nesting {
    /// A rule about a measured column of traces, with what its codes stand for: those of a trace
    /// are neighbours. `least` is the number of rows that a trace needs in a class, and `values`
    /// has the values of each sensitive column that it needs. With `strict`, no row may be
    /// suppressed.
    pub fn new(
        column: usize,
        codes: Vec<TraceCode>,
        (least, values): (&dyn Fn(u32) -> u64, &[u32]),
        strict: bool,
    ) -> Self {
        let needs: Vec<Needs> = codes
            .chunk_by(|a, b| a.trace == b.trace)
            .flat_map(|run| {
                let present = distinct(run.iter(), values.len());
                let values = values.iter().zip(present).map(|(&asked, has)| asked.min(has)).collect();
                vec![Needs { rows: least(run[0].trace).max(1), values }; run.len()]
            })
            .collect();
        let fewest = needs.iter().map(|needs| needs.rows).min().unwrap_or(1);
        let facts = ClassFacts::new(Requirement::Custom, "nesting".into(), column, Bound::AtLeast(1.0));
        Nesting(Traces { facts: facts.strict(strict).min_safe_rows(fewest), codes, needs })
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

/// What a trace needs in a class.
#[derive(Debug, Clone)]
struct Needs {
    rows: u64,
    /// Sensitive column → values.
    values: Vec<u32>,
}

/// The same as a model of single classes, for methods that form regions.
struct Traces {
    facts: ClassFacts,
    codes: Vec<TraceCode>,
    /// Code → what its trace needs.
    needs: Vec<Needs>,
}

/// Sensitive column → distinct values of some codes.
fn distinct<'a>(codes: impl Iterator<Item = &'a TraceCode> + Clone, columns: usize) -> Vec<u32> {
    let count = |column: usize| {
        let mut values: Vec<u32> = codes.clone().map(|code| code.values[column]).collect();
        values.sort_unstable();
        values.dedup();
        values.len() as u32
    };
    (0..columns).map(count).collect()
}

impl Traces {
    /// The traces of a class: rows, and the least share that each has of what it needs.
    fn shares(&self, class: Class<'_>) -> Vec<(u64, f64)> {
        let trace = |code: &Code| self.codes[*code as usize].trace;
        let mut at = 0;
        let share = |run: &[Code]| {
            let rows: u64 = class.counts[at..at + run.len()].iter().map(|&rows| u64::from(rows)).sum();
            at += run.len();
            let needs = &self.needs[run[0] as usize];
            let found = distinct(run.iter().map(|&code| &self.codes[code as usize]), needs.values.len());
            let of_values =
                needs.values.iter().zip(found).map(|(&needed, has)| f64::from(has) / f64::from(needed));
            (rows, of_values.fold(rows as f64 / needs.rows as f64, f64::min))
        };
        class.codes.chunk_by(|a, b| trace(a) == trace(b)).map(share).collect()
    }
}

impl ClassModel for Traces {
    fn class_facts(&self) -> &ClassFacts {
        &self.facts
    }

    /// The least share that a trace has of what it needs.
    fn figure(&self, class: Class<'_>) -> f64 {
        self.shares(class).into_iter().map(|(_, share)| share).fold(f64::INFINITY, f64::min)
    }

    /// Rows of a trace that has too little: no part of the class has more of it.
    fn unreleasable_rows(&self, class: Class<'_>) -> f64 {
        let bound = self.facts.bound;
        let few = self.shares(class).into_iter().filter(|(_, share)| !bound.holds(*share));
        few.map(|(rows, _)| rows as f64).sum()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// Four traces with three values each; codes are traces × values.
    fn codes() -> Vec<TraceCode> {
        (0..12).map(|code| TraceCode { trace: code / 3, values: vec![code % 3] }).collect()
    }

    proptest! {
        #[test]
        fn a_class_is_safe_if_every_trace_in_it_has_enough_rows_and_values(
            rows in prop::collection::vec(0u32..12, 0..40),
            least in prop::collection::vec(1u64..5, 4),
            values in 1u32..4,
            split in prop::collection::vec(any::<bool>(), 40),
        ) {
            let model = Nesting::new(0, codes(), (&|trace| least[trace as usize], &[values]), false);
            let class_model = model.scope().class_model().unwrap();
            let judged = |rows: &[u32]| {
                let count = |code: u32| rows.iter().filter(|&&row| row == code).count() as u32;
                let codes: Vec<u32> = (0..12).filter(|&code| count(code) > 0).collect();
                let counts: Vec<u32> = codes.iter().map(|&code| count(code)).collect();
                let class = Class { codes: &codes, counts: &counts };
                let safe = class_model.class_facts().bound.holds(class_model.figure(class));
                (safe, class_model.unreleasable_rows(class))
            };
            let enough = |rows: &[u32]| {
                rows.iter().all(|row| {
                    let alike: Vec<u32> = rows.iter().copied().filter(|other| other / 3 == row / 3).collect();
                    let found: BTreeSet<u32> = alike.iter().map(|code| code % 3).collect();
                    alike.len() as u64 >= least[*row as usize / 3] && found.len() as u32 >= values
                })
            };
            prop_assert_eq!(judged(&rows).0, enough(&rows));
            // Safe parts are safe together, and what is unreleasable is in no safe part.
            let part = |side: bool| -> Vec<u32> {
                rows.iter().zip(&split).filter(|(_, at)| **at == side).map(|(row, _)| *row).collect()
            };
            let parts = [part(true), part(false)];
            prop_assert!(!parts.iter().all(|part| enough(part)) || enough(&rows));
            let released: usize = parts.iter().filter(|part| enough(part)).map(Vec::len).sum();
            prop_assert!((rows.len() - released) as f64 >= judged(&rows).1);
        }
    }

    #[test]
    fn a_trace_needs_no_more_values_than_it_has() {
        let codes = vec![
            TraceCode { trace: 0, values: vec![5] },
            TraceCode { trace: 1, values: vec![5] },
            TraceCode { trace: 1, values: vec![6] },
        ];
        let model = Nesting::new(0, codes, (&|_| 2, &[2]), false);
        let figure = |codes: &[Code], counts: &[u32]| {
            model.scope().class_model().unwrap().figure(Class { codes, counts })
        };
        assert_eq!(figure(&[0], &[2]), 1.0);
        assert_eq!(figure(&[1], &[4]), 0.5);
        assert_eq!(figure(&[1, 2], &[3, 1]), 1.0);
        assert_eq!(figure(&[0, 1, 2], &[1, 3, 1]), 0.5);
    }
}
