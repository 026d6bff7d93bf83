//! Distinct tuples of codes with their counts: groups rows into classes.
//!
//! Tuples are contiguous in one array, two bytes per cell while no code needs more, beside an index
//! of four bytes per tuple. Rows come in batches, column by column. About 30 ns per row of nine
//! columns if most rows are new, less otherwise; a known tuple allocates nothing.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

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
        self.limit(rows as u64)?;
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
