//! Local search that lowers the cost of clusters while keeping every cluster safe.
//!
//! Four kinds of change are made among clusters of near points. *Tours* cut long rows of points anew
//! (`tours`). A point *moves* to a cluster that pays less for it, or a cluster is *dissolved*, each
//! of its points going where it costs least. Two points of two clusters are *swapped*. Neighbouring
//! clusters are *re-formed*, starting with one point and continuing at random (large neighbourhood
//! search, [Shaw 1998]); dear clusters more often than cheap ones. Re-formed clusters of equal cost
//! are kept, so that later rounds see new configurations.
//!
//! Tours begin with some noise, which fades out. The clusters of least cost that were seen are the
//! result, so the cost never rises. How much is done depends on the number of points alone
//! ([`Effort`]), never on the clock.
//!
//! Costs about 0.4 µs per point and tour, 0.5 µs for moves, 3 µs for swaps and for re-forming, with
//! nine columns and k = 5.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::clusters::{Cluster, Clusters};
use super::near::Near;
use super::prices::cost;
use super::region::Tally;
use super::tours::Tours;
use crate::watch::Watch;

/// Larger clusters are not formed anew: that compares all their points with each other.
const LARGEST: usize = 40;
/// Points of larger clusters are not swapped.
const SWAPPED: usize = 16;
/// Where further rows can make a safe cluster unsafe, no point moves to or from clusters of more
/// points: a judgement looks at all of them.
const JUDGED: usize = 512;

/// Regions of cuts are refined less in a table of more points.
pub const FEW: usize = 100_000;

/// How much is done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effort {
    /// Tours.
    pub tours: usize,
    /// Tours between moves of points; 0 never moves them.
    pub moves: usize,
    /// Tours between re-formings of clusters; 0 never re-forms.
    pub forms: usize,
    /// The noise of the first tour, as a share of what a column costs at the top.
    pub noise: f64,
    /// Rounds of swaps, re-forming and a few tours at the end.
    pub rounds: usize,
}

impl Effort {
    /// What regions of cuts are refined by: more in a table of few points.
    pub fn of_cuts(points: usize) -> Self {
        let (tours, moves) = if points > FEW { (1, 0) } else { (6, 3) };
        Effort { tours, moves, forms: 0, noise: 0.0, rounds: 0 }
    }

    /// What nearest clusters are refined by: the more, the fewer points the table has.
    pub fn of(points: usize) -> Self {
        let tours = ((1 << 20) / points.max(1)).clamp(20, 40);
        Effort { tours, moves: 5, forms: 10, noise: 2.0, rounds: if tours > 20 { 2 } else { 1 } }
    }

    /// Steps of progress.
    fn steps(self) -> usize {
        self.tours + 8 * self.rounds
    }
}

/// Lowers the cost of clusters; false when stopped.
pub fn polish(
    clusters: &mut Clusters<'_>,
    near: &Near,
    (effort, seed): (Effort, u64),
    watch: &Watch,
    progress: &dyn Fn(f64),
) -> bool {
    let mut polish = Polish {
        tally: clusters.points.judge().tally(),
        tours: Tours::new(clusters),
        toured: clusters.points.judge().is_cheap(),
        clusters,
        near,
        watch,
        chance: ChaCha8Rng::seed_from_u64(seed),
        costs: Vec::new(),
    };
    let mut best = Best::of(polish.clusters);
    let mut step = 0;
    let mut done = |by: usize| {
        step += by;
        progress(step as f64 / effort.steps().max(1) as f64);
    };
    let unit = polish.clusters.prices.unit() as f64;
    for tour in 0..effort.tours {
        let left = 1.0 - (tour + 1) as f64 / effort.tours as f64;
        polish.tour((effort.noise * unit * left) as u64);
        let moves = effort.moves > 0 && (tour + 1).is_multiple_of(effort.moves);
        let forms = effort.forms > 0 && (tour + 1).is_multiple_of(effort.forms);
        let stopped = watch.should_finish() || moves && !polish.moves() || forms && !polish.forms(tour);
        if stopped {
            return false;
        }
        best.see(polish.clusters);
        done(1);
    }
    for round in 0..effort.rounds {
        if !polish.swaps() || !polish.forms(round) {
            return false;
        }
        (0..5).for_each(|_| polish.tour(0));
        best.see(polish.clusters);
        done(8);
    }
    best.back(polish.clusters);
    true
}

