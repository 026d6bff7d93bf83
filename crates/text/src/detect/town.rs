//! Cities without a state or a preposition: in an address before a postal code, below or behind an
//! institution, in an itinerary, forts, and names of ordinary words behind "near".

use super::names::{Sort, nameness};
use super::organization::is_closed;
use super::{Rules, places};
use crate::candidates::{Candidates, Score};
use crate::cues;
use crate::document::{Document, Run};
use crate::span::Kind;
use crate::token::{Flags, Token};
use crate::words::WordSet;

/// Proposes cities.
pub(super) fn find(document: &Document<'_>, found: &mut Candidates) {
    for run in document.runs_here() {
        let (first, end) = (run.first as usize, run.end as usize);
        let short = end - first <= 4;
        if run.rules.any(Rules::FIRST_WORD) {
            fort(document, run, found);
        }
        if short && run.rules.any(Rules::STAY) {
            stay(document, run, found);
        }
        if short && run.rules.any(Rules::LINE) {
            below(document, run, found);
        }
        if run.rules.any(Rules::TOWN) {
            in_address(document, run, found);
        }
        if run.rules.any(Rules::WHERE) {
            ordinary(document, run, found);
        }
    }
}

/// Whether all words of a run can be part of the name of a city.
fn fits(document: &Document<'_>, first: usize, end: usize) -> bool {
    let other = cues::TITLE
        .or(cues::CREDENTIAL)
        .or(cues::ROLE)
        .or(cues::HEADING)
        .or(cues::MONTH)
        .or(cues::WEEKDAY)
        .or(cues::KEY_PHONE)
        .or(cues::KEY_DATE)
        .or(cues::KEY_RECORD)
        .or(cues::BUILDING_PART)
        .or(cues::RELATIVE)
        .or(cues::CLOSING);
    document.tokens[first..end].iter().all(|token| {
        !token.is_word()
            || !(token.is(other)
                || token.word.is_medical()
                || token.word.is_drug()
                || token.word.is_heading())
            || token.is(cues::NAME_FILLER)
    }) && !(first..end).any(|at| document.is_key(at))
}

/// Behind a street on the same line and before a postal code: "High Parade | Cheltenham | GL50",
/// "Adyar, Chennai - 600 020", "Village Road, Kloof, 3610".
fn in_address(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let tokens = &document.tokens;
    let (first, end) = (run.first as usize, run.end as usize);
    let joined = |at: usize| {
        tokens.get(at).is_some_and(|sign| {
            !sign.is_word()
                && matches!(sign.first, b',' | b'|' | b'-' | b'*' | 0xe2 | 0xc2)
                && !sign.has(Flags::LINE)
        })
    };
    let opened = tokens[first].has(Flags::LINE)
        || first > 0
            && !tokens[first - 1].is_word()
            && matches!(tokens[first - 1].first, b',' | b'|' | b'*' | 0xe2 | 0xc2);
    if !opened {
        return;
    }
    let code = end + usize::from(joined(end));
    let near = |token: &&Token| !token.has(Flags::LINE);
    let Some(next) = tokens.get(code).filter(near) else { return };
    let digits = next.is_number() && matches!(next.len(), 3..=6) && !next.word.is_known();
    let letters = code > end
        && next.is_word()
        && next.has(Flags::UPPER.or(Flags::SINGLE))
        && next.len() <= 2
        && tokens.get(code + 1).is_some_and(|digit| digit.is_number() && document.glued(code + 1));
    if !(digits && next.has(Flags::SPACE) || letters) || end - first > 4 || !fits(document, first, end) {
        return;
    }
    let line = tokens[first].line;
    let address =
        (first.saturating_sub(14)..first).rev().take_while(|at| tokens[*at].line == line).any(|at| {
            tokens[at].is(cues::STREET_SUFFIX.or(cues::BUILDING_PART)) && tokens[at].is_capital()
                || tokens[at].is(cues::STREET_PREFIX)
                || document.is_any(at, super::address::ENDINGS)
        });
    let phone = tokens[end..code].iter().any(|sign| sign.is_sign(b'-'))
        && next.len() == 3
        && !tokens.get(code + 1).is_some_and(|more| more.is_number() && more.len() == 3);
    if address && !phone && nameness(document, first).sort != Sort::Acronym {
        let score = Score::new("before a postal code", document.bytes(end..code + 1), 0.82);
        found.add("city", Kind::City, document.bytes(first..end), &score);
    }
}

