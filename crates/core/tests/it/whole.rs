//! Models of the table as a whole against their definitions: what stays is the largest set of its
//! form, in random searches beside groups that cascade.

use std::collections::BTreeMap;

use proptest::prelude::*;
use throng::classes::{Classes, Flags, Groups, View};
use throng::error::Fault;
use throng::hierarchy::Hierarchy;
use throng::lattice::Node;
use throng::model::{self, KAnonymity, PrivacyModel, Setting, Values};
use throng::policy::{
    AverageRisk, Estimator, Game, ModelSpec, Policy, PopulationUniqueness, Profitability, RareIn, RareValues,
    SampleUniqueness, StrictAverageRisk,
};
use throng::population::{Sample, Sizes, dankar};
use throng::release::{Certificate, Claim, FileFacts, PolicyFacts, Release, SearchFacts};
use throng::rows::Table;
use throng::search::{Evaluator, Outcome, Problem, solve, strategy};
use throng::table::Dictionary;
use throng::verify::{Inputs, verify};
use throng::watch::Watch;

use crate::instances::{flat, hierarchy, instance, levels, problem};
use crate::naive::Instance;

fn sample(max: f64) -> ModelSpec {
    ModelSpec::SampleUniqueness(SampleUniqueness { max })
}

fn average(max: f64) -> ModelSpec {
    ModelSpec::AverageRisk(AverageRisk { max })
}

fn unique(population: u64, max: f64, estimator: Estimator) -> ModelSpec {
    ModelSpec::PopulationUniqueness(PopulationUniqueness { population, max, estimator })
}

fn game(kind: Game, [benefit, loss, gain, cost]: [f64; 4]) -> Profitability {
    Profitability {
        publisher_benefit: benefit,
        publisher_loss: loss,
        adversary_gain: gain,
        adversary_cost: cost,
        kind,
    }
}

/// Pitman's formula takes too long for many cases; it has a test of its own.
fn spec() -> impl Strategy<Value = ModelSpec> {
    prop_oneof![
        (0u8..10).prop_map(|max| sample(f64::from(max) / 10.0)),
        (1u8..10).prop_map(|max| average(f64::from(max) / 10.0)),
        (1u8..10, 1u64..4).prop_map(|(max, k)| ModelSpec::StrictAverageRisk(StrictAverageRisk {
            max: f64::from(max) / 10.0,
            k
        })),
        (70u64..200, 0u8..10).prop_map(|(n, max)| unique(n, f64::from(max) / 20.0, Estimator::Zayatz)),
    ]
}

fn built(asked: &ModelSpec, rows: usize, strict: bool) -> Box<dyn PrivacyModel> {
    let setting = Setting { rows: rows as u64, strict, ..Setting::default() };
    model::build(asked, &setting).unwrap()
}

/// What classes of these sizes reach, by the definition; there is one.
fn figure(asked: &ModelSpec, sizes: &[usize]) -> Option<f64> {
    let rows: usize = sizes.iter().sum();
    match asked {
        ModelSpec::SampleUniqueness(_) => {
            Some(sizes.iter().filter(|&&size| size == 1).count() as f64 / rows as f64)
        }
        ModelSpec::AverageRisk(_) | ModelSpec::StrictAverageRisk(_) => {
            // The mean over rows of 1 over the rows of their class.
            Some(sizes.iter().map(|&size| size as f64 * (1.0 / size as f64)).sum::<f64>() / rows as f64)
        }
        ModelSpec::PopulationUniqueness(asked) => {
            let sizes = Sizes::of(sizes.iter().map(|&size| size as u64));
            let sample = Sample::new(sizes, asked.population).unwrap();
            let people = match asked.estimator {
                Estimator::Pitman => throng::population::Estimator::Pitman.estimate(&sample),
                Estimator::Zayatz => throng::population::Estimator::Zayatz.estimate(&sample),
                Estimator::Snb => throng::population::Estimator::Snb.estimate(&sample),
                Estimator::Dankar => dankar(&sample).map(|(_, people)| people),
            };
            Some(people? / asked.population as f64)
        }
        other => panic!("{} judges no table", other.key()),
    }
}

fn most(asked: &ModelSpec) -> f64 {
    match asked {
        ModelSpec::SampleUniqueness(asked) => asked.max,
        ModelSpec::AverageRisk(asked) => asked.max,
        ModelSpec::StrictAverageRisk(asked) => asked.max,
        ModelSpec::PopulationUniqueness(asked) => asked.max,
        other => panic!("{} judges no table", other.key()),
    }
}

