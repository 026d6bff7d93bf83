//! The least cell of a multiset of codes among those with a limited number of pairs [Katirai 2006,
//! SparseMatrixPoset: `Columns` is the maximum number of pairs in a row].
//!
//! Let m(t) be the number of occurrences that all values have at node t or below, in a tree. Once
//! the nodes of a cell are chosen, each takes what its nearest chosen nodes below leave: a lower
//! node is worth at least as much per occurrence. The occurrences of a set S of nodes are then worth
//! Σ m(s) · (w(s) − w(a(s))) over s in S, where w is the worth of one occurrence and a(s) the nearest
//! node of S above s, with w = 0 if there is none. A term depends on s and a(s) only, so dynamic
//! programming over the tree finds the best S: per node, per node that may be the nearest chosen one
//! above it, and per number of pairs.
//!
//! The result is the least cell among *all* cells with that many pairs that are true of the values,
//! so its measure never falls when a value is joined. Dropping pairs of the unlimited bound would
//! not have this property. Costs O(nodes · depth · pairs²); only bounds with too many pairs pay it.

use crate::table::Code;

/// A node that all values have occurrences at or below; children come before their parents.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub(super) code: Code,
    /// Place of the parent; none of the root.
    pub(super) parent: Option<usize>,
    /// Occurrences at the node or below.
    pub(super) count: u32,
    /// The worth of one occurrence; never more than that of a node below.
    pub(super) worth: u64,
}

/// The best choice within a number of nodes: its worth, and where it is recorded.
#[derive(Debug, Clone, Copy)]
struct Choice {
    worth: u128,
    step: usize,
}

/// Part of a choice; steps refer to earlier ones.
#[derive(Debug, Clone, Copy)]
enum Step {
    Nothing,
    Both(usize, usize),
    Node(usize, usize),
}

/// Entry j: the best choice of at most j nodes.
type Choices = Vec<Choice>;

const NOTHING: Choice = Choice { worth: 0, step: 0 };

struct Program<'a> {
    nodes: &'a [Node],
    children: Vec<Vec<usize>>,
    most: usize,
    steps: Vec<Step>,
}

/// The pairs of the cell with at most `most` pairs that is worth most, in the order of `nodes`.
pub(super) fn best(nodes: &[Node], most: usize) -> Vec<(Code, u32)> {
    let mut children = vec![Vec::new(); nodes.len()];
    for (at, node) in nodes.iter().enumerate() {
        if let Some(parent) = node.parent {
            children[parent].push(at);
        }
    }
    let mut program = Program { nodes, children, most, steps: vec![Step::Nothing] };
    let mut chosen = program.chosen();
    chosen.sort_unstable();
    occurrences(nodes, &chosen)
}

impl Program<'_> {
    /// The places of the best nodes.
    fn chosen(&mut self) -> Vec<usize> {
        // Node → depth of the nearest chosen node above it, 0 for none → choices at or below.
        let mut tables: Vec<Vec<Choices>> = vec![Vec::new(); self.nodes.len()];
        let mut all = vec![NOTHING];
        for at in 0..self.nodes.len() {
            let above = self.above(at);
            let children = self.children[at].clone();
            let below = |depth: usize, program: &mut Self| {
                children.iter().fold(vec![NOTHING], |sum, &child| program.both(&sum, &tables[child][depth]))
            };
            let taken = below(above.len() + 1, self);
            let table: Vec<Choices> = (0..=above.len())
                .map(|depth| {
                    let left = below(depth, self);
                    let worth = depth.checked_sub(1).map_or(0, |place| self.nodes[above[place]].worth);
                    self.with_or_without(at, &taken, left, worth)
                })
                .collect();
            if self.nodes[at].parent.is_none() {
                all = self.both(&all, &table[0]);
            }
            children.iter().for_each(|&child| tables[child] = Vec::new());
            tables[at] = table;
        }
        self.recorded(all.last().map_or(0, |choice| choice.step))
    }

    /// The nodes above one, the root first.
    fn above(&self, at: usize) -> Vec<usize> {
        let mut above: Vec<usize> =
            std::iter::successors(self.nodes[at].parent, |&node| self.nodes[node].parent).collect();
        above.reverse();
        above
    }

    /// The best choices from two separate parts of the tree.
    fn both(&mut self, a: &[Choice], b: &[Choice]) -> Choices {
        let longest = (a.len() + b.len() - 2).min(self.most);
        let choice = |count: usize, steps: &mut Vec<Step>| {
            let mut best: Option<(u128, Choice, Choice)> = None;
            for of_a in count.saturating_sub(b.len() - 1)..=count.min(a.len() - 1) {
                let (x, y) = (a[of_a], b[count - of_a]);
                let worth = x.worth + y.worth;
                if best.is_none_or(|best| worth > best.0) {
                    best = Some((worth, x, y));
                }
            }
            let (worth, x, y) = best.unwrap_or((0, NOTHING, NOTHING));
            steps.push(Step::Both(x.step, y.step));
            Choice { worth, step: steps.len() - 1 }
        };
        (0..=longest).map(|count| choice(count, &mut self.steps)).collect()
    }

    /// The best choices at or below a node: with it, after choices that have it as the nearest one
    /// above, or without it, where that is not worse.
    fn with_or_without(&mut self, at: usize, taken: &[Choice], without: Choices, above: u64) -> Choices {
        let Node { count, worth, .. } = self.nodes[at];
        let gain = u128::from(count) * u128::from(worth.saturating_sub(above));
        let longest = taken.len().max(without.len() - 1).min(self.most);
        let mut found = Vec::with_capacity(longest + 1);
        for pairs in 0..=longest {
            let without = without[pairs.min(without.len() - 1)];
            let with = pairs.checked_sub(1).map(|rest| taken[rest.min(taken.len() - 1)]);
            let better = with.filter(|with| with.worth + gain > without.worth);
            found.push(better.map_or(without, |with| {
                self.steps.push(Step::Node(at, with.step));
                Choice { worth: with.worth + gain, step: self.steps.len() - 1 }
            }));
        }
        found
    }

    fn recorded(&self, step: usize) -> Vec<usize> {
        let (mut open, mut found) = (vec![step], Vec::new());
        while let Some(step) = open.pop() {
            match self.steps[step] {
                Step::Nothing => {}
                Step::Both(a, b) => open.extend([a, b]),
                Step::Node(at, below) => {
                    found.push(at);
                    open.push(below);
                }
            }
        }
        found
    }
}

