//! Multisets of codes [Katirai 2006, SparseMatrixPoset]: `427.89:10; 031:2` is a patient with ten
//! occurrences of one diagnosis and two of another.
//!
//! A cell `427.8:3; 031` states that three different occurrences are 427.8 or below it and that one
//! other is 031 or below it; it says nothing about further occurrences. So it is true of a value if
//! the occurrences in the cell can be matched with different ones of the value, each at or below
//! its node.
//!
//! **Bound.** Let c(t) be the number of occurrences of a value at node t or below, and m(t) the
//! minimum of c(t) over all values. In a tree the sets of codes below nodes nest, so by Hall's
//! theorem [Hall 1935] a cell is true of all values if and only if its occurrences at t or below
//! number at most m(t), for every t. The cell with exactly m(t) at t or below has, at t itself,
//! m(t) minus the sum over the children of t. It matches equal codes first, then those that meet
//! lowest, and no other cell that is true of all values has more at any node. Only the counts m(t)
//! are kept; a minimum does not depend on order, so neither do joins.
//!
//! **Limits.** `most` is the number of pairs of code and frequency that a cell shows. A value with
//! more loses the later ones: Katirai stores diagnoses from left to right and purges those that do
//! not fit. `most_occurrences` then keeps the first occurrences. Bounds are those of shortened
//! values, so that the bound of equal values within the limits is the value. A bound may have more
//! pairs than any of its values; then the least cell among those with at most `most` pairs is taken
//! (limit.rs). Cells remain true of the values as the table has them.
//!
//! An occurrence at a node of measure u is worth 1 − u; those at the root are worth nothing and are
//! not written. The measure is 1 − (sum of worths) / n, where n is the number of occurrences of the
//! value that has most, before it is shortened: a cell that shows fewer occurrences than its value
//! has, or nodes that are worth less, never has measure 0. Joining lowers m(t), so the measure never
//! falls. Worths are whole numbers of 2⁻³², so that sums are exact.
//!
//! If a node has several parents, bounds use the first one, which turns the poset into a tree:
//! cells remain true but may be higher than necessary. `covers` knows all parents. Joining costs
//! the nodes above the codes of a value.

use super::graph::Graph;
use super::limit::{self, Node};
use super::{Codes, Common, Given, Kind};
use crate::error::{Error, Fault, Result};
use crate::fault;
use crate::hierarchy::TOP;
use crate::hierarchy::file::few;
use crate::table::Code;

/// Limits above this one are refused.
pub(super) const MOST: u32 = 1_000_000;

/// What an occurrence of measure 0 is worth.
const UNIT: f64 = (1u64 << 32) as f64;

/// Nodes with how often each occurs, in the order of nodes.
type Pairs = Vec<(Code, u32)>;

/// The codes of every value, counted at every node above.
#[derive(Debug)]
pub(super) struct Multisets {
    graph: Graph,
    /// Most pairs of a cell.
    most: usize,
    /// Most occurrences of a cell.
    most_occurrences: u32,
    /// Occurrences of the value that has most, at least 1.
    full: u32,
    /// Value → nodes with how many occurrences are at or below them, within the limits.
    of: Vec<Pairs>,
}

impl Multisets {
    pub(super) fn new(
        spec: &Codes,
        given: &Given<'_>,
        load: &dyn Fn(&str) -> Result<String>,
    ) -> Result<Self> {
        Error::check(out_of_range(spec))?;
        let path = spec.file.path();
        let graph = Graph::load(&spec.file, load)?;
        readable(&graph).map_err(|error| error.map(|fault| fault.file(path)))?;
        let unread = |value: &str| {
            fault!(
                Data,
                "poset.value-not-a-list",
                "`{value}` is not a list of nodes of {file} such as `a:2; b`",
                value = value,
                file = path
            )
        };
        let read = given.read(|text| listed(&graph, text).filter(|pairs| total(pairs).is_some()), unread)?;
        let read: Vec<Pairs> = read.into_iter().map(Option::unwrap_or_default).collect();
        let full = read.iter().filter_map(|pairs| total(pairs)).fold(1, u32::max);
        let most_occurrences = spec.most_occurrences.unwrap_or(u32::MAX);
        let most = spec.most as usize;
        let of = read.into_iter().map(|pairs| counted(&graph, &shortened(pairs, most, most_occurrences)));
        Ok(Multisets { of: of.collect(), graph, most, most_occurrences, full })
    }

