//! Adds up the classes of a table by pairs of columns, before and after a release.
//!
//! Where two columns have few values, rows are counted by pair of values first, and every distinct
//! pair is added once. Counts are integers, so that the cores can share the classes. Other pairs of
//! columns are added class by class, in the order of the classes. Costs two counters per class and
//! pair of columns; memory for a core is 512 KiB per pair of columns at most.

use std::ops::Range;

use rayon::prelude::*;

use crate::error::Result;
use crate::recoded::Recoded;
use crate::watch::Watch;

/// Classes whose columns are laid out at once: they stay in the cache while all pairs are read.
const BLOCK: usize = 4096;
/// The most pairs of values that are counted; as many are counted in a table of any size as the
/// second number.
const COUNTED: usize = 1 << 16;
const ALWAYS_COUNTED: usize = 1 << 12;

/// What is added up for a pair of columns. The order of the calls does not matter but for rounding.
pub(super) trait PairSums {
    /// Adds rows of the table by their leaves in the two columns.
    fn add_original(&mut self, rows: f64, leaves: [usize; 2]);

    /// Adds released rows by their values in the two columns.
    fn add_released(&mut self, rows: f64, values: [usize; 2]);
}

/// Adds all classes up for some pairs of columns. A pair has two places in `columns`.
///
/// # Errors
/// [`Kind::Cancelled`](crate::error::Kind::Cancelled) when asked to stop.
pub(super) fn add_up<T: PairSums + Send>(
    recoded: &Recoded,
    columns: &[usize],
    pairs: impl Iterator<Item = ([usize; 2], T)>,
    watch: &Watch,
) -> Result<Vec<T>> {
    add_up_within(recoded, columns, pairs, COUNTED.min(recoded.base().len().max(ALWAYS_COUNTED)), watch)
}

/// The same; at most `most` pairs of values are counted.
fn add_up_within<T: PairSums + Send>(
    recoded: &Recoded,
    columns: &[usize],
    pairs: impl Iterator<Item = ([usize; 2], T)>,
    most: usize,
    watch: &Watch,
) -> Result<Vec<T>> {
    let layout = Layout { recoded, columns };
    let mut sums: Vec<([usize; 2], T)> = pairs.collect();
    let few = |pair: [usize; 2]| layout.leaves(pair) <= most && layout.values(pair) <= most;
    let (mut counted, mut others): (Vec<_>, Vec<_>) = sums.iter_mut().partition(|(pair, _)| few(*pair));
    let counts = layout.count(&counted.iter().map(|(pair, _)| *pair).collect::<Vec<_>>(), watch)?;
    counts.iter().zip(&mut counted).for_each(|(counts, (_, sums))| counts.each(sums));
    // Each of these is added up by one core, so that its sums have the same bits every time.
    let size = others.len().div_ceil(rayon::current_num_threads()).max(1);
    let shares = others.par_chunks_mut(size);
    let add = |share: &mut [&mut ([usize; 2], T)]| {
        layout.each_block(0..recoded.base().counts().len(), watch, |block| {
            share.iter_mut().for_each(|(pair, sums)| block.add(*pair, sums));
        })
    };
    shares.map(add).collect::<Result<()>>()?;
    Ok(sums.into_iter().map(|(_, sums)| sums).collect())
}

/// The columns that are paired.
#[derive(Clone, Copy)]
struct Layout<'a> {
    recoded: &'a Recoded,
    columns: &'a [usize],
}

