//! The default search: best-first branch and bound over boxes of the lattice.
//!
//! A box is the set of nodes between a bottom and a top; its top has been judged. If the top is
//! unsafe, the whole box is unsafe. Otherwise every node of the box generalizes at least as far as
//! the bottom and suppresses at least the rows that the top suppresses. So the loss of the bottom,
//! with the rows that the top suppresses, is a lower bound for the box, even for losses that are
//! not monotone. If some models are not monotone, only the others contribute to the bound. The box
//! with the least bound is split along the column that makes the largest difference; only the lower
//! half has a new top to judge. The search ends when the least bound reaches the best loss: the
//! best node is then proven optimal. If it is stopped earlier, the least bound gives the gap.
//!
//! A few boxes are split at a time and their tops are judged in parallel. Their number does not
//! depend on the thread count, so neither does the result. Nothing is stored per node, so lattices
//! of any size can be searched; in large ones, `improve.rs` looks for good nodes meanwhile. Costs
//! one check per split.
//!
//! An expression that prefers among minimal nodes has no bounds. Then every minimal node is found:
//! by OLA's walk where models are monotone, otherwise by checking every node.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::rc::Rc;

use super::crew::{Assessment, Crew};
use super::improve::Walk;
use super::mingen::MinGen;
use super::ola::Ola;
use super::prefer::monotone;
use super::{Evaluator, Outcome, Problem, Solution, Strategy, too_large};
use crate::error::Fault;
use crate::lattice::{Lattice, Node};
use crate::registry::Algorithm;
use crate::watch::{Event, Progress, Watch};

pub(super) struct Auto;

/// Bounds and losses add the same numbers up in different orders; they may differ by this much of
/// themselves.
const ROUNDING: f64 = 1e-9;

/// A lattice of more nodes may not be finished: then a good node soon is worth some checks.
const LARGE: u128 = 1 << 20;

/// Boxes that are cut at a time: enough for some threads, small enough that few splits are wasted.
const AT_A_TIME: usize = 8;

/// Checks before that: the first cuts are the ones that others would be made in vain without.
const ONE_BY_ONE: u64 = 64;

/// Checks that the walk may spend without finding anything better, besides twice as many as were
/// spent on boxes.
const PATIENCE: u64 = 1_000;

impl Strategy for Auto {
    fn algorithm(&self) -> Algorithm {
        Algorithm::Auto
    }

    fn refuses(&self, problem: &Problem) -> Option<Fault> {
        problem.preference.as_ref().and_then(|_| too_large(problem, "auto"))
    }

    fn run(&self, evaluator: &mut Evaluator<'_>, watch: &Watch) -> Outcome {
        match &evaluator.problem().preference {
            None => least_loss(evaluator, watch),
            Some(_) if monotone(evaluator.problem()) => Ola.run(evaluator, watch),
            Some(_) => MinGen.run(evaluator, watch),
        }
    }
}

/// The least loss of all safe nodes.
pub(super) fn least_loss(evaluator: &mut Evaluator<'_>, watch: &Watch) -> Outcome {
    let problem = evaluator.problem();
    let mut search = Search {
        crew: Crew::new(evaluator),
        problem,
        lattice: &problem.lattice,
        open: BinaryHeap::new(),
        best: None,
        least: u64::MAX,
    };
    search.judge_tops(vec![(problem.lattice.bottom(), problem.lattice.top())]);
    let mut walk = search
        .best
        .clone()
        .filter(|_| problem.lattice.nodes() > LARGE)
        .map(|s| Walk::new(s, &problem.lattice));
    let mut walked = 0;
    loop {
        let open = search.most_promising();
        if open.is_empty() {
            break;
        }
        if watch.should_finish() {
            return search.stopped(open[0].bound);
        }
        let cut = search.crew.checked() - walked;
        search.cut(open);
        if let Some(walk) = &mut walk {
            while walk.fruitless() < PATIENCE + 2 * cut && !watch.should_finish() {
                walked += search.walk(walk);
                search.tell(watch);
            }
        }
        search.tell(watch);
    }
    let least = search.least;
    search.best.map_or(Outcome::Infeasible { least }, |best| Outcome::Found { best, gap: 0.0 })
}

/// All nodes between a bottom and a top that was judged.
struct Open {
    /// A lower bound of their costs.
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
    crew: Crew<'e, 'p>,
    problem: &'p Problem,
    lattice: &'p Lattice,
    open: BinaryHeap<Open>,
    best: Option<Solution>,
    /// The fewest rows that were flagged at a node.
    least: u64,
}

impl Search<'_, '_> {
    /// The boxes of least bound that can hold something better; none when the best is proven.
    fn most_promising(&mut self) -> Vec<Open> {
        let many = if self.crew.checked() < ONE_BY_ONE { 1 } else { AT_A_TIME };
        let mut promising = Vec::new();
        while promising.len() < many {
            match self.open.pop() {
                Some(open) if open.bound > self.limit() => self.open.clear(),
                Some(open) if self.ties_worse(&open) => {}
                Some(open) => promising.push(open),
                None => break,
            }
        }
        promising
    }

    /// Takes a step of the walk; how many nodes it checked.
    fn walk(&mut self, walk: &mut Walk) -> u64 {
        let before = self.crew.checked();
        if let Some(better) = walk.step(&mut self.crew) {
            self.prefer(better);
        }
        self.crew.checked() - before
    }

    fn tell(&self, watch: &Watch) {
        watch.report(Event::Searching(Progress {
            checked: self.crew.checked(),
            nodes: self.lattice.nodes(),
            best: self.best.as_ref().map(|b| b.loss),
            bound: self.open.peek().map(|b| b.bound),
        }));
    }

    /// Cuts boxes in two: the upper half keeps its top, the lower half gets a new one.
    fn cut(&mut self, boxes: Vec<Open>) {
        let mut lower = Vec::with_capacity(boxes.len());
        for open in boxes {
            let Some(dimension) = self.widest(&open) else { continue };
            let low = self.lattice.level(&open.bottom, dimension);
            let high = self.lattice.level(&open.top, dimension);
            let middle = low + (high - low) / 2;
            let bottom = self.lattice.with_level(&open.bottom, dimension, middle + 1);
            let top = self.lattice.with_level(&open.top, dimension, middle);
            self.push(bottom, open.top, open.surplus);
            lower.push((open.bottom, top));
        }
        self.judge_tops(lower);
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

    /// Judges the tops of new boxes, and opens each box unless that settles it.
    fn judge_tops(&mut self, boxes: Vec<(Node, Node)>) {
        let assessed = self.crew.assess_tops(&boxes, self.limit());
        for ((bottom, top), assessment) in boxes.into_iter().zip(assessed) {
            let Assessment { suppressed, open, solution, surplus, .. } = assessment;
            self.least = self.least.min(suppressed);
            if let Some(solution) = solution {
                self.prefer(solution);
            }
            if open {
                self.push(bottom, top, Rc::new(surplus));
            }
        }
    }

    fn prefer(&mut self, solution: Solution) {
        if self.best.as_ref().is_none_or(|b| solution.better_than(b)) {
            self.best = Some(solution);
        }
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

    /// Whether no node of a box comes before the best: the bottom is the lowest and first of its
    /// box, and a monotone loss is its own bound, to the last bit.
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
