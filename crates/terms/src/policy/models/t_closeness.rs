//! Policy syntax of t-closeness.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Ask, NeedsValues, Unfit, out_of_range};
use crate::fault;
use crate::policy::Policy;
use crate::registry::{Bounds, ModelEntry, Parameter, ParameterKind};

/// t-closeness of one sensitive column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TCloseness {
    /// The sensitive column.
    pub column: String,
    /// How far apart two values are.
    #[serde(default)]
    pub distance: Distance,
    /// The largest distance allowed, from 0 to 1.
    pub t: f64,
    /// The values in order; only for ordered. Default: by number, by date, or as a hierarchy file
    /// has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Vec<String>>,
}

/// How far apart two values are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Distance {
    /// All alike.
    #[default]
    Equal,
    /// As their places in an order.
    Ordered,
    /// As their lowest common label in the column's hierarchy.
    Hierarchical,
}

impl TCloseness {
    /// Its entry in the registry; key and help are those of the list of models.
    pub(super) const ENTRY: ModelEntry = ModelEntry::of_column(
        "Li et al. 2007",
        "{ column = \"diagnosis\", t = 0.2 }",
        &[
            Parameter::required("column", ParameterKind::Column, "The sensitive column."),
            Parameter::defaulted(
                "distance",
                ParameterKind::Choice(&["equal", "ordered", "hierarchical"]),
                "\"equal\"",
                "How far apart two values are.",
            ),
            Parameter::required(
                "t",
                ParameterKind::Number(Bounds::SHARE),
                "The largest distance from the values of the whole table.",
            ),
            Parameter::optional(
                "order",
                ParameterKind::List(&ParameterKind::Text),
                "The values in order; only for ordered. By default by number, by date, or as a hierarchy file has them.",
            ),
        ],
    );
}

impl Ask for TCloseness {
    fn column(&self) -> Option<&str> {
        Some(&self.column)
    }

    fn claim(&self) -> String {
        let distance = match self.distance {
            Distance::Equal => "equal",
            Distance::Ordered => "ordered",
            Distance::Hierarchical => "hierarchical",
        };
        format!("{distance} t-closeness: {}", self.column)
    }

    fn unfit(&self) -> Vec<Unfit> {
        let mut faults = Vec::new();
        if !(0.0..=1.0).contains(&self.t) {
            let fault = out_of_range("t", self.t);
            faults.push((
                "t",
                fault.help(
                    "give a number from 0 (spread as in the whole table) to 1 (any way), for instance 0.2",
                ),
            ));
        }
        let Some(order) = &self.order else { return faults };
        if self.distance != Distance::Ordered {
            let fault = fault!(
                Input,
                "model.order-without-ordered-distance",
                "only the ordered distance has an order"
            );
            faults.push(("order", fault.help("remove `order`, or write distance = \"ordered\"")));
        }
        let mut seen = BTreeSet::new();
        if let Some(twice) = order.iter().find(|value| !seen.insert(*value)) {
            faults.push((
                "order",
                fault!(Input, "model.value-listed-twice", "`{value}` is listed twice", value = twice),
            ));
        }
        faults
    }

    fn misplaced(&self, policy: &Policy) -> Vec<Unfit> {
        let without = policy.columns.get(&self.column).is_some_and(|c| c.hierarchy.is_none());
        if !(without && self.distance == Distance::Hierarchical) {
            return Vec::new();
        }
        let fault = fault!(
            Input,
            "model.column-without-hierarchy",
            "`{column}` has no hierarchy",
            column = self.column
        );
        let help = format!("give columns.{} a hierarchy, or use distance = \"equal\"", self.column);
        vec![("distance", fault.help(help))]
    }

    fn reads_hierarchy(&self) -> bool {
        self.distance != Distance::Equal
    }

    fn needs_values(&self) -> Option<NeedsValues> {
        (self.distance != Distance::Equal).then_some(NeedsValues {
            part: "distance",
            reason: "the distance is one of values, and the search may choose labels above these",
            help: "write distance = \"equal\"",
        })
    }
}
