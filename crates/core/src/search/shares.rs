//! Merges many classes with equal keys where few become one: the same as `merge.rs` where the table
//! of keys does not fit into the cache.
//!
//! A table that exceeds the cache costs a wait for memory per class. So classes are dealt to shares
//! by a hash of their key, as in a radix join [Manegold 2002]: equal keys are in one share, whose
//! table stays in the cache. Every share has its classes in their order, and so its merged classes,
//! by their first one. A pass over all keys then finds each merged class at the head of its share.
//! Costs four passes over the classes, and 24 bytes for each of them.

use super::merge::Keys;
use crate::classes::Groups;

/// Classes of a share, on average.
const SIZE: usize = if cfg!(test) { 1 << 5 } else { 1 << 11 };
/// The most shares: each is written to in turn.
const MOST: usize = 1 << 9;
/// Slots per class of a share, at least: with fewer, more keys miss their first slot.
const SPARSE: usize = 4;
/// Classes whose keys are made at a time.
const BLOCK: usize = 1 << 10;
/// No class has this place.
const NOWHERE: u32 = u32::MAX;

/// A class with its key.
#[derive(Debug, Clone, Copy)]
struct Class {
    key: u64,
    /// Its place among all; of merged classes, that of the first.
    place: u32,
    rows: u32,
}

/// What comes after the merged classes of a share.
const END: Class = Class { key: 0, place: NOWHERE, rows: 0 };

/// Buffers that are kept from merge to merge.
#[derive(Default)]
pub(super) struct Shares {
    /// All classes, share by share, and an end.
    classes: Vec<Class>,
    /// Where each share ends, and then where its next merged class is.
    heads: Vec<usize>,
    /// The number of the merged class in its share + 1; 0 is free.
    slots: Vec<u32>,
}

impl Shares {
    /// Merges the classes of `from` into classes in the order of their first ones. `made` is a
    /// buffer of keys; with `IDS`, `ids` has the merged class of every class.
    pub(super) fn merge<const IDS: bool>(
        &mut self,
        from: &Groups,
        to: &mut Groups,
        keys: &Keys<'_>,
        (made, ids): (&mut Vec<u64>, &mut Vec<u32>),
    ) {
        let bits = (from.len() / SIZE).clamp(2, MOST).ilog2();
        self.deal(from, keys, made, bits);
        ids.clear();
        ids.resize(if IDS { from.len() } else { 0 }, 0);
        let mut start = 0;
        for share in 0..self.heads.len() {
            let end = std::mem::replace(&mut self.heads[share], start);
            self.merge_share::<IDS>(start, end, bits, ids);
            start = end;
        }
        self.gather::<IDS>(from, to, (made, bits), ids);
    }

    /// Deals classes by their keys.
    fn deal(&mut self, from: &Groups, keys: &Keys<'_>, made: &mut Vec<u64>, bits: u32) {
        // Every key is made and every place written: what is left of the merge before need not be
        // cleared.
        made.resize(from.len(), 0);
        self.classes.resize(from.len() + 1, END);
        self.classes[from.len()] = END;
        self.heads.clear();
        self.heads.resize(1 << bits, 0);
        for (at, made) in made.chunks_mut(BLOCK).enumerate() {
            keys(at * BLOCK..at * BLOCK + made.len(), made);
            made.iter().for_each(|&key| self.heads[share(key, bits)] += 1);
        }
        let mut start = 0;
        for head in &mut self.heads {
            (start, *head) = (start + *head, start);
        }
        for (place, (&key, &rows)) in (0..).zip(made.iter().zip(&from.count)) {
            let head = &mut self.heads[share(key, bits)];
            self.classes[*head] = Class { key, place, rows };
            *head += 1;
        }
    }