/// "Nairobi 3 nights", "Hanoi x 2 weeks": a city of the gazetteer or a name with a stay behind.
fn stay(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let tokens = &document.tokens;
    let (first, end) = (run.first as usize, run.end as usize);
    if !tokens[first].has(Flags::SENTENCE.or(Flags::LINE)) {
        return;
    }
    let times = usize::from(document.is_any(end, TIMES));
    let number = end + times;
    let stays = words!["nights", "night", "days", "weeks", "week", "months", "wks", "nts"];
    let counted = tokens.get(number).is_some_and(|token| token.is_number() && token.len() <= 2)
        && document.is_any(number + 1, stays);
    let night = document.is_any(number + 1, words!["nights", "night", "nts"]);
    let known = tokens[first].word.is_city() && !tokens[first].word.is_common()
        || places::longest(document, first, |word| word.is_city()).is_some_and(|(to, _)| to > first + 1);
    if counted && fits(document, first, end) && (known || night && nameness(document, first).prior >= 0.5) {
        let score = Score::new("stay", document.bytes(number..number + 2), 0.78);
        found.add("city", Kind::City, document.bytes(first..end), &score);
    }
}

/// Alone on the line below an institution or street: "Glangwyn District Hospital / Carmarthen".
fn below(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let tokens = &document.tokens;
    let (first, end) = (run.first as usize, run.end as usize);
    let number = tokens[first].line as usize;
    let Some(line) = document.lines.get(number) else { return };
    if number == 0 || line.first as usize != first || line.paragraph || line.end as usize > end + 1 {
        return;
    }
    let above = &document.lines[number - 1];
    let (from, to) = (above.first as usize, above.end as usize);
    let last = to - 1;
    let head = tokens[last].is_capital()
        && tokens[last].is(cues::INSTITUTION_HEAD.or(cues::SCHOOL_HEAD))
        && to - from >= 2
        && to - from <= 9
        && (from..to).all(|at| tokens[at].is_capital() || !tokens[at].has(Flags::CAPITAL));
    let likely = tokens[first].word.is_city() || (first..end).any(|at| nameness(document, at).prior >= 0.5);
    if head && likely && fits(document, first, end) && !tokens[first].has(Flags::SHOUTED) {
        let score = Score::new("below an institution", document.bytes(from..to), 0.76);
        found.add("city", Kind::City, document.bytes(first..end), &score);
    }
}

/// Words in capitals behind "near" or "outside", or behind a preposition and where somebody lives:
/// "without running water near Many Farms".
fn ordinary(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let tokens = &document.tokens;
    let (first, end) = (run.first as usize, run.end as usize);
    if end - first < 2 || end - first > 3 {
        return;
    }
    let word = first - 1;
    if tokens[first].has(Flags::GAP.or(Flags::PARAGRAPH)) || !WHERE.may_have(tokens[word].hash) {
        return;
    }
    let near = document.is_any(word, words!["near", "nr", "outside"]);
    let living = document.is_any(word, words!["in", "from", "at"])
        && places::cue_before(document, word, cues::LIVING, 4).is_some();
    let plain = (first..end).all(|at| {
        tokens[at].is_capital()
            && !tokens[at].has(Flags::UPPER.or(Flags::SHOUTED))
            && !tokens[at].is(cues::STREET_SUFFIX)
    });
    if (near || living) && plain && is_closed(document, end) && fits(document, first, end) {
        let score = Score::new("place of ordinary words", document.bytes(word..first), 0.7);
        found.add("city", Kind::City, document.bytes(first..end), &score);
    }
}

pub(super) const WHERE: WordSet = words!["near", "nr", "outside", "in", "from", "at"];

/// "Fort Riley", "Camp Pendleton", "RAF Marham", "CFB Petawawa".
fn fort(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let tokens = &document.tokens;
    let (first, end) = (run.first as usize, run.end as usize);
    if end - first < 2 || end - first > 3 || !FORTS.may_have(tokens[first].hash) {
        return;
    }
    let next = nameness(document, first + 1);
    let named = next.prior >= 0.3 || tokens[first + 1].word.is_city();
    if document.is_any(first, FORTS) && named && fits(document, first + 1, end) {
        let score = Score::new("fort", document.bytes(first..first + 1), 0.94);
        found.add("city", Kind::City, document.bytes(first..end), &score);
    }
}

pub(super) const TIMES: WordSet = words!["x", "for"];

pub(super) const FORTS: WordSet =
    words!["fort", "ft", "camp", "raf", "cfb", "hmas", "hms", "uss", "rnas", "afb"];
