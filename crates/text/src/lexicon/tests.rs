use std::collections::HashSet;

use proptest::prelude::*;

use super::{BYTES, Sex, fold, lexicon, table, zip};

fn words() -> Vec<String> {
    let bytes = zstd::decode_all(BYTES).unwrap();
    let mut words = Vec::new();
    table::Parts::split(&bytes)
        .unwrap()
        .each(|word| words.push(String::from_utf8(word.to_owned()).unwrap()))
        .unwrap();
    words
}

#[test]
fn words_are_sorted_folded_and_unlike() {
    let words = words();
    assert_eq!(words.len(), lexicon().len());
    assert!(words.is_sorted_by(|a, b| a < b), "sorted, no duplicates");
    assert!(words.iter().all(|word| !word.trim().is_empty() && word.trim() == word));
    for word in &words {
        assert_eq!(&fold::folded(word), word, "a word that folding changes is never found");
    }
}

#[test]
fn every_word_is_found_and_no_two_collide() {
    let words = words();
    let hashes: HashSet<u64> = words.iter().map(|word| fold::hash(word)).collect();
    assert_eq!(hashes.len(), words.len());
    assert!(words.iter().all(|word| lexicon().word(word).is_known() || lexicon().word(word).starts_phrase()));
}

#[test]
fn filter_of_usual_words_forgets_none() {
    let words = words();
    let usual = words.iter().filter(|word| lexicon().word(word).is_usual()).count();
    assert!((20_000..80_000).contains(&usual), "{usual}");
    for word in &words {
        assert_eq!(lexicon().is_usual(fold::hash(word)), lexicon().word(word).is_usual(), "{word}");
    }
    assert!(lexicon().is_usual(fold::hash("patient")) && lexicon().is_usual(fold::hash("metoprolol")));
    assert!(!lexicon().is_usual(fold::hash("margaret")) && !lexicon().is_usual(fold::hash("xqzzk")));
}

#[test]
fn every_start_of_a_phrase_is_marked() {
    for word in words() {
        for (at, _) in word.match_indices(' ') {
            assert!(lexicon().word(&word[..at]).starts_phrase(), "{word}");
        }
    }
}

#[test]
fn names_have_shares_and_sex() {
    let word = |text| lexicon().word(text);
    assert_eq!(word("Margaret").sex(), Some(Sex::Female));
    assert_eq!(word("james").sex(), Some(Sex::Male));
    assert!(word("smith").last_name_weight() > 0.005 && word("smith").last_name_weight() < 0.02);
    assert!(word("Müller").is_last_name() && word("Mueller").is_last_name());
    assert!(word("O'Brien").is_last_name() && word("O’Brien").is_last_name());
    assert!(word("xqzzk") == super::Word::default() && !word("xqzzk").is_known());
}

#[test]
fn words_that_are_rather_names_have_positive_odds() {
    for name in ["john", "margaret", "anderson", "linda", "martinez", "virginia", "patrick"] {
        assert!(lexicon().word(name).name_odds() > 1.0, "{name}");
    }
    for word in ["will", "may", "hope", "long", "young", "patient", "the", "hospital", "bath", "reading"] {
        assert!(lexicon().word(word).name_odds() < 0.0, "{word}");
    }
}

#[test]
fn places_are_known() {
    assert!(lexicon().word("boston").population() > 500_000);
    assert!(lexicon().phrase("new york").population() > 4_000_000);
    assert!(lexicon().word("new").starts_phrase());
    assert!(lexicon().phrase("Stratford-upon-Avon").is_city());
    assert_eq!(zip("01902").map(|place| (place.city, place.state)), Some(("Lynn", "MA")));
    assert_eq!(zip("01902-1234"), zip("01902"));
    assert_eq!((zip("0190"), zip("99999"), zip("019021"), zip("0190é")), (None, None, None, None));
}

#[test]
fn longest_phrase_is_the_longest_that_the_table_has() {
    let longest = |text: &str| lexicon().longest_phrase(text.split(' ')).map(|(words, _)| words);
    assert_eq!(longest("New York City is large"), Some(3));
    assert_eq!(longest("New York is large"), Some(2));
    assert_eq!(longest("Hodgkin lymphoma was found"), Some(2));
    assert_eq!(longest("new"), None);
    assert_eq!(longest("patient was seen"), None);
}

