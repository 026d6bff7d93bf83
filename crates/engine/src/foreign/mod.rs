//! Tables in files of other programs as batches of text: workbooks, Stata, SAS and SPSS.
//!
//! Each format has a file with two functions: one finds the columns, one gives the rows in order.
//! Rows are collected into batches that all cores work on, so a table is streamed; only a workbook
//! is held in memory. A file is read once per pass and digested beside it. Decoders may panic on
//! damaged files; that is caught and reported as damage.

mod excel;
mod sas;
mod spss;
mod stata;
mod values;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, StringBuilder};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::record_batch::{RecordBatch, RecordBatchOptions};
use throng::error::{Fault, Result};
use throng::policy::{Format, Input};
use throng::watch::Watch;

use crate::digest::{Digesting, Digests};
use crate::error::damaged;
use crate::pipeline::{self, pipeline};
use crate::scan::{no_column, threads, without};
use crate::source::Source;

pub(crate) use excel::Sheet;

/// Rows per batch.
const BATCH: usize = 8192;

/// What is known of a file before its rows are read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Opened {
    /// Its columns.
    pub(crate) columns: Vec<String>,
    /// What was done to its names and values that its holder should know.
    pub(crate) notices: Vec<String>,
    /// Columns that are read as labels, by their places.
    pub(crate) labelled: Vec<usize>,
}

/// Whether a format has a reader here.
pub(crate) fn reads(format: Format) -> bool {
    format.only_read().is_some()
}

/// Finds the columns of a file.
///
/// # Errors
/// What cannot be read.
pub(crate) fn open(file: &Path, format: Format, input: &Input) -> Result<Opened> {
    guarded(file, || match format {
        Format::Excel => excel::open(file, input),
        Format::Stata => stata::open(file, input.labels),
        Format::Sas => sas::open(file),
        Format::Spss => spss::open(file, input.labels),
        Format::Csv | Format::Parquet | Format::Json | Format::Arrow => {
            Err(Fault::bug("the format has a reader of its own").into())
        }
    })
}

/// The first sheet of a workbook that holds data, and the rows above its header.
///
/// # Errors
/// What cannot be read.
pub(crate) fn detect_sheet(file: &Path) -> Result<(String, usize)> {
    guarded(file, || excel::detect(file))
}

/// As [`Engine::scan_map`](crate::Engine), of a foreign format.
pub(crate) fn scan<T: Send>(
    source: &Source,
    columns: &[String],
    watch: &Watch,
    map: impl Fn(u64, Vec<RecordBatch>) -> Result<T> + Sync,
    each: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    let place = |name: &String| {
        let place = source.header.iter().position(|column| column == name);
        place.ok_or_else(|| no_column(source, name))
    };
    let wanted = columns.iter().map(place).collect::<Result<Vec<usize>>>()?;
    let produce = |send: &mut pipeline::Send<'_, Vec<RecordBatch>>| {
        let mut send = |batch: RecordBatch| send(vec![batch]);
        let mut rows = TextRows::new(columns, wanted, watch, &mut send);
        for file in &source.files {
            if !guarded(file, || read(source, file, &mut rows))? {
                return Ok(());
            }
        }
        rows.flush().map(drop)
    };
    let work = |number, batches: Vec<RecordBatch>| {
        let nulls = &source.nulls;
        map(number, batches.into_iter().map(|batch| without(batch, nulls)).collect())
    };
    let known = source.digesting == Digesting::Nothing || source.digests.get().is_some();
    let (outcome, digests) = std::thread::scope(|scope| {
        let digests = (!known).then(|| scope.spawn(|| Digests::of(&source.files, source.digesting, watch)));
        let outcome = pipeline(threads(), produce, work, each);
        (outcome, digests.map(std::thread::ScopedJoinHandle::join))
    });
    outcome?;
    if let Some(digests) = digests {
        let digests = digests.map_err(|_| Fault::bug("the digest of a table stopped"))??;
        source.digests.get_or_init(|| digests);
    }
    Ok(())
}

/// Gives the rows of a file; false if nobody listens any more.
fn read(source: &Source, file: &Path, rows: &mut TextRows<'_>) -> Result<bool> {
    match source.format {
        Format::Excel => excel::rows(file, &source.sheet, rows),
        Format::Stata => stata::rows(file, &source.labelled, rows),
        Format::Sas => sas::rows(file, rows),
        Format::Spss => spss::rows(file, &source.labelled, rows),
        Format::Csv | Format::Parquet | Format::Json | Format::Arrow => {
            Err(Fault::bug("the format has a reader of its own").into())
        }
    }
}

/// Runs a decoder; a panic means that the file is damaged.
fn guarded<T>(file: &Path, read: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| Err(damaged(&file.display().to_string())))
}

/// Collects rows of text into batches.
pub(crate) struct TextRows<'a> {
    /// The columns that are read, by their places in the file.
    wanted: Vec<usize>,
    schema: SchemaRef,
    cells: Vec<StringBuilder>,
    rows: usize,
    watch: &'a Watch,
    send: &'a mut dyn FnMut(RecordBatch) -> bool,
}

impl<'a> TextRows<'a> {
    fn new(
        names: &[String],
        wanted: Vec<usize>,
        watch: &'a Watch,
        send: &'a mut dyn FnMut(RecordBatch) -> bool,
    ) -> Self {
        let fields: Vec<Field> = names.iter().map(|name| Field::new(name, DataType::Utf8, true)).collect();
        let cells = wanted.iter().map(|_| StringBuilder::new()).collect();
        TextRows { wanted, schema: Arc::new(Schema::new(fields)), cells, rows: 0, watch, send }
    }

    /// Adds a row, cell by cell of the columns that are read; false if nobody listens any more.
    fn row(&mut self, mut cell: impl FnMut(usize) -> Result<Option<String>>) -> Result<bool> {
        for (&place, cells) in self.wanted.iter().zip(&mut self.cells) {
            cells.append_option(cell(place)?);
        }
        self.rows += 1;
        if self.rows < BATCH { Ok(true) } else { self.flush() }
    }

    fn flush(&mut self) -> Result<bool> {
        self.watch.check()?;
        if self.rows == 0 {
            return Ok(true);
        }
        let cells = self.cells.iter_mut().map(|cells| Arc::new(cells.finish()) as ArrayRef).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows));
        let batch = RecordBatch::try_new_with_options(Arc::clone(&self.schema), cells, &options)
            .map_err(|e| Fault::bug(e.to_string()))?;
        self.rows = 0;
        Ok((self.send)(batch))
    }
}
