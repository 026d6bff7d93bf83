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
        let mut order: Vec<usize> = (0..self.counts.len()).collect();
        order.par_sort_by(|&a, &b| {
            let ranks = self.codes.iter().zip(&ranks);
            let mut unequal =
                ranks.map(|(codes, ranks)| ranks[codes[a] as usize].cmp(&ranks[codes[b] as usize]));
            unequal.find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
        });
        Entries {
            codes: self.codes.iter().map(|codes| order.iter().map(|&at| codes[at]).collect()).collect(),
            counts: order.iter().map(|&at| self.counts[at]).collect(),
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
    let mut leaves: Vec<Code> = (0..hierarchy.leaf_count() as Code).collect();
    leaves.sort_by_key(|&leaf| hierarchy.leaf_value(leaf));
    let mut ranks = vec![0; leaves.len()];
    leaves.iter().zip(0..).for_each(|(&leaf, rank)| ranks[leaf as usize] = rank);
    ranks
}
