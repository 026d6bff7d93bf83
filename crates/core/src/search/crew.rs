//! Evaluates several nodes in parallel: one evaluator per thread, the same results at any thread
//! count.
//!
//! A free thread takes the next node, so threads finish together; results are returned in the order
//! of the nodes. Facts about the table are shared; each evaluator keeps its own roll-ups.
//!
//! If some models are not monotone or need histograms, each thread has a second, plain evaluator
//! for the other models. It costs a fraction and settles most nodes: a node that it finds unsafe is
//! unsafe, and the rows that it flags bound the loss of the node and of those below.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::{Evaluator, Judgement, Problem, Solution};
use crate::classes::Flags;
use crate::lattice::Node;

/// Classes × columns below which a node is checked faster than threads are woken and tables made
/// for each.
const WORTH: usize = 400_000;

/// The number of nodes below a top from which on it pays to evaluate all models on it, though it
/// cannot be the best itself: they may show that no node below it is safe.
const MANY: u128 = 16;

/// The facts about a node once it was assessed.
#[derive(Debug, Clone)]
pub(super) struct Assessment {
    /// The rows that it suppresses; at least, where it was settled without all models.
    pub(super) suppressed: u64,
    /// Whether nodes below it can be safe.
    pub(super) open: bool,
    /// What it costs, if it is safe and could be as good as the limit.
    pub(super) solution: Option<Solution>,
    /// A lower bound of what its suppressed rows add below it, if requested.
    pub(super) surplus: Vec<f64>,
    /// A lower bound of the loss of every safe node above it, if requested.
    pub(super) above: f64,
    /// The number of its classes.
    pub(super) classes: usize,
}

/// The evaluators.
pub(super) struct Crew<'e, 'p> {
    first: &'e mut Evaluator<'p>,
    /// By the models alone that are monotone and count no values, where there are others.
    plain: Option<Evaluator<'p>>,
    /// The same for every further thread.
    others: Vec<(Evaluator<'p>, Option<Evaluator<'p>>)>,
    /// Whether every model is monotone, so that suppressed rows are evidence about specializations.
    monotone: bool,
}

impl<'e, 'p> Crew<'e, 'p> {
    pub(super) fn new(first: &'e mut Evaluator<'p>) -> Self {
        let problem = first.problem();
        let cells = problem.classes.members() * problem.classes.columns();
        let threads = if cells < WORTH { 1 } else { rayon::current_num_threads() };
        let plain = Evaluator::plain(problem);
        let other = |_| (first.fork(), plain.as_ref().map(Evaluator::fork));
        let others = (1..threads).map(other).collect();
        Crew { first, plain, others, monotone: problem.models.iter().all(|m| m.facts().monotone) }
    }

    pub(super) fn problem(&self) -> &'p Problem {
        self.first.problem()
    }

    /// Nodes checked so far.
    pub(super) fn checked(&self) -> u64 {
        self.first.account().checked
    }

    /// Assesses nodes; those whose columns and rows flagged for sure cost more than the limit not
    /// to the end.
    pub(super) fn assess(&mut self, nodes: &[Node], limit: f64) -> Vec<Assessment> {
        let tasks: Vec<Task<'_>> = nodes.iter().map(|node| Task { node, below: 0 }).collect();
        self.all(&tasks, Question { limit, monotone: self.monotone, above: false })
    }

    /// The same for the bottoms of boxes, with their evidence about the nodes above.
    pub(super) fn assess_bottoms(&mut self, nodes: &[Node], limit: f64) -> Vec<Assessment> {
        let tasks: Vec<Task<'_>> = nodes.iter().map(|node| Task { node, below: 0 }).collect();
        self.all(&tasks, Question { limit, monotone: self.monotone, above: true })
    }

    /// What nodes suppress at least, without their loss; none of them becomes the best.
    pub(super) fn assess_suppressed(&mut self, nodes: &[Node]) -> Vec<Assessment> {
        let tasks: Vec<Task<'_>> = nodes.iter().map(|node| Task { node, below: 1 }).collect();
        self.all(&tasks, Question { limit: f64::NEG_INFINITY, monotone: self.monotone, above: false })
    }

    /// The same for the tops of boxes, with their evidence about the nodes below.
    pub(super) fn assess_tops(&mut self, boxes: &[(Node, Node)], limit: f64) -> Vec<Assessment> {
        let lattice = &self.problem().lattice;
        let task = |(bottom, top)| Task { node: top, below: lattice.between(bottom, top) - 1 };
        let tasks: Vec<Task<'_>> = boxes.iter().map(|(bottom, top)| task((bottom, top))).collect();
        self.all(&tasks, Question { limit, monotone: self.monotone, above: false })
    }

    /// Whether every model is monotone.
    pub(super) fn monotone(&self) -> bool {
        self.monotone
    }

    fn all(&mut self, tasks: &[Task<'_>], question: Question) -> Vec<Assessment> {
        let assessed = if self.others.is_empty() || tasks.len() < 2 {
            tasks.iter().map(|task| question.ask(self.first, self.plain.as_mut(), task)).collect()
        } else {
            self.share(tasks, question)
        };
        for (task, assessed) in tasks.iter().zip(&assessed) {
            self.first.count(task.node, assessed.classes, assessed.solution.is_some());
        }
        assessed
    }

    fn share(&mut self, tasks: &[Task<'_>], question: Question) -> Vec<Assessment> {
        let next = AtomicUsize::new(0);
        let first = (&mut *self.first, self.plain.as_mut());
        let others = self.others.iter_mut().map(|(full, plain)| (full, plain.as_mut()));
        let hands: Vec<(&mut Evaluator<'p>, Option<&mut Evaluator<'p>>)> =
            std::iter::once(first).chain(others).collect();
        let work = |(full, mut plain): (&mut Evaluator<'p>, Option<&mut Evaluator<'p>>)| {
            let mut done = Vec::new();
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(task) = tasks.get(at) else { return done };
                done.push((at, question.ask(full, plain.as_deref_mut(), task)));
            }
        };
        let mut all: Vec<(usize, Assessment)> = hands.into_par_iter().flat_map_iter(work).collect();
        all.sort_unstable_by_key(|(at, _)| *at);
        all.into_iter().map(|(_, assessment)| assessment).collect()
    }
}

