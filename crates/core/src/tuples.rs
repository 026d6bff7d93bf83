//! Distinct tuples of codes with their counts: groups rows into classes.
//!
//! Tuples are contiguous in one array, two bytes per cell while no code needs more, beside an index
//! of four bytes per tuple. Rows come in batches, column by column. About 30 ns per row of nine
//! columns if most rows are new, less otherwise; a known tuple allocates nothing.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use crate::classes::{Classes, Codes};
use crate::error::Result;
use crate::fault;
use crate::histogram::Histogram;
use crate::network::Entries;
use crate::table::Code;

/// Distinct tuples in order of first sight.
#[derive(Debug, Clone)]
pub struct Tuples {
    width: usize,
    codes: Codes,
    counts: Vec<u32>,
    index: HashTable<u32>,
    rows: u64,
    /// A batch, row by row; kept to be used again.
    batch: Vec<Code>,
}

impl Tuples {
    /// An empty list of tuples with this many columns.
    pub fn new(width: usize) -> Self {
        Tuples {
            width,
            codes: Codes::Narrow(Vec::new()),
            counts: Vec::new(),
            index: HashTable::new(),
            rows: 0,
            batch: Vec::new(),
        }
    }

    /// Number of distinct tuples.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Number of rows added.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Rows of each tuple.
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// Adds rows given column by column, all of one length.
    ///
    /// # Errors
    /// More rows than 32 bits can count.
    pub fn add(&mut self, columns: &[Vec<Code>], rows: usize) -> Result<()> {
        self.rows += rows as u64;
        if self.rows > u64::from(u32::MAX) {
            return Err(fault!(Data, "table.too-many-rows", "more than {limit} rows", limit = u32::MAX)
                .help("release the table in parts, each with its own policy")
                .into());
        }
        let mut batch = std::mem::take(&mut self.batch);
        transpose(columns, rows, &mut batch);
        if columns.iter().any(|c| c.iter().any(|&code| code > Code::from(u16::MAX))) {
            self.widen();
        }
        if self.width == 0 {
            self.add_empty(rows as u32);
        } else {
            for row in batch.chunks_exact(self.width) {
                self.place(row, 1);
            }
        }
        self.batch = batch;
        Ok(())
    }

    /// The position of a tuple, if it is known.
    pub fn find(&self, row: &[Code]) -> Option<u32> {
        let width = self.width;
        match &self.codes {
            Codes::Narrow(codes) => self.index.find(hash(row), |&at| same(codes, width, at, row)).copied(),
            Codes::Wide(codes) => self.index.find(hash(row), |&at| same(codes, width, at, row)).copied(),
        }
    }

    /// Adds `count` rows of one tuple; its position.
    pub fn insert(&mut self, row: &[Code], count: u32) -> u32 {
        self.rows += u64::from(count);
        self.place(row, count)
    }

    fn place(&mut self, row: &[Code], count: u32) -> u32 {
        if matches!(self.codes, Codes::Narrow(_)) && row.iter().any(|&c| c > Code::from(u16::MAX)) {
            self.widen();
        }
        let width = self.width;
        let at = match &mut self.codes {
            Codes::Narrow(codes) => place(codes, &mut self.index, width, row, |c| c as u16),
            Codes::Wide(codes) => place(codes, &mut self.index, width, row, |c| c),
        };
        match self.counts.get_mut(at as usize) {
            Some(n) => *n += count,
            None => self.counts.push(count),
        }
        at
    }

    /// The codes, tuple by tuple.
    pub(crate) fn into_codes(self) -> Codes {
        self.codes
    }

    /// The classes that the tuples become when every column's codes are replaced by `maps`.
    ///
    /// # Errors
    /// As [`Classes::new`].
    pub fn into_classes(self, maps: &[Vec<Code>]) -> Result<Classes> {
        let injective = maps.iter().all(|map| {
            let mut seen = map.clone();
            seen.sort_unstable();
            seen.windows(2).all(|w| w[0] != w[1])
        });
        if injective {
            return Classes::new(self.width, mapped(self.codes, self.width, maps), self.counts);
        }
        let mut merged = Tuples::new(self.width);
        let mut row = vec![0; self.width];
        for (at, &count) in self.counts.iter().enumerate() {
            for (column, cell) in row.iter_mut().enumerate() {
                *cell = maps[column][self.code(at, column) as usize];
            }
            merged.insert(&row, count);
        }
        Classes::new(merged.width, merged.codes, merged.counts)
    }

