//! Columns, other than quasi-identifiers, whose values become others: sensitive columns that are
//! released at a level of their hierarchy, where every value becomes its label, and columns with
//! deleted cells. Costs one look-up per cell. Labels are written as plain text, because the keys of
//! a dictionary would distinguish values that share a label.

use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray};
use throng::error::{Fault, Result};
use throng::search;
use throng::table::{Code, Dictionary};

use crate::cells::Cells;

/// The columns with their values and what these become.
pub struct Leveled {
    columns: Vec<(search::Leveled, Dictionary)>,
}

impl Leveled {
    /// Of columns among those that were measured, each with its values.
    pub(crate) fn new(
        columns: Vec<search::Leveled>,
        (measured, dictionaries): (&[String], &[Dictionary]),
    ) -> Result<Self> {
        let with_values = |column: search::Leveled| {
            let at = measured.iter().position(|name| *name == column.name);
            let values = at.and_then(|at| dictionaries.get(at)).cloned();
            values.map(|values| (column, values)).ok_or_else(|| Fault::bug("a level without values").into())
        };
        Ok(Leveled { columns: columns.into_iter().map(with_values).collect::<Result<_>>()? })
    }

    fn get(&self, name: &str) -> Option<&(search::Leveled, Dictionary)> {
        self.columns.iter().find(|(column, _)| column.name == name)
    }

    /// Whether values of a column become others.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// The labels of a column's cells.
    pub(crate) fn replace(&self, name: &str, array: &ArrayRef) -> Result<ArrayRef> {
        let Some((column, values)) = self.get(name) else {
            return Err(Fault::bug(format!("`{name}` has no level")).into());
        };
        let mut codes: Vec<Code> = Vec::new();
        Cells::new(name, array)?.look_up(name, values, &mut codes)?;
        let labels = codes.iter().map(|&code| column.labels[code as usize].as_deref());
        Ok(Arc::new(labels.collect::<StringArray>()))
    }
}
