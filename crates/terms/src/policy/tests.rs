//! Policies as data: TOML, JSON and bundles say the same.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Form, LossSpec, Policy, PolicyBundle, locate};
use crate::error::{Error, Fault, Kind, Result};
use crate::registry::{Algorithm, LossKind};

const GOOD: &str = r#"version = 1
[input]
path = "patients.csv"
[columns.age]
role = "quasi"
hierarchy = { file = "age.csv" }
max_level = 2
weight = 2.5
[columns.zip]
role = "quasi"
hierarchy = { mask = { from = "right" } }
[columns.job]
role = "quasi"
poset = { codes = { file = { path = "jobs.csv", delimiter = ";" }, most = 2 } }
[columns.name]
role = "identifier"
[columns.ill]
role = "sensitive"
[privacy]
k = 5
[search]
algorithm = "greedy"
"#;

fn as_json(toml: &str) -> Value {
    serde_json::to_value(toml::from_str::<toml::Table>(toml).unwrap()).unwrap()
}

fn good() -> Value {
    as_json(GOOD)
}

/// The good policy with another value at a place.
fn with(pointer: &str, value: Value) -> String {
    let mut policy = good();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    policy.pointer_mut(parent).unwrap()[name] = value;
    serde_json::to_string_pretty(&policy).unwrap()
}

/// All files below a folder that end in `.toml`.
fn documents(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true if path.ends_with("target") => {}
            true => documents(&path, found),
            false if path.extension().is_some_and(|e| e == "toml") => found.push(path),
            false => {}
        }
    }
}

#[test]
fn every_policy_of_the_repository_survives_being_written() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    for folder in ["examples", "experiments", "fuzz/seeds", "crates/core"] {
        documents(&root.join(folder), &mut found);
    }
    let mut policies = 0;
    for path in found {
        let text = std::fs::read_to_string(&path).unwrap();
        let Ok(policy) = Policy::parse(&text) else { continue };
        policies += 1;
        survives(&policy);
    }
    assert!(policies >= 14, "{policies}");
}

pub(crate) fn survives(policy: &Policy) {
    policy.check().unwrap();
    let (toml, json) = (policy.to_toml().unwrap(), policy.to_json().unwrap());
    assert_eq!(&Policy::parse(&toml).unwrap(), policy, "{toml}");
    assert_eq!(&Policy::parse(&json).unwrap(), policy, "{json}");
    assert_eq!(&Policy::parse(&format!("\u{feff}\n {json}")).unwrap(), policy);
}

#[test]
fn json_says_what_toml_says() {
    assert_eq!(Policy::parse(&good().to_string()).unwrap(), Policy::parse(GOOD).unwrap());
    survives(&Policy::parse(GOOD).unwrap());
}

#[test]
fn a_value_is_checked_whatever_it_was_made_from() {
    let mut policy: Policy = serde_json::from_value(good()).unwrap();
    policy.check().unwrap();
    policy.privacy.given_k = Some(0);
    policy.columns.get_mut("age").unwrap().weight = Some(-1.0);
    let error = policy.check().unwrap_err();
    let keys: Vec<_> = error.faults().iter().map(|fault| fault.place.key.as_deref().unwrap()).collect();
    assert_eq!(keys, ["columns.age.weight", "privacy.k"]);
}

/// Checking does not change what a policy is, so it can be checked again.
#[test]
fn the_k_of_an_anonymity_level_does_not_depend_on_who_made_the_policy() {
    let text = GOOD.replace("k = 5", "anonymity = 0.3");
    let parsed = Policy::parse(&text).unwrap();
    let made: Policy = serde_json::from_value(as_json(&text)).unwrap();
    assert_eq!(made.privacy.k(), Some(164));
    made.check().unwrap();
    assert_eq!(made, parsed);
    survives(&parsed);
    assert!(!parsed.to_json().unwrap().contains("\"k\""));
}

