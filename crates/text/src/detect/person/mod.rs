//! Names of people: runs of capitalized words, judged by their words, titles and degrees, the words
//! around them, and the layout they stand in.
//!
//! The rules follow the recording practices of letters and notes [Sweeney 2001, section 6.1].

mod context;
mod extent;
mod form;
mod medical;
mod named;
mod segment;
#[cfg(test)]
mod tests;

use std::ops::Range;

use super::lower;
use super::names::{self, Nameness, Sort, nameness};
use super::places;
use super::{Detector, Rules};
use crate::candidates::{Candidates, Score};
use crate::cues::{self, Classes};
use crate::document::{Document, Field, Line, Run};
use crate::lexicon::lexicon;
use crate::span::Kind;
use crate::token::{Flags, Token};

pub use context::credential;
pub use medical::phrase;
pub use named::named_after;
pub use segment::{Segment, segments};

use context::{before, behind, verb};
use extent::{descent, fillers, initials_before, kin, other_script, reversed, widened};
use form::{
    behind_relative, family, in_field, introduced, listed_ages, listed_in_capitals, nicknamed, quoted,
    sender, speakers,
};
use medical::medical;
use named::{dispensed, found_behind};

/// Finds names of people.
pub struct Person;

impl Detector for Person {
    fn name(&self) -> &'static str {
        "person"
    }

    fn detect(&self, document: &Document<'_>, found: &mut Candidates) {
        for run in document.runs_here() {
            if run.rules.any(Rules::PERSON) {
                segments(document, run, &mut |segment| judge(document, segment, found));
            }
            if run.rules.any(FORMS) {
                forms(document, run, found);
            }
        }
        for field in document.fields_here() {
            in_field(document, field, found);
        }
        for line in document.lines_here() {
            listed_in_capitals(document, line, found);
        }
        if document.is_last_window() {
            speakers(document, found);
        }
        surnames_first(document, found);
        lower::find(document, found);
        lower::initials(document, found);
    }
}

/// Rules of runs that a form, a chat or what is behind them makes names.
const FORMS: Rules = Rules::INTRODUCED.or(Rules::RELATIVE).or(Rules::ENCLOSED).or(Rules::FAMILY);

/// Applies these rules to a run.
fn forms(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    if run.rules.any(Rules::INTRODUCED) {
        introduced(document, run, found);
    }
    if run.rules.any(Rules::RELATIVE) {
        behind_relative(document, run, found);
    }
    if run.rules.any(Rules::FAMILY) {
        family(document, run, found);
    }
    if run.rules.any(Rules::ENCLOSED) {
        listed_ages(document, run, found);
        quoted(document, run, found);
        nicknamed(document, run, found);
        sender(document, run, found);
    }
}

/// Scores a segment by its words and its surroundings.
fn judge(document: &Document<'_>, segment: Segment, found: &mut Candidates) {
    if segment.names == 0 && segment.title.is_none() {
        return;
    }
    let (at, best) = segment.best;
    let mut score = Score::new(best.rule, document.bytes(at..at + 1), best.prior);
    if let Some(title) = segment.title {
        score.raise("title", document.bytes(title..title + 1), 0.93);
    }
    if segment.names >= 2 {
        score.raise("several names", document.bytes(segment.tokens.clone()), 0.45);
    }
    if segment.initials > 0 && segment.names > 0 {
        score.raise("initial", document.bytes(segment.tokens.clone()), 0.45);
    }
    let alone = score.certainty();
    let cued = before(document, &segment, &mut score);
    behind(document, &segment, &mut score);
    let contextual = cued || score.certainty() > alone + 0.01;
    medical(document, &segment, cued, contextual, &mut score);
    verb(document, &segment, &mut score);
    if is_doubtful(document, &segment, &score) && names::is_misspelled(document.word(at)) {
        score.lower("near an ordinary word", document.bytes(at..at + 1), 0.6);
    }
    // "Boston, MA 02151": a city.
    let end = segment.tokens.end;
    let comma = usize::from(document.tokens.get(end).is_some_and(|token| token.is_sign(b',')));
    let zip = document.tokens.get(end + comma + 1).is_some_and(|token| token.is_number() && token.len() == 5);
    let state =
        document.tokens.get(end + comma).is_some_and(|token| crate::detect::state::is_code(document, token));
    if state
        && segment.title.is_none()
        && (zip || comma > 0 && !document.tokens[end + 1].is(cues::CREDENTIAL))
    {
        score.lower("before a state", document.bytes(end + comma..end + comma + 1), 0.5);
        found.add("person", Kind::Person, document.bytes(segment.tokens), &score);
        return;
    }
    // "7 Hullbury Ave": the name of a street.
    let numbered = segment.tokens.start > 0
        && document.tokens[segment.tokens.start - 1].is_number()
        && !document.tokens[segment.tokens.start].has(Flags::LINE.or(Flags::GAP));
    let street = numbered
        && document.tokens[segment.tokens.start + 1..(segment.tokens.end + 1).min(document.tokens.len())]
            .iter()
            .any(|token| token.is(cues::STREET_SUFFIX) && token.is_capital());
    if street {
        score.lower("number of a house", document.bytes(segment.tokens.start - 1..segment.tokens.start), 0.5);
    }
    let tokens = match street || score.certainty() < 0.3 {
        true => segment.tokens.clone(),
        false => reversed(document, &segment, &mut score),
    };
    let start = places::particles(document, widened(document, tokens.start));
    let end = descent(document, lower_part(document, tokens.end));
    let start = kin(document, start);
    other_script(document, end, found);
    let tokens = initials_before(document, start)..fillers(document, &segment, end);
    found.add("person", Kind::Person, document.bytes(tokens), &score);
}

