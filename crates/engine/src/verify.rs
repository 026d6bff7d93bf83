//! Reads a release, and its original, for the verifier.

use std::path::Path;

use throng::error::{Fault, Result};
use throng::fault;
use throng::hierarchy;
use throng::policy::{Column, Policy};
use throng::release::Certificate;
use throng::verify::{Finding, Verdict, Verifier};
use throng::watch::{Stage, Watch};

use crate::Engine;
use crate::assignment::Assignment;
use crate::cells::Cells;
use crate::digest::{digest_file, digest_files};
use crate::policy_file::PolicyFile;
use crate::shape::shape;
use crate::source::Source;

impl Engine {
    /// Judges a release by its file, the policy and the certificate, and with the original where
    /// given. Where rows were put into regions, the original is put into regions again, to know
    /// which rows the verifier has to compare. Where a file that the policy names is missing, the
    /// verdict has the claim `files` and no other.
    ///
    /// # Errors
    /// When a file cannot be read, or the work was asked to stop. A claim that does not hold is no
    /// error: it is in the verdict.
    pub fn verify(
        &self,
        policy: &PolicyFile,
        output: &Path,
        certificate: &Certificate,
        original: Option<&Source>,
        watch: &Watch,
    ) -> Result<Verdict> {
        let assignment = original.filter(|_| policy.policy.forms_regions() && !policy.lacks_files());
        if assignment.is_some() && certificate.format == 0 {
            return Err(formed_by_row_order(&certificate.release.version).into());
        }
        let seed = certificate.release.seed;
        let assignment = assignment.map(|source| self.assignment(policy, source, seed, watch)).transpose()?;
        self.verify_with(policy, output, certificate, (original, assignment.as_ref()), watch)
    }

    /// The same with what the original's rows became, where they were put into regions.
    pub(crate) fn verify_with(
        &self,
        policy: &PolicyFile,
        output: &Path,
        certificate: &Certificate,
        (original, assignment): (Option<&Source>, Option<&Assignment>),
        watch: &Watch,
    ) -> Result<Verdict> {
        let mut verifier = Verifier::new(&policy.policy, policy.sha256.clone(), certificate)?.watched(watch);
        let files = policy.found_files(watch)?;
        if let Some(verdict) = verifier.files(files.clone()) {
            return Ok(verdict);
        }
        self.read_release(&mut verifier, output, &policy.policy, watch)?;
        if let Some(source) = original {
            self.read_original(&mut verifier, source, policy, assignment, watch)?;
        }
        self.read_population(&mut verifier, policy, watch, &files)?;
        let mut verdict = verifier.finish(&|column, dictionary| {
            let spec = policy.policy.columns.get(column).map_or(hierarchy::Spec::Suppress, |c| c.hierarchy());
            hierarchy::build(&spec, dictionary, &|path| policy.load(path))
        })?;
        let fault = shape(output)?.fault();
        let holds = fault.is_none();
        let found = fault.unwrap_or_else(|| "nothing but the table is in the file".into());
        verdict.claims.insert("shape".into(), Finding { holds, found, unchecked: false });
        Ok(verdict)
    }

    /// Feeds the released file to the verifier.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read_release(
        &self,
        verifier: &mut Verifier<'_>,
        path: &Path,
        policy: &Policy,
        watch: &Watch,
    ) -> Result<()> {
        verifier.output_sha256(digest_file(path, watch)?);
        let source = Source::release(path, policy)?;
        let columns = self.columns(&source)?;
        verifier.released_columns(&columns);
        self.feed(&source, &columns, watch, |rows, cells| verifier.released_batch(rows, cells))
    }

    /// Feeds the original to the verifier: only what a release can hold, and what rows are guarded
    /// against.
    ///
    /// # Errors
    /// When it cannot be read, or the secret by which its rows were drawn cannot.
    pub(crate) fn read_original(
        &self,
        verifier: &mut Verifier<'_>,
        source: &Source,
        policy: &PolicyFile,
        assignment: Option<&Assignment>,
        watch: &Watch,
    ) -> Result<()> {
        let digest = digest_files(&source.files, watch)?;
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
        if let Some(assignment) = assignment {
            assignment.feed(verifier, watch)?;
        }
        self.feed(source, &columns, watch, |rows, cells| verifier.original_batch(rows, cells))
    }

    pub(crate) fn feed(
        &self,
        source: &Source,
        columns: &[String],
        watch: &Watch,
        mut each: impl FnMut(usize, &mut throng::verify::Cells<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut rows = 0;
        self.scan(source, columns, watch, |batch| {
            let cells = batch
                .columns()
                .iter()
                .zip(columns)
                .map(|(array, name)| Cells::new(name, array))
                .collect::<Result<Vec<Cells>>>()?;
            each(batch.num_rows(), &mut |column, take| cells[column].each(take))?;
            rows += batch.num_rows() as u64;
            watch.done(Stage::Verifying, rows, None)
        })
    }
}

/// Regions of format 0 depend on the order of rows, and this version forms others.
fn formed_by_row_order(version: &str) -> Fault {
    fault!(
        Input,
        "verify.regions-by-row-order",
        "throng {version} formed these regions in the order of the rows (format 0); this program forms them by value",
        version = version
    )
    .help(format!("verify it without --original, or with the build of throng {version} that wrote it"))
}
