//! Translates errors of the TOML reader into the vocabulary of policies: the key, the valid values,
//! and the nearest name.
//!
//! The TOML reader speaks of fields, variants and integer types. Its messages have few forms; each
//! is parsed here, and an unknown form is passed on unchanged. Costs nothing unless there is a
//! mistake.

use super::spans::key_at;
use crate::error::{Fault, nearest};
use crate::registry;

/// The fault behind a mistake that the reader of TOML found.
pub fn fault(error: &toml::de::Error, text: &str) -> Fault {
    let message = error.message().trim();
    let key = error.span().and_then(|span| key_at(text, &span));
    let mut fault = registry::unknown_in(message)
        .or_else(|| unknown(message))
        .or_else(|| unfit(message, key.as_deref()))
        .unwrap_or_else(|| Fault::input(message.to_owned()));
    fault.place.key = key;
    fault.place.span = error.span();
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
