//! Street addresses: number, name and suffix; prefixes and glued suffixes of other languages;
//! boxes; lines of an address block.

use std::ops::Range;

use super::places;
use super::{Detector, Rules, address};
use crate::candidates::{Candidates, Score};
use crate::cues;
use crate::document::{Document, Line};
use crate::span::Kind;
use crate::token::{Flags, Token};
use crate::words::WordSet;

/// Finds street addresses.
pub struct Street;

impl Detector for Street {
    fn name(&self) -> &'static str {
        "street"
    }

    fn detect(&self, document: &Document<'_>, found: &mut Candidates) {
        for cue in document.heads_here() {
            let at = *cue as usize;
            let token = &document.tokens[at];
            if token.is(cues::STREET_SUFFIX) && token.has(Flags::CAPITAL) {
                suffixed(document, at, found);
            }
            if token.is(cues::STREET_PREFIX) && token.len() > 2 {
                prefixed(document, at, found);
            }
            if token.is(cues::BUILDING_PART) {
                post_box(document, at, found);
            }
            if token.is(cues::CORNER) {
                corner(document, at, found);
            }
        }
        for code in document.codes_here() {
            if code.rules.any(Rules::GLUED) {
                glued(document, code.first as usize, found);
            }
            if code.rules.any(Rules::ABBREVIATED) {
                abbreviated(document, code.first as usize, found);
            }
            if code.rules.any(Rules::CROSSING) {
                crossing(document, code.first as usize, found);
            }
        }
        address::find(document, found);
        let mut last = None;
        for code in document.codes_here().iter().filter(|code| code.rules.any(Rules::CITY_LINE)) {
            let line = document.tokens[code.first as usize].line;
            if last.replace(line) != Some(line) {
                block(document, line as usize, found);
            }
        }
        for field in document.fields_here() {
            if field.head.any(cues::KEY_ADDRESS) && !field.numbered && !field.value.is_empty() {
                in_field(
                    document,
                    field.value.start as usize,
                    field.value.end as usize,
                    field.key.start as usize,
                    found,
                );
            }
        }
    }
}

/// Suffixes that streets have and hardly anything else.
const STRONG: WordSet = words![
    "street",
    "avenue",
    "ave",
    "road",
    "rd",
    "lane",
    "ln",
    "boulevard",
    "blvd",
    "drive",
    "terrace",
    "parkway",
    "pkwy",
    "highway",
    "hwy",
    "crescent",
    "turnpike",
    "mews",
    "strasse",
    "straat",
    "laan",
    "gracht",
    "esplanade",
    "circle",
    "cir",
    "trail",
    "cres",
];

/// Words that can be part of the name of a street.
fn is_part(document: &Document<'_>, at: usize) -> bool {
    let token = &document.tokens[at];
    let joint =
        token.word.is_function() && !document.is_any(at, words!["of", "the", "a"]) && token.has(Flags::UPPER);
    token.is_capital() && !joint
        || token.is_word()
            && document.is_any(
                at,
                words![
                    "of", "the", "de", "la", "st", "nd", "rd", "th", "van", "von", "der", "den", "du", "le",
                    "al", "del", "della", "di",
                ],
            )
        || token.is_sign(b'-')
        || token.is_sign(b'.')
            && at > 0
            && document.glued(at)
            && document.tokens[at - 1].is_capital()
            && document.tokens[at - 1].len() <= 2
}

