//! Interning of texts and grouping of rows into classes, for the verifier only.
//!
//! The texts of a column are contiguous in one string; a hash table stores their positions. Known
//! values allocate nothing, and memory grows with distinct values and classes, not with rows: a
//! class takes its tuple (`tuples.rs`) and 24 bytes.

use super::pace::Pace;
use super::rowhash::padded;
use super::slots::{BLOCK, ODD, Slots, mix, spread};
use throng_terms::error::Result;
use throng_terms::table::Dictionary;

pub(super) use super::tuples::Tuples;

/// Classes that are regrouped together.
const REGROUPED: usize = 1 << 10;

/// The number of a missing cell.
pub(super) const MISSING: u32 = 0;
/// The number of a value that its hierarchy does not know; no released cell has it.
pub(super) const UNKNOWN: u32 = u32::MAX;

/// Texts end to end, each with a number from 1 on; 0 is a missing cell.
#[derive(Debug, Clone)]
struct Ends {
    text: String,
    /// Number → where its text ends; it starts where the one before ends.
    ends: Vec<usize>,
}

impl Ends {
    fn new() -> Self {
        Ends { text: String::new(), ends: vec![0] }
    }

    fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends.push(self.text.len());
    }

    fn nth(&self, number: u32) -> &str {
        &self.text[self.ends[number as usize - 1]..self.ends[number as usize]]
    }
}

/// Some texts of a column with their counts and hashes; one may be there several times.
#[derive(Debug, Clone)]
pub(super) struct Texts {
    texts: Ends,
    counts: Vec<u64>,
    hashes: Vec<u32>,
}

impl Texts {
    pub(super) fn new() -> Self {
        Texts { texts: Ends::new(), counts: vec![0], hashes: vec![0] }
    }

    /// The number of a cell, which is put last unless it is missing; counted so often.
    pub(super) fn push(&mut self, cell: Option<&str>, count: u64) -> u32 {
        let Some(text) = cell else {
            self.counts[MISSING as usize] += count;
            return MISSING;
        };
        self.texts.push(text);
        self.counts.push(count);
        self.hashes.push(text_hash(text));
        self.counts.len() as u32 - 1
    }

    /// Counts a number once more.
    pub(super) fn count_again(&mut self, number: u32) {
        self.counts[number as usize] += 1;
    }

    /// The text behind a number; `None` is missing.
    pub(super) fn value(&self, number: u32) -> Option<&str> {
        (number != MISSING).then(|| self.texts.nth(number))
    }
}

/// The distinct texts of one column with their counts.
#[derive(Debug, Clone)]
pub(super) struct Interner {
    texts: Ends,
    counts: Vec<u64>,
    index: Slots,
}

impl Interner {
    pub(super) fn new() -> Self {
        Interner { texts: Ends::new(), counts: vec![0], index: Slots::default() }
    }

    /// The number of a cell, counted.
    pub(super) fn add(&mut self, cell: Option<&str>) -> u32 {
        self.count_in(cell, 1)
    }

    /// The number of a cell that occurs so often more.
    pub(super) fn count_in(&mut self, cell: Option<&str>, count: u64) -> u32 {
        let number = match cell {
            None => MISSING,
            Some(text) => self.intern(text),
        };
        self.counts[number as usize] += count;
        number
    }

    /// Takes over some texts with their counts, in the order of their numbers; these as numbers of
    /// its own. Texts are looked up in blocks, so that waits for memory overlap.
    pub(super) fn merge(&mut self, other: &Texts) -> Vec<u32> {
        let mut numbers = Vec::with_capacity(other.counts.len());
        numbers.push(MISSING);
        self.counts[MISSING as usize] += other.counts[MISSING as usize];
        let (mut seen, mut places) = ([None; BLOCK], [(0, 0); BLOCK]);
        for hashes in other.hashes[1..].chunks(BLOCK) {
            self.index.reserve(self.len() + hashes.len());
            self.index.first(hashes, &mut seen);
            for (place, seen) in places.iter_mut().zip(&seen[..hashes.len()]) {
                let ends = |at: u32| (self.texts.ends[at as usize], self.texts.ends[at as usize + 1]);
                *place = seen.map_or((0, 0), ends);
            }
            for (row, &hash) in hashes.iter().enumerate() {
                let number = numbers.len() as u32;
                let text = other.texts.nth(number);
                let known = |&(from, to): &(usize, usize)| self.texts.text.get(from..to) == Some(text);
                let to = match seen[row].filter(|_| known(&places[row])) {
                    Some(at) => at + 1,
                    None => self.place(text, hash),
                };
                self.counts[to as usize] += other.counts[number as usize];
                numbers.push(to);
            }
        }
        numbers
    }

