//! `search.prefer` against brute force: every node by the definitions, the safe ones with no safe one
//! below them, and the least value of the expression, written a second time in Rust.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use proptest::prelude::*;
use throng::classes::{Flags, View};
use throng::lattice::Node;
use throng::loss::Marginals;
use throng::model::{ModelFacts, PrivacyModel, Requirement, Verdict};
use throng::policy::Preference;
use throng::registry::Algorithm;
use throng::search::{Evaluator, Outcome, Problem, Ranking, least_loss, solve, strategies, strategy};
use throng::watch::Watch;

use crate::instances::{flat, instance, levels, problem};
use crate::naive::{Instance, Naive};

/// A node with what expressions name, by the definitions.
struct Facts<'a> {
    instance: &'a Instance,
    node: Naive,
}

impl Facts<'_> {
    fn height(&self) -> f64 {
        self.node.levels.iter().sum::<usize>() as f64
    }

    fn level(&self) -> f64 {
        self.node.levels[0] as f64
    }

    /// A loss as certificates state it: with its defaults, without weights.
    fn other(&self, loss: &'static str) -> f64 {
        let mut plain = self.instance.clone();
        if loss == plain.loss {
            return self.node.loss;
        }
        plain.columns.iter_mut().for_each(|column| column.weight = 1.0);
        (plain.loss, plain.aggregate, plain.counted, plain.tradeoff) = (loss, None, None, None);
        plain.evaluate(&self.node.levels).loss
    }
}

