//! Compare: runs algorithms × losses × k × suppression limits × sample sizes on one or several
//! tables. Reports every loss relative to the optimum [El Emam 2009, "Measurement"], votes on the
//! best algorithm and, on request, the error of a predictive model on the released rows and votes
//! on the loss that serves it best [Katirai 2006].
//!
//! The core reads neither tables nor the clock: the caller provides both. Everything except the
//! seconds is deterministic. Costs the searches, twice if the node-complexity score is computed,
//! and one `auto` per point.

mod contender;
mod experiment;
mod predicted;
mod run;
mod table;
mod tables;
mod votes;

pub use experiment::{Experiment, Grid, Plots, Prediction, Size, Synth, TableSpec, expand, is_policy, label};
pub use run::{Clock, compare, compare_with};
pub use table::{Reader, Table};
pub use tables::{
    Block, baseline, csv, heading, incognito_of_ola, losses, markdown, overview, predictions, summaries,
    unanswered, work,
};
pub use votes::{Ballot, Ranking, Standing, Vote, rank};

use std::collections::BTreeMap;

use serde::Serialize;

use self::contender::Contender;
use crate::predict::Predicted;

/// What was run and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Comparison {
    /// The tables.
    pub tables: Vec<String>,
    /// The algorithms.
    pub algorithms: Vec<String>,
    /// The losses, as runs call them.
    pub losses: Vec<String>,
    /// The k.
    pub k: Vec<u64>,
    /// The shares of rows that could be suppressed.
    pub suppression: Vec<f64>,
    /// The sizes of samples.
    pub sizes: Vec<Size>,
    /// Losses that are drawn.
    pub drawn_losses: Vec<String>,
    /// Shares that are drawn.
    pub drawn_suppression: Vec<f64>,
    /// Runs that the grid has.
    pub planned: u64,
    /// Whether all of them were made.
    pub finished: bool,
    /// The runs, in the order of the grid.
    pub runs: Vec<Run>,
    /// What relative losses are relative to: `optimum of levels`, the least loss of any safe node.
    pub baseline: &'static str,
    /// For each table, which algorithm is best.
    pub rankings: Vec<Ranking>,
    /// For each table, which algorithm with which loss leaves a model the least error; with all
    /// sizes of samples and without the least.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub methods: Vec<Ranking>,
    /// For each table and algorithm, which loss leaves a model the least error; with all sizes of
    /// samples and without the least.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub measures: Vec<Ranking>,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// With a safe node.
    Solved,
    /// The algorithm is not defined for this problem.
    Refused,
    /// No node is safe.
    NoSolution,
}

impl Status {
    /// As files write it.
    pub fn name(self) -> &'static str {
        match self {
            Status::Solved => "solved",
            Status::Refused => "refused",
            Status::NoSolution => "no-solution",
        }
    }
}

/// One algorithm at one point of the grid, on one sample.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Run {
    /// The table.
    pub table: String,
    /// The requested sample size.
    pub size: Size,
    /// Which sample of that size, from 1.
    pub repeat: u32,
    /// Its rows.
    pub rows: u64,
    /// The loss that was made small.
    pub loss: String,
    /// The share of rows that could be suppressed.
    pub suppression: f64,
    /// The k.
    pub k: u64,
    /// The algorithm.
    pub algorithm: String,
    /// How it ended.
    pub status: Status,
    /// Why it did not find a node, where it did not.
    pub reason: Option<String>,
    /// The loss of the node that was found.
    pub value: Option<f64>,
    /// The least loss of any safe node: one level per column for all rows.
    pub optimum: Option<f64>,
    /// 100 × value / optimum: 100 is optimal, 200 loses twice as much as need be, and less than 100
    /// is what no node reaches but regions of rows can. None also where the optimum loses nothing
    /// and the node something.
    pub relative: Option<f64>,
    /// Quasi-identifier → level.
    pub levels: BTreeMap<String, usize>,
    /// Rows suppressed.
    pub suppressed: Option<u64>,
    /// Nodes of the lattice.
    #[serde(with = "crate::release::nodes")]
    pub nodes: u128,
    /// Nodes whose classes were formed and judged.
    pub checked: Option<u64>,
    /// The node-complexity score of these checks.
    pub score: Option<f64>,
    /// Nodes that were compared on loss.
    pub compared: Option<u64>,
    /// How long the search took; the only figure that is not the same each time.
    pub seconds: Option<f64>,
    /// The model's errors on the released rows, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub predicted: Option<Predicted>,
    /// The strongest notion of anonymity that the rows have, where that may be less than
    /// k-anonymity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notion: Option<String>,
}

