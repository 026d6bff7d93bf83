//! Names that a form, a chat or an age behind them says.

use super::*;
use crate::words::WordSet;

/// A name that is also an ordinary word, with an age behind it: "Dot is a 7 year old".
pub(super) fn introduced(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let end = run.end as usize;
    if !(document.is_any(end, words!["is", "was"]) && document.is_any(end + 1, words!["a", "an"])) {
        return;
    }
    let last = &document.tokens[end - 1];
    let named = last.word.is_first_name() || last.word.is_last_name() || !last.word.is_known();
    let aged = document
        .tokens
        .get(end + 2)
        .is_some_and(|token| token.is_number() && token.len() <= 3 || token.is(cues::NUMBER));
    let nobody = last.is(cues::NOBODY.or(cues::KEY_PERSON).or(cues::HEADING))
        || last.word.is_function()
        || last.has(Flags::SINGLE);
    if named && aged && !nobody {
        let score = Score::new("age behind", document.bytes(end..end + 3), 0.82);
        found.add("person", Kind::Person, document.bytes(end - 1..end), &score);
    }
}

/// A name behind a relative, whatever else the word means: "her sister Peg", "his son, Chase,".
pub(super) fn behind_relative(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let (mut first, end) = (run.first as usize, run.end as usize);
    owner(document, end, found);
    // "Granddaughter Autumn drives him".
    if document.tokens[first].is(cues::RELATIVE) && first + 1 < end {
        first += 1;
    }
    let token = &document.tokens[first];
    let word = token.word;
    let comma = usize::from(first > 0 && document.tokens[first - 1].is_sign(b','));
    let Some(relative) = first.checked_sub(1 + comma).filter(|at| document.tokens[*at].is(cues::RELATIVE))
    else {
        return;
    };
    // "Sister Mary Joseph nodule".
    if phrase(document, relative, &(relative..first + 1)).is_some() {
        return;
    }
    let named = word.is_first_name() || word.is_last_name() && comma == 0;
    // "great-grandson T-Boy".
    let lettered = token.has(Flags::SINGLE) && end - first == 3 && document.tokens[first + 1].is_sign(b'-');
    if lettered && comma == 0 && document.tokens[first + 2].len() > 1 {
        let score = Score::new("relative", document.bytes(relative..relative + 1), 0.76);
        found.add("person", Kind::Person, document.bytes(first..end), &score);
        return;
    }
    let plain = !token.has(Flags::UPPER.or(Flags::SENTENCE).or(Flags::SHOUTED).or(Flags::SINGLE))
        && !word.is_function()
        && !token.is(cues::NOBODY.or(cues::MONTH).or(cues::WEEKDAY));
    // "his son, Chase, came": behind a comma the name is closed.
    let closed = comma == 0
        || document
            .tokens
            .get(end)
            .is_none_or(|next| matches!(next.first, b',' | b'.' | b')') && !next.is_word());
    if named && plain && closed && end - first <= 3 && document.same_line(relative, first) {
        let score = Score::new("relative", document.bytes(relative..relative + 1), 0.82);
        found.add("person", Kind::Person, document.bytes(first..first + 1), &score);
    }
}

/// An ordinary word that somebody is called and that has a relative: "Marvel's daughter rang".
fn owner(document: &Document<'_>, end: usize, found: &mut Candidates) {
    let token = &document.tokens[end - 1];
    let word = token.word;
    let relative = document.tokens.get(end).is_some_and(|next| {
        next.is(cues::RELATIVE) && !next.has(Flags::CAPITAL.or(Flags::LINE)) && !next.is(cues::AGE)
    });
    if token.has(Flags::POSSESSIVE)
        && relative
        && word.first_level() >= 6
        && !token.has(Flags::UPPER.or(Flags::SHOUTED))
        && token.cue.classes == Classes::NONE
        && !(word.is_medical() || word.is_function() || word.is_occupation() || word.is_heading())
    {
        let score = Score::new("relative behind", document.bytes(end - 1..end + 1), 0.76);
        found.add("person", Kind::Person, token.start..token.end, &score);
    }
}

