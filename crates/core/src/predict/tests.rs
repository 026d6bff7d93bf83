//! Models against their definitions: hand-computed cases, brute force, and the equivalence of
//! weights and repeated rows.

use proptest::prelude::*;

use super::tree::{LEAST, best};
use super::*;
use crate::hierarchy::{Hierarchy, Order, Path, Spec, build};
use crate::table::Dictionary;

fn line(cells: &[f64], target: f64, weight: f64) -> Line {
    Line { cells: cells.to_vec(), target, weight }
}

const FEATURES: [Feature; 2] = [Feature::Number, Feature::Category(3)];

/// Rows of one number and one of three categories; numbers repeat.
fn lines(classes: bool) -> impl Strategy<Value = Vec<Line>> {
    let row = (0..6i32, 0..3u32, -4..5i32, 1..4u32).prop_map(move |(x, c, y, w)| {
        let target = if classes { f64::from(y.rem_euclid(3)) } else { f64::from(y) * 1.5 };
        line(&[f64::from(x) * 0.7, f64::from(c)], target, f64::from(w))
    });
    prop::collection::vec(row, 1..40)
}

fn sheet(target: Target, rows: Vec<Line>) -> Sheet {
    Sheet::new(FEATURES.to_vec(), target, rows).unwrap()
}

