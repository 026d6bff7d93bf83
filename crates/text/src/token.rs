//! Tokens: words, numbers and signs, with all that detectors ask about a token, found in one pass.
//!
//! A word is a run of letters with inner apostrophes; a possessive 's is a flag of the word before
//! it. A number is a run of ASCII digits. Every other sign is a token of its own; blanks and line
//! breaks become flags of the token after them. A text of n bytes has at
//! most n tokens. Words of ASCII letters are read and hashed eight bytes at a time. Every word is
//! looked up once in the lexicon and once among the cues, and frequent words are remembered between
//! texts.

use std::cell::RefCell;

use crate::cues::{self, Classes, Cue, Traits};
use crate::lexicon::{self, LetterHash, Letters, Lexicon, Word};

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Letters.
    Word,
    /// Digits.
    Number,
    /// One other sign.
    Sign,
}

/// Properties of a token, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Flags(pub u16);

impl Flags {
    /// At least one blank or line break before it.
    pub const SPACE: Flags = Flags(1);
    /// A tab or at least two blanks before it on its line.
    pub const GAP: Flags = Flags(2);
    /// First of its line.
    pub const LINE: Flags = Flags(4);
    /// Its first letter is a capital.
    pub const CAPITAL: Flags = Flags(8);
    /// At least two letters, all capitals.
    pub const UPPER: Flags = Flags(16);
    /// A capital behind the first letter, and a small letter: "McCoy".
    pub const MIXED: Flags = Flags(32);
    /// Followed by a possessive 's.
    pub const POSSESSIVE: Flags = Flags(64);
    /// First word of a sentence, item or cell.
    pub const SENTENCE: Flags = Flags(128);
    /// Has a letter outside of ASCII.
    pub const FOREIGN: Flags = Flags(256);
    /// One letter.
    pub const SINGLE: Flags = Flags(512);
    /// After an empty line, or first of the text.
    pub const PARAGRAPH: Flags = Flags(1024);
    /// On a line whose words are nearly all in capitals.
    pub const SHOUTED: Flags = Flags(2048);
    /// Letters without case, as in Arabic, Hebrew or Chinese.
    pub const CASELESS: Flags = Flags(4096);
    /// In the key of a field; set by the document.
    pub const KEY: Flags = Flags(8192);

    /// Whether any of some flags is set.
    pub fn any(self, other: Flags) -> bool {
        self.0 & other.0 != 0
    }

    /// All of both.
    pub const fn or(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }

    /// The same and others if a condition holds. Has no branch.
    #[inline]
    fn with(self, condition: bool, other: Flags) -> Flags {
        Flags(self.0 | (other.0 * u16::from(condition)))
    }
}

/// A word, a number or a sign.
#[derive(Debug, Clone, Copy)]
pub struct Token {
    /// The first byte.
    pub start: u32,
    /// The byte after the last one.
    pub end: u32,
    /// What the lexicon has about a word.
    pub word: Word,
    /// What a word is a cue for.
    pub cue: Cue,
    /// Properties.
    pub flags: Flags,
    /// What it is.
    pub class: Class,
    /// The first byte; for a sign of one byte, the sign.
    pub first: u8,
    /// The number of its line, set by the document.
    pub line: u32,
    /// The hash of a word in the lexicon; 0 for other tokens and very long words.
    pub hash: u64,
}

impl Token {
    /// Whether it is a word.
    pub fn is_word(&self) -> bool {
        self.class == Class::Word
    }

    /// Whether it is a number.
    pub fn is_number(&self) -> bool {
        self.class == Class::Number
    }

    /// Whether it is this sign. The first byte is compared first: it nearly always decides, while
    /// the class is hard to predict.
    #[inline]
    pub fn is_sign(&self, sign: u8) -> bool {
        self.first == sign && self.class == Class::Sign
    }

    /// Whether it is a word that starts with a capital.
    pub fn is_capital(&self) -> bool {
        self.is_word() && self.flags.any(Flags::CAPITAL)
    }

