//! Policy syntax of pseudonyms that replace an identifier (equivalence class substitution,
//! [Sweeney 2001]).
//!
//! `transform = { substitute = { key_file = "secret.key" } }`. The policy names the location of the
//! secret and never contains it; the program that runs the release reads it. [`crate::pseudonym`]
//! derives the pseudonyms.

use serde::{Deserialize, Serialize};

use super::{Policy, Role};
use crate::error::Fault;
use crate::fault;

/// What is done to a column that is not generalized.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transform {
    /// Every value becomes a made-up one of the same shape, the same one everywhere.
    Substitute(Substitute),
}

/// Where the key of a substitution is: in exactly one of the two places.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Substitute {
    /// A file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_file: Option<String>,
    /// A variable of the environment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_env: Option<String>,
}

/// Errors of transforms.
pub(super) fn check(policy: &Policy, faults: &mut Vec<Fault>) {
    for (name, column) in &policy.columns {
        let Some(Transform::Substitute(substitute)) = &column.transform else { continue };
        let key = format!("columns.{name}.transform");
        if column.role != Role::Identifier {
            let help = match column.role {
                Role::Quasi => {
                    "a quasi-identifier is generalized: remove `transform`, or give the column role = \"identifier\""
                }
                _ => "remove `transform`, or give the column role = \"identifier\"",
            };
            faults.push(
                fault!(
                    Input,
                    "policy.substitute-without-identifier",
                    "only an identifier can be substituted; the column has role \"{role}\"",
                    role = column.role.name()
                )
                .key(&key)
                .help(help),
            );
        }
        let place = place(substitute.key_file.as_deref(), substitute.key_env.as_deref());
        faults.extend(place.map(|fault| fault.key(key)));
    }
}

/// Errors of the place of a key.
pub(super) fn place(key_file: Option<&str>, key_env: Option<&str>) -> Option<Fault> {
    let help = "give key_file = \"secret.key\" or key_env = \"THRONG_KEY\"";
    match (key_file, key_env) {
        (None, None) => Some(fault!(Input, "policy.no-secret", "does not say where the key is").help(help)),
        (Some(_), Some(_)) => {
            Some(fault!(Input, "policy.two-secrets", "has two places for one key").help(help))
        }
        (Some(""), None) => Some(fault!(Input, "policy.empty-secret-path", "key_file is empty").help(help)),
        (None, Some(name)) if name.is_empty() || name.contains(['=', '\0']) => Some(
            fault!(
                Input,
                "policy.invalid-variable-name",
                "{name:?} cannot be the name of a variable",
                name = name
            )
            .help(help),
        ),
        _ => None,
    }
}
