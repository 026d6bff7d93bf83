//! Codes and how often each occurs (K, SparseMatrixPoset): `427.89:10; 031:2` is a patient with ten occurrences of one diagnosis and two of another.
//!
//! A cell `427.8:3; 031` says: three different occurrences are 427.8 or below it, and one other is 031 or below it; of further ones it says nothing. So it is
//! true of a value when the occurrences that it tells can be matched with different ones of the value's, each at or below its node.
//!
//! The bound of some values follows from counts: let c(t) be how many occurrences a value has at node t or below, and m(t) the least c(t) of all
//! values. In a tree the sets of codes below nodes nest, so that by Hall's theorem a cell is true of all values just when the occurrences that it tells at t or below are at most
//! m(t), for every t. The cell that tells exactly m(t) at t or below tells m(t) less the sum over t's children at t itself. It matches equal codes first, then
//! those that meet lowest, and no other cell that is true of all values tells more at any node. The counts m(t) are all that is kept; a minimum does not depend on an order,
//! so joins of any number of values do not either.
//!
//! An occurrence at a node of measure u is worth 1 − u; those at the root are worth nothing and are not told. A cell tells at most `most` occurrences, the most
//! worthwhile first: sets of occurrences that keep to m(t) and to a number are a matroid, so taking the best first is best. The measure is 1 −
//! (sum of worths) / `most`. Joining lowers m(t), which leaves fewer cells to choose from, so the measure never falls. Worths are whole
//! numbers of 2⁻³², so that sums are exact.
//!
//! Where a node has several parents, bounds go by the first of them, which makes a tree of the poset: what is written stays true, and may be higher than it need be. `covers`
//! knows all parents. Joining costs the nodes above the codes of a value.

use super::graph::Graph;
use super::{Codes, Common, Given, Kind};
use crate::error::{Fault, Result};
use crate::hierarchy::TOP;
use crate::hierarchy::file::few;
use crate::table::Code;

/// More occurrences could not be summed exactly.
const MOST: u32 = 1_000_000;

/// What an occurrence of measure 0 is worth.
const UNIT: f64 = (1u64 << 32) as f64;

/// Nodes with how often each occurs, in the order of nodes.
type Pairs = Vec<(Code, u32)>;

/// The codes of every value, counted at every node above.
#[derive(Debug)]
pub(super) struct Multisets {
    graph: Graph,
    most: u32,
    /// Value → nodes with how many occurrences are at or below them.
    of: Vec<Pairs>,
}

impl Multisets {
    pub(super) fn new(
        spec: &Codes,
        given: &Given<'_>,
        load: &dyn Fn(&str) -> Result<String>,
    ) -> Result<Self> {
        if !(1..=MOST).contains(&spec.most) {
            let fault = Fault::input(format!("{} occurrences cannot be told", spec.most)).key("most");
            return Err(fault.help(format!("give a number from 1 to {MOST}")).into());
        }
        let path = spec.file.path();
        let graph = Graph::load(&spec.file, load)?;
        readable(&graph).map_err(|error| error.map(|fault| fault.file(path)))?;
        let wanted = format!("a list of nodes of {path} such as `a:2; b`");
        let of = given.read(|text| pairs(&graph, text).and_then(|pairs| counted(&graph, &pairs)), &wanted)?;
        Ok(Multisets { graph, most: spec.most, of: of.into_iter().map(Option::unwrap_or_default).collect() })
    }

    /// What one occurrence at a node is worth, in units of 2⁻³².
    fn worth(&self, node: Code) -> u64 {
        ((1.0 - self.graph.measure(node)) * UNIT) as u64
    }

    /// What a cell tells: the occurrences at every node itself, the most worthwhile first.
    fn told(&self, counts: &[(Code, u32)]) -> Pairs {
        let mut below = vec![0u32; counts.len()];
        let mut left = self.most;
        let mut told = Vec::new();
        for (at, &(node, count)) in counts.iter().enumerate() {
            // Children come before their parents, and a parent counts at least what its children do together.
            if let Some(parent) = parent(&self.graph, node)
                && let Ok(place) = counts.binary_search_by_key(&parent, |pair| pair.0)
            {
                below[place] += count;
            }
            let own = count.saturating_sub(below[at]).min(left);
            if own > 0 && self.worth(node) > 0 {
                told.push((node, own));
                left -= own;
            }
        }
        told
    }

