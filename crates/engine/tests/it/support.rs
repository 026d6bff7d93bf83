//! What the tests share: folders that vanish, policies in a line, and a second way to read every
//! format.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use arrow::array::{Array, ArrayRef, RecordBatch};
use arrow::datatypes::{Field, Schema};
use arrow::ipc::reader::FileReader;
use arrow::ipc::writer::FileWriter;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use tempfile::TempDir;
use throng::error::Result;
use throng::policy::{Format, Header, Input};
use throng::watch::Watch;
use throng_engine::{Cells, Done, Engine, HolderFiles, Job, PolicyFile, Source};

/// One engine for all tests: it is meant to be shared.
pub static ENGINE: LazyLock<Engine> = LazyLock::new(Engine::new);

pub type Row = Vec<Option<String>>;

/// How many random cases to try: as many times the usual number as `THRONG_EFFORT` says.
pub fn effort(usual: u32) -> u32 {
    usual * std::env::var("THRONG_EFFORT").map_or(1, |times| times.parse().unwrap())
}

/// A folder for one test.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Self {
        Folder(TempDir::new().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    /// Everything in the folder, hidden files too.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Writes a policy and reads it as the program does.
    pub fn policy(&self, text: &str) -> PolicyFile {
        let path = self.write("policy.toml", text);
        PolicyFile::read(&path).unwrap_or_else(|e| panic!("{e}\n{text}")).0
    }

    /// Opens a table of this folder with the defaults of a policy.
    pub fn open(&self, path: &str) -> Result<Source> {
        self.open_as(&input(path))
    }

    pub fn open_as(&self, input: &Input) -> Result<Source> {
        Source::open(input, self.0.path())
    }
}

/// An input with a policy's defaults.
pub fn input(path: &str) -> Input {
    Input { header: Some(Header::FirstLine), ..Input::of(path) }
}

/// All rows of a table, as the engine reads them.
pub fn rows(source: &Source) -> Result<Vec<Row>> {
    rows_of(source, &ENGINE.columns(source)?)
}

/// All rows of some columns.
pub fn rows_of(source: &Source, columns: &[String]) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    ENGINE.scan(source, columns, &Watch::none(), |batch| {
        let cells = batch
            .columns()
            .iter()
            .zip(columns)
            .map(|(array, name)| Cells::new(name, array))
            .collect::<Result<Vec<_>>>()?;
        rows.extend(
            (0..batch.num_rows()).map(|row| cells.iter().map(|c| c.get(row).map(String::from)).collect()),
        );
        Ok(())
    })?;
    Ok(rows)
}

/// A row of present cells.
pub fn row(cells: &[&str]) -> Row {
    cells.iter().map(|c| Some((*c).to_owned())).collect()
}

pub fn strings(names: &[&str]) -> Vec<String> {
    names.iter().map(|n| (*n).to_owned()).collect()
}

/// A job that nobody watches and nobody stops.
pub fn job(policy: &PolicyFile) -> Job<'_> {
    let holder = HolderFiles::default();
    Job { policy, output: None, holder, seed: None, time_limit: None, watch: Watch::none() }
}

pub fn release(policy: &PolicyFile) -> Result<Done> {
    ENGINE.release(&job(policy))
}

/// A batch of named columns; all may be null.
pub fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    let fields: Vec<Field> =
        columns.iter().map(|(name, array)| Field::new(*name, array.data_type().clone(), true)).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns.into_iter().map(|(_, a)| a).collect())
        .unwrap()
}

pub fn write_parquet(path: &Path, batches: &[RecordBatch]) {
    let mut writer = ArrowWriter::try_new(File::create(path).unwrap(), batches[0].schema(), None).unwrap();
    batches.iter().for_each(|b| writer.write(b).unwrap());
    writer.close().unwrap();
}

pub fn write_arrow(path: &Path, batches: &[RecordBatch]) {
    let mut writer = FileWriter::try_new(File::create(path).unwrap(), &batches[0].schema()).unwrap();
    batches.iter().for_each(|b| writer.write(b).unwrap());
    writer.finish().unwrap();
}

/// A file's header and rows, read without the engine. Empty cells of CSV and absent keys of JSON
/// are `None`.
pub fn read(path: &Path) -> (Vec<String>, Vec<Row>) {
    match Format::of_path(&path.to_string_lossy()).unwrap() {
        Format::Csv => read_csv(path, b','),
        Format::Json => read_json(path),
        Format::Parquet => {
            let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
            let columns = reader.schema().fields().iter().map(|f| f.name().clone()).collect();
            (columns, texts(reader.build().unwrap().map(|b| b.unwrap())))
        }
        Format::Arrow => {
            let reader = FileReader::try_new(File::open(path).unwrap(), None).unwrap();
            let columns = reader.schema().fields().iter().map(|f| f.name().clone()).collect();
            (columns, texts(reader.map(|b| b.unwrap())))
        }
        other => panic!("{} is only read", other.name()),
    }
}

pub fn read_csv(path: &Path, delimiter: u8) -> (Vec<String>, Vec<Row>) {
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).from_path(path).unwrap();
    let columns = reader.headers().unwrap().iter().map(String::from).collect();
    let cell = |c: &str| (!c.is_empty()).then(|| c.to_owned());
    (columns, reader.records().map(|r| r.unwrap().iter().map(cell).collect()).collect())
}

/// The columns come in no order to rely on.
fn read_json(path: &Path) -> (Vec<String>, Vec<Row>) {
    let text = fs::read_to_string(path).unwrap();
    let objects: Vec<serde_json::Map<String, serde_json::Value>> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut columns: Vec<String> = Vec::new();
    for key in objects.iter().flat_map(|o| o.keys()) {
        if !columns.contains(key) {
            columns.push(key.clone());
        }
    }
    let cell = |value: Option<&serde_json::Value>| match value {
        None | Some(serde_json::Value::Null) => None,
        Some(serde_json::Value::String(text)) => Some(text.clone()),
        Some(other) => Some(other.to_string()),
    };
    let rows = objects.iter().map(|o| columns.iter().map(|c| cell(o.get(c))).collect()).collect();
    (columns, rows)
}

fn texts(batches: impl Iterator<Item = RecordBatch>) -> Vec<Row> {
    let options = FormatOptions::new();
    let mut rows = Vec::new();
    for batch in batches {
        let columns: Vec<_> =
            batch.columns().iter().map(|a| (a, ArrayFormatter::try_new(a, &options).unwrap())).collect();
        for at in 0..batch.num_rows() {
            let cell = |(array, text): &(&ArrayRef, ArrayFormatter<'_>)| {
                let null = array.logical_nulls().is_some_and(|n| n.is_null(at));
                (!null).then(|| text.value(at).to_string())
            };
            rows.push(columns.iter().map(cell).collect());
        }
    }
    rows
}

/// The columns of a table in the order of `wanted`.
pub fn columns_of(table: &(Vec<String>, Vec<Row>), wanted: &[&str]) -> Vec<Row> {
    let places: Vec<usize> = wanted
        .iter()
        .map(|w| table.0.iter().position(|c| c == w).unwrap_or_else(|| panic!("{w} in {:?}", table.0)))
        .collect();
    table.1.iter().map(|row| places.iter().map(|&p| row[p].clone()).collect()).collect()
}

pub fn sorted<T: Ord>(mut items: Vec<T>) -> Vec<T> {
    items.sort();
    items
}
