//! Rows as boxes of numbers, halved again and again by the column in which they spread most: counts
//! those that meet a box without looking at all of them.
//!
//! Costs log² n per row to build, and per box about log n and the rows that meet it where boxes are
//! narrow; at worst all rows.

use super::pace::Pace;
use throng_terms::error::Result;

/// Rows that are compared one by one.
const FEW: usize = 16;

/// Halves of halves of some rows, each with the least box around its rows.
pub(super) enum Half {
    Rows(Vec<u32>, Bounds),
    Halves(Box<[Half; 2]>, Bounds),
}

/// Per column from where and to where; and rows.
pub(super) struct Bounds {
    columns: Vec<(u32, u32)>,
    count: u64,
}

impl Half {
    /// Of rows, each a box with a count.
    pub(super) fn new(
        rows: &mut [u32],
        column: &dyn Fn(u32, usize) -> (u32, u32),
        (width, counts): (usize, &[u64]),
        pace: &Pace<'_>,
    ) -> Result<Self> {
        pace.steps((rows.len() * width) as u64)?;
        let of_column = |at: usize| {
            let spans = rows.iter().map(|&row| column(row, at));
            spans.fold((u32::MAX, 0), |(from, to), span| (from.min(span.0), to.max(span.1)))
        };
        let columns: Vec<(u32, u32)> = (0..width).map(of_column).collect();
        let count = rows.iter().map(|&row| counts[row as usize]).sum();
        let middle = |row: u32, at: usize| u64::from(column(row, at).0) + u64::from(column(row, at).1);
        let spread = |at: usize| {
            let middles = || rows.iter().map(|&row| middle(row, at));
            middles().max().unwrap_or(0) - middles().min().unwrap_or(0)
        };
        let bounds = Bounds { columns, count };
        let widest = (0..width).max_by_key(|&at| spread(at)).filter(|&at| spread(at) > 0);
        let Some(widest) = widest.filter(|_| rows.len() > FEW) else {
            return Ok(Half::Rows(rows.to_vec(), bounds));
        };
        rows.sort_unstable_by_key(|&row| (middle(row, widest), row));
        let (left, right) = rows.split_at_mut(rows.len() / 2);
        let half = |rows| Half::new(rows, column, (width, counts), pace);
        Ok(Half::Halves(Box::new([half(left)?, half(right)?]), bounds))
    }

    fn bounds(&self) -> &Bounds {
        match self {
            Half::Rows(_, bounds) | Half::Halves(_, bounds) => bounds,
        }
    }

    /// Adds the rows that match and whose box meets another; ends at a limit.
    pub(super) fn count(
        &self,
        around: &[(u32, u32)],
        matches: &dyn Fn(u32) -> Option<u64>,
        full: bool,
        sum: &mut u64,
        limit: u64,
    ) {
        let Bounds { columns, count } = self.bounds();
        let pairs = || columns.iter().zip(around);
        if *sum >= limit || pairs().any(|(own, other)| own.0 >= other.1 || other.0 >= own.1) {
            return;
        }
        if full && pairs().all(|(own, other)| other.0 <= own.0 && own.1 <= other.1) {
            *sum += count;
            return;
        }
        match self {
            Half::Rows(rows, _) => *sum += rows.iter().filter_map(|&row| matches(row)).sum::<u64>(),
            Half::Halves(halves, _) => {
                halves.iter().for_each(|half| half.count(around, matches, full, sum, limit));
            }
        }
    }
}
