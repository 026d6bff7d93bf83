//! Sampling of rows from a network, in integer arithmetic, so that a seed gives the same rows
//! everywhere.
//!
//! Smoothing adds one row, spread over what is possible; so a draw takes one of n + 1 rows, and the
//! last one represents the spread. A row costs a few random words and one binary search per column
//! and level.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::Network;
use crate::table::Code;

/// Draws rows from a network.
#[derive(Debug)]
pub struct Sampler<'a> {
    network: &'a Network,
    random: ChaCha8Rng,
}

impl Network {
    /// The rows that belong to a seed.
    pub fn sampler(&self, seed: u64) -> Sampler<'_> {
        Sampler { network: self, random: ChaCha8Rng::seed_from_u64(seed) }
    }
}

impl Sampler<'_> {
    /// The next row: one leaf per column.
    pub fn row(&mut self) -> Vec<Code> {
        let network = self.network;
        let mut row = vec![0; network.names.len()];
        for &column in &network.order {
            let mut families = network.families[column].iter().rev().peekable();
            let mut label = 0;
            for level in (0..network.hierarchies[column].height()).rev() {
                let family = families.next_if(|family| family.level == level);
                let of_parents = family.and_then(|family| {
                    let a = family.configuration(&network.hierarchies, |column| row[column]);
                    let (all, labels) = family.rows(a, label)?;
                    let at = self.draw(all + 1);
                    chosen(labels, at)
                });
                label = of_parents.unwrap_or_else(|| self.down(column, level, label));
            }
            row[column] = label;
        }
        row
    }

    /// Draws a label of a level below a label, as its column's hierarchy does.
    fn down(&mut self, column: usize, level: usize, label: Code) -> Code {
        let chain = &self.network.chains[column];
        let below = chain.below(level + 1, label);
        let at = self.draw(below.last().map_or(0, |&(_, all)| all) + 1);
        chosen(below, at).unwrap_or_else(|| {
            let any = self.draw(below.len() as u64);
            below[any as usize].0
        })
    }

    /// A number from 0 to `end` − 1, each as likely to within 2⁻³².
    fn draw(&mut self, end: u64) -> u64 {
        ((u128::from(self.random.next_u64()) * u128::from(end)) >> 64) as u64
    }
}

/// The label that a row belongs to, where labels come with the rows up to and with each; none for
/// the one row more.
fn chosen(labels: &[(Code, u64)], row: u64) -> Option<Code> {
    labels.get(labels.partition_point(|&(_, upto)| upto <= row)).map(|&(label, _)| label)
}
