//! Policy syntax of (c, k)-safety.

use serde::{Deserialize, Serialize};

use super::{Ask, NeedsValues, Unfit, out_of_range};
use crate::registry::{Bounds, ModelEntry, Parameter, ParameterKind};

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

/// More implications than this cost more than they reveal: no class of a usual size withstands
/// them.
const MOST: usize = 30;

impl CkSafety {
    /// Its entry in the registry; key and help are those of the list of models.
    pub(super) const ENTRY: ModelEntry = ModelEntry::of_column(
        "Martin et al. 2007",
        "{ column = \"diagnosis\", c = 0.8, knowledge = 1 }",
        &[
            Parameter::required("column", ParameterKind::Column, "The sensitive column."),
            Parameter::required(
                "c",
                ParameterKind::Number(Bounds::SHARE_ABOVE_0),
                "What the probability of a value must stay below.",
            ),
            Parameter::required(
                "knowledge",
                ParameterKind::Whole(0, Some(MOST as u64)),
                "How many implications about people in the table the adversary knows.",
            ),
        ],
    );
}

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
            let fault = out_of_range("c", self.c);
            faults.push(("c", fault.help("give a probability above 0 and at most 1, for instance 0.8")));
        }
        if self.knowledge > MOST {
            let fault = out_of_range("knowledge", self.knowledge);
            faults.push((
                "knowledge",
                fault.help(format!("give a whole number from 0 to {MOST}, for instance 2")),
            ));
        }
        faults
    }

    fn needs_values(&self) -> Option<NeedsValues> {
        Some(NeedsValues {
            part: "column",
            reason: "its implications are about people of all classes, who differ in the column itself",
            help: "use l_diversity or t_closeness, or give the column role = \"sensitive\" if nobody can link on it",
        })
    }
}
