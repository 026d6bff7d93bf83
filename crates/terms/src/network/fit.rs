//! A network from rows: its structure by BIC, its tables by counting.
//!
//! All rows are used for both. With a seed, a quarter of the rows is kept aside afterwards, and the
//! tables of the same structure, counted from the others, predict them [Katirai 2006, step 1: "the
//! performance of the network is then tested on the test set"].

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::chain::Chain;
use super::climb::{Found, climb};
use super::exact::{affordable, exact};
use super::family::Family;
use super::plan::{Link, MOST_CELLS, plan};
use super::score::{Counts, Field, nats};
use super::{EdgeFacts, Entries, Network};
use crate::error::Result;
use crate::fault;
use crate::hierarchy::Hierarchy;
use crate::information::{Contingency, RARE};
use crate::table::Code;
use crate::watch::Watch;

/// The most parents of other columns that a field can be given.
pub const MOST_PARENTS: usize = 8;

/// How to fit.
#[derive(Debug, Clone, Copy)]
pub struct Fit {
    /// Which rows are kept aside to test the network; without it, none are.
    pub seed: Option<u64>,
    /// The column to be predicted, where there is one.
    pub target: Option<usize>,
    /// The most parents of other columns that a field has.
    pub parents: usize,
}

impl Fit {
    /// Parents of a field where nothing else is specified: what two columns say together is seen.
    pub const PARENTS: usize = 2;
}

impl Default for Fit {
    fn default() -> Self {
        Fit { seed: None, target: None, parents: Fit::PARENTS }
    }
}

/// The network of some entries.
///
/// # Errors
/// No rows; levels that do not nest; [`Kind::Cancelled`](crate::error::Kind::Cancelled) when asked
/// to stop.
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
    if let Some(at) = hierarchies.iter().position(|hierarchy| !hierarchy.nested()) {
        return Err(fault!(
            Input,
            "network.needs-nested-levels",
            "in a network a label implies the labels above it, and the levels of `{column}` do not nest",
            column = names.get(at).map_or("", String::as_str)
        )
        .help("remove nested = false, and leave out the levels that do not nest")
        .into());
    }
    let counts = Counts::new(hierarchies, entries);
    let (found, optimal) = structure(&counts, hierarchies, asked.parents.min(MOST_PARENTS), watch)?;
    watch.check()?;
    let mut network = Network::of_structure(names, hierarchies, entries, &found.families);
    let alone = |&field: &Field| counts.score(field, &[]).unwrap_or_default();
    network.bic = (nats(found.score), nats(counts.fields().iter().map(alone).sum()));
    network.optimal = optimal;
    network.edges = edges(&network, &counts, entries);
    (network.refused, network.target, network.most_parents) = (found.refused, asked.target, asked.parents);
    if let Some(seed) = asked.seed {
        network.test = Some(tested(&network, entries, &found.families, seed));
        watch.check()?;
    }
    Ok(network)
}

/// The structure that climbing finds, or a better one where all can be compared, and whether it is
/// the best.
fn structure(
    counts: &Counts<'_>,
    hierarchies: &[Hierarchy],
    parents: usize,
    watch: &Watch,
) -> Result<(Found, bool)> {
    let found = climb(counts, hierarchies, parents, watch)?;
    if !affordable(counts, hierarchies.len(), parents) {
        return Ok((found, false));
    }
    let (families, score) = exact(counts, hierarchies.len(), parents, watch)?;
    if score == found.score {
        return Ok((found, true));
    }
    // Inference in the best structure may be too large.
    match plan(hierarchies, &families).1 <= MOST_CELLS {
        true => Ok((Found { families, score, refused: 0 }, true)),
        false => Ok((found, false)),
    }
}

impl Network {
    /// The network with given families, its tables counted from all entries.
    pub(super) fn of_structure(
        names: &[String],
        hierarchies: &[Hierarchy],
        entries: &Entries,
        links: &[Link],
    ) -> Self {
        let (chains, families) = tables(hierarchies, (entries, &entries.counts), links);
        Network {
            names: names.to_vec(),
            hierarchies: hierarchies.to_vec(),
            order: order(&families),
            elimination: plan(hierarchies, links).0,
            chains,
            families,
            edges: Vec::new(),
            rows: entries.rows(),
            target: None,
            most_parents: Fit::PARENTS,
            bic: (0.0, 0.0),
            optimal: false,
            refused: 0,
            test: None,
        }
    }

    /// The probability of a row of leaves.
    pub(super) fn joint(&self, row: impl Fn(usize) -> Code + Copy) -> f64 {
        let column = |column: usize| {
            let (hierarchy, chain, leaf) = (&self.hierarchies[column], &self.chains[column], row(column));
            let mut families = self.families[column].iter().peekable();
            let level = |level: usize| {
                let q = hierarchy.generalize(leaf, level);
                match families.next_if(|family| family.level == level) {
                    None => chain.given(level, q),
                    Some(family) => {
                        let a = family.configuration(&self.hierarchies, row);
                        family.given(chain, q, hierarchy.generalize(leaf, level + 1), a)
                    }
                }
            };
            (0..hierarchy.height()).map(level).product::<f64>()
        };
        (0..self.names.len()).map(column).product()
    }
}

