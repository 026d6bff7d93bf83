//! Iterated local search [Lourenço 2003] for good nodes in lattices too large to search completely.
//!
//! From a node, move to the best neighbour while it is better: one column at any other level, and
//! when that is exhausted, one column down and another up by any number of levels. A level at a time
//! would not cross a node that is worse than both sides of it. At a local optimum, change some columns
//! of the best node at random and continue from there. No node is checked twice. Deterministic: the
//! random numbers come from a fixed seed. Costs one check per neighbour; stores the visited nodes,
//! up to a limit.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Solution;
use super::crew::Crew;
use crate::lattice::{Lattice, Node};
use crate::loss::Loss;

/// Nodes that are checked before the walk may go on: enough to keep threads busy.
const BATCH: usize = 16;

/// Nodes that are remembered, so that they are not checked again: some hundred bytes each.
const SEEN: usize = 1 << 19;

/// Pairs of columns up to which they are moved by any number of levels.
const PAIRS: usize = 1 << 12;

pub(super) struct Walk {
    best: Solution,
    at: Solution,
    /// Where the walk may go from here, in random order; the last ones are tried first.
    neighbours: Vec<Node>,
    /// Whether pairs of columns are among them.
    pairs: bool,
    seen: FxHashSet<Node>,
    fruitless: u64,
    draw: ChaCha8Rng,
}

impl Walk {
    pub(super) fn new(start: Solution, lattice: &Lattice) -> Self {
        let mut walk = Walk {
            best: start.clone(),
            at: start,
            neighbours: Vec::new(),
            pairs: false,
            seen: FxHashSet::default(),
            fruitless: 0,
            draw: ChaCha8Rng::seed_from_u64(0),
        };
        walk.look_around(lattice);
        walk
    }

    /// Nodes checked since something better was found.
    pub(super) fn fruitless(&self) -> u64 {
        self.fruitless
    }

    /// Checks some neighbours, and goes on; gives what is better than everything before.
    pub(super) fn step(&mut self, crew: &mut Crew<'_, '_>) -> Option<Solution> {
        let lattice = &crew.problem().lattice;
        if self.neighbours.is_empty() {
            self.look_further(lattice);
        }
        let batch = self.batch(&*crew.problem().loss);
        self.seen.extend(batch.iter().cloned());
        // A step without a check counts too, so that a walk that has seen everything ends.
        self.fruitless += batch.len().max(1) as u64;
        let found = crew.assess(&batch, self.at.loss).into_iter().filter_map(|a| a.solution);
        let best = found.reduce(|a, b| if b.better_than(&a) { b } else { a })?;
        // Not to one that costs the same: where every row is suppressed, that would lead ever
        // further down.
        if best.loss >= self.at.loss {
            return None;
        }
        self.at = best;
        self.look_around(lattice);
        if !self.at.better_than(&self.best) {
            return None;
        }
        self.fruitless = 0;
        self.best = self.at.clone();
        Some(self.best.clone())
    }

    /// The next neighbours that could be better, judged by their columns.
    fn batch(&mut self, loss: &dyn Loss) -> Vec<Node> {
        let mut batch = Vec::with_capacity(BATCH);
        while batch.len() < BATCH {
            let Some(node) = self.neighbours.pop() else { break };
            if loss.bound(&node, &[]) < self.at.loss {
                batch.push(node);
            }
        }
        batch
    }

    /// The neighbours that differ in one column.
    fn look_around(&mut self, lattice: &Lattice) {
        self.pairs = false;
        let at = self.at.node.clone();
        let dimensions = 0..lattice.dimensions();
        let around = dimensions.flat_map(|d| moved(lattice, &at, d, |_| true)).map(|(node, _)| node);
        self.take(around.collect());
    }

