//! Reads a release, and its original, for the verifier.

use std::path::Path;

use throng::decide::{DecidedAssignment, Decision, decide_at_levels};
use throng::error::{Error, Fault, Result};
use throng::fault;
use throng::hierarchy;
use throng::policy::Policy;
use throng::recoding::{Contents, Recoding};
use throng::release::Certificate;
use throng::rows::Rows;
use throng::search::{self, Problem};
use throng::table::{Code, Dictionary};
use throng::template;
use throng::verify::{Assignment, Finding, Inputs, Notes, Original, ValueCounts, Verdict, verify};
use throng::watch::Watch;

use crate::Engine;
use crate::digest::Digesting;
use crate::leveled::Leveled;
use crate::notes::{StatedTable, TextColumns};
use crate::policy_file::{PolicyFile, in_table};
use crate::prepare::{GroupedRead, pose};
use crate::release::decide_again_with_model;
use crate::shape::shape;
use crate::shift::Shifts;
use crate::source::{KEYED_DIGEST, Source};
use crate::substitute::{self, Keys, Substitutes};
use crate::table::FileTable;
use crate::transform::Transform;

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
        let mut verdict = self.verify_files(policy, output, certificate, original, watch)?;
        if !policy.lacks_files() {
            let claim = self.ledger_claim(policy, certificate);
            verdict.claims.extend(claim.map(|finding| ("ledger".to_owned(), finding)));
        }
        Ok(verdict)
    }

    fn verify_files(
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
        let original =
            original.map(|source| self.original(source, policy, certificate, watch)).transpose()?;
        let Some(source) = original.as_ref() else {
            return self.verify_with(policy, output, certificate, OriginalTable::default(), watch);
        };
        let table = OriginalTable { source: Some(source), ..OriginalTable::default() };
        let (regions, scrubs) = (policy.policy.forms_regions(), policy.policy.scrubbed().next().is_some());
        if !regions && !scrubs {
            return self.verify_with(policy, output, certificate, table, watch);
        }
        if regions && certificate.format == 0 {
            return Err(formed_by_row_order(&certificate.release.version).into());
        }
        let keys = scrubs.then(|| TextKeys::of(policy)).transpose();
        let unknown = keys.as_ref().err().map(unknown_texts).transpose()?;
        if let (false, Some(unknown)) = (regions, &unknown) {
            let table = OriginalTable { notes: Some(Notes::Unknown(unknown)), ..table };
            return self.verify_with(policy, output, certificate, table, watch);
        }
        let keys = keys.ok().flatten();
        let again = self.decide_again(policy, source, (certificate, keys), watch)?;
        let assignment = DecidedAssignment::new(&policy.policy, &again.problem, &again.decision);
        let recoding = again.recoding()?;
        let transform = again.transform(source, &policy.policy, &recoding, output, watch);
        let stated = transform.map(|transform| StatedTable::new(self, &transform)).transpose()?;
        let stated = stated.as_ref().map(StatedTable::notes);
        let table = OriginalTable {
            assignment: regions.then_some(&assignment as &dyn Assignment),
            notes: stated.or(unknown.as_deref().map(Notes::Unknown)),
            ..table
        };
        self.verify_with(policy, output, certificate, table, watch)
    }

    /// The table that was released: prepared, without people whom the ledger withheld, and with the
    /// key of its digest.
    fn original(
        &self,
        source: &Source,
        policy: &PolicyFile,
        certificate: &Certificate,
        watch: &Watch,
    ) -> Result<Source> {
        let source = self.prepared(source.clone(), policy, watch)?;
        let keyed = certificate.release.input.sha256.starts_with(KEYED_DIGEST);
        let digest_key = if keyed { policy.digest_secret()? } else { None };
        Ok(Source { left_out: self.left_out_of(policy, certificate, watch)?, digest_key, ..source })
    }

    /// What the rows of an original became, decided again.
    fn decide_again(
        &self,
        policy: &PolicyFile,
        source: &Source,
        (certificate, keys): (&Certificate, Option<TextKeys>),
        watch: &Watch,
    ) -> Result<DecidedAgain> {
        let (policy, seed) = (&policy.with_forms_of(certificate), certificate.release.seed);
        let columns = self.columns(source)?;
        policy.policy.bind(&columns)?;
        let replaced = keys
            .as_ref()
            .map_or_else(Vec::new, |keys| substitute::replaced(&policy.policy, &keys.identifiers));
        let read = self.read_grouped(policy, (source, &columns), seed, replaced, watch)?;
        let GroupedRead { grouped, contents, originals, .. } = read;
        let load = |path: &str| policy.load(path);
        let dictionaries = grouped.dictionaries.clone();
        let texts = match keys {
            None => None,
            Some(TextKeys { identifiers, shifts, texts }) => {
                let leveled =
                    search::leveled(&policy.policy, &grouped, &load).map_err(|e| in_table(e, source))?;
                let measured = (&grouped.measured[..], &dictionaries[grouped.names.len()..]);
                let leveled = Leveled::new(leveled, measured)?;
                // Numbers of identifiers follow from the order of the rows.
                let ordered = source.digested(Digesting::WithOrder);
                let substitutes = Substitutes::new(identifiers, originals, (&ordered, seed), watch)?;
                Some(Scrubbing { texts, substitutes, shifts, leveled })
            }
        };
        let rows = grouped.tuples.rows();
        let (mut problem, maps) = pose(&policy.policy, (source, grouped), &load, watch)?;
        problem.profile.seed = seed;
        let decision = match policy.policy.forms_regions() {
            true => decide_again_with_model(policy, &problem, &certificate.release.search, watch)?,
            false => decide_at_levels(&policy.policy, &problem, &certificate.release, watch)?,
        };
        Ok(DecidedAgain { problem, decision, maps, contents, dictionaries, texts, rows, seed })
    }

    /// The same with what the original's rows became, where they were put into regions, and with
    /// the verifier's counts of its values, where rare ones are deleted.
    pub(crate) fn verify_with(
        &self,
        policy: &PolicyFile,
        output: &Path,
        certificate: &Certificate,
        table: OriginalTable<'_>,
        watch: &Watch,
    ) -> Result<Verdict> {
        let OriginalTable { source: original, assignment, counted, notes } = table;
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
                notes,
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

/// The table that was released, and what is known of its rows.
#[derive(Default)]
pub(crate) struct OriginalTable<'a> {
    pub(crate) source: Option<&'a Source>,
    /// What its rows became, where they were put into regions.
    pub(crate) assignment: Option<&'a dyn Assignment>,
    /// How often its values occur, where that was counted.
    pub(crate) counted: Option<&'a ValueCounts>,
    /// What its texts became, where some are scrubbed.
    pub(crate) notes: Option<Notes<'a>>,
}

