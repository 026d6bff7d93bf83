//! Postal codes: American behind a state or a city, British, Canadian, German and Dutch by their
//! shape and what is beside them.

use super::number;
use super::{Detector, Rules};
use crate::candidates::{Candidates, Score};
use crate::cues;
use crate::document::{Code, Document};
use crate::lexicon;
use crate::span::Kind;
use crate::token::{Flags, Token};

/// Finds postal codes.
pub struct Postal;

impl Detector for Postal {
    fn name(&self) -> &'static str {
        "postal"
    }

    fn detect(&self, document: &Document<'_>, found: &mut Candidates) {
        for (at, code) in document.code_places_here().zip(document.codes_here()) {
            if !code.rules.any(Rules::ZIP.or(Rules::POSTCODE)) {
                continue;
            }
            let digits = code.rules.any(Rules::ZIP).then(|| numeric(document, code)).flatten();
            let proposal = digits.or_else(|| two_parts(document, at)).or_else(|| in_address(document, at));
            let Some((end, rule, certainty)) = proposal else { continue };
            let mut score = Score::new(rule, document.bytes(code.first as usize..end), certainty);
            if number::keys(code).0.any(cues::KEY_POSTAL) {
                score.raise(
                    "key of a postal code",
                    document.bytes(code.key_at as usize..code.first as usize),
                    0.8,
                );
            }
            found.add(self.name(), Kind::PostalCode, document.bytes(code.first as usize..end), &score);
        }
    }
}

/// Codes of digits: ZIP, ZIP+4, PLZ and those of other countries with four or five digits.
fn numeric(document: &Document<'_>, code: &Code) -> Option<(usize, &'static str, f32)> {
    let (first, end) = (code.first as usize, code.end as usize);
    // A country before the code belongs to it: "A-1234 Wien".
    let country = end - first == 3
        && document.tokens[first + 1].is_sign(b'-')
        && document.tokens[first].is_capital()
        && document.tokens[first].len() <= 2;
    let (first, letters) = if country { (first + 2, 0) } else { (first, code.letters) };
    let token = document.tokens.get(first)?;
    if country
        && matches!(token.len(), 4 | 5)
        && document
            .tokens
            .get(end)
            .is_some_and(|next| next.is_capital() && !next.has(Flags::LINE.or(Flags::GAP)))
    {
        return Some((end, "country and code", 0.86));
    }
    let zip4 = end - first == 3
        && token.len() == 5
        && document.tokens[first + 1].is_sign(b'-')
        && document.tokens[end - 1].len() == 4;
    if letters > 0 || !(zip4 || end - first == 1 && matches!(token.len(), 4 | 5)) {
        return None;
    }
    let keyed = number::keys(code).0.any(cues::KEY_POSTAL);
    if zip4 && lexicon::zip(document.word(first)).is_some() {
        return Some((end, "ZIP+4", 0.92));
    }
    // "A-1234", "D-50933", "NSW 2000".
    let prefix = before_code(document, first);
    if let Some(rule) = prefix {
        return Some((end, rule, 0.82));
    }
    if keyed && !number::is_measured(document, end) {
        return Some((end, "digits behind a key", 0.85));
    }
    let before = first.checked_sub(1).map(|before| &document.tokens[before]);
    let near = !token.has(Flags::LINE.or(Flags::GAP));
    if token.len() == 5 && near && before.is_some_and(|before| super::state::is_code(document, before)) {
        return Some((end, "behind a state", 0.95));
    }
    if token.len() == 5 && near && before.is_some_and(|before| before.is_capital() && before.word.is_state())
    {
        return Some((end, "behind a state", 0.92));
    }
    let state = |count: usize| {
        first.checked_sub(count).is_some_and(|at| {
            document.same_line(at, first)
                && document.tokens[at].is_capital()
                && super::places::longest(document, at, |word| word.is_state())
                    .is_some_and(|(end, _)| end == first)
        })
    };
    if token.len() == 5 && near && (state(2) || state(3)) {
        return Some((end, "behind a state", 0.92));
    }
    if token.len() == 5
        && let Some(place) = lexicon::zip(document.word(first))
        && names_place(document, first, place.city)
    {
        return Some((end, "behind its city", 0.93));
    }
    before_city(document, code).or_else(|| ends_line(document, code))
}

