//! Recall and precision of spans against truth.
//!
//! Truth is found if all of its letters and digits are covered, by whichever spans. A span is wrong
//! if it overlaps neither truth nor a place that may be found. Kinds are counted by the truth's
//! kind for recall, by the span's for precision. Linear in truth and spans.

use std::ops::Range;

use super::Letter;
use crate::span::Kind;

/// Counts of one kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Places that identify somebody.
    pub truth: usize,
    /// Those that are covered as a whole.
    pub found: usize,
    /// Spans, without those in places that may be found.
    pub spans: usize,
    /// Spans that overlap nothing.
    pub wrong: usize,
}

impl Tally {
    /// The share of truth that is found; 1 without truth.
    pub fn recall(&self) -> f64 {
        share(self.found, self.truth)
    }

    /// The share of spans that overlap truth; 1 without spans.
    pub fn precision(&self) -> f64 {
        share(self.spans - self.wrong, self.spans)
    }

    fn add(&mut self, other: &Tally) {
        self.truth += other.truth;
        self.found += other.found;
        self.spans += other.spans;
        self.wrong += other.wrong;
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// What a mistake is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mistake {
    /// Truth that is not covered.
    Missed(Kind),
    /// A span where nothing identifies anybody.
    Wrong(Kind),
    /// A medical phrase that a span touches.
    Touched,
}

/// Counts over documents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Score {
    kinds: [Tally; Kind::ALL.len()],
    /// Medical phrases.
    pub medical: usize,
    /// Medical phrases that no span touches.
    pub untouched: usize,
}

impl Score {
    /// Counts a document and gives its mistakes with their places. Spans are in order and do not
    /// overlap.
    pub fn add(&mut self, letter: &Letter, spans: &[(Range<usize>, Kind)]) -> Vec<(Mistake, Range<usize>)> {
        let mut mistakes = Vec::new();
        for truth in &letter.truth {
            let found = covered(&letter.text, truth.start..truth.end, spans);
            let tally = &mut self.kinds[place(truth.kind)];
            tally.truth += 1;
            tally.found += usize::from(found);
            if !found {
                mistakes.push((Mistake::Missed(truth.kind), truth.start..truth.end));
            }
        }
        for (range, kind) in spans {
            let right = letter.truth.iter().any(|truth| overlap(range, &(truth.start..truth.end)));
            if !right && letter.optional.iter().any(|place| overlap(range, place)) {
                continue;
            }
            let tally = &mut self.kinds[place(*kind)];
            tally.spans += 1;
            tally.wrong += usize::from(!right);
            if !right {
                mistakes.push((Mistake::Wrong(*kind), range.clone()));
            }
        }
        for phrase in &letter.medical {
            let touched = overlapping(spans, phrase).next().is_some();
            self.medical += 1;
            self.untouched += usize::from(!touched);
            if touched {
                mistakes.push((Mistake::Touched, phrase.clone()));
            }
        }
        mistakes
    }

    /// The counts of a kind.
    pub fn kind(&self, kind: Kind) -> Tally {
        self.kinds[place(kind)]
    }

    /// The counts of all kinds.
    pub fn all(&self) -> Tally {
        let mut all = Tally::default();
        self.kinds.iter().for_each(|tally| all.add(tally));
        all
    }

    /// The share of medical phrases that no span touches.
    pub fn medical_share(&self) -> f64 {
        share(self.untouched, self.medical)
    }
}

/// The place of a kind; kinds of callers count with the last one.
fn place(kind: Kind) -> usize {
    Kind::ALL.iter().position(|&known| known == kind).unwrap_or(Kind::ALL.len() - 1)
}

fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

fn overlapping<'a>(
    spans: &'a [(Range<usize>, Kind)],
    place: &'a Range<usize>,
) -> impl Iterator<Item = &'a Range<usize>> {
    let first = spans.partition_point(|(span, _)| span.end <= place.start);
    spans[first..].iter().map(|(span, _)| span).take_while(|span| span.start < place.end)
}

fn covered(text: &str, truth: Range<usize>, spans: &[(Range<usize>, Kind)]) -> bool {
    let signs = |from: usize, to: usize| text[from..to].chars().any(char::is_alphanumeric);
    let mut at = truth.start;
    for span in overlapping(spans, &truth) {
        if span.start > at && signs(at, span.start) {
            return false;
        }
        at = span.end.min(truth.end);
    }
    !signs(at, truth.end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::letters::marked::documents;

    fn letter() -> Letter {
        let file =
            "=== One\nrecord: none\n[[person:Ann B. Lee]] has {{gout}} since <<1999>> and [[age:47]] cats.\n";
        documents(file).unwrap().remove(0)
    }

    /// The place of a word with a kind.
    fn at(letter: &Letter, word: &str, kind: Kind) -> (Range<usize>, Kind) {
        let start = letter.text.find(word).unwrap();
        (start..start + word.len(), kind)
    }

    #[test]
    fn a_name_is_found_in_pieces_and_missed_in_part() {
        let letter = letter();
        let mut score = Score::default();
        let pieces = ["Ann", "B", "Lee", "47"].map(|word| at(&letter, word, Kind::Person));
        assert_eq!(score.add(&letter, &pieces), []);
        assert_eq!((score.all().found, score.all().truth, score.all().wrong), (2, 2, 0));
        let mut score = Score::default();
        let mistakes = score.add(&letter, &[at(&letter, "Ann B", Kind::Person)]);
        assert_eq!(mistakes.len(), 2);
        assert_eq!((score.kind(Kind::Person).recall(), score.kind(Kind::Person).precision()), (0.0, 1.0));
    }

    #[test]
    fn wrong_spans_count_and_optional_ones_do_not() {
        let letter = letter();
        let mut score = Score::default();
        let spans = [("gout", Kind::Person), ("1999", Kind::Date), ("cats", Kind::City)];
        let mistakes = score.add(&letter, &spans.map(|(word, kind)| at(&letter, word, kind)));
        assert_eq!((score.all().spans, score.all().wrong), (2, 2));
        assert_eq!((score.medical, score.untouched), (1, 0));
        assert_eq!(mistakes.iter().filter(|(mistake, _)| *mistake == Mistake::Touched).count(), 1);
        assert_eq!(mistakes.iter().filter(|(mistake, _)| matches!(mistake, Mistake::Missed(_))).count(), 2);
    }
}
