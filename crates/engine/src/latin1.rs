//! Latin-1 as UTF-8, by the Encoding Standard (WHATWG): what is called Latin-1 is read as
//! windows-1252, which has printable characters such as `€` and `“` where ISO 8859-1 has control
//! characters (0x80 to 0x9F). One pass.

use std::io::Read;

use encoding_rs_io::{DecodeReaderBytes, DecodeReaderBytesBuilder};

/// Reads windows-1252, gives UTF-8. Every byte is a character; a byte-order mark is text like any
/// other.
pub(crate) fn decoded<R: Read>(inner: R) -> DecodeReaderBytes<R, Vec<u8>> {
    DecodeReaderBytesBuilder::new().encoding(Some(encoding_rs::WINDOWS_1252)).bom_sniffing(false).build(inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The Encoding Standard's index of windows-1252, 0x80 to 0x9F. Five bytes have no character of
    /// their own.
    const MIDDLE: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";

    #[test]
    fn every_byte_is_its_character_in_windows_1252() {
        let all: Vec<u8> = (0..=255).collect();
        let mut text = String::new();
        decoded(all.as_slice()).read_to_string(&mut text).unwrap();
        let same = |bytes: std::ops::RangeInclusive<u8>| bytes.map(char::from).collect::<String>();
        assert_eq!(text, same(0..=0x7f) + MIDDLE + &same(0xa0..=0xff));
    }

    #[test]
    fn marks_of_other_encodings_are_text() {
        for (bytes, shown) in [(&b"\xef\xbb\xbfa"[..], "ï»¿a"), (b"\xff\xfea", "ÿþa"), (b"", "")] {
            let mut text = String::new();
            decoded(bytes).read_to_string(&mut text).unwrap();
            assert_eq!(text, shown);
        }
    }
}
