//! Figures against a computation row by row.

use std::sync::Arc;

use super::*;
use crate::classes::{Classes, Codes};
use crate::hierarchy::{Date, Intervals, Path, Postal};
use crate::lattice::Node;

fn hierarchy(leaves: &[(&str, &str)]) -> Hierarchy {
    let path = |&(leaf, label): &(&str, &str)| Path {
        leaf: leaf.into(),
        labels: if label.is_empty() { vec![TOP.into()] } else { vec![label.into(), TOP.into()] },
    };
    Hierarchy::new(leaves.iter().map(path).collect(), false).unwrap()
}

/// Ages in intervals, incomes under labels that are no numbers, and sexes: rows of each, and
/// whether they are suppressed.
const ROWS: [(&str, &str, &str, u32, bool); 6] = [
    ("20", "10", "F", 3, false),
    ("25", "30", "M", 6, false),
    ("31", "20", "F", 5, false),
    ("39", "30", "M", 4, false),
    ("39", "30", "F", 1, true),
    ("31", "10", "M", 2, false),
];
/// What levels 1, 1, 0 make of them as numbers, by hand.
const AGES: [(&str, f64); 4] = [("20", 25.0), ("25", 25.0), ("31", 35.0), ("39", 35.0)];
const INCOMES: [(&str, f64); 3] = [("10", 15.0), ("20", 15.0), ("30", 30.0)];

struct Whole {
    names: Vec<String>,
    specs: Vec<Spec>,
    hierarchies: Vec<Hierarchy>,
    recoded: Recoded,
}

impl Whole {
    fn at(levels: Vec<u8>) -> Whole {
        let ages = [("20", "[20, 30)"), ("25", "[20, 30)"), ("31", "[30, 40)"), ("39", "[30, 40)")];
        let incomes = [("10", "low"), ("20", "low"), ("30", "high")];
        let hierarchies = vec![hierarchy(&ages), hierarchy(&incomes), hierarchy(&[("F", ""), ("M", "")])];
        let code = |q: usize, value: &str| hierarchies[q].leaf(Some(value)).unwrap();
        let codes =
            ROWS.iter().flat_map(|(age, income, sex, ..)| [code(0, age), code(1, income), code(2, sex)]);
        let classes = Classes::new(3, Codes::Wide(codes.collect()), ROWS.map(|row| row.3).to_vec()).unwrap();
        let suppressed = ROWS.map(|row| row.4);
        let recoded =
            Recoded::of_node(&Arc::new(classes), &hierarchies, &Node::new(levels), &suppressed).unwrap();
        let specs = vec![Spec::Intervals(Intervals::default()), Spec::Suppress, Spec::Suppress];
        Whole { names: ["age", "income", "sex"].map(String::from).to_vec(), specs, hierarchies, recoded }
    }

    fn statistics(&self, floor: u64) -> StatisticsFacts {
        let Whole { names, specs, hierarchies, recoded } = self;
        statistics(&Compared { names, specs, hierarchies, recoded, floor }, &Watch::none()).unwrap()
    }
}

/// Numbers of single rows, before and after.
fn expanded(of: impl Fn(&(&str, &str, &str, u32, bool)) -> [f64; 2]) -> [Vec<f64>; 2] {
    let of = &of;
    let rows = |released: bool| {
        ROWS.iter()
            .filter(move |row| !(released && row.4))
            .flat_map(move |row| std::iter::repeat_n(of(row)[usize::from(released)], row.3 as usize))
            .collect()
    };
    [rows(false), rows(true)]
}

fn naive(x: &[f64]) -> Moments {
    let mean = x.iter().sum::<f64>() / x.len() as f64;
    let squares: f64 = x.iter().map(|x| (x - mean).powi(2)).sum();
    Moments { mean, deviation: (squares / (x.len() as f64 - 1.0)).sqrt() }
}

