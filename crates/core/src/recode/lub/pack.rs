//! Turns overlapping sets into disjoint regions, which makes a (k,1)-anonymous table k-anonymous at
//! low cost.
//!
//! The cheapest sets become regions as far as their points are in none; points that are left form
//! sets among themselves, and so on. What cannot form a set joins the region where rows then cost
//! least more; where none of the nearest stays safe, regions are merged until they are. Then points
//! are moved to regions of near points, or exchanged with their points, and regions are dissolved
//! into others, as long as that makes the rows of all regions cheaper. A region stays safe
//! throughout, and every point is in one.
//!
//! The cost is Σ over regions of rows · measure of their row. It never rises after packing, except
//! in tabu search: that makes the best move of a point even if it costs, does not undo it for a
//! while, and returns the cheapest regions that it saw. A pass costs points · near points · region
//! · columns; later passes skip points around which no region changed, because nothing that gains
//! was found there. An exchange is priced only where no pair of its points is too dear already.

use rayon::prelude::*;

use super::greedy::{Search, Set};
use super::partition::shares;
use super::{Group, Meets};
use crate::recode::groups::{ASKED, Settled, settled};
use crate::recode::points::Points;
use crate::recode::region::{Field, Share, Tally};

/// No region.
const NOWHERE: u32 = u32::MAX;
/// Most passes over all points.
const PASSES: usize = 8;
/// Rounds of sets among the points that are left.
const ROUNDS: usize = 8;
/// Points are not exchanged with regions of more: every exchange is priced by all points of the
/// region.
const LARGEST: usize = 256;

/// Disjoint sets of points.
pub(super) struct Regions<'a> {
    meets: &'a Meets<'a>,
    points: &'a Points<'a>,
    of: Vec<u32>,
    members: Vec<Vec<u32>>,
    /// Region → rows · cost, rows, and what its points have in common.
    costs: Vec<u64>,
    rows: Vec<u64>,
    groups: Vec<Group>,
    /// Region → when its points last changed; the number of changes so far.
    changed: Vec<u32>,
    changes: u32,
    tally: Tally,
}

/// Regions of sets, polished where their cost is that of their cells; none when stopped.
pub(super) fn pack(
    meets: &Meets<'_>,
    points: &Points<'_>,
    sets: &[Set],
    field: &Field<'_>,
    polished: bool,
) -> Option<(Vec<Share>, u32)> {
    let mut regions = Regions::new(meets, points);
    let near: Vec<&[u32]> = sets.iter().map(|set| &set.near[..]).collect();
    regions.found_all(sets.iter());
    regions.rounds(&near, field);
    if polished {
        regions.polish(&near, field)?;
    }
    let mut formed = std::mem::take(&mut regions.members);
    formed.retain(|members| !members.is_empty());
    formed.iter_mut().for_each(|members| members.sort_unstable());
    formed.sort_unstable();
    Some(shares(points, formed))
}

impl<'a> Regions<'a> {
    fn new(meets: &'a Meets<'a>, points: &'a Points<'a>) -> Self {
        let of = vec![NOWHERE; points.len()];
        let tally = points.judge().tally();
        let (members, costs, rows, groups) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let changed = Vec::new();
        Regions { meets, points, of, members, costs, rows, groups, changed, changes: 0, tally }
    }

    /// What rows of some points cost in one region.
    fn priced(&self, members: impl Iterator<Item = u32> + Clone) -> u64 {
        let rows: u64 = members.clone().map(|point| self.points.rows(point)).sum();
        rows * u64::from(self.meets.cost(members))
    }

    /// The cost of the rows of a group of this size and of one more point in one region.
    fn priced_with(&self, (group, rows): (&Group, u64), point: u32) -> u64 {
        (rows + self.points.rows(point)) * u64::from(self.meets.with(group, point))
    }

    /// Computes the cost of a region again.
    fn price(&mut self, region: usize) {
        self.changes += 1;
        self.changed[region] = self.changes;
        let members = &self.members[region];
        self.rows[region] = members.iter().map(|&point| self.points.rows(point)).sum();
        if let Some(group) = self.meets.group(members.iter().copied()) {
            self.costs[region] = self.rows[region] * u64::from(group.cost());
            self.groups[region] = group;
        } else {
            self.costs[region] = 0;
        }
    }

    fn safe(&mut self, members: impl Iterator<Item = u32> + Clone) -> bool {
        self.points.safe(members, &mut self.tally)
    }

    /// Whether a region stays safe with one more point.
    fn takes(&mut self, region: usize, point: u32) -> bool {
        let with = || self.members[region].iter().copied().chain([point]);
        self.points.judge().absorbs() || self.points.safe(with(), &mut self.tally)
    }

