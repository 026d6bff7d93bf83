//! Replacement of what was found: made-up values, tags or masks, the same for the same value.
//!
//! Made-up values follow from a key: that of the settings, so that they are the same in all
//! documents, or else a digest of the text. Names that occur in the text are never made up.

mod ages;
mod dates;
mod key;
mod mac;
mod names;
mod number;
mod places;
mod source;

use std::cell::RefCell;
use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::candidates::{Candidate, Candidates};
use crate::document::Document;
use crate::lexicon;
use crate::resolve::{CONSISTENCY, is_organization};
use crate::scrubber::Scrubbed;
use crate::settings::{DateRule, Mode, Settings};
use crate::span::Kind;
use crate::subject::{Known, Meaning, Subject};
pub use ages::years;
use key::Key;
use names::Roles;
use source::Source;

/// What takes the place of something that nothing can be made up for.
pub const SUPPRESSED: &str = "*";
/// What takes the place of everything in mode [`Mode::Mask`].
pub const MASK: &str = "***";

/// Replaces the spans of one text.
pub struct Replacer<'a> {
    settings: &'a Settings,
    text: &'a str,
    subject: &'a Subject<'a>,
    key: Option<Key>,
    /// Whether the words of the text are in the memory.
    sourced: bool,
    memory: Memory,
    tags: FxHashMap<(Kind, u64), u32>,
    counts: FxHashMap<Kind, u32>,
}

/// What was read and made so far. Its memory is used again for the next text of a thread.
#[derive(Default)]
struct Memory {
    /// All words of the text that no list has.
    source: Source,
    made: FxHashMap<(Kind, u64), String>,
    roles: Roles,
    /// The starts and the tokens of the names of a piece.
    people: Vec<(u32, Range<usize>)>,
    /// The first of these that is not replaced yet.
    next: usize,
    /// The organizations of a piece.
    organizations: Vec<(Kind, Range<u32>)>,
}

thread_local! {
    static MEMORY: RefCell<Memory> = RefCell::default();
}

/// Values of more than this number make new memory cheaper than used one.
const MOST_REUSED: usize = 256;

impl Memory {
    /// Nothing, in the memory of what was made.
    fn forget(self) -> Memory {
        let Memory { source, mut made, roles, people, organizations, .. } = self;
        if made.len() > MOST_REUSED {
            made = FxHashMap::default();
        }
        made.clear();
        Memory { source: source.forget(), made, roles: roles.forget(), people, next: 0, organizations }
    }
}

impl Drop for Replacer<'_> {
    fn drop(&mut self) {
        MEMORY.set(std::mem::take(&mut self.memory).forget());
    }
}

impl<'a> Replacer<'a> {
    /// For a text and what is known about its person.
    pub fn new(settings: &'a Settings, text: &'a str, subject: &'a Subject<'a>) -> Self {
        Replacer {
            settings,
            text,
            subject,
            key: settings.key.as_ref().map(|key| Key::new(key)),
            sourced: false,
            memory: MEMORY.take(),
            tags: FxHashMap::default(),
            counts: FxHashMap::default(),
        }
    }

    /// Adds a piece with its spans replaced to what was scrubbed before it.
    pub fn replace(
        &mut self,
        piece: &Document<'_>,
        offset: usize,
        chosen: &[Candidate],
        found: &Candidates,
        scrubbed: &mut Scrubbed,
    ) {
        self.learn(piece, chosen);
        // As much as the rest of the text needs if it is like this piece: what is not used has no page.
        let rest = self.text.len().saturating_sub(offset);
        let pieces = rest as f64 / piece.text.len().max(1) as f64;
        scrubbed.text.reserve(rest + rest / 8);
        scrubbed.spans.reserve((chosen.len() as f64 * pieces) as usize);
        let mut at = 0;
        for candidate in chosen {
            scrubbed.text.push_str(piece.slice(at..candidate.start));
            at = candidate.end;
            let mut span = found.span(candidate, piece.text, offset);
            span.replacement = self.one(piece, candidate);
            let kept = piece.slice(candidate.start..candidate.end);
            scrubbed.text.push_str(span.replacement.as_deref().unwrap_or(kept));
            scrubbed.spans.push(span);
        }
        scrubbed.text.push_str(&piece.text[at as usize..]);
    }

    /// Learns the names of a piece, and where their tokens are.
    fn learn(&mut self, piece: &Document<'_>, chosen: &[Candidate]) {
        self.memory.people.clear();
        self.memory.next = 0;
        if self.settings.mode != Mode::Surrogate {
            return;
        }
        let organizations = chosen.iter().filter(|candidate| is_organization(candidate.kind));
        self.memory.organizations.clear();
        self.memory.organizations.extend(organizations.map(|own| (own.kind, own.start..own.end)));
        let mut end = 0;
        for candidate in chosen.iter().filter(|candidate| candidate.kind == Kind::Person) {
            let tokens = tokens_behind(piece, end, candidate);
            end = tokens.end;
            if tokens.len() > 1 {
                self.memory.roles.learn(piece, tokens.clone());
            }
            self.memory.people.push((candidate.start, tokens));
        }
    }

