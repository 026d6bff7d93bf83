//! What only the holder may know of a decision: which rows of the input were put together, and the
//! figures of single rows.
//!
//! A line of CSV per set: its number, the rows that have its cells, and its partners. In regions
//! all rows that were put together have the cells, and there are no partners. In sets of their own
//! (`greedy-rows`), the rows of a point have the cells, and the partners are the other rows of the
//! set: Katirai's `items` (2006, figure 12). Where levels were searched, a set is a class of the
//! release. Rows are numbered from 1 in the order of the table; suppressed rows are in no set.
//!
//! Costs eight bytes per row.

use std::fmt::Write;

use super::{Decision, Way};
use crate::error::Result;
use crate::policy::{LossParameters, Policy};
use crate::registry::{LossKind, MODEL_LOSS};
use crate::row_figures::RowFigures;
use crate::search::Problem;

/// Takes a part of a text.
pub type WriteText<'a> = dyn FnMut(&str) -> Result<()> + 'a;

/// The class of a row that was deleted before anything was decided.
pub const DELETED: u32 = u32::MAX;

/// Class → set.
const NO_SET: u32 = u32::MAX;

/// Rows by class.
struct RowsOf {
    rows: Vec<u32>,
    /// Class → where its rows begin; one more at the end.
    starts: Vec<usize>,
}

impl RowsOf {
    fn new(classes: usize, of_row: &[u32]) -> Self {
        let mut starts = vec![0; classes + 1];
        let known = || of_row.iter().enumerate().filter(|(_, class)| (**class as usize) < classes);
        known().for_each(|(_, &class)| starts[class as usize + 1] += 1);
        for class in 0..classes {
            starts[class + 1] += starts[class];
        }
        let mut next = starts.clone();
        let mut rows = vec![0; starts[classes]];
        for (row, &class) in known() {
            rows[next[class as usize]] = row as u32 + 1;
            next[class as usize] += 1;
        }
        RowsOf { rows, starts }
    }

    fn of(&self, class: u32) -> &[u32] {
        &self.rows[self.starts[class as usize]..self.starts[class as usize + 1]]
    }
}

impl Decision {
    /// Writes which rows were put together. `of_row` has the class of every row of the input, in
    /// order ([`RowClasses`](crate::recoding::RowClasses)), or [`DELETED`].
    ///
    /// # Errors
    /// What `write` returns.
    pub fn write_sets(&self, of_row: &[u32], write: &mut WriteText<'_>) -> Result<()> {
        let classes = self.recoded.base().len();
        let rows = RowsOf::new(classes, of_row);
        let mut members: Vec<(u32, u32)> = self.sets().into_iter().zip(0..).collect();
        members.retain(|(set, class)| *set != NO_SET && !rows.of(*class).is_empty());
        members.sort_unstable();
        write("set,rows,partners\n")?;
        let mut line = String::new();
        for (number, set) in members.chunk_by(|a, b| a.0 == b.0).enumerate() {
            let mut own: Vec<u32> = set.iter().flat_map(|(_, class)| rows.of(*class)).copied().collect();
            own.sort_unstable();
            line.clear();
            let _ = write!(line, "{},", number + 1);
            listed(&mut line, &own);
            line.push(',');
            listed(&mut line, &self.partners(set[0].0, own.len(), &rows));
            line.push('\n');
            write(&line)?;
        }
        Ok(())
    }

    /// The figures of single rows: of every loss that is certified and is a mean over rows, with the
    /// same parameters and weights, and of the loss of the policy's model [Katirai 2006, "Proposed
    /// Measure 2"].
    ///
    /// # Errors
    /// Parameters that the loss does not have.
    pub fn row_figures(&self, policy: &Policy, problem: &Problem) -> Result<RowFigures> {
        let asked = policy.search.loss.parameters();
        let (plain, weights) = (vec![1.0; problem.names.len()], policy.weights(&problem.names));
        let defined = |kind: &LossKind| !kind.needs_target() || problem.classes.targets() > 0;
        let losses = LossKind::of_tables().filter(defined).map(|kind| match kind == asked.kind {
            true => (asked, &weights[..]),
            false => (LossParameters::new(kind), &plain[..]),
        });
        let figures = RowFigures::new(&self.recoded, losses)?;
        Ok(match &self.model {
            Some(model) => figures.with(MODEL_LOSS, model.moved.clone()),
            None => figures,
        })
    }

    /// Class → the set that its rows are in.
    fn sets(&self) -> Vec<u32> {
        let classes = 0..self.recoded.base().len();
        let Way::Regions { shares, .. } = &self.way else {
            let look = |class: usize| match self.recoded.suppresses(class) {
                true => NO_SET,
                false => self.recoded.look_of(class) as u32,
            };
            return classes.map(look).collect();
        };
        // Classes that are not suppressed are the shares, in order.
        let mut shares = shares.iter();
        let region = |class: usize| match self.recoded.suppresses(class) {
            true => NO_SET,
            false => shares.next().map_or(NO_SET, |share| share.region),
        };
        classes.map(region).collect()
    }

    /// The rows that a set was put together with: those of its other points, in the order in which
    /// the points joined. The last point gives only the rows that complete k.
    fn partners(&self, set: u32, own: usize, rows: &RowsOf) -> Vec<u32> {
        let Some(sets) = self.own_sets() else { return Vec::new() };
        let others = sets.sets[set as usize].iter().skip(1).flat_map(|&point| rows.of(point));
        others.copied().take((sets.k as usize).saturating_sub(own)).collect()
    }
}

/// Numbers with spaces between them.
fn listed(line: &mut String, rows: &[u32]) {
    for (at, row) in rows.iter().enumerate() {
        let space = if at > 0 { " " } else { "" };
        let _ = write!(line, "{space}{row}");
    }
}
