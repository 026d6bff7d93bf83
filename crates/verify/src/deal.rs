//! The rows of an original, dealt to the released classes that a hint assigns to their tuples.
//!
//! The tuples of the hint are the first classes of the original, so that a row is looked up once
//! and dealt by the number of its class. Rows of a tuple that is in one class are dealt together,
//! when all were read. Costs 32 bytes per tuple, and 48 per row of a tuple that is in several
//! classes.

use super::classes::{Classes, Tally, Tuples, UNKNOWN};

/// The class of rows that are suppressed.
pub(super) const HELD: u32 = u32::MAX - 1;

/// The claimed released class of the rows of every tuple of the original.
#[derive(Debug)]
pub(super) struct Deal {
    /// In numbers of the original's texts; they are among its classes until all rows were read.
    pub(super) tuples: Tuples,
    /// Tuple → its first share; one more at the end.
    pub(super) first: Vec<u32>,
    pub(super) shares: Vec<Dealt>,
    /// Rows of tuples with several shares: tuple, content, and the row.
    waiting: Vec<(u32, u64, Tally)>,
    /// Rows without an assignment.
    pub(super) beyond: u64,
    /// Rows that are assigned behind other tuples, where nobody looks for them.
    pub(super) stray: u64,
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
    pub(super) fn new() -> Self {
        Deal {
            tuples: Tuples::new(0),
            first: vec![0],
            shares: Vec::new(),
            waiting: Vec::new(),
            beyond: 0,
            stray: 0,
        }
    }

    /// Says that the next rows of a tuple are in a class; all shares of a tuple come one after the
    /// other.
    pub(super) fn say(&mut self, tuple: usize, rows: u64, class: u32) {
        if tuple + 1 == self.first.len() {
            self.first.push(self.shares.len() as u32);
        }
        if tuple + 2 == self.first.len() {
            self.shares.push(Dealt { tuple: tuple as u32, class, rows, tally: Tally::default() });
            self.first[tuple + 1] = self.shares.len() as u32;
        } else {
            self.stray += rows;
        }
    }

    /// Tuples with an assignment.
    fn len(&self) -> usize {
        self.first.len() - 1
    }

    /// Whether rows of one tuple are in several classes.
    pub(super) fn divides(&self) -> bool {
        self.shares.len() > self.len()
    }

    /// The shares of a tuple.
    fn of(&self, tuple: usize) -> std::ops::Range<usize> {
        self.first[tuple] as usize..self.first[tuple + 1] as usize
    }

    /// The released class of the rows of a class of the original, if they are in one.
    pub(super) fn place(&self, class: usize) -> u32 {
        match self.shares.get(*self.first.get(class).unwrap_or(&UNKNOWN) as usize) {
            Some(share) if class < self.len() && share.class != HELD => share.class,
            _ => UNKNOWN,
        }
    }

    /// Keeps a row whose tuple has several shares: its content decides when all were read.
    pub(super) fn row(&mut self, class: u32, content: u64, hash: [u64; 2]) {
        if (class as usize) < self.len() && self.of(class as usize).len() > 1 {
            self.waiting.push((class, content, Tally::of(hash)));
        }
    }

    /// Deals the rows of all tuples: those that wait in the order of their content. Rows of equal
    /// content are alike.
    pub(super) fn settle(&mut self, classes: &Classes) {
        for tuple in 0..self.len() {
            let of = self.of(tuple);
            if let [share] = &mut self.shares[of] {
                share.tally = classes.tally(tuple);
                let beyond = share.tally.rows.saturating_sub(share.rows);
                share.tally.rows -= beyond;
                self.beyond += beyond;
            }
        }
        self.beyond += (self.len()..classes.len()).map(|class| classes.tally(class).rows).sum::<u64>();
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.sort_unstable_by_key(|&(tuple, content, _)| (tuple, content));
        let mut at = 0;
        for (tuple, _, row) in waiting {
            let of = self.of(tuple as usize);
            at = at.max(of.start);
            while at < of.end && self.shares[at].tally.rows >= self.shares[at].rows {
                at += 1;
            }
            match self.shares.get_mut(at).filter(|_| at < of.end) {
                Some(share) => share.tally.add(row),
                None => self.beyond += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Rows of a tuple fill its shares in the order of their content; what has no room, or no
        /// tuple, is beyond.
        #[test]
        fn rows_fill_the_shares_of_their_tuple(
            shares in prop::collection::vec((0u32..4, 1u64..4, 0u32..3), 0..12),
            rows in prop::collection::vec((0u32..5, 0u64..3, any::<[u64; 2]>()), 0..30),
        ) {
            let mut shares = shares;
            shares.sort_by_key(|share| share.0);
            let (mut classes, mut deal) = (Classes::new(1), Deal::new());
            for &(tuple, count, class) in &shares {
                let mut found = Vec::new();
                classes.known(&[tuple], 1, &mut found);
                deal.say(found[0] as usize, count, class);
            }
            for &(tuple, content, hash) in &rows {
                let class = classes.row(&[tuple], hash);
                deal.row(class as u32, content, hash);
            }
            deal.settle(&classes);
            let mut left = rows.clone();
            left.sort_by_key(|row| (row.0, row.1));
            for (share, &(tuple, count, class)) in deal.shares.iter().zip(&shares) {
                let taken: Vec<_> = left.iter().filter(|row| row.0 == tuple).take(count as usize).copied().collect();
                let at = left.iter().position(|row| row.0 == tuple).unwrap_or(0);
                left.drain(at..at + taken.len());
                prop_assert_eq!((share.rows, share.class, share.tally.rows), (count, class, taken.len() as u64));
                // Rows beyond a share are a fault, whatever else is found.
                let alone = shares.iter().filter(|other| other.0 == tuple).count() == 1;
                let full = rows.iter().filter(|row| row.0 == tuple).count() as u64 > count;
                // Rows of equal content are alike in a table: here only their number is known.
                let of = |list: &[(u32, u64, [u64; 2])], content: u64| {
                    list.iter().filter(|row| (row.0, row.1) == (tuple, content)).count()
                };
                let tied = taken.iter().any(|row| of(&rows, row.1) != of(&taken, row.1));
                if !(tied || alone && full) {
                    let mut tally = Tally::default();
                    taken.iter().for_each(|row| tally.add(Tally::of(row.2)));
                    prop_assert_eq!(share.tally, tally);
                }
            }
            prop_assert_eq!((deal.beyond, deal.stray), (left.len() as u64, 0));
            prop_assert_eq!(deal.divides(), shares.windows(2).any(|pair| pair[0].0 == pair[1].0));
        }
    }

    /// Entries of a tuple that are not side by side.
    #[test]
    fn strays_are_counted() {
        let mut deal = Deal::new();
        [(0, 2), (1, 3), (0, 4)].into_iter().for_each(|(tuple, rows)| deal.say(tuple, rows, 0));
        assert_eq!((deal.shares.len(), deal.stray), (2, 4));
    }
}
