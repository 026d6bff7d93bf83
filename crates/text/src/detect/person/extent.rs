//! Where a name begins and ends: initials, particles, directions, and "Last, First".

use super::*;

/// The first of up to two initials before the particles of a name: "S. van der Poroault".
pub(super) fn initials_before(document: &Document<'_>, first: usize) -> usize {
    let mut start = first;
    for _ in 0..2 {
        let dot =
            usize::from(start > 0 && document.tokens[start - 1].is_sign(b'.') && document.glued(start - 1));
        let Some(at) = start.checked_sub(1 + dot) else { break };
        let token = &document.tokens[at];
        let joined = !document.tokens[start]
            .has(Flags::PARAGRAPH.or(Flags::GAP).or(Flags::LINE).or(Flags::SENTENCE))
            && document.same_line(at, start)
            && (dot > 0 || document.tokens[at + 1].has(Flags::SPACE));
        if !(token.is_capital()
            && token.has(Flags::SINGLE)
            && joined
            && !matches!(token.first, b'A' | b'I') | (dot > 0))
        {
            break;
        }
        start = at;
    }
    start
}

/// The first token with directions and adjectives in capitals before a name: "North Drestead", "Big
/// Pete".
pub(super) fn widened(document: &Document<'_>, first: usize) -> usize {
    let Some(before) = first.checked_sub(1).map(|before| &document.tokens[before]) else { return first };
    let own = before.is_capital()
        && !before.has(Flags::UPPER.or(Flags::SHOUTED).or(Flags::SENTENCE))
        && !document.tokens[first].has(Flags::LINE.or(Flags::GAP));
    let place = before.is_capital()
        && before.is(cues::DIRECTION.or(cues::NAME_FILLER))
        && before.len() > 2
        && !document.tokens[first].has(Flags::LINE.or(Flags::GAP))
        && !before.word.is_function();
    let word = before.word;
    // "Wen Li, PharmD": a first name that is also a word.
    let given = before.is_capital()
        && !before.has(Flags::UPPER.or(Flags::SHOUTED).or(Flags::SINGLE))
        && !document.tokens[first].has(Flags::LINE.or(Flags::GAP))
        && document.tokens[first].has(Flags::SPACE)
        && word.first_level() >= 10
        && !word.is_function()
        && !before.is(cues::TITLE.or(cues::MONTH).or(cues::NOBODY));
    let adjective = own
        && word.is_common()
        && !word.is_medical()
        && !word.is_function()
        && !word.is_heading()
        && before.cue.classes == Classes::NONE;
    if adjective || given || place && !document.is_key(first - 1) { first - 1 } else { first }
}

/// The end with words in capitals that names of places have behind an unknown word: "Kleresk
/// Heights".
pub(super) fn fillers(document: &Document<'_>, segment: &Segment, end: usize) -> usize {
    let mut end = end;
    let unknown = segment.best.1.sort == Sort::Unknown;
    while unknown
        && end < segment.tokens.end + 2
        && document.tokens.get(end).is_some_and(|token| {
            token.is_capital()
                && !token.has(Flags::LINE.or(Flags::GAP).or(Flags::UPPER))
                && token.is(cues::NAME_FILLER.or(cues::STREET_SUFFIX))
                && token.len() > 2
                && !token.word.is_function()
                && !token.word.is_medical()
        })
    {
        end += 1;
    }
    end
}

