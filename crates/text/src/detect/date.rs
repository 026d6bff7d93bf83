//! Dates in digits: with slashes, dots and hyphens, in any order, partial, and compact behind a
//! key.
//!
//! A date that names nothing finer than a month is not proposed unless the rule for dates changes
//! months, since it stays as it is [Sweeney 2001, figure 22].

use super::date_partial;
use super::date_words;
use super::number;
use super::{Detector, Rules};
use crate::candidates::{Candidates, Score};
use crate::cues;
use crate::document::{Code, Document};
use crate::span::Kind;
use crate::token::Flags;

/// A date in a text, with the tokens of its parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Written {
    /// The first token.
    pub first: usize,
    /// The token after the last one.
    pub end: usize,
    /// The rule in reports.
    pub rule: &'static str,
    /// How certain it is a date by its shape alone.
    pub certainty: f32,
    /// The token of the weekday.
    pub weekday: Option<usize>,
    /// The token and the number of the day.
    pub day: Option<(usize, u32)>,
    /// The token and the number of the month.
    pub month: Option<(usize, u32)>,
    /// The token and the number of the year, of four digits.
    pub year: Option<(usize, i32)>,
    /// Whether day and month could be the other way round.
    pub ambiguous: bool,
}

impl Written {
    pub(super) fn new(first: usize, end: usize, rule: &'static str, certainty: f32) -> Written {
        Written {
            first,
            end,
            rule,
            certainty,
            weekday: None,
            day: None,
            month: None,
            year: None,
            ambiguous: false,
        }
    }

    /// Whether it names nothing finer than a month.
    pub fn is_coarse(&self) -> bool {
        self.day.is_none() && self.weekday.is_none() && self.month.is_some()
    }
}

/// Finds dates.
#[derive(Debug, Clone, Copy, Default)]
pub struct Calendar {
    /// Whether months with a year are reported too, because they change.
    pub months: bool,
}

impl Detector for Calendar {
    fn name(&self) -> &'static str {
        "date"
    }

    fn detect(&self, document: &Document<'_>, found: &mut Candidates) {
        for code in document.codes_here() {
            if !code.rules.any(Rules::DATE.or(Rules::OTHER_DATE)) {
                continue;
            }
            let written = numeric(document, code.first as usize)
                .or_else(|| spaced(document, code))
                .or_else(|| compact(document, code));
            if let Some(written) = written {
                self.propose(document, code, written, found);
                self.range_end(document, code, &written, found);
            }
        }
        date_words::find(document, &mut |written, context| {
            let mut score =
                Score::new(written.rule, document.bytes(written.first..written.end), written.certainty);
            if let Some((rule, share, from)) = context {
                score.raise(rule, document.bytes(from..written.first), share);
            }
            if !written.is_coarse() || self.months && written.year.is_some() {
                found.add("date", Kind::Date, document.bytes(written.first..written.end), &score);
            }
        });
    }
}

impl Calendar {
    /// Proposes the other end of "6/2-6/5", which is one code.
    fn range_end(&self, document: &Document<'_>, code: &Code, start: &Written, found: &mut Candidates) {
        let other = start.end + 1;
        let joined = other < code.end as usize && document.tokens[start.end].is_sign(b'-');
        if let Some(end) = joined.then(|| numeric(document, other)).flatten() {
            self.propose(document, code, end, found);
        }
    }

    fn propose(&self, document: &Document<'_>, code: &Code, written: Written, found: &mut Candidates) {
        // "28 2/7 weeks" has a week before its days.
        let week = written.year.is_none()
            && written.first > 0
            && document.tokens[written.first - 1].is_number()
            && document.is(written.first + 2, "7")
            && document.same_line(written.first - 1, written.first);
        if written.is_coarse() && !self.months || week {
            return;
        }
        let first = weekday_before(document, written.first);
        let bytes = document.bytes(first..written.end);
        let mut score = Score::new(written.rule, bytes.clone(), written.certainty);
        let key = number::keys(code).0;
        if key.any(cues::KEY_DATE) && near_key(document, code) {
            score.raise("key of a date", document.bytes(code.key_at as usize..code.first as usize), 0.75);
        } else if written.year.is_none() {
            date_partial::context(document, &written, &mut score);
        }
        if number::is_measured(document, written.end) && written.year.is_none() {
            score.lower("unit behind", document.bytes(written.end..written.end + 1), 0.7);
        }
        if first < written.first {
            score.raise("weekday", document.bytes(first..first + 1), 0.7);
        }
        found.add("date", Kind::Date, bytes, &score);
    }
}

/// Whether the key of a code is at most four tokens before it.
fn near_key(document: &Document<'_>, code: &Code) -> bool {
    code.first - code.key_at <= 4
        || document.field_of(code.first as usize).is_some_and(|f| f.value.start == code.first)
}

