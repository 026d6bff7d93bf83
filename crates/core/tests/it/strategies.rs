//! Incognito, Samarati and Datafly against brute force, and what every strategy must keep: an
//! honest gap, and a safe node or none when it is stopped.

use std::sync::atomic::{AtomicU64, Ordering};

use proptest::prelude::*;
use throng::classes::{Flags, View};
use throng::lattice::Node;
use throng::model::{ModelFacts, PrivacyModel, Requirement, Verdict};
use throng::policy::Preference;
use throng::search::{Account, Evaluator, Outcome, Problem, Solution, solve as search, strategies, strategy};
use throng::watch::Watch;

use crate::instances::{flat, instance, levels, problem, problem_with_gaps};
use crate::naive::{Column, Instance, Naive};

fn solve(problem: &Problem, name: &str) -> (Outcome, Account) {
    search(problem, strategy(name.parse().expect("a known name")).expect("a strategy"), &Watch::none())
        .expect("not refused")
}

fn close(loss: f64) -> f64 {
    1e-9 * loss.abs().max(1.0)
}

/// The safe nodes by brute force.
fn safe(instance: &Instance) -> Vec<Naive> {
    let nodes = instance.nodes();
    let all = nodes.iter().map(|n| instance.evaluate(n));
    all.filter(|n| n.suppressed <= instance.max_suppressed).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2500, ..ProptestConfig::default() })]

    #[test]
    fn incognito_is_mingen_and_auto(instance in instance()) {
        let Some(problem) = problem(&instance) else { return Ok(()) };
        let (incognito, account) = solve(&problem, "incognito");
        let (mingen, all) = solve(&problem, "mingen");
        prop_assert_eq!(&incognito, &mingen);
        match (solve(&problem, "auto").0, &mingen) {
            (Outcome::Found { best, gap }, Outcome::Found { best: expected, .. }) => {
                prop_assert_eq!(&best, expected);
                prop_assert_eq!(gap, 0.0);
            }
            (auto, _) => prop_assert_eq!(&auto, &mingen),
        }
        // It compares every safe node, which is what mingen does.
        prop_assert_eq!(account.compared, all.compared);
    }

    /// Strategies that do not judge unsafe nodes to the end choose as one that does.
    #[test]
    fn missing_cells_that_match_everything_are_judged_alike(instance in instance()) {
        let Some(problem) = problem_with_gaps(&instance) else { return Ok(()) };
        let (mingen, _) = solve(&problem, "mingen");
        prop_assert_eq!(&solve(&problem, "incognito").0, &mingen);
        let (auto, ola, datafly) = (solve(&problem, "auto").0, solve(&problem, "ola").0, solve(&problem, "datafly").0);
        match &mingen {
            Outcome::Found { best: expected, .. } => {
                for outcome in [&auto, &ola] {
                    let Outcome::Found { best, .. } = outcome else { panic!("{outcome:?}") };
                    prop_assert_eq!(best, expected);
                }
                let Outcome::Found { best, .. } = datafly else { panic!("{datafly:?}") };
                prop_assert_eq!(Evaluator::new(&problem).judge(&best.node).suppressed, best.suppressed);
            }
            _ => [auto, ola, datafly].iter().try_for_each(|o| {
                prop_assert_eq!(o, &mingen);
                Ok(())
            })?,
        }
    }

    #[test]
    fn samarati_prefers_among_the_lowest_safe_nodes(instance in instance()) {
        let Some(problem) = problem(&instance) else { return Ok(()) };
        let safe = safe(&instance);
        let height = |n: &&Naive| n.levels.iter().sum::<usize>();
        let (outcome, account) = solve(&problem, "samarati");
        let Some(lowest) = safe.iter().map(|n| height(&n)).min() else {
            let least = instance.evaluate(&levels(&problem.lattice.top())).suppressed as u64;
            prop_assert_eq!(outcome, Outcome::Infeasible { least });
            return Ok(());
        };
        let mut evaluator = Evaluator::new(&problem);
        let mut expected: Option<Solution> = None;
        for naive in safe.iter().filter(|n| height(n) == lowest) {
            let node = Node::new(naive.levels.iter().map(|&l| l as u8).collect::<Vec<u8>>());
            let solution = evaluator.solution(&node);
            prop_assert_eq!(solution.suppressed, naive.suppressed as u64);
            if expected.as_ref().is_none_or(|e| solution.better_than(e)) {
                expected = Some(solution);
            }
        }
        let Outcome::Found { best, gap } = outcome else { panic!("{outcome:?}") };
        prop_assert_eq!(Some(best), expected);
        prop_assert!(account.checked as u128 <= problem.lattice.nodes(), "a node was checked twice");
        let even = instance.columns.iter().all(|c| c.weight == instance.columns[0].weight);
        prop_assert!(gap == 0.0 || instance.loss != "height" || !even);
    }

    #[test]
    fn samarati_prefers_what_it_is_told_to(instance in instance()) {
        let Some(mut problem) = problem(&instance) else { return Ok(()) };
        let safe = safe(&instance);
        let height = |n: &Naive| n.levels.iter().sum::<usize>();
        let Some(lowest) = safe.iter().map(height).min() else { return Ok(()) };
        let optimum = safe.iter().map(|n| n.loss).fold(f64::INFINITY, f64::min);
        for prefer in [Preference::Absolute, Preference::Relative, Preference::Distribution, Preference::Suppression] {
            problem.profile.prefer = prefer.clone();
            let Outcome::Found { best, gap } = solve(&problem, "samarati").0 else { panic!("nothing found") };
            let rank = |n: &Naive| match prefer {
                Preference::Relative => {
                    let share = |(l, c): (&usize, &Column)| *l as f64 / c.height().max(1) as f64;
                    n.levels.iter().zip(&instance.columns).map(share).sum()
                }
                Preference::Distribution => -(n.classes as f64),
                Preference::Suppression => n.suppressed as f64,
                _ => 0.0,
            };
            let least = safe.iter().filter(|n| height(n) == lowest).map(rank).fold(f64::INFINITY, f64::min);
            let found = safe.iter().find(|n| n.levels == levels(&best.node)).expect("a safe node");
            prop_assert_eq!(height(found), lowest);
            prop_assert!((rank(found) - least).abs() < 1e-9, "{:?}: {} {}", prefer, rank(found), least);
            prop_assert!(best.loss - gap <= optimum + close(optimum), "{:?}: {:?} {}", prefer, best, gap);
        }
    }

    /// A model that is safe at a node and unsafe above it: no top bounds its box, and suppressed
    /// rows are not evidence about other nodes.
    #[test]
    fn auto_is_mingen_for_models_that_are_not_monotone(instance in instance(), salt in 0u32..1000) {
        let Some(mut problem) = problem(&instance) else { return Ok(()) };
        std::sync::Arc::get_mut(&mut problem.models).unwrap().push(Box::new(Fickle(salt, ModelFacts::new(Requirement::Custom, "fickle"))));
        let (expected, _) = solve(&problem, "mingen");
        match (solve(&problem, "auto").0, expected) {
            // What cannot be safe is not looked at by all models, so a better unsafe node can go
            // unseen.
            (Outcome::Infeasible { least }, Outcome::Infeasible { least: fewest }) => {
                prop_assert!(least >= fewest && least > problem.max_suppressed);
            }
            (found, expected) => prop_assert_eq!(found, expected),
        }
    }

    #[test]
    fn gaps_never_hide_the_optimum(instance in instance()) {
        let Some(problem) = problem(&instance) else { return Ok(()) };
        let optimum = instance.best().map(|(best, _)| best.loss);
        for strategy in strategies().iter().filter(|s| s.refuses(&problem).is_none()) {
            match (solve(&problem, strategy.name()).0, optimum) {
                (Outcome::Found { best, gap }, Some(optimum)) => {
                    prop_assert!(gap >= 0.0);
                    prop_assert!(best.loss >= optimum - close(optimum), "{}", strategy.name());
                    let least = best.loss - gap;
                    prop_assert!(least <= optimum + close(optimum), "{}: {best:?} {gap}", strategy.name());
                }
                (Outcome::Infeasible { .. }, None) => {}
                (outcome, _) => prop_assert!(false, "{}: {outcome:?} against {optimum:?}", strategy.name()),
            }
        }
    }

    #[test]
    fn what_is_stopped_is_safe_or_nothing(instance in instance(), patience in 0u64..40) {
        let Some(problem) = problem(&instance) else { return Ok(()) };
        let optimum = instance.best().map(|(best, _)| best.loss);
        for strategy in strategies().iter().filter(|s| s.refuses(&problem).is_none()) {
            let asked = AtomicU64::new(0);
            let watch = Watch::none().limited(move || asked.fetch_add(1, Ordering::Relaxed) >= patience);
            match (search(&problem, *strategy, &watch).unwrap().0, optimum) {
                (Outcome::Found { best, gap }, Some(optimum)) => {
                    let naive = instance.evaluate(&levels(&best.node));
                    prop_assert!(naive.suppressed <= instance.max_suppressed, "{}", strategy.name());
                    prop_assert!((naive.loss - best.loss).abs() <= close(naive.loss));
                    let least = best.loss - gap;
                    prop_assert!(least <= optimum + close(optimum), "{}: {best:?} {gap}", strategy.name());
                }
                (Outcome::Infeasible { .. }, None) | (Outcome::Cancelled, _) => {}
                (outcome, _) => prop_assert!(false, "{}: {outcome:?} against {optimum:?}", strategy.name()),
            }
        }
    }
}

