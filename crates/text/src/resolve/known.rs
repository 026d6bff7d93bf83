//! Searches a text for the values of its own row: identifiers with variants and misspellings, and
//! mentions of quasi-identifiers that are finer than the released label.
//!
//! Words are compared by hash, so that a text costs one look-up per word and known value; numbers
//! are compared without separators; dates and ages by what they mean.

use std::ops::Range;

use chrono::{Datelike, NaiveDate};
#[cfg(test)]
use rustc_hash::FxHashMap;

use super::again::within_one_edit;
use crate::candidates::{Candidates, Score};
use crate::detect::{WrittenDate, dates_in};
use crate::document::Document;
use crate::lexicon;
use crate::replace::years;
use crate::span::Kind;
use crate::subject::{Known, Meaning, Subject};
use crate::token::{Flags, Token, tokenize};

/// Proposes all mentions of known values.
pub fn find(document: &Document<'_>, subject: &Subject<'_>, found: &mut Candidates) {
    let all = subject.identifiers.iter().chain(&subject.quasi);
    for (known, number) in all.zip(1..=u16::MAX) {
        if known.value.trim().is_empty() {
            continue;
        }
        let search =
            Search { document, known, number, identifier: usize::from(number) <= subject.identifiers.len() };
        match known.meaning {
            Meaning::Name => search.name(found),
            Meaning::Number => search.number(found),
            Meaning::Date { format } => search.date(format, found),
            Meaning::Age => search.age(found),
            Meaning::PostalCode => search.postal_code(found),
            Meaning::City | Meaning::Occupation | Meaning::Other => {
                search.phrase(known.value, search.kind(), found)
            }
        }
    }
}

struct Search<'a, 'd> {
    document: &'a Document<'d>,
    known: &'a Known<'a>,
    number: u16,
    identifier: bool,
}

/// Words of at least this number of letters are searched with misspellings.
const LEAST_LETTERS: usize = 5;
/// Parts of a word of at least this number of bytes are compared with words of a name.
const LEAST_PART: usize = 4;
/// Numbers of at least this number of signs are searched with misspellings, and within longer ones.
const LEAST_SIGNS: usize = 6;

impl Search<'_, '_> {
    fn kind(&self) -> Kind {
        match self.known.meaning {
            Meaning::Name => Kind::Person,
            Meaning::Number => Kind::RecordNumber,
            Meaning::Date { .. } => Kind::Date,
            Meaning::Age => Kind::Age,
            Meaning::PostalCode => Kind::PostalCode,
            Meaning::City => Kind::City,
            Meaning::Occupation | Meaning::Other => Kind::Occupation,
        }
    }

    fn add(&self, kind: Kind, bytes: Range<u32>, rule: &'static str, certainty: f32, found: &mut Candidates) {
        let score = Score::new(rule, bytes.clone(), certainty);
        found.add_known("known value", kind, bytes, &score, self.number);
    }

    /// A name: all its words together, in any order, with initials, and every word alone.
    fn name(&self, found: &mut Candidates) {
        let mut tokens = Vec::new();
        tokenize(self.known.value, &mut tokens);
        let text = |token: &Token| self.known.value[token.start as usize..token.end as usize].to_owned();
        let words: Vec<(u64, String)> = tokens
            .iter()
            .filter(|token| token.is_word() && token.len() > 1)
            .map(|token| (token.hash, lexicon::folded(&text(token))))
            .collect();
        if tokens.iter().any(|token| token.has(Flags::CASELESS)) {
            self.substring(found);
        }
        let initials: Vec<char> = tokens
            .iter()
            .filter(|token| token.is_word())
            .filter_map(|token| text(token).chars().next())
            .collect();
        let mut at = 0;
        while at < self.document.tokens.len() {
            let Some(first) = self.matches(at, &words) else {
                at += 1;
                continue;
            };
            let (end, count, exact) = self.extended(at, &words, &initials, first);
            if count > 1 || self.stands_for_name(at) {
                let (rule, certainty) =
                    if exact { ("own name", 1.0) } else { ("one letter from the own name", 0.97) };
                let start = self.initial_before(at, &initials);
                self.add(Kind::Person, self.document.bytes(start..end), rule, certainty, found);
            }
            at = end;
        }
        self.initials(&initials, found);
    }

