//! Made-up words: names of people, places and companies from syllables.
//!
//! No word of these is in the detectors' lists, so that a detector cannot find it by memory: a word
//! that the lexicon knows, as whatever, is drawn again. A word costs about 100 ns.

use super::chance::Chance;
use crate::lexicon::lexicon;

/// The sound of a language.
struct Model {
    onsets: &'static [&'static str],
    vowels: &'static [&'static str],
    codas: &'static [&'static str],
    endings: &'static [&'static str],
}

const ONSETS: &[&str] = &[
    "b", "br", "c", "cl", "d", "dr", "f", "fl", "g", "gr", "h", "j", "k", "kl", "l", "m", "n", "p", "pr",
    "qu", "r", "s", "sc", "sk", "sl", "st", "str", "t", "th", "tr", "v", "vr", "w", "y", "z",
];
const HARD: &[&str] =
    &["b", "d", "dz", "g", "h", "k", "kr", "m", "n", "p", "r", "s", "sh", "t", "v", "z", "zd"];
const SOFT: &[&str] =
    &["b", "c", "d", "f", "g", "l", "m", "n", "p", "r", "s", "t", "v", "l", "r", "br", "gl"];
const VOWELS: &[&str] = &["a", "e", "i", "o", "u", "a", "e", "o", "ai", "ei", "ou", "ea"];
const CODAS: &[&str] = &["", "", "l", "n", "r", "s", "m", "nd", "rn", "rv", "lt", "x", "sk", "nt", "ll"];

const FEMALE: Model = Model {
    onsets: ONSETS,
    vowels: VOWELS,
    codas: CODAS,
    endings: &["a", "ia", "elle", "ine", "eth", "ena", "ora", "issa", "yra", "wen", "inda", "ie", "ou", "é"],
};
const MALE: Model = Model {
    onsets: ONSETS,
    vowels: VOWELS,
    codas: CODAS,
    endings: &["o", "us", "an", "or", "in", "ard", "ek", "en", "ulf", "im", "ias", "on", "ert", "ó"],
};
const LAST: [Model; 4] = [
    Model {
        onsets: ONSETS,
        vowels: VOWELS,
        codas: CODAS,
        endings: &[
            "son", "well", "worth", "man", "ley", "by", "more", "er", "s", "ham", "croft", "ett", "low",
        ],
    },
    Model {
        onsets: HARD,
        vowels: &["a", "e", "i", "o", "u"],
        codas: &["", "k", "l", "n", "r", "sh", "v", "z"],
        endings: &["ski", "ovic", "enko", "ák", "iec", "escu", "ova", "adze", "ian", "czyk"],
    },
    Model {
        onsets: SOFT,
        vowels: &["a", "e", "i", "o", "u", "ia", "ue"],
        codas: &["", "", "l", "n", "r", "s"],
        endings: &["ez", "ini", "ello", "eau", "ardi", "oso", "ães", "ignac", "ault", "era"],
    },
    Model {
        onsets: ONSETS,
        vowels: &["a", "e", "o", "u", "ö", "ä", "ie"],
        codas: CODAS,
        endings: &["mann", "strand", "quist", "berg", "haus", "ström", "sen", "huber", "gaard", "bach"],
    },
];
const PLACE: Model = Model {
    onsets: ONSETS,
    vowels: VOWELS,
    codas: CODAS,
    endings: &["ton", "ville", "ford", "bury", "field", "stead", "mouth", "wick", "dale", "by", "ona", "esk"],
};
const COMPANY: Model = Model {
    onsets: ONSETS,
    vowels: VOWELS,
    codas: CODAS,
    endings: &["tek", "ora", "ix", "one", "ex", "ana", "is", "ium", "con", "olt"],
};

fn syllables(model: &Model, chance: &mut Chance, word: &mut String) {
    let count = 1 + usize::from(chance.permille(450));
    for number in 0..count {
        word.push_str(chance.pick(model.onsets));
        word.push_str(chance.pick(model.vowels));
        if number + 1 == count {
            word.push_str(chance.pick(model.codas));
        }
    }
    word.push_str(chance.pick(model.endings));
}

/// Whether a word is safe to mean something new: no list knows it, nor as a possessive or a plural.
fn is_new(word: &str) -> bool {
    let known = |word: &str| lexicon().word(word).is_known();
    word.chars().count() > 3 && !known(word) && word.strip_suffix('s').is_none_or(|stem| !known(stem))
}

fn made(model: &Model, chance: &mut Chance) -> String {
    let mut word = String::with_capacity(16);
    for _ in 0..64 {
        word.clear();
        syllables(model, chance, &mut word);
        if is_new(&word) {
            break;
        }
    }
    capitalized(&word)
}

fn capitalized(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// A first name.
pub(super) fn first_name(female: bool, chance: &mut Chance) -> String {
    let model = if female { &FEMALE } else { &MALE };
    let name = made(model, chance);
    if chance.permille(25) { format!("{name}-{}", made(model, chance)) } else { name }
}

/// A last name, some with a particle, a hyphen or an apostrophe.
pub(super) fn last_name(chance: &mut Chance) -> String {
    let plain = |chance: &mut Chance| {
        let model = if chance.permille(550) { &LAST[0] } else { &LAST[chance.below(LAST.len())] };
        made(model, chance)
    };
    let name = plain(chance);
    match chance.below(100) {
        0..4 => format!("{name}-{}", plain(chance)),
        4..6 => format!("O'{name}"),
        6..8 => format!("Mc{name}"),
        8 => format!("van der {name}"),
        9 => format!("de la {name}"),
        10 => format!("von {name}"),
        11 => format!("Al-{name}"),
        _ => name,
    }
}

/// What friends call somebody: the start of the first name with an ending.
pub(super) fn nickname(first: &str, chance: &mut Chance) -> String {
    let stem: String = first.chars().filter(|c| c.is_alphabetic()).take(4).collect();
    for ending in [chance.pick(&["ie", "y", "o", "kins"]), "ka", "chen"] {
        let name = format!("{}{ending}", stem.trim_end_matches(['a', 'e', 'i', 'o', 'u', 'y']));
        if is_new(&name.to_lowercase()) {
            return name;
        }
    }
    made(&FEMALE, chance)
}

/// A word for a place: a town, or what a street is named after.
pub(super) fn place(chance: &mut Chance) -> String {
    made(&PLACE, chance)
}

/// A town, some with another word.
pub(super) fn city(chance: &mut Chance) -> String {
    let name = place(chance);
    match chance.below(20) {
        0 => format!("North {name}"),
        1 => format!("{name} Springs"),
        2 => format!("Port {name}"),
        3 => format!("{name} Heights"),
        4 => format!("{name}-on-{}", place(chance)),
        _ => name,
    }
}

/// A word for a company.
pub(super) fn company(chance: &mut Chance) -> String {
    made(&COMPANY, chance)
}
