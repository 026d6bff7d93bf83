//! Ages: numbers with "years old" in all its spellings, with a sex, behind "age", and decades.

use super::Detector;
use crate::candidates::{Candidates, Score};
use crate::cues;
use crate::document::Document;
use crate::span::Kind;
use crate::token::{Flags, Token};

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
        let months = document.is_any(
            whole,
            words!["mo", "mos", "months", "wk", "wks", "weeks", "days", "m", "mth", "mths", "y", "yrs"],
        );
        let listed = first >= 2
            && (document.tokens[first - 1].is_sign(b',') || document.tokens[first - 1].is_sign(b'('))
            && super::is_name(&document.tokens[first - 2]);
        // "HEBERT, MAE 6 mo fever".
        let infant = first >= 1
            && document.is_any(whole, words!["mo", "mos", "months"])
            && super::is_name(&document.tokens[first - 1])
            && document.tokens[first].has(Flags::SPACE)
            && !document.tokens[first].has(Flags::LINE)
            && !document.is_any(whole + 1, words!["ago", "later", "after", "post", "of", "prior", "history"]);
        if infant && !document.tokens[whole].has(Flags::LINE) {
            let score = Score::new("behind a name", document.bytes(first - 1..first), 0.74);
            found.add(self.name(), Kind::Age, document.bytes(first..whole + 1), &score);
            return;
        }
        let closed = document
            .tokens
            .get(whole + 1)
            .is_none_or(|next| matches!(next.first, b',' | b')' | b'.' | b';') && !next.is_word());
        if months && listed && closed && !document.tokens[whole].has(Flags::LINE) {
            let score = Score::new("behind a name", document.bytes(first - 2..first), 0.8);
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

/// What is behind an age: the rule, the certainty and its end.
fn behind(document: &Document<'_>, first: usize, end: usize) -> Option<(&'static str, f32, usize)> {
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
        && document.is_any(at, words!["months", "month", "mths", "mos", "weeks", "wks"])
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
    if small && (first < 2 || super::is_name(&tokens[first - 2]) || tokens[first - 2].is(cues::RELATIVE)) {
        return Some(("now N months", 0.74, at + 1));
    }
    let years = word
        && document.is_any(
            at,
            words![
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
            ],
        );
    if document
        .is_any(at, words!["yo", "jährige", "jähriger", "jährigen", "yof", "yom", "jaehrige", "jaehriger"])
    {
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
                || super::is_name(token) && !weeks
                || token.has(Flags::SINGLE) && matches!(token.first, b'F' | b'M')
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
    if document.is_any(end, words!["y", "yr", "yrs", "j"]) && document.glued(end) && !letters {
        return Some(("years", 0.85, end + 1));
    }
    // "47F", "47 M", "91/F", "47 female".
    let slash = usize::from(next.is_sign(b'/') && document.glued(end));
    let sex = end + slash;
    if document.is_any(sex, words!["f", "m"])
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
                || super::is_name(token)
                || document.is_any(first - 1, words!["pt", "patient", "a", "an"])
        });
    let sexed = document.is_any(end, words!["f", "m"])
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
    if document.is_any(end, words!["female", "male", "woman", "man", "boy", "girl"]) {
        return Some(("sex behind", 0.85, end + 1));
    }
    None
}

