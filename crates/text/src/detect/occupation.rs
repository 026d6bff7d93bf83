//! Occupations that few people have: offices with a place or organization, "the mayor of …".

use super::names::nameness;
use super::places;
use super::{Detector, Rules};
use crate::candidates::{Candidates, Score};
use crate::cues::{self, Sets};
use crate::document::Document;
use crate::span::Kind;
use crate::token::Flags;
use crate::words::WordSet;

/// Finds identifying occupations.
pub struct Occupation;

/// Offices that identify without a place.
const ALONE: WordSet = words![
    "mayor",
    "senator",
    "ambassador",
    "governor",
    "congressman",
    "congresswoman",
    "bishop",
    "archbishop",
    "sheriff",
    "astronaut",
    "alderman",
    "councilman",
    "councilwoman",
    "bürgermeister",
    "bürgermeisterin",
    "maire",
    "alcalde",
    "premier",
    "headmaster",
    "headmistress",
];

impl Detector for Occupation {
    fn name(&self) -> &'static str {
        "occupation"
    }

    fn detect(&self, document: &Document<'_>, found: &mut Candidates) {
        for cue in document.heads_here() {
            let at = *cue as usize;
            if document.tokens[at].is(cues::OFFICE) {
                office(document, at, found);
            }
        }
        for run in document.runs_here() {
            if run.rules.any(Rules::ROLE) {
                role(document, run.first as usize, run.end as usize, found);
            }
        }
        for run in document.runs_here().iter().filter(|run| run.rules.any(Rules::ORGANIZATION)) {
            with_organization(document, run.first as usize, run.end as usize, found);
        }
    }
}

/// Roles that one person has in a place at a time.
pub(super) const ROLES: WordSet = words![
    "organist",
    "headteacher",
    "head",
    "teacher",
    "priest",
    "vicar",
    "rector",
    "curate",
    "verger",
    "sexton",
    "choirmaster",
    "bandmaster",
    "bandleader",
    "harbourmaster",
    "harbormaster",
    "keeper",
    "crier",
    "chieftain",
    "induna",
    "sarpanch",
    "oba",
    "postmaster",
    "postmistress",
    "sacristan",
    "councillor",
    "cllr",
    "mp",
    "msp",
    "mla",
    "mep",
    "senator",
    "warden",
    "matron",
    "captain",
    "coxswain",
    "founder",
    "landlord",
    "landlady",
    "proprietor",
    "licensee",
    "stationmaster",
    "librarian",
    "ranger",
    "marshal",
    "chair",
    "chairperson",
    "convener",
    "convenor",
    "deacon",
    "elder",
    "imam",
    "cantor",
    "piper",
    "town",
    "clerk",
    "magistrate",
    "member",
    "laird",
    "earl",
    "countess",
    "baron",
    "baroness",
    "lord",
    "lady",
    "survivor",
    "midwife",
    "doctor",
    "blacksmith",
    "butcher",
    "postman",
    "undertaker",
    "florist",
    "baker",
    "dentist",
    "vet",
];

