//! Local search that lowers the cost of clusters while keeping every cluster safe.
//!
//! Three kinds of change are made among clusters of near points. *Tours* cut long rows of points
//! anew (`tours`). Neighbouring clusters are *re-formed* (`reform`). A point *moves* to a cluster
//! that pays less for it, or a cluster is *dissolved*, each of its points going where it costs
//! least.
//!
//! Tours and re-forming begin with a *temperature*, which fades out: clusters that cost a little
//! more are taken, too, so that later changes find better ones from there. Each finds what the
//! other does not: on adult with k = 5, both together reach in 0.7 s what tours alone do not in 5
//! s. The clusters of least cost that were seen are the result, so the cost never rises. How much
//! is done depends on the number of points and on k alone ([`Effort`]), never on the clock.
//!
//! Costs about 0.2 µs per point and tour with nine columns and k = 5, 0.5 µs for moves, and 20 ns
//! for every cover that re-forming prices.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::clusters::Clusters;
use super::near::Near;
use super::packed::Packed;
use super::reform::Reform;
use super::region::Tally;
use super::tours::Tours;
use crate::watch::Watch;

/// Where further rows can make a safe cluster unsafe, no point moves to or from clusters of more
/// points: a judgement looks at all of them.
const JUDGED: usize = 512;

/// Regions of cuts are refined less in a table of more points.
pub const FEW: usize = 100_000;
/// Tours at the end, without noise.
const LAST: usize = 5;
/// Pools between two looks at the watch.
const POOLS: usize = 256;
/// Where judging a set is expensive, one in this many covers is priced.
const DEARER: u64 = 8;

/// How much is done.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effort {
    /// Tours, without those at the end.
    pub tours: usize,
    /// Tours between moves of points; 0 never moves them.
    pub moves: usize,
    /// Covers that re-forming prices, per point.
    pub priced: u64,
    /// The first temperature, as a share of what a column costs at the top.
    pub temperature: f64,
}

impl Effort {
    /// What regions of cuts are refined by: more in a table of few points.
    pub fn of_cuts(points: usize) -> Self {
        let (tours, moves) = if points > FEW { (1, 0) } else { (6, 3) };
        Effort { tours, moves, priced: 0, temperature: 0.0 }
    }

    /// What nearest clusters of at least `least` rows are refined by: the more, the fewer points
    /// the table has. A tour prices about 2 · least covers per point, so that tours take half as
    /// long as re-forming, whatever k is.
    pub fn of(points: usize, least: u64) -> Self {
        let points = points.max(1) as u64;
        // Few points have few ways to be put together.
        let most = MOST_PRICED.min(LEAST_PRICED / 2 + points);
        let priced = (ALL_PRICED / points).max(LEAST_PRICED).min(most);
        let tours = (priced / (3 * least.max(1))).clamp(10, 200) as usize;
        Effort { tours, moves: 0, priced, temperature: 1.5 }
    }
}

/// Covers that re-forming prices in a table, and per point at least and at most.
const ALL_PRICED: u64 = 44_000_000;
const LEAST_PRICED: u64 = 400;
const MOST_PRICED: u64 = 2200;

/// Lowers the cost of clusters; false when stopped.
pub fn polish(
    clusters: &mut Clusters<'_>,
    near: &Near,
    (effort, seed): (Effort, u64),
    watch: &Watch,
    progress: &dyn Fn(f64),
) -> bool {
    let (points, prices) = (clusters.points, clusters.prices);
    let mut polish = Polish {
        tally: points.judge().tally(),
        tours: Tours::new(clusters),
        reform: Reform::new(clusters),
        packed: Packed::new(points, prices),
        clusters,
        near,
        watch,
        chance: ChaCha8Rng::seed_from_u64(seed),
        costs: Vec::new(),
    };
    let mut best = Best::of(polish.clusters);
    let last = if effort.priced > 0 { LAST } else { 0 };
    let steps = effort.tours + last;
    for tour in 0..steps {
        // The share of work that is left before the last tours, squared: it is cold for long.
        let left = 1.0 - (tour + 1).min(effort.tours) as f64 / effort.tours as f64;
        let temperature = (effort.temperature * prices.unit() as f64 * left * left) as u64;
        polish.tour(2 * temperature);
        let moves = effort.moves > 0 && (tour + 1).is_multiple_of(effort.moves);
        let share = if tour < effort.tours { effort.priced as f64 / effort.tours as f64 } else { 0.0 };
        if watch.should_finish() || moves && !polish.moves() || !polish.reform(share, temperature) {
            return false;
        }
        best.see(polish.clusters);
        progress((tour + 1) as f64 / steps as f64);
    }
    best.back(polish.clusters);
    true
}

/// The clusters of least cost that were seen; of those, the ones that the recipient prefers.
struct Best {
    total: (u64, u64),
    of: Vec<u32>,
}

impl Best {
    fn of(clusters: &Clusters<'_>) -> Self {
        Best { total: clusters.total_with_preference(), of: clusters.of.clone() }
    }

    fn see(&mut self, clusters: &Clusters<'_>) {
        if clusters.total_with_preference() < self.total {
            *self = Best::of(clusters);
        }
    }

    /// Makes clusters what they were at best.
    fn back(self, clusters: &mut Clusters<'_>) {
        if clusters.total_with_preference() <= self.total {
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
    reform: Reform,
    /// The points laid out for both.
    packed: Option<Packed<'a>>,
    chance: ChaCha8Rng,
    /// Growth and cluster, for the point at hand.
    costs: Vec<(u64, u32)>,
}

impl<'p, 'a> Polish<'p, 'a> {
    fn near(&self, point: u32) -> &'p [u32] {
        self.near.of(point)
    }

    /// Makes a tour, where sets are judged cheaply enough.
    fn tour(&mut self, noise: u64) {
        if let Some(packed) = self.packed.as_ref().filter(|_| self.clusters.points.judge().is_cheap()) {
            self.tours.pass((self.clusters, packed), self.near, noise, &mut self.chance);
        }
    }

    /// Forms clusters anew until `priced` covers per point have been priced; false when stopped.
    fn reform(&mut self, priced: f64, temperature: u64) -> bool {
        let points = self.clusters.points;
        let Some(packed) = self.packed.as_ref().filter(|_| priced > 0.0) else { return true };
        let dearer = if points.judge().is_cheap() { 1 } else { DEARER };
        let until = self.reform.priced + (priced * points.len() as f64) as u64 / dearer;
        let rows: u64 = self.clusters.list.iter().map(|cluster| cluster.rows).sum();
        let mean = self.clusters.total() / rows.max(1);
        while mean > 0 && self.reform.priced < until {
            if self.watch.should_finish() {
                return false;
            }
            for _ in 0..POOLS {
                let state = (&mut *self.clusters, packed);
                self.reform.attempt(state, self.near, (mean, temperature), &mut self.chance);
            }
        }
        true
    }

    /// Moves points and dissolves clusters while that pays; false when stopped.
    fn moves(&mut self) -> bool {
        self.each(|polish, point| {
            if !polish.moved(point) {
                polish.dissolved(point);
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
}
