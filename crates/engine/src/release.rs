//! The whole way of a release: read, group, search, recode, transform, verify, write.
//!
//! What is written waits in a folder of its own until the verifier has agreed: see `paths.rs`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use throng::error::{Fault, Kind, Result};
use throng::hierarchy;
use throng::policy::{Column, Policy};
use throng::recode;
use throng::recoding::Recoding;
use throng::release::{Certificate, FileFacts, PolicyFacts, Release, SamplingFacts, SearchFacts};
use throng::report::{Facts, Subject, collect};
use throng::sampling::{Draw, Sampling};
use throng::search::{self, Account, Budget, Evaluator, Outcome, Problem, Progress, Solution};
use throng::table::{Code, Dictionary};
use throng::verify::{Finding, Verdict, Verifier};

use crate::Engine;
use crate::cells::unfit;
use crate::digest::digest_files;
use crate::error::{stopped, unreadable};
use crate::figures::{Figures, claims_of, figures, unmet};
use crate::leveled::Leveled;
use crate::paths::{Paths, Staging};
use crate::regions::Hint;
use crate::shape::shape;
use crate::sink::Written;
use crate::source::Source;
use crate::substitute::Substitutes;
use crate::transform::Transform;

/// A policy with where it came from.
#[derive(Debug, Clone)]
pub struct PolicyFile {
    /// What it asks for.
    pub policy: Policy,
    /// SHA-256 of its text.
    pub sha256: String,
    /// Where it is.
    pub path: PathBuf,
}

impl PolicyFile {
    /// Reads a policy.
    ///
    /// # Errors
    /// A file that cannot be read, or a policy with mistakes.
    pub fn read(path: &Path) -> Result<(Self, String)> {
        let name = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|e| unreadable(&name, &e))?;
        let text = String::from_utf8(bytes).map_err(|_| {
            Fault::input("is not a policy: it is not UTF-8 text")
                .file(&name)
                .help("a policy is a TOML file; `throng inspect TABLE --write POLICY` proposes one")
        })?;
        let policy = Policy::parse(&text).map_err(|e| e.map(|f| f.file(&name)))?;
        let sha256 = Policy::digest(&text);
        Ok((PolicyFile { policy, sha256, path: path.to_owned() }, text))
    }

    /// The folder that its paths are relative to.
    pub fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// Reads a hierarchy file that the policy names.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn load(&self, path: &str) -> Result<String> {
        let full = self.folder().join(path);
        let bytes = std::fs::read(&full).map_err(|e| unreadable(&full.display().to_string(), &e))?;
        String::from_utf8(bytes).map_err(|_| {
            Fault::input("is not UTF-8")
                .file(full.display().to_string())
                .help("convert the hierarchy file")
                .into()
        })
    }
}

/// How far a release is.
#[derive(Debug, Clone, Copy)]
pub enum Stage {
    /// Rows read to be grouped.
    Reading(u64),
    /// The search.
    Searching(Progress),
    /// The share of rows that are in their region.
    Forming(f64),
    /// Rows rewritten, of so many.
    Writing(u64, u64),
    /// The verifier reads.
    Verifying,
}

/// What to release and whom to tell.
pub struct Job<'a> {
    /// The policy.
    pub policy: &'a PolicyFile,
    /// Where the release goes, instead of where the policy says.
    pub output: Option<PathBuf>,
    /// The seed, instead of the policy's.
    pub seed: Option<u64>,
    /// How long the search may go on before the best so far is released; what that is may then differ from
    /// run to run.
    pub patience: Option<Duration>,
    /// How often the user asked to stop: during the search it means to release the best so far, otherwise to
    /// give up.
    pub interrupts: &'a (dyn Fn() -> usize + Sync),
    /// Told how far it is.
    pub progress: &'a (dyn Fn(Stage) + Sync),
}

impl Job<'_> {
    /// Stops when the user asked to since there were so many interrupts.
    pub(crate) fn give_up(&self, interrupts: usize) -> Result<()> {
        if (self.interrupts)() > interrupts {
            return Err(stopped());
        }
        Ok(())
    }
}

/// A table that was read and grouped, and the problem that it is.
pub(crate) struct Prepared {
    pub(crate) source: Source,
    pub(crate) columns: Vec<String>,
    pub(crate) paths: Paths,
    pub(crate) seed: u64,
    draw: Option<Draw>,
    pub(crate) dictionaries: Vec<Dictionary>,
    /// Rows of the table, or of the drawn part of it; people of the population; rows that were read.
    pub(crate) rows: u64,
    people: u64,
    read: u64,
    leveled: Leveled,
    pub(crate) problem: Problem,
    pub(crate) maps: Vec<Vec<Code>>,
    substitutes: Substitutes,
}

