//! What the recipient can still compute from the quasi-identifiers: means, standard deviations,
//! correlations and cross tables, before and after.
//!
//! "Before" is every row of the table, "after" every released row. A released cell counts as one
//! number: an interval as its midpoint, a set as the mean of its values, a label as the mean of the
//! values under it. In a cross table a cell counts in equal parts for the values it covers. Cells
//! that are `*` are left out, and the share of rows that remain is stated. Costs one pass over the
//! distinct tuples per pair of columns; see `pair_sums.rs`. At most [`CORRELATED`] and [`CROSSED`] columns are paired.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::facts::{CorrelationFacts, CrossTable, Moments, NumberFacts, StatisticsFacts};
use super::pair_sums::{PairSums, add_up};
use crate::cell::{Cell, number};
use crate::error::Result;
use crate::hierarchy::{Hierarchy, Spec, TOP};
use crate::recoded::Recoded;
use crate::table::Code;
use crate::watch::Watch;

/// Columns of numbers whose correlations are computed, and correlations that are listed.
const CORRELATED: usize = 6;
const LISTED: usize = 5;
/// Columns with few values that are crossed, the most values of one, and the tables that are shown.
const CROSSED: usize = 6;
const VALUES: usize = 8;
const TABLES: usize = 2;
/// The least share of rows whose value is a number in a column of numbers.
const NUMERIC: f64 = 0.95;

/// A table and what became of it.
pub(super) struct Compared<'a> {
    /// The quasi-identifiers.
    pub names: &'a [String],
    /// Their hierarchies as the policy states them.
    pub specs: &'a [Spec],
    /// Their hierarchies.
    pub hierarchies: &'a [Hierarchy],
    /// What every class became.
    pub recoded: &'a Recoded,
    /// Values and cells with fewer rows are not shown.
    pub floor: u64,
}

/// The figures.
///
/// # Errors
/// [`Kind::Cancelled`](crate::error::Kind::Cancelled) when asked to stop.
pub(super) fn statistics(compared: &Compared<'_>, watch: &Watch) -> Result<StatisticsFacts> {
    let (mut numbers, mut categories) = (Vec::new(), Vec::new());
    let columns = 0..compared.names.len();
    let counted = columns.clone().into_par_iter().map(|column| {
        watch.check()?;
        Ok(compared.counts(column))
    });
    for (column, counts) in columns.zip(counted.collect::<Result<Vec<Counts>>>()?) {
        numbers.extend(compared.numbers(column, &counts));
        if categories.len() < CROSSED {
            categories.extend(compared.categories(column, &counts));
        }
    }
    Ok(StatisticsFacts {
        correlations: correlations(compared, &numbers, watch)?,
        cross_tables: cross_tables(compared, &categories, watch)?,
        numbers: numbers.into_iter().map(|column| column.facts).collect(),
        bounds: Vec::new(),
    })
}

/// How often values of a column occur.
struct Counts {
    /// Leaf → rows of the table.
    rows: Vec<u64>,
    /// Released value → released rows.
    released: Vec<u64>,
}

/// A column of numbers or dates.
struct Numbers {
    column: usize,
    facts: NumberFacts,
    /// Leaf → number.
    before: Vec<Option<f64>>,
    /// Released value → number.
    after: Vec<Option<f64>>,
}

/// A column with few values.
struct Categories {
    column: usize,
    /// The values that are named, and last the others together where there are any.
    names: Vec<String>,
    /// Leaf → its place among the names.
    before: Vec<usize>,
    /// Released value → the part that each name has of it; none for a cell that covers everything.
    after: Vec<Option<Vec<f64>>>,
}

