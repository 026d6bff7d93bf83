//! Bounds of boxes and of blocks of columns against the losses of all nodes that they speak of, and
//! how many nodes `auto` checks because of them.

use proptest::prelude::*;
use throng::lattice::Node;
use throng::loss::Evidence;
use throng::search::{Evaluator, Outcome, Problem, block_bound, solve, strategy};
use throng::watch::Watch;

use crate::instances::{flat, instance, problem};
use crate::naive::{Column, Instance};
use crate::naive_losses::parameters;

fn at_most(a: f64, b: f64) -> bool {
    a <= b + 1e-9 * b.abs().max(1.0)
}

/// All nodes with their evidence, and the loss of those that are safe.
fn judged(problem: &Problem) -> Vec<(Node, Evidence, Option<f64>)> {
    let mut evaluator = Evaluator::new(problem);
    let judged = |node: Node| {
        let evidence = evaluator.evidence(&node);
        let loss = evaluator.judge(&node).safe.then(|| evaluator.solution(&node).loss);
        (node, evidence, loss)
    };
    problem.lattice.iter().map(judged).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    /// Every box with a safe top, and every safe node in it.
    #[test]
    fn boxes_are_bounded(instance in instance()) {
        let Some(problem) = problem(&instance) else { return Ok(()) };
        prop_assume!(problem.lattice.nodes() <= 150);
        let nodes = judged(&problem);
        for (bottom, low, _) in &nodes {
            let above = nodes.iter().filter(|(top, _, loss)| loss.is_some() && bottom.below(top));
            for (top, high, _) in above {
                let bound = problem.loss.bound_between(bottom, low.above, &high.surplus);
                prop_assert!(at_most(problem.loss.bound(bottom, &high.surplus), bound));
                prop_assert!(at_most(low.above, bound));
                for (node, _, loss) in &nodes {
                    if let Some(loss) = loss.filter(|_| bottom.below(node) && node.below(top)) {
                        prop_assert!(at_most(bound, loss), "{bottom:?} {node:?} {top:?}: {bound} {loss}");
                    }
                }
            }
        }
    }

    /// Terms are a bound, and never fall with a level; blocks of any width bound every safe node,
    /// finished or not.
    #[test]
    fn blocks_are_bounded(instance in instance(), width in 1usize..4, checks in prop_oneof![Just(u64::MAX / 2), 0u64..12]) {
        let Some(problem) = problem(&instance) else { return Ok(()) };
        let nodes = judged(&problem);
        let sum = |node: &Node, surplus: &[f64]| {
            problem.loss.terms(node, surplus).map(|terms| problem.loss.total(terms.iter().sum()))
        };
        for (node, evidence, _) in &nodes {
            let Some(total) = sum(node, &evidence.surplus) else { continue };
            prop_assert!(at_most(total, problem.loss.bound(node, &evidence.surplus)));
            for above in problem.lattice.successors(node) {
                prop_assert!(at_most(sum(node, &[]).unwrap(), sum(&above, &[]).unwrap()));
            }
        }
        let best = nodes.iter().filter_map(|(_, _, loss)| *loss).fold(f64::INFINITY, f64::min);
        let bound = block_bound(&problem, width, checks, &Watch::none());
        prop_assert_eq!(bound.is_some(), problem.loss.terms(&problem.lattice.bottom(), &[]).is_some());
        if let Some(bound) = bound.filter(|_| best.is_finite()) {
            prop_assert!(at_most(bound, best), "{bound} {best}");
            // One block is the whole problem: solved, its bound is the optimum where a suppressed
            // cell never costs less than a released one.
            let whole = block_bound(&problem, usize::MAX, u64::MAX / 2, &Watch::none()).unwrap();
            prop_assert!(at_most(whole, best), "{whole} {best}");
            if instance.tradeoff.is_none() && instance.loss != "conditional-entropy" {
                prop_assert!(at_most(best, whole), "{whole} {best}");
                prop_assert!(at_most(bound, whole), "{bound} {whole}");
            }
        }
    }
}

/// Skewed columns of four levels over eight values.
fn skewed(columns: usize, rows: usize) -> Instance {
    let column =
        Column { paths: (0..8).map(|l| vec![l, l / 2, l / 4, 0]).collect(), min: 0, max: 3, weight: 1.0 };
    let mut dice = 1u64;
    let mut draw = || {
        dice = dice.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let value = (dice >> 33) as usize % 64;
        value * value / 512
    };
    let rows = (0..rows).map(|_| (0..columns).map(|_| draw()).collect()).collect();
    Instance { columns: vec![column; columns], k: 3, ..flat(&[], rows, "lm") }
}

fn auto(problem: &Problem) -> (Outcome, u64) {
    let auto = strategy("auto".parse().unwrap()).unwrap();
    let (outcome, account) = solve(problem, auto, &Watch::none()).unwrap();
    (outcome, account.checked)
}

/// Where everything may be suppressed, the bottom is the best node of every monotone loss, and two
/// checks show it.
#[test]
fn a_safe_bottom_settles_monotone_losses() {
    let mut seen = 0;
    for asked in parameters() {
        let made = Instance {
            max_suppressed: 300,
            loss: asked.kind.key(),
            aggregate: asked.aggregate,
            counted: asked.count_suppressed,
            labels: vec![(0..300).map(|i| i % 3).collect()],
            ..skewed(5, 300)
        };
        let problem = problem(&made).unwrap();
        if problem.loss.monotone() {
            let (outcome, checked) = auto(&problem);
            let Outcome::Found { best, gap } = outcome else { panic!("{asked:?}") };
            assert_eq!((best.node, gap, checked), (problem.lattice.bottom(), 0.0, 2), "{asked:?}");
            seen += 1;
        }
    }
    assert!(seen >= 6);
}
