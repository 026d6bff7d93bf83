//! The rules that can hold for a run of capitalized words.

use super::super::places;
use super::Rules;
use crate::cues::{self, Classes, Sets};
use crate::document::{Document, Run};
use crate::lexicon::Word;
use crate::token::{Flags, Token};

/// Classes of heads that come first, or are before a run.
const HEADS: Classes = cues::INSTITUTION_HEAD
    .or(cues::SCHOOL_HEAD)
    .or(cues::COMPANY_SUFFIX)
    .or(cues::TEAM_HEAD)
    .or(cues::DIRECTION);

/// What the words of a run have together.
struct Facts {
    classes: Classes,
    word: Word,
    flags: Flags,
    /// Whether one of them can be a part of a name.
    nameable: bool,
    sets: Sets,
}

/// Gathers what the words of a run have together. Phrases that its words start count as words.
fn facts(document: &Document<'_>, run: &Run) -> Facts {
    let mut facts = Facts {
        classes: Classes::NONE,
        word: Word::default(),
        flags: Flags::default(),
        nameable: false,
        sets: Sets::default(),
    };
    for at in run.first as usize..run.end as usize {
        let token = &document.tokens[at];
        facts.classes = facts.classes.or(token.cue.classes);
        facts.word = facts.word.or(token.word);
        facts.sets = facts.sets.or(token.cue.sets());
        facts.flags = facts.flags.or(token.flags);
        // Particles and signs of a run are rare.
        facts.nameable |= document.name(at).is_none_or(|name| name.is_nameable());
        if token.word.starts_phrase()
            && let Some((_, word)) = places::longest(document, at, |_| true)
        {
            facts.word = facts.word.or(word);
        }
    }
    facts
}

/// The rules that can hold for a run.
pub(crate) fn of_run(document: &Document<'_>, run: &Run) -> Rules {
    let tokens = &document.tokens;
    let (first, end) = (run.first as usize, run.end as usize);
    let Facts { classes, word, flags, nameable, sets } = facts(document, run);
    let before = |back: usize| first.checked_sub(back).map(|at| &tokens[at]);
    let sign = |token: Option<&Token>| token.map_or(0, |token| token.first);
    let (left, right) = (sign(before(1)), sign(tokens.get(end)));
    let class = |token: Option<&Token>| token.map_or(Classes::NONE, |token| token.cue.classes);
    let near = classes.or(class(before(1))).or(class(before(2)));
    let behind = class(tokens.get(end)).or(class(tokens.get(end + 1)));
    let set = |token: Option<&Token>| token.map_or(Sets::default(), |token| token.cue.sets());
    let (one, next) = (set(before(1)), set(tokens.get(end)));
    let several = end - first > 1;
    let quote = |sign: u8| matches!(sign, b'"' | b'\'' | 0xe2);
    let enclosed = matches!(left, b'(' | b',') && right.is_ascii_digit()
        || left == b'(' && right == b')'
        || left == b']' && right == b':'
        || quote(left) && quote(right);
    let fillers = cues::NAME_FILLER.or(cues::OFFICE);
    let start = tokens[first].flags;
    let aside = |sign: u8| matches!(sign, b',' | b'(' | b'/');
    let inner = one.any(Sets::THE) && aside(sign(before(2)));
    let table = |sign: u8| matches!(sign, b',' | b'|' | b'*' | 0xe2 | 0xc2);
    let line = start.any(Flags::LINE);
    let counted = right.is_ascii_digit() || next.any(Sets::TIMES);
    let here = Rules::of([
        (sets.any(Sets::TAIL.or(Sets::PAIRED)), Rules::TAIL),
        (aside(left) || inner, Rules::ASIDE),
        (sets.any(Sets::ENDING), Rules::ENDING),
        (sets.any(Sets::REGION), Rules::REGION),
        (sets.any(Sets::FIRST), Rules::FIRST_WORD),
        ((table(left) || line) && (table(right) || right == b'-' || right.is_ascii_digit()), Rules::TOWN),
        (start.any(Flags::SENTENCE.or(Flags::LINE)) && counted, Rules::STAY),
        (line, Rules::LINE),
        (left | 0x20 == b'o' && tokens[first - 1].len() == 1, Rules::RESIDENT),
        (next.any(Sets::YOUNG), Rules::SIDE),
        (
            sets.any(Sets::BODY)
                || next.any(Sets::BODY_BEHIND)
                || right == b'#'
                || left == b'&' && flags.any(Flags::SINGLE),
            Rules::BODY,
        ),
        (several && word.is_city() && start.any(Flags::UPPER), Rules::BODY),
        (sets.any(Sets::NICKNAME), Rules::NICKNAME),
        (sets.any(Sets::FAMOUS), Rules::FAMOUS),
    ]);
    let found = here.or(Rules::of([
        (nameable || classes.any(cues::TITLE), Rules::PERSON),
        (near.or(class(tokens.get(end))).any(cues::RELATIVE), Rules::RELATIVE),
        (next.any(Sets::VERB), Rules::INTRODUCED),
        (enclosed, Rules::ENCLOSED),
        (right == b',', Rules::COMMA),
        (flags.any(Flags::SINGLE) || left == b'-', Rules::INITIALS),
        (word.is_state_code() || right == b',', Rules::CITY_STATE),
        (left.is_ascii_digit() || right.is_ascii_digit() || right == b',', Rules::CITY_CODE),
        (word.is_city(), Rules::CITY_LISTED),
        (left == b',' || tokens[first].has(Flags::LINE), Rules::CITY_STREET),
        (word.is_state() || word.is_state_code() || right.is_ascii_digit(), Rules::STATE),
        (near.any(cues::REGION_HEAD.or(cues::COMPANY_SUFFIX)), Rules::COUNTY),
        (word.is_country(), Rules::COUNTRY),
        (right == b'&' || next.any(Sets::BUSINESS), Rules::BUSINESS),
        (next.any(Sets::GAME), Rules::GAME),
        (classes.any(cues::NAME_FILLER.or(cues::BUILDING_PART)), Rules::SAINT),
        (behind.any(cues::INSTITUTION_HEAD.or(cues::SCHOOL_HEAD)), Rules::SMALL_HEAD),
        (several && sets.any(Sets::HOSPITAL) && classes.any(fillers.or(cues::NAMED_DAY)), Rules::SHORT),
        (classes.any(cues::CHAIN), Rules::CHAIN),
        (near.any(HEADS) || tokens[first].cue.sets().any(Sets::FIRST_HEAD), Rules::HEAD_FIRST),
        (several && tokens[end - 1].cue.sets().any(Sets::SPECIALTY), Rules::SPECIALTY),
    ]));
    found.or(behind_words(document, first))
}

