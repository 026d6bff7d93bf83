//! Infers the meaning of a column from its name.
//!
//! A name is split into words (`patBirthDate`, `pat_birth_date`, `PAT BIRTH-DATE`), and its runs of
//! words are looked up among the phrases of [`WORDS`]; runs are compared without spaces, so
//! `birthdate` and `birth_date` are the same. If several phrases fit, one that contains the head of
//! the name wins (`address_city` is a city, `age_at_admission` an age), then the longest. Costs one
//! look-up per run.

use std::cmp::Reverse;
use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::words::{Says, WORDS, Word};

/// Words that say nothing of their own at the end of a name: `diagnosis_code_1` is about a
/// diagnosis.
const TAILS: &[&str] = &[
    "code",
    "cd",
    "type",
    "class",
    "category",
    "cat",
    "group",
    "grp",
    "status",
    "flag",
    "value",
    "val",
    "name",
    "nm",
    "id",
    "no",
    "nr",
    "num",
    "number",
    "key",
    "text",
    "txt",
    "desc",
    "description",
    "level",
    "yn",
    "ind",
    "indicator",
    "raw",
    "orig",
    "new",
    "old",
    "primary",
    "secondary",
    "main",
];

/// Words of a name that is about a thing rather than the thing itself: `phone_type`, `has_email`.
const ASPECTS: &[&str] = &[
    "type",
    "class",
    "category",
    "cat",
    "group",
    "grp",
    "status",
    "flag",
    "count",
    "cnt",
    "kind",
    "level",
    "band",
    "range",
    "has",
    "is",
    "total",
    "prefix",
    "suffix",
    "verified",
    "valid",
    "present",
    "yn",
    "ind",
    "indicator",
    "model",
    "brand",
    "typ",
    "art",
    "klasse",
    "anzahl",
    "tipo",
    "statut",
];

/// Words that number things when they stand at the end, and count them when they stand in front.
const NUMBERS: &[&str] =
    &["id", "ids", "no", "nr", "num", "number", "nbr", "key", "nummer", "numero", "identifier", "uid"];

/// Words that follow the head of a name.
const PREPOSITIONS: &[&str] =
    &["of", "at", "in", "for", "by", "from", "per", "on", "de", "du", "von", "der", "bei"];

/// The meaning of a name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Meaning {
    /// The phrase that fits best.
    pub word: Option<&'static Word>,
    /// Whether the name speaks of an age anywhere.
    pub age: bool,
    /// Whether it ends in a word that numbers things, such as `id`.
    pub numbered: bool,
    /// Whether it is about an aspect of the thing: its type, its status, how many.
    pub aspect: bool,
}

impl Meaning {
    /// What the best phrase says.
    pub fn says(&self) -> Option<Says> {
        self.word.map(|w| w.says)
    }
}

/// The meaning of a column's name.
pub(super) fn meaning(name: &str) -> Meaning {
    let words = split(name);
    let is = |word: &str, list: &[&str]| list.contains(&word);
    let last = words.iter().rev().find(|w| !w.bytes().all(|b| b.is_ascii_digit()));
    let counts = words.len() > 1 && (is(&words[0], NUMBERS) || words[0] == "n");
    let matches = matches(&words);
    Meaning {
        word: matches.iter().max_by_key(|m| m.rank).map(|m| m.word),
        age: matches.iter().any(|m| m.word.says == Says::Age),
        numbered: words.len() > 1 && last.is_some_and(|w| is(w, NUMBERS)),
        aspect: counts || words.len() > 1 && words.iter().any(|w| is(w, ASPECTS)),
    }
}

/// Whether a name suggests what outsiders know of a person: a place, a date, an age, or a visible or
/// public fact.
pub fn outsiders_know(name: &str) -> bool {
    use Says::{Age, Date, Month, Postal, Quasi, Year};
    matches!(meaning(name).says(), Some(Quasi | Age | Date | Year | Month | Postal))
}

/// A phrase that a name holds; the greatest rank wins.
struct Match {
    word: &'static Word,
    rank: (bool, bool, usize, Reverse<usize>),
}

/// One phrase: its place in [`WORDS`] and its mark.
type Phrase = (usize, Option<char>);

/// Every phrase by its letters, without spaces.
static PHRASES: LazyLock<FxHashMap<String, Vec<Phrase>>> = LazyLock::new(|| {
    let mut phrases: FxHashMap<String, Vec<Phrase>> = FxHashMap::default();
    for (order, word) in WORDS.iter().enumerate() {
        for (mark, phrase) in word.phrases.split('|').map(marked) {
            phrases.entry(phrase.replace(' ', "")).or_default().push((order, mark));
        }
    }
    phrases
});

fn matches(words: &[String]) -> Vec<Match> {
    let head = head(words);
    let numbers = words.iter().rev().take_while(|w| w.bytes().all(|b| b.is_ascii_digit())).count();
    let whole = words.len() - if numbers < words.len() { numbers } else { 0 };
    let mut found = Vec::new();
    for start in 0..words.len() {
        // No phrase has more than five words.
        for end in start + 1..=words.len().min(start + 5) {
            let run = words[start..end].concat();
            for &(order, mark) in phrases(&run) {
                if mark != Some('=') || start == 0 && end >= whole {
                    let holds_head = (start..end).contains(&head);
                    let rank = (mark != Some('~'), holds_head, run.len(), Reverse(order));
                    found.push(Match { word: &WORDS[order], rank });
                }
            }
        }
    }
    found
}

