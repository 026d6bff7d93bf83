//! Made-up names in place of names: word by word, so that a last name alone becomes the last name
//! of the whole, in the case of the original.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::key::{Key, Stream};
use super::mac;
use super::source::Source;
use crate::cues;
use crate::document::Document;
use crate::lexicon::{self, Sex};
use crate::surrogates;
use crate::token::{Flags, Token};
use crate::words::WordSet;

/// What a word of a name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A first name of a sex, where known.
    First(Option<Sex>),
    /// A last name.
    Last,
}

/// Attempts to find an entry that is not in the source.
const ATTEMPTS: u32 = 64;

/// A word of a document's names.
#[derive(Debug, Clone, Copy, Default)]
struct NameWord {
    /// Its role in a name of several words.
    role: Option<Role>,
    /// What was made up for it; none in it if every entry occurs in the source.
    made: Option<Option<&'static str>>,
}

/// The words of a document's names by their hash.
#[derive(Debug, Default)]
pub struct Roles(FxHashMap<u64, NameWord>);

/// Words of more than this number make new memory cheaper than used one.
const MOST_REUSED: usize = 256;

impl Roles {
    /// No words, in the memory of these.
    pub fn forget(mut self) -> Roles {
        if self.0.len() > MOST_REUSED {
            return Roles::default();
        }
        self.0.clear();
        self
    }

    /// Learns the roles of the words of a name of several words.
    pub fn learn(&mut self, document: &Document<'_>, tokens: Range<usize>) {
        let first = tokens.start;
        let tokens = &document.tokens[tokens];
        let count = tokens.iter().filter(|token| is_own(token)).count();
        if count < 2 {
            return;
        }
        let reversed = tokens.iter().any(|token| token.is_sign(b','));
        // Behind a hyphen the last name goes on, but for the second word of the name.
        let mut last_from = count - 1;
        for (at, _) in tokens.iter().enumerate().rev().filter(|(_, token)| is_own(token)) {
            if last_from < 2 || at == 0 || !tokens[at - 1].is_sign(b'-') {
                break;
            }
            last_from -= 1;
        }
        for (place, word) in tokens.iter().filter(|token| is_own(token)).enumerate() {
            let last = if reversed { place == 0 } else { place >= last_from };
            let sex = || word.word.sex().or_else(|| sex_before(document, first));
            self.0
                .entry(word.hash)
                .or_default()
                .role
                .get_or_insert_with(|| if last { Role::Last } else { Role::First(sex()) });
        }
    }
}

/// The role of a word by the lists and the title before its name.
fn role(document: &Document<'_>, first: usize, token: &Token) -> Role {
    let word = token.word;
    match () {
        _ if first > 0 && is_titled(document, first) => Role::Last,
        _ if word.first_level() > 0 && word.first_level() + 2 >= word.last_level() => {
            Role::First(word.sex().or_else(|| sex_before(document, first)))
        }
        _ if word.last_level() > 0 => Role::Last,
        _ => Role::First(sex_before(document, first)),
    }
}

/// Whether a token is a word of a name that is replaced: neither an initial nor a particle.
fn is_own(token: &Token) -> bool {
    let particle = token.is(cues::PARTICLE) && !token.has(Flags::CAPITAL);
    token.is_word() && !token.has(Flags::SINGLE) && !particle
}

fn is_titled(document: &Document<'_>, first: usize) -> bool {
    let dot = usize::from(document.tokens[first - 1].is_sign(b'.'));
    first.checked_sub(1 + dot).is_some_and(|at| document.tokens[at].is(cues::TITLE))
}

/// The sex that the words before a name say: "Mrs", "his father".
fn sex_before(document: &Document<'_>, first: usize) -> Option<Sex> {
    const FEMALE: WordSet = words![
        "mrs",
        "ms",
        "miss",
        "mme",
        "frau",
        "señora",
        "sra",
        "mother",
        "mom",
        "mum",
        "sister",
        "daughter",
        "wife",
        "aunt",
        "niece",
        "grandmother",
        "girlfriend",
        "her",
        "she",
    ];
    const MALE: WordSet = words![
        "mr",
        "herr",
        "monsieur",
        "señor",
        "father",
        "dad",
        "brother",
        "son",
        "husband",
        "uncle",
        "nephew",
        "grandfather",
        "boyfriend",
        "his",
        "he",
    ];
    let near = (first.saturating_sub(3)..first).rev().filter(|at| document.tokens[*at].is_word());
    near.take(2).find_map(|at| match () {
        _ if document.is_any(at, FEMALE) => Some(Sex::Female),
        _ if document.is_any(at, MALE) => Some(Sex::Male),
        _ => None,
    })
}

