//! Reads a release, and its original, for the verifier.

use std::path::Path;

use throng::error::Result;
use throng::policy::{Column, Policy};
use throng::verify::Verifier;

use crate::Engine;
use crate::cells::Cells;
use crate::digest::{digest_file, digest_files};
use crate::regions::Hint;
use crate::release::PolicyFile;
use crate::source::Source;

impl Engine {
    /// Feeds the released file to the verifier.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read_release(&self, verifier: &mut Verifier<'_>, path: &Path, policy: &Policy) -> Result<()> {
        verifier.output_sha256(digest_file(path)?);
        let source = Source::release(path, policy)?;
        let columns = self.columns(&source)?;
        verifier.released_columns(&columns);
        self.feed(&source, &columns, |rows, cells| verifier.released_batch(rows, cells))
    }

    /// Feeds the original to the verifier: only what a release can hold, and what rows are guarded against.
    ///
    /// # Errors
    /// When it cannot be read, or the secret by which its rows were drawn cannot.
    pub(crate) fn read_original(
        &self,
        verifier: &mut Verifier<'_>,
        source: &Source,
        policy: &PolicyFile,
        hint: Option<&Hint>,
    ) -> Result<()> {
        let digest = digest_files(&source.files)?;
        if let Some(secret) = policy.secret()? {
            verifier.secret(&secret, &digest);
        }
        let policy = &policy.policy;
        verifier.input_sha256(digest);
        let mut columns = self.columns(source)?;
        let guards = policy.guards();
        let read =
            |c: &String| policy.columns.get(c).is_some_and(Column::released) || guards.contains(c.as_str());
        columns.retain(read);
        verifier.original_columns(&columns);
        if let Some(hint) = hint {
            hint.tell(verifier)?;
        }
        self.feed(source, &columns, |rows, cells| verifier.original_batch(rows, cells))
    }

    pub(crate) fn feed(
        &self,
        source: &Source,
        columns: &[String],
        mut each: impl FnMut(usize, &mut throng::verify::Cells<'_>) -> Result<()>,
    ) -> Result<()> {
        self.scan(source, columns, |batch| {
            let cells = batch
                .columns()
                .iter()
                .zip(columns)
                .map(|(array, name)| Cells::new(name, array))
                .collect::<Result<Vec<Cells>>>()?;
            each(batch.num_rows(), &mut |column, take| cells[column].each(take))
        })
    }
}
