//! Sets within a hospital: beds of a unit, theatres, suites and rooms, floors with a direction.

use super::names::nameness;
use super::organization::is_closed;
use super::{Detector, Rules};
use crate::candidates::{Candidates, Score};
use crate::cues;
use crate::document::{Document, Field};
use crate::span::Kind;
use crate::token::{Flags, Token};
use crate::words::WordSet;

/// Finds rooms and beds. Reports them as wards.
pub struct Room;

impl Detector for Room {
    fn name(&self) -> &'static str {
        "ward"
    }

    fn detect(&self, document: &Document<'_>, found: &mut Candidates) {
        for field in document.fields_here() {
            in_field(document, field, found);
        }
        for code in document.codes_here() {
            if code.rules.any(Rules::MOVED) {
                moved(document, code.first as usize, found);
            }
        }
        for cue in document.heads_here() {
            let at = *cue as usize;
            let parts =
                cues::WARD_HEAD.or(cues::BUILDING_PART).or(cues::DIRECTION).or(cues::INSTITUTION_HEAD);
            if !document.tokens[at].has(Flags::CAPITAL) || !document.tokens[at].is(parts) {
                continue;
            }
            numbered(document, at, found);
            bed(document, at, found);
            floor(document, at, found);
            named(document, at, found);
        }
    }
}

/// Whether a word is part of the name of a unit: a direction, a specialty, a unit.
fn is_unit(document: &Document<'_>, at: usize) -> bool {
    let token = &document.tokens[at];
    token.is_capital()
        && (token.word.is_ward()
            || token.word.is_medical()
            || token.is(cues::WARD_HEAD)
            || document.is_any(at, SPECIALTIES))
        && !document.is_key(at)
}

const SPECIALTIES: WordSet = words![
    "neuro",
    "tele",
    "med",
    "surg",
    "medsurg",
    "peds",
    "onc",
    "ortho",
    "cardiac",
    "rehab",
    "renal",
    "stroke",
    "endo",
    "endoscopy",
    "delivery",
    "labour",
    "labor",
    "birth",
    "birthing",
    "treatment",
    "seminar",
    "meeting",
    "consulting",
    "cath",
    "ep",
    "recovery",
    "trauma",
    "resus",
    "oncology",
    "theatre",
    "suite",
    "day",
    "procedure",
    "infusion",
    "dialysis",
    "operating",
    "isolation",
    "interview",
    "family",
    "conference",
];

/// The first of up to three such words before a head.
fn widened(document: &Document<'_>, head: usize) -> usize {
    let tokens = &document.tokens;
    let mut first = head;
    while first > 0
        && head - first < 3
        && is_unit(document, first - 1)
        && !tokens[first].has(Flags::LINE.or(Flags::GAP).or(Flags::PARAGRAPH))
    {
        first -= 1;
    }
    first
}

/// The end of a code such as "3", "F4", "3F", "5-218B", "3-17" that starts at a token.
fn code(document: &Document<'_>, at: usize) -> Option<usize> {
    let tokens = &document.tokens;
    let near = |token: &Token| !token.has(Flags::LINE.or(Flags::GAP));
    let token = tokens.get(at).filter(|token| near(token))?;
    let number = token.is_number() && token.len() <= 4;
    let glued = |at: usize| tokens.get(at).is_some_and(|_| document.glued(at));
    let letter = token.is_capital() && token.len() <= 2 && !token.word.is_function();
    let behind = |at: usize, most: usize| {
        tokens.get(at).is_some_and(|token| {
            glued(at) && (token.is_number() && token.len() <= most || token.is_word() && token.len() <= 1)
        })
    };
    let dashed = tokens.get(at + 1).is_some_and(|sign| sign.is_sign(b'-')) && glued(at + 1);
    if !(number || letter && (behind(at + 1, 4) || dashed && behind(at + 2, 4))) {
        return None;
    }
    let mut end = at + 1;
    while end < at + 6 {
        let sign = tokens.get(end).is_some_and(|sign| sign.is_sign(b'-')) && glued(end);
        match () {
            _ if behind(end, 4) => end += 1,
            _ if sign && behind(end + 1, 4) => end += 2,
            _ => break,
        }
    }
    // "3/4", "12.5", "50%", "9:30": other numbers.
    let other = tokens.get(end).is_some_and(|next| {
        !next.is_word()
            && document.glued(end)
            && (matches!(next.first, b'/' | b'%' | b'+')
                || matches!(next.first, b'.' | b':')
                    && tokens.get(end + 1).is_some_and(|digit| digit.is_number() && document.glued(end + 1)))
    });
    (!other && (end > at + 1 || !super::number::is_measured(document, end))).then_some(end)
}

