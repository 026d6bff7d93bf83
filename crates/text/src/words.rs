//! Sets of words that a detector asks for, answered from the hash of a token in nearly all cases.
//!
//! A set is made when the program is compiled. Its filter has two constants of 64 bits, so that a
//! token which is not in the set costs a few instructions and no look at the text.

use crate::lexicon::hash_ascii_letters;

/// A set of words in small letters, or of signs.
#[derive(Debug, Clone, Copy)]
pub struct WordSet {
    words: &'static [&'static str],
    /// Bits of two parts of the hashes of the words.
    filters: (u64, u64),
}

impl WordSet {
    /// The set of some words.
    pub const fn new(words: &'static [&'static str]) -> Self {
        let (mut filters, mut at) = ((0, 0), 0);
        while at < words.len() {
            let bits = bits_of(words[at].as_bytes());
            filters = (filters.0 | bits.0, filters.1 | bits.1);
            at += 1;
        }
        WordSet { words, filters }
    }

    /// Whether a token with this hash may be in the set; false is certain.
    #[inline(always)]
    pub fn may_have(self, hash: u64) -> bool {
        let bits = bits(hash);
        self.filters.0 & bits.0 != 0 && self.filters.1 & bits.1 != 0
    }

    /// Whether a word is in the set, its ASCII letters in any case.
    pub fn has(self, word: &[u8]) -> bool {
        self.words.iter().any(|own| own.as_bytes().eq_ignore_ascii_case(word))
    }
}

/// The bits of a hash in the two filters.
#[inline(always)]
const fn bits(hash: u64) -> (u64, u64) {
    (1 << (hash & 63), 1 << (hash >> 6 & 63))
}

/// The bits of the hash that a token with this text has. A sign or a number has the hash 0. A word
/// with letters outside of ASCII passes the filter whatever its hash is.
const fn bits_of(word: &[u8]) -> (u64, u64) {
    match hash_ascii_letters(word) {
        Some(hash) => bits(hash),
        None if word.is_ascii() => bits(0),
        None => (u64::MAX, u64::MAX),
    }
}

/// A [`WordSet`] of literals.
macro_rules! words {
    ($($word:literal),* $(,)?) => {
        const { $crate::words::WordSet::new(&[$($word),*]) }
    };
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::document::Document;

    proptest! {
        /// A set has the tokens that its list names, in any case, and no other.
        #[test]
        fn sets_are_their_lists(text in "(?i:[a-d]{1,3}|née|nee|the|don't|don’t|hospital|infirmaries| |@|7)") {
            const LIST: [&str; 10] =
                ["a", "ab", "abc", "dd", "née", "the", "don't", "hospital", "infirmaries", "@"];
            let set = words!["a", "ab", "abc", "dd", "née", "the", "don't", "hospital", "infirmaries", "@"];
            let document = Document::read(&text, Document::default());
            for at in 0..document.tokens.len() {
                let listed = LIST.iter().any(|own| own.eq_ignore_ascii_case(document.word(at)));
                prop_assert_eq!(document.is_any(at, set), listed, "{}", text);
            }
        }
    }
}
