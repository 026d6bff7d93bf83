//! How a policy asks for (c, k)-safety.

use serde::{Deserialize, Serialize};

use super::{Ask, Unfit};
use crate::error::Fault;

/// (c, k)-safety of one sensitive column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CkSafety {
    /// The sensitive column.
    pub column: String,
    /// What the probability that somebody has some value must stay below; above 0, at most 1.
    pub c: f64,
    /// How many implications about the people in the table the adversary knows.
    pub knowledge: usize,
}

/// More implications than this cost more than they tell: no class of a usual size withstands them.
const MOST: usize = 30;

impl Ask for CkSafety {
    fn column(&self) -> Option<&str> {
        Some(&self.column)
    }

    fn claim(&self) -> String {
        format!("ck-safety: {}", self.column)
    }

    fn unfit(&self) -> Vec<Unfit> {
        let mut faults = Vec::new();
        if !(self.c > 0.0 && self.c <= 1.0) {
            let fault = Fault::input(format!("c cannot be {}", self.c));
            faults.push(("c", fault.help("give a probability above 0 and at most 1, for instance 0.8")));
        }
        if self.knowledge > MOST {
            let fault = Fault::input(format!("knowledge cannot be {}", self.knowledge));
            faults.push(("knowledge", fault.help(format!("give a whole number from 0 to {MOST}, for instance 2"))));
        }
        faults
    }
}