fn holds(asked: &ModelSpec, sizes: &[usize]) -> bool {
    let least = if let ModelSpec::StrictAverageRisk(asked) = asked { asked.k as usize } else { 1 };
    let large = sizes.iter().all(|&size| size >= least);
    sizes.is_empty() || large && figure(asked, sizes).is_some_and(|figure| figure <= most(asked) + 1e-9)
}

/// Rows with the same cells, and how many they are.
fn grouped(rows: &[Vec<usize>]) -> BTreeMap<&[usize], usize> {
    let mut classes: BTreeMap<&[usize], usize> = BTreeMap::new();
    rows.iter().for_each(|row| *classes.entry(row).or_default() += 1);
    classes
}

/// The largest number of rows in classes of at least some size such that each has k like it over
/// every group.
fn safe_rows(general: &[Vec<usize>], size: usize, groups: &[(Vec<usize>, usize)]) -> Vec<Vec<usize>> {
    let classes = grouped(general);
    let mut stay: Vec<Vec<usize>> =
        general.iter().filter(|row| classes[row.as_slice()] >= size).cloned().collect();
    loop {
        let short = stay.iter().position(|row| {
            groups.iter().any(|(columns, k)| {
                let alike = |other: &&Vec<usize>| columns.iter().all(|&c| other[c] == row[c]);
                stay.iter().filter(alike).count() < *k
            })
        });
        match short {
            Some(at) => drop(stay.remove(at)),
            None => return stay,
        }
    }
}

/// The rows that do not stay at a node: all sizes are tried, and the most rows are kept that are
/// within the limits.
fn unsafe_rows(instance: &Instance, asked: &[ModelSpec], node: &[usize]) -> u64 {
    let label = |row: &[usize], c: usize| instance.columns[c].paths[row[c]][node[c]];
    let general: Vec<Vec<usize>> =
        instance.rows.iter().map(|row| (0..row.len()).map(|c| label(row, c)).collect()).collect();
    let mut groups = instance.groups.clone();
    groups.push(((0..instance.columns.len()).collect(), instance.k));
    let fits = |stay: &[Vec<usize>]| {
        let sizes: Vec<usize> = grouped(stay).into_values().collect();
        asked.iter().all(|asked| holds(asked, &sizes))
    };
    let stays = (1..=general.len() + 1).map(|size| safe_rows(&general, size, &groups));
    let most = stays.filter(|stay| fits(stay)).map(|stay| stay.len()).max();
    (general.len() - most.expect("no row at all is within every limit")) as u64
}

/// Which classes of one column with these sizes are flagged.
fn flagged(models: &[Box<dyn PrivacyModel>], sizes: &[usize]) -> Vec<bool> {
    let codes = sizes.iter().enumerate().flat_map(|(code, &size)| vec![vec![code as u32]; size]);
    let classes = Classes::of_rows(1, codes).unwrap();
    let leaves = flat(&[sizes.len()], Vec::new(), "height");
    let hierarchies: Vec<Hierarchy> = leaves.columns.iter().map(hierarchy).collect();
    let (node, groups) = (Node::new(vec![0]), Groups::identity(&classes));
    let mut flags = Flags::default();
    model::judge(models, &View::new(&classes, &hierarchies, &node, &groups), &mut flags).unwrap();
    (0..classes.len()).map(|class| flags.has(class)).collect()
}

