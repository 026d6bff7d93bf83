//! Waypoints: nodes whose groupings are remembered because many nodes above them are checked.
//!
//! A node is rolled up from the smallest remembered grouping below it. Branch and bound checks the
//! tops of boxes from the top of the lattice downwards, so nothing that was checked is below the
//! next node, and most nodes would be rolled up from the whole table. The waypoint of a node has
//! every second level, below the highest, of every column. Few waypoints serve a search: on nine
//! columns with 243,000 nodes, a million classes and 3,255 checks, they save three tenths of the
//! classes that roll-ups read.
//!
//! Costs one roll-up for every four checks at most, and eight bytes per class of the waypoints that
//! are remembered: twice the classes of the table, at most 64 MiB per thread. Groupings do not
//! depend on what they are rolled up from, so waypoints change nothing but time.

use std::collections::HashMap;

use crate::lattice::{Lattice, Node};

/// Roll-ups of smaller tables cost little.
const LEAST_CLASSES: usize = if cfg!(test) { 1 } else { 1 << 18 };
/// Roll-ups before the first waypoint: many strategies end sooner.
const FIRST: u64 = if cfg!(test) { 1 } else { 64 };
/// Checks that miss a waypoint before it is formed.
const MISSES: u32 = 4;
/// A grouping of this part of the table's classes needs no waypoint.
const SMALL_PART: usize = 8;
/// The most classes of all waypoints that are remembered.
const MOST_ROOM: usize = 1 << 23;

/// Which waypoints are worth forming.
pub(super) struct Waypoints {
    /// Waypoint → checks that missed it since it was formed last; [`GIVEN_UP`] if it is not worth it.
    misses: HashMap<Node, u32>,
    room: usize,
    remembered: usize,
}

/// The misses of a waypoint that is hardly smaller than what it is rolled up from, or too large.
const GIVEN_UP: u32 = u32::MAX;

impl Waypoints {
    /// None yet; the table has this size, as [`Groups::size`](crate::classes::Groups::size) counts it.
    pub(super) fn new(size: usize) -> Self {
        Waypoints { misses: HashMap::new(), room: (2 * size).min(MOST_ROOM), remembered: 0 }
    }

    /// Whether waypoints pay on a table of this many classes, after some roll-ups.
    pub(super) fn pay(&self, classes: usize, rolled_up: u64) -> bool {
        classes >= LEAST_CLASSES && rolled_up >= FIRST
    }

    /// Whether a grouping is small enough to roll up from, whatever else could be remembered.
    pub(super) fn is_small(classes: usize, table: usize) -> bool {
        SMALL_PART * classes <= table
    }

    /// Counts a check that misses a waypoint; whether it is to be formed now.
    pub(super) fn missed(&mut self, waypoint: &Node) -> bool {
        let misses = match self.misses.get_mut(waypoint) {
            Some(misses) => misses,
            None => self.misses.entry(waypoint.clone()).or_default(),
        };
        if *misses == GIVEN_UP {
            return false;
        }
        *misses = (*misses + 1) % MISSES;
        *misses == 0
    }

    /// Never forms a waypoint again.
    pub(super) fn give_up(&mut self, waypoint: Node) {
        self.misses.insert(waypoint, GIVEN_UP);
    }

    /// The most that waypoints may take in all.
    pub(super) fn room(&self) -> usize {
        self.room
    }

    /// What they take.
    pub(super) fn remembered(&mut self) -> &mut usize {
        &mut self.remembered
    }
}