    /// Whether it is a cue of some classes.
    pub fn is(&self, classes: Classes) -> bool {
        self.cue.classes.any(classes)
    }

    /// Whether it has some flags.
    pub fn has(&self, flags: Flags) -> bool {
        self.flags.any(flags)
    }

    /// The length in bytes.
    pub fn len(&self) -> usize {
        (self.end - self.start) as usize
    }
}

/// What is known about a word.
#[derive(Debug, Clone, Copy, Default)]
struct Remembered {
    hash: u64,
    word: Word,
    cue: Cue,
}

/// Words that are remembered: 128 kB, which stay in the cache while the lexicon does not.
const REMEMBERED: usize = 4096;

/// A word that is looked up when all tokens are known.
#[derive(Debug, Clone, Copy)]
struct Pending {
    hash: u64,
    token: u32,
    /// Whether the lexicon may have it.
    maybe: bool,
}

#[derive(Debug, Default)]
struct Memory {
    /// The last word of each hash, by its lowest bits.
    words: Vec<Remembered>,
    pending: Vec<Pending>,
}

thread_local! {
    static MEMORY: RefCell<Memory> = RefCell::default();
}

/// Words longer than this are not looked up.
const LONGEST: usize = 40;

const LETTER: u8 = 1;
const DIGIT: u8 = 2;
const BLANK: u8 = 3;
const BREAK: u8 = 4;
const OTHER: u8 = 5;
const WIDE: u8 = 6;

/// The class of every byte.
static BYTES: [u8; 256] = {
    let mut table = [OTHER; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' => LETTER,
            b'0'..=b'9' => DIGIT,
            b' ' | b'\t' | 0x0b | 0x0c | 0 => BLANK,
            b'\n' | b'\r' => BREAK,
            0x80..=0xff => WIDE,
            _ => OTHER,
        };
        byte += 1;
    }
    table
};

/// What a sign outside of ASCII counts as.
fn wide(sign: char) -> u8 {
    match sign {
        // Marks that join letters or hide between them stay in the word.
        '\u{300}'..='\u{36f}' | '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' => LETTER,
        '\u{591}'..='\u{5bd}' | '\u{64b}'..='\u{65f}' => LETTER,
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => BLANK,
        '\u{85}' | '\u{2028}' | '\u{2029}' => BREAK,
        _ if sign.is_whitespace() => BLANK,
        _ if sign.is_alphabetic() => LETTER,
        _ => OTHER,
    }
}

/// Tokenizes a text into an empty list.
pub fn tokenize(text: &str, tokens: &mut Vec<Token>) {
    assert!(u32::try_from(text.len()).is_ok(), "texts are tokenized in pieces");
    tokens.clear();
    let mut memory = MEMORY.take();
    memory.words.resize(REMEMBERED, Remembered::default());
    memory.pending.clear();
    let mut pass = Pass {
        text,
        bytes: text.as_bytes(),
        at: 0,
        flags: start(),
        line: LineCase::default(),
        lexicon: lexicon::lexicon(),
        memory,
    };
    while pass.at < pass.bytes.len() {
        pass.step(tokens);
    }
    pass.line.end(tokens);
    pass.look_up_pending(tokens);
    MEMORY.set(pass.memory);
}

fn start() -> Flags {
    Flags::LINE.or(Flags::PARAGRAPH).or(Flags::SPACE)
}

struct Pass<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    /// Flags of the next token.
    flags: Flags,
    /// The line of the last token.
    line: LineCase,
    lexicon: &'static Lexicon,
    memory: Memory,
}

