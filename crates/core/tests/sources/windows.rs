//! Levels that do not nest [El Emam 2009; Sweeney 2001, figure 27] against `windows.py`, and
//! MinGen against every node by itself.

use proptest::prelude::*;
use serde::Deserialize;
use throng::error::Result;
use throng::memory::Released;
use throng::registry::Algorithm;

use super::{Row, cases, codes, counted, recorded, release};

const FOUND: &str = include_str!("windows.jsonl");

#[derive(Deserialize)]
struct Case {
    policy: String,
    rows: Vec<Row>,
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    levels: Vec<usize>,
    loss: f64,
    rows: Vec<Row>,
}

#[test]
fn releases_are_those_of_the_script() {
    for (line, case) in cases::<Case>(FOUND) {
        let names: Vec<String> = (0..case.rows[0].len()).map(|at| format!("c{at}")).collect();
        let columns: Vec<&str> = names.iter().map(String::as_str).collect();
        let found = release(&case.policy, &columns, &case.rows).unwrap_or_else(|e| panic!("{e} in {line}"));
        let facts = &found.certificate.release;
        let levels: Vec<usize> = names.iter().map(|name| facts.levels[name]).collect();
        let node = case.nodes.iter().find(|node| node.levels == levels);
        let node = node.unwrap_or_else(|| panic!("{levels:?} in {line}"));
        assert_eq!(counted(found.table.rows()), counted(&node.rows), "{line}");
        let loss = facts.loss[if case.policy.contains("\"lm\"") { "lm" } else { "prec" }];
        assert!((loss - node.loss).abs() < 1e-9, "{loss}, not {} in {line}", node.loss);
    }
}

#[test]
fn the_script_writes_what_is_recorded() {
    recorded("windows.py", FOUND);
}

const HEIGHTS: [usize; 3] = [4, 4, 1];
const LEAST: &str = "[search]\nalgorithm = \"mingen\"\n";

/// Ages in windows of 2, 3 and 5 years, dates by week, month and 5 months, and a city.
fn policy(search: &str, more: &str, node: Option<[usize; 3]>) -> String {
    let limits = |at: usize| match node {
        Some(levels) => format!("min_level = {}\nmax_level = {}\n", levels[at], levels[at]),
        None => String::new(),
    };
    format!(
        "version = 1\n[input]\npath = \"t.csv\"\n\
         [columns.age]\nrole = \"quasi\"\nhierarchy = {{ intervals = {{ widths = [2, 3, 5], nested = false }} }}\n{}\
         [columns.day]\nrole = \"quasi\"\nhierarchy = {{ date = {{ levels = [\"week\", \"month\", \"5-month\"], nested = false }} }}\n{}\
         [columns.city]\nrole = \"quasi\"\n{}[columns.ill]\nrole = \"target\"\n\
         [privacy]\nk = 3\nsuppression = 0.1\n{more}{search}",
        limits(0),
        limits(1),
        limits(2)
    )
}

fn table() -> impl Strategy<Value = Vec<Row>> {
    let row = (0..20u32, 1..13u32, 1..29u32, 0..2usize, 0..2usize);
    let cells = |(age, month, day, city, ill): (u32, u32, u32, usize, usize)| -> Row {
        let day = (day != 28).then(|| format!("2021-{month:02}-{day:02}"));
        vec![Some(age.to_string()), day, Some(["a", "b"][city].into()), Some(["yes", "no"][ill].into())]
    };
    prop::collection::vec(row.prop_map(cells), 10..60)
}

fn released(policy: &str, rows: &[Row]) -> Result<Released> {
    release(policy, &["age", "day", "city", "ill"], rows)
}

