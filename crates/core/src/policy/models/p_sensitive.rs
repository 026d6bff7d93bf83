//! How a policy asks for p-sensitive k-anonymity.

use serde::{Deserialize, Serialize};

use super::{Ask, Unfit};
use crate::error::Fault;

/// p-sensitive k-anonymity of one sensitive column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PSensitive {
    /// The sensitive column.
    pub column: String,
    /// How many values.
    pub p: u64,
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
        vec![("p", Fault::input("p cannot be 0").help("give a whole number from 1 up, for instance 2"))]
    }

    fn needs_k(&self) -> bool {
        true
    }
}
