//! Rows that are left out because they have a rare value. `throng::deletion` decides which values
//! are rare. Costs one look-up per cell of the columns that have such values.

use std::collections::BTreeMap;

use arrow::array::BooleanArray;
use arrow::compute::filter_record_batch;
use arrow::record_batch::RecordBatch;
use rustc_hash::FxHashSet;
use throng::deletion::Deletion;
use throng::error::{Fault, Result};

use crate::cells::Cells;

/// The rows of batches that are not deleted.
pub(crate) struct RowsLeft<'a> {
    /// Columns of a batch by place and name, with the values whose rows are deleted.
    columns: Vec<(usize, &'a str, &'a FxHashSet<String>)>,
}

impl<'a> RowsLeft<'a> {
    /// For batches of some columns.
    pub(crate) fn new(deletion: Option<&'a Deletion>, names: &[String]) -> Result<Self> {
        let values: Option<&'a BTreeMap<String, FxHashSet<String>>> = deletion.map(Deletion::row_values);
        let column = |(name, values): (&'a String, &'a FxHashSet<String>)| -> Result<_> {
            let place = names.iter().position(|other| other == name);
            let place = place.ok_or_else(|| Fault::bug("a column with deleted rows is not released"))?;
            Ok((place, name.as_str(), values))
        };
        Ok(RowsLeft { columns: values.into_iter().flatten().map(column).collect::<Result<_>>()? })
    }

    /// The rows of a batch that are left, and which these are where some may be deleted.
    pub(crate) fn filter(&self, batch: RecordBatch) -> Result<(RecordBatch, Option<Vec<bool>>)> {
        if self.columns.is_empty() {
            return Ok((batch, None));
        }
        let mut left = vec![true; batch.num_rows()];
        for (place, name, values) in &self.columns {
            let mut row = left.iter_mut();
            Cells::new(name, batch.column(*place))?.each(&mut |cell| {
                if let Some(left) = row.next() {
                    *left &= !cell.is_some_and(|cell| values.contains(cell));
                }
            });
        }
        let batch = filter_record_batch(&batch, &BooleanArray::from(left.clone()));
        Ok((batch.map_err(|e| Fault::bug(e.to_string()))?, Some(left)))
    }
}
