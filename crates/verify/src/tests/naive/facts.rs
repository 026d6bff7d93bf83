//! What the certificate states: counts, risks, steps and losses.

use std::collections::BTreeMap;

use super::super::Row;
use super::super::digest_of;
use super::super::naive_losses::{Cells, Released, firsts};
use super::Table;
use throng_terms::policy::{LossParameters, Policy, Role};
use throng_terms::registry::LossKind;
use throng_terms::release::{Claim, FileFacts, PolicyFacts, Release, Risks, RowRisk, SearchFacts, StepFacts};

impl Table<'_> {
    pub(super) fn facts(&self, stay: &[bool], written: usize) -> Release {
        let withheld = stay.iter().filter(|&&stays| !stays).count() as u64;
        let rows = stay.len() as u64;
        let shows = |row: &Row| row.is_empty() || row.iter().any(|cell| cell.as_deref() != Some("*"));
        let released = (0..stay.len()).filter(|&row| stay[row] && shows(&self.general[row])).count() as u64;
        let losses = self.losses(stay);
        let local = self.policy.search.local;
        let gap = if local { losses[self.policy.search.loss.parameters().kind.key()] } else { 0.0 };
        let claim = |(name, columns, k): (String, Vec<usize>, u64)| {
            let size = |row| self.size(row, &columns, stay);
            let achieved = (0..stay.len()).filter(|&row| stay[row]).map(size).min().map(|size| size as f64);
            let required = k as f64;
            let holds = achieved.is_none_or(|achieved| achieved >= required);
            (name, Claim { required, achieved, holds })
        };
        let file = |sha256: &str, rows| FileFacts { path: "file".into(), sha256: sha256.into(), rows };
        Release {
            rows,
            released,
            suppressed: rows - released,
            people: None,
            withheld,
            deleted: None,
            levels: self.case.levels.clone(),
            steps: self.step_facts(stay),
            regions: None,
            loss: losses,
            loss_by_column: self.by_column(stay),
            text: BTreeMap::new(),
            sampling: None,
            privacy: self
                .groups()
                .into_iter()
                .map(claim)
                .chain(self.model_claims(stay))
                .chain(self.people_claims(stay))
                .collect(),
            notions: None,
            utility: BTreeMap::new(),
            predicted: self.predicted(stay),
            model: None,
            risk: Some(self.risks(stay)),
            search: SearchFacts {
                algorithm: "none".into(),
                method: None,
                reason: None,
                k: None,
                nodes: 1,
                checked: 1,
                optimal: gap == 0.0,
                gap,
                seconds: 0.0,
            },
            input: file("in", rows),
            preparation: None,
            population: self.policy.population().map(|_| file("people", self.people.len() as u64)),
            output: file("out", written as u64),
            policy: PolicyFacts { sha256: Policy::digest(&self.case.policy) },
            template: None,
            ledger: None,
            files: self.policy.files().into_iter().map(|path| (path.into(), digest_of(path))).collect(),
            seed: 0,
            version: "0".into(),
        }
    }

    /// Row by row. Of the risk before, the verifier checks only the rows.
    pub(super) fn risks(&self, stay: &[bool]) -> Risks {
        let columns: Vec<usize> = (0..self.quasi.len()).collect();
        let left: Vec<usize> = (0..stay.len()).filter(|&row| stay[row]).collect();
        let sizes: Vec<u64> = left.iter().map(|&row| self.size(row, &columns, stay)).collect();
        let share = |part: f64| if left.is_empty() { 0.0 } else { part / left.len() as f64 };
        let after = RowRisk {
            rows: left.len() as u64,
            classes: self.classes(stay),
            unique_rows: sizes.iter().filter(|&&size| size == 1).count() as u64,
            smallest: sizes.iter().copied().min().unwrap_or(0),
            prosecutor: sizes.iter().map(|&size| 1.0 / size as f64).fold(0.0, f64::max),
            marketer: share(sizes.iter().map(|&size| 1.0 / size as f64).sum()),
            at_risk: share(sizes.iter().filter(|&&size| size < 5).count() as f64),
        };
        let before = RowRisk { rows: stay.len() as u64, ..RowRisk::default() };
        Risks { threshold: 0.2, before, after }
    }

    pub(super) fn step_facts(&self, stay: &[bool]) -> Vec<StepFacts> {
        let top = |levels: &BTreeMap<String, usize>, q: &String| levels[q] == self.case.height(q);
        let facts = |(step, levels): (usize, &BTreeMap<String, usize>)| {
            let rows = (0..stay.len()).filter(|&row| stay[row] && self.step_of[row] == step).count() as u64;
            let new = |q: &&String| top(levels, q) && !top(&self.case.levels, q);
            let starred = rows * self.quasi.iter().filter(new).count() as u64;
            StepFacts { levels: levels.clone(), rows, starred }
        };
        match self.steps.len() {
            1 => Vec::new(),
            _ => self.steps.iter().enumerate().map(facts).collect(),
        }
    }

    /// The release as the definitions of losses see it, with the policy's weights or none.
    pub(super) fn cells(&self, stay: &[bool], weighted: bool) -> Released {
        let column = |(c, name): (usize, &String)| {
            let label = |row: &Row, level| self.case.label(name, row[c].as_deref(), level);
            let labels = |level| self.raw.iter().map(|row| label(row, level)).collect::<Vec<_>>();
            let values = |level: usize| firsts(&labels(level));
            let weight = self.policy.columns[name].weight.filter(|_| weighted);
            Cells {
                weight: weight.unwrap_or(1.0),
                leaves: self.leaves_of(c).len(),
                first: self.case.levels[name],
                level: (0..stay.len()).map(|row| self.level(row, c)).collect(),
                under: (0..stay.len()).map(|row| self.leaves(row, c).0 as usize).collect(),
                values: (0..=self.case.height(name)).map(values).collect(),
            }
        };
        let labels = |target: &str| {
            let at = self.case.columns.iter().position(|c| c == target).unwrap();
            firsts(&self.case.rows.iter().map(|row| &row[at]).collect::<Vec<_>>())
        };
        Released {
            stay: stay.to_vec(),
            classes: firsts(&self.general),
            columns: self.quasi.iter().enumerate().map(column).collect(),
            targets: self.policy.with_role(Role::Target).into_iter().map(labels).collect(),
        }
    }

    /// All leaves of a column; missing is one where it occurs.
    pub(super) fn leaves_of(&self, c: usize) -> Vec<Option<&str>> {
        let leaves = self.case.paths[&self.quasi[c]].iter().map(|p| Some(p.leaf.as_str()));
        leaves.chain(self.missed[c].then_some(None)).collect()
    }

    /// Leaves under a row's cell, and all leaves.
    pub(super) fn leaves(&self, row: usize, c: usize) -> (f64, f64) {
        let (name, level, leaves) = (&self.quasi[c], self.level(row, c), self.leaves_of(c));
        let under =
            leaves.iter().filter(|leaf| self.case.label(name, **leaf, level) == self.general[row][c]).count();
        (under as f64, leaves.len() as f64)
    }

    /// The losses that are defined for the table.
    pub(super) fn kinds(&self) -> impl Iterator<Item = LossKind> {
        let labels = !self.policy.with_role(Role::Target).is_empty();
        LossKind::of_tables().filter(move |kind| labels || !kind.needs_target())
    }

    pub(super) fn losses(&self, stay: &[bool]) -> BTreeMap<String, f64> {
        let (plain, weighted) = (self.cells(stay, false), self.cells(stay, true));
        let wanted = self.policy.search.loss.parameters();
        let loss = |kind: LossKind| match kind == wanted.kind {
            true => weighted.loss(&wanted),
            false => plain.loss(&LossParameters::new(kind)),
        };
        self.kinds().map(|kind| (kind.to_string(), loss(kind))).collect()
    }

    /// Loss → column → its part, with all defaults.
    pub(super) fn by_column(&self, stay: &[bool]) -> BTreeMap<String, BTreeMap<String, f64>> {
        let cells = self.cells(stay, false);
        let parts = |kind: LossKind| {
            let parts = cells.parts(&LossParameters::new(kind))?;
            Some((kind.to_string(), self.quasi.iter().cloned().zip(parts).collect()))
        };
        self.kinds().filter_map(parts).collect()
    }
}
