//! Figures of single rows: their mean is the figure of the table, for every loss that has them, and
//! for releases by levels, steps and regions, with and without suppressed rows.

use std::collections::BTreeMap;

use proptest::prelude::*;
use throng::decide::decide;
use throng::loss::row_losses;
use throng::measure::{Correspondence, Inputs, measure, measure_rows};
use throng::policy::{LossParameters, Policy};
use throng::recoding::{RowClasses, RowCounter};
use throng::registry::{Algorithm, LossKind};
use throng::rows::Table;
use throng::search::{Grouped, Problem};
use throng::table::Dictionary;
use throng::tuples::Tuples;
use throng::watch::Watch;

type Row = [&'static str; 4];

/// Age, place and sex are quasi-identifiers; the outcome is a target.
fn rows() -> impl Strategy<Value = Vec<Row>> {
    let age = prop::sample::select(vec!["21", "22", "35", "36", "57", "58", "90"]);
    let place = prop::sample::select(vec!["0211", "0212", "0310", "0399"]);
    let sex = prop::sample::select(vec!["f", "m"]);
    let outcome = prop::sample::select(vec!["good", "bad"]);
    let row = (age, place, sex, outcome).prop_map(|(a, p, s, o)| [a, p, s, o]);
    prop::collection::vec(row, 12..50)
}

/// The losses that have figures of rows.
const OF_ROWS: [&str; 6] = ["prec", "vinterbo", "column-mi", "value-mi", "lm", "ambiguity"];

fn losses() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "\"entropy\"",
        "\"prec\"",
        "{ name = \"prec\", count_suppressed = true }",
        "{ name = \"prec\", count_suppressed = true, tradeoff = 0.3 }",
        "\"vinterbo\"",
        "\"value-mi\"",
        "{ name = \"lm\", aggregate = \"sum\" }",
        "{ name = \"lm\", count_suppressed = false }",
        "{ name = \"ambiguity\", tradeoff = 0.8 }",
    ])
}

fn policy(algorithm: Algorithm, loss: &str, suppressed: &str) -> String {
    let privacy = match algorithm.entry().k_anonymous {
        true => "k = 3",
        false => "models = [{ k_one = { k = 3 } }]",
    };
    format!(
        "version = 1\n[input]\npath = \"t.csv\"\n[output]\n{suppressed}[columns.age]\nrole = \"quasi\"\nweight = 2.5\n\
         hierarchy = {{ intervals = {{ widths = [10, 50] }} }}\n[columns.place]\nrole = \"quasi\"\n\
         hierarchy = {{ mask = {{}} }}\nmax_level = 2\n[columns.sex]\nrole = \"quasi\"\nweight = 0.5\n\
         [columns.outcome]\nrole = \"target\"\n[privacy]\nsuppression = 0.4\n{privacy}\n\
         [search]\nalgorithm = \"{algorithm}\"\nloss = {loss}\n"
    )
}

/// A table as it is read: grouped, with the codes of its rows.
fn grouped(rows: &[Row]) -> (Grouped, Vec<Vec<u32>>) {
    let mut dictionaries = vec![Dictionary::new(); 4];
    let mut tuples = Tuples::new(4);
    let mut codes = vec![Vec::new(); 3];
    for row in rows {
        let cells = row.iter().zip(&mut dictionaries);
        let tuple: Vec<u32> = cells.map(|(cell, d)| d.add(Some(cell), 1)).collect();
        tuples.insert(&tuple, 1);
        codes.iter_mut().zip(&tuple).for_each(|(codes, &code)| codes.push(code));
    }
    let names = ["age", "place", "sex"].map(String::from).to_vec();
    let measured = vec!["outcome".into()];
    (Grouped { names, measured, dictionaries, tuples, population: None }, codes)
}

/// Column → cells of a CSV text, in order.
fn columns(text: &str) -> BTreeMap<String, Vec<String>> {
    let mut lines = text.lines().map(|line| line.split(',').map(String::from).collect::<Vec<_>>());
    let names = lines.next().unwrap();
    let mut columns = BTreeMap::new();
    for line in lines {
        assert_eq!(line.len(), names.len());
        names
            .iter()
            .zip(line)
            .for_each(|(name, cell)| columns.entry(name.clone()).or_insert_with(Vec::new).push(cell));
    }
    columns
}

fn mean(cells: &[String]) -> f64 {
    cells.iter().map(|cell| cell.parse::<f64>().unwrap()).sum::<f64>() / cells.len() as f64
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * b.abs().max(1.0)
}

