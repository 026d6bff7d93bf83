//! How the rows of a table are made of its files: which rows are eligible [Sweeney 2001], pairs of
//! columns and joined files that become one list of codes, and steps that clean the table [Katirai
//! 2006]. These are the keys; [`crate::preparation`] carries them out. Checks are linear in them.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Encoding, Input, Missing, Policy};
use crate::error::{Error, Fault};
use crate::fault;
use crate::predicate::Predicate;

/// Numbered pairs of columns that become one column with a list of codes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pairs {
    /// The new column.
    pub column: String,
    /// The columns of codes: `dxFieldName{n}` stands for `dxFieldName1`, `dxFieldName2` and so on,
    /// `{nn}` for `01`, `02`.
    pub names: String,
    /// The columns that say how often a code occurs; default: once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<String>,
}

/// A file with several rows per row of the table, that become one column with a list of codes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Join {
    /// The file, or a pattern of several.
    pub path: String,
    /// The column of the table that says whose row it is.
    pub key: String,
    /// The same column of the file; default: it has the same name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_key: Option<String>,
    /// The column of the file with the codes.
    pub codes: String,
    /// The column of the file that says how often a code occurs; default: once per row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<String>,
    /// The new column.
    pub column: String,
    /// What becomes of rows of the file whose key no row of the table has.
    #[serde(default, skip_serializing_if = "super::is_default")]
    pub unmatched: Unmatched,
}

impl Join {
    /// The key's column in the file.
    pub fn file_key(&self) -> &str {
        self.file_key.as_deref().unwrap_or(&self.key)
    }
}

/// What becomes of rows that belong to nobody.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unmatched {
    /// The table is refused.
    #[default]
    Refuse,
    /// They are left out, and counted.
    Drop,
}

/// One step; exactly one key is given.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Leaves out the rows that satisfy a condition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drop_rows: Option<String>,
    /// Makes cells missing in the rows that satisfy a condition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clear: Option<Clear>,
    /// Gives all numbers from a limit on one label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cap: Option<Cap>,
    /// Keeps the most frequent codes of a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<CutList>,
    /// Removes a column that another one determines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redundant: Option<Redundant>,
    /// Keeps the rows whose key another file has, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub present_in: Option<PresentIn>,
}

/// Cells that become missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clear {
    /// The columns of the cells.
    pub columns: Vec<String>,
    /// The condition on their rows.
    #[serde(rename = "where")]
    pub condition: String,
}

/// Numbers that become one label.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cap {
    /// The column.
    pub column: String,
    /// The least number that becomes the label.
    pub from: f64,
    /// The label.
    pub label: String,
}

/// A list that is cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CutList {
    /// The column with the lists.
    pub column: String,
    /// The most pairs of a code and its count.
    pub most: usize,
}

/// A column that adds nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Redundant {
    /// The column that is removed.
    pub column: String,
    /// The column that determines it; default: none, it is the same in every row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
}

/// People who are in another file, too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PresentIn {
    /// The file, or a pattern of several.
    pub path: String,
    /// The column of the table that says whose row it is.
    pub key: String,
    /// The same column of the file; default: it has the same name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_key: Option<String>,
}

impl PresentIn {
    /// The key's column in the file.
    pub fn file_key(&self) -> &str {
        self.file_key.as_deref().unwrap_or(&self.key)
    }
}

impl Step {
    /// The keys that are given.
    fn given(&self) -> Vec<&'static str> {
        let keys = [
            ("drop_rows", self.drop_rows.is_some()),
            ("clear", self.clear.is_some()),
            ("cap", self.cap.is_some()),
            ("cut", self.cut.is_some()),
            ("redundant", self.redundant.is_some()),
            ("present_in", self.present_in.is_some()),
        ];
        keys.into_iter().filter(|(_, given)| *given).map(|(key, _)| key).collect()
    }

    /// What it does, as results call it.
    pub fn describe(&self) -> String {
        let Step { drop_rows, clear, cap, cut, redundant, present_in } = self;
        let drop_rows = drop_rows.as_ref().map(|condition| format!("drop_rows: {condition}"));
        let clear =
            clear.as_ref().map(|clear| format!("clear {}: {}", clear.columns.join(", "), clear.condition));
        let cap = cap.as_ref().map(|cap| format!("cap {}: from {} on {}", cap.column, cap.from, cap.label));
        let cut = cut.as_ref().map(|cut| format!("cut {}: most {}", cut.column, cut.most));
        let redundant = redundant.as_ref().map(|redundant| match &redundant.of {
            Some(of) => format!("redundant {}: of {of}", redundant.column),
            None => format!("redundant {}: constant", redundant.column),
        });
        let present = present_in.as_ref().map(|file| format!("present_in {}: {}", file.path, file.key));
        drop_rows.or(clear).or(cap).or(cut).or(redundant).or(present).unwrap_or_default()
    }
}

