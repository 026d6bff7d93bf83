//! Changes the text of a policy: only the keys that differ, so that comments and layout stay.
//!
//! Both policies are compared key by key. Each difference is then made where the key stands: a value
//! is replaced, a missing key is added after the last key of its table, a key that is not needed is
//! removed with its line. A replaced value leaves a note, `was 5`, in the comment of its line,
//! because that comment may explain the former value. The result is read again and must be the
//! wanted policy; where keys are written in a way that is not handled here, such as a table with a
//! header of its own that has to go, the policy is written anew and comments are lost. JSON has no
//! comments and is always written anew. Costs one reading of the text per difference.

use std::ops::Range;

use serde_json::Value;

use super::tree::{self, Content, Node};
use super::{LossSpec, Policy};
use crate::error::{Fault, Result};

/// The text of a changed policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// The text.
    pub text: String,
    /// Whether comments and layout of the former text were kept.
    pub kept: bool,
}

/// A key with the value that it is to have; none where it is to go.
struct Difference {
    path: Vec<String>,
    value: Option<Value>,
    /// Whether the value stays, and has to be written because its default has changed.
    same: bool,
}

impl Policy {
    /// The text of this policy as a change of another one's text.
    ///
    /// # Errors
    /// A former text with mistakes, and a policy that cannot be written.
    pub fn edited(&self, text: &str) -> Result<Edited> {
        if tree::is_json(text) {
            return Ok(Edited { text: self.to_json()?, kept: true });
        }
        let differences = self.differences(&Policy::parse(text)?)?;
        let edited = differences.iter().try_fold(text.to_owned(), |text, change| change.made(&text));
        let edited = edited.filter(|text| Policy::parse(text).is_ok_and(|read| read == *self));
        Ok(match edited {
            Some(text) => Edited { text, kept: true },
            None => Edited { text: self.to_toml()?, kept: false },
        })
    }

    /// The keys that this policy has another value for than another one, as assignments of TOML:
    /// `search.algorithm = "mondrian"`. Keys that it lacks are not listed.
    ///
    /// # Errors
    /// A policy that cannot be written.
    pub fn assignments(&self, former: &Policy) -> Result<Vec<String>> {
        let assigned = |change: Difference| {
            let name: Vec<String> = change.path.iter().map(|part| key(part)).collect();
            Some(format!("{} = {}", name.join("."), written(&change.value?)))
        };
        Ok(self.differences(former)?.into_iter().filter_map(assigned).collect())
    }

    fn differences(&self, former: &Policy) -> Result<Vec<Difference>> {
        let values = |policy: &Policy| -> Result<Value> {
            let value = serde_json::to_value(policy);
            Ok(value.map_err(|e| Fault::bug(format!("policy cannot be written: {e}")))?)
        };
        let mut differences = Vec::new();
        let (before, after) = (values(former)?, values(self)?);
        compare(&mut Vec::new(), &before, &after, &mut differences);
        // The loss of another algorithm is another one where none is written.
        let same = self.search.loss == former.search.loss;
        if same
            && LossSpec::by_default(self.search.algorithm) != LossSpec::by_default(former.search.algorithm)
        {
            let path = vec!["search".to_owned(), "loss".to_owned()];
            differences.push(Difference { path, value: Some(after["search"]["loss"].clone()), same });
        }
        Ok(differences)
    }
}

/// Collects what differs; lists are compared as a whole.
fn compare(path: &mut Vec<String>, from: &Value, to: &Value, found: &mut Vec<Difference>) {
    let (Value::Object(before), Value::Object(after)) = (from, to) else {
        if from != to {
            found.push(Difference { path: path.clone(), value: Some(to.clone()), same: false });
        }
        return;
    };
    for name in before.keys().filter(|name| !after.contains_key(*name)) {
        let path = path.iter().chain([name]).cloned().collect();
        found.push(Difference { path, value: None, same: false });
    }
    for (name, value) in after {
        path.push(name.clone());
        match before.get(name) {
            Some(former) => compare(path, former, value, found),
            None => found.push(Difference { path: path.clone(), value: Some(value.clone()), same: false }),
        }
        path.pop();
    }
}

impl Difference {
    /// The text with this difference; none where the place is not handled.
    fn made(&self, text: &str) -> Option<String> {
        let root = Node::of(text)?;
        match (find(&root, &self.path), &self.value) {
            (Some(_), _) if self.same => Some(text.to_owned()),
            (Some(place), Some(value)) => replaced(text, &place, value),
            (Some(place), None) => removed(text, &place),
            (None, Some(value)) => added(text, &root, &self.path, value),
            // A default that was never written.
            (None, None) => Some(text.to_owned()),
        }
    }
}

/// Where a key and its value stand.
struct Place {
    name: Range<usize>,
    value: Range<usize>,
    table: bool,
}

fn find(node: &Node, path: &[String]) -> Option<Place> {
    let (first, rest) = path.split_first()?;
    let Content::Table(entries) = &node.content else { return None };
    let (name, value) = entries.iter().find(|(name, _)| name.text == *first)?;
    match rest {
        [] => Some(Place {
            name: name.span.clone(),
            value: value.span.clone(),
            table: matches!(value.content, Content::Table(_)),
        }),
        _ => find(value, rest),
    }
}

