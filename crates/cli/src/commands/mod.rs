//! One file per command.

pub mod argus;
pub mod attack;
pub mod augment;
pub mod compare;
pub mod completions;
mod convert;
pub mod demo;
pub mod evaluate;
pub mod explore;
pub mod hierarchy;
pub mod inspect;
pub mod key;
pub mod ledger;
pub mod man;
pub mod measure;
pub mod network;
pub mod policy;
pub mod release;
pub mod risk;
pub mod schema;
pub mod screen;
pub mod scrub;
pub mod stats;
pub mod suggest;
pub mod synth;
mod templates;
pub mod verify;

use std::path::Path;

use throng::error::{Fault, Result};
use throng::policy::{Policy, names_json};

/// A policy in TOML as the text of a file: JSON if its name ends in `.json`.
fn policy_text(file: &Path, toml: String) -> Result<String> {
    match names_json(&file.display().to_string()) {
        true => Policy::parse(&toml)?.to_json(),
        false => Ok(toml),
    }
}

/// Any plain data as JSON for standard output.
fn json(value: &impl serde::Serialize) -> Result<String> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|e| Fault::bug(format!("cannot be written as JSON: {e}")))?;
    Ok(text + "\n")
}