    /// As [`into_classes`](Self::into_classes) for the first columns, with a histogram of each
    /// further one.
    ///
    /// # Errors
    /// As [`Classes::new`].
    pub fn into_measured(self, columns: usize, maps: &[Vec<Code>]) -> Result<Classes> {
        if columns == self.width {
            return self.into_classes(maps);
        }
        let mut classes = Tuples::new(columns);
        let mut triples = vec![Vec::with_capacity(self.len()); self.width - columns];
        let mut row = vec![0; columns];
        for (at, &count) in self.counts.iter().enumerate() {
            let code = |column: usize| maps[column][self.code(at, column) as usize];
            row.iter_mut().enumerate().for_each(|(column, cell)| *cell = code(column));
            let class = classes.insert(&row, count);
            for (measured, triples) in triples.iter_mut().enumerate() {
                triples.push((class, code(columns + measured), count));
            }
        }
        let histograms =
            triples.iter().map(|t| Histogram::new(classes.len(), t)).collect::<Result<Vec<_>>>()?;
        Classes::new(columns, classes.codes, classes.counts)?.measured(histograms)
    }

    /// A tuple by its position, with its rows.
    pub fn get(&self, at: usize) -> (Vec<Code>, u32) {
        ((0..self.width).map(|column| self.code(at, column)).collect(), self.counts[at])
    }

    /// The code of a tuple in a column.
    pub fn code(&self, at: usize, column: usize) -> Code {
        match &self.codes {
            Codes::Narrow(c) => Code::from(c[at * self.width + column]),
            Codes::Wide(c) => c[at * self.width + column],
        }
    }

    fn widen(&mut self) {
        if let Codes::Narrow(codes) = &self.codes {
            self.codes = Codes::Wide(codes.iter().map(|&c| Code::from(c)).collect());
        }
    }

    /// With no columns all rows are one tuple.
    fn add_empty(&mut self, rows: u32) {
        match self.counts.first_mut() {
            Some(n) => *n += rows,
            None if rows > 0 => self.counts.push(rows),
            None => {}
        }
    }

    /// The rows as training data of a network; `leaves` maps the codes of every column to leaves.
    pub fn entries(&self, leaves: &[Vec<Code>]) -> Entries {
        let column = |(column, leaves): (usize, &Vec<Code>)| {
            (0..self.len()).map(|at| leaves[self.code(at, column) as usize]).collect()
        };
        Entries { codes: leaves.iter().enumerate().map(column).collect(), counts: self.counts().to_vec() }
    }
}

fn transpose(columns: &[Vec<Code>], rows: usize, batch: &mut Vec<Code>) {
    batch.clear();
    batch.resize(columns.len() * rows, 0);
    for (i, column) in columns.iter().enumerate() {
        for (cell, &code) in batch.iter_mut().skip(i).step_by(columns.len()).zip(column) {
            *cell = code;
        }
    }
}

fn hash<T: Copy + Into<Code>>(row: &[T]) -> u64 {
    const K: u64 = 0x9E37_79B9_7F4A_7C15;
    let h = row.iter().fold(0u64, |h, &c| (h.rotate_left(23) ^ u64::from(c.into())).wrapping_mul(K));
    h ^ (h >> 29)
}

fn same<T: Copy + Into<Code>>(codes: &[T], width: usize, at: u32, row: &[Code]) -> bool {
    let at = at as usize * width;
    codes[at..at + width].iter().zip(row).all(|(&a, &b)| a.into() == b)
}

/// The tuple's position, where it is put if it is new.
fn place<T: Copy + Into<Code>>(
    codes: &mut Vec<T>,
    index: &mut HashTable<u32>,
    width: usize,
    row: &[Code],
    narrow: impl Fn(Code) -> T,
) -> u32 {
    let rehash = |&at: &u32| hash(&codes[at as usize * width..(at as usize + 1) * width]);
    match index.entry(hash(row), |&at| same(codes, width, at, row), rehash) {
        Entry::Occupied(entry) => *entry.get(),
        Entry::Vacant(entry) => {
            let at = (codes.len() / width) as u32;
            entry.insert(at);
            codes.extend(row.iter().map(|&c| narrow(c)));
            at
        }
    }
}

