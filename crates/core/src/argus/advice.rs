//! What suppressing would come to, as the table is and with one more level of each column.
//!
//! How many combinations of values would be rare, how many cells would have to be blanked for them, and what both together would
//! lose. Found by doing it and looking, so it costs as much as a suppression for each column.

use std::sync::Arc;

use serde::Serialize;

use super::shown::Shown;
use super::suppress;
use super::verdict::{blanked_cells, loss};
use super::{Argus, State};

/// What suppressing would come to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Outlook {
    /// Tested combinations of values that are rare before it.
    pub rare: u64,
    /// Cells that it would blank.
    pub cells: u64,
    /// Prec as a loss after it.
    pub loss: f64,
}

/// What suppressing would come to after one more level of a column.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Suggestion {
    /// The column.
    pub column: String,
    /// The level that it would have.
    pub level: usize,
    /// What that would do.
    #[serde(flatten)]
    pub outlook: Outlook,
}

pub(super) fn outlook(argus: &Argus<'_>, state: &State) -> Outlook {
    let mut shown = Shown::new(argus.subject, state);
    let blanked = suppress::blanked(&shown, &argus.tested, argus.k);
    shown.blanked = blanked.of_class;
    Outlook { rare: blanked.rare, cells: blanked.cells, loss: loss(&shown, &blanked_cells(&shown)) }
}

/// Least loss first, because all of them end with everything tested safe; then fewest cells, then the order of the columns. Nothing
/// where nothing is rare.
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
    all.sort_by(|a, b| {
        let (a, b) = (&a.outlook, &b.outlook);
        a.loss.total_cmp(&b.loss).then(a.cells.cmp(&b.cells))
    });
    all
}

fn raised(argus: &Argus<'_>, now: &State, column: usize) -> Suggestion {
    let mut levels = now.levels.clone();
    levels[column] += 1;
    let level = levels[column];
    let state = State { levels, blanked: Arc::clone(&now.blanked), step: String::new() };
    Suggestion { column: argus.subject.names[column].clone(), level, outlook: outlook(argus, &state) }
}
