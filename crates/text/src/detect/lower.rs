//! Names in small letters behind a cue, as in hurried notes, and initials with dots.

use super::Rules;
use super::names;
use crate::candidates::{Candidates, Score};
use crate::cues::{self, Sets};
use crate::document::Document;
use crate::span::Kind;
use crate::token::{Flags, Token};
use crate::words::WordSet;

/// Proposes words in small letters behind titles, relatives and other cues.
pub fn find(document: &Document<'_>, found: &mut Candidates) {
    for cue in document.people_here() {
        let at = *cue as usize;
        let token = &document.tokens[at];
        typist(document, at, found);
        if !(token.cue.sets().any(Sets::CALLED) || token.is(cues::RELATIVE.or(cues::ROLE))) {
            continue;
        }
        let next = document.tokens.get(at + 1).map_or(at + 1, |next| at + 1 + usize::from(!next.is_word()));
        if !document.tokens.get(next).is_some_and(|following| {
            following.is_word()
                && !following.has(Flags::CAPITAL)
                && (!following.word.is_function() || token.is(cues::RELATIVE) && document.is(next, "of"))
        }) {
            continue;
        }
        let (rule, unknown, named) = match () {
            // "228 ms, right": a unit.
            _ if token.is(cues::UNIT) && at > 0 && document.tokens[at - 1].is_number() => continue,
            _ if is_short_title(document, at) => ("title", 0.93, 0.95),
            _ if token.is(cues::RELATIVE) => ("relative", 0.72, 0.85),
            _ if document.is_any(at, GREETINGS) => ("word before a person", 0.74, 0.85),
            _ if document.is_any(at, WORKERS) => ("word before a person", 0.66, 0.82),
            _ if document.is(at, "with") => ("word before a person", 0.5, 0.8),
            _ if token.is(cues::ROLE) => ("role", 0.5, 0.8),
            _ => continue,
        };
        let mut next = at + 1;
        while next < at + 3
            && document
                .tokens
                .get(next)
                .is_some_and(|token| matches!(token.first, b'.' | b',' | b':') && !token.is_word())
        {
            next += 1;
        }
        // "the wife of gus papadakis".
        let of = usize::from(rule == "relative" && next == at + 1 && document.is(next, "of"));
        next += of;
        let Some(end) = name_end(document, next).or_else(|| titled(document, rule, next)) else { continue };
        let listed = document.tokens[next..end].iter().any(|token| token.word.is_known());
        // "with haemopneumothorax".
        if !listed && rule != "title" && names::looks_medical(document.word(next)) {
            continue;
        }
        let mut score = Score::new(rule, token.start..token.end, if listed { named } else { unknown });
        if end > next + 1 {
            score.raise("several names", document.bytes(next..end), 0.4);
        }
        if !listed && names::is_misspelled(document.word(next)) && rule != "title" {
            score.lower("near an ordinary word", document.bytes(next..end), 0.5);
        }
        found.add("person", Kind::Person, document.bytes(next..end), &score);
    }
    pairs(document, found);
    alone(document, found);
    last_initials(document, found);
}

/// Words beside initials of who typed.
pub(super) const TYPISTS: WordSet = words!["by", "initials", "typed", "dictated", "dictation", "transcribed"];

