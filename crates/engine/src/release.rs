//! The path of a release: prepare, decide, rewrite, collect facts, verify, publish.
//!
//! This file only connects the stages. `throng::decide` decides, `transform.rs` writes, the
//! verifier judges. What is written waits in a folder of its own until the verifier has agreed: see
//! `paths.rs`.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use throng::decide::{
    Circumstances, DecidedAssignment, Decision, Maximized, decide_again, decide_as_certified,
    decide_at_levels_of, decide_maximizing,
};
use throng::error::{Fault, Result};
use throng::policy::{GuideSpec, Policy, SECONDS};
use throng::predict::Guide;
use throng::recoding::{Recoding, RowClasses};
use throng::registry::Algorithm;
use throng::release::{Certificate, FileFacts, SearchFacts};
use throng::report::{Facts, Subject, collect};
use throng::search::Problem;
use throng::suggest::{explained, hints};
use throng::verify::{Assignment, Verdict};
use throng::watch::{Stage, Watch};

use crate::Engine;
use crate::external::External;
use crate::holder::{HolderFile, HolderFiles, publish_with};
use crate::ledger::ReleaseLedger;
use crate::left_out::LeftOut;
use crate::notes::StatedTable;
use crate::paths::{Paths, Staging};
use crate::policy_file::PolicyFile;
use crate::prepare::Prepared;
use crate::sink::Written;
use crate::transform::Transform;
use crate::verify::OriginalTable;

/// The time limit of the algorithm "best" where no other is given. Its work is limited by the size
/// of the table, so that only a slow machine or a search of levels comes this far.
const BEST_WITHIN: Duration = Duration::from_secs(30);

/// What to release.
pub struct Job<'a> {
    /// The policy.
    pub policy: &'a PolicyFile,
    /// Where the release goes, instead of where the policy says.
    pub output: Option<PathBuf>,
    /// Files for the holder alone.
    pub holder: HolderFiles,
    /// The seed, instead of the policy's.
    pub seed: Option<u64>,
    /// How long the search may go on before the best so far is released; what that is may then
    /// differ from run to run. Without it, 30 seconds for the algorithm "best".
    pub time_limit: Option<Duration>,
    /// Reports progress, and may stop it. A request to finish during the search releases the best
    /// so far; any later request, and one before the search, leaves nothing behind.
    pub watch: Watch,
}

impl Job<'_> {
    /// The watch of the stage that decides: the time limit counts for no other.
    fn deciding(&self, started: Instant) -> Watch {
        let best = self.policy.policy.search.algorithm == Algorithm::Best;
        match self.time_limit.or(best.then_some(BEST_WITHIN)) {
            Some(limit) => {
                let passed = move |share: f64| started.elapsed() >= limit.mul_f64(share);
                self.watch.clone().limited_by_share(passed)
            }
            None => self.watch.clone(),
        }
    }

    /// The watch of the stages after that. What ended a search early does not end the rest. Half of
    /// the regions would not be a release, so that a request while they were formed is still one to
    /// stop; "best" has a complete result by then.
    pub(crate) fn writing(&self) -> Watch {
        let policy = &self.policy.policy;
        let whole = policy.forms_regions() && policy.search.algorithm != Algorithm::Best;
        if whole { self.watch.clone() } else { self.watch.acknowledge() }
    }
}

/// What was decided and written, and waits for the verifier.
pub(crate) struct Attempt {
    pub(crate) prepared: Prepared,
    pub(crate) decision: Decision,
    stage: Staging,
    recoding: Recoding,
    pub(crate) written: Written,
    /// The policy with the k that was reached, where k was maximized.
    pub(crate) reached: Option<Policy>,
}

/// Of tables of more rows, what was decided is dropped before the proof where nothing needs it
/// any more: the proof takes as much memory as the search, in other pieces.
const MANY_ROWS: u64 = 1 << 21;

/// A release that was written and verified.
#[derive(Debug)]
pub struct Done {
    /// What was released, with the proof.
    pub certificate: Certificate,
    /// What the verifier found.
    pub verdict: Verdict,
    /// What the report states.
    pub facts: Facts,
    /// The files written: release, certificate, report.
    pub paths: Paths,
    /// The files written for the holder alone.
    pub holder: HolderFiles,
}

