//! States and provinces: postal abbreviations behind a city, names in capitals.

use super::places;
use super::{Detector, Rules};
use crate::candidates::{Candidates, Score};
use crate::cues::{self, Sets};
use crate::document::Document;
use crate::span::Kind;
use crate::token::{Flags, Token};
use crate::words::WordSet;

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
            let regions = if run.rules.any(Rules::REGION) { run.end } else { run.first };
            for at in run.first as usize..regions as usize {
                dotted(document, at, found);
                region(document, at, found);
                if is_behind_comma(document, at) {
                    let score = Score::new("state behind a comma", document.bytes(at - 1..at + 1), 0.85);
                    found.add("state", Kind::State, document.bytes(at..at + 1), &score);
                }
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

/// Whether what is behind the letters of a state, or before them, says what they are: "AZ plate",
/// "MA license", "ID 0007723".
pub fn is_labelled(document: &Document<'_>, at: usize) -> bool {
    is_licensed(document, at) || document.is(at, "id") && is_numbered(document, at)
}

/// "AZ plate", "MA license".
fn is_licensed(document: &Document<'_>, at: usize) -> bool {
    document.is_any(
        at + 1,
        words![
            "plate",
            "plates",
            "license",
            "licence",
            "lic",
            "driver",
            "driver's",
            "drivers",
            "registration",
            "tag",
            "tags",
            "dl",
            "medicaid",
            "registered",
            "resident",
        ],
    ) && document.same_line(at, at + 1)
}

/// Whether a number or a code is behind a token: "ID PSH448820913", "ID 00077231904".
fn is_numbered(document: &Document<'_>, at: usize) -> bool {
    let tokens = &document.tokens;
    let behind = at
        + 1
        + usize::from(
            tokens
                .get(at + 1)
                .is_some_and(|sign| matches!(sign.first, b'#' | b':' | b'.') && !sign.is_word()),
        );
    tokens.get(behind).is_some_and(|next| {
        !next.has(Flags::LINE)
            && (next.is_number() && (next.len() != 5 || behind > at + 1)
                || next.is_word()
                    && next.is_capital()
                    && tokens
                        .get(behind + 1)
                        .is_some_and(|digit| digit.is_number() && document.glued(behind + 1)))
    })
}

/// Regions of one word, behind a comma.
pub(super) const ONE: WordSet = words![
    "kerala",
    "karnataka",
    "maharashtra",
    "gujarat",
    "rajasthan",
    "telangana",
    "punjab",
    "haryana",
    "bihar",
    "odisha",
    "assam",
    "jharkhand",
    "uttarakhand",
    "chhattisgarh",
    "gauteng",
    "limpopo",
    "mpumalanga",
    "canterbury",
    "otago",
    "waikato",
    "northland",
    "southland",
    "taranaki",
    "tipperary",
    "kilkenny",
    "wicklow",
    "roscommon",
    "leitrim",
    "monaghan",
    "westmeath",
    "offaly",
    "laois",
    "wiltshire",
    "somerset",
    "dorset",
    "cornwall",
    "devon",
    "norfolk",
    "suffolk",
    "essex",
    "kent",
    "surrey",
    "sussex",
    "hampshire",
    "berkshire",
    "oxfordshire",
    "gloucestershire",
    "warwickshire",
    "leicestershire",
    "derbyshire",
    "nottinghamshire",
    "lincolnshire",
    "yorkshire",
    "lancashire",
    "cheshire",
    "shropshire",
    "staffordshire",
    "cumbria",
    "northumberland",
    "gwynedd",
    "powys",
    "dyfed",
    "ceredigion",
    "pembrokeshire",
    "aberdeenshire",
    "perthshire",
    "ayrshire",
    "lanarkshire",
    "fife",
    "angus",
    "lagos",
];

/// First words of regions of several words.
pub(super) const SEVERAL: WordSet = words![
    "tamil",
    "uttar",
    "madhya",
    "andhra",
    "himachal",
    "arunachal",
    "west",
    "western",
    "eastern",
    "northern",
    "kwazulu",
];

/// What is short for a state, with a dot; letters that such a name with several dots begins with; and
/// capitals without one.
pub(super) const DOTTED: WordSet = words![
    "ala", "ariz", "ark", "calif", "cal", "colo", "conn", "del", "fla", "ga", "ill", "ind", "kan", "kans",
    "ky", "la", "mass", "md", "me", "mich", "minn", "miss", "mo", "mont", "neb", "nebr", "nev", "okla",
    "ont", "ore", "pa", "penn", "penna", "que", "sask", "alta", "man", "tas", "tenn", "tex", "va", "vt",
    "vic", "wash", "wis", "wyo", "qld", "nfld", "n", "s", "w", "r", "d", "b", "p", "nsw"
];

/// States and provinces of several words, and of one, that no list of states has.
fn region(document: &Document<'_>, at: usize, found: &mut Candidates) {
    let tokens = &document.tokens;
    if !tokens[at].cue.sets().any(Sets::REGION) || !tokens[at].is_capital() {
        return;
    }
    let dash =
        usize::from(tokens.get(at + 1).is_some_and(|sign| sign.is_sign(b'-') && document.glued(at + 1)));
    let second = at + 1 + dash;
    let next = |words: WordSet| {
        document.is_any(second, words) && tokens[second].is_capital() && document.same_line(at, second)
    };
    let several = match () {
        _ if document.is(at, "tamil") => next(words!["nadu"]),
        _ if document.is_any(at, words!["uttar", "madhya", "andhra", "himachal", "arunachal"]) => {
            next(words!["pradesh"])
        }
        _ if document.is(at, "west") => next(words!["bengal"]),
        _ if document.is_any(at, words!["western", "eastern", "northern"]) => next(words!["cape"]),
        _ if document.is(at, "kwazulu") => next(words!["natal"]),
        _ => false,
    };
    let comma =
        at > 1 && tokens[at - 1].is_sign(b',') && (tokens[at - 2].is_capital() || tokens[at - 2].is_number());
    let one = comma && document.is_any(at, ONE) && super::organization::is_closed(document, at + 1);
    if several || one {
        let end = if several { second + 1 } else { at + 1 };
        let score = Score::new("region", document.bytes(at..end), if several { 0.95 } else { 0.84 });
        found.add("state", Kind::State, document.bytes(at..end), &score);
    }
}

/// States and provinces that are written with dots, or short: "Toms River, N.J.", "Breaux
/// Bridge, La."
fn dotted(document: &Document<'_>, at: usize, found: &mut Candidates) -> Option<usize> {
    let tokens = &document.tokens;
    let dot = |at: usize| tokens.get(at).is_some_and(|sign| sign.is_sign(b'.') && document.glued(at));
    if !dot(at + 1) || !tokens[at].is_capital() {
        return None;
    }
    let letter = |at: usize, letters: &[u8]| {
        tokens.get(at).is_some_and(|token| {
            token.has(Flags::SINGLE) && token.is_capital() && letters.contains(&token.first) && dot(at + 1)
        })
    };
    let pair = match tokens[at].first {
        b'N' if letter(at, b"N") => letter(at + 2, b"JYCDHMSBLW"),
        b'S' if letter(at, b"S") => letter(at + 2, b"CDA"),
        b'W' if letter(at, b"W") => letter(at + 2, b"VA"),
        b'R' if letter(at, b"R") => letter(at + 2, b"I"),
        b'D' | b'B' if letter(at, b"DB") => letter(at + 2, b"C"),
        b'P' if letter(at, b"P") => letter(at + 2, b"E") && letter(at + 4, b"I"),
        _ => false,
    };
    let long = pair
        && (tokens[at].first == b'P' || letter(at, b"N") && letter(at + 2, b"S") && letter(at + 4, b"W"));
    let end = match (pair, document.is_any(at, DOTTED)) {
        (true, _) => at + 4 + 2 * usize::from(long),
        (_, true) if tokens[at].len() > 1 && !document.is(at, "nsw") => at + 2,
        _ => return None,
    };
    let city = |at: usize| {
        tokens[at].is_capital() && !tokens[at].is(cues::TITLE.or(cues::CREDENTIAL)) && !document.is_key(at)
    };
    let comma = at >= 2 && tokens[at - 1].is_sign(b',') && city(at - 2);
    let zip = tokens
        .get(end)
        .is_some_and(|next| next.is_number() && next.len() == 5 && !next.has(Flags::LINE.or(Flags::GAP)));
    let office =
        pair && document.is_any(
            end,
            words![
                "department",
                "dept",
                "board",
                "state",
                "division",
                "bureau",
                "office",
                "attorney",
                "turnpike"
            ],
        ) && tokens[end].is_capital();
    let closed = tokens.get(end).is_none_or(|next| {
        !next.is_word() && !next.is_number()
            || next.has(Flags::LINE.or(Flags::GAP).or(Flags::SENTENCE))
            || !next.has(Flags::CAPITAL)
    });
    let degree = document.is_any(at, words!["pa", "md", "ma", "me", "man", "miss", "ill", "del", "mo", "la"]);
    let certainty = match () {
        _ if zip => 0.93,
        _ if comma && closed && (pair || !degree) => 0.82,
        _ if comma && closed && tokens[at - 2].word.is_city() => 0.74,
        _ if office => 0.72,
        _ => return None,
    };
    // "N.C. Department of Insurance": the office belongs to it.
    let mut last = end;
    while office && !zip && last < end + 4 {
        match tokens.get(last) {
            Some(token) if token.is_capital() && !token.has(Flags::LINE.or(Flags::GAP)) => last += 1,
            Some(_) if document.is_any(last, words!["of", "and"]) => last += 1,
            _ => break,
        }
    }
    let score = Score::new("state with dots", document.bytes(at..end), certainty);
    found.add("state", Kind::State, document.bytes(at..last), &score);
    Some(end)
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
    let label = document.is(at, "id") && (!comma || is_numbered(document, at));
    let certainty = match (comma, zip, city) {
        _ if is_licensed(document, at) => 0.85,
        _ if label && !zip => return None,
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

/// "Warrenoola Base Hospital, NSW", "in Dubbo, QLD."
fn is_behind_comma(document: &Document<'_>, at: usize) -> bool {
    let tokens = &document.tokens;
    document.is_any(at, words!["nsw", "qld", "vic", "tas"])
        && !tokens[at].has(Flags::SHOUTED)
        && at >= 2
        && tokens[at - 1].is_sign(b',')
        && tokens[at - 2].is_capital()
        && super::organization::is_closed(document, at + 1)
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
        found.add("state", Kind::State, document.bytes(head..at + 1), &score);
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