/// Three columns of four levels or fewer, as in [El Emam 2009, figure 2].
fn figure() -> Instance {
    let column = |height: usize| Column {
        paths: (0..8usize)
            .map(|leaf| (0..=height).map(|l| if l == height { 0 } else { leaf >> l }).collect())
            .collect(),
        min: 0,
        max: height,
        weight: 1.0,
    };
    let rows = (0..60).map(|i: usize| vec![i * 7 % 8, i / 3 % 2, i * i / 5 % 8]).collect();
    let columns = vec![column(2), column(1), column(4)];
    Instance { columns, rows, k: 5, max_suppressed: 3, ..flat(&[], vec![], "entropy") }
}

#[test]
fn incognito_works_more_than_ola_for_the_same_answer() {
    let problem = problem(&figure()).unwrap();
    let ((incognito, incognitos), (ola, olas)) = (solve(&problem, "incognito"), solve(&problem, "ola"));
    assert_eq!(incognito, ola);
    assert!(incognitos.checked >= olas.checked, "{incognitos:?} {olas:?}");
    assert!(incognitos.compared >= olas.compared, "{incognitos:?} {olas:?}");
}

#[test]
fn samarati_and_datafly_need_not_hold_the_lattice() {
    // 2⁴⁰ nodes; only the last column carries information.
    let leaves = [2; 40];
    let rows = (0..2).map(|i| [vec![0; 39], vec![i]].concat()).collect();
    let problem = problem(&flat(&leaves, rows, "height")).unwrap();
    for name in ["samarati", "datafly"] {
        let Outcome::Found { best, gap } = solve(&problem, name).0 else { panic!("{name}") };
        assert_eq!(levels(&best.node), [vec![0; 39], vec![1]].concat(), "{name}");
        assert_eq!(gap, 0.0, "{name}");
    }
    let refused = strategy("incognito".parse().unwrap()).unwrap().refuses(&problem).unwrap();
    assert!(refused.message.contains("incognito") && refused.message.contains("subsets"), "{refused:?}");
}

