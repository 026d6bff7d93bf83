//! A Bayesian network over the columns of a table, whose structure starts from their hierarchies.
//!
//! From [Katirai 2006, "A method for utilizing a Bayesian model as a measure function"]: the levels
//! of a hierarchy are implied fields of the table, and each predicts the one below it (zip3 → zip4
//! → zip5). Fields of other columns become further parents of a field where the description of the
//! table gets shorter (BIC): zip4 may depend on zip3 and race, zip5 on zip4 and race. So a
//! generalized row is a row with missing fields; the network computes its probability, fills it in,
//! and samples new rows.
//!
//! Columns never form a cycle. Every field adds one row per configuration of its parents, spread as
//! its own hierarchy does [Perks 1947]; upwards, hierarchies stay certain. Inference is exact:
//! columns are eliminated one by one (node.rs), and structures that would need large tables are not
//! learned (plan.rs). Fitting costs one pass over the distinct rows per family that is tried.

mod ask;
mod chain;
mod climb;
mod entries;
mod exact;
mod family;
mod fit;
mod infer;
mod node;
mod plan;
mod sample;
mod score;
mod show;

pub use ask::{Answer, Likely, Question, answer_text};
pub use entries::Entries;
pub use fit::{Fit, MOST_PARENTS, fit};
pub use infer::{Cell, Known};
pub use node::AtNode;
pub use sample::Sampler;
pub use show::{EdgeFacts, Facts, FieldFacts, text};

use crate::hierarchy::Hierarchy;
use chain::Chain;
use family::Family;

/// The probability of every row that the columns' hierarchies allow.
#[derive(Debug, Clone)]
pub struct Network {
    names: Vec<String>,
    hierarchies: Vec<Hierarchy>,
    chains: Vec<Chain>,
    /// Column → its levels that depend on other columns, ascending.
    families: Vec<Vec<Family>>,
    /// Columns, parents before children.
    order: Vec<usize>,
    /// Columns in the order in which inference eliminates them.
    elimination: Vec<usize>,
    edges: Vec<EdgeFacts>,
    rows: u64,
    target: Option<usize>,
    most_parents: usize,
    /// BIC in natural logarithms, with all edges and with none.
    bic: (f64, f64),
    /// Whether no other structure scores higher.
    optimal: bool,
    /// Edges that were left out because of the size of inference.
    refused: usize,
    /// Bits per row that was kept aside, with all edges and with none, and how many rows were.
    test: Option<(f64, f64, u64)>,
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

    /// The columns that a column depends on, ascending.
    pub fn parents(&self, column: usize) -> Vec<usize> {
        let parents = self.families[column].iter().flat_map(|family| &family.parents);
        let mut parents: Vec<usize> = parents.map(|&(parent, _)| parent).collect();
        parents.sort_unstable();
        parents.dedup();
        parents
    }
}

#[cfg(test)]
mod tests;
