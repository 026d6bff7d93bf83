//! Policy syntax of (n, t)-closeness.

use serde::{Deserialize, Serialize};

use super::{Ask, Distance, NeedsValues, TCloseness, Unfit};
use crate::fault;
use crate::policy::Policy;
use crate::registry::{Bounds, ModelEntry, Parameter, ParameterKind};

/// (n, t)-closeness of one sensitive column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NTCloseness {
    /// The sensitive column.
    pub column: String,
    /// The rows of a group that may be learned about; at least 1.
    pub n: u64,
    /// How far apart two values are.
    #[serde(default)]
    pub distance: Distance,
    /// The largest distance allowed in a smaller class, from 0 to 1.
    pub t: f64,
    /// The values in order, as for t-closeness.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Vec<String>>,
}

impl NTCloseness {
    /// Its entry in the registry; key and help are those of the list of models.
    pub(super) const ENTRY: ModelEntry = ModelEntry::of_column(
        "Li et al. 2010",
        "{ column = \"diagnosis\", n = 100, t = 0.2 }",
        &[
            Parameter::required("column", ParameterKind::Column, "The sensitive column."),
            Parameter::required(
                "n",
                ParameterKind::Whole(1, None),
                "How many rows a group has that may be learned about; at most those of the table.",
            ),
            Parameter::defaulted(
                "distance",
                ParameterKind::Choice(&["equal", "ordered", "hierarchical"]),
                "\"equal\"",
                "How far apart two values are.",
            ),
            Parameter::required(
                "t",
                ParameterKind::Number(Bounds::SHARE),
                "The largest distance of a class of fewer than n rows from the values of the whole table.",
            ),
            Parameter::optional(
                "order",
                ParameterKind::List(&ParameterKind::Text),
                "The values in order, as for t_closeness.",
            ),
        ],
    );

    /// What a class of fewer than n rows must satisfy.
    pub fn closeness(&self) -> TCloseness {
        let NTCloseness { column, distance, t, order, .. } = self.clone();
        TCloseness { column, distance, t, order }
    }
}

impl Ask for NTCloseness {
    fn column(&self) -> Option<&str> {
        Some(&self.column)
    }

    fn claim(&self) -> String {
        self.closeness().claim().replace("t-closeness", "n-t-closeness")
    }

    fn unfit(&self) -> Vec<Unfit> {
        let mut faults = self.closeness().unfit();
        if self.n == 0 {
            let fault = fault!(Input, "model.n-zero", "n cannot be 0");
            faults.push(("n", fault.help("give a whole number from 1 up, for instance 100")));
        }
        faults
    }

    fn misplaced(&self, policy: &Policy) -> Vec<Unfit> {
        self.closeness().misplaced(policy)
    }

    fn reads_hierarchy(&self) -> bool {
        self.closeness().reads_hierarchy()
    }

    fn needs_values(&self) -> Option<NeedsValues> {
        self.closeness().needs_values()
    }
}
