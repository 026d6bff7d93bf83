//! Numbers of phones, faxes and pagers: groups of digits as they are written in America and
//! elsewhere, with extensions.

use super::number;
use super::{Detector, Rules};
use crate::candidates::{Candidates, Score};
use crate::cues;
use crate::document::{Code, Document};
use crate::span::Kind;
use crate::token::{Flags, Token};
use crate::words::WordSet;

/// Finds numbers of phones.
pub struct Phone;

/// Groups of digits with the signs between them.
struct Groups {
    first: usize,
    end: usize,
    lengths: [usize; MOST],
    count: usize,
    plus: bool,
    zero: bool,
    bracket: bool,
    /// The separators, one per gap between groups: a sign or a blank.
    separators: [u8; MOST],
}

/// Groups of a number.
const MOST: usize = 7;

impl Groups {
    fn digits(&self) -> usize {
        self.lengths().iter().sum()
    }

    fn lengths(&self) -> &[usize] {
        &self.lengths[..self.count]
    }
}

impl Detector for Phone {
    fn name(&self) -> &'static str {
        "phone"
    }

    fn detect(&self, document: &Document<'_>, found: &mut Candidates) {
        if !document.is_last_window() {
            return;
        }
        let mut done = 0;
        for code in &document.codes {
            if (code.first as usize) < done {
                continue;
            }
            let phone = code.rules.any(Rules::PHONE);
            if let Some(end) = phone.then(|| self.number(document, code, found)).flatten() {
                done = end;
            } else if code.rules.any(Rules::EXTENSION) {
                self.extension_alone(document, code, found);
            }
        }
    }
}

/// Keys of extensions.
pub(super) const EXTENSIONS: WordSet =
    words!["ext", "extension", "extn", "bleep", "pager", "pgr", "beep", "dect", "vocera"];

impl Phone {
    /// Proposes an extension without its number: "x70112", "extension 118", "bleep 311".
    fn extension_alone(&self, document: &Document<'_>, code: &Code, found: &mut Candidates) {
        let (first, end) = (code.first as usize, code.end as usize);
        let tokens = &document.tokens;
        let glued = end - first == 2
            && document.is(first, "x")
            && tokens[first + 1].is_number()
            && (4..=6).contains(&tokens[first + 1].len());
        let dot = usize::from(first > 0 && matches!(tokens[first - 1].first, b'.' | b':' | b'#'));
        let keyed = end - first == 1
            && (3..=6).contains(&tokens[first].len())
            && first.checked_sub(1 + dot).is_some_and(|key| document.is_any(key, EXTENSIONS))
            && !number::is_measured(document, end);
        if glued || keyed {
            let score = Score::new("extension", document.bytes(first..end), 0.8);
            // "101 ext 55210".
            let short = first.checked_sub(2 + dot).filter(|at| {
                keyed && tokens[*at].is_number() && tokens[*at].len() == 3 && document.same_line(*at, first)
            });
            let first = short.unwrap_or(first);
            found.add(self.name(), Kind::Phone, document.bytes(first..end), &score);
        }
    }

    /// Proposes the number that starts at a code, and returns its end.
    fn number(&self, document: &Document<'_>, code: &Code, found: &mut Candidates) -> Option<usize> {
        let first = code.first as usize;
        if !document.tokens[first].is_number() || code.letters > 0 && !starts_number(document, code) {
            return None;
        }
        let other = number::is_pair(document, code)
            || number::is_medical_code(document, code)
            || number::is_shift(document, code);
        if other || code.is_sure_date {
            return None;
        }
        let groups = groups(document, first)?;
        let keyed = keyed(document, code);
        let (rule, shape, tokens) = shape(document, &groups, keyed)?;
        let end = extension(document, tokens);
        let mut score = Score::new(rule, document.bytes(groups.first..tokens), shape);
        if groups.count == 1 && is_clock(document, first) {
            return None;
        }
        if let Some(key) = keyed {
            score.raise("key of a phone", document.bytes(key..key + 1), 0.75);
        }
        if number::is_measured(document, end) {
            score.lower("unit behind", document.bytes(end..end + 1), 0.7);
        }
        found.add(self.name(), Kind::Phone, document.bytes(groups.first..end), &score);
        (score.certainty() > 0.6).then_some(end)
    }
}

/// Keys of pagers in shorthand.
const PAGERS: WordSet = words!["pgr", "bpr", "beeper", "vocera", "spectralink"];

