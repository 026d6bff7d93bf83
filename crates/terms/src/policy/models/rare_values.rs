//! Policy syntax of the rule against rare values [Katirai 2006]: deleted from the table, or
//! suppressed in the release with their classes.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Ask, ModelSpec, Unfit, out_of_range};
use crate::error::nearest;
use crate::fault;
use crate::policy::{Policy, Role, Suppressed};
use crate::registry::{Algorithm, ModelEntry, Monotone, Parameter, ParameterKind};

/// Values that occur in fewer than k rows are not released.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RareValues {
    /// The least rows of a value.
    pub k: u64,
    /// The columns; default: all that are released, but for replaced identifiers and, where the
    /// table is judged, weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub columns: Option<Vec<String>>,
    /// Where values are counted.
    #[serde(default, skip_serializing_if = "RareIn::is_table")]
    pub judge: RareIn,
    /// What is deleted of a row with a rare value; only where the table is judged. Default: cells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delete: Option<Delete>,
}

/// The table in which values are counted, to find the rare ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RareIn {
    /// In the table, before anything is generalized: rare values are deleted from it.
    #[default]
    Table,
    /// In the release: classes with a rare value are suppressed.
    Release,
}

impl RareIn {
    fn is_table(&self) -> bool {
        *self == RareIn::Table
    }
}

/// What is deleted of a row with a rare value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Delete {
    /// The cells with rare values.
    #[default]
    Cells,
    /// The whole row.
    Rows,
}

impl RareValues {
    /// What is deleted of a row with a rare value; nothing where the release is judged.
    pub fn deletes(&self) -> Option<Delete> {
        self.judge.is_table().then(|| self.delete.unwrap_or_default())
    }

    /// The columns that it is about, in name order.
    pub fn columns<'a>(&'a self, policy: &'a Policy) -> BTreeSet<&'a str> {
        match &self.columns {
            Some(columns) => columns.iter().map(String::as_str).collect(),
            None => self.judgeable(policy).collect(),
        }
    }

    /// The columns that can be judged: a replaced identifier is rare by design, and a row needs its
    /// weight.
    fn judgeable<'a>(&self, policy: &'a Policy) -> impl Iterator<Item = &'a str> {
        let table = self.judge.is_table();
        let judged = move |role: Role| role.released() && !(table && role == Role::Weight);
        let shown = policy.columns.iter().filter(move |(_, column)| judged(column.role));
        shown.map(|(name, _)| name.as_str())
    }
}

impl Policy {
    /// The models that delete rare values from the table, with their places in the list of models.
    pub fn deletions(&self) -> impl Iterator<Item = (usize, &RareValues)> {
        self.privacy.models.iter().enumerate().filter_map(|(at, model)| match model {
            ModelSpec::RareValues(rare) if rare.judge.is_table() => Some((at, rare)),
            _ => None,
        })
    }
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
                    "The columns; by default all that are released, but for replaced identifiers and weights.",
                ),
                Parameter::defaulted(
                    "judge",
                    ParameterKind::Choice(&["table", "release"]),
                    "\"table\"",
                    "Whether values are counted in the table and deleted from it, or counted in the release.",
                ),
                Parameter::defaulted(
                    "delete",
                    ParameterKind::Choice(&["cells", "rows"]),
                    "\"cells\"",
                    "What is deleted of a row with a rare value, where the table is judged.",
                ),
            ],
        )
    };
}

impl Ask for RareValues {
    fn claim(&self) -> String {
        let claim = match self.judge {
            RareIn::Table => "rare values",
            RareIn::Release => "rare values in the release",
        };
        match &self.columns {
            Some(columns) => format!("{claim}: {}", columns.join(", ")),
            None => claim.into(),
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
        if self.judge == RareIn::Release && self.delete.is_some() {
            let fault = fault!(
                Input,
                "model.nothing-to-delete",
                "where the release is judged, classes with a rare value are suppressed, and nothing is deleted"
            );
            faults.push(("delete", fault.help("remove `delete`, or write judge = \"table\"")));
        }
        faults
    }

    fn misplaced(&self, policy: &Policy) -> Vec<Unfit> {
        let unfit = |name: &String| match policy.columns.get(name) {
            Some(column) if column.role == Role::Weight && self.judge.is_table() => Some(
                fault!(
                    Input,
                    "model.weight-not-deleted",
                    "`{column}` has role \"weight\", and a row needs its weight",
                    column = name
                )
                .help("remove it from the list"),
            ),
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
                let near = nearest(name, self.judgeable(policy));
                Some(match near {
                    Some(near) => fault.help(format!("did you mean `{near}`?")),
                    None => fault.help("name columns that are released"),
                })
            }
        };
        let named = self.columns.iter().flatten();
        let named = named.filter_map(unfit).map(|fault| ("columns", fault));
        named.chain(self.undeletable(policy)).collect()
    }
}

impl RareValues {
    /// What deleting from the table does not go with.
    fn undeletable(&self, policy: &Policy) -> Vec<Unfit> {
        let Some(deletes) = self.deletes() else { return Vec::new() };
        let mut faults = Vec::new();
        if deletes == Delete::Rows && policy.output.suppressed == Suppressed::Starred {
            let fault = fault!(
                Input,
                "model.deleted-rows-starred",
                "a deleted row is not released, not even with stars"
            );
            faults
                .push(("delete", fault.help("write delete = \"cells\", or output.suppressed = \"dropped\"")));
        }
        if policy.divides_equal_rows() {
            let fault = fault!(
                Input,
                "model.deletion-with-divided-rows",
                "\"{algorithm}\" distinguishes equal rows by cells that are to be deleted",
                algorithm = policy.search.algorithm
            );
            let help = match policy.search.algorithm {
                Algorithm::Mondrian => "write search.mondrian.cut = \"strict\", or judge = \"release\"",
                _ => "choose \"k-similar\", or write judge = \"release\"",
            };
            faults.push(("judge", fault.help(help)));
        }
        faults
    }
}
