//! The training data of a network: distinct rows in leaf codes with their counts, column by column.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::error::{Fault, Result};
use crate::hierarchy::Hierarchy;
use crate::table::Code;

/// Of four rows, this many are held out to test a network.
const ASIDE: u32 = 1;

/// Distinct rows with their counts.
#[derive(Debug, Clone, Default)]
pub struct Entries {
    /// Column → leaf codes, one an entry.
    pub codes: Vec<Vec<Code>>,
    /// Rows of each entry.
    pub counts: Vec<u32>,
}

impl Entries {
    /// Distinct rows in leaf codes, column by column, with their counts.
    ///
    /// # Errors
    /// Columns of different lengths.
    pub fn new(codes: Vec<Vec<Code>>, counts: Vec<u32>) -> Result<Self> {
        match codes.iter().all(|codes| codes.len() == counts.len()) {
            true => Ok(Entries { codes, counts }),
            false => Err(Fault::bug("entries differ in length").into()),
        }
    }

    /// The same in the order of the values' texts, so that which rows are kept aside follows from
    /// the rows alone and not from how they came or were coded.
    #[must_use]
    pub fn in_order(self, hierarchies: &[Hierarchy]) -> Self {
        let ranks: Vec<Vec<u32>> = hierarchies.iter().map(ranks).collect();
        let ranked = |(codes, ranks): (&Vec<Code>, &Vec<u32>)| -> Vec<u32> {
            codes.par_iter().map(|&code| ranks[code as usize]).collect()
        };
        let columns: Vec<Vec<u32>> = self.codes.iter().zip(&ranks).map(ranked).collect();
        self.part(&sorted(&columns, self.counts.len()))
    }

    /// Equal rows as one, in the order of their codes.
    #[must_use]
    pub fn merged(self) -> Self {
        let mut all = self.part(&sorted(&self.codes, self.counts.len()));
        let mut kept = 0;
        for at in 1..all.counts.len() {
            if all.codes.iter().all(|codes| codes[at] == codes[kept]) {
                all.counts[kept] += all.counts[at];
            } else {
                kept += 1;
                all.counts[kept] = all.counts[at];
                all.codes.iter_mut().for_each(|codes| codes[kept] = codes[at]);
            }
        }
        all.codes.iter_mut().for_each(|codes| codes.truncate(kept + 1));
        all.counts.truncate(kept + 1);
        all
    }

    /// Some of the entries, in the order given.
    fn part(&self, order: &[u32]) -> Self {
        Entries {
            codes: self
                .codes
                .iter()
                .map(|codes| order.iter().map(|&at| codes[at as usize]).collect())
                .collect(),
            counts: order.iter().map(|&at| self.counts[at as usize]).collect(),
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> u64 {
        self.counts.iter().map(|&n| u64::from(n)).sum()
    }

    /// The rows to learn from and those kept aside: every row draws for itself.
    pub(super) fn split(&self, seed: u64) -> (Vec<u32>, Vec<u32>) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut aside = |rows: &u32| (0..*rows).filter(|_| random.next_u32() % 4 < ASIDE).count() as u32;
        let test: Vec<u32> = self.counts.iter().map(&mut aside).collect();
        let train = self.counts.iter().zip(&test).map(|(all, test)| all - test).collect();
        (train, test)
    }
}

/// Leaf → its place among the leaves in the order of their texts.
fn ranks(hierarchy: &Hierarchy) -> Vec<u32> {
    let mut ranks = vec![0; hierarchy.leaf_count()];
    hierarchy.leaves_by_value().iter().zip(0..).for_each(|(&leaf, rank)| ranks[leaf as usize] = rank);
    ranks
}

/// The places of some rows in the order of their cells, the first column first; equal rows stay in
/// their order. The cells of a row are packed into one number with its place where they fit, so that
/// sorting fetches nothing from elsewhere.
fn sorted(columns: &[Vec<u32>], rows: usize) -> Vec<u32> {
    let most = |column: &Vec<u32>| column.iter().copied().max().unwrap_or(0);
    let bits: Vec<u32> = columns.iter().map(|column| u32::BITS - most(column).leading_zeros()).collect();
    if bits.iter().sum::<u32>() > u128::BITS - u32::BITS {
        let mut order: Vec<u32> = (0..rows as u32).collect();
        let row = |at: u32| columns.iter().map(move |column| column[at as usize]);
        order.par_sort_by(|&a, &b| row(a).cmp(row(b)));
        return order;
    }
    let key = |at: usize| {
        let cells = columns.iter().zip(&bits);
        let packed = cells.fold(0u128, |key, (column, bits)| key << bits | u128::from(column[at]));
        packed << u32::BITS | at as u128
    };
    let mut keys: Vec<u128> = (0..rows).into_par_iter().map(key).collect();
    keys.par_sort_unstable();
    keys.into_par_iter().map(|key| key as u32).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Rows are merged and sorted by their codes, packed or too wide for it.
        #[test]
        fn merged_rows_are_the_distinct_ones_in_order(
            rows in prop::collection::vec((prop::collection::vec(0u32..3, 4), 1u32..4), 0..60),
            scale in prop::sample::select(vec![1u32, 1 << 20, 1 << 30]),
        ) {
            let mut expected: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
            for (row, count) in &rows {
                *expected.entry(row.iter().map(|cell| cell * scale).collect()).or_default() += count;
            }
            let column = |at: usize| rows.iter().map(|(row, _)| row[at] * scale).collect();
            let counts = rows.iter().map(|(_, count)| *count).collect();
            let merged = Entries::new((0..4).map(column).collect(), counts).unwrap().merged();
            let row = |at: usize| merged.codes.iter().map(|codes| codes[at]).collect::<Vec<u32>>();
            let found: Vec<(Vec<u32>, u32)> =
                (0..merged.counts.len()).map(|at| (row(at), merged.counts[at])).collect();
            prop_assert_eq!(found, Vec::from_iter(expected));
        }
    }
}