/// Initials of who dictated and typed: "Dictation 08.01.24, mck/typed jd 15.01.24", "Typed: KJM/pw".
fn typist(document: &Document<'_>, at: usize, found: &mut Candidates) {
    let tokens = &document.tokens;
    if !tokens[at].cue.sets().any(Sets::TYPIST) || !document.is_any(at, TYPISTS) {
        return;
    }
    let by = document.is(at, "by");
    let initials = document.is(at, "initials");
    let most = if by || initials { 5 } else { 10 };
    let sign = |at: usize, signs: &[u8]| {
        tokens.get(at).is_some_and(|token| !token.is_word() && signs.contains(&token.first))
    };
    for near in at + 1..(at + most).min(tokens.len()) {
        let token = &tokens[near];
        if token.line != tokens[at].line {
            break;
        }
        let letters = token.is_word()
            && (2..=3).contains(&token.len())
            && (token.has(Flags::UPPER) || !token.has(Flags::CAPITAL))
            && (initials && token.has(Flags::UPPER)
                || !(token.word.is_function() || token.word.is_common() || token.word.is_month()))
            && !token.is(cues::UNIT.or(cues::MONTH).or(cues::TITLE))
            && (!(token.is(cues::CREDENTIAL) && token.has(Flags::CAPITAL)) || initials && near == at + 1);
        // "Checked by: NM/PK".
        if by && !(letters && token.has(Flags::UPPER)) && !sign(near, b":/") {
            break;
        }
        if by && (token.word.is_medical() || token.word.is_shorthand() || token.has(Flags::SHOUTED)) {
            break;
        }
        let before = tokens[near - 1].is_number()
            || sign(near - 1, b":/,.")
            || document.is_any(near - 1, words!["by", "typed", "dictated", "transcribed", "per", "initials"]);
        let behind = tokens.get(near + 1).is_none_or(|next| {
            next.has(Flags::LINE.or(Flags::GAP)) || next.is_number() || sign(near + 1, b"/:.,;)(")
        });
        if letters && before && behind {
            let bytes = token.start..token.end;
            found.add("person", Kind::Person, bytes.clone(), &Score::new("typist", bytes, 0.76));
        }
    }
}

/// Initials in small letters at the end of a note: "-mj", "-c.v.", "AB/cd".
fn last_initials(document: &Document<'_>, found: &mut Candidates) {
    let tokens = &document.tokens;
    for line in document.lines_here() {
        let (first, end) = (line.first as usize, line.end as usize);
        let letters = |token: &Token| token.is_word() && token.len() <= 3 && !token.word.is_function();
        typed_below(document, first, end, found);
        let mut at = end;
        while at > first
            && end - at < 6
            && (letters(&tokens[at - 1]) || tokens[at - 1].is_sign(b'.'))
            && (at == end || !tokens[at].has(Flags::SPACE))
        {
            at -= 1;
        }
        if at == end || at == first && end - first > 1 {
            continue;
        }
        let dash = at > first
            && tokens[at - 1].is_sign(b'-')
            && !tokens[at].has(Flags::SPACE)
            && (tokens[at - 1].has(Flags::SPACE) || at >= 2 && tokens[at - 2].is_sign(b'-'));
        let slash = at > first
            && tokens[at - 1].is_sign(b'/')
            && at >= 2
            && letters(&tokens[at - 2])
            && at - 2 == first
            && end - at == 1;
        let last = &tokens[end - 1];
        // "… stable. SB/jm", "read back, 02/08 15:50 dlw", "see him in June. DJR".
        let typist = end >= first + 3
            && end - at == 1
            && tokens[end - 2].is_sign(b'/')
            && last.is_word()
            && !last.has(Flags::CAPITAL)
            && last.len() >= 2
            && tokens[end - 3].has(Flags::UPPER)
            && tokens[end - 3].len() <= 3
            && !tokens[end - 3].word.is_medical()
            && closes(tokens, end - 3, first);
        let signed = end - at == 1 && is_signed(document, at, first, end);
        if typist {
            let bytes = document.bytes(end - 3..end);
            found.add(
                "person",
                Kind::Person,
                bytes.clone(),
                &Score::new("initials under a note", bytes, 0.8),
            );
        } else if signed {
            let bytes = document.bytes(at..end);
            found.add(
                "person",
                Kind::Person,
                bytes.clone(),
                &Score::new("initials under a note", bytes, 0.72),
            );
        } else if dash && tokens[at..end].iter().any(|token| token.is_word()) {
            let score = Score::new("initials under a note", document.bytes(at..end), 0.76);
            found.add("person", Kind::Person, document.bytes(at..end), &score);
        } else if slash {
            let score = Score::new("initials under a note", document.bytes(first..end), 0.8);
            found.add("person", Kind::Person, document.bytes(first..end), &score);
        }
    }
}

