//! Tuples as bit fields: the columns in the order in which they are split, the first one in the
//! highest bits of the first word. Sorted items are then sorted by prefix. Costs one pass over the
//! columns.

use rayon::prelude::*;

use super::ABSENT;
use crate::table::Code;

/// Combinations of values that are summed in an array at most.
const MOST_CELLS: u64 = 1 << 20;

/// A column's cells.
#[derive(Debug, Clone, Copy)]
pub(super) struct Field {
    column: usize,
    word: usize,
    shift: u32,
    mask: u64,
    /// One more than the highest code, and one for cells that are not there.
    pub radix: u64,
    /// The share of pairs of tuples that match in it.
    pub share: f64,
}

/// The fields of all columns that distinguish tuples.
pub(super) struct Layout {
    /// In the order in which they are split.
    pub fields: Vec<Field>,
    /// Field → combinations of values of this and all later fields.
    pub cells: Vec<u64>,
    /// Field → the share of pairs of tuples that match in this and all later fields.
    pub shares: Vec<f64>,
    words: usize,
}

impl Layout {
    pub fn new(columns: &[Vec<Code>], rows: &[u64]) -> Self {
        let measured = columns.par_iter().enumerate().filter_map(|(at, codes)| measured(at, codes, rows));
        let mut fields: Vec<Field> = measured.collect();
        // What remains when splits end is to have few values.
        fields.sort_by_key(|field| (std::cmp::Reverse(field.radix), field.column));
        let (mut word, mut left) = (0, u64::BITS);
        for field in &mut fields {
            let bits = u64::BITS - (field.radix - 1).leading_zeros();
            if bits > left {
                (word, left) = (word + 1, u64::BITS);
            }
            left -= bits;
            (field.word, field.shift, field.mask) = (word, left, (1 << bits) - 1);
        }
        let (mut cells, mut shares) = (vec![1; fields.len() + 1], vec![1.0; fields.len() + 1]);
        for (at, field) in fields.iter().enumerate().rev() {
            cells[at] = field.radix.saturating_mul(cells[at + 1]);
            shares[at] = field.share * shares[at + 1];
        }
        Layout { fields, cells, shares, words: word + 1 }
    }

    pub fn words(&self) -> usize {
        self.words
    }

    /// A tuple; `id` finds it again.
    pub fn item<const W: usize>(&self, columns: &[Vec<Code>], id: usize, rows: u64) -> Item<W> {
        let mut item = Item { cells: [0; W], there: [0; W], rows, tail: 0, id: id as u32 };
        for (at, field) in self.fields.iter().enumerate() {
            let code = columns[field.column][id];
            if code != ABSENT {
                let place = u64::from(code) + 1;
                item.cells[field.word] |= place << field.shift;
                item.there[field.word] |= field.mask << field.shift;
                if self.cells[at] <= MOST_CELLS {
                    item.tail += (place * self.cells[at + 1]) as u32;
                }
            }
        }
        item
    }

    /// All bits of the fields from one on.
    pub fn rest<const W: usize>(&self, depth: usize) -> [u64; W] {
        let mut rest = [0; W];
        self.fields[depth..].iter().for_each(|field| rest[field.word] |= field.mask << field.shift);
        rest
    }

    /// Combinations of values of the fields from one on, where they are few.
    pub fn few_cells(&self, depth: usize) -> Option<u64> {
        Some(self.cells[depth]).filter(|&cells| cells <= MOST_CELLS)
    }
}

/// The field of a column, without its place; none if all tuples with rows have the same cell.
fn measured(column: usize, codes: &[Code], rows: &[u64]) -> Option<Field> {
    let with_rows = || codes.iter().zip(rows).filter(|(_, rows)| **rows > 0).map(|(&code, _)| code);
    let most = with_rows().filter(|&code| code != ABSENT).max()?;
    let mut counts = vec![0u64; most as usize + 2];
    with_rows().for_each(|code| counts[if code == ABSENT { 0 } else { code as usize + 1 }] += 1);
    let all = counts.iter().sum::<u64>();
    if counts.contains(&all) {
        return None;
    }
    let part = |n: u64| n as f64 / all as f64;
    let absent = part(counts[0]);
    let matching: f64 = counts[1..].iter().map(|&n| part(n) * (part(n) + absent)).sum();
    let radix = most as u64 + 2;
    Some(Field {
        column,
        word: 0,
        shift: 0,
        mask: 0,
        radix,
        share: (matching + absent).max(f64::MIN_POSITIVE),
    })
}

/// A tuple.
#[derive(Clone, Copy)]
pub(super) struct Item<const W: usize> {
    /// Its codes, each one higher; 0 where there is none.
    pub cells: [u64; W],
    /// All bits of the fields that are there.
    pub there: [u64; W],
    pub rows: u64,
    /// Its place among the combinations of the last fields, as far as these are few.
    pub tail: u32,
    pub id: u32,
}

impl<const W: usize> Item<W> {
    /// Its rows if they match, and 0 otherwise.
    #[inline]
    pub fn rows_for(&self, asking: &Item<W>) -> u64 {
        let differs = |w: usize| (self.cells[w] ^ asking.cells[w]) & self.there[w] & asking.there[w];
        let differ = (0..W).fold(0, |differ, w| differ | differs(w));
        if differ == 0 { self.rows } else { 0 }
    }

    /// One more than the code in a field; 0 if there is none.
    #[inline]
    pub fn place(&self, field: &Field) -> usize {
        (self.cells[field.word] >> field.shift & field.mask) as usize
    }
}
