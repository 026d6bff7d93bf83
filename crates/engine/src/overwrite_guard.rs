//! The overwrite guard: the one check that every writing command makes before any work.
//!
//! A command never overwrites a file that it reads, and never writes two outputs to one file, even
//! with `--force`. Any other existing file is replaced only if the caller allows it. Two names are
//! one file if they resolve to the same place, so neither a link nor `..` hides an input. Costs one
//! look at the disk for every pair of names.

use std::path::{Path, PathBuf};

use throng::error::{Error, Fault, Result};
use throng::fault;
use throng::hierarchy::{File, Spec};
use throng::poset;

use crate::paths::Paths;
use crate::policy_file::PolicyFile;
use crate::sink::{folder, no_folder};
use crate::source::find;

/// What becomes of a file that is there already and that nobody reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// It is replaced.
    Replaced,
    /// It stays, and nothing is written.
    Refused,
}

impl Existing {
    /// As `--force` says.
    pub fn by(force: bool) -> Self {
        if force { Existing::Replaced } else { Existing::Refused }
    }
}

/// Files that stay as they are, with what they are.
#[derive(Debug, Clone, Default)]
pub struct OverwriteGuard {
    files: Vec<(&'static str, PathBuf)>,
}

impl OverwriteGuard {
    /// Everything that a policy reads: itself, its table, joined files, hierarchies, poset nodes,
    /// population, keys, and files that the command of a model names. A missing file cannot be overwritten and
    /// is reported when it is read.
    pub fn of_policy(policy: &PolicyFile) -> Self {
        let base = policy.folder();
        let asked = &policy.policy;
        let mut guard = OverwriteGuard::default().and("the policy", &policy.path).named_in(
            base,
            "the input",
            &asked.input.path,
        );
        // A bundle reads hierarchies from itself.
        for column in asked.columns.values().filter(|_| policy.bundle.is_none()) {
            guard = guard.hierarchy_in(base, &column.hierarchy());
        }
        if let Some((_, path)) = asked.population() {
            guard = guard.named_in(base, "the population", path);
        }
        for path in asked.template.iter().flat_map(|template| template.files()) {
            guard = guard.and("a file of the template", &base.join(path));
        }
        for (_, path) in asked.input.joined_files() {
            guard = guard.named_in(base, "a joined file", path);
        }
        if let Some(path) = asked.ledger.as_ref().and_then(|ledger| ledger.path.as_ref()) {
            guard = guard.and("the ledger", &base.join(path));
        }
        for key in policy.key_files() {
            guard = guard.and("a key", &key);
        }
        let command = asked.search.model.iter().flat_map(|model| &model.command);
        let named = command.map(|part| base.join(part)).filter(|path| path.is_file());
        named.fold(guard, |guard, path| guard.and("a part of the model", &path))
    }

    /// And one file.
    #[must_use]
    pub fn and(mut self, what: &'static str, file: &Path) -> Self {
        self.files.push((what, file.to_owned()));
        self
    }

    /// And all of another list.
    #[must_use]
    pub fn with(mut self, other: OverwriteGuard) -> Self {
        self.files.extend(other.files);
        self
    }

    /// And the files of a name or pattern.
    #[must_use]
    pub fn named(self, what: &'static str, pattern: &str) -> Self {
        self.named_in(Path::new(""), what, pattern)
    }

    pub(crate) fn named_in(self, base: &Path, what: &'static str, pattern: &str) -> Self {
        let files = find(pattern, base).unwrap_or_default();
        files.iter().fold(self, |guard, file| guard.and(what, file))
    }

    /// And the file that a hierarchy or a poset is read from, where it is.
    #[must_use]
    pub fn hierarchy(self, spec: &Spec) -> Self {
        self.hierarchy_in(Path::new(""), spec)
    }

    fn hierarchy_in(self, base: &Path, spec: &Spec) -> Self {
        let at = |file: &File| base.join(file.path());
        match spec {
            Spec::File(file) => self.and("a hierarchy", &at(file)),
            Spec::Poset(poset::Spec::File(file) | poset::Spec::Codes(poset::Codes { file, .. })) => {
                self.and("the nodes of a poset", &at(file))
            }
            _ => self,
        }
    }

    /// And where a policy says that its release goes, with certificate and report.
    #[must_use]
    pub fn release_of(self, policy: &PolicyFile) -> Self {
        const WHAT: &str = "the release of the policy";
        match Paths::new(policy, None) {
            Ok(paths) => {
                let guard =
                    self.and(WHAT, &paths.output).and(WHAT, &paths.certificate).and(WHAT, &paths.report);
                paths.statement.iter().fold(guard, |guard, path| guard.and(WHAT, path))
            }
            // A policy that does not say where its release goes has none to guard.
            Err(_) => self,
        }
    }

    /// And what belongs to a release: its table, and certificate and report beside it.
    #[must_use]
    pub fn parts_of(self, release: &Path) -> Self {
        self.and("the input", release)
            .and("the certificate of the release", &release.with_extension("certificate.json"))
            .and("the report of the release", &release.with_extension("report.html"))
    }

    /// Why a file cannot be put there, as far as that shows beforehand. From now on it is guarded,
    /// too, by what it is called here.
    pub(crate) fn claim(&mut self, path: &Path, what: &'static str, existing: Existing) -> Option<Fault> {
        let over = self.files.iter().find(|(_, other)| same(path, other)).map(|(what, _)| *what);
        self.files.push((what, path.to_owned()));
        let fault = match over {
            Some(over) => Some(
                fault!(Input, "file.would-overwrite", "would be written over {other}", other = over)
                    .help("give it another name"),
            ),
            None => unfit(path).or_else(|| {
                let there = existing == Existing::Refused && path.symlink_metadata().is_ok();
                there.then(|| already(path, "another name"))
            }),
        };
        fault.map(|fault| fault.file(path.display().to_string()))
    }

    /// Refuses to write to these places what would be written over something.
    ///
    /// # Errors
    /// The errors.
    pub fn check<'a>(mut self, paths: impl IntoIterator<Item = &'a Path>, existing: Existing) -> Result<()> {
        let what = "another file that is written";
        Error::check(paths.into_iter().filter_map(|path| self.claim(path, what, existing)).collect())
    }
}

/// A file that is there already; what to give instead, such as "another name".
pub fn already(path: &Path, instead: &str) -> Fault {
    fault!(Input, "file.exists", "exists already")
        .file(path.display().to_string())
        .help(format!("give --force to replace it, or {instead}"))
}

/// Whether two paths name one file, which need not be there.
fn same(a: &Path, b: &Path) -> bool {
    let resolved = |path: &Path| match std::fs::canonicalize(path) {
        Ok(path) => Some(path),
        Err(_) => Some(std::fs::canonicalize(folder(path)).ok()?.join(path.file_name()?)),
    };
    match (resolved(a), resolved(b)) {
        (Some(a), Some(b)) => a == b,
        _ => a == b,
    }
}

/// Why a file cannot be put there, whatever is read.
fn unfit(path: &Path) -> Option<Fault> {
    let name = path.display().to_string();
    if !folder(path).is_dir() {
        return Some(no_folder(&name, folder(path)));
    }
    let found = std::fs::metadata(path).ok().filter(|found| !found.is_file())?;
    let what = if found.is_dir() { "a folder" } else { "not a file" };
    Some(
        fault!(System, "file.not-regular-file", "cannot be written: it is {found}", found = what)
            .help("give it another name"),
    )
}
