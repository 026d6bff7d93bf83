//! The effect of suppression on the current table, and after generalizing each column by one more
//! level.
//!
//! Reports the number of rare combinations of values, the number of cells to suppress for them, and
//! the total loss. Computed by trying it, so it costs as much as one suppression per column.

use std::sync::Arc;

use serde::Serialize;

use super::shown::Shown;
use super::suppress;
use super::verdict::{blanked_cells, loss};
use super::{Argus, State};
use crate::error::Result;

/// The effect of suppression.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Outlook {
    /// Tested combinations of values that are rare before it.
    pub rare: u64,
    /// Cells that it would blank.
    pub cells: u64,
    /// Prec as a loss after it.
    pub loss: f64,
}

/// The effect of suppression after one more level of a column.
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

pub(super) fn outlook(argus: &Argus<'_>, state: &State) -> Result<Outlook> {
    let mut shown = Shown::new(argus.subject, state);
    let blanked = suppress::blanked(&shown, &argus.tested, argus.k, &argus.watch)?;
    shown.blanked = blanked.of_class;
    Ok(Outlook { rare: blanked.rare, cells: blanked.cells, loss: loss(&shown, &blanked_cells(&shown)) })
}

/// Least loss first, because all of them end with everything tested safe; then fewest cells, then
/// the order of the columns. Nothing where nothing is rare.
pub(super) fn suggestions(argus: &Argus<'_>) -> Result<Vec<Suggestion>> {
    let now = argus.state();
    let mut rare = false;
    let tested = (&argus.tested[..], argus.k);
    argus.shown().each_rare(tested, &argus.watch, |_, found| rare |= !found.first.is_empty())?;
    if !rare {
        return Ok(Vec::new());
    }
    let columns = 0..argus.subject.names.len();
    let can_rise = |&column: &usize| now.levels[column] < argus.subject.lattice.range(column).1;
    let mut all: Vec<Suggestion> =
        columns.filter(can_rise).map(|column| raised(argus, now, column)).collect::<Result<_>>()?;
    all.sort_by(|a, b| {
        let (a, b) = (&a.outlook, &b.outlook);
        a.loss.total_cmp(&b.loss).then(a.cells.cmp(&b.cells))
    });
    Ok(all)
}

fn raised(argus: &Argus<'_>, now: &State, column: usize) -> Result<Suggestion> {
    let mut levels = now.levels.clone();
    levels[column] += 1;
    let level = levels[column];
    let state = State { levels, blanked: Arc::clone(&now.blanked), step: String::new() };
    let outlook = outlook(argus, &state)?;
    Ok(Suggestion { column: argus.subject.names[column].clone(), level, outlook })
}
