//! Reads a release, and its original, for the verifier.

use std::path::Path;

use throng::decide::{DecidedAssignment, Decision};
use throng::error::{Fault, Result};
use throng::fault;
use throng::hierarchy;
use throng::release::Certificate;
use throng::rows::Rows;
use throng::search::Problem;
use throng::template;
use throng::verify::{Assignment, Finding, Inputs, Original, ValueCounts, Verdict, verify};
use throng::watch::Watch;

use crate::Engine;
use crate::digest::Digesting;
use crate::policy_file::{PolicyFile, in_table};
use crate::release::decide_again_with_model;
use crate::shape::shape;
use crate::source::Source;
use crate::table::FileTable;

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
        let certified = policy.as_certified(certificate);
        let policy = certified.as_ref();
        let sampled = policy.policy.differential_privacy().is_some();
        if original.is_some() && sampled && certificate.format == 0 {
            return Err(sampled_by_row_order(&certificate.release.version).into());
        }
        // Where a file is missing, nothing is read.
        let original = original.filter(|_| !policy.lacks_files());
        let original = original.map(|source| self.prepared(source.clone(), policy, watch)).transpose()?;
        let original = original.as_ref();
        let assigned = original.filter(|_| policy.policy.forms_regions());
        let Some(source) = assigned else {
            return self.verify_with(policy, output, certificate, (original, None, None), watch);
        };
        if certificate.format == 0 {
            return Err(formed_by_row_order(&certificate.release.version).into());
        }
        let (problem, decision) = self.decide_again(policy, source, certificate, watch)?;
        let assignment = DecidedAssignment::new(&policy.policy, &problem, &decision);
        self.verify_with(policy, output, certificate, (original, Some(&assignment), None), watch)
    }

    /// What the rows of an original became, decided again.
    fn decide_again(
        &self,
        policy: &PolicyFile,
        source: &Source,
        certificate: &Certificate,
        watch: &Watch,
    ) -> Result<(Problem, Decision)> {
        let (policy, seed) = (&policy.with_forms_of(certificate), certificate.release.seed);
        let columns = self.columns(source)?;
        policy.policy.bind(&columns)?;
        let grouped = self.read_grouped(policy, (source, &columns), seed, Vec::new(), watch)?.grouped;
        let load = |path: &str| policy.load(path);
        let (mut problem, _) =
            Problem::watched(&policy.policy, grouped, &load, watch).map_err(|e| in_table(e, source))?;
        problem.profile.seed = seed;
        let decision = decide_again_with_model(policy, &problem, &certificate.release.search, watch)?;
        Ok((problem, decision))
    }

    /// The same with what the original's rows became, where they were put into regions, and with
    /// the verifier's counts of its values, where rare ones are deleted.
    pub(crate) fn verify_with(
        &self,
        policy: &PolicyFile,
        output: &Path,
        certificate: &Certificate,
        (original, assignment, counted): (Option<&Source>, Option<&dyn Assignment>, Option<&ValueCounts>),
        watch: &Watch,
    ) -> Result<Verdict> {
        let files = policy.found_files(watch)?;
        let lacking = files.values().any(Option::is_none);
        // What the verifier reads, it digests itself.
        let released = Source::release(output, &policy.policy)?.digested(Digesting::Published);
        let release = FileTable::new(self, &released)?;
        let original = original.filter(|_| !lacking).map(|source| source.digested(Digesting::Published));
        let table = original.as_ref().map(|source| FileTable::new(self, source)).transpose()?;
        let secret = if original.is_some() { policy.secret()? } else { None };
        let people = if lacking { None } else { self.checked_population(policy)? };
        let population = people.as_ref().map(|source| FileTable::new(self, source)).transpose()?;
        let mut verdict = verify(&Inputs {
            policy: &policy.policy,
            policy_sha256: &policy.sha256,
            certificate,
            files: Some(&files),
            release: &release,
            original: table.as_ref().map(|rows| Original {
                rows,
                assignment,
                secret: secret.as_deref(),
                counted,
            }),
            population: population.as_ref().map(|rows| rows as &dyn Rows),
            build: &|column, values| {
                let column = policy.policy.columns.get(column);
                let spec = column.map_or(hierarchy::Spec::Suppress, |column| column.hierarchy());
                hierarchy::build(&spec, values, &|path| policy.load(path))
            },
            watch,
        })?;
        if lacking {
            return Ok(verdict);
        }
        let fault = shape(output)?.fault();
        let holds = fault.is_none();
        let found = fault.unwrap_or_else(|| "nothing but the table is in the file".into());
        verdict.claims.insert("shape".into(), Finding { holds, found, unchecked: false });
        verdict.claims.extend(template_claim(policy, certificate));
        Ok(verdict)
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

/// Samples of format 0 depend on the order of rows, and this version draws others.
fn sampled_by_row_order(version: &str) -> Fault {
    fault!(
        Input,
        "verify.sampled-by-row-order",
        "throng {version} sampled rows in the order of the file (format 0); this program samples them by value",
        version = version
    )
    .help(format!("verify it without --original, or with the build of throng {version} that wrote it"))
}

/// Whether the certificate states what the policy satisfies of its template, judged again.
fn template_claim(policy: &PolicyFile, certificate: &Certificate) -> Option<(String, Finding)> {
    let certified = certificate.release.template.as_ref();
    let again = match template::facts(&policy.policy, &|path| policy.load(path)) {
        Ok(again) => again,
        Err(e) => {
            let found = format!("the template cannot be read: {e}");
            return Some(("template".into(), Finding { holds: false, found, unchecked: false }));
        }
    };
    let found = match (&again, certified) {
        (None, None) => return None,
        (Some(again), Some(_)) if again.broken().next().is_some() => {
            let broken: Vec<String> = again.broken().map(|rule| rule.title()).collect();
            format!("rules that the policy does not satisfy: {}", broken.join(", "))
        }
        (Some(again), Some(_)) => format!("{} rules judged again", again.rules.len()),
        _ => "the certificate and the policy do not name the same template".into(),
    };
    let holds = again.as_ref() == certified;
    let found = if holds { found } else { format!("the rules are not those certified; {found}") };
    Some(("template".into(), Finding { holds, found, unchecked: false }))
}
