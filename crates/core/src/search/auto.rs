//! The default search (mission A6): exact for every loss that has a lower bound, with suppression.
//!
//! Nodes are taken by rising bound. From the first undecided one a path is drawn upwards through
//! undecided nodes and cut in half until the lowest useful node on it is known (Flash, Kohlmayer et al.
//! 2012); tags spread up and down. A node is useless when it is unsafe, and also when its suppressed rows
//! alone cost more than the best node found: both hold for everything below it. A node whose bound is
//! above the best loss is never looked at for its own sake.
//!
//! For a loss that is not monotone, nodes that are safe but not looked at remain; they are looked at by
//! rising bound, unless what is known of a generalization's suppressed rows raises the bound above the
//! best. Costs a check per look, and nodes × dimensions in all for tagging.

use super::tags::{Tag, Tags};
use super::{Budget, Evaluator, Judgement, Outcome, Problem, Progress, Solution, Strategy, too_large};
use crate::error::Fault;
use crate::lattice::{Lattice, Node};

pub(super) struct Auto;

/// Bounds and losses add the same numbers up in different orders; they may differ by this much of themselves.
const ROUNDING: f64 = 1e-9;

impl Strategy for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn refuses(&self, problem: &Problem) -> Option<Fault> {
        too_large(problem, "auto")
    }

    fn run(&self, evaluator: &mut Evaluator<'_>, budget: &Budget<'_>) -> Outcome {
        let mut walk = Walk::new(evaluator, budget);
        let finished = if walk.monotone {
            let top = walk.bounds.len() - 1;
            if !walk.look(top).safe {
                return Outcome::Infeasible { least: walk.least };
            }
            walk.paths() && walk.rest()
        } else {
            walk.rest()
        };
        let gap = walk.gap(finished);
        match walk.best {
            Some(best) => Outcome::Found { best, gap },
            None if finished => Outcome::Infeasible { least: walk.least },
            None => Outcome::Cancelled,
        }
    }
}

struct Walk<'w, 'p, 'b> {
    evaluator: &'w mut Evaluator<'p>,
    budget: &'w Budget<'b>,
    problem: &'p Problem,
    lattice: &'p Lattice,
    bottom: Node,
    /// Whether every model is monotone, so that tags may spread.
    monotone: bool,
    tags: Tags,
    /// Lower bound of each node.
    bounds: Vec<f64>,
    /// Nodes by bound, height, position.
    order: Vec<u32>,
    looked: Vec<bool>,
    /// Safe nodes that were looked at and suppress rows, with what those rows add below them.
    surplus: Vec<(Node, Vec<f64>)>,
    best: Option<Solution>,
    least: u64,
}

