//! Random problems for all tests of searches: tables, hierarchies, k, limits, weights, linked
//! columns, labels and losses, once in plain data for the naive definitions and once as the crate
//! takes them.

use proptest::prelude::*;
use throng::classes::Classes;
use throng::hierarchy::{Hierarchy, Path};
use throng::histogram::Histogram;
use throng::lattice::{Lattice, Limits, Node};
use throng::loss::{self, Marginals};
use throng::model::{KAnonymity, PrivacyModel};
use throng::search::{Problem, Profile};

use crate::naive::{Column, Instance};
use crate::naive_losses;

/// Nested random paths: level l + 1 is a coarsening of level l, the last level has one label.
pub fn column() -> impl Strategy<Value = Column> {
    (1usize..6, 1usize..4, any::<u64>(), prop::sample::select(vec![1.0, 1.0, 0.5, 3.0]), any::<[u8; 2]>())
        .prop_map(|(leaves, height, mut dice, weight, limits)| {
            let mut paths: Vec<Vec<usize>> = (0..leaves).map(|l| vec![l]).collect();
            for level in 1..height {
                let parent: Vec<usize> = (0..leaves)
                    .map(|_| {
                        dice = dice.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                        (dice >> 33) as usize % leaves
                    })
                    .collect();
                paths.iter_mut().for_each(|p| p.push(parent[p[level - 1]]));
            }
            paths.iter_mut().for_each(|p| p.push(0));
            let min = if limits[0] % 4 == 0 { limits[0] as usize % (height + 1) } else { 0 };
            let max = if limits[1] % 3 == 0 { min + limits[1] as usize % (height - min + 1) } else { height };
            Column { paths, min, max, weight }
        })
}

/// None, one of the ends, or anything between.
fn tradeoff() -> impl Strategy<Value = Option<f64>> {
    prop_oneof![
        2 => Just(None),
        1 => prop::sample::select(vec![0.0, 0.5, 1.0]).prop_map(Some),
        2 => (0.0f64..1.0).prop_map(Some),
    ]
}

/// Any problem with any loss.
pub fn instance() -> impl Strategy<Value = Instance> {
    prop::collection::vec(column(), 1..5).prop_flat_map(|columns| {
        let m = columns.len();
        let cells = columns.iter().map(|c| 0..c.paths.len()).collect::<Vec<_>>();
        let group = (prop::collection::btree_set(0..m, 1..=m), 1usize..5);
        // Two labels are the usual case; few rows need few.
        let row = (cells, [0usize..2, 0..4]);
        (
            prop::collection::vec(row, 1..30),
            1usize..6,
            0.0f64..1.0,
            (prop::sample::select(naive_losses::parameters()), tradeoff()),
            prop::option::weighted(0.4, prop::collection::btree_set(0..m, 1..=m)),
            prop::collection::vec(group, 0..3),
            1usize..3,
        )
            .prop_map(move |(rows, k, share, loss, linked, groups, targets)| {
                let (asked, tau) = loss;
                Instance {
                    columns: columns.clone(),
                    max_suppressed: (share * share * rows.len() as f64) as usize,
                    labels: (0..targets).map(|t| rows.iter().map(|r| r.1[t]).collect()).collect(),
                    rows: rows.into_iter().map(|r| r.0).collect(),
                    k,
                    groups: groups.into_iter().map(|(g, k)| (g.into_iter().collect(), k)).collect(),
                    linked: linked.into_iter().map(|l| l.into_iter().collect()).collect(),
                    loss: asked.kind.key(),
                    aggregate: asked.aggregate,
                    counted: asked.count_suppressed,
                    tradeoff: tau.filter(|_| naive_losses::tradable(&asked)),
                }
            })
    })
}

/// Columns of two levels over 0 … n − 1, and an instance of k = 2 without suppression over them.
pub fn flat(leaves: &[usize], rows: Vec<Vec<usize>>, loss: &'static str) -> Instance {
    let column =
        |&n: &usize| Column { paths: (0..n).map(|l| vec![l, 0]).collect(), min: 0, max: 1, weight: 1.0 };
    Instance {
        columns: leaves.iter().map(column).collect(),
        rows,
        labels: Vec::new(),
        k: 2,
        groups: Vec::new(),
        max_suppressed: 0,
        linked: Vec::new(),
        loss,
        aggregate: None,
        counted: None,
        tradeoff: None,
    }
}

pub fn hierarchy(column: &Column) -> Hierarchy {
    Hierarchy::new(column.paths.iter().map(|p| path(p)).collect(), false).expect("levels that nest")
}

fn path(path: &[usize]) -> Path {
    let label = |(level, value): (usize, &usize)| format!("{level}:{value}");
    Path { leaf: path[0].to_string(), labels: path[1..].iter().enumerate().map(label).collect() }
}

