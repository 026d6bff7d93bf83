//! Policy syntax of l-diversity.

use serde::{Deserialize, Serialize};

use super::{Ask, Unfit, out_of_range};
use crate::fault;
use crate::registry::{Bounds, ModelEntry, Monotone, Parameter, ParameterKind};

/// l-diversity of one sensitive column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LDiversity {
    /// The sensitive column.
    pub column: String,
    /// What counts as diverse.
    #[serde(default)]
    pub kind: Diversity,
    /// How many values; a whole number, but for entropy.
    pub l: f64,
    /// How much more frequent than the rare values the most frequent one may be; only for
    /// recursive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub c: Option<f64>,
}

/// What counts as diverse.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Diversity {
    /// At least l values occur.
    #[default]
    Distinct,
    /// The entropy is at least that of l equally frequent values.
    Entropy,
    /// The most frequent value is not too frequent beside the rare ones.
    Recursive,
}

impl LDiversity {
    /// Its entry in the registry; key and help are those of the list of models.
    pub(super) const ENTRY: ModelEntry = ModelEntry {
        monotone: Monotone::ByParameters,
        ..ModelEntry::of_column(
            "Machanavajjhala et al. 2006",
            "{ column = \"diagnosis\", l = 2 }",
            &[
                Parameter::required("column", ParameterKind::Column, "The sensitive column."),
                Parameter::defaulted(
                    "kind",
                    ParameterKind::Choice(&["distinct", "entropy", "recursive"]),
                    "\"distinct\"",
                    "What counts as diverse.",
                ),
                Parameter::required(
                    "l",
                    ParameterKind::Number(Bounds::from_to(1.0, f64::INFINITY)),
                    "How many values; a whole number, but for entropy.",
                ),
                Parameter::optional(
                    "c",
                    ParameterKind::Number(Bounds::ABOVE_0),
                    "How much more frequent than the rare values the most frequent one may be; only for recursive.",
                ),
            ],
        )
    };
}

impl Ask for LDiversity {
    fn column(&self) -> Option<&str> {
        Some(&self.column)
    }

    fn claim(&self) -> String {
        let kind = match self.kind {
            Diversity::Distinct => "distinct",
            Diversity::Entropy => "entropy",
            Diversity::Recursive => "recursive",
        };
        format!("{kind} l-diversity: {}", self.column)
    }

    fn unfit(&self) -> Vec<Unfit> {
        let mut faults = Vec::new();
        let whole = self.kind != Diversity::Entropy;
        if !self.l.is_finite() || self.l < 1.0 || whole && self.l.fract() != 0.0 {
            let help = if whole { "give a whole number from 1 up" } else { "give a number from 1 up" };
            faults.push(("l", out_of_range("l", self.l).help(help)));
        }
        match (self.kind, self.c) {
            (Diversity::Recursive, None) => {
                let fault =
                    fault!(Input, "model.recursive-diversity-without-c", "recursive l-diversity needs c");
                faults.push(("kind", fault.help("give c, for instance c = 3, or another kind")));
            }
            (Diversity::Recursive, Some(c)) if !(c.is_finite() && c > 0.0) => {
                faults.push(("c", out_of_range("c", c).help("give a number above 0, for instance 3")));
            }
            (Diversity::Distinct | Diversity::Entropy, Some(_)) => {
                faults.push((
                    "c",
                    fault!(
                        Input,
                        "model.c-without-recursive-diversity",
                        "only recursive l-diversity has a c"
                    )
                    .help("remove `c`, or write kind = \"recursive\""),
                ));
            }
            _ => {}
        }
        faults
    }
}
