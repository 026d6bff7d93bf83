//! Microaggregation by MDAV: groups of k similar rows [Domingo-Ferrer 2002; Domingo-Ferrer 2005].
//!
//! While 3k rows are left, the point farthest from the centroid of the remaining rows forms a group
//! with its nearest neighbours; then so does the point farthest from that one. If at least 2k rows
//! remain, the point farthest from the centroid forms one more group; the rest is the last group.
//! The distance is Euclidean over numbers and places in a stated order in standard deviations and
//! labels in level / height, each times the column's weight. The centroid has the mean of every
//! such number and the most frequent value of every other. Equal rows stay together; a group takes
//! points until it is safe, models included, and points that cannot form a safe group join the
//! nearest groups. `written.rs` decides what is released for a group: its mean, median or interval.
//!
//! Costs points² / (2 · k) distances, in parts of at most [`PART`] points, which run in parallel.
//! Values are counted once per part: nothing in a part depends on the number of values of the table.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::groups::{ASKED, Groups};
use super::index::{Found, Index, Probe};
use super::metric::{Euclid, Metric};
use super::points::{Points, by_parts, each_set_or};
use super::region::{Field, Method, Share, Tally};
use crate::error::{Fault, Result};
use crate::registry::Algorithm;
use crate::table::Code;

/// Micro-aggregation.
pub struct Mdav;

/// Most points that are compared with each other.
const PART: usize = 10_000;

impl Method for Mdav {
    fn algorithm(&self) -> Algorithm {
        Algorithm::Mdav
    }

    fn refuses(&self, _field: &Field<'_>) -> Option<Fault> {
        None
    }

    fn run(&self, field: &Field<'_>, points: &[u32]) -> Result<Option<Vec<Share>>> {
        let metric = Metric::new(field.space);
        let spread = |column: usize, a: Code, b: Code| metric.spread(column, a, b);
        by_parts(field, points, PART, &spread, |part| Some(aggregate(field, part, &metric)?.shares(part)))
    }

    fn run_each(&self, field: &Field<'_>, sets: &[Vec<u32>]) -> Result<Option<Vec<Vec<Share>>>> {
        let metric = Metric::new(field.space);
        each_set_or(field, sets, (PART, |set: &[u32]| self.run(field, set)), |part| {
            Some(aggregate(field, part, &metric)?.shares(part))
        })
    }
}

/// The groups of a part; none when stopped.
fn aggregate(field: &Field<'_>, points: &Points<'_>, metric: &Metric<'_>) -> Option<Groups> {
    let index = Index::new(points.width(), points.all_ranks(), &|column, a, b| metric.spread(column, a, b));
    let left: Vec<u32> = (0..points.len() as u32).collect();
    let rows = left.iter().map(|&point| points.rows(point)).sum();
    let tally = points.judge().tally();
    let frequencies = (0..points.width())
        .map(|column| (!metric.scales[column].numeric).then(|| Frequencies::new(points, column)))
        .collect();
    let mut rest = Rest { points, metric, index, left, rows, frequencies, found: Found::default(), tally };
    let least = points.judge().least();
    let mut groups = Groups::default();
    while rest.rows >= least.saturating_mul(2) {
        if field.watch.should_finish() {
            return None;
        }
        let Some(first) = rest.farthest_from_middle() else { break };
        let two = rest.rows >= least.saturating_mul(3);
        let formed = rest.group(first, &mut groups);
        if !formed {
            break;
        }
        if two
            && let Some(second) = rest.farthest_from(first)
            && !rest.group(second, &mut groups)
        {
            break;
        }
    }
    if field.watch.should_finish() {
        return None;
    }
    rest.settle(&mut groups);
    Some(groups)
}

/// The points that are in no group.
struct Rest<'p, 'a, 'm> {
    points: &'p Points<'a>,
    metric: &'p Metric<'m>,
    index: Index,
    /// Ascending.
    left: Vec<u32>,
    rows: u64,
    /// Column → its values, unless it has a mean.
    frequencies: Vec<Option<Frequencies>>,
    found: Found,
    tally: Tally,
}

