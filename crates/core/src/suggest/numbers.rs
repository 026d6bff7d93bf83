//! Means, deviations and correlations of numbers before and after, as a recipient would compute them
//! from the released cells.
//!
//! A cell stands for its middle: of an interval, between its bounds; of a set, a range or a label,
//! between the least and the greatest number that it may be. The deviation adds what a number may
//! differ from that middle if it lies anywhere in the cell with equal chance: the squared width of
//! the cell over 12. Cells that are `*` or missing and suppressed rows are left out, as a recipient
//! has to. Correlations are Pearson's, of middles, over rows where both cells are known. Costs one
//! pass over the classes per column and per pair.

use serde::Serialize;

use crate::cell::{Cell, number};
use crate::error::Result;
use crate::policy::Policy;
use crate::predict::{Feature, Reader};
use crate::recoded::Recoded;
use crate::search::Problem;
use crate::table::Code;

/// The most columns that are correlated.
const CORRELATED: usize = 12;
/// The most pairs that are listed.
const PAIRS: usize = 10;

/// A column of numbers before and after.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NumberFacts {
    /// Its name.
    pub column: String,
    /// The mean of the table.
    pub mean_before: f64,
    /// The mean of the release; none where nothing but `*` is left.
    pub mean_after: Option<f64>,
    /// The standard deviation of the table.
    pub deviation_before: f64,
    /// The standard deviation of the release.
    pub deviation_after: Option<f64>,
    /// The share of the table's rows that the release has a number for.
    pub known: f64,
}

/// Two columns of numbers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Correlation {
    /// The one.
    pub a: String,
    /// The other.
    pub b: String,
    /// Pearson's correlation in the table.
    pub before: f64,
    /// The same in the release; none where one of them does not vary there.
    pub after: Option<f64>,
}

/// What a released cell says of a number.
#[derive(Debug, Clone, Copy)]
struct Spread {
    middle: f64,
    /// The variance of a number that lies in the cell.
    within: f64,
}

struct Column {
    name: String,
    /// Class → the number; none where it is missing.
    before: Vec<Option<f64>>,
    /// Class → what its released cell says; none where that is nothing.
    after: Vec<Option<Spread>>,
}

/// The columns of numbers.
pub(super) struct Numbers {
    counts: Vec<f64>,
    columns: Vec<Column>,
}

impl Numbers {
    /// Of a release.
    ///
    /// # Errors
    /// A mistake of ours.
    pub(super) fn new(policy: &Policy, problem: &Problem, recoded: &Recoded) -> Result<Self> {
        let reader = problem.reader(policy, &problem.names)?;
        let features = reader.features();
        let numeric = (0..problem.names.len()).filter(|&column| features[column] == Feature::Number);
        let columns = numeric.map(|column| self::column(problem, recoded, &reader, column)).collect();
        let counts = recoded.base().counts().iter().map(|&count| f64::from(count)).collect();
        Ok(Numbers { counts, columns })
    }

    pub(super) fn facts(&self) -> Vec<NumberFacts> {
        let rows: f64 = self.counts.iter().sum();
        let facts = |column: &Column| {
            let plain = |x: &Option<f64>| x.map(|middle| Spread { middle, within: 0.0 });
            let before: Vec<Option<Spread>> = column.before.iter().map(plain).collect();
            let ((mean, deviation), _) = self.moments(&before)?;
            let after = self.moments(&column.after);
            Some(NumberFacts {
                column: column.name.clone(),
                mean_before: mean,
                mean_after: after.map(|((mean, _), _)| mean),
                deviation_before: deviation,
                deviation_after: after.map(|((_, deviation), _)| deviation),
                known: after.map_or(0.0, |(_, known)| known / rows),
            })
        };
        self.columns.iter().filter_map(facts).collect()
    }

