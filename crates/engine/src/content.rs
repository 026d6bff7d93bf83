//! The format of a file by its first bytes: for files whose name does not say, and for those whose
//! name says something else.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use throng::error::{Fault, Result};
use throng::fault;
use throng::policy::Format;

use crate::error::unreadable;

/// Bytes that are looked at.
const HEAD: u64 = 512;

/// What the first bytes of binary formats are.
const STARTS: [(&[u8], Format); 8] = [
    (b"PAR1", Format::Parquet),
    (b"ARROW1", Format::Arrow),
    (b"\xff\xff\xff\xff", Format::Arrow),
    (b"PK\x03\x04", Format::Excel),
    (b"\xd0\xcf\x11\xe0", Format::Excel),
    (b"<stata_dta>", Format::Stata),
    (b"$FL2", Format::Spss),
    (b"$FL3", Format::Spss),
];

/// The first 32 bytes of a SAS table after twelve zeros.
const SAS: &[u8] = b"\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92\x08\x00\x09\xc7\x31\x8c\x18\x1f\x10\x11";

/// The binary format of a file; none for text, compressed or not.
///
/// # Errors
/// What cannot be read.
pub(crate) fn binary(file: &Path) -> Result<Option<Format>> {
    let head = head(file).map_err(|e| unreadable(&file.display().to_string(), &e))?;
    Ok(of(&head))
}

/// The format of a file whose name does not say.
///
/// # Errors
/// What cannot be read.
pub(crate) fn format(file: &Path) -> Result<Format> {
    let head = head(file).map_err(|e| unreadable(&file.display().to_string(), &e))?;
    if let Some(format) = of(&head) {
        return Ok(format);
    }
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&head).trim_ascii_start();
    let object = |text: &[u8]| text.trim_ascii_start().first() == Some(&b'{');
    let json = object(text) || text.strip_prefix(b"[").is_some_and(object);
    Ok(if json { Format::Json } else { Format::Csv })
}

fn of(head: &[u8]) -> Option<Format> {
    let known = STARTS.iter().find(|(start, _)| head.starts_with(start)).map(|(_, format)| *format);
    let sas = || head.get(12..).is_some_and(|rest| rest.starts_with(SAS)).then_some(Format::Sas);
    known.or_else(sas)
}

fn head(file: &Path) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    File::open(file)?.take(HEAD).read_to_end(&mut head)?;
    Ok(head)
}

/// A text file that is something else.
pub(crate) fn not_text(found: Format, file: &str) -> Fault {
    fault!(Data, "table.not-text", "is not text: it looks like {found}", found = found.name())
        .file(file)
        .help(format!(
            "set input.format = \"{}\", or give the file the extension of its format",
            found.name()
        ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_known_by_their_first_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t");
        let mut sas = vec![0; 12];
        sas.extend(SAS);
        for (bytes, found) in [
            (&b"PAR1...."[..], Format::Parquet),
            (b"PK\x03\x04", Format::Excel),
            (b"$FL2@(#)", Format::Spss),
            (&sas, Format::Sas),
            (b"a,b\n", Format::Csv),
            (b"", Format::Csv),
            (b" {\"a\":1}", Format::Json),
            (b"[\n {\"a\":1}]", Format::Json),
            (b"[1, 2),3\n", Format::Csv),
        ] {
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(format(&path).unwrap(), found);
        }
    }
}
