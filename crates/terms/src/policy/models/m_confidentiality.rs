//! Policy syntax of m-confidentiality.

use serde::{Deserialize, Serialize};

use super::{Ask, ModelSpec, NeedsValues, Unfit, out_of_range};
use crate::error::Fault;
use crate::fault;
use crate::policy::{By, Policy};
use crate::registry::{Bounds, ModelEntry, Monotone, Parameter, ParameterKind};

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

impl MConfidentiality {
    /// Its entry in the registry; key and help are those of the list of models.
    pub(super) const ENTRY: ModelEntry = ModelEntry {
        monotone: Monotone::Always,
        needs_k: true,
        ..ModelEntry::of_column(
            "Wong et al. 2007",
            "{ column = \"diagnosis\", m = 2 }",
            &[
                Parameter::required("column", ParameterKind::Column, "The sensitive column."),
                Parameter::required(
                    "m",
                    ParameterKind::Number(Bounds::from_to(1.0, f64::INFINITY)),
                    "Nobody is linked to a value with a probability above 1/m.",
                ),
                Parameter::optional(
                    "values",
                    ParameterKind::List(&ParameterKind::Text),
                    "The values that nobody must be linked to; by default all.",
                ),
            ],
        )
    };
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
            let fault = out_of_range("m", self.m);
            faults.push(("m", fault.help("give a number from 1 up, for instance 3")));
        }
        if self.values.as_ref().is_some_and(Vec::is_empty) {
            let fault = fault!(Input, "model.no-values", "no value is named");
            faults
                .push(("values", fault.help("name the values that matter, or remove `values`: then all do")));
        }
        faults
    }

    /// The choice of the release must not depend on any value that is released beside the
    /// quasi-identifiers.
    fn misplaced(&self, policy: &Policy) -> Vec<Unfit> {
        let mut faults = Vec::new();
        let looks =
            |model: &&ModelSpec| model.column().is_some() && !matches!(model, ModelSpec::MConfidentiality(_));
        if let Some(other) = policy.privacy.models.iter().find(looks) {
            let fault = fault!(
                Input,
                "model.choice-depends-on-values",
                "\"{model}\" makes the choice of the release depend on values, which an attacker who knows that can use",
                model = other.claim()
            );
            faults.push(("column", fault.help("ask for m_confidentiality alone, with a higher m or k")));
        }
        let loss = policy.search.loss.parameters().kind;
        let preferred = policy.preferred_labels().into_iter();
        if let Some(loss) = [loss].into_iter().filter(|loss| loss.needs_target()).chain(preferred).next() {
            let fault = fault!(
                Input,
                "model.choice-depends-on-labels",
                "the loss \"{loss}\" makes the choice of the release depend on labels",
                loss = loss
            );
            faults.push((
                "column",
                fault.help("choose a loss that looks at quasi-identifiers alone, for instance \"entropy\""),
            ));
        }
        faults.extend(by_content(policy).map(|fault| ("column", fault)));
        faults
    }

    fn needs_values(&self) -> Option<NeedsValues> {
        Some(NeedsValues {
            part: "column",
            reason: "the release would be chosen by its values",
            help: "use l_diversity or t_closeness, or give the column role = \"sensitive\" if nobody can link on it",
        })
    }
}

/// What forms regions by other cells than quasi-identifiers.
fn by_content(policy: &Policy) -> Option<Fault> {
    let by_target = policy.search.mondrian.is_some_and(|mondrian| mondrian.by == By::Target);
    let of_labels = [(policy.search.model.is_some(), "search.model"), (by_target, "by = \"target\"")];
    if let Some((_, what)) = of_labels.into_iter().find(|(asked, _)| *asked) {
        let fault = fault!(
            Input,
            "model.choice-depends-on-labels",
            "{what} makes the choice of the release depend on labels",
            what = what
        );
        return Some(fault.help("remove it"));
    }
    policy.divides_equal_rows().then(|| {
        fault!(
            Input,
            "model.choice-depends-on-content",
            "rows of equal quasi-identifiers are divided by their other cells"
        )
        .help("choose an algorithm that keeps them together, for instance \"k-similar\", or write cut = \"strict\"")
    })
}
