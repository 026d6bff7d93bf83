//! The mode `maximize = "k"`: the largest k whose release still bounds the policy's statistics
//! narrowly enough.
//!
//! The policy's k is the least that is accepted. k is doubled until there is no release, and the gap
//! is then halved. An exact search of levels finds a release for a k if there is one; then a release
//! for k + 1 is one for k as well, with no fewer rows released and so with bounds that are no wider,
//! and the largest k is found. Methods that form regions, rounds and other strategies can fail for
//! a k and succeed for a larger one: then the result is the largest k that was tried with success,
//! and no release with one more was found. Costs the algorithm about 2·log2(k / least k) times.

use super::{Decision, decide};
use crate::error::{Error, Kind, Result};
use crate::policy::Policy;
use crate::predict::Guide;
use crate::search::{Load, Problem};
use crate::watch::Watch;

/// A decision, and what it was decided by where that is not the policy itself.
pub struct Maximized {
    /// The decision.
    pub decision: Decision,
    /// The policy with the k that was reached, and its problem; none where the policy does not
    /// maximize.
    pub raised: Option<Box<(Policy, Problem)>>,
}

/// Decides what to release, with the largest k where the policy asks for it.
///
/// # Errors
/// As [`decide`].
pub fn decide_maximizing(
    policy: &Policy,
    problem: &Problem,
    load: Load<'_>,
    guide: Option<&dyn Guide>,
    watch: &Watch,
) -> Result<Maximized> {
    if policy.privacy.maximize.is_none() {
        return Ok(Maximized { decision: decide(policy, problem, guide, watch)?, raised: None });
    }
    let least = policy.privacy.k().unwrap_or(1);
    let tried = |k: u64| -> Result<Option<Raised>> {
        let mut raised = policy.clone();
        (raised.privacy.given_k, raised.privacy.anonymity) = (Some(k), None);
        let posed = problem.again(&raised, load, watch)?;
        let decision = decide(&raised, &posed, guide, watch)?;
        Ok(Some(Raised { k, policy: raised, problem: posed, decision }))
    };
    // The first attempt says what is wrong if nothing can be released at all.
    let mut best = tried(least)?.ok_or_else(|| Error::from(crate::error::Fault::bug("no first attempt")))?;
    let solved = |k: u64| match tried(k) {
        Err(error) if error.is_all(Kind::Unsolvable) || error.is_all(Kind::Data) => Ok(None),
        tried => tried,
    };
    let mut fails = problem.classes.rows().saturating_add(1);
    while best.k + 1 < fails && !watch.should_finish() {
        // Doubling while no limit is known, then halving the gap.
        let next = (best.k * 2).min(best.k + (fails - best.k) / 2).max(best.k + 1);
        match solved(next)? {
            Some(better) => best = better,
            None => fails = next,
        }
    }
    let Raised { k, policy, problem, mut decision } = best;
    decision.search.k = Some(k);
    Ok(Maximized { decision, raised: Some(Box::new((policy, problem))) })
}

/// A decision for a k.
struct Raised {
    k: u64,
    policy: Policy,
    problem: Problem,
    decision: Decision,
}
