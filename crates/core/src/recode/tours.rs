//! Tours: a large neighbourhood of clusters that is searched exactly.
//!
//! A tour visits clusters one after the other, each time going on from a point of the last one to
//! the cluster of a point near to it, so that neighbours follow each other in a row of points. The
//! best way to cut that row into safe clusters is found by dynamic programming
//! [Hansen 2003]. The clusters that there are is one of the ways, so a tour
//! never raises the cost, and it moves borders, merges and splits anywhere at once. Other tours
//! follow other neighbours.
//!
//! With *noise*, every cluster of a way has some random cost added: ways that are not best are
//! taken, too, and later tours can find better ones from there. The caller keeps the best clusters.
//!
//! Prices only rise with further points, so that most clusters that a way could end with are dearer
//! than the best one before they are priced.
//!
//! Costs points · near points to lay a tour, and points · columns · the points of two clusters to
//! cut it: 0.2 µs per point with nine columns and k = 5. Where models judge, also a judgement for
//! each of these points.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

use super::clusters::{Cluster, Clusters};
use super::near::Near;
use super::packed::{Cover, Packed};
use super::reform::LARGEST;
use super::region::Tally;

/// No way leads there.
const NEVER: u64 = u64::MAX;

/// What tours need meanwhile.
pub struct Tours {
    tally: Tally,
    /// Points in the order of the tour.
    order: Vec<u32>,
    /// Points of the cluster at hand, with how far each is from where it is entered.
    members: Vec<(u64, u32)>,
    seen: Vec<bool>,
    /// End of a row of points → the least cost of cutting it, and where its last cluster begins.
    least: Vec<u64>,
    from: Vec<u32>,
    cover: Cover,
}

impl Tours {
    /// For some clusters.
    pub fn new(clusters: &Clusters<'_>) -> Self {
        let tally = clusters.points.judge().tally();
        let (order, members, seen, least) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Tours { tally, order, members, seen, least, from: Vec::new(), cover: Cover::default() }
    }

    /// Makes one tour and takes the best way to cut it, or the best with noise of at most this cost
    /// per cluster.
    pub fn pass(
        &mut self,
        (clusters, packed): (&mut Clusters<'_>, &Packed<'_>),
        near: &Near,
        noise: u64,
        chance: &mut ChaCha8Rng,
    ) {
        self.lay((clusters, packed), near, chance);
        if self.order.is_empty() {
            return;
        }
        self.cut((clusters, packed), noise, chance);
        self.take(clusters);
    }

    /// Lays a tour through all clusters that cost something.
    fn lay(
        &mut self,
        (clusters, packed): (&Clusters<'_>, &Packed<'_>),
        near: &Near,
        chance: &mut ChaCha8Rng,
    ) {
        let visited = |cluster: &Cluster| cluster.price > 0 && cluster.members.len() <= LARGEST;
        self.seen.clear();
        self.seen.extend(clusters.list.iter().map(|cluster| !visited(cluster)));
        self.order.clear();
        let count = clusters.list.len();
        let first = chance.next_u64() as usize % count.max(1);
        for at in (first..count).chain(0..first) {
            if self.seen[at] {
                continue;
            }
            let mut next = clusters.list[at].members.first().copied();
            while let Some(entry) = next {
                next = self.visit((clusters, packed), near, entry, chance);
            }
        }
    }

