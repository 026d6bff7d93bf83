//! Uniqueness of combinations of columns ([Sweeney 1997] for a voter list): the number of unique
//! rows in each set of columns up to a maximum size.
//!
//! The sets of the largest size are grouped from the distinct tuples of all columns; every smaller
//! set is rolled up from the superset with one more column that has the fewest values, because that
//! superset has few classes. Sets of the largest size run in parallel, each with its subsets, so
//! memory is one chain of groupings per thread. Distinction and separation are those of
//! [Motwani 2007].

use rayon::prelude::*;
use serde::Serialize;

use super::grouping::{Columns, Grouping};
use crate::error::Result;
use crate::fault;
use crate::rank::Ranker;
use crate::watch::{Counter, Stage, Watch};

/// The most sets of columns that are listed.
const MOST: u64 = 100_000;

/// The figures of a set of columns.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Combination {
    /// The columns, in the order of the request.
    pub columns: Vec<String>,
    /// Distinct combinations of values.
    pub classes: u64,
    /// Rows that are the only ones with theirs.
    pub unique_rows: u64,
    /// The same by all rows.
    pub unique_share: f64,
    /// Rows of the smallest class.
    pub smallest: u64,
    /// Rows of the class in the middle, when classes stand in order of size; the smaller of two.
    pub median: u64,
    /// Distinct combinations by rows.
    pub distinction: f64,
    /// Pairs of rows that the columns distinguish, over all pairs; 0 if there is no pair.
    pub separation: f64,
}

/// All sets of 1 to `most` columns, and the set of all; the riskiest first.
pub(super) fn combinations(
    columns: &Columns,
    names: &[String],
    most: usize,
    watch: &Watch,
) -> Result<Vec<Combination>> {
    let width = columns.width();
    let most = most.min(width);
    let number = listable(width, most)?;
    let all = columns.all();
    // From few values to many: the column that a set is rolled up over is the first that it lacks.
    let mut order: Vec<usize> = (0..width).collect();
    order.sort_by_key(|&c| (columns.values(c), c));
    let counter = Counter::new(watch, Stage::Combinations, Some(number));
    let walk = Walk { columns, names, order: &order, watch, counter: &counter };
    let largest = sets(width, most);
    let parts: Vec<Result<Vec<Combination>>> = largest
        .par_iter()
        .map_init(Ranker::default, |ranker, set| walk.with_subsets(&all, set, ranker))
        .collect();
    let mut found = Vec::new();
    for part in parts {
        found.extend(part?);
    }
    if most < width {
        found.push(walk.judged(&all)?);
    }
    found.sort_by(|a, b| {
        let size = a.columns.len().cmp(&b.columns.len());
        b.unique_rows
            .cmp(&a.unique_rows)
            .then(b.separation.total_cmp(&a.separation))
            .then(size)
            .then_with(|| position(names, a).cmp(&position(names, b)))
    });
    Ok(found)
}

fn position(names: &[String], combination: &Combination) -> Vec<Option<usize>> {
    combination.columns.iter().map(|c| names.iter().position(|n| n == c)).collect()
}

/// The largest number of columns to combine where the user does not state it: four, or fewer where
/// that many combinations are not listed.
pub fn size_for(width: usize) -> usize {
    (1..=4).rev().find(|&size| listable(width, size).is_ok()).unwrap_or(1)
}

/// The number of sets; more than anybody would read are refused.
pub(super) fn listable(width: usize, most: usize) -> Result<u64> {
    let most = most.min(width);
    let total = (1..=most).fold(0u64, |total, size| total.saturating_add(choose(width, size)));
    if total <= MOST {
        return Ok(total);
    }
    Err(fault!(
        Input,
        "risk.too-many-combinations",
        "{columns} columns have {combinations} combinations of up to {size}",
        columns = width,
        combinations = total,
        size = most
    )
    .key("--max-size")
    .help(format!("give a smaller --max-size or fewer columns: at most {MOST} combinations are listed"))
    .into())
}

/// The number of sets of this many columns; saturates at the maximum.
pub(super) fn choose(width: usize, size: usize) -> u64 {
    let (width, mut number) = (width as u64, 1u64);
    for i in 1..=size as u64 {
        let Some(more) = number.checked_mul((width + 1).saturating_sub(i)) else { return u64::MAX };
        number = more / i;
    }
    number
}

/// All sets of `size` columns, in order.
pub(super) fn sets(width: usize, size: usize) -> Vec<Vec<usize>> {
    let mut found = vec![Vec::new()];
    for _ in 0..size {
        let longer = |set: &Vec<usize>| -> Vec<Vec<usize>> {
            let from = set.last().map_or(0, |&last| last + 1);
            (from..width).map(|next| [&set[..], &[next]].concat()).collect()
        };
        found = found.iter().flat_map(longer).collect();
    }
    found
}

struct Walk<'a> {
    columns: &'a Columns,
    names: &'a [String],
    order: &'a [usize],
    watch: &'a Watch,
    counter: &'a Counter<'a>,
}

impl Walk<'_> {
    /// A set and every smaller one that is rolled up from it.
    fn with_subsets(&self, from: &Grouping, set: &[usize], ranker: &mut Ranker) -> Result<Vec<Combination>> {
        let mut found = Vec::new();
        self.descend(from, set, ranker, &mut found)?;
        Ok(found)
    }

    fn descend(
        &self,
        from: &Grouping,
        set: &[usize],
        ranker: &mut Ranker,
        found: &mut Vec<Combination>,
    ) -> Result<()> {
        self.watch.check()?;
        let grouping = self.columns.roll_up(from, set, ranker);
        found.push(self.judged(&grouping)?);
        self.counter.one()?;
        for &left_out in set.iter().filter(|_| set.len() > 1) {
            let smaller: Vec<usize> = set.iter().copied().filter(|&c| c != left_out).collect();
            if self.order.iter().find(|c| !smaller.contains(c)) == Some(&left_out) {
                self.descend(&grouping, &smaller, ranker, found)?;
            }
        }
        Ok(())
    }

    fn judged(&self, grouping: &Grouping) -> Result<Combination> {
        let mut matches = self.columns.matches(grouping, self.watch)?;
        let rows: u64 = grouping.count.iter().map(|&n| u64::from(n)).sum();
        let unique = matches.iter().filter(|&&n| n == 1).count() as u64;
        let with = |(&count, &size): (&u32, &u64)| u128::from(count) * u128::from(size - 1);
        let alike: u128 = grouping.count.iter().zip(&matches).map(with).sum();
        let pairs = u128::from(rows) * u128::from(rows.saturating_sub(1));
        let middle = matches.len().saturating_sub(1) / 2;
        let median = if matches.is_empty() { 0 } else { *matches.select_nth_unstable(middle).1 };
        let share = |part: u64| if rows == 0 { 0.0 } else { part as f64 / rows as f64 };
        Ok(Combination {
            columns: grouping.columns.iter().map(|&c| self.names[c].clone()).collect(),
            classes: grouping.count.len() as u64,
            unique_rows: unique,
            unique_share: share(unique),
            smallest: matches.iter().copied().min().unwrap_or(0),
            median,
            distinction: share(grouping.count.len() as u64),
            separation: if pairs == 0 { 0.0 } else { (pairs - alike) as f64 / pairs as f64 },
        })
    }
}