    /// What one occurrence at a node is worth, in units of 2⁻³².
    fn worth(&self, node: Code) -> u64 {
        ((1.0 - self.graph.measure(node)) * UNIT) as u64
    }

    /// The bound without a limit of pairs: the occurrences at every node itself.
    fn bound(&self, counts: &[(Code, u32)]) -> Pairs {
        let mut below = vec![0u32; counts.len()];
        let mut shown = Vec::new();
        for (at, &(node, count)) in counts.iter().enumerate() {
            // Children come before their parents, and a parent counts at least what its children do
            // together.
            if let Some(parent) = parent(&self.graph, node)
                && let Ok(place) = counts.binary_search_by_key(&parent, |pair| pair.0)
            {
                below[place] += count;
            }
            let own = count.saturating_sub(below[at]);
            if own > 0 && self.worth(node) > 0 {
                shown.push((node, own));
            }
        }
        shown
    }

    /// The least cell within the limit of pairs.
    fn cell(&self, counts: &[(Code, u32)]) -> Pairs {
        let shown = self.bound(counts);
        if shown.len() <= self.most {
            return shown;
        }
        let place = |node: Code| counts.binary_search_by_key(&node, |pair| pair.0).ok();
        let node = |&(code, count): &(Code, u32)| Node {
            code,
            parent: parent(&self.graph, code).and_then(place),
            count,
            worth: self.worth(code),
        };
        limit::best(&counts.iter().map(node).collect::<Vec<_>>(), self.most)
    }

    fn measured(&self, counts: &[(Code, u32)]) -> f64 {
        self.measure_pairs(&self.cell(counts))
    }

    fn measure_pairs(&self, shown: &[(Code, u32)]) -> f64 {
        let worths = shown.iter().map(|&(node, often)| u128::from(self.worth(node)) * u128::from(often));
        1.0 - (worths.sum::<u128>() as f64 / (UNIT * f64::from(self.full))).min(1.0)
    }
}

/// Limits that no cell could keep.
fn out_of_range(spec: &Codes) -> Vec<Fault> {
    let limits = [("most", Some(spec.most)), ("most_occurrences", spec.most_occurrences)];
    let given = limits.into_iter().filter_map(|(key, limit)| Some((key, limit?)));
    let wrong = given.filter(|(_, limit)| !(1..=MOST).contains(limit));
    let fault = |(key, limit): (&'static str, u32)| {
        fault!(Input, "poset.most-out-of-range", "{key} = {value} is out of range", key = key, value = limit)
            .key(key)
            .help(format!("give a number from 1 to {MOST}"))
    };
    wrong.map(fault).collect()
}

/// The parent by which bounds go.
fn parent(graph: &Graph, node: Code) -> Option<Code> {
    graph.parents(node).first().copied()
}

/// The nodes that a text lists, each once, in the order of their numbers; none if it is not a list
/// of nodes.
fn pairs(graph: &Graph, text: &str) -> Option<Pairs> {
    let mut pairs = listed(graph, text)?;
    pairs.sort_unstable();
    Some(pairs)
}

/// The nodes that a text lists, each once, in the order in which they are listed first; none if it
/// is not a list of nodes.
fn listed(graph: &Graph, text: &str) -> Option<Pairs> {
    let mut all: Vec<(Code, usize, u32)> = Vec::new();
    for (place, part) in text.split(';').map(str::trim).enumerate() {
        let (node, count) = match graph.find(part) {
            Some(node) => (node, 1),
            None => {
                let (name, count) = part.rsplit_once(':')?;
                let plain = !count.is_empty() && count.bytes().all(|b| b.is_ascii_digit());
                let count = plain.then(|| count.parse::<u32>().ok()).flatten().filter(|count| *count > 0)?;
                (graph.find(name.trim_end())?, count)
            }
        };
        all.push((node, place, count));
    }
    all.sort_unstable();
    let same = all.chunk_by(|a, b| a.0 == b.0);
    let sum = |run: &[(Code, usize, u32)]| run.iter().try_fold(0u32, |sum, one| sum.checked_add(one.2));
    let mut merged = same
        .map(|run| Some((run[0].1, (run[0].0, sum(run)?))))
        .collect::<Option<Vec<(usize, (Code, u32))>>>()?;
    merged.sort_unstable();
    Some(merged.into_iter().map(|(_, pair)| pair).collect())
}

