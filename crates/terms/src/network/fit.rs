//! Structure learning: edges are tried in the order of mutual information and kept if they improve
//! the prediction of held-out rows.
//!
//! The mutual information is that of the levels of an edge, because that of values grows with their
//! number. As long as each column has one parent, the gain of an edge depends on its two columns
//! alone, so all pairs are evaluated at once, at all pairs of levels, and the forest is grown from
//! the list. With a target, edges from it come first, and each is kept if it improves the
//! prediction of the target in held-out rows [Katirai 2006, steps 1 and 3]. The final network
//! counts all rows.

use rayon::prelude::*;

use super::chain::Chain;
use super::edge::{Edge, lifted};
use super::{Entries, Network};
use crate::error::Result;
use crate::fault;
use crate::hierarchy::Hierarchy;
use crate::information::{Contingency, RARE};
use crate::table::Code;
use crate::watch::{Counter, Stage, Watch};

/// How to fit.
#[derive(Debug, Clone, Copy, Default)]
pub struct Fit {
    /// Which rows are kept aside.
    pub seed: u64,
    /// The column to be predicted, where there is one.
    pub target: Option<usize>,
}

/// An edge that could be.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    parent: usize,
    above: usize,
    child: usize,
    at: usize,
    /// Bits per row kept aside.
    gain: f64,
    /// Mutual information of the two levels, rare labels left out: that of the values would only
    /// say how many there are.
    mutual: f64,
}

/// The network of some entries.
///
/// # Errors
/// No rows; [`Kind::Cancelled`](crate::error::Kind::Cancelled) when asked to stop.
pub fn fit(
    names: &[String],
    hierarchies: &[Hierarchy],
    entries: &Entries,
    asked: Fit,
    watch: &Watch,
) -> Result<Network> {
    if entries.rows() == 0 || names.is_empty() {
        return Err(fault!(Data, "network.no-rows", "a network needs rows and columns")
            .help("give a table with rows")
            .into());
    }
    let (train, test) = entries.split(asked.seed);
    let parts = Parts { hierarchies, entries, train: &train, test: &test };
    let learned = Learned::new(&parts);
    let mut candidates = learned.candidates(&parts, watch)?;
    // Those of greatest information first; equal ones in the order of the columns.
    candidates.sort_by(|a, b| b.mutual.total_cmp(&a.mutual));
    let mut chosen: Vec<Option<Candidate>> = vec![None; names.len()];
    if let Some(target) = asked.target {
        predicting(&parts, &learned.chains, target, &candidates, (&mut chosen, watch))?;
    }
    grow(&candidates, &mut chosen);
    let surprise = learned.surprise(&parts);
    let gained: f64 = chosen.iter().flatten().map(|c| c.gain).sum();
    let chains: Vec<Chain> = (0..names.len()).map(|c| parts.chain(c, &entries.counts)).collect();
    let edges: Vec<Option<Edge>> =
        chosen.iter().map(|c| c.map(|c| parts.edge(c, &entries.counts, &chains))).collect();
    let within = (0..names.len()).map(|column| {
        let at = edges[column].as_ref().map_or(hierarchies[column].height(), |edge| edge.at);
        chains[column].within(0, at)
    });
    Ok(Network {
        names: names.to_vec(),
        hierarchies: hierarchies.to_vec(),
        within: within.collect(),
        order: order(&edges),
        chains,
        edges,
        rows: entries.rows(),
        target: asked.target,
        surprise: (surprise - gained, surprise),
        test_rows: test.iter().map(|&n| u64::from(n)).sum(),
    })
}

/// The rows to learn from and those kept aside.
struct Parts<'a> {
    hierarchies: &'a [Hierarchy],
    entries: &'a Entries,
    train: &'a [u32],
    test: &'a [u32],
}

