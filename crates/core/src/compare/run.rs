//! Runs an experiment, one run after the other, so that runs do not compete for time.

use super::contender::{self, Contender, Field};
use super::experiment::{Experiment, Size, label};
use super::predicted::{Judge, Trial};
use super::table::{Point, Sample, Table, chance, mixed};
use super::votes::{measures, methods, rankings};
use super::{Comparison, Run, Status};
use crate::error::{Fault, Kind, Result};
use crate::fault;
use crate::policy::Policy;
use crate::predict::Commands;
use crate::registry::Predictor;
use crate::search::{Outcome, Problem, least_loss, solve_scored, strategy};
use crate::watch::{Event, Watch};

/// Seconds since some time that does not change. The core never reads a clock, so the caller does.
pub type Clock<'a> = &'a (dyn Fn() -> f64 + Sync);

/// Runs an experiment on its tables, which are given in its order. One that is stopped gives the
/// runs that were made. Models that are commands are refused.
///
/// # Errors
/// A table that does not fit the grid: fewer rows than a sample has, parameters that a loss does
/// not have, hierarchies that cannot be built, a model that guides nothing.
pub fn compare(
    experiment: &Experiment,
    tables: &[Table],
    clock: Clock<'_>,
    watch: &Watch,
) -> Result<Comparison> {
    compare_with(experiment, tables, (clock, None), watch)
}

/// The same, with what starts the commands of models.
///
/// # Errors
/// As [`compare`], and commands that fail.
pub fn compare_with(
    experiment: &Experiment,
    tables: &[Table],
    (clock, commands): (Clock<'_>, Option<&dyn Commands>),
    watch: &Watch,
) -> Result<Comparison> {
    let grid = &experiment.grid;
    let contenders: Vec<Contender> =
        grid.algorithms.iter().map(|name| Contender::named(name)).collect::<Result<_>>()?;
    for table in tables {
        enough_rows(table, &grid.sizes)?;
        let of = (table.name.as_str(), table.policy());
        contender::check_models(&contenders, of, experiment.prediction.as_ref(), commands.is_some())?;
    }
    let repeats = |&size: &Size| u64::from(repeats(experiment, &contenders, size));
    let samples: u64 = grid.sizes.iter().map(repeats).sum();
    let points = (tables.len() * grid.losses.len() * grid.suppression.len() * grid.k.len()) as u64;
    let planned = samples * points * contenders.len() as u64;
    let mut runs = Runs { experiment, contenders, clock, commands, watch, planned, runs: Vec::new() };
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
        baseline: BASELINE,
        rankings: Vec::new(),
        methods: Vec::new(),
        measures: Vec::new(),
    };
    comparison.rankings = rankings(&comparison);
    comparison.methods = methods(&comparison);
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

/// The repeats of a size. Every sample of the whole table would be the same, so it is repeated only
/// for algorithms that draw lots.
fn repeats(experiment: &Experiment, contenders: &[Contender], size: Size) -> u32 {
    let once = size == Size::All && !contenders.iter().any(|contender| contender.draws());
    if once { 1 } else { experiment.grid.repeats }
}

/// Another seed for every size and repeat.
fn seed(seed: u64, size: u64, repeat: u32) -> u64 {
    mixed(seed, &[size, u64::from(repeat)])
}

/// What relative losses are relative to.
const BASELINE: &str = "optimum of levels";

/// Makes the seeds of trials others than those of samples.
const TRIAL: u64 = 0x7412_1a1c_0de5_eed5;

struct Runs<'a> {
    experiment: &'a Experiment,
    contenders: Vec<Contender>,
    clock: Clock<'a>,
    commands: Option<&'a dyn Commands>,
    watch: &'a Watch,
    planned: u64,
    runs: Vec<Run>,
}

