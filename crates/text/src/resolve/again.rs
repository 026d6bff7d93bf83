//! Document-wide consistency: a name that was found with certainty is found everywhere, also with
//! one letter added, missing, wrong or swapped.
//!
//! Every name of five or more letters is stored with all its deletions; a word is near it if one of
//! its own deletions is among them. A word costs as many hashes as it has letters.

use std::collections::hash_map::Entry;
use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::candidates::{Candidate, Candidates, Score};
use crate::cues;
use crate::detect::{looks_medical, named_after};
use crate::document::Document;
use crate::lexicon;
use crate::span::Kind;
use crate::token::{Flags, Token};
use crate::words::WordSet;

/// Names are taken from spans of at least this certainty.
const SURE: f32 = 0.8;
/// Up to this number of names are compared one by one.
const FEW: usize = 48;
/// Words shorter than this are not searched with misspellings.
const LEAST_LETTERS: usize = 5;

/// A name with where it was found first.
#[derive(Debug, Clone, Copy)]
struct Name {
    kind: Kind,
    certainty: f32,
    /// Whether no list has it: then it is a name in small letters too.
    unknown: bool,
}

/// The first words of an organization, before what says its kind: "South Texas" of "South Texas
/// Methodist Hospital".
#[derive(Debug, Clone, Copy)]
struct Beginning {
    words: [u64; MOST_WORDS],
    count: usize,
    kind: Kind,
    certainty: f32,
}

/// Words of a beginning that are compared.
const MOST_WORDS: usize = 4;

/// Beginnings with the same first word that are looked for: more would cost a comparison each.
const MOST_ALIKE: usize = 16;

/// The name of this in reports.
pub const CONSISTENCY: &str = "consistency";

/// The names of a document.
#[derive(Debug, Default)]
pub struct Names {
    /// By their first words.
    beginnings: FxHashMap<u64, Vec<Beginning>>,
    exact: FxHashMap<u64, Name>,
    /// Names of people with their hashes, for misspellings; folded, a range of `letters`.
    texts: Vec<(u64, Range<usize>)>,
    letters: String,
    /// Deletions of the first names of `texts`, made when a word needs them.
    near: Places,
    indexed: usize,
    /// A bit for each of the hashes in `exact`.
    filter: Filter,
}

/// Bits of hashes: most words that are not names need no look-up, which would miss the cache where a
/// text has many names.
#[derive(Debug)]
struct Filter {
    bits: Vec<u64>,
    added: usize,
}

/// Words of 64 bits of a filter for few hashes.
const LEAST_FILTER: usize = 64;

impl Default for Filter {
    fn default() -> Self {
        Filter { bits: vec![0; LEAST_FILTER], added: 0 }
    }
}

impl Filter {
    /// No hashes, in the memory of this.
    fn clear(&mut self) {
        self.bits.fill(0);
        self.added = 0;
    }

    #[inline]
    fn add(&mut self, hash: u64) {
        let mask = self.bits.len() - 1;
        self.bits[(hash as usize / 64) & mask] |= 1 << (hash % 64);
        self.added += 1;
    }

    /// Makes room for some more hashes, so that at most one of sixteen bits is set; then `all` are
    /// added again, if they are not kept.
    fn reserve(&mut self, more: usize, all: impl Iterator<Item = u64>) {
        let most = 4 * self.bits.len();
        if self.added + more <= most {
            return;
        }
        let words = ((self.added + more) / 2).next_power_of_two();
        *self = Filter { bits: vec![0; words.max(LEAST_FILTER)], added: 0 };
        all.for_each(|hash| self.add(hash));
    }

    #[inline]
    fn may_have(&self, hash: u64) -> bool {
        let mask = self.bits.len() - 1;
        self.bits[(hash as usize / 64) & mask] >> (hash % 64) & 1 != 0
    }
}

/// The first place of each hash. A slot has eight bytes, half of what a general table takes, since a
/// long text has millions of them: the highest 40 bits of the hash and the place plus one. Two hashes
/// that share these bits are one; whether a name is near is tested by its letters.
#[derive(Debug, Default)]
struct Places {
    slots: Vec<u64>,
    filled: usize,
}

impl Places {
    const PLACE: u64 = (1 << 24) - 1;

    /// Makes room for some more hashes, so that at most half of the slots are filled.
    fn reserve(&mut self, more: usize) {
        let least = (2 * (self.filled + more)).next_power_of_two().max(1024);
        if least <= self.slots.len() {
            return;
        }
        let old = std::mem::replace(&mut self.slots, vec![0; least]);
        for slot in old.into_iter().filter(|slot| *slot != 0) {
            let free = self.probe(slot);
            self.slots[free] = slot;
        }
    }