/// The clusters of least cost that were seen.
struct Best {
    total: u64,
    of: Vec<u32>,
}

impl Best {
    fn of(clusters: &Clusters<'_>) -> Self {
        Best { total: clusters.total(), of: clusters.of.clone() }
    }

    fn see(&mut self, clusters: &Clusters<'_>) {
        if clusters.total() < self.total {
            *self = Best::of(clusters);
        }
    }

    /// Makes clusters what they were at best.
    fn back(self, clusters: &mut Clusters<'_>) {
        if clusters.total() <= self.total {
            return;
        }
        let count = self.of.iter().max().map_or(0, |&last| last as usize + 1);
        let mut members = vec![Vec::new(); count];
        self.of.iter().enumerate().for_each(|(point, &at)| members[at as usize].push(point as u32));
        clusters.list.clear();
        members.into_iter().filter(|members| !members.is_empty()).for_each(|m| clusters.found(m));
    }
}

struct Polish<'p, 'a> {
    clusters: &'p mut Clusters<'a>,
    near: &'p Near,
    watch: &'p Watch,
    tally: Tally,
    tours: Tours,
    /// Whether sets are judged cheaply enough for tours.
    toured: bool,
    chance: ChaCha8Rng,
    /// Growth and cluster, for the point at hand.
    costs: Vec<(u64, u32)>,
}

