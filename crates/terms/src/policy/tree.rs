//! The keys of a document with their places: TOML and JSON as one tree of names and byte ranges.
//!
//! Readers of both formats hide where a value stands. Faults need it, so the text is read once
//! more, when there is a fault and to find keys that a JSON object has twice. Linear in the text.

use std::ops::Range;

use serde::de::{DeserializeOwned, IgnoredAny};
use toml::de::{DeTable, DeValue};

/// The deepest nesting of a JSON document, which is that of `serde_json`.
const DEPTH: usize = 128;

/// A value with its place in the text.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) span: Range<usize>,
    pub(super) content: Content,
}

/// What a value contains.
#[derive(Debug)]
pub(super) enum Content {
    Table(Vec<(Name, Node)>),
    List(Vec<Node>),
    Value,
}

/// The name of a key with its place in the text.
#[derive(Debug)]
pub(super) struct Name {
    pub(super) text: String,
    pub(super) span: Range<usize>,
}

/// Whether a text is JSON: its first character that is not blank is `{`.
pub(super) fn is_json(text: &str) -> bool {
    body(text).trim_start().starts_with('{')
}

/// A text without its byte-order mark.
pub(super) fn body(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

impl Node {
    /// The tree of a text; none if the text is neither TOML nor JSON.
    pub(super) fn of(text: &str) -> Option<Node> {
        if is_json(text) { Node::of_json(text) } else { Node::of_toml(text) }
    }

    fn of_toml(text: &str) -> Option<Node> {
        let root = DeTable::parse(text).ok()?;
        Some(Node { span: 0..text.len(), content: toml_table(root.get_ref()) })
    }

    /// The tree of a text that is one JSON value.
    pub(super) fn of_json(text: &str) -> Option<Node> {
        let mut scanner = Scanner { text, at: text.len() - body(text).len() };
        let root = scanner.node(DEPTH)?;
        scanner.skip_blanks();
        (scanner.at == text.len()).then_some(root)
    }

    /// The value of a key, where this is a table that has it.
    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        let Content::Table(entries) = &self.content else { return None };
        entries.iter().find(|(name, _)| name.text == key).map(|(_, value)| value)
    }

    /// The first key that a table has twice.
    pub(super) fn duplicate(&self) -> Option<(String, Range<usize>)> {
        match &self.content {
            Content::Table(entries) => {
                let mut seen = std::collections::BTreeSet::new();
                entries.iter().find_map(|(name, value)| {
                    if !seen.insert(&name.text) {
                        return Some((name.text.clone(), name.span.clone()));
                    }
                    value.duplicate().map(|(rest, span)| (format!("{}.{rest}", name.text), span))
                })
            }
            Content::List(items) => items
                .iter()
                .enumerate()
                .find_map(|(at, item)| item.duplicate().map(|(rest, span)| (format!("{at}.{rest}"), span))),
            Content::Value => None,
        }
    }

    /// The dotted key and the range of the name or value that a reader of JSON is at when it has
    /// read that far: the name or value that ends there, the value that follows, or the innermost
    /// one around it.
    pub(super) fn read_until(&self, at: usize) -> Option<(String, Range<usize>)> {
        match &self.content {
            Content::Table(entries) => {
                let (name, value) = entries.iter().find(|(_, value)| at <= value.span.end)?;
                match at {
                    _ if at < name.span.end => None,
                    _ if at == name.span.end => Some((name.text.clone(), name.span.clone())),
                    _ => Some(value.inside(name.text.clone(), at)),
                }
            }
            Content::List(items) => {
                let (i, item) = items.iter().enumerate().find(|(_, item)| at <= item.span.end)?;
                Some(item.inside(i.to_string(), at))
            }
            Content::Value => None,
        }
    }

    fn inside(&self, key: String, at: usize) -> (String, Range<usize>) {
        let deeper = if at > self.span.start && at < self.span.end { self.read_until(at) } else { None };
        match deeper {
            Some((rest, span)) => (format!("{key}.{rest}"), span),
            None => (key, self.span.clone()),
        }
    }
}

fn toml_table(table: &DeTable<'_>) -> Content {
    let entry = |(name, value): (&toml::Spanned<std::borrow::Cow<'_, str>>, &toml::Spanned<DeValue<'_>>)| {
        let name = Name { text: name.get_ref().as_ref().to_owned(), span: name.span() };
        (name, toml_value(value))
    };
    Content::Table(table.iter().map(entry).collect())
}

fn toml_value(value: &toml::Spanned<DeValue<'_>>) -> Node {
    let content = match value.get_ref() {
        DeValue::Table(inner) => toml_table(inner),
        DeValue::Array(items) => Content::List(items.iter().map(toml_value).collect()),
        _ => Content::Value,
    };
    Node { span: value.span(), content }
}

