//! What speaks against a person: diseases, signs, tests, devices and drugs that are named after
//! one.

use super::*;

/// Lowers names of diseases, signs, devices and drugs.
pub(super) fn medical(
    document: &Document<'_>,
    segment: &Segment,
    cued: bool,
    contextual: bool,
    score: &mut Score,
) {
    let end = segment.tokens.end;
    if let Some(title) = segment.title {
        // "Sister Mary Joseph nodule".
        if phrase(document, title, &(title..end)).is_some() {
            score.lower("medical phrase", document.bytes(title..end), 0.93);
        }
        return;
    }
    let evidence = |at: usize| document.bytes(at..at + 1);
    if is_form_of_address(document, segment) {
        score.lower("nobody", document.bytes(segment.tokens.clone()), 0.9);
        return;
    }
    // "E. Rey-Osterrieth, Ph.D.": a degree makes a person of an eponym. "III" may be a grade.
    let degree = |at: &usize| !document.is_any(*at, words!["ii", "iii", "iv"]);
    if segment.names + segment.initials >= 2 && credential(document, end).filter(degree).is_some() {
        return;
    }
    // "MBChB (Pret)": where a degree is from.
    let first = segment.tokens.start;
    let awarded = first >= 2
        && document.tokens[first - 1].is_sign(b'(')
        && document.tokens[first - 2].is(cues::CREDENTIAL)
        && document.tokens[first - 2].has(Flags::UPPER.or(Flags::MIXED))
        && !document.tokens[first - 2].is(cues::BEFORE_PERSON)
        && document.tokens[end - 1].word.first_level() < 8;
    if awarded {
        score.lower("behind a degree", document.bytes(first - 2..first), 0.6);
        return;
    }
    if hyphenated(document, segment) && is_grade(document, end) {
        score.lower("eponym with its grade", document.bytes(segment.tokens.clone()), 0.9);
        return;
    }
    if !contextual && is_make(document, segment) {
        score.lower("make in brackets", document.bytes(segment.tokens.clone()), 0.65);
        return;
    }
    if dispensed(document, segment) && !cued {
        score.lower("form or dose of a drug", document.bytes(segment.tokens.clone()), 0.8);
        return;
    }
    if phrase(document, segment.tokens.start, &segment.tokens).is_some()
        || segment.tokens.len() <= 3 && phrase_before(document, segment.tokens.start, end)
    {
        score.lower("medical phrase", document.bytes(segment.tokens.clone()), 0.93);
        return;
    }
    if graded(document, segment, score) {
        return;
    }
    if hyphenated(document, segment) && !contextual {
        score.lower("eponym of two names", document.bytes(segment.tokens.clone()), 0.75);
        return;
    }
    let Some(next) = document.tokens.get(end).filter(|next| !next.has(Flags::PARAGRAPH)) else {
        return eponym(document, segment, cued, contextual, score);
    };
    if tested(document, segment, cued, score) {
        return;
    }
    if in_drug_list(document, segment) && !contextual && segment.names == 1 {
        score.lower("behind a dose", document.bytes(segment.tokens.start - 2..segment.tokens.start), 0.6);
        return;
    }
    let hyphen = usize::from(next.is_sign(b'-') && document.tokens.get(end + 1).is_some_and(Token::is_word));
    let head = document.tokens.get(end + hyphen).unwrap_or(next);
    if head.is_word()
        && ((head.is(cues::EPONYM_HEAD)
            || head.word.is_eponym_noun() && document.tokens[end - 1].word.is_eponym_name())
            && !head.has(Flags::LINE.or(Flags::GAP))
            || head.word.is_drug()
                && !head.word.is_last_name()
                && !(cued && !head.has(Flags::CAPITAL) && segment.names + segment.initials >= 2))
        && !head.is(cues::AFTER_PERSON)
    {
        let named =
            document.tokens[end - 1].word.is_eponym() || document.tokens[end - 1].word.is_eponym_name();
        // "Bourkins's insulin" is somebody's; "Bell's palsy" is not.
        let owned = document.tokens[end - 1].has(Flags::POSSESSIVE)
            && !named
            && (head.word.is_drug()
                || document.is_any(
                    end + hyphen,
                    words![
                        "therapy",
                        "treatment",
                        "exam",
                        "chart",
                        "fever",
                        "knee",
                        "hip",
                        "wound",
                        "pulse",
                        "rash",
                        "cast",
                        "study",
                        "attack",
                        "dressing",
                        "pump",
                        "diet",
                        "anemia",
                        "dementia",
                        "arthritis",
                        "fracture",
                        "stent",
                        "hernia",
                        "test",
                        "cells",
                        "score",
                    ],
                ));
        if owned {
            return;
        }
        let share = if segment.names >= 2 && !named { 0.6 } else { 0.88 };
        score.lower("eponym or product", evidence(end + hyphen), share);
    } else if next.is_number() && dosed(document, end) {
        score.lower("dose behind", evidence(end), 0.85);
    } else {
        eponym(document, segment, cued, contextual, score);
    }
}