    fn found(&mut self, members: Vec<u32>) {
        let region = self.members.len() as u32;
        members.iter().for_each(|&point| self.of[point as usize] = region);
        self.costs.push(0);
        self.rows.push(0);
        self.changed.push(0);
        self.groups.push(self.meets.start(members[0]));
        self.members.push(members);
        self.price(region as usize);
    }

    /// Makes regions of sets, the cheapest first, as far as their points are in none and are safe
    /// without the others.
    fn found_all<'s>(&mut self, sets: impl Iterator<Item = &'s Set>) {
        let mut order: Vec<&Set> = sets.collect();
        order.sort_by_key(|set| (set.cost, set.members[0]));
        for set in order {
            if self.of[set.members[0] as usize] != NOWHERE {
                continue;
            }
            let free: Vec<u32> =
                set.members.iter().copied().filter(|&point| self.of[point as usize] == NOWHERE).collect();
            if self.safe(free.iter().copied()) {
                self.found(free);
            }
        }
    }

    fn left(&self) -> Vec<u32> {
        (0..self.points.len() as u32).filter(|&point| self.of[point as usize] == NOWHERE).collect()
    }

    /// Sets among the points that are left; in the end all are in regions.
    fn rounds(&mut self, near: &[&[u32]], field: &Field<'_>) {
        for _ in 0..ROUNDS {
            let left = self.left();
            if !self.safe(left.iter().copied()) {
                break;
            }
            let (meets, points) = (self.meets, self.points);
            let set = |search: &mut Search, &point: &u32| search.set(meets, points, point, &left);
            let sets: Vec<Set> = left.par_iter().map_init(|| Search::new(field), set).collect();
            self.found_all(sets.iter());
        }
        for point in self.left() {
            // Where nothing else is safe, one of them takes all others with it.
            if self.of[point as usize] == NOWHERE {
                self.place(point, near);
            }
        }
    }

    /// Puts a point that is in no region into the one where that costs least, among those of near
    /// points if it can be, and which stays safe. Where there is none,
    /// regions are merged until they are safe with it.
    fn place(&mut self, point: u32, near: &[&[u32]]) {
        let around = self.around(point, near);
        if let Some((_, region)) = self.cheapest(point, &around) {
            return self.put(point, region);
        }
        let all = (0..self.members.len()).filter(|&region| !self.members[region].is_empty());
        let mut order: Vec<(i64, usize)> = all.map(|region| (self.more(region, point), region)).collect();
        order.sort_unstable();
        let order: Vec<usize> = order.into_iter().map(|(_, region)| region).collect();
        let members = |region: usize| &self.members[region][..];
        match settled(self.points, point, (&order, ASKED), members, &mut self.tally) {
            Some(Settled::Joins(region)) => self.put(point, region as u32),
            Some(Settled::Merges(regions)) => self.merge(&regions, point),
            // No region could be formed: all points together are safe.
            None => self.found((0..self.points.len() as u32).collect()),
        }
    }

    /// Puts a point and the points of all these regions into the first of them.
    fn merge(&mut self, regions: &[usize], point: u32) {
        let Some(&first) = regions.first() else { return };
        let mut members = vec![point];
        for &region in regions {
            members.append(&mut self.members[region]);
            self.price(region);
        }
        members.iter().for_each(|&member| self.of[member as usize] = first as u32);
        self.members[first] = members;
        self.price(first);
    }

    /// By how much a region costs more with one more point.
    fn more(&self, region: usize, point: u32) -> i64 {
        self.priced_with((&self.groups[region], self.rows[region]), point) as i64 - self.costs[region] as i64
    }

    /// The region in which a point costs least more, and how much.
    fn cheapest(&mut self, point: u32, regions: &[u32]) -> Option<(i64, u32)> {
        let mut best: Option<(i64, u32)> = None;
        for &region in regions {
            let at = region as usize;
            let more = self.more(at, point);
            if best.is_none_or(|best| (more, region) < best) && self.takes(at, point) {
                best = Some((more, region));
            }
        }
        best
    }

    fn put(&mut self, point: u32, region: u32) {
        self.of[point as usize] = region;
        self.members[region as usize].push(point);
        self.price(region as usize);
    }

    fn take(&mut self, point: u32) {
        let region = self.of[point as usize] as usize;
        self.members[region].retain(|&member| member != point);
        self.price(region);
        self.of[point as usize] = NOWHERE;
    }

    /// Whether the region of a point or of a near point changed after a change.
    fn news(&self, point: u32, near: &[&[u32]], after: u32) -> bool {
        let changed = |&other: &u32| {
            let region = self.of[other as usize];
            region != NOWHERE && self.changed[region as usize] > after
        };
        changed(&point) || near[point as usize].iter().any(changed)
    }

    /// The other regions of near points, each once.
    fn around(&self, point: u32, near: &[&[u32]]) -> Vec<u32> {
        let own = self.of[point as usize];
        let mut regions: Vec<u32> = Vec::new();
        for &other in near[point as usize] {
            let region = self.of[other as usize];
            if region != NOWHERE && region != own && !regions.contains(&region) {
                regions.push(region);
            }
        }
        regions
    }

    /// Moves, exchanges and dissolves while that pays; none when stopped.
    fn polish(&mut self, near: &[&[u32]], field: &Field<'_>) -> Option<()> {
        let mut steps = Steps::new(self.points.len(), 0);
        let mut tried = vec![0; self.members.len()];
        for _ in 0..PASSES {
            let before: u64 = self.costs.iter().sum();
            self.pass(near, &mut steps, field)?;
            for (region, tried) in tried.iter_mut().enumerate() {
                let members = &self.members[region];
                if members.iter().any(|&point| self.news(point, near, *tried)) {
                    *tried = self.changes;
                    self.dissolve(region, near);
                }
            }
            // Less than a thousandth is not worth another pass.
            let after: u64 = self.costs.iter().sum();
            if before - after <= before / 1000 {
                break;
            }
        }
        let tabu = field.search.greedy.map_or(0, |greedy| greedy.tabu);
        if tabu > 0 {
            self.tabu(near, tabu, field)?;
        }
        Some(())
    }

    /// A search that remembers: the cheapest regions of some passes in which moves may cost.
    fn tabu(&mut self, near: &[&[u32]], passes: usize, field: &Field<'_>) -> Option<()> {
        let mut steps = Steps::new(self.points.len(), self.points.len() as u32 / 2 + 1);
        let kept = |r: &Self| (r.of.clone(), r.members.clone());
        let mut best = (self.costs.iter().sum::<u64>(), kept(self));
        for _ in 0..passes {
            self.pass(near, &mut steps, field)?;
            let cost = self.costs.iter().sum::<u64>();
            if cost < best.0 {
                best = (cost, kept(self));
            }
        }
        (self.of, self.members) = best.1;
        (0..self.members.len()).for_each(|region| self.price(region));
        Some(())
    }

    /// The best step of every point, in order; without a memory only where it pays.
    fn pass(&mut self, near: &[&[u32]], steps: &mut Steps, field: &Field<'_>) -> Option<()> {
        for point in 0..self.points.len() as u32 {
            if point.is_multiple_of(256) && field.watch.should_finish() {
                return None;
            }
            steps.now += 1;
            let seen = steps.seen[point as usize];
            if steps.forbidden(point) || steps.memory == 0 && !self.news(point, near, seen) {
                continue;
            }
            steps.seen[point as usize] = self.changes;
            let own = self.of[point as usize];
            let Some((gain, region, other)) = self.step(point, near, steps) else { continue };
            if gain <= 0 && (steps.memory == 0 || gain < -(self.costs[own as usize] as i64) / 4) {
                continue;
            }
            self.take(point);
            if let Some(other) = other {
                self.take(other);
                self.put(other, own);
                steps.remember(other);
            }
            self.put(point, region);
            steps.remember(point);
        }
        Some(())
    }

    /// The step of a point that gains most: the region that it goes to, and the point that comes in
    /// exchange, if any.
    fn step(&mut self, point: u32, near: &[&[u32]], steps: &Steps) -> Option<(i64, u32, Option<u32>)> {
        let own = self.of[point as usize];
        let rest: Vec<u32> =
            self.members[own as usize].iter().copied().filter(|&member| member != point).collect();
        let own_cost = self.costs[own as usize] as i64;
        // A cell cannot be cheaper than for no row at all.
        if own_cost == 0 {
            return None;
        }
        let goes = !rest.is_empty() && self.safe(rest.iter().copied());
        let rest_group = self.meets.group(rest.iter().copied());
        let rest_rows: u64 = rest.iter().map(|&member| self.points.rows(member)).sum();
        let rest_cost = rest_group.as_ref().map_or(0, |group| rest_rows * u64::from(group.cost())) as i64;
        let mut best: Option<(i64, u32, Option<u32>)> = None;
        for region in self.around(point, near) {
            let at = region as usize;
            let cost = self.costs[at] as i64;
            if goes && self.takes(at, point) {
                let there = self.priced_with((&self.groups[at], self.rows[at]), point);
                let gain = own_cost + cost - rest_cost - there as i64;
                best = better(best, (gain, region, None));
            }
            if self.members[at].len() > LARGEST || rest.len() > LARGEST {
                continue;
            }
            let members = std::mem::take(&mut self.members[at]);
            let (farthest, second) = self.farthest(point, &members);
            for &other in members.iter().filter(|&&other| !steps.forbidden(other)) {
                let here = || rest.iter().copied().chain([other]);
                let there = || members.iter().copied().filter(|&m| m != other).chain([point]);
                // What is there costs at least what the point costs with the farthest that stays,
                // and what is here what the rest costs.
                let rows = self.points.rows(other);
                let far = if farthest.1 == other { second } else { farthest.0 };
                let there_least = (self.rows[at] - rows + self.points.rows(point)) * u64::from(far);
                let here_least = (rest_rows + rows) * rest_group.as_ref().map_or(0, |g| u64::from(g.cost()));
                let hopeless = |here: u64| {
                    let most = own_cost + cost - (here + there_least) as i64;
                    best.map_or(steps.memory == 0 && most <= 0, |best| most <= best.0)
                };
                if hopeless(here_least) {
                    continue;
                }
                let new_here = match &rest_group {
                    Some(group) => self.priced_with((group, rest_rows), other),
                    None => self.priced(here()),
                };
                if hopeless(new_here) {
                    continue;
                }
                let gain = own_cost + cost - new_here as i64 - self.priced(there()) as i64;
                if best.is_none_or(|best| gain > best.0) && self.safe(here()) && self.safe(there()) {
                    best = better(best, (gain, region, Some(other)));
                }
            }
            self.members[at] = members;
        }
        best
    }

    /// What a row of a point and the farthest of some points costs, and that point; and what it
    /// costs with the second.
    fn farthest(&self, point: u32, members: &[u32]) -> ((u32, u32), u32) {
        let (mut first, mut second) = ((0, NOWHERE), 0);
        for &member in members {
            let cost = self.meets.pair(point, member);
            if cost > first.0 {
                (first, second) = ((cost, member), first.0);
            } else {
                second = second.max(cost);
            }
        }
        (first, second)
    }

    /// Deals the points of a region to others where that is cheaper.
    fn dissolve(&mut self, region: usize, near: &[&[u32]]) {
        let members = self.members[region].clone();
        if members.is_empty() || self.costs[region] == 0 || !self.points.judge().absorbs() {
            return;
        }
        let mut more = 0;
        let mut places = Vec::new();
        for &point in &members {
            let around = self.around(point, near);
            let Some((cost, place)) = self.cheapest(point, &around) else { return };
            more += cost;
            places.push((point, place));
        }
        // Points that go to one region may cost more together than one by one: then it is taken
        // back.
        if more >= self.costs[region] as i64 {
            return;
        }
        let touched: Vec<u32> = places.iter().map(|place| place.1).collect();
        let sum = |r: &Self| touched_sum(&touched, &r.costs) + r.costs[region];
        let before = sum(self);
        for &(point, place) in &places {
            self.take(point);
            self.put(point, place);
        }
        if sum(self) >= before {
            for &(point, _) in &places {
                self.take(point);
                self.put(point, region as u32);
            }
        }
    }
}

