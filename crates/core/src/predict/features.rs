//! Converts released cells into features [Katirai 2006, "The output of the anonymization process
//! was then fed …"].
//!
//! A number is itself; an interval is the middle of its bounds, and a label of a hierarchy over
//! numbers is the middle of the numbers under it. An interval without an end, and `*`, is the mean
//! of the numbers known to lie in it. A category is itself; a cell that may be several categories
//! (a set, a range, a mask, a label or `*`) becomes several rows that share its weight, and their
//! predictions are averaged: sex `*` is two rows of weight ½. A missing number is the mean; a
//! missing category is a category of its own, and so is one that was unknown when the model was
//! fitted. If a row would become more than 256 rows, its cells with most categories are thinned out
//! evenly. Costs one look-up per cell, and the rows that a row becomes.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::sheet::Feature;
use crate::cell::{Cell, Interval, number};
use crate::hierarchy::Hierarchy;
use crate::poset::Poset;
use crate::table::{Code, Dictionary};

/// The most rows that one becomes.
const MOST: usize = 256;

/// What is known of a column when a model is fitted.
pub struct Known<'a> {
    /// The values with their rows.
    pub values: &'a Dictionary,
    /// How they generalize, where cells may be labels.
    pub hierarchy: Option<&'a Hierarchy>,
    /// Whether an apparent number is a code and not for arithmetic.
    pub codes: bool,
}

/// What a cell can be, as far as its text says.
#[derive(Debug, Clone, PartialEq)]
pub enum Extent {
    /// Anything: `*`, a missing number, or every category there is.
    Anything,
    /// A number.
    Number(f64),
    /// A number between two bounds.
    Between(f64, f64),
    /// One of some numbers.
    Numbers(Vec<f64>),
    /// One of some categories; one more than there are is the missing one.
    Categories(Vec<u32>),
}

/// Reads released cells as features.
#[derive(Debug, Clone)]
pub struct Reader {
    columns: Vec<Column>,
}

#[derive(Debug, Clone)]
enum Column {
    Number {
        /// The numbers known, in order, with their rows.
        known: Vec<(f64, f64)>,
        /// Label → the middle of the numbers under it.
        labels: BTreeMap<String, f64>,
        /// Label → the least and the greatest number under it.
        under: BTreeMap<String, (f64, f64)>,
        order: Ordered,
    },
    Category {
        /// In order.
        known: Vec<String>,
        /// What says which of them are under a cell, where levels do not.
        poset: Option<Arc<Poset>>,
        /// Label → the categories under it.
        labels: BTreeMap<String, Vec<u32>>,
        order: Ordered,
        /// The categories as days, if all of them are dates; empty otherwise.
        days: Vec<f64>,
    },
}

/// The values of a column in the order that its policy states; empty where it states none.
#[derive(Debug, Clone, Default)]
struct Ordered(Vec<String>);

impl Ordered {
    fn of(hierarchy: Option<&Hierarchy>) -> Self {
        let Some(hierarchy) = hierarchy else { return Ordered::default() };
        let leaves = (0..hierarchy.leaf_count() as Code).filter_map(|leaf| hierarchy.leaf_value(leaf));
        let values: Vec<&str> = leaves.collect();
        let ends = values.first().zip(values.last());
        let stated = ends.is_some_and(|(first, last)| hierarchy.between(first, last).is_some());
        Ordered(if stated { values.into_iter().map(String::from).collect() } else { Vec::new() })
    }

    /// The values of a range; none where a cell is not a range of this order.
    fn between(&self, cell: &Cell) -> Option<&[String]> {
        let Cell::Range(first, last) = cell else { return None };
        let place = |end: &String| self.0.iter().position(|value| value == end);
        self.0.get(place(first)?..=place(last)?)
    }
}

