//! A decision as others read it: the figures of a certificate.

use std::collections::BTreeMap;

use super::{Decision, Figures};
use crate::error::Result;
use crate::policy::Policy;
use crate::release::{FileFacts, PolicyFacts, PreparationFacts, Release, SamplingFacts, TextFacts};
use crate::sampling::Sampling;
use crate::search::Problem;

/// What is known of a release beside the decision.
#[derive(Debug, Clone)]
pub struct Circumstances {
    /// Rows that were decided about: of the table, or of the part of it that was drawn.
    pub rows: u64,
    /// The table.
    pub input: FileFacts,
    /// How its rows were prepared, if the policy asks for it.
    pub preparation: Option<PreparationFacts>,
    /// The population that it was compared with.
    pub population: Option<FileFacts>,
    /// The released table.
    pub output: FileFacts,
    /// SHA-256 of the policy.
    pub policy_sha256: String,
    /// Path in the policy → SHA-256, of every other file that influenced the decision.
    pub files: BTreeMap<String, String>,
    /// Column of free text → what was scrubbed in it.
    pub text: BTreeMap<String, TextFacts>,
    /// The seed.
    pub seed: u64,
}

impl Decision {
    /// What a certificate states of this decision.
    ///
    /// # Errors
    /// An ε or δ out of range.
    pub fn release(
        &self,
        policy: &Policy,
        problem: &Problem,
        figures: &Figures,
        circumstances: Circumstances,
    ) -> Result<Release> {
        let Circumstances { rows, input, preparation, population, output, policy_sha256, files, text, seed } =
            circumstances;
        let deleted = problem.deletion.as_ref().map(|deletion| deletion.facts().clone());
        let withheld = self.recoded.suppressed_rows() + deleted.as_ref().map_or(0, |deleted| deleted.rows);
        let blank = figures.stars.blank;
        Ok(Release {
            rows,
            released: rows - withheld - blank,
            suppressed: withheld + blank,
            withheld,
            people: figures.people,
            deleted,
            levels: self.levels(&problem.names),
            steps: self.step_facts(&problem.names, &problem.hierarchies),
            regions: self.region_facts(&problem.names),
            loss: figures.loss.clone(),
            loss_by_column: figures.loss_by_column.clone(),
            text,
            sampling: sampling_facts(policy)?,
            privacy: figures.privacy.clone(),
            utility: figures.utility.clone(),
            notions: self.own_sets().and_then(|own| own.notions),
            predicted: figures.predicted.clone(),
            model: self.model.as_ref().map(|model| model.facts.clone()),
            risk: Some(figures.risks()),
            search: self.search.clone(),
            input,
            preparation,
            population,
            output,
            policy: PolicyFacts { sha256: policy_sha256 },
            template: None,
            ledger: None,
            files,
            seed,
            version: env!("CARGO_PKG_VERSION").into(),
        })
    }
}

/// How rows are drawn, as a certificate states it.
fn sampling_facts(policy: &Policy) -> Result<Option<SamplingFacts>> {
    let Some(asked) = policy.differential_privacy() else { return Ok(None) };
    let sampling = Sampling::new(asked.epsilon, asked.delta)?;
    let (epsilon, delta) = (asked.epsilon, asked.delta);
    Ok(Some(SamplingFacts { epsilon, delta, beta: sampling.beta(), k: sampling.k() }))
}
