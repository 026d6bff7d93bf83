//! Policy syntax of population uniqueness.

use serde::{Deserialize, Serialize};

use super::{Ask, Unfit, out_of_range, share};
use crate::registry::{Bounds, ModelEntry, Monotone, Parameter, ParameterKind};

/// The estimated share of people who are alone in their class of the population.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PopulationUniqueness {
    /// How many people the table was drawn from.
    pub population: u64,
    /// The largest share, from 0 to 1.
    pub max: f64,
    /// How the share is estimated.
    #[serde(default)]
    pub estimator: Estimator,
}

/// How population uniques are estimated from a sample.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Estimator {
    /// Pitman's sampling formula.
    Pitman,
    /// Zayatz.
    Zayatz,
    /// Slide negative binomial.
    Snb,
    /// The one of these that Dankar's rule trusts.
    #[default]
    Dankar,
}

impl Estimator {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Estimator::Pitman => "pitman",
            Estimator::Zayatz => "zayatz",
            Estimator::Snb => "snb",
            Estimator::Dankar => "dankar",
        }
    }
}

impl PopulationUniqueness {
    /// Its entry in the registry; key and help are those of the list of models.
    pub(super) const ENTRY: ModelEntry = ModelEntry {
        monotone: Monotone::Never,
        needs_population: true,
        ..ModelEntry::of_classes(
            "Dankar et al. 2012",
            "{ population = 100000, max = 0.01 }",
            &[
                Parameter::required(
                    "population",
                    ParameterKind::Whole(1, None),
                    "How many people the table was drawn from.",
                ),
                Parameter::required(
                    "max",
                    ParameterKind::Number(Bounds::SHARE),
                    "The largest share of people who are unique in the population.",
                ),
                Parameter::defaulted(
                    "estimator",
                    ParameterKind::Choice(&["pitman", "zayatz", "snb", "dankar"]),
                    "\"dankar\"",
                    "How the share is estimated.",
                ),
            ],
        )
    };
}

impl Ask for PopulationUniqueness {
    fn claim(&self) -> String {
        format!("{} population uniqueness", self.estimator.name())
    }

    fn unfit(&self) -> Vec<Unfit> {
        let mut faults = share("max", self.max, "0.01");
        if self.population == 0 {
            let fault = out_of_range("population", 0);
            faults
                .push(("population", fault.help("give the number of people that the table was drawn from")));
        }
        faults
    }
}
