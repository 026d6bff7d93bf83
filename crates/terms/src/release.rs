//! The results of a release: the JSON output, and the certificate with its claims.

mod certificate;
mod document;
mod template;

pub use certificate::{Certificate, FORMAT, SIGNED_FORMAT, Signature, Summary};
pub use template::{RuleFacts, TemplateFacts};

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::policy::{Form, Predicts};

/// The summary of a release, as `--json` prints it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Release {
    /// Rows of the input; of drawn rows see [`Release::published`].
    pub rows: u64,
    /// Rows that were released with a value in at least one quasi-identifier.
    pub released: u64,
    /// All other rows: the withheld ones, and those that were released with `*` in every
    /// quasi-identifier.
    pub suppressed: u64,
    /// Rows that are in no released class, because they were unsafe: left out, or written with `*`
    /// in every quasi-identifier where the policy asks for that. The policy's limit bounds these.
    #[serde(default)]
    pub withheld: u64,
    /// What became of the people whom rows belong to, where the policy names a subject.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub people: Option<PeopleFacts>,
    /// What was deleted from the table because it is rare, before anything else. Deleted rows are
    /// withheld, too. None where the policy deletes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted: Option<DeletedFacts>,
    /// Quasi-identifier → level; with several steps, at the first; with regions, none.
    pub levels: BTreeMap<String, usize>,
    /// The steps in which rows were released, the first included, where there is more than that
    /// one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepFacts>,
    /// The regions that rows were put into, where that was done instead of choosing levels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regions: Option<RegionFacts>,
    /// Loss → value.
    pub loss: BTreeMap<String, f64>,
    /// Loss → quasi-identifier → value, for losses that are put together from columns; without
    /// weights.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub loss_by_column: BTreeMap<String, BTreeMap<String, f64>>,
    /// Column of free text → what was scrubbed in it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub text: BTreeMap<String, TextFacts>,
    /// How the grouped rows were sampled, if the policy uses differential privacy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling: Option<SamplingFacts>,
    /// Model → requirement, figure, and whether it holds.
    pub privacy: BTreeMap<String, Claim>,
    /// Statistic → how narrowly the release bounds it, for statistics that the policy limits.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub utility: BTreeMap<String, UtilityClaim>,
    /// How released rows and originals are true of each other, where rows have cells of their own
    /// (`greedy-rows`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notions: Option<NotionFacts>,
    /// Model → facts about predicted people, if a model releases small classes because of them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub predicted: BTreeMap<String, PredictedFacts>,
    /// The errors of the predictive model that the policy names, where it names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelFacts>,
    /// How recognizable rows are by their quasi-identifiers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<Risks>,
    /// How the levels were found.
    pub search: SearchFacts,
    /// The table that was read; its rows are those that were prepared.
    pub input: FileFacts,
    /// How the rows of the files became those of the table, if the policy prepares them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preparation: Option<PreparationFacts>,
    /// The population that models compare with, where the policy names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub population: Option<FileFacts>,
    /// The table that was written.
    pub output: FileFacts,
    /// The policy that was followed.
    pub policy: PolicyFacts,
    /// Which rules of its template the policy satisfies, where it names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<TemplateFacts>,
    /// What the ledger found, where the policy has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ledger: Option<LedgerFacts>,
    /// File that the policy names → SHA-256 of its bytes: hierarchies, posets, the population. Keys
    /// are paths as the policy writes them. Certificates of format 0 have none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
    /// The seed of the row order and of every other choice left to chance.
    pub seed: u64,
    /// The version of Throng.
    pub version: String,
}

/// A release beside the earlier ones that its recipient can put together with it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerFacts {
    /// Who receives it.
    pub recipient: String,
    /// Earlier releases that it was compared with.
    pub compared: u64,
    /// The fewest candidates that a person has in all of them together; none without people.
    pub candidates: Option<u64>,
    /// People whose rows were withheld because of earlier releases. Their rows count in no other
    /// figure.
    pub withheld: u64,
    /// The last entry of the ledger that classes were built on, where they nest with earlier ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nested_on: Option<u64>,
}

/// What became of the people whom rows belong to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PeopleFacts {
    /// People of the input.
    pub people: u64,
    /// People with a row in the release.
    pub released: u64,
    /// People without one. The policy's limit bounds these as well as rows.
    pub withheld: u64,
    /// People who have a row in the release, and lost others.
    pub partly: u64,
    /// Where a recipient can see which rows belong together: the fewest people who have the same
    /// rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alike: Option<u64>,
}

