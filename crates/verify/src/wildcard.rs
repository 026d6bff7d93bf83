//! Class sizes if a missing cell matches anything: `input.missing = "wildcard"`.
//!
//! A class counts every row that agrees with it wherever both have values. Classes with the same
//! missing columns form a pattern; two patterns are joined on the columns that both have, so the
//! cost is patterns × classes instead of classes × classes. Compatibility is not an equivalence:
//! (1, ?) and (?, 2) both match (1, 2), which need not match a third row that matches one of them.

use super::classes::{MISSING, Tuples};
use super::pace::Pace;
use throng_terms::error::Result;

/// Classes that miss the same columns.
struct Pattern {
    /// Column → whether these classes have it.
    present: Vec<bool>,
    classes: Vec<usize>,
}

/// For every class the rows that are compatible with it; 0 for a class without rows.
pub(super) fn sizes(tuples: &Tuples, counts: &[u64], pace: &Pace<'_>) -> Result<Vec<u64>> {
    let patterns = patterns(tuples, counts);
    let mut sizes = vec![0; counts.len()];
    for (i, pattern) in patterns.iter().enumerate() {
        for (j, other) in patterns.iter().enumerate() {
            if i == j {
                // Distinct tuples with the same columns differ in one that both have.
                pattern.classes.iter().for_each(|&class| sizes[class] += counts[class]);
            } else {
                pace.steps(4 * (pattern.classes.len() + other.classes.len()) as u64)?;
                join(tuples, counts, pattern, other, &mut sizes);
            }
        }
    }
    Ok(sizes)
}

fn patterns(tuples: &Tuples, counts: &[u64]) -> Vec<Pattern> {
    let mut known = Tuples::new(tuples.width());
    let mut patterns: Vec<Pattern> = Vec::new();
    let mut flags = vec![0; tuples.width()];
    for class in (0..tuples.len()).filter(|&class| counts[class] > 0) {
        for (flag, &cell) in flags.iter_mut().zip(tuples.tuple(class)) {
            *flag = u32::from(cell != MISSING);
        }
        let at = known.intern(&flags);
        if at == patterns.len() {
            let present = flags.iter().map(|&flag| flag == 1).collect();
            patterns.push(Pattern { present, classes: Vec::new() });
        }
        patterns[at].classes.push(class);
    }
    patterns
}

/// Adds to the classes of one pattern the rows of another that are compatible with them.
fn join(tuples: &Tuples, counts: &[u64], pattern: &Pattern, other: &Pattern, sizes: &mut [u64]) {
    let both: Vec<usize> =
        (0..tuples.width()).filter(|&column| pattern.present[column] && other.present[column]).collect();
    let mut part = vec![0; both.len()];
    let mut known = Tuples::new(both.len());
    let mut totals: Vec<u64> = Vec::new();
    for &class in &other.classes {
        project(tuples.tuple(class), &both, &mut part);
        let at = known.intern(&part);
        if at == totals.len() {
            totals.push(0);
        }
        totals[at] += counts[class];
    }
    for &class in &pattern.classes {
        project(tuples.tuple(class), &both, &mut part);
        sizes[class] += known.get(&part).map_or(0, |at| totals[at]);
    }
}

/// The cells of a tuple in some columns.
pub(super) fn project(tuple: &[u32], columns: &[usize], part: &mut [u32]) {
    for (cell, &column) in part.iter_mut().zip(columns) {
        *cell = tuple[column];
    }
}