    fn measured(&self, counts: &[(Code, u32)]) -> f64 {
        let worths =
            self.told(counts).iter().map(|&(node, count)| self.worth(node) * u64::from(count)).sum::<u64>();
        1.0 - worths as f64 / (UNIT * f64::from(self.most))
    }
}

/// The parent by which bounds go.
fn parent(graph: &Graph, node: Code) -> Option<Code> {
    graph.parents(node).first().copied()
}

/// The nodes that a text lists, each once; none where it is no list of nodes.
fn pairs(graph: &Graph, text: &str) -> Option<Pairs> {
    let mut found: Pairs = Vec::new();
    for part in text.split(';').map(str::trim) {
        let (node, count) = match graph.find(part) {
            Some(node) => (node, 1),
            None => {
                let (name, count) = part.rsplit_once(':')?;
                let plain = !count.is_empty() && count.bytes().all(|b| b.is_ascii_digit());
                let count = plain.then(|| count.parse::<u32>().ok()).flatten().filter(|count| *count > 0)?;
                (graph.find(name.trim_end())?, count)
            }
        };
        match found.binary_search_by_key(&node, |pair| pair.0) {
            Ok(at) => found[at].1 = found[at].1.checked_add(count)?,
            Err(at) => found.insert(at, (node, count)),
        }
    }
    Some(found)
}

/// How many occurrences are at or below every node; none where there are more than can be counted.
fn counted(graph: &Graph, pairs: &[(Code, u32)]) -> Option<Pairs> {
    let mut counts = Vec::new();
    for &(code, count) in pairs {
        let mut node = Some(code);
        while let Some(at) = node {
            counts.push((at, u64::from(count)));
            node = parent(graph, at);
        }
    }
    counts.sort_unstable();
    let merged = counts.chunk_by(|a, b| a.0 == b.0);
    let merged = merged.map(|run| (run[0].0, run.iter().map(|pair| pair.1).sum::<u64>()));
    merged.map(|(node, count)| u32::try_from(count).ok().map(|count| (node, count))).collect()
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
        Fault::input(format!("a list with `{}` could not be read back", graph.name(node)))
            .line(graph.line(node))
            .help("a code has no `;` and no space at its ends, and none is another with `:` and a number behind it")
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
            Common::Codes(counts) => vec![written(&self.graph, &self.told(counts))],
            _ => vec![TOP.into()],
        }
    }

    fn measure_of(&self, cell: &str) -> Option<f64> {
        let told = pairs(&self.graph, cell)?;
        // More than `most` are only in values that no row was joined with.
        let mut worths: Vec<(u64, u32)> =
            told.iter().map(|&(node, often)| (self.worth(node), often)).collect();
        worths.sort_unstable_by(|a, b| b.cmp(a));
        let (mut left, mut sum) = (self.most, 0);
        for (worth, often) in worths {
            sum += worth * u64::from(often.min(left));
            left -= often.min(left);
        }
        Some(1.0 - sum as f64 / (UNIT * f64::from(self.most)))
    }

    fn covers(&self, cell: &str, value: &str) -> bool {
        match (pairs(&self.graph, cell), pairs(&self.graph, value)) {
            (Some(told), Some(had)) => can_be_met(&self.graph, &told, &had),
            _ => false,
        }
    }
}

/// Whether every told occurrence can be matched with another of those that are had: the greatest flow from the told to the had, by
/// augmenting paths, the shortest first.
fn can_be_met(graph: &Graph, told: &[(Code, u32)], had: &[(Code, u32)]) -> bool {
    let fits: Vec<Vec<usize>> = told
        .iter()
        .map(|high| (0..had.len()).filter(|&low| graph.is_above(high.0, had[low].0)).collect())
        .collect();
    let mut wanted: Vec<u32> = told.iter().map(|pair| pair.1).collect();
    let mut free: Vec<u32> = had.iter().map(|pair| pair.1).collect();
    let mut flow = vec![vec![0u32; had.len()]; told.len()];
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

/// The shortest way from a told pair to a had one that has occurrences left, as matches to add; between two of them the second's old match
/// with the first's had pair is taken back.
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
