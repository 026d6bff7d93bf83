//! Profiles a table: the content of each column, its proposed role and hierarchy, each with the
//! reason (HIPAA Safe Harbor).
//!
//! A [`Describer`] takes every cell once. A known value costs one hash and allocates nothing;
//! memory per column is bounded (see `sample`), so parts of a table can be described in parallel
//! and merged, with exactly the result of one pass. [`policy`] writes a policy that runs unchanged,
//! [`table`] the text for a terminal. Proposals err on the safe side; the user decides.

mod category;
mod conditions;
mod counter;
mod dates;
mod draft;
mod facts;
mod files;
mod header;
mod levels;
mod missing;
mod names;
mod numbers;
mod person;
mod questions;
mod reading;
mod role;
mod sample;
mod shape;
mod show;
mod traits;
mod twins;
mod vocabulary;
mod wide;
mod words;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use rayon::prelude::*;
use rustc_hash::FxHashSet;
use serde::Serialize;

use crate::error::{Fault, Result};
use crate::hierarchy::{Hierarchy, Spec, build};
use crate::policy::Role;
use crate::reading::Reading;
use crate::table::Dictionary;

pub use category::Category;
pub use draft::policy;
pub(crate) use draft::{key, quoted};
pub use files::{hierarchy_file, propose};
pub use header::{SAMPLED_LINES, first_line_is_data};
pub use missing::MissingCode;
pub use names::outsiders_know;
pub use questions::Question;
pub use reading::{Ambiguous, Answers};
pub use show::table;

use counter::Counter;
use facts::Facts;
use missing::Doubt;
use person::Likelihood;
use role::Reason;

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
    /// Columns by role.
    pub summary: BTreeMap<&'static str, usize>,
    /// What the user should answer, the most important first; five at most.
    pub questions: Vec<Question>,
    /// Codes that are proposed for `input.null` beside those that were given. Cells that hold them
    /// count as missing.
    pub missing_codes: Vec<MissingCode>,
    /// Its columns, in order.
    pub columns: Vec<ColumnDescription>,
    /// What was found out about its files and cells, a sentence each; holds no values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub detected: Vec<String>,
    /// Codes that may mean missing in some column.
    #[serde(skip)]
    doubts: Vec<Doubt>,
}

impl Description {
    /// Counts roles and asks questions again, after roles have changed.
    pub fn refresh(&mut self) {
        self.summary = questions::summary(self);
        self.questions = questions::ask(self);
    }

    /// The summary in one line: columns by role.
    pub fn summary_line(&self) -> String {
        questions::sentence(self)
    }
}

/// One column as it was found, and what should become of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnDescription {
    /// Its name.
    pub name: String,
    /// The kind of its values.
    pub kind: Kind,
    /// Distinct values, the missing one not among them.
    pub distinct: u64,
    /// Whether `distinct` and `unique_rows` were counted rather than estimated.
    pub distinct_exact: bool,
    /// Missing cells, those with a proposed code included.
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
    /// Whether it identifies persons who have several rows.
    pub person_id: bool,
    /// The proposed hierarchy, for a quasi-identifier; none where cells become intervals or sets
    /// that fit the rows.
    pub hierarchy: Option<Spec>,
    /// How a quasi-identifier is generalized, and why; holds no values.
    pub hierarchy_reason: Option<String>,
    /// How its cells are written, where that is not plain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reading: Option<Reading>,
    /// What it could be read as in two ways.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ambiguous: Option<Ambiguous>,
    /// A hierarchy for searches by level, where none is proposed.
    pub offered_hierarchy: Option<Spec>,
    /// Whether name or values say anything of the column.
    #[serde(skip)]
    clue: bool,
    /// Whether it is a quasi-identifier only because there is no other.
    #[serde(skip)]
    last_resort: bool,
    /// Whether its name says that it numbers something, and its values repeat.
    #[serde(skip)]
    numbers_something: bool,
    /// Its distinct values where outer spaces do not count, and where case does not count either;
    /// none for values that are not categories.
    #[serde(skip)]
    spellings: Option<(u64, u64)>,
}

