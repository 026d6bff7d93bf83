//! A model of a sensitive column, trained on released cells, with or without one person.
//!
//! Naive Bayes over generalized cells, corrected by the rows that can be the target's: a released
//! cell counts as a uniform distribution over the specific values that it covers. For a target with
//! values x, the evidence for the sensitive value s is
//!
//!   Σ rows with s that can be the target's of w(row) + P(s | x),
//!
//! where w is the share of the row's cells that is the target's tuple, relative to the narrowest
//! such row, and P is that of naive Bayes with Laplace's rule: (n(s) + 1) Π over columns of (n(s,
//! x) + 1) / (n(s) + D), up to a factor, with D specific values of the column. So a model of many
//! rows generalizes, and one with a row of the target's own remembers it. Training without a person
//! takes the person's row out of all these sums, which is exactly the model of the release without
//! the row: the narrowest row that can be the person's and has their value. Costs a sort of the
//! rows per column, and targets × sensitive values × columns.

use rayon::prelude::*;
use throng_terms::error::Result;
use throng_terms::table::Code;
use throng_terms::watch::Watch;

use crate::sample::sample;
use crate::scene::Scene;
use crate::view::{Histograms, Targets};

/// Scores that are kept at the most: targets × sensitive values.
const SCORES: usize = 10_000_000;

/// A model of a sensitive column.
pub(crate) struct Model<'a> {
    scene: &'a Scene,
    column: usize,
    /// Sensitive value → released rows.
    rows: Vec<u32>,
    /// Class → sensitive values with their rows.
    histograms: Histograms,
    /// Quasi-identifier → released code → specific values that it covers.
    widths: Vec<Vec<u32>>,
}

/// A guess for a target: by the release, and by the release without the target's row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Guess {
    pub(crate) target: u32,
    pub(crate) with: Option<Code>,
    pub(crate) without: Option<Code>,
}

impl<'a> Model<'a> {
    /// Trains a model of a sensitive column on the release.
    pub(crate) fn new(scene: &'a Scene, column: usize) -> Self {
        let values = &scene.view.values[column];
        let mut rows = vec![0; scene.shares[column].len()];
        values.iter().for_each(|&value| rows[value as usize] += 1);
        let widths = (0..scene.sizes.len()).map(|at| {
            let covers = scene.view.covers[at].iter();
            covers
                .map(|covered| covered.runs.codes().filter(|&code| scene.says(at, code)).count() as u32)
                .collect()
        });
        Model { scene, column, rows, histograms: scene.view.histograms(values), widths: widths.collect() }
    }

    /// Guesses for targets; for a sample of them where there are too many values.
    pub(crate) fn guesses(&self, targets: &Targets, watch: &Watch) -> Result<Vec<Guess>> {
        let values = self.rows.len();
        if values == 0 {
            return Ok(Vec::new());
        }
        let all: Vec<u32> = (0..targets.groups.len() as u32).collect();
        let groups = sample(&all, (SCORES / values).max(1), self.scene.settings.seed, 40);
        let bayes = NaiveBayes::new(self, targets, &groups, watch)?;
        watch.check()?;
        let of_group = |(at, &group): (usize, &u32)| -> Vec<Guess> {
            let scores = &bayes.scores[at * values..][..values];
            let near = self.near(targets.classes(group as usize));
            let with = self.best(scores, &near, None);
            let of_target = |&target: &u32| {
                let own = targets.values[self.column].get(target as usize).copied();
                let row = own.and_then(|own| self.own_row(&near, own));
                let without = match (own, row) {
                    (Some(own), Some(class)) => {
                        let score = bayes.score_without(self, target, own, class);
                        self.best(scores, &near, Some((own, class, score)))
                    }
                    _ => with,
                };
                Guess { target, with, without }
            };
            targets.groups.rows(group as usize).iter().map(of_target).collect()
        };
        Ok(groups.par_iter().enumerate().flat_map_iter(of_group).collect())
    }

    /// Classes that can be a target's, with the logarithm of the share of their cells that is the
    /// target's tuple.
    fn near(&self, classes: &[u32]) -> Vec<(u32, f64)> {
        let of = |&class: &u32| {
            let tuple = self.scene.view.classes.tuple(class as usize).iter().zip(&self.widths);
            let cells = tuple.map(|(&code, widths)| f64::from(widths[code as usize].max(1)).ln());
            (class, -cells.sum::<f64>())
        };
        classes.iter().map(of).collect()
    }