fn targets(model: &str) -> Vec<Target> {
    match model {
        "linear" => vec![Target::Number],
        "logistic" | "naive-bayes" => vec![Target::Class(3)],
        _ => vec![Target::Number, Target::Class(3)],
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// A row of weight w is w rows, in any order, to the last bit.
    #[test]
    fn a_weight_is_so_many_rows(numbers in lines(false), classes in lines(true)) {
        for name in Predictor::ALL.iter().map(|kind| kind.key()) {
            for target in targets(name) {
                let rows = if target == Target::Number { &numbers } else { &classes };
                let twice = rows.iter().rev().flat_map(|row| {
                    (0..row.weight as usize).map(|_| Line { weight: 1.0, ..row.clone() })
                });
                let one = fit(name, &sheet(target, rows.clone()), 7).unwrap();
                let other = fit(name, &sheet(target, twice.collect()), 7).unwrap();
                for row in rows {
                    prop_assert_eq!(one.predict(&row.cells), other.predict(&row.cells), "{}", name);
                }
            }
        }
    }

    /// What is likely adds up to 1, and no answer is beyond the numbers that there are.
    #[test]
    fn answers_are_answers(numbers in lines(false), classes in lines(true)) {
        for name in Predictor::ALL.iter().map(|kind| kind.key()) {
            for target in targets(name) {
                let rows = if target == Target::Number { &numbers } else { &classes };
                let model = fit(name, &sheet(target, rows.clone()), 7).unwrap();
                for row in rows {
                    let said = model.predict(&row.cells);
                    if target == Target::Number {
                        prop_assert!(said.len() == 1 && said[0].is_finite());
                    } else {
                        prop_assert!(said.iter().all(|p| (0.0..=1.0).contains(p)) && said.len() == 3);
                        prop_assert!((said.iter().sum::<f64>() - 1.0).abs() < 1e-9);
                    }
                }
            }
        }
    }

    /// The normal equations: what is left is orthogonal to every feature, but for the ridge.
    #[test]
    fn residuals_of_a_regression_are_orthogonal(rows in lines(false)) {
        let sheet = sheet(Target::Number, rows);
        let model = fit("linear", &sheet, 0).unwrap();
        let left = |row: &Line| row.weight * (row.target - model.predict(&row.cells)[0]);
        let (rows, most) = (sheet.rows(), 1e-3 * sheet.weight());
        prop_assert!(rows.iter().map(left).sum::<f64>().abs() < 1e-6 * sheet.weight());
        prop_assert!(rows.iter().map(|r| left(r) * r.cells[0]).sum::<f64>().abs() < most);
        for category in 0..3 {
            let of = rows.iter().filter(|r| r.cells[1] == f64::from(category));
            prop_assert!(of.map(left).sum::<f64>().abs() < most);
        }
    }

    /// The likelihood of a logistic regression is at its peak: its slope is what the ridge holds
    /// against it.
    #[test]
    fn shares_of_a_logistic_regression_balance(rows in lines(true)) {
        let rows: Vec<Line> = rows.into_iter().map(|r| Line { target: f64::from(u8::from(r.target > 0.0)), ..r }).collect();
        let sheet = sheet(Target::Class(2), rows);
        let model = fit("logistic", &sheet, 0).unwrap();
        let slope: f64 =
            sheet.rows().iter().map(|r| r.weight * (r.target - model.predict(&r.cells)[1])).sum();
        prop_assert!(slope.abs() < 1e-6 * sheet.weight(), "{}", slope);
    }

    /// The first split is the best of all that can be made.
    #[test]
    fn splits_are_the_best_there_are(numbers in lines(false), classes in lines(true)) {
        for (target, rows) in [(Target::Number, numbers), (Target::Class(3), classes)] {
            let sheet = sheet(target, rows);
            let rows: Vec<&Line> = sheet.rows().iter().collect();
            let impurity = |rows: &[&Line]| -> f64 {
                let weight: f64 = rows.iter().map(|r| r.weight).sum();
                let mean = rows.iter().map(|r| r.weight * r.target).sum::<f64>() / weight;
                match target {
                    Target::Number => rows.iter().map(|r| r.weight * (r.target - mean).powi(2)).sum(),
                    Target::Class(_) => {
                        let share = |c: u32| rows.iter().filter(|r| r.target == f64::from(c)).map(|r| r.weight).sum::<f64>() / weight;
                        weight * (0..3).map(|c| share(c) * (1.0 - share(c))).sum::<f64>()
                    }
                }
            };
            let after = |feature: usize, at: f64| {
                let goes = |r: &&&Line| if feature == 0 { r.cells[0] <= at } else { r.cells[1] == at };
                let left: Vec<&Line> = rows.iter().filter(goes).copied().collect();
                let right: Vec<&Line> = rows.iter().filter(|r| !goes(r)).copied().collect();
                let weight = |side: &[&Line]| side.iter().map(|r| r.weight).sum::<f64>();
                (weight(&left) >= LEAST && weight(&right) >= LEAST).then(|| impurity(&left) + impurity(&right))
            };
            let bounds = rows.iter().map(|r| (0, r.cells[0] + 0.1));
            let splits = bounds.chain((0..3).map(|c| (1, f64::from(c))));
            let least = splits.filter_map(|(f, at)| after(f, at)).fold(f64::INFINITY, f64::min);
            match best(&FEATURES, target, &rows, &[0, 1]) {
                Some(split) => {
                    let found = after(split.feature, split.at).unwrap();
                    prop_assert!((found - least).abs() < 1e-9 * (1.0 + least), "{} {}", found, least);
                }
                None => prop_assert!(least >= impurity(&rows) * (1.0 - 1e-9) - 1e-9),
            }
        }
    }
}

#[test]
fn a_line_is_found_again() {
    let rows = (0..20).map(|x| line(&[f64::from(x), f64::from(x % 3)], 3.0 + 2.0 * f64::from(x), 1.0));
    let model = fit("linear", &sheet(Target::Number, rows.collect()), 0).unwrap();
    assert!((model.predict(&[7.0, 1.0])[0] - 17.0).abs() < 1e-2);
    assert!((model.predict(&[100.0, 1.0])[0] - 203.0).abs() < 1e-1);
}

/// What numbers differ by is seen by a tree however large they are.
#[test]
fn a_tree_sees_small_differences_of_large_numbers() {
    let high = |i: i32| 1e9 + if i < 10 { 0.0 } else { 0.001 };
    let rows = (0..20).map(|i| line(&[f64::from(i), 0.0], high(i), 1.0)).collect();
    let model = fit("tree", &sheet(Target::Number, rows), 0).unwrap();
    for i in [0, 9, 10, 19] {
        assert!((model.predict(&[f64::from(i), 0.0])[0] - high(i)).abs() < 1e-6, "{i}");
    }
}

#[test]
fn a_posterior_is_counted() {
    // Class 0 has three rows of category 0 and one of 1, class 1 one of 0 and one of 2; the number
    // is always the same.
    let row = |category: f64, class: f64, weight: f64| line(&[1.0, category], class, weight);
    let rows = vec![row(0.0, 0.0, 3.0), row(1.0, 0.0, 1.0), row(0.0, 1.0, 1.0), row(2.0, 1.0, 1.0)];
    let model = fit("naive-bayes", &sheet(Target::Class(2), rows), 0).unwrap();
    // 4/6 · (3 + 1)/(4 + 3) against 2/6 · (1 + 1)/(2 + 3).
    let (a, b) = (4.0 / 6.0 * 4.0 / 7.0, 2.0 / 6.0 * 2.0 / 5.0);
    assert!((model.predict(&[1.0, 0.0])[0] - a / (a + b)).abs() < 1e-12);
}

#[test]
fn numbers_of_a_class_are_a_bell() {
    let rows = [(0.0, 0.0), (2.0, 0.0), (10.0, 1.0), (14.0, 1.0)];
    let rows = rows.iter().map(|&(x, class)| line(&[x, 0.0], class, 1.0)).collect();
    let model = fit("naive-bayes", &sheet(Target::Class(2), rows), 0).unwrap();
    // Means 1 and 12, deviations 1 and 2: at x the densities are e^(−(x−1)²/2) and
    // e^(−(x−12)²/8)/2.
    let (x, low, high) = (5.0f64, 1.0, 12.0);
    let (a, b) = ((-(x - low).powi(2) / 2.0).exp(), (-(x - high).powi(2) / 8.0).exp() / 2.0);
    assert!((model.predict(&[x, 0.0])[0] - a / (a + b)).abs() < 1e-12);
}

#[test]
fn a_forest_is_the_same_on_any_number_of_threads() {
    let rows: Vec<Line> =
        (0..200).map(|i| line(&[f64::from(i % 17), f64::from(i % 3)], f64::from(i * i % 23), 1.0)).collect();
    let sheet = sheet(Target::Number, rows);
    let said = |threads: usize, seed: u64| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| fit("forest", &sheet, seed).unwrap().predict(&[5.0, 1.0])[0].to_bits())
    };
    assert_eq!(said(1, 3), said(4, 3));
    assert_ne!(said(1, 3), said(1, 4));
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    let rows = sheet(Target::Number, vec![line(&[1.0, 0.0], 1.0, 1.0)]);
    let text = |name: &str| fit(name, &rows, 0).err().unwrap().to_string();
    assert!(text("lineer").contains("did you mean \"linear\"?"));
    assert!(text("logistic").contains("does not predict numbers"));
    let empty = sheet(Target::Number, Vec::new());
    assert!(fit("tree", &empty, 0).err().unwrap().to_string().contains("no rows"));
    let wrong = |row: Line| Sheet::new(FEATURES.to_vec(), Target::Class(2), [row]).is_err();
    assert!(
        wrong(line(&[1.0], 0.0, 1.0))
            && wrong(line(&[1.0, 3.0], 0.0, 1.0))
            && wrong(line(&[1.0, 0.0], 2.0, 1.0))
    );
    assert!(wrong(line(&[f64::NAN, 0.0], 0.0, 1.0)) && wrong(line(&[1.0, 0.0], 0.0, -1.0)));
    assert!(!wrong(line(&[1.0, 2.0], 1.0, 1.0)));
}

