//! Free text: whatever is in it, spans are in order and on boundaries of characters, the scrubbed
//! text is the original with the replacements and nothing else, and names that a row knows are
//! gone.

use throng_text::lexicon::{Word, lexicon};
use throng_text::{AgeRule, DateRule, Known, Meaning, Mode, Scrubbed, Scrubber, Settings, Span, Subject};

/// Settings that take different ways through replacement.
fn settings(choice: u8) -> Settings {
    let key = Some(b"sixteen bytes or more".to_vec());
    match choice % 5 {
        0 => Settings::default(),
        1 => Settings { mode: Mode::Tag, ages: AgeRule::All, ..Settings::default() },
        2 => Settings { mode: Mode::Mask, suppress_threshold: 0.1, ..Settings::default() },
        3 => Settings { key, dates: DateRule::Shift { days: -400 }, day_first: true, ..Settings::default() },
        _ => Settings {
            key,
            dates: DateRule::Year,
            ages: AgeRule::Decades,
            threshold: 0.9,
            ..Settings::default()
        },
    }
}

fn check_spans(text: &str, spans: &[Span]) {
    let mut end = 0;
    for span in spans {
        assert!(span.start >= end && span.start < span.end, "{span:?}");
        assert!(text.get(span.start..span.end).is_some(), "{span:?}");
        assert!((0.0..=1.0).contains(&span.certainty), "{span:?}");
        end = span.end;
    }
}

fn check(scrubber: &Scrubber, text: &str, subject: &Subject<'_>) -> String {
    check_spans(text, &scrubber.find(text, subject));
    let scrubbed = scrubber.scrub(text, subject);
    check_scrubbed(text, &scrubbed);
    scrubbed.text
}

/// Whether a scrubbed text is the original with its replacements.
pub(crate) fn check_scrubbed(text: &str, scrubbed: &Scrubbed) {
    check_spans(text, &scrubbed.spans);
    let mut rebuilt = String::new();
    let mut at = 0;
    for span in &scrubbed.spans {
        rebuilt.push_str(&text[at..span.start]);
        rebuilt.push_str(span.replacement.as_deref().unwrap_or(&text[span.start..span.end]));
        at = span.end;
    }
    rebuilt.push_str(&text[at..]);
    assert_eq!(rebuilt, scrubbed.text);
}

/// Scrubs the bytes as text; the first byte chooses the settings.
pub fn text(data: &[u8]) {
    let (&choice, rest) = data.split_first().unwrap_or((&0, &[]));
    let scrubber = Scrubber::new(settings(choice)).expect("the settings are valid");
    check(&scrubber, &String::from_utf8_lossy(rest), &Subject::default());
}

/// Scrubs the lines behind the first one as the text of a row that the first line is about: values
/// with their meanings, `name=Ann Lee;number=12-3;date=1990-01-02;age=47;zip=02139;other=x`.
pub fn text_row(data: &[u8]) {
    let whole = String::from_utf8_lossy(data);
    let (row, text) = whole.split_once('\n').unwrap_or((&whole, ""));
    let mut subject = Subject { person: Some("p1"), ..Subject::default() };
    for (column, value) in row.split(';').filter_map(|field| field.split_once('=')) {
        let known = |meaning| Known { column, value, released: Some("[40, 50)"), meaning };
        match column {
            "name" => subject.identifiers.push(Known { released: None, ..known(Meaning::Name) }),
            "number" => subject.identifiers.push(known(Meaning::Number)),
            "date" => subject.quasi.push(known(Meaning::Date { format: "%Y-%m-%d" })),
            "age" => subject.quasi.push(known(Meaning::Age)),
            "zip" => subject.quasi.push(known(Meaning::PostalCode)),
            _ => subject.quasi.push(known(Meaning::Other)),
        }
    }
    let scrubber = Scrubber::new(settings(text.len() as u8)).expect("the settings are valid");
    let scrubbed = check(&scrubber, text, &subject);
    for name in subject.identifiers.iter().filter(|known| known.meaning == Meaning::Name) {
        // "long" and "mellitus" stay in the text of Ms. Long and of Mr. Mellitus.
        let ordinary = |word: Word| word.is_common() || word.is_function() || word.is_medical();
        let strange = |word: &&str| word.len() > 4 && !ordinary(lexicon().word(word));
        let words = name.value.split(' ').filter(strange);
        for word in words.filter(|word| word.bytes().all(|byte| byte.is_ascii_alphabetic())) {
            let words = || scrubbed.split(|c: char| !c.is_alphanumeric());
            assert!(!words().any(|other| other.eq_ignore_ascii_case(word)), "{word:?} is in {scrubbed:?}");
        }
    }
}
