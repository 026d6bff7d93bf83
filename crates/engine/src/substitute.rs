//! Pseudonyms for identifiers and subjects: reads the keys that a policy names. The values of these
//! columns are collected while the table is grouped, so that no pseudonym is a real value.
//!
//! The secret is in a file or in the environment and stays there: no output contains it. Costs
//! about 16 bytes of memory per distinct value, and its text where values are numbered;
//! [`throng::pseudonym`] derives the pseudonyms.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray};
use rayon::prelude::*;
use throng::error::{Fault, Result};
use throng::fault;
use throng::policy::{self, Policy};
use throng::pseudonym::{Key, KeyedValues, Numbers, Originals, Pseudonyms};
use throng::watch::Watch;

use crate::cells::Cells;
use crate::error::unreadable;
use crate::policy_file::PolicyFile;
use crate::source::Source;

/// How a secret is made, for those who have none yet.
const MAKE: &str = "openssl rand -hex 32";

/// The columns that are substituted, each with its pseudonyms.
#[derive(Debug, Default)]
pub struct Substitutes {
    columns: Vec<(String, Option<Replacement>)>,
}

/// What replaces the values of a column.
#[derive(Debug)]
enum Replacement {
    Pseudonyms(Pseudonyms),
    Keyed(KeyedValues),
    Numbers(Numbers),
}

/// How a column is replaced, with its key where it has one.
#[derive(Debug)]
pub(crate) enum Way {
    Substitute(Key),
    Keyed(Key),
    Number,
}

/// The columns that are replaced, and how.
pub(crate) type Keys = Vec<(String, Way)>;

impl PolicyFile {
    /// Reads the keys that the policy names.
    ///
    /// # Errors
    /// A key that is not there, or too short.
    pub(crate) fn keys(&self) -> Result<Keys> {
        let mut keys = Vec::new();
        for (name, column) in &self.policy.columns {
            let Some(transform) = &column.transform else { continue };
            let key = transform.key().map(|place| {
                let key = secret(place, self.folder()).and_then(|secret| Key::new(&secret));
                key.map_err(|e| e.map(|fault| fault.key(format!("columns.{name}.transform"))))
            });
            let way = match (transform, key.transpose()?) {
                (policy::Transform::Substitute(_), Some(key)) => Way::Substitute(key),
                (policy::Transform::Keyed(_), Some(key)) => Way::Keyed(key),
                (policy::Transform::Number(_), _) => Way::Number,
                // Dates and texts are not identifiers: see `shift.rs` and `notes/`.
                (policy::Transform::Shift(_) | policy::Transform::Scrub(_), _) => continue,
                (_, None) => return Err(Fault::bug("a transform without the place of its key").into()),
            };
            keys.push((name.clone(), way));
        }
        Ok(keys)
    }

    /// The files that the policy names as keys.
    pub(crate) fn key_files(&self) -> impl Iterator<Item = PathBuf> {
        let columns = self.policy.columns.values();
        let files = columns.filter_map(|column| column.transform.as_ref()?.key()?.0);
        let drawn = self.policy.differential_privacy().and_then(|asked| asked.key_file.as_deref());
        let ledger = self.policy.ledger.as_ref().and_then(|ledger| ledger.key_file.as_deref());
        let certificate = self.policy.certificate.iter();
        let certificate = certificate.flat_map(|spec| spec.key_file.iter().chain(&spec.sign_with));
        let others = ledger.into_iter().chain(certificate.map(String::as_str));
        files.chain(drawn).chain(others).map(|file| self.folder().join(file))
    }
}