/// The rules that the words before a run say.
fn behind_words(document: &Document<'_>, first: usize) -> Rules {
    let tokens = &document.tokens;
    let sets = |back: usize| first.checked_sub(back).map_or(Sets::default(), |at| tokens[at].cue.sets());
    let (own, one, two) = (tokens[first].cue.sets(), sets(1), sets(2));
    let the = one.any(Sets::THE);
    // What is before an article, too.
    let past = |set: Sets| one.any(set) || the && two.any(set);
    let house = own.any(Sets::THE) && one.any(Sets::BEFORE_HOUSE) || the && two.any(Sets::BEFORE_HOUSE);
    // "vs. Dubbo Demons": over a dot, which has no hash.
    let sign = first > 0 && tokens[first - 1].hash == 0;
    let rival = one.any(Sets::RIVAL) || sign && two.any(Sets::RIVAL);
    let owned = one.any(Sets::OWNS) || one.any(Sets::ARTICLE) && two.any(Sets::OWNS);
    let near = Rules::of([
        (the, Rules::FAMILY),
        (house, Rules::HOUSE),
        (one.any(Sets::OF), Rules::HEAD_FIRST),
        (past(Sets::AFTER_ROLE), Rules::ROLE),
        (past(Sets::TO), Rules::SHORT_NAME),
        (past(Sets::BEFORE_UNUSUAL), Rules::UNUSUAL),
        (the || rival, Rules::SIDE),
        (one.any(Sets::WHERE), Rules::WHERE),
        (one.any(Sets::TREATED), Rules::BODY),
        (owned, Rules::OWNED),
    ]);
    let Some(word) = places::before(document, first) else { return near };
    let last = tokens[word].cue.sets();
    let second = word.checked_sub(1).map_or(Sets::default(), |at| tokens[at].cue.sets());
    let (article, the) = (last.any(Sets::ARTICLE), last.any(Sets::THE));
    near.or(Rules::of([
        (last.any(Sets::BEFORE_CITY), Rules::CITY_PLACE),
        (last.any(Sets::BEFORE_WORK) || article && second.any(Sets::BEFORE_WORK), Rules::WORK),
        (last.any(Sets::BEFORE_PLAY) || the && second.any(Sets::BEFORE_PLAY), Rules::PLAY),
        (last.any(Sets::AT) || the && second.any(Sets::TO), Rules::AT),
        (the && second.any(Sets::BEFORE_PLAY), Rules::ORGANIZATION),
    ]))
}
