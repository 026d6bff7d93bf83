//! What a certificate states of a predictive model: not recomputed, and tested as far as it can be.

use super::hand::{people, tamper};
use super::{Case, Made};
use throng_terms::policy::Predicts;
use throng_terms::release::{ErrorFacts, ModelFacts};

/// The nine people, with a model that measures: `note` is what it predicts.
fn measured() -> Case {
    let people = people();
    let policy = people.policy.replace("role = \"keep\"", "role = \"target\"");
    let model =
        "model = { builtin = \"tree\", target = \"note\", features = [\"zip\", \"age\"], guides = false }\n";
    Case { policy: policy.replace("[search]\n", &format!("[search]\n{model}")), ..people }
}

fn facts() -> ModelFacts {
    let errors = |total: f64| ErrorFacts { total, mean: total / 8.0, deviation: 0.25 };
    ModelFacts {
        name: "tree".into(),
        target: "note".into(),
        predicts: Predicts::Class,
        features: vec!["age".into(), "zip".into()],
        guides: false,
        rows: 8,
        released: errors(5.0),
        original: errors(2.0),
        moved: errors(4.0),
    }
}

fn stated(change: impl Fn(&mut ModelFacts)) -> impl Fn(&mut Made) {
    move |made| {
        let mut facts = facts();
        change(&mut facts);
        made.certificate.release.model = Some(facts);
        made.certificate.release.loss.insert("model".into(), 0.5);
        made.seal();
    }
}

#[test]
fn errors_of_a_model_are_named_as_not_checked() {
    let case = measured();
    let mut made = case.release();
    stated(|_| {})(&mut made);
    let verdict = case.judge(&made, true);
    assert!(verdict.holds(), "{verdict:#?}");
    assert_eq!(verdict.unchecked().collect::<Vec<_>>(), ["loss: model", "model"]);
    assert!(verdict.claims["model"].found.contains("errors are not recomputed"));
}

#[test]
fn figures_that_cannot_be_of_this_release_do_not_hold() {
    let case = measured();
    let wrong = |change: fn(&mut ModelFacts)| tamper(&case, stated(change), "model", "model");
    wrong(|m| m.name = "forest".into());
    wrong(|m| m.target = "illness".into());
    wrong(|m| m.features = vec!["age".into()]);
    wrong(|m| m.guides = true);
    wrong(|m| m.rows = 9);
    wrong(|m| m.released.mean = 0.1);
    wrong(|m| m.original.total = -2.0);
    wrong(|m| m.moved.deviation = -1.0);
    // No row can be off by more than untouched rows are and predictions have moved.
    wrong(|m| m.released = ErrorFacts { total: 7.0, mean: 7.0 / 8.0, deviation: 0.25 });
    tamper(&people(), stated(|_| {}), "model", "model");
}

/// The loss is the mean over nine rows; the eight that were released moved by 4 in all.
#[test]
fn a_loss_that_does_not_fit_the_errors_does_not_hold() {
    let case = measured();
    let with = |model: Option<ModelFacts>, loss: Option<f64>| {
        move |made: &mut Made| {
            made.certificate.release.model.clone_from(&model);
            made.certificate.release.loss.extend(loss.map(|loss| ("model".to_owned(), loss)));
            made.seal();
        }
    };
    for loss in [None, Some(3.9 / 9.0)] {
        tamper(&case, with(Some(facts()), loss), "model", "model");
    }
    tamper(&case, with(None, Some(0.5)), "model", "model");
    let mut made = case.release();
    with(Some(facts()), Some(4.0 / 9.0))(&mut made);
    assert!(case.judge(&made, true).holds());
}
