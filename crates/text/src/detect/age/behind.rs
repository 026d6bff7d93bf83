//! Ages by what is behind them: years, months and a sex, in all spellings.

use super::super::is_name;
use crate::cues::{self, Sets};
use crate::document::Document;
use crate::token::{Flags, Token};
use crate::words::WordSet;

/// Ages of small children.
pub(in super::super) const MONTHS: WordSet = words!["months", "month", "mths", "mos", "weeks", "wks"];

/// Words of one token that say "years old".
pub(in super::super) const OLD: WordSet =
    words!["yo", "jährige", "jähriger", "jährigen", "yof", "yom", "jaehrige", "jaehriger"];

/// Units of ages.
pub(in super::super) const YEARS: WordSet = words![
    "year",
    "years",
    "yr",
    "yrs",
    "y",
    "jahre",
    "ans",
    "años",
    "month",
    "months",
    "mo",
    "mos",
    "week",
    "weeks",
    "wk",
    "day",
    "days",
    "yo",
    "jährige",
    "jähriger",
    "jährigen",
];

/// Units that are joined with their number.
pub(in super::super) const JOINED: WordSet = words!["y", "yr", "yrs", "j"];

/// Letters of the sexes.
pub(in super::super) const LETTERS: WordSet = words!["f", "m"];

/// Words of the sexes.
pub(in super::super) const SEXES: WordSet = words!["female", "male", "woman", "man", "boy", "girl"];

/// Whether a number with a glued F is a size in French or a temperature: "20F drain", "T 98F".
fn is_size(document: &Document<'_>, first: usize, end: usize) -> bool {
    let before = words![
        "sheath",
        "french",
        "pigtail",
        "bougie",
        "foley",
        "robinson",
        "guide",
        "dilator",
        "gauge",
        "introducer",
        "picc",
        "line",
        "coude",
        "suprapubic",
        "ngt",
        "ng",
        "ett",
        "catheter",
        "drain",
        "tube",
        "stent",
        "cannula",
        "shunt",
        "temp",
        "t",
        "tmax",
        "temperature",
        "febrile",
        "to",
        "of",
        "afebrile",
        "tm",
        "size",
        "blake",
        "jp",
        "dobhoff",
    ];
    let behind = words![
        "sheath",
        "french",
        "pigtail",
        "bougie",
        "foley",
        "robinson",
        "guide",
        "dilator",
        "introducer",
        "coude",
        "suprapubic",
        "ngt",
        "ng",
        "ett",
        "catheter",
        "drain",
        "tube",
        "stent",
        "cannula",
        "shunt",
        "ureteral",
        "ureteric",
        "balloon",
        "guiding",
        "diagnostic",
        "jj",
        "malecot",
        "temp",
        "temperature",
        "urinary",
        "silastic",
    ];
    // "Clinical history: gout, 41F": what is before a comma is another thing.
    let named = first.checked_sub(1).is_some_and(|at| document.is_any(at, before));
    let eponym =
        first > 0 && document.tokens[first].len() == 1 && document.tokens[first - 1].word.is_eponym();
    named
        || eponym
        || document.is_any(end + 1, behind)
        || document.is_any(end + 2, behind) && !document.tokens[end + 1].has(Flags::LINE)
}

/// Whether [`behind`] can find something: it asks for one of the first two tokens. Most numbers are
/// no ages, which this says at once.
pub(super) fn may_be_behind(document: &Document<'_>, end: usize) -> bool {
    let asked = document.tokens.get(end..).unwrap_or_default();
    asked.iter().take(2).any(|token| token.cue.sets().any(Sets::AGE_BEHIND))
}

/// What is behind an age: the rule, the certainty and its end.
pub(super) fn behind(
    document: &Document<'_>,
    first: usize,
    end: usize,
) -> Option<(&'static str, f32, usize)> {
    if !may_be_behind(document, end) {
        return None;
    }
    by_rules(document, first, end)
}

