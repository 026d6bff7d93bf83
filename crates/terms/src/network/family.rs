//! A family of the network: a level of a column, predicted from the level above it and from levels
//! of other columns.
//!
//! p(q | u, a) = (n(a,q) + p(q | u)) / (n(a,u) + 1) for a label q under u and a configuration a of
//! the parents: one additional row per configuration and label above, spread as the column's own
//! hierarchy does. Only configurations that occur are stored.

use rustc_hash::FxHashMap;

use super::Entries;
use super::chain::Chain;
use super::score::Field;
use crate::hierarchy::Hierarchy;
use crate::table::Code;

/// The rows of a configuration and a label above: all of them, and the rows up to and with each
/// label, ascending.
type Rows = (u64, Vec<(Code, u64)>);

/// A level of a column with its parents.
#[derive(Debug, Clone)]
pub(super) struct Family {
    /// The level that is predicted.
    pub(super) level: usize,
    /// Columns and levels that predict it, ascending.
    pub(super) parents: Vec<Field>,
    /// The number of labels of each parent.
    sizes: Vec<u64>,
    /// Configuration of the parents and label above → rows.
    rows: FxHashMap<(u64, Code), Rows>,
}

impl Family {
    /// Counts some entries.
    pub(super) fn new(
        (column, level): Field,
        parents: &[Field],
        hierarchies: &[Hierarchy],
        (entries, counts): (&Entries, &[u32]),
    ) -> Self {
        let sizes = parents.iter().map(|&(column, level)| hierarchies[column].size(level) as u64).collect();
        let mut family = Family { level, parents: parents.to_vec(), sizes, rows: FxHashMap::default() };
        let mut both: FxHashMap<(u64, Code), u64> = FxHashMap::default();
        let own = hierarchies[column].codes(level);
        for (at, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let key = family.configuration(hierarchies, |column| entries.codes[column][at]);
            *both.entry((key, own[entries.codes[column][at] as usize])).or_default() += u64::from(count);
        }
        let mut both: Vec<((u64, Code), u64)> = both.into_iter().collect();
        both.sort_unstable();
        let mut above = vec![0; hierarchies[column].size(level)];
        for leaf in 0..hierarchies[column].leaf_count() as Code {
            above[own[leaf as usize] as usize] = hierarchies[column].generalize(leaf, level + 1);
        }
        for ((key, label), n) in both {
            let rows = family.rows.entry((key, above[label as usize])).or_default();
            rows.0 += n;
            rows.1.push((label, rows.0));
        }
        family
    }

    /// The number of the parents' configuration, from the leaf of a column.
    pub(super) fn configuration(&self, hierarchies: &[Hierarchy], leaf: impl Fn(usize) -> Code) -> u64 {
        self.parents.iter().zip(&self.sizes).fold(0, |key, (&(column, level), size)| {
            key * size + u64::from(hierarchies[column].generalize(leaf(column), level))
        })
    }

    /// p(q | u, a).
    pub(super) fn given(&self, chain: &Chain, q: Code, u: Code, a: u64) -> f64 {
        let prior = chain.given(self.level, q);
        let Some((all, labels)) = self.rows.get(&(a, u)) else { return prior };
        let upto = |at: usize| labels[at].1;
        let n = labels
            .binary_search_by_key(&q, |&(label, _)| label)
            .map_or(0, |at| upto(at) - at.checked_sub(1).map_or(0, upto));
        (n as f64 + prior) / (*all as f64 + 1.0)
    }

    /// The rows of a configuration and a label above; none where there are none.
    pub(super) fn rows(&self, a: u64, u: Code) -> Option<&Rows> {
        self.rows.get(&(a, u))
    }
}
