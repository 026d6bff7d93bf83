//! The policy keys of `throng argus`: how identifying a column is, and which combinations of
//! columns are tested [Sweeney 2001, 6.3, after mu-Argus].
//!
//! `throng release` ignores these keys: it protects the combination of all quasi-identifiers. They
//! are still validated in every policy, so that one policy can serve both commands.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::check::not_quasi;
use super::{Policy, Role, is_default};
use crate::error::Fault;
use crate::fault;

/// The weight of a column without a weight: most identifying, so that omissions test more and not
/// less.
pub const MOST_IDENTIFYING: u8 = 3;

/// Which combinations of columns are tested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Argus {
    /// The most columns of a combination that the weights ask for.
    #[serde(default = "three", skip_serializing_if = "is_three")]
    pub size: usize,
    /// The combinations to test, instead of those that the weights ask for.
    #[serde(default, skip_serializing_if = "is_default")]
    pub combinations: Option<Vec<Vec<String>>>,
}

fn three() -> usize {
    3
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_three(size: &usize) -> bool {
    *size == three()
}

impl Default for Argus {
    fn default() -> Self {
        Argus { size: three(), combinations: None }
    }
}

/// Errors that do not depend on the table.
pub(super) fn check(policy: &Policy, faults: &mut Vec<Fault>) {
    for (name, column) in &policy.columns {
        if let Some(weight) = column.identifying.filter(|weight| *weight > MOST_IDENTIFYING) {
            faults.push(
                fault!(
                    Input,
                    "policy.weight-out-of-range",
                    "{value} is not from 0 to {limit}",
                    value = weight,
                    limit = MOST_IDENTIFYING
                )
                .key(format!("columns.{name}.identifying"))
                .help("0 is not identifying, 1 identifying, 2 more and 3 most identifying"),
            );
        }
    }
    let Some(argus) = &policy.argus else { return };
    if argus.size == 0 {
        faults.push(
            fault!(Input, "policy.combination-size-is-zero", "no combination has 0 columns")
                .key("argus.size")
                .help("give 1 or more"),
        );
    }
    if let Some(listed) = &argus.combinations {
        if argus.size != three() {
            faults.push(
                fault!(Input, "policy.combination-size-unused", "is not used: the combinations are listed")
                    .key("argus.size")
                    .help("remove it, or remove argus.combinations"),
            );
        }
        combinations(policy, listed, faults);
    }
}

fn combinations(policy: &Policy, listed: &[Vec<String>], faults: &mut Vec<Fault>) {
    let key = "argus.combinations";
    if listed.is_empty() {
        faults.push(
            fault!(Input, "policy.no-combinations", "nothing is tested")
                .key(key)
                .help("list combinations of columns, such as [[\"sex\", \"zip\"]], or remove the key"),
        );
    }
    let quasi: BTreeSet<&str> = policy.with_role(Role::Quasi).into_iter().collect();
    let mut seen = BTreeSet::new();
    for combination in listed {
        if combination.is_empty() {
            faults.push(fault!(Input, "policy.empty-combination", "a combination has no columns").key(key));
        }
        let columns: BTreeSet<&str> = combination.iter().map(String::as_str).collect();
        for column in columns.iter().filter(|column| !quasi.contains(*column)) {
            faults.push(not_quasi(policy, column, &quasi).key(key));
        }
        if columns.len() < combination.len() {
            let twice = combination.iter().find(|c| combination.iter().filter(|d| d == c).count() > 1);
            faults.extend(twice.map(|column| {
                fault!(
                    Input,
                    "policy.column-twice-in-combination",
                    "`{column}` is twice in one combination",
                    column = column
                )
                .key(key)
            }));
        }
        if !seen.insert(columns) {
            let names = combination.join(", ");
            faults.push(
                fault!(
                    Input,
                    "policy.combination-listed-twice",
                    "[{columns}] is listed twice",
                    columns = names
                )
                .key(key),
            );
        }
    }
}
