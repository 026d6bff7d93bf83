//! Names behind a comma or a bracket that say where somebody works, plays or is from: behind a
//! physician, an institution, a date of a scan, a business, an occupation.

use super::names::nameness;
use super::organization::is_closed;
use super::{Rules, employer};
use crate::candidates::{Candidates, Score};
use crate::cues;
use crate::document::{Document, Run};
use crate::span::Kind;
use crate::token::Flags;
use crate::words::WordSet;

/// Proposes what stands behind a comma or a bracket.
pub(super) fn find(document: &Document<'_>, found: &mut Candidates) {
    let tokens = &document.tokens;
    for run in document.runs_here().iter().filter(|run| run.rules.any(Rules::ASIDE)) {
        let first = run.first as usize;
        let Some(before) = first.checked_sub(1) else { continue };
        let slash = |at: usize| tokens[at].is_sign(b'/') && tokens[at].has(Flags::SPACE);
        let sign = |at: usize| tokens[at].is_sign(b',') || tokens[at].is_sign(b'(') || slash(at);
        let the = usize::from(document.is(before, "the"));
        if let Some(comma) = before.checked_sub(the).filter(|comma| sign(*comma) && *comma > 0)
            && !tokens[first].has(Flags::PARAGRAPH)
        {
            behind(document, run, comma, found);
        }
    }
}

/// Words that are no name of a place or house by themselves.
fn is_plain(document: &Document<'_>, at: usize) -> bool {
    let token = &document.tokens[at];
    let word = token.word;
    if !token.is_word() {
        return matches!(token.first, b'-' | b'.' | b'\'' | b'&') || token.first == 0xe2;
    }
    let other = cues::ROLE
        .or(cues::CREDENTIAL)
        .or(cues::HEADING)
        .or(cues::MONTH)
        .or(cues::WEEKDAY)
        .or(cues::CLOSING)
        .or(cues::NOBODY)
        .or(cues::RELATIVE)
        .or(cues::UNIT)
        .or(cues::KEY_DATE)
        .or(cues::KEY_RECORD)
        .or(cues::KEY_PHONE);
    !(word.is_medical() || word.is_drug() || word.is_heading() || word.is_ward() || word.is_shorthand())
        && !(word.is_credential() || word.is_function() || token.is(other))
        && (!token.is(cues::TITLE) || token.is(cues::NAME_FILLER.or(cues::INSTITUTION_HEAD)))
        && !document.is_key(at)
}

fn behind(document: &Document<'_>, run: &Run, comma: usize, found: &mut Candidates) {
    let tokens = &document.tokens;
    let (mut first, end) = (run.first as usize, run.end as usize);
    let last = comma - 1;
    // "his diner, The Golden Fleece".
    let the = document.is(first, "the") && end - first > 1;
    first += usize::from(the);
    let kind = work(document, last);
    let closed = is_closed(document, end);
    // "Ms. Achterberg, Principal Lowell Dix".
    let office = tokens[first].is(cues::OFFICE)
        && !tokens[first].is(cues::NAME_FILLER.or(cues::NAMED_DAY))
        && (end - first == 1 || nameness(document, first + 1).prior >= 0.5);
    if kind.is_none() && (!closed || office || tokens[comma].is_sign(b'/')) {
        return;
    }
    let plain = kind == Some(Kind::Team)
        || (first..end).all(|at| is_plain(document, at))
        || kind.is_some() && end - first > 1 && is_business(document, first, end);
    if end - first > 7 || tokens[first].has(Flags::SINGLE) || !plain {
        return;
    }
    let city = tokens[first].word.is_city() && !tokens[first].word.is_common();
    let large = tokens[first].word.population() > 50_000;
    let copied = tokens[last].line == tokens[first].line
        && document
            .line(first)
            .is_some_and(|line| document.is_any(line.first as usize, words!["cc", "copy", "copies"]));
    let likely = city || large || copied || (first..end).any(|at| nameness(document, at).prior >= 0.5);
    let first = first - usize::from(the);
    let add = |rule: &'static str, kind: Kind, end: usize, certainty: f32, found: &mut Candidates| {
        let score = Score::new(rule, document.bytes(last..first), certainty);
        found.add("institution", kind, document.bytes(first..end), &score);
    };
    if let Some(kind) = kind {
        let joined = usize::from(document.is_any(end, words!["platform", "rig", "mine", "farm", "mill"]));
        let and = tokens.get(end).is_some_and(|sign| sign.is_sign(b'&'))
            && tokens.get(end + 1).is_some_and(|next| next.is_capital());
        let end = if and { end + 2 } else { end + joined };
        // "Pier 9 Chowder House".
        let end = numbered_end(document, end);
        let several = tokens[first..end].iter().filter(|token| token.is_word()).count() > 1;
        if likely || several {
            add(
                "behind a kind of work",
                kind,
                end,
                if kind == Kind::Team && several {
                    0.92
                } else if several {
                    0.76
                } else {
                    0.62
                },
                found,
            );
        }
    }
    if !closed || !likely {
        return;
    }
    let place = if city || large { Kind::City } else { Kind::Institution };
    let short = tokens[first].has(Flags::UPPER) && tokens[first].len() <= 2;
    let comma = tokens[comma].is_sign(b',');
    if comma && !short && (is_physician(document, last) || is_department(document, last)) {
        add("behind a physician", place, end, 0.73, found);
    } else if comma && !short && is_institution(document, last) {
        add("behind an institution", Kind::City, end, 0.76, found);
    } else if is_examined(document, last) {
        add("behind an examination", Kind::Institution, end, 0.71, found);
    }
}