/// Rare values that were deleted from the table. All other figures are of the table that is left.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeletedFacts {
    /// Rows.
    pub rows: u64,
    /// Column → cells in the rows that are left; only columns that lost some.
    pub cells: BTreeMap<String, u64>,
}

/// What was scrubbed in a column of free text, in the released rows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextFacts {
    /// Texts that are not missing.
    pub texts: u64,
    /// Kind of what was found → how often it was replaced or suppressed.
    pub found: BTreeMap<String, u64>,
    /// Words that resembled a value of their row after that, and were suppressed.
    pub suppressed: u64,
}

impl TextFacts {
    /// Adds those of other texts.
    pub fn add(&mut self, other: &TextFacts) {
        self.texts += other.texts;
        self.suppressed += other.suppressed;
        for (kind, count) in &other.found {
            *self.found.entry(kind.clone()).or_default() += count;
        }
    }
}

/// One step: rows that no earlier step could release, at a node of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepFacts {
    /// Quasi-identifier → level.
    pub levels: BTreeMap<String, usize>,
    /// Rows that it released.
    pub rows: u64,
    /// Their cells at the top of a hierarchy whose level at the first step is another.
    pub starred: u64,
}

/// Regions of rows that share their cells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegionFacts {
    /// How many there are; two may look the same and are then one class.
    pub count: u64,
    /// Quasi-identifier → how its cells are written.
    pub forms: BTreeMap<String, Form>,
    /// Whether rows of equal values are in several regions.
    pub parted: bool,
}

impl Release {
    /// What may be published of it. Where rows were drawn for differential privacy, that is
    /// only what the released rows show: the number of rows, drawn rows and suppressed rows, the
    /// losses, the time taken, and a digest of the input would each show somebody who knows all
    /// rows but one whether that one is among them. Then `rows` counts the rows of the release,
    /// `withheld` is 0, there are no losses, and of the input there is only its path.
    ///
    /// The digests of `files` stay: with differential privacy a policy cannot name a population,
    /// and its hierarchies must not depend on the table.
    #[must_use]
    pub fn published(mut self) -> Self {
        if self.sampling.is_none() {
            return self;
        }
        let rows = self.in_classes();
        (self.rows, self.suppressed, self.withheld) = (rows, rows.saturating_sub(self.released), 0);
        self.loss.clear();
        self.loss_by_column.clear();
        (self.model, self.risk, self.preparation) = (None, None, None);
        self.search = SearchFacts { checked: 1, optimal: true, gap: 0.0, seconds: 0.0, ..self.search };
        self.input = FileFacts { path: self.input.path, sha256: String::new(), rows: 0 };
        self
    }

    /// Rows that were deleted from the table before anything else.
    pub fn deleted_rows(&self) -> u64 {
        self.deleted.as_ref().map_or(0, |deleted| deleted.rows)
    }

    /// Rows that are in released classes, those with `*` in every quasi-identifier included.
    pub fn in_classes(&self) -> u64 {
        self.rows.saturating_sub(self.withheld)
    }

    /// Rows that are in released classes and have `*` in every quasi-identifier.
    pub fn blank(&self) -> u64 {
        self.suppressed.saturating_sub(self.withheld)
    }

    /// Rows that were released after the first step, and cells that were starred for it.
    pub fn rescued(&self) -> (u64, u64) {
        let later = self.steps.iter().skip(1);
        later.fold((0, 0), |(rows, starred), step| {
            (rows.saturating_add(step.rows), starred.saturating_add(step.starred))
        })
    }
}

/// How recognizable rows are, before and after.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Risks {
    /// The risk above which a row counts as at risk.
    pub threshold: f64,
    /// Of the input, had it been released as it is.
    pub before: RowRisk,
    /// Of the rows that were released.
    pub after: RowRisk,
}

/// Re-identification risk of a table's rows; the risk of a row is 1 over the number of rows
/// indistinguishable from it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct RowRisk {
    /// Rows.
    pub rows: u64,
    /// Classes.
    pub classes: u64,
    /// Rows whose quasi-identifiers no other row has.
    pub unique_rows: u64,
    /// Rows of the smallest class; 0 when there is none.
    pub smallest: u64,
    /// The highest risk.
    pub prosecutor: f64,
    /// The mean risk.
    pub marketer: f64,
    /// The share of rows whose risk is above the threshold.
    pub at_risk: f64,
}

