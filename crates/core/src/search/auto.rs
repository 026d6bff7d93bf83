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
//! For losses of classes ([`Loss::by_classes`](crate::loss::Loss::by_classes)) the bottom of a box
//! is judged as well, before the box is split: its classes bound the whole box. If the loss and all
//! models are monotone and the bottom is safe, no other node of the box is better.
//!
//! A few boxes are split at a time and their tops are judged in parallel. Their number does not
//! depend on the thread count, so neither does the result. Nothing is stored per node, so lattices
//! of any size can be searched. In large ones, `improve.rs` looks for good nodes meanwhile and
//! `blocks.rs` raises the bound. Without a limit of the caller, the search of a large lattice ends
//! when a number of checks have brought neither a better node nor a notably smaller gap. That number
//! follows from the table, not from a clock. Costs one check per split, two for losses of classes.
//!
//! An expression that prefers among minimal nodes has no bounds. Then every minimal node is found:
//! by OLA's walk where models are monotone, otherwise by checking every node.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::rc::Rc;

use super::blocks;
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
pub const LARGE: u128 = 1 << 20;

/// Boxes that are cut at a time: enough for some threads, small enough that few splits are wasted.
const AT_A_TIME: usize = 8;

/// Checks before that: the first cuts are the ones that others would be made in vain without.
const ONE_BY_ONE: u64 = 64;

/// Checks that the walk may spend without finding anything better, besides twice as many as were
/// spent on boxes.
const PATIENCE: u64 = 1_000;

/// Classes × columns that a search of a large lattice spends without progress before it ends: some
/// 30 CPU seconds. In checks, at least [`FEWEST`] and at most [`MOST`].
const WORK: u64 = 15_000_000_000;
const FEWEST: u64 = 5_000;
const MOST: u64 = 50_000;

/// Progress is a better node, or a gap of this share of what it was.
const SMALLER: f64 = 0.9;

/// Columns of a block, and the checks that it may cost: first small blocks, then larger ones.
const SMALL: (usize, u64) = (8, 2_000);
const WIDE: (usize, u64) = (12, 8_000);

/// Checks after which larger blocks are worth it.
const LONG: u64 = 8_000;

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
        floor: f64::NEG_INFINITY,
    };
    search.judge_tops(vec![Lower::of(problem.lattice.bottom(), problem.lattice.top())]);
    search.judge_lowest();
    search.report(watch);
    let mut large = Large::new(&search, watch);
    loop {
        let open = search.most_promising();
        if open.is_empty() {
            break;
        }
        let bound = open[0].bound;
        // Where statistics are limited, the first node that is accurate enough may come late.
        if large.is_none() && problem.utility.is_some() {
            large = Large::new(&search, watch);
        }
        if large.is_none() && search.hopeless() {
            break;
        }
        let ended = large.as_mut().is_some_and(|large| large.ended(&mut search, bound, watch));
        if ended || watch.should_finish() {
            return search.stopped(bound);
        }
        search.split(open);
        if let Some(large) = &mut large {
            large.improve(&mut search, watch);
        }
        search.report(watch);
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
    /// What the classes of the bottom, or of a node below it, cost at least.
    above: f64,
    /// Whether the bottom was judged.
    judged: bool,
}

/// A box whose top has yet to be judged.
struct Lower {
    bottom: Node,
    top: Node,
    above: f64,
    judged: bool,
}

impl Lower {
    fn of(bottom: Node, top: Node) -> Self {
        Lower { bottom, top, above: f64::NEG_INFINITY, judged: false }
    }
}

/// What a lattice that may never be finished is searched with besides.
struct Large {
    walk: Walk,
    /// Checks of the walk and of blocks.
    besides: u64,
    /// The sizes of blocks that are still to be solved, the next one last.
    blocks: Vec<(usize, u64)>,
    /// Checks without progress after which the search ends; none if the caller limits it.
    patience: Option<u64>,
    /// Checks, loss and gap at the last progress.
    progress: (u64, f64, f64),
}

impl Large {
    /// None if the lattice is small or holds nothing safe.
    fn new(search: &Search<'_, '_>, watch: &Watch) -> Option<Self> {
        if search.lattice.nodes() <= LARGE {
            return None;
        }
        let best = search.best.clone()?;
        let classes = &search.problem.classes;
        let cells = (classes.members() * classes.columns()).max(1) as u64;
        Some(Large {
            walk: Walk::new(best, search.lattice),
            besides: 0,
            blocks: vec![WIDE, SMALL],
            patience: (!watch.has_limit()).then(|| (WORK / cells).clamp(FEWEST, MOST)),
            progress: (0, f64::INFINITY, f64::INFINITY),
        })
    }

    /// Walks, and solves blocks when it is their turn.
    fn improve(&mut self, search: &mut Search<'_, '_>, watch: &Watch) {
        let cut = search.crew.checked() - self.besides;
        while self.walk.fruitless() < PATIENCE + 2 * cut && !watch.should_finish() {
            self.besides += search.walk(&mut self.walk);
            search.report(watch);
        }
        match self.blocks.len() {
            2 => self.solve_blocks(search, watch),
            1 if search.crew.checked() >= LONG => self.solve_blocks(search, watch),
            _ => {}
        }
    }