fn reader() -> Reader {
    let ages = Dictionary::of([Some("10"), Some("20"), Some("20"), Some("70"), None]);
    let sexes = Dictionary::of([Some("F"), Some("M"), Some("F")]);
    let zips = Dictionary::of([Some("02138"), Some("02139"), Some("98052")]);
    let path = |leaf: &str, label: &str| Path { leaf: leaf.into(), labels: vec![label.into()] };
    let above =
        Hierarchy::new(vec![path("02138", "east"), path("02139", "east"), path("98052", "west")], false);
    let young = Hierarchy::new(vec![path("10", "young"), path("20", "young"), path("70", "old")], false);
    let (above, young) = (above.unwrap(), young.unwrap());
    Reader::new(&[
        Known { values: &ages, hierarchy: Some(&young), codes: false },
        Known { values: &sexes, hierarchy: None, codes: false },
        Known { values: &zips, hierarchy: Some(&above), codes: false },
    ])
}

#[test]
fn released_cells_become_features() {
    let reader = reader();
    assert_eq!(reader.features(), [Feature::Number, Feature::Category(3), Feature::Category(4)]);
    let age = |cell: Option<&str>| reader.read(&[cell, Some("F"), Some("x")])[0][0];
    assert_eq!([age(Some("33")), age(Some("[10, 20]")), age(Some("[20, 30)"))], [33.0, 15.0, 25.0]);
    // Open ends and everything are the mean of what is known to lie there; a label is the middle of
    // what is under it.
    assert_eq!([age(Some(">= 15")), age(Some("< 15")), age(Some("< 5"))], [110.0 / 3.0, 10.0, 5.0]);
    assert_eq!(
        [age(Some("*")), age(None), age(Some("young")), age(Some("{10, 70}"))],
        [30.0, 30.0, 15.0, 40.0]
    );
    let sexes = |cell: Option<&str>| -> Vec<f64> {
        reader.read(&[Some("1"), cell, Some("x")]).iter().map(|row| row[1]).collect()
    };
    assert_eq!(sexes(Some("M")), [1.0]);
    assert_eq!(sexes(Some("*")), [0.0, 1.0]);
    assert_eq!(sexes(Some("{F, M}")), [0.0, 1.0]);
    assert_eq!((sexes(None), sexes(Some("unheard of"))), (vec![2.0], vec![2.0]));
    let zips = |cell: &str| -> Vec<f64> {
        reader.read(&[Some("1"), Some("F"), Some(cell)]).iter().map(|row| row[2]).collect()
    };
    assert_eq!((zips("east"), zips("0213*"), zips("west")), (vec![0.0, 1.0], vec![0.0, 1.0], vec![2.0]));
    // A row becomes every combination.
    assert_eq!(reader.read(&[Some("1"), Some("*"), Some("east")]).len(), 4);
    assert_eq!(
        (reader.text(0, 1.5), reader.text(1, 1.0), reader.text(1, 2.0)),
        (Some("1.5".into()), Some("M".into()), None)
    );
}