/// "Skeldon 42472": alone on its line, or behind nothing but a city, in an address.
fn ends_line(document: &Document<'_>, code: &Code) -> Option<(usize, &'static str, f32)> {
    let (first, end) = (code.first as usize, code.end as usize);
    let line = document.line(first).filter(|line| line.end as usize == end && !line.paragraph)?;
    let above = document.lines.get((document.tokens[first].line as usize).checked_sub(1)?)?;
    let start = line.first as usize;
    let city = document.tokens[start..first]
        .iter()
        .all(|token| token.is_capital() || matches!(token.first, b',' | b'-' | b'.') && !token.is_word());
    let short = above.bytes < 60 && document.tokens[above.first as usize].class != crate::token::Class::Sign;
    let words =
        document.tokens[above.first as usize..above.end as usize].iter().filter(|token| token.is_word());
    let named = words.filter(|token| !token.is_capital()).count() <= 1;
    let five = document.tokens[first].len() == 5;
    // "14 Village Road / Kloof / 3610": four digits below a street.
    let four = first == start && (1..=2).any(|back| street_line(document, first, back));
    (city && short && named && (five || four) && first - start <= 5).then_some((
        end,
        "end of an address",
        0.84,
    ))
}

/// Whether a short line above ends with a street: "14 Village Road".
fn street_line(document: &Document<'_>, first: usize, back: usize) -> bool {
    let line = (document.tokens[first].line as usize).checked_sub(back).and_then(|at| document.lines.get(at));
    line.is_some_and(|line| {
        let last = line.end as usize - 1;
        let last = last - usize::from(document.tokens[last].is_sign(b',') && last > line.first as usize);
        line.bytes < 40
            && document.tokens[last].is(cues::STREET_SUFFIX)
            && document.tokens[line.first as usize].is_number()
    })
}

