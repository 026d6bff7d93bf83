//! The letter of the source and what it says about search and replace [Sweeney 2001, figures 21 to
//! 24].

use std::ops::Range;

use throng_text::letters::score::Score;
use throng_text::letters::{Letter, letters, marked, search};
use throng_text::{Kind, Mode, Scrubber, Settings, Subject};

fn letter() -> Letter {
    marked::documents(include_str!("../documents/figure-21.txt")).unwrap().remove(0)
}

/// A text with places replaced by asterisks.
fn without(text: &str, places: &[Range<usize>]) -> String {
    let mut rest = text.to_owned();
    for place in places.iter().rev() {
        rest.replace_range(place.clone(), "***");
    }
    rest
}

fn as_persons(places: Vec<Range<usize>>) -> crate::Found {
    places.into_iter().map(|place| (place, Kind::Person)).collect()
}

#[test]
fn the_scrubbed_letter_identifies_nobody_and_keeps_the_medication() {
    let letter = letter();
    for mode in [Mode::Surrogate, Mode::Tag, Mode::Mask] {
        let scrubber = Scrubber::new(Settings { mode, ..Settings::default() }).unwrap();
        let text = scrubber.scrub(&letter.text, &Subject::default()).text;
        for truth in letter.truth.iter().filter(|truth| truth.kind != Kind::Age) {
            for word in letter.text[truth.start..truth.end].split_whitespace() {
                let word = word.trim_matches(|c: char| !c.is_alphanumeric());
                // Words that also are outside of the truth, or that the replacement may keep.
                let kept = ["february", "1994", "hospital", "s", "u", "corp", "team", "m", "ma", "18"];
                let lower = format!(" {} ", text.to_lowercase().replace(|c: char| !c.is_alphanumeric(), " "));
                let word = word.to_lowercase().replace(|c: char| !c.is_alphanumeric(), " ");
                // A single sign, such as the day of a date, is also in tags.
                if word.len() > 1 && !kept.contains(&word.as_str()) {
                    assert!(!lower.contains(&format!(" {word} ")), "{word:?} is in\n{text}");
                }
            }
        }
        for phrase in [
            "insulin dependent diabetes mellitus",
            "Lily Human Insulin",
            "7 and 6/12 year old",
            "June of 1993",
        ] {
            assert!(text.contains(phrase), "{phrase:?} is not in\n{text}");
        }
    }
}

/// Figure 22: dates report only month and year; the sentence around what was replaced stays.
#[test]
fn dates_keep_month_and_year() {
    let scrubber = Scrubber::new(Settings::default()).unwrap();
    let text = scrubber.scrub(&letter().text, &Subject::default()).text;
    assert!(text.contains("February") && text.contains("1994") && !text.contains("February 2"), "{text}");
    assert!(text.contains("05/86") && !text.contains("05/26/86"), "{text}");
    assert!(text.contains("to schedule a follow-up visit for her daughter."), "{text}");
}

#[test]
fn both_thresholds_find_everything_in_the_letter() {
    let letter = letter();
    for threshold in [0.7, 0.8] {
        let mut score = Score::default();
        let mistakes = score.add(&letter, &crate::found(&crate::at_threshold(threshold), &letter));
        let places = mistakes.iter().map(|(mistake, place)| (mistake, &letter.text[place.clone()]));
        assert!(mistakes.is_empty(), "{threshold}: {:?}", places.collect::<Vec<_>>());
    }
}

/// Figure 23: search and replace with what the record holds.
#[test]
fn straight_search_leaves_what_figure_23_shows() {
    let letter = letter();
    let text = without(&letter.text, &search::straight(&letter.text, &letter.record));
    for gone in ["Virginia", "Townsend", "32-841-09787", "Patrick", "34764"] {
        assert!(!text.contains(gone), "{gone}");
    }
    for left in [
        "February 2, 1994",
        "Marjorie Long",
        "St. John's Hospital",
        "Huntington 18",
        "05/26/86",
        "Boston, MA 02151",
        "Dear Dr. Lang",
        "Dot",
        "Dr. Frank at Brigham's",
        "Junior Gymnastics",
        "Hodgkins",
        "Marina Corp",
        "473-1214",
    ] {
        assert!(text.contains(left), "{left}");
    }
}

/// What the source says of cues: the heading and the addressee are found; relatives, other phone
/// numbers and nicknames are not.
#[test]
fn cues_find_the_heading_and_not_the_family() {
    let letter = letter();
    let text = without(&letter.text, &search::with_cues(&letter.text, &letter.record));
    for gone in ["February", "Marjorie", "Boston", "05/26/86", "Lang", "Virginia", "Patrick"] {
        assert!(!text.contains(gone), "{gone} in\n{text}");
    }
    for left in ["Dot", "Frank", "Brigham's", "Gymnastics", "Hodgkins", "Marina Corp", "473-1214"] {
        assert!(text.contains(left), "{left}");
    }
}

/// Figure 24 on made-up letters: the order of the methods, and about their distances.
#[test]
fn methods_have_the_order_of_figure_24() {
    let letters: Vec<Letter> =
        letters(24).take(1500).filter(|letter| letter.title.starts_with("letter")).collect();
    let recall = |find: &dyn Fn(&Letter) -> crate::Found| {
        let mut score = Score::default();
        for letter in &letters {
            score.add(letter, &find(letter));
        }
        score.all().recall()
    };
    let straight = recall(&|letter| as_persons(search::straight(&letter.text, &letter.record)));
    let cues = recall(&|letter| as_persons(search::with_cues(&letter.text, &letter.record)));
    let (low, high) = (crate::at_threshold(0.7), crate::at_threshold(0.8));
    let (low, high) =
        (recall(&|letter| crate::found(&low, letter)), recall(&|letter| crate::found(&high, letter)));
    assert!((0.1..0.6).contains(&straight), "straight search finds {straight}");
    assert!(cues > straight + 0.2 && cues < 0.9, "cues find {cues}");
    assert!(high >= 0.98 && low >= high, "Throng finds {high} at 0.8, {low} at 0.7");
}
