//! Rules that can hold for a run of capitalized words or for a code: found from a few facts.
//!
//! Most rules hold for few runs and codes, for reasons that they share: the classes of the words,
//! the word before, the sign behind, the number of digits. These facts are gathered once, and a
//! detector visits only the runs and codes that have a bit of one of its rules. A bit may be set
//! although the rule proposes nothing; where the rule proposes something, the bit is set.

use super::{
    address, age, body, club, employer, famous, institution, licence, lower, national, occupation,
    organization, phone, places, record, room, school, state, street, tails, team, town, vehicle,
};
use crate::candidates::Candidates;
use crate::cues::{self, Classes, Sets};
use crate::document::{Code, Document, Run};
use crate::lexicon::Word;
use crate::token::{Flags, Token};
use crate::words::WordSet;

/// Rules that can hold, one bit each. Runs and codes have rules of their own for the same bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules(pub u64);

impl Rules {
    /// Every rule.
    pub const ALL: Rules = Rules(u64::MAX);

    /// Whether one of some rules can hold.
    #[inline(always)]
    pub fn any(self, rules: Rules) -> bool {
        self.0 & rules.0 != 0
    }

    /// All of both.
    pub const fn or(self, other: Rules) -> Rules {
        Rules(self.0 | other.0)
    }

    /// The rules whose conditions hold.
    #[inline(always)]
    fn of<const N: usize>(conditions: [(bool, Rules); N]) -> Rules {
        Rules(conditions.into_iter().fold(0, |all, (holds, rule)| all | (rule.0 * u64::from(holds))))
    }
}

macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident $bit:literal,)*) => {
        impl Rules {
            $($(#[$doc])* pub const $name: Rules = Rules(1 << $bit);)*
        }
    };
}

// Rules of runs.
rules! {
    /// Has a title or a word that can be a name.
    PERSON 0,
    /// A relative is near.
    RELATIVE 1,
    /// "is a" or "was a" can be behind.
    INTRODUCED 2,
    /// Behind "the".
    FAMILY 3,
    /// Within signs that make a name: quotes, brackets of a list, the sign of a sender.
    ENCLOSED 4,
    /// A comma is behind.
    COMMA 5,
    /// Can be initials.
    INITIALS 6,
    /// A city before a state.
    CITY_STATE 7,
    /// A city behind a preposition.
    CITY_PLACE 8,
    /// A city beside a postal code.
    CITY_CODE 9,
    /// A city of the gazetteer.
    CITY_LISTED 10,
    /// A city behind or below a street.
    CITY_STREET 11,
    /// A state by its name or abbreviation.
    STATE 12,
    /// A county.
    COUNTY 13,
    /// A country.
    COUNTRY 14,
    /// Behind a preposition that work is behind.
    WORK 15,
    /// Partners of a firm, or a kind of business behind.
    BUSINESS 16,
    /// Behind a preposition that a game is behind.
    PLAY 17,
    /// A game or a player behind.
    GAME 18,
    /// Has a word of the names of saints.
    SAINT 19,
    /// A head of an institution in small letters is behind.
    SMALL_HEAD 20,
    /// Behind "at".
    AT 21,
    /// Ends with what is short for a hospital, or has a royal word.
    SHORT 22,
    /// A house with an ordinary name.
    HOUSE 23,
    /// Has a chain of shops.
    CHAIN 24,
    /// A head comes first.
    HEAD_FIRST 25,
    /// Several words, the last of which is a specialty: a practice.
    SPECIALTY 26,
    /// Behind "the" and a preposition: an organization.
    ORGANIZATION 27,
    /// Has a last word of an organization or business.
    TAIL 32,
    /// Behind a comma or a bracket, or behind "the" there.
    ASIDE 33,
    /// Has a last word of a small street or house.
    ENDING 34,
    /// Has a state with dots, or a region.
    REGION 35,
    /// Behind "at", "from" or "to", directly or before "the".
    SHORT_NAME 36,
    /// Behind "versus", before "under", or behind "the": a team.
    SIDE 37,
    /// Between signs or at the start of a line, with a sign or a number behind: a town.
    TOWN 38,
    /// Behind "of" or the like: a place of a role.
    ROLE 39,
    /// Behind "owns" or the like.
    OWNED 40,
    /// Has a first word of a school, fort or coloured team.
    FIRST_WORD 41,
    /// Behind "R/o".
    RESIDENT 42,
    /// At the start of a line.
    LINE 43,
    /// At the start of a sentence with a number behind: a stay.
    STAY 44,
    /// Behind "near" or the like.
    WHERE 45,
    /// Has a word of a body such as a union, or a word or number of one behind it.
    BODY 46,
    /// Has a nickname of a team.
    NICKNAME 47,
    /// Several words behind a preposition, directly or before "the": an organization of no usual kind.
    UNUSUAL 48,
    /// Has a word of the name of a known organization.
    FAMOUS 49,
}

// Rules of codes.
rules! {
    /// A date of numbers with separators.
    DATE 0,
    /// A date of numbers with blanks or without separators.
    OTHER_DATE 2,
    /// A postal code of digits.
    ZIP 3,
    /// A postal code of letters and digits.
    POSTCODE 4,
    /// A number of a phone.
    PHONE 5,
    /// An extension.
    EXTENSION 6,
    /// Enough digits for a check of national numbers.
    CHECKED 7,
    /// An American Social Security number.
    SSN 8,
    /// A British National Insurance number.
    NINO 9,
    /// Behind the name of a number.
    NAMED 10,
    /// A payment card.
    CARD 11,
    /// An account number of ISO 13616.
    IBAN 12,
    /// A long code, or one behind "number".
    RECORD 13,
    /// Can be behind a degree.
    SIGNED 14,
    /// A label, "number" or a cell around it.
    LABELLED 15,
    /// A register or a rank before it.
    REGISTERED 16,
    /// As many signs as a driver's number.
    DRIVER 17,
    /// Letters and digits as in a national number.
    LETTERED 18,
    /// Letters and digits as in a serial number.
    SERIAL 19,
    /// Letters in it or before it, as in a plate, and a reason to be one.
    PLATE 20,
    /// Behind a capitalized word, which can be a street with its ending: "Lindenallee 17".
    GLUED 21,
    /// Behind a name with an abbreviated kind of street before it.
    ABBREVIATED 22,
    /// Behind an abbreviated road.
    CROSSING 23,
    /// Behind a plot, a block or a sign of a door.
    PLOT 24,
    /// A short word in it or before it, as in the names of roads.
    ROAD 25,
    /// Before an ending of small streets.
    SMALL_STREET 26,
    /// Before a direction.
    GRID 27,
    /// Behind a preposition of moves.
    MOVED 28,
    /// Has a number as long as a postal code of five digits.
    CITY_LINE 29,
}

macro_rules! sets {
    ($($(#[$doc:meta])* $name:ident $bit:literal = $($words:expr),+;)*) => {
        impl Sets {
            $($(#[$doc])* pub const $name: Sets = Sets(1 << $bit);)*
        }

        /// The words of the sets.
        pub(crate) const SETS: &[(Sets, WordSet)] = &[$($((Sets::$name, $words)),+),*];
    };
}

sets! {
    /// A last word of an organization or business.
    TAIL 0 = tails::STRONG, tails::WEAK, tails::TRADES, tails::PAIRED, words!["co"];
    /// A last word of a small street or house.
    ENDING 1 = address::ENDINGS, address::HOUSES, address::SHORT;
    /// A role of a person in a place.
    ROLE 2 = occupation::ROLES;
    /// A state with dots, or a region that no list of states has.
    REGION 3 = state::ONE, state::SEVERAL, state::DOTTED;
    /// A first word of a school, fort or coloured team.
    FIRST 4 = school::FIRST, town::FORTS, club::COLOURS, words!["pact", "team"];
    /// Before a city, as `city` reads them.
    BEFORE_CITY 5 = words![
        "in", "from", "near", "outside", "to", "of", "around", "aus", "nach", "toward", "visiting",
        "through", "leaving", "into", "en", "à", "downtown", "for",
    ];
    /// Before an employer.
    BEFORE_WORK 6 = words!["at", "for", "by", "with", "in", "from"];
    /// Before a team.
    BEFORE_PLAY 7 = words!["for", "with", "against", "of", "in"];
    /// Before a named house.
    BEFORE_HOUSE 8 = words![
        "at", "outside", "near", "past", "behind", "opposite", "from", "in", "to", "inside", "by",
    ];
    /// Where something is.
    AT 9 = words!["at", "bei"];
    /// Where something is, comes from or goes to.
    TO 10 = words!["at", "from", "to"];
    /// An article.
    ARTICLE 11 = words!["the", "a"];
    /// "The".
    THE 12 = words!["the"];
    /// Behind a role.
    AFTER_ROLE 13 = words!["of", "for", "at", "in", "on"];
    /// Behind a name that is introduced.
    VERB 14 = words!["is", "was"];
    /// "Of".
    OF 15 = words!["of"];
    /// Before the other side of a game.
    RIVAL 16 = club::RIVALS;
    /// Before a town.
    WHERE 17 = town::WHERE;
    /// Before a business.
    OWNS 18 = employer::OWNS;
    /// Behind a side that has an age.
    YOUNG 19 = club::YOUNG;
    /// Behind a town on an itinerary.
    TIMES 20 = town::TIMES;
    /// Kinds of businesses.
    BUSINESS 21 = employer::KINDS;
    /// Games of teams.
    GAME 22 = team::GAMES;
    /// Heads that come first.
    FIRST_HEAD 23 = words!["camp", "childminder", "creche"];
    /// Names of national numbers.
    NATIONAL 24 = national::NAMES;
    /// Ranks that have a number.
    RANK 25 = licence::RANKS;
    /// Things that have a number.
    THING 26 = record::THINGS;
    /// A word of a union, congregation or other body.
    BODY 27 = body::WORDS;
    /// A nickname of a team.
    NICKNAME 28 = club::NICKNAMES;
    /// Vehicles, and words of their plates.
    VEHICLE 29 = vehicle::VEHICLES;
    /// Behind a body.
    BODY_BEHIND 30 = body::BEHIND;
    /// Before a body that treats somebody.
    TREATED 31 = body::TREATED;
    /// One of the first two words behind an age.
    AGE_BEHIND 32 =
        age::behind::MONTHS, age::behind::OLD, age::behind::YEARS, age::behind::JOINED, age::behind::LETTERS,
        age::behind::SEXES, age::UNITS, words!["next"];
    /// Directly before an age.
    AGE_BEFORE 33 =
        age::before::CONTRACTED, age::before::SOMEBODY, age::before::BEING, age::before::TURNED, age::before::ABOUT,
        age::family::CHILDREN, words!["now", "of", "at", "and", "or"];
    /// Before the number of a plot or block.
    PLOT 34 = address::PLOTS, address::BLOCKS;
    /// Before the number of a road.
    ROUTE 35 = street::ROUTES;
    /// Kinds of streets that are abbreviated before the name.
    AVENUE 36 = street::KINDS;
    /// Before where somebody was moved.
    MOVED 37 = room::MOVED;
    /// Last words of a practice of a specialty.
    SPECIALTY 38 = institution::KINDS;
    /// What is short for a hospital, as its last word or its first.
    HOSPITAL 39 = institution::SHORT, institution::ROYAL;
    /// Words beside initials of who typed a letter.
    TYPIST 40 = lower::TYPISTS;
    /// Before a call sign.
    CALL 41 = vehicle::CALLS;
    /// Words that a name in small letters is behind.
    CALLED 42 = lower::TITLES, lower::GREETINGS, lower::WORKERS, words!["with"];
    /// Keys of extensions.
    EXTENSION 43 = phone::EXTENSIONS;
    /// A word of the name of a known organization.
    FAMOUS 45 = famous::EMPLOYERS, famous::INSTITUTIONS, famous::FIRST;
    /// Before an organization of no usual kind.
    BEFORE_UNUSUAL 44 = organization::BEFORE;
}

/// A rule of runs, with what proposes something by it.
pub(super) type RunRule = (Rules, fn(&Document<'_>, &Run, &mut Candidates));

/// Applies the rules that can hold for a run.
#[inline(always)]
pub(super) fn apply(rules: &[RunRule], document: &Document<'_>, run: &Run, found: &mut Candidates) {
    for (rule, propose) in rules {
        if run.rules.any(*rule) {
            propose(document, run, found);
        }
    }
}

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
        (sets.any(Sets::TAIL), Rules::TAIL),
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

/// The rules that can hold for a code that `series` digits and letters start at, those of the codes
/// behind it on its line included. Whether a date of numbers starts at it is known.
pub(crate) fn of_code(document: &Document<'_>, code: &Code, series: (usize, usize), is_date: bool) -> Rules {
    let tokens = &document.tokens;
    let (first, end) = (code.first as usize, code.end as usize);
    let token = &tokens[first];
    let (digits, signs) = (series.0, series.0 + series.1);
    let (number, plain) = (token.is_number(), code.letters == 0);
    let single = end - first == 1;
    let zip = single && matches!(token.len(), 3..=6) || end - first == 3;
    let bytes = tokens[end - 1].end - token.start;
    let named = tokens[first.saturating_sub(3)..first].iter().any(|word| word.cue.sets().any(Sets::NATIONAL));
    let upper = first > 0 && tokens[first - 1].has(Flags::UPPER);
    let mut before = tokens[first.saturating_sub(5)..first].iter();
    let register = code.digits >= 2 && before.any(licence::is_register);
    let whole = code.digits + code.letters;
    // Letters of serial numbers are capitals, those of units are not.
    let capital = token.is_capital() || end - first > 1 && tokens[first + 1].is_capital() || end - first > 2;
    let mixed = code.digits >= 1 && code.letters >= 1 && capital;
    let named_driver = code.digits == 6 && upper && tokens[first - 1].len() == 5;
    let driver = named_driver && signs >= 11 || code.letters > 0 && matches!(whole, 5 | 16) && signs >= 16;
    let grouped = code.numbered && code.digits >= 2;
    let keyed = first > 0 && tokens[first.saturating_sub(2)..first].iter().any(is_extension);
    let extension = single && (3..=6).contains(&token.len()) && keyed
        || end - first == 2 && token.first | 0x20 == b'x' && token.len() == 1;
    Rules::of([
        (is_date, Rules::DATE),
        (number && single && matches!(token.len(), 2 | 6 | 8), Rules::OTHER_DATE),
        (zip, Rules::ZIP),
        (token.first.is_ascii_uppercase() && bytes <= 8, Rules::POSTCODE),
        (number && !code.is_sure_date && phone::goes_on(document, first), Rules::PHONE),
        (extension, Rules::EXTENSION),
        (plain && !code.is_date_like && digits >= 9, Rules::CHECKED),
        (plain && matches!(code.digits, 3 | 9) && digits >= 9, Rules::SSN),
        (code.digits <= 6 && digits >= 6 && (code.letters >= 2 || upper), Rules::NINO),
        (named && digits >= 7, Rules::NAMED),
        (plain && digits >= 13, Rules::CARD),
        (code.letters >= 2 && (signs >= 15 || token.has(Flags::UPPER)), Rules::IBAN),
        (code.digits >= 5 || grouped, Rules::RECORD),
        (code.digits >= 4 && code.letters <= 2 && !code.is_date_like, Rules::SIGNED),
        (code.digits >= 2 && record::is_labelled(document, code, upper), Rules::LABELLED),
        (register, Rules::REGISTERED),
        (driver, Rules::DRIVER),
        (mixed && (named || (8..=10).contains(&whole)), Rules::LETTERED),
        (mixed && code.letters >= 2 && (5..=20).contains(&whole), Rules::SERIAL),
        (code.digits <= 6 && can_be_plate(document, code, mixed, upper), Rules::PLATE),
    ])
    .or(of_address(document, code))
}

/// Whether a word is a key of an extension.
fn is_extension(token: &Token) -> bool {
    token.cue.sets().any(Sets::EXTENSION)
}

/// Whether a code with these properties can be a plate: one of a state in India by its form, any other
/// by what is before it.
fn can_be_plate(document: &Document<'_>, code: &Code, mixed: bool, upper: bool) -> bool {
    let tokens = &document.tokens;
    let first = code.first as usize;
    if !(mixed || upper && tokens[first - 1].len() <= 3) {
        return false;
    }
    let part = |token: &Token| token.has(Flags::UPPER.or(Flags::SINGLE)) && token.len() <= 3;
    let indian = code.letters >= 3
        || code.letters > 0 && upper && tokens[first - 1].len() == 2
        || tokens.get(code.end as usize).is_some_and(part);
    let said = Sets::VEHICLE.or(Sets::CALL);
    indian
        || code.keys.any(cues::KEY_VEHICLE)
        || tokens[first.saturating_sub(6)..first].iter().any(|token| token.cue.sets().any(said))
}

/// The rules of addresses that can hold for a code.
fn of_address(document: &Document<'_>, code: &Code) -> Rules {
    let tokens = &document.tokens;
    let first = code.first as usize;
    let token = &tokens[first];
    let before = |back: usize| first.checked_sub(back).map(|at| &tokens[at]);
    let set = |token: Option<&Token>| token.map_or(Sets::default(), |token| token.cue.sets());
    let capital = |token: Option<&Token>| token.is_some_and(Token::is_capital);
    let short = |token: &Token| token.is_word() && token.len() <= 2;
    let (one, two) = (before(1), before(2));
    let sign = one.map_or(0, |token| token.first);
    let house = token.is_number() && token.len() <= 4;
    let named = capital(one) || sign == b'.' && capital(two);
    let kind = |token: &Token| token.cue.sets().any(Sets::AVENUE);
    let ending = |token: &Token| token.cue.sets().any(Sets::ENDING);
    let direction = |token: &Token| token.is(cues::DIRECTION) && token.is_capital();
    let behind = &tokens[first + 1..tokens.len().min(first + 5)];
    let inner = tokens[first..code.end as usize].iter();
    Rules::of([
        (house && named, Rules::GLUED),
        (house && tokens[first.saturating_sub(9)..first].iter().any(kind), Rules::ABBREVIATED),
        (set(one).any(Sets::ROUTE), Rules::CROSSING),
        (set(one).any(Sets::PLOT) || sign == b'#' || sign == b'.' && set(two).any(Sets::PLOT), Rules::PLOT),
        (short(token) || one.is_some_and(short) || sign == b'#', Rules::ROAD),
        (house && behind.iter().any(ending), Rules::SMALL_STREET),
        (token.is_number() && behind.first().is_some_and(direction), Rules::GRID),
        (set(one).any(Sets::MOVED), Rules::MOVED),
        (code.digits >= 5 && inner.clone().any(|part| part.is_number() && part.len() == 5), Rules::CITY_LINE),
    ])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::detect::{ALL, Calendar, Detector};
    use crate::letters::{letters, marked};

    /// What all detectors propose, in their order.
    fn proposed(document: &Document<'_>) -> Vec<String> {
        let mut found = Candidates::default();
        ALL.iter().for_each(|detector| detector.detect(document, &mut found));
        Calendar { months: true }.detect(document, &mut found);
        let proposal = |one| format!("{one:?} {:?}", found.rules(one));
        found.list.iter().map(proposal).collect()
    }

    /// Proposals with the rules that can hold, and with all rules.
    fn both(text: &str) -> (Vec<String>, Vec<String>) {
        let mut document = Document::read(text, Document::default());
        let own = proposed(&document);
        document.runs.iter_mut().for_each(|run| run.rules = Rules::ALL);
        document.codes.iter_mut().for_each(|code| code.rules = Rules::ALL);
        (own, proposed(&document))
    }

    #[test]
    fn a_rule_that_cannot_hold_proposes_nothing_in_letters() {
        let files = [
            include_str!("../../tests/documents/development.txt"),
            include_str!("../../tests/documents/last.txt"),
            include_str!("../../tests/documents/second-development.txt"),
        ];
        let written = files.into_iter().flat_map(|file| marked::documents(file).unwrap());
        for letter in letters(11).take(200).chain(written) {
            let text = letter.text;
            for text in [text.to_uppercase(), text.to_lowercase(), text.replace('\n', " | "), text] {
                let (own, all) = both(&text);
                assert_eq!(own, all, "{text}");
            }
        }
    }

    /// Words and numbers that rules look for, with blanks, breaks and signs between them.
    fn pieces() -> impl Strategy<Value = String> {
        let word = prop::sample::select(
            "in from near to of for at bei with against by a the past behind is was an and around à left \
            Ann ANN Lee Boston MA NSW VIC Lynn Texas Ontario France New York Zorvan Telquist Mrs Dr TRAN T \
            St Saint Our Lady Royal Queen Regional General Walmart Boots Club Camp Nursery Heart Eye Crown \
            Street Road Apt County Co Corp Hospital hospital clinic lab school restaurant bank game players \
            coach practice plays works drives lives son sister Granddaughter violin Thompsons known as \
            MRN SSN ID NINO SVNR Medicare phone tel ext x fax number no plate VIN DOB age IBAN DE89 GB29 \
            3704 0044 0532 0130 00 12 34 56 C QQ 078 05 1120 078-05-1120 617 555-0100 (617) +44 20 7946 \
            5/26 5/26/94 2024-02-06 30 09 2016 19860526 02151 02151-1234 HX4 7QD K1A 0B1 A-1234 50933 \
            943 476 5919 4111 1111 AB12 CDE 1HGCM82633A004352 h22 4190 XK 70112 M.D. 34764 7 1 4 3 4.5 120/80 \
            vs v. under under-6s U12s Demons Blue Team PACT Network Plan Health HMO Drilling Co-op Cottage House \
            Wynd Fort Camp Riley nights N.J. La. Mass. Tamil Nadu Kerala Western Cape owns ran organist priest \
            parish only Theatre Room Ward Unit R/o H. No. Blk RR A46 Jalan moved Coláiste Scoil an Mayo Private \
            seen transferred RVI CVS cc Dr. Clinic diner club lineman Lord MICU Resus C4 Bed Tulip"
                .split_whitespace()
                .collect::<Vec<_>>(),
        );
        let behind = prop::sample::select(vec![
            " ", " ", " ", " ", "", ", ", ". ", "-", ":", ": ", "\n", "\n\n", "   ", " (", ") ", "/", " & ",
            "#", "\"", "'s ", "] ", " - ", "+",
        ]);
        prop::collection::vec((word, behind), 0..30)
            .prop_map(|words| words.into_iter().flat_map(|(word, behind)| [word, behind]).collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn a_rule_that_cannot_hold_proposes_nothing(text in pieces()) {
            let (own, all) = both(&text);
            prop_assert_eq!(own, all);
        }
    }
}
