//! Policy syntax of (ε, δ)-differential privacy by sampling and generalization, and its constraints
//! on the rest of the policy: everything published must depend on the data only through
//! sufficiently large classes of sampled rows.
//!
//! Every released column is therefore generalized to a fixed level by a hierarchy that does not
//! depend on the table, and rows are suppressed only for the size of their class or for their own
//! missing cells.

use serde::{Deserialize, Serialize};

use super::super::sampling_limits::{EPSILON, LEAST_DELTA, out_of_range};
use super::super::substitute::place;
use super::super::{Column, Missing, Policy, Role, Suppressed};
use super::{Ask, CHOOSE_LEVELS, ModelSpec, NoRegions, Unfit};
use crate::error::Fault;
use crate::fault;
use crate::hierarchy::Spec;
use crate::registry::{Algorithm, Bounds, ModelEntry, Monotone, Parameter, ParameterKind};

/// (ε,δ)-differential privacy, with where the secret is that rows are drawn by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DifferentialPrivacy {
    /// How much one person can change the chance of what is released: by a factor of at most e^ε.
    pub epsilon: f64,
    /// But for outcomes that are at most this likely.
    pub delta: f64,
    /// The file that the secret is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_file: Option<String>,
    /// The variable of the environment that the secret is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_env: Option<String>,
}

/// The range of ε.
const EPSILON_BOUNDS: Bounds = Bounds::from_to(*EPSILON.start(), *EPSILON.end());
/// The range of δ.
const DELTA_BOUNDS: Bounds = Bounds { below_high: true, ..Bounds::from_to(LEAST_DELTA, 1.0) };

impl DifferentialPrivacy {
    /// Its entry in the registry; key and help are those of the list of models.
    pub(super) const ENTRY: ModelEntry = ModelEntry {
        monotone: Monotone::Always,
        works_with_regions: false,
        ..ModelEntry::of_classes(
            "Li et al. 2012; Bild et al. 2018",
            "{ epsilon = 1.0, delta = 1e-6, key_env = \"THRONG_KEY\" }",
            &[
                Parameter::required(
                    "epsilon",
                    ParameterKind::Number(EPSILON_BOUNDS),
                    "One person changes the probability of what is released by a factor of at most e^epsilon.",
                ),
                Parameter::required(
                    "delta",
                    ParameterKind::Number(DELTA_BOUNDS),
                    "But for outcomes that have at most this probability together.",
                ),
                Parameter::optional(
                    "key_file",
                    ParameterKind::Path,
                    "The file with the secret that rows are drawn by.",
                ),
                Parameter::optional(
                    "key_env",
                    ParameterKind::Text,
                    "The environment variable with that secret.",
                ),
            ],
        )
    };
}

impl Ask for DifferentialPrivacy {
    fn claim(&self) -> String {
        "differential privacy".into()
    }

    fn unfit(&self) -> Vec<Unfit> {
        let mut unfit = Vec::new();
        if let Some(fault) = out_of_range(self.epsilon, self.delta) {
            let part = if fault.place.key.as_deref() == Some("epsilon") { "epsilon" } else { "delta" };
            unfit.push((part, fault));
        }
        let part = if self.key_env.is_some() { "key_env" } else { "key_file" };
        unfit.extend(place(self.key_file.as_deref(), self.key_env.as_deref()).map(|fault| (part, fault)));
        unfit
    }

    fn without_regions(&self) -> Option<NoRegions> {
        let reason = "regions follow from the rows";
        Some(NoRegions { reason, help: CHOOSE_LEVELS })
    }
}

/// Conflicts with differential privacy, if the policy uses it.
pub(super) fn check(policy: &Policy, faults: &mut Vec<Fault>) {
    if policy.differential_privacy().is_none() {
        return;
    }
    faults.extend(elsewhere(policy));
    for (name, column) in &policy.columns {
        if column.role == Role::Quasi {
            faults.extend(level(column).map(|fault| fault.key(format!("columns.{name}.max_level"))));
            faults.extend(
                dependent(&column.hierarchy()).map(|fault| fault.key(format!("columns.{name}.hierarchy"))),
            );
        } else if column.released() {
            let part = if column.is_replaced() { "transform" } else { "role" };
            faults.push(
                fault!(
                    Input,
                    "model.differential-privacy-column-kept",
                    "differential privacy has no room for a column that is not generalized"
                )
                .key(format!("columns.{name}.{part}"))
                .help("give it role = \"quasi\" with a hierarchy and a fixed level, or role = \"drop\""),
            );
        }
    }
}

