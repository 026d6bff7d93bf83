//! How much a word looks like a name: by the lexicon, its letters and its place in the sentence.

use std::cell::Cell;
use std::sync::OnceLock;

use rustc_hash::FxHashSet;

use crate::cues;
use crate::document::Document;
use crate::lexicon::{Word, hash_packed};
use crate::token::{Flags, Token};
use crate::words::WordSet;

/// What a word is, as far as names are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// No list has it.
    Unknown,
    /// A name, and hardly anything else.
    Name,
    /// A name and an ordinary word.
    Both,
    /// An ordinary word.
    Ordinary,
    /// A term of medicine, or a drug.
    Medical,
    /// Capitals that stand for a term.
    Acronym,
    /// One capital.
    Initial,
}

/// How much a word looks like a name.
#[derive(Debug, Clone, Copy)]
pub struct Nameness {
    /// What it is.
    pub sort: Sort,
    /// The certainty that it names somebody or something, without its context.
    pub prior: f32,
    /// The rule in reports.
    pub rule: &'static str,
}

impl Nameness {
    /// Whether it can be a part of a name without help.
    pub fn is_nameable(&self) -> bool {
        self.prior >= 0.3 || self.sort == Sort::Initial
    }
}

const fn made(sort: Sort, prior: f32, rule: &'static str) -> Nameness {
    Nameness { sort, prior, rule }
}

/// How much a word looks like a name, as the document has it or judged now.
pub fn nameness(document: &Document<'_>, at: usize) -> Nameness {
    document.name(at).unwrap_or_else(|| judge(document, at))
}