/// What is before an age in brackets or behind a name: "(66)", "at age 38" is elsewhere; "turned
/// 40".
fn before(document: &Document<'_>, first: usize, end: usize) -> Option<(&'static str, f32, usize, usize)> {
    let tokens = &document.tokens;
    let field = document
        .field_of(first)
        .filter(|field| field.head.any(cues::KEY_AGE) && field.value.start as usize == first);
    if let Some(field) = field {
        return Some(("key of an age", 0.95, field.key.start as usize, field.key.end as usize));
    }
    let previous = first.checked_sub(1)?;
    // "4 Aug/68/Gronholt" in a list of onset, age and place.
    let slash = |at: usize| tokens.get(at).is_some_and(|token| token.is_sign(b'/') && document.glued(at));
    if slash(previous)
        && slash(end)
        && previous > 0
        && tokens[previous - 1].is(cues::MONTH)
        && tokens.get(end + 1).is_some_and(|place| place.is_capital() && document.glued(end + 1))
    {
        return Some(("between a date and a place", 0.7, previous - 1, first));
    }
    let next = tokens.get(end);
    let ends = next
        .is_none_or(|next| matches!(next.first, b'.' | b',' | b';' | b'!' | b'?' | b')') && !next.is_word())
        || document.is_any(end, words!["and", "but", "years", "now", "when", "then"])
        || next.is_some_and(|next| next.is_sign(b'"') && next.has(Flags::SPACE))
        || document.is(end, "in") && tokens.get(end + 1).is_some_and(|month| month.is(cues::MONTH));
    let (are, am) = (document.is(previous, "are"), document.is_any(previous, words!["am", "im"]));
    // "Now 67, he retired".
    let opened = document.is(previous, "now")
        && tokens[previous].has(Flags::SENTENCE)
        && tokens
            .get(end)
            .is_some_and(|next| next.is_sign(b',') || document.is_any(end, words!["and", "he", "she"]));
    if opened && tokens[first].is_number() && number_is_age(document, first) {
        return Some(("now N", 0.74, previous, first));
    }
    let short =
        tokens[previous].has(Flags::POSSESSIVE) && document.is_any(previous, words!["he", "she", "who"]);
    if short && ends && tokens[first].is_number() && number_is_age(document, first) {
        return Some(("is N years old", 0.8, previous, first));
    }
    let oneself =
        previous > 0 && (are && document.is(previous - 1, "you") || am && document.is(previous - 1, "i"));
    if oneself
        && ends
        && tokens[first].is_number()
        && tokens[first].len() <= 3
        && number_is_age(document, first)
    {
        return Some(("is N years old", 0.8, previous - 1, first));
    }
    if document.is(previous, "now")
        && previous > 0
        && document.is_any(previous - 1, words!["is", "are", "am", "he's", "she's"])
        && ends
        && tokens[first].is_number()
        && number_is_age(document, first)
    {
        return Some(("is now N", 0.78, previous - 1, first));
    }
    if (document.is_any(previous, words!["is", "was", "be"])
        || document.is_any(previous, words!["she's", "he's", "shes", "hes"]))
        && ends
        && (tokens[first].is_number() && tokens[first].len() <= 3
            || tokens[first].is(cues::NUMBER) && tokens[first].cue.value >= 10)
    {
        let subject = previous.checked_sub(1).map(|at| &tokens[at]);
        if subject.is_some_and(|token| {
            super::is_name(token)
                || token.is(cues::RELATIVE)
                || document.is_any(previous, words!["shes", "hes", "she's", "he's"])
                || token.is_capital() && !token.word.is_known() && !token.has(Flags::UPPER.or(Flags::MIXED))
                || document.is_any(
                    previous - 1,
                    words![
                        "he", "she", "who", "now", "patient", "pt", "her", "him", "will", "she'll", "he'll",
                        "who'll", "would", "to", "shell", "hell",
                    ],
                )
        }) && (!document.glued(previous - 1)
            || document.is_any(previous, words!["shes", "hes", "she's", "he's"]))
            && !tokens.get(end).is_some_and(|next| {
                next.is_sign(b'%') || next.is_sign(b'.') && tokens.get(end + 1).is_some_and(Token::is_number)
            })
        {
            return Some(("is N years old", 0.8, previous - 1, first));
        }
    }
    if document.is_any(previous, words!["turned", "turning", "turns", "turn", "aged", "approx", "aet"])
        && (tokens[first].is_number() && tokens[first].len() == 2 || tokens[first].is(cues::NUMBER))
        && (!super::number::is_measured(document, end) || document.is(end, "in"))
    {
        return Some(("turned", 0.8, previous, first));
    }
    // "a retired teacher of 71", "breast cancer at 38 and".
    let adult = tokens[first].is_number() && tokens[first].len() == 2 && tokens[first].first != b'0' && ends;
    if adult
        && document.is(previous, "of")
        && previous > 0
        && (tokens[previous - 1].word.is_occupation()
            || document.is_any(
                previous - 1,
                words!["man", "woman", "lady", "gentleman", "boy", "girl", "age", "teacher", "schoolteacher"],
            ))
    {
        return Some(("of N years", 0.78, previous - 1, first));
    }
    let event = |at: usize| {
        tokens[at].word.is_medical()
            || document.is_any(
                at,
                words![
                    "died",
                    "diagnosed",
                    "retired",
                    "married",
                    "cancer",
                    "attack",
                    "stroke",
                    "menarche",
                    "menopause",
                ],
            )
    };
    if adult
        && document.is(previous, "at")
        && previous > 0
        && event(previous - 1)
        && tokens[previous - 1].is_word()
        && !tokens[previous - 1].has(Flags::CAPITAL)
    {
        return Some(("at N years", 0.72, previous - 1, first));
    }
    if let Some(found) = aside(document, first, end) {
        return Some(found);
    }
    if let Some(found) = identified(document, first, end).or_else(|| relative(document, first, end)) {
        return Some(found);
    }
    if tokens[previous].first == 0xe2
        && matches!(document.word(previous), "♀" | "♂")
        && tokens[first].is_number()
        && number_is_age(document, first)
    {
        return Some(("sex before", 0.84, previous, first));
    }
    if let Some(from) = listed(document, first, end) {
        return Some(("list of ages", 0.72, from, first));
    }
    // "mother, 70, gout", "brother 45 DM", "father d. 62 CVA", "two sisters, 40 and 38".
    if family_member(document, first, end) {
        return Some(("behind a relative", 0.72, previous, first));
    }
    // "At 71 she still drives".
    let subject = document.is_any(end, words!["he", "she", "they"]) && tokens[previous].has(Flags::SENTENCE);
    if adult_at(document, previous, first) && subject {
        return Some(("at N years", 0.76, previous, first));
    }
    // "F 61", "M/61" at the start of a line or cell, or behind a name.
    let slash = usize::from(tokens[previous].is_sign(b'/') && document.glued(first));
    if let Some(sex) = previous.checked_sub(slash).filter(|sex| {
        tokens[*sex].has(Flags::SINGLE)
            && matches!(tokens[*sex].first, b'F' | b'M')
            && tokens[first].is_number()
            && tokens[first].len() == 2
    }) {
        let alone = tokens[sex].has(Flags::LINE.or(Flags::GAP))
            || sex > 0
                && (matches!(tokens[sex - 1].first, b',' | b'(' | b'|' | b':' | b';' | b'.')
                    && !tokens[sex - 1].is_word()
                    || super::is_name(&tokens[sex - 1]));
        if alone && !super::number::is_measured(document, end) {
            return Some(("sex before", 0.78, sex, first));
        }
    }
    // "SMITH 51": a number of two digits that ends the line of a name.
    let last = tokens.get(end).is_none_or(|next| {
        next.has(Flags::LINE.or(Flags::GAP)) || matches!(next.first, b',' | b')' | b'|') && !next.is_word()
    });
    let full = tokens[previous].is_capital()
        && super::is_name(&tokens[previous])
        && previous > 0
        && super::is_name(&tokens[previous - 1])
        && !tokens[previous].word.is_eponym();
    if last
        && full
        && tokens[first].is_number()
        && tokens[first].len() == 2
        && tokens[first].first != b'0'
        && !document.glued(first)
    {
        return Some(("behind a full name", 0.62, previous - 1, first));
    }
    // "(anna, 26)".
    let inner = tokens[previous].is_sign(b',')
        && tokens.get(end).is_some_and(|token| token.is_sign(b')'))
        && previous > 0
        && tokens[previous - 1].is_word();
    if inner && tokens[first].is_number() && tokens[first].len() <= 2 {
        return Some(("behind a name in brackets", 0.76, previous - 1, first));
    }
    // "Lily (6)", "Mr Zielinski (45)": a number of one or two digits in brackets behind a name.
    let bracket = tokens[previous].is_sign(b'(')
        && tokens.get(end).is_some_and(|token| token.is_sign(b')') || token.is_sign(b','));
    let name = previous.checked_sub(1).map(|at| &tokens[at]).filter(|token| super::is_name(token));
    if bracket && tokens[first].is_number() && name.is_some() {
        return Some(("in brackets behind a name", 0.8, previous - 1, previous));
    }
    // "Rohan, 6, and Isla": a child in a list.
    let child = tokens[previous].is_sign(b',')
        && tokens[first].len() == 1
        && tokens[first].first != b'0'
        && tokens
            .get(end)
            .is_some_and(|token| matches!(token.first, b',' | b';' | b')' | b'.') && !token.is_word())
        && !tokens.get(end + 1).is_some_and(Token::is_number)
        && !super::number::is_measured(document, end);
    if child
        && tokens[first].is_number()
        && name.is_some_and(|name| name.word.is_first_name() || is_kin(document, previous - 1, 3))
    {
        return Some(("between commas behind a name", 0.7, previous - 1, previous));
    }
    // "2 kids, Zeke 9 and Amara 6".
    let beside = super::is_name(&tokens[previous])
        && tokens[first].is_number()
        && tokens[first].len() <= 2
        && tokens[first].first != b'0'
        && tokens[first].has(Flags::SPACE)
        && !tokens[first].has(Flags::LINE.or(Flags::GAP));
    let followed = tokens.get(end).is_none_or(|next| {
        matches!(next.first, b',' | b';' | b')' | b'.')
            && !next.is_word()
            && !tokens.get(end + 1).is_some_and(Token::is_number)
            || document.is_any(end, words!["and", "&"])
    });
    let child = tokens[first].len() == 1 || tokens[previous].word.is_first_name();
    if beside && followed && child && is_kin(document, previous, 8) {
        return Some(("behind the name of a relative", 0.72, previous, first));
    }
    // "Wanda Smith, 47, was"
    let comma = tokens[previous].is_sign(b',')
        && tokens.get(end).is_none_or(|token| {
            matches!(token.first, b',' | b'.' | b';' | b')')
                && !token.is_word()
                && !token.is_number()
                && !tokens.get(end + 1).is_some_and(Token::is_number)
                || token.has(Flags::LINE)
                || document.is_any(end, words!["and", "who", "with", "lives", "was", "is", "from"])
        });
    if comma && tokens[first].is_number() && tokens[first].len() == 2 && name.is_some() {
        return Some(("between commas behind a name", 0.75, previous - 1, previous));
    }
    None
}

