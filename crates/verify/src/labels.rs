//! Labels of the original for the verifier: recomputes the classification metric [Iyengar 2002] and
//! the information of columns about the labels.
//!
//! Each distinct tuple of quasi-identifiers is counted again together with its label and
//! generalized like the classes. Memory grows with distinct (tuple, label) pairs; nothing is kept
//! unless the certificate states such a loss.

use super::classes::{Classes, Interner, Tuples};
use super::pace::Pace;
use super::piece::Numbered;
use throng_terms::error::Result;
use throng_terms::policy::{Policy, Role};

/// One target column as it streams by.
#[derive(Debug)]
pub(super) struct Labels {
    /// Its place among the columns of a piece.
    column: usize,
    interner: Interner,
    /// Tuples with the label behind.
    pairs: Classes,
    /// The same of rows that a step released, as they look; with several steps only.
    released: Classes,
    /// The labels of the batch at hand.
    batch: Vec<u32>,
}

impl Labels {
    /// The target columns of a policy; `numbered` gives the place of a column in pieces.
    pub(super) fn of(policy: &Policy, numbered: &mut impl FnMut(&str) -> usize, width: usize) -> Vec<Labels> {
        let targets = policy.with_role(Role::Target).into_iter();
        let labels = |name: &str| Labels {
            column: numbered(name),
            interner: Interner::new(),
            pairs: Classes::new(width + 1),
            released: Classes::new(width + 1),
            batch: Vec::new(),
        };
        targets.map(labels).collect()
    }

    /// Counts the labels of a piece, whose tuples lie end to end.
    pub(super) fn add(&mut self, columns: &[Numbered], tuples: &[u32]) {
        let Labels { column, interner, pairs, batch, .. } = self;
        batch.clear();
        columns[*column].translate(interner, batch);
        let mut pair = Vec::new();
        let width = pairs.tuples.width() - 1;
        for (row, &label) in batch.iter().enumerate() {
            pair.clear();
            pair.extend_from_slice(&tuples[row * width..(row + 1) * width]);
            pair.push(label);
            pairs.row(&pair, [0, 0]);
        }
    }

    /// How often each text of a column meets each label: (text, label) and rows.
    pub(super) fn met(&self, column: usize) -> impl Iterator<Item = ((u32, u32), u64)> + '_ {
        let label = self.pairs.tuples.width() - 1;
        (0..self.pairs.len()).map(move |at| {
            let tuple = self.pairs.tuples.tuple(at);
            ((tuple[column], tuple[label]), self.pairs.tally(at).rows)
        })
    }

    /// Of the classes that stay, the rows that do not have the most frequent label of their class.
    pub(super) fn minority(
        self,
        maps: &[&[u32]],
        classes: &Classes,
        stay: &[u64],
        pace: &Pace<'_>,
    ) -> Result<u64> {
        let change = |pair: &mut [u32]| {
            pair.iter_mut().zip(maps).for_each(|(cell, map)| *cell = map[*cell as usize]);
        };
        let (pairs, _) = self.pairs.regroup(change, |_| true, |_| {}, pace)?;
        let mut most = vec![0; classes.len()];
        for pair in 0..pairs.len() {
            pace.steps(4)?;
            let tuple = &pairs.tuples.tuple(pair)[..maps.len()];
            // Rows suppressed for a missing cell are in no class that stays.
            if let Some(class) = classes.tuples.get(tuple) {
                most[class] = pairs.tally(pair).rows.max(most[class]);
            }
        }
        let stays = stay.iter().zip(&most).filter(|(stay, _)| **stay > 0);
        Ok(stays.map(|(stay, most)| stay - most).sum())
    }

    /// One of several steps: sets the rows aside that it releases. `look` says of a tuple whether
    /// it does and what it then looks like.
    pub(super) fn release(
        &mut self,
        mut look: impl FnMut(&[u32], &mut [u32]) -> bool,
        pace: &Pace<'_>,
    ) -> Result<()> {
        let width = self.pairs.tuples.width() - 1;
        let mut left = Classes::new(width + 1);
        let mut seen = vec![0; width + 1];
        for at in 0..self.pairs.len() {
            pace.steps(4)?;
            let (pair, tally) = (self.pairs.tuples.tuple(at), self.pairs.tally(at));
            if look(&pair[..width], &mut seen[..width]) {
                seen[width] = pair[width];
                self.released.add(&seen, tally);
            } else {
                left.add(pair, tally);
            }
        }
        self.pairs = left;
        Ok(())
    }

    /// Of the rows that steps released, those that do not have the most frequent label of their
    /// class.
    pub(super) fn released_minority(self) -> u64 {
        let width = self.released.tuples.width() - 1;
        let mut looks = Tuples::new(width);
        let mut rows: Vec<(u64, u64)> = Vec::new();
        for at in 0..self.released.len() {
            let count = self.released.tally(at).rows;
            let look = looks.intern(&self.released.tuples.tuple(at)[..width]);
            if look == rows.len() {
                rows.push((0, 0));
            }
            let (all, most) = rows[look];
            rows[look] = (all + count, most.max(count));
        }
        rows.iter().map(|(all, most)| all - most).sum()
    }
}
