//! What holds for every text, whatever is in it.

use proptest::prelude::*;
use throng_text::letters::letter;
use throng_text::{AgeRule, DateRule, Known, Meaning, Mode, Scrubber, Settings, Span, Subject};

/// Scrubbers of all modes, with rules that change the most.
fn scrubbers() -> Vec<Scrubber> {
    let key = Some(b"sixteen bytes or more".to_vec());
    let settings = [
        Settings::default(),
        Settings { mode: Mode::Tag, ages: AgeRule::All, ..Settings::default() },
        Settings { mode: Mode::Mask, suppress_threshold: 0.1, ..Settings::default() },
        Settings {
            key: key.clone(),
            dates: DateRule::Shift { days: -400 },
            day_first: true,
            ..Settings::default()
        },
        Settings {
            key,
            dates: DateRule::Year,
            ages: AgeRule::Decades,
            threshold: 0.9,
            ..Settings::default()
        },
    ];
    settings.into_iter().map(|settings| Scrubber::new(settings).unwrap()).collect()
}

/// Spans are in order, on boundaries of characters, and do not overlap.
fn check_spans(text: &str, spans: &[Span]) {
    let mut end = 0;
    for span in spans {
        assert!(span.start >= end && span.start < span.end, "{span:?} in {text:?}");
        assert!(text.get(span.start..span.end).is_some(), "{span:?} in {text:?}");
        assert!((0.0..=1.0).contains(&span.certainty), "{span:?}");
        end = span.end;
    }
}

fn check(text: &str) {
    for scrubber in scrubbers() {
        check_with(&scrubber, text, &Subject::default());
    }
}

fn check_with(scrubber: &Scrubber, text: &str, subject: &Subject<'_>) {
    let found = scrubber.find(text, subject);
    check_spans(text, &found);
    let scrubbed = scrubber.scrub(text, subject);
    check_spans(text, &scrubbed.spans);
    // The scrubbed text is the original with the replacements, and nothing else.
    let mut rebuilt = String::new();
    let mut at = 0;
    for span in &scrubbed.spans {
        rebuilt.push_str(&text[at..span.start]);
        rebuilt.push_str(span.replacement.as_deref().unwrap_or(&text[span.start..span.end]));
        at = span.end;
    }
    rebuilt.push_str(&text[at..]);
    assert_eq!(rebuilt, scrubbed.text);
    assert_eq!(scrubber.scrub(text, subject), scrubbed, "the same text gives another result");
}

/// Pieces that mean something to one detector or another, in an order that means nothing.
fn fragments() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "Dr. ",
        "Mrs. ",
        "Dear ",
        "RE:",
        "MRN ",
        "DOB ",
        ":",
        ",",
        ".",
        "\n",
        "\r\n",
        "\t",
        "|",
        "'s",
        "O'",
        "-",
        "/",
        "#",
        "(",
        ")",
        "[",
        "{{",
        "<",
        "@",
        "www.",
        "http://",
        ".example",
        "+44 ",
        "555-01",
        "32-841-09787",
        "02/30/1994",
        "31.",
        "Feb. ",
        "May",
        "29 February ",
        "'94",
        "99",
        "1",
        "999999999999999999999999",
        "year-old",
        "St. ",
        "P.O. Box",
        "Jane",
        "von der",
        "Hodgkin",
        "insulin",
        "é",
        "ß",
        "İ",
        "ﬃ",
        "\u{200F}",
        "\u{202E}",
        "\u{0}",
        "\u{FEFF}",
        "שלום",
        "محمد",
        "李",
        "👩‍⚕️",
        "e\u{301}",
        "\u{A0}",
        "’",
        "“",
        "…",
        " ",
        "  ",
        "Ward ",
        "three days before Christmas",
        "MD",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_scrubbed(text in any::<String>()) {
        check(&text);
    }

    #[test]
    fn any_order_of_fragments_is_scrubbed(text in fragments()) {
        check(&text);
    }

    /// A known name is gone as a whole word, in any case, from whatever surrounds it.
    #[test]
    fn known_names_are_gone(before in fragments(), after in fragments(), upper in any::<bool>()) {
        let known = [Known { column: "name", value: "Zurvathea Molnquist", released: None, meaning: Meaning::Name }];
        let name = if upper { "ZURVATHEA" } else { "Zurvathea" };
        let text = format!("{before} {name} {after} molnquist {before}");
        let subject = Subject { identifiers: known.to_vec(), ..Subject::default() };
        for scrubber in scrubbers() {
            check_with(&scrubber, &text, &subject);
            let scrubbed = scrubber.scrub(&text, &subject).text.to_lowercase();
            prop_assert!(!scrubbed.contains("zurvathea") && !scrubbed.contains("molnquist"), "{scrubbed}");
        }
    }

    /// Cut letters: a text can end anywhere.
    #[test]
    fn cut_letters_are_scrubbed(number in 0u64..5000, from in 0usize..4000, length in 0usize..400) {
        let text = letter(55, number).text;
        let from = (from.min(text.len())..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        let to = ((from + length).min(text.len())..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap();
        check(&text[from..to]);
    }
}

#[test]
fn odd_texts_are_scrubbed() {
    let long_word = "A".repeat(20_000);
    let long_number = "1-".repeat(10_000);
    let open = "(".repeat(10_000);
    let names = "Dr. Ann Lee ".repeat(1_000);
    let right_to_left = "\u{202B}שלום Dr. כהן\u{202C} ".repeat(500);
    let nuls = "\u{0}".repeat(10_000);
    let at_signs = "a@".repeat(10_000);
    let dots = "a.".repeat(10_000);
    let digits = "9".repeat(20_000);
    for text in [
        "",
        " ",
        "\n",
        // A separator and a bracket behind a group of digits, and nothing more.
        "617-(",
        "Tel. 0171/(",
        &long_word,
        &long_number,
        &open,
        &names,
        &right_to_left,
        &nuls,
        &at_signs,
        &dots,
        &digits,
    ] {
        let scrubber = crate::default();
        check_with(&scrubber, text, &Subject::default());
    }
}
