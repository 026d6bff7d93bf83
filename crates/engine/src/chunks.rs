//! Cuts delimited text into pieces of whole records, so that several threads can decode it.
//!
//! One pass over the bytes, which are digested on the way where asked. A line break within quotes
//! does not end a record; what is a quote and what is not follows the reader of the `csv-core`
//! crate, which decodes the pieces. Pieces without a quote are cut without looking at every byte.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use throng::error::Result;
use throng::policy::Encoding;
use throng::watch::Watch;

use crate::digest::Digester;
use crate::error::unreadable;
use crate::latin1;
use crate::pipeline::Send;
use crate::source::Source;

/// Bytes that are read at once: many batches, so that the values of a piece repeat.
const CHUNK: usize = 1 << 21;
/// The byte-order mark of UTF-8.
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// Some records of a file, as UTF-8.
pub(crate) struct Chunk {
    pub(crate) bytes: Vec<u8>,
    /// Whether the first record is the header.
    pub(crate) headed: bool,
    /// The place of the file among those of the table.
    pub(crate) file: usize,
}

/// Reads all files of a table and sends their chunks, until nobody listens. Returns whether all of
/// them were sent.
pub(crate) fn read(
    source: &Source,
    mut digester: Option<&mut Digester>,
    watch: &Watch,
    send: &mut Send<'_, Chunk>,
) -> Result<bool> {
    for (at, file) in source.files.iter().enumerate() {
        let name = file.display().to_string();
        let input = Digested { file: open(file)?, digester: digester.as_deref_mut() };
        let mut reader: Box<dyn Read> = match source.layout.encoding {
            Encoding::Utf8 => Box::new(input),
            Encoding::Latin1 => Box::new(latin1::decoded(input)),
        };
        let mut splitter = Splitter::new(source.layout.delimiter, source.layout.quote);
        let (mut bytes, mut headed) = (Vec::new(), source.headed);
        let (mut begun, mut blank) = (false, true);
        loop {
            watch.check()?;
            let before = bytes.len();
            let read = (&mut reader).take(CHUNK as u64).read_to_end(&mut bytes);
            if read.map_err(|e| unreadable(&name, &e))? == 0 {
                break;
            }
            if !begun {
                let marked = source.layout.encoding == Encoding::Utf8 && bytes.starts_with(MARK);
                bytes.drain(..if marked { MARK.len() } else { 0 });
                begun = true;
            }
            // Blank lines before the header are not a record.
            if blank {
                let breaks = bytes.iter().take_while(|byte| is_break(**byte)).count();
                bytes.drain(..breaks);
                blank = bytes.is_empty();
            }
            let before = before.min(bytes.len());
            let Some(end) = splitter.feed(&bytes[before..]) else { continue };
            let rest = bytes.split_off(before + end);
            if !send(Chunk { bytes: std::mem::replace(&mut bytes, rest), headed, file: at }) {
                return Ok(false);
            }
            headed = false;
        }
        if !bytes.is_empty() && !send(Chunk { bytes, headed, file: at }) {
            return Ok(false);
        }
        drop(reader);
        if let Some(digester) = &mut digester {
            digester.end_of_file();
        }
    }
    Ok(true)
}

fn open(file: &Path) -> Result<File> {
    File::open(file).map_err(|e| unreadable(&file.display().to_string(), &e))
}

/// A file whose bytes are digested as they are read.
struct Digested<'a> {
    file: File,
    digester: Option<&'a mut Digester>,
}

impl Read for Digested<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        if let Some(digester) = &mut self.digester {
            digester.update(&buffer[..read]);
        }
        Ok(read)
    }
}

/// Either character of a line break ends a record.
fn is_break(byte: u8) -> bool {
    byte == b'\n' || byte == b'\r'
}

/// Finds where records end.
struct Splitter {
    delimiter: u8,
    quote: u8,
    state: State,
}

/// What the next byte belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// A new cell: a quote opens a quoted one.
    Start,
    /// A cell without quotes: a quote is a character like any other.
    Plain,
    /// A quoted cell: everything but a quote is part of it.
    Quoted,
    /// After a quote in a quoted cell: another one is part of the cell, anything else ends it.
    Closing,
}

impl Splitter {
    fn new(delimiter: u8, quote: u8) -> Self {
        Splitter { delimiter, quote, state: State::Start }
    }

    /// Goes on with some bytes; where the last record among them ends.
    fn feed(&mut self, bytes: &[u8]) -> Option<usize> {
        if self.state != State::Quoted && self.state != State::Closing && !bytes.contains(&self.quote) {
            return self.feed_plain(bytes);
        }
        let mut end = None;
        for (at, &byte) in bytes.iter().enumerate() {
            self.state = match self.state {
                State::Quoted if byte == self.quote => State::Closing,
                State::Quoted => State::Quoted,
                State::Closing if byte == self.quote => State::Quoted,
                State::Start if byte == self.quote => State::Quoted,
                _ if byte == self.delimiter => State::Start,
                _ if is_break(byte) => {
                    end = Some(at + 1);
                    State::Start
                }
                _ => State::Plain,
            };
        }
        end
    }

    /// The same for bytes without a quote: only the end matters.
    fn feed_plain(&mut self, bytes: &[u8]) -> Option<usize> {
        if let Some(last) = bytes.last() {
            self.state = if is_break(*last) || *last == self.delimiter { State::Start } else { State::Plain };
        }
        bytes.iter().rposition(|byte| is_break(*byte)).map(|at| at + 1)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The records of a text, as the `csv` crate reads them.
    fn records(text: &[u8]) -> Vec<Vec<Vec<u8>>> {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text);
        reader.byte_records().map(|record| record.unwrap().iter().map(<[u8]>::to_vec).collect()).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// However a text is cut, the pieces have its records.
        #[test]
        fn pieces_have_the_records_of_the_whole(
            text in "[ab,\"\\n\\r]{0,60}",
            cuts in prop::collection::vec(1usize..9, 1..60),
        ) {
            let text = text.as_bytes();
            let mut splitter = Splitter::new(b',', b'"');
            let (mut found, mut piece, mut rest) = (Vec::new(), Vec::new(), text);
            for cut in cuts.into_iter().chain([usize::MAX]) {
                let (part, behind) = rest.split_at(cut.min(rest.len()));
                rest = behind;
                let before = piece.len();
                piece.extend_from_slice(part);
                if let Some(end) = splitter.feed(part) {
                    let behind = piece.split_off(before + end);
                    found.extend(records(&piece));
                    piece = behind;
                }
            }
            found.extend(records(&piece));
            prop_assert_eq!(found, records(text));
        }
    }

    #[test]
    fn quotes_hide_line_breaks_and_stray_quotes_do_not() {
        let end = |text: &str| Splitter::new(b',', b'"').feed(text.as_bytes());
        assert_eq!(end("a,b\nc"), Some(4));
        assert_eq!(end("a,\"b\nc"), None);
        assert_eq!(end("a,\"b\nc\"\nd"), Some(8));
        assert_eq!(end("5\" pipe\nnext\n"), Some(13));
        assert_eq!(end("\"a\"\"\n\"\nb"), Some(7));
        assert_eq!(end("a\rb"), Some(2));
        assert_eq!(end("ab"), None);
    }
}