    fn intern(&mut self, text: &str) -> u32 {
        self.index.reserve(self.len() + 1);
        self.place(text, text_hash(text))
    }

    /// The number of a text, which is put last when it is new; there is room for it.
    fn place(&mut self, text: &str, hash: u32) -> u32 {
        match self.index.find(hash, |at| self.texts.nth(at + 1) == text) {
            Ok(at) => at + 1,
            Err(slot) => {
                let number = self.len() as u32;
                self.index.put(slot, hash, number - 1);
                self.texts.push(text);
                self.counts.push(0);
                number
            }
        }
    }

    /// The number of a text that occurred, or of a missing cell.
    pub(super) fn get(&self, cell: Option<&str>) -> Option<u32> {
        let Some(text) = cell else { return Some(MISSING) };
        self.index.get(text_hash(text), |at| self.texts.nth(at + 1) == text).map(|at| at + 1)
    }

    /// The text behind a number; `None` is missing.
    pub(super) fn value(&self, number: u32) -> Option<&str> {
        (number != MISSING).then(|| self.texts.nth(number))
    }

    /// How often the value behind a number occurred.
    pub(super) fn count(&self, number: u32) -> u64 {
        self.counts[number as usize]
    }

    /// One more than the highest number.
    pub(super) fn len(&self) -> usize {
        self.counts.len()
    }

    /// The same as a dictionary, which hierarchies are built from.
    pub(super) fn dictionary(&self) -> Dictionary {
        let mut dictionary = Dictionary::new();
        for number in 0..self.len() as u32 {
            if self.count(number) > 0 {
                dictionary.add(self.value(number), self.count(number));
            }
        }
        dictionary
    }
}

fn text_hash(text: &str) -> u32 {
    let start = (text.len() as u64).wrapping_mul(ODD);
    spread(text.as_bytes().chunks(8).fold(start, |hash, part| mix(hash, padded(part))))
}

/// What is added up over the rows of a class.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) rows: u64,
    /// Sums of the row hashes, each half on its own.
    sums: [u64; 2],
}

impl Tally {
    /// One row.
    pub(super) fn of(hash: [u64; 2]) -> Self {
        Tally { rows: 1, sums: hash }
    }

    /// All that is in it, to be hashed.
    pub(super) fn words(self) -> [u64; 3] {
        [self.rows, self.sums[0], self.sums[1]]
    }

    pub(super) fn add(&mut self, other: Tally) {
        self.rows += other.rows;
        self.sums = [0, 1].map(|i| self.sums[i].wrapping_add(other.sums[i]));
    }
}

/// The classes of a table with their tallies.
#[derive(Debug)]
pub(super) struct Classes {
    pub(super) tuples: Tuples,
    tallies: Vec<Tally>,
}

impl Classes {
    pub(super) fn new(width: usize) -> Self {
        Classes { tuples: Tuples::new(width), tallies: Vec::new() }
    }

    /// Adds one row; its class.
    pub(super) fn row(&mut self, tuple: &[u32], hash: [u64; 2]) -> usize {
        self.add(tuple, Tally::of(hash))
    }

    /// The classes of some tuples, which are given end to end; new ones have no rows yet.
    pub(super) fn known(&mut self, tuples: &[u32], rows: usize, classes: &mut Vec<u32>) {
        classes.clear();
        self.tuples.intern_each(tuples, rows, classes);
        self.tallies.resize(self.tuples.len(), Tally::default());
    }

    /// Adds rows, whose tuples are given end to end; their classes.
    pub(super) fn rows(&mut self, tuples: &[u32], hashes: &[[u64; 2]], classes: &mut Vec<u32>) {
        self.known(tuples, hashes.len(), classes);
        for (&class, &hash) in classes.iter().zip(hashes) {
            self.tallies[class as usize].add(Tally::of(hash));
        }
    }

    /// Adds rows that share a tuple; their class.
    pub(super) fn add(&mut self, tuple: &[u32], tally: Tally) -> usize {
        let class = self.tuples.intern(tuple);
        if class >= self.tallies.len() {
            self.tallies.push(Tally::default());
        }
        self.tallies[class].add(tally);
        class
    }