/// Whether a short word is the second part of a greeting or of a register: "Dear Sir/Ma", "KMC Reg.
/// 38112".
fn is_form_of_address(document: &Document<'_>, segment: &Segment) -> bool {
    let (first, end) = (segment.tokens.start, segment.tokens.end);
    if end - first != 1 || document.tokens[first].len() > 4 {
        return false;
    }
    let greeted = first >= 2
        && document.tokens[first - 1].is_sign(b'/')
        && document.is_any(first - 2, words!["sir", "sirs", "madam"]);
    let dot = usize::from(document.tokens.get(end).is_some_and(|dot| dot.is_sign(b'.')));
    let registered = document.is_any(first, words!["reg", "lic", "cert", "regn"])
        && document.tokens.get(end + dot).is_some_and(|next| {
            next.is_number() && next.len() >= 3 && !next.has(Flags::LINE)
                || next.is(cues::NUMBER_WORD) && next.len() <= 3
        });
    greeted || registered
}

/// Whether an eponym in brackets is the make of what is before it: "hemiarthroplasty (Thompson)",
/// "grip 22 kg (Jamar, unit 4)".
fn is_make(document: &Document<'_>, segment: &Segment) -> bool {
    let tokens = &document.tokens;
    let (first, end) = (segment.tokens.start, segment.tokens.end);
    if end - first != 1 || first < 2 || !tokens[first - 1].is_sign(b'(') {
        return false;
    }
    let own = tokens[first].word;
    let thing = &tokens[first - 2];
    (own.is_eponym_name() || own.is_eponym())
        && tokens.get(end).is_some_and(|sign| matches!(sign.first, b')' | b','))
        && thing.is_word()
        && (thing.is(cues::UNIT)
            || thing.word.is_eponym_noun()
            || document.is_any(
                first - 2,
                words![
                    "hemi",
                    "hemiarthroplasty",
                    "arthroplasty",
                    "thr",
                    "tkr",
                    "tha",
                    "tka",
                    "stem",
                    "forceps"
                ],
            ))
}

/// Lowers an eponym with its grade: "Weber B", "Gustilo II", "Hinchey Ib", "Balthazar D".
fn graded(document: &Document<'_>, segment: &Segment, score: &mut Score) -> bool {
    let (first, end) = (segment.tokens.start, segment.tokens.end);
    let eponym = |at: usize| {
        let word = document.tokens[at].word;
        word.is_eponym_name() || word.is_eponym()
    };
    // The grade may look like an initial or a name and be in the segment.
    let inner = end - first == 2 && eponym(first) && is_grade(document, end - 1);
    let dot = document.tokens.get(end).is_some_and(|next| next.is_sign(b'.') && document.glued(end));
    let named = document
        .tokens
        .get(end + 1)
        .is_some_and(|next| next.is_capital() && document.same_line(end, end + 1));
    let outer = end - first == 1 && eponym(first) && is_grade(document, end);
    // "Balthazar D. Sengstaken": the next sentence, not a last name.
    let next = document.tokens.get(end + 1);
    let ended = next.is_some_and(|next| {
        next.word.is_eponym_name()
            || next.word.is_shorthand()
            || next.word.is_medical()
            || next.has(Flags::UPPER) && !next.has(Flags::SHOUTED.or(Flags::SINGLE))
    });
    if inner && (!(dot && named) || ended) || outer {
        score.lower("eponym with its grade", document.bytes(first..end), 0.85);
        return true;
    }
    false
}

