//! Rare values [Katirai 2006] against `rare.py`, and the village of his example.

use proptest::prelude::*;
use serde::Deserialize;
use throng::registry::Algorithm;
use throng::release::DeletedFacts;

use super::{Row, cases, codes, counted, recorded, release, row};

const FOUND: &str = include_str!("rare.jsonl");

#[derive(Deserialize)]
struct Case {
    policy: String,
    rows: Vec<Row>,
    error: Option<String>,
    #[serde(default)]
    released: Vec<Row>,
    #[serde(default)]
    withheld: u64,
    deleted: Option<DeletedFacts>,
}

#[test]
fn releases_are_those_of_the_script() {
    let (mut rows, mut cells) = (0, 0);
    for (line, case) in cases::<Case>(FOUND) {
        // The script searches levels.
        let policy = format!("{}[search]\nalgorithm = \"auto\"\nloss = \"entropy\"\n", case.policy);
        let found = release(&policy, &["q1", "q2", "s", "w"], &case.rows);
        if let Some(error) = &case.error {
            let found = found.err().unwrap_or_else(|| panic!("{error} in {line}"));
            assert!(codes(&found).iter().all(|code| code == error), "{found}, not {error} in {line}");
            continue;
        }
        let found = found.unwrap_or_else(|error| panic!("{error} in {line}"));
        let facts = &found.certificate.release;
        assert_eq!(counted(found.table.rows()), counted(&case.released), "{line}");
        assert_eq!((facts.withheld, &facts.deleted), (case.withheld, &case.deleted), "{line}");
        assert_eq!((facts.rows, facts.output.rows), (case.rows.len() as u64, case.released.len() as u64));
        let deleted = facts.deleted.as_ref().unwrap();
        rows += deleted.rows;
        cells += deleted.cells.values().sum::<u64>();
    }
    assert!(rows > 50 && cells > 100, "{rows} rows and {cells} cells were deleted");
}

#[test]
fn the_script_writes_what_is_recorded() {
    recorded("rare.py", FOUND);
}

/// A class of nine flu and one rare value, six with a cold, six more with flu.
fn one_rare() -> Vec<Row> {
    let class = |name: &str, illness: &str, rows: usize| vec![row(&format!("{name} {illness}")); rows];
    [class("x", "flu", 9), class("x", "RARE", 1), class("y", "cold", 6), class("z", "flu", 6)].concat()
}

fn asking(models: &str, more: &str) -> String {
    format!(
        "version = 1\n[input]\npath = \"t.csv\"\n[columns.place]\nrole = \"quasi\"\nmax_level = 0\n\
         [columns.ill]\nrole = \"sensitive\"\n[privacy]\nk = 3\n{more}models = [{{ rare_values = {{ k = 3{models} }} }}]\n"
    )
}

#[test]
fn a_rare_value_costs_a_cell_or_a_row_and_never_its_class() {
    let rows = one_rare();
    let released = |models: &str, more: &str| release(&asking(models, more), &["place", "ill"], &rows);
    let cells = released("", "").unwrap();
    assert_eq!(cells.table.rows().len(), 22);
    assert_eq!(counted(cells.table.rows())[&row("x -")], 1);
    let facts = &cells.certificate.release;
    assert_eq!((facts.withheld, facts.deleted.as_ref().unwrap().cells["ill"]), (0, 1));
    assert_eq!(facts.privacy["rare values"].achieved, Some(6.0));

    let deleted = released(", delete = \"rows\"", "suppression = 0.1\n").unwrap();
    let facts = &deleted.certificate.release;
    assert_eq!((deleted.table.rows().len(), facts.withheld, facts.suppressed), (21, 1, 1));
    assert_eq!(facts.deleted, Some(DeletedFacts { rows: 1, cells: [].into() }));
    assert!(!deleted.table.rows().contains(&row("x -")));
    // The row counts as suppressed.
    let refused = released(", delete = \"rows\"", "suppression = 0.04\n").unwrap_err();
    assert_eq!(codes(&refused), ["model.too-many-rare-rows"]);

    // In the release, the whole class has to go.
    let strict = released(", judge = \"release\"", "suppression = 0.5\n").unwrap();
    let facts = &strict.certificate.release;
    assert_eq!((facts.withheld, &facts.deleted), (10, &None));
    assert!(facts.privacy.contains_key("rare values in the release"));
}

