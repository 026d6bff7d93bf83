//! Why there is nothing to release, and what would help.
//!
//! A remedy is tried before it is offered where that is cheap: see [`crate::search::relax`].

use std::collections::BTreeMap;

use crate::error::Error;
use crate::fault;
use crate::model::Requirement;
use crate::release::Claim;
use crate::search::{Problem, relax};
use crate::utility::Bounded;
use crate::watch::Watch;

/// The algorithm was stopped before it had a safe result.
pub(super) fn stopped_before_a_result(watch: &Watch) -> Error {
    if watch.is_cancelled() {
        return fault!(Cancelled, "cancelled", "stopped before a safe result was found; nothing was written")
            .into();
    }
    fault!(
        Unsolvable,
        "search.time-limit",
        "the time limit passed before a safe result was found; nothing was written"
    )
    .help("raise the time limit (--seconds), or use algorithm = \"best\", which always has a result, or a faster one such as \"mondrian\"")
    .into()
}

/// No node is safe within the limits; or it was asked to stop before it knew what would help.
pub(super) fn infeasible(problem: &Problem, least: u64) -> Error {
    let remedies = match remedies(problem, least) {
        Ok(remedies) => remedies,
        Err(stopped) => return stopped,
    };
    fault!(
        Unsolvable,
        "search.no-safe-node",
        "no generalization is safe: the best one leaves {least} of {rows} rows to be suppressed, and {allowed} \
         are allowed",
        least = least,
        rows = problem.classes.rows(),
        allowed = problem.max_suppressed
    ).key("privacy.suppression").help(remedies).into()
}

fn remedies(problem: &Problem, least: u64) -> Result<String, Error> {
    let mut remedies = Vec::new();
    if least < problem.classes.rows() {
        let needed = round_up(least as f64 / problem.classes.rows() as f64);
        remedies.push(format!("raise privacy.suppression to {needed} or more"));
    }
    for relax in relax(problem)? {
        remedies.push(format!("raise max_level of `{}` to {}", relax.column, relax.level));
    }
    remedies.push("lower k".into());
    let others = problem.models.iter().map(|model| model.facts());
    let others =
        others.filter(|facts| !matches!(facts.requirement, Requirement::KAnonymity | Requirement::NoMissing));
    let others: Vec<&str> = others.map(|facts| facts.claim.as_str()).collect();
    if !others.is_empty() {
        remedies.push(format!("ask less of {}", others.join(", ")));
    }
    Ok(remedies.join(", or "))
}

/// Up to four digits, so that the share that is offered is enough.
fn round_up(share: f64) -> f64 {
    (share * 1e4).ceil() / 1e4
}

/// Refuses a release whose bounds of statistics are wider than the policy allows.
pub(super) fn too_wide(bounded: &[Bounded]) -> Result<(), Error> {
    let misses: Vec<String> = bounded.iter().filter(|b| !b.holds()).map(Bounded::miss).collect();
    if misses.is_empty() {
        return Ok(());
    }
    let fault = fault!(
        Unsolvable,
        "utility.not-met",
        "no release is accurate enough: {misses}",
        misses = misses.join("; ")
    );
    Err(fault.key("privacy.utility").into())
}

/// Refuses a release under a model that flags no class, so that the choice does not depend on its
/// values, and that is not met.
pub(super) fn unmet(claims: &BTreeMap<String, Claim>) -> Result<(), Error> {
    let Some((name, claim)) = claims.iter().find(|(_, claim)| !claim.holds) else { return Ok(()) };
    let fault = fault!(
        Unsolvable,
        "release.model-not-met",
        "{model}: a class reaches {achieved}, {required} is required; nothing is released, because what is released must not \
         depend on its values",
        model = name,
        achieved = claim.achieved.unwrap_or_default(),
        required = claim.required
    );
    let help = "ask for a higher k or for higher least levels from the beginning. Keep the refusal to yourself: a policy \
                that was changed until it passed reveals values";
    Err(fault.key("privacy.models").help(help).into())
}
