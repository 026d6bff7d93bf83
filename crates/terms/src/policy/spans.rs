//! Finds the position of a dotted key in the policy's text, so that errors point to a line, and the
//! key at a position.

use std::ops::Range;

use super::tree::{Content, Node};
use crate::error::Error;

/// Gives every fault with a key the byte range of that key's value. The text is TOML or JSON.
pub fn locate(error: Error, text: &str) -> Error {
    let Some(root) = Node::of(text) else {
        return error;
    };
    error.map(|mut fault| {
        if let (Some(key), None) = (&fault.place.key, &fault.place.span) {
            fault.place.span = find(&root, key);
        }
        fault
    })
}

/// The range of the deepest part of the key that the text has: names may hold dots themselves,
/// so every prefix of the key is tried.
fn find(node: &Node, key: &str) -> Option<Range<usize>> {
    match &node.content {
        Content::Table(entries) => entries.iter().find_map(|(name, value)| {
            if key == name.text {
                return Some(value.span.clone());
            }
            let rest = key.strip_prefix(&name.text)?.strip_prefix('.')?;
            find(value, rest).or_else(|| Some(value.span.clone()))
        }),
        Content::List(items) => {
            let (number, rest) = key.split_once('.').unwrap_or((key, ""));
            let item = items.get(number.parse::<usize>().ok()?)?;
            find(item, rest).or_else(|| Some(item.span.clone()))
        }
        Content::Value => None,
    }
}

/// The dotted key whose name or value stands exactly there; items of a list are called 0, 1, ….
pub(super) fn key_at(text: &str, span: &Range<usize>) -> Option<String> {
    inside(&Node::of(text)?, span)
}

fn inside(node: &Node, span: &Range<usize>) -> Option<String> {
    let deeper = |key: String, value: &Node| match value.span == *span {
        true => Some(key),
        false => inside(value, span).map(|rest| format!("{key}.{rest}")),
    };
    match &node.content {
        Content::Table(entries) => entries.iter().find_map(|(name, value)| match name.span == *span {
            true => Some(name.text.clone()),
            false => deeper(name.text.clone(), value),
        }),
        Content::List(items) => items.iter().enumerate().find_map(|(at, item)| deeper(at.to_string(), item)),
        Content::Value => None,
    }
}
