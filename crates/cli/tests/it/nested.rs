//! Releases that are built on top of earlier ones (`on_conflict = "recode"`): fewer rows are lost
//! than by withholding people, everybody keeps k candidates, and the release verifies.

use std::collections::{BTreeMap, BTreeSet};

use crate::env::TestEnv;
use crate::ledger::{SECRET, ledger};
use crate::people::Draw;

/// People with a unique tag that is released.
fn people(numbers: std::ops::Range<u64>) -> String {
    let mut text = String::from("id,tag,age,zip,sex,illness\n");
    for number in numbers {
        let mut draw = Draw::new(number + 1);
        let (age, zip) = (20 + draw.below(60), 1000 + draw.below(2000));
        let illness = draw.of(&["flu", "gout", "cold", "asthma"]);
        text += &format!("P{number},{number},{age},{zip},{},{illness}\n", draw.of(&["F", "M"]));
    }
    text
}

/// A release of some quasi-identifiers; the others are dropped.
fn policy(name: &str, input: &str, quasi: &[&str], algorithm: &str, more: &str) -> String {
    let hierarchy = |column: &str| match column {
        "age" => "hierarchy = { intervals = { widths = [5, 10, 20], low = 20, high = 80 } }\n",
        "zip" => "hierarchy = { postal = { keep = [3, 2, 1] } }\n",
        _ => "",
    };
    let column = |column: &&str| match quasi.contains(column) {
        true => format!("[columns.{column}]\nrole = \"quasi\"\n{}", hierarchy(column)),
        false => format!("[columns.{column}]\nrole = \"drop\"\n"),
    };
    let columns: String = ["age", "zip", "sex"].iter().map(column).collect();
    format!(
        "version = 1\n[input]\npath = \"{input}\"\n[output]\npath = \"{name}.csv\"\n[columns.id]\nrole = \"identifier\"\n\
         [columns.tag]\nrole = \"keep\"\n{columns}[columns.illness]\nrole = \"sensitive\"\n\
         [privacy]\nk = 4\nsuppression = 0.4\n[search]\nalgorithm = \"{algorithm}\"\n{more}"
    )
}

/// The fewest people with the same quasi-identifiers in all files, absence included, and the fewest
/// illnesses that such people have.
fn fewest(env: &TestEnv, files: &[&str]) -> (usize, usize) {
    let mut classes: BTreeMap<String, Vec<Option<String>>> = BTreeMap::new();
    let mut ill: BTreeMap<String, String> = BTreeMap::new();
    for (at, file) in files.iter().enumerate() {
        let mut reader = csv::Reader::from_path(env.path(&format!("{file}.csv"))).unwrap();
        let header = reader.headers().unwrap().clone();
        for row in reader.records() {
            let row = row.unwrap();
            let cell = |name: &str| row.get(header.iter().position(|h| h == name)?);
            let class: Vec<&str> = ["age", "zip", "sex"].iter().filter_map(|name| cell(name)).collect();
            let tag = cell("tag").unwrap().to_owned();
            ill.insert(tag.clone(), cell("illness").unwrap().to_owned());
            classes.entry(tag).or_insert_with(|| vec![None; files.len()])[at] = Some(class.join("|"));
        }
    }
    let mut alike: BTreeMap<&Vec<Option<String>>, BTreeSet<&String>> = BTreeMap::new();
    let mut people: BTreeMap<&Vec<Option<String>>, usize> = BTreeMap::new();
    for (tag, trace) in &classes {
        alike.entry(trace).or_default().insert(&ill[tag]);
        *people.entry(trace).or_default() += 1;
    }
    (people.into_values().min().unwrap(), alike.into_values().map(|ill| ill.len()).min().unwrap())
}

fn rows(env: &TestEnv, name: &str) -> usize {
    env.text(&format!("{name}.csv")).lines().count() - 1
}

