//! What was found in documents: as JSON, and as a page for a review. Both are written as documents
//! are scrubbed, to files without a name, so that memory does not depend on their number.

use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::Serialize;
use throng::error::{Fault, Result};
use throng_documents::{Format, ScrubbedText, page};
use throng_text::Span;

use crate::error::unwritable;
use crate::staging;

/// The most bytes of texts that a page shows: browsers do not take more.
const MOST: usize = 20_000_000;

/// What was found, as JSON in an unnamed file.
#[derive(Debug)]
pub struct Findings {
    file: BufWriter<std::fs::File>,
    files: u64,
}

/// A document with what was found in it.
#[derive(Serialize)]
struct Entry<'a> {
    file: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<Format>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
    spans: Vec<Placed<'a>>,
}

/// A finding, with the place of its text in a document of several.
#[derive(Serialize)]
struct Placed<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    place: &'a str,
    #[serde(flatten)]
    span: &'a Span,
}

fn failed(e: &io::Error) -> throng::error::Error {
    unwritable(&std::env::temp_dir().display().to_string(), e)
}

impl Findings {
    pub(super) fn new() -> Result<Self> {
        let file = tempfile::tempfile().map_err(|e| failed(&e))?;
        Ok(Findings { file: BufWriter::new(file), files: 0 })
    }

    /// Adds a document.
    pub(super) fn add(
        &mut self,
        file: &str,
        format: Option<Format>,
        output: Option<&Path>,
        texts: &[ScrubbedText],
    ) -> Result<()> {
        let spans = texts.iter().flat_map(placed).collect();
        let output = output.map(|path| path.display().to_string());
        let entry = serde_json::to_string(&Entry { file, format, output, spans });
        let entry = entry.map_err(|e| Fault::bug(e.to_string()))?;
        let comma = if self.files > 0 { ",\n" } else { "" };
        self.files += 1;
        self.file
            .write_all(comma.as_bytes())
            .and_then(|()| self.file.write_all(entry.as_bytes()))
            .map_err(|e| failed(&e))
    }

    /// Hands the JSON array to `take`, piece by piece.
    ///
    /// # Errors
    /// What cannot be read, and what `take` returns.
    pub fn each(self, mut take: impl FnMut(&str) -> Result<()>) -> Result<()> {
        let mut file = self.file.into_inner().map_err(|e| failed(e.error()))?;
        file.seek(SeekFrom::Start(0)).map_err(|e| failed(&e))?;
        take("[")?;
        let (mut buffer, mut held) = (vec![0; 1 << 16], Vec::new());
        loop {
            let read = file.read(&mut buffer).map_err(|e| failed(&e))?;
            held.extend_from_slice(&buffer[..read]);
            let whole = std::str::from_utf8(&held).map_or_else(|e| e.valid_up_to(), str::len);
            take(std::str::from_utf8(&held[..whole]).unwrap_or_default())?;
            held.drain(..whole);
            if read == 0 {
                return take("]");
            }
        }
    }
}

/// The findings of a text.
fn placed(text: &ScrubbedText) -> impl Iterator<Item = Placed<'_>> {
    text.scrubbed.spans.iter().map(|span| Placed { place: &text.place, span })
}

/// The page for a review, as it is written.
pub(super) struct Page {
    file: BufWriter<staging::File>,
    bytes: usize,
    left_out: u64,
}

impl Page {
    pub(super) fn new(folder: &Path) -> Result<Self> {
        let file = staging::File::new(folder).map_err(|e| unwritable(&folder.display().to_string(), &e))?;
        let mut page = Page { file: BufWriter::new(file), bytes: 0, left_out: 0 };
        page.write(page::head())?;
        Ok(page)
    }

    pub(super) fn add(&mut self, file: &str, texts: &[ScrubbedText]) -> Result<()> {
        let bytes: usize = texts.iter().map(|text| text.original.len()).sum();
        if self.bytes > 0 && self.bytes + bytes > MOST {
            self.left_out += 1;
            return Ok(());
        }
        self.bytes += bytes;
        self.write(page::document(file, texts))
    }

    fn write(&mut self, html: page::Html) -> Result<()> {
        self.file.write_all(html.into_string().as_bytes()).map_err(|e| failed(&e))
    }

    /// The complete page.
    pub(super) fn finish(mut self) -> Result<staging::File> {
        self.write(page::foot(self.left_out))?;
        self.file.into_inner().map_err(|e| failed(e.error()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_an_array_of_documents() {
        let mut findings = Findings::new().unwrap();
        findings.add("a é", None, Some(Path::new("out/a")), &[]).unwrap();
        findings.add("b", Some(Format::Html), None, &[]).unwrap();
        let mut json = String::new();
        findings
            .each(|part| {
                json += part;
                Ok(())
            })
            .unwrap();
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json[0]["file"], "a é");
        assert_eq!((&json[0]["output"], &json[1]["format"]), (&"out/a".into(), &"html".into()));
    }
}
