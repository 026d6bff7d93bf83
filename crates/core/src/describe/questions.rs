//! The summary of a description, and the few questions that the user should answer.
//!
//! At most five, the most harmful mistake first. Each names columns and the line of the policy to
//! change. They follow from the description alone, so they can be asked again when roles change.

use std::collections::BTreeMap;

use serde::Serialize;

use super::draft::{key, quoted};
use super::{ColumnDescription, Description};
use crate::policy::Role;

/// Questions that are asked at most.
const MOST: usize = 5;

/// Columns that a question names before it counts the rest.
const NAMED: usize = 6;

/// A question about some columns, and what to change if the answer is yes.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Question {
    /// The columns that it is about.
    pub columns: Vec<String>,
    /// The question with its background.
    pub question: String,
    /// The line of the policy to change, and when.
    pub change: String,
}

/// Columns by role, as a policy writes roles; roles that no column has are left out.
pub(super) fn summary(description: &Description) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for column in &description.columns {
        *counts.entry(column.role.name()).or_default() += 1;
    }
    counts
}

/// The summary in one sentence.
pub(super) fn sentence(description: &Description) -> String {
    let person = description.columns.iter().filter(|c| c.person_id).count();
    let mut parts = Vec::new();
    for (role, one, several) in [
        ("quasi", "quasi-identifier", "quasi-identifiers"),
        ("sensitive", "sensitive", "sensitive"),
        ("target", "target", "targets"),
        ("weight", "weight", "weights"),
        ("keep", "kept unchanged", "kept unchanged"),
        ("subject", "person id", "person ids"),
        ("identifier", "identifier (removed)", "identifiers (removed)"),
        ("text", "free text (removed)", "free texts (removed)"),
        ("drop", "dropped", "dropped"),
    ] {
        let mut count = description.columns.iter().filter(|c| c.role.name() == role).count();
        if role == "identifier"
            && person > 0
            && description.columns.iter().any(|c| c.person_id && c.role.name() == role)
        {
            count -= person;
            parts.push(format!("{person} person id (removed)"));
        }
        if count > 0 {
            parts.push(format!("{count} {}", if count == 1 { one } else { several }));
        }
    }
    let columns = description.columns.len();
    let noun = if columns == 1 { "column" } else { "columns" };
    format!("{columns} {noun}: {}", if parts.is_empty() { "nothing".into() } else { parts.join(", ") })
}

/// The questions, the most important first.
pub(super) fn ask(description: &Description) -> Vec<Question> {
    let questions =
        [persons, exact, unclear_sensitive, unclear_quasi, spelled, missing, only_quasi, unique, numbered];
    questions.into_iter().filter_map(|question| question(description)).take(MOST).collect()
}

fn chosen<'a>(
    description: &'a Description,
    which: impl Fn(&ColumnDescription) -> bool + 'a,
) -> Vec<&'a ColumnDescription> {
    description.columns.iter().filter(|c| which(c)).collect()
}

fn question(columns: &[&ColumnDescription], question: String, change: impl Into<String>) -> Option<Question> {
    let columns = columns.iter().map(|c| c.name.clone()).collect::<Vec<_>>();
    (!columns.is_empty()).then(|| Question { columns, question, change: change.into() })
}

/// Some names, and how many more there are.
fn names(columns: &[&ColumnDescription]) -> String {
    let mut named: Vec<String> = columns.iter().take(NAMED).map(|c| format!("`{}`", c.name)).collect();
    if columns.len() > NAMED {
        named.push(format!("{} more", columns.len() - NAMED));
    }
    match named.pop() {
        Some(last) if named.is_empty() => last,
        Some(last) => format!("{} and {last}", named.join(", ")),
        None => String::new(),
    }
}

fn persons(description: &Description) -> Option<Question> {
    let columns = chosen(description, |c| c.person_id);
    let column = columns.first()?;
    let rows = description.rows - column.missing.min(description.rows);
    let seen = format!(
        "Does `{}` identify persons? It has {} values in {} rows, so some persons have several rows.",
        column.name,
        grouped(column.distinct),
        grouped(rows)
    );
    if column.role == Role::Subject {
        let (text, change) = match column.missing {
            0 => (
                format!("{seen} k counts persons because of its role."),
                "role = \"identifier\" if every row is about another person".to_owned(),
            ),
            // A release refuses them.
            missing => (
                format!("{seen} {} have no person, and cannot be released.", rows_of(missing)),
                format!("where = {} in [input] leaves them out", not_null(&column.name)),
            ),
        };
        return question(&columns, text, change);
    }
    let text = format!("{seen} k counts rows: a class of k rows can hold fewer than k persons.");
    question(
        &columns,
        text,
        "release one row per person, or choose k for the largest number of rows per person",
    )
}

fn rows_of(number: u64) -> String {
    format!("{} {}", grouped(number), if number == 1 { "row" } else { "rows" })
}

/// A condition on rows as TOML: a column has a value.
fn not_null(name: &str) -> String {
    format!("'\"{}\" IS NOT NULL'", name.replace('"', "\"\""))
}

