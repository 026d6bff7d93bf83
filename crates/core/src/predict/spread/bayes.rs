//! Naive Bayes on spread cells: a cell counts for every part that it may be, by its chance.
//!
//! The share of a part in a class is smoothed by `least` additional rows per part (Laplace), and
//! that of a class by one row. Costs one pass over the rows and one over the distinct cells.

use super::{Model, Recipe, Sample, Spread};
use crate::predict::sheet::Target;

/// Logarithms of shares.
struct Bayes {
    classes: Vec<f64>,
    /// Column → class → part → share.
    parts: Vec<Vec<Vec<f64>>>,
}

pub(super) fn fit(recipe: &Recipe, sample: &Sample) -> impl Model + use<> {
    let classes = match sample.target() {
        Target::Class(of) => of as usize,
        Target::Number => 0,
    };
    let weights = sample.class_weights(classes);
    let all = sample.weight() + classes as f64;
    let column = |(column, cells): (&super::Column, &Vec<u32>)| {
        // Cell → class → rows, so that every distinct cell is spread once.
        let mut rows = vec![0.0; column.cells.len() * classes];
        for (row, &cell) in cells.iter().enumerate() {
            rows[cell as usize * classes + sample.targets[row] as usize] += sample.weights[row];
        }
        let mut counts = vec![vec![recipe.least; column.parts]; classes];
        for (cell, spread) in column.cells.iter().enumerate() {
            for (class, counts) in counts.iter_mut().enumerate() {
                let rows = rows[cell * classes + class];
                if rows > 0.0 {
                    spread.parts.iter().for_each(|&(part, share)| counts[part as usize] += share * rows);
                }
            }
        }
        let shares = |counts: Vec<f64>| {
            let all: f64 = counts.iter().sum();
            counts.into_iter().map(|count| count / all).collect()
        };
        counts.into_iter().map(shares).collect()
    };
    Bayes {
        classes: weights.iter().map(|weight| ((weight + 1.0) / all).ln()).collect(),
        parts: sample.columns.iter().zip(&sample.cells).map(column).collect(),
    }
}

impl Model for Bayes {
    fn predict(&self, cells: &[&Spread]) -> Vec<f64> {
        let score = |(class, share): (usize, &f64)| {
            let column = |(parts, cell): (&Vec<Vec<f64>>, &&Spread)| {
                let chance: f64 = cell.parts.iter().map(|&(p, share)| share * parts[class][p as usize]).sum();
                chance.max(f64::MIN_POSITIVE).ln()
            };
            share + self.parts.iter().zip(cells).map(column).sum::<f64>()
        };
        let scores: Vec<f64> = self.classes.iter().enumerate().map(score).collect();
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let likely: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
        let all: f64 = likely.iter().sum();
        likely.into_iter().map(|chance| chance / all).collect()
    }
}
