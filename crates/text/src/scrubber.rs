//! Finds and replaces: the path of a text from bytes to a scrubbed text.
//!
//! A text of up to `pieces::SIZE` is one document. A larger one is read in pieces, which fit the
//! cache with all that is found in them, twice: first for its names and all spans, then, without
//! running the detectors again, for further mentions of these names. Memory grows with the spans, and
//! with the tokens of the first ten megabytes.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::Range;

use throng_terms::error::Error;

use crate::candidates::{Candidate, Candidates, Evidence};
use crate::detect::{self, Calendar, Detector, UserDetector};
use crate::document::{Document, Line};
use crate::pieces;
use crate::replace::Replacer;
use crate::resolve::{self, Names};
use crate::settings::{DateRule, Settings};
use crate::span::Span;
use crate::subject::Subject;
use crate::token::Token;

/// A scrubbed text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scrubbed {
    /// The text with all replacements.
    pub text: String,
    /// What was found, by offsets in the original text, with replacements.
    pub spans: Vec<Span>,
}

/// Finds what identifies people in texts, and replaces it.
#[derive(Debug)]
pub struct Scrubber {
    settings: Settings,
    calendar: Calendar,
    user: UserDetector,
    /// Bytes of a piece, about.
    piece: usize,
    /// Spans of the first pass over a long text that are kept for the second one.
    most_kept: usize,
    /// Tokens of it that are.
    most_tokens: usize,
}

/// Takes a piece, its offset, its resolved spans and their evidence.
type Done<'a> = dyn FnMut(&Document<'_>, usize, &[Candidate], &Candidates) + 'a;

/// Memory that is used again for the next text of a thread.
#[derive(Default)]
struct Scratch {
    document: Document<'static>,
    found: Candidates,
    names: Names,
    kept: Kept,
}

/// Spans of the first pass over a long text that are kept for the second one, about 70 MB of them.
/// Detectors run again over pieces behind these.
const MOST_KEPT: usize = 1 << 19;

/// Tokens that are kept as well, 100 MB of them. Pieces behind these are cut into tokens again.
const MOST_TOKENS: usize = 1 << 21;

/// Kept spans of more than this number do not keep their memory for the next text.
const MOST_REUSED: usize = 1 << 17;

/// What was chosen in the first pieces of a text, with its evidence.
#[derive(Default)]
struct Kept {
    chosen: Vec<Candidate>,
    evidence: Vec<Evidence>,
    /// What each piece has of both.
    pieces: Vec<(Range<usize>, Range<usize>)>,
    /// The tokens and lines of the first pieces; of none whose spans are not kept.
    cut: VecDeque<(Vec<Token>, Vec<Line>)>,
    /// The number of all kept tokens.
    tokens: usize,
}

impl Kept {
    /// Keeps what was chosen in the next piece.
    fn add(&mut self, chosen: &[Candidate], found: &Candidates) {
        let (first, first_rule) = (self.chosen.len(), self.evidence.len());
        for candidate in chosen {
            let from = (self.evidence.len() - first_rule) as u32;
            self.evidence.extend_from_slice(found.rules(candidate));
            self.chosen.push(Candidate { rules: (from, candidate.rules.1), ..*candidate });
        }
        self.pieces.push((first..self.chosen.len(), first_rule..self.evidence.len()));
    }

    /// The chosen spans of a piece, after their evidence is back among the proposals.
    fn restore(&self, piece: usize, found: &mut Candidates) -> Option<Vec<Candidate>> {
        let (chosen, evidence) = self.pieces.get(piece)?.clone();
        found.clear();
        found.evidence.extend_from_slice(&self.evidence[evidence]);
        Some(self.chosen[chosen].to_vec())
    }

    /// Keeps the tokens of the next piece, if there is room. They are not copied: that would cost
    /// nearly as much as to cut the text again.
    fn add_tokens(&mut self, document: &mut Document<'_>, most: usize) {
        let count = document.tokens.len();
        if self.cut.len() + 1 == self.pieces.len() && self.tokens + count <= most {
            self.tokens += count;
            let room = Vec::with_capacity(count + count / 4);
            self.cut.push_back((
                std::mem::replace(&mut document.tokens, room),
                std::mem::take(&mut document.lines),
            ));
        }
    }

    /// The next piece of a text with its tokens, if they are kept.
    fn document<'t>(&mut self, text: &'t str, memory: Document<'_>) -> Document<'t> {
        match self.cut.pop_front() {
            Some((tokens, lines)) => Document::of_tokens(text, tokens, lines, memory),
            None => Document::read_lines(text, memory),
        }
    }