impl Reader {
    /// What is to be known of cells: columns of numbers alone are numbers, unless they are codes.
    pub fn new(columns: &[Known<'_>]) -> Self {
        Reader { columns: columns.iter().map(Column::new).collect() }
    }

    /// The features that rows are read as. A category more than there are is the missing one.
    pub fn features(&self) -> Vec<Feature> {
        let feature = |column: &Column| match column {
            Column::Number { .. } => Feature::Number,
            Column::Category { known, .. } => Feature::Category(known.len() as u32 + 1),
        };
        self.columns.iter().map(feature).collect()
    }

    /// What the cell of a column may be, all alike in weight.
    pub fn cell(&self, column: usize, cell: Option<&str>) -> Vec<f64> {
        self.columns[column].read(cell)
    }

    /// The values that the cell of a column may have: of numbers, those known that lie in it, or
    /// its middle where none does; a missing number may be any.
    pub fn may_be(&self, column: usize, cell: Option<&str>) -> Vec<f64> {
        let Column::Number { known, labels, under, order } = &self.columns[column] else {
            return self.cell(column, cell);
        };
        let within = |fits: &dyn Fn(f64) -> bool| -> Vec<f64> {
            known.iter().map(|(x, _)| *x).filter(|x| fits(*x)).collect()
        };
        let may = match cell {
            None => within(&|_| true),
            Some(text) if number(text).is_some() => Vec::new(),
            Some(text) => match (Cell::parse(text), under.get(text)) {
                (Cell::Anything, _) => within(&|_| true),
                (Cell::Interval(interval), _) => within(&|x| interval.has(x)),
                (cell @ Cell::Range(..), None) => {
                    let numbers = || order.between(&cell).into_iter().flatten().filter_map(|n| number(n));
                    within(&|x| numbers().any(|n| n == x))
                }
                (_, Some((low, high))) => within(&|x| (*low..=*high).contains(&x)),
                _ => Vec::new(),
            },
        };
        if may.is_empty() { vec![as_number(cell, known, (labels, order))] } else { may }
    }

    /// Whether [`extent`](Self::extent) reads cells of a column as numbers: dates are days.
    pub fn is_ordered(&self, column: usize) -> bool {
        match &self.columns[column] {
            Column::Number { .. } => true,
            Column::Category { days, .. } => !days.is_empty(),
        }
    }

    /// What a cell of a column can be. Of whole numbers, `[20, 25)` is 20 to 24: half a unit is
    /// added at both ends, so that values spread evenly between them have the right mean.
    pub fn extent(&self, column: usize, cell: Option<&str>) -> Extent {
        match &self.columns[column] {
            Column::Number { known, under, order, .. } => number_extent(cell, known, (under, order)),
            Column::Category { labels, days, .. } if !days.is_empty() => date_extent(cell, labels, days),
            Column::Category { known, .. } => {
                let all: Vec<u32> = self.cell(column, cell).into_iter().map(|at| at as u32).collect();
                match all.len() > 1 && all.len() == known.len() {
                    true => Extent::Anything,
                    false => Extent::Categories(all),
                }
            }
        }
    }

    /// The rows that a row may be, all alike in weight.
    pub fn read(&self, row: &[Option<&str>]) -> Vec<Vec<f64>> {
        let mut cells: Vec<Vec<f64>> =
            self.columns.iter().zip(row).map(|(column, cell)| column.read(*cell)).collect();
        while cells.iter().map(|c| c.len() as f64).product::<f64>() > MOST as f64 {
            if let Some(widest) = cells.iter_mut().max_by_key(|c| c.len()) {
                let mut at = 0;
                widest.retain(|_| {
                    at += 1;
                    at % 2 == 1
                });
            }
        }
        let mut rows: Vec<Vec<f64>> = vec![Vec::new()];
        for cell in &cells {
            let with = |row: &Vec<f64>, value: &f64| [row.as_slice(), &[*value]].concat();
            rows = rows.iter().flat_map(|row| cell.iter().map(move |value| with(row, value))).collect();
        }
        rows
    }

    /// A cell of a row that was read, as a text; the missing category is none.
    pub fn text(&self, column: usize, cell: f64) -> Option<String> {
        match &self.columns[column] {
            Column::Number { .. } => Some(cell.to_string()),
            Column::Category { known, .. } => known.get(cell as usize).cloned(),
        }
    }
}

impl Column {
    fn new(known: &Known<'_>) -> Self {
        let values =
            || (0..known.values.len() as Code).filter_map(|code| Some((known.values.value(code)?, code)));
        let numbers = !known.codes && values().next().is_some() && values().all(|(text, _)| counts(text));
        if numbers {
            let mut rows: Vec<(f64, f64)> = values()
                .filter_map(|(text, code)| Some((number(text)?, known.values.count(code) as f64)))
                .collect();
            rows.sort_by(|a, b| a.0.total_cmp(&b.0));
            let ends = |leaves: Vec<&str>| {
                let numbers: Vec<f64> = leaves.into_iter().filter_map(number).collect();
                let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
                let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                (low <= high).then_some((low, high))
            };
            let labels = under(known.hierarchy).into_iter();
            let under: BTreeMap<String, (f64, f64)> =
                labels.filter_map(|(label, leaves)| Some((label, ends(leaves)?))).collect();
            let middle =
                |(label, (low, high)): (&String, &(f64, f64))| (label.clone(), low + (high - low) / 2.0);
            let order = Ordered::of(known.hierarchy);
            return Column::Number { known: rows, labels: under.iter().map(middle).collect(), under, order };
        }
        let mut names: Vec<String> = values().map(|(text, _)| text.to_owned()).collect();
        names.sort();
        let places = |leaves: Vec<&str>| -> Vec<u32> {
            let place = |leaf: &str| names.binary_search_by(|name| name.as_str().cmp(leaf)).ok();
            let mut places: Vec<u32> = leaves.into_iter().filter_map(place).map(|at| at as u32).collect();
            places.sort_unstable();
            places
        };
        let labels = under(known.hierarchy).into_iter().map(|(label, leaves)| (label, places(leaves)));
        let poset = known.hierarchy.and_then(|hierarchy| hierarchy.poset().cloned());
        let labels = labels.filter(|(_, of)| !of.is_empty()).collect();
        let days: Option<Vec<f64>> = names.iter().map(|name| day(name)).collect();
        let days = days.unwrap_or_default();
        Column::Category { labels, known: names, poset, order: Ordered::of(known.hierarchy), days }
    }