/// Judges a word.
pub fn judge(document: &Document<'_>, at: usize) -> Nameness {
    let Some(token) = document.tokens.get(at).filter(|token| token.is_word()) else {
        return made(Sort::Ordinary, 0.0, "sign");
    };
    let word = token.word;
    let glued =
        |at: usize| document.tokens.get(at).is_some_and(|next| next.is_number() && !next.has(Flags::SPACE));
    if glued(at + 1) || at > 0 && document.tokens[at - 1].is_number() && document.glued(at) {
        return made(Sort::Ordinary, 0.0, "joined with digits");
    }
    if document.is_key(at) || document.is_cell_key(at) {
        return made(Sort::Ordinary, 0.0, "key");
    }
    // "U&Es", "D&C": the second part of an abbreviation.
    let joined = at >= 2
        && token.len() <= 2
        && document.tokens[at - 1].is_sign(b'&')
        && document.tokens[at - 2].has(Flags::SINGLE);
    if joined && document.glued(at) && document.glued(at - 1) {
        return made(Sort::Ordinary, 0.0, "abbreviation");
    }
    if token.has(Flags::SINGLE) {
        // "A Doppler was placed", "I saw": not an initial.
        let dot = document.tokens.get(at + 1).is_some_and(|dot| dot.is_sign(b'.') && !dot.has(Flags::SPACE));
        let hyphen =
            document.tokens.get(at + 1).is_some_and(|sign| sign.is_sign(b'-') && !sign.has(Flags::SPACE));
        // "J-B Mukendi", "H.-P. Lund": two initials.
        let second = document
            .tokens
            .get(at + 2)
            .is_some_and(|next| next.is_capital() && next.has(Flags::SINGLE) && !next.has(Flags::SPACE));
        // "stable L. Shaffer 3": the left side at the end of a sentence.
        // "positive R>L. Finkelstein negative": the sides that are compared.
        let side = dot
            && matches!(token.first, b'L' | b'R')
            && at > 0
            && (matches!(document.tokens[at - 1].first, b'>' | b'<' | b'=')
                || document.tokens[at - 1].is_word()
                    && !document.tokens[at - 1].has(Flags::CAPITAL)
                    && !document.tokens[at - 1].is(cues::BEFORE_PERSON.or(cues::RELATIVE).or(cues::ROLE)))
            && document.tokens.get(at + 2).is_some_and(|next| next.word.is_eponym_name());
        if side {
            return made(Sort::Ordinary, 0.0, "side");
        }
        // "H K-Bell": a first initial, and one before a hyphen.
        let third = hyphen
            && at > 0
            && document.tokens[at - 1].is_capital()
            && document.tokens[at - 1].has(Flags::SINGLE)
            && token.has(Flags::SPACE)
            && document.tokens.get(at + 2).is_some_and(|next| {
                next.is_capital() && !next.has(Flags::UPPER.or(Flags::SPACE)) && next.word.is_last_name()
            });
        if hyphen && (second || third) && token.has(Flags::CAPITAL) {
            return made(Sort::Initial, 0.0, "initial");
        }
        if hyphen
            || matches!(token.first, b'A' | b'I') && !dot && token.has(Flags::SENTENCE)
            || token.has(Flags::SHOUTED) && !dot && matches!(token.first, b'A' | b'I' | b'a' | b'i')
        {
            return made(Sort::Ordinary, 0.0, "letter");
        }
        return if token.has(Flags::CAPITAL) {
            made(Sort::Initial, 0.0, "initial")
        } else {
            made(Sort::Ordinary, 0.0, "letter")
        };
    }
    if word.is_function() || token.is(cues::NOBODY) {
        return made(Sort::Ordinary, 0.0, "function word");
    }
    let shouted = token.has(Flags::SHOUTED);
    let acronym = token.has(Flags::UPPER) && !shouted && token.len() <= 6;
    let start = token.has(Flags::SENTENCE);
    let odds = word.name_odds();
    let named = word.is_first_name() || word.is_last_name();
    let medical = word.is_medical() || word.is_drug() || word.is_shorthand();
    if acronym {
        let cue = token.cue.classes != cues::Classes::NONE;
        let prior = match token.len() {
            _ if is_upper_pair(document, at) => 0.78,
            _ if medical || cue || word.is_common() && odds < 2.0 => 0.1,
            _ if named && odds > 1.5 && token.len() >= 4 => 0.45,
            5.. if !word.is_known() => 0.42,
            4 if !word.is_known() => 0.2,
            _ => 0.12,
        };
        return made(Sort::Acronym, prior, "capitals");
    }
    // "PHx", "FHx": capitals and an x are shorthand for a history; "IgE" is listed.
    let mixed = token.has(Flags::MIXED) && token.len() <= 5;
    if mixed && (document.word(at).ends_with('x') && !named || word.is_shorthand()) {
        return made(Sort::Ordinary, 0.0, "shorthand");
    }
    if !word.is_known() {
        return unknown(document, at, token, start, shouted);
    }
    if !named {
        let place = word.is_city() || word.is_state() || word.is_country();
        return match () {
            // "Monika Grawitz", "Winston Treitz": the rest of a name, if nothing else.
            _ if is_only_eponym(word) => made(Sort::Medical, 0.3, "eponym"),
            _ if medical || word.is_eponym() => made(Sort::Medical, 0.05, "medical term"),
            _ if place && !word.is_common() => made(Sort::Name, 0.4, "place"),
            // "to his grandson Jonty": in the largest dictionaries only.
            _ if word.is_rare() && token.is_capital() && !start && !shouted && !word.is_nationality() => {
                made(Sort::Unknown, 0.42, "rare word")
            }
            _ => made(Sort::Ordinary, 0.04, "ordinary word"),
        };
    }
    let odds = odds - if start { 0.9 } else { 0.0 } - if shouted { 0.9 } else { 0.0 };
    let prior: f32 = match odds {
        _ if !word.is_common() && !start && !shouted => 0.85,
        odds if odds >= 1.2 => 0.84,
        odds if odds >= 0.0 => 0.76,
        odds if odds >= -1.0 => 0.6,
        odds if odds >= -1.8 => 0.33,
        _ => 0.15,
    };
    let prior = match () {
        _ if token.is(cues::MONTH.or(cues::WEEKDAY).or(cues::SEASON).or(cues::HOLIDAY)) => prior.min(0.32),
        _ if is_keyword(token) && before_number(document, at) => 0.0,
        _ if is_keyword(token) => prior * 0.6,
        _ if word.is_drug() => prior * 0.4,
        // "Nan (Maureen) was present": what a grandmother is called.
        _ if start && token.is(cues::RELATIVE) => prior * 0.5,
        // "by Doppler", "a Holter": methods.
        _ if word.is_medical() && word.is_eponym() => prior * 0.4,
        _ if word.is_thing() => prior * 0.35,
        // "ASA 324", "Na 131": short for a substance or a test.
        _ if word.is_shorthand() && token.len() <= 3 && (shouted || before_number(document, at)) => {
            prior * 0.4
        }
        _ if medical => prior * if odds > 1.5 { 0.7 } else { 0.4 },
        _ if word.is_eponym() => prior * 0.8,
        _ if word.is_heading() => prior * 0.5,
        _ => prior,
    };
    // "Handed over to Comfort": words of English that people are called in Africa.
    let virtue = prior < 0.45
        && !start
        && !shouted
        && word.is_common()
        && token.has(Flags::CAPITAL)
        && document.is_any(at, VIRTUES);
    let prior = if virtue { prior.max(0.45) } else { prior };
    let sort = if word.is_common() && odds < 1.2 { Sort::Both } else { Sort::Name };
    made(sort, prior, "list of names")
}

