//! Knowledge about words: names with their shares among people, places, English words, medical
//! terms, drugs and eponyms, cues of letters and forms.
//!
//! The tables are built by `knowledge/build.py` from the sources in `knowledge/sources.md` and are
//! part of the program: 1.9 MB for 621 000 words and phrases and the American postal codes. They
//! are decompressed once, at the first use, which takes about 45 ms of CPU time and 14 MB of
//! memory. A look-up takes about 10 ns and allocates nothing (measured in the release profile on a
//! 2-core virtual machine).

mod fold;
mod table;
mod word;
mod zips;
#[cfg(test)]
mod tests;

use std::sync::OnceLock;

pub(crate) use fold::{LetterHash, Letters, fold_into, hash_letters, hash_packed, with_folded};
pub use fold::{folded, hash};
pub use word::{Sex, Word};
pub use zips::{Place, zip};

static BYTES: &[u8] = include_bytes!("../../knowledge/words.bin.zst");

/// The largest number of words of a phrase.
pub const LONGEST_PHRASE: usize = 6;

/// The words and phrases that Throng knows.
pub struct Lexicon {
    table: table::Table,
}

/// Returns the lexicon. The first call decompresses it.
pub fn lexicon() -> &'static Lexicon {
    static LEXICON: OnceLock<Lexicon> = OnceLock::new();
    LEXICON.get_or_init(|| {
        let bytes = zstd::decode_all(BYTES).ok();
        let table = bytes.and_then(|bytes| table::Table::decode(&bytes));
        Lexicon { table: table.expect("the embedded words are intact, as tests check") }
    })
}

/// A phrase that grows word by word. Allocates nothing.
pub struct Phrase<'a> {
    lexicon: &'a Lexicon,
    hashes: fold::Hasher,
    words: usize,
}

impl Phrase<'_> {
    /// Adds a word and returns what is known about the phrase so far.
    pub fn push(&mut self, word: &str) -> Word {
        self.add(word);
        self.lexicon.hashed(self.hashes.finish())
    }

    /// Adds a word without a look-up, for the first one, which the caller knows.
    pub fn add(&mut self, word: &str) {
        if self.words > 0 {
            self.hashes.push(b' ');
        }
        self.words += 1;
        self.hashes.push_word(word);
    }

    /// The number of words.
    pub fn words(&self) -> usize {
        self.words
    }
}

impl Lexicon {
    /// Returns what is known about a word, without a possessive 's. Case and accents do not matter.
    pub fn word(&self, word: &str) -> Word {
        Word(self.table.get(hash(word)))
    }

    /// Returns what is known about a phrase: words without possessive 's and dots, joined by single
    /// blanks or hyphens. Only look for phrases after a word that [`Word::starts_phrase`].
    pub fn phrase(&self, phrase: &str) -> Word {
        self.word(phrase)
    }

    /// Returns the longest phrase that starts with the first of these words, and how many words it
    /// has: at least two and at most [`LONGEST_PHRASE`]. Allocates nothing.
    pub fn longest_phrase<'a>(&self, words: impl IntoIterator<Item = &'a str>) -> Option<(usize, Word)> {
        let mut phrase = self.start_phrase();
        let mut longest = None;
        for (before, word) in words.into_iter().take(LONGEST_PHRASE).enumerate() {
            let found = phrase.push(word);
            if before > 0 && found.is_known() {
                longest = Some((before + 1, found));
            }
            if !found.starts_phrase() {
                break;
            }
        }
        longest
    }

    /// Starts a phrase that words are added to.
    pub fn start_phrase(&self) -> Phrase<'_> {
        Phrase { lexicon: self, hashes: fold::Hasher::default(), words: 0 }
    }

    /// Returns what is known about a word or phrase whose [`hash`] the caller has.
    pub fn hashed(&self, hash: u64) -> Word {
        Word(self.table.get(hash))
    }

    /// Whether a [`hash`] may be that of a word or phrase; false is certain.
    #[inline]
    pub fn may_be_known(&self, hash: u64) -> bool {
        self.table.may_be_known(hash)
    }

    /// Whether a [`hash`] is that of a word that [`Word::is_usual`]. For look-ups of many words
    /// that do not exist, such as all misspellings of one: most are answered by a filter that fits
    /// the cache.
    pub fn is_usual(&self, hash: u64) -> bool {
        self.table.may_be_usual(hash) && self.hashed(hash).is_usual()
    }

    /// Whether one letter added somewhere may turn a word of up to 17 letters with this [`hash`]
    /// into a word that [`Word::is_usual`]; false is certain.
    pub fn may_be_shortened(&self, hash: u64) -> bool {
        self.table.may_be_shortened(hash)
    }

    /// The number of words and phrases.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
