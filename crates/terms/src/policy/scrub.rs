//! Policy syntax of free text that is scrubbed: `transform = { scrub = {} }` for a column with role
//! "text" [Sweeney 2001, section 6.1].
//!
//! A text column without it is removed. The crate `throng-text` finds and replaces; the engine
//! gives it the identifiers and quasi-identifiers of the row that a text belongs to. The policy
//! names the location of a key and never contains it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::substitute::place;
use super::{Column, KeyPlace, Policy, Role, is_default};
use crate::error::Fault;
use crate::fault;

/// How the texts of a column are scrubbed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scrub {
    /// What takes the place of what is found.
    #[serde(default, skip_serializing_if = "is_default")]
    pub mode: ScrubMode,
    /// How certain a finding must be to be replaced, from 0 to 1. Less certain ones are suppressed.
    #[serde(default = "threshold", skip_serializing_if = "is_threshold")]
    pub threshold: f64,
    /// What becomes of dates.
    #[serde(default, skip_serializing_if = "is_default")]
    pub dates: ScrubDates,
    /// The most days that dates move, forward or back; only for `dates = "shift"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub days: Option<u32>,
    /// What becomes of ages of others; the age of the row's person becomes the label of the row.
    #[serde(default, skip_serializing_if = "is_default")]
    pub ages: ScrubAges,
    /// Whether 03/04/2024 is 3 April.
    #[serde(default, skip_serializing_if = "is_default")]
    pub day_first: bool,
    /// Files of words that are replaced wherever they occur, one per line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lists: Vec<String>,
    /// Files of words that are kept, one per line, unless they are values of the row.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub safe: Vec<String>,
    /// A file with the key that makes surrogates the same in all texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_file: Option<String>,
    /// A variable of the environment with the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_env: Option<String>,
    /// Regular expressions by name. What they match is replaced.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub patterns: BTreeMap<String, String>,
}

/// What takes the place of what is found in a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScrubMode {
    /// A made-up value of the same kind.
    #[default]
    Surrogate,
    /// Its kind with a number: `[PERSON 1]`.
    Tag,
    /// Three asterisks.
    Mask,
}

/// What becomes of dates in a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScrubDates {
    /// Month and year stay.
    #[default]
    Month,
    /// The year stays.
    Year,
    /// They move by a number of days that depends on the person and a key.
    Shift,
}

/// What becomes of ages in a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScrubAges {
    /// Ages of 90 and over become one group.
    #[default]
    #[serde(rename = "over-89")]
    Over89,
    /// All ages become groups of ten years.
    Decades,
    /// All ages are suppressed.
    All,
}

fn threshold() -> f64 {
    Scrub::THRESHOLD
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_threshold(value: &f64) -> bool {
    *value == Scrub::THRESHOLD
}

impl Default for Scrub {
    fn default() -> Self {
        Scrub {
            mode: ScrubMode::default(),
            threshold: Scrub::THRESHOLD,
            dates: ScrubDates::default(),
            days: None,
            ages: ScrubAges::default(),
            day_first: false,
            lists: Vec::new(),
            safe: Vec::new(),
            key_file: None,
            key_env: None,
            patterns: BTreeMap::new(),
        }
    }
}

impl Scrub {
    /// How certain a finding must be, where the policy does not say it.
    pub const THRESHOLD: f64 = 0.7;
    /// The most days that dates move, where the policy does not say it.
    pub const DAYS: u32 = 30;

    /// Where its key is, where it has one.
    pub fn key(&self) -> Option<KeyPlace<'_>> {
        let given = self.key_file.is_some() || self.key_env.is_some();
        given.then_some((self.key_file.as_deref(), self.key_env.as_deref()))
    }

    /// The files of words that it names.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.lists.iter().chain(&self.safe).map(String::as_str)
    }
}

impl Column {
    /// How its texts are scrubbed, where they are.
    pub fn scrub(&self) -> Option<&Scrub> {
        match &self.transform {
            Some(super::Transform::Scrub(scrub)) if self.role == Role::Text => Some(scrub),
            _ => None,
        }
    }
}

impl Policy {
    /// The columns whose texts are scrubbed, in name order.
    pub fn scrubbed(&self) -> impl Iterator<Item = (&str, &Scrub)> {
        self.columns.iter().filter_map(|(name, column)| Some((name.as_str(), column.scrub()?)))
    }
}

