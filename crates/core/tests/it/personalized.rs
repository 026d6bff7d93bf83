//! Personalized privacy against its definition, row by row.

use std::collections::BTreeMap;

use proptest::prelude::*;
use throng::classes::Flags;
use throng::hierarchy::{Hierarchy, Path};
use throng::model::{self, PrivacyModel, Setting, Values};
use throng::policy::{ModelSpec, Personalized};
use throng::search::{Evaluator, Outcome, solve, strategy};
use throng::table::Dictionary;
use throng::watch::Watch;

use crate::instances::{flat, instance, levels, problem};
use crate::naive::Instance;

/// The value that stands for a missing cell.
const MISSING: usize = 3;

/// A row's value and guarding node: 0 and 1 are under a, 2 and 4 under b, all under *.
fn is_under(value: usize, node: &str) -> bool {
    match node {
        "a" => value < 2,
        "b" => value == 2 || value == 4,
        "*" => value != MISSING,
        leaf => value.to_string() == leaf,
    }
}

/// The model of the measured columns 1, of values, and 0, of these guarding nodes.
fn built(breach: f64, nodes: &[Option<&str>]) -> throng::error::Result<Box<dyn PrivacyModel>> {
    let texts = Dictionary::of([Some("0"), Some("1"), Some("2"), None, Some("4")]);
    let path = |v: &str, kind: &str| Path { leaf: v.into(), labels: vec![kind.into()] };
    let paths = vec![path("0", "a"), path("1", "a"), path("2", "b"), path("4", "b")];
    let hierarchy = Hierarchy::new(paths, true).unwrap();
    let column = Values {
        name: "s",
        measured: 1,
        texts: &texts,
        rows: &[1; 5],
        hierarchy: Some(&hierarchy),
        listed: true,
    };
    // Codes are given in order of first sight, so that every code of the table has its own.
    let mut guards = Dictionary::new();
    for node in nodes {
        guards.add(*node, 1);
    }
    let rows = vec![1; guards.len()];
    let guard =
        Values { name: "g", measured: 0, texts: &guards, rows: &rows, hierarchy: None, listed: false };
    let asked = ModelSpec::Personalized(Personalized { column: "s".into(), guard: "g".into(), breach });
    model::build(
        &asked,
        &Setting { column: Some(&column), guard: Some(&guard), strict: true, ..Setting::default() },
    )
}

/// The rows that k or a breach leaves unsafe at a node, and the largest breach probability of the
/// others.
fn naive(instance: &Instance, nodes: &[Option<&str>], breach: f64, node: &[usize]) -> (u64, Option<f64>) {
    let mut classes: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
    for (at, row) in instance.rows.iter().enumerate() {
        let label = |c: usize| instance.columns[c].paths[row[c]][node[c]];
        classes.entry((0..row.len()).map(label).collect()).or_default().push(at);
    }
    let (mut held, mut worst) = (0, None::<f64>);
    for rows in classes.values() {
        let values: Vec<usize> =
            rows.iter().map(|&row| instance.labels[1][row]).filter(|&v| v != MISSING).collect();
        let probability = |&row: &usize| match nodes[instance.labels[0][row]] {
            Some(node) if !values.is_empty() => {
                values.iter().filter(|&&v| is_under(v, node)).count() as f64 / values.len() as f64
            }
            _ => 0.0,
        };
        let most = rows.iter().map(probability).fold(0.0, f64::max);
        if rows.len() < instance.k || most > breach + 1e-9 {
            held += rows.len() as u64;
        } else {
            worst = Some(worst.map_or(most, |worst| worst.max(most)));
        }
    }
    (held, worst)
}

