//! Node files: nodes and their parents [Katirai 2006, MatrixPoset], the basis of explicit posets
//! and of codes.
//!
//! One line per node: its name, its measure (optional), its parents. The root has no parent, or
//! itself as its only parent, as in Katirai's files. Measures are given for all nodes or for none.
//! If none is given, or all are equal as in Katirai's example 4, the measure of a node is its
//! height, the longest path down [Katirai 2006, method 1 of weighing]: equal measures would mean
//! that no value carries information. Measures are scaled so that the root's is 1. A parent's
//! measure must not be below its child's.
//!
//! Nodes are numbered by (measure, height, order in the file), so lists of them are in the order of
//! preference, and a parent comes after its children. Costs one pass over the text and a sort;
//! otherwise linear.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::cell::number;
use crate::error::{Error, Fault, Result, nearest};
use crate::fault;
use crate::hierarchy::file::{DELIMITERS, few};
use crate::hierarchy::{File, TOP};
use crate::table::Code;
use crate::table::delimited::{self, Row};

/// More nodes above nodes than these are not held: 256 MB.
const MOST_ABOVE: usize = 1 << 26;

/// The most unknown names that are compared with all others; each costs as much as reading the file.
pub(super) const GUESSED: usize = 10;

/// Nodes, the least first.
#[derive(Debug)]
pub(super) struct Graph {
    names: Vec<String>,
    parents: Vec<Vec<Code>>,
    measures: Vec<f64>,
    lines: Vec<u64>,
    index: FxHashMap<String, Code>,
}

impl Graph {
    /// The graph of a file that a policy names.
    pub(super) fn load(spec: &File, load: &dyn Fn(&str) -> Result<String>) -> Result<Self> {
        let text = load(spec.path())?;
        Graph::parse(&text, spec.delimiter()).map_err(|error| error.map(|fault| fault.file(spec.path())))
    }

    /// Reads the text of a file.
    pub(super) fn parse(text: &str, delimiter: Option<char>) -> Result<Self> {
        let rows = rows(text.strip_prefix('\u{feff}').unwrap_or(text), delimiter)?;
        let (index, parents) = Listed::new(&rows)?.resolved()?;
        let order = children_first(&rows, &parents)?;
        let heights = heights(&parents, &order);
        let measures = measures(&rows, &parents, &heights, &order)?;
        let mut ranked: Vec<usize> = (0..rows.len()).collect();
        let key = |at: usize| (measures[at], heights[at], at);
        ranked.sort_by(|&a, &b| {
            let (a, b) = (key(a), key(b));
            a.0.total_cmp(&b.0).then_with(|| (a.1, a.2).cmp(&(b.1, b.2)))
        });
        let mut rank = vec![0; rows.len()];
        ranked.iter().enumerate().for_each(|(place, &at)| rank[at] = place as Code);
        let above = |at: usize| parents[at].iter().map(|&parent| rank[parent]).collect();
        Ok(Graph {
            parents: ranked.iter().map(|&at| above(at)).collect(),
            measures: ranked.iter().map(|&at| measures[at]).collect(),
            lines: ranked.iter().map(|&at| rows[at].line).collect(),
            names: ranked.iter().map(|&at| rows[at].cells[0].to_owned()).collect(),
            index: index.into_iter().map(|(name, at)| (name.to_owned(), rank[at])).collect(),
        })
    }

    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    pub(super) fn name(&self, node: Code) -> &str {
        &self.names[node as usize]
    }

    /// Where the node stands in the file, from 1.
    pub(super) fn line(&self, node: Code) -> u64 {
        self.lines[node as usize]
    }

    pub(super) fn measure(&self, node: Code) -> f64 {
        self.measures[node as usize]
    }

    /// The parents of a node in the order of the file; none of the root.
    pub(super) fn parents(&self, node: Code) -> &[Code] {
        &self.parents[node as usize]
    }

    /// The node of a name.
    pub(super) fn find(&self, name: &str) -> Option<Code> {
        self.index.get(name).copied()
    }

