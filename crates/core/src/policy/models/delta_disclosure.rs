//! How a policy asks for δ-disclosure privacy.

use serde::{Deserialize, Serialize};

use super::{Ask, Unfit, above_0};

/// δ-disclosure privacy of one sensitive column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeltaDisclosure {
    /// The sensitive column.
    pub column: String,
    /// What |ln(p/q)| must stay below; above 0.
    pub delta: f64,
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