proptest! {
    #[test]
    fn what_stays_is_the_largest_set_of_its_form(
        asked in spec(),
        sizes in prop::collection::vec(1usize..6, 1..12),
    ) {
        let models = vec![built(&asked, sizes.iter().sum(), false)];
        let at_least = |least: usize| sizes.iter().copied().filter(|&s| s >= least).collect::<Vec<_>>();
        let least = (1..).find(|&least| holds(&asked, &at_least(least))).unwrap();
        let expected: Vec<bool> = sizes.iter().map(|&size| size < least).collect();
        prop_assert_eq!(flagged(&models, &sizes), expected);
    }

    #[test]
    fn searches_with_models_of_the_table_find_what_brute_force_finds(
        instance in instance(),
        asked in prop::collection::vec(spec(), 1..3),
        reversed: bool,
    ) {
        let instance = Instance { k: 1 + instance.k % 2, ..instance };
        let Some(mut problem) = problem(&instance) else { return Ok(()) };
        let strict = problem.max_suppressed == 0;
        std::sync::Arc::get_mut(&mut problem.models).unwrap().extend(asked.iter().map(|asked| built(asked, instance.rows.len(), strict)));
        if reversed {
            std::sync::Arc::get_mut(&mut problem.models).unwrap().reverse();
        }
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
        for name in ["mingen", "auto", "ola", "incognito"] {
            let strategy = strategy(name.parse().unwrap()).unwrap();
            let monotone = problem.models.iter().all(|m| m.facts().monotone);
            if let Some(fault) = strategy.refuses(&problem) {
                prop_assert!(!(monotone && problem.loss.monotone()), "{}", fault);
                continue;
            }
            prop_assert!(monotone || ["mingen", "auto"].contains(&name), "{} must refuse", name);
            match (solve(&problem, strategy, &Watch::none()).unwrap().0, best) {
                (Outcome::Infeasible { .. }, None) => {}
                (Outcome::Found { best: found, gap }, Some(best)) => {
                    prop_assert_eq!(gap, 0.0);
                    prop_assert!((found.loss - best).abs() <= 1e-9 * best.abs().max(1.0), "{}", name);
                }
                (outcome, best) => prop_assert!(false, "{name}: {outcome:?} against {best:?}"),
            }
        }
    }

    #[test]
    fn where_nothing_is_suppressed_merging_keeps_a_safe_table_safe(
        asked in spec(),
        sizes in prop::collection::vec(1usize..6, 2..12),
        at: prop::sample::Index,
    ) {
        let at = at.index(sizes.len() - 1);
        let merged = [&sizes[..at], &[sizes[at] + sizes[at + 1]], &sizes[at + 2..]].concat();
        let models = vec![built(&asked, sizes.iter().sum(), true)];
        let safe = |sizes: &[usize]| !flagged(&models, sizes).contains(&true);
        prop_assert_eq!(models[0].facts().requirement, asked.kind().into());
        prop_assert!(!(models[0].facts().monotone && safe(&sizes)) || safe(&merged));
    }
}

/// The measured labels of the instance, as a model receives them.
fn setting<'a>(problem: &'a Problem, texts: &'a Dictionary, rows: &'a [Vec<u64>]) -> Vec<Values<'a>> {
    let values = |(measured, rows): (usize, &'a Vec<u64>)| Values {
        name: if measured == 0 { "l0" } else { "l1" },
        measured,
        texts,
        rows,
        hierarchy: None,
        listed: false,
    };
    assert!(rows.len() <= problem.classes.histograms().len());
    rows.iter().enumerate().map(values).collect()
}

/// Whether some rows of a class may stay among those that do, by the definitions of the models that
/// are not of sizes alone.
fn stays(instance: &Instance, asked: &ModelSpec, node: &[usize], class: &[usize], alive: &[usize]) -> bool {
    let label = |row: usize, c: usize| instance.columns[c].paths[instance.rows[row][c]][node[c]];
    match asked {
        ModelSpec::Profitability(game) => {
            let n = class.len() as f64;
            let lost = |c: usize| {
                let paths = &instance.columns[c].paths;
                let under = paths.iter().filter(|p| p[node[c]] == label(class[0], c)).count();
                (under - 1) as f64 / (paths.len().max(2) - 1) as f64
            };
            let lost = (0..node.len()).map(lost).sum::<f64>() / node.len() as f64;
            let attacked = game.adversary_gain / n - game.adversary_cost > 1e-9;
            let harm = if attacked { game.publisher_loss / n } else { 0.0 };
            let brings = game.publisher_benefit * (1.0 - lost) - harm;
            if game.kind == Game::NoAttack { !attacked } else { brings > 1e-6 }
        }
        ModelSpec::RareValues(rare) => class.iter().all(|&row| {
            let quasi = (0..node.len())
                .filter(|c| rare.columns.as_ref().is_none_or(|columns| columns.contains(&format!("c{c}"))));
            let few = |same: &dyn Fn(usize) -> bool| {
                (alive.iter().filter(|&&other| same(other)).count() as u64) < rare.k
            };
            let mut quasi = quasi.map(|c| few(&|other| label(other, c) == label(row, c)));
            let mut labels = instance.labels.iter().map(|labels| few(&|other| labels[other] == labels[row]));
            !(quasi.any(|rare| rare) || rare.columns.is_none() && labels.any(|rare| rare))
        }),
        other => panic!("{} is of sizes", other.key()),
    }
}

