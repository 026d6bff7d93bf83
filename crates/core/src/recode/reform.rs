//! Forms neighbouring clusters anew: large neighbourhood search [Shaw 1998] with the acceptance
//! rule of simulated annealing [Kirkpatrick 1983].
//!
//! A *pool* of two to [`POOL`] clusters is drawn: that of a point, and those of points near to
//! points of the pool. Their points form clusters anew: the first grows from the point, the next
//! ones from points at random, each by the nearest of those that are left until it is safe. What is
//! left then joins the cluster that pays least for it. The new clusters are taken if they cost
//! less, or more by less than a random *slack*, which is exponentially distributed with the
//! *temperature* as its mean. Clusters of a dear row are drawn more often than those of a cheap
//! one.
//!
//! Costs are monotone: a candidate whose last known cost is not below the best one is not looked
//! at. Work is counted in covers that are priced, about 20 ns each with nine columns, so that how
//! much is done never depends on the clock. With k = 5 a pool takes some 40 of them.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

use super::clusters::{Cluster, Clusters};
use super::near::Near;
use super::packed::{Cover, Packed};
use super::prices::cost;
use super::region::Tally;

/// Most clusters that are formed anew together.
const POOL: usize = 5;
/// Clusters of more points stay as they are: forming them anew compares all their points.
pub const LARGEST: usize = 64;
/// A row that costs this many times the mean is always drawn.
const DEAR: u64 = 6;

/// A cluster that was formed.
#[derive(Default)]
struct Formed {
    members: Vec<u32>,
    cover: Cover,
    rows: u64,
    /// What a row costs.
    cost: u64,
}

impl Formed {
    fn total(&self) -> u64 {
        self.rows * self.cost
    }
}

/// What re-forming needs meanwhile.
pub struct Reform {
    tally: Tally,
    pool: Vec<u32>,
    /// Points that are in no new cluster, with what each costs at least.
    left: Vec<(u64, u32)>,
    /// The first `count` of them are clusters of this pool.
    formed: Vec<Formed>,
    count: usize,
    joined: Cover,
    /// Covers that were priced.
    pub priced: u64,
}

impl Reform {
    /// For some clusters.
    pub fn new(clusters: &Clusters<'_>) -> Self {
        Reform {
            tally: clusters.points.judge().tally(),
            pool: Vec::new(),
            left: Vec::new(),
            formed: Vec::new(),
            count: 0,
            joined: Cover::default(),
            priced: 0,
        }
    }

    /// Draws a pool and forms its clusters anew; true if they were taken. `mean` is what a row
    /// costs in the mean.
    pub fn attempt(
        &mut self,
        (clusters, packed): (&mut Clusters<'_>, &Packed<'_>),
        near: &Near,
        (mean, temperature): (u64, u64),
        chance: &mut ChaCha8Rng,
    ) -> bool {
        // Drawing costs something, too, so that a pass over cheap clusters ends.
        self.priced += 1;
        let point = below(chance, clusters.points.len() as u64) as u32;
        let own = clusters.at(point);
        if own.price == 0 || own.members.len() > LARGEST || below(chance, DEAR * mean) > cost(own.price) {
            return false;
        }
        self.draw(clusters, near, point, chance);
        if self.pool.len() < 2 {
            return false;
        }
        let total = |&cluster: &u32| clusters.list[cluster as usize].total();
        let limit = self.pool.iter().map(total).sum::<u64>() + slack(temperature, chance);
        let taken = self.form(clusters, packed, point, limit, chance);
        if taken {
            self.take(clusters);
        }
        taken
    }

    /// Draws clusters around that of a point.
    fn draw(&mut self, clusters: &Clusters<'_>, near: &Near, point: u32, chance: &mut ChaCha8Rng) {
        self.pool.clear();
        self.pool.push(clusters.of[point as usize]);
        let most = 2 + below(chance, POOL as u64 - 1) as usize;
        for _ in 0..2 * most {
            let from = self.pool[below(chance, self.pool.len() as u64) as usize];
            let members = &clusters.list[from as usize].members;
            let around = near.of(members[below(chance, members.len() as u64) as usize]);
            if around.is_empty() {
                continue;
            }
            let next = clusters.of[around[below(chance, around.len() as u64) as usize] as usize];
            if !self.pool.contains(&next) && clusters.list[next as usize].members.len() <= LARGEST {
                self.pool.push(next);
            }
            if self.pool.len() == most {
                break;
            }
        }
    }

