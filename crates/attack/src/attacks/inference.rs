//! Attribute inference: how much better does a model that was trained on the release guess the
//! target's sensitive value than one that was trained without this person? [Stadler 2022; Giomi
//! 2023]
//!
//! The model is naive Bayes over generalized cells, corrected by the rows that can be the target's
//! (`bayes.rs`). What it knows about everybody with the target's quasi-identifiers, it also knows
//! without the target; only the difference is a risk of taking part. If the population has the
//! sensitive column, the same model also guesses for people outside the release.

use throng_terms::error::Result;
use throng_terms::watch::Watch;

use crate::attack::{Attack, Criterion, Finding, Need};
use crate::bayes::{Guess, Model};
use crate::rate::Rate;
use crate::scene::Scene;
use crate::view::Targets;

pub(crate) struct Inference;

impl Attack for Inference {
    fn name(&self) -> &'static str {
        "inference"
    }

    fn criterion(&self) -> Criterion {
        Criterion::Inference
    }

    fn means(&self) -> &'static str {
        "The adversary knows the target's quasi-identifiers; a model that was trained on the release guesses the target's value."
    }

    fn needs(&self) -> &'static [Need] {
        &[Need::Original, Need::Sensitive]
    }

    fn run(&self, scene: &Scene, watch: &Watch) -> Result<Vec<Finding>> {
        let mut findings = Vec::new();
        for &column in &scene.sensitive {
            let name = &scene.roles.sensitive[column];
            let model = Model::new(scene, column);
            watch.check()?;
            let targets = scene.targets()?;
            let guesses = model.guesses(targets, watch)?;
            let right = |targets: &Targets, guesses: &[Guess], of: fn(&Guess) -> Option<u32>| {
                let right = |guess: &&Guess| of(guess) == Some(targets.own(column, guess.target));
                Rate::new(guesses.iter().filter(right).count() as u64, guesses.len() as u64)
            };
            let success = right(targets, &guesses, |guess| guess.with);
            let without = right(targets, &guesses, |guess| guess.without);
            let control = (without, "the same model, trained without this person");
            findings.push(Finding::new(self, success, control).about(name));
            if let Some(outside) = scene.outside.as_ref().filter(|outside| !outside.values[column].is_empty())
            {
                let guesses = model.guesses(outside, watch)?;
                let control = (
                    right(outside, &guesses, |guess| guess.with),
                    "the same model, about people outside the release",
                );
                findings.push(Finding::new(self, success, control).about(name).form("outsiders"));
            }
        }
        Ok(findings)
    }
}
