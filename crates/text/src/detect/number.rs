//! What the detectors of numbers share: digits of several codes, words before and after a code, and
//! the certainty of a code with a key.

use std::ops::{Range, RangeInclusive};

use super::Detector;
use super::date::Written;
use crate::candidates::{Candidates, Score};
use crate::cues::{self, Classes};
use crate::document::{Code, Document};
use crate::span::Kind;
use crate::token::{Class, Flags};

/// The signs of a number without separators; at most 40.
#[derive(Debug, Clone, Copy)]
pub struct Compact {
    signs: [u8; 40],
    len: usize,
}

impl Compact {
    /// Letters and digits of some tokens; none if there are more than 40.
    pub fn new(document: &Document<'_>, tokens: Range<usize>) -> Option<Compact> {
        let mut compact = Compact { signs: [0; 40], len: 0 };
        let bytes = document.bytes(tokens);
        if bytes.len() > 80 {
            return None;
        }
        for sign in document.slice(bytes).bytes().filter(|sign| sign.is_ascii_alphanumeric() || *sign >= 0x80)
        {
            *compact.signs.get_mut(compact.len)? = sign;
            compact.len += 1;
        }
        Some(compact)
    }

    /// The letters and digits.
    pub fn text(&self) -> &[u8] {
        &self.signs[..self.len]
    }

    /// The values of the digits, with the number of digits; nothing if there is a letter.
    pub fn digits(&self) -> ([u8; 40], usize) {
        let mut digits = [0; 40];
        for (digit, sign) in digits.iter_mut().zip(self.text()) {
            if !sign.is_ascii_digit() {
                return (digits, 0);
            }
            *digit = sign - b'0';
        }
        (digits, self.len)
    }

    /// Whether a check holds for the digits.
    pub fn holds(&self, check: fn(&[u8]) -> bool) -> bool {
        let (digits, len) = self.digits();
        len > 0 && check(&digits[..len])
    }
}

/// The codes from `at` on that are separated by single blanks on one line, at most `most`.
pub fn series(document: &Document<'_>, at: usize, most: usize) -> usize {
    let mut end = at + 1;
    while end < document.codes.len() && end - at < most {
        let (last, next) = (&document.codes[end - 1], &document.codes[end]);
        let token = &document.tokens[next.first as usize];
        if last.end != next.first || token.has(Flags::LINE.or(Flags::GAP)) {
            break;
        }
        end += 1;
    }
    end
}

/// Whether a unit of measurement follows a token.
pub fn is_measured(document: &Document<'_>, end: usize) -> bool {
    let Some(next) = document.tokens.get(end) else { return false };
    !next.has(Flags::LINE)
        && (next.is_sign(b'%')
            || next.is(cues::UNIT) && !next.has(Flags::CAPITAL)
            || next.is(cues::DOSE) && next.is_word() && next.len() > 2)
}

/// Whether a code is a decimal, an amount or a range of small numbers: "12.5", "3-4", "120/80".
pub fn is_quantity(document: &Document<'_>, code: &Code) -> bool {
    let tokens = &document.tokens[code.first as usize..code.end as usize];
    let small = tokens.iter().filter(|token| token.is_number()).all(|token| token.len() <= 3);
    let signed = tokens.iter().all(|token| token.class != Class::Word);
    let pair = tokens.len() == 3 && tokens[1].is_sign(b'/') && code.digits <= 8;
    signed && (small && tokens.len() <= 3 || code.digits <= 4 || pair)
}

/// Whether a code is one of a catalogue of medicine: "CPT 99338", "ICD-10".
pub fn is_medical_code(document: &Document<'_>, code: &Code) -> bool {
    let first = code.first as usize;
    let names = words!["cpt", "icd", "hcpcs", "drg", "loinc", "snomed", "ndc", "atc", "ops", "rxnorm"];
    (first.saturating_sub(2)..=first).any(|at| document.is_any(at, names))
}

