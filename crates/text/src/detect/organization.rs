//! Organizations without a usual head: services, insurers, shops and short names of hospitals,
//! found by their last words and by what is before them.

use super::Rules;
use super::names::{Sort, nameness};
use super::tails::{
    DEPARTMENTS, FINDINGS, FIRSTS, GENERIC, LEGAL, PAIRED, PLACED, STAYS, STRONG, TRADES, VENUES, WEAK,
};
use super::{body, famous, letterhead, places};
use crate::candidates::{Candidates, Score};
use crate::cues::{self, Sets};
use crate::document::{Document, Run};
use crate::span::Kind;
use crate::token::Flags;
use crate::words::WordSet;

/// Proposes organizations.
pub(super) fn find(document: &Document<'_>, found: &mut Candidates) {
    for run in document.runs_here() {
        let (first, end) = (run.first as usize, run.end as usize);
        if run.rules.any(Rules::TAIL) {
            for at in first + 1..end {
                let (own, before) = (document.tokens[at].cue.sets(), document.tokens[at - 1].cue.sets());
                if own.any(Sets::TAIL) || own.any(Sets::PAIRED) && before.any(Sets::FIRSTS) {
                    tailed(document, at, end, found);
                }
            }
            cooperative(document, first, end, found);
        }
        if run.rules.any(Rules::SHORT_NAME) {
            acronym(document, run, found);
            lettered(document, run, found);
        }
        if run.rules.any(Rules::BODY) {
            body::propose(document, run, found);
        }
        if run.rules.any(Rules::FAMOUS) {
            famous::propose(document, run, found);
        }
        if run.rules.any(Rules::UNUSUAL) && end - first >= 2 {
            unusual(document, run, found);
        }
    }
    letterhead::find(document, found);
}

/// Whether a name ends before a token.
pub(super) fn is_closed(document: &Document<'_>, end: usize) -> bool {
    document.tokens.get(end).is_none_or(|next| {
        next.has(Flags::LINE.or(Flags::GAP))
            || !next.is_word() && !next.is_number() && !matches!(next.first, b'-' | b'/' | b':' | b'&')
    })
}

/// Whether a name can start at a token: at the start of a line, cell or bracket, or behind a
/// word that places are behind.
fn is_opened(document: &Document<'_>, first: usize) -> bool {
    let tokens = &document.tokens;
    tokens[first].has(Flags::LINE.or(Flags::GAP))
        || first.checked_sub(1).is_none_or(|before| {
            matches!(tokens[before].first, b',' | b'(' | b'|' | b':' | b'*' | b';' | b'"')
                && !tokens[before].is_word()
                || document.is_any(before, PLACED)
        })
}

