//! `throng argus`: by script, with undo, and what it refuses. What it writes is counted again here.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::env::TestEnv;

/// [Sweeney 2001, figure 28]
pub const TABLE: &str = "\
ssn,ethnicity,birth,sex,zip,problem
1,Black,1965-09-20,m,02141,breath
2,Black,1965-02-14,m,02141,chest
3,Black,1965-10-23,f,02138,pressure
4,Black,1965-08-24,f,02138,pressure
5,Black,1964-11-07,f,02138,weight
6,Black,1964-12-01,f,02138,chest
7,Caucasian,1964-10-23,m,02138,chest
8,Caucasian,1965-03-15,f,02139,pressure
9,Caucasian,1964-08-13,m,02139,weight
10,Caucasian,1964-05-05,m,02139,breath
11,Caucasian,1967-02-13,m,02138,chest
12,Caucasian,1967-03-21,m,02138,chest
";

const POLICY: &str = r#"
version = 1
[input]
path = "patients.csv"
[output]
path = "release.csv"
[columns.ssn]
role = "identifier"
[columns.ethnicity]
role = "quasi"
identifying = 1
[columns.birth]
role = "quasi"
identifying = 2
hierarchy = { date = { levels = ["year"] } }
[columns.sex]
role = "quasi"
identifying = 2
[columns.zip]
role = "quasi"
identifying = 2
hierarchy = { postal = { keep = [4, 3] } }
[columns.problem]
role = "sensitive"
[privacy]
k = 2
"#;

fn env() -> TestEnv {
    TestEnv::with(&[("patients.csv", TABLE), ("policy.toml", POLICY)])
}

fn argus(env: &TestEnv, more: &[&str]) -> crate::env::Run {
    env.run_args(&[&["argus", "policy.toml"], more].concat(), &[])
}

/// The quasi-identifiers of what was written, row by row.
fn written(env: &TestEnv, name: &str) -> Vec<Vec<String>> {
    let text = env.text(name);
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("ethnicity,birth,sex,zip,problem"));
    lines.map(|line| line.split(',').take(4).map(String::from).collect()).collect()
}

/// The fewest rows that share values of some columns, among rows that have them all.
fn fewest(rows: &[Vec<String>], columns: &[usize]) -> usize {
    let mut counts: BTreeMap<Vec<&String>, usize> = BTreeMap::new();
    for row in rows {
        let values: Vec<&String> = columns.iter().map(|&c| &row[c]).collect();
        if values.iter().all(|v| !v.is_empty()) {
            *counts.entry(values).or_default() += 1;
        }
    }
    counts.into_values().min().unwrap()
}

#[test]
fn a_script_makes_pairs_safe_and_says_that_the_whole_is_not() {
    let env = env();
    let run = argus(&env, &["--do", "generalize birth", "--do", "suppress", "--out", "tested.csv"]).fails(1);
    assert!(run.stderr.is_empty(), "{}", run.said());
    assert!(run.stdout.contains("2-anonymous over all quasi-identifiers: NO"), "{}", run.said());
    assert!(run.stdout.contains("10 combinations of columns: all safe"), "{}", run.said());
    assert!(run.stdout.contains("2 cells in 1 row: ethnicity 1, zip 1"), "{}", run.said());
    let rows = written(&env, "tested.csv");
    assert_eq!(rows.len(), 12);
    for a in 0..4 {
        for b in 0..=a {
            assert!(fewest(&rows, &[b, a]) >= 2, "columns {b} and {a}");
        }
    }
    assert_eq!(fewest(&rows, &[0, 1, 2, 3]), 1);
    assert_eq!(rows.iter().filter(|row| row[0].is_empty()).count(), 1);
    // No certificate, and a paper that does not claim what does not hold.
    assert_eq!(env.names(), ["patients.csv", "policy.toml", "tested.csv", "tested.verdict.json"]);
    let paper = env.json("tested.verdict.json");
    assert_eq!(paper["certified"], false);
    assert_eq!(paper["safe"], true);
    assert_eq!(paper["k_anonymity"]["holds"], false);
    assert_eq!(paper["k_anonymity"]["blank_is_a_value"]["rows"], 2);
    assert_eq!(paper["k_anonymity"]["blank_is_anything"]["rows"], 1);
    assert_eq!(paper["steps"], serde_json::json!(["generalize birth 1", "suppress"]));
    for secret in ["Caucasian", "02139", "1965"] {
        assert!(!paper.to_string().contains(secret) && !run.stdout.contains(secret), "{secret}");
    }
}

