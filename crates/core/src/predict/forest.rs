//! A random forest [Breiman 2001]: the mean of trees, each grown on rows drawn with replacement,
//! with a random subset of the features at every split.
//!
//! The number of rows drawn for a tree is the sheet's total weight; a third of the features is
//! tried for numbers, the square root of their number for classes, and at least one. Every tree has
//! its own stream of random numbers, so the thread count does not matter. Costs sixty trees.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::Model;
use super::sheet::{Sheet, Target};
use super::tree::{Tree, grow};
use crate::error::Result;

const TREES: u64 = 60;

struct Forest {
    trees: Vec<Tree>,
}

pub(super) fn fit(sheet: &Sheet, seed: u64) -> Result<Box<dyn Model>> {
    let tried = tried(sheet.target(), sheet.features().len());
    let tree = |number: u64| {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(number);
        let drawn = sheet.weighing(&drawn(sheet, &mut random));
        grow(&drawn, &mut |features| some(features, tried, &mut random))
    };
    Ok(Box::new(Forest { trees: (0..TREES).into_par_iter().map(tree).collect() }))
}

/// How many of the features are tried at a split.
fn tried(target: Target, features: usize) -> usize {
    let part = match target {
        Target::Number => features / 3,
        Target::Class(_) => features.isqrt(),
    };
    part.max(1).min(features)
}

/// A number from 0 to `end` − 1.
fn below(random: &mut ChaCha8Rng, end: u64) -> u64 {
    ((u128::from(random.next_u64()) * u128::from(end)) >> 64) as u64
}

/// How often each row is drawn, of as many draws as the sheet stands for.
fn drawn(sheet: &Sheet, random: &mut ChaCha8Rng) -> Vec<f64> {
    let mut upto = 0.0;
    let ends: Vec<f64> = sheet
        .rows()
        .iter()
        .map(|row| {
            upto += row.weight;
            upto
        })
        .collect();
    let mut times = vec![0.0; ends.len()];
    for _ in 0..(upto.round() as u64).max(1) {
        // 53 random bits are a fraction from 0 to 1.
        let at = (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64 * upto;
        let row = ends.partition_point(|end| *end <= at).min(ends.len() - 1);
        times[row] += 1.0;
    }
    times
}

/// Some of the features, in order.
fn some(features: usize, tried: usize, random: &mut ChaCha8Rng) -> Vec<usize> {
    let mut all: Vec<usize> = (0..features).collect();
    for at in 0..tried {
        let other = at + below(random, (features - at) as u64) as usize;
        all.swap(at, other);
    }
    all.truncate(tried);
    all.sort_unstable();
    all
}

impl Model for Forest {
    fn predict(&self, cells: &[f64]) -> Vec<f64> {
        let mut sum: Vec<f64> = Vec::new();
        for tree in &self.trees {
            let answer = tree.predict(cells);
            sum.resize(answer.len(), 0.0);
            sum.iter_mut().zip(answer).for_each(|(sum, part)| *sum += part);
        }
        sum.iter().map(|part| part / self.trees.len() as f64).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predict::{Feature, Line};

    /// Rows of weight 1, 2 and 5, 8 draws at a time: each is drawn as often as its weight says, to
    /// within five standard errors.
    #[test]
    fn rows_are_drawn_by_weight() {
        let row = |x: u32, weight: f64| Line { cells: vec![f64::from(x)], target: 0.0, weight };
        let rows = vec![row(0, 1.0), row(1, 2.0), row(2, 5.0)];
        let sheet = Sheet::new(vec![Feature::Number], Target::Number, rows).unwrap();
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let mut times = [0.0; 3];
        for _ in 0..2000 {
            let drawn = drawn(&sheet, &mut random);
            assert_eq!(drawn.iter().sum::<f64>(), 8.0);
            times.iter_mut().zip(drawn).for_each(|(times, n)| *times += n);
        }
        for (times, expected) in times.into_iter().zip([2000.0f64, 4000.0, 10_000.0]) {
            assert!((times - expected).abs() < 5.0 * expected.sqrt(), "{times} for {expected}");
        }
    }

    #[test]
    fn a_part_of_the_features_is_tried() {
        assert_eq!([0, 1, 2, 3, 9].map(|features| tried(Target::Number, features)), [0, 1, 1, 1, 3]);
        assert_eq!([0, 1, 3, 4, 9].map(|features| tried(Target::Class(2), features)), [0, 1, 1, 2, 3]);
        // Each as often as any other: 3 of 9, 900 times.
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let mut times = [0; 9];
        for _ in 0..900 {
            let some = some(9, 3, &mut random);
            assert!(some.windows(2).all(|pair| pair[0] < pair[1]) && some.len() == 3);
            some.iter().for_each(|&feature| times[feature] += 1);
        }
        assert!(times.iter().all(|n| (240..360).contains(n)), "{times:?}");
    }
}
