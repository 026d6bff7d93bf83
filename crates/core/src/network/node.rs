//! The probabilities of many classes of one node: what [`Network::probability`] says of each, without looking at leaves outside of
//! their cells.
//!
//! A message from a column is reckoned for those labels of its parent alone that the parent's cell allows, and not at all where the column
//! and all below it say nothing. So low nodes, which have many classes, have few leaves a class. Costs a step per leaf in
//! the cells of a class and per known pair of labels of these.

use super::{Edge, Network};
use crate::table::Code;

/// The network as a node sees it, with room to reckon in.
#[derive(Debug)]
pub struct AtNode<'a> {
    network: &'a Network,
    /// Column → its children.
    children: Vec<Vec<usize>>,
    /// Column → label of the node → its leaves.
    leaves: Vec<Vec<Vec<Code>>>,
    /// Column → label of the node in its parent → labels of the edge's level that are possible there; none for roots.
    allowed: Vec<Vec<Vec<Code>>>,
    /// Column → label of the node → whether it says nothing.
    whole: Vec<bool>,
    /// Column → parent's label → message.
    messages: Vec<Vec<f64>>,
    /// Column → its label at the edge's level → what is below.
    below: Vec<Vec<f64>>,
    silent: Vec<bool>,
    touched: Vec<Code>,
}

impl Network {
    /// The network as it is seen from a level of every column.
    pub fn at_node(&self, levels: &[usize]) -> AtNode<'_> {
        let columns = self.names.len();
        let under = |column: usize, level: usize| {
            let hierarchy = &self.hierarchies[column];
            let mut leaves = vec![Vec::new(); hierarchy.size(levels[column])];
            for leaf in 0..hierarchy.leaf_count() as Code {
                let label = hierarchy.generalize(leaf, level);
                leaves[hierarchy.generalize(leaf, levels[column]) as usize].push(label);
            }
            leaves
        };
        let allowed = |column: usize| {
            let Some(edge) = &self.edges[column] else { return Vec::new() };
            let mut labels: Vec<Vec<Code>> = under(edge.parent, edge.above);
            for labels in &mut labels {
                labels.sort_unstable();
                labels.dedup();
            }
            labels
        };
        AtNode {
            children: (0..columns).map(|column| self.children(column).collect()).collect(),
            leaves: (0..columns).map(|column| under(column, 0)).collect(),
            allowed: (0..columns).map(allowed).collect(),
            whole: (0..columns).map(|column| levels[column] == self.hierarchies[column].height()).collect(),
            messages: self.edges.iter().map(|e| vec![0.0; e.as_ref().map_or(0, |e| e.met.len())]).collect(),
            below: self.edges.iter().map(|e| vec![0.0; e.as_ref().map_or(0, |e| e.marginal.len())]).collect(),
            silent: vec![false; columns],
            touched: Vec::new(),
            network: self,
        }
    }
}

impl AtNode<'_> {
    /// The probability that a row is in a class, given by its label in every column.
    pub fn probability(&mut self, labels: &[Code]) -> f64 {
        let network = self.network;
        let mut probability = 1.0;
        for &column in network.order.iter().rev() {
            self.silent[column] = self.whole[column] && self.children[column].iter().all(|&c| self.silent[c]);
            if self.silent[column] {
                continue;
            }
            let label = labels[column] as usize;
            match &network.edges[column] {
                None => {
                    let leaves = self.leaves[column][label].iter();
                    probability *= leaves.map(|&leaf| self.share(column, leaf)).sum::<f64>();
                }
                Some(edge) => self.send(column, edge, label, labels[edge.parent] as usize),
            }
        }
        // Sums of shares may pass 1 by a rounding error.
        probability.min(1.0)
    }

    /// A leaf's probability given its label at the edge's level, times what the children say.
    fn share(&self, column: usize, leaf: Code) -> f64 {
        let (network, hierarchy) = (self.network, &self.network.hierarchies[column]);
        let mut share = network.within[column][leaf as usize];
        for &child in self.children[column].iter().filter(|&&child| !self.silent[child]) {
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
        for at in 0..self.leaves[column][label].len() {
            let leaf = self.leaves[column][label][at];
            let share = self.share(column, leaf);
            let to = hierarchy.generalize(leaf, edge.at);
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
