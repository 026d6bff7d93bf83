//! Opens files of formats that declare the types of their columns: Parquet, JSON, Arrow.
//!
//! Each file becomes an iterator over batches of the requested columns, in the order of its rows.
//! Parquet and Arrow decode only these columns. Text that Parquet holds as a dictionary stays one:
//! a number per cell, and each text once per row group.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::error::ArrowError;
use arrow::ipc::reader::{FileReader, StreamReader};
use arrow::json::ReaderBuilder;
use arrow::json::reader::infer_json_schema;
use arrow::record_batch::{RecordBatch, RecordBatchOptions};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Encoding;
use parquet::file::metadata::ParquetMetaData;
use throng::error::{Fault, Result};
use throng::policy::Format;

use crate::error::{reading, unreadable};
use crate::{ipc, json_array};

/// Rows per batch: enough to amortize a batch's overhead, little enough to stay in the cache.
pub(crate) const BATCH: usize = 8192;

/// The batches of a file.
type Batches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>>>;

/// The columns that a file declares, or that its lines of JSON show, without metadata.
///
/// # Errors
/// A file that cannot be read, or is damaged.
pub(crate) fn schema(format: Format, path: &Path) -> Result<SchemaRef> {
    let name = path.display().to_string();
    let file = File::open(path).map_err(|e| unreadable(&name, &e))?;
    let found = match format {
        Format::Csv | Format::Excel | Format::Stata | Format::Sas | Format::Spss => return Err(not_typed()),
        Format::Parquet => ArrowReaderMetadata::load(&file, ArrowReaderOptions::new())
            .map(|metadata| metadata.schema().as_ref().clone())
            .map_err(|e| reading(&name, &e))?,
        Format::Json => {
            let lines = json_array::lines(file).map_err(|e| unreadable(&name, &e))?;
            infer_json_schema(lines, None).map_err(|e| reading(&name, &e))?.0
        }
        Format::Arrow => match ipc::check(path)? {
            ipc::Layout::File => {
                FileReader::try_new(file, None).map_err(|e| reading(&name, &e))?.schema().as_ref().clone()
            }
            ipc::Layout::Stream => {
                let reader = StreamReader::try_new(BufReader::new(file), None);
                reader.map_err(|e| reading(&name, &e))?.schema().as_ref().clone()
            }
        },
    };
    Ok(plain(&found, format))
}

/// Every batch of the named columns of a file, in order. `schema` has the columns of all files.
///
/// # Errors
/// A file that cannot be read, or is damaged.
pub(crate) fn batches(
    format: Format,
    path: &Path,
    schema: &SchemaRef,
    columns: &[usize],
) -> Result<impl Iterator<Item = Result<RecordBatch>> + use<>> {
    let name = path.display().to_string();
    let file = File::open(path).map_err(|e| unreadable(&name, &e))?;
    // Readers return columns in the order of the file, each once.
    let mut read = columns.to_vec();
    read.sort_unstable();
    read.dedup();
    let opened = match format {
        Format::Csv | Format::Excel | Format::Stata | Format::Sas | Format::Spss => return Err(not_typed()),
        Format::Parquet => parquet_batches(file, schema, &read).map_err(|e| reading(&name, &e)),
        Format::Json => {
            if read.is_empty() {
                // Rows are counted by a column.
                read.push(0);
            }
            json_batches(file, schema, &read).map_err(|e| reading(&name, &e))
        }
        Format::Arrow => arrow_batches(file, path, &read)?.map_err(|e| reading(&name, &e)),
    }?;
    let fields: Vec<Field> = columns.iter().map(|&column| schema.field(column).clone()).collect();
    let places: Vec<usize> = columns.iter().filter_map(|column| read.binary_search(column).ok()).collect();
    Ok(opened.map(move |batch| {
        let batch = batch.map_err(|e| reading(&name, &e))?;
        let arrays: Vec<ArrayRef> = places.iter().map(|&place| Arc::clone(batch.column(place))).collect();
        let typed = |(field, array): (&Field, &ArrayRef)| match keyed_text() == *array.data_type() {
            true => field.clone().with_data_type(keyed_text()),
            false => field.clone(),
        };
        let requested = Schema::new(fields.iter().zip(&arrays).map(typed).collect::<Vec<_>>());
        let rows = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        RecordBatch::try_new_with_options(Arc::new(requested), arrays, &rows).map_err(|e| reading(&name, &e))
    }))
}