impl Rest<'_, '_, '_> {
    /// The middle of all points left: for each column a number, or the most frequent rank.
    fn middle(&mut self) -> Vec<Middle> {
        let mut frequencies = std::mem::take(&mut self.frequencies);
        let of_column = |(column, values): (usize, &mut Option<Frequencies>)| match values {
            Some(values) => Middle::Rank(values.most_frequent()),
            None => Middle::Mean(self.mean(column)),
        };
        let middle = frequencies.iter_mut().enumerate().map(of_column).collect();
        self.frequencies = frequencies;
        middle
    }

    fn mean(&self, column: usize) -> Option<f64> {
        let axis = &self.metric.axes[column];
        let (mut sum, mut rows) = (0.0, 0.0);
        for &point in &self.left {
            if let Some(x) = axis.number(self.points.ranks(point)[column]) {
                let count = self.points.rows(point) as f64;
                sum += x * count;
                rows += count;
            }
        }
        (rows > 0.0).then(|| sum / rows)
    }

    fn farthest_from_middle(&mut self) -> Option<u32> {
        let middle = self.middle();
        let far = |point: u32| {
            let squared = |(column, (&rank, middle)): (usize, (&Code, &Middle))| {
                let scale = &self.metric.scales[column];
                let apart = match middle {
                    Middle::Rank(middle) => self.metric.apart(column, rank, *middle),
                    Middle::Mean(mean) => match (self.metric.axes[column].number(rank), mean) {
                        (Some(x), Some(mean)) => (x - mean).abs(),
                        (None, None) => 0.0,
                        _ => scale.reach(),
                    },
                };
                apart * scale.unit * (apart * scale.unit)
            };
            self.points.ranks(point).iter().zip(&middle).enumerate().map(squared).sum::<f64>()
        };
        self.farthest(|point| far(point).to_bits())
    }

    fn farthest_from(&self, point: u32) -> Option<u32> {
        let probe = Euclid { metric: self.metric, from: self.points.ranks(point) };
        self.farthest(|other| probe.key(self.points.ranks(other)))
    }

    /// Of equal distances the lower number.
    fn farthest(&self, far: impl Fn(u32) -> u64) -> Option<u32> {
        self.left.iter().copied().max_by_key(|&point| (far(point), Reverse(point)))
    }

    /// Forms a group of a point and its nearest, as many as make it safe; where all points left are
    /// not enough, they stay, and it is false.
    fn group(&mut self, point: u32, groups: &mut Groups) -> bool {
        let judge = self.points.judge();
        let probe = Euclid { metric: self.metric, from: self.points.ranks(point) };
        let mut wanted = usize::try_from(judge.least()).unwrap_or(usize::MAX).clamp(1, self.left.len());
        loop {
            self.index.nearest(&probe, wanted, &mut self.found);
            self.tally.clear();
            let mut members = vec![point];
            self.points.add(&mut self.tally, point);
            let others = self.found.nearest.iter().map(|found| found.1).filter(|&other| other != point);
            for other in others {
                if judge.safe(&self.tally) {
                    break;
                }
                self.points.add(&mut self.tally, other);
                members.push(other);
            }
            if judge.safe(&self.tally) {
                self.close(members, groups);
                return true;
            }
            if wanted == self.left.len() {
                return false;
            }
            wanted = (wanted * 2).min(self.left.len());
        }
    }

    fn close(&mut self, mut members: Vec<u32>, groups: &mut Groups) {
        members.sort_unstable();
        for &member in &members {
            self.index.remove(member);
            let rows = self.points.rows(member);
            self.rows -= rows;
            for (values, &rank) in self.frequencies.iter_mut().zip(self.points.ranks(member)) {
                if let Some(values) = values {
                    values.remove(rank, rows);
                }
            }
        }
        self.left.retain(|point| members.binary_search(point).is_err());
        groups.members.push(members);
    }

    /// What is left is the last group, or joins the groups that have the nearest points.
    fn settle(mut self, groups: &mut Groups) {
        let points = self.points;
        self.tally.clear();
        if self.left.is_empty() {
            return;
        }
        if groups.members.is_empty() || points.safe(self.left.iter().copied(), &mut self.tally) {
            groups.members.push(std::mem::take(&mut self.left));
            return;
        }
        for &point in &self.left {
            let probe = Euclid { metric: self.metric, from: points.ranks(point) };
            let live = groups.members.iter().enumerate().filter(|(_, members)| !members.is_empty());
            let far = |(group, members): (usize, &Vec<u32>)| {
                let nearest = members.iter().map(|&member| probe.key(points.ranks(member))).min();
                (nearest, group)
            };
            let mut order: Vec<_> = live.map(far).collect();
            order.sort_unstable();
            let order: Vec<usize> = order.into_iter().map(|(_, group)| group).collect();
            groups.settle(points, point, &order, ASKED, &mut self.tally);
        }
    }
}

/// The rows left of every value of a column.
struct Frequencies {
    /// The values of the part, ascending.
    ranks: Vec<Code>,
    /// Value → its rows.
    rows: Vec<u64>,
    /// Rows and place of every value that has rows. Rows only decrease, so an entry may have too
    /// many; the first entry that is right is the most frequent value.
    largest: BinaryHeap<(u64, Reverse<u32>)>,
}

impl Frequencies {
    fn new(points: &Points<'_>, column: usize) -> Self {
        let all = || 0..points.len() as u32;
        let mut ranks: Vec<Code> = all().map(|point| points.ranks(point)[column]).collect();
        ranks.sort_unstable();
        ranks.dedup();
        let mut frequencies = Frequencies { rows: vec![0; ranks.len()], ranks, largest: BinaryHeap::new() };
        for point in all() {
            if let Some(place) = frequencies.place(points.ranks(point)[column]) {
                frequencies.rows[place] += points.rows(point);
            }
        }
        let entry = |(place, &rows): (usize, &u64)| (rows, Reverse(place as u32));
        frequencies.largest = frequencies.rows.iter().enumerate().map(entry).collect();
        frequencies
    }

    fn place(&self, rank: Code) -> Option<usize> {
        self.ranks.binary_search(&rank).ok()
    }

