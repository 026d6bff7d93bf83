//! Cuts delimited text into pieces of whole records, so that several threads can decode it.
//!
//! One pass over the bytes, which are digested on the way where asked. A line break within quotes
//! does not end a record; what is a quote and what is not follows the reader of the `csv-core`
//! crate, which decodes the pieces. A table is read several times: where it was cut is noted the
//! first time, 8 bytes per piece. If a file changes between two reads, its pieces are other ones and
//! so are its digests, which the verifier compares.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Mutex;

use memchr::{memchr, memchr_iter, memrchr2};
use throng::error::{Fault, Result};
use throng::fault;
use throng::watch::Watch;

use crate::digest::Digester;
use crate::error::unreadable;
use crate::pipeline::Send;
use crate::source::Source;
use crate::text;

/// Bytes that are read at once: about a batch.
const CHUNK: usize = 1 << 20;
/// A longer record is refused: it would be in memory several times, and nearly always a quote was
/// left open.
const MOST_RECORD: usize = 1 << 27;
/// A buffer: what is read at once, after the beginning of a record.
const BUFFER: usize = CHUNK + CHUNK / 8;

/// Per file, the positions in its text after which it is cut: ends of records.
pub(crate) type Cuts = Vec<Vec<u64>>;

/// Some records of a file, as UTF-8.
pub(crate) struct Chunk {
    buffer: Vec<u8>,
    end: usize,
    /// Whether the first record is the header.
    pub(crate) headed: bool,
    /// The place of the file among those of the table.
    pub(crate) file: usize,
}

impl Chunk {
    /// The text.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[..self.end]
    }
}

/// Buffers that were decoded, to be filled again: new ones cost more than decoding some of them.
#[derive(Debug, Default)]
pub(crate) struct Buffers(Mutex<Vec<Vec<u8>>>);

impl Buffers {
    /// Takes a buffer back.
    pub(crate) fn put(&self, chunk: Chunk) {
        if let Ok(mut free) = self.0.lock() {
            free.push(chunk.buffer);
        }
    }

    /// A buffer of at least `len` bytes. A new one is not written to: its pages are taken as they are
    /// filled, which is much for a small table.
    fn take(&self, len: usize) -> Vec<u8> {
        let free = self.0.lock().ok().and_then(|mut free| free.pop());
        free.filter(|buffer| buffer.len() >= len).unwrap_or_else(|| vec![0; len.max(BUFFER)])
    }
}

/// Reads all files of a table and sends their chunks, until nobody listens. Returns whether all of
/// them were sent.
pub(crate) fn read(
    source: &Source,
    mut digester: Option<&mut Digester>,
    buffers: &Buffers,
    watch: &Watch,
    send: &mut Send<'_, Chunk>,
) -> Result<bool> {
    let known = source.cuts.get();
    let mut cuts = Cuts::new();
    for (at, file) in source.files.iter().enumerate() {
        let input = Digested { file: open(file)?, digester: digester.as_deref_mut() };
        let splitter = Splitter::new(source.layout.delimiter, source.layout.quote);
        let mut cutter = match known.and_then(|known| known.get(at)) {
            Some(known) => Cutter::Known(known),
            None => Cutter::New(splitter, Vec::new()),
        };
        if !read_file(source, (at, input), &mut cutter, buffers, watch, send)? {
            return Ok(false);
        }
        if let Cutter::New(_, found) = cutter {
            cuts.push(found);
        }
        if let Some(digester) = &mut digester {
            digester.end_of_file();
        }
    }
    source.cuts.get_or_init(|| cuts);
    Ok(true)
}