fn naive_correlation(x: &[f64], y: &[f64]) -> f64 {
    let (mx, my) = (naive(x).mean, naive(y).mean);
    let sum = |f: &dyn Fn(f64, f64) -> f64| x.iter().zip(y).map(|(x, y)| f(x - mx, y - my)).sum::<f64>();
    sum(&|x, y| x * y) / (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt()
}

fn look_up(table: &[(&str, f64)], value: &str) -> f64 {
    table.iter().find(|(leaf, _)| *leaf == value).unwrap().1
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9 * (1.0 + b.abs())
}

#[test]
fn means_deviations_and_correlations_are_those_of_single_rows() {
    let found = Whole::at(vec![1, 1, 0]).statistics(1);
    let ages = expanded(|row| [row.0.parse().unwrap(), look_up(&AGES, row.0)]);
    let incomes = expanded(|row| [row.1.parse().unwrap(), look_up(&INCOMES, row.1)]);
    let columns: Vec<&str> = found.numbers.iter().map(|n| n.column.as_str()).collect();
    assert_eq!(columns, ["age", "income"], "two sexes are not numbers");
    for (facts, rows) in found.numbers.iter().zip([&ages, &incomes]) {
        for (found, rows) in [facts.before, facts.after.unwrap()].iter().zip(rows) {
            let expected = naive(rows);
            assert!(near(found.mean, expected.mean) && near(found.deviation, expected.deviation));
        }
        assert_eq!(facts.used, 1.0);
    }
    let [correlation] = &found.correlations[..] else { panic!("{:?}", found.correlations) };
    assert!(near(correlation.before, naive_correlation(&ages[0], &incomes[0])));
    assert!(near(correlation.after.unwrap(), naive_correlation(&ages[1], &incomes[1])));
}

#[test]
fn stars_are_left_out_and_said_to_be() {
    let found = Whole::at(vec![2, 0, 0]).statistics(1);
    assert_eq!((found.numbers[0].after, found.numbers[0].used), (None, 0.0));
    assert!(found.numbers[1].after.is_some());
    assert_eq!(found.correlations[0].after, None);
    let crossed: Vec<&[String; 2]> = found.cross_tables.iter().map(|table| &table.columns).collect();
    assert_eq!(crossed, [&["income".to_owned(), "sex".to_owned()]], "a column of stars is not crossed");
}

#[test]
fn a_cell_counts_in_equal_parts_for_its_values() {
    let found = Whole::at(vec![2, 1, 0]).statistics(1);
    let [table] = &found.cross_tables[..] else { panic!("{found:?}") };
    assert_eq!(
        (&table.rows[..], &table.across[..]),
        (&["10", "20", "30"].map(String::from)[..], &["F", "M"].map(String::from)[..])
    );
    let shares =
        |rows: &[[f64; 2]], all: f64| rows.iter().map(|r| r.map(|n| n / all).to_vec()).collect::<Vec<_>>();
    let before: Vec<Vec<f64>> = table.before.iter().map(|r| r.iter().map(|n| n.unwrap()).collect()).collect();
    assert_eq!(before, shares(&[[3.0, 2.0], [5.0, 0.0], [1.0, 10.0]], 21.0));
    // 8 women and 2 men have a low income.
    assert_eq!(table.after, shares(&[[4.0, 1.0], [4.0, 1.0], [0.0, 10.0]], 20.0));
    assert_eq!(table.used, 1.0);
    // Two rows are fewer than three.
    let few = Whole::at(vec![2, 1, 0]).statistics(3);
    assert_eq!(few.cross_tables[0].before[0], [Some(3.0 / 21.0), None]);
}

#[test]
fn values_that_few_rows_have_are_not_named() {
    let found = Whole::at(vec![2, 0, 0]).statistics(6);
    let table = &found.cross_tables[0];
    assert_eq!(table.rows, ["30", "(rare values)"]);
    assert_eq!(table.before[1], [Some(8.0 / 21.0), None]);
}

#[test]
fn codes_have_no_mean() {
    let mut whole = Whole::at(vec![0, 0, 0]);
    whole.specs[0] = Spec::Postal(Postal { keep: vec![1] });
    assert_eq!(whole.statistics(1).numbers.len(), 1);
    assert!(is_code(&Spec::Suppress, "02139") && is_code(&Spec::Suppress, "-07"));
    assert!(
        !is_code(&Spec::Suppress, "0") && !is_code(&Spec::Suppress, "0.5") && !is_code(&Spec::Suppress, "-3")
    );
}

#[test]
fn cells_have_a_number() {
    let read = |text: &str| number(text);
    assert_eq!(between("[20, 30)", &read), Some(25.0));
    assert_eq!(between("{1, 2, 6}", &read), Some(3.0));
    assert_eq!(between("7", &read), Some(7.0));
    for other in ["low", "< 20", "{1, b}", "2*", "*"] {
        assert_eq!(between(other, &read), None, "{other}");
    }
    let dates = Date { levels: vec!["year".into()], format: "%Y-%m-%d".into(), low: None, nested: true };
    let day = |text: &str| dates.day(text).map(|day| day as f64);
    assert_eq!(between("[1970-01-01, 1970-01-03]", &day), Some(1.0));
    assert_eq!(between("[1970, 1980)", &day), None, "the mean of its leaves is nearer");
}
