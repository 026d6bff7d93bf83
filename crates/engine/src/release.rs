//! The whole way of a release: read, group, search, recode, transform, verify, write.
//!
//! What is written waits in a folder of its own until the verifier has agreed: see `paths.rs`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use throng::classes::{Flags, View};
use throng::error::{Fault, Kind, Result};
use throng::hierarchy;
use throng::loss::{self, Marginals, Price};
use throng::model::PrivacyModel;
use throng::policy::{Column, LossParameters, Policy};
use throng::recode::{self, Local};
use throng::recoding::Recoding;
use throng::release::{
    Certificate, Claim, FileFacts, PolicyFacts, Release, SamplingFacts, SearchFacts, StepFacts,
};
use throng::report::{Facts, Subject, collect};
use throng::sampling::Sampling;
use throng::search::{self, Account, Budget, Evaluator, Outcome, Problem, Progress, Solution};
use throng::verify::{Finding, Verdict, Verifier};

use crate::Engine;
use crate::cells::unfit;
use crate::digest::digest_files;
use crate::error::unreadable;
use crate::leveled::Leveled;
use crate::paths::{Paths, Staging};
use crate::shape::shape;
use crate::source::Source;
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
    fn give_up(&self, interrupts: usize) -> Result<()> {
        if (self.interrupts)() > interrupts {
            return Err(Fault::new(Kind::Unsolvable, "stopped; nothing was written").into());
        }
        Ok(())
    }
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
    /// Releases a table as a policy asks, and proves it.
    ///
    /// # Errors
    /// What cannot be read, does not fit or cannot be written; [`Kind::Unsolvable`] when no node is
    /// safe within the limits. Nothing is left behind.
    pub fn release(&self, job: &Job<'_>) -> Result<Done> {
        let policy = &job.policy.policy;
        let strategy = search::strategy(&policy.search.algorithm)?;
        let (source, columns) = self.open(job.policy)?;
        let paths = Paths::new(job.policy, job.output.as_deref())?;
        paths.check(job.policy, &source)?;
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

        let started = Instant::now();
        let budget = Budget {
            cancelled: &|| {
                (job.interrupts)() > 0 || job.patience.is_some_and(|patience| started.elapsed() >= patience)
            },
            progress: &|p| (job.progress)(Stage::Searching(p)),
        };
        let (outcome, account) = search::solve(&problem, strategy, &budget)?;
        let interrupts = (job.interrupts)();
        let (best, gap) = found(outcome, &problem)?;
        let search =
            facts_of_search(strategy.name(), &problem, account, gap, started.elapsed().as_secs_f64());

        let mut evaluator = Evaluator::measuring(&problem);
        let (view, flags) = evaluator.classes(&best.node);
        let asked = policy.output.suppressed;
        let local =
            recode::local(asked, &problem.classes, (&view, flags), &problem.lattice, &problem.models)?;
        unmet(&claims_of(&problem, (&view, flags), local.as_ref()))?;
        let mut recoding = Recoding::new(&problem.names, &maps, &view, flags);
        if let Some(local) = &local {
            recoding = recoding.with_steps(&maps, &problem.classes, &problem.hierarchies, &local.steps);
        }
        let suppressed = recoding.suppressed_rows();
        let stage = Staging::new(&paths)?;
        let written = self.transform(&Transform {
            source: &source,
            policy,
            recoding: &recoding,
            dictionaries: &dictionaries,
            substitutes: &substitutes,
            leveled: &leveled,
            draw: draw.as_ref(),
            rows,
            seed,
            output: &stage.output,
            progress: &|done| {
                (job.progress)(Stage::Writing(done, rows));
                job.give_up(interrupts)
            },
        });
        let written = written.map_err(|e| stage.named(e, &paths))?;
        drop((recoding, dictionaries, maps, substitutes));

        let figures = figures(policy, &problem, &best, (&view, flags), local.as_ref())?;
        let release = Release {
            rows,
            released: rows - suppressed,
            suppressed,
            levels: problem.names.iter().enumerate().map(|(i, n)| (n.clone(), best.node.level(i))).collect(),
            steps: figures.steps,
            loss: figures.loss,
            loss_by_column: figures.loss_by_column,
            sampling: sampling_facts(policy)?,
            privacy: figures.privacy,
            risk: None,
            search,
            input: FileFacts {
                path: policy.input.path.clone(),
                sha256: digest_files(&source.files)?,
                rows: read,
            },
            population: self.population_facts(job.policy, people)?,
            output: FileFacts {
                path: paths.output.display().to_string(),
                sha256: written.sha256.clone(),
                rows: written.rows,
            },
            policy: PolicyFacts { sha256: job.policy.sha256.clone() },
            seed,
            version: env!("CARGO_PKG_VERSION").into(),
        };
        let mut facts = collect(Subject {
            policy,
            policy_path: job.policy.path.display().to_string(),
            certificate_path: paths.certificate.display().to_string(),
            columns: &columns,
            problem: &problem,
            view,
            flags,
            recoded: local.as_ref().map(|local| &local.recoded),
            released: local.as_ref().map(|local| &local.released),
            release,
        });
        facts.release.risk = Some(facts.risks());
        let certificate =
            Certificate::new(facts.release.clone().published(), written.columns.clone(), figures.classes)?;
        drop(local);
        drop(evaluator);
        drop(problem);

        (job.progress)(Stage::Verifying);
        let verdict = self.verify(job.policy, &stage.output, &certificate, Some(&source))?;
        refuse(&verdict)?;
        stage.publish(&paths, &certificate, &facts)?;
        Ok(Done { certificate, verdict, facts, paths })
    }

    /// Refuses columns whose cells have no text form before anything is read.
    pub(crate) fn check_types(&self, source: &Source, policy: &Policy) -> Result<()> {
        let schema = self.schema(source)?;
        let released = |name: &String| policy.columns.get(name).is_some_and(Column::released);
        let faults = schema.fields().iter().filter(|field| released(field.name()));
        let faults = faults.filter_map(|field| unfit(field.name(), field.data_type()));
        throng::error::Error::check(faults.map(|fault| fault.file(&source.name)).collect())
    }

    /// Judges a release by its file, the policy and the certificate, and with the original where given.
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
        let mut verifier = Verifier::new(&policy.policy, policy.sha256.clone(), certificate)?;
        self.read_release(&mut verifier, output, &policy.policy)?;
        if let Some(source) = original {
            self.read_original(&mut verifier, source, policy)?;
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

/// What is claimed of a release.
struct Figures {
    steps: Vec<StepFacts>,
    loss: BTreeMap<String, f64>,
    loss_by_column: BTreeMap<String, BTreeMap<String, f64>>,
    privacy: BTreeMap<String, Claim>,
    classes: u64,
}

/// The figures of a node with its flagged rows left out, or of what further steps made of them.
fn figures(
    policy: &Policy,
    problem: &Problem,
    best: &Solution,
    (view, flags): (&View<'_>, &Flags),
    local: Option<&Local<'_>>,
) -> Result<Figures> {
    let Some(local) = local else {
        return Ok(Figures {
            steps: Vec::new(),
            loss: losses(policy, problem, best, view, flags)?,
            loss_by_column: losses_by_column(problem, view, flags)?,
            privacy: claims_of(problem, (view, flags), None),
            classes: (view.len() - flags.classes()) as u64,
        });
    };
    let price = Price::new(&local.recoded, &best.node);
    Ok(Figures {
        steps: local.facts(&problem.names, &problem.hierarchies),
        loss: losses_of_cells(policy, problem, &price)?,
        loss_by_column: columns_of_cells(problem, &price),
        privacy: claims_of(problem, (view, flags), Some(local)),
        classes: local.released.view().len() as u64,
    })
}

/// Every loss with its defaults, and the one that was searched for as the policy asks.
fn losses(
    policy: &Policy,
    problem: &Problem,
    best: &Solution,
    view: &View<'_>,
    flags: &Flags,
) -> Result<BTreeMap<String, f64>> {
    let marginals = Marginals::new(&problem.classes, &problem.hierarchies);
    let plain = vec![1.0; problem.names.len()];
    let mut losses = BTreeMap::new();
    for name in loss::defined(&marginals) {
        let loss = loss::build(&LossParameters::named(name), &marginals, &plain)?;
        losses.insert(name.into(), loss.loss(view, flags));
    }
    losses.insert(policy.search.loss.parameters().name, best.loss);
    Ok(losses)
}

/// What every column lost, by every loss that is put together from columns, with its defaults and no weights.
fn losses_by_column(
    problem: &Problem,
    view: &View<'_>,
    flags: &Flags,
) -> Result<BTreeMap<String, BTreeMap<String, f64>>> {
    let marginals = Marginals::new(&problem.classes, &problem.hierarchies);
    let plain = vec![1.0; problem.names.len()];
    let mut losses = BTreeMap::new();
    for name in loss::defined(&marginals) {
        let parts = loss::build(&LossParameters::named(name), &marginals, &plain)?.parts(view, flags);
        if !parts.is_empty() {
            losses.insert(name.into(), problem.names.iter().cloned().zip(parts).collect());
        }
    }
    Ok(losses)
}

/// The same two for a release that is not of one node: of the cells as they are.
fn losses_of_cells(policy: &Policy, problem: &Problem, price: &Price) -> Result<BTreeMap<String, f64>> {
    let plain = vec![1.0; problem.names.len()];
    let mut losses = BTreeMap::new();
    for name in loss::NAMES {
        if name == "cm" && problem.classes.targets() == 0 {
            continue;
        }
        losses.insert(name.into(), price.loss(&LossParameters::named(name), &plain)?);
    }
    let target = policy.search.loss.parameters();
    let weight = |name: &String| policy.columns.get(name).and_then(|c| c.weight).unwrap_or(1.0);
    let weights: Vec<f64> = problem.names.iter().map(weight).collect();
    losses.insert(target.name.clone(), price.loss(&target, &weights)?);
    Ok(losses)
}

fn columns_of_cells(problem: &Problem, price: &Price) -> BTreeMap<String, BTreeMap<String, f64>> {
    let plain = vec![1.0; problem.names.len()];
    let parts = |name: &&str| (name.to_string(), price.parts(&LossParameters::named(*name), &plain));
    let losses = loss::NAMES.iter().map(parts).filter(|(_, parts)| !parts.is_empty());
    losses.map(|(name, parts)| (name, problem.names.iter().cloned().zip(parts).collect())).collect()
}

/// The guarantees of a node with its flagged rows left out, or of what further steps made of them.
fn claims_of(
    problem: &Problem,
    (view, flags): (&View<'_>, &Flags),
    local: Option<&Local<'_>>,
) -> BTreeMap<String, Claim> {
    let Some(local) = local else { return claims(&problem.models, view, flags) };
    let released = local.released.view();
    let mut nothing = Flags::default();
    nothing.reset(released.len());
    claims(&problem.models, &released, &nothing)
}

/// Refuses a release under a model that flags no class, so as not to tell of its values, and is not met.
fn unmet(claims: &BTreeMap<String, Claim>) -> Result<()> {
    let Some((name, claim)) = claims.iter().find(|(_, claim)| !claim.holds) else { return Ok(()) };
    let achieved = claim.achieved.unwrap_or_default();
    let message = format!(
        "{name}: a class reaches {achieved}, {} is required; nothing is released, because what is released must not \
         depend on its values",
        claim.required
    );
    let help = "ask for a higher k or for higher least levels from the beginning. Keep the refusal to yourself: a policy \
                that was changed until it passed tells of the values";
    Err(Fault::new(Kind::Unsolvable, message).key("privacy.models").help(help).into())
}

fn claims(models: &[Box<dyn PrivacyModel>], view: &View<'_>, flags: &Flags) -> BTreeMap<String, Claim> {
    models
        .iter()
        .filter_map(|model| {
            let v = model.verdict(view, flags)?;
            Some((model.name(), Claim { required: v.required, achieved: v.achieved, holds: v.holds }))
        })
        .collect()
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