    /// The narrowest class with a row of the target's own value.
    fn own_row(&self, near: &[(u32, f64)], own: Code) -> Option<u32> {
        let with_own = near.iter().filter(|(class, _)| self.count(*class, own) > 0);
        with_own.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0))).map(|(class, _)| *class)
    }

    fn count(&self, class: u32, value: Code) -> u32 {
        let values = self.histograms.of(class as usize);
        values.binary_search_by_key(&value, |entry| entry.0).map_or(0, |at| values[at].1)
    }

    /// The value with the most evidence; ties go to the first one. `removed` is the target's value,
    /// the class of its row, and the score of the value without the row.
    fn best(&self, scores: &[f64], near: &[(u32, f64)], removed: Option<(Code, u32, f64)>) -> Option<Code> {
        let evidence = self.evidence(scores, near, removed);
        let best = evidence.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0)));
        best.filter(|(_, evidence)| **evidence > 0.0).map(|(value, _)| value as Code)
    }

    fn evidence(&self, scores: &[f64], near: &[(u32, f64)], removed: Option<(Code, u32, f64)>) -> Vec<f64> {
        let score = |value: usize| match removed {
            Some((own, _, score)) if own as usize == value => score,
            _ => scores[value],
        };
        let top = (0..scores.len()).map(score).fold(f64::NEG_INFINITY, f64::max);
        let mut evidence: Vec<f64> = (0..scores.len()).map(|value| (score(value) - top).exp()).collect();
        let all: f64 = evidence.iter().sum();
        evidence.iter_mut().for_each(|x| *x /= all);
        let gone = |class: u32, value: Code| {
            u32::from(removed.is_some_and(|(own, of, _)| own == value && of == class))
        };
        let left = |class: u32| {
            let rows = self.scene.view.classes.count(class as usize);
            rows > u32::from(removed.is_some_and(|(_, of, _)| of == class))
        };
        let near = near.iter().filter(|(class, _)| left(*class));
        let narrowest = near.clone().map(|(_, share)| *share).fold(f64::NEG_INFINITY, f64::max);
        for &(class, share) in near {
            let weight = (share - narrowest).exp();
            for &(value, rows) in self.histograms.of(class as usize) {
                evidence[value as usize] += weight * f64::from(rows - gone(class, value));
            }
        }
        evidence
    }
}

impl Scene {
    /// Whether a specific code of a quasi-identifier is evidence: a missing cell may be anything.
    fn says(&self, column: usize, code: Code) -> bool {
        self.roles.missing_is_value || self.sizes[column].1 != Some(code)
    }
}

/// Naive Bayes for some groups of targets.
struct NaiveBayes {
    /// Group × value → logarithm of its score.
    scores: Vec<f64>,
    /// Target × quasi-identifier → rows with the target's own value and cell, as a sum of shares.
    own: Vec<f64>,
    /// Quasi-identifier → target → code.
    codes: Vec<Vec<Code>>,
}

impl NaiveBayes {
    fn new(model: &Model<'_>, targets: &Targets, groups: &[u32], watch: &Watch) -> Result<Self> {
        let (scene, values) = (model.scene, model.rows.len());
        let width = scene.sizes.len();
        let prior = |rows: &u32| (f64::from(*rows) + 1.0).ln();
        let priors: Vec<f64> = model.rows.iter().map(prior).collect();
        let mut scores: Vec<f64> = groups.iter().flat_map(|_| priors.iter().copied()).collect();
        let mut own = vec![0.0; targets.len() * width];
        for column in 0..width {
            watch.check()?;
            // Groups in the order of their code, so that one sweep over the codes serves all.
            let code = |at: &usize| targets.groups.tuple(groups[*at] as usize)[column];
            let mut order: Vec<usize> = (0..groups.len()).collect();
            order.sort_by_key(code);
            let mut sweep = Sweep::new(model, column);
            for same in order.chunk_by(|a, b| code(a) == code(b)) {
                let x = code(&same[0]);
                if !scene.says(column, x) {
                    continue;
                }
                let sums = sweep.up_to(x);
                let logs: Vec<f64> =
                    (0..values).map(|s| log(model, column, sums[s], model.rows[s])).collect();
                for &at in same {
                    let of_group = &mut scores[at * values..][..values];
                    of_group.iter_mut().zip(&logs).for_each(|(score, log)| *score += log);
                    for &target in targets.groups.rows(groups[at] as usize) {
                        if let Some(&value) = targets.values[model.column].get(target as usize) {
                            own[target as usize * width + column] = sums[value as usize];
                        }
                    }
                }
            }
        }
        Ok(NaiveBayes { scores, own, codes: targets.codes.clone() })
    }

