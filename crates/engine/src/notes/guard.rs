//! The last check of a scrubbed note: whatever still resembles an identifier of its row, or says a
//! quasi-identifier more precisely than the row is released with, is suppressed.
//!
//! A surrogate or an ordinary word can resemble a value of the row by chance ("Will", "May"). The
//! verifier cannot know that, so a note is searched until nothing is left to find, and a release
//! passes by construction. Costs a comparison per word of the note and word of the row.

use std::ops::Range;

use chrono::{Datelike, NaiveDate};

use super::ordinary::{is_ordinary, is_part_of_names, is_unit};
use super::words::{Word, joined, resembles, words};

/// What is written in place of what is suppressed.
const SUPPRESSED: &str = "***";

/// A value of a row that its notes must not have.
#[derive(Debug)]
pub(super) struct Secret {
    words: Vec<Word>,
    date: Option<NaiveDate>,
    /// The label of a quasi-identifier, empty if it is missing; none for an identifier.
    label: Option<String>,
}

impl Secret {
    /// An identifier.
    pub(super) fn identifier(value: &str) -> Self {
        Secret { words: words(value), date: date(value, None), label: None }
    }

    /// A quasi-identifier with its label; none where the row is released with the value.
    pub(super) fn quasi(value: &str, label: Option<&str>, format: Option<&str>) -> Option<Self> {
        let label = label.unwrap_or_default();
        let hidden = label != value || value.is_empty();
        hidden.then(|| Secret {
            words: words(value),
            date: date(value, format),
            label: Some(label.to_owned()),
        })
    }
}

/// A date that a value is.
fn date(value: &str, format: Option<&str>) -> Option<NaiveDate> {
    let usual = ["%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y"];
    let day = value.get(..10).unwrap_or(value);
    let formats = format.into_iter().chain(usual);
    formats.into_iter().find_map(|format| {
        let parsed = |text: &str| NaiveDate::parse_from_str(text, format).ok();
        parsed(value).or_else(|| parsed(day))
    })
}

/// A note in which nothing is left to find, and the number of places that were suppressed.
pub(super) fn guarded(mut note: String, secrets: &[Secret]) -> (String, u64) {
    let mut suppressed = 0;
    loop {
        let mut found = Search { note: &note, words: words(&note) }.all(secrets);
        if found.is_empty() {
            return (note, suppressed);
        }
        found.sort_by_key(|range| (range.start, range.end));
        let mut merged: Vec<Range<usize>> = Vec::with_capacity(found.len());
        for range in found {
            match merged.last_mut().filter(|last| range.start <= last.end) {
                Some(last) => last.end = last.end.max(range.end),
                None => merged.push(range),
            }
        }
        suppressed += merged.len() as u64;
        for range in merged.into_iter().rev() {
            note.replace_range(range, SUPPRESSED);
        }
    }
}

struct Search<'a> {
    note: &'a str,
    words: Vec<Word>,
}