impl Compared<'_> {
    /// Rows per leaf of a column, and released rows per value.
    fn counts(&self, column: usize) -> Counts {
        let base = self.recoded.base();
        let mut before = vec![0; self.hierarchies[column].leaf_count()];
        let mut after = vec![0; self.recoded.columns()[column].values.len()];
        // Classes of the population alone come last and have no rows.
        base.each_code(column, |class, leaf| {
            before[leaf as usize] += base.counts().get(class).map_or(0, |&rows| u64::from(rows));
        });
        self.recoded.each_cell(column, |class, value| {
            let rows = u64::from(base.counts()[class]);
            if !self.recoded.suppresses(class) {
                after[value] += rows;
            }
        });
        Counts { rows: before, released: after }
    }

    /// The text of a released value; `None` is missing.
    fn label(&self, column: usize, value: usize) -> Option<&str> {
        let values = &self.recoded.columns()[column];
        values.labels[values.values[value].label as usize].as_deref()
    }

    /// The column as numbers, if it holds numbers or dates.
    fn numbers(&self, column: usize, Counts { rows, released }: &Counts) -> Option<Numbers> {
        let (hierarchy, spec) = (&self.hierarchies[column], &self.specs[column]);
        let read = |text: &str| match spec {
            Spec::Date(date) => date.day(text).map(|day| day as f64),
            _ => number(text),
        };
        let leaves = 0..hierarchy.leaf_count() as Code;
        if leaves.clone().filter_map(|leaf| hierarchy.leaf_value(leaf)).any(|leaf| is_code(spec, leaf)) {
            return None;
        }
        let before: Vec<Option<f64>> = leaves.map(|leaf| hierarchy.leaf_value(leaf).and_then(read)).collect();
        let present =
            |rows: &[u64]| rows.iter().sum::<u64>() - hierarchy.missing().map_or(0, |m| rows[m as usize]);
        let numeric: u64 = rows.iter().zip(&before).filter(|(_, x)| x.is_some()).map(|(n, _)| n).sum();
        let distinct = rows.iter().zip(&before).filter(|(n, x)| **n > 0 && x.is_some()).count();
        if distinct < 3 || (numeric as f64) < NUMERIC * present(rows) as f64 {
            return None;
        }
        let under = means_of_labels(hierarchy, &before);
        let value = |value: usize| {
            let text = self.label(column, value)?;
            match hierarchy.leaf(Some(text)) {
                Some(leaf) => before[leaf as usize],
                None => between(text, &read).or_else(|| under.get(text).copied()),
            }
        };
        let after: Vec<Option<f64>> = (0..released.len()).map(value).collect();
        let facts = NumberFacts {
            column: self.names[column].clone(),
            dates: matches!(spec, Spec::Date(_)),
            before: moments(&before, rows)?,
            after: moments(&after, released),
            used: share(&after, released),
        };
        Some(Numbers { column, facts, before, after })
    }

    /// The column as categories, if it has few values.
    fn categories(&self, column: usize, Counts { rows, released }: &Counts) -> Option<Categories> {
        let hierarchy = &self.hierarchies[column];
        let present: Vec<usize> = (0..rows.len()).filter(|&leaf| rows[leaf] > 0).collect();
        let (mut named, rare): (Vec<usize>, Vec<usize>) =
            present.iter().partition(|&&leaf| rows[leaf] >= self.floor.max(1));
        let value = |leaf: usize| hierarchy.leaf_value(leaf as Code).and_then(number);
        if named.iter().all(|&leaf| value(leaf).is_some()) {
            named.sort_by(|&a, &b| value(a).unwrap_or(0.0).total_cmp(&value(b).unwrap_or(0.0)));
        }
        if present.len() < 2 || named.is_empty() || present.len() > VALUES {
            return None;
        }
        let name = |&leaf: &usize| hierarchy.leaf_value(leaf as Code).unwrap_or("(missing)").to_owned();
        let mut names: Vec<String> = named.iter().map(name).collect();
        names.extend((!rare.is_empty()).then(|| "(rare values)".to_owned()));
        let place = |leaf: usize| named.iter().position(|&n| n == leaf).unwrap_or(named.len());
        let before: Vec<usize> = (0..rows.len()).map(place).collect();
        let parts = |value: usize| {
            // A value that the release shows and no row has is in none of the categories.
            let covered = self.covered(column, value, &present)?;
            if covered.iter().any(|&leaf| place(leaf) >= names.len()) {
                return None;
            }
            let mut parts = vec![0.0; names.len()];
            covered.iter().for_each(|&leaf| parts[place(leaf)] += 1.0 / covered.len() as f64);
            Some(parts)
        };
        let after: Vec<Option<Vec<f64>>> = (0..released.len()).map(parts).collect();
        let any = after.iter().zip(released).any(|(parts, &rows)| parts.is_some() && rows > 0);
        any.then_some(Categories { column, names, before, after })
    }

    /// The leaves that a released value covers; none if it covers everything, or nothing is known.
    fn covered(&self, column: usize, value: usize, leaves: &[usize]) -> Option<Vec<usize>> {
        let hierarchy = &self.hierarchies[column];
        let Some(text) = self.label(column, value) else {
            return hierarchy.missing().map(|missing| vec![missing as usize]);
        };
        if text == TOP {
            return None;
        }
        if let Some(leaf) = hierarchy.leaf(Some(text)) {
            return Some(vec![leaf as usize]);
        }
        let levels = 1..hierarchy.height();
        let under = |&&leaf: &&usize| {
            levels.clone().any(|l| hierarchy.label(l, hierarchy.generalize(leaf as Code, l)) == Some(text))
        };
        let under: Vec<usize> = leaves.iter().filter(under).copied().collect();
        if !under.is_empty() {
            return Some(under);
        }
        let cell = Cell::parse(text);
        let range = match &cell {
            Cell::Range(first, last) => hierarchy.between(first, last),
            _ => None,
        };
        let covers = |&&leaf: &&usize| match (&range, hierarchy.leaf_value(leaf as Code)) {
            (Some(range), _) => range.contains(&(leaf as Code)),
            (None, Some(leaf)) => cell.covers(leaf),
            (None, None) => false,
        };
        let covered: Vec<usize> = leaves.iter().filter(covers).copied().collect();
        (!covered.is_empty()).then_some(covered)
    }
}

