//! Near points of every point: the nearest within *blocks* of points, which a tree of cuts makes.
//!
//! Points of a block are compared with each other; blocks of several trees give several chances to
//! meet.
//!
//! Costs points · block · columns per tree, whatever the table is, and 8 bytes per point and
//! neighbour.

use super::points::Points;
use super::prices::{Prices, cost};
use crate::watch::Watch;

/// Larger blocks are compared in runs of this many points.
const LONGEST: usize = 256;

/// Point → points near to it, the nearest first.
pub struct Near {
    wide: usize,
    /// Cost and point, for every point in turn; [`NONE`] where there are fewer.
    keys: Vec<u64>,
    points: Vec<u32>,
    starts: Vec<u32>,
}

/// No neighbour.
const NONE: u64 = u64::MAX;

impl Near {
    /// Of some points, without neighbours yet.
    pub fn new(points: usize, wide: usize) -> Self {
        Near { wide, keys: vec![NONE; points * wide], points: Vec::new(), starts: Vec::new() }
    }

    /// Compares the points of every block with each other; false when stopped.
    pub fn meet(
        &mut self,
        points: &Points<'_>,
        prices: &Prices<'_>,
        blocks: &[Vec<u32>],
        watch: &Watch,
    ) -> bool {
        for (turn, block) in blocks.iter().flat_map(|block| block.chunks(LONGEST)).enumerate() {
            if turn % 64 == 0 && watch.should_finish() {
                return false;
            }
            for (at, &one) in block.iter().enumerate() {
                let ranks = points.ranks(one);
                for &other in &block[at + 1..] {
                    let both = ranks.iter().zip(points.ranks(other)).enumerate();
                    let price = both.map(|(column, (&a, &b))| prices.pair(column, a, b)).sum();
                    self.add(one, other, cost(price));
                    self.add(other, one, cost(price));
                }
            }
        }
        true
    }

    fn add(&mut self, point: u32, other: u32, cost: u64) {
        let key = cost << 32 | u64::from(other);
        let keys = &mut self.keys[point as usize * self.wide..][..self.wide];
        if keys.last().is_none_or(|last| key >= *last) {
            return;
        }
        let place = keys.partition_point(|&known| known < key);
        if keys[place] != key {
            keys[place..].rotate_right(1);
            keys[place] = key;
        }
    }

    /// The same, to be asked.
    #[must_use]
    pub fn found(mut self) -> Self {
        self.starts.push(0);
        for keys in self.keys.chunks(self.wide.max(1)) {
            self.points.extend(keys.iter().filter(|&&key| key != NONE).map(|&key| key as u32));
            self.starts.push(self.points.len() as u32);
        }
        self.keys = Vec::new();
        self
    }

    /// The points near to one.
    pub fn of(&self, point: u32) -> &[u32] {
        let (start, end) = (self.starts[point as usize], self.starts[point as usize + 1]);
        &self.points[start as usize..end as usize]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::region::Judge;
    use super::super::tests::{field, table};
    use super::*;
    use crate::policy::{Form, Search};

    const ANY: &[Form] = &[Form::Label, Form::Interval, Form::Set, Form::Range];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// In one block of all points, the nearest are those of sorting all others.
        #[test]
        fn one_block_finds_the_nearest(made in table(60, ANY, ANY), wide in 1..9usize) {
            let search = Search::default();
            let field = field(&made, &search, Judge::new(&made.classes, 1, Vec::new()));
            let all: Vec<u32> = (0..made.space.len() as u32).collect();
            let points = Points::new(&field, &all);
            let prices = Prices::with_sets(made.space.axes(), &field.tolerance);
            let mut near = Near::new(all.len(), wide);
            // Meeting again adds nothing.
            for _ in 0..2 {
                prop_assert!(near.meet(&points, &prices, std::slice::from_ref(&all), &field.watch));
            }
            let near = near.found();
            for &point in &all {
                let key = |&other: &u32| {
                    let both = points.ranks(point).iter().zip(points.ranks(other)).enumerate();
                    (cost(both.map(|(column, (&a, &b))| prices.pair(column, a, b)).sum()), other)
                };
                let mut others: Vec<_> = all.iter().filter(|&&o| o != point).map(key).collect();
                others.sort_unstable();
                let expected: Vec<u32> = others.into_iter().take(wide).map(|(_, other)| other).collect();
                prop_assert_eq!(near.of(point), &expected[..]);
            }
        }
    }
}
