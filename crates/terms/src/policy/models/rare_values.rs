//! Policy syntax of the rule against rare values.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Ask, Unfit, out_of_range};
use crate::error::nearest;
use crate::fault;
use crate::policy::{Policy, Role};
use crate::registry::{ModelEntry, Monotone, Parameter, ParameterKind};

/// No value of a released column occurs in fewer than k released rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RareValues {
    /// The least rows of a value.
    pub k: u64,
    /// The columns; default: all that are released, but for replaced identifiers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub columns: Option<Vec<String>>,
}

impl RareValues {
    /// The columns that it is about, in name order.
    pub fn columns<'a>(&'a self, policy: &'a Policy) -> BTreeSet<&'a str> {
        match &self.columns {
            Some(columns) => columns.iter().map(String::as_str).collect(),
            None => judgeable(policy).collect(),
        }
    }
}

/// The columns that can be checked: a replaced identifier is rare by design.
fn judgeable(policy: &Policy) -> impl Iterator<Item = &str> {
    let shown = policy.columns.iter().filter(|(_, column)| column.role.released());
    shown.map(|(name, _)| name.as_str())
}

impl RareValues {
    /// Its entry in the registry; key and help are those of the list of models.
    pub(super) const ENTRY: ModelEntry = ModelEntry {
        monotone: Monotone::ByParameters,
        ..ModelEntry::of_classes(
            "Katirai 2006",
            "{ k = 3 }",
            &[
                Parameter::required("k", ParameterKind::Whole(1, None), "The least rows of a value."),
                Parameter::optional(
                    "columns",
                    ParameterKind::List(&ParameterKind::Column),
                    "The columns; by default all that are released, but for replaced identifiers.",
                ),
            ],
        )
    };
}

impl Ask for RareValues {
    fn claim(&self) -> String {
        match &self.columns {
            Some(columns) => format!("rare values: {}", columns.join(", ")),
            None => "rare values".into(),
        }
    }

    fn judges<'a>(&'a self, policy: &'a Policy) -> Vec<&'a str> {
        let quasi = |name: &&str| policy.columns.get(*name).is_some_and(|c| c.role == Role::Quasi);
        self.columns(policy).into_iter().filter(|name| !quasi(name)).collect()
    }

    fn unfit(&self) -> Vec<Unfit> {
        let mut faults = Vec::new();
        if self.k == 0 {
            let fault = out_of_range("k", 0);
            faults.push(("k", fault.help("give a whole number from 1 up, for instance 3")));
        }
        if self.columns.as_ref().is_some_and(Vec::is_empty) {
            let fault = fault!(Input, "model.no-columns", "no column is named");
            faults.push(("columns", fault.help("name the columns, or remove `columns`: then all are meant")));
        }
        faults
    }

    fn misplaced(&self, policy: &Policy) -> Vec<Unfit> {
        let unfit = |name: &String| match policy.columns.get(name) {
            Some(column) if column.role.released() => None,
            Some(column) => Some(
                fault!(
                    Input,
                    "model.column-not-released",
                    "`{column}` has role \"{role}\" and shows no value",
                    column = name,
                    role = column.role.name()
                )
                .help("remove it from the list"),
            ),
            None => {
                let fault =
                    fault!(Input, "policy.no-such-column", "there is no column `{column}`", column = name);
                let near = nearest(name, judgeable(policy));
                Some(match near {
                    Some(near) => fault.help(format!("did you mean `{near}`?")),
                    None => fault.help("name columns that are released"),
                })
            }
        };
        let named = self.columns.iter().flatten();
        named.filter_map(unfit).map(|fault| ("columns", fault)).collect()
    }
}