    /// Nothing, in the memory of this.
    fn forget(mut self) -> Kept {
        if self.chosen.len() > MOST_REUSED {
            return Kept::default();
        }
        self.chosen.clear();
        self.evidence.clear();
        self.pieces.clear();
        self.cut.clear();
        self.tokens = 0;
        self
    }
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

impl Scrubber {
    /// A scrubber with these settings.
    ///
    /// # Errors
    /// Thresholds outside of 0 to 1, a short key, a pattern that is not a regular expression.
    pub fn new(settings: Settings) -> Result<Self, Error> {
        let mut faults = settings.faults();
        let user = UserDetector::new(&settings).unwrap_or_else(|mut found| {
            faults.append(&mut found);
            UserDetector::default()
        });
        Error::check(faults)?;
        let calendar = Calendar { months: settings.dates != DateRule::MonthYear };
        Ok(Scrubber {
            settings,
            calendar,
            user,
            piece: pieces::SIZE,
            most_kept: MOST_KEPT,
            most_tokens: MOST_TOKENS,
        })
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What identifies people in a text: sorted, without overlaps. Spans below the threshold are
    /// those that [`scrub`](Self::scrub) suppresses.
    pub fn find(&self, text: &str, subject: &Subject<'_>) -> Vec<Span> {
        let mut spans = Vec::new();
        self.walk(text, subject, &mut |_| {}, &mut |piece, offset, chosen, found| {
            spans.extend(chosen.iter().map(|candidate| found.span(candidate, piece.text, offset)));
        });
        spans
    }

    /// A text with all that identifies people replaced.
    pub fn scrub(&self, text: &str, subject: &Subject<'_>) -> Scrubbed {
        let mut whole = Scrubbed::default();
        let replacer = RefCell::new(Replacer::new(&self.settings, text, subject));
        self.walk(
            text,
            subject,
            &mut |piece| replacer.borrow_mut().avoid(piece),
            &mut |piece, offset, chosen, found| {
                replacer.borrow_mut().replace(piece, offset, chosen, found, &mut whole);
            },
        );
        whole
    }

    /// The same, piece by piece, for texts that are too large to be in memory twice.
    pub fn scrub_pieces(&self, text: &str, subject: &Subject<'_>, done: &mut dyn FnMut(Scrubbed)) {
        let replacer = RefCell::new(Replacer::new(&self.settings, text, subject));
        self.walk(
            text,
            subject,
            &mut |piece| replacer.borrow_mut().avoid(piece),
            &mut |piece, offset, chosen, found| {
                let mut scrubbed = Scrubbed::default();
                replacer.borrow_mut().replace(piece, offset, chosen, found, &mut scrubbed);
                done(scrubbed);
            },
        );
    }

    /// Calls back with every piece of a text that has several, and then with the resolved spans of
    /// every piece.
    fn walk(
        &self,
        text: &str,
        subject: &Subject<'_>,
        read: &mut dyn FnMut(&Document<'_>),
        done: &mut Done<'_>,
    ) {
        // A caller that scrubs from within a call-back gets memory of its own.
        let mut scratch = SCRATCH.take();
        let ends = pieces::ends(text, self.piece);
        let pieces = ends.iter().scan(0, |from, end| Some(std::mem::replace(from, *end)..*end));
        let mut names = std::mem::take(&mut scratch.names);
        let mut kept = std::mem::take(&mut scratch.kept);
        if ends.len() > 1 {
            self.first_pass(text, subject, pieces.clone(), &mut scratch, &mut names, &mut kept, read);
        }
        for (number, piece) in pieces.enumerate() {
            let (text, memory) = (&text[piece.clone()], std::mem::take(&mut scratch.document));
            let found = &mut scratch.found;
            let (document, chosen) = match kept.restore(number, found) {
                Some(chosen) => (kept.document(text, memory), chosen),
                None => {
                    let mut document = Document::read(text, memory);
                    let chosen = self.choose(&mut document, subject, found);
                    names.learn(&document, &chosen);
                    (document, chosen)
                }
            };
            let chosen = self.complete(&document, chosen, &mut names, found);
            done(&document, piece.start, &chosen, found);
            scratch.document = document.forget();
        }
        scratch.names = names.forget();
        scratch.kept = kept.forget();
        SCRATCH.set(scratch);
    }

    /// Learns the names of all pieces, and keeps what was chosen in the first ones.
    #[allow(clippy::too_many_arguments, reason = "all of them change with the walk")]
    fn first_pass(
        &self,
        text: &str,
        subject: &Subject<'_>,
        pieces: impl Iterator<Item = Range<usize>>,
        scratch: &mut Scratch,
        names: &mut Names,
        kept: &mut Kept,
        read: &mut dyn FnMut(&Document<'_>),
    ) {
        let mut spans = 0;
        for piece in pieces {
            let mut document = Document::read(&text[piece], std::mem::take(&mut scratch.document));
            read(&document);
            let chosen = self.choose(&mut document, subject, &mut scratch.found);
            names.learn(&document, &chosen);
            spans += chosen.len();
            if spans <= self.most_kept {
                kept.add(&chosen, &scratch.found);
                kept.add_tokens(&mut document, self.most_tokens);
            }
            scratch.document = document.forget();
        }
    }

    /// Runs all detectors over a piece and chooses among what they propose.
    fn choose(
        &self,
        document: &mut Document<'_>,
        subject: &Subject<'_>,
        found: &mut Candidates,
    ) -> Vec<Candidate> {
        found.clear();
        document.rewind();
        while document.next_window() {
            for detector in detect::ALL {
                detector.detect(document, found);
            }
            self.calendar.detect(document, found);
        }
        self.settle(document, subject, found)
    }

    /// Chooses among what detectors proposed and what the caller asks for.
    fn settle(
        &self,
        document: &Document<'_>,
        subject: &Subject<'_>,
        found: &mut Candidates,
    ) -> Vec<Candidate> {
        self.user.detect(document, found);
        resolve::known::find(document, subject, found);
        self.drop_safe(document, found);
        resolve::choose(found, self.least(), document)
    }

    /// The spans of a text of one piece, after all detectors went over it.
    pub(crate) fn finish(
        &self,
        document: &Document<'_>,
        subject: &Subject<'_>,
        found: &mut Candidates,
    ) -> Vec<Candidate> {
        let mut names = SCRATCH.with_borrow_mut(|scratch| std::mem::take(&mut scratch.names));
        let chosen = self.settle(document, subject, found);
        names.learn(document, &chosen);
        let chosen = self.complete(document, chosen, &mut names, found);
        SCRATCH.with_borrow_mut(|scratch| scratch.names = names.forget());
        chosen
    }

    /// The detector of dates, which depends on the settings.
    pub(crate) fn calendar(&self) -> &dyn Detector {
        &self.calendar
    }

    /// Adds the names that were found elsewhere, and ages beside names. Needs no more of the document
    /// than its tokens.
    fn complete(
        &self,
        document: &Document<'_>,
        mut chosen: Vec<Candidate>,
        names: &mut Names,
        found: &mut Candidates,
    ) -> Vec<Candidate> {
        let least = self.least();
        let mut before = found.list.len();
        if !names.is_empty() {
            names.propose(document, &chosen, found);
            if found.list.len() > before {
                chosen = resolve::add(chosen, &found.list[before..], least, document);
            }
        }
        before = found.list.len();
        resolve::ages(document, &chosen, found);
        resolve::add_free(chosen, &found.list[before..], least)
    }

    /// The least certainty of a span.
    fn least(&self) -> f32 {
        self.settings.suppress_threshold.min(self.settings.threshold)
    }

    /// Drops proposals that consist of words that the caller calls safe.
    fn drop_safe(&self, document: &Document<'_>, found: &mut Candidates) {
        if self.settings.safe_words.is_empty() {
            return;
        }
        found.list.retain(|candidate| {
            let first = document.tokens.partition_point(|token| token.start < candidate.start);
            let mut words = document.tokens[first..]
                .iter()
                .take_while(|token| token.end <= candidate.end)
                .filter(|token| token.is_word());
            candidate.known > 0
                || !words.all(|token| self.user.is_safe(token.hash))
                || first >= document.tokens.len()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::letters::letters;

    /// What the first pass keeps is what detectors find again in the second one.
    #[test]
    fn long_texts_do_not_depend_on_what_is_kept() {
        let text: String = letters(7).take(60).map(|letter| letter.text + "\n\n").collect();
        let kept = [(0, 0), (100, usize::MAX), (usize::MAX, 0), (usize::MAX, 4000), (usize::MAX, usize::MAX)];
        let scrubbed = kept.map(|(most_kept, most_tokens)| {
            let scrubber = Scrubber::new(Settings::default()).unwrap();
            Scrubber { piece: 4096, most_kept, most_tokens, ..scrubber }.scrub(&text, &Subject::default())
        });
        assert!(scrubbed[0].spans.len() > 400);
        scrubbed.iter().for_each(|other| assert_eq!(&scrubbed[0], other));
    }

    /// A name is found in pieces before the one that says that it is a name.
    #[test]
    fn names_of_later_pieces_are_found_in_earlier_ones() {
        let filler = "The wound is clean and dry, with no sign of infection today.\n\n".repeat(20);
        let text = format!("Seen with tarvel today.\n\n{filler}Dr. Anna Tarvel, M.D.\n");
        let scrubber = Scrubber::new(Settings::default()).unwrap();
        for piece in [256, pieces::SIZE] {
            let scrubber = Scrubber { piece, ..Scrubber::new(Settings::default()).unwrap() };
            let spans = scrubber.find(&text, &Subject::default());
            assert_eq!(spans.first().map(|span| &text[span.start..span.end]), Some("tarvel"), "{piece}");
        }
        let scrubbed = Scrubber { piece: 256, ..scrubber }.scrub(&text, &Subject::default()).text;
        assert!(!scrubbed.to_lowercase().contains("tarvel"));
    }
}