#[test]
fn ranges_of_a_stated_order_become_what_is_between() {
    let of = |values: &[&str]| {
        let order = Order { fanout: Vec::new(), values: values.iter().map(|v| (*v).into()).collect() };
        let values = Dictionary::of(values.iter().map(|v| Some(*v)));
        let hierarchy = build(&Spec::Order(order), &values, &|_| unreachable!()).unwrap();
        (values, hierarchy)
    };
    let (grades, by_grade) = of(&["low", "mid", "high", "top"]);
    let (stages, by_stage) = of(&["1", "2", "30", "4"]);
    let known = |values, hierarchy| Known { values, hierarchy: Some(hierarchy), codes: false };
    let reader = Reader::new(&[known(&grades, &by_grade), known(&stages, &by_stage)]);
    // Categories are in text order: high, low, mid, top.
    assert_eq!(reader.cell(0, Some("low - high")), [0.0, 1.0, 2.0]);
    assert_eq!(reader.cell(0, Some("high - low")), [0.0, 1.0], "not of this order: its ends alone");
    assert_eq!(reader.cell(1, Some("2 - 4")), [12.0], "the mean of 2, 30 and 4");
    assert_eq!(reader.may_be(1, Some("2 - 4")), [2.0, 4.0, 30.0]);
}

#[test]
fn codes_are_no_numbers() {
    let codes = Dictionary::of([Some("650"), Some("428.0")]);
    let feature = |codes_are: bool| {
        Reader::new(&[Known { values: &codes, hierarchy: None, codes: codes_are }]).features()
    };
    assert_eq!((feature(false), feature(true)), (vec![Feature::Number], vec![Feature::Category(3)]));
}

#[test]
fn too_many_combinations_are_thinned_out() {
    let values = Dictionary::of(["a", "b", "c", "d", "e", "f", "g", "h"].map(Some));
    let known = || Known { values: &values, hierarchy: None, codes: false };
    let reader = Reader::new(&[known(), known(), known(), known()]);
    let rows = reader.read(&[Some("*"); 4]);
    assert!(rows.len() == 256 && rows.iter().all(|row| row.len() == 4));
    // Every second category of every column, from the first on.
    let first: std::collections::BTreeSet<u32> = rows.iter().map(|row| row[0] as u32).collect();
    assert_eq!(first.into_iter().collect::<Vec<_>>(), [0, 2, 4, 6]);
    assert_eq!((&rows[0], &rows[255]), (&vec![0.0; 4], &vec![6.0; 4]));
}

