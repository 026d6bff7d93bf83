//! Fields of forms and headers: a key, a colon and a value, several on a line or one per line.

use super::lines::Line;
use crate::cues::{self, Classes};
use crate::token::{Flags, Token};
use std::ops::Range;

/// A key with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The tokens of the key.
    pub key: Range<u32>,
    /// The tokens of the value: up to the next key, a wide gap or the end of the line.
    pub value: Range<u32>,
    /// The classes of the last word of the key that is not "number" or the like.
    pub head: Classes,
    /// The classes of all words of the key.
    pub all: Classes,
    /// Whether the key ends with "number" or the like.
    pub numbered: bool,
}

/// Words of a key.
const MOST_WORDS: usize = 6;
/// Tokens of a value.
const MOST_TOKENS: usize = 40;

/// Finds all fields: at these colons and behind these gaps, by token.
pub fn find(tokens: &[Token], lines: &[Line], marks: &[u32], fields: &mut Vec<Field>) {
    fields.clear();
    // The line of the last mark, and its first field.
    let (mut last, mut first_field) = (None, 0);
    for mark in marks {
        let at = *mark as usize;
        let number = tokens[at].line as usize;
        let (from, end) = (lines[number].first as usize, lines[number].end as usize);
        if last != Some(number) {
            (last, first_field) = (Some(number), fields.len());
        }
        if tokens[at].is_sign(b':') && is_key_colon(tokens, at) {
            add(tokens, lines, number, at, first_field, fields);
        } else if tokens[at].has(Flags::GAP) && at > from {
            add_spaced(tokens, from, at, end, fields);
        }
    }
}

/// Whether a colon can be behind a key: not within a time or an address.
fn is_key_colon(tokens: &[Token], colon: usize) -> bool {
    let before = colon.checked_sub(1).map(|before| &tokens[before]);
    let word =
        before.is_some_and(|token| token.is_word() || matches!(token.first, b')' | b'#' | b'.' | b'*'));
    word && !tokens.get(colon + 1).is_some_and(|next| next.is_sign(b'/'))
}

fn add(
    tokens: &[Token],
    lines: &[Line],
    line: usize,
    colon: usize,
    first_field: usize,
    fields: &mut Vec<Field>,
) {
    let (from, end) = (lines[line].first as usize, lines[line].end as usize);
    let previous = fields.len().checked_sub(1).filter(|last| *last >= first_field);
    let floor = previous.map_or(from, |last| fields[last].value.start as usize);
    let key = key_start(tokens, floor, colon)..colon;
    let before = key.start.checked_sub(1).map(|before| &tokens[before]);
    let chat = before.is_some_and(|token| token.is_sign(b']'));
    let salutation = tokens[from..colon]
        .iter()
        .take(2)
        .any(|token| token.is(cues::BEFORE_PERSON) && token.len() >= 2 && is_greeting(token));
    // "D/W Prof Thanos: SLT": a title makes a name of what is before the colon.
    let last = colon.checked_sub(2).map(|at| &tokens[at]);
    let dotted = last.is_some_and(|last| last.is_sign(b'.') && colon >= 3);
    let title = if dotted { Some(&tokens[colon - 3]) } else { last };
    let titled = tokens[colon - 1].is_capital()
        && title.is_some_and(|title| title.is(cues::TITLE) && title.is_capital() && title.len() <= 4);
    // "before you leave for Gothenburg: he came": a sentence.
    let sentence = tokens[colon - 1].is_capital()
        && tokens[colon - 1].cue.classes == Classes::NONE
        && last.is_some_and(|last| {
            last.is_word() && !last.has(Flags::CAPITAL) && last.word.is_function() && colon >= from + 4
        });
    // "SLP KIRSTEN DYER: FAILED THIN LIQUIDS": a whole name.
    let named = colon >= from + 2
        && last.is_some_and(|first| {
            first.is_capital()
                && first.len() > 2
                && first.word.first_level() >= 8
                && first.word.name_odds() > 1.0
                && first.cue.classes == Classes::NONE
        })
        && tokens[colon - 1].is_capital()
        && tokens[colon - 1].len() > 2
        && tokens[colon - 1].cue.classes == Classes::NONE
        && (tokens[colon - 1].word.is_last_name() || !tokens[colon - 1].word.is_known());
    if chat || salutation || titled || sentence || named {
        return;
    }
    if let Some(last) = previous {
        let value = &mut fields[last].value;
        value.end = value.end.min(key.start as u32).max(value.start);
    }
    let all = tokens[key.clone()].iter().fold(Classes::NONE, |all, token| all.or(token.cue.classes));
    let last = tokens[key.clone()].iter().rposition(|token| token.is_word() || token.is_sign(b'#'));
    let last = last.map(|last| &tokens[key.start + last]);
    let numbered = last.is_some_and(|last| last.is_sign(b'#') || last.is(cues::NUMBER_WORD));
    let head = tokens[key.clone()].iter().rfind(|token| token.is_word() && !token.is(cues::NUMBER_WORD));
    let head = head.map_or(Classes::NONE, |token| token.cue.classes);
    let value = value(tokens, lines, line, colon + 1, end);
    let (key, value) = (key.start as u32..key.end as u32, value.start as u32..value.end as u32);
    fields.push(Field { key, value, head, all, numbered });
}

