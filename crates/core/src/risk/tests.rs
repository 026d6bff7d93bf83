//! Every count against brute force over rows, and small tables by hand.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::combinations::sets;
use super::*;
use crate::error::Kind;
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
    Table::new((0..width).map(|i| format!("c{i}")).collect(), dictionaries, tuples)
}

fn asked(missing: Missing, max_size: usize) -> Asked {
    Asked { max_size, threshold: 0.2, missing, population: Population::Unknown, seed: 1 }
}

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
        let risk = assess(&table(&rows, 4), &asked(missing, most), &Watch::none());
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
        let risk = assess(&table(&rows, 2), &asked(missing, 1), &Watch::none()).unwrap();
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
        let found = assess(&table(&rows, 5), &asked(missing, most), &Watch::none()).unwrap().special_uniques;
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
        rows in prop::collection::vec(prop::collection::vec(prop::option::weighted(0.9, 0u32..5), 2), 1..60),
        part in 1usize..60,
        missing in missings(),
    ) {
        let complete = |r: &&Row| missing != Missing::Suppress || r.iter().all(Option::is_some);
        // The sample meets its values in another order than the population does.
        let drawn: Vec<Row> = rows.iter().take(part).rev().cloned().collect();
        let sample = table(&drawn, 2);
        let population = sample.drawn_from(&table(&rows, 2), missing, &Watch::none()).unwrap();
        let rows: Vec<Row> = rows.iter().filter(complete).cloned().collect();
        let drawn: Vec<Row> = drawn.iter().filter(complete).cloned().collect();
        prop_assume!(!drawn.is_empty());
        let risk = assess(&sample, &Asked { population, ..asked(missing, 1) }, &Watch::none()).unwrap();
        let size = |a: &Row| rows.iter().filter(|b| alike(a, b, &[0, 1], missing)).count() as f64;
        let value = |name: &str| risk.figures.get(name).unwrap().value.unwrap();
        prop_assert_eq!(value("journalist"), drawn.iter().map(|r| 1.0 / size(r)).fold(0.0, f64::max));
        let mean = drawn.iter().map(|r| 1.0 / size(r)).sum::<f64>() / drawn.len() as f64;
        prop_assert!((value("journalist_mean") - mean).abs() < 1e-12);
        prop_assert_eq!(value("population_unique_rows"), rows.iter().filter(|r| size(r) == 1.0).count() as f64);
        prop_assert_eq!(value("population"), rows.len() as f64);
    }
}

proptest! {
    /// Weights are summed over indistinguishable rows; those of rows that are left out are spread
    /// over the others.
    #[test]
    fn weights_and_fractions_follow_missing_cells(
        rows in prop::collection::vec((prop::option::weighted(0.8, 0u32..4), 1u32..9), 1..40),
        missing in missings(),
    ) {
        let cells: Vec<(Option<u32>, String)> = rows.iter().map(|(v, w)| (*v, w.to_string())).collect();
        let (sample, population) = weighted_cells(&cells).unwrap();
        let kept: Vec<&(Option<u32>, u32)> =
            rows.iter().filter(|r| missing != Missing::Suppress || r.0.is_some()).collect();
        prop_assume!(!kept.is_empty());
        let risk = assess(&sample, &Asked { population, ..asked(missing, 1) }, &Watch::none()).unwrap();
        let all: u32 = rows.iter().map(|r| r.1).sum();
        let spread = f64::from(all) / kept.iter().map(|r| f64::from(r.1)).sum::<f64>();
        let alike = |a: &Option<u32>, b: &Option<u32>| {
            a == b || missing == Missing::Wildcard && (a.is_none() || b.is_none())
        };
        let risk_of = |value: &Option<u32>| {
            let same = || kept.iter().filter(|r| alike(value, &r.0));
            let people: f64 = same().map(|r| f64::from(r.1)).sum::<f64>() * spread;
            adversaries::expected_inverse(same().count() as u64, same().count() as f64 / people)
        };
        let mean = kept.iter().map(|r| risk_of(&r.0)).sum::<f64>() / kept.len() as f64;
        let value = |name: &str| risk.figures.get(name).unwrap().value;
        prop_assert!((value("journalist_mean").unwrap() - mean).abs() < 1e-12);
        prop_assert_eq!(value("population"), Some(f64::from(all)));
        prop_assert_eq!(value("zayatz").is_none(), missing == Missing::Wildcard);
        // A fraction is that of the whole table, whatever is left out.
        let population = Population::Fraction(0.25);
        let risk = assess(&sample, &Asked { population, ..asked(missing, 1) }, &Watch::none()).unwrap();
        prop_assert_eq!(risk.figures.get("population").unwrap().value, Some(4.0 * rows.len() as f64));
    }
}

