//! Which rules of a template a policy satisfies, as certificates and reports state it.

use serde::{Deserialize, Serialize};

/// A template and what became of its rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemplateFacts {
    /// Its name, or the path of its file.
    pub name: String,
    /// Its title.
    pub title: String,
    /// The regulation, guideline or paper that it follows.
    pub source: String,
    /// Its rules, in its order.
    pub rules: Vec<RuleFacts>,
}

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleFacts {
    /// Its name within the template.
    pub rule: String,
    /// The part of the source that it is from; empty where the whole is meant.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cites: String,
    /// What it requires, in one sentence.
    pub requires: String,
    /// What in the policy satisfies it, or what is missing.
    pub satisfied_by: String,
    /// Whether the policy satisfies it; none where only the holder can confirm it.
    pub holds: Option<bool>,
    /// Whether a policy that does not satisfy it is refused.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
}

impl TemplateFacts {
    /// The rules that the policy does not satisfy.
    pub fn broken(&self) -> impl Iterator<Item = &RuleFacts> {
        self.rules.iter().filter(|rule| rule.holds == Some(false))
    }

    /// How many rules are satisfied, and how many the holder has to confirm.
    pub fn counts(&self) -> (usize, usize) {
        let with = |holds: Option<bool>| self.rules.iter().filter(|rule| rule.holds == holds).count();
        (with(Some(true)), with(None))
    }
}

impl RuleFacts {
    /// The rule by name and source: `ages (164.514(b)(2)(i)(C))`.
    pub fn title(&self) -> String {
        match self.cites.as_str() {
            "" => self.rule.clone(),
            cites => format!("{} ({cites})", self.rule),
        }
    }
}
