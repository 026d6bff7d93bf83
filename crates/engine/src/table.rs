//! Files as a table that releasing and verifying can read: [`Rows`] over a [`Source`].

use arrow::array::ArrayRef;
use arrow::record_batch::RecordBatch;
use throng::error::Result;
use throng::release::PreparationFacts;
use throng::rows::{Batch, Counted, Keyed, Rows};
use throng::watch::Watch;

use crate::Engine;
use crate::cells::Cells;
use crate::source::Source;

/// A table in files.
pub struct FileTable<'a> {
    engine: &'a Engine,
    source: &'a Source,
    columns: Vec<String>,
}

impl<'a> FileTable<'a> {
    /// Of files that were found.
    ///
    /// # Errors
    /// When they cannot be opened.
    pub fn new(engine: &'a Engine, source: &'a Source) -> Result<Self> {
        Ok(FileTable { engine, source, columns: engine.columns(source)? })
    }

    fn names(&self, columns: &[usize]) -> Vec<String> {
        columns.iter().map(|&column| self.columns[column].clone()).collect()
    }
}

/// A batch as text.
pub(crate) struct TextBatch {
    rows: usize,
    cells: Vec<Cells>,
}

impl TextBatch {
    /// Of a batch with these columns.
    pub(crate) fn new(batch: &RecordBatch, names: &[String]) -> Result<Self> {
        let interned = |(array, name): (&ArrayRef, &String)| Cells::new(name, array).map(Cells::interned);
        let cells = batch.columns().iter().zip(names).map(interned);
        Ok(TextBatch { rows: batch.num_rows(), cells: cells.collect::<Result<_>>()? })
    }
}

impl Batch for TextBatch {
    fn rows(&self) -> usize {
        self.rows
    }

    fn each(&self, column: usize, take: &mut dyn FnMut(Option<&str>)) {
        self.cells[column].each(take);
    }

    fn keyed(&self, column: usize) -> Option<Keyed<'_>> {
        self.cells[column].keyed().map(|(keys, values)| Keyed { keys, values })
    }
}

impl Rows for FileTable<'_> {
    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn read(
        &self,
        columns: &[usize],
        watch: &Watch,
        each: &mut dyn FnMut(&dyn Batch) -> Result<()>,
    ) -> Result<()> {
        let names = self.names(columns);
        let text = |batch: &RecordBatch| TextBatch::new(batch, &names);
        let map = |batches: Vec<RecordBatch>| batches.iter().map(text).collect::<Result<Vec<_>>>();
        self.engine.scan_map(self.source, &names, watch, map, |batches| {
            batches.iter().try_for_each(|batch| each(batch))
        })
    }

    fn fingerprint(&self, watch: &Watch) -> Result<String> {
        Ok(self.source.digests(watch)?.published.clone())
    }

    fn count(&self, columns: &[usize], watch: &Watch) -> Result<Counted> {
        self.engine.count(self.source, &self.names(columns), watch)
    }

    fn preparation(&self) -> Option<&PreparationFacts> {
        self.source.prepared.get()
    }
}
