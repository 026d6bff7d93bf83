//! The distinct values of one column, each with its code and its count.
//!
//! Lookup is one hash and, nearly always, one comparison; nothing is allocated for a value already
//! known. Values are end to end in one text. The index holds short values themselves, so that
//! looking one up in a column of many values waits for one place of memory and not for three.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// The small integer that stands for a value of a column.
pub type Code = u32;

/// Distinct values of one column with their counts; a missing cell is a value of its own.
#[derive(Debug, Clone, Default)]
pub struct Dictionary {
    /// Values in the order of their codes; the missing value is empty there.
    text: String,
    /// Code → where its value ends; it starts where the one before ends.
    ends: Vec<usize>,
    counts: Vec<u64>,
    missing: Option<Code>,
    index: HashTable<Entry>,
}

/// A value in the index.
#[derive(Debug, Clone, Copy)]
struct Entry {
    key: Key,
    code: Code,
}

/// A value of at most 11 bytes as numbers, or the hash of a longer one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Key {
    /// The first eight bytes, or the hash.
    low: u64,
    /// The other three bytes, and above them the length, or [`Key::LONG`].
    high: u32,
}

impl Key {
    /// In place of the length of a value that is too long to be its own key.
    const LONG: u32 = 0xFF << 24;

    fn of(value: &str) -> Self {
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
    fn whole(self) -> bool {
        self.high & Key::LONG != Key::LONG
    }

    /// Both halves of a product depend on all bytes.
    fn hash(&self) -> u64 {
        let low = u128::from(self.low ^ 0x9e37_79b9_7f4a_7c15);
        let product = low * u128::from(u64::from(self.high) ^ 0xd6e8_feb8_6659_fd93);
        product as u64 ^ (product >> 64) as u64
    }
}

impl Dictionary {
    /// An empty dictionary.
    pub fn new() -> Self {
        Dictionary::default()
    }

    /// A dictionary of the given values, coded in their order, each counted once per occurrence.
    pub fn of<'a>(values: impl IntoIterator<Item = Option<&'a str>>) -> Self {
        let mut dictionary = Dictionary::new();
        for value in values {
            dictionary.add(value, 1);
        }
        dictionary
    }

    /// The value's code, given a new one when it is not known; adds `count` occurrences.
    pub fn add(&mut self, value: Option<&str>, count: u64) -> Code {
        let code = match value {
            None => match self.missing {
                Some(code) => code,
                None => {
                    let code = self.push("");
                    self.missing = Some(code);
                    code
                }
            },
            Some(value) => self.intern(value),
        };
        self.counts[code as usize] += count;
        code
    }

    /// A new code for a text.
    fn push(&mut self, text: &str) -> Code {
        let code = self.ends.len() as Code;
        self.text.push_str(text);
        self.ends.push(self.text.len());
        self.counts.push(0);
        code
    }

    /// Adds the values of another dictionary with their counts; its codes → codes of this one.
    pub fn merge(&mut self, other: &Dictionary) -> Vec<Code> {
        let codes = 0..other.len() as Code;
        codes.map(|code| self.add(other.value(code), other.count(code))).collect()
    }

    fn intern(&mut self, value: &str) -> Code {
        let key = Key::of(value);
        if let Some(code) = self.find(key, value) {
            return code;
        }
        let code = self.push(value);
        self.index.insert_unique(key.hash(), Entry { key, code }, |entry| entry.key.hash());
        code
    }

    fn find(&self, key: Key, value: &str) -> Option<Code> {
        let same = |entry: &Entry| {
            entry.key == key && (key.whole() || between(&self.text, &self.ends, entry.code) == value)
        };
        self.index.find(key.hash(), same).map(|entry| entry.code)
    }

    /// The code of a value that is already known.
    pub fn get(&self, value: Option<&str>) -> Option<Code> {
        let Some(value) = value else {
            return self.missing;
        };
        self.find(Key::of(value), value)
    }

    /// The value behind a code; `None` is missing.
    pub fn value(&self, code: Code) -> Option<&str> {
        (self.missing != Some(code)).then(|| between(&self.text, &self.ends, code))
    }

    /// How often the value behind a code occurs.
    pub fn count(&self, code: Code) -> u64 {
        self.counts[code as usize]
    }

    /// The codes in the order of their values, the missing one first: an order that does not depend
    /// on which row came first.
    pub fn by_value(&self) -> Vec<Code> {
        let mut codes: Vec<Code> = (0..self.len() as Code).collect();
        codes.sort_unstable_by_key(|&code| self.value(code));
        codes
    }

    /// Number of distinct values, the missing one included.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The code of the missing value, where one occurs.
    pub fn missing(&self) -> Option<Code> {
        self.missing
    }

    /// Present values with their counts, in code order; the missing value is left out.
    pub fn present(&self) -> impl Iterator<Item = (&str, u64)> {
        let codes = 0..self.len() as Code;
        codes.filter_map(|code| self.value(code).map(|value| (value, self.count(code))))
    }
}

/// The text of a code.
fn between<'a>(text: &'a str, ends: &[usize], code: Code) -> &'a str {
    let code = code as usize;
    let start = if code == 0 { 0 } else { ends[code - 1] };
    &text[start..ends[code]]
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Short values have the same key if they are the same; long ones have their own kind of key.
        #[test]
        fn keys_tell_short_values_apart(
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
                let mut dictionary = Dictionary::of([Some(one.as_str()), Some(other)]);
                prop_assert_eq!(dictionary.len(), 1 + usize::from(one != other));
                prop_assert_eq!(dictionary.add(Some(&one), 1), 0);
            }
        }

        /// Codes are in order of first sight and counts add up, with empty and missing values, and
        /// after a merge.
        #[test]
        fn codes_are_those_of_first_sight(
            cells in prop::collection::vec(prop::option::weighted(0.9, "[a-cé]{0,2}|[ab]{7,14}"), 0..200),
            cut in 0usize..200,
        ) {
            let mut expected: HashMap<Option<&str>, (Code, u64)> = HashMap::new();
            let mut dictionary = Dictionary::new();
            for cell in cells.iter().map(Option::as_deref) {
                let next = expected.len() as Code;
                let entry = expected.entry(cell).or_insert((next, 0));
                entry.1 += 1;
                prop_assert_eq!(dictionary.add(cell, 1), entry.0);
            }
            let (before, after) = cells.split_at(cut.min(cells.len()));
            let mut merged = Dictionary::of(before.iter().map(Option::as_deref));
            let second = Dictionary::of(after.iter().map(Option::as_deref));
            let map = merged.merge(&second);
            for code in 0..second.len() as Code {
                prop_assert_eq!(merged.value(map[code as usize]), second.value(code));
            }
            for dictionary in [&dictionary, &merged] {
                prop_assert_eq!(dictionary.len(), expected.len());
                for (&value, &(code, count)) in &expected {
                    prop_assert_eq!(dictionary.get(value), Some(code));
                    prop_assert_eq!((dictionary.value(code), dictionary.count(code)), (value, count));
                }
                prop_assert_eq!(dictionary.missing(), expected.get(&None).map(|found| found.0));
                prop_assert_eq!(dictionary.get(Some("unknown")), None);
            }
        }
    }
}
