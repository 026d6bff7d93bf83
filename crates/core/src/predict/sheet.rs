//! A sheet: weighted rows of numbers and categories with a target, the training data of models.
//!
//! Equal rows are combined and the rows sorted when a sheet is built, so neither their order nor
//! the difference between two rows and one of weight 2 can reach a model. Costs one sort.

use crate::error::{Fault, Result};

/// What a column of a sheet holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feature {
    /// Numbers.
    Number,
    /// One of this many categories, written 0, 1, ….
    Category(u32),
}

/// What is predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A number.
    Number,
    /// One of this many classes, written 0, 1, ….
    Class(u32),
}

/// A row of a sheet.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Its features.
    pub cells: Vec<f64>,
    /// Its target.
    pub target: f64,
    /// How many rows it stands for.
    pub weight: f64,
}

/// Weighted rows with a target.
#[derive(Debug, Clone, PartialEq)]
pub struct Sheet {
    features: Vec<Feature>,
    target: Target,
    rows: Vec<Line>,
}

impl Sheet {
    /// Checks rows and puts equal ones together; rows of weight 0 are left out.
    ///
    /// # Errors
    /// A row that does not fit the features or the target: a mistake of the caller.
    pub fn new(features: Vec<Feature>, target: Target, rows: impl IntoIterator<Item = Line>) -> Result<Self> {
        let mut rows: Vec<Line> = rows.into_iter().filter(|row| row.weight != 0.0).collect();
        let is_one = |cell: f64, of: u32| cell >= 0.0 && cell.fract() == 0.0 && cell < f64::from(of);
        let cell_fits = |(cell, feature): (&f64, &Feature)| match feature {
            Feature::Number => cell.is_finite(),
            Feature::Category(of) => is_one(*cell, *of),
        };
        let fits = |row: &Line| {
            row.cells.len() == features.len()
                && row.cells.iter().zip(&features).all(cell_fits)
                && row.weight.is_finite()
                && row.weight > 0.0
                && match target {
                    Target::Number => row.target.is_finite(),
                    Target::Class(of) => is_one(row.target, of),
                }
        };
        if !rows.iter().all(fits) {
            return Err(Fault::bug("a row does not fit its sheet").into());
        }
        let order = |a: &Line, b: &Line| {
            let cells = a.cells.iter().zip(&b.cells).chain([(&a.target, &b.target)]);
            cells.map(|(a, b)| a.total_cmp(b)).find(|o| o.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
        };
        // By weight last, so that weights are added up in one order.
        rows.sort_by(|a, b| order(a, b).then(a.weight.total_cmp(&b.weight)));
        rows.dedup_by(|next, kept| {
            let same = order(next, kept).is_eq();
            kept.weight += if same { next.weight } else { 0.0 };
            same
        });
        Ok(Sheet { features, target, rows })
    }

    /// What its columns hold.
    pub fn features(&self) -> &[Feature] {
        &self.features
    }

    /// What is predicted.
    pub fn target(&self) -> Target {
        self.target
    }

    /// The distinct rows, in order.
    pub fn rows(&self) -> &[Line] {
        &self.rows
    }

    /// How many rows it stands for.
    pub fn weight(&self) -> f64 {
        self.rows.iter().map(|row| row.weight).sum()
    }

    /// The same rows with other weights, one each.
    pub(super) fn weighing(&self, weights: &[f64]) -> Self {
        let rows = self.rows.iter().zip(weights).filter(|(_, weight)| **weight > 0.0);
        let rows = rows.map(|(row, &weight)| Line { weight, ..row.clone() }).collect();
        Sheet { features: self.features.clone(), target: self.target, rows }
    }
}
