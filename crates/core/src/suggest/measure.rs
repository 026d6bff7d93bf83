//! The figures of a point: what a release with its settings keeps, and what risk it leaves.
//!
//! Stars, lost columns, the loss metric and risk are those that the release certifies. `loss` alone
//! is made comparable between points: it is the mean of the loss metric over the quasi-identifiers of
//! the given policy, where a dropped column counts as lost and one made sensitive as kept. Costs a
//! few passes over the classes.

use serde::Serialize;

use super::Found;
use super::classify::{Accuracy, Classifier};
use super::numbers::{Correlation, NumberFacts, Numbers};
use super::settings::{ColumnChange, Settings};
use crate::class_risk::{ClassRisk, THRESHOLD};
use crate::decide::{Decision, Figures};
use crate::error::Result;
use crate::recoded::Recoded;
use crate::registry::LossKind;
use crate::search::Problem;
use crate::watch::Watch;

/// Rows that are shown before and after.
const SAMPLES: usize = 5;

/// What one column lost.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnMeasured {
    /// Its name.
    pub name: String,
    /// Its part of the loss metric, from 0 to 1.
    pub lm: f64,
    /// The share of its cells that are `*`, those of suppressed rows included.
    pub stars: f64,
}

/// A row of the table, and what became of it. For the holder alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SampleRow {
    /// How many rows have these values.
    pub rows: u64,
    /// Its quasi-identifiers; none is missing.
    pub before: Vec<Option<String>>,
    /// The same as released; empty where the row is suppressed.
    pub after: Vec<Option<String>>,
}

/// The figures of a point.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measured {
    /// Rows that are released.
    pub released: u64,
    /// Rows that are suppressed.
    pub suppressed: u64,
    /// The share of the quasi-identifiers' cells that are `*`.
    pub stars: f64,
    /// Quasi-identifiers that hold nothing but `*`, and dropped ones.
    pub lost: Vec<String>,
    /// The loss metric of the release.
    pub lm: f64,
    /// The mean of the loss metric over the quasi-identifiers of the given policy.
    pub loss: f64,
    /// The risk of the released rows.
    pub risk: ClassRisk,
    /// The quasi-identifiers, those that lose most first.
    pub columns: Vec<ColumnMeasured>,
    /// Mean and deviation of numbers, before and after.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub numbers: Vec<NumberFacts>,
    /// Correlations of numbers, before and after.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub correlations: Vec<Correlation>,
    /// How well a classifier learns from the released rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classifier: Option<Accuracy>,
    /// Some rows before and after. For the holder alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<SampleRow>,
}

/// The figures that a release certifies.
#[derive(Debug, Clone)]
pub(super) struct Certified {
    pub(super) released: u64,
    pub(super) suppressed: u64,
    pub(super) stars: f64,
    pub(super) lost: Vec<String>,
    pub(super) lm: f64,
    pub(super) risk: ClassRisk,
    pub(super) columns: Vec<ColumnMeasured>,
}

impl Certified {
    pub(super) fn new(problem: &Problem, decision: &Decision, figures: &Figures) -> Self {
        let deleted = problem.deletion.as_ref().map_or(0, |deletion| deletion.facts().rows);
        let withheld = decision.recoded.suppressed_rows() + deleted;
        let (stars, rows) = (&figures.stars, problem.classes.rows() + deleted);
        let parts = figures.loss_by_column.get(LossKind::Lm.key());
        let part = |name: &String| parts.and_then(|parts| parts.get(name)).copied().unwrap_or(0.0);
        let share = |column: usize| match rows {
            0 => 0.0,
            rows => (stars.cells[column] + withheld) as f64 / rows as f64,
        };
        let column = |(at, name): (usize, &String)| ColumnMeasured {
            name: name.clone(),
            lm: part(name),
            stars: share(at),
        };
        let mut columns: Vec<ColumnMeasured> = problem.names.iter().enumerate().map(column).collect();
        columns.sort_by(|a, b| b.lm.total_cmp(&a.lm));
        let lost = problem.names.iter().enumerate().filter(|(at, _)| stars.empty(*at));
        let lm = figures.loss.get(LossKind::Lm.key()).copied().unwrap_or_default();
        Certified {
            released: rows - withheld - stars.blank,
            suppressed: withheld + stars.blank,
            stars: stars.share(withheld),
            lost: lost.map(|(_, name)| name.clone()).collect(),
            lm,
            risk: ClassRisk::new(&figures.sizes_after, THRESHOLD),
            columns,
        }
    }
}

impl Found {
    /// The figures, comparable with those of the given policy's problem.
    pub(super) fn measured(
        &self,
        base: &Problem,
        settings: &Settings,
        (detailed, classifier): (bool, Option<&Classifier>),
        watch: &Watch,
    ) -> Result<Measured> {
        let Found { policy, problem, decision } = self;
        let figures = decision.figures(policy, problem, watch)?;
        let Certified { released, suppressed, stars, mut lost, lm, risk, columns } =
            Certified::new(problem, decision, &figures);
        let mut parts: f64 = columns.iter().map(|column| column.lm).sum();
        if let Some(ColumnChange::Drop(column)) = &settings.change {
            parts += 1.0;
            lost.push(column.clone());
        }
        let recoded = &decision.recoded;
        let numbers = detailed.then(|| Numbers::new(policy, problem, recoded)).transpose()?;
        Ok(Measured {
            released,
            suppressed,
            stars,
            lost,
            lm,
            loss: parts / base.names.len().max(1) as f64,
            risk,
            columns,
            numbers: numbers.as_ref().map(Numbers::facts).unwrap_or_default(),
            correlations: numbers.as_ref().map(Numbers::correlations).unwrap_or_default(),
            classifier: classifier.and_then(|classifier| classifier.accuracy(policy, problem, recoded)),
            samples: if detailed { samples(problem, recoded) } else { Vec::new() },
        })
    }
}

/// Rows that lie evenly among all, and what became of them.
fn samples(problem: &Problem, recoded: &Recoded) -> Vec<SampleRow> {
    let base = recoded.base();
    let wanted = SAMPLES.min(base.len());
    let row = |i: usize| {
        let class = (2 * i + 1) * base.len() / (2 * wanted);
        let columns = 0..problem.names.len();
        let value = |c: usize| problem.hierarchies[c].leaf_value(base.code(class, c)).map(String::from);
        let label = |c: usize| recoded.label(class, c).map(String::from);
        SampleRow {
            rows: u64::from(base.counts()[class]),
            before: columns.clone().map(value).collect(),
            after: if recoded.suppresses(class) { Vec::new() } else { columns.map(label).collect() },
        }
    };
    (0..wanted).map(row).collect()
}
