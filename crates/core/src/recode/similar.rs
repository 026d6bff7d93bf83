//! k-Similar [Sweeney 2001, 6.4]: clusters of at least k nearest rows; the distance is how far up
//! the hierarchies they meet.
//!
//! The distance of a point from a cluster is what a row of both costs in the least cells that are
//! true of all, Σ over columns; of equal distances the one that distorts what the recipient wants
//! kept less is less, then the lower number of the point. A point that is safe by itself is a
//! cluster. Then, the most common point first, a cluster takes the nearest point that is in none
//! until it is safe: where it has rows enough and models are not satisfied, the nearest of some
//! that brings it closer to being safe, or the nearest if none does. What is left when the points
//! run out joins the cluster whose rows then cost least more and that stays safe; where there is
//! none, clusters are merged until they are safe (`groups`). That ends, because all points are safe
//! together. Equal rows stay together, and a cell at the top is shared by a whole cluster, so that
//! suppressed values are as many as k asks for, too.
//!
//! Clusters grow within *blocks*: parts of the table that Mondrian's cuts make, of some 32 k rows. A
//! block is safe, so its points suffice. Then `polish` improves the clusters of all blocks, by the
//! near points that three trees of such cuts find; that takes a quarter off the cost on adult, more
//! than where clusters start matters. Sets of few values are priced by their values.
//!
//! Costs points · block · columns, and then `polish`: the more of it, the fewer points there are.
//! Parts of at most [`Similar::part`] points run in parallel. Memory: 4 · (2 · columns + 40) bytes
//! per point.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::clusters::{Cluster, Clusters, NOWHERE};
use super::groups::{self, Settled, settled};
use super::index::{Found, Index};
use super::mondrian::blocks;
use super::near::Near;
use super::points::{Points, by_reporting_parts, each_set_or};
use super::polish::{Effort, polish};
use super::prices::{Prices, Profile};
use super::region::{Field, Method, Share, Tally};
use crate::error::{Fault, Result};
use crate::registry::Algorithm;
use crate::table::Code;
use crate::watch::Watch;

/// Grows clusters of nearest points.
pub struct Similar {
    /// Most points of a part: larger tables are cut into parts, which run in parallel.
    pub part: usize,
}

impl Similar {
    /// The algorithm "k-similar".
    pub const WHOLE: Similar = Similar { part: 30_000 };
}

/// Trees of cuts whose blocks have near points.
const TREES: usize = 3;
/// Rows of a block, in least rows of a cluster.
const BLOCK: u64 = 32;
/// How many near points clusters are improved by.
const NEAR: usize = 16;
/// The number of nearest points that are tested for whether they help.
const ASKED: usize = 32;

impl Method for Similar {
    fn algorithm(&self) -> Algorithm {
        Algorithm::KSimilar
    }

    fn refuses(&self, _field: &Field<'_>) -> Option<Fault> {
        None
    }

    fn run(&self, field: &Field<'_>, points: &[u32]) -> Result<Option<Vec<Share>>> {
        let prices = Prices::with_sets(field.space.axes(), &field.tolerance);
        let spread = |column: usize, a: Code, b: Code| prices.cell(column, a, b);
        let effort = Effort::of(points.len(), field.judge.least());
        by_reporting_parts(field, points, self.part, &spread, |part, progress| {
            shares(field, &prices, part, effort, progress)
        })
    }

    fn run_each(&self, field: &Field<'_>, sets: &[Vec<u32>]) -> Result<Option<Vec<Vec<Share>>>> {
        let prices = Prices::with_sets(field.space.axes(), &field.tolerance);
        each_set_or(field, sets, (self.part, |set: &[u32]| self.run(field, set)), |part| {
            shares(field, &prices, part, Effort::of(part.len(), field.judge.least()), &|_| {})
        })
    }
}

/// The clusters of a part, as shares of its points, and how many there are; none when stopped.
fn shares(
    field: &Field<'_>,
    prices: &Prices<'_>,
    part: &Points<'_>,
    effort: Effort,
    progress: &dyn Fn(f64),
) -> Option<(Vec<Share>, u32)> {
    let names: Vec<u32> = (0..part.len() as u32).map(|point| part.number(point)).collect();
    let trees = trees(field, part, &names)?;
    let mut clusters = Clusters::new(part, prices);
    for block in &trees[0] {
        clusters_of(field, prices, block)?.into_iter().for_each(|names| {
            clusters.found(part.places(&names));
        });
    }
    progress(0.1);
    let mut near = Near::new(part.len(), NEAR);
    let met = trees.iter().all(|tree| {
        let blocks: Vec<Vec<u32>> = tree.iter().map(|block| part.places(block)).collect();
        near.meet(part, prices, &blocks, &field.watch)
    });
    let shown = |share: f64| progress(0.2 + 0.8 * share);
    let done = met && polish(&mut clusters, &near.found(), (effort, field.seed), &field.watch, &shown);
    done.then(|| clusters.shares())
}

