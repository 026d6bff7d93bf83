//! Measures a table that was de-identified elsewhere, with the losses, privacy models and risk of a
//! certificate.
//!
//! The release is compared with its original cell by cell, so rows have to correspond: by a key
//! that both tables have, or because they are in the same order. Without correspondence, figures of
//! the release alone are computed, and losses as far as released cells define them; the others are
//! *unavailable*, with the reason. A foreign release need not be true of its original: cells that
//! are not are counted. Losses are those of `loss/price.rs`, models those of the policy, as in a
//! certificate.
//!
//! Costs one pass over both tables, and one over the distinct pairs of tuples per figure.

mod cells;
mod column;
mod figures;
mod notation;
mod protection;
mod read;
mod text;

pub use protection::{Outside, protection};
pub use text::text;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::error::Result;
use crate::fault;
use crate::policy::{ModelKind, ModelSpec, Policy};
use crate::release::{Claim, Risks};
use crate::row_figures::RowFigures;
use crate::rows::Rows;
use crate::search::Load;
use crate::watch::Watch;

/// How rows of a release correspond to rows of its original.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Correspondence<'a> {
    /// By a column of both tables whose values differ in all rows. Rows that the release lacks are
    /// suppressed.
    Key(&'a str),
    /// Both have the same rows in the same order.
    Order,
    /// It is not known.
    None,
}

impl Correspondence<'_> {
    fn name(self) -> &'static str {
        match self {
            Correspondence::Key(_) => "key",
            Correspondence::Order => "order",
            Correspondence::None => "none",
        }
    }
}

/// What is measured, and how.
#[derive(Clone, Copy)]
pub struct Inputs<'a> {
    /// Roles, hierarchies, models and weights. Its algorithm matters only as far as it determines
    /// how cells are read.
    pub policy: &'a Policy,
    /// The original table.
    pub original: &'a dyn Rows,
    /// The released table.
    pub release: &'a dyn Rows,
    /// How their rows correspond.
    pub rows: Correspondence<'a>,
    /// Whether rows with `*` in every quasi-identifier are suppressed; always if the policy writes
    /// suppressed rows so.
    pub starred: bool,
    /// Reads the hierarchy files that the policy names.
    pub load: Load<'a>,
    /// Reports progress, and may stop.
    pub watch: &'a Watch,
}

/// The figures of a release.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Measures {
    /// How rows corresponded: "key", "order" or "none".
    pub correspondence: &'static str,
    /// Rows of the original.
    pub rows: u64,
    /// Rows of the release with a value in at least one quasi-identifier.
    pub released: u64,
    /// All other rows of the original.
    pub suppressed: u64,
    /// Rows that are in no class of the release.
    pub withheld: u64,
    /// Quasi-identifier → level; none unless every column is at one level.
    pub levels: BTreeMap<String, usize>,
    /// Column → cells that are not true of the original; none without correspondence.
    pub untrue: Option<BTreeMap<String, u64>>,
    /// Loss → value.
    pub loss: BTreeMap<String, f64>,
    /// Loss → quasi-identifier → value, for losses that are put together from columns.
    pub loss_by_column: BTreeMap<String, BTreeMap<String, f64>>,
    /// Model → requirement, figure, and whether it holds.
    pub privacy: BTreeMap<String, Claim>,
    /// How recognizable rows are by their quasi-identifiers.
    pub risk: Risks,
    /// Loss or model → why it has no figure.
    pub unavailable: BTreeMap<String, String>,
}

impl Measures {
    /// Whether every model that was judged holds.
    pub fn holds(&self) -> bool {
        self.privacy.values().all(|claim| claim.holds)
    }
}

/// Measures a release, and its rows one by one, for the holder alone.
///
/// # Errors
/// As [`measure`], and rows that do not correspond.
pub fn measure_rows(inputs: &Inputs<'_>) -> Result<(Measures, MeasuredRows)> {
    if let Correspondence::None = inputs.rows {
        return Err(fault!(
            Input,
            "measure.rows-do-not-correspond",
            "figures of single rows need to know which released row is which original"
        )
        .key("--rows")
        .help(
            "name a key column with --key, or give --same-order if both have the same rows in the same order",
        )
        .into());
    }
    let (measures, compared, policy) = compared(inputs)?;
    let figures = compared.row_figures(&policy)?;
    Ok((measures, MeasuredRows { figures, of_row: compared.of_row }))
}

/// The figures of single rows of an original.
#[derive(Debug, Clone)]
pub struct MeasuredRows {
    figures: RowFigures,
    of_row: Vec<u32>,
}

impl MeasuredRows {
    /// Writes a line for every row of the original, in order.
    ///
    /// # Errors
    /// What `write` returns.
    pub fn write(&self, write: &mut dyn FnMut(&str) -> Result<()>) -> Result<()> {
        self.figures.write(&self.of_row, write)
    }
}

/// Measures a release.
///
/// # Errors
/// Columns or keys that are missing, rows that do not correspond, cells that are neither labels nor
/// cover a value, and an original that does not fit the policy;
/// [`Kind::Cancelled`](crate::error::Kind::Cancelled) when asked to stop.
pub fn measure(inputs: &Inputs<'_>) -> Result<Measures> {
    compared(inputs).map(|(measures, ..)| measures)
}

/// The figures, what they come from, and the policy without models that cannot be judged.
fn compared(inputs: &Inputs<'_>) -> Result<(Measures, cells::Compared, Policy)> {
    if let Some(column) = inputs.policy.subject() {
        return Err(fault!(
            Input,
            "measure.counts-rows",
            "measure counts rows, and `{column}` with role \"subject\" asks to count people",
            column = column
        )
        .key(format!("columns.{column}.role"))
        .help("give the column role = \"identifier\" to measure rows; the figures are then not of people")
        .into());
    }
    let (policy, unjudged) = judgeable(inputs.policy);
    let inputs = Inputs { policy: &policy, ..*inputs };
    let paired = read::read(&inputs)?;
    inputs.watch.check()?;
    let compared = cells::Compared::new(&inputs, paired)?;
    inputs.watch.check()?;
    let mut measures = compared.measures(&inputs)?;
    measures.unavailable.extend(unjudged);
    Ok((measures, compared, policy))
}

/// Whether a model deletes values from the table.
fn deletes(model: &ModelSpec) -> bool {
    matches!(model, ModelSpec::RareValues(rare) if rare.deletes().is_some())
}

/// The policy with the models that can be judged by the two tables, and why the others cannot.
fn judgeable(policy: &Policy) -> (Policy, Vec<(String, String)>) {
    let reason = |model: &ModelSpec| match model.kind() {
        ModelKind::DifferentialPrivacy => Some("it is a property of how rows were sampled"),
        ModelKind::MConfidentiality => Some("it is a property of how the release was chosen"),
        ModelKind::KOne => Some("it is counted when the release is made, and by `throng verify --original`"),
        ModelKind::JAnonymity => Some("it is defined for one level per column"),
        ModelKind::RareValues if deletes(model) => Some("it is a property of the table before the release"),
        _ if model.population().is_some() || policy.linkable(model).is_some() => {
            Some("it is defined for one level per column")
        }
        _ => None,
    };
    let mut policy = policy.clone();
    let mut unjudged = Vec::new();
    policy.privacy.models.retain(|model| match reason(model) {
        None => true,
        Some(reason) => {
            unjudged.push((model.claim(), reason.to_owned()));
            false
        }
    });
    (policy, unjudged)
}
