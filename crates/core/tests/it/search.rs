//! Every search against brute force on random tables, hierarchies, k, limits, weights and linked
//! columns.

use proptest::prelude::*;
use throng::lattice::Node;
use throng::registry::Algorithm;
use throng::search::{Evaluator, Outcome, Problem, solve, strategy};
use throng::watch::{Cancel, Event, Watch};

use crate::instances::{flat, instance, levels, problem};
use crate::naive::{Column, Instance};

/// Bounds and evidence against the losses of all nodes that they speak of.
pub fn bounds_hold(problem: &Problem) -> Result<(), TestCaseError> {
    let nodes: Vec<Node> = problem.lattice.iter().collect();
    let mut evaluator = Evaluator::new(problem);
    let losses: Vec<f64> = nodes.iter().map(|n| evaluator.solution(n).loss).collect();
    let at_most = |a: f64, b: f64| a <= b + 1e-9 * b.abs().max(1.0);
    for (i, node) in nodes.iter().enumerate() {
        let evidence = evaluator.evidence(node);
        prop_assert!(at_most(problem.loss.bound(node, &[]), losses[i]));
        for (j, other) in nodes.iter().enumerate() {
            if node.below(other) {
                prop_assert!(at_most(problem.loss.bound(node, &[]), problem.loss.bound(other, &[])));
                let safe = evaluator.judge(other).safe;
                prop_assert!(!safe || at_most(evidence.above, losses[j]), "{node:?} {other:?}");
                prop_assert!(!problem.loss.monotone() || at_most(losses[i], losses[j]), "{node:?} {other:?}");
            }
            if other.below(node) {
                let bound = problem.loss.bound(other, &evidence.surplus);
                prop_assert!(at_most(bound, losses[j]), "{node:?} {other:?} {bound} {}", losses[j]);
                // So it bounds every node between the two: it never falls on the way up.
                for above in problem.lattice.successors(other).filter(|a| a.below(node)) {
                    prop_assert!(at_most(bound, problem.loss.bound(&above, &evidence.surplus)));
                }
                prop_assert!(at_most(problem.loss.bound(other, &[]), bound), "a surplus that lowers");
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn every_exact_search_finds_what_brute_force_finds(instance in instance()) {
        let Some(problem) = problem(&instance) else { return Ok(()) };
        let expected = instance.best();
        let mut found = Vec::new();
        for name in ["mingen", "auto", "ola"] {
            let strategy = strategy(name.parse().unwrap()).unwrap();
            if strategy.refuses(&problem).is_some() {
                prop_assert!(name == "ola" && !problem.loss.monotone());
                continue;
            }
            let (outcome, account) = solve(&problem, strategy, &Watch::none()).unwrap();
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
        bounds_hold(&problem)?;
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
    fn histograms_are_those_of_the_rows(instance in instance(), order in any::<u64>()) {
        let Some(problem) = problem(&instance) else { return Ok(()) };
        let mut nodes: Vec<Node> = problem.lattice.iter().collect();
        // In any order, so that nodes are rolled up from whatever happens to be remembered.
        nodes.sort_by_key(|n| n.levels().iter().fold(order, |h, &l| (h ^ u64::from(l)).wrapping_mul(0x9E37_79B9_7F4A_7C15)));
        let mut evaluator = Evaluator::measuring(&problem);
        for node in &nodes {
            let (view, _) = evaluator.classes(node);
            for (target, labels) in instance.labels.iter().enumerate() {
                let counted = instance.label_counts(&levels(node), labels);
                let mut found: Vec<Vec<(usize, usize)>> = (0..view.len()).map(|class| {
                    let (codes, counts) = view.histogram(target, class);
                    codes.iter().zip(counts).map(|(&c, &n)| (c as usize, n as usize)).collect()
                }).collect();
                found.sort();
                prop_assert_eq!(found, counted);
            }
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
        ..flat(&[], (0..16).map(|i| vec![i % 4, i / 4]).collect(), "entropy")
    };
    let problem = problem(&instance).unwrap();
    let watch = Watch::none();
    watch.cancel().finish();
    for name in ["auto", "mingen", "ola"] {
        let (outcome, _) = solve(&problem, strategy(name.parse().unwrap()).unwrap(), &watch).unwrap();
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
    let error = throng::error::Error::from("olla".parse::<Algorithm>().unwrap_err()).to_string();
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
        k: 3,
        max_suppressed: 100,
        ..flat(&[], (0..200).map(|_| (0..12).map(|_| draw()).collect()).collect(), "lm")
    };
    let problem = problem(&instance).unwrap();
    assert!(problem.lattice.nodes() > 1 << 20);
    let cancel = Cancel::new();
    let stop = cancel.clone();
    let watch = Watch::new(cancel).listening(move |event| {
        if let Event::Searching(progress) = event
            && progress.checked > 400
        {
            stop.finish();
        }
    });
    let (outcome, _) = solve(&problem, strategy("auto".parse().unwrap()).unwrap(), &watch).unwrap();
    let Outcome::Found { best, gap } = outcome else { panic!("{outcome:?}") };
    let naive = instance.evaluate(&levels(&best.node));
    assert!(naive.suppressed <= 100 && (naive.loss - best.loss).abs() < 1e-9);
    assert!(best.loss < 1.0, "the greedy way down found nothing");
    assert!(gap > 0.0 && best.loss - gap >= 0.0);
}
