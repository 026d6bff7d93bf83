//! The cases of a system file: eight-byte units, plain or packed.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use flate2::bufread::ZlibDecoder;
use throng::error::{Error, Result};

use super::dictionary::Order;
use crate::error::{unlike, unreadable};

/// How cases are stored.
const PLAIN: i32 = 0;
const PACKED: i32 = 1;
const ZLIB: i32 = 2;

/// Command codes of packed units; smaller ones are a number.
const PADDING: u8 = 0;
const END: u8 = 252;
const RAW: u8 = 253;
const SPACES: u8 = 254;
const MISSING: u8 = 255;

/// Reads cases.
pub(super) struct Units {
    bytes: Box<dyn Read>,
    packed: bool,
    bias: f64,
    order: Order,
    /// Command codes that are still to be carried out.
    codes: [u8; 8],
    next: usize,
    /// Cases that are still to come, where the file states how many it has.
    left: Option<u64>,
    file: String,
}

impl Units {
    /// Of a file whose dictionary was read.
    pub(super) fn new(
        file: BufReader<File>,
        name: String,
        order: Order,
        (compression, bias, left): (i32, f64, Option<u64>),
    ) -> Result<Self> {
        let bytes: Box<dyn Read> = match compression {
            PLAIN | PACKED => Box::new(file),
            ZLIB => Box::new(blocks(file, order).map_err(|e| unreadable(&name, &e))?),
            _ => return Err(unlike(&name, &"its compression is not known")),
        };
        let packed = compression != PLAIN;
        Ok(Units { bytes, packed, bias, order, codes: [0; 8], next: 8, left, file: name })
    }

    /// Reads a case; false at the end.
    pub(super) fn case(&mut self, case: &mut [u8]) -> Result<bool> {
        if self.left == Some(0) {
            return Ok(false);
        }
        let read = if self.packed { self.packed(case) } else { self.plain(case) };
        let read = read.map_err(|e| match e.kind() {
            io::ErrorKind::UnexpectedEof => self.cut(),
            _ => unreadable(&self.file, &e),
        })?;
        self.left = self.left.map(|left| left.saturating_sub(u64::from(read)));
        match read || self.left.is_none() {
            true => Ok(read),
            // It ends before the last case that it states.
            false => Err(self.cut()),
        }
    }

    fn cut(&self) -> Error {
        unlike(&self.file, &"it ends before its last case does")
    }

    fn plain(&mut self, case: &mut [u8]) -> io::Result<bool> {
        if case.is_empty() || !self.fill(case)? {
            return Ok(false);
        }
        Ok(true)
    }

    /// Fills a buffer; false if the file ends before its first byte.
    fn fill(&mut self, buffer: &mut [u8]) -> io::Result<bool> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.bytes.read(&mut buffer[filled..]) {
                Ok(0) if filled == 0 => return Ok(false),
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => filled += read,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(true)
    }

    fn packed(&mut self, case: &mut [u8]) -> io::Result<bool> {
        let mut at = 0;
        while at < case.len() {
            if self.next == 8 {
                let mut codes = [0; 8];
                if !self.fill(&mut codes)? {
                    return if at == 0 { Ok(false) } else { Err(io::ErrorKind::UnexpectedEof.into()) };
                }
                (self.codes, self.next) = (codes, 0);
            }
            let code = self.codes[self.next];
            self.next += 1;
            let mut unit = [0; 8];
            match code {
                PADDING => continue,
                END if at == 0 => return Ok(false),
                END => return Err(io::ErrorKind::UnexpectedEof.into()),
                RAW => {
                    if !self.fill(&mut unit)? {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                SPACES => unit = [b' '; 8],
                MISSING => unit = self.encoded(-f64::MAX),
                code => unit = self.encoded(f64::from(code) - self.bias),
            }
            case[at..at + 8].copy_from_slice(&unit);
            at += 8;
        }
        Ok(!case.is_empty())
    }

    fn encoded(&self, number: f64) -> [u8; 8] {
        match self.order {
            Order::Little => number.to_le_bytes(),
            Order::Big => number.to_be_bytes(),
        }
    }
}

/// The blocks of a .zsav file, one after the other. They end where the trailer begins.
fn blocks(mut file: BufReader<File>, order: Order) -> io::Result<Blocks> {
    let mut header = [0; 24];
    file.read_exact(&mut header)?;
    let part = |at: usize| -> io::Result<u64> {
        let bytes = header[at..at + 8].try_into().map_err(|_| io::ErrorKind::InvalidData)?;
        u64::try_from(order.i64(bytes)).map_err(|_| io::ErrorKind::InvalidData.into())
    };
    let (start, trailer) = (part(0)? + 24, part(8)?);
    file.seek(SeekFrom::Start(start))?;
    let len = trailer.checked_sub(start).ok_or(io::ErrorKind::InvalidData)?;
    Ok(Blocks(Some(ZlibDecoder::new(file.take(len)))))
}

struct Blocks(Option<ZlibDecoder<io::Take<BufReader<File>>>>);

impl Read for Blocks {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(decoder) = &mut self.0 {
            let damaged = |e: io::Error| io::Error::new(io::ErrorKind::InvalidData, e);
            let read = decoder.read(buffer).map_err(damaged)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            let Some(mut rest) = self.0.take().map(ZlibDecoder::into_inner) else { break };
            if !rest.fill_buf()?.is_empty() {
                self.0 = Some(ZlibDecoder::new(rest));
            }
        }
        Ok(0)
    }
}