/// The rule of a country or state before digits.
fn before_code(document: &Document<'_>, first: usize) -> Option<&'static str> {
    let tokens = &document.tokens;
    let before = first.checked_sub(1).map(|before| &tokens[before])?;
    if tokens[first].len() == 4
        && document.is_any(first - 1, words!["nsw", "vic", "qld", "tas", "act"])
        && before.has(Flags::UPPER)
        && document.same_line(first - 1, first)
    {
        return Some("behind a state");
    }
    // "N.Y. 10001", "Mass. 02151".
    let dotted = before.is_sign(b'.')
        && first >= 3
        && tokens[first - 2].is_capital()
        && !tokens[first - 2].is(cues::CREDENTIAL)
        && !(tokens[first - 2].has(Flags::SINGLE)
            && first >= 4
            && document.is_any(first - 4, words!["m", "ph", "d", "r", "pharm", "psy"]))
        && tokens[first - 2].len() <= 5
        && tokens[first].len() == 5;
    let comma = (first.saturating_sub(6)..first).any(|at| tokens[at].is_sign(b','));
    (dotted && comma && document.same_line(first - 2, first)).then_some("behind a state")
}

/// Whether the words before a token are a city, in any case.
fn names_place(document: &Document<'_>, first: usize, city: &str) -> bool {
    let Some(last) = city.split(' ').next_back() else { return false };
    let mut at = first;
    while at > 0 && first - at < 3 && document.same_line(at - 1, first) {
        at -= 1;
        if document.tokens[at].is_word() {
            return document.word(at).eq_ignore_ascii_case(last);
        }
    }
    false
}

/// "50933 Hohenrath", "4051 Basel", "1012 AB Amsterdam": on an address line, before a capital.
fn before_city(document: &Document<'_>, code: &Code) -> Option<(usize, &'static str, f32)> {
    let (first, mut end) = (code.first as usize, code.end as usize);
    let token = &document.tokens[first];
    let mut dutch = false;
    if token.len() == 4
        && document
            .tokens
            .get(end)
            .is_some_and(|next| next.has(Flags::UPPER) && next.len() == 2 && !next.has(Flags::LINE))
    {
        end += 1;
        dutch = true;
    }
    let next =
        document.tokens.get(end).filter(|next| next.is_capital() && !next.has(Flags::LINE.or(Flags::GAP)));
    let next = next.filter(|next| {
        !next.word.is_month() && !next.is(cues::MONTH.or(cues::STREET_SUFFIX)) && !next.has(Flags::UPPER)
            || dutch
    })?;
    let before = first.checked_sub(1).map(|before| &document.tokens[before]);
    let start = token.has(Flags::LINE.or(Flags::GAP))
        || before.is_some_and(|before| {
            !before.is_word()
                && !before.is_number()
                && matches!(before.first, b',' | b'-' | b'|' | b'/' | 0xc2 | 0xe2)
        });
    // A house number before a street looks the same; the city ends the line or is known.
    let run = document
        .runs
        .partition_point(|run| run.first as usize <= end)
        .checked_sub(1)
        .map(|run| document.runs[run].end as usize);
    let behind = document.tokens.get(run.filter(|run| *run > end).unwrap_or(end + 1));
    let last = behind.is_none_or(|behind| {
        behind.has(Flags::LINE)
            || matches!(behind.first, b',' | b'.' | b')') && !behind.is_word()
            || behind.is(cues::PARTICLE) && !behind.has(Flags::CAPITAL)
    });
    let city = next.word.is_city() || next.word.is_country();
    let certainty = match (start, last || city, dutch) {
        (_, _, true) if start || city => 0.9,
        (true, true, _) if token.len() == 5 || city => 0.85,
        // "Dorfstrasse 3, 6493 Hospenthal": behind the number of a house.
        (true, true, _)
            if first >= 2
                && document.tokens[first - 2].is_number()
                && document.tokens[first - 2].len() <= 3 =>
        {
            0.8
        }
        (false, _, _) if city && token.len() == 5 => 0.8,
        _ => return None,
    };
    Some((end, "before a city", certainty))
}

/// Codes of two parts: British "HX4 7QD", Canadian "K1A 0B1"; also without the blank.
fn two_parts(document: &Document<'_>, at: usize) -> Option<(usize, &'static str, f32)> {
    let code = &document.codes[at];
    let single = document.slice(document.bytes(code.first as usize..code.end as usize)).as_bytes();
    if single.len() > 8 || !single.first().is_some_and(u8::is_ascii_alphabetic) {
        return None;
    }
    let upper = |rule| (code.end as usize, rule, 0.72);
    if (5..=7).contains(&single.len()) && is_british(&single[..single.len() - 3], &single[single.len() - 3..])
    {
        return Some(upper("British, without blank"));
    }
    // "T2N0M0" is a stage, "S1Q3T3" a sign in an ECG.
    let stage = matches!(single, [b'T', _, b'N', _, b'M', _] | [b'S', _, b'Q', _, b'T', _]);
    if single.len() == 6 && !stage && is_canadian(&single[..3], &single[3..]) {
        return Some(upper("Canadian, without blank"));
    }
    let next = document.codes.get(at + 1).filter(|_| number::series(document, at, 2) == at + 2)?;
    let second = document.slice(document.bytes(next.first as usize..next.end as usize)).as_bytes();
    if is_canadian(single, second) {
        return Some((next.end as usize, "Canadian", 0.96));
    }
    if is_irish(single, second) {
        return Some((next.end as usize, "Eircode", 0.93));
    }
    is_british(single, second).then_some((next.end as usize, "British", 0.95))
}

/// A routing key such as "F23" or "D6W", and four letters and digits.
fn is_irish(first: &[u8], second: &[u8]) -> bool {
    let key = matches!(first, [a, b, c] if a.is_ascii_uppercase() && b.is_ascii_digit() && c.is_ascii_digit())
        || first == b"D6W";
    let signs = second.iter().all(|sign| sign.is_ascii_uppercase() || sign.is_ascii_digit());
    let letters = second.iter().filter(|sign| sign.is_ascii_uppercase()).count();
    key && signs && second.len() == 4 && (1..=3).contains(&letters) && second[0] != b'L'
}

/// Whether a code is a number of six digits, also in two groups.
fn is_six(document: &Document<'_>, at: usize) -> bool {
    let code = &document.codes[at];
    let single = code.end - code.first == 1 && code.letters == 0;
    let next =
        || document.codes.get(at + 1).filter(|next| next.first == code.end && next.end - next.first == 1);
    single
        && (code.digits == 6
            || code.digits == 3 && next().is_some_and(|next| next.digits == 3 && next.letters == 0))
}

/// Codes of four or six digits behind a city, in an address: "Bendigo 3550", "Kloof, 3610",
/// "Chennai - 600 020".
fn in_address(document: &Document<'_>, at: usize) -> Option<(usize, &'static str, f32)> {
    let code = &document.codes[at];
    let first = code.first as usize;
    let tokens = &document.tokens;
    let six = is_six(document, at);
    let four = code.letters == 0 && code.digits == 4 && code.end - code.first == 1;
    if !(six || four) || tokens[first].has(Flags::LINE) {
        return None;
    }
    let end = if six && code.digits == 3 { document.codes[at + 1].end as usize } else { code.end as usize };
    let closed = tokens.get(end).is_none_or(|next| {
        next.has(Flags::LINE.or(Flags::GAP))
            || !next.is_word()
                && matches!(next.first, b'.' | b',' | b';' | b')' | b'|' | b'*')
                && !(document.glued(end + 1) && tokens.get(end + 1).is_some_and(Token::is_number))
    });
    let mut last = first.checked_sub(1)?;
    let pin = document.is_any(last, words!["pin", "pincode", "postcode", "eircode"])
        || last > 0
            && document.is_any(last - 1, words!["pin", "postal", "post"])
            && document.is(last, "code")
        || last > 1
            && tokens[last].is_sign(b':')
            && document.is_any(last - 1, words!["pin", "pincode", "postcode"]);
    if pin && (six || four) {
        return Some((end, "digits behind a key", 0.86));
    }
    let sign = matches!(tokens[last].first, b',' | b'-' | 0xe2 | b'(') && !tokens[last].is_word();
    last = last.checked_sub(usize::from(sign))?;
    let place = &tokens[last];
    let named =
        place.is_word() && place.is_capital() && !place.is(cues::MONTH) && document.same_line(last, first);
    if !named || !closed {
        return None;
    }
    let known = place.word.is_city()
        || place.word.is_state()
        || place.word.is_state_code()
        || place.word.is_country();
    let number = document.word(first);
    let year = four && matches!(number.as_bytes(), [b'1', b'9', ..] | [b'2', b'0', ..]);
    let street = has_street(document, last, first);
    let start = matches!(number.as_bytes()[0], b'1'..=b'8');
    if six {
        return (start && (known || street)).then_some((
            end,
            "behind a city",
            if known { 0.9 } else { 0.82 },
        ));
    }
    let state = place.has(Flags::UPPER)
        && document.is_any(last, words!["wa", "sa", "nt", "act", "nsw", "vic", "qld", "tas"]);
    match () {
        _ if state => Some((end, "behind a state", 0.84)),
        _ if street && !(year && sign) => Some((end, "behind a city", 0.8)),
        _ => None,
    }
}

/// Whether a street is shortly before a city, on its line or on the one above.
fn has_street(document: &Document<'_>, city: usize, first: usize) -> bool {
    let tokens = &document.tokens;
    // "Dr Fairley SB", and "TO CT" in capitals, are no streets.
    let is_street = |at: usize| {
        let token = &tokens[at];
        let suffix = token.is(cues::STREET_SUFFIX) && token.is_capital() && !token.is(cues::TITLE);
        suffix && (token.len() > 2 || !token.has(Flags::UPPER)) && at > 0 && tokens[at - 1].is_capital()
            || document.is_any(at, words!["lot", "suite", "flat", "unit", "box"]) && tokens[at].is_capital()
    };
    let near = (city.saturating_sub(12)..city).rev().take_while(|at| document.same_line(*at, first));
    if near.into_iter().any(is_street) {
        return true;
    }
    let Some(above) = (tokens[first].line as usize).checked_sub(1).and_then(|line| document.lines.get(line))
    else {
        return false;
    };
    let starts = document.line(first).is_some_and(|line| city - (line.first as usize) < 4 && !line.paragraph);
    starts && above.bytes < 60 && (above.first as usize..above.end as usize).any(is_street)
}

/// The shapes of the first part, and a digit with two letters behind it.
fn is_british(outward: &[u8], inward: &[u8]) -> bool {
    let shape = |part: &[u8]| -> Vec<u8> {
        let class = |sign: &u8| match sign {
            b'A'..=b'Z' => b'A',
            b'0'..=b'9' => b'9',
            _ => b'?',
        };
        part.iter().map(class).collect()
    };
    let outward = shape(outward);
    let valid = [&b"A9"[..], b"A99", b"AA9", b"AA99", b"A9A", b"AA9A"];
    valid.contains(&outward.as_slice()) && shape(inward) == b"9AA"
}

/// Letter, digit, letter; digit, letter, digit.
fn is_canadian(first: &[u8], second: &[u8]) -> bool {
    let letter = |sign: &u8| sign.is_ascii_uppercase();
    let digit = |sign: &u8| sign.is_ascii_digit();
    matches!(first, [a, b, c] if letter(a) && digit(b) && letter(c))
        && matches!(second, [a, b, c] if digit(a) && letter(b) && digit(c))
}
