//! What a cell covers: ranks of a column, and the rows that have them.
//!
//! Most cells cover neighbours in an order of the values: of ranks, or of a poset's line. Their
//! rows, and the entropy of these, are sums over a stretch, which come from sums of blocks of 64
//! and of 4,096 values: a stretch takes some 200 additions, however many values it has. No prefix
//! is subtracted, so that short stretches of a long column are as exact as any other.

use crate::recoded::entropy;
use crate::table::Code;

/// Values of a block.
const BLOCK: usize = 64;

/// The ranks that a cell covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Covered {
    /// Those from one to another.
    Span(Code, Code),
    /// Those at some places of the line of a poset.
    Line(std::ops::Range<usize>),
    /// These.
    Ranks(Vec<Code>),
}

/// Rows of values in an order, and sums of stretches of them.
#[derive(Debug, Default)]
pub(super) struct Stretches {
    rows: Vec<u64>,
    /// Of 64 and of 4,096 values: rows, and Σ rows · log2 rows.
    blocks: [Vec<(u64, f64)>; 2],
}

impl Stretches {
    pub(super) fn new(rows: Vec<u64>) -> Self {
        let single: Vec<(u64, f64)> = rows.iter().map(|&n| weighed(n)).collect();
        let sums = |of: &[(u64, f64)]| of.chunks(BLOCK).map(added).collect::<Vec<_>>();
        let small = sums(&single);
        let large = sums(&small);
        Stretches { rows, blocks: [small, large] }
    }

    /// The rows of a value.
    pub(super) fn rows(&self, at: usize) -> u64 {
        self.rows[at]
    }

    /// The rows of a stretch, and the entropy of the values in it.
    pub(super) fn stretch(&self, places: std::ops::Range<usize>) -> (u64, f64) {
        if places.len() <= BLOCK {
            let rows = self.rows[places].iter().copied();
            return (rows.clone().sum(), entropy(rows));
        }
        let (rows, weighed) = self.sum(places);
        (rows, if rows > 0 { ((rows as f64).log2() - weighed / rows as f64).max(0.0) } else { 0.0 })
    }

    /// Σ rows and Σ rows · log2 rows: single values up to a block, blocks up to a large one, large
    /// ones, and the same at the end.
    fn sum(&self, places: std::ops::Range<usize>) -> (u64, f64) {
        let mut sum = (0, 0.0);
        let mut at = places.start;
        while at < places.end {
            let fits = |size: usize| at.is_multiple_of(size) && at + size <= places.end;
            let (part, size) = match () {
                () if fits(BLOCK * BLOCK) => (self.blocks[1][at / BLOCK / BLOCK], BLOCK * BLOCK),
                () if fits(BLOCK) => (self.blocks[0][at / BLOCK], BLOCK),
                () => (weighed(self.rows[at]), 1),
            };
            sum = (sum.0 + part.0, sum.1 + part.1);
            at += size;
        }
        sum
    }
}

/// Rows, and rows · log2 rows.
fn weighed(rows: u64) -> (u64, f64) {
    (rows, if rows > 0 { rows as f64 * (rows as f64).log2() } else { 0.0 })
}

fn added(sums: &[(u64, f64)]) -> (u64, f64) {
    sums.iter().fold((0, 0.0), |sum, part| (sum.0 + part.0, sum.1 + part.1))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// A stretch has the rows and the entropy of its values, by the definition.
        #[test]
        fn stretches_are_sums_of_their_values(
            seed in proptest::collection::vec(0..50u64, 1..40),
            copies in 1..400usize,
            ends in (any::<u32>(), any::<u32>()),
        ) {
            let rows: Vec<u64> = (0..copies).flat_map(|at| seed.iter().map(move |n| n * (1 + at as u64 % 7))).collect();
            let (a, b) = (ends.0 as usize % (rows.len() + 1), ends.1 as usize % (rows.len() + 1));
            let places = a.min(b)..a.max(b);
            let stretches = Stretches::new(rows.clone());
            let (sum, bits) = stretches.stretch(places.clone());
            let of = rows[places].iter().copied();
            prop_assert_eq!(sum, of.clone().sum::<u64>());
            let expected = if sum > 0 { entropy(of) } else { 0.0 };
            prop_assert!((bits - expected).abs() < 1e-11, "{} {}", bits, expected);
        }
    }
}
