//! Losses of an arbitrary recoding, cell by cell: the price of a release that is not a single node.
//!
//! Provides what the definitions of the other files add up, with each cell at its own value
//! instead of each column at its level: leaves under the cell (LM, ambiguity), its level (Prec),
//! rows of the whole table under its value (entropies), its information about the targets
//! (value-mi), classes by their released values (DM, AECS, CM). A suppressed row is priced as the
//! root; losses that do not count suppression price it with the cells that it would have had at the
//! first step. Height and distances are those of the first step's node. For a single step, every
//! loss equals that of the search. Costs one pass over the cells of the distinct tuples, then a
//! few sums per loss; columns and classes are divided among the cores.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::columns::aggregate;
use super::{Asked, CellLoss, definition, of_statistics};
use crate::error::{Error, Result};
use crate::histogram::Histogram;
use crate::lattice::Node;
use crate::policy::{LossParameters, check_loss, no_target};
use crate::recoded::{Recoded, Values, entropy};

/// Classes that a core works on at a time.
const PIECE: usize = 1 << 14;

/// What is added up over the cells of one column.
#[derive(Debug, Default)]
pub(super) struct ColumnSums {
    /// Σ leaves under the cell, over rows that are released and over those that are not.
    pub(super) leaves: [u64; 2],
    /// Σ of levels (of measures in a poset), likewise. Levels are whole numbers, so sums are exact.
    pub(super) levels: [f64; 2],
    /// Σ −log2(rows with the original value / rows under the cell's value), over all rows.
    pub(super) bits: f64,
    /// The bits that distinguish the values of suppressed rows.
    pub(super) hidden: f64,
    /// Σ of the entropy of the original values under the cell's value, over released rows; and of
    /// all values.
    pub(super) conditional: f64,
    pub(super) whole: f64,
    pub(super) height: f64,
    pub(super) all: u64,
    /// The mutual information with the targets; then Σ of the bits of information that cells lose
    /// relative to the original values, over released and over suppressed rows; then all bits of
    /// the latter. Empty without a target.
    pub(super) mutual: f64,
    pub(super) lost_worth: [f64; 2],
    pub(super) worth: f64,
}

/// Prices one recoding by any loss.
#[derive(Debug)]
pub struct Price {
    pub(super) columns: Vec<ColumnSums>,
    /// The levels of the first step.
    pub(super) first: Vec<f64>,
    pub(super) rows: u64,
    pub(super) suppressed: u64,
    /// Classes of the release.
    pub(super) classes: usize,
    /// Σ of squares over classes: released rows, and all rows.
    pub(super) squares: [u128; 2],
    /// Σ over released rows of the leaf combinations that they could be, and all combinations.
    pub(super) ambiguity: f64,
    pub(super) everything: f64,
    /// Target → released rows that do not have the most frequent label of their class.
    pub(super) minorities: Vec<u64>,
    /// Whether there is a target.
    targets: bool,
}

impl Price {
    /// Adds up what losses need; `first` is the node of the first step.
    pub fn new(recoded: &Recoded, first: &Node) -> Self {
        let square = |n: u64| u128::from(n) * u128::from(n);
        Price {
            columns: (0..recoded.columns().len())
                .into_par_iter()
                .map(|column| sums(recoded, column))
                .collect(),
            first: first.levels().iter().map(|&level| f64::from(level)).collect(),
            rows: recoded.base().rows(),
            suppressed: recoded.suppressed_rows(),
            classes: recoded.classes().count(),
            squares: [
                recoded.classes().map(square).sum(),
                recoded.looks().iter().map(|look| square(look.released + look.suppressed)).sum(),
            ],
            ambiguity: ambiguity(recoded),
            everything: recoded.columns().iter().map(|c| c.leaves as f64).product(),
            minorities: minorities(recoded),
            targets: recoded.columns().iter().all(|column| column.targets.is_some()),
        }
    }