/// A name that ends with a word of these sets: "Bayou Teche Home Health", "Umoya Medical Scheme".
fn tailed(document: &Document<'_>, at: usize, run_end: usize, found: &mut Candidates) {
    let tokens = &document.tokens;
    let pair = document.is_any(at, PAIRED) && document.is_any(at - 1, FIRSTS);
    let (strong, trade) = (document.is_any(at, STRONG), document.is_any(at, TRADES));
    if !(pair || strong || trade || document.is_any(at, WEAK)) || !tokens[at].is_capital() {
        return;
    }
    let legal = at + 1 < run_end && document.is_any(at + 1, LEGAL) && tokens[at + 1].is_capital();
    let end = at + 1 + usize::from(legal);
    let goes_on = end < run_end && tokens[end].is_capital() && document.same_line(at, end);
    if goes_on || document.is_key(at) || tokens[end - 1].has(Flags::POSSESSIVE) {
        return;
    }
    let first = places::around(document, at).tokens.start;
    // "Lives in Willow Lodge".
    let joint = (first..at).rev().find(|at| document.is_any(*at, words!["in", "at", "for", "zu", "am"]));
    let first = joint.map_or(first, |joint| joint + 1);
    let plan = pair && document.is_any(at, words!["plan", "plans"]) && document.is(at - 1, "health");
    // "Security Health Plan" at the start of a sentence.
    let first = match plan {
        true => {
            let from = places::capitals_before(document, at, 5).unwrap_or(first).min(first);
            from + usize::from(tokens[from].is(cues::NOBODY))
        }
        false => first,
    };
    if first >= at {
        return;
    }
    let head = at - usize::from(pair);
    // "at Apex Oval": an ordinary or medical word in the name of a place to go to.
    let venue = document.is_any(at, VENUES)
        && first > 0
        && document.is_any(first - 1, words!["at", "outside", "opposite", "near", "behind", "past"]);
    let own = |at: usize| {
        let token = &tokens[at];
        let word = token.word;
        token.is_capital()
            && (venue || !(word.is_medical() || word.is_heading() || word.is_ward() || word.is_drug()))
            && !(word.is_function()
                || token.has(Flags::SINGLE)
                || document.is_any(at, GENERIC)
                || document.is_any(at, DEPARTMENTS))
            && !token.is(cues::HEADING.or(cues::ROLE).or(cues::TITLE).or(cues::NOBODY).or(cues::AFTER_PERSON))
            && !token.is(cues::RELATIVE.or(cues::MONTH).or(cues::WEEKDAY).or(cues::CREDENTIAL))
    };
    let words = (first..head).filter(|at| own(*at)).count();
    let named = (first..head).any(|at| own(at) && nameness(document, at).prior >= 0.5)
        || (first..head).any(|at| own(at) && tokens[at].word.is_city() && !tokens[at].word.is_common());
    let opened = is_opened(document, first);
    let closed = is_closed(document, end) || tokens.get(end).is_none_or(|next| !next.is_capital());
    let shouted = tokens[at].has(Flags::SHOUTED);
    let alone = tokens[first].has(Flags::SENTENCE) && !tokens[first].has(Flags::LINE);
    // "(Orange Private, Mr Kokkinos)", "Gloucestershire Royal" on a line of its own.
    let short = document.is_any(at, words!["private", "royal", "comprehensive", "general", "memorial"]);
    let town = (first..head).any(|at| own(at) && tokens[at].word.is_city());
    let at_place = opened && first > 0 && document.is_any(first - 1, words!["at", "by", "via", "opposite"]);
    let clinical = document.is_any(at, words!["clinical", "cardiothoracic", "midwifery", "medical"]);
    let certainty = match (named, pair || strong || legal) {
        _ if !closed || words == 0 => return,
        _ if plan && !shouted => 0.8,
        _ if short && !(opened && (is_closed(document, end) || goes_on_small(document, end))) => return,
        _ if short && (named || town) => 0.92,
        _ if short
            && tokens[first].has(Flags::LINE)
            && (first..head).any(|at| own(at) && !tokens[at].word.is_common()) =>
        {
            0.74
        }
        _ if short => return,
        (true, true) => 0.86,
        (true, false) if trade => 0.93,
        (true, false) if opened => 0.76,
        (true, false) => return,
        (false, true) if words >= 2 && !opened && !shouted && !alone => 0.7,
        (false, _) if shouted || alone || !opened => return,
        (false, true) if words >= 2 || tokens[first].has(Flags::LINE) => 0.76,
        (false, true) => 0.66,
        (false, false) if words >= 2 && trade => 0.7,
        (false, false) if at_place && is_closed(document, end) => 0.58,
        (false, false)
            if clinical && (words >= 2 || document.is(at, "clinical")) && is_closed(document, end) =>
        {
            0.66
        }
        _ => return,
    };
    // "The Laurels Residential Home".
    let the = first > 0 && document.is(first - 1, "the") && tokens[first - 1].is_capital();
    let first = first - usize::from(the && document.same_line(first - 1, first));
    let score = Score::new("last word of an organization", document.bytes(head..at + 1), certainty);
    let kind = if trade { Kind::Employer } else { Kind::Institution };
    found.add("institution", kind, document.bytes(first..end), &score);
}

/// Whether a sentence goes on behind a name: "at Mass General on 3 May", "at Addenbrooke's who".
fn goes_on_small(document: &Document<'_>, end: usize) -> bool {
    document.tokens.get(end).is_some_and(|next| {
        next.is_word() && !next.has(Flags::CAPITAL.or(Flags::LINE)) && next.word.is_function()
    })
}

/// "Kirk Wynd Co-op", "Tri-Creek Electric Co-op".
fn cooperative(document: &Document<'_>, first: usize, end: usize, found: &mut Candidates) {
    let tokens = &document.tokens;
    let last = end - 1;
    let ending = document.is(last, "co")
        && tokens.get(end).is_some_and(|sign| sign.is_sign(b'-') && document.glued(end))
        && document.is(end + 1, "op");
    if !ending || !tokens[last].is_capital() {
        return;
    }
    let from = if last > first { Some(first) } else { places::capitals_before(document, last, 4) };
    let placed = places::before(document, last)
        .is_some_and(|word| document.is_any(word, words!["at", "the", "from", "to", "in", "outside"]));
    let (first, certainty) = match from.filter(|from| *from < last) {
        Some(from) => (from, 0.94),
        None if placed => (last, 0.66),
        None => return,
    };
    let score = Score::new("cooperative", document.bytes(last..end + 2), certainty);
    found.add("institution", Kind::Institution, document.bytes(first..end + 2), &score);
}

