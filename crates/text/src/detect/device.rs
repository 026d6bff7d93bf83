//! Serial numbers of devices and implants, by their key.

use super::number::{self, keyed};
use super::{Detector, Rules};
use crate::candidates::{Candidates, Score};
use crate::document::{Code, Document};
use crate::span::Kind;

/// Finds serial numbers.
pub struct Device;

keyed!(Device, "device", Device, KEY_DEVICE, 4, 0.92, 0.82);

impl Detector for Device {
    fn name(&self) -> &'static str {
        "device"
    }

    fn detect(&self, document: &Document<'_>, found: &mut Candidates) {
        KEYED.detect(document, found);
        for at in document.code_places_here() {
            let code = &document.codes[at];
            if code.rules.any(Rules::SERIAL) && number::is_upper(document, code) {
                named(document, code, found);
            }
        }
    }
}

/// Words before a lot on its line that are looked at.
const LOOK_BACK: usize = 24;

/// A code of letters and digits behind a machine, or in a list of lots: "Workstation PLI-RAD-07",
/// "Lots: Kinrix 7D4KN, ProQuad U028811".
fn named(document: &Document<'_>, code: &Code, found: &mut Candidates) {
    let (first, end) = (code.first as usize, code.end as usize);
    let signs = code.digits + code.letters;
    let odd =
        code.is_date_like || number::is_measured(document, end) || number::is_medical_code(document, code);
    let unit = end - first == 2 && document.tokens[first + 1].is(crate::cues::UNIT.or(crate::cues::DOSE));
    if odd || unit || code.digits < 2 || code.letters < 2 || !(5..=20).contains(&signs) {
        return;
    }
    let machine = words![
        "workstation",
        "scanner",
        "console",
        "terminal",
        "printer",
        "analyser",
        "analyzer",
        "probe",
        "scope",
        "monitor",
        "device",
        "ser",
        "serial",
        "sn"
    ];
    let beside = first.checked_sub(1).is_some_and(|word| document.is_any(word, machine)) && signs >= 6;
    let lots = words!["lot", "lots", "batch", "batches", "serials"];
    let near = || {
        (first.saturating_sub(LOOK_BACK)..first)
            .rev()
            .take_while(|at| document.same_line(*at, first))
            .any(|at| document.is_any(at, lots))
    };
    if beside || signs <= 12 && near() {
        let score = Score::new("device or lot", document.bytes(first..end), 0.74);
        found.add("device", Kind::Device, document.bytes(first..end), &score);
    }
}
