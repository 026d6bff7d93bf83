//! How similar a release is to its original: propensity score and marginals.
//!
//! pMSE: a logistic regression on the categories and bins of all quasi-identifiers tries to
//! distinguish released rows from original ones; pMSE is the mean squared distance of its chances
//! from the share of released rows [Woo 2009]. For two samples of one population its expectation is
//! (coordinates)·(1 − c)²·c / rows [Snoke 2018]; the ratio to it is 0 for a release that changed
//! nothing, 1 for another sample, and more where the release is distorted. Marginals: the total
//! variation distance between the original and the release with its cells spread over what they
//! cover, of every column and every pair of columns. Costs a logistic regression, and for every
//! pair one sort of the distinct rows.

use rayon::prelude::*;
use serde::Serialize;

use super::rows::Lines;
use crate::error::Result;
use crate::predict::Target;
use crate::predict::spread::{Column, Family, Recipe, Sample, Space, Spread, fit};

/// Pairs of columns that are compared at most.
const PAIRS: usize = 66;
/// Parts of a column in pairs; the rare ones of more are put together.
const PARTS: usize = 32;

/// How similar a release is to its original.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Similarity {
    /// Mean squared distance of the propensity scores from the share of released rows.
    pub pmse: f64,
    /// Its expectation for another sample of the same population.
    pub pmse_expected: f64,
    /// The ratio of both.
    pub pmse_ratio: f64,
    /// Column → total variation distance, from 0 to 1.
    pub columns: Vec<(String, f64)>,
    /// The mean over columns.
    pub marginals: f64,
    /// The mean over pairs of columns.
    pub pairs: f64,
}

/// Compares a release with its original, whose parts `space` has.
///
/// # Errors
/// None but mistakes of this program.
pub(super) fn similarity(
    names: &[String],
    space: &Space,
    original: &Lines,
    released: &Lines,
) -> Result<Similarity> {
    let sides = [original, released].map(|lines| (lines, space.again(&lines.weights())));
    let columns: Vec<(String, f64)> =
        names.iter().enumerate().map(|(c, name)| (name.clone(), distance(&one(&sides, c)))).collect();
    let all: Vec<(usize, usize)> =
        (0..names.len()).flat_map(|a| (a + 1..names.len()).map(move |b| (a, b))).take(PAIRS).collect();
    let pairs: Vec<f64> = all.par_iter().map(|&pair| distance(&two(&sides, pair))).collect();
    let (pmse, pmse_expected) = propensity(&sides)?;
    let mean = |of: &[f64]| if of.is_empty() { 0.0 } else { of.iter().sum::<f64>() / of.len() as f64 };
    Ok(Similarity {
        pmse,
        pmse_expected,
        pmse_ratio: if pmse_expected > 0.0 { pmse / pmse_expected } else { 0.0 },
        marginals: mean(&columns.iter().map(|(_, d)| *d).collect::<Vec<_>>()),
        columns,
        pairs: mean(&pairs),
    })
}

/// Rows, and their cells spread over the parts of both.
type Side<'a> = (&'a Lines, Vec<Column>);