    /// Forms clusters of the points of the pool, beginning with one of them; false where they cost
    /// more than a limit, or are not safe.
    fn form(
        &mut self,
        clusters: &Clusters<'_>,
        packed: &Packed<'_>,
        first: u32,
        limit: u64,
        chance: &mut ChaCha8Rng,
    ) -> bool {
        let points = clusters.points;
        self.left.clear();
        for &cluster in &self.pool {
            self.left.extend(clusters.list[cluster as usize].members.iter().map(|&member| (0, member)));
        }
        let mut rows: u64 = self.pool.iter().map(|&cluster| clusters.list[cluster as usize].rows).sum();
        let mut next = self.left.iter().position(|&(_, point)| point == first).unwrap_or(0);
        self.count = 0;
        let mut total = 0;
        while rows >= points.judge().least() && !self.left.is_empty() {
            if !self.grow(clusters, packed, next) {
                // These points are not safe among themselves: they join the others.
                self.count -= 1;
                self.left.extend(self.formed[self.count].members.drain(..).map(|member| (0, member)));
                break;
            }
            let formed = &self.formed[self.count - 1];
            rows -= formed.rows;
            total += formed.total();
            if total > limit {
                return false;
            }
            next = below(chance, self.left.len().max(1) as u64) as usize;
        }
        self.join(clusters, packed)
            && self.formed[..self.count].iter().map(Formed::total).sum::<u64>() <= limit
    }

    /// Grows a cluster from one of the points that are left; false where they run out before it is
    /// safe.
    fn grow(&mut self, clusters: &Clusters<'_>, packed: &Packed<'_>, seed: usize) -> bool {
        let (points, judge) = (clusters.points, clusters.points.judge());
        if self.formed.len() == self.count {
            self.formed.push(Formed::default());
        }
        let formed = &mut self.formed[self.count];
        self.count += 1;
        formed.members.clear();
        packed.clear(&mut formed.cover);
        (formed.rows, formed.cost) = (0, 0);
        self.left.iter_mut().for_each(|(least, _)| *least = 0);
        let counts_only = judge.counts_only();
        let mut next = Some((0, seed));
        while let Some((cost, at)) = next {
            let (_, point) = self.left.swap_remove(at);
            packed.add(&mut formed.cover, point);
            formed.members.push(point);
            (formed.rows, formed.cost) = (formed.rows + points.rows(point), cost);
            if !counts_only {
                points.add(&mut self.tally, point);
            }
            if formed.rows >= judge.least() && (counts_only || judge.safe(&self.tally)) {
                break;
            }
            next = None;
            for (at, (least, point)) in self.left.iter_mut().enumerate() {
                if next.is_some_and(|(best, _)| *least >= best) {
                    continue;
                }
                packed.join(&formed.cover, *point, &mut self.joined);
                self.priced += 1;
                *least = packed.cost(&self.joined);
                if next.is_none_or(|(best, _)| *least < best) {
                    next = Some((*least, at));
                }
            }
        }
        let safe = formed.rows >= judge.least() && (counts_only || judge.safe(&self.tally));
        if !counts_only {
            formed.members.iter().for_each(|&member| judge.remove(&mut self.tally, points.number(member)));
        }
        safe
    }

    /// Puts the points that are left into new clusters that pay least; false if that makes one
    /// unsafe, or if there is none.
    fn join(&mut self, clusters: &Clusters<'_>, packed: &Packed<'_>) -> bool {
        let (points, judge) = (clusters.points, clusters.points.judge());
        let joins = !self.left.is_empty();
        while let Some((_, point)) = self.left.pop() {
            let mut best: Option<(u64, usize, u64)> = None;
            for (at, formed) in self.formed[..self.count].iter().enumerate() {
                packed.join(&formed.cover, point, &mut self.joined);
                self.priced += 1;
                let cost = packed.cost(&self.joined);
                let growth = (formed.rows + points.rows(point)) * cost - formed.total();
                if best.is_none_or(|(least, ..)| growth < least) {
                    best = Some((growth, at, cost));
                }
            }
            let Some((_, at, cost)) = best else { return false };
            let formed = &mut self.formed[at];
            packed.add(&mut formed.cover, point);
            formed.members.push(point);
            (formed.rows, formed.cost) = (formed.rows + points.rows(point), cost);
        }
        let settled = !joins || judge.absorbs();
        let mut safe = |formed: &Formed| points.safe(formed.members.iter().copied(), &mut self.tally);
        settled || self.formed[..self.count].iter().all(&mut safe)
    }

    /// Puts the new clusters into the places of the pool.
    fn take(&mut self, clusters: &mut Clusters<'_>) {
        let mut free = self.pool.iter();
        for formed in &self.formed[..self.count] {
            match free.next() {
                Some(&place) => clusters.set(place as usize, formed.members.clone()),
                None => clusters.found(formed.members.clone()),
            }
        }
        free.for_each(|&place| clusters.list[place as usize] = Cluster::default());
    }
}