/// "41 Tannery Row", "1180 W Calloway Ave", "900 Prospect Parkway, Suite 210".
fn suffixed(document: &Document<'_>, suffix: usize, found: &mut Candidates) {
    let tokens = &document.tokens;
    let mut first = suffix;
    while first > 0
        && suffix - first < 7
        && is_part(document, first - 1)
        && !tokens[first].has(Flags::LINE.or(Flags::GAP))
    {
        first -= 1;
    }
    let number = house_number(document, first).or_else(|| {
        // "One Harbor Plaza".
        let word = first
            .checked_sub(1)
            .filter(|at| document.tokens[*at].is(cues::NUMBER) && document.tokens[*at].has(Flags::CAPITAL));
        word.or_else(|| {
            (first < suffix && tokens[first].is(cues::NUMBER) && tokens[first].has(Flags::CAPITAL))
                .then_some(first)
        })
    });
    while first < suffix
        && (!(tokens[first].is_capital() || number.is_some())
            || number.is_none() && (tokens[first].word.is_function() || tokens[first].is(cues::NOBODY)))
    {
        first += 1;
    }
    if first == suffix
        && document.is_any(suffix, words!["route", "rte", "highway", "hwy"])
        && tokens.get(suffix + 1).is_some_and(Token::is_number)
    {
        return numbered_road(document, suffix, found);
    }
    let short = document.is_any(suffix, words!["dr", "st"]);
    // "Dr" before a name is a title, "St" before one a saint.
    let title = short
        && tokens
            .get(suffix + 1 + usize::from(tokens.get(suffix + 1).is_some_and(|dot| dot.is_sign(b'.'))))
            .is_some_and(|next| {
                next.is_capital()
                    && !next.has(Flags::LINE)
                    && !next.is(cues::BUILDING_PART.or(cues::DIRECTION))
            });
    if first >= suffix && number.is_none() || title && (number.is_none() || document.is(suffix, "dr")) {
        return numbered_road(document, suffix, found);
    }
    // "consultant Dr Virchow-Lane" is a person.
    let person = first < suffix
        && document.is_any(first, words!["dr", "mr", "mrs", "ms", "miss", "prof"])
        && !tokens[first].has(Flags::LINE);
    if person && tokens[suffix - 1].is_sign(b'-') {
        return;
    }
    let strong = document.is_any(suffix, STRONG);
    let on = places::before(document, first)
        .filter(|before| document.is_any(*before, words!["on", "at", "off", "along", "near"]));
    let certainty = match (&number, strong) {
        (Some(_), _) if first < suffix => 0.95,
        (Some(_), _) => 0.4,
        (None, true) => 0.82,
        (None, false) if is_residential(document, first, suffix) => 0.58,
        (None, false) => 0.35,
    };
    if number.is_none() && tokens[suffix].has(Flags::SHOUTED) && suffix - first > 2 {
        return;
    }
    let mut score = Score::new("suffix of a street", document.bytes(suffix..suffix + 1), certainty);
    if let Some(on) = on.filter(|_| number.is_none()) {
        score.raise("preposition", document.bytes(on..on + 1), 0.45);
    }
    let (start, end) = whole(document, number.unwrap_or(first), suffix);
    found.add("street", Kind::Street, document.bytes(start..end), &score);
}

/// Whether a name has an ending that hardly anything but a small street has: "Hawthorn Close".
fn is_residential(document: &Document<'_>, first: usize, suffix: usize) -> bool {
    let tokens = &document.tokens;
    let ending = document.is_any(
        suffix,
        words![
            "close", "gardens", "court", "walk", "parade", "row", "place", "grove", "rise", "way", "croft",
            "cottages", "quay", "wharf", "alley", "square", "garth", "chase", "brae", "pike", "cove",
        ],
    );
    let line = tokens[first].has(Flags::LINE)
        && tokens.get(suffix + 1).is_some_and(|next| next.is_sign(b',') || next.has(Flags::LINE));
    ending
        && suffix > first
        && suffix - first <= 2
        && !tokens[suffix].has(Flags::SHOUTED)
        && (!tokens[first].has(Flags::SENTENCE) || line)
        && !tokens[first].word.is_medical()
        && !tokens[first].is(cues::HEADING)
        && !tokens
            .get(suffix + 1)
            .is_some_and(|next| next.is_capital() && !next.has(Flags::LINE.or(Flags::GAP)))
}

/// Words before a road with a number.
const ROADS: WordSet =
    words!["county", "state", "rural", "us", "old", "farm", "township", "forest", "service"];