impl Engine {
    /// Releases a table as a policy asks, and proves it.
    ///
    /// # Errors
    /// What cannot be read, does not fit or cannot be written;
    /// [`Kind::Unsolvable`](throng::error::Kind::Unsolvable) when nothing safe is within the
    /// limits; [`Kind::Cancelled`](throng::error::Kind::Cancelled) when asked to stop. Nothing is
    /// left behind.
    pub fn release(&self, job: &Job<'_>) -> Result<Done> {
        let policy = &job.policy.policy;
        let template = job.policy.template()?;
        let signing_key = job.policy.signing_key()?;
        let mut ledger = ReleaseLedger::open(job.policy)?;
        if let (Some(key), Some(ledger)) = (&signing_key, &ledger) {
            ledger.refuse_revoked(key)?;
        }
        let Attempt { prepared, decision, stage, recoding, written, reached } =
            self.attempts(job, ledger.as_mut())?;
        let policy = reached.as_ref().unwrap_or(policy);
        let watch = &job.writing();
        let load = |path: &str| job.policy.load(path);
        let figures = decision.figures(policy, &prepared.problem, watch)?;
        let circumstances = self.circumstances(job, &prepared, &written, watch)?;
        let mut release = decision.release(policy, &prepared.problem, &figures, circumstances)?;
        release.template = template;
        release.ledger = ledger.as_ref().map(ReleaseLedger::facts);
        // Other settings would have to nest with earlier releases, too, and hints do not know that.
        let nested = release.ledger.as_ref().is_some_and(|facts| facts.nested_on.is_some());
        let certificate =
            Certificate::new(release.clone().published(), written.columns.clone(), figures.classes)?;
        let certificate = job.policy.sign(certificate, signing_key.as_ref())?;
        let Prepared { source, paths, problem, columns, .. } = &prepared;
        let subject = Subject {
            policy,
            policy_path: job.policy.path.display().to_string(),
            certificate_path: paths.certificate.display().to_string(),
            columns,
            problem,
            decision: &decision,
            figures: &figures,
            exposed: &written.exposed,
            release,
        };
        if prepared.rows >= MANY_ROWS && is_proven_from_files(job, &prepared) {
            let mut facts = collect(subject, watch)?;
            if !nested {
                facts.suggestions = hints((policy, problem, &load), (&decision, &figures), watch)?;
            }
            let Prepared { source, paths, problem, maps, dictionaries, contents, .. } = prepared;
            drop((problem, decision, recoding, maps, dictionaries, contents));
            throng_arenas::return_freed();
            let original = OriginalTable {
                source: Some(&source),
                assignment: None,
                counted: written.counted.as_ref(),
                notes: None,
            };
            let verdict = self.verify_with(job.policy, &stage.output, &certificate, original, watch)?;
            refuse(&verdict)?;
            watch.check()?;
            record(ledger.as_mut(), job, &certificate, watch)?;
            stage.publish(&paths, &certificate, &facts)?;
            return Ok(Done { certificate, verdict, facts, paths, holder: job.holder.clone() });
        }
        let assignment = DecidedAssignment::new(policy, problem, &decision);
        let assignment = policy.forms_regions().then_some(&assignment as &dyn Assignment);
        // What the verifier reads, it digests itself.
        let counted = written.counted.as_ref();
        let again = prepared.transform(policy, &recoding, &stage.output, watch);
        let stated = (!prepared.texts.is_empty()).then(|| StatedTable::new(self, &again)).transpose()?;
        let notes = stated.as_ref().map(StatedTable::notes);
        let original = OriginalTable { source: Some(source), assignment, counted, notes };
        // The report states what was decided; the verifier reads what was written.
        let (facts, verdict) = std::thread::scope(|scope| {
            let facts = scope.spawn(|| collect(subject, watch));
            let verdict = self.verify_with(job.policy, &stage.output, &certificate, original, watch);
            (facts.join(), verdict)
        });
        let mut facts = facts.unwrap_or_else(|_| Err(Fault::bug("the report stopped").into()))?;
        let verdict = verdict?;
        refuse(&verdict)?;
        watch.check()?;
        if !nested {
            facts.suggestions = hints((policy, problem, &load), (&decision, &figures), watch)?;
        }
        let files = holder_files(job, (problem, &decision), &written)?;
        record(ledger.as_mut(), job, &certificate, watch)?;
        publish_with(files, || stage.publish(paths, &certificate, &facts))?;
        Ok(Done { certificate, verdict, facts, paths: paths.clone(), holder: job.holder.clone() })
    }

    /// Decides and writes, until the ledger accepts it where there is one.
    fn attempts(&self, job: &Job<'_>, ledger: Option<&mut ReleaseLedger>) -> Result<Attempt> {
        match ledger {
            Some(ledger) => self.attempts_beside(job, ledger),
            None => self.attempt(job, None, None),
        }
    }

