//! Greedy [Katirai 2006, figure 11]: joins every row with the rows that least increase its measure
//! until there are k, then makes the sets disjoint.
//!
//! For every point, repeatedly add the point that minimizes the cost of the least upper bound, with
//! ties going to the lowest number, until the set is safe. Katirai releases the bound of each row's
//! own set: each released row is then true of k originals. That is (k,1)-anonymity, which is weaker
//! than k-anonymity, because the released rows of a set need not be equal. [`own_sets`] has these
//! sets for `greedy-rows`; [`pack`](super::pack) turns them into safe regions for `greedy`.
//!
//! Where a set has rows enough and models are not satisfied, the cheapest of the nearest
//! [`HELPING`] points that bring it closer to being safe is added, or the cheapest if none
//! does: neighbours have like sensitive values, and sets that only grew by cost would hold a good
//! part of the table.
//!
//! With a beam, several sets of each row are kept while rows are added, and the cheapest that is
//! safe in the end is the row's [Katirai 2006, "Future Directions"].
//!
//! Katirai computes the bound with every row for each of the k − 1 added rows. Here a candidate is
//! skipped if its last known cost is not below the best one, because its cost does not fall as the
//! set grows. Initially the known cost is that with the row alone, and the nearest candidates come
//! first. The sets equal those of a full scan of a part; large tables are first divided into parts
//! of at most [`PART`] points. Costs points · part · columns additions.

use std::sync::Mutex;

use rayon::prelude::*;

use super::guided::guided;
use super::pack::pack;
use super::rows::Row;
use super::{Group, Kept, Meets, spread};
use crate::error::{Fault, Result};
use crate::recode::points::{Points, by_reporting_parts, each_part, each_set_or};
use crate::recode::region::{Field, Method, Share, Tally};
use crate::registry::Algorithm;
use crate::table::Code;

/// Joins every row with its nearest, and packs the sets.
pub struct Greedy;

/// Most points that are compared with each other.
const PART: usize = 4096;
/// The sets that are found between two reports.
const REPORTED: usize = 512;
/// How many of the nearest candidates are looked at before the others.
const AHEAD: usize = 64;
/// The number of costs in the sample that estimates the distance of the nearest.
const SAMPLE: usize = 1024;
/// How many candidates are passed over at a time.
const STRIDE: usize = 32;
/// More than anything costs.
const NEVER: u32 = u32::MAX;
/// How many of the cheapest candidates are asked whether they bring a set closer to being safe.
const HELPING: usize = 32;
/// How many of the nearest points of each are kept.
const NEAR: usize = 12;

impl Method for Greedy {
    fn algorithm(&self) -> Algorithm {
        Algorithm::Greedy
    }

    fn refuses(&self, _field: &Field<'_>) -> Option<Fault> {
        None
    }

    fn run(&self, field: &Field<'_>, points: &[u32]) -> Result<Option<Vec<Share>>> {
        let apart = |column: usize, a: Code, b: Code| spread(field.space, column, a, b);
        let failed = Mutex::new(None);
        // A model is queried for many candidates, and its answer hardly depends on the last per
        // cent of measure.
        let most = if field.aims.guiding.is_some() { PART / 2 } else { PART };
        let formed = by_reporting_parts(field, points, most, &apart, |part, progress| {
            let meets = Meets::new(field, part);
            let Some(guide) = field.aims.guiding.zip(field.aims.texts) else {
                let sets = sets(&meets, part, field, &|share| progress(0.8 * share))?;
                return pack(&meets, part, &sets, field, true);
            };
            match guided(&meets, part, field, guide) {
                Ok(sets) => pack(&meets, part, &sets?, field, false),
                Err(error) => {
                    failed.lock().ok()?.get_or_insert(error);
                    None
                }
            }
        })?;
        match failed.into_inner().ok().flatten() {
            Some(error) => Err(error),
            None => Ok(formed),
        }
    }

    fn run_each(&self, field: &Field<'_>, sets: &[Vec<u32>]) -> Result<Option<Vec<Vec<Share>>>> {
        // A model predicts one set at a time.
        let most = if field.aims.guiding.is_some() { 0 } else { PART };
        each_set_or(field, sets, (most, |set: &[u32]| self.run(field, set)), |part| {
            let meets = Meets::new(field, part);
            let sets = self::sets(&meets, part, field, &|_| {})?;
            pack(&meets, part, &sets, field, true)
        })
    }
}

/// The set of every point, itself first, numbered as in the table: what Katirai releases the bounds
/// of. Nothing is made disjoint. Large tables are divided into the parts of [`Greedy`]; none when
/// stopped.
pub fn own_sets(field: &Field<'_>, points: &[u32]) -> Option<Vec<Vec<u32>>> {
    let apart = |column: usize, a: Code, b: Code| spread(field.space, column, a, b);
    let found = each_part(field, points, PART, &apart, |part, progress| {
        let meets = Meets::new(field, part);
        let numbered = |set: Set| set.members.iter().map(|&point| part.number(point)).collect::<Vec<u32>>();
        Some(sets(&meets, part, field, progress)?.into_iter().map(numbered).collect::<Vec<_>>())
    })?;
    Some(found.into_iter().flatten().collect())
}