/// A head with a number behind it: "Theatre 5", "Endo Suite 3", "Seminar Room F4", "C Wing 3-17",
/// "Unit 3F".
fn numbered(document: &Document<'_>, head: usize, found: &mut Candidates) {
    let tokens = &document.tokens;
    let heads = words![
        "theatre", "theater", "suite", "room", "rm", "bay", "cubicle", "unit", "wing", "lab", "pod",
        "clinic", "or", "opd", "pavilion", "tower", "ward", "chair", "station", "resus", "area", "zone",
    ];
    if !document.is_any(head, heads) {
        return;
    }
    // "RM/BED: 5112-A", "Room No. 6", "Lab EP 2".
    let mut at = head + 1;
    let counted = document.is_any(at, words!["no", "number"]);
    at += usize::from(counted);
    if (counted || tokens[head].len() <= 3)
        && tokens.get(at).is_some_and(|sign| matches!(sign.first, b'.' | b'#') && !sign.is_word())
    {
        at += 1;
    }
    let inner = document.is(head, "lab")
        && tokens
            .get(at)
            .is_some_and(|word| word.has(Flags::UPPER) && word.len() <= 3 && !word.has(Flags::LINE));
    at += usize::from(inner);
    let Some(mut end) = code(document, at) else { return };
    // "POD 2" and "station 0" are no places.
    if tokens[head].has(Flags::UPPER) && document.is_any(head, words!["pod", "or"]) {
        return;
    }
    if tokens
        .get(end)
        .is_some_and(|next| next.is_capital() && next.is(cues::DIRECTION) && !next.has(Flags::LINE))
    {
        end += 1;
    }
    let mut first = widened(document, head);
    let letter = first == head
        && head > 0
        && tokens[head - 1].has(Flags::SINGLE)
        && tokens[head - 1].is_capital()
        && document.same_line(head - 1, head);
    first -= usize::from(letter);
    let lettered = end > at + 1;
    let weak =
        document.is_any(head, words!["unit", "lab", "clinic", "chair", "station", "area", "zone", "bay"]);
    let free = is_closed(document, end) || tokens.get(end).is_some_and(|next| !next.is_number());
    let certainty = match () {
        _ if !free => return,
        _ if letter && !weak => 0.9,
        _ if document.is(head, "opd") => 0.72,
        _ if document
            .is_any(head, words!["theatre", "theater", "suite", "wing", "pavilion", "tower", "ward"]) =>
        {
            0.78
        }
        _ if first < head && !weak => 0.76,
        // More than an age with a sex: "Unit 3F".
        _ if lettered => 0.88,
        _ if inner => 0.74,
        _ if document.is_any(head, words!["room", "rm"]) => 0.7,
        _ if first < head => 0.7,
        _ if document.is_any(head, words!["bay", "cubicle", "pod"]) => 0.6,
        _ => return,
    };
    let score = Score::new("room with a number", document.bytes(head..end), certainty);
    found.add("ward", Kind::Ward, document.bytes(first..end), &score);
}

/// Before where somebody was moved.
pub(super) const MOVED: WordSet = words!["to", "from", "onto"];

/// A ward that is a letter with a number behind a move: "Moved to C4", "transferred to 7B".
fn moved(document: &Document<'_>, at: usize, found: &mut Candidates) {
    let tokens = &document.tokens;
    if at < 2 || !document.is_any(at - 1, MOVED) {
        return;
    }
    let moves = words![
        "moved",
        "transferred",
        "transfer",
        "admitted",
        "stepped",
        "returned",
        "back",
        "handed",
        "discharged",
    ];
    let move_before = (at.saturating_sub(4)..at - 1).any(|at| document.is_any(at, moves));
    let Some(end) = code(document, at).filter(|end| *end == at + 2 && document.glued(at + 1)) else { return };
    let letter = tokens[at].is_word() != tokens[at + 1].is_word()
        && (tokens[at].has(Flags::UPPER.or(Flags::SINGLE)) || tokens[at + 1].has(Flags::CAPITAL));
    if move_before && letter && is_closed(document, end) {
        let score = Score::new("ward behind a move", document.bytes(at - 1..end), 0.66);
        found.add("ward", Kind::Ward, document.bytes(at..end), &score);
    }
}