fn weighted_cells(cells: &[(Option<u32>, String)]) -> Result<(Table, Population)> {
    let (mut values, mut weights, mut tuples) = (Dictionary::new(), Dictionary::new(), Tuples::new(2));
    for (value, weight) in cells {
        let text = value.map(|v| v.to_string());
        tuples.insert(&[values.add(text.as_deref(), 1), weights.add(Some(weight), 1)], 1);
    }
    let table = Table::new(vec!["age".into(), "weight".into()], vec![values, weights], tuples);
    let (table, population) = table.parted(Parts { asked: 1, weights: true, starred: None })?;
    Ok((table, population.unwrap()))
}

fn texts(rows: &[&[&str]]) -> Table {
    let mut dictionaries = vec![Dictionary::new(); rows[0].len()];
    let mut tuples = Tuples::new(rows[0].len());
    for row in rows {
        let codes: Vec<u32> = row.iter().zip(&mut dictionaries).map(|(v, d)| d.add(Some(v), 1)).collect();
        tuples.insert(&codes, 1);
    }
    Table::new((0..rows[0].len()).map(|i| format!("c{i}")).collect(), dictionaries, tuples)
}

/// A release of two quasi-identifiers and a weight whose suppressed rows were starred.
const RELEASE: [&[&str]; 6] = [
    &["1*", "m", "2"],
    &["1*", "m", "2"],
    &["*", "m", "3"],
    &["*", "*", "4"],
    &["*", "*", "5"],
    &["1*", "*", "6"],
];

#[test]
fn suppressed_rows_of_a_release_are_left_out() {
    let parts = Parts { asked: 1, weights: true, starred: Some(u64::MAX) };
    let (first, population) = texts(&RELEASE).parted(parts).unwrap();
    // Stars in one column alone are not suppression.
    assert_eq!((first.suppressed, first.tuples.rows(), first.names.len()), (Some(2), 4, 1));
    assert_eq!(first.tuples.counts(), [3, 1]);
    let Some(Population::Weights(weights)) = population else { panic!("no weights") };
    assert_eq!((weights.of_tuple, weights.all), (vec![10.0, 3.0], 22.0));
    let risk = assess(&first, &asked(Missing::Value, 1), &Watch::none()).unwrap();
    let value = |name: &str| risk.figures.get(name).and_then(|f| f.value);
    assert_eq!((value("rows"), value("suppressed"), value("starred_rows")), (Some(4.0), Some(2.0), None));
    // Suppressed rows are part of the table that a fraction is of.
    let population = Population::Fraction(0.1);
    let risk = assess(&first, &Asked { population, ..asked(Missing::Value, 1) }, &Watch::none()).unwrap();
    assert_eq!(risk.figures.get("population").unwrap().value, Some(60.0));
    // Where it is known that nothing was starred, stars are generalized values.
    let (whole, _) = texts(&RELEASE).parted(Parts { asked: 2, weights: true, starred: Some(0) }).unwrap();
    let risk = assess(&whole, &asked(Missing::Value, 1), &Watch::none()).unwrap();
    assert_eq!(risk.figures.get("rows").unwrap().value, Some(6.0));
    assert!(risk.figures.get("starred_rows").is_none() && risk.figures.get("suppressed").is_none());
    // No more than were suppressed are left out.
    let (less, _) = texts(&RELEASE).parted(Parts { asked: 2, weights: true, starred: Some(1) }).unwrap();
    assert_eq!((less.suppressed, less.tuples.rows()), (Some(1), 5));
    // A table that is all stars is the most general release.
    let all = texts(&[&["*", "*"], &["*", "*"]]);
    let (all, _) = all.parted(Parts { asked: 2, weights: false, starred: Some(u64::MAX) }).unwrap();
    assert_eq!((all.suppressed, all.tuples.rows()), (Some(0), 2));
}

