//! Addresses without a usual ending: plots and doors with a number, rural routes, roads with a
//! letter, houses with a name, small streets behind a number.

use super::names::nameness;
use super::organization::is_closed;
use super::{Rules, places};
use crate::candidates::{Candidates, Score};
use crate::cues::{self, Sets};
use crate::document::{Code, Document, Run};
use crate::span::Kind;
use crate::token::{Flags, Token};
use crate::words::WordSet;

/// Last words of streets and quarters that are rare as such elsewhere, or ordinary words.
pub(super) const ENDINGS: WordSet = words![
    "nagar",
    "marg",
    "salai",
    "vihar",
    "puram",
    "chowk",
    "bazaar",
    "bazar",
    "gali",
    "colony",
    "enclave",
    "layout",
    "cross",
    "main",
    "extension",
    "extn",
    "sector",
    "bagh",
    "ganj",
    "gram",
    "mohalla",
    "peth",
    "wadi",
    "bank",
    "wynd",
    "vennel",
    "neuk",
    "knowe",
    "buildings",
    "villas",
    "fold",
    "dene",
    "lea",
    "leys",
    "mount",
    "holt",
    "copse",
    "steps",
    "butts",
    "terr",
    "tce",
    "pde",
    "bvd",
    "esp",
    "cct",
    "circuit",
    "crt",
    "gdns",
    "mains",
    "gait",
    "villa",
    "towers",
    "flats",
    "mansions",
    "lodge",
    "heights",
    "estate",
    "acres",
    "orchard",
    "paddock",
    "paddocks",
    "wood",
    "woods",
    "field",
    "fields",
    "meadows",
    "green",
    "down",
    "downs",
    "bottom",
    "ghyll",
    "brow",
    "fell",
    "side",
    "drift",
    "drove",
    "hythe",
    "lorong",
    "heol",
    "boreen",
];

/// Proposes addresses.
pub(super) fn find(document: &Document<'_>, found: &mut Candidates) {
    for code in document.codes_here() {
        let at = code.first as usize;
        if code.rules.any(Rules::PLOT) {
            plot(document, code, found);
            block(document, at, found);
        }
        if code.rules.any(Rules::ROAD) {
            road(document, code, found);
        }
        if !document.tokens[at].is_number() {
            continue;
        }
        if code.rules.any(Rules::SMALL_STREET) {
            small(document, at, found);
        }
        if code.rules.any(Rules::GRID) {
            grid(document, at, found);
        }
    }
    for run in document.runs_here() {
        if run.rules.any(Rules::LINE) {
            house(document, run, found);
        }
        if run.rules.any(Rules::ENDING) {
            short(document, run, found);
        }
        if run.rules.any(Rules::RESIDENT) {
            resident(document, run, found);
        }
    }
}

/// The end of a code with its letters: "334-B", "14/2".
fn code_end(document: &Document<'_>, code: &Code) -> usize {
    let mut end = code.end as usize;
    while end > code.first as usize + 1
        && !document.tokens[end - 1].is_word()
        && !document.tokens[end - 1].is_number()
    {
        end -= 1;
    }
    end
}

/// The end of words in capitals behind a comma: ", Gandhi Nagar", ", 4th Cross".
fn segment(document: &Document<'_>, comma: usize) -> Option<(usize, bool)> {
    let tokens = &document.tokens;
    if !tokens.get(comma).is_some_and(|sign| sign.is_sign(b',')) {
        return None;
    }
    let mut end = comma + 1;
    let (mut words, mut ending) = (0, false);
    while end < comma + 7 {
        let Some(token) = tokens.get(end).filter(|token| !token.has(Flags::GAP.or(Flags::PARAGRAPH))) else {
            break;
        };
        let ordinal = token.is_number() && token.len() <= 2
            || document.is_any(end, words!["st", "nd", "rd", "th"]) && document.glued(end);
        if !(token.is_capital() && !document.is_key(end) || ordinal) {
            break;
        }
        words += usize::from(token.is_capital());
        ending = token.is(cues::STREET_SUFFIX) || document.is_any(end, ENDINGS);
        end += 1;
    }
    (words > 0).then_some((end, ending))
}

