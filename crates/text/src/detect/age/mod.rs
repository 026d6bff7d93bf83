//! Ages: numbers with "years old" in all its spellings, with a sex, behind "age", and decades.
//!
//! `behind.rs` has what is said behind a number, `before.rs` what is said before it, and `family.rs`
//! the ages of relatives.

pub(super) mod before;
pub(super) mod behind;
pub(super) mod family;

use super::Detector;
use crate::candidates::{Candidates, Score};
use crate::cues;
use crate::document::Document;
use crate::span::Kind;
use crate::token::Flags;
use crate::words::WordSet;
use before::before;
use behind::behind;

/// Units of ages of children, behind a name and a comma.
pub(super) const UNITS: WordSet =
    words!["mo", "mos", "months", "wk", "wks", "weeks", "days", "m", "mth", "mths", "y", "yrs"];

/// Finds ages.
pub struct Age;

impl Detector for Age {
    fn name(&self) -> &'static str {
        "age"
    }

    fn detect(&self, document: &Document<'_>, found: &mut Candidates) {
        for code in document.codes_here() {
            let first = code.first as usize;
            let token = &document.tokens[first];
            if token.is_number() && token.len() <= 3 && code.end as usize - first <= 9 {
                self.propose(document, first, first + 1, found);
                if token.len() == 2 {
                    self.decade(document, first, found);
                }
            }
        }
        for cue in document.times_here() {
            let at = *cue as usize;
            if document.tokens[at].is(cues::NUMBER) {
                let starts = at == 0 || !document.tokens[at - 1].is(cues::NUMBER);
                if let Some(end) = starts.then(|| numeral(document, at)).flatten() {
                    self.propose(document, at, end, found);
                }
            }
            if document.tokens[at].is(cues::AGE) {
                self.keyed(document, at, found);
                self.decade(document, at, found);
            }
        }
    }
}

/// The end of a number in words below 120: "ninety-one", "forty seven".
fn numeral(document: &Document<'_>, at: usize) -> Option<usize> {
    let tokens = &document.tokens;
    let value =
        |at: usize| tokens.get(at).filter(|token| token.is(cues::NUMBER)).map(|token| token.cue.value);
    let first = value(at)?;
    if first >= 20 && first % 10 == 0 && first < 100 {
        let hyphen = tokens.get(at + 1).is_some_and(|token| token.is_sign(b'-'));
        let next = at + 1 + usize::from(hyphen);
        if value(next).is_some_and(|unit| unit < 10) {
            return Some(next + 1);
        }
    }
    Some(at + 1)
}

impl Age {
    /// Proposes a number if what is behind or before it says that it is an age.
    fn propose(&self, document: &Document<'_>, first: usize, end: usize, found: &mut Candidates) {
        let number = document.word(first).parse::<u32>().unwrap_or(0);
        if number > 125 {
            return;
        }
        // Asked only where something says that it is an age.
        let odd = || is_clock(document, first) || is_gestation(document, first, end);
        let (first, whole) = (first, fraction(document, end));
        if let Some((rule, certainty, behind)) = behind(document, first, whole) {
            if odd() {
                return;
            }
            let score = Score::new(rule, document.bytes(whole..behind), certainty);
            let start = fraction_start(document, first);
            // Months and weeks are a part of the age.
            let unit = whole + usize::from(document.tokens.get(whole).is_some_and(|sign| sign.is_sign(b'-')));
            let short = document
                .is_any(unit, words!["months", "month", "mos", "mo", "weeks", "week", "wk", "days", "day"]);
            let end = match rule {
                "years behind a name" if short => behind,
                "years" if document.glued(whole) && document.tokens[whole].has(Flags::CAPITAL) => behind,
                "years old" if short => unit + 1,
                // "038Y F".
                _ if document.is(whole, "y")
                    && document.glued(whole)
                    && document.tokens[whole].is_capital() =>
                {
                    whole + 1
                }
                _ => whole,
            };
            found.add(self.name(), Kind::Age, document.bytes(start..end), &score);
            return;
        }
        if let Some((certainty, from)) = child(document, first, whole) {
            let score = Score::new("behind a name", document.bytes(from..first), certainty);
            found.add(self.name(), Kind::Age, document.bytes(first..whole + 1), &score);
            return;
        }
        if let Some((rule, certainty, from, to)) = before(document, first, end).filter(|_| !odd()) {
            let score = Score::new(rule, document.bytes(from..to), certainty);
            found.add(self.name(), Kind::Age, document.bytes(first..whole), &score);
        }
    }

