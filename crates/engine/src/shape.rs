//! The shape of a released file beyond its cells: metadata that could leak information.

use std::fs::File;
use std::path::Path;

use arrow::ipc::reader::FileReader;
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use throng::error::Result;
use throng::policy::Format;

use crate::error::{unlike, unreadable};
use crate::ipc;

/// What a released file holds beside its table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shape {
    /// Names of metadata entries of the file or of its columns.
    pub metadata: Vec<String>,
    /// The program that wrote it, where the format says so.
    pub writer: Option<String>,
}

impl Shape {
    /// What should not be there, in a sentence; `None` when nothing is.
    pub fn fault(&self) -> Option<String> {
        if !self.metadata.is_empty() {
            return Some(format!("the file carries metadata: {}", self.metadata.join(", ")));
        }
        match &self.writer {
            Some(writer) if !writer.starts_with("throng ") => {
                Some(format!("the file was written by \"{writer}\", not by throng"))
            }
            _ => None,
        }
    }
}

/// Looks at a released file's footer or header.
///
/// # Errors
/// When it cannot be read.
pub fn shape(path: &Path) -> Result<Shape> {
    let name = path.display().to_string();
    let open = || File::open(path).map_err(|e| unreadable(&name, &e));
    let broken = |e: &dyn std::fmt::Display| unlike(&name, e);
    match Format::of_path(&name) {
        Some(Format::Parquet) => {
            let reader = SerializedFileReader::new(open()?).map_err(|e| broken(&e))?;
            let file = reader.metadata().file_metadata();
            let entries = file.key_value_metadata().into_iter().flatten().map(|kv| kv.key.clone());
            Ok(Shape { metadata: entries.collect(), writer: file.created_by().map(String::from) })
        }
        Some(Format::Arrow) => {
            ipc::check(path)?;
            let reader = FileReader::try_new(open()?, None).map_err(|e| broken(&e))?;
            let schema = reader.schema();
            let mut metadata: Vec<String> = schema.metadata().keys().cloned().collect();
            metadata.extend(reader.custom_metadata().keys().cloned());
            for field in schema.fields() {
                metadata.extend(field.metadata().keys().map(|k| format!("{}.{k}", field.name())));
            }
            metadata.sort();
            Ok(Shape { metadata, writer: None })
        }
        _ => Ok(Shape::default()),
    }
}
