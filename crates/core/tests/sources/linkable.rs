//! Sensitive columns that somebody can link on [Xiang 2014] against `linkable.py`, and the salary
//! and the diagnosis of the paper.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{Row, cases, codes, counted, recorded, release, row};

const FOUND: &str = include_str!("linkable.jsonl");

#[derive(Deserialize)]
struct Case {
    policy: String,
    rows: Vec<Row>,
    error: Option<String>,
    #[serde(default)]
    levels: BTreeMap<String, usize>,
    #[serde(default)]
    released: Vec<Row>,
    #[serde(default)]
    withheld: u64,
    #[serde(default)]
    figures: BTreeMap<String, f64>,
}

#[test]
fn releases_are_those_of_the_script() {
    let mut found_levels = [0; 3];
    for (line, case) in cases::<Case>(FOUND) {
        let found = release(&case.policy, &["q", "s", "z", "w"], &case.rows);
        if let Some(error) = &case.error {
            let found = found.err().unwrap_or_else(|| panic!("{error} in {line}"));
            assert!(codes(&found).iter().all(|code| code == error), "{found}, not {error} in {line}");
            continue;
        }
        let found = found.unwrap_or_else(|error| panic!("{error} in {line}"));
        let facts = &found.certificate.release;
        assert_eq!((&facts.levels, facts.withheld), (&case.levels, case.withheld), "{line}");
        assert_eq!(counted(found.table.rows()), counted(&case.released), "{line}");
        for (claim, figure) in &case.figures {
            let stated = &facts.privacy[claim];
            let achieved = stated.achieved.unwrap();
            assert!(
                stated.holds && (achieved - figure).abs() <= 1e-9 * figure.abs().max(1.0),
                "{claim}: {line}"
            );
        }
        found_levels[case.levels["s"]] += 1;
    }
    assert!(found_levels.iter().all(|&cases| cases > 10), "{found_levels:?}: every level is chosen");
}

#[test]
fn the_script_writes_what_is_recorded() {
    recorded("linkable.py", FOUND);
}

fn clinic(salary: &str, models: &str) -> String {
    format!(
        "version = 1\n[input]\npath = \"t.csv\"\n[columns.town]\nrole = \"quasi\"\nmax_level = 0\n\
         [columns.salary]\nrole = \"{salary}\"\n{}\
         [columns.ill]\nrole = \"sensitive\"\n[privacy]\nk = 2\nmodels = [{models}]\n[search]\nloss = \"height\"\n",
        if salary == "quasi" { "hierarchy = { mask = { from = \"right\" } }\n" } else { "" }
    )
}

/// Four people of one town. Who knows that somebody earns 51 knows the diagnosis, where the salary is
/// taken for a value that nobody knows; where somebody can link on it, it is generalized until the
/// diagnosis is hidden among k.
#[test]
fn a_known_salary_does_not_disclose_a_diagnosis() {
    let rows: Vec<Row> = ["Ulm 51 flu", "Ulm 52 gout", "Ulm 61 flu", "Ulm 62 gout"].map(row).into();
    let columns = ["town", "salary", "ill"];
    let ill = "{ l_diversity = { column = \"ill\", l = 2 } }";
    let salary = "{ l_diversity = { column = \"salary\", l = 2 } }";
    let open = release(&clinic("sensitive", &format!("{ill}, {salary}")), &columns, &rows).unwrap();
    assert!(open.table.rows().contains(&row("Ulm 51 flu")));
    let both = release(&clinic("quasi", &format!("{ill}, {salary}")), &columns, &rows).unwrap();
    let expected: Vec<Row> = ["Ulm 5* flu", "Ulm 5* gout", "Ulm 6* flu", "Ulm 6* gout"].map(row).into();
    assert_eq!(counted(both.table.rows()), counted(&expected));
    let facts = &both.certificate.release;
    assert_eq!(facts.levels["salary"], 1);
    assert_eq!(facts.privacy["distinct l-diversity: salary"].achieved, Some(2.0));
    assert_eq!(facts.privacy["distinct l-diversity: ill"].achieved, Some(2.0));
    // Without the salary's own model, k alone decides its level, and one label would do.
    let three = salary.replace("l = 2", "l = 3");
    let none = release(&clinic("quasi", &format!("{ill}, {three}")), &columns, &rows).unwrap_err();
    assert_eq!(codes(&none), ["search.no-safe-node"], "two labels of two values each");
}

#[test]
fn what_is_not_defined_for_labels_is_refused_by_name() {
    let rows: Vec<Row> = ["Ulm 51 flu", "Ulm 52 gout", "Ulm 61 flu"].map(row).into();
    let refused = |models: &str, more: &str| {
        let policy = format!("{}{more}", clinic("quasi", models));
        codes(&release(&policy, &["town", "salary", "ill"], &rows).unwrap_err()).join(" ")
    };
    let no_labels = "model.not-for-quasi-identifiers";
    for model in [
        "{ k_e = { column = \"salary\", e = 5 } }",
        "{ ck_safety = { column = \"salary\", c = 0.8, knowledge = 1 } }",
        "{ m_confidentiality = { column = \"salary\", m = 2 } }",
        "{ personalized = { column = \"salary\", guard = \"ill\", breach = 0.5 } }",
        "{ t_closeness = { column = \"salary\", distance = \"ordered\", t = 0.5 } }",
        "{ n_t_closeness = { column = \"salary\", n = 2, distance = \"hierarchical\", t = 0.5 } }",
        "{ alpha_k = { column = \"salary\", alpha = 0.5, values = [\"51\"] } }",
    ] {
        assert!(refused(model, "").contains(no_labels), "{model}: {}", refused(model, ""));
    }
    let salary = "{ l_diversity = { column = \"salary\", l = 2 } }";
    let several = "model.quasi-identifier-at-several-levels";
    assert_eq!(refused(salary, "local = true\n"), several);
    assert_eq!(refused(salary, "[output]\nsuppressed = \"cells\"\n"), several);
    let regions =
        clinic("quasi", salary).replace("loss = \"height\"", "algorithm = \"mondrian\"\nloss = \"lm\"");
    let regions = regions.replace("max_level = 0\n", "");
    let refused = release(&regions, &["town", "salary", "ill"], &rows).unwrap_err();
    assert_eq!(codes(&refused), [several]);
    let tags = clinic("quasi", salary).replace("loss = \"height\"", "loss = \"height\"\nalgorithm = \"ola\"");
    let refused = release(&tags, &["town", "salary", "ill"], &rows).unwrap_err();
    assert_eq!(codes(&refused), ["search.needs-monotone-models"]);
}