/// "organist of Scarborough Spa", "parish priest at St Brigid's", "the only vet in Ullapool".
fn role(document: &Document<'_>, name: usize, end: usize, found: &mut Candidates) {
    let tokens = &document.tokens;
    let Some(before) = name.checked_sub(1) else { return };
    let the = usize::from(document.is(before, "the"));
    let Some(of) = before.checked_sub(the) else { return };
    if !document.is_any(of, words!["of", "for", "at", "in", "on"]) {
        return;
    }
    let Some(last) = of.checked_sub(1) else { return };
    if !tokens[last].cue.sets().any(Sets::ROLE) && !tokens[last].word.is_occupation() {
        return;
    }
    let start = last.saturating_sub(3);
    let only = (start..last)
        .rev()
        .find(|at| document.is(*at, "only") && document.is_any(at.wrapping_sub(1), words!["the"]));
    let rare = document.is_any(
        last,
        words![
            "organist",
            "headteacher",
            "vicar",
            "rector",
            "curate",
            "choirmaster",
            "bandmaster",
            "harbourmaster",
            "chieftain",
            "induna",
            "sarpanch",
            "oba",
            "postmaster",
            "postmistress",
            "councillor",
            "cllr",
            "mp",
            "msp",
            "mla",
            "mep",
            "convener",
            "provost",
            "captain",
            "laird",
            "sacristan",
            "coxswain",
        ],
    );
    let pair = last > 0
        && (document.is(last, "priest") && document.is(last - 1, "parish")
            || document.is(last, "teacher") && document.is(last - 1, "head")
            || document.is(last, "keeper") && document.is(last - 1, "lighthouse")
            || document.is(last, "master")
                && document.is_any(last - 1, words!["harbour", "harbor", "choir"])
            || document.is(last, "crier") && document.is(last - 1, "town")
            || document.is(last, "clerk") && document.is(last - 1, "town")
            || document.is(last, "marshal") && document.is(last - 1, "grand"));
    let own = tokens[name].is_capital()
        && !(tokens[name].word.is_medical()
            || tokens[name].word.is_month()
            || tokens[name].word.is_weekday())
        && !tokens[name].has(Flags::SENTENCE)
        && (nameness(document, name).prior >= 0.3 || tokens[name].word.is_city() || end - name > 1);
    let of_place = document.is_any(of, words!["of", "for", "at"]);
    let first = match only {
        Some(only) => only,
        None if (rare || pair) && of_place => last - usize::from(pair),
        None => return,
    };
    let past = first > 0 && document.is_any(first - 1, words!["former", "retired", "ex", "deputy", "late"]);
    if own && !tokens[last].has(Flags::SENTENCE) {
        let score = Score::new("role with a place", document.bytes(last..name), 0.8);
        let first = first - usize::from(past);
        // "the lighthouse keeper at Ardnish Point".
        let the = pair && document.is(last, "keeper") && first > 0 && document.is(first - 1, "the");
        found.add("occupation", Kind::Occupation, document.bytes(first - usize::from(the)..end), &score);
    }
}

/// An occupation with the organization or ship behind it: "first violin with the Harlow
/// Philharmonic".
fn with_organization(document: &Document<'_>, name: usize, end: usize, found: &mut Candidates) {
    let tokens = &document.tokens;
    let Some(the) = places::before(document, name).filter(|the| document.is(*the, "the")) else { return };
    let Some(with) =
        the.checked_sub(1).filter(|with| document.is_any(*with, words!["with", "of", "for", "in"]))
    else {
        return;
    };
    let Some(last) = with.checked_sub(1) else { return };
    let played = words![
        "violin", "viola", "cello", "trumpet", "horn", "oboe", "flute", "clarinet", "bassoon", "trombone",
        "timpani", "tenor", "soprano", "baritone", "alto",
    ];
    let occupation = tokens[last].word.is_occupation() || document.is_any(last, played);
    let care = tokens[last].is(cues::ROLE) || tokens[last].word.is_title();
    if !occupation || care || tokens[last].has(Flags::CAPITAL) && tokens[last].has(Flags::SENTENCE) {
        return;
    }
    let ordinal = last > 0
        && document.is_any(
            last - 1,
            words!["first", "second", "principal", "lead", "head", "chief", "former", "retired"],
        );
    let score = Score::new("occupation with an organization", document.bytes(last..name), 0.78);
    found.add("occupation", Kind::Occupation, document.bytes(last - usize::from(ordinal)..end), &score);
}