/// A release that was written and verified.
#[derive(Debug)]
pub struct Done {
    /// What was released, with the proof.
    pub certificate: Certificate,
    /// What the verifier found.
    pub verdict: Verdict,
    /// What the report tells.
    pub facts: Facts,
    /// The files written: release, certificate, report.
    pub paths: Paths,
}

impl Engine {
    /// Reads and groups the table and makes the problem of it.
    pub(crate) fn prepare(&self, job: &Job<'_>) -> Result<Prepared> {
        let policy = &job.policy.policy;
        let (source, columns) = self.open(job.policy)?;
        let paths = Paths::new(job.policy, job.output.as_deref())?;
        paths.check(job.policy)?;
        let keys = job.policy.keys()?;
        self.check_weights(&source, policy)?;
        let seed = job.seed.unwrap_or(policy.search.seed);
        let draw = job.policy.draw(&source, seed)?;

        let mut reading = draw.clone();
        let grouped = self.group_quasi(job.policy, (&source, &columns), reading.as_mut(), &|rows| {
            (job.progress)(Stage::Reading(rows));
            job.give_up(0)
        })?;
        let dictionaries = grouped.dictionaries.clone();
        let rows = grouped.tuples.rows();
        let people = grouped.population.as_ref().map_or(0, |population| population.tuples.rows());
        let read = reading.map_or(rows, |draw| draw.rows());
        let load = |path: &str| job.policy.load(path);
        let quasi = grouped.names.len();
        let leveled = search::leveled(policy, &grouped.measured, &dictionaries[quasi..], &load)
            .map_err(|e| in_table(e, &source))?;
        let leveled = Leveled::new(leveled, (&grouped.measured, &dictionaries[quasi..]))?;
        let (mut problem, maps) = Problem::new(policy, grouped, &load).map_err(|e| in_table(e, &source))?;
        problem.profile.seed = seed;

        let substitutes = self.substitutes(&source, policy, keys, &|| job.give_up(0))?;
        Ok(Prepared {
            source,
            columns,
            paths,
            seed,
            draw,
            dictionaries,
            rows,
            people,
            read,
            leveled,
            problem,
            maps,
            substitutes,
        })
    }

    /// Releases a table as a policy asks, and proves it.
    ///
    /// # Errors
    /// What cannot be read, does not fit or cannot be written; [`Kind::Unsolvable`] when no node is
    /// safe within the limits. Nothing is left behind.
    pub fn release(&self, job: &Job<'_>) -> Result<Done> {
        let policy = &job.policy.policy;
        if policy.forms_regions() {
            return self.release_regions(job);
        }
        let strategy = search::strategy(&policy.search.algorithm)?;
        let mut prepared = self.prepare(job)?;

        let started = Instant::now();
        let budget = Budget {
            cancelled: &|| {
                (job.interrupts)() > 0 || job.patience.is_some_and(|patience| started.elapsed() >= patience)
            },
            progress: &|p| (job.progress)(Stage::Searching(p)),
        };
        let (outcome, mut account) = search::solve(&prepared.problem, strategy, &budget)?;
        let (mut best, mut gap) = found(outcome, &prepared.problem)?;
        let mut rounds = None;
        if policy.search.local {
            let problem = &mut prepared.problem;
            let weight = |name: &String| policy.columns.get(name).and_then(|c| c.weight).unwrap_or(1.0);
            let weights: Vec<f64> = problem.names.iter().map(weight).collect();
            let loss = policy.search.loss.parameters();
            let found = search::local(problem, (&loss, &weights), strategy, &best, &budget)?;
            account.checked += found.account.checked;
            if found.nodes.len() > 1 {
                // Nothing is known of what other steps would cost.
                gap = found.loss;
                best.node = found.nodes[0].clone();
                rounds = Some(found.nodes);
            }
        }
        let interrupts = (job.interrupts)();
        let (problem, maps) = (&prepared.problem, &prepared.maps);
        let search = facts_of_search(strategy.name(), problem, account, gap, started.elapsed().as_secs_f64());

        let mut evaluator = Evaluator::measuring(problem);
        let (view, flags) = evaluator.classes(&best.node);
        let (asked, classes) = (policy.output.suppressed, &problem.classes);
        let local = match rounds {
            Some(nodes) => {
                Some(recode::stepped(classes, &problem.hierarchies, &problem.models, nodes, false)?)
            }
            None => recode::local(asked, classes, (&view, flags), &problem.lattice, &problem.models)?,
        };
        unmet(&claims_of(problem, (&view, flags), local.as_ref()))?;
        let mut recoding = Recoding::new(&problem.names, maps, &view, flags);
        if let Some(local) = &local {
            recoding = recoding.with_steps(maps, &problem.classes, &problem.hierarchies, &local.steps);
        }
        let suppressed = recoding.suppressed_rows();
        let (stage, written) = self.write(job, &prepared, &recoding, interrupts)?;
        drop(recoding);

        let figures = figures(policy, problem, &best, (&view, flags), local.as_ref())?;
        let release = Release {
            levels: problem.names.iter().enumerate().map(|(i, n)| (n.clone(), best.node.level(i))).collect(),
            ..self.outline(job, &prepared, (search, suppressed), &figures, &written)?
        };
        let mut facts = collect(Subject {
            policy,
            policy_path: job.policy.path.display().to_string(),
            certificate_path: prepared.paths.certificate.display().to_string(),
            columns: &prepared.columns,
            problem,
            view,
            flags,
            recoded: local.as_ref().map(|local| &local.recoded),
            released: local.as_ref().map(|local| &local.released),
            release,
        });
        facts.release.risk = Some(facts.risks());
        let certificate =
            Certificate::new(facts.release.clone().published(), written.columns.clone(), figures.classes)?;
        drop((local, evaluator));
        let Prepared { source, paths, .. } = prepared;

        (job.progress)(Stage::Verifying);
        let verdict = self.verify(job.policy, &stage.output, &certificate, Some(&source))?;
        refuse(&verdict)?;
        stage.publish(&paths, &certificate, &facts)?;
        Ok(Done { certificate, verdict, facts, paths })
    }

