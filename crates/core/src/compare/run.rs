//! Runs an experiment, one run after the other, so that runs do not compete for time.

use super::contender::{self, Contender};
use super::experiment::{Experiment, Size, label};
use super::predicted::Trial;
use super::table::{Point, Sample, Table};
use super::votes::{measures, rankings};
use super::{Comparison, Run, Status};
use crate::error::{Fault, Kind, Result};
use crate::fault;
use crate::policy::Policy;
use crate::search::{Outcome, Problem, least_loss, solve_scored, strategy};
use crate::watch::{Event, Watch};

/// Seconds since some time that does not change. The core never reads a clock, so the caller does.
pub type Clock<'a> = &'a (dyn Fn() -> f64 + Sync);

/// Runs an experiment on its tables, which are given in its order. One that is stopped gives the
/// runs that were made.
///
/// # Errors
/// A table that does not fit the grid: fewer rows than a sample has, parameters that a loss does
/// not have, hierarchies that cannot be built.
pub fn compare(
    experiment: &Experiment,
    tables: &[Table],
    clock: Clock<'_>,
    watch: &Watch,
) -> Result<Comparison> {
    let grid = &experiment.grid;
    let contenders: Vec<Contender> =
        grid.algorithms.iter().map(|name| Contender::named(name)).collect::<Result<_>>()?;
    for table in tables {
        enough_rows(table, &grid.sizes)?;
        contender::refuse_commands(&contenders, &table.name, table.policy())?;
    }
    let samples: u64 = grid.sizes.iter().map(|&size| u64::from(repeats(experiment, size))).sum();
    let points = (tables.len() * grid.losses.len() * grid.suppression.len() * grid.k.len()) as u64;
    let planned = samples * points * contenders.len() as u64;
    let mut runs = Runs { experiment, contenders, clock, watch, planned, runs: Vec::new() };
    let finished = runs.all(tables)?;
    let losses: Vec<String> = grid.losses.iter().map(label).collect();
    let mut comparison = Comparison {
        tables: tables.iter().map(|t| t.name.clone()).collect(),
        algorithms: grid.algorithms.clone(),
        k: grid.k.clone(),
        suppression: grid.suppression.clone(),
        sizes: grid.sizes.clone(),
        drawn_losses: experiment.plots.losses.clone().unwrap_or_else(|| losses.clone()),
        drawn_suppression: experiment.plots.suppression.clone().unwrap_or(grid.suppression.clone()),
        losses,
        planned,
        finished,
        runs: runs.runs,
        rankings: Vec::new(),
        measures: Vec::new(),
    };
    comparison.rankings = rankings(&comparison);
    comparison.measures = measures(&comparison);
    Ok(comparison)
}

fn enough_rows(table: &Table, sizes: &[Size]) -> Result<()> {
    let rows = table.rows();
    match sizes.iter().find(|size| matches!(size, Size::Rows(wanted) if *wanted > rows)) {
        None => Ok(()),
        Some(size) => Err(fault!(
            Data,
            "experiment.too-few-rows",
            "table `{table}` has {rows} rows, not {size}",
            rows = rows,
            size = size,
            table = &table.name
        )
        .key("grid.sizes")
        .help("ask for smaller samples, or for \"all\"")
        .into()),
    }
}

/// Every sample of the whole table would be the same.
fn repeats(experiment: &Experiment, size: Size) -> u32 {
    if size == Size::All { 1 } else { experiment.grid.repeats }
}

/// Another seed for every size and repeat (the finalizer of SplitMix64).
fn seed(seed: u64, size: u64, repeat: u32) -> u64 {
    let mix = |z: u64| {
        let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    };
    [size, u64::from(repeat)]
        .iter()
        .fold(seed, |s, &part| mix(s.wrapping_add(0x9E37_79B9_7F4A_7C15).wrapping_add(mix(part))))
}

/// Makes the seeds of trials others than those of samples.
const TRIAL: u64 = 0x7412_1a1c_0de5_eed5;

struct Runs<'a> {
    experiment: &'a Experiment,
    contenders: Vec<Contender>,
    clock: Clock<'a>,
    watch: &'a Watch,
    planned: u64,
    runs: Vec<Run>,
}

/// What all runs at a point share.
struct Place<'a> {
    table: &'a str,
    size: Size,
    repeat: u32,
    rows: u64,
    point: Point<'a>,
    trial: Option<&'a Trial>,
}

