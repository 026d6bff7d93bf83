//! Policies as data: JSON policies, bundles, and `throng policy`.

use serde_json::{Value, json};
use throng::policy::Policy;

use crate::env::TestEnv;

/// Twelve people; ages and ZIP codes have hierarchy files.
fn table() -> String {
    let rows = (0..12).map(|i| format!("{},0213{},{}\n", 30 + i % 4, i % 2, ["flu", "asthma"][i % 2]));
    "age,zip,illness\n".to_owned() + &rows.collect::<String>()
}

const AGES: &str = "30;30-31;*\n31;30-31;*\n32;32-33;*\n33;32-33;*\n";
const ZIPS: &str = "\u{feff}02130;0213*;*\r\n02131;0213*;*\r\n";

const POLICY: &str = r#"# Read before release.
version = 1
[input]
path = "t.csv"
[output]
path = "o.csv"
[columns.age]
role = "quasi"
hierarchy = { file = "lists/age.csv" }
[columns.zip]
role = "quasi"
hierarchy = { file = { path = "zip.csv", delimiter = ";" } }
[columns.illness]
role = "sensitive"
[privacy]
k = 3
"#;

fn json_of(toml: &str) -> String {
    Policy::parse(toml).unwrap().to_json().unwrap()
}

fn env() -> TestEnv {
    TestEnv::with(&[
        ("t.csv", &table()),
        ("lists/age.csv", AGES),
        ("zip.csv", ZIPS),
        ("p.toml", POLICY),
        ("p.json", &json_of(POLICY)),
    ])
}

/// The certificate without the time that the search took, and without the seal, which covers it.
fn certificate(env: &TestEnv) -> Value {
    let mut certificate = env.json("o.certificate.json");
    certificate["search"]["seconds"] = 0.into();
    certificate["seal"] = Value::Null;
    certificate
}

#[test]
fn a_json_policy_does_what_the_toml_policy_does() {
    let env = env();
    env.run("release p.toml").ok();
    let (table, toml) = (env.bytes("o.csv"), certificate(&env));
    env.run("release p.json").ok();
    assert_eq!(env.bytes("o.csv"), table);
    let mut json = certificate(&env);
    assert_ne!(json["policy"], toml["policy"], "the digest is that of the text");
    json["policy"] = toml["policy"].clone();
    assert_eq!(json, toml);
    env.run("verify o.csv --policy p.json --original t.csv").ok();
    env.run("verify o.csv --policy p.toml --original t.csv").fails(1);
}

#[test]
fn every_command_that_takes_a_policy_takes_json_and_bundles() {
    let env = env();
    env.run("policy bundle p.toml --out b.json").ok();
    std::fs::remove_file(env.path("zip.csv")).unwrap();
    std::fs::remove_file(env.path("lists/age.csv")).unwrap();
    let files = [("lists/age.csv", AGES), ("zip.csv", ZIPS)];
    for line in [
        "explore POLICY --json",
        "network POLICY --json",
        "argus POLICY --do show --json",
        "risk t.csv --policy POLICY --json",
    ] {
        let bundle = env.run(&line.replace("POLICY", "b.json"));
        files.iter().for_each(|(name, text)| env.write(name, text));
        for policy in ["p.toml", "p.json"] {
            let run = env.run(&line.replace("POLICY", policy));
            assert_eq!((run.code, &run.stdout), (bundle.code, &bundle.stdout), "{}", run.said());
            assert!(run.code < 2, "{}", run.said());
        }
        files.iter().for_each(|(name, _)| std::fs::remove_file(env.path(name)).unwrap());
    }
    env.run("augment b.json --out fields.csv").ok();
    files.iter().for_each(|(name, text)| env.write(name, text));
    env.run("augment p.json --out same.csv").ok();
    assert_eq!(env.bytes("fields.csv"), env.bytes("same.csv"));
}