#[test]
fn classes_are_built_on_those_of_earlier_releases() {
    for algorithm in ["mondrian", "best", "k-similar", "auto"] {
        let env = TestEnv::with(&[
            ("secret.key", SECRET),
            ("people.csv", &people(0..600)),
            ("more.csv", &people(0..700)),
        ]);
        let recode = ledger("a", "recode");
        env.write("one.toml", policy("one", "people.csv", &["age", "sex"], algorithm, &recode));
        env.write("two.toml", policy("two", "people.csv", &["age", "zip", "sex"], algorithm, &recode));
        env.write("three.toml", policy("three", "more.csv", &["zip", "sex"], algorithm, &recode));
        for (at, (name, input)) in
            [("one", "people.csv"), ("two", "people.csv"), ("three", "more.csv")].into_iter().enumerate()
        {
            let run = env.run(&format!("release {name}.toml --json"));
            assert_eq!(run.code, 0, "{algorithm}, {name}: {}", run.stderr);
            let facts: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
            // The first one has nothing to build on.
            let nested = facts["ledger"]["nested_on"].as_u64();
            assert_eq!(nested, (at > 0).then_some(at as u64), "{algorithm}, {name}: {}", facts["ledger"]);
            assert!(!run.stdout.contains("traces"), "{}", run.stdout);
            let run = env.run(&format!("verify {name}.csv --policy {name}.toml --original {input}"));
            assert_eq!(run.code, 0, "{algorithm}, {name}: {}{}", run.stdout, run.stderr);
            assert_eq!(env.run(&format!("verify {name}.csv --policy {name}.toml")).code, 0, "{algorithm}");
        }
        let (candidates, values) = fewest(&env, &["one", "two", "three"]);
        assert!(candidates >= 4 && values >= 2, "{algorithm}: {candidates} candidates, {values} values");
        assert!(rows(&env, "two") > 360 && rows(&env, "three") > 420, "{algorithm}");
        env.run("ledger check one.toml").ok();
        // As if each were the first, they would not be safe together.
        for name in ["two", "three"] {
            let alone = env.text(&format!("{name}.toml")).replace(&recode, "");
            env.write("alone.toml", alone.replace(&format!("{name}.csv"), &format!("alone-{name}.csv")));
            assert_eq!(env.run("release alone.toml").code, 0);
        }
        assert!(fewest(&env, &["one", "alone-two", "alone-three"]).0 < 4, "{algorithm}");
        // Neither files nor the ledger name the column of traces.
        for name in env.names().iter().filter(|name| name.starts_with("two.")) {
            let bytes = env.bytes(name);
            assert!(!bytes.windows(7).any(|part| part == b"\0traces"), "{name}");
        }
    }
}

#[test]
fn without_a_conflict_the_release_is_as_without_a_ledger() {
    for algorithm in ["mondrian", "auto"] {
        let env = TestEnv::with(&[("secret.key", SECRET), ("people.csv", &people(0..300))]);
        let quasi = ["age", "zip"];
        env.write("one.toml", policy("one", "people.csv", &quasi, algorithm, &ledger("a", "recode")));
        env.write("plain.toml", policy("plain", "people.csv", &quasi, algorithm, ""));
        env.run("release plain.toml");
        for again in ["first", "second"] {
            let run = env.run("release one.toml --json");
            assert_eq!(run.code, 0, "{}", run.stderr);
            assert!(!run.stdout.contains("nested_on"), "{algorithm}, {again}: {}", run.stdout);
            assert_eq!(env.bytes("one.csv"), env.bytes("plain.csv"), "{algorithm}, {again}");
        }
    }
}

#[test]
fn a_nested_release_is_the_same_at_any_number_of_threads_and_in_any_order_of_rows() {
    let mut made: Vec<(Vec<u8>, BTreeSet<String>)> = Vec::new();
    let table = people(0..400);
    let (head, lines) = table.split_once('\n').unwrap();
    let turned: Vec<&str> = lines.lines().rev().collect();
    let turned = format!("{head}\n{}\n", turned.join("\n"));
    for (threads, input) in [("1", &table), ("4", &table), ("2", &turned)] {
        let env = TestEnv::with(&[("secret.key", SECRET), ("people.csv", input)]);
        for (name, quasi) in [("one", &["age", "sex"][..]), ("two", &["age", "zip"])] {
            let text = policy(name, "people.csv", quasi, "mondrian", &ledger("a", "recode"));
            env.write(&format!("{name}.toml"), text);
            let run = env.run(&format!("release {name}.toml --threads {threads}"));
            assert_eq!(run.code, 0, "{}", run.stderr);
        }
        assert!(env.text("two.certificate.json").contains("nested_on"));
        let rows = env.text("two.csv").lines().map(String::from).collect();
        made.push((env.bytes("two.csv"), rows));
    }
    assert_eq!(made[0].0, made[1].0);
    assert_eq!(made[0].1, made[2].1);
}
