//! Merges classes with equal keys: the innermost step of every check.
//!
//! Whether a key is new is unpredictable, so nothing branches on it: the slot is written either
//! way, and ids, counts and first members are selected without a jump. Keys are made and merged in
//! blocks that stay in the first cache. Small key spaces index an array; others probe a hash table
//! that is at most half full and grows with the merged classes, because these are often a tenth of
//! what they are merged from. Costs a few nanoseconds per class, and no allocation once the buffers
//! have grown. Where their table would exceed the cache, classes are divided by
//! `shares.rs`; a great many are left to `pool.rs`.

use std::ops::Range;

use rayon::prelude::*;

use super::pool;
use super::shares::Shares;
use crate::classes::Groups;

/// The largest key space that is always indexed directly.
const DENSE: u64 = 1 << 15;

/// Classes whose table is far too large for the cache. Fewer are merged in buffers that are kept.
pub(super) const MANY: usize = 1 << 20;

/// Classes that are merged at a time.
const BLOCK: usize = 1 << 10;

/// Merged classes whose table fits into the cache. Where the first half of the classes makes more,
/// all are divided.
const CACHED: usize = if cfg!(test) { 1 << 8 } else { 1 << 13 };

/// Slots of a hash table before it grows.
const SLOTS: usize = 4 * BLOCK;

/// Makes the keys of some classes.
pub(super) type Keys<'a> = dyn Fn(Range<usize>, &mut [u64]) + Sync + 'a;

/// Buffers that are kept from check to check.
#[derive(Default)]
pub(super) struct Merger {
    /// Ids of all classes by some of their columns, where a key of all columns would be too long.
    pub(super) ranked: Vec<u64>,
    /// Keys of all classes, where there are a great many.
    keys: Vec<u64>,
    /// Class → the merged class that it became part of, where these were asked for.
    pub(super) ids: Vec<u32>,
    /// Key → id + 1; 0 is free.
    dense: Vec<u32>,
    /// (Key + 1) << 32 | id; 0 is free. For keys below 2³² − 1.
    short: Slots<u64>,
    /// Key + 1 and id; 0 is free. For all other keys.
    long: Slots<(u64, u32)>,
    /// Where there are many merged classes.
    shares: Shares,
    /// Where there are a great many classes.
    pools: Vec<pool::Pool>,
}

/// How keys are looked up.
#[derive(Clone, Copy)]
enum Table {
    Dense,
    Short,
    Long,
}

/// A block of classes with their keys.
#[derive(Clone, Copy)]
struct Block<'a> {
    keys: &'a [u64],
    first: &'a [u32],
    count: &'a [u32],
}

impl Block<'_> {
    /// Key, first member and rows of every class.
    fn classes(&self) -> impl Iterator<Item = (u64, u32, u32)> {
        let keys = self.keys.iter().zip(self.first).zip(self.count);
        keys.map(|((&key, &first), &count)| (key, first, count))
    }
}

impl Merger {
    /// Merges the classes of `from`, whose keys are below `space`; ids are given in order of first
    /// sight, so that merged classes are ordered by their first member. `IDS` keeps them.
    pub(super) fn merge<const IDS: bool>(
        &mut self,
        space: u64,
        from: &Groups,
        to: &mut Groups,
        keys: &Keys<'_>,
    ) {
        self.ids.clear();
        if !IDS && from.len() >= MANY && space > from.len() as u64 {
            return self.merge_many(from, to, keys);
        }
        to.first.clear();
        to.count.clear();
        let table = self.begin(space, from.len());
        let (mut next, mut start, mut buffer) = (0, 0, [0; BLOCK]);
        for (first, count) in from.first.chunks(BLOCK).zip(from.count.chunks(BLOCK)) {
            if next as usize > CACHED && 2 * start < from.len() && !matches!(table, Table::Dense) {
                return self.shares.merge::<IDS>(from, to, keys, (&mut self.keys, &mut self.ids));
            }
            let block = &mut buffer[..first.len()];
            keys(start..start + first.len(), block);
            start += first.len();
            let most = next as usize + first.len();
            to.first.resize(most, u32::MAX);
            to.count.resize(most, 0);
            let block = Block { keys: block, first, count };
            next = match table {
                Table::Dense => self.dense::<IDS>(block, to, next),
                Table::Short => self.short::<IDS>(block, to, next),
                Table::Long => self.long::<IDS>(block, to, next),
            };
        }
        to.first.truncate(next as usize);
        to.count.truncate(next as usize);
    }

    /// The same for a great many classes, on all cores.
    fn merge_many(&mut self, from: &Groups, to: &mut Groups, keys: &Keys<'_>) {
        self.make_keys(from, keys);
        pool::merge(&self.keys, from, to, &mut self.pools);
    }

    /// A lower bound of the rows that would be in merged classes of fewer than `least` rows.
    pub(super) fn min_small_rows(&mut self, from: &Groups, least: u64, keys: &Keys<'_>) -> u64 {
        self.make_keys(from, keys);
        pool::small_rows_of_part(&self.keys, from, least, &mut self.pools)
    }

