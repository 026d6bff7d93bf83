//! What an adversary knows about people: the columns and values of an attack database
//! [Katirai 2006, "Threat model"].
//!
//! A value that no table of the adversary has carries no risk of linkage. So the columns by which
//! people are looked for are those that the database has, after joins and inferences, whatever the
//! policy thinks of them; a policy that forgot one does not hide it. If a column names people in
//! the original and in the database, a target is known by the values of the database, right or
//! wrong, and people whom it does not have are not targets. Costs a hash of the name per row.

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};
use throng_terms::error::{Error, Result};
use throng_terms::fault;
use throng_terms::table::{Code, Dictionary};

use crate::database::Fact;
use crate::scene::Roles;
use crate::table::{Coded, Column};
use crate::view::Targets;

impl Roles {
    /// The roles of an adversary who knows what a database has: its columns that are released as
    /// quasi-identifiers or unchanged, except the one that names people.
    ///
    /// # Errors
    /// A database that has none of them.
    pub fn known_to(self, database: &Coded, released: &[String], truth: Option<&str>) -> Result<Self> {
        let known = |name: &&String| {
            released.contains(name) && database.column(name).is_some() && truth != Some(name.as_str())
        };
        let quasi: Vec<String> = self.quasi.iter().chain(&self.kept).filter(known).cloned().collect();
        if quasi.is_empty() {
            return Err(knows_nothing(&self.quasi));
        }
        let partly_known = self.quasi.iter().any(|name| !quasi.contains(name));
        Ok(Roles { quasi, partly_known, ..self })
    }
}

/// A database that has none of some columns.
pub fn knows_nothing(columns: &[String]) -> Error {
    fault!(
        Input,
        "attack.database-knows-nothing",
        "the attack database has none of the columns {columns}",
        columns = columns.join(", ")
    )
    .help("declare a table, a join or an inference that has one of them")
    .into()
}

/// An original as the adversary knows its people.
pub(crate) fn as_known<'a>(
    original: &'a Coded,
    population: Option<&Coded>,
    truth: Option<&str>,
    roles: &Roles,
) -> Result<Cow<'a, Coded>> {
    let (Some(truth), Some(people)) = (truth, population) else { return Ok(Cow::Borrowed(original)) };
    let (ours, theirs) = (named(original, truth, "the original")?, named(people, truth, "the population")?);
    let rows = rows_of(theirs);
    let person = |code: Code| ours.dictionary.value(code).and_then(|name| rows.get(name).copied().flatten());
    let persons: Vec<Option<u32>> = (0..ours.size() as Code).map(person).collect();
    let (mut places, mut others) = (Vec::new(), Vec::new());
    for (row, &code) in ours.codes.iter().enumerate() {
        if let Some(other) = persons[code as usize] {
            places.push(row as u32);
            others.push(other);
        }
    }
    if places.is_empty() {
        return Err(fault!(
            Data,
            "attack.nobody-known",
            "nobody of the original is in the population, by `{column}`",
            column = truth
        )
        .key("--truth")
        .help("name a column that has the same values for the same people in both tables")
        .into());
    }
    let (ours, mut known) = (original.part(&places), people.part(&others));
    known.columns.retain(|column| !roles.sensitive.contains(&column.name) && column.name != truth);
    let own = |column: &Column| {
        roles.sensitive.contains(&column.name) || roles.subject.as_ref() == Some(&column.name)
    };
    known.columns.extend(ours.columns.into_iter().filter(own));
    Ok(Cow::Owned(known))
}

/// Rows of a population whose names nobody in the originals has.
pub(crate) fn rows_apart(people: &Coded, originals: &[&Coded], truth: &str) -> Result<Vec<u32>> {
    let theirs = named(people, truth, "the population")?;
    let mut inside: FxHashSet<&str> = FxHashSet::default();
    for original in originals {
        let ours = named(original, truth, "the original")?;
        inside.extend(ours.dictionary.present().map(|(name, _)| name));
    }
    let apart = |row: &u32| theirs.cell(*row as usize).is_none_or(|name| !inside.contains(name));
    Ok((0..people.rows as u32).filter(apart).collect())
}

