//! Merges a great many classes with equal keys: the same as `merge.rs` where the table of keys does
//! not fit into the cache.
//!
//! Keys are divided among the cores by hash, and every core looks its keys up in blocks: first all
//! slots, then all groups, then all keys, so that the waits for memory of a block overlap. Members
//! come in order, so the groups of each core are sorted by their first member and are put together
//! in one pass: the result does not depend on the number of cores. Costs 8 bytes per key, per group
//! and per slot; at most four fifths of the slots are in use.

use std::ops::Range;

use rayon::prelude::*;

use crate::classes::Groups;

/// Keys that are looked up together.
const BLOCK: usize = 128;
/// A slot without a group: no place is that great. It is not 0, because zeroed memory is not there
/// until it is written, and a read before the first write costs two page faults.
const FREE: u64 = u64::MAX;
/// The most cores that share the keys: each reads all of them.
const MOST: usize = 8;
/// Keys are divided into this many shares by hash.
const SHARES: usize = 64;
/// The part of them that gives a lower bound.
pub(super) const PART: usize = 8;

/// Merges the classes of `from`, whose keys are given, into groups ordered by their first member.
/// Pools are kept from merge to merge: new memory costs more than to fill it.
pub(super) fn merge(keys: &[u64], from: &Groups, to: &mut Groups, pools: &mut Vec<Pool>) {
    let shards = rayon::current_num_threads().clamp(1, MOST);
    pools.resize_with(shards, Pool::default);
    let fill = |(shard, pool): (usize, &mut Pool)| pool.fill(keys, from, share(shard, shards, SHARES));
    pools.par_iter_mut().enumerate().for_each(fill);
    to.first.clear();
    to.count.clear();
    let mut rest: Vec<&[Group]> = pools.iter().map(|pool| pool.groups.as_slice()).collect();
    loop {
        let heads = rest.iter().enumerate().filter_map(|(pool, groups)| Some((groups.first()?.class, pool)));
        let Some((_, pool)) = heads.min() else { return };
        let [group, others @ ..] = rest[pool] else { return };
        to.first.push(from.first[group.class as usize]);
        to.count.push(group.count);
        rest[pool] = others;
    }
}

/// The rows in groups of fewer than `least` rows, among some of the keys: a lower bound of those
/// among all keys, for a part of the cost of [`merge`].
pub(super) fn small_rows_of_part(keys: &[u64], from: &Groups, least: u64, pools: &mut Vec<Pool>) -> u64 {
    let shards = rayon::current_num_threads().clamp(1, MOST);
    pools.resize_with(shards, Pool::default);
    let small = |(shard, pool): (usize, &mut Pool)| {
        pool.fill(keys, from, share(shard, shards, SHARES / PART));
        let counts = pool.groups.iter().map(|group| u64::from(group.count));
        counts.filter(|&count| count < least).sum::<u64>()
    };
    pools.par_iter_mut().enumerate().map(small).sum()
}

/// The shares of hashes that one of several cores has, of the first `shares`.
fn share(shard: usize, shards: usize, shares: usize) -> Range<usize> {
    shard * shares / shards..(shard + 1) * shares / shards
}

/// Some classes of one key: the first of them, which has the key, and the rows of all.
#[derive(Debug, Clone, Copy)]
struct Group {
    class: u32,
    count: u32,
}

/// The groups of the keys of one core.
pub(super) struct Pool {
    groups: Vec<Group>,
    /// A part of the hash, and the place of the group; or [`FREE`].
    slots: Vec<u64>,
    /// Hashes of a block, and the classes that have them.
    hashes: [u64; BLOCK],
    classes: [u32; BLOCK],
    waiting: usize,
}

impl Default for Pool {
    fn default() -> Self {
        Pool { groups: Vec::new(), slots: Vec::new(), hashes: [0; BLOCK], classes: [0; BLOCK], waiting: 0 }
    }
}

impl Pool {
    /// Groups the keys of some shares.
    fn fill(&mut self, keys: &[u64], from: &Groups, shares: Range<usize>) {
        let slots = (keys.len() * shares.len() / SHARES * 5 / 4).next_power_of_two().max(2 * BLOCK);
        self.groups.clear();
        self.slots.clear();
        self.slots.resize(slots, FREE);
        for (class, &key) in keys.iter().enumerate() {
            let hash = hash(key);
            // The upper bits: no slot follows from them.
            if !shares.contains(&((hash >> 58) as usize)) {
                continue;
            }
            (self.hashes[self.waiting], self.classes[self.waiting]) = (hash, class as u32);
            self.waiting += 1;
            if self.waiting == BLOCK {
                self.take(keys, from);
            }
        }
        self.take(keys, from);
    }

    /// Takes the classes of the block.
    fn take(&mut self, keys: &[u64], from: &Groups) {
        if 5 * (self.groups.len() + BLOCK) > 4 * self.slots.len() {
            self.grow(keys);
        }
        let mut seen = [0; BLOCK];
        let block = seen.iter_mut().zip(&self.hashes[..self.waiting]);
        block.for_each(|(seen, &hash)| *seen = self.slots[start(hash, self.slots.len())]);
        // The classes of the groups that these slots lead to; a class itself where that is none.
        let mut likely = self.classes;
        for (likely, (&slot, &hash)) in likely.iter_mut().zip(seen.iter().zip(&self.hashes[..self.waiting])) {
            if tagged(slot, hash) {
                *likely = self.groups[slot as u32 as usize].class;
            }
        }
        let mut same = [false; BLOCK];
        let classes = likely.iter().zip(&self.classes[..self.waiting]);
        same.iter_mut()
            .zip(classes)
            .for_each(|(same, (&a, &b))| *same = keys[a as usize] == keys[b as usize]);
        for at in 0..self.waiting {
            let (hash, class) = (self.hashes[at], self.classes[at]);
            let count = from.count[class as usize];
            match tagged(seen[at], hash) && same[at] {
                true => self.groups[seen[at] as u32 as usize].count += count,
                false => self.add(hash, Group { class, count }, keys),
            }
        }
        self.waiting = 0;
    }