impl Input {
    /// A table with a policy's defaults.
    pub fn of(path: impl Into<String>) -> Input {
        Input {
            path: path.into(),
            format: None,
            sheet: None,
            skip: 0,
            labels: true,
            delimiter: super::comma(),
            quote: super::quote(),
            encoding: Encoding::default(),
            header: None,
            null: super::nulls(),
            missing: Missing::default(),
            cells: BTreeMap::new(),
            eligible: None,
            pairs: Vec::new(),
            join: Vec::new(),
            prepare: Vec::new(),
        }
    }

    /// Whether rows are anything but those of the files.
    pub fn prepares(&self) -> bool {
        let lists = [self.pairs.is_empty(), self.join.is_empty(), self.prepare.is_empty()];
        self.eligible.is_some() || !self.cells.is_empty() || lists.contains(&false)
    }

    /// What is done to cells and rows in turn, as results call it: the cells that are read first.
    pub fn prepared_steps(&self) -> Vec<String> {
        let cells = self.cells.iter().map(|(name, reading)| format!("read {name}: {}", reading.describe()));
        cells.chain(self.prepare.iter().map(Step::describe)).collect()
    }

    /// The files that are read beside the table, as the policy writes their paths, with their keys.
    pub fn joined_files(&self) -> Vec<(String, &str)> {
        let joined = self.join.iter().enumerate();
        let joined = joined.map(|(at, join)| (format!("input.join.{at}.path"), join.path.as_str()));
        let present = self.prepare.iter().enumerate().filter_map(|(at, step)| {
            let file = step.present_in.as_ref()?;
            Some((format!("input.prepare.{at}.present_in.path"), file.path.as_str()))
        });
        joined.chain(present).collect()
    }

    /// The same table without preparation.
    #[must_use]
    pub fn as_filed(&self) -> Input {
        let cells = BTreeMap::new();
        Input {
            cells,
            eligible: None,
            pairs: Vec::new(),
            join: Vec::new(),
            prepare: Vec::new(),
            ..self.clone()
        }
    }
}

/// The numbered columns that a pattern such as `dx{n}` stands for: its parts around the number, and
/// how many digits that has at least.
pub(crate) fn numbered(pattern: &str) -> Option<(&str, &str, usize)> {
    let (before, rest) = pattern.split_once('{')?;
    let (number, after) = rest.split_once('}')?;
    let plain = !number.is_empty() && number.chars().all(|c| c == 'n') && !after.contains(['{', '}']);
    plain.then_some((before, after, number.len()))
}

/// Errors that do not depend on the table.
pub(super) fn check(policy: &Policy, faults: &mut Vec<Fault>) {
    let input = &policy.input;
    if let Some(condition) = &input.eligible {
        readable(condition, "input.where".into(), faults);
    }
    for (name, reading) in &input.cells {
        if let Err(fault) = reading.reader() {
            faults.push(fault.key(format!("input.cells.{name}")));
        }
    }
    for (at, pairs) in input.pairs.iter().enumerate() {
        for (key, pattern) in [("names", Some(&pairs.names)), ("counts", pairs.counts.as_ref())] {
            if let Some(pattern) = pattern.filter(|pattern| numbered(pattern).is_none()) {
                faults.push(
                    fault!(
                        Input,
                        "prepare.no-number-in-pattern",
                        "`{pattern}` does not say where the number of a column is",
                        pattern = pattern
                    )
                    .key(format!("input.pairs.{at}.{key}"))
                    .help("write {n} for 1, 2, 3 and so on: \"dxFieldName{n}\"; or {nn} for 01, 02, 03"),
                );
            }
        }
    }
    for (key, path) in input.joined_files() {
        if path.is_empty() {
            faults.push(
                fault!(Input, "policy.no-input-path", "no path is given")
                    .key(key)
                    .help("name the file that holds the table"),
            );
        }
    }
    for (at, step) in input.prepare.iter().enumerate() {
        check_step(step, &format!("input.prepare.{at}"), faults);
    }
    new_columns(input, faults);
    sampled(policy, faults);
}