#[test]
fn stars_of_a_table_that_may_be_a_release_are_explained() {
    let rows: Vec<&[&str]> = RELEASE.iter().map(|row| &row[..2]).collect();
    let risk = assess(&texts(&rows), &asked(Missing::Value, 1), &Watch::none()).unwrap();
    let starred = risk.figures.get("starred_rows").unwrap();
    assert_eq!(starred.value, Some(2.0));
    assert!(starred.means.contains("--certificate"), "{}", starred.means);
    assert!(risk.figures.get("suppressed").is_none());
}

/// Four columns, sets of up to three: a minimal sample unique of one column scores 3 · 2 · 1, of
/// two 2 · 1, of three 1.
#[test]
fn special_uniques_score_as_in_the_paper() {
    let rows = texts(&[
        &["a", "x", "p", "1"],
        &["b", "x", "q", "1"],
        &["b", "y", "p", "1"],
        &["b", "y", "q", "2"],
        &["b", "x", "p", "2"],
        &["b", "y", "q", "2"],
    ]);
    // Row 1: (a) and (x, p, 1), 6 + 1. Row 2: (x, q), (q, 1) and (b, x, 1), 2 + 2 + 1. Row 3: (y,
    // p), (y, 1) and (b, p, 1). Row 5: (x, 2), (p, 2) and (b, x, p). Rows 4 and 6 are the same.
    let found = assess(&rows, &asked(Missing::Value, 4), &Watch::none()).unwrap().special_uniques;
    assert_eq!(found.sets, [1, 6, 4]);
    assert_eq!(found.rows, 4);
    let scores: Vec<(f64, f64)> = found.scores.iter().map(|s| (s.share, s.score)).collect();
    assert_eq!((scores[0], scores[4]), ((0.5, 5.0), (1.0, 7.0)));
    // The first column is in (a) and three sets of three: 9 of 22.
    assert!((found.columns[0].share - 9.0 / 22.0).abs() < 1e-12);
}

#[test]
fn too_much_memory_is_refused_by_name() {
    assert!(special::affordable(84, 3, 1_200_000).is_ok());
    assert!(special::affordable(9, 4, 1 << 31).is_err());
    let error = special::affordable(84, 4, 5_000_000).unwrap_err().to_string();
    assert!(error.contains("--max-size: special uniques of up to 3 of 84 columns"), "{error}");
    assert!(error.contains("give --max-size 2"), "{error}");
    // Nothing is held of the largest size.
    assert!(special::affordable(1000, 1, usize::MAX / 64).is_ok());
}

fn weighted(cells: &[(u32, Option<&str>)]) -> Result<(Table, Population)> {
    let (mut values, mut weights, mut tuples) = (Dictionary::new(), Dictionary::new(), Tuples::new(2));
    for (value, weight) in cells {
        let row = [values.add(Some(&value.to_string()), 1), weights.add(*weight, 1)];
        tuples.insert(&row, 1);
    }
    let table = Table::new(vec!["age".into(), "weight".into()], vec![values, weights], tuples);
    let (table, population) = table.parted(Parts { asked: 1, weights: true, starred: None })?;
    Ok((table, population.unwrap()))
}

#[test]
fn weights_are_the_people_of_a_class() {
    let cells = [(1, Some("10")), (1, Some("30")), (2, Some("2.5")), (1, Some("10")), (3, Some("0"))];
    let (table, population) = weighted(&cells).unwrap();
    let Population::Weights(weights) = &population else { panic!("no weights") };
    assert_eq!((&weights.of_tuple[..], weights.all), (&[50.0, 2.5, 0.0][..], 52.5));
    assert_eq!(table.tuples.counts(), [3, 1, 1]);
    let risk = assess(&table, &Asked { population, ..asked(Missing::Value, 1) }, &Watch::none()).unwrap();
    let value = |name: &str| risk.figures.get(name).unwrap().value.unwrap();
    assert_eq!(value("population"), 53.0);
    // A row that stands for less than itself is there all the same.
    assert_eq!(value("journalist"), 1.0);
}