#[track_caller]
fn refused(text: &str) -> Fault {
    let error = Policy::parse(text).unwrap_err();
    assert_eq!(error.faults().len(), 1, "{error}");
    error.faults()[0].clone()
}

/// Key, quoted place and words of the fault of a JSON policy.
#[track_caller]
fn says(text: &str, key: &str, at: &str, words: &[&str]) {
    let fault = refused(text);
    assert_eq!(fault.place.key.as_deref(), Some(key), "{fault:?}");
    let span = fault.place.span.clone().expect("a place");
    assert_eq!(&text[span], at, "{fault:?}");
    let said = Error::from(fault).to_string();
    words.iter().for_each(|word| assert!(said.contains(word), "{said} lacks {word}"));
}

#[test]
fn mistakes_of_json_name_key_place_and_remedy() {
    let age = |part: &str, value: Value| with(&format!("/columns/age/{part}"), value);
    says(
        &age("max_levle", json!(1)),
        "columns.age.max_levle",
        "\"max_levle\"",
        &["did you mean `max_level`?"],
    );
    says(&age("role", json!("quassi")), "columns.age.role", "\"quassi\"", &["did you mean `quasi`?"]);
    says(&age("max_level", json!(-1)), "columns.age.max_level", "-1", &["`-1`", "a whole number from 0 up"]);
    says(&age("weight", json!("x")), "columns.age.weight", "\"x\"", &["a number"]);
    says(&age("weight", json!(-2)), "columns.age.weight", "-2", &["0 or more"]);
    says(&with("/privacy/k", json!(2.5)), "privacy.k", "2.5", &["`2.5`", "a whole number from 1 up"]);
    says(&with("/privacy/k", json!("five")), "privacy.k", "\"five\"", &["a whole number from 1 up"]);
    says(
        &with("/privacy/models", json!([{ "l_diversty": {} }])),
        "privacy.models.0.l_diversty",
        "\"l_diversty\"",
        &["l_diversity"],
    );
    says(&with("/search/algorithm", json!("greedi")), "search.algorithm", "\"greedi\"", &["greedy"]);
    says(&with("/version", json!(2)), "version", "2", &["version 2"]);
    says(&with("/privacie", json!({})), "privacie", "\"privacie\"", &["did you mean `privacy`?"]);
    says(
        &with("/columns/zip/hierarchy", json!({ "masc": {} })),
        "columns.zip.hierarchy.masc",
        "\"masc\"",
        &["mask"],
    );
    let twice = good().to_string().replace("\"zip\":", "\"age\":");
    says(&twice, "columns.age", "\"age\"", &["given twice"]);
    says(&with("/privacy/k", json!({})), "privacy.k", "{}", &["a whole number from 1 up"]);
    let widths = json!({ "intervals": { "widths": [5, {}] } });
    says(
        &with("/columns/zip/hierarchy", widths),
        "columns.zip.hierarchy.intervals.widths.1",
        "{}",
        &["a number"],
    );
    let text = with("/input", json!({}));
    says(&text, "input", "{}", &["missing field `path`"]);
}

#[test]
fn broken_json_has_its_line() {
    let text = "{\n  \"version\": 1,\n  \"input\": oops\n}\n";
    let fault = refused(text);
    assert_eq!((fault.code, fault.place.line), ("policy.json-syntax", Some(3)), "{fault:?}");
    assert!(text[fault.place.span.unwrap()].starts_with('o'));
    let marked = refused(&format!("\u{feff}{text}"));
    assert_eq!(marked.place.line, Some(3));
    // A multi-byte character where the reader stops.
    for text in ["{é", "{\"é", "\u{feff}{é", "{\"version\": é}", "{\"version\": 1}é"] {
        assert_eq!(refused(text).code, "policy.json-syntax", "{text}");
    }
    // The first value is of another kind; the fault is the syntax.
    let fault = refused("{\"version\": \"x\",\n\"input\": }");
    assert_eq!((fault.code, fault.place.line), ("policy.json-syntax", Some(2)), "{fault:?}");
    let deep = format!("{{\"input\": {}", "[".repeat(100_000));
    assert_eq!(refused(&deep).code, "policy.json-syntax");
}

