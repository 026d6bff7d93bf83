//! Policy syntax of personalized privacy.

use serde::{Deserialize, Serialize};

use super::{Ask, CHOOSE_LEVELS, NeedsValues, NoRegions, Unfit, out_of_range};
use crate::error::{Fault, nearest};
use crate::fault;
use crate::policy::{Missing, Policy};
use crate::registry::{Bounds, ModelEntry, Monotone, Parameter, ParameterKind};

/// Personalized privacy of one sensitive column: every person says which values nobody may think
/// they have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Personalized {
    /// The sensitive column; it has a hierarchy.
    pub column: String,
    /// The column that holds each row's guarding node: a label of that hierarchy, or nothing. It is
    /// not released.
    pub guard: String,
    /// The largest share of a class's values that may be under the guarding node of a row in it;
    /// above 0, at most 1.
    pub breach: f64,
}

impl Personalized {
    /// Its entry in the registry; key and help are those of the list of models.
    pub(super) const ENTRY: ModelEntry = ModelEntry {
        monotone: Monotone::Never,
        works_with_regions: false,
        ..ModelEntry::of_column(
            "Xiao and Tao 2006",
            "{ column = \"diagnosis\", guard = \"fear\", breach = 0.5 }",
            &[
                Parameter::required(
                    "column",
                    ParameterKind::Column,
                    "The sensitive column; it has a hierarchy.",
                ),
                Parameter::required(
                    "guard",
                    ParameterKind::Column,
                    "The column with the label that each person fears; it is not released.",
                ),
                Parameter::required(
                    "breach",
                    ParameterKind::Number(Bounds::SHARE_ABOVE_0),
                    "The largest share of values under that label.",
                ),
            ],
        )
    };
}

impl Ask for Personalized {
    fn column(&self) -> Option<&str> {
        Some(&self.column)
    }

    fn guard(&self) -> Option<&str> {
        Some(&self.guard)
    }

    fn claim(&self) -> String {
        format!("personalized privacy: {}", self.column)
    }

    fn unfit(&self) -> Vec<Unfit> {
        if self.breach > 0.0 && self.breach <= 1.0 {
            return Vec::new();
        }
        let fault = out_of_range("breach", self.breach);
        vec![("breach", fault.help("give a probability above 0 and at most 1, for instance 0.25"))]
    }

    fn misplaced(&self, policy: &Policy) -> Vec<Unfit> {
        let mut faults: Vec<Unfit> =
            self.misguarded(policy).map(|fault| ("guard", fault)).into_iter().collect();
        if policy.columns.get(&self.column).is_some_and(|c| c.hierarchy.is_none()) {
            let fault = fault!(
                Input,
                "model.column-without-hierarchy",
                "`{column}` has no hierarchy",
                column = self.column
            );
            let help = format!("give columns.{} the hierarchy whose labels guard", self.column);
            faults.push(("column", fault.help(help)));
        }
        if policy.input.missing == Missing::Wildcard {
            // Who matches a missing cell sees a union of classes, and a union of safe classes may
            // be unsafe.
            let fault = fault!(
                Input,
                "model.personalized-with-wildcards",
                "cannot be promised where a missing quasi-identifier matches every value"
            );
            faults.push(("breach", fault.help("write input.missing = \"value\" or \"suppress\"")));
        }
        faults
    }

    fn reads_hierarchy(&self) -> bool {
        true
    }

    fn needs_values(&self) -> Option<NeedsValues> {
        Some(NeedsValues {
            part: "column",
            reason: "people guard values, and the search may choose labels above these",
            help: "use l_diversity or t_closeness, or give the column role = \"sensitive\" if nobody can link on it",
        })
    }

    fn without_regions(&self) -> Option<NoRegions> {
        let reason = "two regions that are safe apart may not be so together";
        Some(NoRegions { reason, help: CHOOSE_LEVELS })
    }
}

impl Personalized {
    /// A guarding node reveals what its person fears, so it must stay with the holder.
    fn misguarded(&self, policy: &Policy) -> Option<Fault> {
        let guard = &self.guard;
        match policy.columns.get(guard) {
            Some(column) if !column.released() => None,
            Some(_) => Some(
                fault!(
                    Input,
                    "model.guard-is-released",
                    "`{column}` would be released, and it shows what people want to hide",
                    column = guard
                )
                .help(format!("give columns.{guard} role = \"drop\"")),
            ),
            None => {
                let fault =
                    fault!(Input, "policy.no-such-column", "there is no column `{column}`", column = guard);
                let held: Vec<&str> =
                    policy.columns.iter().filter(|(_, c)| !c.released()).map(|(n, _)| n.as_str()).collect();
                Some(match nearest(guard, held) {
                    Some(near) => fault.help(format!("did you mean `{near}`?")),
                    None => {
                        fault.help("name the column that holds guarding nodes, and give it role = \"drop\"")
                    }
                })
            }
        }
    }
}
