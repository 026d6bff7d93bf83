//! What the detectors of institutions, companies, schools and places share: names with a head such
//! as "Hospital", and words before a name.

use std::ops::Range;

use super::names::{Sort, nameness};
use crate::cues::{self, Classes};
use crate::document::Document;
use crate::lexicon::{LONGEST_PHRASE, Word, lexicon};
use crate::token::{Flags, Token};

/// A name around a head.
#[derive(Debug, Clone, PartialEq)]
pub struct Named {
    /// Its tokens.
    pub tokens: Range<usize>,
    /// The head.
    pub head: usize,
    /// How much its other words distinguish it: 0 not at all, 1 ordinary words in capitals, 2
    /// names.
    pub distinct: u8,
}

/// Tokens of a name on either side of its head.
const MOST: usize = 9;

/// Words that join parts of such a name.
fn connects(document: &Document<'_>, at: usize) -> bool {
    let token = &document.tokens[at];
    if !token.is_word() {
        return token.is_sign(b'&')
            || token.is_sign(b'-')
            || token.first == 0xe2
            || token.is_sign(b'.') && is_abbreviated(document, at)
            // "Tulsa Behavioral/Rehab".
            || token.is_sign(b'/')
                && document.glued(at)
                && document.glued(at + 1)
                && at > 0
                && document.tokens[at - 1].is_capital()
                && !document.tokens[at - 1].has(Flags::UPPER);
    }
    document.is_any(
        at,
        words![
            "of", "the", "and", "for", "de", "la", "du", "des", "der", "am", "im", "zu", "in", "von", "le",
            "del", "di",
        ],
    )
}

/// Whether a dot belongs to an abbreviation: "St.", "Mt.", "A."
fn is_abbreviated(document: &Document<'_>, dot: usize) -> bool {
    let Some(before) = dot.checked_sub(1).map(|before| &document.tokens[before]) else { return false };
    document.glued(dot)
        && before.is_capital()
        && (before.has(Flags::SINGLE)
            || document
                .is_any(dot - 1, words!["st", "mt", "ft", "ste", "dr", "co", "u", "bros", "inc", "corp"]))
}

fn continues(document: &Document<'_>, at: usize, next: usize) -> bool {
    let (first, second) = (&document.tokens[at], &document.tokens[next]);
    if second.has(Flags::GAP.or(Flags::PARAGRAPH)) {
        return false;
    }
    first.line == second.line
}

/// Whether a word can be part of such a name: where everything is in capitals, only words that look
/// like one.
fn fits(document: &Document<'_>, at: usize) -> bool {
    let token = &document.tokens[at];
    if document.is_key(at) {
        return false;
    }
    !token.has(Flags::SHOUTED)
        || token.is(HEADS.or(cues::NAME_FILLER))
        || nameness(document, at).prior >= 0.3
        || token.has(Flags::SINGLE) && !token.word.is_function()
}

/// The name around a head, or around the last of several heads in a row.
pub fn around(document: &Document<'_>, head: usize) -> Named {
    let mut first = left(document, head);
    let end = right(document, head);
    first = particles(document, strip(document, first, head));
    let end = legal_form(document, end);
    let words = (first..end).filter(|at| *at != head);
    let distinct = words.map(|at| distinct(document, at, first)).max().unwrap_or(0);
    Named { tokens: first..end, head, distinct }
}

/// The end with the form of a company in dots behind a comma: ", P.A.", ", P.C.".
fn legal_form(document: &Document<'_>, end: usize) -> usize {
    let sign = |at: usize, sign: u8| document.tokens.get(at).is_some_and(|token| token.is_sign(sign));
    let letter = |at: usize| {
        document.tokens.get(at).is_some_and(|token| token.has(Flags::SINGLE) && token.is_capital())
    };
    let dotted =
        sign(end, b',') && letter(end + 1) && sign(end + 2, b'.') && letter(end + 3) && sign(end + 4, b'.');
    if dotted && document.is(end + 1, "p") { end + 5 } else { end }
}