fn office(document: &Document<'_>, at: usize, found: &mut Candidates) {
    let tokens = &document.tokens;
    // "by MW K. Bishop": a family name.
    let initial = at >= 2
        && tokens[at].has(Flags::CAPITAL)
        && tokens[at - 1].is_sign(b'.')
        && tokens[at - 2].has(Flags::SINGLE)
        && !document.is_any(at - 2, words!["s"]);
    if initial {
        return;
    }
    let mut first = at;
    let modifiers = words![
        "head",
        "deputy",
        "vice",
        "assistant",
        "former",
        "state",
        "county",
        "city",
        "town",
        "district",
        "attorney",
        "chief",
        "lieutenant",
        "u",
        "s",
        "us",
        "current",
        "police",
        "fire",
        "olympic",
        "world",
        "lead",
        "grand",
        "parish",
        "harbour",
        "lighthouse",
        "church",
        "cathedral",
        "paramount",
        "national",
        "only",
        "first",
        "retired",
        "longtime",
    ];
    while first > 0 && at - first < 6 && !tokens[first].has(Flags::PARAGRAPH) {
        let token = &tokens[first - 1];
        let part = token.is_word()
            && (document.is_any(first - 1, modifiers)
                || token.is_capital()
                    && !token.word.is_function()
                    && !token.is(cues::TITLE.or(cues::NOBODY))
                    && !token.has(Flags::SENTENCE))
            || token.is_sign(b'.')
                && first >= 2
                && tokens[first - 2].has(Flags::SINGLE)
                && tokens[first - 2].is_capital();
        if !part {
            break;
        }
        first -= 1;
    }
    while first < at && !tokens[first].is_word() {
        first += 1;
    }
    // "chief of police of Lowman".
    let police = document.is(at + 1, "of")
        && document.is_any(at + 2, words!["police", "staff", "surgery", "medicine", "detectives"]);
    let at = if police { at + 2 } else { at };
    let joined = document.is_any(at + 1, words!["of", "to", "for", "at"]);
    let the = at + 2 + usize::from(joined && document.is_any(at + 2, words!["the", "a"]));
    // "chief of the kwaNgcolosi".
    let place = tokens.get(the).filter(|token| {
        let tribe = token.is_word() && token.has(Flags::MIXED) && !token.word.is_medical();
        joined && (token.is_capital() || tribe) && !token.has(Flags::PARAGRAPH)
    });
    if place.is_some() {
        let run = document.runs.partition_point(|run| run.first as usize <= the);
        let mut end = run.checked_sub(1).map_or(the + 1, |run| document.runs[run].end as usize).max(the + 1);
        // "the University of West Harrow" is a school, with its own detector.
        if document.is(end, "of") && tokens.get(end + 1).is_some_and(|token| token.is_capital()) {
            end = the;
        }
        // "state senator for District 9".
        let numbered = tokens.get(end).is_some_and(|number| {
            number.is_number() && number.len() <= 3 && !number.has(Flags::LINE.or(Flags::GAP))
        });
        if end > the {
            // "deputy consul at the South African mission".
            let mission = words!["mission", "embassy", "consulate", "delegation", "cathedral", "senate"];
            let end = end + usize::from(numbered || document.is_any(end, mission));
            let score = Score::new("office with a place", document.bytes(at..end), 0.85);
            found.add("occupation", Kind::Occupation, document.bytes(first..end), &score);
            return;
        }
    }
    // "U.S. Senior Chess champion".
    let won = words!["champion", "medalist", "medallist", "laureate", "winner", "finalist", "olympian"];
    if document.is_any(at, won)
        && first < at
        && (first..at).filter(|at| tokens[*at].is_capital() && !tokens[*at].word.is_medical()).count() >= 2
    {
        let score = Score::new("title of a champion", document.bytes(at..at + 1), 0.76);
        found.add("occupation", Kind::Occupation, document.bytes(first..at + 1), &score);
        return;
    }
    // "former tribal chairman".
    let mut former = first;
    if former > 0
        && !document.is_any(former - 1, words!["former", "retired", "ex"])
        && !tokens[former - 1].word.is_function()
    {
        former -= 1;
    }
    let past = former > 0
        && document.is_any(former - 1, words!["former", "ex"])
        && tokens[former - 1].line == tokens[at].line;
    let public = document.is_any(
        at,
        words![
            "chairman",
            "chairwoman",
            "president",
            "minister",
            "ambassador",
            "commissioner",
            "champion",
            "medalist",
            "coroner",
            "superintendent",
            "dean",
            "provost",
            "quarterback",
            "laureate",
            "goalkeeper",
        ],
    );
    if past && public {
        let score = Score::new("office", document.bytes(former - 1..at + 1), 0.72);
        found.add("occupation", Kind::Occupation, document.bytes(former - 1..at + 1), &score);
        return;
    }
    let article = places::before(document, first)
        .is_some_and(|word| document.is_any(word, words!["the", "our", "a", "as", "former", "retired"]));
    // "the county judge".
    let seat = first + 1 == at
        && first > 0
        && document.is(first - 1, "the")
        && document.is_any(first, words!["county", "state", "district", "federal", "city", "town"])
        && document.is_any(at, words!["judge", "coroner", "commissioner", "treasurer", "superintendent"]);
    if seat {
        let score = Score::new("office", document.bytes(at..at + 1), 0.74);
        found.add("occupation", Kind::Occupation, document.bytes(first - 1..at + 1), &score);
        return;
    }
    if document.is_any(at, ALONE) && (article || first < at) {
        let score = Score::new("office", document.bytes(at..at + 1), 0.74);
        found.add("occupation", Kind::Occupation, document.bytes(first..at + 1), &score);
    }
}
