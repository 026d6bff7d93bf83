//! The policy syntax of hierarchies: `hierarchy = { mask = { from = "right" } }`.
//!
//! One variant per builder; the builder's file defines its levels.

use serde::{Deserialize, Serialize};

/// A hierarchy as specified by the policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Spec {
    /// One row per leaf, most specific first: `{ file = "sex.csv" }`.
    File(File),
    /// Number ranges: equal widths or listed bounds.
    Intervals(Intervals),
    /// Sorted values in groups of a fan-out.
    Order(Order),
    /// Characters replaced from one end.
    Mask(Mask),
    /// Calendar periods.
    Date(Date),
    /// The most frequent values stay, the rest are pooled.
    Priority(Priority),
    /// ICD-9-CM: code, category, block, chapter: `"icd9"`.
    Icd9,
    /// ICD-10: code, category, block, chapter: `"icd10"`.
    Icd10,
    /// Postal-code prefixes.
    Postal(Postal),
    /// The value or nothing: `"suppress"`.
    Suppress,
    /// A poset, which a policy asks for under a key of its own.
    #[serde(skip)]
    Poset(crate::poset::Spec),
}

/// A hierarchy file: a path, or a path with its delimiter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields, expecting = "a file is its path, or a table of path and delimiter")]
pub enum File {
    /// Path relative to the policy; the delimiter is found (`;`, `,` or tab).
    Path(String),
    /// Path with a stated delimiter.
    Delimited {
        /// Path relative to the policy.
        path: String,
        /// The delimiter, one character.
        delimiter: char,
    },
}

impl File {
    /// The path as written in the policy.
    pub fn path(&self) -> &str {
        match self {
            File::Path(path) | File::Delimited { path, .. } => path,
        }
    }

    /// The delimiter, where stated.
    pub fn delimiter(&self) -> Option<char> {
        match self {
            File::Path(_) => None,
            File::Delimited { delimiter, .. } => Some(*delimiter),
        }
    }
}

/// Number ranges. Exactly one of `widths` and `bounds` is given.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Intervals {
    /// Equal widths, each a multiple of the one before: `[5, 10, 20]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub widths: Vec<f64>,
    /// Listed bounds per level, each level's bounds among those of the level before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bounds: Vec<Vec<f64>>,
    /// Where counting starts; smaller values become `< low`. Default: the data's, rounded down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// Where it ends; values from here on become `>= high`. Default: the data's, rounded up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
}

/// Sorted values in groups: numbers by size, everything else by text, or as listed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// How many groups of the level below make one group: `[3, 2]`.
    pub fanout: Vec<usize>,
    /// The order, where it is not the natural one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

/// The end from which characters are masked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The first characters go first.
    Left,
    /// The last characters go first.
    #[default]
    Right,
}

/// Characters replaced from one end, `step` per level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mask {
    /// The end that goes first.
    #[serde(default)]
    pub from: End,
    /// What replaces a character.
    #[serde(default = "star")]
    pub char: char,
    /// Characters masked per level.
    #[serde(default = "one")]
    pub step: usize,
}

fn star() -> char {
    '*'
}

fn one() -> usize {
    1
}

/// Calendar periods.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Date {
    /// Levels above the day, finest first: `day`, `week`, `month`, `n-month`, `quarter`, `year`,
    /// `n-year`. Each must nest in the next; a week does not nest in a month.
    #[serde(default = "date_levels")]
    pub levels: Vec<String>,
    /// How dates are written (strftime); default: ISO `%Y-%m-%d`.
    #[serde(default = "iso")]
    pub format: String,
}

fn date_levels() -> Vec<String> {
    ["month", "quarter", "year", "5-year", "10-year"].map(String::from).to_vec()
}

fn iso() -> String {
    "%Y-%m-%d".into()
}

/// The most frequent values stay, the rest become `other`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Priority {
    /// How many values each level keeps, falling: `[20, 5]`. Ties go to the first in text order.
    pub keep: Vec<usize>,
    /// What the rest are called.
    #[serde(default = "other")]
    pub other: String,
}

fn other() -> String {
    "other".into()
}

/// Postal-code prefixes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Postal {
    /// Characters that each level keeps, falling: `[4, 3, 1]`.
    #[serde(default = "prefixes")]
    pub keep: Vec<usize>,
}

fn prefixes() -> Vec<usize> {
    vec![4, 3, 2, 1]
}
