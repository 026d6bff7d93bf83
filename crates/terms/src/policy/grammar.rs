//! Translates errors of the readers of TOML and JSON into the vocabulary of policies: the key, the
//! valid values, and the nearest name.
//!
//! The readers speak of fields, variants and integer types. Their messages have few forms; each
//! is parsed here, and an unknown form is passed on unchanged. Costs nothing unless there is a
//! mistake.

use super::spans::key_at;
use super::tree::{Node, body};
use crate::error::{Fault, nearest};
use crate::fault;
use crate::registry;

/// The fault behind a mistake that the reader of TOML found.
pub fn fault(error: &toml::de::Error, text: &str) -> Fault {
    let key = error.span().and_then(|span| key_at(text, &span));
    translated(error.message().trim(), key, error.span())
}

/// The fault behind a mistake that the reader of JSON found.
pub(super) fn json_fault(error: &serde_json::Error, text: &str) -> Fault {
    let Some(root) = Node::of_json(text) else {
        // A value of another kind may stand before the broken syntax.
        let broken = serde_json::from_str::<serde_json::Value>(body(text)).err();
        return broken_syntax(broken.as_ref().unwrap_or(error), text);
    };
    let read = text[..offset(text, error)].trim_end().len();
    let (key, span) = root.read_until(read).unzip();
    translated(&sentence(error), key, span).line(error.line() as u64)
}

fn broken_syntax(error: &serde_json::Error, text: &str) -> Fault {
    let mut fault =
        fault!(Input, "policy.json-syntax", "is not valid JSON: {problem}", problem = sentence(error));
    let end = offset(text, error);
    fault.place.span = Some(text.floor_char_boundary(end.saturating_sub(1))..end);
    fault.line(error.line() as u64)
}

/// What the reader of JSON says, without the place.
fn sentence(error: &serde_json::Error) -> String {
    let (line, column, said) = (error.line(), error.column(), error.to_string());
    said.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&said).to_owned()
}

/// The byte behind the last one that the reader of JSON has read.
fn offset(text: &str, error: &serde_json::Error) -> usize {
    let mark = if error.line() == 1 { text.len() - body(text).len() } else { 0 };
    let lines = text.split_inclusive('\n').take(error.line().saturating_sub(1));
    text.floor_char_boundary(lines.map(str::len).sum::<usize>() + mark + error.column())
}

fn translated(message: &str, key: Option<String>, span: Option<std::ops::Range<usize>>) -> Fault {
    let mut fault = registry::unknown_in(message)
        .or_else(|| unknown(message))
        .or_else(|| unfit(message, key.as_deref()))
        .unwrap_or_else(|| Fault::input(message.to_owned()));
    fault.place.key = key;
    fault.place.span = span;
    fault
}

/// A key or a word that there is not.
fn unknown(message: &str) -> Option<Fault> {
    let (what, rest) = [("key", "unknown field "), ("word", "unknown variant ")]
        .into_iter()
        .find_map(|(what, start)| Some((what, message.strip_prefix(start)?)))?;
    let (name, expected) = rest.split_once(", ")?;
    let valid: Vec<&str> = expected.split('`').skip(1).step_by(2).collect();
    if let Some(family) = registry::family_of(&valid) {
        return Some(registry::unknown(family, name.trim_matches('`')));
    }
    let near = nearest(name.trim_matches('`'), valid.iter().copied());
    let near = near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
    let list = valid.iter().map(|v| format!("`{v}`")).collect::<Vec<_>>().join(", ");
    let fault = Fault::input(format!("there is no {what} {name} here"));
    Some(if valid.is_empty() { fault } else { fault.help(format!("{near}{what}s here are {list}")) })
}

/// A value of another kind, or out of range.
fn unfit(message: &str, key: Option<&str>) -> Option<Fault> {
    let rest = message.strip_prefix("invalid type: ").or_else(|| message.strip_prefix("invalid value: "))?;
    let (found, expected) = rest.rsplit_once(", expected ")?;
    let last = key.and_then(|key| key.rsplit('.').next());
    let expected = match expected {
        // A class has at least one row.
        "u64" if last == Some("k") => "a whole number from 1 up, for instance 5".to_owned(),
        "u8" => "a whole number from 0 to 255".to_owned(),
        "u16" | "u32" | "u64" | "usize" => "a whole number from 0 up".to_owned(),
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number".to_owned(),
        "f32" | "f64" => "a number".to_owned(),
        "a string" => "a text in quotes".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a sequence" => "a list in brackets".to_owned(),
        "a map" => "a table".to_owned(),
        other if other.starts_with("struct ") => "a table".to_owned(),
        other => other.to_owned(),
    };
    Some(Fault::input(format!("found {found}")).help(format!("this must be {expected}")))
}
