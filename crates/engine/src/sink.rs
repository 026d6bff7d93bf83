//! Writes a release: to a temporary name in the output's folder, hashed on the way, then renamed.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use arrow::compute::cast;
use arrow::csv;
use arrow::datatypes::{DataType, Field, Float32Type, Float64Type, Schema, SchemaRef, TimeUnit};
use arrow::ipc::writer::FileWriter;
use arrow::json::WriterBuilder;
use arrow::json::writer::{LineDelimited, Writer as JsonWriter};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use sha2::{Digest, Sha256};
use throng::error::{Error, Fault, Result};
use throng::exposure::Exposed;
use throng::fault;
use throng::policy::{Format, Policy};
use throng::verify::ValueCounts;

use crate::cells::UTC;
use crate::digest::hex;
use crate::error::unwritable;
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

enum Writer {
    Csv(Box<csv::Writer<Hashed>>),
    Parquet(Box<ArrowWriter<Hashed>>),
    Json(Box<JsonWriter<Hashed, LineDelimited>>),
    Arrow(Box<FileWriter<Hashed>>),
}

/// A release being written.
pub(crate) struct Sink {
    path: PathBuf,
    writer: Writer,
    /// What the file holds: text where batches hold keyed text.
    schema: SchemaRef,
    rows: u64,
    cannot: Cannot,
}

/// What the file cannot hold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cannot {
    Nothing,
    /// A missing cell, because no text means one.
    Missing,
    /// A floating-point number that is none, or infinite.
    NoNumber,
}

impl Cannot {
    fn check(self, batch: &RecordBatch) -> Result<()> {
        for (array, field) in batch.columns().iter().zip(batch.schema().fields()) {
            let fault = match self {
                Cannot::Missing if array.logical_null_count() > 0 => fault!(
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
    /// Opens a temporary file beside the output.
    pub(crate) fn create(path: &Path, policy: &Policy, schema: SchemaRef) -> Result<Self> {
        let name = path.display().to_string();
        let format = Format::of_output(&name).map_err(|fault| fault.file(&name))?;
        let schema = plain(&schema, format);
        let file =
            Hashed { file: BufWriter::with_capacity(1 << 17, temporary(path)?), hasher: Sha256::new() };
        let fail = |e: &dyn std::fmt::Display| unwritable(&name, e);
        let writer = match format {
            Format::Csv => {
                let delimiter = policy.output.delimiter.unwrap_or(policy.input.delimiter) as u8;
                let options = csv::WriterBuilder::new()
                    .with_delimiter(delimiter)
                    .with_header(true)
                    .with_null(missing_text(policy).unwrap_or_default().into());
                Writer::Csv(Box::new(options.build(file)))
            }
            Format::Parquet => {
                let options =
                    ArrowWriterOptions::new().with_properties(properties()).with_skip_arrow_metadata(true);
                let writer =
                    ArrowWriter::try_new_with_options(file, schema.clone(), options).map_err(|e| fail(&e))?;
                Writer::Parquet(Box::new(writer))
            }
            // With its nulls, or a column that starts with one would change its place.
            Format::Json => {
                let options = WriterBuilder::new().with_explicit_nulls(true);
                Writer::Json(Box::new(options.build(file)))
            }
            Format::Arrow => {
                Writer::Arrow(Box::new(FileWriter::try_new(file, &schema).map_err(|e| fail(&e))?))
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
        Ok(Sink { path: path.to_owned(), writer, schema, rows: 0, cannot })
    }

    /// Rows written so far.
    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }

    /// The output's name, for messages.
    pub(crate) fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// The output's folder.
    pub(crate) fn folder(&self) -> &Path {
        folder(&self.path)
    }

    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.rows += batch.num_rows() as u64;
        let columns = batch.columns().iter().zip(self.schema.fields()).map(|(array, field)| {
            if array.data_type() == field.data_type() {
                Ok(ArrayRef::clone(array))
            } else {
                cast(array, field.data_type()).map_err(|e| Error::from(Fault::bug(e.to_string())))
            }
        });
        let columns = columns.collect::<Result<Vec<_>>>()?;
        let batch =
            RecordBatch::try_new(self.schema.clone(), columns).map_err(|e| Fault::bug(e.to_string()))?;
        self.cannot.check(&batch)?;
        let name = self.name();
        let fail = |e: &dyn std::fmt::Display| unwritable(&name, e);
        match &mut self.writer {
            Writer::Csv(w) => w.write(&batch).map_err(|e| fail(&e)),
            Writer::Parquet(w) => w.write(&batch).map_err(|e| fail(&e)),
            Writer::Json(w) => w.write(&batch).map_err(|e| fail(&e)),
            Writer::Arrow(w) => w.write(&batch).map_err(|e| fail(&e)),
        }
    }

    /// Closes the file and gives it its name.
    pub(crate) fn finish(mut self) -> Result<Written> {
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
        if self.rows == 0 {
            // A CSV writer writes its header with its first batch.
            self.write(&RecordBatch::new_empty(self.schema.clone()))?;
        }
        let name = self.name();
        let fail = |e: &dyn std::fmt::Display| unwritable(&name, e);
        let hashed = match self.writer {
            Writer::Csv(w) => w.into_inner(),
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
            columns: self.schema.fields().iter().map(|f| f.name().clone()).collect(),
            exposed: Vec::new(),
            classes_of_rows: Vec::new(),
            counted: None,
        })
    }
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
        .build()
}
