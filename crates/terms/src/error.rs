//! Errors with a stable code, a place and a remedy.
//!
//! One [`Error`] carries one or more [`Fault`]s, so that a policy with three mistakes can be
//! corrected in one go. A fault names the place (file and line, policy key, column), the offending
//! value, and the remedy. It never carries a cell beyond the offending one.
//!
//! Programs match on [`Fault::code`] and read [`Fault::arguments`]; the message is for people and
//! may change. `docs/errors.md` lists all codes. [`fault!`](crate::fault) makes a fault.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

/// The result of everything here that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Who is at fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Kind {
    /// What the user wrote: a policy, an argument, a hierarchy.
    Input,
    /// The data do not fit what the user wrote.
    Data,
    /// The run was right but its answer is no: no safe node within the limits.
    Unsolvable,
    /// The outside world: a file that cannot be read, a full disk.
    System,
    /// The user, or another program, asked to stop.
    Cancelled,
    /// A mistake in Throng itself.
    Bug,
}

/// Where a fault is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    /// The file, as the user named it.
    pub file: Option<String>,
    /// Line in that file, from 1.
    pub line: Option<u64>,
    /// Key in the policy, e.g. `columns.age.max_level`.
    pub key: Option<String>,
    /// Column of the table.
    pub column: Option<String>,
    /// Byte range in the policy text, where known.
    pub span: Option<std::ops::Range<usize>>,
}

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// What is wrong, for programs: `AREA.PROBLEM`. A code keeps its meaning in later versions.
    pub code: &'static str,
    /// The values that the message contains, by name.
    pub arguments: Vec<(&'static str, String)>,
    /// Who is at fault.
    pub kind: Kind,
    /// Where it is.
    pub place: Place,
    /// What is wrong, in one sentence.
    pub message: String,
    /// What would be right.
    pub help: Option<String>,
}

impl Fault {
    /// A fault with its code and sentence; see [`fault!`](crate::fault).
    pub fn coded(kind: Kind, code: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        Fault { code, arguments: Vec::new(), kind, place: Place::default(), message, help: None }
    }

    /// Adds a value that the message contains.
    #[must_use]
    pub fn argument(mut self, name: &'static str, value: impl fmt::Display) -> Self {
        self.arguments.push((name, value.to_string()));
        self
    }

    /// A mistake in Throng itself.
    pub fn bug(message: impl Into<String>) -> Self {
        Fault::coded(Kind::Bug, "internal", message)
    }

    /// Says in which part of the input the fault is, in front of its message: "CONTEXT: MESSAGE".
    /// The code and the arguments stay those of the fault.
    ///
    /// ```
    /// use throng_terms::fault;
    ///
    /// let fault = fault!(Input, "argus.no-column", "`generalize` needs a column").within("command 2");
    /// assert_eq!(fault.message, "command 2: `generalize` needs a column");
    /// assert_eq!(fault.code, "argus.no-column");
    /// ```
    #[must_use]
    pub fn within(mut self, context: impl fmt::Display) -> Self {
        self.message = format!("{context}: {}", self.message);
        self
    }

    /// Adds the remedy.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Names the policy key.
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.place.key = Some(key.into());
        self
    }

    /// Names the column.
    #[must_use]
    pub fn column(mut self, column: impl Into<String>) -> Self {
        self.place.column = Some(column.into());
        self
    }

    /// Names the file.
    #[must_use]
    pub fn file(mut self, file: impl Into<String>) -> Self {
        self.place.file = Some(file.into());
        self
    }

    /// Names the line of the file, from 1.
    #[must_use]
    pub fn line(mut self, line: u64) -> Self {
        self.place.line = Some(line);
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.place.file, self.place.line) {
            (Some(file), Some(line)) => write!(f, "{file}:{line}: ")?,
            (Some(file), None) => write!(f, "{file}: ")?,
            _ => {}
        }
        if let Some(key) = &self.place.key {
            write!(f, "{key}: ")?;
        } else if let Some(column) = &self.place.column {
            write!(f, "column `{column}`: ")?;
        }
        f.write_str(&self.message)
    }
}

/// A fault as JSON: code, kind, message, help, place and arguments.
impl Serialize for Fault {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("code", self.code)?;
        map.serialize_entry("kind", &self.kind)?;
        map.serialize_entry("message", &self.message)?;
        let place = &self.place;
        let texts =
            [("help", &self.help), ("file", &place.file), ("key", &place.key), ("column", &place.column)];
        for (name, text) in texts.iter().filter_map(|(name, text)| text.as_ref().map(|text| (name, text))) {
            map.serialize_entry(name, text)?;
        }
        if let Some(line) = place.line {
            map.serialize_entry("line", &line)?;
        }
        if !self.arguments.is_empty() {
            let arguments: BTreeMap<&str, &str> =
                self.arguments.iter().map(|(name, value)| (*name, value.as_str())).collect();
            map.serialize_entry("arguments", &arguments)?;
        }
        map.end()
    }
}

