//! A table of positions by hash with open addressing, for the verifier only.
//!
//! A slot holds the hash beside the position, so that growing does not read what positions stand
//! for. The first slots of many hashes can be read at once, before anything depends on them: in a
//! large table each is a wait for memory, and these waits overlap. At most four fifths of the slots
//! are in use, of 8 bytes each.

/// The golden ratio in 64 bits, a common odd factor for hashing.
pub(super) const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
/// Entries that are looked up together.
pub(super) const BLOCK: usize = 128;
/// The least number of slots.
const LEAST: usize = 16;

/// A slot without an entry: no position is that great. It is not 0, because zeroed memory is not
/// there until it is written, and a read before the first write costs two page faults.
const FREE: u64 = u64::MAX;

/// Hash and position, or [`FREE`]: a power of two of them.
#[derive(Debug, Clone, Default)]
pub(super) struct Slots(Vec<u64>);

impl Slots {
    /// Makes room for this number of entries. Call it before any other method.
    pub(super) fn reserve(&mut self, entries: usize) {
        if 5 * entries <= 4 * self.0.len() {
            return;
        }
        let mut size = self.0.len().max(LEAST);
        while 5 * entries > 4 * size {
            size *= 2;
        }
        let old = std::mem::replace(&mut self.0, vec![FREE; size]);
        for slot in old.into_iter().filter(|&slot| slot != FREE) {
            let mut at = self.start(hash_of(slot));
            while self.0[at] != FREE {
                at = (at + 1) & (size - 1);
            }
            self.0[at] = slot;
        }
    }

    fn start(&self, hash: u32) -> usize {
        (u64::from(hash).wrapping_mul(ODD) >> 32) as usize & (self.0.len() - 1)
    }

    /// The positions in the first slots of some hashes, where these are of that hash.
    pub(super) fn first(&self, hashes: &[u32], found: &mut [Option<u32>; BLOCK]) {
        let mut slots = [0; BLOCK];
        slots.iter_mut().zip(hashes).for_each(|(slot, &hash)| *slot = self.0[self.start(hash)]);
        for (found, (&slot, &hash)) in found.iter_mut().zip(slots.iter().zip(hashes)) {
            *found = (slot != FREE && hash_of(slot) == hash).then(|| position_of(slot));
        }
    }

    /// The position of an entry; none where there is no room or it is not there.
    pub(super) fn get(&self, hash: u32, same: impl Fn(u32) -> bool) -> Option<u32> {
        if self.0.is_empty() { None } else { self.find(hash, same).ok() }
    }

    /// The position of an entry, or the free slot that it belongs into.
    pub(super) fn find(&self, hash: u32, same: impl Fn(u32) -> bool) -> Result<u32, usize> {
        let mut at = self.start(hash);
        loop {
            let slot = self.0[at];
            if slot == FREE {
                return Err(at);
            }
            if hash_of(slot) == hash && same(position_of(slot)) {
                return Ok(position_of(slot));
            }
            at = (at + 1) & (self.0.len() - 1);
        }
    }

    /// Puts an entry into a free slot.
    pub(super) fn put(&mut self, slot: usize, hash: u32, position: u32) {
        self.0[slot] = u64::from(hash) << 32 | u64::from(position);
    }
}

fn hash_of(slot: u64) -> u32 {
    (slot >> 32) as u32
}

fn position_of(slot: u64) -> u32 {
    slot as u32
}

/// Multiplies to 128 bits and folds the halves, so that every bit of the word reaches every bit of
/// the hash.
pub(super) fn mix(hash: u64, word: u64) -> u64 {
    let product = u128::from(hash ^ word) * u128::from(ODD);
    product as u64 ^ (product >> 64) as u64
}

pub(super) fn spread(hash: u64) -> u32 {
    (hash ^ hash >> 32) as u32
}
