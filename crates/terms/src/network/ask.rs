//! Questions in words: `--given zip=0213* --ask diagnosis`, and their answers.
//!
//! A cell that is given is a value of the column, a label of one of its levels, or a cell of its
//! poset. Answers are plain data and text.

use std::fmt::Write;

use serde::Serialize;

use super::{Cell, Known, Network};
use crate::error::{Fault, Result};
use crate::fault;
use crate::hierarchy::{Hierarchy, TOP};
use crate::table::Code;

/// What is known of a row, and what is asked about it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Question {
    /// Columns and their cells; an empty cell is missing.
    pub given: Vec<(String, String)>,
    /// The column whose distribution is computed. Without it, only the probability of the row is.
    pub ask: Option<String>,
}

/// A value of a column with its probability.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Likely {
    /// The value; none is missing.
    pub value: Option<String>,
    /// Its probability given the rest of the row.
    pub probability: f64,
}

/// The answer to a question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    /// Rows that the network was fitted to.
    pub rows: u64,
    /// The probability that a row has the given cells.
    pub probability: f64,
    /// How many of as many rows as the table has are expected to have them.
    pub expected_rows: f64,
    /// The column that was asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// Its values, the most likely first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub distribution: Vec<Likely>,
}

impl Network {
    /// The answer to a question.
    ///
    /// # Errors
    /// A column that is not in the network or is given twice, a cell that is not of its column, and
    /// questions that need too large tables.
    pub fn answer(&self, question: &Question) -> Result<Answer> {
        let mut known: Vec<Known> =
            (0..self.names.len()).map(|column| Known::Label(self.anything(column))).collect();
        for (at, (name, cell)) in question.given.iter().enumerate() {
            let column = self.column(name)?;
            if question.given[..at].iter().any(|(other, _)| other == name) {
                return Err(fault!(Input, "network.given-twice", "`{column}` is given twice", column = name)
                    .help("give one cell per column")
                    .into());
            }
            known[column] = self.known(column, cell)?;
        }
        let probability = self.probability_known(&known)?;
        let asked = question.ask.as_ref().map(|name| self.column(name)).transpose()?;
        let shares = asked.map(|column| self.posterior(column, &known)).transpose()?;
        let mut distribution: Vec<Likely> = Vec::new();
        if let (Some(column), Some(shares)) = (asked, shares) {
            let likely = |(leaf, &probability): (usize, &f64)| Likely {
                value: self.hierarchies[column].leaf_value(leaf as Code).map(String::from),
                probability,
            };
            distribution = shares.iter().enumerate().filter(|(_, p)| **p > 0.0).map(likely).collect();
            distribution
                .sort_by(|a, b| b.probability.total_cmp(&a.probability).then_with(|| a.value.cmp(&b.value)));
        }
        Ok(Answer {
            rows: self.rows,
            probability,
            expected_rows: probability * self.rows as f64,
            column: asked.map(|column| self.names[column].clone()),
            distribution,
        })
    }

    fn column(&self, name: &str) -> Result<usize> {
        let unknown = || {
            let fault =
                fault!(Input, "network.unknown-column", "`{column}` is not in the network", column = name);
            fault.help(format!("its columns are {}", self.names.join(", "))).into()
        };
        self.names.iter().position(|other| other == name).ok_or_else(unknown)
    }

    /// What a cell says of a column.
    fn known(&self, column: usize, cell: &str) -> Result<Known> {
        let hierarchy = &self.hierarchies[column];
        if cell == TOP {
            return Ok(Known::Label(self.anything(column)));
        }
        let value = if cell.is_empty() { None } else { Some(cell) };
        if let Some(code) = hierarchy.leaf(value) {
            return Ok(Known::Label(Cell { level: 0, code }));
        }
        if let Some(known) = label(hierarchy, cell).or_else(|| of_poset(hierarchy, cell)) {
            return Ok(known);
        }
        let fault: Fault = fault!(
            Input,
            "network.unknown-cell",
            "`{cell}` is neither a value of `{column}` nor a generalization of one",
            cell = cell,
            column = self.names[column]
        );
        Err(fault.help("give a value that the table has, a label of a level, or * for any").into())
    }
}

/// The label of the lowest level that is written like a cell.
fn label(hierarchy: &Hierarchy, cell: &str) -> Option<Known> {
    if hierarchy.poset().is_some() {
        return None;
    }
    (1..hierarchy.height()).find_map(|level| {
        let labels = 0..hierarchy.size(level) as Code;
        let code = labels.into_iter().find(|&code| hierarchy.label(level, code) == Some(cell))?;
        Some(Known::Label(Cell { level, code }))
    })
}

/// The values that a cell of the column's poset is true of.
fn of_poset(hierarchy: &Hierarchy, cell: &str) -> Option<Known> {
    let poset = hierarchy.poset()?;
    let leaves = 0..hierarchy.leaf_count() as Code;
    let covered: Vec<Code> =
        leaves.filter(|&leaf| poset.covers(Some(cell), hierarchy.leaf_value(leaf))).collect();
    (!covered.is_empty()).then_some(Known::Leaves(covered))
}

/// Values that the text of an answer lists.
const LISTED: usize = 20;

/// An answer as text.
pub fn answer_text(answer: &Answer) -> String {
    let mut text = format!(
        "probability {:.6}: {:.2} of {} rows are expected to have the given cells\n",
        answer.probability, answer.expected_rows, answer.rows
    );
    let Some(column) = &answer.column else { return text };
    let _ = writeln!(text, "\n{column} given these:");
    for likely in answer.distribution.iter().take(LISTED) {
        let value = likely.value.as_deref().unwrap_or("(missing)");
        let _ = writeln!(text, "  {:.6}  {value}", likely.probability);
    }
    if answer.distribution.len() > LISTED {
        let rest: f64 = answer.distribution[LISTED..].iter().map(|likely| likely.probability).sum();
        let _ = writeln!(text, "  {rest:.6}  {} other values", answer.distribution.len() - LISTED);
    }
    text
}
