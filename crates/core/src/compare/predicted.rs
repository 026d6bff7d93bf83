//! The error of a predictive model on the rows that a run releases [Katirai 2006, "Experiments" to
//! "Experimental Conclusions"].
//!
//! For every sample, a model is fitted to other, original rows of the table. Then every released
//! row of the sample is read as features, and the model's prediction is compared with the true
//! value and with its prediction for the original row (the gold standard). A suppressed row is
//! predicted without any known feature. If equal rows are in several regions, it is unknown which
//! of them had which target, and there is no error to report. Costs one fit per sample and one
//! prediction per distinct released row.

use rustc_hash::FxHashMap;
use serde::Serialize;

use super::experiment::Prediction;
use super::table::Sample;
use crate::cell::number;
use crate::error::{Fault, Result, nearest};
use crate::fault;
use crate::predict::{Errors, Known, Line, Model, Reader, Row, Sheet, Target, averaged, fit, opened};
use crate::recoded::Recoded;
use crate::search::{Grouped, Problem};
use crate::table::{Code, Dictionary};

/// What a model made of a release.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Predicted {
    /// Of predictions from released rows, against the true numbers.
    pub released: Errors,
    /// Of predictions from original rows.
    pub original: Errors,
    /// How far the first are from the second.
    pub moved: Errors,
}

/// A model with what it needs to know of a sample.
pub(super) struct Trial {
    model: Box<dyn Model>,
    /// The features as columns of the table, and what the model knows of each: its values, and
    /// whether they are codes.
    features: Vec<usize>,
    known: Vec<(Dictionary, bool)>,
    /// Which of the measured columns is predicted, and the numbers of its labels in the sample.
    measured: usize,
    numbers: Vec<f64>,
}

impl Trial {
    /// Fits the model of an experiment to rows that a sample does not have.
    ///
    /// # Errors
    /// Columns that the table does not have, a target that is not a number, too few other rows, or
    /// a task that the model does not support.
    pub(super) fn new(asked: &Prediction, sample: &Sample<'_>, seed: u64) -> Result<Self> {
        let own = sample.grouped();
        let measured = own
            .measured
            .iter()
            .position(|name| *name == asked.target)
            .ok_or_else(|| unknown("target", &asked.target, &own.measured))?;
        let column = |name: &String| {
            own.names
                .iter()
                .position(|n| n == name)
                .ok_or_else(|| unknown("features", name, &own.names).into())
        };
        let features: Vec<usize> = match &asked.features {
            Some(names) => names.iter().map(column).collect::<Result<_>>()?,
            None => (0..own.names.len()).collect(),
        };
        let others = sample.others(asked.train, seed)?;
        let known = |&c: &usize| (occurring(&others, c), sample.codes(&own.names[c]));
        let known: Vec<(Dictionary, bool)> = features.iter().map(known).collect();
        let reader = reader(&known, None);
        let labels = &others.dictionaries[own.names.len() + measured];
        let numbers = numbers(labels, &asked.target)?;
        let line = |at: usize| {
            let (codes, count) = others.tuples.get(at);
            let text = |&c: &usize| others.dictionaries[c].value(codes[c]);
            let read = reader.read(&features.iter().map(text).collect::<Vec<_>>());
            let target = numbers[codes[own.names.len() + measured] as usize];
            let weight = f64::from(count) / read.len() as f64;
            read.into_iter().map(move |cells| Line { cells, target, weight }).collect::<Vec<_>>()
        };
        let sheet = Sheet::new(reader.features(), Target::Number, (0..others.tuples.len()).flat_map(line))?;
        let model = fit(&asked.model, &sheet, seed).map_err(|e| e.map(|f| f.key("prediction.model")))?;
        let numbers = self::numbers(&own.dictionaries[own.names.len() + measured], &asked.target)?;
        Ok(Trial { model, features, known, measured, numbers })
    }