    /// Whether a token is a word of the name: exactly, or within one letter.
    fn matches(&self, at: usize, words: &[(u64, String)]) -> Option<bool> {
        let token = self.document.tokens.get(at).filter(|token| token.is_word() && token.len() > 1)?;
        let own = |own: u64| own != 0 && words.iter().any(|(hash, _)| *hash == own);
        if own(token.hash) || self.has_part(at, own) {
            return Some(true);
        }
        if token.hash == 0 {
            return None;
        }
        let similar = |word: &String| word.len() >= LEAST_LETTERS && token.len().abs_diff(word.len()) <= 2;
        let near = words.iter().filter(|(_, word)| similar(word));
        let mut folded = None;
        let hit = near.into_iter().any(|(_, word)| {
            let own = folded.get_or_insert_with(|| lexicon::folded(self.document.word(at)));
            within_one_edit(word, own)
        });
        // "patients" is one letter from "Patience"; ordinary words in small letters stay.
        let ordinary = token.word.is_common() && !token.has(Flags::CAPITAL);
        (hit && !ordinary).then_some(false)
    }

    /// Whether a word has a word of the name beside an apostrophe or an invisible sign: "d'Abelard".
    fn has_part(&self, at: usize, own: impl Fn(u64) -> bool) -> bool {
        let (token, text) = (&self.document.tokens[at], self.document.word(at));
        // "will've" is not the name Will.
        if text.bytes().all(|sign| sign.is_ascii_alphabetic()) || token.word.is_common() {
            return false;
        }
        let mut parts = text.split(|sign: char| !sign.is_alphanumeric());
        parts.any(|part| part.len() >= LEAST_PART && part.len() < text.len() && own(lexicon::hash(part)))
            || own(lexicon::hash(&compact(text)))
    }

    /// The end of a mention with further words and initials of the name, the number of its words,
    /// and whether all match exactly.
    fn extended(
        &self,
        at: usize,
        words: &[(u64, String)],
        initials: &[char],
        first: bool,
    ) -> (usize, usize, bool) {
        let (mut end, mut count, mut exact) = (at + 1, 1, first);
        let mut next = end;
        while next < at + 10 {
            let Some(token) = self.document.tokens.get(next).filter(|token| !token.has(Flags::PARAGRAPH))
            else {
                break;
            };
            if let Some(same) = self.matches(next, words) {
                (end, count, exact) = (next + 1, count + 1, exact && same);
            } else if token.is_word()
                && token.has(Flags::SINGLE)
                && initials.iter().any(|initial| self.document.word(next).starts_with(*initial))
            {
                end = next + 1;
            } else if !matches!(token.first, b',' | b'.' | b'-')
                || token.is_word()
                || token.is_sign(b'.') && !self.document.tokens[next - 1].has(Flags::SINGLE)
            {
                break;
            }
            next += 1;
        }
        (end, count, exact)
    }

    /// The first token with an initial of the name before it: "V. Townsend".
    fn initial_before(&self, at: usize, initials: &[char]) -> usize {
        let dot = usize::from(at > 0 && self.document.tokens[at - 1].is_sign(b'.'));
        let Some(before) = at.checked_sub(1 + dot) else { return at };
        let token = &self.document.tokens[before];
        let own = token.is_capital()
            && token.has(Flags::SINGLE)
            && initials.iter().any(|initial| self.document.word(before).starts_with(*initial));
        if own && self.document.same_line(before, at) { before } else { at }
    }

    /// Whether a word alone is meant as the name: ordinary words only with a capital.
    fn stands_for_name(&self, at: usize) -> bool {
        let token = &self.document.tokens[at];
        let capital = token.has(Flags::CAPITAL);
        capital || !token.word.is_common() && !token.word.is_function() && !token.word.is_medical()
    }

    /// The initials of the whole name: "V.T.", "V. T.", "VT".
    fn initials(&self, initials: &[char], found: &mut Candidates) {
        if initials.len() < 2 {
            return;
        }
        let joined: String = initials.iter().collect();
        for run in &self.document.runs {
            let (first, end) = (run.first as usize, run.end as usize);
            let tokens = &self.document.tokens[first..end];
            let letters: String = tokens
                .iter()
                .filter(|token| token.is_word())
                .map(|token| self.document.slice(token.start..token.end))
                .collect();
            let spelled = tokens
                .iter()
                .all(|token| !token.is_word() || token.has(Flags::SINGLE) && token.has(Flags::CAPITAL));
            let whole = end - first == 1
                && tokens[0].has(Flags::UPPER)
                && !tokens[0].word.is_medical()
                && !tokens[0].word.is_shorthand();
            if letters.eq_ignore_ascii_case(&joined) && (spelled || whole) && letters.len() == joined.len() {
                self.add(Kind::Person, self.document.bytes(first..end), "own initials", 0.95, found);
            }
        }
    }

    /// A value in letters without case: wherever it occurs.
    fn substring(&self, found: &mut Candidates) {
        let value = self.known.value.trim();
        for at in memchr::memmem::find_iter(self.document.text.as_bytes(), value.as_bytes()) {
            self.add(self.kind(), at as u32..(at + value.len()) as u32, "own value", 1.0, found);
        }
    }