/// The made-up name for the tokens of a name; none if every entry occurs in the source.
pub fn name(
    key: &Key,
    document: &Document<'_>,
    tokens: Range<usize>,
    bytes: Range<u32>,
    roles: &mut Roles,
    source: &Source,
) -> Option<String> {
    let mut made = String::with_capacity(bytes.len() + 8);
    let mut at = bytes.start;
    for token in &document.tokens[tokens.clone()] {
        made.push_str(document.slice(at..token.start.max(at)));
        at = token.end;
        let text = document.slice(token.start..token.end);
        if is_own(token) {
            let word = roles.0.entry(token.hash).or_default();
            let entry = match word.made.filter(|_| token.hash != 0) {
                Some(entry) => entry,
                None => {
                    let role = word.role.unwrap_or_else(|| role(document, tokens.start, token));
                    let entry = made_up(key, text, token.hash, role, source);
                    word.made = Some(entry);
                    entry
                }
            };
            push_cased(entry?, text, token, &mut made);
        } else if token.is_word() && token.has(Flags::SINGLE) {
            made.push(initial(key, text));
        } else if token.is_number() {
            super::number::push(key, "name", text, &mut made);
        } else {
            made.push_str(text);
        }
    }
    made.push_str(document.slice(at..bytes.end.max(at)));
    Some(made)
}

/// Another letter for an initial.
fn initial(key: &Key, text: &str) -> char {
    // Every letter but itself, and none that is rare as an initial.
    const LETTERS: &[u8; 20] = b"abcdefghjklmnoprstvw";
    let letter = text.chars().next().unwrap_or('x');
    let lower = letter.to_lowercase().to_string();
    let own = LETTERS.iter().position(|other| lower.starts_with(char::from(*other)));
    let others = LETTERS.len() - usize::from(own.is_some());
    let place = Stream::new(key, "initial", &lower, 0).below(others as u32) as usize;
    let other = char::from(LETTERS[place + usize::from(own.is_some_and(|own| place >= own))]);
    if letter.is_uppercase() { other.to_ascii_uppercase() } else { other }
}

/// Adds a made-up word in the case of a token.
fn push_cased(entry: &str, text: &str, token: &Token, made: &mut String) {
    if token.has(Flags::CAPITAL) && !token.has(Flags::UPPER.or(Flags::SHOUTED)) {
        made.push_str(entry);
    } else {
        push_cased_as(entry, text, made);
    }
}

/// A made-up word for a word of a name.
fn made_up(key: &Key, text: &str, hash: u64, role: Role, source: &Source) -> Option<&'static str> {
    let (purpose, list) = match role {
        Role::Last => ("last", surrogates::last_names()),
        Role::First(Some(sex)) => ("first", surrogates::first_names(sex)),
        Role::First(None) => {
            let female = (hash ^ u64::from(key.purpose("sex")[0])).count_ones().is_multiple_of(2);
            ("first", surrogates::first_names(if female { Sex::Female } else { Sex::Male }))
        }
    };
    lexicon::with_folded(text, |folded| entry(key, purpose, list, folded, source))
}

/// An entry of a list whose words do not occur in the source.
pub fn entry(
    key: &Key,
    purpose: &'static str,
    list: &'static [&'static str],
    value: &str,
    source: &Source,
) -> Option<&'static str> {
    let secret = key.purpose(purpose);
    let choose = |attempt: u32| {
        // The key first: nobody can extend a message to another value of the same key and attempt.
        let digest = mac::digest(&[&secret, &attempt.to_be_bytes(), value.as_bytes()]);
        let number = mac::number(&digest);
        list.get((number % list.len().max(1) as u64) as usize).copied().unwrap_or_default()
    };
    (0..ATTEMPTS).map(choose).find(|made| {
        // The first word is made up; the others are "Street", "Hospital" and the like.
        let blank = made.bytes().position(|sign| sign == b' ');
        let first = &made[..blank.unwrap_or(made.len())];
        !first.is_empty() && !source.has(lexicon::hash(first))
    })
}

/// Adds a made-up word in the case of the original.
pub fn push_cased_as(word: &str, original: &str, made: &mut String) {
    let bytes = original.as_bytes();
    // A capital and a small letter leave the made-up word as it is.
    if bytes.first().is_some_and(u8::is_ascii_uppercase) && bytes.iter().any(u8::is_ascii_lowercase) {
        return made.push_str(word);
    }
    let letters = || original.chars().filter(|sign| sign.is_alphabetic());
    let upper = letters().count() > 1 && letters().all(char::is_uppercase);
    let lower = letters().all(char::is_lowercase);
    match (upper, lower) {
        (true, _) => made.push_str(&word.to_uppercase()),
        (_, true) => made.push_str(&word.to_lowercase()),
        _ => made.push_str(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_follows_the_original() {
        let cased = |word: &str, original: &str| {
            let mut made = String::new();
            push_cased_as(word, original, &mut made);
            made
        };
        assert_eq!(cased("Kathel", "SMITH"), "KATHEL");
        assert_eq!(cased("Kathel", "smith"), "kathel");
        assert_eq!(cased("Kathel", "McCoy"), "Kathel");
    }

    #[test]
    fn words_of_the_source_are_never_made() {
        let key = Key::new(b"a key of 24 bytes, or so");
        let mut source = Source::default();
        let mut seen = Vec::new();
        for _ in 0..20 {
            let made = made_up(&key, "Smith", 1, Role::Last, &source).unwrap();
            assert!(!seen.contains(&made));
            source.extend([lexicon::hash(made)]);
            seen.push(made);
        }
        source.extend(surrogates::last_names().iter().map(|name| lexicon::hash(name)));
        assert_eq!(made_up(&key, "Smith", 1, Role::Last, &source), None);
    }
}
