//! States and provinces: postal abbreviations behind a city, names in capitals.

use super::places;
use super::{Detector, Rules};
use crate::candidates::{Candidates, Score};
use crate::cues;
use crate::document::Document;
use crate::span::Kind;
use crate::token::{Flags, Token};

/// Finds states.
pub struct State;

/// Whether a token is the postal abbreviation of a state.
pub fn is_code(document: &Document<'_>, token: &Token) -> bool {
    let _ = document;
    token.has(Flags::UPPER.or(Flags::SHOUTED)) && token.len() == 2 && token.word.is_state_code()
}

impl Detector for State {
    fn name(&self) -> &'static str {
        "state"
    }

    fn detect(&self, document: &Document<'_>, found: &mut Candidates) {
        for run in document.runs_here() {
            let mut at = run.first as usize;
            if run.rules.any(Rules::COUNTY) {
                for place in at..(at + 3).min(run.end as usize) {
                    county(document, place, found);
                }
            }
            while run.rules.any(Rules::STATE) && at < run.end as usize {
                at = code(document, at, found).or_else(|| name(document, at, found)).unwrap_or(at + 1);
            }
        }
        // Before a postal code also where the word is no part of a run.
        for number in document.codes_here() {
            let first = number.first as usize;
            if number.digits >= 5 && number.letters == 0 && first > 0 && document.same_line(first - 1, first)
            {
                code(document, first - 1, found);
            }
        }
    }
}

/// "Boston, MA 02151", "in Boston MA".
fn code(document: &Document<'_>, at: usize, found: &mut Candidates) -> Option<usize> {
    let token = &document.tokens[at];
    if is_australian(document, at) {
        let score = Score::new("abbreviation of a state", token.start..token.end, 0.93);
        found.add("state", Kind::State, token.start..token.end, &score);
        return Some(at + 1);
    }
    if !is_code(document, token) {
        return None;
    }
    let comma = at > 0 && document.tokens[at - 1].is_sign(b',');
    let zip = document
        .tokens
        .get(at + 1)
        .is_some_and(|next| next.is_number() && next.len() == 5 && !next.has(Flags::LINE));
    let city = at
        .checked_sub(1 + usize::from(comma))
        .map(|city| &document.tokens[city])
        .is_some_and(|city| city.is_capital());
    let keyed = document.field_of(at).is_some_and(|field| field.head.any(cues::KEY_STATE));
    // "ID 66120" is a number of somebody rather than a place in Idaho.
    let label = document.is(at, "id") && !comma;
    let certainty = match (comma, zip, city) {
        (_, true, _) if label => return None,
        (_, true, _) => 0.95,
        (true, _, true)
            if !(token.is(cues::CREDENTIAL))
                && !document
                    .tokens
                    .get(at + 1)
                    .is_some_and(|next| matches!(next.first, b'#' | b':') && !next.is_word())
                && (!token.has(Flags::SHOUTED)
                    || super::names::nameness(document, at - 2).prior >= 0.3
                    || document.tokens[at - 2].word.is_city()
                    || document.tokens[at - 2].is(cues::NAME_FILLER)) =>
        {
            0.85
        }
        (true, _, true) => 0.4,
        _ if keyed => 0.9,
        _ => return None,
    };
    let score = Score::new("abbreviation of a state", token.start..token.end, certainty);
    found.add("state", Kind::State, token.start..token.end, &score);
    Some(at + 1)
}

/// Whether a token is a state of Australia before a postal code: "NSW 2173".
fn is_australian(document: &Document<'_>, at: usize) -> bool {
    document.tokens[at].has(Flags::UPPER)
        && document.is_any(at, words!["nsw", "vic", "qld", "tas", "act", "sa", "wa", "nt"])
        && document.tokens.get(at + 1).is_some_and(|next| {
            next.is_number() && next.len() == 4 && next.has(Flags::SPACE) && !next.has(Flags::LINE)
        })
}

/// The county at a token: "Co. Sligo", "County Durham".
fn county(document: &Document<'_>, at: usize, found: &mut Candidates) {
    let tokens = &document.tokens;
    let dot = usize::from(at > 0 && tokens[at - 1].is_sign(b'.') && document.glued(at - 1));
    let Some(head) = at.checked_sub(1 + dot).filter(|head| document.is_any(*head, words!["co", "county"]))
    else {
        return;
    };
    let placed = head > 0
        && (tokens[head - 1].is_sign(b',') || document.is_any(head - 1, words!["in", "from", "of", "near"]))
        || tokens[head].has(Flags::LINE.or(Flags::GAP));
    let name = tokens[at].is_capital() && !tokens[at].has(Flags::LINE.or(Flags::GAP).or(Flags::SINGLE));
    let last =
        tokens.get(at + 1).is_none_or(|next| !next.is_capital() || next.has(Flags::LINE.or(Flags::GAP)));
    if placed && name && last && tokens[head].is_capital() {
        let score = Score::new("county", document.bytes(head..at), 0.8);
        found.add("state", Kind::State, tokens[at].start..tokens[at].end, &score);
    }
}

/// "Arizona", "New South Wales", and counties.
fn name(document: &Document<'_>, at: usize, found: &mut Candidates) -> Option<usize> {
    let token = &document.tokens[at];
    if !token.word.is_state() && !token.word.starts_phrase() {
        return None;
    }
    let (end, word) = places::longest(document, at, |word| word.is_state() && !word.is_function())?;
    if token.has(Flags::UPPER) && token.len() <= 3 && end == at + 1 {
        return None;
    }
    let before = places::before(document, at);
    let placed = before.is_some_and(|before| document.tokens[before].is(cues::BEFORE_PLACE))
        || at > 0 && document.tokens[at - 1].is_sign(b',');
    let named = word.is_first_name() && end == at + 1;
    let certainty = match (placed, named) {
        (true, false) => 0.93,
        (true, true) => 0.78,
        (false, false) => 0.8,
        (false, true) => 0.3,
    };
    let mut score = Score::new("name of a state", document.bytes(at..end), certainty);
    if places::is_eponymous(document, &(at..end)) {
        score.lower("eponym or product", document.bytes(end..end + 1), 0.7);
    }
    found.add("state", Kind::State, document.bytes(at..end), &score);
    Some(end)
}
