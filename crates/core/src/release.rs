//! What was released and what is claimed of it: the JSON of the contract, and the certificate.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::{Fault, Result};
use crate::policy::Form;

/// The summary of a release, as `--json` prints it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Release {
    /// Rows of the input; of drawn rows see [`Release::published`].
    pub rows: u64,
    /// Rows that were let out with their values.
    pub released: u64,
    /// Rows that were suppressed.
    pub suppressed: u64,
    /// Quasi-identifier → level; with several steps, at the first; with regions, none.
    pub levels: BTreeMap<String, usize>,
    /// The steps in which rows were released, the first included, where there is more than that one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepFacts>,
    /// The regions that rows were put into, where that was done instead of choosing levels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regions: Option<RegionFacts>,
    /// Loss → value.
    pub loss: BTreeMap<String, f64>,
    /// Loss → quasi-identifier → value, for losses that are put together from columns; without weights.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub loss_by_column: BTreeMap<String, BTreeMap<String, f64>>,
    /// How the rows were drawn that were grouped, where differential privacy is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling: Option<SamplingFacts>,
    /// Model → what was asked, what was reached, whether it holds.
    pub privacy: BTreeMap<String, Claim>,
    /// Model → what is told of people who were predicted, where a model lets small classes out because of them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub predicted: BTreeMap<String, PredictedFacts>,
    /// How recognizable rows are by their quasi-identifiers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<Risks>,
    /// How the levels were found.
    pub search: SearchFacts,
    /// The table that was read.
    pub input: FileFacts,
    /// The population that models compare with, where the policy names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub population: Option<FileFacts>,
    /// The table that was written.
    pub output: FileFacts,
    /// The policy that was followed.
    pub policy: PolicyFacts,
    /// The seed of the row order and of every other choice left to chance.
    pub seed: u64,
    /// The version of Throng.
    pub version: String,
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
    /// What may be published of it. Where rows were drawn for differential privacy, that is what the released rows tell anyhow:
    /// how many rows there were, were drawn or were suppressed, what that lost, how long it took, and a digest of the
    /// input would each tell somebody who knows all rows but one whether that one is among them. Then `rows` counts the
    /// released rows, `suppressed` is 0, there are no losses, and of the input there is only its path.
    #[must_use]
    pub fn published(mut self) -> Self {
        if self.sampling.is_none() {
            return self;
        }
        (self.rows, self.suppressed) = (self.released, 0);
        self.loss.clear();
        self.loss_by_column.clear();
        self.risk = None;
        self.search = SearchFacts { checked: 1, optimal: true, gap: 0.0, seconds: 0.0, ..self.search };
        self.input = FileFacts { path: self.input.path, sha256: String::new(), rows: 0 };
        self
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

/// How recognizable the rows of a table are; a row's risk is 1 by the rows that cannot be told from it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct RowRisk {
    /// Rows.
    pub rows: u64,
    /// Classes.
    pub classes: u64,
    /// Rows of which no other has the same quasi-identifiers.
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

/// Why rows stay though their class has fewer than k.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PredictedFacts {
    /// The people that every class is to have.
    pub k: u64,
    /// The people whom the table was drawn from.
    pub people: u64,
    /// How sure it is, of each class by itself.
    pub confidence: f64,
    /// What tells of people who are not in the table.
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
            Foresight::Population => "as a larger table of them tells",
            Foresight::Network => "as a network of the table predicts",
        };
        format!(
            "in classes of fewer than {} rows, of which each is likely (confidence {}) to have {} of {} people, {from}",
            self.k, self.confidence, self.k, self.people
        )
    }
}

/// What tells of people who are not in the table.
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
    /// The strategy that ran.
    pub algorithm: String,
    /// Nodes of the lattice; 2⁶⁴ − 1 stands for that many or more.
    pub nodes: u64,
    /// Nodes whose classes were formed and judged.
    pub checked: u64,
    /// Whether no node can be better.
    pub optimal: bool,
    /// By how much of the loss, at most, a better node could be better; 0 when optimal.
    pub gap: f64,
    /// Wall time of the search.
    pub seconds: f64,
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

/// A release with what is needed to prove it again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// What was released.
    #[serde(flatten)]
    pub release: Release,
    /// Released columns, in order.
    pub columns: Vec<String>,
    /// Classes of the release over all quasi-identifiers.
    pub classes: u64,
    /// SHA-256 of this certificate without its seal: finds a changed certificate, not a forged one.
    pub seal: String,
}

impl Certificate {
    /// Seals a release.
    ///
    /// # Errors
    /// Only if it cannot be written as JSON, which would be a mistake of ours.
    pub fn new(release: Release, columns: Vec<String>, classes: u64) -> Result<Self> {
        let mut certificate = Certificate { release, columns, classes, seal: String::new() };
        certificate.seal = certificate.digest()?;
        Ok(certificate)
    }

    /// Whether the certificate is as it was sealed.
    ///
    /// # Errors
    /// Only if it cannot be written as JSON, which would be a mistake of ours.
    pub fn sealed(&self) -> Result<bool> {
        Ok(self.digest()? == self.seal)
    }

    fn digest(&self) -> Result<String> {
        let unsealed = Certificate { seal: String::new(), ..self.clone() };
        // Through a `Value`, so that the order of keys does not depend on how the text was laid out.
        let text = serde_json::to_value(&unsealed)
            .and_then(|v| serde_json::to_string(&v))
            .map_err(|e| Fault::bug(format!("certificate cannot be written: {e}")))?;
        Ok(Sha256::digest(text.as_bytes()).iter().map(|b| format!("{b:02x}")).collect())
    }
}
