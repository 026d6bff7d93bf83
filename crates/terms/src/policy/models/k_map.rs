//! Policy syntax of k-map and of populations: a table of the population, or its size.

use std::fmt;

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::{Ask, NoRegions, Policy, Unfit, out_of_range};
use crate::fault;
use crate::policy::{Missing, Suppressed};
use crate::registry::{Bounds, ModelEntry, Monotone, Parameter, ParameterKind};

/// Every released class has at least k people in the population.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KMap {
    /// The least people.
    pub k: u64,
    /// Where the people are.
    pub population: People,
    /// How likely a class of fewer people may at most look like one of k; only where the population
    /// is a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub significance: Option<f64>,
}

/// A population.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum People {
    /// The path of a table with the same quasi-identifiers and a row for everybody.
    Table(String),
    /// How many people there are.
    Number(u64),
}

impl<'de> Deserialize<'de> for People {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Reader)
    }
}

struct Reader;

impl Visitor<'_> for Reader {
    type Value = People;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the path of a table in quotes, or a number of people")
    }

    fn visit_str<E: Error>(self, path: &str) -> Result<People, E> {
        Ok(People::Table(path.into()))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<People, E> {
        let people = u64::try_from(number).map(People::Number);
        people.map_err(|_| E::invalid_value(Unexpected::Signed(number), &self))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<People, E> {
        Ok(People::Number(number))
    }
}

/// The significance where none is given.
const SIGNIFICANCE: f64 = 0.05;

impl KMap {
    /// How likely a class of fewer people may at most look like one of k.
    pub fn significance(&self) -> f64 {
        self.significance.unwrap_or(SIGNIFICANCE)
    }
}

impl KMap {
    /// Its entry in the registry; key and help are those of the list of models.
    pub(super) const ENTRY: ModelEntry = ModelEntry {
        monotone: Monotone::Always,
        needs_population: true,
        ..ModelEntry::of_classes(
            "Sweeney 2001; El Emam and Dankar 2008",
            "{ k = 5, population = 100000 }",
            &[
                Parameter::required("k", ParameterKind::Whole(1, None), "The least people."),
                Parameter::required(
                    "population",
                    ParameterKind::Either(&[ParameterKind::Path, ParameterKind::Whole(1, None)]),
                    "A table with a row for everybody, or how many people there are.",
                ),
                Parameter::optional(
                    "significance",
                    ParameterKind::Number(Bounds::BETWEEN_0_AND_1),
                    "How likely a class of fewer people may look like one of k, beside a number of people; by default 0.05.",
                ),
            ],
        )
    };
}

impl Ask for KMap {
    fn claim(&self) -> String {
        match self.population {
            People::Table(_) => "k-map".into(),
            People::Number(_) => "k-map: estimated".into(),
        }
    }

    fn population(&self) -> Option<&str> {
        match &self.population {
            People::Table(path) => Some(path),
            People::Number(_) => None,
        }
    }

    fn unfit(&self) -> Vec<Unfit> {
        let mut faults = Vec::new();
        if self.k == 0 {
            faults.push((
                "k",
                fault!(Input, "model.k-is-zero", "k must be 1 or more").help("give k, for instance k = 5"),
            ));
        }
        match &self.population {
            People::Table(path) => {
                faults.extend(no_path(path));
                if self.significance.is_some() {
                    let fault = fault!(
                        Input,
                        "model.significance-of-counted-population",
                        "people of a table are counted, not estimated"
                    );
                    faults.push(("significance", fault.help("remove `significance`")));
                }
            }
            People::Number(people) if *people < self.k => {
                let fault = fault!(
                    Input,
                    "model.population-below-k",
                    "{people} people cannot be k = {k} in every class",
                    people = people,
                    k = self.k
                );
                faults
                    .push(("population", fault.help("give the people of the whole population, or lower k")));
            }
            People::Number(_) => {}
        }
        if self.significance.is_some_and(|s| !(s > 0.0 && s < 1.0)) {
            let fault = out_of_range("significance", self.significance());
            faults.push(("significance", fault.help("give a number between 0 and 1, for instance 0.05")));
        }
        faults
    }

    fn misplaced(&self, policy: &Policy) -> Vec<Unfit> {
        let mut faults = misplaced(policy);
        let untrue =
            policy.columns.iter().find(|(_, column)| column.form.is_some_and(|form| !form.truthful()));
        if let Some((name, _)) = untrue.filter(|_| policy.forms_regions() && self.population().is_some()) {
            let fault = fault!(
                Input,
                "model.population-with-untrue-cells",
                "people match cells that are true of them, and those of `{column}` are means or medians",
                column = name
            );
            faults.push(("population", fault.help("write form = \"interval\" for the column")));
        }
        faults
    }

    fn without_regions(&self) -> Option<NoRegions> {
        let reason = "people are estimated of classes that are fixed before rows are drawn, and regions are formed around rows";
        let help = "give a table of the population, or choose an algorithm that chooses levels";
        matches!(self.population, People::Number(_)).then_some(NoRegions { reason, help })
    }
}

/// A table without a name.
pub(super) fn no_path(path: &str) -> Option<Unfit> {
    path.is_empty().then(|| {
        let fault = fault!(Input, "model.no-population-path", "no path is given");
        ("population", fault.help("name the file that holds the population, for instance \"people.csv\""))
    })
}

/// What a comparison with a population does not go together with.
pub(super) fn misplaced(policy: &Policy) -> Vec<Unfit> {
    let mut faults = Vec::new();
    if policy.input.missing == Missing::Wildcard {
        faults.push((
            "population",
            fault!(
                Input,
                "model.population-with-wildcards",
                "people cannot be counted where a missing cell may be anything: classes overlap"
            )
            .help("write input.missing = \"value\" or \"suppress\""),
        ));
    }
    if policy.output.suppressed == Suppressed::Cells {
        faults.push((
            "population",
            fault!(
                Input,
                "model.population-with-starred-cells",
                "people are counted at one level per column, and starred cells are at another"
            )
            .help("write output.suppressed = \"dropped\""),
        ));
    }
    faults
}