/// "County Road 12", "Route 9", "Highway 61".
fn numbered_road(document: &Document<'_>, road: usize, found: &mut Candidates) {
    let tokens = &document.tokens;
    // "Mile Marker 18, Route 9".
    let marker = road.checked_sub(4).filter(|at| {
        document.is_any(*at, words!["mile", "milepost", "exit", "junction"])
            && document.is_any(*at + 1, words!["marker", "post"])
            && tokens[*at + 2].is_number()
            && tokens[*at + 3].is_sign(b',')
    });
    let number = tokens
        .get(road + 1)
        .is_some_and(|token| token.is_number() && token.len() <= 4 && !token.has(Flags::LINE.or(Flags::GAP)));
    if number
        && document
            .is_any(road, words!["road", "rd", "route", "highway", "hwy", "rte", "turnpike", "freeway"])
    {
        let county = road > 0 && document.is_any(road - 1, ROADS);
        let start = road - usize::from(county);
        let start = marker.or_else(|| house_number(document, start)).unwrap_or(start);
        let score = Score::new("road with a number", document.bytes(road..road + 2), 0.8);
        found.add("street", Kind::Street, document.bytes(start..road + 2), &score);
    }
}

/// A number of a house directly before a token: "41", "221B", "12-14", "7 1/2".
fn house_number(document: &Document<'_>, first: usize) -> Option<usize> {
    let last = first.checked_sub(1)?;
    let mut at = last;
    if document.tokens[first].has(Flags::LINE.or(Flags::GAP)) {
        return None;
    }
    let joins = |token: &Token| {
        token.is_number() && token.len() <= 6
            || token.is_word() && token.len() <= 1
            || token.is_sign(b'-')
            || token.is_sign(b'/')
    };
    if document.tokens[at].is_sign(b',') && at > 0 {
        at -= 1;
    }
    if !joins(&document.tokens[at]) {
        return None;
    }
    while at > 0 && last - at < 4 && document.glued(at) && joins(&document.tokens[at - 1]) {
        at -= 1;
    }
    (document.tokens[at].is_number() && document.tokens[at].len() <= 6).then_some(at)
}

/// A street with the parts of a building before and behind it.
fn whole(document: &Document<'_>, first: usize, suffix: usize) -> (usize, usize) {
    let tokens = &document.tokens;
    let mut end = suffix + 1;
    // "4410 County Road 18".
    if suffix > 0
        && document.is_any(suffix - 1, ROADS)
        && tokens.get(end).is_some_and(|token| {
            token.is_number() && token.len() <= 4 && !token.has(Flags::LINE.or(Flags::GAP))
        })
    {
        end += 1;
    }
    if tokens.get(end).is_some_and(|token| token.is_sign(b'.') && document.glued(end))
        && !tokens.get(end + 1).is_none_or(|next| next.has(Flags::SENTENCE))
    {
        end += 1;
    }
    if tokens
        .get(end)
        .is_some_and(|token| token.is_capital() && token.is(cues::DIRECTION) && !token.has(Flags::LINE))
    {
        end += 1;
    }
    end = parts(document, end);
    // "Bramble Court, 7 Old Ferry Road", "Flat 2, 7 Old Ferry Road".
    let mut start = floor_before(document, first);
    for _ in 0..2 {
        if start < 2 || !tokens[start - 1].is_sign(b',') {
            break;
        }
        let run = places::capitals_before(document, start - 1, 4);
        let house = |at: usize| {
            tokens[at].is(cues::STREET_SUFFIX.or(cues::BUILDING_PART))
                || document.is_any(at, words!["house", "cottage", "farm", "estate", "mansions", "lodge"])
        };
        match run {
            Some(run) if house(start - 2) => start = run,
            _ if tokens[start - 2].is_number() && start >= 3 && tokens[start - 3].is(cues::BUILDING_PART) => {
                start -= 3
            }
            _ => {}
        }
    }
    (start, end)
}

/// The end of ", 9th fl." behind a token.
fn floor(document: &Document<'_>, end: usize) -> usize {
    let tokens = &document.tokens;
    let number = end + 1;
    let floor = tokens.get(end).is_some_and(|sign| sign.is_sign(b','))
        && tokens.get(number).is_some_and(|token| token.is_number() && token.len() <= 2)
        && document.is_any(number + 1, words!["st", "nd", "rd", "th"])
        && document.glued(number + 1)
        && document.is_any(number + 2, words!["floor", "fl", "flr", "level"]);
    end + 4 * usize::from(floor)
}

