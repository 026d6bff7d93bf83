//! Pseudonyms for identifiers: reads the keys that a policy names. The values of these columns are
//! collected while the table is grouped, so that no pseudonym is a real value.
//!
//! The secret is in a file or in the environment and stays there: no output contains it. Costs
//! about 16 bytes of memory per distinct value; [`throng::pseudonym`] derives the pseudonyms.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{ArrayRef, StringArray};
use rayon::prelude::*;
use throng::error::{Fault, Result};
use throng::fault;
use throng::policy::Policy;
use throng::pseudonym::{Key, Originals, Pseudonyms};

use crate::cells::Cells;
use crate::error::unreadable;
use crate::policy_file::PolicyFile;
use crate::source::Source;

/// How a secret is made, for those who have none yet.
const MAKE: &str = "openssl rand -hex 32";

/// The columns that are substituted, each with its pseudonyms.
#[derive(Debug, Default)]
pub struct Substitutes {
    columns: Vec<(String, Option<Pseudonyms>)>,
}

/// The key of a column that is to be substituted.
pub(crate) type Keys = Vec<(String, Key)>;

impl PolicyFile {
    /// Reads the keys that the policy names.
    ///
    /// # Errors
    /// A key that is not there, or too short.
    pub(crate) fn keys(&self) -> Result<Keys> {
        let mut keys = Vec::new();
        for (name, column) in &self.policy.columns {
            let Some(substitute) = column.substitute() else { continue };
            let place = format!("columns.{name}.transform");
            let secret =
                secret((substitute.key_file.as_deref(), substitute.key_env.as_deref()), self.folder());
            let key = secret.and_then(|secret| Key::new(&secret));
            let key = key.map_err(|e| e.map(|fault| fault.key(&place)))?;
            keys.push((name.clone(), key));
        }
        Ok(keys)
    }

    /// The files that the policy names as keys.
    pub(crate) fn key_files(&self) -> impl Iterator<Item = PathBuf> {
        let columns = self.policy.columns.values();
        let files = columns.filter_map(|column| column.substitute()?.key_file.as_ref());
        let drawn = self.policy.differential_privacy().and_then(|asked| asked.key_file.as_ref());
        files.chain(drawn).map(|file| self.folder().join(file))
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
    let none = |(name, _): &(String, Key)| {
        let mut originals = Originals::new();
        // What reads as missing must not come out either.
        policy.input.null.iter().for_each(|null| originals.avoid(null));
        (name.clone(), originals)
    };
    keys.iter().map(none).collect()
}

impl Substitutes {
    /// Of the keys of columns, and the values that these have.
    ///
    /// # Errors
    /// Values that cannot be replaced.
    pub(crate) fn new(keys: Keys, originals: Vec<Originals>, source: &Source) -> Result<Self> {
        let columns = keys.into_iter().zip(originals).map(|((name, key), originals)| {
            let here = |fault: Fault| fault.column(&name).file(&source.name);
            let pseudonyms = Pseudonyms::new(&key, originals).map_err(|e| e.map(here))?;
            Ok((name, pseudonyms))
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
        let pseudonyms = self.columns.iter().find(|(name, _)| name == column).and_then(|(_, p)| p.as_ref());
        let replace = |row: usize| match (cells.get(row), pseudonyms) {
            (None, _) => Ok(None),
            (Some(value), Some(pseudonyms)) => pseudonyms.replace(value).map(Some),
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
