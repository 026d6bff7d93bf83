//! The recipient's and linking profiles of Datafly II [Sweeney 2001, 6.2], the seed for its random
//! choices, and the preference of Samarati's search. Other strategies do not use them, and a policy
//! that sets them is rejected.
//!
//! Both profiles are preferences and limit nothing: `max_level` alone does.

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
    /// The word for what Samarati's algorithm prefers among the lowest nodes.
    pub prefer: Preference,
}

/// The profile of one column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ColumnProfile {
    /// How much distortion the recipient tolerates, from 0 to 1.
    pub tolerance: f64,
    /// How likely somebody links on it, from 0 to 1: the most of all groups that it is in.
    pub linking: f64,
}

impl Default for ColumnProfile {
    fn default() -> Self {
        ColumnProfile { tolerance: 1.0, linking: 1.0 }
    }
}

impl ColumnProfile {
    /// How strongly both profiles call for generalizing the column. Sweeney does not say how they
    /// combine: here, as probabilities of independent events do.
    pub fn call(&self) -> f64 {
        self.tolerance * self.linking
    }
}

impl Profile {
    /// As a policy gives it.
    pub(super) fn new(policy: &Policy, names: &[String]) -> Self {
        let column = |name: &String| {
            let given = policy.columns.get(name);
            ColumnProfile {
                tolerance: given.and_then(|c| c.tolerance).unwrap_or(1.0),
                linking: linking(policy, name),
            }
        };
        Profile {
            columns: names.iter().map(column).collect(),
            most_general: policy.privacy.most_general(),
            seed: policy.search.seed,
            prefer: policy.search.prefer.clone(),
        }
    }

    /// The profile of a column.
    pub fn column(&self, column: usize) -> ColumnProfile {
        self.columns.get(column).copied().unwrap_or_default()
    }
}

/// How likely somebody links on a column: by itself, unless only groups say how likely.
fn linking(policy: &Policy, name: &str) -> f64 {
    let own = policy.columns.get(name).and_then(|column| column.linking).unwrap_or(1.0);
    let groups = policy.privacy.quasi.values().filter(|group| group.columns.iter().any(|c| c == name));
    let of_groups = groups.map(|group| group.linking.get(name).copied().unwrap_or(own));
    let over_all = policy.privacy.k().is_some().then_some(own);
    of_groups.chain(over_all).reduce(f64::max).unwrap_or(own)
}