/// Initials of who dictated and who typed at the start of a line: "WH/rjs   D: 07/18/2023".
fn typed_below(document: &Document<'_>, first: usize, end: usize, found: &mut Candidates) {
    let tokens = &document.tokens;
    if !(end > first + 3 && tokens[first].has(Flags::UPPER) && tokens[first + 1].is_sign(b'/')) {
        return;
    }
    let (dictated, typed, next) = (&tokens[first], &tokens[first + 2], &tokens[first + 3]);
    let letters = (2..=3).contains(&dictated.len())
        && dictated.is_word()
        && typed.is_word()
        && (2..=4).contains(&typed.len())
        && !typed.has(Flags::CAPITAL.or(Flags::SPACE))
        && !(typed.word.is_medical() || typed.word.is_shorthand() || typed.word.is_common());
    let dated =
        next.has(Flags::GAP) || next.is_number() || document.is_any(first + 3, words!["d", "t", "dd", "dt"]);
    if letters && dated && document.glued(first + 1) {
        let score = Score::new("typist", document.bytes(first..first + 3), 0.8);
        found.add("person", Kind::Person, document.bytes(first..first + 3), &score);
    }
}

/// Whether a sentence, a number or a time ends before a token of a line.
fn closes(tokens: &[Token], at: usize, first: usize) -> bool {
    at == first
        || tokens[at - 1].is_number()
        || matches!(tokens[at - 1].first, b'.' | b'!' | b'?' | b')') && !tokens[at - 1].is_word()
}

/// Whether the last word of a line is somebody's initials: at the end of the text behind a sentence,
/// or in small letters behind a date or time.
fn is_signed(document: &Document<'_>, at: usize, first: usize, end: usize) -> bool {
    let tokens = &document.tokens;
    let token = &tokens[at];
    let term =
        token.word.is_shorthand() || token.word.is_medical() || token.cue.classes != cues::Classes::NONE;
    let last = tokens[end..].iter().take(4).all(|token| !token.is_word() && !token.is_number())
        || !term && tokens[end].has(Flags::PARAGRAPH);
    let free = at > first && token.has(Flags::SPACE) && (2..=3).contains(&token.len()) && token.is_word();
    let word = token.word;
    if !free || word.is_function() || word.is_common() {
        return false;
    }
    let number = tokens[at - 1].is_number();
    if !token.has(Flags::CAPITAL) {
        // Behind a date or a time, and not a unit or shorthand.
        let part = at >= 2 && matches!(tokens[at - 2].first, b'/' | b':' | b'-') && document.glued(at - 1);
        let thanks = document.is_any(at - 1, words!["tks", "thx", "ta", "thanks", "cheers", "rgds", "bw"]);
        return (number && part || thanks)
            && token.cue.classes == cues::Classes::NONE
            && !(word.is_medical() || word.is_shorthand());
    }
    let degree = token.is(cues::CREDENTIAL) || word.is_state_code() && number;
    let sentence = matches!(tokens[at - 1].first, b'.' | b'!' | b'?') && !tokens[at - 1].is_word();
    let time = number && at >= 2 && matches!(tokens[at - 2].first, b'/' | b':') && document.glued(at - 1);
    token.has(Flags::UPPER) && !token.has(Flags::SHOUTED) && last && (sentence || time) && !degree
}

/// Shortened words and words of games that are names with a capital: "max 118", "last brady".
const SHORTENED: WordSet = words![
    "max", "brady", "app", "apps", "mah", "cal", "val", "rad", "dom", "dex", "chi", "sal", "pam", "tram",
    "sol", "orth", "mal", "ox", "dal", "lev", "carb", "cam", "vic", "aline", "asia", "reg", "mel",
];

