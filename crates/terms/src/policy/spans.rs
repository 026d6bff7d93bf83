//! Finds the position of a dotted key in the policy's text, so that errors point to a line, and the
//! key at a position.

use toml::de::{DeArray, DeTable, DeValue};

use crate::error::Error;

/// Gives every fault with a key the byte range of that key's value.
pub fn locate(error: Error, text: &str) -> Error {
    let Ok(root) = DeTable::parse(text) else {
        return error;
    };
    error.map(|mut fault| {
        if let (Some(key), None) = (&fault.place.key, &fault.place.span) {
            fault.place.span = find(root.get_ref(), key);
        }
        fault
    })
}

/// The range of the deepest part of the key that the text has: names may hold dots themselves,
/// so every prefix of the key is tried.
fn find(table: &DeTable<'_>, key: &str) -> Option<std::ops::Range<usize>> {
    for (name, value) in table {
        let name = name.get_ref().as_ref();
        if key == name {
            return Some(value.span());
        }
        let Some(rest) = key.strip_prefix(name).and_then(|r| r.strip_prefix('.')) else {
            continue;
        };
        return match value.get_ref() {
            DeValue::Table(inner) => find(inner, rest).or_else(|| Some(value.span())),
            DeValue::Array(items) => find_item(items, rest).or_else(|| Some(value.span())),
            _ => Some(value.span()),
        };
    }
    None
}

/// The dotted key whose name or value stands exactly there.
pub(super) fn key_at(text: &str, span: &std::ops::Range<usize>) -> Option<String> {
    inside(DeTable::parse(text).ok()?.get_ref(), span)
}

fn inside(table: &DeTable<'_>, span: &std::ops::Range<usize>) -> Option<String> {
    table.iter().find_map(|(name, value)| {
        let key = name.get_ref().as_ref();
        if name.span() == *span || value.span() == *span {
            return Some(key.to_owned());
        }
        inside_value(value.get_ref(), span).map(|rest| format!("{key}.{rest}"))
    })
}

/// The same in what a key holds; items of a list are called 0, 1, ….
fn inside_value(value: &DeValue<'_>, span: &std::ops::Range<usize>) -> Option<String> {
    match value {
        DeValue::Table(inner) => inside(inner, span),
        DeValue::Array(items) => items.iter().enumerate().find_map(|(at, item)| {
            if item.span() == *span {
                return Some(at.to_string());
            }
            inside_value(item.get_ref(), span).map(|rest| format!("{at}.{rest}"))
        }),
        _ => None,
    }
}

/// The same in a list, whose items are called 0, 1, ….
fn find_item(items: &DeArray<'_>, key: &str) -> Option<std::ops::Range<usize>> {
    let (number, rest) = key.split_once('.').unwrap_or((key, ""));
    let item = items.get(number.parse::<usize>().ok()?)?;
    match item.get_ref() {
        DeValue::Table(inner) if !rest.is_empty() => find(inner, rest).or_else(|| Some(item.span())),
        _ => Some(item.span()),
    }
}
