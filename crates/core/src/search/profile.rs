//! The recipient's and linking profiles of Datafly II [Sweeney 2001, 6.2], the seed for its random
//! choices, and the preference of Samarati's search. Other strategies do not use them, and a policy
//! that sets them is rejected.
//!
//! Tolerance t limits a column to level floor(t · height): the highest level that the recipient can
//! use. It is combined with the policy's `max_level` as a limit of the lattice, so no strategy can
//! exceed it.

use super::Problem;
use crate::error::{Error, Result};
use crate::fault;
use crate::policy::{Policy, Preference};

/// The profiles of a problem.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Profile {
    /// One per quasi-identifier; what is not there has 1 for both.
    pub columns: Vec<ColumnProfile>,
    /// Whether everything is generalized as far as the limits let it: anonymity level 1.
    pub most_general: bool,
    /// Decides where columns tie.
    pub seed: u64,
    /// What Samarati's algorithm prefers among the lowest nodes.
    pub prefer: Preference,
}

/// The profile of one column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ColumnProfile {
    /// How much distortion the recipient tolerates, from 0 to 1.
    pub tolerance: f64,
    /// How likely somebody links on it, from 0 to 1.
    pub linking: f64,
}

impl Default for ColumnProfile {
    fn default() -> Self {
        ColumnProfile { tolerance: 1.0, linking: 1.0 }
    }
}

impl ColumnProfile {
    /// The highest level within the tolerance. A product that is a rounding error short of a level
    /// is that level.
    pub fn ceiling(&self, height: usize) -> usize {
        ((self.tolerance * height as f64 + 1e-9).floor() as usize).min(height)
    }

    /// The least tolerance, to four digits, that lets a column rise to a level.
    pub fn tolerance_for(level: usize, height: usize) -> f64 {
        (level as f64 / height.max(1) as f64 * 1e4).ceil() / 1e4
    }
}

impl Profile {
    /// As a policy gives it.
    pub(super) fn new(policy: &Policy, names: &[String]) -> Self {
        let column = |name: &String| {
            let given = policy.columns.get(name);
            ColumnProfile {
                tolerance: given.and_then(|c| c.tolerance).unwrap_or(1.0),
                linking: given.and_then(|c| c.linking).unwrap_or(1.0),
            }
        };
        Profile {
            columns: names.iter().map(column).collect(),
            most_general: policy.privacy.most_general(),
            seed: policy.search.seed,
            prefer: policy.search.prefer,
        }
    }

    /// The profile of a column.
    pub fn column(&self, column: usize) -> ColumnProfile {
        self.columns.get(column).copied().unwrap_or_default()
    }

    /// The highest level of a column: what the policy says, as far as the tolerance goes.
    ///
    /// # Errors
    /// A tolerance that ends below the least level allowed.
    pub(super) fn highest(&self, policy: &Policy, problem: (usize, &str, usize)) -> Result<Option<usize>> {
        let (column, name, height) = problem;
        let given = policy.columns.get(name);
        let (min, max) = (given.and_then(|c| c.min_level), given.and_then(|c| c.max_level));
        let ceiling = self.column(column).ceiling(height);
        // A level that the hierarchy does not have is a different error, reported as such.
        if ceiling == height || max.or(min).is_some_and(|level| level > height) {
            return Ok(max);
        }
        if let Some(min) = min.filter(|&min| min > ceiling) {
            let tolerance = self.column(column).tolerance;
            return Err(Error::from(
                fault!(
                    Input,
                    "search.tolerance-below-min-level",
                    "tolerance {tolerance} ends at level {level} of {height}, below min_level {min_level}",
                    tolerance = tolerance,
                    level = ceiling,
                    height = height,
                    min_level = min
                )
                .key(format!("columns.{name}.tolerance"))
                .help(format!("raise it to {} or more", ColumnProfile::tolerance_for(min, height))),
            ));
        }
        Ok(Some(max.map_or(ceiling, |max| max.min(ceiling))))
    }
}

impl Problem {
    /// The tolerance that a column needs for a level, where its own does not reach so far.
    pub(super) fn more_tolerance(&self, column: usize, level: usize) -> Option<f64> {
        let height = self.hierarchies[column].height();
        let short = self.profile.column(column).ceiling(height) < level;
        short.then(|| ColumnProfile::tolerance_for(level, height))
    }
}
