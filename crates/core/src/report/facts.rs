//! The contents of a report as plain data: filled after the search, rendered at the edge.
//!
//! The helpers cut counts down to what a page can show. Each costs one pass over the distinct
//! values or class sizes it is given, plus a sort of the distinct values.

use serde::Serialize;

use crate::class_risk::{ClassRisk, ClassesOfSize};
use crate::explore::Explored;
use crate::policy::{Role, Statement};
use crate::registry::LossKind;
use crate::release::Release;
use crate::suggest::Hint;

pub use super::bars::bars;

/// All contents of a report.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Facts {
    /// The name of the input, as the page's heading.
    pub title: String,
    /// What was released and what is claimed of it.
    pub release: Release,
    /// What was asked for.
    pub policy: PolicySummary,
    /// Every column of the input, in its order.
    pub columns: Vec<ColumnFacts>,
    /// Classes of the input by size.
    pub classes_before: Vec<SizeBin>,
    /// Classes of the release by size.
    pub classes_after: Vec<SizeBin>,
    /// The risk of the input, had it been released as it is.
    pub risk_before: ClassRisk,
    /// The risk of the release.
    pub risk_after: ClassRisk,
    /// Where the chosen node lies.
    pub lattice: LatticeFacts,
    /// Every loss that was measured.
    pub losses: Vec<LossFacts>,
    /// The cells that hold nothing but `*`.
    pub stars: StarFacts,
    /// What the recipient can still compute.
    pub statistics: StatisticsFacts,
    /// What released columns give away, a sentence each; the page and the terminal say it first.
    pub exposures: Vec<String>,
    /// What else the holder should know before the release goes out.
    pub warnings: Vec<String>,
    /// Changes of the policy that would keep more, with measured effects.
    pub suggestions: Vec<Hint>,
}

/// What the policy asked for, in words.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct PolicySummary {
    /// The path of the policy, for the command that verifies.
    pub path: String,
    /// The path of the certificate, if one was written.
    pub certificate: Option<String>,
    /// The k over all quasi-identifiers, if one was asked for.
    pub k: Option<u64>,
    /// The anonymity level that k comes from, if one was given.
    pub anonymity: Option<f64>,
    /// Named groups of quasi-identifiers, one phrase each: "voters: age, sex, zip at least 10
    /// times".
    pub groups: Vec<String>,
    /// The share of rows that may be suppressed, e.g. "5 % (1,508 rows)".
    pub suppression_limit: String,
    /// The strategy asked for.
    pub algorithm: String,
    /// Whether rows that a round leaves are searched again.
    pub local: bool,
    /// The loss with its parameters.
    pub loss: String,
    /// What a missing quasi-identifier means.
    pub missing: String,
    /// Whether the order of rows is kept.
    pub keep_order: String,
    /// What becomes of suppressed rows.
    pub suppressed: String,
    /// What the statement says beside the figures.
    pub statement: Statement,
}

/// One column, before and after.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnFacts {
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// Whether it is in the release.
    pub released: bool,
    /// Whether every released cell is `*`.
    pub empty: bool,
    /// What was done, as a sentence without a stop: "generalized to level 2 of 4: intervals of 10".
    pub action: String,
    /// Why it has its role, in the holder's words.
    pub reason: Option<String>,
    /// Its hierarchy as a phrase; none unless it is a quasi-identifier.
    pub hierarchy: Option<String>,
    /// The chosen level; none unless it is a quasi-identifier and all rows have the same.
    pub level: Option<usize>,
    /// What each level is, from the exact value to the top: "decade of birth".
    pub level_names: Vec<String>,
    /// The highest level of its hierarchy.
    pub height: usize,
    /// The least level allowed.
    pub min_level: usize,
    /// The highest level allowed.
    pub max_level: usize,
    /// How much its loss counts.
    pub weight: f64,
    /// Distinct values of the input.
    pub distinct_before: u64,
    /// Distinct values of the release; 0 when the column was removed.
    pub distinct_after: u64,
    /// Missing cells of the input.
    pub missing: u64,
    /// Cells that were starred to release rows that were unsafe at the chosen levels.
    pub starred: u64,
    /// What the column lost; none unless it is a quasi-identifier.
    pub loss: Option<ColumnLoss>,
    /// Its values before, cut by [`bars`].
    pub before: Vec<Bar>,
    /// Its values after, cut by [`bars`].
    pub after: Vec<Bar>,
    /// The way of one value from level 0 to the top. The value should be a frequent one: it is
    /// shown.
    pub ladder: Vec<LevelFacts>,
}