/// All occurrences; none where there are more than can be counted.
fn total(pairs: &[(Code, u32)]) -> Option<u32> {
    pairs.iter().try_fold(0u32, |sum, pair| sum.checked_add(pair.1))
}

/// The first pairs, and of these the first occurrences.
fn shortened(mut pairs: Pairs, most: usize, most_occurrences: u32) -> Pairs {
    pairs.truncate(most);
    let mut left = most_occurrences;
    for pair in &mut pairs {
        pair.1 = pair.1.min(left);
        left -= pair.1;
    }
    pairs.retain(|pair| pair.1 > 0);
    pairs
}

/// How many occurrences are at or below every node. The sums are at most [`total`].
fn counted(graph: &Graph, pairs: &[(Code, u32)]) -> Pairs {
    let mut counts = Pairs::new();
    for &(code, count) in pairs {
        let mut node = Some(code);
        while let Some(at) = node {
            counts.push((at, count));
            node = parent(graph, at);
        }
    }
    counts.sort_unstable();
    let merged = counts.chunk_by(|a, b| a.0 == b.0);
    merged.map(|run| (run[0].0, run.iter().map(|pair| pair.1).sum())).collect()
}

fn written(graph: &Graph, pairs: &[(Code, u32)]) -> String {
    let pair = |&(node, count): &(Code, u32)| match count {
        1 => graph.name(node).to_owned(),
        _ => format!("{}:{count}", graph.name(node)),
    };
    if pairs.is_empty() { TOP.into() } else { pairs.iter().map(pair).collect::<Vec<_>>().join("; ") }
}

/// Every name must be read back as itself, or a cell could mean something else.
fn readable(graph: &Graph) -> Result<()> {
    let back = |pair: (Code, u32)| pairs(graph, &written(graph, &[pair])) == Some(vec![pair]);
    let wrong = (0..graph.len() as Code).filter(|&node| !(back((node, 1)) && back((node, 2))));
    let fault = |node: Code| {
        fault!(
            Input,
            "poset.node-not-readable-in-list",
            "a list with `{node}` could not be read back",
            node = graph.name(node)
        )
        .line(graph.line(node))
        .help(
            "a code has no `;` and no space at its ends, and none is another with `:` and a number behind it",
        )
    };
    let mut faults: Vec<Fault> = wrong.map(fault).collect();
    faults.sort_by_key(|fault| fault.place.line);
    if faults.is_empty() { Ok(()) } else { Err(few(faults)) }
}

/// The lesser counts of nodes that two lists share.
fn lesser(a: &[(Code, u32)], b: &[(Code, u32)]) -> Pairs {
    let mut other = b.iter().peekable();
    let shared = a.iter().filter_map(|&(node, count)| {
        while other.next_if(|next| next.0 < node).is_some() {}
        other.peek().filter(|next| next.0 == node).map(|next| (node, count.min(next.1)))
    });
    shared.collect()
}

impl Kind for Multisets {
    /// The nodes above a value's codes by their depth, each with how many occurrences are at or
    /// below it.
    fn implied(&self, values: &[Code]) -> Vec<Vec<Vec<u64>>> {
        let depths = self.graph.depths();
        let deepest = depths.iter().copied().max().unwrap_or(0);
        let at = |value: Code, depth: u32| -> Vec<u64> {
            let nodes = self.of[value as usize].iter().filter(|(node, _)| depths[*node as usize] == depth);
            nodes.flat_map(|&(node, count)| [u64::from(node), u64::from(count)]).collect()
        };
        values.iter().map(|&value| (1..=deepest).map(|depth| at(value, depth)).collect()).collect()
    }

    fn only(&self, value: Code) -> Common {
        Common::Codes(self.of[value as usize].clone())
    }

