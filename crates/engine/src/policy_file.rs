//! A policy with where it came from: its text, its folder and the files that it names. A bundle has
//! its hierarchy files in itself; the table is looked for in its folder, as with any policy.

use std::borrow::Cow;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use throng::error::{Error, Fault, Kind, Result};
use throng::fault;
use throng::policy::{POLICY, Policy, PolicyBundle, locate};
use throng::registry::Algorithm;
use throng::release::{Certificate, TemplateFacts};
use throng::template;

use crate::error::unreadable;
use crate::source::Source;

/// No file where a policy should be.
fn no_policy(name: &str) -> Error {
    fault!(System, "file.not-found", "there is no such file")
        .file(name)
        .help("check the path; `throng inspect TABLE --write POLICY` writes a policy for a table")
        .into()
}

/// A policy with where it came from.
#[derive(Debug, Clone)]
pub struct PolicyFile {
    /// What it asks for.
    pub policy: Policy,
    /// SHA-256 of its text.
    pub sha256: String,
    /// Where it is.
    pub path: PathBuf,
    /// The bundle that it is part of, where it is part of one.
    pub bundle: Option<Arc<PolicyBundle>>,
    /// The policy as versions without the algorithm "best" read it, where that differs.
    pub(crate) without_best: Option<Arc<Policy>>,
}

impl PolicyFile {
    /// Reads a policy in TOML or JSON, or a bundle; and the text of the file.
    ///
    /// # Errors
    /// A file that cannot be read, or a policy with mistakes.
    pub fn read(path: &Path) -> Result<(Self, String)> {
        let name = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|e| match e.kind() {
            ErrorKind::NotFound => no_policy(&name),
            _ => unreadable(&name, &e),
        })?;
        let text = POLICY.text(&name, &bytes)?;
        let named = |e: Error| e.map(|f| f.file(&name));
        let (policy, bundle) = if PolicyBundle::is_bundle(text) {
            let bundle = PolicyBundle::from_json(text).map_err(named)?;
            (bundle.policy().clone(), Some(Arc::new(bundle)))
        } else {
            (Policy::parse(text).map_err(named)?, None)
        };
        let own = bundle.as_ref().map_or(text, |bundle| bundle.text());
        let sha256 = Policy::digest(own);
        let without_best = Policy::parse_without_best(own).map_err(named)?.map(Arc::new);
        Ok((PolicyFile { policy, sha256, path: path.to_owned(), bundle, without_best }, text.to_owned()))
    }

    /// The policy as the version read it that wrote a certificate.
    pub(crate) fn as_certified(&self, certificate: &Certificate) -> Cow<'_, PolicyFile> {
        let by_best = certificate.release.search.algorithm == Algorithm::Best.key();
        match self.without_best.as_ref().filter(|_| !by_best) {
            Some(policy) => Cow::Owned(PolicyFile { policy: Policy::clone(policy), ..self.clone() }),
            None => Cow::Borrowed(self),
        }
    }

    /// The same with the forms of cells that a certificate states, where the policy leaves them to
    /// the values: another version may have chosen others; and with the k that was reached, where it
    /// was maximized.
    pub(crate) fn with_forms_of(&self, certificate: &Certificate) -> PolicyFile {
        let mut file = self.clone();
        file.policy = self.policy.at_reached_k(certificate.release.search.k).into_owned();
        let forms = certificate.release.regions.iter().flat_map(|regions| &regions.forms);
        for (name, form) in forms {
            if let Some(column) = file.policy.columns.get_mut(name)
                && column.form.is_none()
                && column.hierarchy.is_none()
                && column.poset.is_none()
            {
                column.form = Some(*form);
            }
        }
        file
    }

    /// Names the policy in faults about its keys, with their place in the text of the file. A
    /// bundle has the policy as one long line, in which no place is shown.
    #[must_use]
    pub fn located(&self, error: Error, text: &str) -> Error {
        let name = self.path.display().to_string();
        if self.bundle.is_some() {
            let own = |fault: &Fault| fault.place.key.is_some() && fault.place.file.is_none();
            return error.map(|fault| if own(&fault) { fault.file(&name) } else { fault });
        }
        locate(error, text).map(|fault| if fault.place.span.is_some() { fault.file(&name) } else { fault })
    }

    /// The text of a file that is in the bundle.
    pub(crate) fn bundled(&self, path: &str) -> Option<&str> {
        self.bundle.as_ref()?.files().get(path).map(String::as_str)
    }

    /// The folder that its paths are relative to.
    pub fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// Which rules of its template the policy satisfies; none where it names no template.
    ///
    /// # Errors
    /// A template that cannot be read, and rules that it requires and the policy does not satisfy.
    pub fn template(&self) -> Result<Option<TemplateFacts>> {
        template::checked(&self.policy, &|path| self.load(path))
    }

    /// Reads a hierarchy file that the policy names.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn load(&self, path: &str) -> Result<String> {
        if let Some(bundle) = &self.bundle {
            return bundle.load(path);
        }
        let full = self.folder().join(path);
        let bytes = std::fs::read(&full).map_err(|e| unreadable(&full.display().to_string(), &e))?;
        String::from_utf8(bytes).map_err(|_| {
            fault!(Input, "hierarchy.not-utf8", "is not UTF-8")
                .file(full.display().to_string())
                .help("convert the hierarchy file")
                .into()
        })
    }
}

/// Names the table in faults about its cells, and the policy's key in those about a hierarchy.
pub(crate) fn in_table(error: Error, source: &Source) -> Error {
    error.map(|fault| {
        if fault.place.file.is_some() || fault.place.key.is_some() {
            return fault;
        }
        match (fault.kind, fault.place.column.clone()) {
            (Kind::Data, _) => fault.file(&source.name),
            (Kind::Input, Some(column)) => fault.key(format!("columns.{column}.hierarchy")),
            _ => fault,
        }
    })
}

/// A header with one column usually means that the delimiter is another.
pub(crate) fn explain_delimiter(error: Error, source: &Source, columns: &[String]) -> Error {
    let [only] = columns else { return error };
    let found = [';', ',', '\t', '|'].into_iter().find(|c| only.contains(*c));
    match found {
        Some(delimiter) => fault!(Input, "table.wrong-delimiter", "the table has one column")
            .file(&source.name)
            .line(1)
            .help(format!(
                "the cells seem to be divided by {delimiter:?}: set input.delimiter = {:?}",
                delimiter.to_string()
            ))
            .into(),
        None => error,
    }
}