    /// Visits the cluster of a point: the point first, the one with the nearest way out last.
    /// Returns where that leads; none where all near clusters have been visited.
    fn visit(
        &mut self,
        (clusters, packed): (&Clusters<'_>, &Packed<'_>),
        near: &Near,
        entry: u32,
        chance: &mut ChaCha8Rng,
    ) -> Option<u32> {
        let at = clusters.of[entry as usize];
        self.seen[at as usize] = true;
        let cover = &mut self.cover;
        let apart = |&point: &u32| {
            packed.clear(cover);
            packed.add(cover, entry);
            packed.add(cover, point);
            (packed.cost(cover), point)
        };
        self.members.clear();
        self.members.extend(clusters.list[at as usize].members.iter().map(apart));
        self.members.sort_unstable();
        // Of all ways out, one of the nearest.
        let mut out: Option<(u32, usize, u32)> = None;
        for (place, &(_, member)) in self.members.iter().enumerate() {
            if member == entry && self.members.len() > 1 {
                continue;
            }
            let unseen = |other: &u32| !self.seen[clusters.of[*other as usize] as usize];
            if let Some(rank) = near.of(member).iter().position(unseen) {
                let score = rank as u32 * 8 + (chance.next_u32() & 31);
                if out.is_none_or(|out| score < out.0) {
                    out = Some((score, place, near.of(member)[rank]));
                }
            }
        }
        if let Some((_, place, _)) = out {
            let exit = self.members.remove(place);
            self.members.push(exit);
        }
        self.order.extend(self.members.iter().map(|&(_, member)| member));
        out.map(|(_, _, next)| next)
    }

    /// Finds the best way to cut the tour, for every end that it may have.
    fn cut(&mut self, (clusters, packed): (&Clusters<'_>, &Packed<'_>), noise: u64, chance: &mut ChaCha8Rng) {
        let judge = clusters.points.judge();
        let (fewest, counts_only) = (judge.least(), judge.counts_only());
        self.least.clear();
        self.least.push(0);
        self.from.clear();
        self.from.push(0);
        for end in 1..=self.order.len() {
            let (mut least, mut from) = (NEVER, 0);
            if !counts_only {
                self.tally.clear();
            }
            packed.clear(&mut self.cover);
            let mut last = Last::default();
            for start in (0..end).rev() {
                if !self.extends(clusters, (start, end), counts_only, &mut last) {
                    break;
                }
                packed.add(&mut self.cover, self.order[start]);
                // With further points, a row costs at least what it did.
                let before = self.least[start];
                if last.rows < fewest || before.saturating_add(last.rows * last.cost) >= least {
                    continue;
                }
                if !counts_only && !self.safe(clusters, &mut last) {
                    continue;
                }
                last.cost = packed.cost(&self.cover);
                let chosen = if noise > 0 { (chance.next_u32() as u64 * noise) >> 32 } else { 0 };
                let total = before + last.rows * last.cost + chosen;
                if total < least {
                    (least, from) = (total, start as u32);
                }
            }
            self.least.push(least);
            self.from.push(from);
        }
    }

    /// Adds a point to the front of the last cluster of a row, unless it is large enough to be cut
    /// in two. A cluster that there is can always be taken whole.
    fn extends(
        &mut self,
        clusters: &Clusters<'_>,
        (start, end): (usize, usize),
        counts_only: bool,
        last: &mut Last,
    ) -> bool {
        let points = clusters.points;
        let point = self.order[start];
        let enough = match counts_only {
            true => 2 * points.judge().least(),
            false => last.safe.map_or(NEVER, |rows| 2 * rows),
        };
        let full = last.rows >= enough || end - start > LARGEST;
        if full && clusters.of[point as usize] != clusters.of[self.order[end - 1] as usize] {
            return false;
        }
        last.rows += points.rows(point);
        if !counts_only {
            points.add(&mut self.tally, point);
        }
        true
    }

    fn safe(&self, clusters: &Clusters<'_>, last: &mut Last) -> bool {
        let judge = clusters.points.judge();
        let safe = judge.safe(&self.tally);
        if safe && last.safe.is_none() {
            last.safe = Some(last.rows);
        }
        safe
    }

