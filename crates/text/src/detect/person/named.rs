//! Where a word names a disease, a sign, a device or a drug although somebody may have this name:
//! "Budd-Chiari", "Riedel's lobe", "Forrest 1b", "Tab. Telma 40".

use super::medical::{phrase, phrase_before};
use super::*;
use crate::words::WordSet;

/// Heads that also belong to a patient: "Kennedy's wound".
const OWNED: WordSet = words![
    "therapy",
    "treatment",
    "exam",
    "chart",
    "fever",
    "knee",
    "hip",
    "elbow",
    "finger",
    "toe",
    "ear",
    "wound",
    "pulse",
    "rash",
    "cast",
    "study",
    "trial",
    "attack",
    "dressing",
    "pump",
    "diet",
    "anemia",
    "anaemia",
    "dementia",
    "arthritis",
    "fracture",
    "stent",
    "hernia",
    "test",
    "tests",
    "cells",
    "score",
    "scores",
    "scan",
    "screen",
    "bed",
    "walker",
    "monitor",
    "medication",
    "insulin",
    "vaccine",
    "inhaler",
    "bag",
    "lens",
    "bandage",
    "exercises",
    "breathing",
    "murmur",
    "ulcer",
    "operation",
    "repair",
    "procedure",
    "rod",
    "response",
    "cataract",
    "catheter",
    "drain",
    "chemotherapy",
    "crutches",
    "frame",
    "plate",
    "splint",
    "injury",
    "injection",
    "seizure",
    "seizures",
];

/// Whether a word with a capital names a thing of medicine where it stands, even if somebody in
/// the document has this name. What is behind it must say so.
pub fn named_after(document: &Document<'_>, at: usize) -> bool {
    let tokens = &document.tokens;
    if behind_person(document, at) {
        return false;
    }
    if phrase(document, at, &(at..at + 1)).is_some() || phrase_before(document, at, at + 1) {
        return true;
    }
    // The end of "Sokolow-Lyon", whose other part an eponym is, too.
    let mut end = at + 1;
    let hyphen = |at: usize| tokens.get(at).is_some_and(|sign| sign.is_sign(b'-') && document.glued(at));
    if hyphen(end) && tokens.get(end + 1).is_some_and(|next| next.is_capital() && next.len() > 1) {
        end += 2;
    }
    let own =
        (at..end).any(|at| is_eponym(&tokens[at])) || at >= 2 && hyphen(at - 1) && is_eponym(&tokens[at - 2]);
    if own && at >= 2 && is_paired(document, at, end) {
        return true;
    }
    let Some(next) = tokens.get(end).filter(|next| !next.has(Flags::LINE.or(Flags::PARAGRAPH))) else {
        return false;
    };
    if next.is_word() && !next.has(Flags::CAPITAL) | tokens[at].has(Flags::SHOUTED) {
        let head = next.is(cues::EPONYM_HEAD) || next.word.is_eponym_noun();
        let possessive = tokens[end - 1].has(Flags::POSSESSIVE);
        let owned = possessive && document.is_any(end, OWNED);
        // "if I have Sjogren's but not lupus": the disease alone.
        let elliptic = possessive && next.word.is_function() && tokens[at].word.is_eponym();
        return own
            && (head && !owned && !next.is(cues::AFTER_PERSON) || elliptic || found_behind(document, end));
    }
    own && (is_graded(document, end) || found_behind(document, end) || is_paired(document, at, end))
}

/// What is said of a sign or test, and not of a person.
const FINDINGS: WordSet = words![
    "positive",
    "negative",
    "pos",
    "neg",
    "equivocal",
    "normal",
    "abnormal",
    "done",
    "taken",
    "central",
    "midline",
    "lateralises",
    "lateralizes",
    "lateralised",
    "lateralized",
    "unremarkable",
    "wnl",
    "elicited",
    "intact",
    "absent",
    "tight",
    "shift",
];

