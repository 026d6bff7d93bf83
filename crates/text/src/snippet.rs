//! A piece of text that is kept without an allocation if it is short, as most evidence is.

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
            Kept::Short(length, bytes) => {
                bytes.get(..usize::from(*length)).and_then(|own| std::str::from_utf8(own).ok()).unwrap_or("")
            }
            Kept::Long(text) => text,
        }
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
        self.as_str() == other.as_str()
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
        fn text_is_kept(text in "\\PC{0,30}") {
            let snippet = Snippet::from(text.as_str());
            prop_assert_eq!(snippet.as_str(), &text);
            prop_assert_eq!(format!("{snippet} {snippet:?}"), format!("{text} {text:?}"));
        }
    }
}
