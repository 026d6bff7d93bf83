//! Wards and other parts of a hospital with a number or a name: "Ward 9 West", "Station 4B".

use super::Detector;
use super::names::nameness;
use crate::candidates::{Candidates, Score};
use crate::cues;
use crate::document::{Document, Field};
use crate::span::Kind;
use crate::token::{Flags, Token};

/// Finds wards.
pub struct Ward;

impl Detector for Ward {
    fn name(&self) -> &'static str {
        "ward"
    }

    fn detect(&self, document: &Document<'_>, found: &mut Candidates) {
        for field in document.fields_here() {
            in_field(document, field, found);
        }
        for cue in document.heads_here() {
            let at = *cue as usize;
            if document.tokens[at].is(cues::WARD_HEAD) {
                numbered(document, at, found);
                named(document, at, found);
            }
            if document.tokens[at].is(cues::DIRECTION) && document.tokens[at].len() > 3 {
                direction(document, at, found);
            }
        }
    }
}

/// The value of "Ward:" or "Room:": a few words in capitals and numbers.
fn in_field(document: &Document<'_>, field: &Field, found: &mut Candidates) {
    let tokens = &document.tokens;
    let (first, end) = (field.value.start as usize, field.value.end as usize);
    let key = field.key.end.saturating_sub(1) as usize;
    if !document.is_any(key, words!["ward", "room", "unit", "bay"]) || first >= end || end - first > 4 {
        return;
    }
    let fits = tokens[first..end].iter().all(|token| {
        token.is_capital()
            || token.is_number() && token.len() <= 3
            || token.is_sign(b'-')
            || token.is_sign(b'/')
    });
    let named =
        tokens[first].is_capital() && !tokens[first].word.is_function() && !tokens[first].has(Flags::LINE);
    if fits && named && !document.is_any(first, words!["none", "unknown", "n", "tbc"]) {
        let score = Score::new("key of a ward", document.bytes(key..key + 1), 0.76);
        found.add("ward", Kind::Ward, document.bytes(first..end), &score);
    }
}

/// Kinds of units.
const KINDS: crate::words::WordSet = words![
    "trauma",
    "burn",
    "burns",
    "cardiac",
    "surgical",
    "medical",
    "stroke",
    "neuro",
    "ortho",
    "renal",
    "adult",
    "acute",
    "oncology",
    "respiratory",
    "rehab",
];

/// Units of intensive care.
const INTENSIVE: crate::words::WordSet = words![
    "icu", "micu", "sicu", "nicu", "picu", "ccu", "pacu", "cticu", "cvicu", "nsicu", "csicu", "ticu", "bicu",
    "itu", "hdu",
];

/// A head with a number or letter behind it, and a direction behind that.
fn numbered(document: &Document<'_>, head: usize, found: &mut Candidates) {
    let tokens = &document.tokens;
    let colon = usize::from(tokens.get(head + 1).is_some_and(|token| token.is_sign(b':')));
    let mut end = head + 1 + colon;
    let near = |token: &Token| !token.has(Flags::LINE.or(Flags::GAP));
    // "CTICU-2", "SICU East".
    let intensive = document.is_any(head, INTENSIVE) && tokens[head].has(Flags::UPPER);
    let dash = intensive
        && tokens.get(end).is_some_and(|sign| sign.is_sign(b'-') && document.glued(end))
        && tokens.get(end + 1).is_some_and(|number| number.is_number() && document.glued(end + 1));
    end += usize::from(dash);
    let Some(first) = tokens.get(end).filter(|token| near(token)) else { return };
    if intensive && first.is(cues::DIRECTION) && first.is_capital() && first.len() > 3 {
        let score = Score::new("unit with a direction", document.bytes(head..end + 1), 0.8);
        found.add("ward", Kind::Ward, document.bytes(head..end + 1), &score);
        return;
    }
    let number = first.is_number() && first.len() <= 3;
    let letter = first.is_capital() && first.len() <= 2 && !first.word.is_function();
    if !(number || letter) || super::number::is_measured(document, end + 1) {
        return;
    }
    let start = if colon > 0 { end } else { head };
    end += 1;
    while end < head + 6
        && tokens.get(end).is_some_and(|token| {
            !token.has(Flags::SPACE)
                && (token.is_number() || token.is_word() && token.len() <= 2 || token.is_sign(b'-'))
        })
    {
        end += 1;
    }
    while tokens[end - 1].is_sign(b'-') {
        end -= 1;
    }
    if tokens.get(end).is_some_and(|token| near(token) && token.is_capital() && token.is(cues::DIRECTION)) {
        end += 1;
    }
    let strong = document
        .is_any(head, words!["ward", "station", "wing", "pavilion", "tower", "annex", "annexe", "pod"]);
    let capital = tokens[head].has(Flags::CAPITAL);
    // "station 0" of a head in labour, "POD 2" behind an operation.
    let other = document.is(head, "station") && !capital && number
        || document.is(head, "pod") && tokens[head].has(Flags::UPPER) && !tokens[head].has(Flags::SHOUTED);
    if other {
        return;
    }
    let own = |at: usize| {
        let token = &tokens[at];
        token.is_capital()
            && (token.word.is_ward() || token.word.is_medical() || document.is_any(at, KINDS))
            && !document.is_key(at)
    };
    let unit = colon == 0 && capital && document.is_any(head, words!["unit", "stepdown", "telemetry"]);
    let wide = match unit && head > 0 && near(&tokens[head]) && own(head - 1) {
        true => head - 1,
        false => head,
    };
    let start = if colon > 0 { start } else { wide };
    let certainty = match () {
        _ if strong && capital || dash => 0.85,
        _ if strong => 0.74,
        // "bed C-14".
        _ if document.is(head, "bed") && letter && end > head + 2 => 0.74,
        // "Trauma Stepdown 7B", "Burn Unit 3".
        _ if wide < head => 0.76,
        _ if document.is(head, "unit") && capital && colon == 0 => 0.5,
        _ => 0.42,
    };
    let score = Score::new("ward with a number", document.bytes(head..end), certainty);
    found.add("ward", Kind::Ward, document.bytes(start..end), &score);
}