impl Layout<'_> {
    /// The pairs of leaves, and of released values, of two columns.
    fn leaves(self, pair: [usize; 2]) -> usize {
        let [a, b] = pair.map(|at| self.recoded.columns()[self.columns[at]].leaves);
        a.saturating_mul(b)
    }

    fn values(self, pair: [usize; 2]) -> usize {
        let [a, b] = pair.map(|at| self.recoded.columns()[self.columns[at]].values.len());
        a.saturating_mul(b)
    }

    /// Counts the rows of some pairs of columns on all cores.
    fn count(self, pairs: &[[usize; 2]], watch: &Watch) -> Result<Vec<PairCounts>> {
        let none = || pairs.iter().map(|pair| PairCounts::new(self, *pair)).collect::<Vec<_>>();
        if pairs.is_empty() {
            return Ok(none());
        }
        let classes = self.recoded.base().counts().len();
        let size = classes.div_ceil(rayon::current_num_threads()).max(BLOCK);
        let starts: Vec<usize> = (0..classes).step_by(size).collect();
        let parts = starts.into_par_iter().map(|start| {
            let mut counts = none();
            self.each_block(start..(start + size).min(classes), watch, |block| {
                counts.iter_mut().for_each(|counts| counts.add(block));
            })?;
            Ok(counts)
        });
        let mut parts = parts.collect::<Result<Vec<_>>>()?.into_iter();
        let mut all = parts.next().unwrap_or_else(none);
        parts.for_each(|part| all.iter_mut().zip(part).for_each(|(all, part)| all.merge(&part)));
        Ok(all)
    }

    /// Calls `each` with blocks of the given classes.
    fn each_block(self, classes: Range<usize>, watch: &Watch, mut each: impl FnMut(&Block)) -> Result<()> {
        let (recoded, base) = (self.recoded, self.recoded.base());
        let mut block = Block::default();
        for start in classes.clone().step_by(BLOCK) {
            watch.check()?;
            let classes = start..(start + BLOCK).min(classes.end);
            block.rows.clear();
            block.rows.extend_from_slice(&base.counts()[classes.clone()]);
            let released = |(class, &rows): (usize, &u32)| if recoded.suppresses(class) { 0 } else { rows };
            block.released.clear();
            block.released.extend(classes.clone().zip(&block.rows).map(released));
            block.leaves.resize_with(self.columns.len(), Vec::new);
            block.values.resize_with(self.columns.len(), Vec::new);
            for (at, &column) in self.columns.iter().enumerate() {
                block.leaves[at].clear();
                block.leaves[at].extend(classes.clone().map(|class| base.code(class, column)));
                block.values[at].clear();
                block.values[at].extend(classes.clone().map(|class| recoded.cell(class, column) as u32));
            }
            each(&block);
        }
        Ok(())
    }
}

/// Some classes by columns, so that pairs of columns are read one after the other.
#[derive(Default)]
struct Block {
    /// The rows of each class, and those of them that are released.
    rows: Vec<u32>,
    released: Vec<u32>,
    /// Column → leaf of each class.
    leaves: Vec<Vec<u32>>,
    /// Column → released value of each class.
    values: Vec<Vec<u32>>,
}

impl Block {
    /// Adds every class.
    fn add(&self, [a, b]: [usize; 2], sums: &mut impl PairSums) {
        let leaves = self.leaves[a].iter().zip(&self.leaves[b]);
        for (&rows, (&x, &y)) in self.rows.iter().zip(leaves).filter(|(rows, _)| **rows > 0) {
            sums.add_original(f64::from(rows), [x as usize, y as usize]);
        }
        let values = self.values[a].iter().zip(&self.values[b]);
        for (&rows, (&x, &y)) in self.released.iter().zip(values).filter(|(rows, _)| **rows > 0) {
            sums.add_released(f64::from(rows), [x as usize, y as usize]);
        }
    }
}

/// Rows by the values of two columns. A table has fewer rows than 32 bits can count.
struct PairCounts {
    pair: [usize; 2],
    /// The leaves and the released values of the second column.
    width: [usize; 2],
    /// Rows by pair of leaves, and released rows by pair of values.
    rows: [Vec<u32>; 2],
}

impl PairCounts {
    fn new(layout: Layout<'_>, pair: [usize; 2]) -> Self {
        let second = &layout.recoded.columns()[layout.columns[pair[1]]];
        let rows = [vec![0; layout.leaves(pair)], vec![0; layout.values(pair)]];
        PairCounts { pair, width: [second.leaves, second.values.len()], rows }
    }

    fn add(&mut self, block: &Block) {
        let parts = [(&block.rows, &block.leaves), (&block.released, &block.values)];
        for ((counts, width), (rows, cells)) in self.rows.iter_mut().zip(self.width).zip(parts) {
            let [a, b] = self.pair.map(|column| &cells[column]);
            for (&rows, (&x, &y)) in rows.iter().zip(a.iter().zip(b)) {
                counts[x as usize * width + y as usize] += rows;
            }
        }
    }

