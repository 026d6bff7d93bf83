//! The output paths of a release, written all or none.
//!
//! Everything is staged in a separate folder beside the output and renamed only after the verifier
//! has agreed; a failure or a full disk leaves nothing behind.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use throng::error::{Error, Fault, Result};
use throng::fault;
use throng::policy::Format;
use throng::release::Certificate;
use throng::report::Facts;

use crate::error::unwritable;
use crate::holder::HolderFiles;
use crate::overwrite_guard::{Existing, OverwriteGuard};
use crate::policy_file::PolicyFile;
use crate::sink::{folder, write_atomically};
use crate::staging;
use crate::stdin::STANDARD;

/// Where the parts of a release go.
#[derive(Debug, Clone)]
pub struct Paths {
    /// The released table.
    pub output: PathBuf,
    /// The proof.
    pub certificate: PathBuf,
    /// The report.
    pub report: PathBuf,
    /// The statement, where the policy asks for one.
    pub statement: Option<PathBuf>,
    /// Holds a release that goes to standard output.
    folder: Option<Arc<staging::Folder>>,
}

impl Paths {
    /// As the policy says; certificate and report go beside the release where it does not, and
    /// where the caller says where the release goes.
    pub(crate) fn new(policy: &PolicyFile, given: Option<&Path>) -> Result<Self> {
        let asked = &policy.policy.output;
        let folder = policy.folder();
        if given.is_some_and(|path| path == Path::new(STANDARD)) {
            return Paths::standard(policy);
        }
        let output = match (given, &asked.path) {
            (Some(path), _) => path.to_owned(),
            (None, Some(path)) => folder.join(path),
            (None, None) => {
                return Err(fault!(Input, "release.no-output-path", "does not say where the release goes")
                    .file(policy.path.display().to_string())
                    .key("output.path")
                    .help("set output.path, or give --out")
                    .into());
            }
        };
        let name = output.display().to_string();
        Format::of_output(&name).map_err(|fault| fault.file(&name))?;
        let beside = |asked: &Option<String>, ending: &str| match (asked, given) {
            (Some(path), None) => folder.join(path),
            _ => output.with_extension(ending),
        };
        Ok(Paths {
            certificate: beside(&asked.certificate, "certificate.json"),
            report: beside(&asked.report, "report.html"),
            statement: asked.statement.as_ref().map(|_| beside(&asked.statement, "statement.html")),
            output,
            folder: None,
        })
    }

    /// For a release that goes to standard output: it waits in a temporary folder. Certificate and
    /// report have no place beside it, so the policy must name one.
    fn standard(policy: &PolicyFile) -> Result<Self> {
        let asked = &policy.policy.output;
        let named = |key: &str, path: &Option<String>| match path {
            Some(path) => Ok(policy.folder().join(path)),
            None => Err(Error::from(
                fault!(
                    Input,
                    "release.no-paper-path",
                    "a release to standard output has no folder for its certificate and report"
                )
                .file(policy.path.display().to_string())
                .key(key)
                .help("set output.certificate and output.report in the policy"),
            )),
        };
        let certificate = named("output.certificate", &asked.certificate)?;
        let report = named("output.report", &asked.report)?;
        let ending = match asked.path.as_deref().map(Format::of_output) {
            None => Format::Csv,
            Some(format) => format?,
        };
        let parent = std::env::temp_dir();
        let folder = staging::Folder::new(&parent)
            .map_err(|e| unwritable(&parent.display().to_string(), &e.kind()))?;
        let output = folder.path().join(format!("release.{}", ending.name()));
        let statement = asked.statement.as_ref().map(|path| policy.folder().join(path));
        Ok(Paths { output, certificate, report, statement, folder: Some(Arc::new(folder)) })
    }

    /// Whether the release goes to standard output, where its file has to be copied.
    pub fn is_standard(&self) -> bool {
        self.folder.is_some()
    }

    /// What certificates and messages call the release.
    pub fn name(&self) -> String {
        if self.is_standard() { STANDARD.to_owned() } else { self.output.display().to_string() }
    }

