//! The JSON Schema of policies: every policy of the repository and of the guide is valid, and
//! broken ones are not.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use throng::policy::Policy;
use throng::registry::schema;

/// What is wrong with a value, by the keywords that the schema uses; a keyword that is not known
/// here panics.
fn faults(schema: &Value, value: &Value, root: &Value, at: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (keyword, rule) in schema.as_object().unwrap() {
        let wrong = match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" | "default" => false,
            "$ref" => {
                let name = rule.as_str().unwrap().strip_prefix("#/$defs/").unwrap();
                found.extend(faults(&root["$defs"][name], value, root, at));
                false
            }
            "type" => !is_type(rule.as_str().unwrap(), value),
            "const" => value != rule,
            "enum" => !rule.as_array().unwrap().contains(value),
            "minimum" => value.as_f64().is_some_and(|v| v < rule.as_f64().unwrap()),
            "maximum" => value.as_f64().is_some_and(|v| v > rule.as_f64().unwrap()),
            "exclusiveMinimum" => value.as_f64().is_some_and(|v| v <= rule.as_f64().unwrap()),
            "exclusiveMaximum" => value.as_f64().is_some_and(|v| v >= rule.as_f64().unwrap()),
            "minLength" => {
                value.as_str().is_some_and(|v| (v.chars().count() as u64) < rule.as_u64().unwrap())
            }
            "maxLength" => value.as_str().is_some_and(|v| v.chars().count() as u64 > rule.as_u64().unwrap()),
            "minItems" => value.as_array().is_some_and(|v| (v.len() as u64) < rule.as_u64().unwrap()),
            "maxItems" => value.as_array().is_some_and(|v| v.len() as u64 > rule.as_u64().unwrap()),
            "items" => {
                for (i, item) in value.as_array().into_iter().flatten().enumerate() {
                    found.extend(faults(rule, item, root, &format!("{at}.{i}")));
                }
                false
            }
            "prefixItems" => {
                let items = value.as_array().into_iter().flatten();
                for (i, (rule, item)) in rule.as_array().unwrap().iter().zip(items).enumerate() {
                    found.extend(faults(rule, item, root, &format!("{at}.{i}")));
                }
                false
            }
            "required" => {
                let needed = rule.as_array().unwrap().iter().map(|name| name.as_str().unwrap());
                value.is_object() && needed.into_iter().any(|name| value.get(name).is_none())
            }
            "properties" => {
                for (name, rule) in rule.as_object().unwrap() {
                    let inner = value.get(name).map(|v| faults(rule, v, root, &format!("{at}.{name}")));
                    found.extend(inner.into_iter().flatten());
                }
                false
            }
            "additionalProperties" => {
                let known = schema.get("properties").and_then(Value::as_object);
                for (name, inner) in value.as_object().into_iter().flatten() {
                    if known.is_some_and(|known| known.contains_key(name)) {
                        continue;
                    }
                    match rule {
                        Value::Bool(allowed) if !allowed => found.push(format!("{at}: unknown key {name}")),
                        rule => found.extend(faults(rule, inner, root, &format!("{at}.{name}"))),
                    }
                }
                false
            }
            "anyOf" => rule.as_array().unwrap().iter().all(|rule| !faults(rule, value, root, at).is_empty()),
            "oneOf" => {
                let fits = |rule: &&Value| faults(rule, value, root, at).is_empty();
                rule.as_array().unwrap().iter().filter(fits).count() != 1
            }
            other => panic!("the schema uses `{other}`, which this test does not know"),
        };
        if wrong {
            found.push(format!("{at}: {keyword} {rule} does not allow {value}"));
        }
    }
    found
}

fn is_type(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        other => panic!("type {other}"),
    }
}

fn wrong(policy: &Value) -> Vec<String> {
    let schema = schema();
    faults(&schema, policy, &schema, "policy")
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn as_json(text: &str) -> Option<Value> {
    serde_json::to_value(toml::from_str::<toml::Table>(text).ok()?).ok()
}

/// Files that end in something below a folder.
fn files(folder: &Path, end: &str, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !name.starts_with('.') && name != "target" {
            files(&path, end, found);
        } else if name.ends_with(end) {
            found.push(path);
        }
    }
}

