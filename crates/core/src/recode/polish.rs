//! Local search that lowers the cost of clusters while keeping every cluster safe.
//!
//! In each round, for every point, three changes are tried among the clusters of its nearest points
//! and kept if the total cost falls: the point *moves* to a cluster that pays less for it; its
//! cluster is *dissolved*, and each of its points goes where it costs least; or its cluster and its
//! neighbours are *re-formed*, starting with the point and continuing at random (large
//! neighbourhood search, [Shaw 1998]). Re-formed clusters of equal cost are kept, so that later
//! rounds see new configurations. Ends when a round saves less than a thousandth.
//!
//! Costs one index search per point once, then about a hundred prices per point and round.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::clusters::{Cluster, Clusters};
use super::index::{Found, Index};
use super::prices::Profile;
use super::region::Tally;
use crate::watch::Watch;

/// Points next to a point whose clusters are looked at.
const NEIGHBOURS: usize = 16;
/// Most rounds.
const ROUNDS: usize = 6;
/// Clusters of at most this size are re-formed from each of their points, larger ones from as many.
const SMALL: usize = 4;
/// Larger clusters are not formed anew: that compares all their points with each other.
const LARGEST: usize = 40;
/// Where further rows can make a safe cluster unsafe, no point moves to or from clusters of more
/// points: a judgement looks at all of them.
const JUDGED: usize = 512;

/// Lowers the cost of clusters; false when stopped.
pub fn polish(clusters: &mut Clusters<'_>, seed: u64, watch: &Watch) -> bool {
    let Some((near, wide)) = neighbours(clusters, watch) else { return false };
    let points = clusters.points;
    let mut polish = Polish {
        clusters,
        near: &near,
        wide,
        tally: points.judge().tally(),
        chance: ChaCha8Rng::seed_from_u64(seed),
        costs: Vec::new(),
    };
    // A pool of large clusters costs the square of their points; it is formed anew from some of
    // them only.
    let clusters = polish.clusters.list.iter().filter(|cluster| cluster.rows > 0).count().max(1);
    let every = (points.len() / clusters / SMALL).max(1);
    for round in 0..ROUNDS {
        let before = polish.clusters.total();
        for point in 0..points.len() as u32 {
            if point % 256 == 0 && watch.should_finish() {
                return false;
            }
            let turn = (point as usize + round).is_multiple_of(every);
            if !polish.moved(point) && !polish.dissolved(point) && turn {
                polish.formed_anew(point, 3 + round % 3);
            }
        }
        let saved = before - polish.clusters.total();
        if saved <= before / 1000 {
            break;
        }
    }
    true
}

/// Point → a number of points nearest to it; none when stopped.
fn neighbours(clusters: &Clusters<'_>, watch: &Watch) -> Option<(Vec<u32>, usize)> {
    let (points, prices) = (clusters.points, clusters.prices);
    let index = Index::new(points.width(), points.all_ranks(), &|column, a, b| prices.cell(column, a, b));
    let wide = NEIGHBOURS.min(points.len() - 1);
    let mut profile = Profile::new(prices);
    let mut found = Found::default();
    let mut near = Vec::with_capacity(points.len() * wide);
    for point in 0..points.len() as u32 {
        if point % 256 == 0 && watch.should_finish() {
            return None;
        }
        profile.begin(points.ranks(point));
        index.nearest(&profile, wide + 1, &mut found);
        let others = found.nearest.iter().map(|&(_, other)| other).filter(|&other| other != point);
        near.extend(others.take(wide));
    }
    Some((near, wide))
}

struct Polish<'p, 'a> {
    clusters: &'p mut Clusters<'a>,
    near: &'p [u32],
    wide: usize,
    tally: Tally,
    chance: ChaCha8Rng,
    /// Growth and cluster, for the point at hand.
    costs: Vec<(u64, u32)>,
}

impl<'p, 'a> Polish<'p, 'a> {
    fn near(&self, point: u32) -> &'p [u32] {
        &self.near[point as usize * self.wide..][..self.wide]
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