/// The rows that must go at a node: classes one after the other until none must.
fn gone(instance: &Instance, asked: &ModelSpec, node: &[usize]) -> u64 {
    let label = |row: usize, c: usize| instance.columns[c].paths[instance.rows[row][c]][node[c]];
    let tuple = |row: usize| (0..node.len()).map(|c| label(row, c)).collect::<Vec<_>>();
    let mut alive: Vec<usize> = (0..instance.rows.len()).collect();
    loop {
        let class_of =
            |row: usize| alive.iter().copied().filter(|&o| tuple(o) == tuple(row)).collect::<Vec<_>>();
        let bad = alive
            .iter()
            .map(|&row| class_of(row))
            .find(|class| class.len() < instance.k || !stays(instance, asked, node, class, &alive));
        match bad {
            Some(class) => alive.retain(|row| !class.contains(row)),
            None => return (instance.rows.len() - alive.len()) as u64,
        }
    }
}

fn other_spec() -> impl Strategy<Value = ModelSpec> {
    prop_oneof![
        ([1u8..10, 0u8..20, 0u8..20, 1u8..8], prop::sample::select(vec![Game::NoAttack, Game::Payout]))
            .prop_map(|(amounts, kind)| ModelSpec::Profitability(game(kind, amounts.map(f64::from)))),
        (1u64..5, prop::option::of(Just(vec!["c0".to_owned()]))).prop_map(|(k, columns)| {
            ModelSpec::RareValues(RareValues { k, columns, judge: RareIn::Release, delete: None })
        }),
    ]
}

proptest! {
    #[test]
    fn searches_with_payouts_and_rare_values_find_what_brute_force_finds(
        instance in instance(),
        asked in other_spec(),
    ) {
        let instance = Instance { groups: Vec::new(), k: 1 + instance.k % 2, ..instance };
        let Some(mut problem) = problem(&instance) else { return Ok(()) };
        let texts = Dictionary::of(["0", "1", "2", "3"].map(Some));
        let rows: Vec<Vec<u64>> = vec![vec![0; 4]; instance.labels.len()];
        let measured = setting(&problem, &texts, &rows);
        let strict = problem.max_suppressed == 0;
        let setting = Setting { quasi: &problem.names, measured: &measured, strict, ..Setting::default() };
        let model = model::build(&asked, &setting).unwrap();
        drop(measured);
        std::sync::Arc::get_mut(&mut problem.models).unwrap().push(model);
        let monotone = problem.models.iter().all(|m| m.facts().monotone);
        let mut evaluator = Evaluator::new(&problem);
        let (mut best, mut judged): (Option<f64>, Vec<_>) = (None, Vec::new());
        for node in problem.lattice.iter() {
            let judgement = evaluator.judge(&node);
            prop_assert_eq!(judgement.suppressed, gone(&instance, &asked, &levels(&node)));
            if judgement.safe {
                let loss = evaluator.solution(&node).loss;
                best = Some(best.map_or(loss, |best| best.min(loss)));
            }
            judged.push((node, judgement.safe));
        }
        for (low, safe) in &judged {
            let above = judged.iter().filter(|(high, _)| low.below(high));
            prop_assert!(!(monotone && *safe) || above.clone().all(|(_, safe)| *safe), "not monotone");
        }
        for name in ["mingen", "auto"] {
            match (solve(&problem, strategy(name.parse().unwrap()).unwrap(), &Watch::none()).unwrap().0, best) {
                (Outcome::Infeasible { .. }, None) => {}
                (Outcome::Found { best: found, .. }, Some(best)) => {
                    prop_assert!((found.loss - best).abs() <= 1e-9 * best.abs().max(1.0), "{}", name);
                }
                (outcome, best) => prop_assert!(false, "{name}: {outcome:?} against {best:?}"),
            }
        }
    }
}

