//! How a policy asks for m-confidentiality.

use serde::{Deserialize, Serialize};

use super::{Ask, ModelSpec, Unfit};
use crate::error::Fault;
use crate::policy::Policy;

/// m-confidentiality of one sensitive column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MConfidentiality {
    /// The sensitive column.
    pub column: String,
    /// Nobody is linked to a value with a probability above 1/m; 1 or more.
    pub m: f64,
    /// The values that nobody must be linked to; default: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<String>>,
}

impl Ask for MConfidentiality {
    fn column(&self) -> Option<&str> {
        Some(&self.column)
    }

    fn claim(&self) -> String {
        format!("m-confidentiality: {}", self.column)
    }

    fn unfit(&self) -> Vec<Unfit> {
        let mut faults = Vec::new();
        if !(self.m.is_finite() && self.m >= 1.0) {
            let fault = Fault::input(format!("m cannot be {}", self.m));
            faults.push(("m", fault.help("give a number from 1 up, for instance 3")));
        }
        if self.values.as_ref().is_some_and(Vec::is_empty) {
            let fault = Fault::input("no value is named");
            faults
                .push(("values", fault.help("name the values that matter, or remove `values`: then all do")));
        }
        faults
    }

    /// The choice of the release must not depend on any value that is released beside the quasi-identifiers.
    fn misplaced(&self, policy: &Policy) -> Vec<Unfit> {
        let mut faults = Vec::new();
        let looks = |model: &&ModelSpec| {
            model.column().is_some() && !matches!(model, ModelSpec::MConfidentiality(_))
        };
        if let Some(other) = policy.privacy.models.iter().find(looks) {
            let fault = Fault::input(format!(
                "\"{}\" makes the choice of the release depend on values, which whoever knows that can use",
                other.claim()
            ));
            faults.push(("column", fault.help("ask for m_confidentiality alone, with a higher m or k")));
        }
        let loss = policy.search.loss.parameters().name;
        if crate::loss::labelled(&loss) {
            let fault = Fault::input(format!("the loss \"{loss}\" makes the choice of the release depend on labels"));
            faults.push(("column", fault.help("choose a loss that looks at quasi-identifiers alone, for instance \"entropy\"")));
        }
        faults
    }

    fn needs_k(&self) -> bool {
        true
    }
}
