//! The rows of an original, dealt to the released classes that a hint assigns to their tuples.
//!
//! Costs one look-up per distinct tuple, and 48 bytes per row of a tuple that is in several classes.

use super::classes::{Tally, Tuples, UNKNOWN};

/// The class of rows that are suppressed.
pub(super) const HELD: u32 = u32::MAX - 1;

/// The claimed released class of the rows of every tuple of the original.
#[derive(Debug)]
pub(super) struct Deal {
    /// In numbers of the original's texts.
    pub(super) tuples: Tuples,
    /// Tuple → its first share, and the one that is dealt to.
    pub(super) first: Vec<u32>,
    at: Vec<u32>,
    pub(super) shares: Vec<Dealt>,
    /// Rows of tuples with several shares: tuple, content, and the row.
    waiting: Vec<(u32, u64, Tally)>,
    /// Rows without an assignment.
    pub(super) beyond: u64,
}

/// Some rows of a tuple.
#[derive(Debug)]
pub(super) struct Dealt {
    pub(super) tuple: u32,
    /// The released class, [`HELD`] or [`UNKNOWN`].
    pub(super) class: u32,
    /// Rows assigned to it, and rows found.
    pub(super) rows: u64,
    pub(super) tally: Tally,
}

impl Deal {
    pub(super) fn new(width: usize) -> Self {
        Deal {
            tuples: Tuples::new(width),
            first: Vec::new(),
            at: Vec::new(),
            shares: Vec::new(),
            waiting: Vec::new(),
            beyond: 0,
        }
    }

    /// Says that the next rows of a tuple are in a class; all shares of a tuple come one after the
    /// other.
    pub(super) fn say(&mut self, tuple: &[u32], rows: u64, class: Option<Option<usize>>) {
        let class = match class {
            None => HELD,
            Some(class) => class.map_or(UNKNOWN, |class| class as u32),
        };
        let tuple = self.tuples.intern(tuple);
        if tuple == self.first.len() {
            self.first.push(self.shares.len() as u32);
            self.at.push(self.shares.len() as u32);
        }
        self.shares.push(Dealt { tuple: tuple as u32, class, rows, tally: Tally::default() });
    }

    /// Whether rows of one tuple are in several classes.
    pub(super) fn divides(&self) -> bool {
        self.shares.len() > self.first.len()
    }

    /// The number of a tuple, or [`UNKNOWN`].
    pub(super) fn place(&self, tuple: &[u32]) -> u32 {
        self.tuples.get(tuple).map_or(UNKNOWN, |tuple| tuple as u32)
    }

    /// Deals one row of a tuple by its number; if the tuple has several shares, its content decides
    /// when all were read.
    pub(super) fn row(&mut self, tuple: u32, content: u64, row: Tally) {
        if tuple == UNKNOWN {
            self.beyond += 1;
            return;
        }
        let tuple = tuple as usize;
        let first = self.first[tuple] as usize;
        match self.shares.get(first + 1).is_some_and(|share| share.tuple as usize == tuple) {
            true => self.waiting.push((tuple as u32, content, row)),
            false => self.deal(tuple, row),
        }
    }

    /// Deals the rows that wait, in the order of their content. Rows of equal content are alike.
    pub(super) fn settle(&mut self) {
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.sort_unstable_by_key(|&(tuple, content, _)| (tuple, content));
        waiting.into_iter().for_each(|(tuple, _, row)| self.deal(tuple as usize, row));
    }

    /// Deals one row to the next share of its tuple that has room.
    fn deal(&mut self, tuple: usize, row: Tally) {
        let at = &mut self.at[tuple];
        while let Some(share) = self.shares.get_mut(*at as usize).filter(|s| s.tuple as usize == tuple) {
            if share.tally.rows < share.rows {
                share.tally.add(row);
                return;
            }
            *at += 1;
        }
        self.beyond += 1;
    }
}
