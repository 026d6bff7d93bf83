//! Takes far-off rows out of regions where a release may suppress rows and that lowers the loss.
//!
//! One far point widens the cells of a whole region. Where suppressed rows count, each costs as
//! much as a row of `*` cells; a point is taken out if the rows that stay save more than that: rows
//! · cost before > rows after · cost after + rows of the point · cost of a suppressed row. Of all
//! points, the one that saves most per suppressed row comes first, then the lowest number, as long
//! as the limit of the policy allows it and its region stays safe without it. Where suppressed rows
//! do not count, any saving pays.
//!
//! Costs one pass over the cells of all points, a heap of the points that save something, and the
//! points of a region again each time one is taken out of it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::region::{Field, Share};
use super::regions::Ground;
use crate::policy::{Aggregate, Form, Policy};
use crate::registry::LossKind;
use crate::space::{Axis, Space};
use crate::table::Code;

/// What may be taken out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limit {
    /// Rows at most.
    rows: u64,
    /// Whether suppressed rows are part of the loss.
    counted: bool,
}

impl Limit {
    /// The limit of a policy without the rows that are in no part, which are suppressed already.
    pub(super) fn of(policy: &Policy, ground: &Ground<'_>, parts: &[Vec<u32>]) -> Self {
        let counts = ground.classes.counts();
        let kept: u64 = parts.iter().flatten().map(|&point| u64::from(counts[point as usize])).sum();
        let rows = ground.max_suppressed.saturating_sub(ground.classes.rows() - kept);
        let loss = policy.search.loss.parameters();
        Limit { rows, counted: loss.kind.counts_suppressed(loss.count_suppressed) }
    }

    /// Whether rows may be taken out, and the loss is a sum over cells that ranges of ranks have.
    pub(super) fn pays(self, policy: &Policy, space: &Space) -> bool {
        let loss = policy.search.loss.parameters();
        let sum = matches!(loss.kind, LossKind::Lm | LossKind::Prec)
            && loss.kind.aggregate(loss.aggregate) != Aggregate::Max
            && loss.tradeoff.is_none();
        let ranges = |axis: &Axis| matches!(axis.form(), Form::Label | Form::Interval | Form::Range);
        self.rows > 0 && sum && space.axes().iter().all(ranges)
    }
}

/// Shares without the points that are better suppressed; none when stopped.
pub(super) fn trimmed(
    field: &Field<'_>,
    mut shares: Vec<Share>,
    Limit { rows: limit, counted }: Limit,
) -> Option<Vec<Share>> {
    shares.sort_unstable_by_key(|share| (share.region, share.point));
    let mut regions: Vec<Region> = shares
        .chunk_by(|a, b| a.region == b.region)
        .map(|shares| Region { shares: shares.to_vec() })
        .collect();
    let full: f64 = field.space.axes().iter().map(|axis| axis.weight()).sum();
    let suppressed = if counted { full } else { 0.0 };
    let mut heap = BinaryHeap::new();
    for (at, region) in regions.iter().enumerate() {
        if at % 1024 == 0 && field.watch.should_finish() {
            return None;
        }
        heap.extend(
            region.best(field, suppressed, limit).map(|saving| (saving.key(), Reverse(at), saving.rows)),
        );
    }
    let mut left = limit;
    while let Some(((_, Reverse(point)), Reverse(at), rows)) = heap.pop() {
        if field.watch.should_finish() {
            return None;
        }
        let region = &mut regions[at];
        // Another point of the region may fit where this one is too many rows.
        if rows <= left {
            region.shares.retain(|share| share.point != point);
            left -= rows;
        }
        heap.extend(
            region.best(field, suppressed, left).map(|saving| (saving.key(), Reverse(at), saving.rows)),
        );
    }
    Some(regions.into_iter().flat_map(|region| region.shares).collect())
}

/// The points of a region.
struct Region {
    shares: Vec<Share>,
}

