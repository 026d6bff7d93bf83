//! The index of texts that are stored elsewhere: text → code.
//!
//! It holds short texts themselves, so that looking one up among many waits for one place of memory
//! and not for three, and growing fetches no text at all. A look-up is one hash and, nearly always,
//! one comparison; 16 bytes and a control byte per text, before the table's spare room.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use super::Code;

/// Text → code.
#[derive(Debug, Clone, Default)]
pub(crate) struct Index {
    entries: HashTable<Entry>,
}

impl Index {
    /// The code of a text, by its key; `is` says whether a code has the text, where the key alone
    /// does not.
    pub(crate) fn find(&self, key: Key, is: impl Fn(Code) -> bool) -> Option<Code> {
        let same = |entry: &Entry| entry.key == key && (key.whole() || is(entry.code));
        self.entries.find(key.hash(), same).map(|entry| entry.code)
    }

    /// Adds a text that is not there yet.
    pub(crate) fn insert(&mut self, key: Key, code: Code) {
        self.entries.insert_unique(key.hash(), Entry { key, code }, |entry| entry.key.hash());
    }
}

/// A value in the index.
#[derive(Debug, Clone, Copy)]
struct Entry {
    key: Key,
    code: Code,
}

/// A value of at most 11 bytes as numbers, or the hash of a longer one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key {
    /// The first eight bytes, or the hash.
    low: u64,
    /// The other three bytes, and above them the length, or [`Key::LONG`].
    high: u32,
}

impl Key {
    /// In place of the length of a value that is too long to be its own key.
    const LONG: u32 = 0xFF << 24;

    /// The key of a text.
    pub(crate) fn of(value: &str) -> Self {
        let bytes = value.as_bytes();
        let length = bytes.len();
        // Loads of fixed size overlap, so that no byte is copied by itself.
        let first = |bytes: &[u8]| bytes.first_chunk().map_or(0, |four| u64::from(u32::from_le_bytes(*four)));
        let last = |bytes: &[u8]| bytes.last_chunk().map_or(0, |four| u64::from(u32::from_le_bytes(*four)));
        let (low, rest) = match length {
            0 => (0, 0),
            1..4 => {
                let byte = |at: usize| u64::from(bytes[at]);
                (byte(0) | byte(length / 2) << 8 | byte(length - 1) << 16, 0)
            }
            4..8 => (first(bytes) | last(bytes) >> (8 * (8 - length)) << 32, 0),
            8..12 => (first(bytes) | first(&bytes[4..]) << 32, (last(bytes) >> (8 * (12 - length))) as u32),
            _ => return Key { low: FxBuildHasher.hash_one(bytes), high: Key::LONG },
        };
        Key { low, high: rest | (length as u32) << 24 }
    }

    /// Whether the key is the value.
    pub(crate) fn whole(self) -> bool {
        self.high & Key::LONG != Key::LONG
    }

    /// Both halves of a product depend on all bytes.
    fn hash(&self) -> u64 {
        let low = u128::from(self.low ^ 0x9e37_79b9_7f4a_7c15);
        let product = low * u128::from(u64::from(self.high) ^ 0xd6e8_feb8_6659_fd93);
        product as u64 ^ (product >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Short texts have the same key if they are the same; long ones have their own kind of key.
        #[test]
        fn keys_tell_short_texts_apart(
            one in "[a\\x00é]{0,12}",
            other in "[a\\x00é]{0,12}",
            cut in 0usize..12,
        ) {
            let cut = (0..=cut.min(one.len())).rev().find(|&at| one.is_char_boundary(at)).unwrap_or(0);
            for other in [other.as_str(), &one[..cut]] {
                let (first, second) = (Key::of(&one), Key::of(other));
                prop_assert_eq!(first.whole(), one.len() < 12);
                if first.whole() {
                    prop_assert_eq!(first == second, one == other, "{:?} {:?}", one, other);
                }
            }
        }
    }
}
