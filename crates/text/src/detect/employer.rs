//! Companies: names with a suffix such as "Corp", and names behind "works at".

use super::names::{Sort, nameness};
use super::places::{self, Named};
use super::tails::GENERIC;
use super::{Detector, Rules};
use crate::candidates::{Candidates, Score};
use crate::cues;
use crate::document::{Document, Run};
use crate::span::Kind;
use crate::token::Flags;
use crate::words::WordSet;

/// Finds employers.
pub struct Employer;

/// Suffixes that only companies have.
const LEGAL: WordSet = words![
    "inc",
    "incorporated",
    "corp",
    "corporation",
    "ltd",
    "limited",
    "llc",
    "llp",
    "gmbh",
    "kg",
    "ag",
    "plc",
    "pty",
    "sarl",
    "srl",
    "bv",
    "ohg",
    "bros",
    "co",
];

/// Kinds of business in small letters.
pub(super) const KINDS: WordSet = words![
    "restaurant",
    "bakery",
    "factory",
    "plant",
    "store",
    "bank",
    "company",
    "supermarket",
    "diner",
    "cafe",
    "farm",
    "garage",
    "hotel",
    "brewery",
    "warehouse",
    "firm",
    "mine",
    "mill",
];

impl Detector for Employer {
    fn name(&self) -> &'static str {
        "employer"
    }

    fn detect(&self, document: &Document<'_>, found: &mut Candidates) {
        for cue in document.heads_here() {
            let at = *cue as usize;
            let token = &document.tokens[at];
            if token.is(cues::COMPANY_SUFFIX) && token.has(Flags::CAPITAL) {
                suffixed(document, at, found);
            }
        }
        for run in document.runs_here() {
            if run.rules.any(Rules::WORK) {
                behind_work(document, run, found);
            }
            if run.rules.any(Rules::OWNED) {
                owned(document, run, found);
            }
            if run.rules.any(Rules::BUSINESS) {
                partners(document, run, found);
                small_head(document, run, found);
            }
        }
        for field in document.fields_here() {
            if field.head.any(cues::KEY_EMPLOYER) && !field.numbered && !field.value.is_empty() {
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

/// A name with a suffix: "Marina Corp", "Kessing Steel".
fn suffixed(document: &Document<'_>, head: usize, found: &mut Candidates) {
    let Named { tokens, distinct, .. } = places::around(document, head);
    // "Ocean State Paving, Inc.".
    if tokens.start == head
        && document.is_any(head, words!["inc", "incorporated", "llc", "llp", "ltd", "limited", "plc", "corp"])
        && head >= 2
        && document.tokens[head - 1].is_sign(b',')
        && document.same_line(head - 2, head)
    {
        if let Some(first) = places::capitals_before(document, head - 1, 5)
            && !document.tokens[first].has(Flags::SHOUTED)
        {
            let score = Score::new("form of a company", document.bytes(head..head + 1), 0.95);
            found.add("employer", Kind::Employer, document.bytes(first..head + 1), &score);
        }
        return;
    }
    // "Sons Pieter and Wim".
    let first = tokens.start == head && document.is_any(head, words!["sons", "brothers", "associates"]);
    if tokens.len() < 2 || first {
        return;
    }
    // "lives in Co. Kerry" is a county.
    let county = document.is(head, "co")
        && document.tokens.get(head + 1).is_some_and(|dot| dot.is_sign(b'.'))
        && document
            .tokens
            .get(head + 2)
            .is_some_and(|name| name.is_capital() && document.same_line(head, head + 2));
    if county && head > 0 && document.is_any(head - 1, words!["in", "from", "at", "of", "near", "to"]) {
        return;
    }
    // "OFFICE OF THE MEDICAL EXAMINER".
    if document.is(head, "examiner") && head > 0 && document.is_any(head - 1, words!["medical", "chief"]) {
        return;
    }
    let legal = document.is_any(head, LEGAL);
    // "No Private Insurance".
    if !legal && (tokens.start..head).all(|at| document.is_any(at, GENERIC)) && tokens.end == head + 1 {
        return;
    }
    let certainty = match (legal, distinct) {
        (true, 1 | 2) => 0.94,
        (true, _) => 0.75,
        (false, 2) => 0.84,
        (false, 1) if tokens.len() >= 2 => 0.58,
        _ => 0.2,
    };
    let mut score = Score::new("suffix of a company", document.bytes(head..head + 1), certainty);
    if let Some(cue) = places::cue_before(document, tokens.start, cues::WORK, 5) {
        score.raise("work", document.bytes(cue..cue + 1), 0.6);
    }
    if document.tokens[head].has(Flags::SHOUTED) && distinct < 2 {
        score.lower("line in capitals", document.bytes(tokens.clone()), 0.5);
    }
    found.add("employer", Kind::Employer, document.bytes(tokens), &score);
}

/// A name behind "works at", "employed by", "job with", "drives for".
fn behind_work(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let (first, end) = (run.first as usize, run.end as usize);
    let Some(word) = places::before(document, first) else { return };
    let the = document.is_any(word, words!["the", "a"]);
    let preposition = if the { word.saturating_sub(1) } else { word };
    if !document.is_any(preposition, words!["at", "for", "by", "with", "in", "from"]) {
        return;
    }
    let reach = if document.is_any(preposition, words!["for", "with", "by"]) { 5 } else { 9 };
    let Some(work) =
        places::cue_before(document, preposition, cues::WORK.or(cues::OFFICE), reach).or_else(|| {
            let driver = preposition.checked_sub(1)?;
            document
                .is_any(
                    driver,
                    words![
                        "drives", "drove", "driver", "nurse", "clerk", "cook", "teacher", "cashier",
                        "engineer", "welder", "mechanic", "manager", "guard",
                    ],
                )
                .then_some(driver)
                .or_else(|| retired(document, preposition))
        })
    else {
        return;
    };
    // "by MW K. Bishop with SROM": a name is no office.
    let named = document.tokens[work].is(cues::OFFICE)
        && work > 0
        && document.tokens[work].has(Flags::CAPITAL)
        && document.tokens[work - 1].is_sign(b'.');
    let term = end - first == 1
        && document.tokens[first].has(Flags::UPPER)
        && document.is_any(preposition, words!["with", "by", "in", "from"]);
    if named || term && !document.is_any(work, words!["works", "worked", "working", "employed", "job"]) {
        return;
    }
    if document.tokens[first].word.is_month() || document.tokens[first].is(cues::MONTH.or(cues::WEEKDAY)) {
        return;
    }
    let sort = nameness(document, first).sort;
    let certainty = match sort {
        Sort::Medical | Sort::Acronym if end - first == 1 => 0.5,
        Sort::Ordinary if end - first == 1 => 0.6,
        _ => 0.86,
    };
    let score = Score::new("work", document.bytes(work..word + 1), certainty);
    let mut last = end;
    // "Hallam & Rudge".
    if document.tokens.get(end).is_some_and(|token| token.is_sign(b'&'))
        && document.tokens.get(end + 1).is_some_and(|token| token.is_capital())
    {
        last = end + 2;
    }
    // "Bord na Móna", "Bank of Ireland".
    if document.is_any(end, words!["na", "of", "de", "du"])
        && document
            .tokens
            .get(end + 1)
            .is_some_and(|token| token.is_capital() && document.same_line(end - 1, end + 1))
    {
        last = end + 2;
    }
    found.add("employer", Kind::Employer, document.bytes(first..last), &score);
}

/// An occupation with "retired" or "former" shortly before it: "a retired turf cutter with".
fn retired(document: &Document<'_>, preposition: usize) -> Option<usize> {
    let last = preposition.checked_sub(1)?;
    let token = &document.tokens[last];
    let past = words!["retired", "former", "formerly", "ex"];
    let occupation = token.is_word() && !token.word.is_function() && !token.word.is_medical();
    (occupation && (preposition.saturating_sub(4)..last).any(|at| document.is_any(at, past))).then_some(last)
}

/// Words that somebody's business stands behind.
pub(super) const OWNS: WordSet = words![
    "owns", "owned", "ran", "runs", "running", "founded", "opened", "manages", "managed", "directs",
    "directed", "bought", "sold", "operates", "operated",
];

/// The name of a business behind "ran", "owns" or the like: "he ran Pho Saigon Star".
fn owned(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let tokens = &document.tokens;
    let (first, end) = (run.first as usize, run.end as usize);
    let Some(before) = first.checked_sub(1).filter(|_| end - first >= 2) else { return };
    let the = usize::from(document.is_any(before, words!["the", "a"]));
    let Some(word) = before.checked_sub(the) else { return };
    if !document.is_any(word, OWNS) || tokens[first].has(Flags::LINE.or(Flags::GAP)) {
        return;
    }
    let plain = (first..end).all(|at| {
        let word = tokens[at].word;
        !(word.is_medical() && (at == first || tokens[at].has(Flags::UPPER))
            || word.is_drug()
            || word.is_month()
            || word.is_weekday()
            || word.is_heading()
            || tokens[at].is(cues::TITLE.or(cues::RELATIVE)))
    });
    let ordinary = (first..end).all(|at| {
        tokens[at].is_capital() && !tokens[at].has(Flags::UPPER.or(Flags::SHOUTED).or(Flags::POSSESSIVE))
    });
    if plain && (ordinary || (first..end).any(|at| nameness(document, at).prior >= 0.3)) {
        let score = Score::new("owner", document.bytes(word..first), 0.93);
        found.add("employer", Kind::Employer, document.bytes(first..end), &score);
    }
}

/// "Fontenot & Sons", "Hallam & Rudge".
fn partners(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let (first, end) = (run.first as usize, run.end as usize);
    let joined = document.tokens.get(end).is_some_and(|token| token.is_sign(b'&'));
    // "Alabama A&M".
    if joined
        && end - first == 2
        && document.is(end - 1, "a")
        && document.is_any(end + 1, words!["m", "t"])
        && document.glued(end + 1)
    {
        let score = Score::new("university of a state", document.bytes(end - 1..end + 2), 0.95);
        found.add("employer", Kind::School, document.bytes(first..end + 2), &score);
        return;
    }
    let next = document
        .tokens
        .get(end + 1)
        .filter(|next| joined && next.is_capital() && !next.has(Flags::LINE) && next.len() > 2);
    let own = (first..end).find(|at| nameness(document, *at).prior >= 0.5);
    if let (Some(_), Some(from)) = (next, own) {
        let mut last = end + 2;
        while document.tokens.get(last).is_some_and(|token| {
            let sons = document.is_any(end + 1, words!["sons", "son", "bros", "brothers", "co", "daughters"]);
            token.is_capital()
                && (sons || token.is(cues::COMPANY_SUFFIX))
                && last < end + 5
                && !token.has(Flags::LINE.or(Flags::GAP).or(Flags::SENTENCE))
        }) {
            last += 1;
        }
        let more = if last > end + 2 { 0.95 } else { 0.8 };
        let score = Score::new("partners", document.bytes(end..end + 2), more);
        found.add("employer", Kind::Employer, document.bytes(from..last), &score);
    }
}

/// A name before a kind of business in small letters: "the Golden Carp restaurant".
fn small_head(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let (first, end) = (run.first as usize, run.end as usize);
    let next = document.tokens.get(end).filter(|next| !next.has(Flags::CAPITAL.or(Flags::PARAGRAPH)));
    let acronym = end - first == 1 && document.tokens[first].has(Flags::UPPER);
    if next.is_some()
        && document.is_any(end, KINDS)
        && !acronym
        && !document.tokens[first].has(Flags::SENTENCE)
        && !document.tokens[first].word.is_function()
    {
        let score = Score::new("kind of business", document.bytes(end..end + 1), 0.75);
        found.add("employer", Kind::Employer, document.bytes(first..end), &score);
    }
}

/// The value of "Employer:".
fn in_field(document: &Document<'_>, first: usize, end: usize, key: usize, found: &mut Candidates) {
    // "MEDICAL SOCIAL WORK: PSYCHOSOCIAL ASSESSMENT" is the title of a note.
    let social = document.is_any(first.saturating_sub(3), words!["social"]);
    let title = (first..end).any(|at| document.tokens[at].is(cues::HEADING));
    if social || title && document.tokens[first].has(Flags::SHOUTED) {
        return;
    }
    let stop = (first..end).find(|at| {
        matches!(document.tokens[*at].first, b',' | b';' | b'(') && !document.tokens[*at].is_word()
            || document.tokens[*at].is_number()
    });
    let last = stop.unwrap_or(end);
    let named = document.tokens[first..last]
        .iter()
        .any(|token| token.is_capital() || token.is_word() && !token.word.is_known());
    if named
        && !document.tokens[first].word.is_function()
        && !document.is_any(first, words!["none", "unemployed", "retired", "unknown", "self"])
    {
        let score = Score::new("key of an employer", document.bytes(key..first), 0.9);
        found.add("employer", Kind::Employer, document.bytes(first..last), &score);
    }
}
