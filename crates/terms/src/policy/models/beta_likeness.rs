//! Policy syntax of β-likeness.

use serde::{Deserialize, Serialize};

use super::{Ask, Unfit, above_0};
use crate::registry::{Bounds, ModelEntry, Parameter, ParameterKind};

/// β-likeness of one sensitive column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BetaLikeness {
    /// The sensitive column.
    pub column: String,
    /// The largest gain (p − q)/q; above 0.
    pub beta: f64,
    /// Which limit frequent values have.
    #[serde(default)]
    pub kind: Likeness,
}

/// Which limit frequent values have under β-likeness.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Likeness {
    /// The same as all.
    #[default]
    Basic,
    /// Also −ln q.
    Enhanced,
}

impl BetaLikeness {
    /// Its entry in the registry; key and help are those of the list of models.
    pub(super) const ENTRY: ModelEntry = ModelEntry::of_column(
        "Cao and Karras 2012",
        "{ column = \"diagnosis\", beta = 2 }",
        &[
            Parameter::required("column", ParameterKind::Column, "The sensitive column."),
            Parameter::required(
                "beta",
                ParameterKind::Number(Bounds::ABOVE_0),
                "The largest gain (p − q)/q of a share.",
            ),
            Parameter::defaulted(
                "kind",
                ParameterKind::Choice(&["basic", "enhanced"]),
                "\"basic\"",
                "Which limit frequent values have.",
            ),
        ],
    );
}

impl Ask for BetaLikeness {
    fn column(&self) -> Option<&str> {
        Some(&self.column)
    }

    fn claim(&self) -> String {
        let kind = match self.kind {
            Likeness::Basic => "basic",
            Likeness::Enhanced => "enhanced",
        };
        format!("{kind} beta-likeness: {}", self.column)
    }

    fn unfit(&self) -> Vec<Unfit> {
        above_0("beta", self.beta)
    }
}
