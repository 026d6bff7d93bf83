//! Policy syntax of (α, k)-anonymity.

use serde::{Deserialize, Serialize};

use super::{Ask, NeedsValues, Unfit, out_of_range};
use crate::fault;
use crate::registry::{Bounds, ModelEntry, Parameter, ParameterKind};

/// (α, k)-anonymity of one sensitive column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AlphaK {
    /// The sensitive column.
    pub column: String,
    /// The largest share of a value, above 0 and at most 1.
    pub alpha: f64,
    /// The values that must not be too frequent; default: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<String>>,
}

impl AlphaK {
    /// Its entry in the registry; key and help are those of the list of models.
    pub(super) const ENTRY: ModelEntry = ModelEntry {
        needs_k: true,
        ..ModelEntry::of_column(
            "Wong et al. 2006",
            "{ column = \"diagnosis\", alpha = 0.5 }",
            &[
                Parameter::required("column", ParameterKind::Column, "The sensitive column."),
                Parameter::required(
                    "alpha",
                    ParameterKind::Number(Bounds::SHARE_ABOVE_0),
                    "The largest share of a value.",
                ),
                Parameter::optional(
                    "values",
                    ParameterKind::List(&ParameterKind::Text),
                    "The values that must not be too frequent; by default all.",
                ),
            ],
        )
    };
}

impl Ask for AlphaK {
    fn column(&self) -> Option<&str> {
        Some(&self.column)
    }

    fn claim(&self) -> String {
        format!("alpha-k-anonymity: {}", self.column)
    }

    fn unfit(&self) -> Vec<Unfit> {
        let mut faults = Vec::new();
        if !(self.alpha > 0.0 && self.alpha <= 1.0) {
            let fault = out_of_range("alpha", self.alpha);
            faults.push(("alpha", fault.help("give a share above 0 and at most 1, for instance 0.5")));
        }
        if self.values.as_ref().is_some_and(Vec::is_empty) {
            let fault = fault!(Input, "model.no-values", "no value is named");
            faults
                .push(("values", fault.help("name the values that matter, or remove `values`: then all do")));
        }
        faults
    }

    fn needs_values(&self) -> Option<NeedsValues> {
        self.values.as_ref().map(|_| NeedsValues {
            part: "values",
            reason: "it names values, and the search may choose labels above these",
            help: "remove `values`: then no label may be too frequent",
        })
    }
}
