//! Several short texts at a time: each detector goes over all of them before the next one does.
//!
//! The code of all detectors is larger than the cache for instructions. Over one letter, each runs for
//! less than a microsecond, most of which it waits for its own code. What is found in a text does not
//! depend on the texts beside it.

use std::cell::RefCell;

use crate::candidates::{Candidate, Candidates};
use crate::detect;
use crate::document::Document;
use crate::replace::Replacer;
use crate::scrubber::{Scrubbed, Scrubber};
use crate::subject::Subject;

/// Bytes of a text that is scrubbed with others; a longer one has a cache full of its own.
const SHORT: usize = 1 << 12;

/// Bytes of texts that are scrubbed together: their tokens stay in the cache of a core.
const TOGETHER: usize = 1 << 18;

/// Texts that are scrubbed together.
const MOST: usize = 256;

/// A text with what was found in it.
#[derive(Default)]
struct Reading<'t> {
    document: Document<'t>,
    found: Candidates,
}

thread_local! {
    /// Memory that is used again for the next texts of a thread.
    static MEMORY: RefCell<Vec<Reading<'static>>> = RefCell::default();
}

/// How many of some texts are scrubbed together, from the first one on.
fn together(texts: &[(&str, &Subject<'_>)]) -> usize {
    let mut bytes = 0;
    let fits = |(text, _): &&(&str, &Subject<'_>)| {
        bytes += text.len();
        text.len() <= SHORT && bytes <= TOGETHER
    };
    texts.iter().take(MOST).take_while(fits).count().max(1)
}

impl Scrubber {
    /// Texts with all that identifies people replaced: the same as [`scrub`](Self::scrub) of each, and
    /// faster for short texts.
    pub fn scrub_all(&self, texts: &[(&str, &Subject<'_>)]) -> Vec<Scrubbed> {
        let mut scrubbed = Vec::with_capacity(texts.len());
        let mut rest = texts;
        while !rest.is_empty() {
            let (now, later) = rest.split_at(together(rest));
            match now {
                [(text, subject)] => scrubbed.push(self.scrub(text, subject)),
                _ => self.scrub_together(now, &mut scrubbed),
            }
            rest = later;
        }
        scrubbed
    }

    fn scrub_together(&self, texts: &[(&str, &Subject<'_>)], scrubbed: &mut Vec<Scrubbed>) {
        // A caller that scrubs from within a call-back gets memory of its own.
        let mut memory = MEMORY.take();
        memory.resize_with(memory.len().max(texts.len()), Reading::default);
        let unused = memory.split_off(texts.len());
        let mut readings: Vec<Reading<'_>> = texts
            .iter()
            .zip(memory)
            .map(|((text, _), Reading { document, mut found })| {
                found.clear();
                Reading { document: Document::read(text, document), found }
            })
            .collect();
        for detector in detect::ALL.iter().copied().chain([self.calendar()]) {
            // A text without tokens has no window either.
            for Reading { document, found } in
                readings.iter_mut().filter(|own| !own.document.tokens.is_empty())
            {
                detector.detect(document, found);
            }
        }
        let own = readings.iter_mut().zip(texts);
        let chosen: Vec<Vec<Candidate>> = own
            .map(|(Reading { document, found }, (_, subject))| self.finish(document, subject, found))
            .collect();
        for ((Reading { document, found }, chosen), (text, subject)) in
            readings.iter().zip(&chosen).zip(texts)
        {
            let mut whole = Scrubbed::default();
            Replacer::new(self.settings(), text, subject).replace(document, 0, chosen, found, &mut whole);
            scrubbed.push(whole);
        }
        let forget =
            |Reading { document, found }: Reading<'_>| Reading { document: document.forget(), found };
        MEMORY.set(readings.into_iter().map(forget).chain(unused).collect());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::letters::letters;
    use crate::settings::Settings;
    use crate::subject::{Known, Meaning};

    /// Texts together are scrubbed as each alone, whatever is before and behind them.
    #[test]
    fn texts_do_not_depend_on_their_neighbours() {
        let scrubber = Scrubber::new(Settings::default()).unwrap();
        let unknown = Subject::unknown();
        let written: Vec<String> = letters(21).take(2 * MOST + 3).map(|letter| letter.text).collect();
        let value = written[2].split_whitespace().next().unwrap();
        let known = Known { column: "name", value, released: None, meaning: Meaning::Name };
        let known = Subject { identifiers: vec![known], ..Subject::default() };
        let long = written[..40].concat();
        assert!(long.len() > SHORT);
        let mut texts: Vec<(&str, &Subject<'_>)> =
            written.iter().map(|text| (text.as_str(), &unknown)).collect();
        texts[2].1 = &known;
        for (at, text) in [(0, ""), (5, long.as_str()), (7, " \n"), (9, "Ann"), (2 * MOST, "")] {
            texts.insert(at, (text, &unknown));
        }
        let all = scrubber.scrub_all(&texts);
        assert_eq!(all.len(), texts.len());
        for (at, (scrubbed, (text, subject))) in all.iter().zip(&texts).enumerate() {
            assert_eq!(*scrubbed, scrubber.scrub(text, subject), "{at}");
        }
        assert!(all.iter().filter(|scrubbed| !scrubbed.spans.is_empty()).count() > MOST);
    }

    proptest! {
        /// Portions are not empty, not too large unless one text is, and cover all texts.
        #[test]
        fn portions_fit(lengths in prop::collection::vec(0usize..2 * SHORT, 1..400)) {
            let texts: Vec<String> = lengths.iter().map(|length| "a".repeat(*length)).collect();
            let unknown = Subject::unknown();
            let texts: Vec<(&str, &Subject<'_>)> = texts.iter().map(|text| (text.as_str(), &unknown)).collect();
            let count = together(&texts);
            let bytes: usize = texts[..count].iter().map(|(text, _)| text.len()).sum();
            prop_assert!((1..=MOST).contains(&count));
            prop_assert!(count == 1 || bytes <= TOGETHER && texts[..count].iter().all(|(text, _)| text.len() <= SHORT));
        }
    }
}
