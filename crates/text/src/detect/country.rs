//! Countries by name.

use super::places;
use super::{Detector, Rules};
use crate::candidates::{Candidates, Score};
use crate::cues;
use crate::document::Document;
use crate::span::Kind;
use crate::token::Flags;

/// Finds countries.
pub struct Country;

impl Detector for Country {
    fn name(&self) -> &'static str {
        "country"
    }

    fn detect(&self, document: &Document<'_>, found: &mut Candidates) {
        for run in document.runs_here().iter().filter(|run| run.rules.any(Rules::COUNTRY)) {
            let mut at = run.first as usize;
            while at < run.end as usize {
                let next = name(document, at, found).unwrap_or(at + 1);
                at = next.max(at + 1);
            }
        }
    }
}

fn name(document: &Document<'_>, at: usize, found: &mut Candidates) -> Option<usize> {
    let token = &document.tokens[at];
    if !token.word.is_country() && !token.word.starts_phrase() {
        return None;
    }
    let (end, word) = places::longest(document, at, |word| word.is_country())?;
    if token.has(Flags::UPPER)
        && token.len() <= 3
        && !token.has(Flags::SHOUTED)
        && !document.is_any(at, words!["usa", "uk", "uae"])
    {
        return None;
    }
    let before = places::before(document, at);
    let placed = before.is_some_and(|before| document.tokens[before].is(cues::BEFORE_PLACE))
        || at > 0 && document.tokens[at - 1].is_sign(b',');
    let other = end == at + 1
        && (word.is_first_name() || word.is_last_name() || word.is_common() || word.is_medical());
    let certainty = match (placed, other) {
        (true, false) => 0.93,
        (true, true) => 0.8,
        (false, false) => 0.82,
        (false, true) => 0.3,
    };
    let score = Score::new("name of a country", document.bytes(at..end), certainty);
    found.add("country", Kind::Country, document.bytes(at..end), &score);
    Some(end)
}
