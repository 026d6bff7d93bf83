//! Incognito with super-roots [LeFevre 2005; El Emam 2009, "Algorithms"]: finds all safe nodes, a
//! priori over growing subsets of the quasi-identifiers, and returns the one with the least loss,
//! or the minimal one that is preferred.
//!
//! **Pruning.** The node of a subset has the columns outside the subset at the top of their
//! hierarchies, where they carry no information, even if the limits forbid that level in a release.
//! Hence it generalizes every node with the same levels inside the subset, and with monotone models
//! it flags no more rows: rows that stay there are safe here, whether they are judged over all
//! columns or over a group (the group's columns outside the subset are at the top too). So a node
//! is a candidate only if all its projections onto one column less are safe, whatever may be
//! suppressed. Candidates are joined from those projections and visited breadth first; a safe
//! candidate makes its generalizations safe, which are candidates too. Linked columns count as one;
//! a column with a single allowed level belongs to every subset.
//!
//! **Super-roots.** The super-root of a subset is the meet of its candidates. If several candidates
//! have nothing below them, the classes of the super-root are formed first, and the evaluator rolls
//! the candidates up from those (or from a nearer stored node) instead of from the table. The
//! super-root is not checked and not counted.
//!
//! Exact for every loss, monotone or not. Costs up to Π (levels + 1) checks, and compares every
//! safe node.

use std::collections::HashMap;

use super::prefer::{Minimal, preferred};
use super::samarati::{Axis, axes, not_monotone};
use super::{Evaluator, Outcome, Problem, Solution, Strategy, TAGGED};
use crate::error::Fault;
use crate::fault;
use crate::lattice::{Lattice, Node};
use crate::registry::Algorithm;
use crate::watch::{Event, Progress, Watch};

pub(super) struct Incognito;

impl Strategy for Incognito {
    fn algorithm(&self) -> Algorithm {
        Algorithm::Incognito
    }

    fn refuses(&self, problem: &Problem) -> Option<Fault> {
        not_monotone(problem, "incognito").or_else(|| too_many_subsets(&problem.lattice))
    }

    fn run(&self, evaluator: &mut Evaluator<'_>, watch: &Watch) -> Outcome {
        let problem = evaluator.problem();
        let axes = axes(&problem.lattice);
        let all = (1u32 << axes.len()) - 1;
        let mut walk = Walk { evaluator, watch, problem, axes: &axes, peak: peak(problem), settled: 0 };
        let mut smaller = HashMap::from([(0, vec![true])]);
        for size in 1..axes.len() as u32 {
            let mut safe = HashMap::new();
            for subset in (1..all).filter(|s: &u32| s.count_ones() == size) {
                let family = Family::new(&axes, subset);
                let (verdicts, finished) = walk.settle(&family, &family.candidates(&smaller));
                if !finished {
                    return Outcome::Cancelled;
                }
                safe.insert(subset, verdicts);
            }
            smaller = safe;
        }
        let family = Family::new(&axes, all);
        let (safe, finished) = walk.settle(&family, &family.candidates(&smaller));
        walk.compare(&family, &safe, finished)
    }
}

/// Refuses lattices with more subset nodes than can be tagged.
fn too_many_subsets(lattice: &Lattice) -> Option<Fault> {
    let nodes = axes(lattice).iter().fold(1u128, |n, a| n.saturating_mul(a.size() as u128 + 1));
    (nodes > TAGGED).then(|| {
        fault!(
            Input,
            "search.too-many-subsets",
            "the subsets of the quasi-identifiers have {nodes} nodes; \"{algorithm}\" can hold {limit}",
            nodes = nodes,
            algorithm = "incognito",
            limit = TAGGED
        )
        .key("search")
        .help("use algorithm \"auto\", or set max_level and min_level, or link columns")
    })
}

/// The levels of the empty subset: tops of hierarchies, and the only level allowed where there is
/// one.
fn peak(problem: &Problem) -> Vec<u8> {
    (0..problem.lattice.columns())
        .map(|column| match problem.lattice.range(column) {
            (low, high, _) if low == high => low as u8,
            (_, _, height) => height as u8,
        })
        .collect()
}

/// The nodes of one subset of the axes, by mixed-radix position; the last axis varies fastest.
struct Family<'a> {
    subset: u32,
    /// Axis, its bit, and the distance in positions between neighbours along it.
    axes: Vec<(&'a Axis, u32, usize)>,
    nodes: usize,
}

impl<'a> Family<'a> {
    fn new(axes: &'a [Axis], subset: u32) -> Self {
        let mut nodes = 1;
        let mut inside = Vec::new();
        for (i, axis) in axes.iter().enumerate().rev().filter(|(i, _)| subset >> i & 1 == 1) {
            inside.push((axis, 1 << i, nodes));
            nodes *= axis.size();
        }
        inside.reverse();
        Family { subset, axes: inside, nodes }
    }

    /// How many levels a node is above the least along an axis.
    fn rise(&self, node: usize, axis: usize) -> usize {
        let (axis, _, stride) = self.axes[axis];
        node / stride % axis.size()
    }

    /// The node's position in the family without an axis.
    fn without(&self, node: usize, axis: usize) -> usize {
        let (axis, _, stride) = self.axes[axis];
        node / (stride * axis.size()) * stride + node % stride
    }

