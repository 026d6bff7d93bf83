//! The policy as text: TOML, or JSON for programs. Both are read by the same types and checked by
//! [`Policy::check`], so both have the same keys and the same faults.

use sha2::{Digest, Sha256};

use super::tree::{self, Node};
use super::{LossSpec, Policy, check, grammar, locate, profile};
use crate::error::{Error, Fault, Result};
use crate::fault;

impl Policy {
    /// Reads a policy and checks all that can be checked without the table. A text whose first
    /// character is `{` is JSON, any other text is TOML. A quasi-identifier that nobody links on
    /// (`linking = 0`) is read as a column that is kept.
    ///
    /// # Errors
    /// Every mistake found, each with its key and, where possible, its place in the text.
    pub fn parse(text: &str) -> Result<Policy> {
        let mut policy = if tree::is_json(text) { read_json(text)? } else { read_toml(text)? };
        policy.check().map_err(|e| locate(e, text))?;
        profile::release_unlinked(&mut policy);
        Ok(policy)
    }

    /// The policy as versions without the algorithm "best" read its text, where that differs: if it
    /// names no algorithm they searched levels with "auto", by default for the loss "entropy". Their
    /// certificates are judged by it.
    ///
    /// # Errors
    /// As [`Policy::parse`].
    pub fn parse_without_best(text: &str) -> Result<Option<Policy>> {
        let root = Node::of(text);
        let search = root.as_ref().and_then(|root| root.get("search"));
        let stated = |key: &str| search.is_some_and(|search| search.get(key).is_some());
        if stated("algorithm") {
            return Ok(None);
        }
        let mut policy = Policy::parse(text)?.for_levels();
        if !stated("loss") {
            policy.search.loss = LossSpec::by_default(policy.search.algorithm);
        }
        Ok(Some(policy))
    }

    /// Checks all that can be checked without the table, whatever the policy was made from.
    ///
    /// # Errors
    /// Every mistake found, each with its key.
    pub fn check(&self) -> Result<()> {
        Error::check(check::without_table(self))
    }

    /// The policy as TOML.
    ///
    /// # Errors
    /// Only if the policy cannot be written as TOML, which would be a mistake of ours.
    pub fn to_toml(&self) -> Result<String> {
        toml::to_string(self).map_err(|e| Fault::bug(format!("policy cannot be written: {e}")).into())
    }

    /// The policy as JSON.
    ///
    /// # Errors
    /// A number that JSON does not have: one that is infinite or nan.
    pub fn to_json(&self) -> Result<String> {
        let unwritable = |problem: &dyn std::fmt::Display| -> Error {
            fault!(
                Input,
                "policy.not-json",
                "the policy cannot be written as JSON: {problem}",
                problem = problem
            )
            .help("use numbers that are neither infinite nor nan")
            .into()
        };
        // Keys that are not given are left out, so null is a number that JSON does not have.
        match serde_json::to_value(self).map_err(|e| unwritable(&e))? {
            value if has_null(&value) => Err(unwritable(&"a number is not finite")),
            _ => {
                let text = serde_json::to_string_pretty(self).map_err(|e| unwritable(&e))?;
                Ok(text + "\n")
            }
        }
    }

    /// SHA-256 of a policy's text, as certificates record it.
    pub fn digest(text: &str) -> String {
        Sha256::digest(text.as_bytes()).iter().map(|b| format!("{b:02x}")).collect()
    }
}

/// Whether the name of a file ends in `.json`.
pub fn names_json(file: &str) -> bool {
    file.to_ascii_lowercase().ends_with(".json")
}

fn read_toml(text: &str) -> Result<Policy> {
    toml::from_str(text).map_err(|e| grammar::fault(&e, text).into())
}

fn read_json(text: &str) -> Result<Policy> {
    let root = Node::of_json(text);
    // A map of a reader of JSON silently keeps the last of two values.
    if let Some((key, span)) = root.as_ref().and_then(Node::duplicate) {
        return Err(twice(key, span).into());
    }
    let policy = serde_json::from_str(tree::body(text)).map_err(|e| grammar::json_fault(&e, text))?;
    match root {
        Some(_) => Ok(policy),
        None => Err(Fault::bug("a JSON policy was read and its keys were not").into()),
    }
}

fn twice(key: String, span: std::ops::Range<usize>) -> Fault {
    let mut fault =
        fault!(Input, "policy.duplicate-key", "the key is given twice").help("remove one of them").key(key);
    fault.place.span = Some(span);
    fault
}

fn has_null(value: &serde_json::Value) -> bool {
    use serde_json::Value;
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_null),
        Value::Object(entries) => entries.values().any(has_null),
        _ => false,
    }
}
