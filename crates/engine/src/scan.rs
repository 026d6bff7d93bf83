//! Streams a table's batches in order: DataFusion decodes on its own threads, the caller consumes.

use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, BooleanArray, StringArray};
use datafusion::arrow::compute::nullif;
use datafusion::arrow::csv::ReaderBuilder;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::execution::context::SessionContext;
use datafusion::prelude::{CsvReadOptions, DataFrame, JsonReadOptions, ParquetReadOptions, SessionConfig};
use futures::StreamExt;
use throng::error::{Error, Fault, Result};
use throng::fault;
use throng::policy::Format;
use throng::watch::Watch;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::cells::Cells;
use crate::error::{damaged, reading, unreadable};
use crate::source::{Source, not_utf8};
use crate::{Engine, columns, diagnose, ipc};

/// Rows per batch: enough to amortize a batch's overhead, little enough to stay in the cache.
const BATCH: usize = 8192;

impl Engine {
    /// The table's columns, in order.
    ///
    /// # Errors
    /// When the table cannot be opened.
    pub fn schema(&self, source: &Source) -> Result<SchemaRef> {
        let opened = source.clone();
        self.finish(self.runtime.spawn(async move { known(&opened, &context()).await }), source)
    }

    /// The names of the table's columns.
    ///
    /// # Errors
    /// When the table cannot be opened.
    pub fn columns(&self, source: &Source) -> Result<Vec<String>> {
        Ok(self.schema(source)?.fields().iter().map(|f| f.name().clone()).collect())
    }

    /// Calls `each` with every batch of the named columns, in the table's order.
    ///
    /// # Errors
    /// What cannot be read, with file and line where there are lines; what `each` returns; and
    /// [`Kind::Cancelled`](throng::error::Kind::Cancelled) when asked to stop.
    pub fn scan(
        &self,
        source: &Source,
        columns: &[String],
        watch: &Watch,
        mut each: impl FnMut(RecordBatch) -> Result<()>,
    ) -> Result<()> {
        let (sender, mut receiver) = mpsc::channel(4);
        let task = if source.format == Format::Csv && source.needs_own_reader() {
            let (source, columns) = (source.clone(), columns.to_vec());
            self.runtime.spawn_blocking(move || read_text(&source, &columns, &sender))
        } else {
            let (source, columns) = (source.clone(), columns.to_vec());
            self.runtime.spawn(async move { stream(&source, &columns, &sender).await })
        };
        let mut outcome = Ok(());
        let keeps_empty = source.format == Format::Csv && !source.empty_is_missing;
        while let Some(batch) = receiver.blocking_recv() {
            if source.format == Format::Csv && !sound(&batch) {
                let fault = || not_utf8("a cell").file(&source.name).into();
                outcome = Err(diagnose::line(source).unwrap_or_else(fault));
                break;
            }
            let batch = if keeps_empty { with_empty(batch) } else { batch };
            let batch = if source.nulls.is_empty() { batch } else { without(batch, &source.nulls) };
            outcome = watch.check().and_then(|()| each(batch));
            if outcome.is_err() {
                break;
            }
        }
        drop(receiver);
        let read = self.finish(task, source);
        outcome?;
        read
    }

    /// What a reader found, or the line that it stumbled over.
    fn finish<T>(&self, task: JoinHandle<Result<T>>, source: &Source) -> Result<T> {
        match self.runtime.block_on(task) {
            Ok(read) => read.map_err(|e| diagnose::line(source).unwrap_or(e)),
            // Decoders of typed formats do not expect every damage.
            Err(e) if e.is_panic() && source.format != Format::Csv => Err(damaged(&source.name)),
            Err(e) => Err(Fault::bug(format!("the reader stopped: {e}")).into()),
        }
    }
}

/// Sends DataFusion's batches, file by file, until they end or nobody listens. One frame over all
/// files would read them in another order, and take the columns of the first for those of all.
async fn stream(source: &Source, columns: &[String], sender: &mpsc::Sender<RecordBatch>) -> Result<()> {
    let context = context();
    let schema = known(source, &context).await?;
    if let Some(column) = columns.iter().find(|c| schema.index_of(c).is_err()) {
        return Err(no_column(source, column));
    }
    let names: Vec<&str> = columns.iter().map(String::as_str).collect();
    for file in &source.files {
        let name = file.display().to_string();
        let frame = frame(source, &context, file, Some(&schema)).await?;
        let frame = frame.select_columns(&names).map_err(|e| reading(&name, &e))?;
        let mut stream = frame.execute_stream().await.map_err(|e| reading(&name, &e))?;
        while let Some(batch) = stream.next().await {
            let batch = batch.map_err(|e| reading(&name, &e))?;
            if sender.send(batch).await.is_err() {
                return Ok(());
            }
        }
    }
    Ok(())
}

fn no_column(source: &Source, column: &str) -> Error {
    fault!(Input, "table.no-such-column", "there is no such column").file(&source.name).column(column).into()
}