    /// Mean and deviation of the cells that are known, and how many rows have them.
    fn moments(&self, cells: &[Option<Spread>]) -> Option<((f64, f64), f64)> {
        let known = || cells.iter().zip(&self.counts).filter_map(|(cell, n)| Some(((*cell)?, *n)));
        let rows: f64 = known().map(|(_, n)| n).sum();
        if rows == 0.0 {
            return None;
        }
        let mean = known().map(|(cell, n)| n * cell.middle).sum::<f64>() / rows;
        let squares = known().map(|(cell, n)| n * ((cell.middle - mean).powi(2) + cell.within)).sum::<f64>();
        Some(((mean, (squares / rows).sqrt()), rows))
    }

    pub(super) fn correlations(&self) -> Vec<Correlation> {
        let columns = &self.columns[..self.columns.len().min(CORRELATED)];
        let mut pairs = Vec::new();
        for (i, a) in columns.iter().enumerate() {
            for b in &columns[i + 1..] {
                let middle = |column: &Column, class: usize| Some(column.after[class]?.middle);
                let before = self.pearson(&|class| a.before[class].zip(b.before[class]));
                let after = self.pearson(&|class| middle(a, class).zip(middle(b, class)));
                pairs.extend(before.map(|before| Correlation {
                    a: a.name.clone(),
                    b: b.name.clone(),
                    before,
                    after,
                }));
            }
        }
        pairs.sort_by(|a, b| b.before.abs().total_cmp(&a.before.abs()));
        pairs.truncate(PAIRS);
        pairs
    }

    fn pearson(&self, of: &dyn Fn(usize) -> Option<(f64, f64)>) -> Option<f64> {
        let pairs: Vec<(f64, f64, f64)> = (0..self.counts.len())
            .filter_map(|class| of(class).map(|(x, y)| (x, y, self.counts[class])))
            .collect();
        let rows: f64 = pairs.iter().map(|(_, _, n)| n).sum();
        let mean =
            |of: &dyn Fn(&(f64, f64, f64)) -> f64| pairs.iter().map(|p| p.2 * of(p)).sum::<f64>() / rows;
        let (x, y) = (mean(&|p| p.0), mean(&|p| p.1));
        let (xx, yy) = (mean(&|p| (p.0 - x).powi(2)), mean(&|p| (p.1 - y).powi(2)));
        let xy = mean(&|p| (p.0 - x) * (p.1 - y));
        (xx > 0.0 && yy > 0.0).then(|| (xy / (xx * yy).sqrt()).clamp(-1.0, 1.0))
    }
}

fn column(problem: &Problem, recoded: &Recoded, reader: &Reader, column: usize) -> Column {
    let (base, hierarchy) = (recoded.base(), &problem.hierarchies[column]);
    let leaf = |leaf: usize| hierarchy.leaf_value(leaf as Code).and_then(number);
    let leaves: Vec<Option<f64>> = (0..hierarchy.leaf_count()).map(leaf).collect();
    let values = &recoded.columns()[column];
    let spread = |label: &Option<String>| spread(reader, column, label.as_deref());
    let labels: Vec<Option<Spread>> = values.labels.iter().map(spread).collect();
    let after = |class: usize| match recoded.suppresses(class) {
        true => None,
        false => labels[values.values[recoded.cell(class, column)].label as usize],
    };
    Column {
        name: problem.names[column].clone(),
        before: (0..base.len()).map(|class| leaves[base.code(class, column) as usize]).collect(),
        after: (0..base.len()).map(after).collect(),
    }
}

/// What a cell says of a number; none where it says nothing.
fn spread(reader: &Reader, column: usize, cell: Option<&str>) -> Option<Spread> {
    let text = cell?;
    if let Some(middle) = number(text) {
        return Some(Spread { middle, within: 0.0 });
    }
    let ends = |numbers: &[f64]| {
        let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
        let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        (low <= high).then(|| between(low, high))
    };
    match Cell::parse(text) {
        Cell::Anything => None,
        Cell::Interval(i) if i.low.is_finite() && i.high.is_finite() => Some(between(i.low, i.high)),
        Cell::Set(values) => ends(&values.iter().filter_map(|value| number(value)).collect::<Vec<_>>()),
        _ => ends(&reader.may_be(column, Some(text))),
    }
}

fn between(low: f64, high: f64) -> Spread {
    Spread { middle: low + (high - low) / 2.0, within: (high - low).powi(2) / 12.0 }
}