    pub(super) fn len(&self) -> usize {
        self.tuples.len()
    }

    pub(super) fn tally(&self, class: usize) -> Tally {
        self.tallies[class]
    }

    /// Rows per class.
    pub(super) fn counts(&self) -> Vec<u64> {
        self.tallies.iter().map(|tally| tally.rows).collect()
    }

    /// Changes every tuple and joins the classes that become the same; changed classes that are not
    /// kept go to a set of their own, the second one returned. Calls `moved` for every class, in
    /// order, with its place in the first set. Tuples are changed on all cores, in place: a changed
    /// class lies where an earlier one lay.
    pub(super) fn regroup(
        self,
        change: impl Fn(&mut [u32]) + Sync,
        keeps: impl Fn(&[u32]) -> bool,
        mut moved: impl FnMut(Option<usize>),
        pace: &Pace<'_>,
    ) -> Result<(Classes, Classes)> {
        let Classes { mut tuples, mut tallies } = self;
        let (width, len) = (tuples.width(), tuples.len());
        tuples.change(change, pace)?;
        let mut joined = Tuples::in_place_of(tuples);
        let mut apart = Classes::new(width);
        let (mut block, mut from, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for start in (0..len).step_by(REGROUPED) {
            pace.steps(4 * REGROUPED as u64)?;
            block.clear();
            from.clear();
            places.clear();
            for (class, &tally) in tallies.iter().enumerate().take(len).skip(start).take(REGROUPED) {
                let tuple = joined.old(class);
                if keeps(tuple) {
                    block.extend_from_slice(tuple);
                    from.push(class);
                } else {
                    apart.add(tuple, tally);
                }
            }
            let mut known = joined.len();
            joined.intern_each(&block, from.len(), &mut places);
            let mut kept = from.iter().zip(&places).peekable();
            for class in start..len.min(start + REGROUPED) {
                let place = kept.next_if(|(from, _)| **from == class).map(|(_, &place)| place as usize);
                moved(place);
                let Some(place) = place else { continue };
                let tally = tallies[class];
                if place == known {
                    tallies[place] = tally;
                    known += 1;
                } else {
                    tallies[place].add(tally);
                }
            }
        }
        joined.end();
        tallies.truncate(joined.len());
        Ok((Classes { tuples: joined, tallies }, apart))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Numbers are those of first sight and counts add up, whatever is repeated within a block
        /// or in several parts, one by one or together.
        #[test]
        fn texts_are_numbered_by_first_sight(
            picks in prop::collection::vec(prop::option::weighted(0.9, 0u32..300), 0..700),
            length in prop::sample::select(vec![1usize, 3, 8, 20]),
            part in 1usize..400,
        ) {
            let text = |pick: &Option<u32>| pick.map(|n| format!("{n:0length$}é"));
            let cells: Vec<Option<String>> = picks.iter().map(text).collect();
            let mut expected: HashMap<&str, (u32, u64)> = HashMap::new();
            let (mut merged, mut single) = (Interner::new(), Interner::new());
            for cells in cells.chunks(part) {
                let mut texts = Texts::new();
                let numbers: Vec<u32> = cells.iter().map(|cell| texts.push(cell.as_deref(), 1)).collect();
                let map = merged.merge(&texts);
                for (cell, &number) in cells.iter().zip(&numbers) {
                    let next = expected.len() as u32 + 1;
                    let known = cell.as_deref().map(|cell| {
                        let entry = expected.entry(cell).or_insert((next, 0));
                        entry.1 += 1;
                        entry.0
                    });
                    prop_assert_eq!(texts.value(number), cell.as_deref());
                    prop_assert_eq!(map[number as usize], known.unwrap_or(MISSING));
                    prop_assert_eq!(single.add(cell.as_deref()), known.unwrap_or(MISSING));
                }
            }
            for interner in [&merged, &single] {
                prop_assert_eq!(interner.len(), expected.len() + 1);
                prop_assert_eq!(interner.count(MISSING), cells.iter().filter(|c| c.is_none()).count() as u64);
                for (&text, &(number, count)) in &expected {
                    prop_assert_eq!(interner.get(Some(text)), Some(number));
                    prop_assert_eq!((interner.value(number), interner.count(number)), (Some(text), count));
                }
                prop_assert_eq!(interner.get(Some("other")), None);
            }
        }
    }
}