    /// Makes the keys of all classes on all cores.
    fn make_keys(&mut self, from: &Groups, keys: &Keys<'_>) {
        const PIECE: usize = MANY / 16;
        // Every key is written: what is left of the merge before need not be cleared.
        self.keys.resize(from.len(), 0);
        let pieces = self.keys.par_chunks_mut(PIECE).enumerate();
        pieces.for_each(|(at, piece)| keys(at * PIECE..at * PIECE + piece.len(), piece));
    }

    /// Empties the table that fits the keys.
    fn begin(&mut self, space: u64, classes: usize) -> Table {
        if space <= DENSE.max(classes as u64) {
            self.dense.clear();
            self.dense.resize(space as usize, 0);
            Table::Dense
        } else if space < u64::from(u32::MAX) {
            self.short.clear();
            Table::Short
        } else {
            self.long.clear();
            Table::Long
        }
    }

    fn dense<const IDS: bool>(&mut self, block: Block<'_>, to: &mut Groups, mut next: u32) -> u32 {
        for (key, first, count) in block.classes() {
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

    fn short<const IDS: bool>(&mut self, block: Block<'_>, to: &mut Groups, mut next: u32) -> u32 {
        self.short.reserve(next as usize + block.keys.len(), |slot| (slot >> 32) - 1);
        let slots = self.short.slots.as_mut_slice();
        let mask = slots.len() - 1;
        for (key, first, count) in block.classes() {
            let tag = (key + 1) << 32;
            let mut at = position(key, mask);
            let mut slot = slots[at];
            while slot != 0 && slot & TAG != tag {
                at = (at + 1) & mask;
                slot = slots[at];
            }
            let fresh = slot == 0;
            let id = if fresh { next } else { slot as u32 };
            next += u32::from(fresh);
            slots[at] = tag | u64::from(id);
            if IDS {
                self.ids.push(id);
            }
            add(to, id, first, count);
        }
        next
    }

    fn long<const IDS: bool>(&mut self, block: Block<'_>, to: &mut Groups, mut next: u32) -> u32 {
        self.long.reserve(next as usize + block.keys.len(), |slot| slot.0 - 1);
        let slots = self.long.slots.as_mut_slice();
        let mask = slots.len() - 1;
        for (key, first, count) in block.classes() {
            let mut at = position(key, mask);
            let mut slot = slots[at];
            while slot.0 != 0 && slot.0 != key + 1 {
                at = (at + 1) & mask;
                slot = slots[at];
            }
            let fresh = slot.0 == 0;
            let id = if fresh { next } else { slot.1 };
            next += u32::from(fresh);
            slots[at] = (key + 1, id);
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

/// A hash table that grows: a power of two of slots, at most half of them in use. The default slot
/// is free.
#[derive(Default)]
struct Slots<T> {
    slots: Vec<T>,
    /// What they were before they grew; kept to be used again.
    before: Vec<T>,
}

impl<T: Copy + Default + PartialEq> Slots<T> {
    /// Frees all slots but the first ones.
    fn clear(&mut self) {
        self.slots.clear();
        self.slots.resize(SLOTS, T::default());
    }

    /// Makes room for this number of keys; `key` is that of a slot in use.
    fn reserve(&mut self, keys: usize, key: impl Fn(T) -> u64) {
        if 2 * keys <= self.slots.len() {
            return;
        }
        let size = (2 * keys).next_power_of_two();
        std::mem::swap(&mut self.slots, &mut self.before);
        self.slots.clear();
        self.slots.resize(size, T::default());
        for &slot in self.before.iter().filter(|slot| **slot != T::default()) {
            let mut at = position(key(slot), size - 1);
            while self.slots[at] != T::default() {
                at = (at + 1) & (size - 1);
            }
            self.slots[at] = slot;
        }
    }
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
    use std::collections::{BTreeMap, HashMap};

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn merging_counts_like_a_map(
            classes in prop::collection::vec((0u64..6000, 1u32..9), 0..9000),
            scale in prop::sample::select(vec![1u64, 1000, 1 << 30, 1 << 50]),
        ) {
            let from = Groups {
                first: (0..classes.len() as u32).map(|i| 3 * i).collect(),
                count: classes.iter().map(|c| c.1).collect(),
                people: Vec::new(),
                histograms: Vec::new(),
            };
            let keys: Vec<u64> = classes.iter().map(|c| c.0 * scale).collect();
            let make = |of: Range<usize>, to: &mut [u64]| to.copy_from_slice(&keys[of]);
            let (mut merger, mut to) = (Merger::default(), Groups::default());
            // Twice: what is left of a merge does not show in the next.
            for _ in 0..2 {
                merger.merge::<true>(6000 * scale, &from, &mut to, &make);
            }
            prop_assert_eq!(merger.ids.len(), classes.len());
            let mut first = HashMap::new();
            for (class, (&id, &key)) in merger.ids.iter().zip(&keys).enumerate() {
                let first = *first.entry(key).or_insert(3 * class as u32);
                prop_assert_eq!(to.first[id as usize], first);
            }
            let mut plain = Groups::default();
            merger.merge::<false>(6000 * scale, &from, &mut plain, &make);
            prop_assert_eq!((&plain.first, &plain.count), (&to.first, &to.count));
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