/// "H. No. 334-B, Model Gram", "No. 27, 4th Cross, Gandhi Nagar", "Plot 14, Sector 9".
fn plot(document: &Document<'_>, code: &Code, found: &mut Candidates) {
    let tokens = &document.tokens;
    let at = code.first as usize;
    if code.digits > 5 || at == 0 || !PLOTS.may_have(tokens[at - 1].hash) && !tokens[at - 1].is_sign(b'.') {
        return;
    }
    let dotted = |at: usize| at.checked_sub(1 + usize::from(at > 0 && tokens[at - 1].is_sign(b'.')));
    let Some(word) = dotted(at) else { return };
    let no = document.is_any(word, words!["no", "nos"]);
    let kinds =
        words!["h", "d", "door", "house", "plot", "hno", "dno", "qtr", "quarter", "old", "new", "shop"];
    let lots = words!["plot", "erf", "stand", "site", "hno", "lot"];
    let head = if no {
        dotted(word).filter(|head| document.is_any(*head, kinds) && document.same_line(*head, word))
    } else {
        document.is_any(word, lots).then_some(word)
    };
    let end = code_end(document, code);
    let alone = no && head.is_none() && tokens[word].has(Flags::LINE);
    let first = head.unwrap_or(word);
    if head.is_none() && !alone || !tokens[first].is_capital() {
        return;
    }
    let (mut last, mut ending, mut more) = (end, false, 0);
    // A quarter with such an ending is the last part; what is behind it is a city.
    while let Some((end, ends)) = segment(document, last).filter(|_| more < 3) {
        if more > 0 && !ends {
            break;
        }
        (last, ending, more) = (end, ending || ends, more + 1);
    }
    let certainty = match () {
        _ if more == 0 => return,
        _ if head.is_some() && no || ending => 0.82,
        _ if head.is_some() => 0.72,
        _ => return,
    };
    let score = Score::new("plot or door", document.bytes(first..end), certainty);
    found.add("street", Kind::Street, document.bytes(first..last), &score);
}

pub(super) const PLOTS: WordSet = words!["no", "nos", "plot", "erf", "stand", "site", "hno", "lot"];

/// Before the number of a block of flats.
pub(super) const BLOCKS: WordSet = words!["blk"];

/// "Blk 212 Toa Payoh Lorong 8, #05-123": a block of flats, and the floor with the door.
fn block(document: &Document<'_>, number: usize, found: &mut Candidates) {
    let tokens = &document.tokens;
    let Some(before) = number.checked_sub(1) else { return };
    // "#05-123".
    let door = tokens[before].is_sign(b'#')
        && tokens[number].is_number()
        && tokens[number].len() == 2
        && tokens.get(number + 1).is_some_and(|sign| sign.is_sign(b'-') && document.glued(number + 1))
        && tokens.get(number + 2).is_some_and(|door| door.is_number() && document.glued(number + 2))
        && before > 0
        && tokens[before - 1].is_sign(b',');
    if door {
        let score = Score::new("floor and door", document.bytes(before..number + 3), 0.8);
        found.add("street", Kind::Street, document.bytes(before..number + 3), &score);
        return;
    }
    if !document.is_any(before, BLOCKS) || !tokens[before].is_capital() {
        return;
    }
    let mut end = code_letters(document, number);
    while end < number + 8
        && tokens.get(end).is_some_and(|next| {
            !next.has(Flags::LINE.or(Flags::GAP))
                && (next.is_capital() || next.is_number() && next.len() <= 3)
        })
    {
        end += 1;
    }
    if end > number + 1 {
        let score = Score::new("block of flats", document.bytes(before..number + 1), 0.9);
        found.add("street", Kind::Street, document.bytes(before..end), &score);
    }
}

/// The token behind a number with a letter: "212", "212A".
fn code_letters(document: &Document<'_>, number: usize) -> usize {
    let letter = document
        .tokens
        .get(number + 1)
        .is_some_and(|next| next.has(Flags::SINGLE) && document.glued(number + 1));
    number + 1 + usize::from(letter)
}