/// The waypoint of a node: every column is at most one level lower, or two where it is at its
/// highest level.
pub(super) fn waypoint(lattice: &Lattice, node: &Node) -> Node {
    let level = |(column, &level): (usize, &u8)| {
        let (low, high, _) = lattice.range(column);
        let raised = usize::from(level).min(high.saturating_sub(1)).saturating_sub(low);
        level.min((low + raised / 2 * 2) as u8)
    };
    Node::new(node.levels().iter().enumerate().map(level).collect::<Vec<u8>>())
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::super::{Evaluator, Grouped, Problem};
    use super::*;
    use crate::policy::Policy;
    use crate::table::Dictionary;
    use crate::tuples::Tuples;

    /// Four columns of numbers, three of them with five levels.
    pub(in crate::search) fn problem(rows: &[[u32; 4]]) -> Problem {
        let text = "version = 1\n[input]\npath = \"x.csv\"\n[privacy]\nk = 2\nsuppression = 0.5\n";
        let column = |at: usize| {
            let hierarchy = match at {
                3 => "\"suppress\"".to_owned(),
                _ => "{ intervals = { widths = [2, 4, 8] } }".to_owned(),
            };
            format!("[columns.c{at}]\nrole = \"quasi\"\nhierarchy = {hierarchy}\n")
        };
        let policy = Policy::parse(&(text.to_owned() + &(0..4).map(column).collect::<String>())).unwrap();
        let mut dictionaries = vec![Dictionary::new(); 4];
        let mut tuples = Tuples::new(4);
        for row in rows {
            let cells = row.iter().zip(&mut dictionaries);
            let codes: Vec<u32> = cells.map(|(cell, d)| d.add(Some(&cell.to_string()), 1)).collect();
            tuples.insert(&codes, 1);
        }
        let names = (0..4).map(|at| format!("c{at}")).collect();
        let grouped = Grouped { names, measured: Vec::new(), dictionaries, tuples, population: None };
        Problem::new(&policy, grouped, &|_| unreachable!()).unwrap().0
    }

    proptest! {
        /// The classes of a node are those of the definition, whatever was checked and remembered
        /// before.
        #[test]
        fn groupings_do_not_depend_on_waypoints(
            rows in prop::collection::vec((0u32..32, 0u32..32, 0u32..32, 0u32..3), 40..300),
            picks in prop::collection::vec(any::<prop::sample::Index>(), 60..200),
        ) {
            let rows: Vec<[u32; 4]> = rows.into_iter().map(|(a, b, c, d)| [a, b, c, d]).collect();
            let problem = problem(&rows);
            let nodes = nodes(&problem);
            let mut evaluator = Evaluator::new(&problem);
            for pick in picks {
                let node = &nodes[pick.index(nodes.len())];
                let point = waypoint(&problem.lattice, node);
                prop_assert!(point.below(node));
                prop_assert!(node.levels().iter().zip(point.levels()).all(|(a, b)| a - b <= 2));
                let (found, _) = evaluator.classes(node);
                let codes = |class: usize| (0..4).map(|column| found.code(class, column)).collect();
                let found: Vec<(Vec<u32>, u32)> =
                    (0..found.len()).map(|class| (codes(class), found.counts()[class])).collect();
                prop_assert_eq!(found, naive(&problem, node));
            }
        }
    }

    proptest! {
        /// A part of the classes settles nodes that are unsafe, and no others; verdicts in sequence
        /// are those of the definition.
        #[test]
        fn a_part_of_the_classes_settles_unsafe_nodes_alone(
            rows in prop::collection::vec((0u32..9, 0u32..9, 0u32..4, 0u32..3), 40..300),
            picks in prop::collection::vec(any::<prop::sample::Index>(), 1..40),
        ) {
            let rows: Vec<[u32; 4]> = rows.into_iter().map(|(a, b, c, d)| [a, b, c, d]).collect();
            let problem = Problem { max_suppressed: rows.len() as u64 / 50, ..problem(&rows) };
            let nodes = nodes(&problem);
            let mut evaluator = Evaluator::new(&problem);
            for pick in picks {
                let node = &nodes[pick.index(nodes.len())];
                let counts = naive(&problem, node).into_iter().map(|(_, rows)| u64::from(rows));
                let safe = counts.filter(|&rows| rows < 2).sum::<u64>() <= problem.max_suppressed;
                prop_assert!(!(safe && Evaluator::new(&problem).fails_in_part(node)));
                prop_assert_eq!(evaluator.judge_safety(node), safe);
            }
        }
    }

    /// Where nearly every row is alone, a part of them is enough.
    #[test]
    fn a_part_of_unique_rows_settles_the_bottom() {
        let rows: Vec<[u32; 4]> = (0..500).map(|row| [row % 23, row / 23, row % 7, row % 3]).collect();
        let problem = Problem { max_suppressed: 5, ..problem(&rows) };
        let bottom = problem.lattice.bottom();
        let mut evaluator = Evaluator::new(&problem);
        assert!(evaluator.fails_in_part(&bottom));
        assert!(!evaluator.fails_in_part(&problem.lattice.top()));
        assert!(!evaluator.judge_safety(&bottom));
        assert_eq!(evaluator.account().checked, 1);
    }

    /// All nodes of a lattice, each after one below it.
    pub(in crate::search) fn nodes(problem: &Problem) -> Vec<Node> {
        let mut nodes = vec![problem.lattice.bottom()];
        for at in 0.. {
            let Some(node) = nodes.get(at).cloned() else { break };
            for above in problem.lattice.successors(&node) {
                if !nodes.contains(&above) {
                    nodes.push(above);
                }
            }
        }
        nodes
    }

    /// The classes of a node by the definition, in the order of their first members.
    pub(in crate::search) fn naive(problem: &Problem, node: &Node) -> Vec<(Vec<u32>, u32)> {
        let mut classes: Vec<(Vec<u32>, u32)> = Vec::new();
        for (class, &count) in problem.classes.counts().iter().enumerate() {
            let code = |(column, hierarchy): (usize, &crate::hierarchy::Hierarchy)| {
                hierarchy.generalize(problem.classes.code(class, column), node.level(column))
            };
            let codes: Vec<u32> = problem.hierarchies.iter().enumerate().map(code).collect();
            match classes.iter_mut().find(|(other, _)| *other == codes) {
                Some((_, rows)) => *rows += count,
                None => classes.push((codes, count)),
            }
        }
        classes
    }

    /// Four misses form a waypoint, and four more form it again once it was forgotten.
    #[test]
    fn a_waypoint_is_formed_when_it_was_missed() {
        let mut waypoints = Waypoints::new(100);
        let node = Node::new(vec![2, 0]);
        let formed: Vec<bool> = (0..8).map(|_| waypoints.missed(&node)).collect();
        assert_eq!(formed, [false, false, false, true, false, false, false, true]);
        waypoints.give_up(node.clone());
        assert!((0..9).all(|_| !waypoints.missed(&node)));
    }
}
