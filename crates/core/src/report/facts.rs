//! What a report tells, as plain data: filled after the search, rendered at the edge.
//!
//! The helpers cut counts down to what a page can show. Each costs one pass over the distinct values or
//! class sizes it is given, plus a sort of the distinct values.

use serde::Serialize;

use crate::explore::Explored;
use crate::policy::Role;
use crate::release::{Release, Risks, RowRisk};

pub use super::bars::bars;

/// All that a report tells.
#[derive(Debug, Clone, PartialEq, Serialize)]
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
    pub risk_before: RiskFacts,
    /// The risk of the release.
    pub risk_after: RiskFacts,
    /// Where the chosen node lies.
    pub lattice: LatticeFacts,
    /// Every loss that was measured.
    pub losses: Vec<LossFacts>,
    /// What the holder should know before the release goes out.
    pub warnings: Vec<String>,
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
    /// Named groups of quasi-identifiers, one phrase each: "voters: age, sex, zip at least 10 times".
    pub groups: Vec<String>,
    /// The share of rows that may be suppressed, e.g. "5 % (1,508 rows)".
    pub suppression_limit: String,
    /// The strategy asked for.
    pub algorithm: String,
    /// The loss with its parameters.
    pub loss: String,
    /// What a missing quasi-identifier means.
    pub missing: String,
    /// Whether the order of rows is kept.
    pub keep_order: String,
    /// What becomes of suppressed rows.
    pub suppressed: String,
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
    /// What was done, as a sentence without a stop: "generalized to level 2 of 4: intervals of 10".
    pub action: String,
    /// Its hierarchy as a phrase; none unless it is a quasi-identifier.
    pub hierarchy: Option<String>,
    /// The chosen level; none unless it is a quasi-identifier.
    pub level: Option<usize>,
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
    /// The way of one value from level 0 to the top. The value should be a frequent one: it is shown.
    pub ladder: Vec<LevelFacts>,
}

impl ColumnFacts {
    /// A column of which only this much is known; all counts are 0 and nothing is generalized.
    pub fn new(name: impl Into<String>, role: Role, action: impl Into<String>) -> Self {
        ColumnFacts {
            name: name.into(),
            role,
            released: role.released(),
            action: action.into(),
            hierarchy: None,
            level: None,
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

/// How easily a row can be told from others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct RiskFacts {
    /// Rows that are in classes.
    pub rows: u64,
    /// Classes.
    pub classes: u64,
    /// The size of the smallest class; 0 when there is none.
    pub smallest: u64,
    /// The size of the largest class; 0 when there is none.
    pub largest: u64,
    /// Rows per class.
    pub average: f64,
    /// Rows that are alone in their class.
    pub unique_rows: u64,
    /// 1 / smallest: the risk of the row that is worst off.
    pub prosecutor: f64,
    /// The mean of 1/|E| over rows, which is classes / rows unless missing cells match everything: the share of rows that an
    /// adversary who links all rows gets right.
    pub marketer: f64,
    /// The share of rows in classes with 1/|E| > θ.
    pub at_risk: f64,
    /// The threshold θ.
    pub theta: f64,
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
    /// What it means in one line; [`definition`] knows the usual ones.
    pub explanation: String,
    /// Whether the search made this one small.
    pub target: bool,
}

impl LossFacts {
    /// A loss with its usual definition.
    pub fn new(name: impl Into<String>, value: f64, target: bool) -> Self {
        let name = name.into();
        let explanation = definition(&name).to_owned();
        LossFacts { name, value, explanation, target }
    }
}

/// What a loss means, in one line; empty for a name that is not known.
pub fn definition(loss: &str) -> &'static str {
    match loss {
        "height" | "absolute" => "Sum of the levels of all quasi-identifiers.",
        "relative" => "Sum of level / highest level over all quasi-identifiers.",
        "prec" => "Mean of level / highest level; what is left of 1 is the precision kept.",
        "dm" => {
            "Discernibility: each released row costs the size of its class, each suppressed row the table."
        }
        "dm*" => "Discernibility without suppression: sum of the squared sizes of all classes.",
        "entropy" => "Bits needed to tell the original values from the released ones, over all rows.",
        "conditional-entropy" => "Mean uncertainty of an original value once its released value is known.",
        "lm" => "Mean share of the hierarchy that a released cell could stand for.",
        "ambiguity" => "Mean number of original combinations that a released row could stand for.",
        "aecs" => "Average class size: rows per class; suppressed rows make one class.",
        "cm" => "Share of rows whose label is not the majority label of their class.",
        "vinterbo" => "Sum of level / highest level over the cells of a row, the mean over rows.",
        "column-mi" => "The same with every column weighted by how much it tells of the target, in bits.",
        "value-mi" => {
            "Bits that original values told of the target and released ones do not, the mean over rows."
        }
        _ => "",
    }
}

/// Sizes above this are not told apart.
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

/// Classes of one size. Their rows are more or fewer than size × classes where missing cells match everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OfSize {
    /// Rows that cannot be told from one of these.
    pub size: u64,
    /// How many classes.
    pub classes: u64,
    /// How many rows are in them.
    pub rows: u64,
}

/// Classes by size; the bins reach to the largest class.
pub fn size_bins(sizes: &[OfSize]) -> Vec<SizeBin> {
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

/// The risk at threshold `theta`.
pub fn risk(sizes: &[OfSize], theta: f64) -> RiskFacts {
    let mut risk = RiskFacts { theta, ..RiskFacts::default() };
    let (mut above, mut guessed) = (0_u64, 0.0);
    for of in sizes.iter().filter(|of| of.size > 0 && of.classes > 0) {
        risk.smallest = if risk.classes == 0 { of.size } else { risk.smallest.min(of.size) };
        risk.largest = risk.largest.max(of.size);
        risk.classes += of.classes;
        risk.rows = risk.rows.saturating_add(of.rows);
        risk.unique_rows += if of.size == 1 { of.rows } else { 0 };
        above += if 1.0 / of.size as f64 > theta { of.rows } else { 0 };
        guessed += of.rows as f64 / of.size as f64;
    }
    if risk.rows > 0 {
        risk.average = risk.rows as f64 / risk.classes as f64;
        risk.prosecutor = 1.0 / risk.smallest as f64;
        risk.marketer = guessed / risk.rows as f64;
        risk.at_risk = above as f64 / risk.rows as f64;
    }
    risk
}

impl RiskFacts {
    fn claimed(&self) -> RowRisk {
        RowRisk {
            rows: self.rows,
            classes: self.classes,
            unique_rows: self.unique_rows,
            smallest: self.smallest,
            prosecutor: self.prosecutor,
            marketer: self.marketer,
            at_risk: self.at_risk,
        }
    }
}

impl Facts {
    /// The risk before and after, as a certificate claims it.
    pub fn risks(&self) -> Risks {
        let (before, after) = (self.risk_before.claimed(), self.risk_after.claimed());
        Risks { threshold: self.risk_after.theta, before, after }
    }
}
