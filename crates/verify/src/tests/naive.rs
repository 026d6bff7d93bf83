//! The naive holder. Every number is computed row by row or pair by pair from its definition.

mod facts;
mod models;
mod people;
mod staying;

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;

use super::definitions::Need;
use super::foreseen::Seen;
use super::{Case, Made, Row, digest_of};
use throng_terms::policy::{Delete, Missing, ModelSpec, Policy, RareValues, Role, Suppressed};
use throng_terms::release::{Certificate, Claim, DeletedFacts};

/// The original with its generalized quasi-identifiers.
struct Table<'a> {
    case: &'a Case,
    policy: Policy,
    quasi: Vec<String>,
    /// Row → quasi-identifier → value, as it is and generalized.
    raw: Vec<Row>,
    general: Vec<Row>,
    /// The levels of the steps, and the step of every row: the first for rows that are not
    /// released.
    steps: Vec<BTreeMap<String, usize>>,
    step_of: Vec<usize>,
    /// Everybody in the population, generalized like the first step.
    people: Vec<Row>,
    /// Quasi-identifier → whether somebody in the table, or in the population that it is compared
    /// with, lacks it.
    missed: Vec<bool>,
    /// Predictions of a network, cached, and the number of people who likely look like a row.
    seen: OnceCell<Seen>,
    likely: RefCell<BTreeMap<(String, Row), u64>>,
}

/// What a model computes.
struct Figure {
    /// The sensitive column, or which of the quasi-identifiers.
    at: usize,
    kind: Kind,
    need: Need,
}

enum Kind {
    /// By the values of a class alone.
    Values(ModelSpec),
    /// The largest probability after this many implications, among the classes of some rows.
    Implications(usize),
    /// The largest share under a guarding node, which is in this column.
    Breach(usize),
    /// By the labels of a quasi-identifier, among rows that are equal in all others.
    Labels(ModelSpec),
}

impl Case {
    /// The release at the case's levels, of what is left without rare values.
    pub(super) fn release(&self) -> Made {
        let policy = self.policy();
        if policy.deletions().next().is_none() {
            return self.release_left();
        }
        let (left, deleted) = self.without_rare(&policy);
        let mut made = left.release_left();
        let release = &mut made.certificate.release;
        release.rows += deleted.rows;
        release.suppressed += deleted.rows;
        release.withheld += deleted.rows;
        release.input.rows += deleted.rows;
        release.deleted = Some(deleted);
        let shown = release.in_classes() > 0;
        for (at, rare) in policy.deletions() {
            let counts = self.counts(&policy, rare).into_iter().flatten().flatten();
            let least = counts.filter(|&rows| rows >= rare.k).min().unwrap_or(rare.k);
            let achieved = shown.then_some(least as f64);
            let claim = Claim { required: rare.k as f64, achieved, holds: true };
            release.privacy.insert(policy.privacy.models[at].claim(), claim);
        }
        made.seal();
        made
    }

    /// Whether the table has no rows, or not all of them are deleted.
    pub(super) fn leaves_rows(&self) -> bool {
        self.rows.is_empty() || !self.without_rare(&self.policy()).0.rows.is_empty()
    }

    /// Row → column → rows of the table with its value; none where it is missing or not judged.
    fn counts(&self, policy: &Policy, rare: &RareValues) -> Vec<Vec<Option<u64>>> {
        let judged = |name: &String| match &rare.columns {
            Some(columns) => columns.contains(name),
            None => policy.columns[name].role.released(),
        };
        let count = |row: &Row, at: usize| {
            let value = row[at].as_ref().filter(|_| judged(&self.columns[at]))?;
            Some(self.rows.iter().filter(|other| other[at].as_ref() == Some(value)).count() as u64)
        };
        self.rows.iter().map(|row| (0..row.len()).map(|at| count(row, at)).collect()).collect()
    }

