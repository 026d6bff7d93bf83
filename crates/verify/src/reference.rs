//! The reference distribution of a sensitive column in the whole table and its ground distances,
//! which t-closeness compares classes with, for the verifier.
//!
//! It comes from the original; without it, from the release if the certificate states that no row
//! is suppressed. Earth mover's distances use other formulas than the search: on a tree, each label
//! moves its difference up an edge of half a level, so the distance is Σ|p − q| over all labels
//! below the top, over twice the height. Costs one pass over all values per class.

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
    ground: Ground,
    /// Number of a value in the release → its number here, or [`UNKNOWN`].
    pub(super) of_release: Vec<u32>,
}

/// How far apart values are.
#[derive(Debug)]
enum Ground {
    Equal,
    /// The numbers of values from first to last; those at one place together.
    Ordered(Vec<Vec<usize>>),
    /// Level below the top → label → its values.
    Hierarchical(Vec<Vec<Vec<usize>>>),
    /// The distance cannot be computed: no class is close.
    Unfit,
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
            None => Some(Ground::Equal),
        };
        let of_release = |number: u32| table.get(released.value(number)).unwrap_or(UNKNOWN);
        Ok(Reference {
            shares: (0..table.len() as u32).map(share).collect(),
            ground: ground.unwrap_or(Ground::Unfit),
            of_release: (0..released.len() as u32).map(of_release).collect(),
        })
    }

    /// For every value of the table its share there and in a class with these values; none where
    /// the class has a value that the table does not.
    pub(super) fn shares(&self, values: &[(u32, u64)]) -> Option<Vec<(f64, f64)>> {
        let rows = values.iter().map(|(_, rows)| rows).sum::<u64>() as f64;
        let mut pairs: Vec<(f64, f64)> = self.shares.iter().map(|&share| (share, 0.0)).collect();
        for &(value, count) in values {
            pairs.get_mut(value as usize).filter(|pair| pair.0 > 0.0)?.1 = count as f64 / rows;
        }
        pairs.retain(|pair| pair.0 > 0.0);
        Some(pairs)
    }

    /// How far a class with these values is from the whole table; endless where it has one that the
    /// table does not.
    pub(super) fn distance(&self, values: &[(u32, u64)]) -> f64 {
        let rows: u64 = values.iter().map(|(_, rows)| rows).sum();
        let mut surplus: Vec<f64> = self.shares.iter().map(|share| -share).collect();
        for &(value, count) in values {
            match surplus.get_mut(value as usize) {
                Some(place) => *place += count as f64 / rows as f64,
                None => return f64::INFINITY,
            }
        }
        let sum = |members: &Vec<usize>| members.iter().map(|&value| surplus[value]).sum::<f64>();
        match &self.ground {
            Ground::Equal => surplus.iter().map(|s| s.abs()).sum::<f64>() / 2.0,
            Ground::Ordered(places) => {
                let steps = 1..places.len();
                let moved = steps.clone().map(|at| places[..at].iter().map(sum).sum::<f64>().abs());
                moved.sum::<f64>() / steps.len().max(1) as f64
            }
            Ground::Hierarchical(levels) => {
                let moved = levels.iter().flatten().map(|members| sum(members).abs());
                moved.sum::<f64>() / (2 * levels.len()) as f64
            }
            Ground::Unfit => f64::INFINITY,
        }
    }
}

/// The ground distance of values; none if unknown.
fn ground(
    (policy, asked): (&Policy, &TCloseness),
    (table, whole): (&Interner, bool),
    build: &Build<'_>,
) -> Result<Option<Ground>> {
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
        Distance::Equal => Some(Ground::Equal),
        Distance::Ordered => {
            let listed = hierarchy.as_ref().filter(|_| matches!(spec, Some(Spec::File(_))));
            ordered(table, asked.order.as_deref(), listed)
        }
        Distance::Hierarchical => hierarchy.and_then(|hierarchy| hierarchical(table, &hierarchy)),
    })
}

/// The values that occur, in order; none where one has no place.
fn ordered(table: &Interner, listed: Option<&[String]>, file: Option<&Hierarchy>) -> Option<Ground> {
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
    Some(Ground::Ordered(places.collect()))
}

/// The values under each label; none where the hierarchy lacks one.
fn hierarchical(table: &Interner, hierarchy: &Hierarchy) -> Option<Ground> {
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
    Some(Ground::Hierarchical((0..hierarchy.height()).map(level).collect()))
}