/// A bed of a unit: "MICU-11", "Resus 2", "ICU bed 4", and a unit behind a preposition: "via SAU".
fn bed(document: &Document<'_>, head: usize, found: &mut Candidates) {
    let tokens = &document.tokens;
    let units = words![
        "icu", "micu", "sicu", "picu", "nicu", "ccu", "itu", "hdu", "amu", "mau", "sau", "cdu", "eau",
        "resus", "tele", "pacu", "cvicu", "asu", "aau", "bed", "bay",
    ];
    if !document.is_any(head, units) {
        return;
    }
    let bed = words!["bed", "bay", "room", "rm", "cubicle"];
    let lone = document.is_any(head, bed);
    let dash =
        usize::from(tokens.get(head + 1).is_some_and(|sign| sign.is_sign(b'-') && document.glued(head + 1)));
    let inner = usize::from(dash == 0 && !lone && document.is_any(head + 1, bed));
    if let Some(end) = code(document, head + 1 + dash + inner).filter(|end| is_closed(document, *end)) {
        let certainty = match () {
            _ if dash + inner > 0 || document.is_any(head, words!["resus", "tele"]) => 0.74,
            _ if lone => 0.45,
            _ => 0.6,
        };
        let score = Score::new("bed of a unit", document.bytes(head..end), certainty);
        found.add("ward", Kind::Ward, document.bytes(head..end), &score);
        return;
    }
    let acute = document.is_any(head, words!["amu", "mau", "sau", "cdu", "eau", "asu", "aau"]);
    let placed = super::places::before(document, head)
        .is_some_and(|word| document.is_any(word, words!["from", "to", "on", "in", "at", "via"]));
    if acute && placed && tokens[head].has(Flags::UPPER) {
        let score = Score::new("unit behind a preposition", document.bytes(head..head + 1), 0.62);
        found.add("ward", Kind::Ward, document.bytes(head..head + 1), &score);
    }
}

/// A floor or tower with a number and a direction: "the 4 West step-down unit", "5 SOUTH NEURO",
/// "7 Pavilion North", "Tele 3 East".
fn floor(document: &Document<'_>, at: usize, found: &mut Candidates) {
    let tokens = &document.tokens;
    if !(tokens[at].is(cues::DIRECTION) && document.is_any(at, POINTS)) {
        return;
    }
    let near = |at: usize| at > 0 && !tokens[at].has(Flags::LINE.or(Flags::GAP));
    let house = near(at)
        && document.is_any(at - 1, words!["pavilion", "tower", "wing", "building", "main", "campus"]);
    let head = at - usize::from(house);
    let number = near(head)
        .then(|| head - 1)
        .filter(|number| tokens[*number].is_number() && tokens[*number].len() <= 2);
    let Some(number) = number else { return };
    // "12 North Street" is an address.
    let mut end = at + 1;
    while end < at + 3
        && tokens.get(end).is_some_and(|next| {
            !next.has(Flags::LINE.or(Flags::GAP)) && is_unit(document, end) && !next.is(cues::KEY_RECORD)
        })
    {
        end += 1;
    }
    let street = tokens
        .get(end)
        .is_some_and(|next| next.is_capital() && !next.has(Flags::LINE.or(Flags::GAP).or(Flags::SENTENCE)));
    if street || number > 0 && tokens[number - 1].is_number() {
        return;
    }
    let unit = |at: usize| {
        document
            .is_any(at, words!["step", "stepdown", "unit", "ward", "floor", "nursing", "telemetry", "nurses"])
    };
    let cell = number > 0 && (tokens[number - 1].is_sign(b':') || tokens[number].has(Flags::GAP));
    let before = super::places::before(document, number);
    let placed = before.is_some_and(|word| {
        document.is_any(word, words!["on", "from", "to", "the", "floor", "unit", "covering", "ward"])
    });
    let first = if near(number) && is_unit(document, number - 1) { number - 1 } else { number };
    let certainty = match () {
        _ if house || end > at + 1 || unit(end) => 0.8,
        _ if first < number || cell => 0.76,
        _ if placed && !document.is_any(end, words!["of", "to"]) => 0.72,
        _ => return,
    };
    let score = Score::new("floor with a direction", document.bytes(number..end), certainty);
    found.add("ward", Kind::Ward, document.bytes(first..end), &score);
}

const POINTS: WordSet = words![
    "north",
    "south",
    "east",
    "west",
    "northeast",
    "northwest",
    "southeast",
    "southwest",
    "upper",
    "lower",
];