/// What is needed to scrub texts again.
struct TextKeys {
    identifiers: Keys,
    shifts: Shifts,
    texts: TextColumns,
}

impl TextKeys {
    fn of(policy: &PolicyFile) -> Result<Self> {
        Ok(TextKeys { identifiers: policy.keys()?, shifts: policy.shifts()?, texts: policy.texts()? })
    }
}

/// Why texts cannot be scrubbed again: a key is not at hand. Any other fault is one.
fn unknown_texts(error: &Error) -> Result<String> {
    let absent = ["pseudonym.variable-not-set", "file.not-found", "file.unreadable"];
    match error.faults() {
        [fault] if absent.contains(&fault.code) => {
            let help = fault.help.as_deref().unwrap_or("give the key that the policy names");
            Ok(format!(
                "not checked without the key of the policy, with which texts are scrubbed again: {help}"
            ))
        }
        _ => Err(error.clone()),
    }
}

/// What scrubs the texts of an original again.
struct Scrubbing {
    texts: TextColumns,
    substitutes: Substitutes,
    shifts: Shifts,
    leveled: Leveled,
}

/// What the rows of an original became.
struct DecidedAgain {
    problem: Problem,
    decision: Decision,
    maps: Vec<Vec<Code>>,
    contents: Option<Contents>,
    dictionaries: Vec<Dictionary>,
    /// Where texts are scrubbed and all keys are at hand.
    texts: Option<Scrubbing>,
    rows: u64,
    seed: u64,
}

impl DecidedAgain {
    fn recoding(&self) -> Result<Recoding> {
        let mut recoding = Recoding::new(&self.problem.names, &self.maps, &self.decision.recoded);
        self.contents.iter().try_for_each(|contents| recoding.divide_by(contents))?;
        Ok(recoding)
    }

    /// What rewrites the table again, where texts are scrubbed.
    fn transform<'a>(
        &'a self,
        source: &'a Source,
        policy: &'a Policy,
        recoding: &'a Recoding,
        output: &'a Path,
        watch: &'a Watch,
    ) -> Option<Transform<'a>> {
        let Scrubbing { texts, substitutes, shifts, leveled } = self.texts.as_ref()?;
        Some(Transform {
            source,
            policy,
            recoding,
            row_classes: None,
            dictionaries: &self.dictionaries,
            substitutes,
            shifts,
            texts,
            leveled,
            deletion: self.problem.deletion.as_ref(),
            sampled: None,
            rows: self.rows,
            seed: self.seed,
            output,
            watch,
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