/// Whether a finding, a side or a size is behind a sign, test or catheter: "Finkelstein strongly
/// positive", "Weber to R", "Guthrie normal", "Foley 16 Fr".
pub(super) fn found_behind(document: &Document<'_>, at: usize) -> bool {
    let tokens = &document.tokens;
    let Some(next) = tokens.get(at).filter(|next| !next.has(Flags::LINE.or(Flags::GAP))) else {
        return false;
    };
    if next.is_number() {
        let unit = document.is_any(at + 1, words!["fr", "french", "f", "ch", "fg", "gauge", "g"]);
        return unit && next.len() <= 2 && document.same_line(at, at + 1);
    }
    if !next.is_word() || next.has(Flags::CAPITAL) {
        return false;
    }
    let side = document.is_any(at, words!["to", "towards", "on", "louder"])
        && (document.is_any(at + 1, words!["r", "l", "rt", "lt"])
            || document.is_any(at + 2, words!["right", "left"]) && document.is(at + 1, "the"));
    let degree = document.is_any(
        at,
        words![
            "strongly",
            "weakly",
            "mildly",
            "markedly",
            "is",
            "was",
            "were",
            "test",
            "sign",
            "bilaterally"
        ],
    );
    let place = at + usize::from(degree);
    side || document.is_any(place, FINDINGS)
}

/// Whether another eponym stands beside one with a slash: "Ortolani/Barlow".
fn is_paired(document: &Document<'_>, at: usize, end: usize) -> bool {
    let slash =
        |at: usize| document.tokens.get(at).is_some_and(|sign| sign.is_sign(b'/')) && document.glued(at + 1);
    slash(end) && document.tokens.get(end + 1).is_some_and(is_eponym)
        || at >= 2 && slash(at - 1) && is_eponym(&document.tokens[at - 2])
}

/// Whether something of medicine is named after somebody of this name.
fn is_eponym(token: &Token) -> bool {
    token.is_word() && (token.word.is_eponym() || token.word.is_eponym_name())
}

/// Whether a title, a profession or an initial stands before a word: then it is a person.
fn behind_person(document: &Document<'_>, at: usize) -> bool {
    let dot = usize::from(at > 0 && document.tokens[at - 1].is_sign(b'.'));
    at.checked_sub(1 + dot).is_some_and(|before| {
        let token = &document.tokens[before];
        !document.tokens[at].has(Flags::LINE.or(Flags::GAP))
            && (token.is(cues::TITLE.or(cues::ROLE))
                || dot > 0 && token.has(Flags::SINGLE) && token.is_capital()
                || dot == 0
                    && token.word.first_level() >= 10
                    && token.is_capital()
                    && token.word.name_odds() > 0.5)
    })
}

/// Whether a grade or a finding is behind an eponym: "Forrest 1b", "Lachman 2B", "Babinski +".
fn is_graded(document: &Document<'_>, at: usize) -> bool {
    let tokens = &document.tokens;
    let Some(next) = tokens.get(at).filter(|next| !next.has(Flags::GAP)) else { return false };
    let letter = tokens.get(at + 1).is_some_and(|letter| {
        letter.is_word() && letter.len() == 1 && letter.first | 0x20 <= b'd' && document.glued(at + 1)
    });
    next.is_number() && next.len() == 1 && letter
        || matches!(next.first, b'+') && !next.is_word()
        || next.is_word() && next.has(Flags::CAPITAL) && medical::is_grade(document, at) && next.len() > 1
}

