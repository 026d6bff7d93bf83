//! Attribute inference: a model that was trained on the release guesses the target's sensitive
//! value [Giomi 2023; Stadler 2022]. The control is the same guess for people outside the release, if
//! the population has the sensitive column, and otherwise a model without the target's own row.
//!
//! The model is the most frequent value among the rows that can be the target's: the best guess by
//! the released table for somebody who knows the quasi-identifiers. Where nothing covers the target,
//! it is the most frequent value of all.

use throng_terms::error::Result;
use throng_terms::watch::Watch;

use crate::attack::{Attack, Criterion, Finding, Need};
use crate::scene::{Belief, Scene};

pub(crate) struct Inference;

impl Attack for Inference {
    fn name(&self) -> &'static str {
        "inference"
    }

    fn criterion(&self) -> Criterion {
        Criterion::Inference
    }

    fn means(&self) -> &'static str {
        "The adversary knows the target's quasi-identifiers; the most frequent value of the rows that can be the target's is the target's."
    }

    fn needs(&self) -> &'static [Need] {
        &[Need::Original, Need::Sensitive]
    }

    fn run(&self, scene: &Scene, watch: &Watch) -> Result<Vec<Finding>> {
        let mut findings = Vec::new();
        for &column in &scene.sensitive {
            watch.check()?;
            let overall = most_frequent(&scene.shares[column]);
            let values = &scene.view.values[column];
            let success =
                scene.believed(column, values, |belief, own| belief.mode().or(overall) == Some(own))?;
            let outside = scene.outside.as_ref().filter(|outside| !outside.values[column].is_empty());
            let control = match outside {
                Some(outside) => {
                    let right = |belief: &Belief<'_>, own| belief.mode().or(overall) == Some(own);
                    let control = scene.believed_of(outside, column, values, right);
                    (control, "the same guess for people outside the release")
                }
                None => {
                    let right = |belief: &Belief<'_>, own| without(belief, own).or(overall) == Some(own);
                    (scene.believed(column, values, right)?, "the same guess without the target's own row")
                }
            };
            findings.push(Finding::new(self, success, control).about(&scene.roles.sensitive[column]));
        }
        Ok(findings)
    }
}

fn most_frequent(shares: &[f64]) -> Option<u32> {
    let best = shares.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1).then(b.0.cmp(&a.0)));
    best.filter(|(_, share)| **share > 0.0).map(|(code, _)| code as u32)
}

/// The most frequent value without one row of the target's own value.
fn without(belief: &Belief<'_>, own: u32) -> Option<u32> {
    let count = |entry: &(u32, u32)| entry.1 - u32::from(entry.0 == own);
    let best = belief.values.iter().max_by_key(|entry| (count(entry), std::cmp::Reverse(entry.0)));
    best.filter(|entry| count(entry) > 0).map(|entry| entry.0)
}
