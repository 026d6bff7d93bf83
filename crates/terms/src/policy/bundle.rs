//! A policy with the hierarchy and poset files that it names, as one JSON document:
//! `{"format": 1, "policy": "TEXT", "files": {"PATH": "TEXT"}}`.
//!
//! The table, the population and keys are never part of it. The policy is the text of its file, so
//! its digest, and with it the certificate, is the same from the folder and from the bundle. Costs
//! a copy of the files in memory.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::document::opening;
use super::tree::{self, Content, Node};
use super::{Policy, grammar};
use crate::error::{Error, Fault, Result};
use crate::fault;

/// The format that this version reads and writes.
const FORMAT: u32 = 1;

/// A policy with the hierarchy and poset files that it names.
///
/// [`PolicyBundle::load`] is what releasing and verifying read hierarchy files with:
/// `&|path| bundle.load(path)`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Document", into = "Document")]
pub struct PolicyBundle {
    text: String,
    policy: Policy,
    files: BTreeMap<String, String>,
}

/// A bundle as JSON.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    format: u32,
    policy: String,
    files: BTreeMap<String, String>,
}

impl PolicyBundle {
    /// Bundles the text of a policy with the files that it names, which `load` reads.
    ///
    /// # Errors
    /// The mistakes of the policy, or all files that cannot be read.
    pub fn new(text: impl Into<String>, load: &dyn Fn(&str) -> Result<String>) -> Result<Self> {
        let text = text.into();
        let policy = Policy::parse(&text)?;
        let (mut files, mut faults) = (BTreeMap::new(), Vec::new());
        for path in policy.hierarchy_files() {
            match load(path) {
                Ok(file) => drop(files.insert(path.to_owned(), file)),
                Err(error) => {
                    faults.extend(error.faults().iter().cloned().map(|f| of_column(&policy, path, f)))
                }
            }
        }
        Error::check(faults)?;
        Ok(PolicyBundle { text, policy, files })
    }

    /// Whether a text is a bundle: JSON with a number as `format` and a text as `policy`, or JSON
    /// with broken syntax that begins with a `format`.
    pub fn is_bundle(text: &str) -> bool {
        match Node::of_json(text) {
            Some(Node { content: Content::Table(entries), .. }) => {
                let has = |key: &str, begins: fn(char) -> bool| {
                    let value = entries.iter().find(|(name, _)| name.text == key).map(|(_, value)| value);
                    value.is_some_and(|value| text[value.span.clone()].starts_with(begins))
                };
                has("format", |c| c.is_ascii_digit()) && has("policy", |c| c == '"')
            }
            Some(_) => false,
            None => matches!(opening(text), Some(("format", '0'..='9'))),
        }
    }

    /// Reads a bundle.
    ///
    /// # Errors
    /// Text that is not a bundle; a format that this version does not know; mistakes of the policy;
    /// a file that the policy names and the bundle does not have, or the other way around.
    pub fn from_json(text: &str) -> Result<Self> {
        let root = Node::of_json(text);
        if let Some((key, _)) = root.as_ref().and_then(Node::duplicate) {
            let twice = fault!(Input, "bundle.duplicate-key", "the key is given twice");
            return Err(twice.key(key).help("write the bundle again with `throng policy bundle`").into());
        }
        let text = tree::body(text);
        check_format(text)?;
        let document: Document = serde_json::from_str(text).map_err(|error| {
            // Its lines are long: a place in them shows nothing.
            let mut fault = grammar::json_fault(&error, text);
            fault.place.span = None;
            Error::from(fault)
        })?;
        document.try_into()
    }

    /// The bundle as JSON. The same policy and files give the same text.
    ///
    /// # Errors
    /// Only if it cannot be written as JSON, which would be a mistake of ours.
    pub fn to_json(&self) -> Result<String> {
        let text = serde_json::to_string_pretty(self)
            .map_err(|e| Fault::bug(format!("a bundle cannot be written: {e}")))?;
        Ok(text + "\n")
    }

    /// The policy.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The text of the policy, whose digest certificates record.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The files by their paths, as the policy writes them.
    pub fn files(&self) -> &BTreeMap<String, String> {
        &self.files
    }

    /// The text of a file that the policy names.
    ///
    /// # Errors
    /// A file that the bundle does not have.
    pub fn load(&self, path: &str) -> Result<String> {
        self.files.get(path).cloned().ok_or_else(|| missing(path).into())
    }

    /// SHA-256 of the bundle as [`PolicyBundle::to_json`] writes it.
    ///
    /// # Errors
    /// Those of [`PolicyBundle::to_json`].
    pub fn digest(&self) -> Result<String> {
        Ok(Policy::digest(&self.to_json()?))
    }
}

impl From<PolicyBundle> for Document {
    fn from(bundle: PolicyBundle) -> Self {
        Document { format: FORMAT, policy: bundle.text, files: bundle.files }
    }
}

impl TryFrom<Document> for PolicyBundle {
    type Error = Error;

    fn try_from(document: Document) -> Result<Self> {
        let Document { format, policy: text, files } = document;
        if format != FORMAT {
            return Err(unknown_format(format).into());
        }
        let policy = Policy::parse(&text).map_err(|e| e.map(|fault| within(fault, &text)))?;
        let named = policy.hierarchy_files();
        let absent = named.iter().filter(|path| !files.contains_key(**path));
        let absent = absent.map(|path| of_column(&policy, path, missing(path)));
        let unnamed = files.keys().filter(|path| !named.contains(path.as_str()));
        let faults: Vec<Fault> = absent.chain(unnamed.map(|path| unused(path))).collect();
        Error::check(faults)?;
        Ok(PolicyBundle { text, policy, files })
    }
}

/// Refuses a format that this version does not know, whatever else such a bundle has.
fn check_format(text: &str) -> Result<()> {
    #[derive(Deserialize)]
    struct Head {
        format: u32,
    }
    match serde_json::from_str::<Head>(text) {
        Ok(Head { format }) if format != FORMAT => Err(unknown_format(format).into()),
        // The reader of the whole bundle says what is wrong.
        _ => Ok(()),
    }
}

fn unknown_format(format: u32) -> Fault {
    let version = env!("CARGO_PKG_VERSION");
    fault!(
        Input,
        "bundle.unknown-format",
        "the bundle has format {format}; throng {version} reads format {known}",
        format = format,
        version = version,
        known = FORMAT
    )
    .key("format")
    .help("read it with the version of throng that wrote it, or a later one")
}

fn missing(path: &str) -> Fault {
    fault!(Input, "bundle.missing-file", "the bundle does not have the file `{path}`", path = path)
        .help("write the bundle again with `throng policy bundle`")
}

fn unused(path: &str) -> Fault {
    fault!(Input, "bundle.unused-file", "the policy does not name the file `{path}`", path = path)
        .key("files")
        .help("remove it from the bundle")
}

/// Names the column whose hierarchy or poset is read from a file.
fn of_column(policy: &Policy, path: &str, fault: Fault) -> Fault {
    match policy.column_of_file(path) {
        Some(column) => fault.column(column),
        None => fault,
    }
}

/// A fault of the policy as one of the bundle, whose text has other places.
fn within(mut fault: Fault, text: &str) -> Fault {
    let span = fault.place.span.take();
    fault.place.line = None;
    if let (Some(span), None) = (span, &fault.place.key) {
        let line = 1 + text[..text.floor_char_boundary(span.start)].matches('\n').count();
        fault.message = format!("line {line} of the policy: {}", fault.message);
    }
    fault
}