#[test]
fn policies_of_the_repository_are_valid() {
    let mut found = Vec::new();
    files(&repository(), ".toml", &mut found);
    let mut valid = 0;
    for path in found {
        let text = std::fs::read_to_string(&path).unwrap();
        if Policy::parse(&text).is_ok() {
            assert_eq!(wrong(&as_json(&text).unwrap()), Vec::<String>::new(), "{}", path.display());
            valid += 1;
        }
    }
    assert!(valid >= 8, "{valid}");
}

fn merge(base: &mut Value, part: Value) {
    match (base, part) {
        (Value::Object(base), Value::Object(part)) => {
            for (key, value) in part {
                merge(base.entry(key).or_insert(Value::Null), value);
            }
        }
        (base, part) => *base = part,
    }
}

fn least() -> Value {
    json!({
        "version": 1,
        "input": { "path": "a.csv" },
        "columns": { "age": { "role": "quasi" } },
        "privacy": { "k": 2 },
    })
}

/// Blocks of the guide show a policy, or some of its sections.
#[test]
fn policies_of_the_guide_are_valid() {
    let mut pages = Vec::new();
    files(&repository().join("docs"), ".md", &mut pages);
    let known = [
        "version",
        "template",
        "input",
        "output",
        "columns",
        "privacy",
        "search",
        "argus",
        "statement",
        "ledger",
        "certificate",
    ];
    let mut valid = 0;
    for path in pages {
        let text = std::fs::read_to_string(&path).unwrap();
        for block in text.split("```toml\n").skip(1) {
            let Some(mut part) = as_json(block.split("```").next().unwrap()) else { continue };
            if !part.as_object().unwrap().keys().all(|key| known.contains(&key.as_str())) {
                continue;
            }
            // The specification of a made-up table lists its columns.
            if part.get("columns").is_some_and(Value::is_array) {
                continue;
            }
            // A section that is shown for one key may leave out what a column must have.
            for (_, column) in part.get_mut("columns").and_then(Value::as_object_mut).into_iter().flatten() {
                column.as_object_mut().unwrap().entry("role").or_insert(json!("quasi"));
            }
            let mut policy = least();
            merge(&mut policy, part);
            assert_eq!(wrong(&policy), Vec::<String>::new(), "{}: {policy}", path.display());
            valid += 1;
        }
    }
    assert!(valid >= 6, "{valid}");
}

#[test]
fn broken_policies_are_not_valid() {
    let broken = [
        json!({ "version": 2 }),
        json!({ "colour": 1 }),
        json!({ "input": { "path": "a.csv", "delimiter": ";;" } }),
        json!({ "input": { "pth": "a.csv" } }),
        json!({ "columns": { "age": { "role": "quazi" } } }),
        json!({ "columns": { "age": { "role": "quasi", "weight": -1 } } }),
        json!({ "columns": { "age": { "role": "quasi", "hierarchy": "icd11" } } }),
        json!({ "columns": { "age": { "role": "quasi", "hierarchy": { "mask": { "step": "two" } } } } }),
        json!({ "columns": { "age": { "role": "quasi", "hierarchy": { "mask": {}, "date": {} } } } }),
        json!({ "privacy": { "k": 0 } }),
        json!({ "privacy": { "k": 2.5 } }),
        json!({ "privacy": { "suppression": 5 } }),
        json!({ "privacy": { "models": [{ "l_diversty": { "column": "d", "l": 2 } }] } }),
        json!({ "privacy": { "models": [{ "l_diversity": { "l": 2 } }] } }),
        json!({ "privacy": { "models": [{ "l_diversity": { "column": "d", "l": 2, "kind": "odd" } }] } }),
        json!({ "privacy": { "models": [{ "average_risk": { "max": 0 } }] } }),
        json!({ "search": { "algorithm": "oracle" } }),
        json!({ "search": { "loss": "entropi" } }),
        json!({ "search": { "loss": { "tradeoff": 0.3 } } }),
        json!({ "search": { "loss": { "name": "lm", "tradeoff": 1.5 } } }),
        json!({ "search": { "greedy": { "beam": 65 } } }),
    ];
    assert_eq!(wrong(&least()), Vec::<String>::new());
    for part in broken {
        let mut policy = least();
        merge(&mut policy, part.clone());
        assert!(!wrong(&policy).is_empty(), "{part}");
        let text = toml::to_string(&policy).unwrap();
        assert!(Policy::parse(&text).is_err(), "{part}");
    }
    let mut missing = least();
    missing.as_object_mut().unwrap().remove("privacy");
    assert!(!wrong(&missing).is_empty());
}