    fn merge(&mut self, other: &PairCounts) {
        for (to, from) in self.rows.iter_mut().zip(&other.rows) {
            to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
        }
    }

    /// Adds every pair of values that occurs.
    fn each(&self, sums: &mut impl PairSums) {
        let [before, after] = &self.rows;
        let [leaves, values] = self.width.map(|width| width.max(1));
        for (at, &rows) in before.iter().enumerate().filter(|(_, rows)| **rows > 0) {
            sums.add_original(f64::from(rows), [at / leaves, at % leaves]);
        }
        for (at, &rows) in after.iter().enumerate().filter(|(_, rows)| **rows > 0) {
            sums.add_released(f64::from(rows), [at / values, at % values]);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::classes::{Classes, Codes};
    use crate::recoded::{Value, Values};

    /// Rows by pair, original and released.
    #[derive(Debug, Default, Clone, PartialEq)]
    struct Seen([BTreeMap<[usize; 2], f64>; 2]);

    impl PairSums for Seen {
        fn add_original(&mut self, rows: f64, leaves: [usize; 2]) {
            *self.0[0].entry(leaves).or_default() += rows;
        }

        fn add_released(&mut self, rows: f64, values: [usize; 2]) {
            *self.0[1].entry(values).or_default() += rows;
        }
    }

    fn values(leaves: usize, values: usize) -> Values {
        let value = |label: usize| Value {
            level: 0,
            measure: 0.0,
            leaves: 1,
            rows: 1,
            bits: 0.0,
            label: label as u32,
            worth: 0.0,
        };
        Values {
            values: (0..values).map(value).collect(),
            labels: (0..values).map(|label| Some(label.to_string())).collect(),
            height: 1,
            leaves,
            targets: None,
        }
    }

    proptest! {
        /// Counted pairs, pairs added class by class, and the definition agree, at any number of
        /// threads, also where blocks are full.
        #[test]
        fn sums_are_those_of_the_definition(
            classes in prop::collection::vec((0u32..5, 0u32..4, 0u32..3, 0u32..4, any::<bool>()), 0..40),
            repeated in prop::sample::select(vec![1usize, 300]),
            threads in 1usize..4,
        ) {
            let classes = classes.repeat(repeated);
            let leaves: Vec<u32> = classes.iter().flat_map(|c| [c.0, c.1, c.2]).collect();
            let cells: Vec<u32> = classes.iter().flat_map(|c| [c.0 / 2, c.1, c.2 / 2]).collect();
            let counts = classes.iter().map(|c| c.3).collect();
            let base = Classes::new(3, Codes::Wide(leaves), counts).unwrap();
            let columns = vec![values(5, 3), values(4, 4), values(3, 2)];
            let hidden = classes.iter().map(|c| c.4).collect();
            let recoded = Recoded::of_parts(base, columns, cells, hidden).unwrap();
            let paired = [2, 0, 1];
            let pairs = [[0, 1], [0, 2], [1, 2]];
            let mut expected = vec![Seen::default(); 3];
            for (class, c) in classes.iter().enumerate().filter(|(_, c)| c.3 > 0) {
                let cell = |at: usize| [c.0, c.1, c.2][paired[at]] as usize;
                let value = |at: usize| recoded.cell(class, paired[at]);
                for (pair, seen) in pairs.iter().zip(&mut expected) {
                    seen.add_original(f64::from(c.3), pair.map(cell));
                    if !c.4 {
                        seen.add_released(f64::from(c.3), pair.map(value));
                    }
                }
            }
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            // None counted, some, all.
            for most in [0, 12, 1 << 16] {
                let empty = pairs.iter().map(|&pair| (pair, Seen::default())).collect::<Vec<_>>();
                let watch = Watch::none();
                let found = pool.install(|| add_up_within(&recoded, &paired, empty.into_iter(), most, &watch));
                prop_assert_eq!(&found.unwrap(), &expected);
            }
        }
    }
}
