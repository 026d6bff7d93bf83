//! Models of sensitive columns against their definitions, on random classes and in random searches.

use std::collections::BTreeMap;

use proptest::prelude::*;
use throng::model::{self, Bound, Class, PrivacyModel, Sensitive};
use throng::policy::{Diversity, LDiversity, ModelSpec};
use throng::search::{Budget, Evaluator, Outcome, solve, strategy};

use crate::instances::{instance, levels, problem};
use crate::naive::Instance;

/// The value that stands for a missing cell.
const MISSING: usize = 3;

fn diversity(kind: Diversity, l: f64, c: Option<f64>) -> ModelSpec {
    ModelSpec::LDiversity(LDiversity { column: "s".into(), kind, l, c })
}

fn spec() -> impl Strategy<Value = ModelSpec> {
    prop_oneof![
        (1u8..4).prop_map(|l| diversity(Diversity::Distinct, l.into(), None)),
        (1.0f64..3.0).prop_map(|l| diversity(Diversity::Entropy, l, None)),
        (1u8..4).prop_map(|l| diversity(Diversity::Entropy, l.into(), None)),
        (1u8..4, 1u8..9).prop_map(|(l, c)| diversity(
            Diversity::Recursive,
            l.into(),
            Some(f64::from(c) / 2.0)
        )),
    ]
}

fn built(asked: &ModelSpec, strict: bool) -> Box<dyn PrivacyModel> {
    model::build(asked, Sensitive { measured: 0, missing: Some(MISSING as u32) }, strict)
}

/// How often each value occurs.
fn counted(values: &[usize]) -> BTreeMap<usize, usize> {
    let mut counts = BTreeMap::new();
    values.iter().for_each(|&value| *counts.entry(value).or_default() += 1);
    counts
}

/// Whether rows with these values are safe, by the definition.
fn safe(asked: &ModelSpec, values: &[usize]) -> bool {
    let present: Vec<usize> = values.iter().copied().filter(|&v| v != MISSING).collect();
    let counts = counted(&present);
    match asked {
        ModelSpec::LDiversity(LDiversity { kind, l, c, .. }) => match kind {
            Diversity::Distinct => counts.len() as f64 >= *l,
            Diversity::Entropy => {
                let share = |&n: &usize| n as f64 / present.len() as f64;
                let entropy: f64 = counts.values().map(share).map(|p| -p * p.ln()).sum();
                !present.is_empty() && entropy >= l.ln() - 1e-9
            }
            Diversity::Recursive => {
                let mut rows: Vec<usize> = counts.into_values().collect();
                rows.sort_unstable();
                rows.reverse();
                let tail: usize = rows.iter().skip(*l as usize - 1).sum();
                rows.first().is_some_and(|&most| (most as f64) < c.unwrap() * tail as f64)
            }
        },
    }
}

/// What the crate says of rows with these values.
fn judged(model: &dyn PrivacyModel, values: &[usize]) -> bool {
    let (codes, counts): (Vec<u32>, Vec<u32>) =
        counted(values).into_iter().map(|(v, n)| (v as u32, n as u32)).unzip();
    let model = model.of_class().expect("a class-wise model");
    model.bound().holds(model.figure(Class { codes: &codes, counts: &counts }))
}

/// The rows that k or the model leaves unsafe at a node.
fn unsafe_rows(instance: &Instance, asked: &ModelSpec, node: &[usize]) -> u64 {
    let mut classes: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
    for (row, &value) in instance.rows.iter().zip(&instance.labels[0]) {
        let label = |c: usize| instance.columns[c].paths[row[c]][node[c]];
        classes.entry((0..row.len()).map(label).collect()).or_default().push(value);
    }
    let flagged = classes.values().filter(|values| values.len() < instance.k || !safe(asked, values));
    flagged.map(|values| values.len() as u64).sum()
}

