//! Ground distances between values for t-closeness: by an order or by a hierarchy.
//!
//! Both are built once per problem, with the table's share of every place or label. A class then
//! costs a sort of its own values, and per value two binary searches (order) or its labels
//! (hierarchy): between the values of a class only the table's shares count, and these are summed
//! once.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::{Class, Values};
use crate::error::{Fault, Result};
use crate::fault;
use crate::hierarchy::Hierarchy;
use crate::table::Code;

/// The values of a class by place, ascending, and the share of rows of each.
fn placed(class: Class<'_>, places: &[u32]) -> Vec<(u32, f64)> {
    let rows = class.rows();
    let pairs = class.codes.iter().zip(class.counts);
    let mut placed: Vec<(u32, f64)> =
        pairs.map(|(&code, &n)| (places[code as usize], f64::from(n) / rows)).collect();
    placed.sort_unstable_by_key(|&(place, _)| place);
    placed
}

/// The places of values in an order; values that do not differ share a place.
#[derive(Debug, Clone)]
pub(super) struct Order {
    /// Code → place.
    place: Vec<u32>,
    /// Place → the table's share of all values up to it.
    up_to: Vec<f64>,
    /// Place → the sum of that over the places before it; one more place at the end.
    sums: Vec<f64>,
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
        let mut at: FxHashMap<&str, usize> = FxHashMap::default();
        for (place, value) in listed.into_iter().flatten().enumerate() {
            at.entry(value).or_insert(place);
        }
        let keys: Option<Vec<(Code, f64)>> = match listed {
            Some(_) => by(&|value| at.get(value).map(|&place| place as f64)),
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
        let mut shares = vec![0.0; sorted.len()];
        let of_table = column.shares();
        for (code, key) in keys {
            let at = sorted.partition_point(|k| *k < key);
            place[code as usize] = at as u32;
            shares[at] += of_table[code as usize];
        }
        let up_to = running_sums(&shares);
        let sums = std::iter::once(0.0).chain(running_sums(&up_to)).collect();
        Ok(Order { place, up_to, sums })
    }

    /// A lower bound of the distance between any two of this many values; 0 if two share a place.
    pub(super) fn nearest(&self, values: usize) -> f64 {
        if self.up_to.len() == values { 1.0 / self.steps() } else { 0.0 }
    }

    /// Steps from the first place to the last.
    fn steps(&self) -> f64 {
        (self.up_to.len().max(2) - 1) as f64
    }

    pub(super) fn distance(&self, class: Class<'_>) -> f64 {
        let (mut from, mut carried, mut moved) = (0, 0.0, 0.0);
        for (place, share) in placed(class, &self.place) {
            moved += self.moved(from, place as usize, carried);
            (from, carried) = (place as usize, carried + share);
        }
        moved += self.moved(from, self.up_to.len(), carried);
        moved / self.steps()
    }

    /// Σ |carried − share up to the place| over some places, where the class has no value.
    fn moved(&self, from: usize, to: usize, carried: f64) -> f64 {
        // Shares up to a place only grow: they are less than what is carried first, then more.
        let middle = from + self.up_to[from..to].partition_point(|&share| share < carried);
        let less = carried * (middle - from) as f64 - (self.sums[middle] - self.sums[from]);
        let more = self.sums[to] - self.sums[middle] - carried * (to - middle) as f64;
        less.max(0.0) + more.max(0.0)
    }
}