/// A name in quotes: a nickname behind "known as", or a first name in capitals.
pub(super) fn quoted(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let tokens = &document.tokens;
    let (first, end) = (run.first as usize, run.end as usize);
    let quote = |at: usize| {
        tokens.get(at).is_some_and(|token| !token.is_word() && matches!(token.first, b'"' | b'\'' | 0xe2))
    };
    if first == 0 || !quote(first - 1) || !quote(end) || end - first > 2 {
        return;
    }
    let cue = first.checked_sub(2).is_some_and(|at| {
        document.is_any(at, words!["as", "aka", "called", "nicknamed", "alias", "by", "named"])
            && !(document.is(at, "as")
                && !(at > 0 && document.is_any(at - 1, words!["known", "himself", "herself"])))
    });
    let word = tokens[first].word;
    let given =
        end - first == 1 && word.first_level() >= 12 && word.name_odds() > 1.0 && !word.is_eponym_name();
    if cue || given {
        let score = Score::new("name in quotes", document.bytes(first..end), if cue { 0.8 } else { 0.7 });
        found.add("person", Kind::Person, document.bytes(first..end), &score);
    }
}

/// A nickname behind a first name, in quotes or brackets: `Tyrone "Tee"`, "Leonard (Len) Bright",
/// `CONSTANCE ("CONNIE")`, "A. J. (Riaan) Botha".
pub(super) fn nicknamed(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let tokens = &document.tokens;
    let (first, end) = (run.first as usize, run.end as usize);
    let sign = |at: usize, signs: &[u8]| {
        tokens.get(at).is_some_and(|token| !token.is_word() && signs.contains(&token.first))
    };
    let quoted = first > 0 && sign(first - 1, b"\"\xe2") && sign(end, b"\"\xe2");
    let bracketed = first > 0 && sign(first - 1, b"(") && sign(end, b")");
    if !(quoted || bracketed) || end - first > 3 {
        return;
    }
    let opened = if quoted && first >= 2 && sign(first - 2, b"(") { first - 2 } else { first - 1 };
    let mut before = opened;
    while before > 0 && sign(before - 1, b".") {
        before -= 1;
    }
    // `"Nobby" Clarke`.
    let followed = tokens.get(end + 1).is_some_and(|next| {
        next.is_capital()
            && next.has(Flags::SPACE)
            && !next.has(Flags::LINE.or(Flags::UPPER))
            && next.word.last_level() >= 8
            && next.word.name_odds() > 1.0
    });
    if quoted
        && followed
        && end - first == 1
        && !tokens[first].has(Flags::UPPER)
        && !tokens[first].word.is_medical()
    {
        let score = Score::new("nickname", document.bytes(first - 1..end + 2), 0.76);
        found.add("person", Kind::Person, document.bytes(first..end), &score);
        return;
    }
    let Some(name) = before.checked_sub(1).map(|at| &tokens[at]) else { return };
    let given = name.word.first_level() >= 6 && name.word.name_odds() > 0.0 || !name.word.is_known();
    let initial = before < opened && name.has(Flags::SINGLE);
    let last = quoted && name.word.is_last_name() && name.word.name_odds() > 0.0;
    let called = name.is_capital()
        && document.same_line(before, first)
        && (initial || (given || last) && name.len() > 1 && name.cue.classes == Classes::NONE)
        && !(name.word.is_medical() || name.word.is_drug() || name.word.is_eponym() || name.word.is_thing());
    let usual = (first..end).all(|at| {
        let token = &tokens[at];
        let word = token.word;
        !token.is_word()
            || !(word.is_function()
                || !quoted && (word.is_medical() || word.is_drug() || word.is_shorthand()))
                && !token.is(cues::NOBODY.or(cues::RELATIVE).or(cues::CREDENTIAL).or(cues::MONTH))
                && (quoted || !token.has(Flags::UPPER) || name.has(Flags::UPPER))
                && token.len() > 1
    });
    let word = tokens[first].word;
    // Brackets also hold places, roles and diagnoses.
    let likely = quoted
        || word.is_first_name() && word.name_odds() > 0.0 && (name.word.is_first_name() || initial)
        || !word.is_known()
            && tokens.get(end + 1).is_some_and(|next| next.is_capital() && next.has(Flags::SPACE));
    // "A. J. (Riaan) Botha": the initials, too.
    let mut start = before;
    while initial && start > 0 && (tokens[start - 1].has(Flags::SINGLE) || sign(start - 1, b".")) {
        start -= 1;
    }
    if called && usual && likely && start < before {
        let score = Score::new("initials before a nickname", document.bytes(start..end + 1), 0.8);
        found.add("person", Kind::Person, document.bytes(start..opened), &score);
    }
    if called && usual && likely {
        let score = Score::new("nickname", document.bytes(before - 1..end + 1), 0.8);
        found.add("person", Kind::Person, document.bytes(first..end), &score);
    }
}

