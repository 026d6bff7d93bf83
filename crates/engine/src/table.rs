//! Files as a table that releasing and verifying can read: [`Rows`] over a [`Source`].

use std::cell::OnceCell;

use arrow::record_batch::RecordBatch;
use throng::error::Result;
use throng::release::PreparationFacts;
use throng::rows::{Batch, Counted, Keyed, Made, Rows};
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
    /// The same with keys, of columns that were asked for theirs.
    interned: Vec<OnceCell<Cells>>,
}

impl TextBatch {
    /// Of a batch with these columns.
    pub(crate) fn new(batch: &RecordBatch, names: &[String]) -> Result<Self> {
        let cells = batch.columns().iter().zip(names).map(|(array, name)| Cells::new(name, array));
        let cells = cells.collect::<Result<Vec<Cells>>>()?;
        Ok(TextBatch { rows: batch.num_rows(), interned: vec![OnceCell::new(); cells.len()], cells })
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
        let interned = self.interned[column].get_or_init(|| self.cells[column].clone().interned());
        interned.keyed().map(|(keys, values)| Keyed { keys, values })
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

    fn read_made(
        &self,
        columns: &[usize],
        watch: &Watch,
        make: &(dyn Fn(&dyn Batch) -> Result<Made> + Sync),
        each: &mut dyn FnMut(Made) -> Result<()>,
    ) -> Result<()> {
        let names = self.names(columns);
        let made = |batch: &RecordBatch| make(&TextBatch::new(batch, &names)?);
        let map = |batches: Vec<RecordBatch>| batches.iter().map(made).collect::<Result<Vec<_>>>();
        self.engine
            .scan_map(self.source, &names, watch, map, |made| made.into_iter().try_for_each(&mut *each))
    }

    fn fingerprint(&self, watch: &Watch) -> Result<String> {
        self.source.published(watch)
    }

    fn count(&self, columns: &[usize], watch: &Watch) -> Result<Counted> {
        self.engine.count(self.source, &self.names(columns), watch)
    }

    fn preparation(&self) -> Option<&PreparationFacts> {
        self.source.prepared.get()
    }
}