/// "the A46 northbound", "lay-by, A46", "junction 21 of the M1", "RR#2", "RR 2".
fn road(document: &Document<'_>, code: &Code, found: &mut Candidates) {
    let tokens = &document.tokens;
    let at = code.first as usize;
    let before = at.checked_sub(1).map(|before| &tokens[before]);
    let short = |token: &Token| token.is_word() && token.len() <= 2;
    if !short(&tokens[at]) && !before.is_some_and(|token| short(token) || token.is_sign(b'#')) {
        return;
    }
    let (letter, number) = match tokens[at].is_number() {
        true => (at.wrapping_sub(1), at),
        false => (at, at + 1),
    };
    let hash = letter.checked_sub(1).filter(|_| letter < tokens.len() && tokens[letter].is_sign(b'#'));
    let rural = hash.unwrap_or(letter);
    if rural < tokens.len()
        && document.is_any(rural, words!["rr", "hc"])
        && tokens[rural].has(Flags::UPPER)
        && tokens
            .get(number)
            .is_some_and(|token| token.is_number() && token.len() <= 3 && !token.has(Flags::LINE))
    {
        // "RR 18" is a respiratory rate: a route is at the start of a line or behind a comma, and has
        // an address behind it.
        let opened = tokens[rural].has(Flags::LINE)
            || rural > 0
                && matches!(tokens[rural - 1].first, b',' | b';' | b':')
                && !tokens[rural - 1].is_word();
        let comma = tokens.get(number + 1).is_some_and(|sign| sign.is_sign(b','));
        let next = number + 1 + usize::from(comma);
        let boxed = document.is(next, "box") && tokens.get(next + 1).is_some_and(Token::is_number);
        let address = boxed
            || tokens.get(next).is_some_and(|token| token.is_capital() && !token.has(Flags::UPPER) && comma)
                && !tokens[next].word.is_medical()
            || tokens.get(next).is_some_and(Token::is_number)
                && (next + 1..next + 6)
                    .any(|at| tokens.get(at).is_some_and(|token| token.is(cues::STREET_SUFFIX)));
        if boxed || opened && (address || hash.is_some()) {
            let end = if boxed { next + 2 } else { number + 1 };
            let score = Score::new("rural route", document.bytes(rural..number + 1), 0.8);
            found.add("street", Kind::Street, document.bytes(rural..end), &score);
        }
        return;
    }
    let single = letter < tokens.len()
        && tokens[letter].has(Flags::SINGLE)
        && matches!(tokens[letter].first, b'A' | b'B' | b'M' | b'N' | b'R')
        && tokens.get(number).is_some_and(|token| {
            token.is_number()
                && token.len() <= 4
                && document.glued(number)
                && tokens[letter].has(Flags::SPACE)
        });
    if !single || !is_closed(document, number + 1) && !tokens[number + 1].has(Flags::SPACE) {
        return;
    }
    // "the B12 low" is a vitamin: such roads have three digits or four.
    if tokens[letter].first == b'B' && tokens[number].len() < 3 {
        return;
    }
    let before = |back: usize, words: WordSet| letter >= back && document.is_any(letter - back, words);
    let on = words!["on", "off", "along", "onto", "of"];
    let driven =
        words!["crash", "rtc", "rta", "collision", "accident", "junction", "driving", "car", "lay", "mva"];
    let moving = (letter.saturating_sub(9)..letter)
        .rev()
        .take_while(|at| !tokens[*at].is_sign(b'.'))
        .any(|at| document.is_any(at, driven));
    let the = before(1, words!["the"]) && before(2, on);
    let bound = document.is_any(
        number + 1,
        words!["northbound", "southbound", "eastbound", "westbound", "nr", "slip", "roundabout", "motorway"],
    );
    let lay =
        letter > 3 && tokens[letter - 1].is_sign(b',') && document.is_any(letter - 2, words!["by", "layby"]);
    if bound
        || lay
        || the && moving
        || moving && before(1, words!["on", "off", "the"]) && tokens[number].len() > 1
    {
        let score = Score::new("road with a letter", document.bytes(letter..number + 1), 0.8);
        found.add("street", Kind::Street, document.bytes(letter..number + 1), &score);
    }
}

/// Words that somebody's address stands behind.
const DWELLING: WordSet = words![
    "at", "lives", "alone", "address", "addr", "of", "from", "to", "home", "resides", "living", "moved",
    "in",
];