impl Search<'_> {
    /// The bytes of everything that must not stay.
    fn all(&self, secrets: &[Secret]) -> Vec<Range<usize>> {
        let mut ranges = Vec::new();
        for (at, secret) in secrets.iter().enumerate().filter(|(_, secret)| !secret.words.is_empty()) {
            let mut found = Vec::new();
            self.of(secret, &mut found);
            let bytes =
                |range: Range<usize>| self.words[range.start].at.start..self.words[range.end - 1].at.end;
            let found = found.into_iter().map(bytes);
            ranges.extend(found.filter(|range| !self.is_said(range, at, secrets)));
        }
        ranges
    }

    /// Whether a finding is a part of a label of the row.
    fn is_said(&self, found: &Range<usize>, at: usize, secrets: &[Secret]) -> bool {
        if secrets[at].label.is_none() {
            return false;
        }
        secrets.iter().enumerate().any(|(of, secret)| {
            let Some(label) = secret.label.as_deref().filter(|label| label.contains(char::is_alphanumeric))
            else {
                return false;
            };
            if of != at && label.len() <= found.len() {
                return false;
            }
            self.note.match_indices(label).any(|(start, _)| {
                let end = start + label.len();
                let open = |neighbour: Option<char>, edge: Option<char>| {
                    neighbour.is_some_and(char::is_alphanumeric) && edge.is_some_and(char::is_alphanumeric)
                };
                let cut = open(self.note[..start].chars().next_back(), label.chars().next())
                    || open(self.note[end..].chars().next(), label.chars().next_back());
                !cut && start <= found.start && found.end <= end
            })
        })
    }

    /// The words of every mention of a secret.
    fn of(&self, secret: &Secret, found: &mut Vec<Range<usize>>) {
        let quasi = secret.label.is_some();
        if let Some(date) = secret.date {
            let label = secret.label.as_deref();
            self.dates(date, label, found);
        }
        let whole = joined(&secret.words);
        let numbers = secret.words.iter().all(|word| word.number);
        if numbers && quasi && whole.len() < 4 {
            return self.small_numbers(whole.trim_start_matches('0'), found);
        }
        let least = if numbers { 4 } else { 2 + usize::from(quasi) };
        if whole.chars().count() >= least {
            self.wholes(secret, &whole, numbers, found);
        }
        if !quasi {
            self.parts(secret, found);
        }
    }

    /// The whole value with other separators or one edit.
    fn wholes(&self, secret: &Secret, whole: &str, numbers: bool, found: &mut Vec<Range<usize>>) {
        let letters = secret.words.iter().all(|word| !word.number) && whole.chars().count() >= 5;
        let bare = whole.trim_start_matches('0');
        for start in 0..self.words.len() {
            let mut text = String::new();
            for end in start..self.words.len() {
                if end > start && self.words[end].apart > 3 {
                    break;
                }
                text.push_str(&self.words[end].text);
                let same =
                    text == whole || numbers && bare.len() >= 4 && text.trim_start_matches('0') == bare;
                let one = end == start;
                let close = letters
                    && end + 1 - start == secret.words.len()
                    && resembles(&text, whole)
                    && !(one && is_ordinary(&text));
                if same || close {
                    found.push(start..end + 1);
                }
                let longer = end + 1 - start < secret.words.len();
                if !longer && text.trim_start_matches('0').len() > whole.len() {
                    break;
                }
            }
        }
    }

    /// The parts of an identifier.
    fn parts(&self, secret: &Secret, found: &mut Vec<Range<usize>>) {
        let several = secret.words.len() > 1;
        for part in &secret.words {
            let letters = part.text.chars().count();
            let named = if part.number { letters >= 5 } else { letters >= 3 };
            if !named || several && is_part_of_names(&part.text) {
                continue;
            }
            let long = !part.number && letters >= 5;
            for (at, word) in self.words.iter().enumerate() {
                let close = long && resembles(&word.text, &part.text) && !is_ordinary(&word.text);
                if word.text == part.text || close {
                    found.push(at..at + 1);
                }
                let next = self.words.get(at + 1).filter(|next| long && next.apart <= 2);
                if next.is_some_and(|next| word.text.clone() + &next.text == part.text) {
                    found.push(at..at + 2);
                }
            }
        }
    }

    /// A number of up to three digits that is not a part of another number, and not a dose.
    fn small_numbers(&self, number: &str, found: &mut Vec<Range<usize>>) {
        for (at, word) in self.words.iter().enumerate() {
            if number.is_empty() || !word.number || word.text.trim_start_matches('0') != number {
                continue;
            }
            let tied = |one: &Word, two: &Word| {
                let between = &self.note[one.at.end..two.at.start];
                one.number && two.number && [".", ",", "/", ":", "-"].contains(&between)
            };
            let next = self.words.get(at + 1);
            let before = at.checked_sub(1).map(|at| &self.words[at]);
            if next.is_some_and(|next| tied(word, next)) || before.is_some_and(|before| tied(before, word)) {
                continue;
            }
            let near = next.filter(|next| next.apart <= 1).map(|next| next.text.as_str());
            let follows = [
                "anos", "ans", "anni", "jahre", "jahrige", "jahriger", "y", "year", "years", "yo", "yr",
                "yrs",
            ];
            let precedes = ["age", "aged", "alter", "edad"];
            let age = near.is_some_and(|near| follows.contains(&near))
                || before.is_some_and(|before| precedes.contains(&before.text.as_str()));
            let percent = self.note[word.at.end..].trim_start().starts_with('%');
            if age || number.len() > 1 && !percent && !near.is_some_and(is_unit) {
                found.push(at..at + 1);
            }
        }
    }

    /// A date, or the part of it that the label does not say; an identifier has no label, and of
    /// its date the day counts.
    fn dates(&self, date: NaiveDate, label: Option<&str>, found: &mut Vec<Range<usize>>) {
        let (day, month) = (date.day().to_string(), date.month().to_string());
        let year = format!("{:04}", date.year());
        let month_said = label.is_none_or(|label| label == format!("{year}-{:02}", date.month()));
        let years = |label: &str| label.split(|c: char| !c.is_ascii_digit()).filter(|n| n.len() == 4).count();
        let year_said = label.is_none_or(|label| label.starts_with(&year) && years(label) == 1);
        let is = |at: usize, wanted: &str| {
            let word = &self.words[at];
            word.number && word.text.len() <= 2 && word.text.trim_start_matches('0') == wanted
        };
        let is_year = |at: usize| {
            let word = &self.words[at];
            word.number && (word.text == year || word.text == year[2..])
        };
        for at in 0..self.words.len() {
            let word = &self.words[at];
            if !word.number && is_month(&word.text, date.month()) {
                let near = |at: usize| at.saturating_sub(4)..(at + 6).min(self.words.len());
                for other in near(at).filter(|&other| is(other, &day)) {
                    found.push(at.min(other)..at.max(other) + 1);
                }
                // Without its month, a year is what the label says or is found by itself.
                if !month_said && near(at).any(is_year) {
                    found.push(at..at + 1);
                }
            }
            let forms = ["%Y%m%d", "%d%m%Y", "%m%d%Y"].map(|form| date.format(form).to_string());
            if forms.contains(&word.text) || word.text == year && !year_said {
                found.push(at..at + 1);
            }
        }
        for run in self.runs() {
            let has = |wanted: &str| run.clone().any(|at| is(at, wanted));
            let full = run.len() > 2 && has(&month) && has(&day) && run.clone().any(is_year);
            let mut pairs = run.clone().zip(run.start + 1..run.end);
            let pair =
                pairs.any(|(one, two)| is(one, &month) && is_year(two) || is_year(one) && is(two, &month));
            if full || pair && !month_said {
                found.push(run);
            }
        }
    }

    /// Numbers that signs of dates hold together, two or more.
    fn runs(&self) -> Vec<Range<usize>> {
        let mut runs: Vec<Range<usize>> = Vec::new();
        for at in 1..self.words.len() {
            let [one, two] = [&self.words[at - 1], &self.words[at]];
            let sign = matches!(self.note[one.at.end..two.at.start].trim(), "/" | "-" | ".");
            if !(one.number && two.number && sign && two.apart <= 3) {
                continue;
            }
            match runs.last_mut().filter(|run| run.end == at) {
                Some(run) => run.end = at + 1,
                None => runs.push(at - 1..at + 1),
            }
        }
        runs
    }
}