/// Makes a [`Fault`](crate::error::Fault): kind, code, message, and the values that the message
/// contains.
///
/// ```
/// use throng_terms::fault;
///
/// let (name, table) = ("agee", "people.csv");
/// let fault = fault!(Input, "policy.no-such-column", "the table has no column `{column}`", column = name)
///     .file(table)
///     .help("did you mean `age`?");
/// assert_eq!(fault.to_string(), "people.csv: the table has no column `agee`");
/// assert_eq!(fault.arguments, [("column", "agee".to_owned())]);
/// ```
#[macro_export]
macro_rules! fault {
    ($kind:ident, $code:literal, $text:literal $(, $name:ident = $value:expr)* $(,)?) => {
        // All values are evaluated before the first name is bound.
        match ($(&$value,)*) {
            ($($name,)*) => $crate::error::Fault::coded($crate::error::Kind::$kind, $code, format!($text))
                $(.argument(stringify!($name), $name))*,
        }
    };
}

/// One or more faults; never none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Error {
    faults: Vec<Fault>,
}

impl Error {
    /// The faults, first found first.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// The work was asked to stop.
    pub fn cancelled() -> Self {
        fault!(Cancelled, "cancelled", "stopped; nothing was written").into()
    }

    /// Whether a fault has a code.
    pub fn has_code(&self, code: &str) -> bool {
        self.faults.iter().any(|fault| fault.code == code)
    }

    /// Whether the work was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.is_all(Kind::Cancelled)
    }

    /// Whether every fault is of one kind.
    pub fn is_all(&self, kind: Kind) -> bool {
        self.faults.iter().all(|fault| fault.kind == kind)
    }

    /// Changes every fault, for instance to add the file it was found in.
    #[must_use]
    pub fn map(mut self, change: impl FnMut(Fault) -> Fault) -> Self {
        self.faults = self.faults.into_iter().map(change).collect();
        self
    }

    /// `Ok` when nothing was found, otherwise all that was found.
    pub fn check(faults: Vec<Fault>) -> Result<()> {
        if faults.is_empty() { Ok(()) } else { Err(Error { faults }) }
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        Error { faults: vec![fault] }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, fault) in self.faults.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{fault}")?;
            if let Some(help) = &fault.help {
                write!(f, "\n  help: {help}")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

/// The valid name nearest to a mistyped one, when one is near enough to be meant.
pub fn nearest<'a>(name: &str, valid: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    valid
        .into_iter()
        .map(|v| (strsim::damerau_levenshtein(&name.to_lowercase(), &v.to_lowercase()), v))
        .filter(|(d, v)| *d <= 1 + v.chars().count() / 4)
        .min_by_key(|(d, _)| *d)
        .map(|(_, v)| v)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macro_makes_code_arguments_and_message() {
        let (name, share) = (String::from("age"), 0.123_456);
        let fault = fault!(Data, "test.share", "`{column}` has {share:.2}", column = name, share = share);
        assert_eq!((fault.kind, fault.code), (Kind::Data, "test.share"));
        assert_eq!(fault.message, "`age` has 0.12");
        assert_eq!(fault.arguments, [("column", "age".to_owned()), ("share", "0.123456".to_owned())]);
        assert_eq!(name, "age", "values are borrowed");
        let fault = fault!(System, "test.braces", "no {{argument}}");
        assert_eq!((fault.message.as_str(), fault.arguments.len()), ("no {argument}", 0));
    }

    #[test]
    fn values_of_arguments_are_those_outside_of_the_macro() {
        let (low, high) = (1, 2);
        let fault = fault!(Input, "test.swapped", "{low} {high}", low = high, high = low);
        assert_eq!(fault.message, "2 1");
    }

    #[test]
    fn faults_are_written_as_json() {
        let fault = fault!(Input, "test.unknown", "there is no column `{column}`", column = "agee")
            .file("policy.toml")
            .line(3)
            .key("columns.agee")
            .help("did you mean `age`?");
        let json = serde_json::to_value(Error::from(fault)).unwrap();
        let expected = serde_json::json!({"faults": [{
            "code": "test.unknown",
            "kind": "input",
            "message": "there is no column `agee`",
            "help": "did you mean `age`?",
            "file": "policy.toml",
            "key": "columns.agee",
            "line": 3,
            "arguments": {"column": "agee"},
        }]});
        assert_eq!(json, expected);
        let json = serde_json::to_value(Fault::bug("lost").column("age")).unwrap();
        let expected =
            serde_json::json!({"code": "internal", "kind": "bug", "message": "lost", "column": "age"});
        assert_eq!(json, expected);
    }

    #[test]
    fn codes_of_all_faults_are_found() {
        let faults = vec![fault!(Input, "test.first", "x"), fault!(Data, "test.second", "y")];
        let error = Error::check(faults).unwrap_err();
        assert!(error.has_code("test.first") && error.has_code("test.second"));
        assert!(!error.has_code("test") && !error.has_code("x"));
        assert!(Error::cancelled().has_code("cancelled"));
    }
}