/// A name beside a head: "Beech Ward", "Room Tulip".
fn named(document: &Document<'_>, head: usize, found: &mut Candidates) {
    let tokens = &document.tokens;
    let own = |at: usize| {
        let token = &tokens[at];
        let word = token.word;
        token.is_capital()
            && !token.has(Flags::UPPER.or(Flags::SINGLE).or(Flags::SHOUTED))
            && !(word.is_medical() || word.is_heading() || word.is_ward() || word.is_function())
            && !(word.is_month() || word.is_weekday() || word.is_drug() || word.is_shorthand())
            && !token.is(cues::HEADING.or(cues::NOBODY).or(cues::WARD_HEAD).or(cues::ROLE).or(cues::ORDINAL))
            && !token.is(cues::DIRECTION.or(cues::RELATIVE).or(cues::AFTER_PERSON).or(cues::EPONYM_HEAD))
            && !document
                .is_any(at, words!["air", "assigned", "transferred", "same", "side", "dining", "waiting"])
            && !document.is_any(at, SPECIALTIES)
            && !document.is_key(at)
    };
    let near = |at: usize| tokens.get(at).is_some_and(|token| !token.has(Flags::LINE.or(Flags::GAP)));
    let plain = tokens[head].is_capital() && !tokens[head].has(Flags::SHOUTED.or(Flags::UPPER));
    if plain && head > 0 && document.is_any(head, words!["ward", "wing"]) && near(head) && own(head - 1) {
        let first = head - 1;
        let opened = !tokens[first].has(Flags::SENTENCE) || tokens[first].has(Flags::LINE.or(Flags::GAP));
        let value = document.field_of(first).is_some();
        if opened || value {
            let score = Score::new("name of a ward", document.bytes(head..head + 1), 0.74);
            found.add("ward", Kind::Ward, document.bytes(first..head + 1), &score);
        }
    }
    let room = document.is_any(head, words!["room", "ward"]) && plain;
    if room && near(head + 1) && own(head + 1) && is_closed(document, head + 2) {
        let prior = nameness(document, head + 1).prior;
        let score = Score::new(
            "name of a room",
            document.bytes(head..head + 1),
            if prior < 0.1 { 0.56 } else { 0.72 },
        );
        found.add("ward", Kind::Ward, document.bytes(head + 1..head + 2), &score);
    }
}

/// The value of "Rm:", "Bed:", "Loc:" or "Location:" that is a code or has a head.
fn in_field(document: &Document<'_>, field: &Field, found: &mut Candidates) {
    let tokens = &document.tokens;
    let (first, end) = (field.value.start as usize, field.value.end as usize);
    let key = field.key.end.saturating_sub(1) as usize;
    let room = document.is_any(key, words!["rm", "room", "bed", "bay", "unit", "ward", "pod"]);
    let place = document.is_any(key, words!["loc", "location", "area"]);
    if !(room || place) || first >= end || field.numbered && !room || tokens[first].has(Flags::LINE) {
        return;
    }
    if let Some(last) = code(document, first).filter(|last| room && *last - first <= 5) {
        let alone = last >= end || is_closed(document, last);
        let lettered = last > first + 1 || !document.is_any(key, words!["unit", "bed", "bay"]);
        if alone && lettered {
            let score = Score::new("key of a room", document.bytes(key..key + 1), 0.76);
            found.add("ward", Kind::Ward, document.bytes(first..last), &score);
            return;
        }
    }
    // "Deluxe 3rd Floor, Rm 308", "Endoscopy Unit", "C Wing 3-17", "5 SOUTH NEURO".
    let fits = |at: usize| {
        let token = &tokens[at];
        token.is_capital()
            || token.is_number() && token.len() <= 4
            || document.is_any(at, words!["st", "nd", "rd", "th", "of", "floor", "wing", "bed"])
            || matches!(token.first, b'-' | b',' | b'/' | b'.') && !token.is_word()
    };
    let mut last = first;
    while last < end.min(first + 9) && fits(last) && !(last > first && tokens[last].has(Flags::GAP)) {
        last += 1;
    }
    while last > first && !tokens[last - 1].is_word() && !tokens[last - 1].is_number() {
        last -= 1;
    }
    let head = (first..last).any(|at| {
        tokens[at].is(cues::WARD_HEAD)
            || document.is_any(at, words!["suite", "rm", "room", "theatre", "department", "ed", "resus"])
    });
    let number = (first..last).any(|at| tokens[at].is_number());
    let closed = last == end || is_closed(document, last);
    let medical = (first..last).all(|at| tokens[at].word.is_medical() || tokens[at].word.is_drug());
    if tokens[first].is_capital() && closed && !medical && (head && last > first + 1 || room && number) {
        let score = Score::new("key of a ward", document.bytes(key..key + 1), 0.76);
        found.add("ward", Kind::Ward, document.bytes(first..last), &score);
    }
}
