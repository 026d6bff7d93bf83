//! Searches a text for the values of a row: its identifiers, and its quasi-identifiers where the
//! row is released with less than the value.
//!
//! An identifier is found as a whole, with any separators; by each of its words, equal or within
//! one edit if it has five or more letters; by its long numbers; and as a date. A quasi-identifier
//! is found as a whole in the same way, and as a number or a date. What lies in a label of the row
//! does not count: the release says it anyway. Costs a comparison per token of the text and word of
//! the row.

use std::ops::Range;

use super::dates;
use super::tokens::{Folded, within_one_edit};
use super::words::{is_after_age, is_before_age, is_common, is_generic, is_unit};

/// Words shorter than this must be equal; longer ones may differ by one edit.
const LETTERS: usize = 5;
/// Characters between the parts of a value, at most.
const GAP: usize = 3;
/// Numbers of identifiers with fewer digits identify nobody.
const DIGITS: usize = 4;
/// Parts of identifiers that are numbers of at least this many digits are searched by themselves.
const PART: usize = 5;

/// What is searched for in the notes of a row.
#[derive(Debug)]
pub struct Value {
    words: Folded,
    /// The words that are searched by themselves.
    single: Vec<String>,
    date: Option<dates::Sought>,
    /// The label of a quasi-identifier; an identifier has none.
    label: Option<String>,
    quasi: bool,
}

impl Value {
    /// An identifier of the row.
    pub fn identifier(value: &str) -> Self {
        let words = Folded::new(value);
        let several = words.len() > 1;
        let single = (0..words.len()).filter(|&at| match words.tokens[at].digits {
            true => words.get(at).len() >= PART,
            false => words.get(at).chars().count() >= 3 && !(several && is_generic(words.get(at))),
        });
        let single = single.map(|at| words.get(at).to_owned()).collect();
        // The day is what identifies; a month or a year is shared by many.
        let date = dates::parse(value, None).map(dates::Sought::day_of);
        Value { words, single, date, label: None, quasi: false }
    }

    /// A quasi-identifier of the row with the label that the row is released with, and the format
    /// of its dates if it has any; none where the row is released with the value itself.
    pub fn quasi(value: &str, label: Option<&str>, format: Option<&str>) -> Option<Self> {
        if label == Some(value) {
            return None;
        }
        let date = dates::parse(value, format).map(|date| dates::Sought::new(date, label));
        let label = Some(label.unwrap_or_default().to_owned());
        Some(Value { words: Folded::new(value), single: Vec::new(), date, label, quasi: true })
    }
}

/// A text, ready to be searched.
#[derive(Debug)]
pub struct Note<'a> {
    source: &'a str,
    words: Folded,
}

impl<'a> Note<'a> {
    /// Of a text.
    pub fn new(source: &'a str) -> Self {
        Note { source, words: Folded::new(source) }
    }

    /// The values of a row that the text has, by their places.
    pub fn found<'v>(&'v self, values: &'v [Value]) -> impl Iterator<Item = usize> + 'v {
        let labels = values.iter().enumerate().flat_map(|(at, value)| {
            let label = value.label.as_deref().unwrap_or_default();
            occurrences(self.source, label).map(move |range| (at, range))
        });
        let labels: Vec<(usize, Range<usize>)> = labels.collect();
        (0..values.len()).filter(move |&at| {
            let mut found = Vec::new();
            self.mentions(&values[at], &mut found);
            let labelled = |tokens: &Range<usize>| {
                let bytes = self.words.bytes(tokens.clone());
                labels.iter().any(|(of, label)| {
                    let within = label.start <= bytes.start && bytes.end <= label.end;
                    within && (*of == at || values[at].quasi && label.len() > bytes.len())
                })
            };
            found.iter().any(|tokens| !(values[at].quasi && labelled(tokens)))
        })
    }

