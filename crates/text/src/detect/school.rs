//! Schools, colleges and universities: names with a head.

use super::places::{self, Named};
use super::{Detector, Rules};
use crate::candidates::{Candidates, Score};
use crate::cues::{self, Sets};
use crate::document::{Document, Field};
use crate::span::Kind;
use crate::token::Flags;
use crate::words::WordSet;

/// Finds schools.
pub struct School;

/// Words that a name of a school ends or begins with by themselves.
const STRONG: WordSet = words![
    "school",
    "university",
    "college",
    "academy",
    "elementary",
    "kindergarten",
    "preschool",
    "daycare",
    "seminary",
    "polytechnic",
    "universität",
    "hochschule",
    "schule",
    "gymnasium",
    "grundschule",
    "lycee",
    "université",
    "universidad",
    "escuela",
    "colegio",
    "montessori",
    "primary",
    "secondary",
    "univ",
    "realschule",
    "kita",
    "conservatory",
    "high",
    "middle",
    "universiteit",
    "nursery",
];

impl Detector for School {
    fn name(&self) -> &'static str {
        "school"
    }

    fn detect(&self, document: &Document<'_>, found: &mut Candidates) {
        for cue in document.heads_here() {
            let head = *cue as usize;
            let token = &document.tokens[head];
            if !(token.is(cues::SCHOOL_HEAD) && document.is_any(head, STRONG)) {
                continue;
            }
            if token.has(Flags::CAPITAL) {
                capital(document, head, found);
            } else {
                small(document, head, found);
            }
        }
        for run in document.runs_here().iter().filter(|run| run.rules.any(Rules::FIRST_WORD)) {
            for at in run.first as usize..run.end as usize {
                if document.tokens[at].cue.sets().any(Sets::FIRST) {
                    first_word(document, at, found);
                }
            }
        }
        for field in document.fields_here() {
            if field.head.any(cues::KEY_SCHOOL) && !field.numbered && !field.value.is_empty() {
                in_field(document, field, found);
            }
        }
    }
}

/// Words that names of schools of other languages begin with.
pub(super) const FIRST: WordSet = words![
    "coláiste",
    "colaiste",
    "scoil",
    "gaelscoil",
    "gaelcholáiste",
    "gaelcholaiste",
    "kura",
    "ysgol",
    "école",
    "ecole",
    "lycée",
    "bunscoil",
    "meánscoil",
    "naíonra",
    "naionra",
    "sekolah",
    "vidyalaya",
    "madrasa",
    "escola",
    "scuola",
    "laerskool",
    "hoërskool",
    "naíscoil",
];

/// "Coláiste an Chuain", "Scoil Naomh Caitríona", "Ysgol y Preseli": the name is behind the head.
fn first_word(document: &Document<'_>, head: usize, found: &mut Candidates) {
    let tokens = &document.tokens;
    if !document.is_any(head, FIRST) || !tokens[head].is_capital() {
        return;
    }
    let small = words!["an", "na", "de", "y", "yr", "des", "du", "la", "le", "o", "ní", "te", "i"];
    let (mut end, mut at) = (head + 1, head + 1);
    while at < head + 7 && tokens.get(at).is_some_and(|next| !next.has(Flags::LINE.or(Flags::GAP))) {
        if tokens[at].is_capital() && !tokens[at].has(Flags::SENTENCE) {
            end = at + 1;
        } else if !(document.is_any(at, small) || tokens[at].is_sign(b'-') && document.glued(at)) {
            break;
        }
        at += 1;
    }
    if end > head + 1 {
        let score = Score::new("first word of a school", document.bytes(head..head + 1), 0.95);
        found.add("school", Kind::School, document.bytes(head..end), &score);
    }
}

/// The value of "School:": its capitalized words.
fn in_field(document: &Document<'_>, field: &Field, found: &mut Candidates) {
    let (first, end) = (field.value.start as usize, field.value.end as usize);
    let last = (first..end)
        .take_while(|at| document.tokens[*at].is_capital() || document.tokens[*at].is_sign(b'-'))
        .last();
    let Some(last) = last.filter(|_| !document.tokens[first].word.is_function()) else { return };
    if !document.is_any(first, words!["none", "unknown", "yes", "no", "not", "year", "grade", "full"]) {
        let key = document.bytes(field.key.start as usize..field.key.end as usize);
        let score = Score::new("key of a school", key, 0.82);
        found.add("school", Kind::School, document.bytes(first..last + 1), &score);
    }
}

fn capital(document: &Document<'_>, head: usize, found: &mut Candidates) {
    let Named { tokens, distinct, .. } = places::around(document, head);
    let weak = document.is_any(head, words!["high", "middle", "nursery", "primary", "secondary"]);
    let last = tokens.end == head + 1;
    if tokens.len() < 2 || weak && !last {
        return;
    }
    let certainty = match distinct {
        2 if weak => 0.76,
        2 => 0.92,
        1 if weak => 0.4,
        1 => 0.76,
        _ => 0.25,
    };
    let score = Score::new("head of a school", document.bytes(head..head + 1), certainty);
    found.add("school", Kind::School, document.bytes(tokens), &score);
}

/// A name before a head in small letters: "Riverton high school", "goes to Larkfield school".
fn small(document: &Document<'_>, head: usize, found: &mut Candidates) {
    let levels = words![
        "high",
        "middle",
        "elementary",
        "primary",
        "grade",
        "nursery",
        "secondary",
        "grammar",
        "community",
        "public",
    ];
    let end = if head > 0 && document.is_any(head - 1, levels) { head - 1 } else { head };
    let Some(first) = places::capitals_before(document, end, 4) else { return };
    let first = (first..end).find(|at| super::names::nameness(document, *at).prior >= 0.5);
    if let Some(first) = first.filter(|_| !document.tokens[end - 1].has(Flags::POSSESSIVE)) {
        let score = Score::new("head of a school", document.bytes(head..head + 1), 0.8);
        found.add("school", Kind::School, document.bytes(first..head + 1), &score);
    }
}
