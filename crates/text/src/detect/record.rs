//! Numbers of records, cases, specimens and orders: by their key, or long codes that nothing
//! else explains.

use std::ops::Range;

use super::number::{self, keyed};
use super::{Detector, Rules};
use crate::candidates::{Candidates, Score};
use crate::cues::{self, Classes};
use crate::document::{Code, Document};
use crate::span::Kind;
use crate::token::Flags;
use crate::words::WordSet;

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
            if code.rules.any(Rules::LABELLED) {
                labelled(document, at, found);
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
    let sign = first.checked_sub(1).map_or(0, |before| document.tokens[before].first);
    let amount = matches!(sign, b'$' | b'<' | b'>') || sign == b',' && document.glued(first);
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

/// Things that have a number of their own, beside the keys of forms.
pub(super) const THINGS: WordSet = words![
    "sheet",
    "form",
    "folder",
    "slip",
    "label",
    "labels",
    "sticker",
    "stickers",
    "docket",
    "bag",
    "seal",
    "portal",
    "wristband",
    "logbook",
    "envelope",
    "locker",
    "exhibit",
    "warrant",
    "cassette",
    "container",
    "pot",
    "jar",
    "block",
    "consignment",
    "parcel",
    "parking",
    "library",
    "membership",
    "token",
    "voucher",
    "queue",
];

/// Whether [`labelled`] can propose a code, by what is directly around it.
pub(super) fn is_labelled(document: &Document<'_>, code: &Code, upper: bool) -> bool {
    let (first, end) = (code.first as usize, code.end as usize);
    let tokens = &document.tokens;
    let apart = Flags::GAP.or(Flags::LINE);
    let lettered = code.letters > 0 || upper;
    let signed = |at: usize| {
        let token = &tokens[at];
        match token.first {
            b'#' => true,
            b':' | b'.' if !token.is_word() => {
                code.numbered
                    || code.digits >= 3
                        && at > 0
                        && (tokens[at - 1].has(Flags::UPPER)
                            || tokens[at - 1].cue.sets().any(cues::Sets::THING))
            }
            b'|' => lettered,
            _ => {
                token.is(cues::NUMBER_WORD)
                    || token.cue.sets().any(cues::Sets::THING)
                    || lettered && token.has(apart)
            }
        }
    };
    // A word in capitals can belong to the number.
    lettered && tokens[first].has(apart)
        || first > 0 && signed(first - 1)
        || upper && first > 1 && signed(first - 2)
        || code.letters > 0 && tokens.get(end).is_some_and(|next| next.is_sign(b':'))
}

/// A number that no key explains, but its layout or the word before it: "Prison no. A4471DK",
/// "#HSP-2290", "property sheet 44102", "(SP24:11902)", "PT 66120" in a cell of its own.
fn labelled(document: &Document<'_>, at: usize, found: &mut Candidates) {
    let code = &document.codes[at];
    let (first, end) = (code.first as usize, code.end as usize);
    let tokens = &document.tokens;
    let upper = first > 0 && tokens[first - 1].has(Flags::UPPER);
    if code.digits < 2
        || !is_labelled(document, code, upper)
        || code.is_date_like
        || number::is_pair(document, code)
        || number::is_measured(document, end)
        || number::is_medical_code(document, code)
        || number::is_shift(document, code)
    {
        return;
    }
    let mut propose = |tokens: Range<usize>, rule: &'static str, certainty: f32| {
        let score = Score::new(rule, document.bytes(tokens.clone()), certainty);
        found.add("record", Kind::RecordNumber, document.bytes(tokens), &score);
    };
    // Laboratories number by year: "SP24:11902".
    let colon = tokens.get(end).is_some_and(|sign| sign.is_sign(b':')) && document.glued(end);
    if colon && code.letters >= 1 && code.letters <= 3 && code.digits == 2 && number::is_upper(document, code)
    {
        let serial = document.codes.get(at + 1).filter(|next| next.first as usize == end + 1);
        if let Some(serial) =
            serial.filter(|next| document.glued(end + 1) && next.digits >= 3 && next.letters <= 2)
        {
            propose(first..serial.end as usize, "number of a year", 0.86);
            return;
        }
    }
    let mut whole = number::extended(document, at);
    // "PT 66120" in a cell: a word that is a key elsewhere.
    let head = number::headed(document, at).unwrap_or(whole.start);
    let key = cues::KEY_RECORD
        .or(cues::KEY_NATIONAL)
        .or(cues::KEY_LICENCE)
        .or(cues::NUMBER_WORD)
        .or(cues::KEY_DATE);
    let free = document.is(head, "pt") || !tokens[head].is(key.or(cues::KEY_ACCOUNT).or(cues::KEY_DEVICE));
    let headed = head < whole.start && free && tokens[head].has(Flags::GAP.or(Flags::LINE));
    if headed {
        whole.start = head;
    }
    let bare = document.tokens[whole.clone()].iter().all(|token| !token.is_word());
    let digits: usize =
        document.tokens[whole.clone()].iter().filter(|t| t.is_number()).map(|t| t.len()).sum();
    let letters = code.letters as usize + if whole.start < first { tokens[whole.start].len() } else { 0 };
    let previous = whole.start.checked_sub(1);
    let other = number::keys(code).0.any(PLACES);
    let upper = number::is_upper(document, code);
    // "#HSP-2290", "Prison no. A4471DK", "Tx no. LTX 7731".
    let dot = usize::from(previous.is_some_and(|at| tokens[at].is_sign(b'.') || tokens[at].is_sign(b':')));
    let number_word = whole.start.checked_sub(1 + dot).is_some_and(|word| {
        (tokens[word].is_sign(b'#') || tokens[word].is(cues::NUMBER_WORD)) && document.same_line(word, first)
    });
    if number_word
        && !other
        && upper
        && letters > 0
        && letters + digits >= 5
        && digits >= 2
        && !is_size(document, code)
    {
        propose(whole, "behind \"number\"", 0.76);
        return;
    }
    if number_word && !other && bare && digits >= 4 && whole.len() == 1 && !is_year(document, code) {
        propose(whole, "behind \"number\"", 0.66);
        return;
    }
    // "property sheet 44102", "Labels 7731 904".
    let thing = previous.is_some_and(|word| document.is_any(word - dot.min(word), THINGS));
    if thing && letters + digits >= 5 && digits >= 4 && upper && !is_year(document, code) {
        propose(whole, "number of a thing", 0.72);
        return;
    }
    if cell(document, whole.clone())
        && letters > 0
        && letters <= 5
        && digits >= 4
        && upper
        && !is_lab(document, whole.start)
    {
        propose(whole, "alone in a cell", if headed { 0.86 } else { 0.66 });
        return;
    }
    // "HSN: 511 203 877": groups behind an acronym and a colon.
    let acronym = dot == 1
        && whole.start >= 2
        && tokens[whole.start - 1].is_sign(b':')
        && tokens[whole.start - 2].is_word()
        && tokens[whole.start - 2].has(Flags::UPPER)
        && tokens[whole.start - 2].len() >= 2;
    if acronym
        && bare
        && digits >= 8
        && whole.len() >= 3
        && !number::is_range(document, code)
        && code.digits >= 3
    {
        propose(whole, "groups behind an acronym", 0.72);
    }
}

