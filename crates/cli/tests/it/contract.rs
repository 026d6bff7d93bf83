//! What other programs rely on: the fields of `--json`, the exit codes, and help with an example.

use serde_json::Value;

use crate::env::TestEnv;
use crate::people::{people, policy};

fn fixture() -> TestEnv {
    TestEnv::with(&[("people.csv", &people(300, 61).write(',')), ("p.toml", &policy(&[]))])
}

#[test]
fn help_has_usage_and_examples() {
    let env = TestEnv::new();
    // That every command has an example is a test of the arguments themselves.
    for command in ["release", "hierarchy", "hierarchy convert"] {
        let help = env.run(&format!("{command} --help")).ok().stdout;
        assert!(help.contains("Usage:"), "{command}: {help}");
        assert!(help.contains(&format!("  throng {command} ")), "{command}: {help}");
    }
    let help = env.run("--help").ok().stdout;
    assert!(help.contains("throng inspect") && help.contains("Exit codes: 0"), "{help}");
    assert!(env.run("--version").ok().stdout.starts_with("throng "));
    assert!(env.names().is_empty());
}

/// Every other claim fails, too; the first line says why.
#[test]
fn another_original_is_said_first() {
    let env = fixture();
    env.write("other.csv", people(300, 62).write(','));
    env.run("release p.toml").fails(0);
    let run = env.run("verify out.csv --policy p.toml --original other.csv").fails(1);
    assert!(
        run.stdout.starts_with("This is not the original that was released, or it was changed: "),
        "{}",
        run.said()
    );
    let run = env.run("verify out.csv --policy p.toml --original people.csv").fails(0);
    assert!(!run.stdout.contains("This is not"), "{}", run.said());
}

#[test]
fn quiet_shows_no_progress() {
    let env = fixture();
    let plain = |args: &[&str]| env.run_args(args, &[("THRONG_PROGRESS", "plain")]);
    assert!(plain(&["release", "p.toml"]).stderr.contains("reading: "));
    assert_eq!(plain(&["release", "p.toml", "-q"]).ok().stderr, "");
    assert_eq!(plain(&["-q", "release", "p.toml"]).ok().stderr, "");
}

#[test]
fn completions_and_manual_pages_are_printed() {
    let env = TestEnv::new();
    assert!(env.run("completions bash").ok().stdout.contains("throng"));
    assert!(env.run("man").ok().stdout.contains(".TH throng 1"));
    assert!(env.run("man hierarchy build").ok().stdout.contains(".TH throng-hierarchy-build 1"));
    let pages = env.run("man --list").ok().stdout;
    assert!(pages.starts_with('\n') && pages.contains("\nrelease\n"), "{pages}");
    assert!(env.names().is_empty());
}

#[test]
fn the_schema_of_a_policy_is_json() {
    let schema: Value = serde_json::from_str(&TestEnv::new().run("schema").ok().stdout).unwrap();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert_eq!(schema["properties"]["privacy"]["properties"]["k"]["minimum"], 1);
    let losses = schema["$defs"]["loss"]["oneOf"].as_array().unwrap();
    assert!(losses.iter().any(|loss| loss["const"] == "entropy"), "{losses:?}");
}

#[test]
fn wrong_use_is_explained() {
    let cases: &[(&str, &[&str])] = &[
        ("", &["Usage: throng [OPTIONS] <COMMAND>", "Everyday commands:"]),
        ("anonymize p.toml", &["unrecognized subcommand 'anonymize'", "'release'"]),
        ("man nonsense", &["there is no manual page for `nonsense`", "throng man --list"]),
        ("completions cobol", &["'cobol'", "bash"]),
        (
            "hierarchy build intervals --input people.csv --column age",
            &[
                "`intervals` is not a hierarchy: it has parameters",
                "{ intervals = { widths = [5, 10, 20] } }",
            ],
        ),
        ("relese p.toml", &["unrecognized subcommand 'relese'", "'release'"]),
        ("release", &["<POLICY>"]),
        ("release p.toml --sead 7", &["'--sead'", "'--seed'"]),
        ("release p.toml --seed x", &["'x'", "--seed"]),
        ("release p.toml --seed -1", &["-1"]),
        ("release p.toml --engine embedded", &["'--engine'"]),
        ("inspect people.csv --header perhaps", &["'perhaps'", "first-line", "none"]),
        ("verify out.csv", &["--policy"]),
        ("inspect", &["<INPUT>"]),
        ("inspect people.csv --k many", &["'many'", "--k"]),
        ("inspect people.csv --delimiter ;;", &["';;'", "--delimiter"]),
        ("hierarchy check h.csv --input people.csv", &["--column"]),
        ("hierarchy", &["Usage: throng hierarchy"]),
        ("demo --rows -3", &["-3"]),
    ];
    let env = fixture();
    let before = env.listing();
    for (line, words) in cases {
        let run = env.run(line).fails(2);
        run.says(words);
        assert_eq!(run.stdout, "", "{}", run.said());
    }
    assert_eq!(env.listing(), before);
}