/// The release of a table whose only column separates classes of these sizes, with one claim.
fn certified(
    policy: &str,
    sizes: &[usize],
    claim: &str,
    required: f64,
    achieved: Option<f64>,
) -> Certificate {
    let rows = sizes.iter().sum::<usize>() as u64;
    let file = |sha256: &str| FileFacts { path: "x".into(), sha256: sha256.into(), rows };
    let release = Release {
        rows,
        released: rows,
        suppressed: 0,
        people: None,
        withheld: 0,
        deleted: None,
        levels: [("a".to_owned(), 0)].into(),
        steps: Vec::new(),
        regions: None,
        preparation: None,
        population: None,
        notions: None,
        utility: BTreeMap::new(),
        predicted: BTreeMap::new(),
        model: None,
        risk: None,
        text: BTreeMap::new(),
        sampling: None,
        loss: BTreeMap::new(),
        loss_by_column: BTreeMap::new(),
        privacy: [(claim.to_owned(), Claim { required, achieved, holds: true })].into(),
        search: SearchFacts {
            algorithm: "none".into(),
            method: None,
            reason: None,
            k: None,
            nodes: 1,
            checked: 1,
            optimal: true,
            gap: 0.0,
            seconds: 0.0,
        },
        input: file("in"),
        output: file("out"),
        policy: PolicyFacts { sha256: Policy::digest(policy) },
        template: None,
        ledger: None,
        files: BTreeMap::new(),
        seed: 0,
        version: "0".into(),
    };
    Certificate::new(release, vec!["a".into()], sizes.len() as u64).unwrap()
}

/// Whether the verifier accepts a claim of an estimator.
fn judge_agrees(estimator: Estimator, sizes: &[usize], population: u64, achieved: Option<f64>) -> bool {
    let name = estimator.name();
    let text = format!(
        "version = 1\n[input]\npath = \"x.csv\"\n[columns]\na.role = \"quasi\"\n[privacy]\nmodels = \
         [{{ population_uniqueness = {{ population = {population}, max = 1.0, estimator = \"{name}\" }} }}]\n"
    );
    let policy = Policy::parse(&text).unwrap();
    let claim = format!("{name} population uniqueness");
    let certificate = certified(&text, sizes, &claim, 1.0, achieved);
    let rows = sizes.iter().enumerate().flat_map(|(value, &size)| vec![vec![Some(value.to_string())]; size]);
    let release = Table::new(vec!["a".into()], rows.collect()).unwrap();
    let build = |_: &str, values: &Dictionary| {
        let paths = (0..values.len() as u32).filter_map(|code| values.value(code));
        let paths = paths.map(|value| throng::hierarchy::Path { leaf: value.into(), labels: Vec::new() });
        Hierarchy::new(paths.collect(), false)
    };
    let verdict = verify(&Inputs {
        policy: &policy,
        policy_sha256: &Policy::digest(&text),
        certificate: &certificate,
        files: None,
        release: &release,
        original: None,
        population: None,
        build: &build,
        watch: &Watch::none(),
    });
    verdict.unwrap().claims[&claim].holds
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn the_judge_estimates_what_the_search_estimates(
        sizes in prop::collection::vec(prop_oneof![3 => Just(1usize), 2 => 2usize..4, 1 => 4usize..40], 2..60),
        more in 1.01f64..40.0,
        estimator in prop::sample::select(
            vec![Estimator::Pitman, Estimator::Zayatz, Estimator::Snb, Estimator::Dankar],
        ),
    ) {
        let population = (sizes.iter().sum::<usize>() as f64 * more) as u64 + 1;
        let reached = figure(&unique(population, 1.0, estimator), &sizes);
        // A figure that cannot be computed is never certified.
        prop_assert_eq!(judge_agrees(estimator, &sizes, population, reached), reached.is_some());
        prop_assert!(!judge_agrees(estimator, &sizes, population, Some(reached.unwrap_or(0.0) + 0.001)));
    }
}

/// Ten people of whom three are alone: 30 %.
#[test]
fn a_share_of_rows_may_be_alone() {
    let sizes = [1, 4, 1, 3, 1];
    let goes = |max: f64| flagged(&[built(&sample(max), 10, false)], &sizes);
    assert_eq!(goes(0.3), [false; 5]);
    assert_eq!(goes(0.29), [true, false, true, false, true]);
    assert_eq!(goes(0.0), [true, false, true, false, true]);
}