    /// What losses that are means over rows need of a single row of a class.
    pub(super) fn of_row(recoded: &Recoded, class: usize) -> Self {
        let hidden = recoded.suppresses(class);
        let columns = 0..recoded.columns().len();
        let leaves = |column: usize| {
            let values = &recoded.columns()[column].values;
            f64::from(values[recoded.cell(class, column)].leaves)
        };
        Price {
            columns: columns.clone().map(|column| sums_of_cell(recoded, class, column)).collect(),
            first: Vec::new(),
            rows: 1,
            suppressed: u64::from(hidden),
            classes: usize::from(!hidden),
            squares: [u128::from(!hidden), 1],
            ambiguity: if hidden { 0.0 } else { columns.map(leaves).product() },
            everything: recoded.columns().iter().map(|c| c.leaves as f64).product(),
            minorities: Vec::new(),
            targets: recoded.columns().iter().all(|column| column.targets.is_some()),
        }
    }

    /// A loss, with defaults for parameters that are not given.
    ///
    /// # Errors
    /// A parameter that the loss does not have, or a loss of labels for a table without a target.
    pub fn loss(&self, parameters: &LossParameters, weights: &[f64]) -> Result<f64> {
        Error::check(check_loss(parameters))?;
        let kind = parameters.kind;
        let known = if kind.counts_labels() { !self.minorities.is_empty() } else { self.targets };
        if kind.needs_target() && !known {
            return Err(no_target(kind).into());
        }
        let asked = Asked::new(parameters);
        Ok(match definition(kind).ok_or_else(of_statistics)?.cells {
            CellLoss::Columns(_) => aggregate(asked.aggregate, self.parts(parameters, weights).into_iter()),
            CellLoss::Whole(whole) => whole(self, &asked, weights),
        })
    }

    /// The loss of each column, with its weight; none if the loss is not a sum over columns.
    pub fn parts(&self, parameters: &LossParameters, weights: &[f64]) -> Vec<f64> {
        let asked = Asked::new(parameters);
        let Some(CellLoss::Columns(part)) = definition(asked.kind).map(|definition| definition.cells) else {
            return Vec::new();
        };
        if asked.kind.needs_target() && !self.targets {
            return Vec::new();
        }
        let columns = self.columns.iter().zip(weights);
        columns.map(|(sums, weight)| weight * part(sums, self, &asked)).collect()
    }
}

fn sums(recoded: &Recoded, column: usize) -> ColumnSums {
    let values = &recoded.columns()[column];
    let mut sums =
        ColumnSums { height: values.height as f64, all: values.leaves as u64, ..ColumnSums::default() };
    let mut of_leaf = vec![0u64; values.leaves];
    let mut hidden = vec![0u64; values.values.len()];
    let mut kept = vec![0u64; values.values.len()];
    let pairs = pairs(recoded, column);
    for &((leaf, at), [released, suppressed]) in &pairs {
        of_leaf[leaf as usize] += released + suppressed;
        kept[at as usize] += released;
        hidden[at as usize] += suppressed;
    }
    for (part, rows) in [&kept, &hidden].into_iter().enumerate() {
        for (value, &rows) in values.values.iter().zip(rows) {
            sums.leaves[part] += rows * u64::from(value.leaves);
            sums.levels[part] += rows as f64 * value.measure;
        }
    }
    let lost = |&((leaf, at), rows): &Pair| {
        -((rows[0] + rows[1]) as f64)
            * (of_leaf[leaf as usize] as f64 / values.values[at as usize].rows as f64).log2()
    };
    // Adding zero turns the −0 that a sum of nothing can be into 0.
    sums.bits = 0.0 + pairs.iter().map(lost).sum::<f64>();
    let all = hidden.iter().sum::<u64>() as f64;
    let bits = hidden.iter().filter(|&&n| n > 0).map(|&n| -(n as f64) * (n as f64 / all).log2());
    sums.hidden = 0.0 + bits.sum::<f64>();
    sums.conditional = 0.0 + kept.iter().zip(&values.values).map(|(&n, v)| n as f64 * v.bits).sum::<f64>();
    sums.whole = entropy(of_leaf.iter().copied());
    if let Some(targets) = &values.targets {
        sums.mutual = targets.mutual;
        for &((leaf, at), rows) in &pairs {
            let before = targets.worths[leaf as usize];
            // A set of values may carry more information than one of them; this does not count as a
            // gain.
            let bits = (before - values.values[at as usize].worth).max(0.0);
            sums.lost_worth[0] += rows[0] as f64 * bits;
            sums.lost_worth[1] += rows[1] as f64 * bits;
            sums.worth += rows[1] as f64 * before;
        }
    }
    sums
}