/// Adds a field whose value stands behind a wide gap instead of a colon: "Patient   TRAN, MAI".
fn add_spaced(tokens: &[Token], from: usize, value: usize, end: usize, fields: &mut Vec<Field>) {
    let mut first = value;
    while first > from && value - first < 3 && !tokens[first].has(Flags::GAP) | (first == value) {
        let token = &tokens[first - 1];
        if !(token.is_word() && token.is(SPACED_KEYS)) {
            break;
        }
        first -= 1;
    }
    let starts = tokens[first].has(Flags::LINE.or(Flags::GAP));
    let after = fields.last().is_none_or(|last| last.value.start as usize <= first);
    if first == value || !starts || !after || tokens[first].is(cues::UNIT) || tokens[value].is_sign(b':') {
        return;
    }
    if let Some(last) = fields.last_mut() {
        last.value.end = last.value.end.min(first as u32).max(last.value.start);
    }
    let classes = |token: &Token| token.cue.classes;
    let all = tokens[first..value].iter().map(classes).fold(Classes::NONE, Classes::or);
    let head = tokens[first..value].iter().rfind(|token| !token.is(cues::NUMBER_WORD));
    let numbered = tokens[value - 1].is(cues::NUMBER_WORD);
    let stop = tokens[value + 1..end].iter().position(|token| token.has(Flags::GAP));
    let stop = stop.map_or(end, |stop| value + 1 + stop).min(value + MOST_TOKENS);
    fields.push(Field {
        key: first as u32..value as u32,
        value: value as u32..stop as u32,
        head: head.map_or(Classes::NONE, classes),
        all,
        numbered,
    });
}

/// Classes of words that are keys without a colon.
const SPACED_KEYS: Classes = cues::KEY_PERSON
    .or(cues::KEY_DATE)
    .or(cues::KEY_RECORD)
    .or(cues::KEY_ACCOUNT)
    .or(cues::KEY_PHONE)
    .or(cues::KEY_LICENCE)
    .or(cues::KEY_DEVICE)
    .or(cues::KEY_NATIONAL)
    .or(cues::KEY_ADDRESS)
    .or(cues::KEY_EMPLOYER)
    .or(cues::KEY_AGE)
    .or(cues::NUMBER_WORD);

/// Whether a word greets: "Dear", "Hi".
fn is_greeting(token: &Token) -> bool {
    token.is(cues::GREETING)
}

/// The first token of a key: as far back as words belong to it.
fn key_start(tokens: &[Token], floor: usize, colon: usize) -> usize {
    let mut at = colon;
    // Leaders: "CITY........:".
    while at > floor + 1 && matches!(tokens[at - 1].first, b'.' | b'_') && !tokens[at - 1].is_word() {
        at -= 1;
    }
    let colon = at;
    while at > floor && colon - at < MOST_WORDS {
        let token = &tokens[at - 1];
        let word = token.is_word() && (token.cue.classes != Classes::NONE || token.word.is_common());
        let sign =
            matches!(token.first, b'/' | b'#' | b'(' | b')' | b'-' | b'.' | b'&' | b'*') && !token.is_word();
        // A sentence before a key is not a part of it: "Seen by Anna Hale. Plan: rest."
        let stop = token.is_sign(b'.') && at < colon && tokens[at].has(Flags::SENTENCE);
        let gap = at < colon && tokens[at].has(Flags::GAP);
        if stop || gap || !(word || sign || at == colon) {
            break;
        }
        at -= 1;
    }
    at
}

/// The tokens of a value: up to a gap or the end of the line; the next line if this one is empty.
fn value(tokens: &[Token], lines: &[Line], line: usize, from: usize, end: usize) -> Range<usize> {
    let end = end.min(from + MOST_TOKENS);
    if from < end {
        let stop = (from + 1..end).find(|at| tokens[*at].has(Flags::GAP) || tokens[*at].is_sign(b'|'));
        return from..stop.unwrap_or(end);
    }
    let next = lines.get(line + 1).filter(|next| !next.paragraph && next.bytes < 60);
    next.map_or(from..from, |next| next.first as usize..next.end as usize)
}
