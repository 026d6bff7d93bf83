//! Distinct tuples of codes with their counts: groups rows into classes.
//!
//! Tuples are contiguous in one array, two bytes per cell while no code needs more. Beside it is a
//! table with open addressing of 10 to 20 bytes per tuple, which holds a part of every hash:
//! growing does not read the tuples. Rows come in batches, column by column, and are looked up in
//! blocks: all hashes, all slots, then all tuples, so that the waits for memory of a block overlap.
//! A known tuple allocates nothing.

use crate::error::Result;
use crate::fault;
use crate::network::Entries;
use crate::table::Code;

/// Codes of all tuples, tuple by tuple, as narrow as they go.
#[derive(Debug, Clone)]
pub enum Codes {
    /// Every column has at most 65,536 values.
    Narrow(Vec<u16>),
    /// Some column has more.
    Wide(Vec<u32>),
}

/// Rows that are looked up together.
const BLOCK: usize = 128;
/// A slot without a tuple: no position is that great. It is not 0, because zeroed memory is not
/// there until it is written, and a read before the first write costs two page faults.
const FREE: u64 = u64::MAX;

/// Distinct tuples in order of first sight.
#[derive(Debug, Clone)]
pub struct Tuples {
    width: usize,
    codes: Codes,
    counts: Vec<u32>,
    index: Index,
    rows: u64,
    /// A batch, row by row, and the positions of its rows; kept to be used again.
    batch: Vec<Code>,
    positions: Vec<u32>,
}

/// Where tuples are, by their hashes.
#[derive(Debug, Clone, Default)]
struct Index {
    /// A part of the hash and the position, or [`FREE`]: a power of two of them, at most four
    /// fifths in use.
    slots: Vec<u64>,
}

