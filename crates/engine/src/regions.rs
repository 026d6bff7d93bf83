//! Releases by regions: forms them, and tells the verifier which rows of the original are in which.
//!
//! The verifier needs to be told, because two regions may be true of one row (see `verify/regions.rs` of the core). What it is told
//! follows from table, policy and seed; so nothing of it has to be kept with a release, and whoever has the original can say it again.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use throng::classes::{Classes, Flags, Groups, View};
use throng::error::{Error, Fault, Kind, Result};
use throng::hierarchy::Hierarchy;
use throng::policy::{Role, SECONDS};
use throng::predict::Guide;
use throng::recode::region::{Share, Watch};
use throng::recode::{self, Regional};
use throng::recoding::Recoding;
use throng::release::{Certificate, RegionFacts, Release, SearchFacts};
use throng::report::{Subject, collect};
use throng::search::Problem;
use throng::space::Guiding;
use throng::table::Code;
use throng::verify::Verifier;

use crate::Engine;
use crate::error::stopped;
use crate::external::External;
use crate::figures::figures_of_regions;
use crate::release::{Done, Job, PolicyFile, Prepared, Stage, in_table, refuse};
use crate::source::Source;

/// Which cells the rows of every tuple of the original became.
pub(crate) struct Hint {
    /// The quasi-identifiers, in name order, as places in the order of the classes.
    columns: Vec<usize>,
    hierarchies: Vec<Hierarchy>,
    classes: Classes,
    shares: Vec<Share>,
    cells: Vec<Code>,
    labels: Vec<Vec<Option<String>>>,
}

impl Hint {
    /// Of what was decided.
    fn new(
        policy: &PolicyFile,
        problem: Problem,
        shares: Vec<Share>,
        cells: Vec<Code>,
        labels: Vec<Vec<Option<String>>>,
    ) -> Self {
        let place = |name: &str| problem.names.iter().position(|n| n == name);
        let columns = policy.policy.with_role(Role::Quasi).into_iter().filter_map(place).collect();
        Hint { columns, hierarchies: problem.hierarchies, classes: problem.classes, shares, cells, labels }
    }

    /// Tells the verifier.
    pub(crate) fn tell(&self, verifier: &mut Verifier<'_>) -> Result<()> {
        let width = self.hierarchies.len();
        let mut next = self.shares.iter().peekable();
        for (class, &count) in self.classes.counts().iter().enumerate() {
            let text =
                |&column: &usize| self.hierarchies[column].leaf_value(self.classes.code(class, column));
            let texts: Vec<Option<&str>> = self.columns.iter().map(text).collect();
            let mut left = count;
            while let Some(share) = next.next_if(|share| share.point as usize == class) {
                let at = share.region as usize * width;
                let label =
                    |&column: &usize| self.labels[column][self.cells[at + column] as usize].as_deref();
                let labels: Vec<Option<&str>> = self.columns.iter().map(label).collect();
                verifier.region(&texts, u64::from(share.rows), Some(&labels))?;
                left -= share.rows;
            }
            if left > 0 {
                verifier.region(&texts, u64::from(left), None)?;
            }
        }
        Ok(())
    }
}

/// Forms regions as the policy asks; none when stopped. Where a command guides, they are formed `again`, if that is given: it must say the same of the
/// same rows, or whoever proves the release later would find other regions.
fn form<'a>(
    policy: &PolicyFile,
    problem: &'a Problem,
    watch: Watch<'_>,
    again: Option<Watch<'_>>,
) -> Result<Option<Regional<'a>>> {
    let Some(spec) = &policy.policy.search.model else {
        return recode::regions(&policy.policy, &problem.ground(), watch);
    };
    let predicted = problem.predicted(spec)?;
    let features = problem.features(spec);
    // Regions outlive the model: what they were formed by is not kept with them.
    let guided = |guide: &dyn Guide, watch: Watch<'_>| {
        let guiding = Guiding { guide, target: predicted.column, numbers: &predicted.numbers };
        match recode::guided_regions(&policy.policy, &problem.ground(), guiding, watch) {
            // A command that is no longer waited for says so.
            Err(error) if is_stopped(&error) && (watch.cancelled)() => Ok(None),
            formed => formed,
        }
    };
    if let Some(name) = &spec.builtin {
        return guided(&problem.fitted(&policy.policy, name, features, &predicted)?, watch);
    }
    let reader = problem.reader(&policy.policy, &features)?;
    let seconds = spec.seconds.unwrap_or(SECONDS);
    let proving = AtomicBool::new(false);
    let stopped = || match again {
        Some(again) if proving.load(Ordering::Relaxed) => (again.cancelled)(),
        _ => (watch.cancelled)(),
    };
    let command = External::new(spec.command.clone(), policy.folder(), (features, reader), seconds, &stopped);
    let formed = guided(&command, watch)?;
    match (again, &formed) {
        (Some(again), Some(_)) => {
            proving.store(true, Ordering::Relaxed);
            Ok(guided(&command, again)?.and(formed))
        }
        _ => Ok(formed),
    }
}

