//! Cities, towns and villages: before a state or a postal code, behind "lives in", by the
//! gazetteer.

use super::names::{Sort, nameness};
use super::places;
use super::rules::{RunRule, apply};
use super::{Detector, Rules, town};
use crate::candidates::{Candidates, Score};
use crate::cues;
use crate::document::{Document, Run};
use crate::span::Kind;
use crate::token::{Flags, Token};

const RULES: [RunRule; 5] = [
    (Rules::CITY_STATE, before_state),
    (Rules::CITY_PLACE, behind_preposition),
    (Rules::CITY_CODE, beside_code),
    (Rules::CITY_LISTED, listed),
    (Rules::CITY_STREET, behind_street),
];

/// Finds cities.
pub struct City;

impl Detector for City {
    fn name(&self) -> &'static str {
        "city"
    }

    fn detect(&self, document: &Document<'_>, found: &mut Candidates) {
        for run in document.runs_here() {
            apply(&RULES, document, run, found);
        }
        town::find(document, found);
        for field in document.fields_here() {
            if field.head.any(cues::KEY_CITY)
                && !field.value.is_empty()
                && document.tokens[field.value.start as usize].is_word()
            {
                let (first, end) = (field.value.start as usize, field.value.end as usize);
                let stop = (first..end)
                    .find(|at| !document.tokens[*at].is_word() && !document.tokens[*at].is_sign(b'-'));
                let score = Score::new(
                    "key of a city",
                    document.bytes(field.key.start as usize..field.key.end as usize),
                    0.85,
                );
                found.add("city", Kind::City, document.bytes(first..stop.unwrap_or(end)), &score);
            }
        }
    }
}

/// The last words of a run that can be a city, without streets and titles before them.
fn tail(document: &Document<'_>, run: &Run) -> usize {
    let (first, end) = (run.first as usize, run.end as usize);
    let mut at = end;
    while at > first && end - at < 4 {
        let token = &document.tokens[at - 1];
        let street =
            token.is_word() && token.is(cues::STREET_SUFFIX) && at < end && !token.is(cues::NAME_FILLER);
        if street
            || token.word.is_function()
            || document.tokens.get(at).is_some_and(|next| at < end && next.has(Flags::GAP.or(Flags::LINE)))
        {
            break;
        }
        at -= 1;
    }
    while at < end && !document.tokens[at].is_capital() {
        at += 1;
    }
    at
}

/// "Lowman, NE", "Barlow NE 68199", "Lynn, Massachusetts".
fn before_state(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let end = run.end as usize;
    let tokens = &document.tokens;
    let comma = tokens.get(end).is_some_and(|token| token.is_sign(b','));
    if tokens.get(end).is_some_and(|next| next.is_sign(b'#')) {
        return;
    }
    let (city_end, state) = if comma { (end, end + 1) } else { (end - 1, end - 1) };
    let Some(token) = tokens.get(state).filter(|token| token.is_word() && !token.has(Flags::PARAGRAPH))
    else {
        return;
    };
    let zip = tokens.get(state + 1).is_some_and(|next| next.is_number() && next.len() == 5);
    let code = super::state::is_code(document, token);
    let full = places::longest(document, state, |word| word.is_state() || word.is_country())
        .is_some_and(|(to, _)| token.is_capital() && (token.len() > 3 || to > state + 1));
    // "Truck, AZ plate", "Pacific Shield PPO, ID PSH448": what is behind says what the letters are.
    if comma && !zip && code && super::state::is_labelled(document, state) {
        return;
    }
    let keyed = code && (zip || comma && !token.is(cues::CREDENTIAL));
    if !(keyed || comma && full) {
        return;
    }
    let mut first = tail(document, &Run { end: city_end as u32, ..*run });
    // "CHINO VALLEY AZ 86323": words that are no names begin no run in a line of capitals.
    while zip
        && first > 0
        && city_end - first < 4
        && tokens[first].has(Flags::SHOUTED)
        && !tokens[first].has(Flags::LINE.or(Flags::GAP))
        && tokens[first - 1].has(Flags::SHOUTED)
        && tokens[first - 1].is_word()
        && !(tokens[first - 1].is(cues::STREET_SUFFIX.or(cues::BUILDING_PART).or(cues::DIRECTION))
            || tokens[first - 1].word.is_function()
            || document.is_key(first - 1))
    {
        first -= 1;
    }
    let shouted = (first..city_end).all(|at| {
        tokens[at].has(Flags::SHOUTED) && nameness(document, at).prior < 0.3 && !tokens[at].word.is_city()
    });
    if first < city_end && (zip || !shouted) {
        let certainty = if code { 0.95 } else { 0.86 };
        let score = Score::new("before a state", token.start..token.end, certainty);
        found.add("city", Kind::City, document.bytes(first..city_end), &score);
    }
}