    fn remove(&mut self, rank: Code, rows: u64) {
        if let Some(place) = self.place(rank) {
            self.rows[place] -= rows;
        }
    }

    /// Of equally frequent values the first.
    fn most_frequent(&mut self) -> Code {
        while let Some((counted, Reverse(place))) = self.largest.pop() {
            let rows = self.rows[place as usize];
            if rows > 0 {
                self.largest.push((rows, Reverse(place)));
            }
            if rows == counted {
                return self.ranks[place as usize];
            }
        }
        0
    }
}

/// The middle of a column.
enum Middle {
    /// Of numbers; none where all are missing.
    Mean(Option<f64>),
    /// Of other values.
    Rank(Code),
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::region::Judge;
    use super::super::tests::{field, numbers, table};
    use super::*;
    use crate::policy::{Form, Search};

    const ANY: &[Form] = &[Form::Label, Form::Mean, Form::Range];

    /// The groups by MDAV's definition with every distance computed: for columns without missing
    /// values.
    fn by_definition(points: &Points<'_>, metric: &Metric<'_>) -> Vec<Vec<u32>> {
        let least = points.judge().least();
        let rows = |members: &[u32]| members.iter().map(|&p| points.rows(p)).sum::<u64>();
        let between = |a: u32, b: u32| -> f64 {
            let far =
                |c: usize| metric.apart(c, points.ranks(a)[c], points.ranks(b)[c]) * metric.scales[c].unit;
            (0..points.width()).map(|c| far(c) * far(c)).sum()
        };
        let from_middle = |left: &[u32], point: u32| -> f64 {
            let far = |c: usize| {
                let rank = |p: u32| points.ranks(p)[c];
                let number = |p: u32| metric.axes[c].number(rank(p)).unwrap();
                if metric.scales[c].numeric {
                    let sum: f64 = left.iter().map(|&p| number(p) * points.rows(p) as f64).sum();
                    return (number(point) - sum / rows(left) as f64).abs() * metric.scales[c].unit;
                }
                let rows_of =
                    |r: Code| left.iter().filter(|&&p| rank(p) == r).map(|&p| points.rows(p)).sum::<u64>();
                let most = (0..metric.axes[c].len() as Code).rev().max_by_key(|&r| rows_of(r)).unwrap();
                metric.apart(c, rank(point), most) * metric.scales[c].unit
            };
            (0..points.width()).map(|c| far(c) * far(c)).sum()
        };
        let mut left: Vec<u32> = (0..points.len() as u32).collect();
        let mut formed: Vec<Vec<u32>> = Vec::new();
        let take = |left: &mut Vec<u32>, seed: u32| {
            left.sort_by(|&a, &b| {
                (a != seed, between(seed, a))
                    .partial_cmp(&(b != seed, between(seed, b)))
                    .unwrap()
                    .then(a.cmp(&b))
            });
            let count = (1..=left.len()).find(|&n| rows(&left[..n]) >= least).unwrap();
            let mut group: Vec<u32> = left.drain(..count).collect();
            group.sort_unstable();
            left.sort_unstable();
            group
        };
        let farthest = |left: &[u32], far: &dyn Fn(u32) -> f64| {
            left.iter().copied().rev().max_by(|&a, &b| far(a).total_cmp(&far(b))).unwrap()
        };
        while rows(&left) >= 2 * least {
            let two = rows(&left) >= 3 * least;
            let first = farthest(&left, &|p| from_middle(&left, p));
            formed.push(take(&mut left, first));
            if two && rows(&left) >= least {
                let second = farthest(&left, &|p| between(first, p));
                formed.push(take(&mut left, second));
            }
        }
        if rows(&left) >= least {
            formed.push(left);
        }
        formed
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn groups_are_those_of_the_definition(made in table(100, ANY, ANY), least in 1..7u64) {
            prop_assume!(made.space.axes().iter().all(|axis| axis.missing().is_none()));
            let search = Search::default();
            let least = least.min(made.classes.rows());
            let field = field(&made, &search, Judge::new(&made.classes, least, Vec::new()));
            let points = Points::new(&field, &(0..made.space.len() as u32).collect::<Vec<_>>());
            let metric = Metric::new(&made.space);
            let formed = aggregate(&field, &points, &metric).unwrap();
            let expected = by_definition(&points, &metric);
            prop_assert_eq!(formed.members.len(), expected.len());
            for (members, expected) in formed.members.iter().zip(&expected) {
                prop_assert_eq!(&members[..expected.len()], &expected[..]);
            }
        }
    }

    #[test]
    fn numbers_are_grouped_from_the_outside() {
        // 0, 1, 4, 25, 36, 49, 64: the ends first, and the rest is the last group.
        let made = numbers(&[1, 1, 1, 0, 0, 1, 1, 1, 1]);
        let search = Search::default();
        let field = field(&made, &search, Judge::new(&made.classes, 2, Vec::new()));
        let shares = Mdav.run(&field, &(0..7).collect::<Vec<_>>()).unwrap().unwrap();
        let regions: Vec<u32> = shares.iter().map(|share| share.region).collect();
        assert_eq!(regions, [0, 0, 1, 1, 1, 2, 2]);
    }
}