/// A floor with a direction: "on 6 North", "from 9 East".
fn direction(document: &Document<'_>, at: usize, found: &mut Candidates) {
    let tokens = &document.tokens;
    let Some(number) =
        at.checked_sub(1).filter(|number| tokens[*number].is_number() && tokens[*number].len() <= 2)
    else {
        return;
    };
    let preposition = super::places::before(document, number).filter(|word| {
        document.is_any(*word, words!["on", "from", "to", "in", "at", "floor", "unit", "covering"])
    });
    let ends = tokens.get(at + 1).is_none_or(|next| next.has(Flags::LINE) || next.is_sign(b'|'));
    // "6 NORTH – NIGHT → DAY" at the top.
    let heading = tokens[number].has(Flags::LINE)
        && tokens[number].line < 2
        && tokens.get(at + 1).is_some_and(|next| {
            !next.is_word() && (next.is_sign(b'-') || next.first == 0xe2) || next.has(Flags::GAP)
        });
    let preposition = preposition
        .or(heading.then_some(number))
        .or((ends && !tokens[number].has(Flags::LINE)).then_some(number));
    let last =
        tokens.get(at + 1).is_none_or(|next| !next.is_capital() || next.has(Flags::LINE.or(Flags::SHOUTED)));
    if let Some(word) = preposition.filter(|_| last) {
        let score = Score::new("floor with a direction", document.bytes(word..word + 1), 0.8);
        found.add("ward", Kind::Ward, document.bytes(number..at + 1), &score);
    }
}

/// A capitalized name before a head: "Nightingale Ward".
fn named(document: &Document<'_>, head: usize, found: &mut Candidates) {
    let tokens = &document.tokens;
    if !document.is_any(head, words!["ward", "wing", "pavilion", "tower", "unit", "suite"]) || head == 0 {
        return;
    }
    // "Makaha 2nd Ward", of a church.
    let ordinal = head >= 3
        && tokens[head].is_capital()
        && document.is_any(head - 1, words!["st", "nd", "rd", "th"])
        && tokens[head - 2].is_number()
        && document.glued(head - 1)
        && document.same_line(head - 3, head);
    if ordinal && tokens[head - 3].is_capital() && nameness(document, head - 3).prior >= 0.3 {
        let score = Score::new("ward of a church", document.bytes(head - 2..head + 1), 0.8);
        found.add("ward", Kind::Ward, document.bytes(head - 3..head + 1), &score);
        return;
    }
    let Some(first) = super::places::capitals_before(document, head, 3) else { return };
    let first = (first..head)
        .find(|at| !tokens[*at].word.is_function() && !tokens[*at].is(cues::NOBODY))
        .unwrap_or(head);
    let best = (first..head).map(|at| nameness(document, at)).map(|name| name.prior).fold(0.0f32, f32::max);
    let joined = tokens[head].has(Flags::SPACE) && !tokens[head].has(Flags::LINE.or(Flags::GAP));
    let certainty = match tokens[head].has(Flags::CAPITAL) {
        true if best >= 0.5 => 0.85,
        false if best >= 0.6 && document.is_any(head, words!["ward", "wing", "pavilion"]) => 0.76,
        _ => return,
    };
    if joined && first < head {
        let score = Score::new("name of a ward", document.bytes(first..head + 1), certainty);
        found.add("ward", Kind::Ward, document.bytes(first..head + 1), &score);
    }
}