impl Parts<'_> {
    fn chain(&self, column: usize, counts: &[u32]) -> Chain {
        Chain::new(&self.hierarchies[column], &self.entries.codes[column], counts)
    }

    /// Pairs of leaves with their rows.
    fn pairs(&self, u: usize, v: usize, counts: &[u32]) -> Contingency {
        let (u, v) = (&self.entries.codes[u], &self.entries.codes[v]);
        let rows = u.iter().zip(v).zip(counts).map(|((&u, &v), &n)| (u, v, u64::from(n)));
        Contingency::new(&rows.collect::<Vec<_>>())
    }

    fn edge(&self, c: Candidate, counts: &[u32], chains: &[Chain]) -> Edge {
        let (parent, child) = (&self.hierarchies[c.parent], &self.hierarchies[c.child]);
        let pairs = lifted(&self.pairs(c.parent, c.child, counts), (parent, c.above), (child, c.at));
        let edge = Edge::new((c.parent, c.above), c.at, parent.size(c.above), &pairs, &chains[c.child]);
        Edge { mutual: c.mutual, gain: c.gain, ..edge }
    }

    fn tested(&self) -> f64 {
        self.test.iter().map(|&n| f64::from(n)).sum()
    }
}

/// What the rows to learn from say of each column by itself.
struct Learned {
    chains: Vec<Chain>,
    /// Column → level → label → probability.
    marginals: Vec<Vec<Vec<f64>>>,
}

impl Learned {
    fn new(parts: &Parts<'_>) -> Self {
        let columns = 0..parts.hierarchies.len();
        let chains: Vec<Chain> = columns.map(|column| parts.chain(column, parts.train)).collect();
        let levels = |(chain, hierarchy): (&Chain, &Hierarchy)| {
            (0..=hierarchy.height()).map(|level| chain.marginal(level)).collect()
        };
        let marginals = chains.iter().zip(parts.hierarchies).map(levels).collect();
        Learned { chains, marginals }
    }

    /// Bits per row kept aside when every column is by itself.
    fn surprise(&self, parts: &Parts<'_>) -> f64 {
        let mut bits = 0.0;
        for (codes, marginals) in parts.entries.codes.iter().zip(&self.marginals) {
            for (&leaf, &rows) in codes.iter().zip(parts.test) {
                bits -= f64::from(rows) * marginals[0][leaf as usize].log2();
            }
        }
        bits / parts.tested().max(1.0)
    }

