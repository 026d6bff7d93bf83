//! Tests of `throng-text` from outside: the source's letter, hand-written and made-up documents,
//! and properties that hold for every text.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod documents;
mod figures;
mod generated;
mod properties;

use std::ops::Range;

use throng_text::letters::Letter;
use throng_text::letters::score::{Mistake, Score};
use throng_text::{Kind, Scrubber, Settings, Subject};

/// Places with their kinds.
type Found = Vec<(Range<usize>, Kind)>;

/// A scrubber that finds what reaches a threshold.
fn at_threshold(threshold: f32) -> Scrubber {
    let settings = Settings { threshold, suppress_threshold: threshold, ..Settings::default() };
    Scrubber::new(settings).unwrap()
}

/// A scrubber with the default settings.
fn default() -> Scrubber {
    Scrubber::new(Settings::default()).unwrap()
}

/// What a scrubber finds in a document about whose patient nothing is known.
fn found(scrubber: &Scrubber, letter: &Letter) -> Found {
    let spans = scrubber.find(&letter.text, &Subject::default());
    spans.iter().map(|span| (span.start..span.end, span.kind)).collect()
}

/// The score of a scrubber on documents, with its mistakes as text.
fn score(scrubber: &Scrubber, letters: &[Letter]) -> (Score, Vec<String>) {
    let mut score = Score::default();
    let mut mistakes = Vec::new();
    for letter in letters {
        for (mistake, place) in score.add(letter, &found(scrubber, letter)) {
            let what = match mistake {
                Mistake::Missed(kind) => format!("missed {}", kind.as_str()),
                Mistake::Wrong(kind) => format!("wrong {}", kind.as_str()),
                Mistake::Touched => "touched".to_owned(),
            };
            mistakes.push(format!("{}: {what}: {:?}", letter.title, &letter.text[place]));
        }
    }
    (score, mistakes)
}