/// A number, a name and one of the [`ENDINGS`]: "12 Lunan Bank".
fn small(document: &Document<'_>, number: usize, found: &mut Candidates) {
    let tokens = &document.tokens;
    let near = |at: usize| {
        tokens.get(at).is_some_and(|token| {
            token.is_capital() && !token.has(Flags::LINE.or(Flags::GAP).or(Flags::SHOUTED))
        })
    };
    let name = number
        + 1
        + usize::from(
            tokens
                .get(number + 1)
                .is_some_and(|letter| letter.has(Flags::SINGLE) && document.glued(number + 1)),
        );
    let ending = |at: usize| tokens.get(at).is_some_and(|token| token.cue.sets().any(Sets::ENDING));
    if tokens[number].len() > 4 || !near(name) || !near(name + 1) || !(ending(name + 1) || ending(name + 2)) {
        return;
    }
    let end = if document.is_any(name + 1, ENDINGS) {
        name + 2
    } else if near(name + 2) && document.is_any(name + 2, ENDINGS) {
        name + 3
    } else {
        return;
    };
    let plain = (name..end - 1).all(|at| {
        let word = tokens[at].word;
        !(word.is_medical()
            || word.is_drug()
            || word.is_heading()
            || word.is_month()
            || word.is_ward()
            || tokens[at].is(cues::MONTH.or(cues::UNIT).or(cues::TIME_UNIT)))
    });
    let opened = tokens[number].has(Flags::LINE.or(Flags::GAP))
        || number > 0
            && (matches!(tokens[number - 1].first, b',' | b';' | b':' | b'(')
                && !tokens[number - 1].is_word()
                || document.is_any(number - 1, DWELLING));
    if plain && opened && is_closed(document, end) {
        let score = Score::new("small street with a number", document.bytes(end - 1..end), 0.93);
        found.add("street", Kind::Street, document.bytes(number..end), &score);
    }
}

/// Streets of a grid with a number as name: "20415 S 190 Rd", "450 East 300 South".
fn grid(document: &Document<'_>, number: usize, found: &mut Candidates) {
    let tokens = &document.tokens;
    let direction =
        |at: usize| tokens.get(at).is_some_and(|token| token.is_capital() && token.is(cues::DIRECTION));
    let dot = usize::from(tokens.get(number + 2).is_some_and(|sign| sign.is_sign(b'.')));
    let name = number + 2 + dot;
    if tokens[number].len() < 2 || tokens[number].len() > 6 || !direction(number + 1) {
        return;
    }
    let named = tokens.get(name).is_some_and(|token| token.is_number() && token.len() <= 4);
    let suffix =
        tokens.get(name + 1).is_some_and(|token| token.is_capital() && token.is(cues::STREET_SUFFIX));
    if named && document.same_line(number, name + 1) && (suffix || direction(name + 1)) {
        let score = Score::new("street of a grid", document.bytes(name..name + 2), 0.9);
        found.add("street", Kind::Street, document.bytes(number..name + 2), &score);
    }
}

/// Whether a line ends with a postal code of letters and digits, as in Britain, Ireland and Canada.
fn ends_with_postcode(document: &Document<'_>, line: usize) -> bool {
    let Some(line) = document.lines.get(line) else { return false };
    let tokens = &document.tokens;
    let (first, end) = (line.first as usize, line.end as usize);
    (first..end.min(first + 16)).any(|at| {
        let token = &tokens[at];
        token.is_word()
            && token.len() <= 2
            && token.has(Flags::UPPER.or(Flags::SINGLE))
            && tokens.get(at + 1).is_some_and(|next| next.is_number() && document.glued(at + 1))
            && (at + 2..end.min(at + 4)).any(|next| {
                tokens[next].is_number() && tokens[next].has(Flags::SPACE) && tokens[next].len() == 1
                    || tokens[next].is_word() && tokens[next].has(Flags::SPACE) && tokens[next].len() <= 2
            })
    })
}

