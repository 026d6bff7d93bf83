//! What a caller asks for: modes, thresholds, rules for dates and ages, lists and patterns.

use throng_terms::error::{Error, Fault, Result};
use throng_terms::fault;

use crate::span::Kind;

/// What takes the place of a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// A made-up value of the same kind.
    #[default]
    Surrogate,
    /// Its kind with a number: `[PERSON 1]`.
    Tag,
    /// Three asterisks.
    Mask,
}

/// What becomes of dates in mode [`Mode::Surrogate`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DateRule {
    /// The month and the year are kept.
    #[default]
    MonthYear,
    /// Only the year is kept.
    Year,
    /// All dates move by a number of days.
    Shift {
        /// Days, forward or back.
        days: i32,
    },
    /// The dates of a person move by a number of days that follows from key and person. The number
    /// is the one of `transform = { shift = … }` with the same key, days and person.
    ShiftWithin {
        /// At most this number of days, forward or back.
        days: u32,
    },
}

/// Which ages are replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AgeRule {
    /// Ages of 90 and over become "90 or older"; others are reported and kept.
    #[default]
    Over89,
    /// All ages become a group of ten years; those of 90 and over one group.
    Decades,
    /// All ages are suppressed.
    All,
}

/// Words and phrases of the caller.
#[derive(Debug, Clone, PartialEq)]
pub struct WordList {
    /// The name in reports and tags.
    pub name: String,
    /// What the words are; none for a kind of its own.
    pub kind: Option<Kind>,
    /// The words. Case does not matter; a phrase may be separated by any blanks.
    pub words: Vec<String>,
}

/// A regular expression of the caller, in the syntax of the `regex` crate.
#[derive(Debug, Clone, PartialEq)]
pub struct UserPattern {
    /// The name in reports and tags.
    pub name: String,
    /// What a match is; none for a kind of its own.
    pub kind: Option<Kind>,
    /// The expression.
    pub pattern: String,
}

impl WordList {
    /// A list whose name is that of a kind has words of that kind.
    pub fn named(name: &str, words: Vec<String>) -> Self {
        WordList { name: name.to_owned(), kind: Kind::parse(name), words }
    }
}

impl UserPattern {
    /// A pattern whose name is that of a kind finds that kind.
    pub fn named(name: &str, pattern: &str) -> Self {
        UserPattern { name: name.to_owned(), kind: Kind::parse(name), pattern: pattern.to_owned() }
    }
}

/// What a [`Scrubber`](crate::Scrubber) does.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// What takes the place of a span.
    pub mode: Mode,
    /// Spans of at least this certainty are replaced.
    pub threshold: f32,
    /// Spans of at least this certainty that do not reach the threshold are suppressed.
    pub suppress_threshold: f32,
    /// What becomes of dates.
    pub dates: DateRule,
    /// What becomes of ages.
    pub ages: AgeRule,
    /// Whether 03/04/2024 is 3 April. Dates that can only be read one way decide for themselves.
    pub day_first: bool,
    /// Makes surrogates the same over all documents. Without a key they follow from the document.
    pub key: Option<Vec<u8>>,
    /// Kinds that are reported and kept.
    pub keep: Vec<Kind>,
    /// Words of the caller.
    pub lists: Vec<WordList>,
    /// Patterns of the caller.
    pub patterns: Vec<UserPattern>,
    /// Words that are never found by themselves, such as names of products.
    pub safe_words: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            mode: Mode::default(),
            threshold: 0.7,
            suppress_threshold: 0.5,
            dates: DateRule::default(),
            ages: AgeRule::default(),
            day_first: false,
            key: None,
            keep: Vec::new(),
            lists: Vec::new(),
            patterns: Vec::new(),
            safe_words: Vec::new(),
        }
    }
}

/// The least number of bytes of a key.
pub const LEAST_KEY: usize = 16;

impl Settings {
    /// The names of [`Kind::Custom`]: lists without a kind, then patterns without one.
    pub fn custom_names(&self) -> Vec<&str> {
        let lists = self.lists.iter().filter(|list| list.kind.is_none()).map(|list| list.name.as_str());
        let patterns = self.patterns.iter().filter(|pattern| pattern.kind.is_none());
        lists.chain(patterns.map(|pattern| pattern.name.as_str())).collect()
    }

    /// Checks everything but the patterns, all mistakes at once.
    pub(crate) fn faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        for (name, value) in [("threshold", self.threshold), ("suppress_threshold", self.suppress_threshold)]
        {
            if !(0.0..=1.0).contains(&value) {
                faults.push(
                    fault!(
                        Input,
                        "text.bad-threshold",
                        "`{name}` is {value}, not a certainty",
                        name = name,
                        value = value
                    )
                    .help("use a number from 0 to 1, such as 0.7"),
                );
            }
        }
        if let Some(key) = self.key.as_ref().filter(|key| key.len() < LEAST_KEY) {
            faults.push(
                fault!(
                    Input,
                    "text.short-key",
                    "the key has {bytes} bytes, it needs {least} or more",
                    bytes = key.len(),
                    least = LEAST_KEY
                )
                .help("make one that nobody can guess, for instance: openssl rand -hex 32 > secret.key"),
            );
        }
        if matches!(self.dates, DateRule::ShiftWithin { .. }) && self.key.is_none() {
            faults.push(
                fault!(Input, "text.shift-without-key", "dates that move per person need a key")
                    .help("give a key, or use months and years"),
            );
        }
        if self.custom_names().len() > usize::from(u16::MAX) {
            faults.push(fault!(
                Input,
                "text.too-many-lists",
                "there are more than 65,535 lists and patterns"
            ));
        }
        faults
    }

    /// Checks everything but the patterns.
    ///
    /// # Errors
    /// Thresholds outside of 0 to 1, a short key, shifts per person without a key.
    pub fn check(&self) -> Result<(), Error> {
        Error::check(self.faults())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_mistakes_are_reported_at_once() {
        let settings = Settings {
            threshold: 1.5,
            suppress_threshold: f32::NAN,
            key: Some(b"short".to_vec()),
            ..Settings::default()
        };
        let error = settings.check().unwrap_err();
        assert_eq!(error.faults().len(), 3, "{error}");
        assert!(error.has_code("text.short-key") && error.has_code("text.bad-threshold"));
        let settings = Settings { dates: DateRule::ShiftWithin { days: 30 }, ..Settings::default() };
        assert!(settings.check().unwrap_err().has_code("text.shift-without-key"));
        assert!(Settings::default().check().is_ok());
    }

    #[test]
    fn custom_names_are_those_without_a_kind() {
        let list = |name: &str, kind| WordList { name: name.into(), kind, words: Vec::new() };
        let pattern = UserPattern { name: "trial".into(), kind: None, pattern: "x".into() };
        let lists = vec![list("staff", Some(Kind::Person)), list("pets", None)];
        let settings = Settings { lists, patterns: vec![pattern], ..Settings::default() };
        assert_eq!(settings.custom_names(), ["pets", "trial"]);
    }
}
