//! Several nodes at once: one evaluator per thread, the same answers on any number of them.
//!
//! Whoever is free takes the next node, so that threads end together; answers come back in the order of the
//! nodes. What is known of the table itself is shared; each evaluator remembers its own roll-ups.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::{Evaluator, Judgement, Problem, Solution};
use crate::lattice::Node;

/// Classes × columns below which a node is checked faster than threads are woken and tables made for each.
const WORTH: usize = 400_000;

/// What is known of a node once it was assessed.
#[derive(Debug, Clone)]
pub(super) struct Assessment {
    pub(super) judgement: Judgement,
    /// What it costs, if it is safe and could be as good as the limit.
    pub(super) solution: Option<Solution>,
    /// What the rows that it suppresses add at least below it, where that was asked for.
    pub(super) surplus: Vec<f64>,
    /// The number of its classes.
    pub(super) classes: usize,
}

/// The evaluators.
pub(super) struct Crew<'e, 'p> {
    first: &'e mut Evaluator<'p>,
    others: Vec<Evaluator<'p>>,
    /// Whether every model is monotone, so that suppressed rows tell of specializations.
    monotone: bool,
}

impl<'e, 'p> Crew<'e, 'p> {
    pub(super) fn new(first: &'e mut Evaluator<'p>) -> Self {
        let problem = first.problem();
        let cells = problem.classes.len() * problem.classes.columns();
        let threads = if cells < WORTH { 1 } else { rayon::current_num_threads() };
        let others = (1..threads).map(|_| first.fork()).collect();
        Crew { first, others, monotone: problem.models.iter().all(|m| m.monotone()) }
    }

    pub(super) fn problem(&self) -> &'p Problem {
        self.first.problem()
    }

    /// Nodes checked so far.
    pub(super) fn checked(&self) -> u64 {
        self.first.account().checked
    }

    /// Assesses nodes; the loss only of those whose columns alone do not cost more than the limit.
    pub(super) fn assess(&mut self, nodes: &[Node], limit: f64) -> Vec<Assessment> {
        self.all(nodes, limit, false)
    }

    /// The same, with what the suppressed rows tell of the nodes below.
    pub(super) fn assess_tops(&mut self, nodes: &[Node], limit: f64) -> Vec<Assessment> {
        self.all(nodes, limit, self.monotone)
    }

    fn all(&mut self, nodes: &[Node], limit: f64, tell: bool) -> Vec<Assessment> {
        let assessed = if self.others.is_empty() || nodes.len() < 2 {
            nodes.iter().map(|node| assess(self.first, node, limit, tell)).collect()
        } else {
            self.share(nodes, limit, tell)
        };
        for (node, assessed) in nodes.iter().zip(&assessed) {
            self.first.count(node, assessed.classes, assessed.solution.is_some());
        }
        assessed
    }

    fn share(&mut self, nodes: &[Node], limit: f64, tell: bool) -> Vec<Assessment> {
        let next = AtomicUsize::new(0);
        let evaluators: Vec<&mut Evaluator<'p>> =
            std::iter::once(&mut *self.first).chain(&mut self.others).collect();
        let work = |evaluator: &mut Evaluator<'p>| {
            let mut done = Vec::new();
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(node) = nodes.get(at) else { return done };
                done.push((at, assess(evaluator, node, limit, tell)));
            }
        };
        let mut all: Vec<(usize, Assessment)> = evaluators.into_par_iter().flat_map_iter(work).collect();
        all.sort_unstable_by_key(|(at, _)| *at);
        all.into_iter().map(|(_, assessment)| assessment).collect()
    }
}

fn assess(evaluator: &mut Evaluator<'_>, node: &Node, limit: f64, tell: bool) -> Assessment {
    let loss = &evaluator.problem().loss;
    let judgement = evaluator.check(node);
    let priced = judgement.safe && loss.bound(node, &[]) <= limit;
    let tells = tell && judgement.safe && judgement.suppressed > 0 && !loss.monotone();
    Assessment {
        judgement,
        solution: priced.then(|| evaluator.price(node)),
        surplus: if tells { evaluator.evidence(node).surplus } else { Vec::new() },
        classes: evaluator.classes(node).0.len(),
    }
}