/// Name → its row; none where several rows have it.
fn rows_of(names: &Column) -> FxHashMap<&str, Option<u32>> {
    let mut rows: FxHashMap<&str, Option<u32>> = FxHashMap::default();
    for row in 0..names.codes.len() {
        if let Some(name) = names.cell(row) {
            rows.entry(name).and_modify(|only| *only = None).or_insert(Some(row as u32));
        }
    }
    rows
}

fn named<'a>(table: &'a Coded, truth: &str, which: &'static str) -> Result<&'a Column> {
    table.column(truth).ok_or_else(|| {
        fault!(Input, "attack.no-truth", "{table} has no column `{column}`", table = which, column = truth)
            .key("--truth")
            .help("name a column of the original and of the population or attack database")
            .into()
    })
}

/// Sensitive values that the adversary can rule out for each target.
#[derive(Default)]
pub(crate) struct RuledOut(Vec<OfColumn>);

struct OfColumn {
    /// The sensitive column.
    column: usize,
    /// Target → code of the value that the fact follows from.
    from: Vec<Code>,
    /// That code → shared codes of values that are ruled out.
    values: Vec<Vec<Code>>,
}

impl RuledOut {
    /// By the facts of a database, of the rows that became targets.
    pub(crate) fn new(
        facts: &[Fact],
        known: &Coded,
        rows: &[u32],
        roles: &Roles,
        shared: &[Dictionary],
    ) -> Result<Self> {
        let mut all = Vec::new();
        for fact in facts {
            let Some(column) = roles.sensitive.iter().position(|name| *name == fact.column) else { continue };
            let from = known.column(&fact.from).ok_or_else(|| unknown(fact))?;
            let code = |value: &String| shared[column].get(Some(value));
            let of = |from: Option<&str>| -> Vec<Code> {
                let values = from.and_then(|from| fact.ruled_out.get(from)).into_iter().flatten();
                values.filter_map(code).collect()
            };
            let values = (0..from.size() as Code).map(|code| of(from.dictionary.value(code))).collect();
            let from = rows.iter().map(|&row| from.codes[row as usize]).collect();
            all.push(OfColumn { column, from, values });
        }
        Ok(RuledOut(all))
    }

    /// Whether a value is ruled out for a target.
    pub(crate) fn has(&self, column: usize, target: u32, value: Code) -> bool {
        self.0
            .iter()
            .filter(|of| of.column == column)
            .any(|of| of.values[of.from[target as usize] as usize].contains(&value))
    }
}

fn unknown(fact: &Fact) -> Error {
    fault!(
        Input,
        "attack.database-fact-of-nothing",
        "a fact about `{column}` follows from `{from}`, which is not known about the targets",
        column = fact.column,
        from = fact.from
    )
    .help("let it follow from a quasi-identifier, or give --truth, which says who is who")
    .into()
}

/// One row per person, drawn among the person's rows; all rows where no column names people.
pub(crate) fn one_per_person(order: &[u32], subject: Option<&Column>, places: &[u32]) -> Vec<u32> {
    let Some(subject) = subject else { return order.to_vec() };
    let missing = subject.dictionary.missing();
    let mut seen = vec![false; subject.size()];
    let mut kept = vec![false; order.len()];
    for &place in places {
        let code = subject.codes[order[place as usize] as usize];
        let first = Some(code) == missing || !std::mem::replace(&mut seen[code as usize], true);
        kept[place as usize] = first;
    }
    order.iter().zip(kept).filter(|(_, kept)| *kept).map(|(&row, _)| row).collect()
}

impl Targets {
    /// The sensitive value of a target.
    pub(crate) fn own(&self, column: usize, target: u32) -> Code {
        self.values[column][target as usize]
    }
}