/// The pairs of some things, by their places.
fn pairs(count: usize) -> impl Iterator<Item = [usize; 2]> {
    (0..count).flat_map(move |a| (a + 1..count).map(move |b| [a, b]))
}

/// Whether a value is the code of something, which has no mean: by its hierarchy, or by a zero in
/// front.
fn is_code(spec: &Spec, value: &str) -> bool {
    let digits = value.trim().trim_start_matches('-');
    let zero = digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.");
    match spec {
        Spec::Date(_) => false,
        Spec::Postal(_) | Spec::Mask(_) | Spec::Icd9 | Spec::Icd10 | Spec::Priority(_) => true,
        _ => zero,
    }
}

/// The midpoint of an interval, or the mean of a set.
fn between(text: &str, read: &dyn Fn(&str) -> Option<f64>) -> Option<f64> {
    if let Some(inside) = text.strip_prefix(['[', '(']).and_then(|text| text.strip_suffix([']', ')'])) {
        let (low, high) = inside.split_once(", ")?;
        return Some(f64::midpoint(read(low)?, read(high)?));
    }
    match Cell::parse(text) {
        Cell::Set(values) => {
            let numbers: Option<Vec<f64>> = values.iter().map(|value| read(value)).collect();
            numbers.map(|numbers| numbers.iter().sum::<f64>() / numbers.len().max(1) as f64)
        }
        Cell::Value(value) => read(&value),
        _ => None,
    }
}

/// Label → mean of the leaves under it; a label of several levels has that of the lowest.
fn means_of_labels(hierarchy: &Hierarchy, leaves: &[Option<f64>]) -> FxHashMap<String, f64> {
    let mut means = FxHashMap::default();
    for level in 1..=hierarchy.height() {
        let mut sums = vec![(0.0, 0.0); hierarchy.size(level)];
        for (&code, x) in hierarchy.codes(level).iter().zip(leaves) {
            if let Some(x) = x {
                let (sum, n): &mut (f64, f64) = &mut sums[code as usize];
                (*sum, *n) = (*sum + x, *n + 1.0);
            }
        }
        for (code, (sum, n)) in sums.into_iter().enumerate().filter(|(_, (_, n))| *n > 0.0) {
            if let Some(label) = hierarchy.label(level, code as Code).filter(|label| *label != TOP) {
                means.entry(label.to_owned()).or_insert(sum / n);
            }
        }
    }
    means
}

