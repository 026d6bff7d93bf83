//! Segments: the parts of a run of capitalized words that can be a name.

use super::*;

/// A part of a run that can be a name.
#[derive(Debug, Clone)]
pub struct Segment {
    /// Its tokens.
    pub tokens: Range<usize>,
    /// The token of a title before it.
    pub title: Option<usize>,
    /// The number of its words that look like names, without initials.
    pub names: usize,
    /// The number of its initials.
    pub initials: usize,
    /// The best of its words, with its token.
    pub best: (usize, Nameness),
}

/// Cuts a run into segments: titles before, credentials behind, ordinary words between.
pub fn segments(document: &Document<'_>, run: &Run, found: &mut dyn FnMut(Segment)) {
    let (mut at, end) = (run.first as usize, run.end as usize);
    let mut title = None;
    let mut open: Option<Segment> = None;
    while at < end {
        let token = &document.tokens[at];
        if !token.is_word() {
            at += 1;
            continue;
        }
        let name = nameness(document, at);
        let follows_title = title.is_some() && open.is_none();
        if is_title(document, at, end) && open.is_none() {
            title = Some(at);
        } else if accepts(document, at, name, follows_title, open.as_ref()) {
            extend(&mut open, at, name, title);
        } else if token.is(cues::PARTICLE) && open.is_some() {
            // A particle between two capitals stays if a name follows.
        } else {
            if let Some(segment) = open.take() {
                found(segment);
            }
            title = None;
        }
        at += 1;
    }
    if let Some(segment) = open {
        found(segment);
    }
}

/// Whether a word is a title here: with something behind it in the run.
pub(super) fn is_title(document: &Document<'_>, at: usize, end: usize) -> bool {
    let token = &document.tokens[at];
    token.is(cues::TITLE)
        && !token.has(Flags::POSSESSIVE)
        // "14 Fr Foley": a size.
        && !(token.len() == 2 && at > 0 && document.tokens[at - 1].is_number() && document.is(at, "fr"))
        && at + 1 < end
        && !is_abbreviation(document, at)
        && !(token.len() == 2 && token.is(cues::STREET_SUFFIX) && !document.is(at, "dr"))
}

/// Whether a title in capitals is short for something else: "mod MR. Images", "HR Business Partner".
fn is_abbreviation(document: &Document<'_>, at: usize) -> bool {
    let token = &document.tokens[at];
    if !token.has(Flags::UPPER) || token.has(Flags::SHOUTED) {
        return false;
    }
    let dot = usize::from(document.tokens.get(at + 1).is_some_and(|dot| dot.is_sign(b'.')));
    document.is_any(at, words!["hr", "pa", "oa", "col", "ma"])
        || document.is_any(at, words!["mr", "ms"])
            && document.tokens.get(at + 1 + dot).is_some_and(|next| {
                next.is_capital()
                    && !next.has(Flags::UPPER)
                    && next.word.is_common()
                    && next.word.name_odds() < 0.0
            })
}

