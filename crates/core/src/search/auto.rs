//! The default search (mission A6): branch and bound over boxes of the lattice, best bound first.
//!
//! A box is all nodes between a bottom and a top. Its top has been judged. If the top is unsafe, so is the
//! whole box. Otherwise every node of the box generalizes at least as far as the bottom and suppresses at
//! least the rows that the top suppresses, so the loss of the bottom with the top's suppressed rows bounds
//! the box from below; this holds for losses that are not monotone, too. The box with the least bound is cut
//! in two along the column that makes most of a difference; only the lower half has a new top to judge.
//! When the least bound is above the best loss, the best is proven to be the best. Stopped at any time, the
//! least bound tells how much better an unseen node can be.
//!
//! Nothing is kept per node, so lattices of any size can be begun; a large one is first gone down greedily from
//! the top, so that there is a good node when the search is stopped. Costs one check per cut.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::rc::Rc;

use super::{Budget, Evaluator, Judgement, Outcome, Problem, Progress, Solution, Strategy};
use crate::error::Fault;
use crate::lattice::{Lattice, Node};

pub(super) struct Auto;

/// Bounds and losses add the same numbers up in different orders; they may differ by this much of themselves.
const ROUNDING: f64 = 1e-9;

/// A lattice of more nodes may not be finished: then a good node soon is worth some checks.
const LARGE: u128 = 1 << 20;

impl Strategy for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn refuses(&self, _: &Problem) -> Option<Fault> {
        None
    }

    fn run(&self, evaluator: &mut Evaluator<'_>, budget: &Budget<'_>) -> Outcome {
        let problem = evaluator.problem();
        let mut search = Search {
            evaluator,
            problem,
            lattice: &problem.lattice,
            monotone: problem.models.iter().all(|m| m.monotone()),
            open: BinaryHeap::new(),
            best: None,
            least: u64::MAX,
        };
        search.judge_top(problem.lattice.bottom(), problem.lattice.top());
        if problem.lattice.nodes() > LARGE {
            search.dive(budget);
        }
        while let Some(open) = search.open.pop() {
            if open.bound > search.limit() {
                break;
            }
            if (budget.cancelled)() {
                return search.stopped(open.bound);
            }
            if !search.ties_worse(&open) {
                search.cut(open);
            }
            search.tell(budget);
        }
        let least = search.least;
        search.best.map_or(Outcome::Infeasible { least }, |best| Outcome::Found { best, gap: 0.0 })
    }
}

/// All nodes between a bottom and a top that was judged.
struct Open {
    /// What each of them costs at least.
    bound: f64,
    bottom: Node,
    top: Node,
    /// What the rows that the top suppresses add at least.
    surplus: Rc<Vec<f64>>,
}

