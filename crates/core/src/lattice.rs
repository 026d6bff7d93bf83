//! Nodes and the lattice they form: level vectors, their order, neighbours and limits; no data.
//!
//! Linked columns share one dimension, so a node with linked columns at different levels does not
//! exist [El Emam 2009, "constraints"]. Enumeration is mixed-radix; nothing is stored per node.

use crate::error::{Error, Fault, Result};
use crate::fault;

/// One level per quasi-identifier.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node(Box<[u8]>);

impl Node {
    /// A node from its levels.
    pub fn new(levels: impl Into<Box<[u8]>>) -> Self {
        Node(levels.into())
    }

    /// The levels, in column order.
    pub fn levels(&self) -> &[u8] {
        &self.0
    }

    /// The level of one column.
    pub fn level(&self, column: usize) -> usize {
        self.0[column] as usize
    }

    /// Σ of the levels.
    pub fn height(&self) -> u32 {
        self.0.iter().map(|&l| u32::from(l)).sum()
    }

    /// Whether every level is at most the other's: this node is the other or a specialization of
    /// it.
    pub fn below(&self, other: &Node) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a <= b)
    }
}

/// One axis of the lattice: a column, or several linked ones.
#[derive(Debug, Clone)]
struct Dimension {
    columns: Vec<usize>,
    low: u8,
    high: u8,
}

/// What the lattice needs to know of a column.
#[derive(Debug, Clone)]
pub struct Limits {
    /// The column's name, for messages.
    pub name: String,
    /// The highest level of its hierarchy.
    pub height: usize,
    /// The least level allowed.
    pub min: Option<usize>,
    /// The highest level allowed.
    pub max: Option<usize>,
}

/// All nodes within the limits.
#[derive(Debug, Clone)]
pub struct Lattice {
    columns: usize,
    dimensions: Vec<Dimension>,
    heights: Vec<u8>,
}

impl Lattice {
    /// The lattice of columns within their limits; `linked` lists groups of columns at one level.
    ///
    /// # Errors
    /// A level above the column's hierarchy, or linked columns without a common level.
    pub fn new(limits: &[Limits], linked: &[Vec<usize>]) -> Result<Self> {
        let mut faults = Vec::new();
        for column in limits {
            range_fault(column, &mut faults);
        }
        Error::check(faults)?;
        let mut dimensions: Vec<Dimension> = Vec::new();
        for column in 0..limits.len() {
            let group = linked.iter().find(|g| g.contains(&column)).cloned().unwrap_or(vec![column]);
            if group.iter().min() == Some(&column) {
                dimensions.push(dimension(limits, group)?);
            }
        }
        Ok(Lattice {
            columns: limits.len(),
            dimensions,
            heights: limits.iter().map(|l| l.height as u8).collect(),
        })
    }

    /// Number of quasi-identifiers.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Number of nodes.
    pub fn nodes(&self) -> u128 {
        self.dimensions.iter().fold(1u128, |n, d| n.saturating_mul(u128::from(d.high - d.low) + 1))
    }

    /// Least and highest level of a column within the limits, and the height of its hierarchy.
    pub fn range(&self, column: usize) -> (usize, usize, usize) {
        let found = self.dimensions.iter().find(|d| d.columns.contains(&column));
        let (low, high) = found.map_or((0, 0), |d| (d.low as usize, d.high as usize));
        (low, high, self.heights[column] as usize)
    }

    /// Number of dimensions: columns, with linked ones as one.
    pub fn dimensions(&self) -> usize {
        self.dimensions.len()
    }

    /// The columns along a dimension: one, or several linked ones.
    pub fn columns_along(&self, dimension: usize) -> &[usize] {
        &self.dimensions[dimension].columns
    }

    /// The node's level along a dimension.
    pub fn level(&self, node: &Node, dimension: usize) -> u8 {
        node.0[self.dimensions[dimension].columns[0]]
    }

    /// The node with another level along a dimension.
    #[must_use]
    pub fn with_level(&self, node: &Node, dimension: usize, level: u8) -> Node {
        step(node, &self.dimensions[dimension], level)
    }

    /// The node with every column as low as allowed.
    pub fn bottom(&self) -> Node {
        self.node(|d| d.low)
    }

