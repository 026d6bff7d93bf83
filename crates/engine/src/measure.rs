//! Reads a release, its original and what outsiders know to measure them, each once.

use std::path::Path;

use throng::anonymous_system::Protection;
use throng::error::{Error, Result};
use throng::measure::{Correspondence, Inputs, Measures, Outside, measure, measure_rows, protection};
use throng::rows::Rows;
use throng::watch::Watch;

use crate::Engine;
use crate::holder::{HolderFile, beside};
use crate::overwrite_guard::{Existing, OverwriteGuard};
use crate::policy_file::{PolicyFile, explain_delimiter, in_table};
use crate::source::Source;
use crate::table::FileTable;

impl Engine {
    /// Measures a release of an original, as a policy describes it; `starred` if rows of nothing but
    /// `*` are suppressed. `rows_to` is where the figures of single rows go, for the holder alone, and
    /// what becomes of a file that is there.
    ///
    /// # Errors
    /// What cannot be read, and what does not fit: see [`measure`].
    pub fn measure_release(
        &self,
        policy: &PolicyFile,
        (original, release): (&Source, &Source),
        (rows, starred): (Correspondence<'_>, bool),
        rows_to: Option<(&Path, Existing)>,
        watch: &Watch,
    ) -> Result<Measures> {
        if let Some((path, existing)) = rows_to {
            let of_release =
                |guard, file: &std::path::PathBuf| OverwriteGuard::and(guard, "the release", file);
            let of_original =
                |guard, file: &std::path::PathBuf| OverwriteGuard::and(guard, "the original", file);
            let guard = original.files.iter().fold(OverwriteGuard::of_policy(policy), of_original);
            let mut guard = release.files.iter().fold(guard, of_release);
            let taken = guard.claim(path, "the figures of rows", existing);
            let near = release.files.iter().find_map(|file| beside(path, file));
            Error::check(taken.or(near).into_iter().collect())?;
        }
        let original = &self.prepared(original.clone(), policy, watch)?;
        let columns = self.columns(original)?;
        policy.policy.bind(&columns).map_err(|e| explain_delimiter(e, original, &columns))?;
        let inputs = Inputs {
            policy: &policy.policy,
            original: &FileTable::new(self, original)?,
            release: &FileTable::new(self, release)?,
            rows,
            starred,
            load: &|path| policy.load(path),
            watch,
        };
        let measured = match rows_to {
            None => measure(&inputs),
            Some((path, _)) => measure_rows(&inputs).and_then(|(measures, rows)| {
                HolderFile::write(path, |write| rows.write(write))?.publish()?;
                Ok(measures)
            }),
        };
        measured.map_err(|e| in_tables(e, release, original))
    }

    /// Checks a release of an original against a population and the tables that outsiders have;
    /// `truth` is the column that names people.
    ///
    /// # Errors
    /// What cannot be read, and what does not fit: see [`protection`].
    pub fn measure_protection(
        &self,
        policy: &PolicyFile,
        (original, release): (&Source, &Source),
        (population, external): (&Source, &[Source]),
        (rows, truth): (Correspondence<'_>, Option<&str>),
        watch: &Watch,
    ) -> Result<Protection> {
        let original = &self.prepared(original.clone(), policy, watch)?;
        let columns = self.columns(original)?;
        policy.policy.bind(&columns).map_err(|e| explain_delimiter(e, original, &columns))?;
        let inputs = Inputs {
            policy: &policy.policy,
            original: &FileTable::new(self, original)?,
            release: &FileTable::new(self, release)?,
            rows,
            starred: false,
            load: &|path| policy.load(path),
            watch,
        };
        let external = external.iter().map(|source| FileTable::new(self, source));
        let external = external.collect::<Result<Vec<_>>>()?;
        let external: Vec<&dyn Rows> = external.iter().map(|table| table as &dyn Rows).collect();
        let population = &FileTable::new(self, population)?;
        protection(&Outside { inputs, population, external: &external, truth })
            .map_err(|e| in_tables(e, release, original))
    }
}

/// Of the faults of this command, those about cells and columns are the release's.
fn in_tables(error: Error, release: &Source, original: &Source) -> Error {
    let error = error.map(|fault| match fault.code.starts_with("measure.") && fault.place.key.is_none() {
        true => fault.file(&release.name),
        false => fault,
    });
    in_table(error, original)
}
