//! The text of a file's bytes, or why they are none: other files must not be taken for text,
//! because what is not read as text is not scrubbed.

use encoding_rs::{UTF_16BE, UTF_16LE, WINDOWS_1252};
use throng_terms::error::{Fault, Result};
use throng_terms::fault;

/// How a document is encoded, if it has no byte-order mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    /// UTF-8.
    #[default]
    Utf8,
    /// Windows-1252, which includes the printable part of ISO 8859-1.
    Latin1,
    /// UTF-16, little-endian.
    Utf16,
}

/// The first bytes of files that are not text, and what they are.
const BINARY: [(&[u8], &str); 14] = [
    (b"%PDF-", "a PDF file"),
    (b"PK\x03\x04", "a ZIP archive or an Office document"),
    (b"\xd0\xcf\x11\xe0", "an old Office document"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"II*\0", "a picture"),
    (b"MM\0*", "a picture"),
    (b"\x1f\x8b", "a compressed file"),
    (b"\x28\xb5\x2f\xfd", "a compressed file"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"PAR1", "a table"),
    (b"ARROW1", "a table"),
];

/// Bytes that are searched for a NUL to know a file that is not text.
const HEAD: usize = 8192;

/// The text of a file; a byte-order mark decides about the encoding.
///
/// # Errors
/// A file that is not text, and text in another encoding.
pub fn decoded(bytes: &[u8], encoding: Encoding) -> Result<String> {
    if let Some(text) = bytes.strip_prefix(b"\xef\xbb\xbf") {
        return utf8(text);
    }
    if let Some(text) = bytes.strip_prefix(b"\xff\xfe") {
        return utf16(text, false);
    }
    if let Some(text) = bytes.strip_prefix(b"\xfe\xff") {
        return utf16(text, true);
    }
    let known = BINARY.iter().find(|(start, _)| bytes.starts_with(start));
    // Two letters are also the beginning of a text.
    let known = known.filter(|(start, _)| start.len() > 2 || bytes.iter().take(HEAD).any(|byte| *byte == 0));
    if let Some((_, what)) = known {
        return Err(binary(what).into());
    }
    match encoding {
        Encoding::Utf16 => utf16(bytes, false),
        Encoding::Latin1 => {
            refuse_nul(bytes)?;
            Ok(WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned())
        }
        Encoding::Utf8 => utf8(bytes),
    }
}

fn utf8(bytes: &[u8]) -> Result<String> {
    refuse_nul(bytes)?;
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(e) => {
            let valid = e.valid_up_to();
            let line = 1 + bytes[..valid].iter().filter(|byte| **byte == b'\n').count();
            Err(fault!(
                Data,
                "scrub.not-utf8",
                "is not UTF-8: byte {byte} in line {line} begins no character",
                byte = valid + 1,
                line = line
            )
            .help("give --encoding latin-1 or utf-16, or convert the file")
            .into())
        }
    }
}

fn utf16(bytes: &[u8], big: bool) -> Result<String> {
    let encoding = if big { UTF_16BE } else { UTF_16LE };
    let (text, broken) = encoding.decode_without_bom_handling(bytes);
    if broken || text.contains('\0') {
        return Err(fault!(Data, "scrub.not-utf16", "is not UTF-16")
            .help("give --encoding utf-8 or latin-1, or convert the file")
            .into());
    }
    Ok(text.into_owned())
}

fn refuse_nul(bytes: &[u8]) -> Result<()> {
    let Some(at) = bytes.iter().position(|byte| *byte == 0) else { return Ok(()) };
    if at < HEAD && bytes.iter().take(HEAD).filter(|byte| **byte == 0).count() > 8 {
        return Err(binary("a binary file").into());
    }
    Err(fault!(Data, "scrub.nul-byte", "has a NUL, which no text holds, at byte {byte}", byte = at + 1)
        .help("convert the file to text, for instance with: tr -d '\\000'")
        .into())
}

fn binary(what: &str) -> Fault {
    fault!(Data, "scrub.not-text", "is not text: it looks like {what}", what = what)
        .help("convert it to text first, for instance with pdftotext; or leave it out with --skip-unreadable")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(bytes: &[u8], encoding: Encoding) -> String {
        decoded(bytes, encoding).map_err(|e| e.faults()[0].code.to_owned()).unwrap_err()
    }

    #[test]
    fn texts_are_decoded() {
        for (bytes, encoding, text) in [
            (&b"\xef\xbb\xbfcaf\xc3\xa9"[..], Encoding::Utf8, "café"),
            (b"caf\xe9 \x93x\x94", Encoding::Latin1, "café “x”"),
            (b"\xff\xfea\0b\0", Encoding::Utf8, "ab"),
            (b"\xfe\xff\0a\0b", Encoding::Utf8, "ab"),
            (b"a\0b\0", Encoding::Utf16, "ab"),
            (b"MZ is a name", Encoding::Utf8, "MZ is a name"),
            (b"", Encoding::Utf8, ""),
        ] {
            assert_eq!(decoded(bytes, encoding).unwrap(), text);
        }
    }

    #[test]
    fn what_is_not_text_is_refused() {
        assert_eq!(code(b"caf\xe9", Encoding::Utf8), "scrub.not-utf8");
        assert_eq!(code(b"a\0b", Encoding::Utf8), "scrub.nul-byte");
        assert_eq!(code(b"a\0b", Encoding::Latin1), "scrub.nul-byte");
        assert_eq!(code(&[0; 100], Encoding::Utf8), "scrub.not-text");
        assert_eq!(code(b"%PDF-1.7\n", Encoding::Utf8), "scrub.not-text");
        assert_eq!(code(b"abc", Encoding::Utf16), "scrub.not-utf16");
        assert!(decoded(b"line\nx\xff", Encoding::Utf8).unwrap_err().to_string().contains("line 2"));
    }
}
