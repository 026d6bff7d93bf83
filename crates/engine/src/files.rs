//! Digests of the files that a policy names beside its table: hierarchies, posets, the population.
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
        let pattern = self.is_population(path) && find(path, self.folder()).is_ok();
        !pattern && self.bundled(path).is_none() && !self.folder().join(path).exists()
    }

    fn is_population(&self, path: &str) -> bool {
        self.policy.population().is_some_and(|(_, population)| population == path)
    }

    fn digest(&self, path: &str, watch: &Watch) -> Result<String> {
        if let Some(text) = self.bundled(path) {
            return Ok(Policy::digest(text));
        }
        let population = if self.is_population(path) { self.population()? } else { None };
        match population {
            Some(population) => digest_files(&population.files, watch),
            None => digest_file(&self.folder().join(path), watch),
        }
    }
}
