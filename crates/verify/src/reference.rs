//! The reference distribution of a sensitive column in the whole table and its ground distances,
//! which t-closeness compares classes with, for the verifier.
//!
//! It comes from the original; without it, from the release if the certificate states that no row
//! is suppressed. Earth mover's distances use other formulas than the search: on a tree, each label
//! moves its difference up an edge of half a level, so the distance is Σ|p − q| over all labels
//! below the top, over twice the height. Costs one pass over all values, and per class a sort of its
//! own values and a binary search for each.

use std::collections::BTreeMap;

use super::classes::{Interner, MISSING, UNKNOWN};
use super::levels::Build;
use throng_terms::error::Result;
use throng_terms::hierarchy::{Hierarchy, Spec};
use throng_terms::policy::{Distance, Policy, TCloseness};
use throng_terms::table::Dictionary;

/// The values of the whole table.
#[derive(Debug)]
pub(super) struct Reference {
    /// Number of a value → its share; 0 where it does not occur.
    shares: Vec<f64>,
    /// Values that occur.
    occurring: usize,
    ground: Ground,
    /// Number of a value in the release → its number here, or [`UNKNOWN`].
    pub(super) of_release: Vec<u32>,
}

/// How far apart values are.
#[derive(Debug)]
enum Ground {
    Equal,
    Ordered(Places),
    /// One per level below the top.
    Hierarchical(Vec<Labelled>),
    /// The distance cannot be computed: no class is close.
    Unfit,
}

/// Values from first to last.
#[derive(Debug)]
struct Places {
    /// Number of a value → its place, which some share; [`UNKNOWN`] where it does not occur.
    of: Vec<u32>,
    /// Place → share of all values up to it.
    until: Vec<f64>,
    /// Place → Σ of `until` over all places before it; one more than places.
    sums: Vec<f64>,
}

/// Values under the labels of a level.
#[derive(Debug)]
struct Labelled {
    /// Number of a value → its label; [`UNKNOWN`] where it does not occur.
    of: Vec<u32>,
    /// Label → share of its values, and all of them.
    shares: Vec<f64>,
    all: f64,
}

impl Reference {
    pub(super) fn new(
        (policy, asked): (&Policy, Option<&TCloseness>),
        (table, whole): (&Interner, bool),
        released: &Interner,
        build: &Build<'_>,
    ) -> Result<Self> {
        let all: u64 = (0..table.len() as u32).map(|number| table.count(number)).sum();
        let share = |number: u32| table.count(number) as f64 / all.max(1) as f64;
        let ground = match asked {
            Some(asked) => ground((policy, asked), (table, whole), build)?,
            None => Some(Found::Equal),
        };
        let of_release = |number: u32| table.get(released.value(number)).unwrap_or(UNKNOWN);
        let shares: Vec<f64> = (0..table.len() as u32).map(share).collect();
        let ground = match ground {
            Some(Found::Equal) => Ground::Equal,
            Some(Found::Ordered(places)) => Ground::Ordered(Places::new(&places, &shares)),
            Some(Found::Hierarchical(levels)) => {
                Ground::Hierarchical(levels.iter().map(|labels| Labelled::new(labels, &shares)).collect())
            }
            None => Ground::Unfit,
        };
        Ok(Reference {
            occurring: shares.iter().filter(|share| **share > 0.0).count(),
            shares,
            ground,
            of_release: (0..released.len() as u32).map(of_release).collect(),
        })
    }

    /// For every value of a class its share in the table and in the class; none where the table does
    /// not have it.
    pub(super) fn shares(&self, values: &[(u32, u64)]) -> Option<Vec<(f64, f64)>> {
        let rows = values.iter().map(|(_, rows)| rows).sum::<u64>() as f64;
        let share = |&(value, count): &(u32, u64)| {
            let table = self.shares.get(value as usize).copied().filter(|share| *share > 0.0)?;
            Some((table, count as f64 / rows))
        };
        values.iter().map(share).collect()
    }

    /// Whether the table has values that a class with these does not have.
    pub(super) fn has_more(&self, values: &[(u32, u64)]) -> bool {
        values.len() < self.occurring
    }

