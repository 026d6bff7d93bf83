//! Letters and notes in files: reads the texts of a document by its format, scrubs them together,
//! and writes them back.
//!
//! Plain text and Markdown keep their layout. HTML and RTF are read as text and written as text:
//! attributes, comments and scripts can hold anything. Of HL7 v2 messages and FHIR resources, the
//! texts are scrubbed, what identifies people is removed, and the names and numbers of the patient
//! are searched in the texts. Costs a few passes over the document, beside the scrubbing. Nothing
//! here opens a file.

#![forbid(unsafe_code)]

mod decode;
mod fhir;
mod hl7;
mod html;
pub mod page;
mod rtf;

pub use decode::{Encoding, decoded};

use serde::Serialize;
use throng_terms::error::Result;
use throng_text::{Known, Meaning, Scrubbed, Scrubber, Span, Subject};

/// What a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Plain text, or Markdown.
    Text,
    /// A page.
    Html,
    /// Rich text.
    Rtf,
    /// Messages of HL7 version 2.
    Hl7,
    /// FHIR resources as JSON, one or one per line.
    Fhir,
}

impl Format {
    /// The format of a text, by the ending of its name and by how it begins.
    pub fn of(name: &str, text: &str) -> Format {
        let ending = name.rsplit('.').next().unwrap_or_default().to_lowercase();
        let start = text.trim_start_matches(['\u{feff}', '\u{b}', ' ', '\n', '\r', '\t']);
        let html = || {
            let head: String = start.chars().take(14).collect::<String>().to_lowercase();
            head.starts_with("<!doctype html") || head.starts_with("<html")
        };
        match ending.as_str() {
            "html" | "htm" | "xhtml" => Format::Html,
            "rtf" => Format::Rtf,
            "hl7" => Format::Hl7,
            "json" | "ndjson" | "fhir" => Format::Fhir,
            _ if start.starts_with("{\\rtf") => Format::Rtf,
            _ if ["MSH|", "FHS|", "BHS|"].iter().any(|head| start.starts_with(head)) => Format::Hl7,
            _ if html() => Format::Html,
            _ => Format::Text,
        }
    }

    /// The ending that is added to the name of what is written, where the format changes.
    pub fn added_ending(self) -> &'static str {
        match self {
            Format::Html | Format::Rtf => ".txt",
            Format::Text | Format::Hl7 | Format::Fhir => "",
        }
    }
}

/// One text of a document.
#[derive(Debug, Clone)]
pub struct ScrubbedText {
    /// Where it is in the document, such as `OBX 3`; empty for a document that is one text.
    pub place: String,
    /// The text as it was.
    pub original: String,
    /// The text as it is written, and what was found.
    pub scrubbed: Scrubbed,
}

/// A document whose texts were scrubbed.
#[derive(Debug, Clone)]
pub struct ScrubbedDocument {
    /// What is written.
    pub written: String,
    /// Its texts.
    pub texts: Vec<ScrubbedText>,
}

/// A value that a document knows of its patient.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct KnownValue {
    pub(crate) field: &'static str,
    pub(crate) value: String,
    pub(crate) meaning: Meaning<'static>,
}

/// Scrubs the texts of a document.
///
/// # Errors
/// A document that is not of its format.
pub fn scrub(text: &str, format: Format, scrubber: &Scrubber) -> Result<ScrubbedDocument> {
    match format {
        Format::Text => Ok(single(text.to_owned(), scrubber)),
        Format::Html => Ok(single(html::text(text), scrubber)),
        Format::Rtf => Ok(single(rtf::text(text)?, scrubber)),
        Format::Hl7 => hl7::scrub(text, scrubber),
        Format::Fhir => fhir::scrub(text, scrubber),
    }
}