    /// Writes the release to where it waits for the verifier.
    pub(crate) fn write(
        &self,
        job: &Job<'_>,
        prepared: &Prepared,
        recoding: &Recoding,
        interrupts: usize,
    ) -> Result<(Staging, Written)> {
        let stage = Staging::new(&prepared.paths)?;
        let rows = prepared.rows;
        let written = self.transform(&Transform {
            source: &prepared.source,
            policy: &job.policy.policy,
            recoding,
            dictionaries: &prepared.dictionaries,
            substitutes: &prepared.substitutes,
            leveled: &prepared.leveled,
            draw: prepared.draw.as_ref(),
            rows,
            seed: prepared.seed,
            output: &stage.output,
            progress: &|done| {
                (job.progress)(Stage::Writing(done, rows));
                job.give_up(interrupts)
            },
        });
        let written = written.map_err(|e| stage.named(e, &prepared.paths))?;
        Ok((stage, written))
    }

    /// What is told of every release, without levels and regions.
    pub(crate) fn outline(
        &self,
        job: &Job<'_>,
        prepared: &Prepared,
        (search, suppressed): (SearchFacts, u64),
        figures: &Figures,
        written: &Written,
    ) -> Result<Release> {
        let policy = &job.policy.policy;
        let Prepared { rows, source, paths, .. } = prepared;
        Ok(Release {
            rows: *rows,
            released: rows - suppressed,
            suppressed,
            levels: BTreeMap::new(),
            steps: figures.steps.clone(),
            regions: None,
            loss: figures.loss.clone(),
            loss_by_column: figures.loss_by_column.clone(),
            sampling: sampling_facts(policy)?,
            privacy: figures.privacy.clone(),
            predicted: figures.predicted.clone(),
            risk: None,
            search,
            input: FileFacts {
                path: policy.input.path.clone(),
                sha256: digest_files(&source.files)?,
                rows: prepared.read,
            },
            population: self.population_facts(job.policy, prepared.people)?,
            output: FileFacts {
                path: paths.output.display().to_string(),
                sha256: written.sha256.clone(),
                rows: written.rows,
            },
            policy: PolicyFacts { sha256: job.policy.sha256.clone() },
            seed: prepared.seed,
            version: env!("CARGO_PKG_VERSION").into(),
        })
    }

    /// Refuses columns whose cells have no text form before anything is read.
    pub(crate) fn check_types(&self, source: &Source, policy: &Policy) -> Result<()> {
        let schema = self.schema(source)?;
        let released = |name: &String| policy.columns.get(name).is_some_and(Column::released);
        let faults = schema.fields().iter().filter(|field| released(field.name()));
        let faults = faults.filter_map(|field| unfit(field.name(), field.data_type()));
        throng::error::Error::check(faults.map(|fault| fault.file(&source.name)).collect())
    }

