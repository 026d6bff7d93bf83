//! `throng augment`: a field per level, and back.

use crate::env::TestEnv;

const POLICY: &str = r#"version = 1
[input]
path = "people.csv"
[output]
path = "release.csv"
[columns.ssn]
role = "identifier"
[columns.race]
role = "quasi"
[columns.hiv]
role = "sensitive"
[columns.zip]
role = "quasi"
hierarchy = { postal = { keep = [4, 3] } }
[privacy]
k = 2
"#;

const PEOPLE: &str = "ssn,race,hiv,zip\n1,White,Yes,02139\n2,White,No,02138\n3,Asian,Yes,98052\n4,Asian,No,98052\n5,Asian,No,\n6,Asian,Yes,\n";

fn env() -> TestEnv {
    TestEnv::with(&[("policy.toml", POLICY), ("people.csv", PEOPLE)])
}

/// [Katirai 2006], figure 6 with all its implied fields.
#[test]
fn a_table_gets_a_field_per_level() {
    let env = env();
    let run = env.run("augment policy.toml --out fields.csv");
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("it is not a release"), "{}", run.stdout);
    assert_eq!(
        env.text("fields.csv"),
        "race,hiv,zip,zip_1,zip_2\nWhite,Yes,02139,0213*,021**\nWhite,No,02138,0213*,021**\nAsian,Yes,98052,9805*,980**\n\
         Asian,No,98052,9805*,980**\nAsian,No,,,\nAsian,Yes,,,\n"
    );
    let run = env.run("augment policy.toml --undo fields.csv --out again.csv");
    assert_eq!(run.code, 0, "{}", run.stderr);
    let without: Vec<&str> = PEOPLE.lines().map(|line| line.split_once(',').unwrap().1).collect();
    assert_eq!(env.text("again.csv"), without.join("\n") + "\n");
}

/// Every generalization of a release is a suppression of fields, and back.
#[test]
fn a_release_goes_there_and_back() {
    let env = env();
    assert_eq!(env.run("release policy.toml").code, 0);
    let run = env.run("augment policy.toml --release release.csv --out fields.csv");
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(env.text("fields.csv").contains("*,0213*,021**"), "{}", env.text("fields.csv"));
    assert_eq!(env.run("augment policy.toml --undo fields.csv --out again.csv").code, 0);
    assert_eq!(env.text("again.csv"), env.text("release.csv"));
}

/// A release that holds what it may not, or lacks what it must hold, is none.
#[test]
fn columns_that_a_release_may_not_hold_are_refused() {
    let env = env();
    for (option, fields) in [("--release", "zip"), ("--undo", "zip,zip_1,zip_2")] {
        let row = if option == "--undo" { "02139,0213*,021**" } else { "02139" };
        env.write("odd.csv", format!("ssn,race,age,{fields}\n1,White,7,{row}\n"));
        let run = env.run(&format!("augment policy.toml {option} odd.csv --out x.csv")).fails(2);
        run.says(&[
            "`ssn`, which has role \"identifier\" and must not be released",
            "`age`, which is not in the policy",
            "has no column `hiv`",
        ]);
        assert!(!env.path("x.csv").exists());
    }
}

#[test]
fn what_has_no_fields_is_refused() {
    let env = env();
    env.write("odd.csv", "race,hiv,zip\nWhite,Yes,0213\n");
    let run = env.run("augment policy.toml --release odd.csv --out fields.csv");
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("`0213` in row 1 is not a label of its hierarchy"), "{}", run.stderr);
    assert!(!env.path("fields.csv").exists());
    env.write("odd.csv", "race,hiv,zip,zip_1,zip_2\nWhite,Yes,02139,9805*,980**\n");
    let run = env.run("augment policy.toml --undo odd.csv --out again.csv");
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("does not imply `9805*` at level 1"), "{}", run.stderr);
    let run = env.run("augment policy.toml --undo people.csv --out again.csv");
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("has no column `zip_1`"), "{}", run.stderr);
    for out in ["people.csv", "policy.toml", "release.csv", "fields"] {
        assert_eq!(env.run(&format!("augment policy.toml --out {out}")).code, 2, "{out}");
    }
    assert_eq!(env.text("people.csv"), PEOPLE);
    env.write("people.csv", PEOPLE.replace("hiv", "zip_1"));
    env.write("policy.toml", POLICY.replace("hiv", "zip_1"));
    let run = env.run("augment policy.toml --out fields.csv");
    assert!(run.stderr.contains("two columns would be called `zip_1`"), "{}", run.stderr);
}