proptest! {
    #[test]
    fn searches_find_what_brute_force_finds(
        instance in instance(),
        nodes in prop::sample::subsequence(vec![None, Some("a"), Some("b"), Some("*"), Some("0"), Some("2")], 2),
        breach in 1u8..=10,
    ) {
        prop_assume!(instance.labels.len() == 2);
        let instance = Instance { groups: Vec::new(), ..instance };
        let Some(mut problem) = problem(&instance) else { return Ok(()) };
        let breach = f64::from(breach) / 10.0;
        std::sync::Arc::get_mut(&mut problem.models).unwrap().push(built(breach, &nodes).unwrap());
        let mut evaluator = Evaluator::new(&problem);
        let mut best: Option<f64> = None;
        for node in problem.lattice.iter() {
            let (held, worst) = naive(&instance, &nodes, breach, &levels(&node));
            let (view, flags) = evaluator.classes(&node);
            prop_assert_eq!(flags.rows(), held);
            let verdict = problem.models.last().unwrap().verdict(&view, flags).unwrap();
            prop_assert_eq!(verdict.achieved, worst);
            prop_assert!(verdict.holds);
            if evaluator.judge(&node).safe {
                let loss = evaluator.solution(&node).loss;
                best = Some(best.map_or(loss, |best| best.min(loss)));
            }
        }
        for name in ["mingen", "auto"] {
            match (solve(&problem, strategy(name.parse().unwrap()).unwrap(), &Watch::none()).unwrap().0, best) {
                (Outcome::Infeasible { .. }, None) => {}
                (Outcome::Found { best: found, gap }, Some(best)) => {
                    prop_assert_eq!(gap, 0.0);
                    prop_assert!((found.loss - best).abs() <= 1e-9 * best.abs().max(1.0), "{}", name);
                }
                (outcome, best) => prop_assert!(false, "{name}: {outcome:?} against {best:?}"),
            }
        }
        prop_assert!(strategy("ola".parse().unwrap()).unwrap().refuses(&problem).is_some());
    }
}

/// The rows flagged at the bottom and at the top of a table of one column with values and guarding
/// nodes.
fn flagged(rows: &[(usize, usize, usize)], nodes: &[Option<&str>], breach: f64) -> (u64, u64) {
    let leaves = rows.iter().map(|row| row.0 + 1).max().unwrap();
    let mut instance = flat(&[leaves], rows.iter().map(|row| vec![row.0]).collect(), "height");
    instance.labels = vec![rows.iter().map(|row| row.1).collect(), rows.iter().map(|row| row.2).collect()];
    let problem = problem(&instance).unwrap();
    let model = built(breach, nodes).unwrap();
    let ends = [problem.lattice.bottom(), problem.lattice.top()].map(|node| {
        let mut evaluator = Evaluator::measuring(&problem);
        let (view, _) = evaluator.classes(&node);
        let mut flags = Flags::default();
        flags.reset(view.len());
        model.violations(&view, &mut flags);
        flags.rows()
    });
    (ends[0], ends[1])
}

/// [Xiao 2006]: who does not mind their flu to be known has no guarding node; who fears to be
/// thought to have any value of a kind names the kind. A class of two values of one kind is
/// 2-anonymous and 2-diverse and breaches it.
#[test]
fn everybody_is_guarded_as_they_ask() {
    let nodes = [None, Some("a")];
    let of_a_kind = [(0, 0, 0), (0, 1, 1)];
    assert_eq!(flagged(&of_a_kind, &nodes, 0.5), (2, 2), "both values are of the kind");
    assert_eq!(flagged(&of_a_kind, &nodes, 1.0), (0, 0));
    assert_eq!(flagged(&[(0, 0, 0), (0, 0, 1)], &nodes, 0.5), (0, 0), "nobody minds");
    assert_eq!(flagged(&[(0, 1, 0), (0, 1, 2)], &nodes, 0.5), (0, 0), "half is a");
    // A missing cell does not water a share down.
    assert_eq!(flagged(&[(0, 1, 0), (0, 1, MISSING), (0, 1, MISSING)], &nodes, 0.5), (3, 3));
}

#[test]
fn a_union_of_safe_classes_can_be_unsafe() {
    // The first class fears a and has none of it, the second has nothing else and does not mind.
    let rows = [(0, 1, 2), (0, 1, 4), (1, 0, 0), (1, 0, 1), (1, 0, 0)];
    assert_eq!(flagged(&rows, &[None, Some("a")], 0.5), (0, 5));
    assert!(!built(0.5, &[None]).unwrap().facts().monotone);
}

#[test]
fn a_guarding_node_must_be_a_label() {
    let said = built(0.5, &[Some("c1")]).err().unwrap().to_string();
    assert!(said.contains("`c1` of `g` is not a label of the hierarchy of `s`"), "{said}");
    assert!(built(0.5, &[Some("*"), Some("a"), Some("4"), None]).is_ok());
}