    /// Every node's ancestors and itself, the least first: the transitive closure. The parents come
    /// after their children, so that it is made from the root downwards.
    pub(super) fn closure(&self) -> Result<Vec<Vec<Code>>> {
        let mut above: Vec<Vec<Code>> = vec![Vec::new(); self.len()];
        let mut held = 0;
        for node in (0..self.len()).rev() {
            let mut all = vec![node as Code];
            for &parent in &self.parents[node] {
                all.extend_from_slice(&above[parent as usize]);
            }
            all.sort_unstable();
            all.dedup();
            held += all.len();
            if held > MOST_ABOVE {
                return Err(fault!(
                    Input,
                    "poset.too-many-nodes-above",
                    "nodes have more than {limit} nodes above them together",
                    limit = MOST_ABOVE
                )
                .help("give the poset fewer nodes, or fewer between them and the root")
                .into());
            }
            above[node] = all;
        }
        Ok(above)
    }

    /// Node → the longest way from the root to it.
    pub(super) fn depths(&self) -> Vec<u32> {
        let mut depths = vec![0; self.len()];
        // Parents come after their children.
        for node in (0..self.len()).rev() {
            let over = self.parents(node as Code).iter().map(|&parent| depths[parent as usize] + 1);
            depths[node] = over.max().unwrap_or(0);
        }
        depths
    }

    /// Whether a node is another or generalizes it: the definition, by walking up.
    pub(super) fn is_above(&self, high: Code, low: Code) -> bool {
        let (mut open, mut seen) = (vec![low], FxHashSet::default());
        while let Some(node) = open.pop() {
            if node == high {
                return true;
            }
            for &parent in self.parents(node) {
                // What comes after the looked-for node in order cannot be below it.
                if parent <= high && seen.insert(parent) {
                    open.push(parent);
                }
            }
        }
        false
    }
}

/// The lines of the file, by the delimiter that gives most of them a name, a measure and a parent.
fn rows(text: &str, delimiter: Option<char>) -> Result<Vec<Row>> {
    let fitting = |widths: &Vec<usize>| widths.iter().filter(|width| **width > 2).count();
    let found = || {
        let fitting: Vec<usize> = delimited::widths(text, &DELIMITERS)?.iter().map(fitting).collect();
        // The first of the best: the rarer a delimiter is within names, the earlier it comes.
        let best = fitting.iter().position(|count| Some(count) == fitting.iter().max())?;
        Some(DELIMITERS[best])
    };
    let rows = delimited::records(text, delimiter.or_else(found).unwrap_or(DELIMITERS[0]))?;
    if rows.is_empty() {
        return Err(fault!(Input, "poset.no-nodes", "the poset has no nodes")
            .help("write one line per node: name;measure or nothing;parent;parent;…")
            .into());
    }
    Ok(rows)
}

/// Name → place in the file.
type Places<'a> = FxHashMap<&'a str, usize>;

/// The names of a file's nodes.
struct Listed<'a> {
    rows: &'a [Row],
    index: Places<'a>,
}

impl<'a> Listed<'a> {
    fn new(rows: &'a [Row]) -> Result<Self> {
        let mut index = Places::default();
        let mut faults = Vec::new();
        for (at, row) in rows.iter().enumerate() {
            let name = &row.cells[0];
            if name.is_empty() {
                faults.push(
                    fault!(Input, "poset.node-without-name", "the node has no name")
                        .line(row.line)
                        .help("write a name first"),
                );
            } else if let Some(&first) = index.get(name) {
                faults.push(
                    fault!(
                        Input,
                        "poset.node-given-twice",
                        "node `{node}` is given twice, first in line {first_line}",
                        node = name,
                        first_line = rows[first].line
                    )
                    .line(row.line)
                    .help("list all its parents in one line"),
                );
            } else {
                index.insert(name, at);
            }
        }
        if faults.is_empty() { Ok(Listed { rows, index }) } else { Err(few(faults)) }
    }

