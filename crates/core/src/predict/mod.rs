//! Predictive models, as a measure of what a release is still good for (mission M11; Katirai, *A Theory and Toolkit for the
//! Mathematics of Privacy*, "Proposed Measure 2" and "Method 4").
//!
//! A model is fitted on originals. What it says of original rows is the gold standard, and how far it is from that on
//! released rows is what the release lost: a row counts in its totality, and no column needs a weight. One file per model, one line in
//! [`MODELS`]. Rows have weights, and a row of weight 2 is the row twice, to the last bit: equal rows are put together before anything
//! else is done with them. Everything is the same for a seed on any number of threads.

mod bayes;
mod design;
mod errors;
mod features;
mod forest;
mod guide;
mod linear;
mod logistic;
mod sheet;
mod tree;

pub use errors::Errors;
pub use features::{Known, Reader};
pub use guide::{Fitted, Guide, Row, averaged};
pub use sheet::{Feature, Line, Sheet, Target};

use crate::error::{Fault, Result, nearest};

/// A fitted model.
pub trait Model: Send + Sync {
    /// What it says of a row of features: a number, or how likely every class is.
    fn predict(&self, cells: &[f64]) -> Vec<f64>;

    /// What the cell of a feature adds to the number that is predicted, where that does not depend on the other cells, or what is
    /// always added; none where a prediction is no such sum.
    fn adds(&self, _: Option<(usize, f64)>) -> Option<f64> {
        None
    }
}

/// Fits a model to a sheet; the seed is for models that draw.
type Fit = fn(&Sheet, u64) -> Result<Box<dyn Model>>;

/// All models, as policies and experiments name them.
pub const MODELS: [(&str, Fit); 5] = [
    ("linear", linear::fit),
    ("logistic", logistic::fit),
    ("naive-bayes", bayes::fit),
    ("tree", tree::fit),
    ("forest", forest::fit),
];

/// Fits the model of a name.
///
/// # Errors
/// An unknown name, with the nearest; a sheet without rows; a target that the model cannot predict.
pub fn fit(name: &str, sheet: &Sheet, seed: u64) -> Result<Box<dyn Model>> {
    let known = MODELS.iter().find(|(model, _)| *model == name);
    let Some((_, fit)) = known else { return Err(unknown(name).into()) };
    if sheet.rows().is_empty() {
        return Err(Fault::data("there are no rows to fit a model to").into());
    }
    fit(sheet, seed)
}

/// What is told where there is no model of a name.
pub fn unknown(name: &str) -> Fault {
    let names = MODELS.map(|(model, _)| model);
    let near = nearest(name, names).map_or(String::new(), |n| format!("did you mean \"{n}\"? "));
    Fault::input(format!("there is no model \"{name}\""))
        .help(format!("{near}models are {}", names.join(", ")))
}

/// What is told where a model cannot predict what it is asked to.
fn unfit(model: &str, target: Target) -> Fault {
    let (what, instead) = match target {
        Target::Number => ("numbers", "\"linear\", \"tree\" or \"forest\""),
        Target::Class(_) => ("classes", "\"logistic\", \"naive-bayes\", \"tree\" or \"forest\""),
    };
    Fault::input(format!("the model \"{model}\" does not predict {what}")).help(format!("ask for {instead}"))
}

#[cfg(test)]
mod tests;
