//! A tree of bounds over ranges in several columns [Bentley 1975]: counts the rows of items that
//! meet a query, without looking at subtrees whose bounds do not.
//!
//! Costs n · log n to build and (2 · columns + 3) · 4 bytes per item, about.

/// The numbers from one to another; empty if the first is greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) low: u32,
    pub(crate) high: u32,
}

impl Range {
    pub(crate) fn has(self, number: u32) -> bool {
        self.low <= number && number <= self.high
    }

    fn meets(self, other: Range) -> bool {
        self.low <= other.high && other.low <= self.high
    }

    fn inside(self, other: Range) -> bool {
        other.low <= self.low && self.high <= other.high
    }

    fn center(self) -> u64 {
        u64::from(self.low) + u64::from(self.high)
    }
}

/// Most items of a node that is not divided.
const FEW: usize = 8;

struct Node {
    /// Its items, in the order of the tree.
    start: u32,
    end: u32,
    /// Their rows.
    rows: u64,
    /// The node after its left part; none where it is not divided.
    right: Option<u32>,
}

/// Items with a range in every column, and rows.
pub(crate) struct Tree {
    width: usize,
    items: Vec<u32>,
    rows: Vec<u64>,
    nodes: Vec<Node>,
    /// Node → column → the range that has those of all items.
    bounds: Vec<Range>,
}

impl Tree {
    /// Of items that have their ranges end to end, and rows.
    pub(crate) fn new(width: usize, ranges: &[Range], rows: &[u64]) -> Self {
        let items = (0..rows.len() as u32).collect();
        let mut tree = Tree { width, items, rows: rows.to_vec(), nodes: Vec::new(), bounds: Vec::new() };
        if !rows.is_empty() {
            tree.divide(ranges, 0, rows.len());
        }
        tree
    }

    fn divide(&mut self, ranges: &[Range], start: usize, end: usize) {
        let width = self.width;
        let range = |item: u32, column: usize| ranges[item as usize * width + column];
        let items = &mut self.items[start..end];
        let rows = items.iter().map(|&item| self.rows[item as usize]).sum();
        let mut widest = (0, 0);
        for column in 0..width {
            let (mut bound, mut centers) = (Range { low: u32::MAX, high: 0 }, (u64::MAX, 0));
            for &item in items.iter() {
                let Range { low, high } = range(item, column);
                bound = Range { low: bound.low.min(low), high: bound.high.max(high) };
                let center = range(item, column).center();
                centers = (centers.0.min(center), centers.1.max(center));
            }
            self.bounds.push(bound);
            widest = widest.max((centers.1 - centers.0, column));
        }
        let at = self.nodes.len();
        self.nodes.push(Node { start: start as u32, end: end as u32, rows, right: None });
        if items.len() <= FEW || widest.0 == 0 {
            return;
        }
        let middle = items.len() / 2;
        items.select_nth_unstable_by_key(middle, |&item| (range(item, widest.1).center(), item));
        self.divide(ranges, start, start + middle);
        self.nodes[at].right = Some(self.nodes.len() as u32);
        self.divide(ranges, start + middle, end);
    }

    /// The rows of the items that `matches` has, which meet a query in every column; at least
    /// `limit` where it is that or more. `whole`: all items within the query match.
    pub(crate) fn count(
        &self,
        query: &[Range],
        (limit, whole): (u64, bool),
        matches: impl Fn(usize) -> bool,
    ) -> u64 {
        let mut count = 0;
        let mut open = if self.nodes.is_empty() { Vec::new() } else { vec![0] };
        while let Some(at) = open.pop() {
            let bounds = self.bounds[at * self.width..][..self.width].iter().zip(query);
            if !bounds.clone().all(|(bound, &query)| bound.meets(query)) {
                continue;
            }
            let node = &self.nodes[at];
            match node.right {
                _ if whole && bounds.clone().all(|(bound, &query)| bound.inside(query)) => count += node.rows,
                Some(right) => open.extend([right as usize, at + 1]),
                None => {
                    let items = &self.items[node.start as usize..node.end as usize];
                    let found = items.iter().filter(|item| matches(**item as usize));
                    count += found.map(|&item| self.rows[item as usize]).sum::<u64>();
                }
            }
            if count >= limit {
                break;
            }
        }
        count
    }

    /// Calls `take` with all items that can meet a query, and perhaps others, until it returns
    /// false.
    pub(crate) fn each(&self, query: &[Range], mut take: impl FnMut(usize) -> bool) {
        let mut open = if self.nodes.is_empty() { Vec::new() } else { vec![0] };
        while let Some(at) = open.pop() {
            let mut bounds = self.bounds[at * self.width..][..self.width].iter().zip(query);
            if !bounds.all(|(bound, &query)| bound.meets(query)) {
                continue;
            }
            let node = &self.nodes[at];
            match node.right {
                Some(right) => open.extend([right as usize, at + 1]),
                None => {
                    for &item in &self.items[node.start as usize..node.end as usize] {
                        if !take(item as usize) {
                            return;
                        }
                    }
                }
            }
        }
    }
}
