//! Columns of numbers that are computed from a quasi-identifier: its logarithm, its square, or its
//! value in another unit.
//!
//! Released unchanged beside the generalized quasi-identifier, such a column would give the exact
//! values away. It is found by counts alone: a function that only grows, or only falls, keeps how
//! often the numbers occur, in their order or reversed. A value without a result, such as the
//! logarithm of 0, is missing and the first or last of the others. Columns of few values or equal
//! counts, as in a balanced experiment, have the same counts by chance and are left alone.
//!
//! Costs a sort of the distinct numbers of columns that have about as many as a quasi-identifier.

use super::counter::Counter;
use super::shape::number;
use super::{ColumnDescription, Known};
use crate::policy::Role;

/// Distinct values below which counts agree by chance.
const VALUES: usize = 8;

/// Different counts below which they do.
const COUNTS: usize = 4;

/// Released columns that seem to be computed from a quasi-identifier, each with that.
pub(super) fn find(
    columns: &[ColumnDescription],
    known: &[Known],
    counters: &[Counter],
) -> Vec<(usize, usize)> {
    let numbers = |i: &usize| known[*i].facts.numeric() && known[*i].facts.exact;
    let role = |i: usize| columns[i].role;
    let sources: Vec<usize> =
        (0..columns.len()).filter(|&i| role(i) == Role::Quasi).filter(numbers).collect();
    let unchanged = |&i: &usize| role(i).released() && !matches!(role(i), Role::Quasi | Role::Weight);
    let mut found = Vec::new();
    for i in (0..columns.len()).filter(unchanged).filter(numbers) {
        let near = |&&source: &&usize| known[source].facts.distinct.abs_diff(known[i].facts.distinct) <= 1;
        let mut near = sources.iter().filter(near).peekable();
        if near.peek().is_none() {
            continue;
        }
        let counts = Counts::of(&counters[i]);
        found.extend(near.find(|&&source| counts.same(&Counts::of(&counters[source]))).map(|&s| (i, s)));
    }
    found
}

/// Why such a column is a quasi-identifier.
pub(super) fn reason(source: &str) -> String {
    format!(
        "Its values occur as often as those of `{source}`, in the same order, so it seems to be computed from that. \
         Unchanged, it would give them away."
    )
}

/// How often each number of a column occurs, in the order of the numbers.
struct Counts {
    cells: Vec<u64>,
    missing: u64,
}

impl Counts {
    fn of(counter: &Counter) -> Self {
        let values = counter.sample.iter().filter_map(|seen| Some((number(&seen.text)?, seen.count)));
        let mut values: Vec<(f64, u64)> = values.collect();
        values.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        // 1 and 1.0 are one number.
        values.dedup_by(|next, first| {
            let same = next.0 == first.0;
            first.1 += if same { next.1 } else { 0 };
            same
        });
        Counts { cells: values.into_iter().map(|(_, cells)| cells).collect(), missing: counter.missing }
    }

    fn same(&self, other: &Counts) -> bool {
        self.distinctive()
            && other.distinctive()
            && self.with_missing().any(|a| {
                other.with_missing().any(|b| a.len() == b.len() && (a == b || a.iter().eq(b.iter().rev())))
            })
    }

    /// The counts as they are, and with the missing cells before or behind them.
    fn with_missing(&self) -> impl Iterator<Item = Vec<u64>> {
        let ends = if self.missing == 0 { 0 } else { 2 };
        (0..=ends).map(|end| match end {
            0 => self.cells.clone(),
            1 => [&[self.missing][..], &self.cells].concat(),
            _ => [&self.cells[..], &[self.missing]].concat(),
        })
    }

    /// Whether equal counts are hardly a coincidence.
    fn distinctive(&self) -> bool {
        let mut different = self.cells.clone();
        different.sort_unstable();
        different.dedup();
        self.cells.len() >= VALUES && different.len() >= COUNTS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(cells: &[u64], missing: u64) -> Counts {
        Counts { cells: cells.to_vec(), missing }
    }

    #[test]
    fn counts_in_order() {
        let age = [1, 4, 9, 7, 5, 5, 2, 1, 1];
        let reversed = [1, 1, 2, 5, 5, 7, 9, 4, 1];
        let other = [1, 4, 9, 7, 5, 5, 1, 2, 1];
        let age = counts(&age, 0);
        assert!(age.same(&counts(&age.cells, 0)) && age.same(&counts(&reversed, 0)));
        assert!(!age.same(&counts(&other, 0)) && !age.same(&counts(&age.cells[..8], 0)));
        assert!(age.same(&counts(&age.cells[1..], 1)), "the logarithm of 0 is missing");
        assert!(!age.same(&counts(&age.cells[1..], 2)));
        assert!(!counts(&[3; 9], 0).same(&counts(&[3; 9], 0)), "a balanced experiment");
    }
}