/// Blocks of near points by several trees of cuts. Each tree prefers other columns. None when
/// stopped.
fn trees(field: &Field<'_>, part: &Points<'_>, names: &[u32]) -> Option<Vec<Vec<Vec<u32>>>> {
    let mut chance = ChaCha8Rng::seed_from_u64(field.seed);
    let rows = BLOCK.saturating_mul(field.judge.least());
    let tree = |tree: usize| {
        let mut factor =
            |_| if tree == 0 { 1.0 } else { 0.15 + f64::from(chance.next_u32() % 1000) / 1000.0 };
        let factors: Vec<f64> = (0..part.width()).map(&mut factor).collect();
        blocks(field, names, rows, &factors).ok()?
    };
    (0..TREES).map(tree).collect()
}

/// The clusters of a block, by the names of their points; none when stopped.
fn clusters_of(field: &Field<'_>, prices: &Prices<'_>, block: &[u32]) -> Option<Vec<Vec<u32>>> {
    let points = Points::new(field, block);
    let mut clusters = Clusters::new(&points, prices);
    let done = grow(&mut clusters, &field.watch);
    let live = clusters.list.into_iter().filter(|cluster| !cluster.members.is_empty());
    let names = |cluster: Cluster| cluster.members.iter().map(|&point| points.number(point)).collect();
    done.then(|| live.map(names).collect())
}

/// Puts every point into a cluster that is safe; false when stopped.
fn grow(clusters: &mut Clusters<'_>, watch: &Watch) -> bool {
    let (points, prices) = (clusters.points, clusters.prices);
    let mut index = Index::new(points.width(), points.all_ranks(), &|column, a, b| prices.cell(column, a, b));
    let mut tally = points.judge().tally();
    for point in 0..points.len() as u32 {
        if points.safe([point].into_iter(), &mut tally) {
            index.remove(point);
            clusters.found(vec![point]);
        }
    }
    let mut growing = Growing { index, profile: Profile::new(prices), found: Found::default(), tally };
    let mut left = Vec::new();
    for (turn, seed) in common_first(points).into_iter().enumerate() {
        if turn % 64 == 0 && watch.should_finish() {
            return false;
        }
        if clusters.of[seed as usize] != NOWHERE {
            continue;
        }
        match growing.cluster(points, seed) {
            Ok(members) => clusters.found(members),
            // Every other point is in a cluster by now.
            Err(members) => {
                left = members;
                break;
            }
        }
    }
    left.sort_unstable();
    join(clusters, left, &mut growing.tally);
    true
}

/// The points, those with the most common values first: by Σ over columns of log2 of the rows with
/// the value.
fn common_first(points: &Points<'_>) -> Vec<u32> {
    let width = points.width();
    let mut common = vec![0u64; points.len()];
    for column in 0..width {
        let rank = |point: u32| points.ranks(point)[column] as usize;
        let all = 0..points.len() as u32;
        let mut rows = vec![0u64; all.clone().map(|point| rank(point) + 1).max().unwrap_or(0)];
        all.clone().for_each(|point| rows[rank(point)] += points.rows(point));
        // In whole numbers, so that the order is the same on every machine.
        all.for_each(|point| common[point as usize] += log2(rows[rank(point)]));
    }
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    order.sort_by_key(|&point| (std::cmp::Reverse(common[point as usize]), point));
    order
}

/// log2 of a number from 1 on, in 65,536ths, linear between powers of two.
fn log2(number: u64) -> u64 {
    let power = number.max(1).ilog2();
    let rest = (u128::from(number) << 16 >> power) as u64 - (1 << 16);
    (u64::from(power) << 16) + rest
}

/// A cluster that is being grown, and the points that are in none.
struct Growing<'a> {
    index: Index,
    profile: Profile<'a>,
    found: Found,
    tally: Tally,
}

