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
    /// Rows of these that were kept aside to test edges.
    pub test_rows: u64,
    /// The column to be predicted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Bits that a row kept aside takes with these edges.
    pub bits: f64,
    /// Bits that it takes without any.
    pub bits_without_edges: f64,
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
    /// Bits saved per row kept aside.
    pub gain: f64,
}

impl Network {
    /// What it looks like.
    pub fn facts(&self) -> Facts {
        let field = |(name, hierarchy): (&String, &crate::hierarchy::Hierarchy)| FieldFacts {
            column: name.clone(),
            labels: (0..=hierarchy.height()).map(|level| hierarchy.size(level)).collect(),
        };
        let edges = self.order.iter().filter_map(|&column| {
            let edge = self.edges[column].as_ref()?;
            Some(EdgeFacts {
                from: self.names[edge.parent].clone(),
                from_level: edge.above,
                to: self.names[column].clone(),
                to_level: edge.at,
                mutual: edge.mutual,
                gain: edge.gain,
            })
        });
        Facts {
            rows: self.rows,
            test_rows: self.test_rows,
            target: self.target.map(|target| self.names[target].clone()),
            bits: self.surprise.0,
            bits_without_edges: self.surprise.1,
            columns: self.names.iter().zip(&self.hierarchies).map(field).collect(),
            edges: edges.collect(),
        }
    }
}

/// The columns as trees, and what the figures mean.
pub fn text(facts: &Facts) -> String {
    let mut text = format!(
        "{} rows, {} of them kept aside: {:.3} bits a row, {:.3} without edges\n\n",
        facts.rows, facts.test_rows, facts.bits, facts.bits_without_edges
    );
    for field in &facts.columns {
        if facts.edges.iter().all(|edge| edge.to != field.column) {
            branch(&mut text, facts, field, 0);
        }
    }
    text + "\nAn edge goes from a level of one column to a level of another; MI: bits that the two tell of each other; gain: bits\n\
            saved per row kept aside.\n"
}

fn branch(text: &mut String, facts: &Facts, field: &FieldFacts, depth: usize) {
    let labels: Vec<String> = field.labels.iter().map(usize::to_string).collect();
    let target = if facts.target.as_ref() == Some(&field.column) { ", the target" } else { "" };
    let _ = write!(text, "{}{}  [{}{target}]", "  ".repeat(depth), field.column, labels.join(" ← "));
    if let Some(edge) = facts.edges.iter().find(|edge| edge.to == field.column) {
        let _ = write!(
            text,
            "  level {} from {} level {}: MI {:.4}, gain {:.4}",
            edge.to_level, edge.from, edge.from_level, edge.mutual, edge.gain
        );
    }
    text.push('\n');
    for edge in facts.edges.iter().filter(|edge| edge.from == field.column) {
        if let Some(child) = facts.columns.iter().find(|child| child.column == edge.to) {
            branch(text, facts, child, depth + 1);
        }
    }
}