/// The bytes of a secret, without the end of its line.
pub(crate) fn secret((key_file, key_env): (Option<&str>, Option<&str>), folder: &Path) -> Result<Vec<u8>> {
    let mut secret = match (key_file, key_env) {
        (Some(file), _) => {
            let path = folder.join(file);
            let name = path.display().to_string();
            std::fs::read(&path).map_err(|e| {
                let help = format!("name the file that holds the key, or make one: {MAKE} > {name}");
                unreadable(&name, &e).map(|fault| fault.help(&help))
            })?
        }
        (None, Some(name)) => {
            let help = format!("export {name}=$({MAKE}), and keep it safe: another key gives other values");
            let value = std::env::var_os(name).filter(|value| !value.is_empty()).ok_or_else(|| {
                fault!(
                    Input,
                    "pseudonym.variable-not-set",
                    "the variable `{variable}` is not set, or is empty",
                    variable = name
                )
                .help(help)
            })?;
            value.into_encoded_bytes()
        }
        (None, None) => return Err(Fault::bug("a policy without the place of a key was not refused").into()),
    };
    if secret.last() == Some(&b'\n') {
        secret.pop();
        secret.pop_if(|last| *last == b'\r');
    }
    Ok(secret)
}

/// What is collected of the columns that are substituted: nothing yet.
pub(crate) fn replaced(policy: &Policy, keys: &Keys) -> Vec<(String, Originals)> {
    let none = |(name, way): &(String, Way)| {
        let mut originals = match way {
            Way::Substitute(_) => Originals::new(),
            Way::Keyed(_) | Way::Number => Originals::listing(),
        };
        // What reads as missing must not come out either.
        policy.input.null.iter().for_each(|null| originals.avoid(null));
        (name.clone(), originals)
    };
    keys.iter().map(none).collect()
}

impl Substitutes {
    /// Of the keys of columns, and the values that these have. Numbers are given in an order that
    /// the table and the seed decide.
    ///
    /// # Errors
    /// Values that cannot be replaced.
    pub(crate) fn new(
        keys: Keys,
        originals: Vec<Originals>,
        (source, seed): (&Source, u64),
        watch: &Watch,
    ) -> Result<Self> {
        let columns = keys.into_iter().zip(originals).map(|((name, way), originals)| {
            let here = |fault: Fault| fault.column(&name).file(&source.name);
            let replacement = match way {
                Way::Substitute(key) => {
                    let pseudonyms = Pseudonyms::new(&key, originals).map_err(|e| e.map(here))?;
                    pseudonyms.map(Replacement::Pseudonyms)
                }
                Way::Keyed(key) => Some(Replacement::Keyed(KeyedValues::new(&key))),
                Way::Number => {
                    let order = source.digests(watch)?.order_key(seed)?;
                    Some(Replacement::Numbers(Numbers::new(&order, &originals)))
                }
            };
            Ok((name, replacement))
        });
        Ok(Substitutes { columns: columns.collect::<Result<_>>()? })
    }
}

impl Substitutes {
    /// Whether a column is substituted.
    pub(crate) fn has(&self, column: &str) -> bool {
        self.columns.iter().any(|(name, _)| name == column)
    }

    /// The pseudonyms of a column's cells; missing cells stay missing.
    pub(crate) fn replace(&self, column: &str, array: &ArrayRef) -> Result<ArrayRef> {
        let cells = Cells::new(column, array)?;
        let replacement = self.columns.iter().find(|(name, _)| name == column).and_then(|(_, r)| r.as_ref());
        let replace = |row: usize| match (cells.get(row), replacement) {
            (None, _) => Ok(None),
            (Some(value), Some(Replacement::Pseudonyms(pseudonyms))) => pseudonyms.replace(value).map(Some),
            (Some(value), Some(Replacement::Keyed(keyed))) => Ok(Some(keyed.replace(value))),
            (Some(value), Some(Replacement::Numbers(numbers))) => numbers.replace(value).map(Some),
            (Some(_), None) => Err(fault!(
                Data,
                "table.changed-while-reading",
                "the table changed while it was being released"
            )
            .help("release a copy that nobody writes to")
            .into()),
        };
        let values: Result<Vec<Option<String>>> = (0..cells.len()).into_par_iter().map(replace).collect();
        let values = values.map_err(|e| e.map(|fault| fault.column(column)))?;
        Ok(Arc::new(StringArray::from(values)))
    }
}
