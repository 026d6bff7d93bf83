//! Which rows of the original became which cells, for the verifier.
//!
//! The verifier must be given this, because two regions may be true of one row (see
//! `verify/regions.rs` of the core). It does not trust it: counts, sums of row hashes and the truth
//! of every cell are checked. The assignment follows from table, policy and seed; so nothing of it
//! is kept with a release, and anybody who has the original can compute it again. Costs a decision.

use throng::decide::Decision;
use throng::error::Result;
use throng::policy::Role;
use throng::search::Problem;
use throng::verify::Verifier;
use throng::watch::Watch;

use crate::Engine;
use crate::policy_file::{PolicyFile, in_table};
use crate::release::decide_with_model;
use crate::source::Source;

/// The cells that the rows of every tuple of the original became.
pub(crate) struct Assignment {
    /// The quasi-identifiers, in name order, as places in the order of the classes.
    columns: Vec<usize>,
    problem: Problem,
    decision: Decision,
}

impl Assignment {
    /// Of what was decided.
    pub(crate) fn new(policy: &PolicyFile, problem: Problem, decision: Decision) -> Self {
        let place = |name: &str| problem.names.iter().position(|n| n == name);
        let columns = policy.policy.with_role(Role::Quasi).into_iter().filter_map(place).collect();
        Assignment { columns, problem, decision }
    }

    /// Hands it to the verifier.
    pub(crate) fn feed(&self, verifier: &mut Verifier<'_>, watch: &Watch) -> Result<()> {
        let hierarchies = &self.problem.hierarchies;
        self.decision.each_assignment(hierarchies, &self.columns, |original, rows, released| {
            watch.check()?;
            verifier.region(original, rows, released)
        })
    }
}

impl Engine {
    /// What the rows of an original became, decided again.
    pub(crate) fn assignment(
        &self,
        policy: &PolicyFile,
        source: &Source,
        seed: u64,
        watch: &Watch,
    ) -> Result<Assignment> {
        let columns = self.columns(source)?;
        policy.policy.bind(&columns)?;
        let grouped = self.group_quasi(policy, (source, &columns), None, watch)?;
        let load = |path: &str| policy.load(path);
        let (mut problem, _) =
            Problem::watched(&policy.policy, grouped, &load, watch).map_err(|e| in_table(e, source))?;
        problem.profile.seed = seed;
        let decision = decide_with_model(policy, &problem, watch, false)?;
        Ok(Assignment::new(policy, problem, decision))
    }
}