/// A cell of a list with a last and a first name in capitals, and a sex or a date in the next one:
/// "JALLOH HAMZA   M   14.03.15".
pub(super) fn listed_in_capitals(document: &Document<'_>, line: &Line, found: &mut Candidates) {
    let tokens = &document.tokens;
    let (first, stop) = (line.first as usize, line.end as usize);
    if !tokens[first].has(Flags::UPPER) {
        return;
    }
    let end = (first + 1..stop).find(|at| tokens[*at].has(Flags::GAP)).unwrap_or(stop);
    let name = |token: &Token| {
        let word = token.word;
        token.is_word()
            && token.has(Flags::UPPER)
            && (word.is_first_name() || word.is_last_name() || !word.is_known())
            && !(word.is_medical() || word.is_drug() || word.is_heading() || word.is_function())
            && token.cue.classes == Classes::NONE
    };
    let sex =
        tokens.get(end).is_some_and(|token| matches!(token.first, b'M' | b'F') && token.has(Flags::SINGLE));
    let date = tokens.get(end).is_some_and(|token| token.is_number() && token.len() <= 2)
        && tokens.get(end + 1).is_some_and(|sign| matches!(sign.first, b'.' | b'/' | b'-'));
    if end < stop && (2..=4).contains(&(end - first)) && (sex || date) && tokens[first..end].iter().all(name)
    {
        let score = Score::new("list of people", document.bytes(first..end + 1), 0.84);
        found.add("person", Kind::Person, document.bytes(first..end), &score);
    }
}

/// A family: "the Thompsons".
pub(super) fn family(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let at = run.first as usize;
    let token = &document.tokens[at];
    let the = at > 0 && document.is(at - 1, "the") && run.end - run.first == 1;
    let Some(stem) = document.word(at).strip_suffix('s').filter(|stem| the && stem.len() >= 4) else {
        return;
    };
    let word = lexicon().word(stem);
    let free = document.tokens.get(at + 1).is_none_or(|next| !next.is_word() || next.word.is_function());
    if word.last_level() >= 14
        && word.name_odds() > 1.0
        && free
        && !token.has(Flags::UPPER)
        && !word.is_eponym_name() | (word.last_level() >= 22)
    {
        let score = Score::new("family", document.bytes(at - 1..at + 1), 0.72);
        found.add("person", Kind::Person, token.start..token.end, &score);
    }
}

/// Names with ages in a list: "(Jayden 9, Aaliyah 6)".
pub(super) fn listed_ages(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let tokens = &document.tokens;
    let (first, end) = (run.first as usize, run.end as usize);
    let opened = first > 0 && matches!(tokens[first - 1].first, b'(' | b',') && !tokens[first - 1].is_word();
    let age = tokens.get(end).is_some_and(|age| age.is_number() && age.len() <= 2 && !age.has(Flags::LINE));
    let months = document.is_any(end + 1, words!["months", "mo", "mos", "weeks", "yrs", "years", "y"]);
    let close = end + 1 + usize::from(months);
    let closed = tokens.get(close).is_some_and(|sign| matches!(sign.first, b',' | b')') && !sign.is_word());
    let name = tokens[first].word;
    if opened
        && age
        && closed
        && end - first <= 2
        && name.is_first_name()
        && !tokens[first].has(Flags::UPPER)
        && name.name_odds() > 0.3
        && !name.is_eponym_name()
        && !name.is_drug()
    {
        let score = Score::new("age behind", document.bytes(end..close), 0.76);
        found.add("person", Kind::Person, document.bytes(first..end), &score);
    }
}

