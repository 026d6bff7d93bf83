//! The training data of a network: distinct rows in leaf codes with their counts, column by column.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::classes::Classes;
use crate::error::{Fault, Result};
use crate::hierarchy::Hierarchy;
use crate::histogram::Histogram;
use crate::table::Code;
use crate::tuples::Tuples;

/// Of four rows, this many are held out to test edges.
const ASIDE: u32 = 1;

/// Distinct rows with their counts.
#[derive(Debug, Clone, Default)]
pub struct Entries {
    /// Column → leaf codes, one an entry.
    pub(super) codes: Vec<Vec<Code>>,
    /// Rows of each entry.
    pub(super) counts: Vec<u32>,
}

impl Entries {
    /// The classes of a table.
    pub fn of(classes: &Classes) -> Self {
        let column = |column| (0..classes.len()).map(|class| classes.code(class, column)).collect();
        Entries { codes: (0..classes.columns()).map(column).collect(), counts: classes.counts().to_vec() }
    }

    /// The classes of a table with one more column, which was measured in them; `leaves` maps its
    /// codes to leaves.
    pub fn with(classes: &Classes, measured: &Histogram, leaves: &[Code]) -> Self {
        let mut codes = vec![Vec::new(); classes.columns() + 1];
        let mut counts = Vec::new();
        for class in 0..classes.len() {
            let (values, rows) = measured.class(class);
            for (&value, &rows) in values.iter().zip(rows) {
                for (column, codes) in codes.iter_mut().enumerate().take(classes.columns()) {
                    codes.push(classes.code(class, column));
                }
                codes[classes.columns()].push(leaves[value as usize]);
                counts.push(rows);
            }
        }
        Entries { codes, counts }
    }

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
        let key = |at: &usize| -> Vec<u32> {
            self.codes.iter().zip(&ranks).map(|(codes, ranks)| ranks[codes[*at] as usize]).collect()
        };
        let mut order: Vec<usize> = (0..self.counts.len()).collect();
        order.sort_by_cached_key(key);
        Entries {
            codes: self.codes.iter().map(|codes| order.iter().map(|&at| codes[at]).collect()).collect(),
            counts: order.iter().map(|&at| self.counts[at]).collect(),
        }
    }

    /// Grouped rows; `leaves` maps the codes of every column to leaves.
    pub fn of_tuples(tuples: &Tuples, leaves: &[Vec<Code>]) -> Self {
        let column = |(column, leaves): (usize, &Vec<Code>)| {
            (0..tuples.len()).map(|at| leaves[tuples.code(at, column) as usize]).collect()
        };
        Entries { codes: leaves.iter().enumerate().map(column).collect(), counts: tuples.counts().to_vec() }
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
