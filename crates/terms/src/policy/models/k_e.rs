//! Policy syntax of (k, e)-anonymity.

use serde::{Deserialize, Serialize};

use super::{Ask, NeedsValues, Unfit, above_0, out_of_range};
use crate::registry::{Bounds, ModelEntry, Monotone, Parameter, ParameterKind};

/// (k, e)-anonymity of one sensitive column of numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KE {
    /// The sensitive column.
    pub column: String,
    /// How far apart the least and the greatest number are; above 0.
    pub e: f64,
    /// How many numbers; default: the policy's k.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub k: Option<u64>,
}

impl KE {
    /// Its entry in the registry; key and help are those of the list of models.
    pub(super) const ENTRY: ModelEntry = ModelEntry {
        monotone: Monotone::Always,
        ..ModelEntry::of_column(
            "Zhang et al. 2007",
            "{ column = \"diagnosis\", e = 10 }",
            &[
                Parameter::required("column", ParameterKind::Column, "The sensitive column."),
                Parameter::required(
                    "e",
                    ParameterKind::Number(Bounds::ABOVE_0),
                    "How far apart the least and the greatest number are.",
                ),
                Parameter::optional(
                    "k",
                    ParameterKind::Whole(1, None),
                    "How many numbers; by default `privacy.k`.",
                ),
            ],
        )
    };
}

impl Ask for KE {
    fn column(&self) -> Option<&str> {
        Some(&self.column)
    }

    fn claim(&self) -> String {
        format!("k-e-anonymity: {}", self.column)
    }

    fn unfit(&self) -> Vec<Unfit> {
        let mut faults = above_0("e", self.e);
        if self.k == Some(0) {
            let fault = out_of_range("k", 0);
            faults
                .push(("k", fault.help("give a whole number from 1 up, or remove it: then it is privacy.k")));
        }
        faults
    }

    fn needs_k(&self) -> bool {
        self.k.is_none()
    }

    fn needs_values(&self) -> Option<NeedsValues> {
        Some(NeedsValues {
            part: "column",
            reason: "it reads numbers, and the labels of a level are none",
            help: "use l_diversity or t_closeness, or give the column role = \"sensitive\" if nobody can link on it",
        })
    }
}