/// Words that names of houses end with.
pub(super) const HOUSES: WordSet = words![
    "cottage",
    "house",
    "farm",
    "farmhouse",
    "lodge",
    "barn",
    "mill",
    "maltings",
    "croft",
    "villa",
    "hall",
    "grange",
    "manor",
    "rectory",
    "vicarage",
    "steading",
    "bungalow",
    "cottages",
    "oast",
    "granary",
    "schoolhouse",
    "forge",
    "stables",
    "homestead",
    "station",
    "court",
    "towers",
];

/// A house with a name at the start of a line of an address: "Hurdle Cottage, Broad Chalke".
fn house(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let tokens = &document.tokens;
    let (first, end) = (run.first as usize, run.end as usize);
    let comma = tokens.get(end).is_some_and(|sign| sign.is_sign(b','));
    if !comma || end - first > 4 || !tokens[first].has(Flags::LINE) || tokens[first].has(Flags::SHOUTED) {
        return;
    }
    let plain = (first..end).all(|at| {
        let token = &tokens[at];
        let word = token.word;
        let other = cues::TITLE.or(cues::CREDENTIAL).or(cues::GREETING).or(cues::CLOSING).or(cues::MONTH);
        !(word.is_medical() || word.is_drug() || word.is_heading() || token.is(other) || document.is_key(at))
    });
    let named = document.is_any(end - 1, HOUSES) && end - first > 1;
    let next = tokens.get(end + 1).is_some_and(|next| next.is_capital() && document.same_line(end, end + 1));
    let coded = ends_with_postcode(document, tokens[first].line as usize);
    let certainty = match () {
        _ if !plain || !next => return,
        _ if named && coded => 0.94,
        _ if coded => 0.74,
        _ if named && end - first == 2 => 0.66,
        _ => return,
    };
    let score = Score::new("house with a name", document.bytes(first..end + 2), certainty);
    found.add("street", Kind::Street, document.bytes(first..end), &score);
}

/// Short endings of streets.
pub(super) const SHORT: WordSet = words!["st", "av", "pl", "sq", "tce", "pde", "gdns", "gr", "cl", "wynd"];

/// A street with a short ending and without a number: "Tesco Express, Lord St."
fn short(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let tokens = &document.tokens;
    let (first, end) = (run.first as usize, run.end as usize);
    let last = end - 1;
    if !(2..=4).contains(&(end - first)) || !document.is_any(last, SHORT) || tokens[last].has(Flags::SHOUTED)
    {
        return;
    }
    let dot = usize::from(tokens.get(end).is_some_and(|dot| dot.is_sign(b'.') && document.glued(end)));
    let plain = (first..last).all(|at| {
        !tokens[at].is(cues::TITLE.or(cues::MONTH).or(cues::ROLE)) && !tokens[at].word.is_medical()
    });
    let opened = first > 0
        && (matches!(tokens[first - 1].first, b',' | b'(') && !tokens[first - 1].is_word()
            || document.is_any(first - 1, words!["on", "at", "in", "off", "near", "along"]));
    if plain && opened && is_closed(document, end + dot) {
        let score = Score::new("short ending of a street", document.bytes(last..end), 0.74);
        found.add("street", Kind::Street, document.bytes(first..end), &score);
    }
}

/// "R/o H. No. 334-B, Model Gram": resident of, on cards of Indian hospitals.
fn resident(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let tokens = &document.tokens;
    let first = run.first as usize;
    if first < 3
        || !document.is(first - 1, "o")
        || !tokens[first - 2].is_sign(b'/')
        || !document.is(first - 3, "r")
        || !tokens[first - 3].has(Flags::CAPITAL)
    {
        return;
    }
    let stops = |at: usize| {
        tokens.get(at).is_none_or(|token| {
            token.has(Flags::LINE.or(Flags::GAP)) || token.is(cues::KEY_PHONE) || token.is_sign(b';')
        })
    };
    let end = (first + 1..first + 12).find(|at| stops(*at)).unwrap_or(first + 12);
    let address = (first..end).any(|at| tokens[at].is_number() || document.is_any(at, ENDINGS))
        || nameness(document, first).prior >= 0.5;
    let medical =
        tokens[first].word.is_medical() || places::is_eponymous(document, &(first..run.end as usize));
    if address && !medical {
        let score = Score::new("resident of", document.bytes(first - 3..first), 0.8);
        found.add("street", Kind::Street, document.bytes(first..end), &score);
    }
}