/// A node to be assessed.
#[derive(Clone, Copy)]
struct Task<'n> {
    node: &'n Node,
    /// How many nodes below it matter, too.
    below: u128,
}

/// What to compute for a node.
#[derive(Clone, Copy)]
struct Question {
    /// The loss above which a node does not matter.
    limit: f64,
    /// Whether every model is monotone.
    monotone: bool,
    /// Whether the evidence about the nodes above is wanted.
    above: bool,
}

impl Question {
    fn ask(self, full: &mut Evaluator<'_>, plain: Option<&mut Evaluator<'_>>, task: &Task<'_>) -> Assessment {
        let Some(plain) = plain else { return self.judge(full, task, None) };
        let sure = self.look(plain, task);
        // Without a limit there is no incumbent, and the number of rows that all models flag is
        // needed.
        let bounded = full.problem().loss.bound(task.node, &sure.surplus) > self.limit;
        let settled = match sure.open {
            true => bounded && !self.monotone && task.below < MANY,
            false => self.limit < f64::INFINITY,
        };
        if settled { sure } else { self.judge(full, task, Some((sure, plain.classes(task.node).1))) }
    }

    /// Judges a node. If there is an incumbent, nobody asks how many rows an unsafe node
    /// suppresses.
    fn check(self, evaluator: &mut Evaluator<'_>, node: &Node) -> Judgement {
        match self.limit.is_finite() && !self.above {
            true => evaluator.check_safety(node),
            false => evaluator.check(node),
        }
    }

    /// By the models alone that are monotone and count no values.
    fn look(self, plain: &mut Evaluator<'_>, task: &Task<'_>) -> Assessment {
        let judgement = self.check(plain, task.node);
        Assessment {
            suppressed: judgement.suppressed,
            open: judgement.safe,
            solution: None,
            surplus: self.surplus(plain, task, judgement),
            above: self.above(plain, task),
            classes: plain.class_count(task.node),
        }
    }

    /// By all models.
    fn judge(
        self,
        full: &mut Evaluator<'_>,
        task: &Task<'_>,
        sure: Option<(Assessment, &Flags)>,
    ) -> Assessment {
        let node = task.node;
        let judgement = self.check(full, node);
        let priced =
            judgement.safe && full.problem().loss.bound(node, &[]) <= self.limit && full.useful(node);
        let above = sure.as_ref().map_or_else(|| self.above(full, task), |(sure, _)| sure.above);
        let (open, surplus) = match (self.monotone, sure) {
            (true, _) => (judgement.safe, self.surplus(full, task, judgement)),
            (false, None) => {
                let flags = none(full, node);
                (self.releases(full, task, 0, &flags), Vec::new())
            }
            (false, Some((sure, flags))) => {
                (sure.open && self.releases(full, task, sure.suppressed, flags), sure.surplus)
            }
        };
        let solution = priced.then(|| full.price(node));
        Assessment {
            suppressed: judgement.suppressed,
            open,
            solution,
            surplus,
            above,
            classes: full.class_count(node),
        }
    }

    /// Whether nodes below can release enough rows, of those that are flagged none.
    fn releases(self, full: &mut Evaluator<'_>, task: &Task<'_>, flagged: u64, flags: &Flags) -> bool {
        task.below > 0
            && flagged + full.min_unreleasable_rows(task.node, flags) <= full.problem().max_suppressed
    }

    /// The evidence about the nodes above.
    fn above(self, evaluator: &mut Evaluator<'_>, task: &Task<'_>) -> f64 {
        if self.above { evaluator.evidence(task.node).above } else { f64::NEG_INFINITY }
    }

    /// What the rows that an evaluator flags add at least at the node, where others may be flagged,
    /// and below.
    fn surplus(self, evaluator: &mut Evaluator<'_>, task: &Task<'_>, judgement: Judgement) -> Vec<f64> {
        let tells = judgement.safe && judgement.suppressed > 0 && !evaluator.problem().loss.monotone();
        if tells && (task.below > 0 || !self.monotone) {
            evaluator.evidence(task.node).surplus
        } else {
            Vec::new()
        }
    }
}

/// No flag for any of a node's classes.
fn none(evaluator: &mut Evaluator<'_>, node: &Node) -> Flags {
    let mut flags = Flags::default();
    flags.reset(evaluator.classes(node).0.len());
    flags
}