fn written(
    write: impl FnOnce(&mut dyn FnMut(&str) -> throng::error::Result<()>) -> throng::error::Result<()>,
) -> String {
    let mut text = String::new();
    write(&mut |part| {
        text.push_str(part);
        Ok(())
    })
    .unwrap();
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn the_mean_over_rows_is_the_certified_figure(
        rows in rows(),
        algorithm in prop::sample::select(Algorithm::ALL.iter().copied().filter(|a| !a.entry().small_tables).collect::<Vec<_>>()),
        loss in losses(),
        cells: bool,
    ) {
        let suppressed = if cells && !algorithm.forms_regions() { "suppressed = \"cells\"\n" } else { "" };
        let Ok(policy) = Policy::parse(&policy(algorithm, loss, suppressed)) else { return Ok(()) };
        let (grouped, codes) = grouped(&rows);
        let (problem, maps) = Problem::new(&policy, grouped, &|_| unreachable!()).unwrap();
        // Methods that measure distances refuse labels, and searches losses that are not monotone.
        let Ok(decision) = decide(&policy, &problem, None, &Watch::none()) else { return Ok(()) };
        let certified = decision.figures(&policy, &problem, &Watch::none()).unwrap().loss;
        let classes = RowClasses::new(&problem.names, &maps, &decision.recoded);
        let of_row = classes.of(codes, &[], &mut RowCounter::default());
        let figures = decision.row_figures(&policy, &problem).unwrap();
        let found = columns(&written(|write| figures.write(&of_row, write)));
        for name in OF_ROWS {
            let mean = mean(&found[name]);
            prop_assert!(close(mean, certified[name]), "{} by {}: {} against {}", name, algorithm, mean, certified[name]);
        }
        let names: Vec<&str> = found.keys().map(String::as_str).collect();
        let mut expected: Vec<&str> = OF_ROWS.iter().copied().chain(["row", "suppressed", "class_size", "precision"]).collect();
        expected.sort_unstable();
        prop_assert_eq!(names, expected);
        let held = found["suppressed"].iter().filter(|cell| *cell == "true").count() as u64;
        prop_assert_eq!(held, decision.recoded.suppressed_rows());
        // Every row of a class has the size of the class.
        let sizes: f64 = found["class_size"].iter().filter(|cell| !cell.is_empty()).map(|cell| 1.0 / cell.parse::<f64>().unwrap()).sum();
        prop_assert!((sizes - decision.recoded.classes().count() as f64).abs() < 1e-9);
        let numbers: Vec<String> = (1..=rows.len()).map(|row| row.to_string()).collect();
        prop_assert_eq!(&found["row"], &numbers);
    }

    /// Losses with other parameters: those that are not means over rows have no figures.
    #[test]
    fn figures_of_rows_follow_the_parameters(rows in rows(), count: bool, tradeoff in 0.1..0.9f64) {
        let policy = Policy::parse(&policy(Algorithm::Auto, "\"prec\"", "")).unwrap();
        let (grouped, _) = grouped(&rows);
        let (problem, _) = Problem::new(&policy, grouped, &|_| unreachable!()).unwrap();
        let Ok(decision) = decide(&policy, &problem, None, &Watch::none()) else { return Ok(()) };
        let price = throng::loss::Price::new(&decision.recoded, &decision.node(&problem));
        let weights = [0.5, 2.0, 1.0];
        for kind in LossKind::of_tables() {
            let plain = LossParameters::new(kind);
            let asked = LossParameters { count_suppressed: Some(count), tradeoff: Some(tradeoff), ..plain };
            for parameters in [plain, asked] {
                let Ok(table) = price.loss(&parameters, &weights) else { continue };
                let of_rows = row_losses(&decision.recoded, &parameters, &weights).unwrap();
                prop_assert_eq!(of_rows.is_some(), OF_ROWS.contains(&kind.key()), "{}", kind);
                let Some(of_rows) = of_rows else { continue };
                let counts = decision.recoded.base().counts();
                let sum: f64 = of_rows.iter().zip(counts).map(|(loss, &count)| loss * f64::from(count)).sum();
                prop_assert!(close(sum / rows.len() as f64, table), "{}: {} {}", kind, sum / rows.len() as f64, table);
            }
        }
    }
}

fn table(rows: &[[&str; 5]]) -> Table {
    let columns = ["id", "age", "place", "sex", "outcome"].map(String::from).to_vec();
    let cells = |row: &[&str; 5]| row.iter().map(|cell| Some((*cell).to_owned())).collect();
    Table::new(columns, rows.iter().map(cells).collect()).unwrap()
}

#[test]
fn rows_of_a_foreign_release_are_measured_in_the_order_of_the_original() {
    let text = policy(Algorithm::Auto, "\"prec\"", "") + "[columns.id]\nrole = \"drop\"\n";
    let policy = Policy::parse(&text).unwrap();
    let original = table(&[
        ["a", "21", "0211", "f", "good"],
        ["b", "22", "0212", "f", "bad"],
        ["c", "57", "0310", "m", "bad"],
        ["d", "58", "0399", "m", "bad"],
        ["e", "90", "0399", "m", "good"],
    ]);
    // In another order, and without row e.
    let release = table(&[
        ["d", "*", "03**", "m", "bad"],
        ["a", "[20, 30)", "021*", "f", "good"],
        ["c", "*", "03**", "m", "bad"],
        ["b", "[20, 30)", "021*", "f", "bad"],
    ]);
    let watch = Watch::none();
    let inputs = |rows| Inputs {
        policy: &policy,
        original: &original,
        release: &release,
        rows,
        starred: false,
        load: &|_| unreachable!(),
        watch: &watch,
    };
    let (measures, rows) = measure_rows(&inputs(Correspondence::Key("id"))).unwrap();
    assert_eq!(measures, measure(&inputs(Correspondence::Key("id"))).unwrap());
    let found = columns(&written(|write| rows.write(write)));
    assert_eq!(found["suppressed"], ["false", "false", "false", "false", "true"]);
    assert_eq!(found["class_size"], ["2", "2", "2", "2", ""]);
    // 1 − (1/3 + 1/4 + 0) / 3, and 1 − (1 + 1/2 + 0) / 3.
    let precision: Vec<f64> = found["precision"].iter().map(|cell| cell.parse().unwrap()).collect();
    let expected = [1.0 - 7.0 / 36.0, 1.0 - 7.0 / 36.0, 0.5, 0.5];
    assert!(precision.iter().zip(expected).all(|(a, b)| close(*a, b)), "{precision:?}");
    for name in OF_ROWS.iter().filter(|name| measures.loss.contains_key(**name)) {
        assert!(close(mean(&found[*name]), measures.loss[*name]), "{name}");
    }
    let error = measure_rows(&inputs(Correspondence::None)).unwrap_err();
    assert!(error.has_code("measure.rows-do-not-correspond"), "{error}");
}
