//! Policy syntax of sample uniqueness.

use serde::{Deserialize, Serialize};

use super::{Ask, Unfit, share};
use crate::registry::{Bounds, ModelEntry, Parameter, ParameterKind};

/// The share of released rows that are alone in their class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SampleUniqueness {
    /// The largest share, from 0 to 1.
    pub max: f64,
}

impl SampleUniqueness {
    /// Its entry in the registry; key and help are those of the list of models.
    pub(super) const ENTRY: ModelEntry = ModelEntry::of_classes(
        "Prasser et al. 2014",
        "{ max = 0.1 }",
        &[Parameter::required(
            "max",
            ParameterKind::Number(Bounds::SHARE),
            "The largest share of rows that are alone in their class.",
        )],
    );
}

impl Ask for SampleUniqueness {
    fn claim(&self) -> String {
        "sample uniqueness".into()
    }

    fn unfit(&self) -> Vec<Unfit> {
        share("max", self.max, "0.05")
    }
}