/// Where a field is, and what it is.
type Field = (&'static str, fn(&Value) -> bool);

#[track_caller]
fn has(value: &Value, fields: &[Field]) {
    for (path, is) in fields {
        let found = value.pointer(path).unwrap_or_else(|| panic!("{path} is missing: {value:#}"));
        assert!(is(found), "{path} is {found}");
    }
}

fn digest(value: &Value) -> bool {
    value.as_str().is_some_and(|s| s.len() == 64 && s.bytes().all(|b| b.is_ascii_hexdigit()))
}

const RELEASE: &[Field] = &[
    ("/format", |format| *format == 1),
    ("/rows", Value::is_u64),
    ("/released", Value::is_u64),
    ("/suppressed", Value::is_u64),
    ("/withheld", Value::is_u64),
    ("/levels/age", Value::is_u64),
    ("/levels/city", Value::is_u64),
    ("/loss/entropy", Value::is_f64),
    ("/loss/lm", Value::is_f64),
    ("/privacy/k-anonymity/required", Value::is_number),
    ("/privacy/k-anonymity/achieved", Value::is_number),
    ("/privacy/k-anonymity/holds", Value::is_boolean),
    ("/search/algorithm", Value::is_string),
    ("/search/nodes", Value::is_u64),
    ("/search/checked", Value::is_u64),
    ("/search/optimal", Value::is_boolean),
    ("/search/gap", Value::is_number),
    ("/search/seconds", Value::is_number),
    ("/input/path", Value::is_string),
    ("/input/sha256", digest),
    ("/input/rows", Value::is_u64),
    ("/output/path", Value::is_string),
    ("/output/sha256", digest),
    ("/output/rows", Value::is_u64),
    ("/policy/sha256", digest),
    ("/seed", Value::is_u64),
    ("/version", Value::is_string),
];

#[test]
fn the_json_of_a_release_is_the_contract() {
    let env = fixture();
    let release = env.run("release p.toml --json").ok().json();
    has(&release, RELEASE);
    let certificate = env.json("out.certificate.json");
    has(&certificate, RELEASE);
    has(&certificate, &[("/columns", Value::is_array), ("/classes", Value::is_u64), ("/seal", digest)]);
    assert!(release["suggestions"].is_array() && certificate.get("suggestions").is_none());
    for (key, value) in release.as_object().unwrap().iter().filter(|(key, _)| *key != "suggestions") {
        assert_eq!(&certificate[key], value, "{key}");
    }
    assert!(env.text("out.report.html").contains("<html"));
}

#[test]
fn the_json_of_a_demo_is_that_of_its_release() {
    let env = TestEnv::new();
    let release = env.run("demo --rows 10000 --seed 3 --json").ok().json();
    assert_eq!(
        (&release["rows"], &release["privacy"]["k-anonymity"]["holds"]),
        (&10000.into(), &true.into())
    );
    assert_eq!(env.names(), ["throng-demo"]);
}

#[test]
fn the_json_of_verify_is_the_contract() {
    let env = fixture();
    env.run("release p.toml").ok();
    let alone = env.run("verify out.csv --policy p.toml --json").ok().json();
    let whole = env.run("verify out.csv --policy p.toml --original people.csv --json").ok().json();
    let claims = [
        "certificate",
        "policy",
        "columns",
        "output",
        "classes",
        "k-anonymity",
        "shape",
        "input",
        "truth",
        "levels",
        "loss: entropy",
    ];
    for verdict in [&alone, &whole] {
        for claim in claims {
            has(&verdict[claim], &[("/holds", Value::is_boolean), ("/found", Value::is_string)]);
            assert_eq!(verdict[claim]["holds"], true, "{claim}");
        }
    }
    for claim in ["input", "truth"] {
        assert_eq!(alone[claim]["unchecked"], true, "{claim} cannot be known without the original");
        assert_eq!(whole[claim]["unchecked"], Value::Null, "{claim}");
    }
    assert!(whole.as_object().unwrap().values().all(|f| f.get("unchecked").is_none()), "{whole:#}");
}

#[test]
fn the_json_of_inspect_names_every_column() {
    let env = fixture();
    let run = env.run("inspect people.csv --write other.toml --json").ok();
    let description = run.json();
    let columns = description["columns"].as_array().unwrap();
    assert_eq!(columns.len(), 9);
    for column in columns {
        has(column, &[("/name", Value::is_string), ("/role", Value::is_string)]);
    }
    assert_eq!(description["rows"], 300);
    assert!(env.path("other.toml").is_file());
}

#[test]
fn a_failure_leaves_standard_output_empty_for_programs() {
    let env = fixture();
    env.write(
        "unsafe.toml",
        policy(&[
            ("k = 5", "k = 299"),
            ("suppression = 0.05", "suppression = 0"),
            ("high = 100 } }", "high = 100 } }\nmax_level = 0"),
        ]),
    );
    env.write("broken.toml", "version = ");
    let cases = [
        ("release unsafe.toml --json", 1),
        ("release broken.toml --json", 2),
        ("release nope.toml --json", 2),
        ("inspect nope.csv --json", 2),
        ("verify people.csv --policy p.toml --json", 2),
        ("hierarchy check nope.csv --json", 2),
    ];
    for (line, code) in cases {
        let run = env.run(line).fails(code);
        assert!(run.stdout.is_empty() && !run.stderr.is_empty(), "{}", run.said());
    }
}