/// Mean and standard deviation of values, each with its number of rows; none without a value.
fn moments(values: &[Option<f64>], rows: &[u64]) -> Option<Moments> {
    let present = || values.iter().zip(rows).filter_map(|(x, &n)| Some(((*x)?, n as f64)));
    let n: f64 = present().map(|(_, n)| n).sum();
    let mean = present().map(|(x, n)| x * n).sum::<f64>() / n;
    let squares: f64 = present().map(|(x, n)| n * (x - mean) * (x - mean)).sum();
    (n > 0.0).then(|| Moments { mean, deviation: (squares / (n - 1.0).max(1.0)).sqrt() })
}

/// The share of rows whose value is known.
fn share<T>(values: &[Option<T>], rows: &[u64]) -> f64 {
    let known: u64 = values.iter().zip(rows).filter(|(x, _)| x.is_some()).map(|(_, n)| n).sum();
    known as f64 / rows.iter().sum::<u64>().max(1) as f64
}

/// Sums for a correlation; numbers are shifted, so that little is lost by cancelling.
#[derive(Default)]
struct Products {
    n: f64,
    x: f64,
    y: f64,
    xx: f64,
    yy: f64,
    xy: f64,
}

impl Products {
    fn add(&mut self, n: f64, x: f64, y: f64) {
        self.n += n;
        self.x += n * x;
        self.y += n * y;
        self.xx += n * x * x;
        self.yy += n * y * y;
        self.xy += n * x * y;
    }

    /// Pearson's correlation; none where one side does not vary.
    fn correlation(&self) -> Option<f64> {
        let covariance = self.n * self.xy - self.x * self.y;
        let spread = (self.n * self.xx - self.x * self.x) * (self.n * self.yy - self.y * self.y);
        // What rounding leaves of a column that does not vary.
        let least = 1e-12 * self.n * self.n * self.xx * self.yy;
        (spread > least && spread > 0.0).then(|| (covariance / spread.sqrt()).clamp(-1.0, 1.0))
    }
}

/// Sums for the correlation of two columns, before and after.
struct Correlated<'a> {
    a: &'a Numbers,
    b: &'a Numbers,
    before: Products,
    after: Products,
}

impl<'a> Correlated<'a> {
    fn new(a: &'a Numbers, b: &'a Numbers) -> Self {
        Correlated { a, b, before: Products::default(), after: Products::default() }
    }

    /// The correlations; none where a column does not vary before.
    fn facts(&self) -> Option<CorrelationFacts> {
        let columns = [self.a, self.b].map(|column| column.facts.column.clone());
        let (before, after) = (self.before.correlation()?, self.after.correlation());
        Some(CorrelationFacts { columns, before, after })
    }
}

impl PairSums for Correlated<'_> {
    fn add_original(&mut self, rows: f64, [x, y]: [usize; 2]) {
        if let (Some(x), Some(y)) = (self.a.before[x], self.b.before[y]) {
            self.before.add(rows, x - self.a.facts.before.mean, y - self.b.facts.before.mean);
        }
    }

    fn add_released(&mut self, rows: f64, [x, y]: [usize; 2]) {
        if let (Some(x), Some(y)) = (self.a.after[x], self.b.after[y]) {
            self.after.add(rows, x - self.a.facts.before.mean, y - self.b.facts.before.mean);
        }
    }
}

/// The strongest correlations of the first columns of numbers.
fn correlations(
    compared: &Compared<'_>,
    numbers: &[Numbers],
    watch: &Watch,
) -> Result<Vec<CorrelationFacts>> {
    let first = &numbers[..numbers.len().min(CORRELATED)];
    let columns: Vec<usize> = first.iter().map(|numbers| numbers.column).collect();
    let pairs = pairs(first.len()).map(|[i, j]| ([i, j], Correlated::new(&first[i], &first[j])));
    let sums = add_up(compared.recoded, &columns, pairs, watch)?;
    let mut all: Vec<CorrelationFacts> = sums.iter().filter_map(Correlated::facts).collect();
    all.sort_by(|a, b| b.before.abs().total_cmp(&a.before.abs()));
    all.truncate(LISTED);
    Ok(all)
}

