//! Digests of the files that a policy names beside its table: hierarchies, posets, the population,
//! files that are joined.
//!
//! Each call reads each file once. Keys are not among them: a digest would give a short key away.

use std::collections::BTreeMap;

use throng::error::{Fault, Result};
use throng::policy::Policy;
use throng::watch::Watch;

use crate::digest::{digest_file, digest_files};
use crate::policy_file::PolicyFile;
use crate::source::find;

impl PolicyFile {
    /// Path as the policy writes it → SHA-256.
    ///
    /// # Errors
    /// A file that is missing or cannot be read.
    pub(crate) fn files(&self, watch: &Watch) -> Result<BTreeMap<String, String>> {
        let files = self.policy.files().into_iter();
        let digest = |path: &str| {
            let column = self.policy.column_of_file(path);
            let named = |fault: Fault| match column {
                Some(column) => fault.column(column),
                None => fault,
            };
            self.digest(path, watch).map_err(|e| e.map(named))
        };
        files.map(|path| Ok((path.to_owned(), digest(path)?))).collect()
    }

    /// The same for the verifier, which is also asked about files that are missing.
    ///
    /// # Errors
    /// A file that is there and cannot be read.
    pub(crate) fn found_files(&self, watch: &Watch) -> Result<BTreeMap<String, Option<String>>> {
        let files = self.policy.files().into_iter();
        let digest = |path| (!self.lacks(path)).then(|| self.digest(path, watch)).transpose();
        files.map(|path| Ok((path.to_owned(), digest(path)?))).collect()
    }

    /// Whether a file that the policy names is missing.
    pub(crate) fn lacks_files(&self) -> bool {
        self.policy.files().into_iter().any(|path| self.lacks(path))
    }

    fn lacks(&self, path: &str) -> bool {
        let pattern = self.is_table(path) && find(path, self.folder()).is_ok();
        !pattern && self.bundled(path).is_none() && !self.folder().join(path).exists()
    }

    /// Whether a file is a table, which may be several files.
    fn is_table(&self, path: &str) -> bool {
        let population = self.policy.population().map(|(_, path)| path);
        let joined = self.policy.input.joined_files();
        population.into_iter().chain(joined.into_iter().map(|(_, path)| path)).any(|table| table == path)
    }

    fn digest(&self, path: &str, watch: &Watch) -> Result<String> {
        if let Some(text) = self.bundled(path) {
            return Ok(Policy::digest(text));
        }
        match self.is_table(path) {
            true => digest_files(&find(path, self.folder())?, watch),
            false => digest_file(&self.folder().join(path), watch),
        }
    }
}
