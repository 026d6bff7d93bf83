//! Whether a file that is given as a policy, an experiment or a specification is one at all.
//!
//! The reader of TOML quotes the line that it stumbles over. Where the file is a table instead,
//! that line is a person. So a file is looked at first: only one whose first line is TOML, or JSON
//! with the keys of a policy, goes to the reader. All other files are refused without quoting
//! anything. Costs a look at the first lines; JSON is read once.

use super::tree::{self, Content, Node};
use super::{Format, POLICY_KEYS, PolicyBundle};
use crate::error::{Fault, Result};
use crate::fault;

/// Lines of a file that are looked at to see whether they are rows.
const LINES: usize = 5;

/// What a file of rows is called.
const TABLE: &str = "a table";

/// What a TOML or JSON file is expected to be.
#[derive(Debug, Clone, Copy)]
pub struct Document {
    /// With its article: "a policy".
    pub name: &'static str,
    /// Where to find or how to make one.
    pub example: &'static str,
    /// Whether it may be JSON.
    pub json: bool,
}

/// An experiment of `throng compare`.
pub const EXPERIMENT: Document =
    Document { name: "an experiment", example: "experiments/patients.toml is an example", json: false };

/// A specification of `throng synth`.
pub const SPECIFICATION: Document = Document {
    name: "a specification",
    example: "`throng synth county --show` prints an example",
    json: false,
};

/// A policy, or a bundle of one.
pub const POLICY: Document =
    Document { name: "a policy", example: "`throng inspect TABLE --write POLICY` proposes one", json: true };

impl Document {
    /// The text of a file, if it can be such a document.
    ///
    /// # Errors
    /// A file that is something else. The fault quotes nothing of it.
    pub fn text<'a>(&self, file: &str, bytes: &'a [u8]) -> Result<&'a str> {
        if let Some(format) = magic(bytes) {
            return Err(self.other_format(file, format).into());
        }
        let text = match std::str::from_utf8(bytes) {
            Ok(text) if !bytes.contains(&0) => text,
            _ if named_as_table(file) => return Err(self.other_format(file, TABLE).into()),
            _ => return Err(self.not_text(file).into()),
        };
        if self.json && tree::is_json(text) && (is_policy(text) || PolicyBundle::is_bundle(text)) {
            return Ok(text);
        }
        let plain = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut lines = plain.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'));
        let Some(first) = lines.next() else { return Ok(text) };
        if begins_toml(first) && !(named_as_table(file) && delimited(text)) {
            return Ok(text);
        }
        let json = first.starts_with('{') || first.starts_with("[{") || first == "[";
        Err(match (named_as_table(file) || delimited(text), json) {
            (true, false) => self.other_format(file, TABLE),
            (_, true) => self.other_format(file, "JSON"),
            (false, false) => self.not_toml(file),
        }
        .into())
    }

    /// The fault of a file of another format.
    fn other_format(&self, file: &str, found: &str) -> Fault {
        let fault = fault!(
            Input,
            "policy.file-of-other-format",
            "is {found}, not {expected}",
            found = found,
            expected = self.name
        );
        let noun = self.name.rsplit(' ').next().unwrap_or(self.name);
        let help = match found {
            TABLE if noun == "policy" => format!(
                "give a policy; `throng inspect {} --write policy.toml` proposes one for this table",
                quoted_argument(file)
            ),
            _ => self.remedy(),
        };
        fault.file(file).help(help)
    }

    fn not_text(&self, file: &str) -> Fault {
        fault!(Input, "policy.file-not-utf8", "is not {expected}: it is not UTF-8 text", expected = self.name)
            .file(file)
            .help(self.remedy())
    }

    fn not_toml(&self, file: &str) -> Fault {
        fault!(Input, "policy.file-not-toml", "is not {expected}: it is not TOML", expected = self.name)
            .file(file)
            .help(self.remedy())
    }

    fn remedy(&self) -> String {
        let Document { name, example, json } = self;
        let kinds = if *json { "TOML or JSON" } else { "TOML" };
        format!("{name} is a {kinds} file; {example}")
    }
}

