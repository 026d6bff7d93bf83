//! A k-d tree over tuples of codes [Bentley 1975]: counts or lists the tuples that a box of runs
//! covers.
//!
//! A box that holds all of a node's bounds takes the node whole, so that counting the people whom a
//! very general tuple covers does not visit them. Costs n log n to build, and about
//! n^(1 − 1/columns) + hits per box.

use throng_terms::table::Code;

use crate::cover::Runs;

/// Tuples in a leaf.
const LEAF: usize = 8;

/// A tree of tuples, each with a weight.
#[derive(Debug)]
pub struct Tree {
    width: usize,
    /// Tuples in the order of the leaves, one after the other.
    points: Vec<Code>,
    /// Place of a leaf → the tuple's number in the call of [`Tree::new`].
    ids: Vec<u32>,
    /// Place → weights before it; one more at the end.
    before: Vec<u64>,
    nodes: Vec<Node>,
    /// Node → column → least and greatest code.
    bounds: Vec<(Code, Code)>,
}

#[derive(Debug)]
struct Node {
    start: u32,
    end: u32,
    /// The second child; the first one follows its parent. 0 in a leaf.
    second: u32,
}

impl Tree {
    /// A tree of tuples, given by number.
    pub fn new<'a>(
        width: usize,
        count: usize,
        tuple: impl Fn(usize) -> &'a [Code],
        weight: impl Fn(usize) -> u32,
    ) -> Self {
        let flat: Vec<Code> = (0..count).flat_map(|at| tuple(at).iter().copied()).collect();
        let mut ids: Vec<u32> = (0..count as u32).collect();
        let mut tree = Tree {
            width,
            points: Vec::new(),
            ids: Vec::new(),
            before: vec![0],
            nodes: Vec::new(),
            bounds: Vec::new(),
        };
        if count > 0 {
            tree.split(&flat, &mut ids, 0);
        }
        tree.points =
            ids.iter().flat_map(|&id| flat[id as usize * width..][..width].iter().copied()).collect();
        for &id in &ids {
            let so_far = tree.before[tree.before.len() - 1];
            tree.before.push(so_far + u64::from(weight(id as usize)));
        }
        tree.ids = ids;
        tree
    }

    fn split(&mut self, flat: &[Code], ids: &mut [u32], start: usize) {
        let (node, width) = (self.nodes.len(), self.width);
        self.nodes.push(Node { start: start as u32, end: (start + ids.len()) as u32, second: 0 });
        let mut bounds = vec![(Code::MAX, 0); width];
        for &id in &*ids {
            let tuple = &flat[id as usize * width..][..width];
            for (bound, &code) in bounds.iter_mut().zip(tuple) {
                *bound = (bound.0.min(code), bound.1.max(code));
            }
        }
        // The column with the widest range; ties go to the first.
        let widest = (0..width).max_by_key(|&at| (bounds[at].1.saturating_sub(bounds[at].0), width - at));
        self.bounds.extend(&bounds);
        let Some(by) = widest.filter(|&by| bounds[by].0 < bounds[by].1 && ids.len() > LEAF) else { return };
        let middle = ids.len() / 2;
        ids.select_nth_unstable_by_key(middle, |&id| (flat[id as usize * width + by], id));
        let (first, second) = ids.split_at_mut(middle);
        self.split(flat, first, start);
        self.nodes[node].second = self.nodes.len() as u32;
        self.split(flat, second, start + middle);
    }

    /// Calls `take` with places from one to another, and whether all of them are within the box,
    /// until it returns false. Returns whether it never did.
    fn visit(&self, query: &[&Runs], take: &mut impl FnMut(usize, usize, bool) -> bool) -> bool {
        if self.nodes.is_empty() {
            return true;
        }
        let mut stack = vec![0u32];
        while let Some(at) = stack.pop() {
            let node = &self.nodes[at as usize];
            let bounds = &self.bounds[at as usize * self.width..][..self.width];
            let mut whole = true;
            let mut meets = true;
            for (runs, &(low, high)) in query.iter().zip(bounds) {
                if !runs.holds(low, high) {
                    whole = false;
                    if !runs.meets(low, high) {
                        meets = false;
                        break;
                    }
                }
            }
            match (meets, whole || node.second == 0) {
                (false, _) => {}
                (true, true) => {
                    if !take(node.start as usize, node.end as usize, whole) {
                        return false;
                    }
                }
                (true, false) => stack.extend([node.second, at + 1]),
            }
        }
        true
    }

    fn within(&self, place: usize, query: &[&Runs]) -> bool {
        let tuple = &self.points[place * self.width..][..self.width];
        query.iter().zip(tuple).all(|(runs, &code)| runs.has(code))
    }

    /// The weight of the tuples within a box.
    pub fn count(&self, query: &[&Runs]) -> u64 {
        let mut all = 0;
        self.visit(query, &mut |start, end, whole| {
            all += match whole {
                true => self.before[end] - self.before[start],
                false => (start..end)
                    .filter(|&place| self.within(place, query))
                    .map(|place| self.before[place + 1] - self.before[place])
                    .sum(),
            };
            true
        });
        all
    }

    /// Calls `take` with the number of every tuple within a box. The order depends on the tuples
    /// alone.
    pub fn each(&self, query: &[&Runs], mut take: impl FnMut(u32)) {
        self.until(query, |tuple| {
            take(tuple);
            true
        });
    }

    /// The same, until `take` returns false. Returns whether it never did.
    pub fn until(&self, query: &[&Runs], mut take: impl FnMut(u32) -> bool) -> bool {
        self.visit(query, &mut |start, end, whole| {
            (start..end).all(|place| !(whole || self.within(place, query)) || take(self.ids[place]))
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_box_has_what_a_scan_finds(
            points in prop::collection::vec(([0..12u32, 0..5u32, 0..30u32], 1..4u32), 0..200),
            boxed in [prop::collection::vec(0..12u32, 0..9), prop::collection::vec(0..5u32, 0..5), prop::collection::vec(0..30u32, 0..25)],
        ) {
            let tree = Tree::new(3, points.len(), |at| &points[at].0[..], |at| points[at].1);
            let runs: Vec<Runs> = boxed.iter().map(|codes| Runs::of(codes.clone())).collect();
            let query: Vec<&Runs> = runs.iter().collect();
            let within = |point: &[u32; 3]| point.iter().zip(&boxed).all(|(code, codes)| codes.contains(code));
            let expected: Vec<u32> = (0..points.len() as u32).filter(|&at| within(&points[at as usize].0)).collect();
            let mut found = Vec::new();
            tree.each(&query, |id| found.push(id));
            found.sort_unstable();
            let weight: u64 = expected.iter().map(|&at| u64::from(points[at as usize].1)).sum();
            prop_assert_eq!(tree.count(&query), weight);
            prop_assert_eq!(found, expected);
        }
    }
}
