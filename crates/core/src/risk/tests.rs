//! Every count against brute force over rows, and small tables by hand.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::combinations::sets;
use super::*;
use crate::table::Dictionary;
use crate::tuples::Tuples;

type Row = Vec<Option<u32>>;

fn table(rows: &[Row], width: usize) -> Table {
    let mut dictionaries = vec![Dictionary::new(); width];
    let mut tuples = Tuples::new(width);
    for row in rows {
        let text: Vec<Option<String>> = row.iter().map(|v| v.map(|v| v.to_string())).collect();
        let codes: Vec<u32> =
            text.iter().zip(&mut dictionaries).map(|(v, d)| d.add(v.as_deref(), 1)).collect();
        tuples.insert(&codes, 1);
    }
    Table { names: (0..width).map(|i| format!("c{i}")).collect(), dictionaries, tuples }
}

fn asked(missing: Missing, max_size: usize) -> Asked {
    Asked { max_size, threshold: 0.2, missing, population: Population::Unknown, seed: 1 }
}

const WATCH: Watch<'static> = Watch { progress: &|| {}, cancelled: &|| false };

fn alike(a: &Row, b: &Row, set: &[usize], missing: Missing) -> bool {
    let any = |v: &Option<u32>| v.is_none() && missing == Missing::Wildcard;
    set.iter().all(|&c| a[c] == b[c] || any(&a[c]) || any(&b[c]))
}

/// A combination by comparing every row with every row.
fn naive(rows: &[Row], set: &[usize], missing: Missing) -> Combination {
    let size = |a: &Row| rows.iter().filter(|b| alike(a, b, set, missing)).count() as u64;
    let mut classes: BTreeMap<Row, u64> = BTreeMap::new();
    for row in rows {
        classes.insert(set.iter().map(|&c| row[c]).collect(), size(row));
    }
    let mut sizes: Vec<u64> = classes.values().copied().collect();
    sizes.sort_unstable();
    let unique = rows.iter().filter(|r| size(r) == 1).count() as u64;
    let mut apart = 0;
    for (i, a) in rows.iter().enumerate() {
        apart += rows[..i].iter().filter(|b| !alike(a, b, set, missing)).count();
    }
    let n = rows.len() as f64;
    let pairs = n * (n - 1.0) / 2.0;
    Combination {
        columns: set.iter().map(|i| format!("c{i}")).collect(),
        classes: classes.len() as u64,
        unique_rows: unique,
        unique_share: unique as f64 / n,
        smallest: sizes[0],
        median: sizes[(sizes.len() - 1) / 2],
        distinction: classes.len() as f64 / n,
        separation: if pairs == 0.0 { 0.0 } else { apart as f64 / pairs },
    }
}

