//! Policy syntax of average risk.

use serde::{Deserialize, Serialize};

use super::{Ask, Unfit, share_above_0};
use crate::registry::{Bounds, ModelEntry, Parameter, ParameterKind};

/// The chance, on average over the released rows, of picking the right one in its class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AverageRisk {
    /// The largest average, above 0 and at most 1.
    pub max: f64,
}

impl AverageRisk {
    /// Its entry in the registry; key and help are those of the list of models.
    pub(super) const ENTRY: ModelEntry = ModelEntry::of_classes(
        "Dankar and El Emam 2010",
        "{ max = 0.1 }",
        &[Parameter::required(
            "max",
            ParameterKind::Number(Bounds::SHARE_ABOVE_0),
            "The largest mean over rows of 1 / class size.",
        )],
    );
}

impl Ask for AverageRisk {
    fn claim(&self) -> String {
        "average risk".into()
    }

    fn unfit(&self) -> Vec<Unfit> {
        share_above_0("max", self.max, "0.1")
    }
}