fn is_stopped(error: &Error) -> bool {
    error.faults().iter().all(|fault| fault.kind == Kind::Unsolvable)
}

/// The labels of each column.
fn labels(regional: &Regional<'_>) -> Vec<Vec<Option<String>>> {
    regional.recoded.columns().iter().map(|column| column.labels.clone()).collect()
}

impl Engine {
    /// What the rows of an original became, found again.
    pub(crate) fn hint(&self, policy: &PolicyFile, source: &Source, seed: u64) -> Result<Hint> {
        let columns = self.columns(source)?;
        policy.policy.bind(&columns)?;
        let grouped = self.group_quasi(policy, (source, &columns), None, &|_| Ok(()))?;
        let (mut problem, _) = Problem::new(&policy.policy, grouped, &|path| policy.load(path))
            .map_err(|e| in_table(e, source))?;
        problem.profile.seed = seed;
        let watch = Watch { cancelled: &|| (self.stopped)(), ..Watch::none() };
        let (shares, cells, labels) = {
            let regional = form(policy, &problem, watch, None)?.ok_or_else(stopped)?;
            let labels = labels(&regional);
            (regional.shares, regional.cells, labels)
        };
        Ok(Hint::new(policy, problem, shares, cells, labels))
    }

    /// Releases a table by regions, and proves it.
    pub(crate) fn release_regions(&self, job: &Job<'_>) -> Result<Done> {
        recode::method(&job.policy.policy.search.algorithm)?;
        let prepared = self.prepare(job)?;
        let started = Instant::now();
        let watch = Watch {
            cancelled: &|| {
                (job.interrupts)() > 0 || job.patience.is_some_and(|patience| started.elapsed() >= patience)
            },
            progress: &|share| (job.progress)(Stage::Forming(share)),
        };
        // Proving takes the time that it takes.
        let again =
            Watch { cancelled: &|| (job.interrupts)() > 0, progress: &|_| (job.progress)(Stage::Verifying) };
        let formed = form(job.policy, &prepared.problem, watch, Some(again))?;
        let Some(regional) = formed else {
            return Err(Fault::new(
                Kind::Unsolvable,
                "stopped before all rows were in regions; nothing was written",
            )
            .help("only a search of levels has a best release so far")
            .into());
        };
        let seconds = started.elapsed().as_secs_f64();
        let labels = labels(&regional);
        let problem = &prepared.problem;
        let recoding = Recoding::of_regions(
            (&problem.names, &prepared.maps),
            &problem.classes,
            &regional.shares,
            (regional.cells.clone(), labels.clone()),
        );
        let suppressed = recoding.suppressed_rows();
        let (stage, written) = self.write(job, &prepared, &recoding, 0)?;
        drop(recoding);

        let policy = &job.policy.policy;
        let figures = figures_of_regions(policy, problem, &regional)?;
        let loss = figures.loss.get(&policy.search.loss.parameters().name).copied().unwrap_or_default();
        let search = SearchFacts {
            algorithm: policy.search.algorithm.clone(),
            nodes: 0,
            checked: 0,
            optimal: loss == 0.0,
            gap: loss,
            seconds,
        };
        let release = Release {
            regions: Some(facts_of_regions(problem, &regional)),
            ..self.outline(job, &prepared, (search, suppressed), &figures, &written)?
        };
        let (bottom, every) = (problem.lattice.bottom(), Groups::identity(&problem.classes));
        let mut nothing = Flags::default();
        nothing.reset(problem.classes.len());
        let mut facts = collect(Subject {
            policy,
            policy_path: job.policy.path.display().to_string(),
            certificate_path: prepared.paths.certificate.display().to_string(),
            columns: &prepared.columns,
            problem,
            view: View::new(&problem.classes, &problem.hierarchies, &bottom, &every),
            flags: &nothing,
            recoded: Some(&regional.recoded),
            released: Some(&regional.released),
            release,
        });
        facts.release.risk = Some(facts.risks());
        let certificate = Certificate::new(facts.release.clone(), written.columns.clone(), figures.classes)?;
        let (shares, cells) = (regional.shares, regional.cells);
        let Prepared { source, paths, problem, .. } = prepared;
        let hint = Hint::new(job.policy, problem, shares, cells, labels);

        (job.progress)(Stage::Verifying);
        let verdict =
            self.verify_with(job.policy, &stage.output, &certificate, (Some(&source), Some(&hint)))?;
        refuse(&verdict)?;
        stage.publish(&paths, &certificate, &facts)?;
        Ok(Done { certificate, verdict, facts, paths })
    }
}

fn facts_of_regions(problem: &Problem, regional: &Regional<'_>) -> RegionFacts {
    let count = regional.shares.iter().map(|share| u64::from(share.region) + 1).max().unwrap_or(0);
    let forms = problem.names.iter().cloned().zip(regional.forms.iter().copied()).collect();
    RegionFacts { count, forms, parted: regional.parted }
}