    /// The slot with the hash of another one, or the free one where it belongs.
    #[inline]
    fn probe(&self, hash: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = (hash >> (64 - self.slots.len().trailing_zeros())) as usize;
        while self.slots[at] != 0 && (self.slots[at] ^ hash) > Self::PLACE {
            at = (at + 1) & mask;
        }
        at
    }

    /// Adds a place for which there is room. Places that do not fit are left out.
    fn add(&mut self, hash: u64, place: u32) {
        let place = u64::from(place) + 1;
        let free = self.probe(hash);
        if self.slots[free] == 0 && place <= Self::PLACE {
            self.slots[free] = hash & !Self::PLACE | place;
            self.filled += 1;
        }
    }

    fn get(&self, hash: u64) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        (self.slots[self.probe(hash)] & Self::PLACE).checked_sub(1).map(|place| place as u32)
    }
}

/// Names of more than this number make new memory cheaper than used one.
const MOST_REUSED: usize = 256;

impl Names {
    /// No names, in the memory of these.
    pub fn forget(mut self) -> Names {
        if self.exact.len().max(self.beginnings.len()) > MOST_REUSED {
            return Names::default();
        }
        self.beginnings.clear();
        self.exact.clear();
        self.texts.clear();
        self.letters.clear();
        self.near = Places::default();
        self.filter.clear();
        Names { indexed: 0, ..self }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.exact.is_empty() && self.beginnings.is_empty()
    }

    /// Adds the names of all certain spans.
    pub fn learn(&mut self, document: &Document<'_>, chosen: &[Candidate]) {
        let mut at = 0;
        for candidate in
            chosen.iter().filter(|candidate| candidate.certainty >= SURE && is_named(candidate.kind))
        {
            at = document.token_behind(at, candidate.start);
            let titled = at > 0 && behind_title(document, at);
            if is_organization(candidate.kind) {
                self.begin(document, at, candidate);
            }
            for token in document.tokens[at..].iter().take_while(|token| token.end <= candidate.end) {
                self.add(document, token, candidate, titled);
            }
        }
    }

    /// Adds the first words of an organization, if there are several that name it.
    fn begin(&mut self, document: &Document<'_>, first: usize, candidate: &Candidate) {
        let the = usize::from(document.is(first, "the"));
        let own = document.tokens[first + the..]
            .iter()
            .take(MOST_WORDS)
            .take_while(|token| token.end <= candidate.end && is_part(token));
        let mut beginning = Beginning {
            words: [0; MOST_WORDS],
            count: 0,
            kind: candidate.kind,
            certainty: candidate.certainty,
        };
        let mut named = false;
        for (at, token) in (first + the..).zip(own) {
            beginning.words[beginning.count] = token.hash;
            beginning.count += 1;
            named |= !document.is_any(at, GENERIC);
        }
        if beginning.count < 2 || !named {
            return;
        }
        let first = beginning.words[0];
        let alike = self.beginnings.entry(first).or_default();
        if alike.len() < MOST_ALIKE && alike.iter().all(|other| other.words != beginning.words) {
            alike.push(beginning);
            self.note(first);
        }
    }

    /// Adds a hash to the filter.
    fn note(&mut self, hash: u64) {
        self.filter.reserve(1, self.exact.keys().chain(self.beginnings.keys()).copied());
        self.filter.add(hash);
    }

    /// The organization that at least two words from a token on begin, and the end of these.
    fn begun(&self, document: &Document<'_>, at: usize) -> Option<(usize, &Beginning)> {
        let tokens = &document.tokens;
        let same = |beginning: &Beginning| {
            let own = beginning.words[..beginning.count].iter().zip(tokens.get(at..).unwrap_or_default());
            own.take_while(|(hash, token)| token.hash == **hash && token.is_capital()).count()
        };
        let alike = self.beginnings.get(&tokens.get(at)?.hash)?;
        let found = alike.iter().map(|beginning| (same(beginning), beginning));
        let (count, beginning) = found.filter(|(count, _)| *count >= 2).max_by_key(|(count, _)| *count)?;
        let line = (at + 1..at + count).all(|at| !tokens[at].has(Flags::GAP.or(Flags::PARAGRAPH)));
        line.then_some((at + count, beginning))
    }

