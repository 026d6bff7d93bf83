//! k-anonymity (mission P1; Samarati and Sweeney 1998): every combination of a set of
//! quasi-identifiers that occurs, occurs in at least k rows.
//!
//! Over all columns a class is judged by its own count: one pass over the counts. Over some of the
//! columns the classes are projected first, and several such sets cascade (S 6.2). With missing
//! cells as wildcards a row is as safe as there are rows compatible with it (they agree wherever
//! both have a value); that costs classes × (patterns of missing columns)².

use super::{PrivacyModel, Verdict};
use crate::classes::{Flags, View};
use crate::rank::Ranker;

/// At least k rows per combination of some columns.
#[derive(Debug, Clone)]
pub struct KAnonymity {
    k: u64,
    /// Name and columns of the group; none is all columns.
    group: Option<(String, Vec<usize>)>,
    wildcard: bool,
}

impl KAnonymity {
    /// Over all quasi-identifiers. With `wildcard`, a missing cell matches everything.
    pub fn new(k: u64, wildcard: bool) -> Self {
        KAnonymity { k, group: None, wildcard }
    }

    /// Over a named group of columns.
    pub fn of_group(k: u64, wildcard: bool, name: &str, columns: Vec<usize>) -> Self {
        KAnonymity { k, group: Some((name.into(), columns)), wildcard }
    }

    fn columns(&self, view: &View<'_>) -> Vec<usize> {
        self.group.as_ref().map_or_else(|| (0..view.columns()).collect(), |(_, columns)| columns.clone())
    }

    /// Rows that each class cannot be told from, among classes not flagged.
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
fn project(view: &View<'_>, columns: &[usize]) -> Vec<u32> {
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
    fn name(&self) -> String {
        match &self.group {
            None => "k-anonymity".into(),
            Some((name, _)) => format!("k-anonymity: {name}"),
        }
    }

    fn monotone(&self) -> bool {
        true
    }

    fn cascades(&self) -> bool {
        self.wildcard || self.group.is_some()
    }

    fn violations(&self, view: &View<'_>, flags: &mut Flags) {
        if !self.cascades() {
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
        Some(Verdict {
            required: self.k as f64,
            achieved: least.map(|s| s as f64),
            holds: least.is_none_or(|s| s >= self.k),
        })
    }
}