    /// "age 47", "aged 91", "Age: 47".
    fn keyed(&self, document: &Document<'_>, at: usize, found: &mut Candidates) {
        let tokens = &document.tokens;
        let mut next = at + 1;
        let skipped = |next: usize| {
            document.is_any(next, words!["of", "is", "was", "about", "approximately", "approx"])
                || tokens.get(next).is_some_and(|token| token.is_sign(b':') || token.is_sign(b'='))
        };
        while next < at + 4 && skipped(next) {
            next += 1;
        }
        // "Age at travel 69".
        if document.is(next, "at") && tokens[at].is_capital() && tokens[at].has(Flags::LINE.or(Flags::GAP)) {
            next += 2;
            next += usize::from(tokens.get(next).is_some_and(|sign| sign.is_sign(b':')));
        }
        let Some(token) = tokens.get(next).filter(|token| !token.has(Flags::LINE)) else { return };
        if !document.is_any(at, words!["age", "aged", "ages", "alter"]) {
            return;
        }
        let end =
            if token.is_number() && token.len() <= 3 { Some(next + 1) } else { numeral(document, next) };
        let Some(end) = end.filter(|_| token.is_number() && token.len() <= 3 || token.is(cues::NUMBER))
        else {
            return;
        };
        let gestation = document.is_any(end, words!["weeks", "week", "wks", "days"])
            || at > 0 && document.is_any(at - 1, words!["gestational", "gest", "bone", "mental"]);
        if gestation {
            return;
        }
        let score = Score::new("behind \"age\"", document.bytes(at..at + 1), 0.9);
        found.add(self.name(), Kind::Age, document.bytes(next..fraction(document, end)), &score);
    }

    /// "in her nineties", "in his 90s", "nonagenarian", "centenarian".
    fn decade(&self, document: &Document<'_>, next: usize, found: &mut Candidates) {
        let tokens = &document.tokens;
        let token = &tokens[next];
        let mut before = next;
        while before > 0
            && next - before < 2
            && (tokens[before - 1].is_sign(b'-')
                || document.is_any(before - 1, words!["early", "mid", "late"]))
        {
            before -= 1;
        }
        let Some(at) = before
            .checked_sub(1)
            .filter(|at| document.is_any(*at, words!["his", "her", "their", "the", "my"]))
        else {
            return;
        };
        let words = words![
            "twenties",
            "thirties",
            "forties",
            "fifties",
            "sixties",
            "seventies",
            "eighties",
            "nineties",
            "teens",
        ];
        let number = token.is_number()
            && token.len() == 2
            && token.first != b'0'
            && document.slice(token.end - 1..token.end) == "0";
        let plural =
            document.is(next + 1, "s") || tokens.get(next + 1).is_some_and(|sign| sign.is_sign(b'\''));
        let end = match number && plural {
            true => next + 2,
            false if document.is_any(next, words) => next + 1,
            false => return,
        };
        let score =
            Score::new("decade", document.bytes(at..next), if document.is(at, "the") { 0.3 } else { 0.9 });
        found.add(self.name(), Kind::Age, document.bytes(next..end), &score);
    }
}

/// The certainty that a number with a unit is the age of who is named before it, and where the name is:
/// "HEBERT, MAE 6 mo fever", "Lily, 7 mths,".
fn child(document: &Document<'_>, first: usize, unit: usize) -> Option<(f32, usize)> {
    let tokens = &document.tokens;
    if !document.is_any(unit, UNITS) || tokens[unit].has(Flags::LINE) {
        return None;
    }
    let infant = first >= 1
        && document.is_any(unit, words!["mo", "mos", "months"])
        && super::is_name(&tokens[first - 1])
        && tokens[first].has(Flags::SPACE)
        && !tokens[first].has(Flags::LINE)
        && !document.is_any(unit + 1, words!["ago", "later", "after", "post", "of", "prior", "history"]);
    if infant {
        return Some((0.74, first - 1));
    }
    let closed = tokens
        .get(unit + 1)
        .is_none_or(|next| matches!(next.first, b',' | b')' | b'.' | b';') && !next.is_word());
    let listed = first >= 2
        && (tokens[first - 1].is_sign(b',') || tokens[first - 1].is_sign(b'('))
        && super::is_name(&tokens[first - 2]);
    (listed && closed).then(|| (0.8, first - 2))
}

/// Whether a number is the minutes of a time: "16:05 day 1".
fn is_clock(document: &Document<'_>, first: usize) -> bool {
    let tokens = &document.tokens;
    first >= 2
        && tokens[first - 1].is_sign(b':')
        && tokens[first - 2].is_number()
        && document.glued(first)
        && document.glued(first - 1)
}

