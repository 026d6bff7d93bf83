//! Keyed choices: HMAC-SHA256 (RFC 2104) of a purpose and a value. Nothing here shows the key.

use std::cell::RefCell;

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

/// A secret, ready to be used with HMAC-SHA256, with the keys of purposes that were used.
#[derive(Clone)]
pub struct Key {
    mac: Hmac<Sha256>,
    purposes: RefCell<Vec<(&'static str, [u8; 32])>>,
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key")
    }
}

impl Key {
    /// The key of a secret.
    pub fn new(secret: &[u8]) -> Key {
        match Hmac::new_from_slice(secret) {
            Ok(mac) => Key { mac, purposes: RefCell::default() },
            Err(_) => unreachable!("HMAC takes a key of any length"),
        }
    }

    /// A key that only who has the text can know.
    pub fn of_text(text: &str) -> Key {
        Key::new(&Sha256::digest(text.as_bytes()))
    }

    /// The code of a message that lies in several parts.
    pub fn code(&self, parts: &[&[u8]]) -> [u8; 32] {
        let mac = parts.iter().fold(self.mac.clone(), |mac, part| mac.chain_update(part));
        mac.finalize().into_bytes().into()
    }

    /// A key of its own for a purpose.
    pub fn purpose(&self, purpose: &'static str) -> [u8; 32] {
        if let Some((_, key)) = self.purposes.borrow().iter().find(|(own, _)| *own == purpose) {
            return *key;
        }
        let key = self.code(&[b"throng text\0", purpose.as_bytes()]);
        self.purposes.borrow_mut().push((purpose, key));
        key
    }

    /// The days that the dates of a person move: from -n to n without 0, as `transform = { shift }`
    /// moves them with the same key, person and n.
    pub fn shift(&self, person: &str, days: u32) -> i32 {
        let days = days.max(1);
        let code = self.code(&[b"throng shift\0", person.as_bytes()]);
        let number = code.first_chunk::<8>().map_or(0, |bytes| u64::from_be_bytes(*bytes));
        let moved = (number % (2 * u64::from(days))) as i64 - i64::from(days);
        (if moved < 0 { moved } else { moved + 1 }) as i32
    }
}

/// Bytes of a long value.
const LONG: usize = 64;

/// A stream of keyed numbers.
pub struct Stream<'a> {
    key: &'a Key,
    purpose: &'a str,
    value: &'a str,
    /// The digest of a long value, which stands for it: every 32 bytes of numbers read the value.
    digest: Option<[u8; 32]>,
    attempt: u32,
    block: u32,
    bytes: [u8; 32],
    at: usize,
}

impl<'a> Stream<'a> {
    /// The numbers of a value for a purpose; another attempt gives others.
    pub fn new(key: &'a Key, purpose: &'a str, value: &'a str, attempt: u32) -> Self {
        let digest = (value.len() > LONG).then(|| Sha256::digest(value.as_bytes()).into());
        Stream { key, purpose, value, digest, attempt, block: 0, bytes: [0; 32], at: 32 }
    }

    /// The next number below a limit of at most 256.
    pub fn below(&mut self, limit: u32) -> u32 {
        if self.at + 4 > self.bytes.len() {
            let counter = [self.attempt.to_be_bytes(), self.block.to_be_bytes()].concat();
            let parts = [
                b"throng text\0".as_slice(),
                self.purpose.as_bytes(),
                b"\0",
                &counter,
                self.digest.as_ref().map_or(self.value.as_bytes(), |digest| digest.as_slice()),
            ];
            self.bytes = self.key.code(&parts);
            self.block += 1;
            self.at = 0;
        }
        let word =
            self.bytes[self.at..self.at + 4].iter().fold(0, |word: u32, byte| word << 8 | u32::from(*byte));
        self.at += 4;
        word % limit.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_depend_on_key_purpose_value_and_attempt() {
        let draw = |key: &str, purpose: &str, value: &str, attempt: u32| -> Vec<u32> {
            let key = Key::new(key.as_bytes());
            let mut stream = Stream::new(&key, purpose, value, attempt);
            (0..20).map(|_| stream.below(10)).collect()
        };
        let first = draw("k", "p", "v", 0);
        assert_eq!(first, draw("k", "p", "v", 0));
        for other in
            [draw("l", "p", "v", 0), draw("k", "q", "v", 0), draw("k", "p", "w", 0), draw("k", "p", "v", 1)]
        {
            assert_ne!(first, other);
        }
        assert!(first.iter().all(|digit| *digit < 10));
        let long = "7".repeat(LONG + 1);
        assert_ne!(draw("k", "p", &long, 0), draw("k", "p", &(long.clone() + "7"), 0));
        assert_eq!(draw("k", "p", &long, 0), draw("k", "p", &long, 0));
    }

    #[test]
    fn days_are_within_the_limit_and_never_none() {
        let key = Key::new(b"a key of 24 bytes, or so");
        let days: std::collections::BTreeSet<i32> =
            (0..200).map(|person| key.shift(&format!("p{person}"), 3)).collect();
        assert_eq!(days, [-3, -2, -1, 1, 2, 3].into());
    }
}