/// The least bound first; then in an order that does not depend on how the boxes came about.
impl Ord for Open {
    fn cmp(&self, other: &Self) -> Ordering {
        let bound = other.bound.total_cmp(&self.bound);
        bound.then_with(|| other.bottom.cmp(&self.bottom)).then_with(|| other.top.cmp(&self.top))
    }
}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Open {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Open {}

struct Search<'e, 'p> {
    evaluator: &'e mut Evaluator<'p>,
    problem: &'p Problem,
    lattice: &'p Lattice,
    /// Whether every model is monotone, so that a top speaks for its box.
    monotone: bool,
    open: BinaryHeap<Open>,
    best: Option<Solution>,
    /// The fewest rows that were flagged at a node.
    least: u64,
}

impl Search<'_, '_> {
    /// Goes down from the best node to its best specialization as long as that is better.
    fn dive(&mut self, budget: &Budget<'_>) {
        while let Some(from) = self.best.clone() {
            for node in self.lattice.predecessors(&from.node) {
                if (budget.cancelled)() {
                    return;
                }
                if self.evaluator.judge(&node).safe {
                    let solution = self.evaluator.solution(&node);
                    if self.best.as_ref().is_none_or(|b| solution.better_than(b)) {
                        self.best = Some(solution);
                    }
                }
                self.tell(budget);
            }
            if self.best.as_ref() == Some(&from) {
                return;
            }
        }
    }

    fn tell(&self, budget: &Budget<'_>) {
        (budget.progress)(Progress {
            checked: self.evaluator.account().checked,
            nodes: self.lattice.nodes(),
            best: self.best.as_ref().map(|b| b.loss),
            bound: self.open.peek().map(|b| b.bound),
        });
    }

    /// Cuts a box in two: the upper half keeps its top, the lower half gets a new one.
    fn cut(&mut self, open: Open) {
        let Some(dimension) = self.widest(&open) else { return };
        let low = self.lattice.level(&open.bottom, dimension);
        let high = self.lattice.level(&open.top, dimension);
        let middle = low + (high - low) / 2;
        let bottom = self.lattice.with_level(&open.bottom, dimension, middle + 1);
        let top = self.lattice.with_level(&open.top, dimension, middle);
        self.push(bottom, open.top, open.surplus);
        self.judge_top(open.bottom, top);
    }

    /// The dimension along which the box's bound rises most; none when the box is one node.
    fn widest(&self, open: &Open) -> Option<usize> {
        let mut widest: Option<(f64, usize)> = None;
        for dimension in 0..self.lattice.dimensions() {
            let high = self.lattice.level(&open.top, dimension);
            if self.lattice.level(&open.bottom, dimension) == high {
                continue;
            }
            let raised = self.lattice.with_level(&open.bottom, dimension, high);
            let rise = self.problem.loss.bound(&raised, &open.surplus) - open.bound;
            if widest.is_none_or(|(most, _)| rise > most) {
                widest = Some((rise, dimension));
            }
        }
        widest.map(|(_, dimension)| dimension)
    }

    /// Judges the top of a new box, and opens the box unless that settles it.
    fn judge_top(&mut self, bottom: Node, top: Node) {
        let judgement = self.evaluator.judge(&top);
        self.least = self.least.min(judgement.suppressed);
        if judgement.safe && self.problem.loss.bound(&top, &[]) <= self.limit() {
            let solution = self.evaluator.solution(&top);
            if self.best.as_ref().is_none_or(|b| solution.better_than(b)) {
                self.best = Some(solution);
            }
        }
        if self.monotone && !judgement.safe {
            return;
        }
        let surplus = self.surplus(&top, judgement);
        self.push(bottom, top, Rc::new(surplus));
    }

    /// What the rows that a top suppresses add at least below it.
    fn surplus(&mut self, top: &Node, judgement: Judgement) -> Vec<f64> {
        let tells = self.monotone && judgement.suppressed > 0 && !self.problem.loss.monotone();
        if tells { self.evaluator.evidence(top).surplus } else { Vec::new() }
    }

    fn push(&mut self, bottom: Node, top: Node, surplus: Rc<Vec<f64>>) {
        let bound = self.problem.loss.bound(&bottom, &surplus);
        if bottom != top && bound <= self.limit() {
            self.open.push(Open { bound, bottom, top, surplus });
        }
    }

    /// The bound above which no node can be the best, whatever rounding does.
    fn limit(&self) -> f64 {
        self.best.as_ref().map_or(f64::INFINITY, |b| b.loss + b.loss.abs() * ROUNDING)
    }

    /// Whether no node of a box comes before the best: the bottom is the lowest and first of its box, and a
    /// monotone loss is its own bound, to the last bit.
    fn ties_worse(&self, open: &Open) -> bool {
        let Some(best) = self.best.as_ref().filter(|_| self.problem.loss.monotone()) else { return false };
        let box_key = (open.bound, open.bottom.height(), &open.bottom);
        box_key >= (best.loss, best.node.height(), &best.node)
    }

    fn stopped(self, bound: f64) -> Outcome {
        match self.best {
            Some(best) => Outcome::Found { gap: (best.loss - bound).max(0.0), best },
            None => Outcome::Cancelled,
        }
    }
}
