//! The secret of a release, ready for HMAC-SHA256 (RFC 2104). Nothing here shows it.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::error::Result;
use crate::fault;

/// The least number of bytes of a key.
pub const LEAST_KEY: usize = 16;

/// A secret, ready to be used with HMAC-SHA256.
#[derive(Clone)]
pub struct Key(Hmac<Sha256>);

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key")
    }
}

impl Key {
    /// The key of a secret.
    ///
    /// # Errors
    /// A secret that is too short to be one.
    pub fn new(secret: &[u8]) -> Result<Self> {
        if secret.len() < LEAST_KEY {
            return Err(fault!(
                Input,
                "pseudonym.short-key",
                "the key has {bytes} bytes, it needs {least} or more",
                bytes = secret.len(),
                least = LEAST_KEY
            )
            .help("make one that nobody can guess, for instance: openssl rand -hex 32 > secret.key")
            .into());
        }
        Ok(Key::of(secret))
    }

    pub(crate) fn of(secret: &[u8]) -> Self {
        match Hmac::new_from_slice(secret) {
            Ok(mac) => Key(mac),
            Err(_) => unreachable!("HMAC takes a key of any length"),
        }
    }

    /// The code of a message that lies in several parts.
    pub(crate) fn hmac(&self, parts: &[&[u8]]) -> [u8; 32] {
        let mac = parts.iter().fold(self.0.clone(), |mac, part| mac.chain_update(part));
        mac.finalize().into_bytes().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// RFC 4231, all test cases but the fifth, which is of shortened codes.
    #[test]
    fn the_code_is_hmac_sha256() {
        let counted: Vec<u8> = (1..=25).collect();
        let long_text = "This is a test using a larger than block-size key and a larger than block-size data. The key needs to \
                         be hashed before being used by the HMAC algorithm.";
        let cases: [(&[u8], &[u8], &str); 6] = [
            (&[0x0b; 20], b"Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
            (
                b"Jefe",
                b"what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (&[0xaa; 20], &[0xdd; 50], "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
            (&counted, &[0xcd; 50], "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
            (
                &[0xaa; 131],
                b"Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            ),
            (
                &[0xaa; 131],
                long_text.as_bytes(),
                "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
            ),
        ];
        for (key, text, code) in cases {
            assert_eq!(hex(&Key::of(key).hmac(&[text])), code);
            let (start, end) = text.split_at(text.len() / 2);
            assert_eq!(hex(&Key::of(key).hmac(&[start, end])), code, "in two parts");
        }
    }

    #[test]
    fn a_short_key_is_refused_and_no_key_is_shown() {
        let error = Key::new(b"fifteen bytes!!").unwrap_err().to_string();
        assert!(error.contains("15 bytes") && error.contains("openssl") && !error.contains("fifteen"));
        assert_eq!(format!("{:?}", Key::new(b"a key of 24 bytes, or so").unwrap()), "Key");
    }
}
