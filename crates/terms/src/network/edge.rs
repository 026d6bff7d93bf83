//! An edge between two columns: a level of the parent predicts a level of the child.
//!
//! p(q | a) = (n(a,q) + p(q)) / (n(a) + 1): one additional row per label of the parent, spread like
//! the child's column. Only observed pairs are stored; a sum over all q is a sum over these plus
//! one product, so smoothing costs nothing.

use crate::hierarchy::Hierarchy;
use crate::information::Contingency;
use crate::table::Code;

use super::chain::Chain;

/// The edge to a column from its parent.
#[derive(Debug, Clone)]
pub(super) struct Edge {
    pub(super) parent: usize,
    /// The parent's level.
    pub(super) above: usize,
    /// The child's level.
    pub(super) at: usize,
    /// Parent's label → the child's labels met with, with their rows, ascending.
    pub(super) met: Vec<Vec<(Code, u64)>>,
    /// Parent's label → its rows.
    pub(super) rows: Vec<u64>,
    /// Child's label → its probability without the parent.
    pub(super) marginal: Vec<f64>,
    /// Mutual information of the two levels in bits, rare labels left out.
    pub(super) mutual: f64,
    /// Bits that it saves per row that was kept aside.
    pub(super) gain: f64,
}

impl Edge {
    /// An edge from pairs of labels with their rows; `size` is how many labels the parent's level
    /// has.
    pub(super) fn new(
        (parent, above): (usize, usize),
        at: usize,
        size: usize,
        pairs: &Contingency,
        chain: &Chain,
    ) -> Self {
        let mut met = vec![Vec::new(); size];
        let mut rows = vec![0; size];
        for &(a, q, n) in pairs.pairs() {
            met[a as usize].push((q, n));
            rows[a as usize] += n;
        }
        Edge { parent, above, at, met, rows, marginal: chain.marginal(at), mutual: 0.0, gain: 0.0 }
    }

    /// p(q | a).
    pub(super) fn given(&self, q: Code, a: Code) -> f64 {
        (self.rows_of(a, q) as f64 + self.marginal[q as usize]) / (self.rows[a as usize] as f64 + 1.0)
    }

    /// Rows that have both labels.
    pub(super) fn rows_of(&self, a: Code, q: Code) -> u64 {
        let met = &self.met[a as usize];
        met.binary_search_by_key(&q, |&(label, _)| label).map_or(0, |at| met[at].1)
    }

    /// Σ p(q | a)·β(q) for every label a of the parent, where β is 0 for all labels but the given.
    pub(super) fn message(&self, beta: &[f64]) -> Vec<f64> {
        let shared: f64 = self.marginal.iter().zip(beta).map(|(p, b)| p * b).sum();
        let of = |(met, rows): (&Vec<(Code, u64)>, &u64)| {
            let known: f64 = met.iter().map(|&(q, n)| n as f64 * beta[q as usize]).sum();
            (known + shared) / (*rows as f64 + 1.0)
        };
        self.met.iter().zip(&self.rows).map(of).collect()
    }

    /// Σ w(a)·p(q | a) for every label q of the child.
    pub(super) fn forward(&self, weights: &[f64]) -> Vec<f64> {
        let scaled: Vec<f64> =
            weights.iter().zip(&self.rows).map(|(w, rows)| w / (*rows as f64 + 1.0)).collect();
        let shared: f64 = scaled.iter().sum();
        let mut to: Vec<f64> = self.marginal.iter().map(|p| p * shared).collect();
        for (met, w) in self.met.iter().zip(&scaled) {
            for &(q, n) in met {
                to[q as usize] += n as f64 * w;
            }
        }
        to
    }
}

/// Pairs of leaves as pairs of labels.
pub(super) fn lifted(
    leaves: &Contingency,
    (parent, above): (&Hierarchy, usize),
    (child, at): (&Hierarchy, usize),
) -> Contingency {
    let label = |&(u, v, n): &(Code, Code, u64)| (parent.generalize(u, above), child.generalize(v, at), n);
    Contingency::new(&leaves.pairs().iter().map(label).collect::<Vec<_>>())
}