/// From the folder and from the bundle: the same bytes and the same certificate.
#[test]
fn a_bundle_releases_and_verifies_as_its_folder_does() {
    let env = env();
    env.run("release p.toml").ok();
    let (table, from_folder) = (env.bytes("o.csv"), certificate(&env));
    env.run("policy bundle p.toml --out b.json").ok();
    env.run("verify o.csv --policy b.json --original t.csv").ok();
    // Nothing but the bundle and the table.
    for file in ["p.toml", "p.json", "zip.csv", "lists/age.csv"] {
        std::fs::remove_file(env.path(file)).unwrap();
    }
    env.run("verify o.csv --policy b.json --original t.csv").ok();
    env.run("release b.json").ok();
    assert_eq!(env.bytes("o.csv"), table);
    assert_eq!(certificate(&env), from_folder);
    assert_eq!(from_folder["files"].as_object().unwrap().len(), 2);
    env.run("verify o.csv --policy b.json --original t.csv").ok();
    // The policy is the text of its file, with its comments.
    let bundle = env.json("b.json");
    let files = json!({ "lists/age.csv": AGES, "zip.csv": ZIPS });
    assert_eq!(bundle, json!({ "format": 1, "policy": POLICY, "files": files }));
}

/// Another hierarchy beside the bundle changes nothing, and another one within it is noticed.
#[test]
fn hierarchies_come_from_the_bundle_alone() {
    let env = env();
    env.run("policy bundle p.toml --out b.json").ok();
    env.run("release b.json").ok();
    env.write("zip.csv", "nonsense\n");
    env.run("verify o.csv --policy b.json --original t.csv").ok();
    env.run("verify o.csv --policy p.toml").fails(1);
    env.write("other.json", env.text("b.json").replace("0213*", "0214*"));
    let verdict = env.run("verify o.csv --policy other.json --json").fails(1).json();
    assert_eq!(verdict["files"]["holds"], false, "{verdict:#}");
}

#[test]
fn paths_of_the_input_are_relative_to_the_bundle() {
    let env = env();
    env.run("policy bundle p.toml --out lists/b.json").ok();
    env.run("release lists/b.json").fails(2).says(&["t.csv"]);
    env.write("lists/t.csv", table());
    env.run("release lists/b.json").ok();
    assert!(env.path("lists/o.csv").exists() && !env.path("o.csv").exists());
}

#[test]
fn bundling_says_what_is_in_it() {
    let env = env();
    let written = env.run("policy bundle p.toml --out b.json --json").ok().json();
    assert_eq!(written["bundle"], "b.json");
    assert_eq!(written["policy"]["sha256"], Policy::digest(POLICY));
    assert_eq!(written["files"]["zip.csv"], Policy::digest(ZIPS));
    assert_eq!(written["sha256"], Policy::digest(&env.text("b.json")));
    assert_eq!(written["input"], "t.csv");
    // A bundle of a bundle is the same bundle, and a JSON policy can be bundled.
    env.run("policy bundle b.json --out again.json").ok();
    assert_eq!(env.bytes("again.json"), env.bytes("b.json"));
    let said = env.run("policy bundle p.json --out c.json").ok().stdout;
    assert!(said.contains("lists/age.csv, zip.csv"), "{said}");
    assert_eq!(env.json("c.json")["policy"], json_of(POLICY));
    std::fs::remove_file(env.path("zip.csv")).unwrap();
    let before = env.listing();
    env.run("policy bundle p.toml --out d.json").fails(2).says(&["zip.csv", "cannot be read"]);
    assert_eq!(env.listing(), before);
}

