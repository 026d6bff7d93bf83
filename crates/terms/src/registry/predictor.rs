//! Predictive models that are built in: they guide a method, and compare releases.
//!
//! What each computes is in `predict/` of the core.

use super::Family;
use super::kinds;

/// What the registry knows of a predictive model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PredictorEntry {
    /// How a policy writes it.
    pub key: &'static str,
    /// What it does, in one line for a data manager.
    pub help: &'static str,
}

const fn entry(key: &'static str, help: &'static str) -> PredictorEntry {
    PredictorEntry { key, help }
}

kinds! {
    /// A predictive model that is fitted to a table.
    Predictor(Family::Predictor) => PredictorEntry;

    Linear = entry("linear", "Least squares with a small ridge penalty; predicts numbers"),
    Logistic = entry("logistic", "Multinomial logistic regression; predicts classes"),
    NaiveBayes = entry("naive-bayes", "Naive Bayes; predicts classes"),
    Tree = entry("tree", "A decision tree; predicts numbers and classes"),
    Forest = entry("forest", "A random forest; predicts numbers and classes"),
    Network = entry("network", "A Bayesian network; predicts numbers and classes, and sums out what a cell leaves open"),
}