/// Whether a word is the name of a month, in one of five languages.
fn is_month(word: &str, month: u32) -> bool {
    let names = match month {
        1 => "january jan januar janner janvier enero gennaio",
        2 => "february feb februar fevrier febrero febbraio",
        3 => "march mar marz mars marzo",
        4 => "april apr avril abril aprile",
        5 => "may mai mayo maggio",
        6 => "june jun juni juin junio giugno",
        7 => "july jul juli juillet julio luglio",
        8 => "august aug aout agosto",
        9 => "september sep sept septembre septiembre settembre",
        10 => "october oct oktober okt octobre octubre ottobre",
        11 => "november nov novembre noviembre",
        _ => "december dec dezember dez decembre diciembre dicembre",
    };
    names.split(' ').any(|name| name == word)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use throng::verify::notes::{Note, Value};

    use super::*;

    fn kept(note: &str, secrets: &[Secret]) -> String {
        guarded(note.to_owned(), secrets).0
    }

    #[test]
    fn what_resembles_a_value_is_suppressed_and_nothing_else() {
        let name = || [Secret::identifier("Will Townsend")];
        assert_eq!(kept("pt will see Ms Twonsend", &name()), "pt *** see Ms ***");
        assert_eq!(kept("a town sends", &name()), "a town sends");
        let age = || [Secret::quasi("47", Some("[40, 50)"), None).unwrap()];
        assert_eq!(kept("47-year-old, 47 mg, [40, 50)", &age()), "***-year-old, 47 mg, [40, 50)");
        let born = || [Secret::quasi("1986-05-26", Some("1986"), None).unwrap()];
        assert_eq!(kept("born 26th of May 1986", &born()), "born *** 1986");
        assert_eq!(kept("since 1986, BP 120/80", &born()), "since 1986, BP 120/80");
        assert!(Secret::quasi("a", Some("a"), None).is_none());
    }

    /// Values that are easily confused with ordinary words, numbers and dates.
    fn value() -> impl Strategy<Value = String> {
        let words = prop::sample::select(vec![
            "Will",
            "May",
            "Mark",
            "Grace",
            "White",
            "Young",
            "Long",
            "Lang",
            "Rose",
            "Ann",
            "Anna",
            "Ng",
            "O",
            "O'Brien",
            "Müller",
            "Muller",
            "St. John",
            "de la Cruz",
            "Street",
            "Chest",
            "Pain",
            "Visit",
            "Person",
        ]);
        let numbers = prop_oneof![
            (0u32..120).prop_map(|n| n.to_string()),
            (1000u32..9999).prop_map(|n| n.to_string()),
            (1u32..13, 1u32..29, 1980u32..1983).prop_map(|(m, d, y)| format!("{y}-{m:02}-{d:02}")),
            (10u32..20, 10u32..13).prop_map(|(a, b)| format!("{a}-{b}-{a}{b}1")),
        ];
        let names = prop::collection::vec(words, 1..3).prop_map(|words| words.join(" "));
        prop_oneof![names, numbers, "[A-Za-zé]{1,7}"]
    }

    /// A value whose second and third characters changed places.
    fn exchanged(value: String) -> String {
        let mut letters: Vec<char> = value.chars().collect();
        if letters.len() > 2 {
            letters.swap(1, 2);
        }
        letters.into_iter().collect()
    }

    /// Texts of the same words and numbers, with edits and other separators.
    fn note() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            value(),
            value().prop_map(|v| v.to_lowercase()),
            value().prop_map(|v| v.to_uppercase()),
            value().prop_map(|v| v.chars().skip(1).collect::<String>()),
            value().prop_map(exchanged),
            value().prop_map(|v| v.replace(['-', ' '], "")),
            value().prop_map(|v| v.replace('-', "/")),
            prop::sample::select(vec![
                "mg",
                "year-old",
                "aged",
                "of",
                "the",
                "May",
                "June 1981",
                "80",
                "26th",
                "[40, 50)",
                "***",
                "%",
                "19",
                "01/81",
                "1981",
                "12",
                "will",
                "while",
            ])
            .prop_map(String::from),
        ];
        let gap = prop::sample::select(vec![" ", "", "-", " - ", "/", ".", ", ", "\n", "-\n", "\u{ad}"]);
        prop::collection::vec((piece, gap), 0..12)
            .prop_map(|parts| parts.into_iter().map(|(piece, gap)| piece + gap).collect())
    }

    fn label() -> impl Strategy<Value = Option<String>> {
        let labels = ["[40, 50)", "*", "1981", "1981-05", "19**", "will or may", "[1980, 1990)", "1981-Q2"];
        prop_oneof![
            Just(None),
            prop::sample::select(labels.to_vec()).prop_map(|label| Some(label.to_owned())),
            value().prop_map(Some),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]
        /// The verifier, which shares no code, finds nothing in a guarded note.
        #[test]
        fn the_verifier_finds_nothing_in_a_guarded_note(
            note in note(),
            identifiers in prop::collection::vec(value(), 0..4),
            quasi in prop::collection::vec((value(), label()), 0..4),
        ) {
            let mut secrets: Vec<Secret> = identifiers.iter().map(|v| Secret::identifier(v)).collect();
            let mut values: Vec<Value> = identifiers.iter().map(|v| Value::identifier(v)).collect();
            for (value, label) in &quasi {
                secrets.extend(Secret::quasi(value, label.as_deref(), None));
                values.extend(Value::quasi(value, label.as_deref(), None));
            }
            let (guarded, suppressed) = guarded(note.clone(), &secrets);
            let found: Vec<usize> = Note::new(&guarded).found(&values).collect();
            prop_assert!(found.is_empty(), "{note:?} became {guarded:?}, with {found:?}");
            let before = Note::new(&note).found(&values).count();
            prop_assert!(before == 0 || suppressed > 0);
        }
    }

    #[test]
    fn what_is_ordinary_here_is_ordinary_for_the_verifier() {
        let theirs: Vec<&str> = throng::verify::notes::common_words().collect();
        assert!(super::super::ordinary::ORDINARY.split(' ').all(|word| theirs.contains(&word)));
    }
}
