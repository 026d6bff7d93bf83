//! What the words around a name say: titles and relatives before it, degrees and verbs behind it,
//! closings and greetings.

use super::*;
use crate::words::WordSet;

/// Lowers an ordinary word at the start of a sentence with an article behind it: "Mark the site".
pub(super) fn verb(document: &Document<'_>, segment: &Segment, score: &mut Score) {
    let token = &document.tokens[segment.tokens.start];
    let next = segment.tokens.end;
    if segment.tokens.len() != 1 || segment.title.is_some() || !token.word.is_common() {
        return;
    }
    let object = document.is_any(
        next,
        words![
            "the", "a", "an", "her", "his", "this", "that", "any", "all", "to", "of", "with", "for", "on",
            "in",
        ],
    );
    if segment.tokens.len() == 1
        && segment.title.is_none()
        && token.has(Flags::SENTENCE.or(Flags::SHOUTED))
        && token.word.is_common()
        && token.word.name_odds() < 1.0
        && object
    {
        score.lower("verb or noun", document.bytes(next..next + 1), 0.6);
    }
    let noun = document.tokens.get(next).is_some_and(|next| {
        next.is_word()
            && !next.has(Flags::CAPITAL)
            && !next.is(cues::AFTER_PERSON)
            && !next.word.is_function()
    });
    let possessive = document.tokens[next - 1].has(Flags::POSSESSIVE);
    if segment.tokens.len() == 1
        && segment.title.is_none()
        && (token.has(Flags::SENTENCE) || segment.best.1.sort == Sort::Both && token.word.name_odds() < 0.5)
        && token.word.is_common()
        && noun
        && !possessive
        && !object
    {
        // "Frank haematuria".
        let term = document.tokens[next].word.is_medical();
        score.lower("adjective", document.bytes(next..next + 1), if term { 0.7 } else { 0.4 });
    }
}

/// The nearest word before a token, over signs that join, and its distance in tokens.
pub(super) fn word_before(document: &Document<'_>, first: usize) -> Option<usize> {
    let from = first.saturating_sub(4);
    let mut at = first;
    while at > from {
        at -= 1;
        let token = &document.tokens[at];
        if token.is_word() {
            return (!document.tokens[first].has(Flags::PARAGRAPH)).then_some(at);
        }
        if !matches!(token.first, b',' | b'(' | b':' | b'"' | b'-' | b'.' | b'\'' | b'=' | b'/' | 0xe2) {
            return None;
        }
    }
    None
}

/// What people do, in capitals: "RN Foley", "MW K. Bishop", "PHARMD DUY PHAM".
const PROFESSIONS: WordSet = words![
    "np", "pa", "rn", "md", "ra", "gp", "sn", "dn", "hca", "sho", "fy", "cnm", "mw", "hv", "cpn", "odp",
    "pharmd", "crna", "cna", "lpn", "lvn", "rmn", "rgn", "nnp", "pnp", "aprn", "sw", "lcsw", "slp", "phn",
    "emt", "anp", "spr", "hmo", "jmo", "rmo", "smo", "cnc", "cns", "hcsw", "hsw", "dc", "pc", "pcso", "rep",
    "psw", "en", "een", "ain", "chw", "hcw",
];
/// What is done with people: "handover from Joy", "chaperoned by Faith".
const HANDED: WordSet = words![
    "handover",
    "handed",
    "report",
    "spoke",
    "speaking",
    "spoken",
    "relieved",
    "chaperoned",
    "escorted",
    "accompanied",
    "discussed",
    "talked",
    "chatted",
    "meeting",
    "swapped",
    "message",
    "text",
    "email",
    "call",
    "phoned",
    "texted",
    "messaged",
    "assisted",
    "supervised",
    "helped",
    "collected",
    "brought",
    "cared",
];
/// What stands behind a family: "the Lancaster family".
const FAMILIES: WordSet = words![
    "family",
    "families",
    "boy",
    "boys",
    "girl",
    "girls",
    "child",
    "children",
    "twins",
    "twin",
    "household",
    "brothers",
    "sisters",
    "couple",
    "parents",
    "baby",
    "case",
    "kids",
    "home",
    "house",
    "residence",
    "estate",
    "clan",
];

/// Whether one word behind "the" is rather a thing: "stop driving the Camry".
fn is_thing(document: &Document<'_>, segment: &Segment) -> bool {
    let end = segment.tokens.end;
    segment.tokens.len() == 1
        && segment.title.is_none()
        && !document.tokens[end - 1].has(Flags::POSSESSIVE.or(Flags::SHOUTED))
        && document.tokens[end - 1].word.first_level() < 14
        && !document.word(end - 1).ends_with('s')
        && !document.is_any(end, FAMILIES)
}

const STRONG: WordSet = words![
    "by",
    "dear",
    "cc",
    "bcc",
    "hi",
    "hello",
    "hey",
    "attn",
    "attention",
    "named",
    "called",
    "nicknamed",
    "nee",
    "aka",
    "alias",
    "re",
    "signed",
    "liebe",
    "lieber",
    "geehrte",
    "geehrter",
    "thanks",
    "per",
    "told",
    "asked",
    "pt",
    "patient",
    "phoned",
    "paged",
    "met",
];

