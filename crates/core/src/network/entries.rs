//! What a network is fitted to: distinct rows in leaf codes with their counts, column by column.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::classes::Classes;
use crate::histogram::Histogram;
use crate::table::Code;
use crate::tuples::Tuples;

/// Of four rows, so many are kept aside to test edges.
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

    /// The classes of a table with one more column, which was measured in them; `leaves` maps its codes to leaves.
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