/// What stands before a key on its line.
fn before<'a>(text: &'a str, name: &Range<usize>) -> &'a str {
    &text[line_start(text, name.start)..name.start]
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |end| end + 1)
}

/// The end of a line, before its line break.
fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |end| at + end)
}

/// Whether a key is written as `key = value`, alone or in an inline table; a table with a header of
/// its own is not.
fn is_value(text: &str, place: &Place) -> bool {
    let between = text.get(place.name.end..place.value.start).map(str::trim);
    between == Some("=") && (!place.table || text[place.value.clone()].starts_with('{'))
}

fn replaced(text: &str, place: &Place, value: &Value) -> Option<String> {
    if !is_value(text, place) {
        return None;
    }
    let former = &text[place.value.clone()];
    let (end, written) = (line_end(text, place.value.end), written(value));
    let rest = &text[place.value.end..end];
    // In an inline table the rest of the line is not this key's.
    let own = rest.trim().is_empty() || rest.trim_start().starts_with('#');
    let rest = match rest.split_once('#') {
        _ if !own || former.contains('\n') => rest.to_owned(),
        Some((space, comment)) => format!("{space}# was {former};{comment}"),
        None => format!("{}  # was {former}", rest.trim_end()),
    };
    Some([&text[..place.value.start], &written, &rest, &text[end..]].concat())
}

fn removed(text: &str, place: &Place) -> Option<String> {
    if !is_value(text, place) {
        return None;
    }
    if before(text, &place.name).contains('{') || !ends_line(text, place.value.end) {
        return removed_inline(text, place);
    }
    let (start, end) = (line_start(text, place.name.start), line_end(text, place.value.end));
    let end = (end + 1).min(text.len());
    Some([&text[..start], &text[end..]].concat())
}

/// Whether nothing but a comment follows on the line.
fn ends_line(text: &str, at: usize) -> bool {
    let rest = text[at..line_end(text, at)].trim_start();
    rest.is_empty() || rest.starts_with('#')
}

/// A key of an inline table goes with one of the commas beside it.
fn removed_inline(text: &str, place: &Place) -> Option<String> {
    let after = &text[place.value.end..];
    let mut rest = after.trim_start();
    if let Some(next) = rest.strip_prefix(',') {
        rest = next.trim_start();
        return Some([&text[..place.name.start], rest].concat());
    }
    let start = text[..place.name.start].trim_end();
    let start = start.strip_suffix(',').map(str::trim_end)?;
    Some([start, after].concat())
}

/// Adds a key after the last one of its table, or a table at the end.
fn added(text: &str, root: &Node, path: &[String], value: &Value) -> Option<String> {
    let (name, parents) = path.split_last()?;
    let line = format!("{} = {}", key(name), written(value));
    let Some(parent) = table(root, parents) else {
        let header: Vec<String> = parents.iter().map(|part| key(part)).collect();
        let gap = if text.ends_with('\n') { "\n" } else { "\n\n" };
        return Some(format!("{text}{gap}[{}]\n{line}\n", header.join(".")));
    };
    let Content::Table(entries) = &parent.content else { return None };
    let place = |(name, value): &(tree::Name, Node)| Place {
        name: name.span.clone(),
        value: value.span.clone(),
        table: matches!(value.content, Content::Table(_)),
    };
    let own = entries.iter().map(place).filter(|place| is_value(text, place));
    let last = own.max_by_key(|place| place.value.end)?;
    let prefix = before(text, &last.name);
    if prefix.contains('{') {
        let (head, tail) = text.split_at(last.value.end);
        return Some(format!("{head}, {line}{tail}"));
    }
    let (head, tail) = text.split_at(line_end(text, last.value.end));
    Some(format!("{head}\n{prefix}{line}{tail}"))
}

fn table<'a>(node: &'a Node, path: &[String]) -> Option<&'a Node> {
    let Some((first, rest)) = path.split_first() else { return Some(node) };
    let Content::Table(entries) = &node.content else { return None };
    entries.iter().find(|(name, _)| name.text == *first).and_then(|(_, value)| table(value, rest))
}

/// A name as a key: bare where TOML allows it.
fn key(name: &str) -> String {
    let bare = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    if bare { name.into() } else { toml::Value::String(name.into()).to_string() }
}

