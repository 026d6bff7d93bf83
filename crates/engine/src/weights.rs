//! Checks survey weights: a column with role `weight` that contains anything but numbers is
//! rejected before any work.
//!
//! One scan of these columns, and none if there are none.

use throng::error::Result;
use throng::fault;
use throng::policy::{Policy, Role};
use throng::watch::{Stage, Watch};

use crate::Engine;
use crate::cells::Cells;
use crate::source::Source;

impl Engine {
    /// Rejects weights that are not numbers, or below 0. A missing weight is allowed.
    ///
    /// # Errors
    /// The first cell that is no weight, and what cannot be read.
    pub(crate) fn check_weights(&self, source: &Source, policy: &Policy, watch: &Watch) -> Result<()> {
        let names: Vec<String> = policy.with_role(Role::Weight).into_iter().map(String::from).collect();
        if names.is_empty() {
            return Ok(());
        }
        let mut before = 0;
        self.scan(source, &names, watch, |batch| {
            for (name, array) in names.iter().zip(batch.columns()) {
                let cells = Cells::new(name, array)?;
                for row in 0..cells.len() {
                    if let Some(cell) = cells.get(row).filter(|cell| !is_weight(cell)) {
                        return Err(fault!(
                            Data,
                            "table.not-a-weight",
                            "`{value}` in row {row} is no weight",
                            value = cell,
                            row = before + row + 1
                        )
                        .file(&source.name)
                        .column(name)
                        .help("a weight is a number from 0; give the column role = \"keep\" if it is none")
                        .into());
                    }
                }
            }
            before += batch.num_rows();
            watch.done(Stage::Reading, before as u64, None)
        })
    }
}

fn is_weight(cell: &str) -> bool {
    cell.trim().parse::<f64>().is_ok_and(|weight| weight.is_finite() && weight >= 0.0)
}
