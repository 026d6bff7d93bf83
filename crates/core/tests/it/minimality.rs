//! The minimality attack [Wong 2007], mounted on releases of tiny tables: the adversary knows
//! everybody's quasi-identifiers, the policy and the program, and tries every table that there
//! could have been.

use std::collections::BTreeMap;

use proptest::prelude::*;
use throng::model::{self, PrivacyModel, Setting, Values};
use throng::policy::{AlphaK, Diversity, LDiversity, MConfidentiality, ModelSpec};
use throng::search::{Evaluator, Outcome, solve, strategy};
use throng::table::Dictionary;
use throng::watch::Watch;

use crate::instances::{flat, problem};
use crate::naive::{Column, Instance};

/// What is published: the levels, and for every class its labels and how often it has each value.
type Published = (Vec<u8>, BTreeMap<Vec<usize>, Vec<usize>>);

fn built(asked: &ModelSpec, strict: bool) -> Box<dyn PrivacyModel> {
    let texts = Dictionary::of([Some("0"), Some("1"), Some("2")]);
    let column =
        Values { name: "s", measured: 0, texts: &texts, rows: &[1; 3], hierarchy: None, listed: false };
    model::build(asked, &Setting { column: Some(&column), strict, k: Some(2), ..Setting::default() }).unwrap()
}

fn confidentiality(m: f64, values: Option<Vec<String>>) -> ModelSpec {
    ModelSpec::MConfidentiality(MConfidentiality { column: "s".into(), m, values })
}

fn alpha_k(alpha: f64, values: Option<Vec<String>>) -> ModelSpec {
    ModelSpec::AlphaK(AlphaK { column: "s".into(), alpha, values })
}

/// What the program publishes of a table with these values; none where it refuses.
fn publish(people: &Instance, asked: &ModelSpec, values: &[usize]) -> Option<Published> {
    let world = Instance { labels: vec![values.to_vec()], ..people.clone() };
    let mut problem = problem(&world)?;
    std::sync::Arc::get_mut(&mut problem.models).unwrap().push(built(asked, problem.max_suppressed == 0));
    let Outcome::Found { best, .. } =
        solve(&problem, strategy("auto".parse().unwrap()).unwrap(), &Watch::none()).unwrap().0
    else {
        return None;
    };
    let mut evaluator = Evaluator::measuring(&problem);
    let (view, flags) = evaluator.classes(&best.node);
    if problem.models.iter().filter_map(|model| model.verdict(&view, flags)).any(|verdict| !verdict.holds) {
        return None;
    }
    let flagged: std::collections::BTreeSet<Vec<usize>> = (0..view.len())
        .filter(|&class| flags.has(class))
        .map(|class| (0..people.columns.len()).map(|c| view.code(class, c) as usize).collect())
        .collect();
    let mut classes: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
    for (row, &value) in people.rows.iter().zip(values) {
        let level = |c: usize| usize::from(best.node.levels()[c]);
        let code = |c: usize| problem.hierarchies[c].generalize(row[c] as u32, level(c)) as usize;
        let class: Vec<usize> = (0..row.len()).map(code).collect();
        if !flagged.contains(&class) {
            classes.entry(class).or_insert_with(|| vec![0; 3])[value] += 1;
        }
    }
    Some((best.node.levels().to_vec(), classes))
}

/// For every release that there can be, the largest probability that somebody has some value.
fn attack(people: &Instance, asked: &ModelSpec, values: usize, of: &[usize]) -> BTreeMap<Published, f64> {
    let n = people.rows.len();
    let mut consistent: BTreeMap<Published, (f64, Vec<Vec<f64>>)> = BTreeMap::new();
    for world in 0..values.pow(n as u32) {
        let table: Vec<usize> = (0..n).map(|person| world / values.pow(person as u32) % values).collect();
        let Some(published) = publish(people, asked, &table) else { continue };
        let (worlds, has) = consistent.entry(published).or_insert_with(|| (0.0, vec![vec![0.0; values]; n]));
        *worlds += 1.0;
        table.iter().enumerate().for_each(|(person, &value)| has[person][value] += 1.0);
    }
    let surest = |(worlds, has): (f64, Vec<Vec<f64>>)| {
        has.iter().flat_map(|person| of.iter().map(|&v| person[v] / worlds)).fold(0.0, f64::max)
    };
    consistent.into_iter().map(|(published, found)| (published, surest(found))).collect()
}

