//! What a certificate states of the predictive model that the policy names.
//!
//! The model is not fitted a second time here, so its errors are not recomputed, and the verdict
//! states that. What must hold without it is tested: the model is that of the policy, its rows are
//! those of the released classes, and its figures are possible. Costs nothing.

use super::verdict::{Finding, Wrong};
use throng_terms::policy::{Policy, Role};
use throng_terms::registry::MODEL_LOSS;
use throng_terms::release::{ErrorFacts, ModelFacts, Release};

/// By how much a total may differ from mean × rows, of its size.
const TOLERANCE: f64 = 1e-9;

const UNFITTED: &str = "not checked: the model is not fitted again, and its errors are not recomputed; \
                        name, target, features and rows are as in the policy and the release";

/// The claims about the model of a release: its errors, and the loss that follows from them.
pub(super) fn claims(policy: &Policy, release: &Release) -> Vec<(String, Finding)> {
    let loss = release.loss.get(MODEL_LOSS).copied();
    let mut wrong = Wrong::default();
    let Some(facts) = &release.model else {
        if loss.is_some() {
            wrong.push("there is a loss of a model, and nothing about the model");
        }
        let finding = Finding::of(&wrong, String::new);
        return loss.map(|_| ("model".into(), finding)).into_iter().collect();
    };
    named(policy, facts, &mut wrong);
    let rows = release.in_classes();
    if facts.rows != rows {
        wrong.push(format!("errors of {} rows, and {rows} are in released classes", facts.rows));
    }
    for (name, errors) in
        [("released", &facts.released), ("original", &facts.original), ("moved", &facts.moved)]
    {
        if !possible(errors, facts.rows) {
            wrong.push(format!("`{name}` has a total, a mean and a deviation that cannot be of {rows} rows"));
        }
    }
    // |a − c| ≤ |a − b| + |b − c| for every row.
    let (far, near) = (facts.released.total, facts.original.total + facts.moved.total);
    if far > near + TOLERANCE * near.abs().max(1.0) {
        wrong.push("errors of released rows are larger than those of untouched rows and the difference");
    }
    lost(release, facts, loss, &mut wrong);
    let finding = Finding::of(&wrong, String::new);
    let finding = if finding.holds { Finding::unchecked(UNFITTED) } else { finding };
    vec![("model".into(), finding)]
}

/// Whether the model is that of the policy.
fn named(policy: &Policy, facts: &ModelFacts, wrong: &mut Wrong) {
    let Some(spec) = &policy.search.model else {
        wrong.push("the policy names no model");
        return;
    };
    let quasi: Vec<String> = policy.with_role(Role::Quasi).into_iter().map(String::from).collect();
    let mut features = spec.features.clone().unwrap_or(quasi);
    let mut stated = facts.features.clone();
    features.sort_unstable();
    stated.sort_unstable();
    let same = [
        ("name", facts.name == spec.name()),
        ("target", facts.target == spec.target),
        ("features", stated == features),
        ("predicts", spec.predicts.is_none_or(|asked| asked == facts.predicts)),
        ("guides", facts.guides == spec.guides),
    ];
    for (key, _) in same.into_iter().filter(|(_, same)| !same) {
        wrong.push(format!("`{key}` of the model is not that of the policy"));
    }
}

/// Whether the loss fits the errors: it is the mean of what moved over all rows that were not
/// deleted, so that it is that of the released rows where none is suppressed.
fn lost(release: &Release, facts: &ModelFacts, loss: Option<f64>, wrong: &mut Wrong) {
    let Some(loss) = loss else {
        wrong.push("there is no loss of the model");
        return;
    };
    let rows = release.rows.saturating_sub(release.deleted_rows());
    let (total, moved) = (loss * rows as f64, facts.moved.total);
    let tolerance = TOLERANCE * total.abs().max(moved.abs()).max(1.0);
    let enough = total >= moved - tolerance;
    let exact = facts.rows < rows || total <= moved + tolerance;
    if !(loss.is_finite() && enough && exact) {
        wrong.push("the loss of the model does not fit what moved");
    }
}

fn possible(errors: &ErrorFacts, rows: u64) -> bool {
    let ErrorFacts { total, mean, deviation } = *errors;
    let sum = mean * rows as f64;
    let finite = [total, mean, deviation].iter().all(|figure| figure.is_finite() && *figure >= 0.0);
    finite && (sum - total).abs() <= TOLERANCE * total.max(1.0)
}

/// What is said of the loss of a model.
pub(super) fn loss(key: &str) -> Option<&'static str> {
    (key == MODEL_LOSS).then_some("not checked: the model is not fitted again")
}
