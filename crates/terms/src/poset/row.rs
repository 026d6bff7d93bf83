//! Rows as a product of columns [Katirai 2006, MultiPoset; definitions 3 and 4]: the bound of rows
//! is the bound of each column.
//!
//! A column may have several least cells, so the bound of rows is one LUB set per column; the
//! measure of a row is the weighted sum over columns. [`Row::join`] finds the least cells above all
//! joined rows. [`Row::fold`] is Katirai's definition 4: it continues from its current least cells
//! and takes, in each column, those whose bound with the new row is least. A fold can end higher,
//! never lower, and depends on the order of rows; it is implemented because Katirai's figures are
//! computed with it. Both cost one join per column; a fold costs one per least cell.

use super::{Common, Poset};
use crate::table::Code;

/// The columns of a table with their weights.
#[derive(Debug)]
pub struct Row<'a> {
    columns: Vec<(&'a Poset, f64)>,
}

impl<'a> Row<'a> {
    /// Columns, each with what its measure counts.
    pub fn new(columns: impl IntoIterator<Item = (&'a Poset, f64)>) -> Self {
        Row { columns: columns.into_iter().collect() }
    }

    /// What a row has in common with itself; one value per column.
    pub fn only(&self, values: &[Code]) -> Vec<Common> {
        self.columns.iter().zip(values).map(|((poset, _), &value)| poset.only(value)).collect()
    }

    /// Joins one more row.
    pub fn join(&self, common: &mut [Common], values: &[Code]) {
        for (((poset, _), common), &value) in self.columns.iter().zip(common).zip(values) {
            poset.join(common, value);
        }
    }

    /// The weighted sum of the columns' measures.
    pub fn measure(&self, common: &[Common]) -> f64 {
        self.columns.iter().zip(common).map(|((poset, weight), common)| weight * poset.measure(common)).sum()
    }

    /// The LUB set of every column, as its cells are written; `None` is missing.
    pub fn lub(&self, common: &[Common]) -> Vec<Vec<Option<String>>> {
        self.columns.iter().zip(common).map(|((poset, _), common)| poset.lub(common)).collect()
    }

    /// The LUB set of every column of a row alone, from which to fold.
    pub fn alone(&self, values: &[Code]) -> Vec<Vec<Common>> {
        let only = self.only(values);
        self.columns.iter().zip(&only).map(|((poset, _), common)| poset.alone(common)).collect()
    }

    /// The LUB sets of LUB sets and one more row: among all combinations of their cells those of
    /// least measure.
    ///
    /// The measure of a combination is a sum over columns, so that it is least where every column's
    /// is.
    pub fn fold(&self, sets: &[Vec<Common>], values: &[Code]) -> Vec<Vec<Common>> {
        self.columns
            .iter()
            .zip(sets)
            .zip(values)
            .map(|(((poset, _), set), &value)| folded(poset, set, value))
            .collect()
    }
}

/// The least cells above one of a set and a value.
fn folded(poset: &Poset, set: &[Common], value: Code) -> Vec<Common> {
    let least = set.iter().map(|common| poset.with(common, value)).fold(f64::INFINITY, f64::min);
    let mut found: Vec<Common> = Vec::new();
    for common in set.iter().filter(|common| poset.with(common, value) == least) {
        let mut joined = common.clone();
        poset.join(&mut joined, value);
        for cell in poset.alone(&joined) {
            if !found.contains(&cell) {
                found.push(cell);
            }
        }
    }
    found
}
