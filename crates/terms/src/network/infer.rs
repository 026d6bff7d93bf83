//! Exact inference in the forest: probabilities of generalized rows, and the posterior of each cell
//! given the others.
//!
//! Messages go from children to parents and back (belief propagation, [Pearl 1982]). A cell is a
//! label of a level: the leaves below it are possible. Costs one step per leaf and per known pair
//! of labels of every edge.

use super::Network;
use crate::table::Code;

/// A cell of a generalized row: a label of a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// The level; 0 is the value itself, the highest one says nothing.
    pub level: usize,
    /// The label at that level.
    pub code: Code,
}

/// What the columns below and at each column say of it.
struct Upward {
    /// Column → leaf → probability of the cells at and below the column given the leaf's label at
    /// the edge's level, the leaf included.
    leaves: Vec<Vec<f64>>,
    /// Column → parent's label → probability of the cells at and below the column.
    messages: Vec<Vec<f64>>,
    probability: f64,
}

impl Network {
    /// The probability that a row drawn from the network is within all the cells, one per column.
    pub fn probability(&self, cells: &[Cell]) -> f64 {
        self.upward(cells).probability
    }

    /// The cell of a column that says nothing.
    pub fn anything(&self, column: usize) -> Cell {
        Cell { level: self.hierarchies[column].height(), code: 0 }
    }

    /// Column → leaf → its probability given the cells.
    pub fn posterior(&self, cells: &[Cell]) -> Vec<Vec<f64>> {
        let up = self.upward(cells);
        let mut beliefs = vec![Vec::new(); self.names.len()];
        let mut outside: Vec<Vec<f64>> = vec![Vec::new(); self.names.len()];
        for &column in &self.order {
            if let Some(edge) = &self.edges[column] {
                let weights = self.without(&up, &outside, (edge.parent, edge.above), column);
                outside[column] = edge.forward(&weights);
            }
            let hierarchy = &self.hierarchies[column];
            let of = |(leaf, share): (usize, &f64)| match &self.edges[column] {
                Some(edge) => share * outside[column][hierarchy.generalize(leaf as Code, edge.at) as usize],
                None => *share,
            };
            let belief: Vec<f64> = up.leaves[column].iter().enumerate().map(of).collect();
            let sum: f64 = belief.iter().sum();
            beliefs[column] = belief.iter().map(|b| b / sum).collect();
        }
        beliefs
    }

    /// The most likely leaf of a column given the cells, the first of several, and its probability.
    pub fn predict(&self, column: usize, cells: &[Cell]) -> (Code, f64) {
        let mut best = (0, 0.0);
        for (leaf, &share) in self.posterior(cells)[column].iter().enumerate() {
            if share > best.1 {
                best = (leaf as Code, share);
            }
        }
        best
    }

    fn upward(&self, cells: &[Cell]) -> Upward {
        let columns = self.names.len();
        let mut up = Upward {
            leaves: vec![Vec::new(); columns],
            messages: vec![Vec::new(); columns],
            probability: 1.0,
        };
        for &column in self.order.iter().rev() {
            up.leaves[column] = self.at(column, cells[column], &up.messages);
            match &self.edges[column] {
                None => up.probability *= up.leaves[column].iter().sum::<f64>(),
                Some(edge) => {
                    let mut beta = vec![0.0; edge.marginal.len()];
                    for (leaf, share) in up.leaves[column].iter().enumerate() {
                        beta[self.hierarchies[column].generalize(leaf as Code, edge.at) as usize] += share;
                    }
                    up.messages[column] = edge.message(&beta);
                }
            }
        }
        up
    }

    /// Leaf → its probability given its label at the edge's level, times what the children say; 0
    /// for leaves that the cell excludes.
    fn at(&self, column: usize, cell: Cell, messages: &[Vec<f64>]) -> Vec<f64> {
        let hierarchy = &self.hierarchies[column];
        let mut shares = self.within[column].clone();
        for (leaf, share) in shares.iter_mut().enumerate() {
            if hierarchy.generalize(leaf as Code, cell.level) != cell.code {
                *share = 0.0;
            }
        }
        for child in self.children(column) {
            let Some(edge) = &self.edges[child] else { continue };
            for (leaf, share) in shares.iter_mut().enumerate() {
                *share *= messages[child][hierarchy.generalize(leaf as Code, edge.above) as usize];
            }
        }
        shares
    }

    /// Parent's label → probability of all that is not at or below one of its children.
    fn without(
        &self,
        up: &Upward,
        outside: &[Vec<f64>],
        (parent, above): (usize, usize),
        child: usize,
    ) -> Vec<f64> {
        let hierarchy = &self.hierarchies[parent];
        let mut weights = vec![0.0; hierarchy.size(above)];
        for (leaf, share) in up.leaves[parent].iter().enumerate() {
            let label = hierarchy.generalize(leaf as Code, above) as usize;
            let around = self.edges[parent]
                .as_ref()
                .map_or(1.0, |edge| outside[parent][hierarchy.generalize(leaf as Code, edge.at) as usize]);
            // A message is above 0, because every leaf is possible and a cell has one.
            weights[label] += around * share / up.messages[child][label];
        }
        weights
    }
}