#[test]
fn what_is_no_weight_is_refused() {
    for (cell, words) in
        [(Some("-1"), "`-1` is not a weight"), (Some("x"), "`x` is not a weight"), (None, "missing")]
    {
        let error = weighted(&[(1, Some("1")), (2, cell)]).err().unwrap().to_string();
        assert!(error.contains(words) && error.contains("weight`") && error.contains("help"), "{error}");
    }
}

#[test]
fn what_makes_no_sense_is_refused_by_name() {
    let wrong = Asked { threshold: 1.5, population: Population::Fraction(0.0), ..asked(Missing::Value, 0) };
    let text = wrong.check().unwrap_err().to_string();
    for key in ["--max-size", "--threshold", "--fraction"] {
        assert!(text.contains(key), "{key}: {text}");
    }
    let rows: Vec<Row> = vec![vec![Some(1)], vec![Some(2)]];
    let small = Asked { population: Population::Size(1), ..asked(Missing::Value, 1) };
    let error = assess(&table(&rows, 1), &small, &Watch::none()).unwrap_err().to_string();
    assert!(
        error.contains("--population: a population of 1 is smaller than its sample of 2 rows"),
        "{error}"
    );
    // A row that is left out is somebody, too.
    let rows: Vec<Row> = vec![vec![Some(1)], vec![None]];
    let small = Asked { population: Population::Size(1), ..asked(Missing::Suppress, 1) };
    let error = assess(&table(&rows, 1), &small, &Watch::none()).unwrap_err().to_string();
    assert!(error.contains("smaller than its sample of 2 rows"), "{error}");
    let error = table(&rows, 1)
        .drawn_from(&table(&rows[..1], 1), Missing::Value, &Watch::none())
        .err()
        .unwrap()
        .to_string();
    assert!(error.contains("1 combinations"), "{error}");
}

#[test]
fn names_are_refused_under_the_option_that_gave_them() {
    let names = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
    let check = |qi: &[&str], weights: &[&str]| {
        let (qi, weights) = (names(qi), names(weights));
        let named = [Named { by: "--qi", columns: &qi }, Named { by: "--weights", columns: &weights }];
        check_names(&named, &names(&["age", "sex", "w"])).map_err(|e| e.to_string())
    };
    let error = check(&["agee", "sex", "sex"], &[]).unwrap_err();
    assert!(error.contains("did you mean `age`?") && error.contains("--qi: `sex` is named twice"), "{error}");
    let error = check(&["age"], &["ww"]).unwrap_err();
    assert!(
        error.contains("--weights: there is no column `ww`") && error.contains("did you mean `w`?"),
        "{error}"
    );
    let error = check(&["age", "w"], &["w"]).unwrap_err();
    assert!(error.contains("--weights: `w` is named twice"), "{error}");
    assert!(check(&[], &[]).unwrap_err().contains("no column is named"));
    assert_eq!(check(&["age"], &["w"]), Ok(()));
}

#[test]
fn wide_keys_are_ranked_on_the_way() {
    // Fourteen columns of forty values do not fit 64 bits.
    let rows: Vec<Row> = (0..80u32).map(|i| (0..14).map(|c| Some((i * (c + 1)) % 40)).collect()).collect();
    let risk = assess(&table(&rows, 14), &asked(Missing::Value, 1), &Watch::none()).unwrap();
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
    let error = assess(&table(&rows, 40), &asked(Missing::Value, 20), &Watch::none()).unwrap_err();
    assert!(error.to_string().contains("--max-size"), "{error}");
    let stop = Watch::none();
    stop.cancel().finish();
    let error = assess(&table(&rows, 40), &asked(Missing::Value, 2), &stop).unwrap_err();
    assert_eq!(error.faults()[0].kind, Kind::Cancelled);
}

#[test]
fn many_columns_are_combined_in_smaller_sets() {
    let sizes = [1, 10, 40, 57, 200, 446, 447, 5_000].map(size_for);
    assert_eq!(sizes, [4, 4, 3, 3, 2, 2, 1, 1]);
}
