//! Rare values in the release: independent implementation for the verifier, which counts each value
//! of a column in the released rows. `deleted.rs` judges those of the table.
//!
//! A missing cell counts as a value. Costs one look-up per class, column and value, for every round
//! that removes rows.

use std::collections::BTreeMap;

use super::super::claims::Judged;
use super::super::classes::Tuples;
use super::super::sensitive::Values;
use super::super::side::Side;
use super::super::verdict::{Finding, Wrong, several};
use super::limit::ROUNDING;
use super::{Judge, JudgedBy, Limit, Rule, unlike};
use throng_terms::policy::{ModelSpec, Policy, RareValues, Role};
use throng_terms::release::Certificate;

impl Judge for RareValues {
    fn judged_by(&self, _: &ModelSpec, policy: &Policy) -> Option<JudgedBy> {
        Some(match self.deletes() {
            Some(_) => JudgedBy::Deleted(self.k),
            None => JudgedBy::Values(Rare::new(self, policy)),
        })
    }
}

/// A rule against values of fewer than k rows.
#[derive(Debug)]
pub(super) struct Rare {
    k: u64,
    /// Names and places among the quasi-identifiers, in name order.
    quasi: Vec<(String, usize)>,
    /// Names and places among the judged columns, in name order.
    judged: Vec<(String, usize)>,
}

/// A column's rows per value.
type Counts = BTreeMap<u32, u64>;

impl Rare {
    pub(super) fn new(asked: &RareValues, policy: &Policy) -> Self {
        let wanted = asked.columns(policy);
        let placed = |names: Vec<&str>| {
            let placed = names.into_iter().enumerate().filter(|(_, name)| wanted.contains(name));
            placed.map(|(at, name)| (name.to_owned(), at)).collect()
        };
        let quasi = placed(policy.with_role(Role::Quasi));
        Rare { k: asked.k, quasi, judged: placed(policy.judged().into_iter().collect()) }
    }

    pub(super) fn limit(&self) -> Limit {
        Limit::Least(self.k as f64)
    }

    /// The values of a class in every column, with rows.
    fn of_class(
        &self,
        tuple: &[u32],
        values: &[Values],
        (class, rows): (usize, u64),
    ) -> Vec<(usize, u32, u64)> {
        let quasi = self.quasi.iter().enumerate().map(|(place, (_, at))| (place, tuple[*at], rows));
        let judged = self.judged.iter().enumerate().flat_map(|(place, (_, at))| {
            let of = values[*at].class(class).iter();
            of.map(move |&(value, rows)| (self.quasi.len() + place, value, rows))
        });
        quasi.chain(judged).collect()
    }

    /// For every column the rows of its values, in the classes that have rows.
    fn counts(&self, tuples: &Tuples, values: &[Values], counts: &[u64]) -> Vec<Counts> {
        let mut columns = vec![Counts::new(); self.quasi.len() + self.judged.len()];
        for (class, &rows) in counts.iter().enumerate().filter(|(_, rows)| **rows > 0) {
            for (column, value, rows) in self.of_class(tuples.tuple(class), values, (class, rows)) {
                *columns[column].entry(value).or_default() += rows;
            }
        }
        columns
    }

    /// The classes that have a rare value.
    fn rare(&self, tuples: &Tuples, values: &[Values], counts: &[u64]) -> Vec<usize> {
        let columns = self.counts(tuples, values, counts);
        let has_rare = |class: &usize| {
            let cells = self.of_class(tuples.tuple(*class), values, (*class, counts[*class]));
            cells.iter().any(|(column, value, _)| columns[*column].get(value).is_some_and(|&n| n < self.k))
        };
        (0..counts.len()).filter(|&class| counts[class] > 0).filter(has_rare).collect()
    }
}

/// Takes the rows of every class away that has a rare value, once; whether there was one.
pub(in super::super) fn without_rare(
    rules: &[Rule],
    tuples: &Tuples,
    values: &[Values],
    counts: &mut [u64],
) -> bool {
    let mut some = false;
    for rule in rules {
        let JudgedBy::Values(by) = &rule.by else { continue };
        for class in by.rare(tuples, values, counts) {
            counts[class] = 0;
            some = true;
        }
    }
    some
}

/// Compares the rarest released value with the requirement and the certificate.
pub(super) fn claim(
    rule: &Rule,
    by: &Rare,
    certificate: &Certificate,
    released: &Side,
    judged: &Judged,
) -> Finding {
    let columns = by.counts(&released.classes.tuples, released.values(), &judged.counts);
    let mut wrong = Wrong::default();
    for ((name, _), counts) in by.quasi.iter().chain(&by.judged).zip(&columns) {
        let rare: Vec<u64> = counts.values().copied().filter(|&rows| rows < by.k).collect();
        if let Some(least) = rare.iter().min() {
            wrong.push(format!(
                "{} of `{name}` in fewer than {} rows, one of them in {least}",
                several(rare.len() as u64, "value"),
                by.k
            ));
        }
    }
    let found = columns.iter().flat_map(Counts::values).min().map(|&rows| rows as f64);
    wrong.extend(unlike(
        "the rarest value has",
        certificate.release.privacy.get(&rule.claim),
        found,
        ROUNDING,
    ));
    Finding::of(&wrong, || match found {
        Some(rows) => format!("every value has {rows} rows or more, {} are required", by.k),
        None => "no row is released".into(),
    })
}