    /// The neighbours that differ in two columns; when these are exhausted, a throw from the best
    /// node.
    fn look_further(&mut self, lattice: &Lattice) {
        if self.pairs || self.at.loss.is_infinite() {
            return self.throw(lattice);
        }
        self.pairs = true;
        let at = self.at.node.clone();
        let pairs = lattice.dimensions() * lattice.dimensions();
        // With very many columns, one level at a time: the pairs alone are many.
        let longest = if pairs > PAIRS { 1 } else { u8::MAX };
        let mut around = Vec::new();
        for down in 0..lattice.dimensions() {
            let from = lattice.level(&at, down);
            let lower = moved(lattice, &at, down, |level| level < from && from - level <= longest);
            for (lower, steps) in lower {
                for up in (0..lattice.dimensions()).filter(|&up| up != down) {
                    let from = lattice.level(&at, up);
                    let higher = moved(lattice, &lower, up, |level| level > from && level - from <= longest);
                    around.extend(higher.map(|(node, more)| (node, steps + more)));
                }
            }
        }
        let nodes = around.iter().map(|(node, _)| node.clone()).collect();
        self.take(nodes);
        // Short moves first, in random order; the last ones are tried first.
        let steps: FxHashMap<Node, u8> = around.into_iter().collect();
        self.neighbours.sort_by_key(|node| std::cmp::Reverse(steps.get(node).copied().unwrap_or(0)));
    }

    /// Starts again with some columns further down than the best node has them and others at the
    /// top, which is where there are rows left to release.
    fn throw(&mut self, lattice: &Lattice) {
        let (bottom, top) = (lattice.bottom(), lattice.top());
        let mut node = self.best.node.clone();
        let mut dimensions: Vec<usize> = (0..lattice.dimensions()).collect();
        self.shuffle(&mut dimensions);
        let (lowered, raised) = (1 + self.below(3), 1 + self.below(dimensions.len() / 2 + 1));
        let down =
            dimensions.iter().filter(|&&d| lattice.level(&self.best.node, d) > lattice.level(&bottom, d));
        for &dimension in down.take(lowered).collect::<Vec<_>>() {
            let low = lattice.level(&bottom, dimension);
            let below = usize::from(lattice.level(&node, dimension) - low);
            node = lattice.with_level(&node, dimension, low + self.below(below) as u8);
        }
        for &dimension in dimensions.iter().rev().take(raised) {
            node = lattice.with_level(&node, dimension, lattice.level(&top, dimension));
        }
        // Whatever it costs, the walk goes on from there.
        self.at = Solution { node: node.clone(), loss: f64::INFINITY, suppressed: u64::MAX };
        self.pairs = false;
        self.take(vec![node]);
    }

    /// Takes what was not seen before as the neighbours to try, in random order.
    fn take(&mut self, around: Vec<Node>) {
        if self.seen.len() > SEEN {
            self.seen.clear();
        }
        self.neighbours = around.into_iter().filter(|node| !self.seen.contains(node)).collect();
        let mut neighbours = std::mem::take(&mut self.neighbours);
        self.shuffle(&mut neighbours);
        self.neighbours = neighbours;
    }

    fn shuffle<T>(&mut self, list: &mut [T]) {
        for i in (1..list.len()).rev() {
            list.swap(i, self.below(i + 1));
        }
    }

    fn below(&mut self, end: usize) -> usize {
        ((u64::from(self.draw.next_u32()) * end as u64) >> 32) as usize
    }
}

/// The nodes with another level along a dimension, each with the number of levels moved.
fn moved<'a>(
    lattice: &'a Lattice,
    node: &'a Node,
    dimension: usize,
    wanted: impl Fn(u8) -> bool + 'a,
) -> impl Iterator<Item = (Node, u8)> + 'a {
    let (at, low) = (lattice.level(node, dimension), lattice.level(&lattice.bottom(), dimension));
    let high = lattice.level(&lattice.top(), dimension);
    let levels = (low..=high).filter(move |&level| level != at && wanted(level));
    levels.map(move |level| (lattice.with_level(node, dimension, level), level.abs_diff(at)))
}
