//! How a policy asks for few rows that are alone in their class.

use serde::{Deserialize, Serialize};

use super::{Ask, Unfit, share};

/// The share of released rows that are alone in their class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SampleUniqueness {
    /// The largest share, from 0 to 1.
    pub max: f64,
}

impl Ask for SampleUniqueness {
    fn claim(&self) -> String {
        "sample uniqueness".into()
    }

    fn unfit(&self) -> Vec<Unfit> {
        share("max", self.max, "0.05")
    }
}