/// A part of a comparison that is laid out against k.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel<'a> {
    /// The table.
    pub table: &'a str,
    /// The size of samples.
    pub size: Size,
    /// The loss.
    pub loss: &'a str,
    /// The share of rows that could be suppressed.
    pub suppression: f64,
}

/// Which runs an error is the mean of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
    /// Those of a size of samples.
    Size(Size),
    /// Those of a k.
    K(u64),
}

/// A figure of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Relative information loss, in %.
    Relative,
    /// Nodes evaluated.
    Checked,
    /// The node-complexity score.
    Score,
    /// Nodes compared on loss.
    Compared,
    /// Seconds.
    Seconds,
}

impl Measure {
    /// What the search cost.
    pub const WORK: [Measure; 4] = [Measure::Checked, Measure::Score, Measure::Compared, Measure::Seconds];

    /// As a heading.
    pub fn title(self) -> &'static str {
        match self {
            Measure::Relative => "Relative information loss, %",
            Measure::Checked => "Nodes evaluated",
            Measure::Score => "Node-complexity score",
            Measure::Compared => "Nodes compared on loss",
            Measure::Seconds => "Seconds",
        }
    }

    fn of(self, run: &Run) -> Option<f64> {
        match self {
            Measure::Relative => run.relative,
            Measure::Checked => run.checked.map(|n| n as f64),
            Measure::Score => run.score,
            Measure::Compared => run.compared.map(|n| n as f64),
            Measure::Seconds => run.seconds,
        }
    }
}

impl Comparison {
    /// The parts that are laid out against k, in the order of the grid.
    pub fn panels(&self) -> Vec<Panel<'_>> {
        let mut panels = Vec::new();
        for table in &self.tables {
            for &size in &self.sizes {
                for loss in &self.losses {
                    for &suppression in &self.suppression {
                        panels.push(Panel { table, size, loss, suppression });
                    }
                }
            }
        }
        panels
    }

    /// Whether a part is drawn.
    pub fn drawn(&self, panel: &Panel<'_>) -> bool {
        self.drawn_losses.iter().any(|l| l == panel.loss)
            && self.drawn_suppression.contains(&panel.suppression)
    }

    /// The algorithms that are not bound to one level per column and can lose less than the optimum
    /// of levels.
    pub fn beyond_levels(&self) -> Vec<&str> {
        let local = |name: &&String| Contender::named(name).is_ok_and(Contender::recodes_locally);
        self.algorithms.iter().filter(local).map(String::as_str).collect()
    }

    /// The mean absolute error of what a model predicts from samples: as an algorithm and a loss
    /// released them, or from the original rows. The mean over all runs `at` these; none where
    /// nothing was predicted.
    pub fn error(&self, table: &str, at: At, of: Option<(&str, &str)>) -> Option<f64> {
        let here = |run: &&Run| {
            let at = match at {
                At::Size(size) => run.size == size,
                At::K(k) => run.k == k,
            };
            let of = of.is_none_or(|(algorithm, loss)| run.algorithm == algorithm && run.loss == loss);
            run.table == table && at && of
        };
        let predicted = self.runs.iter().filter(here).filter_map(|run| run.predicted.as_ref());
        let mean = |p: &Predicted| if of.is_some() { p.released.mean } else { p.original.mean };
        let found: Vec<f64> = predicted.map(mean).collect();
        (!found.is_empty()).then(|| found.iter().sum::<f64>() / found.len() as f64)
    }

    /// A figure of an algorithm at every k where it found a node, the mean over samples where there
    /// are several.
    pub fn series(&self, panel: &Panel<'_>, algorithm: &str, measure: Measure) -> Vec<Option<f64>> {
        let here = |run: &&Run| {
            run.algorithm == algorithm
                && run.table == panel.table
                && run.size == panel.size
                && run.loss == panel.loss
                && run.suppression == panel.suppression
                && run.status == Status::Solved
        };
        let runs: Vec<&Run> = self.runs.iter().filter(here).collect();
        let mean = |k: &u64| {
            let found: Vec<f64> =
                runs.iter().filter(|run| run.k == *k).filter_map(|run| measure.of(run)).collect();
            (!found.is_empty()).then(|| found.iter().sum::<f64>() / found.len() as f64)
        };
        self.k.iter().map(mean).collect()
    }
}
