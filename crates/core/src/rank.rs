//! Dense ids for integer keys, in order of first sight: the inner step of all grouping.
//!
//! Small key spaces use a directly indexed array, others open addressing with linear probing. Both
//! start small and grow with the ids given, so that the table stays in the cache. About 2–5 ns a
//! key; no allocation once warm.

/// The largest key space that is indexed directly.
const DENSE: u64 = 1 << 16;

/// Keys that are looked up at a time.
const BLOCK: usize = 32;

/// Gives keys their ids.
#[derive(Debug, Default)]
pub struct Ranker {
    /// Key → id + 1; 0 is free.
    dense: Vec<u32>,
    /// Open addressing: id + 1; 0 is free.
    slots: Vec<u32>,
    /// Id → key.
    keys: Vec<u64>,
    direct: bool,
    /// The largest number of slots that the keys of a grouping need.
    most: usize,
    /// Memory for keys of a caller that replaces them.
    memory: Vec<u64>,
}

impl Ranker {
    /// Starts a grouping of at most `items` keys, all below `space`.
    pub fn begin(&mut self, space: u64, items: usize) {
        self.direct = space <= DENSE.max(2 * items as u64).min(1 << 24);
        self.keys.clear();
        if self.direct {
            self.dense.clear();
            self.dense.resize(space as usize, 0);
        } else {
            // Grows with the ids given: most groupings end far below their number of keys.
            self.most = (2 * items + 2).next_power_of_two();
            self.slots.clear();
            self.slots.resize((items / 4).max(64).next_power_of_two(), 0);
        }
    }

    /// The key's id; ids are given from 0 in order of first sight.
    #[inline]
    pub fn id(&mut self, key: u64) -> u32 {
        if self.direct { self.direct_id(key) } else { self.probed_id(key) }
    }

    /// Replaces keys by their ids: the same as [`Ranker::id`] of each. The tables of many keys do not fit
    /// the cache, so that what a block of keys needs of them is read ahead, without a decision in
    /// between: the processor then waits for all of it at once.
    pub fn replace(&mut self, keys: &mut [u64]) {
        let (mut ids, mut known) = ([0; BLOCK], [0; BLOCK]);
        for block in keys.chunks_mut(BLOCK) {
            let (ids, known) = (&mut ids[..block.len()], &mut known[..block.len()]);
            self.first_ids(block, ids);
            for (known, id) in known.iter_mut().zip(&*ids) {
                // The key of no id is that of the first one, with which nothing is done.
                *known = self.keys.get(id.wrapping_sub(1) as usize).copied().unwrap_or_default();
            }
            for (key, (&id, &known)) in block.iter_mut().zip(ids.iter().zip(&*known)) {
                let seen = id != 0 && known == *key;
                *key = u64::from(if seen { id - 1 } else { self.id(*key) });
            }
        }
    }

    /// Keys that are 0, in memory that is used again if the caller gives it back.
    pub fn memory(&mut self, count: usize) -> Vec<u64> {
        let mut keys = std::mem::take(&mut self.memory);
        keys.clear();
        keys.resize(count, 0);
        keys
    }

    /// Keeps the memory of keys for the next ones.
    pub fn take_back(&mut self, keys: Vec<u64>) {
        self.memory = keys;
    }

    /// What the first slots of some keys hold: id + 1, or 0.
    fn first_ids(&self, keys: &[u64], ids: &mut [u32]) {
        match self.direct {
            true => ids.iter_mut().zip(keys).for_each(|(id, &key)| *id = self.dense[key as usize]),
            false => {
                let mask = self.slots.len() - 1;
                ids.iter_mut().zip(keys).for_each(|(id, &key)| *id = self.slots[position(key, mask)]);
            }
        }
    }

    /// Number of ids given.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    #[inline]
    fn direct_id(&mut self, key: u64) -> u32 {
        let slot = &mut self.dense[key as usize];
        if *slot == 0 {
            self.keys.push(key);
            *slot = self.keys.len() as u32;
        }
        *slot - 1
    }

    #[inline]
    fn probed_id(&mut self, key: u64) -> u32 {
        let mask = self.slots.len() - 1;
        let mut at = position(key, mask);
        loop {
            let id = self.slots[at];
            if id == 0 {
                self.keys.push(key);
                self.slots[at] = self.keys.len() as u32;
                if self.keys.len() * 2 > self.slots.len() {
                    self.grow();
                }
                return self.keys.len() as u32 - 1;
            }
            if self.keys[id as usize - 1] == key {
                return id - 1;
            }
            at = (at + 1) & mask;
        }
    }

    #[cold]
    fn grow(&mut self) {
        // A table of more slots than needed would miss the cache more often. A caller may give more keys
        // than announced.
        let capacity = (self.slots.len() * 4).min(self.most).max(self.slots.len() * 2);
        self.slots.clear();
        self.slots.resize(capacity, 0);
        for (id, &key) in self.keys.iter().enumerate() {
            let mut at = position(key, capacity - 1);
            while self.slots[at] != 0 {
                at = (at + 1) & (capacity - 1);
            }
            self.slots[at] = id as u32 + 1;
        }
    }
}

/// Fibonacci hashing: neighbours in key space spread over the table.
#[inline]
fn position(key: u64, mask: usize) -> usize {
    (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize & mask
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ids_are_dense_and_in_order_of_first_sight(
            runs in prop::collection::vec((prop::collection::vec(0u64..5000, 0..300), any::<bool>()), 1..5)
        ) {
            let mut ranker = Ranker::default();
            for (keys, wide) in runs {
                let scale = if wide { 1 << 40 } else { 1 };
                ranker.begin(5000 * scale, keys.len());
                let mut seen: Vec<u64> = Vec::new();
                let mut all: Vec<u64> = keys.iter().map(|key| key * scale).collect();
                for key in keys {
                    let expected = seen.iter().position(|&s| s == key).unwrap_or_else(|| {
                        seen.push(key);
                        seen.len() - 1
                    });
                    prop_assert_eq!(ranker.id(key * scale) as usize, expected);
                }
                prop_assert_eq!(ranker.len(), seen.len());
                let one_by_one: Vec<u64> = all.iter().map(|key| u64::from(ranker.id(*key))).collect();
                ranker.begin(5000 * scale, all.len());
                ranker.replace(&mut all);
                prop_assert_eq!(all, one_by_one);
                prop_assert_eq!(ranker.len(), seen.len());
            }
        }
    }
}