/// Text as numbers that lead to texts.
pub(crate) fn keyed_text() -> DataType {
    DataType::Dictionary(Box::new(DataType::UInt32), Box::new(DataType::Utf8))
}

/// The schema with text as keyed text in the columns that the file holds as dictionaries.
fn with_dictionaries(schema: &SchemaRef, file: &ParquetMetaData) -> SchemaRef {
    let descriptor = file.file_metadata().schema_descr();
    let is_dictionary = |column: usize| {
        let mut leaves =
            (0..descriptor.num_columns()).filter(|&leaf| descriptor.get_column_root_idx(leaf) == column);
        let (Some(leaf), None) = (leaves.next(), leaves.next()) else { return false };
        file.row_groups().iter().all(|group| {
            let chunk = group.column(leaf);
            let keyed = [Encoding::RLE_DICTIONARY, Encoding::PLAIN_DICTIONARY];
            match chunk.page_encoding_stats_mask() {
                Some(pages) => keyed.into_iter().any(|encoding| pages.is_only(encoding)),
                // Some writers leave them out. A page without keys is decoded all the same.
                None => chunk.encodings().any(|encoding| keyed.contains(&encoding)),
            }
        })
    };
    let field = |(column, field): (usize, &Arc<Field>)| match field.data_type() {
        DataType::Utf8View if is_dictionary(column) => field.as_ref().clone().with_data_type(keyed_text()),
        _ => field.as_ref().clone(),
    };
    Arc::new(Schema::new(schema.fields().iter().enumerate().map(field).collect::<Vec<_>>()))
}

fn not_typed() -> throng::error::Error {
    Fault::bug("the format has a reader of its own").into()
}

fn parquet_batches(
    file: File,
    schema: &SchemaRef,
    columns: &[usize],
) -> Result<Batches, parquet::errors::ParquetError> {
    let metadata = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new())?;
    let schema = with_dictionaries(schema, metadata.metadata());
    let options = ArrowReaderOptions::new().with_schema(schema);
    let metadata = ArrowReaderMetadata::try_new(Arc::clone(metadata.metadata()), options)?;
    let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata);
    let mask = ProjectionMask::roots(builder.parquet_schema(), columns.iter().copied());
    let reader = builder.with_projection(mask).with_batch_size(BATCH).build()?;
    Ok(Box::new(reader))
}

fn json_batches(file: File, schema: &SchemaRef, columns: &[usize]) -> Result<Batches, ArrowError> {
    if schema.fields().is_empty() {
        return Ok(Box::new(std::iter::empty()));
    }
    let reader = ReaderBuilder::new(Arc::new(schema.project(columns)?)).with_batch_size(BATCH);
    Ok(Box::new(reader.build(json_array::lines(file)?)?))
}

fn arrow_batches(file: File, path: &Path, columns: &[usize]) -> Result<Result<Batches, ArrowError>> {
    let columns = Some(columns.to_vec());
    Ok(match ipc::check(path)? {
        ipc::Layout::File => FileReader::try_new(file, columns).map(|reader| Box::new(reader) as Batches),
        ipc::Layout::Stream => {
            StreamReader::try_new(BufReader::new(file), columns).map(|reader| Box::new(reader) as Batches)
        }
    })
}

/// The schema without metadata, which could carry anything into a release. Text of Parquet is decoded
/// to views, which need no copy of the cells.
fn plain(schema: &Schema, format: Format) -> SchemaRef {
    let field = |field: &Arc<Field>| {
        let data_type = match (format, field.data_type()) {
            (Format::Parquet, DataType::Utf8 | DataType::LargeUtf8) => DataType::Utf8View,
            (Format::Parquet, DataType::Binary | DataType::LargeBinary) => DataType::BinaryView,
            (_, other) => other.clone(),
        };
        Field::new(field.name(), data_type, field.is_nullable())
    };
    Arc::new(Schema::new(schema.fields().iter().map(field).collect::<Vec<_>>()))
}
