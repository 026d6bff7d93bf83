//! Models that learn from released cells as they are: a cell is a distribution over the parts of
//! its column.
//!
//! A released cell such as `[30, 40)` or `{A, B}` is spread evenly over what it covers, and `*`
//! like the other cells of its column. Parts are categories, or bins of numbers with about equal
//! weight. A cell of an original is one part with chance 1, so that one code trains on originals
//! and releases, and a release that changed nothing gives the same model to the last bit. Equal
//! rows are combined first: cost grows with distinct rows, and within a model with distinct cells.
//! Results depend on rows, parameters and seed alone, at any thread count.

mod bayes;
mod columns;
mod ensemble;
mod linear;
mod tree;

#[cfg(test)]
mod tests;

pub use columns::{Reading, Space};

use serde::{Serialize, Serializer};

use super::sheet::Target;
use crate::error::{Fault, Result};
use crate::fault;

/// What a cell may be.
#[derive(Debug, Clone, PartialEq)]
pub struct Spread {
    /// The mean of a number; 0 for categories.
    pub mean: f64,
    /// Part of the column → its chance, in the order of the parts. The chances sum to 1.
    pub parts: Vec<(u32, f64)>,
}

impl Spread {
    /// A cell that is one part for sure.
    pub fn certain(part: u32, mean: f64) -> Self {
        Spread { mean, parts: vec![(part, 1.0)] }
    }
}

/// A column: how many parts it has, and its distinct cells.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Whether the parts are bins of numbers, in order; otherwise they are categories.
    pub ordered: bool,
    /// Number of parts.
    pub parts: usize,
    /// The distinct cells.
    pub cells: Vec<Spread>,
}

/// Distinct rows with their weights.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    columns: Vec<Column>,
    target: Target,
    /// Column → row → place among the column's cells.
    cells: Vec<Vec<u32>>,
    targets: Vec<f64>,
    weights: Vec<f64>,
}

impl Sample {
    /// Rows of cells (places among the columns' cells), target and weight. Equal rows are combined,
    /// and the order of the rows does not matter.
    ///
    /// # Errors
    /// A row that does not fit the columns or the target: a mistake of the caller.
    pub fn new(columns: Vec<Column>, target: Target, mut rows: Vec<(Vec<u32>, f64, f64)>) -> Result<Self> {
        let fits = |(cells, y, weight): &(Vec<u32>, f64, f64)| {
            cells.len() == columns.len()
                && cells.iter().zip(&columns).all(|(&cell, column)| (cell as usize) < column.cells.len())
                && *weight > 0.0
                && weight.is_finite()
                && match target {
                    Target::Number => y.is_finite(),
                    Target::Class(of) => *y >= 0.0 && y.fract() == 0.0 && *y < f64::from(of),
                }
        };
        if !rows.iter().all(fits) {
            return Err(Fault::bug("a row does not fit its columns").into());
        }
        rows.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.total_cmp(&b.2)));
        rows.dedup_by(|next, kept| {
            let same = next.0 == kept.0 && next.1 == kept.1;
            kept.2 += if same { next.2 } else { 0.0 };
            same
        });
        let cells = (0..columns.len()).map(|c| rows.iter().map(|row| row.0[c]).collect()).collect();
        let targets = rows.iter().map(|row| row.1).collect();
        let weights = rows.iter().map(|row| row.2).collect();
        Ok(Sample { columns, target, cells, targets, weights })
    }

    /// The distinct rows.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// The rows that it stands for.
    pub fn weight(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// What is predicted.
    pub fn target(&self) -> Target {
        self.target
    }

    /// The columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The cells of a row.
    pub fn row(&self, row: usize) -> Vec<&Spread> {
        self.columns
            .iter()
            .zip(&self.cells)
            .map(|(column, cells)| &column.cells[cells[row] as usize])
            .collect()
    }

    /// The target of a row.
    pub fn target_of(&self, row: usize) -> f64 {
        self.targets[row]
    }

    /// The weight of a row.
    pub fn weight_of(&self, row: usize) -> f64 {
        self.weights[row]
    }

    /// The same rows with other weights; rows of weight 0 are left out.
    #[must_use]
    pub fn weighing(&self, weights: &[f64]) -> Sample {
        let kept: Vec<usize> = (0..self.len()).filter(|&row| weights[row] > 0.0).collect();
        let pick = |of: &Vec<u32>| kept.iter().map(|&row| of[row]).collect();
        Sample {
            columns: self.columns.clone(),
            target: self.target,
            cells: self.cells.iter().map(pick).collect(),
            targets: kept.iter().map(|&row| self.targets[row]).collect(),
            weights: kept.iter().map(|&row| weights[row]).collect(),
        }
    }

    /// The weight of every class.
    fn class_weights(&self, classes: usize) -> Vec<f64> {
        let mut all = vec![0.0; classes];
        self.targets.iter().zip(&self.weights).for_each(|(&y, weight)| all[y as usize] += weight);
        all
    }
}

/// A fitted model.
pub trait Model: Send + Sync {
    /// What it says of a row: a number, or how likely every class is.
    fn predict(&self, cells: &[&Spread]) -> Vec<f64>;
}

/// A family of models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// Naive Bayes, for classes.
    NaiveBayes,
    /// Ridge least squares, for numbers.
    Linear,
    /// Logistic regression, for classes.
    Logistic,
    /// A decision tree.
    Tree,
    /// A random forest.
    Forest,
    /// Boosted trees.
    Boosting,
}