/// Words in small letters that no list has, or that are only names, without a cue before them.
fn alone(document: &Document<'_>, found: &mut Candidates) {
    for at in document.lowers_here().iter().map(|at| *at as usize) {
        let token = &document.tokens[at];
        let word = token.word;
        // Most words are ordinary ones or terms, which matter behind a preposition only, and are not
        // listed.
        let behind = at > 0 && document.tokens[at - 1].is(cues::BEFORE_PLACE);
        let small = token.is_word()
            & !token.has(Flags::CAPITAL.or(Flags::SINGLE).or(Flags::CASELESS))
            & (token.len() >= 3);
        let usual = !word.is_common() & ((word.first_level() >= 9) | (word.last_level() >= 11));
        let unknown = !word.is_known() & (token.cue.classes == cues::Classes::NONE);
        let place = behind & (!word.is_function() | !word.is_common());
        if !(small & (usual | unknown | place)) {
            continue;
        }
        let listed = usual
            && is_lower_name(token)
            && !document.is_any(at, SHORTENED)
            && (!word.is_city() || word.last_level() >= 21 || word.first_level() >= 19);
        let placed = behind && document.is_any(at - 1, words!["in", "from", "near"]);
        if placed
            && word.is_city()
            && !word.is_common()
            && !listed
            && word.population() >= 500
            && stands_free(document, at)
        {
            let score = Score::new("place in small letters", document.bytes(at - 1..at + 1), 0.6);
            found.add("city", Kind::City, token.start..token.end, &score);
        }
        let ending = placed
            && document.is_any(
                at + 1,
                words![
                    "springs", "falls", "beach", "heights", "creek", "valley", "hills", "grove", "bay",
                    "vert", "junction",
                ],
            )
            && document.same_line(at, at + 1);
        if ending && !word.is_function() && !word.is_medical() {
            let score = Score::new("place in small letters", document.bytes(at - 1..at + 2), 0.62);
            found.add("city", Kind::City, document.bytes(at..at + 2), &score);
        }
        if (listed || unknown) && stands_free(document, at) {
            judge(document, at, listed, found);
        }
    }
}

/// Whether blanks or ends of a phrase are around a word: no part of a code, an address or a
/// compound.
fn stands_free(document: &Document<'_>, at: usize) -> bool {
    let token = &document.tokens[at];
    let before = at.checked_sub(1).map(|before| &document.tokens[before]);
    // "coscaskou-wuslumia": two such words with a hyphen.
    let compound = |sign: Option<&Token>, other: Option<&Token>| {
        sign.is_some_and(|sign| sign.is_sign(b'-') && !sign.has(Flags::SPACE))
            && other.is_some_and(|other| is_lower_name(other) || other.is(cues::PARTICLE))
    };
    let left = token.has(Flags::SPACE)
        || at >= 2 && compound(before, document.tokens.get(at - 2))
        || before.is_some_and(|before| {
            matches!(before.first, b'(' | b'"' | b'-') && !before.is_word() && before.has(Flags::SPACE)
        });
    let next = document.tokens.get(at + 1);
    let right = next.is_none_or(|next| {
        next.has(Flags::SPACE)
            || matches!(next.first, b',' | b';' | b')' | b'"' | b':' | b'!' | b'?' | b'.')
                && document.tokens.get(at + 2).is_none_or(|behind| behind.has(Flags::SPACE))
    });
    left && (right
        || token.has(Flags::POSSESSIVE)
        || compound(next, document.tokens.get(at + 2)) && document.glued(at + 2))
}

