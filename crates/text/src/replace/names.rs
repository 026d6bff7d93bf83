//! Made-up names in place of names: word by word, so that a last name alone becomes the last name
//! of the whole, in the case of the original.

use rustc_hash::{FxBuildHasher, FxHashMap};
use sha2::{Digest, Sha256};

use super::key::{Key, Stream};
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

/// The roles of the words of a document's names, by the hash of the word, and what was made up for
/// them.
#[derive(Debug)]
pub struct Roles {
    roles: FxHashMap<u64, Role>,
    made: FxHashMap<u64, Option<&'static str>>,
}

impl Default for Roles {
    fn default() -> Self {
        // Room for the names of a letter.
        let (roles, made) = (with_room(), with_room());
        Roles { roles, made }
    }
}

fn with_room<V>() -> FxHashMap<u64, V> {
    FxHashMap::with_capacity_and_hasher(28, FxBuildHasher)
}

impl Roles {
    /// Learns the roles of the words of a name of several words.
    pub fn learn(&mut self, document: &Document<'_>, first: usize, end: usize) {
        let tokens = &document.tokens[first..end];
        let words: Vec<(usize, &Token)> =
            tokens.iter().enumerate().filter(|(_, token)| is_own(token)).collect();
        if words.len() < 2 {
            return;
        }
        let reversed = tokens.iter().any(|token| token.is_sign(b','));
        let sex = sex_before(document, first);
        let hyphen = |at: usize| words[at].0 > 0 && tokens[words[at].0 - 1].is_sign(b'-');
        let mut last_from = words.len() - 1;
        while last_from > 1 && hyphen(last_from) {
            last_from -= 1;
        }
        for (place, (_, word)) in words.iter().enumerate() {
            let last = if reversed { place == 0 } else { place >= last_from };
            let role = if last { Role::Last } else { Role::First(word.word.sex().or(sex)) };
            self.roles.entry(word.hash).or_insert(role);
        }
    }

    /// The role of a word: as learned, else by the lists and the title before it.
    fn of(&self, document: &Document<'_>, first: usize, token: &Token) -> Role {
        if let Some(role) = self.roles.get(&token.hash) {
            return *role;
        }
        let sex = sex_before(document, first);
        let word = token.word;
        let titled = first > 0 && is_titled(document, first);
        match () {
            _ if titled => Role::Last,
            _ if word.first_level() > 0 && word.first_level() + 2 >= word.last_level() => {
                Role::First(word.sex().or(sex))
            }
            _ if word.last_level() > 0 => Role::Last,
            _ => Role::First(sex),
        }
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
    tokens: std::ops::Range<usize>,
    bytes: std::ops::Range<u32>,
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
            let entry = match roles.made.get(&token.hash).filter(|_| token.hash != 0) {
                Some(entry) => *entry,
                None => {
                    let role = roles.of(document, tokens.start, token);
                    let entry = made_up(key, text, token.hash, role, source);
                    roles.made.insert(token.hash, entry);
                    entry
                }
            };
            push_cased(entry?, text, token, &mut made);
        } else if token.is_word() && token.has(Flags::SINGLE) {
            made.push_str(&initial(key, text));
        } else if token.is_number() {
            made.push_str(&super::number::number(key, "name", text));
        } else {
            made.push_str(text);
        }
    }
    made.push_str(document.slice(at..bytes.end.max(at)));
    Some(made)
}

/// Another letter for an initial.
fn initial(key: &Key, text: &str) -> String {
    let letter = text.chars().next().unwrap_or('x');
    let lower = letter.to_lowercase().to_string();
    let mut stream = Stream::new(key, "initial", &lower, 0);
    // Every letter but itself, and none that is rare as an initial.
    let letters: Vec<char> =
        "abcdefghjklmnoprstvw".chars().filter(|other| !lower.starts_with(*other)).collect();
    let other = letters[stream.below(letters.len() as u32) as usize];
    if letter.is_uppercase() { other.to_uppercase().collect() } else { other.to_string() }
}

/// Adds a made-up word in the case of a token.
fn push_cased(entry: &str, text: &str, token: &Token, made: &mut String) {
    if token.has(Flags::CAPITAL) && !token.has(Flags::UPPER.or(Flags::SHOUTED)) {
        made.push_str(entry);
    } else {
        made.push_str(&cased(entry, text));
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
        let digest = Sha256::new()
            .chain_update(secret)
            .chain_update(attempt.to_be_bytes())
            .chain_update(value)
            .finalize();
        let number = digest.first_chunk::<8>().map_or(0, |bytes| u64::from_be_bytes(*bytes));
        list.get((number % list.len().max(1) as u64) as usize).copied().unwrap_or_default()
    };
    (0..ATTEMPTS).map(choose).find(|made| {
        // The first word is made up; the others are "Street", "Hospital" and the like.
        let first = made.split(' ').next().unwrap_or_default();
        !first.is_empty() && !source.has(lexicon::hash(first))
    })
}

/// Writes a made-up word in the case of the original.
pub fn cased(made: &str, original: &str) -> String {
    let bytes = original.as_bytes();
    // A capital and a small letter leave the made-up word as it is.
    if bytes.first().is_some_and(u8::is_ascii_uppercase) && bytes.iter().any(u8::is_ascii_lowercase) {
        return made.to_owned();
    }
    let letters = || original.chars().filter(|sign| sign.is_alphabetic());
    let upper = letters().count() > 1 && letters().all(char::is_uppercase);
    let lower = letters().all(char::is_lowercase);
    match (upper, lower) {
        (true, _) => made.to_uppercase(),
        (_, true) => made.to_lowercase(),
        _ => made.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_follows_the_original() {
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
            source.add(std::iter::once(lexicon::hash(made)));
            seen.push(made);
        }
        source.add(surrogates::last_names().iter().map(|name| lexicon::hash(name)));
        assert_eq!(made_up(&key, "Smith", 1, Role::Last, &source), None);
    }
}