/// Whether a code is a reference range: two numbers with a hyphen, the first one smaller, and a unit
/// or a result before it.
pub fn is_range(document: &Document<'_>, code: &Code) -> bool {
    let first = code.first as usize;
    let text = document.slice(document.bytes(first..code.end as usize));
    let Some((low, high)) = text.split_once('-') else { return false };
    let (Ok(low), Ok(high)) = (low.parse::<f64>(), high.parse::<f64>()) else { return false };
    let digits = |part: &str| part.split('.').next().map_or(0, str::len);
    let parts = text.split('-').map(digits).max().unwrap_or(0);
    let short = text.len() <= 11 && low < high && parts <= 3;
    let line = document.line(first).map_or(first, |line| line.first as usize);
    let measured = document.tokens[line.max(first.saturating_sub(8))..first].iter().any(|token| {
        token.is_word() && (token.is(cues::UNIT) || token.word.is_medical() || token.word.is_shorthand())
    });
    short && measured && code.letters == 0
}

/// Whether a code is two times of day: "2300-0700".
pub fn is_shift(document: &Document<'_>, code: &Code) -> bool {
    let time = |at: usize| {
        document.tokens[at].len() == 4
            && document.word(at).parse::<u32>().is_ok_and(|time| time <= 2400 && time % 100 < 60)
    };
    let first = code.first as usize;
    code.end - code.first == 3 && document.tokens[first + 1].is_sign(b'-') && time(first) && time(first + 2)
}

/// Whether a code is two numbers with a slash: a pressure, a balance or a ratio.
pub fn is_pair(document: &Document<'_>, code: &Code) -> bool {
    code.end - code.first == 3 && code.letters == 0 && document.tokens[code.first as usize + 1].is_sign(b'/')
}

/// Whether a number of a year is beside one with a slash: "2023/1122", "11873/24".
pub fn is_serial(document: &Document<'_>, code: &Code) -> bool {
    let lengths = [code.first, code.end - 1].map(|at| document.tokens[at as usize].len());
    lengths.iter().any(|length| *length >= 4) && lengths.iter().sum::<usize>() >= 6 && !code.is_date_like
}

/// Classes of a code's key, of the key of its field included.
pub fn keys(code: &Code) -> (Classes, bool) {
    (code.keys, code.is_numbered)
}

/// The tokens of a code with a short word in capitals before it and more digits behind it: "XGP
/// 440917723", "W2218 47710", "SN 80033-7714".
pub fn extended(document: &Document<'_>, at: usize) -> Range<usize> {
    let code = &document.codes[at];
    let (mut first, mut end) = (code.first as usize, code.end as usize);
    if let Some(before) = first.checked_sub(1).map(|before| &document.tokens[before]) {
        let joined = !document.tokens[first].has(Flags::GAP.or(Flags::LINE));
        let letters = before.is_word()
            && before.has(Flags::UPPER.or(Flags::SINGLE))
            && before.has(Flags::CAPITAL)
            && before.len() <= 4;
        let own = (before.cue.classes.0 & !(cues::KEY_DEVICE.0 | cues::PARTICLE.0 | cues::KEY_PHONE.0)) == 0
            || before.is(cues::KEY_DEVICE) && before.len() == 2;
        let keyed = (code.key_at as usize) < first - 1;
        if joined
            && letters
            && (!before.word.is_function()
                || before.has(Flags::UPPER) && before.len() == 2 && code.digits >= 5)
            && (own && !before.word.is_common()
                || keyed
                    && !before.is(cues::NUMBER_WORD)
                    && before.cue.classes.0 & ((1 << 28) - (1 << 15)) == 0)
        {
            first -= 1;
        }
    }
    let behind = series(document, at, 8);
    for next in at + 1..behind {
        let next = &document.codes[next];
        let check =
            next.digits == 1 && code.digits >= 5 && next.end - next.first == 1 && end == code.end as usize;
        let digits = next.letters <= 2 && (next.digits >= 2 || check) && next.end - next.first <= 3;
        if !digits
            || is_measured(document, next.end as usize)
            || is_quantity(document, next) && next.digits < 2 && !check
            || next.is_date_like
        {
            break;
        }
        end = next.end as usize;
    }
    // A check letter behind letters and digits: "QQ 12 34 56 C".
    let letter = first < code.first as usize
        && document.tokens.get(end).is_some_and(|token| {
            token.is_capital() && token.has(Flags::SINGLE) && !token.has(Flags::LINE.or(Flags::GAP))
        })
        && document
            .tokens
            .get(end + 1)
            .is_none_or(|next| next.has(Flags::LINE.or(Flags::GAP)) || !next.is_word());
    first..end + usize::from(letter)
}