/// The same, from the words behind the number alone.
pub(super) fn by_rules(
    document: &Document<'_>,
    first: usize,
    end: usize,
) -> Option<(&'static str, f32, usize)> {
    let tokens = &document.tokens;
    let next = tokens.get(end)?;
    if next.has(Flags::PARAGRAPH) {
        return None;
    }
    let hyphen = |at: usize| {
        at + usize::from(
            tokens
                .get(at)
                .is_some_and(|token| token.is_sign(b'-') || token.first == 0xe2 && !token.is_word()),
        )
    };
    let at = hyphen(end);
    let word = tokens.get(at).is_some_and(Token::is_word);
    if !word && !next.is_word() && !next.is_sign(b'/') {
        return None;
    }
    // "Daughter Zainab now 4 months".
    let small = tokens[first].is_number()
        && document.is_any(at, MONTHS)
        && first > 0
        && document.is_any(first - 1, words!["now", "aged", "is", "currently"])
        && !document.is_any(
            at + 1,
            words![
                "ago",
                "of",
                "post",
                "out",
                "into",
                "pregnant",
                "gestation",
                "since",
                "after",
                "from",
                "later",
                "postpartum",
                "and",
                "on",
                "behind",
                "in",
                "old",
                "overdue"
            ],
        );
    if small && (first < 2 || is_name(&tokens[first - 2]) || tokens[first - 2].is(cues::RELATIVE)) {
        return Some(("now N months", 0.74, at + 1));
    }
    let years = word && document.is_any(at, YEARS);
    if document.is_any(at, OLD) {
        return Some(("years old", 0.95, at + 1));
    }
    if years {
        let mut old = at + 1;
        if tokens.get(old).is_some_and(|token| token.is_sign(b'.') || token.is_sign(b'/'))
            && document.glued(old)
            && document.glued(old + 1)
        {
            old += 1;
        }
        old = hyphen(old);
        if document.is_any(old, words!["old", "o", "alt", "olds"]) {
            return Some(("years old", 0.96, old + 1));
        }
        if document.is_any(old, words!["of"]) && document.is(old + 1, "age") {
            return Some(("years of age", 0.95, old + 2));
        }
        if document.is_any(
            old,
            words!["female", "male", "boy", "girl", "man", "woman", "gentleman", "lady", "f", "m"],
        ) {
            return Some(("years and sex", 0.9, old + 1));
        }
    }
    // "(FS Labrador, 9y)".
    if document.is_any(end, words!["y", "yrs", "yr"])
        && document.glued(end)
        && tokens
            .get(end + 1)
            .is_none_or(|next| matches!(next.first, b')' | b',' | b'.' | b';') && !next.is_word())
    {
        return Some(("years", 0.8, end + 1));
    }
    // "(anna, 64 years)", "NAME, 79 yrs": behind a name, a sex or a bracket.
    if years
        && !document.is_any(
            at + 1,
            words![
                "ago", "of", "history", "later", "prior", "after", "before", "and", "post", "from", "in",
                "for", "since", "now", "with",
            ],
        )
    {
        let before = first.checked_sub(1).map(|at| &tokens[at]);
        let weeks = document.is_any(at, words!["week", "weeks", "wk", "day", "days"]);
        let start = before.is_none_or(|token| {
            matches!(token.first, b',' | b'(' | b'|' | b':') && !token.is_word()
                || is_name(token) && !weeks
                || token.has(Flags::SINGLE) && matches!(token.first, b'F' | b'M')
                || tokens[first].has(Flags::GAP) && !weeks
        });
        let closed =
            tokens.get(at + 1).is_none_or(|next| !next.is_word() || next.has(Flags::LINE.or(Flags::GAP)));
        if start && closed {
            return Some(("years behind a name", 0.78, at + 1));
        }
    }
    // "038Y", "62y".
    let letters = tokens
        .get(end + 1)
        .is_some_and(|next| !next.has(Flags::SPACE) && (next.is_number() || next.is_word()));
    if document.is_any(end, JOINED) && document.glued(end) && !letters {
        return Some(("years", 0.85, end + 1));
    }
    // "47F", "47 M", "91/F", "47 female".
    let slash = usize::from(next.is_sign(b'/') && document.glued(end));
    let sex = end + slash;
    if document.is_any(sex, LETTERS)
        && tokens[sex].has(Flags::CAPITAL)
        && (document.glued(sex) || slash > 0)
        && (slash > 0 || tokens[sex].first != b'F' || !is_size(document, first, end))
    {
        let behind = tokens.get(sex + 1);
        let free = behind.is_none_or(|behind| {
            behind.has(Flags::SPACE) || !matches!(behind.first, b'-' | b'/' | b'0'..=b'9')
        });
        return free.then_some(("sex behind", 0.85, sex + 1));
    }
    // "47 M", "61f" behind a name, a comma or at the start of a line.
    let before = first.checked_sub(1).map(|at| &tokens[at]);
    let starts = tokens[first].has(Flags::LINE.or(Flags::GAP))
        || before.is_some_and(|token| {
            matches!(token.first, b',' | b'(' | b'|' | b':') && !token.is_word()
                || is_name(token)
                || document.is_any(first - 1, words!["pt", "patient", "a", "an"])
        });
    let sexed = document.is_any(end, LETTERS)
        && !letters
        && tokens.get(end).is_some_and(|sex| sex.has(Flags::CAPITAL) || document.glued(end));
    if starts
        && sexed
        && !is_size(document, first, end)
        && !tokens[end].has(Flags::LINE)
        && !tokens
            .get(end + 1)
            .is_some_and(|next| matches!(next.first, b'/' | b'-' | b'0'..=b'9') && !next.is_word())
    {
        return Some(("sex behind", 0.78, end + 1));
    }
    if document.is_any(end, SEXES) {
        return Some(("sex behind", 0.85, end + 1));
    }
    None
}