/// A row that another rule holds back at one node comes back above it, alone, and drives out one
/// that was safe.
#[test]
fn with_suppression_a_safe_row_can_become_unsafe() {
    assert!(
        built(&sample(0.34), 4, true).facts().monotone && !built(&sample(0.34), 4, false).facts().monotone
    );
    let instance = flat(&[3, 2], vec![vec![0, 0], vec![0, 0], vec![1, 0], vec![2, 1]], "height");
    let unsafe_at = |node: [usize; 2]| {
        let mut problem = problem(&instance).unwrap();
        problem.models = std::sync::Arc::new(vec![
            Box::new(KAnonymity::of_group(2, false, "second", vec![1])),
            built(&sample(0.34), 4, false),
        ]);
        let node = Node::new(node.map(|level| level as u8));
        Evaluator::new(&problem).judge(&node).suppressed
    };
    // Below: (2, 1) is suppressed, and one of the three others is alone. Above: two of four are
    // alone.
    assert_eq!((unsafe_at([0, 0]), unsafe_at([0, 1])), (1, 2));
}

/// Ten rows in three classes: an adversary who links all of them is right about three.
#[test]
fn an_average_hides_who_is_worst_off() {
    let sizes = [1, 4, 5];
    let average = |max: f64| flagged(&[built(&average(max), 10, false)], &sizes);
    assert_eq!(average(0.3), [false; 3]);
    assert_eq!(average(0.25), [true, false, false], "4 and 5 rows have 2 in 9");
    let strict = |max: f64, k: u64| {
        let asked = ModelSpec::StrictAverageRisk(StrictAverageRisk { max, k });
        flagged(&[built(&asked, 10, false)], &sizes)
    };
    assert_eq!(strict(0.3, 2), [true, false, false], "the average would let the one through");
    assert_eq!(strict(0.2, 2), [true, true, false]);
    // What k = 2 lets through: pairs alone have an average of a half.
    assert_eq!(
        flagged(&[Box::new(KAnonymity::new(2, false)), built(&self::average(0.4), 8, false)], &[2; 4]),
        [true; 4]
    );
}

/// 2 and 10 rows are within 1 in 6; pairs that come up where the twos were alone drive out the
/// class that is as small.
#[test]
fn with_suppression_average_risk_is_not_monotone() {
    let goes = |sizes: &[usize]| flagged(&[built(&average(0.17), 50, false)], sizes);
    let below = goes(&[&[2, 10][..], &[1; 8]].concat());
    assert_eq!(below[..2], [false, false]);
    let above = goes(&[&[2, 10][..], &[2; 4]].concat());
    assert_eq!(above[..2], [true, false]);
}

#[test]
fn no_figure_is_never_enough() {
    // Pitman's formula does not fit a sample in which everybody is unique.
    let asked = unique(1000, 1.0, Estimator::Pitman);
    assert_eq!(figure(&asked, &[1, 1, 1]), None);
    assert_eq!(flagged(&[built(&asked, 3, false)], &[1, 1, 1]), [true; 3]);
    // Nor does the slide negative binomial where no class has two rows; without its uniques the
    // table has a figure.
    let asked = unique(1000, 1.0, Estimator::Snb);
    assert_eq!(figure(&asked, &[1, 1, 1, 3]), None);
    assert_eq!(flagged(&[built(&asked, 6, false)], &[1, 1, 1, 3]), [true, true, true, false]);
}

/// Two pairs become a four, and a sample unique looks rarer.
#[test]
fn merging_can_raise_population_uniqueness() {
    let reached = |sizes: &[usize]| figure(&unique(10, 1.0, Estimator::Zayatz), sizes).unwrap();
    assert!(reached(&[1, 4]) > reached(&[1, 2, 2]));
    assert!(!built(&unique(10, 1.0, Estimator::Zayatz), 5, true).facts().monotone);
}

/// An attack wins 300 and costs 100, so classes of three are not worth attacking. Wan et al. 2015.
#[test]
fn attacks_on_large_classes_do_not_pay() {
    let amounts = [10.0, 30.0, 300.0, 100.0];
    let goes = |kind: Game| {
        let asked = ModelSpec::Profitability(game(kind, amounts));
        flagged(&[built(&asked, 6, false)], &[2, 3, 1, 4])
    };
    assert_eq!(goes(Game::NoAttack), [true, false, true, false]);
    // Two rows that lost nothing bring 10 − 30/2 each, one row 10 − 30.
    assert_eq!(goes(Game::Payout), [true, false, true, false]);
    let cheap = ModelSpec::Profitability(game(Game::Payout, [16.0, 30.0, 300.0, 100.0]));
    assert_eq!(flagged(&[built(&cheap, 6, false)], &[2, 3, 1, 4]), [false, false, true, false]);
    let no_attack = ModelSpec::Profitability(game(Game::NoAttack, amounts));
    assert!(built(&no_attack, 6, false).facts().monotone && !built(&cheap, 6, true).facts().monotone);
}