impl<'p, 'a> Polish<'p, 'a> {
    fn near(&self, point: u32) -> &'p [u32] {
        self.near.of(point)
    }

    fn tour(&mut self, noise: u64) {
        if self.toured {
            self.tours.pass(self.clusters, self.near, noise, &mut self.chance);
        }
    }

    /// Moves points and dissolves clusters while that pays; false when stopped.
    fn moves(&mut self) -> bool {
        self.each(|polish, point| {
            if !polish.moved(point) {
                polish.dissolved(point);
            }
        })
    }

    /// The same, and swaps points that cannot move.
    fn swaps(&mut self) -> bool {
        self.each(|polish, point| {
            if !polish.moved(point) && !polish.dissolved(point) {
                polish.swapped(point);
            }
        })
    }

    /// Forms some clusters anew, dear ones more often; false when stopped.
    fn forms(&mut self, turn: usize) -> bool {
        let rows: u64 = self.clusters.list.iter().map(|cluster| cluster.rows).sum();
        let mean = (self.clusters.total() / rows.max(1)).max(1);
        self.each(|polish, point| {
            let dear = cost(polish.clusters.at(point).price);
            if polish.chance.next_u64() % (2 * mean) < dear {
                polish.formed_anew(point, 3 + turn % 3);
            }
        })
    }

    /// Does something for every point; false when stopped.
    fn each(&mut self, mut change: impl FnMut(&mut Self, u32)) -> bool {
        for point in 0..self.clusters.points.len() as u32 {
            if point % 256 == 0 && self.watch.should_finish() {
                return false;
            }
            change(self, point);
        }
        true
    }

    /// The cluster next to a point that pays least for it and stays safe, and what it pays, which
    /// is below a limit.
    fn cheapest(&mut self, point: u32, below: u64) -> Option<(u64, u32)> {
        let (points, prices) = (self.clusters.points, self.clusters.prices);
        let own = self.clusters.of[point as usize];
        let absorbs = points.judge().absorbs();
        self.costs.clear();
        for &other in self.near(point) {
            let cluster = self.clusters.of[other as usize];
            if cluster != own && !self.costs.iter().any(|&(_, seen)| seen == cluster) {
                let to = &self.clusters.list[cluster as usize];
                let (growth, _) = to.growth(point, points, prices);
                if growth < below && (absorbs || to.members.len() <= JUDGED) {
                    self.costs.push((growth, cluster));
                }
            }
        }
        self.costs.sort_unstable();
        if absorbs {
            return self.costs.first().copied();
        }
        let (list, tally) = (&self.clusters.list, &mut self.tally);
        let safe = |&&(_, cluster): &&(u64, u32)| {
            let members = list[cluster as usize].members.iter().copied();
            points.safe(members.chain([point]), tally)
        };
        self.costs.iter().find(safe).copied()
    }

    fn moved(&mut self, point: u32) -> bool {
        let (points, prices) = (self.clusters.points, self.clusters.prices);
        let cluster = self.clusters.at(point);
        let saved = cluster.total() - cluster.without(point, points, prices);
        let judged = points.judge().absorbs() || cluster.members.len() <= JUDGED;
        if saved == 0 || !judged || cluster.rows - points.rows(point) < points.judge().least() {
            return false;
        }
        let rest = cluster.members.iter().copied().filter(|&other| other != point);
        if !points.safe(rest, &mut self.tally) {
            return false;
        }
        let Some((paid, to)) = self.cheapest(point, saved) else { return false };
        debug_assert!(paid < saved);
        self.clusters.take(point);
        self.clusters.put(point, to);
        true
    }

    /// Tried once for every cluster: for its first point.
    fn dissolved(&mut self, point: u32) -> bool {
        let cluster = self.clusters.of[point as usize];
        let saved = self.clusters.at(point).total();
        let members = self.clusters.at(point).members.clone();
        if members.first() != Some(&point) || saved == 0 {
            return false;
        }
        let mut paid = 0;
        for &member in &members {
            let Some((price, _)) = self.cheapest(member, saved - paid) else { return false };
            paid += price;
        }
        // Points that move to the same cluster affect each other's cost, so the change is tried
        // out.
        let mut paid = 0;
        let mut gone = 0;
        for &member in &members {
            let Some((price, to)) = self.cheapest(member, u64::MAX) else { break };
            paid += price;
            gone += 1;
            self.clusters.take(member);
            self.clusters.put(member, to);
        }
        if gone == members.len() && paid < saved {
            return true;
        }
        members[..gone].iter().for_each(|&member| self.clusters.take(member));
        self.clusters.set(cluster as usize, members);
        false
    }

    /// Swaps a point with one of a cluster near to it, if that pays.
    fn swapped(&mut self, point: u32) -> bool {
        let (points, prices) = (self.clusters.points, self.clusters.prices);
        let own = self.clusters.of[point as usize];
        let cluster = &self.clusters.list[own as usize];
        if cluster.price == 0 || cluster.members.len() > SWAPPED {
            return false;
        }
        let least = points.judge().least();
        let rest: Vec<u32> = cluster.members.iter().copied().filter(|&other| other != point).collect();
        let rest = Cluster::of(rest, points, prices);
        let mut best: Option<(u64, u32, u32)> = None;
        self.costs.clear();
        for &other in self.near(point) {
            let to = self.clusters.of[other as usize];
            let there = &self.clusters.list[to as usize];
            let seen = to == own || self.costs.iter().any(|&(_, seen)| seen == to);
            if seen || there.members.len() > SWAPPED {
                continue;
            }
            self.costs.push((0, to));
            for &taken in &there.members {
                let (given, got) = (points.rows(point), points.rows(taken));
                if rest.rows + got < least || there.rows - got + given < least {
                    continue;
                }
                let mut limit = cluster.total() + there.total();
                limit = best.map_or(limit, |(saved, ..)| limit.saturating_sub(saved));
                let here = (rest.rows + got) * cost(prices.joined(&rest.ranges, points.ranks(taken)));
                if here >= limit {
                    continue;
                }
                let others = there.members.iter().map(|&m| if m == taken { point } else { m });
                let swapped = Cluster::of(others.collect(), points, prices);
                if here + swapped.total() < limit && self.stay_safe(&rest, taken, &swapped) {
                    let saved = cluster.total() + there.total() - here - swapped.total();
                    best = Some((saved, to, taken));
                }
            }
        }
        let Some((_, to, taken)) = best else { return false };
        self.clusters.take(point);
        self.clusters.take(taken);
        self.clusters.put(taken, own);
        self.clusters.put(point, to);
        true
    }

    /// Whether a cluster with a further point and another one are safe.
    fn stay_safe(&self, rest: &Cluster, taken: u32, other: &Cluster) -> bool {
        let judge = self.clusters.points.judge();
        if judge.counts_only() {
            return true;
        }
        let safe = |members: &mut dyn Iterator<Item = u32>| {
            let mut tally = judge.tally();
            members.for_each(|member| self.clusters.points.add(&mut tally, member));
            judge.safe(&tally)
        };
        let mut first = rest.members.iter().copied().chain([taken]);
        safe(&mut first) && safe(&mut other.members.iter().copied())
    }

    fn formed_anew(&mut self, point: u32, most: usize) {
        if self.clusters.at(point).price == 0 {
            return;
        }
        let mut pool = vec![self.clusters.of[point as usize]];
        for &other in self.near(point) {
            let cluster = self.clusters.of[other as usize];
            let small = self.clusters.list[cluster as usize].members.len() <= LARGEST;
            if pool.len() < most && small && !pool.contains(&cluster) {
                pool.push(cluster);
            }
        }
        let members = |&cluster: &u32| self.clusters.list[cluster as usize].members.iter().copied();
        let members: Vec<u32> = pool.iter().flat_map(members).collect();
        if pool.len() < 2 || members.len() > most * LARGEST {
            return;
        }
        let before: u64 = pool.iter().map(|&cluster| self.clusters.list[cluster as usize].total()).sum();
        let Some(formed) = self.form(members, point) else { return };
        if formed.iter().map(Cluster::total).sum::<u64>() > before {
            return;
        }
        let mut free = pool.into_iter();
        for cluster in formed {
            match free.next() {
                Some(place) => self.clusters.set(place as usize, cluster.members),
                None => self.clusters.found(cluster.members),
            }
        }
        free.for_each(|place| self.clusters.list[place as usize] = Cluster::default());
    }

    /// Clusters of some points, each the nearest of those left, beginning with one of them; none
    /// where that does not come out safe.
    fn form(&mut self, mut left: Vec<u32>, first: u32) -> Option<Vec<Cluster>> {
        let (points, prices) = (self.clusters.points, self.clusters.prices);
        let judge = points.judge();
        let mut formed = Vec::new();
        let mut rest = Vec::new();
        let mut next = left.iter().position(|&point| point == first)?;
        loop {
            let mut cluster = Cluster::of(vec![left.swap_remove(next)], points, prices);
            points.add(&mut self.tally, cluster.members[0]);
            while !judge.safe(&self.tally) && !left.is_empty() {
                let price = |&at: &usize| prices.joined(&cluster.ranges, points.ranks(left[at]));
                let nearest = left.swap_remove((0..left.len()).min_by_key(price)?);
                points.add(&mut self.tally, nearest);
                cluster.add(nearest, points, prices);
            }
            let safe = judge.safe(&self.tally);
            cluster.members.iter().for_each(|&member| judge.remove(&mut self.tally, points.number(member)));
            if safe {
                formed.push(cluster)
            } else {
                rest = cluster.members
            }
            if left.is_empty() {
                break;
            }
            next = (self.chance.next_u64() % left.len() as u64) as usize;
        }
        for &point in &rest {
            let growth = |cluster: &&mut Cluster| cluster.growth(point, points, prices);
            formed.iter_mut().min_by_key(growth)?.add(point, points, prices);
        }
        let settled = rest.is_empty() || points.judge().absorbs();
        let mut safe = |cluster: &Cluster| points.safe(cluster.members.iter().copied(), &mut self.tally);
        (settled || formed.iter().all(&mut safe)).then_some(formed)
    }
}
