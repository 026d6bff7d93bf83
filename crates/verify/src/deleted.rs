//! Rare values that must have been deleted from the original: independent implementation for the
//! verifier, which counts the values of the judged columns itself.
//!
//! The rest of the verifier reads the original through [`RareValuesFound::left`], as if the
//! deleted rows had never been there and the deleted cells had always been missing. So a release
//! that shows a rare value differs from what the original makes it. [`ValueCounts`] is filled
//! while the release is written; without it, counting costs one more pass over the judged columns.
//! One look-up per cell of them.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashSet;

use super::classes::Interner;
use super::verdict::{Finding, WITHOUT_ORIGINAL, Wrong, several};
use throng_terms::error::Result;
use throng_terms::policy::{Delete, ModelSpec, Policy, RareValues};
use throng_terms::release::{Certificate, DeletedFacts};
use throng_terms::rows::{Batch, Rows};
use throng_terms::watch::{Stage, Watch};

/// Column → values.
type ByColumn = BTreeMap<String, FxHashSet<String>>;

/// How often each value of the judged columns occurs in an original. The caller hands over the rows
/// that it reads anyway, before anything is deleted from them; what is rare is decided here.
#[derive(Debug, Clone)]
pub struct ValueCounts {
    /// The judged columns, by their places in the batches.
    columns: Vec<(usize, String)>,
    nulls: Vec<String>,
    /// The values of these columns, those that stand for missing cells among them.
    values: Vec<Interner>,
    rows: u64,
}

impl ValueCounts {
    /// Of no rows yet; `names` are the columns of the batches that follow. None where the policy
    /// deletes nothing, or judges a column that is not among them.
    pub fn new(policy: &Policy, names: &[String]) -> Option<Self> {
        let judged: BTreeSet<&str> =
            policy.deletions().flat_map(|(_, asked)| asked.columns(policy)).collect();
        let place = |name: &&str| Some((names.iter().position(|other| other == name)?, (*name).to_owned()));
        let columns: Vec<(usize, String)> = judged.iter().map(place).collect::<Option<_>>()?;
        let deletes = policy.deletions().next().is_some();
        let nulls = policy.input.null.clone();
        let values = columns.iter().map(|_| Interner::new()).collect();
        deletes.then_some(ValueCounts { columns, nulls, values, rows: 0 })
    }

    /// Counts the values of some rows.
    pub fn add(&mut self, batch: &dyn Batch) {
        for ((place, _), values) in self.columns.iter().zip(&mut self.values) {
            batch.each(*place, &mut |cell| {
                values.add(cell);
            });
        }
        self.rows += batch.rows() as u64;
    }

    /// The values of a column with their rows. A text that stands for a missing cell is not one.
    fn of_column(&self, name: &str) -> impl Iterator<Item = (&str, u64)> {
        let column = self.columns.iter().position(|column| column.1 == name);
        column.into_iter().flat_map(|column| {
            let values = &self.values[column];
            let value = |number: u32| Some((values.value(number)?, values.count(number)));
            let all = (0..values.len() as u32).filter_map(value);
            all.filter(|(value, _)| !self.nulls.iter().any(|null| null == value))
        })
    }

    /// Counts the values of a table.
    fn of(policy: &Policy, original: &dyn Rows, watch: &Watch) -> Result<Option<Self>> {
        let judged: BTreeSet<&str> =
            policy.deletions().flat_map(|(_, asked)| asked.columns(policy)).collect();
        let names = original.columns();
        let places: Vec<usize> = (0..names.len()).filter(|&at| judged.contains(names[at].as_str())).collect();
        let read: Vec<String> = places.iter().map(|&at| names[at].clone()).collect();
        // A column that is missing is found by the claims about the input.
        let Some(mut counted) = ValueCounts::new(policy, &read) else { return Ok(None) };
        original.read(&places, watch, &mut |batch| {
            counted.add(batch);
            watch.done(Stage::Verifying, counted.rows, None)
        })?;
        Ok(Some(counted))
    }
}

/// The rare values of an original: those whose cells are deleted, and those whose rows are.
#[derive(Debug, Default)]
pub(super) struct RareValuesFound {
    cells: ByColumn,
    rows: ByColumn,
}

/// What is deleted from an original.
#[derive(Debug)]
pub(super) struct Deleted {
    pub(super) rare: RareValuesFound,
    /// Claim → rows of the rarest value that is not rare.
    rarest: BTreeMap<String, Option<u64>>,
    /// What was deleted from the rows read so far.
    pub(super) found: DeletedFacts,
}

impl Deleted {
    /// Finds the rare values of the columns that the policy judges; none where it deletes nothing.
    pub(super) fn of(
        policy: &Policy,
        original: &dyn Rows,
        counted: Option<&ValueCounts>,
        watch: &Watch,
    ) -> Result<Option<Self>> {
        let read = if counted.is_none() { ValueCounts::of(policy, original, watch)? } else { None };
        let Some(counted) = counted.or(read.as_ref()) else { return Ok(None) };
        let mut deleted = Deleted {
            rare: RareValuesFound::default(),
            rarest: BTreeMap::new(),
            found: DeletedFacts::default(),
        };
        policy.deletions().for_each(|(_, asked)| deleted.judge(policy, asked, counted));
        Ok(Some(deleted))
    }

