//! Organizations that a form of words tells: unions and posts with a number, police and rescue,
//! parishes and congregations, shops with a number, insurers that approve or deny.

use super::names::nameness;
use super::organization::is_closed;
use super::places;
use crate::candidates::{Candidates, Score};
use crate::cues::{self, Sets};
use crate::document::{Document, Run};
use crate::span::Kind;
use crate::token::Flags;
use crate::words::WordSet;

/// Words of a run that something here asks for.
pub(super) const WORDS: WordSet = words![
    "local",
    "post",
    "chapter",
    "lodge",
    "district",
    "police",
    "ems",
    "constabulary",
    "ame",
    "baptist",
    "methodist",
    "lutheran",
    "covenant",
    "presbyterian",
    "episcopal",
    "pentecostal",
    "apostolic",
    "nazarene",
    "tabernacle",
    "zion",
    "hauora",
    "gmf",
    "children",
    "children's",
    "state",
    "hs",
];

/// Words behind a run that something here asks for.
pub(super) const BEHIND: WordSet = words![
    "parish",
    "congregation",
    "station",
    "auth",
    "authorization",
    "authorisation",
    "denied",
    "denies",
    "approved",
    "approves",
    "preauth",
    "copay",
    "formulary",
];

/// Words before the short name of a hospital.
pub(super) const TREATED: WordSet = words!["treated", "operated", "followed", "managed", "transplanted"];

/// Proposes the organizations of a run.
pub(super) fn propose(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let tokens = &document.tokens;
    let (first, end) = (run.first as usize, run.end as usize);
    let word = |at: usize| tokens[at].cue.sets().any(Sets::BODY);
    if word(end - 1) || word(first) {
        numbered(document, run, found);
        last(document, run, found);
    }
    if tokens.get(end).is_some_and(|sign| sign.is_sign(b'#')) {
        shop(document, run, found);
    }
    behind(document, run, found);
    emergency(document, run, found);
    if tokens[first].has(Flags::UPPER) {
        treated(document, run, found);
        in_city(document, run, found);
    }
}