fn missings() -> impl Strategy<Value = Missing> {
    prop_oneof![Just(Missing::Value), Just(Missing::Wildcard), Just(Missing::Suppress)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn combinations_are_those_of_brute_force(
        rows in prop::collection::vec(prop::collection::vec(prop::option::weighted(0.85, 0u32..4), 4), 1..40),
        most in 1usize..6,
        missing in missings(),
    ) {
        let risk = assess(&table(&rows, 4), &asked(missing, most), &WATCH);
        let complete = |r: &&Row| missing != Missing::Suppress || r.iter().all(Option::is_some);
        let left: Vec<Row> = rows.iter().filter(complete).cloned().collect();
        if left.is_empty() {
            prop_assert!(risk.is_err());
            return Ok(());
        }
        let risk = risk.unwrap();
        let mut wanted: Vec<Vec<usize>> = (1..=most.min(4)).flat_map(|size| sets(4, size)).collect();
        if most < 4 {
            wanted.push(vec![0, 1, 2, 3]);
        }
        prop_assert_eq!(risk.combinations.len(), wanted.len());
        for set in wanted {
            let expected = naive(&left, &set, missing);
            let found = risk.combinations.iter().find(|c| c.columns == expected.columns).unwrap();
            prop_assert!((found.separation - expected.separation).abs() < 1e-12);
            prop_assert_eq!(&Combination { separation: expected.separation, ..found.clone() }, &expected);
        }
        for pair in risk.combinations.windows(2) {
            prop_assert!(pair[0].unique_rows >= pair[1].unique_rows);
        }
    }

    #[test]
    fn adversaries_are_those_of_brute_force(
        rows in prop::collection::vec(prop::collection::vec(prop::option::weighted(0.9, 0u32..3), 2), 1..40),
        wildcard in any::<bool>(),
    ) {
        let missing = if wildcard { Missing::Wildcard } else { Missing::Value };
        let risk = assess(&table(&rows, 2), &asked(missing, 1), &WATCH).unwrap();
        let risks: Vec<f64> = rows
            .iter()
            .map(|a| 1.0 / rows.iter().filter(|b| alike(a, b, &[0, 1], missing)).count() as f64)
            .collect();
        let n = rows.len() as f64;
        let value = |name: &str| risk.figures.get(name).unwrap().value.unwrap();
        prop_assert_eq!(value("prosecutor"), risks.iter().copied().fold(0.0, f64::max));
        prop_assert!((value("marketer") - risks.iter().sum::<f64>() / n).abs() < 1e-12);
        prop_assert_eq!(value("rows_at_risk"), risks.iter().filter(|&&r| r > 0.2).count() as f64 / n);
        prop_assert_eq!(risk.class_sizes.iter().map(|b| b.rows).sum::<u64>(), rows.len() as u64);
        prop_assert_eq!(risk.class_sizes[0].classes as f64, value("sample_unique_rows"));
    }

    #[test]
    fn special_uniques_are_those_of_the_definition(
        rows in prop::collection::vec(prop::collection::vec(prop::option::weighted(0.9, 0u32..4), 5), 1..25),
        most in 1usize..5,
        missing in prop_oneof![Just(Missing::Value), Just(Missing::Wildcard)],
    ) {
        let found = assess(&table(&rows, 5), &asked(missing, most), &WATCH).unwrap().special_uniques;
        let most = most.min(3);
        let unique = |row: &Row, set: &[usize]| rows.iter().filter(|b| alike(row, b, set, missing)).count() == 1;
        let mut by_size = vec![0u64; most];
        let mut by_column = [0.0; 5];
        let mut scores = Vec::new();
        for row in &rows {
            let mut score = 0.0;
            for set in (1..=most).flat_map(|size| sets(5, size)).filter(|set| unique(row, set)) {
                // Every part, not only those that lack one column.
                let part = |bits: u32| -> Vec<usize> {
                    set.iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1).map(|(_, &c)| c).collect()
                };
                if (0..(1u32 << set.len()) - 1).any(|bits| unique(row, &part(bits))) {
                    continue;
                }
                let weight: f64 = (set.len()..=most).map(|i| (5 - i) as f64).product();
                score += weight;
                by_size[set.len() - 1] += 1;
                set.iter().for_each(|&c| by_column[c] += weight);
            }
            scores.push(score);
        }
        scores.sort_by(f64::total_cmp);
        let total: f64 = scores.iter().sum();
        if rows.len() > 1 {
            prop_assert_eq!(&found.sets, &by_size);
            prop_assert_eq!(found.rows, scores.iter().filter(|&&s| s > 0.0).count() as u64);
            for (column, score) in found.columns.iter().zip(by_column) {
                let share = if total > 0.0 { score / total } else { 0.0 };
                prop_assert!((column.share - share).abs() < 1e-12);
            }
            for quantile in &found.scores {
                let rank = (quantile.share * rows.len() as f64).ceil() as usize;
                prop_assert_eq!(quantile.score, scores[rank.max(1) - 1]);
            }
        }
    }

    #[test]
    fn a_population_table_is_counted(
        people in prop::collection::vec((0u32..5, 0u32..5), 1..60),
        part in 1usize..60,
    ) {
        let rows: Vec<Row> = people.iter().map(|p| vec![Some(p.0), Some(p.1)]).collect();
        // The sample meets its values in another order than the population does.
        let drawn: Vec<Row> = rows.iter().take(part).rev().cloned().collect();
        let sample = table(&drawn, 2);
        let population = sample.drawn_from(&table(&rows, 2)).unwrap();
        let risk = assess(&sample, &Asked { population, ..asked(Missing::Value, 1) }, &WATCH).unwrap();
        let size = |a: &Row| rows.iter().filter(|b| *b == a).count() as f64;
        let value = |name: &str| risk.figures.get(name).unwrap().value.unwrap();
        prop_assert_eq!(value("journalist"), drawn.iter().map(|r| 1.0 / size(r)).fold(0.0, f64::max));
        let mean = drawn.iter().map(|r| 1.0 / size(r)).sum::<f64>() / drawn.len() as f64;
        prop_assert!((value("journalist_mean") - mean).abs() < 1e-12);
        prop_assert_eq!(value("population_unique_rows"), rows.iter().filter(|r| size(r) == 1.0).count() as f64);
        prop_assert_eq!(value("population"), rows.len() as f64);
    }
}