/// Whether such a word is among the last few of the same sentence.
fn stays_before(document: &Document<'_>, first: usize) -> bool {
    (first.saturating_sub(8)..first)
        .rev()
        .take_while(|at| !document.tokens[*at].is_sign(b'.') && !document.tokens[*at].has(Flags::PARAGRAPH))
        .any(|at| document.is_any(at, STAYS))
}

/// The preposition before a token, and whether an article is between.
fn preposition(document: &Document<'_>, first: usize) -> Option<(usize, bool)> {
    let word =
        first.checked_sub(1).filter(|_| !document.tokens[first].has(Flags::GAP.or(Flags::PARAGRAPH)))?;
    let the = document.is(word, "the");
    let word = if the { word.checked_sub(1)? } else { word };
    document.is_any(word, words!["at", "from", "to"]).then_some((word, the))
}

/// Capitals that stand for a hospital: "at the RVI", "transferred from MGH", "admitted to PRI".
fn acronym(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let tokens = &document.tokens;
    let (first, end) = (run.first as usize, run.end as usize);
    let token = &tokens[first];
    let capitals = end - first == 1
        && token.has(Flags::UPPER)
        && !token.has(Flags::SHOUTED.or(Flags::POSSESSIVE))
        && (3..=5).contains(&token.len());
    if !capitals || document.is_key(first) {
        return;
    }
    let word = token.word;
    let term = word.is_medical() || word.is_shorthand() || word.is_drug() || word.is_ward();
    let other = word.is_common()
        || word.is_heading()
        || word.is_country()
        || word.is_month()
        || token.is(cues::CREDENTIAL.or(cues::UNIT).or(cues::ROLE).or(cues::WARD_HEAD).or(cues::DOSE))
        || document.is_any(first, words!["osh", "snf", "ltc", "asap", "home", "gp", "pcp", "usa", "uae"]);
    let Some((word, the)) = preposition(document, first) else { return };
    let free = is_closed(document, end)
        || tokens.get(end).is_some_and(|next| {
            next.is_number()
                || next.word.is_function()
                || document.is_any(end, words!["twice", "once", "last", "yesterday", "today", "weekly"])
        });
    let at = document.is(word, "at");
    let stay = stays_before(document, word);
    let moved = document.is_any(
        word.saturating_sub(1),
        words!["transferred", "transfer", "repatriated", "retrieved", "diverted"],
    );
    // "Tenderness at the ATFL", "Lump at the DIPJ": what is before is a finding.
    let finding = word > 0 && document.is_any(word - 1, FINDINGS);
    let certainty = match (at, stay) {
        _ if !free || other || at && finding => return,
        _ if moved && term && !tokens[first].word.is_ward() && document.is(word, "from") => 0.58,
        (true, true) if term && the => 0.56,
        _ if term => return,
        (true, true) => 0.76,
        (true, false) => {
            if the {
                0.72
            } else {
                0.6
            }
        }
        (false, true) if moved => 0.62,
        _ => return,
    };
    let score = Score::new("capitals of a hospital", document.bytes(word..end), certainty);
    found.add("institution", Kind::Institution, document.bytes(first..end), &score);
}

/// A short name behind a transfer or "at": "seen at Mayo", "transferred from Heartlands".
fn lettered(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let tokens = &document.tokens;
    let (first, end) = (run.first as usize, run.end as usize);
    let token = &tokens[first];
    let at = first > 0 && document.is(first - 1, "at");
    let closed = is_closed(document, end) || at && goes_on_small(document, end);
    if end - first > 2 || token.has(Flags::UPPER) || !closed {
        return;
    }
    let Some((word, _)) = preposition(document, first) else { return };
    let name = nameness(document, first);
    let device =
        document.is_any(first, words!["foley", "hickman", "dobhoff", "groshong", "tesio", "penrose"]);
    let chain = token.is(cues::CHAIN) || document.is_any(first, words!["clicks", "lidl", "aldi", "target"]);
    // "Mayo" is a month in Spanish as well.
    let mayo = document.is(first, "mayo");
    let plain = mayo
        || (first..end).all(|at| {
            let word = tokens[at].word;
            !(word.is_medical() || word.is_drug() || word.is_ward() || word.is_month() || word.is_weekday())
        });
    let likely = matches!(name.sort, Sort::Unknown | Sort::Name | Sort::Both) && name.prior >= 0.2
        || token.word.is_city() && name.sort != Sort::Ordinary;
    let at = document.is(word, "at");
    let worker = document.is(word, "from") && is_worker_before(document, word);
    let certainty = match () {
        _ if mayo && at => 0.72,
        _ if worker && plain && !token.is(cues::MONTH.or(cues::WEEKDAY).or(cues::TITLE)) => 0.64,
        _ if device || token.is(cues::MONTH.or(cues::WEEKDAY).or(cues::HOLIDAY).or(cues::TITLE)) => return,
        _ if chain => 0.74,
        _ if !likely || !plain => return,
        _ if places::is_eponymous(document, &(first..end)) => return,
        _ if at && stays_before(document, word) => 0.72,
        _ if at && name.prior >= 0.5 => 0.6,
        _ if document
            .is_any(word.saturating_sub(1), words!["transferred", "transfer", "admitted", "flown"]) =>
        {
            0.66
        }
        _ => return,
    };
    let score = Score::new("short name of a hospital", document.bytes(word..end), certainty);
    found.add("institution", Kind::Institution, places::with_possessive(document, first..end), &score);
}