/// The first token of "1st Floor," or "Ground Floor," before a token.
fn floor_before(document: &Document<'_>, start: usize) -> usize {
    let tokens = &document.tokens;
    if start < 3
        || !tokens[start - 1].is_sign(b',')
        || !document.is_any(start - 2, words!["floor", "fl", "flr", "level"])
    {
        return start;
    }
    let ordinal = document.is_any(start - 3, words!["st", "nd", "rd", "th"]) && document.glued(start - 3);
    match ordinal {
        true if start >= 4 && tokens[start - 4].is_number() => start - 4,
        false if tokens[start - 3].is_capital() => start - 3,
        _ => start,
    }
}

/// The end of "Apt 4B", ", Suite 210", "#5" behind a token.
fn parts(document: &Document<'_>, end: usize) -> usize {
    let tokens = &document.tokens;
    let mut end = floor(document, end);
    for _ in 0..2 {
        let mut at = end + usize::from(tokens.get(end).is_some_and(|token| token.is_sign(b',')));
        let Some(token) = tokens.get(at).filter(|token| !token.has(Flags::PARAGRAPH)) else { break };
        if !(token.is(cues::BUILDING_PART) || token.is_sign(b'#')) || token.has(Flags::LINE) && end == at {
            break;
        }
        at += 1;
        while tokens.get(at).is_some_and(|token| token.is_sign(b'.') || token.is_sign(b'#')) {
            at += 1;
        }
        let Some(number) =
            tokens.get(at).filter(|token| token.is_number() || token.is_capital() && token.len() <= 2)
        else {
            break;
        };
        let _ = number;
        at += 1;
        while at < end + 8
            && document.glued(at)
            && tokens.get(at).is_some_and(|token| {
                token.is_number() || token.is_word() && token.len() <= 2 || token.is_sign(b'-')
            })
        {
            at += 1;
        }
        while tokens[at - 1].is_sign(b'-') {
            at -= 1;
        }
        end = at;
    }
    end
}

/// "12 rue de la Paix", "Calle Mayor 5", "Via Roma 3".
fn prefixed(document: &Document<'_>, prefix: usize, found: &mut Candidates) {
    let tokens = &document.tokens;
    let mut end = prefix + 1;
    let small = words![
        "de", "la", "le", "du", "des", "del", "los", "las", "di", "della", "dem", "den", "der", "d", "l",
        "saint", "y",
    ];
    while end < prefix + 6
        && tokens.get(end).is_some_and(|token| {
            !token.has(Flags::LINE.or(Flags::GAP))
                && (token.is_capital()
                    || token.is_word() && document.is_any(end, small)
                    || token.is_sign(b'-'))
        })
    {
        end += 1;
    }
    if end == prefix + 1 || !tokens[end - 1].is_capital() {
        return;
    }
    let comma = usize::from(tokens.get(end).is_some_and(|token| token.is_sign(b',')));
    let behind = tokens
        .get(end + comma)
        .is_some_and(|token| token.is_number() && token.len() <= 4 && !token.has(Flags::LINE));
    let before = house_number(document, prefix);
    let roman = document.is_any(
        prefix,
        words![
            "rue",
            "calle",
            "via",
            "avenida",
            "viale",
            "chemin",
            "paseo",
            "carrer",
            "piazza",
            "rua",
            "impasse",
            "quai",
            "corso",
            "jalan",
            "jln",
            "lorong",
            "persiaran",
            "heol",
            "ffordd",
            "bóthar",
            "bothar",
            "sráid",
            "stryd",
        ],
    );
    // "at 0312 via EMS" is English.
    let sent = document.is_any(
        prefix + 1,
        words!["fax", "email", "mail", "phone", "telephone", "ems", "post", "courier", "portal", "epic"],
    );
    let english = document.is(prefix, "via") && (sent || !tokens[prefix].has(Flags::CAPITAL) && !behind);
    if sent {
        return;
    }
    let certainty = match (roman, before.is_some() || behind) {
        (true, true) if !english => 0.93,
        (true, false) if tokens[prefix].has(Flags::CAPITAL) && !document.is(prefix, "via") => 0.75,
        (false, true)
            if behind
                && tokens[prefix].has(Flags::CAPITAL)
                && before.is_none()
                && tokens[prefix].has(Flags::LINE) =>
        {
            0.72
        }
        _ => return,
    };
    let end = if behind && before.is_none() { end + comma + 1 } else { end };
    let score = Score::new("prefix of a street", document.bytes(prefix..prefix + 1), certainty);
    found.add("street", Kind::Street, document.bytes(before.unwrap_or(prefix)..end), &score);
}

