//! The embedded table of words: decoding, and an open-addressing hash table with linear probing.
//!
//! A slot is eight bytes: half of the hash, and the index of the attributes, which few words do not
//! share with others. The table is at most 60 % full, so a look-up reads one cache line in most
//! cases.

use super::{Word, fold};

/// The number of bits of the filter of usual words: 128 kB. Usual words set 8 % of the bits.
const FILTER: usize = 1 << 20;

/// The number of bits of the filter of all words: 512 kB. Words set 26 % of the bits.
const KNOWN: usize = 1 << 22;

/// The number of bits of the filter of usual words without one letter: 512 kB. These words set 15 %
/// of the bits.
const SHORTENED: usize = 1 << 22;

/// Words and phrases by hash.
pub(super) struct Table {
    /// The upper half of the hash, then the index of the attributes plus one; 0 is an empty slot.
    slots: Vec<(u32, u32)>,
    attributes: Vec<u64>,
    /// Two bits for the hash of each word. Stays in the cache, while the slots do not: most names that
    /// no list has are answered here.
    known: Vec<u64>,
    /// Two bits for the hash of each usual word.
    usual: Vec<u64>,
    /// Two bits for the hash of each usual word without each of its letters.
    shortened: Vec<u64>,
    words: usize,
}

impl Table {
    /// Decodes `words.bin`; none if it is damaged.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let parts = Parts::split(bytes)?;
        let size = (parts.words * 5 / 3).next_power_of_two().max(2);
        let mut table = Self {
            slots: vec![(0, 0); size],
            attributes: parts.attributes(),
            known: vec![0; KNOWN / 64],
            usual: vec![0; FILTER / 64],
            shortened: vec![0; SHORTENED / 64],
            words: parts.words,
        };
        let usual: Vec<bool> = table.attributes.iter().map(|&bits| Word(bits).is_usual()).collect();
        // First all hashes, then all slots: a loop that only waits for memory waits for several
        // slots at a time.
        let mut hashes = Vec::with_capacity(parts.words);
        let mut ids = parts.ids();
        parts.each(|word| {
            hashes.push(fold::hash_bytes(word));
            let id = ids.next().unwrap_or(0) as usize;
            if usual.get(id).copied().unwrap_or(false) {
                table.shorten(word);
            }
        })?;
        for (hash, id) in hashes.into_iter().zip(parts.ids()) {
            table.insert(hash, id);
            let (at, bits) = filtered(hash, KNOWN);
            table.known[at] |= bits;
            if usual.get(id as usize).copied().unwrap_or(false) {
                let (at, bits) = filtered(hash, FILTER);
                table.usual[at] |= bits;
            }
        }
        Some(table)
    }

    /// Notes a usual word without each of its letters.
    fn shorten(&mut self, word: &[u8]) {
        if word.len() > LONGEST_SHORTENED {
            return;
        }
        let mut shorter = [0; LONGEST_SHORTENED];
        for without in 0..word.len() {
            shorter[..without].copy_from_slice(&word[..without]);
            shorter[without..word.len() - 1].copy_from_slice(&word[without + 1..]);
            let (at, bits) = filtered(fold::hash_bytes(&shorter[..word.len() - 1]), SHORTENED);
            self.shortened[at] |= bits;
        }
    }

    fn insert(&mut self, hash: u64, id: u32) {
        let mut at = self.start(hash);
        while self.slots[at].1 != 0 {
            at = (at + 1) & (self.slots.len() - 1);
        }
        self.slots[at] = ((hash >> 32) as u32, id + 1);
    }

    fn start(&self, hash: u64) -> usize {
        hash as usize & (self.slots.len() - 1)
    }

    /// The attributes of a hash; 0 if the table does not have it.
    pub(super) fn get(&self, hash: u64) -> u64 {
        if !self.may_be_known(hash) {
            return 0;
        }
        let mut at = self.start(hash);
        loop {
            match self.slots[at] {
                (_, 0) => return 0,
                (tag, id) if tag == (hash >> 32) as u32 => return self.attributes[id as usize - 1],
                _ => at = (at + 1) & (self.slots.len() - 1),
            }
        }
    }

    /// Whether a hash may be that of a word; false is certain.
    #[inline]
    pub(super) fn may_be_known(&self, hash: u64) -> bool {
        let (at, bits) = filtered(hash, KNOWN);
        self.known[at] & bits == bits
    }

    /// Whether a hash may be that of a usual word; false is certain.
    pub(super) fn may_be_usual(&self, hash: u64) -> bool {
        let (at, bits) = filtered(hash, FILTER);
        self.usual[at] & bits == bits
    }

    /// Whether a hash may be that of a usual word without one of its letters; false is certain for
    /// words of up to [`LONGEST_SHORTENED`] letters.
    pub(super) fn may_be_shortened(&self, hash: u64) -> bool {
        let (at, bits) = filtered(hash, SHORTENED);
        self.shortened[at] & bits == bits
    }

    pub(super) fn len(&self) -> usize {
        self.words
    }
}

/// Letters of the longest usual word that is noted without one of them.
const LONGEST_SHORTENED: usize = 18;

/// The place of a hash in a filter of 64 bits each, and its two bits there: a hash that is in no list
/// finds both of them far more rarely than one.
fn filtered(hash: u64, size: usize) -> (usize, u64) {
    let bit = hash as usize % size;
    (bit / 64, 1 << (bit % 64) | 1 << (hash >> 58))
}

/// The sections of `words.bin`.
pub(super) struct Parts<'a> {
    words: usize,
    attributes: &'a [u8],
    shared: &'a [u8],
    added: &'a [u8],
    ids: &'a [u8],
    rest: &'a [u8],
}

impl<'a> Parts<'a> {
    /// Splits the decompressed bytes; none if a length is wrong.
    pub(super) fn split(bytes: &'a [u8]) -> Option<Self> {
        let bytes = bytes.strip_prefix(b"TLX1")?;
        let (words, bytes) = number(bytes)?;
        let (distinct, bytes) = number(bytes)?;
        let (attributes, bytes) = bytes.split_at_checked(distinct * 8)?;
        let (shared, bytes) = bytes.split_at_checked(words)?;
        let (added, bytes) = bytes.split_at_checked(words)?;
        let (ids, rest) = bytes.split_at_checked(words * 2)?;
        Some(Self { words, attributes, shared, added, ids, rest })
    }

    fn attributes(&self) -> Vec<u64> {
        let (chunks, _) = self.attributes.as_chunks::<8>();
        chunks.iter().map(|&chunk| u64::from_le_bytes(chunk)).collect()
    }

    fn ids(&self) -> impl Iterator<Item = u32> {
        let (low, high) = self.ids.split_at(self.words);
        low.iter().zip(high).map(|(&low, &high)| u32::from(u16::from_le_bytes([low, high])))
    }

    /// Calls with every word in order; none if bytes are missing.
    pub(super) fn each(&self, mut call: impl FnMut(&[u8])) -> Option<()> {
        let mut word = Vec::with_capacity(256);
        let mut rest = self.rest;
        for (&shared, &added) in self.shared.iter().zip(self.added) {
            let (now, after) = rest.split_at_checked(usize::from(added))?;
            word.truncate(usize::from(shared));
            word.extend_from_slice(now);
            call(&word);
            rest = after;
        }
        rest.is_empty().then_some(())
    }
}

/// A u32 at the start, and what follows.
pub(super) fn number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (head, rest) = bytes.split_first_chunk::<4>()?;
    Some((u32::from_le_bytes(*head) as usize, rest))
}
