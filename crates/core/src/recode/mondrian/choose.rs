//! Chooses the column of a region to cut: the one with the highest score that can be cut.
//!
//! | by | score of a column |
//! | --- | --- |
//! | range | cost of its range, as a share of the largest [LeFevre 2006] |
//! | gain | saving in cell cost per row, over ½ + the bits that separate the parts |
//! | entropy | the entropy of its bins in the region, in bits, times its weight |
//! | target | information gain of its cut about the targets [LeFevre 2006b] |
//!
//! The divisor of *gain*: about log2(rows / k) bits separate all rows, so cuts into many parts must
//! be worth it.
//!
//! Ties go to the first column. Costs one pass over the points for the ranges, one per column for
//! entropy, two for the gain, and one per column and target. On adult and on generated tables,
//! cells cost 10 to 15 % less by gain than by range; without the ½, or without a divisor, they cost
//! 0 to 10 % more.

use super::Cutter;
use super::cut::Column;
use super::points::{Rank, Region, Scratch};
use crate::policy::By;
use crate::recoded::entropy;

impl Cutter<'_> {
    /// Finds the cut of a region; whether there is one.
    pub(super) fn choose<T: Rank>(
        &self,
        region: &Region<'_, T>,
        rows: u64,
        scratch: &mut Scratch<T>,
    ) -> bool {
        if rows < 2 * self.field.judge.least() {
            return false;
        }
        region.bounds(&mut scratch.bounds, self.large);
        let mut promises = std::mem::take(&mut scratch.promises);
        promises.clear();
        for at in 0..scratch.bounds.len() {
            let (low, high) = scratch.bounds[at];
            if low < high {
                let column = Column { at, low: low.into(), high: high.into() };
                promises.push((self.promise(region, column, scratch), column));
            }
        }
        promises.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.at.cmp(&b.1.at)));
        let found =
            promises.iter().any(|&(promise, column)| promise >= 0.0 && self.try_cut(region, column, scratch));
        scratch.promises = promises;
        found
    }

    fn try_cut<T: Rank>(&self, region: &Region<'_, T>, column: Column, scratch: &mut Scratch<T>) -> bool {
        self.bin(region, column, scratch);
        self.cut(region, column, scratch)
    }

    /// What a column promises; less than nothing where it is known that it cannot be cut.
    fn promise<T: Rank>(&self, region: &Region<'_, T>, column: Column, scratch: &mut Scratch<T>) -> f64 {
        let axis = self.scales[column.at].axis;
        match self.options.by {
            By::Range => axis.cost(column.low, column.high),
            By::Gain if self.try_cut(region, column, scratch) => self.narrower(region, column, scratch),
            By::Entropy => {
                self.bin(region, column, scratch);
                axis.weight() * entropy(scratch.bin_rows.iter().copied())
            }
            By::Target if self.try_cut(region, column, scratch) => self.told(region, scratch),
            By::Gain | By::Target => -1.0,
        }
    }

    /// What a cut takes off the cost of its column's cells, for the bits that it takes.
    fn narrower<T: Rank>(&self, region: &Region<'_, T>, column: Column, scratch: &mut Scratch<T>) -> f64 {
        let axis = self.scales[column.at].axis;
        let Scratch { spans, rows, bins, part_of, parted, .. } = scratch;
        spans.clear();
        spans.resize(rows.len(), (u32::MAX, 0));
        let mut widen = |part: u32, rank: u32| {
            let (low, high) = &mut spans[part as usize];
            (*low, *high) = (rank.min(*low), rank.max(*high));
        };
        for (row, &bin) in region.ranks.chunks_exact(region.width).zip(&*bins) {
            widen(part_of[bin as usize], row[column.at].into());
            if parted.is_some_and(|(parted, _)| parted == bin) {
                widen(0, row[column.at].into());
            }
        }
        let all: u64 = rows.iter().sum();
        let cost = |(&(low, high), &rows): (&(u32, u32), &u64)| rows as f64 * axis.cost(low, high);
        let after = spans.iter().zip(&*rows).map(cost).sum::<f64>() / all as f64;
        let gain = axis.cost(column.low, column.high) - after;
        gain.max(0.0) / (entropy(rows.iter().copied()) + 0.5)
    }

    /// The information gain of a cut about the targets, in bits per row. Rows that a relaxed cut
    /// divides are counted in the second part.
    fn told<T: Rank>(&self, region: &Region<'_, T>, scratch: &Scratch<T>) -> f64 {
        let classes = self.field.judge.classes();
        let mut gain = 0.0;
        for target in &classes.histograms()[..classes.targets()] {
            let values = target.values();
            let mut rows = vec![0u64; values * scratch.parts()];
            for (&point, &bin) in region.ids.iter().zip(&scratch.bins) {
                let part = &mut rows[scratch.part_of[bin as usize] as usize * values..][..values];
                let (codes, counts) = target.class(point as usize);
                codes.iter().zip(counts).for_each(|(&code, &n)| part[code as usize] += u64::from(n));
            }
            let all: u64 = rows.iter().sum();
            let whole = (0..values).map(|value| rows.iter().skip(value).step_by(values).sum());
            let within: f64 = rows
                .chunks_exact(values)
                .map(|part| {
                    let share = part.iter().sum::<u64>() as f64 / all as f64;
                    if share > 0.0 { share * entropy(part.iter().copied()) } else { 0.0 }
                })
                .sum();
            gain += entropy(whole) - within;
        }
        // Rounding must not turn a cut without information into an impossible one.
        gain.max(0.0)
    }
}