/// Replaces codes, keeping them narrow where they stay so.
fn mapped(codes: Codes, width: usize, maps: &[Vec<Code>]) -> Codes {
    let narrow = maps.iter().all(|m| m.iter().all(|&c| c <= Code::from(u16::MAX)));
    let replaced = |i: usize, code: Code| maps[i % width.max(1)][code as usize];
    match (codes, narrow) {
        (Codes::Narrow(mut codes), true) => {
            for (i, code) in codes.iter_mut().enumerate() {
                *code = replaced(i, Code::from(*code)) as u16;
            }
            Codes::Narrow(codes)
        }
        (Codes::Narrow(codes), false) => {
            Codes::Wide(codes.into_iter().enumerate().map(|(i, c)| replaced(i, Code::from(c))).collect())
        }
        (Codes::Wide(codes), true) => {
            Codes::Narrow(codes.into_iter().enumerate().map(|(i, c)| replaced(i, c) as u16).collect())
        }
        (Codes::Wide(mut codes), false) => {
            for (i, code) in codes.iter_mut().enumerate() {
                *code = replaced(i, *code);
            }
            Codes::Wide(codes)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn classes_of(classes: &Classes) -> BTreeMap<Vec<Code>, u32> {
        (0..classes.len())
            .map(|c| ((0..classes.columns()).map(|i| classes.code(c, i)).collect(), classes.counts()[c]))
            .collect()
    }

    proptest! {
        #[test]
        fn grouping_counts_like_a_map(
            rows in prop::collection::vec((0u32..4, 65_530u32..65_540, 0u32..3), 0..200),
            batch in 1usize..50,
            merge in any::<bool>(),
        ) {
            let mut tuples = Tuples::new(3);
            for part in rows.chunks(batch) {
                let columns = [
                    part.iter().map(|r| r.0).collect(),
                    part.iter().map(|r| r.1).collect(),
                    part.iter().map(|r| r.2).collect(),
                ];
                tuples.add(&columns, part.len()).unwrap();
            }
            let to = |c: u32| if merge { c / 2 } else { c };
            let maps: Vec<Vec<u32>> = vec![(0..4).map(to).collect(), (0..65_540).collect(), (0..3).collect()];
            let mut expected = BTreeMap::new();
            for r in &rows {
                *expected.entry(vec![to(r.0), r.1, r.2]).or_insert(0) += 1;
            }
            for r in &rows {
                prop_assert!(tuples.find(&[r.0, r.1, r.2]).is_some());
            }
            prop_assert!(tuples.find(&[9, 9, 9]).is_none());
            let plain = tuples.clone().into_classes(&maps).unwrap();
            prop_assert_eq!(classes_of(&plain), expected);
            // The last column measured instead: the classes of the first two, and its values in
            // each.
            let measured = tuples.into_measured(2, &maps).unwrap();
            let mut expected: BTreeMap<Vec<Code>, BTreeMap<Code, u32>> = BTreeMap::new();
            for r in &rows {
                *expected.entry(vec![to(r.0), r.1]).or_default().entry(r.2).or_default() += 1;
            }
            let found: BTreeMap<Vec<Code>, BTreeMap<Code, u32>> = (0..measured.len())
                .map(|c| {
                    let (codes, counts) = measured.histograms()[0].class(c);
                    let tuple = (0..2).map(|i| measured.code(c, i)).collect();
                    (tuple, codes.iter().copied().zip(counts.iter().copied()).collect())
                })
                .collect();
            prop_assert_eq!(found, expected);
            // Measuring a column changes neither the classes nor their order.
            let mut seen: Vec<Vec<Code>> = Vec::new();
            for c in 0..plain.len() {
                let tuple: Vec<Code> = (0..2).map(|i| plain.code(c, i)).collect();
                if !seen.contains(&tuple) {
                    seen.push(tuple);
                }
            }
            let order: Vec<Vec<Code>> =
                (0..measured.len()).map(|c| (0..2).map(|i| measured.code(c, i)).collect()).collect();
            prop_assert_eq!(order, seen);
        }
    }
}