/// The phrases that a run of words is, or is the plural of.
fn phrases(run: &str) -> &'static [Phrase] {
    // A plural needs a word that is long enough not to become another: `nos` is not `no`.
    let singular = run.strip_suffix('s').filter(|s| s.len() > 3);
    // German writes compounds in one word: `entlassdatum`, `eintrittsdatum`.
    let compound = || run.strip_suffix("datum").and_then(|_| PHRASES.get("datum"));
    let found = PHRASES.get(run).or_else(|| PHRASES.get(singular?)).or_else(compound);
    found.map_or(&[], Vec::as_slice)
}

/// A phrase without its mark.
fn marked(phrase: &str) -> (Option<char>, &str) {
    match phrase.chars().next() {
        Some(mark @ ('=' | '~')) => (Some(mark), &phrase[1..]),
        _ => (None, phrase),
    }
}

/// The word that the name is about: the last before a preposition, tails and numbers aside.
fn head(words: &[String]) -> usize {
    let stop = words.iter().skip(1).position(|w| PREPOSITIONS.contains(&w.as_str()));
    let mut end = stop.map_or(words.len(), |at| at + 1);
    let idle = |w: &String| TAILS.contains(&w.as_str()) || w.bytes().all(|b| b.is_ascii_digit());
    while end > 1 && idle(&words[end - 1]) {
        end -= 1;
    }
    end.saturating_sub(1)
}

/// The words of a name, small and without accents: split at everything that is neither letter nor
/// digit, where small letters meet capitals, and where letters meet digits.
pub(super) fn split(name: &str) -> Vec<String> {
    let chars: Vec<char> = name.chars().collect();
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    for (i, &c) in chars.iter().enumerate() {
        let before = i.checked_sub(1).map(|j| chars[j]);
        let after = chars.get(i + 1);
        if !c.is_alphanumeric() || before.is_some_and(|b| cuts(b, c, after)) {
            words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
        }
        if c.is_alphanumeric() {
            c.to_lowercase().for_each(|c| fold(c, &mut word));
        }
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

/// Whether a new word begins at `c`.
fn cuts(before: char, c: char, after: Option<&char>) -> bool {
    let camel = before.is_lowercase() && c.is_uppercase();
    // The S of `SSNStatus`… is the first letter of a word when a small letter follows.
    let acronym = before.is_uppercase() && c.is_uppercase() && after.is_some_and(|a| a.is_lowercase());
    camel || acronym || before.is_numeric() != c.is_numeric() && before.is_alphanumeric()
}

/// Adds a letter without its accent.
fn fold(c: char, word: &mut String) {
    let plain = match c {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' => 'a',
        'ç' => 'c',
        'è' | 'é' | 'ê' | 'ë' => 'e',
        'ì' | 'í' | 'î' | 'ï' => 'i',
        'ñ' => 'n',
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' => 'o',
        'ù' | 'ú' | 'û' | 'ü' => 'u',
        'ß' => {
            word.push('s');
            's'
        }
        _ => c,
    };
    word.push(plain);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split() {
        for (name, words) in [
            ("patBirthDate", &["pat", "birth", "date"][..]),
            ("PAT BIRTH-DATE", &["pat", "birth", "date"]),
            ("SSNStatus", &["ssn", "status"]),
            ("diag_1", &["diag", "1"]),
            ("icd10code", &["icd", "10", "code"]),
            ("Straße", &["strasse"]),
            ("código postal", &["codigo", "postal"]),
            ("marital-status", &["marital", "status"]),
            ("", &[]),
            ("---", &[]),
        ] {
            assert_eq!(split(name), words, "{name}");
        }
    }

    #[test]
    fn the_head_wins_then_the_longest() {
        for (name, label) in [
            ("address_city", "a place smaller than a state"),
            ("city_address", "a street address"),
            ("age_at_admission", "an age"),
            ("date_of_birth", "a date of birth"),
            ("county_name", "a place smaller than a state"),
            ("drug_name", "a medication"),
            ("project_name", "a person's name"),
            ("diagnosis_code_1", "a diagnosis"),
            ("diagnosis_date", "a date of admission, discharge or service"),
            ("salary-class", "an income class"),
            ("birth_weight", "a visible body measure"),
            ("sample_weight", "a survey weight"),
            ("hba1c", "a laboratory or test result"),
            ("zip5", "a postal code"),
            ("emails", "an e-mail address"),
            ("native-country", "a state, region or country"),
            ("Entlassdatum", "a date"),
            ("eth", "race or ethnicity"),
        ] {
            let word = meaning(name).word;
            assert_eq!(word.map(|w| w.label), Some(label), "{name}");
        }
        assert!(meaning("xyzzy").word.is_none());
        assert!(meaning("language_age").age);
    }

    #[test]
    fn what_outsiders_know_follows_from_the_name() {
        for name in ["Geb.-Datum", "latitude", "sex", "plz", "age", "visit_year"] {
            assert!(outsiders_know(name), "{name}");
        }
        for name in ["type", "diagnosis", "charges", "x1", "q17"] {
            assert!(!outsiders_know(name), "{name}");
        }
    }

    #[test]
    fn numbers_at_the_end_number_and_in_front_count() {
        assert!(meaning("provider_id").numbered);
        assert!(!meaning("provider_id").aspect);
        assert!(meaning("number_of_visits").aspect);
        assert!(!meaning("id").numbered);
        assert!(meaning("phone_type").aspect);
    }

    #[test]
    fn phrases_are_plain() {
        for phrase in WORDS.iter().flat_map(|w| w.phrases.split('|')) {
            let (_, phrase) = marked(phrase);
            assert!(
                phrase.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b' '),
                "{phrase}"
            );
            assert_eq!(phrase, phrase.trim(), "{phrase}");
            assert!(!phrase.is_empty());
        }
    }
}
