//! Policy syntax of p-sensitive k-anonymity.

use serde::{Deserialize, Serialize};

use super::{Ask, Unfit, out_of_range};
use crate::registry::{ModelEntry, Monotone, Parameter, ParameterKind};

/// p-sensitive k-anonymity of one sensitive column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PSensitive {
    /// The sensitive column.
    pub column: String,
    /// How many values.
    pub p: u64,
}

impl PSensitive {
    /// Its entry in the registry; key and help are those of the list of models.
    pub(super) const ENTRY: ModelEntry = ModelEntry {
        monotone: Monotone::Always,
        needs_k: true,
        ..ModelEntry::of_column(
            "Truta and Vinay 2006",
            "{ column = \"diagnosis\", p = 2 }",
            &[
                Parameter::required("column", ParameterKind::Column, "The sensitive column."),
                Parameter::required("p", ParameterKind::Whole(1, None), "How many values."),
            ],
        )
    };
}

impl Ask for PSensitive {
    fn column(&self) -> Option<&str> {
        Some(&self.column)
    }

    fn claim(&self) -> String {
        format!("p-sensitivity: {}", self.column)
    }

    fn unfit(&self) -> Vec<Unfit> {
        if self.p > 0 {
            return Vec::new();
        }
        vec![("p", out_of_range("p", 0).help("give a whole number from 1 up, for instance 2"))]
    }
}