/// The token of a weekday before a date, or the date's own.
fn weekday_before(document: &Document<'_>, first: usize) -> usize {
    let comma = |at: usize| document.tokens.get(at).is_some_and(|t| t.is_sign(b',') || t.is_sign(b'.'));
    let at = first.wrapping_sub(1 + usize::from(first > 0 && comma(first - 1)));
    let weekday = document.tokens.get(at).is_some_and(|token| token.is(cues::WEEKDAY) && token.is_capital());
    if weekday && document.same_line(at, first) { at } else { first }
}

/// A number token with at most four digits.
fn part(document: &Document<'_>, at: usize) -> Option<(u32, usize)> {
    let token = document.tokens.get(at).filter(|token| token.is_number() && token.len() <= 4)?;
    let digits = &document.text.as_bytes()[token.start as usize..token.end as usize];
    Some((digits.iter().fold(0, |number, digit| 10 * number + u32::from(digit - b'0')), token.len()))
}

/// The year that two or four digits mean. Two digits are of the century before from 40 on.
pub(super) fn year(number: u32, len: usize) -> Option<i32> {
    match len {
        4 if (1850..=2150).contains(&number) => Some(number as i32),
        2 if number < 40 => Some(2000 + number as i32),
        2 => Some(1900 + number as i32),
        _ => None,
    }
}

/// The date in digits that starts at a token.
pub fn numeric(document: &Document<'_>, at: usize) -> Option<Written> {
    let tokens = &document.tokens;
    let (first, first_len) = part(document, at)?;
    let sign =
        tokens.get(at + 1).filter(|sign| !sign.has(Flags::SPACE) && !sign.is_word() && !sign.is_number())?;
    let separator = match sign.first {
        separator @ (b'/' | b'-' | b'.') => separator,
        0xe2 => b'-',
        _ => return None,
    };
    let glued = |at: usize| document.glued(at);
    // Neither "1/2/3/4" nor a part of a longer number.
    let before = at.checked_sub(1).map(|before| &tokens[before]);
    if before.is_some_and(|before| {
        glued(at)
            && (before.is_number()
                || before.is_word()
                || matches!(before.first, b'-' | b'/' | b'.' | b'$' | b'+'))
            && !is_range_sign(document, at)
    }) {
        return None;
    }
    let spaced = separator == b'.' && !glued(at + 2);
    let (second, second_len) = part(document, at + 2).filter(|_| glued(at + 2) || spaced)?;
    let same = tokens
        .get(at + 3)
        .is_some_and(|sign| sign.first == tokens[at + 1].first && !sign.has(Flags::SPACE) && !sign.is_word());
    let third = part(document, at + 4).filter(|_| same && (glued(at + 4) || separator == b'.'));
    if let Some((third, third_len)) = third {
        let end = time_end(document, at + 5);
        return full(
            document,
            at,
            end,
            separator,
            [(first, first_len), (second, second_len), (third, third_len)],
        );
    }
    if spaced {
        return None;
    }
    partial(document, at, separator, same, (first, first_len), (second, second_len))
}

/// Whether the hyphen before a token joins two dates: "12/21-1/2/2023".
fn is_range_sign(document: &Document<'_>, at: usize) -> bool {
    at >= 4
        && document.tokens[at - 1].is_sign(b'-')
        && document.tokens[at - 3].is_sign(b'/')
        && document.tokens.get(at + 1).is_some_and(|sign| sign.is_sign(b'/'))
}

/// The end of a time that is glued to a date: "2024-02-06T10:22:00Z".
fn time_end(document: &Document<'_>, end: usize) -> usize {
    if !(document.is(end, "t") && document.glued(end)) {
        return end;
    }
    let mut at = end + 1;
    let joins = |at: usize| {
        document.tokens.get(at).is_some_and(|t| t.is_number() || matches!(t.first, b':' | b'.' | b'Z' | b'+'))
    };
    while at < end + 12 && document.glued(at) && joins(at) {
        at += 1;
    }
    while at > end + 1 && document.tokens[at - 1].is_sign(b'.') {
        at -= 1;
    }
    at
}

/// A date of three numbers with one separator and nothing else, as [`parse`] reads it: the places of
/// the month and the year among the numbers, the year, and whether day and month could be the other
/// way round. None for any other text.
pub(crate) fn three_numbers(text: &str) -> Option<(usize, usize, i32, bool)> {
    let bytes = text.as_bytes();
    let mut parts = [(0, 0); 3];
    let (mut place, mut separator) = (0, 0);
    for sign in bytes {
        match sign {
            b'0'..=b'9' if parts[place].1 < 4 => {
                parts[place] = (10 * parts[place].0 + u32::from(sign - b'0'), parts[place].1 + 1);
            }
            b'/' | b'-' | b'.' if place < 2 && (place == 0 || *sign == separator) && parts[place].1 > 0 => {
                (place, separator) = (place + 1, *sign);
            }
            _ => return None,
        }
    }
    let order = order(separator, parts).filter(|_| parts[2].1 > 0)?;
    Some((order.month, order.year.0, order.year.1, order.ambiguous))
}