/// How well a predictive model predicts from released rows, and how well from the same rows before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelFacts {
    /// The built-in model, or `command`.
    pub name: String,
    /// The column that it predicts.
    pub target: String,
    /// Whether that holds numbers or classes.
    pub predicts: Predicts,
    /// The quasi-identifiers that it reads.
    pub features: Vec<String>,
    /// Whether it guided the algorithm.
    pub guides: bool,
    /// The rows in released classes, which all errors are of.
    pub rows: u64,
    /// Predictions from released rows against the truth.
    pub released: ErrorFacts,
    /// Predictions from the same rows, untouched, against the truth.
    pub original: ErrorFacts,
    /// Predictions from released rows against those from untouched rows.
    pub moved: ErrorFacts,
}

/// Absolute errors over rows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ErrorFacts {
    /// Their sum.
    pub total: f64,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation, over the rows as they are.
    pub deviation: f64,
}

/// How rows were drawn for differential privacy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SamplingFacts {
    /// Asked for.
    pub epsilon: f64,
    /// Asked for.
    pub delta: f64,
    /// The probability with which every row was drawn.
    pub beta: f64,
    /// The drawn rows that a class needs to be released.
    pub k: u64,
}

/// One guarantee.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// What the policy asks for.
    pub required: f64,
    /// What the release has; none when no row was released.
    pub achieved: Option<f64>,
    /// Whether the one meets the other.
    pub holds: bool,
}

/// How narrowly a release bounds a statistic of the original. All figures follow from the release
/// and the policy; nothing of the original is in them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UtilityClaim {
    /// How wide the bounds may be.
    pub required: f64,
    /// How wide they are; none where there is no bound.
    pub achieved: Option<f64>,
    /// Whether the one meets the other.
    pub holds: bool,
    /// At most the statistic of the original; none where there is no bound.
    pub low: Option<f64>,
    /// At least the statistic of the original; none where there is no bound.
    pub high: Option<f64>,
}

/// The largest k for which a release has each notion of anonymity [Gionis 2008]. A released row is
/// *true of* an original if each of its cells covers the original value. Originals are those of
/// released rows. k-anonymity implies the others and follows from none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotionFacts {
    /// The least number of originals that a released row is true of.
    #[serde(rename = "(k,1)")]
    pub k_one: u64,
    /// The least number of released rows that are true of an original.
    #[serde(rename = "(1,k)")]
    pub one_k: u64,
    /// The lesser of both.
    #[serde(rename = "(k,k)")]
    pub k_k: u64,
    /// Rows of the smallest class of rows that look alike.
    #[serde(rename = "k-anonymity")]
    pub k: u64,
}

impl NotionFacts {
    /// From the figures of single notions.
    pub fn new(k: u64, k_one: u64, one_k: u64) -> Self {
        NotionFacts { k_one, one_k, k_k: k_one.min(one_k), k }
    }

    /// The strongest notion that holds for a k, as it is written; none where none does.
    pub fn strongest(&self, k: u64) -> Option<&'static str> {
        match self {
            _ if self.k >= k => Some("k-anonymity"),
            _ if self.k_k >= k => Some("(k,k)"),
            _ if self.k_one >= k => Some("(k,1)"),
            _ if self.one_k >= k => Some("(1,k)"),
            _ => None,
        }
    }
}

/// Why rows stay though their class has fewer than k.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PredictedFacts {
    /// The people that every class is to have.
    pub k: u64,
    /// The people whom the table was drawn from.
    pub people: u64,
    /// How sure it is, of each class by itself.
    pub confidence: f64,
    /// The source of information about people outside the table.
    pub from: Foresight,
    /// Released rows whose class has fewer than k rows.
    pub rows: u64,
    /// Which columns the network predicts from which; none where a larger table was counted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edges: Vec<PredictedBy>,
}

impl PredictedFacts {
    /// Why they stay, as a sentence goes on after their number.
    pub fn reason(&self) -> String {
        let from = match self.from {
            Foresight::Population => "as a larger table of them shows",
            Foresight::Network => "as a network of the table predicts",
        };
        format!(
            "in classes of fewer than {} rows; each class is likely (confidence {}) to have {} of {} people, {from}",
            self.k, self.confidence, self.k, self.people
        )
    }
}

/// The source of information about people outside the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Foresight {
    /// A larger table that was drawn from the same people.
    Population,
    /// A Bayesian network of the table.
    Network,
}