    fn add(&mut self, document: &Document<'_>, token: &Token, candidate: &Candidate, titled: bool) {
        if !token.is_word() || token.len() < 3 || token.hash == 0 {
            return;
        }
        let word = token.word;
        let person = candidate.kind == Kind::Person;
        // A first name of a whole name is looked for even if it is a word: "Poppy".
        let whole = person
            && candidate.certainty >= 0.9
            && candidate.bytes() as usize > token.len() + 2
            && word.first_level() >= 10
            && word.name_odds() > -2.0;
        // "Mr. Winter": then "Winter" is his name, and "winter" is not.
        let own = !word.is_known()
            || whole
            || titled && person && candidate.certainty >= 0.9 && token.has(Flags::CAPITAL)
            || (word.is_first_name() || word.is_last_name())
                && word.name_odds() > if person { -0.6 } else { 0.8 };
        let term = (word.is_medical() || word.is_drug() || word.is_month()) && !whole || word.is_function();
        let cue = token.is(cues::NOBODY
            .or(cues::HEADING)
            .or(cues::TITLE)
            .or(cues::INSTITUTION_HEAD)
            .or(cues::COMPANY_SUFFIX));
        if !own || term || cue {
            return;
        }
        let name = Name { kind: candidate.kind, certainty: candidate.certainty, unknown: !word.is_known() };
        match self.exact.entry(token.hash) {
            Entry::Occupied(mut kept) => {
                if candidate.certainty > kept.get().certainty {
                    kept.insert(Name { unknown: kept.get().unknown, ..name });
                }
            }
            Entry::Vacant(free) => {
                free.insert(name);
                self.note(token.hash);
                if person && token.len() >= LEAST_LETTERS {
                    let from = self.letters.len();
                    lexicon::fold_into(document.slice(token.start..token.end), &mut self.letters);
                    self.texts.push((token.hash, from..self.letters.len()));
                }
            }
        }
    }

    /// A name within one letter of a word. Few names are compared one by one.
    fn nearest(&mut self, hash: u64, text: &str) -> Option<u64> {
        if self.texts.len() <= FEW {
            let similar = |name: &str| {
                name.len().abs_diff(text.len()) <= 4 && shares_ends(name, text) && within_one_edit(name, text)
            };
            let near = self.texts.iter().find(|(_, name)| similar(&self.letters[name.clone()]));
            return near.map(|(hash, _)| *hash);
        }
        self.index();
        let mut near = self.near.get(hash);
        deletions(text, |hash| near = near.or_else(|| self.near.get(hash)));
        near.and_then(|place| self.texts.get(place as usize))
            .filter(|(_, name)| within_one_edit(&self.letters[name.clone()], text))
            .map(|(hash, _)| *hash)
    }

    /// Adds the deletions of the names that were learned since.
    fn index(&mut self) {
        let Some((_, first)) = self.texts.get(self.indexed) else { return };
        // One deletion per letter at most, and the name itself.
        let more = self.letters.len() - first.start + self.texts.len() - self.indexed;
        self.near.reserve(more);
        for (place, (hash, name)) in self.texts.iter().enumerate().skip(self.indexed) {
            self.near.add(*hash, place as u32);
            deletions(&self.letters[name.clone()], |hash| self.near.add(hash, place as u32));
        }
        self.indexed = self.texts.len();
    }

    /// Proposes all mentions that are not covered yet.
    pub fn propose(&mut self, document: &Document<'_>, chosen: &[Candidate], found: &mut Candidates) {
        let mut covered = chosen.iter().peekable();
        for (at, token) in document.tokens.iter().enumerate() {
            // Words that no list has can be mentions, others only as names with a capital. Other
            // tokens than words have no hash. One condition without branches, since each by itself is
            // hard to predict.
            let mention =
                !token.word.is_known() | token.has(Flags::CAPITAL) & self.filter.may_have(token.hash);
            if !(mention & (token.hash != 0) & (token.len() >= 3)) {
                continue;
            }
            while covered.next_if(|span| span.end <= token.start).is_some() {}
            if covered.peek().is_some_and(|span| span.start < token.end) {
                continue;
            }
            if let Some((end, beginning)) = self.begun(document, at) {
                let bytes = document.bytes(at..end);
                let score = Score::new("found elsewhere", bytes.clone(), beginning.certainty.min(0.85));
                found.add(CONSISTENCY, beginning.kind, bytes, &score);
                continue;
            }
            self.mention(document, at, token, found);
        }
    }