    /// How far a class with these values is from the whole table; endless where it has one that the
    /// table does not. Costs a sort of the class's own values.
    pub(super) fn distance(&self, values: &[(u32, u64)]) -> f64 {
        let rows = values.iter().map(|(_, rows)| rows).sum::<u64>() as f64;
        if values.iter().any(|(value, _)| *value as usize >= self.shares.len()) {
            return f64::INFINITY;
        }
        let share = |&(value, count): &(u32, u64)| (value as usize, count as f64 / rows);
        match &self.ground {
            // What some values have too much of is what others have too little of.
            Ground::Equal => {
                let surplus = values.iter().map(share).map(|(value, share)| share - self.shares[value]);
                surplus.filter(|surplus| *surplus > 0.0).sum()
            }
            Ground::Ordered(places) => places.distance(values.iter().map(share)),
            Ground::Hierarchical(levels) => {
                let moved = levels.iter().map(|labels| labels.moved(values.iter().map(share)));
                moved.sum::<f64>() / (2 * levels.len()) as f64
            }
            Ground::Unfit => f64::INFINITY,
        }
    }
}

/// Adds up the shares at each number, in the order of the numbers.
fn merged(mut shares: Vec<(u32, f64)>) -> Vec<(u32, f64)> {
    shares.sort_by_key(|&(at, _)| at);
    shares.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.1 += if same { next.1 } else { 0.0 };
        same
    });
    shares
}

impl Places {
    /// Of the numbers of values at each place, and of their shares.
    fn new(places: &[Vec<usize>], shares: &[f64]) -> Self {
        let mut of = vec![UNKNOWN; shares.len()];
        let (mut until, mut sums, mut sum, mut all) = (Vec::new(), vec![0.0], 0.0, 0.0);
        for (at, members) in places.iter().enumerate() {
            members.iter().for_each(|&value| of[value] = at as u32);
            sum += members.iter().map(|&value| shares[value]).sum::<f64>();
            all += sum;
            until.push(sum);
            sums.push(all);
        }
        Places { of, until, sums }
    }

    /// The mean over all places but the last of |share of the class up to there − share of the
    /// table|. The share of the class changes at its own values alone; between two of them, that of
    /// the table passes it once.
    fn distance(&self, values: impl Iterator<Item = (usize, f64)>) -> f64 {
        let placed = values.map(|(value, share)| (self.of[value], share)).filter(|(at, _)| *at != UNKNOWN);
        let steps = self.until.len().saturating_sub(1);
        let (mut moved, mut share, mut start) = (0.0, 0.0, 0);
        let mut apart = |share: f64, from: usize, to: usize| {
            let passed = from + self.until[from..to].partition_point(|&until| until < share);
            let below = share * (passed - from) as f64 - (self.sums[passed] - self.sums[from]);
            moved += below + (self.sums[to] - self.sums[passed]) - share * (to - passed) as f64;
        };
        for (at, more) in merged(placed.collect()) {
            let at = (at as usize).min(steps);
            apart(share, start, at);
            share += more;
            start = at;
        }
        apart(share, start, steps);
        moved / steps.max(1) as f64
    }
}

impl Labelled {
    /// Of the numbers of values under each label, and of their shares.
    fn new(labels: &[Vec<usize>], all: &[f64]) -> Self {
        let mut of = vec![UNKNOWN; all.len()];
        let mut shares = Vec::with_capacity(labels.len());
        for (label, members) in labels.iter().enumerate() {
            members.iter().for_each(|&value| of[value] = label as u32);
            shares.push(members.iter().map(|&value| all[value]).sum());
        }
        Labelled { of, all: shares.iter().sum(), shares }
    }

    /// Σ over labels of |share in the class − share in the table|: labels that the class does not
    /// have are all of the table but those that it has.
    fn moved(&self, values: impl Iterator<Item = (usize, f64)>) -> f64 {
        let labelled = values.map(|(value, share)| (self.of[value], share)).filter(|(at, _)| *at != UNKNOWN);
        let own = merged(labelled.collect());
        let table = |label: u32| self.shares[label as usize];
        let moved: f64 = own.iter().map(|&(label, share)| (share - table(label)).abs()).sum();
        let others = self.all - own.iter().map(|&(label, _)| table(label)).sum::<f64>();
        moved + if own.len() < self.shares.len() { others.max(0.0) } else { 0.0 }
    }
}

