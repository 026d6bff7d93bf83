//! Properties of every loss beyond its value: monotonicity, the effect of a trade-off, its parts,
//! and the parameters that it rejects. `search.rs` tests values, bounds and searches.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use throng::lattice::Node;
use throng::policy::{Aggregate, LossParameters};
use throng::registry::LossKind;
use throng::search::{Evaluator, Problem, solve, strategy};
use throng::watch::Watch;

use crate::instances::{flat, instance, problem};
use crate::naive::{Column, Instance};
use crate::naive_losses::{monotone, parameters, tradable};
use crate::search::bounds_hold;

/// Whether some step up from a node of the lattice costs less than the node.
fn falls(problem: &Problem) -> bool {
    let mut evaluator = Evaluator::new(problem);
    let nodes: Vec<Node> = problem.lattice.iter().collect();
    nodes.iter().any(|node| {
        let here = evaluator.solution(node).loss;
        let mut above = problem.lattice.successors(node);
        above.any(|s| evaluator.solution(&s).loss < here - 1e-9 * here.abs().max(1.0))
    })
}

/// A frequent value whose rows are always suppressed, and two rare ones whose rows are not: taken
/// together the rare ones are a coin toss, and among the frequent one they are nearly certain not
/// to be there.
fn coin_toss() -> Instance {
    let mut rows: Vec<Vec<usize>> = (0..30).map(|i| vec![0, i]).collect();
    rows.extend([vec![1, 30], vec![2, 30]]);
    let mut instance = flat(&[3, 31], rows, "conditional-entropy");
    instance.columns[0] =
        Column { paths: vec![vec![0, 0, 0], vec![1, 1, 0], vec![2, 1, 0]], min: 0, max: 2, weight: 1.0 };
    instance.columns[1].max = 0;
    instance.labels = vec![vec![0; 32]];
    instance.max_suppressed = 32;
    instance
}

/// Two frequent values and two rare ones whose rows are always suppressed: at level 1 the rare ones
/// are a coin toss, at level 2 they are lost among a frequent one, so that a suppressed cell has
/// more to lose there than below.
fn lost_in_the_crowd() -> Instance {
    let mut rows = vec![vec![0, 0]; 30];
    rows.extend(vec![vec![1, 0]; 30]);
    rows.extend([vec![2, 1], vec![3, 2]]);
    let mut instance = flat(&[4, 3], rows, "conditional-entropy");
    let paths = vec![vec![0, 0, 0, 0], vec![1, 1, 1, 0], vec![2, 2, 1, 0], vec![3, 2, 1, 0]];
    instance.columns[0] = Column { paths, min: 0, max: 3, weight: 1.0 };
    instance.columns[1].max = 0;
    instance.labels = vec![(0..62).map(|i| i % 3).collect()];
    instance.max_suppressed = 62;
    instance
}

/// The problem of an instance with another loss.
fn asking(instance: &Instance, asked: LossParameters) -> Option<Problem> {
    let LossParameters { kind, aggregate, count_suppressed: counted, tradeoff, .. } = asked;
    problem(&Instance { loss: kind.key(), aggregate, counted, tradeoff, ..instance.clone() })
}

#[test]
fn bounds_hold_where_cells_get_cheaper_by_generalization() {
    for loss in parameters() {
        for tau in [None, Some(0.0), Some(0.2), Some(0.45), Some(0.7), Some(1.0)] {
            if tau.is_none() || tradable(&loss) {
                for instance in [coin_toss(), lost_in_the_crowd()] {
                    bounds_hold(&asking(&instance, LossParameters { tradeoff: tau, ..loss }).unwrap())
                        .unwrap_or_else(|e| panic!("{loss:?} {tau:?}: {e}"));
                }
            }
        }
    }
}

