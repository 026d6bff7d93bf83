//! Interning of texts and grouping of rows into classes, for the verifier only.
//!
//! The texts of a column are contiguous in one string, the tuples of a table in one array; a hash
//! table stores their positions. Known values allocate nothing, and memory grows with distinct
//! values and classes, not with rows: a class of m columns takes 4·m + 24 bytes and its place in
//! the table.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use super::pace::Pace;
use super::rowhash::padded;
use throng_terms::error::Result;
use throng_terms::table::Dictionary;

/// The number of a missing cell.
pub(super) const MISSING: u32 = 0;
/// The number of a value that its hierarchy does not know; no released cell has it.
pub(super) const UNKNOWN: u32 = u32::MAX;

/// The golden ratio in 64 bits, a common odd factor for hashing.
const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

/// A position with a part of its hash, so that growing the table does not read what it points to.
#[derive(Debug, Clone, Copy)]
struct Slot {
    at: u32,
    hash: u32,
}

impl Slot {
    fn spread(hash: u32) -> u64 {
        u64::from(hash).wrapping_mul(ODD)
    }
}

/// The distinct texts of one column with their counts.
#[derive(Debug, Clone)]
pub(super) struct Interner {
    text: String,
    /// Number → where its text ends; it starts where the one before ends.
    ends: Vec<usize>,
    counts: Vec<u64>,
    /// Number → hash of its text.
    hashes: Vec<u32>,
    index: HashTable<Slot>,
}

impl Interner {
    pub(super) fn new() -> Self {
        Interner {
            text: String::new(),
            ends: vec![0],
            counts: vec![0],
            hashes: vec![0],
            index: HashTable::new(),
        }
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

    /// Counts a number once more.
    pub(super) fn count_again(&mut self, number: u32) {
        self.counts[number as usize] += 1;
    }

    /// Takes over the texts of another interner with their counts, in the order of its numbers;
    /// its numbers as numbers of this one.
    pub(super) fn merge(&mut self, other: &Interner) -> Vec<u32> {
        let mut numbers = Vec::with_capacity(other.len());
        numbers.push(MISSING);
        self.counts[MISSING as usize] += other.counts[MISSING as usize];
        for number in 1..other.len() as u32 {
            let to = self.intern_hashed(nth(&other.text, &other.ends, number), other.hashes[number as usize]);
            self.counts[to as usize] += other.counts[number as usize];
            numbers.push(to);
        }
        numbers
    }

    fn intern(&mut self, text: &str) -> u32 {
        self.intern_hashed(text, text_hash(text))
    }

    fn intern_hashed(&mut self, text: &str, hash: u32) -> u32 {
        let Interner { text: all, ends, counts, hashes, index } = self;
        let entry = index.entry(
            Slot::spread(hash),
            |slot| slot.hash == hash && nth(all, ends, slot.at) == text,
            |slot| Slot::spread(slot.hash),
        );
        match entry {
            Entry::Occupied(slot) => slot.get().at,
            Entry::Vacant(slot) => {
                let at = ends.len() as u32;
                slot.insert(Slot { at, hash });
                all.push_str(text);
                ends.push(all.len());
                counts.push(0);
                hashes.push(hash);
                at
            }
        }
    }

    /// The number of a text that occurred, or of a missing cell.
    pub(super) fn get(&self, cell: Option<&str>) -> Option<u32> {
        let Some(text) = cell else { return Some(MISSING) };
        let hash = text_hash(text);
        let same = |slot: &Slot| slot.hash == hash && nth(&self.text, &self.ends, slot.at) == text;
        self.index.find(Slot::spread(hash), same).map(|slot| slot.at)
    }

    /// The text behind a number; `None` is missing.
    pub(super) fn value(&self, number: u32) -> Option<&str> {
        (number != MISSING).then(|| nth(&self.text, &self.ends, number))
    }

    /// How often the value behind a number occurred.
    pub(super) fn count(&self, number: u32) -> u64 {
        self.counts[number as usize]
    }

    /// One more than the highest number.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
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

fn nth<'a>(text: &'a str, ends: &[usize], number: u32) -> &'a str {
    &text[ends[number as usize - 1]..ends[number as usize]]
}

fn text_hash(text: &str) -> u32 {
    let start = (text.len() as u64).wrapping_mul(ODD);
    spread(text.as_bytes().chunks(8).fold(start, |hash, part| mix(hash, padded(part))))
}

