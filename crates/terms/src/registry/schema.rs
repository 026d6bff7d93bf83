//! The JSON Schema of a policy (draft 2020-12), for editors: made from the registry.
//!
//! It describes what a policy may contain. What contradicts itself or the table is found by `throng
//! release`.

use serde_json::{Map, Value, json};

use super::entry::{Bounds, Entry, Need, Parameter, ParameterKind, Shape};
use super::{Algorithm, Family, LossKind, Predictor, StatisticKind};
use crate::policy::{ModelKind, POLICY_KEYS};

/// The schema of a policy.
pub fn schema() -> Value {
    let mut root = Map::new();
    root.insert("$schema".into(), json!("https://json-schema.org/draft/2020-12/schema"));
    root.insert("title".into(), json!("Throng policy"));
    root.extend(table(POLICY_KEYS));
    let members = Family::ALL.iter().map(|&family| (family.name().to_owned(), members(family)));
    root.insert("$defs".into(), Value::Object(members.collect()));
    Value::Object(root)
}

/// All members of a family.
fn members(family: Family) -> Value {
    let one_of: Vec<Value> = match family {
        Family::Loss => LossKind::ALL.iter().map(|kind| word(kind.key(), kind.entry().help)).collect(),
        Family::Algorithm => Algorithm::ALL.iter().map(|kind| word(kind.key(), kind.entry().help)).collect(),
        Family::Model => ModelKind::ALL
            .iter()
            .map(|kind| {
                let entry = kind.entry();
                keyed(entry.key, entry.help, Value::Object(table(entry.parameters)))
            })
            .collect(),
        Family::Predictor => Predictor::ALL.iter().map(|kind| word(kind.key(), kind.entry().help)).collect(),
        Family::Statistic => {
            StatisticKind::ALL.iter().map(|kind| word(kind.key(), kind.entry().help)).collect()
        }
        Family::Hierarchy | Family::Poset | Family::Form | Family::Transform => {
            family.plain().unwrap_or_default().iter().map(member).collect()
        }
    };
    json!({ "oneOf": one_of })
}

fn member(entry: &Entry) -> Value {
    match entry.shape {
        Shape::Word => word(entry.key, entry.help),
        Shape::Value(kind) => keyed(entry.key, entry.help, Value::Object(of(&kind))),
        Shape::Table(parameters) => keyed(entry.key, entry.help, Value::Object(table(parameters))),
    }
}

/// A word; editors show the description beside it.
fn word(key: &str, help: &str) -> Value {
    match help {
        "" => json!({ "const": key }),
        help => json!({ "const": key, "description": help }),
    }
}

/// A table with one key.
fn keyed(key: &str, help: &str, value: Value) -> Value {
    json!({
        "type": "object",
        "description": help,
        "properties": { key: value },
        "required": [key],
        "additionalProperties": false,
    })
}

fn table(parameters: &[Parameter]) -> Map<String, Value> {
    let property = |parameter: &Parameter| {
        let mut schema = of(&parameter.kind);
        schema.insert("description".into(), json!(parameter.help));
        if let Need::Default(default) = parameter.need
            && let Ok(default) = serde_json::from_str::<Value>(default)
        {
            schema.insert("default".into(), default);
        }
        (parameter.name.to_owned(), Value::Object(schema))
    };
    let required: Vec<&str> =
        parameters.iter().filter(|p| p.need == Need::Required).map(|p| p.name).collect();
    let mut schema = Map::new();
    schema.insert("type".into(), json!("object"));
    schema.insert("properties".into(), Value::Object(parameters.iter().map(property).collect()));
    if !required.is_empty() {
        schema.insert("required".into(), json!(required));
    }
    schema.insert("additionalProperties".into(), json!(false));
    schema
}

fn of(kind: &ParameterKind) -> Map<String, Value> {
    let schema = match kind {
        ParameterKind::Text | ParameterKind::Path | ParameterKind::Column => json!({ "type": "string" }),
        ParameterKind::Character => json!({ "type": "string", "minLength": 1, "maxLength": 1 }),
        ParameterKind::Flag => json!({ "type": "boolean" }),
        ParameterKind::Whole(low, None) => json!({ "type": "integer", "minimum": low }),
        ParameterKind::Whole(low, Some(high)) => {
            json!({ "type": "integer", "minimum": low, "maximum": high })
        }
        ParameterKind::Number(bounds) => return number(bounds),
        ParameterKind::Choice(words) => json!({ "enum": words }),
        ParameterKind::List(kind) => json!({ "type": "array", "items": of(kind) }),
        ParameterKind::Pair => json!({
            "type": "array",
            "prefixItems": [{ "type": "number" }, { "type": "integer" }],
            "minItems": 2,
            "maxItems": 2,
        }),
        ParameterKind::Ends => json!({
            "type": "array",
            "items": { "type": "number" },
            "minItems": 2,
            "maxItems": 2,
        }),
        ParameterKind::Table(parameters) => return table(parameters),
        ParameterKind::Map(kind) => json!({ "type": "object", "additionalProperties": of(kind) }),
        ParameterKind::Member(family) => json!({ "$ref": format!("#/$defs/{}", family.name()) }),
        ParameterKind::Either(kinds) => {
            json!({ "anyOf": kinds.iter().map(|kind| Value::Object(of(kind))).collect::<Vec<_>>() })
        }
    };
    match schema {
        Value::Object(schema) => schema,
        _ => Map::new(),
    }
}

fn number(bounds: &Bounds) -> Map<String, Value> {
    let mut schema = Map::new();
    schema.insert("type".into(), json!("number"));
    if bounds.low.is_finite() {
        let key = if bounds.above_low { "exclusiveMinimum" } else { "minimum" };
        schema.insert(key.into(), json!(bounds.low));
    }
    if bounds.high.is_finite() {
        let key = if bounds.below_high { "exclusiveMaximum" } else { "maximum" };
        schema.insert(key.into(), json!(bounds.high));
    }
    schema
}