/// Words of English that are first names in western and southern Africa.
const VIRTUES: WordSet = words![
    "comfort",
    "blessing",
    "joy",
    "precious",
    "patience",
    "mercy",
    "gift",
    "goodness",
    "peace",
    "happiness",
    "innocent",
    "godknows",
    "lucky",
    "prosper",
    "justice",
    "wisdom",
    "gladness",
    "memory",
    "beauty",
    "princess",
    "favour",
    "goodluck",
    "miracle",
    "promise",
    "progress",
    "fortune",
    "praise",
    "glory",
    "treasure",
    "pretty",
    "surprise",
    "learnmore",
    "trust",
    "talent",
    "bright",
    "divine",
    "thankgod",
    "sunday",
    "godwin",
    "gracious",
    "charity",
    "faith",
    "hope",
    "grace",
    "constance",
    "pleasure",
    "fortunate",
    "loveness",
    "tendai",
    "nomsa",
];

/// Whether all that is known about a word is that something of medicine is named after somebody.
fn is_only_eponym(word: Word) -> bool {
    (word.is_eponym_name() || word.is_eponym())
        && !(word.is_medical() || word.is_drug() || word.is_shorthand() || word.is_common())
}

/// Whether a word in capitals and the one beside it are names: "MARY KOSLOW", in a text that is not
/// in capitals otherwise.
fn is_upper_pair(document: &Document<'_>, at: usize) -> bool {
    let name = |token: &Token| {
        let word = token.word;
        token.is_word()
            && token.has(Flags::UPPER)
            && token.len() >= 3
            && ((word.is_first_name() || word.is_last_name()) && word.name_odds() > 0.3
                || !word.is_known() && token.len() >= 5)
            && !(word.is_medical() || word.is_drug() || word.is_shorthand())
            && !token.is(cues::HEADING.or(cues::UNIT).or(cues::CREDENTIAL).or(cues::NOBODY))
    };
    let given = |token: &Token| token.word.first_level() >= 8 && token.word.name_odds() > 1.0;
    let tokens = &document.tokens;
    let pair = |first: usize, second: usize| {
        tokens.get(second).is_some_and(|next| {
            name(&tokens[first])
                && name(next)
                && !next.has(Flags::LINE.or(Flags::GAP))
                && next.has(Flags::SPACE)
                && (given(&tokens[first]) || given(next))
        })
    };
    pair(at, at + 1) || at > 0 && pair(at - 1, at)
}

/// Whether a word is also a key of a form or the head of a name.
fn is_keyword(token: &Token) -> bool {
    const KEYS: u64 = (1 << 28) - (1 << 15);
    token.cue.classes.0 & KEYS != 0
        || token.is(cues::INSTITUTION_HEAD
            .or(cues::WARD_HEAD)
            .or(cues::SCHOOL_HEAD)
            .or(cues::KEY_CITY)
            .or(cues::KEY_WARD)
            .or(cues::KEY_STATE))
}

/// Whether a number, a colon or the like follows.
fn before_number(document: &Document<'_>, at: usize) -> bool {
    document.tokens.get(at + 1).is_some_and(|next| {
        next.is_number()
            || matches!(next.first, b':' | b'#' | b'(' | b'|') && !next.is_word()
            || next.is(cues::NUMBER_WORD)
    })
}

