//! Numbers of records, cases, specimens and orders: by their key, or long codes that nothing
//! else explains.

use super::number::{self, keyed};
use super::{Detector, Rules};
use crate::candidates::{Candidates, Score};
use crate::cues;
use crate::document::{Code, Document};
use crate::span::Kind;
use crate::token::Flags;

/// Finds numbers of records.
pub struct Record;

keyed!(Record, "record", RecordNumber, KEY_RECORD, 3, 0.93, 0.72);

impl Detector for Record {
    fn name(&self) -> &'static str {
        "record"
    }

    fn detect(&self, document: &Document<'_>, found: &mut Candidates) {
        KEYED.detect(document, found);
        if document.is_last_window() {
            spoken(document, found);
            spaced(document, found);
        }
        for at in document.code_places_here() {
            let code = &document.codes[at];
            if code.rules.any(Rules::RECORD) {
                unexplained(document, at, found);
            }
            if code.rules.any(Rules::SIGNED) {
                signed(document, code, found);
            }
        }
    }
}

/// Digits in words, as in a dictation: "four four one seven two nine".
fn spoken(document: &Document<'_>, found: &mut Candidates) {
    let digit = |at: usize| {
        document.tokens.get(at).is_some_and(|token| {
            token.is(cues::NUMBER) && token.cue.value < 10 || document.is_any(at, words!["zero", "oh"])
        })
    };
    let mut end = 0;
    for at in &document.times {
        let first = *at as usize;
        if first < end || !digit(first) {
            continue;
        }
        end = first + 1;
        while end < first + 24 && digit(end) {
            end += 1;
        }
        if end - first >= 4 {
            let score = Score::new("digits in words", document.bytes(first..end), 0.82);
            found.add("record", Kind::RecordNumber, document.bytes(first..end), &score);
        }
    }
}

/// Single digits with blanks between them, as in a dictation: "7 7 1 0 4 3".
fn spaced(document: &Document<'_>, found: &mut Candidates) {
    let single = |code: &Code| code.digits == 1 && code.letters == 0 && code.end - code.first == 1;
    let mut at = 0;
    while at < document.codes.len() {
        let end = number::series(document, at, 24);
        let count = document.codes[at..end].iter().take_while(|code| single(code)).count();
        if count >= 5 {
            let (first, last) =
                (document.codes[at].first as usize, document.codes[at + count - 1].end as usize);
            let score = Score::new("digits one by one", document.bytes(first..last), 0.82);
            found.add("record", Kind::RecordNumber, document.bytes(first..last), &score);
        }
        at += count.max(1);
    }
}

/// A long code without a key: nobody measures six digits in a row.
fn unexplained(document: &Document<'_>, at: usize, found: &mut Candidates) {
    let code = &document.codes[at];
    let (first, end) = (code.first as usize, code.end as usize);
    // "number h22 4190": two groups behind "number".
    let grouped = code.numbered && code.digits >= 2 && {
        let tokens = number::extended(document, at);
        tokens.end > end
            && !number::is_measured(document, tokens.end)
            && document.tokens[tokens]
                .iter()
                .filter(|token| token.is_number())
                .map(|t| t.len())
                .sum::<usize>()
                >= 6
    };
    if code.digits < 5 && !grouped
        || number::is_pair(document, code)
        || number::is_shift(document, code)
        || number::is_range(document, code)
        || number::is_medical_code(document, code)
        || number::is_measured(document, end)
        || code.is_date_like
    {
        return;
    }
    // Pregnancies and births: "G3P2002".
    let births = code.letters == 2 && document.is(first, "g") && code.end - code.first == 4;
    if births {
        return;
    }
    let decimal = document.tokens[first..end].iter().any(|token| token.is_sign(b'.')) && code.letters == 0;
    let amount = first > 0 && matches!(document.tokens[first - 1].first, b'$' | b',' | b'<' | b'>');
    let base = match (code.digits, code.letters) {
        _ if decimal || amount => 0.3,
        (5, 0) => 0.45,
        (5, _) => 0.72,
        (6, 0) => 0.66,
        (6, _) => 0.8,
        _ => 0.82,
    };
    let mut score = Score::new("long code", document.bytes(first..end), base);
    if code.numbered {
        score.raise("number", document.bytes(code.key_at as usize..first), 0.6);
    }
    found.add("record", Kind::RecordNumber, document.bytes(number::extended(document, at)), &score);
}

/// A number behind a name with a degree, as under a letter: "Patrick Hayes, M.D. 34764".
fn signed(document: &Document<'_>, code: &Code, found: &mut Candidates) {
    let first = code.first as usize;
    let before = (first.saturating_sub(5)..first).rev().map(|at| &document.tokens[at]);
    let degree = before
        .take_while(|token| token.line == document.tokens[first].line && !token.is_number())
        .find(|token| token.is_word());
    let long = code.digits >= 4
        && code.letters <= 2
        && !number::is_pair(document, code)
        && !number::is_measured(document, code.end as usize);
    let Some(degree) = degree.filter(|_| long && !code.is_date_like) else { return };
    let spelled = degree.has(Flags::SINGLE) && matches!(degree.first, b'D' | b'N' | b'O');
    if degree.has(Flags::CAPITAL) && (degree.is(cues::CREDENTIAL) || spelled) {
        let score = Score::new("behind a degree", degree.start..degree.end, 0.8);
        found.add("record", Kind::Licence, document.bytes(first..code.end as usize), &score);
    }
}