/// Whether words can be the name of a business, which can have an ordinary or medical word in it.
fn is_business(document: &Document<'_>, first: usize, end: usize) -> bool {
    let other =
        cues::ROLE.or(cues::CREDENTIAL).or(cues::MONTH).or(cues::WEEKDAY).or(cues::RELATIVE).or(cues::TITLE);
    document.tokens[first..end].iter().all(|token| {
        !token.is_word()
            || token.is_capital()
                && !token.has(Flags::UPPER.or(Flags::SINGLE))
                && !(token.word.is_drug() || token.word.is_function() || token.is(other))
    }) && !document.is_key(first)
}

/// The end of a name with a number and more capitals behind it: "Pier 9 Chowder House".
fn numbered_end(document: &Document<'_>, end: usize) -> usize {
    let tokens = &document.tokens;
    let number = tokens
        .get(end)
        .is_some_and(|token| token.is_number() && token.len() <= 3 && !token.has(Flags::LINE.or(Flags::GAP)));
    let mut at = end + 1;
    while number
        && at < end + 5
        && tokens.get(at).is_some_and(|token| {
            token.is_capital() && token.is_word() && !token.has(Flags::LINE.or(Flags::GAP))
        })
    {
        at += 1;
    }
    if number && at > end + 1 { at } else { end }
}

/// Businesses and clubs in small letters that a name stands behind.
const HOUSES: WordSet = words![
    "diner",
    "pub",
    "restaurant",
    "shop",
    "bakery",
    "cafe",
    "café",
    "bar",
    "salon",
    "company",
    "business",
    "garage",
    "hotel",
    "brewery",
    "takeaway",
    "store",
    "nursery",
    "trawler",
    "butchers",
    "cafes",
];

/// What a word before a comma says about the name behind it: an employer behind a business or an
/// occupation, a team behind a side.
fn work(document: &Document<'_>, last: usize) -> Option<Kind> {
    let token = &document.tokens[last];
    if !token.is_word() || token.has(Flags::CAPITAL) {
        return None;
    }
    if document.is_any(last, words!["side", "club", "team"])
        || token.is(cues::SPORT) && !token.word.is_function() && document.tokens[last + 1].is_sign(b'(')
    {
        return Some(Kind::Team);
    }
    let owner = |at: usize| {
        document.is_any(
            at,
            words!["his", "her", "their", "own", "the", "a", "family", "local", "owns", "runs", "whose"],
        )
    };
    let house = document.is_any(last, HOUSES) || document.is_any(last, employer::KINDS);
    if house && (last.saturating_sub(2)..last).any(owner) {
        return Some(Kind::Employer);
    }
    let past = words![
        "retired",
        "former",
        "formerly",
        "ex",
        "job",
        "works",
        "worked",
        "occupation",
        "employed",
        "employment",
    ];
    let trades = words![
        "operator",
        "lineman",
        "linesman",
        "fitter",
        "rigger",
        "driller",
        "roughneck",
        "docker",
        "miner",
        "driver",
        "labourer",
        "laborer",
        "foreman",
        "supervisor",
        "technician",
        "engineer",
        "clerk",
        "cleaner",
        "packer",
        "hand",
        "mate",
        "crew",
        "officer",
        "worker",
        "cook",
        "barista",
        "waiter",
        "waitress",
        "welder",
        "cashier",
    ];
    let occupation = (token.word.is_occupation() || document.is_any(last, trades)) && !token.is(cues::ROLE);
    let worked = occupation
        && (last.saturating_sub(5)..last)
            .rev()
            .take_while(|at| !document.tokens[*at].is_sign(b'.'))
            .any(|at| document.is_any(at, past));
    // "54, line cook, Harbor Noodle House", "Grape packer / Sunview Vineyards".
    let aged = !document.tokens[last + 1].is_sign(b'(')
        && (last.saturating_sub(3)..last).any(|at| {
            document.tokens[at].is_number() && document.tokens[at].len() == 2
                || document.is_any(at, words!["occupation", "job"])
        });
    let slash = document.tokens[last + 1].is_sign(b'/');
    (worked || occupation && (aged || slash)).then_some(Kind::Employer)
}