impl<'w, 'p, 'b> Walk<'w, 'p, 'b> {
    fn new(evaluator: &'w mut Evaluator<'p>, budget: &'w Budget<'b>) -> Self {
        let problem = evaluator.problem();
        let lattice = &problem.lattice;
        let mut heights = Vec::new();
        let bounds: Vec<f64> = lattice
            .iter()
            .map(|n| {
                heights.push(n.height());
                problem.loss.bound(&n, &[])
            })
            .collect();
        let mut order: Vec<u32> = (0..bounds.len() as u32).collect();
        let key = |&i: &u32| (bounds[i as usize], heights[i as usize], i);
        order.sort_unstable_by(|a, b| key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal));
        Walk {
            evaluator,
            budget,
            problem,
            lattice,
            bottom: lattice.bottom(),
            monotone: problem.models.iter().all(|m| m.monotone()),
            tags: Tags::new(lattice),
            looked: vec![false; bounds.len()],
            bounds,
            order,
            surplus: Vec::new(),
            best: None,
            least: u64::MAX,
        }
    }

    /// Decides every node that could be the best; whether it got to the end.
    fn paths(&mut self) -> bool {
        for at in 0..self.order.len() {
            let node = self.order[at] as usize;
            while self.tags.get(node) == Tag::Unknown && !self.hopeless(node) {
                if (self.budget.cancelled)() {
                    return false;
                }
                self.cut(&self.path(node));
            }
        }
        true
    }

    /// Undecided nodes from one upwards, each time to the cheapest.
    fn path(&self, node: usize) -> Vec<usize> {
        let mut path = vec![node];
        let mut last = node;
        loop {
            let next = self
                .tags
                .successors(last)
                .filter(|&s| self.tags.get(s) == Tag::Unknown)
                .min_by(|&a, &b| self.bounds[a].total_cmp(&self.bounds[b]));
            let Some(next) = next else { return path };
            path.push(next);
            last = next;
        }
    }

    /// Finds the lowest useful node of a path.
    fn cut(&mut self, path: &[usize]) {
        let (mut low, mut high) = (0, path.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            self.look(path[middle]);
            if self.tags.get(path[middle]) == Tag::Safe {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
    }

    /// Nodes below the best that may be safe and were not looked at; whether it got to the end.
    fn rest(&mut self) -> bool {
        if self.monotone && self.problem.loss.monotone() {
            return true;
        }
        for at in 0..self.order.len() {
            let node = self.order[at] as usize;
            let undecided = !self.looked[node] && self.tags.get(node) != Tag::Unsafe;
            if !undecided || self.hopeless(node) || self.hopeless_below(node) {
                continue;
            }
            if (self.budget.cancelled)() {
                return false;
            }
            self.look(node);
        }
        true
    }

    /// Checks a node, spreads what it tells, and keeps it if it is the best.
    fn look(&mut self, index: usize) -> Judgement {
        let node = self.lattice.at(index);
        let judgement = self.evaluator.judge(&node);
        self.looked[index] = true;
        self.least = self.least.min(judgement.suppressed);
        if judgement.safe && !self.hopeless(index) {
            let solution = self.evaluator.solution(&node);
            if self.best.as_ref().is_none_or(|b| solution.better_than(b)) {
                self.best = Some(solution);
            }
        }
        if self.monotone {
            let useful = judgement.safe && !self.suppresses_too_much(&node, judgement);
            self.tags.set(index, useful);
        }
        self.tell();
        judgement
    }

    /// Whether the node's suppressed rows alone cost more than the best: then everything below is hopeless. Keeps
    /// what those rows add otherwise.
    fn suppresses_too_much(&mut self, node: &Node, judgement: Judgement) -> bool {
        if judgement.suppressed == 0 || self.problem.loss.monotone() {
            return false;
        }
        let surplus = self.evaluator.evidence(node).surplus;
        if surplus.is_empty() {
            return false;
        }
        let too_much = self.problem.loss.bound(&self.bottom, &surplus) > self.limit();
        if !too_much {
            self.surplus.push((node.clone(), surplus));
        }
        too_much
    }

    fn tell(&self) {
        (self.budget.progress)(Progress {
            checked: self.evaluator.account().checked,
            settled: self.tags.settled(),
            nodes: self.lattice.nodes(),
            best: self.best.as_ref().map(|b| b.loss),
        });
    }

    /// The bound above which no node can be the best, whatever rounding does.
    fn limit(&self) -> f64 {
        self.best.as_ref().map_or(f64::INFINITY, |b| b.loss + b.loss.abs() * ROUNDING)
    }

    /// Whether a node cannot be better than the best.
    fn hopeless(&self, node: usize) -> bool {
        self.bounds[node] > self.limit()
    }

    /// Whether what is known of a generalization's suppressed rows makes a node hopeless.
    fn hopeless_below(&self, index: usize) -> bool {
        let node = self.lattice.at(index);
        let limit = self.limit();
        self.surplus.iter().any(|(above, s)| node.below(above) && self.problem.loss.bound(&node, s) > limit)
    }

    fn gap(&self, finished: bool) -> f64 {
        let Some(best) = self.best.as_ref().filter(|_| !finished) else { return 0.0 };
        let open = |i: &usize| self.tags.get(*i) != Tag::Unsafe && !self.looked[*i];
        let least = self.order.iter().map(|&i| i as usize).find(open).map(|i| self.bounds[i]);
        least.map_or(0.0, |bound| (best.loss - bound).max(0.0))
    }
}