/// Raises by what is before a segment. Returns whether a person is expected there.
pub(super) fn before(document: &Document<'_>, segment: &Segment, score: &mut Score) -> bool {
    let first = segment.title.unwrap_or(segment.tokens.start);
    // "PC 4471 Drummond": an officer with a number.
    let officer = first >= 2
        && document.tokens[first - 1].is_number()
        && document.tokens[first - 1].len() >= 3
        && document
            .is_any(first - 2, words!["pc", "dc", "ps", "ds", "constable", "officer", "wpc", "sgt", "pcso"])
        && document.same_line(first - 2, first);
    if officer {
        score.raise("officer with a number", document.bytes(first - 2..first), 0.7);
        return true;
    }
    let Some(at) = word_before(document, first) else {
        return closing(document, segment, score);
    };
    let classes = document.classes(at);
    let evidence = document.bytes(at..at + 1);
    let ended = document.tokens[at + 1..first].iter().any(|token| token.is_sign(b'.'))
        && document.tokens[at].len() > 3;
    let near = document.same_line(at, first) || !document.tokens[first].has(Flags::GAP);
    if ended || !near {
        return closing(document, segment, score);
    }
    // "His uncle is Bertil", "the owner was Ann".
    let copula = document.is_any(at, words!["is", "was"])
        && at > 0
        && document.tokens[at - 1].is(cues::RELATIVE.or(cues::ROLE));
    if copula {
        score.raise("relative", document.bytes(at - 1..at + 1), 0.7);
        return true;
    }
    // "pulses by Doppler".
    let method = segment.title.is_none() && segment.names == 1 && segment.initials == 0 && {
        let word = document.tokens[first].word;
        word.is_medical() && word.is_eponym()
    };
    if method && document.is_any(at, words!["by", "per", "via", "with", "on"]) {
        return false;
    }
    if classes.any(cues::BEFORE_PERSON.or(cues::GREETING)) && document.is_any(at, STRONG) {
        score.raise("word before a person", evidence, 0.75);
        return true;
    } else if classes.any(cues::RELATIVE) {
        score.raise("relative", evidence, 0.7);
        return true;
    } else if classes.any(cues::ROLE) {
        score.raise("role", evidence, 0.6);
        // "interpreter Foley": somebody, whatever else is named after him.
        return at + 1 == first && !document.tokens[first].has(Flags::LINE.or(Flags::GAP));
    } else if classes.any(cues::TITLE)
        && segment.title.is_none()
        && document.tokens[at].has(Flags::CAPITAL)
        // "14 Fr Foley": a size.
        && !(at > 0 && document.tokens[at - 1].is_number())
    {
        score.raise("title", evidence, 0.85);
    } else if document.tokens[at].has(Flags::UPPER)
        && document.is_any(at, PROFESSIONS)
        && !document.tokens[first].has(Flags::LINE.or(Flags::GAP))
    {
        score.raise("profession", evidence, 0.6);
        return at + 1 == first || document.tokens[at + 1].is_sign(b'.');
    } else if document.is_any(at, words!["to", "with", "by", "from"])
        && at > 0
        && (document.is(at - 1, "over") || document.is_any(at - 1, HANDED))
    {
        score.raise("handed over to somebody", document.bytes(at - 1..at + 1), 0.6);
        return true;
    } else if classes.any(cues::KEY_PERSON)
        && document.tokens[at].has(Flags::LINE)
        && document.tokens[at].is_capital()
    {
        score.raise("key of a person", evidence, 0.4);
    } else if classes.any(cues::BEFORE_PERSON) {
        score.raise("word before a person", evidence, 0.25);
    } else if document.is_any(at, words!["a", "an"])
        && segment.names == 1
        && !document.tokens[at + 1].is_sign(b'.')
        || document.is(at, "the") && is_thing(document, segment)
    {
        score.lower("article", evidence, 0.45);
    } else {
        return closing(document, segment, score);
    }
    false
}

