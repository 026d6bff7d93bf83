//! From the rows of files to the rows of a table: eligible rows, lists of codes, cleaned cells.
//!
//! A [`Preparation`] is what a policy's `input` asks for, bound to the columns of its files. It is
//! done batch by batch while a table is read, so nothing is copied, and everything that reads the
//! table sees the same rows. A [`Run`] counts what one pass changes; sums do not depend on which
//! thread has which batch.
//!
//! The order is fixed: rows of joined files find their row, cells that are not written plainly
//! (`input.cells`) are read, rows that do not satisfy `input.where` are left out, new columns are
//! added, and steps follow in the order of the policy.

mod joined;
mod list;
mod plan;
mod rows;
mod run;
#[cfg(test)]
mod tests;

pub use joined::{JoinedFile, KeyedFile};
pub use rows::PreparedTable;
pub use run::{Change, Outcome, Run, unreadable_cell};

use std::collections::BTreeSet;

use crate::error::{Fault, Result};
use crate::policy::{Input, Unmatched};
use crate::reading::CellReader;

use plan::Plan;

/// A column of a batch.
pub trait CellSource {
    /// A cell; none where it is missing.
    fn get(&self, row: usize) -> Option<&str>;
}

/// What is done to the rows of files.
#[derive(Debug)]
pub struct Preparation {
    plan: Plan,
    columns: Vec<String>,
    joined: Vec<JoinedFile>,
    keyed: Vec<KeyedFile>,
    /// Of the policy, for results.
    condition: Option<String>,
    joins: Vec<(String, String, Unmatched)>,
    steps: Vec<String>,
}

/// What becomes of a column of the files, or where a column comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A column of the files as it is, or with cells cleared.
    Filed {
        /// Its place.
        place: usize,
        /// Whether cells may be missing that are there in the files.
        cleared: bool,
    },
    /// Text that a step wrote.
    Written,
}

impl Preparation {
    /// Binds what a policy asks for to the columns of its files. `joined` has the files of
    /// `input.join`, `keyed` those of steps `present_in`, both in the policy's order.
    ///
    /// # Errors
    /// Columns that are not there, and new ones that are there already.
    pub fn new(
        input: &Input,
        columns: &[String],
        joined: Vec<JoinedFile>,
        keyed: Vec<KeyedFile>,
    ) -> Result<Self> {
        let plan = Plan::new(input, columns)?;
        let present = input.prepare.iter().filter(|step| step.present_in.is_some()).count();
        if joined.len() != input.join.len() || keyed.len() != present {
            return Err(Fault::bug("a file that is joined was not read").into());
        }
        let joins = input.join.iter();
        let joins = joins.map(|join| (join.column.clone(), join.path.clone(), join.unmatched));
        Ok(Preparation {
            columns: plan.columns.iter().map(|column| column.name.clone()).collect(),
            plan,
            joined,
            keyed,
            condition: input.eligible.clone(),
            joins: joins.collect(),
            steps: input.prepared_steps(),
        })
    }

    /// The columns of the prepared table.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Where a column of the prepared table comes from.
    pub fn origin(&self, column: usize) -> Origin {
        let slot = self.plan.columns[column].slot;
        match self.plan.texts.contains(&slot) {
            true => Origin::Written,
            false => Origin::Filed { place: slot, cleared: self.plan.cleared.contains(&slot) },
        }
    }

    /// The columns of the files that must be read for some columns of the prepared table, by their
    /// places, in order.
    pub fn needs(&self, columns: &[usize]) -> Vec<usize> {
        let mut needs: BTreeSet<usize> = self.plan.needs.clone();
        let slots = columns.iter().map(|&column| self.plan.columns[column].slot);
        needs.extend(slots.filter(|slot| *slot < self.plan.filed));
        needs.into_iter().collect()
    }

    /// What reads the cells of a column of the files that are not written plainly.
    pub fn reader(&self, column: &str) -> Option<&CellReader> {
        self.plan.actions.iter().find_map(|(action, _)| match action {
            plan::Action::Read { reader, column: name, .. } if name == column => Some(reader),
            _ => None,
        })
    }

    /// Begins a pass over the files.
    pub fn run(&self) -> Run<'_> {
        Run::new(self)
    }
}