/// Part → share, of both sides.
fn one(sides: &[Side<'_>; 2], column: usize) -> [Vec<f64>; 2] {
    sides.each_ref().map(|(lines, columns)| {
        let mut rows = vec![0.0; columns[column].cells.len()];
        lines.rows.iter().for_each(|row| rows[row.0[column] as usize] += row.2);
        let mut shares = vec![0.0; columns[column].parts];
        for (spread, rows) in columns[column].cells.iter().zip(&rows) {
            spread.parts.iter().for_each(|&(part, chance)| shares[part as usize] += chance * rows);
        }
        normalized(shares)
    })
}

/// Pair of parts → share, of both sides.
fn two(sides: &[Side<'_>; 2], (a, b): (usize, usize)) -> [Vec<f64>; 2] {
    let few = [few(&one(sides, a)[0]), few(&one(sides, b)[0])];
    let width = few[1].iter().max().map_or(1, |last| *last as usize + 1);
    let height = few[0].iter().max().map_or(1, |last| *last as usize + 1);
    sides.each_ref().map(|(lines, columns)| {
        let mut cells: Vec<(u32, u32, f64)> =
            lines.rows.iter().map(|row| (row.0[a], row.0[b], row.2)).collect();
        cells.sort_by(|x, y| (x.0, x.1).cmp(&(y.0, y.1)).then(x.2.total_cmp(&y.2)));
        let mut shares = vec![0.0; width * height];
        for same in cells.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
            let rows: f64 = same.iter().map(|cell| cell.2).sum();
            let of = |c: usize, cell: u32| &columns[c].cells[cell as usize].parts;
            for &(p, chance) in of(a, same[0].0) {
                let row = few[0][p as usize] as usize * width;
                for &(q, other) in of(b, same[0].1) {
                    shares[row + few[1][q as usize] as usize] += chance * other * rows;
                }
            }
        }
        normalized(shares)
    })
}

/// Part → one of a few parts; the rare ones are the last.
fn few(shares: &[f64]) -> Vec<u32> {
    if shares.len() <= PARTS {
        return (0..shares.len() as u32).collect();
    }
    let mut order: Vec<usize> = (0..shares.len()).collect();
    order.sort_by(|&a, &b| shares[b].total_cmp(&shares[a]).then(a.cmp(&b)));
    let mut few = vec![PARTS as u32 - 1; shares.len()];
    order[..PARTS - 1].iter().enumerate().for_each(|(at, &part)| few[part] = at as u32);
    few
}

fn normalized(mut shares: Vec<f64>) -> Vec<f64> {
    let all: f64 = shares.iter().sum();
    if all > 0.0 {
        shares.iter_mut().for_each(|share| *share /= all);
    }
    shares
}

/// Total variation distance.
fn distance([a, b]: &[Vec<f64>; 2]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum::<f64>() / 2.0
}

/// pMSE and its expectation.
fn propensity(sides: &[Side<'_>; 2]) -> Result<(f64, f64)> {
    let released = sides[1].0.count();
    let all = sides[0].0.count() + released;
    if released == 0.0 {
        return Ok((0.0, 0.0));
    }
    let share = released / all;
    // Cells of both, those of the release behind those of the original.
    let mut coordinates = 0;
    let mut columns = Vec::new();
    for (c, (before, after)) in sides[0].1.iter().zip(&sides[1].1).enumerate() {
        let cells: Vec<Spread> = before.cells.iter().chain(&after.cells).cloned().collect();
        columns.push(Column { ordered: false, parts: before.parts, cells });
        let occurs = one(sides, c);
        coordinates += (0..before.parts).filter(|&p| occurs[0][p] + occurs[1][p] > 0.0).count().max(1) - 1;
    }
    let mut rows = Vec::new();
    for (side, (lines, _)) in sides.iter().enumerate() {
        for (cells, _, weight) in &lines.rows {
            let behind = |(c, cell): (usize, &u32)| cell + side as u32 * sides[0].1[c].cells.len() as u32;
            rows.push((cells.iter().enumerate().map(behind).collect(), side as f64, *weight));
        }
    }
    let sample = Sample::new(columns, Target::Class(2), rows)?;
    let recipe = Recipe { ridge: 1e-6, ..Family::Logistic.recipe() };
    let model = fit(&recipe, &sample, 0)?;
    let part = |row: usize| sample.weight_of(row) * (model.predict(&sample.row(row))[1] - share).powi(2);
    let pmse = (0..sample.len()).map(part).sum::<f64>() / all;
    Ok((pmse, coordinates as f64 * (1.0 - share).powi(2) * share / all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predict::spread::Reading;
    use crate::predict::{Known, Reader};
    use crate::table::Dictionary;

    fn lines(rows: &[(&str, &str, f64)]) -> Lines {
        let column = |of: &dyn Fn(&(&str, &str, f64)) -> String| {
            let mut texts: Vec<Option<String>> = rows.iter().map(|row| Some(of(row))).collect();
            texts.sort();
            texts.dedup();
            texts
        };
        let texts = vec![column(&|row| row.0.to_owned()), column(&|row| row.1.to_owned())];
        let place =
            |c: usize, text: &str| texts[c].iter().position(|t| t.as_deref() == Some(text)).unwrap() as u32;
        let rows = rows.iter().map(|(a, b, n)| (vec![place(0, a), place(1, b)], None, *n)).collect();
        Lines { texts, rows }
    }

    fn compared(original: &Lines, released: &Lines) -> Similarity {
        let sexes = Dictionary::of(["F", "M"].map(Some));
        let towns = Dictionary::of(["Bonn", "Ulm"].map(Some));
        let reader = Reader::new(&[
            Known { values: &sexes, hierarchy: None, codes: false },
            Known { values: &towns, hierarchy: None, codes: false },
        ]);
        let (space, _) = Space::new(&reader, &original.weights(), Reading::Direct);
        similarity(&["sex".into(), "town".into()], &space, original, released).unwrap()
    }

    #[test]
    fn a_release_that_changed_nothing_has_no_distance() {
        let rows = lines(&[("F", "Ulm", 30.0), ("M", "Ulm", 10.0), ("F", "Bonn", 20.0), ("M", "Bonn", 40.0)]);
        let found = compared(&rows, &rows);
        assert!(found.pmse < 1e-12 && found.marginals == 0.0 && found.pairs == 0.0, "{found:?}");
        // Two coordinates, half of 200 rows: 2·¼·½/200.
        assert!((found.pmse_expected - 2.0 * 0.25 * 0.5 / 200.0).abs() < 1e-15);
    }

    /// One column, so that the logistic model is saturated: chances are the shares of the release
    /// in each category, and pMSE follows from a table.
    #[test]
    fn propensities_are_shares_where_one_column_differs() {
        let original = lines(&[("F", "Ulm", 300.0), ("M", "Ulm", 100.0)]);
        let released = lines(&[("F", "Ulm", 100.0), ("M", "Ulm", 300.0)]);
        let found = compared(&original, &released);
        // Chances ¼ and ¾, each 400 of 800 rows.
        assert!((found.pmse - 0.0625).abs() < 1e-4, "{found:?}");
        assert!((found.columns[0].1 - 0.5).abs() < 1e-12 && found.columns[1].1 == 0.0);
        assert!((found.pairs - 0.5).abs() < 1e-12);
    }

    #[test]
    fn sets_are_spread_over_what_they_cover() {
        let original = lines(&[("F", "Ulm", 50.0), ("M", "Bonn", 50.0)]);
        let released = lines(&[("{F, M}", "Ulm", 50.0), ("M", "Bonn", 50.0)]);
        let found = compared(&original, &released);
        // `{F, M}` says nothing: it is spread like the other cells, which are all M.
        assert!((found.columns[0].1 - 0.5).abs() < 1e-12, "{found:?}");
        let released = lines(&[("*", "Ulm", 50.0), ("M", "Bonn", 25.0), ("F", "Bonn", 25.0)]);
        let found = compared(&original, &released);
        assert!(found.columns[0].1.abs() < 1e-12, "{found:?}");
        // Pairs: ½ of the original is (F, Ulm), of the release ¼; so for all four.
        assert!((found.pairs - 0.5).abs() < 1e-12, "{found:?}");
    }
}