/// Whether a number stands beside a relative in a family history: with a comma, a state of health or
/// nothing between them.
fn family_member(document: &Document<'_>, first: usize, end: usize) -> bool {
    let tokens = &document.tokens;
    let number = &tokens[first];
    if !number.is_number() || number.len() != 2 || !number_is_age(document, first) || number.has(Flags::LINE)
    {
        return false;
    }
    if !tokens[first.saturating_sub(4)..first].iter().any(|near| near.is(cues::RELATIVE)) {
        return false;
    }
    let mut at = first;
    while at > 0 && first - at < 3 {
        let between = matches!(tokens[at - 1].first, b',' | b'.' | b'(' | b'-') && !tokens[at - 1].is_word()
            || document.is_any(
                at - 1,
                words![
                    "d", "died", "deceased", "alive", "living", "a", "age", "well", "healthy", "now", "still"
                ],
            );
        if !between {
            break;
        }
        at -= 1;
    }
    let kin = at.checked_sub(1).is_some_and(|kin| {
        tokens[kin].is(cues::RELATIVE)
            && document.same_line(kin, first)
            && !document.is_any(
                kin,
                words!["child", "children", "friend", "friends", "host", "baby", "partner", "ex"],
            )
    });
    let next = tokens.get(end);
    let closed = next.is_none_or(|next| {
        next.has(Flags::LINE)
            || matches!(next.first, b',' | b';' | b')' | b'.')
                && !next.is_word()
                && !(document.glued(end + 1) && tokens.get(end + 1).is_some_and(Token::is_number))
            || next.is_word()
                && next.has(Flags::SPACE)
                && !super::number::is_measured(document, end)
                && !next.is(cues::TIME_UNIT.or(cues::UNIT))
                && (next.word.is_medical() || next.word.is_shorthand() || next.word.is_function())
    });
    kin && closed
}

