//! Cross tables of two columns of categories, and bounds of χ².
//!
//! A released cell covers one or more categories. A combination counts at least the rows that
//! certainly have it and at most those that can have it. χ² is enclosed by the ranges of all counts
//! and margins, and by what a table of this size can have. If there are few ways to share the
//! uncertain rows among their combinations, all are tried and the bounds are sharp. Costs one pass,
//! and the arrangements.

use rustc_hash::FxHashMap;
use serde::Serialize;
use statrs::distribution::{ChiSquared, ContinuousCDF};

use crate::bounds::Bounds;
use crate::rounding::Enclosure;

/// Arrangements that are tried at most.
const MOST: usize = 1 << 17;
/// Categories of a column at most.
pub const CATEGORIES: usize = 64;

/// A cross table.
#[derive(Debug, Clone, Serialize)]
pub struct Contingency {
    /// The categories of the first column.
    pub rows: Vec<String>,
    /// The categories of the second column.
    pub columns: Vec<String>,
    /// Rows that certainly have a combination, by categories of the first column.
    pub certain: Vec<Vec<u64>>,
    /// Rows that can have it.
    pub possible: Vec<Vec<u64>>,
    /// Pearson's χ² of independence.
    pub chi_squared: Bounds,
    /// Its p-value.
    pub p_value: Bounds,
}

/// Counts rows by the categories that two cells cover, as bits.
///
/// # Errors
/// More categories than [`CATEGORIES`].
pub fn contingency(
    names: [Vec<String>; 2],
    cells: impl IntoIterator<Item = (u64, u64)>,
) -> Result<Contingency, &'static str> {
    let [rows, columns] = names;
    if rows.len() > CATEGORIES || columns.len() > CATEGORIES {
        return Err("a column has more than 64 categories");
    }
    let mut groups: FxHashMap<(u64, u64), u64> = FxHashMap::default();
    for (a, b) in cells.into_iter().filter(|(a, b)| *a != 0 && *b != 0) {
        *groups.entry((a, b)).or_insert(0) += 1;
    }
    let mut groups: Vec<((u64, u64), u64)> = groups.into_iter().collect();
    groups.sort_unstable();
    let shape = (rows.len(), columns.len());
    let mut certain = vec![vec![0; shape.1]; shape.0];
    let mut possible = certain.clone();
    for &((a, b), count) in &groups {
        for (i, j) in combinations(a, b) {
            possible[i][j] += count;
            if a.count_ones() == 1 && b.count_ones() == 1 {
                certain[i][j] += count;
            }
        }
    }
    let chi_squared = Table { shape, groups: &groups, certain: &certain, possible: &possible }.chi_squared();
    let p_value = p_value(&chi_squared, shape);
    Ok(Contingency { rows, columns, certain, possible, chi_squared, p_value })
}

fn bits(mask: u64) -> impl Iterator<Item = usize> + Clone {
    (0..CATEGORIES).filter(move |bit| mask >> bit & 1 == 1)
}

/// The combinations that two cells cover.
fn combinations(a: u64, b: u64) -> impl Iterator<Item = (usize, usize)> {
    bits(a).flat_map(move |i| bits(b).map(move |j| (i, j)))
}

struct Table<'a> {
    shape: (usize, usize),
    groups: &'a [((u64, u64), u64)],
    certain: &'a [Vec<u64>],
    possible: &'a [Vec<u64>],
}