    fn solve_blocks(&mut self, search: &mut Search<'_, '_>, watch: &Watch) {
        let Some((width, checks)) = self.blocks.pop() else { return };
        let before = search.crew.checked();
        let progress = search.progress();
        let tell = |checked| watch.report(Event::Searching(Progress { checked, ..progress }));
        if let Some(floor) = blocks::floor(&mut search.crew, (width, checks), watch, &tell) {
            // Terms are added up in another order than the loss.
            search.floor = search.floor.max(floor - floor.abs() * ROUNDING);
        }
        self.besides += search.crew.checked() - before;
    }

    /// Whether the search has gone on without progress for too long. Larger blocks have their turn
    /// before that.
    fn ended(&mut self, search: &mut Search<'_, '_>, bound: f64, watch: &Watch) -> bool {
        let (Some(patience), Some(best)) = (self.patience, search.best.as_ref().map(|b| b.loss)) else {
            return false;
        };
        let gap = best - bound.max(search.floor);
        let checked = search.crew.checked();
        if best < self.progress.1 || gap < SMALLER * self.progress.2 {
            self.progress = (checked, best, gap);
        }
        let stalled = checked - self.progress.0 >= patience;
        if !stalled || self.blocks.is_empty() {
            return stalled;
        }
        self.solve_blocks(search, watch);
        false
    }
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
    /// A lower bound of the loss of every safe node, from blocks of columns.
    floor: f64,
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

    /// Whether a lattice that is too large to be finished has shown no node that is accurate enough
    /// in many checks.
    fn hopeless(&self) -> bool {
        let large = self.lattice.nodes() > LARGE && self.problem.utility.is_some();
        large && self.best.is_none() && self.crew.checked() >= MOST
    }

    /// Takes a step of the walk; how many nodes it checked.
    fn walk(&mut self, walk: &mut Walk) -> u64 {
        let before = self.crew.checked();
        if let Some(better) = walk.step(&mut self.crew) {
            self.prefer(better);
        }
        self.crew.checked() - before
    }

    fn report(&self, watch: &Watch) {
        watch.report(Event::Searching(self.progress()));
    }

    fn progress(&self) -> Progress {
        Progress {
            checked: self.crew.checked(),
            nodes: self.lattice.nodes(),
            best: self.best.as_ref().map(|b| b.loss),
            bound: self.open.peek().map(|b| b.bound.max(self.floor)),
        }
    }

    /// Judges the bottom of the whole lattice if it may settle everything: a monotone loss is least
    /// there.
    fn judge_lowest(&mut self) {
        if self.bottom_settles() && !self.by_classes() {
            let root = self.open.drain().collect();
            self.judge_bottoms(root);
        }
    }

    /// Whether classes of bottoms pay. Where nothing may be suppressed, unsafe tops close boxes
    /// sooner than bounds do.
    fn by_classes(&self) -> bool {
        self.problem.loss.by_classes() && self.problem.max_suppressed > 0
    }

    /// Whether a safe bottom is the best node of its box.
    fn bottom_settles(&self) -> bool {
        self.problem.loss.monotone() && self.crew.monotone()
    }

    /// Judges the bottoms of boxes where that pays, and cuts the other boxes.
    fn split(&mut self, boxes: Vec<Open>) {
        let by_classes = self.by_classes();
        let (cut, judge) = boxes.into_iter().partition(|open| open.judged || !by_classes);
        self.judge_bottoms(judge);
        self.cut(cut);
    }

    /// Judges the bottoms of boxes, and opens each box again with a higher bound unless that settles
    /// it.
    fn judge_bottoms(&mut self, boxes: Vec<Open>) {
        let bottoms: Vec<Node> = boxes.iter().map(|open| open.bottom.clone()).collect();
        let assessed = self.crew.assess_bottoms(&bottoms, self.limit());
        for (open, assessment) in boxes.into_iter().zip(assessed) {
            let settled = assessment.solution.is_some() && self.bottom_settles();
            if let Some(solution) = assessment.solution {
                self.prefer(solution);
            }
            if !settled {
                let above = open.above.max(assessment.above);
                self.push(Open { above, judged: true, ..open });
            }
        }
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
            if !open.judged || open.bottom != top {
                let Open { above, judged, .. } = open;
                lower.push(Lower { bottom: open.bottom.clone(), top, above, judged });
            }
            self.push(Open { bottom, judged: false, ..open });
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
    fn judge_tops(&mut self, boxes: Vec<Lower>) {
        let ends: Vec<(Node, Node)> = boxes.iter().map(|b| (b.bottom.clone(), b.top.clone())).collect();
        let assessed = self.crew.assess_tops(&ends, self.limit());
        for (lower, assessment) in boxes.into_iter().zip(assessed) {
            let Assessment { suppressed, open, solution, surplus, .. } = assessment;
            self.least = self.least.min(suppressed);
            if let Some(solution) = solution {
                self.prefer(solution);
            }
            if open {
                let Lower { bottom, top, above, judged } = lower;
                let surplus = Rc::new(surplus);
                self.push(Open { bound: f64::NEG_INFINITY, bottom, top, surplus, above, judged });
            }
        }
    }

    fn prefer(&mut self, solution: Solution) {
        if self.best.as_ref().is_none_or(|b| solution.better_than(b)) {
            self.best = Some(solution);
        }
    }

    /// Opens a box, with its bound.
    fn push(&mut self, open: Open) {
        let bound = self.problem.loss.bound_between(&open.bottom, open.above, &open.surplus);
        if open.bottom != open.top && bound <= self.limit() {
            self.open.push(Open { bound, ..open });
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
        let bound = bound.max(self.floor);
        match self.best {
            Some(best) => Outcome::Found { gap: (best.loss - bound).max(0.0), best },
            None => Outcome::Cancelled,
        }
    }
}