fn adult_at(document: &Document<'_>, previous: usize, first: usize) -> bool {
    document.is(previous, "at") && document.tokens[first].is_number() && number_is_age(document, first)
}

/// The first token of what says that a number is one of several ages: "aged 14, 12 and 9", "two boys
/// (4 and 7)".
fn listed(document: &Document<'_>, first: usize, end: usize) -> Option<usize> {
    let tokens = &document.tokens;
    let number = &tokens[first];
    if !number.is_number() || number.len() > 2 || number.first == b'0' || number.has(Flags::LINE) {
        return None;
    }
    let mut at = first;
    while at > 0 && first - at < 8 && document.same_line(at - 1, first) {
        let before = &tokens[at - 1];
        let part = matches!(before.first, b',' | b'&' | b'(') && !before.is_word()
            || before.is_number() && before.len() <= 2
            || document.is_any(at - 1, words!["and", "or"]);
        if !part {
            break;
        }
        at -= 1;
    }
    let key = at.checked_sub(1)?;
    let aged = at < first && document.is_any(key, words!["aged", "ages"]);
    let children = words![
        "sisters",
        "brothers",
        "sons",
        "daughters",
        "children",
        "boys",
        "girls",
        "kids",
        "twins",
        "grandchildren",
        "grandsons",
        "granddaughters",
        "nephews",
        "nieces",
        "stepchildren"
    ];
    let counted = key > 0
        && (tokens[key - 1].is_number()
            || tokens[key - 1].is(cues::NUMBER)
            || document.is_any(key - 1, words!["her", "his", "their", "the", "our", "my", "of"]));
    let closed = tokens.get(end).is_none_or(|next| {
        next.has(Flags::LINE)
            || matches!(next.first, b',' | b')' | b';' | b'.')
                && !next.is_word()
                && !(document.glued(end + 1) && tokens.get(end + 1).is_some_and(Token::is_number))
            || document
                .is_any(end, words!["and", "&", "or", "who", "respectively", "years", "yrs", "both", "live"])
    });
    (closed && (aged || document.is_any(key, children) && counted)).then_some(key)
}

