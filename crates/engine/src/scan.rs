//! Streams a table's batches in order: DataFusion decodes on its own threads, the caller consumes.

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
use throng::policy::{Encoding, Format};
use tokio::sync::mpsc;

use crate::cells::Cells;
use crate::error::reading;
use crate::source::Source;
use crate::{Engine, diagnose};

/// Rows per batch: enough to amortize a batch's overhead, little enough to stay in the cache.
const BATCH: usize = 8192;

impl Engine {
    /// The table's columns, in order.
    ///
    /// # Errors
    /// When the table cannot be opened.
    pub fn schema(&self, source: &Source) -> Result<SchemaRef> {
        if source.format == Format::Csv {
            return Ok(text_schema(&source.header));
        }
        let frame = self.runtime.block_on(frame(source)).map_err(|e| diagnose::line(source).unwrap_or(e))?;
        Ok(Arc::clone(frame.schema().inner()))
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
    /// What cannot be read, with file and line where there are lines; and what `each` returns.
    pub fn scan(
        &self,
        source: &Source,
        columns: &[String],
        mut each: impl FnMut(RecordBatch) -> Result<()>,
    ) -> Result<()> {
        let (sender, mut receiver) = mpsc::channel(4);
        let task = if source.format == Format::Csv && source.layout.encoding == Encoding::Latin1 {
            let (source, columns) = (source.clone(), columns.to_vec());
            self.runtime.spawn_blocking(move || transcoded(&source, &columns, &sender))
        } else {
            let (source, columns) = (source.clone(), columns.to_vec());
            self.runtime.spawn(async move { stream(&source, &columns, &sender).await })
        };
        let mut outcome = Ok(());
        let keeps_empty = source.format == Format::Csv && !source.empty_is_missing;
        while let Some(batch) = receiver.blocking_recv() {
            let batch = if keeps_empty { with_empty(batch) } else { batch };
            let batch = if source.nulls.is_empty() { batch } else { without(batch, &source.nulls) };
            outcome = each(batch);
            if outcome.is_err() {
                break;
            }
        }
        drop(receiver);
        let read = self.runtime.block_on(task);
        outcome?;
        read.map_err(|e| Fault::bug(format!("the reader stopped: {e}")))?
            .map_err(|e| diagnose::line(source).unwrap_or(e))
    }
}

/// Sends DataFusion's batches until they end or nobody listens.
async fn stream(source: &Source, columns: &[String], sender: &mpsc::Sender<RecordBatch>) -> Result<()> {
    let name = source.name.as_str();
    let names: Vec<&str> = columns.iter().map(String::as_str).collect();
    let frame = frame(source).await?.select_columns(&names).map_err(|e| reading(name, &e))?;
    let mut stream = frame.execute_stream().await.map_err(|e| reading(name, &e))?;
    while let Some(batch) = stream.next().await {
        let batch = batch.map_err(|e| reading(name, &e))?;
        if sender.send(batch).await.is_err() {
            return Ok(());
        }
    }
    Ok(())
}

/// Latin-1 text goes through a transcoder, which DataFusion's own reader has no place for.
fn transcoded(source: &Source, columns: &[String], sender: &mpsc::Sender<RecordBatch>) -> Result<()> {
    let schema = text_schema(&source.header);
    let projection = columns
        .iter()
        .map(|c| schema.index_of(c).map_err(|_| Error::from(Fault::input("no such column").column(c))))
        .collect::<Result<Vec<usize>>>()?;
    for file in &source.files {
        let name = file.display().to_string();
        let reader = ReaderBuilder::new(Arc::clone(&schema))
            .with_header(true)
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

/// The table as a DataFusion frame, its files read one after another.
async fn frame(source: &Source) -> Result<DataFrame> {
    let config = SessionConfig::new()
        .with_target_partitions(1)
        .with_batch_size(BATCH)
        .with_collect_statistics(false)
        .with_information_schema(false);
    let context = SessionContext::new_with_config(config);
    let urls = source.files.iter().map(|f| url(f)).collect::<Result<Vec<String>>>()?;
    let schema = text_schema(&source.header);
    let extension = "";
    let frame = match source.format {
        Format::Csv => {
            let options = CsvReadOptions::new()
                .schema(&schema)
                .has_header(true)
                .delimiter(source.layout.delimiter)
                .quote(source.layout.quote)
                .newlines_in_values(true)
                .file_extension(extension);
            context.read_csv(urls, options).await
        }
        Format::Parquet => {
            let options = ParquetReadOptions { file_extension: extension, ..ParquetReadOptions::default() };
            context.read_parquet(urls, options).await
        }
        Format::Json => {
            let options = JsonReadOptions {
                schema: source.inferred.get().map(AsRef::as_ref),
                schema_infer_max_records: usize::MAX,
                file_extension: extension,
                ..JsonReadOptions::default()
            };
            let frame = context.read_json(urls, options).await;
            if let Ok(frame) = &frame {
                source.inferred.get_or_init(|| Arc::clone(frame.schema().inner()));
            }
            frame
        }
        Format::Arrow => {
            let options = datafusion::datasource::file_format::options::ArrowReadOptions {
                file_extension: extension,
                ..Default::default()
            };
            context.read_arrow(urls, options).await
        }
    };
    frame.map_err(|e| reading(&source.name, &e))
}

/// A file's URL, so that no character of its name is taken for a pattern.
fn url(file: &std::path::Path) -> Result<String> {
    let absolute =
        std::path::absolute(file).map_err(|e| crate::error::unreadable(&file.display().to_string(), &e))?;
    url::Url::from_file_path(&absolute).map(String::from).map_err(|()| {
        Fault::input("is not a path that can be opened").file(file.display().to_string()).into()
    })
}

/// Every column as text: a leading zero is part of a ZIP code.
fn text_schema(columns: &[String]) -> SchemaRef {
    let fields: Vec<Field> = columns.iter().map(|c| Field::new(c, DataType::Utf8, true)).collect();
    Arc::new(Schema::new(fields))
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
