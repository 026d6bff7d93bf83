//! A network as plain data and as text: its edges with their levels and gains. It contains no cell
//! values.

use std::fmt::Write;

use serde::Serialize;

use super::Network;

/// What a network looks like.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Facts {
    /// Rows that it was fitted to.
    pub rows: u64,
    /// The column to be predicted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The most parents of other columns that a field could have.
    pub parents: usize,
    /// BIC in natural logarithms: higher is better.
    pub bic: f64,
    /// BIC without any edges.
    pub bic_without_edges: f64,
    /// Whether no other structure scores higher; of large tables it is not known.
    pub optimal: bool,
    /// Edges that gain and were left out, because inference would need too large tables.
    pub refused: usize,
    /// Rows that were kept aside to test the network.
    pub test_rows: u64,
    /// Bits that a row kept aside takes with these edges; none without such rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bits: Option<f64>,
    /// Bits that it takes without any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bits_without_edges: Option<f64>,
    /// The columns.
    pub columns: Vec<FieldFacts>,
    /// The edges, parents first.
    pub edges: Vec<EdgeFacts>,
}

/// A column with its implied fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FieldFacts {
    /// The column.
    pub column: String,
    /// Level → number of labels.
    pub labels: Vec<usize>,
}

/// An edge between two columns.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EdgeFacts {
    /// The parent.
    pub from: String,
    /// Its level.
    pub from_level: usize,
    /// The child.
    pub to: String,
    /// Its level.
    pub to_level: usize,
    /// Mutual information of the two levels in bits, rare labels left out.
    pub mutual: f64,
    /// Bits of BIC per row that would be lost without it.
    pub gain: f64,
}

impl Network {
    /// What it looks like.
    pub fn facts(&self) -> Facts {
        let field = |(name, hierarchy): (&String, &crate::hierarchy::Hierarchy)| FieldFacts {
            column: name.clone(),
            labels: (0..=hierarchy.height()).map(|level| hierarchy.size(level)).collect(),
        };
        let aside = self.test.filter(|(_, _, rows)| *rows > 0);
        Facts {
            rows: self.rows,
            target: self.target.map(|target| self.names[target].clone()),
            parents: self.most_parents,
            bic: self.bic.0,
            bic_without_edges: self.bic.1,
            optimal: self.optimal,
            refused: self.refused,
            test_rows: aside.map_or(0, |(_, _, rows)| rows),
            bits: aside.map(|(with, _, _)| with),
            bits_without_edges: aside.map(|(_, without, _)| without),
            columns: self.names.iter().zip(&self.hierarchies).map(field).collect(),
            edges: self.edges.clone(),
        }
    }
}

/// The columns, each with the edges to its levels, and what the figures mean.
pub fn text(facts: &Facts) -> String {
    let mut text = format!("{} rows", facts.rows);
    if let (Some(bits), Some(without)) = (facts.bits, facts.bits_without_edges) {
        let _ = write!(
            text,
            ", {} of them kept aside: {bits:.3} bits a row, {without:.3} without edges",
            facts.test_rows
        );
    }
    let best = if facts.optimal { ", the best of all structures" } else { "" };
    let _ = write!(text, "\nBIC {:.1}{best}, {:.1} without edges\n\n", facts.bic, facts.bic_without_edges);
    for field in &facts.columns {
        column(&mut text, facts, field);
    }
    if facts.refused > 0 {
        let _ = writeln!(text, "\n{} left out: inference would need too large tables.", edges(facts.refused));
    }
    text + "\nA level of a column depends on the level above it and on the levels of other columns listed below it. MI: bits that\n\
            the two have about each other; gain: bits of BIC per row that would be lost without the edge.\n"
}

fn edges(n: usize) -> String {
    if n == 1 { "1 edge was".into() } else { format!("{n} edges were") }
}

fn column(text: &mut String, facts: &Facts, field: &FieldFacts) {
    let labels: Vec<String> = field.labels.iter().map(usize::to_string).collect();
    let target = if facts.target.as_ref() == Some(&field.column) { ", the target" } else { "" };
    let _ = writeln!(text, "{}  [{}{target}]", field.column, labels.join(" ← "));
    for edge in facts.edges.iter().filter(|edge| edge.to == field.column) {
        let _ = writeln!(
            text,
            "  level {} from {} level {}: MI {:.4}, gain {:.4}",
            edge.to_level, edge.from, edge.from_level, edge.mutual, edge.gain
        );
    }
}
