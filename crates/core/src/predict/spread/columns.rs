//! Texts of cells as distributions over the parts of their columns.
//!
//! Read directly, a cell is spread evenly over the numbers or categories that it covers. Read by
//! the middle, a number is the middle of its cell, and a category is the one that is most frequent
//! in its column among those that the cell covers. A cell that says nothing (`*`, a missing number)
//! is spread like the other cells of its column; by the middle, it is the mean or the most frequent
//! category. Bins of numbers have about equal weight in the rows that the model learns from, and
//! nothing else is looked at: a recipient can do the same. Of a column with many categories, all
//! but the most frequent are one part. Costs one look-up per distinct text.

use super::{Column, Spread};
use crate::predict::features::{Extent, Reader};
use crate::predict::sheet::Feature;

/// Bins of numbers.
const BINS: usize = 20;
/// Categories of a column that are parts by themselves.
const PARTS: usize = 256;
/// Points that stand for an interval where bins are chosen.
const POINTS: usize = 16;

/// How released cells are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// As distributions over what they cover.
    Direct,
    /// As the middle of what they cover.
    Middle,
}

/// The parts of columns, and what cells mean there.
#[derive(Debug, Clone)]
pub struct Space {
    reader: Reader,
    columns: Vec<Parts>,
}

#[derive(Debug, Clone)]
struct Parts {
    kind: Kind,
    /// A cell that says nothing.
    anything: Spread,
}

#[derive(Debug, Clone)]
enum Kind {
    /// Where bins begin, but for the first.
    Number(Vec<f64>),
    /// Category → part, and the number of parts.
    Category(Vec<u32>, usize),
}

impl Kind {
    fn parts(&self) -> usize {
        match self {
            Kind::Number(bounds) => bounds.len() + 1,
            Kind::Category(_, parts) => *parts,
        }
    }

    fn spread(&self, extent: &Extent, anything: &Spread) -> Spread {
        match (self, extent) {
            (Kind::Number(bounds), Extent::Number(x)) => Spread::certain(bin(bounds, *x), *x),
            (Kind::Number(bounds), Extent::Between(low, high)) => between(bounds, *low, *high),
            (Kind::Number(bounds), Extent::Numbers(numbers)) => {
                let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
                Spread { mean, parts: shares(numbers.iter().map(|x| bin(bounds, *x))) }
            }
            (Kind::Category(part_of, _), Extent::Categories(all)) => {
                Spread { mean: 0.0, parts: shares(all.iter().map(|&c| part_of[c as usize])) }
            }
            _ => anything.clone(),
        }
    }
}

fn bin(bounds: &[f64], x: f64) -> u32 {
    bounds.partition_point(|bound| *bound <= x) as u32
}

/// A number spread evenly between two bounds.
fn between(bounds: &[f64], low: f64, high: f64) -> Spread {
    let (first, last) = (bin(bounds, low), bin(bounds, high));
    let part = |at: u32| {
        let from = if at == 0 { low } else { bounds[at as usize - 1].max(low) };
        let to = bounds.get(at as usize).map_or(high, |bound| bound.min(high));
        (at, (to - from) / (high - low))
    };
    let parts = (first..=last).map(part).filter(|(_, share)| *share > 0.0).collect();
    Spread { mean: low + (high - low) / 2.0, parts }
}

/// Equal chances, put together by part.
fn shares(parts: impl Iterator<Item = u32>) -> Vec<(u32, f64)> {
    let mut all: Vec<u32> = parts.collect();
    all.sort_unstable();
    let one = 1.0 / all.len().max(1) as f64;
    all.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as f64 * one)).collect()
}

