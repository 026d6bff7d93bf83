//! Naive Bayes for classes: features are assumed to be independent within a class.
//!
//! The share of a category in a class is smoothed by one additional row per category (Laplace). A
//! number has the mean and the deviation of its class, the latter at least a ten-thousandth of that
//! of the table. Costs one pass over the rows.

use super::sheet::{Feature, Line, Sheet, Target};
use super::{Model, unfit};
use crate::error::Result;

/// What a class knows of a feature.
enum Likelihood {
    /// Mean and deviation of numbers; none where all numbers of the table are the same.
    Number(Option<(f64, f64)>),
    /// Logarithm of the share of every category.
    Category(Vec<f64>),
}

struct Bayes {
    /// Class → logarithm of its share, and its features; none where it has no rows.
    classes: Vec<Option<(f64, Vec<Likelihood>)>>,
}

pub(super) fn fit(sheet: &Sheet, _: u64) -> Result<Box<dyn Model>> {
    let Target::Class(of) = sheet.target() else { return Err(unfit("naive-bayes", sheet.target()).into()) };
    let everything: Vec<&Line> = sheet.rows().iter().collect();
    let class = |class: u32| {
        let rows: Vec<&Line> = sheet.rows().iter().filter(|row| row.target == f64::from(class)).collect();
        let weight: f64 = rows.iter().map(|row| row.weight).sum();
        let features = sheet.features().iter().enumerate();
        let likelihood = |(at, feature): (usize, &Feature)| match feature {
            Feature::Number => Likelihood::Number(bell(&rows, at, moments(&everything, at).1)),
            Feature::Category(of) => Likelihood::Category(shares(&rows, at, *of)),
        };
        (weight > 0.0).then(|| ((weight / sheet.weight()).ln(), features.map(likelihood).collect()))
    };
    Ok(Box::new(Bayes { classes: (0..of).map(class).collect() }))
}

/// Mean and deviation of a feature.
fn moments(rows: &[&Line], at: usize) -> (f64, f64) {
    let weight: f64 = rows.iter().map(|row| row.weight).sum();
    let mean = rows.iter().map(|row| row.weight * row.cells[at]).sum::<f64>() / weight;
    let squares = rows.iter().map(|row| row.weight * (row.cells[at] - mean).powi(2)).sum::<f64>();
    (mean, (squares / weight).sqrt())
}

fn bell(rows: &[&Line], at: usize, overall: f64) -> Option<(f64, f64)> {
    let (mean, deviation) = moments(rows, at);
    (overall > 0.0).then(|| (mean, deviation.max(1e-4 * overall)))
}

fn shares(rows: &[&Line], at: usize, of: u32) -> Vec<f64> {
    let mut counts = vec![1.0; of as usize];
    rows.iter().for_each(|row| counts[row.cells[at] as usize] += row.weight);
    let all: f64 = counts.iter().sum();
    counts.iter().map(|count| (count / all).ln()).collect()
}

impl Model for Bayes {
    fn predict(&self, cells: &[f64]) -> Vec<f64> {
        let score = |class: &Option<(f64, Vec<Likelihood>)>| {
            let Some((share, features)) = class else { return f64::NEG_INFINITY };
            let feature = |(likelihood, &cell): (&Likelihood, &f64)| match likelihood {
                Likelihood::Number(None) => 0.0,
                Likelihood::Number(Some((mean, deviation))) => {
                    -((cell - mean) / deviation).powi(2) / 2.0 - deviation.ln()
                }
                Likelihood::Category(shares) => shares[cell as usize],
            };
            share + features.iter().zip(cells).map(feature).sum::<f64>()
        };
        let scores: Vec<f64> = self.classes.iter().map(score).collect();
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let likely: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
        let all: f64 = likely.iter().sum();
        likely.iter().map(|share| share / all).collect()
    }
}