    fn join(&self, common: &mut Common, value: Code) {
        if let Common::Codes(counts) = common {
            *counts = lesser(counts, &self.of[value as usize]);
        }
    }

    fn measure(&self, common: &Common) -> f64 {
        if let Common::Codes(counts) = common { self.measured(counts) } else { 1.0 }
    }

    fn cells(&self, common: &Common) -> Vec<String> {
        match common {
            Common::Codes(counts) => vec![written(&self.graph, &self.cell(counts))],
            _ => vec![TOP.into()],
        }
    }

    fn measure_of(&self, cell: &str) -> Option<f64> {
        let shown = pairs(&self.graph, cell)?;
        let within = shown.len() <= self.most && total(&shown)? <= self.most_occurrences;
        within.then(|| self.measure_pairs(&shown))
    }

    fn alone(&self, common: &Common) -> Vec<Common> {
        match common {
            Common::Codes(counts) => vec![Common::Codes(counted(&self.graph, &self.cell(counts)))],
            _ => vec![common.clone()],
        }
    }

    fn covers(&self, cell: &str, value: &str) -> bool {
        match (pairs(&self.graph, cell), pairs(&self.graph, value)) {
            (Some(shown), Some(had)) => can_be_met(&self.graph, &shown, &had),
            _ => false,
        }
    }
}

/// Whether every occurrence of the cell can be matched with a different one of the value: maximum
/// flow by shortest augmenting paths.
fn can_be_met(graph: &Graph, shown: &[(Code, u32)], had: &[(Code, u32)]) -> bool {
    let fits: Vec<Vec<usize>> = shown
        .iter()
        .map(|high| (0..had.len()).filter(|&low| graph.is_above(high.0, had[low].0)).collect())
        .collect();
    let mut wanted: Vec<u32> = shown.iter().map(|pair| pair.1).collect();
    let mut free: Vec<u32> = had.iter().map(|pair| pair.1).collect();
    let mut flow = vec![vec![0u32; had.len()]; shown.len()];
    while let Some(start) = wanted.iter().position(|&count| count > 0) {
        let Some(path) = shortest(start, &fits, &free, &flow) else { return false };
        let mut amount = wanted[start].min(free[path[path.len() - 1].1]);
        // A path goes over new matches and takes back the one before each.
        for step in path.windows(2) {
            amount = amount.min(flow[step[1].0][step[0].1]);
        }
        for (place, &(high, low)) in path.iter().enumerate() {
            flow[high][low] += amount;
            if let Some(next) = path.get(place + 1) {
                flow[next.0][low] -= amount;
            }
        }
        wanted[start] -= amount;
        free[path[path.len() - 1].1] -= amount;
    }
    true
}

/// The shortest augmenting path from a cell's pair to a value's pair with occurrences left, as
/// matches to add; between two of them, the second's previous match with the first's value pair is
/// undone.
fn shortest(
    start: usize,
    fits: &[Vec<usize>],
    free: &[u32],
    flow: &[Vec<u32>],
) -> Option<Vec<(usize, usize)>> {
    let mut reached: Vec<Option<usize>> = vec![None; free.len()];
    let mut from: Vec<Option<usize>> = vec![None; fits.len()];
    let mut seen = vec![false; fits.len()];
    seen[start] = true;
    let mut open = std::collections::VecDeque::from([start]);
    while let Some(high) = open.pop_front() {
        for &low in &fits[high] {
            if reached[low].is_some() {
                continue;
            }
            reached[low] = Some(high);
            if free[low] > 0 {
                return Some(way(low, start, &reached, &from));
            }
            for other in (0..fits.len()).filter(|&other| flow[other][low] > 0) {
                if !std::mem::replace(&mut seen[other], true) {
                    from[other] = Some(low);
                    open.push_back(other);
                }
            }
        }
    }
    None
}

fn way(end: usize, start: usize, reached: &[Option<usize>], from: &[Option<usize>]) -> Vec<(usize, usize)> {
    let mut path = Vec::new();
    let mut low = Some(end);
    while let Some(at) = low
        && let Some(high) = reached[at]
    {
        path.push((high, at));
        low = if high == start { None } else { from[high] };
    }
    path.reverse();
    path
}
