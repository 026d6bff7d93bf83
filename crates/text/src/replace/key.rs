//! Keyed choices: HMAC-SHA256 of a purpose and a value. Nothing here shows the key.

use std::cell::RefCell;

use sha2::{Digest, Sha256};

use super::mac::{self, Mac, State};

/// A secret, ready to be used with HMAC-SHA256, with the keys of purposes that were used.
#[derive(Clone)]
pub struct Key {
    mac: Mac,
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
        Key { mac: Mac::new(secret), purposes: RefCell::default() }
    }

    /// A key that only who has the text can know.
    pub fn of_text(text: &str) -> Key {
        Key::new(&Sha256::digest(text.as_bytes()))
    }

    /// A key of its own for a purpose.
    pub fn purpose(&self, purpose: &'static str) -> [u8; 32] {
        if let Some((_, key)) = self.purposes.borrow().iter().find(|(own, _)| *own == purpose) {
            return *key;
        }
        let key = mac::bytes(&self.mac.code(&[b"throng text\0", purpose.as_bytes()]));
        self.purposes.borrow_mut().push((purpose, key));
        key
    }

    /// The days that the dates of a person move: from -n to n without 0, as `transform = { shift }`
    /// moves them with the same key, person and n.
    pub fn shift(&self, person: &str, days: u32) -> i32 {
        let days = days.max(1);
        let number = mac::number(&self.mac.code(&[b"throng shift\0", person.as_bytes()]));
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
    /// The digest of a long value, which stands for it: every eight numbers read the value.
    digest: Option<[u8; 32]>,
    attempt: u32,
    block: u32,
    numbers: State,
    at: usize,
}

impl<'a> Stream<'a> {
    /// The numbers of a value for a purpose; another attempt gives others.
    pub fn new(key: &'a Key, purpose: &'a str, value: &'a str, attempt: u32) -> Self {
        let digest = (value.len() > LONG).then(|| Sha256::digest(value.as_bytes()).into());
        Stream { key, purpose, value, digest, attempt, block: 0, numbers: [0; 8], at: 8 }
    }

    /// The next number below a limit of at most 256.
    pub fn below(&mut self, limit: u32) -> u32 {
        if self.at == self.numbers.len() {
            self.draw();
        }
        let number = self.numbers[self.at];
        self.at += 1;
        number % limit.max(1)
    }

    /// Draws the next eight numbers.
    fn draw(&mut self) {
        self.numbers = self.key.mac.code(&[
            b"throng text\0",
            self.purpose.as_bytes(),
            b"\0",
            &self.attempt.to_be_bytes(),
            &self.block.to_be_bytes(),
            self.digest.as_ref().map_or(self.value.as_bytes(), |digest| digest.as_slice()),
        ]);
        self.block += 1;
        self.at = 0;
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
