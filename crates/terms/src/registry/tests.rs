//! The registry against the types that read policies: every key, every word and every range, both
//! ways.

use serde_json::{Map, Value, json};

use super::Family;
use super::entry::{Bounds, Entry, Need, Parameter, ParameterKind, Shape};
use crate::policy::{ModelKind, POLICY_KEYS, Policy};

/// A value that is accepted.
fn sample(kind: &ParameterKind) -> Value {
    match kind {
        ParameterKind::Text | ParameterKind::Path | ParameterKind::Column => json!("x"),
        ParameterKind::Character => json!(";"),
        ParameterKind::Flag => json!(true),
        ParameterKind::Whole(low, _) => json!(low),
        ParameterKind::Number(bounds) => json!(within(bounds)),
        ParameterKind::Choice(words) => json!(words[0]),
        ParameterKind::List(kind) => json!([sample(kind)]),
        ParameterKind::Pair => json!([0.5, 5]),
        ParameterKind::Ends => json!([0.5, 5.5]),
        ParameterKind::Table(parameters) => required(parameters),
        ParameterKind::Map(kind) => json!({ "x": sample(kind) }),
        ParameterKind::Member(Family::Model) => {
            let entry = ModelKind::ALL[0].entry();
            json!({ entry.key: required(entry.parameters) })
        }
        ParameterKind::Member(family) => match family.plain() {
            Some(entries) => written(&entries[0]),
            None => json!(family.keys()[0]),
        },
        ParameterKind::Either(kinds) => sample(&kinds[0]),
    }
}

fn within(bounds: &Bounds) -> f64 {
    match (bounds.low.is_finite(), bounds.high.is_finite()) {
        (true, true) => (bounds.low + bounds.high) / 2.0,
        (true, false) => bounds.low + 1.0,
        (false, _) => bounds.high.min(1.0),
    }
}

fn written(entry: &Entry) -> Value {
    match entry.shape {
        Shape::Word => json!(entry.key),
        Shape::Value(kind) => json!({ entry.key: sample(&kind) }),
        Shape::Table(parameters) => json!({ entry.key: required(parameters) }),
    }
}

/// What must be given, and nothing else.
fn required(parameters: &[Parameter]) -> Value {
    let needed = parameters.iter().filter(|p| p.need == Need::Required);
    Value::Object(needed.map(|p| (p.name.to_owned(), sample(&p.kind))).collect())
}

fn with(table: &Value, key: &str, value: Value) -> Value {
    let mut table: Map<String, Value> = table.as_object().unwrap().clone();
    table.insert(key.to_owned(), value);
    Value::Object(table)
}

fn read(policy: Value) -> Result<(), String> {
    serde_json::from_value::<Policy>(policy)
        .map(|policy| survives(&policy))
        .map_err(|error| error.to_string())
}

/// Whatever a policy asks for, TOML and JSON can say it.
fn survives(policy: &Policy) {
    let (toml, json) = (policy.to_toml().unwrap(), policy.to_json().unwrap());
    assert_eq!(&toml::from_str::<Policy>(&toml).unwrap(), policy, "{toml}");
    assert_eq!(&serde_json::from_str::<Policy>(&json).unwrap(), policy, "{json}");
}

/// The names that a reader expects in place of an unknown one, in text order.
fn expected(message: &str) -> Vec<String> {
    if message.contains("there are no fields") {
        return Vec::new();
    }
    let (_, names) = message.split_once(", expected").unwrap_or_else(|| panic!("{message}"));
    let mut names: Vec<String> = names.split('`').skip(1).step_by(2).map(String::from).collect();
    names.sort_unstable();
    names
}

fn sorted<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut names: Vec<String> = names.into_iter().map(String::from).collect();
    names.sort_unstable();
    names
}