/// "in Wexcombe", "from Lynn", "near Harrow Bay".
fn behind_preposition(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let tokens = &document.tokens;
    let (first, mut end) = (run.first as usize, run.end as usize);
    while end > first + 1 && tokens[end - 1].is(cues::CREDENTIAL) && tokens[end - 1].has(Flags::UPPER) {
        end -= 1;
    }
    let Some(word) = places::before(document, first) else { return };
    let bound = document.is(word, "for")
        && word > 0
        && document
            .is_any(word - 1, words!["leave", "leaving", "left", "departs", "flight", "bound", "train"]);
    let placed = bound
        || tokens[word].is(cues::BEFORE_PLACE)
            && document.is_any(
                word,
                words![
                    "in", "from", "near", "outside", "to", "of", "around", "aus", "nach", "toward",
                    "visiting", "through", "leaving", "into", "en", "à", "downtown",
                ],
            );
    if !placed {
        return;
    }
    if tokens[first].is(cues::CREDENTIAL) && tokens[first].has(Flags::UPPER)
        || tokens[first].is(cues::TITLE) && !tokens[first].is(cues::NAME_FILLER.or(cues::STREET_SUFFIX))
        || document.is(first, "care")
    {
        return;
    }
    let strong = document.is_any(word, words!["in", "from", "near", "outside", "aus", "nach", "downtown"]);
    let head = nameness(document, first);
    let medical = (first..end).any(|at| tokens[at].word.is_medical() || tokens[at].word.is_drug())
        && !tokens[first].word.is_city();
    let calendar = tokens[first].is(cues::MONTH.or(cues::WEEKDAY).or(cues::SEASON).or(cues::HOLIDAY));
    // "Consultant in Oral & Maxillofacial Surgery".
    let department = tokens.get(end).is_some_and(|sign| sign.is_sign(b'&'));
    if department
        || places::is_eponymous(document, &(first..end))
        || document.is(word, "of")
            && places::cue_before(
                document,
                word + 1,
                cues::LIVING.or(cues::REGION_HEAD).or(cues::KEY_CITY),
                3,
            )
            .is_none()
    {
        return;
    }
    let acronym = tokens[first].has(Flags::UPPER)
        && !tokens[first].has(Flags::SHOUTED)
        && (head.sort == Sort::Acronym || tokens[first].len() <= 3);
    if medical || calendar || acronym || document.is_key(first) {
        return;
    }
    let living = places::cue_before(document, word + 1, cues::LIVING, 6);
    let known =
        tokens[first].word.is_city() || places::longest(document, first, |word| word.is_city()).is_some();
    let certainty = match (head.sort, known) {
        (_, true) if head.sort != Sort::Ordinary => {
            if strong {
                0.84
            } else {
                0.72
            }
        }
        (Sort::Unknown, _) => {
            if strong {
                0.82
            } else {
                0.7
            }
        }
        (Sort::Name | Sort::Both, _) => {
            if strong {
                0.62
            } else {
                0.4
            }
        }
        (Sort::Ordinary, _)
            if end - first >= 2 && (first..end).any(|at| nameness(document, at).prior >= 0.5) =>
        {
            0.72
        }
        (Sort::Ordinary, _) if strong && living.is_some() => 0.7,
        _ => return,
    };
    let mut score = Score::new("preposition", document.bytes(word..word + 1), certainty);
    if let Some(living) = living {
        score.raise("living", document.bytes(living..living + 1), 0.5);
    }
    found.add("city", Kind::City, document.bytes(first..end), &score);
}

