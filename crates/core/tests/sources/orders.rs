//! Values in a stated order [De Spoelberch, 2.4.3; LeFevre 2006] against `orders.py`,
//! the printed example, and the truth of every cell in all methods that form regions.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde::Deserialize;
use throng::cell::Cell;
use throng::measure::{Correspondence, Inputs, measure};
use throng::memory::Table;
use throng::policy::Policy;
use throng::watch::Watch;

use super::{Row, cases, codes, counted, recorded, release};

const FOUND: &str = include_str!("orders.jsonl");

#[derive(Deserialize)]
struct Case {
    policy: String,
    rows: Vec<Row>,
    released: Vec<Row>,
    lm: f64,
}

#[test]
fn releases_are_those_of_the_script() {
    let mut ranges = 0;
    for (line, case) in cases::<Case>(FOUND) {
        let names: Vec<String> = (0..case.rows[0].len()).map(|at| format!("c{at}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let found = release(&case.policy, &names, &case.rows).unwrap_or_else(|e| panic!("{e} in {line}"));
        assert_eq!(counted(found.table.rows()), counted(&case.released), "{line}");
        let lm = found.certificate.release.loss["lm"];
        assert!((lm - case.lm).abs() < 1e-9, "{lm}, not {} in {line}", case.lm);
        let cells = case.released.iter().flatten().flatten();
        ranges += cells.filter(|cell| matches!(Cell::parse(cell), Cell::Range(..))).count();
    }
    assert!(ranges > 500, "{ranges} cells are ranges");
}

#[test]
fn the_script_writes_what_is_recorded() {
    recorded("orders.py", FOUND);
}

fn texts(rows: &[&[&str]]) -> Vec<Row> {
    rows.iter().map(|row| row.iter().map(|cell| Some((*cell).to_owned())).collect()).collect()
}

/// The equations (2.5) and (2.6): `{(Masters, 34986), (PhD, 34986)}` becomes `Masters - PhD`.
#[test]
fn the_printed_example_is_released_to_the_cell() {
    let policy = "version = 1\n[input]\npath = \"t.csv\"\n[columns.education]\nrole = \"quasi\"\nform = \"range\"\n\
        hierarchy = { order = { values = [\"H.S. Dropout\", \"H.S. Graduate\", \"Bachelors\", \"Masters\", \"PhD\"] } }\n\
        [columns.zip]\nrole = \"quasi\"\n[privacy]\nk = 2\n[search]\nalgorithm = \"mondrian\"\n";
    let (dropout, graduate) = ("H.S. Dropout", "Masters - PhD");
    let rows = texts(&[&["Masters", "34986"], &[dropout, "34986"], &["PhD", "34986"], &[dropout, "34917"]]);
    let released = release(policy, &["education", "zip"], &rows).unwrap();
    let zips = "[34917, 34986]";
    let expected = texts(&[&[dropout, zips], &[dropout, zips], &[graduate, "34986"], &[graduate, "34986"]]);
    assert_eq!(counted(released.table.rows()), counted(&expected));

    let unlisted = [rows, texts(&[&["Some college", "34917"]])].concat();
    let error = release(policy, &["education", "zip"], &unlisted).err().unwrap();
    assert_eq!(codes(&error), ["hierarchy.value-not-listed"]);
    assert!(error.to_string().contains("`Some college` is not among `values`"), "{error}");
}

#[test]
fn forms_that_need_an_order_or_numbers_say_so() {
    let policy = |column: &str| {
        format!(
            "version = 1\n[input]\npath = \"t.csv\"\n[columns.c]\nrole = \"quasi\"\n{column}\n[privacy]\nk = 2\n\
             [search]\nalgorithm = \"mondrian\"\n"
        )
    };
    let refused = |column: &str| {
        let error = release(&policy(column), &["c"], &texts(&[&["a"], &["b"]])).err().unwrap();
        assert!(error.to_string().contains("order") || error.to_string().contains("range"), "{error}");
        codes(&error).join(", ")
    };
    assert_eq!(refused("form = \"range\""), "policy.form-without-order");
    let natural = "form = \"range\"\nhierarchy = { order = { fanout = [2] } }";
    assert_eq!(refused(natural), "policy.form-without-order");
    let interval = "form = \"interval\"\nhierarchy = { order = { values = [\"a\", \"b\"] } }";
    assert_eq!(refused(interval), "table.not-a-finite-number");
    let mistaken = "hierarchy = { order = { values = [\"a\", \"b\", \"a - b\"] } }";
    assert_eq!(refused(mistaken), "policy.value-reads-as-range");
    let level = "hierarchy = { order = { values = [\"a\", \"b\"] } }\nmin_level = 1";
    assert_eq!(refused(level), "search.form-without-min-level");
}

/// Texts that contain what ranges are made of; `a - b` is not a range of two others.
const VALUES: [&str; 7] = ["low", "a - b", "c, d", "\"q\"", "- e", "f*", "high"];
const ALGORITHMS: [&str; 7] =
    ["mondrian", "k-similar", "boxes", "mdav", "greedy", "partition", "cell-mingen"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Every cell is true by the order, every class is large enough, the verifier agrees (`release`
    /// fails otherwise), and a reader of the release finds the losses of the certificate.
    #[test]
    fn cells_are_true_in_all_methods(
        order in Just(VALUES.to_vec()).prop_shuffle(),
        rows in prop::collection::vec((0..8usize, 0..8usize, 0..5usize), 3..24),
        at in 0..ALGORITHMS.len(),
        groups: bool,
        loss in prop::sample::select(vec!["lm", "prec", "entropy"]),
    ) {
        let listed = serde_json::to_string(&order).unwrap();
        let groups = if groups { ", fanout = [2, 2]" } else { "" };
        let policy = format!(
            "version = 1\n[input]\npath = \"t.csv\"\n[output]\nkeep_order = true\n\
             [columns.c]\nrole = \"quasi\"\nform = \"range\"\nhierarchy = {{ order = {{ values = {listed}{groups} }} }}\n\
             [columns.d]\nrole = \"quasi\"\nform = \"range\"\nhierarchy = {{ order = {{ values = {listed} }} }}\n\
             [columns.n]\nrole = \"quasi\"\n[privacy]\nk = 3\n[search]\nalgorithm = \"{}\"\nloss = \"{loss}\"\n",
            ALGORITHMS[at]
        );
        // An exact search takes exponential time.
        let most = if ALGORITHMS[at] == "cell-mingen" { 8 } else { 24 };
        let cell = |at: usize| order.get(at).map(|value| (*value).to_owned());
        let rows: Vec<Row> =
            rows.into_iter().take(most).map(|(c, d, n)| vec![cell(c), cell(d), Some(n.to_string())]).collect();
        let released = release(&policy, &["c", "d", "n"], &rows).unwrap();
        let shown = released.table.rows();
        prop_assert_eq!(shown.len(), rows.len());
        let place = |value: &str| order.iter().position(|listed| *listed == value).unwrap();
        let is_true = |cell: &Option<String>, value: &Option<String>| match (cell.as_deref(), value) {
            (Some("*"), _) => true,
            (Some(text), Some(value)) => match Cell::parse(text) {
                _ if text == value => true,
                Cell::Range(first, last) => (place(&first)..=place(&last)).contains(&place(value)),
                _ => false,
            },
            (cell, value) => cell == value.as_deref(),
        };
        for (row, original) in shown.iter().zip(&rows) {
            for column in 0..2 {
                prop_assert!(is_true(&row[column], &original[column]), "{:?} for {:?}", row, original);
            }
        }
        prop_assert!(counted(shown).values().all(|&count| count >= 3), "{:?}", shown);
        let names = ["c", "d", "n"].map(String::from).to_vec();
        let found = measure(&Inputs {
            policy: &Policy::parse(&policy).unwrap(),
            original: &Table::new(names.clone(), rows).unwrap(),
            release: &Table::new(names, shown.to_vec()).unwrap(),
            rows: Correspondence::Order,
            starred: false,
            load: &|_| unreachable!(),
            watch: &Watch::none(),
        })
        .unwrap();
        let claimed: &BTreeMap<String, f64> = &released.certificate.release.loss;
        for (loss, value) in claimed {
            let read = found.loss[loss];
            prop_assert!((read - value).abs() <= 1e-9 * value.abs().max(1.0), "{}: {} {}", loss, read, value);
        }
    }
}
