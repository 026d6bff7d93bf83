//! A ladder: the groupings that a walk over a whole lattice rolls up from.
//!
//! Every node is rolled up from the node that is one level lower in the last column, of those that
//! are above their lowest level. Where columns with many values come first, that last column has few
//! values, so that the node below has hardly more classes than the node itself. Nodes come in
//! lexicographic order of their levels, by the order of columns given: then the nodes below that are
//! still needed are one for every column at most, the rungs. A grouping that is hardly smaller than
//! the rung below it is left out: the next nodes are rolled up from that rung.
//!
//! Costs eight bytes per class of the rungs. Each is at least an eighth smaller than the one below
//! it. Groupings do not depend on what they are rolled up from, so ladders change nothing but time.

use std::sync::Arc;

use super::boxes::Boxes;
use crate::classes::Groups;
use crate::lattice::{Lattice, Node};

/// The groupings of a chain of nodes, the lowest node first.
pub(super) struct Ladder {
    /// Columns, the one that changes most rarely first.
    order: Vec<usize>,
    rungs: Vec<(Node, Arc<Groups>)>,
    /// The size of all rungs, and the most it may be.
    size: usize,
    room: usize,
    /// Where levels nest and rows alone are counted: the boxes that a node is in.
    boxes: Option<Boxes>,
}

impl Ladder {
    /// Without rungs, for nodes in this order of columns.
    pub(super) fn new(order: Vec<usize>, room: usize, boxes: Option<Boxes>) -> Self {
        Ladder { order, rungs: Vec::new(), size: 0, room, boxes }
    }

    /// Another one without rungs.
    pub(super) fn fork(&self) -> Self {
        Ladder::new(self.order.clone(), self.room, self.boxes.as_ref().map(Boxes::fork))
    }

    /// The boxes that a node is in, where they help.
    pub(super) fn boxes(&mut self) -> Option<&mut Boxes> {
        self.boxes.as_mut()
    }

    /// The levels of a node in the order in which nodes are to come.
    pub(super) fn levels(&self, node: &Node) -> Vec<usize> {
        self.order.iter().map(|&column| node.level(column)).collect()
    }

    /// The highest rung that a node can be rolled up from. Rungs that are not below it are dropped.
    pub(super) fn below(&mut self, node: &Node, rolls_up: impl Fn(&Node) -> bool) -> Option<Arc<Groups>> {
        while self.rungs.last().is_some_and(|(rung, _)| !rung.below(node)) {
            self.drop_last();
        }
        let rung = self.rungs.iter().rev().find(|(rung, _)| rolls_up(rung));
        rung.map(|(_, groups)| Arc::clone(groups))
    }

    /// Adds a rung above those below the node. It replaces the last one where that is the same node
    /// at a lower level of one column, which is not at its lowest there.
    pub(super) fn add(&mut self, lattice: &Lattice, node: &Node, groups: &Groups) {
        let differs = |rung: &Node| {
            let column = self.order.iter().find(|&&column| rung.level(column) != node.level(column));
            column.is_some_and(|&column| rung.level(column) > lattice.range(column).0)
        };
        if self.rungs.last().is_some_and(|(rung, _)| differs(rung)) {
            self.drop_last();
        }
        if self.size + groups.size() <= self.room {
            self.size += groups.size();
            self.rungs.push((node.clone(), Arc::new(groups.clone())));
        }
    }

    fn drop_last(&mut self) {
        self.size -= self.rungs.pop().map_or(0, |(_, groups)| groups.size());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Evaluator;
    use super::super::waypoints::tests::{naive, nodes, problem};

    proptest! {
        /// The classes of every node are those of the definition, in the order of a walk and where
        /// other threads take some of the nodes, with rows that are alone and with others.
        #[test]
        fn a_walk_forms_the_classes_of_the_definition(
            rows in prop::collection::vec((0u32..32, 0u32..32, 0u32..32, 0u32..3), 20..120),
            narrow in prop::sample::select(vec![1u32, 2, 8, 32]),
            run in 1usize..60,
            threads in 1usize..4,
        ) {
            let rows: Vec<[u32; 4]> = rows.into_iter().map(|(a, b, c, d)| [a % narrow, b, c, d]).collect();
            let problem = problem(&rows);
            let evaluator = Evaluator::new(&problem).walking();
            let mut nodes = nodes(&problem);
            nodes.sort_by_key(|node| evaluator.walk_order(node));
            for thread in 0..threads {
                let mut evaluator = evaluator.fork();
                for node in nodes.chunks(run).skip(thread).step_by(threads).flatten() {
                    let (found, _) = evaluator.classes(node);
                    let codes = |class: usize| (0..4).map(|column| found.code(class, column)).collect();
                    let found: Vec<(Vec<u32>, u32)> =
                        (0..found.len()).map(|class| (codes(class), found.counts()[class])).collect();
                    prop_assert_eq!(found, naive(&problem, node));
                }
            }
        }
    }
}