/// Whether a word belongs to a name.
pub(super) fn accepts(
    document: &Document<'_>,
    at: usize,
    name: Nameness,
    follows_title: bool,
    open: Option<&Segment>,
) -> bool {
    let token = &document.tokens[at];
    if follows_title {
        let behind = at + 1 + usize::from(document.tokens.get(at + 1).is_some_and(|dot| dot.is_sign(b'.')));
        let named = |at: usize| document.tokens.get(at).is_some_and(Token::is_capital);
        let initial = token.has(Flags::SINGLE)
            && (named(at + 1)
                || named(behind) && (named(behind + 2) || !document.tokens[behind].has(Flags::SINGLE)));
        // "Chief Medical Examiner".
        let office = token.word.is_medical() && !token.word.is_last_name() || token.is(cues::HEADING);
        // "Dear Dr. Do:": whatever is greeted with a title is a name.
        let dot = usize::from(at > 0 && document.tokens[at - 1].is_sign(b'.'));
        let greeted =
            at.checked_sub(2 + dot).is_some_and(|greeting| document.tokens[greeting].is(cues::GREETING));
        if greeted && token.len() >= 2 && token.is_capital() {
            return true;
        }
        return !token.word.is_function() && !token.is(cues::NOBODY) && !document.is_key(at) && !office
            || initial
            || is_word_and_name(document, at);
    }
    if token.is(cues::CREDENTIAL)
        && (token.has(Flags::UPPER) && !token.has(Flags::SHOUTED)
            || document.is_any(at, words!["jr", "sr", "md", "phd", "rn"]))
    {
        return false;
    }
    if token.is(cues::TITLE) && token.len() <= 3 {
        return false;
    }
    match open {
        // Behind a first name also words in capitals and ordinary words that are names too.
        Some(segment) => {
            // "Dr. Will Page", "Carl May": what follows a title and a name, or a name that is
            // hardly a word, is a last name even if it is an ordinary word or a month.
            let follows_name = segment.names == 1
                && segment.tokens.end == at
                && (segment.title.is_some()
                    || segment.best.1.prior >= 0.8
                        && document.tokens[segment.best.0].word.first_level() >= 10);
            if follows_name && is_word_and_name(document, at) {
                return true;
            }
            if segment.title.is_some()
                && (ends_titled_name(document, segment, at) || follows_initial(document, segment, at))
            {
                return true;
            }
            // "Wallams's Kaposi sarcoma": a new name or none.
            if name.sort == Sort::Medical && document.tokens[at - 1].has(Flags::POSSESSIVE) {
                return false;
            }
            // "Hendrik du Toit", "Anna van der Berg": what follows a particle is a last name.
            let particle = document.tokens[at - 1].is(cues::PARTICLE)
                && !document.tokens[at - 1].has(Flags::CAPITAL)
                && segment.best.1.prior >= 0.6
                && token.is_capital()
                && !token.word.is_function();
            if particle {
                return true;
            }
            let hyphen = document.tokens[at - 1].is_sign(b'-');
            let both = name.prior >= 0.12 && name.sort != Sort::Medical && name.sort != Sort::Acronym;
            let upper = name.sort == Sort::Acronym
                && !token.word.is_medical()
                && !token.word.is_shorthand()
                && token.len() >= 4;
            name.is_nameable()
                || hyphen && name.sort != Sort::Medical
                || both && segment.best.1.prior >= 0.6
                || upper && segment.best.1.prior >= 0.7
        }
        None => name.is_nameable(),
    }
}

/// Whether a word, whatever it is, ends a name of a title and a first name: "Dr. Imogen Sallow".
fn ends_titled_name(document: &Document<'_>, segment: &Segment, at: usize) -> bool {
    let token = &document.tokens[at];
    let first = document.tokens[segment.tokens.start].word;
    segment.names == 1
        && segment.tokens.end == at
        && first.first_level() >= 6
        && first.name_odds() > 0.5
        && token.is_capital()
        && !token.has(Flags::UPPER.or(Flags::SHOUTED).or(Flags::SENTENCE).or(Flags::LINE).or(Flags::GAP))
        && !token.word.is_function()
        && token.cue.classes == Classes::NONE
        && !document
            .tokens
            .get(at + 1)
            .is_some_and(|next| next.is_capital() && !next.has(Flags::LINE.or(Flags::GAP)))
}

/// Whether a word, whatever it is, stands behind a title and initials: "Dr F. Mackintosh".
fn follows_initial(document: &Document<'_>, segment: &Segment, at: usize) -> bool {
    let token = &document.tokens[at];
    let dotted = document.tokens[at - 1].is_sign(b'.') && document.glued(at - 1);
    segment.names == 0
        && segment.initials > 0
        && at - segment.tokens.end <= 1
        && (dotted || segment.tokens.end == at)
        && token.is_capital()
        && token.len() >= 3
        && !token.has(Flags::UPPER.or(Flags::LINE).or(Flags::GAP))
        && !(token.word.is_function() || token.word.is_medical() || token.word.is_heading())
        && token.cue.classes == Classes::NONE
}

/// Whether an ordinary word is written as a last name: with a capital of its own within a sentence,
/// and without a colon behind it.
fn is_word_and_name(document: &Document<'_>, at: usize) -> bool {
    let token = &document.tokens[at];
    let word = token.word;
    (word.is_first_name() || word.is_last_name())
        && token.is_capital()
        && !token.has(Flags::UPPER.or(Flags::SHOUTED).or(Flags::SENTENCE).or(Flags::LINE).or(Flags::GAP))
        && !word.is_medical()
        && !token.is(cues::CREDENTIAL)
        && !document.tokens.get(at + 1).is_some_and(|next| next.is_sign(b':'))
}

pub(super) fn extend(open: &mut Option<Segment>, at: usize, name: Nameness, title: Option<usize>) {
    let segment =
        open.get_or_insert(Segment { tokens: at..at, title, names: 0, initials: 0, best: (at, name) });
    segment.tokens.end = at + 1;
    match name.sort {
        Sort::Initial => segment.initials += 1,
        _ => segment.names += 1,
    }
    if name.prior > segment.best.1.prior {
        segment.best = (at, name);
    }
}
