//! Special uniques [Elliot 2002]: rows that few columns already single out.
//!
//! A minimal sample unique of a row is a set of columns in which the row is unique, while it is not
//! unique in any proper subset. One of k columns, among those of at most M of all A columns, scores
//! Π (A − i) for i from k to M, using the factors above 0; a row's score is the sum, and a column's
//! contribution is the share of all scores that comes from sets with it. This is the score of
//! Elliot, Manning and Ford as implemented and documented by sdcMicro; the factor is left out only
//! if sets may have all columns. Sets are visited by size as in SUDA2 [Manning 2008] but as one bit
//! per tuple: a set's minimal uniques are its uniques minus those of its subsets. Costs one
//! grouping per set; memory is one bit per unique tuple and set of the size below the largest, and
//! more than [`MEMORY`] is rejected.

use rayon::prelude::*;
use serde::Serialize;

use super::combinations::{choose, sets};
use super::grouping::{Columns, Grouping};
use crate::error::Result;
use crate::fault;
use crate::rank::Ranker;
use crate::watch::{Counter, Stage, Watch};

/// The most columns of a minimal sample unique that is looked for: a row that more are needed for
/// is not special.
const MOST: usize = 3;
/// The most bytes that uniques of smaller sets may take.
const MEMORY: u64 = 1 << 30;
/// Sets of the largest size that are looked at together; nothing is kept of them.
const CHUNK: usize = 64;
/// Shares of rows whose scores are reported.
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

impl Special {
    /// Nothing was looked at.
    pub(super) fn none() -> Self {
        Special { max_size: 0, rows: 0, sets: Vec::new(), scores: Vec::new(), columns: Vec::new() }
    }
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
pub(super) fn special(columns: &Columns, names: &[String], most: usize, watch: &Watch) -> Result<Special> {
    let width = columns.width();
    let most = most.min(MOST).min(width);
    let walk = Walk::new(columns, most, watch)?;
    let mut tally = Tally::new(width, walk.uniques.len());
    let mut smaller = Level { sets: vec![Vec::new()], bits: vec![walk.no_bits()] };
    for size in 1..=most {
        let weight: f64 = (size..=most).map(|i| width.saturating_sub(i).max(1) as f64).product();
        let mut level = Level { sets: Vec::new(), bits: Vec::new() };
        tally.sets.push(0);
        for chunk in sets(width, size).chunks(CHUNK) {
            for (set, unique) in chunk.iter().zip(walk.uniques_of(chunk)?) {
                tally.add(set, &smaller.without_parts(set, &unique), weight);
                if size < most {
                    level.sets.push(set.clone());
                    level.bits.push(unique);
                }
            }
        }
        smaller = level;
    }
    let total: f64 = tally.scores.iter().sum();
    let share = |score: f64| if total > 0.0 { score / total } else { 0.0 };
    let contribution =
        |(name, &score): (&String, &f64)| Contribution { column: name.clone(), share: share(score) };
    Ok(Special {
        max_size: most,
        rows: tally.scores.iter().filter(|&&score| score > 0.0).count() as u64,
        sets: tally.sets,
        columns: names.iter().zip(&tally.by_column).map(contribution).collect(),
        scores: quantiles(tally.scores, columns.rows()),
    })
}

/// Refuses more memory than is given to the uniques of smaller sets: those of two sizes are held at
/// a time, of the largest size none.
pub(super) fn affordable(width: usize, most: usize, uniques: usize) -> Result<()> {
    let most = most.min(MOST).min(width);
    let held = |size: usize| if size == 0 || size >= most { 0 } else { choose(width, size) };
    let sets = (1..=most).map(|size| held(size - 1).saturating_add(held(size))).max().unwrap_or(0);
    let bytes = sets.saturating_mul(uniques.div_ceil(64) as u64 * 8);
    if bytes <= MEMORY {
        return Ok(());
    }
    Err(fault!(
        Input,
        "risk.too-much-memory",
        "special uniques of up to {size} of {columns} columns take {gigabytes} GB for {rows} unique rows",
        size = most,
        columns = width,
        gigabytes = format!("{:.1}", bytes as f64 / f64::from(1 << 30)),
        rows = uniques
    )
    .key("--max-size")
    .help(format!("give --max-size {}, or fewer columns", most - 1))
    .into())
}

/// Finds the uniques of sets of columns.
struct Walk<'a> {
    columns: &'a Columns,
    all: Grouping,
    /// The tuples of one row: no other is unique in any set.
    uniques: Vec<u32>,
    /// Tuple → its place among these.
    places: Vec<u32>,
    watch: &'a Watch,
    counter: Counter<'a>,
}