    /// Reads the table without some people, decides, and writes. With a decision of levels, it is
    /// taken to this table.
    pub(crate) fn attempt(
        &self,
        job: &Job<'_>,
        left_out: Option<Arc<LeftOut>>,
        levels: Option<&Decision>,
    ) -> Result<Attempt> {
        let mut prepared = self.prepare(job, left_out)?;
        let policy = &job.policy.policy;
        let started = Instant::now();
        let Maximized { mut decision, raised } = match levels {
            Some(found) => {
                let decision = decide_at_levels_of(policy, &prepared.problem, found, &job.writing())?;
                Maximized { decision, raised: None }
            }
            None => self.decided(job, &prepared, started)?,
        };
        // Where k was maximized, everything from here on is by the policy with the k that was reached.
        let reached = raised.map(|raised| {
            let (policy, problem) = *raised;
            prepared.problem = problem;
            policy
        });
        decision.search.seconds = levels.map_or(0.0, |found| found.search.seconds);
        decision.search.seconds += started.elapsed().as_secs_f64();
        let watch = &job.writing();
        watch.done(Stage::Writing, 0, Some(prepared.rows))?;
        let policy = reached.as_ref().unwrap_or(policy);
        let of_rows = policy.ledger.is_some();
        let (stage, recoding, written) = self.write((job, policy), (&prepared, &decision), of_rows, watch)?;
        Ok(Attempt { prepared, decision, stage, recoding, written, reached })
    }

    /// Decides as the policy asks. Where nothing can be released, the fault says what would help.
    fn decided(&self, job: &Job<'_>, prepared: &Prepared, started: Instant) -> Result<Maximized> {
        let policy = &job.policy.policy;
        let load = |path: &str| job.policy.load(path);
        let decided = decide_with_model(job.policy, &prepared.problem, &job.deciding(started));
        // A search that builds on earlier releases has another one to fall back on.
        let traced = prepared.source.left_out.as_ref().is_some_and(|left_out| left_out.traces().is_some());
        match decided {
            Err(error) if !traced => Err(explained((policy, &prepared.problem, &load), error, &job.watch)?),
            decided => decided,
        }
    }

    /// Decides on levels that nest with earlier releases, and writes nothing.
    pub(crate) fn nested_levels(&self, job: &Job<'_>, left_out: Option<Arc<LeftOut>>) -> Result<Decision> {
        let prepared = self.prepare(job, left_out)?;
        let started = Instant::now();
        let mut decision = self.decided(job, &prepared, started)?.decision;
        decision.search.seconds = started.elapsed().as_secs_f64();
        Ok(decision)
    }

