//! Policies: what is read, and what every mistake is told.

use throng::error::Error;
use throng::policy::{Missing, Policy, Role};

const GOOD: &str = r#"
version = 1
[input]
path = "patients.csv"
delimiter = ";"
null = ["", "NA"]
missing = "wildcard"
[output]
path = "release.parquet"
[columns.ssn]
role = "identifier"
[columns.age]
role = "quasi"
hierarchy = { intervals = { widths = [5, 10, 20], low = 0, high = 100 } }
max_level = 2
weight = 2.0
[columns.zip]
role = "quasi"
hierarchy = { mask = { from = "right" } }
[columns.diagnosis]
role = "sensitive"
[privacy]
k = 5
suppression = 0.05
[privacy.quasi.voters]
columns = ["age", "zip"]
k = 10
[search]
loss = { name = "lm", aggregate = "geometric" }
linked = [["age", "zip"]]
"#;

fn wrong(from: &str, to: &str) -> Error {
    assert!(GOOD.contains(from), "{from}");
    Policy::parse(&GOOD.replace(from, to)).expect_err(to)
}

/// Replaces part of the good policy; the error must say these things.
fn says(from: &str, to: &str, parts: &[&str]) {
    let error = wrong(from, to);
    for part in parts {
        assert!(error.to_string().contains(part), "{to}: {error} lacks {part}");
    }
}

#[test]
fn a_policy_is_read_and_written() {
    let policy = Policy::parse(GOOD).unwrap();
    assert_eq!(policy.input.missing, Missing::Wildcard);
    assert_eq!(policy.with_role(Role::Quasi), ["age", "zip"]);
    assert_eq!(policy.privacy.quasi["voters"].k, 10);
    assert_eq!(Policy::parse(&policy.to_toml().unwrap()).unwrap(), policy);
}

#[test]
fn mistakes_are_named_with_their_remedy() {
    says("version = 1", "version = 2", &["version", "version = 1"]);
    says("role = \"sensitive\"", "role = \"sensible\"", &["sensible", "sensitive"]);
    says("max_level = 2", "max_levle = 2", &["max_levle", "max_level"]);
    says("suppression = 0.05", "suppression = 5", &["privacy.suppression", "0.05 is 5 %"]);
    says("k = 5", "k = 0", &["privacy.k", "1 or more"]);
    says(
        "role = \"sensitive\"",
        "role = \"sensitive\"\nmax_level = 1",
        &["columns.diagnosis.max_level", "role = \"quasi\""],
    );
    says(
        "columns = [\"age\", \"zip\"]",
        "columns = [\"age\", \"zap\"]",
        &["privacy.quasi.voters.columns", "did you mean `zip`?"],
    );
    says("columns = [\"age\", \"zip\"]", "columns = [\"age\", \"ssn\"]", &["role \"identifier\""]);
    says("linked = [[\"age\", \"zip\"]]", "linked = [[\"age\"]]", &["search.linked", "two or more"]);
    says("weight = 2.0", "weight = -1.0", &["columns.age.weight", "0 or more"]);
    says("delimiter = \";\"", "delimiter = \"é\"", &["input.delimiter", "ASCII"]);
    says("path = \"release.parquet\"", "path = \"release.xls\"", &["output.path", ".parquet"]);
    says("mask =", "masc =", &["masc", "mask"]);
}

#[test]
fn several_mistakes_are_told_at_once_each_at_its_place() {
    let text = GOOD.replace("k = 5", "k = 0").replace("weight = 2.0", "weight = -2.0").replace("0.05", "7.0");
    let error = Policy::parse(&text).unwrap_err();
    assert_eq!(error.faults().len(), 3);
    for fault in error.faults() {
        let span = fault.place.span.clone().expect("a place in the text");
        assert!(["0", "-2.0", "7.0"].contains(&&text[span]), "{fault:?}");
    }
}

#[test]
fn a_table_must_fit() {
    let policy = Policy::parse(GOOD).unwrap();
    let columns = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
    policy.bind(&columns(&["ssn", "age", "zip", "diagnosis"])).unwrap();
    let error = policy.bind(&columns(&["ssn", "Age", "zip", "diagnosis", "note"])).unwrap_err().to_string();
    for part in ["columns.age", "did you mean `Age`?", "`Age`, `note`", "\"identifier\" | \"quasi\""] {
        assert!(error.contains(part), "{error} lacks {part}");
    }
}