impl Pass<'_> {
    /// The class and the length of the sign at a place.
    #[inline(always)]
    fn class_at(&self, at: usize) -> (u8, usize) {
        match BYTES[self.bytes[at] as usize] {
            WIDE => self.wide_class_at(at),
            class => (class, 1),
        }
    }

    #[cold]
    fn wide_class_at(&self, at: usize) -> (u8, usize) {
        match self.text[at..].chars().next() {
            Some(sign) => (wide(sign), sign.len_utf8()),
            None => (OTHER, 1),
        }
    }

    fn step(&mut self, tokens: &mut Vec<Token>) {
        let (class, length) = self.class_at(self.at);
        match class {
            LETTER => {
                if !self.plain_word(tokens) {
                    self.word(tokens);
                }
                // Most words have a blank behind them: saves a round through the classes.
                if self.bytes.get(self.at) == Some(&b' ') {
                    self.flags = Flags::SPACE;
                    self.at += 1;
                }
            }
            DIGIT => self.number(tokens),
            BLANK => self.blank(length),
            BREAK => self.line_break(length),
            _ => self.sign(length, tokens),
        }
    }

    fn blank(&mut self, length: usize) {
        let tab = self.bytes[self.at] == b'\t';
        if tab || self.flags.any(Flags::SPACE) && !self.flags.any(Flags::LINE) {
            self.flags = self.flags.or(Flags::GAP);
        }
        self.flags = self.flags.or(Flags::SPACE);
        self.at += length;
    }

    fn line_break(&mut self, length: usize) {
        let carriage = self.bytes[self.at] == b'\r' && self.bytes.get(self.at + 1) == Some(&b'\n');
        let mut flags = Flags::LINE.or(Flags::SPACE);
        if self.flags.any(Flags::LINE) {
            flags = flags.or(Flags::PARAGRAPH);
        }
        self.flags = flags;
        self.at += if carriage { 2 } else { length };
    }

    #[inline(always)]
    fn push(&mut self, token: Token, tokens: &mut Vec<Token>) {
        if token.has(Flags::LINE) {
            self.line.end(tokens);
        }
        if token.is_word() {
            self.line.add(&token);
        }
        self.at = token.end as usize;
        tokens.push(token);
        self.flags = Flags::default();
    }

    fn sign(&mut self, length: usize, tokens: &mut Vec<Token>) {
        let token = Token {
            start: self.at as u32,
            end: (self.at + length) as u32,
            word: Word::default(),
            cue: Cue::default(),
            flags: self.flags,
            class: Class::Sign,
            first: self.bytes[self.at],
            line: 0,
            hash: 0,
        };
        self.push(token, tokens);
    }

    fn number(&mut self, tokens: &mut Vec<Token>) {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
        let token = Token {
            start: self.at as u32,
            end: (self.at + length) as u32,
            word: Word::default(),
            cue: Cue::default(),
            flags: self.flags,
            class: Class::Number,
            first: self.bytes[self.at],
            line: 0,
            hash: 0,
        };
        self.push(token, tokens);
    }

    /// The length of an apostrophe at a place.
    fn apostrophe(&self, at: usize) -> Option<usize> {
        match self.bytes.get(at)? {
            b'\'' => Some(1),
            0xe2 if self.bytes[at..].starts_with("’".as_bytes()) => Some(3),
            _ => None,
        }
    }

    fn is_letter(&self, at: usize) -> bool {
        at < self.bytes.len() && self.class_at(at).0 == LETTER
    }

    /// A word of ASCII letters without an apostrophe behind it, eight bytes at a time; false for any
    /// other word. Most words are plain, and their hash comes with the search for their end.
    #[inline(always)]
    fn plain_word(&mut self, tokens: &mut Vec<Token>) -> bool {
        let start = self.at;
        let mut at = start;
        let mut upper = 0;
        let mut hash = LetterHash::default();
        loop {
            let letters = Letters::read(&self.bytes[at..]);
            at += letters.len();
            upper += letters.capitals();
            if at - start > LONGEST {
                return false;
            }
            hash.push(letters);
            if letters.len() < 8 {
                break;
            }
        }
        if matches!(self.bytes.get(at), Some(b'\'' | 0x80..)) {
            return false;
        }
        let (length, first) = (at - start, self.bytes[start]);
        let capital = first.is_ascii_uppercase();
        // Some families write two small letters for a capital: "ffoulkes".
        let double = first == b'f' && length > 4 && self.bytes[start + 1] == b'f';
        let flags = self
            .flags
            .with(capital || double, Flags::CAPITAL)
            .with(upper == length && length > 1, Flags::UPPER)
            .with(upper > usize::from(capital) && upper < length, Flags::MIXED)
            .with(length == 1, Flags::SINGLE);
        let hash = hash.finish();
        let (word, cue) = self.look_up(hash, tokens);
        let class = Class::Word;
        let (start, end) = (start as u32, at as u32);
        self.push(Token { start, end, word, cue, flags, class, first, line: 0, hash }, tokens);
        true
    }

    #[inline(never)]
    fn word(&mut self, tokens: &mut Vec<Token>) {
        let (start, mut at, mut possessive) = (self.at, self.at, 0);
        let mut ascii = true;
        let mut upper = 0usize;
        let mut letters = 0usize;
        while at < self.bytes.len() {
            let byte = self.bytes[at];
            if byte.is_ascii_alphabetic() {
                upper += usize::from(byte.is_ascii_uppercase());
                letters += 1;
                at += 1;
                continue;
            }
            if let Some(length) = self.apostrophe(at).filter(|length| self.is_letter(at + length)) {
                let behind = self.bytes[at + length];
                if matches!(behind, b's' | b'S') && !self.is_letter(at + length + 1) {
                    possessive = length + 1;
                    break;
                }
                at += length;
                continue;
            }
            if byte < 0x80 {
                break;
            }
            let (class, length) = self.class_at(at);
            if class != LETTER {
                break;
            }
            ascii = false;
            let sign = self.text[at..].chars().next().unwrap_or(' ');
            upper += usize::from(sign.is_uppercase());
            letters += usize::from(sign.is_alphabetic());
            at += length;
        }
        let flags = self.word_flags(start, upper, letters, ascii, possessive > 0);
        let hash = if at - start > LONGEST { 0 } else { lexicon::hash(&self.text[start..at]) };
        let (word, cue) = if hash == 0 { unknown() } else { self.look_up(hash, tokens) };
        let first = self.bytes[start];
        let token = Token {
            start: start as u32,
            end: at as u32,
            word,
            cue,
            flags,
            class: Class::Word,
            first,
            line: 0,
            hash,
        };
        self.push(token, tokens);
        self.at = at + possessive;
    }

    fn word_flags(&self, start: usize, upper: usize, letters: usize, ascii: bool, possessive: bool) -> Flags {
        let first = self.text[start..].chars().next().unwrap_or(' ');
        let capital = if ascii { first.is_ascii_uppercase() } else { first.is_uppercase() };
        let double = ascii && letters > 4 && self.bytes[start..].starts_with(b"ff");
        let caseless = !ascii && upper == 0 && !first.is_lowercase() && first.is_alphabetic();
        self.flags
            .with(capital || double, Flags::CAPITAL)
            .with(upper == letters && letters > 1, Flags::UPPER)
            .with(upper > usize::from(capital) && upper < letters, Flags::MIXED)
            .with(letters <= 1, Flags::SINGLE)
            .with(!ascii, Flags::FOREIGN)
            .with(possessive, Flags::POSSESSIVE)
            .with(caseless, Flags::CASELESS)
    }

    /// What is remembered about the word that becomes the next token; else it is looked up later.
    #[inline(always)]
    fn look_up(&mut self, hash: u64, tokens: &[Token]) -> (Word, Cue) {
        match self.memory.words.get(hash as usize % REMEMBERED) {
            Some(slot) if slot.hash == hash => (slot.word, slot.cue),
            _ => {
                let token = tokens.len() as u32;
                self.memory.pending.push(Pending { hash, token, maybe: false });
                Default::default()
            }
        }
    }

    /// Looks up the words that were not remembered. The filter is read for all of them first,
    /// without a branch in between, so that the processor waits for several at a time.
    fn look_up_pending(&mut self, tokens: &mut [Token]) {
        let Memory { words, pending } = &mut self.memory;
        for pending in pending.iter_mut() {
            pending.maybe = self.lexicon.may_be_known(pending.hash);
        }
        for Pending { hash, token, maybe } in pending.iter().copied() {
            let word = if maybe { self.lexicon.hashed(hash) } else { Word::default() };
            let cue = cues::hashed(hash);
            let cue = Cue { traits: Traits::new(word, cue.classes), ..cue };
            if let Some(token) = tokens.get_mut(token as usize) {
                (token.word, token.cue) = (word, cue);
            }
            if let Some(slot) = words.get_mut(hash as usize % REMEMBERED) {
                *slot = Remembered { hash, word, cue };
            }
        }
    }
}

