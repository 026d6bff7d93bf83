//! The distinct values of one column, each with its code and its count.
//!
//! Lookup is one hash and, nearly always, one comparison (`index.rs`); nothing is allocated for a
//! value already known. Values are end to end in one text.

use super::index::{Index, Key};

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
    index: Index,
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
        self.index.insert(key, code);
        code
    }

    fn find(&self, key: Key, value: &str) -> Option<Code> {
        self.index.find(key, |code| between(&self.text, &self.ends, code) == value)
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
        // The first bytes of a value lie beside its code, so that most comparisons fetch no text.
        let beside = |code: Code| (prefix(between(&self.text, &self.ends, code)), code);
        let mut keyed: Vec<([u64; 2], Code)> = (0..self.len() as Code).map(beside).collect();
        keyed.sort_unstable_by(|(a, one), (b, other)| {
            a.cmp(b).then_with(|| self.value(*one).cmp(&self.value(*other)))
        });
        keyed.into_iter().map(|(_, code)| code).collect()
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

/// The first sixteen bytes of a text as numbers in the same order; zeros stand for bytes that are
/// not there.
fn prefix(text: &str) -> [u64; 2] {
    let mut bytes = [0; 16];
    let length = text.len().min(bytes.len());
    bytes[..length].copy_from_slice(&text.as_bytes()[..length]);
    let whole = u128::from_be_bytes(bytes);
    [(whole >> 64) as u64, whole as u64]
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
                let mut dictionary = Dictionary::of([Some(one.as_str()), Some(other)]);
                prop_assert_eq!(dictionary.len(), 1 + usize::from(one != other));
                prop_assert_eq!(dictionary.add(Some(&one), 1), 0);
            }
        }

        /// Sorting by the first bytes is sorting by value: with zero bytes, prefixes and long texts.
        #[test]
        fn by_value_is_the_order_of_the_values(
            cells in prop::collection::vec(prop::option::weighted(0.9, "[a\\x00é]{0,4}|[ab]{14,19}"), 0..60),
        ) {
            let dictionary = Dictionary::of(cells.iter().map(Option::as_deref));
            let found: Vec<_> = dictionary.by_value().into_iter().map(|code| dictionary.value(code)).collect();
            let expected: std::collections::BTreeSet<_> = cells.iter().map(Option::as_deref).collect();
            prop_assert_eq!(found, Vec::from_iter(expected));
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