/// What losses that are means over rows add up, of a single cell.
fn sums_of_cell(recoded: &Recoded, class: usize, column: usize) -> ColumnSums {
    let values = &recoded.columns()[column];
    let value = &values.values[recoded.cell(class, column)];
    let part = usize::from(recoded.suppresses(class));
    let mut sums =
        ColumnSums { height: values.height as f64, all: values.leaves as u64, ..ColumnSums::default() };
    sums.leaves[part] = u64::from(value.leaves);
    sums.levels[part] = value.measure;
    if let Some(targets) = &values.targets {
        let before = targets.worths[recoded.base().code(class, column) as usize];
        sums.mutual = targets.mutual;
        sums.lost_worth[part] = (before - value.worth).max(0.0);
        sums.worth = if recoded.suppresses(class) { before } else { 0.0 };
    }
    sums
}

/// A leaf and the value that it became, with the rows that are released and those that are not.
type Pair = ((u32, u32), [u64; 2]);

/// All pairs of a column, sorted, so that sums over them have the same bits every time.
fn pairs(recoded: &Recoded, column: usize) -> Vec<Pair> {
    let (base, values) = (recoded.base(), recoded.columns()[column].values.len());
    let cells = recoded.columns()[column].leaves.saturating_mul(values);
    let part = |class: usize| usize::from(recoded.suppresses(class));
    // A table of all pairs, unless most of it would be empty.
    if cells <= base.len().max(1 << 12) {
        let mut dense = vec![[0u64; 2]; cells];
        recoded.each_cell(column, |class, at| {
            let leaf = base.code(class, column) as usize;
            dense[leaf * values + at][part(class)] += u64::from(base.counts()[class]);
        });
        let pair = |(at, rows)| (((at / values) as u32, (at % values) as u32), rows);
        let found = dense.into_iter().enumerate().filter(|(_, rows)| *rows != [0; 2]);
        return found.map(pair).collect();
    }
    let mut sparse: FxHashMap<(u32, u32), [u64; 2]> = FxHashMap::default();
    recoded.each_cell(column, |class, at| {
        let rows = sparse.entry((base.code(class, column), at as u32)).or_default();
        rows[part(class)] += u64::from(base.counts()[class]);
    });
    let mut pairs: Vec<Pair> = sparse.into_iter().collect();
    pairs.sort_unstable();
    pairs
}

/// Σ over released rows of the leaf combinations that a row could be.
fn ambiguity(recoded: &Recoded) -> f64 {
    let leaves = |values: &Values| values.values.iter().map(|value| f64::from(value.leaves)).collect();
    let leaves: Vec<Vec<f64>> = recoded.columns().iter().map(leaves).collect();
    let combinations = |class: usize| {
        let columns = leaves.iter().enumerate();
        columns.fold(1.0, |product, (column, leaves)| product * leaves[recoded.cell(class, column)])
    };
    let combinations: Vec<f64> =
        (0..recoded.base().len()).into_par_iter().with_min_len(PIECE).map(combinations).collect();
    let classes = recoded.base().counts().iter().zip(combinations).enumerate();
    let kept = classes.filter(|(class, _)| !recoded.suppresses(*class));
    kept.map(|(_, (&count, row))| f64::from(count) * row).sum()
}

/// Target → released rows that do not have the most frequent label of their class.
fn minorities(recoded: &Recoded) -> Vec<u64> {
    let all: Vec<usize> = (0..recoded.base().targets()).collect();
    let minority = |histogram: &Histogram| {
        let class = |class: usize| {
            let rows = histogram.class(class).1.iter().map(|&n| u64::from(n));
            rows.clone().sum::<u64>() - rows.max().unwrap_or(0)
        };
        (0..histogram.len()).map(class).sum()
    };
    recoded.histograms(&all).iter().take(all.len()).map(minority).collect()
}