    fn successors(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.axes.len())
            .filter(move |&a| self.rise(node, a) + 1 < self.axes[a].0.size())
            .map(move |a| node + self.axes[a].2)
    }

    /// The node as levels of all columns, those outside the subset at their peak.
    fn node(&self, peak: &[u8], rises: impl Fn(usize) -> usize) -> Node {
        let mut levels = peak.to_vec();
        for (i, (axis, _, _)) in self.axes.iter().enumerate() {
            axis.columns.iter().for_each(|&c| levels[c] = axis.low + rises(i) as u8);
        }
        Node::new(levels)
    }

    /// Nodes with all projections onto one axis less safe, lowest first: safe nodes without the
    /// last axis joined with its levels, minus those that another projection rules out.
    fn candidates(&self, safe: &HashMap<u32, Vec<bool>>) -> Vec<usize> {
        let projections: Vec<Option<&Vec<bool>>> =
            self.axes.iter().map(|(_, bit, _)| safe.get(&(self.subset & !bit))).collect();
        let allowed =
            |node: usize, axis: usize| projections[axis].is_some_and(|p| p[self.without(node, axis)]);
        let mut candidates: Vec<usize> = match self.axes.split_last() {
            None => vec![0],
            Some(((last, _, _), others)) => {
                let starts = projections[others.len()].into_iter().flatten().enumerate().filter(|(_, s)| **s);
                starts
                    .flat_map(|(start, _)| (0..last.size()).map(move |rise| start * last.size() + rise))
                    .filter(|&node| (0..others.len()).all(|axis| allowed(node, axis)))
                    .collect()
            }
        };
        let height = |&node: &usize| (0..self.axes.len()).map(|a| self.rise(node, a)).sum::<usize>();
        candidates.sort_by_cached_key(height);
        candidates
    }

    /// Tags a node and all its generalizations as safe; how many were not before.
    fn tag(&self, node: usize, safe: &mut [bool]) -> u64 {
        let mut tagged = 0;
        let mut pending = vec![node];
        while let Some(node) = pending.pop() {
            if !std::mem::replace(&mut safe[node], true) {
                tagged += 1;
                pending.extend(self.successors(node).filter(|&s| !safe[s]));
            }
        }
        tagged
    }
}

struct Walk<'w, 'p, 'a> {
    evaluator: &'w mut Evaluator<'p>,
    watch: &'w Watch,
    problem: &'p Problem,
    axes: &'a [Axis],
    peak: Vec<u8>,
    /// Nodes of the whole lattice whose verdict is known.
    settled: u64,
}

impl Walk<'_, '_, '_> {
    /// Which nodes of a family are safe, and whether all of them are known.
    fn settle(&mut self, family: &Family<'_>, candidates: &[usize]) -> (Vec<bool>, bool) {
        let mut safe = vec![false; family.nodes];
        let whole = family.axes.len() == self.axes.len();
        let mut settled = (family.nodes - candidates.len()) as u64;
        self.form_super_root(family, candidates);
        for &candidate in candidates {
            if safe[candidate] {
                continue;
            }
            if self.watch.should_finish() {
                return (safe, false);
            }
            let node = family.node(&self.peak, |a| family.rise(candidate, a));
            settled += if self.evaluator.judge_safety(&node) { family.tag(candidate, &mut safe) } else { 1 };
            self.settled = if whole { settled } else { 0 };
            self.report(None);
        }
        (safe, true)
    }

    /// Lets the evaluator remember the classes from which all candidates can be rolled up. A meet
    /// that is the lowest candidate is formed when it is checked.
    fn form_super_root(&mut self, family: &Family<'_>, candidates: &[usize]) {
        let Some(&lowest) = candidates.first() else { return };
        let meet = |a: usize| candidates.iter().map(|&c| family.rise(c, a)).min().unwrap_or(0);
        let meet: Vec<usize> = (0..family.axes.len()).map(meet).collect();
        if (0..meet.len()).any(|a| meet[a] != family.rise(lowest, a)) {
            let root = family.node(&self.peak, |a| meet[a]);
            self.evaluator.classes(&root);
        }
    }

    /// The safe node of least loss. Of a search that was stopped, the first safe node: the others
    /// may be too many to compare when there is no time left.
    fn compare(&mut self, family: &Family<'_>, safe: &[bool], finished: bool) -> Outcome {
        if self.problem.preference.is_some() {
            let minimal = self.minimal(family, safe);
            if let Some(found) = preferred(self.evaluator, minimal, finished, self.watch) {
                return found;
            }
        }
        let mut best: Option<Solution> = None;
        let mut proven = finished;
        for (node, _) in safe.iter().enumerate().filter(|(_, s)| **s) {
            if best.is_some() && (!finished || self.watch.should_finish()) {
                proven = false;
                break;
            }
            let solution = self.evaluator.solution(&family.node(&self.peak, |a| family.rise(node, a)));
            if best.as_ref().is_none_or(|b| solution.better_than(b)) {
                best = Some(solution);
            }
            self.report(best.as_ref().map(|b| b.loss));
        }
        match best {
            Some(best) if proven => Outcome::Found { best, gap: 0.0 },
            Some(best) => {
                let bound = self.problem.loss.bound(&self.problem.lattice.bottom(), &[]);
                Outcome::Found { gap: (best.loss - bound).max(0.0), best }
            }
            None if finished => {
                Outcome::Infeasible { least: self.evaluator.judge(&self.problem.lattice.top()).suppressed }
            }
            None => Outcome::Cancelled,
        }
    }

    /// The safe nodes with no safe node below them; positions come after those below them.
    fn minimal(&self, family: &Family<'_>, safe: &[bool]) -> Vec<Node> {
        let mut minimal = Minimal::default();
        for (at, _) in safe.iter().enumerate().filter(|(_, safe)| **safe) {
            minimal.add(&family.node(&self.peak, |axis| family.rise(at, axis)));
        }
        minimal.nodes()
    }

    fn report(&self, best: Option<f64>) {
        let checked = self.evaluator.account().checked;
        let nodes = self.problem.lattice.nodes();
        self.watch.report(Event::Searching(Progress { checked, nodes, best, bound: None }));
    }
}
