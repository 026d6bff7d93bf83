//! Distinct tuples of numbers, for the verifier only.
//!
//! Tuples are contiguous in one array. Looking up one row of a large table is three waits for
//! memory. Many rows are therefore looked up in blocks: all hashes, all slots, then all tuples, so
//! that the waits of a block overlap. A tuple of m columns takes 4·m bytes and 10 to 20 in the
//! table; a known one allocates nothing.

use rayon::prelude::*;

use super::pace::Pace;
use super::slots::{BLOCK, ODD, Slots, mix, spread};
use throng_terms::error::Result;

/// Tuples that a core changes at a time.
const PIECE: usize = 1 << 14;

/// Distinct tuples of numbers, each with its position in order of first sight.
#[derive(Debug)]
pub(super) struct Tuples {
    width: usize,
    len: usize,
    /// Tuples end to end. While tuples are regrouped, what is left of the old ones lies behind the
    /// new.
    cells: Vec<u32>,
    index: Slots,
}

impl Tuples {
    pub(super) fn new(width: usize) -> Self {
        Tuples { width, len: 0, cells: Vec::new(), index: Slots::default() }
    }

    /// Changes every tuple, on all cores; then none can be looked up.
    pub(super) fn change(&mut self, change: impl Fn(&mut [u32]) + Sync, pace: &Pace<'_>) -> Result<()> {
        self.index = Slots::default();
        let (width, shared) = (self.width.max(1), pace.shared());
        let pieces = self.cells.par_chunks_mut(width * PIECE).enumerate();
        pieces.try_for_each(|(at, piece)| {
            piece.chunks_exact_mut(width).for_each(&change);
            shared.of_thread(at).look()
        })
    }

    /// None yet, in the place of old ones: see [`Tuples::old`].
    pub(super) fn in_place_of(old: Tuples) -> Self {
        Tuples { width: old.width, len: 0, cells: old.cells, index: Slots::default() }
    }

    /// A tuple that was there before, until [`Tuples::intern`] has put as many new ones.
    pub(super) fn old(&self, position: usize) -> &[u32] {
        at(&self.cells, self.width, position)
    }

    /// Forgets the old ones.
    pub(super) fn end(&mut self) {
        self.cells.truncate(self.len * self.width);
    }

    /// The position of a tuple, which is put last when it is new.
    pub(super) fn intern(&mut self, tuple: &[u32]) -> usize {
        self.index.reserve(self.len + 1);
        self.place(tuple, tuple_hash(tuple)) as usize
    }

    /// The positions of a number of tuples that are given end to end; new ones are put last, in the
    /// given order.
    pub(super) fn intern_each(&mut self, tuples: &[u32], count: usize, positions: &mut Vec<u32>) {
        let width = self.width;
        if width == 0 {
            positions.extend((0..count).map(|_| self.intern(&[]) as u32));
            return;
        }
        let (mut hashes, mut seen, mut first) = ([0; BLOCK], [None; BLOCK], [0; BLOCK]);
        for block in tuples.chunks(BLOCK * width) {
            let rows = block.len() / width;
            self.index.reserve(self.len + rows);
            let of_rows = hashes.iter_mut().zip(block.chunks_exact(width));
            of_rows.for_each(|(hash, tuple)| *hash = tuple_hash(tuple));
            self.index.first(&hashes[..rows], &mut seen);
            // Where the first slot is likely to be that of the tuple, its first cell.
            for (first, seen) in first.iter_mut().zip(&seen[..rows]) {
                *first = seen.map_or(0, |at| self.cells[at as usize * width]);
            }
            for (row, tuple) in block.chunks_exact(width).enumerate() {
                let likely = seen[row].filter(|_| first[row] == tuple[0]);
                positions.push(match likely.filter(|&at| self.tuple(at as usize) == tuple) {
                    Some(at) => at,
                    None => self.place(tuple, hashes[row]),
                });
            }
        }
    }

    /// The position of a tuple, which is put last when it is new; there is room for it.
    fn place(&mut self, tuple: &[u32], hash: u32) -> u32 {
        let slot = match self.index.find(hash, |at| self.tuple(at as usize) == tuple) {
            Ok(at) => return at,
            Err(slot) => slot,
        };
        let position = self.len as u32;
        self.index.put(slot, hash, position);
        let start = self.len * self.width;
        match self.cells.get_mut(start..start + self.width) {
            Some(place) => place.copy_from_slice(tuple),
            None => self.cells.extend_from_slice(tuple),
        }
        self.len += 1;
        position
    }

    /// The position of a tuple that is known.
    pub(super) fn get(&self, tuple: &[u32]) -> Option<usize> {
        let found = self.index.get(tuple_hash(tuple), |at| self.tuple(at as usize) == tuple);
        found.map(|at| at as usize)
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

fn tuple_hash(tuple: &[u32]) -> u32 {
    let word = |pair: &[u32]| pair.iter().fold(0, |word, &cell| word << 32 | u64::from(cell));
    spread(tuple.chunks(2).fold(ODD, |hash, pair| mix(hash, word(pair))))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    /// Positions by the definition: those of first sight.
    fn naive(tuples: &[u32], width: usize) -> Vec<u32> {
        let mut known = HashMap::new();
        let position = |tuple| {
            let next = known.len() as u32;
            *known.entry(tuple).or_insert(next)
        };
        tuples.chunks_exact(width).map(position).collect()
    }

    proptest! {
        /// Rows in blocks, rows one by one and a map agree, whatever is repeated within a block.
        #[test]
        fn positions_are_those_of_first_sight(
            width in 1usize..4,
            cells in prop::collection::vec(0u32..6, 0..1500),
            scale in prop::sample::select(vec![1u32, 1 << 16, 0x8000_0001]),
            cut in 0usize..400,
        ) {
            let cells: Vec<u32> = cells.iter().map(|cell| cell.wrapping_mul(scale)).collect();
            let tuples = &cells[..cells.len() / width * width];
            let expected = naive(tuples, width);
            let (before, after) = tuples.split_at((cut * width).min(tuples.len()));
            let (mut blocks, mut single, mut found) = (Tuples::new(width), Tuples::new(width), Vec::new());
            blocks.intern_each(before, before.len() / width, &mut found);
            blocks.intern_each(after, after.len() / width, &mut found);
            prop_assert_eq!(&found, &expected);
            for (tuple, &position) in tuples.chunks_exact(width).zip(&expected) {
                prop_assert_eq!(single.intern(tuple) as u32, position);
                prop_assert_eq!(blocks.get(tuple), Some(position as usize));
                prop_assert_eq!(blocks.tuple(position as usize), tuple);
            }
            prop_assert_eq!(blocks.len(), single.len());
            prop_assert_eq!(blocks.get(&vec![7; width]), None);
        }
    }

    /// A thousand neighbours need a table that grew several times.
    #[test]
    fn growing_loses_nothing() {
        let mut tuples = Tuples::new(2);
        for x in 0..1000 {
            assert_eq!(tuples.intern(&[x, x / 7]), x as usize);
        }
        for x in 0..1000 {
            assert_eq!(tuples.get(&[x, x / 7]), Some(x as usize));
            assert_eq!(tuples.get(&[x, x / 7 + 1]), None);
        }
    }
}
