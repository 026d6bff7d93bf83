//! Writes a release: to a temporary name in the output's folder, hashed on the way, then renamed.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch, StringArray};
use arrow::compute::concat_batches;
use arrow::datatypes::{DataType, Field, Float32Type, Float64Type, Schema, SchemaRef, TimeUnit};
use arrow::ipc::writer::FileWriter;
use arrow::json::WriterBuilder;
use arrow::json::writer::{LineDelimited, Writer as JsonWriter};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::Compression;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use sha2::{Digest, Sha256};
use throng::error::{Fault, Result};
use throng::exposure::Exposed;
use throng::fault;
use throng::policy::{Format, Policy};
use throng::release::TextFacts;
use throng::verify::ValueCounts;

use crate::cells::UTC;
use crate::csv_rows::CsvRows;
use crate::digest::hex;
use crate::encode::{Encoded, Encoder, Encoding, GroupColumn, codes};
use crate::error::unwritable;
use crate::scan::threads;
use crate::source::missing_text;
use crate::staging;

/// The written file.
#[derive(Debug, Clone)]
pub struct Written {
    /// SHA-256 of the file.
    pub sha256: String,
    /// Its rows.
    pub rows: u64,
    /// Its columns.
    pub columns: Vec<String>,
    /// What columns beside the quasi-identifiers show, where that was counted.
    pub exposed: Vec<Exposed>,
    /// The class of every row of the table, in its order, where that was asked for.
    pub classes_of_rows: Vec<u32>,
    /// How often values occur in the table, counted for the verifier where rare ones are deleted.
    pub(crate) counted: Option<ValueCounts>,
    /// Text column → what was scrubbed in it.
    pub(crate) text: BTreeMap<String, TextFacts>,
}

/// A file that is hashed as it is written.
struct Hashed {
    file: BufWriter<staging::File>,
    hasher: Sha256,
}