    /// Adds a class to its group, which it may be the first of.
    fn add(&mut self, hash: u64, class: Group, keys: &[u64]) {
        let mask = self.slots.len() - 1;
        let mut at = start(hash, self.slots.len());
        while self.slots[at] != FREE {
            let slot = self.slots[at];
            if tagged(slot, hash) {
                let group = &mut self.groups[slot as u32 as usize];
                if keys[group.class as usize] == keys[class.class as usize] {
                    group.count += class.count;
                    return;
                }
            }
            at = (at + 1) & mask;
        }
        self.slots[at] = hash << 32 | self.groups.len() as u64;
        self.groups.push(class);
    }

    fn grow(&mut self, keys: &[u64]) {
        let size = 2 * self.slots.len();
        let mut slots = vec![FREE; size];
        for (place, group) in self.groups.iter().enumerate() {
            let hash = hash(keys[group.class as usize]);
            let mut at = start(hash, size);
            while slots[at] != FREE {
                at = (at + 1) & (size - 1);
            }
            slots[at] = hash << 32 | place as u64;
        }
        self.slots = slots;
    }
}

/// Every bit of the key reaches both halves.
#[inline]
fn hash(key: u64) -> u64 {
    let product = (key ^ key >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    product ^ product >> 29
}

/// The first slot of a hash, of a power of two of slots.
#[inline]
fn start(hash: u64, slots: usize) -> usize {
    (hash >> 32) as usize & (slots - 1)
}

/// Whether a slot can be that of a hash: slots have its lower half.
#[inline]
fn tagged(slot: u64, hash: u64) -> bool {
    slot != FREE && (slot >> 32) as u32 == hash as u32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::merge::Merger;
    use super::*;

    proptest! {
        /// The same groups in the same order as one core makes, at any number of threads.
        #[test]
        fn pools_merge_like_one_table(
            classes in prop::collection::vec((0u64..700, 1u32..9), 0..2000),
            scale in prop::sample::select(vec![1u64, 1000, 1 << 30, 1 << 50]),
            threads in 1usize..5,
        ) {
            let from = Groups {
                first: (0..classes.len() as u32).map(|i| 3 * i).collect(),
                count: classes.iter().map(|c| c.1).collect(),
                people: Vec::new(),
                histograms: Vec::new(),
            };
            let keys: Vec<u64> = classes.iter().map(|c| c.0 * scale).collect();
            let (mut expected, mut found) = (Groups::default(), Groups::default());
            let make = |of: Range<usize>, to: &mut [u64]| to.copy_from_slice(&keys[of]);
            Merger::default().merge::<false>(700 * scale, &from, &mut expected, &make);
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut pools = Vec::new();
            // Twice: what is left of a merge does not show in the next.
            for _ in 0..2 {
                pool.install(|| merge(&keys, &from, &mut found, &mut pools));
            }
            prop_assert_eq!((&found.first, &found.count), (&expected.first, &expected.count));
            // Groups of a part of the keys are whole: none is smaller than it is.
            let least = 20;
            let part = pool.install(|| small_rows_of_part(&keys, &from, least, &mut pools));
            let few = |count: &&u32| u64::from(**count) < least;
            let all: u64 = found.count.iter().filter(few).map(|&count| u64::from(count)).sum();
            let hashed = |key: u64| ((hash(key) >> 58) as usize) < SHARES / PART;
            let mut own = std::collections::BTreeMap::<u64, u64>::new();
            let classes = keys.iter().zip(&from.count).filter(|(key, _)| hashed(**key));
            classes.for_each(|(&key, &count)| *own.entry(key).or_default() += u64::from(count));
            prop_assert_eq!(part, own.values().filter(|count| **count < least).sum::<u64>());
            prop_assert!(part <= all);
        }
    }

    /// Keys that begin with few slots.
    #[test]
    fn a_table_grows() {
        let count = 5000;
        let from = Groups {
            first: (0..count).collect(),
            count: vec![1; count as usize],
            people: Vec::new(),
            histograms: Vec::new(),
        };
        let keys: Vec<u64> = (0..u64::from(count)).map(|key| key * 12).collect();
        let mut pool = Pool::default();
        let mut of_shard = |shard| {
            pool.fill(&keys, &from, share(shard, 8, SHARES));
            pool.groups.len()
        };
        assert_eq!((0..8).map(&mut of_shard).sum::<usize>(), count as usize);
        pool.fill(&[], &Groups::default(), 0..SHARES);
        for (class, &key) in keys.iter().enumerate() {
            if 5 * (pool.groups.len() + BLOCK) > 4 * pool.slots.len() {
                pool.grow(&keys);
            }
            pool.add(hash(key), Group { class: class as u32, count: 1 }, &keys);
        }
        assert_eq!(pool.groups.len(), count as usize);
        let classes = (0..).zip(&keys);
        classes.for_each(|(class, &key)| pool.add(hash(key), Group { class, count: 2 }, &keys));
        assert!(pool.groups.len() == count as usize && pool.groups.iter().all(|group| group.count == 3));
    }
}