    /// The score of a target's own value without a row of a class.
    fn score_without(&self, model: &Model<'_>, target: u32, own: Code, class: u32) -> f64 {
        let rows = model.rows[own as usize] - 1;
        let prior = (f64::from(rows) + 1.0).ln();
        let tuple = model.scene.view.classes.tuple(class as usize);
        let width = tuple.len();
        let of = |column: usize| {
            if !model.scene.says(column, self.codes[column][target as usize]) {
                return 0.0;
            }
            let share = 1.0 / f64::from(model.widths[column][tuple[column] as usize].max(1));
            log(model, column, self.own[target as usize * width + column] - share, rows)
        };
        prior + (0..width).map(of).sum::<f64>()
    }
}

/// The logarithm of the probability of a specific value, given a sensitive value of some rows.
fn log(model: &Model<'_>, column: usize, sum: f64, rows: u32) -> f64 {
    // Sums of shares are never negative, but what floating point leaves of them may be.
    let values = model.scene.sizes[column].0.max(1) as f64;
    ((sum.max(0.0) + 1.0) / (f64::from(rows) + values)).ln()
}

/// Sums over released cells that cover a code, for ascending codes.
struct Sweep {
    /// Code from which on, sensitive value, share that is added: in their order.
    steps: Vec<(Code, Code, f64)>,
    next: usize,
    sums: Vec<f64>,
}

impl Sweep {
    fn new(model: &Model<'_>, column: usize) -> Self {
        let view = &model.scene.view;
        let cells = view.quasi[column].codes.iter().zip(&view.values[model.column]);
        let mut pairs: Vec<u64> =
            cells.map(|(&cell, &value)| u64::from(cell) << 32 | u64::from(value)).collect();
        pairs.par_sort_unstable();
        let mut steps = Vec::new();
        for same in pairs.chunk_by(|a, b| a == b) {
            let (cell, value) = ((same[0] >> 32) as usize, same[0] as Code);
            let share = same.len() as f64 / f64::from(model.widths[column][cell].max(1));
            for &(low, high) in view.covers[column][cell].runs.ends() {
                steps.extend([(low, value, share), (high + 1, value, -share)]);
            }
        }
        // What ends comes before what begins, in an order that no row can change.
        steps.par_sort_unstable_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)));
        Sweep { steps, next: 0, sums: vec![0.0; model.rows.len()] }
    }

    /// The sums at a code.
    fn up_to(&mut self, code: Code) -> &[f64] {
        while let Some(&(_, value, share)) = self.steps.get(self.next).filter(|step| step.0 <= code) {
            self.sums[value as usize] += share;
            self.next += 1;
        }
        &self.sums
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The evidence for all values about a target, with and without the target's row, and that row.
    pub(crate) fn evidence_of(scene: &Scene, target: u32) -> (Vec<f64>, Vec<f64>, Option<u32>) {
        let model = Model::new(scene, 0);
        let targets = scene.targets().unwrap();
        let groups: Vec<u32> = (0..targets.groups.len() as u32).collect();
        let bayes = NaiveBayes::new(&model, targets, &groups, &Watch::none()).unwrap();
        let group =
            groups.iter().find(|&&group| targets.groups.rows(group as usize).contains(&target)).unwrap();
        let scores = &bayes.scores[*group as usize * model.rows.len()..][..model.rows.len()];
        let near = model.near(targets.classes(*group as usize));
        let own = targets.own(0, target);
        let row = model.own_row(&near, own);
        let removed = row.map(|class| (own, class, bayes.score_without(&model, target, own, class)));
        let released = row.and_then(|class| {
            let mut rows = scene.view.classes.rows(class as usize).iter();
            rows.find(|&&row| scene.view.values[0][row as usize] == own)
                .map(|&row| scene.view.shown[row as usize])
        });
        (model.evidence(scores, &near, None), model.evidence(scores, &near, removed), released)
    }
}
