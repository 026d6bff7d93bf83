//! Automatic selection of a model: families with a few parameters each, compared by
//! cross-validation on the rows that a recipient has [Feurer 2015].
//!
//! Candidates are in a fixed order, one of every family first. As many are planned as fit into the
//! seconds by estimates that read no clock, so that the same table has the same plan everywhere;
//! the first one always is. The caller's watch can end the plan earlier: candidates that were not
//! compared on every release are then left out. Folds follow from the content of rows. The best has
//! the least Brier score, or squared error; it then learns from all rows and is tested on held-out
//! originals. Costs folds × candidates fits per release.

use rayon::prelude::*;
use serde::Serialize;

use super::Selection;
use super::metrics::{Scored, Scores};
use super::split::{Held, mixed};
use super::tested::{score, tested};
use crate::error::Result;
use crate::predict::Target;
use crate::predict::spread::{Family, Recipe, Sample, Space, fit};
use crate::watch::Watch;

/// Folds of the cross-validation.
const FOLDS: u64 = 3;

/// The model that was selected.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Selected {
    /// Its family.
    pub model: Family,
    /// The family with its parameters, in words.
    pub recipe: String,
    /// The Brier score of the cross-validation, or the root of the mean squared error.
    pub validated: f64,
    /// How well it does on held-out original rows.
    #[serde(flatten)]
    pub scores: Scores,
}

/// What models are selected on: the original, then every release.
pub(super) struct Material {
    held: Held,
    samples: Vec<(Sample, Space)>,
}

impl Material {
    pub(super) fn new(held: Held, sample: Sample, space: Space) -> Self {
        Material { held, samples: vec![(sample, space)] }
    }

    pub(super) fn add(&mut self, release: (Sample, Space)) {
        self.samples.push(release);
    }
}

/// All candidates for a target, in the order in which they are tried.
pub(super) fn candidates(target: Target) -> Vec<Recipe> {
    let of = Family::recipe;
    let all = [
        of(Family::NaiveBayes),
        of(Family::Linear),
        of(Family::Logistic),
        of(Family::Tree),
        of(Family::Boosting),
        of(Family::Forest),
        Recipe { least: 0.1, ..of(Family::NaiveBayes) },
        Recipe { ridge: 1e-6, ..of(Family::Linear) },
        Recipe { ridge: 1e-2, ..of(Family::Logistic) },
        Recipe { ridge: 1e-6, ..of(Family::Logistic) },
        Recipe { depth: 6, least: 40.0, ..of(Family::Tree) },
        Recipe { depth: 14, least: 4.0, ..of(Family::Tree) },
        Recipe { depth: 3, trees: 60, rate: 0.3, ..of(Family::Boosting) },
        Recipe { depth: 5, trees: 120, rate: 0.1, ..of(Family::Boosting) },
        Recipe { depth: 8, least: 20.0, ..of(Family::Forest) },
        Recipe { depth: 16, least: 2.0, trees: 80, ..of(Family::Forest) },
    ];
    all.into_iter().filter(|recipe| recipe.family.predicts(target)).collect()
}

/// The candidates that fit into the seconds.
pub(super) fn planned(target: Target, sizes: &[(usize, usize)], seconds: f64) -> Vec<Recipe> {
    let mut left = seconds;
    let mut plan = Vec::new();
    for recipe in candidates(target) {
        let of = |&(rows, columns): &(usize, usize)| recipe.seconds(rows, columns, target);
        let cost = FOLDS as f64 * sizes.iter().map(of).sum::<f64>();
        if plan.is_empty() || cost <= left {
            left -= cost;
            plan.push(recipe);
        }
    }
    plan
}