#[test]
fn a_guide_averages_over_what_a_row_may_be() {
    let reader = reader();
    let names = ["age", "sex", "zip"].map(String::from).to_vec();
    // Women cost 10 and men 30, whatever else.
    let rows = [("F", 10.0), ("M", 30.0)].into_iter().flat_map(|(sex, cost)| {
        ["10", "20", "70"].map(|age| (vec![Some(age), Some(sex), Some("x")], cost, 4u64))
    });
    let guide = Fitted::new("tree", names, reader, Target::Number, rows, 0).unwrap();
    let row = |sex: Option<&str>| vec![Some("20".to_owned()), sex.map(String::from), Some("x".to_owned())];
    let said = guide.predict(&[row(Some("M")), row(Some("*")), row(Some("F"))]).unwrap();
    assert_eq!(said, [30.0, 20.0, 10.0]);
    assert_eq!(guide.predict(&[]).unwrap(), Vec::<f64>::new());
    assert!(guide.predict(&[vec![None]]).is_err());
}

#[test]
fn errors_are_added_up_over_rows() {
    // Errors 1, 1 and 4: total 6, mean 2, deviation √2.
    let errors = Errors::of(&[(5.0, 4.0, 2), (0.0, 4.0, 1)]);
    assert_eq!((errors.total, errors.mean), (6.0, 2.0));
    assert!((errors.deviation - 2f64.sqrt()).abs() < 1e-12);
    assert_eq!(Errors::of(&[]), Errors { total: 0.0, mean: 0.0, deviation: 0.0 });
}

/// The target follows from sex, and sex goes with the town: a suppressed sex is summed out by what
/// the town says of it, while an average would take both sexes alike.
#[test]
fn a_network_sums_out_what_a_cell_leaves_open() {
    let mut values: Vec<Dictionary> = vec![Dictionary::new(), Dictionary::new()];
    let rows: Vec<(&str, &str, f64, u64)> =
        vec![("Ulm", "F", 1.0, 90), ("Ulm", "M", 0.0, 10), ("Bonn", "F", 1.0, 20), ("Bonn", "M", 0.0, 80)];
    for (town, sex, _, count) in &rows {
        values[0].add(Some(town), *count);
        values[1].add(Some(sex), *count);
    }
    let known = values.iter().map(|values| Known { values, hierarchy: None, codes: false });
    let reader = Reader::new(&known.collect::<Vec<_>>());
    let names = ["town", "sex"].map(String::from).to_vec();
    for target in [Target::Class(2), Target::Number] {
        let lines = rows.iter().map(|&(town, sex, y, n)| (vec![Some(town), Some(sex)], y, n));
        let guide = Fitted::new("network", names.clone(), reader.clone(), target, lines, 0).unwrap();
        let row = |town: &str, sex: &str| vec![Some(town.to_owned()), Some(sex.to_owned())];
        let said = guide
            .predict(&[row("Ulm", "F"), row("Ulm", "M"), row("Ulm", "*"), row("Bonn", "*"), row("*", "*")])
            .unwrap();
        let near = |said: f64, right: f64| (said - right).abs() < 0.02;
        assert!(near(said[0], 1.0) && near(said[1], 0.0), "{said:?}");
        assert!(near(said[2], 0.9) && near(said[3], 0.2) && near(said[4], 0.55), "{said:?}");
    }
}

/// Numbers that a cell may have, of those that are known.
#[test]
fn cells_of_numbers_are_what_lies_in_them() {
    let mut ages = Dictionary::new();
    ["10", "20", "30", "70"].iter().for_each(|age| {
        ages.add(Some(age), 1);
    });
    let paths = ["10", "20", "30", "70"]
        .map(|age| Path { leaf: age.into(), labels: vec![if age == "70" { "old" } else { "young" }.into()] });
    let hierarchy = Hierarchy::new(paths.to_vec(), false).unwrap();
    let reader = Reader::new(&[Known { values: &ages, hierarchy: Some(&hierarchy), codes: false }]);
    assert_eq!(reader.may_be(0, Some("20")), [20.0]);
    assert_eq!(reader.may_be(0, Some("[15, 40]")), [20.0, 30.0]);
    assert_eq!(reader.may_be(0, Some("[41, 59]")), [50.0]);
    assert_eq!(reader.may_be(0, Some("young")), [10.0, 20.0, 30.0]);
    assert_eq!(reader.may_be(0, Some("*")).len(), 4);
    assert_eq!(reader.may_be(0, None).len(), 4);
}
