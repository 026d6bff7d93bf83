//! The best structure of all, for small tables [Silander 2006].
//!
//! A structure without cycles has an order in which parents come first. So the best one with the
//! columns of a set has some last column, with the best families that the others allow, above the
//! best structure of the others. Costs one pass over the distinct rows per family, and columns ·
//! 2^columns steps; [`affordable`] bounds both.

use rayon::prelude::*;

use super::plan::Link;
use super::score::{Counts, Field, Score};
use crate::error::Result;
use crate::watch::{Counter, Stage, Watch};

/// Rows that are counted for all families together.
const MOST_COUNTED: u128 = 100_000_000;

/// Columns whose sets are enumerated.
const MOST_COLUMNS: usize = 12;

/// The best parents of a field, by the set of columns that they may come from.
type Best = Vec<(Score, usize)>;

/// Whether all families of a table can be counted.
pub(super) fn affordable(counts: &Counts<'_>, columns: usize, most_parents: usize) -> bool {
    let fields = counts.fields();
    let mut of_column = vec![0u128; columns];
    fields.iter().for_each(|field| of_column[field.0] += 1);
    // Number of parents → number of sets of parents, adding one column after the other.
    let sets = |own: usize| {
        let mut sets = vec![0u128; most_parents + 1];
        sets[0] = 1;
        for (_, &fields) in of_column.iter().enumerate().filter(|(column, _)| *column != own) {
            for size in (1..=most_parents).rev() {
                sets[size] = sets[size].saturating_add(sets[size - 1].saturating_mul(fields));
            }
        }
        sets.iter().fold(0u128, |sum, &sets| sum.saturating_add(sets))
    };
    let families = fields.iter().fold(0u128, |sum, field| sum.saturating_add(sets(field.0)));
    columns <= MOST_COLUMNS && families.saturating_mul(counts.entries() as u128) <= MOST_COUNTED
}

/// The best families, and their score.
///
/// # Errors
/// [`Kind::Cancelled`](crate::error::Kind::Cancelled) when asked to stop.
pub(super) fn exact(
    counts: &Counts<'_>,
    columns: usize,
    most_parents: usize,
    watch: &Watch,
) -> Result<(Vec<Link>, Score)> {
    let fields = counts.fields();
    let counter = Counter::new(watch, Stage::Measuring, None);
    let of_field = |&field: &Field| -> Result<(Vec<Vec<Field>>, Best)> {
        let sets = sets(&fields, field.0, most_parents);
        let mut best: Best = vec![(Score::MIN / 4, 0); 1 << columns];
        for (at, parents) in sets.iter().enumerate() {
            counter.one()?;
            // The price bounds the score, and no parents are always possible.
            let bound = counts.price(field, parents).map_or(Score::MIN / 4, |price| -price);
            if at > 0 && bound <= best[0].0 {
                continue;
            }
            let mask = parents.iter().fold(0usize, |mask, parent| mask | (1 << parent.0));
            let score = counts.score(field, parents).unwrap_or(Score::MIN / 4);
            if score > best[mask].0 {
                best[mask] = (score, at);
            }
        }
        for column in 0..columns {
            for mask in (0..best.len()).filter(|mask| mask & (1 << column) != 0) {
                let fewer = best[mask ^ (1 << column)];
                if fewer.0 >= best[mask].0 {
                    best[mask] = fewer;
                }
            }
        }
        Ok((sets, best))
    };
    let known: Vec<(Vec<Vec<Field>>, Best)> = fields.par_iter().map(of_field).collect::<Result<_>>()?;
    watch.check()?;
    Ok(ordered(&fields, &known, columns))
}

/// All sets of parents of a field of a column, none first.
fn sets(fields: &[Field], own: usize, most_parents: usize) -> Vec<Vec<Field>> {
    let mut sets: Vec<Vec<Field>> = vec![Vec::new()];
    let mut at = 0;
    while at < sets.len() {
        let set = sets[at].clone();
        if set.len() < most_parents {
            let last = set.last().map_or(0, |field| field.0 + 1);
            let more = fields.iter().filter(|field| field.0 >= last && field.0 != own);
            sets.extend(more.map(|&field| [set.as_slice(), &[field]].concat()));
        }
        at += 1;
    }
    sets
}

/// The best order of the columns, and the families that belong to it.
fn ordered(fields: &[Field], known: &[(Vec<Vec<Field>>, Best)], columns: usize) -> (Vec<Link>, Score) {
    let mut own = vec![vec![0; 1 << columns]; columns];
    for (field, (_, best)) in fields.iter().zip(known) {
        own[field.0].iter_mut().zip(best).for_each(|(sum, best)| *sum += best.0);
    }
    let mut whole: Vec<(Score, usize)> = vec![(0, 0); 1 << columns];
    for mask in 1..whole.len() {
        let last = |column: usize| {
            let others = mask ^ (1 << column);
            (whole[others].0 + own[column][others], column)
        };
        let inside = (0..columns).filter(|column| mask & (1 << column) != 0);
        // Of equal ones the first column comes last.
        whole[mask] = inside.map(last).reduce(|a, b| if b.0 > a.0 { b } else { a }).unwrap_or_default();
    }
    let (mut links, mut mask) = (Vec::new(), whole.len() - 1);
    let score = whole[mask].0;
    while mask != 0 {
        let column = whole[mask].1;
        mask ^= 1 << column;
        for (&field, (sets, best)) in fields.iter().zip(known).filter(|(field, _)| field.0 == column) {
            let parents = &sets[best[mask].1];
            if !parents.is_empty() {
                links.push((field, parents.clone()));
            }
        }
    }
    links.sort_unstable();
    (links, score)
}