/// The order of three numbers: their places among the numbers.
struct Order {
    day: usize,
    month: usize,
    year: (usize, i32),
    /// Whether day and month could be the other way round.
    ambiguous: bool,
}

/// Three numbers with their lengths as day, month and year.
fn order(separator: u8, parts: [(u32, usize); 3]) -> Option<Order> {
    let [(a, a_len), (b, b_len), (c, c_len)] = parts;
    if a_len == 3 || b_len > 2 || c_len == 3 || c_len == 1 && a_len != 4 {
        return None;
    }
    if a_len == 4 {
        let valid = (1..=12).contains(&b) && (1..=31).contains(&c) && c_len <= 2;
        let year = year(a, 4).filter(|_| valid)?;
        return Some(Order { day: 2, month: 1, year: (0, year), ambiguous: false });
    }
    let year = year(c, c_len)?;
    let first_is_month = (1..=12).contains(&a) && (1..=31).contains(&b);
    let first_is_day = (1..=31).contains(&a) && (1..=12).contains(&b);
    let ambiguous = first_is_month && first_is_day && a != b && separator != b'.';
    let day_first = separator == b'.' && first_is_day || !first_is_month;
    if !(first_is_day || first_is_month) {
        return None;
    }
    let (day, month) = if day_first { (0, 1) } else { (1, 0) };
    Some(Order { day, month, year: (2, year), ambiguous })
}

/// Three numbers as day, month and year.
fn full(
    document: &Document<'_>,
    at: usize,
    end: usize,
    separator: u8,
    parts: [(u32, usize); 3],
) -> Option<Written> {
    let order = order(separator, parts)?;
    // Numbers that go on are something else: "10.44.17.203".
    let next = document.tokens.get(end);
    let goes_on = next
        .is_some_and(|next| !next.has(Flags::SPACE) && (next.is_number() || next.is_sign(b'/')))
        || next.is_some_and(|next| {
            matches!(next.first, b'-' | b'.') && !next.is_word() && !next.has(Flags::SPACE)
        }) && document.tokens.get(end + 1).is_some_and(|next| {
            next.is_number()
                && !next.has(Flags::SPACE)
                && next.len() != 2
                && !document.tokens.get(end + 2).is_some_and(|n| n.is_sign(b'/'))
        });
    if goes_on {
        return None;
    }
    let last = parts[2].1;
    let sure = if separator == b'.' && last == 2 {
        0.8
    } else if last == 2 {
        0.92
    } else {
        0.97
    };
    let part = |place: usize| (at + 2 * place, parts[place].0);
    Some(Written {
        day: Some(part(order.day)),
        month: Some(part(order.month)),
        year: Some((at + 2 * order.year.0, order.year.1)),
        ambiguous: order.ambiguous,
        ..Written::new(at, end, "day, month and year in digits", sure)
    })
}

/// Two numbers: a month with a year, or a day with a month.
fn partial(
    document: &Document<'_>,
    at: usize,
    separator: u8,
    dotted: bool,
    first: (u32, usize),
    second: (u32, usize),
) -> Option<Written> {
    let ((a, a_len), (b, b_len)) = (first, second);
    let end = at + 3;
    let number =
        |at: usize| document.tokens.get(at).is_some_and(|next| !next.has(Flags::SPACE) && next.is_number());
    // "6/7.5" is an acuity.
    let decimal = separator == b'/'
        && number(end + 1)
        && document.tokens.get(end).is_some_and(|next| next.is_sign(b'.') && !next.has(Flags::SPACE));
    if number(end) || decimal {
        return None;
    }
    let mut written = Written::new(at, end, "month and year in digits", 0.8);
    if b_len == 4 && (1..=12).contains(&a) && separator != b'-' {
        written.month = Some((at, a));
        written.year = Some((at + 2, year(b, 4)?));
        return Some(written);
    }
    if a_len == 4 && b_len == 2 && (1..=12).contains(&b) && separator == b'-' {
        written.year = Some((at, year(a, 4)?));
        written.month = Some((at + 2, b));
        return Some(written);
    }
    // "exp 09/27": the month and the year on a card or a box.
    let expires = at > 0 && document.is_any(at - 1, words!["exp", "expires", "expiry"]) && b > 12;
    if a_len > 2 || b_len > 2 || expires {
        return None;
    }
    // "11.09." needs its last dot; "5/26" and "5-26" do not.
    let shape = match separator {
        b'/' => 0.42,
        b'.' if dotted && a_len == 2 && b_len == 2 => 0.62,
        b'.' if dotted => 0.2,
        // "Tues 14.2".
        b'.' if at > 0 && document.tokens[at - 1].is(cues::WEEKDAY) && document.tokens[at - 1].len() > 2 => {
            0.4
        }
        b'-' => 0.1,
        _ => return None,
    };
    let (month_first, day_first) =
        ((1..=12).contains(&a) && (1..=31).contains(&b), (1..=31).contains(&a) && (1..=12).contains(&b));
    let month_first_valid = month_first && separator != b'.';
    if !(month_first_valid || day_first) {
        return None;
    }
    let mut written =
        Written::new(at, end + usize::from(separator == b'.' && dotted), "day and month in digits", shape);
    written.ambiguous = month_first_valid && day_first && a != b;
    let (day, month) = if month_first_valid { ((at + 2, b), (at, a)) } else { ((at, a), (at + 2, b)) };
    written.day = Some(day);
    written.month = Some(month);
    Some(written)
}