impl Growing<'_> {
    /// The cluster that begins with a point; the points that are left when they run out before it
    /// is safe.
    fn cluster(&mut self, points: &Points<'_>, seed: u32) -> std::result::Result<Vec<u32>, Vec<u32>> {
        let mut members = vec![seed];
        self.tally.clear();
        points.add(&mut self.tally, seed);
        self.index.remove(seed);
        self.profile.begin(points.ranks(seed));
        while !points.judge().safe(&self.tally) {
            let Some(next) = self.next(points) else { return Err(members) };
            members.push(next);
            points.add(&mut self.tally, next);
            self.index.remove(next);
            self.profile.add(points.ranks(next));
        }
        Ok(members)
    }

    /// The nearest point that helps.
    fn next(&mut self, points: &Points<'_>) -> Option<u32> {
        let judge = points.judge();
        let enough = self.tally.rows() >= judge.least();
        self.index.nearest(&self.profile, if enough { ASKED } else { 1 }, &mut self.found);
        let nearest = self.found.nearest.first()?.1;
        if !enough {
            return Some(nearest);
        }
        let short = judge.short(&self.tally);
        let helps = |&&(_, point): &&(u64, u32)| {
            judge.add(&mut self.tally, points.number(point));
            let after = judge.short(&self.tally);
            judge.remove(&mut self.tally, points.number(point));
            after < short
        };
        Some(self.found.nearest.iter().find(helps).map_or(nearest, |&(_, point)| point))
    }
}

