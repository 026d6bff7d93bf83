//! Who takes part in a comparison: searches of levels, the same followed by local recoding, and methods that form regions of rows.

use super::predicted::{Predicted, Trial};
use super::{Run, Status};
use crate::error::{Error, Fault, Kind, Result, nearest};
use crate::lattice::Node;
use crate::loss::Price;
use crate::policy::{LOCAL, Policy};
use crate::recode;
use crate::recode::region::{Method, Watch};
use crate::recoded::Recoded;
use crate::search::{self, Budget, Outcome, Problem, STRATEGIES, Strategy, solve, strategy};

/// Behind the name of a search that goes on with the rows that it leaves unsafe.
const LOCALLY: &str = "+local";

/// Greedy without making its sets disjoint: only for comparison.
const ROWS: &str = "greedy-rows";

/// One of them.
#[derive(Clone, Copy)]
pub(super) enum Contender {
    /// A search of levels.
    Search(&'static dyn Strategy),
    /// The same, going on with the rows that it leaves unsafe.
    Locally(&'static dyn Strategy),
    /// A method that forms regions.
    Regions(&'static dyn Method),
    /// Greedy as K has it: every row with the cells of its own set. Its releases are not k-anonymous.
    Rows,
}

impl Contender {
    /// The one of a name.
    ///
    /// # Errors
    /// An unknown name, with the nearest and all known ones.
    pub(super) fn named(name: &str) -> Result<Contender> {
        if name == ROWS {
            return Ok(Contender::Rows);
        }
        if LOCAL.contains(&name) {
            return recode::method(name).map(Contender::Regions);
        }
        if let Ok(found) = strategy(name) {
            return Ok(Contender::Search(found));
        }
        if let Some(found) = name.strip_suffix(LOCALLY).and_then(|name| strategy(name).ok()) {
            return Ok(Contender::Locally(found));
        }
        let names: Vec<&str> = STRATEGIES.iter().map(|s| s.name()).chain(LOCAL).chain([ROWS]).collect();
        let near =
            nearest(name, names.iter().copied()).map_or(String::new(), |n| format!("did you mean \"{n}\"? "));
        Err(Fault::input(format!("there is no algorithm \"{name}\""))
            .key("search.algorithm")
            .help(format!(
                "{near}algorithms are {}; {LOCALLY} behind a search of levels lets it go on with the rows that it leaves unsafe",
                names.join(", ")
            ))
            .into())
    }

    /// What results call it.
    pub(super) fn name(self) -> String {
        match self {
            Contender::Search(strategy) => strategy.name().into(),
            Contender::Locally(strategy) => format!("{}{LOCALLY}", strategy.name()),
            Contender::Regions(method) => method.name().into(),
            Contender::Rows => ROWS.into(),
        }
    }
}

/// Searches, and goes on with the rows that are left; none when stopped.
pub(super) fn locally(
    strategy: &dyn Strategy,
    (policy, problem): (&Policy, &mut Problem),
    budget: &Budget<'_>,
    (run, clock, trial): (Run, &dyn Fn() -> f64, Option<&Trial>),
) -> Result<Option<Run>> {
    let refused = |reason: String, run: Run| Run { status: Status::Refused, reason: Some(reason), ..run };
    if let Some(fault) = strategy.refuses(problem) {
        return Ok(Some(refused(fault.message, run)));
    }
    let started = clock();
    let (outcome, account) = solve(problem, strategy, budget)?;
    let best = match outcome {
        Outcome::Found { best, .. } => best,
        Outcome::Cancelled => return Ok(None),
        Outcome::Infeasible { least } => return Ok(Some(infeasible(run, problem, least))),
    };
    let loss = policy.search.loss.parameters();
    let rounds = match search::local(problem, (&loss, &weights(policy, problem)), strategy, &best, budget) {
        Ok(rounds) => rounds,
        Err(error) => return Ok(Some(refused(first_of(&error), run))),
    };
    let seconds = Some(clock() - started);
    let predicted = predicted(trial, problem, rounds.nodes.clone())?;
    let steps = recode::apply(&problem.classes, &problem.hierarchies, &problem.models, rounds.nodes)?;
    let released: u64 = steps.rows(&problem.classes).iter().sum();
    let suppressed = Some(problem.classes.rows() - released);
    let checked = Some(account.checked + rounds.account.checked);
    Ok(Some(Run { value: Some(rounds.loss), suppressed, checked, seconds, predicted, ..run }))
}

/// What a model makes of the rows that nodes release one after the other; none where that is not asked.
pub(super) fn predicted(
    trial: Option<&Trial>,
    problem: &Problem,
    nodes: Vec<Node>,
) -> Result<Option<Predicted>> {
    let Some(trial) = trial else { return Ok(None) };
    let steps = recode::apply(&problem.classes, &problem.hierarchies, &problem.models, nodes)?;
    trial.predicted(problem, &Recoded::of_steps(&problem.classes, &problem.hierarchies, &steps)?)
}

/// A run that found no safe node.
pub(super) fn infeasible(run: Run, problem: &Problem, least: u64) -> Run {
    let allowed = problem.max_suppressed;
    let reason =
        format!("the most general node leaves {least} rows to be suppressed, and {allowed} are allowed");
    Run { status: Status::NoSolution, reason: Some(reason), ..run }
}

/// The message of the first mistake.
fn first_of(error: &Error) -> String {
    error.faults().first().map_or(String::new(), |fault| fault.message.clone())
}

fn weights(policy: &Policy, problem: &Problem) -> Vec<f64> {
    let weight = |name: &String| policy.columns.get(name).and_then(|c| c.weight).unwrap_or(1.0);
    problem.names.iter().map(weight).collect()
}

/// Prices what Greedy would release of every row's own set, and tells which notion of anonymity that has; none when stopped.
pub(super) fn rows(
    (policy, problem): (&Policy, &Problem),
    budget: &Budget<'_>,
    (run, clock, trial): (Run, &dyn Fn() -> f64, Option<&Trial>),
) -> Result<Option<Run>> {
    let mut policy = policy.clone();
    policy.search.algorithm = "greedy".into();
    let watch = Watch { cancelled: budget.cancelled, progress: &|_| {} };
    let started = clock();
    let formed = recode::greedy_rows(&policy, &problem.ground(), watch);
    let seconds = Some(clock() - started);
    let (recoded, notions) = match formed {
        Ok(Some(formed)) => formed,
        Ok(None) => return Ok(None),
        Err(error) => {
            return Ok(Some(Run { status: Status::Refused, reason: Some(first_of(&error)), ..run }));
        }
    };
    let parameters = policy.search.loss.parameters();
    if matches!(parameters.name.as_str(), "height" | "absolute" | "relative") {
        let reason = Some(format!("\"{}\" adds up levels, and \"{ROWS}\" chooses none", parameters.name));
        return Ok(Some(Run { status: Status::Refused, reason, ..run }));
    }
    let price = Price::new(&recoded, &problem.lattice.bottom());
    let value = price.loss(&parameters, &weights(&policy, problem))?;
    let notion = notions.strongest(run.k).unwrap_or("none").to_owned();
    let predicted = trial.map(|trial| trial.predicted(problem, &recoded)).transpose()?.flatten();
    Ok(Some(Run { value: Some(value), suppressed: Some(0), seconds, notion: Some(notion), predicted, ..run }))
}

/// Forms regions and prices them; none when stopped.
pub(super) fn regions(
    method: &dyn Method,
    (policy, problem): (&Policy, &Problem),
    budget: &Budget<'_>,
    (run, clock, trial): (Run, &dyn Fn() -> f64, Option<&Trial>),
) -> Result<Option<Run>> {
    let mut policy = policy.clone();
    policy.search.algorithm = method.name().into();
    let ground = problem.ground();
    let watch = Watch { cancelled: budget.cancelled, progress: &|_| {} };
    let started = clock();
    let formed = recode::regions(&policy, &ground, watch);
    let seconds = clock() - started;
    let regional = match formed {
        Ok(Some(regional)) => regional,
        Ok(None) => return Ok(None),
        Err(error) => {
            let unsolvable = error.faults().iter().any(|f| f.kind == Kind::Unsolvable);
            let status = if unsolvable { Status::NoSolution } else { Status::Refused };
            return Ok(Some(Run { status, reason: Some(first_of(&error)), ..run }));
        }
    };
    let weights = weights(&policy, problem);
    let price = Price::new(&regional.recoded, &problem.lattice.bottom());
    let parameters = policy.search.loss.parameters();
    if matches!(parameters.name.as_str(), "height" | "absolute" | "relative") {
        let reason =
            Some(format!("\"{}\" adds up levels, and \"{}\" chooses none", parameters.name, method.name()));
        return Ok(Some(Run { status: Status::Refused, reason, ..run }));
    }
    let value = price.loss(&parameters, &weights)?;
    let suppressed = Some(regional.recoded.suppressed_rows());
    let predicted = trial.map(|trial| trial.predicted(problem, &regional.recoded)).transpose()?.flatten();
    Ok(Some(Run { value: Some(value), suppressed, seconds: Some(seconds), predicted, ..run }))
}
