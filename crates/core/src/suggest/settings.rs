//! The settings of a point: a method, k, a limit on suppression, and at most one change of a column;
//! and the policy with them.

use serde::Serialize;

use super::method::Method;
use crate::error::Result;
use crate::policy::{Column, Policy, Role};

/// A change of one quasi-identifier.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ColumnChange {
    /// It is not released: role `drop`.
    Drop(String),
    /// Outsiders cannot know it: role `sensitive`, released as it is and outside the guarantee.
    Sensitive(String),
    /// Its highest level is another one.
    MaxLevel {
        /// The column.
        column: String,
        /// The level; none is the top of its hierarchy.
        level: Option<usize>,
    },
}

impl ColumnChange {
    /// The column.
    pub fn column(&self) -> &str {
        match self {
            ColumnChange::Drop(column)
            | ColumnChange::Sensitive(column)
            | ColumnChange::MaxLevel { column, .. } => column,
        }
    }

    /// Whether the column stops being a quasi-identifier.
    pub fn leaves_out(&self) -> bool {
        !matches!(self, ColumnChange::MaxLevel { .. })
    }

    /// As a heading says it.
    pub fn words(&self) -> String {
        match self {
            ColumnChange::Drop(column) => format!("without {column}"),
            ColumnChange::Sensitive(column) => format!("{column} sensitive"),
            ColumnChange::MaxLevel { column, level: Some(level) } => {
                format!("{column} at most at level {level}")
            }
            ColumnChange::MaxLevel { column, level: None } => format!("{column} without a highest level"),
        }
    }
}

/// The settings of a point.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Settings {
    /// What finds the release.
    pub method: Method,
    /// The loss that it keeps small.
    pub loss: String,
    /// k; none where the policy has none over all quasi-identifiers.
    pub k: Option<u64>,
    /// The share of rows that may be suppressed; none as the policy says.
    pub suppression: Option<f64>,
    /// What is changed in a column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<ColumnChange>,
}

impl Settings {
    /// Those of a policy.
    pub fn of(policy: &Policy) -> Self {
        Settings {
            method: Method::of(policy),
            loss: policy.search.loss.parameters().kind.to_string(),
            k: policy.privacy.k(),
            suppression: policy.privacy.suppression,
            change: None,
        }
    }

    /// The same with another method.
    #[must_use]
    pub fn with_method(&self, method: Method, policy: &Policy) -> Self {
        let own = policy.search.loss.parameters().kind;
        Settings { method, loss: method.loss.unwrap_or(own).to_string(), ..self.clone() }
    }

    /// The same with another k.
    #[must_use]
    pub fn with_k(&self, k: u64) -> Self {
        Settings { k: Some(k), ..self.clone() }
    }

    /// The same with another limit on suppression.
    #[must_use]
    pub fn with_suppression(&self, share: f64) -> Self {
        Settings { suppression: Some(share), ..self.clone() }
    }

    /// The same with a change of a column.
    #[must_use]
    pub fn with_change(&self, change: ColumnChange) -> Self {
        Settings { change: Some(change), ..self.clone() }
    }

    /// A policy with these settings, checked.
    ///
    /// # Errors
    /// What does not go together.
    pub fn policy(&self, policy: &Policy) -> Result<Policy> {
        let mut changed = self.method.policy(policy);
        let privacy = &mut changed.privacy;
        if privacy.k() != self.k {
            (privacy.given_k, privacy.anonymity, privacy.anonymity_table) = (self.k, None, None);
        }
        privacy.suppression = self.suppression;
        match &self.change {
            None => {}
            Some(ColumnChange::Drop(column)) => {
                changed.columns.insert(column.clone(), Column::of(Role::Drop));
            }
            Some(ColumnChange::Sensitive(column)) => {
                changed.columns.insert(column.clone(), Column::of(Role::Sensitive));
            }
            Some(ColumnChange::MaxLevel { column, level }) => {
                if let Some(column) = changed.columns.get_mut(column) {
                    column.max_level = *level;
                }
            }
        }
        changed.check()?;
        Ok(changed)
    }

    /// As text, without k: `k-similar by lm, at most 5 % suppressed, without zip`.
    pub fn words(&self) -> String {
        let limit = self.suppression.map(|share| format!("at most {} % suppressed", round(100.0 * share)));
        let change = self.change.as_ref().map(ColumnChange::words);
        let method = format!("{} by {}", self.method.name(), self.loss);
        [Some(method), limit, change].into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// A number without digits that say nothing.
fn round(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}