    fn judge(&mut self, policy: &Policy, asked: &RareValues, counted: &ValueCounts) {
        let to = match asked.deletes() {
            Some(Delete::Cells) => &mut self.rare.cells,
            Some(Delete::Rows) => &mut self.rare.rows,
            None => return,
        };
        let mut rarest: Option<u64> = None;
        for name in asked.columns(policy) {
            for (value, count) in counted.of_column(name) {
                if count < asked.k {
                    to.entry(name.to_owned()).or_default().insert(value.to_owned());
                } else {
                    rarest = Some(rarest.map_or(count, |rarest| rarest.min(count)));
                }
            }
        }
        self.rarest.insert(ModelSpec::RareValues(asked.clone()).claim(), rarest);
    }
}

impl RareValuesFound {
    /// What is left of some rows of the original, and what is deleted from them; `names` are the
    /// columns that they were read with.
    pub(super) fn left<'a>(&'a self, batch: &'a dyn Batch, names: &[String]) -> (Left<'a>, DeletedFacts) {
        let mut found = DeletedFacts::default();
        let mut gone = vec![false; batch.rows()];
        for (at, values) in places(names, &self.rows) {
            let mut row = gone.iter_mut();
            batch.each(at, &mut |cell| {
                if let Some(gone) = row.next() {
                    *gone |= cell.is_some_and(|cell| values.contains(cell));
                }
            });
        }
        found.rows = gone.iter().filter(|gone| **gone).count() as u64;
        for (at, values) in places(names, &self.cells) {
            let (mut row, mut cells) = (gone.iter(), 0);
            batch.each(at, &mut |cell| {
                let stays = row.next() == Some(&false);
                cells += u64::from(stays && cell.is_some_and(|cell| values.contains(cell)));
            });
            if cells > 0 {
                *found.cells.entry(names[at].clone()).or_default() += cells;
            }
        }
        let blank = names.iter().map(|name| self.cells.get(name)).collect();
        (Left { batch, gone, blank }, found)
    }
}

/// Adds what was deleted from more rows.
pub(super) fn add(to: &mut DeletedFacts, more: DeletedFacts) {
    to.rows += more.rows;
    for (name, cells) in more.cells {
        *to.cells.entry(name).or_default() += cells;
    }
}

/// The columns that have values to be deleted.
fn places<'a>(
    names: &'a [String],
    values: &'a ByColumn,
) -> impl Iterator<Item = (usize, &'a FxHashSet<String>)> {
    names.iter().enumerate().filter_map(|(at, name)| Some((at, values.get(name)?)))
}

/// Some rows without what is deleted.
pub(super) struct Left<'a> {
    batch: &'a dyn Batch,
    /// Row → whether it is deleted.
    gone: Vec<bool>,
    /// Column → the values whose cells are deleted.
    blank: Vec<Option<&'a FxHashSet<String>>>,
}

impl Batch for Left<'_> {
    fn rows(&self) -> usize {
        self.gone.iter().filter(|gone| !**gone).count()
    }

    fn each(&self, column: usize, take: &mut dyn FnMut(Option<&str>)) {
        let blank = self.blank[column];
        let kept = |cell: &&str| !blank.is_some_and(|values| values.contains(*cell));
        let mut row = self.gone.iter();
        self.batch.each(column, &mut |cell| {
            if row.next() == Some(&false) {
                take(cell.filter(kept));
            }
        });
    }
}

/// The claim that rare values were deleted, and no others; not checked without the original.
pub(super) fn claim(claim: &str, k: u64, certificate: &Certificate, deleted: Option<&Deleted>) -> Finding {
    let Some(deleted) = deleted else { return Finding::unchecked(WITHOUT_ORIGINAL) };
    let release = &certificate.release;
    let mut wrong = Wrong::default();
    let rarest = deleted.rarest.get(claim).copied().flatten().unwrap_or(k);
    let found = (release.in_classes() > 0).then_some(rarest as f64);
    if release.privacy.get(claim).is_none_or(|stated| stated.achieved != found) {
        wrong.push(format!(
            "the rarest value that stays has {} in the original, the certificate says otherwise",
            several(rarest, "row")
        ));
    }
    if release.deleted.as_ref() != Some(&deleted.found) {
        let cells: u64 = deleted.found.cells.values().sum();
        wrong.push(format!(
            "{} and {} are to be deleted, the certificate says otherwise",
            several(deleted.found.rows, "row"),
            several(cells, "cell")
        ));
    }
    Finding::of(&wrong, || {
        format!("every value that is not deleted has {} or more in the original", several(rarest, "row"))
    })
}

/// What a certificate says of deletions against the policy.
pub(super) fn stated(policy: &Policy, certificate: &Certificate) -> Vec<String> {
    let release = &certificate.release;
    let Some(facts) = &release.deleted else {
        let asked = policy.deletions().next().is_some();
        return asked.then(|| "it does not say what was deleted".to_owned()).into_iter().collect();
    };
    let by = |delete: Delete| policy.deletions().filter(move |(_, asked)| asked.deletes() == Some(delete));
    let mut wrong = Vec::new();
    if facts.rows > 0 && by(Delete::Rows).next().is_none() {
        wrong.push(format!("{} deleted, the policy deletes none", several(facts.rows, "row")));
    }
    if facts.rows > release.withheld {
        wrong.push(format!("{} deleted, {} withheld", several(facts.rows, "row"), release.withheld));
    }
    for (name, &cells) in &facts.cells {
        if !by(Delete::Cells).any(|(_, asked)| asked.columns(policy).contains(name.as_str())) {
            wrong.push(format!("cells of `{name}` are said to be deleted, the policy deletes none"));
        }
        if cells == 0 || cells > release.rows - facts.rows.min(release.rows) {
            wrong.push(format!("{} of `{name}` deleted", several(cells, "cell")));
        }
    }
    wrong
}