/// What taking a point out saves.
struct Saving {
    /// Per suppressed row, in millionths of what a cell costs at the top.
    gain: u64,
    point: u32,
    rows: u64,
}

impl Saving {
    fn key(&self) -> (u64, Reverse<u32>) {
        (self.gain, Reverse(self.point))
    }
}

impl Region {
    /// The point that saves most per row if it is suppressed; none if no point does, or all that do
    /// have more rows than a limit.
    fn best(&self, field: &Field<'_>, suppressed: f64, limit: u64) -> Option<Saving> {
        if limit == 0 || self.shares.len() < 2 {
            return None;
        }
        let rows: u64 = self.shares.iter().map(|share| u64::from(share.rows)).sum();
        let ends = self.ends(field);
        let before =
            rows as f64 * ends.iter().zip(field.space.axes()).map(|(e, a)| a.cost(e[0], e[3])).sum::<f64>();
        let saving = |at: &usize| {
            let share = &self.shares[*at];
            let out = u64::from(share.rows);
            if out > limit || rows - out < field.judge.least() {
                return None;
            }
            let after = (rows - out) as f64 * self.cost_without(field, &ends, share.point);
            let gain = (before - after) / out as f64 - suppressed;
            let gain = (gain * 1e6) as u64;
            (gain > 0).then_some(Saving { gain, point: share.point, rows: out })
        };
        let mut savings: Vec<(usize, Saving)> =
            (0..self.shares.len()).filter_map(|at| Some((at, saving(&at)?))).collect();
        savings.sort_by_key(|(_, saving)| Reverse(saving.key()));
        savings.into_iter().find(|(at, _)| self.safe_without(field, *at)).map(|(_, saving)| saving)
    }

    /// Column → the lowest and second lowest rank of a point, the second highest and the highest.
    fn ends(&self, field: &Field<'_>) -> Vec<[Code; 4]> {
        let column = |column: usize| {
            let mut ends = [Code::MAX, Code::MAX, 0, 0];
            for share in &self.shares {
                let rank = field.space.rank(share.point as usize, column);
                (ends[0], ends[1]) = (ends[0].min(rank), ends[1].min(rank.max(ends[0])));
                (ends[3], ends[2]) = (ends[3].max(rank), ends[2].max(rank.min(ends[3])));
            }
            ends
        };
        (0..field.space.axes().len()).map(column).collect()
    }

    /// What a row costs without a point, by the ends of all.
    fn cost_without(&self, field: &Field<'_>, ends: &[[Code; 4]], point: u32) -> f64 {
        let cost = |(column, ends): (usize, &[Code; 4])| {
            let rank = field.space.rank(point as usize, column);
            let low = if rank == ends[0] { ends[1] } else { ends[0] };
            let high = if rank == ends[3] { ends[2] } else { ends[3] };
            field.space.axes()[column].cost(low, high)
        };
        ends.iter().enumerate().map(cost).sum()
    }

