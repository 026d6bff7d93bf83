//! Blocks of columns: a lower bound of the loss of every safe node of a lattice that is too wide to
//! be searched.
//!
//! For losses that are sums of one term per column, or geometric means ([`Loss::terms`]). Let B be
//! a block of columns, and t a safe node of the whole lattice. The node p = (t on B, all other
//! columns at their top) is above t. With monotone models it is therefore safe, and t suppresses
//! every row that p suppresses; models that are not monotone are left out. So the terms of B at t
//! are at least those of p's levels with the surplus of p. The least of that over all levels of B is
//! the *optimum of the block*. It never exceeds the sum of t's terms over B, whatever the other
//! columns do. Blocks do not overlap, so the optima of all blocks add up to a bound.
//!
//! A suppressed row is charged in each block that suppresses it by itself, and only for the
//! columns of that block. No cell is charged twice, although each block may suppress up to the
//! whole limit. A row that only the columns of several blocks together make unsafe is not charged:
//! larger blocks give higher bounds.
//!
//! Each block is solved by branch and bound over boxes of its own levels, as in `auto.rs`. If that
//! takes too many checks, the least bound of its open boxes takes the place of the optimum. Costs
//! one check per split, of classes over few columns.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::rc::Rc;

use super::crew::Crew;
use crate::lattice::{Lattice, Node};
use crate::loss::Loss;
use crate::watch::Watch;

/// Boxes that are cut at a time; independent of the thread count.
const AT_A_TIME: usize = 8;

/// A lower bound of the loss of every safe node, from blocks of at most `width` dimensions, each
/// with this many checks at most. None if the loss is not made of terms. `tell` gets the number of
/// checks of the crew.
pub(super) fn floor(
    crew: &mut Crew<'_, '_>,
    (width, checks): (usize, u64),
    watch: &Watch,
    tell: &dyn Fn(u64),
) -> Option<f64> {
    let problem = crew.problem();
    let loss = &*problem.loss;
    loss.terms(&problem.lattice.bottom(), &[])?;
    let mut sum = 0.0;
    for dimensions in blocks(&problem.lattice, width) {
        let block = Block::new(&problem.lattice, loss, &dimensions);
        let end = crew.checked().saturating_add(checks);
        sum += block.optimum(crew, |checked| {
            tell(checked);
            checked >= end || watch.should_finish()
        });
    }
    Some(loss.total(sum))
}

/// The dimensions in blocks of about equal numbers, at most `width` each. They are dealt out like
/// cards: neighbours are often columns of one kind, and columns of several kinds make more rows
/// unique.
fn blocks(lattice: &Lattice, width: usize) -> Vec<Vec<usize>> {
    let number = lattice.dimensions().div_ceil(width.max(1)).max(1);
    (0..number).map(|block| (block..lattice.dimensions()).step_by(number).collect()).collect()
}

/// Some dimensions of the lattice; all others are at their top.
struct Block<'a> {
    lattice: &'a Lattice,
    loss: &'a dyn Loss,
    dimensions: &'a [usize],
    /// The columns along them.
    columns: Vec<usize>,
}

/// The levels between a bottom and a top, whose suppressed rows are known.
struct Part {
    bound: f64,
    bottom: Node,
    top: Node,
    surplus: Rc<Vec<f64>>,
}

/// The least bound first; then in an order that does not depend on how the parts came about.
impl Ord for Part {
    fn cmp(&self, other: &Self) -> Ordering {
        let bound = other.bound.total_cmp(&self.bound);
        bound.then_with(|| other.bottom.cmp(&self.bottom)).then_with(|| other.top.cmp(&self.top))
    }
}

impl PartialOrd for Part {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Part {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Part {}

impl<'a> Block<'a> {
    fn new(lattice: &'a Lattice, loss: &'a dyn Loss, dimensions: &'a [usize]) -> Self {
        let columns = dimensions.iter().flat_map(|&d| lattice.columns_along(d)).copied().collect();
        Block { lattice, loss, dimensions, columns }
    }