/// Whether a segment is two names with a hyphen that eponyms have, and nothing else:
/// "Osgood-Schlatter".
fn hyphenated(document: &Document<'_>, segment: &Segment) -> bool {
    let (first, end) = (segment.tokens.start, segment.tokens.end);
    let eponym =
        |at: usize| document.tokens[at].word.is_eponym_name() || document.tokens[at].word.is_eponym();
    end - first == 3
        && matches!(document.tokens[first + 1].first, b'-' | 0xe2)
        && !document.tokens[first + 1].is_word()
        && eponym(first)
        && eponym(end - 1)
        && document.tokens[first].word.last_level().min(document.tokens[end - 1].word.last_level()) < 20
}

/// Whether a token is a grade: a Roman number, also with a letter, or one of the letters A to F.
pub(super) fn is_grade(document: &Document<'_>, at: usize) -> bool {
    let Some(token) = document.tokens.get(at).filter(|token| token.is_capital()) else { return false };
    if token.has(Flags::LINE.or(Flags::GAP)) {
        return false;
    }
    let text = document.word(at).as_bytes();
    let roman = text.iter().take_while(|letter| matches!(letter, b'I' | b'V')).count();
    let letter = text.len() == roman || text.len() == roman + 1 && text[roman].is_ascii_lowercase();
    roman > 0 && roman <= 3 && letter || text.len() == 1 && (b'A'..=b'F').contains(&text[0])
}

/// Whether a dose, and a comma or "and", is before a segment: "Zoloft 50 mg and Sprintec".
fn in_drug_list(document: &Document<'_>, segment: &Segment) -> bool {
    let first = segment.tokens.start;
    let joint = first
        .checked_sub(1)
        .filter(|at| document.tokens[*at].is_sign(b',') || document.is_any(*at, words!["and", "or", "plus"]));
    joint.and_then(|at| at.checked_sub(1)).is_some_and(|at| {
        document.tokens[at].is_word()
            && document.tokens[at].is(cues::UNIT.or(cues::DOSE))
            && document.is_any(
                at,
                words![
                    "mg", "mcg", "g", "ml", "units", "iu", "daily", "bid", "tid", "qid", "bd", "tds", "od",
                    "prn",
                ],
            )
    })
}

/// Lowers names of scores and tests: with a number behind them, or a head further on in the run.
pub(super) fn tested(document: &Document<'_>, segment: &Segment, cued: bool, score: &mut Score) -> bool {
    let end = segment.tokens.end;
    let further = (end..end + 3).take_while(|at| {
        document.tokens.get(*at).is_some_and(|token| {
            token.is_capital()
                && !token.has(Flags::LINE.or(Flags::GAP))
                && !token.word.is_function()
                && !token.is(cues::AFTER_PERSON)
        })
    });
    let head = further.clone().find(|at| {
        document.tokens[*at].is(cues::EPONYM_HEAD)
            && !document.tokens[*at].is(cues::NAME_FILLER.or(cues::STREET_SUFFIX).or(cues::INSTITUTION_HEAD))
    });
    if let Some(head) = head {
        score.lower("name of a test", document.bytes(end..head + 1), 0.8);
        return true;
    }
    if segment.names != 1 || segment.initials > 0 || cued || score.certainty() >= 0.9 {
        return false;
    }
    let next = &document.tokens[end];
    let small = next.is_number() && next.len() <= 2 && !next.has(Flags::LINE.or(Flags::GAP));
    let grade = next.is_word()
        && next.has(Flags::CAPITAL)
        && document.is_any(end, words!["ii", "iii", "iv", "ib", "ia", "iia", "iib", "iiia"]);
    let sign = matches!(next.first, b'+' | b'-')
        && !next.is_word()
        && (next.has(Flags::SPACE) || next.first == b'+')
        && document.tokens.get(end + 1).is_none_or(|behind| {
            matches!(behind.first, b',' | b'.' | b';' | b')')
                || behind.has(Flags::LINE)
                || document.is(end + 1, "ve")
                || next.first == b'+' && behind.has(Flags::SPACE)
                || behind.is_number() && behind.len() == 1 && next.has(Flags::SPACE)
        });
    let finding = document.is_any(
        end,
        words![
            "positive",
            "negative",
            "pos",
            "neg",
            "absent",
            "present",
            "intact",
            "symmetric",
            "bilaterally",
            "grade",
            "stage",
            "type",
            "class",
            "level",
            "score",
            "index",
            "equivocal",
            "downgoing",
            "upgoing",
            "normal",
            "test",
            "distorted",
            "nad",
            "ve",
            "performed",
            "used",
            "elicited",
            "excluded",
            "applied",
            "bilat",
            "wnl",
            "unremarkable",
        ],
    ) || document.tokens[end - 1].word.is_eponym_name() && found_behind(document, end)
        || document.is(end, "x") && document.tokens.get(end + 1).is_some_and(Token::is_number)
        || document.tokens[end - 1].word.is_eponym_name()
            && document.is(end, "not")
            && document.is_any(end + 1, words!["planned", "used", "done", "seen", "elicited", "tested"]);
    let followed = small
        && !document.tokens.get(end + 1).is_some_and(|behind| {
            behind.is_capital() && !behind.has(Flags::SHOUTED.or(Flags::SENTENCE))
                || behind.is_sign(b'/')
                || behind.is_sign(b'-') && !document.tokens[end - 1].word.is_eponym_name()
        });
    let own = document.tokens[end - 1].word;
    let famous = !own.is_eponym_name()
        && (own.first_level() >= 15 || followed && own.is_first_name() && own.name_odds() > 1.0);
    if segment.names == 1
        && segment.initials == 0
        && !cued
        && !famous
        && (followed
            || grade
            || sign
            || finding
            || listed(document, segment)
            || own.is_eponym_name() && beside_eponym(document, segment))
        && score.certainty() < 0.9
    {
        score.lower(
            "number behind",
            next.start..next.end,
            if document.tokens[end - 1].word.is_eponym_name() { 0.75 } else { 0.5 },
        );
        return true;
    }
    false
}

