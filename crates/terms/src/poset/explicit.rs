//! Posets from a file, with one or more parents per node [Katirai 2006, MatrixPoset; definitions 1
//! and 3]: for example, a census block in a tract, a place and a postal area.
//!
//! The least upper bounds of some values are the nodes of least measure among their common
//! ancestors. If a parent has the measure of its child, which Katirai's definition of a measure
//! forbids, only the child counts as least. Each node's ancestors are computed once (Katirai's
//! transitive closure) as lists in the order of preference, so joining is an intersection, and its
//! first element is a least upper bound. Joining costs the nodes above a value.

use super::graph::Graph;
use super::{Common, Given, Kind};
use crate::error::{Fault, Result};
use crate::fault;
use crate::hierarchy::File;
use crate::table::Code;

/// A graph, and which of its nodes the values are.
#[derive(Debug)]
pub(super) struct Explicit {
    graph: Graph,
    /// Value → its node.
    of: Vec<Code>,
    /// Node → nodes above it and itself, the least first.
    above: Vec<Vec<Code>>,
}

impl Explicit {
    pub(super) fn new(spec: &File, given: &Given<'_>, load: &dyn Fn(&str) -> Result<String>) -> Result<Self> {
        let graph = Graph::load(spec, load)?;
        let unread = |value: &str| {
            fault!(
                Data,
                "poset.value-not-a-node",
                "`{value}` is not a node of {file}",
                value = value,
                file = spec.path()
            )
        };
        let of = given.read(|text| graph.find(text), unread)?;
        let of = of.into_iter().map(Option::unwrap_or_default).collect();
        let above = graph.closure().map_err(|error| error.map(|fault: Fault| fault.file(spec.path())))?;
        Ok(Explicit { graph, of, above })
    }

    fn over(&self, value: Code) -> &[Code] {
        &self.above[self.of[value as usize] as usize]
    }

    /// The nodes of least measure, less those that are above another of them, in the order of the
    /// file.
    fn least(&self, above: &[Code]) -> Vec<Code> {
        let Some(&first) = above.first() else { return Vec::new() };
        let measure = self.graph.measure(first);
        let tied = above.iter().copied().take_while(|&node| self.graph.measure(node) == measure);
        let mut least: Vec<Code> = Vec::new();
        for node in tied {
            if !least.iter().any(|&low| self.above[low as usize].binary_search(&node).is_ok()) {
                least.push(node);
            }
        }
        least.sort_by_key(|&node| self.graph.line(node));
        least
    }
}

/// The first number that two rising lists share.
fn first_shared(a: &[Code], b: &[Code]) -> Option<Code> {
    let (mut i, mut j) = (0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        match x.cmp(y) {
            std::cmp::Ordering::Equal => return Some(*x),
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
        }
    }
    None
}

impl Kind for Explicit {
    /// The nodes above a value by their depth, and of one depth in the order in which the file lists
    /// parents: one field each.
    fn implied(&self, values: &[Code]) -> Vec<Vec<Vec<u64>>> {
        let depths = self.graph.depths();
        let deepest = depths.iter().copied().max().unwrap_or(0) as usize;
        let above = |&value: &Code| {
            let mut by_depth: Vec<Vec<u64>> = vec![Vec::new(); deepest + 1];
            let mut walk = vec![self.of[value as usize]];
            let mut at = 0;
            while at < walk.len() {
                let node = walk[at];
                by_depth[depths[node as usize] as usize].push(u64::from(node));
                let parents = self.graph.parents(node).iter().copied();
                let new: Vec<Code> = parents.filter(|parent| !walk.contains(parent)).collect();
                walk.extend(new);
                at += 1;
            }
            by_depth
        };
        let all: Vec<Vec<Vec<u64>>> = values.iter().map(above).collect();
        let wide = |depth: usize| all.iter().map(|by_depth| by_depth[depth].len()).max().unwrap_or(0);
        let places: Vec<(usize, usize)> =
            (1..=deepest).flat_map(|depth| (0..wide(depth)).map(move |place| (depth, place))).collect();
        let field = |by_depth: &Vec<Vec<u64>>, (depth, place): (usize, usize)| {
            by_depth[depth].get(place).copied().into_iter().collect()
        };
        all.iter().map(|of| places.iter().map(|&place| field(of, place)).collect()).collect()
    }

    fn only(&self, value: Code) -> Common {
        Common::Above(self.over(value).to_vec())
    }

    fn join(&self, common: &mut Common, value: Code) {
        if let Common::Above(above) = common {
            let mut other = self.over(value).iter().peekable();
            above.retain(|node| {
                while other.next_if(|next| *next < node).is_some() {}
                other.peek() == Some(&node)
            });
        }
    }

    fn measure(&self, common: &Common) -> f64 {
        match common {
            Common::Above(above) => above.first().map_or(1.0, |&node| self.graph.measure(node)),
            _ => 1.0,
        }
    }

    fn cells(&self, common: &Common) -> Vec<String> {
        match common {
            Common::Above(above) => {
                self.least(above).iter().map(|&node| self.graph.name(node).into()).collect()
            }
            _ => vec![crate::hierarchy::TOP.into()],
        }
    }

    fn measure_of(&self, cell: &str) -> Option<f64> {
        self.graph.find(cell).map(|node| self.graph.measure(node))
    }

    fn covers(&self, cell: &str, value: &str) -> bool {
        match (self.graph.find(cell), self.graph.find(value)) {
            (Some(high), Some(low)) => self.graph.is_above(high, low),
            _ => false,
        }
    }

    fn under(&self, cell: &str, values: &[Option<String>]) -> Vec<Code> {
        let Some(cell) = self.graph.find(cell) else { return Vec::new() };
        let present = (0..values.len() as Code).filter(|&value| values[value as usize].is_some());
        present.filter(|&value| self.over(value).binary_search(&cell).is_ok()).collect()
    }

    fn covered(&self, common: &Common, values: &[Option<String>]) -> Vec<Code> {
        let Common::Above(above) = common else { return Vec::new() };
        let Some(&cell) = self.least(above).first() else { return Vec::new() };
        let present = (0..values.len() as Code).filter(|&value| values[value as usize].is_some());
        present.filter(|&value| self.over(value).binary_search(&cell).is_ok()).collect()
    }

    fn with(&self, common: &Common, value: Code) -> f64 {
        match common {
            Common::Above(above) => {
                first_shared(above, self.over(value)).map_or(1.0, |node| self.graph.measure(node))
            }
            _ => 1.0,
        }
    }

    fn alone(&self, common: &Common) -> Vec<Common> {
        match common {
            Common::Above(above) => {
                let own = |node: Code| Common::Above(self.above[node as usize].clone());
                self.least(above).into_iter().map(own).collect()
            }
            _ => vec![Common::Nothing],
        }
    }
}
