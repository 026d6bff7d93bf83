//! Policy syntax of j-anonymity: similar people in the population, counted in a larger table or
//! predicted from the table itself.

use serde::{Deserialize, Serialize};

use super::k_map::{misplaced, no_path};
use super::{Ask, NoRegions, Policy, Unfit, out_of_range};
use crate::fault;
use crate::network::{Fit, MOST_PARENTS};
use crate::registry::{Bounds, ModelEntry, Monotone, Parameter, ParameterKind};

/// There were some 10¹¹ people so far.
const EVERYBODY: u64 = 1_000_000_000_000;

/// Every released class has k rows, or is likely to have k people in the population.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JAnonymity {
    /// The least people.
    pub k: u64,
    /// How many people there are; by default the rows of the larger table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub people: Option<u64>,
    /// How sure it must be of a class that it has k people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// The path of a larger table that was drawn from the same people and holds this one; without
    /// it a network of the table predicts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub population: Option<String>,
    /// The most parents of other columns that a field of the network has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parents: Option<usize>,
}

/// The confidence where none is given.
const CONFIDENCE: f64 = 0.95;

impl JAnonymity {
    /// How sure it must be of a class that it has k people.
    pub fn confidence(&self) -> f64 {
        self.confidence.unwrap_or(CONFIDENCE)
    }

    /// The most parents of other columns that a field of the network has.
    pub fn parents(&self) -> usize {
        self.parents.unwrap_or(Fit::PARENTS)
    }
}

impl JAnonymity {
    /// Its entry in the registry; key and help are those of the list of models.
    pub(super) const ENTRY: ModelEntry = ModelEntry {
        monotone: Monotone::Always,
        works_with_regions: false,
        needs_population: true,
        one_level: true,
        ..ModelEntry::of_classes(
            "Katirai 2006",
            "{ k = 5, people = 100000 }",
            &[
                Parameter::required("k", ParameterKind::Whole(1, None), "The least people."),
                Parameter::optional(
                    "people",
                    ParameterKind::Whole(1, Some(EVERYBODY)),
                    "How many people there are; by default the rows of the larger table.",
                ),
                Parameter::optional(
                    "confidence",
                    ParameterKind::Number(Bounds::BETWEEN_0_AND_1),
                    "How sure it must be that a class has k people; by default 0.95.",
                ),
                Parameter::optional(
                    "population",
                    ParameterKind::Path,
                    "A larger table that was drawn from the same people and holds this one.",
                ),
                Parameter::optional(
                    "parents",
                    ParameterKind::Whole(0, Some(MOST_PARENTS as u64)),
                    "The most columns that a level of a column depends on in the network; by default 2.",
                ),
            ],
        )
    };
}

impl Ask for JAnonymity {
    fn claim(&self) -> String {
        match self.population {
            Some(_) => "j-anonymity".into(),
            None => "j-anonymity: predicted".into(),
        }
    }

    fn population(&self) -> Option<&str> {
        self.population.as_deref()
    }

    fn unfit(&self) -> Vec<Unfit> {
        let mut faults = Vec::new();
        if self.k == 0 {
            faults.push((
                "k",
                fault!(Input, "model.k-is-zero", "k must be 1 or more").help("give k, for instance k = 5"),
            ));
        }
        if self.confidence.is_some_and(|c| !(c > 0.0 && c < 1.0)) {
            let fault = out_of_range("confidence", self.confidence());
            faults.push(("confidence", fault.help("give a number between 0 and 1, for instance 0.95")));
        }
        faults.extend(self.population().and_then(no_path));
        if let Some(parents) = self.parents {
            let fault = match self.population {
                Some(_) => Some(
                    fault!(
                        Input,
                        "model.parents-without-network",
                        "people are counted, and `parents` is of a network"
                    )
                    .help("remove `parents`, or remove `population`"),
                ),
                None => (parents > MOST_PARENTS).then(|| {
                    out_of_range("parents", parents as f64)
                        .help(format!("give a whole number from 0 to {MOST_PARENTS}"))
                }),
            };
            faults.extend(fault.map(|fault| ("parents", fault)));
        }
        match self.people {
            None if self.population.is_none() => {
                let fault = fault!(
                    Input,
                    "model.no-population",
                    "neither the number of people nor a larger table is given"
                );
                let help = "give the size of the population, such as people = 8000000, or population = \"bigger.csv\"";
                faults.push(("people", fault.help(help)));
            }
            Some(people) if people > EVERYBODY => {
                let fault = fault!(
                    Input,
                    "model.population-too-large",
                    "people = {people} is too large",
                    people = people
                );
                faults.push((
                    "people",
                    fault.help("give the people of the population that the table was drawn from"),
                ));
            }
            Some(people) if people < self.k => {
                let fault = fault!(
                    Input,
                    "model.population-below-k",
                    "{people} people cannot be k = {k} in every class",
                    people = people,
                    k = self.k
                );
                faults.push(("people", fault.help("give the people of the whole population, or lower k")));
            }
            _ => {}
        }
        faults
    }

    fn misplaced(&self, policy: &Policy) -> Vec<Unfit> {
        let part = if self.population.is_some() { "population" } else { "people" };
        misplaced(policy).into_iter().map(|(_, fault)| (part, fault)).collect()
    }

    fn without_regions(&self) -> Option<NoRegions> {
        let reason = "people are estimated of classes that are fixed before rows are drawn, and regions are formed around rows";
        let help = "use k_map with a table of everybody, or choose an algorithm that chooses levels";
        Some(NoRegions { reason, help })
    }
}
