//! Choices that are narrow enough: what is tried where a release would not bound the policy's
//! statistics narrowly enough, or where the loss is the width of their bounds.
//!
//! A search of levels judges every node by itself. Regions and rounds are formed by a measure of
//! their own, so they are formed again with the weights of the statistics' columns times 4, 16 and
//! 64 until the result is narrow enough; for the loss `width` all of these are formed and the least
//! loss counts. This is a documented heuristic: that none of them is narrow enough does not prove
//! that no other regions are. Costs the algorithm up to four times.

use super::{Choice, Chosen, best, figures, remedy};
use crate::error::{Error, Kind, Result};
use crate::policy::{LossParameters, Policy};
use crate::recode;
use crate::recoded::Recoded;
use crate::registry::{Algorithm, LossKind};
use crate::search::{self, Account, Outcome, Problem, Solution, Strategy};
use crate::watch::Watch;

/// What the weights of the statistics' columns are multiplied by, one after the other.
const FACTORS: [f64; 4] = [1.0, 4.0, 16.0, 64.0];

/// Whether regions bound the policy's statistics narrowly enough.
pub(super) fn useful(problem: &Problem, chosen: &Chosen) -> Result<bool> {
    match &chosen.choice {
        Choice::Regions(regional) => narrow(problem, &regional.recoded),
        Choice::Levels(_) | Choice::Steps(_) => Ok(true),
    }
}

fn narrow(problem: &Problem, recoded: &Recoded) -> Result<bool> {
    let Some(utility) = &problem.utility else { return Ok(true) };
    Ok(utility.bounded(recoded)?.iter().all(|bounded| bounded.holds()))
}

/// The best of several methods that form regions.
pub(super) fn best(
    policy: &Policy,
    problem: &Problem,
    members: &[Algorithm],
    watch: &Watch,
) -> Result<Chosen> {
    regions(policy, problem, watch, &|forming| best::choose((policy, forming), problem, members, watch))
}

/// Regions that are narrow enough, with the least loss where the loss is a width; otherwise the
/// first that were formed.
pub(super) fn regions(
    policy: &Policy,
    problem: &Problem,
    watch: &Watch,
    form: &dyn Fn(&Policy) -> Result<Chosen>,
) -> Result<Chosen> {
    let Some(utility) = &problem.utility else { return form(policy) };
    let mut first: Option<Result<Chosen>> = None;
    let mut found: Option<Chosen> = None;
    for factor in FACTORS {
        if first.is_some() && watch.should_finish() {
            break;
        }
        let chosen = match form(&weighted(policy, problem, factor)) {
            Ok(chosen) => chosen,
            // Weights make no difference to what is safe, but the first error is the one to report.
            Err(error) if error.is_all(Kind::Unsolvable) => {
                first.get_or_insert(Err(error));
                continue;
            }
            Err(error) => return Err(error),
        };
        if !useful(problem, &chosen)? {
            first.get_or_insert(Ok(chosen));
            continue;
        }
        first.get_or_insert_with(|| Err(remedy::stopped_before_a_result(watch)));
        if found.as_ref().is_none_or(|found| chosen.loss < found.loss) {
            found = Some(chosen);
        }
        if !utility.is_loss() {
            break;
        }
    }
    match (found, first) {
        (Some(found), _) => Ok(found),
        (None, Some(first)) => first,
        (None, None) => Err(remedy::stopped_before_a_result(watch)),
    }
}

/// The policy with other weights of the statistics' columns.
fn weighted(policy: &Policy, problem: &Problem, factor: f64) -> Policy {
    let mut policy = policy.clone();
    let columns = problem.utility.iter().flat_map(|utility| utility.columns());
    for column in columns.filter(|_| factor != 1.0) {
        let weight = policy.weight(&problem.names[column]) * factor;
        if let Some(column) = policy.columns.get_mut(&problem.names[column]) {
            column.weight = Some(weight);
        }
    }
    policy
}

/// Rounds over the rows that one node leaves unsafe. `found` is the best node that is narrow
/// enough, where there is one.
pub(super) fn rounds(
    policy: &Policy,
    problem: &Problem,
    (strategy, method): (&dyn Strategy, Option<Algorithm>),
    (found, mut account): (Option<Solution>, Account),
    watch: &Watch,
) -> Result<Chosen> {
    let start = match &found {
        Some(best) => best.clone(),
        None => match search::solve_unlimited(problem, strategy, watch)?.0 {
            Outcome::Found { best, .. } => best,
            Outcome::Cancelled => return Err(remedy::stopped_before_a_result(watch)),
            Outcome::Infeasible { least } => return Err(remedy::infeasible(problem, least)),
        },
    };
    // Rounds are proposed by the loss metric where the loss of statistics has no value for some rows.
    let asked = match policy.search.loss.parameters() {
        LossParameters { kind: LossKind::Width, .. } => LossParameters::new(LossKind::Lm),
        asked => asked,
    };
    let is_loss = problem.utility.as_ref().is_some_and(|utility| utility.is_loss());
    let mut best = found.map(|best| (best.loss, Choice::Levels(best)));
    let mut steps_met = false;
    for factor in FACTORS {
        let weights = weighted(policy, problem, factor).weights(&problem.names);
        let least = Solution { loss: f64::INFINITY, ..start.clone() };
        let rounds = search::local(problem, (&asked, &weights), strategy, &least, watch)?;
        account.checked += rounds.account.checked;
        account.compared += rounds.account.compared;
        if rounds.nodes.len() < 2 {
            continue;
        }
        let Problem { classes, hierarchies, models, .. } = problem;
        let made = recode::stepped(classes, hierarchies, models, rounds.nodes.clone(), false);
        let recoded = match made {
            Ok(local) => local.recoded,
            Err(error) if error.is_all(Kind::Unsolvable) => continue,
            Err(error) => return Err(error),
        };
        if narrow(problem, &recoded)? {
            let loss = figures::loss_of(policy, problem, &recoded, &rounds.nodes[0])?;
            if best.as_ref().is_none_or(|best| loss < best.0) {
                best = Some((loss, Choice::Steps(rounds.nodes)));
            }
            steps_met = true;
        }
        if steps_met && !is_loss || watch.should_finish() {
            break;
        }
    }
    match best {
        // No bound is known on what other rounds would cost.
        Some((loss, choice)) => Ok(Chosen { choice, loss, gap: loss, account, method }),
        None => Err(nothing_narrow(problem, &start)?),
    }
}

/// Why nothing is narrow enough, by the node that is safe.
fn nothing_narrow(problem: &Problem, start: &Solution) -> Result<Error> {
    let released = search::Evaluator::measuring(problem).released(start.node.clone())?;
    let flagged = released.view().flagged_members(released.flags());
    let recoded = Recoded::of_node(&problem.classes, &problem.hierarchies, &start.node, &flagged)?;
    let Some(utility) = &problem.utility else { return Ok(remedy::infeasible(problem, start.suppressed)) };
    let missed = remedy::too_wide(&utility.bounded(&recoded)?);
    Ok(missed.err().unwrap_or_else(|| remedy::infeasible(problem, start.suppressed)))
}
