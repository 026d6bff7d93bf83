//! Tests of the generator: spans are exact, the same seed gives the same letters, all kinds occur,
//! and no made-up word is in the detectors' lists.

use std::collections::BTreeSet;

use super::*;
use crate::lexicon::lexicon;

fn sample() -> impl Iterator<Item = Letter> {
    letters(11).take(1500)
}

#[test]
fn spans_are_in_order_and_on_letters() {
    for letter in sample() {
        let mut end = 0;
        for truth in &letter.truth {
            assert!(truth.start >= end && truth.start < truth.end, "{}", letter.title);
            let value = &letter.text[truth.start..truth.end];
            assert!(value.starts_with(|c: char| c.is_alphanumeric() || "(+".contains(c)), "{value:?}");
            assert_eq!(value.trim(), value);
            end = truth.end;
        }
        for phrase in &letter.medical {
            assert!(!letter.text[phrase.clone()].is_empty());
            assert!(letter.truth.iter().all(|t| t.end <= phrase.start || t.start >= phrase.end));
        }
    }
}

#[test]
fn a_letter_follows_from_seed_and_number() {
    assert_eq!(letter(5, 77), letter(5, 77));
    assert_ne!(letter(5, 77).text, letter(6, 77).text);
    assert_ne!(letter(5, 77).text, letter(5, 78).text);
}

#[test]
fn every_kind_occurs_and_most_sentences_identify_nobody() {
    let mut kinds = BTreeSet::new();
    let (mut identifying, mut medical, mut all) = (0, 0, 0);
    for letter in sample() {
        kinds.extend(letter.truth.iter().map(|truth| truth.kind));
        identifying += letter.truth.iter().map(|truth| truth.end - truth.start).sum::<usize>();
        medical += letter.medical.len();
        all += letter.text.len();
    }
    assert_eq!(kinds, BTreeSet::from(Kind::ALL));
    assert!(identifying * 3 < all, "{identifying} of {all} bytes identify somebody");
    assert!(medical > 7_000, "{medical} medical phrases");
}

#[test]
fn layouts_and_cases_vary() {
    let (mut capitals, mut lower, mut wrapped, mut crlf) = (0, 0, 0, 0);
    for letter in sample() {
        capitals += usize::from(!letter.text.contains(|c: char| c.is_ascii_lowercase()));
        lower += usize::from(!letter.text.contains(|c: char| c.is_ascii_uppercase()));
        wrapped += usize::from(letter.text.lines().all(|line| line.len() < 120));
        crlf += usize::from(letter.text.contains("\r\n"));
    }
    assert!(capitals > 20 && lower > 10 && wrapped > 300 && crlf > 20, "{capitals} {lower} {wrapped} {crlf}");
}

#[test]
fn made_up_words_are_in_no_list() {
    let mut chance = Chance::new(3, 3);
    for _ in 0..2000 {
        let chance = &mut chance;
        let made = [
            words::first_name(true, chance),
            words::first_name(false, chance),
            words::place(chance),
            words::company(chance),
            words::last_name(chance),
        ];
        let particles = ["o", "van", "der", "de", "la", "von", "al"];
        for part in made.iter().flat_map(|name| name.split([' ', '-', '\''])) {
            let part = part.strip_prefix("Mc").unwrap_or(part).to_lowercase();
            assert!(particles.contains(&part.as_str()) || !lexicon().word(&part).is_known(), "{part}");
        }
    }
}
