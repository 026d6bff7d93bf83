//! A guide: predicts a number from released rows, so that a method can measure the cost of a
//! generalization for the recipient's model [Katirai 2006, "The Greedy-DXCG Algorithm"].
//!
//! Rows come in batches, because starting a model can cost more than its work. Built-in models and
//! external commands have the same interface. Costs the model's time for every row that the
//! released rows expand to.

use std::sync::Arc;

use super::features::Reader;
use super::sheet::{Line, Sheet, Target};
use super::{Model, fit};
use crate::error::{Fault, Result};
use crate::watch::Watch;

/// The released cells of the features, in their order; none is missing.
pub type Row = Vec<Option<String>>;

/// Predicts from released rows.
pub trait Guide: Send + Sync {
    /// The columns that it reads.
    fn features(&self) -> &[String];

    /// What is predicted of every row, in their order.
    ///
    /// # Errors
    /// A model that fails, or rows that do not have its features.
    fn predict(&self, rows: &[Row]) -> Result<Vec<f64>>;

    /// The contribution of a feature's cell to the prediction, if it does not depend on the other
    /// cells, or the constant term; none if a prediction is not such a sum. Then it can be queried
    /// cell by cell, which is far cheaper.
    fn adds(&self, _: Option<(usize, Option<&str>)>) -> Option<f64> {
        None
    }
}

/// Where a command comes from, which decides the folder that it runs in and what faults name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// `search.model` of the policy of a table, by its position among the tables.
    Policy(usize),
    /// `[prediction]` of an experiment.
    Experiment,
}

/// A command that is to predict, and what reads its features.
pub struct Started<'a> {
    /// The program and its arguments.
    pub command: &'a [String],
    /// Where it comes from.
    pub place: Place,
    /// How long it may take for one batch.
    pub seconds: u64,
    /// The features, and what reads their cells.
    pub features: (Vec<String>, Reader),
    /// Ends it.
    pub watch: &'a Watch,
}

/// Starts commands as guides. The core runs no programs, so the caller does.
pub trait Commands {
    /// A command as a guide.
    ///
    /// # Errors
    /// A caller that runs no commands.
    fn start(&self, started: Started<'_>) -> Result<Box<dyn Guide>>;
}

/// Reads rows as features, has them all predicted at once, and averages over what a row may be.
///
/// # Errors
/// Those of `predict`, and another number of predictions than of rows.
pub fn averaged(
    reader: &Reader,
    rows: &[Row],
    predict: impl FnOnce(&[Vec<f64>]) -> Result<Vec<f64>>,
) -> Result<Vec<f64>> {
    let width = reader.features().len();
    if rows.iter().any(|row| row.len() != width) {
        return Err(Fault::bug("a row does not have the features of the model").into());
    }
    let (mut plain, mut ends) = (Vec::new(), Vec::new());
    for row in rows {
        let cells: Vec<Option<&str>> = row.iter().map(Option::as_deref).collect();
        plain.extend(reader.read(&cells));
        ends.push(plain.len());
    }
    let said = predict(&plain)?;
    if said.len() != plain.len() {
        return Err(Fault::bug("there are not as many predictions as rows").into());
    }
    let mut from = 0;
    let mean = |end: usize| {
        let part = &said[from..end];
        from = end;
        part.iter().sum::<f64>() / part.len() as f64
    };
    Ok(ends.into_iter().map(mean).collect())
}

/// What a model that weighs open cells by itself says of rows; none of other models.
pub fn opened(model: &dyn Model, reader: &Reader, rows: &[Row]) -> Option<Result<Vec<Vec<f64>>>> {
    let row = |row: &Row| {
        let cells = row.iter().enumerate().take(reader.features().len());
        let cells: Vec<Vec<f64>> = cells.map(|(at, cell)| reader.may_be(at, cell.as_deref())).collect();
        model.predict_open(&cells)
    };
    rows.iter().map(row).collect()
}

/// A model that was fitted here.
pub struct Fitted {
    names: Vec<String>,
    reader: Reader,
    model: Arc<dyn Model>,
}

impl Fitted {
    /// Fits the model of a name to original rows: cells, target, and how many there are of each. Of
    /// classes, the last one's likelihood is what is predicted.
    ///
    /// # Errors
    /// Those of [`fit`].
    pub fn new<'a>(
        name: &str,
        features: Vec<String>,
        reader: Reader,
        target: Target,
        rows: impl IntoIterator<Item = (Vec<Option<&'a str>>, f64, u64)>,
        seed: u64,
    ) -> Result<Self> {
        let line = |(cells, target, rows): (Vec<Option<&'a str>>, f64, u64)| {
            let read = reader.read(&cells);
            let weight = rows as f64 / read.len() as f64;
            read.into_iter().map(move |cells| Line { cells, target, weight }).collect::<Vec<_>>()
        };
        let sheet = Sheet::new(reader.features(), target, rows.into_iter().flat_map(line))?;
        Ok(Fitted { names: features, reader, model: fit(name, &sheet, seed)?.into() })
    }

    /// A model that was fitted before, with what reads cells now.
    pub fn with(model: Arc<dyn Model>, features: Vec<String>, reader: Reader) -> Self {
        Fitted { names: features, reader, model }
    }
}

impl Guide for Fitted {
    fn features(&self) -> &[String] {
        &self.names
    }

    fn predict(&self, rows: &[Row]) -> Result<Vec<f64>> {
        let last =
            |said: &Vec<f64>| said.last().copied().ok_or_else(|| Fault::bug("a model said nothing").into());
        if let Some(said) = opened(&*self.model, &self.reader, rows) {
            return said?.iter().map(last).collect();
        }
        averaged(&self.reader, rows, |plain| {
            plain.iter().map(|cells| last(&self.model.predict(cells))).collect()
        })
    }

    fn adds(&self, cell: Option<(usize, Option<&str>)>) -> Option<f64> {
        let Some((feature, cell)) = cell else { return self.model.adds(None) };
        let may = self.reader.cell(feature, cell);
        let sum: f64 = may.iter().map(|&x| self.model.adds(Some((feature, x)))).sum::<Option<f64>>()?;
        Some(sum / may.len() as f64)
    }
}
