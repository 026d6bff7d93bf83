//! Numbers of licences and certificates: by their key, and by the checks of NPI and DEA numbers.

use super::Detector;
use super::checks;
use super::number::{self, keyed};
use crate::candidates::Candidates;
use crate::document::Document;
use crate::span::Kind;

/// Finds numbers of licences.
pub struct Licence;

keyed!(Licence, "licence", Licence, KEY_LICENCE, 4, 0.92, 0.82);

impl Detector for Licence {
    fn name(&self) -> &'static str {
        "licence"
    }

    fn detect(&self, document: &Document<'_>, found: &mut Candidates) {
        KEYED.detect(document, found);
        for (at, code) in document.code_places_here().zip(document.codes_here()) {
            let accept =
                |compact: &number::Compact, _: &_| compact.holds(checks::npi) || checks::dea(compact.text());
            // Both have at least seven digits.
            if code.digits >= 7
                && let Some(tokens) = number::checked(document, at, 1, accept)
            {
                let rule = if code.letters == 0 { "NPI" } else { "DEA" };
                number::propose(self, Kind::Licence, document, tokens, rule, 0.87, found);
            }
        }
    }
}
