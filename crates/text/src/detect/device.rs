//! Serial numbers of devices and implants, by their key.

use super::Detector;
use super::number::keyed;
use crate::candidates::Candidates;
use crate::document::Document;

/// Finds serial numbers.
pub struct Device;

keyed!(Device, "device", Device, KEY_DEVICE, 4, 0.92, 0.82);

impl Detector for Device {
    fn name(&self) -> &'static str {
        "device"
    }

    fn detect(&self, document: &Document<'_>, found: &mut Candidates) {
        KEYED.detect(document, found);
    }
}