/// Selects a model for the original and for every release, in this order; none where nothing was
/// compared in time.
pub(super) fn select(
    material: &Material,
    target: Target,
    (seconds, seed): (f64, u64),
    watch: &Watch,
) -> Result<(Vec<Option<Selected>>, Selection)> {
    let sizes: Vec<(usize, usize)> =
        material.samples.iter().map(|(sample, _)| (sample.len(), sample.columns().len())).collect();
    let plan = planned(target, &sizes, seconds);
    let folds: Vec<Vec<[f64; FOLDS as usize]>> =
        material.samples.iter().map(|(sample, _)| divided(sample, seed)).collect();
    let mut errors: Vec<Vec<f64>> = vec![Vec::new(); material.samples.len()];
    let mut tried = 0;
    for recipe in &plan {
        if watch.should_finish() {
            break;
        }
        let one = |((sample, _), folds): (&(Sample, Space), &Vec<[f64; FOLDS as usize]>)| {
            validated(recipe, sample, folds, seed)
        };
        let found: Result<Vec<f64>> = material.samples.par_iter().zip(&folds).map(one).collect();
        if watch.should_finish() {
            break;
        }
        errors.iter_mut().zip(found?).for_each(|(errors, error)| errors.push(error));
        tried += 1;
    }
    watch.acknowledge().check()?;
    let best = |((sample, space), errors): (&(Sample, Space), &Vec<f64>)| {
        let least = errors.iter().enumerate().min_by(|(i, a), (j, b)| a.total_cmp(b).then(i.cmp(j)));
        let Some((at, &error)) = least else { return Ok(None) };
        let model = fit(&plan[at], sample, seed)?;
        let scored = tested(&*model, space, &material.held);
        Ok(Some(Selected {
            model: plan[at].family,
            recipe: plan[at].words(),
            validated: error,
            scores: score(target, &scored.iter().collect::<Vec<_>>()),
        }))
    };
    let found: Result<Vec<Option<Selected>>> = material.samples.par_iter().zip(&errors).map(best).collect();
    let known = candidates(target).len();
    Ok((found?, Selection { seconds, planned: plan.len(), tried, known }))
}

/// Row → how much of it is in every fold.
fn divided(sample: &Sample, seed: u64) -> Vec<[f64; FOLDS as usize]> {
    let row = |row: usize| {
        let mut folds = [0.0; FOLDS as usize];
        let rows = sample.weight_of(row);
        let key = mixed(seed ^ mixed(row as u64));
        let whole = rows.floor() as u64;
        for turn in 0..whole {
            folds[(mixed(key ^ mixed(turn)) % FOLDS) as usize] += 1.0;
        }
        folds[(mixed(key ^ mixed(whole)) % FOLDS) as usize] += rows - whole as f64;
        folds
    };
    (0..sample.len()).map(row).collect()
}

/// The error of a candidate on rows that it did not learn from.
fn validated(recipe: &Recipe, sample: &Sample, folds: &[[f64; FOLDS as usize]], seed: u64) -> Result<f64> {
    let mut scored = Vec::new();
    for fold in 0..FOLDS as usize {
        let rest: Vec<f64> = folds.iter().map(|of| of.iter().sum::<f64>() - of[fold]).collect();
        let learned = sample.weighing(&rest);
        if learned.is_empty() {
            return Ok(f64::INFINITY);
        }
        let model = fit(recipe, &learned, seed)?;
        for (row, of) in folds.iter().enumerate().filter(|(_, of)| of[fold] > 0.0) {
            let predicted = model.predict(&sample.row(row));
            scored.push(Scored { predicted, target: sample.target_of(row), group: 0, rows: of[fold] });
        }
    }
    let scores = score(sample.target(), &scored.iter().collect::<Vec<_>>());
    Ok(scores.brier.or(scores.rmse).unwrap_or(f64::INFINITY))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_follow_from_seconds_and_have_one_candidate_at_least() {
        for target in [Target::Number, Target::Class(2)] {
            let all = candidates(target);
            assert!(all.iter().all(|recipe| recipe.family.predicts(target)));
            let families: std::collections::BTreeSet<&str> = all.iter().map(|r| r.family.name()).collect();
            assert!(families.len() >= 4, "{families:?}");
            assert_eq!(planned(target, &[(1_000_000, 10)], 0.0).len(), 1);
            assert_eq!(planned(target, &[(100, 5)], 1e9), all);
            let some = planned(target, &[(20_000, 8)], 20.0);
            assert!(some.len() > 1 && some.len() < all.len(), "{}", some.len());
        }
    }
}
