//! Levels that do not nest: which roles and algorithms accept them.
//!
//! An algorithm that concludes from the verdict on one node that nodes above it are safe, or that
//! nodes below it are not, needs levels that nest. So do regions, whose cells are the least labels
//! above several values. MinGen checks every node, and Datafly every node on its way.

use super::{Policy, Role};
use crate::error::Fault;
use crate::fault;
use crate::registry::Algorithm;

/// Errors that do not depend on the table.
pub(super) fn check(policy: &Policy, faults: &mut Vec<Fault>) {
    let algorithm = policy.search.algorithm;
    for (name, column) in &policy.columns {
        let Some(spec) = column.hierarchy.as_ref().filter(|spec| !spec.nested()) else { continue };
        let nested = spec.nesting_levels().unwrap_or_else(|| "bounds of the level below only".into());
        let fault = if column.role != Role::Quasi {
            fault!(
                Input,
                "policy.unnested-levels-of-role",
                "levels that do not nest are for columns with role \"quasi\", and the role is \"{role}\"",
                role = column.role.name()
            )
            .help(format!("remove nested = false, and write {nested}"))
        } else if !algorithm.entry().takes_unnested {
            let able = Algorithm::keys_with(|entry| entry.takes_unnested);
            fault!(
                Input,
                "policy.algorithm-needs-nested-levels",
                "\"{algorithm}\" needs levels that nest: {reason}",
                algorithm = algorithm,
                reason = match algorithm.forms_regions() {
                    true => "cells of regions are the least labels above several values",
                    false => "it concludes from one node that others are safe or unsafe",
                }
            )
            .help(format!(
                "write algorithm = \"{}\"; or remove nested = false, and write {nested}",
                able.join("\" or \"")
            ))
        } else {
            continue;
        };
        faults.push(fault.key(format!("columns.{name}.hierarchy")));
    }
}
