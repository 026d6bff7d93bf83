//! Policy syntax of pseudonyms that replace an identifier (equivalence class substitution,
//! [Sweeney 2001]).
//!
//! `transform = { substitute = { key_file = "secret.key" } }`, or `keyed` in its place for values
//! of any format, or `number = {}` for numbers without a key. `shift` moves dates per person, and
//! `scrub` is for free text (`scrub.rs`). The policy names the location of the secret and never
//! contains it; the program that runs the release reads it. The core's `pseudonym` derives the
//! pseudonyms.

use serde::{Deserialize, Serialize};

use super::{Column, Policy, Role, Scrub, scrub};
use crate::error::Fault;
use crate::fault;

/// What is done to a column that is not generalized.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transform {
    /// Every value becomes a made-up one of the same shape, the same one everywhere.
    Substitute(Substitute),
    /// Every value becomes letters that depend on it and on a key, the same everywhere.
    Keyed(Substitute),
    /// Values become numbers in random order, other ones in every release.
    Number(Number),
    /// Dates move by a number of days that depends on the person and a key.
    Shift(Shift),
    /// What identifies people in free text is replaced.
    Scrub(Scrub),
}

/// Where a key is: a file or an environment variable; exactly one is given.
pub type KeyPlace<'a> = (Option<&'a str>, Option<&'a str>);

impl Transform {
    /// Where its key is, where it has one.
    pub fn key(&self) -> Option<KeyPlace<'_>> {
        match self {
            Transform::Substitute(key) | Transform::Keyed(key) => {
                Some((key.key_file.as_deref(), key.key_env.as_deref()))
            }
            Transform::Shift(shift) => Some((shift.key_file.as_deref(), shift.key_env.as_deref())),
            Transform::Scrub(scrub) => scrub.key(),
            Transform::Number(_) => None,
        }
    }
}

/// How dates move, and where the key is: in exactly one of the two places.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shift {
    /// The most days that a date moves, forward or back.
    pub days: u32,
    /// How dates are written (strftime); default: ISO `%Y-%m-%d`.
    #[serde(default = "iso")]
    pub format: String,
    /// A file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_file: Option<String>,
    /// A variable of the environment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_env: Option<String>,
}

fn iso() -> String {
    "%Y-%m-%d".into()
}

/// The most days that dates may move: ten years.
pub(super) const MOST_DAYS: u32 = 3650;

/// Numbers in place of values: nothing is left to say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Number {}

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
        let Some(transform) = &column.transform else { continue };
        let key = format!("columns.{name}.transform");
        if let Transform::Scrub(asked) = transform {
            faults.extend(scrub::unfit(policy, (name, column), asked));
            continue;
        }
        let placed = |(file, env): KeyPlace<'_>| place(file, env).map(|fault| fault.key(&key));
        faults.extend(transform.key().and_then(placed));
        if let Transform::Shift(shift) = transform {
            faults.extend(unfit_shift(policy, (name, column), shift));
            continue;
        }
        if !matches!(column.role, Role::Identifier | Role::Subject) {
            let help = match column.role {
                Role::Quasi => {
                    "a quasi-identifier is generalized: remove `transform`, or give the column role = \"identifier\""
                }
                Role::Text => "write transform = { scrub = {} }, or remove `transform`",
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
    }
}

/// Errors of dates that move.
fn unfit_shift(policy: &Policy, (name, column): (&String, &Column), shift: &Shift) -> Vec<Fault> {
    let mut faults = Vec::new();
    let role = column.role;
    if !matches!(role, Role::Sensitive | Role::Keep) || column.level.is_some() {
        let help = match role {
            Role::Quasi => {
                "a quasi-identifier is generalized: remove `transform`, and give it a hierarchy of dates"
            }
            _ => "remove `transform`, or give the column role = \"sensitive\" or \"keep\" without a level",
        };
        faults.push(
            fault!(
                Input,
                "policy.shift-of-other-role",
                "only dates that are released as they are can be shifted; the column has role \"{role}\"",
                role = role.name()
            )
            .help(help),
        );
    }
    if policy.subject().is_none() {
        faults.push(
            fault!(
                Input,
                "people.shift-without-subject",
                "dates are shifted per person, and no column says which person a row belongs to"
            )
            .help("give the column that names people role = \"subject\""),
        );
    }
    if !(1..=MOST_DAYS).contains(&shift.days) {
        faults.push(
            fault!(
                Input,
                "policy.shift-out-of-range",
                "dates cannot move by up to {days} days",
                days = shift.days
            )
            .help("give a number of days from 1 to 3650, for instance 30"),
        );
    }
    let first = policy.columns.values().find_map(Column::shift);
    if first.is_some_and(|first| (&first.key_file, &first.key_env) != (&shift.key_file, &shift.key_env)) {
        faults.push(
            fault!(Input, "policy.two-shift-keys", "dates of one table are shifted by one key")
                .help("name the same key in every shift"),
        );
    }
    faults.into_iter().map(|fault| fault.key(format!("columns.{name}.transform"))).collect()
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
