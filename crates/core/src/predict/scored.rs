//! The errors of a model on a release: of its predictions from released rows, from the same rows
//! untouched, and of the one against the other [Katirai 2006, "Proposed Measure 2" and "Method 4"].
//!
//! A suppressed row is predicted from `*` in every feature. If rows of equal values are in several
//! regions, it is unknown which of them has which target, and there are no errors. Costs one
//! prediction per distinct row of features, original or released, in one batch.

use rustc_hash::FxHashMap;
use serde::Serialize;

use super::errors::Errors;
use super::guide::{Guide, Row};
use crate::error::{Fault, Result};
use crate::hierarchy::{Hierarchy, TOP};
use crate::recoded::Recoded;

/// Which rows errors are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// All rows, suppressed ones included.
    All,
    /// The rows in released classes.
    Released,
}

/// The errors of a model on a release.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Predicted {
    /// Of predictions from released rows, against the truth.
    pub released: Errors,
    /// Of predictions from original rows.
    pub original: Errors,
    /// How far the first are from the second.
    pub moved: Errors,
}

/// The predictions of a model for every class of a table, released and original.
pub struct Scored {
    released: Vec<f64>,
    original: Vec<f64>,
}

impl Scored {
    /// Queries a model for a release; its features are among the columns of these names.
    ///
    /// # Errors
    /// Those of the model, and a feature that is not a column.
    pub fn new(
        guide: &dyn Guide,
        recoded: &Recoded,
        (names, hierarchies): (&[String], &[Hierarchy]),
    ) -> Result<Self> {
        let column = |name: &String| {
            let at = names.iter().position(|n| n == name);
            at.ok_or_else(|| Fault::bug(format!("`{name}` is not a quasi-identifier")).into())
        };
        let features: Vec<usize> = guide.features().iter().map(column).collect::<Result<_>>()?;
        let base = recoded.base();
        let shown = |class: usize, c: usize| -> Option<String> {
            if recoded.suppresses(class) {
                return Some(TOP.into());
            }
            recoded.label(class, c).map(String::from)
        };
        let text = |class: usize, c: usize| hierarchies[c].leaf_value(base.code(class, c)).map(String::from);
        let mut distinct = Distinct::default();
        let mut places = |of: &dyn Fn(usize, usize) -> Option<String>| -> Vec<usize> {
            let row = |class: usize| features.iter().map(|&c| of(class, c)).collect();
            (0..base.len()).map(|class| distinct.place(row(class))).collect()
        };
        let (released, original) = (places(&shown), places(&text));
        let said = match distinct.rows.is_empty() {
            true => Vec::new(),
            false => guide.predict(&distinct.rows)?,
        };
        if said.len() != distinct.rows.len() {
            return Err(Fault::bug("there are not as many predictions as rows").into());
        }
        let of = |places: Vec<usize>| places.into_iter().map(|place| said[place]).collect();
        Ok(Scored { released: of(released), original: of(original) })
    }

    /// Class → the distance between the predictions from its rows as released and untouched.
    pub fn moved(&self) -> Vec<f64> {
        self.released
            .iter()
            .zip(&self.original)
            .map(|(released, original)| (released - original).abs())
            .collect()
    }

    /// The errors against the truth: a measured column, and the number of each of its codes. None
    /// if the rows of a class do not have known targets.
    pub fn errors(
        &self,
        recoded: &Recoded,
        (target, numbers): (usize, &[f64]),
        scope: Scope,
    ) -> Option<Predicted> {
        let base = recoded.base();
        let labels = base.histograms().get(target)?;
        let (mut now, mut before, mut moved) = (Vec::new(), Vec::new(), Vec::new());
        for class in 0..base.len() {
            if scope == Scope::Released && recoded.suppresses(class) {
                continue;
            }
            let (labels, rows) = labels.class(class);
            let (released, original) = (self.released[class], self.original[class]);
            for (&label, &rows) in labels.iter().zip(rows) {
                let (truth, rows) = (numbers[label as usize], u64::from(rows));
                now.push((released, truth, rows));
                before.push((original, truth, rows));
                moved.push((released, original, rows));
            }
        }
        let [released, original, moved] = [now, before, moved].map(|rows| Errors::of(&rows));
        Some(Predicted { released, original, moved })
    }
}

/// Distinct rows, in the order in which they came.
#[derive(Default)]
struct Distinct {
    places: FxHashMap<Row, usize>,
    rows: Vec<Row>,
}

impl Distinct {
    fn place(&mut self, row: Row) -> usize {
        let next = self.rows.len();
        let place = *self.places.entry(row.clone()).or_insert(next);
        if place == next {
            self.rows.push(row);
        }
        place
    }
}