#[test]
fn losses_are_monotone_exactly_where_they_say_so() {
    let mut runner = TestRunner::deterministic();
    let instances: Vec<Instance> =
        (0..400).map(|_| instance().new_tree(&mut runner).unwrap().current()).collect();
    for loss in parameters() {
        for tau in [None, Some(0.0), Some(0.2), Some(0.5), Some(0.7), Some(1.0)] {
            if tau.is_some() && !tradable(&loss) {
                continue;
            }
            let loss = LossParameters { tradeoff: tau, ..loss };
            let asked = |i: &Instance| asking(i, loss);
            let problems: Vec<Problem> = instances.iter().chain([&coin_toss()]).filter_map(asked).collect();
            let expected = monotone(&loss);
            for problem in &problems {
                assert_eq!(problem.loss.monotone(), expected, "{loss:?}");
            }
            let falls = problems.iter().any(falls);
            assert_eq!(falls, !expected, "{loss:?}: does it fall along a path?");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn an_even_trade_off_changes_no_bit(instance in instance()) {
        let loss = LossParameters { tradeoff: None, ..instance.asked() };
        if !tradable(&loss) {
            return Ok(());
        }
        let with = |tradeoff| problem(&Instance { tradeoff, ..instance.clone() });
        let (Some(plain), Some(even)) = (with(None), with(Some(0.5))) else { return Ok(()) };
        let (mut a, mut b) = (Evaluator::new(&plain), Evaluator::new(&even));
        for node in plain.lattice.iter() {
            prop_assert_eq!(a.solution(&node).loss.to_bits(), b.solution(&node).loss.to_bits());
            prop_assert_eq!(a.evidence(&node), b.evidence(&node));
            let surplus = a.evidence(&node).surplus;
            let bounds = [&plain, &even].map(|p| p.loss.bound(&node, &surplus).to_bits());
            prop_assert_eq!(bounds[0], bounds[1]);
        }
    }

    #[test]
    fn columns_make_up_the_loss(instance in instance()) {
        let Some(problem) = problem(&instance) else { return Ok(()) };
        let mut evaluator = Evaluator::new(&problem);
        let kind = instance.asked().kind;
        let columnwise = kind.entry().aggregate.is_some();
        for node in problem.lattice.iter() {
            let expected = evaluator.solution(&node).loss;
            let (view, flags) = evaluator.classes(&node);
            let parts = problem.loss.parts(&view, flags);
            prop_assert_eq!(parts.len(), if columnwise { instance.columns.len() } else { 0 });
            if columnwise && instance.aggregate.is_none() {
                let sum: f64 = parts.iter().sum();
                let mean = kind.aggregate(None) == Aggregate::Mean;
                let found = if mean { sum / parts.len() as f64 } else { sum };
                prop_assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{parts:?} {expected}");
            }
        }
    }

    #[test]
    fn without_suppression_conditional_entropy_is_entropy(mut instance in instance()) {
        (instance.aggregate, instance.counted, instance.tradeoff) = (None, None, None);
        (instance.k, instance.groups) = (1, Vec::new());
        instance.loss = "entropy";
        let Some(entropy) = problem(&instance) else { return Ok(()) };
        instance.loss = "conditional-entropy";
        let conditional = problem(&instance).unwrap();
        let (mut a, mut b) = (Evaluator::new(&entropy), Evaluator::new(&conditional));
        for node in entropy.lattice.iter() {
            let (a, b) = (a.solution(&node).loss, b.solution(&node).loss);
            prop_assert!((a - b).abs() <= 1e-9 * a.abs().max(1.0), "{a} {b}");
        }
    }
}

fn refusal(parameters: LossParameters) -> String {
    let faults = throng::policy::check_loss(&parameters);
    assert!(!faults.is_empty(), "{parameters:?}");
    throng::error::Error::check(faults).unwrap_err().to_string()
}

#[test]
fn parameters_that_a_loss_does_not_have_are_refused_by_name() {
    let named = |name: &str| LossParameters::new(name.parse().unwrap());
    let tau = |name: &str, tau| LossParameters { tradeoff: Some(tau), ..named(name) };
    for name in ["height", "absolute", "relative", "dm*", "aecs"] {
        let text = refusal(tau(name, 0.5));
        assert!(text.contains(&format!("\"{name}\"")) && text.contains("\"conditional-entropy\""), "{text}");
        assert!(text.starts_with("search.loss.tradeoff: "), "{text}");
    }
    for name in ["prec", "entropy", "vinterbo", "column-mi"] {
        assert!(refusal(tau(name, 0.3)).contains("count_suppressed = true"));
        let counted = LossParameters { count_suppressed: Some(true), ..tau(name, 0.3) };
        assert!(throng::policy::check_loss(&counted).is_empty());
    }
    // Its suppressed cells cost by their original values, so it has no trade-off, counted or not.
    for counted in [None, Some(true)] {
        let text = refusal(LossParameters { count_suppressed: counted, ..tau("value-mi", 0.3) });
        assert!(text.contains("losses with a trade-off are"), "{text}");
    }
    for wrong in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        assert!(refusal(tau("lm", wrong)).contains("from 0"), "{wrong}");
    }
    assert!(
        throng::policy::check_loss(&tau("lm", 0.0)).is_empty()
            && throng::policy::check_loss(&tau("cm", 1.0)).is_empty()
    );
    let counted = |name: &str, c| LossParameters { count_suppressed: Some(c), ..named(name) };
    assert!(refusal(counted("conditional-entropy", false)).contains("\"entropy\" is the form"));
    assert!(refusal(counted("cm", false)).contains("counts suppressed rows by its definition"));
    let aggregate = |name: &str| LossParameters { aggregate: Some(Aggregate::Max), ..named(name) };
    for name in ["cm", "vinterbo", "column-mi", "value-mi"] {
        assert!(refusal(aggregate(name)).contains("no aggregate"));
    }
    assert!(throng::policy::check_loss(&aggregate("conditional-entropy")).is_empty());
    let unknown = "conditional-entropi".parse::<LossKind>().unwrap_err();
    let unknown = throng::error::Error::from(unknown);
    assert!(unknown.to_string().contains("did you mean \"conditional-entropy\"?"), "{unknown}");
}

#[test]
fn strategies_refuse_what_they_are_not_exact_for_by_name() {
    let rows = vec![vec![0, 0], vec![0, 1], vec![1, 0], vec![1, 1]];
    for (loss, tradeoff, refused) in [
        ("cm", None, true),
        ("conditional-entropy", None, true),
        ("lm", Some(0.4), true),
        ("cm", Some(0.0), false),
    ] {
        let mut instance = flat(&[2, 2], rows.clone(), loss);
        instance.labels = vec![vec![0, 0, 0, 1]];
        instance.tradeoff = tradeoff;
        let problem = problem(&instance).unwrap();
        match solve(&problem, strategy("ola".parse().unwrap()).unwrap(), &Watch::none()) {
            Ok(_) => assert!(!refused, "{loss}"),
            Err(error) => {
                let text = error.to_string();
                assert!(
                    refused && ["ola", loss, "\"auto\""].iter().all(|part| text.contains(part)),
                    "{text}"
                );
            }
        }
        // Incognito compares all safe nodes, Samarati those of one height: neither needs a monotone
        // loss.
        for name in ["incognito", "samarati"] {
            solve(&problem, strategy(name.parse().unwrap()).unwrap(), &Watch::none()).unwrap();
        }
    }
}