impl Table<'_> {
    fn chi_squared(&self) -> Bounds {
        let n: u64 = self.groups.iter().map(|(_, count)| count).sum();
        if n == 0 {
            return Bounds::none("there is no row in which both cells are known");
        }
        let open: Vec<(Vec<(usize, usize)>, u64)> = self
            .groups
            .iter()
            .map(|&((a, b), count)| (combinations(a, b).collect::<Vec<_>>(), count))
            .filter(|(options, _)| options.len() > 1)
            .collect();
        let ways = open.iter().try_fold(1usize, |all, (options, count)| {
            all.checked_mul(arrangements(options.len(), *count)?).filter(|all| *all <= MOST)
        });
        if ways.is_some() {
            let mut range: Option<Enclosure> = None;
            let mut counts = self.certain.to_vec();
            share_out(&open, &mut counts, &mut |counts| {
                let found = chi_squared(counts, n);
                range = Some(range.map_or(found, |range| range.hull(found)));
            });
            let method = if open.is_empty() { "points" } else { "enumeration" };
            return Bounds::sharp(range.unwrap_or(Enclosure::ZERO), method);
        }
        Bounds::enclosure(self.enclosure(n), "margins")
    }

    /// χ² from the ranges of counts and margins.
    fn enclosure(&self, n: u64) -> Enclosure {
        let of = |count: u64| count as f64;
        let side = |first: bool, at: usize| {
            let bit = |a: u64, b: u64| if first { a } else { b };
            let (mut low, mut high) = (0, 0);
            for &((a, b), count) in self.groups {
                let mask = bit(a, b);
                if mask >> at & 1 == 1 {
                    high += count;
                    low += if mask.count_ones() == 1 { count } else { 0 };
                }
            }
            Enclosure { low: of(low), high: of(high) }
        };
        let rows: Vec<Enclosure> = (0..self.shape.0).map(|i| side(true, i)).collect();
        let columns: Vec<Enclosure> = (0..self.shape.1).map(|j| side(false, j)).collect();
        let total = Enclosure::point(of(n));
        let mut sum = Enclosure::ZERO;
        for (i, row) in rows.iter().enumerate() {
            for (j, column) in columns.iter().enumerate() {
                let count = Enclosure { low: of(self.certain[i][j]), high: of(self.possible[i][j]) };
                let expected = *row * *column / total;
                let difference = count - expected;
                let term = if expected.low > 0.0 {
                    difference.square() / expected
                } else {
                    Enclosure { low: 0.0, high: f64::INFINITY }
                };
                sum = sum + Enclosure { low: term.low.max(0.0), high: term.high };
            }
        }
        // No table has more than this [Cramér 1946].
        let most = total * Enclosure::point(self.shape.0.min(self.shape.1).saturating_sub(1) as f64);
        Enclosure { low: sum.low.max(0.0), high: sum.high.min(most.high) }
    }
}

/// The ways to share rows among options; none if there are too many.
fn arrangements(options: usize, rows: u64) -> Option<usize> {
    let mut ways = 1usize;
    for step in 1..options {
        ways = ways.checked_mul(usize::try_from(rows).ok()? + step)? / step;
        if ways > MOST {
            return None;
        }
    }
    Some(ways)
}

/// Calls `each` with every way to share the open rows among their combinations.
fn share_out(
    open: &[(Vec<(usize, usize)>, u64)],
    counts: &mut Vec<Vec<u64>>,
    each: &mut impl FnMut(&[Vec<u64>]),
) {
    let Some(((options, rows), others)) = open.split_first() else {
        each(counts);
        return;
    };
    share_group(options, *rows, others, counts, each);
}

fn share_group(
    options: &[(usize, usize)],
    rows: u64,
    others: &[(Vec<(usize, usize)>, u64)],
    counts: &mut Vec<Vec<u64>>,
    each: &mut impl FnMut(&[Vec<u64>]),
) {
    let (i, j) = options[0];
    if options.len() == 1 {
        counts[i][j] += rows;
        share_out(others, counts, each);
        counts[i][j] -= rows;
        return;
    }
    for here in 0..=rows {
        counts[i][j] += here;
        share_group(&options[1..], rows - here, others, counts, each);
        counts[i][j] -= here;
    }
}

/// χ² of counts: n·(Σ count²/(row·column) − 1). Empty rows and columns do not count.
fn chi_squared(counts: &[Vec<u64>], n: u64) -> Enclosure {
    let sum = |values: &mut dyn Iterator<Item = u64>| values.sum::<u64>();
    let columns: Vec<u64> =
        (0..counts.first().map_or(0, Vec::len)).map(|j| sum(&mut counts.iter().map(|row| row[j]))).collect();
    let mut total = Enclosure::ZERO;
    for row in counts {
        let all = sum(&mut row.iter().copied());
        for (&count, &column) in row.iter().zip(&columns).filter(|(count, _)| **count > 0) {
            let product = Enclosure::point(all as f64) * Enclosure::point(column as f64);
            total = total + Enclosure::point(count as f64).square() / product;
        }
    }
    let found = Enclosure::point(n as f64) * (total - Enclosure::point(1.0));
    Enclosure { low: found.low.max(0.0), high: found.high.max(0.0) }
}