impl ColumnFacts {
    /// A column with nothing else known; all counts are 0 and nothing is generalized.
    pub fn new(name: impl Into<String>, role: Role, action: impl Into<String>) -> Self {
        ColumnFacts {
            name: name.into(),
            role,
            released: role.released(),
            empty: false,
            action: action.into(),
            reason: None,
            hierarchy: None,
            level: None,
            level_names: Vec::new(),
            height: 0,
            min_level: 0,
            max_level: 0,
            weight: 1.0,
            distinct_before: 0,
            distinct_after: 0,
            missing: 0,
            starred: 0,
            loss: None,
            before: Vec::new(),
            after: Vec::new(),
            ladder: Vec::new(),
        }
    }
}

/// The cells of quasi-identifiers that hold nothing but `*`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct StarFacts {
    /// Their share of all cells of quasi-identifiers, those of withheld rows included.
    pub share: f64,
    /// Released rows in which every quasi-identifier is `*`, the withheld ones aside.
    pub blank: u64,
}

/// What the recipient can still compute from the quasi-identifiers: every row of the table before,
/// every released row after. A cell counts as the midpoint of its interval, or as the mean of the
/// values under its label; cells that are `*` are left out.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct StatisticsFacts {
    /// Columns of numbers and dates.
    pub numbers: Vec<NumberFacts>,
    /// Correlations of pairs of them, the strongest first.
    pub correlations: Vec<CorrelationFacts>,
    /// Cross tables of pairs of columns with few values.
    pub cross_tables: Vec<CrossTable>,
    /// Bounds of statistics that hold for certain, beside the originals.
    pub bounds: Vec<BoundFacts>,
}

/// A statistic of the original, and what a recipient can say of it for certain.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BoundFacts {
    /// Its name: `mean of age`.
    pub statistic: String,
    /// Of the original.
    pub original: f64,
    /// At most that; none without a bound.
    pub low: Option<f64>,
    /// At least that; none without a bound.
    pub high: Option<f64>,
    /// How wide the bounds may be, where the policy says so.
    pub required: Option<f64>,
}

/// A column of numbers or dates.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NumberFacts {
    /// Its name.
    pub column: String,
    /// Whether it holds dates; the mean is then in days since 1970-01-01, the deviation in days.
    pub dates: bool,
    /// Of all rows.
    pub before: Moments,
    /// Of the released rows; none if every cell is `*`.
    pub after: Option<Moments>,
    /// The share of released rows that the figures after are of.
    pub used: f64,
}

impl NumberFacts {
    /// The means before and after, as text: dates are written as such.
    pub fn means(&self) -> (String, String) {
        let text = |moments: Moments| match self.dates {
            true => super::utility::date(moments.mean),
            false => super::text::decimal(moments.mean),
        };
        (text(self.before), self.after.map_or_else(|| "lost".to_owned(), text))
    }
}

/// Mean and standard deviation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Moments {
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub deviation: f64,
}

/// The correlation (Pearson) of two columns.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CorrelationFacts {
    /// Their names.
    pub columns: [String; 2],
    /// Of all rows.
    pub before: f64,
    /// Of the released rows; none if one of the columns does not vary any more.
    pub after: Option<f64>,
}

/// The share of rows with each pair of values of two columns.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CrossTable {
    /// Their names.
    pub columns: [String; 2],
    /// The values of the first column.
    pub rows: Vec<String>,
    /// The values of the second column.
    pub across: Vec<String>,
    /// Shares of all rows; none where fewer rows than k have the pair.
    pub before: Vec<Vec<Option<f64>>>,
    /// Shares of the released rows that are counted.
    pub after: Vec<Vec<f64>>,
    /// The share of released rows that are counted: neither cell is `*`.
    pub used: f64,
}

/// How much better than the release the best possible one could be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    /// Nothing is better.
    Optimal,
    /// By this share of the loss, at most.
    Within(f64),
    /// No bound is known.
    Unknown,
}

/// What one column lost; 0 nothing, 1 everything.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ColumnLoss {
    /// The loss metric: the share of the hierarchy that a cell could stand for.
    pub lm: f64,
    /// The share of the column's own entropy that is gone.
    pub entropy_share: f64,
    /// The same, with every suppressed row at the whole of it.
    pub conditional_share: f64,
    /// Level / highest level.
    pub prec: f64,
}

/// One bar: a value, a range of values, or a pool of them, with its rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Bar {
    /// What is counted.
    pub label: String,
    /// How many rows have it.
    pub count: u64,
    /// Whether it stands for values that are not shown one by one.
    pub pooled: bool,
}

/// One level of a hierarchy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LevelFacts {
    /// The level; 0 is the value itself.
    pub level: usize,
    /// How many distinct values it has.
    pub size: u64,
    /// What the example value is called at this level.
    pub example: String,
}