/// Whether a number of two or three digits can be the age of somebody.
fn number_is_age(document: &Document<'_>, first: usize) -> bool {
    let token = &document.tokens[first];
    token.first != b'0' && document.word(first).parse::<u32>().is_ok_and(|years| (10..=110).contains(&years))
}

/// Whether a relative is shortly before a token.
fn is_kin(document: &Document<'_>, at: usize, reach: usize) -> bool {
    (at.saturating_sub(reach)..at).rev().take_while(|near| !document.tokens[*near].is_sign(b'.')).any(
        |near| {
            // "Child-Pugh" is a score.
            document.tokens[near].is(cues::RELATIVE) && !document.tokens[near + 1].is_sign(b'-')
                || document.is_any(
                    near,
                    words!["kids", "boys", "girls", "twins", "grandchildren", "nephews", "nieces"],
                )
        },
    )
}

/// An age behind what identifies somebody: "DOB 02.02.82   42", "CHI 1103417862. 82.".
fn identified(
    document: &Document<'_>,
    first: usize,
    end: usize,
) -> Option<(&'static str, f32, usize, usize)> {
    let tokens = &document.tokens;
    let number = &tokens[first];
    let likely = number.is_number()
        && number.first != b'0'
        && (number.len() <= 2 || number_is_age(document, first))
        && !number.has(Flags::LINE)
        && !number.is(cues::UNIT);
    let previous = first.checked_sub(1)?;
    let sign = matches!(tokens[previous].first, b'.' | b',' | b';' | b'(' | b'|' | b'/')
        && !tokens[previous].is_word();
    if !(sign || number.has(Flags::GAP))
        || sign && !number.has(Flags::SPACE) && !tokens[previous].is_sign(b'(')
    {
        return None;
    }
    let closed = tokens.get(end).is_none_or(|next| {
        next.has(Flags::LINE.or(Flags::GAP))
            || matches!(next.first, b'.' | b',' | b';' | b')' | b'|')
                && !next.is_word()
                && !(tokens.get(end + 1).is_some_and(Token::is_number) && document.glued(end + 1))
            || document.is_any(end, words!["f", "m", "y", "yrs", "yo", "male", "female"])
            || tokens[previous].is_sign(b'(') && bracketed(document, end)
    });
    if !likely || !closed {
        return None;
    }
    let last = previous + 1 - usize::from(sign);
    let birth = number.len() > 1 && !tokens[previous].is_sign(b'.');
    if let Some(from) = birth.then(|| written_birth(document, last)).flatten() {
        return Some(("behind a date of birth", 0.84, from, last));
    }
    let before = document.codes.partition_point(|code| (code.first as usize) < first).checked_sub(1)?;
    let code = &document.codes[before];
    // "3. Date of birth: 08/30/1975    4. SSN": the number of an item.
    let item = tokens.get(end).is_some_and(|next| next.is_sign(b'.')) && number.len() == 1
        || tokens.get(end).is_some_and(|next| next.is_sign(b'.')) && document.is_key(end + 1);
    if item || code.end as usize != last || !document.same_line(code.first as usize, first) {
        return None;
    }
    let born = code.is_date_like
        && code.is_sure_date
        && code.keys.any(cues::KEY_DATE)
        && is_born(document, code.key_at as usize, code.first as usize);
    let keys = cues::KEY_RECORD.or(cues::KEY_NATIONAL);
    let person = !code.is_date_like
        && code.digits >= 6
        && (code.keys.any(keys) || is_person_number(document, code.first as usize))
        && !code.keys.any(cues::KEY_PHONE.or(cues::KEY_DEVICE).or(cues::KEY_ACCOUNT))
        && number.len() >= 2;
    let rule = match (born, person) {
        (true, _) => ("behind a date of birth", 0.84),
        (_, true) => ("behind a number of a person", 0.72),
        _ => return None,
    };
    Some((rule.0, rule.1, code.first as usize, last))
}