/// Joins "Last, First" where a form, a table or capitals make it likely.
pub(super) fn reversed(document: &Document<'_>, segment: &Segment, score: &mut Score) -> Range<usize> {
    let tokens = &segment.tokens;
    let end = tokens.end;
    let comma = document.tokens.get(end).is_some_and(|token| token.is_sign(b',') && !token.has(Flags::SPACE));
    let next = document.tokens.get(end + 1).filter(|next| next.is_capital() && !next.has(Flags::LINE));
    if !comma || next.is_none() || segment.title.is_some() || segment.names > 3 {
        return tokens.clone();
    }
    let other = nameness(document, end + 1);
    let token = &document.tokens[end + 1];
    let title = token.is(cues::TITLE) && document.tokens.get(end + 2).is_some_and(|dot| dot.is_sign(b'.'));
    if title
        || credential(document, end).is_some()
        || !(other.is_nameable() || other.sort == Sort::Acronym && token.len() >= 3)
        || other.sort == Sort::Initial && segment.names == 0
    {
        return tokens.clone();
    }
    let first = tokens.start;
    let before = first.checked_sub(1).map(|before| &document.tokens[before]);
    let cell = document.tokens[first].has(Flags::LINE.or(Flags::GAP))
        || before
            .is_some_and(|before| matches!(before.first, b':' | b'|' | b'(' | b'#') && !before.is_word());
    // "Ordering Feingold, S": behind a key without its colon.
    let cell = cell || before.is_some_and(|before| before.is(cues::KEY_PERSON) && before.has(Flags::LINE));
    let upper = document.tokens[first].has(Flags::UPPER) && token.has(Flags::UPPER);
    let keyed = document.field_of(first).is_some_and(|field| field.all.any(cues::KEY_PERSON));
    let state = crate::detect::state::is_code(document, token) || token.word.is_state();
    if state && !keyed
        || !(cell || upper || keyed)
        || before.is_some_and(|b| b.is(cues::BEFORE_PLACE) && !b.is(cues::BEFORE_PERSON))
    {
        return tokens.clone();
    }
    score.raise("last name, first name", document.bytes(tokens.start..end + 2), 0.6);
    let mut last = end + 2;
    // Further names and initials of the same run.
    while document.tokens.get(last).is_some_and(|token| {
        token.is_capital()
            && !token.has(Flags::LINE.or(Flags::GAP))
            && (token.has(Flags::SINGLE) || nameness(document, last).is_nameable())
            && !token.is(cues::CREDENTIAL)
    }) {
        last += 1;
    }
    tokens.start..last
}

/// The end with the name of a father behind "son of" or "daughter of": "Shalini d/o Muthusamy",
/// "Ravi s/o K. Pillai", "Devi a/p Raman".
pub(super) fn descent(document: &Document<'_>, end: usize) -> usize {
    let tokens = &document.tokens;
    let letter = |at: usize, letters: &[u8]| {
        tokens.get(at).is_some_and(|token| {
            token.is_word() && token.has(Flags::SINGLE) && letters.contains(&(token.first | 0x20))
        })
    };
    let slash = tokens.get(end + 1).is_some_and(|sign| sign.is_sign(b'/'));
    if !slash || !(letter(end, b"ds") && letter(end + 2, b"o") || letter(end, b"a") && letter(end + 2, b"lp"))
    {
        return end;
    }
    let mut last = end;
    for at in end + 3..end + 8 {
        let Some(token) = tokens.get(at).filter(|token| !token.has(Flags::LINE.or(Flags::GAP))) else {
            break;
        };
        if token.is_word() && token.is_capital() && !token.word.is_function() {
            last = at + 1;
        } else if !(token.is_sign(b'.') && tokens[at - 1].has(Flags::SINGLE)) {
            break;
        }
    }
    last
}

/// The start with what a relative is called, behind what he or she is: "her mother Yiayia Despina".
pub(super) fn kin(document: &Document<'_>, start: usize) -> usize {
    let tokens = &document.tokens;
    let called = start >= 2
        && tokens[start - 1].is(cues::RELATIVE)
        && tokens[start - 1].is_capital()
        && tokens[start - 2].is(cues::RELATIVE)
        && !tokens[start].has(Flags::LINE.or(Flags::GAP))
        && !tokens[start - 1].has(Flags::LINE.or(Flags::GAP))
        && !tokens[start - 1].has(Flags::SHOUTED);
    if called { start - 1 } else { start }
}

/// Proposes a name in brackets behind itself in another script: "Tan Siew Eng (陈秀英)".
pub(super) fn other_script(document: &Document<'_>, end: usize, found: &mut Candidates) {
    let tokens = &document.tokens;
    if !tokens.get(end).is_some_and(|sign| sign.is_sign(b'(')) {
        return;
    }
    let words =
        tokens[end + 1..].iter().take(4).take_while(|token| token.is_word() && token.has(Flags::CASELESS));
    let last = end + 1 + words.count();
    if last > end + 1 && tokens.get(last).is_some_and(|sign| sign.is_sign(b')')) {
        let score = Score::new("name in another script", document.bytes(end..last + 1), 0.8);
        found.add("person", Kind::Person, document.bytes(end + 1..last), &score);
    }
}
