//! Policy syntax of δ-presence.

use serde::{Deserialize, Serialize};

use super::k_map::{misplaced, no_path};
use super::{Ask, CHOOSE_LEVELS, NoRegions, Policy, Unfit, out_of_range};
use crate::fault;
use crate::policy::Suppressed;
use crate::registry::{Bounds, ModelEntry, Monotone, Parameter, ParameterKind};

/// Nobody in the population is too likely, or too unlikely, to be in the release.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeltaPresence {
    /// The path of a table with the same quasi-identifiers and a row for everybody.
    pub population: String,
    /// The least share of the people of a class that are in the release; 0 asks for nothing.
    /// Default 0.
    #[serde(default)]
    pub min: f64,
    /// The greatest share.
    pub max: f64,
}

impl DeltaPresence {
    /// What certificates call the least share.
    pub const LEAST: &'static str = "delta-presence: least";
}

impl DeltaPresence {
    /// Its entry in the registry; key and help are those of the list of models.
    pub(super) const ENTRY: ModelEntry = ModelEntry {
        monotone: Monotone::ByParameters,
        works_with_regions: false,
        needs_population: true,
        ..ModelEntry::of_classes(
            "Nergiz et al. 2007",
            "{ population = \"people.csv\", max = 0.5 }",
            &[
                Parameter::required("population", ParameterKind::Path, "A table with a row for everybody."),
                Parameter::defaulted(
                    "min",
                    ParameterKind::Number(Bounds::SHARE),
                    "0",
                    "The least share of the people of a class that are in the release.",
                ),
                Parameter::required(
                    "max",
                    ParameterKind::Number(Bounds::SHARE_ABOVE_0),
                    "The greatest share.",
                ),
            ],
        )
    };
}

impl Ask for DeltaPresence {
    fn claim(&self) -> String {
        "delta-presence: most".into()
    }

    fn population(&self) -> Option<&str> {
        Some(&self.population)
    }

    fn unfit(&self) -> Vec<Unfit> {
        let mut faults: Vec<Unfit> = no_path(&self.population).into_iter().collect();
        if !(self.max > 0.0 && self.max <= 1.0) {
            let fault = out_of_range("max", self.max);
            faults.push(("max", fault.help("give a share above 0 and at most 1, for instance 0.5")));
        }
        if !(self.min >= 0.0 && self.min <= 1.0) {
            let fault = out_of_range("min", self.min);
            faults.push(("min", fault.help("give a share from 0 to 1; 0 asks for nothing")));
        } else if self.min > self.max {
            let fault = fault!(
                Input,
                "model.min-above-max",
                "min {min} is above max {max}",
                min = self.min,
                max = self.max
            );
            faults.push(("min", fault.help("lower min, or raise max")));
        }
        faults
    }

    fn misplaced(&self, policy: &Policy) -> Vec<Unfit> {
        let mut faults = misplaced(policy);
        if policy.output.suppressed == Suppressed::Starred {
            faults.push((
                "population",
                fault!(
                    Input,
                    "model.starred-rows-with-presence",
                    "delta_presence is not defined for suppressed rows that are kept"
                )
                .help("write output.suppressed = \"dropped\""),
            ));
        }
        faults
    }

    fn without_regions(&self) -> Option<NoRegions> {
        let reason = "regions can overlap, and the chances that somebody is in one of several add up";
        Some(NoRegions { reason, help: CHOOSE_LEVELS })
    }
}
