//! Questions about one row: its probability, and the distribution of a column given the others.
//!
//! Both are probabilities of classes (node.rs): a column's distribution is the probability of the
//! row with each of its values. Costs that of a class per value asked about.

use super::Network;
use super::node::AtNode;
use super::plan::MOST_CELLS;
use crate::error::Result;
use crate::fault;
use crate::table::Code;

/// A cell of a generalized row: a label of a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// The level; 0 is the value itself, the highest one says nothing.
    pub level: usize,
    /// The label at that level.
    pub code: Code,
}

/// What is known of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Known {
    /// Its label at a level.
    Label(Cell),
    /// That it has one of these leaves, ascending: a cell of a poset.
    Leaves(Vec<Code>),
}

impl Network {
    /// The probability that a row drawn from the network is within all the cells, one per column.
    pub fn probability(&self, cells: &[Cell]) -> f64 {
        let levels: Vec<usize> = cells.iter().map(|cell| cell.level).collect();
        let labels: Vec<Code> = cells.iter().map(|cell| cell.code).collect();
        self.at_node(&levels).probability(&labels)
    }

    /// The cell of a column that says nothing.
    pub fn anything(&self, column: usize) -> Cell {
        Cell { level: self.hierarchies[column].height(), code: 0 }
    }

    /// The probability that a row is as known, one entry per column.
    ///
    /// # Errors
    /// What is known needs larger tables than inference may make.
    pub fn probability_known(&self, known: &[Known]) -> Result<f64> {
        let (mut at, labels) = self.asked(known, None)?;
        Ok(at.probability(&labels))
    }

    /// Leaf → its probability in a column given what is known, of that column and of others; all 0
    /// where what is known is impossible.
    ///
    /// # Errors
    /// What is known needs larger tables than inference may make.
    pub fn posterior(&self, column: usize, known: &[Known]) -> Result<Vec<f64>> {
        let (mut at, mut labels) = self.asked(known, Some(column))?;
        let hierarchy = &self.hierarchies[column];
        let possible = |leaf: Code| match &known[column] {
            Known::Label(cell) => hierarchy.generalize(leaf, cell.level) == cell.code,
            Known::Leaves(leaves) => leaves.binary_search(&leaf).is_ok(),
        };
        let share = |leaf: Code| {
            labels[column] = leaf;
            if possible(leaf) { at.probability(&labels) } else { 0.0 }
        };
        let shares: Vec<f64> = (0..hierarchy.leaf_count() as Code).map(share).collect();
        let sum: f64 = shares.iter().sum();
        Ok(if sum > 0.0 { shares.iter().map(|share| share / sum).collect() } else { shares })
    }

    /// The most likely leaf of a column given what is known, the first of several, and its
    /// probability.
    ///
    /// # Errors
    /// Those of [`Network::posterior`].
    pub fn predict(&self, column: usize, known: &[Known]) -> Result<(Code, f64)> {
        let mut best = (0, 0.0);
        for (leaf, share) in self.posterior(column, known)?.into_iter().enumerate() {
            if share > best.1 {
                best = (leaf as Code, share);
            }
        }
        Ok(best)
    }

    /// The network as seen from what is known, and the labels of that; a column that is asked about
    /// has its leaves as labels.
    fn asked(&self, known: &[Known], column: Option<usize>) -> Result<(AtNode<'_>, Vec<Code>)> {
        let level = |(at, known): (usize, &Known)| match known {
            _ if Some(at) == column => 0,
            Known::Label(cell) => cell.level,
            Known::Leaves(_) => 0,
        };
        let levels: Vec<usize> = known.iter().enumerate().map(level).collect();
        let needed = self.needed(&levels);
        let (mut states, mut labels) = (Vec::new(), Vec::new());
        for (at, known) in known.iter().enumerate() {
            let hierarchy = &self.hierarchies[at];
            let under = |cell: &Cell| {
                let leaves = 0..hierarchy.leaf_count() as Code;
                let leaves = leaves.filter(|&leaf| hierarchy.generalize(leaf, cell.level) == cell.code);
                let mut states: Vec<Code> =
                    leaves.map(|leaf| hierarchy.generalize(leaf, needed[at])).collect();
                states.sort_unstable();
                states.dedup();
                states
            };
            states.push(match known {
                _ if Some(at) == column => {
                    (0..hierarchy.leaf_count() as Code).map(|leaf| vec![leaf]).collect()
                }
                Known::Label(cell) => vec![under(cell)],
                Known::Leaves(leaves) => vec![leaves.clone()],
            });
            labels.push(0);
        }
        let node = AtNode::new(self, &needed, states);
        match node.cells(&labels) {
            cells if cells <= MOST_CELLS => Ok((node, labels)),
            cells => Err(fault!(
                Input,
                "network.question-too-large",
                "the question needs a table of {cells} numbers, and {limit} is the limit",
                cells = cells,
                limit = MOST_CELLS
            )
            .help("give fewer cells that stand for many values, or fit the network with fewer parents")
            .into()),
        }
    }
}
