//! Ages of relatives, in lists, and beside what identifies somebody.

use super::super::{is_name, national, number};
use super::{Evidence, number_is_age};
use crate::cues;
use crate::document::Document;
use crate::token::{Flags, Token};
use crate::words::WordSet;

/// Whether a number stands beside a relative in a family history: with a comma, a state of health or
/// nothing between them.
pub(super) fn family_member(document: &Document<'_>, first: usize, end: usize) -> bool {
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
                && !number::is_measured(document, end)
                && !next.is(cues::TIME_UNIT.or(cues::UNIT))
                && (next.word.is_medical() || next.word.is_shorthand() || next.word.is_function())
    });
    kin && closed
}

/// Several children, before their ages.
pub(in super::super) const CHILDREN: WordSet = words![
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

/// The first token of what says that a number is one of several ages: "aged 14, 12 and 9", "two boys
/// (4 and 7)".
pub(super) fn listed(document: &Document<'_>, first: usize, end: usize) -> Option<usize> {
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
    (closed && (aged || document.is_any(key, CHILDREN) && counted)).then_some(key)
}

/// Whether a relative is shortly before a token.
pub(super) fn is_kin(document: &Document<'_>, at: usize, reach: usize) -> bool {
    (at.saturating_sub(reach)..at).rev().take_while(|near| !document.tokens[*near].is_sign(b'.')).any(
        |near| {
            // "Child-Pugh" is a score.
            document.tokens[near].is(cues::RELATIVE)
                && (!document.tokens[near + 1].is_sign(b'-') || document.is(near + 2, "in"))
                || document.is_any(
                    near,
                    words!["kids", "boys", "girls", "twins", "grandchildren", "nephews", "nieces"],
                )
        },
    )
}

/// An age behind what identifies somebody: "DOB 02.02.82   42", "CHI 1103417862. 82.".
pub(super) fn identified(document: &Document<'_>, first: usize, end: usize) -> Option<Evidence> {
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
pub(super) fn aside(document: &Document<'_>, first: usize, end: usize) -> Option<Evidence> {
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
            && is_name(&tokens[previous - 1])
            && tokens[previous - 2].is_sign(b',')
            && is_name(&tokens[previous - 3]);
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
    (first.saturating_sub(3)..first).any(|at| document.is_any(at, national::NAMES) || document.is(at, "nhs"))
}

/// Whether a key says that a date is one of birth.
fn is_born(document: &Document<'_>, key: usize, first: usize) -> bool {
    (key..first).any(|at| {
        document.is_any(at, words!["dob", "d.o.b", "born", "birth", "birthdate", "geb", "b", "né", "née"])
    }) || document.slice(document.bytes(key.saturating_sub(5)..first)).contains("o.b")
}

/// The age at which something befell a relative: "her father a stroke at 61", "well at 58".
pub(super) fn relative(document: &Document<'_>, first: usize, end: usize) -> Option<Evidence> {
    let tokens = &document.tokens;
    let previous = first.checked_sub(1)?;
    if !document.is(previous, "at")
        || !tokens[first].is_number()
        || tokens[first].len() != 2
        || tokens[first].first == b'0'
        || number::is_measured(document, end) && !document.is(end, "in")
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