fn running_sums(values: &[f64]) -> Vec<f64> {
    let add = |sum: &mut f64, value: &f64| {
        *sum += value;
        Some(*sum)
    };
    values.iter().scan(0.0, add).collect()
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

/// The labels over values, numbered so that those under one label are neighbours.
#[derive(Debug, Clone)]
pub(super) struct Tree {
    /// Code → leaf.
    leaf: Vec<u32>,
    /// Level from 1 → label of the level below → its parent; ascending.
    parents: Vec<Vec<u32>>,
    /// Level → label → its share of the table.
    shares: Vec<Vec<f64>>,
}

impl Tree {
    /// # Errors
    /// A value that is not in the hierarchy, which would be a mistake of ours.
    pub(super) fn new(column: &Values<'_>, hierarchy: &Hierarchy) -> Result<Self> {
        let leaf = |code: Code| {
            let leaf = hierarchy.leaf(column.texts.value(code));
            leaf.ok_or_else(|| Fault::bug("a value is not a leaf").into())
        };
        let leaf: Vec<Code> = (0..column.rows.len() as Code).map(leaf).collect::<Result<_>>()?;
        let (parents, numbers) = numbered(parents(hierarchy), hierarchy.size(0));
        let mut of_leaves = vec![0.0; numbers.len()];
        let leaf: Vec<u32> = leaf.into_iter().map(|leaf| numbers[leaf as usize]).collect();
        for (&leaf, share) in leaf.iter().zip(column.shares()) {
            of_leaves[leaf as usize] += share;
        }
        let mut shares = vec![of_leaves];
        for parents in &parents {
            let below = &shares[shares.len() - 1];
            let mut above = vec![0.0; parents.last().map_or(0, |&last| last as usize + 1)];
            parents.iter().zip(below).for_each(|(&parent, share)| above[parent as usize] += share);
            shares.push(above);
        }
        Ok(Tree { leaf, parents, shares })
    }

    /// How far apart any two values are at least: the lowest level at which there is a common
    /// label, over the height; 0 where two values are one leaf.
    pub(super) fn nearest(&self) -> f64 {
        let mut leaves = self.leaf.clone();
        leaves.sort_unstable();
        leaves.dedup();
        if leaves.len() == self.leaf.len() { 1.0 / self.parents.len() as f64 } else { 0.0 }
    }

    /// Labels without a value of the class have no surplus to move, so only those with one count.
    pub(super) fn distance(&self, class: Class<'_>) -> f64 {
        let mut labels = placed(class, &self.leaf);
        labels.dedup_by(|next, label| {
            let same = next.0 == label.0;
            label.1 += if same { next.1 } else { 0.0 };
            same
        });
        let height = self.parents.len() as f64;
        let mut cost = 0.0;
        for (level, parents) in self.parents.iter().enumerate() {
            let mut above: Vec<(u32, f64)> = Vec::with_capacity(labels.len());
            let mut moved = 0.0;
            for under in labels.chunk_by(|a, b| parents[a.0 as usize] == parents[b.0 as usize]) {
                let parent = parents[under[0].0 as usize];
                let surplus = |&(label, share): &(u32, f64)| share - self.shares[level][label as usize];
                let much: f64 = under.iter().map(|label| surplus(label).max(0.0)).sum();
                let label = (parent, under.iter().map(|label| label.1).sum());
                // What children lack is what they have too much less the surplus of all.
                let all = label.1 - self.shares[level + 1][parent as usize];
                moved += much.min(much - all).max(0.0);
                above.push(label);
            }
            cost += (level + 1) as f64 / height * moved;
            labels = above;
        }
        cost
    }
}

/// Level from 1 → label of the level below → its parent.
fn parents(hierarchy: &Hierarchy) -> Vec<Vec<u32>> {
    let of_level = |level: usize| {
        let mut parents = vec![0; hierarchy.size(level - 1)];
        for (&child, &parent) in hierarchy.codes(level - 1).iter().zip(hierarchy.codes(level)) {
            parents[child as usize] = parent;
        }
        parents
    };
    (1..=hierarchy.height()).map(of_level).collect()
}

/// The same with new numbers for all labels, so that those under one label are neighbours; and
/// leaf → its new number.
fn numbered(mut parents: Vec<Vec<u32>>, leaves: usize) -> (Vec<Vec<u32>>, Vec<u32>) {
    // Label of the level above → its new number; from the top on, labels are sorted by it.
    let mut above: Option<Vec<u32>> = None;
    for level in (0..=parents.len()).rev() {
        let size =
            if level == 0 { leaves } else { parents[level - 1].iter().max().map_or(0, |&m| m as usize + 1) };
        let mut order: Vec<u32> = (0..size as u32).collect();
        if let Some(above) = &above {
            let up = &mut parents[level];
            up.truncate(size);
            up.iter_mut().for_each(|parent| *parent = above[*parent as usize]);
            order.sort_by_key(|&label| up[label as usize]);
            up.sort_unstable();
        }
        let mut numbers = vec![0; size];
        order.iter().enumerate().for_each(|(number, &label)| numbers[label as usize] = number as u32);
        above = Some(numbers);
    }
    (parents, above.unwrap_or_default())
}
