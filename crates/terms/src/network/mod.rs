//! A Bayesian network over the columns of a table, whose structure starts from their hierarchies.
//!
//! From [Katirai 2006, "A method for utilizing a Bayesian model as a measure function"]: the levels
//! of a hierarchy are implied fields of the table, and each predicts the one below it (zip3 → zip4
//! → zip5). Then edges between columns are tried in the order of their mutual information and kept
//! if they improve the prediction of held-out rows. So a generalized row is a row with missing
//! fields; the network computes its probability, fills it in, and samples new rows.
//!
//! Exact and cheap: every column has at most one parent column (a forest, as in [Chow 1968]), and
//! an edge goes from one level of the parent to one level of the child; below that level the
//! child's own hierarchy predicts. Tables are sparse, because smoothing adds one row per label,
//! spread over its children [Perks 1947]; upwards, hierarchies stay certain. A probability costs
//! one step per leaf of every column and per known pair of labels of an edge; fitting costs a sort
//! of the distinct pairs of every two columns at every two levels.

mod chain;
mod edge;
mod entries;
mod fit;
mod infer;
mod node;
mod sample;
mod show;

pub use entries::Entries;
pub use fit::{Fit, fit};
pub use infer::Cell;
pub use node::AtNode;
pub use sample::Sampler;
pub use show::{EdgeFacts, Facts, FieldFacts, text};

use crate::hierarchy::Hierarchy;
use chain::Chain;
use edge::Edge;

/// The probability of every row that the columns' hierarchies allow.
#[derive(Debug, Clone)]
pub struct Network {
    names: Vec<String>,
    hierarchies: Vec<Hierarchy>,
    chains: Vec<Chain>,
    /// The edge to each column from its parent, where it has one.
    edges: Vec<Option<Edge>>,
    /// Column → leaf → its probability given its label at the edge's level.
    within: Vec<Vec<f64>>,
    /// Columns, parents before children.
    order: Vec<usize>,
    rows: u64,
    target: Option<usize>,
    /// Bits per row that was kept aside, with all edges and with none.
    surprise: (f64, f64),
    test_rows: u64,
}

impl Network {
    /// The columns' names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The columns' hierarchies.
    pub fn hierarchies(&self) -> &[Hierarchy] {
        &self.hierarchies
    }

    /// The rows that it was fitted to.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The parent of a column.
    pub fn parent(&self, column: usize) -> Option<usize> {
        self.edges[column].as_ref().map(|edge| edge.parent)
    }

    /// The columns that a column is the parent of, ascending.
    fn children(&self, column: usize) -> impl Iterator<Item = usize> {
        (0..self.names.len()).filter(move |&child| self.parent(child) == Some(column))
    }
}

#[cfg(test)]
mod tests;