/// Day, month and year with blanks: "30 09 2016".
fn spaced(document: &Document<'_>, code: &Code) -> Option<Written> {
    let first = code.first as usize;
    let (a, a_len) = part(document, first)?;
    let (b, b_len) = part(document, first + 1)?;
    let (c, c_len) = part(document, first + 2)?;
    let together = (1..3).all(|place| {
        !document.tokens[first + place].has(Flags::LINE.or(Flags::GAP)) && !document.glued(first + place)
    });
    let more = document
        .tokens
        .get(first + 3)
        .is_some_and(|next| next.is_number() && !next.has(Flags::LINE.or(Flags::GAP)));
    let before = first > 0 && document.tokens[first - 1].is_number() && document.same_line(first - 1, first);
    if (a_len, b_len, c_len) != (2, 2, 4) || !together || more || before || code.end as usize != first + 1 {
        return None;
    }
    full(document, first, first + 3, b' ', [(a, 2), (b, 2), (c, 4)]).map(|date| {
        let place = |at: usize| {
            if at == first + 4 {
                first + 2
            } else if at == first + 2 {
                first + 1
            } else {
                at
            }
        };
        let day = date.day.map(|(at, day)| (place(at), day));
        let month = date.month.map(|(at, month)| (place(at), month));
        Written {
            day,
            month,
            year: date.year.map(|(_, year)| (first + 2, year)),
            end: first + 3,
            certainty: 0.8,
            ..date
        }
    })
}

/// Eight or six digits that are a date, behind a key: "DOB 19860526".
fn compact(document: &Document<'_>, code: &Code) -> Option<Written> {
    let first = code.first as usize;
    let token = &document.tokens[first];
    if code.letters > 0 || code.end as usize != first + 1 || !token.is_number() {
        return None;
    }
    let keyed = number::keys(code).0.any(cues::KEY_DATE) && near_key(document, code);
    let text = document.word(first);
    let number = |from: usize, to: usize| text[from..to].parse::<u32>().unwrap_or(0);
    let day_month = |a: u32, b: u32| {
        (1..=12).contains(&a) && (1..=31).contains(&b) || (1..=31).contains(&a) && (1..=12).contains(&b)
    };
    let valid = match token.len() {
        8 => {
            (1900..=2040).contains(&number(0, 4))
                && (1..=12).contains(&number(4, 6))
                && (1..=31).contains(&number(6, 8))
                || (1900..=2040).contains(&number(4, 8)) && day_month(number(0, 2), number(2, 4))
        }
        6 => keyed && day_month(number(0, 2), number(2, 4)),
        _ => false,
    };
    let mut written = Written::new(
        first,
        first + 1,
        "day, month and year without separators",
        if keyed { 0.85 } else { 0.72 },
    );
    // The parts lie in one token: it can only be replaced as a whole.
    written.day = Some((first, 0));
    valid.then_some(written)
}

/// The date that a text consists of, for its replacement.
pub(crate) fn parse(document: &Document<'_>) -> Option<Written> {
    let at = (0..document.tokens.len().min(3)).find(|at| document.tokens[*at].is_number());
    if let Some(written) = at.and_then(|at| numeric(document, at)) {
        let weekday = weekday_before(document, written.first);
        return Some(Written {
            weekday: (weekday < written.first).then_some(weekday),
            first: weekday,
            ..written
        });
    }
    let mut found = None;
    date_words::find(document, &mut |written, _| found = found.or(Some(written)));
    found
}

/// Calls back with every date of a document, coarse ones included.
pub(crate) fn all(document: &Document<'_>, found: &mut dyn FnMut(Written)) {
    for code in document.codes_here() {
        if let Some(written) = numeric(document, code.first as usize) {
            found(written);
        }
    }
    date_words::find(document, &mut |written, _| found(written));
}
