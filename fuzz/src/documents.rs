//! Documents by format: whatever is in them, they are scrubbed or refused; the texts of a scrubbed
//! document are the original ones with the replacements and nothing else; and messages and
//! resources stay readable as such.

use throng_documents::{Encoding, Format, decoded};
use throng_text::{Scrubber, Settings};

use crate::text::check_scrubbed;

fn document(data: &[u8], format: Format) {
    let Ok(text) = decoded(data, Encoding::Utf8) else { return };
    let scrubber = Scrubber::new(Settings::default()).expect("the settings are valid");
    let Ok(document) = throng_documents::scrub(&text, format, &scrubber) else { return };
    for text in &document.texts {
        check_scrubbed(&text.original, &text.scrubbed);
    }
    if matches!(format, Format::Hl7 | Format::Fhir) {
        let again = throng_documents::scrub(&document.written, format, &scrubber);
        assert!(again.is_ok(), "{:?} cannot be read again: {again:?}", document.written);
    }
}

/// A page.
pub fn html(data: &[u8]) {
    document(data, Format::Html);
}

/// Rich text.
pub fn rtf(data: &[u8]) {
    document(data, Format::Rtf);
}

/// Messages of HL7 version 2.
pub fn hl7(data: &[u8]) {
    document(data, Format::Hl7);
}

/// FHIR resources.
pub fn fhir(data: &[u8]) {
    document(data, Format::Fhir);
}
