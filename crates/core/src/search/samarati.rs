//! Samarati's search [Samarati 2001; El Emam 2009, "Algorithms"]: binary search for the lowest
//! height with a safe node. Among the safe nodes at that height, the preference criterion decides:
//! least loss, one of Samarati's criteria (least distance, most distinct tuples, fewest suppressed
//! rows), or an expression of the policy, with ties decided by the loss.
//!
//! **Layers.** Binary search relies on "no safe node at a height, none at a lower one". Linked
//! columns rise by several levels at once, so a height may have no node, or only unsafe ones above
//! a height with safe ones. Therefore each probe examines the layer of a height: the nodes not
//! above it that have no room left below it. Every node not above the height lies below a node of
//! the layer, so an unsafe layer settles them all. Without linked columns the layer is the set of
//! nodes of that height.
//!
//! Proven optimal for the loss "height" with equal weights; for other losses the gap compares the
//! result with the least bound above the height. Costs at most log₂ heights layers; a layer with a
//! safe node is left at the first one. Nodes are generated height by height, so the lattice may be
//! of any size if one height can be checked.

use std::collections::HashSet;

use super::prefer::Ranked;
use super::{Evaluator, Outcome, Problem, Solution, Strategy};
use crate::error::Fault;
use crate::fault;
use crate::hierarchy::Hierarchy;
use crate::lattice::{Lattice, Node};
use crate::policy::Preference;
use crate::registry::Algorithm;
use crate::watch::{Event, Progress, Watch};

pub(super) struct Samarati;

impl Strategy for Samarati {
    fn algorithm(&self) -> Algorithm {
        Algorithm::Samarati
    }

    fn refuses(&self, problem: &Problem) -> Option<Fault> {
        not_monotone(problem, "samarati")
    }

    fn run(&self, evaluator: &mut Evaluator<'_>, watch: &Watch) -> Outcome {
        let problem = evaluator.problem();
        let heights = Heights::new(&problem.lattice);
        let mut walk = Walk {
            evaluator,
            watch,
            problem,
            found: None,
            known_unsafe: HashSet::new(),
            best: None,
            open: f64::INFINITY,
            least: u64::MAX,
        };
        let finished = match walk.lowest(&heights) {
            Some(height) => walk.choose(&heights, height),
            None => false,
        };
        walk.outcome(finished)
    }
}

/// Why a strategy that tags cannot solve a problem with a model that is not monotone.
pub(super) fn not_monotone(problem: &Problem, strategy: &str) -> Option<Fault> {
    let model = problem.models.iter().find(|m| !m.facts().monotone)?;
    Some(
        fault!(
            Input,
            "search.needs-monotone-models",
            "\"{algorithm}\" needs monotone models; \"{model}\" is not",
            algorithm = strategy,
            model = &model.facts().claim
        )
        .key("search.algorithm")
        .help("use algorithm \"auto\", \"mingen\" or \"datafly\""),
    )
}

struct Walk<'w, 'p> {
    evaluator: &'w mut Evaluator<'p>,
    watch: &'w Watch,
    problem: &'p Problem,
    /// The lowest safe node that probing found.
    found: Option<Node>,
    /// Nodes that were checked, not below the lowest height that may have a safe one.
    known_unsafe: HashSet<Node>,
    best: Option<Ranked>,
    /// The least bound of the nodes above the lowest height.
    open: f64,
    /// The fewest rows flagged at a node.
    least: u64,
}

impl Walk<'_, '_> {
    /// The lowest height that can have a safe node; none when stopped.
    fn lowest(&mut self, heights: &Heights<'_>) -> Option<u32> {
        let (mut low, mut high) =
            (self.problem.lattice.bottom().height(), self.problem.lattice.top().height());
        while low < high {
            let middle = u32::midpoint(low, high);
            match self.probe(heights, low, middle)? {
                Some(height) => high = height,
                None => low = middle + 1,
            }
        }
        Some(low)
    }

    /// The height of the first safe node of a layer, if there is one; none at all when stopped.
    /// Nodes below `low` are known to be unsafe.
    fn probe(&mut self, heights: &Heights<'_>, low: u32, height: u32) -> Option<Option<u32>> {
        for node in heights.layer(height).filter(|n| n.height() >= low) {
            if self.watch.should_finish() {
                return None;
            }
            if self.safe(&node) {
                let height = node.height();
                self.found = Some(node);
                return Some(Some(height));
            }
            self.known_unsafe.insert(node);
        }
        // All of them are below the next `low`.
        self.known_unsafe.retain(|n| n.height() > height);
        Some(None)
    }