type Value = fn(&Facts<'_>) -> f64;

/// Expressions, what they mean, and whether their values are exact.
const EXPRESSIONS: [(&str, Value, bool); 10] = [
    ("3 * suppressed - classes", |n| 3.0 * n.node.suppressed as f64 - n.node.classes as f64, true),
    ("-height", |n| if n.instance.loss == "height" { -n.node.loss } else { -n.height() }, false),
    (
        "level(c0) * 10 + suppressed / rows",
        |n| n.level() * 10.0 + n.node.suppressed as f64 / n.instance.rows.len() as f64,
        true,
    ),
    (
        "if(level(c0) = height(c0), 1, 0)",
        |n| f64::from(n.level() as usize == n.instance.columns[0].height()),
        true,
    ),
    ("1 / (level(c0) - 1)", |n| 1.0 / (n.level() - 1.0), true),
    ("0 / 0", |_| f64::INFINITY, true),
    ("if(suppressed > 0, 0 / 0, 1 / 0)", |_| f64::INFINITY, true),
    ("loss", |n| n.node.loss, false),
    ("dm - \"dm*\"", |n| n.other("dm") - n.other("dm*"), false),
    ("max(lm, prec) + cm", |n| n.other("lm").max(n.other("prec")) + n.other("cm"), false),
];

fn ranking(instance: &Instance, problem: &Problem, text: &str) -> Ranking {
    let marginals = Marginals::new(&problem.classes, &problem.hierarchies);
    let searched = instance.loss.parse().unwrap();
    Ranking::new(text, searched, (&problem.names, &problem.hierarchies), &marginals).unwrap()
}

fn below(a: &[usize], b: &[usize]) -> bool {
    a != b && a.iter().zip(b).all(|(a, b)| a <= b)
}

/// The safe nodes, and which of them an algorithm chooses among.
fn candidates(safe: &[Naive], algorithm: Algorithm) -> Vec<&Naive> {
    let minimal = |n: &&Naive| !safe.iter().any(|other| below(&other.levels, &n.levels));
    let height = |n: &Naive| n.levels.iter().sum::<usize>();
    let lowest = safe.iter().map(height).min();
    let allowed = |n: &&Naive| algorithm != Algorithm::Samarati || Some(height(n)) == lowest;
    safe.iter().filter(minimal).filter(allowed).collect()
}

fn close(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn the_preferred_node_is_that_of_brute_force(instance in instance()) {
        let Some(mut problem) = problem(&instance) else { return Ok(()) };
        let all: Vec<Naive> = instance.nodes().iter().map(|n| instance.evaluate(n)).collect();
        let safe: Vec<Naive> = all.into_iter().filter(|n| n.suppressed <= instance.max_suppressed).collect();
        let optimum = safe.iter().map(|n| n.loss).fold(f64::INFINITY, f64::min);
        for (text, value, exact) in EXPRESSIONS {
            problem.preference = Some(ranking(&instance, &problem, text));
            let mut same = None;
            for strategy in strategies().iter().filter(|s| s.algorithm().entry().prefers) {
                let algorithm = strategy.algorithm();
                prop_assert!(strategy.refuses(&problem).is_none(), "{} refuses", algorithm);
                let among = candidates(&safe, algorithm);
                let (outcome, account) = solve(&problem, *strategy, &Watch::none()).unwrap();
                let Outcome::Found { best, gap } = outcome else {
                    prop_assert!(among.is_empty(), "{} found nothing", algorithm);
                    continue;
                };
                prop_assert!(account.checked as u128 <= problem.lattice.nodes() || algorithm == Algorithm::Incognito);
                let value = |n: &Naive| value(&Facts { instance: &instance, node: n.clone() });
                let found = among.iter().find(|n| n.levels == levels(&best.node));
                let Some(found) = found else { panic!("{algorithm}: {best:?} is not minimal") };
                let least = among.iter().map(|n| value(n)).fold(f64::INFINITY, f64::min);
                prop_assert!(close(value(found), least), "{algorithm}, {text}: {} of {least}", value(found));
                if exact {
                    let ties = among.iter().filter(|n| value(n) == least);
                    let lost = ties.map(|n| n.loss).fold(f64::INFINITY, f64::min);
                    prop_assert!(close(found.loss, lost), "{algorithm}, {text}: a tie loses {lost}");
                }
                prop_assert!(gap >= 0.0 && best.loss - gap <= optimum + 1e-9 * optimum.abs().max(1.0));
                if problem.loss.monotone() && algorithm != Algorithm::Samarati {
                    prop_assert!(close(best.loss - gap, optimum), "{algorithm}: {} {gap} {optimum}", best.loss);
                }
                if algorithm != Algorithm::Samarati {
                    let first = same.get_or_insert_with(|| best.clone());
                    prop_assert_eq!(&*first, &best, "{} differs", algorithm);
                }
            }
            let auto = strategy(Algorithm::Auto).unwrap();
            problem.preference = None;
            prop_assert_eq!(least_loss(&problem, &Watch::none()), solve(&problem, auto, &Watch::none()).unwrap().0);
        }
    }

    /// Words are expressions: Samarati's algorithm finds the same by both.
    #[test]
    fn words_are_expressions(instance in instance()) {
        let Some(mut problem) = problem(&instance) else { return Ok(()) };
        let samarati = strategy(Algorithm::Samarati).unwrap();
        for word in Preference::WORDS {
            let preference = Preference::from((*word).to_owned());
            // A loss with that name is the policy's own, with its weights.
            if *word == instance.loss {
                continue;
            }
            let text = preference.expression().unwrap_or("loss").to_owned();
            problem.profile.prefer = preference;
            problem.preference = None;
            let named = solve(&problem, samarati, &Watch::none()).unwrap().0;
            problem.preference = Some(ranking(&instance, &problem, &text));
            prop_assert_eq!(named, solve(&problem, samarati, &Watch::none()).unwrap().0, "{}", word);
        }
    }

    /// With a model that is safe at a node and unsafe above it, minimal nodes are still those with
    /// no safe node below.
    #[test]
    fn models_that_are_not_monotone_have_minimal_nodes_too(instance in instance(), salt in 0u32..1000) {
        let Some(mut problem) = problem(&instance) else { return Ok(()) };
        let dice = Dice(salt, ModelFacts::new(Requirement::Custom, "dice"));
        Arc::get_mut(&mut problem.models).unwrap().push(Box::new(dice));
        let mut evaluator = Evaluator::new(&problem);
        let safe: Vec<Node> = problem.lattice.iter().filter(|n| evaluator.judge(n).safe).collect();
        let minimal = |n: &&Node| !safe.iter().any(|other| other != *n && other.below(n));
        let least = safe.iter().filter(minimal).map(|n| u32::from(n.levels()[0])).min();
        problem.preference = Some(ranking(&instance, &problem, "level(c0)"));
        for algorithm in [Algorithm::MinGen, Algorithm::Auto] {
            match solve(&problem, strategy(algorithm).unwrap(), &Watch::none()).unwrap().0 {
                Outcome::Found { best, gap } => {
                    prop_assert!(safe.iter().filter(minimal).any(|n| *n == best.node), "{best:?}");
                    prop_assert_eq!(Some(u32::from(best.node.levels()[0])), least);
                    let mut evaluator = Evaluator::new(&problem);
                    let optimum = safe.iter().map(|n| evaluator.solution(n).loss).fold(f64::INFINITY, f64::min);
                    prop_assert!(best.loss - gap <= optimum + 1e-9 * optimum.abs().max(1.0));
                }
                _ => prop_assert!(safe.is_empty()),
            }
        }
    }

    #[test]
    fn what_is_stopped_is_safe_or_nothing(instance in instance(), patience in 0u64..40) {
        let Some(mut problem) = problem(&instance) else { return Ok(()) };
        problem.preference = Some(ranking(&instance, &problem, "suppressed - height + \"dm*\""));
        let optimum = instance.best().map_or(f64::INFINITY, |(best, _)| best.loss);
        for strategy in strategies().iter().filter(|s| s.algorithm().entry().prefers) {
            let asked = AtomicU64::new(0);
            let watch = Watch::none().limited(move || asked.fetch_add(1, Ordering::Relaxed) >= patience);
            if let Outcome::Found { best, gap } = solve(&problem, *strategy, &watch).unwrap().0 {
                let naive = instance.evaluate(&levels(&best.node));
                prop_assert!(naive.suppressed <= instance.max_suppressed, "{}", strategy.name());
                prop_assert!(best.loss - gap <= optimum + 1e-9 * optimum.abs().max(1.0));
            }
        }
    }
}

/// Flags everything at some nodes.
struct Dice(u32, ModelFacts);

impl PrivacyModel for Dice {
    fn facts(&self) -> &ModelFacts {
        &self.1
    }
    fn violations(&self, classes: &View<'_>, flags: &mut Flags) {
        let levels = classes.node().levels().iter();
        let node = levels.fold(self.0, |n, &l| n.wrapping_mul(31).wrapping_add(l.into()));
        if (node.wrapping_mul(0x9E37_79B9) >> 16).is_multiple_of(3) {
            (0..classes.len()).for_each(|c| flags.flag(c, classes.counts()[c]));
        }
    }
    fn verdict(&self, _: &View<'_>, _: &Flags) -> Option<Verdict> {
        None
    }
}

/// Of a table with two minimal nodes, the holder takes either; no expression leads above them.
#[test]
fn the_holder_chooses_between_minimal_nodes() {
    let rows = vec![vec![0, 0], vec![0, 1], vec![1, 0], vec![1, 1]];
    let instance = flat(&[2, 2], rows, "height");
    let mut problem = problem(&instance).unwrap();
    for (text, expected) in [
        ("level(c0)", [0, 1]),
        ("level(c1)", [1, 0]),
        ("-level(c0)", [1, 0]),
        ("-height", [0, 1]),
        ("0", [0, 1]),
        ("classes", [0, 1]),
    ] {
        problem.preference = Some(ranking(&instance, &problem, text));
        for strategy in strategies().iter().filter(|s| s.algorithm().entry().prefers) {
            let Outcome::Found { best, gap } = solve(&problem, *strategy, &Watch::none()).unwrap().0 else {
                panic!("{text}")
            };
            assert_eq!((levels(&best.node), gap), (expected.to_vec(), 0.0), "{text}: {}", strategy.name());
        }
    }
}

#[test]
fn auto_refuses_a_preference_in_a_lattice_that_it_cannot_hold() {
    let leaves = [2; 40];
    let rows = (0..2).map(|i| [vec![0; 39], vec![i]].concat()).collect();
    let instance = flat(&leaves, rows, "height");
    let mut problem = problem(&instance).unwrap();
    let auto = strategy(Algorithm::Auto).unwrap();
    assert!(auto.refuses(&problem).is_none());
    problem.preference = Some(ranking(&instance, &problem, "classes"));
    assert_eq!(auto.refuses(&problem).unwrap().code, "search.lattice-too-large");
}
