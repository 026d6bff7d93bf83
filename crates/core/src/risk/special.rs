//! Special uniques (Elliot, Manning and Ford 2002): rows that few columns already single out.
//!
//! A minimal sample unique of a row is a set of columns in which the row is unique while it is not in any smaller part of
//! the set. One of k columns, among those of at most M of all A columns, scores Π (A − i) for i from k to M, the factors above 0; a row's score is
//! the sum, and a column's contribution is the share of all scores that comes from sets with it. Sets are walked by
//! size as in SUDA2 (Manning, Haglin and Keane 2008) but as one bit a tuple: a set's minimal uniques are its uniques
//! without those of its parts. One grouping per set, and memory of one bit per tuple and set of a size.

use rayon::prelude::*;
use serde::Serialize;

use super::combinations::sets;
use super::grouping::Columns;
use super::{Watch, stopped};
use crate::error::Result;
use crate::rank::Ranker;

/// The most columns of a minimal sample unique that is looked for: a row that more are needed for is not special.
const MOST: usize = 3;
/// Shares of rows whose scores are told.
const QUANTILES: [f64; 5] = [0.5, 0.9, 0.99, 0.999, 1.0];

/// Rows that few columns single out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Special {
    /// The most columns of a set that was looked at.
    pub max_size: usize,
    /// Rows with at least one such set.
    pub rows: u64,
    /// How many sets of 1, 2, … columns are minimal sample uniques, over all rows.
    pub sets: Vec<u64>,
    /// How the scores of all rows are spread.
    pub scores: Vec<Score>,
    /// What each column contributes to them.
    pub columns: Vec<Contribution>,
}

/// A quantile of the rows' scores.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Score {
    /// The share of rows that score no more.
    pub share: f64,
    /// The score.
    pub score: f64,
}

/// What a column contributes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Contribution {
    /// The column.
    pub column: String,
    /// The share of all scores that comes from sets with it.
    pub share: f64,
}

/// The special uniques of a table.
pub(super) fn special(
    columns: &Columns,
    names: &[String],
    most: usize,
    watch: &Watch<'_>,
) -> Result<Special> {
    let width = columns.width();
    let most = most.min(MOST).min(width);
    let mut scores = vec![0.0f64; columns.tuples()];
    let mut by_column = vec![0.0f64; width];
    let mut by_size = Vec::new();
    let mut smaller = Level { sets: vec![Vec::new()], bits: vec![vec![0; columns.tuples().div_ceil(64)]] };
    for size in 1..=most {
        let level = Level::of(columns, size, watch)?;
        let weight: f64 = (size..=most).map(|i| width.saturating_sub(i).max(1) as f64).product();
        let mut found = 0;
        for (set, unique) in level.sets.iter().zip(&level.bits) {
            let minimal = smaller.without_parts(set, unique);
            let rows = each(&minimal, |tuple| scores[tuple] += weight);
            set.iter().for_each(|&column| by_column[column] += rows as f64 * weight);
            found += rows;
        }
        by_size.push(found);
        smaller = level;
    }
    let total: f64 = scores.iter().sum();
    let share = |score: f64| if total > 0.0 { score / total } else { 0.0 };
    let contribution =
        |(name, &score): (&String, &f64)| Contribution { column: name.clone(), share: share(score) };
    Ok(Special {
        max_size: most,
        rows: scores.iter().filter(|&&score| score > 0.0).count() as u64,
        sets: by_size,
        columns: names.iter().zip(&by_column).map(contribution).collect(),
        scores: quantiles(scores, columns.counts()),
    })
}

/// All sets of one size, and for each the tuples that are unique in it.
struct Level {
    sets: Vec<Vec<usize>>,
    bits: Vec<Vec<u64>>,
}

impl Level {
    fn of(columns: &Columns, size: usize, watch: &Watch<'_>) -> Result<Level> {
        let sets = sets(columns.width(), size);
        let all = columns.all();
        let bits: Vec<Result<Vec<u64>>> = sets
            .par_iter()
            .map_init(Ranker::default, |ranker, set| {
                if (watch.cancelled)() {
                    return Err(stopped());
                }
                let grouping = columns.roll_up(&all, set, ranker);
                let matches = columns.matches(&grouping, ranker);
                let mut bits = vec![0u64; columns.tuples().div_ceil(64)];
                for (&tuple, _) in grouping.first.iter().zip(&matches).filter(|(_, rows)| **rows == 1) {
                    bits[tuple as usize / 64] |= 1 << (tuple % 64);
                }
                Ok(bits)
            })
            .collect();
        Ok(Level { sets, bits: bits.into_iter().collect::<Result<_>>()? })
    }

    /// The uniques of a larger set without those of its parts in this level.
    fn without_parts(&self, set: &[usize], unique: &[u64]) -> Vec<u64> {
        let mut minimal = unique.to_vec();
        for &left_out in set {
            let part: Vec<usize> = set.iter().copied().filter(|&c| c != left_out).collect();
            if let Ok(at) = self.sets.binary_search(&part) {
                minimal.iter_mut().zip(&self.bits[at]).for_each(|(m, &known)| *m &= !known);
            }
        }
        minimal
    }
}

/// Calls `with` for every tuple whose bit is set; how many there are.
fn each(bits: &[u64], mut with: impl FnMut(usize)) -> u64 {
    let mut number = 0;
    for (i, &word) in bits.iter().enumerate() {
        let mut left = word;
        while left != 0 {
            with(i * 64 + left.trailing_zeros() as usize);
            left &= left - 1;
            number += 1;
        }
    }
    number
}

/// Quantiles over rows; a tuple of several rows scores nothing.
fn quantiles(mut scores: Vec<f64>, counts: &[u32]) -> Vec<Score> {
    let rows: u64 = counts.iter().map(|&n| u64::from(n)).sum();
    let unscored = rows - scores.len() as u64;
    scores.sort_unstable_by(f64::total_cmp);
    let of = |share: f64| {
        let rank = ((share * rows as f64).ceil() as u64).clamp(1, rows.max(1));
        let score = rank.checked_sub(unscored + 1).and_then(|at| scores.get(at as usize));
        Score { share, score: score.copied().unwrap_or(0.0) }
    };
    QUANTILES.into_iter().map(of).collect()
}