    /// The node with every column as high as allowed.
    pub fn top(&self) -> Node {
        self.node(|d| d.high)
    }

    /// How many nodes lie between two, these included.
    pub fn between(&self, bottom: &Node, top: &Node) -> u128 {
        let levels = |d| u128::from(self.level(top, d)) + 1 - u128::from(self.level(bottom, d));
        (0..self.dimensions()).map(levels).product()
    }

    /// Direct generalizations within the limits.
    pub fn successors<'a>(&'a self, node: &'a Node) -> impl Iterator<Item = Node> + 'a {
        self.dimensions.iter().filter_map(|d| {
            let level = node.0[d.columns[0]];
            (level < d.high).then(|| step(node, d, level + 1))
        })
    }

    /// Direct specializations within the limits.
    pub fn predecessors<'a>(&'a self, node: &'a Node) -> impl Iterator<Item = Node> + 'a {
        self.dimensions.iter().filter_map(|d| {
            let level = node.0[d.columns[0]];
            (level > d.low).then(|| step(node, d, level - 1))
        })
    }

    /// Every node once, in lexicographic order of the levels.
    pub fn iter(&self) -> impl Iterator<Item = Node> + '_ {
        let mut next = Some(self.bottom());
        std::iter::from_fn(move || {
            let node = next.take()?;
            next = self.after(&node);
            Some(node)
        })
    }

    /// The node's position in [`Lattice::iter`].
    pub fn index(&self, node: &Node) -> usize {
        self.dimensions
            .iter()
            .fold(0, |i, d| i * (usize::from(d.high - d.low) + 1) + usize::from(node.0[d.columns[0]] - d.low))
    }

    /// The node at a position.
    pub fn at(&self, mut index: usize) -> Node {
        let mut levels = vec![0u8; self.columns];
        for d in self.dimensions.iter().rev() {
            let size = usize::from(d.high - d.low) + 1;
            let level = d.low + (index % size) as u8;
            index /= size;
            d.columns.iter().for_each(|&c| levels[c] = level);
        }
        Node(levels.into())
    }

    /// For every dimension, its size and the distance in positions between neighbours along it.
    pub fn strides(&self) -> Vec<(usize, usize)> {
        let mut strides = vec![(0, 0); self.dimensions.len()];
        let mut stride = 1;
        for (i, d) in self.dimensions.iter().enumerate().rev() {
            let size = usize::from(d.high - d.low) + 1;
            strides[i] = (size, stride);
            stride *= size;
        }
        strides
    }

    /// How many nodes lie at each height, from the bottom's height up.
    pub fn profile(&self) -> Vec<f64> {
        profile(self.dimensions.iter().map(|d| (d.low as usize, d.high as usize, d.columns.len())))
    }

    fn after(&self, node: &Node) -> Option<Node> {
        let mut levels = node.0.clone();
        for d in self.dimensions.iter().rev() {
            let level = levels[d.columns[0]];
            let raised = if level < d.high { level + 1 } else { d.low };
            d.columns.iter().for_each(|&c| levels[c] = raised);
            if level < d.high {
                return Some(Node(levels));
            }
        }
        None
    }

    fn node(&self, level: impl Fn(&Dimension) -> u8) -> Node {
        let mut levels = vec![0u8; self.columns];
        for d in &self.dimensions {
            d.columns.iter().for_each(|&c| levels[c] = level(d));
        }
        Node(levels.into())
    }
}

/// How many nodes lie at each height, lowest first, from `(min level, max level, columns)`: a free
/// column counts as 1 column, columns that must sit at the same level as one entry with their
/// number.
///
/// Floating point, because a few dozen columns have more nodes than any integer counts.
pub fn profile(ranges: impl IntoIterator<Item = (usize, usize, usize)>) -> Vec<f64> {
    ranges.into_iter().fold(vec![1.0], |counts, (min, max, columns)| {
        let steps = max.saturating_sub(min);
        let mut next = vec![0.0; counts.len() + steps * columns];
        for (height, &count) in counts.iter().enumerate() {
            for level in 0..=steps {
                let cell = &mut next[height + level * columns];
                *cell = (*cell + count).min(f64::MAX);
            }
        }
        next
    })
}