    /// Every node's parents by their places, with one root and no unknown name.
    fn resolved(self) -> Result<(Places<'a>, Vec<Vec<usize>>)> {
        let mut faults = Vec::new();
        let mut parents: Vec<Vec<usize>> = Vec::with_capacity(self.rows.len());
        for (at, row) in self.rows.iter().enumerate() {
            let mut found = Vec::new();
            for name in row.cells.iter().skip(2).filter(|name| !name.is_empty()) {
                match self.index.get(name) {
                    Some(parent) if found.contains(parent) => {}
                    Some(&parent) => found.push(parent),
                    None => faults.push(self.unknown(row, name, faults.len() < GUESSED)),
                }
            }
            if found == [at] {
                found.clear();
            }
            parents.push(found);
        }
        if faults.is_empty() {
            faults = self.roots(&parents);
        }
        if faults.is_empty() { Ok((self.index, parents)) } else { Err(few(faults)) }
    }

    fn unknown(&self, row: &Row, name: &str, guess: bool) -> Fault {
        let names = self.rows.iter().map(|row| &row.cells[0]).filter(|_| guess);
        let near = nearest(name, names);
        let help = near.map_or_else(
            || "every parent needs a line of its own".into(),
            |near| format!("did you mean `{near}`? every parent needs a line of its own"),
        );
        fault!(
            Input,
            "poset.unknown-parent",
            "`{node}` has the parent `{parent}`, which is not a node",
            node = row.cells[0],
            parent = name
        )
        .line(row.line)
        .help(help)
    }

    /// Errors of the nodes without a parent: there must be exactly one, and no other node may have
    /// the name of the top.
    fn roots(&self, parents: &[Vec<usize>]) -> Vec<Fault> {
        let mut roots = (0..parents.len()).filter(|&at| parents[at].is_empty());
        let Some(root) = roots.next() else { return Vec::new() };
        let name = |at: usize| &self.rows[at].cells[0];
        let second = roots.next().map(|other| {
            let help = format!("give `{}` a parent, or put `{TOP}` above both", name(other));
            fault!(
                Input,
                "poset.two-roots",
                "two roots: neither `{first}` nor `{second}` has a parent",
                first = name(root),
                second = name(other)
            )
            .line(self.rows[other].line)
            .help(help)
        });
        let star = self.index.get(TOP).filter(|&&at| at != root).map(|&at| {
            fault!(Input, "poset.top-has-parent", "`{node}` has a parent", node = TOP)
                .line(self.rows[at].line)
                .help("a cell `*` is the root: give the node another name")
        });
        second.into_iter().chain(star).collect()
    }
}

/// The nodes, every one after all that it generalizes; or a cycle.
fn children_first(rows: &[Row], parents: &[Vec<usize>]) -> Result<Vec<usize>> {
    let mut children = vec![0usize; rows.len()];
    parents.iter().flatten().for_each(|&parent| children[parent] += 1);
    let mut order: Vec<usize> = (0..rows.len()).filter(|&at| children[at] == 0).collect();
    let mut done = 0;
    while let Some(&at) = order.get(done) {
        done += 1;
        for &parent in &parents[at] {
            children[parent] -= 1;
            if children[parent] == 0 {
                order.push(parent);
            }
        }
    }
    if done == rows.len() { Ok(order) } else { Err(cycle(rows, parents, &children)) }
}

