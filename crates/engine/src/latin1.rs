//! ISO 8859-1 as UTF-8: every byte from 0x80 on becomes two. One pass, no look-ahead.

use std::io::{self, Read};

/// Reads Latin-1, gives UTF-8.
pub(crate) struct Transcoder<R> {
    inner: R,
    raw: Vec<u8>,
    ready: Vec<u8>,
    at: usize,
}

impl<R: Read> Transcoder<R> {
    pub(crate) fn new(inner: R) -> Self {
        Transcoder { inner, raw: vec![0; 1 << 15], ready: Vec::with_capacity(1 << 16), at: 0 }
    }
}

impl<R: Read> Read for Transcoder<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.at == self.ready.len() {
            let n = self.inner.read(&mut self.raw)?;
            self.ready.clear();
            self.at = 0;
            for &byte in &self.raw[..n] {
                if byte < 0x80 {
                    self.ready.push(byte);
                } else {
                    self.ready.extend([0xC0 | byte >> 6, 0x80 | byte & 0x3F]);
                }
            }
        }
        let n = out.len().min(self.ready.len() - self.at);
        out[..n].copy_from_slice(&self.ready[self.at..self.at + n]);
        self.at += n;
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_the_character_of_its_number() {
        let all: Vec<u8> = (0..=255).collect();
        let mut text = String::new();
        Transcoder::new(all.as_slice()).read_to_string(&mut text).unwrap();
        assert_eq!(text, (0..=255u8).map(char::from).collect::<String>());
    }
}
