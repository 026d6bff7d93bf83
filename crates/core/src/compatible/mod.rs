//! Counts the rows that are compatible with a tuple: they agree wherever both have a value.
//!
//! Compatibility is not an equivalence: (1, ?) and (?, 2) both match (1, 2) and need not match each
//! other's matches, so counts cannot come from one grouping. Tuples that ask and tuples that have
//! rows are split together, column by column (`join.rs`): those with a value meet those with the
//! same value and those without one, and tuples without a value meet all. A part ends in one of two
//! ways. Few pairs are compared, one operation per word, because a tuple's cells are bit fields
//! (`items.rs`). Where the columns that remain have few combinations of values, the rows of all of
//! them are summed in an array with a cell for each (`sums.rs`).
//!
//! Where a count need not be exact from a limit on, a few tuples that are spread over all are
//! compared first: tuples that most match are done then. Where it only matters whether a count
//! reaches the limit, parts with too few rows are done at once, and counting ends when too many
//! rows are below the limit; rare values come first, because they are.
//!
//! **Cost.** n log n to sort n tuples. For every part of a split, the least of three estimates: its
//! pairs; the combinations of its remaining columns; or a further split, which copies the tuples
//! that match its prefix. Splits are as many as the prefixes that ask, so that the cost grows with n
//! times the share of tuples that match a prefix of about n values. Parts are counted in parallel;
//! what is below the limit does not depend on it.

mod items;
mod join;
mod patterns;
mod sums;

use crate::table::Code;
use items::Layout;
use join::Join;

/// The code of a cell that is not there.
pub const ABSENT: Code = Code::MAX;

/// Tuples with rows, and how exactly to count.
pub struct Tuples<'a> {
    /// Column → tuple → code, or [`ABSENT`].
    pub columns: &'a [Vec<Code>],
    /// Tuple → its rows. Tuples without rows ask for nothing.
    pub rows: &'a [u64],
    /// A count that reaches this need not be exact.
    pub enough: u64,
    /// Whether to give up; counts are then too small.
    pub stopped: &'a (dyn Fn() -> bool + Sync),
}

/// Which counts are wanted.
#[derive(Clone, Copy)]
struct Wanted<'a> {
    /// The tuples that ask; all if there is none.
    asked: Option<&'a [u32]>,
    /// Whether counts below the limit are exact.
    exact: bool,
    /// Counting ends once more rows than this are below the limit.
    most: u64,
}

impl Tuples<'_> {
    /// For each tuple the rows that are compatible with it, its own included; 0 for a tuple without
    /// rows.
    pub fn matches(&self) -> Vec<u64> {
        self.counts(Wanted { asked: None, exact: true, most: u64::MAX }).0
    }

    /// The tuples that fewer rows than the limit are compatible with, ascending, among those that
    /// ask; none where they have more than `most` rows. All ask if `asked` is none.
    pub fn below(&self, asked: Option<&[u32]>, most: u64) -> Option<Vec<u32>> {
        let (counts, failed) = self.counts(Wanted { asked, exact: false, most });
        if failed > most {
            return None;
        }
        let below = |id: &u32| self.rows[*id as usize] > 0 && counts[*id as usize] < self.enough;
        Some(match asked {
            Some(asked) => asked.iter().copied().filter(below).collect(),
            None => (0..counts.len() as u32).filter(below).collect(),
        })
    }

    /// The counts, and the rows of tuples that were found to be below the limit.
    fn counts(&self, wanted: Wanted<'_>) -> (Vec<u64>, u64) {
        let layout = Layout::new(self.columns, self.rows);
        match layout.words() {
            0 | 1 => Join::<1>::new(self, &layout, wanted).counts(),
            2 => Join::<2>::new(self, &layout, wanted).counts(),
            3..=4 => Join::<4>::new(self, &layout, wanted).counts(),
            5..=16 => Join::<16>::new(self, &layout, wanted).counts(),
            _ => Join::<64>::new(self, &layout, wanted).counts(),
        }
    }
}