    /// Makes clusters of the best way; clusters that stay as they are are not touched.
    fn take(&mut self, clusters: &mut Clusters<'_>) {
        let mut end = self.order.len();
        if self.least[end] == NEVER {
            return;
        }
        let mut changed: Vec<(usize, usize)> = Vec::new();
        let mut free: Vec<u32> = Vec::new();
        while end > 0 {
            let start = self.from[end] as usize;
            let members = &self.order[start..end];
            let one = clusters.of[members[0] as usize];
            let whole = members.iter().all(|&point| clusters.of[point as usize] == one);
            if !whole || clusters.list[one as usize].members.len() != members.len() {
                changed.push((start, end));
                free.extend(members.iter().map(|&point| clusters.of[point as usize]));
            }
            end = start;
        }
        free.sort_unstable();
        free.dedup();
        let mut free = free.into_iter();
        for (start, end) in changed {
            let members = self.order[start..end].to_vec();
            match free.next() {
                Some(place) => clusters.set(place as usize, members),
                None => clusters.found(members),
            }
        }
        free.for_each(|place| clusters.list[place as usize] = Cluster::default());
    }
}

/// The last cluster of a row.
#[derive(Default)]
struct Last {
    rows: u64,
    /// What a row cost when it was last priced.
    cost: u64,
    /// Its rows when it was safe first.
    safe: Option<u64>,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand_chacha::rand_core::SeedableRng;

    use super::super::points::Points;
    use super::super::prices::Prices;
    use super::super::region::Judge;
    use super::super::tests::{Distinct, Majority, field, models, table};
    use super::*;
    use crate::model::ClassModel;
    use crate::policy::{Form, Search};

    const ANY: &[Form] = &[Form::Label, Form::Interval, Form::Set, Form::Range];

    /// The least cost of cutting a row of points into safe clusters, by trying all ways.
    fn by_trying(points: &Points<'_>, prices: &Prices<'_>, row: &[u32]) -> Option<u64> {
        if row.is_empty() {
            return Some(0);
        }
        let ways = (1..=row.len()).filter_map(|end| {
            let cluster = Cluster::of(row[..end].to_vec(), points, prices);
            let mut tally = points.judge().tally();
            row[..end].iter().for_each(|&point| points.add(&mut tally, point));
            let rest = points.judge().safe(&tally).then(|| by_trying(points, prices, &row[end..]))?;
            rest.map(|rest| rest + cluster.total())
        });
        ways.min()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        /// A tour without noise is cut as well as it can be.
        #[test]
        fn tours_are_cut_in_the_best_way(made in table(14, ANY, ANY), least in 1..5u64, seed: u64, wanted in 0..3usize) {
            let (distinct, majority) = (Distinct::new(2.0), Majority::new(0.7));
            let both: [&dyn ClassModel; 2] = [&distinct, &majority];
            let models = models(&made, [&both[..0], &both[..1], &both[1..]][wanted]);
            let search = Search::default();
            let judge = Judge::new(&made.classes, least.min(made.classes.rows()), models);
            let field = field(&made, &search, judge);
            let all: Vec<u32> = (0..made.space.len() as u32).collect();
            let points = Points::new(&field, &all);
            let prices = Prices::with_sets(made.space.axes(), &field.tolerance);
            let packed = Packed::new(&points, &prices).unwrap();
            let mut clusters = Clusters::new(&points, &prices);
            clusters.found(all.clone());
            let mut near = Near::new(points.len(), 4);
            prop_assert!(near.meet(&points, &prices, std::slice::from_ref(&all), &field.watch));
            let near = near.found();
            let mut chance = ChaCha8Rng::seed_from_u64(seed);
            let mut tours = Tours::new(&clusters);
            for _ in 0..3 {
                tours.lay((&clusters, &packed), &near, &mut chance);
                if tours.order.is_empty() {
                    break;
                }
                let best = by_trying(&points, &prices, &tours.order);
                let (row, before) = (tours.order.clone(), clusters.total());
                tours.cut((&clusters, &packed), 0, &mut chance);
                tours.take(&mut clusters);
                let touched: std::collections::BTreeSet<u32> = row.iter().map(|&p| clusters.of[p as usize]).collect();
                let total: u64 = touched.iter().map(|&at| clusters.list[at as usize].total()).sum();
                // Unions of safe clusters are never cheaper, so short ones suffice; where models
                // judge, the row is cut as well as clusters of limited length can.
                if points.judge().counts_only() {
                    prop_assert_eq!(Some(total), best);
                }
                prop_assert!(clusters.total() <= before);
            }
        }
    }
}