fn judge(document: &Document<'_>, at: usize, listed: bool, found: &mut Candidates) {
    let token = &document.tokens[at];
    let text = document.word(at);
    let term = |at: usize| {
        document.tokens.get(at).is_some_and(|token| {
            token.is_word()
                && (token.word.is_medical() || token.word.is_drug())
                && !token.is(cues::AFTER_PERSON.or(cues::RELATIVE))
                && !token.has(Flags::LINE)
        })
    };
    // "in the hartmann pouch", "after a whipple": procedures and signs in small letters.
    let head = document
        .tokens
        .get(at + 1)
        .is_some_and(|next| next.is_word() && next.is(cues::EPONYM_HEAD) && !next.has(Flags::LINE));
    let article = at > 0 && document.is_any(at - 1, words!["the", "a", "an", "no", "of", "s/p"]);
    let eponym = token.word.is_eponym_name() || token.word.is_eponym();
    let phrase = super::person::phrase(document, at, &(at..at + 1)).is_some();
    if head && (eponym || !listed) || eponym && article || phrase {
        return;
    }
    if !listed && inflected(text) && !token.has(Flags::POSSESSIVE) {
        return;
    }
    if !listed && !token.has(Flags::POSSESSIVE) && (term(at + 1) || at > 0 && term(at - 1)) {
        return;
    }
    if !listed && (names::looks_medical(text) || names::is_misspelled(text)) {
        return;
    }
    let (rule, certainty) = if listed {
        ("list of names", 0.72)
    } else {
        ("unknown word", if token.len() >= 5 { 0.52 } else { 0.4 })
    };
    let mut score = Score::new(rule, token.start..token.end, certainty);
    if let Some(degree) = super::person::credential(document, at + 1) {
        score.raise("degree", document.bytes(degree..degree + 1), 0.8);
    }
    let next = document.tokens.get(at + 1);
    if token.has(Flags::POSSESSIVE) {
        score.raise("possessive", token.start..token.end, 0.4);
    } else if let Some(next) = next.filter(|next| next.is_word() && next.is(cues::AFTER_PERSON)) {
        score.raise("verb behind", next.start..next.end, 0.4);
    }
    let line = document.line(at).map_or(0..0, |line| line.first as usize..line.end as usize);
    if line.len() <= 3
        && document.tokens[line.clone()].iter().all(|token| is_lower_name(token) || !token.is_word())
    {
        score.raise("alone on its line", document.bytes(line), 0.6);
    } else if token.has(Flags::SENTENCE) {
        score.raise("starts a sentence", token.start..token.end, 0.3);
    }
    let before = at.checked_sub(1);
    if before.is_some_and(|before| {
        document.is_any(
            before,
            words!["for", "ask", "asked", "by", "saw", "and", "with", "from", "to", "is", "in", "at"],
        )
    }) && !listed
    {
        score.raise("word before a person", before.map_or(0..0, |before| document.bytes(before..at)), 0.4);
    }
    let beside = |at: usize| {
        document
            .tokens
            .get(at)
            .is_some_and(|token| is_lower_name(token) && !names::is_misspelled(document.word(at)))
    };
    if beside(at + 1) || before.is_some_and(beside) {
        score.raise("several names", document.bytes(at..at + 1), 0.5);
    }
    let first = initial_before(document, at);
    if first < at {
        score.raise("initial", document.bytes(first..at), 0.6);
    }
    found.add("person", Kind::Person, document.bytes(first..at + 1), &score);
}

/// Whether a word has an ending of English or medical words and hardly of names.
fn inflected(word: &str) -> bool {
    const ENDINGS: &[&str] = &[
        "ing", "ated", "tion", "sion", "ness", "ment", "less", "ical", "onic", "aris", "alis", "oids",
        "ular", "ised", "ized", "ally", "inal", "itis", "osis", "ectomy", "ograph", "amide", "idine",
    ];
    word.len() >= 7 && ENDINGS.iter().any(|ending| word.ends_with(ending))
}

/// The first token of an initial before a name in small letters, and of the name before it: "v.
/// o'sirett", "zavomor o. strairvham".
fn initial_before(document: &Document<'_>, at: usize) -> usize {
    let tokens = &document.tokens;
    let particles = super::places::particles(document, at);
    let dot = particles >= 2
        && tokens[particles - 1].is_sign(b'.')
        && tokens[particles - 2].has(Flags::SINGLE)
        && document.same_line(particles - 2, at);
    if !dot {
        return particles;
    }
    let initial = particles - 2;
    match initial.checked_sub(1).filter(|before| {
        is_lower_name(&tokens[*before])
            && document.same_line(*before, at)
            && !tokens[initial].has(Flags::SENTENCE)
    }) {
        Some(before) => before,
        None => initial,
    }
}

