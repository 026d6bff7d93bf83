//! Rows that are searched again: what comes of it, against the release itself.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use throng::classes::Classes;
use throng::loss::Price;
use throng::policy::LossParameters;
use throng::recode::{apply, prove};
use throng::recoded::Recoded;
use throng::search::{Outcome, Problem, Rounds, Solution, Strategy, local, solve, strategies, strategy};
use throng::watch::Watch;

use crate::instances::{flat, instance, problem};
use crate::naive::Instance;

fn asked(instance: &Instance) -> (LossParameters, Vec<f64>) {
    let parameters = LossParameters {
        aggregate: instance.aggregate,
        count_suppressed: instance.counted,
        tradeoff: instance.tradeoff,
        ..LossParameters::new(instance.loss.parse().unwrap())
    };
    (parameters, instance.columns.iter().map(|column| column.weight).collect())
}

/// Labels of some columns → released rows that show them.
fn shown(
    problem: &Problem,
    step_of: &[Option<Vec<u8>>],
    columns: &[usize],
) -> BTreeMap<Vec<Option<String>>, u64> {
    let mut shown = BTreeMap::new();
    for (class, levels) in step_of.iter().enumerate() {
        let Some(levels) = levels else { continue };
        let label = |&c: &usize| {
            let (hierarchy, level) = (&problem.hierarchies[c], usize::from(levels[c]));
            let code = hierarchy.generalize(problem.classes.code(class, c), level);
            hierarchy.label(level, code).map(String::from)
        };
        *shown.entry(columns.iter().map(label).collect()).or_default() +=
            u64::from(problem.classes.counts()[class]);
    }
    shown
}

fn same(a: &Classes, b: &Classes) -> bool {
    a.counts() == b.counts() && (0..a.len()).all(|i| (0..a.columns()).all(|c| a.code(i, c) == b.code(i, c)))
}

/// What holds of rounds however they ended: nodes that the policy allows, few enough rows left,
/// classes that are large enough, and the loss that is claimed.
fn check(
    instance: &Instance,
    problem: &Problem,
    found: &Rounds,
    best: &Solution,
) -> Result<(), TestCaseError> {
    let (parameters, weights) = asked(instance);
    let whole = &problem.classes;
    prop_assert_eq!(problem.max_suppressed, instance.max_suppressed as u64);
    prop_assert!(found.loss <= best.loss);
    prop_assert!(found.nodes.iter().all(|node| problem.lattice.iter().any(|n| n == *node)));
    let steps = apply(whole, &problem.hierarchies, &problem.models, found.nodes.clone()).unwrap();
    let step_of: Vec<Option<Vec<u8>>> = (0..whole.len())
        .map(|class| steps.of(class).map(|step| found.nodes[step].levels().to_vec()))
        .collect();
    let held = (0..whole.len()).filter(|&c| step_of[c].is_none());
    let held: u64 = held.map(|c| u64::from(whole.counts()[c])).sum();
    prop_assert!(held <= instance.max_suppressed as u64, "{held} suppressed");
    let all: Vec<usize> = (0..instance.columns.len()).collect();
    let groups = instance.groups.iter().map(|(columns, k)| (columns, *k));
    for (columns, k) in groups.chain([(&all, instance.k)]) {
        let least = shown(problem, &step_of, columns).into_values().min();
        prop_assert!(least.is_none_or(|rows| rows >= k as u64), "{least:?} of {k}");
    }
    let recoded = Recoded::of_steps(whole, &problem.hierarchies, &steps).unwrap();
    prove(&recoded, &problem.models).unwrap();
    let loss = Price::new(&recoded, &found.nodes[0]).loss(&parameters, &weights).unwrap();
    prop_assert!((loss - found.loss).abs() <= 1e-9 * loss.abs().max(1.0), "{loss} {}", found.loss);
    Ok(())
}

/// Rounds of a search that is stopped when it has asked so often whether it should.
fn stopped_after(
    instance: &Instance,
    problem: &mut Problem,
    strategy: &dyn Strategy,
    best: &Solution,
    questions: usize,
) -> Rounds {
    let (parameters, weights) = asked(instance);
    let asked = AtomicUsize::new(0);
    let watch = Watch::none().limited(move || asked.fetch_add(1, Ordering::Relaxed) >= questions);
    local(problem, (&parameters, &weights), strategy, best, &watch).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn rounds_are_allowed_safe_and_no_worse_than_one_node(instance in instance(), questions in 0usize..200) {
        let Some(mut problem) = problem(&instance) else { return Ok(()) };
        let (parameters, weights) = asked(&instance);
        let whole = problem.classes.clone();
        for strategy in strategies() {
            if strategy.refuses(&problem).is_some() {
                continue;
            }
            let (outcome, _) = solve(&problem, strategy, &Watch::none()).unwrap();
            let Outcome::Found { best, .. } = outcome else { continue };
            let run = || local(&problem, (&parameters, &weights), strategy, &best, &Watch::none());
            let found = run().unwrap();
            let again = run().unwrap();
            prop_assert_eq!((&found.nodes, found.loss.to_bits()), (&again.nodes, again.loss.to_bits()));
            prop_assert!(same(&problem.classes, &whole), "the problem is as it was");
            check(&instance, &problem, &found, &best)?;
            let found = stopped_after(&instance, &mut problem, strategy, &best, questions);
            prop_assert!(same(&problem.classes, &whole), "the problem is as it was");
            check(&instance, &problem, &found, &best)?;
        }
    }
}