    /// The tokens of every mention of a value.
    fn mentions(&self, value: &Value, found: &mut Vec<Range<usize>>) {
        if value.words.len() == 0 {
            return;
        }
        if let Some(date) = &value.date {
            date.mentions(&self.words, self.source, found);
        }
        let digits = value.words.tokens.iter().all(|token| token.digits);
        let whole = value.words.joined();
        if digits && value.quasi && whole.len() < DIGITS {
            return self.small_number(whole, found);
        }
        let least = match (digits, value.quasi) {
            (true, _) => DIGITS,
            (false, true) => 3,
            (false, false) => 2,
        };
        if whole.chars().count() >= least {
            self.whole(value, digits, found);
        }
        for word in &value.single {
            self.word(word, found);
        }
    }

    /// The value as a whole: equal with any separators, or with as many words within one edit.
    fn whole(&self, value: &Value, digits: bool, found: &mut Vec<Range<usize>>) {
        let whole = value.words.joined();
        let short = whole.trim_start_matches('0');
        let zeros = digits && short.len() >= DIGITS;
        let wanted = if zeros { short } else { whole };
        let letters = value.words.tokens.iter().all(|token| !token.digits);
        let close = letters && whole.chars().count() >= LETTERS;
        let near = |at: usize| self.words.tokens.get(at).is_some_and(|token| token.gap <= GAP);
        let words = value.words.len();
        for start in 0..self.words.len() {
            let mut end = start + 1;
            loop {
                let window = self.words.window(start..end);
                let window = if zeros { window.trim_start_matches('0') } else { window };
                if window == wanted {
                    found.push(start..end);
                }
                if window.len() >= wanted.len() || !near(end) {
                    break;
                }
                end += 1;
            }
            let end = start + words;
            if close && (start + 1..end).all(near) {
                let window = self.words.window(start..end);
                if within_one_edit(window, whole) && !(words == 1 && is_common(window)) {
                    found.push(start..end);
                }
            }
        }
    }

    /// One word of a value: equal, within one edit if it is long, or written as two words.
    fn word(&self, word: &str, found: &mut Vec<Range<usize>>) {
        let letters = !word.starts_with(|c: char| c.is_ascii_digit());
        let long = letters && word.chars().count() >= LETTERS;
        for at in 0..self.words.len() {
            let token = self.words.get(at);
            if token == word || long && within_one_edit(token, word) && !is_common(token) {
                found.push(at..at + 1);
            }
            let next = self.words.tokens.get(at + 1);
            if long && next.is_some_and(|next| next.gap <= 2) && self.words.window(at..at + 2) == word {
                found.push(at..at + 2);
            }
        }
    }

    /// A number of one to three digits: not a part of another number, and not a dose; of one digit,
    /// only as an age.
    fn small_number(&self, number: &str, found: &mut Vec<Range<usize>>) {
        let number = number.trim_start_matches('0');
        if number.is_empty() {
            return;
        }
        let tied = |at: usize| {
            let (Some(one), Some(two)) = (self.words.tokens.get(at), self.words.tokens.get(at + 1)) else {
                return false;
            };
            let between = &self.source[one.range.end..two.range.start];
            one.digits && two.digits && matches!(between, "." | "," | "/" | ":" | "-")
        };
        for at in 0..self.words.len() {
            let token = &self.words.tokens[at];
            if !token.digits || self.words.get(at).trim_start_matches('0') != number {
                continue;
            }
            if tied(at) || at > 0 && tied(at - 1) {
                continue;
            }
            let next =
                self.words.tokens.get(at + 1).filter(|next| next.gap <= 1).map(|_| self.words.get(at + 1));
            let age = next.is_some_and(is_after_age) || at > 0 && is_before_age(self.words.get(at - 1));
            let percent = self.source[token.range.end..].trim_start().starts_with('%');
            let dose = percent || next.is_some_and(is_unit);
            if age || number.len() > 1 && !dose {
                found.push(at..at + 1);
            }
        }
    }
}

