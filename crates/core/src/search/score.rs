//! The node-complexity score [El Emam 2009, "The Complexity of Evaluating k-Anonymous Nodes"].
//!
//! Measures the work of a search's checks independently of the implementation. A check generalizes
//! the smallest frequency set among the specializations checked before (or the table's own), at a
//! cost of J′ × N for J′ columns and N classes, then sorts and scans the N′ resulting classes, at a
//! cost of N′·log2 N′ + N′. A column at its highest level is dropped rather than generalized, so
//! nodes of Incognito's smaller lattices are counted like all others. Costs checks² / 2 in the
//! worst case, so it is computed only on request.

use crate::lattice::Node;

/// The checks of a search, in order, each with the number of its classes.
#[derive(Debug, Clone, Default)]
pub(super) struct Trace(Vec<(Node, usize)>);

impl Trace {
    pub(super) fn add(&mut self, node: Node, classes: usize) {
        self.0.push((node, classes));
    }

    /// The score of all checks, for a table with this many classes at its leaves and hierarchies of
    /// these heights. `rolls_up` says which frequency sets can be generalized to which.
    pub(super) fn score(
        &self,
        leaves: usize,
        heights: &[usize],
        rolls_up: &dyn Fn(&Node, &Node) -> bool,
    ) -> f64 {
        let table = Node::new(vec![0; heights.len()]);
        // Smallest first, so that the first specialization found is the one to start from.
        let mut sets: Vec<(usize, &Node)> = vec![(leaves, &table)];
        let mut score = 0.0;
        for (node, classes) in &self.0 {
            let source = sets.iter().find(|(_, from)| rolls_up(from, node)).copied();
            let (size, from) = source.unwrap_or((leaves, &table));
            score += check(from, size, node, *classes, heights);
            let at = sets.partition_point(|&(size, _)| size <= *classes);
            sets.insert(at, (*classes, node));
        }
        score
    }
}

fn check(from: &Node, source: usize, node: &Node, classes: usize, heights: &[usize]) -> f64 {
    let raised = |&(c, &height): &(usize, &usize)| node.level(c) > from.level(c) && node.level(c) < height;
    let columns = heights.iter().enumerate().filter(raised).count();
    let sorted = classes as f64;
    (columns * source) as f64 + sorted * sorted.log2().max(0.0) + sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(levels: [u8; 3]) -> Node {
        Node::new(levels.to_vec())
    }

    /// The frequency sets of El Emam's figure 5: one column of eight classes is generalized, five
    /// are left.
    #[test]
    fn one_step_up() {
        let mut trace = Trace::default();
        trace.add(node([0, 0, 1]), 5);
        let expected = 8.0 + 5.0 * 5f64.log2() + 5.0;
        assert!((trace.score(8, &[2, 1, 3], &Node::below) - expected).abs() < 1e-12);
    }

    #[test]
    fn the_smallest_set_below_is_the_source_and_columns_at_the_top_are_free() {
        let mut trace = Trace::default();
        trace.add(node([1, 0, 0]), 6);
        trace.add(node([0, 0, 1]), 4);
        trace.add(node([1, 1, 1]), 2);
        // 1 × 8, 1 × 8, then 1 × 4 from the second: column 0 rises, column 1 reaches its top.
        let work = 20.0 + 6.0 * 6f64.log2() + 6.0 + 4.0 * 2.0 + 4.0 + 2.0 + 2.0;
        assert!((trace.score(8, &[2, 1, 3], &Node::below) - work).abs() < 1e-12);
    }

    #[test]
    fn a_single_class_costs_one_pass() {
        let mut trace = Trace::default();
        trace.add(node([2, 1, 3]), 1);
        assert!((trace.score(8, &[2, 1, 3], &Node::below) - 1.0).abs() < 1e-12);
        assert!(Trace::default().score(8, &[2, 1, 3], &Node::below).abs() < 1e-12);
    }
}
