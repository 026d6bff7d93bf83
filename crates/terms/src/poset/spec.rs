//! The policy syntax of posets: `poset = { range = { worthless = 25 } }`. One variant per kind; the
//! kind's file defines its cells.

use serde::{Deserialize, Serialize};

use crate::hierarchy::File;

/// A poset as specified by a policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Spec {
    /// Nodes with one or more parents: `{ file = "places.csv" }`.
    File(File),
    /// Sets of traits as a text of 0 and 1: `{ bits = 3 }`.
    Bits(u32),
    /// Dates of birth.
    Birth(Birth),
    /// Codes, each with how often it occurs.
    Codes(Codes),
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
    /// A range that is as wide as this is worth nothing; default: the width of all values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worthless: Option<f64>,
}

/// Dates of birth: the day, the month, the year, a band of ages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Birth {
    /// The day at which ages are counted: `2006-01-01`.
    pub base: String,
    /// The last age of every band: `[5, 30, 50]` is ages 0 to 5, 6 to 30 and 31 to 50.
    #[serde(default)]
    pub ages: Vec<u32>,
}

/// Codes with how often they occur, such as `427.89:10; 031:2`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Codes {
    /// The nodes that codes are, and their parents.
    pub file: File,
    /// The most pairs of code and frequency that a cell shows.
    pub most: u32,
    /// The most occurrences that a cell shows, over all of its codes; default: no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_occurrences: Option<u32>,
}

/// A short phrase for reports: how values were generalized.
pub fn describe(spec: &Spec) -> String {
    match spec {
        Spec::File(file) => format!("nodes of {}", file.path()),
        Spec::Bits(count) => format!("the traits in common, of {count}"),
        Spec::Birth(Birth { base, .. }) => format!("day, month, year or band of ages at {base}"),
        Spec::Codes(Codes { file, most, .. }) => {
            format!("codes in common, at most {most} different, by {}", file.path())
        }
        Spec::Range(Range { worthless: Some(width), .. }) => format!("ranges, without worth from {width} on"),
        Spec::Range(_) => "ranges".into(),
        Spec::Suppress => "the value or nothing".into(),
    }
}