/// Where a label stands in a text by itself.
fn occurrences<'a>(source: &'a str, label: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
    let says = label.chars().any(char::is_alphanumeric);
    let ends = |c: Option<char>, edge: Option<char>| {
        !(c.is_some_and(char::is_alphanumeric) && edge.is_some_and(char::is_alphanumeric))
    };
    let found = says.then(|| source.match_indices(label)).into_iter().flatten();
    found.map(|(start, label)| start..start + label.len()).filter(move |range| {
        let before = source[..range.start].chars().next_back();
        let after = source[range.end..].chars().next();
        ends(before, label.chars().next()) && ends(after, label.chars().next_back())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(note: &str, value: Value) -> bool {
        Note::new(note).found(&[value]).next().is_some()
    }

    #[test]
    fn names_are_found_in_parts_misspelt_and_with_other_separators() {
        let name = || Value::identifier("Virginia O'Brien-Townsend");
        for note in [
            "seen by VIRGINIA today",
            "virginia's mother",
            "Ms. Twonsend",
            "Townsand",
            "Town-\nsend",
            "OBrien Townsend",
            "Mr Brien",
            "Virg\u{ad}inia",
            "Townsénd",
        ] {
            assert!(has(note, name()), "{note}");
        }
        for note in ["", "the town sends", "a virgin olive", "a babbling brook", "Mr. O. was seen"] {
            assert!(!has(note, name()), "{note}");
        }
        assert!(has("pt will return", Value::identifier("Will")));
        assert!(has("Seen by Ng", Value::identifier("Ng")) && !has("on a diet", Value::identifier("A")));
        assert!(!has("for a while", Value::identifier("White")) && has("whitte", Value::identifier("White")));
        assert!(!has("in the street", Value::identifier("18 Huntington Street")));
        assert!(has("huntingdon", Value::identifier("18 Huntington Street")));
    }

    #[test]
    fn numbers_are_found_with_other_separators() {
        let number = || Value::identifier("CH#32-841-09787");
        for note in ["CH3284109787", "ch 32 841 09787", "no. 09787", "(CH) 32.841-09787"] {
            assert!(has(note, number()), "{note}");
        }
        assert!(!has("32 841", number()) && !has("3284109788", number()));
        assert!(has("call 6175551214", Value::identifier("(617) 555-1214")));
        assert!(
            has("id 0012345", Value::identifier("12345")) && has("id 12345", Value::identifier("0012345"))
        );
        assert!(!has("id 123", Value::identifier("123")));
        assert!(has("born 26 May 1986", Value::identifier("1986-05-26")));
        assert!(!has("in May 1986", Value::identifier("1986-05-26")));
    }

    fn quasi(value: &str, label: &str) -> Value {
        Value::quasi(value, Some(label), None).unwrap()
    }

    #[test]
    fn finer_mentions_are_found_and_labels_are_not() {
        assert!(Value::quasi("47", Some("47"), None).is_none());
        for note in ["47-year-old", "aged 47.", "47yo F", "he is 47", "(47)"] {
            assert!(has(note, quasi("47", "[40, 50)")), "{note}");
        }
        for note in ["47 mg", "47%", "120/47", "4.47", "a 147", "in [40, 50)", ""] {
            assert!(!has(note, quasi("47", "[40, 50)")), "{note}");
        }
        assert!(!has("a [40, 50)-year-old", quasi("40", "[40, 50)")));
        assert!(has("a 40-year-old of [40, 50)", quasi("40", "[40, 50)")));
        assert!(has("7 year old", quasi("7", "[0, 10)")) && !has("7 tabs, 7 days", quasi("7", "[0, 10)")));
        assert!(has("Boston 02151", quasi("02151", "021**")) && !has("021**", quasi("02151", "021**")));
        assert!(has("earns 52,000", quasi("52000", "[50000, 60000)")));
        assert!(has("lives in LYNN", quasi("Lynn", "Massachusetts")));
        assert!(!has("a nurse or midwife", quasi("nurse", "nurse or midwife")));
        assert!(has("works as a nurse", quasi("nurse", "nurse or midwife")));
        assert!(has("an airline pilots union", quasi("airline pilot", "*")));
        assert!(!has("sex F", quasi("F", "*")));
    }

    #[test]
    fn a_number_within_the_longer_label_of_another_column_does_not_count() {
        let values = [quasi("40", "[40, 60)"), quasi("47", "[40, 50)")];
        assert_eq!(Note::new("weight [40, 50)").found(&values).count(), 0);
        let values = [quasi("40", "[40, 60)"), quasi("40.0", "40")];
        assert_eq!(Note::new("weight 40").found(&values).next(), Some(0));
    }
}
