//! Policy syntax of δ-disclosure privacy.

use serde::{Deserialize, Serialize};

use super::{Ask, Unfit, above_0};
use crate::registry::{Bounds, ModelEntry, Parameter, ParameterKind};

/// δ-disclosure privacy of one sensitive column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeltaDisclosure {
    /// The sensitive column.
    pub column: String,
    /// What |ln(p/q)| must stay below; above 0.
    pub delta: f64,
}

impl DeltaDisclosure {
    /// Its entry in the registry; key and help are those of the list of models.
    pub(super) const ENTRY: ModelEntry = ModelEntry::of_column(
        "Brickell and Shmatikov 2008",
        "{ column = \"diagnosis\", delta = 2 }",
        &[
            Parameter::required("column", ParameterKind::Column, "The sensitive column."),
            Parameter::required(
                "delta",
                ParameterKind::Number(Bounds::ABOVE_0),
                "What |ln(p/q)| must stay below.",
            ),
        ],
    );
}

impl Ask for DeltaDisclosure {
    fn column(&self) -> Option<&str> {
        Some(&self.column)
    }

    fn claim(&self) -> String {
        format!("delta-disclosure: {}", self.column)
    }

    fn unfit(&self) -> Vec<Unfit> {
        above_0("delta", self.delta)
    }
}