    /// A number with any separators, with one wrong sign, and within a longer one.
    fn number(&self, found: &mut Candidates) {
        let value = compact(self.known.value);
        if value.is_empty() {
            return;
        }
        let codes = &self.document.codes;
        for at in 0..codes.len() {
            let mut joined = String::new();
            let first = codes[at].first as usize;
            for (place, code) in codes[at..].iter().take(6).enumerate() {
                if place > 0
                    && (code.first != codes[at + place - 1].end
                        || !self.document.same_line(first, code.first as usize))
                {
                    break;
                }
                joined += &compact(
                    self.document.slice(self.document.bytes(code.first as usize..code.end as usize)),
                );
                if joined.len() > value.len() + 24 {
                    break;
                }
                let tokens = first..code.end as usize;
                if joined == value {
                    self.add(self.kind(), self.document.bytes(tokens), "own number", 1.0, found);
                } else if value.len() >= LEAST_SIGNS
                    && (joined.contains(&value) || within_one_edit(&joined, &value))
                {
                    self.add(self.kind(), self.document.bytes(tokens), "near the own number", 0.97, found);
                }
            }
        }
        if value.bytes().all(|sign| !sign.is_ascii_digit()) {
            self.phrase(self.known.value, self.kind(), found);
        }
    }

    /// A phrase, word by word, in any case; the last word also in the plural.
    fn phrase(&self, value: &str, kind: Kind, found: &mut Candidates) {
        let mut tokens = Vec::new();
        tokenize(value, &mut tokens);
        if tokens.iter().any(|token| token.has(Flags::CASELESS)) {
            self.substring(found);
        }
        let wanted: Vec<(u64, &str)> = tokens
            .iter()
            .filter(|token| token.is_word() || token.is_number())
            .map(|token| (token.hash, &value[token.start as usize..token.end as usize]))
            .collect();
        let Some(((first, first_text), rest)) = wanted.split_first() else { return };
        let same = |at: usize, hash: u64, text: &str| {
            let token = &self.document.tokens[at];
            hash != 0 && token.hash == hash
                || hash == 0 && self.document.word(at) == text
                || token.is_word()
                    && text.len() >= LEAST_LETTERS
                    && within_one_edit(&lexicon::folded(self.document.word(at)), &lexicon::folded(text))
                    && (token.has(Flags::CAPITAL)
                        || !token.word.is_common()
                        || self.document.word(at).len() > text.len())
        };
        for at in 0..self.document.tokens.len() {
            let token = &self.document.tokens[at];
            let near = token.len().abs_diff(first_text.len()) <= 2;
            if !near || !same(at, *first, first_text) {
                continue;
            }
            let mut end = at + 1;
            let all = rest.iter().all(|(hash, text)| {
                while self
                    .document
                    .tokens
                    .get(end)
                    .is_some_and(|token| !token.is_word() && !token.is_number())
                {
                    end += 1;
                }
                let hit = end < self.document.tokens.len() && same(end, *hash, text);
                end += 1;
                hit
            });
            if all {
                self.add(kind, self.document.bytes(at..end), "own value", 1.0, found);
            }
        }
    }

    /// A postal code, and the city of it.
    fn postal_code(&self, found: &mut Candidates) {
        self.number(found);
        if let Some(place) = lexicon::zip(self.known.value) {
            self.phrase(place.city, Kind::City, found);
        }
    }

    /// A date in any form. A month or a year that the label does not have counts too.
    fn date(&self, format: &str, found: &mut Candidates) {
        let Ok(date) = NaiveDate::parse_from_str(self.known.value, format) else {
            return self.phrase(self.known.value, Kind::Date, found);
        };
        let label = self.known.released.unwrap_or_default();
        let year = date.year().to_string();
        let month_known = label.contains(&year) && label.contains(&format!("-{:02}", date.month()));
        dates_in(self.document, &mut |written| {
            if mentions(&written, date) && !(written.is_coarse() && month_known) {
                self.add(Kind::Date, self.document.bytes(written.first..written.end), "own date", 1.0, found);
            }
        });
        if !label.contains(&year) && !self.identifier {
            for (at, token) in self.document.tokens.iter().enumerate() {
                if token.is_number() && token.len() == 4 && self.document.word(at) == year {
                    self.add(Kind::Date, token.start..token.end, "own year", 0.99, found);
                }
            }
        }
    }

    /// Ages that detectors found, if they are that of the row.
    fn age(&self, found: &mut Candidates) {
        let Some(age) = years(self.known.value) else { return };
        let same: Vec<Range<u32>> = found
            .list
            .iter()
            .filter(|candidate| {
                candidate.kind == Kind::Age
                    && years(self.document.slice(candidate.start..candidate.end)) == Some(age)
            })
            .map(|candidate| candidate.start..candidate.end)
            .collect();
        for bytes in same {
            self.add(Kind::Age, bytes, "own age", 1.0, found);
        }
    }
}

