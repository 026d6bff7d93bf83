//! Preferences among minimal nodes, and choices of the column that Mondrian cuts [De Spoelberch,
//! algorithms 1 and 3] against `preferences.py`.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{Row, cases, codes, counted, recorded, release};

const FOUND: &str = include_str!("preferences.jsonl");

#[derive(Deserialize)]
struct Case {
    policy: String,
    rows: Vec<Row>,
    levels: Option<BTreeMap<String, usize>>,
    released: Option<Vec<Row>>,
}

#[test]
fn releases_are_those_of_the_script() {
    let (mut nodes, mut regions) = (0, 0);
    for (line, Case { policy, rows, levels, released }) in cases(FOUND) {
        let names: Vec<String> = (0..rows[0].len()).map(|at| format!("c{at}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let found = match release(&policy, &names, &rows) {
            Ok(found) => found,
            Err(error) => {
                assert!(levels.is_none() && released.is_none(), "{error} in {line}");
                assert_eq!(codes(&error), ["search.no-safe-node"], "{line}");
                continue;
            }
        };
        if let Some(released) = released {
            assert_eq!(counted(found.table.rows()), counted(&released), "{line}");
            regions += 1;
        } else {
            assert_eq!(Some(&found.certificate.release.levels), levels.as_ref(), "{line}");
            nodes += 1;
        }
    }
    assert!(nodes > 100 && regions == 100, "{nodes} nodes, {regions} tables in regions");
}

#[test]
fn the_script_writes_what_is_recorded() {
    recorded("preferences.py", FOUND);
}