/// Settings outside of columns that would leak data.
fn elsewhere(policy: &Policy) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut refuse = |refused: bool, key: &str, fault: Fault, help: &str| {
        if refused {
            faults.push(fault.key(key).help(help));
        }
    };
    let others = policy.privacy.models.iter().position(|m| !matches!(m, ModelSpec::DifferentialPrivacy(_)));
    refuse(
        others.is_some(),
        &format!("privacy.models.{}", others.unwrap_or_default()),
        fault!(
            Input,
            "model.differential-privacy-with-model",
            "another model would suppress rows for other reasons than their number, which differential privacy does not allow"
        ),
        "remove it, or differential_privacy",
    );
    refuse(
        !policy.privacy.quasi.is_empty(),
        "privacy.quasi",
        fault!(
            Input,
            "model.differential-privacy-with-groups",
            "groups would suppress rows for other reasons than the size of their class, which differential privacy does not allow"
        ),
        "remove them, and give privacy.k where larger classes are wanted",
    );
    refuse(
        policy.privacy.suppression.is_some(),
        "privacy.suppression",
        fault!(
            Input,
            "model.differential-privacy-with-limit",
            "whether a limit holds would depend on the data, which differential privacy does not allow"
        ),
        "remove it: as many rows are suppressed as have to be",
    );
    refuse(
        policy.input.missing == Missing::Wildcard,
        "input.missing",
        fault!(
            Input,
            "model.differential-privacy-with-wildcards",
            "differential privacy counts rows that look the same, and a wildcard looks like many"
        ),
        "write missing = \"value\" or \"suppress\"",
    );
    refuse(
        policy.output.suppressed != Suppressed::Dropped,
        "output.suppressed",
        fault!(
            Input,
            "model.differential-privacy-keeps-suppressed",
            "the number of suppressed rows would depend on the data, which differential privacy does not allow"
        ),
        "write suppressed = \"dropped\"",
    );
    refuse(
        policy.output.keep_order,
        "output.keep_order",
        fault!(
            Input,
            "model.differential-privacy-keeps-order",
            "the order of rows would depend on the data, which differential privacy does not allow"
        ),
        "write keep_order = false",
    );
    refuse(
        policy.search.algorithm.of_levels() != Algorithm::Auto,
        "search.algorithm",
        fault!(
            Input,
            "model.differential-privacy-with-algorithm",
            "with differential privacy all levels are fixed, and there is nothing to search"
        ),
        "write algorithm = \"auto\", or leave it out",
    );
    faults
}

/// A level that would be chosen by what the table holds.
fn level(column: &Column) -> Option<Fault> {
    let least = column.min_level.unwrap_or(0);
    (column.max_level != Some(least)).then(|| {
        fault!(
            Input,
            "model.differential-privacy-level-not-fixed",
            "with differential privacy a level must not be chosen by looking at the data"
        )
        .help(format!("fix it, for instance: min_level = {0}, max_level = {0}", least.max(1)))
    })
}

/// Why the labels of a hierarchy would leak the table's values.
fn dependent(spec: &Spec) -> Option<Fault> {
    let (fault, help) = match spec {
        Spec::Intervals(i) if i.bounds.is_empty() && (i.low.is_none() || i.high.is_none()) => (
            fault!(
                Input,
                "model.hierarchy-depends-on-data",
                "these intervals begin and end with the values of the table, which differential privacy does not allow"
            ),
            "give `low` and `high`, for instance low = 0, high = 100",
        ),
        Spec::Order(order) if order.values.is_empty() => (
            fault!(
                Input,
                "model.hierarchy-depends-on-data",
                "these groups are made of the values that the table has, which differential privacy does not allow"
            ),
            "list all values that are possible with `values`, or use a hierarchy file",
        ),
        Spec::Mask(_) | Spec::Postal(_) => (
            fault!(
                Input,
                "model.hierarchy-depends-on-data",
                "these labels are as long as the longest value of the table, which differential privacy does not allow"
            ),
            "use a hierarchy file with all values that are possible",
        ),
        Spec::Priority(_) => (
            fault!(
                Input,
                "model.hierarchy-depends-on-data",
                "the most frequent values are those of the table, which differential privacy does not allow"
            ),
            "use a hierarchy file that says which values stay",
        ),
        Spec::File(_)
        | Spec::Intervals(_)
        | Spec::Order(_)
        | Spec::Date(_)
        | Spec::Icd9
        | Spec::Icd10
        | Spec::Zip3(_)
        | Spec::Suppress
        | Spec::Poset(_) => return None,
    };
    Some(fault.help(help))
}