/// The sender of a message in a chat, whatever its words are: "[12/03/24, 06:51] Dev P: morning".
pub(super) fn sender(document: &Document<'_>, run: &Run, found: &mut Candidates) {
    let (first, end) = (run.first as usize, run.end as usize);
    let bracket = first > 0 && document.tokens[first - 1].is_sign(b']');
    let colon = document.tokens.get(end).is_some_and(|token| token.is_sign(b':'));
    if bracket && colon && end - first <= 4 {
        let score = Score::new("sender of a message", document.bytes(first - 1..end + 1), 0.86);
        found.add("person", Kind::Person, document.bytes(first..end), &score);
    }
}

/// Keys whose value is something else than a person although a word of them is a key of a person.
const OTHER_HEADS: Classes = cues::KEY_DATE
    .or(cues::KEY_PHONE)
    .or(cues::KEY_ADDRESS)
    .or(cues::KEY_EMPLOYER)
    .or(cues::KEY_OCCUPATION)
    .or(cues::KEY_CITY)
    .or(cues::KEY_STATE)
    .or(cues::KEY_POSTAL)
    .or(cues::KEY_AGE)
    .or(cues::KEY_SCHOOL)
    .or(cues::KEY_ACCOUNT);

/// Proposes a key that is a name: the speaker of a line in a chat.
pub(super) fn speaker(document: &Document<'_>, field: &Field, found: &mut Candidates) {
    let (first, end) = (field.key.start as usize, field.key.end as usize);
    let name = |token: &Token| {
        let word = token.word;
        token.is_word()
            && token.cue.classes == Classes::NONE
            && (!word.is_known()
                || (word.is_first_name() || word.is_last_name())
                    && (word.name_odds() > 0.3 || !word.is_common()))
            && !word.is_medical()
            && !word.is_shorthand()
            && !word.is_thing()
    };
    // "Endoscopist:", "Indication:": what somebody does is no name.
    let text = document.word(end.saturating_sub(1));
    if ["ist", "ists", "tion", "ing", "ment"].iter().any(|ending| text.len() > 6 && text.ends_with(ending)) {
        return;
    }
    let initial = |at: usize| at > first && document.tokens[at].has(Flags::SINGLE);
    if end > first
        && end - first <= 2
        && document.tokens[first].has(Flags::LINE)
        && (first..end).all(|at| name(&document.tokens[at]) || initial(at))
        && !document.tokens[first].has(Flags::UPPER.or(Flags::SINGLE))
    {
        let score = Score::new("speaker", document.bytes(first..end + 1), 0.74);
        found.add("person", Kind::Person, document.bytes(first..end), &score);
    }
}

/// The keys of a chat: words before a colon at the start of lines that come back. One that can be a
/// name is somebody who writes, even if it is short for something else: "Mo:".
pub(super) fn speakers(document: &Document<'_>, found: &mut Candidates) {
    let keys = document.fields.iter().filter_map(|field| {
        let at = field.key.start as usize;
        let token = &document.tokens[at];
        (field.key.len() == 1 && token.has(Flags::LINE) && token.len() > 1).then_some((token.hash, at))
    });
    // "drbatt 09:43: whats her temp?".
    let timed = document.lines.iter().filter_map(|line| {
        let at = line.first as usize;
        let token = &document.tokens[at];
        let sign = |at: usize| document.tokens.get(at).is_some_and(|sign| sign.is_sign(b':'));
        let number =
            |at: usize| document.tokens.get(at).is_some_and(|time| time.is_number() && time.len() <= 2);
        let timed = number(at + 1) && sign(at + 2) && number(at + 3);
        (token.is_word() && token.len() > 1 && timed && document.same_line(at, at + 3))
            .then_some((token.hash, at))
    });
    let mut keys: Vec<(u64, usize)> = keys.chain(timed).collect();
    keys.dedup();
    if keys.len() < 4 {
        return;
    }
    keys.sort_unstable();
    for same in keys.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() >= 2) {
        let token = &document.tokens[same[0].1];
        let word = token.word;
        let name = !word.is_known() || word.is_first_name() || word.last_level() >= 12;
        let heading = token.is(cues::HEADING.or(cues::KEY_PERSON).or(OTHER_HEADS).or(cues::KEY_WARD))
            || token.is(cues::INSTITUTION_HEAD.or(cues::ROLE).or(cues::KEY_RECORD).or(cues::RELATIVE))
            || word.is_heading()
            || word.is_medical()
            || word.is_drug()
            || word.is_function();
        let shouted = token.has(Flags::UPPER) && (word.is_shorthand() || token.len() <= 4);
        if name && !heading && !shouted {
            for (_, at) in same {
                let score = Score::new("speaker", document.bytes(*at..*at + 2), 0.84);
                found.add("person", Kind::Person, document.bytes(*at..*at + 1), &score);
            }
        }
    }
}