fn left(document: &Document<'_>, head: usize) -> usize {
    let mut first = head;
    let mut at = head;
    while at > 0 && head - at < MOST && continues(document, at - 1, at) {
        at -= 1;
        let token = &document.tokens[at];
        if token.has(Flags::SENTENCE) && at + 1 < head && document.tokens[at + 1].has(Flags::SENTENCE) {
            break;
        }
        if token.is_capital() && fits(document, at) || token.is_number() && at + 1 == head && token.len() <= 3
        {
            first = at;
        } else if !connects(document, at) && !is_specialty(document, at, head) {
            break;
        }
    }
    first
}

/// Whether a medical word stands between a name and its head on a line in capitals: "DEISBY
/// DIALYSIS CENTER".
fn is_specialty(document: &Document<'_>, at: usize, head: usize) -> bool {
    let named = at > 0
        && document.same_line(at - 1, at)
        && (nameness(document, at - 1).prior >= 0.5 || document.tokens[at - 1].is(cues::NAME_FILLER));
    at + 1 == head
        && document.tokens[at].has(Flags::SHOUTED)
        && document.tokens[at].word.is_medical()
        && named
}

fn right(document: &Document<'_>, head: usize) -> usize {
    let mut end = head + 1;
    let mut at = end;
    let mut joined = false;
    while at < document.tokens.len() && at - head < MOST && continues(document, at - 1, at) {
        let token = &document.tokens[at];
        // "CEDAR BLUFF MIDDLE SCHOOL -- HEALTH ROOM LOG".
        if token.is_sign(b'-') && document.tokens.get(at + 1).is_some_and(|next| next.is_sign(b'-')) {
            break;
        }
        if token.is_capital() {
            // Behind "of" any capital; else only heads, fillers and names.
            let own = joined && fits(document, at)
                || token.is(HEADS.or(cues::NAME_FILLER))
                || nameness(document, at).is_nameable();
            if !own
                || token.word.is_function()
                || token.has(Flags::SENTENCE)
                || token.is(cues::HEADING.or(cues::TITLE)) && !token.is(HEADS)
            {
                break;
            }
            end = at + 1;
        } else if connects(document, at)
            && !token.is_sign(b'.')
            && !document.is(at, "and")
            && !document.is(at, "in")
            && !document.is(at, "am")
        {
            joined |= document.is_any(at, words!["of", "de", "for", "du", "des", "der"]);
        } else {
            break;
        }
        at += 1;
    }
    end
}

const HEADS: Classes =
    cues::INSTITUTION_HEAD.or(cues::SCHOOL_HEAD).or(cues::COMPANY_SUFFIX).or(cues::TEAM_HEAD);

/// The first of the small particles before a name: "van der", "von".
pub fn particles(document: &Document<'_>, first: usize) -> usize {
    let mut start = first;
    // "Al-Haddad" in capitals: a particle and a hyphen.
    if first >= 2
        && document.tokens[first - 1].is_sign(b'-')
        && document.glued(first)
        && document.glued(first - 1)
        && document.tokens[first - 2].is(cues::PARTICLE)
    {
        start -= 2;
    }
    while start > 0 && first - start < 4 {
        let token = &document.tokens[start - 1];
        let family = document.is_any(
            start - 1,
            words![
                "van", "von", "der", "den", "vom", "zu", "ter", "ten", "di", "della", "del", "dos", "da",
                "bin", "ibn", "al", "el", "de", "la", "mac", "le", "du",
            ],
        );
        let weak = document
            .is_any(start - 1, words!["de", "la", "le", "du", "al", "el", "da", "di", "del", "den", "zu"])
            && !document.tokens[start].is(cues::PARTICLE)
            && start == first;
        let small = !token.has(Flags::CAPITAL) || token.has(Flags::SHOUTED);
        if !family
            || !small
            || document.tokens[start].has(Flags::LINE.or(Flags::GAP))
            || weak && token.is(cues::NOBODY)
        {
            break;
        }
        start -= 1;
    }
    start
}

