//! The probabilities of all classes of one node: [`Network::probability`] of each, without visiting
//! leaves outside of their cells.
//!
//! A message from a column is computed only for the labels of its parent that the parent's cell
//! allows, and skipped if the column and its descendants carry no information. Leaves of a cell
//! that no edge distinguishes are summed once per node. Costs one pass over all leaves per node;
//! then, per class, one step per group of leaves in its cells and per known pair of their labels.

use rustc_hash::FxHashMap;

use super::{Edge, Network};
use crate::table::Code;

/// Leaves that the edges of a column do not distinguish: one of them, and the probability of all
/// given their label at the edge's level.
type Kind = (Code, f64);

/// The network as seen from a node, with scratch space.
#[derive(Debug)]
pub struct AtNode<'a> {
    network: &'a Network,
    /// Column → its children that say something.
    children: Vec<Vec<usize>>,
    /// Column → label of the node → the kinds of leaves under it.
    kinds: Vec<Vec<Vec<Kind>>>,
    /// Column → label of the node in its parent → labels of the edge's level that are possible
    /// there; none for roots.
    allowed: Vec<Vec<Vec<Code>>>,
    /// Column → parent's label → message.
    messages: Vec<Vec<f64>>,
    /// Column → its label at the edge's level → what is below.
    below: Vec<Vec<f64>>,
    /// Column → whether it and all below it say nothing.
    silent: Vec<bool>,
    touched: Vec<Code>,
}

impl Network {
    /// The network as it is seen from a level of every column.
    pub fn at_node(&self, levels: &[usize]) -> AtNode<'_> {
        let columns = self.names.len();
        let mut silent = vec![false; columns];
        for &column in self.order.iter().rev() {
            let whole = levels[column] == self.hierarchies[column].height();
            silent[column] = whole && self.children(column).all(|child| silent[child]);
        }
        let speaking = |column: usize| self.children(column).filter(|&child| !silent[child]).collect();
        let children: Vec<Vec<usize>> = (0..columns).map(speaking).collect();
        let allowed = |column: usize| {
            let Some(edge) = &self.edges[column] else { return Vec::new() };
            let hierarchy = &self.hierarchies[edge.parent];
            let mut labels: Vec<Vec<Code>> = vec![Vec::new(); hierarchy.size(levels[edge.parent])];
            for leaf in 0..hierarchy.leaf_count() as Code {
                let under = hierarchy.generalize(leaf, levels[edge.parent]) as usize;
                labels[under].push(hierarchy.generalize(leaf, edge.above));
            }
            for labels in &mut labels {
                labels.sort_unstable();
                labels.dedup();
            }
            labels
        };
        AtNode {
            kinds: (0..columns).map(|column| self.kinds(column, levels[column], &children[column])).collect(),
            children,
            allowed: (0..columns).map(allowed).collect(),
            messages: self.edges.iter().map(|e| vec![0.0; e.as_ref().map_or(0, |e| e.met.len())]).collect(),
            below: self.edges.iter().map(|e| vec![0.0; e.as_ref().map_or(0, |e| e.marginal.len())]).collect(),
            silent,
            touched: Vec::new(),
            network: self,
        }
    }

    /// The kinds of leaves under every label of a level, as distinguished by the edges to a column
    /// and to some of its children.
    fn kinds(&self, column: usize, level: usize, children: &[usize]) -> Vec<Vec<Kind>> {
        let hierarchy = &self.hierarchies[column];
        let mut kinds: Vec<Vec<Kind>> = vec![Vec::new(); hierarchy.size(level)];
        let own = self.edges[column].as_ref().map(|edge| edge.at);
        let of_children = children.iter().filter_map(|&child| Some(self.edges[child].as_ref()?.above));
        let told: Vec<usize> = own.into_iter().chain(of_children).chain([level]).collect();
        let mut known: FxHashMap<Vec<Code>, usize> = FxHashMap::default();
        for leaf in 0..hierarchy.leaf_count() as Code {
            let labels: Vec<Code> = told.iter().map(|&level| hierarchy.generalize(leaf, level)).collect();
            let under = &mut kinds[hierarchy.generalize(leaf, level) as usize];
            let at = *known.entry(labels).or_insert(under.len());
            if at == under.len() {
                under.push((leaf, 0.0));
            }
            under[at].1 += self.within[column][leaf as usize];
        }
        kinds
    }
}

impl AtNode<'_> {
    /// The probability that a row is in a class, given by its label in every column.
    pub fn probability(&mut self, labels: &[Code]) -> f64 {
        let network = self.network;
        let mut probability = 1.0;
        for &column in network.order.iter().rev() {
            if self.silent[column] {
                continue;
            }
            let label = labels[column] as usize;
            match &network.edges[column] {
                None => {
                    let kinds = self.kinds[column][label].iter();
                    probability *= kinds.map(|&kind| self.share(column, kind)).sum::<f64>();
                }
                Some(edge) => self.send(column, edge, label, labels[edge.parent] as usize),
            }
        }
        // Sums of shares may pass 1 by a rounding error.
        probability.min(1.0)
    }

    /// The probability of a kind of leaves given their label at the edge's level, times what the
    /// children say.
    fn share(&self, column: usize, (leaf, within): Kind) -> f64 {
        let (network, hierarchy) = (self.network, &self.network.hierarchies[column]);
        let mut share = within;
        for &child in &self.children[column] {
            if let Some(edge) = &network.edges[child] {
                share *= self.messages[child][hierarchy.generalize(leaf, edge.above) as usize];
            }
        }
        share
    }

    /// The message to the labels that the parent's cell allows.
    fn send(&mut self, column: usize, edge: &Edge, label: usize, parent: usize) {
        let hierarchy = &self.network.hierarchies[column];
        let mut touched = std::mem::take(&mut self.touched);
        let mut shared = 0.0;
        for at in 0..self.kinds[column][label].len() {
            let kind = self.kinds[column][label][at];
            let share = self.share(column, kind);
            let to = hierarchy.generalize(kind.0, edge.at);
            let below = &mut self.below[column][to as usize];
            // What is 0 was not there yet, or adds nothing.
            if *below == 0.0 && share > 0.0 {
                touched.push(to);
            }
            *below += share;
            shared += share * edge.marginal[to as usize];
        }
        let below = &self.below[column];
        for &a in &self.allowed[column][parent] {
            let met = &edge.met[a as usize];
            let known: f64 = match met.len() <= 8 * touched.len() {
                true => met.iter().map(|&(q, n)| n as f64 * below[q as usize]).sum(),
                false => touched.iter().map(|&q| edge.rows_of(a, q) as f64 * below[q as usize]).sum(),
            };
            self.messages[column][a as usize] = (known + shared) / (edge.rows[a as usize] as f64 + 1.0);
        }
        touched.iter().for_each(|&q| self.below[column][q as usize] = 0.0);
        touched.clear();
        self.touched = touched;
    }
}
