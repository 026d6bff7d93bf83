//! Dense ids for integer keys, in order of first sight: the inner step of all grouping.
//!
//! Small key spaces use a directly indexed array, others open addressing with linear probing. Both
//! start small and grow with the ids given, so that the table stays in the cache. About 2–5 ns a
//! key; no allocation once warm.

/// The largest key space that is indexed directly.
const DENSE: u64 = 1 << 16;

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
            self.slots.clear();
            self.slots.resize((items / 4).max(64).next_power_of_two(), 0);
        }
    }

    /// The key's id; ids are given from 0 in order of first sight.
    #[inline]
    pub fn id(&mut self, key: u64) -> u32 {
        if self.direct { self.direct_id(key) } else { self.probed_id(key) }
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
        let capacity = self.slots.len() * 4;
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
                for key in keys {
                    let expected = seen.iter().position(|&s| s == key).unwrap_or_else(|| {
                        seen.push(key);
                        seen.len() - 1
                    });
                    prop_assert_eq!(ranker.id(key * scale) as usize, expected);
                }
                prop_assert_eq!(ranker.len(), seen.len());
            }
        }
    }
}
