//! Every search against brute force on random tables, hierarchies, k, limits, weights and linked columns.

use proptest::prelude::*;
use throng::classes::Classes;
use throng::hierarchy::{Hierarchy, Path};
use throng::lattice::{Lattice, Limits, Node};
use throng::loss::{self, Marginals};
use throng::model::{KAnonymity, PrivacyModel};
use throng::policy::{Aggregate, LossParameters};
use throng::search::{Budget, Evaluator, Outcome, Problem, solve, strategy};

use crate::naive::{Column, Instance};

const LOSSES: [(&str, Option<Aggregate>, Option<bool>); 16] = [
    ("height", None, None),
    ("absolute", None, None),
    ("relative", None, None),
    ("prec", None, None),
    ("prec", None, Some(true)),
    ("dm", None, None),
    ("dm*", None, None),
    ("entropy", None, None),
    ("entropy", None, Some(true)),
    ("entropy", Some(Aggregate::Max), None),
    ("lm", None, None),
    ("lm", None, Some(false)),
    ("lm", Some(Aggregate::Geometric), None),
    ("lm", Some(Aggregate::Max), Some(false)),
    ("ambiguity", None, None),
    ("aecs", None, None),
];

/// Nested random paths: level l + 1 is a coarsening of level l, the last level has one label.
fn column() -> impl Strategy<Value = Column> {
    (1usize..6, 1usize..4, any::<u64>(), prop::sample::select(vec![1.0, 1.0, 0.5, 3.0]), any::<[u8; 2]>())
        .prop_map(|(leaves, height, mut dice, weight, limits)| {
            let mut paths: Vec<Vec<usize>> = (0..leaves).map(|l| vec![l]).collect();
            for level in 1..height {
                let parent: Vec<usize> = (0..leaves)
                    .map(|_| {
                        dice = dice.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                        (dice >> 33) as usize % leaves
                    })
                    .collect();
                paths.iter_mut().for_each(|p| p.push(parent[p[level - 1]]));
            }
            paths.iter_mut().for_each(|p| p.push(0));
            let min = if limits[0] % 4 == 0 { limits[0] as usize % (height + 1) } else { 0 };
            let max = if limits[1] % 3 == 0 { min + limits[1] as usize % (height - min + 1) } else { height };
            Column { paths, min, max, weight }
        })
}

fn instance() -> impl Strategy<Value = Instance> {
    prop::collection::vec(column(), 1..5).prop_flat_map(|columns| {
        let m = columns.len();
        let cells = columns.iter().map(|c| 0..c.paths.len()).collect::<Vec<_>>();
        let rows = prop::collection::vec(cells, 1..30);
        let group = (prop::collection::hash_set(0..m, 1..=m), 1usize..5);
        (
            rows,
            1usize..6,
            0.0f64..1.0,
            prop::sample::select(LOSSES.to_vec()),
            any::<bool>(),
            prop::option::weighted(0.4, group),
        )
            .prop_map(move |(rows, k, share, (loss, aggregate, counted), link, group)| {
                let linked = match link && m > 1 {
                    true => vec![vec![0, m - 1]],
                    false => Vec::new(),
                };
                let groups = group.map(|(columns, k)| {
                    let mut columns: Vec<usize> = columns.into_iter().collect();
                    columns.sort_unstable();
                    (columns, k)
                });
                Instance {
                    max_suppressed: (share * share * rows.len() as f64) as usize,
                    columns: columns.clone(),
                    rows,
                    k,
                    groups: groups.into_iter().collect(),
                    linked,
                    loss,
                    aggregate,
                    counted,
                }
            })
    })
}

fn hierarchy(column: &Column) -> Hierarchy {
    let path = |p: &Vec<usize>| Path {
        leaf: p[0].to_string(),
        labels: p[1..].iter().enumerate().map(|(l, v)| format!("{l}:{v}")).collect(),
    };
    Hierarchy::new(column.paths.iter().map(path).collect(), false).unwrap()
}

