//! The algorithm "best": runs several methods that form regions, and keeps the result of least loss
//! by the policy. An algorithm portfolio [Rice 1976].
//!
//! Mondrian, by gain and refined, is first: it takes about a microsecond per cell and always has a
//! result. k-Similar loses less on nearly all tables for some microseconds per cell, so it is left out
//! where the table has more than [`CELLS`] distinct cells. So which methods run, and their result,
//! depend on the table alone and never on the machine. A time limit is only a safety net: a method
//! that it interrupts does not count, and the first one is not interrupted.
//!
//! Costs the methods, and one computation of the loss for each.

use super::useful::useful;
use super::{Chosen, in_regions, remedy};
use crate::error::{Error, Kind, Result};
use crate::policy::Policy;
use crate::recode::{self, Method, Similar};
use crate::registry::Algorithm;
use crate::search::Problem;
use crate::watch::{Event, Watch};

/// The methods, in the order in which they run.
pub(super) const MEMBERS: [Algorithm; 2] = [Algorithm::Mondrian, Algorithm::KSimilar];

/// The most cells of distinct rows for k-Similar: some 20 seconds of a core.
const CELLS: u64 = 6_000_000;

/// Runs some of the methods and keeps the result of least loss, of equal ones the first. Regions are
/// formed by a policy that differs in weights alone.
///
/// # Errors
/// As [`super::decide`].
pub(super) fn choose(
    (policy, forming): (&Policy, &Policy),
    problem: &Problem,
    members: &[Algorithm],
    watch: &Watch,
) -> Result<Chosen> {
    let mut best: Option<Chosen> = None;
    let mut unsolved: Option<Error> = None;
    let mut useless: Option<Chosen> = None;
    for &member in members {
        // Without a first result there would be nothing to release.
        let watch = if best.is_none() { watch.clone().unlimited() } else { watch.clone() };
        if watch.should_finish() {
            break;
        }
        match result((policy, forming), problem, member, &watch) {
            // What is not narrow enough counts only where nothing is.
            Ok(Some(chosen)) if !useful(problem, &chosen)? => useless = useless.or(Some(chosen)),
            Ok(Some(chosen)) if best.as_ref().is_none_or(|best| chosen.loss < best.loss) => {
                let (method, loss) = (member.to_string(), policy.search.loss.parameters().kind.to_string());
                watch.report(Event::Found { method: &method, loss: &loss, value: chosen.loss });
                best = Some(chosen);
            }
            Ok(_) => {}
            Err(error) if error.is_all(Kind::Unsolvable) => unsolved = unsolved.or(Some(error)),
            Err(error) => return Err(error),
        }
    }
    match (best, unsolved) {
        (Some(best), _) => Ok(best),
        (None, _) if useless.is_some() => useless.ok_or_else(|| remedy::stopped_before_a_result(watch)),
        (None, Some(error)) => Err(error),
        (None, None) => Err(remedy::stopped_before_a_result(watch)),
    }
}

/// The result of a method; none where it was stopped, or the table is too large for it.
fn result(
    (policy, forming): (&Policy, &Policy),
    problem: &Problem,
    member: Algorithm,
    watch: &Watch,
) -> Result<Option<Chosen>> {
    let method: &dyn Method = match member {
        Algorithm::KSimilar => {
            if !is_small(problem.classes.len(), problem.names.len()) {
                return Ok(None);
            }
            &Similar::WHOLE
        }
        other => recode::method(other)?,
    };
    let Some(formed) = recode::regions_by(forming, &problem.ground(), method, watch)? else {
        return Ok(None);
    };
    let chosen = in_regions(policy, problem, Some(formed), watch)?;
    Ok(Some(Chosen { method: Some(member), ..chosen }))
}

/// Whether k-Similar is worth its time.
fn is_small(points: usize, columns: usize) -> bool {
    points as u64 * columns as u64 <= CELLS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_tables_are_left_to_mondrian() {
        assert!(is_small(0, 0) && is_small(50_000, 20) && is_small(300_000, 20));
        assert!(!is_small(300_001, 20) && !is_small(1_000_000, 9));
    }
}