#[test]
fn faults_found_later_are_located_in_json() {
    let text = with("/privacy/k", json!(7));
    let error = Error::from(Fault::bug("too large").key("privacy.k"));
    let located = locate(error, &text);
    assert_eq!(&text[located.faults()[0].place.span.clone().unwrap()], "7");
}

#[test]
fn numbers_survive_or_are_refused() {
    for seed in [i64::MAX as u64, u64::MAX] {
        let policy = Policy::parse(&with("/search/seed", json!(seed))).unwrap();
        assert_eq!(policy.search.seed, seed);
        survives(&policy);
    }
    let mut policy = Policy::parse(GOOD).unwrap();
    policy.columns.get_mut("age").unwrap().weight = Some(f64::INFINITY);
    let error = policy.to_json().unwrap_err();
    assert!(error.has_code("policy.not-json") && error.is_all(Kind::Input), "{error}");
}

fn load(path: &str) -> Result<String> {
    match path {
        "age.csv" => Ok("30;30-39;*\n".into()),
        "jobs.csv" => Ok("\u{feff}A1\r\nA2\n\"é\"\n".into()),
        _ => Err(Fault::bug("cannot be read").file(path).into()),
    }
}

fn bundle() -> PolicyBundle {
    PolicyBundle::new(GOOD, &load).unwrap()
}

#[test]
fn a_bundle_has_the_files_that_the_policy_names() {
    let bundle = bundle();
    assert_eq!(bundle.files().keys().collect::<Vec<_>>(), ["age.csv", "jobs.csv"]);
    assert_eq!(bundle.policy(), &Policy::parse(GOOD).unwrap());
    assert_eq!(Policy::digest(bundle.text()), Policy::digest(GOOD));
    let text = bundle.to_json().unwrap();
    assert!(PolicyBundle::is_bundle(&text));
    assert!(!PolicyBundle::is_bundle(GOOD) && !PolicyBundle::is_bundle(&good().to_string()));
    for text in [text.clone(), format!("\u{feff}{text}")] {
        let read = PolicyBundle::from_json(&text).unwrap();
        assert_eq!(read, bundle);
        assert_eq!(read.digest().unwrap(), bundle.digest().unwrap());
        for path in ["age.csv", "jobs.csv"] {
            assert_eq!(read.load(path).unwrap(), load(path).unwrap());
        }
    }
    let document: Value = serde_json::from_str(&text).unwrap();
    let files: BTreeMap<String, String> =
        ["age.csv", "jobs.csv"].map(|path| (path.to_owned(), load(path).unwrap())).into();
    assert_eq!(document, json!({ "format": 1, "policy": GOOD, "files": files }));
    assert_eq!(serde_json::from_value::<PolicyBundle>(document).unwrap(), bundle);
    assert!(bundle.load("zip.csv").unwrap_err().has_code("bundle.missing-file"));
}

#[test]
fn every_file_that_cannot_be_read_is_named_with_its_column() {
    let none = |path: &str| Err(Fault::bug("cannot be read").file(path).into());
    let error = PolicyBundle::new(GOOD, &none).unwrap_err();
    let places: Vec<_> =
        error.faults().iter().map(|f| (f.place.file.as_deref(), f.place.column.as_deref())).collect();
    assert_eq!(places, [(Some("age.csv"), Some("age")), (Some("jobs.csv"), Some("job"))]);
}

/// The codes of the faults of a changed bundle; none has a place in the text of the policy.
fn codes(change: impl Fn(&mut Value)) -> Vec<&'static str> {
    let mut document: Value = serde_json::from_str(&bundle().to_json().unwrap()).unwrap();
    change(&mut document);
    let error = PolicyBundle::from_json(&document.to_string()).unwrap_err();
    assert!(error.faults().iter().all(|fault| fault.place.span.is_none()), "{error}");
    error.faults().iter().map(|fault| fault.code).collect()
}