/// What is known about a word that is not looked up.
fn unknown() -> (Word, Cue) {
    let word = Word::default();
    (word, Cue { traits: Traits::new(word, Classes::NONE), ..Cue::default() })
}

/// Letters of the words of a line in capitals and others.
#[derive(Debug, Default)]
struct LineCase {
    /// The first token of the line.
    from: usize,
    upper: usize,
    lower: usize,
    words: usize,
}

impl LineCase {
    /// Counts a word of the line.
    #[inline]
    fn add(&mut self, token: &Token) {
        if token.len() > 1 {
            let length = token.len();
            let upper = token.has(Flags::UPPER);
            self.words += 1;
            self.upper += if upper { length } else { 0 };
            self.lower += if upper { 0 } else { length };
        }
    }

    /// Marks the tokens of the line if its words are nearly all in capitals, and starts a line.
    #[inline]
    fn end(&mut self, tokens: &mut [Token]) {
        if self.upper >= 7 && self.upper > 4 * self.lower && 2 * self.upper >= 7 * self.words {
            for token in &mut tokens[self.from..] {
                token.flags = token.flags.or(Flags::SHOUTED);
            }
        }
        *self = LineCase { from: tokens.len(), ..LineCase::default() };
    }
}

/// Gives all words of a text without capitals the flags of capitals: case says nothing there.
pub fn mark_uncased(tokens: &mut [Token]) {
    // Without a branch per token, which would be hard to predict.
    let (count, capitals) = tokens.iter().fold((0, 0), |(count, capitals), token| {
        let cased = token.is_word() & !token.has(Flags::CASELESS);
        (count + usize::from(cased), capitals + usize::from(cased & token.has(Flags::CAPITAL)))
    });
    if count >= 25 && capitals * 40 < count {
        for token in tokens.iter_mut().filter(|token| token.is_word() && !token.has(Flags::CASELESS)) {
            token.flags = token.flags.or(Flags::CAPITAL).or(Flags::SHOUTED);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tokens(text: &str) -> Vec<Token> {
        let mut tokens = Vec::new();
        tokenize(text, &mut tokens);
        tokens
    }

    fn texts(text: &str) -> Vec<&str> {
        tokens(text).iter().map(|token| &text[token.start as usize..token.end as usize]).collect()
    }

    #[test]
    fn words_numbers_and_signs() {
        assert_eq!(texts("Dr. O'Brien's 47F-year"), ["Dr", ".", "O'Brien", "47", "F", "-", "year"]);
        assert_eq!(texts("Müller’s Ärzte"), ["Müller", "Ärzte"]);
        assert_eq!(texts("don't d’Arc 'quoted'"), ["don't", "d’Arc", "'", "quoted", "'"]);
        assert_eq!(texts("a\u{0}b \u{feff}x"), ["a", "b", "\u{feff}x"]);
        assert_eq!(texts("שלום 12"), ["שלום", "12"]);
    }

    #[test]
    fn flags_of_words() {
        let list = tokens("McCoy USA a\n\n  Anna's   x\tשלום");
        let has = |at: usize, flag: Flags| list[at].has(flag);
        assert!(has(0, Flags::MIXED) && has(0, Flags::PARAGRAPH) && !has(0, Flags::UPPER));
        assert!(has(1, Flags::UPPER) && has(1, Flags::SPACE) && !has(1, Flags::GAP));
        assert!(has(2, Flags::SINGLE) && !has(2, Flags::CAPITAL));
        assert!(has(3, Flags::LINE) && has(3, Flags::PARAGRAPH) && has(3, Flags::POSSESSIVE));
        assert!(has(4, Flags::GAP) && has(5, Flags::GAP) && has(5, Flags::CASELESS));
    }

    #[test]
    fn lines_in_capitals_are_marked() {
        let list = tokens("PATIENT: ANNA SMITH\nShe has COPD and CHF.\nMR 12");
        assert!(list[0].has(Flags::SHOUTED) && list[3].has(Flags::SHOUTED));
        assert!(!list[4].has(Flags::SHOUTED) && !list[6].has(Flags::SHOUTED));
        assert!(!list[list.len() - 1].has(Flags::SHOUTED));
    }

    proptest! {
        /// Words have the hash and the case of their letters, whichever path read them.
        #[test]
        fn words_are_what_their_letters_say(text in "([a-zA-Z]{1,18}|ff[a-z]{2,4}|[A-Z]{2}|Mc[A-Z]|['’é. \\n-]){0,12}") {
            for token in tokens(&text).iter().filter(|token| token.is_word()) {
                let word = &text[token.start as usize..token.end as usize];
                let hash = if word.len() > LONGEST { 0 } else { lexicon::hash(word) };
                prop_assert_eq!(token.hash, hash);
                let letters: Vec<char> = word.chars().filter(|sign| sign.is_alphabetic()).collect();
                let upper = letters.iter().filter(|letter| letter.is_uppercase()).count();
                let capital = word.starts_with(char::is_uppercase);
                let foreign = letters.iter().any(|letter| !letter.is_ascii());
                let double = !foreign && letters.len() > 4 && word.starts_with("ff");
                prop_assert_eq!(token.has(Flags::CAPITAL), capital || double, "{}", word);
                prop_assert_eq!(token.has(Flags::UPPER), upper == letters.len() && upper > 1, "{}", word);
                let mixed = upper > usize::from(capital) && upper < letters.len();
                prop_assert_eq!(token.has(Flags::MIXED), mixed, "{}", word);
                prop_assert_eq!(token.has(Flags::SINGLE), letters.len() == 1, "{}", word);
                prop_assert_eq!(token.has(Flags::FOREIGN), foreign, "{}", word);
                if word.len() <= LONGEST {
                    prop_assert_eq!(token.word, lexicon::lexicon().word(word));
                    let cue = cues::hashed(token.hash);
                    prop_assert_eq!((token.cue.classes, token.cue.value), (cue.classes, cue.value));
                }
                prop_assert_eq!(token.cue.traits, Traits::new(token.word, token.cue.classes));
            }
        }

        #[test]
        fn tokens_are_sorted_on_boundaries_and_cover_all_letters(text in "(\\PC|[ \\n\\t\\r\0a-zA-Z0-9'’.-]){0,60}") {
            let list = tokens(&text);
            let mut end = 0;
            for token in &list {
                let (from, to) = (token.start as usize, token.end as usize);
                prop_assert!(from >= end && to > from);
                prop_assert!(text.is_char_boundary(from) && text.is_char_boundary(to));
                let skipped = &text[end..from];
                let possessive = skipped.trim_start_matches(['\'', '’', 's', 'S']);
                prop_assert!(!possessive.chars().any(char::is_alphanumeric) || possessive.is_empty(), "{skipped:?}");
                end = to;
            }
            prop_assert!(list.len() <= text.len());
        }
    }
}
