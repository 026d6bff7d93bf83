//! Suggests which limit to relax if no node is safe, by trying each one.
//!
//! Costs one check per column with a limit, and one check without limits.

use super::{Evaluator, Problem};
use crate::error::Result;
use crate::lattice::Node;
use crate::model::check_complete;

/// A column whose `max_level` by itself stands in the way, and the level at which it no longer
/// does.
#[derive(Debug, Clone, PartialEq)]
pub struct Relax {
    /// The column.
    pub column: String,
    /// The least `max_level` that makes some node safe.
    pub level: usize,
}

/// The columns whose `max_level`, raised alone, makes the most general node safe.
///
/// # Errors
/// [`Kind::Cancelled`](crate::error::Kind::Cancelled) where a model was stopped.
pub fn relax(problem: &Problem) -> Result<Vec<Relax>> {
    let mut evaluator = Evaluator::new(problem);
    let top = problem.lattice.top();
    let mut safe_at = |column: usize, level: usize| {
        let mut levels = top.levels().to_vec();
        levels[column] = level as u8;
        evaluator.judge_safety(&Node::new(levels))
    };
    let mut found = Vec::new();
    for (column, name) in problem.names.iter().enumerate() {
        let height = problem.hierarchies[column].height();
        let level = (top.level(column) + 1..=height).find(|&level| safe_at(column, level));
        found.extend(level.map(|level| Relax { column: name.clone(), level }));
    }
    check_complete(&problem.models)?;
    Ok(found)
}