#[test]
fn a_bundle_that_was_changed_is_refused() {
    let remove = |path: &'static str| {
        move |document: &mut Value| drop(document["files"].as_object_mut().unwrap().remove(path))
    };
    assert_eq!(codes(remove("age.csv")), ["bundle.missing-file"]);
    assert_eq!(codes(|d| d["files"]["more.csv"] = json!("x")), ["bundle.unused-file"]);
    assert_eq!(codes(|d| d["files"] = json!({ "zip.csv": "" })).len(), 3);
    assert_eq!(
        codes(|d| {
            d["format"] = json!(2);
            d["new"] = json!(1)
        }),
        ["bundle.unknown-format"]
    );
    assert_eq!(codes(|d| d["format"] = json!(0)), ["bundle.unknown-format"]);
    assert_eq!(codes(|d| d["more"] = json!(1)).len(), 1);
    assert_eq!(codes(|d| d["files"]["age.csv"] = json!(1)).len(), 1);
    assert_eq!(codes(|d| drop(d.as_object_mut().unwrap().remove("files"))).len(), 1);
    let twice = bundle().to_json().unwrap().replace("\"jobs.csv\"", "\"age.csv\"");
    assert!(PolicyBundle::from_json(&twice).unwrap_err().has_code("bundle.duplicate-key"));
    for broken in ["", "{", "[]", "{\"format\": 1", "{\"format\": 1}"] {
        assert!(PolicyBundle::from_json(broken).is_err(), "{broken}");
    }
}

#[test]
fn mistakes_of_a_bundled_policy_name_its_key_or_line() {
    let error = |policy: &str| {
        let text = json!({ "format": 1, "policy": policy, "files": {} }).to_string();
        PolicyBundle::from_json(&text).unwrap_err()
    };
    let fault = error(&GOOD.replace("k = 5", "k = 0")).faults()[0].clone();
    assert_eq!((fault.place.key.as_deref(), fault.place.span), (Some("privacy.k"), None));
    let fault = error(&GOOD.replace("k = 5", "k = = 5")).faults()[0].clone();
    assert!(fault.message.starts_with("line 20 of the policy: "), "{fault:?}");
    let future = bundle().to_json().unwrap().replace("\"format\": 1", "\"format\": 7");
    let said = PolicyBundle::from_json(&future).unwrap_err().to_string();
    assert!(said.contains("format 7") && said.contains(env!("CARGO_PKG_VERSION")), "{said}");
}

#[test]
fn a_column_that_is_not_there_is_answered_with_a_near_one() {
    let policy = |column: &str| {
        let text = format!(
            "version = 1\n[input]\npath = \"x.csv\"\n[columns]\n{column}.role = \"quasi\"\n[privacy]\nk = 2\n"
        );
        Policy::parse(&text).unwrap()
    };
    let columns = ["zip", "birth_date", "sex"].map(String::from);
    let help = |column: &str| {
        let error = policy(column).bind(&columns).unwrap_err();
        error.faults()[0].help.clone().unwrap()
    };
    assert_eq!(help("zpi"), "did you mean `zip`?");
    assert_eq!(help("zip_code"), "did you mean `zip`?");
    assert_eq!(help("Birth"), "did you mean `birth_date`?");
    assert_eq!(help("income"), "the table has `zip`, `birth_date`, `sex`");
    assert_eq!(help("se"), "did you mean `sex`?");
}

/// A policy with a section on the search, and more lines before it.
fn searched(before: &str, search: &str) -> String {
    format!(
        "version = 1\n[input]\npath = \"t.csv\"\n{before}[columns]\nage = {{ role = \"quasi\", form = \"interval\" }}\n\
         sex.role = \"quasi\"\nill.role = \"sensitive\"\n[privacy]\nk = 2\n{search}"
    )
}