/// The set of a point: itself first.
#[derive(Debug, Clone)]
pub(super) struct Set {
    pub(super) members: Vec<u32>,
    pub(super) cost: u32,
    /// The nearest points, whether they are members or not.
    pub(super) near: Vec<u32>,
}

/// The sets of all points; none when stopped. Reports the share of them that is found.
pub(super) fn sets(
    meets: &Meets<'_>,
    points: &Points<'_>,
    field: &Field<'_>,
    progress: &dyn Fn(f64),
) -> Option<Vec<Set>> {
    let mut found = Vec::with_capacity(points.len());
    for start in (0..points.len()).step_by(REPORTED) {
        let end = points.len().min(start + REPORTED);
        found.extend(some_sets(meets, points, field, start as u32..end as u32)?);
        progress(end as f64 / points.len() as f64);
    }
    Some(found)
}

/// The sets of some points; none when stopped.
fn some_sets(
    meets: &Meets<'_>,
    points: &Points<'_>,
    field: &Field<'_>,
    some: std::ops::Range<u32>,
) -> Option<Vec<Set>> {
    let others: Vec<u32> = (0..points.len() as u32).collect();
    let one = |search: &mut Search, point: u32| {
        if point.is_multiple_of(64) && field.watch.should_finish() {
            return None;
        }
        Some(search.set(meets, points, point, &others))
    };
    some.into_par_iter().map_init(|| Search::new(field), one).collect()
}

/// A set that is being made.
#[derive(Clone)]
pub(super) struct Open {
    /// In the order in which they came, and by number.
    members: Vec<u32>,
    sorted: Vec<u32>,
    group: Group,
    tally: Tally,
    safe: bool,
}

impl Open {
    pub(super) fn new(meets: &Meets<'_>, points: &Points<'_>, point: u32) -> Self {
        let mut tally = points.judge().tally();
        points.add(&mut tally, point);
        let safe = points.judge().safe(&tally);
        Open { members: vec![point], sorted: vec![point], group: meets.start(point), tally, safe }
    }

    pub(super) fn with(&self, meets: &Meets<'_>, points: &Points<'_>, point: u32) -> Self {
        let Open { mut members, mut sorted, mut group, mut tally, .. } = self.clone();
        members.push(point);
        sorted.insert(sorted.partition_point(|&member| member < point), point);
        meets.join(&mut group, point);
        points.add(&mut tally, point);
        let safe = points.judge().safe(&tally);
        Open { members, sorted, group, tally, safe }
    }

    pub(super) fn is_safe(&self) -> bool {
        self.safe
    }

    pub(super) fn members(&self) -> &[u32] {
        &self.members
    }

    /// There is nothing to add.
    pub(super) fn settle(&mut self) {
        self.safe = true;
    }

    pub(super) fn into_set(self, cost: u32, near: Vec<u32>) -> Set {
        Set { members: self.members, cost, near }
    }

    /// The cheapest first, then by members.
    fn key(&self) -> (u32, &[u32]) {
        (self.group.cost(), &self.sorted)
    }
}

/// What a search needs meanwhile.
pub(super) struct Search {
    beam: usize,
    row: Row,
    kept: Kept,
    /// The candidates, and what each costs at least: together with the point alone at first.
    others: Vec<u32>,
    least: Vec<u32>,
    /// The places of the nearest of them, the nearest first.
    first: Vec<u32>,
    keys: Vec<u64>,
    sample: Vec<u32>,
}

impl Search {
    pub(super) fn new(field: &Field<'_>) -> Self {
        let beam = field.search.greedy.map_or(1, |greedy| greedy.beam);
        let [others, least, first, sample] = [const { Vec::new() }; 4];
        Search {
            beam,
            row: Row::default(),
            kept: Kept::default(),
            others,
            least,
            first,
            sample,
            keys: Vec::new(),
        }
    }

    /// Takes up the candidates for a point, in ascending order.
    pub(super) fn prepare(&mut self, meets: &Meets<'_>, point: u32, others: &[u32]) {
        meets.row_of(point, others, &mut self.least, &mut self.row);
        self.others.clear();
        self.others.extend_from_slice(others);
        if let Ok(own) = others.binary_search(&point) {
            self.least[own] = NEVER;
        }
        nearest(&self.least, &mut self.sample, &mut self.keys);
        self.first.clear();
        self.first.extend(self.keys.iter().map(|&key| key as u32));
    }

    /// The nearest points.
    pub(super) fn near(&self) -> Vec<u32> {
        self.first.iter().take(NEAR).map(|&place| self.others[place as usize]).collect()
    }