fn tuple_hash(tuple: &[u32]) -> u32 {
    let word = |pair: &[u32]| pair.iter().fold(0, |word, &cell| word << 32 | u64::from(cell));
    spread(tuple.chunks(2).fold(ODD, |hash, pair| mix(hash, word(pair))))
}

/// Multiplies to 128 bits and folds the halves, so that every bit of the word reaches every bit of
/// the hash.
fn mix(hash: u64, word: u64) -> u64 {
    let product = u128::from(hash ^ word) * u128::from(ODD);
    product as u64 ^ (product >> 64) as u64
}

fn spread(hash: u64) -> u32 {
    (hash ^ hash >> 32) as u32
}

/// Distinct tuples of numbers, each with its position in order of first sight.
#[derive(Debug)]
pub(super) struct Tuples {
    width: usize,
    len: usize,
    /// Tuples end to end. While tuples are regrouped, what is left of the old ones lies behind the
    /// new.
    cells: Vec<u32>,
    index: HashTable<Slot>,
}

impl Tuples {
    pub(super) fn new(width: usize) -> Self {
        Tuples { width, len: 0, cells: Vec::new(), index: HashTable::new() }
    }

    /// The position of a tuple, which is put last when it is new.
    pub(super) fn intern(&mut self, tuple: &[u32]) -> usize {
        let hash = tuple_hash(tuple);
        let Tuples { width, len, cells, index } = self;
        let entry = index.entry(
            Slot::spread(hash),
            |slot| slot.hash == hash && at(cells, *width, slot.at as usize) == tuple,
            |slot| Slot::spread(slot.hash),
        );
        match entry {
            Entry::Occupied(slot) => slot.get().at as usize,
            Entry::Vacant(slot) => {
                slot.insert(Slot { at: *len as u32, hash });
                let start = *len * *width;
                match cells.get_mut(start..start + *width) {
                    Some(place) => place.copy_from_slice(tuple),
                    None => cells.extend_from_slice(tuple),
                }
                *len += 1;
                *len - 1
            }
        }
    }

    /// The position of a tuple that is known.
    pub(super) fn get(&self, tuple: &[u32]) -> Option<usize> {
        let hash = tuple_hash(tuple);
        let same = |slot: &Slot| slot.hash == hash && self.tuple(slot.at as usize) == tuple;
        self.index.find(Slot::spread(hash), same).map(|slot| slot.at as usize)
    }

    pub(super) fn tuple(&self, position: usize) -> &[u32] {
        at(&self.cells, self.width, position)
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }
}

fn at(cells: &[u32], width: usize, position: usize) -> &[u32] {
    &cells[position * width..(position + 1) * width]
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

    /// Changes every tuple and joins the classes that become the same; classes for which `change`
    /// says `false` go to a set of their own, the second one returned. Done in place: a changed
    /// class lies where an earlier one lay.
    pub(super) fn regroup(
        self,
        change: impl FnMut(&mut [u32]) -> bool,
        pace: &Pace<'_>,
    ) -> Result<(Classes, Classes)> {
        self.regroup_observed(change, |_| {}, pace)
    }

    /// The same; calls `moved` for every class, in order, with its place in the first set.
    pub(super) fn regroup_observed(
        self,
        mut change: impl FnMut(&mut [u32]) -> bool,
        mut moved: impl FnMut(Option<usize>),
        pace: &Pace<'_>,
    ) -> Result<(Classes, Classes)> {
        let Classes { tuples: Tuples { width, len, cells, index }, mut tallies } = self;
        drop(index);
        let mut joined = Tuples { width, len: 0, cells, index: HashTable::new() };
        let mut apart = Classes::new(width);
        let mut tuple = vec![MISSING; width];
        for class in 0..len {
            pace.steps(4)?;
            tuple.copy_from_slice(joined.tuple(class));
            let tally = tallies[class];
            if !change(&mut tuple) {
                apart.add(&tuple, tally);
                moved(None);
                continue;
            }
            let known = joined.len();
            let position = joined.intern(&tuple);
            moved(Some(position));
            if position == known {
                tallies[position] = tally;
            } else {
                tallies[position].add(tally);
            }
        }
        joined.cells.truncate(joined.len * width);
        tallies.truncate(joined.len);
        Ok((Classes { tuples: joined, tallies }, apart))
    }
}