/// The ground of a distance, in numbers of values.
enum Found {
    Equal,
    /// From first to last, those at one place together.
    Ordered(Vec<Vec<usize>>),
    /// Level below the top → label → its values.
    Hierarchical(Vec<Vec<Vec<usize>>>),
}

/// The ground distance of values; none if unknown.
fn ground(
    (policy, asked): (&Policy, &TCloseness),
    (table, whole): (&Interner, bool),
    build: &Build<'_>,
) -> Result<Option<Found>> {
    let spec = policy.columns.get(&asked.column).and_then(|column| column.hierarchy.as_ref());
    let hierarchy = match spec.filter(|_| asked.distance != Distance::Equal) {
        // Of a release alone the values are not trusted to be in the file.
        Some(Spec::File(_)) if !whole => {
            Some(build(&asked.column, &Dictionary::of((table.count(MISSING) > 0).then_some(None)))?)
        }
        Some(_) => Some(build(&asked.column, &table.dictionary())?),
        None => None,
    };
    Ok(match asked.distance {
        Distance::Equal => Some(Found::Equal),
        Distance::Ordered => {
            let listed = hierarchy.as_ref().filter(|_| matches!(spec, Some(Spec::File(_))));
            ordered(table, asked.order.as_deref(), listed)
        }
        Distance::Hierarchical => hierarchy.and_then(|hierarchy| hierarchical(table, &hierarchy)),
    })
}

/// The values that occur, in order; none where one has no place.
fn ordered(table: &Interner, listed: Option<&[String]>, file: Option<&Hierarchy>) -> Option<Found> {
    let numbers: Vec<u32> = (0..table.len() as u32).filter(|&number| table.count(number) > 0).collect();
    let texts: Vec<&str> = numbers.iter().map(|&number| table.value(number)).collect::<Option<_>>()?;
    let amount = |text: &&str| text.trim().parse::<f64>().ok().filter(|x| x.is_finite());
    let date = |text: &&str| {
        let date = chrono::NaiveDate::parse_from_str(text.trim(), "%Y-%m-%d").ok()?;
        Some(date.signed_duration_since(chrono::NaiveDate::default()).num_days() as f64)
    };
    let keys: Vec<f64> = match listed {
        Some(listed) => {
            let places: BTreeMap<&str, usize> =
                listed.iter().enumerate().map(|(at, text)| (text.as_str(), at)).collect();
            texts.iter().map(|text| places.get(text).map(|at| *at as f64)).collect::<Option<_>>()?
        }
        None => texts
            .iter()
            .map(amount)
            .collect::<Option<Vec<f64>>>()
            .or_else(|| texts.iter().map(date).collect())
            .or_else(|| texts.iter().map(|text| file?.leaf(Some(text)).map(f64::from)).collect())?,
    };
    let mut pairs: Vec<(f64, usize)> = keys.into_iter().zip(numbers.iter().map(|&n| n as usize)).collect();
    pairs.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    let places = pairs.chunk_by(|a, b| a.0 == b.0).map(|chunk| chunk.iter().map(|(_, n)| *n).collect());
    Some(Found::Ordered(places.collect()))
}

/// The values under each label; none where the hierarchy lacks one.
fn hierarchical(table: &Interner, hierarchy: &Hierarchy) -> Option<Found> {
    let numbers = (0..table.len()).filter(|&number| table.count(number as u32) > 0);
    let leaves: Vec<(usize, u32)> =
        numbers.map(|n| Some((n, hierarchy.leaf(table.value(n as u32))?))).collect::<Option<_>>()?;
    let level = |level: usize| {
        let mut members: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for &(number, leaf) in &leaves {
            members.entry(hierarchy.generalize(leaf, level)).or_default().push(number);
        }
        members.into_values().collect()
    };
    Some(Found::Hierarchical((0..hierarchy.height()).map(level).collect()))
}