/// Errors of one column's scrubbing.
pub(super) fn unfit(policy: &Policy, (name, column): (&String, &Column), scrub: &Scrub) -> Vec<Fault> {
    let mut faults = Vec::new();
    if column.role != Role::Text {
        faults.push(
            fault!(
                Input,
                "policy.scrub-of-other-role",
                "only free text can be scrubbed; the column has role \"{role}\"",
                role = column.role.name()
            )
            .help("give the column role = \"text\", or remove `transform`"),
        );
    }
    if !(0.0..=1.0).contains(&scrub.threshold) {
        faults.push(
            fault!(
                Input,
                "policy.scrub-threshold-out-of-range",
                "threshold is {threshold}, not a certainty",
                threshold = scrub.threshold
            )
            .help("give a number from 0 to 1, such as 0.7"),
        );
    }
    if scrub.files().any(str::is_empty) {
        faults.push(
            fault!(Input, "policy.scrub-empty-list-path", "the path of a list is empty")
                .help("name a file with one word or phrase per line"),
        );
    }
    match scrub.dates {
        ScrubDates::Shift => faults.extend(unfit_shift(policy, scrub)),
        _ if scrub.days.is_some() => faults.push(
            fault!(Input, "policy.scrub-days-without-shift", "days is given, and dates are not shifted")
                .help("write dates = \"shift\", or remove `days`"),
        ),
        _ => {}
    }
    let placed = scrub.key().and_then(|(file, env)| place(file, env));
    faults.extend(placed);
    faults.into_iter().map(|fault| fault.key(format!("columns.{name}.transform"))).collect()
}

/// Errors of dates in texts that move.
fn unfit_shift(policy: &Policy, scrub: &Scrub) -> Vec<Fault> {
    let mut faults = Vec::new();
    if scrub.mode != ScrubMode::Surrogate {
        faults.push(
            fault!(Input, "policy.scrub-shift-in-other-mode", "dates only move in mode \"surrogate\"")
                .help("write mode = \"surrogate\", or dates = \"month\""),
        );
    }
    if policy.subject().is_none() {
        faults.push(
            fault!(
                Input,
                "people.shift-without-subject",
                "dates are shifted per person, and no column says which person a row belongs to"
            )
            .help("give the column that names people role = \"subject\""),
        );
    }
    if scrub.key().is_none() {
        faults.extend(place(None, None));
    }
    if scrub.days.is_some_and(|days| !(1..=super::substitute::MOST_DAYS).contains(&days)) {
        faults.push(
            fault!(
                Input,
                "policy.shift-out-of-range",
                "dates cannot move by up to {days} days",
                days = scrub.days.unwrap_or_default()
            )
            .help("give a number of days from 1 to 3650, for instance 30"),
        );
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(transform: &str, more: &str) -> Result<Policy, String> {
        let text = format!(
            "version = 1\ninput.path = \"t.csv\"\n[columns.age]\nrole = \"quasi\"\n[columns.note]\n{transform}\n{more}\n\
             [privacy]\nk = 2\n"
        );
        Policy::parse(&text).map_err(|error| {
            let codes: Vec<&str> = error.faults().iter().map(|fault| fault.code).collect();
            codes.join(" ")
        })
    }

    #[test]
    fn text_is_released_only_where_it_is_scrubbed() {
        let policy = parse("role = \"text\"", "").unwrap();
        assert!(!policy.columns["note"].released());
        let policy = parse("role = \"text\"\ntransform = { scrub = {} }", "").unwrap();
        let note = &policy.columns["note"];
        assert!(note.released() && !note.is_replaced() && note.shift().is_none());
        assert_eq!(note.scrub(), Some(&Scrub::default()));
        assert_eq!(policy.scrubbed().count(), 1);
    }

    #[test]
    fn mistakes_are_named() {
        let subject = "[columns.who]\nrole = \"subject\"";
        for (transform, more, codes) in [
            ("role = \"keep\"\ntransform = { scrub = {} }", "", "policy.scrub-of-other-role"),
            (
                "role = \"text\"\ntransform = { scrub = { threshold = 2 } }",
                "",
                "policy.scrub-threshold-out-of-range",
            ),
            (
                "role = \"text\"\ntransform = { scrub = { lists = [\"\"] } }",
                "",
                "policy.scrub-empty-list-path",
            ),
            ("role = \"text\"\ntransform = { scrub = { days = 3 } }", "", "policy.scrub-days-without-shift"),
            (
                "role = \"text\"\ntransform = { scrub = { dates = \"shift\" } }",
                "",
                "people.shift-without-subject policy.no-secret",
            ),
            (
                "role = \"text\"\ntransform = { scrub = { dates = \"shift\", key_env = \"K\", days = 9000, mode = \"tag\" } }",
                subject,
                "policy.scrub-shift-in-other-mode policy.shift-out-of-range",
            ),
            (
                "role = \"text\"\ntransform = { scrub = { key_env = \"K\", key_file = \"k\" } }",
                "",
                "policy.two-secrets",
            ),
        ] {
            assert_eq!(parse(transform, more).unwrap_err(), codes, "{transform}");
        }
        let fine = "role = \"text\"\ntransform = { scrub = { dates = \"shift\", key_env = \"K\" } }";
        assert!(parse(fine, subject).is_ok());
    }

    #[test]
    fn lists_are_files_of_the_policy() {
        let text =
            "role = \"text\"\ntransform = { scrub = { lists = [\"staff.txt\"], safe = [\"drugs.txt\"] } }";
        let policy = parse(text, "").unwrap();
        assert_eq!(policy.files().into_iter().collect::<Vec<_>>(), ["drugs.txt", "staff.txt"]);
    }
}