/// Nineteen people of one race and one of another, of ages by which they are clustered.
fn village() -> Vec<Row> {
    let person = |i: usize| row(&format!("{} {}", if i == 7 { "black" } else { "white" }, 20 + i));
    (0..20).map(person).collect()
}

fn of_village(delete: &str, algorithm: &str) -> String {
    format!(
        "version = 1\n[input]\npath = \"t.csv\"\n[columns.race]\nrole = \"quasi\"\n\
         [columns.age]\nrole = \"quasi\"\nform = \"interval\"\n[privacy]\nk = 3\nsuppression = 0.1\n\
         models = [{{ rare_values = {{ k = 3, columns = [\"race\"], delete = \"{delete}\" }} }}]\n\
         [search]\nalgorithm = \"{algorithm}\"\n"
    )
}

#[test]
fn in_the_village_nobody_is_found_by_a_rare_race() {
    let methods = |algorithm: &Algorithm| algorithm.forms_regions() && !algorithm.entry().small_tables;
    for algorithm in Algorithm::k_anonymous().filter(methods) {
        let gone = release(&of_village("rows", algorithm.key()), &["race", "age"], &village()).unwrap();
        // Without the row nothing is left to suppress: every race is shown.
        let race = |row: &Row| row[0].as_deref() == Some("white");
        assert!(gone.table.rows().iter().all(race), "{algorithm}: {:?}", gone.table.rows());
        assert!(gone.certificate.release.withheld >= 1 && gone.verdict.holds());
        // Without the cell, the person is in a class of three or more whose race is not shown.
        let blank = release(&of_village("cells", algorithm.key()), &["race", "age"], &village()).unwrap();
        let hidden = blank.table.rows().iter().filter(|row| row[0].as_deref() != Some("white")).count();
        assert!(hidden >= 3 && blank.verdict.holds(), "{algorithm}: {:?}", blank.table.rows());
        assert_eq!(blank.certificate.release.deleted.as_ref().unwrap().cells["race"], 1);
        let black = |row: &Row| row.iter().flatten().any(|cell| cell.contains("black"));
        assert!(!blank.table.rows().iter().any(black), "{algorithm}");
    }
}

#[test]
fn deletion_goes_with_every_algorithm_and_with_cells() {
    let rows = prop::collection::vec(
        (0..7usize, prop::sample::select(vec!["a", "a", "a", "b", "b", "c", "d"]), 0..9usize),
        12..40,
    );
    let policy = |algorithm: Algorithm, delete: &str, suppressed: &str| {
        format!(
            "version = 1\n[input]\npath = \"t.csv\"\n[output]\nsuppressed = \"{suppressed}\"\n\
             [columns.age]\nrole = \"quasi\"\nform = \"interval\"\n[columns.place]\nrole = \"quasi\"\n\
             [columns.ill]\nrole = \"sensitive\"\n[privacy]\nk = 2\nsuppression = 0.9\n\
             models = [{{ rare_values = {{ k = 3, delete = \"{delete}\" }} }}]\n\
             [search]\nalgorithm = \"{algorithm}\"\n"
        )
    };
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(24));
    let tested = runner.run(&rows, |rows| {
        let table: Vec<Row> =
            rows.iter().map(|(age, place, ill)| row(&format!("{age} {place} i{ill}"))).collect();
        let count =
            |at: usize, cell: &str| table.iter().filter(|row| row[at].as_deref() == Some(cell)).count();
        for (algorithm, delete) in Algorithm::k_anonymous().flat_map(|a| [(a, "cells"), (a, "rows")]) {
            let suppressed = if algorithm.forms_regions() { "dropped" } else { "cells" };
            let mut policy = policy(algorithm, delete, suppressed);
            if !algorithm.forms_regions() {
                policy = policy.replace("form = \"interval\"\n", "");
            }
            let columns = ["age", "place", "ill"];
            let Ok(released) = release(&policy, &columns, &table) else { continue };
            for row in released.table.rows() {
                for (at, cell) in row.iter().enumerate() {
                    let shown = cell.as_deref().filter(|cell| count(at, cell) > 0);
                    prop_assert!(shown.is_none_or(|cell| count(at, cell) >= 3), "{:?} by {}", row, algorithm);
                }
            }
        }
        Ok(())
    });
    tested.unwrap();
}
