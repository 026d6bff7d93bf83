//! Distances of classes from the whole table, by a class's own values, against the definition over
//! all values.

use proptest::prelude::*;
use proptest::sample::select;

use super::super::classes::{Interner, UNKNOWN};
use super::super::reference::Reference;
use super::super::sensitive::Values;
use throng_terms::hierarchy::{Hierarchy, Path};
use throng_terms::policy::{Distance, ModelSpec, Policy, TCloseness};

fn asked(distance: &str) -> (Policy, TCloseness) {
    // Only a hierarchical distance needs one.
    let hierarchy = if distance == "hierarchical" { "hierarchy = { file = \"s.csv\" }\n" } else { "" };
    let text = format!(
        "version = 1\n[input]\npath = \"t.csv\"\n[privacy]\nk = 2\nmodels = [{{ t_closeness = {{ column = \"s\", t = 0.3, distance = \"{distance}\" }} }}]\n\
         [columns.a]\nrole = \"quasi\"\n[columns.s]\nrole = \"sensitive\"\n{hierarchy}"
    );
    let policy = Policy::parse(&text).unwrap();
    let Some(ModelSpec::TCloseness(asked)) = policy.privacy.models.first().cloned() else { panic!() };
    (policy, asked)
}

fn hierarchy(values: usize) -> Hierarchy {
    let path = |i: usize| Path {
        leaf: number(i),
        labels: vec![format!("l{}", i / 2), format!("m{}", i / 6), "all".into()],
    };
    Hierarchy::new((0..values).map(path).collect(), false).unwrap()
}

/// The first two values are the same number.
fn number(i: usize) -> String {
    if i == 1 { "0.0".into() } else { i.to_string() }
}

/// All values, one by one: every prefix summed from the beginning.
fn naive(distance: Distance, table: &[u64], class: &[u64]) -> f64 {
    let share = |of: &[u64], i: usize| of[i] as f64 / of.iter().sum::<u64>() as f64;
    let surplus: Vec<f64> = (0..table.len()).map(|i| share(class, i) - share(table, i)).collect();
    let occurs: Vec<usize> = (0..table.len()).filter(|&i| table[i] > 0).collect();
    match distance {
        Distance::Equal => surplus.iter().map(|s| s.abs()).sum::<f64>() / 2.0,
        Distance::Ordered => {
            let mut places: Vec<Vec<usize>> = Vec::new();
            for &i in &occurs {
                match places.last_mut().filter(|last| i == 1 && last.contains(&0)) {
                    Some(last) => last.push(i),
                    None => places.push(vec![i]),
                }
            }
            let until = |at: usize| places[..at].iter().flatten().map(|&i| surplus[i]).sum::<f64>().abs();
            (1..places.len()).map(until).sum::<f64>() / (places.len() - 1).max(1) as f64
        }
        Distance::Hierarchical => {
            let level = |group: usize| -> f64 {
                let label = |i: usize| i / group;
                let of = |l: usize| {
                    occurs.iter().filter(|&&i| label(i) == l).map(|&i| surplus[i]).sum::<f64>().abs()
                };
                (0..table.len()).map(of).sum()
            };
            (level(1) + level(2) + level(6)) / 6.0
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// Values that some classes lack, ties in the order, classes like the whole table.
    #[test]
    fn distances_are_those_of_the_definition(
        distance in select(vec!["equal", "ordered", "hierarchical"]),
        counts in prop::collection::vec((0..5u64, 0..4u64), 2..14),
    ) {
        // The table has at least what the class has.
        let class: Vec<u64> = counts.iter().map(|c| c.1).collect();
        let table: Vec<u64> = counts.iter().map(|c| c.0 + c.1).collect();
        prop_assume!(class.iter().sum::<u64>() > 0);
        let (policy, asked) = asked(distance);
        let mut values = Interner::new();
        let numbers: Vec<u32> = table.iter().enumerate().map(|(i, &n)| match n {
            0 => UNKNOWN,
            n => values.count_in(Some(&number(i)), n),
        }).collect();
        let build = |_: &str, _: &throng_terms::table::Dictionary| Ok(hierarchy(counts.len()));
        let reference = Reference::new((&policy, Some(&asked)), (&values, true), &Interner::new(), &build).unwrap();
        let own: Vec<(u32, u64)> =
            class.iter().zip(&numbers).filter(|(n, _)| **n > 0).map(|(&n, &value)| (value, n)).collect();
        let (found, expected) = (reference.distance(&own), naive(asked.distance, &table, &class));
        prop_assert!((found - expected).abs() < 1e-12, "{} {}", found, expected);
        // A value that the table does not have.
        prop_assert_eq!(reference.distance(&[(UNKNOWN, 1)]), f64::INFINITY);
        let shares = reference.shares(&own).unwrap();
        prop_assert_eq!(reference.has_more(&own), own.len() < table.iter().filter(|&&n| n > 0).count());
        for ((table_share, share), (value, n)) in shares.iter().zip(&own) {
            let at = numbers.iter().position(|number| number == value).unwrap();
            prop_assert_eq!(*table_share, table[at] as f64 / table.iter().sum::<u64>() as f64);
            prop_assert_eq!(*share, *n as f64 / class.iter().sum::<u64>() as f64);
        }
    }

    /// Lists of values, merged by class, against a sum over all entries.
    #[test]
    fn values_are_merged_by_class(
        entries in prop::collection::vec((0..6usize, 0..5u32, 1..4u64), 0..40),
        moves in prop::collection::vec(0..4usize, 6),
    ) {
        let values = Values::new(6, || entries.iter().copied());
        let merged = values.merged(|| moves.iter().copied().enumerate().filter(|(_, to)| *to < 3), 3);
        let sum = |keep: &dyn Fn(usize) -> bool, value: u32| -> u64 {
            entries.iter().filter(|e| keep(e.0) && e.1 == value).map(|e| e.2).sum()
        };
        let list = |keep: &dyn Fn(usize) -> bool| -> Vec<(u32, u64)> {
            (0..5).map(|value| (value, sum(keep, value))).filter(|(_, rows)| *rows > 0).collect()
        };
        for class in 0..6 {
            prop_assert_eq!(values.class(class), list(&|of| of == class));
        }
        for class in 0..3 {
            prop_assert_eq!(merged.class(class), list(&|of| moves[of] == class));
        }
    }
}