#[test]
fn a_bundle_with_mistakes_is_refused_with_its_name() {
    let env = env();
    env.run("policy bundle p.toml --out b.json").ok();
    let text = env.text("b.json");
    let refused = |from: &str, to: &str, says: &[&str]| {
        assert!(text.contains(from), "{from}");
        env.write("c.json", text.replace(from, to));
        let run = env.run("release c.json").fails(2);
        run.says(says).says(&["c.json"]);
        assert!(!run.stderr.contains("02130"), "a hierarchy is quoted: {}", run.said());
    };
    refused("\"format\": 1", "\"format\": 9", &["format 9", "reads format 1", "the version of throng"]);
    refused("\"zip.csv\": ", "\"zap.csv\": ", &["zip.csv", "zap.csv", "help:"]);
    refused("k = 3", "k = 0", &["privacy.k", "1 or more"]);
    refused("k = 3", "k = = 3", &["line 16 of the policy"]);
    refused("\"files\"", "\"fils\"", &["fils", "files"]);
    refused("\"files\": {", "\"files\": ", &["is not valid JSON"]);
    // A fault that the table shows names the key and the bundle.
    refused("k = 3", "k = 30", &["privacy.k", "12 rows"]);
}

#[test]
fn a_policy_is_checked_without_its_table() {
    let env = env();
    std::fs::remove_file(env.path("t.csv")).unwrap();
    env.run("policy bundle p.toml --out b.json").ok();
    for policy in ["p.toml", "p.json", "b.json"] {
        assert_eq!(env.run(&format!("policy check {policy}")).ok().stdout, "ok\n");
        let verdict = env.run(&format!("policy check {policy} --json")).ok().json();
        assert_eq!(verdict, json!({ "ok": true, "faults": [] }));
    }
    let wrong = POLICY.replace("k = 3", "k = 0\nsuppression = 7").replace("\"o.csv\"", "\"o.xls\"");
    env.write("wrong.toml", &wrong);
    let table: toml::Table = toml::from_str(&wrong).unwrap();
    env.write("wrong.json", serde_json::to_string_pretty(&table).unwrap());
    for policy in ["wrong.toml", "wrong.json"] {
        let run = env.run(&format!("policy check {policy}")).fails(1);
        run.says(&[policy, "privacy.k", "7 is not a share", "Excel files cannot be written"]);
        assert_eq!(run.stdout, "");
        let verdict = env.run(&format!("policy check {policy} --json")).fails(1).json();
        let keys: Vec<&Value> = verdict["faults"].as_array().unwrap().iter().map(|f| &f["key"]).collect();
        assert_eq!(keys, ["output.path", "privacy.k", "privacy.suppression"]);
        assert_eq!(verdict["ok"], false);
    }
    std::fs::remove_file(env.path("zip.csv")).unwrap();
    env.run("policy check p.toml").fails(1).says(&["zip.csv", "cannot be read"]);
    env.run("policy check b.json").ok();
    env.run("policy check nope.toml").fails(2).says(&["nope.toml", "there is no such file"]);
}

#[test]
fn mistakes_in_json_are_shown_at_their_line() {
    let env = env();
    let text = json_of(POLICY);
    let line = |part: &str| 1 + text[..text.find(part).unwrap()].matches('\n').count();
    for (from, to, words) in [
        ("\"k\": 3", "\"k\": 0", "1 or more"),
        ("\"k\": 3", "\"k\": \"x\"", "a whole number from 1 up"),
        ("\"k\": 3", "\"kk\": 3", "there is no key `kk`"),
        ("\"k\": 3", "\"k\": oops", "is not valid JSON"),
    ] {
        env.write("w.json", text.replace(from, to));
        let place = format!("w.json:{}", line(from));
        env.run("release w.json").fails(2).says(&[&place, words]);
    }
    // A fault that the table shows.
    env.write("w.json", text.replace("\"k\": 3", "\"k\": 30"));
    env.run("release w.json").fails(2).says(&[&format!("w.json:{}", line("\"k\": 3")), "12 rows"]);
}

#[test]
fn a_name_that_ends_in_json_gives_a_json_policy() {
    let env = env();
    env.run("inspect t.csv --write new.toml").ok();
    env.run("inspect t.csv --write new.json").ok();
    assert_eq!(env.text("new.json"), json_of(&env.text("new.toml")));
    assert_eq!(env.json("new.json")["version"], 1);
    env.run("policy check new.json").ok();
}