/// Whether a number is a time of day: "at 2215".
fn is_clock(document: &Document<'_>, at: usize) -> bool {
    let time = document.word(at).parse::<u32>().is_ok_and(|time| time < 2400 && time % 100 < 60);
    let before = at > 0
        && (document.is_any(at - 1, words!["at", "by", "from", "to", "since", "until", "around"])
            || document.tokens[at - 1].is_sign(b'@'));
    let ended = at > 0 && ends_sentence(document, at - 1);
    let far = ended
        || !(at.saturating_sub(2)..at).any(|key| {
            document.tokens[key].is(cues::KEY_PHONE) && document.tokens[key].is_word()
                || document.is_any(key, PAGERS)
        });
    document.tokens[at].len() == 4 && time && (before || far)
}

/// Whether a sign is the point of a sentence and not of an abbreviation such as "Tel.".
fn ends_sentence(document: &Document<'_>, at: usize) -> bool {
    document.tokens[at].is_sign(b'.')
        && at > 0
        && document.tokens[at - 1].len() >= 5
        && document.tokens.get(at + 1).is_some_and(|next| next.has(Flags::SPACE))
}

/// Whether a code with letters is a number with an extension: "555-0100x23".
fn starts_number(document: &Document<'_>, code: &Code) -> bool {
    let tokens = &document.tokens[code.first as usize..code.end as usize];
    tokens.iter().filter(|token| token.is_word()).all(|token| matches!(token.first, b'x' | b'X' | b'e'))
        || code.digits >= 10
}

/// The groups of digits from a token on, at most seven.
fn groups(document: &Document<'_>, at: usize) -> Option<Groups> {
    let tokens = &document.tokens;
    let sign_before = |at: usize, sign: u8| at > 0 && tokens[at - 1].is_sign(sign) && document.glued(at);
    let mut first = at;
    let bracket = sign_before(first, b'(');
    if bracket {
        first -= 1;
    }
    let plus = sign_before(first, b'+');
    if plus {
        first -= 1;
    }
    let mut found = Groups {
        first,
        end: at + 1,
        lengths: [tokens[at].len(), 0, 0, 0, 0, 0, 0],
        count: 1,
        plus,
        zero: tokens[at].first == b'0',
        bracket,
        separators: [0; MOST],
    };
    while found.count < MOST {
        let open = (found.plus || found.bracket || found.zero) && found.digits() < 10;
        let Some((separator, next)) = following(document, found.end, open) else { break };
        // A bracket behind a separator may be the last token: "617-(".
        let Some(group) = tokens.get(next).filter(|token| token.is_number()) else { break };
        if found.digits() + group.len() > 16 {
            break;
        }
        found.separators[found.count - 1] = separator;
        found.lengths[found.count] = group.len();
        found.count += 1;
        found.end = next + 1;
    }
    (found.digits() >= 4 || found.plus).then_some(found)
}

/// Whether groups of digits from a number on can have four digits, or a plus: another number is as
/// near as the next group of a number at least.
pub(super) fn goes_on(document: &Document<'_>, at: usize) -> bool {
    let tokens = &document.tokens;
    let marked = at > 0 && matches!(tokens[at - 1].first, b'+' | b'(');
    marked || tokens[at].len() >= 4 || tokens[at + 1..].iter().take(3).any(Token::is_number)
}

/// The separator behind a group and the token of the next group.
/// A number that is not complete may go on in the next line.
fn following(document: &Document<'_>, end: usize, open: bool) -> Option<(u8, usize)> {
    let tokens = &document.tokens;
    let next = tokens.get(end)?;
    let apart = |token: &Token| token.has(Flags::GAP.or(Flags::PARAGRAPH)) || token.has(Flags::LINE) && !open;
    if apart(next) {
        return None;
    }
    if next.is_number() {
        return Some((b' ', end));
    }
    let near = |at: usize| tokens.get(at).is_some_and(|token| !apart(token));
    match next.first {
        // "(617) 555" and "617)555"; the bracket may be before the group as in "+44 (0)20".
        b')' if near(end + 1) && tokens[end + 1].is_number() => Some((b')', end + 1)),
        b')' if near(end + 2) && tokens[end + 1].is_sign(b'-') => Some((b')', end + 2)),
        b'(' if near(end + 1) && document.glued(end + 1) => Some((b'(', end + 1)),
        b'-' | b'.' | b'/' if near(end + 1) => {
            let glued = document.glued(end) == document.glued(end + 1);
            let bracket = tokens[end + 1].is_sign(b'(');
            (glued && next.class == crate::token::Class::Sign)
                .then_some((next.first, end + 1 + usize::from(bracket)))
        }
        // A hyphen or dash outside of ASCII.
        0xe2 if near(end + 1) && document.glued(end) && document.glued(end + 1) => Some((b'-', end + 1)),
        _ => None,
    }
}

