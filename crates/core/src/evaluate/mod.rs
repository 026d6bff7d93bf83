//! Evaluate: what models still learn from a release, by method and k, and which loss predicts it.
//!
//! A part of the rows is held out. The others are released as the policy decides, with every
//! setting; models learn from each release, reading its cells directly and by their middle, and
//! from the original rows, and are tested on the held-out rows as they were. Beside the scores
//! stand all losses of the release and its similarity to the original; correlations over settings
//! say which of them goes along with what models learn. The question is that of machine learning on
//! anonymized data [Iyengar 2002; Rodríguez-Hoyos 2018]. The core reads no clock: which models an
//! automatic selection tries follows from estimates, and the caller's watch can only end it early.
//! Costs the decisions, and for every setting the models twice.

mod correlation;
mod metrics;
mod rows;
mod run;
mod scope;
mod select;
mod similarity;
mod split;
mod target;
mod tested;
mod text;

#[cfg(test)]
mod tests;

pub use correlation::{Correlation, MeasureCorrelations};
pub use metrics::{Scored, Scores};
pub use run::{Asked, evaluate};
pub use scope::{Needed, Scope, methods, needed};
pub use select::Selected;
pub use similarity::Similarity;
pub use text::evaluation_text;
pub(crate) use text::group_change;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::predict::spread::Family;
use crate::suggest::Status;

/// How cells were read where a model learned from the original.
pub const ORIGINAL: &str = "original";
/// How cells were read as distributions over what they cover.
pub const DIRECT: &str = "direct";
/// How cells were read as the middle of what they cover.
pub const MIDDLE: &str = "middle";

/// The scores of a group of held-out rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupScores {
    /// The value of the column that forms groups.
    pub group: String,
    /// How well the model does on these rows.
    pub scores: Scores,
    /// The difference to the same model trained on the original. Where a higher score is better, a
    /// value below 0 means that the group pays for privacy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<Scores>,
}

/// The scores of a model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModelScores {
    /// The family of the model.
    pub model: Family,
    /// How the rows that it learned from were read: `original`, `direct` or `middle`.
    pub reading: &'static str,
    /// How well it does on held-out original rows: means over repeats.
    #[serde(flatten)]
    pub scores: Scores,
    /// Standard deviations over repeats, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deviation: Option<Scores>,
    /// The same by group.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupScores>,
}

/// A setting with what came of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SettingResult {
    /// Its number, from 1.
    pub id: usize,
    /// The method.
    pub method: String,
    /// The loss that the method keeps small.
    pub searched: String,
    /// k; none where the policy has none.
    pub k: Option<u64>,
    /// How it ended.
    pub status: Status,
    /// Why there are no figures, where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Rows of the training part that are released, and that are suppressed.
    pub released: f64,
    /// Suppressed rows.
    pub suppressed: f64,
    /// Loss → value, of the training part.
    pub losses: BTreeMap<String, f64>,
    /// How similar the release is to the training part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub similarity: Option<Similarity>,
    /// What models learn.
    pub models: Vec<ModelScores>,
    /// The model that was selected automatically, learning from this release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selected: Option<Selected>,
}

impl SettingResult {
    /// Everything that measures loss: losses, and distances from the original.
    pub fn measures(&self) -> BTreeMap<String, f64> {
        let mut all = self.losses.clone();
        if let Some(found) = &self.similarity {
            all.insert("pmse".into(), found.pmse);
            all.insert("marginal-distance".into(), found.marginals);
            all.insert("pair-distance".into(), found.pairs);
        }
        all
    }

    /// The models that read cells directly.
    pub fn direct(&self) -> impl Iterator<Item = &ModelScores> {
        self.models.iter().filter(|model| model.reading == DIRECT)
    }

    /// The mean of a score over the models that read cells directly.
    pub fn mean_score(&self, of: fn(&Scores) -> Option<f64>) -> Option<f64> {
        let all: Vec<f64> = self.direct().filter_map(|model| of(&model.scores)).collect();
        (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
    }
}

/// What models learn from releases of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Evaluation {
    /// The column that is predicted.
    pub target: String,
    /// Its classes; none of numbers.
    pub classes: Vec<String>,
    /// The columns that it is predicted from: the quasi-identifiers.
    pub features: Vec<String>,
    /// The column that forms groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Rows that models learn from: the mean over repeats.
    pub training: f64,
    /// Rows that they are tested on.
    pub held_out: f64,
    /// Whether people were held out, with all of their rows.
    pub people: bool,
    /// How often the table was divided.
    pub repeats: u32,
    /// Scores without learning: the most frequent class with the chances of all, or the mean.
    pub baseline: Scores,
    /// What models learn from the original.
    pub original: Vec<ModelScores>,
    /// The model that was selected automatically, learning from the original.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selected: Option<Selected>,
    /// The settings, by method and k.
    pub settings: Vec<SettingResult>,
    /// Every measure of loss with its correlations, the strongest first.
    pub correlations: Vec<MeasureCorrelations>,
    /// Settings that were planned.
    pub planned: usize,
    /// Whether everything planned was done.
    pub finished: bool,
    /// What the automatic selection was given, and how it went.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selection: Option<Selection>,
}

/// How an automatic selection went.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Selection {
    /// Seconds that were given.
    pub seconds: f64,
    /// Models with parameters that were planned, by estimated cost.
    pub planned: usize,
    /// Of these, those that were compared on every release.
    pub tried: usize,
    /// Models that there are; more seconds plan more of them.
    pub known: usize,
}