    /// The tokens of a name. Names are replaced in their order.
    fn name(&mut self, piece: &Document<'_>, candidate: &Candidate) -> Range<usize> {
        let Memory { people, next, .. } = &mut self.memory;
        while let Some((start, tokens)) = people.get(*next).filter(|(start, _)| *start <= candidate.start) {
            *next += 1;
            if *start == candidate.start {
                return tokens.clone();
            }
        }
        tokens(piece, candidate)
    }

    /// What a span becomes; none if it is kept.
    fn one(&mut self, piece: &Document<'_>, candidate: &Candidate) -> Option<String> {
        let text = piece.slice(candidate.start..candidate.end);
        if candidate.known > 0 {
            return Some(self.known(piece, candidate, text));
        }
        if self.settings.keep.contains(&candidate.kind) {
            return None;
        }
        if candidate.kind == Kind::Age {
            let age = ages::age(text, self.settings.ages)?;
            return Some(if self.settings.mode == Mode::Surrogate {
                age
            } else {
                self.marked(candidate.kind, piece, candidate, text)
            });
        }
        if self.settings.mode != Mode::Surrogate {
            return Some(self.marked(candidate.kind, piece, candidate, text));
        }
        if candidate.certainty < self.settings.threshold {
            return Some(SUPPRESSED.to_owned());
        }
        Some(self.surrogate(piece, candidate, text))
    }

    /// What a mention of a known value becomes: its released label, in parts for a part of a name.
    fn known(&mut self, piece: &Document<'_>, candidate: &Candidate, text: &str) -> String {
        let at = usize::from(candidate.known) - 1;
        let identifiers = self.subject.identifiers.len();
        let known = self
            .subject
            .identifiers
            .get(at)
            .or_else(|| self.subject.quasi.get(at.wrapping_sub(identifiers)))
            .copied();
        let Some(known) = known else { return SUPPRESSED.to_owned() };
        match (known.released, known.meaning) {
            (Some(released), Meaning::Name) => part_of_name(&known, released, text),
            (Some(released), _) => released.to_owned(),
            (None, _) if at < identifiers && self.settings.mode == Mode::Surrogate => {
                self.surrogate(piece, candidate, text)
            }
            (None, _) if at < identifiers => self.marked(candidate.kind, piece, candidate, text),
            (None, _) => SUPPRESSED.to_owned(),
        }
    }

    /// A tag with a number, or a mask.
    fn marked(&mut self, kind: Kind, piece: &Document<'_>, candidate: &Candidate, text: &str) -> String {
        if self.settings.mode == Mode::Mask {
            return MASK.to_owned();
        }
        let words: Vec<u64> = match kind {
            // Names that share a word are one person.
            Kind::Person => {
                let own = piece.tokens[tokens(piece, candidate)]
                    .iter()
                    .filter(|token| token.is_word() && token.len() > 1);
                own.map(|token| token.hash).collect()
            }
            _ => vec![number::with_compact(text, lexicon::hash)],
        };
        let words = if words.is_empty() { vec![lexicon::hash(text)] } else { words };
        let known = words.iter().find_map(|word| self.tags.get(&(kind, *word)).copied());
        let number = known.unwrap_or_else(|| {
            let count = self.counts.entry(kind).or_default();
            *count += 1;
            *count
        });
        for word in words {
            self.tags.entry((kind, word)).or_insert(number);
        }
        let tag = match kind {
            Kind::Custom(own) => self
                .settings
                .custom_names()
                .get(usize::from(own))
                .map_or("CUSTOM".to_owned(), |name| name.to_uppercase()),
            _ => kind.tag().to_owned(),
        };
        format!("[{tag} {number}]")
    }

    /// A made-up value, the same for the same value.
    fn surrogate(&mut self, piece: &Document<'_>, candidate: &Candidate, text: &str) -> String {
        let kind = candidate.kind;
        // Names are made word by word and depend on the words before them; numbers keep the format
        // of the mention.
        let cached =
            !matches!(kind, Kind::Person | Kind::Date) && !text.bytes().any(|sign| sign.is_ascii_digit());
        let same = cached.then(|| (kind, number::with_compact(text, lexicon::hash)));
        if let Some(made) = same.and_then(|same| self.memory.made.get(&same)) {
            return made.clone();
        }
        let made = self
            .make(piece, candidate, text)
            .filter(|made| made != text)
            .unwrap_or_else(|| SUPPRESSED.to_owned());
        if let Some(same) = same {
            self.memory.made.insert(same, made.clone());
        }
        made
    }