    fn read(&self, cell: Option<&str>) -> Vec<f64> {
        match self {
            Column::Number { known, labels, order, .. } => vec![as_number(cell, known, (labels, order))],
            Column::Category { known, labels, poset, order, .. } => {
                as_categories(cell, (known, poset.as_deref()), (labels, order))
            }
        }
    }
}

/// Whether a text is a number for arithmetic: one that begins with 0 is a code, such as 02138.
fn counts(text: &str) -> bool {
    let digits = text.trim().strip_prefix('0').unwrap_or_default();
    number(text).is_some() && !digits.starts_with(|c: char| c.is_ascii_digit())
}

/// Label above the leaves → the leaves under it, of the least level that has it.
fn under(hierarchy: Option<&Hierarchy>) -> BTreeMap<String, Vec<&str>> {
    let mut labels: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let Some(hierarchy) = hierarchy else { return labels };
    for level in 1..=hierarchy.height() {
        let mut here: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for leaf in 0..hierarchy.leaf_count() as Code {
            let label = hierarchy.label(level, hierarchy.generalize(leaf, level));
            if let (Some(label), Some(value)) = (label, hierarchy.leaf_value(leaf)) {
                here.entry(label.to_owned()).or_default().push(value);
            }
        }
        for (label, leaves) in here {
            labels.entry(label).or_insert(leaves);
        }
    }
    labels
}

fn as_number(
    cell: Option<&str>,
    known: &[(f64, f64)],
    (labels, order): (&BTreeMap<String, f64>, &Ordered),
) -> f64 {
    let mean = |of: &dyn Fn(f64) -> bool| {
        let inside = || known.iter().filter(|(x, _)| of(*x));
        let rows: f64 = inside().map(|(_, rows)| rows).sum();
        (rows > 0.0).then(|| inside().map(|(x, rows)| x * rows).sum::<f64>() / rows)
    };
    let all = || mean(&|_| true).unwrap_or(0.0);
    let Some(text) = cell else { return all() };
    if let Some(x) = number(text) {
        return x;
    }
    let middle = |values: &[String]| {
        let numbers: Vec<f64> = values.iter().filter_map(|value| number(value)).collect();
        (!numbers.is_empty()).then(|| numbers.iter().sum::<f64>() / numbers.len() as f64)
    };
    match Cell::parse(text) {
        Cell::Interval(Interval { low, high, .. }) if low.is_finite() && high.is_finite() => {
            low + (high - low) / 2.0
        }
        Cell::Interval(interval) => {
            let end = if interval.low.is_finite() { interval.low } else { interval.high };
            mean(&|x| interval.has(x)).unwrap_or(end)
        }
        Cell::Set(values) => middle(&values).unwrap_or_else(all),
        Cell::Anything => all(),
        cell => match labels.get(text) {
            Some(&middle) => middle,
            None => order.between(&cell).and_then(middle).unwrap_or_else(all),
        },
    }
}

/// Days of a date, from some day on.
fn day(text: &str) -> Option<f64> {
    let date = chrono::NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?;
    Some(f64::from(chrono::Datelike::num_days_from_ce(&date)))
}

fn date_extent(cell: Option<&str>, labels: &BTreeMap<String, Vec<u32>>, days: &[f64]) -> Extent {
    let Some(text) = cell else { return Extent::Anything };
    if let Some(day) = day(text) {
        return Extent::Number(day);
    }
    let ends = match (Cell::parse(text), labels.get(text)) {
        (Cell::Anything, _) => None,
        (Cell::Range(first, last), _) => day(&first).zip(day(&last)),
        (Cell::Set(values), _) => {
            let all: Vec<f64> = values.iter().filter_map(|value| day(value)).collect();
            return if all.is_empty() { Extent::Anything } else { Extent::Numbers(all) };
        }
        // Labels list the known dates under them: the period lies around these.
        (_, Some(under)) => under.iter().map(|&at| days[at as usize]).fold(None, |ends, day| {
            Some(ends.map_or((day, day), |(l, h): (f64, f64)| (l.min(day), h.max(day))))
        }),
        _ => None,
    };
    match ends {
        None => Extent::Anything,
        Some((low, high)) if low >= high => Extent::Number(low),
        Some((low, high)) => Extent::Between(low - 0.5, high + 0.5),
    }
}

fn number_extent(
    cell: Option<&str>,
    known: &[(f64, f64)],
    (under, order): (&BTreeMap<String, (f64, f64)>, &Ordered),
) -> Extent {
    let Some(text) = cell else { return Extent::Anything };
    if let Some(x) = number(text) {
        return Extent::Number(x);
    }
    let numbers = |values: &[String]| {
        let numbers: Vec<f64> = values.iter().filter_map(|value| number(value)).collect();
        match numbers[..] {
            [] => Extent::Anything,
            [x] => Extent::Number(x),
            _ => Extent::Numbers(numbers),
        }
    };
    let whole = known.iter().all(|(x, _)| x.fract() == 0.0);
    let between = |interval: Interval| match whole {
        false if interval.low < interval.high => Extent::Between(interval.low, interval.high),
        true if interval.low.ceil() < interval.high.floor() => {
            let (low, high) = (interval.low.ceil(), interval.high.floor());
            let first = if interval.from_low || low > interval.low { low } else { low + 1.0 };
            let last = if interval.to_high || high < interval.high { high } else { high - 1.0 };
            if first < last { Extent::Between(first - 0.5, last + 0.5) } else { Extent::Number(first) }
        }
        _ => Extent::Number(interval.low + (interval.high - interval.low) / 2.0),
    };
    match Cell::parse(text) {
        Cell::Anything => Extent::Anything,
        Cell::Interval(interval) => {
            // An open end is bounded by the outermost number that is known.
            let (Some(first), Some(last)) = (known.first(), known.last()) else { return Extent::Anything };
            let low = if interval.low.is_finite() { interval.low } else { first.0.min(interval.high) };
            let high = if interval.high.is_finite() { interval.high } else { last.0.max(interval.low) };
            between(Interval {
                low,
                high,
                from_low: interval.from_low || interval.low.is_infinite(),
                to_high: interval.to_high || interval.high.is_infinite(),
            })
        }
        Cell::Set(values) => numbers(&values),
        cell => match (under.get(text), order.between(&cell)) {
            (Some(&(low, high)), _) => between(Interval { low, high, from_low: true, to_high: true }),
            (None, Some(values)) => numbers(values),
            (None, None) => Extent::Anything,
        },
    }
}

fn as_categories(
    cell: Option<&str>,
    (known, poset): (&[String], Option<&Poset>),
    (labels, order): (&BTreeMap<String, Vec<u32>>, &Ordered),
) -> Vec<f64> {
    let missing = vec![known.len() as f64];
    let Some(text) = cell else { return missing };
    if let Ok(at) = known.binary_search_by(|name| name.as_str().cmp(text)) {
        return vec![at as f64];
    }
    if let Some(places) = labels.get(text) {
        return places.iter().map(|&at| f64::from(at)).collect();
    }
    let cell = Cell::parse(text);
    let between = order.between(&cell);
    let covers = |name: &String| match (poset, between) {
        (Some(poset), _) => poset.covers(Some(text), Some(name)),
        (None, Some(values)) => values.contains(name),
        (None, None) => cell.covers(name),
    };
    let covered = known.iter().enumerate().filter(|(_, name)| covers(name));
    let covered: Vec<f64> = covered.map(|(at, _)| at as f64).collect();
    if covered.is_empty() { missing } else { covered }
}