/// Reads JSON from left to right.
struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl Scanner<'_> {
    fn skip_blanks(&mut self) {
        let blank = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        self.at += self.text.as_bytes()[self.at..].iter().take_while(blank).count();
    }

    fn sees(&mut self, byte: u8) -> bool {
        self.skip_blanks();
        self.text.as_bytes().get(self.at) == Some(&byte)
    }

    fn takes(&mut self, byte: u8) -> bool {
        let sees = self.sees(byte);
        self.at += usize::from(sees);
        sees
    }

    /// A value without values in it.
    fn plain<T: DeserializeOwned>(&mut self) -> Option<T> {
        let mut stream = serde_json::Deserializer::from_str(&self.text[self.at..]).into_iter();
        let value = stream.next()?.ok()?;
        self.at += stream.byte_offset();
        Some(value)
    }

    fn node(&mut self, depth: usize) -> Option<Node> {
        self.skip_blanks();
        let start = self.at;
        let content = if self.takes(b'{') {
            Content::Table(self.table(depth.checked_sub(1)?)?)
        } else if self.takes(b'[') {
            Content::List(self.list(depth.checked_sub(1)?)?)
        } else {
            self.plain::<IgnoredAny>()?;
            Content::Value
        };
        Some(Node { span: start..self.at, content })
    }

    fn table(&mut self, depth: usize) -> Option<Vec<(Name, Node)>> {
        let mut entries = Vec::new();
        while !self.takes(b'}') {
            if !entries.is_empty() && !self.takes(b',') {
                return None;
            }
            self.skip_blanks();
            let start = self.at;
            let name = Name { text: self.plain()?, span: start..self.at };
            if !self.takes(b':') {
                return None;
            }
            entries.push((name, self.node(depth)?));
        }
        Some(entries)
    }

    fn list(&mut self, depth: usize) -> Option<Vec<Node>> {
        let mut items = Vec::new();
        while !self.takes(b']') {
            if !items.is_empty() && !self.takes(b',') {
                return None;
            }
            items.push(self.node(depth)?);
        }
        Some(items)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    /// What the tree of a text says that it holds.
    fn value(node: &Node, text: &str) -> Value {
        match &node.content {
            Content::Table(entries) => {
                let entry = |(name, node): &(Name, Node)| {
                    let read: String = serde_json::from_str(&text[name.span.clone()]).unwrap();
                    assert_eq!(read, name.text);
                    (read, value(node, text))
                };
                Value::Object(entries.iter().map(entry).collect())
            }
            Content::List(items) => Value::Array(items.iter().map(|item| value(item, text)).collect()),
            Content::Value => serde_json::from_str(&text[node.span.clone()]).unwrap(),
        }
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            (-1e9..1e9f64).prop_map(Value::from),
            "[a-zé\"\\\\{}\\[\\],: \n]{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::btree_map("[a-c.\"é]{0,3}", inner, 0..5)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        /// The tree of a JSON text has the values that a reader of JSON finds, at their places.
        #[test]
        fn the_tree_of_json_is_what_a_reader_finds(content in values(), pretty: bool, mark: bool) {
            let mut text = if pretty { serde_json::to_string_pretty(&content) } else { serde_json::to_string(&content) }.unwrap();
            if mark {
                text.insert(0, '\u{feff}');
            }
            let root = Node::of_json(&text).unwrap();
            prop_assert_eq!(value(&root, &text), content);
            prop_assert_eq!(root.duplicate(), None);
        }

        /// A text that a reader refuses has no tree, and the other way around.
        #[test]
        fn only_json_has_a_tree(text in "[\\[\\]{}:,\"a1 ]{0,12}") {
            prop_assert_eq!(Node::of_json(&text).is_some(), serde_json::from_str::<Value>(&text).is_ok());
        }
    }

    #[test]
    fn keys_that_are_given_twice_are_found_at_any_depth() {
        let twice = |text: &str| Node::of_json(text).unwrap().duplicate().map(|(key, _)| key);
        assert_eq!(twice(r#"{"a": 1, "a": 2}"#).as_deref(), Some("a"));
        assert_eq!(twice(r#"{"a": [{"b": {"c": 1, "\u0063": 2}}]}"#).as_deref(), Some("a.0.b.c"));
        assert_eq!(twice(r#"{"a": {"b": 1}, "b": {"a": 1}}"#), None);
    }

    #[test]
    fn deep_nesting_ends_without_a_tree() {
        assert!(Node::of_json(&"[".repeat(1 << 20)).is_none());
    }
}