/// Beside a postal code: "50933 Hohenrath", "Hexworth HX4 7QD".
fn beside_code(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let (first, end) = (run.first as usize, run.end as usize);
    let tokens = &document.tokens;
    let before = first.checked_sub(1).map(|before| &tokens[before]);
    let german = before.is_some_and(|token| token.is_number() && matches!(token.len(), 4 | 5))
        && first >= 2
        && (tokens[first - 1].has(Flags::LINE.or(Flags::GAP))
            || tokens[first - 2].is_sign(b',')
            || tokens[first - 2].is_sign(b'-'))
        || before.is_some_and(|token| token.is_number() && token.len() == 5 && token.has(Flags::LINE));
    let street = (first..end).any(|at| tokens[at].is(cues::STREET_SUFFIX) && !tokens[at].word.is_city());
    let year = before.is_some_and(|token| token.len() == 4 && matches!(token.first, b'1' | b'2'));
    let label = document.is_key(first)
        || tokens[first].has(Flags::UPPER) && tokens[first].len() <= 4
        || tokens[first].has(Flags::GAP);
    let dated = year && !tokens[first].word.is_city() || tokens[first].is(cues::MONTH);
    // "0310 Admitted from home" is a time.
    let time = before.is_some_and(|token| token.len() == 4 && token.has(Flags::LINE))
        && tokens[first].word.is_common()
        && !tokens[first].word.is_city();
    if german && !time && !street && !label && !dated && !tokens[first].has(Flags::LINE) {
        let score = Score::new("behind a postal code", document.bytes(first - 1..first), 0.85);
        found.add("city", Kind::City, document.bytes(first..end), &score);
    }
    // The first letters of a British or Canadian code belong to the run.
    let coded = |at: usize| {
        // Most words have no digits behind them, which is asked first.
        let outward = |next: &Token| next.is_number() && !next.has(Flags::SPACE) && next.len() <= 2;
        if !tokens.get(at + 1).is_some_and(outward) || tokens[at].len() > 2 {
            return false;
        }
        let letter = usize::from(
            tokens.get(at + 2).is_some_and(|token| token.has(Flags::SINGLE) && !token.has(Flags::SPACE)),
        );
        let inward = tokens.get(at + 2 + letter).filter(|token| {
            token.is_number()
                && token.len() == 1
                && token.has(Flags::SPACE)
                && !token.has(Flags::GAP.or(Flags::LINE))
        });
        let behind = tokens
            .get(at + 3 + letter)
            .filter(|token| token.is_word() && token.len() <= 2 && !token.has(Flags::SPACE));
        document.word(at).bytes().all(|sign| sign.is_ascii_alphabetic())
            && inward.is_some()
            && behind.is_some()
    };
    if end - first >= 2 && coded(end - 1) {
        let from = tail(document, &Run { end: end as u32 - 1, ..*run });
        let score = Score::new("before a postal code", document.bytes(end - 1..end + 1), 0.9);
        found.add("city", Kind::City, document.bytes(from..end - 1), &score);
    } else if tokens.get(end).is_some_and(|comma| comma.is_sign(b','))
        && tokens.get(end + 1).is_some_and(|t| t.is_word())
        && coded(end + 1)
    {
        let from = tail(document, run);
        let score = Score::new("before a postal code", document.bytes(end + 1..end + 3), 0.85);
        found.add("city", Kind::City, document.bytes(from..end), &score);
    }
}