fn step(node: &Node, dimension: &Dimension, level: u8) -> Node {
    let mut levels = node.0.clone();
    dimension.columns.iter().for_each(|&c| levels[c] = level);
    Node(levels)
}

fn range_fault(column: &Limits, faults: &mut Vec<Fault>) {
    let highest = format!("the hierarchy of `{}` has levels 0 to {}", column.name, column.height);
    for (part, level) in [("min_level", column.min), ("max_level", column.max)] {
        if let Some(level) = level.filter(|&l| l > column.height) {
            faults.push(
                fault!(Input, "hierarchy.no-such-level", "there is no level {level}", level = level)
                    .key(format!("columns.{}.{part}", column.name))
                    .help(&highest),
            );
        }
    }
    if column.height > 127 {
        faults.push(
            fault!(
                Input,
                "hierarchy.too-many-levels",
                "a hierarchy of {levels} levels is too high",
                levels = column.height + 1
            )
            .column(&column.name)
            .help("128 levels are the most; mask more characters per level, for instance"),
        );
    }
}

fn dimension(limits: &[Limits], columns: Vec<usize>) -> Result<Dimension> {
    let low = columns.iter().map(|&c| limits[c].min.unwrap_or(0)).max().unwrap_or(0);
    let high = columns.iter().map(|&c| limits[c].max.unwrap_or(limits[c].height)).min().unwrap_or(0);
    if low > high {
        let names: Vec<_> = columns.iter().map(|&c| format!("`{}`", limits[c].name)).collect();
        return Err(fault!(
            Input,
            "search.no-common-level",
            "linked columns {columns} have no common level",
            columns = names.join(", ")
        )
        .key("search.linked")
        .help("widen their min_level and max_level until they overlap")
        .into());
    }
    Ok(Dimension { columns, low: low as u8, high: high as u8 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(heights: &[usize]) -> Vec<Limits> {
        heights
            .iter()
            .enumerate()
            .map(|(i, &height)| Limits { name: format!("c{i}"), height, min: None, max: None })
            .collect()
    }

    #[test]
    fn enumerates_in_order_and_finds_positions() {
        let lattice = Lattice::new(&limits(&[2, 1, 3]), &[]).unwrap();
        let nodes: Vec<Node> = lattice.iter().collect();
        assert_eq!(nodes.len() as u128, lattice.nodes());
        assert!(nodes.windows(2).all(|w| w[0] < w[1]));
        for (i, node) in nodes.iter().enumerate() {
            assert_eq!(lattice.index(node), i);
            assert_eq!(&lattice.at(i), node);
        }
        let profile = lattice.profile();
        for (h, &n) in profile.iter().enumerate() {
            assert_eq!(n, nodes.iter().filter(|x| x.height() as usize == h).count() as f64);
        }
    }

    #[test]
    fn linked_columns_move_together() {
        let lattice = Lattice::new(&limits(&[2, 1, 3]), &[vec![0, 2]]).unwrap();
        assert_eq!(lattice.nodes(), 3 * 2);
        assert!(lattice.iter().all(|n| n.level(0) == n.level(2)));
        assert_eq!(lattice.top().levels(), [2, 1, 2]);
        assert_eq!(lattice.successors(&lattice.bottom()).count(), 2);
        assert_eq!(lattice.profile(), [1.0; 6]);
    }

    #[test]
    fn limits_are_kept_and_checked() {
        let mut columns = limits(&[2, 3]);
        columns[1].min = Some(1);
        columns[1].max = Some(2);
        let lattice = Lattice::new(&columns, &[]).unwrap();
        assert_eq!(lattice.nodes(), 6);
        assert_eq!(lattice.predecessors(&lattice.bottom()).count(), 0);
        columns[1].max = Some(4);
        columns[0].min = Some(9);
        let error = Lattice::new(&columns, &[]).unwrap_err();
        assert_eq!(error.faults().len(), 2);
        let mut linked = limits(&[2, 3]);
        linked[1].min = Some(3);
        assert!(Lattice::new(&linked, &[vec![0, 1]]).is_err());
    }
}