/// At the top nothing is left that would bring anything, though it is as safe as can be.
#[test]
fn a_payout_is_not_monotone() {
    let instance = Instance { k: 1, ..flat(&[2], vec![vec![0], vec![0], vec![1], vec![1]], "height") };
    let asked = ModelSpec::Profitability(game(Game::Payout, [10.0, 30.0, 300.0, 1000.0]));
    let mut problem = problem(&instance).unwrap();
    problem.models = vec![built(&asked, 4, true)].into();
    let mut evaluator = Evaluator::new(&problem);
    assert_eq!(evaluator.judge(&Node::new([0])).suppressed, 0);
    assert_eq!(evaluator.judge(&Node::new([1])).suppressed, 4);
}

/// Every error is reported at its key, with the remedy.
#[test]
fn what_a_model_of_the_table_cannot_be_is_refused_by_name() {
    let faults = |models: &str| {
        let text = format!(
            "version = 1\n[input]\npath = \"x.csv\"\n[output]\nsuppressed = \"cells\"\n[columns]\n\
             a.role = \"quasi\"\nillness.role = \"sensitive\"\nname.role = \"identifier\"\n\
             [privacy]\nmodels = [{models}]\n"
        );
        let error = Policy::parse(&text).expect_err(models);
        let said = |fault: &Fault| format!("{fault}\n{}", fault.help.clone().unwrap_or_default());
        error.faults().iter().map(said).collect::<Vec<_>>().join("\n")
    };
    let profit = "publisher_benefit = -1, publisher_loss = 1, adversary_gain = 1";
    for (models, parts) in [
        ("{ sample_uniqueness = { max = 1.5 } }", ["sample_uniqueness.max", "cannot be 1.5", "from 0 to 1"]),
        (
            "{ sample_uniqueness = { max = -0.1 } }",
            ["sample_uniqueness.max", "cannot be -0.1", "from 0 to 1"],
        ),
        ("{ average_risk = { max = 0.0 } }", ["average_risk.max", "cannot be 0", "above 0"]),
        (
            "{ strict_average_risk = { max = 0.1, k = 0 } }",
            ["strict_average_risk.k", "cannot be 0", "from 1 up"],
        ),
        (
            "{ population_uniqueness = { population = 9, max = 0.1, estimator = \"pitmen\" } }",
            ["estimator", "pitmen", "did you mean `pitman`?"],
        ),
        (
            "{ population_uniqueness = { population = 0, max = 0.1 } }",
            ["population_uniqueness.population", "cannot be 0", "number of people"],
        ),
        (
            &format!("{{ profitability = {{ {profit}, adversary_cost = 1, kind = \"payout\" }} }}"),
            ["profitability.publisher_benefit", "cannot be -1", "from 0 up"],
        ),
        (
            &format!("{{ profitability = {{ {profit}, adversary_cost = 0, kind = \"no_attack\" }} }}"),
            ["profitability.adversary_cost", "always pays", "above 0"],
        ),
        (
            &format!("{{ profitability = {{ {profit}, adversary_cost = 1, kind = \"no_attack\" }} }}"),
            ["profitability.kind", "does not support", "output.suppressed"],
        ),
        (
            "{ rare_values = { k = 2, judge = \"release\", delete = \"rows\" } }",
            ["rare_values.delete", "nothing is deleted", "judge = \"table\""],
        ),
        ("{ rare_values = { k = 0 } }", ["rare_values.k", "cannot be 0", "from 1 up"]),
        ("{ rare_values = { k = 2, columns = [] } }", ["rare_values.columns", "no column", "remove"]),
        (
            "{ rare_values = { k = 2, columns = [\"ilness\"] } }",
            ["rare_values.columns", "no column `ilness`", "did you mean `illness`?"],
        ),
        (
            "{ rare_values = { k = 2, columns = [\"name\"] } }",
            ["rare_values.columns", "role \"identifier\"", "remove it"],
        ),
        (
            "{ average_risk = { max = 0.1 } }, { average_risk = { max = 0.2 } }",
            ["models.1.average_risk", "listed twice", "keep the stricter"],
        ),
    ] {
        let said = faults(models);
        parts.iter().for_each(|part| assert!(said.contains(part), "{models}: {said} lacks {part}"));
    }
}
