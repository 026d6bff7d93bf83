//! `throng risk`: what it tells, and what it refuses.

use serde_json::Value;

use crate::env::TestEnv;

const PEOPLE: &str = "\
age,sex,zip,w
30,f,02138,10
30,f,02138,10
30,m,02138,20
41,m,02139,5
41,,02139,5
";

fn value(json: &Value, figure: &str) -> f64 {
    json[figure]["value"].as_f64().unwrap_or_else(|| panic!("{figure}: {json}"))
}

#[test]
fn figures_are_told_by_name() {
    let env = TestEnv::with(&[("p.csv", PEOPLE)]);
    let json = env.run("risk p.csv --qi age,sex,zip --json").ok().json();
    assert_eq!(value(&json, "rows"), 5.0);
    assert_eq!(value(&json, "classes"), 4.0);
    assert_eq!(value(&json, "sample_unique_rows"), 3.0);
    assert_eq!(value(&json, "prosecutor"), 1.0);
    assert_eq!(value(&json, "marketer"), 0.8);
    assert_eq!(json["combinations"].as_array().unwrap().len(), 7);
    assert_eq!(json["prosecutor"]["low"], json["prosecutor"]["high"]);
    assert!(json["prosecutor"]["means"].as_str().unwrap().contains("100.0 %"));
    assert!(json.get("pitman").is_none());
    let text = env.run("risk p.csv --qi age,sex,zip").ok().stdout;
    env.run("risk p.csv --qi age,sex,zip --report r.html").ok();
    assert!(env.text("r.html").contains("Special uniques") && !env.text("r.html").contains("02138"));
    assert!(text.contains("sample_unique_rows") && text.contains("age, sex"), "{text}");
}

#[test]
fn missing_cells_mean_what_is_said() {
    let env = TestEnv::with(&[("p.csv", PEOPLE)]);
    let of = |missing: &str| {
        env.run(&format!("risk p.csv --qi age,sex,zip --json --missing {missing}")).ok().json()
    };
    assert_eq!(value(&of("value"), "sample_unique_rows"), 3.0);
    // The row without sex may be the one above it.
    assert_eq!(value(&of("wildcard"), "sample_unique_rows"), 1.0);
    assert_eq!(value(&of("suppress"), "sample_unique_rows"), 2.0);
    assert_eq!(value(&of("suppress"), "left_out"), 1.0);
}

#[test]
fn a_population_is_a_number_a_share_weights_or_a_table() {
    let everybody = format!("{PEOPLE}30,m,02138,1\n41,m,02139,1\n41,m,02139,1\n50,f,02139,1\n");
    let env = TestEnv::with(&[("p.csv", PEOPLE), ("all.csv", &everybody)]);
    let of = |rest: &str| env.run(&format!("risk p.csv --qi age,sex,zip --json {rest}")).ok().json();
    assert_eq!(value(&of("--population 500"), "sampling_fraction"), 0.01);
    assert_eq!(value(&of("--fraction 0.01"), "population"), 500.0);
    assert_eq!(value(&of("--weights w"), "population"), 50.0);
    let counted = of("--population all.csv");
    assert_eq!(value(&counted, "population"), 9.0);
    assert_eq!(value(&counted, "population_unique_rows"), 2.0);
    // 2 rows of 1/2, one of 1/2, one of 1/3, one of 1.
    assert!((value(&counted, "journalist_mean") - (1.5 + 1.0 / 3.0 + 1.0) / 5.0).abs() < 1e-12);
    assert_eq!(of("--population 500"), of("--fraction 0.01"));
}

#[test]
fn a_release_knows_its_columns() {
    let env = TestEnv::new();
    env.run("demo d --rows 1000").fails(0);
    let before = env.run("risk d/patients.csv --policy d/policy.toml --json").ok().json();
    let release = env.json("d/certificate.json")["output"]["path"].as_str().unwrap().to_owned();
    let after = env.run(&format!("risk {release} --policy d/policy.toml --json")).ok().json();
    assert_eq!(before["columns"], after["columns"]);
    assert!(value(&before, "sample_unique_rows") > 0.0);
    assert!(value(&after, "smallest_class") >= 5.0);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let bad = PEOPLE.replace("f,02138,10", "f,02138,-1");
    let none = PEOPLE.replace("20\n", "\n");
    let env = TestEnv::with(&[("p.csv", PEOPLE), ("bad.csv", &bad), ("none.csv", &none)]);
    for (line, words) in [
        ("p.csv", &["--qi", "no column is named", "--policy"][..]),
        ("p.csv --qi agee,sex", &["agee", "did you mean `age`?"]),
        ("p.csv --qi age,age", &["`age` is named twice"]),
        ("p.csv --qi age --max-size 0", &["--max-size", "1 or more"]),
        ("p.csv --qi age --threshold 2", &["--threshold", "from 0 to 1"]),
        ("p.csv --qi age --threshold -0.1", &["--threshold", "from 0 to 1"]),
        ("p.csv --qi age --fraction 0", &["--fraction", "above 0"]),
        ("p.csv --qi age --population 3", &["smaller than its sample of 5 rows"]),
        ("p.csv --qi age --population nobody.csv", &["nobody.csv"]),
        ("p.csv --qi age --population 10 --missing wildcard", &["--missing", "suppress"]),
        ("bad.csv --qi age --weights w", &["`-1` is no weight", "from 0"]),
        ("none.csv --qi age --weights w", &["a weight is missing"]),
    ] {
        env.run(&format!("risk {line}")).fails(2).says(words);
    }
}