/// What all runs at a point share.
struct Place<'a> {
    table: (usize, &'a str),
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
        for (at, table) in tables.iter().enumerate() {
            for &size in &grid.sizes {
                let samples = if size == Size::All { 1 } else { grid.repeats };
                for repeat in 1..=samples {
                    let sample = match size {
                        Size::All => table.whole(),
                        Size::Rows(rows) => table.sample(rows, seed(grid.seed, rows, repeat)),
                    };
                    if !self.sample((at, table), &sample, size, repeat)? {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    fn sample(
        &mut self,
        (at, table): (usize, &Table),
        sample: &Sample<'_>,
        size: Size,
        repeat: u32,
    ) -> Result<bool> {
        let grid = &self.experiment.grid;
        let rows = sample.rows();
        // Another seed than that of the sample, so that what one draws does not hang on the other.
        let seed = seed(grid.seed ^ TRIAL, rows, repeat);
        let guiding: Vec<Predictor> =
            self.contenders.iter().filter_map(|contender| contender.model()).collect();
        let trial = match &self.experiment.prediction {
            Some(asked) => Some(Trial::new(asked, &guiding, sample, seed)?),
            None => None,
        };
        for loss in &grid.losses {
            for &suppression in &grid.suppression {
                for &k in &grid.k {
                    let point = Point { loss, k, suppression };
                    let trial = trial.as_ref();
                    let table = (at, table.name.as_str());
                    let mut place = Place { table, size, repeat, rows, point, trial };
                    if !self.point(sample, &mut place)? {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    /// The runs at a point; on the whole table those of all repeats.
    fn point(&mut self, sample: &Sample<'_>, place: &mut Place<'_>) -> Result<bool> {
        let repeats = match place.size {
            Size::All => repeats(self.experiment, &self.contenders, Size::All),
            Size::Rows(_) => 1,
        };
        let (k, rows) = (place.point.k, place.rows);
        if k > rows {
            let reason = format!("k = {k} is larger than the {rows} rows");
            for _ in 0..repeats {
                for i in 0..self.contenders.len() {
                    let run = self.empty(place, i, 0);
                    self.runs.push(Run { status: Status::NoSolution, reason: Some(reason.clone()), ..run });
                }
                place.repeat += 1;
            }
            return Ok(!self.watch.should_finish());
        }
        let asked = sample.problem(&place.point, place.repeat).map_err(|e| e.map(in_grid))?;
        let (mut policy, mut problem) = asked;
        // Runs are reported, and not what happens within them.
        let within = self.watch.clone().quiet();
        let optimum = match least_loss(&problem, &within) {
            Outcome::Found { best, gap: 0.0 } => Some(best.loss),
            Outcome::Infeasible { .. } => None,
            // Only a search that was stopped has a gap.
            _ => return Ok(false),
        };
        let seed = policy.search.seed;
        let from = self.runs.len();
        for again in 0..repeats {
            if again > 0 {
                place.repeat += 1;
                policy.search.seed = chance(seed, place.repeat);
                problem.profile.seed = policy.search.seed;
            }
            if !self.repeat(place, (&policy, &problem), optimum, (from, again > 0), &within)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// One run of every contender; one that draws no lots has the result of its first run `again`.
    fn repeat(
        &mut self,
        place: &Place<'_>,
        (policy, problem): (&Policy, &Problem),
        optimum: Option<f64>,
        (from, again): (usize, bool),
        watch: &Watch,
    ) -> Result<bool> {
        let commands = self.commands;
        let judge: Option<Judge> = match place.trial {
            Some(trial) => Some(trial.judge((policy, problem), commands, watch)?),
            None => None,
        };
        let field = Field {
            table: place.table.0,
            apart: self.contenders.contains(&Contender::Guided),
            commands,
            judge: judge.as_ref(),
            clock: self.clock,
        };
        for i in 0..self.contenders.len() {
            if again && !self.contenders[i].draws() {
                let run = Run { repeat: place.repeat, ..self.runs[from + i].clone() };
                self.runs.push(run);
            } else if !self.run(place, (i, &field), (policy, problem), optimum, watch)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Makes one run; false when it was stopped, which leaves nothing of it.
    fn run(
        &mut self,
        place: &Place<'_>,
        (algorithm, field): (usize, &Field<'_>),
        (policy, problem): (&Policy, &Problem),
        optimum: Option<f64>,
        watch: &Watch,
    ) -> Result<bool> {
        let contender = self.contenders[algorithm];
        self.watch.report(Event::Run {
            done: self.runs.len() as u64,
            of: self.planned,
            table: place.table.1,
            algorithm: &contender.name(),
            k: place.point.k,
        });
        let nodes = problem.lattice.nodes();
        let empty = Run { optimum, ..self.empty(place, algorithm, nodes) };
        let run = match contender {
            Contender::Rows => contender::rows((policy, problem), watch, (empty, field))?,
            _ => contender::decided(contender, (policy, problem), watch, (empty, field))?,
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

    /// A run without results yet.
    fn empty(&self, place: &Place<'_>, algorithm: usize, nodes: u128) -> Run {
        Run {
            table: place.table.1.to_owned(),
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
