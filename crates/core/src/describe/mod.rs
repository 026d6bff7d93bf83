//! Profiles a table: the content of each column, its proposed role and hierarchy, each with the
//! reason (HIPAA Safe Harbor).
//!
//! A [`Describer`] takes every cell once. A known value costs one hash and allocates nothing;
//! memory per column is bounded (see `sample`), so parts of a table can be described in parallel
//! and merged, with exactly the result of one pass. [`policy`] writes a policy that runs unchanged,
//! [`table`] the text for a terminal. Proposals err on the safe side; the user decides.

mod dates;
mod draft;
mod facts;
mod files;
mod header;
mod levels;
mod names;
mod reading;
mod role;
mod sample;
mod shape;
mod show;
mod traits;
mod words;

#[cfg(test)]
mod tests;

use rayon::prelude::*;
use serde::Serialize;

use crate::hierarchy::Spec;
use crate::policy::Role;
use crate::reading::Reading;

pub use draft::policy;
pub use files::{hierarchy_file, propose};
pub use header::{SAMPLED_LINES, first_line_is_data};
pub use reading::{Ambiguous, Answers};
pub use show::table;

use facts::Facts;
use role::Reason;
use sample::Sample;
use traits::Traits;

/// Distinct values of a column that are counted exactly; beyond it they are sampled.
pub const LIMIT: usize = 200_000;

/// The kind of a column's values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// There are none.
    Empty,
    /// Two values that mean yes and no.
    Boolean,
    /// Whole numbers.
    Integer,
    /// Numbers.
    Decimal,
    /// Days.
    Date {
        /// How they are written (strftime).
        format: String,
    },
    /// Days with a time.
    DateTime {
        /// How they are written (strftime).
        format: String,
    },
    /// Times of day.
    Time,
    /// Lists or records, which have no text form.
    Nested,
    /// Letters and digits without spaces: 02139, E11.9.
    Code,
    /// Short texts that repeat.
    Category,
    /// Long texts, or texts that hardly repeat.
    Text,
}

impl Kind {
    /// One word for it.
    pub fn name(&self) -> &'static str {
        match self {
            Kind::Empty => "empty",
            Kind::Boolean => "boolean",
            Kind::Integer => "integer",
            Kind::Decimal => "decimal",
            Kind::Date { .. } => "date",
            Kind::DateTime { .. } => "date-time",
            Kind::Time => "time",
            Kind::Nested => "nested",
            Kind::Code => "code",
            Kind::Category => "category",
            Kind::Text => "text",
        }
    }
}

/// A table as it was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Description {
    /// Its rows.
    pub rows: u64,
    /// Its columns, in order.
    pub columns: Vec<ColumnDescription>,
    /// What was found out about its files and cells, a sentence each; holds no values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub detected: Vec<String>,
}

/// One column as it was found, and what should become of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnDescription {
    /// Its name.
    pub name: String,
    /// The kind of its values; texts that usually mean missing (`?`, `NA`) do not count here.
    pub kind: Kind,
    /// Distinct values, the missing one not among them.
    pub distinct: u64,
    /// Whether `distinct` and `unique_rows` were counted rather than estimated.
    pub distinct_exact: bool,
    /// Missing cells.
    pub missing: u64,
    /// Missing cells as a share of all.
    pub missing_share: f64,
    /// Rows whose value occurs once.
    pub unique_rows: u64,
    /// Rows whose value occurs once as a share of all.
    pub unique_share: f64,
    /// The least number or the first day.
    pub min: Option<String>,
    /// The greatest number or the last day.
    pub max: Option<String>,
    /// The most frequent values with their counts; none where there were too many to count.
    pub top: Vec<(String, u64)>,
    /// The proposed role.
    pub role: Role,
    /// Whether name or values say so outright, rather than caution.
    pub certain: bool,
    /// Why that role; holds no values.
    pub reason: String,
    /// The proposed hierarchy, for a quasi-identifier.
    pub hierarchy: Option<Spec>,
    /// Why that hierarchy; holds no values.
    pub hierarchy_reason: Option<String>,
    /// How its cells are written, where that is not plain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reading: Option<Reading>,
    /// What it could be read as in two ways.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ambiguous: Option<Ambiguous>,
}

/// What has been seen of one column.
#[derive(Debug, Clone)]
struct Counter {
    missing: u64,
    present: u64,
    sample: Sample,
    traits: Traits,
}

/// Takes the cells of a table and describes its columns.
#[derive(Debug, Clone)]
pub struct Describer {
    names: Vec<String>,
    nulls: Vec<String>,
    counters: Vec<Counter>,
}

impl Describer {
    /// Describes the named columns; the texts in `nulls` mean that a cell is missing.
    pub fn new(columns: Vec<String>, nulls: &[String]) -> Self {
        Describer::with_limit(columns, nulls, LIMIT)
    }

    /// As [`Describer::new`], with another number of values that are counted exactly.
    pub(crate) fn with_limit(columns: Vec<String>, nulls: &[String], limit: usize) -> Self {
        let counter = Counter { missing: 0, present: 0, sample: Sample::new(limit), traits: Traits::new() };
        Describer { counters: vec![counter; columns.len()], names: columns, nulls: nulls.to_vec() }
    }

