//! The default search (mission A6): exact for every loss that has a lower bound, with suppression.
//!
//! Nodes are taken by rising bound. From the first undecided one a path is drawn upwards through
//! undecided nodes and cut in half until the lowest safe node on it is known (Flash, Kohlmayer et
//! al. 2012); tags spread up and down. A node whose bound is above the best loss is never formed.
//! For a loss that is not monotone, safe nodes that are still below the best are then looked at by
//! rising bound until none is left.

use super::tags::{Tag, Tags};
use super::{Budget, Evaluator, Outcome, Problem, Progress, Solution, Strategy, too_large};
use crate::error::Fault;
use crate::lattice::Lattice;

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
        let problem = evaluator.problem();
        let mut walk = Walk::new(evaluator, budget);
        let monotone = problem.models.iter().all(|m| m.monotone());
        let top = problem.lattice.nodes() as usize - 1;
        if monotone && !walk.look(top).safe {
            let least = walk.evaluator.judge(&problem.lattice.top()).suppressed;
            return Outcome::Infeasible { least };
        }
        let finished =
            (!monotone || walk.paths()) && (monotone && problem.loss.monotone() || walk.rest(monotone));
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
    lattice: &'p Lattice,
    tags: Tags,
    /// Lower bound of each node.
    bounds: Vec<f64>,
    /// Nodes by bound, height, position.
    order: Vec<u32>,
    looked: Vec<bool>,
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
                problem.loss.bound(&n)
            })
            .collect();
        let mut order: Vec<u32> = (0..bounds.len() as u32).collect();
        let key = |&i: &u32| (bounds[i as usize], heights[i as usize], i);
        order.sort_unstable_by(|a, b| key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal));
        Walk {
            evaluator,
            budget,
            lattice,
            tags: Tags::new(lattice),
            looked: vec![false; bounds.len()],
            bounds,
            order,
            best: None,
            least: u64::MAX,
        }
    }

    /// Decides every node that could be the best; whether it got to the end.
    fn paths(&mut self) -> bool {
        for at in 0..self.order.len() {
            let node = self.order[at] as usize;
            if self.hopeless(node) && self.bounds[node] > self.limit() {
                return true;
            }
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

    /// Finds the lowest safe node of a path.
    fn cut(&mut self, path: &[usize]) {
        let (mut low, mut high) = (0, path.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.look(path[middle]).safe {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
    }

    /// Safe nodes below the best that were tagged, not looked at; whether it got to the end.
    fn rest(&mut self, tagged: bool) -> bool {
        for at in 0..self.order.len() {
            let node = self.order[at] as usize;
            if self.bounds[node] > self.limit() {
                return true;
            }
            if self.looked[node] || (tagged && self.tags.get(node) != Tag::Safe) || self.hopeless(node) {
                continue;
            }
            if (self.budget.cancelled)() {
                return false;
            }
            self.look(node);
        }
        true
    }

    /// Checks a node, spreads its tag, and keeps it if it is the best.
    fn look(&mut self, index: usize) -> super::Judgement {
        let node = self.lattice.at(index);
        let judgement = self.evaluator.judge(&node);
        self.looked[index] = true;
        self.least = self.least.min(judgement.suppressed);
        if self.evaluator.problem().models.iter().all(|m| m.monotone()) {
            self.tags.set(index, judgement.safe);
        }
        if judgement.safe && !self.hopeless(index) {
            let solution = self.evaluator.solution(&node);
            if self.best.as_ref().is_none_or(|b| solution.better_than(b)) {
                self.best = Some(solution);
            }
        }
        (self.budget.progress)(Progress {
            checked: self.evaluator.account().checked,
            settled: self.tags.settled(),
            nodes: self.lattice.nodes(),
            best: self.best.as_ref().map(|b| b.loss),
        });
        judgement
    }

    /// The bound above which no node can be the best, whatever rounding does.
    fn limit(&self) -> f64 {
        self.best.as_ref().map_or(f64::INFINITY, |b| b.loss + b.loss.abs() * ROUNDING)
    }

    /// Whether a node cannot be better than the best.
    fn hopeless(&self, node: usize) -> bool {
        self.bounds[node] > self.limit()
    }

    fn gap(&self, finished: bool) -> f64 {
        let Some(best) = self.best.as_ref().filter(|_| !finished) else { return 0.0 };
        let open = self
            .order
            .iter()
            .map(|&i| i as usize)
            .find(|&i| self.tags.get(i) != Tag::Unsafe && !self.looked[i]);
        open.map_or(0.0, |i| (best.loss - self.bounds[i]).max(0.0))
    }
}