/// Whether a JSON object has the keys of a policy with values that a policy has there: two of them,
/// or the first of them where the syntax is broken. A row of a table has texts and numbers.
fn is_policy(text: &str) -> bool {
    let fits =
        |key: &str, table: bool| POLICY_KEYS.iter().any(|p| p.name == key) && table == (key != "version");
    match Node::of_json(text) {
        Some(Node { content: Content::Table(entries), .. }) => {
            let table = |node: &Node| matches!(node.content, Content::Table(_));
            entries.iter().filter(|(name, value)| fits(&name.text, table(value))).count() >= 2
        }
        Some(_) => false,
        None => opening(text).is_some_and(|(key, value)| fits(key, value == '{')),
    }
}

/// The first key of a JSON object whose syntax is broken, and the first character of its value.
/// None where the first line is an object, which is a row of a table.
pub(super) fn opening(text: &str) -> Option<(&str, char)> {
    let text = tree::body(text).trim_start();
    if text.lines().next().is_some_and(|line| Node::of_json(line).is_some()) {
        return None;
    }
    let (key, rest) = text.strip_prefix('{')?.trim_start().strip_prefix('"')?.split_once('"')?;
    Some((key, rest.trim_start().strip_prefix(':')?.trim_start().chars().next()?))
}

/// A path as a shell takes it.
fn quoted_argument(path: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+:@%".contains(c);
    if path.chars().all(plain) { path.into() } else { format!("'{}'", path.replace('\'', "'\\''")) }
}

/// The format that the first bytes of a file give away.
fn magic(bytes: &[u8]) -> Option<&'static str> {
    let starts: [(&[u8], &str); 5] = [
        (b"PAR1", TABLE),
        (b"ARROW1", TABLE),
        (b"PK\x03\x04", "a zip archive or a spreadsheet"),
        (b"\x1f\x8b", "a compressed file"),
        (b"\xd0\xcf\x11\xe0", "an old spreadsheet"),
    ];
    starts.into_iter().find(|(start, _)| bytes.starts_with(start)).map(|(_, format)| format)
}

/// Whether the name of a file is that of a table; `.txt` can be anything.
fn named_as_table(file: &str) -> bool {
    Format::of_path(file).is_some() && !file.to_lowercase().ends_with(".txt")
}

/// Whether a line is the head of a table of TOML, or a key with its value.
fn begins_toml(line: &str) -> bool {
    if let Some(rest) = line.strip_prefix('[') {
        let rest = rest.strip_prefix('[').unwrap_or(rest);
        let Some((name, after)) = rest.split_once(']') else { return false };
        let after = after.trim_start_matches(']').trim();
        return key(name) && (after.is_empty() || after.starts_with('#'));
    }
    line.split_once('=').is_some_and(|(name, _)| key(name))
}

/// Whether a text is a key of TOML that needs no quotes; the keys of our documents never do.
fn key(text: &str) -> bool {
    let bare = |part: &str| {
        let part = part.trim();
        !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
    };
    text.split('.').all(bare)
}

