//! OLA, Optimal Lattice Anonymization [El Emam 2009, "Algorithm Walkthrough"]: binary search in
//! generalization strategies with predictive tagging, then the least loss among the k-minimal
//! nodes.
//!
//! The nodes at the middle height of a sub-lattice are visited from the left. The search goes into
//! the sub-lattice below a safe node, or above an unsafe one, before it visits the next node of
//! that height: what it finds there often tags the next nodes, so that they are not checked.
//!
//! Exact if the models and the loss are monotone: a safe node above another costs no less. With a
//! preference it is the preferred k-minimal node, whether the loss is monotone or not. A
//! sub-lattice is entered once, and left at once if its bottom is known to be safe or its top
//! unsafe. Costs at most one check per node, a tag per node, and one entry per sub-lattice; the
//! nodes of a height are computed one by one.

use std::collections::HashSet;

use super::prefer::preferred;
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
        // A preference is among minimal nodes, whatever they lose.
        if !problem.loss.monotone() && problem.preference.is_none() {
            return Some(
                fault!(
                    Input,
                    "search.needs-monotone-loss",
                    "\"{algorithm}\" is exact only for monotone losses; \"{loss}\" with these parameters is not",
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
        let mut judge = |_: usize, node: &Node| {
            let safe = evaluator.judge_safety(node);
            let checked = evaluator.account().checked;
            let progress = Progress { checked, nodes: lattice.nodes(), best: None, bound: None };
            watch.report(Event::Searching(progress));
            safe
        };
        let mut walk = Walk::new(lattice, &mut judge, watch);
        let (bottom, top) = walk.ends();
        let finished = walk.search(bottom, top);
        // A walk that is stopped early may not have seen a safe node; the top is one, or none is.
        let feasible = walk.safe(top);
        let minimal = std::mem::take(&mut walk.minimal);
        if !feasible {
            let least = evaluator.check(&lattice.top()).suppressed;
            return Outcome::Infeasible { least };
        }
        if evaluator.problem().preference.is_some() {
            return preferred(evaluator, minimal, finished, watch).unwrap_or(Outcome::Cancelled);
        }
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

/// The positions of the nodes whose classes OLA would form, whatever the loss, if every node is safe
/// or not as given: the verdict on every other node follows from theirs. For a lattice that can be
/// tagged, and monotone models.
pub(crate) fn judged(lattice: &Lattice, safe: &[bool], watch: &Watch) -> Vec<usize> {
    let mut judge = |index: usize, _: &Node| safe[index];
    let mut walk = Walk::new(lattice, &mut judge, watch);
    let (bottom, top) = walk.ends();
    walk.search(bottom, top);
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

/// Nodes are positions in the lattice here; levels and heights are those along its dimensions, so
/// that linked columns rise by one step.
struct Walk<'w> {
    tags: Tags,
    lattice: &'w Lattice,
    /// Size and stride of each dimension.
    strides: Vec<(usize, usize)>,
    /// Sub-lattices of more than two nodes that were searched: bottom and top.
    entered: HashSet<(usize, usize)>,
    /// Safe nodes with no safe node found below them so far.
    minimal: Vec<Node>,
    /// Positions of the nodes whose classes were formed.
    judged: Vec<usize>,
    /// Whether a node is safe, by position and levels.
    judge: &'w mut dyn FnMut(usize, &Node) -> bool,
    watch: &'w Watch,
}

impl<'w> Walk<'w> {
    fn new(lattice: &'w Lattice, judge: &'w mut dyn FnMut(usize, &Node) -> bool, watch: &'w Watch) -> Self {
        Walk {
            tags: Tags::new(lattice),
            lattice,
            strides: lattice.strides(),
            entered: HashSet::new(),
            minimal: Vec::new(),
            judged: Vec::new(),
            judge,
            watch,
        }
    }

    /// Bottom and top of the whole lattice.
    fn ends(&self) -> (usize, usize) {
        (self.lattice.index(&self.lattice.bottom()), self.lattice.index(&self.lattice.top()))
    }

    /// Settles every node from a bottom to a top; false if the watch stops it before. Goes as deep
    /// as the height can be halved.
    ///
    /// The top of the whole lattice is the only one that may be unknown.
    fn search(&mut self, bottom: usize, top: usize) -> bool {
        if self.watch.should_finish() {
            return false;
        }
        if self.tags.get(bottom) == Tag::Safe || self.tags.get(top) == Tag::Unsafe {
            return true;
        }
        let height = self.height(bottom, top);
        if height <= 1 {
            self.settle_pair(bottom, top);
            return true;
        }
        if !self.entered.insert((bottom, top)) {
            return true;
        }
        let mut next = Some(self.leftmost(bottom, top, height / 2));
        while let Some(node) = next {
            let finished = if self.safe(node) { self.search(bottom, node) } else { self.search(node, top) };
            if !finished {
                return false;
            }
            next = self.right_of(node, bottom, top);
        }
        true
    }

    fn settle_pair(&mut self, bottom: usize, top: usize) {
        if !self.safe(bottom) {
            self.safe(top);
        }
    }

    /// Whether a node is safe: by its tag, or by checking and tagging.
    fn safe(&mut self, index: usize) -> bool {
        match self.tags.get(index) {
            Tag::Safe => return true,
            Tag::Unsafe => return false,
            Tag::Unknown => {}
        }
        let node = self.lattice.at(index);
        let safe = (self.judge)(index, &node);
        self.judged.push(index);
        self.tags.set(index, safe);
        if safe {
            self.minimal.retain(|m| !node.below(m));
            self.minimal.push(node);
        }
        safe
    }

    /// The level of a node along a dimension, from the lowest that is allowed.
    fn level(&self, node: usize, dimension: usize) -> usize {
        let (size, stride) = self.strides[dimension];
        node / stride % size
    }

    /// How many steps lead from a bottom to a top.
    fn height(&self, bottom: usize, top: usize) -> usize {
        (0..self.strides.len()).map(|d| self.level(top, d) - self.level(bottom, d)).sum()
    }

    /// The leftmost node this many steps above a node of a sub-lattice: the last dimensions rise
    /// first. The dimensions that rise are at the bottom's level.
    fn leftmost(&self, from: usize, top: usize, mut steps: usize) -> usize {
        let mut node = from;
        for d in (0..self.strides.len()).rev() {
            let rise = steps.min(self.level(top, d) - self.level(from, d));
            node += rise * self.strides[d].1;
            steps -= rise;
        }
        node
    }

    /// The next node of the same height in a sub-lattice, from left to right: in lexicographic
    /// order of the levels.
    fn right_of(&self, node: usize, bottom: usize, top: usize) -> Option<usize> {
        let mut rest = node;
        let mut steps = 0;
        for d in (0..self.strides.len()).rev() {
            let (level, stride) = (self.level(node, d), self.strides[d].1);
            if steps > 0 && level < self.level(top, d) {
                return Some(self.leftmost(rest + stride, top, steps - 1));
            }
            let above = level - self.level(bottom, d);
            rest -= above * stride;
            steps += above;
        }
        None
    }
}