/// The problem; none when linked columns have no common level.
fn problem(instance: &Instance) -> Option<Problem> {
    let hierarchies: Vec<Hierarchy> = instance.columns.iter().map(hierarchy).collect();
    let names: Vec<String> = (0..instance.columns.len()).map(|i| format!("c{i}")).collect();
    let limits: Vec<Limits> = instance
        .columns
        .iter()
        .zip(&names)
        .map(|(c, name)| Limits {
            name: name.clone(),
            height: c.height(),
            min: Some(c.min),
            max: Some(c.max),
        })
        .collect();
    let lattice = Lattice::new(&limits, &instance.linked).ok()?;
    let rows = instance.rows.iter().map(|r| r.iter().map(|&v| v as u32).collect());
    let classes = Classes::of_rows(instance.columns.len(), rows).unwrap();
    let marginals = Marginals::new(&classes, &hierarchies);
    let weights: Vec<f64> = instance.columns.iter().map(|c| c.weight).collect();
    let parameters = LossParameters {
        name: instance.loss.into(),
        aggregate: instance.aggregate,
        count_suppressed: instance.counted,
    };
    let mut models: Vec<Box<dyn PrivacyModel>> = vec![Box::new(KAnonymity::new(instance.k as u64, false))];
    for (columns, k) in &instance.groups {
        models.push(Box::new(KAnonymity::of_group(*k as u64, false, "group", columns.clone())));
    }
    let loss = loss::build(&parameters, &marginals, &weights).unwrap();
    let max_suppressed = instance.max_suppressed as u64;
    Some(Problem { names, hierarchies, classes, lattice, models, loss, max_suppressed })
}

fn levels(node: &Node) -> Vec<usize> {
    node.levels().iter().map(|&l| l as usize).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn every_exact_search_finds_what_brute_force_finds(instance in instance()) {
        let Some(problem) = problem(&instance) else { return Ok(()) };
        let expected = instance.best();
        let mut found = Vec::new();
        for name in ["mingen", "auto", "ola"] {
            let strategy = strategy(name).unwrap();
            if strategy.refuses(&problem).is_some() {
                prop_assert!(name == "ola" && !problem.loss.monotone());
                continue;
            }
            let (outcome, account) = solve(&problem, strategy, &Budget::unlimited()).unwrap();
            prop_assert!(account.checked > 0);
            match (outcome, &expected) {
                (Outcome::Infeasible { .. }, None) => {}
                (Outcome::Found { best, gap }, Some((_, ties))) => {
                    prop_assert_eq!(gap, 0.0);
                    let tie = ties.iter().find(|t| t.levels == levels(&best.node));
                    let tie = tie.ok_or_else(|| TestCaseError::fail(format!("{name}: {best:?} is not among {ties:?}")))?;
                    prop_assert_eq!(tie.suppressed as u64, best.suppressed);
                    prop_assert!((tie.loss - best.loss).abs() <= 1e-9 * tie.loss.abs().max(1.0));
                    found.push(best.node);
                }
                (outcome, expected) => prop_assert!(false, "{name}: {outcome:?} against {expected:?}"),
            }
        }
        prop_assert!(found.windows(2).all(|w| w[0] == w[1]), "searches differ: {found:?}");
    }

    #[test]
    fn bounds_and_evidence_hold(instance in instance()) {
        let Some(problem) = problem(&instance) else { return Ok(()) };
        let nodes: Vec<Node> = problem.lattice.iter().collect();
        let mut evaluator = Evaluator::new(&problem);
        let losses: Vec<f64> = nodes.iter().map(|n| evaluator.solution(n).loss).collect();
        let at_most = |a: f64, b: f64| a <= b + 1e-9 * b.abs().max(1.0);
        for (i, node) in nodes.iter().enumerate() {
            let evidence = evaluator.evidence(node);
            prop_assert!(at_most(problem.loss.bound(node, &[]), losses[i]));
            for (j, other) in nodes.iter().enumerate() {
                if node.below(other) {
                    prop_assert!(at_most(problem.loss.bound(node, &[]), problem.loss.bound(other, &[])));
                    prop_assert!(at_most(evidence.above, losses[j]), "{node:?} {other:?}");
                    prop_assert!(!problem.loss.monotone() || at_most(losses[i], losses[j]), "{node:?} {other:?}");
                }
                if other.below(node) {
                    let bound = problem.loss.bound(other, &evidence.surplus);
                    prop_assert!(at_most(bound, losses[j]), "{node:?} {other:?} {bound} {}", losses[j]);
                }
            }
        }
    }

    #[test]
    fn every_node_is_as_brute_force_sees_it(instance in instance()) {
        let Some(problem) = problem(&instance) else { return Ok(()) };
        let mut evaluator = Evaluator::new(&problem);
        for node in problem.lattice.iter() {
            let naive = instance.evaluate(&levels(&node));
            let judgement = evaluator.judge(&node);
            prop_assert_eq!(judgement.suppressed, naive.suppressed as u64);
            let solution = evaluator.solution(&node);
            prop_assert!((solution.loss - naive.loss).abs() <= 1e-9 * naive.loss.abs().max(1.0), "{solution:?} {naive:?}");
        }
    }

    #[test]
    fn suppression_falls_towards_the_top(instance in instance()) {
        let Some(problem) = problem(&instance) else { return Ok(()) };
        let mut evaluator = Evaluator::new(&problem);
        for node in problem.lattice.iter() {
            let here = evaluator.judge(&node).suppressed;
            for above in problem.lattice.successors(&node) {
                prop_assert!(evaluator.judge(&above).suppressed <= here);
            }
        }
    }
}