impl Space {
    /// The parts of columns whose distinct texts have these weights, and the cells of the texts, in
    /// their order.
    pub fn new(
        reader: &Reader,
        texts: &[Vec<(Option<&str>, f64)>],
        reading: Reading,
    ) -> (Space, Vec<Column>) {
        let features = reader.features();
        let column = |(at, texts): (usize, &Vec<(Option<&str>, f64)>)| {
            let extents: Vec<(Extent, f64)> =
                texts.iter().map(|(text, weight)| (reader.extent(at, *text), *weight)).collect();
            match features[at] {
                Feature::Category(of) if !reader.is_ordered(at) => categories(extents, of as usize, reading),
                _ => numbers(extents, reading),
            }
        };
        let made: Vec<(Parts, Vec<Spread>)> = texts.iter().enumerate().map(column).collect();
        let (parts, cells): (Vec<Parts>, Vec<Vec<Spread>>) = made.into_iter().unzip();
        let column = |(parts, cells): (&Parts, Vec<Spread>)| Column {
            ordered: matches!(parts.kind, Kind::Number(_)),
            parts: parts.kind.parts(),
            cells,
        };
        let columns = parts.iter().zip(cells).map(column).collect();
        (Space { reader: reader.clone(), columns: parts }, columns)
    }

    /// The cells of other texts with their weights, spread over these parts: a cell that says
    /// nothing is spread like the others among them.
    pub fn again(&self, texts: &[Vec<(Option<&str>, f64)>]) -> Vec<Column> {
        let column = |(at, texts): (usize, &Vec<(Option<&str>, f64)>)| {
            let kind = &self.columns[at].kind;
            let extents: Vec<(Extent, f64)> =
                texts.iter().map(|(text, weight)| (self.reader.extent(at, *text), *weight)).collect();
            let none = Spread { mean: 0.0, parts: Vec::new() };
            let informative = extents.iter().filter(|(extent, _)| *extent != Extent::Anything);
            let parts = marginal(informative.map(|(e, w)| (kind.spread(e, &none), *w)), kind.parts());
            let anything = Spread { mean: self.columns[at].anything.mean, parts };
            Column {
                ordered: matches!(kind, Kind::Number(_)),
                parts: kind.parts(),
                cells: extents.iter().map(|(extent, _)| kind.spread(extent, &anything)).collect(),
            }
        };
        texts.iter().enumerate().map(column).collect()
    }

    /// The cell of a text in a column, as a model of this space reads it.
    pub fn cell(&self, column: usize, text: Option<&str>) -> Spread {
        let Parts { kind, anything } = &self.columns[column];
        kind.spread(&self.reader.extent(column, text), anything)
    }

    /// The number of parts of a column.
    pub fn parts(&self, column: usize) -> usize {
        self.columns[column].kind.parts()
    }
}

fn numbers(extents: Vec<(Extent, f64)>, reading: Reading) -> (Parts, Vec<Spread>) {
    let middle = |extent: &Extent| match extent {
        Extent::Number(x) => Some(*x),
        Extent::Between(low, high) => Some(low + (high - low) / 2.0),
        Extent::Numbers(all) => Some(all.iter().sum::<f64>() / all.len() as f64),
        Extent::Anything | Extent::Categories(_) => None,
    };
    let known = || extents.iter().filter_map(|(extent, weight)| Some((middle(extent)?, *weight)));
    let weight: f64 = known().map(|(_, weight)| weight).sum();
    let mean = if weight > 0.0 { known().map(|(x, w)| x * w).sum::<f64>() / weight } else { 0.0 };
    let extents: Vec<(Extent, f64)> = match reading {
        Reading::Direct => extents,
        Reading::Middle => {
            extents.iter().map(|(e, w)| (Extent::Number(middle(e).unwrap_or(mean)), *w)).collect()
        }
    };
    let kind = Kind::Number(bounds(&extents));
    let none = Spread { mean, parts: Vec::new() };
    let informative = extents.iter().filter(|(extent, _)| *extent != Extent::Anything);
    let anything =
        Spread { mean, parts: marginal(informative.map(|(e, w)| (kind.spread(e, &none), *w)), kind.parts()) };
    let cells = extents.iter().map(|(extent, _)| kind.spread(extent, &anything)).collect();
    (Parts { kind, anything }, cells)
}