    /// Judges a release by its file, the policy and the certificate, and with the original where given. Where rows were put into
    /// regions, the original is put into regions again, to know which rows the verifier has to compare.
    ///
    /// # Errors
    /// When a file cannot be read. A claim that does not hold is no error: it is in the verdict.
    pub fn verify(
        &self,
        policy: &PolicyFile,
        output: &Path,
        certificate: &Certificate,
        original: Option<&Source>,
    ) -> Result<Verdict> {
        let hint = original.filter(|_| policy.policy.forms_regions());
        let hint = hint.map(|source| self.hint(policy, source, certificate.release.seed)).transpose()?;
        self.verify_with(policy, output, certificate, (original, hint.as_ref()))
    }

    /// The same with what the original's rows became, where they were put into regions.
    pub(crate) fn verify_with(
        &self,
        policy: &PolicyFile,
        output: &Path,
        certificate: &Certificate,
        (original, hint): (Option<&Source>, Option<&Hint>),
    ) -> Result<Verdict> {
        let mut verifier = Verifier::new(&policy.policy, policy.sha256.clone(), certificate)?;
        self.read_release(&mut verifier, output, &policy.policy)?;
        if let Some(source) = original {
            self.read_original(&mut verifier, source, policy, hint)?;
        }
        self.read_population(&mut verifier, policy)?;
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
}

/// Names the table in faults about its cells, and the policy's key in those about a hierarchy.
pub(crate) fn in_table(error: throng::error::Error, source: &Source) -> throng::error::Error {
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
pub(crate) fn explain_delimiter(
    error: throng::error::Error,
    source: &Source,
    columns: &[String],
) -> throng::error::Error {
    let [only] = columns else { return error };
    let found = [';', ',', '\t', '|'].into_iter().find(|c| only.contains(*c));
    match found {
        Some(delimiter) => Fault::input(format!("the table has one column, called `{only}`"))
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

/// The best node, or why there is none and what would help.
fn found(outcome: Outcome, problem: &Problem) -> Result<(Solution, f64)> {
    match outcome {
        Outcome::Found { best, gap } => Ok((best, gap)),
        Outcome::Cancelled => {
            Err(Fault::new(Kind::Unsolvable, "stopped before a safe generalization was found").into())
        }
        Outcome::Infeasible { least } => {
            let rows = problem.classes.rows();
            Err(Fault::new(
                Kind::Unsolvable,
                format!(
                    "no generalization is safe: the best one leaves {least} of {rows} rows to be suppressed, and {} \
                     are allowed",
                    problem.max_suppressed
                ),
            )
            .key("privacy.suppression")
            .help(remedies(problem, least))
            .into())
        }
    }
}

/// What would help, tried out: each by itself.
fn remedies(problem: &Problem, least: u64) -> String {
    let mut remedies = Vec::new();
    if least < problem.classes.rows() {
        let needed = round_up(least as f64 / problem.classes.rows() as f64);
        remedies.push(format!("raise privacy.suppression to {needed} or more"));
    }
    for relax in search::relax(problem) {
        remedies.push(match relax.tolerance {
            Some(tolerance) => format!("raise tolerance of `{}` to {tolerance}", relax.column),
            None => format!("raise max_level of `{}` to {}", relax.column, relax.level),
        });
    }
    remedies.push("lower k".into());
    let others = problem.models.iter().map(|model| model.name());
    let others: Vec<String> =
        others.filter(|name| !name.starts_with("k-anonymity") && name != "no missing").collect();
    if !others.is_empty() {
        remedies.push(format!("ask less of {}", others.join(", ")));
    }
    remedies.join(", or ")
}

/// Up to four digits, so that the share that is asked for is enough.
fn round_up(share: f64) -> f64 {
    (share * 1e4).ceil() / 1e4
}

fn facts_of_search(
    algorithm: &str,
    problem: &Problem,
    account: Account,
    gap: f64,
    seconds: f64,
) -> SearchFacts {
    SearchFacts {
        algorithm: algorithm.into(),
        nodes: problem.lattice.nodes().try_into().unwrap_or(u64::MAX),
        checked: account.checked,
        optimal: gap == 0.0,
        gap,
        seconds,
    }
}

/// How rows are drawn, as a certificate says it.
fn sampling_facts(policy: &Policy) -> Result<Option<SamplingFacts>> {
    let Some(asked) = policy.differential_privacy() else { return Ok(None) };
    let sampling = Sampling::new(asked.epsilon, asked.delta)?;
    let (epsilon, delta) = (asked.epsilon, asked.delta);
    Ok(Some(SamplingFacts { epsilon, delta, beta: sampling.beta(), k: sampling.k() }))
}

/// A release that its own verifier does not agree with is never written.
pub(crate) fn refuse(verdict: &Verdict) -> Result<()> {
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
