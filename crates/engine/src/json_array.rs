//! A JSON array of objects, `[{…}, {…}]`, as one object per line, while it is read.
//!
//! One pass over the bytes; nothing is held. Line breaks between and within objects become spaces,
//! the commas between objects become line breaks. What is already one object per line passes
//! through.

use std::io::{self, BufRead, BufReader, Read};

/// A byte-order mark of UTF-8, which JSON may begin with.
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// Reads a file of JSON objects, in an array or one per line, as one per line.
///
/// # Errors
/// What cannot be read.
pub(crate) fn lines<'a>(raw: impl Read + 'a) -> io::Result<Box<dyn BufRead + 'a>> {
    let mut reader = BufReader::with_capacity(1 << 18, raw);
    if reader.fill_buf()?.starts_with(MARK) {
        reader.consume(MARK.len());
    }
    let mut blank = Vec::new();
    loop {
        let buffer = reader.fill_buf()?;
        let spaces = buffer.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let first = buffer.get(spaces).copied();
        let end = buffer.is_empty();
        // Lines above the first object count.
        blank.extend(buffer[..spaces].iter().filter(|byte| **byte == b'\n'));
        reader.consume(spaces);
        match first {
            Some(b'[') => return Ok(Box::new(BufReader::new(Lines { reader, machine: Machine::default() }))),
            None if !end => {}
            _ => return Ok(Box::new(io::Cursor::new(blank).chain(reader))),
        }
    }
}

/// The objects of an array, each with the line at which it begins; `each` returns whether to go on.
/// Returns whether the file is an array that is closed, where all were looked at.
///
/// # Errors
/// What cannot be read.
pub(crate) fn each_object(
    raw: impl Read,
    mut each: impl FnMut(u64, &[u8]) -> bool,
) -> io::Result<Option<bool>> {
    let mut machine = Machine::default();
    let (mut line, mut start, mut object) = (1, None, Vec::new());
    for byte in BufReader::new(raw).bytes() {
        let byte = byte?;
        match machine.step(byte) {
            Step::Keep(kept) => {
                if start.is_none() && !kept.is_ascii_whitespace() {
                    start = Some(line);
                }
                object.push(kept);
            }
            Step::Break => {
                if !each(start.take().unwrap_or(line), &object) {
                    return Ok(None);
                }
                object.clear();
            }
            Step::Nothing => {}
        }
        line += u64::from(byte == b'\n');
    }
    Ok(Some(machine.state == State::After))
}

/// Where a byte stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    /// Before the array.
    #[default]
    Before,
    /// In the array, `depth` brackets deep.
    Within,
    /// In a text.
    Text,
    /// After a backslash in a text.
    Escape,
    /// Behind the array.
    After,
}

/// Finds the objects of an array.
#[derive(Debug, Default)]
struct Machine {
    state: State,
    depth: usize,
}

/// What becomes of a byte.
enum Step {
    Keep(u8),
    Break,
    Nothing,
}

impl Machine {
    fn step(&mut self, byte: u8) -> Step {
        match (self.state, byte) {
            (State::Before, b'[') => {
                (self.state, self.depth) = (State::Within, 1);
                Step::Nothing
            }
            (State::Before, _) => Step::Nothing,
            (State::After, byte) if byte.is_ascii_whitespace() => Step::Nothing,
            // The reader of JSON refuses what follows an array.
            (State::After, byte) => Step::Keep(byte),
            (State::Text, b'\\') => self.to(State::Escape, byte),
            (State::Text, b'"') => self.to(State::Within, byte),
            (State::Text, byte) => Step::Keep(byte),
            (State::Escape, byte) => self.to(State::Text, byte),
            (State::Within, b'"') => self.to(State::Text, byte),
            (State::Within, b',') if self.depth == 1 => Step::Break,
            (State::Within, b'[' | b'{') => {
                self.depth += 1;
                Step::Keep(byte)
            }
            (State::Within, b']') if self.depth == 1 => {
                self.state = State::After;
                Step::Break
            }
            (State::Within, b']' | b'}') => {
                self.depth = self.depth.saturating_sub(1).max(1);
                Step::Keep(byte)
            }
            (State::Within, b'\n' | b'\r') => Step::Keep(b' '),
            (State::Within, byte) => Step::Keep(byte),
        }
    }

    fn to(&mut self, state: State, byte: u8) -> Step {
        self.state = state;
        Step::Keep(byte)
    }
}

struct Lines<R> {
    reader: R,
    machine: Machine,
}

impl<R: BufRead> Read for Lines<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut written = 0;
        while written == 0 && !out.is_empty() {
            let buffer = self.reader.fill_buf()?;
            if buffer.is_empty() {
                return match self.machine.state {
                    State::After => Ok(0),
                    _ => Err(io::Error::new(io::ErrorKind::InvalidData, "the array is not closed")),
                };
            }
            // A byte becomes one byte at most.
            let taken = buffer.len().min(out.len());
            for &byte in &buffer[..taken] {
                match self.machine.step(byte) {
                    Step::Keep(byte) => {
                        out[written] = byte;
                        written += 1;
                    }
                    Step::Break => {
                        out[written] = b'\n';
                        written += 1;
                    }
                    Step::Nothing => {}
                }
            }
            self.reader.consume(taken);
        }
        Ok(written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> io::Result<String> {
        let mut all = String::new();
        lines(text.as_bytes())?.read_to_string(&mut all)?;
        Ok(all)
    }

    #[test]
    fn arrays_become_lines() {
        for (text, expected) in [
            ("[{\"a\":1},{\"a\":2}]", "{\"a\":1}\n{\"a\":2}\n"),
            (
                "\u{feff} [\n {\"a\":\n[1,2]},\n{\"a\":\"],{\\\"\"}\n]\n",
                "  {\"a\": [1,2]}\n {\"a\":\"],{\\\"\"} \n",
            ),
            ("[]", "\n"),
            ("\n{\"a\":1}\n{\"a\":2}\n", "\n{\"a\":1}\n{\"a\":2}\n"),
            ("", ""),
        ] {
            assert_eq!(read(text).unwrap(), expected);
        }
        assert!(read("[{\"a\":1}").is_err());
        assert!(read("[{\"a\":\"1}]").is_err());
    }

    #[test]
    fn objects_have_their_lines() {
        let mut found = Vec::new();
        let text = "[\n{\"a\":1},\n\n{\"a\":\n2}]";
        let whole = each_object(text.as_bytes(), |line, object| {
            found.push((line, String::from_utf8_lossy(object).trim().to_owned()));
            true
        });
        assert_eq!(whole.unwrap(), Some(true));
        assert_eq!(found, [(2, "{\"a\":1}".to_owned()), (4, "{\"a\": 2}".to_owned())]);
    }
}