    /// The case without what the policy deletes, and that.
    fn without_rare(&self, policy: &Policy) -> (Case, DeletedFacts) {
        let mut rows: Vec<Option<Row>> = self.rows.iter().cloned().map(Some).collect();
        for (_, rare) in policy.deletions() {
            for (row, counts) in rows.iter_mut().zip(self.counts(policy, rare)) {
                for (at, _) in counts.iter().enumerate().filter(|(_, n)| n.is_some_and(|n| n < rare.k)) {
                    match (rare.deletes(), &mut *row) {
                        (Some(Delete::Cells), Some(cells)) => cells[at] = None,
                        _ => *row = None,
                    }
                }
            }
        }
        let mut deleted = DeletedFacts::default();
        for (row, left) in self.rows.iter().zip(&rows) {
            let Some(left) = left else {
                deleted.rows += 1;
                continue;
            };
            for (at, name) in self.columns.iter().enumerate().filter(|(at, _)| row[*at] != left[*at]) {
                assert!(left[at].is_none());
                *deleted.cells.entry(name.clone()).or_default() += 1;
            }
        }
        (Case { rows: rows.into_iter().flatten().collect(), ..self.clone() }, deleted)
    }

    fn release_left(&self) -> Made {
        let (table, stay) = Table::new(self);
        let policy = &table.policy;
        let out: Vec<usize> =
            (0..self.columns.len()).filter(|&at| policy.columns[&self.columns[at]].released()).collect();
        let starred = policy.output.suppressed == Suppressed::Starred;
        let rows: Vec<Row> = (0..self.rows.len())
            .filter(|&row| stay[row] || starred)
            .map(|row| out.iter().map(|&at| table.cell(row, at, stay[row])).collect())
            .collect();
        let columns: Vec<String> = out.iter().map(|&at| self.columns[at].clone()).collect();
        let classes = table.classes(&stay);
        let made = Made {
            certificate: Certificate::new(table.facts(&stay, rows.len()), columns.clone(), classes).unwrap(),
            columns,
            rows,
            output_sha256: "out".into(),
            input_sha256: "in".into(),
            policy_sha256: Policy::digest(&self.policy),
            files: policy.files().into_iter().map(|path| (path.into(), Some(digest_of(path)))).collect(),
        };
        assert!(made.certificate.sealed());
        made
    }

    /// The label of a value at a level, straight from its path.
    fn label(&self, column: &str, value: Option<&str>, level: usize) -> Option<String> {
        let paths = &self.paths[column];
        let top = |p: &super::Path| p.labels.last().cloned();
        let closed = !paths[0].labels.is_empty() && paths.iter().all(|p| top(p) == top(&paths[0]));
        if level == self.height(column) {
            return if closed { top(&paths[0]) } else { Some("*".into()) };
        }
        let value = value?;
        if level == 0 {
            return Some(value.into());
        }
        paths.iter().find(|p| p.leaf == value).map(|p| p.labels[level - 1].clone())
    }

    fn height(&self, column: &str) -> usize {
        let paths = &self.paths[column];
        let labels = paths[0].labels.len();
        let closed = labels > 0 && paths.iter().all(|p| p.labels.last() == paths[0].labels.last());
        if closed { labels } else { labels + 1 }
    }
}

/// The naive holder's secret: every digit three further, every letter seven.
fn made_up(value: &str) -> String {
    let further = |byte: u8, first: u8, size: u8, step: u8| ((byte - first + step) % size + first) as char;
    let sign = |byte: u8| match byte {
        b'0'..=b'9' => further(byte, b'0', 10, 3),
        b'a'..=b'z' => further(byte, b'a', 26, 7),
        other => other as char,
    };
    value.bytes().map(sign).collect()
}