/// Two people at one place, four at another.
fn places() -> Instance {
    Instance { k: 2, ..flat(&[2], [0, 0, 1, 1, 1, 1].map(|place| vec![place]).to_vec(), "height") }
}

/// At most half of a class has 0. The two people share no class with others unless they have to:
/// both have 0.
#[test]
fn shares_fall_to_it() {
    let asked = alpha_k(0.5, Some(vec!["0".into()]));
    let truth = [0, 0, 1, 1, 1, 1];
    let published = publish(&places(), &asked, &truth).unwrap();
    assert_eq!(published.0, [1], "generalized, because it had to be");
    assert_eq!(published.1.values().next().unwrap(), &[2, 4, 0], "a share of a third");
    assert_eq!(attack(&places(), &asked, 2, &[0])[&published], 1.0, "and yet everybody knows");
}

/// Two values in every class: of six people two have 0 and four have 1. That less would not have
/// done makes it likelier that the two people are alike, and six ways of seven to be so are to
/// have 1.
#[test]
fn diversity_falls_to_it() {
    let asked =
        ModelSpec::LDiversity(LDiversity { column: "s".into(), kind: Diversity::Distinct, l: 2.0, c: None });
    let published = publish(&places(), &asked, &[0, 0, 1, 1, 1, 1]).unwrap();
    assert_eq!(published.1.values().next().unwrap(), &[2, 4, 0]);
    let surest = attack(&places(), &asked, 2, &[1])[&published];
    assert!((surest - 6.0 / 7.0).abs() < 1e-9, "{surest}, where the share is 4/6");
}

/// The same table is refused, and releases of others reveal no more than the shares do.
#[test]
fn confidentiality_does_not() {
    for values in [None, Some(vec!["0".to_owned()])] {
        let of: &[usize] = if values.is_some() { &[0] } else { &[0, 1] };
        let asked = confidentiality(2.0, values);
        assert_eq!(publish(&places(), &asked, &[0, 0, 1, 1, 1, 1]), None);
        let releases = attack(&places(), &asked, 2, of);
        assert!(!releases.is_empty());
        for (published, surest) in releases {
            assert_eq!(published.0, [0], "by the quasi-identifiers alone");
            assert!(surest <= 0.5 + 1e-9);
        }
    }
}

/// Few people with one or two quasi-identifiers of three levels, with and without suppression.
fn people() -> impl Strategy<Value = Instance> {
    let rows = prop::collection::vec((0usize..4, 0usize..2), 3..6);
    (rows, any::<bool>(), 1usize..4, 0usize..3).prop_map(|(rows, two, k, held)| {
        let wide = Column { paths: (0..4).map(|v| vec![v, v / 2, 0]).collect(), min: 0, max: 2, weight: 1.0 };
        let narrow = Column { paths: (0..2).map(|v| vec![v, 0]).collect(), min: 0, max: 1, weight: 1.0 };
        let cells = |row: (usize, usize)| if two { vec![row.0, row.1] } else { vec![row.0] };
        Instance {
            columns: if two { vec![wide, narrow] } else { vec![wide] },
            k,
            max_suppressed: held,
            ..flat(&[1], rows.into_iter().map(cells).collect(), "lm")
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn nobody_is_linked_above_one_in_m(people in people(), values in 2usize..4, m in 1u8..4) {
        let asked = confidentiality(m.into(), None);
        let of: Vec<usize> = (0..values).collect();
        for (published, surest) in attack(&people, &asked, values, &of) {
            // Suppressed rows may be anybody's; they follow from quasi-identifiers alone, and
            // reveal nothing.
            let unknown = 1.0 / values as f64;
            let held = published.1.values().flatten().sum::<usize>() < people.rows.len();
            let limit = if held { unknown.max(1.0 / f64::from(m)) } else { 1.0 / f64::from(m) };
            prop_assert!(surest <= limit + 1e-9, "{surest} after {published:?}");
        }
    }
}