    /// Compares the safe nodes of the lowest height; whether it got to the end.
    ///
    /// Every node above the height is reached by a step out of the nodes around it: those give the
    /// least bound. What lies above a safe node costs no less than that node if the loss is
    /// monotone.
    fn choose(&mut self, heights: &Heights<'_>, height: u32) -> bool {
        let loss = &self.problem.loss;
        for node in heights.around(height) {
            if self.watch.should_finish() {
                return false;
            }
            let safe = node.height() == height && self.safe(&node);
            if safe {
                let solution = self.evaluator.solution(&node);
                self.keep(solution);
            }
            if !(safe && loss.monotone()) {
                let above = self.problem.lattice.successors(&node).filter(|s| s.height() > height);
                self.open = above.map(|s| loss.bound(&s, &[])).fold(self.open, f64::min);
            }
        }
        true
    }

    /// Whether a node is safe, from probing or by checking.
    fn safe(&mut self, node: &Node) -> bool {
        self.found.as_ref() == Some(node) || (!self.known_unsafe.contains(node) && self.check(node))
    }

    fn check(&mut self, node: &Node) -> bool {
        let judgement = self.evaluator.judge(node);
        self.least = self.least.min(judgement.suppressed);
        let checked = self.evaluator.account().checked;
        self.watch.report(Event::Searching(Progress {
            checked,
            bound: None,
            nodes: self.problem.lattice.nodes(),
            best: self.best.as_ref().map(|b| b.solution.loss),
        }));
        judgement.safe
    }

    fn keep(&mut self, solution: Solution) {
        // What is preferred need not be what loses least.
        self.open = self.open.min(solution.loss);
        let ranked = Ranked { value: self.rank(&solution), solution };
        if self.best.as_ref().is_none_or(|best| ranked.better_than(best)) {
            self.best = Some(ranked);
        }
    }

    /// What the preference says of a node: less is better.
    fn rank(&mut self, solution: &Solution) -> f64 {
        let (node, hierarchies) = (&solution.node, &self.problem.hierarchies);
        if let Some(ranking) = &self.problem.preference {
            return ranking.value(self.evaluator, solution);
        }
        match self.problem.profile.prefer {
            Preference::Loss | Preference::Expression(_) => 0.0,
            Preference::Absolute => f64::from(node.height()),
            Preference::Relative => {
                let share = |(c, h): (usize, &Hierarchy)| node.level(c) as f64 / h.height().max(1) as f64;
                hierarchies.iter().enumerate().map(share).sum()
            }
            Preference::Distribution => {
                let (view, flags) = self.evaluator.classes(node);
                -((view.len() - flags.classes()) as f64)
            }
            Preference::Suppression => solution.suppressed as f64,
        }
    }

    fn outcome(mut self, finished: bool) -> Outcome {
        if !finished {
            self.open = self.problem.loss.bound(&self.problem.lattice.bottom(), &[]);
            if let Some(found) = self.found.take() {
                let solution = self.evaluator.solution(&found);
                self.keep(solution);
            }
        }
        match self.best {
            Some(Ranked { solution: best, .. }) => {
                Outcome::Found { gap: (best.loss - self.open).max(0.0), best }
            }
            None if finished => Outcome::Infeasible { least: self.least },
            None => Outcome::Cancelled,
        }
    }
}

/// Columns that rise together, and their least and highest level.
pub(super) struct Axis {
    pub(super) columns: Vec<usize>,
    pub(super) low: u8,
    pub(super) high: u8,
}

impl Axis {
    /// How many levels it has.
    pub(super) fn size(&self) -> usize {
        usize::from(self.high - self.low) + 1
    }
}

/// The axes of a lattice that have more than one level, in the order of their first columns.
pub(super) fn axes(lattice: &Lattice) -> Vec<Axis> {
    let bottom = lattice.bottom();
    lattice
        .successors(&bottom)
        .map(|above| {
            let columns: Vec<usize> =
                (0..lattice.columns()).filter(|&c| above.level(c) > bottom.level(c)).collect();
            let (low, high, _) = columns.first().map_or((0, 0, 0), |&c| lattice.range(c));
            Axis { columns, low: low as u8, high: high as u8 }
        })
        .collect()
}

/// The nodes of a lattice, height by height.
struct Heights<'l> {
    lattice: &'l Lattice,
    bottom: Node,
    axes: Vec<Axis>,
    /// Axis → sum → whether this axis and those after it can add up to the sum.
    reach: Vec<Vec<bool>>,
    /// The most levels that one step adds.
    step: u32,
}

