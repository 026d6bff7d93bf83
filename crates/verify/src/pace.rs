//! Progress and cancellation within the verifier: counts cheap operations, and from time to time
//! reports how many rows were read and asks whether to go on.
//!
//! Costs a subtraction per operation.

use std::cell::Cell;

use throng_terms::error::Result;
use throng_terms::watch::{Stage, Watch};

/// Cheap operations, such as a look-up, between two questions.
const STRIDE: u64 = 1 << 15;

/// What a stage of the verifier calls while it works. Every thread has its own.
#[derive(Debug)]
pub(super) struct Pace<'a> {
    watch: &'a Watch,
    /// Rows read so far; none where nothing is reported.
    rows: Option<u64>,
    left: Cell<u64>,
}

impl<'a> Pace<'a> {
    /// For a verification that has read `rows` rows.
    pub(super) fn new(watch: &'a Watch, rows: u64) -> Self {
        Pace { watch, rows: Some(rows), left: Cell::new(STRIDE) }
    }

    /// What other threads can make their own from.
    pub(super) fn shared(&self) -> SharedPace<'a> {
        SharedPace { watch: self.watch, rows: self.rows }
    }

    /// One more cheap operation.
    ///
    /// # Errors
    /// [`Kind::Cancelled`](throng_terms::error::Kind::Cancelled) when asked to stop.
    #[inline]
    pub(super) fn step(&self) -> Result<()> {
        self.steps(1)
    }

    /// Adds a number of cheap operations.
    ///
    /// # Errors
    /// As [`Pace::step`].
    #[inline]
    pub(super) fn steps(&self, steps: u64) -> Result<()> {
        match self.left.get().checked_sub(steps) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => self.look(),
        }
    }

    /// Reports and asks at once: for the beginning of a stage.
    ///
    /// # Errors
    /// As [`Pace::step`].
    pub(super) fn look(&self) -> Result<()> {
        self.left.set(STRIDE);
        self.watch.check()?;
        match self.rows {
            Some(rows) => self.watch.done(Stage::Verifying, rows, None),
            None => Ok(()),
        }
    }
}

/// A [`Pace`] that can be handed to other threads.
#[derive(Debug, Clone, Copy)]
pub(super) struct SharedPace<'a> {
    watch: &'a Watch,
    rows: Option<u64>,
}

impl<'a> SharedPace<'a> {
    /// The pace of one of several threads.
    pub(super) fn of_thread(self, thread: usize) -> Pace<'a> {
        Pace { watch: self.watch, rows: self.rows.filter(|_| thread == 0), left: Cell::new(STRIDE) }
    }
}
