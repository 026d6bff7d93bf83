//! Privacy models beside k: what the registry knows of each.
//!
//! The list itself is in `policy/models/mod.rs`, one line per model; the entry is next to the
//! parameters of the model.

use super::entry::Parameter;

/// What the registry knows of a privacy model.
#[derive(Debug, Clone, Copy)]
pub struct ModelEntry {
    /// Its key in `privacy.models`.
    pub key: &'static str,
    /// What it asks for, in one line for a data manager.
    pub help: &'static str,
    /// Author and year.
    pub reference: &'static str,
    /// Parameters as a policy may give them, in TOML.
    pub example: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// Whether it judges the values of a sensitive column.
    pub needs_column: bool,
    /// Whether it is defined for regions of rows.
    pub works_with_regions: bool,
    /// Whether it compares with the population that the table was drawn from.
    pub needs_population: bool,
    /// Whether it is defined beside a k only.
    pub needs_k: bool,
    /// Whether it counts people or payments at one level per column, so that rows cannot be
    /// searched again.
    pub one_level: bool,
    /// Whether a generalization of a safe node is safe.
    pub monotone: Monotone,
}

/// Whether a generalization of a safe node is safe, and flags no more rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Monotone {
    /// Always.
    Always,
    /// Where no row may be suppressed.
    WithoutSuppression,
    /// Depends on the parameters.
    ByParameters,
    /// Not in general.
    Never,
}

impl Monotone {
    /// In words.
    pub const fn describe(self) -> &'static str {
        match self {
            Monotone::Always => "yes",
            Monotone::WithoutSuppression => "without suppression",
            Monotone::ByParameters => "depends on its parameters",
            Monotone::Never => "no",
        }
    }
}

impl ModelEntry {
    /// A model of the values that a sensitive column has in every class.
    pub(crate) const fn of_column(
        reference: &'static str,
        example: &'static str,
        parameters: &'static [Parameter],
    ) -> Self {
        ModelEntry {
            key: "",
            help: "",
            reference,
            example,
            parameters,
            needs_column: true,
            works_with_regions: true,
            needs_population: false,
            needs_k: false,
            one_level: false,
            monotone: Monotone::WithoutSuppression,
        }
    }

    /// A model of the classes themselves.
    pub(crate) const fn of_classes(
        reference: &'static str,
        example: &'static str,
        parameters: &'static [Parameter],
    ) -> Self {
        ModelEntry { needs_column: false, ..ModelEntry::of_column(reference, example, parameters) }
    }
}
