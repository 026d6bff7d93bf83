//! How far an assessment is, and whether to stop it.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Fault, Kind};

/// Whom to tell, and whom to ask whether to go on.
pub struct Watch<'a> {
    /// Called after every set of columns with the sets done, of so many.
    pub progress: &'a (dyn Fn(Stage, u64, u64) + Sync),
    /// Whether to stop.
    pub cancelled: &'a (dyn Fn() -> bool + Sync),
}

/// What is being counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Unique rows of sets of columns.
    Combinations,
    /// Minimal sample uniques.
    Special,
}

pub(super) fn stopped() -> Error {
    Fault::new(Kind::Unsolvable, "stopped").into()
}

/// Counts sets of columns over all threads.
pub(super) struct Told<'a> {
    watch: &'a Watch<'a>,
    stage: Stage,
    done: AtomicU64,
    all: u64,
}

impl<'a> Told<'a> {
    pub fn new(watch: &'a Watch<'a>, stage: Stage, all: u64) -> Self {
        Told { watch, stage, done: AtomicU64::new(0), all }
    }

    /// One more is done.
    pub fn one(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        (self.watch.progress)(self.stage, done, self.all);
    }
}
