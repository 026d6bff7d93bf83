//! What one more level would do, column by column.
//!
//! For each column that can rise: how many combinations of values would still be rare, how many cells would have to be blanked for them, and
//! what both together would lose. Found by doing it and looking, so it costs as much as a suppression for each column.

use std::sync::Arc;

use serde::Serialize;

use super::shown::Shown;
use super::suppress;
use super::verdict::{blanked_cells, loss};
use super::{Argus, State};

/// What one more level of a column would do.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Suggestion {
    /// The column.
    pub column: String,
    /// The level that it would have.
    pub level: usize,
    /// Tested combinations of values that would still be rare.
    pub rare: u64,
    /// Cells that would have to be blanked for them.
    pub cells: u64,
    /// Prec as a loss, with these cells blanked.
    pub loss: f64,
}

/// Fewest cells left to blank first, then least loss, then the order of the columns; nothing where nothing is rare.
pub(super) fn suggestions(argus: &Argus<'_>) -> Vec<Suggestion> {
    let now = argus.state();
    let mut rare = false;
    argus.shown().each_rare(&argus.tested, argus.k, |_, found| rare |= !found.first.is_empty());
    if !rare {
        return Vec::new();
    }
    let columns = 0..argus.subject.names.len();
    let can_rise = |&column: &usize| now.levels[column] < argus.subject.lattice.range(column).1;
    let mut all: Vec<Suggestion> =
        columns.filter(can_rise).map(|column| raised(argus, now, column)).collect();
    all.sort_by(|a, b| a.cells.cmp(&b.cells).then(a.loss.total_cmp(&b.loss)));
    all
}

fn raised(argus: &Argus<'_>, now: &State, column: usize) -> Suggestion {
    let mut levels = now.levels.clone();
    levels[column] += 1;
    let level = levels[column];
    let state = State { levels, blanked: Arc::clone(&now.blanked), step: String::new() };
    let mut shown = Shown::new(argus.subject, &state);
    let blanked = suppress::blanked(&shown, &argus.tested, argus.k);
    shown.blanked = blanked.of_class;
    let loss = loss(&shown, &blanked_cells(&shown));
    let (rare, cells) = (blanked.rare, blanked.cells);
    Suggestion { column: argus.subject.names[column].clone(), level, rare, cells, loss }
}