fn weighted(cells: &[(u32, Option<&str>)]) -> Result<(Table, Population)> {
    let (mut values, mut weights, mut tuples) = (Dictionary::new(), Dictionary::new(), Tuples::new(2));
    for (value, weight) in cells {
        let row = [values.add(Some(&value.to_string()), 1), weights.add(*weight, 1)];
        tuples.insert(&row, 1);
    }
    Table { names: vec!["age".into(), "weight".into()], dictionaries: vec![values, weights], tuples }
        .weighted()
}

#[test]
fn weights_are_the_people_of_a_class() {
    let cells = [(1, Some("10")), (1, Some("30")), (2, Some("2.5")), (1, Some("10")), (3, Some("0"))];
    let (table, population) = weighted(&cells).unwrap();
    let Population::Weights(sums) = &population else { panic!("no weights") };
    assert_eq!(sums, &[50.0, 2.5, 0.0]);
    assert_eq!(table.tuples.counts(), [3, 1, 1]);
    let risk = assess(&table, &Asked { population, ..asked(Missing::Value, 1) }, &WATCH).unwrap();
    let value = |name: &str| risk.figures.get(name).unwrap().value.unwrap();
    assert_eq!(value("population"), 53.0);
    // A row that stands for less than itself is there all the same.
    assert_eq!(value("journalist"), 1.0);
}

#[test]
fn what_is_no_weight_is_refused() {
    for (cell, words) in
        [(Some("-1"), "`-1` is no weight"), (Some("x"), "`x` is no weight"), (None, "missing")]
    {
        let error = weighted(&[(1, Some("1")), (2, cell)]).err().unwrap().to_string();
        assert!(error.contains(words) && error.contains("weight`") && error.contains("help"), "{error}");
    }
}

#[test]
fn what_makes_no_sense_is_refused_by_name() {
    let wrong =
        Asked { threshold: 1.5, population: Population::Fraction(0.0), ..asked(Missing::Wildcard, 0) };
    let text = wrong.check().unwrap_err().to_string();
    for key in ["--max-size", "--threshold", "--fraction", "--missing"] {
        assert!(text.contains(key), "{key}: {text}");
    }
    let rows: Vec<Row> = vec![vec![Some(1)], vec![Some(2)]];
    let small = Asked { population: Population::Size(1), ..asked(Missing::Value, 1) };
    let error = assess(&table(&rows, 1), &small, &WATCH).unwrap_err().to_string();
    assert!(error.contains("smaller than its sample"), "{error}");
    let error = table(&rows, 1).drawn_from(&table(&rows[..1], 1)).err().unwrap().to_string();
    assert!(error.contains("1 combinations"), "{error}");
    let names = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
    let error =
        check_names(&names(&["agee", "sex", "sex"]), &names(&["age", "sex"])).unwrap_err().to_string();
    assert!(error.contains("did you mean `age`?") && error.contains("`sex` is named twice"), "{error}");
    assert!(check_names(&[], &names(&["age"])).is_err());
    assert!(check_names(&names(&["age"]), &names(&["age", "sex"])).is_ok());
}

#[test]
fn wide_keys_are_ranked_on_the_way() {
    // Fourteen columns of forty values do not fit 64 bits.
    let rows: Vec<Row> = (0..80u32).map(|i| (0..14).map(|c| Some((i * (c + 1)) % 40)).collect()).collect();
    let risk = assess(&table(&rows, 14), &asked(Missing::Value, 1), &WATCH).unwrap();
    let all: Vec<usize> = (0..14).collect();
    let found = risk.combinations.iter().find(|c| c.columns.len() == 14).unwrap();
    let expected = naive(&rows, &all, Missing::Value);
    assert_eq!(
        (found.classes, found.unique_rows, found.median),
        (expected.classes, expected.unique_rows, expected.median)
    );
}

#[test]
fn it_can_be_stopped_and_refuses_too_many_combinations() {
    let rows: Vec<Row> = vec![vec![Some(1); 40]; 3];
    let error = assess(&table(&rows, 40), &asked(Missing::Value, 20), &WATCH).unwrap_err();
    assert!(error.to_string().contains("--max-size"), "{error}");
    let stop = Watch { progress: &|| {}, cancelled: &|| true };
    let error = assess(&table(&rows, 40), &asked(Missing::Value, 2), &stop).unwrap_err();
    assert_eq!(error.faults()[0].kind, Kind::Unsolvable);
}