/// The cross tables of the pairs of columns that depend most on each other.
fn cross_tables(
    compared: &Compared<'_>,
    categories: &[Categories],
    watch: &Watch,
) -> Result<Vec<CrossTable>> {
    let columns: Vec<usize> = categories.iter().map(|categories| categories.column).collect();
    let crossed = |[i, j]: [usize; 2]| ([i, j], Crossed::new(&categories[i], &categories[j]));
    let tables = add_up(compared.recoded, &columns, pairs(categories.len()).map(crossed), watch)?;
    let mut all: Vec<(f64, CrossTable)> = tables.iter().map(|table| table.facts(compared)).collect();
    all.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    all.truncate(TABLES);
    Ok(all.into_iter().map(|(_, table)| table).collect())
}

/// Rows by the values of two columns, before and after.
struct Crossed<'a> {
    a: &'a Categories,
    b: &'a Categories,
    before: Vec<Vec<f64>>,
    after: Vec<Vec<f64>>,
    released: f64,
}

impl<'a> Crossed<'a> {
    fn new(a: &'a Categories, b: &'a Categories) -> Self {
        let empty = vec![vec![0.0; b.names.len()]; a.names.len()];
        Crossed { a, b, before: empty.clone(), after: empty, released: 0.0 }
    }

    /// The table, and the mutual information of its columns before.
    fn facts(&self, compared: &Compared<'_>) -> (f64, CrossTable) {
        let Crossed { a, b, before, after, released } = self;
        let used: f64 = after.iter().flatten().sum();
        let all: f64 = before.iter().flatten().sum();
        let few = |rows: f64| rows > 0.0 && rows < compared.floor as f64;
        let shown = |cells: &Vec<f64>| {
            cells.iter().map(|&rows| (!few(rows)).then_some(rows / all.max(1.0))).collect()
        };
        let parts = |cells: &Vec<f64>| cells.iter().map(|rows| rows / used.max(f64::MIN_POSITIVE)).collect();
        let table = CrossTable {
            columns: [a, b].map(|of| compared.names[of.column].clone()),
            rows: a.names.clone(),
            across: b.names.clone(),
            before: before.iter().map(shown).collect(),
            after: after.iter().map(parts).collect(),
            used: if *released > 0.0 { used / released } else { 0.0 },
        };
        (mutual_information(before), table)
    }
}

impl PairSums for Crossed<'_> {
    fn add_original(&mut self, rows: f64, [x, y]: [usize; 2]) {
        self.before[self.a.before[x]][self.b.before[y]] += rows;
    }

    fn add_released(&mut self, rows: f64, [x, y]: [usize; 2]) {
        self.released += rows;
        let (Some(of_a), Some(of_b)) = (&self.a.after[x], &self.b.after[y]) else { return };
        for (cells, part) in self.after.iter_mut().zip(of_a) {
            cells.iter_mut().zip(of_b).for_each(|(cell, other)| *cell += rows * part * other);
        }
    }
}

/// The mutual information of rows and columns of a table of counts, in bits.
fn mutual_information(table: &[Vec<f64>]) -> f64 {
    let all: f64 = table.iter().flatten().sum();
    let across: Vec<f64> =
        (0..table.first().map_or(0, Vec::len)).map(|j| table.iter().map(|cells| cells[j]).sum()).collect();
    let of_row = |cells: &Vec<f64>| {
        let row: f64 = cells.iter().sum();
        let bits =
            |(&n, column): (&f64, &f64)| if n > 0.0 { n * (n * all / (row * column)).log2() } else { 0.0 };
        cells.iter().zip(&across).map(bits).sum::<f64>()
    };
    table.iter().map(of_row).sum::<f64>() / all.max(1.0)
}

#[cfg(test)]
mod tests;
