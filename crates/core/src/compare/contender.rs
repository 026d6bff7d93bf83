//! Who takes part in a comparison: searches of levels, the same followed by local recoding, and methods that form regions of rows.

use super::{Run, Status};
use crate::error::{Fault, Result, nearest};
use crate::loss::Price;
use crate::policy::{LOCAL, Policy};
use crate::recode::region::{Method, Watch};
use crate::recode::{self, Ground};
use crate::search::{Budget, Problem, STRATEGIES, Strategy, strategy};

/// One of them.
#[derive(Clone, Copy)]
pub(super) enum Contender {
    /// A search of levels.
    Search(&'static dyn Strategy),
    /// A method that forms regions.
    Regions(&'static dyn Method),
}

impl Contender {
    /// The one of a name.
    ///
    /// # Errors
    /// An unknown name, with the nearest and all known ones.
    pub(super) fn named(name: &str) -> Result<Contender> {
        if LOCAL.contains(&name) {
            return recode::method(name).map(Contender::Regions);
        }
        if let Ok(found) = strategy(name) {
            return Ok(Contender::Search(found));
        }
        let names: Vec<&str> = STRATEGIES.iter().map(|s| s.name()).chain(LOCAL).collect();
        let near =
            nearest(name, names.iter().copied()).map_or(String::new(), |n| format!("did you mean \"{n}\"? "));
        Err(Fault::input(format!("there is no algorithm \"{name}\""))
            .key("search.algorithm")
            .help(format!("{near}algorithms are {}", names.join(", ")))
            .into())
    }

    /// What results call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Contender::Search(strategy) => strategy.name(),
            Contender::Regions(method) => method.name(),
        }
    }
}

/// Forms regions and prices them; none when stopped.
pub(super) fn regions(
    method: &dyn Method,
    (policy, problem): (&Policy, &Problem),
    budget: &Budget<'_>,
    (run, clock): (Run, &dyn Fn() -> f64),
) -> Result<Option<Run>> {
    let mut policy = policy.clone();
    policy.search.algorithm = method.name().into();
    let ground = Ground {
        names: &problem.names,
        hierarchies: &problem.hierarchies,
        classes: &problem.classes,
        lattice: &problem.lattice,
        models: &problem.models,
        max_suppressed: problem.max_suppressed,
        seed: problem.profile.seed,
    };
    let watch = Watch { cancelled: budget.cancelled, progress: &|_| {} };
    let started = clock();
    let formed = recode::regions(&policy, &ground, watch);
    let seconds = clock() - started;
    let regional = match formed {
        Ok(Some(regional)) => regional,
        Ok(None) => return Ok(None),
        Err(error) => {
            let fault = error.faults().first().map_or(String::new(), |fault| fault.message.clone());
            let unsolvable = error.faults().iter().any(|f| f.kind == crate::error::Kind::Unsolvable);
            let status = if unsolvable { Status::NoSolution } else { Status::Refused };
            return Ok(Some(Run { status, reason: Some(fault), ..run }));
        }
    };
    let weight = |name: &String| policy.columns.get(name).and_then(|c| c.weight).unwrap_or(1.0);
    let weights: Vec<f64> = problem.names.iter().map(weight).collect();
    let price = Price::new(&regional.recoded, &problem.lattice.bottom());
    let parameters = policy.search.loss.parameters();
    if matches!(parameters.name.as_str(), "height" | "absolute" | "relative") {
        let reason =
            Some(format!("\"{}\" adds up levels, and \"{}\" chooses none", parameters.name, method.name()));
        return Ok(Some(Run { status: Status::Refused, reason, ..run }));
    }
    let value = price.loss(&parameters, &weights)?;
    let suppressed = Some(regional.recoded.suppressed_rows());
    Ok(Some(Run { value: Some(value), suppressed, seconds: Some(seconds), ..run }))
}
