//! Letterheads: the name of an institution or firm in the first lines of a document, alone, in
//! capitals, or with a department or the name of the document behind it.

use super::names::nameness;
use super::tails::{DEPARTMENTS, FIRSTS, LEGAL, PAIRED, PAPERS, STRONG, WEAK};
use crate::candidates::{Candidates, Score};
use crate::cues;
use crate::document::Document;
use crate::span::Kind;
use crate::token::{Flags, Token};
use crate::words::WordSet;

/// Last words of a letterhead beside those of other names.
const LAST: WordSet = words![
    "program",
    "programme",
    "registry",
    "midwifery",
    "police",
    "constabulary",
    "ems",
    "flight",
    "surgeons",
    "branch",
    "campus",
    "solicitors",
    "chambers",
    "schools",
    "district",
];

/// Words that are short for a hospital at the end of its name.
const SHORT: WordSet = words![
    "regional",
    "memorial",
    "general",
    "baptist",
    "methodist",
    "presbyterian",
    "deaconess",
    "lutheran",
    "adventist",
    "royal",
    "mercy",
    "university",
    "county",
];

/// Proposes the names in the first three lines.
pub(super) fn find(document: &Document<'_>, found: &mut Candidates) {
    for number in document.line_numbers_here().take_while(|number| *number < 3) {
        let line = &document.lines[number];
        let (first, stop) = (line.first as usize, line.end as usize);
        if first < stop && document.tokens[first].is_capital() {
            named(document, first, stop, found);
            seated(document, first, stop, found);
            firm(document, first, stop, found);
        }
    }
}

/// A dash of any length with a blank before it.
fn is_dash(token: &Token) -> bool {
    (token.is_sign(b'-') || token.first == 0xe2 && !token.is_word()) && token.has(Flags::SPACE)
}

/// The end of the capitalized words of the first cell of a line, small words between them included.
fn name_end(document: &Document<'_>, first: usize, stop: usize) -> usize {
    let tokens = &document.tokens;
    let small =
        words!["at", "of", "the", "and", "for", "on", "de", "du", "la", "des", "dentaire", "visuelle"];
    let mut end = first;
    while end < stop.min(first + 9) {
        let token = &tokens[end];
        let sign = matches!(token.first, b'&' | b'-' | b'\'' | 0xe2) && !token.is_word();
        let inner = end > first && (sign || document.is_any(end, small));
        if end > first && (token.has(Flags::GAP) || is_dash(token)) || !(token.is_capital() || inner) {
            break;
        }
        end += 1;
    }
    while end > first && !tokens[end - 1].is_capital() {
        end -= 1;
    }
    end
}

/// Whether a word of a letterhead says which institution it is.
fn is_own(document: &Document<'_>, at: usize) -> bool {
    let token = &document.tokens[at];
    let word = token.word;
    let other = cues::INSTITUTION_HEAD.or(cues::HEADING).or(cues::WARD_HEAD).or(cues::ROLE).or(cues::NOBODY);
    token.is_capital()
        && token.len() > 2
        && !(token.has(Flags::UPPER) && !token.has(Flags::SHOUTED) && token.len() <= 4)
        && !(word.is_medical() || word.is_heading() || word.is_ward() || word.is_function())
        && !token.is(other.or(cues::SCHOOL_HEAD))
        && !document.is_any(at, DEPARTMENTS)
        && !(document.is_any(at, FIRSTS) || document.is_any(at, PAIRED) || document.is_any(at, WEAK))
}