/// A word that no list has.
fn unknown(document: &Document<'_>, at: usize, token: &Token, start: bool, shouted: bool) -> Nameness {
    if token.cue.classes != cues::Classes::NONE {
        return made(Sort::Ordinary, 0.05, "cue");
    }
    // "Rec'd", "Disch'd".
    if document.word(at).ends_with("'d") || document.word(at).ends_with("’d") {
        return made(Sort::Ordinary, 0.05, "shortened word");
    }
    if looks_medical(document.word(at)) {
        return made(Sort::Medical, 0.3, "sounds medical");
    }
    let product = token.has(Flags::MIXED) && !has_name_prefix(document.word(at));
    let adjective = document.word(at).ends_with("ian")
        && document.tokens.get(at + 1).is_some_and(|next| {
            next.is_word() && !next.has(Flags::CAPITAL) && !next.is(cues::AFTER_PERSON.or(cues::PARTICLE))
        });
    let ratio = token.len() == 2
        && document.tokens.get(at + 1).is_some_and(|sign| sign.is_sign(b'/') && document.glued(at + 1));
    // "NSPCC", "LHND": capitals that nobody can pronounce.
    let consonants = token.has(Flags::UPPER)
        && token.len() <= 6
        && !document
            .word(at)
            .bytes()
            .any(|letter| matches!(letter | 0x20, b'a' | b'e' | b'i' | b'o' | b'u' | b'y'))
        && document.word(at).is_ascii();
    let prior = match () {
        _ if ratio || consonants => 0.2,
        _ if product => 0.4,
        _ if adjective => 0.3,
        _ if token.len() == 2 && !token.has(Flags::FOREIGN) => 0.45,
        _ if shouted => 0.66,
        _ if token.has(Flags::UPPER) => 0.55,
        _ if !token.has(Flags::CAPITAL) => 0.3,
        _ if start => 0.66,
        _ => 0.8,
    };
    made(Sort::Unknown, prior, "unknown word")
}

/// Whether a word with a capital in the middle is written as names are: "McCoy", "DiMarco".
fn has_name_prefix(word: &str) -> bool {
    let prefixes = [
        "Mc", "Mac", "De", "Di", "Da", "Du", "Del", "Della", "La", "Le", "Van", "Von", "Fitz", "O'", "O’",
        "D'", "D’", "St", "San", "Ter", "Ver", "Al", "El", "Ben", "Bin", "Ap",
    ];
    prefixes.iter().any(|prefix| {
        word.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(|letter: char| letter.is_uppercase()))
    }) || word.contains(['-', '\'', '’'])
}

/// Whether a token is a capitalized word that can be a name.
pub fn is_name(token: &Token) -> bool {
    let word = token.word;
    let known = word.is_first_name() || word.is_last_name();
    token.is_capital()
        && !token.has(Flags::SINGLE)
        && (known || !word.is_known())
        && !word.is_function()
        && word.name_odds() > -1.5
}

/// Endings of medical terms and substances.
const ENDINGS: &[&str] = &[
    "itis",
    "osis",
    "oses",
    "emia",
    "aemia",
    "ectomy",
    "otomy",
    "ostomy",
    "oscopy",
    "oma",
    "omas",
    "pathy",
    "plasty",
    "algia",
    "uria",
    "cillin",
    "mycin",
    "micin",
    "azole",
    "prazole",
    "olol",
    "pril",
    "sartan",
    "statin",
    "idine",
    "amine",
    "azine",
    "oxacin",
    "cycline",
    "vir",
    "mab",
    "nib",
    "tinib",
    "parin",
    "pam",
    "lam",
    "barbital",
    "caine",
    "dronate",
    "gliptin",
    "glitazone",
    "gliflozin",
    "tide",
    "lukast",
    "setron",
    "triptan",
    "thiazide",
    "semide",
    "ium",
    "itol",
    "ase",
    "gram",
    "graphy",
    "scope",
    "scopic",
    "metry",
    "metric",
    "genic",
    "trophy",
    "trophic",
    "lysis",
    "lytic",
    "plegia",
    "paresis",
    "phasia",
    "phagia",
    "pnea",
    "pnoea",
    "rrhea",
    "rrhoea",
    "rrhage",
    "ectasia",
    "ectasis",
    "iasis",
    "cele",
    "penia",
    "philia",
    "phobia",
    "plasia",
    "ptosis",
    "sclerosis",
    "stenosis",
    "thorax",
    "toxin",
    "trophin",
    "tropin",
    "globin",
    "globulin",
    "cyte",
    "cytes",
    "blast",
    "coccus",
    "cocci",
    "bacter",
    "virus",
    "logist",
    "logy",
    "logical",
    "atrics",
    "iatry",
    "opsy",
    "opia",
    "acusis",
    "esthesia",
    "aesthesia",
    "ergic",
    "zumab",
    "ximab",
    "platin",
    "rubicin",
    "taxel",
    "fungin",
    "afil",
    "dopa",
    "tropium",
    "terol",
    "sone",
    "solone",
    "onide",
    "profen",
    "oxetine",
    "triptyline",
    "zepam",
    "zolam",
    "apine",
    "idone",
    "peridol",
    "barb",
    "bital",
    "oxin",
    "arone",
    "entan",
    "ciclib",
    "rafenib",
    "icular",
    "oidal",
    "aceous",
    "mellitus",
    "ation",
    "ations",
    "ically",
    "iness",
    "fulness",
    "ously",
    "able",
    "ibility",
];

