//! Models of the table as a whole against their definitions: what stays is the largest set of its form, in random searches
//! beside groups that cascade.

use std::collections::BTreeMap;

use proptest::prelude::*;
use throng::classes::{Classes, Flags, Groups, View};
use throng::hierarchy::Hierarchy;
use throng::lattice::Node;
use throng::model::{self, KAnonymity, PrivacyModel, Setting};
use throng::policy::{ModelSpec, SampleUniqueness};
use throng::search::{Budget, Evaluator, Outcome, solve, strategy};

use crate::instances::{flat, hierarchy, instance, levels, problem};
use crate::naive::Instance;

fn sample(max: f64) -> ModelSpec {
    ModelSpec::SampleUniqueness(SampleUniqueness { max })
}

fn spec() -> impl Strategy<Value = ModelSpec> {
    prop_oneof![(0u8..10).prop_map(|max| sample(f64::from(max) / 10.0))]
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
        other => panic!("{} judges no table", other.key()),
    }
}

fn most(asked: &ModelSpec) -> f64 {
    match asked {
        ModelSpec::SampleUniqueness(asked) => asked.max,
        other => panic!("{} judges no table", other.key()),
    }
}

fn holds(asked: &ModelSpec, sizes: &[usize]) -> bool {
    sizes.is_empty() || figure(asked, sizes).is_some_and(|figure| figure <= most(asked) + 1e-9)
}

/// Rows with the same cells, and how many they are.
fn grouped(rows: &[Vec<usize>]) -> BTreeMap<&[usize], usize> {
    let mut classes: BTreeMap<&[usize], usize> = BTreeMap::new();
    rows.iter().for_each(|row| *classes.entry(row).or_default() += 1);
    classes
}

/// The most rows in classes of at least some size of which every one has k like it over every group.
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

/// The rows that do not stay at a node: all sizes are tried, and the most rows are kept that are within the limits.
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
    model::judge(models, &View::new(&classes, &hierarchies, &node, &groups), &mut flags);
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
        problem.models.extend(asked.iter().map(|asked| built(asked, instance.rows.len(), strict)));
        if reversed {
            problem.models.reverse();
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
            let strategy = strategy(name).unwrap();
            let monotone = problem.models.iter().all(|m| m.monotone());
            if let Some(fault) = strategy.refuses(&problem) {
                prop_assert!(!(monotone && problem.loss.monotone()), "{}", fault);
                continue;
            }
            prop_assert!(monotone || ["mingen", "auto"].contains(&name), "{} must refuse", name);
            match (solve(&problem, strategy, &Budget::unlimited()).unwrap().0, best) {
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
        prop_assert!(!(models[0].monotone() && safe(&sizes)) || safe(&merged));
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

/// A row that another rule holds back at one node comes back above it, alone, and drives out one that was safe.
#[test]
fn with_suppression_a_safe_row_can_become_unsafe() {
    assert!(built(&sample(0.34), 4, true).monotone() && !built(&sample(0.34), 4, false).monotone());
    let instance = flat(&[3, 2], vec![vec![0, 0], vec![0, 0], vec![1, 0], vec![2, 1]], "height");
    let unsafe_at = |node: [usize; 2]| {
        let mut problem = problem(&instance).unwrap();
        problem.models =
            vec![Box::new(KAnonymity::of_group(2, false, "second", vec![1])), built(&sample(0.34), 4, false)];
        let node = Node::new(node.map(|level| level as u8));
        Evaluator::new(&problem).judge(&node).suppressed
    };
    // Below: (2, 1) is held back, and one of the three others is alone. Above: two of four are alone.
    assert_eq!((unsafe_at([0, 0]), unsafe_at([0, 1])), (1, 2));
}