#[test]
fn eponyms_drugs_and_shorthand_are_known() {
    let word = |text| lexicon().phrase(text);
    for phrase in
        ["hodgkin disease", "crohn", "parkinson disease", "bell palsy", "wilson disease", "lyme", "apgar"]
    {
        assert!(word(phrase).is_eponym(), "{phrase}");
    }
    assert!(word("mcmurray").is_eponym_name() && word("mcmurray").is_last_name());
    for drug in ["metoprolol", "lasix", "insulin", "aflibercept", "adalimumab", "tylenol"] {
        assert!(word(drug).is_drug(), "{drug}");
    }
    for short in ["copd", "mri", "prn", "bid", "hx", "q6h"] {
        assert!(word(short).is_shorthand(), "{short}");
    }
}

#[test]
fn tables_are_those_of_the_build() {
    use sha2::{Digest, Sha256};
    let digests = include_str!("../../knowledge/digests.txt");
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("knowledge");
    for line in digests.lines() {
        let (digest, name) = line.split_once("  ").unwrap();
        let bytes = std::fs::read(folder.join(name)).unwrap();
        let found: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(found, digest, "{name} was not written by build.py");
    }
    assert_eq!(digests.lines().count(), 7);
}

#[test]
fn hand_written_lists_are_sorted_without_duplicates() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("knowledge/lists");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        assert!(lines.iter().all(|line| !line.is_empty() && line.trim() == *line), "{path:?}: empty entry");
        let wrong = lines.windows(2).find(|pair| pair[0] >= pair[1]);
        assert_eq!(wrong, None, "{path:?}: not sorted, or a duplicate");
    }
}

#[test]
fn damaged_tables_are_refused() {
    let bytes = zstd::decode_all(BYTES).unwrap();
    assert!(table::Table::decode(&bytes[..bytes.len() - 1]).is_none());
    assert!(table::Table::decode(&bytes[1..]).is_none());
    assert!(table::Table::decode(b"TLX1").is_none());
}

proptest! {
    #[test]
    fn folding_ignores_case_and_repeats(word in "\\PC{0,12}") {
        let folded = fold::folded(&word);
        prop_assert_eq!(fold::hash(&word), fold::hash(&folded));
        prop_assert_eq!(&fold::folded(&folded), &folded);
        let mut appended = "a ".to_owned();
        fold::fold_into(&word, &mut appended);
        prop_assert_eq!(&appended[2..], &folded);
        fold::with_folded(&word, |own| assert_eq!(own, folded));
    }

    #[test]
    fn phrases_hash_like_their_words_joined(words in prop::collection::vec("[a-zéß'-]{1,9}", 1..6)) {
        let mut hasher = fold::Hasher::default();
        for (at, word) in words.iter().enumerate() {
            if at > 0 {
                hasher.push_word(" ");
            }
            hasher.push_word(word);
        }
        prop_assert_eq!(hasher.finish(), fold::hash(&words.join(" ")));
    }

    /// Letters that are read eight at a time are those that are read one by one.
    #[test]
    fn letters_are_counted_and_hashed(text in "[a-zA-Z]{0,20}[ -~é]{0,9}") {
        let word: String = text.chars().take_while(char::is_ascii_alphabetic).collect();
        let (mut at, mut capitals, mut hash) = (0, 0, fold::LetterHash::default());
        loop {
            let letters = fold::Letters::read(&text.as_bytes()[at..]);
            (at, capitals) = (at + letters.len(), capitals + letters.capitals());
            hash.push(letters);
            if letters.len() < 8 {
                break;
            }
        }
        prop_assert_eq!(at, word.len());
        prop_assert_eq!(capitals, word.chars().filter(char::is_ascii_uppercase).count());
        prop_assert_eq!(hash.finish(), fold::hash(&word));
        let short = &word[..word.len().min(16)];
        let small = short.to_ascii_lowercase();
        let packed = small.bytes().rev().fold(0, |packed, letter| packed << 8 | u128::from(letter));
        prop_assert_eq!(fold::hash_packed(packed, short.len()), fold::hash(short));
        prop_assert_eq!(fold::hash_letters(word.as_bytes()), (at > 0).then(|| fold::hash(&word)));
    }

    /// Words that are hashed when the program is compiled have the hash of their tokens.
    #[test]
    fn letters_of_two_bytes_are_hashed(word in "[a-zA-Zäéñøßœþšž][a-zA-Zäéñøßœþšž'’]{0,20}", sign in "[0-9 /-]") {
        prop_assert_eq!(fold::hash_letters(word.as_bytes()), Some(fold::hash(&word)));
        prop_assert_eq!(fold::hash_letters((word + &sign).as_bytes()), None);
    }

    #[test]
    fn ascii_path_equals_general_path(word in "[ -~]{0,24}") {
        let general = fold::folded(&format!("{word}\u{301}"));
        prop_assert_eq!(fold::hash(&word), fold::hash(&format!("{word}\u{301}")));
        prop_assert_eq!(general, fold::folded(&word));
    }
}
