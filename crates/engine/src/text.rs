//! The text of a delimited file as UTF-8: decompressed, decoded and without a byte-order mark, in one
//! pass.
//!
//! Compression is recognized by the first bytes of a file, whatever its name is. Encodings follow the
//! Encoding Standard (WHATWG): what is called Latin-1 is read as windows-1252, which has printable
//! characters such as `€` and `“` where ISO 8859-1 has control characters (0x80 to 0x9F).

use std::io::{self, BufRead, BufReader, Cursor, Read};

use encoding_rs::{UTF_16BE, UTF_16LE, WINDOWS_1252};
use encoding_rs_io::DecodeReaderBytesBuilder;
use flate2::read::MultiGzDecoder;
use throng::error::{Fault, Result};
use throng::fault;
use throng::policy::Encoding;

use crate::error::unreadable;

const GZIP: &[u8] = b"\x1F\x8B";
const ZSTD: &[u8] = b"\x28\xB5\x2F\xFD";
/// Byte-order marks.
const UTF8: &[u8] = b"\xEF\xBB\xBF";
const LITTLE: &[u8] = b"\xFF\xFE";
const BIG: &[u8] = b"\xFE\xFF";

/// Reads the bytes of a file, gives its text.
///
/// # Errors
/// What cannot be read, and a file that is marked as UTF-16 where the policy states UTF-8.
pub(crate) fn decoded<'a>(raw: impl Read + 'a, encoding: Encoding, file: &str) -> Result<Box<dyn Read + 'a>> {
    let unreadable = |e: io::Error| unreadable(file, &e);
    let (head, bytes) = begun(decompressed(raw).map_err(unreadable)?, UTF8.len()).map_err(unreadable)?;
    let mark: &[u8] = match encoding {
        Encoding::Utf8 if is_utf16(&head) => return Err(marked_utf16().file(file).into()),
        Encoding::Utf8 if head.starts_with(UTF8) => UTF8,
        Encoding::Utf16 if is_utf16(&head) => LITTLE,
        // Every byte of Latin-1 is a character.
        _ => &[],
    };
    let named = match encoding {
        Encoding::Utf8 => None,
        Encoding::Latin1 => Some(WINDOWS_1252),
        Encoding::Utf16 if head.starts_with(BIG) => Some(UTF_16BE),
        // Without a mark it is little-endian, as spreadsheets write it.
        Encoding::Utf16 => Some(UTF_16LE),
    };
    let text = Cursor::new(head[mark.len()..].to_vec()).chain(bytes);
    Ok(match named {
        None => Box::new(text),
        Some(encoding) => {
            Box::new(DecodeReaderBytesBuilder::new().encoding(Some(encoding)).bom_sniffing(false).build(text))
        }
    })
}

/// As [`decoded`], from the line after the first `skip` on.
///
/// # Errors
/// As [`decoded`].
pub(crate) fn decoded_after<'a>(
    raw: impl Read + 'a,
    encoding: Encoding,
    skip: usize,
    file: &str,
) -> Result<Box<dyn Read + 'a>> {
    let text = decoded(raw, encoding, file)?;
    if skip == 0 {
        return Ok(text);
    }
    let mut text = BufReader::new(text);
    skip_lines(&mut text, skip).map_err(|e| unreadable(file, &e))?;
    Ok(Box::new(text))
}

/// Passes over lines, which end in a line feed, a carriage return, or both.
fn skip_lines(text: &mut impl BufRead, lines: usize) -> io::Result<()> {
    for _ in 0..lines {
        loop {
            let buffer = text.fill_buf()?;
            if buffer.is_empty() {
                return Ok(());
            }
            let Some(end) = memchr::memchr2(b'\n', b'\r', buffer) else {
                let len = buffer.len();
                text.consume(len);
                continue;
            };
            let carriage = buffer[end] == b'\r';
            text.consume(end + 1);
            if carriage && text.fill_buf()?.first() == Some(&b'\n') {
                text.consume(1);
            }
            break;
        }
    }
    Ok(())
}

/// The number of lines that end in a text.
pub(crate) fn lines(text: &[u8]) -> usize {
    let ends = memchr::memchr2_iter(b'\n', b'\r', text);
    ends.filter(|&at| text[at] == b'\n' || text.get(at + 1) != Some(&b'\n')).count()
}

/// The beginning of a file for those who look what it is: decompressed, and decoded if it is marked as
/// UTF-16. Returns whether it is.
///
/// # Errors
/// What cannot be read.
pub(crate) fn sample(raw: impl Read, bytes: u64) -> io::Result<(Vec<u8>, bool)> {
    let mut head = Vec::new();
    decompressed(raw)?.take(bytes).read_to_end(&mut head)?;
    if !is_utf16(&head) {
        return Ok((head, false));
    }
    let (encoding, _) = encoding_rs::Encoding::for_bom(&head).unwrap_or((UTF_16LE, 0));
    Ok((encoding.decode(&head).0.into_owned().into_bytes(), true))
}

fn is_utf16(head: &[u8]) -> bool {
    head.starts_with(LITTLE) || head.starts_with(BIG)
}

fn marked_utf16() -> Fault {
    fault!(Data, "table.utf-16", "is UTF-16, not UTF-8: it begins with the byte-order mark of UTF-16")
        .help("set input.encoding = \"utf-16\", or save it as UTF-8")
}