/// Whether a dose starts at a token: "20 mg", "0.5 mg", "10/20 mg".
pub(super) fn dosed(document: &Document<'_>, at: usize) -> bool {
    let unit = (at..at + 6).find(|at| document.tokens.get(*at).is_none_or(|token| token.is_word()));
    let Some(token) = unit.and_then(|unit| document.tokens.get(unit)) else { return false };
    let unit = unit.unwrap_or(at);
    let joined = document.tokens[at..unit]
        .iter()
        .all(|token| token.is_number() || matches!(token.first, b'.' | b'/' | b'-' | b',' | b'%'));
    let capital = token.has(Flags::CAPITAL)
        && !document.is_any(
            unit,
            words!["iu", "mg", "mcg", "g", "gm", "ml", "units", "kg", "meq", "bid", "tid", "daily"],
        );
    token.is(cues::UNIT.or(cues::DOSE))
        && !document.is_any(unit, words!["months", "years", "weeks", "in", "m", "f"])
        && !capital
        && !token.has(Flags::LINE)
        && joined
        && document.same_line(at.saturating_sub(1), at)
}

/// Whether a word stands in a list between medical terms: "Kernig, Brudzinski, nuchal rigidity".
pub(super) fn listed(document: &Document<'_>, segment: &Segment) -> bool {
    let (first, end) = (segment.tokens.start, segment.tokens.end);
    let term = |token: &Token| {
        token.is_word()
            && (token.word.is_medical()
                || token.word.is_drug()
                || token.word.is_eponym()
                || token.has(Flags::UPPER) && token.word.is_shorthand())
    };
    let comma = |at: usize| {
        document.tokens.get(at).is_some_and(|token| token.is_sign(b','))
            || document.is_any(at, words!["and", "or"])
    };
    let before = first >= 2 && comma(first - 1) && term(&document.tokens[first - 2]);
    let behind = comma(end)
        && document.tokens.get(end + 1).is_some_and(|token| term(token) && !token.is(cues::RELATIVE));
    before && behind
}

/// Whether another eponym or a medical term is beside one, with a comma, a slash or "and" between:
/// "Barlow/Ortolani", "Weber and Rinne", "Charnley retractor, Hohmann".
fn beside_eponym(document: &Document<'_>, segment: &Segment) -> bool {
    let (first, end) = (segment.tokens.start, segment.tokens.end);
    let joint = |at: usize| {
        document.tokens.get(at).is_some_and(|token| token.is_sign(b',') || token.is_sign(b'/'))
            || document.is_any(at, words!["and", "or"])
    };
    let term = |at: usize| {
        document.tokens.get(at).is_some_and(|token| {
            token.is_word()
                && !token.has(Flags::LINE)
                && (token.word.is_eponym_name() && token.has(Flags::CAPITAL) && token.word.first_level() < 14
                    || token.word.is_medical()
                    || token.is(cues::EPONYM_HEAD) && !token.has(Flags::CAPITAL))
                && !token.is(cues::RELATIVE.or(cues::TITLE))
        })
    };
    joint(end) && term(end + 1) || first >= 2 && joint(first - 1) && term(first - 2)
}

