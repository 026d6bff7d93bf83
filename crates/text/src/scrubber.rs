//! Finds and replaces: the path of a text from bytes to a scrubbed text.
//!
//! A text of up to `pieces::SIZE` is one document. A larger one is read in pieces, twice: first
//! for the names in it, then for its spans, so that memory does not grow with the text.

use std::cell::RefCell;

use throng_terms::error::Error;

use crate::candidates::{Candidate, Candidates};
use crate::detect::{self, Calendar, Detector, UserDetector};
use crate::document::Document;
use crate::pieces;
use crate::replace::Replacer;
use crate::resolve::{self, Names};
use crate::settings::{DateRule, Settings};
use crate::span::Span;
use crate::subject::Subject;

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
}

/// Takes a piece, its offset, its resolved spans and their evidence.
type Done<'a> = dyn FnMut(&Document<'_>, usize, &[Candidate], &Candidates) + 'a;

/// Memory that is used again for the next text of a thread.
#[derive(Default)]
struct Scratch {
    document: Document<'static>,
    found: Candidates,
    names: Names,
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
        Ok(Scrubber { settings, calendar, user })
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What identifies people in a text: sorted, without overlaps. Spans below the threshold are
    /// those that [`scrub`](Self::scrub) suppresses.
    pub fn find(&self, text: &str, subject: &Subject<'_>) -> Vec<Span> {
        let mut spans = Vec::new();
        self.walk(text, subject, &mut |piece, offset, chosen, found| {
            spans.extend(chosen.iter().map(|candidate| found.span(candidate, piece.text, offset)));
        });
        spans
    }

    /// A text with all that identifies people replaced.
    pub fn scrub(&self, text: &str, subject: &Subject<'_>) -> Scrubbed {
        let mut whole = Scrubbed::default();
        self.scrub_pieces(text, subject, &mut |mut piece| {
            if whole.text.is_empty() && whole.spans.is_empty() {
                whole = piece;
                return;
            }
            whole.text.push_str(&piece.text);
            whole.spans.append(&mut piece.spans);
        });
        whole
    }

    /// The same, piece by piece, for texts that are too large to be in memory twice.
    pub fn scrub_pieces(&self, text: &str, subject: &Subject<'_>, done: &mut dyn FnMut(Scrubbed)) {
        let mut replacer = Replacer::new(&self.settings, text, subject);
        self.walk(text, subject, &mut |piece, offset, chosen, found| {
            done(replacer.replace(piece, offset, chosen, found));
        });
    }

    /// Calls back with the resolved spans of every piece.
    fn walk(&self, text: &str, subject: &Subject<'_>, done: &mut Done<'_>) {
        SCRATCH.with(|scratch| {
            // A caller that scrubs from within a call-back gets memory of its own.
            let mut scratch =
                scratch.try_borrow_mut().map(|mut scratch| std::mem::take(&mut *scratch)).unwrap_or_default();
            let ends = pieces::ends(text, pieces::SIZE);
            let mut names = std::mem::take(&mut scratch.names).forget();
            if ends.len() > 1 {
                self.pieces(text, subject, &ends, &mut scratch, &mut names, &mut |_, _, _, _| {});
            }
            self.pieces(text, subject, &ends, &mut scratch, &mut names, done);
            scratch.names = names;
            SCRATCH.set(scratch);
        });
    }

    fn pieces(
        &self,
        text: &str,
        subject: &Subject<'_>,
        ends: &[usize],
        scratch: &mut Scratch,
        names: &mut Names,
        done: &mut Done<'_>,
    ) {
        let mut from = 0;
        for end in ends {
            let document = Document::read(&text[from..*end], std::mem::take(&mut scratch.document));
            let chosen = self.resolve(&document, subject, names, &mut scratch.found);
            done(&document, from, &chosen, &scratch.found);
            scratch.document = document.forget();
            from = *end;
        }
    }

    /// Runs all detectors over a piece and resolves what they propose.
    fn resolve(
        &self,
        document: &Document<'_>,
        subject: &Subject<'_>,
        names: &mut Names,
        found: &mut Candidates,
    ) -> Vec<Candidate> {
        found.clear();
        for detector in detect::ALL {
            detector.detect(document, found);
        }
        self.calendar.detect(document, found);
        self.user.detect(document, found);
        resolve::known::find(document, subject, found);
        self.drop_safe(document, found);
        let least = self.settings.suppress_threshold.min(self.settings.threshold);
        let chosen = resolve::choose(found, least, document);
        names.learn(document, &chosen);
        let mut before = found.list.len();
        let chosen = if names.is_empty() {
            chosen
        } else {
            names.propose(document, &chosen, found);
            match found.list.len() {
                same if same == before => chosen,
                _ => resolve::add(chosen, &found.list[before..], least, document),
            }
        };
        before = found.list.len();
        resolve::ages(document, &chosen, found);
        resolve::add_free(chosen, &found.list[before..], least)
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
