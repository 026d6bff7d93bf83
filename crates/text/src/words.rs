//! Sets of words that a detector asks for, answered from the first letter and the length of a
//! token in nearly all cases.
//!
//! A set is made when the program is compiled. Its filter is a constant of 64 bits, so that a token
//! which is not in the set costs a few instructions and no look at the text.

/// A set of words in small letters.
#[derive(Debug, Clone, Copy)]
pub struct WordSet {
    words: &'static [&'static str],
    /// A bit for the first letter and the length of each word.
    filter: u64,
}

impl WordSet {
    /// The set of some words.
    pub const fn new(words: &'static [&'static str]) -> Self {
        let (mut filter, mut at) = (0, 0);
        while at < words.len() {
            let word = words[at].as_bytes();
            filter |= bit(word[0], word.len());
            at += 1;
        }
        WordSet { words, filter }
    }

    /// Whether a word with this first byte and length, in any case, may be in the set; false is
    /// certain.
    #[inline(always)]
    pub fn may_have(self, first: u8, length: usize) -> bool {
        self.filter & bit(first, length) != 0
    }

    /// Whether a word is in the set, its ASCII letters in any case.
    pub fn has(self, word: &[u8]) -> bool {
        self.words.iter().any(|own| own.as_bytes().eq_ignore_ascii_case(word))
    }
}

/// The bit of a first byte, in any case, and a length.
#[inline]
const fn bit(first: u8, length: usize) -> u64 {
    1 << (((first as usize & 31) + 23 * length) & 63)
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

    proptest! {
        /// The filter drops no word of the set, and the set is what the list says.
        #[test]
        fn sets_are_their_lists(word in "[a-dA-D]{1,3}|(?i:née|the|hospital)") {
            const LIST: [&str; 8] = ["a", "ab", "abc", "dd", "bca", "née", "the", "hospital"];
            let set = words!["a", "ab", "abc", "dd", "bca", "née", "the", "hospital"];
            let listed = LIST.iter().any(|own| own.eq_ignore_ascii_case(&word));
            prop_assert_eq!(set.has(word.as_bytes()), listed);
            prop_assert!(!listed || set.may_have(word.as_bytes()[0], word.len()));
        }
    }
}