    /// The least sum of terms, or a bound of it where `ended` says so after some checks; infinite if
    /// nothing is safe.
    fn optimum(&self, crew: &mut Crew<'_, '_>, ended: impl Fn(u64) -> bool) -> f64 {
        let mut best = f64::INFINITY;
        let mut open = BinaryHeap::new();
        self.judge(crew, vec![(self.bottom(), self.lattice.top())], &mut open, &mut best);
        loop {
            let parts = promising(&mut open, best);
            let Some(least) = parts.first().map(|part| part.bound) else { return best };
            if ended(crew.checked()) {
                return least;
            }
            let mut lower = Vec::with_capacity(parts.len());
            for part in parts {
                let Some(dimension) = self.widest(&part) else { continue };
                let low = self.lattice.level(&part.bottom, dimension);
                let high = self.lattice.level(&part.top, dimension);
                let middle = low + (high - low) / 2;
                let top = self.lattice.with_level(&part.top, dimension, middle);
                lower.push((part.bottom.clone(), top));
                let bottom = self.lattice.with_level(&part.bottom, dimension, middle + 1);
                self.push(bottom, part.top, part.surplus, &mut open, best);
            }
            self.judge(crew, lower, &mut open, &mut best);
        }
    }

    /// The bottom of the block: all other dimensions are at their top.
    fn bottom(&self) -> Node {
        let bottom = self.lattice.bottom();
        let lowered = |node: Node, &dimension: &usize| {
            self.lattice.with_level(&node, dimension, self.lattice.level(&bottom, dimension))
        };
        self.dimensions.iter().fold(self.lattice.top(), lowered)
    }

    fn judge(
        &self,
        crew: &mut Crew<'_, '_>,
        parts: Vec<(Node, Node)>,
        open: &mut BinaryHeap<Part>,
        best: &mut f64,
    ) {
        let tops: Vec<Node> = parts.iter().map(|(_, top)| top.clone()).collect();
        for ((bottom, top), assessed) in parts.into_iter().zip(crew.assess_suppressed(&tops)) {
            if assessed.open {
                *best = best.min(self.terms(&top, &assessed.surplus));
                self.push(bottom, top, Rc::new(assessed.surplus), open, *best);
            }
        }
    }

    fn push(&self, bottom: Node, top: Node, surplus: Rc<Vec<f64>>, open: &mut BinaryHeap<Part>, best: f64) {
        let bound = self.terms(&bottom, &surplus);
        // A single node is its top, which has been judged.
        if bottom != top && bound < best {
            open.push(Part { bound, bottom, top, surplus });
        }
    }

    /// The sum of the block's terms.
    fn terms(&self, node: &Node, surplus: &[f64]) -> f64 {
        let terms = self.loss.terms(node, surplus).unwrap_or_default();
        self.columns.iter().map(|&column| terms[column]).sum()
    }

    /// The dimension along which the bound rises most.
    fn widest(&self, part: &Part) -> Option<usize> {
        let mut widest: Option<(f64, usize)> = None;
        for &dimension in self.dimensions {
            let high = self.lattice.level(&part.top, dimension);
            if self.lattice.level(&part.bottom, dimension) < high {
                let raised = self.lattice.with_level(&part.bottom, dimension, high);
                let rise = self.terms(&raised, &part.surplus);
                if widest.is_none_or(|(most, _)| rise > most) {
                    widest = Some((rise, dimension));
                }
            }
        }
        widest.map(|(_, dimension)| dimension)
    }
}

/// The parts of least bound that can hold something below the best.
fn promising(open: &mut BinaryHeap<Part>, best: f64) -> Vec<Part> {
    let mut parts = Vec::new();
    while parts.len() < AT_A_TIME {
        match open.pop() {
            Some(part) if part.bound < best => parts.push(part),
            _ => break,
        }
    }
    parts
}