/// Proposes the value of a key of a person, in any case.
pub(super) fn in_field(document: &Document<'_>, field: &Field, found: &mut Candidates) {
    speaker(document, field, found);
    initials_alone(document, field, found);
    let person = field.head.any(cues::KEY_PERSON)
        && (!field.head.any(OTHER_HEADS) || field.all.any(cues::KEY_PERSON) && field.value.len() <= 8);
    if !person || field.numbered {
        return;
    }
    let (mut at, end) = (field.value.start as usize, field.value.end as usize);
    while at < end && document.tokens[at].is(cues::TITLE.or(cues::ROLE)) && at + 1 < end {
        at += 1 + usize::from(document.tokens[at + 1].is_sign(b'.'));
    }
    // "Scrub: S/N Maryam".
    let single =
        |at: usize| at < end && document.tokens[at].has(Flags::SINGLE) && document.tokens[at].is_word();
    if single(at) && at + 3 < end && document.tokens[at + 1].is_sign(b'/') && single(at + 2) {
        at += 3;
    }
    let first = at;
    let mut last = at;
    let (mut words, mut best) = (0, 0.0f32);
    while at < end && words < 6 {
        let token = &document.tokens[at];
        if !token.is_word() {
            let joins =
                matches!(token.first, b'.' | b'-' | b'\'' | 0xe2) || token.is_sign(b',') && words == 1;
            if !joins || token.has(Flags::GAP) {
                break;
            }
            at += 1;
            continue;
        }
        if token.is(cues::CREDENTIAL)
            && (token.has(Flags::UPPER) || token.len() <= 2)
            && words > 0
            && !document.tokens[at].has(Flags::SINGLE)
        {
            break;
        }
        // "HAILE, BABY GIRL": a child without a first name.
        let unnamed = words > 0
            && document
                .is_any(at, words!["baby", "boy", "girl", "infant", "twin", "male", "female", "newborn"]);
        let prior = if unnamed { 0.5 } else { value_prior(document, at) };
        if prior < 0.2 && !(token.is(cues::PARTICLE) && words > 0) {
            break;
        }
        best = best.max(prior);
        words += 1;
        at += 1;
        last = at;
    }
    if words == 0 || last <= first {
        return;
    }
    let mut score =
        Score::new("key of a person", document.bytes(field.key.start as usize..field.key.end as usize), best);
    if words > 1 {
        score.raise("several names", document.bytes(first..last), 0.4);
    }
    found.add("person", Kind::Person, document.bytes(first..last), &score);
}

