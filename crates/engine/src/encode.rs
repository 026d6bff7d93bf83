//! Turns rows into bytes of the release's format, on any thread.
//!
//! Rows come in groups of a size that follows from the table alone, so that the bytes are the same
//! at any number of threads. Columns that were recoded are codes of labels until here.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, DictionaryArray, RecordBatch, StringArray, UInt32Array};
use arrow::compute::cast;
use arrow::csv;
use arrow::datatypes::{DataType, SchemaRef, UInt8Type, UInt16Type, UInt32Type};
use parquet::arrow::arrow_writer::{ArrowColumnChunk, ArrowRowGroupWriterFactory, compute_leaves};
use parquet::schema::types::SchemaDescriptor;
use throng::error::{Fault, Result};

use crate::csv_rows::CsvRows;
use crate::parquet_pages::{self, Chunk};
use crate::sink::Cannot;

/// Rows in the form in which they are written.
pub(crate) enum Encoded {
    /// Bytes that follow those before.
    Text(Vec<u8>),
    /// The columns of a row group.
    Group(Vec<GroupColumn>),
    /// Rows that the writer of the format encodes itself.
    Rows(RecordBatch),
}

/// A column of a row group.
pub(crate) enum GroupColumn {
    Coded(Chunk),
    Other(ArrowColumnChunk),
}

/// What a format needs to encode rows.
pub(crate) enum Encoding {
    Csv { rows: CsvRows, delimiter: u8, missing: String },
    Parquet { factory: ArrowRowGroupWriterFactory, columns: SchemaDescriptor },
    Rows,
}

/// Encodes rows of one release.
pub(crate) struct Encoder {
    pub(crate) encoding: Encoding,
    /// What the file holds.
    pub(crate) schema: SchemaRef,
    pub(crate) cannot: Cannot,
    /// Column → its labels and for each code the first of the same label, where cells are codes.
    pub(crate) labels: Vec<Option<StringArray>>,
    pub(crate) firsts: Vec<Option<Vec<u32>>>,
}

impl Encoder {
    /// Encodes some rows.
    ///
    /// # Errors
    /// Cells that the format cannot hold.
    pub(crate) fn encode(&self, batch: &RecordBatch) -> Result<Encoded> {
        match &self.encoding {
            Encoding::Csv { rows, delimiter, missing } => {
                self.cannot.check(batch, &self.labels)?;
                if let Some(text) = rows.text(batch.columns(), batch.num_rows()) {
                    return Ok(Encoded::Text(text));
                }
                let options = csv::WriterBuilder::new()
                    .with_delimiter(*delimiter)
                    .with_header(false)
                    .with_null(missing.clone());
                let mut writer = options.build(Vec::new());
                writer.write(&self.decoded(batch)?).map_err(|e| Fault::bug(e.to_string()))?;
                Ok(Encoded::Text(writer.into_inner()))
            }
            Encoding::Parquet { factory, columns } => self.row_group(batch, factory, columns),
            Encoding::Rows => {
                let batch = self.decoded(batch)?;
                self.cannot.check(&batch, &[])?;
                Ok(Encoded::Rows(batch))
            }
        }
    }

    fn row_group(
        &self,
        batch: &RecordBatch,
        factory: &ArrowRowGroupWriterFactory,
        columns: &SchemaDescriptor,
    ) -> Result<Encoded> {
        let bug = |e: &dyn std::fmt::Display| Fault::bug(e.to_string());
        let writers = factory.create_column_writers(0).map_err(|e| bug(&e))?;
        if writers.len() != batch.num_columns() {
            return Err(Fault::bug("a column of a release is nested").into());
        }
        let mut group = Vec::with_capacity(writers.len());
        for (at, mut writer) in writers.into_iter().enumerate() {
            let array = batch.column(at);
            if let (Some(Some(labels)), Some(Some(first))) = (self.labels.get(at), self.firsts.get(at)) {
                let chunk = parquet_pages::chunk(&columns.column(at), &codes(array), labels, first);
                group.push(GroupColumn::Coded(chunk.map_err(|e| bug(&e))?));
                continue;
            }
            let field = self.schema.field(at);
            for leaf in compute_leaves(field, &held(array, field.data_type())?).map_err(|e| bug(&e))? {
                writer.write(&leaf).map_err(|e| bug(&e))?;
            }
            group.push(GroupColumn::Other(writer.close().map_err(|e| bug(&e))?));
        }
        Ok(Encoded::Group(group))
    }

    /// The rows with labels in place of codes, in the types of the file.
    fn decoded(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let column = |(at, array): (usize, &ArrayRef)| {
            let array = match self.labels.get(at).and_then(Option::as_ref) {
                Some(labels) => {
                    let keys = UInt32Array::from(codes(array));
                    let keyed = DictionaryArray::<UInt32Type>::try_new(keys, Arc::new(labels.clone()));
                    Arc::new(keyed.map_err(|e| Fault::bug(e.to_string()))?) as ArrayRef
                }
                None => Arc::clone(array),
            };
            held(&array, self.schema.field(at).data_type())
        };
        let columns = batch.columns().iter().enumerate().map(column).collect::<Result<Vec<_>>>()?;
        RecordBatch::try_new(self.schema.clone(), columns).map_err(|e| Fault::bug(e.to_string()).into())
    }
}

fn held(array: &ArrayRef, kind: &DataType) -> Result<ArrayRef> {
    if array.data_type() == kind {
        return Ok(Arc::clone(array));
    }
    cast(array, kind).map_err(|e| Fault::bug(e.to_string()).into())
}

/// Codes as narrow as so many labels allow.
pub(crate) fn narrowed(codes: &[u32], labels: usize) -> ArrayRef {
    use arrow::array::{UInt8Array, UInt16Array};
    match labels {
        0..=0x100 => Arc::new(codes.iter().map(|&code| code as u8).collect::<UInt8Array>()),
        0x101..=0x1_0000 => Arc::new(codes.iter().map(|&code| code as u16).collect::<UInt16Array>()),
        _ => Arc::new(UInt32Array::from(codes.to_vec())),
    }
}

/// The type of [`narrowed`] codes.
pub(crate) fn code_type(labels: usize) -> DataType {
    match labels {
        0..=0x100 => DataType::UInt8,
        0x101..=0x1_0000 => DataType::UInt16,
        _ => DataType::UInt32,
    }
}

/// The codes of a column that [`narrowed`] made.
pub(crate) fn codes(array: &ArrayRef) -> Vec<u32> {
    match array.data_type() {
        DataType::UInt8 => array.as_primitive::<UInt8Type>().values().iter().map(|&c| c.into()).collect(),
        DataType::UInt16 => array.as_primitive::<UInt16Type>().values().iter().map(|&c| c.into()).collect(),
        _ => array.as_primitive::<UInt32Type>().values().to_vec(),
    }
}