fn read_file(
    source: &Source,
    (file, mut input): (usize, Digested<'_>),
    cutter: &mut Cutter<'_>,
    buffers: &Buffers,
    watch: &Watch,
    send: &mut Send<'_, Chunk>,
) -> Result<bool> {
    let name = source.files[file].display().to_string();
    let layout = &source.layout;
    let mut reader = text::decoded_after(&mut input, layout.encoding, layout.skip, &name)?;
    let (mut buffer, mut end, mut headed) = (buffers.take(CHUNK), 0, source.headed);
    // The position of the buffer in the text, and whether all before it were blank lines.
    let (mut position, mut blank) = (0, true);
    loop {
        watch.check()?;
        if buffer.len() < end + CHUNK {
            buffer.resize(2 * (end + CHUNK), 0);
        }
        let before = end;
        end += fill(&mut reader, &mut buffer[end..end + CHUNK]).map_err(|e| unreadable(&name, &e))?;
        if end == before {
            break;
        }
        // Blank lines before the header are not a record.
        if blank {
            let skip = buffer[..end].iter().take_while(|byte| is_break(**byte)).count();
            blank = skip == end;
            buffer.copy_within(skip..end, 0);
            end -= skip;
            position += skip as u64;
        }
        let before = before.min(end);
        let Some(last) = cutter.cut(position, &buffer[..end], before) else {
            if end > MOST_RECORD {
                return Err(long_record(source, file, position).into());
            }
            continue;
        };
        let mut next = buffers.take(end - last + CHUNK);
        next[..end - last].copy_from_slice(&buffer[last..end]);
        if !send(Chunk { buffer: std::mem::replace(&mut buffer, next), end: last, headed, file }) {
            return Ok(false);
        }
        (end, headed, position) = (end - last, false, position + last as u64);
    }
    if cutter.is_in_quotes() {
        return Err(unclosed_quote(&name).into());
    }
    drop(reader);
    // What follows compressed text is digested, too.
    io::copy(&mut input, &mut io::sink()).map_err(|e| unreadable(&name, &e))?;
    Ok(end == 0 || send(Chunk { buffer, end, headed, file }))
}

/// Where a text is cut.
enum Cutter<'a> {
    /// Where it was cut before.
    Known(&'a [u64]),
    /// Where records are found to end; these positions are noted.
    New(Splitter, Vec<u64>),
}

impl Cutter<'_> {
    /// Where the last record of a piece of the text ends, whose first `seen` bytes were looked at
    /// before.
    fn cut(&mut self, position: u64, text: &[u8], seen: usize) -> Option<usize> {
        match self {
            Cutter::Known(cuts) => {
                let before = cuts.partition_point(|&cut| cut <= position + text.len() as u64);
                let cut = *cuts.get(before.checked_sub(1)?)?;
                cut.checked_sub(position).filter(|&cut| cut > 0).map(|cut| cut as usize)
            }
            Cutter::New(splitter, cuts) => {
                let last = seen + splitter.feed(&text[seen..])?;
                cuts.push(position + last as u64);
                Some(last)
            }
        }
    }

    /// Whether the text ends within quotes.
    fn is_in_quotes(&self) -> bool {
        matches!(self, Cutter::New(splitter, _) if splitter.state == State::Quoted)
    }
}

/// A quote that nothing closes swallows all that follows it.
pub(crate) fn unclosed_quote(file: &str) -> Fault {
    fault!(Input, "table.unclosed-quote", "a quote is opened and never closed")
        .file(file)
        .help("close the quote, or set input.quote to a character that the file does not hold")
}

/// A record that is too long and begins at a position of the text of a file.
fn long_record(source: &Source, file: usize, position: u64) -> Fault {
    let file = &source.files[file];
    let fault =
        fault!(Data, "table.record-too-long", "a row has more than {most} MB", most = MOST_RECORD / 1_000_000)
            .file(file.display().to_string())
            .help("if a quote is opened in it and never closed, close it, or set input.quote to a character that the file does not hold");
    match lines_before(source, file, position) {
        Ok(lines) => fault.line(source.layout.skip as u64 + lines + 1),
        Err(_) => fault,
    }
}

/// The line breaks before a position of the text of a file.
fn lines_before(source: &Source, file: &Path, position: u64) -> Result<u64> {
    let (mut text, mut lines) = (source.text(file)?.take(position), 0);
    let mut buffer = vec![0; CHUNK];
    loop {
        let read = fill(&mut text, &mut buffer).map_err(|e| unreadable(&file.display().to_string(), &e))?;
        if read == 0 {
            return Ok(lines);
        }
        lines += memchr_iter(b'\n', &buffer[..read]).count() as u64;
    }
}

/// Reads until a buffer is full or the file ends.
fn fill(reader: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match reader.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(filled)
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
pub(crate) struct Splitter {
    delimiter: u8,
    quote: u8,
    pub(crate) state: State,
}

/// What the next byte belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
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
    pub(crate) fn new(delimiter: u8, quote: u8) -> Self {
        Splitter { delimiter, quote, state: State::Start }
    }

    /// Goes on with some bytes; where the last record among them ends.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Option<usize> {
        let (mut at, mut end) = (0, None);
        while at < bytes.len() {
            match self.state {
                State::Quoted => match memchr(self.quote, &bytes[at..]) {
                    Some(quote) => (at, self.state) = (at + quote + 1, State::Closing),
                    None => at = bytes.len(),
                },
                State::Closing if bytes[at] == self.quote => (at, self.state) = (at + 1, State::Quoted),
                State::Closing => self.state = State::Plain,
                State::Start | State::Plain => {
                    let opening = self.opening(bytes, at);
                    let until = opening.unwrap_or(bytes.len());
                    let last = memrchr2(b'\n', b'\r', &bytes[at..until]);
                    end = last.map(|last| at + last + 1).or(end);
                    match opening {
                        Some(quote) => (at, self.state) = (quote + 1, State::Quoted),
                        None => (at, self.state) = (bytes.len(), self.after(bytes[bytes.len() - 1])),
                    }
                }
            }
        }
        end
    }

    /// The next quote that opens a cell: the first byte of one.
    fn opening(&self, bytes: &[u8], from: usize) -> Option<usize> {
        let opens = |&quote: &usize| match quote == from {
            true => self.state == State::Start,
            false => self.after(bytes[quote - 1]) == State::Start,
        };
        memchr_iter(self.quote, &bytes[from..]).map(|quote| from + quote).find(opens)
    }

    /// What comes after a byte that is not in quotes.
    fn after(&self, byte: u8) -> State {
        if is_break(byte) || byte == self.delimiter { State::Start } else { State::Plain }
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
