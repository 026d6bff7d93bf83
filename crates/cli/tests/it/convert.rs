//! `throng hierarchy convert`: the configuration of Katirai's toolkit becomes a policy.

use crate::env::TestEnv;

const HIERARCHY: &str = r#"<Hierarchies>
<RangePoset Name="Age_range_poset" LowerBound="0" UpperBound="120" MaxDiff="25" />
<MatrixPoset Name="Zips" RootNode="Z0">
  <Node ID="Z0" Name="*" Value="2" Parents="Z0"/>
  <Node ID="Z1" Name="0213" Value="1" Parents="Z0"/>
  <Node ID="Z2" Name="02138" Value="0" Parents="Z1"/>
  <Node ID="Z3" Name="02139" Value="0" Parents="Z1"/>
</MatrixPoset>
<PassThroughPoset Name="MyPassThroughPoset"/>
</Hierarchies>
"#;

const COLUMNS: &str = r#"<TableDescription
  xmlns:xsi=http://www.w3.org/2001/XMLSchema-instance >
  <Column Name="age" Hierarchy="Default" Poset="Age_range_poset" Weight="3.023" />
  <Column Name="zip" Hierarchy="Default" Poset="Zips" Weight="1" />
  <Column Name="charge" Hierarchy="Default" Poset="MyPassThroughPoset" Weight="0"/>
</TableDescription>
"#;

const TABLE: &str = "age,zip,charge\n34,02138,10\n36,02139,11\n";

/// Rows that are alike in pairs by what is in Katirai's files.
const RELEASED: &str = "age,zip,charge\n\"[34, 36]\",0213,10\n\"[34, 36]\",0213,11\n";

const LINE: &str = "hierarchy convert Hierarchy.xml Columns.xml --table patients.csv --write out/policy.toml";

fn env(columns: &str) -> TestEnv {
    TestEnv::with(&[
        ("Hierarchy.xml", HIERARCHY),
        ("Columns.xml", columns),
        ("patients.csv", TABLE),
        ("out/x", ""),
    ])
}

#[test]
fn a_configuration_becomes_a_policy() {
    let env = env(COLUMNS);
    let run = env.run(LINE);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(env.text("out/Zips.csv"), "*;2\n0213;1;*\n02138;0;0213\n02139;0;0213\n");
    let policy: toml::Value = toml::from_str(&env.text("out/policy.toml")).unwrap();
    assert_eq!(policy["input"]["path"].as_str(), Some("../patients.csv"));
    assert_eq!(policy["columns"]["zip"]["poset"]["file"].as_str(), Some("Zips.csv"));
    assert_eq!(policy["columns"]["age"]["weight"].as_float(), Some(3.023));
    assert_eq!(policy["columns"]["charge"]["role"].as_str(), Some("keep"));
    assert_eq!(policy["privacy"]["k"].as_integer(), Some(5));
    assert!(run.stdout.contains("kept unchanged: charge; "), "{}", run.stdout);

    let again = env.run(LINE);
    assert_eq!(again.code, 2);
    assert!(again.stderr.contains("exists already"), "{}", again.stderr);
    assert_eq!(env.run(&format!("{LINE} --force --k 2")).code, 0);
    let run = env.run("release out/policy.toml");
    assert_eq!(run.code, 0, "{}", run.stderr);
    let mut lines: Vec<String> = env.text("out/patients-release.csv").lines().map(String::from).collect();
    lines[1..].sort();
    assert_eq!(lines, RELEASED.lines().collect::<Vec<_>>());
}

#[test]
fn nothing_is_written_when_anything_is_wrong() {
    let env = env(&COLUMNS.replace("Poset=\"Zips\"", "Poset=\"Zip\""));
    let run = env.run(LINE);
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("Columns.xml") && run.stderr.contains("did you mean `Zips`?"),
        "{}",
        run.stderr
    );
    assert!(!env.path("out/policy.toml").exists() && !env.path("out/Zips.csv").exists());

    // A name that is taken by another file keeps all of them from being written.
    env.write("Columns.xml", COLUMNS);
    env.write("out/Zips.csv", "mine");
    assert_eq!(env.run(LINE).code, 2);
    assert!(!env.path("out/policy.toml").exists());
    assert_eq!(env.text("out/Zips.csv"), "mine");
}

#[test]
fn a_policy_that_no_release_takes_is_not_written() {
    let env = env(COLUMNS);
    env.run(&format!("{LINE} --k 0")).fails(2).says(&["--k", "a whole number of at least 1"]);
    env.run("inspect patients.csv --write q.toml --k 0")
        .fails(2)
        .says(&["--k", "a whole number of at least 1"]);
    assert!(!env.path("out/policy.toml").exists() && !env.path("q.toml").exists());
}

#[test]
fn a_node_that_is_given_twice_is_told_by_the_lines_of_the_file() {
    let env = env(COLUMNS);
    env.write("Hierarchy.xml", HIERARCHY.replace("Name=\"02139\"", "Name=\"02138\""));
    env.run(LINE).fails(2).says(&["Hierarchy.xml:7: node `02138` is given twice, first in line 6"]);
}