    /// Writes the release to where it waits for the verifier; finds the class of every row where
    /// somebody asks for it.
    fn write(
        &self,
        (job, policy): (&Job<'_>, &Policy),
        (prepared, decision): (&Prepared, &Decision),
        of_rows: bool,
        watch: &Watch,
    ) -> Result<(Staging, Recoding, Written)> {
        let stage = Staging::new(&prepared.paths)?;
        let mut recoding = Recoding::new(&prepared.problem.names, &prepared.maps, &decision.recoded);
        let asked = of_rows || job.holder.paths().next().is_some();
        let mut row_classes =
            asked.then(|| RowClasses::new(&prepared.problem.names, &prepared.maps, &decision.recoded));
        if let Some(contents) = &prepared.contents {
            recoding.divide_by(contents)?;
            row_classes.iter_mut().try_for_each(|classes| classes.divide_by(contents))?;
        }
        let transform = prepared.transform(policy, &recoding, &stage.output, watch);
        let written = self.transform(&Transform { row_classes: row_classes.as_ref(), ..transform });
        let written = written.map_err(|e| stage.named(e, &prepared.paths))?;
        Ok((stage, recoding, written))
    }

    /// What is known of the release beside the decision.
    fn circumstances(
        &self,
        job: &Job<'_>,
        prepared: &Prepared,
        written: &Written,
        watch: &Watch,
    ) -> Result<Circumstances> {
        let file = |path: String, sha256: String, rows: u64| FileFacts { path, sha256, rows };
        let input = prepared.source.published(watch)?;
        let output = prepared.paths.name();
        Ok(Circumstances {
            rows: prepared.rows,
            input: file(job.policy.policy.input.path.clone(), input, prepared.read),
            preparation: prepared.source.prepared.get().cloned(),
            population: job.policy.population_facts(&prepared.files, prepared.people)?,
            output: file(output, written.sha256.clone(), written.rows),
            policy_sha256: job.policy.sha256.clone(),
            files: prepared.files.clone(),
            text: written.text.clone(),
            seed: prepared.seed,
        })
    }
}

/// Decides, with the command of the policy's model where it has one: it guides, or measures. The
/// command is asked everything twice, to be sure that it predicts the same of the same rows:
/// otherwise nobody could decide again to prove the release.
fn decide_with_model(policy: &PolicyFile, problem: &Problem, watch: &Watch) -> Result<Maximized> {
    let asked = &policy.policy;
    let Some(spec) = asked.search.model.as_ref().filter(|spec| spec.builtin.is_none()) else {
        return decide_maximizing(asked, problem, &|path: &str| policy.load(path), None, watch);
    };
    let command = command(policy, problem, spec, watch)?;
    let guide = spec.guides.then_some(&command as &dyn Guide);
    let mut decision = decide_again(asked, problem, guide, watch)?;
    // The rest takes the time that it takes: the limit was for the decision.
    let rest = watch.acknowledge();
    let command = command.watched(rest.clone());
    decision.score(asked, problem, &command)?;
    if spec.guides {
        decide_again(asked, problem, Some(&command as &dyn Guide), &rest)?;
    }
    decision.score(asked, problem, &command)?;
    Ok(Maximized { decision, raised: None })
}

/// Decides again what the rows of a release became. A model that does not guide is not asked.
pub(crate) fn decide_again_with_model(
    policy: &PolicyFile,
    problem: &Problem,
    certified: &SearchFacts,
    watch: &Watch,
) -> Result<Decision> {
    let asked = &policy.policy;
    let guides = |spec: &&GuideSpec| spec.builtin.is_none() && spec.guides;
    let command = match asked.search.model.as_ref().filter(guides) {
        Some(spec) => Some(command(policy, problem, spec, watch)?),
        None => None,
    };
    let guide = command.as_ref().map(|command| command as &dyn Guide);
    decide_as_certified(asked, problem, guide, certified, watch)
}

/// The command of a policy's model.
fn command(policy: &PolicyFile, problem: &Problem, spec: &GuideSpec, watch: &Watch) -> Result<External> {
    let features = problem.features(spec);
    let reader = problem.reader(&policy.policy, &features)?;
    let (words, folder) = (spec.command.clone(), policy.folder());
    let seconds = spec.seconds.unwrap_or(SECONDS);
    Ok(External::new(words, folder, (features, reader), seconds, watch.clone()))
}

/// Records a release that was proven. What is in the ledger and not published is the safe side of
/// what a kill can leave.
fn record(
    ledger: Option<&mut ReleaseLedger>,
    job: &Job<'_>,
    certificate: &Certificate,
    watch: &Watch,
) -> Result<()> {
    ledger.map_or(Ok(()), |ledger| ledger.append(job.policy, certificate, watch))
}

/// Whether the proof needs nothing but files: neither which rows are in which region, nor the texts
/// of rows, and no file of the holder follows from what was decided.
fn is_proven_from_files(job: &Job<'_>, prepared: &Prepared) -> bool {
    !job.policy.policy.forms_regions() && prepared.texts.is_empty() && job.holder.paths().next().is_none()
}

/// Writes what the holder asked for; it gets its names with the release.
fn holder_files(
    job: &Job<'_>,
    (problem, decision): (&Problem, &Decision),
    written: &Written,
) -> Result<Vec<HolderFile>> {
    let (HolderFiles { sets, rows }, of_row) = (&job.holder, &written.classes_of_rows);
    let mut files = Vec::new();
    if let Some(path) = sets {
        files.push(HolderFile::write(path, |write| decision.write_sets(of_row, write))?);
    }
    if let Some(path) = rows {
        let figures = decision.row_figures(&job.policy.policy, problem)?;
        files.push(HolderFile::write(path, |write| figures.write(of_row, write))?);
    }
    Ok(files)
}

/// A release that its own verifier does not agree with is never written.
fn refuse(verdict: &Verdict) -> Result<()> {
    if verdict.holds() {
        return Ok(());
    }
    let wrong =
        verdict.claims.iter().filter(|(_, f)| !f.holds).map(|(claim, f)| format!("{claim}: {}", f.found));
    Err(Fault::bug(format!(
        "the verifier does not agree with the release; {}",
        wrong.collect::<Vec<_>>().join("; ")
    ))
    .help("nothing was written; please report this with the policy")
    .into())
}
