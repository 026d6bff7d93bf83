//! A policy with where it came from: its text, its folder and the files that it names.

use std::path::{Path, PathBuf};

use throng::error::{Error, Kind, Result};
use throng::fault;
use throng::policy::{POLICY, Policy};

use crate::error::unreadable;
use crate::source::Source;

/// A policy with where it came from.
#[derive(Debug, Clone)]
pub struct PolicyFile {
    /// What it asks for.
    pub policy: Policy,
    /// SHA-256 of its text.
    pub sha256: String,
    /// Where it is.
    pub path: PathBuf,
}

impl PolicyFile {
    /// Reads a policy.
    ///
    /// # Errors
    /// A file that cannot be read, or a policy with mistakes.
    pub fn read(path: &Path) -> Result<(Self, String)> {
        let name = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|e| unreadable(&name, &e))?;
        let text = POLICY.text(&name, &bytes)?;
        let policy = Policy::parse(text).map_err(|e| e.map(|f| f.file(&name)))?;
        let sha256 = Policy::digest(text);
        Ok((PolicyFile { policy, sha256, path: path.to_owned() }, text.to_owned()))
    }

    /// The folder that its paths are relative to.
    pub fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// Reads a hierarchy file that the policy names.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn load(&self, path: &str) -> Result<String> {
        let full = self.folder().join(path);
        let bytes = std::fs::read(&full).map_err(|e| unreadable(&full.display().to_string(), &e))?;
        String::from_utf8(bytes).map_err(|_| {
            fault!(Input, "hierarchy.not-utf8", "is not UTF-8")
                .file(full.display().to_string())
                .help("convert the hierarchy file")
                .into()
        })
    }
}

/// Names the table in faults about its cells, and the policy's key in those about a hierarchy.
pub(crate) fn in_table(error: Error, source: &Source) -> Error {
    error.map(|fault| {
        if fault.place.file.is_some() || fault.place.key.is_some() {
            return fault;
        }
        match (fault.kind, fault.place.column.clone()) {
            (Kind::Data, _) => fault.file(&source.name),
            (Kind::Input, Some(column)) => fault.key(format!("columns.{column}.hierarchy")),
            _ => fault,
        }
    })
}

/// A header with one column usually means that the delimiter is another.
pub(crate) fn explain_delimiter(error: Error, source: &Source, columns: &[String]) -> Error {
    let [only] = columns else { return error };
    let found = [';', ',', '\t', '|'].into_iter().find(|c| only.contains(*c));
    match found {
        Some(delimiter) => fault!(Input, "table.wrong-delimiter", "the table has one column")
            .file(&source.name)
            .line(1)
            .help(format!(
                "the cells seem to be divided by {delimiter:?}: set input.delimiter = {:?}",
                delimiter.to_string()
            ))
            .into(),
        None => error,
    }
}