/// The token of a key of a phone shortly before a code.
fn keyed(document: &Document<'_>, code: &Code) -> Option<usize> {
    let first = code.first as usize;
    let near = (first.saturating_sub(6)..first)
        .rev()
        .take_while(|at| document.same_line(*at, first) && !ends_sentence(document, *at));
    let key = near.take_while(|at| !document.tokens[*at].is_number()).find(|at| {
        let token = &document.tokens[*at];
        let short = token.has(Flags::SINGLE);
        let colon = document.tokens.get(at + 1).is_some_and(|next| next.is_sign(b':') || next.is_sign(b'.'));
        token.is(cues::KEY_PHONE) && (!short || colon) || document.is_any(*at, PAGERS)
    });
    let field = || {
        document
            .field_of(first)
            .filter(|field| field.all.any(cues::KEY_PHONE) && !field.all.any(cues::KEY_DATE))
    };
    key.or_else(|| field().map(|field| field.key.end.saturating_sub(1) as usize))
}

/// The rule, the certainty and the end of a number with such groups. Groups behind a complete
/// number do not belong to it.
fn shape(document: &Document<'_>, groups: &Groups, key: Option<usize>) -> Option<(&'static str, f32, usize)> {
    let (lengths, digits) = (groups.lengths(), groups.digits());
    let starts = |want: &[usize]| lengths.starts_with(want);
    // The end of the first n groups.
    let end = |count: usize| {
        let mut at = groups.first;
        let mut left = count;
        while left > 0 && at < groups.end {
            left -= usize::from(document.tokens[at].is_number());
            at += 1;
        }
        at
    };
    let blanks = |count: usize| groups.separators[..count].iter().all(|separator| *separator == b' ');
    let sure = |likely: f32| if key.is_some() { 0.9 } else { likely };
    if groups.plus && (7..=15).contains(&digits) {
        return Some(("international", 0.96, groups.end));
    }
    if groups.zero && lengths[0] >= 4 && document.word(groups.first).starts_with("00") && digits >= 9 {
        return Some(("international", 0.9, groups.end));
    }
    if starts(&[1, 3, 3, 4]) {
        return Some(("1, area, exchange, line", 0.95, end(4)));
    }
    if starts(&[3, 3, 4]) {
        return Some(("area, exchange, line", if blanks(2) { sure(0.8) } else { 0.96 }, end(3)));
    }
    if starts(&[3, 7]) && groups.bracket || starts(&[3, 7]) && key.is_some() {
        return Some(("area, line", 0.9, end(2)));
    }
    if (groups.zero || groups.bracket) && (8..=12).contains(&digits) && lengths.len() >= 2 {
        return Some(("trunk prefix", 0.87, groups.end));
    }
    if groups.zero && (9..=12).contains(&digits) && lengths.len() == 1 {
        return Some(("trunk prefix", sure(0.68), groups.end));
    }
    if starts(&[3, 4]) {
        let dash = matches!(groups.separators[0], b'-' | b'.');
        let reached = groups.first > 0
            && document
                .is_any(groups.first - 1, words!["at", "on", "call", "ring", "cell", "mob", "no", "is"]);
        let named = groups.first > 0 && super::is_name(&document.tokens[groups.first - 1]);
        let blank = if reached || named { 0.66 } else { 0.4 };
        return Some(("exchange, line", if dash { sure(0.86) } else { sure(blank) }, end(2)));
    }
    if lengths == [10] {
        return Some(("ten digits", sure(0.6), groups.end));
    }
    const SURE: WordSet = words![
        "phone",
        "telephone",
        "tel",
        "cell",
        "mobile",
        "fax",
        "pager",
        "beeper",
        "ext",
        "extension",
        "ph",
        "handy",
        "telefon",
        "bleep",
        "paged",
        "telefax",
        "fon",
        "x",
        "mobil",
        "pgr",
        "bpr",
        "vocera",
        "spectralink",
        "teléfono",
        "dial",
        "beep",
        "landline",
        "cellphone",
    ];
    let key_is_near =
        key.is_some_and(|key| groups.first.saturating_sub(key) <= 4 && document.is_any(key, SURE));
    (key_is_near && (4..=15).contains(&digits)).then_some(("digits behind a key", 0.6, groups.end))
}

/// The token behind an extension: "x 123", "ext. 4567".
fn extension(document: &Document<'_>, end: usize) -> usize {
    let tokens = &document.tokens;
    let mut at = end;
    if tokens.get(at).is_some_and(|token| token.is_sign(b',') || token.is_sign(b'(')) {
        at += 1;
    }
    if !document.is_any(at, words!["x", "ext", "extension", "xtn", "durchwahl", "dw", "poste", "#"]) {
        return end;
    }
    at += 1;
    while tokens.get(at).is_some_and(|token| matches!(token.first, b'.' | b':' | b'#') && !token.is_word()) {
        at += 1;
    }
    let number = tokens
        .get(at)
        .is_some_and(|token| token.is_number() && token.len() <= 6 && !token.has(Flags::PARAGRAPH));
    if number { at + 1 } else { end }
}
