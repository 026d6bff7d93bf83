//! The certificate's losses, recomputed from their definitions (`definitions.rs`), independent of
//! the search.
//!
//! The definitions see a release cell by cell. What its cells are follows from levels
//! (`by_levels.rs`) or from regions (`by_regions.rs`). With several steps, every cell has the level
//! of the step that released its row, a suppressed row that of the first; heights are those of the
//! first step. A loss that the registry does not know is not checked. Costs one pass over the
//! generalized classes or over the pairs of value and cell per loss.

mod by_levels;
mod by_regions;
mod definitions;

pub(super) use by_levels::LevelFacts;
pub(super) use by_regions::RegionFacts;

use std::collections::BTreeMap;

use self::definitions::{loss, parts};
use super::classes::Interner;
use super::levels::Chain;
use super::verdict::{Finding, Wrong};
use throng_terms::policy::{LossParameters, Policy};
use throng_terms::registry::LossKind;

/// By how much a stated loss may differ, of its size or of 1 where it is smaller: rounding, in
/// another order of adding.
const TOLERANCE: f64 = 1e-9;

/// Something, or why it cannot be computed.
type Checked<T> = Result<T, &'static str>;

const NO_INFORMATION: &str = "not checked: the information of the columns about a target is not known";
/// Nobody reads it: the request to stop is honoured after the losses.
const STOPPED: &str = "not checked: the verification was stopped";
const NO_DEFINITION: &str = "not checked: no second definition of this loss";

/// A value of a column under which cells are released, or that stands for suppressed rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    /// Leaves of the hierarchy under it.
    leaves: f64,
    /// Rows of the original under it, and the entropy of their texts.
    under: f64,
    bits: f64,
    /// Its information about the targets; 0 where it is not known.
    worth: f64,
    /// Rows that are released with it, and suppressed rows that would have it at the first step; by
    /// regions, suppressed rows have their own text.
    released: f64,
    suppressed: f64,
}

/// Rows of one text that have one cell, suppressed rows among them.
pub(super) struct Pair<'a> {
    text: u32,
    cell: &'a Cell,
    rows: f64,
}

/// The shares of all rows that are released, or suppressed, at a level.
pub(super) struct LevelShare {
    level: f64,
    released: f64,
    suppressed: f64,
}

/// The input of losses: a release, cell by cell.
pub(super) trait Facts {
    fn rows(&self) -> f64;
    fn suppressed(&self) -> f64;
    fn columns(&self) -> usize;

    /// Rows per released class; 0 means that there is no class.
    fn classes(&self) -> &[u64];

    /// Σ of squares over classes, with suppressed rows in those that they look like.
    fn squares_of_looks(&self) -> Checked<f64>;

    /// Σ over released rows of the product of the leaves under their cells.
    fn combinations(&self) -> Checked<f64>;

    /// Target → released rows that do not have the most frequent label of their class.
    fn minorities(&self) -> Checked<&[u64]>;

    /// The level of a column at the first step.
    fn first_level(&self, column: usize) -> Checked<f64>;

    /// The highest level of a column.
    fn height(&self, column: usize) -> Checked<f64>;

    /// The leaves of a column's hierarchy.
    fn leaves(&self, column: usize) -> Checked<f64>;

    /// The texts of a column, with counts.
    fn texts(&self, column: usize) -> Checked<&Interner>;

    /// The mutual information of a column with the targets.
    fn mutual(&self, column: usize) -> Checked<f64>;

    /// The information of a text of a column about the targets.
    fn worth(&self, column: usize, text: u32) -> Checked<f64>;

    /// The levels of a column's cells.
    fn level_shares(&self, column: usize) -> Checked<Vec<LevelShare>>;

    /// Calls `each` with every cell of a column.
    fn each_cell(&self, column: usize, each: &mut dyn FnMut(&Cell)) -> Checked<()>;

    /// Calls `each` with every pair of text and cell of a column.
    fn each_pair(&self, column: usize, each: &mut dyn FnMut(&Pair<'_>) -> Checked<()>) -> Checked<()>;
}

/// One finding per loss of the certificate; that of widths was computed from the release.
pub(super) fn losses(
    stated: &BTreeMap<String, f64>,
    policy: &Policy,
    (facts, chains): (&dyn Facts, &[Chain<'_>]),
    width: Option<f64>,
) -> Vec<(String, Finding)> {
    let finding = |(key, &stated): (&String, &f64)| {
        let weight = |chain: &Chain<'_>| policy.weight(chain.name);
        let target = policy.search.loss.parameters();
        let found = match LossKind::from_key(key) {
            Some(LossKind::Width) => width.ok_or(NO_DEFINITION),
            // What the search lost least of: with the policy's parameters and weights.
            Some(kind) if kind == target.kind => {
                loss(facts, &target, &chains.iter().map(weight).collect::<Vec<_>>())
            }
            Some(kind) => loss(facts, &LossParameters::new(kind), &vec![1.0; chains.len()]),
            None => Err(crate::model::loss(key).unwrap_or(NO_DEFINITION)),
        };
        (format!("loss: {key}"), judge(stated, found))
    };
    stated.iter().map(finding).collect()
}

/// One finding per loss for which the certificate lists the columns' parts: defaults, no weights.
pub(super) fn by_column(
    stated: &BTreeMap<String, BTreeMap<String, f64>>,
    (facts, chains): (&dyn Facts, &[Chain<'_>]),
) -> Vec<(String, Finding)> {
    let finding = |(key, stated): (&String, &BTreeMap<String, f64>)| {
        let parts = match LossKind::from_key(key) {
            Some(kind) => parts(facts, &LossParameters::new(kind)),
            None => Err(NO_DEFINITION),
        };
        let found = match parts {
            Ok(parts) => judge_columns(stated, chains, &parts),
            Err(why) => Finding::unchecked(why),
        };
        (format!("loss by column: {key}"), found)
    };
    stated.iter().map(finding).collect()
}

fn judge_columns(stated: &BTreeMap<String, f64>, chains: &[Chain<'_>], parts: &[f64]) -> Finding {
    let mut wrong = Wrong::default();
    for (chain, &found) in chains.iter().zip(parts) {
        match stated.get(chain.name) {
            Some(&stated) if near(found, stated) => {}
            Some(stated) => {
                wrong.push(format!("{found} in `{}`, the certificate says {stated}", chain.name));
            }
            None => wrong.push(format!("nothing is said of `{}`", chain.name)),
        }
    }
    for name in stated.keys().filter(|name| chains.iter().all(|chain| chain.name != **name)) {
        wrong.push(format!("`{name}` is not a quasi-identifier"));
    }
    Finding::of(&wrong, || "as certified in every column".into())
}

fn near(found: f64, stated: f64) -> bool {
    found == stated || (found - stated).abs() <= TOLERANCE * found.abs().max(stated.abs()).max(1.0)
}

fn judge(stated: f64, found: Checked<f64>) -> Finding {
    let found = match found {
        Ok(found) => found,
        Err(why) => return Finding::unchecked(why),
    };
    let mut wrong = Wrong::default();
    if !near(found, stated) {
        wrong.push(format!("{found}, the certificate says {stated}"));
    }
    Finding::of(&wrong, || format!("{found}, as certified"))
}