impl<'l> Heights<'l> {
    fn new(lattice: &'l Lattice) -> Self {
        let axes = axes(lattice);
        let mut reach = vec![vec![true]];
        for axis in axes.iter().rev() {
            let below = &reach[reach.len() - 1];
            let mut sums = vec![false; below.len() + (axis.size() - 1) * axis.columns.len()];
            for (sum, _) in below.iter().enumerate().filter(|(_, reached)| **reached) {
                (0..axis.size()).for_each(|level| sums[sum + level * axis.columns.len()] = true);
            }
            reach.push(sums);
        }
        reach.reverse();
        let step = axes.iter().map(|a| a.columns.len() as u32).max().unwrap_or(1);
        Heights { lattice, bottom: lattice.bottom(), axes, reach, step }
    }

    /// The nodes of a height, in lexicographic order.
    fn at(&self, height: u32) -> impl Iterator<Item = Node> + '_ {
        let left = height.checked_sub(self.bottom.height()).map(|h| h as usize);
        let start = left.filter(|&l| self.reached(0, l)).map(|l| (0, l, self.bottom.levels().to_vec()));
        // Partial nodes: the axes set so far, the levels left for the others, the levels.
        let mut pending: Vec<(usize, usize, Vec<u8>)> = start.into_iter().collect();
        std::iter::from_fn(move || {
            loop {
                let (at, left, levels) = pending.pop()?;
                let Some(axis) = self.axes.get(at) else { return Some(Node::new(levels)) };
                for rise in (0..axis.size()).rev() {
                    let rest = left.checked_sub(rise * axis.columns.len());
                    let Some(rest) = rest.filter(|&r| self.reached(at + 1, r)) else { continue };
                    let mut raised = levels.clone();
                    axis.columns.iter().for_each(|&c| raised[c] = axis.low + rise as u8);
                    pending.push((at + 1, rest, raised));
                }
            }
        })
    }

    fn reached(&self, axis: usize, sum: usize) -> bool {
        self.reach[axis].get(sum) == Some(&true)
    }

    /// The nodes of a height and of those below it from which a step can lead above it.
    fn around(&self, height: u32) -> impl Iterator<Item = Node> + '_ {
        (height.saturating_sub(self.step - 1)..=height).rev().flat_map(|h| self.at(h))
    }

    /// The highest nodes that are not above a height.
    fn layer(&self, height: u32) -> impl Iterator<Item = Node> + '_ {
        self.around(height).filter(move |node| {
            node.height() == height || self.lattice.successors(node).all(|s| s.height() > height)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice::Limits;

    fn lattice(heights: &[usize], linked: &[Vec<usize>]) -> Lattice {
        let limits: Vec<Limits> = heights
            .iter()
            .enumerate()
            .map(|(i, &height)| Limits { name: format!("c{i}"), height, min: None, max: None })
            .collect();
        Lattice::new(&limits, linked).unwrap()
    }

    #[test]
    fn heights_hold_every_node_once_and_in_order() {
        for linked in [vec![], vec![vec![0, 2]], vec![vec![0, 1, 3]], vec![vec![0, 1], vec![2, 3]]] {
            let lattice = lattice(&[2, 1, 3, 2], &linked);
            let heights = Heights::new(&lattice);
            for height in 0..=lattice.top().height() + 1 {
                let expected: Vec<Node> = lattice.iter().filter(|n| n.height() == height).collect();
                assert_eq!(heights.at(height).collect::<Vec<_>>(), expected);
            }
        }
    }

    #[test]
    fn every_node_not_above_a_height_is_below_its_layer() {
        for linked in [vec![], vec![vec![0, 2]], vec![vec![1, 2, 3]]] {
            let lattice = lattice(&[2, 1, 3, 2], &linked);
            let heights = Heights::new(&lattice);
            for height in 0..=lattice.top().height() {
                let layer: Vec<Node> = heights.layer(height).collect();
                assert!(layer.iter().all(|n| n.height() <= height));
                assert!(!linked.is_empty() || layer.iter().all(|n| n.height() == height));
                for node in lattice.iter().filter(|n| n.height() <= height) {
                    assert!(layer.iter().any(|n| node.below(n)), "{node:?} {height}");
                }
            }
        }
    }

    #[test]
    fn a_lattice_of_one_node_has_one_layer() {
        let limits = [Limits { name: "c".into(), height: 2, min: Some(1), max: Some(1) }];
        let lattice = Lattice::new(&limits, &[]).unwrap();
        assert!(axes(&lattice).is_empty());
        assert_eq!(Heights::new(&lattice).layer(1).collect::<Vec<_>>(), [lattice.top()]);
    }
}