/// Initials that are all of a value, or have a date behind them: "Histology: L.T.", "QC: TPW 5/6/24".
fn initials_alone(document: &Document<'_>, field: &Field, found: &mut Candidates) {
    let tokens = &document.tokens;
    let (first, end) = (field.value.start as usize, field.value.end as usize);
    let Some(token) = tokens.get(first).filter(|token| first < end && token.is_capital()) else { return };
    let dot = |at: usize| at < end && tokens[at].is_sign(b'.') && document.glued(at);
    let letter = |at: usize| at < end && tokens[at].is_capital() && tokens[at].has(Flags::SINGLE);
    if token.has(Flags::SINGLE) {
        let pairs =
            (0..3).take_while(|place| letter(first + 2 * place) && dot(first + 2 * place + 1)).count();
        let term = matches!(token.first, b'I' | b'N' | b'P' | b'S' | b'B' | b'U');
        if pairs >= 2 && first + 2 * pairs == end && !term {
            let score = Score::new("initials in a form", document.bytes(first..end), 0.72);
            found.add("person", Kind::Person, document.bytes(first..end), &score);
        }
        return;
    }
    let word = token.word;
    let date = tokens.get(first + 1).is_some_and(|number| number.is_number() && number.len() <= 2)
        && tokens.get(first + 2).is_some_and(|sign| matches!(sign.first, b'/' | b'-' | b'.'))
        && tokens.get(first + 3).is_some_and(Token::is_number)
        && tokens.get(first + 4).is_some_and(|sign| matches!(sign.first, b'/' | b'-' | b'.'))
        && end == first + 6;
    let letters = token.has(Flags::UPPER)
        && !token.has(Flags::SHOUTED)
        && (2..=3).contains(&token.len())
        && token.cue.classes == Classes::NONE
        && !(word.is_medical() || word.is_shorthand() || word.is_common() || word.is_function());
    if date && letters {
        let score = Score::new("initials in a form", document.bytes(first..end), 0.74);
        found.add("person", Kind::Person, token.start..token.end, &score);
    }
}

/// Offices that letters are addressed to instead of people.
const OFFICES: WordSet = words![
    "appeals",
    "claims",
    "billing",
    "records",
    "accounts",
    "reception",
    "admissions",
    "enquiries",
    "intake",
    "benefits",
    "membership",
    "referrals",
    "secretary",
    "secretaries",
    "underwriting",
    "disclosures",
    "finance",
    "payroll",
    "manager",
    "team",
    "separated",
    "divorced",
    "married",
    "single",
    "widowed",
    "engaged",
    "retired",
];

/// How much a word of such a value looks like a name: an ordinary word in small letters does not.
pub(super) fn value_prior(document: &Document<'_>, at: usize) -> f32 {
    let token = &document.tokens[at];
    let word = token.word;
    let named = word.is_first_name() || word.is_last_name();
    match () {
        // "Interpreter: N, but prefers Twi": no.
        _ if token.has(Flags::SINGLE)
            && matches!(token.first, b'N' | b'Y')
            && !document.tokens.get(at + 1).is_some_and(|next| next.is_sign(b'.') || next.is_capital()) =>
        {
            0.0
        }
        _ if token.has(Flags::SINGLE) && token.has(Flags::CAPITAL) => 0.5,
        _ if word.is_function() || token.is(cues::NOBODY) => 0.0,
        _ if token.has(Flags::SINGLE) => {
            if token.has(Flags::CAPITAL) {
                0.5
            } else {
                0.25
            }
        }
        _ if named && word.name_odds() > 0.3 => 0.93,
        // "Attn: Appeals", "Family: Separated from her".
        _ if document.is_any(at, OFFICES) => 0.05,
        _ if !named
            && word.is_common()
            && document.tokens.get(at + 1).is_some_and(|next| {
                next.is_word() && !next.has(Flags::CAPITAL) && !next.is(cues::PARTICLE)
            }) =>
        {
            0.1
        }
        _ if word.is_medical()
            || word.is_drug()
            || word.is_shorthand()
            || word.is_heading()
            || token.is(cues::HEADING) =>
        {
            0.1
        }
        // "Attn: Appeals", "Family: Separated": words that hardly anybody is called.
        _ if named
            && word.is_common()
            && word.name_odds() < -2.0
            && word.first_level().max(word.last_level()) <= 10 =>
        {
            0.15
        }
        _ if named && token.has(Flags::CAPITAL) => 0.88,
        _ if !word.is_known() => 0.9,
        _ if token.has(Flags::CAPITAL) && !word.is_common() => 0.8,
        _ if token.has(Flags::CAPITAL)
            && !token.has(Flags::SHOUTED)
            && token.cue.classes == Classes::NONE =>
        {
            0.6
        }
        _ if token.has(Flags::CAPITAL) && !token.has(Flags::SHOUTED) => 0.3,
        _ => 0.05,
    }
}