/// The end of a name behind a title that is also an ordinary word, or hardly known.
fn titled(document: &Document<'_>, rule: &str, first: usize) -> Option<usize> {
    let next = document.tokens.get(first + 1);
    let closed = next.is_none_or(|next| {
        !next.is_word() && !next.is_number() && next.first != b'-' || next.is(cues::AFTER_PERSON)
    });
    let relative = rule == "relative"
        && closed
        && document.tokens.get(first).is_some_and(|token| token.word.first_level() >= 14);
    let token = document.tokens.get(first).filter(|token| {
        (rule == "title" || relative) && token.is_word() && !token.has(Flags::CAPITAL.or(Flags::SINGLE))
    })?;
    let word = token.word;
    let named = word.is_first_name() || word.is_last_name();
    let term = word.is_medical()
        || word.is_drug()
        || word.is_function()
        || word.is_heading()
        || token.cue.classes.0 & !cues::NAME_FILLER.0 != 0;
    // "because doctor late", "doctor aware".
    let doctor = first > 0 && document.is(first - 1, "doctor") && word.is_common() && word.name_odds() < 0.0;
    (named && !term && !doctor && !token.has(Flags::PARAGRAPH)).then_some(first + 1)
}

fn is_short_title(document: &Document<'_>, at: usize) -> bool {
    document.is_any(at, TITLES)
}

/// Short titles.
pub(super) const TITLES: WordSet =
    words!["dr", "mr", "mrs", "ms", "miss", "prof", "herr", "frau", "mme", "drs", "doctor"];

/// Words that name or greet somebody.
pub(super) const GREETINGS: WordSet =
    words!["hey", "hi", "hello", "dear", "thx", "thanks", "cc", "named", "called", "pt"];

/// Words before somebody who works in health care.
pub(super) const WORKERS: WordSet = words!["by", "per", "nurse", "rn", "md", "np", "pa", "tech", "aide"];

/// The end of up to three words in small letters that are unknown or names.
fn name_end(document: &Document<'_>, first: usize) -> Option<usize> {
    let mut end = first;
    while end < first + 2
        && document.tokens.get(end).is_some_and(|token| {
            token.is(cues::PARTICLE)
                && document.is_any(
                    end,
                    words!["de", "la", "van", "der", "von", "den", "al", "el", "di", "da", "del"],
                )
                && !token.has(Flags::CAPITAL)
        })
    {
        end += 1;
    }
    if end > first && !document.tokens.get(end).is_some_and(is_lower_name) {
        return None;
    }
    while end < first + 4
        && document.tokens.get(end).is_some_and(|token| {
            is_lower_name(token) && (end == first || !token.has(Flags::PARAGRAPH.or(Flags::GAP)))
        })
    {
        end += 1;
    }
    (end > first && !document.tokens[first].has(Flags::PARAGRAPH)).then_some(end)
}

/// Whether a word in small letters is unknown or hardly anything but a name.
pub fn is_lower_name(token: &Token) -> bool {
    let word = token.word;
    let plain = token.is_word() && !token.has(Flags::CAPITAL.or(Flags::SINGLE)) && token.len() > 1;
    let listed =
        (word.is_first_name() || word.is_last_name()) && (word.name_odds() >= 0.6 || !word.is_common());
    let term =
        word.is_medical() || word.is_drug() || word.is_shorthand() || word.is_function() || word.is_heading();
    plain && !term && (listed || !word.is_known()) && token.cue.classes == cues::Classes::NONE
}

/// Two names in a row in small letters: "wanda crutchfield".
fn pairs(document: &Document<'_>, found: &mut Candidates) {
    for at in document.lowers_here().iter().map(|at| *at as usize) {
        let (first, Some(second)) = (&document.tokens[at], document.tokens.get(at + 1)) else { continue };
        let sure = first.word.first_level() >= 8 && first.word.name_odds() >= 1.0;
        let last = second.word.last_level() > 0 && second.word.name_odds() >= 0.8 || !second.word.is_known();
        if sure
            && is_lower_name(first)
            && is_lower_name(second)
            && last
            && !second.has(Flags::GAP)
            && first.line == second.line
        {
            let score = Score::new("two names in small letters", document.bytes(at..at + 2), 0.82);
            found.add("person", Kind::Person, document.bytes(at..at + 2), &score);
        }
    }
}

