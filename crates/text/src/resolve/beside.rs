//! Ages beside names that were found: "Bed 4 Mrs Farrow 66 cellulitis", "(Jayden 9, Aaliyah 6)".
//!
//! A number behind a name is an age only if the name is one, so that this runs when names are known.
//! A bounded look around every name.

use crate::candidates::{Candidate, Candidates, Score};
use crate::cues;
use crate::document::Document;
use crate::span::Kind;
use crate::token::{Flags, Token};

/// Names of at least this certainty have ages beside them.
const LIKELY: f32 = 0.7;

/// Proposes the ages behind people.
pub fn ages(document: &Document<'_>, chosen: &[Candidate], found: &mut Candidates) {
    let mut first = 0;
    for person in chosen.iter().filter(|one| one.kind == Kind::Person && one.certainty >= LIKELY) {
        first = document.token_behind(first, person.start);
        let mut end = first;
        while document.tokens.get(end).is_some_and(|token| token.end <= person.end) {
            end += 1;
        }
        if let Some(at) = age_behind(document, first, end) {
            let score = Score::new("behind a name", person.start..person.end, 0.74);
            let token = &document.tokens[at];
            found.add("age", Kind::Age, token.start..token.end, &score);
        }
    }
}

/// The token of the age behind the name of some tokens.
fn age_behind(document: &Document<'_>, first: usize, end: usize) -> Option<usize> {
    let tokens = &document.tokens;
    let words = tokens.get(first..end)?.iter().filter(|token| token.is_word());
    let (mut count, mut eponym) = (0, false);
    for word in words {
        count += 1;
        eponym |= word.word.is_eponym_name() && word.word.first_level() < 14;
    }
    let mut at = end + usize::from(tokens.get(end)?.is_sign(b'.') && document.glued(end));
    let comma = tokens.get(at)?.is_sign(b',');
    at += usize::from(comma);
    let number = tokens.get(at).filter(|number| {
        number.is_number()
            && number.len() <= 2
            && number.first != b'0'
            && !number.has(Flags::LINE.or(Flags::PARAGRAPH))
            && number.has(Flags::SPACE)
    })?;
    let listed = first > 0 && matches!(tokens[first - 1].first, b'(' | b',') && !tokens[first - 1].is_word();
    let titled = titled(document, first);
    let opens = opens(document, first);
    let closed = closed(document, at, opens || titled)?;
    let certain = match () {
        _ if eponym && count == 1 && !titled && !listed => false,
        _ if number.len() == 1 => listed && closed == Closed::Sign,
        _ if comma => closed == Closed::Sign || closed == Closed::End,
        _ => opens || titled || count > 1 || listed,
    };
    certain.then_some(at)
}

/// What is behind a number.
#[derive(PartialEq)]
enum Closed {
    /// A comma, a bracket or a point.
    Sign,
    /// The end of the line or cell.
    End,
    /// A word.
    Word,
}

/// What is behind the number at a token, if it can be an age.
fn closed(document: &Document<'_>, at: usize, cell: bool) -> Option<Closed> {
    let tokens = &document.tokens;
    let Some(next) = tokens.get(at + 1) else { return Some(Closed::End) };
    if next.has(Flags::LINE.or(Flags::GAP)) {
        return Some(Closed::End);
    }
    let number = |at: usize| tokens.get(at).is_some_and(|token| token.is_number() && document.glued(at));
    if !next.is_word() {
        let sign = matches!(next.first, b',' | b')' | b';' | b'.' | b'|') && !number(at + 2);
        let dash = next.is_sign(b'-') && next.has(Flags::SPACE);
        return (sign || dash).then_some(Closed::Sign);
    }
    let acronym = next.has(Flags::UPPER) && !next.has(Flags::SHOUTED);
    let small = cell
        && !next.has(Flags::CAPITAL)
        && next.has(Flags::SPACE)
        && !next.is(cues::UNIT.or(cues::DOSE).or(cues::TIME_UNIT).or(cues::MONTH).or(cues::NUMBER))
        && !document
            .is_any(at + 1, words!["times", "am", "pm", "hrs", "st", "nd", "rd", "th", "x", "of", "to"]);
    (acronym || small).then_some(Closed::Word)
}

/// Whether a title is before a token.
fn titled(document: &Document<'_>, first: usize) -> bool {
    let dot = usize::from(first > 0 && document.tokens[first - 1].is_sign(b'.'));
    first.checked_sub(1 + dot).is_some_and(|at| document.tokens[at].is(cues::TITLE))
}

/// Whether a line, a cell or a numbered item starts at a token, or with the title before it.
fn opens(document: &Document<'_>, first: usize) -> bool {
    let tokens = &document.tokens;
    let start = |token: &Token| token.has(Flags::LINE.or(Flags::GAP).or(Flags::PARAGRAPH));
    let titled = first > 0 && tokens[first - 1].is(cues::TITLE);
    let first = first - usize::from(titled);
    if start(&tokens[first]) {
        return true;
    }
    let Some(before) = first.checked_sub(1).map(|before| &tokens[before]) else { return true };
    let item = |at: usize| start(&tokens[at]) || at > 0 && start(&tokens[at - 1]);
    // "Bed 6 SMYTHE, Aubrey" behind a line that was wrapped.
    let numbered = before.is_number()
        && first >= 2
        && document.is_any(first - 2, words!["bed", "bay", "room", "no", "side", "cubicle", "case"]);
    numbered
        || before.is_sign(b'|')
        || before.is_number() && item(first - 1)
        || matches!(before.first, b'.' | b')' | b':') && !before.is_word() && first >= 2 && item(first - 2)
}