/// The classes of the instance's rows with the histograms of its labels.
fn classes(instance: &Instance) -> Classes {
    let codes = |row: &Vec<usize>| row.iter().map(|&v| v as u32).collect::<Vec<u32>>();
    let rows = instance.rows.iter().map(codes);
    let classes = Classes::of_rows(instance.columns.len(), rows).expect("few rows");
    let tuple = |class: usize| (0..classes.columns()).map(|c| classes.code(class, c)).collect::<Vec<u32>>();
    let tuples: Vec<Vec<u32>> = (0..classes.len()).map(tuple).collect();
    let histogram = |labels: &Vec<usize>| {
        let triple = |(row, &label): (&Vec<usize>, &usize)| {
            let class = tuples.iter().position(|t| *t == codes(row)).expect("its class");
            (class as u32, label as u32, 1)
        };
        let triples: Vec<_> = instance.rows.iter().zip(labels).map(triple).collect();
        Histogram::new(classes.len(), &triples).expect("few rows")
    };
    let histograms = instance.labels.iter().map(histogram).collect();
    classes.measured(histograms).expect("the same rows")
}

/// The problem; none when linked columns have no common level.
pub fn problem(instance: &Instance) -> Option<Problem> {
    let hierarchies: Vec<Hierarchy> = instance.columns.iter().map(hierarchy).collect();
    let names: Vec<String> = (0..instance.columns.len()).map(|i| format!("c{i}")).collect();
    let limits = |(name, c): (&String, &Column)| Limits {
        name: name.clone(),
        height: c.height(),
        min: Some(c.min),
        max: Some(c.max),
    };
    let limits: Vec<Limits> = names.iter().zip(&instance.columns).map(limits).collect();
    let lattice = Lattice::new(&limits, &instance.linked).ok()?;
    let classes = classes(instance);
    let marginals = Marginals::new(&classes, &hierarchies);
    let weights: Vec<f64> = instance.columns.iter().map(|c| c.weight).collect();
    let loss = loss::build(&instance.asked(), &marginals, &weights).expect("a known loss");
    let group = |(columns, k): &(Vec<usize>, usize)| -> Box<dyn PrivacyModel> {
        Box::new(KAnonymity::of_group(*k as u64, false, "group", columns.clone()))
    };
    let mut models: Vec<Box<dyn PrivacyModel>> = instance.groups.iter().map(group).collect();
    models.push(Box::new(KAnonymity::new(instance.k as u64, false)));
    let max_suppressed = instance.max_suppressed as u64;
    Some(Problem {
        names,
        measured: Vec::new(),
        hierarchies: hierarchies.into(),
        classes: classes.into(),
        lattice,
        models: models.into(),
        loss,
        max_suppressed,
        people: None,
        profile: Profile::default(),
        preference: None,
        deletion: None,
        utility: None,
    })
}

/// The same with missing cells that match everything, where the first value of a column was; with
/// a loss that reads no labels.
pub fn problem_with_gaps(instance: &Instance) -> Option<Problem> {
    let plain = Instance { loss: "prec", aggregate: None, counted: None, tradeoff: None, ..instance.clone() };
    let problem = problem(&plain)?;
    let gapped = |column: &Column| {
        Hierarchy::new(column.paths.iter().map(|p| path(p)).collect(), true).expect("levels that nest")
    };
    let hierarchies: Vec<Hierarchy> = plain.columns.iter().map(gapped).collect();
    let code = |(column, &value): (usize, &usize)| match value {
        0 => hierarchies[column].missing_at(0).expect("a missing leaf"),
        value => value as u32,
    };
    let rows = plain.rows.iter().map(|row| row.iter().enumerate().map(code).collect::<Vec<u32>>());
    let classes = Classes::of_rows(plain.columns.len(), rows).expect("few rows");
    let marginals = Marginals::new(&classes, &hierarchies);
    let weights: Vec<f64> = plain.columns.iter().map(|c| c.weight).collect();
    let loss = loss::build(&plain.asked(), &marginals, &weights).expect("a known loss");
    let group = |(columns, k): &(Vec<usize>, usize)| -> Box<dyn PrivacyModel> {
        Box::new(KAnonymity::of_group(*k as u64, true, "group", columns.clone()))
    };
    let mut models: Vec<Box<dyn PrivacyModel>> = plain.groups.iter().map(group).collect();
    models.push(Box::new(KAnonymity::new(plain.k as u64, true)));
    let (hierarchies, classes) = (hierarchies.into(), classes.into());
    Some(Problem { hierarchies, classes, models: models.into(), loss, ..problem })
}

pub fn levels(node: &Node) -> Vec<usize> {
    node.levels().iter().map(|&l| l as usize).collect()
}