/// Ten rows are alike in both columns, ten in the first; the rest needs stars. Whenever the search
/// is stopped after its first round is complete, that round is released.
#[test]
fn a_search_that_is_stopped_keeps_the_rounds_that_are_complete() {
    let alike = |_| vec![0, 0];
    let rows: Vec<Vec<usize>> = (0..10)
        .map(alike)
        .chain((0..10).map(|i| vec![1, i % 7]))
        .chain((0..10).map(|i| vec![i % 5, i % 3]))
        .collect();
    let instance = Instance { k: 3, ..flat(&[7, 7], rows, "lm") };
    let mut problem = problem(&instance).unwrap();
    let auto = strategy("auto".parse().unwrap()).unwrap();
    let Outcome::Found { best, .. } = solve(&problem, auto, &Watch::none()).unwrap().0 else { panic!() };
    let all = stopped_after(&instance, &mut problem, auto, &best, usize::MAX);
    assert!(all.nodes.len() > 2, "{all:?}");
    let mut kept = 0;
    for questions in 0.. {
        let found = stopped_after(&instance, &mut problem, auto, &best, questions);
        check(&instance, &problem, &found, &best).unwrap();
        if found.nodes == all.nodes {
            break;
        }
        kept += usize::from(found.nodes.len() > 1 && found.nodes[0] == all.nodes[0]);
    }
    assert!(kept > 0, "no round was kept");
}

/// Every round has a part of the time that the searches before it left.
#[test]
fn rounds_share_the_time() {
    let rows = (0..40).map(|i| vec![i % 7, i % 5 * i % 3]).collect();
    let instance = Instance { k: 3, ..flat(&[7, 7], rows, "lm") };
    let problem = problem(&instance).unwrap();
    let (parameters, weights) = asked(&instance);
    let auto = strategy("auto".parse().unwrap()).unwrap();
    let Outcome::Found { best, .. } = solve(&problem, auto, &Watch::none()).unwrap().0 else { panic!() };
    let seen = Arc::new(Mutex::new(Vec::new()));
    let shares = Arc::clone(&seen);
    let watch = Watch::none().limited_by_share(move |share| {
        shares.lock().unwrap().push(share);
        false
    });
    let limited = local(&problem, (&parameters, &weights), auto, &best, &watch).unwrap();
    let free = local(&problem, (&parameters, &weights), auto, &best, &Watch::none()).unwrap();
    assert_eq!((&limited.nodes, limited.loss), (&free.nodes, free.loss));
    let mut shares: Vec<f64> = seen.lock().unwrap().iter().copied().filter(|share| *share < 1.0).collect();
    assert!(shares.is_sorted() && shares[0] > 0.3, "{shares:?}");
    shares.dedup();
    // A round on a few rows may end before it asks.
    assert!(shares.len() > 1, "{shares:?}");
}

/// Six rows that are alike and three that are not: one node must generalize all, steps only the
/// three.
#[test]
fn rows_that_are_alike_are_not_generalized_for_others() {
    let rows = [0, 0, 0, 0, 0, 0, 1, 2, 3].map(|leaf| vec![leaf]).to_vec();
    let instance = Instance { k: 3, ..flat(&[4], rows, "lm") };
    let problem = problem(&instance).unwrap();
    let (parameters, weights) = asked(&instance);
    let auto = strategy("auto".parse().unwrap()).unwrap();
    let Outcome::Found { best, .. } = solve(&problem, auto, &Watch::none()).unwrap().0 else { panic!() };
    assert_eq!((best.node.levels(), best.loss), (&[1][..], 1.0));
    let found = local(&problem, (&parameters, &weights), auto, &best, &Watch::none()).unwrap();
    let levels: Vec<_> = found.nodes.iter().map(|node| node.levels().to_vec()).collect();
    assert_eq!(levels, [[0], [1]]);
    assert!((found.loss - 1.0 / 3.0).abs() < 1e-12);
}

/// The two rows that would be left are not enough by themselves, so that the round before is taken
/// back.
#[test]
fn what_would_be_left_alone_is_released_with_others() {
    let rows = [0, 0, 0, 0, 0, 0, 1, 2].map(|leaf| vec![leaf]).to_vec();
    let instance = Instance { k: 3, ..flat(&[4], rows, "lm") };
    let problem = problem(&instance).unwrap();
    let (parameters, weights) = asked(&instance);
    let auto = strategy("auto".parse().unwrap()).unwrap();
    let Outcome::Found { best, .. } = solve(&problem, auto, &Watch::none()).unwrap().0 else { panic!() };
    let found = local(&problem, (&parameters, &weights), auto, &best, &Watch::none()).unwrap();
    assert_eq!(found.nodes, std::slice::from_ref(&best.node));
    let stopped = Watch::none();
    stopped.cancel().finish();
    let one = local(&problem, (&parameters, &weights), auto, &best, &stopped).unwrap();
    assert_eq!(one.nodes.len(), 1);
}