/// Keys of places and dates, whose numbers are no records.
const PLACES: Classes = cues::KEY_WARD
    .or(cues::WARD_HEAD)
    .or(cues::BUILDING_PART)
    .or(cues::KEY_DATE)
    .or(cues::KEY_POSTAL)
    .or(cues::KEY_PHONE)
    .or(cues::KEY_ADDRESS);

/// Whether a code is a year of these times.
fn is_year(document: &Document<'_>, code: &Code) -> bool {
    code.letters == 0
        && code.digits == 4
        && matches!(document.word(code.first as usize).as_bytes(), [b'1', b'9', ..] | [b'2', b'0', ..])
}

/// Whether a code is a strength or a size with its unit: "100MG", "10F".
fn is_size(document: &Document<'_>, code: &Code) -> bool {
    let (first, end) = (code.first as usize, code.end as usize);
    end - first == 2
        && document.tokens[first].is_number()
        && document.tokens[first + 1].is(cues::UNIT.or(cues::DOSE))
}

/// Whether tokens are alone between gaps, bars or the ends of their line, with another cell beside
/// them.
fn cell(document: &Document<'_>, tokens: Range<usize>) -> bool {
    let all = &document.tokens;
    let open = all[tokens.start].has(Flags::GAP)
        || tokens.start > 0
            && all[tokens.start - 1].is_sign(b'|')
            && document.same_line(tokens.start - 1, tokens.start);
    let close =
        all.get(tokens.end).is_none_or(|next| next.has(Flags::GAP.or(Flags::LINE)) || next.is_sign(b'|'));
    open && close
}

/// Whether a word is a test or a substance rather than the first part of a number.
fn is_lab(document: &Document<'_>, at: usize) -> bool {
    let token = &document.tokens[at];
    token.is_word()
        && token.len() > 2
        && (token.word.is_medical() || token.word.is_drug() || token.is(cues::UNIT))
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