/// Whether a written date can be a date: all parts that it has, in one of its readings.
fn mentions(written: &WrittenDate, date: NaiveDate) -> bool {
    let (day, month) = (written.day.map(|(_, day)| day), written.month.map(|(_, month)| month));
    let year = written.year.is_none_or(|(_, year)| year == date.year());
    let reading = |day: Option<u32>, month: Option<u32>| {
        day.is_none_or(|day| day == date.day()) && month == Some(date.month())
    };
    year && (reading(day, month) || written.ambiguous && reading(month, day))
}

/// Letters and digits in small letters.
fn compact(value: &str) -> String {
    value.chars().filter(|sign| sign.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Counts how often each known value is mentioned; for tests.
#[cfg(test)]
fn counts(text: &str, subject: &Subject<'_>) -> FxHashMap<u16, Vec<String>> {
    let document = Document::read(text, Document::default());
    let mut found = Candidates::default();
    for detector in crate::detect::ALL {
        detector.detect(&document, &mut found);
    }
    find(&document, subject, &mut found);
    let mut counts: FxHashMap<u16, Vec<String>> = FxHashMap::default();
    for candidate in found.list.iter().filter(|candidate| candidate.known > 0) {
        counts
            .entry(candidate.known)
            .or_default()
            .push(document.slice(candidate.start..candidate.end).to_owned());
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mentions_of(value: &str, meaning: Meaning<'_>, text: &str) -> Vec<String> {
        let known = Known { column: "c", value, released: Some("x"), meaning };
        let subject = Subject { quasi: vec![known], ..Subject::default() };
        let mut found = counts(text, &subject).remove(&1).unwrap_or_default();
        found.dedup();
        found
    }

    #[test]
    fn names_in_all_orders_with_misspellings_and_initials() {
        let text = "RE: Townsend, Virginia. VIRGINIA came; Mrs. Towsend and V. Townsend too. V.T. was here.";
        let found = mentions_of("Virginia Townsend", Meaning::Name, text);
        assert_eq!(found, ["Townsend, Virginia", "VIRGINIA", "Towsend", "V. Townsend", "V.T"]);
        assert_eq!(mentions_of("Will Long", Meaning::Name, "It will take long. Will came."), ["Will"]);
        assert_eq!(mentions_of("王小明", Meaning::Name, "患者王小明來診"), ["王小明"]);
    }

    #[test]
    fn names_beside_apostrophes_and_invisible_signs() {
        let text = "la fille d'Abelard, BELARD'quentin, Quen\u{ad}tin and l’abelard\u{200b}";
        let found = mentions_of("Quentin Abelard", Meaning::Name, text);
        assert_eq!(found, ["d'Abelard, BELARD'quentin, Quen\u{ad}tin", "l’abelard\u{200b}"]);
        let long = format!("{}'Quentin", "x".repeat(60));
        assert_eq!(mentions_of("Quentin Abelard", Meaning::Name, &long), [long]);
        assert!(mentions_of("Don Will", Meaning::Name, "I don't know, they'll see").is_empty());
    }

    #[test]
    fn numbers_without_separators_and_with_a_typo() {
        let text = "MRN 32-841-09787, 3284109787, 32 841 09787, 32-841-09788, 123";
        assert_eq!(mentions_of("3284109787", Meaning::Number, text).len(), 4);
        assert_eq!(mentions_of("4711", Meaning::Number, "Room 4711, 4712"), ["4711"]);
    }

    #[test]
    fn dates_in_any_form() {
        let text = "On 3 May 2023, 05/03/2023, 3.5.2023, May 2023, 2023-05-04, 3 May.";
        let found = mentions_of("2023-05-03", Meaning::Date { format: "%Y-%m-%d" }, text);
        assert!(
            ["3 May 2023", "05/03/2023", "3.5.2023", "May 2023", "3 May"]
                .iter()
                .all(|date| found.iter().any(|own| own == date)),
            "{found:?}"
        );
        assert!(!found.iter().any(|own| own == "2023-05-04"), "{found:?}");
    }

    #[test]
    fn ages_postal_codes_cities_and_occupations() {
        assert_eq!(
            mentions_of("47", Meaning::Age, "a 47-year-old, then 48 years old, aged forty-seven"),
            ["47", "forty-seven"]
        );
        assert_eq!(mentions_of("02151", Meaning::PostalCode, "from Revere, MA 02151"), ["02151", "Revere"]);
        assert_eq!(mentions_of("Lynn", Meaning::City, "from LYNN to lynn"), ["LYNN", "lynn"]);
        assert_eq!(mentions_of("truck driver", Meaning::Occupation, "a Truck Driver"), ["Truck Driver"]);
    }
}