    /// Takes one cell; to be called once for every cell of every row. A column that does not exist
    /// is ignored.
    pub fn push(&mut self, column: usize, value: Option<&str>) {
        let Some(counter) = self.counters.get_mut(column) else {
            return;
        };
        match value {
            Some(value) if !self.nulls.iter().any(|null| null == value) => {
                counter.present += 1;
                if !counter.sample.add(value) {
                    counter.traits.see(value);
                }
            }
            _ => counter.missing += 1,
        }
    }

    /// Takes over what another describer has seen of other rows of the same table.
    pub fn merge(&mut self, other: Describer) {
        for (mine, other) in self.counters.iter_mut().zip(other.counters) {
            mine.missing += other.missing;
            mine.present += other.present;
            mine.traits.merge(&other.traits);
            mine.sample.merge(other.sample);
        }
    }

    /// The description, when all cells have been taken.
    pub fn finish(self) -> Description {
        self.finish_with(&Answers::default())
    }

    /// As [`finish`](Self::finish), with what the user says about ambiguous columns.
    pub fn finish_with(self, answers: &Answers) -> Description {
        let rows = self.counters.iter().map(|c| c.missing + c.present).max().unwrap_or(0);
        let columns = self.names.into_par_iter().zip(self.counters);
        let (known, mut columns): (Vec<(Facts, Reason)>, Vec<ColumnDescription>) =
            columns.map(|(name, counter)| describe(name, counter, answers)).unzip();
        one_weight(&mut columns, &known);
        one_quasi(&mut columns, &known);
        Description { rows, columns, detected: Vec::new() }
    }
}

fn describe(name: String, counter: Counter, answers: &Answers) -> ((Facts, Reason), ColumnDescription) {
    let Counter { missing, present, sample, mut traits } = counter;
    traits.day_first = answers.day_first;
    let (reading, ambiguous) = match reading::detect(&sample, &traits, answers) {
        Ok(reading) => (reading, None),
        Err(ambiguous) => (None, Some(ambiguous)),
    };
    let facts = Facts::new(&name, missing, present, &sample, traits);
    let role::Proposal { role, certain, reason } = role::decide(&facts);
    let share = |part: u64| part as f64 / (missing + present).max(1) as f64;
    let (min, max) = extremes(&facts);
    let mut column = ColumnDescription {
        name,
        kind: facts.kind.clone(),
        distinct: facts.distinct,
        distinct_exact: facts.exact,
        missing,
        missing_share: share(missing),
        unique_rows: facts.unique,
        unique_share: share(facts.unique),
        min,
        max,
        top: facts.top.clone(),
        role: Role::Drop,
        certain,
        reason: reason.text(),
        hierarchy: None,
        hierarchy_reason: None,
        reading,
        ambiguous,
    };
    column.set(role, &facts);
    ((facts, reason), column)
}

impl ColumnDescription {
    /// A column of lists or records. It is dropped: its cells have no text form.
    pub fn nested(name: String) -> Self {
        ColumnDescription {
            name,
            kind: Kind::Nested,
            distinct: 0,
            distinct_exact: false,
            missing: 0,
            missing_share: 0.0,
            unique_rows: 0,
            unique_share: 0.0,
            min: None,
            max: None,
            top: Vec::new(),
            role: Role::Drop,
            certain: true,
            reason: "holds lists or records, which have no text form: it is left out of the release".into(),
            hierarchy: None,
            hierarchy_reason: None,
            reading: None,
            ambiguous: None,
        }
    }

    /// Gives the column a role, and the hierarchy that goes with it.
    fn set(&mut self, role: Role, facts: &Facts) {
        self.role = role;
        let proposal = (role == Role::Quasi).then(|| levels::propose(facts));
        (self.hierarchy, self.hierarchy_reason) = proposal.unzip();
    }
}

fn extremes(facts: &Facts) -> (Option<String>, Option<String>) {
    let (low, high) = facts.traits.range;
    match facts.format() {
        Some(format) if facts.dated() => {
            let (first, last) = facts.traits.days(format);
            (Some(first.to_string()), Some(last.to_string()))
        }
        _ if facts.numeric() => (Some(low.to_string()), Some(high.to_string())),
        _ => (None, None),
    }
}

/// A row has one weight. Replicate weights beside it give away which rows were sampled together, so
/// they do not go out.
fn one_weight(columns: &mut [ColumnDescription], known: &[(Facts, Reason)]) {
    let weights = columns.iter_mut().zip(known).filter(|(column, _)| column.role == Role::Weight);
    for (column, (facts, _)) in weights.skip(1) {
        column.set(Role::Drop, facts);
        column.reason = "a further survey weight: several tell which rows were sampled together".into();
    }
}

/// Without a quasi-identifier there is nothing to protect by: of the columns that would go out as
/// they are, the one with most unique rows becomes it.
fn one_quasi(columns: &mut [ColumnDescription], known: &[(Facts, Reason)]) {
    if columns.iter().any(|c| c.role == Role::Quasi) {
        return;
    }
    let released = columns.iter().enumerate().filter(|(_, c)| c.role.released());
    // `max_by_key` takes the last of equals; the first column is to win.
    let best = released.rev().max_by_key(|(_, c)| (c.role != Role::Weight, c.unique_rows, c.distinct));
    if let Some((i, _)) = best {
        let (facts, reason) = &known[i];
        columns[i].set(Role::Quasi, facts);
        columns[i].certain = false;
        columns[i].reason = format!("no other column can be linked; {}", reason.generalized());
    }
}
