//! Policy syntax of strict average risk: a low average risk with a minimum class size.

use serde::{Deserialize, Serialize};

use super::{Ask, Unfit, out_of_range, share_above_0};
use crate::registry::{Bounds, ModelEntry, Parameter, ParameterKind};

/// A low average risk, and at least k rows in every class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StrictAverageRisk {
    /// The largest average, above 0 and at most 1.
    pub max: f64,
    /// The least rows of a class.
    pub k: u64,
}

impl StrictAverageRisk {
    /// Its entry in the registry; key and help are those of the list of models.
    pub(super) const ENTRY: ModelEntry = ModelEntry::of_classes(
        "Dankar and El Emam 2010",
        "{ max = 0.1, k = 2 }",
        &[
            Parameter::required(
                "max",
                ParameterKind::Number(Bounds::SHARE_ABOVE_0),
                "The largest mean over rows of 1 / class size.",
            ),
            Parameter::required("k", ParameterKind::Whole(1, None), "The least rows of a class."),
        ],
    );
}

impl Ask for StrictAverageRisk {
    fn claim(&self) -> String {
        "strict average risk".into()
    }

    fn unfit(&self) -> Vec<Unfit> {
        let mut faults = share_above_0("max", self.max, "0.1");
        if self.k == 0 {
            let fault = out_of_range("k", 0);
            faults.push(("k", fault.help("give a whole number from 1 up, for instance 5")));
        }
        faults
    }
}
