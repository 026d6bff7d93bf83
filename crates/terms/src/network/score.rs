//! BIC of families: how much of a field its parents explain, less the price of their parameters
//! [Schwarz 1978]. The same number is a description length [Rissanen 1978; Lam 1994].
//!
//! A field is a level of a column. It always depends on the level above it, and perhaps on fields of
//! other columns, its parents. With n(a, q) the rows of a configuration a of the parents with label
//! q, and u the label above q, a family scores
//!
//! Σ n(a,q)·ln(n(a,q) / n(a,u)) − ½·ln n · (labels − labels above) · Π (labels of a parent),
//!
//! where only labels that occur in the table count. Scores are whole numbers of 2⁻²⁴, so that sums do
//! not depend on the order of rows, codes or threads, and structures of equal score are equal.
//!
//! Costs one pass over the distinct rows per family, in a dense table of at most [`DENSE`] cells.

use rustc_hash::FxHashMap;

use super::Entries;
use crate::hierarchy::Hierarchy;
use crate::table::Code;

/// A level of a column.
pub(super) type Field = (usize, usize);

/// A score, in units of 2⁻²⁴.
pub(super) type Score = i128;

/// One unit of a logarithm.
const UNIT: f64 = (1u64 << 24) as f64;

/// Larger tables are hashed: 16 MB.
const DENSE: u64 = 1 << 22;

/// Counts up to this one have their logarithm in a table.
const KNOWN: usize = 1 << 16;

/// A score as a natural logarithm.
pub(super) fn nats(score: Score) -> f64 {
    score as f64 / UNIT
}

/// Counts rows by fields.
pub(super) struct Counts<'a> {
    entries: &'a Entries,
    /// Column → level → leaf → place of its label among those that occur.
    places: Vec<Vec<Vec<u32>>>,
    /// Column → level → labels that occur.
    sizes: Vec<Vec<u64>>,
    rows: u64,
    /// The price of a parameter.
    price: Score,
    /// n → n·ln n.
    known: Vec<i64>,
}

/// n·ln n.
fn n_log_n(n: u64) -> i64 {
    if n < 2 { 0 } else { (n as f64 * (n as f64).ln() * UNIT).round() as i64 }
}

impl<'a> Counts<'a> {
    pub(super) fn new(hierarchies: &[Hierarchy], entries: &'a Entries) -> Self {
        let rows = entries.rows();
        let column = |(hierarchy, codes): (&Hierarchy, &Vec<Code>)| {
            let mut occurs = vec![false; hierarchy.leaf_count()];
            for (&leaf, &count) in codes.iter().zip(&entries.counts) {
                occurs[leaf as usize] |= count > 0;
            }
            (0..=hierarchy.height()).map(|level| placed(hierarchy, level, &occurs)).unzip()
        };
        let (places, sizes) = hierarchies.iter().zip(&entries.codes).map(column).unzip();
        Counts {
            entries,
            places,
            sizes,
            rows,
            price: ((rows as f64).ln() / 2.0 * UNIT).round() as Score,
            known: (0..KNOWN as u64).map(n_log_n).collect(),
        }
    }

    /// Number of distinct rows.
    pub(super) fn entries(&self) -> usize {
        self.entries.counts.len()
    }

    /// Number of rows.
    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    /// The fields that distinguish rows that the level above does not distinguish.
    pub(super) fn fields(&self) -> Vec<Field> {
        let levels = |(column, sizes): (usize, &Vec<u64>)| -> Vec<Field> {
            let finer = |&level: &usize| sizes[level] > sizes[level + 1];
            (0..sizes.len() - 1).filter(finer).map(|level| (column, level)).collect()
        };
        self.sizes.iter().enumerate().flat_map(levels).collect()
    }

    /// Parameters of a family; none if they are too many to count.
    fn parameters(&self, (column, level): Field, parents: &[Field]) -> Option<u64> {
        let free = self.sizes[column][level] - self.sizes[column][level + 1];
        parents.iter().try_fold(free, |n, &(column, level)| n.checked_mul(self.sizes[column][level]))
    }

    /// The price of a family, which no score can exceed the negative of; none if it cannot be paid.
    pub(super) fn price(&self, field: Field, parents: &[Field]) -> Option<Score> {
        Some(Score::from(self.parameters(field, parents)?) * self.price)
    }

    /// The score of a family; none if its price cannot be paid.
    pub(super) fn score(&self, field: Field, parents: &[Field]) -> Option<Score> {
        Some(self.likelihood(field, parents) - self.price(field, parents)?)
    }

    fn n_log_n(&self, n: u64) -> Score {
        Score::from(self.known.get(n as usize).copied().unwrap_or_else(|| n_log_n(n)))
    }