/// Removes what cannot start a name: articles, titles, the first word of a sentence.
fn strip(document: &Document<'_>, mut first: usize, head: usize) -> usize {
    while first < head {
        let token = &document.tokens[first];
        let sign = !token.is_word() && !token.is_number();
        // "The Limes Health Centre" on a line of its own.
        let the =
            document.is(first, "the") && token.is_capital() && !token.has(Flags::SENTENCE.or(Flags::SHOUTED));
        let article = (token.word.is_function() || token.is(cues::NOBODY))
            && !the
            && !fills_line(document, first, head);
        let opener = token.has(Flags::SENTENCE)
            && !fills_line(document, first, head)
            && token.word.is_common()
            // "Three Rivers Medical".
            && !token.is(cues::NAME_FILLER.or(cues::NUMBER))
            && token.word.name_odds() < 0.0
            && first + 1 < head
            && document.tokens[first + 1].is_capital()
            || token.is(cues::KEY_PERSON.or(cues::HEADING))
                && !token.is(cues::NAME_FILLER.or(HEADS))
                && token.word.name_odds() <= 0.0;
        if !(sign || article || opener) {
            break;
        }
        first += 1;
    }
    first
}

/// Whether a name is all of a line or cell, as in a letterhead: it starts there, and behind its head
/// the line ends, a wide gap or a comma comes.
pub fn fills_line(document: &Document<'_>, first: usize, head: usize) -> bool {
    let tokens = &document.tokens;
    tokens[first].has(Flags::LINE)
        && head - first >= 2
        && (first..=head).all(|at| tokens[at].is_capital() || !tokens[at].is_word() || connects(document, at))
        && !tokens[head].has(Flags::SHOUTED)
        && tokens.get(head + 1).is_none_or(|next| next.has(Flags::LINE.or(Flags::GAP)) || next.is_sign(b','))
}

/// How much a word distinguishes a name.
fn distinct(document: &Document<'_>, at: usize, first: usize) -> u8 {
    let token = &document.tokens[at];
    if !token.is_capital() || token.word.is_function() {
        return 0;
    }
    let saint = document
        .is_any(at, words!["st", "saint", "sankt", "santa", "san", "holy", "sacred", "our", "mount", "mt"]);
    let name = nameness(document, at);
    match name.sort {
        _ if saint => 2,
        Sort::Unknown => 2,
        Sort::Medical if name.rule == "sounds medical" => 2,
        _ if token.word.is_eponym()
            && document.tokens.get(at + 1).is_some_and(|next| {
                next.is(cues::EPONYM_HEAD)
                    || document.is_any(
                        at + 1,
                        words!["society", "surgery", "association", "group", "center", "centre"],
                    )
            }) =>
        {
            0
        }
        Sort::Name if name.prior >= 0.3 || token.word.is_city() => 2,
        Sort::Both if !token.is(cues::HEADING) => {
            if name.prior >= 0.5 && at == first {
                2
            } else {
                1
            }
        }
        _ if token.word.is_city()
            && token.word.population() > 20_000
            && !token.word.is_medical()
            && !token.is(cues::HEADING)
            && (!token.word.is_common() || token.word.is_mostly_city()) =>
        {
            2
        }
        _ if token.word.is_medical()
            || token.word.is_heading()
            || token.word.is_ward()
            || token.is(cues::HEADING.or(HEADS).or(cues::ROLE)) =>
        {
            0
        }
        _ if token.word.is_common() && (!token.has(Flags::SENTENCE) || token.has(Flags::LINE)) => 1,
        _ if token.word.is_substance() => 1,
        _ => 0,
    }
}

/// The nearest word before a token on its line or the line before, over an opening bracket or
/// quote.
pub fn before(document: &Document<'_>, first: usize) -> Option<usize> {
    let mut at = first;
    while at > 0 && first - at < 3 {
        at -= 1;
        let token = &document.tokens[at];
        if token.is_word() {
            return (!document.tokens[at + 1].has(Flags::PARAGRAPH.or(Flags::GAP))).then_some(at);
        }
        if !matches!(token.first, b'(' | b'"' | b'\'') {
            return None;
        }
    }
    None
}

/// Whether one of some words is among the few before a token, in the same sentence.
pub fn cue_before(document: &Document<'_>, first: usize, classes: Classes, reach: usize) -> Option<usize> {
    (first.saturating_sub(reach)..first)
        .rev()
        .take_while(|at| !ends(document, *at))
        .find(|at| document.tokens[*at].is(classes))
}

fn ends(document: &Document<'_>, at: usize) -> bool {
    let token = &document.tokens[at];
    token.has(Flags::PARAGRAPH)
        || (token.is_sign(b'.') || token.is_sign(b';'))
            && document.tokens.get(at + 1).is_some_and(|next| next.has(Flags::SENTENCE))
}

