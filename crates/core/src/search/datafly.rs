//! Datafly's core (mission A2; I 2.4.2, O "Algorithms"; Sweeney 1997): as long as too many rows would have
//! to be suppressed, the column with most distinct values is generalized by one level.
//!
//! Distinct values are those of all rows, suppressed or not; linked columns count as the one with most, and
//! rise together. Where columns tie, O throws a coin; here the column goes first whose step costs the
//! recipient least as the loss tells it from columns alone (so a lower weight goes first, where the loss
//! has weights), then the one that stands first in the table. The same problem has the same answer always.
//!
//! Fast and greedy: one check per step, at most one step per level of every column, no lattice is held. The
//! answer is safe and rarely the best; nodes it passed are unsafe with everything below them, so the gap
//! is to the least bound outside of that. With a model that is not monotone "infeasible" means that the top
//! is unsafe too, not that every node is.

use super::{Budget, Evaluator, Outcome, Problem, Progress, Strategy};
use crate::error::Fault;
use crate::lattice::Node;

pub(super) struct Datafly;

/// Costs of two steps that differ by less than this much of themselves differ by rounding.
const ROUNDING: f64 = 1e-9;

impl Strategy for Datafly {
    fn name(&self) -> &'static str {
        "datafly"
    }

    fn refuses(&self, _: &Problem) -> Option<Fault> {
        None
    }

    fn run(&self, evaluator: &mut Evaluator<'_>, budget: &Budget<'_>) -> Outcome {
        let problem = evaluator.problem();
        let distinct = distinct(problem);
        let mut passed: Option<Node> = None;
        let mut node = problem.lattice.bottom();
        let mut least = u64::MAX;
        while !(budget.cancelled)() {
            let judgement = evaluator.judge(&node);
            least = least.min(judgement.suppressed);
            let checked = evaluator.account().checked;
            let nodes = problem.lattice.nodes();
            (budget.progress)(Progress { checked, nodes, best: None, bound: None });
            if judgement.safe {
                let best = evaluator.solution(&node);
                let gap = (best.loss - cheapest(evaluator, passed.as_ref())).max(0.0);
                return Outcome::Found { best, gap };
            }
            let Some(next) = step(problem, &distinct, &node) else { return Outcome::Infeasible { least } };
            passed = Some(std::mem::replace(&mut node, next));
        }
        Outcome::Cancelled
    }
}

/// Column → level → how many values occur.
fn distinct(problem: &Problem) -> Vec<Vec<usize>> {
    let occurring = |column: usize| {
        let hierarchy = &problem.hierarchies[column];
        let mut leaves = vec![false; hierarchy.leaf_count()];
        (0..problem.classes.len())
            .for_each(|class| leaves[problem.classes.code(class, column) as usize] = true);
        let level = |level: usize| {
            let mut values = vec![false; hierarchy.size(level)];
            let codes = hierarchy.codes(level).iter().zip(&leaves).filter(|(_, occurs)| **occurs);
            codes.for_each(|(&code, _)| values[code as usize] = true);
            values.into_iter().filter(|v| *v).count()
        };
        (0..=hierarchy.height()).map(level).collect()
    };
    (0..problem.hierarchies.len()).map(occurring).collect()
}

/// The node with one more level of the column that has most distinct values; none at the top.
fn step(problem: &Problem, distinct: &[Vec<usize>], node: &Node) -> Option<Node> {
    let values = |next: &Node| {
        let raised = (0..distinct.len()).filter(|&c| next.level(c) > node.level(c));
        raised.map(|c| distinct[c][node.level(c)]).max()
    };
    let most = problem.lattice.successors(node).map(|s| values(&s)).max()?;
    let mut best: Option<(f64, Node)> = None;
    for next in problem.lattice.successors(node).filter(|s| values(s) == most) {
        let cost = problem.loss.bound(&next, &[]);
        if best.as_ref().is_none_or(|(least, _)| cost < least - least.abs() * ROUNDING) {
            best = Some((cost, next));
        }
    }
    best.map(|(_, next)| next)
}

/// What a node that is not known to be unsafe, other than the answer, costs at least.
///
/// With monotone models what lies below the last node passed is unsafe; any other node is above the bottom
/// with some column one level higher than there.
fn cheapest(evaluator: &mut Evaluator<'_>, passed: Option<&Node>) -> f64 {
    let problem = evaluator.problem();
    let bottom = problem.lattice.bottom();
    let monotone = problem.models.iter().all(|m| m.monotone());
    match passed {
        // The bottom is the answer, and all other nodes are above it.
        None if monotone && problem.loss.monotone() => f64::INFINITY,
        None if monotone => evaluator.evidence(&bottom).above,
        Some(passed) if monotone => {
            let corner = |above: Node| {
                let levels = above.levels().iter().zip(passed.levels()).zip(bottom.levels());
                Node::new(levels.map(|((a, p), b)| if a > p { *a } else { *b }).collect::<Vec<u8>>())
            };
            let corners = problem.lattice.successors(passed).map(|s| problem.loss.bound(&corner(s), &[]));
            corners.fold(f64::INFINITY, f64::min)
        }
        _ => problem.loss.bound(&bottom, &[]),
    }
}