/// Words before a drug: its form, or what is done with it.
const FORMS_OF_DRUGS: WordSet = words![
    "tab",
    "tabs",
    "tablet",
    "tablets",
    "cap",
    "caps",
    "capsule",
    "capsules",
    "inj",
    "injection",
    "syp",
    "syr",
    "syrup",
    "susp",
    "oint",
    "ointment",
    "gtt",
    "neb",
    "nebs",
    "supp",
    "pess",
    "cream",
    "gel",
    "drops",
    "spray",
    "lotion",
    "elixir",
    "sachet",
    "sachets",
    "patch",
    "pessary",
    "suppository",
    "ung",
];
/// How often a drug is taken.
const SCHEDULES: WordSet = words![
    "od", "bd", "tds", "qds", "tid", "bid", "qid", "qd", "qhs", "hs", "sos", "prn", "nocte", "mane", "noct",
    "stat", "b.i.d", "t.i.d", "tablets", "tabs", "caps", "puffs", "iu", "units", "mg", "mcg", "ml", "odhs",
];
/// Forms that brands have behind them: "Metolar XR 25", "Glycomet GP2 bd".
const SUFFIXES: WordSet = words![
    "xr",
    "xl",
    "sr",
    "cr",
    "er",
    "la",
    "mr",
    "dr",
    "od",
    "sp",
    "ct",
    "am",
    "gp",
    "gp1",
    "gp2",
    "h",
    "d",
    "m",
    "av",
    "plus",
    "forte",
    "junior",
    "dsr",
    "mt",
    "cv",
    "duo",
    "hct",
    "mf",
    "lb",
    "ls",
    "ds",
    "retard",
    "depot",
    "chrono",
    "respimat",
    "turbohaler",
    "evohaler",
    "accuhaler",
    "solostar",
    "flexpen",
    "kwikpen",
    "penfill",
    "rapid",
    "rapide",
    "combi",
    "cold",
    "night",
    "max",
    "ultra",
];

/// Whether a word stands where a drug does: behind its form, or before a dose or schedule.
pub(super) fn dispensed(document: &Document<'_>, segment: &Segment) -> bool {
    let tokens = &document.tokens;
    let (first, end) = (segment.tokens.start, segment.tokens.end);
    if segment.names != 1 || segment.title.is_some() {
        return false;
    }
    let dot = usize::from(first > 0 && tokens[first - 1].is_sign(b'.'));
    let form = first.checked_sub(1 + dot).is_some_and(|at| document.is_any(at, FORMS_OF_DRUGS));
    if form && !tokens[first].has(Flags::LINE.or(Flags::PARAGRAPH)) {
        return true;
    }
    // "tacrolimus (Adoport)", "Adoport (tacrolimus)": a brand beside its substance.
    let drug = |at: usize| tokens.get(at).is_some_and(|token| token.is_word() && token.word.is_drug());
    let brackets = first >= 2 && tokens[first - 1].is_sign(b'(') && drug(first - 2)
        || tokens.get(end).is_some_and(|sign| sign.is_sign(b'(')) && drug(end + 1);
    if brackets {
        return true;
    }
    // "Metolar XR 25 1-0-0", "Glycomet GP2 bd", "Ecosprin AV 75/20 0-0-1".
    let mut at = end;
    while at < end + 3
        && tokens.get(at).is_some_and(|token| {
            token.is_sign(b'-') && document.glued(at)
                || token.is_number() && document.glued(at)
                || token.is_word() && token.has(Flags::CAPITAL) && document.is_any(at, SUFFIXES)
        })
    {
        at += 1;
    }
    is_schedule(document, at)
}

/// Whether a dose with a schedule, or a schedule alone, starts at a token: "500 1-0-1", "75 od".
fn is_schedule(document: &Document<'_>, at: usize) -> bool {
    let tokens = &document.tokens;
    let number = |at: usize| tokens.get(at).is_some_and(|token| token.is_number() && !token.has(Flags::LINE));
    let sign = |at: usize| {
        tokens.get(at).is_some_and(|token| matches!(token.first, b'-' | b'/' | b'.') && document.glued(at))
    };
    let mut next = at;
    for _ in 0..2 {
        let thrice = number(next)
            && (1..3).all(|place| sign(next + 2 * place - 1) && number(next + 2 * place))
            && tokens[next].len() <= 2
            && tokens[next + 1].first == b'-';
        if thrice {
            return true;
        }
        if !number(next) {
            break;
        }
        next += 1;
        while sign(next) && number(next + 1) {
            next += 2;
        }
    }
    tokens.get(next).is_some_and(|token| token.is_word() && !token.has(Flags::LINE.or(Flags::CAPITAL)))
        && document.is_any(next, SCHEDULES)
}