/// The occurrences of chosen nodes: what the nearest chosen ones below leave.
fn occurrences(nodes: &[Node], chosen: &[usize]) -> Vec<(Code, u32)> {
    let mut left: Vec<u32> = chosen.iter().map(|&at| nodes[at].count).collect();
    for &at in chosen {
        let mut above = std::iter::successors(nodes[at].parent, |&node| nodes[node].parent);
        if let Some(place) = above.find_map(|node| chosen.binary_search(&node).ok()) {
            left[place] = left[place].saturating_sub(nodes[at].count);
        }
    }
    let pairs = chosen.iter().zip(left).map(|(&at, count)| (nodes[at].code, count));
    pairs.filter(|pair| pair.1 > 0).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The occurrences of a set of nodes, those of the highest worth first, as many as all counts
    /// on the way up allow: greedy is best, since the counts below nodes nest.
    fn filled(nodes: &[Node], mut chosen: Vec<usize>) -> u128 {
        let up = |at: usize| std::iter::successors(Some(at), |&node| nodes[node].parent);
        let mut left: Vec<u32> = nodes.iter().map(|node| node.count).collect();
        chosen.sort_by_key(|&at| (std::cmp::Reverse(nodes[at].worth), at));
        let mut worth = 0;
        for at in chosen {
            let room = up(at).map(|node| left[node]).min().unwrap();
            up(at).for_each(|node| left[node] -= room);
            worth += u128::from(room) * u128::from(nodes[at].worth);
        }
        worth
    }

    proptest! {
        /// Of all sets of nodes within the limit, none is worth more.
        #[test]
        fn no_choice_of_nodes_is_better(
            given in proptest::collection::vec((0..3usize, 0..4u32, 0..4u64), 2..9),
            most in 1..5usize,
        ) {
            let last = given.len() - 1;
            let parent = |at: usize| (at < last).then(|| (at + 1 + given[at].0).min(last));
            let node = |at: usize| Node { code: at as Code, parent: parent(at), count: given[at].1, worth: 0 };
            let mut nodes: Vec<Node> = (0..=last).map(node).collect();
            for at in 0..last {
                nodes[at].count = nodes[at].count.max(1);
                let Node { parent, count, .. } = nodes[at];
                nodes[parent.unwrap()].count += count;
            }
            for at in (0..last).rev() {
                nodes[at].worth = nodes[nodes[at].parent.unwrap()].worth + given[at].2;
            }
            let found = best(&nodes, most);
            let worth = |&(code, count): &(Code, u32)| u128::from(count) * u128::from(nodes[code as usize].worth);
            let of_found: u128 = found.iter().map(worth).sum();
            prop_assert!(found.len() <= most);
            let members = |bits: u32| (0..=last).filter(|at| bits >> at & 1 == 1).collect::<Vec<usize>>();
            prop_assert_eq!(of_found, filled(&nodes, found.iter().map(|pair| pair.0 as usize).collect()));
            let sets = (0..1u32 << nodes.len()).filter(|bits| bits.count_ones() as usize <= most);
            prop_assert_eq!(Some(of_found), sets.map(|bits| filled(&nodes, members(bits))).max());
        }
    }
}
