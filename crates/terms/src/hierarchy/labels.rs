//! The labels of a level: one text with the end of each, so that a label costs its bytes and eight
//! more. [`Interner`] collects them, each once.

use crate::table::Code;
use crate::table::index::{Index, Key};

/// Code → label; one of them may be missing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Labels {
    text: String,
    ends: Vec<usize>,
    missing: Option<Code>,
}

impl Labels {
    /// How many there are, the missing one included.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The label of a code; none is missing.
    pub(super) fn get(&self, code: Code) -> Option<&str> {
        (self.missing != Some(code)).then(|| self.text(code))
    }

    /// The text of a code; empty for the missing one.
    fn text(&self, code: Code) -> &str {
        let at = code as usize;
        let from = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[from..self.ends[at]]
    }

    /// Adds a label; its code.
    pub(super) fn push(&mut self, label: Option<&str>) -> Code {
        let code = self.ends.len() as Code;
        match label {
            Some(label) => self.text.push_str(label),
            None => self.missing = Some(code),
        }
        self.ends.push(self.text.len());
        code
    }
}

impl<'a> FromIterator<Option<&'a str>> for Labels {
    fn from_iter<I: IntoIterator<Item = Option<&'a str>>>(labels: I) -> Self {
        let mut all = Labels::default();
        for label in labels {
            all.push(label);
        }
        all
    }
}

/// Gives every label a code, in order of first sight.
#[derive(Debug, Default)]
pub(super) struct Interner {
    labels: Labels,
    index: Index,
    /// The label that was asked for last: values come in order, and neighbours share labels.
    last: Option<(Key, Code)>,
}

/// Finished labels, which are not looked up again.
impl From<Labels> for Interner {
    fn from(labels: Labels) -> Self {
        Interner { labels, ..Interner::default() }
    }
}

impl Interner {
    /// The code of a label.
    pub(super) fn code(&mut self, label: &str) -> Code {
        let key = Key::of(label);
        match self.last.filter(|(last, _)| *last == key) {
            Some((_, code)) if key.whole() || self.labels.text(code) == label => code,
            _ => {
                let code = self.find_or_add(key, label);
                self.last = Some((key, code));
                code
            }
        }
    }

    fn find_or_add(&mut self, key: Key, label: &str) -> Code {
        if let Some(code) = self.index.find(key, |code| self.labels.text(code) == label) {
            return code;
        }
        let code = self.labels.push(Some(label));
        self.index.insert(key, code);
        code
    }

    /// The label of a code.
    pub(super) fn get(&self, code: Code) -> Option<&str> {
        self.labels.get(code)
    }

    /// How many labels there are.
    pub(super) fn len(&self) -> usize {
        self.labels.len()
    }

    /// The labels without the look-up.
    pub(super) fn into_labels(mut self) -> Labels {
        self.labels.text.shrink_to_fit();
        self.labels.ends.shrink_to_fit();
        self.labels
    }
}