/// Whether the first lines are divided into the same number of cells, two or more.
fn delimited(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().filter(|l| !l.trim().is_empty()).take(LINES).collect();
    [',', ';', '\t', '|'].into_iter().any(|delimiter| {
        let count = |line: &&str| line.matches(delimiter).count();
        let first = lines.first().map_or(0, count);
        first > 0 && lines.iter().all(|line| count(line) == first)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn refused(file: &str, bytes: &[u8]) -> Option<(String, String)> {
        let error = POLICY.text(file, bytes).err()?;
        let fault = &error.faults()[0];
        assert_eq!(fault.place.span, None, "a place would be shown with its line");
        Some((fault.message.clone(), fault.help.clone().unwrap()))
    }

    #[test]
    fn toml_passes() {
        for text in [
            "version = 1\n",
            "version=1",
            "version = ",
            "# a comment, with commas\n\n[input]\npath = \"a.csv\"\n",
            "\u{feff}version = 1\n",
            "[[tables]]\nname = \"a\"\n",
            "[columns.age] # years\n",
            "input.path = \"a,b\"\n",
            "",
            "# nothing but a comment\n",
        ] {
            for file in ["policy.toml", "policy", "policy.txt"] {
                assert_eq!(refused(file, text.as_bytes()), None, "{file}: {text}");
            }
        }
    }

    #[test]
    fn tables_are_refused_without_a_quotation() {
        for (file, bytes, found) in [
            ("t.csv", &b"name,age\nSECRET,34\n"[..], "is a table, not a policy"),
            ("t.csv", b"SECRET\n", "is a table, not a policy"),
            ("t.csv", b"a = b,c\nSECRET,34\n", "is a table, not a policy"),
            ("t.dat", b"name;age\nSECRET;34\n", "is a table, not a policy"),
            ("t.txt", b"name\tage\nSECRET\t34\n", "is a table, not a policy"),
            ("t.parquet", b"PAR1SECRET", "is a table, not a policy"),
            ("t", b"ARROW1SECRET", "is a table, not a policy"),
            ("t.csv", b"N\xfa\xf1ez;1\n", "is a table, not a policy"),
            ("t.xlsx", b"PK\x03\x04SECRET", "is a zip archive or a spreadsheet, not a policy"),
            ("t.csv.gz", b"\x1f\x8bSECRET", "is a compressed file, not a policy"),
            ("t.json", b"{\"name\": \"SECRET\"}\n", "is JSON, not a policy"),
            ("t", b"[{\"name\": \"SECRET\"}]\n", "is JSON, not a policy"),
            ("t", b"[\n{\"name\": \"SECRET\"}]\n", "is JSON, not a policy"),
            ("t.toml", b"SECRET is ill\n", "is not a policy: it is not TOML"),
            ("t.toml", b"a\0b", "is not a policy: it is not UTF-8 text"),
        ] {
            let (message, help) = refused(file, bytes).unwrap_or_else(|| panic!("{file} passed"));
            assert_eq!(message, found, "{file}");
            assert!(!help.contains("SECRET"), "{help}");
        }
    }

    #[test]
    fn json_with_the_keys_of_a_policy_passes() {
        for text in [
            "{\"version\": 1, \"input\": {\"path\": \"a.csv\"}}",
            "\u{feff}\n{\n  \"version\": 1,\n  \"privacie\": {},\n  \"columns\": {}\n}\n",
            "{\"input\": \"a.csv\", \"columns\": {}, \"privacy\": {}}",
            "{\"version\": 1, \"input\": ",
            "{\"input\": {\"path\": \"a.csv\"}, \"version\" 1}",
            "{\"format\": 1, \"policy\": \"version = 1\", \"files\": {}}",
            "{\"files\": {}, \"policy\": \"\", \"format\": 9}",
            "{\"format\": 1, \"policy\": ",
        ] {
            for file in ["policy.json", "policy", "policy.toml"] {
                assert_eq!(refused(file, text.as_bytes()), None, "{file}: {text}");
            }
            assert!(EXPERIMENT.text("e.json", text.as_bytes()).is_err());
            assert!(SPECIFICATION.text("s.json", text.as_bytes()).is_err());
        }
    }

    #[test]
    fn rows_of_json_are_refused_without_a_quotation() {
        for text in [
            "{\"version\": 1, \"name\": \"SECRET\"}",
            "{\"version\": 1, \"input\": \"SECRET\", \"output\": \"SECRET\", \"policy\": 3}",
            "{\"version\": 1, \"input\": {}}\n{\"version\": 1, \"input\": {\"a\": \"SECRET\"}}\n",
            "{\"version\": 1, \"name\": \"SECRET\"}\n{\"version\": 1,",
            "{\"input\": \"SECRET\",",
            "{\"name\": \"SECRET\",",
            "{\"policy\": \"SECRET\", \"name\": 1}",
            "{",
            "{}",
        ] {
            let (message, help) =
                refused("t.json", text.as_bytes()).unwrap_or_else(|| panic!("{text} passed"));
            assert_eq!(message, "is JSON, not a policy", "{text}");
            assert!(help.contains("TOML or JSON") && !help.contains("SECRET"), "{help}");
        }
    }

    #[test]
    fn the_remedy_can_be_typed() {
        let (_, help) = refused("my table.csv", b"a,b\n1,2\n").unwrap();
        assert!(help.contains("`throng inspect 'my table.csv' --write policy.toml`"), "{help}");
    }

    proptest! {
        /// Whatever a refused file holds, the fault has nothing of it.
        #[test]
        fn nothing_is_quoted(text in "[a-z0-9,;=\\[\\]{}\"\n]{0,40}XSECRETX[ -~\n]{0,40}") {
            if let Some((message, help)) = refused("t.csv", text.as_bytes()) {
                prop_assert!(!message.contains("SECRET") && !help.contains("SECRET"));
            }
        }
    }
}