/// The key of a date of birth with the month in letters that ends at a token: "DOB 23 Nov 1951".
fn written_birth(document: &Document<'_>, end: usize) -> Option<usize> {
    let tokens = &document.tokens;
    let mut at = end;
    let (mut month, mut numbers) = (false, 0);
    if !tokens[end.checked_sub(1)?].is_number() {
        return None;
    }
    while at > 0 && end - at < 6 && document.same_line(at - 1, end - 1) {
        let token = &tokens[at - 1];
        if !(token.is_number() || token.is(cues::MONTH) || matches!(token.first, b'-' | b'/' | b'.' | b',')) {
            break;
        }
        month |= token.is(cues::MONTH);
        numbers += usize::from(token.is_number());
        at -= 1;
    }
    let key = (at.saturating_sub(5)..at)
        .rev()
        .take_while(|key| document.same_line(*key, end - 1))
        .find(|key| document.is_any(*key, words!["dob", "born", "birth", "birthdate", "b"]))?;
    // "b" alone is many things.
    let short = tokens[key].len() == 1 && !(document.glued(key + 1) && tokens[key + 1].is_sign(b'.'));
    ((month || numbers == 3) && !short && at < end && !tokens[end - 1].is_word()).then_some(key)
}

/// Whether a bracket closes behind one or two short words: "(71 Ch F)".
fn bracketed(document: &Document<'_>, end: usize) -> bool {
    let tokens = &document.tokens;
    (end..end + 3)
        .take_while(|at| {
            tokens.get(*at).is_some_and(|token| {
                token.is_sign(b')')
                    || token.is_word() && token.len() <= 4 && (token.len() == 1 || !token.is(cues::UNIT))
            })
        })
        .any(|at| tokens[at].is_sign(b')'))
}