/// Endings by their last eight bytes, as a number.
struct Endings {
    packed: FxHashSet<u64>,
    /// A bit for each of them: most words have none of these endings.
    filter: [u64; 32],
}

impl Endings {
    fn has(&self, packed: u64) -> bool {
        let (at, bit) = Self::place(packed);
        self.filter[at] & bit != 0 && self.packed.contains(&packed)
    }

    fn place(packed: u64) -> (usize, u64) {
        let hash = packed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 53;
        (hash as usize / 64, 1 << (hash % 64))
    }
}

/// The endings of medical terms; longer ones by their last eight bytes.
fn endings() -> &'static Endings {
    static PACKED: OnceLock<Endings> = OnceLock::new();
    PACKED.get_or_init(|| {
        let last = |ending: &&str| packed(&ending.as_bytes()[ending.len().saturating_sub(8)..]);
        let packed: FxHashSet<u64> = ENDINGS.iter().map(last).collect();
        let mut filter = [0; 32];
        for (at, bit) in packed.iter().map(|packed| Endings::place(*packed)) {
            filter[at] |= bit;
        }
        Endings { packed, filter }
    })
}

fn packed(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, byte| number << 8 | u64::from(byte.to_ascii_lowercase()))
}

/// Whether a word sounds like a medical term or a substance [Sweeney 2001, section 6.1].
pub fn looks_medical(word: &str) -> bool {
    let bytes = word.as_bytes();
    if bytes.len() < 7 {
        return false;
    }
    let (endings, last) = (endings(), packed(&bytes[bytes.len().saturating_sub(8)..]));
    (3..=8.min(bytes.len() - 3)).any(|length| endings.has(last & u64::MAX >> (64 - 8 * length)))
}

thread_local! {
    /// Answers of [`is_misspelled`]: by the lowest bits of the hash of a word, the last such hash but for
    /// its highest bit, which is the answer.
    static MISSPELLED: [Cell<u64>; MOST_ANSWERS] = const { [const { Cell::new(0) }; MOST_ANSWERS] };
}

/// Words whose answer is remembered: 8 kB, which stay in the cache.
const MOST_ANSWERS: usize = 1 << 10;

/// Whether a word is one letter away from an ordinary word: a misspelling rather than a name.
/// Doubled, missing, swapped and wrong letters count, but not a wrong first letter. Two look-ups per
/// letter, and more only where one of them succeeds; once per word.
pub fn is_misspelled(word: &str) -> bool {
    // Words with and without accents have one hash, but not one answer.
    if !word.is_ascii() {
        return false;
    }
    let hash = crate::lexicon::hash(word);
    MISSPELLED.with(|answers| {
        let kept = &answers[hash as usize % MOST_ANSWERS];
        if kept.get() << 1 != hash << 1 {
            kept.set(hash << 1 >> 1 | u64::from(is_near_word(word)) << 63);
        }
        kept.get() >> 63 != 0
    })
}

fn is_near_word(word: &str) -> bool {
    if word.len() == 3 && word.is_ascii() {
        return ["teh", "hte", "adn", "nad", "fo", "hsi", "hre", "wsa", "fro", "ot", "yuo", "tis"]
            .contains(&word.to_ascii_lowercase().as_str());
    }
    if !word.is_ascii() || !(4..=16).contains(&word.len()) {
        return false;
    }
    let lexicon = crate::lexicon::lexicon();
    let length = word.len();
    let small = word.bytes().map(|byte| u128::from(byte.to_ascii_lowercase()));
    let packed = small.rev().fold(0, |packed, letter| packed << 8 | letter);
    let usual = |packed: u128, length: usize| lexicon.is_usual(hash_packed(packed, length));
    for at in 0..length {
        // Without its letter at this place.
        let before = (1 << (8 * at)) - 1;
        let shorter = hash_packed(packed & before | packed >> 8 & !before, length - 1);
        if lexicon.is_usual(shorter) {
            return true;
        }
        // With another letter there, or with the next two swapped, the same letters are left.
        if lexicon.may_be_shortened(shorter) && replaced(packed, length, at, usual) {
            return true;
        }
    }
    if !lexicon.may_be_shortened(hash_packed(packed, length)) {
        return false;
    }
    // With one more letter, the longest words do not fit a number.
    if length < 16 { inserted(packed, length, usual) } else { inserted_in_long(word) }
}