    /// The set of a point among some.
    pub(super) fn set(&mut self, meets: &Meets<'_>, points: &Points<'_>, point: u32, others: &[u32]) -> Set {
        self.prepare(meets, point, others);
        let near = self.near();
        let mut beam = vec![Open::new(meets, points, point)];
        while let Some(at) = beam.iter().position(|open| !open.safe) {
            // The cheapest come first, and a set only becomes dearer: no set that is not safe yet
            // can become cheaper than one before it.
            if at > 0 {
                break;
            }
            let mut grown: Vec<Open> = Vec::new();
            for open in beam.drain(..) {
                let next = match open.safe {
                    true => Vec::new(),
                    false if open.tally.rows() < points.judge().least() => self.next(meets, &open, self.beam),
                    false => self.helping(meets, points, &open),
                };
                if next.is_empty() {
                    grown.push(Open { safe: true, ..open });
                    continue;
                }
                grown.extend(next.into_iter().map(|next| open.with(meets, points, next)));
            }
            grown.sort_by(|a, b| a.key().cmp(&b.key()));
            grown.dedup_by(|a, b| a.sorted == b.sorted);
            grown.truncate(self.beam);
            beam = grown;
        }
        let Open { members, group, .. } = beam.swap_remove(0);
        Set { members, cost: group.cost(), near }
    }

    /// The cheapest points that bring a set closer to being safe, or the cheapest where none does;
    /// as many as the beam is wide.
    fn helping(&mut self, meets: &Meets<'_>, points: &Points<'_>, open: &Open) -> Vec<u32> {
        let judge = points.judge();
        let mut near = self.next(meets, open, self.beam.max(HELPING));
        let short = judge.short(&open.tally);
        let mut tally = open.tally.clone();
        let helps = |&&point: &&u32| {
            points.add(&mut tally, point);
            let after = judge.short(&tally);
            judge.remove(&mut tally, points.number(point));
            after < short
        };
        let helping: Vec<u32> = near.iter().filter(helps).take(self.beam).copied().collect();
        if !helping.is_empty() {
            return helping;
        }
        near.truncate(self.beam);
        near
    }

    /// The points that are cheapest to join, at most `most`; the lowest of equal ones.
    pub(super) fn next(&mut self, meets: &Meets<'_>, open: &Open, most: usize) -> Vec<u32> {
        let mut best = Best { most, found: Vec::with_capacity(most + 1) };
        self.kept.clear(meets);
        for at in 0..self.first.len() {
            self.look(meets, open, self.first[at] as usize, &mut best);
        }
        for start in (0..self.least.len()).step_by(STRIDE) {
            let end = self.least.len().min(start + STRIDE);
            let least = self.least[start..end].iter().fold(NEVER, |least, &cost| least.min(cost));
            if least <= best.limit() {
                (start..end).for_each(|at| self.look(meets, open, at, &mut best));
            }
        }
        best.found.into_iter().map(|(_, point)| point).collect()
    }

    /// Computes the cost of a candidate, if it could be among the best.
    fn look(&mut self, meets: &Meets<'_>, open: &Open, at: usize, best: &mut Best) {
        let point = self.others[at];
        if !best.takes((self.least[at], point)) || open.members.contains(&point) {
            return;
        }
        let cost = meets.within(&open.group, point, best.limit(), &mut self.kept);
        // Costs only rise while one set grows. Sets of a beam grow beside each other.
        if self.beam == 1 {
            self.least[at] = cost;
        }
        best.add((cost, point));
    }
}

/// The cheapest candidates so far, with what they cost, in order.
struct Best {
    most: usize,
    found: Vec<(u32, u32)>,
}

impl Best {
    /// What the dearest of them costs, once there are enough.
    fn limit(&self) -> u32 {
        self.found.get(self.most - 1).map_or(NEVER - 1, |dearest| dearest.0)
    }

    fn takes(&self, candidate: (u32, u32)) -> bool {
        candidate.0 != NEVER && self.found.get(self.most - 1).is_none_or(|dearest| candidate < *dearest)
    }

    fn add(&mut self, candidate: (u32, u32)) {
        if let Err(place) = self.found.binary_search(&candidate) {
            self.found.insert(place, candidate);
            self.found.truncate(self.most);
        }
    }
}

/// The places of the least costs with what they cost, in order: [`AHEAD`] of them, or all there
/// are.
fn nearest(costs: &[u32], sample: &mut Vec<u32>, keys: &mut Vec<u64>) {
    let mut below = |limit: u32| {
        keys.clear();
        let wanted = costs.iter().enumerate().filter(|(_, cost)| **cost < limit);
        keys.extend(wanted.map(|(at, &cost)| u64::from(cost) << 32 | at as u64));
        keys.len()
    };
    // A sample estimates the cost below which there are slightly more than needed.
    sample.clear();
    sample.extend(costs.iter().copied().step_by(costs.len() / SAMPLE + 1));
    let place = 2 * AHEAD * sample.len() / costs.len().max(1) + 1;
    let limit = if place < sample.len() { *sample.select_nth_unstable(place).1 } else { NEVER };
    if below(limit) < AHEAD {
        below(NEVER);
    }
    if keys.len() > AHEAD {
        keys.select_nth_unstable(AHEAD);
        keys.truncate(AHEAD);
    }
    keys.sort_unstable();
}
