//! k-anonymity [Samarati 1998]: every combination of quasi-identifiers that occurs, occurs in at
//! least k rows.
//!
//! Over all columns, a class is judged by its own count: one pass over the counts. Over some
//! columns, the classes are projected first, and several such sets cascade [Sweeney 2001, 6.2]. If
//! missing cells are wildcards, a row is as safe as the number of rows compatible with it (they
//! agree wherever both have a value); that costs classes × (patterns of missing columns)².

use super::{ModelFacts, PrivacyModel, Requirement, Verdict};
use crate::classes::{Flags, View};
use crate::rank::Ranker;

/// At least k rows per combination of some columns.
#[derive(Debug, Clone)]
pub struct KAnonymity {
    facts: ModelFacts,
    k: u64,
    /// The columns of the group; none is all columns.
    group: Option<Vec<usize>>,
    wildcard: bool,
}

impl KAnonymity {
    /// Its name in certificates, over all quasi-identifiers.
    pub const CLAIM: &'static str = "k-anonymity";

    /// Over all quasi-identifiers. With `wildcard`, a missing cell matches everything.
    pub fn new(k: u64, wildcard: bool) -> Self {
        let facts = ModelFacts::monotone(Requirement::KAnonymity, KAnonymity::CLAIM);
        // A row with wildcards is safe in a small class if it matches rows of others.
        let min_safe_rows = if wildcard { 1 } else { k };
        let facts = ModelFacts { needs_fixpoint: wildcard, min_safe_rows, ..facts };
        KAnonymity { facts, k, group: None, wildcard }
    }

    /// Over a named group of columns.
    pub fn of_group(k: u64, wildcard: bool, name: &str, columns: Vec<usize>) -> Self {
        let claim = format!("{}: {name}", KAnonymity::CLAIM);
        let facts = ModelFacts::monotone(Requirement::KAnonymity, claim);
        KAnonymity { facts: ModelFacts { needs_fixpoint: true, ..facts }, k, group: Some(columns), wildcard }
    }

    fn columns(&self, view: &View<'_>) -> Vec<usize> {
        self.group.clone().unwrap_or_else(|| (0..view.columns()).collect())
    }

    /// The number of rows indistinguishable from each class, among classes that are not flagged.
    pub fn sizes(&self, view: &View<'_>, flags: &Flags) -> Vec<u64> {
        let columns = self.columns(view);
        let masks = if self.wildcard { masks(view, &columns) } else { vec![0; view.len()] };
        let mut patterns: Vec<u128> = masks.clone();
        patterns.sort_unstable();
        patterns.dedup();
        let mut sizes = vec![0u64; view.len()];
        for &mine in &patterns {
            for &theirs in &patterns {
                let both: Vec<usize> = columns
                    .iter()
                    .enumerate()
                    .filter(|(i, _)| (mine | theirs) >> i & 1 == 0)
                    .map(|(_, &c)| c)
                    .collect();
                add_matches(view, flags, &both, &masks, (mine, theirs), &mut sizes);
            }
        }
        sizes
    }
}

/// Adds to every class of pattern `mine` the rows of pattern `theirs` that agree on `columns`.
fn add_matches(
    view: &View<'_>,
    flags: &Flags,
    columns: &[usize],
    masks: &[u128],
    (mine, theirs): (u128, u128),
    sizes: &mut [u64],
) {
    let ids = project(view, columns);
    let mut rows = vec![0u64; view.len()];
    for class in (0..view.len()).filter(|&c| masks[c] == theirs && !flags.has(c)) {
        rows[ids[class] as usize] += u64::from(view.counts()[class]);
    }
    for class in (0..view.len()).filter(|&c| masks[c] == mine) {
        sizes[class] += rows[ids[class] as usize];
    }
}

/// Bit i of a class's mask: column i of `columns` is missing.
fn masks(view: &View<'_>, columns: &[usize]) -> Vec<u128> {
    (0..view.len())
        .map(|class| {
            columns.iter().enumerate().fold(0, |m, (i, &c)| m | (u128::from(view.missing(class, c)) << i))
        })
        .collect()
}

/// For each class, the id of its combination of the columns' values.
pub(super) fn project(view: &View<'_>, columns: &[usize]) -> Vec<u32> {
    let mut ids = vec![0u32; view.len()];
    let mut ranker = Ranker::default();
    let mut distinct = 1u64;
    for &column in columns {
        let size = view.hierarchies()[column].size(view.node().level(column)) as u64;
        ranker.begin(distinct * size, view.len());
        for (class, id) in ids.iter_mut().enumerate() {
            *id = ranker.id(u64::from(*id) * size + u64::from(view.code(class, column)));
        }
        distinct = ranker.len().max(1) as u64;
    }
    ids
}

impl PrivacyModel for KAnonymity {
    fn facts(&self) -> &ModelFacts {
        &self.facts
    }

    fn violations(&self, view: &View<'_>, flags: &mut Flags) {
        if !self.facts.needs_fixpoint {
            flags.flag_below(view.counts(), self.k);
            return;
        }
        let sizes = self.sizes(view, flags);
        for (class, &size) in sizes.iter().enumerate() {
            if size < self.k {
                flags.flag(class, view.counts()[class]);
            }
        }
    }

    fn verdict(&self, view: &View<'_>, flags: &Flags) -> Option<Verdict> {
        let sizes = self.sizes(view, flags);
        let least = (0..view.len()).filter(|&c| !flags.has(c)).map(|c| sizes[c]).min();
        Some(Verdict::at_least(self.k, least))
    }
}
