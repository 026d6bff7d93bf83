//! Recipient and linking profiles of Datafly II and k-Similar [Sweeney 2001, 6.2 and 6.4] against
//! `profiles.py`.

use std::collections::BTreeMap;

use serde::Deserialize;
use throng::policy::{Policy, Role};

use super::{Row, cases, codes, counted, recorded, release, row};

const FOUND: &str = include_str!("profiles.jsonl");

#[derive(Deserialize)]
struct Case {
    policy: String,
    rows: Vec<Row>,
    unchanged: Vec<String>,
    nodes: Vec<BTreeMap<String, usize>>,
}

#[test]
fn datafly_ends_where_the_script_does() {
    let (mut found, mut ties) = (0, 0);
    for (line, Case { policy, rows, unchanged, nodes }) in cases(FOUND) {
        let names: Vec<String> = (0..rows[0].len()).map(|at| format!("c{at}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let released = match release(&policy, &names, &rows) {
            Ok(released) => released,
            Err(error) => {
                assert!(nodes.is_empty(), "{error} in {line}");
                assert_eq!(codes(&error), ["search.no-safe-node"], "{line}");
                continue;
            }
        };
        let levels = &released.certificate.release.levels;
        assert!(nodes.contains(levels), "{levels:?} in {line}");
        (found, ties) = (found + 1, ties + usize::from(nodes.len() > 1));
        // Cells of a column that nobody links on are those of the table.
        let (withheld, output) = (released.certificate.release.withheld, released.table.rows());
        for at in unchanged.iter().map(|name| names.iter().position(|n| n == name).unwrap()) {
            let cells =
                |rows: &[Row]| counted(&rows.iter().map(|row| vec![row[at].clone()]).collect::<Vec<_>>());
            let (before, after) = (cells(&rows), cells(output));
            assert!(after.iter().all(|(cell, count)| before.get(cell).is_some_and(|n| n >= count)), "{line}");
            assert_eq!(after.values().sum::<usize>() as u64, rows.len() as u64 - withheld);
        }
    }
    assert!(found > 100 && ties > 0, "{found} releases, {ties} with ties");
}

#[test]
fn the_script_writes_what_is_recorded() {
    recorded("profiles.py", FOUND);
}

fn four_rows(algorithm: &str, sex: &str, age: &str) -> String {
    format!(
        "version = 1\n[input]\npath = \"t.csv\"\n[columns.sex]\nrole = \"quasi\"\ntolerance = {sex}\n\
         [columns.age]\nrole = \"quasi\"\nhierarchy = {{ order = {{ values = [\"30\", \"40\"], fanout = [2] }} }}\n\
         max_level = 1\ntolerance = {age}\n[privacy]\nk = 2\nsuppression = 0\n[search]\nalgorithm = \"{algorithm}\"\n"
    )
}

#[test]
fn a_preference_forbids_nothing_and_decides_ties() {
    let rows: Vec<Row> = ["M 30", "F 30", "M 40", "F 40"].map(row).to_vec();
    for algorithm in ["datafly", "k-similar"] {
        for (sex, age) in [("0.9", "0.95"), ("0.95", "0.9"), ("0", "0.5"), ("0.5", "0"), ("0", "0")] {
            let released = release(&four_rows(algorithm, sex, age), &["sex", "age"], &rows).unwrap();
            let shows = |at: usize, cells: &[&str]| {
                released.table.rows().iter().all(|row| cells.contains(&row[at].as_deref().unwrap()))
            };
            let (sexes, ages) = (shows(0, &["M", "F"]), shows(1, &["30", "40"]));
            assert!(sexes != ages, "{algorithm}: one column has to go, and one is enough");
            if sex != age {
                assert_eq!(sexes, sex < age, "{algorithm}: the one with less tolerance stays");
            }
        }
    }
}

#[test]
fn a_column_that_nobody_links_on_is_kept() {
    let text = four_rows("datafly", "0.5", "0.5").replace("[columns.age]", "linking = 0\n[columns.age]");
    let policy = Policy::parse(&text).unwrap();
    assert_eq!((policy.columns["sex"].role, policy.columns["age"].role), (Role::Keep, Role::Quasi));
    assert_eq!(Policy::parse(&policy.to_toml().unwrap()).unwrap(), policy);
    let rows: Vec<Row> = ["M 30", "F 30", "M 40", "F 40"].map(row).to_vec();
    let released = release(&text, &["sex", "age"], &rows).unwrap();
    assert_eq!(counted(released.table.rows()), counted(&rows), "k = 2 holds over age alone");
}

#[test]
fn what_contradicts_a_linking_of_0_is_refused() {
    let base = four_rows("datafly", "0.5", "0.5");
    let sex = |more: &str| base.replace("[columns.age]", &format!("{more}\n[columns.age]"));
    let group = "[privacy.quasi.g]\ncolumns = [\"sex\", \"age\"]\nk = 2\nlinking =";
    let grouped =
        |text: &str, linking: &str| text.replace("[search]", &format!("{group} {linking}\n[search]"));
    for (text, code) in [
        (sex("linking = 0\nmin_level = 1"), "policy.unlinked-column-generalized"),
        (
            sex("linking = 0").replace("[search]", "[search]\nlinked = [[\"sex\", \"age\"]]"),
            "policy.unlinked-column-generalized",
        ),
        (
            sex("linking = 0") + "[columns.age2]\nrole = \"drop\"\nlinking = 0\n",
            "policy.column-not-generalized",
        ),
        (sex("linking = 0").replace("max_level = 1", "max_level = 1\nlinking = 0"), "policy.nothing-linked"),
        (grouped(&sex("linking = 0"), "{ sex = 0.5 }"), "policy.linking-contradicts-group"),
        (grouped(&base, "{ zip = 0.5 }"), "policy.linking-outside-group"),
        (grouped(&base, "{ sex = 0, age = 0 }"), "policy.group-without-links"),
        (grouped(&base, "{ sex = 1.5 }"), "policy.profile-out-of-range"),
        (
            grouped(&base, "{ sex = 0.5 }").replace("datafly", "k-similar"),
            "policy.algorithm-without-profiles",
        ),
        (
            grouped(&base, "{ sex = 0 }").replace("k = 2\nsuppression", "suppression"),
            "policy.column-linked-in-no-group",
        ),
    ] {
        let error = Policy::parse(&text).expect_err(&text);
        assert!(codes(&error).contains(&code), "{error} is not {code}");
    }
    let group = Policy::parse(&grouped(&base, "{ sex = 0, age = 0.5 }")).unwrap().privacy.quasi["g"].clone();
    assert_eq!(group.columns, ["age"], "nobody links on the other column in this group");
}