impl Tuples {
    /// An empty list of tuples with this many columns.
    pub fn new(width: usize) -> Self {
        Tuples {
            width,
            codes: Codes::Narrow(Vec::new()),
            counts: Vec::new(),
            index: Index::default(),
            rows: 0,
            batch: Vec::new(),
            positions: Vec::new(),
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
        self.limit(rows as u64)?;
        let mut batch = std::mem::take(&mut self.batch);
        transpose(columns, rows, &mut batch);
        if columns.iter().any(|c| c.iter().any(|&code| code > Code::from(u16::MAX))) {
            self.widen();
        }
        if self.width == 0 {
            self.add_empty(rows as u32);
        } else {
            let mut positions = std::mem::take(&mut self.positions);
            positions.clear();
            match &mut self.codes {
                Codes::Narrow(codes) => {
                    place_all(codes, &mut self.index, self.width, &batch, |c| c as u16, &mut positions);
                }
                Codes::Wide(codes) => {
                    place_all(codes, &mut self.index, self.width, &batch, |c| c, &mut positions);
                }
            }
            self.counts.resize(self.codes.len() / self.width, 0);
            positions.iter().for_each(|&at| self.counts[at as usize] += 1);
            self.positions = positions;
        }
        self.batch = batch;
        Ok(())
    }

    /// The position of a tuple, if it is known.
    pub fn find(&self, row: &[Code]) -> Option<u32> {
        let width = self.width;
        match &self.codes {
            Codes::Narrow(codes) => self.index.find(hash(row), |at| same(codes, width, at, row)),
            Codes::Wide(codes) => self.index.find(hash(row), |at| same(codes, width, at, row)),
        }
    }

    /// The positions of tuples that are given end to end; none where one is not known.
    pub fn find_all(&self, rows: &[Code], found: &mut Vec<Option<u32>>) {
        match &self.codes {
            Codes::Narrow(codes) => find_all(codes, &self.index, self.width, rows, found),
            Codes::Wide(codes) => find_all(codes, &self.index, self.width, rows, found),
        }
    }

    /// Adds `count` rows of one tuple; its position.
    pub fn insert(&mut self, row: &[Code], count: u32) -> u32 {
        self.rows += u64::from(count);
        self.place(row, count)
    }

    /// Adds rows of tuples that are given end to end, with the number of each; appends their
    /// positions.
    pub fn insert_each(&mut self, rows: &[Code], counts: &[u32], positions: &mut Vec<u32>) {
        self.rows += counts.iter().map(|&count| u64::from(count)).sum::<u64>();
        if self.width == 0 {
            counts.iter().for_each(|&count| self.add_empty(count));
            positions.extend(counts.iter().map(|_| 0));
            return;
        }
        if rows.iter().any(|&code| code > Code::from(u16::MAX)) {
            self.widen();
        }
        let (width, before) = (self.width, positions.len());
        match &mut self.codes {
            Codes::Narrow(codes) => place_all(codes, &mut self.index, width, rows, |c| c as u16, positions),
            Codes::Wide(codes) => place_all(codes, &mut self.index, width, rows, |c| c, positions),
        }
        self.counts.resize(self.codes.len() / width, 0);
        let placed = positions[before..].iter().zip(counts);
        placed.for_each(|(&at, &count)| self.counts[at as usize] += count);
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

    /// The codes, tuple by tuple, and the rows of each.
    pub fn into_parts(self) -> (Codes, Vec<u32>) {
        (self.codes, self.counts)
    }

    /// Number of columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Adds the tuples of another table, whose codes `maps` lead to those of this one.
    ///
    /// # Errors
    /// More rows than 32 bits can count.
    pub fn merge(&mut self, other: &Tuples, maps: &[Vec<Code>]) -> Result<()> {
        if self.width == 0 {
            return self.add(&[], other.rows as usize);
        }
        self.limit(other.rows)?;
        let mut row = vec![0; self.width];
        for (at, &count) in other.counts.iter().enumerate() {
            let cells = row.iter_mut().zip(maps).enumerate();
            cells.for_each(|(column, (cell, map))| *cell = map[other.code(at, column) as usize]);
            self.place(&row, count);
        }
        Ok(())
    }

    /// Counts rows that are about to be added.
    fn limit(&mut self, rows: u64) -> Result<()> {
        self.rows += rows;
        if self.rows > u64::from(u32::MAX) {
            return Err(fault!(Data, "table.too-many-rows", "more than {limit} rows", limit = u32::MAX)
                .help("release the table in parts, each with its own policy")
                .into());
        }
        Ok(())
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
    // Every cell is written: what is left of the batch before need not be cleared.
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

impl Codes {
    /// Number of cells.
    fn len(&self) -> usize {
        match self {
            Codes::Narrow(codes) => codes.len(),
            Codes::Wide(codes) => codes.len(),
        }
    }
}

impl Index {
    /// The first slot of a hash: it follows from the part that slots have.
    fn start(&self, hash: u64) -> usize {
        (hash >> 32) as usize & (self.slots.len() - 1)
    }

    /// What is in the first slots of some hashes; there are slots.
    fn first(&self, hashes: &[u64], seen: &mut [u64]) {
        seen.iter_mut().zip(hashes).for_each(|(seen, &hash)| *seen = self.slots[self.start(hash)]);
    }

    /// The position of a tuple.
    fn find(&self, hash: u64, same: impl Fn(u32) -> bool) -> Option<u32> {
        if self.slots.is_empty() { None } else { self.look_up(hash, same).ok() }
    }

    /// The position of a tuple, or the free slot that it belongs into; there are slots.
    fn look_up(&self, hash: u64, same: impl Fn(u32) -> bool) -> Result<u32, usize> {
        let mut slot = self.start(hash);
        loop {
            let seen = self.slots[slot];
            if seen == FREE {
                return Err(slot);
            }
            if tagged(seen, hash) && same(position(seen)) {
                return Ok(position(seen));
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }

    /// Makes room for this number of tuples.
    fn reserve(&mut self, tuples: usize) {
        if 5 * tuples <= 4 * self.slots.len() {
            return;
        }
        let mut size = self.slots.len().max(16);
        while 5 * tuples > 4 * size {
            size *= 2;
        }
        let old = std::mem::replace(&mut self.slots, vec![FREE; size]);
        for seen in old.into_iter().filter(|&seen| seen != FREE) {
            let mut slot = self.start(seen);
            while self.slots[slot] != FREE {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = seen;
        }
    }
}

/// Whether a slot can be that of a hash.
fn tagged(seen: u64, hash: u64) -> bool {
    (seen ^ hash) >> 32 == 0
}

fn position(seen: u64) -> u32 {
    seen as u32
}

/// The tuple's position, where it is put if it is new.
fn place<T: Copy + Into<Code>>(
    codes: &mut Vec<T>,
    index: &mut Index,
    width: usize,
    row: &[Code],
    narrow: impl Fn(Code) -> T,
) -> u32 {
    let tuples = codes.len() / width;
    index.reserve(tuples + 1);
    let hash = hash(row);
    match index.look_up(hash, |at| same(codes, width, at, row)) {
        Ok(at) => at,
        Err(slot) => {
            index.slots[slot] = hash >> 32 << 32 | tuples as u64;
            codes.extend(row.iter().map(|&c| narrow(c)));
            tuples as u32
        }
    }
}

/// The positions of tuples end to end, which are put last, in order, where they are new.
fn place_all<T: Copy + Into<Code>>(
    codes: &mut Vec<T>,
    index: &mut Index,
    width: usize,
    rows: &[Code],
    narrow: impl Fn(Code) -> T,
    positions: &mut Vec<u32>,
) {
    let (mut hashes, mut seen, mut first) = ([0; BLOCK], [0; BLOCK], [0; BLOCK]);
    for block in rows.chunks(BLOCK * width) {
        let tuples = codes.len() / width;
        index.reserve(tuples + block.len() / width);
        look_ahead(codes, index, width, block, (&mut hashes, &mut seen, &mut first));
        for (at, row) in block.chunks_exact(width).enumerate() {
            let (hash, seen) = (hashes[at], seen[at]);
            let likely = seen != FREE && tagged(seen, hash) && first[at] == row[0];
            if likely && same(codes, width, position(seen), row) {
                positions.push(position(seen));
                continue;
            }
            let found = index.look_up(hash, |at| same(codes, width, at, row));
            positions.push(found.unwrap_or_else(|slot| {
                let tuples = codes.len() / width;
                index.slots[slot] = hash >> 32 << 32 | tuples as u64;
                codes.extend(row.iter().map(|&c| narrow(c)));
                tuples as u32
            }));
        }
    }
}

/// The positions of tuples end to end.
fn find_all<T: Copy + Into<Code>>(
    codes: &[T],
    index: &Index,
    width: usize,
    rows: &[Code],
    found: &mut Vec<Option<u32>>,
) {
    if index.slots.is_empty() || width == 0 {
        found.extend(rows.chunks_exact(width.max(1)).map(|_| None));
        return;
    }
    let (mut hashes, mut seen, mut first) = ([0; BLOCK], [0; BLOCK], [0; BLOCK]);
    for block in rows.chunks(BLOCK * width) {
        look_ahead(codes, index, width, block, (&mut hashes, &mut seen, &mut first));
        for (at, row) in block.chunks_exact(width).enumerate() {
            let (hash, seen) = (hashes[at], seen[at]);
            let likely = seen != FREE && tagged(seen, hash) && first[at] == row[0];
            found.push(match likely && same(codes, width, position(seen), row) {
                true => Some(position(seen)),
                false => index.find(hash, |at| same(codes, width, at, row)),
            });
        }
    }
}

/// The hashes of a block of rows, their first slots, and the first cells of the tuples that these
/// lead to: what waits for memory, without a decision in between.
fn look_ahead<T: Copy + Into<Code>>(
    codes: &[T],
    index: &Index,
    width: usize,
    block: &[Code],
    (hashes, seen, first): (&mut [u64; BLOCK], &mut [u64; BLOCK], &mut [Code; BLOCK]),
) {
    let rows = block.len() / width;
    hashes.iter_mut().zip(block.chunks_exact(width)).for_each(|(to, row)| *to = hash(row));
    index.first(&hashes[..rows], seen);
    for (first, (&seen, &hash)) in first.iter_mut().zip(seen.iter().zip(&hashes[..rows])) {
        let likely = seen != FREE && tagged(seen, hash);
        *first = if likely { codes[position(seen) as usize * width].into() } else { 0 };
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Rows in batches, rows one by one and a map agree, narrow and wide.
        #[test]
        fn positions_are_those_of_first_sight(
            width in 1usize..4,
            cells in prop::collection::vec(0u32..6, 0..1500),
            scale in prop::sample::select(vec![1u32, 1 << 16, 0x2000_0001]),
            cut in 0usize..400,
        ) {
            let rows: Vec<Vec<Code>> = cells
                .chunks_exact(width)
                .map(|row| row.iter().map(|cell| cell * scale).collect())
                .collect();
            let (mut batched, mut single) = (Tuples::new(width), Tuples::new(width));
            let (before, after) = rows.split_at(cut.min(rows.len()));
            for part in [before, after] {
                let column = |c: usize| part.iter().map(|row| row[c]).collect();
                batched.add(&(0..width).map(column).collect::<Vec<_>>(), part.len()).unwrap();
            }
            let mut known: HashMap<&[Code], (u32, u32)> = HashMap::new();
            for row in &rows {
                let next = known.len() as u32;
                known.entry(row).or_insert((next, 0)).1 += 1;
                prop_assert_eq!(single.insert(row, 1), known[row.as_slice()].0);
            }
            let (mut each, mut positions) = (Tuples::new(width), Vec::new());
            for part in [before, after] {
                each.insert_each(&part.concat(), &vec![3; part.len()], &mut positions);
            }
            let expected: Vec<u32> = rows.iter().map(|row| known[row.as_slice()].0).collect();
            prop_assert_eq!((&positions, each.rows()), (&expected, 3 * rows.len() as u64));
            for (row, &(at, count)) in &known {
                prop_assert_eq!(each.get(at as usize), (row.to_vec(), 3 * count));
                for tuples in [&batched, &single] {
                    prop_assert_eq!(tuples.find(row), Some(at));
                    prop_assert_eq!(tuples.get(at as usize), (row.to_vec(), count));
                }
            }
            prop_assert_eq!((batched.len(), batched.rows()), (known.len(), rows.len() as u64));
            let strangers = vec![7; width];
            let (mut found, asked) = (Vec::new(), [&rows.concat()[..], &strangers].concat());
            batched.find_all(&asked, &mut found);
            let expected = rows.iter().map(|row| Some(known[row.as_slice()].0)).chain([None]);
            prop_assert_eq!(found, expected.collect::<Vec<_>>());
        }
    }

    #[test]
    fn nothing_is_found_where_nothing_is() {
        let (tuples, mut found) = (Tuples::new(2), Vec::new());
        tuples.find_all(&[1, 2, 3, 4], &mut found);
        assert_eq!((found, tuples.find(&[1, 2])), (vec![None, None], None));
    }
}