/// Classes of about one size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SizeBin {
    /// The sizes as text: "5–9".
    pub label: String,
    /// The least size.
    pub low: u64,
    /// The greatest size.
    pub high: u64,
    /// How many classes.
    pub classes: u64,
    /// How many rows are in them.
    pub rows: u64,
}

/// The lattice of levels and the node that was chosen.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct LatticeFacts {
    /// All nodes; the largest `u128` stands for more than that.
    pub nodes: u128,
    /// Nodes whose classes were formed and judged.
    pub checked: u64,
    /// The chosen node, one entry per quasi-identifier.
    pub chosen: Vec<ChosenLevel>,
    /// The height (sum of levels) of the lowest node.
    pub bottom: usize,
    /// The height of the highest node.
    pub top: usize,
    /// The height of the chosen node.
    pub height: usize,
    /// How many nodes lie at each height, from `bottom` to `top`.
    pub profile: Vec<f64>,
    /// The lattice node by node, where looking at every node costs little.
    pub explored: Option<Explored>,
}

/// The chosen level of one quasi-identifier.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChosenLevel {
    /// Its name.
    pub column: String,
    /// The chosen level.
    pub level: usize,
    /// The least level allowed.
    pub min: usize,
    /// The highest level allowed.
    pub max: usize,
    /// The highest level of its hierarchy.
    pub height: usize,
}

/// One loss of the release.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LossFacts {
    /// Its name, as a policy writes it.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// What it means in one line; the registry knows those of Throng.
    pub explanation: String,
    /// Whether the search made this one small.
    pub target: bool,
}

impl LossFacts {
    /// A loss with its usual definition.
    pub fn new(name: impl Into<String>, value: f64, target: bool) -> Self {
        let name = name.into();
        let explanation = LossKind::from_key(&name).map_or("", |kind| kind.entry().help).to_owned();
        LossFacts { name, value, explanation, target }
    }
}

/// Sizes above this are counted together.
const OPEN_END: u64 = 100_000;

/// The bins of [`size_bins`]: 1, 2, 3–4, 5–9, 10–19, 20–49, 50–99, 100–199, …, and an open end.
fn empty_bins() -> Vec<SizeBin> {
    let mut lows = vec![1, 2, 3, 5];
    let mut decade = 10;
    while decade < OPEN_END {
        lows.extend([decade, 2 * decade, 5 * decade]);
        decade *= 10;
    }
    lows.push(OPEN_END);
    let highs = lows.iter().skip(1).map(|next| next - 1).chain([u64::MAX]);
    lows.iter()
        .zip(highs)
        .map(|(&low, high)| SizeBin { label: bin_label(low, high), low, high, classes: 0, rows: 0 })
        .collect()
}

fn bin_label(low: u64, high: u64) -> String {
    let [first, last] = [low, high].map(super::text::integer);
    match high {
        u64::MAX => format!("{first} or more"),
        _ if low == high => first,
        _ => format!("{first}–{last}"),
    }
}

/// Classes by size; the bins reach to the largest class.
pub fn size_bins(sizes: &[ClassesOfSize]) -> Vec<SizeBin> {
    let mut bins = empty_bins();
    let mut used = 0;
    for of in sizes.iter().filter(|of| of.size > 0 && of.classes > 0) {
        let i = bins.partition_point(|b| b.high < of.size);
        bins[i].classes += of.classes;
        bins[i].rows = bins[i].rows.saturating_add(of.rows);
        used = used.max(i + 1);
    }
    bins.truncate(used);
    bins
}

impl Facts {
    /// How much better the best possible release could be. A gap as large as the loss says nothing.
    pub fn bound(&self) -> Bound {
        let search = &self.release.search;
        let loss = self.losses.iter().find(|loss| loss.target).map_or(f64::NAN, |loss| loss.value);
        match search.gap / loss {
            _ if search.optimal => Bound::Optimal,
            share if loss > 0.0 && share < 1.0 => Bound::Within(share),
            _ => Bound::Unknown,
        }
    }

    /// Whether rows were released in steps of their own levels or in regions, so that there is no
    /// chosen node.
    pub fn recoded_locally(&self) -> bool {
        self.release.regions.is_some() || self.policy.local && self.release.steps.len() > 1
    }

    /// Columns that are released and hold nothing but `*`.
    pub fn empty_columns(&self) -> Vec<&str> {
        self.columns.iter().filter(|column| column.empty).map(|column| column.name.as_str()).collect()
    }

    /// The columns that lost most, by LM, with their loss; columns that lost nothing are left out.
    pub fn dearest_columns(&self) -> Vec<(&str, f64)> {
        let lost = self.columns.iter().filter_map(|column| Some((column.name.as_str(), column.loss?.lm)));
        let mut lost: Vec<(&str, f64)> = lost.filter(|(_, lm)| *lm > 0.0).collect();
        lost.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        lost.truncate(3);
        lost
    }
}
