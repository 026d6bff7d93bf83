//! Translates errors of the readers of TOML and JSON into the vocabulary of policies: the key, the
//! valid values, and the nearest name.
//!
//! The readers speak of fields, variants and integer types. They pass on text and nothing else, so
//! the code of a mistake can only be found in its sentences. They have few forms; each is parsed
//! here, and an unknown form is passed on unchanged. No sentence of our own is parsed. Costs nothing
//! unless there is a mistake.

use super::spans::key_at;
use super::tree::{Node, body};
use crate::error::{Fault, nearest};
use crate::fault;
use crate::policy::ModelKind;
use crate::registry;

/// The fault behind a mistake that the reader of TOML found.
pub fn fault(error: &toml::de::Error, text: &str) -> Fault {
    let key = error.span().and_then(|span| key_at(text, &span));
    let broken = toml::de::DeTable::parse(text).is_err();
    let help = error.span().filter(|_| broken).and_then(|span| colon(text, span.start));
    let fault = translated(error.message().trim(), (key, error.span()), broken);
    match help {
        Some(help) if fault.help.is_none() => fault.help(help),
        _ => fault,
    }
}

/// What to write in place of a line such as `role: quasi`.
fn colon(text: &str, at: usize) -> Option<String> {
    let at = text.floor_char_boundary(at);
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let (key, value) = text[start..].lines().next()?.split_once(':')?;
    let (key, value) = (key.trim(), value.trim());
    let is_key = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    let word = !value.is_empty() && value.chars().all(|c| c.is_alphanumeric() || "-_".contains(c));
    let number = value.parse::<f64>().is_ok() || ["true", "false"].contains(&value);
    let value = match (word, number) {
        (true, false) => format!("\"{value}\""),
        (true, true) => value.to_owned(),
        (false, _) => "…".to_owned(),
    };
    is_key.then(|| format!("TOML uses `=` between key and value: {key} = {value}"))
}

/// Names from elsewhere, and what a policy calls the same.
const SYNONYMS: [(&str, &str); 16] = [
    ("quasi-identifier", "quasi"),
    ("quasi_identifier", "quasi"),
    ("quasi-identifying", "quasi"),
    ("qi", "quasi"),
    ("key", "quasi"),
    ("identifying", "identifier"),
    ("direct", "identifier"),
    ("id", "identifier"),
    ("confidential", "sensitive"),
    ("insensitive", "keep"),
    ("non-sensitive", "keep"),
    ("none", "keep"),
    ("remove", "drop"),
    ("delete", "drop"),
    ("outcome", "target"),
    ("label", "target"),
];

