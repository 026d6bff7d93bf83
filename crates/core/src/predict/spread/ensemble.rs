//! Forests [Breiman 2001] and boosted trees [Friedman 2001] on spread cells.
//!
//! A tree of a forest learns from rows that are drawn with replacement, at most 100,000, and tries
//! a part of the columns at every split: a third for numbers, the square root of their number for
//! classes. Every tree has its own stream of random numbers. Boosting adds trees that each follow
//! the derivatives of the logistic loss, or of the squared error. Costs the trees.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::tree::{Grower, Growth, Stakes, Tree, answer, stakes};
use super::{Model, Recipe, Sample, Spread};
use crate::predict::sheet::Target;

/// Rows that are drawn for a tree at most.
const DRAWN: f64 = 100_000.0;

struct Forest {
    trees: Vec<Tree>,
}

pub(super) fn forest(recipe: &Recipe, sample: &Sample, seed: u64) -> impl Model + use<> {
    let columns = sample.columns.len();
    let tried = match sample.target() {
        Target::Number => columns.div_ceil(3),
        Target::Class(_) => columns.isqrt().max(1),
    };
    let mut ends = Vec::with_capacity(sample.len());
    let mut upto = 0.0;
    for weight in &sample.weights {
        upto += weight;
        ends.push(upto);
    }
    let values = match sample.target() {
        Target::Number => 1,
        Target::Class(of) => of as usize,
    };
    let growth = Growth { depth: recipe.depth, least: recipe.least, ridge: 0.0 };
    let mut grower = Grower::new(sample, values, growth);
    let mut tree = |number: u64| {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(number);
        let weights = drawn(&ends, &mut random);
        let (stakes, whole) = stakes(sample, &weights);
        let target = sample.target();
        grower.grow(&stakes, &mut |of| some(of, tried, &mut random), &mut |(_, h, s)| {
            answer(target, (h, s), &whole)
        })
    };
    Forest { trees: (0..recipe.trees as u64).map(&mut tree).collect() }
}

/// Row → how often it is drawn, for rows whose weights end at these sums.
fn drawn(ends: &[f64], random: &mut ChaCha8Rng) -> Vec<f64> {
    let all = ends.last().copied().unwrap_or(0.0);
    let mut times = vec![0.0; ends.len()];
    for _ in 0..(all.min(DRAWN).round() as u64).max(1) {
        // 53 random bits are a fraction from 0 to 1.
        let at = (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64 * all;
        times[ends.partition_point(|end| *end <= at).min(ends.len() - 1)] += 1.0;
    }
    times
}

/// Some of the columns, in order.
fn some(columns: usize, tried: usize, random: &mut ChaCha8Rng) -> Vec<usize> {
    let mut all: Vec<usize> = (0..columns).collect();
    for at in 0..tried.min(columns) {
        let other = ((u128::from(random.next_u64()) * (columns - at) as u128) >> 64) as usize;
        all.swap(at, at + other);
    }
    all.truncate(tried);
    all.sort_unstable();
    all
}

impl Model for Forest {
    fn predict(&self, cells: &[&Spread]) -> Vec<f64> {
        let mut sum = Vec::new();
        self.trees.iter().for_each(|tree| tree.add(cells, 1.0 / self.trees.len() as f64, &mut sum));
        sum
    }
}

/// Sums of trees: one for numbers and for two classes, one per class of several.
struct Boosted {
    sums: Vec<(f64, Vec<Tree>)>,
    target: Target,
}

pub(super) fn boosting(recipe: &Recipe, sample: &Sample) -> impl Model + use<> {
    let growth = Growth { depth: recipe.depth, least: recipe.least, ridge: recipe.ridge };
    let mut grower = Grower::new(sample, 1, growth);
    let sums = match sample.target() {
        Target::Number => vec![squares(recipe, sample, &mut grower)],
        Target::Class(2) => vec![class(recipe, sample, &mut grower, 1.0)],
        Target::Class(of) => (0..of).map(|c| class(recipe, sample, &mut grower, f64::from(c))).collect(),
    };
    Boosted { sums, target: sample.target() }
}

/// Rounds of trees that follow what `pull` says of every row, given the sums so far: curvature and
/// value.
fn rounds(
    recipe: &Recipe,
    sample: &Sample,
    grower: &mut Grower<'_>,
    start: f64,
    pull: &dyn Fn(usize, f64) -> (f64, f64),
) -> Vec<Tree> {
    let mut sums = vec![start; sample.len()];
    let columns: Vec<usize> = (0..sample.columns.len()).collect();
    let mut trees = Vec::with_capacity(recipe.trees);
    for _ in 0..recipe.trees {
        let (h, s) = sums.iter().enumerate().map(|(row, &sum)| pull(row, sum)).unzip();
        let stakes = Stakes { h, s, values: 1 };
        let tree = grower.grow(&stakes, &mut |_| columns.clone(), &mut |(rows, h, s)| {
            let step = recipe.rate * s[0] / (h + recipe.ridge);
            rows.iter().for_each(|&(row, part)| sums[row as usize] += part * step);
            vec![step]
        });
        trees.push(tree);
    }
    trees
}

fn squares(recipe: &Recipe, sample: &Sample, grower: &mut Grower<'_>) -> (f64, Vec<Tree>) {
    let weight = sample.weight();
    let mean = sample.targets.iter().zip(&sample.weights).map(|(y, w)| y * w).sum::<f64>() / weight;
    let pull =
        |row: usize, sum: f64| (sample.weights[row], sample.weights[row] * (sample.targets[row] - sum));
    (mean, rounds(recipe, sample, grower, mean, &pull))
}

/// One class against all others.
fn class(recipe: &Recipe, sample: &Sample, grower: &mut Grower<'_>, class: f64) -> (f64, Vec<Tree>) {
    let rows = sample.targets.iter().zip(&sample.weights);
    let own: f64 = rows.filter(|(y, _)| **y == class).map(|(_, w)| w).sum();
    // Half a row of each, so that a class without rows has finite odds.
    let start = ((own + 0.5) / (sample.weight() - own + 0.5)).ln();
    let pull = |row: usize, sum: f64| {
        let chance = 1.0 / (1.0 + (-sum).exp());
        let is = f64::from(u8::from(sample.targets[row] == class));
        let weight = sample.weights[row];
        ((weight * chance * (1.0 - chance)).max(1e-9), weight * (is - chance))
    };
    (start, rounds(recipe, sample, grower, start, &pull))
}

impl Model for Boosted {
    fn predict(&self, cells: &[&Spread]) -> Vec<f64> {
        let sum = |(start, trees): &(f64, Vec<Tree>)| {
            let mut sum = vec![*start];
            trees.iter().for_each(|tree| tree.add(cells, 1.0, &mut sum));
            sum[0]
        };
        let sums = self.sums.iter().map(sum);
        let chance = |z: f64| 1.0 / (1.0 + (-z).exp());
        match self.target {
            Target::Number => sums.collect(),
            Target::Class(2) => {
                let chances: Vec<f64> = sums.map(chance).collect();
                vec![1.0 - chances[0], chances[0]]
            }
            Target::Class(_) => {
                let chances: Vec<f64> = sums.map(chance).collect();
                let all: f64 = chances.iter().sum::<f64>().max(f64::MIN_POSITIVE);
                chances.iter().map(|chance| chance / all).collect()
            }
        }
    }
}