#[test]
fn rows_are_shuffled_and_the_same_every_time() {
    let env = env();
    let script = ["--do", "g birth", "--do", "s", "--out"];
    argus(&env, &[&script[..], &["a.csv"]].concat()).fails(1);
    argus(&env, &[&script[..], &["b.csv"]].concat()).fails(1);
    assert_eq!(env.bytes("a.csv"), env.bytes("b.csv"));
    let problems = |text: &str| -> Vec<String> {
        text.lines().skip(1).map(|l| l.rsplit(',').next().unwrap().to_owned()).collect()
    };
    let (mut before, mut after) = (problems(TABLE), problems(&env.text("a.csv")));
    assert_ne!(before, after);
    before.sort();
    after.sort();
    assert_eq!(before, after);
}

#[test]
fn a_table_that_is_k_anonymous_ends_well() {
    let env = env();
    let script = ["--do", "g birth 2", "--do", "g zip 3", "--do", "g sex", "--do", "suppress", "--json"];
    let run = argus(&env, &script);
    assert_eq!(run.code, 0, "{}", run.said());
    let told = run.json();
    assert_eq!(told["k_anonymity"]["holds"], true);
    assert_eq!(told["suppressed"], 0);
    assert_eq!(told["suggestions"], serde_json::json!([]));
    assert!((told["precision"].as_f64().unwrap() - 0.25).abs() < 1e-12);
    run.says(&["birth is at level 2", "no cell was blanked"]);
}

#[test]
fn undo_takes_back_what_was_done() {
    let env = env();
    let state = |script: &[&str]| -> Value { argus(&env, &[script, &["--json"]].concat()).fails(1).json() };
    let plain = state(&["--do", "show"]);
    let back = state(&["--do", "g birth", "--do", "s", "--do", "undo", "--do", "u"]);
    assert_eq!(plain, back);
    assert_eq!(plain["steps"], serde_json::json!([]));
    let half = state(&["--do", "g birth", "--do", "s", "--do", "undo"]);
    assert_eq!((half["suppressed"].as_u64(), half["columns"][1]["level"].as_u64()), (Some(0), Some(1)));
}

#[test]
fn suggestions_come_true() {
    let env = env();
    let told = argus(&env, &["--do", "show", "--json"]).fails(1).json();
    let first = &told["suggestions"][0];
    assert_eq!((first["column"].as_str(), first["level"].as_u64()), (Some("birth"), Some(1)));
    let then = argus(&env, &["--do", "1", "--do", "s", "--json"]).fails(1).json();
    assert_eq!(then["steps"], serde_json::json!(["generalize birth 1", "suppress"]));
    assert_eq!((&then["suppressed"], &then["loss"]), (&first["cells"], &first["loss"]));
}

#[test]
fn commands_are_read_from_standard_input() {
    let env = env();
    let mut child = Command::new(env!("CARGO_BIN_EXE_throng"))
        .args(["argus", "policy.toml", "--json"])
        .current_dir(env.path(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"# years\ngeneralize birth\n\ns\nwrite x.csv\nq\nnonsense\n")
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told["written"], serde_json::json!(["x.csv", "x.verdict.json"]));
    assert_eq!(told["safe"], true);
    assert!(env.path("x.csv").exists());
}

#[test]
fn values_are_shown_only_when_asked_for() {
    let env = env();
    let quiet = argus(&env, &["--do", "g birth"]).fails(1);
    let loud = argus(&env, &["--do", "g birth", "--values"]).fails(1);
    assert!(!quiet.stdout.contains("Caucasian"), "{}", quiet.said());
    assert!(loud.stdout.contains("ethnicity = Caucasian, sex = f: 1"), "{}", loud.said());
    let told = argus(&env, &["--do", "g birth", "--values", "--json"]).fails(1).json();
    assert_eq!(told["values"].as_array().unwrap().len(), 4);
}

