//! A piece of text that is kept without an allocation if it is short, as most values and most evidence are.
//!
//! It has 24 bytes, as a `String` has. A comparison with a short one reads nothing else.

use std::cmp::Ordering;

use serde::{Serialize, Serializer};

/// Bytes that need no allocation.
const SHORT: usize = 22;

/// A piece of text.
#[derive(Clone)]
pub struct Snippet(Kept);

#[derive(Clone)]
enum Kept {
    Short(u8, [u8; SHORT]),
    Long(Box<str>),
}

impl Snippet {
    /// The text.
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Kept::Short(..) => std::str::from_utf8(self.as_bytes()).unwrap_or(""),
            Kept::Long(text) => text,
        }
    }

    /// The bytes of the text.
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Kept::Short(length, bytes) => bytes.get(..usize::from(*length)).unwrap_or_default(),
            Kept::Long(text) => text.as_bytes(),
        }
    }
}

impl std::ops::Deref for Snippet {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl From<&str> for Snippet {
    fn from(text: &str) -> Self {
        let mut bytes = [0; SHORT];
        match bytes.get_mut(..text.len()) {
            Some(own) => {
                own.copy_from_slice(text.as_bytes());
                Snippet(Kept::Short(text.len() as u8, bytes))
            }
            None => Snippet(Kept::Long(text.into())),
        }
    }
}

impl std::fmt::Debug for Snippet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.as_str().fmt(f)
    }
}

impl std::fmt::Display for Snippet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl PartialEq for Snippet {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Snippet {}

impl PartialOrd for Snippet {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// By their bytes, as texts are.
impl Ord for Snippet {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

impl Serialize for Snippet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn text_is_kept(text in "\\PC{0,30}", other in "\\PC{0,3}") {
            let snippet = Snippet::from(text.as_str());
            prop_assert_eq!(snippet.as_str(), &text);
            prop_assert_eq!(snippet.as_bytes(), text.as_bytes());
            prop_assert_eq!(snippet.cmp(&Snippet::from(&*other)), text.as_str().cmp(&other));
            prop_assert_eq!(snippet == Snippet::from(&*other), text == other);
            prop_assert_eq!(format!("{snippet} {snippet:?}"), format!("{text} {text:?}"));
        }
    }
}