impl<'a> Table<'a> {
    /// The table after all steps, and which rows stay.
    fn new(case: &'a Case) -> (Self, Vec<bool>) {
        let policy = case.policy();
        let quasi: Vec<String> = policy.with_role(Role::Quasi).into_iter().map(String::from).collect();
        let place = |name: &String| case.columns.iter().position(|c| c == name).unwrap();
        let raw: Vec<Row> =
            case.rows.iter().map(|row| quasi.iter().map(|q| row[place(q)].clone()).collect()).collect();
        let rows = raw.len();
        let steps = vec![case.levels.clone()];
        let person = |row: &Row| {
            let cells = quasi.iter().zip(row);
            cells.map(|(name, cell)| case.label(name, cell.as_deref(), case.levels[name])).collect()
        };
        let everybody = case.population();
        let people = everybody.iter().map(person).collect();
        let known = if policy.population().is_some() { &everybody } else { &raw };
        let missed = (0..quasi.len()).map(|c| known.iter().any(|row| row[c].is_none())).collect();
        let step_of = vec![0; rows];
        let mut table = Table {
            case,
            policy,
            quasi,
            general: raw.clone(),
            raw,
            steps,
            step_of,
            people,
            missed,
            seen: OnceCell::new(),
            likely: RefCell::default(),
        };
        (0..rows).for_each(|row| table.generalize(row, 0));
        let mut stay = table.stay(&vec![true; rows]);
        for starred in &case.starred {
            let mut levels = case.levels.clone();
            levels.extend(starred.iter().map(|column| (column.clone(), case.height(column))));
            let left: Vec<bool> = stay.iter().map(|stays| !stays).collect();
            table.steps.push(levels);
            let step = table.steps.len() - 1;
            (0..rows).filter(|&row| left[row]).for_each(|row| table.generalize(row, step));
            let now = table.stay(&left);
            (0..rows).filter(|&row| left[row] && !now[row]).for_each(|row| table.generalize(row, 0));
            if now.contains(&true) {
                stay.iter_mut().zip(now).for_each(|(stays, now)| *stays |= now);
            } else {
                table.steps.pop();
            }
        }
        (table, stay)
    }

    fn generalize(&mut self, row: usize, step: usize) {
        let levels = &self.steps[step];
        let label = |(q, v): (&String, &Option<String>)| self.case.label(q, v.as_deref(), levels[q]);
        self.general[row] = self.quasi.iter().zip(&self.raw[row]).map(label).collect();
        self.step_of[row] = step;
    }

    fn level(&self, row: usize, c: usize) -> usize {
        self.steps[self.step_of[row]][&self.quasi[c]]
    }

    fn cell(&self, row: usize, at: usize, stays: bool) -> Option<String> {
        let name = &self.case.columns[at];
        if self.policy.columns[name].is_replaced() {
            return self.case.rows[row][at].as_deref().map(made_up);
        }
        match self.quasi.iter().position(|q| q == name) {
            None => self.sensitive(row, at),
            Some(_) if !stays => Some("*".into()),
            Some(quasi) => self.general[row][quasi].clone(),
        }
    }

    /// A cell that is not generalized by a search: as it is, or at its level.
    fn sensitive(&self, row: usize, at: usize) -> Option<String> {
        let (name, cell) = (&self.case.columns[at], self.case.rows[row][at].as_deref());
        match self.policy.columns[name].level {
            Some(level) => self.case.label(name, cell, level),
            None => cell.map(String::from),
        }
    }

    /// Claim → its columns and its k.
    fn groups(&self) -> Vec<(String, Vec<usize>, u64)> {
        let mut groups = Vec::new();
        if let Some(k) = self.policy.privacy.k() {
            groups.push(("k-anonymity".to_owned(), (0..self.quasi.len()).collect(), k));
        }
        for (name, group) in &self.policy.privacy.quasi {
            let place = |c: &String| self.quasi.iter().position(|q| q == c).unwrap();
            groups.push((format!("k-anonymity: {name}"), group.columns.iter().map(place).collect(), group.k));
        }
        groups
    }

    fn matches(&self, a: usize, b: usize, columns: &[usize]) -> bool {
        let wild = self.policy.input.missing == Missing::Wildcard;
        columns.iter().all(|&c| {
            let (a, b) = (&self.general[a][c], &self.general[b][c]);
            a == b || wild && (a.is_none() || b.is_none())
        })
    }

    fn size(&self, row: usize, columns: &[usize], stay: &[bool]) -> u64 {
        (0..stay.len()).filter(|&other| stay[other] && self.matches(row, other, columns)).count() as u64
    }

    /// Rows among some that equal a row in every cell.
    fn alike(&self, row: usize, of: &[bool]) -> usize {
        (0..of.len()).filter(|&other| of[other] && self.general[other] == self.general[row]).count()
    }

    /// Number of distinct generalized tuples among the rows that stay.
    fn classes(&self, stay: &[bool]) -> u64 {
        let new =
            |row: usize| !(0..row).any(|before| stay[before] && self.general[before] == self.general[row]);
        (0..stay.len()).filter(|&row| stay[row] && new(row)).count() as u64
    }
}