/// The p-value: it falls with χ².
fn p_value(chi_squared: &Bounds, shape: (usize, usize)) -> Bounds {
    let degrees = shape.0.saturating_sub(1) * shape.1.saturating_sub(1);
    if chi_squared.method == "none" {
        return *chi_squared;
    }
    let Ok(distribution) = ChiSquared::new(degrees as f64) else {
        return Bounds::none("a column has one category");
    };
    // The distribution function is computed in floats; the margin is far above its error.
    let low = distribution.sf(chi_squared.high) * (1.0 - 1e-9);
    let high = (distribution.sf(chi_squared.low) * (1.0 + 1e-9)).min(1.0);
    Bounds::sharp(Enclosure { low, high }, "chi-squared-distribution").exactly(chi_squared.exact)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|i| i.to_string()).collect()
    }

    /// χ² by its definition, from observed and expected counts.
    fn by_definition(pairs: &[(usize, usize)], shape: (usize, usize)) -> f64 {
        let n = pairs.len() as f64;
        let count = |f: &dyn Fn(&(usize, usize)) -> bool| pairs.iter().filter(|pair| f(pair)).count() as f64;
        let mut sum = 0.0;
        for i in 0..shape.0 {
            for j in 0..shape.1 {
                let expected = count(&|p| p.0 == i) * count(&|p| p.1 == j) / n;
                if expected > 0.0 {
                    sum += (count(&|p| *p == (i, j)) - expected).powi(2) / expected;
                }
            }
        }
        sum
    }

    proptest! {
        #[test]
        fn originals_lie_within(
            rows in prop::collection::vec((0usize..3, 0usize..2, 0u64..8, 0u64..4), 4..40),
            blur in 0usize..40,
        ) {
            let pairs: Vec<(usize, usize)> = rows.iter().map(|row| (row.0, row.1)).collect();
            // Some rows cover more than their own category.
            let cells: Vec<(u64, u64)> = rows.iter().enumerate().map(|(at, row)| {
                let extra = if at < blur { (row.2, row.3) } else { (0, 0) };
                (1 << row.0 | extra.0, 1 << row.1 | extra.1)
            }).collect();
            let found = contingency([names(3), names(2)], cells.iter().copied()).unwrap();
            let truth = by_definition(&pairs, (3, 2));
            let chi = found.chi_squared;
            prop_assert!(chi.low <= truth + 1e-9 && truth - 1e-9 <= chi.high, "{chi:?} {truth}");
            for (i, j) in [(0, 0), (2, 1)] {
                let count = pairs.iter().filter(|pair| **pair == (i, j)).count() as u64;
                prop_assert!(found.certain[i][j] <= count && count <= found.possible[i][j]);
            }
            if blur == 0 {
                prop_assert!(chi.exact && (chi.high - truth).abs() < 1e-9);
            }
            // The enclosure by margins holds what is sharp.
            let mut groups: Vec<((u64, u64), u64)> = cells.iter().map(|&cell| (cell, 1)).collect();
            groups.sort_unstable();
            let table = Table { shape: (3, 2), groups: &groups, certain: &found.certain, possible: &found.possible };
            let wide = table.enclosure(cells.len() as u64);
            prop_assert!(wide.low <= chi.low + 1e-9 && chi.high - 1e-9 <= wide.high, "{chi:?} {wide:?}");
        }

        /// Few uncertain rows: the bounds are those of all originals.
        #[test]
        fn few_uncertain_rows_are_tried(rows in prop::collection::vec((1u64..4, 1u64..4), 3..7)) {
            let found = contingency([names(2), names(2)], rows.iter().copied()).unwrap().chi_squared;
            let options: Vec<Vec<(usize, usize)>> =
                rows.iter().map(|&(a, b)| combinations(a, b).collect()).collect();
            let mut all: Vec<Vec<(usize, usize)>> = vec![Vec::new()];
            for options in &options {
                let with = |so_far: &Vec<(usize, usize)>| {
                    options.iter().map(|&pair| so_far.iter().copied().chain([pair]).collect()).collect::<Vec<Vec<_>>>()
                };
                all = all.iter().flat_map(with).collect();
            }
            let values: Vec<f64> = all.iter().map(|pairs| by_definition(pairs, (2, 2))).collect();
            let low = values.iter().copied().fold(f64::INFINITY, f64::min);
            let high = values.iter().copied().fold(0.0, f64::max);
            prop_assert!(found.exact && (found.low - low).abs() < 1e-9 && (found.high - high).abs() < 1e-9);
        }
    }

    #[test]
    fn bad_tables_are_explained() {
        assert!(contingency([names(65), names(2)], []).is_err());
        let empty = contingency([names(2), names(2)], []).unwrap();
        assert!(empty.chi_squared.reason.is_some() && empty.p_value.reason.is_some());
        let single = contingency([names(1), names(2)], [(1, 1), (1, 2)]).unwrap();
        assert_eq!(single.p_value.reason, Some("a column has one category"));
    }
}
