//! Windows: lines that all detectors visit before they go on to the next ones.
//!
//! The tokens of a long piece do not fit the cache next to the processor. If every detector went over
//! the whole piece, each would wait for all of them anew. Detectors start from what is in the window, and
//! look at everything around it: what they find does not depend on where windows end. The few that
//! remember where they were go over the whole piece, in its last window.

use std::ops::Range;

use super::{Code, Document, Field, Line, Run};

/// Tokens of a window, at least: about 200 kB of them.
const SIZE: usize = 4096;

/// The part of each index that detectors start from.
#[derive(Debug, Clone, Default)]
pub(super) struct Window {
    tokens: Range<usize>,
    lines: Range<usize>,
    runs: Range<usize>,
    codes: Range<usize>,
    fields: Range<usize>,
    heads: Range<usize>,
    times: Range<usize>,
    people: Range<usize>,
    lowers: Range<usize>,
    ats: Range<usize>,
}

/// The entries behind a range that start before a token. Lists are sorted by token.
fn behind<T>(range: &Range<usize>, list: &[T], starts: impl Fn(&T) -> bool) -> Range<usize> {
    range.end..range.end + list[range.end..].partition_point(starts)
}

impl Document<'_> {
    /// Goes before the first window.
    pub(crate) fn rewind(&mut self) {
        self.window = Window::default();
    }

    /// Goes to the next window; false behind the last one.
    pub(crate) fn next_window(&mut self) -> bool {
        let first = self.window.tokens.end;
        if first >= self.tokens.len() {
            return false;
        }
        self.extend_window(if self.tokens.len() - first <= SIZE {
            self.lines.len()
        } else {
            self.next_line()
        });
        true
    }

    /// Makes all of the document one window.
    pub(super) fn open(&mut self) {
        self.rewind();
        self.extend_window(self.lines.len());
    }

    /// The first line behind the next window.
    fn next_line(&self) -> usize {
        let least = self.window.tokens.end + SIZE;
        self.lines.partition_point(|line| (line.first as usize) < least)
    }

    /// Goes from the lines of the window to those behind them, up to a line.
    fn extend_window(&mut self, line: usize) {
        let end = self.lines.get(line).map_or(self.tokens.len(), |line| line.first as usize);
        let before = |at: &u32| (*at as usize) < end;
        let window = &self.window;
        self.window = Window {
            tokens: window.tokens.end..end,
            lines: window.lines.end..line,
            runs: behind(&window.runs, &self.runs, |run| before(&run.first)),
            codes: behind(&window.codes, &self.codes, |code| before(&code.first)),
            fields: behind(&window.fields, &self.fields, |field| before(&field.key.start)),
            heads: behind(&window.heads, &self.heads, before),
            times: behind(&window.times, &self.times, before),
            people: behind(&window.people, &self.people, before),
            lowers: behind(&window.lowers, &self.lowers, before),
            ats: behind(&window.ats, &self.ats, before),
        };
    }

    /// Whether no window follows.
    pub fn is_last_window(&self) -> bool {
        self.window.tokens.end == self.tokens.len()
    }

    /// The places of the tokens of the window.
    pub fn tokens_here(&self) -> Range<usize> {
        self.window.tokens.clone()
    }

    /// The places of the lines of the window.
    pub fn line_numbers_here(&self) -> Range<usize> {
        self.window.lines.clone()
    }

    /// The lines of the window.
    pub fn lines_here(&self) -> &[Line] {
        &self.lines[self.window.lines.clone()]
    }

    /// The runs of the window.
    pub fn runs_here(&self) -> &[Run] {
        &self.runs[self.window.runs.clone()]
    }

    /// The places of the codes of the window.
    pub fn code_places_here(&self) -> Range<usize> {
        self.window.codes.clone()
    }

    /// The codes of the window.
    pub fn codes_here(&self) -> &[Code] {
        &self.codes[self.window.codes.clone()]
    }

    /// The fields of the window.
    pub fn fields_here(&self) -> &[Field] {
        &self.fields[self.window.fields.clone()]
    }

    /// The [`heads`](Document::heads) of the window.
    pub fn heads_here(&self) -> &[u32] {
        &self.heads[self.window.heads.clone()]
    }

    /// The [`times`](Document::times) of the window.
    pub fn times_here(&self) -> &[u32] {
        &self.times[self.window.times.clone()]
    }

    /// The [`people`](Document::people) of the window.
    pub fn people_here(&self) -> &[u32] {
        &self.people[self.window.people.clone()]
    }

    /// The [`lowers`](Document::lowers) of the window.
    pub fn lowers_here(&self) -> &[u32] {
        &self.lowers[self.window.lowers.clone()]
    }

    /// The [`ats`](Document::ats) of the window.
    pub fn ats_here(&self) -> &[u32] {
        &self.ats[self.window.ats.clone()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidates::Candidates;
    use crate::detect::{ALL, Calendar, Detector};
    use crate::letters::letters;

    /// Adds what all detectors propose.
    fn propose(document: &Document<'_>, found: &mut Candidates) {
        ALL.iter().for_each(|detector| detector.detect(document, found));
        Calendar::default().detect(document, found);
    }

    fn sorted(found: &Candidates) -> Vec<String> {
        let mut all: Vec<String> = found
            .list
            .iter()
            .map(|one| {
                let place = (one.start, one.end, one.kind, one.certainty, one.detector);
                format!("{place:?} {:?}", found.rules(one))
            })
            .collect();
        all.sort();
        all
    }

    #[test]
    fn windows_cover_everything_once() {
        let text: String = letters(5).take(200).map(|letter| letter.text + "\n").collect();
        let mut document = Document::read(&text, Document::default());
        let mut whole = Candidates::default();
        propose(&document, &mut whole);
        let (mut parts, mut windows) = (Candidates::default(), 0);
        document.rewind();
        while document.next_window() {
            assert!(document.tokens_here().len() >= SIZE || document.is_last_window());
            propose(&document, &mut parts);
            windows += 1;
        }
        assert!(windows > 4, "{windows}");
        assert_eq!(sorted(&parts), sorted(&whole));
    }

    /// A text without words or lines has no window, and one line is one.
    #[test]
    fn short_and_empty_texts_have_one_window_or_none() {
        for (text, windows) in [("", 0), (" \n ", 0), ("Ann", 1), (&*"Ann 7 ".repeat(2 * SIZE), 1)] {
            let mut document = Document::read(text, Document::default());
            document.rewind();
            assert_eq!(std::iter::from_fn(|| document.next_window().then_some(())).count(), windows);
        }
    }
}
