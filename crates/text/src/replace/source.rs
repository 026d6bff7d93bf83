//! The words of the source that a made-up name must not be.
//!
//! A letter has few such words, which are compared one by one; a long text has a set of them.

use rustc_hash::FxHashSet;

use crate::document::Document;

/// Up to this number of words are compared one by one.
const FEW: usize = 192;

/// Words of the source, by hash.
#[derive(Debug, Default)]
pub struct Source {
    few: Vec<u64>,
    many: FxHashSet<u64>,
}

impl Source {
    /// Adds the words of a piece that no list has. Made-up names are such words.
    pub fn add(&mut self, piece: &Document<'_>) {
        // Every hash is written, and the next one over it if its word is known: without a branch per
        // token, which would be hard to predict.
        let mut end = self.few.len();
        self.few.resize(end + piece.tokens.len(), 0);
        for token in &piece.tokens {
            self.few[end] = token.hash;
            end += usize::from((token.hash != 0) & !token.word.is_known());
        }
        self.few.truncate(end);
        self.spill();
    }

    /// Makes a set of words that are too many to be compared one by one.
    fn spill(&mut self) {
        if self.few.len() > FEW || !self.many.is_empty() {
            self.many.extend(self.few.drain(..));
        }
    }

    /// No words, in the memory of these.
    pub fn forget(mut self) -> Source {
        self.few.clear();
        self.many = FxHashSet::default();
        self
    }

    /// Whether it has a word.
    pub fn has(&self, hash: u64) -> bool {
        self.few.contains(&hash) || !self.many.is_empty() && self.many.contains(&hash)
    }
}

#[cfg(test)]
impl Extend<u64> for Source {
    fn extend<I: IntoIterator<Item = u64>>(&mut self, hashes: I) {
        self.few.extend(hashes);
        self.spill();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::lexicon;

    proptest! {
        #[test]
        fn a_source_has_what_was_added(words in prop::collection::vec(0u64..600, 0..500), other in 0u64..600) {
            let mut source = Source::default();
            source.extend(words.iter().copied());
            let mut twice = Source::default();
            words.chunks(7).for_each(|words| twice.extend(words.iter().copied()));
            prop_assert!(words.iter().all(|word| source.has(*word) && twice.has(*word)));
            prop_assert_eq!((source.has(other), twice.has(other)), (words.contains(&other), words.contains(&other)));
        }

        /// A source has the words of its pieces that no list has, and no others.
        #[test]
        fn a_source_has_unknown_words(pieces in prop::collection::vec("(([a-c]{3,5}|the|Ann|7)[ .]){0,120}", 1..4)) {
            let mut source = Source::default();
            let mut words = Vec::new();
            for piece in &pieces {
                let document = Document::read(piece, Document::default());
                source.add(&document);
                words.extend(piece.split(|sign: char| !sign.is_alphabetic()).map(str::to_owned));
            }
            words.retain(|word| !word.is_empty());
            let known = |word: &str| lexicon::lexicon().word(word).is_known();
            for word in words.iter().map(String::as_str).chain(["aaa", "abcab", "the", "Ann", "xyzzy"]) {
                let expected = words.iter().any(|own| own == word) && !known(word);
                prop_assert_eq!(source.has(lexicon::hash(word)), expected, "{}", word);
            }
        }
    }
}