fn nodes() -> impl Iterator<Item = [usize; 3]> {
    let of = |at: usize| 0..=HEIGHTS[at];
    of(0).flat_map(move |a| of(1).flat_map(move |b| of(2).map(move |c| [a, b, c])))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// A node by itself is formed from the table and not from another node. Every release is
    /// verified, with all its losses.
    #[test]
    fn mingen_finds_the_best_of_all_nodes(
        rows in table(),
        loss in prop::sample::select(vec!["lm", "entropy", "prec", "conditional-entropy", "value-mi", "dm"]),
    ) {
        let search = format!("{LEAST}loss = \"{loss}\"\n");
        let best = released(&policy(&search, "", None), &rows).unwrap();
        let facts = &best.certificate.release;
        prop_assert_eq!(facts.search.checked, 50);
        prop_assert!(facts.search.optimal);
        let mut least = f64::INFINITY;
        for node in nodes() {
            match released(&policy(&search, "", Some(node)), &rows) {
                Ok(alone) => {
                    least = least.min(alone.certificate.release.loss[loss]);
                    let levels = ["age", "day", "city"].map(|name| facts.levels[name]);
                    if levels == node {
                        prop_assert_eq!(counted(alone.table.rows()), counted(best.table.rows()));
                        for (name, &value) in &facts.loss {
                            let own = alone.certificate.release.loss[name];
                            prop_assert!((own - value).abs() <= 1e-9 * value.abs().max(1.0), "{}", name);
                        }
                    }
                }
                Err(error) => prop_assert!(codes(&error).contains(&"search.no-safe-node"), "{}", error),
            }
        }
        prop_assert!((facts.loss[loss] - least).abs() <= 1e-9 * least.abs().max(1.0), "{} {}", facts.loss[loss], least);
    }

    /// What else may use such levels: verified, and safe.
    #[test]
    fn other_searches_are_safe(rows in table(), at in 0..4usize) {
        let cells = "[output]\nsuppressed = \"cells\"\n";
        let (search, more) = [
            ("algorithm = \"datafly\"\nloss = \"lm\"\n", ""),
            ("algorithm = \"mingen\"\nlocal = true\nloss = \"lm\"\n", ""),
            ("algorithm = \"mingen\"\nloss = \"lm\"\n", cells),
            ("algorithm = \"datafly\"\nloss = \"entropy\"\n", cells),
        ][at];
        let text = policy(&format!("{more}[search]\n{search}"), "", None);
        let found = released(&text, &rows).unwrap();
        let quasi = |row: &Row| row[..3].to_vec();
        let classes = counted(&found.table.rows().iter().map(quasi).collect::<Vec<_>>());
        prop_assert!(classes.values().all(|&count| count >= 3), "{:?}", classes);
    }
}

#[test]
fn algorithms_that_conclude_from_other_nodes_refuse_such_levels() {
    let rows = vec![vec![Some("1".into()), None, Some("a".into()), None]; 3];
    for algorithm in Algorithm::k_anonymous() {
        let text = policy(&format!("[search]\nalgorithm = \"{algorithm}\"\nloss = \"lm\"\n"), "", None);
        match released(&text, &rows) {
            Ok(_) => assert!(matches!(algorithm, Algorithm::MinGen | Algorithm::Datafly), "{algorithm}"),
            Err(error) => {
                assert_eq!(codes(&error), ["policy.algorithm-needs-nested-levels"; 2], "{error}");
                let text = error.to_string();
                assert!(text.contains(&format!("\"{algorithm}\" needs levels that nest")), "{text}");
                assert!(text.contains("write algorithm = \"datafly\" or \"mingen\""), "{text}");
                assert!(text.contains("write widths = [2]"), "{text}");
                assert!(text.contains("write levels = [\"week\"]"), "{text}");
            }
        }
    }
    let sensitive = "version = 1\n[input]\npath = \"t.csv\"\n[columns.age]\nrole = \"quasi\"\n\
        [columns.pay]\nrole = \"sensitive\"\nlevel = 1\n\
        hierarchy = { intervals = { widths = [2, 3], nested = false } }\n[privacy]\nk = 2\n";
    let error = release(sensitive, &["age", "pay"], &[]).err().unwrap();
    assert_eq!(codes(&error), ["policy.unnested-levels-of-role"], "{error}");
}