    fn safe_without(&self, field: &Field<'_>, at: usize) -> bool {
        if field.judge.counts_only() {
            return true;
        }
        let mut tally = field.judge.tally();
        let others = self.shares.iter().enumerate().filter(|(other, _)| *other != at);
        others.for_each(|(_, share)| field.judge.add(&mut tally, share.point));
        field.judge.safe(&tally)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::region::Judge;
    use super::super::tests::{Distinct, Majority, field, models, numbers, table};
    use super::*;
    use crate::model::ClassModel;
    use crate::policy::{Form, Search};

    const RANGES: &[Form] = &[Form::Label, Form::Interval, Form::Range];

    /// What all rows cost, by the definition: suppressed ones as given.
    fn total(field: &Field<'_>, shares: &[Share], suppressed: f64) -> f64 {
        let all: u64 = field.space.counts().iter().map(|&n| u64::from(n)).sum();
        let kept: u64 = shares.iter().map(|share| u64::from(share.rows)).sum();
        let regions = shares.iter().map(|share| share.region + 1).max().unwrap_or(0);
        let cost = |region: u32| {
            let of: Vec<&Share> = shares.iter().filter(|share| share.region == region).collect();
            let rows: u64 = of.iter().map(|share| u64::from(share.rows)).sum();
            let cell = |column: usize| {
                let ranks = of.iter().map(|share| field.space.rank(share.point as usize, column));
                let ends = ranks.clone().min().zip(ranks.max());
                ends.map_or(0.0, |(low, high)| field.space.axes()[column].cost(low, high))
            };
            rows as f64 * (0..field.space.axes().len()).map(cell).sum::<f64>()
        };
        (0..regions).map(cost).sum::<f64>() + (all - kept) as f64 * suppressed
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]
        /// At most the limit is suppressed, regions stay safe, the cost never rises, and no single
        /// point is left that would lower it.
        #[test]
        fn what_is_taken_out_lowers_the_cost(
            made in table(40, RANGES, RANGES),
            least in 1..4u64,
            parts in 1..4u32,
            limit in 0..20u64,
            counted: bool,
            wanted in 0..3usize,
        ) {
            let (distinct, majority) = (Distinct::new(2.0), Majority::new(0.7));
            let both: [&dyn ClassModel; 2] = [&distinct, &majority];
            let models = models(&made, [&both[..0], &both[..1], &both[1..]][wanted]);
            let search = Search::default();
            let field = field(&made, &search, Judge::new(&made.classes, least, models));
            let share = |point: u32| Share {
                point, region: point % parts, rows: made.space.counts()[point as usize],
            };
            let safe = |shares: &[Share]| (0..parts).all(|region| {
                let mut tally = field.judge.tally();
                let of = shares.iter().filter(|share| share.region == region);
                of.clone().for_each(|share| field.judge.add(&mut tally, share.point));
                of.count() == 0 || field.judge.safe(&tally)
            });
            let shares: Vec<Share> = (0..made.space.len() as u32).map(share).collect();
            prop_assume!(safe(&shares));
            let full: f64 = made.space.axes().iter().map(|axis| axis.weight()).sum();
            let suppressed = if counted { full } else { 0.0 };
            let rows = |shares: &[Share]| shares.iter().map(|share| u64::from(share.rows)).sum::<u64>();
            let trimmed = trimmed(&field, shares.clone(), Limit { rows: limit, counted }).unwrap();
            let out = rows(&shares) - rows(&trimmed);
            prop_assert!(out <= limit);
            prop_assert!(safe(&trimmed));
            prop_assert!((0..parts).all(|region| shares.iter().any(|share| share.region == region)
                == trimmed.iter().any(|share| share.region == region)));
            let cost = total(&field, &trimmed, suppressed);
            prop_assert!(cost <= total(&field, &shares, suppressed) + 1e-9);
            for at in 0..trimmed.len() {
                let mut without = trimmed.clone();
                let gone = without.remove(at);
                let alone = !without.iter().any(|share| share.region == gone.region);
                if u64::from(gone.rows) <= limit - out && !alone && safe(&without) {
                    let saved = cost - total(&field, &without, suppressed);
                    prop_assert!(saved / f64::from(gone.rows) < 2e-6, "{} {:?}", saved, gone);
                }
            }
        }
    }

    #[test]
    fn one_far_row_is_suppressed_rather_than_widen_a_region() {
        // Four rows at neighbouring numbers and one far away, in one region.
        let made = numbers(&[1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
        let search = Search::default();
        let field = field(&made, &search, Judge::new(&made.classes, 2, Vec::new()));
        let share = |point: u32| Share { point, region: 0, rows: 1 };
        let shares: Vec<Share> = (0..made.space.len() as u32).map(share).collect();
        let limit = |rows: u64| Limit { rows, counted: true };
        let trimmed = trimmed(&field, shares.clone(), limit(1)).unwrap();
        assert_eq!(trimmed, shares[..shares.len() - 1]);
        assert_eq!(super::trimmed(&field, shares.clone(), limit(0)).unwrap(), shares);
    }
}
