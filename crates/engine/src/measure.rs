//! Reads a release and its original to measure them, each once.

use throng::error::Result;
use throng::measure::{Correspondence, Inputs, Measures, measure};
use throng::watch::Watch;

use crate::Engine;
use crate::policy_file::{PolicyFile, explain_delimiter, in_table};
use crate::source::Source;
use crate::table::FileTable;

impl Engine {
    /// Measures a release of an original, as a policy describes it; `starred` if rows of nothing but
    /// `*` are suppressed.
    ///
    /// # Errors
    /// What cannot be read, and what does not fit: see [`measure`].
    pub fn measure_release(
        &self,
        policy: &PolicyFile,
        (original, release): (&Source, &Source),
        (rows, starred): (Correspondence<'_>, bool),
        watch: &Watch,
    ) -> Result<Measures> {
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
        measure(&inputs)
            .map_err(|e| {
                // Of the faults of this command, those about cells and columns are the release's.
                e.map(|fault| match fault.code.starts_with("measure.") && fault.place.key.is_none() {
                    true => fault.file(&release.name),
                    false => fault,
                })
            })
            .map_err(|e| in_table(e, original))
    }
}