#[test]
fn without_an_algorithm_the_best_is_searched() {
    let asked = |search: &str| Policy::parse(&searched("", search)).unwrap().search;
    let of = |search: &str| (asked(search).algorithm, asked(search).loss);
    let (lm, entropy) = (LossSpec::Name(LossKind::Lm), LossSpec::Name(LossKind::Entropy));
    assert_eq!(of(""), (Algorithm::Best, lm.clone()));
    assert_eq!(of("[search]\nseed = 3\n"), (Algorithm::Best, lm.clone()));
    assert_eq!(of("[search]\nalgorithm = \"best\"\n"), (Algorithm::Best, lm.clone()));
    assert_eq!(of("[search]\nloss = \"entropy\"\n"), (Algorithm::Best, entropy.clone()));
    assert_eq!(of("[search]\nalgorithm = \"mondrian\"\n"), (Algorithm::Mondrian, entropy.clone()));
    assert_eq!(of("[search]\nalgorithm = \"mondrian\"\nloss = \"lm\"\n").1, lm);
    // Versions without it read the same text otherwise.
    let former = |search: &str| {
        let text = searched("", search).replace(", form = \"interval\"", "");
        let json = serde_json::to_string(&as_json(&text)).unwrap();
        let (policy, same) = (Policy::parse_without_best(&text).unwrap(), Policy::parse_without_best(&json));
        assert_eq!(policy, same.unwrap());
        policy.map(|policy| (policy.search.algorithm, policy.search.loss))
    };
    assert_eq!(former(""), Some((Algorithm::Auto, entropy.clone())));
    assert_eq!(former("[search]\nlocal = true\n"), Some((Algorithm::Auto, entropy)));
    assert_eq!(former("[search]\nloss = \"lm\"\n"), Some((Algorithm::Auto, lm)));
    assert_eq!(former("[search]\nalgorithm = \"best\"\n"), None);
    assert_eq!(former("[search]\nalgorithm = \"ola\"\n"), None);
}

#[test]
fn the_best_is_levels_where_regions_are_not_defined() {
    let plain = Policy::parse(&searched("", "")).unwrap();
    assert!(plain.forms_regions() && plain.needs_levels().is_none());
    assert_eq!(plain.columns["age"].form, Some(Form::Interval));
    let levels = plain.for_levels();
    assert_eq!((levels.search.algorithm, levels.columns["age"].form), (Algorithm::Auto, None));
    assert!(levels.check().is_ok() && !levels.forms_regions());
    let model = |model: &str| format!("models = [{{ {model} }}]\n");
    for (before, search, reason) in [
        ("missing = \"wildcard\"\n", String::new(), "input.missing"),
        ("[output]\nsuppressed = \"cells\"\n", String::new(), "output.suppressed"),
        ("", "[search]\nlocal = true\n".into(), "search.local"),
        ("", "[search]\nprefer = \"height\"\n".into(), "search.prefer"),
        ("", "[search]\nloss = \"height\"\n".into(), "adds up levels"),
        ("", model("l_diversity = { column = \"sex\", l = 2 }"), "`sex` at one level"),
        ("", model("k_map = { k = 5, population = 1000 }"), "not defined for regions"),
        ("", model("population_uniqueness = { population = 1000, max = 0.1 }"), "all classes together"),
    ] {
        let text = searched(before, &search).replace(", form = \"interval\"", "");
        let policy = Policy::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!(!policy.forms_regions(), "{text}");
        assert!(policy.needs_levels().unwrap().contains(reason), "{:?}", policy.needs_levels());
        let mut named = policy.clone();
        named.search.algorithm = Algorithm::Auto;
        assert!(named.needs_levels().is_none());
    }
    let form = Policy::parse(&searched("", "[search]\nlocal = true\n")).unwrap_err();
    assert!(form.has_code("policy.form-without-regions"), "{form}");
    assert!(form.to_string().contains("search.local"), "{form}");
}