impl Family {
    /// All families, cheap ones first.
    pub const ALL: [Family; 6] = [
        Family::NaiveBayes,
        Family::Linear,
        Family::Logistic,
        Family::Tree,
        Family::Boosting,
        Family::Forest,
    ];

    /// Its name, as it is written.
    pub fn name(self) -> &'static str {
        match self {
            Family::NaiveBayes => "naive-bayes",
            Family::Linear => "linear",
            Family::Logistic => "logistic",
            Family::Tree => "tree",
            Family::Forest => "forest",
            Family::Boosting => "boosting",
        }
    }

    /// Whether it predicts this kind of target.
    pub fn predicts(self, target: Target) -> bool {
        match self {
            Family::NaiveBayes | Family::Logistic => matches!(target, Target::Class(_)),
            Family::Linear => target == Target::Number,
            Family::Tree | Family::Forest | Family::Boosting => true,
        }
    }

    /// Its parameters if none are given.
    pub fn recipe(self) -> Recipe {
        let (depth, trees, least, rate) = match self {
            Family::Tree => (10, 1, 10.0, 1.0),
            Family::Forest => (12, 40, 4.0, 1.0),
            Family::Boosting => (4, 60, 1.0, 0.2),
            Family::NaiveBayes | Family::Linear | Family::Logistic => (0, 0, 1.0, 1.0),
        };
        let ridge = match self {
            Family::Linear => 1e-3,
            Family::Logistic => 1e-4,
            _ => 1.0,
        };
        Recipe { family: self, depth, trees, least, rate, ridge }
    }
}

impl std::str::FromStr for Family {
    type Err = crate::error::Error;

    fn from_str(name: &str) -> Result<Self> {
        let names = || Family::ALL.iter().map(|family| family.name());
        Family::ALL.into_iter().find(|family| family.name() == name).ok_or_else(|| {
            let near = crate::error::nearest(name, names())
                .map_or(String::new(), |near| format!("did you mean \"{near}\"? "));
            fault!(Input, "evaluate.unknown-model", "there is no model \"{model}\"", model = name)
                .help(format!("{near}there are {}", names().collect::<Vec<_>>().join(", ")))
                .into()
        })
    }
}

impl Serialize for Family {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// A family with its parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recipe {
    /// The family.
    pub family: Family,
    /// The most splits on a path.
    pub depth: usize,
    /// Trees of a forest, or rounds of boosting.
    pub trees: usize,
    /// The least weight of a leaf; of naive Bayes, the rows added per part (Laplace).
    pub least: f64,
    /// How much of a tree boosting takes.
    pub rate: f64,
    /// The ridge, as a part of the weight of all rows; of boosting, in rows.
    pub ridge: f64,
}

impl Recipe {
    /// In words: the family and what distinguishes it from others of the family.
    pub fn words(&self) -> String {
        let name = self.family.name();
        match self.family {
            Family::NaiveBayes => format!("{name}, smoothing {}", self.least),
            Family::Linear | Family::Logistic => format!("{name}, ridge {}", self.ridge),
            Family::Tree => format!("{name}, depth {}, leaves of {} rows", self.depth, self.least),
            Family::Forest => format!("{name}, {} trees, leaves of {} rows", self.trees, self.least),
            Family::Boosting => {
                format!("{name}, {} rounds of depth {}, rate {}", self.trees, self.depth, self.rate)
            }
        }
    }

    /// Seconds on a reference machine (one core of 2024) for a sample of this size, by an estimate
    /// that reads no clock.
    pub fn seconds(&self, rows: usize, columns: usize, target: Target) -> f64 {
        let cells = rows as f64 * columns.max(1) as f64;
        let classes = match target {
            Target::Number => 1.0,
            Target::Class(of) => f64::from(of.max(2)),
        };
        let fitted = if classes > 2.0 { classes } else { 1.0 };
        match self.family {
            Family::NaiveBayes => 1e-8 * cells,
            Family::Linear => 1e-6 * cells,
            Family::Logistic => 4e-6 * cells * fitted,
            Family::Tree => 3e-8 * cells * self.depth as f64,
            Family::Forest => 1e-8 * cells * (self.depth * self.trees) as f64,
            Family::Boosting => 2e-8 * cells * (self.depth * self.trees) as f64 * fitted,
        }
    }
}

/// Fits a model.
///
/// # Errors
/// A sample without rows; a target that the family does not predict.
pub fn fit(recipe: &Recipe, sample: &Sample, seed: u64) -> Result<Box<dyn Model>> {
    if sample.is_empty() {
        return Err(fault!(Data, "predict.no-rows", "there are no rows to fit a model to").into());
    }
    if !recipe.family.predicts(sample.target) {
        return Err(super::unfit(recipe.family.name(), sample.target).into());
    }
    Ok(match recipe.family {
        Family::NaiveBayes => Box::new(bayes::fit(recipe, sample)),
        Family::Linear | Family::Logistic => Box::new(linear::fit(recipe, sample)),
        Family::Tree => Box::new(tree::fit(recipe, sample)),
        Family::Forest => Box::new(ensemble::forest(recipe, sample, seed)),
        Family::Boosting => Box::new(ensemble::boosting(recipe, sample)),
    })
}
