//! Rows that stay alone: what a walk over a whole lattice need not merge.
//!
//! A row that is alone in its class at a node is alone at every node below. The nodes that share
//! their levels in the first columns are a box; its top is the node with the highest levels in the
//! others. Where columns of many values come first, most rows are alone at most tops, so that the
//! nodes of a box merge the other classes and copy these. The tops of boxes within a box are found
//! in the same way. Levels have to nest.
//!
//! Costs one roll-up for each box of at least [`WORTH`] nodes, and a bit per class of the table for
//! each of the boxes that a node is in.

use crate::classes::Groups;
use crate::lattice::{Lattice, Node};

/// Nodes of a box whose top is worth forming.
const WORTH: usize = if cfg!(test) { 2 } else { 8 };
/// Fewer classes are merged as soon as they are copied.
const LEAST: usize = if cfg!(test) { 1 } else { 1 << 12 };

/// The rows that are alone at a node.
struct Top {
    node: Node,
    /// A bit for every class of the table.
    alone: Vec<u64>,
    /// How many there are.
    count: usize,
}

/// The tops of the boxes that a node is in, the largest box first.
pub(super) struct Boxes {
    /// Columns, the one that changes most rarely first.
    order: Vec<usize>,
    /// Boxes that share the levels of as many columns as this are worth it.
    depth: usize,
    tops: Vec<Top>,
    crowd: Groups,
    merged: Groups,
}

impl Boxes {
    pub(super) fn new(order: &[usize], lattice: &Lattice) -> Self {
        let levels = |column: usize| {
            let (low, high, _) = lattice.range(column);
            high - low + 1
        };
        let nodes = |shared: usize| order[shared..].iter().map(|&column| levels(column)).product::<usize>();
        let depth = (1..order.len()).take_while(|&shared| nodes(shared) >= WORTH).count();
        Boxes {
            order: order.to_vec(),
            depth,
            tops: Vec::new(),
            crowd: Groups::default(),
            merged: Groups::default(),
        }
    }

    /// The same without tops.
    pub(super) fn fork(&self) -> Self {
        let (crowd, merged) = (Groups::default(), Groups::default());
        Boxes { order: self.order.clone(), depth: self.depth, tops: Vec::new(), crowd, merged }
    }

    /// The top of the largest box of a node that has yet to be formed, if that is worth it for a
    /// grouping of this many classes. Boxes that the node is not in are dropped.
    pub(super) fn missing(&mut self, lattice: &Lattice, node: &Node, classes: usize) -> Option<Node> {
        while self.tops.last().is_some_and(|top| !node.below(&top.node)) {
            self.tops.pop();
        }
        let shared = self.tops.len() + 1;
        if classes < LEAST || shared > self.depth {
            return None;
        }
        let mut levels = lattice.top().levels().to_vec();
        self.order[..shared].iter().for_each(|&column| levels[column] = node.levels()[column]);
        Some(Node::new(levels))
    }

    /// Adds a top with its classes; the table has `classes`.
    pub(super) fn add(&mut self, node: Node, groups: &Groups, classes: usize) {
        let mut alone = vec![0; classes.div_ceil(64)];
        let mut count = 0;
        for (&first, &rows) in groups.first.iter().zip(&groups.count) {
            alone[first as usize / 64] |= u64::from(rows == 1) << (first % 64);
            count += usize::from(rows == 1);
        }
        self.tops.push(Top { node, alone, count });
    }

    /// Merges the classes of `from` by `merge`, but for rows that are alone at the top of the
    /// smallest box; false where these are too few.
    pub(super) fn merge(
        &mut self,
        from: &Groups,
        to: &mut Groups,
        merge: impl FnOnce(&Groups, &mut Groups),
    ) -> bool {
        let Some(top) = self.tops.last().filter(|top| 4 * top.count >= from.len()) else { return false };
        split(&top.alone, from, &mut self.crowd);
        merge(&self.crowd, &mut self.merged);
        join(&top.alone, from, &self.merged, to);
        true
    }
}

fn has(bits: &[u64], class: u32) -> bool {
    bits[class as usize / 64] >> (class % 64) & 1 == 1
}

/// The classes of `from` that are not alone. Nothing branches on that.
fn split(alone: &[u64], from: &Groups, crowd: &mut Groups) {
    crowd.first.resize(from.len() + 1, 0);
    crowd.count.resize(from.len() + 1, 0);
    let mut next = 0;
    for (&first, &count) in from.first.iter().zip(&from.count) {
        (crowd.first[next], crowd.count[next]) = (first, count);
        next += usize::from(!has(alone, first));
    }
    crowd.first.truncate(next);
    crowd.count.truncate(next);
}

/// Those that are alone, and what became of the others, in the order of their first members.
fn join(alone: &[u64], from: &Groups, merged: &Groups, to: &mut Groups) {
    to.first.resize(from.len() + 1, 0);
    to.count.resize(from.len() + 1, 0);
    let (mut next, mut at) = (0, 0);
    for (&first, &count) in from.first.iter().zip(&from.count) {
        let begins = merged.first.get(at) == Some(&first);
        to.first[next] = first;
        to.count[next] = if begins { merged.count[at] } else { count };
        next += usize::from(begins || has(alone, first));
        at += usize::from(begins);
    }
    to.first.truncate(next);
    to.count.truncate(next);
}