/// Checks a kind where `put` puts a value into a policy; counts the keys.
fn walk(kind: &ParameterKind, put: &dyn Fn(Value) -> Value, keys: &mut usize) {
    assert_eq!(read(put(sample(kind))), Ok(()), "{kind:?}");
    match kind {
        ParameterKind::Table(parameters) => walk_table(parameters, put, keys),
        ParameterKind::Map(kind) => walk(kind, &|value| put(json!({ "x": value })), keys),
        ParameterKind::List(kind) => walk(kind, &|value| put(json!([value])), keys),
        // What one kind does not accept, another may.
        ParameterKind::Either(kinds) => {
            for kind in *kinds {
                match kind {
                    ParameterKind::Table(parameters) => walk_table(parameters, put, keys),
                    ParameterKind::Member(family) => walk_family(*family, put, keys),
                    _ => assert_eq!(read(put(sample(kind))), Ok(()), "{kind:?}"),
                }
            }
        }
        ParameterKind::Choice(words) => {
            let message = read(put(json!("?"))).unwrap_err();
            assert_eq!(expected(&message), sorted(words.iter().copied()), "{message}");
        }
        ParameterKind::Member(family) => walk_family(*family, put, keys),
        ParameterKind::Text | ParameterKind::Path | ParameterKind::Column | ParameterKind::Character => {
            assert!(read(put(json!([]))).is_err(), "{kind:?}");
        }
        ParameterKind::Flag
        | ParameterKind::Whole(..)
        | ParameterKind::Number(_)
        | ParameterKind::Pair
        | ParameterKind::Ends => {
            assert!(read(put(json!("x"))).is_err(), "{kind:?}");
        }
    }
}

fn walk_table(parameters: &[Parameter], put: &dyn Fn(Value) -> Value, keys: &mut usize) {
    *keys += parameters.len();
    let least = required(parameters);
    let message = read(put(with(&least, "?", json!(1)))).unwrap_err();
    // An untagged table says of every mistake the same.
    if !message.starts_with("a file is its path") {
        assert_eq!(expected(&message), sorted(parameters.iter().map(|p| p.name)), "{message}");
    }
    for parameter in parameters {
        if parameter.need == Need::Required {
            let mut short = least.as_object().unwrap().clone();
            short.remove(parameter.name);
            assert!(read(put(Value::Object(short))).is_err(), "{} is not needed", parameter.name);
        }
        if let Need::Default(default) = parameter.need {
            let default = serde_json::from_str(default).unwrap();
            assert_eq!(read(put(with(&least, parameter.name, default))), Ok(()), "{}", parameter.name);
        }
        assert!(!parameter.help.is_empty(), "{}", parameter.name);
        walk(&parameter.kind, &|value| put(with(&least, parameter.name, value)), keys);
    }
}

fn walk_family(family: Family, put: &dyn Fn(Value) -> Value, keys: &mut usize) {
    match family {
        // A reader takes any text for a predictor; the check of the policy does not.
        Family::Predictor => return,
        Family::Loss | Family::Algorithm | Family::Statistic => {
            let message = read(put(json!("?"))).unwrap_err();
            assert_eq!(expected(&message), sorted(family.keys()), "{message}");
            assert!(family.keys().iter().all(|key| read(put(json!(key))).is_ok()));
            return;
        }
        _ => {}
    }
    let message = read(put(json!({ "?": {} }))).unwrap_err();
    assert_eq!(expected(&message), sorted(family.keys()), "{message}");
    if family == Family::Model {
        for kind in ModelKind::ALL {
            let entry = kind.entry();
            walk_table(entry.parameters, &|value| put(json!({ entry.key: value })), keys);
        }
    }
    for entry in family.plain().unwrap_or_default() {
        assert_eq!(read(put(written(entry))), Ok(()), "{}", entry.key);
        match entry.shape {
            Shape::Word => {}
            Shape::Value(kind) => walk(&kind, &|value| put(json!({ entry.key: value })), keys),
            Shape::Table(table) => walk_table(table, &|value| put(json!({ entry.key: value })), keys),
        }
    }
}

#[test]
fn the_registry_has_every_key_and_every_word_that_policies_are_read_by() {
    let mut keys = 0;
    walk(&ParameterKind::Table(POLICY_KEYS), &|value| value, &mut keys);
    assert!(keys > 120, "{keys}");
}

#[test]
fn what_a_policy_asks_for_finds_its_entry() {
    for entry in Family::Hierarchy.plain().unwrap() {
        let spec: crate::hierarchy::Spec = serde_json::from_value(written(entry)).unwrap();
        assert_eq!(spec.entry().unwrap().key, entry.key);
    }
    for entry in Family::Poset.plain().unwrap() {
        let spec: crate::poset::Spec = serde_json::from_value(written(entry)).unwrap();
        assert_eq!(spec.entry().key, entry.key);
    }
    for entry in Family::Form.plain().unwrap() {
        let form: crate::policy::Form = serde_json::from_value(written(entry)).unwrap();
        assert_eq!(form.name(), entry.key);
    }
    for entry in Family::Transform.plain().unwrap() {
        let transform: crate::policy::Transform = serde_json::from_value(written(entry)).unwrap();
        assert_eq!(transform.entry().key, entry.key);
    }
    for kind in ModelKind::ALL {
        let written = json!({ kind.key(): required(kind.entry().parameters) });
        let spec: crate::policy::ModelSpec = serde_json::from_value(written).unwrap();
        assert_eq!(spec.kind(), *kind);
        assert_eq!(spec.column().is_some(), kind.entry().needs_column, "{kind}");
    }
}