/// Puts points into clusters whose rows then cost least more; merges clusters where none stays
/// safe.
fn join(clusters: &mut Clusters<'_>, left: Vec<u32>, tally: &mut Tally) {
    let (points, prices) = (clusters.points, clusters.prices);
    tally.clear();
    if clusters.list.is_empty() {
        clusters.found(left);
        return;
    }
    for point in left {
        let growth = |(at, cluster): (usize, &Cluster)| (cluster.growth(point, points, prices), at);
        let live = clusters.list.iter().enumerate().filter(|(_, cluster)| cluster.rows > 0);
        let mut costs: Vec<_> = live.map(growth).collect();
        costs.sort_unstable();
        let order: Vec<usize> = costs.into_iter().map(|(_, at)| at).collect();
        let members = |at: usize| &clusters.list[at].members[..];
        match settled(points, point, (&order, groups::ASKED), members, tally) {
            Some(Settled::Joins(at)) => clusters.put(point, at as u32),
            Some(Settled::Merges(merged)) => clusters.merge(&merged, point),
            None => clusters.found(vec![point]),
        }
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

    const ANY: &[Form] = &[Form::Label, Form::Interval, Form::Set, Form::Range];

    fn tally_of(points: &Points<'_>, members: &[u32]) -> Tally {
        let mut tally = points.judge().tally();
        members.iter().for_each(|&point| points.add(&mut tally, point));
        tally
    }

    /// The members of all clusters as the head of the file defines them, by looking at all points
    /// each time.
    fn by_definition(points: &Points<'_>, prices: &Prices<'_>) -> Vec<Vec<u32>> {
        let judge = points.judge();
        let tally = |members: &[u32]| {
            let mut tally = judge.tally();
            members.iter().for_each(|&point| points.add(&mut tally, point));
            tally
        };
        let mut free: Vec<u32> = (0..points.len() as u32).collect();
        let (alone, rest): (Vec<u32>, Vec<u32>) =
            free.iter().partition(|&&point| judge.safe(&tally(&[point])));
        free = rest;
        let mut formed: Vec<Vec<u32>> = alone.into_iter().map(|point| vec![point]).collect();
        for seed in common_first(points) {
            if !free.contains(&seed) {
                continue;
            }
            let mut members = vec![seed];
            free.retain(|&point| point != seed);
            while !judge.safe(&tally(&members)) && !free.is_empty() {
                let cluster = Cluster::of(members.clone(), points, prices);
                free.sort_by_key(|&point| (prices.joined(&cluster.ranges, points.ranks(point)), point));
                let helps = |&&point: &&u32| {
                    judge.short(&tally(&[&members[..], &[point]].concat())) < judge.short(&tally(&members))
                };
                let enough = cluster.rows >= judge.least();
                let helping = if enough { free.iter().take(ASKED).find(helps) } else { None };
                let next = *helping.unwrap_or(&free[0]);
                free.retain(|&point| point != next);
                members.push(next);
            }
            if judge.safe(&tally(&members)) {
                formed.push(members);
            }
        }
        formed
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn clusters_are_those_of_the_definition(
            made in table(120, ANY, ANY),
            least in 2..7u64,
            wanted in 0..3usize,
            sets: bool,
        ) {
            let (distinct, majority) = (Distinct::new(3.0), Majority::new(0.6));
            let both: [&dyn ClassModel; 2] = [&distinct, &majority];
            let wanted = [&both[..0], &both[..1], &both[1..]][wanted];
            let search = Search::default();
            let judge = Judge::new(&made.classes, least.min(made.classes.rows()), models(&made, wanted));
            let field = field(&made, &search, judge);
            let all: Vec<u32> = (0..made.space.len() as u32).collect();
            let points = Points::new(&field, &all);
            let (axes, tolerance) = (made.space.axes(), &field.tolerance);
            let prices = if sets { Prices::with_sets(axes, tolerance) } else { Prices::new(axes, tolerance) };
            let mut clusters = Clusters::new(&points, &prices);
            prop_assert!(grow(&mut clusters, &field.watch));
            let expected = by_definition(&points, &prices);
            // Left-overs join at the end of the lists; with a model that can be spoilt, clusters
            // may have been merged for them.
            if points.judge().absorbs() && !expected.is_empty() {
                prop_assert_eq!(clusters.list.len(), expected.len());
                for (cluster, expected) in clusters.list.iter().zip(&expected) {
                    prop_assert_eq!(&cluster.members[..expected.len()], &expected[..]);
                }
            }
            let before = clusters.total();
            let mut near = Near::new(points.len(), 6);
            prop_assert!(near.meet(&points, &prices, &[(0..points.len() as u32).collect()], &field.watch));
            let near = near.found();
            let effort = Effort { tours: 9, moves: 3, priced: 60, temperature: 1.0 };
            let polished = polish(&mut clusters, &near, (effort, 1), &field.watch, &|_| {});
            prop_assert!(polished);
            prop_assert!(clusters.total() <= before);
            for (at, cluster) in clusters.list.iter().enumerate() {
                let again = Cluster::of(cluster.members.clone(), &points, &prices);
                prop_assert_eq!((cluster.rows, cluster.price), (again.rows, again.price));
                prop_assert!(cluster.members.iter().all(|&point| clusters.of[point as usize] as usize == at));
                let rows = tally_of(&points, &cluster.members);
                prop_assert!(cluster.members.is_empty() || points.judge().safe(&rows));
            }
        }
    }

    #[test]
    fn neighbours_are_clustered_and_equal_rows_stay_together() {
        let made = numbers(&[1, 1, 0, 1, 1, 5, 0, 0, 1, 1]);
        let search = Search::default();
        let field = field(&made, &search, Judge::new(&made.classes, 2, Vec::new()));
        let shares = Similar::WHOLE.run(&field, &(0..7).collect::<Vec<u32>>()).unwrap().unwrap();
        let regions: Vec<u32> = shares.iter().map(|share| share.region).collect();
        assert_eq!(regions, [0, 0, 1, 1, 2, 3, 3]);
    }

    #[test]
    fn sets_are_formed_as_if_alone() {
        let made = numbers(&[1, 1, 1, 1, 1, 5, 1, 2, 1, 1, 3, 1]);
        let search = Search::default();
        let field = field(&made, &search, Judge::new(&made.classes, 2, Vec::new()));
        let sets: Vec<Vec<u32>> = vec![(0..5).collect(), vec![5], (6..12).collect()];
        // Small and large parts.
        let large: &dyn Method = &Similar { part: 4 };
        for method in super::super::methods().into_iter().chain([large]) {
            let each = method.run_each(&field, &sets).unwrap().unwrap();
            let alone: Vec<_> = sets.iter().map(|set| method.run(&field, set).unwrap().unwrap()).collect();
            assert_eq!(each, alone, "{}", method.name());
        }
    }

    #[test]
    fn of_equal_costs_the_recipient_decides() {
        // The middle point is as far from one neighbour, by the first column, as from the other, by
        // the second.
        let made = super::super::tests::cross();
        let search = Search::default();
        for (tolerance, together) in [([1.0, 0.2], 0), ([0.2, 1.0], 1)] {
            let mut field = field(&made, &search, Judge::new(&made.classes, 2, Vec::new()));
            field.tolerance = tolerance.to_vec();
            let points = Points::new(&field, &[0, 1, 2]);
            let prices = Prices::new(made.space.axes(), &field.tolerance);
            let mut profile = Profile::new(&prices);
            let index = Index::new(2, points.all_ranks(), &|column, a, b| prices.cell(column, a, b));
            let at = |ranks: [u32; 2]| (0..3).find(|&point| points.ranks(point) == ranks).unwrap();
            profile.begin(&[0, 0]);
            let mut found = Found::default();
            index.nearest(&profile, 2, &mut found);
            let nearest = found.nearest[1].1;
            assert_eq!(nearest, [at([1, 0]), at([0, 1])][together]);
        }
    }

    #[test]
    fn logarithms_of_powers_of_two_are_exact() {
        for power in 0..40 {
            assert_eq!(log2(1 << power), power << 16);
        }
        assert_eq!(log2(3), (1 << 16) + (1 << 15));
    }
}