    fn mention(&mut self, document: &Document<'_>, at: usize, token: &Token, found: &mut Candidates) {
        let capital = token.has(Flags::CAPITAL);
        if let Some(name) = self.exact.get(&token.hash) {
            let eponym = capital && name.kind == Kind::Person && named_after(document, at);
            let upper = token.has(Flags::UPPER) && !token.has(Flags::SHOUTED) && token.len() <= 3;
            let common = token.word.is_common() && token.has(Flags::SENTENCE) && token.word.name_odds() < 0.3;
            if (capital || name.unknown && token.len() >= 4) && !eponym && !upper && !common {
                add_mention(token, name, "found elsewhere", 0.9, found);
            }
            return;
        }
        let unknown = !token.word.is_known() && token.len() >= LEAST_LETTERS && token.len() <= 24;
        if !unknown || self.texts.is_empty() || !capital && token.cue.classes != cues::Classes::NONE {
            return;
        }
        let text = lexicon::folded(document.slice(token.start..token.end));
        if looks_medical(&text) && !capital {
            return;
        }
        let name = self.nearest(token.hash, &text);
        if let Some(name) = name.and_then(|hash| self.exact.get(&hash)).filter(|_| capital || text.len() >= 6)
        {
            add_mention(token, name, "one letter from a name", if capital { 0.85 } else { 0.75 }, found);
        }
    }
}

/// Words that say what an organization is, not which one.
const GENERIC: WordSet = words![
    "community",
    "regional",
    "general",
    "memorial",
    "medical",
    "health",
    "women",
    "children",
    "county",
    "city",
    "state",
    "national",
    "university",
    "public",
    "primary",
    "family",
    "private",
    "royal",
    "local",
    "district",
    "central",
    "home",
    "care",
    "mental",
    "social",
    "north",
    "south",
    "east",
    "west",
    "first",
    "new",
    "united",
];

/// Kinds that have names of several words.
pub fn is_organization(kind: Kind) -> bool {
    matches!(kind, Kind::Institution | Kind::School | Kind::Employer | Kind::Team)
}

/// Whether a word is one of those that an organization is called by, rather than what says its kind.
fn is_part(token: &Token) -> bool {
    let head = cues::INSTITUTION_HEAD
        .or(cues::SCHOOL_HEAD)
        .or(cues::COMPANY_SUFFIX)
        .or(cues::WARD_HEAD)
        .or(cues::HEADING)
        .or(cues::TITLE)
        .or(cues::MONTH)
        .or(cues::WEEKDAY);
    let word = token.word;
    token.is_capital()
        && token.hash != 0
        && !token.has(Flags::SINGLE)
        && (!token.is(head) || token.is(cues::NAME_FILLER))
        && !(word.is_medical() || word.is_drug() || word.is_function() || word.is_ward() || word.is_heading())
}

/// Whether a title stands before a token.
fn behind_title(document: &Document<'_>, at: usize) -> bool {
    let dot = usize::from(document.tokens[at - 1].is_sign(b'.'));
    at.checked_sub(1 + dot).is_some_and(|title| document.tokens[title].is(cues::TITLE))
}

fn add_mention(token: &Token, name: &Name, rule: &'static str, certainty: f32, found: &mut Candidates) {
    let score = Score::new(rule, token.start..token.end, certainty.min(name.certainty));
    found.add(CONSISTENCY, name.kind, token.start..token.end, &score);
}

/// Kinds whose words are names.
fn is_named(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Person
            | Kind::Institution
            | Kind::Employer
            | Kind::School
            | Kind::Team
            | Kind::City
            | Kind::Street
    )
}

/// Letters of the longest word whose deletions are made of a number.
const PACKED: usize = 16;

/// Calls back with the hashes of a folded word without each of its letters.
#[inline]
fn deletions(word: &str, mut found: impl FnMut(u64)) {
    if word.len() <= PACKED && word.is_ascii() {
        let packed = word.bytes().rev().fold(0, |packed, letter| packed << 8 | u128::from(letter));
        for at in 0..word.len() {
            let before = (1 << (8 * at)) - 1;
            found(lexicon::hash_packed(packed & before | packed >> 8 & !before, word.len() - 1));
        }
        return;
    }
    let mut shorter = String::with_capacity(word.len());
    for (at, letter) in word.char_indices() {
        shorter.clear();
        shorter.push_str(&word[..at]);
        shorter.push_str(&word[at + letter.len_utf8()..]);
        found(lexicon::hash(&shorter));
    }
}

