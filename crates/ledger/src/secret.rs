//! Keyed digests: HMAC-SHA256 with the holder's secret [Krawczyk 1997]. Who has the ledger and not
//! the secret cannot test whether somebody is in it. A digest costs four compressions of SHA-256.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use throng_terms::error::Result;
use throng_terms::fault;

/// The fewest bytes of a secret.
pub const LEAST_SECRET: usize = 16;

/// The digest of a subject: the first 128 bits of the code, as a number that sorts like its bytes.
pub type SubjectDigest = u128;

/// The holder's secret.
#[derive(Clone)]
pub struct Secret(Hmac<Sha256>);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

impl Secret {
    /// From the bytes of a key file or of a variable.
    ///
    /// # Errors
    /// A secret that is too short.
    pub fn new(secret: &[u8]) -> Result<Self> {
        let short = || {
            fault!(
                Input,
                "ledger.short-key",
                "the key has {bytes} bytes, it needs {least} or more",
                bytes = secret.len(),
                least = LEAST_SECRET
            )
            .help("make one that nobody can guess, for instance: openssl rand -hex 32 > ledger.key")
        };
        if secret.len() < LEAST_SECRET {
            return Err(short().into());
        }
        Hmac::new_from_slice(secret).map(Secret).map_err(|_| short().into())
    }

    /// The code of a message in parts, for one purpose. Each part is preceded by its length, so
    /// that different parts never make the same message.
    pub fn code(&self, purpose: &str, parts: &[&[u8]]) -> [u8; 32] {
        let mut mac = self.0.clone();
        mac.update(purpose.as_bytes());
        mac.update(&[0]);
        for part in parts {
            mac.update(&(part.len() as u64).to_le_bytes());
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }

    /// The digest of a subject by the text that names the person.
    pub fn subject(&self, name: &str) -> SubjectDigest {
        self.digest("throng ledger subject", &[name.as_bytes()])
    }

    /// The first 128 bits of a code.
    pub fn digest(&self, purpose: &str, parts: &[&[u8]]) -> u128 {
        let code = self.code(purpose, parts);
        code[..16].iter().fold(0, |number, &byte| number << 8 | u128::from(byte))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_depend_on_key_purpose_and_parts() {
        let [a, b] = [b"0123456789abcdef", b"0123456789abcdeg"].map(|key| Secret::new(key).unwrap());
        assert_eq!(a.subject("ann"), a.subject("ann"));
        assert_ne!(a.subject("ann"), b.subject("ann"));
        assert_ne!(a.digest("x", &[b"ab", b"c"]), a.digest("x", &[b"a", b"bc"]));
        assert_ne!(a.digest("x", &[b"ab"]), a.digest("y", &[b"ab"]));
        assert_eq!(format!("{a:?}"), "Secret(..)");
    }

    #[test]
    fn a_short_secret_is_refused() {
        assert_eq!(Secret::new(b"short").unwrap_err().faults()[0].code, "ledger.short-key");
    }
}