/// Words that an organization of no usual kind stands behind.
pub(super) const BEFORE: WordSet = words![
    "at",
    "from",
    "with",
    "by",
    "via",
    "through",
    "for",
    "to",
    "contacted",
    "requested",
    "called",
    "named",
    "near",
    "outside",
    "opposite",
    "insurance",
    "insurer",
    "provider",
];

/// Several words with capitals within a sentence that are neither names of people nor terms: "arranged by
/// Northern Heart", "his cover with Ulster Provident". Not certain enough for a made-up name.
fn unusual(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let tokens = &document.tokens;
    let (first, end) = (run.first as usize, run.end as usize);
    let the = usize::from(first > 1 && document.is(first - 1, "the"));
    if !first.checked_sub(1 + the).is_some_and(|word| document.is_any(word, BEFORE)) {
        return;
    }
    let other = cues::ROLE
        .or(cues::CREDENTIAL)
        .or(cues::TITLE)
        .or(cues::HEADING)
        .or(cues::RELATIVE)
        .or(cues::MONTH)
        .or(cues::WEEKDAY)
        .or(cues::HOLIDAY)
        .or(cues::UNIT)
        .or(cues::DOSE)
        .or(cues::NOBODY)
        .or(cues::WARD_HEAD)
        .or(cues::EPONYM_HEAD)
        .or(cues::KEY_PHONE)
        .or(cues::KEY_DATE)
        .or(cues::KEY_RECORD);
    let plain = |at: usize| {
        let token = &tokens[at];
        let word = token.word;
        let small = !token.has(Flags::CAPITAL) && (word.is_function() || token.is(cues::PARTICLE));
        let joint =
            !token.is_word() && (matches!(token.first, b'-' | b'&' | b'\'' | b'.') || token.first == 0xe2);
        let shape = Flags::UPPER.or(Flags::SHOUTED).or(Flags::SINGLE).or(Flags::SENTENCE);
        let term = word.is_medical() || word.is_drug() || word.is_ward() || word.is_heading();
        let known = word.is_shorthand() || word.is_nationality() || word.is_credential() || word.is_thing();
        let eponym = word.is_eponym_name() || word.is_eponym() || word.is_substance();
        let own = token.is_capital() && !token.has(shape) && !token.is(other);
        small || joint || own && !(term || known || eponym || document.is_any(at, GENERIC))
    };
    let words = (first..end).filter(|at| tokens[*at].is_capital()).count();
    let free = is_closed(document, end)
        || tokens.get(end).is_some_and(|next| {
            !next.has(Flags::CAPITAL) && !next.word.is_medical() && !next.is(cues::EPONYM_HEAD.or(cues::UNIT))
        });
    let people = || (first..end).all(|at| !tokens[at].is_word() || nameness(document, at).prior >= 0.5);
    if (first..end).all(plain) && words >= 2 && free && !document.is_key(first) && !people() {
        let score = Score::new("several words behind a preposition", document.bytes(first..end), 0.52);
        found.add("institution", Kind::Institution, document.bytes(first..end), &score);
    }
}

/// Whether somebody who works for a service is named before "from": "support worker Cal Trew from
/// Crossroads".
fn is_worker_before(document: &Document<'_>, from: usize) -> bool {
    let tokens = &document.tokens;
    let mut at = from;
    while at > 0 && from - at < 3 && tokens[at - 1].is_capital() {
        at -= 1;
    }
    let workers =
        words!["worker", "keyworker", "advocate", "rep", "caseworker", "liaison", "coordinator", "carer"];
    at < from && at > 0 && document.same_line(at - 1, from) && document.is_any(at - 1, workers)
}