/// A cycle among the nodes that were never free of children. Some of these only lie above one; none
/// that has a child left does not, so going down from any of them ends in a circle.
fn cycle(rows: &[Row], parents: &[Vec<usize>], children: &[usize]) -> Error {
    let mut child = vec![None; rows.len()];
    for at in (0..rows.len()).filter(|&at| children[at] > 0) {
        parents[at].iter().for_each(|&parent| child[parent] = Some(at));
    }
    let mut way: Vec<usize> = Vec::new();
    let mut at = (0..rows.len()).find(|&at| children[at] > 0);
    while let Some(next) = at {
        if let Some(start) = way.iter().position(|&seen| seen == next) {
            way.drain(..start);
            break;
        }
        way.push(next);
        at = child[next];
    }
    way.reverse();
    let first = way.iter().enumerate().min_by_key(|(_, at)| **at).map_or(0, |(place, _)| place);
    way.rotate_left(first);
    let named: Vec<String> =
        way.iter().chain(way.first()).map(|&at| format!("`{}`", &rows[at].cells[0])).collect();
    let line = way.first().map_or(1, |&at| rows[at].line);
    fault!(Input, "poset.cycle", "a cycle: {nodes}", nodes = named.join(" is below "))
        .line(line)
        .help("no node may be above itself: take one of these parents away")
        .into()
}

/// The longest way down from every node.
fn heights(parents: &[Vec<usize>], order: &[usize]) -> Vec<usize> {
    let mut heights = vec![0; parents.len()];
    for &at in order {
        parents[at].iter().for_each(|&parent| heights[parent] = heights[parent].max(heights[at] + 1));
    }
    heights
}

/// Measures with the root's at 1: those given, or else heights.
fn measures(rows: &[Row], parents: &[Vec<usize>], heights: &[usize], order: &[usize]) -> Result<Vec<f64>> {
    let written = |row: &Row| row.cells.get(1).is_some_and(|cell| !cell.trim().is_empty());
    // The last of the order is the root: all others are below it.
    let root = order.last().copied().unwrap_or_default();
    let by_height = || {
        let most = heights[root].max(1) as f64;
        heights.iter().map(|&height| height as f64 / most).collect()
    };
    if !rows.iter().any(written) {
        return Ok(by_height());
    }
    let mut faults = Vec::new();
    let mut given = Vec::with_capacity(rows.len());
    for row in rows {
        let value = row.cells.get(1).and_then(number).filter(|value| *value >= 0.0);
        if value.is_none() {
            faults.push(unmeasured(row, written(row)));
        }
        given.push(value.unwrap_or_default());
    }
    if faults.is_empty() {
        faults = falling(rows, parents, &given);
    }
    if faults.is_empty() && given[root] <= 0.0 {
        faults.push(
            fault!(
                Input,
                "poset.root-measures-nothing",
                "the root `{node}` has the measure 0, so that all are worth the same",
                node = rows[root].cells[0]
            )
            .line(rows[root].line)
            .help("give no measures, and heights count"),
        );
    }
    if !faults.is_empty() {
        return Err(few(faults));
    }
    if given.iter().all(|value| *value == given[root]) {
        return Ok(by_height());
    }
    Ok(given.iter().map(|value| value / given[root]).collect())
}

fn unmeasured(row: &Row, written: bool) -> Fault {
    let name = &row.cells[0];
    let fault = if written {
        fault!(
            Input,
            "poset.measure-not-a-number",
            "`{value}` is not a measure of `{node}`",
            value = row.cells[1],
            node = name
        )
        .help("give a number from 0")
    } else {
        fault!(Input, "poset.node-without-measure", "`{node}` has no measure, and others have", node = name)
            .help("give every node a measure, or none, and heights count")
    };
    fault.line(row.line)
}

/// Nodes that would be worth more than what they generalize.
fn falling(rows: &[Row], parents: &[Vec<usize>], given: &[f64]) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (at, above) in parents.iter().enumerate() {
        for &parent in above.iter().filter(|&&parent| given[parent] < given[at]) {
            let (low, high) = (&rows[at].cells, &rows[parent].cells);
            let help = "a parent is at least as general as its child: its measure must not be less";
            let fault = fault!(
                Input,
                "poset.measure-falls",
                "non-monotone measure: `{node}` has {measure}, and its parent `{parent}` has {parent_measure}",
                node = low[0],
                measure = low[1].trim(),
                parent = high[0],
                parent_measure = high[1].trim()
            );
            faults.push(fault.line(rows[at].line).help(help));
        }
    }
    faults
}