/// "PO Box 4471", "P.O. Box 12", "Postfach 12 34".
fn post_box(document: &Document<'_>, at: usize, found: &mut Candidates) {
    let tokens = &document.tokens;
    let alone = document.is_any(at, words!["postfach", "pob", "postbus"]);
    if !(alone || document.is(at, "box")) {
        return;
    }
    let number = at
        + 1
        + usize::from(
            tokens.get(at + 1).is_some_and(|sign| matches!(sign.first, b'#' | b':') && !sign.is_word()),
        );
    if !tokens.get(number).is_some_and(|token| token.is_number() && !token.has(Flags::LINE)) {
        return;
    }
    let mut first = at;
    while first > 0
        && at - first < 5
        && (tokens[first - 1].is_sign(b'.')
            || document.is_any(first - 1, words!["p", "o", "po", "post", "office"]))
    {
        first -= 1;
    }
    // "Box 217, Kenora".
    let lone = first == at
        && tokens[at].has(Flags::CAPITAL)
        && (tokens[at].has(Flags::LINE) || at > 0 && tokens[at - 1].is_sign(b','))
        && tokens.get(number + 1).is_some_and(|sign| sign.is_sign(b','))
        && tokens
            .get(number + 2)
            .is_some_and(|city| city.is_capital() && document.same_line(number, number + 2));
    if alone || lone || first < at {
        let second =
            tokens.get(number + 1).is_some_and(|token| token.is_number() && token.len() == 2 && alone);
        let end = number + 1 + usize::from(second);
        let score = Score::new("box", document.bytes(at..at + 1), 0.95);
        found.add("street", Kind::Street, document.bytes(first..end), &score);
    }
}

/// Endings of German, Dutch and Scandinavian streets.
const GLUED: &[&str] = &[
    "straße", "strasse", "str", "allee", "weg", "platz", "gasse", "ring", "damm", "ufer", "straat", "laan",
    "plein", "gracht", "vej", "gade", "gatan", "steig", "chaussee",
];

/// "Lindenallee 17", "Hauptstr. 5a".
fn glued(document: &Document<'_>, number: usize, found: &mut Candidates) {
    let tokens = &document.tokens;
    let dot = number > 0 && tokens[number - 1].is_sign(b'.');
    let Some(street) = number.checked_sub(1 + usize::from(dot)) else { return };
    let word = document.word(street);
    let ends = |ending: &&str| {
        // "Seestrasse", but not "Sperring": a short ending needs a longer name before it.
        let least = if ending.len() >= 6 { 3 } else { 4 };
        word.len() >= ending.len() + least
            && word.get(word.len() - ending.len()..).is_some_and(|end| end.eq_ignore_ascii_case(ending))
    };
    if !tokens[number].is_number()
        || tokens[number].len() > 4
        || !tokens[street].is_capital()
        || !document.same_line(street, number)
        || !GLUED.iter().any(ends)
    {
        return;
    }
    let letter = tokens
        .get(number + 1)
        .is_some_and(|token| token.is_word() && token.len() == 1 && (document.glued(number + 1)));
    let mut first = street;
    while first > 0
        && street - first < 4
        && (tokens[first - 1].is_sign(b'-') && document.glued(first)
            || tokens[first - 1].is_capital() && !tokens[first].has(Flags::SPACE))
    {
        first -= 1;
    }
    let mut end = number + 1 + usize::from(letter);
    // "Gartengasse 14/3/2": house, stairs and door.
    while end < number + 7
        && tokens.get(end).is_some_and(|sign| matches!(sign.first, b'/' | b'-') && !sign.is_word())
        && document.glued(end)
        && document.glued(end + 1)
        && tokens.get(end + 1).is_some_and(|door| door.is_number() && door.len() <= 3)
    {
        end += 2;
    }
    let score = Score::new("street with a number", document.bytes(street..number + 1), 0.92);
    found.add("street", Kind::Street, document.bytes(first..end), &score);
}