/// An edge of a network: a level of one column is predicted from a level of another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PredictedBy {
    /// The column that is predicted.
    pub column: String,
    /// Its level.
    pub level: usize,
    /// The column that predicts.
    pub from: String,
    /// Its level.
    pub from_level: usize,
}

/// How the levels were found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchFacts {
    /// The algorithm of the policy.
    pub algorithm: String,
    /// The algorithm whose result was released, where "best" chose it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Why "best" searched levels in place of regions, where it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The k that was reached, where the policy maximizes it: every class has at least this many
    /// rows, or people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub k: Option<u64>,
    /// Nodes of the lattice; the largest `u128` stands for more.
    #[serde(with = "nodes")]
    pub nodes: u128,
    /// Nodes whose classes were formed and judged; rounds of local recoding count a node again.
    pub checked: u64,
    /// Whether no other result of this kind can be better. Of local recoding and regions that is
    /// known only when nothing is lost.
    pub optimal: bool,
    /// How much less, at most, the loss of the best possible result could be; 0 when optimal, and
    /// the whole loss where no bound is known.
    pub gap: f64,
    /// Wall time of the search.
    pub seconds: f64,
}

impl SearchFacts {
    /// The algorithm, and the one that it chose, for a person: `best (k-similar)`.
    pub fn found_by(&self) -> String {
        match &self.method {
            Some(method) => format!("{} ({method})", self.algorithm),
            None => self.algorithm.clone(),
        }
    }

    /// The same where no bound on the loss is known: only a loss of 0 is an optimum.
    #[must_use]
    pub fn unbounded(self, loss: f64) -> Self {
        SearchFacts { optimal: loss == 0.0, gap: loss, ..self }
    }
}

/// Counts of nodes in JSON: whole numbers up to 2⁵³, which every reader takes exactly, and beyond
/// that rounded.
pub mod nodes {
    use serde::{Deserialize, Deserializer, Serializer};

    const EXACT: u128 = 1 << 53;

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Number {
        Whole(u64),
        Rounded(f64),
    }

    /// Writes a count.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(nodes: &u128, to: S) -> Result<S::Ok, S::Error> {
        match u64::try_from(*nodes) {
            Ok(exact) if *nodes <= EXACT => to.serialize_u64(exact),
            _ => to.serialize_f64(*nodes as f64),
        }
    }

    /// Reads a count.
    ///
    /// # Errors
    /// What is not a number.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u128, D::Error> {
        Ok(match Number::deserialize(from)? {
            Number::Whole(nodes) => nodes.into(),
            Number::Rounded(nodes) => nodes as u128,
        })
    }
}

/// How the rows of files became those of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreparationFacts {
    /// Rows of the files.
    pub read: u64,
    /// Rows that satisfy the condition; all where there is none.
    pub eligible: u64,
    /// Rows that are left after all steps.
    pub rows: u64,
    /// The condition on eligible rows, as the policy writes it.
    #[serde(default, rename = "where", skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// Column → cells that are not the number, date or truth value that the condition compares them
    /// with.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unreadable: BTreeMap<String, u64>,
    /// Joined files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joined: Vec<JoinFacts>,
    /// Steps, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<PreparedStep>,
}

/// A file whose rows became lists of codes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JoinFacts {
    /// The new column.
    pub column: String,
    /// The file, as the policy writes it.
    pub path: String,
    /// Its rows.
    pub rows: u64,
    /// Its distinct keys.
    pub keys: u64,
    /// Rows that belong to no row of the table, and were left out.
    pub unmatched_rows: u64,
    /// Their keys.
    pub unmatched_keys: u64,
    /// Eligible rows of the table with an empty list.
    pub empty: u64,
}

/// What a step changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreparedStep {
    /// The step, as the policy writes it.
    pub step: String,
    /// Rows that it left out, or changed cells of.
    pub rows: u64,
    /// Cells that it changed.
    pub cells: u64,
    /// Column → cells that are not the number, date or truth value that the step compares them
    /// with.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unreadable: BTreeMap<String, u64>,
}

/// A file that was read or written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FileFacts {
    /// Its path as the user gave it.
    pub path: String,
    /// SHA-256 of its bytes; of several files, of their digests in path order.
    pub sha256: String,
    /// Its rows.
    pub rows: u64,
}

/// The policy that was followed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PolicyFacts {
    /// SHA-256 of its text.
    pub sha256: String,
}