/// A value as TOML on one line.
fn written(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            format!("[{}]", items.iter().map(written).collect::<Vec<_>>().join(", "))
        }
        Value::Object(entries) => {
            let entries = entries.iter().map(|(name, value)| format!("{} = {}", key(name), written(value)));
            format!("{{ {} }}", entries.collect::<Vec<_>>().join(", "))
        }
        Value::String(text) => toml::Value::String(text.clone()).to_string(),
        plain => plain.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Column, LossSpec, Role};
    use crate::registry::{Algorithm, LossKind};

    const TEXT: &str = "# Mine.\nversion = 1\n\n[input]\npath = \"t.csv\"\n\n# years\n[columns.age]\n\
        role = \"quasi\" # known to neighbours\nhierarchy = { intervals = { widths = [5, 10] } }\nmax_level = 2\n\n\
        [columns.\"home zip\"]\nrole = \"quasi\"\n\n[privacy]\nk = 5              # everybody looks like 4 others\n\
        suppression = 0.02\n";

    fn edited(text: &str, change: impl FnOnce(&mut Policy)) -> Edited {
        let mut policy = Policy::parse(text).unwrap();
        change(&mut policy);
        let edited = policy.edited(text).unwrap();
        assert_eq!(Policy::parse(&edited.text).unwrap(), policy, "{}", edited.text);
        edited
    }

    #[test]
    fn values_change_where_they_stand_and_say_what_they_were() {
        let found = edited(TEXT, |policy| {
            policy.privacy.given_k = Some(11);
            policy.privacy.suppression = Some(0.1);
        });
        let expected = TEXT
            .replace("k = 5              # everybody", "k = 11              # was 5; everybody")
            .replace("suppression = 0.02", "suppression = 0.1  # was 0.02");
        assert_eq!(found, Edited { text: expected, kept: true });
    }

    #[test]
    fn assignments_name_what_differs() {
        let former = Policy::parse(TEXT).unwrap();
        let mut policy = former.with_algorithm(Algorithm::Mondrian, false);
        policy.columns.get_mut("home zip").unwrap().weight = Some(2.0);
        policy.columns.get_mut("age").unwrap().max_level = None;
        let found = policy.assignments(&former).unwrap();
        let weight = "columns.\"home zip\".weight = 2.0";
        // The default loss of Mondrian is another one.
        assert_eq!(found, [weight, "search.algorithm = \"mondrian\"", "search.loss = \"lm\""]);
    }

    #[test]
    fn nothing_changes_where_nothing_differs() {
        assert_eq!(edited(TEXT, |_| ()), Edited { text: TEXT.into(), kept: true });
    }

    #[test]
    fn missing_tables_and_keys_are_added() {
        let found = edited(TEXT, |policy| {
            policy.search.algorithm = Algorithm::KSimilar;
            policy.search.loss = LossSpec::Name(LossKind::Lm);
            policy.columns.get_mut("home zip").unwrap().max_level = Some(0);
        });
        assert!(found.kept);
        assert!(found.text.contains("role = \"quasi\"\nmax_level = 0\n\n[privacy]"), "{}", found.text);
        assert!(
            found.text.ends_with("\n[search]\nalgorithm = \"k-similar\"\nloss = \"lm\"\n"),
            "{}",
            found.text
        );
    }

    #[test]
    fn keys_are_removed_with_their_lines() {
        let found = edited(TEXT, |policy| {
            policy.columns.insert("age".into(), Column::of(Role::Drop));
        });
        assert!(found.kept);
        let part =
            "# years\n[columns.age]\nrole = \"drop\" # was \"quasi\"; known to neighbours\n\n[columns.\"home";
        assert!(found.text.contains(part), "{}", found.text);
    }

    #[test]
    fn dotted_keys_and_inline_tables_keep_their_form() {
        let text = "version = 1\ninput.path = \"t.csv\"\ncolumns.age = { role = \"quasi\", max_level = 0, weight = 2.0 }\n\
            columns.sex.role = \"quasi\"\nprivacy = { k = 5, suppression = 0.02 }\nsearch.seed = 7\n";
        let found = edited(text, |policy| {
            policy.privacy.given_k = Some(3);
            policy.search.algorithm = Algorithm::Mondrian;
            policy.columns.get_mut("age").unwrap().max_level = None;
            policy.columns.get_mut("age").unwrap().min_level = Some(0);
            policy.columns.get_mut("sex").unwrap().weight = Some(1.5);
        });
        assert!(found.kept, "{}", found.text);
        for part in [
            "columns.age = { role = \"quasi\", weight = 2.0, min_level = 0 }\n",
            "columns.sex.role = \"quasi\"\ncolumns.sex.weight = 1.5\n",
            "privacy = { k = 3, suppression = 0.02 }\n",
            "search.seed = 7\nsearch.algorithm = \"mondrian\"\n",
            "search.loss = \"lm\"\n",
        ] {
            assert!(found.text.contains(part), "{part}: {}", found.text);
        }
        let last = edited(text, |policy| policy.privacy.suppression = None);
        assert!(last.kept && last.text.contains("privacy = { k = 5 }\n"), "{}", last.text);
    }

    #[test]
    fn what_is_not_handled_is_written_anew() {
        let text =
            format!("{TEXT}[search]\nalgorithm = \"mondrian\"\n[search.mondrian]\ncut = \"relaxed\"\n");
        let found = edited(&text, |policy| *policy = policy.with_algorithm(Algorithm::Auto, false));
        assert!(!found.kept && !found.text.contains("# Mine"), "{}", found.text);
        let json = Policy::parse(TEXT).unwrap().to_json().unwrap();
        let found = edited(&json, |policy| policy.privacy.given_k = Some(9));
        assert!(found.kept && found.text.contains("\"k\": 9"), "{}", found.text);
    }
}