proptest! {
    #[test]
    fn a_class_is_judged_by_the_definition(
        asked in spec(),
        values in prop::collection::vec(0usize..5, 1..25),
    ) {
        prop_assert_eq!(judged(&*built(&asked, false), &values), safe(&asked, &values));
    }

    #[test]
    fn safe_classes_stay_safe_together_and_monotone_ones_with_any(
        asked in spec(),
        a in prop::collection::vec(0usize..5, 1..12),
        b in prop::collection::vec(0usize..5, 1..12),
    ) {
        let model = built(&asked, false);
        let both = [a.clone(), b.clone()].concat();
        let (a, b) = (judged(&*model, &a), judged(&*model, &b));
        prop_assert!(!(a && b) || judged(&*model, &both));
        prop_assert!(!(a && model.monotone()) || judged(&*model, &both));
        prop_assert!(built(&asked, true).monotone());
    }

    #[test]
    fn searches_with_a_model_find_what_brute_force_finds(instance in instance(), asked in spec()) {
        let instance = Instance { groups: Vec::new(), ..instance };
        let Some(mut problem) = problem(&instance) else { return Ok(()) };
        problem.models.push(built(&asked, problem.max_suppressed == 0));
        let mut evaluator = Evaluator::new(&problem);
        let mut best: Option<f64> = None;
        for node in problem.lattice.iter() {
            let judgement = evaluator.judge(&node);
            prop_assert_eq!(judgement.suppressed, unsafe_rows(&instance, &asked, &levels(&node)));
            if judgement.safe {
                let loss = evaluator.solution(&node).loss;
                best = Some(best.map_or(loss, |best| best.min(loss)));
            }
        }
        for name in ["mingen", "auto", "ola"] {
            let strategy = strategy(name).unwrap();
            if let Some(fault) = strategy.refuses(&problem) {
                let monotone = problem.models.iter().all(|m| m.monotone());
                prop_assert!(name == "ola" && !(monotone && problem.loss.monotone()), "{}", fault);
                continue;
            }
            match (solve(&problem, strategy, &Budget::unlimited()).unwrap().0, best) {
                (Outcome::Infeasible { .. }, None) => {}
                (Outcome::Found { best: found, gap }, Some(best)) => {
                    prop_assert_eq!(gap, 0.0);
                    prop_assert!((found.loss - best).abs() <= 1e-9 * best.abs().max(1.0), "{}", name);
                }
                (outcome, best) => prop_assert!(false, "{name}: {outcome:?} against {best:?}"),
            }
        }
    }
}

/// Machanavajjhala et al. 2006: 4-anonymous patients of whom one class has cancer alone, and one with three
/// illnesses of which heart disease is half.
#[test]
fn the_textbook_classes() {
    let cancer = [0, 0, 0, 0];
    let mixed = [0, 1, 1, 2];
    for (kind, l, c) in [
        (Diversity::Distinct, 2.0, None),
        (Diversity::Entropy, 2.0, None),
        (Diversity::Recursive, 2.0, Some(3.0)),
    ] {
        let model = built(&diversity(kind, l, c), false);
        assert!(!judged(&*model, &cancer), "k-anonymity lets it through, {kind:?} does not");
        assert!(judged(&*model, &mixed), "{kind:?}");
    }
    let figure = |kind, l, c, values: &[usize]| {
        let (codes, counts): (Vec<u32>, Vec<u32>) =
            counted(values).into_iter().map(|(v, n)| (v as u32, n as u32)).unzip();
        let model = built(&diversity(kind, l, c), false);
        model.of_class().unwrap().figure(Class { codes: &codes, counts: &counts })
    };
    assert_eq!(figure(Diversity::Distinct, 2.0, None, &mixed), 3.0);
    // 2^1.5: half, a quarter, a quarter.
    assert!((figure(Diversity::Entropy, 2.0, None, &mixed) - 8f64.sqrt()).abs() < 1e-12);
    // r₁ = 2, r₂ + r₃ = 2, so c must be above 1.
    assert_eq!(figure(Diversity::Recursive, 2.0, Some(3.0), &mixed), 1.0);
    assert!(!judged(&*built(&diversity(Diversity::Recursive, 2.0, Some(1.0)), false), &mixed));
    assert!(!Bound::Below(1.0).holds(1.0) && Bound::AtMost(1.0).holds(1.0));
}

#[test]
fn many_values_are_ordered_too() {
    // l above what is kept in place: r₁ = 41, the rows of the 40 most frequent are left out.
    let values: Vec<usize> = (0..42).flat_map(|v| vec![v + 10; v + 1]).collect();
    let rare = 1 + 2;
    let bound = |c: f64| judged(&*built(&diversity(Diversity::Recursive, 41.0, Some(c)), false), &values);
    assert!(bound(42.0 / f64::from(rare) + 0.1) && !bound(42.0 / f64::from(rare) - 0.1));
}

#[test]
fn a_missing_cell_protects_nobody() {
    for (kind, c) in
        [(Diversity::Distinct, None), (Diversity::Entropy, None), (Diversity::Recursive, Some(9.0))]
    {
        let model = built(&diversity(kind, 2.0, c), false);
        assert!(!judged(&*model, &[0, 0, MISSING, MISSING]), "{kind:?}");
        assert!(!judged(&*model, &[MISSING, MISSING]), "{kind:?}");
        assert!(judged(&*model, &[0, 1, MISSING, MISSING, MISSING]), "{kind:?}");
    }
}
