//! Datafly and Datafly II [Sweeney 1997; Sweeney 2001, 6.2; De Spoelberch, 2.4.2; El Emam 2009,
//! "Algorithms"].
//!
//! While more rows than allowed are in classes that are too small, generalize one column by one
//! level; then suppress the rows of the remaining small classes. Datafly chooses the column with
//! the most distinct values. In Datafly II two profiles select the column: the one with the largest
//! tolerance · linking goes first, and of columns with the same profile the one with the most
//! distinct values, as in Sweeney's description. Profiles limit nothing: a column that the
//! recipient wants to keep rises when no other can. A column that nobody links on (linking 0) is
//! not a quasi-identifier: a policy reads it as one that is kept. At anonymity level 1 the search
//! goes directly to the top.
//!
//! Distinct values are counted over all rows, suppressed or not. Linked columns count as the one
//! with the highest call and rise together. Of columns with equal calls and as many values the one
//! with the higher tolerance rises; remaining ties are broken at random, as in [El Emam 2009],
//! using the seed, so the same problem and seed give the same answer.
//!
//! Fast and greedy: one check per step, at most one step per level of every column; the lattice is
//! not stored. The result is safe but rarely optimal. Nodes on the path are unsafe with everything
//! below them, so the gap is relative to the least bound outside of that set. With a model that is
//! not monotone, or with levels that do not nest, "infeasible" means that the top is unsafe, not
//! that every node is.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{Evaluator, Outcome, Problem, Strategy};
use crate::error::Fault;
use crate::lattice::Node;
use crate::registry::Algorithm;
use crate::watch::{Event, Progress, Watch};

pub(super) struct Datafly;

impl Strategy for Datafly {
    fn algorithm(&self) -> Algorithm {
        Algorithm::Datafly
    }

    fn refuses(&self, _: &Problem) -> Option<Fault> {
        None
    }

    fn run(&self, evaluator: &mut Evaluator<'_>, watch: &Watch) -> Outcome {
        let problem = evaluator.problem();
        let distinct = distinct(problem);
        let mut coin = ChaCha8Rng::seed_from_u64(problem.profile.seed);
        let most_general = problem.profile.most_general;
        let mut node = if most_general { problem.lattice.top() } else { problem.lattice.bottom() };
        let mut path: Vec<Node> = Vec::new();
        while !watch.should_finish() {
            let safe = evaluator.judge_safety(&node);
            let checked = evaluator.account().checked;
            let nodes = problem.lattice.nodes();
            watch.report(Event::Searching(Progress { checked, nodes, best: None, bound: None }));
            if safe {
                let best = evaluator.solution(&node);
                let least = match most_general && problem.nested() {
                    true => problem.loss.bound(&problem.lattice.bottom(), &[]),
                    false => cheapest(evaluator, path.last()),
                };
                let gap = (best.loss - least).max(0.0);
                return Outcome::Found { best, gap };
            }
            let Some(next) = step(problem, &distinct, &node, &mut coin) else {
                path.push(node);
                return fewest_suppressed(evaluator, &path, watch);
            };
            path.push(std::mem::replace(&mut node, next));
        }
        Outcome::Cancelled
    }
}

/// How many rows unsafe nodes suppress at least: they were not judged to the end.
fn fewest_suppressed(evaluator: &mut Evaluator<'_>, path: &[Node], watch: &Watch) -> Outcome {
    let mut least = u64::MAX;
    for node in path {
        if watch.should_finish() {
            return Outcome::Cancelled;
        }
        least = least.min(evaluator.check(node).suppressed);
    }
    Outcome::Infeasible { least }
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

/// How strongly a step is called for: profile, distinct values, tolerance.
type Call = (f64, usize, f64);

/// The node with one more level of the column that is to be generalized next; none at the top.
fn step(problem: &Problem, distinct: &[Vec<usize>], node: &Node, coin: &mut ChaCha8Rng) -> Option<Node> {
    let mut tied: Vec<Node> = Vec::new();
    let mut strongest: Option<Call> = None;
    for next in problem.lattice.successors(node) {
        let call = call(problem, distinct, node, &next);
        if strongest.is_none_or(|strongest| call > strongest) {
            strongest = Some(call);
            tied.clear();
        }
        if strongest == Some(call) {
            tied.push(next);
        }
    }
    match tied.len() {
        0 | 1 => tied.pop(),
        // One random word per tie and none otherwise; 32 bits are plenty for a choice among
        // columns.
        n => Some(tied.swap_remove(((u64::from(coin.next_u32()) * n as u64) >> 32) as usize)),
    }
}

/// The strongest call among the columns that a step raises.
fn call(problem: &Problem, distinct: &[Vec<usize>], node: &Node, next: &Node) -> Call {
    let raised = (0..distinct.len()).filter(|&c| next.level(c) > node.level(c));
    let calls = raised.map(|column| {
        let profile = problem.profile.column(column);
        let values = distinct[column][node.level(column)];
        (profile.call(), values, profile.tolerance)
    });
    calls.fold((0.0, 0, 0.0), |a, b| if b > a { b } else { a })
}

/// What a node that is not known to be unsafe, other than the answer, costs at least.
///
/// With monotone models what lies below the last node passed is unsafe; any other node is above the
/// bottom with some column one level higher than there.
fn cheapest(evaluator: &mut Evaluator<'_>, passed: Option<&Node>) -> f64 {
    let problem = evaluator.problem();
    let bottom = problem.lattice.bottom();
    if !problem.nested() {
        // A higher node may lose less; nothing is known but that no loss is negative.
        return 0.0;
    }
    let monotone = problem.models.iter().all(|m| m.facts().monotone);
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
