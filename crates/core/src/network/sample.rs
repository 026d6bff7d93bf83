//! Rows drawn from a network, in integers: the counts themselves are drawn from, so that a seed gives the same rows everywhere.
//!
//! One row more than there are, spread over what is possible, is what smoothing means; so a draw takes one of n + 1 rows, and the last one stands for
//! the spread. A row costs a few random words per column and level.

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
            let hierarchy = &network.hierarchies[column];
            let (level, label) = match &network.edges[column] {
                None => (hierarchy.height(), 0),
                Some(edge) => {
                    let a =
                        network.hierarchies[edge.parent].generalize(row[edge.parent], edge.above) as usize;
                    let met = self.one_of(&edge.met[a], edge.rows[a]);
                    (edge.at, met.unwrap_or_else(|| self.down(column, (hierarchy.height(), 0), edge.at)))
                }
            };
            row[column] = self.down(column, (level, label), 0);
        }
        row
    }

    /// Draws a label of a level below a label.
    fn down(&mut self, column: usize, (from, label): (usize, Code), to: usize) -> Code {
        let chain = &self.network.chains[column];
        (to..from).rev().fold(label, |label, level| {
            let below = chain.below(level + 1, label);
            let known = self.one_of(below, chain.rows(level + 1, label));
            known.unwrap_or_else(|| {
                let any = self.draw(below.len() as u64);
                below[any as usize].0
            })
        })
    }

    /// One of the labels by rows; none when the one row more was drawn.
    fn one_of(&mut self, labels: &[(Code, u64)], rows: u64) -> Option<Code> {
        let mut at = self.draw(rows + 1);
        for &(label, n) in labels {
            if at < n {
                return Some(label);
            }
            at -= n;
        }
        None
    }

    /// A number from 0 to `end` − 1, each as likely to within 2⁻³².
    fn draw(&mut self, end: u64) -> u64 {
        ((u128::from(self.random.next_u64()) * u128::from(end)) >> 64) as u64
    }
}