/// A number below another one; 0 where that is 0.
fn below(chance: &mut ChaCha8Rng, number: u64) -> u64 {
    ((u128::from(chance.next_u64()) * u128::from(number)) >> 64) as u64
}

/// A number that is exponentially distributed with a mean: in whole numbers, with a logarithm that
/// is linear between powers of two, so that it is the same on every machine.
fn slack(mean: u64, chance: &mut ChaCha8Rng) -> u64 {
    let number = chance.next_u32().max(1);
    let (power, rest) = (number.ilog2(), u64::from(number) << 32 >> number.ilog2());
    // log2 of 2³² over the number, in 2³²-ths.
    let log = (u64::from(32 - power) << 32) - (rest - (1 << 32));
    // ln 2, in 2¹⁶-ths.
    ((u128::from(mean) * u128::from(log) * 45_426) >> 48) as u64
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

    /// The least cost of dividing points into safe clusters, by trying all divisions.
    fn by_trying(points: &Points<'_>, prices: &Prices<'_>, left: &[u32]) -> Option<u64> {
        let Some((&first, rest)) = left.split_first() else { return Some(0) };
        let ways = (0..1u32 << rest.len()).filter_map(|way| {
            let side = |wanted: u32| {
                let chosen = rest.iter().enumerate().filter(move |(at, _)| way >> at & 1 == wanted);
                chosen.map(|(_, &point)| point).collect::<Vec<u32>>()
            };
            let cluster = Cluster::of([vec![first], side(1)].concat(), points, prices);
            let mut tally = points.judge().tally();
            cluster.members.iter().for_each(|&point| points.add(&mut tally, point));
            let rest = points.judge().safe(&tally).then(|| by_trying(points, prices, &side(0)))?;
            rest.map(|rest| rest + cluster.total())
        });
        ways.min()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Clusters stay safe and complete whatever is taken, their cost does not rise without a
        /// temperature, and none is cheaper than the best of all divisions.
        #[test]
        fn pools_stay_safe_and_complete(
            made in table(9, ANY, ANY),
            least in 1..4u64,
            seed: u64,
            wanted in 0..3usize,
            hot: bool,
        ) {
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
            let best = by_trying(&points, &prices, &all);
            let mut clusters = Clusters::new(&points, &prices);
            // Safe points by themselves, and all others together if they are safe.
            let safe = |members: &[u32]| points.safe(members.iter().copied(), &mut points.judge().tally());
            let (alone, rest): (Vec<u32>, Vec<u32>) = all.iter().partition(|&&point| safe(&[point]));
            if rest.is_empty() || safe(&rest) {
                alone.iter().for_each(|&point| clusters.found(vec![point]));
                clusters.found(rest);
            } else {
                clusters.found(all.clone());
            }
            prop_assume!(best.is_some() && clusters.list.iter().all(|c| c.members.is_empty() || safe(&c.members)));
            let mut near = Near::new(points.len(), 4);
            prop_assert!(near.meet(&points, &prices, std::slice::from_ref(&all), &field.watch));
            let near = near.found();
            let mut chance = ChaCha8Rng::seed_from_u64(seed);
            let mut reform = Reform::new(&clusters);
            let temperature = if hot { prices.unit() } else { 0 };
            for _ in 0..40 {
                let before = clusters.total();
                reform.attempt((&mut clusters, &packed), &near, (1, temperature), &mut chance);
                prop_assert!(hot || clusters.total() <= before);
                prop_assert!(Some(clusters.total()) >= best);
                let mut found = Vec::new();
                for (at, cluster) in clusters.list.iter().enumerate().filter(|(_, c)| !c.members.is_empty()) {
                    prop_assert!(safe(&cluster.members));
                    prop_assert!(cluster.members.iter().all(|&point| clusters.of[point as usize] as usize == at));
                    found.extend_from_slice(&cluster.members);
                }
                found.sort_unstable();
                prop_assert_eq!(&found, &all);
            }
        }
    }

    #[test]
    fn slack_has_its_mean() {
        let mut chance = ChaCha8Rng::seed_from_u64(1);
        let sum: u64 = (0..100_000).map(|_| slack(1 << 20, &mut chance)).sum();
        let mean = sum as f64 / 100_000.0 / f64::from(1 << 20);
        assert!((mean - 1.0).abs() < 0.06, "{mean}");
        assert_eq!(slack(0, &mut chance), 0);
    }
}
