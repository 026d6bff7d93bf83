//! The explored lattice against brute force on random tables, hierarchies, k, limits and linked
//! columns.

use proptest::prelude::*;
use throng::explore::{Choice, Explored, LISTED, NodeFacts, around, explore};
use throng::lattice::{Lattice, Limits};
use throng::search::{Outcome, Problem, solve, strategy};
use throng::watch::{Event, Stage, Watch};

use crate::instances::{instance, problem};
use crate::naive::{Instance, Naive};

fn choice(problem: &Problem) -> Choice {
    let (outcome, _) = solve(problem, strategy("auto".parse().unwrap()).unwrap(), &Watch::none()).unwrap();
    let (best, gap) = match outcome {
        Outcome::Found { best, gap } => (Some(best), gap),
        _ => (None, f64::INFINITY),
    };
    Choice { algorithm: "auto".into(), best, gap }
}

fn below(a: &[usize], b: &[usize]) -> bool {
    a != b && a.iter().zip(b).all(|(a, b)| a <= b)
}

fn levels(node: &NodeFacts) -> Vec<usize> {
    node.levels.iter().map(|&l| l as usize).collect()
}

/// Every node by the definitions, and whether it is safe with nothing safe below it.
fn brute(instance: &Instance) -> Vec<(Naive, bool, bool)> {
    let all: Vec<Naive> = instance.nodes().iter().map(|n| instance.evaluate(n)).collect();
    let safe = |n: &Naive| n.suppressed <= instance.max_suppressed;
    let minimal = |n: &Naive| safe(n) && !all.iter().any(|b| safe(b) && below(&b.levels, &n.levels));
    all.iter().map(|n| (n.clone(), safe(n), minimal(n))).collect()
}

