//! Checks a release against a population and external tables: whether it is an ADS0, and whether it
//! adheres to null-map, wrong-map or k-map [Sweeney 2001, section 5].
//!
//! Reads every table once and makes the components of
//! [`anonymous_system`](crate::anonymous_system) of them. Cells are read as in
//! [`measure`](super::measure), with two differences: a missing cell covers any value, and a text
//! that is neither a label nor covers a value is not an error but covers nothing, so that tuples of
//! encrypted or made-up values map to nobody. Costs four bytes per cell that is read, and one pass
//! over the leaves per distinct text.

mod external;
mod system;
mod tables;

use self::tables::Tables;
use super::read::place_or;
use super::{Correspondence, Inputs};
use crate::anonymous_system::{Protection, check};
use crate::error::{Error, Fault, Result};
use crate::fault;
use crate::policy::Role;
use crate::rows::Rows;

/// A release, its original, and what outsiders know.
#[derive(Clone, Copy)]
pub struct Outside<'a> {
    /// The release and its original. Whether starred rows are suppressed does not matter.
    pub inputs: Inputs<'a>,
    /// Everybody who could be in the original.
    pub population: &'a dyn Rows,
    /// Tables that outsiders have, joined by the people whom they are about. If there is none,
    /// outsiders know the quasi-identifiers of the whole population.
    pub external: &'a [&'a dyn Rows],
    /// The column of original, population and external tables that names people. Without it, every
    /// row of the population is another person, and subjects are not known.
    pub truth: Option<&'a str>,
}

/// Checks a release against a population.
///
/// # Errors
/// Columns that are missing, tables without rows, rows that name nobody, rows that do not
/// correspond, and values that the policy's hierarchies lack;
/// [`Kind::Cancelled`](crate::error::Kind::Cancelled) when asked to stop.
pub fn protection(outside: &Outside<'_>) -> Result<Protection> {
    let watch = outside.inputs.watch;
    let columns = Columns::new(outside)?;
    let tables = Tables::read(outside, &columns)?;
    watch.check()?;
    let system = system::system(outside, &columns, tables)?;
    watch.check()?;
    check(&system, watch)
}

/// The columns that matter.
struct Columns {
    /// Quasi-identifiers that external tables have.
    linked: Vec<String>,
    /// Columns of original and release outside the quasi-identifiers.
    shown: Vec<String>,
    /// Released columns outside the quasi-identifiers that external tables have, or that name
    /// people.
    shared: Vec<String>,
}

impl Columns {
    fn new(outside: &Outside<'_>) -> Result<Self> {
        let Inputs { policy, original, release, rows, .. } = outside.inputs;
        policy.bind(original.columns())?;
        let (quasi, _) = policy.grouped_columns(original.columns());
        Error::check(lacking(outside, &quasi))?;
        let external = |name: &str| outside.external.iter().any(|t| t.columns().iter().any(|c| c == name));
        let known = |name: &&String| outside.external.is_empty() || external(name);
        let linked: Vec<String> = quasi.iter().filter(known).cloned().collect();
        if linked.is_empty() {
            return Err(no_linked_column(&quasi));
        }
        // The key belongs to the holder's copy of the release.
        let is_key = |name: &str| matches!(rows, Correspondence::Key(key) if key == name);
        let names_people = |name: &str| outside.truth == Some(name);
        let identifier = |name: &str| policy.columns.get(name).is_some_and(|c| c.role == Role::Identifier);
        let information =
            |name: &&String| original.columns().contains(name) && !names_people(name) && !identifier(name);
        let released = || release.columns().iter().filter(|name| !quasi.contains(name) && !is_key(name));
        Ok(Columns {
            linked,
            shown: released().filter(information).cloned().collect(),
            shared: released().filter(|name| names_people(name) || external(name)).cloned().collect(),
        })
    }
}

/// Columns that tables must have and lack.
fn lacking(outside: &Outside<'_>, quasi: &[String]) -> Vec<Fault> {
    let Inputs { original, release, rows, .. } = outside.inputs;
    let mut faults = Vec::new();
    let mut need = |table: (&dyn Rows, &str), name: &str, key: Option<&str>, remedy: &str| {
        if let Err(fault) = place_or(table, name, remedy) {
            faults.push(match key {
                Some(key) => fault.key(key),
                None => *fault,
            });
        }
    };
    let starred = "add the column, with `*` in every cell if its values were removed";
    quasi.iter().for_each(|name| need((release, "release"), name, None, starred));
    if let Correspondence::Key(key) = rows {
        for table in [(original, "original"), (release, "release")] {
            need(table, key, Some("--key"), "name a column that original and release have");
        }
    }
    if let Some(truth) = outside.truth {
        let tables = [(original, "original"), (outside.population, "population")];
        let external = outside.external.iter().map(|&table| (table, "external table"));
        for table in tables.into_iter().chain(external) {
            let remedy = "name the column that identifies people in original, population and external tables";
            need(table, truth, Some("--truth"), remedy);
        }
    }
    if outside.external.is_empty() {
        for name in quasi {
            let remedy = "the population must have every quasi-identifier of the policy, or give the tables \
                          that outsiders have with --external";
            need((outside.population, "population"), name, Some("--population"), remedy);
        }
    } else if outside.truth.is_none() {
        faults.push(
            fault!(
                Input,
                "measure.external-without-truth",
                "external tables need a column that names people"
            )
            .key("--external")
            .help("name the column of original, population and external tables with --truth"),
        );
    }
    faults
}

fn no_linked_column(quasi: &[String]) -> Error {
    fault!(Input, "measure.no-linked-column", "the external tables have none of the quasi-identifiers")
        .key("--external")
        .help(format!("give a table with a column of the same name: {}", quasi.join(", ")))
        .into()
}
