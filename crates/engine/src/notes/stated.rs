//! States for the verifier which released row each row of the original became: the table is
//! rewritten again, batch by batch, beside its original cells. It is a hint that the verifier
//! checks; nothing is kept with a release.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef};
use arrow::compute::take;
use arrow::datatypes::{Field, Schema};
use arrow::record_batch::{RecordBatch, RecordBatchOptions};
use throng::error::{Fault, Result};
use throng::recoding::RowCounter;
use throng::rows::{Batch, Made, Rows};
use throng::verify::Notes;
use throng::watch::Watch;

use crate::rewrite::Rewriting;
use crate::table::TextBatch;
use crate::transform::Transform;
use crate::{Engine, Source};

/// The released rows of a table, each with its original.
pub(crate) struct StatedTable<'a> {
    engine: &'a Engine,
    source: &'a Source,
    rewriting: Rewriting<'a>,
    /// The original columns that are read, then those of the release.
    columns: Vec<String>,
}

impl<'a> StatedTable<'a> {
    /// What a transformation makes of its table.
    ///
    /// # Errors
    /// What cannot be opened.
    pub(crate) fn new(engine: &'a Engine, job: &Transform<'a>) -> Result<Self> {
        let rewriting = Rewriting::new(engine, job)?;
        let columns = rewriting.scanned.iter().chain(&rewriting.released).cloned().collect();
        Ok(StatedTable { engine, source: job.source, rewriting, columns })
    }

    /// The statement, as the verifier takes it.
    pub(crate) fn notes(&self) -> Notes<'_> {
        Notes::Stated { rows: self, originals: self.originals() }
    }

    /// The number of original columns.
    fn originals(&self) -> usize {
        self.rewriting.scanned.len()
    }

    /// Some columns of the rows of a batch that are released.
    fn stated(&self, batch: RecordBatch, columns: &[usize], counter: &mut RowCounter) -> Result<TextBatch> {
        let (batch, kept, rewritten) = self.rewriting.rewritten(batch, counter)?;
        let array = |&column: &usize| match column.checked_sub(self.originals()) {
            Some(released) => self.rewriting.text(released, rewritten.column(released)),
            None => match &kept {
                Some(kept) => {
                    take(batch.column(column), kept, None).map_err(|e| Fault::bug(e.to_string()).into())
                }
                None => Ok(Arc::clone(batch.column(column))),
            },
        };
        let arrays = columns.iter().map(array).collect::<Result<Vec<ArrayRef>>>()?;
        let names: Vec<String> = columns.iter().map(|&column| self.columns[column].clone()).collect();
        let field = |(name, array): (&String, &ArrayRef)| Field::new(name, array.data_type().clone(), true);
        let schema = Schema::new(names.iter().zip(&arrays).map(field).collect::<Vec<_>>());
        let options = RecordBatchOptions::new().with_row_count(Some(rewritten.num_rows()));
        let stated = RecordBatch::try_new_with_options(Arc::new(schema), arrays, &options);
        TextBatch::new(&stated.map_err(|e| Fault::bug(e.to_string()))?, &names)
    }
}

impl Rows for StatedTable<'_> {
    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn read(
        &self,
        columns: &[usize],
        watch: &Watch,
        each: &mut dyn FnMut(&dyn Batch) -> Result<()>,
    ) -> Result<()> {
        let mut counter = RowCounter::default();
        self.engine.scan_map(self.source, &self.rewriting.scanned, watch, Ok, |batches: Vec<RecordBatch>| {
            batches.into_iter().try_for_each(|batch| each(&self.stated(batch, columns, &mut counter)?))
        })
    }

    fn read_made(
        &self,
        columns: &[usize],
        watch: &Watch,
        make: &(dyn Fn(&dyn Batch) -> Result<Made> + Sync),
        each: &mut dyn FnMut(Made) -> Result<()>,
    ) -> Result<()> {
        if self.rewriting.in_order() {
            return self.read(columns, watch, &mut |batch| each(make(batch)?));
        }
        let made = |batch: RecordBatch| make(&self.stated(batch, columns, &mut RowCounter::default())?);
        let map = |batches: Vec<RecordBatch>| batches.into_iter().map(made).collect::<Result<Vec<_>>>();
        self.engine.scan_map(self.source, &self.rewriting.scanned, watch, map, |made| {
            made.into_iter().try_for_each(&mut *each)
        })
    }

    fn fingerprint(&self, watch: &Watch) -> Result<String> {
        self.source.published(watch)
    }
}