/// Whether a column is released unchanged, and its values are rare enough to be recognized.
fn recognizable(description: &Description, c: &ColumnDescription) -> bool {
    c.role.released()
        && !matches!(c.role, Role::Quasi | Role::Weight)
        && description.rows >= 20
        && c.unique_share > 0.1
}

fn exact(description: &Description) -> Option<Question> {
    let columns = chosen(description, |c| recognizable(description, c));
    let most = columns.iter().map(|c| c.unique_share).fold(0.0, f64::max);
    let seen =
        if columns.len() == 1 { "The value is unique in" } else { "The most precise one is unique in" };
    let text = format!(
        "Could an outsider know exact values of {}? {seen} {} of the rows, and values are released unchanged.",
        names(&columns),
        super::role::percent(most)
    );
    question(&columns, text, "role = \"quasi\", or round the values with a `hierarchy` and `level = 1`")
}

/// Columns that [`exact`] asks about are not asked about again.
fn unclear_sensitive(description: &Description) -> Option<Question> {
    let columns =
        chosen(description, |c| !c.clue && c.role == Role::Sensitive && !recognizable(description, c));
    let text = format!("{} treated as sensitive and released unchanged.", unclear(&columns));
    question(&columns, text, "role = \"quasi\" for what neighbours, colleagues or public records know")
}

fn unclear_quasi(description: &Description) -> Option<Question> {
    let columns = chosen(description, |c| !c.clue && c.role == Role::Quasi && !c.last_resort);
    let text = format!(
        "{} treated as {} to be safe, which makes all other columns coarser.",
        unclear(&columns),
        if columns.len() == 1 { "a quasi-identifier" } else { "quasi-identifiers" }
    );
    question(&columns, text, "role = \"sensitive\" or \"keep\" for what outsiders cannot know")
}

/// The beginning of a question about columns without a clue.
fn unclear(columns: &[&ColumnDescription]) -> String {
    let state =
        if columns.len() == 1 { "The name gives no clue. It is" } else { "The names give no clue. They are" };
    format!("Could an outsider know {}? {state}", names(columns))
}

/// Categories that differ in nothing but case or outer spaces.
fn spelled(description: &Description) -> Option<Question> {
    let alike = |c: &ColumnDescription| c.spellings.filter(|(_, folded)| *folded < c.distinct);
    let columns = chosen(description, |c| c.role.released() && alike(c).is_some());
    let first = columns.first()?;
    let (trimmed, folded) = alike(first)?;
    let (what, style) = match trimmed == folded {
        true => ("spaces at both ends", "trimmed"),
        false => ("case and spaces at both ends", "lower"),
    };
    let text = format!(
        "Are values of {} the same that differ only in case or outer spaces? `{}` has {} values, and {folded} if {what} do not count.",
        names(&columns),
        first.name,
        first.distinct,
    );
    question(&columns, text, format!("input.cells.{} = {{ text = \"{style}\" }}", key(&first.name)))
}

fn missing(description: &Description) -> Option<Question> {
    let doubt = description.doubts.first()?;
    let more = match description.doubts.len() - 1 {
        0 => String::new(),
        1 => " One further code is in doubt.".into(),
        n => format!(" {n} further codes are in doubt."),
    };
    let (code, column) = (&doubt.code, &doubt.column);
    let text = format!(
        "Does `{code}` mean missing in `{column}` ({} {})? It looks so, but {}.{more}",
        grouped(doubt.cells),
        if doubt.cells == 1 { "cell" } else { "cells" },
        doubt.but
    );
    let condition = format!("\"{}\" = '{code}'", column.replace('"', "\"\""));
    let change = format!(
        "input.prepare = [{{ clear = {{ columns = [{}], where = {} }} }}]",
        quoted(column),
        quoted(&condition)
    );
    Some(Question { columns: vec![column.clone()], question: text, change })
}

fn only_quasi(description: &Description) -> Option<Question> {
    let columns = chosen(description, |c| c.last_resort);
    let text = format!(
        "Is there really nothing that an outsider knows? No column looks like it, so {} is generalized in its place.",
        names(&columns)
    );
    question(&columns, text, "role = \"quasi\" for the columns that outsiders know")
}

/// Removed only because values hardly repeat.
fn unique(description: &Description) -> Option<Question> {
    let columns = chosen(description, |c| c.role == Role::Identifier && !c.clue && !c.person_id);
    let text = format!(
        "Are the values of {} needed? They are removed, because most are unique and the name gives no clue.",
        names(&columns)
    );
    question(&columns, text, "role = \"sensitive\" or \"quasi\" if it does not identify persons")
}

/// Numbers of something that repeat, which may be persons.
fn numbered(description: &Description) -> Option<Question> {
    let columns = chosen(description, |c| c.numbers_something && !c.person_id && c.role == Role::Quasi);
    let text = match &columns[..] {
        [one] => format!("Does `{}` identify persons who have several rows? Its values repeat.", one.name),
        _ => format!(
            "Does one of {} identify persons who have several rows? Their values repeat.",
            names(&columns)
        ),
    };
    question(&columns, text, format!("role = \"{}\"", super::person::person_id_role().name()))
}

/// A count with commas between thousands.
pub(super) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