/// A kind of number that its key says.
pub struct Keyed {
    /// Its detector.
    pub detector: &'static str,
    /// Its kind.
    pub kind: Kind,
    /// The classes of its keys.
    pub key: Classes,
    /// The fewest digits with a key.
    pub least: u16,
    /// The rule in reports.
    pub rule: &'static str,
    /// The certainty with a key and "number", "#" or a colon.
    pub sure: f32,
    /// The certainty with a key alone.
    pub likely: f32,
}

impl Keyed {
    /// Proposes all codes with such a key.
    pub fn detect(&self, document: &Document<'_>, found: &mut Candidates) {
        for at in document.code_places_here() {
            self.propose(document, at, found);
        }
    }

    fn propose(&self, document: &Document<'_>, at: usize, found: &mut Candidates) {
        let code = &document.codes[at];
        let (key, numbered) = keys(code);
        if !key.any(self.key) {
            return;
        }
        let headed = headed(document, at);
        // "Unit no SA 10 22 81": groups of digits behind a key count together.
        let group = || {
            let tokens = extended(document, at);
            document.tokens[tokens]
                .iter()
                .filter(|token| token.is_number())
                .map(|token| token.len())
                .sum::<usize>()
        };
        let direct = headed.is_some_and(|head| is_direct(document, head, self.key));
        let lettered = code.letters > 0 || headed.is_some_and(|head| head < code.first as usize);
        let grouped = (numbered || direct) && code.digits <= 4 && group() >= if lettered { 5 } else { 6 }
            || direct && lettered && code.digits >= 3 && !document.is_key(code.first as usize);
        // "NHI: ZZZ00AX", "key BQ7TT2": letters count where the key is beside them.
        let mixed = code.digits >= 2 && code.letters >= 3 && code.digits + code.letters >= 6;
        let mixed = mixed && (numbered || direct) && is_upper(document, code);
        if code.digits < self.least && !grouped && !mixed {
            return;
        }
        let quantity = is_quantity(document, code) && !numbered && !grouped;
        if quantity
            || is_medical_code(document, code)
            || is_shift(document, code)
            || is_range(document, code)
            || is_pair(document, code) && !((numbered || direct) && is_serial(document, code))
            || is_measured(document, code.end as usize) && code.digits < 6
            || code.is_date_like
        {
            return;
        }
        let sure = if numbered || after_colon(document, code) { self.sure } else { self.likely };
        let evidence = document.bytes(code.key_at as usize..code.first as usize);
        let mut score = Score::new(self.rule, evidence, sure);
        if code.digits >= 6 || code.letters > 0 && code.digits >= 4 {
            score.raise("long", document.bytes(code.first as usize..code.end as usize), 0.4);
        }
        let bytes = document.bytes(extended(document, at));
        found.add(self.detector, self.kind, bytes, &score);
    }
}

/// The first token of a code with the short word in capitals before it, if there is one: "KP 11 882".
pub fn headed(document: &Document<'_>, at: usize) -> Option<usize> {
    let first = document.codes[at].first as usize;
    let before = first.checked_sub(1).map(|before| &document.tokens[before])?;
    let word = before.is_word()
        && before.has(Flags::UPPER)
        && !before.has(Flags::SHOUTED)
        && before.len() <= 4
        && !document.is_key(first - 1)
        && !document.tokens[first].has(Flags::GAP.or(Flags::LINE));
    Some(if word { first - 1 } else { first })
}