/// Initials behind a dash at the end of a note: "-Q.M.", "-TN".
fn signature(document: &Document<'_>, first: usize, end: usize, found: &mut Candidates) {
    let dash = first > 0
        && document.tokens[first - 1].is_sign(b'-')
        && document.tokens[first - 1].has(Flags::SPACE)
        || first > 1 && document.tokens[first - 1].is_sign(b'-') && document.tokens[first - 2].is_sign(b'-');
    let dot = usize::from(
        document.tokens.get(end).is_some_and(|token| token.is_sign(b'.') && !token.has(Flags::SPACE)),
    );
    let last = document.tokens.get(end + dot).is_none_or(|next| next.has(Flags::LINE));
    let short = document.bytes(first..end).len() <= 5
        && document.tokens[first..end].iter().all(|token| {
            !token.is_word() || token.has(Flags::SINGLE) || token.has(Flags::UPPER) && token.len() <= 3
        });
    if dash && last && short && !document.glued(first + 1) | (end == first + 1) | (end == first + 3) {
        let bytes = document.bytes(first..end + dot);
        found.add("person", Kind::Person, bytes.clone(), &Score::new("initials under a note", bytes, 0.78));
    }
}

/// Proposes three initials with dots: "J.R.M.".
pub fn initials(document: &Document<'_>, found: &mut Candidates) {
    for run in document.runs_here().iter().filter(|run| run.rules.any(Rules::INITIALS)) {
        let (first, end) = (run.first as usize, run.end as usize);
        let single = |at: usize| {
            document.tokens.get(at).is_some_and(|token| token.is_capital() && token.has(Flags::SINGLE))
        };
        let dot = |at: usize| {
            document.tokens.get(at).is_some_and(|token| token.is_sign(b'.') && !token.has(Flags::SPACE))
        };
        // "Happy to repeat. P.R.": at the end of a paragraph, behind a sentence.
        let behind = document.tokens.get(end + 1);
        let closing = end - first == 3
            && single(first)
            && dot(first + 1)
            && single(first + 2)
            && dot(end)
            && document.tokens[first].has(Flags::SPACE)
            && first >= 2
            && matches!(document.tokens[first - 1].first, b'.' | b'!' | b'?' | b')')
            && document.tokens[first - 2].len() > 3
            && behind
                .is_none_or(|next| next.has(Flags::PARAGRAPH) || next.has(Flags::LINE) && !next.is_word());
        if closing {
            let bytes = document.bytes(first..end + 1);
            found.add(
                "person",
                Kind::Person,
                bytes.clone(),
                &Score::new("initials under a note", bytes, 0.74),
            );
            continue;
        }
        let spelled = end - first == 5
            && (0..5).all(|place| if place % 2 == 0 { single(first + place) } else { dot(first + place) });
        let before = first.checked_sub(1).map(|at| &document.tokens[at]);
        let cue = before.is_some_and(|token| {
            token.is(cues::BEFORE_PERSON.or(cues::RELATIVE).or(cues::TITLE).or(cues::KEY_PERSON))
        });
        // "(Marco, Dottie, J.P.)".
        let listed = before.is_some_and(|token| matches!(token.first, b',' | b'(') && !token.is_word())
            && document
                .tokens
                .get(end + 1)
                .is_some_and(|next| matches!(next.first, b',' | b')') && !next.is_word());
        let label = document.tokens.get(end + 1).is_some_and(|next| next.is_sign(b':') || next.is_number());
        if label {
            continue;
        }
        signature(document, first, end, found);
        if spelled && dot(end) {
            let known = document.is(first, "u") && document.is(first + 2, "s");
            let bytes = document.bytes(first..end + 1);
            let score = Score::new("initials", bytes.clone(), if known { 0.2 } else { 0.74 });
            found.add("person", Kind::Person, bytes, &score);
        } else if end - first == 3
            && (cue || listed)
            && single(first)
            && dot(first + 1)
            && single(first + 2)
            && dot(end)
        {
            let known = document.is(first, "u")
                || document.is_any(first, words!["m", "b", "d"])
                    && document.is_any(first + 2, words!["d", "s", "a", "o", "m", "b"])
                || document.is(first, "p");
            let bytes = document.bytes(first..end + 1);
            let score = Score::new("initials", bytes.clone(), if known { 0.2 } else { 0.72 });
            found.add("person", Kind::Person, bytes, &score);
        }
    }
}