/// Σ of the costs of some regions, each once.
fn touched_sum(touched: &[u32], costs: &[u64]) -> u64 {
    let first = |at: usize| !touched[..at].contains(&touched[at]);
    (0..touched.len()).filter(|&at| first(at)).map(|at| costs[touched[at] as usize]).sum()
}

/// The step that gains more, the first of equal ones.
fn better(
    best: Option<(i64, u32, Option<u32>)>,
    step: (i64, u32, Option<u32>),
) -> Option<(i64, u32, Option<u32>)> {
    if best.is_none_or(|best| step.0 > best.0) { Some(step) } else { best }
}

/// What was done when.
struct Steps {
    now: u32,
    /// How long a point stays where it was put; 0 where nothing is remembered.
    memory: u32,
    until: Vec<u32>,
    /// Point → the changes that there were when its steps were last computed.
    seen: Vec<u32>,
}

impl Steps {
    fn new(points: usize, memory: u32) -> Self {
        Steps { now: 0, memory, until: vec![0; points], seen: vec![0; points] }
    }

    fn forbidden(&self, point: u32) -> bool {
        self.memory > 0 && self.until[point as usize] > self.now
    }

    fn remember(&mut self, point: u32) {
        self.until[point as usize] = self.now + self.memory;
    }
}