/// The form of a privacy model that is written as a key of `privacy`.
fn model_form(name: &str, valid: &[&str]) -> Option<String> {
    let entry = ModelKind::from_key(name).filter(|_| valid.contains(&"models"))?.entry();
    Some(format!("privacy models are listed: models = [{{ {} = {} }}]", entry.key, entry.example))
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
    translated(&sentence(error), (key, span), false).line(error.line() as u64)
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

/// The fault behind a sentence of a reader, at a key and a place; the text may be broken.
fn translated(
    message: &str,
    (key, span): (Option<String>, Option<std::ops::Range<usize>>),
    broken: bool,
) -> Fault {
    let mut fault = unknown(message)
        .or_else(|| missing(message))
        .or_else(|| unfit(message, key.as_deref()))
        .or_else(|| misshapen(message))
        .unwrap_or_else(|| other(message, broken));
    fault.place.key = key;
    fault.place.span = span;
    fault
}

/// A text that is not TOML, or a value that fits none of the forms that its key can have.
fn other(message: &str, broken: bool) -> Fault {
    match broken {
        true => fault!(Input, "policy.syntax", "{problem}", problem = message),
        false => fault!(Input, "policy.no-such-form", "{problem}", problem = message),
    }
}

/// A key or a word that there is not.
fn unknown(message: &str) -> Option<Fault> {
    let (what, rest) = [("key", "unknown field `"), ("word", "unknown variant `")]
        .into_iter()
        .find_map(|(what, start)| Some((what, message.strip_prefix(start)?)))?;
    let (name, expected) = rest.split_once("`, expected ").or_else(|| rest.split_once("`, there are no "))?;
    let valid: Vec<&str> = expected.split('`').skip(1).step_by(2).collect();
    if let Some(family) = registry::family_of(&valid) {
        return Some(registry::unknown(family, name));
    }
    let known =
        SYNONYMS.iter().find(|(synonym, word)| *synonym == name.to_lowercase() && valid.contains(word));
    let near = known.map(|(_, word)| *word).or_else(|| nearest(name, valid.iter().copied()));
    let near = near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
    let list = valid.iter().map(|v| format!("`{v}`")).collect::<Vec<_>>().join(", ");
    let fault = match what {
        "key" => fault!(Input, "policy.unknown-key", "there is no key `{key}` here", key = name),
        _ => fault!(Input, "policy.unknown-word", "there is no word `{word}` here", word = name),
    };
    if let Some(form) = model_form(name, &valid) {
        return Some(fault.help(form));
    }
    Some(if valid.is_empty() { fault } else { fault.help(format!("{near}{what}s here are {list}")) })
}

/// A key that must be there.
fn missing(message: &str) -> Option<Fault> {
    let key = message.strip_prefix("missing field `")?.strip_suffix('`')?;
    Some(fault!(Input, "policy.missing-key", "missing field `{key}`", key = key))
}

/// A key that is there twice, or a list of another length.
fn misshapen(message: &str) -> Option<Fault> {
    if message == "duplicate key" {
        return Some(fault!(Input, "policy.duplicate-key", "duplicate key"));
    }
    if let Some((length, expected)) =
        message.strip_prefix("invalid length ").and_then(|rest| rest.split_once(", expected "))
    {
        return Some(fault!(
            Input,
            "policy.wrong-length",
            "invalid length {length}, expected {expected}",
            length = length,
            expected = expected
        ));
    }
    None
}

/// A value of another kind, or out of range.
fn unfit(message: &str, key: Option<&str>) -> Option<Fault> {
    let of_type = message.strip_prefix("invalid type: ");
    let rest = of_type.or_else(|| message.strip_prefix("invalid value: "))?;
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
    let fault = match of_type {
        Some(_) => fault!(Input, "policy.wrong-type", "found {found}", found = found, expected = expected),
        None => fault!(Input, "policy.wrong-value", "found {found}", found = found, expected = expected),
    };
    Some(fault.help(format!("this must be {expected}")))
}

#[cfg(test)]
mod tests {
    use crate::policy::Policy;

    const GOOD: &str = "version = 1\n[input]\npath = \"x.csv\"\n[columns]\nage.role = \"quasi\"\n\
                        [privacy]\nk = 2\n[search]\nalgorithm = \"ola\"\n";

    #[test]
    fn mistakes_of_grammar_have_codes() {
        assert!(Policy::parse(GOOD).is_ok());
        for (from, to, code, argument) in [
            ("path =", "paht =", "policy.unknown-key", Some(("key", "paht"))),
            ("\"quasi\"", "\"qausi\"", "policy.unknown-word", Some(("word", "qausi"))),
            ("path = \"x.csv\"", "", "policy.missing-key", Some(("key", "path"))),
            ("k = 2", "k = \"two\"", "policy.wrong-type", Some(("found", "string \"two\""))),
            ("k = 2", "k = -2", "policy.wrong-value", Some(("found", "integer `-2`"))),
            ("k = 2", "k = 2\nk = 3", "policy.duplicate-key", None),
            ("k = 2", "k = ", "policy.syntax", None),
            (
                "k = 2",
                "anonymity = 0.5\nanonymity_table = [[1]]",
                "policy.wrong-length",
                Some(("length", "1")),
            ),
            (
                "role = \"quasi\"",
                "hierarchy = { file = 5 }\nage.role = \"quasi\"",
                "policy.no-such-form",
                None,
            ),
            ("\"ola\"", "\"oal\"", "registry.unknown-name", Some(("name", "oal"))),
            ("\"ola\"", "\"o, `l`, a\"", "registry.unknown-name", Some(("name", "o, `l`, a"))),
            (
                "k = 2",
                "models = [{ k_map = { k = 2, population = -1 } }]",
                "policy.wrong-value",
                Some(("found", "integer `-1`")),
            ),
        ] {
            let text = GOOD.replace(from, to);
            assert_ne!(text, GOOD, "{from}");
            let error = Policy::parse(&text).expect_err(to);
            assert!(error.has_code(code), "{to}: {:?}", error.faults());
            let arguments = &error.faults()[0].arguments;
            let found =
                |wanted: (&str, &str)| arguments.iter().any(|(name, value)| (*name, &**value) == wanted);
            assert!(argument.is_none_or(found), "{to}: {arguments:?}");
        }
    }

    #[test]
    fn usual_mistakes_are_answered_with_what_to_write() {
        for (from, to, help) in [
            ("\"quasi\"", "\"quasi-identifier\"", "did you mean `quasi`? "),
            ("\"quasi\"", "\"QI\"", "did you mean `quasi`? "),
            ("\"quasi\"", "\"remove\"", "did you mean `drop`? "),
            (
                "age.role = \"quasi\"",
                "[columns.age]\nrole: quasi",
                "TOML uses `=` between key and value: role = \"quasi\"",
            ),
            ("k = 2", "k: 2", "TOML uses `=` between key and value: k = 2"),
            ("k = 2", "k: [2]", "TOML uses `=` between key and value: k = …"),
            ("k = 2", "k = 2\nl_diversity = 3", "privacy models are listed: models = [{ l_diversity = { "),
        ] {
            let error = Policy::parse(&GOOD.replace(from, to)).expect_err(to);
            let found = error.faults()[0].help.clone().unwrap_or_default();
            assert!(found.starts_with(help), "{to}: {found}");
        }
        let error = Policy::parse(&GOOD.replace("k = 2", "k = ")).unwrap_err();
        assert_eq!(error.faults()[0].help, None);
    }
}
