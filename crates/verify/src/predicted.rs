//! Predicted people (j-anonymity), for the verifier.
//!
//! The probability of a class comes from the network of the original (foreseen.rs); limits and
//! probabilities come from `chances.rs`. Costs, for every class of fewer than k rows, its probability
//! and one limit.

use super::chances::{lower_limit, surely};
use super::claims::Judged;
use super::classes::Classes;
use super::foreseen::Foreseen;
use super::levels::Chain;
use super::pace::Pace;
use super::population::prediction_faults;
use super::side::Side;
use super::verdict::{Finding, WITHOUT_ORIGINAL, Wrong, several};
use throng_terms::error::Result;
use throng_terms::policy::{JAnonymity, ModelSpec, Policy};
use throng_terms::release::{Certificate, Foresight};

/// One guarantee about predicted people.
#[derive(Debug)]
pub(super) struct Prediction {
    /// The claim's name in a certificate.
    pub(super) claim: String,
    asked: JAnonymity,
}

/// Those of a policy.
pub(super) fn of(policy: &Policy) -> Vec<Prediction> {
    let prediction = |model: &ModelSpec| match model {
        ModelSpec::JAnonymity(asked) if asked.population.is_none() => {
            Some(Prediction { claim: model.claim(), asked: asked.clone() })
        }
        _ => None,
    };
    policy.privacy.models.iter().filter_map(prediction).collect()
}

impl Prediction {
    /// The most parents of a field of the network.
    pub(super) fn parents(&self) -> usize {
        self.asked.parents()
    }

    /// The requirement, as a certificate states it.
    pub(super) fn required(&self) -> f64 {
        self.asked.k as f64
    }

    /// The number of people, up to a limit, of a class with these rows and this probability, in a
    /// table of `all` rows.
    fn people(&self, rows: u64, probability: f64, all: u64, up_to: u64) -> u64 {
        let error = (1.0 - self.asked.confidence()) / 2.0;
        let others = self.asked.people.unwrap_or(0).saturating_sub(all);
        // One row belongs to the person in question, and one comes from smoothing: neither is
        // evidence about others.
        let evidence = probability * all as f64 - 2.0;
        let limit = if evidence > 0.0 { lower_limit(evidence, all as f64 - 1.0, error) } else { 0.0 };
        rows + surely(others, limit, error, up_to.saturating_sub(rows))
    }
}

/// Takes the rows of every class away that is not likely to have k people; without a network, of
/// all that have fewer than k rows.
pub(super) fn without_unsafe(
    predictions: &[Prediction],
    foreseen: Option<&Foreseen<'_>>,
    classes: &Classes,
    counts: &mut [u64],
    pace: &Pace<'_>,
) -> Result<()> {
    for prediction in predictions {
        let k = prediction.asked.k;
        for (class, count) in counts.iter_mut().enumerate().filter(|(_, count)| (1..k).contains(*count)) {
            pace.steps(256)?;
            let people = foreseen.and_then(|foreseen| {
                let probability = foreseen.probability(classes.tuples.tuple(class))?;
                Some(prediction.people(*count, probability, foreseen.rows, k))
            });
            if people.is_none_or(|people| people < k) {
                *count = 0;
            }
        }
    }
    Ok(())
}

/// Compares the class with the fewest predicted people with the requirement and the certificate.
pub(super) fn claim(
    prediction: &Prediction,
    certificate: &Certificate,
    (original, foreseen): (bool, Option<&Foreseen<'_>>),
    (chains, released, judged): (&[Chain<'_>], &Side, &Judged),
    pace: &Pace<'_>,
) -> Result<Finding> {
    let asked = &prediction.asked;
    let mut wrong = Wrong::default();
    let people = asked.people.unwrap_or(0);
    let facts = certificate.release.predicted.get(&prediction.claim);
    wrong.extend(prediction_faults(facts, (asked, people), Foresight::Network, judged));
    let Some(foreseen) = foreseen else {
        if original {
            wrong.push("no network can be made of the original");
        }
        return Ok(match Finding::of(&wrong, String::new) {
            finding if finding.holds => Finding::unchecked(WITHOUT_ORIGINAL),
            finding => finding,
        });
    };
    if let Some(unfit) = foreseen.unfit {
        wrong.push(unfit);
    }
    if facts.is_some_and(|facts| facts.edges != foreseen.edges) {
        wrong.push("the network of the original has other edges than the certificate says");
    }
    let least = fewest(prediction, foreseen, (chains, released, judged), &mut wrong, pace)?;
    let number = |people: Option<u64>| people.map_or("none".to_owned(), |people| people.to_string());
    if let Some(found) = least.filter(|&least| least < asked.k) {
        wrong.push(format!("the class of fewest has {found} predicted people, {} are required", asked.k));
    }
    let stated = certificate.release.privacy.get(&prediction.claim).map(|claim| claim.achieved);
    // For large numbers of people, a relative difference of 10⁻⁸ exceeds that between two
    // implementations, and is irrelevant.
    let alike = |stated: Option<f64>| match (stated, least) {
        (Some(stated), Some(least)) => (stated - least as f64).abs() <= 1e-8 * least as f64,
        (stated, least) => stated.is_none() && least.is_none(),
    };
    if !stated.is_some_and(alike) {
        wrong.push(format!(
            "the class of fewest has {} predicted people, the certificate says {}",
            number(least),
            stated.flatten().map_or("none".to_owned(), |stated| stated.to_string())
        ));
    }
    Ok(Finding::of(&wrong, || match least {
        Some(least) => format!(
            "the class of fewest has {least} predicted people of {people}, {} are required; {} in classes of fewer rows",
            asked.k,
            several(facts.map_or(0, |facts| facts.rows), "row")
        ),
        None => "no row is released".into(),
    }))
}

/// The people of the released class that has fewest.
fn fewest(
    prediction: &Prediction,
    foreseen: &Foreseen<'_>,
    (chains, released, judged): (&[Chain<'_>], &Side, &Judged),
    wrong: &mut Wrong,
    pace: &Pace<'_>,
) -> Result<Option<u64>> {
    let looks = foreseen.people.looks(chains, released, pace)?;
    let mut classes: Vec<(u64, usize)> = Vec::new();
    for (class, &rows) in judged.counts.iter().enumerate().filter(|(_, rows)| **rows > 0) {
        match looks.get(&class) {
            Some(&of) => classes.push((rows, of)),
            None => wrong.add(|| "a released class is none of the original".into()),
        }
    }
    classes.sort_unstable();
    let mut least: Option<u64> = None;
    for (rows, of) in classes {
        // No class has fewer people than rows.
        if least.is_some_and(|least| least <= rows) {
            break;
        }
        pace.steps(256)?;
        let probability = foreseen.probability(foreseen.people.tuple(of)).unwrap_or(0.0);
        let found = prediction.people(rows, probability, foreseen.rows, least.unwrap_or(u64::MAX));
        least = Some(least.map_or(found, |least| least.min(found)));
    }
    Ok(least)
}