    /// The best edge of every ordered pair of columns.
    fn candidates(&self, parts: &Parts<'_>, watch: &Watch) -> Result<Vec<Candidate>> {
        let columns = parts.hierarchies.len();
        let pairs: Vec<(usize, usize)> =
            (0..columns).flat_map(|u| (u + 1..columns).map(move |v| (u, v))).collect();
        let counter = Counter::new(watch, Stage::Measuring, Some(pairs.len() as u64));
        let weighed = pairs.into_par_iter().map(|(u, v)| {
            watch.check()?;
            let best = self.weighed(parts, u, v);
            counter.one()?;
            Ok(best)
        });
        Ok(weighed.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
    }

    /// The best edge in each direction between two columns, over all pairs of levels. A level with
    /// one label carries no information and cannot be an end of an edge: smoothing could make it
    /// look like a gain.
    fn weighed(&self, parts: &Parts<'_>, u: usize, v: usize) -> [Candidate; 2] {
        let (hu, hv) = (&parts.hierarchies[u], &parts.hierarchies[v]);
        let (train, test) = (parts.pairs(u, v, parts.train), parts.pairs(u, v, parts.test));
        let none = Candidate { parent: u, above: 0, child: v, at: 0, gain: f64::NEG_INFINITY, mutual: 0.0 };
        let mut best = [none, Candidate { parent: v, child: u, ..none }];
        let telling = |h: &Hierarchy| -> Vec<usize> { (0..h.height()).filter(|&l| h.size(l) > 1).collect() };
        let ends = telling(hv);
        for i in telling(hu) {
            for &j in &ends {
                let train = lifted(&train, (hu, i), (hv, j));
                let test = lifted(&test, (hu, i), (hv, j));
                let gains = gains(&train, &test, (&self.marginals[u][i], &self.marginals[v][j]));
                let levels = [(i, j, gains.0), (j, i, gains.1)];
                for (best, (above, at, gain)) in best.iter_mut().zip(levels) {
                    let gain = gain / parts.tested().max(1.0);
                    if gain > best.gain {
                        let mutual = train.clone().without_rare(RARE).mutual();
                        *best = Candidate { above, at, gain, mutual, ..*best };
                    }
                }
            }
        }
        best
    }
}

/// Bits saved in all rows kept aside by predicting the second label from the first, and the first
/// from the second.
fn gains(train: &Contingency, test: &Contingency, (first, second): (&[f64], &[f64])) -> (f64, f64) {
    let (mut of_first, mut of_second) = (vec![0; first.len()], vec![0; second.len()]);
    for &(a, q, n) in train.pairs() {
        of_first[a as usize] += n;
        of_second[q as usize] += n;
    }
    let mut known = train.pairs().iter().peekable();
    let (mut forward, mut back) = (0.0, 0.0);
    for &(a, q, rows) in test.pairs() {
        while known.next_if(|p| (p.0, p.1) < (a, q)).is_some() {}
        let both = known.peek().filter(|p| (p.0, p.1) == (a, q)).map_or(0, |p| p.2) as f64;
        let (pa, pq) = (first[a as usize], second[q as usize]);
        let (a, q) = (of_first[a as usize] as f64, of_second[q as usize] as f64);
        forward += rows as f64 * ((both + pq) / (a + 1.0) / pq).log2();
        back += rows as f64 * ((both + pa) / (q + 1.0) / pa).log2();
    }
    (forward, back)
}

/// Edges from the target, each kept if it improves the prediction of the target in held-out rows.
fn predicting(
    parts: &Parts<'_>,
    chains: &[Chain],
    target: usize,
    candidates: &[Candidate],
    (chosen, watch): (&mut [Option<Candidate>], &Watch),
) -> Result<()> {
    let prior: Vec<f64> = chains[target].marginal(0).iter().map(|p| p.log2()).collect();
    let mut edges: Vec<(usize, Edge)> = Vec::new();
    let mut least = told(parts, target, &prior, &edges);
    for &candidate in candidates.iter().filter(|c| c.parent == target && c.gain > 0.0) {
        watch.check()?;
        edges.push((candidate.child, parts.edge(candidate, parts.train, chains)));
        let bits = told(parts, target, &prior, &edges);
        if bits < least {
            least = bits;
            chosen[candidate.child] = Some(candidate);
        } else {
            edges.pop();
        }
    }
    Ok(())
}

/// Entries that one thread looks at; fixed, so that sums do not depend on how many threads there
/// are.
const CHUNK: usize = 4096;

/// Bits by which the targets of the rows kept aside surprise, given the columns that the edges go
/// to. Recomputed for every set of edges, because scores of every entry and target value would take
/// too much room.
fn told(parts: &Parts<'_>, target: usize, prior: &[f64], edges: &[(usize, Edge)]) -> f64 {
    let codes = &parts.entries.codes;
    let score = |entry: usize, value: Code| {
        let given = |(child, edge): &(usize, Edge)| {
            let q = parts.hierarchies[*child].generalize(codes[*child][entry], edge.at);
            edge.given(q, parts.hierarchies[target].generalize(value, edge.above)).log2()
        };
        prior[value as usize] + edges.iter().map(given).sum::<f64>()
    };
    let surprise = |entry: &usize| {
        let scores: Vec<f64> = (0..prior.len() as Code).map(|value| score(*entry, value)).collect();
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let all: f64 = scores.iter().map(|s| (s - most).exp2()).sum();
        f64::from(parts.test[*entry]) * (most + all.log2() - scores[codes[target][*entry] as usize])
    };
    let tested: Vec<usize> = (0..parts.test.len()).filter(|&entry| parts.test[entry] > 0).collect();
    let sums: Vec<f64> = tested.par_chunks(CHUNK).map(|chunk| chunk.iter().map(surprise).sum()).collect();
    sums.iter().sum()
}

/// Further edges, where the rows kept aside become more likely: to columns without a parent, from
/// another tree.
fn grow(candidates: &[Candidate], chosen: &mut [Option<Candidate>]) {
    let root = |chosen: &[Option<Candidate>], mut column: usize| {
        while let Some(edge) = chosen[column] {
            column = edge.parent;
        }
        column
    };
    for &candidate in candidates.iter().filter(|c| c.gain > 0.0) {
        if chosen[candidate.child].is_none() && root(chosen, candidate.parent) != candidate.child {
            chosen[candidate.child] = Some(candidate);
        }
    }
}

/// Columns, parents before children.
fn order(edges: &[Option<Edge>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..edges.len()).filter(|&column| edges[column].is_none()).collect();
    let mut at = 0;
    while at < order.len() {
        let parent = order[at];
        let is_child = |&column: &usize| edges[column].as_ref().is_some_and(|edge| edge.parent == parent);
        order.extend((0..edges.len()).filter(is_child));
        at += 1;
    }
    order
}
