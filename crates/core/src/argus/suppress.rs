//! Suppresses cells until no tested combination is rare.
//!
//! In each round every row with rare combinations loses the fewest cells that hit all of them. Ties
//! go to the values that occur in the most rare combinations of the table [Sweeney 2001, 6.3:
//! precedence to the value occurring most often], then to the first columns. A suppressed cell is
//! one occurrence less for the rows that share its value, so a common combination can become rare;
//! rounds continue until none is. Each round suppresses at least one cell in every row that it
//! touches, so there are at most as many rounds as columns. Costs one test of the table per round
//! and a small exact search per distinct tuple.

use rayon::prelude::*;

use super::hit::fewest;
use super::shown::{Shown, columns};
use crate::error::Result;
use crate::watch::Watch;

/// The suppressed cells.
pub(super) struct Blanked {
    /// Class → its blanked columns, those of before included.
    pub of_class: Vec<u64>,
    /// Cells that are blanked now and were not before.
    pub cells: u64,
    /// Rare combinations of values at the beginning.
    pub rare: u64,
}

/// The rare combinations of values in a table, class by class.
struct Found {
    /// Tested combination → bit per class; empty where nothing is.
    classes: Vec<Vec<u64>>,
    /// Column → code → how many rare combinations of values have it.
    scores: Vec<Vec<u64>>,
    rare: u64,
}

/// The blanked cells of a table once nothing tested is rare in it.
pub(super) fn blanked(shown: &Shown<'_>, tested: &[u64], k: u64, watch: &Watch) -> Result<Blanked> {
    let mut first = found(shown, tested, k, watch)?;
    let (rare, mut cells) = (first.rare, 0);
    if rare == 0 {
        return Ok(Blanked { of_class: shown.blanked.clone(), cells, rare });
    }
    let mut now = shown.clone();
    while first.rare > 0 {
        let more = round(&now, tested, &first);
        let counts = now.subject.classes.counts();
        let new = more.iter().zip(counts).map(|(mask, &n)| u64::from(mask.count_ones()) * u64::from(n));
        cells += new.sum::<u64>();
        now.blank(&more);
        first = found(&now, tested, k, watch)?;
    }
    Ok(Blanked { of_class: now.blanked, cells, rare })
}

fn found(shown: &Shown<'_>, tested: &[u64], k: u64, watch: &Watch) -> Result<Found> {
    let mut scores: Vec<Vec<u64>> = shown.sizes().iter().map(|&size| vec![0; size as usize]).collect();
    let mut classes = Vec::with_capacity(tested.len());
    let mut rare = 0;
    shown.each_rare((tested, k), watch, |at, found| {
        rare += found.first.len() as u64;
        for &class in &found.first {
            for column in columns(tested[at]) {
                scores[column][shown.code(class as usize, column) as usize] += 1;
            }
        }
        classes.push(found.classes);
    })?;
    Ok(Found { classes, scores, rare })
}

/// The cells of one round: class → columns.
fn round(shown: &Shown<'_>, tested: &[u64], found: &Found) -> Vec<u64> {
    let len = shown.subject.classes.len();
    let words: Vec<Vec<u64>> =
        (0..len.div_ceil(64)).into_par_iter().map(|word| of_word(shown, tested, found, word)).collect();
    words.concat()
}

/// The same for 64 classes, most without rare combinations.
fn of_word(shown: &Shown<'_>, tested: &[u64], found: &Found, word: usize) -> Vec<u64> {
    let of_tested = tested.iter().zip(&found.classes);
    let rare: Vec<(u64, u64)> = of_tested
        .filter_map(|(&mask, classes)| classes.get(word).filter(|bits| **bits != 0).map(|&bits| (mask, bits)))
        .collect();
    let last = (shown.subject.classes.len() - word * 64).min(64);
    let mut sets = Vec::new();
    let blank = |bit: usize| {
        sets.clear();
        sets.extend(rare.iter().filter(|(_, bits)| bits >> bit & 1 == 1).map(|(mask, _)| *mask));
        let class = word * 64 + bit;
        let score = |column: usize| found.scores[column][shown.code(class, column) as usize];
        if sets.is_empty() { 0 } else { fewest(&sets, &score) }
    };
    (0..last).map(blank).collect()
}
