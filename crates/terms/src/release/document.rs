//! A JSON document whose seal does not depend on how its text is laid out.
//!
//! The canonical form sorts the keys of every object by their UTF-8 bytes, drops white space, and
//! writes each string with the fewest escapes. Numbers are compared by value: an integer of 64 bits
//! stays exact, every other number is the nearest double in its shortest form, and a double below
//! 2⁵³ without a fraction is written as an integer, so `5.0` and `5` are the same. This needs the
//! feature `float_roundtrip` of serde_json; `arbitrary_precision`, which keeps the digits as
//! written, would change how every other crate of the program reads numbers. Keys that occur twice
//! in an object are refused, because readers disagree on which one counts. Linear in the text.

use std::fmt;

use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Number, Value};
use sha2::{Digest, Sha256};

/// Doubles from here on need not be exact integers.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A JSON value in which no object has a key twice.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub(super) struct Document(pub(super) Value);

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Strict.deserialize(deserializer).map(Document)
    }
}

impl Document {
    /// The document with one key of the outermost object removed or replaced.
    pub(super) fn with(&self, key: &str, value: Option<Value>) -> Self {
        let mut document = self.clone();
        if let Value::Object(entries) = &mut document.0 {
            match value {
                Some(value) => drop(entries.insert(key.into(), value)),
                None => drop(entries.remove(key)),
            }
        }
        document
    }

    /// SHA-256 of the canonical form.
    pub(super) fn digest(&self) -> String {
        self.hash(canonical_number)
    }

    /// SHA-256 as format 0 had it: a number without a fraction keeps its `.0`.
    pub(super) fn digest_of_format_0(&self) -> String {
        self.hash(Number::to_string)
    }

    fn hash(&self, number: fn(&Number) -> String) -> String {
        let mut text = String::new();
        write(&self.0, number, &mut text);
        Sha256::digest(text.as_bytes()).iter().map(|b| format!("{b:02x}")).collect()
    }
}

/// Appends the canonical form of a value.
fn write(value: &Value, number: fn(&Number) -> String, text: &mut String) {
    match value {
        Value::Number(value) => text.push_str(&number(value)),
        Value::Array(values) => {
            text.push('[');
            for (at, value) in values.iter().enumerate() {
                text.push_str(if at > 0 { "," } else { "" });
                write(value, number, text);
            }
            text.push(']');
        }
        Value::Object(entries) => {
            // With serde_json's feature `preserve_order` the map itself is not sorted.
            let mut entries: Vec<(&String, &Value)> = entries.iter().collect();
            entries.sort_unstable_by_key(|(key, _)| *key);
            text.push('{');
            for (at, (key, value)) in entries.into_iter().enumerate() {
                text.push_str(if at > 0 { "," } else { "" });
                text.push_str(&Value::from(key.as_str()).to_string());
                text.push(':');
                write(value, number, text);
            }
            text.push('}');
        }
        Value::Null | Value::Bool(_) | Value::String(_) => text.push_str(&value.to_string()),
    }
}

fn canonical_number(number: &Number) -> String {
    match number.as_f64() {
        Some(value) if number.is_f64() && value.fract() == 0.0 && value.abs() < EXACT => {
            (value as i64).to_string()
        }
        _ => number.to_string(),
    }
}

/// Reads a value and refuses an object with a key that occurs twice.
struct Strict;

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = seq.next_element_seed(Strict)? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut entries = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            if entries.contains_key(&key) {
                return Err(A::Error::custom(format_args!("the key `{key}` occurs twice")));
            }
            let value = map.next_value_seed(Strict)?;
            entries.insert(key, value);
        }
        Ok(Value::Object(entries))
    }
}
