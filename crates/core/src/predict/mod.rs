//! Predictive models as a measure of a release's utility [Katirai 2006, "Proposed Measure 2" and
//! "Method 4"].
//!
//! A model is fitted on originals. Its predictions for original rows are the gold standard, and its
//! deviation from them on released rows is the loss: a row counts as a whole, and no column needs a
//! weight. One file per model. Rows have weights, and a row of weight 2
//! equals the row twice, to the last bit: equal rows are combined first. Results depend only on the
//! seed, at any thread count.

mod bayes;
mod design;
mod errors;
mod features;
mod forest;
mod guide;
mod labels;
mod linear;
mod logistic;
mod network;
mod scored;
mod sheet;
pub mod spread;
mod tree;

pub use errors::Errors;
pub use features::{Extent, Known, Reader};
pub use guide::{Commands, Fitted, Guide, Place, Row, Started, averaged, opened};
pub use labels::Labels;
pub use scored::{Predicted, Scope, Scored};
pub use sheet::{Feature, Line, Sheet, Target};

use crate::error::{Fault, Result};
use crate::fault;
use crate::registry::Predictor;

/// A fitted model.
pub trait Model: Send + Sync {
    /// What it says of a row of features: a number, or how likely every class is.
    fn predict(&self, cells: &[f64]) -> Vec<f64>;

    /// Predicts from a row whose features each have several possible values, if the model weighs
    /// these values itself. With none, the caller averages the predictions of all possible rows.
    fn predict_open(&self, _: &[Vec<f64>]) -> Option<Result<Vec<f64>>> {
        None
    }

    /// The contribution of a feature's cell to the predicted number, if it does not depend on the
    /// other cells, or the constant term; none if a prediction is not such a sum.
    fn adds(&self, _: Option<(usize, f64)>) -> Option<f64> {
        None
    }
}

/// Fits the model of a name.
///
/// # Errors
/// An unknown name, with the nearest; a sheet without rows; a target that the model cannot predict.
pub fn fit(name: &str, sheet: &Sheet, seed: u64) -> Result<Box<dyn Model>> {
    let predictor: Predictor = name.parse()?;
    if sheet.rows().is_empty() {
        return Err(fault!(Data, "predict.no-rows", "there are no rows to fit a model to").into());
    }
    match predictor {
        Predictor::Linear => linear::fit(sheet, seed),
        Predictor::Logistic => logistic::fit(sheet, seed),
        Predictor::NaiveBayes => bayes::fit(sheet, seed),
        Predictor::Tree => tree::fit(sheet, seed),
        Predictor::Forest => forest::fit(sheet, seed),
        Predictor::Network => network::fit(sheet, seed),
    }
}

/// The error if a model cannot predict its target.
pub(crate) fn unfit(model: &str, target: Target) -> Fault {
    let (what, instead) = match target {
        Target::Number => ("numbers", "\"linear\", \"tree\", \"forest\" or \"network\""),
        Target::Class(_) => ("classes", "\"logistic\", \"naive-bayes\", \"tree\", \"forest\" or \"network\""),
    };
    fault!(
        Input,
        "predict.wrong-kind-of-target",
        "the model \"{model}\" does not predict {target}",
        model = model,
        target = what
    )
    .help(format!("ask for {instead}"))
}

#[cfg(test)]
mod tests;