/// "PRAIRIE LAKES IMAGING ASSOCIATES", "HARBORVIEW METHODIST", "Iron Range OccuHealth", "Pine Hills
/// Family Practice – Schedule".
fn named(document: &Document<'_>, first: usize, stop: usize, found: &mut Candidates) {
    let tokens = &document.tokens;
    let end = name_end(document, first, stop);
    let words = (first..end).filter(|at| tokens[*at].is_word()).count();
    if !(2..=7).contains(&words) || tokens[first].is(cues::NOBODY.or(cues::GREETING)) {
        return;
    }
    let last = end - 1;
    let legal = document.is_any(last, LEGAL);
    let branch = document.is_any(last, words!["branch", "campus"]);
    let closed = tokens.get(end).is_none_or(|next| {
        next.has(Flags::LINE.or(Flags::GAP))
            || matches!(next.first, b',' | b'|' | b'(' | b':') && !next.is_word()
            || is_dash(next)
            || (legal || branch) && next.is_word()
    });
    if !closed {
        return;
    }
    let joined = tokens[last].has(Flags::MIXED) && tokens[last].len() > 5 && !tokens[last].word.is_known();
    let heads = cues::INSTITUTION_HEAD.or(cues::SCHOOL_HEAD);
    let head = |at: usize| tokens[at].is(heads) || document.is_any(at, STRONG);
    // "Smiles on Delaware - Dr. Rupal Amin".
    let led = (end..end + 3)
        .any(|at| tokens.get(at).is_some_and(|title| title.is(cues::TITLE) && !title.has(Flags::LINE)));
    let on = led && (first + 1..last).any(|at| document.is_any(at, words!["on", "at"]));
    let at_end = legal
        || on
        || joined
        || document.is_any(last, LAST)
        || document.is_any(last, WEAK)
        || document.is_any(last, PAIRED)
        || tokens[first].first == b'C' && document.is_any(first, words!["clinique", "centre"]);
    let head = if at_end { Some(last) } else { (first + 1..end).rev().find(|at| head(*at)) };
    let short = document.is_any(last, SHORT);
    if head.is_none() && !short || (first..end).any(|at| document.is_any(at, PAPERS)) {
        return;
    }
    let to = head.unwrap_or(last).max(first + 1);
    // A head within a line of capitals: "DEVICE CLINIC REMOTE TRANSMISSION".
    let own = on && !document.is_any(first, DEPARTMENTS)
        || (first..to).any(|at| is_own(document, at))
        || tokens[first].is(cues::INSTITUTION_HEAD) && (first + 1..end).any(|at| is_own(document, at));
    if own {
        let certainty = match () {
            _ if branch => 0.93,
            _ if head.is_some() => 0.8,
            _ => 0.74,
        };
        let score = Score::new("letterhead", document.bytes(first..end), certainty);
        found.add("institution", Kind::Institution, document.bytes(first..end), &score);
    }
}

/// A hospital that is named after its town: "GENERAL HOSPITAL, EDE-OBI".
fn seated(document: &Document<'_>, first: usize, stop: usize, found: &mut Candidates) {
    let tokens = &document.tokens;
    let kinds = words![
        "general",
        "district",
        "state",
        "university",
        "mission",
        "county",
        "provincial",
        "regional",
        "cottage",
        "base",
        "community",
        "teaching",
        "specialist",
        "national",
        "civil",
        "government",
    ];
    let head = (first..stop.min(first + 4)).find(|at| {
        tokens[*at].is(cues::INSTITUTION_HEAD.or(cues::SCHOOL_HEAD))
            && document.is_any(*at, words!["hospital", "clinic", "infirmary", "hospice", "polyclinic"])
    });
    let Some(comma) = head.map(|head| head + 1).filter(|comma| {
        *comma < stop
            && tokens[*comma].is_sign(b',')
            && (first..comma - 1).all(|at| document.is_any(at, kinds))
    }) else {
        return;
    };
    let mut end = comma + 1;
    while end < stop.min(comma + 6)
        && (tokens[end].is_capital() || tokens[end].is_sign(b'-'))
        && !tokens[end].has(Flags::GAP)
        && !(tokens[end].word.is_medical() || tokens[end].word.is_heading() || tokens[end].word.is_ward())
    {
        end += 1;
    }
    let closed =
        end == stop || tokens[end].has(Flags::GAP) || matches!(tokens[end].first, b',' | b'.' | b'|');
    if end > comma + 1 && closed {
        let score = Score::new("letterhead", document.bytes(first..comma), 0.82);
        found.add("institution", Kind::Institution, document.bytes(first..end), &score);
    }
}

/// A firm with the names of its partners: "ABERNATHY, COLE & WIRTH, LLP".
fn firm(document: &Document<'_>, first: usize, stop: usize, found: &mut Candidates) {
    let tokens = &document.tokens;
    let end = (first..stop.min(first + 12))
        .find(|at| tokens[*at].is_capital() && tokens[*at].len() <= 4 && document.is_any(*at, LEGAL))
        .map_or(first, |at| at + 1);
    let part = |at: usize| {
        tokens[at].is_capital()
            || matches!(tokens[at].first, b',' | b'&' | b'-' | b'\'' | b'.')
            || document.is(at, "and")
    };
    let closed = end == stop || end < stop && !tokens[end].is_word();
    if end < first + 3 || !closed || !(first..end).all(part) {
        return;
    }
    if (first..end - 1).any(|at| tokens[at].is_capital() && nameness(document, at).prior >= 0.3) {
        let score = Score::new("letterhead of a firm", document.bytes(end - 1..end), 0.95);
        found.add("institution", Kind::Employer, document.bytes(first..end), &score);
    }
}