/// Reads delimited text by Arrow alone: DataFusion's reader has no place for a transcoder, and
/// would take a byte-order mark before the first row for a part of it.
fn read_text(source: &Source, columns: &[String], sender: &mpsc::Sender<RecordBatch>) -> Result<()> {
    let schema = text_schema(&source.header);
    let projection = columns
        .iter()
        .map(|c| schema.index_of(c).map_err(|_| no_column(source, c)))
        .collect::<Result<Vec<usize>>>()?;
    for file in &source.files {
        let name = file.display().to_string();
        let reader = ReaderBuilder::new(Arc::clone(&schema))
            .with_header(source.headed)
            .with_delimiter(source.layout.delimiter)
            .with_quote(source.layout.quote)
            .with_batch_size(BATCH)
            .with_projection(projection.clone())
            .build(source.text(file)?)
            .map_err(|e| reading(&name, &e.into()))?;
        for batch in reader {
            let batch = batch.map_err(|e| reading(&name, &e.into()))?;
            if sender.blocking_send(batch).is_err() {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// The table's columns; those of a typed format are found once.
async fn known(source: &Source, context: &SessionContext) -> Result<SchemaRef> {
    if source.format == Format::Csv {
        return Ok(text_schema(&source.header));
    }
    if let Some(schema) = source.inferred.get() {
        return Ok(Arc::clone(schema));
    }
    let mut schemas = Vec::new();
    for file in &source.files {
        schemas.push(Arc::clone(frame(source, context, file, None).await?.schema().inner()));
    }
    let schema = columns::of_all(source, &schemas)?;
    Ok(Arc::clone(source.inferred.get_or_init(|| schema)))
}

fn context() -> SessionContext {
    let config = SessionConfig::new()
        .with_target_partitions(1)
        .with_batch_size(BATCH)
        .with_collect_statistics(false)
        .with_information_schema(false);
    SessionContext::new_with_config(config)
}

/// One file as a DataFusion frame; text formats are read with the given columns.
async fn frame(
    source: &Source,
    context: &SessionContext,
    file: &Path,
    schema: Option<&SchemaRef>,
) -> Result<DataFrame> {
    let name = file.display().to_string();
    // DataFusion takes a file that is not there for an empty folder.
    std::fs::metadata(file).map_err(|e| unreadable(&name, &e))?;
    let url = url(file)?;
    let extension = "";
    let frame = match source.format {
        Format::Csv => {
            let schema = text_schema(&source.header);
            let options = CsvReadOptions::new()
                .schema(&schema)
                .has_header(true)
                .delimiter(source.layout.delimiter)
                .quote(source.layout.quote)
                .newlines_in_values(true)
                .file_extension(extension);
            context.read_csv(url, options).await
        }
        Format::Parquet => {
            let options = ParquetReadOptions { file_extension: extension, ..ParquetReadOptions::default() };
            context.read_parquet(url, options).await
        }
        Format::Json => {
            let options = JsonReadOptions {
                schema: schema.map(AsRef::as_ref),
                schema_infer_max_records: usize::MAX,
                file_extension: extension,
                ..JsonReadOptions::default()
            };
            context.read_json(url, options).await
        }
        Format::Arrow => {
            if schema.is_none() {
                ipc::check(file)?;
            }
            let options = datafusion::datasource::file_format::options::ArrowReadOptions {
                file_extension: extension,
                ..Default::default()
            };
            context.read_arrow(url, options).await
        }
    };
    frame.map_err(|e| reading(&name, &e))
}

/// A file's URL, so that no character of its name is taken for a pattern.
fn url(file: &Path) -> Result<String> {
    let absolute = std::path::absolute(file).map_err(|e| unreadable(&file.display().to_string(), &e))?;
    url::Url::from_file_path(&absolute).map(String::from).map_err(|()| {
        fault!(Input, "file.bad-path", "is not a path that can be opened")
            .file(file.display().to_string())
            .into()
    })
}

/// Every column as text: a leading zero is part of a ZIP code.
fn text_schema(columns: &[String]) -> SchemaRef {
    let fields: Vec<Field> = columns.iter().map(|c| Field::new(c, DataType::Utf8, true)).collect();
    Arc::new(Schema::new(fields))
}

/// Whether every cell is text. The reader of delimited text looks at all cells together, where the
/// last byte of one and the first of the next can make a character.
fn sound(batch: &RecordBatch) -> bool {
    batch.columns().iter().all(|array| {
        let (offsets, values, _) = array.as_string::<i32>().clone().into_parts();
        values.is_ascii() || StringArray::try_new(offsets, values, None).is_ok()
    })
}

/// The batch with every cell that is one of the texts made null.
fn without(batch: RecordBatch, nulls: &[String]) -> RecordBatch {
    let schema = batch.schema();
    let cleared = batch.columns().iter().zip(schema.fields()).map(|(array, field)| {
        let Ok(cells) = Cells::new(field.name(), array) else { return Arc::clone(array) };
        let is_null = |row| cells.get(row).is_some_and(|cell| nulls.iter().any(|null| null == cell));
        let mask: BooleanArray = (0..cells.len()).map(|row| Some(is_null(row))).collect();
        if mask.true_count() == 0 {
            return Arc::clone(array);
        }
        nullif(array, &mask).unwrap_or_else(|_| Arc::clone(array))
    });
    RecordBatch::try_new(Arc::clone(&schema), cleared.collect()).unwrap_or(batch)
}

/// The batch with its nulls, which the reader makes of empty cells, as empty texts again.
fn with_empty(batch: RecordBatch) -> RecordBatch {
    let filled = batch.columns().iter().map(|array| {
        let (offsets, values, _) = array.as_string::<i32>().clone().into_parts();
        Arc::new(StringArray::new(offsets, values, None)) as ArrayRef
    });
    RecordBatch::try_new(batch.schema(), filled.collect()).unwrap_or(batch)
}