/// A node that is tagged lies above a safe one or below an unsafe one that is not.
fn follows(explored: &Explored, node: &NodeFacts) -> bool {
    explored.nodes.iter().filter(|n| n.tagged == Some(false) && n.safe == node.safe).any(|n| {
        let (low, high) = if node.safe { (n, node) } else { (node, n) };
        below(&levels(low), &levels(high))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn every_node_is_as_brute_force_says(instance in instance()) {
        let Some(problem) = problem(&instance) else { return Ok(()) };
        let explored = explore(&problem, &choice(&problem), &Watch::none()).unwrap();
        let brute = brute(&instance);
        prop_assert_eq!(explored.nodes.len(), brute.len());
        for (node, (naive, safe, minimal)) in explored.nodes.iter().zip(&brute) {
            prop_assert_eq!(&levels(node), &naive.levels);
            prop_assert_eq!(node.suppressed, naive.suppressed as u64);
            prop_assert_eq!((node.safe, node.minimal), (*safe, *minimal));
            prop_assert!((node.loss - naive.loss).abs() <= 1e-9 * naive.loss.abs().max(1.0));
            prop_assert!(node.tagged == Some(false) || follows(&explored, node), "{:?}", node.levels);
        }
        let safe: Vec<&NodeFacts> = explored.nodes.iter().filter(|n| n.safe).collect();
        let best = safe.iter().min_by(|a, b| (a.loss, a.height).partial_cmp(&(b.loss, b.height)).unwrap());
        let chosen: Vec<&NodeFacts> = explored.nodes.iter().filter(|n| n.chosen).collect();
        prop_assert_eq!(chosen.first().map(|n| &n.levels), best.map(|n| &n.levels));
        prop_assert!(chosen.len() <= 1);
        prop_assert_eq!(explored.summary.chosen.as_ref(), best.map(|n| &n.levels));
    }

    #[test]
    fn the_summary_counts_the_nodes(instance in instance()) {
        let Some(problem) = problem(&instance) else { return Ok(()) };
        let explored = explore(&problem, &choice(&problem), &Watch::none()).unwrap();
        let (summary, nodes) = (&explored.summary, &explored.nodes);
        let count = |of: &dyn Fn(&NodeFacts) -> bool| nodes.iter().filter(|n| of(n)).count() as u64;
        prop_assert_eq!(summary.nodes, problem.lattice.nodes());
        prop_assert_eq!(summary.listed, nodes.len() as u64);
        prop_assert_eq!(summary.safe, count(&|n| n.safe));
        prop_assert_eq!(summary.minimal, count(&|n| n.minimal));
        prop_assert_eq!(summary.tagged, Some(count(&|n| n.tagged == Some(true))));
        for at in &summary.heights {
            let here = |n: &NodeFacts| n.height == at.height;
            prop_assert_eq!(at.nodes, count(&here));
            prop_assert_eq!(at.safe, count(&|n| here(n) && n.safe));
            prop_assert_eq!(at.tagged, count(&|n| here(n) && n.tagged == Some(true)));
            prop_assert_eq!(at.tagged_safe, count(&|n| here(n) && n.safe && n.tagged == Some(true)));
            prop_assert_eq!(at.minimal, count(&|n| here(n) && n.minimal));
            let least = nodes.iter().filter(|n| here(n) && n.safe).map(|n| n.loss).reduce(f64::min);
            prop_assert_eq!(at.loss, least);
        }
        prop_assert_eq!(summary.heights.iter().map(|h| h.nodes).sum::<u64>(), summary.listed);
    }

    #[test]
    fn around_lists_what_is_near_and_says_the_same_of_it(instance in instance(), steps in 0u32..4) {
        let Some(mut problem) = problem(&instance) else { return Ok(()) };
        // Linked columns take their step together, which the distance below does not know.
        if !instance.linked.is_empty() { return Ok(()) }
        problem.max_suppressed = problem.classes.rows();
        let choice = choice(&problem);
        let whole = explore(&problem, &choice, &Watch::none()).unwrap();
        let near = around(&problem, &choice, steps, &Watch::none()).unwrap();
        let centre = near.summary.chosen.clone().unwrap();
        let distance = |n: &NodeFacts| -> u32 {
            n.levels.iter().zip(&centre).map(|(a, b)| u32::from(a.abs_diff(*b))).sum()
        };
        let expected: Vec<NodeFacts> = whole.nodes.iter().filter(|n| distance(n) <= steps).cloned()
            .map(|n| NodeFacts { tagged: None, ..n }).collect();
        prop_assert_eq!(near.nodes, expected);
        prop_assert_eq!((near.summary.around, near.summary.tagged), (Some(steps), None));
    }
}

/// A problem of one row and this many columns with the same few levels.
fn wide(columns: usize) -> Problem {
    use throng::hierarchy::{Hierarchy, Path};
    use throng::loss::{self, Marginals};
    let path = Path { leaf: "a".into(), labels: vec!["b".into()] };
    let hierarchies: Vec<Hierarchy> =
        (0..columns).map(|_| Hierarchy::new(vec![path.clone()], false).unwrap()).collect();
    let names: Vec<String> = (0..columns).map(|i| format!("c{i}")).collect();
    let limits: Vec<Limits> = names
        .iter()
        .zip(&hierarchies)
        .map(|(name, h)| Limits { name: name.clone(), height: h.height(), min: None, max: None })
        .collect();
    let classes = throng::classes::Classes::of_rows(columns, [vec![0; columns]]).unwrap();
    let parameters = throng::policy::LossParameters::new(throng::registry::LossKind::Height);
    let marginals = Marginals::new(&classes, &hierarchies);
    Problem {
        loss: loss::build(&parameters, &marginals, &vec![1.0; columns]).unwrap(),
        lattice: Lattice::new(&limits, &[]).unwrap(),
        models: std::sync::Arc::new(vec![Box::new(throng::model::KAnonymity::new(1, false))]),
        max_suppressed: 0,
        people: None,
        profile: Default::default(),
        preference: None,
        deletion: None,
        utility: None,
        measured: Vec::new(),
        names,
        hierarchies: hierarchies.into(),
        classes: classes.into(),
    }
}

#[test]
fn a_lattice_too_large_to_list_is_refused_with_the_way_out() {
    let problem = wide(18);
    assert!(problem.lattice.nodes() > LISTED);
    let choice = choice(&problem);
    let error = explore(&problem, &choice, &Watch::none()).unwrap_err().to_string();
    assert!(error.contains(&problem.lattice.nodes().to_string()), "{error}");
    for remedy in ["--around", "max_level", "link"] {
        assert!(error.contains(remedy), "{error}");
    }
    let near = around(&problem, &choice, 1, &Watch::none()).unwrap();
    assert_eq!(near.nodes.len(), 1 + 18);
    assert!(around(&problem, &choice, 18, &Watch::none()).is_err());
}

#[test]
fn exploring_can_be_stopped() {
    let problem = wide(2);
    let stop = Watch::none();
    stop.cancel().finish();
    let choice = Choice { algorithm: "auto".into(), best: None, gap: 0.0 };
    let error = explore(&problem, &choice, &stop).unwrap_err();
    assert!(error.is_cancelled(), "{error}");
    let seen = Watch::none().listening(|event| {
        assert!(matches!(event, Event::Done { stage: Stage::Exploring, .. }), "{event:?}");
    });
    assert!(explore(&problem, &choice, &seen).is_ok());
    // A time limit does not make a list of some nodes.
    assert!(explore(&problem, &choice, &Watch::none().limited(|| true)).is_ok());
    assert!(around(&problem, &choice, 1, &Watch::none()).is_err());
}