/// Raises a line by itself behind a closing formula: a signature.
pub(super) fn closing(document: &Document<'_>, segment: &Segment, score: &mut Score) -> bool {
    let Some(line) = document.tokens.get(segment.tokens.start).map(|token| token.line as usize) else {
        return false;
    };
    let start = document.lines[line].first as usize == segment.tokens.start || segment.title.is_some();
    let closes = |line: &&Line| {
        let tokens = &document.tokens[line.first as usize..line.end as usize];
        line.bytes < 50 && tokens.iter().any(|token| token.is(cues::CLOSING))
    };
    let alone = start && document.lines[line].bytes < 60;
    let mut above = document.lines[line.saturating_sub(4)..line].iter().rev();
    if alone && let Some(above) = above.find(closes) {
        score.raise("signature", document.bytes(above.first as usize..above.end as usize), 0.7);
        return true;
    }
    // "Rgds, Rob", "Ta, Col.", "Cheers Bob.": the last words of a message.
    let first = segment.tokens.start;
    let comma = 1 + usize::from(first > 0 && document.tokens[first - 1].is_sign(b','));
    let goodbye = first >= comma
        && document.tokens[first - comma].is(cues::CLOSING)
        && document.tokens[first - comma].has(Flags::LINE.or(Flags::SENTENCE))
        && document.same_line(first - comma, first);
    let dot = usize::from(document.tokens.get(segment.tokens.end).is_some_and(|dot| dot.is_sign(b'.')));
    if goodbye && document.tokens.get(segment.tokens.end + dot).is_none_or(|next| next.has(Flags::LINE)) {
        score.raise("signature", document.bytes(first - comma..first), 0.75);
        return true;
    }
    // A greeting without "Dear": "Welo - the results are in".
    let end = segment.tokens.end;
    let dash = document.tokens.get(end).is_some_and(|token| {
        token.is_sign(b',') && document.lines[line].bytes < 40
            || token.is_sign(b'-') && token.has(Flags::SPACE)
            || token.first == 0xe2 && token.has(Flags::SPACE) && !token.is_word()
    });
    if start
        && dash
        && document.tokens[segment.tokens.start].has(Flags::PARAGRAPH)
        && segment.tokens.len() <= 2
    {
        score.raise("greeting", document.bytes(end..end + 1), 0.5);
        return true;
    }
    // A message in a chat: "[12/03/24, 06:51] Jas: morning".
    let chat = segment.tokens.start > 0
        && document.tokens[segment.tokens.start - 1].is_sign(b']')
        && document.tokens.get(end).is_some_and(|token| token.is_sign(b':'));
    if chat {
        score.raise("sender of a message", document.bytes(end..end + 1), 0.8);
    }
    chat
}

/// Raises by what is behind a segment: degrees, verbs, relatives of the person.
pub(super) fn behind(document: &Document<'_>, segment: &Segment, score: &mut Score) {
    let end = segment.tokens.end;
    if let Some(degree) = credential(document, end) {
        score.raise("degree", document.bytes(degree..degree + 1), 0.85);
        return;
    }
    let Some(next) = document.tokens.get(end).filter(|next| !next.has(Flags::PARAGRAPH)) else { return };
    let evidence = next.start..next.end;
    let possessive = document.tokens[end - 1].has(Flags::POSSESSIVE);
    if next.is_word() && possessive && next.is(cues::RELATIVE) {
        score.raise("relative behind", evidence, 0.6);
    } else if next.is_word()
        && next.is(cues::AFTER_PERSON)
        && (!next.has(Flags::CAPITAL) || next.has(Flags::SHOUTED))
        && !possessive
    {
        score.raise("verb behind", evidence, 0.4);
    } else if next.is_sign(b',')
        && document.is_any(end + 1, words!["her", "his", "the", "my", "their", "a", "our"])
        && document.tokens.get(end + 2).is_some_and(|token| token.is(cues::RELATIVE.or(cues::ROLE)))
    {
        score.raise("relative behind", document.bytes(end + 1..end + 3), 0.75);
    } else if document.is(end, "and")
        && document.tokens.get(end + 1).is_some_and(|token| {
            let eponyms = token.word.is_eponym_name() && document.tokens[end - 1].word.is_eponym_name();
            token.is_capital()
                && !eponyms
                && (document.is(end + 1, "i") || nameness(document, end + 1).prior >= 0.6)
        })
    {
        score.raise("joined with a name", document.bytes(end..end + 2), 0.5);
    } else if possessive
        && next.is_word()
        && !next.has(Flags::CAPITAL)
        && segment.best.1.sort != Sort::Both
        && !document.tokens[end - 1].word.is_eponym_name()
    {
        score.raise("possessive", document.bytes(end - 1..end), 0.3);
    } else if next.is_sign(b'(')
        && document.tokens.get(end + 1).is_some_and(|token| token.is(cues::RELATIVE) || token.is_number())
    {
        score.raise("brackets behind", document.bytes(end..end + 2), 0.3);
    }
}

/// The token of a degree behind a name: "M.D.", ", RN", "MD".
pub fn credential(document: &Document<'_>, end: usize) -> Option<usize> {
    let comma = usize::from(document.tokens.get(end).is_some_and(|token| token.is_sign(b',')));
    let at = end + comma;
    let token = document
        .tokens
        .get(at)
        .filter(|token| token.is_capital() && !token.has(Flags::PARAGRAPH.or(Flags::LINE)))?;
    let dotted = token.has(Flags::SINGLE)
        && document.tokens.get(at + 1).is_some_and(|dot| dot.is_sign(b'.'))
        && document
            .tokens
            .get(at + 2)
            .is_some_and(|next| next.is_word() && !next.has(Flags::SPACE) && next.len() <= 2);
    let degree = token.is(cues::CREDENTIAL)
        && (token.has(Flags::UPPER.or(Flags::MIXED)) || document.is_any(at, words!["jr", "sr"]));
    (dotted && (comma > 0 || matches!(token.first, b'M' | b'D' | b'R' | b'P')) || degree).then_some(at)
}
