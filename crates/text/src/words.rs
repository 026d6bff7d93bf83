//! Sets of words that a detector asks for, answered from the hash of a token in nearly all cases.
//!
//! A set is made when the program is compiled. Its filter has three constants of 64 bits, so that a
//! token which is not in the set costs a few instructions and no look at the text. Sets of more than
//! some 30 words let many tokens pass; a wider filter holds nearly all of these back.

use crate::lexicon::hash_letters;

/// A set of words in small letters, or of signs.
#[derive(Debug, Clone, Copy)]
pub struct WordSet {
    words: &'static [&'static str],
    /// The hashes of the words; 0 for signs. Words that differ in accents alone share one.
    hashes: &'static [u64],
    /// Bits of three parts of the hashes of the words.
    filters: [u64; 3],
    /// Bits of a fourth part of them.
    wide: &'static Wide,
}

/// A filter of 1,024 bits.
pub type Wide = [u64; 16];

/// The place and the bit of a hash in a wide filter.
const fn wide_bit(hash: u64) -> (usize, u64) {
    let at = (hash >> 18 & 1023) as usize;
    (at / 64, 1 << (at % 64))
}

/// The wide filter of some hashes.
pub const fn wide(hashes: &[u64]) -> Wide {
    let (mut wide, mut at) = ([0; 16], 0);
    while at < hashes.len() {
        let (place, bit) = wide_bit(hashes[at]);
        wide[place] |= bit;
        at += 1;
    }
    wide
}

impl WordSet {
    /// The set of some words with their [`hashes`] and the [`wide`] filter of these.
    pub const fn new(words: &'static [&'static str], hashes: &'static [u64], wide: &'static Wide) -> Self {
        let (mut filters, mut at) = ([0; 3], 0);
        while at < words.len() {
            filters[0] |= 1 << (hashes[at] & 63);
            filters[1] |= 1 << (hashes[at] >> 6 & 63);
            filters[2] |= 1 << (hashes[at] >> 12 & 63);
            let mut other = 0;
            while other < at {
                let (own, earlier) = (words[at].as_bytes(), words[other].as_bytes());
                assert!(hashes[other] != hashes[at] || !equal(own, earlier), "a word is named twice");
                other += 1;
            }
            at += 1;
        }
        WordSet { words, hashes, filters, wide }
    }

    /// The hashes of the words.
    pub const fn hashes(self) -> &'static [u64] {
        self.hashes
    }

    /// Whether a token with this hash may be in the set; false is certain.
    #[inline(always)]
    pub fn may_have(self, hash: u64) -> bool {
        let [first, second, third] = self.filters;
        first >> (hash & 63) & second >> (hash >> 6 & 63) & third >> (hash >> 12 & 63) & 1 != 0
    }

    /// Whether a token with this hash and text is in the set, in any case but with the same accents:
    /// "à" is not "a". The letters of a plain word, which has no accents, are known by its hash.
    pub fn has(self, hash: u64, text: &[u8], plain: bool) -> bool {
        let (place, bit) = wide_bit(hash);
        if self.wide[place] & bit == 0 {
            return false;
        }
        let same = |word: &str| plain && word.is_ascii() && word.len() == text.len() || is_word(word, text);
        self.hashes.iter().zip(self.words).any(|(own, word)| *own == hash && same(word))
    }
}

/// Whether a text is a word in any case.
fn is_word(word: &str, text: &[u8]) -> bool {
    if word.is_ascii() {
        return word.as_bytes().eq_ignore_ascii_case(text);
    }
    let small = |text: &str| text.chars().flat_map(char::to_lowercase).eq(word.chars());
    std::str::from_utf8(text).is_ok_and(small)
}

/// Whether two texts are the same, when the program is compiled.
const fn equal(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

/// The hashes that tokens with these texts have; 0, which is the hash of signs, for what is not a
/// word.
pub const fn hashes<const N: usize>(words: &[&str]) -> [u64; N] {
    let (mut hashes, mut at) = ([0; N], 0);
    while at < N {
        if let Some(hash) = hash_letters(words[at].as_bytes()) {
            hashes[at] = hash;
        }
        at += 1;
    }
    hashes
}

/// A [`WordSet`] of literals.
macro_rules! words {
    ($($word:literal),* $(,)?) => {
        const {
            const WORDS: &[&str] = &[$($word),*];
            const HASHES: [u64; WORDS.len()] = $crate::words::hashes(WORDS);
            const WIDE: $crate::words::Wide = $crate::words::wide(&HASHES);
            $crate::words::WordSet::new(WORDS, &HASHES, &WIDE)
        }
    };
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::document::Document;

    proptest! {
        /// A set has the tokens that its list names, in any case, and no other.
        #[test]
        fn sets_are_their_lists(
            text in "(?i:[a-d]{1,3}|née|nee|à|jährige|jahrige|straße|strasse|the|don't|don’t|hospital|infirmaries| |@|7)",
        ) {
            const LIST: [&str; 9] =
                ["a", "ab", "abc", "dd", "the", "don't", "hospital", "infirmaries", "@"];
            let set = words!["a", "ab", "abc", "dd", "the", "don't", "hospital", "infirmaries", "@"];
            const FOREIGN: [&str; 9] =
                ["the", "née", "nee", "don’t", "jährige", "straße", "strasse", "à", "@"];
            let foreign = words!["the", "née", "nee", "don’t", "jährige", "straße", "strasse", "à", "@"];
            let document = Document::read(&text, Document::default());
            for at in 0..document.tokens.len() {
                let word = document.word(at);
                let is = |own: &str| own == word.to_lowercase();
                prop_assert_eq!(document.is_any(at, set), LIST.iter().any(|own| is(own)), "{}", text);
                prop_assert_eq!(document.is_any(at, foreign), FOREIGN.iter().any(|own| is(own)), "{}", text);
            }
        }
    }
}
