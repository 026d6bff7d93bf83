//! k-anonymity [Samarati 1998]: every combination of quasi-identifiers that occurs, occurs in at
//! least k rows.
//!
//! Over all columns, a class is judged by its own count: one pass over the counts. Over some
//! columns, the classes are projected first, and several such sets cascade [Sweeney 2001, 6.2]. If
//! missing cells are wildcards, a row is as safe as the number of rows compatible with it (they
//! agree wherever both have a value), which [`compatible`](crate::compatible) counts.

use rayon::prelude::*;

use super::{ModelFacts, PrivacyModel, Requirement, Verdict};
use crate::classes::{Flags, View};
use crate::compatible::{ABSENT, Tuples};
use crate::rank::Ranker;
use crate::table::Code;
use crate::watch::{Cancel, Request};

/// At least k rows per combination of some columns.
#[derive(Debug, Clone)]
pub struct KAnonymity {
    facts: ModelFacts,
    k: u64,
    /// The columns of the group; none is all columns.
    group: Option<Vec<usize>>,
    wildcard: bool,
    cancel: Cancel,
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
        KAnonymity { facts, k, group: None, wildcard, cancel: Cancel::new() }
    }

    /// Over a named group of columns.
    pub fn of_group(k: u64, wildcard: bool, name: &str, columns: Vec<usize>) -> Self {
        let claim = format!("{}: {name}", KAnonymity::CLAIM);
        let facts = ModelFacts::monotone(Requirement::KAnonymity, claim);
        let facts = ModelFacts { needs_fixpoint: true, ..facts };
        KAnonymity { facts, k, group: Some(columns), wildcard, cancel: Cancel::new() }
    }

    /// The same, which gives up when the work is aborted: classes then look smaller than they are,
    /// and [`PrivacyModel::is_stopped`] says so.
    #[must_use]
    pub fn stopping(self, cancel: Cancel) -> Self {
        KAnonymity { cancel, ..self }
    }

    /// The number of rows indistinguishable from each class, among classes that are not flagged; 0
    /// for those that are.
    pub fn sizes(&self, view: &View<'_>, flags: &Flags) -> Vec<u64> {
        self.sizes_up_to(u64::MAX, view, flags)
    }

    /// The same, where sizes that reach `enough` need not be exact.
    fn sizes_up_to(&self, enough: u64, view: &View<'_>, flags: &Flags) -> Vec<u64> {
        let parts = self.parts(view, flags);
        let stopped = || self.is_stopped();
        match self.wildcard {
            true => parts.of_classes(flags, &parts.tuples(enough, &stopped).matches()),
            false => parts.of_classes(flags, &parts.rows),
        }
    }

    /// The combinations of the columns' values, with their rows that are not flagged.
    fn parts(&self, view: &View<'_>, flags: &Flags) -> Parts {
        let counts = view.counts().iter().enumerate();
        let rows = counts.map(|(class, &rows)| if flags.has(class) { 0 } else { u64::from(rows) });
        let Some(columns) = &self.group else {
            let columns: Vec<usize> = (0..view.columns()).collect();
            let classes: Vec<usize> = (0..view.len()).collect();
            return Parts {
                cells: self.cells(view, &columns, &classes),
                rows: rows.collect(),
                of_class: None,
            };
        };
        let ids = project(view, columns);
        let (mut first, mut sums) = (Vec::new(), Vec::new());
        for (class, rows) in rows.enumerate() {
            match sums.get_mut(ids[class] as usize) {
                Some(sum) => *sum += rows,
                None => {
                    first.push(class);
                    sums.push(rows);
                }
            }
        }
        Parts { cells: self.cells(view, columns, &first), rows: sums, of_class: Some(ids) }
    }

    /// Column → class → code, where a missing cell matches everything; nothing otherwise.
    fn cells(&self, view: &View<'_>, columns: &[usize], classes: &[usize]) -> Vec<Vec<Code>> {
        let cells = |&column: &usize| {
            let missing = view.hierarchies()[column].missing_at(view.node().level(column));
            let code = |&class: &usize| Some(view.code(class, column)).filter(|code| Some(*code) != missing);
            classes.iter().map(|class| code(class).unwrap_or(ABSENT)).collect()
        };
        if self.wildcard { columns.par_iter().map(cells).collect() } else { Vec::new() }
    }

    /// The least size of a class that is not flagged. The limit of exact counting is doubled until
    /// one is below it: most classes reach a low limit soon.
    fn least(&self, view: &View<'_>, flags: &Flags) -> Option<u64> {
        let mut enough = if self.wildcard { self.k.saturating_add(1) } else { u64::MAX };
        loop {
            let sizes = self.sizes_up_to(enough, view, flags);
            let least = (0..view.len()).filter(|&class| !flags.has(class)).map(|class| sizes[class]).min();
            if least.is_none_or(|least| least < enough) || enough > view.rows() {
                return least;
            }
            enough = enough.saturating_mul(2);
        }
    }
}

/// Combinations of some columns' values.
struct Parts {
    /// Column → combination → code; empty where missing cells are values.
    cells: Vec<Vec<Code>>,
    /// Combination → its rows that are not flagged.
    rows: Vec<u64>,
    /// Class → its combination; none if every class is one.
    of_class: Option<Vec<u32>>,
}

impl Parts {
    fn tuples<'a>(&'a self, enough: u64, stopped: &'a (dyn Fn() -> bool + Sync)) -> Tuples<'a> {
        Tuples { columns: &self.cells, rows: &self.rows, enough, stopped }
    }

    /// What classes have of their combinations; 0 for those that are flagged.
    fn of_classes(&self, flags: &Flags, of_parts: &[u64]) -> Vec<u64> {
        let Some(ids) = &self.of_class else { return of_parts.to_vec() };
        let size = |(class, &id): (usize, &u32)| if flags.has(class) { 0 } else { of_parts[id as usize] };
        ids.iter().enumerate().map(size).collect()
    }

    /// Flags the classes of some combinations, in the order of classes.
    fn flag(&self, parts: &[u32], view: &View<'_>, flags: &mut Flags) {
        let Some(ids) = &self.of_class else {
            return parts.iter().for_each(|&class| flags.flag(class as usize, view.counts()[class as usize]));
        };
        let mut below = vec![false; self.rows.len()];
        parts.iter().for_each(|&part| below[part as usize] = true);
        let classes = ids.iter().enumerate().filter(|(_, id)| below[**id as usize]);
        classes.for_each(|(class, _)| flags.flag(class, view.counts()[class]));
    }
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
        let parts = self.parts(view, flags);
        let stopped = || self.is_stopped();
        let small = match self.wildcard {
            true => parts.tuples(self.k, &stopped).below(None, flags.room()),
            false => {
                Some((0..parts.rows.len() as u32).filter(|&p| parts.rows[p as usize] < self.k).collect())
            }
        };
        match small {
            Some(small) => parts.flag(&small, view, flags),
            None => flags.exceed(),
        }
    }

    fn verdict(&self, view: &View<'_>, flags: &Flags) -> Option<Verdict> {
        Some(Verdict::at_least(self.k, self.least(view, flags)))
    }

    fn is_stopped(&self) -> bool {
        self.wildcard && self.cancel.request() == Request::Abort
    }
}
