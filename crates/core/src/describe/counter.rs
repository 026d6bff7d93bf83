//! What has been seen of one column while its cells are read, and what becomes of codes for missing
//! values after that.
//!
//! A known value costs one hash. Counters of parts of a table merge into that of the whole.

use super::missing::{MissingCode, PLACEHOLDERS, Placeholders, placeholder};
use super::sample::Sample;
use super::shape::bit;
use super::traits::Traits;

/// What has been seen of one column.
#[derive(Debug, Clone)]
pub(super) struct Counter {
    pub missing: u64,
    pub present: u64,
    /// Cells that hold a text that may mean missing; they are not in `sample` and `traits`.
    pub placeholders: Placeholders,
    pub sample: Sample,
    pub traits: Traits,
}

impl Counter {
    /// Nothing seen yet; this many distinct values are counted exactly.
    pub fn new(limit: usize) -> Self {
        Counter {
            missing: 0,
            present: 0,
            placeholders: [0; PLACEHOLDERS.len()],
            sample: Sample::new(limit),
            traits: Traits::new(),
        }
    }

    /// Counts cells of one value.
    pub fn push(&mut self, value: &str, count: u64) {
        self.present += count;
        if let Some(at) = placeholder(value) {
            self.placeholders[at] += count;
        } else if count == 1 {
            if !self.sample.add(value) {
                self.traits.see(value);
            }
        } else {
            self.sample.add_count(value, count);
            self.traits.see(value);
        }
    }

    /// Counts texts that may mean missing: as missing those in `nulls`, the others as values.
    pub fn settle(&mut self, nulls: &[usize]) {
        for (at, text) in PLACEHOLDERS.iter().enumerate() {
            let cells = std::mem::take(&mut self.placeholders[at]);
            if nulls.contains(&at) {
                self.present -= cells;
                self.missing += cells;
            } else if cells > 0 {
                self.sample.add_count(text, cells);
                self.traits.see(text);
            }
        }
    }

    /// Counts codes among numbers as missing; what the others have in common is then looked at
    /// again. Says whether there were any.
    pub fn clear(&mut self, codes: &[MissingCode]) -> bool {
        if !self.sample.exact() || !self.traits.all(bit::NUMBER) {
            return false;
        }
        let cells: u64 = codes.iter().map(|code| self.sample.remove(&code.code)).sum();
        if cells > 0 {
            self.present -= cells;
            self.missing += cells;
            self.traits = Traits::new();
            self.sample.iter().for_each(|seen| self.traits.see(&seen.text));
        }
        cells > 0
    }
}
