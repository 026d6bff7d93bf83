//! Merges classes with equal keys: the innermost step of every check.
//!
//! Whether a key is new is unpredictable, so nothing branches on it: the slot is written either
//! way, and ids, counts and first members are selected without a jump. Small key spaces index an
//! array; others probe a hash table that is at most half full. Costs a few nanoseconds per class,
//! and no allocation once the buffers have grown. Tables that exceed the cache are left to
//! `pool.rs`.

use super::pool;
use crate::classes::Groups;

/// The largest key space that is always indexed directly.
const DENSE: u64 = 1 << 15;

/// Classes whose table is far too large for the cache. Fewer are merged in buffers that are kept.
pub(super) const MANY: usize = 1 << 20;

/// Buffers that are kept from check to check.
#[derive(Default)]
pub(super) struct Merger {
    /// Keys of the classes to merge.
    pub(super) keys: Vec<u64>,
    /// Class → the merged class that it became part of, where these were asked for.
    pub(super) ids: Vec<u32>,
    /// Key → id + 1; 0 is free.
    dense: Vec<u32>,
    /// (Key + 1) << 32 | id; 0 is free. For keys below 2³² − 1.
    short: Vec<u64>,
    /// Key + 1 and id; 0 is free. For all other keys.
    long: Vec<(u64, u32)>,
    /// Where there are a great many classes.
    pools: Vec<pool::Pool>,
}

impl Merger {
    /// Merges the classes of `from`, whose keys are in `keys` and below `space`; ids are given in
    /// order of first sight, so that merged classes are ordered by their first member. `IDS` keeps
    /// them.
    pub(super) fn merge<const IDS: bool>(&mut self, space: u64, from: &Groups, to: &mut Groups) {
        self.ids.clear();
        if !IDS && from.len() >= MANY && space > from.len() as u64 {
            return pool::merge(&self.keys, from, to, &mut self.pools);
        }
        to.first.clear();
        to.count.clear();
        to.first.resize(from.len(), u32::MAX);
        to.count.resize(from.len(), 0);
        let merged = if space <= DENSE.max(from.len() as u64) {
            self.dense::<IDS>(space, from, to)
        } else if space < u64::from(u32::MAX) {
            self.short::<IDS>(from, to)
        } else {
            self.long::<IDS>(from, to)
        };
        to.first.truncate(merged as usize);
        to.count.truncate(merged as usize);
    }

    fn dense<const IDS: bool>(&mut self, space: u64, from: &Groups, to: &mut Groups) -> u32 {
        self.dense.clear();
        self.dense.resize(space as usize, 0);
        let mut next = 0;
        for ((&key, &first), &count) in self.keys.iter().zip(&from.first).zip(&from.count) {
            let slot = &mut self.dense[key as usize];
            let fresh = *slot == 0;
            next += u32::from(fresh);
            *slot = if fresh { next } else { *slot };
            let id = *slot - 1;
            if IDS {
                self.ids.push(id);
            }
            add(to, id, first, count);
        }
        next
    }

    fn short<const IDS: bool>(&mut self, from: &Groups, to: &mut Groups) -> u32 {
        let mask = capacity(from) - 1;
        self.short.clear();
        self.short.resize(mask + 1, 0);
        let mut next = 0;
        for ((&key, &first), &count) in self.keys.iter().zip(&from.first).zip(&from.count) {
            let tag = (key + 1) << 32;
            let mut at = position(key, mask);
            let mut slot = self.short[at];
            while slot != 0 && slot & TAG != tag {
                at = (at + 1) & mask;
                slot = self.short[at];
            }
            let fresh = slot == 0;
            let id = if fresh { next } else { slot as u32 };
            next += u32::from(fresh);
            self.short[at] = tag | u64::from(id);
            if IDS {
                self.ids.push(id);
            }
            add(to, id, first, count);
        }
        next
    }

    fn long<const IDS: bool>(&mut self, from: &Groups, to: &mut Groups) -> u32 {
        let mask = capacity(from) - 1;
        self.long.clear();
        self.long.resize(mask + 1, (0, 0));
        let mut next = 0;
        for ((&key, &first), &count) in self.keys.iter().zip(&from.first).zip(&from.count) {
            let mut at = position(key, mask);
            let mut slot = self.long[at];
            while slot.0 != 0 && slot.0 != key + 1 {
                at = (at + 1) & mask;
                slot = self.long[at];
            }
            let fresh = slot.0 == 0;
            let id = if fresh { next } else { slot.1 };
            next += u32::from(fresh);
            self.long[at] = (key + 1, id);
            if IDS {
                self.ids.push(id);
            }
            add(to, id, first, count);
        }
        next
    }
}

/// The key part of a short slot.
const TAG: u64 = !0 << 32;

/// Twice the classes: at most half of the slots are in use.
fn capacity(from: &Groups) -> usize {
    (2 * from.len()).next_power_of_two().max(16)
}

/// Fibonacci hashing: neighbours in key space spread over the table.
#[inline]
fn position(key: u64, mask: usize) -> usize {
    (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize & mask
}

/// Members come in ascending order, so the first one of a class is its least.
#[inline]
fn add(to: &mut Groups, id: u32, first: u32, count: u32) {
    let id = id as usize;
    to.first[id] = to.first[id].min(first);
    to.count[id] += count;
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn merging_counts_like_a_map(
            classes in prop::collection::vec((0u64..500, 1u32..9), 0..400),
            scale in prop::sample::select(vec![1u64, 1000, 1 << 30, 1 << 50]),
        ) {
            let from = Groups {
                first: (0..classes.len() as u32).map(|i| 3 * i).collect(),
                count: classes.iter().map(|c| c.1).collect(),
                people: Vec::new(),
                histograms: Vec::new(),
            };
            let mut merger = Merger::default();
            merger.keys.extend(classes.iter().map(|c| c.0 * scale));
            let mut to = Groups::default();
            merger.merge::<true>(500 * scale, &from, &mut to);
            let ids: Vec<(u32, u64)> = merger.ids.iter().copied().zip(merger.keys.iter().copied()).collect();
            prop_assert_eq!(ids.len(), classes.len());
            for (id, key) in ids {
                let first = classes.iter().position(|class| class.0 * scale == key).unwrap();
                prop_assert_eq!(to.first[id as usize], 3 * first as u32);
            }
            let mut expected: BTreeMap<u64, (u32, u32)> = BTreeMap::new();
            for (i, (key, count)) in classes.iter().enumerate() {
                expected.entry(*key).or_insert((3 * i as u32, 0)).1 += count;
            }
            let mut expected: Vec<(u32, u32)> = expected.into_values().collect();
            expected.sort_unstable();
            let found: Vec<(u32, u32)> = to.first.into_iter().zip(to.count).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
