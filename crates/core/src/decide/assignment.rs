//! Which rows of the original became which cells, for the verifier.
//!
//! The verifier must be given this, because two regions may be true of one row. It does not trust
//! it: counts, sums of row hashes and the truth of every cell are checked. One entry per class.

use super::Decision;
use crate::error::Result;
use crate::hierarchy::Hierarchy;
use crate::policy::{Policy, Role};
use crate::recoded::Recoded;
use crate::search::Problem;
use crate::verify::{Assignment, TakeAssigned};

/// The cells that the rows of every tuple of the original became.
#[derive(Debug, Clone)]
pub struct DecidedAssignment<'a> {
    /// The quasi-identifiers, in name order, as places in the order of the classes.
    columns: Vec<usize>,
    hierarchies: &'a [Hierarchy],
    recoded: &'a Recoded,
}

impl<'a> DecidedAssignment<'a> {
    /// Of what was decided.
    pub fn new(policy: &Policy, problem: &'a Problem, decision: &'a Decision) -> Self {
        let place = |name: &str| problem.names.iter().position(|n| n == name);
        let columns = policy.with_role(Role::Quasi).into_iter().filter_map(place).collect();
        DecidedAssignment { columns, hierarchies: &problem.hierarchies, recoded: &decision.recoded }
    }
}

impl Assignment for DecidedAssignment<'_> {
    fn each(&self, take: &mut TakeAssigned<'_>) -> Result<()> {
        let DecidedAssignment { columns, hierarchies, recoded } = self;
        let base = recoded.base();
        let (mut original, mut released) = (Vec::new(), Vec::new());
        for (class, &rows) in base.counts().iter().enumerate() {
            original.clear();
            original.extend(columns.iter().map(|&c| hierarchies[c].leaf_value(base.code(class, c))));
            released.clear();
            released.extend(columns.iter().map(|&c| recoded.label(class, c)));
            let fate = (!recoded.suppresses(class)).then_some(&*released);
            take(&original, u64::from(rows), fate)?;
        }
        Ok(())
    }
}