/// A policy with one model, whose parameters are those of the example but for one.
fn policy_with(kind: ModelKind, changed: Option<(&str, f64)>) -> String {
    let entry = kind.entry();
    let text = format!("x = {}", entry.example);
    let mut table = toml::from_str::<toml::Table>(&text).unwrap()["x"].clone();
    if let Some((name, value)) = changed {
        let whole = value.fract() == 0.0 && value.abs() < 1e15;
        let value = if whole { toml::Value::Integer(value as i64) } else { toml::Value::Float(value) };
        table.as_table_mut().unwrap().insert(name.to_owned(), value);
    }
    let model = toml::Value::Table([(entry.key.to_owned(), table)].into_iter().collect());
    format!(
        "version = 1\n[input]\npath = \"a.csv\"\n[columns]\nage.role = \"quasi\"\nfear.role = \"drop\"\n\
         diagnosis.role = \"sensitive\"\n[privacy]\nk = 2\nmodels = [{model}]\n"
    )
}

/// The messages of the faults at a parameter of the model.
fn faults_at(kind: ModelKind, name: &str, value: f64) -> Vec<String> {
    let key = format!("privacy.models.0.{}.{name}", kind.key());
    let Err(error) = Policy::parse(&policy_with(kind, Some((name, value)))) else { return Vec::new() };
    let at = |fault: &crate::error::Fault| {
        fault.place.key.as_deref().is_some_and(|k| k == key || key.starts_with(&format!("{k}.")))
    };
    error.faults().iter().filter(|fault| at(fault)).map(|fault| fault.message.clone()).collect()
}

#[test]
fn ranges_of_model_parameters_are_those_that_policies_are_checked_by() {
    let mut refused = 0;
    for &kind in ModelKind::ALL {
        for parameter in kind.entry().parameters {
            let (outside, edges): (Vec<f64>, Vec<f64>) = match parameter.kind {
                ParameterKind::Number(bounds) => around(&bounds),
                ParameterKind::Whole(low, high) => {
                    let below = low.checked_sub(1).map(|n| n as f64);
                    let above = high.map(|n| (n + 1) as f64);
                    (below.into_iter().chain(above).collect(), Vec::new())
                }
                _ => continue,
            };
            for value in outside {
                let found = faults_at(kind, parameter.name, value);
                assert!(!found.is_empty(), "{kind}.{} takes {value}", parameter.name);
                refused += 1;
            }
            for value in edges {
                let found = faults_at(kind, parameter.name, value);
                let out_of_range = format!("{} cannot be", parameter.name);
                assert!(!found.iter().any(|m| m.starts_with(&out_of_range)), "{kind} {value}: {found:?}");
            }
        }
    }
    assert!(refused > 40, "{refused}");
}

/// Numbers just outside of bounds, and the ends that are within.
fn around(bounds: &Bounds) -> (Vec<f64>, Vec<f64>) {
    let ends = [(bounds.low, bounds.above_low, -0.001), (bounds.high, bounds.below_high, 0.001)];
    let finite = ends.into_iter().filter(|(end, ..)| end.is_finite());
    let (open, closed): (Vec<_>, Vec<_>) = finite.partition(|(_, open, _)| *open);
    let outside = open.iter().map(|(end, ..)| *end).chain(closed.iter().map(|(end, _, step)| end + step));
    (outside.collect(), closed.iter().map(|(end, ..)| *end).collect())
}

#[test]
fn examples_of_models_are_read() {
    for &kind in ModelKind::ALL {
        let text = policy_with(kind, None);
        survives(&toml::from_str::<Policy>(&text).unwrap_or_else(|e| panic!("{e}: {text}")));
    }
}

#[test]
fn entries_have_help_and_a_source() {
    for kind in ModelKind::ALL {
        assert!(!kind.entry().help.is_empty() && !kind.entry().reference.is_empty(), "{kind}");
    }
    for family in [Family::Hierarchy, Family::Poset, Family::Form, Family::Transform] {
        for entry in family.plain().unwrap() {
            assert!(!entry.help.is_empty(), "{}", entry.key);
        }
    }
}