/// Scrubs several documents: the same as [`scrub`] of each, and faster for short ones.
pub fn scrub_all(documents: Vec<(String, Format)>, scrubber: &Scrubber) -> Vec<Result<ScrubbedDocument>> {
    let read = |(text, format): (String, Format)| match format {
        Format::Text => Ok(Read::Text(text)),
        Format::Html => Ok(Read::Text(html::text(&text))),
        Format::Rtf => rtf::text(&text).map(Read::Text),
        Format::Hl7 | Format::Fhir => scrub(&text, format, scrubber).map(Read::Scrubbed),
    };
    let read: Vec<Result<Read>> = documents.into_iter().map(read).collect();
    let unknown = Subject::unknown();
    let texts: Vec<(&str, &Subject<'_>)> =
        read.iter().flatten().filter_map(Read::text).map(|text| (text, &unknown)).collect();
    let mut scrubbed = scrubber.scrub_all(&texts).into_iter();
    let mut done = |read: Read| match read {
        Read::Text(text) => of_text(text, scrubbed.next().unwrap_or_default()),
        Read::Scrubbed(document) => document,
    };
    read.into_iter().map(|read| read.map(&mut done)).collect()
}

/// A document whose text is known, or that is scrubbed in parts.
enum Read {
    Text(String),
    Scrubbed(ScrubbedDocument),
}

impl Read {
    fn text(&self) -> Option<&str> {
        match self {
            Read::Text(text) => Some(text),
            Read::Scrubbed(_) => None,
        }
    }
}

fn single(text: String, scrubber: &Scrubber) -> ScrubbedDocument {
    let scrubbed = scrubber.scrub(&text, &Subject::unknown());
    of_text(text, scrubbed)
}

/// A document of one text.
fn of_text(original: String, scrubbed: Scrubbed) -> ScrubbedDocument {
    let written = scrubbed.text.clone();
    ScrubbedDocument { written, texts: vec![ScrubbedText { place: String::new(), original, scrubbed }] }
}

/// Stands between texts that are scrubbed together, and in no text.
const BETWEEN: &str = "\n\u{1e}\n";

/// Scrubs several texts of one document together, so that a person has one surrogate in all of
/// them.
pub(crate) fn together(
    texts: Vec<(String, String)>,
    known: &[KnownValue],
    scrubber: &Scrubber,
) -> Vec<ScrubbedText> {
    let known = known.iter().map(|KnownValue { field, value, meaning }| Known {
        column: field,
        value,
        released: None,
        meaning: *meaning,
    });
    let subject = Subject { identifiers: known.collect(), ..Subject::default() };
    let apart = texts.iter().all(|(_, text)| !text.contains('\u{1e}'));
    let joined: Vec<&str> = texts.iter().map(|(_, text)| text.as_str()).collect();
    let whole = apart.then(|| scrubber.scrub(&joined.join(BETWEEN), &subject));
    let parts = whole.and_then(|whole| parted(whole, &joined));
    let parts = parts.unwrap_or_else(|| joined.iter().map(|text| scrubber.scrub(text, &subject)).collect());
    let texts = texts.into_iter().zip(parts);
    texts.map(|((place, original), scrubbed)| ScrubbedText { place, original, scrubbed }).collect()
}

/// The parts of texts that were scrubbed together; none where something was found across two.
fn parted(whole: Scrubbed, texts: &[&str]) -> Option<Vec<Scrubbed>> {
    let written: Vec<&str> = whole.text.split(BETWEEN).collect();
    if written.len() != texts.len() {
        return None;
    }
    let mut spans = whole.spans.into_iter().peekable();
    let mut start = 0;
    let mut parts = Vec::with_capacity(texts.len());
    for (text, written) in texts.iter().zip(written) {
        let end = start + text.len();
        let mut own: Vec<Span> = Vec::new();
        while let Some(mut span) = spans.next_if(|span| span.start < end) {
            if span.start < start || span.end > end {
                return None;
            }
            (span.start, span.end) = (span.start - start, span.end - start);
            own.push(span);
        }
        parts.push(Scrubbed { text: written.to_owned(), spans: own });
        start = end + BETWEEN.len();
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use throng_text::Settings;

    use super::*;

    fn scrubber() -> Scrubber {
        Scrubber::new(Settings::default()).unwrap()
    }

    #[test]
    fn formats_follow_from_name_and_beginning() {
        for (name, text, format) in [
            ("a.txt", "Dear Dr. Lang", Format::Text),
            ("a.MD", "# Note", Format::Text),
            ("a.HTM", "x", Format::Html),
            ("a", "<!DOCTYPE html><p>", Format::Html),
            ("a.rtf", "", Format::Rtf),
            ("a.txt", "{\\rtf1 x}", Format::Rtf),
            ("-", "\u{b}MSH|^~\\&|", Format::Hl7),
            ("a.json", "{}", Format::Fhir),
        ] {
            assert_eq!(Format::of(name, text), format, "{name}");
        }
    }

    #[test]
    fn texts_that_are_scrubbed_together_keep_their_places() {
        let texts = ["one", "", "Mr. James Smith called 617-555-0199.", "four\n"];
        let given = texts.iter().enumerate().map(|(at, text)| (at.to_string(), (*text).to_owned())).collect();
        let scrubbed = together(given, &[], &scrubber());
        assert_eq!(scrubbed.len(), 4);
        for (text, scrubbed) in texts.iter().zip(&scrubbed) {
            assert_eq!(*text, scrubbed.original);
            assert!(scrubbed.scrubbed.spans.iter().all(|span| text.get(span.start..span.end).is_some()));
        }
        assert_eq!(scrubbed[0].scrubbed.text, "one");
        let odd = vec![("a".into(), "x\u{1e}y".into()), ("b".into(), "z".into())];
        assert_eq!(together(odd, &[], &scrubber())[1].scrubbed.text, "z");
    }
}
