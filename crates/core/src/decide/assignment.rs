//! Which rows of the original became which cells, for the verifier.
//!
//! The verifier must be given this, because two regions may be true of one row. It does not trust
//! it: counts, sums of row hashes and the truth of every cell are checked. One entry per class, in
//! codes of leaves and labels.

use super::Decision;
use crate::error::Result;
use crate::hierarchy::Hierarchy;
use crate::policy::{Policy, Role};
use crate::recoded::Recoded;
use crate::search::Problem;
use crate::verify::{AssignedTexts, Assignment, TakeAssigned, TakeLook};

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
    fn texts(&self) -> AssignedTexts<'_> {
        let DecidedAssignment { columns, hierarchies, recoded } = self;
        let originals = columns.iter().map(|&c| {
            let leaves = 0..hierarchies[c].leaf_count() as u32;
            leaves.map(|leaf| hierarchies[c].leaf_value(leaf)).collect()
        });
        let labels =
            columns.iter().map(|&c| recoded.columns()[c].labels.iter().map(Option::as_deref).collect());
        AssignedTexts { originals: originals.collect(), labels: labels.collect() }
    }

    fn looks(&self, take: &mut TakeLook<'_>) -> Result<()> {
        let (looks, mut cells) = (self.recoded.look_labels(), Vec::new());
        for look in 0..looks.len() {
            cells.clear();
            cells.extend(self.columns.iter().map(|&c| looks.code(look, c)));
            take(&cells)?;
        }
        Ok(())
    }

    fn each(&self, take: &mut TakeAssigned<'_>) -> Result<()> {
        let DecidedAssignment { columns, recoded, .. } = self;
        let (base, mut tuple) = (recoded.base(), Vec::new());
        for (class, &rows) in base.counts().iter().enumerate() {
            tuple.clear();
            tuple.extend(columns.iter().map(|&c| base.code(class, c)));
            let look = (!recoded.suppresses(class)).then(|| recoded.look_of(class) as u32);
            take(&tuple, u64::from(rows), look)?;
        }
        Ok(())
    }
}
