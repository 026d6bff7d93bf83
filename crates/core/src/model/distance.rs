//! Ground distances between values for t-closeness: by an order or by a hierarchy.
//!
//! Both are built once per problem. A class then costs one pass over the places of the order or
//! over the labels of the hierarchy; small ones use stack memory.

use std::collections::BTreeSet;

use super::Values;
use crate::error::{Fault, Result};
use crate::fault;
use crate::hierarchy::Hierarchy;
use crate::table::Code;

/// Calls `work` with a slice of zeros; short slices use the stack, because this runs for every
/// class.
pub(super) fn with_room<T>(len: usize, work: impl FnOnce(&mut [f64]) -> T) -> T {
    const FEW: usize = 128;
    if len <= FEW { work(&mut [0.0; FEW][..len]) } else { work(&mut vec![0.0; len]) }
}

/// The places of values in an order; values that do not differ share a place.
#[derive(Debug, Clone)]
pub(super) struct Order {
    /// Code → place.
    place: Vec<usize>,
    places: usize,
}

impl Order {
    /// As listed; else by number, by date, or as the column's hierarchy file lists them. Only
    /// values that occur have a place.
    ///
    /// # Errors
    /// Missing cells, and values that have no order.
    pub(super) fn new(column: &Values<'_>, listed: Option<&[String]>) -> Result<Self> {
        let codes = || (0..column.rows.len() as Code).filter(|&code| column.rows[code as usize] > 0);
        if codes().any(|code| column.texts.value(code).is_none()) {
            return Err(fault!(
                Data,
                "model.missing-in-order",
                "missing cells of `{column}` have no place in an order",
                column = column.name
            )
            .help("use distance = \"equal\", or leave the rows out before the release")
            .into());
        }
        let text = |code: Code| column.texts.value(code).unwrap_or_default();
        let by =
            |key: &dyn Fn(&str) -> Option<f64>| codes().map(|code| Some((code, key(text(code))?))).collect();
        let keys: Option<Vec<(Code, f64)>> = match listed {
            Some(listed) => by(&|value| listed.iter().position(|l| l == value).map(|at| at as f64)),
            None => by(&number).or_else(|| by(&day)).or_else(|| {
                let hierarchy = column.hierarchy.filter(|_| column.listed)?;
                by(&|value| hierarchy.leaf(Some(value)).map(f64::from))
            }),
        };
        let Some(keys) = keys else { return Err(no_order(column, listed, codes().map(text)).into()) };
        let mut sorted: Vec<f64> = keys.iter().map(|(_, key)| *key).collect();
        sorted.sort_by(f64::total_cmp);
        sorted.dedup();
        let mut place = vec![0; column.rows.len()];
        for (code, key) in keys {
            place[code as usize] = sorted.partition_point(|k| *k < key);
        }
        Ok(Order { place, places: sorted.len() })
    }

    /// A lower bound of the distance between any two of this many values; 0 if two share a place.
    pub(super) fn nearest(&self, values: usize) -> f64 {
        if self.places == values { 1.0 / (self.places.max(2) - 1) as f64 } else { 0.0 }
    }

    pub(super) fn places(&self) -> usize {
        self.places
    }

    pub(super) fn add(&self, code: usize, surplus: f64, room: &mut [f64]) {
        room[self.place[code]] += surplus;
    }

    pub(super) fn distance(&self, room: &[f64]) -> f64 {
        let mut carried = 0.0f64;
        let moved: f64 = room
            .iter()
            .map(|surplus| {
                carried += surplus;
                carried.abs()
            })
            .sum();
        moved / (self.places.max(2) - 1) as f64
    }
}

/// A finite number; −0 is 0.
pub(super) fn number(text: &str) -> Option<f64> {
    text.trim().parse::<f64>().ok().filter(|x| x.is_finite()).map(|x| x + 0.0)
}

/// The day of a date such as 2024-05-31.
fn day(text: &str) -> Option<f64> {
    let date = chrono::NaiveDate::parse_from_str(text.trim(), "%Y-%m-%d").ok()?;
    Some(f64::from(chrono::Datelike::num_days_from_ce(&date)))
}