/// Whether two words have the same first or last letter, as all have that are one edit apart and
/// longer than three letters. Letters outside of ASCII may fold to anything.
fn shares_ends(a: &str, b: &str) -> bool {
    let ends = |word: &str| {
        (
            word.as_bytes().first().copied().unwrap_or(0) | 0x20,
            word.as_bytes().last().copied().unwrap_or(0) | 0x20,
        )
    };
    let (a_ends, b_ends) = (ends(a), ends(b));
    a_ends.0 == b_ends.0 || a_ends.1 == b_ends.1 || !a.is_ascii() || !b.is_ascii()
}

/// Whether one letter added, missing, wrong or swapped leads from one word to another.
pub fn within_one_edit(a: &str, b: &str) -> bool {
    if a.is_ascii() && b.is_ascii() {
        return one_edit(a.as_bytes(), b.as_bytes());
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    one_edit(&a, &b)
}

fn one_edit<T: PartialEq>(a: &[T], b: &[T]) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if long.len() - short.len() > 1 {
        return false;
    }
    let same = short.iter().zip(long.iter()).take_while(|(a, b)| a == b).count();
    if same == short.len() {
        return true;
    }
    if short.len() < long.len() {
        return short[same..] == long[same + 1..];
    }
    let swapped = same + 1 < short.len()
        && short[same] == long[same + 1]
        && short[same + 1] == long[same]
        && short[same + 2..] == long[same + 2..];
    short[same + 1..] == long[same + 1..] || swapped
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All words that one edit makes of another, by definition.
    fn edits(word: &str) -> Vec<String> {
        let letters: Vec<char> = word.chars().collect();
        let mut all = vec![word.to_owned()];
        for at in 0..=letters.len() {
            for letter in 'a'..='c' {
                let mut longer = letters.clone();
                longer.insert(at, letter);
                all.push(longer.iter().collect());
                if at < letters.len() {
                    let mut other = letters.clone();
                    other[at] = letter;
                    all.push(other.iter().collect());
                }
            }
            if at < letters.len() {
                let mut shorter = letters.clone();
                shorter.remove(at);
                all.push(shorter.iter().collect());
            }
            if at + 1 < letters.len() {
                let mut swapped = letters.clone();
                swapped.swap(at, at + 1);
                all.push(swapped.iter().collect());
            }
        }
        all
    }

    proptest! {
        /// Places are those of a general table.
        #[test]
        fn places_are_the_first_ones(hashes in prop::collection::vec(0u64..400, 1..900), step in 1usize..300) {
            let mut places = Places::default();
            let mut first = std::collections::HashMap::new();
            // Hashes share their highest bits, so that they meet in the table.
            let spread = |hash: u64| hash.wrapping_mul(1 << 25) | (hash % 3) << 60;
            for (number, chunk) in hashes.chunks(step).enumerate() {
                places.reserve(chunk.len());
                for (at, hash) in chunk.iter().enumerate() {
                    let place = (number * step + at) as u32;
                    places.add(spread(*hash), place);
                    first.entry(*hash).or_insert(place);
                }
            }
            for hash in 0..400 {
                prop_assert_eq!(places.get(spread(hash)), first.get(&hash).copied());
            }
        }

        #[test]
        fn one_edit_is_what_the_definition_lists(a in "[abc]{0,6}", b in "[abc]{0,6}") {
            prop_assert_eq!(within_one_edit(&a, &b), edits(&a).contains(&b));
        }

        #[test]
        fn words_one_edit_apart_share_an_end(a in "[abc]{4,6}", b in "[abc]{4,6}") {
            prop_assert!(!within_one_edit(&a, &b) || shares_ends(&a, &b));
        }

        /// The hash of a word without a letter does not depend on how it is computed.
        #[test]
        fn deletions_are_hashes_of_shorter_words(word in "[a-z']{1,20}|[a-zé]{1,9}") {
            let mut hashes = Vec::new();
            deletions(&word, |hash| hashes.push(hash));
            let shorter = word.char_indices().map(|(at, letter)| {
                lexicon::hash(&[&word[..at], &word[at + letter.len_utf8()..]].concat())
            });
            prop_assert_eq!(hashes, shorter.collect::<Vec<_>>());
        }

        /// Deletions on both sides meet for every edit.
        #[test]
        fn deletions_meet(a in "[abc]{5,7}") {
            for b in edits(&a) {
                let mut of_a = vec![lexicon::hash(&a)];
                deletions(&a, |hash| of_a.push(hash));
                let mut of_b = vec![lexicon::hash(&b)];
                deletions(&b, |hash| of_b.push(hash));
                prop_assert!(of_a.iter().any(|hash| of_b.contains(hash)), "{} {}", a, b);
            }
        }
    }
}