    /// Refuses, before any work, what could not be written and what would be written over.
    pub(crate) fn check(&self, policy: &PolicyFile, holder: &HolderFiles) -> Result<()> {
        let asked = &policy.policy.output;
        let parts = [
            ("output.path", &asked.path, &self.output),
            ("output.certificate", &asked.certificate, &self.certificate),
            ("output.report", &asked.report, &self.report),
        ];
        let statement = self.statement.iter().map(|path| ("output.statement", &asked.statement, path));
        let mut guard = OverwriteGuard::of_policy(policy);
        let mut faults = Vec::new();
        for (key, asked, path) in parts.into_iter().chain(statement) {
            // An older release of the policy is replaced.
            if let Some(fault) = guard.claim(path, "another part of the release", Existing::Replaced) {
                let by_policy = asked.as_ref().is_some_and(|asked| *path == policy.folder().join(asked));
                faults.push(if by_policy { fault.key(key) } else { fault });
            }
        }
        faults.extend(holder.faults(&mut guard, &self.output));
        Error::check(faults)
    }
}

/// The folder where a release waits for its verdict.
pub(crate) struct Staging {
    folder: staging::Folder,
    /// Where the released table waits.
    pub(crate) output: PathBuf,
}

impl Staging {
    pub(crate) fn new(paths: &Paths) -> Result<Self> {
        Staging::of(&paths.output)
    }

    /// For a table that is to be there.
    pub(crate) fn of(output: &Path) -> Result<Self> {
        let name = output.display().to_string();
        let fail = |e: &dyn std::fmt::Display| unwritable(&name, e);
        // Only the kind: the rest of the message names the folder.
        let waiting = staging::Folder::new(folder(output)).map_err(|e| fail(&e.kind()))?;
        let file = output.file_name().ok_or_else(|| fail(&"it is not a file name"))?;
        let output = waiting.path().join(file);
        Ok(Staging { folder: waiting, output })
    }

    /// Rewrites a fault about the staged table in terms of the requested one.
    pub(crate) fn named(&self, error: Error, paths: &Paths) -> Error {
        let waiting = self.output.display().to_string();
        error.map(|fault| match &fault.place.file {
            Some(file) if *file == waiting => fault.file(paths.output.display().to_string()),
            _ => fault,
        })
    }

    /// Writes the papers, then gives everything its name; the release comes last.
    pub(crate) fn publish(self, paths: &Paths, certificate: &Certificate, facts: &Facts) -> Result<()> {
        let json = serde_json::to_string_pretty(certificate).map_err(|e| Fault::bug(e.to_string()))?;
        let mut papers =
            vec![(&*paths.certificate, json + "\n"), (&*paths.report, throng::report::html(facts))];
        if let Some(path) = &paths.statement {
            papers.push((path.as_path(), throng::report::statement(facts, &certificate.seal)));
        }
        self.place(&paths.output, papers)
    }

    /// Writes papers, then gives everything its name; the table comes last.
    pub(crate) fn place(self, output: &Path, papers: Vec<(&Path, String)>) -> Result<()> {
        let mut staged = Vec::new();
        for (i, (path, text)) in papers.into_iter().enumerate() {
            let temporary = self.folder.path().join(format!("paper-{i}"));
            write_atomically(&temporary, text.as_bytes())
                .map_err(|e| e.map(|fault| fault.file(path.display().to_string())))?;
            staged.push((temporary, path));
        }
        staged.push((self.output.clone(), output));
        let _all_or_none = staging::publishing();
        let mut placed: Vec<&Path> = Vec::new();
        for (from, to) in staged {
            let new = !to.exists();
            if let Err(error) = rename(&from, to) {
                // What was written over is gone either way.
                placed.into_iter().for_each(|path| drop(std::fs::remove_file(path)));
                return Err(error);
            }
            if new {
                placed.push(to);
            }
        }
        Ok(())
    }
}

/// Moves a file, by copy where the target is on another disk.
fn rename(from: &Path, to: &Path) -> Result<()> {
    let name = to.display().to_string();
    match std::fs::rename(from, to) {
        Err(e) if e.kind() == std::io::ErrorKind::CrossesDevices => {
            let bytes = std::fs::read(from).map_err(|e| unwritable(&name, &e))?;
            write_atomically(to, &bytes)
        }
        other => other.map_err(|e| unwritable(&name, &e)),
    }
}