    /// What it makes of a release of the sample; none where it is not known who has which number.
    pub(super) fn predicted(&self, problem: &Problem, recoded: &Recoded) -> Result<Option<Predicted>> {
        let base = recoded.base();
        let Some(labels) = base.histograms().get(self.measured) else { return Ok(None) };
        let hierarchies: Vec<_> = self.features.iter().map(|&c| &problem.hierarchies[c]).collect();
        let reader = reader(&self.known, Some(&hierarchies));
        let shown = |class: usize, c: usize| -> Option<String> {
            if recoded.suppresses(class) {
                return Some(crate::hierarchy::TOP.into());
            }
            let values = &recoded.columns()[c];
            values.labels[values.values[recoded.cell(class, c)].label as usize].clone()
        };
        let text =
            |class: usize, c: usize| problem.hierarchies[c].leaf_value(base.code(class, c)).map(String::from);
        let row = |class: usize, of: &dyn Fn(usize, usize) -> Option<String>| -> Row {
            self.features.iter().map(|&c| of(class, c)).collect()
        };
        let released = self.said(&reader, (0..base.len()).map(|class| row(class, &shown)))?;
        let original = self.said(&reader, (0..base.len()).map(|class| row(class, &text)))?;
        let (mut now, mut before, mut moved) = (Vec::new(), Vec::new(), Vec::new());
        for class in 0..base.len() {
            let (labels, rows) = labels.class(class);
            for (&label, &rows) in labels.iter().zip(rows) {
                let (truth, rows) = (self.numbers[label as usize], u64::from(rows));
                now.push((released[class], truth, rows));
                before.push((original[class], truth, rows));
                moved.push((released[class], original[class], rows));
            }
        }
        let [released, original, moved] = [now, before, moved].map(|rows| Errors::of(&rows));
        Ok(Some(Predicted { released, original, moved }))
    }

    /// Predictions for rows; equal rows once.
    fn said(&self, reader: &Reader, rows: impl Iterator<Item = Row>) -> Result<Vec<f64>> {
        let (mut places, mut distinct, mut of) = (FxHashMap::default(), Vec::new(), Vec::new());
        for row in rows {
            let place = *places.entry(row.clone()).or_insert(distinct.len());
            if place == distinct.len() {
                distinct.push(row);
            }
            of.push(place);
        }
        let first = |said: &Vec<f64>| said.first().copied().unwrap_or_default();
        let said = match opened(&*self.model, reader, &distinct) {
            Some(said) => said?.iter().map(first).collect(),
            None => averaged(reader, &distinct, |plain| {
                Ok(plain.iter().map(|cells| first(&self.model.predict(cells))).collect())
            })?,
        };
        Ok(of.into_iter().map(|place| said[place]).collect())
    }
}

fn unknown(part: &str, name: &str, known: &[String]) -> Fault {
    let near = nearest(name, known.iter().map(String::as_str))
        .map_or(String::new(), |n| format!("did you mean `{n}`? "));
    fault!(
        Input,
        "experiment.no-such-column",
        "a table has no such column to predict with: `{column}`",
        column = name
    )
    .key(format!("prediction.{part}"))
    .help(format!("{near}there are {}", known.join(", ")))
}

/// The values of a column that occur.
fn occurring(rows: &Grouped, column: usize) -> Dictionary {
    let mut values = Dictionary::new();
    for at in 0..rows.tuples.len() {
        let (codes, count) = rows.tuples.get(at);
        values.add(rows.dictionaries[column].value(codes[column]), u64::from(count));
    }
    values
}

fn reader(known: &[(Dictionary, bool)], hierarchies: Option<&[&crate::hierarchy::Hierarchy]>) -> Reader {
    let column = |at: usize| Known {
        values: &known[at].0,
        hierarchy: hierarchies.map(|all| all[at]),
        codes: known[at].1,
    };
    let columns: Vec<Known<'_>> = (0..known.len()).map(column).collect();
    Reader::new(&columns)
}

/// Code of a label → its number.
fn numbers(labels: &Dictionary, name: &str) -> Result<Vec<f64>> {
    let read = |code: Code| {
        labels.value(code).and_then(number).ok_or_else(|| {
            fault!(
                Data,
                "experiment.target-not-numbers",
                "`{column}` has a cell that is not a number",
                column = name
            )
            .key("prediction.target")
            .help("predict a column of numbers without missing cells")
            .into()
        })
    };
    (0..labels.len() as Code).map(read).collect()
}