impl Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.file.write(bytes)?;
        self.hasher.update(&bytes[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Rows that are encoded together: a row group of Parquet.
pub(crate) const GROUP: usize = 1 << 18;
/// Bytes in memory of rows that are encoded together.
pub(crate) const GROUP_BYTES: usize = 1 << 24;

enum Writer {
    Csv(Box<Hashed>),
    Parquet(Box<SerializedFileWriter<Hashed>>),
    Json(Box<JsonWriter<Hashed, LineDelimited>>),
    Arrow(Box<FileWriter<Hashed>>),
}

/// A release being written.
pub(crate) struct Sink {
    path: PathBuf,
    writer: Writer,
    encoder: Encoder,
    rows: u64,
    /// Rows that came in order, and are encoded when there are enough.
    waiting: Vec<RecordBatch>,
    full: Vec<Vec<RecordBatch>>,
}

/// What the file cannot hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cannot {
    Nothing,
    /// A missing cell, because no text means one.
    Missing,
    /// A floating-point number that is none, or infinite.
    NoNumber,
}

impl Cannot {
    /// Refuses rows that it cannot hold; columns with labels are codes of these.
    pub(crate) fn check(self, batch: &RecordBatch, labels: &[Option<StringArray>]) -> Result<()> {
        if self == Cannot::Nothing {
            return Ok(());
        }
        for (at, (array, field)) in batch.columns().iter().zip(batch.schema().fields()).enumerate() {
            let missing = || match labels.get(at).and_then(Option::as_ref) {
                Some(labels) if labels.null_count() == 0 => false,
                Some(labels) => codes(array).iter().any(|&code| labels.is_null(code as usize)),
                None => array.logical_null_count() > 0,
            };
            let fault = match self {
                Cannot::Missing if missing() => fault!(
                    Data,
                    "release.no-text-for-missing",
                    "has missing cells, and no text stands for one in delimited text"
                )
                .help("list one in the policy: input.null = [\"\"]"),
                Cannot::NoNumber if !finite(array) => {
                    fault!(Data, "release.number-not-in-json", "holds numbers that JSON cannot").help(
                        "release to a .csv, .parquet or .arrow file, or make them missing with input.null",
                    )
                }
                _ => continue,
            };
            return Err(fault.column(field.name()).into());
        }
        Ok(())
    }
}

/// Whether all floating-point numbers of a column are numbers.
fn finite(array: &ArrayRef) -> bool {
    match array.data_type() {
        DataType::Float64 => array.as_primitive::<Float64Type>().iter().flatten().all(f64::is_finite),
        DataType::Float32 => array.as_primitive::<Float32Type>().iter().flatten().all(f32::is_finite),
        _ => true,
    }
}

impl Sink {
    /// Opens a temporary file beside the output. Columns with labels come as codes of these.
    pub(crate) fn create(
        path: &Path,
        policy: &Policy,
        schema: SchemaRef,
        labels: Vec<Option<StringArray>>,
    ) -> Result<Self> {
        let name = path.display().to_string();
        let format = Format::of_output(&name).map_err(|fault| fault.file(&name))?;
        let schema = plain(&schema, format);
        let mut file =
            Hashed { file: BufWriter::with_capacity(1 << 17, temporary(path)?), hasher: Sha256::new() };
        let fail = |e: &dyn std::fmt::Display| unwritable(&name, e);
        let (writer, encoding) = match format {
            Format::Csv => {
                let delimiter = policy.output.delimiter.unwrap_or(policy.input.delimiter) as u8;
                let missing = missing_text(policy).unwrap_or_default().to_owned();
                let rows = CsvRows::new(delimiter, &missing, &labels);
                let header = rows.header(schema.fields().iter().map(|field| field.name().as_str()));
                file.write_all(&header).map_err(|e| fail(&e))?;
                (Writer::Csv(Box::new(file)), Encoding::Csv { rows, delimiter, missing })
            }
            Format::Parquet => {
                let options =
                    ArrowWriterOptions::new().with_properties(properties()).with_skip_arrow_metadata(true);
                let writer =
                    ArrowWriter::try_new_with_options(file, schema.clone(), options).map_err(|e| fail(&e))?;
                let (writer, factory) = writer.into_serialized_writer().map_err(|e| fail(&e))?;
                let columns = writer.schema_descr().clone();
                (Writer::Parquet(Box::new(writer)), Encoding::Parquet { factory, columns })
            }
            // With its nulls, or a column that starts with one would change its place.
            Format::Json => {
                let options = WriterBuilder::new().with_explicit_nulls(true);
                (Writer::Json(Box::new(options.build(file))), Encoding::Rows)
            }
            Format::Arrow => {
                let writer = FileWriter::try_new(file, &schema).map_err(|e| fail(&e))?;
                (Writer::Arrow(Box::new(writer)), Encoding::Rows)
            }
            Format::Excel | Format::Stata | Format::Sas | Format::Spss => {
                return Err(Fault::bug("a format that is only read was not refused").into());
            }
        };
        let cannot = match format {
            Format::Csv if missing_text(policy).is_none() => Cannot::Missing,
            Format::Json => Cannot::NoNumber,
            _ => Cannot::Nothing,
        };
        let firsts = labels.iter().map(|labels| labels.as_ref().map(first_codes)).collect();
        let encoder = Encoder { encoding, schema, cannot, labels, firsts };
        Ok(Sink { path: path.to_owned(), writer, encoder, rows: 0, waiting: Vec::new(), full: Vec::new() })
    }

    /// The output's name, for messages.
    pub(crate) fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// The output's folder.
    pub(crate) fn folder(&self) -> &Path {
        folder(&self.path)
    }

    /// Both what encodes rows, on any thread, and what they are then given to, in order.
    pub(crate) fn parts(&mut self) -> (&Encoder, impl FnMut(usize, Encoded) -> Result<u64>) {
        let Sink { path, writer, encoder, rows, .. } = self;
        let append = move |count: usize, encoded: Encoded| {
            *rows += count as u64;
            append(writer, encoded).map_err(|e| unwritable(&path.display().to_string(), &e))?;
            Ok(*rows)
        };
        (encoder, append)
    }

    /// Adds rows in their order. They are encoded on all cores, some groups at a time.
    pub(crate) fn write(&mut self, batch: RecordBatch) -> Result<()> {
        self.waiting.push(batch);
        let rows: usize = self.waiting.iter().map(RecordBatch::num_rows).sum();
        let bytes: usize = self.waiting.iter().map(RecordBatch::get_array_memory_size).sum();
        if rows >= GROUP || bytes >= GROUP_BYTES {
            self.full.push(std::mem::take(&mut self.waiting));
        }
        if self.full.len() >= threads() { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<()> {
        let full = std::mem::take(&mut self.full);
        let (encoder, mut append) = self.parts();
        let encode = |batches: &Vec<RecordBatch>| {
            let group =
                concat_batches(batches[0].schema_ref(), batches).map_err(|e| Fault::bug(e.to_string()))?;
            Ok((group.num_rows(), encoder.encode(&group)?))
        };
        let encoded: Vec<Result<(usize, Encoded)>> = full.par_iter().map(encode).collect();
        for group in encoded {
            let (rows, group) = group?;
            append(rows, group)?;
        }
        Ok(())
    }

    /// Closes the file and gives it its name.
    pub(crate) fn finish(mut self) -> Result<Written> {
        if !self.waiting.is_empty() {
            self.full.push(std::mem::take(&mut self.waiting));
        }
        self.flush()?;
        if self.rows == 0 && matches!(self.writer, Writer::Json(_)) {
            return Err(fault!(
                Unsolvable,
                "release.json-without-rows",
                "every row would be suppressed, and JSON without rows has no columns",
            )
            .file(self.name())
            .help("lower k or privacy.suppression, or release to a .csv, .parquet or .arrow file")
            .into());
        }
        let name = self.name();
        let fail = |e: &dyn std::fmt::Display| unwritable(&name, e);
        let hashed = match self.writer {
            Writer::Csv(w) => *w,
            Writer::Parquet(w) => w.into_inner().map_err(|e| fail(&e))?,
            Writer::Json(mut w) => {
                w.finish().map_err(|e| fail(&e))?;
                w.into_inner()
            }
            Writer::Arrow(mut w) => {
                w.finish().map_err(|e| fail(&e))?;
                w.into_inner().map_err(|e| fail(&e))?
            }
        };
        let Hashed { file, hasher } = hashed;
        let file = file.into_inner().map_err(|e| fail(&e.into_error()))?;
        persist(file, &self.path)?;
        Ok(Written {
            sha256: hex(&hasher.finalize()),
            rows: self.rows,
            columns: self.encoder.schema.fields().iter().map(|f| f.name().clone()).collect(),
            exposed: Vec::new(),
            classes_of_rows: Vec::new(),
            counted: None,
            text: BTreeMap::new(),
        })
    }
}

/// Writes encoded rows behind those before.
fn append(writer: &mut Writer, encoded: Encoded) -> Result<(), Box<dyn std::error::Error>> {
    match (writer, encoded) {
        (Writer::Csv(file), Encoded::Text(text)) => file.write_all(&text)?,
        (Writer::Parquet(file), Encoded::Group(columns)) => {
            let mut group = file.next_row_group()?;
            for column in columns {
                match column {
                    GroupColumn::Coded(chunk) => {
                        let (bytes, closed) = chunk.into_parts();
                        group.append_column(&bytes, closed)?;
                    }
                    GroupColumn::Other(chunk) => chunk.append_to_row_group(&mut group)?,
                }
            }
            group.close()?;
        }
        (Writer::Json(file), Encoded::Rows(rows)) => file.write(&rows)?,
        (Writer::Arrow(file), Encoded::Rows(rows)) => file.write(&rows)?,
        _ => return Err("rows were encoded for another format".into()),
    }
    Ok(())
}

/// Code of a label → the first code of the same label.
fn first_codes(labels: &StringArray) -> Vec<u32> {
    let mut first: FxHashMap<Option<&str>, u32> = FxHashMap::default();
    labels.iter().enumerate().map(|(code, label)| *first.entry(label).or_insert(code as u32)).collect()
}

/// Writes a small file whole or not at all.
///
/// # Errors
/// When it cannot be written; then nothing is left behind.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = temporary(path)?;
    file.write_all(bytes).map_err(|e| unwritable(&path.display().to_string(), &e))?;
    persist(file, path)
}

pub(crate) fn folder(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

pub(crate) fn temporary(path: &Path) -> Result<staging::File> {
    let name = path.display().to_string();
    let folder = folder(path);
    if !folder.is_dir() {
        return Err(no_folder(&name, folder).into());
    }
    // Only the kind: the rest of the message names a temporary file.
    staging::File::new(folder).map_err(|e| unwritable(&name, &e.kind()))
}

/// A file that has no folder to be in.
pub(crate) fn no_folder(file: &str, folder: &Path) -> Fault {
    fault!(
        System,
        "file.no-folder",
        "cannot be written: there is no folder {folder}",
        folder = folder.display()
    )
    .file(file)
    .help("make the folder first, or give another path; nothing was written")
}

pub(crate) fn persist(file: staging::File, path: &Path) -> Result<()> {
    let fail = |e: &dyn std::fmt::Display| unwritable(&path.display().to_string(), e);
    open_to_others(file.as_file()).map_err(|e| fail(&e))?;
    file.as_file().sync_all().map_err(|e| fail(&e))?;
    file.persist(path).map_err(|e| fail(&e))
}

/// Temporary files are private; a release is as readable as any new file, less what the mask
/// forbids.
#[cfg(unix)]
fn open_to_others(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn open_to_others(_: &File) -> io::Result<()> {
    Ok(())
}

/// Text instead of keyed text, and nothing but names and types: no metadata of the input travels
/// along.
fn plain(schema: &Schema, format: Format) -> SchemaRef {
    let fields: Vec<Field> =
        schema.fields().iter().map(|f| Field::new(f.name(), held(f.data_type(), format), true)).collect();
    std::sync::Arc::new(Schema::new(fields))
}

/// The type that a file holds a column in: the same cells, read back as the same texts.
fn held(kind: &DataType, format: Format) -> DataType {
    use DataType::{
        Date64, Decimal32, Decimal64, Decimal128, Decimal256, Dictionary, Duration, Interval, LargeUtf8,
        Time32, Timestamp, UInt64, Utf8, Utf8View,
    };
    use TimeUnit::{Millisecond, Second};
    let parquet = format == Format::Parquet;
    match kind {
        Dictionary(_, value) if parquet && value.is_string() => kind.clone(),
        Dictionary(_, value) => held(value, format),
        Utf8View | LargeUtf8 => Utf8,
        // Parquet knows UTC and no other time zone, and nothing as coarse as a second.
        Timestamp(Second, zone) if parquet => Timestamp(Millisecond, zone.as_ref().map(|_| UTC.into())),
        Timestamp(unit, Some(_)) => Timestamp(*unit, Some(UTC.into())),
        Date64 if parquet => Timestamp(Millisecond, None),
        Time32(Second) if parquet => Time32(Millisecond),
        Duration(_) | Interval(_) if parquet => Utf8,
        // Readers of JSON take every number for one of 64 bits.
        UInt64 | Decimal32(..) | Decimal64(..) | Decimal128(..) | Decimal256(..)
            if format == Format::Json =>
        {
            Utf8
        }
        other => other.clone(),
    }
}

fn properties() -> WriterProperties {
    WriterProperties::builder()
        .set_created_by(format!("throng {}", env!("CARGO_PKG_VERSION")))
        .set_compression(Compression::SNAPPY)
        .set_key_value_metadata(None)
        // Of pages, neither statistics nor an index: columns of codes have none.
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true)
        .build()
}