/// Kinds of streets that are abbreviated before the name.
pub(super) const KINDS: WordSet = words![
    "avda", "avd", "av", "ctra", "pza", "pzza", "bd", "bld", "boul", "ul", "os", "al", "tv", "est", "prol",
];

/// Streets whose kind is abbreviated before the name: "Avda. de la Luz, 24", "C. Mayor 5".
fn abbreviated(document: &Document<'_>, number: usize, found: &mut Candidates) {
    let tokens = &document.tokens;
    if !tokens[number].is_number() || tokens[number].len() > 4 || tokens[number].has(Flags::LINE) {
        return;
    }
    let comma = usize::from(number > 0 && tokens[number - 1].is_sign(b','));
    let name = number - comma;
    let mut first = name;
    let small = words![
        "de", "la", "le", "du", "des", "del", "los", "las", "di", "della", "da", "do", "dos", "das", "y"
    ];
    while first > 0
        && name - first < 6
        && (tokens[first - 1].is_capital() || document.is_any(first - 1, small))
        && !tokens[first].has(Flags::LINE.or(Flags::GAP))
    {
        first -= 1;
    }
    let dot =
        first.checked_sub(1).filter(|dot| first < name && tokens[*dot].is_sign(b'.') && document.glued(*dot));
    if let Some(kind) = dot
        .and_then(|dot| dot.checked_sub(1))
        .filter(|kind| tokens[*kind].is_capital() && document.is_any(*kind, KINDS))
    {
        let score = Score::new("prefix of a street", document.bytes(kind..kind + 1), 0.86);
        found.add("street", Kind::Street, document.bytes(kind..number + 1), &score);
    }
}

/// Roads with a number.
pub(super) const ROUTES: WordSet = words!["rt", "rte", "hwy", "sr", "cr"];

/// "at RT 9 and Mill Rd": a road with a number behind a preposition.
fn crossing(document: &Document<'_>, number: usize, found: &mut Candidates) {
    let Some(road) = number.checked_sub(1).filter(|road| document.is_any(*road, ROUTES)) else {
        return;
    };
    let on = document.tokens[road].has(Flags::LINE)
        || road.checked_sub(1).is_some_and(|on| {
            document.is_any(on, words!["at", "on", "off", "near", "along", "and", "from", "to"])
                || document.tokens[on].is_sign(b':')
        });
    let roman = document.tokens[number].is_number()
        && document.tokens[number].len() <= 3
        && document.same_line(road, number);
    if on && roman && document.tokens[road].has(Flags::CAPITAL) {
        // "RT 22 AND OLD MILL RD".
        let joined = document.is(number + 1, "and")
            || document.tokens.get(number + 1).is_some_and(|t| t.is_sign(b'&'));
        let suffix = (number + 3..number + 7).find(|at| {
            document.tokens.get(*at).is_some_and(|token| token.is(cues::STREET_SUFFIX) && token.is_capital())
                && document.same_line(number, *at)
        });
        let end = suffix.filter(|_| joined).map_or(number + 1, |suffix| suffix + 1);
        let score = Score::new("road with a number", document.bytes(road..number + 1), 0.8);
        found.add("street", Kind::Street, document.bytes(road..end), &score);
    }
}

/// "corner of Beecher St and 14th".
fn corner(document: &Document<'_>, at: usize, found: &mut Candidates) {
    if !(document.is(at, "corner") && document.is(at + 1, "of")) {
        return;
    }
    let stops = |at: usize| {
        document.tokens.get(at).is_none_or(|token| {
            matches!(token.first, b',' | b'.' | b';' | b')') && !token.is_word() && !token.is_number()
                || token.has(Flags::LINE)
        })
    };
    let end = (at + 2..at + 12).find(|at| stops(*at)).unwrap_or(at + 12).min(document.tokens.len());
    let score = Score::new("corner", document.bytes(at..at + 2), 0.85);
    found.add("street", Kind::Street, document.bytes(at..end), &score);
}

/// Whether a line has a city with a postal code.
fn is_city_line(document: &Document<'_>, line: &Line) -> bool {
    let tokens = &document.tokens[line.first as usize..line.end as usize];
    tokens.len() <= 14
        && tokens.windows(2).any(|pair| {
            let zip = |token: &Token| token.is_number() && token.len() == 5;
            pair[0].is_word()
                && pair[0].has(Flags::UPPER)
                && pair[0].len() == 2
                && pair[0].word.is_state_code()
                && zip(&pair[1])
                || zip(&pair[0]) && pair[0].has(Flags::LINE) && pair[1].is_capital()
        })
}