/// Behind a street and a comma, or alone on the line below a street.
fn behind_street(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let (first, end) = (run.first as usize, run.end as usize);
    let tokens = &document.tokens;
    let street = |at: usize| {
        let token = &tokens[at];
        let suffix = token.is(cues::STREET_SUFFIX) && token.is_capital();
        let part = |at: usize| {
            tokens[at].is(cues::BUILDING_PART)
                || tokens[at].is_sign(b'#')
                || tokens[at].is_sign(b'.') && at > 0 && tokens[at - 1].is(cues::BUILDING_PART)
        };
        let numbered = token.is_number() && at > 0 && part(at - 1);
        let lettered = token.has(Flags::SINGLE) && at > 1 && tokens[at - 1].is_number() && part(at - 2);
        suffix
            || numbered && token.len() <= 4
            || lettered
            || document.is_any(at, words!["estate", "park"]) && token.is_capital()
    };
    let comma = first >= 2 && tokens[first - 1].is_sign(b',') && document.same_line(first - 2, first);
    let line = tokens[first].line as usize;
    let alone = document.lines[line].first as usize == first
        && !document.lines[line].paragraph
        && line > 0
        && document.lines[line].end as usize <= end + 1;
    if !(comma || alone)
        || (first..end).any(|at| {
            document.is_key(at) || tokens[at].is(cues::MONTH.or(cues::BUILDING_PART).or(cues::TITLE))
        })
    {
        return;
    }
    let behind = |rule: &'static str, evidence: std::ops::Range<usize>, found: &mut Candidates| {
        let score = Score::new(rule, document.bytes(evidence), 0.78);
        found.add("city", Kind::City, document.bytes(first..end), &score);
    };
    let likely = (first..end).any(|at| nameness(document, at).prior >= 0.5 || tokens[at].word.is_city())
        && !(tokens[first].has(Flags::UPPER) && tokens[first].len() <= 3);
    if comma && likely && street(first - 2) && nameness(document, first).sort != Sort::Medical {
        return behind("behind a street", first - 2..first, found);
    }
    if alone && likely {
        let above = &document.lines[line - 1];
        let (from, to) = (above.first as usize, above.end as usize);
        let number = (from..to).any(|at| tokens[at].is_number() && tokens[at].len() <= 5);
        if number && to - from <= 12 && (from..to).any(street) {
            behind("below a street", from..to, found);
        }
    }
}

/// A city of the gazetteer that is hardly anything else.
fn listed(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let mut at = run.first as usize;
    while at < run.end as usize {
        let token = &document.tokens[at];
        if !token.word.is_city() && !token.word.starts_phrase() {
            at += 1;
            continue;
        }
        let found_city = places::longest(document, at, |word| word.is_city() && word.population() >= 4_000);
        let acronym = token.has(Flags::UPPER) && token.len() <= 4;
        let cue = token.cue.classes.0 & !(cues::NAME_FILLER.0 | cues::PARTICLE.0 | cues::DIRECTION.0) != 0
            || document.is_key(at);
        let Some((end, word)) = found_city.filter(|(end, _)| {
            token.is_capital() && !acronym && !cue && !places::is_eponymous(document, &(at..*end))
        }) else {
            at += 1;
            continue;
        };
        let several = end > at + 1;
        let named = !several && (word.is_first_name() || word.is_last_name());
        let ordinary = word.is_common() && !word.is_mostly_city()
            || word.is_medical()
            || word.is_eponym()
            || word.is_drug()
            || token.has(Flags::SENTENCE) && !several;
        let certainty = match (named, ordinary) {
            _ if !several
                && (word.is_eponym_name()
                    || document
                        .tokens
                        .get(end)
                        .is_some_and(|next| matches!(next.first, b'+' | b'-') && !next.is_word())) =>
            {
                0.3
            }
            _ if several && !word.is_medical() && !word.is_eponym() => 0.78,
            (false, false) => 0.74,
            (true, false) => 0.5,
            _ => 0.3,
        };
        let score = Score::new("gazetteer", document.bytes(at..end), certainty);
        found.add("city", Kind::City, document.bytes(at..end), &score);
        at = end;
    }
}