/// The chains and families of a structure.
fn tables(
    hierarchies: &[Hierarchy],
    (entries, counts): (&Entries, &[u32]),
    links: &[Link],
) -> (Vec<Chain>, Vec<Vec<Family>>) {
    let chain = |(hierarchy, codes): (&Hierarchy, &Vec<Code>)| Chain::new(hierarchy, codes, counts);
    let chains = hierarchies.iter().zip(&entries.codes).map(chain).collect();
    let counted: Vec<(usize, Family)> = links
        .par_iter()
        .map(|(field, parents)| (field.0, Family::new(*field, parents, hierarchies, (entries, counts))))
        .collect();
    let mut families = vec![Vec::new(); hierarchies.len()];
    counted.into_iter().for_each(|(column, family)| families[column].push(family));
    families.iter_mut().for_each(|families: &mut Vec<Family>| families.sort_by_key(|family| family.level));
    (chains, families)
}

/// Columns, parents before children.
fn order(families: &[Vec<Family>]) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::new();
    let parents = |column: usize| families[column].iter().flat_map(|family| &family.parents);
    while order.len() < families.len() {
        let ready = |column: &usize| {
            !order.contains(column) && parents(*column).all(|(parent, _)| order.contains(parent))
        };
        let Some(next) = (0..families.len()).find(ready) else { break };
        order.push(next);
    }
    order
}

/// The edges, parents first, with what each of them is good for.
fn edges(network: &Network, counts: &Counts<'_>, entries: &Entries) -> Vec<EdgeFacts> {
    let per_row = |score: i128| nats(score) / counts.rows() as f64 / std::f64::consts::LN_2;
    let family = |(column, family): (usize, &Family)| -> Vec<EdgeFacts> {
        let with = counts.score((column, family.level), &family.parents).unwrap_or_default();
        let edge = |&(parent, level): &Field| {
            let others: Vec<Field> =
                family.parents.iter().copied().filter(|o| *o != (parent, level)).collect();
            let without = counts.score((column, family.level), &others).unwrap_or_default();
            EdgeFacts {
                from: network.names[parent].clone(),
                from_level: level,
                to: network.names[column].clone(),
                to_level: family.level,
                mutual: mutual(network, entries, (parent, level), (column, family.level)),
                gain: per_row(with - without),
            }
        };
        family.parents.iter().map(edge).collect()
    };
    let families = network
        .order
        .iter()
        .flat_map(|&column| network.families[column].iter().rev().map(move |family| (column, family)));
    families.collect::<Vec<_>>().into_par_iter().flat_map_iter(family).collect()
}

/// The mutual information of two fields in bits, rare labels left out.
fn mutual(network: &Network, entries: &Entries, parent: Field, child: Field) -> f64 {
    let labels = |(column, level): Field| (&entries.codes[column], network.hierarchies[column].codes(level));
    let ((a, above), (q, own)) = (labels(parent), labels(child));
    let mut pairs: FxHashMap<(Code, Code), u64> = FxHashMap::default();
    for ((&a, &q), &rows) in a.iter().zip(q).zip(&entries.counts) {
        *pairs.entry((above[a as usize], own[q as usize])).or_default() += u64::from(rows);
    }
    let pairs: Vec<(Code, Code, u64)> = pairs.into_iter().map(|((a, q), rows)| (a, q, rows)).collect();
    Contingency::new(&pairs).without_rare(RARE).mutual()
}

/// Entries that one thread looks at; fixed, so that sums do not depend on how many threads there
/// are.
const CHUNK: usize = 4096;

/// Bits per row kept aside with all edges and with none, and how many rows are kept aside.
fn tested(network: &Network, entries: &Entries, links: &[Link], seed: u64) -> (f64, f64, u64) {
    let (train, test) = entries.split(seed);
    let tables = |links: &[Link]| {
        let (chains, families) = tables(&network.hierarchies, (entries, &train), links);
        Network { chains, families, ..network.clone() }
    };
    let rows: u64 = test.iter().map(|&n| u64::from(n)).sum();
    let aside: Vec<usize> = (0..test.len()).filter(|&entry| test[entry] > 0).collect();
    let bits = |network: &Network| {
        let surprise =
            |&at: &usize| f64::from(test[at]) * -network.joint(|column| entries.codes[column][at]).log2();
        let sums: Vec<f64> = aside.par_chunks(CHUNK).map(|chunk| chunk.iter().map(surprise).sum()).collect();
        sums.iter().sum::<f64>() / (rows.max(1)) as f64
    };
    (bits(&tables(links)), bits(&tables(&[])), rows)
}