/// The same as [`inserted`] for a word of any length.
fn inserted_in_long(word: &str) -> bool {
    let lexicon = crate::lexicon::lexicon();
    let usual = |at: usize, letter: u8| {
        let other = [&word[..at], char::from(letter).encode_utf8(&mut [0; 4]), &word[at..]].concat();
        lexicon.is_usual(crate::lexicon::hash(&other))
    };
    (0..=word.len()).any(|at| (b'a'..=b'z').any(|letter| usual(at, letter)))
}

/// Whether another letter at a place, or the letter behind it before it, makes an ordinary word.
fn replaced(packed: u128, length: usize, at: usize, usual: impl Fn(u128, usize) -> bool) -> bool {
    let (shift, kept) = (8 * at, !(0xff << (8 * at)));
    let own = packed >> shift & 0xff;
    if at + 1 < length {
        let next = packed >> (shift + 8) & 0xff;
        let others = kept & !(0xff << (shift + 8));
        if usual(packed & others | next << shift | own << (shift + 8), length) {
            return true;
        }
    }
    let other =
        |letter: u8| u128::from(letter) != own && usual(packed & kept | u128::from(letter) << shift, length);
    at > 0 && (b'a'..=b'z').any(other)
}

/// Whether one more letter makes an ordinary word of at most 16.
fn inserted(packed: u128, length: usize, usual: impl Fn(u128, usize) -> bool) -> bool {
    (0..=length).any(|at| {
        let before = (1 << (8 * at)) - 1;
        let open = packed & before | (packed & !before) << 8;
        (b'a'..=b'z').any(|letter| usual(open | u128::from(letter) << (8 * at), length + 1))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medical_endings() {
        for word in ["Bronchitis", "cholecystectomy", "Zorvastatin", "ADALIMUMAB"] {
            assert!(looks_medical(word), "{word}");
        }
        for word in ["Kathel", "Wallams", "Vitis", "é", "Müllerová", "Oma"] {
            assert!(!looks_medical(word), "{word}");
        }
    }

    /// Whether an edit of a word gives an ordinary word, by trying all of them.
    fn is_near_by_definition(word: &str) -> bool {
        let letters: Vec<u8> = word.bytes().collect();
        let lexicon = crate::lexicon::lexicon();
        let usual = |letters: &[u8]| lexicon.word(std::str::from_utf8(letters).unwrap()).is_usual();
        let edit = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut other = letters.clone();
            change(&mut other);
            usual(&other)
        };
        let alphabet = || b'a'..=b'z';
        (0..letters.len()).any(|at| {
            edit(&|other| {
                other.remove(at);
            })
        }) || (1..letters.len()).any(|at| edit(&|other| other.swap(at - 1, at)))
            || (0..=letters.len()).any(|at| alphabet().any(|letter| edit(&|other| other.insert(at, letter))))
            || (1..letters.len())
                .any(|at| alphabet().any(|letter| letter != letters[at] && edit(&|other| other[at] = letter)))
    }

    proptest::proptest! {
        #[test]
        fn near_words_are_those_of_the_definition(
            word in "(pat|pre|con|st|b)(ie|e|a|io)(n|nt|st|r|in)(ed|t|s|al|x)[a-z]{0,3}",
        ) {
            proptest::prop_assert_eq!(is_near_word(&word), is_near_by_definition(&word), "{}", word);
        }
    }

    #[test]
    fn misspellings_of_ordinary_words() {
        for word in ["Pateint", "Presnted", "Shhe", "Aftter"] {
            assert!(is_misspelled(word), "{word}");
        }
        assert!(!is_misspelled("Kathel") && !is_misspelled("Zyxw") && !is_misspelled("Ö"));
    }

    /// What was asked before does not change an answer.
    #[test]
    fn accents_do_not_change_the_answer_for_plain_words() {
        assert!(!is_misspelled("Patéint") && is_misspelled("Pateint"));
        assert!(is_misspelled("Presnted") && !is_misspelled("Présnted"));
    }
}