impl Runs<'_> {
    /// Makes all runs; false when stopped.
    fn all(&mut self, tables: &[Table]) -> Result<bool> {
        let grid = &self.experiment.grid;
        for table in tables {
            for &size in &grid.sizes {
                for repeat in 1..=repeats(self.experiment, size) {
                    let sample = match size {
                        Size::All => table.whole(),
                        Size::Rows(rows) => table.sample(rows, seed(grid.seed, rows, repeat)),
                    };
                    if !self.sample(table, &sample, size, repeat)? {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    fn sample(&mut self, table: &Table, sample: &Sample<'_>, size: Size, repeat: u32) -> Result<bool> {
        let grid = &self.experiment.grid;
        let rows = sample.rows();
        // Another seed than that of the sample, so that what one draws does not hang on the other.
        let seed = seed(grid.seed ^ TRIAL, rows, repeat);
        let trial =
            self.experiment.prediction.as_ref().map(|asked| Trial::new(asked, sample, seed)).transpose()?;
        for loss in &grid.losses {
            for &suppression in &grid.suppression {
                for &k in &grid.k {
                    let point = Point { loss, k, suppression };
                    let trial = trial.as_ref();
                    let place = Place { table: &table.name, size, repeat, rows, point, trial };
                    if !self.point(sample, &place)? {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    fn point(&mut self, sample: &Sample<'_>, place: &Place<'_>) -> Result<bool> {
        let (k, rows) = (place.point.k, place.rows);
        if k > rows {
            let reason = format!("k = {k} is larger than the {rows} rows");
            for i in 0..self.contenders.len() {
                let run = self.empty(place, i, 0);
                self.runs.push(Run { status: Status::NoSolution, reason: Some(reason.clone()), ..run });
            }
            return Ok(!self.watch.should_finish());
        }
        let (policy, problem) = sample.problem(&place.point).map_err(|e| e.map(in_grid))?;
        // Runs are reported, and not what happens within them.
        let within = self.watch.clone().quiet();
        let optimum = match least_loss(&problem, &within) {
            Outcome::Found { best, gap: 0.0 } => Some(best.loss),
            Outcome::Infeasible { .. } => None,
            // Only a search that was stopped has a gap.
            _ => return Ok(false),
        };
        for i in 0..self.contenders.len() {
            if !self.run(place, i, (&policy, &problem), optimum, &within)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Makes one run; false when it was stopped, which leaves nothing of it.
    fn run(
        &mut self,
        place: &Place<'_>,
        algorithm: usize,
        (policy, problem): (&Policy, &Problem),
        optimum: Option<f64>,
        watch: &Watch,
    ) -> Result<bool> {
        let contender = self.contenders[algorithm];
        self.watch.report(Event::Run {
            done: self.runs.len() as u64,
            of: self.planned,
            table: place.table,
            algorithm: &contender.name(),
            k: place.point.k,
        });
        let nodes = problem.lattice.nodes();
        let empty = Run { optimum, ..self.empty(place, algorithm, nodes) };
        let asked = (empty, self.clock, place.trial);
        let run = match contender {
            Contender::Rows => contender::rows((policy, problem), watch, asked)?,
            _ => contender::decided(contender, (policy, problem), watch, asked)?,
        };
        let run = run.map(|run| self.scored(contender, problem, watch, run)).transpose()?;
        let Some(run) = run else { return Ok(false) };
        let relative = run.value.zip(optimum).and_then(|(value, optimum)| relative(value, optimum));
        self.runs.push(Run { relative, ..run });
        Ok(!self.watch.should_finish())
    }

    /// Adds the node-complexity score of a search of levels if the experiment requests it. The
    /// score often costs more than the search, so it does not count in the time.
    fn scored(&self, contender: Contender, problem: &Problem, watch: &Watch, run: Run) -> Result<Run> {
        match contender {
            Contender::Algorithm(algorithm)
                if self.experiment.grid.score && !algorithm.forms_regions() && run.value.is_some() =>
            {
                let score = solve_scored(problem, strategy(algorithm)?, watch)?.1.score;
                Ok(Run { score, ..run })
            }
            _ => Ok(run),
        }
    }

    /// A run of which nothing is known yet.
    fn empty(&self, place: &Place<'_>, algorithm: usize, nodes: u128) -> Run {
        Run {
            table: place.table.to_owned(),
            size: place.size,
            repeat: place.repeat,
            rows: place.rows,
            loss: label(place.point.loss),
            suppression: place.point.suppression,
            k: place.point.k,
            algorithm: self.contenders[algorithm].name(),
            status: Status::Solved,
            reason: None,
            value: None,
            optimum: None,
            relative: None,
            levels: std::collections::BTreeMap::new(),
            suppressed: None,
            nodes,
            checked: None,
            score: None,
            compared: None,
            seconds: None,
            predicted: None,
            notion: None,
        }
    }
}

/// A loss as % of the optimum; none where only the optimum loses nothing.
fn relative(loss: f64, optimum: f64) -> Option<f64> {
    match loss == optimum {
        true => Some(100.0),
        false => (optimum > 0.0).then(|| 100.0 * loss / optimum),
    }
}

/// What a policy calls otherwise.
fn in_grid(fault: Fault) -> Fault {
    let loss = fault.place.key.as_ref().is_some_and(|key| key.starts_with("search.loss"));
    if fault.kind == Kind::Input && loss { fault.key("grid.losses") } else { fault }
}
