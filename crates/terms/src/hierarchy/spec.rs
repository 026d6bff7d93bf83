//! The policy syntax of hierarchies: `hierarchy = { mask = { from = "right" } }`.
//!
//! One variant per builder; the builder's file defines its levels.

use serde::{Deserialize, Serialize};

use super::{date, intervals};

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
    /// ZIP codes with the rule of HIPAA Safe Harbor on small prefixes.
    Zip3(Zip3),
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Intervals {
    /// Equal widths, each a multiple of the one before unless `nested` is false: `[5, 10, 20]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub widths: Vec<f64>,
    /// Listed bounds per level, each level's bounds among those of the level before unless `nested`
    /// is false.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bounds: Vec<Vec<f64>>,
    /// Where counting starts; smaller values become `< low`. Default: the data's, rounded down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// Where it ends; values from here on become `>= high`. Default: the data's, rounded up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// Whether every interval lies within one of the next level.
    #[serde(default = "nested", skip_serializing_if = "is_nested")]
    pub nested: bool,
}

impl Default for Intervals {
    fn default() -> Self {
        Intervals { widths: Vec::new(), bounds: Vec::new(), low: None, high: None, nested: nested() }
    }
}

fn nested() -> bool {
    true
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_nested(nested: &bool) -> bool {
    *nested
}

/// Sorted values in groups: numbers by size, everything else by text, or as listed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// How many groups of the level below make one group: `[3, 2]`. None where `values` states an
    /// order: then there is no level between the values and the top.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fanout: Vec<usize>,
    /// The order, where it is not the natural one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

impl Spec {
    /// The order of values that the policy states; none where it states none.
    pub fn stated_order(&self) -> Option<&Order> {
        match self {
            Spec::Order(order) if !order.values.is_empty() => Some(order),
            _ => None,
        }
    }

    /// Whether the policy says that values which share a label share every label above it.
    pub fn nested(&self) -> bool {
        match self {
            Spec::Intervals(Intervals { nested, .. }) | Spec::Date(Date { nested, .. }) => *nested,
            _ => true,
        }
    }

    /// The key and the levels that are left if every level that does not nest in the last one kept
    /// is left out, as a policy writes it; none for listed bounds.
    pub fn nesting_levels(&self) -> Option<String> {
        match self {
            Spec::Intervals(spec) if !spec.widths.is_empty() => {
                let widths: Vec<String> =
                    intervals::nesting(&spec.widths).iter().map(f64::to_string).collect();
                Some(format!("widths = [{}]", widths.join(", ")))
            }
            Spec::Date(spec) => Some(format!("levels = {:?}", date::nesting(&spec.levels))),
            _ => None,
        }
    }
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
    /// `n-year`. Each must nest in the next unless `nested` is false; a week does not nest in a
    /// month.
    #[serde(default = "date_levels")]
    pub levels: Vec<String>,
    /// How dates are written (strftime); default: ISO `%Y-%m-%d`.
    #[serde(default = "iso")]
    pub format: String,
    /// The first year that is shown; days before it become `< low` at every level above 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<i32>,
    /// Whether every period lies within one of the next level.
    #[serde(default = "nested", skip_serializing_if = "is_nested")]
    pub nested: bool,
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

/// ZIP codes of three digits or fewer; prefixes with few people become `000`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Zip3 {
    /// Prefixes of three digits whose places have 20,000 people or fewer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restricted: Vec<String>,
}