fn no_order<'a>(
    column: &Values<'_>,
    listed: Option<&[String]>,
    mut texts: impl Iterator<Item = &'a str>,
) -> Fault {
    let name = column.name;
    match listed {
        Some(listed) => {
            let known: BTreeSet<&str> = listed.iter().map(String::as_str).collect();
            let value = texts.find(|text| !known.contains(text)).unwrap_or_default();
            fault!(
                Data,
                "model.value-not-in-order",
                "value `{value}` of `{column}` is not in the order",
                value = value,
                column = name
            ).help("add it to `order`")
        }
        None => fault!(
                Data,
                "model.no-order",
                "values of `{column}` have no order: they are neither numbers nor dates",
                column = name
            )
            .help("give order = [\"low\", \"middle\", \"high\"], or a hierarchy from a file that lists them in order"),
    }
}

/// The labels over values.
#[derive(Debug, Clone)]
pub(super) struct Tree {
    /// Code → leaf.
    leaf: Vec<usize>,
    /// Level from 1 → label of the level below → its parent.
    parents: Vec<Vec<usize>>,
    /// Level → number of labels.
    sizes: Vec<usize>,
}

impl Tree {
    /// # Errors
    /// A value that is not in the hierarchy, which would be a mistake of ours.
    pub(super) fn new(column: &Values<'_>, hierarchy: &Hierarchy) -> Result<Self> {
        let leaf = |code: Code| {
            let leaf = hierarchy.leaf(column.texts.value(code));
            leaf.map(|leaf| leaf as usize).ok_or_else(|| Fault::bug("a value is not a leaf").into())
        };
        let parents = (1..=hierarchy.height()).map(|level| {
            let mut parents = vec![0; hierarchy.size(level - 1)];
            for (&child, &parent) in hierarchy.codes(level - 1).iter().zip(hierarchy.codes(level)) {
                parents[child as usize] = parent as usize;
            }
            parents
        });
        Ok(Tree {
            leaf: (0..column.rows.len() as Code).map(leaf).collect::<Result<_>>()?,
            parents: parents.collect(),
            sizes: (0..=hierarchy.height()).map(|level| hierarchy.size(level)).collect(),
        })
    }

    /// How far apart any two values are at least: the lowest level at which there is a common
    /// label, over the height; 0 where two values are one leaf.
    pub(super) fn nearest(&self) -> f64 {
        let mut leaves = self.leaf.clone();
        leaves.sort_unstable();
        leaves.dedup();
        if leaves.len() == self.leaf.len() { 1.0 / self.parents.len() as f64 } else { 0.0 }
    }

    /// The surplus of every label of two neighbouring levels, and what the children of the upper
    /// one's have too much.
    pub(super) fn room(&self) -> usize {
        let widest = self.sizes.iter().max().copied().unwrap_or(0);
        3 * widest
    }

    pub(super) fn add(&self, code: usize, surplus: f64, room: &mut [f64]) {
        room[self.leaf[code]] += surplus;
    }

    pub(super) fn distance(&self, room: &mut [f64]) -> f64 {
        let widest = room.len() / 3;
        let (mut below, rest) = room.split_at_mut(widest);
        let (mut above, excess) = rest.split_at_mut(widest);
        let height = self.parents.len() as f64;
        let mut cost = 0.0;
        for (level, parents) in self.parents.iter().enumerate() {
            let size = self.sizes[level + 1];
            above[..size].fill(0.0);
            excess[..size].fill(0.0);
            for (&parent, &surplus) in parents.iter().zip(below.iter()) {
                above[parent] += surplus;
                excess[parent] += surplus.max(0.0);
            }
            // What children lack is what they have too much less the surplus of all.
            let moved: f64 =
                above[..size].iter().zip(excess.iter()).map(|(all, much)| much.min(much - all)).sum();
            cost += (level + 1) as f64 / height * moved;
            std::mem::swap(&mut below, &mut above);
        }
        cost
    }
}
