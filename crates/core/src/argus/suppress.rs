//! Blanks cells so that nothing tested is rare any more.
//!
//! In each round every row with rare combinations loses as few cells as hit them all, and among equally few those whose values occur in most rare
//! combinations of the table (Sweeney, "Foundations of Privacy Protection", 6.3: precedence to the value occurring most often), then those of the first columns.
//! A blanked cell is one occurrence less for the rows that share its value, so what was common can become rare; rounds go on until nothing
//! is. Each blanks at least a cell in every row that it touches, so there are at most as many as columns. Costs one look at the table per
//! round and a small exact search per distinct tuple.

use rayon::prelude::*;

use super::hit::fewest;
use super::shown::{Shown, columns};

/// What was blanked.
pub(super) struct Blanked {
    /// Class → its blanked columns, those of before included.
    pub of_class: Vec<u64>,
    /// Cells that are blanked now and were not before.
    pub cells: u64,
    /// Rare combinations of values at the beginning.
    pub rare: u64,
}

/// What is rare in a table, class by class.
struct Found {
    /// Tested combination → bit per class; empty where nothing is.
    classes: Vec<Vec<u64>>,
    /// Column → code → how many rare combinations of values have it.
    scores: Vec<Vec<u64>>,
    rare: u64,
}

/// The blanked cells of a table once nothing tested is rare in it.
pub(super) fn blanked(shown: &Shown<'_>, tested: &[u64], k: u64) -> Blanked {
    let mut first = found(shown, tested, k);
    let (rare, mut cells) = (first.rare, 0);
    if rare == 0 {
        return Blanked { of_class: shown.blanked.clone(), cells, rare };
    }
    let mut now = shown.clone();
    while first.rare > 0 {
        let more = round(&now, tested, &first);
        let counts = now.subject.classes.counts();
        let new = more.iter().zip(counts).map(|(mask, &n)| u64::from(mask.count_ones()) * u64::from(n));
        cells += new.sum::<u64>();
        now.blank(&more);
        first = found(&now, tested, k);
    }
    Blanked { of_class: now.blanked, cells, rare }
}

fn found(shown: &Shown<'_>, tested: &[u64], k: u64) -> Found {
    let mut scores: Vec<Vec<u64>> = shown.sizes().iter().map(|&size| vec![0; size as usize]).collect();
    let mut classes = Vec::with_capacity(tested.len());
    let mut rare = 0;
    shown.each_rare(tested, k, |at, found| {
        rare += found.first.len() as u64;
        for &class in &found.first {
            for column in columns(tested[at]) {
                scores[column][shown.code(class as usize, column) as usize] += 1;
            }
        }
        classes.push(found.classes);
    });
    Found { classes, scores, rare }
}

/// The cells of one round: class → columns.
fn round(shown: &Shown<'_>, tested: &[u64], found: &Found) -> Vec<u64> {
    let len = shown.subject.classes.len();
    let words: Vec<Vec<u64>> =
        (0..len.div_ceil(64)).into_par_iter().map(|word| of_word(shown, tested, found, word)).collect();
    words.concat()
}

/// The same for 64 classes, of which most have nothing rare.
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