#[test]
fn a_lattice_of_one_node_is_checked_once_by_all() {
    let mut instance = flat(&[2, 2], vec![vec![0, 0], vec![0, 1]], "entropy");
    instance.columns.iter_mut().for_each(|c| c.min = 1);
    let problem = problem(&instance).unwrap();
    for strategy in strategies() {
        let (outcome, account) = solve(&problem, strategy.name());
        let Outcome::Found { best, gap } = outcome else { panic!("{}", strategy.name()) };
        assert_eq!((levels(&best.node), gap, account.checked), (vec![1, 1], 0.0, 1), "{}", strategy.name());
    }
}

#[test]
fn a_path_that_steps_over_a_height_is_not_lost() {
    // Three linked columns rise by three levels at once; the one that has to rise is the fourth.
    let rows = (0..8).map(|i| vec![i % 2, i / 2 % 2, i / 7, i % 2]).collect();
    let mut instance = flat(&[2; 4], rows, "dm*");
    instance.k = 1;
    instance.linked = vec![vec![0, 1, 3]];
    instance.groups = vec![(vec![2], 2)];
    let problem = problem(&instance).unwrap();
    for strategy in strategies().iter().filter(|s| s.name() != "datafly") {
        let Outcome::Found { best, .. } = solve(&problem, strategy.name()).0 else { panic!() };
        assert_eq!(levels(&best.node), [0, 0, 1, 0], "{}", strategy.name());
    }
}

/// Flags about a third of the classes, whichever a node has.
struct Fickle(u32, ModelFacts);

impl PrivacyModel for Fickle {
    fn facts(&self) -> &ModelFacts {
        &self.1
    }
    fn violations(&self, classes: &View<'_>, flags: &mut Flags) {
        let node =
            classes.node().levels().iter().fold(self.0, |n, &l| n.wrapping_mul(31).wrapping_add(l.into()));
        for class in 0..classes.len() {
            let dice = (node ^ class as u32).wrapping_mul(0x9E37_79B9) >> 16;
            if dice.is_multiple_of(3) {
                flags.flag(class, classes.counts()[class]);
            }
        }
    }
    fn verdict(&self, _: &View<'_>, _: &Flags) -> Option<Verdict> {
        None
    }
}

/// Flags everything at odd heights.
struct Odd(ModelFacts);

impl PrivacyModel for Odd {
    fn facts(&self) -> &ModelFacts {
        &self.0
    }
    fn violations(&self, classes: &View<'_>, flags: &mut Flags) {
        let odd = classes.node().height() % 2 == 1;
        (0..classes.len()).filter(|_| odd).for_each(|c| flags.flag(c, classes.counts()[c]));
    }
    fn verdict(&self, _: &View<'_>, _: &Flags) -> Option<Verdict> {
        None
    }
}

#[test]
fn models_that_are_not_monotone_are_refused_by_name_or_met() {
    let rows = vec![vec![0, 0], vec![0, 1], vec![1, 0], vec![1, 1]];
    let mut problem = problem(&flat(&[2, 2], rows, "height")).unwrap();
    std::sync::Arc::get_mut(&mut problem.models)
        .unwrap()
        .push(Box::new(Odd(ModelFacts::new(Requirement::Custom, "odd"))));
    for name in ["samarati", "incognito"] {
        let refused = search(&problem, strategy(name.parse().unwrap()).unwrap(), &Watch::none()).unwrap_err();
        let text = refused.to_string();
        assert!(text.contains(name) && text.contains("\"odd\"") && text.contains("\"auto\""), "{text}");
    }
    let Outcome::Found { best, gap } = solve(&problem, "datafly").0 else { panic!() };
    assert_eq!((levels(&best.node), gap), (vec![1, 1], 2.0));
}