/// An age that words around it tell: "later confirmed 46 (DOB", "91 next month", "Orville ("Orv") is
/// 88, a retired", and behind a nickname in quotes: "NOWAK, JAN "Jack"  66".
fn aside(document: &Document<'_>, first: usize, end: usize) -> Option<(&'static str, f32, usize, usize)> {
    let tokens = &document.tokens;
    let previous = first.checked_sub(1)?;
    let next = tokens.get(end)?;
    let number = &tokens[first];
    if !number.is_number() || number.len() != 2 || !number_is_age(document, first) {
        return None;
    }
    let before = &tokens[previous];
    if next.is_sign(b'(') && next.has(Flags::SPACE) && !number.has(Flags::LINE) {
        let born = document.is_any(end + 1, words!["dob", "born", "b"])
            && !tokens[end + 1].has(Flags::LINE)
            && before.is_word();
        return born.then_some(("before a date of birth", 0.78, previous, first));
    }
    // "| Delgado, Ana | 29 |", "| ~60 |".
    if next.is_sign(b'|') && previous > 3 {
        let about = before.is_sign(b'~') && tokens[previous - 1].is_sign(b'|');
        let named = before.is_sign(b'|')
            && super::is_name(&tokens[previous - 1])
            && tokens[previous - 2].is_sign(b',')
            && super::is_name(&tokens[previous - 3]);
        return (about || named).then_some(("cell of a table", 0.72, previous, first));
    }
    if document.is(end, "next") {
        let soon = document.is_any(end + 1, words!["month", "week", "birthday", "year"])
            || tokens.get(end + 1).is_some_and(|next| next.is(cues::MONTH.or(cues::WEEKDAY)));
        let alone =
            before.is_sign(b',') || number.has(Flags::LINE) || document.is_any(previous, words!["is", "be"]);
        return (soon && alone).then_some(("next birthday", 0.74, first, end));
    }
    if document.is(previous, "is") && previous > 0 && tokens[previous - 1].is_sign(b')') && next.is_sign(b',')
    {
        let person = tokens.get(end + 1).is_some_and(|word| {
            document.is_any(end + 1, words!["a", "an", "and", "the"]) || word.is(cues::WORK)
        });
        return person.then_some(("is N years old", 0.76, previous, first));
    }
    let quoted =
        before.is_sign(b'"') && previous > 1 && tokens[previous - 1].is_capital() && number.has(Flags::GAP);
    let last = next.has(Flags::GAP.or(Flags::LINE));
    (quoted && last).then_some(("behind a nickname", 0.72, previous, first))
}

/// Whether the name of a number that states give to people is before a token.
fn is_person_number(document: &Document<'_>, first: usize) -> bool {
    (first.saturating_sub(3)..first)
        .any(|at| document.is_any(at, super::national::NAMES) || document.is(at, "nhs"))
}

/// Whether a key says that a date is one of birth.
fn is_born(document: &Document<'_>, key: usize, first: usize) -> bool {
    (key..first).any(|at| {
        document.is_any(at, words!["dob", "d.o.b", "born", "birth", "birthdate", "geb", "b", "né", "née"])
    }) || document.slice(document.bytes(key.saturating_sub(5)..first)).contains("o.b")
}

/// The age at which something befell a relative: "her father a stroke at 61", "well at 58".
fn relative(document: &Document<'_>, first: usize, end: usize) -> Option<(&'static str, f32, usize, usize)> {
    let tokens = &document.tokens;
    let previous = first.checked_sub(1)?;
    if !document.is(previous, "at")
        || !tokens[first].is_number()
        || tokens[first].len() != 2
        || tokens[first].first == b'0'
        || super::number::is_measured(document, end) && !document.is(end, "in")
    {
        return None;
    }
    let next = tokens.get(end);
    let number = |at: usize| tokens.get(at).is_some_and(Token::is_number);
    let ends = next.is_none_or(|next| {
        next.has(Flags::LINE)
            || matches!(next.first, b'.' | b',' | b';' | b')' | b'|')
                && !next.is_word()
                && !(number(end + 1) && document.glued(end + 1))
            || document.is_any(
                end,
                words![
                    "in",
                    "and",
                    "with",
                    "after",
                    "from",
                    "of",
                    "but",
                    "while",
                    "when",
                    "was",
                    "is",
                    "following",
                    "due"
                ],
            )
    });
    let state = words![
        "well",
        "healthy",
        "alive",
        "affected",
        "expired",
        "died",
        "diagnosed",
        "dx",
        "dxd",
        "passed",
        "deceased",
        "onset",
        "menopause",
        "menarche",
        "living",
        "killed",
        "dead",
        "dies",
        "married",
        "retired",
    ];
    let event = previous > 0 && document.is_any(previous - 1, state);
    let from = first.saturating_sub(16);
    let family = (from..previous)
        .rev()
        .take_while(|at| document.same_line(*at, first))
        .take_while(|at| {
            !(tokens[*at].is_sign(b'.')
                && tokens[*at + 1].has(Flags::SENTENCE)
                && tokens[at.saturating_sub(1)].len() > 3)
        })
        .any(|at| {
            tokens[at].is(cues::RELATIVE)
                || document
                    .is_any(at, words!["fh", "fhx", "pgf", "pgm", "mgf", "mgm", "maternal", "paternal"])
        });
    (ends && (event || family)).then_some(("at N years", if event { 0.76 } else { 0.72 }, previous, first))
}