/// A line of an address block above its city: "Huntington 18".
fn block(document: &Document<'_>, number: usize, found: &mut Candidates) {
    let Some(line) =
        document.lines.get(number).filter(|line| is_city_line(document, line) && !line.paragraph)
    else {
        return;
    };
    let evidence = document.bytes(line.first as usize..line.end as usize);
    let above = &document.lines[number - 1];
    let (first, end) = (above.first as usize, above.end as usize);
    if let Some(tokens) = address(document, first, end)
        && !document.tokens.get(tokens.end).is_some_and(|next| next.is_sign(b':'))
    {
        let score = Score::new("above a city", evidence.clone(), 0.86);
        found.add("street", Kind::Street, document.bytes(tokens), &score);
    }
    // What is above the street is a person or an institution.
    for above in (number.saturating_sub(4)..number).rev().map(|line| &document.lines[line]) {
        let (first, end) = (above.first as usize, above.end as usize);
        let words = document.tokens[first..end].iter().filter(|token| token.is_word());
        let proper = words.clone().all(|token| token.is_capital() || token.word.is_function())
            && words.clone().count() <= 6;
        let plain = !document.tokens[first..end].iter().any(|token| {
            token.is_number() || token.is_sign(b':') || token.has(Flags::GAP) && !token.has(Flags::LINE)
        });
        let named = (first..end).any(|at| super::names::nameness(document, at).prior >= 0.3)
            || document.tokens[first..end].iter().filter(|token| token.is_word()).all(|token| {
                token.word.is_common()
                    && !token.word.is_medical()
                    && !token.word.is_heading()
                    && !token.is(cues::HEADING.or(cues::KEY_PERSON).or(cues::WARD_HEAD).or(cues::KEY_RECORD))
            });
        if proper
            && plain
            && named
            && words.count() > 0
            && !document.tokens[first].is(cues::TITLE.or(cues::HEADING))
        {
            let score = Score::new("letterhead", evidence.clone(), 0.74);
            found.add("street", Kind::Institution, document.bytes(first..end), &score);
        }
        if above.paragraph {
            break;
        }
    }
}

/// The tokens of a line that are a name with a number, before a gap or a key.
fn address(document: &Document<'_>, first: usize, end: usize) -> Option<Range<usize>> {
    let tokens = &document.tokens;
    let mut last = first;
    let (mut words, mut numbers) = (0, 0);
    while last < end && last < first + 10 {
        let token = &tokens[last];
        if last > first && token.has(Flags::GAP)
            || token.is_sign(b':')
            || token.is(cues::KEY_DATE.or(cues::KEY_PHONE)) && token.has(Flags::UPPER)
        {
            break;
        }
        if token.is_number() {
            numbers += usize::from(token.len() <= 6);
        } else if token.is_capital() {
            words += 1;
        } else if !(token.is_word() || matches!(token.first, b'.' | b',' | b'-' | b'#' | b'/' | b'\'')) {
            break;
        }
        last += 1;
    }
    (words > 0 && numbers > 0 && words <= 5 && last - first <= 8).then_some(first..last)
}

/// The value of "Address:", up to the city.
fn in_field(document: &Document<'_>, first: usize, end: usize, key: usize, found: &mut Candidates) {
    let stop =
        (first..end).find(|at| document.tokens[*at].is_sign(b',') || document.tokens[*at].is_sign(b';'));
    let last = stop.unwrap_or(end);
    let numbered = document.tokens[first..last].iter().any(Token::is_number);
    let named = document.tokens[first..last]
        .iter()
        .any(|token| token.is_capital() || token.is_word() && !token.word.is_known());
    if numbered
        && named
        && last - first <= 10
        && !document.tokens[first..last]
            .iter()
            .any(|token| token.is(cues::KEY_PHONE) && token.is_word() && token.len() > 2)
    {
        let score = Score::new("key of an address", document.bytes(key..first), 0.85);
        found.add("street", Kind::Street, document.bytes(first..last), &score);
    }
}
