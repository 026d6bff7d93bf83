//! Models of a quasi-identifier: independent implementation for the verifier.
//!
//! Rows that are equal in all other quasi-identifiers are put together, and the labels that they
//! have in this one are judged like the values of a sensitive column. The whole table that some
//! models compare with is the original at the claimed level, or the release itself if nothing is
//! withheld. Costs one look-up per class and a sort of the labels of each set.

use std::collections::BTreeMap;

use super::super::classes::{Interner, MISSING, Tuples, UNKNOWN};
use super::super::levels::{Build, Chain, number};
use super::super::pace::Pace;
use super::super::reference::Reference;
use super::super::side::Side;
use super::super::wildcard::project;
use super::{Limit, Measure, Seen};
use throng_terms::error::Result;
use throng_terms::policy::{Policy, Role};

/// A model of a quasi-identifier.
#[derive(Debug)]
pub(super) struct OfLabels {
    /// Which of the quasi-identifiers it is, in name order.
    column: usize,
    measure: Box<dyn Measure>,
    /// The labels of the whole table, where the model compares with them and they are known.
    reference: Option<Reference>,
    /// Number of a label of the generalized original → its number in the reference.
    of_original: Vec<u32>,
    /// Whether the whole table, where the model compares with it, has enough rows for the model.
    reachable: bool,
}

/// Where the numbers of labels come from.
#[derive(Clone, Copy)]
pub(super) enum Labels {
    /// From the release.
    Released,
    /// From the original at the claimed levels.
    Original,
}

impl OfLabels {
    /// A model of a column; none where it is not a quasi-identifier.
    pub(super) fn new(policy: &Policy, column: &str, measure: Box<dyn Measure>) -> Option<Self> {
        let column = policy.with_role(Role::Quasi).into_iter().position(|name| name == column)?;
        Some(OfLabels { column, measure, reference: None, of_original: Vec::new(), reachable: true })
    }

    /// The limit of its figures.
    pub(super) fn limit(&self) -> Limit {
        self.measure.limit()
    }

    /// Counts the labels of the whole table, if the model compares with it and it is known.
    pub(super) fn compare(
        &mut self,
        policy: &Policy,
        chains: &[Chain<'_>],
        (released, original): (&Side, Option<&Side>),
        nothing_held: bool,
        build: &Build<'_>,
    ) -> Result<()> {
        if !self.measure.compares() {
            return Ok(());
        }
        let shown = &released.interners[self.column];
        let mut table = Interner::new();
        match original {
            Some(original) => {
                let Some((hierarchy, level)) = chains[self.column].at(0) else { return Ok(()) };
                let values = &original.interners[self.column];
                for value in 0..values.len() as u32 {
                    let leaf = hierarchy.leaf(values.value(value));
                    let label = leaf.map(|leaf| hierarchy.label(level, hierarchy.generalize(leaf, level)));
                    table.count_in(label.flatten(), values.count(value));
                }
                self.of_original = vec![UNKNOWN; hierarchy.size(level) + 1];
                self.of_original[MISSING as usize] = MISSING;
                for code in 0..hierarchy.size(level) as u32 {
                    let at = table.get(hierarchy.label(level, code));
                    self.of_original[number(hierarchy, level, code) as usize] = at.unwrap_or(UNKNOWN);
                }
            }
            None if nothing_held => {
                for label in 0..shown.len() as u32 {
                    table.count_in(shown.value(label), shown.count(label));
                }
            }
            None => return Ok(()),
        }
        self.reachable =
            self.measure.reachable((0..table.len() as u32).map(|label| table.count(label)).sum());
        let ground = (policy, self.measure.ground());
        self.reference = Some(Reference::new(ground, (&table, original.is_some()), shown, build)?);
        Ok(())
    }

    /// Whether figures can be computed: some need the whole table.
    pub(super) fn is_computable(&self) -> bool {
        !self.measure.compares() || self.reference.is_some()
    }

    /// The classes that have rows, each with the figure of all rows that are like it in the other
    /// columns.
    pub(super) fn figures(
        &self,
        tuples: &Tuples,
        counts: &[u64],
        from: Labels,
        pace: &Pace<'_>,
    ) -> Result<Vec<(usize, f64)>> {
        let others: Vec<usize> = (0..tuples.width()).filter(|&column| column != self.column).collect();
        let mut parts = Tuples::new(others.len());
        let mut part = vec![0; others.len()];
        // The part of each class, and the class.
        let mut classes: Vec<(u32, u32)> = Vec::new();
        for class in (0..tuples.len()).filter(|&class| counts[class] > 0) {
            pace.steps(4)?;
            project(tuples.tuple(class), &others, &mut part);
            classes.push((parts.intern(&part) as u32, class as u32));
        }
        classes.sort_unstable();
        let mut figures = Vec::with_capacity(classes.len());
        for alike in classes.chunk_by(|a, b| a.0 == b.0) {
            pace.steps(alike.len() as u64)?;
            let label = |class: usize| self.numbered(tuples.tuple(class)[self.column], from);
            let mut rows: BTreeMap<u32, u64> = BTreeMap::new();
            for &(_, class) in alike {
                *rows.entry(label(class as usize)).or_default() += counts[class as usize];
            }
            let figure = self.figure(&rows.into_iter().collect::<Vec<_>>());
            figures.extend(alike.iter().map(|&(_, class)| (class as usize, figure)));
        }
        Ok(figures)
    }

    /// The number of a label in the reference, where there is one.
    fn numbered(&self, label: u32, from: Labels) -> u32 {
        let known = match (&self.reference, from) {
            (None, _) => return label,
            (Some(reference), Labels::Released) => &reference.of_release,
            (Some(_), Labels::Original) => &self.of_original,
        };
        known.get(label as usize).copied().unwrap_or(UNKNOWN)
    }

    fn figure(&self, values: &[(u32, u64)]) -> f64 {
        if !self.reachable {
            return self.limit().unmet();
        }
        let reference = self.reference.as_ref();
        self.measure.figure(&Seen { values, reference, named: None, amounts: None, guards: None })
    }
}
