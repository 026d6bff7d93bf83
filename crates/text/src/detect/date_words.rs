//! Dates in words: months by name in English, German, French, Spanish, Italian and Dutch, holidays,
//! seasons with a year, and days that are counted from them.

use super::date::{Written, year};
use crate::cues;
use crate::document::Document;
use crate::token::Flags;
use crate::words::WordSet;

/// A rule that raises a date, its share, and the first token of its evidence.
type Context = Option<(&'static str, f32, usize)>;

/// Calls back with every date in words.
pub fn find(document: &Document<'_>, found: &mut dyn FnMut(Written, Context)) {
    for cue in document.times_here() {
        let at = *cue as usize;
        let token = &document.tokens[at];
        let classes = token.cue.classes;
        if classes.any(cues::MONTH)
            && let Some(written) = month(document, at)
        {
            found(relative(document, written), None);
        }
        if classes.any(cues::HOLIDAY.or(cues::NAMED_DAY))
            && let Some(written) = holiday(document, at)
        {
            let written = relative(document, written);
            found(written, None);
        }
        if classes.any(cues::ORDINAL)
            && let Some(written) = spoken_day(document, at)
        {
            found(written, None);
        }
        if classes.any(cues::SEASON)
            && let Some(written) = season(document, at)
        {
            found(written, None);
        }
    }
    for code in document.codes_here() {
        if let Some(written) = ordinal_day(document, code.first as usize) {
            found(written, None);
        }
    }
}

/// Whether a word is a month here: names that are also words need a capital.
fn is_month(document: &Document<'_>, at: usize) -> bool {
    let token = &document.tokens[at];
    if !token.is(cues::MONTH) || token.cue.value == 0 {
        return false;
    }
    token.has(Flags::CAPITAL)
        || !document.is_any(
            at,
            words!["may", "march", "mar", "mars", "mai", "august", "sept", "dec", "mei", "jan", "aout"],
        )
}

/// A number of one or two digits from 1 to 31.
fn day(document: &Document<'_>, at: usize) -> Option<u32> {
    let token = document.tokens.get(at).filter(|token| token.is_number() && token.len() <= 2)?;
    let _ = token;
    document.word(at).parse().ok().filter(|day| (1..=31).contains(day))
}

/// The end of "st", "nd", "rd", "th" or a dot glued to a day.
fn suffix(document: &Document<'_>, end: usize) -> usize {
    let ending = document.glued(end) && document.is_any(end, words!["st", "nd", "rd", "th", "er", "e"]);
    end + usize::from(ending)
}

/// The date around a month.
fn month(document: &Document<'_>, at: usize) -> Option<Written> {
    if !is_month(document, at) {
        return None;
    }
    let number = u32::from(document.tokens[at].cue.value);
    let mut written = Written::new(at, at + 1, "month by name", 0.9);
    written.month = Some((at, number));
    day_before(document, at, &mut written);
    let dot = document.tokens.get(at + 1).is_some_and(|token| token.is_sign(b'.') && document.glued(at + 1));
    let mut next = at + 1 + usize::from(dot);
    if written.day.is_none() {
        next = day_behind(document, next, &mut written);
    }
    year_behind(document, next, &mut written);
    weekday(document, &mut written);
    if written.day.is_none() && written.year.is_none() {
        return None;
    }
    if written.day.is_some() {
        written.certainty = if written.year.is_some() { 0.97 } else { 0.87 };
    }
    // "May 20 mg" and "march 5 miles" are not dates.
    let measured = super::number::is_measured(document, written.end)
        && written.year.is_none()
        && !document.tokens[at].has(Flags::CAPITAL);
    (!measured).then_some(written)
}

/// "2 February", "2nd of February", "2. Februar", "06-Jun", "3-5 May", "twenty-first of May".
fn day_before(document: &Document<'_>, month: usize, written: &mut Written) {
    let tokens = &document.tokens;
    let same = |at: usize| document.same_line(at, month);
    let mut at = month;
    let step = |at: usize, words: WordSet| at > 0 && document.is_any(at - 1, words);
    if step(at, words!["of", "de", "di"]) {
        at -= 1;
    }
    if at > 0
        && (tokens[at - 1].is_sign(b'-')
            || tokens[at - 1].is_sign(b'.')
            || tokens[at - 1].is_sign(b'/')
            || tokens[at - 1].is_sign(b','))
        && same(at - 1)
    {
        at -= 1;
    }
    if at > 1 && document.is_any(at - 1, words!["st", "nd", "rd", "th", "er"]) && document.glued(at - 1) {
        at -= 1;
    }
    let Some(before) = at.checked_sub(1).filter(|before| same(*before)) else { return };
    if let Some(number) = day(document, before) {
        // "B3J 2K9" at the end of the line above.
        if before > 0 && document.glued(before) && tokens[before - 1].is_word() {
            return;
        }
        // "on 12 May" but not "1.2 May" or "x 3 May".
        let decimal = before > 0
            && document.glued(before)
            && matches!(tokens[before - 1].first, b'.' | b':' | b'/')
            && !tokens[before - 1].is_word()
            // "28/29 March".
            && !(tokens[before - 1].is_sign(b'/')
                && before.checked_sub(2).and_then(|at| day(document, at)).is_some_and(|first| first < number));
        if decimal {
            return;
        }
        // "BUN 12. May I suggest": the next sentence.
        let dotted =
            tokens[before + 1].is_sign(b'.') && document.is_any(month, words!["may", "march", "august"]);
        if dotted {
            return;
        }
        written.day = Some((before, number));
        written.first = range_start(document, before);
        return;
    }
    if tokens[before].is(cues::ORDINAL) && at < month {
        let tens = before
            .checked_sub(2)
            .filter(|tens| tokens[*tens].is(cues::NUMBER) && tokens[before - 1].is_sign(b'-'));
        written.day = Some((before, u32::from(tokens[before].cue.value)));
        written.first = tens.unwrap_or(before);
    }
}

/// The first token of "3-5", "3 to 5", "3/4" or "3 and 5" before a month.
fn range_start(document: &Document<'_>, last: usize) -> usize {
    let joined = last.checked_sub(1).is_some_and(|sign| {
        let token = &document.tokens[sign];
        (matches!(token.first, b'-' | b'/' | b'&' | 0xe2) && !token.is_word())
            || document.is_any(sign, words!["to", "and", "or", "bis", "und", "au", "et"])
    });
    let before = last.checked_sub(2).map(|before| {
        before
            - usize::from(
                before > 0
                    && (document.is_any(before, words!["st", "nd", "rd", "th"])
                        || document.tokens[before].is_sign(b'.')),
            )
    });
    match before
        .filter(|before| joined && day(document, *before).is_some() && document.same_line(*before, last))
    {
        Some(before) => before,
        None => last,
    }
}

/// "February 2", "Feb. 2nd", "May 3-5". Returns the token behind.
fn day_behind(document: &Document<'_>, next: usize, written: &mut Written) -> usize {
    let tokens = &document.tokens;
    let glue = usize::from(
        tokens
            .get(next)
            .is_some_and(|token| (token.is_sign(b'-') || token.is_sign(b'/')) && document.glued(next)),
    );
    let the = usize::from(document.is(next, "the"));
    let at = next + glue + the;
    if glue == 0 && the == 0 && document.glued(at) {
        return next;
    }
    let Some(number) = day(document, at).filter(|_| !tokens[at].has(Flags::PARAGRAPH)) else {
        if tokens.get(at).is_some_and(|token| token.is(cues::ORDINAL)) {
            let tens =
                tokens.get(at + 1).is_some_and(|token| token.is(cues::ORDINAL)) && tokens[at].cue.value >= 20;
            written.day = Some((at, u32::from(tokens[at].cue.value)));
            written.end = at + 1 + usize::from(tens);
            return spoken_year(document, written.end, written);
        }
        return next;
    };
    // "May 3:30" is a time.
    if tokens.get(at + 1).is_some_and(|token| token.is_sign(b':') && document.glued(at + 1)) {
        return next;
    }
    written.day = Some((at, number));
    written.end = suffix(document, at + 1);
    let range = written.end;
    let dash =
        tokens.get(range).is_some_and(|token| matches!(token.first, b'-' | 0xe2 | b'/') && !token.is_word())
            || document.is_any(range, words!["to", "and", "through", "thru"]);
    if dash
        && day(document, range + 1).is_some()
        && !tokens.get(range + 2).is_some_and(|t| t.is_sign(b'/') || t.is_sign(b':'))
        && !super::number::is_measured(document, range + 2)
    {
        written.end = suffix(document, range + 2);
    }
    written.end
}

/// "twenty twenty four", "nineteen ninety": a year in words. Returns the token behind.
fn spoken_year(document: &Document<'_>, next: usize, written: &mut Written) -> usize {
    let value = |at: usize| {
        document.tokens.get(at).filter(|token| token.is(cues::NUMBER)).map(|token| token.cue.value)
    };
    if !matches!(value(next), Some(19 | 20)) {
        return next;
    }
    let mut end = next + 1;
    while end < next + 3 && value(end).is_some() {
        end += 1;
    }
    if end > next + 1 {
        written.end = end;
    }
    written.end
}

/// ", 1994", "1994", "of 1993", "'94", "-2024".
fn year_behind(document: &Document<'_>, next: usize, written: &mut Written) {
    let tokens = &document.tokens;
    let mut at = next;
    let mut separated = false;
    for _ in 0..2 {
        let sign = tokens.get(at).is_some_and(|token| {
            matches!(token.first, b',' | b'-' | b'.' | b'/' | b'\'')
                && !token.is_word()
                && !token.has(Flags::PARAGRAPH)
        });
        let word = document.is_any(at, words!["of", "de", "in"]);
        if sign || word {
            separated |= tokens[at].is_sign(b'\'') || tokens[at].is_sign(b'-') || tokens[at].is_sign(b'/');
            at += 1;
        }
    }
    let Some(token) = tokens.get(at).filter(|token| token.is_number() && matches!(token.len(), 2 | 4)) else {
        return;
    };
    let number = document.word(at).parse().unwrap_or(0);
    // Two digits need a day before them, and no unit or time behind them.
    let day_known = written.day.is_some();
    let follows = tokens.get(at + 1).is_some_and(|next| {
        (next.is_sign(b':') || next.is_sign(b'%') || next.is_sign(b'/')) && document.glued(at + 1)
    });
    let plain = !follows && !super::number::is_measured(document, at + 1);
    let short = token.len() == 2
        && plain
        && (day_known && (separated || at == next) || separated && tokens[at - 1].is_sign(b'\''));
    if !(token.len() == 4 && !(follows && tokens[at + 1].is_sign(b':')) || short)
        || token.has(Flags::PARAGRAPH)
    {
        return;
    }
    if let Some(year) = year(number, token.len()) {
        written.year = Some((at, year));
        written.end = at + 1;
    }
}

/// A weekday before the date.
fn weekday(document: &Document<'_>, written: &mut Written) {
    let tokens = &document.tokens;
    let mut at = written.first;
    for _ in 0..2 {
        let skip = at > 0
            && (matches!(tokens[at - 1].first, b',' | b'.') && !tokens[at - 1].is_word()
                || document.is_any(at - 1, words!["the", "den", "der"]));
        at -= usize::from(skip);
    }
    let before = at
        .checked_sub(1)
        .filter(|before| tokens[*before].is(cues::WEEKDAY) && tokens[*before].has(Flags::CAPITAL));
    if let Some(before) =
        before.filter(|before| written.day.is_some() && document.same_line(*before, written.first))
    {
        written.weekday = Some(before);
        written.first = before;
    }
}

/// Days with a name of several words; the first word is a cue of any class or a common word.
const NAMED: &[&[&str]] = &[
    &["new", "year", "eve"],
    &["new", "year", "day"],
    &["new", "years", "eve"],
    &["new", "years", "day"],
    &["new", "year"],
    &["boxing", "day"],
    &["memorial", "day"],
    &["labor", "day"],
    &["labour", "day"],
    &["independence", "day"],
    &["veterans", "day"],
    &["columbus", "day"],
    &["presidents", "day"],
    &["martin", "luther", "king", "day"],
    &["mlk", "day"],
    &["mother", "day"],
    &["mothers", "day"],
    &["father", "day"],
    &["fathers", "day"],
    &["valentine", "day"],
    &["valentines", "day"],
    &["patrick", "day"],
    &["good", "friday"],
    &["ash", "wednesday"],
    &["palm", "sunday"],
    &["easter", "sunday"],
    &["easter", "monday"],
    &["christmas", "eve"],
    &["christmas", "day"],
    &["thanksgiving", "day"],
    &["groundhog", "day"],
    &["canada", "day"],
    &["australia", "day"],
    &["bastille", "day"],
    &["guy", "fawkes", "night"],
    &["bonfire", "night"],
    &["bank", "holiday"],
    &["all", "saints", "day"],
    &["election", "day"],
    &["cinco", "de", "mayo"],
    &["mardi", "gras"],
    &["super", "bowl", "sunday"],
    &["yom", "kippur"],
    &["rosh", "hashanah"],
    &["fourth", "of", "july"],
    &["july", "fourth"],
    &["heilig", "abend"],
    &["st", "nicholas", "day"],
    &["midsummer", "day"],
    &["whit", "monday"],
    &["pancake", "day"],
    &["burns", "night"],
    &["flag", "day"],
    &["patriots", "day"],
    &["remembrance", "day"],
    &["armistice", "day"],
    &["anzac", "day"],
    &["hogmanay"],
    &["queen", "birthday"],
    &["king", "birthday"],
    &["maundy", "thursday"],
    &["shrove", "tuesday"],
    &["holy", "week"],
    &["st", "patrick", "day"],
    &["saint", "patrick", "day"],
    &["st", "david", "day"],
    &["st", "george", "day"],
    &["st", "andrew", "day"],
    &["waitangi", "day"],
    &["victoria", "day"],
    &["chinese", "new", "year"],
    &["lunar", "new", "year"],
    &["black", "friday"],
];

/// The holiday that starts at a word.
fn holiday(document: &Document<'_>, at: usize) -> Option<Written> {
    let token = &document.tokens[at];
    if !token.has(Flags::CAPITAL) {
        return (token.is(cues::HOLIDAY)
            && document.is_any(at, words!["christmas", "thanksgiving", "xmas", "easter", "halloween"]))
        .then(|| Written::new(at, at + 1, "holiday", 0.75));
    }
    // The end of the words from here on, over apostrophes: "All Saints' Day".
    let matched = |words: &&[&str]| {
        let mut next = at;
        for word in *words {
            next += usize::from(
                next > at
                    && document
                        .tokens
                        .get(next)
                        .is_some_and(|sign| sign.is_sign(b'\'') || sign.first == 0xe2 && !sign.is_word()),
            );
            if !document.is(next, word) {
                return None;
            }
            next += 1;
        }
        document.same_line(at, next - 1).then_some(next - at)
    };
    let named = NAMED.iter().filter_map(matched).max();
    let end = match named {
        Some(words) => at + words,
        None if token.is(cues::HOLIDAY) && token.len() > 3 => at + 1,
        None => return None,
    };
    let mut written = Written::new(at, end, "holiday", 0.86);
    year_behind(document, end, &mut written);
    Some(written)
}

/// Adds "three days before", "the Tuesday after", "the week of" before a date or holiday.
fn relative(document: &Document<'_>, written: Written) -> Written {
    let tokens = &document.tokens;
    if written.year.is_some() && written.rule != "holiday" || written.is_coarse() {
        return written;
    }
    let before = |at: usize, words: WordSet| at > 0 && document.is_any(at - 1, words);
    let mut at = written.first;
    if before(at, words!["to"]) && at > 1 && document.is(at - 2, "prior") {
        at -= 2;
    } else if before(
        at,
        words!["before", "after", "following", "preceding", "past", "of", "since", "from", "until"],
    ) {
        at -= 1;
    } else {
        return written;
    }
    let unit = |token: &crate::token::Token| {
        token.is(cues::TIME_UNIT) || token.is(cues::WEEKDAY) && token.is_capital()
    };
    if at == 0 || !unit(&tokens[at - 1]) {
        return written;
    }
    at -= 1;
    let count = |token: &crate::token::Token| {
        token.is(cues::NUMBER.or(cues::ORDINAL)) || token.is_number() && token.len() <= 2
    };
    if at > 0 && count(&tokens[at - 1]) && document.same_line(at - 1, at) {
        at -= 1;
    } else if before(at, words!["a", "the", "several", "few", "last", "one", "couple"])
        && tokens[at].is(cues::WEEKDAY.or(cues::TIME_UNIT))
    {
        at -= usize::from(!document.is(at - 1, "the"));
    } else if !tokens[at].is(cues::WEEKDAY)
        && !document.is_any(at, words!["day", "weekend", "week", "eve", "morning", "night"])
    {
        return written;
    }
    Written { first: at, rule: "days before or after", certainty: written.certainty.max(0.88), ..written }
}

/// A season with a year: "summer of 1993".
fn season(document: &Document<'_>, at: usize) -> Option<Written> {
    let mut written = Written::new(at, at + 1, "season and year", 0.72);
    year_behind(document, at + 1, &mut written);
    (written.year.is_some_and(|(year, _)| document.tokens[year].len() == 4)).then_some(written)
}

/// "Tuesday the fourteenth": a day in words behind a weekday.
fn spoken_day(document: &Document<'_>, at: usize) -> Option<Written> {
    let tokens = &document.tokens;
    let tens =
        at.checked_sub(1).filter(|tens| tokens[*tens].is(cues::NUMBER) && tokens[*tens].cue.value == 20);
    let first = tens.unwrap_or(at);
    let the = first.checked_sub(1).filter(|the| document.is(*the, "the"))?;
    let weekday = the.checked_sub(1).filter(|weekday| tokens[*weekday].is(cues::WEEKDAY))?;
    let mut written = Written::new(first, at + 1, "day behind a weekday", 0.78);
    written.day = Some((at, u32::from(tokens[at].cue.value)));
    document.same_line(weekday, at).then_some(written)
}

/// "on the 21st": a day without its month, at the end of a phrase.
fn ordinal_day(document: &Document<'_>, at: usize) -> Option<Written> {
    day(document, at)?;
    let end = suffix(document, at + 1);
    // "on the 22nd", "on 22nd".
    let bare = at.checked_sub(1).filter(|on| {
        end > at + 1
            && (document.is_any(*on, words!["on", "until", "since", "till", "til"])
                || document.tokens[*on].is(cues::WEEKDAY) && document.tokens[*on].len() > 2)
    });
    // "PICC going in 23rd", "seen 14th": only days that no grade or rank has.
    let phrased = at.checked_sub(1).filter(|before| {
        end > at + 1
            && day(document, at).is_some_and(|day| day > 10)
            && document.is_any(
                *before,
                words![
                    "in",
                    "by",
                    "due",
                    "booked",
                    "from",
                    "to",
                    "before",
                    "after",
                    "seen",
                    "admitted",
                    "discharged",
                    "review",
                    "appt",
                    "home",
                    "back",
                    "away",
                    "thru",
                    "through",
                    "surgery",
                    "op",
                    "scan",
                    "mri",
                    "ct",
                    "listed",
                ],
            )
            && !(end..end + 5).any(|at| {
                document.is_any(
                    at,
                    words!["centile", "centiles", "percentile", "percentiles", "century", "birthday"],
                )
            })
    });
    let bare = bare.or(phrased);
    let the = bare.or_else(|| at.checked_sub(2).filter(|_| document.is(at - 1, "the") && end > at + 1))?;
    let weekday = document.tokens[the].is(cues::WEEKDAY);
    let before = weekday
        || document.is_any(
            the,
            words!["on", "by", "until", "since", "before", "after", "from", "till", "til", "thru", "through"],
        );
    let next = document.tokens.get(end);
    let last = next.is_none_or(|next| {
        matches!(next.first, b'.' | b',' | b';' | b')') && !next.is_word()
            || next.has(Flags::PARAGRAPH.or(Flags::LINE))
            || next.word.is_function()
    });
    let mut written = Written::new(at, end, "day of a month", if before { 0.74 } else { 0.62 });
    written.day = Some((at, 0));
    let early = document.word(at).parse::<u32>().is_ok_and(|day| day <= 9);
    ((last || weekday) && (before || !early)).then_some(written)
}
