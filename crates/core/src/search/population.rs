//! The population that a table was drawn from: hierarchies over the values of both, and the number
//! of people in every class.
//!
//! Values that occur only in the population are leaves with zero rows. If a hierarchy lacks such a
//! value, the error names the population. Costs one look-up per distinct tuple of the population,
//! once.

use super::Load;
use super::problem::hierarchies;
use crate::classes::Classes;
use crate::error::{Error, Fault, Result};
use crate::fault;
use crate::hierarchy::Hierarchy;
use crate::policy::{ModelSpec, Policy};
use crate::table::{Code, Dictionary};
use crate::tuples::Tuples;

/// A population as it was grouped: a row for everybody.
#[derive(Debug, Clone)]
pub struct Population {
    /// The values of the quasi-identifiers, in the order of the table's, as the population writes
    /// them.
    pub dictionaries: Vec<Dictionary>,
    /// The combinations, in codes of the dictionaries.
    pub tuples: Tuples,
}

/// Hierarchies with the ways to them from the table's dictionaries, and the people of every tuple
/// of leaves.
pub(super) type Shared = (Vec<Hierarchy>, Vec<Vec<Code>>, Option<Classes>);

/// The hierarchies over the values of a table and of its population, where it has one.
pub(super) fn shared(
    policy: &Policy,
    names: &[String],
    dictionaries: &[Dictionary],
    population: Option<Population>,
    load: Load<'_>,
) -> Result<Shared> {
    // What the table's own values do not fit is the table's fault.
    let alone = hierarchies(policy, names, dictionaries, load)?;
    let (population, key, path) = match (population, policy.population()) {
        (None, None) => return Ok((alone.0, alone.1, None)),
        (Some(population), Some((key, path))) => (population, key, path),
        _ => return Err(Fault::bug("a population was not read, or read for nothing").into()),
    };
    let Population { dictionaries: theirs, tuples } = population;
    if theirs.len() != names.len() {
        return Err(Fault::bug("a column of the population has no values").into());
    }
    enough(policy, tuples.rows())?;
    let mut joint = dictionaries.to_vec();
    let codes: Vec<Vec<Code>> =
        joint.iter_mut().zip(&theirs).map(|(all, theirs)| join(all, theirs)).collect();
    let (hierarchies, maps) =
        hierarchies(policy, names, &joint, load).map_err(|e| e.map(|fault| of_population(fault, path)))?;
    let leaves = |(codes, map): (&Vec<Code>, &Vec<Code>)| codes.iter().map(|&c| map[c as usize]).collect();
    let leaves: Vec<Vec<Code>> = codes.iter().zip(&maps).map(leaves).collect();
    let people = Classes::of_tuples(tuples, &leaves).map_err(|e| e.map(|f| f.key(&key)))?;
    Ok((hierarchies, maps, Some(people.sorted())))
}

/// The table's values fit, so it is the population that does not.
fn of_population(fault: Fault, path: &str) -> Fault {
    if fault.place.file.is_none() {
        return fault.file(path);
    }
    fault.within(format_args!("in the population `{path}`"))
}

/// Adds a population's values, which occur in no row, and gives their codes.
fn join(all: &mut Dictionary, theirs: &Dictionary) -> Vec<Code> {
    (0..theirs.len() as Code).map(|code| all.add(theirs.value(code), 0)).collect()
}

/// The table beside its population.
pub(super) fn beside(policy: &Policy, classes: Classes, people: Option<&Classes>) -> Result<Classes> {
    let (Some(people), Some((key, _))) = (people, policy.population()) else { return Ok(classes) };
    classes.drawn_from(people).map_err(|e| e.map(|fault| fault.key(&key)))
}

/// Requirements that no class of the population can meet.
fn enough(policy: &Policy, people: u64) -> Result<()> {
    let models = policy.privacy.models.iter().enumerate();
    let faults = models.filter_map(|(at, model)| match model {
        ModelSpec::KMap(asked) if model.population().is_some() => beyond((at, model), asked.k, people),
        ModelSpec::JAnonymity(asked) if model.population().is_some() => {
            beyond((at, model), asked.k, asked.people.unwrap_or(people))
        }
        _ => None,
    });
    Error::check(faults.collect())
}

fn beyond((at, model): (usize, &ModelSpec), k: u64, people: u64) -> Option<Fault> {
    (k > people).then(|| {
        fault!(
            Data,
            "model.k-above-people",
            "k = {k} is more than the population, which has {people} people",
            k = k,
            people = people
        )
        .key(format!("privacy.models.{at}.{}.k", model.key()))
        .help("lower k, or give the whole population")
    })
}
