//! The distinct values of one column, each with its code and its count.
//!
//! Lookup is one hash of the value's bytes and, nearly always, one comparison;
//! nothing is allocated for a value already known.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// The small integer that stands for a value of a column.
pub type Code = u32;

/// Distinct values of one column with their counts; a missing cell is a value of its own.
#[derive(Debug, Clone, Default)]
pub struct Dictionary {
    /// Code → value; `None` is the missing value.
    values: Vec<Option<Box<str>>>,
    counts: Vec<u64>,
    missing: Option<Code>,
    index: HashTable<Code>,
}

fn hash(value: &str) -> u64 {
    FxBuildHasher.hash_one(value.as_bytes())
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
            None => *self.missing.get_or_insert_with(|| {
                self.values.push(None);
                self.counts.push(0);
                (self.values.len() - 1) as Code
            }),
            Some(value) => self.intern(value),
        };
        self.counts[code as usize] += count;
        code
    }

    /// Adds the values of another dictionary with their counts; its codes → codes of this one.
    pub fn merge(&mut self, other: &Dictionary) -> Vec<Code> {
        other
            .values
            .iter()
            .zip(&other.counts)
            .map(|(value, &count)| self.add(value.as_deref(), count))
            .collect()
    }

    fn intern(&mut self, value: &str) -> Code {
        let values = &self.values;
        let found = self.index.entry(
            hash(value),
            |&code| values[code as usize].as_deref() == Some(value),
            |&code| hash(values[code as usize].as_deref().unwrap_or_default()),
        );
        match found {
            hashbrown::hash_table::Entry::Occupied(entry) => *entry.get(),
            hashbrown::hash_table::Entry::Vacant(entry) => {
                let code = self.values.len() as Code;
                entry.insert(code);
                self.values.push(Some(value.into()));
                self.counts.push(0);
                code
            }
        }
    }

    /// The code of a value that is already known.
    pub fn get(&self, value: Option<&str>) -> Option<Code> {
        let Some(value) = value else {
            return self.missing;
        };
        self.index.find(hash(value), |&code| self.values[code as usize].as_deref() == Some(value)).copied()
    }

    /// The value behind a code; `None` is missing.
    pub fn value(&self, code: Code) -> Option<&str> {
        self.values[code as usize].as_deref()
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
        self.values.len()
    }

    /// Whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The code of the missing value, where one occurs.
    pub fn missing(&self) -> Option<Code> {
        self.missing
    }

    /// Present values with their counts, in code order; the missing value is left out.
    pub fn present(&self) -> impl Iterator<Item = (&str, u64)> {
        self.values.iter().zip(&self.counts).filter_map(|(v, &n)| v.as_deref().map(|v| (v, n)))
    }
}
