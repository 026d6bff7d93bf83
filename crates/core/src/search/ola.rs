//! OLA, Optimal Lattice Anonymization [El Emam 2009]: binary search in generalization strategies of
//! ever smaller sub-lattices with predictive tagging, then the least loss among the k-minimal
//! nodes.
//!
//! Exact if the models and the loss are monotone: a safe node above another costs no less. A
//! sub-lattice is entered once, and left at once if its bottom is known to be safe or its top
//! unsafe. Costs at most one check per node.

use std::collections::HashSet;

use super::tags::{Tag, Tags};
use super::{Evaluator, Outcome, Problem, Solution, Strategy, too_large};
use crate::error::Fault;
use crate::fault;
use crate::lattice::{Lattice, Node};
use crate::registry::Algorithm;
use crate::watch::{Event, Progress, Watch};

pub(super) struct Ola;

impl Strategy for Ola {
    fn algorithm(&self) -> Algorithm {
        Algorithm::Ola
    }

    fn refuses(&self, problem: &Problem) -> Option<Fault> {
        if !problem.loss.monotone() {
            return Some(
                fault!(
                    Input,
                    "search.needs-monotone-loss",
                    "\"{algorithm}\" is exact only for monotone losses; \"{loss}\" as asked for is not",
                    algorithm = "ola",
                    loss = problem.loss.kind()
                )
                .key("search.algorithm")
                .help("use algorithm \"auto\" or \"mingen\", or a loss that does not count suppressed rows"),
            );
        }
        if let Some(model) = problem.models.iter().find(|m| !m.facts().monotone) {
            return Some(
                fault!(
                    Input,
                    "search.needs-monotone-models",
                    "\"{algorithm}\" needs monotone models; \"{model}\" is not",
                    algorithm = "ola",
                    model = &model.facts().claim
                )
                .key("search.algorithm")
                .help("use algorithm \"auto\" or \"mingen\""),
            );
        }
        too_large(problem, "ola")
    }

    fn run(&self, evaluator: &mut Evaluator<'_>, watch: &Watch) -> Outcome {
        let lattice = &evaluator.problem().lattice;
        let mut walk = Walk {
            tags: Tags::new(lattice),
            lattice,
            entered: HashSet::new(),
            minimal: Vec::new(),
            judged: Vec::new(),
            evaluator,
            watch,
        };
        let top = lattice.top();
        if !walk.safe(&top) {
            let least = walk.evaluator.judge(&top).suppressed;
            return Outcome::Infeasible { least };
        }
        walk.search(lattice.bottom(), top);
        let finished = !watch.should_finish();
        let minimal = std::mem::take(&mut walk.minimal);
        let best = best(evaluator, minimal);
        best.map_or(Outcome::Cancelled, |best| {
            let gap = if finished {
                0.0
            } else {
                best.loss - evaluator.problem().loss.bound(&lattice.bottom(), &[])
            };
            Outcome::Found { best, gap }
        })
    }
}

/// The positions of the nodes whose classes OLA forms, whatever the loss: the verdict on every
/// other node follows from theirs. For a lattice that can be tagged, and monotone models.
pub(crate) fn judged(problem: &Problem, watch: &Watch) -> Vec<usize> {
    let lattice = &problem.lattice;
    let mut walk = Walk {
        tags: Tags::new(lattice),
        lattice,
        entered: HashSet::new(),
        minimal: Vec::new(),
        judged: Vec::new(),
        evaluator: &mut Evaluator::new(problem),
        watch,
    };
    if walk.safe(&lattice.top()) {
        walk.search(lattice.bottom(), lattice.top());
    }
    walk.judged
}

/// The k-minimal node of least loss.
fn best(evaluator: &mut Evaluator<'_>, minimal: Vec<Node>) -> Option<Solution> {
    let mut best: Option<Solution> = None;
    for node in minimal {
        let solution = evaluator.solution(&node);
        if best.as_ref().is_none_or(|b| solution.better_than(b)) {
            best = Some(solution);
        }
    }
    best
}

struct Walk<'w, 'p> {
    tags: Tags,
    lattice: &'p Lattice,
    entered: HashSet<(usize, usize)>,
    /// Safe nodes with no safe node found below them so far.
    minimal: Vec<Node>,
    /// Positions of the nodes whose classes were formed.
    judged: Vec<usize>,
    evaluator: &'w mut Evaluator<'p>,
    watch: &'w Watch,
}

impl Walk<'_, '_> {
    /// Settles every node between a bottom that is not known to be safe and a safe top.
    fn search(&mut self, bottom: Node, top: Node) {
        let mut pending = vec![(bottom, top)];
        while let Some((bottom, top)) = pending.pop() {
            if self.watch.should_finish() {
                return;
            }
            let ends = (self.lattice.index(&bottom), self.lattice.index(&top));
            let settled = self.tags.get(ends.0) == Tag::Safe || self.tags.get(ends.1) == Tag::Unsafe;
            if settled || !self.entered.insert(ends) {
                continue;
            }
            if bottom.height() == top.height() || self.lattice.successors(&bottom).any(|s| s == top) {
                self.settle_pair(&bottom, &top);
                continue;
            }
            for node in self.middle(&bottom, &top) {
                if self.safe(&node) {
                    pending.push((bottom.clone(), node));
                } else {
                    pending.push((node, top.clone()));
                }
            }
        }
    }

    fn settle_pair(&mut self, bottom: &Node, top: &Node) {
        if !self.safe(bottom) {
            self.safe(top);
        }
    }

    /// Whether a node is safe: by its tag, or by checking and tagging.
    fn safe(&mut self, node: &Node) -> bool {
        let index = self.lattice.index(node);
        match self.tags.get(index) {
            Tag::Safe => return true,
            Tag::Unsafe => return false,
            Tag::Unknown => {}
        }
        let safe = self.evaluator.judge(node).safe;
        self.judged.push(index);
        self.tags.set(index, safe);
        if safe {
            self.minimal.retain(|m| !node.below(m));
            self.minimal.push(node.clone());
        }
        self.watch.report(Event::Searching(Progress {
            checked: self.evaluator.account().checked,
            nodes: self.lattice.nodes(),
            best: None,
            bound: None,
        }));
        safe
    }

    /// The nodes at half the height of the sub-lattice between two nodes, leftmost first.
    fn middle(&self, bottom: &Node, top: &Node) -> Vec<Node> {
        let target = bottom.height() + (top.height() - bottom.height()) / 2;
        let mut at: Vec<Node> = vec![bottom.clone()];
        let mut reached = Vec::new();
        let mut seen = HashSet::new();
        // Linked columns rise by several levels at once, so a path may step over the height.
        while let Some(node) = at.pop() {
            for next in self.lattice.successors(&node).filter(|n| n.below(top)) {
                if next == *top {
                    // A path that steps over the height to the top is cut at its last node before.
                    reached.push(node.clone());
                    continue;
                }
                if !seen.insert(next.clone()) {
                    continue;
                }
                if next.height() >= target {
                    reached.push(next);
                } else {
                    at.push(next);
                }
            }
        }
        reached.retain(|n| n != bottom);
        reached.sort_unstable();
        reached.dedup();
        if reached.is_empty() {
            reached.extend(self.lattice.successors(bottom).filter(|n| n.below(top) && n != top));
        }
        reached
    }
}