    fn make(&mut self, piece: &Document<'_>, candidate: &Candidate, text: &str) -> Option<String> {
        self.prepare(piece);
        let kind = candidate.kind;
        let tokens = if kind == Kind::Person { self.name(piece, candidate) } else { 0..0 };
        let (Some(key), Memory { source, roles, organizations, .. }) = (&self.key, &mut self.memory) else {
            return None;
        };
        match kind {
            Kind::Person => names::name(key, piece, tokens, candidate.start..candidate.end, roles, source),
            Kind::Date => dates::date(text, self.settings.dates, self.days(), self.settings.day_first),
            Kind::Occupation | Kind::Custom(_) | Kind::Age => None,
            Kind::Email => places::email(key, text, source),
            Kind::Url => Some(places::url(key, text)),
            Kind::Ip => Some(places::ip(key, text)),
            Kind::Street => places::street(key, text, source),
            Kind::Ward => places::ward(key, text, source),
            Kind::State | Kind::Country => places::region(key, kind, text),
            Kind::Institution | Kind::Employer | Kind::School | Kind::Team | Kind::City => {
                match begun(organizations, piece, candidate, text) {
                    Some((kind, whole)) => places::beginning(key, kind, whole, text, source),
                    None => places::named(key, kind, text, source),
                }
            }
            _ => Some(number::number(key, kind.as_str(), text)),
        }
    }

    /// The days that dates move.
    fn days(&self) -> i32 {
        match (self.settings.dates, &self.key) {
            (DateRule::Shift { days }, _) => days,
            (DateRule::ShiftWithin { days }, Some(key)) => {
                key.shift(self.subject.person.unwrap_or_default(), days)
            }
            _ => 0,
        }
    }

    /// Makes the key and the set of words when they are first needed.
    fn prepare(&mut self, piece: &Document<'_>) {
        let text = self.text;
        self.key.get_or_insert_with(|| Key::of_text(text));
        // Only a text of several pieces has a source by now.
        if !self.sourced {
            self.avoid(piece);
        }
    }

    /// Never makes up a name that a piece of the text has.
    pub fn avoid(&mut self, piece: &Document<'_>) {
        self.sourced = true;
        self.memory.source.add(piece);
    }
}

/// The organization of a piece that a mention is the first words of, where it was found by them.
fn begun<'t>(
    organizations: &[(Kind, Range<u32>)],
    piece: &Document<'t>,
    candidate: &Candidate,
    text: &str,
) -> Option<(Kind, &'t str)> {
    if candidate.detector != CONSISTENCY || !is_organization(candidate.kind) {
        return None;
    }
    let begins = |whole: &str| {
        let head = whole.get(..text.len()).is_some_and(|head| head.eq_ignore_ascii_case(text));
        head && whole.as_bytes().get(text.len()) == Some(&b' ')
    };
    let all = organizations.iter().map(|(kind, bytes)| (*kind, piece.slice(bytes.clone())));
    all.filter(|(_, whole)| begins(whole)).max_by_key(|(_, whole)| whole.len())
}

/// The tokens of a span that starts behind some tokens.
fn tokens_behind(document: &Document<'_>, from: usize, candidate: &Candidate) -> Range<usize> {
    let first = document.token_behind(from, candidate.start);
    let own = document.tokens.get(first..).unwrap_or_default();
    first..first + own.iter().take_while(|token| token.end <= candidate.end).count()
}

/// The tokens of a span.
fn tokens(document: &Document<'_>, candidate: &Candidate) -> Range<usize> {
    let first = document.tokens.partition_point(|token| token.start < candidate.start);
    let end = document.tokens.partition_point(|token| token.end <= candidate.end);
    first..end.max(first)
}

/// The part of a released name for a part of the original: the same word if both have as many.
fn part_of_name(known: &Known<'_>, released: &str, text: &str) -> String {
    let split = |name: &str| -> Vec<String> {
        name.split(|sign: char| !sign.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let (words, made, mention) = (split(known.value), split(released), split(text));
    let full = mention.len() >= words.len();
    if full || words.len() != made.len() || words.len() < 2 {
        return released.to_owned();
    }
    let part = |word: &String| {
        let place = words.iter().position(|own| lexicon::hash(own) == lexicon::hash(word));
        place
            .or_else(|| words.iter().position(|own| own.chars().next() == word.chars().next()))
            .map(|place| made[place].clone())
    };
    let parts: Option<Vec<String>> = mention.iter().map(part).collect();
    parts.map_or_else(|| released.to_owned(), |parts| parts.join(" "))
}