#[test]
fn a_mistake_in_a_script_ends_it_and_nothing_is_written() {
    let env = env();
    let wrong = |command: &str, words: &[&str]| {
        let before = env.listing();
        argus(&env, &["--do", "g birth", "--do", command, "--out", "x.csv"]).fails(2).says(words);
        assert_eq!(before, env.listing());
    };
    wrong("generalise zip", &["command 2", "there is no command `generalise`", "did you mean `generalize`?"]);
    wrong("g brith", &["there is no quasi-identifier `brith`", "did you mean `birth`?"]);
    wrong("g problem", &["there is no quasi-identifier `problem`", "quasi-identifiers are ethnicity"]);
    wrong("g birth 9", &["cannot go to level 9: the highest is 2"]);
    wrong("g birth 1", &["is at level 1 already", "`undo`"]);
    wrong("g", &["needs a column"]);
    wrong("undo twice", &["takes no argument"]);
    wrong("99", &["there is no suggestion 99"]);
    argus(&env, &["--do", "undo"]).fails(2).says(&["there is nothing to undo"]);
    argus(&env, &["--do", "write"]).fails(2).says(&["`write` needs a file"]);
}

#[test]
fn nothing_gets_the_name_of_a_certified_release() {
    let env = env();
    let refused = |out: &str, words: &[&str]| {
        argus(&env, &["--do", "s", "--out", out]).fails(2).says(words);
        argus(&env, &["--do", &format!("w {out}")]).fails(2).says(words);
    };
    refused("release.csv", &["would be written over the release of the policy"]);
    refused("patients.csv", &["would be written over the input"]);
    refused("x.doc", &["does not show the format"]);
    refused("x.xls", &["Excel files cannot be written", "use .csv or .parquet"]);
    refused("nowhere/x.csv", &["nowhere"]);
    env.write("y.certificate.json", "{}");
    refused("y.csv", &["has the name of a certified release"]);
}

#[test]
fn policies_that_do_not_fit_are_refused() {
    let env = env();
    let wrong = |from: &str, to: &str, words: &[&str]| {
        assert!(POLICY.contains(from), "{from}");
        env.write("bad.toml", POLICY.replacen(from, to, 1));
        env.run_args(&["argus", "bad.toml", "--do", "s"], &[]).fails(2).says(words);
    };
    wrong("identifying = 1", "identifying = 4", &["columns.ethnicity.identifying", "4 is not from 0 to 3"]);
    wrong("identifying = 1", "identifyng = 1", &["did you mean `identifying`?"]);
    wrong("[privacy]\n", "[argus]\ncombinations = [[\"sexx\"]]\n[privacy]\n", &["did you mean `sex`?"]);
    wrong(
        "k = 2",
        "k = 2\n[search]\nlinked = [[\"sex\", \"zip\"]]",
        &["search.linked", "each column by itself"],
    );
    let groups = "[privacy.quasi.all]\ncolumns = [\"ethnicity\", \"birth\", \"sex\", \"zip\"]\nk = 2";
    wrong("k = 2", groups, &["there is no k", "give privacy.k"]);
    let poset = POLICY.replace("hierarchy = { postal = { keep = [4, 3] } }", "poset = \"suppress\"");
    env.write("bad.toml", poset + "[search]\nalgorithm = \"greedy\"\n");
    let run = env.run("argus bad.toml --do s").fails(2);
    run.says(&["bad.toml:22", "columns.zip.poset", "`zip` has a poset", "give the column a hierarchy"]);
    // A release pays no heed to what is tested here.
    let with = "[argus]\ncombinations = [[\"sex\", \"zip\"]]\n[privacy]\nsuppression = 0.5\n";
    env.write("both.toml", POLICY.replacen("[privacy]\n", with, 1));
    env.run("release both.toml").ok();
    let told = env.run("argus both.toml --json");
    assert_eq!(told.json()["tested"].as_array().unwrap().len(), 1);
}

#[test]
fn blanks_are_nulls_in_other_formats() {
    let env = env();
    argus(&env, &["--do", "g birth", "--do", "s", "--out", "x.json"]).fails(1);
    let rows: Vec<Value> = env.text("x.json").lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(rows.len(), 12);
    let blank = |row: &&Value| row.get("ethnicity").is_none_or(Value::is_null);
    assert_eq!(rows.iter().filter(blank).count(), 1);
    argus(&env, &["--do", "g birth", "--do", "s", "--out", "y.parquet"]).fails(1);
    let told = env.run("risk y.parquet --qi ethnicity,birth,sex,zip --json").ok().json();
    assert_eq!(told["sample_unique_rows"]["value"], 2.0, "{told}");
}
