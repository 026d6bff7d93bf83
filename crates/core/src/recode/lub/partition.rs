//! Partition [Katirai 2006, "The Partition Algorithm"]: splits a set of rows around the two that
//! are farthest apart, recursively; a split with an unsafe side is undone.
//!
//! The distance of A and B is 2·M(LUB(A, B)) − (M(A) + M(B)), where M is the measure of a row.
//! Every other row goes to the nearer of the two; ties go to the side with fewer rows.
//!
//! Katirai undoes the split and stops, so one outlier keeps thousands of rows together. Here the
//! rows of an unsafe side are excluded as pivots and the set is split again,
//! `search.partition.tries` times in all; 1 gives Katirai's algorithm.
//!
//! Katirai compares all pairs to find the farthest. Sets of more than [`PAIRS`] points are swept
//! instead, from [`STARTS`] starting points: the point farthest from one, the one farthest from
//! that, and so on while the distance grows. Many pairs are equally far apart; the choice among
//! them changes the loss by up to 2 % either way, and so does comparing all pairs. A sweep costs
//! points · columns; splitting costs that at every depth. Outliers make the tree of splits deep, so
//! large tables are first divided into parts of at most [`PART`] points.

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::rows::Row;
use super::{Meets, spread};
use crate::error::{Fault, Result};
use crate::recode::points::{Points, by_reporting_parts, each_set_or};
use crate::recode::region::{Field, Method, Share};
use crate::registry::Algorithm;
use crate::table::Code;

/// Splits about the farthest rows.
pub struct Partition;

/// Larger tables are divided into parts of at most this many points first.
const PART: usize = 32_768;
/// The largest number of points for which all pairs are compared.
const PAIRS: usize = 64;
/// How many points sweeps start from.
const STARTS: usize = 16;
/// Most sweeps.
const SWEEPS: usize = 8;

impl Method for Partition {
    fn algorithm(&self) -> Algorithm {
        Algorithm::Partition
    }

    fn refuses(&self, _field: &Field<'_>) -> Option<Fault> {
        None
    }

    fn run(&self, field: &Field<'_>, points: &[u32]) -> Result<Option<Vec<Share>>> {
        let apart = |column: usize, a: Code, b: Code| spread(field.space, column, a, b);
        by_reporting_parts(field, points, PART, &apart, |all, progress| {
            let meets = Meets::new(field, all);
            let sides = split_all(&meets, all, field, (PAIRS, progress))?;
            Some(shares(all, sides))
        })
    }

    fn run_each(&self, field: &Field<'_>, sets: &[Vec<u32>]) -> Result<Option<Vec<Vec<Share>>>> {
        each_set_or(field, sets, (PART, |set: &[u32]| self.run(field, set)), |all| {
            let meets = Meets::new(field, all);
            Some(shares(all, split_all(&meets, all, field, (PAIRS, &|_| {}))?))
        })
    }
}

/// Shares of whole points, region by region.
pub(super) fn shares(points: &Points<'_>, regions: Vec<Vec<u32>>) -> (Vec<Share>, u32) {
    let count = regions.len() as u32;
    let share = |region: u32, point: u32| Share {
        point: points.number(point),
        region,
        rows: points.rows(point) as u32,
    };
    let regions = regions.into_iter().enumerate();
    let all = regions.flat_map(|(region, members)| {
        members.into_iter().map(move |point| share(region as u32, point)).collect::<Vec<_>>()
    });
    (all.collect(), count)
}

/// Splits all points until nothing can be split, and reports the share of points that stay together;
/// none when stopped.
pub(super) fn split_all(
    meets: &Meets<'_>,
    points: &Points<'_>,
    field: &Field<'_>,
    (pairs, progress): (usize, &dyn Fn(f64)),
) -> Option<Vec<Vec<u32>>> {
    let alone: Vec<u32> = (0..points.len() as u32).map(|point| meets.alone(point)).collect();
    let tries = field.search.partition.unwrap_or_default().tries;
    let splitting = Splitting { meets, points, alone: &alone, pairs, tries };
    let mut open = vec![(0..points.len() as u32).collect::<Vec<u32>>()];
    let mut done = Vec::new();
    let mut settled = 0;
    while !open.is_empty() {
        if field.watch.should_finish() {
            return None;
        }
        let split: Vec<_> =
            open.par_iter().map_init(Row::default, |row, set| splitting.split(set, row)).collect();
        let mut next = Vec::new();
        for (set, sides) in open.into_iter().zip(split) {
            match sides {
                Some((one, other)) => next.extend([one, other]),
                None => {
                    settled += set.len();
                    done.push(set);
                }
            }
        }
        progress(settled as f64 / points.len().max(1) as f64);
        open = next;
    }
    Some(done)
}

