//! How a policy asks for a low average risk.

use serde::{Deserialize, Serialize};

use super::{Ask, Unfit, share_above_0};

/// The chance, on average over the released rows, of picking the right one in its class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AverageRisk {
    /// The largest average, above 0 and at most 1.
    pub max: f64,
}

impl Ask for AverageRisk {
    fn claim(&self) -> String {
        "average risk".into()
    }

    fn unfit(&self) -> Vec<Unfit> {
        share_above_0("max", self.max, "0.1")
    }
}