/// Whether a name is all of a line or cell: nothing says there that it is an eponym.
fn fills_cell(document: &Document<'_>, segment: &Segment) -> bool {
    let tokens = &document.tokens;
    let (first, end) = (segment.tokens.start, segment.tokens.end);
    let edge = |token: &Token| token.has(Flags::LINE.or(Flags::GAP)) || token.is_sign(b'|');
    let starts = tokens[first].has(Flags::LINE.or(Flags::GAP))
        || first > 0 && matches!(tokens[first - 1].first, b'|' | b':') && !tokens[first - 1].is_word();
    starts && tokens.get(end).is_none_or(edge)
}

/// Lowers a word that a disease or sign is named after, without further evidence.
/// A possessive without what is his, as in "Gilbert's" or "Crohn's surveillance", is a disease.
pub(super) fn eponym(
    document: &Document<'_>,
    segment: &Segment,
    cued: bool,
    contextual: bool,
    score: &mut Score,
) {
    if cued {
        return;
    }
    let last = segment.tokens.end - 1;
    let word = document.tokens[last].word;
    let alone = segment.names == 1 && segment.initials == 0;
    let elliptic = document.tokens[last].has(Flags::POSSESSIVE)
        && document.tokens.get(last + 1).is_none_or(|next| {
            !next.is_word() || next.word.is_medical() || next.has(Flags::LINE) || next.word.is_function()
        });
    if alone && word.is_eponym() && score.certainty() < 0.93 {
        let share = if elliptic {
            0.6
        } else if word.first_level() > 14 {
            0.2
        } else {
            0.5
        };
        score.lower("eponym", document.bytes(last..last + 1), share);
    }
    let rare = word.first_level() < 14 || document.tokens[last].has(Flags::POSSESSIVE);
    if alone
        && !word.is_eponym()
        && word.is_eponym_name()
        && rare
        && !contextual
        && !fills_cell(document, segment)
    {
        let share = match () {
            _ if elliptic => 0.6,
            _ if word.last_level() >= 21 => 0.3,
            _ => 0.45,
        };
        score.lower("eponym", document.bytes(last..last + 1), share);
    }
    if alone && word.is_drug() && score.certainty() < 0.93 {
        score.lower("drug", document.bytes(last..last + 1), 0.7);
    }
}

/// The end of the longest phrase of medicine that starts at a token and is longer than a segment.
pub fn phrase(document: &Document<'_>, first: usize, tokens: &Range<usize>) -> Option<usize> {
    if !document.tokens[first].word.starts_phrase() {
        return None;
    }
    let mut known = lexicon().start_phrase();
    let mut best = None;
    for at in first..(first + 9).min(document.tokens.len()) {
        let token = &document.tokens[at];
        if token.has(Flags::PARAGRAPH) && at > first {
            break;
        }
        if !token.is_word() {
            if matches!(token.first, b'-' | b'.' | b'\'') || token.first == 0xe2 {
                continue;
            }
            break;
        }
        if at == first {
            known.add(document.word(at));
            continue;
        }
        let phrase = known.push(document.word(at));
        let term = phrase.is_medical() || phrase.is_eponym() || phrase.is_drug() || phrase.is_thing();
        if known.words() > 1 && term && at + 1 >= tokens.end {
            best = Some(at + 1);
        }
        if known.words() > 5 || !phrase.starts_phrase() {
            break;
        }
    }
    best
}

/// Whether some words are the end of a medical phrase whose first words are before them: "Ann
/// Arbor", "Factor V Leiden".
pub(super) fn phrase_before(document: &Document<'_>, at: usize, end: usize) -> bool {
    (1..=3).any(|back| {
        let Some(first) = at.checked_sub(back) else { return false };
        document.tokens[first].is_word()
            && document.same_line(first, at)
            && phrase(document, first, &(first..end)).is_some_and(|last| last >= end)
    })
}