/// What is known of a column beside its description.
struct Known {
    facts: Facts,
    role: Role,
    clue: bool,
    reason: Reason,
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
        let counter = Counter::new(limit);
        Describer { counters: vec![counter; columns.len()], names: columns, nulls: nulls.to_vec() }
    }

    /// Takes one cell; to be called once for every cell of every row. A column that does not exist
    /// is ignored.
    pub fn push(&mut self, column: usize, value: Option<&str>) {
        self.push_count(column, value, 1);
    }

    /// Takes several cells of one value.
    pub fn push_count(&mut self, column: usize, value: Option<&str>, count: u64) {
        let Some(counter) = self.counters.get_mut(column) else {
            return;
        };
        match value {
            Some(value) if !self.nulls.iter().any(|null| null == value) => counter.push(value, count),
            _ => counter.missing += count,
        }
    }

    /// Takes over what another describer has seen of other rows of the same table.
    pub fn merge(&mut self, other: Describer) {
        for (mine, other) in self.counters.iter_mut().zip(other.counters) {
            mine.missing += other.missing;
            mine.present += other.present;
            mine.placeholders.iter_mut().zip(other.placeholders).for_each(|(a, b)| *a += b);
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
        self.described(answers).0
    }

    fn described(self, answers: &Answers) -> (Description, Vec<Known>) {
        let Describer { names, mut counters, .. } = self;
        let rows = counters.iter().map(|c| c.missing + c.present).max().unwrap_or(0);
        let (nulls, mut codes, mut doubts) = missing::texts(&code_columns(&names, &counters, &[]));
        counters.par_iter_mut().for_each(|counter| counter.settle(&nulls));
        let described =
            names.par_iter().zip(&counters).map(|(name, counter)| describe(name, counter, answers));
        let (mut known, mut columns): (Vec<Known>, Vec<ColumnDescription>) = described.unzip();
        let (numbers, unclear) = number_codes(&names, &counters, &known);
        for (i, counter) in counters.iter_mut().enumerate() {
            if counter.clear(&numbers) {
                (known[i], columns[i]) = describe(&names[i], counter, answers);
            }
        }
        codes.extend(numbers);
        doubts.extend(unclear);
        for (i, role, reason) in wide::revise(&names, &known) {
            columns[i].reason = reason.text();
            columns[i].set(role, &known[i].facts);
            known[i].reason = reason;
        }
        for (i, source) in twins::find(&columns, &known, &counters) {
            let name = columns[source].name.clone();
            columns[i].set(Role::Quasi, &known[i].facts);
            (columns[i].clue, columns[i].certain) = (true, false);
            columns[i].reason = twins::reason(&name);
        }
        one_person(&mut columns, &known);
        one_weight(&mut columns, &known);
        one_quasi(&mut columns, &known);
        let (summary, questions, detected) = (BTreeMap::new(), Vec::new(), Vec::new());
        let mut description =
            Description { rows, summary, questions, missing_codes: codes, columns, detected, doubts };
        description.refresh();
        (description, known)
    }
}

/// For every column with the given values, whether a release would not have it, and the levels that
/// it should be looked at. Values that mean missing are not in these.
///
/// # Errors
/// None in practice: what is proposed fits all values.
pub fn screening(names: &[String], values: &[Dictionary]) -> Result<Vec<(bool, Option<Hierarchy>)>> {
    let mut describer = Describer::new(names.to_vec(), &[]);
    for (i, dictionary) in values.iter().enumerate() {
        dictionary.present().for_each(|(value, count)| describer.push_count(i, Some(value), count));
    }
    let (description, known) = describer.described(&Answers::default());
    let missing = |value: &str| description.missing_codes.iter().any(|code| code.code == value);
    let columns = description.columns.iter().zip(&known).zip(values);
    let screened = columns.map(|((column, known), dictionary)| {
        if !column.role.released() {
            return Ok((true, None));
        }
        let levels = levels::propose(&known.facts);
        let Some(spec) = levels.hierarchy.or(levels.offered) else { return Ok((false, None)) };
        let mut present = Dictionary::new();
        for (value, count) in dictionary.present().filter(|(value, _)| !missing(value)) {
            present.add(Some(value), count);
        }
        let hierarchy = build(&spec, &present, &|_| Err(Fault::bug("no file is read").into()))?;
        Ok((false, Some(hierarchy)))
    });
    screened.collect()
}

/// The columns as the search for codes of missing values sees them.
fn code_columns<'a>(
    names: &'a [String],
    counters: &'a [Counter],
    known: &[Known],
) -> Vec<missing::Column<'a>> {
    let matters = |i: usize| {
        let removed =
            |k: &Known| !k.role.released() && person::numbers_persons(&names[i], &k.facts).is_none();
        !known.get(i).is_some_and(removed)
    };
    let columns = names.iter().zip(counters).enumerate();
    let column = |(i, (name, counter)): (usize, (&'a String, &'a Counter))| missing::Column {
        name,
        placeholders: &counter.placeholders,
        sample: &counter.sample,
        traits: &counter.traits,
        matters: matters(i),
    };
    columns.map(column).collect()
}

/// Numbers that mean missing, and those that may; not in columns that are removed or number
/// persons.
fn number_codes(names: &[String], counters: &[Counter], known: &[Known]) -> (Vec<MissingCode>, Vec<Doubt>) {
    let columns = code_columns(names, counters, known);
    let suspects: Vec<_> = columns
        .par_iter()
        .zip(known)
        .map(|(column, known)| if known.role.released() { missing::suspects(column) } else { Vec::new() })
        .collect();
    missing::numbers(&columns, &suspects)
}