#[test]
fn a_cancelled_search_says_so() {
    let column = Column { paths: (0..4).map(|l| vec![l, l / 2, 0]).collect(), min: 0, max: 2, weight: 1.0 };
    let instance = Instance {
        columns: vec![column.clone(), column],
        rows: (0..16).map(|i| vec![i % 4, i / 4]).collect(),
        k: 2,
        groups: Vec::new(),
        max_suppressed: 0,
        linked: Vec::new(),
        loss: "entropy",
        aggregate: None,
        counted: None,
    };
    let problem = problem(&instance).unwrap();
    let budget = Budget { cancelled: &|| true, progress: &|_| {} };
    for name in ["auto", "mingen", "ola"] {
        let (outcome, _) = solve(&problem, strategy(name).unwrap(), &budget).unwrap();
        match outcome {
            Outcome::Found { best, gap } => {
                assert!(gap > 0.0, "{name}");
                assert!(instance.evaluate(&levels(&best.node)).suppressed == 0);
                let optimum = instance.best().unwrap().0;
                assert!(best.loss - gap <= optimum.loss, "{name}: the gap hides the optimum");
            }
            Outcome::Cancelled => assert_eq!(name, "mingen"),
            Outcome::Infeasible { .. } => panic!("{name}"),
        }
    }
}

#[test]
fn unknown_names_are_answered_with_known_ones() {
    let error = strategy("olla").err().unwrap().to_string();
    assert!(error.contains("did you mean \"ola\"") && error.contains("mingen"), "{error}");
}

#[test]
fn a_large_lattice_is_begun_and_stopped_with_an_honest_gap() {
    // Twelve columns of four levels: more nodes than a search should finish here.
    let column =
        Column { paths: (0..8).map(|l| vec![l, l / 2, l / 4, 0]).collect(), min: 0, max: 3, weight: 1.0 };
    let mut dice = 1u64;
    let mut draw = || {
        dice = dice.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let value = (dice >> 33) as usize % 64;
        value * value / 512
    };
    let instance = Instance {
        columns: vec![column; 12],
        rows: (0..200).map(|_| (0..12).map(|_| draw()).collect()).collect(),
        k: 3,
        groups: Vec::new(),
        max_suppressed: 100,
        linked: Vec::new(),
        loss: "lm",
        aggregate: None,
        counted: None,
    };
    let problem = problem(&instance).unwrap();
    assert!(problem.lattice.nodes() > 1 << 20);
    let looked = std::sync::atomic::AtomicU64::new(0);
    let budget = Budget {
        cancelled: &|| looked.load(std::sync::atomic::Ordering::Relaxed) > 400,
        progress: &|p| looked.store(p.checked, std::sync::atomic::Ordering::Relaxed),
    };
    let (outcome, _) = solve(&problem, strategy("auto").unwrap(), &budget).unwrap();
    let Outcome::Found { best, gap } = outcome else { panic!("{outcome:?}") };
    let naive = instance.evaluate(&levels(&best.node));
    assert!(naive.suppressed <= 100 && (naive.loss - best.loss).abs() < 1e-9);
    assert!(best.loss < 1.0, "the greedy way down found nothing");
    assert!(gap > 0.0 && best.loss - gap >= 0.0);
}