/// Whether a physician ends at a token: "Dr Urquhart", "Cindy Taussig, MD".
fn is_physician(document: &Document<'_>, last: usize) -> bool {
    let tokens = &document.tokens;
    let token = &tokens[last];
    if token.is(cues::CREDENTIAL) && token.has(Flags::UPPER) && !token.has(Flags::SHOUTED) {
        return true;
    }
    let line = token.line;
    (last.saturating_sub(7)..last)
        .rev()
        .take_while(|at| tokens[*at].line == line && !tokens[*at].has(Flags::PARAGRAPH))
        .take_while(|at| {
            let token = &tokens[*at];
            token.is_capital()
                || matches!(token.first, b'.' | b'-' | b'\'') && !token.is_word()
                || token.is(cues::PARTICLE)
        })
        .any(|at| {
            tokens[at].is(cues::ROLE)
                || document.is_any(at, words!["dr", "mr", "mrs", "ms", "miss", "prof", "professor", "drs"])
        })
}

/// Whether a department of a physician ends at a token: "Dr S. Lim, Diabetes".
fn is_department(document: &Document<'_>, last: usize) -> bool {
    let tokens = &document.tokens;
    let specialty = |at: usize| {
        let token = &tokens[at];
        token.is_capital() && (token.word.is_medical() || token.word.is_ward() || token.is(cues::ROLE))
            || token.is_sign(b'&')
            || document.is(at, "and")
    };
    let comma = (last.saturating_sub(4)..last).rev().find(|at| tokens[*at].is_sign(b','));
    comma.is_some_and(|comma| {
        comma > 0
            && document.same_line(comma - 1, last)
            && (comma + 1..last + 1).all(specialty)
            && is_physician(document, comma - 1)
    })
}

/// Whether a name of an institution ends at a token.
fn is_institution(document: &Document<'_>, last: usize) -> bool {
    let tokens = &document.tokens;
    let token = &tokens[last];
    let short = words!["memorial", "general", "regional", "royal", "private", "methodist", "baptist", "mayo"];
    let head = token.is(cues::INSTITUTION_HEAD.or(cues::SCHOOL_HEAD)) || document.is_any(last, short);
    token.is_capital()
        && !token.has(Flags::SHOUTED)
        && head
        && (document.is(last, "mayo")
            || last > 0 && tokens[last - 1].is_capital() && !tokens[last].has(Flags::LINE))
}

/// Whether the date of a scan or an operation ends at a token: "Chest X-ray: 01.02.24".
fn is_examined(document: &Document<'_>, last: usize) -> bool {
    let tokens = &document.tokens;
    let scans = words![
        "ray",
        "xray",
        "cxr",
        "ct",
        "mri",
        "scan",
        "echo",
        "ultrasound",
        "angiogram",
        "repair",
        "surgery",
        "biopsy",
        "colonoscopy",
        "endoscopy",
        "ogd",
        "bloods",
        "eeg",
        "mra",
        "pet",
        "dexa",
        "replacement",
        "thr",
        "tkr",
        "cabg",
        "appendicectomy",
        "appendectomy",
        "cholecystectomy",
        "hysterectomy",
        "tonsillectomy",
    ];
    tokens[last].is_number()
        && matches!(tokens[last].len(), 2 | 4)
        && (last.saturating_sub(8)..last).any(|at| document.is_any(at, scans))
}