/// The longest phrase of the lexicon from a token on that satisfies a condition, with its end.
pub fn longest(
    document: &Document<'_>,
    first: usize,
    accept: impl Fn(Word) -> bool,
) -> Option<(usize, Word)> {
    let token = document.tokens.get(first).filter(|token| token.is_word())?;
    let best = Some((first + 1, token.word)).filter(|(_, word)| accept(*word));
    let phrase = if token.is_capital() { document.phrase_at(first) } else { longest_phrase(document, first) };
    phrase.filter(|(_, word)| accept(*word)).or(best)
}

/// The longest phrase of several words from a token on, with its end.
pub fn longest_phrase(document: &Document<'_>, first: usize) -> Option<(usize, Word)> {
    let token = document.tokens.get(first).filter(|token| token.is_word() && token.word.starts_phrase())?;
    let next = document.tokens.get(first + 1);
    if !next.is_some_and(|next| next.is_word() || next.is_sign(b'-') || next.is_sign(b'.')) {
        return None;
    }
    let mut phrase = lexicon().start_phrase();
    phrase.add(document.slice(token.start..token.end));
    let mut best = None;
    // Over hyphens and dots of abbreviations.
    for at in first + 1..(first + 8).min(document.tokens.len()) {
        let token = &document.tokens[at];
        if token.has(Flags::PARAGRAPH.or(Flags::GAP)) {
            break;
        }
        if !token.is_word() {
            if token.is_sign(b'-') || token.is_sign(b'.') && is_abbreviated(document, at) {
                continue;
            }
            break;
        }
        let known = phrase.push(document.slice(token.start..token.end));
        if known.is_known() {
            best = Some((at + 1, known));
        }
        if !known.starts_phrase() || phrase.words() >= LONGEST_PHRASE {
            break;
        }
    }
    best
}

/// The bytes of a name with a possessive 's that belongs to it: "Brigham's", "Lakeshore Women's".
pub fn with_possessive(document: &Document<'_>, tokens: Range<usize>) -> Range<u32> {
    let mut bytes = document.bytes(tokens.clone());
    let last = tokens.end.checked_sub(1).and_then(|last| document.tokens.get(last));
    if last.is_some_and(|last| last.has(Flags::POSSESSIVE)) {
        let rest = &document.text[bytes.end as usize..];
        let apostrophe = rest.chars().next().map_or(0, char::len_utf8);
        bytes.end += apostrophe as u32 + 1;
    }
    bytes
}

/// The end of a name with a part of its grounds in small letters: "Rehab annex", "Hospital campus".
pub fn annex(document: &Document<'_>, end: usize) -> usize {
    let part = document.is_any(end, words!["annex", "annexe", "campus", "branch", "satellite"])
        && document.same_line(end - 1, end)
        && !document.tokens[end].has(Flags::CAPITAL);
    end + usize::from(part)
}

/// Whether what is behind a name says that a disease, sign or device is named after it. A heading in
/// capitals on the next line says nothing.
pub fn is_eponymous(document: &Document<'_>, tokens: &Range<usize>) -> bool {
    let next = document.tokens.get(tokens.end);
    let shouted = tokens.end > 0 && document.tokens[tokens.end - 1].has(Flags::SHOUTED);
    let head = next.is_some_and(|next| {
        next.is_word()
            && next.is(cues::EPONYM_HEAD)
            && !next.has(Flags::LINE)
            && (shouted || !next.has(Flags::SHOUTED))
    });
    head || super::person::phrase(document, tokens.start, tokens).is_some()
}

/// The first and last token of the capitalized words directly before a token.
pub fn capitals_before(document: &Document<'_>, end: usize, most: usize) -> Option<usize> {
    let mut first = end;
    while first > 0 && end - first < most {
        let token: &Token = &document.tokens[first - 1];
        let sign = (token.is_sign(b'-') || token.is_sign(b'.') && is_abbreviated(document, first - 1))
            && first < end;
        let gap = first < end && document.tokens[first].has(Flags::GAP.or(Flags::LINE));
        if gap || !(token.is_capital() || sign) {
            break;
        }
        first -= 1;
    }
    while first < end && !document.tokens[first].is_capital() {
        first += 1;
    }
    (first < end).then_some(first)
}