/// Whether the key of a code stands directly before its first token, over a colon, a point or "no".
fn is_direct(document: &Document<'_>, head: usize, key: Classes) -> bool {
    let tokens = &document.tokens;
    let mut at = head;
    while at > 0 && head - at < 3 && !tokens[at - 1].is(key) {
        let sign = matches!(tokens[at - 1].first, b':' | b'#' | b'=') && !tokens[at - 1].is_word();
        // "Regn. No. TN 88214", but not "from PT. BS 293".
        let dot = tokens[at - 1].is_sign(b'.') && !tokens[head].has(Flags::SENTENCE);
        if !(sign || dot || tokens[at - 1].is(cues::NUMBER_WORD)) {
            return false;
        }
        at -= 1;
    }
    at > 0 && tokens[at - 1].is(key) && document.same_line(at - 1, head)
}

/// Whether all letters of a code are capitals.
pub fn is_upper(document: &Document<'_>, code: &Code) -> bool {
    let words =
        document.tokens[code.first as usize..code.end as usize].iter().filter(|token| token.is_word());
    words
        .clone()
        .all(|token| token.has(Flags::UPPER) || token.has(Flags::SINGLE) && token.has(Flags::CAPITAL))
}

/// Whether a colon, `#` or "is" stands directly before a code.
pub fn after_colon(document: &Document<'_>, code: &Code) -> bool {
    let Some(before) = (code.first as usize).checked_sub(1).map(|before| &document.tokens[before]) else {
        return false;
    };
    matches!(before.first, b':' | b'#' | b'=') && !before.is_word()
        || document.is(code.first as usize - 1, "is")
}

/// Whether a code has the shape of a numeric date, by the date in digits that starts there.
/// [`Code::is_date_like`] has the answer.
pub fn is_date_like(document: &Document<'_>, code: &Code, date: Option<&Written>) -> bool {
    let month =
        document.tokens[code.first as usize..code.end as usize].iter().any(|token| token.is(cues::MONTH));
    let named = month && code.digits >= 3 && code.digits <= 6;
    named || date.is_some_and(|date| date.end >= code.end as usize)
}

/// A detector that is nothing but a key.
macro_rules! keyed {
    ($name:ident, $text:literal, $kind:ident, $key:ident, $least:literal, $sure:literal, $likely:literal) => {
        const KEYED: $crate::detect::number::Keyed = $crate::detect::number::Keyed {
            detector: $text,
            kind: $crate::span::Kind::$kind,
            key: $crate::cues::$key,
            least: $least,
            rule: "key",
            sure: $sure,
            likely: $likely,
        };
    };
}
pub(super) use keyed;

/// Proposes what a check of digits confirms, over up to `most` codes that follow each other.
pub fn checked(
    document: &Document<'_>,
    at: usize,
    most: usize,
    accept: impl Fn(&Compact, &Code) -> bool,
) -> Option<Range<usize>> {
    let last = series(document, at, most);
    (at + 1..=last).rev().find_map(|end| {
        let tokens = document.codes[at].first as usize..document.codes[end - 1].end as usize;
        let compact = Compact::new(document, tokens.clone())?;
        accept(&compact, &document.codes[at]).then_some(tokens)
    })
}

/// The same for a check of digits alone. `lengths` are the only numbers of digits that pass it.
pub fn checked_digits(
    document: &Document<'_>,
    at: usize,
    most: usize,
    lengths: RangeInclusive<usize>,
    check: fn(&[u8]) -> bool,
) -> Option<Range<usize>> {
    let codes = &document.codes[at..series(document, at, most)];
    let mut digits: usize = codes.iter().map(|code| usize::from(code.digits)).sum();
    let first = codes.first()?.first as usize;
    for code in codes.iter().rev() {
        let tokens = first..code.end as usize;
        if lengths.contains(&digits)
            && Compact::new(document, tokens.clone()).is_some_and(|compact| compact.holds(check))
        {
            return Some(tokens);
        }
        digits -= usize::from(code.digits);
    }
    None
}

/// Proposes a span with one rule.
pub fn propose(
    detector: &dyn Detector,
    kind: Kind,
    document: &Document<'_>,
    tokens: Range<usize>,
    rule: &'static str,
    certainty: f32,
    found: &mut Candidates,
) {
    let bytes = document.bytes(tokens);
    let score = Score::new(rule, bytes.clone(), certainty);
    found.add(detector.name(), kind, bytes, &score);
}