fn readable(condition: &str, key: String, faults: &mut Vec<Fault>) {
    if let Err(error) = Predicate::parse(condition) {
        faults.extend(Error::map(error, |fault| fault.key(&key)).faults().iter().cloned());
    }
}

fn check_step(step: &Step, key: &str, faults: &mut Vec<Fault>) {
    let given = step.given();
    if given.len() != 1 {
        faults.push(
            fault!(
                Input,
                "prepare.not-one-action",
                "a step does one thing, and this one has {given}",
                given = given.len()
            )
            .key(key)
            .help("write one of drop_rows, clear, cap, cut, redundant and present_in per step"),
        );
    }
    if let Some(condition) = &step.drop_rows {
        readable(condition, format!("{key}.drop_rows"), faults);
    }
    if let Some(clear) = &step.clear {
        readable(&clear.condition, format!("{key}.clear.where"), faults);
        if clear.columns.is_empty() {
            faults.push(
                fault!(Input, "prepare.no-columns", "names no column").key(format!("{key}.clear.columns")),
            );
        }
    }
    if step.cap.as_ref().is_some_and(|cap| !cap.from.is_finite()) {
        faults.push(fault!(Input, "prepare.not-a-limit", "is not a number").key(format!("{key}.cap.from")));
    }
    if let Some(redundant) = step.redundant.as_ref().filter(|step| step.of.as_ref() == Some(&step.column)) {
        faults.push(
            fault!(
                Input,
                "prepare.redundant-of-itself",
                "`{column}` determines itself",
                column = redundant.column
            )
            .key(format!("{key}.redundant.of")),
        );
    }
    if step.cut.as_ref().is_some_and(|cut| cut.most == 0) {
        faults.push(
            fault!(Input, "prepare.cut-to-nothing", "must be 1 or more")
                .key(format!("{key}.cut.most"))
                .help("to remove the column, give it role = \"drop\""),
        );
    }
}

/// A column is made once.
fn new_columns(input: &Input, faults: &mut Vec<Fault>) {
    let joined = input.join.iter().enumerate().map(|(at, join)| (format!("input.join.{at}"), &join.column));
    let pairs =
        input.pairs.iter().enumerate().map(|(at, pairs)| (format!("input.pairs.{at}"), &pairs.column));
    let mut known = BTreeSet::new();
    for (key, column) in joined.chain(pairs) {
        if column.is_empty() || !known.insert(column) {
            faults.push(
                fault!(
                    Input,
                    "prepare.new-column-twice",
                    "`{column}` cannot be the name of a new column",
                    column = column
                )
                .key(format!("{key}.column"))
                .help("give every new column a name of its own"),
            );
        }
    }
}

/// With differential privacy nothing may depend on other rows or files.
fn sampled(policy: &Policy, faults: &mut Vec<Fault>) {
    if policy.differential_privacy().is_none() {
        return;
    }
    let input = &policy.input;
    let joins = (0..input.join.len()).map(|at| format!("input.join.{at}"));
    let looks = |step: &Step| step.redundant.is_some() || step.present_in.is_some();
    let steps = input.prepare.iter().enumerate().filter(|(_, step)| looks(step));
    for key in joins.chain(steps.map(|(at, _)| format!("input.prepare.{at}"))) {
        faults.push(
            fault!(
                Input,
                "prepare.not-by-row",
                "differential privacy allows only preparation that looks at one row of one file"
            )
            .key(key)
            .help("prepare the table first, and release the result"),
        );
    }
}