fn describe(name: &str, counter: &Counter, answers: &Answers) -> (Known, ColumnDescription) {
    let &Counter { missing, present, ref sample, ref traits, .. } = counter;
    let mut traits = traits.clone();
    traits.day_first = answers.day_first;
    let (reading, ambiguous) = match reading::detect(name, sample, &traits, answers) {
        Ok(reading) => (reading, None),
        Err(ambiguous) => (None, Some(ambiguous)),
    };
    let facts = Facts::new(name, missing, present, sample, traits);
    let role::Proposal { role, certain, clue, reason } = role::decide(&facts);
    let share = |part: u64| part as f64 / (missing + present).max(1) as f64;
    let (min, max) = extremes(&facts);
    let mut column = ColumnDescription {
        name: name.into(),
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
        person_id: false,
        hierarchy: None,
        hierarchy_reason: None,
        reading,
        ambiguous,
        offered_hierarchy: None,
        clue,
        last_resort: false,
        numbers_something: facts.meaning.says() == Some(words::Says::Number) && facts.repeated(),
        spellings: spellings(&facts),
    };
    column.set(role, &facts);
    (Known { facts, role, clue, reason }, column)
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
            person_id: false,
            offered_hierarchy: None,
            clue: true,
            last_resort: false,
            numbers_something: false,
            spellings: None,
        }
    }

    /// Gives the column a role, and the hierarchy that goes with it.
    fn set(&mut self, role: Role, facts: &Facts) {
        self.role = role;
        let levels = (role == Role::Quasi).then(|| levels::propose(facts));
        self.hierarchy_reason = levels.as_ref().map(|levels| levels.reason.clone());
        self.offered_hierarchy = levels.as_ref().and_then(|levels| levels.offered.clone());
        self.hierarchy = levels.and_then(|levels| levels.hierarchy);
    }
}

/// The categories of a column where outer spaces do not count, and where case does not either.
fn spellings(facts: &Facts) -> Option<(u64, u64)> {
    let categories = matches!(facts.kind, Kind::Category | Kind::Boolean) && !facts.values.is_empty();
    let distinct = |same: fn(&str) -> String| {
        facts.values.iter().map(|value| same(value)).collect::<FxHashSet<_>>().len() as u64
    };
    categories.then(|| (distinct(|v| v.trim().to_owned()), distinct(|v| v.trim().to_lowercase())))
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

/// The one column that identifies persons with several rows: the name that says so most clearly,
/// then the fewest values. Other numbers of persons stay identifiers.
fn one_person(columns: &mut [ColumnDescription], known: &[Known]) {
    let coded = |k: &Known| {
        (!k.clue && k.role == Role::Identifier && k.facts.repeated_codes()).then_some(Likelihood::Coded)
    };
    let likelihood = |(i, k): (usize, &Known)| {
        let found = person::numbers_persons(&columns[i].name, &k.facts).or_else(|| coded(k))?;
        Some((found, std::cmp::Reverse((k.facts.distinct, i))))
    };
    let Some((_, std::cmp::Reverse((_, i)))) = known.iter().enumerate().filter_map(likelihood).max() else {
        return;
    };
    let facts = &known[i].facts;
    columns[i].set(person::person_id_role(), facts);
    columns[i].person_id = true;
    columns[i].reason = format!(
        "The column identifies persons, and some have several rows: {} values in {} rows.",
        questions::grouped(facts.distinct),
        questions::grouped(facts.present)
    );
}

/// A row has one weight. Replicate weights beside it give away which rows were sampled together, so
/// they do not go out.
fn one_weight(columns: &mut [ColumnDescription], known: &[Known]) {
    let weights = columns.iter_mut().zip(known).filter(|(column, _)| column.role == Role::Weight);
    for (column, known) in weights.skip(1) {
        column.set(Role::Drop, &known.facts);
        column.reason =
            "A further survey weight. Several weights show which rows were sampled together.".into();
    }
}

/// Without a quasi-identifier there is nothing to protect by: of the columns that would go out as
/// they are, the one with most unique rows becomes it.
fn one_quasi(columns: &mut [ColumnDescription], known: &[Known]) {
    if columns.iter().any(|c| c.role == Role::Quasi) {
        return;
    }
    let released = columns.iter().enumerate().filter(|(_, c)| c.role.released());
    // `max_by_key` takes the last of equals; the first column is to win.
    let best = released.rev().max_by_key(|(_, c)| (c.role != Role::Weight, c.unique_rows, c.distinct));
    if let Some((i, _)) = best {
        columns[i].set(Role::Quasi, &known[i].facts);
        columns[i].certain = false;
        columns[i].last_resort = true;
        columns[i].reason = format!("No other column can be linked. {}", known[i].reason.generalized());
    }
}