    /// Σ n(a,q)·ln(n(a,q) / n(a,u)).
    fn likelihood(&self, (column, level): Field, parents: &[Field]) -> Score {
        let (own, over) = (&self.places[column][level], &self.places[column][level + 1]);
        let (labels, above) = (self.sizes[column][level], self.sizes[column][level + 1]);
        let mut up = vec![0; labels as usize];
        own.iter().zip(over).filter(|(q, _)| **q != ABSENT).for_each(|(&q, &u)| up[q as usize] = u);
        let configurations =
            parents.iter().fold(1u64, |n, &(column, level)| n.saturating_mul(self.sizes[column][level]));
        let cells = configurations.saturating_mul(labels);
        if cells > DENSE || self.rows > u64::from(u32::MAX) {
            return self.hashed((column, level), parents, (&up, labels, above));
        }
        let codes = &self.entries.codes;
        let of = |(column, level): Field| (&codes[column][..], &self.places[column][level][..]);
        let mut both = vec![0u32; cells as usize];
        let (child, own) = of((column, level));
        let size = |at: usize| self.sizes[parents[at].0][parents[at].1] as usize;
        // One loop for each usual number of parents, because this is where the time goes.
        match parents {
            [] => self.tally(&mut both, |at| own[child[at] as usize] as usize),
            &[a] => {
                let (a, places) = of(a);
                self.tally(&mut both, |at| {
                    places[a[at] as usize] as usize * labels as usize + own[child[at] as usize] as usize
                });
            }
            &[a, b] => {
                let ((a, first), (b, second)) = (of(a), of(b));
                let wide = size(1);
                self.tally(&mut both, |at| {
                    (first[a[at] as usize] as usize * wide + second[b[at] as usize] as usize)
                        * labels as usize
                        + own[child[at] as usize] as usize
                });
            }
            _ => self.tally(&mut both, |at| {
                let key = self.configuration(parents, at) as usize;
                key * labels as usize + own[child[at] as usize] as usize
            }),
        }
        let mut sum = 0;
        let mut over = vec![0u64; above as usize];
        for row in both.chunks_exact(labels as usize) {
            for (&n, &u) in row.iter().zip(&up).filter(|(n, _)| **n > 0) {
                sum += self.n_log_n(u64::from(n));
                over[u as usize] += u64::from(n);
            }
            over.iter_mut().filter(|n| **n > 0).for_each(|n| sum -= self.n_log_n(std::mem::take(n)));
        }
        sum
    }

    fn tally(&self, both: &mut [u32], key: impl Fn(usize) -> usize) {
        for (at, &count) in self.entries.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            both[key(at)] += count;
        }
    }

    /// The number of an entry's configuration of parents.
    fn configuration(&self, parents: &[Field], at: usize) -> u64 {
        parents.iter().fold(0, |key, &(column, level)| {
            let leaf = self.entries.codes[column][at];
            key * self.sizes[column][level] + u64::from(self.places[column][level][leaf as usize])
        })
    }

    /// The same where a dense table would be too large.
    fn hashed(
        &self,
        (column, level): Field,
        parents: &[Field],
        (up, labels, above): (&[u32], u64, u64),
    ) -> Score {
        let (mut both, mut over) = (FxHashMap::default(), FxHashMap::default());
        for (at, &count) in self.entries.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let key = u128::from(self.configuration(parents, at));
            let q = self.places[column][level][self.entries.codes[column][at] as usize];
            *both.entry(key * u128::from(labels) + u128::from(q)).or_insert(0u64) += u64::from(count);
            *over.entry(key * u128::from(above) + u128::from(up[q as usize])).or_insert(0u64) +=
                u64::from(count);
        }
        let sum = |counts: &FxHashMap<u128, u64>| counts.values().map(|&n| self.n_log_n(n)).sum::<Score>();
        sum(&both) - sum(&over)
    }
}

/// The place of a label that does not occur.
const ABSENT: u32 = u32::MAX;

/// Leaf → place of its label among those of a level that occur, and how many do.
fn placed(hierarchy: &Hierarchy, level: usize, occurs: &[bool]) -> (Vec<u32>, u64) {
    let mut of_label = vec![ABSENT; hierarchy.size(level)];
    let mut size = 0;
    let mut place = |(leaf, &occurs): (usize, &bool)| {
        let label = hierarchy.generalize(leaf as Code, level) as usize;
        if occurs && of_label[label] == ABSENT {
            of_label[label] = size;
            size += 1;
        }
        if occurs { of_label[label] } else { ABSENT }
    };
    let places = occurs.iter().enumerate().map(&mut place).collect();
    (places, u64::from(size))
}
