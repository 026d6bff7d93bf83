//! How a policy asks for a poset: `poset = { range = { worthless = 25 } }`. One variant per kind; the kind's file says what its cells are.

use serde::{Deserialize, Serialize};

/// A poset as a policy asks for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Spec {
    /// Ranges of numbers.
    Range(Range),
    /// The value or nothing: `"suppress"`.
    Suppress,
}

/// Ranges of numbers: the bound of `[10, 25]` and `[8, 20]` is `[8, 25]`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Range {
    /// No value is lower.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// No value is higher.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// A range that is as wide as this is worth nothing, and is not written; default: the width of all values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worthless: Option<f64>,
}

/// A short phrase for reports: how values were generalized.
pub fn describe(spec: &Spec) -> String {
    match spec {
        Spec::Range(Range { worthless: Some(width), .. }) => format!("ranges narrower than {width}"),
        Spec::Range(_) => "ranges".into(),
        Spec::Suppress => "the value or nothing".into(),
    }
}