    /// Merges the classes of a share; the merged ones take the places of its first classes. As in
    /// `merge.rs`, nothing branches on whether a key is new.
    fn merge_share<const IDS: bool>(&mut self, start: usize, end: usize, bits: u32, ids: &mut [u32]) {
        let classes = &mut self.classes[start..end];
        let size = (SPARSE * classes.len()).next_power_of_two().max(2);
        self.slots.clear();
        self.slots.resize(size, 0);
        let (slots, mask, beyond) = (self.slots.as_mut_slice(), size - 1, 64 - size.ilog2());
        let mut merged = 0;
        for at in 0..classes.len() {
            let class = classes[at];
            // The bits after those that chose the share.
            let mut slot = (hash(class.key) << bits >> beyond) as usize;
            while slots[slot] != 0 && classes[slots[slot] as usize - 1].key != class.key {
                slot = (slot + 1) & mask;
            }
            let fresh = slots[slot] == 0;
            let id = if fresh { merged } else { slots[slot] as usize - 1 };
            merged += usize::from(fresh);
            slots[slot] = id as u32 + 1;
            let Class { place, rows, .. } = if fresh { Class { rows: 0, ..class } } else { classes[id] };
            classes[id] = Class { key: class.key, place, rows: rows + class.rows };
            if IDS {
                ids[class.place as usize] = place;
            }
        }
        if let Some(after) = classes.get_mut(merged) {
            *after = END;
        }
    }

    /// Puts the merged classes of all shares in order. `ids` are places of first classes before.
    fn gather<const IDS: bool>(
        &mut self,
        from: &Groups,
        to: &mut Groups,
        (made, bits): (&[u64], u32),
        ids: &mut [u32],
    ) {
        // What is written beyond the merged classes is written over.
        to.first.resize(from.len() + 1, 0);
        to.count.resize(from.len() + 1, 0);
        let mut next = 0;
        for (place, (&key, &first)) in (0..).zip(made.iter().zip(&from.first)) {
            let head = &mut self.heads[share(key, bits)];
            let class = self.classes[*head];
            let begins = class.place == place;
            to.first[next] = first;
            to.count[next] = class.rows;
            if IDS {
                // The first class comes before the others, and its place has become an id.
                let place = place as usize;
                ids[place] = if begins { next as u32 } else { ids[ids[place] as usize] };
            }
            next += usize::from(begins);
            *head += usize::from(begins);
        }
        to.first.truncate(next);
        to.count.truncate(next);
    }
}

/// Fibonacci hashing: neighbours in key space spread over shares and slots.
#[inline]
fn hash(key: u64) -> u64 {
    key.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// The share of a key, of a power of two.
#[inline]
fn share(key: u64, bits: u32) -> usize {
    (hash(key) >> (64 - bits)) as usize
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::ops::Range;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Merged classes, their rows and their order by the definition, also where one key has
        /// nearly all classes of a share and where a class has no rows.
        #[test]
        fn shares_merge_by_the_definition(
            classes in prop::collection::vec((0u64..700, 0u32..9, any::<bool>()), 1..3000),
            scale in prop::sample::select(vec![1u64, 1000, 1 << 30, 1 << 50]),
            skewed in any::<bool>(),
        ) {
            let key = |&(key, _, rare): &(u64, u32, bool)| if skewed && !rare { 7 } else { key * scale };
            let keys: Vec<u64> = classes.iter().map(key).collect();
            let from = Groups {
                first: (0..classes.len() as u32).map(|i| 3 * i).collect(),
                count: classes.iter().map(|class| class.1).collect(),
                people: Vec::new(),
                histograms: Vec::new(),
            };
            let (mut first, mut count, mut expected) = (Vec::new(), Vec::<u32>::new(), Vec::new());
            let mut known = HashMap::new();
            for (class, key) in keys.iter().enumerate() {
                let id = *known.entry(key).or_insert(first.len());
                if id == first.len() {
                    first.push(from.first[class]);
                    count.push(0);
                }
                count[id] += from.count[class];
                expected.push(id as u32);
            }
            let make = |of: Range<usize>, to: &mut [u64]| to.copy_from_slice(&keys[of]);
            let (mut shares, mut to) = (Shares::default(), Groups::default());
            let (mut made, mut ids) = (Vec::new(), Vec::new());
            // Again and again: what is left of a merge does not show in the next.
            for _ in 0..2 {
                shares.merge::<true>(&from, &mut to, &make, (&mut made, &mut ids));
                prop_assert_eq!((&to.first, &to.count, &ids), (&first, &count, &expected));
                shares.merge::<false>(&from, &mut to, &make, (&mut made, &mut ids));
                prop_assert_eq!((&to.first, &to.count, ids.len()), (&first, &count, 0));
            }
        }
    }
}