/// Whether a number is the duration of a pregnancy: "28 2/7 week female", "28+4".
fn is_gestation(document: &Document<'_>, first: usize, end: usize) -> bool {
    let tokens = &document.tokens;
    let sevenths = |at: usize| {
        tokens.get(at).is_some_and(|token| token.is_number() && token.len() == 1)
            && tokens.get(at + 1).is_some_and(|sign| sign.is_sign(b'/'))
            && document.is(at + 2, "7")
    };
    let numerator = first > 0 && sevenths(first) && tokens[first - 1].is_number();
    let whole = sevenths(end) && tokens[first].len() == 2;
    let denominator = first >= 2 && sevenths(first - 2) && tokens[first].len() == 1;
    let plus = tokens.get(end).is_some_and(|sign| sign.is_sign(b'+'))
        && tokens.get(end + 1).is_some_and(|days| days.is_number() && days.len() == 1);
    numerator || whole || denominator && first >= 3 && tokens[first - 3].is_number() || plus
}

/// The end of a fraction behind a number: "7 and 6/12", "2 1/2".
fn fraction(document: &Document<'_>, end: usize) -> usize {
    let tokens = &document.tokens;
    let joined = end + usize::from(document.is(end, "and"));
    let number = |at: usize| {
        tokens.get(at).is_some_and(|token| token.is_number() && token.len() <= 2 && !token.has(Flags::LINE))
    };
    let slash = tokens.get(joined + 1).is_some_and(|token| token.is_sign(b'/'));
    if number(joined) && slash && number(joined + 2) && (joined > end || !document.glued(joined)) {
        return joined + 3;
    }
    // "5;3" is five years and three months in reports about children.
    let point = tokens
        .get(end)
        .is_some_and(|token| (token.is_sign(b'.') || token.is_sign(b';')) && document.glued(end));
    if point && number(end + 1) && document.glued(end + 1) { end + 2 } else { end }
}

/// The first token of a number whose fraction starts at a token.
fn fraction_start(document: &Document<'_>, first: usize) -> usize {
    let tokens = &document.tokens;
    let is_small = |at: usize| tokens.get(at).is_some_and(|token| token.is_number() && token.len() <= 3);
    let mut at = first;
    if at >= 2 && tokens[at - 1].is_sign(b'/') && is_small(at - 2) {
        at -= 2;
        if at >= 2 && document.is(at - 1, "and") && is_small(at - 2) {
            return at - 2;
        }
        if at >= 1 && is_small(at - 1) {
            return at - 1;
        }
    }
    first
}

/// Whether a number of two or three digits can be the age of somebody.
fn number_is_age(document: &Document<'_>, first: usize) -> bool {
    let token = &document.tokens[first];
    token.first != b'0' && document.word(first).parse::<u32>().is_ok_and(|years| (10..=110).contains(&years))
}

/// What says that a number is an age: the rule, the certainty, and where the evidence is.
type Evidence = (&'static str, f32, usize, usize);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Words and signs that say that a number is an age, and others.
    fn pieces() -> impl Strategy<Value = String> {
        let word = prop::sample::select(
            "7 40 46 091 125 6 1/2 years yrs y/o yo old months mo m f F M male woman next month now is was \
            turned of at age aged she he's who and or daughters sons sister Ann Lee HEBERT MAE BP mg DOB born \
            jährige ans week weeks approx listed died ♀ children kids her ninety forty-seven 1. Pt the in"
                .split_whitespace()
                .collect::<Vec<_>>(),
        );
        let behind = prop::sample::select(vec![
            " ", " ", " ", "", ", ", ". ", "-", ": ", "\n", "\n\n", "   ", " (", ") ", "/", "; ", "| ", "\"",
            "'s ",
        ]);
        prop::collection::vec((word, behind), 0..16)
            .prop_map(|words| words.into_iter().flat_map(|(word, behind)| [word, behind]).collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// What is asked first says no only where the rules do.
        #[test]
        fn rules_hold_only_where_they_can(text in pieces()) {
            let document = Document::read(&text, Document::default());
            for first in 0..document.tokens.len() {
                let token = &document.tokens[first];
                if !(token.is_number() && token.len() <= 3 || token.is(cues::NUMBER)) {
                    continue;
                }
                for end in [first + 1, fraction(&document, first + 1)] {
                    prop_assert_eq!(behind(&document, first, end), behind::by_rules(&document, first, end));
                    prop_assert_eq!(before(&document, first, end), before::by_rules(&document, first, end));
                }
            }
        }
    }
}
