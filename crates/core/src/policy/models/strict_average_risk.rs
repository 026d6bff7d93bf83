//! How a policy asks for a low average risk in classes none of which is small.

use serde::{Deserialize, Serialize};

use super::{Ask, Unfit, share_above_0};
use crate::error::Fault;

/// A low average risk, and at least k rows in every class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StrictAverageRisk {
    /// The largest average, above 0 and at most 1.
    pub max: f64,
    /// The least rows of a class.
    pub k: u64,
}

impl Ask for StrictAverageRisk {
    fn claim(&self) -> String {
        "strict average risk".into()
    }

    fn unfit(&self) -> Vec<Unfit> {
        let mut faults = share_above_0("max", self.max, "0.1");
        if self.k == 0 {
            let fault = Fault::input("k cannot be 0");
            faults.push(("k", fault.help("give a whole number from 1 up, for instance 5")));
        }
        faults
    }
}
