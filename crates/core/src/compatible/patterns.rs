//! Joins tuples by the cells that they lack: each pattern of those that ask with each pattern of
//! those that have rows, by hash, on the fields that both have. Costs a look-up per tuple and
//! pattern, which is little where few columns have missing cells and these have many values.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::items::Item;
use super::join::Have;

/// Tuples whose patterns are counted before all are grouped by pattern.
const SAMPLE: usize = 64;
/// Tuples whose table fits the nearer caches.
const NEAR: usize = 1 << 14;
/// How much longer than the comparison of two tuples a look-up in such a table takes,
const LOOK_UP: f64 = 16.0;
/// and in a larger one.
const FAR_LOOK_UP: f64 = 64.0;

/// Tuples by the fields that they have.
pub(super) struct Patterns<'a, const W: usize> {
    by_fields: BTreeMap<[u64; W], Vec<&'a Item<W>>>,
    items: usize,
}

impl<'a, const W: usize> Patterns<'a, W> {
    /// Groups tuples by the fields of `rest` that they have.
    fn new(items: impl Iterator<Item = &'a Item<W>>, rest: &[u64; W]) -> Self {
        let mut patterns = Patterns { by_fields: BTreeMap::new(), items: 0 };
        for item in items {
            patterns.by_fields.entry(both(&item.there, rest)).or_default().push(item);
            patterns.items += 1;
        }
        patterns
    }

    /// The patterns of tuples that ask and of tuples that have rows, if to join them costs less
    /// than a number of comparisons.
    pub fn cheaper_than(
        cost: f64,
        ask: &'a [Item<W>],
        have: Have<'a, W>,
        rest: &[u64; W],
    ) -> Option<(Self, Self)> {
        let [asks, has] = [ask.len(), have[0].len() + have[1].len()];
        let look_up = if has <= NEAR { LOOK_UP } else { FAR_LOOK_UP };
        if look_up * (asks + has) as f64 * 2.0 >= cost {
            return None;
        }
        // A few tuples have at most as many patterns as all.
        let some = |list: &[Item<W>]| sampled(list, rest);
        let few = has * some(ask) + asks * some(have[0]).max(some(have[1]));
        if look_up * few as f64 >= cost {
            return None;
        }
        let asking = Patterns::new(ask.iter(), rest);
        let having = Patterns::new(have.into_iter().flatten(), rest);
        let all = has * asking.by_fields.len() + asks * having.by_fields.len();
        (look_up * (all as f64) < cost).then_some((asking, having))
    }

    /// Calls `add` with every tuple that asks, once per pattern of tuples that have rows, and the
    /// rows of that pattern that match it; unless it is `done`.
    pub fn join(
        &self,
        having: &Self,
        (done, add): (impl Fn(&Item<W>) -> bool + Sync, impl Fn(&Item<W>, u64) + Sync),
        stopped: impl Fn() -> bool + Sync,
    ) {
        let patterns: Vec<_> = having.by_fields.iter().collect();
        patterns.par_iter().for_each_init(Table::default, |table, (fields, have)| {
            // Patterns that share the same fields look up the same parts of tuples.
            let mut by_shared: BTreeMap<[u64; W], Vec<&[&Item<W>]>> = BTreeMap::new();
            for (theirs, ask) in &self.by_fields {
                by_shared.entry(both(fields, theirs)).or_default().push(ask);
            }
            for (shared, asking) in by_shared {
                if stopped() {
                    return;
                }
                table.begin(have.len());
                have.iter().for_each(|item| table.add(both(&item.cells, &shared), item.rows));
                for asking in asking.into_iter().flatten().filter(|asking| !done(asking)) {
                    add(asking, table.rows(&both(&asking.cells, &shared)));
                }
            }
        });
    }
}

/// Patterns of some of these tuples, spread over all.
fn sampled<const W: usize>(list: &[Item<W>], rest: &[u64; W]) -> usize {
    let some = list.iter().step_by(list.len().div_ceil(SAMPLE).max(1));
    let mut patterns: Vec<[u64; W]> = some.map(|item| both(&item.there, rest)).collect();
    patterns.sort_unstable();
    patterns.dedup();
    patterns.len()
}

fn both<const W: usize>(a: &[u64; W], b: &[u64; W]) -> [u64; W] {
    std::array::from_fn(|w| a[w] & b[w])
}

/// Rows by the cells of tuples: open addressing with linear probing.
struct Table<const W: usize> {
    /// Entry + 1; 0 is free.
    slots: Vec<u32>,
    entries: Vec<([u64; W], u64)>,
}

impl<const W: usize> Default for Table<W> {
    fn default() -> Self {
        Table { slots: Vec::new(), entries: Vec::new() }
    }
}

impl<const W: usize> Table<W> {
    /// Forgets everything and makes room for a number of tuples.
    fn begin(&mut self, tuples: usize) {
        self.slots.clear();
        self.slots.resize((2 * tuples).next_power_of_two().max(16), 0);
        self.entries.clear();
    }

    /// The slot of some cells: theirs, or a free one.
    fn slot(&self, cells: &[u64; W]) -> usize {
        let hash = cells
            .iter()
            .fold(0u64, |hash, word| (hash.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mask = self.slots.len() - 1;
        // High bits of cells reach the low half of a product only through the rotation.
        let mut at = (hash ^ hash >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15) as usize >> 20 & mask;
        while self.slots[at] != 0 && self.entries[self.slots[at] as usize - 1].0 != *cells {
            at = (at + 1) & mask;
        }
        at
    }

    fn add(&mut self, cells: [u64; W], rows: u64) {
        let slot = self.slot(&cells);
        match self.slots[slot] {
            0 => {
                self.entries.push((cells, rows));
                self.slots[slot] = self.entries.len() as u32;
            }
            entry => self.entries[entry as usize - 1].1 += rows,
        }
    }

    fn rows(&self, cells: &[u64; W]) -> u64 {
        match self.slots[self.slot(cells)] {
            0 => 0,
            entry => self.entries[entry as usize - 1].1,
        }
    }
}