/// The end with a second part in small letters behind a hyphen: "Hyun-woo".
fn lower_part(document: &Document<'_>, end: usize) -> usize {
    let hyphen = document.tokens.get(end).is_some_and(|sign| sign.is_sign(b'-') && document.glued(end));
    let part = document.tokens.get(end + 1).is_some_and(|part| {
        part.is_word()
            && !part.has(Flags::CAPITAL.or(Flags::SPACE))
            && part.len() <= 5
            && !part.word.is_function()
            && !part.word.is_medical()
            && part.cue.classes == Classes::NONE
            && (part.word.common_level() < 15 || part.word.is_first_name())
            && !document.glued(end + 2)
                | document.tokens.get(end + 2).is_none_or(|next| !next.is_word() && next.first != b'-')
    });
    if hyphen && part { end + 2 } else { end }
}

/// "COLE, Winifred", "O'HARE, Siobhan B": a last name in capitals, a comma and a first name.
fn surnames_first(document: &Document<'_>, found: &mut Candidates) {
    let tokens = &document.tokens;
    for run in document.runs_here().iter().filter(|run| run.rules.any(Rules::COMMA)) {
        let last = run.end as usize - 1;
        let comma = tokens.get(last + 1).is_some_and(|token| token.is_sign(b',') && document.glued(last + 1));
        if comma {
            listed(document, last, found);
        }
        let Some(first) = tokens.get(last + 2).filter(|first| {
            comma
                && first.is_capital()
                && !first.has(Flags::UPPER.or(Flags::LINE).or(Flags::GAP).or(Flags::SINGLE))
                && first.has(Flags::SPACE)
        }) else {
            continue;
        };
        let name = &tokens[last];
        let word = name.word;
        let surname = name.has(Flags::UPPER)
            && name.len() >= 3
            && (word.is_last_name() || !word.is_known() || word.is_eponym_name() || word.is_eponym())
            && (!(word.is_medical() || word.is_drug())
                || word.is_eponym_name() && name.has(Flags::LINE) && first.word.first_level() >= 12)
            && name.cue.classes == Classes::NONE;
        let given = first.word.is_first_name() && first.word.name_odds() > 0.0 && !first.word.is_drug();
        if !surname || !given {
            continue;
        }
        // "VAN DER BERG, Anna": further words in capitals before.
        let mut start = last;
        while start > run.first as usize
            && tokens[start - 1].has(Flags::UPPER)
            && tokens[start - 1].is_word()
            && !tokens[start].has(Flags::GAP)
            && (tokens[start - 1].is(cues::PARTICLE) || tokens[start - 1].word.is_last_name())
        {
            start -= 1;
        }
        let mut end = last + 3;
        while tokens.get(end).is_some_and(|token| {
            token.is_capital() && token.has(Flags::SINGLE) && !token.has(Flags::LINE.or(Flags::GAP))
        }) {
            end += 1;
        }
        let score = Score::new("last name in capitals, first name", document.bytes(start..end), 0.9);
        found.add("person", Kind::Person, document.bytes(start..end), &score);
    }
}

/// "Love, Precious" or "Okwuosa, Rev. Daniel" in a cell of a list, before a cell with a number.
fn listed(document: &Document<'_>, last: usize, found: &mut Candidates) {
    let tokens = &document.tokens;
    let edge = Flags::LINE.or(Flags::GAP);
    let name = |at: usize| {
        tokens.get(at).is_some_and(|token| {
            let word = token.word;
            token.is_capital()
                && !token.has(Flags::SINGLE)
                && (word.is_first_name() || word.is_last_name() || !word.is_known())
                && !(word.is_state() || word.is_country() || word.is_state_code() || word.is_function())
                && !(word.is_medical() || word.is_drug())
                && token.cue.classes.0 & !cues::NAME_FILLER.or(cues::CLOSING).0 == 0
        })
    };
    if !(tokens[last].has(edge) && name(last)) {
        return;
    }
    let titled = tokens.get(last + 2).is_some_and(|title| title.is(cues::TITLE) && title.is_capital());
    let dot = titled && tokens.get(last + 3).is_some_and(|dot| dot.is_sign(b'.'));
    let first = last + 2 + usize::from(titled) + usize::from(dot);
    let closed = tokens.get(first + 1).is_some_and(|next| next.has(Flags::GAP) && next.is_number());
    if name(first) && closed && document.same_line(last, first + 1) {
        // Surer than the first name with its title alone.
        let certainty = if titled { 0.995 } else { 0.8 };
        let score = Score::new("name in a list", document.bytes(last..first + 2), certainty);
        found.add("person", Kind::Person, document.bytes(last..first + 1), &score);
    }
}

/// Whether an unknown first word of a sentence has nothing else that speaks for a name.
fn is_doubtful(document: &Document<'_>, segment: &Segment, score: &Score) -> bool {
    let token = &document.tokens[segment.best.0];
    let uncased = token.has(Flags::SHOUTED) && !token.has(Flags::UPPER);
    segment.best.1.sort == Sort::Unknown
        && segment.names == 1
        && (score.certainty() < 0.75 || uncased && segment.title.is_none() && score.certainty() < 0.86)
        && score.certainty() > 0.4
        && token.has(Flags::SENTENCE.or(Flags::SHOUTED))
        && !token.has(Flags::POSSESSIVE)
}