fn add(
    document: &Document<'_>,
    found: &mut Candidates,
    kind: Kind,
    (rule, certainty): (&'static str, f32),
    (first, end): (usize, usize),
) {
    let score = Score::new(rule, document.bytes(first..end), certainty);
    found.add("institution", kind, places::with_possessive(document, first..end), &score);
}

/// "UFCW Local 293", "VFW Post 2201", "DAV Chapter 14".
fn numbered(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let tokens = &document.tokens;
    let (first, end) = (run.first as usize, run.end as usize);
    let heads = words!["local", "post", "chapter", "lodge", "district"];
    if end - first < 2 || end - first > 6 || !document.is_any(end - 1, heads) {
        return;
    }
    let number = end + usize::from(tokens.get(end).is_some_and(|sign| sign.is_sign(b'#')));
    let counted = tokens
        .get(number)
        .is_some_and(|token| token.is_number() && token.len() <= 4 && !token.has(Flags::LINE.or(Flags::GAP)));
    let heading = tokens[first].is(cues::HEADING) || tokens[first].word.is_heading();
    if counted && !heading && !super::number::is_measured(document, number + 1) {
        add(document, found, Kind::Institution, ("body with a number", 0.85), (first, number + 1));
    }
}

/// A run whose last or first word says what it is: "Charlotte Harbor EMS", "Mt. Zion AME", "Jesse
/// Bethel HS", "Enugu State", "Hauora Waitaki", "Nationwide Children's".
fn last(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let tokens = &document.tokens;
    let (mut first, end) = (run.first as usize, run.end as usize);
    // "Mt. Zion AME": a run ends before the dot.
    let mount =
        first >= 2 && tokens[first - 1].is_sign(b'.') && document.is_any(first - 2, words!["mt", "st"]);
    first -= 2 * usize::from(mount && tokens[first - 2].is_capital());
    if end - first < 2 || end - first > 7 {
        return;
    }
    let last = end - 1;
    let own = |at: &usize| {
        let token = &tokens[*at];
        let word = token.word;
        token.is_word()
            && (token.is(cues::NAME_FILLER) && !word.is_function()
                || !(word.is_medical()
                    || word.is_heading()
                    || word.is_function()
                    || token.is(cues::ROLE.or(cues::TITLE).or(cues::RELATIVE).or(cues::NOBODY))))
    };
    // "Mt. Zion".
    let named = tokens[first].len() == 2 && tokens[first].is(cues::NAME_FILLER)
        || (first..last).any(|at| {
            own(&at) && (nameness(document, at).prior >= 0.3 || tokens[at].word.is_city())
                || at > first && tokens[at].is(cues::REGION_HEAD)
        });
    let before = places::before(document, first);
    let placed = before.is_some_and(|word| {
        document.is_any(
            word,
            words![
                "at",
                "attends",
                "attended",
                "attending",
                "from",
                "of",
                "church",
                "pastor",
                "joined",
                "to",
                "the",
                "with",
                "visits",
                "parish"
            ],
        )
    });
    let shouted = tokens[last].has(Flags::SHOUTED);
    let churches = words![
        "ame",
        "baptist",
        "methodist",
        "lutheran",
        "covenant",
        "presbyterian",
        "episcopal",
        "pentecostal",
        "apostolic",
        "nazarene",
        "tabernacle",
        "zion",
    ];
    let closed = is_closed(document, end) || !tokens[end].is_capital();
    let institution = Kind::Institution;
    let capital = (first..last).all(|at| own(&at) || !tokens[at].is_word());
    let (kind, rule, certainty) = match () {
        _ if !closed => return,
        _ if named && document.is_any(last, words!["police", "ems", "constabulary"]) => {
            (institution, "police or rescue", 0.94)
        }
        _ if capital
            && document.is_any(last, churches)
            && (placed || document.is_any(end, words!["church"])) =>
        {
            (institution, "congregation", 0.94)
        }
        _ if capital && document.is_any(first, words!["hauora", "gmf"]) => {
            (institution, "first word of an organization", 0.8)
        }
        _ if capital
            && !shouted
            && tokens[last].has(Flags::POSSESSIVE)
            && document.is_any(last, words!["children"]) =>
        {
            (institution, "short for a hospital", 0.8)
        }
        _ if document.is_any(last, words!["hs"])
            && named
            && tokens[last].has(Flags::UPPER)
            && !shouted
            && !tokens[first].word.is_drug() =>
        {
            (Kind::School, "short for a school", 0.8)
        }
        _ if named
            && first > 0
            && tokens[first - 1].is_sign(b',')
            && document.is_any(last, words!["state"]) =>
        {
            (Kind::State, "behind a comma", 0.8)
        }
        _ => return,
    };
    add(document, found, kind, (rule, certainty), (first, end));
}

/// "CVS #0421", "Rite Aid #442": a chain with the number of the shop.
fn shop(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let tokens = &document.tokens;
    let (first, end) = (run.first as usize, run.end as usize);
    let counted = tokens.get(end).is_some_and(|sign| sign.is_sign(b'#'))
        && tokens.get(end + 1).is_some_and(|number| number.is_number() && document.glued(end + 1));
    if !counted {
        return;
    }
    if let Some(from) = (first..end).find(|at| tokens[*at].is(cues::CHAIN)) {
        add(document, found, Kind::Institution, ("shop with a number", 0.85), (from, end + 2));
    }
}

/// A name before a word in small letters: "St. Bridget parish", "Ashby MARTA station", "HMSA auth".
fn behind(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let tokens = &document.tokens;
    let (first, end) = (run.first as usize, run.end as usize);
    let small = |next: &crate::token::Token| !next.has(Flags::CAPITAL.or(Flags::LINE).or(Flags::GAP));
    if !document.is_any(end, BEHIND) || !tokens.get(end).is_some_and(small) {
        return;
    }
    let token = &tokens[end - 1];
    let word = token.word;
    let plain = !(word.is_medical() || word.is_drug() || word.is_shorthand() || word.is_common());
    let lines = words![
        "marta", "bart", "mrt", "lrt", "metro", "tube", "dart", "luas", "mbta", "cta", "septa", "path"
    ];
    let letters = token.has(Flags::UPPER) && (3..=5).contains(&token.len());
    if document.is_any(end, words!["parish", "congregation"]) {
        let named = (first..end).any(|at| nameness(document, at).prior >= 0.3)
            && !(first > 0 && document.is(first - 1, "of"));
        if named && !tokens[first].has(Flags::SHOUTED) {
            add(document, found, Kind::Institution, ("parish", 0.9), (first, end + 1));
        }
    } else if document.is_any(end, words!["station"]) {
        if end - first > 1 && document.is_any(end - 1, lines) {
            add(document, found, Kind::Institution, ("station", 0.95), (first, end + 1));
        }
    } else if plain
        && end - first <= 2
        && !token.has(Flags::SHOUTED)
        && (letters || token.has(Flags::MIXED) && token.len() > 5)
    {
        add(document, found, Kind::Institution, ("insurer", 0.74), (first, end));
    }
}

/// "A&E Alder Hey": the hospital of an emergency department.
fn emergency(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let tokens = &document.tokens;
    let (first, end) = (run.first as usize, run.end as usize);
    let sign = first >= 2 && tokens[first - 1].is_sign(b'&') && document.is(first - 2, "a");
    if !sign || end - first < 2 || !document.is(first, "e") {
        return;
    }
    let named = nameness(document, first + 1).prior >= 0.3 || tokens[first + 1].word.is_city();
    if named && !tokens[first + 1].is(cues::TITLE.or(cues::MONTH).or(cues::WEEKDAY)) {
        add(document, found, Kind::Institution, ("emergency department", 0.8), (first + 1, end));
    }
}

/// "treated NCCS", "operated NUH": capitals that end as those of hospitals do.
fn treated(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let tokens = &document.tokens;
    let (first, end) = (run.first as usize, run.end as usize);
    let token = &tokens[first];
    let fits = end - first == 1
        && token.has(Flags::UPPER)
        && !token.has(Flags::SHOUTED)
        && (3..=5).contains(&token.len());
    let term = token.word.is_medical() || token.word.is_drug() || token.word.is_shorthand();
    if !fits || first == 0 || !document.is_any(first - 1, TREATED) || term || token.word.is_common() {
        return;
    }
    let word = document.word(first);
    if ["H", "MC", "CC", "HC", "CCS", "HCS"].iter().any(|tail| word.ends_with(tail)) {
        add(document, found, Kind::Institution, ("capitals of a hospital", 0.72), (first, end));
    }
}

/// "CBCC Bakersfield", "AIIMS Delhi", "UPMC Shadyside": capitals with the city of a house.
fn in_city(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let tokens = &document.tokens;
    let (first, end) = (run.first as usize, run.end as usize);
    let token = &tokens[first];
    let word = token.word;
    let letters = token.has(Flags::UPPER)
        && !token.has(Flags::SHOUTED)
        && (3..=6).contains(&token.len())
        && tokens.get(first + 1).is_some_and(|city| city.word.is_city())
        && !(word.is_medical()
            || word.is_drug()
            || word.is_shorthand()
            || word.is_common()
            || word.is_ward())
        && !(word.is_heading() || word.is_month() || word.is_state() || word.is_first_name())
        && !token.is(cues::ROLE.or(cues::CREDENTIAL).or(cues::TITLE).or(cues::UNIT).or(cues::WARD_HEAD));
    if !letters || !(2..=3).contains(&(end - first)) || document.is_key(first) {
        return;
    }
    let city = &tokens[first + 1];
    let near = !city.has(Flags::GAP.or(Flags::LINE).or(Flags::UPPER)) && city.is_word();
    if near && !(city.word.is_common() || city.word.is_first_name()) && is_closed(document, end) {
        add(document, found, Kind::Institution, ("capitals with a city", 0.76), (first, end));
    }
}