/// The bytes of a file that may be compressed. Several compressed parts, one after the other, are one.
fn decompressed<'a>(raw: impl Read + 'a) -> io::Result<Box<dyn Read + 'a>> {
    let (head, raw) = begun(raw, ZSTD.len())?;
    let raw = Cursor::new(head.clone()).chain(raw);
    Ok(if head.starts_with(GZIP) {
        Box::new(Decompressing(MultiGzDecoder::new(raw)))
    } else if head == ZSTD {
        Box::new(Decompressing(zstd::stream::read::Decoder::new(raw)?))
    } else {
        Box::new(raw)
    })
}

/// Says of whatever cannot be decompressed that the file is damaged.
struct Decompressing<R>(R);

impl<R: Read> Read for Decompressing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(|e| match e.kind() {
            io::ErrorKind::Interrupted => e,
            _ => io::Error::new(io::ErrorKind::InvalidData, e),
        })
    }
}

/// Up to `len` first bytes, and what follows them.
fn begun<R: Read>(mut bytes: R, len: usize) -> io::Result<(Vec<u8>, R)> {
    let mut head = Vec::new();
    (&mut bytes).take(len as u64).read_to_end(&mut head)?;
    Ok((head, bytes))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// The Encoding Standard's index of windows-1252, 0x80 to 0x9F. Five bytes have no character of
    /// their own.
    const MIDDLE: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";

    fn read(bytes: &[u8], encoding: Encoding) -> Result<String> {
        let mut text = String::new();
        decoded(bytes, encoding, "t.csv")?.read_to_string(&mut text).map_err(|e| unreadable("t.csv", &e))?;
        Ok(text)
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn every_byte_is_its_character_in_windows_1252() {
        let all: Vec<u8> = (0..=255).collect();
        let same = |bytes: std::ops::RangeInclusive<u8>| bytes.map(char::from).collect::<String>();
        let text = read(&all, Encoding::Latin1).unwrap();
        assert_eq!(text, same(0..=0x7f) + MIDDLE + &same(0xa0..=0xff));
    }

    #[test]
    fn marks_are_text_in_latin_1_alone() {
        for (bytes, shown) in [(&b"\xef\xbb\xbfa"[..], "ï»¿a"), (b"\xff\xfea", "ÿþa"), (b"", "")] {
            assert_eq!(read(bytes, Encoding::Latin1).unwrap(), shown);
        }
        assert_eq!(read(b"\xef\xbb\xbfa", Encoding::Utf8).unwrap(), "a");
        for short in [&b""[..], b"a", b"ab", b"abc"] {
            assert_eq!(read(short, Encoding::Utf8).unwrap().as_bytes(), short);
        }
    }

    #[test]
    fn utf_16_is_read_in_either_byte_order_and_refused_as_utf_8() {
        let text = "name,Größe\nZoë 𝄞,1\n";
        let marked = format!("\u{feff}{text}");
        for bytes in [
            utf16(&marked, u16::to_le_bytes),
            utf16(&marked, u16::to_be_bytes),
            utf16(text, u16::to_le_bytes),
        ] {
            assert_eq!(read(&bytes, Encoding::Utf16).unwrap(), text);
        }
        let refused = read(&utf16(&marked, u16::to_be_bytes), Encoding::Utf8).unwrap_err();
        assert!(refused.has_code("table.utf-16"));
        let (head, is) = sample(&utf16(&marked, u16::to_be_bytes)[..], 1 << 10).unwrap();
        assert_eq!((String::from_utf8(head).unwrap().as_str(), is), (text, true));
    }

    #[test]
    fn lines_are_passed_over_however_they_end() {
        for text in ["a\nb\nc,d\n1,2\n", "a\r\nb\r\nc,d\n1,2\n", "a\rb\rc,d\n1,2\n"] {
            let after = |skip: usize| {
                let mut read = String::new();
                let mut after = decoded_after(text.as_bytes(), Encoding::Utf8, skip, "t.csv").unwrap();
                after.read_to_string(&mut read).unwrap();
                read
            };
            assert_eq!(
                (after(2).as_str(), after(3).as_str(), after(9).as_str()),
                ("c,d\n1,2\n", "1,2\n", "")
            );
            assert_eq!(lines(text.as_bytes()), 4);
        }
    }

    #[test]
    fn compressed_text_is_the_text() {
        let text = "a,b\n1,2\n".repeat(1000);
        // As `cat one.gz two.gz` makes it.
        let (one, two) = text.split_at(text.len() / 2);
        let joined = [gzip(one.as_bytes()), gzip(two.as_bytes())].concat();
        let zstd = |text: &str| zstd::encode_all(text.as_bytes(), 1).unwrap();
        for bytes in [joined, [zstd(one), zstd(two)].concat()] {
            assert_eq!(read(&bytes, Encoding::Utf8).unwrap(), text);
            let cut = read(&bytes[..bytes.len() - 9], Encoding::Utf8).unwrap_err();
            assert!(cut.to_string().contains("t.csv"), "{cut}");
        }
        let marked = gzip(&utf16(&format!("\u{feff}{text}"), u16::to_le_bytes));
        assert_eq!(read(&marked, Encoding::Utf16).unwrap(), text);
    }
}