/// What splitting looks at.
struct Splitting<'a> {
    meets: &'a Meets<'a>,
    points: &'a Points<'a>,
    alone: &'a [u32],
    pairs: usize,
    tries: usize,
}

impl Splitting<'_> {
    /// The two safe sides of a set; none where there are not.
    fn split(&self, set: &[u32], row: &mut Row) -> Option<(Vec<u32>, Vec<u32>)> {
        let rows: u64 = set.iter().map(|&point| self.points.rows(point)).sum();
        if set.len() < 2 || rows < 2 * self.points.judge().least() {
            return None;
        }
        let mut about = set.to_vec();
        for _ in 0..self.tries {
            let (one, other) = self.farthest(&about, row)?;
            let [left, right] = self.sides(set, (one, other), row);
            let mut tally = self.points.judge().tally();
            let [first, second] =
                [&left, &right].map(|side| self.points.safe(side.iter().copied(), &mut tally));
            if first && second {
                return Some((left, right));
            }
            let unsafe_sides = [(first, left), (second, right)].into_iter().filter(|(safe, _)| !safe);
            let out: FxHashSet<u32> = unsafe_sides.flat_map(|(_, side)| side).collect();
            about.retain(|point| !out.contains(point));
        }
        None
    }

    /// Every point of a set on the side of the nearer of two.
    fn sides(&self, set: &[u32], (one, other): (u32, u32), row: &mut Row) -> [Vec<u32>; 2] {
        let (mut to_one, mut to_other) = (Vec::new(), Vec::new());
        self.distances(one, set, &mut to_one, row);
        self.distances(other, set, &mut to_other, row);
        let (mut left, mut right) = ((Vec::new(), 0), (Vec::new(), 0));
        for (at, &point) in set.iter().enumerate() {
            let nearer = to_one[at].cmp(&to_other[at]);
            let first = point == one || (point != other && nearer.then(left.1.cmp(&right.1)).is_le());
            let side: &mut (Vec<u32>, u64) = if first { &mut left } else { &mut right };
            side.0.push(point);
            side.1 += self.points.rows(point);
        }
        [left.0, right.0]
    }

    /// Distances of all points of a set from one; only their order matters, so that what the one
    /// costs by itself is left out.
    fn distances(&self, from: u32, set: &[u32], distances: &mut Vec<i64>, row: &mut Row) {
        let mut costs = Vec::new();
        self.meets.row_of(from, set, &mut costs, row);
        let own = i64::from(self.alone[from as usize]);
        distances.clear();
        let distance =
            |(&cost, &to): (&u32, &u32)| 2 * i64::from(cost) - own - i64::from(self.alone[to as usize]);
        distances.extend(costs.iter().zip(set).map(distance));
    }

    /// Two points that are far apart; none where all are at no distance.
    fn farthest(&self, set: &[u32], row: &mut Row) -> Option<(u32, u32)> {
        let mut distances = Vec::new();
        let mut far = |from: u32, set: &[u32]| {
            self.distances(from, set, &mut distances, row);
            let at = (0..set.len()).max_by_key(|&at| (distances[at], std::cmp::Reverse(set[at])))?;
            Some((distances[at], set[at]))
        };
        let mut best: Option<(i64, u32, u32)> = None;
        if set.len() <= self.pairs {
            for (at, &from) in set.iter().enumerate() {
                let found = far(from, &set[at..]).map(|(distance, to)| (distance, from, to));
                best = best.max_by_distance(found);
            }
        } else {
            for start in 0..STARTS {
                let mut from = *set.get(start * set.len() / STARTS)?;
                let mut reached = 0;
                for _ in 0..SWEEPS {
                    let (distance, to) = far(from, set)?;
                    if distance <= reached {
                        break;
                    }
                    reached = distance;
                    best = best.max_by_distance(Some((distance, from, to)));
                    from = to;
                }
            }
        }
        best.filter(|best| best.0 > 0).map(|(_, one, other)| (one, other))
    }
}

/// The farther of two pairs, the first of equal ones.
trait Farther {
    fn max_by_distance(self, other: Self) -> Self;
}

impl Farther for Option<(i64, u32, u32)> {
    fn max_by_distance(self, other: Self) -> Self {
        match (self, other) {
            (Some(a), Some(b)) if b.0 > a.0 => Some(b),
            (None, other) => other,
            (one, _) => one,
        }
    }
}