impl<'a> Walk<'a> {
    fn new(columns: &'a Columns, most: usize, watch: &'a Watch) -> Result<Self> {
        let mut uniques = Vec::new();
        let mut places = vec![0; columns.tuples()];
        for (tuple, _) in columns.counts().iter().enumerate().filter(|(_, rows)| **rows == 1) {
            places[tuple] = uniques.len() as u32;
            uniques.push(tuple as u32);
        }
        affordable(columns.width(), most, uniques.len())?;
        let number = (1..=most).map(|size| choose(columns.width(), size)).sum();
        let counter = Counter::new(watch, Stage::SpecialUniques, Some(number));
        Ok(Walk { columns, all: columns.all(), uniques, places, watch, counter })
    }

    fn no_bits(&self) -> Vec<u64> {
        vec![0; self.uniques.len().div_ceil(64)]
    }

    /// For each set, one bit per unique tuple: whether the set's columns single it out.
    fn uniques_of(&self, sets: &[Vec<usize>]) -> Result<Vec<Vec<u64>>> {
        let bits = |ranker: &mut Ranker, set: &Vec<usize>| {
            self.watch.check()?;
            let grouping = self.columns.roll_up(&self.all, set, ranker);
            let matches = self.columns.matches(&grouping, self.watch)?;
            let mut bits = self.no_bits();
            for (&tuple, _) in grouping.first.iter().zip(&matches).filter(|(_, rows)| **rows == 1) {
                let place = self.places[tuple as usize] as usize;
                bits[place / 64] |= 1 << (place % 64);
            }
            self.counter.one()?;
            Ok(bits)
        };
        sets.par_iter().map_init(Ranker::default, bits).collect()
    }
}

/// Scores so far.
struct Tally {
    /// Of each unique tuple.
    scores: Vec<f64>,
    by_column: Vec<f64>,
    /// Minimal sample uniques of 1, 2, … columns.
    sets: Vec<u64>,
}

impl Tally {
    fn new(width: usize, uniques: usize) -> Self {
        Tally { scores: vec![0.0; uniques], by_column: vec![0.0; width], sets: Vec::new() }
    }

    /// Counts a set's minimal sample uniques.
    fn add(&mut self, set: &[usize], minimal: &[u64], weight: f64) {
        let rows = each(minimal, |place| self.scores[place] += weight);
        set.iter().for_each(|&column| self.by_column[column] += rows as f64 * weight);
        if let Some(found) = self.sets.last_mut() {
            *found += rows;
        }
    }
}

/// All sets of one size, and for each the tuples that are unique in it.
struct Level {
    sets: Vec<Vec<usize>>,
    bits: Vec<Vec<u64>>,
}

impl Level {
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

/// Calls `with` for every bit that is set; how many there are.
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

/// Quantiles over rows; a row that is not unique scores nothing.
fn quantiles(mut scores: Vec<f64>, rows: u64) -> Vec<Score> {
    let unscored = rows - scores.len() as u64;
    scores.sort_unstable_by(f64::total_cmp);
    let of = |share: f64| {
        let rank = ((share * rows as f64).ceil() as u64).clamp(1, rows.max(1));
        let score = rank.checked_sub(unscored + 1).and_then(|at| scores.get(at as usize));
        Score { share, score: score.copied().unwrap_or(0.0) }
    };
    QUANTILES.into_iter().map(of).collect()
}