/// Where bins of about equal weight begin, but for the first: half way between two values.
fn bounds(extents: &[(Extent, f64)]) -> Vec<f64> {
    let mut points: Vec<(f64, f64)> = Vec::new();
    for (extent, weight) in extents {
        match extent {
            Extent::Number(x) => points.push((*x, *weight)),
            Extent::Numbers(all) => points.extend(all.iter().map(|x| (*x, weight / all.len() as f64))),
            Extent::Between(low, high) => points
                .extend((0..POINTS).map(|i| {
                    (low + (high - low) * (i as f64 + 0.5) / POINTS as f64, weight / POINTS as f64)
                })),
            Extent::Anything | Extent::Categories(_) => {}
        }
    }
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let all: f64 = points.iter().map(|(_, weight)| weight).sum();
    let (mut bounds, mut before, mut filled) = (Vec::new(), 0.0, 0.0);
    for pair in points.windows(2) {
        before += pair[0].1;
        let (x, next) = (pair[0].0, pair[1].0);
        if x < next && before * BINS as f64 >= (filled + 1.0) * all {
            bounds.push(x + (next - x) / 2.0);
            filled = (before * BINS as f64 / all).floor();
        }
    }
    bounds
}

fn categories(extents: Vec<(Extent, f64)>, of: usize, reading: Reading) -> (Parts, Vec<Spread>) {
    // The weight of every category if all cells are spread evenly.
    let mut rows = vec![0.0; of];
    for (extent, weight) in &extents {
        if let Extent::Categories(all) = extent {
            all.iter().for_each(|&c| rows[c as usize] += weight / all.len() as f64);
        }
    }
    let most = |among: &mut dyn Iterator<Item = u32>| {
        among.max_by(|&a, &b| rows[a as usize].total_cmp(&rows[b as usize]).then(b.cmp(&a)))
    };
    let extents: Vec<(Extent, f64)> = match reading {
        Reading::Direct => extents,
        Reading::Middle => {
            let middle = |extent: &Extent| match extent {
                Extent::Categories(all) => most(&mut all.iter().copied()),
                _ => most(&mut (0..of as u32)),
            };
            let point = |(e, w): &(Extent, f64)| (Extent::Categories(middle(e).into_iter().collect()), *w);
            extents.iter().map(point).collect()
        }
    };
    let kind = grouped(&rows);
    let none = Spread { mean: 0.0, parts: Vec::new() };
    let informative = extents.iter().filter(|(extent, _)| *extent != Extent::Anything);
    let anything = Spread {
        mean: 0.0,
        parts: marginal(informative.map(|(e, w)| (kind.spread(e, &none), *w)), kind.parts()),
    };
    let cells = extents.iter().map(|(extent, _)| kind.spread(extent, &anything)).collect();
    (Parts { kind, anything }, cells)
}

/// Categories as parts; the last part holds the rare ones of many.
fn grouped(rows: &[f64]) -> Kind {
    if rows.len() <= PARTS {
        return Kind::Category((0..rows.len() as u32).collect(), rows.len());
    }
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by(|&a, &b| rows[b].total_cmp(&rows[a]).then(a.cmp(&b)));
    let mut part_of = vec![PARTS as u32 - 1; rows.len()];
    let mut kept = order[..PARTS - 1].to_vec();
    kept.sort_unstable();
    kept.iter().enumerate().for_each(|(part, &category)| part_of[category] = part as u32);
    Kind::Category(part_of, PARTS)
}

/// The chance of every part over all cells; alike where there are none.
fn marginal(cells: impl Iterator<Item = (Spread, f64)>, parts: usize) -> Vec<(u32, f64)> {
    let mut rows = vec![0.0; parts];
    for (spread, weight) in cells {
        spread.parts.iter().for_each(|&(part, share)| rows[part as usize] += share * weight);
    }
    let all: f64 = rows.iter().sum();
    let share = |(part, rows): (usize, &f64)| match all > 0.0 {
        true => (part as u32, rows / all),
        false => (part as u32, 1.0 / parts as f64),
    };
    rows.iter().enumerate().map(share).filter(|(_, share)| *share > 0.0).collect()
}
