//! Signatures of certificates: Ed25519 [Josefsson 2017].
//!
//! A key is a file with one line of text: what it is, and 32 bytes in hexadecimal digits. What is
//! signed are the seal of the certificate, the public key and the date on which the signature
//! expires, so that none of them can be exchanged. Signing and checking take less than a
//! millisecond.

use std::fmt;

use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use throng_terms::error::{Fault, Result};
use throng_terms::fault;

use crate::chain::Body;
use crate::{hex, unhex};

const PRIVATE: &str = "throng-ed25519-private";
const PUBLIC: &str = "throng-ed25519-public";

/// A private key.
#[derive(Clone)]
pub struct PrivateKey(SigningKey);

/// A public key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrivateKey(..)")
    }
}

impl PrivateKey {
    /// A new key from the system's random numbers.
    ///
    /// # Errors
    /// A system without random numbers.
    pub fn generate() -> Result<Self> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|e| {
            fault!(System, "key.no-random-numbers", "the system has no random numbers: {reason}", reason = e)
                .help("make the key on another machine")
        })?;
        Ok(PrivateKey(SigningKey::from_bytes(&bytes)))
    }

    /// Reads the text of a key file.
    ///
    /// # Errors
    /// Text that is not a private key.
    pub fn parse(text: &str) -> Result<Self> {
        let bytes = parse(text, PRIVATE)?;
        Ok(PrivateKey(SigningKey::from_bytes(&bytes)))
    }

    /// The text of its file.
    pub fn text(&self) -> String {
        format!("{PRIVATE} {}\n", hex(&self.0.to_bytes()))
    }

    /// Its public key.
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key())
    }

    /// Signs a seal until a date, written as YYYY-MM-DD.
    pub fn sign(&self, seal: &str, expires: Option<&str>) -> String {
        let message = message(seal, &self.public(), expires);
        hex(&self.0.sign(&message).to_bytes())
    }

    /// The entry that says that another key follows this one.
    pub fn rotate_to(&self, new: &PublicKey) -> Body {
        let signature = self.0.sign(&rotation(new));
        Body::KeyRotated {
            old: self.public().to_string(),
            new: new.to_string(),
            signature: hex(&signature.to_bytes()),
        }
    }
}

impl PublicKey {
    /// Reads the text of a key file.
    ///
    /// # Errors
    /// Text that is not a public key.
    pub fn parse(text: &str) -> Result<Self> {
        let bytes = parse(text, PUBLIC)?;
        VerifyingKey::from_bytes(&bytes).map(PublicKey).map_err(|_| not_a_key(PUBLIC).into())
    }

    /// From its hexadecimal digits.
    pub fn from_hex(text: &str) -> Option<Self> {
        let bytes: [u8; 32] = unhex(text)?.try_into().ok()?;
        VerifyingKey::from_bytes(&bytes).ok().map(PublicKey)
    }

    /// The text of its file.
    pub fn text(&self) -> String {
        format!("{PUBLIC} {self}\n")
    }

    /// Whether it signed a seal until a date.
    pub fn signed(&self, seal: &str, expires: Option<&str>, signature: &str) -> bool {
        self.verifies(&message(seal, self, expires), signature)
    }

    /// Whether it signed another key, which follows it.
    pub fn precedes(&self, new: &PublicKey, signature: &str) -> bool {
        self.verifies(&rotation(new), signature)
    }

    fn verifies(&self, message: &[u8], signature: &str) -> bool {
        let bytes: Option<[u8; 64]> = unhex(signature).and_then(|bytes| bytes.try_into().ok());
        bytes.is_some_and(|bytes| self.0.verify_strict(message, &Signature::from_bytes(&bytes)).is_ok())
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(self.0.as_bytes()))
    }
}

fn message(seal: &str, key: &PublicKey, expires: Option<&str>) -> Vec<u8> {
    format!("throng certificate\n{seal}\n{key}\n{}\n", expires.unwrap_or("never")).into_bytes()
}

fn rotation(new: &PublicKey) -> Vec<u8> {
    format!("throng key\n{new}\n").into_bytes()
}

fn parse(text: &str, kind: &'static str) -> Result<[u8; 32]> {
    let bytes = match text.split_whitespace().collect::<Vec<_>>()[..] {
        [found, digits] if found == kind => unhex(digits).and_then(|bytes| bytes.try_into().ok()),
        _ => None,
    };
    bytes.ok_or_else(|| not_a_key(kind).into())
}

fn not_a_key(kind: &'static str) -> Fault {
    let (what, which) = if kind == PRIVATE { ("private", "") } else { ("public", ".pub") };
    fault!(Input, "key.not-a-key", "is not a {kind} key", kind = what)
        .help(format!("give the file NAME{which} that `throng key new NAME` wrote"))
}

/// What is known about keys from a ledger.
#[derive(Debug, Clone, Default)]
pub struct KeyHistory {
    rotated: Vec<(String, String, String)>,
    revoked: Vec<(String, String)>,
}

impl KeyHistory {
    /// From the entries of a ledger, oldest first.
    pub fn new<'a>(entries: impl Iterator<Item = &'a Body>) -> Self {
        let mut history = KeyHistory::default();
        for body in entries {
            match body {
                Body::KeyRotated { old, new, signature } => {
                    history.rotated.push((old.clone(), new.clone(), signature.clone()));
                }
                Body::KeyRevoked { key, reason } => history.revoked.push((key.clone(), reason.clone())),
                Body::Release(_) => {}
            }
        }
        history
    }

    /// Why a key must not be trusted, if it was revoked.
    pub fn revoked(&self, key: &PublicKey) -> Option<&str> {
        let key = key.to_string();
        self.revoked.iter().find(|(revoked, _)| *revoked == key).map(|(_, reason)| reason.as_str())
    }

    /// Whether a key is a trusted one or follows it by rotations that the keys before it signed.
    pub fn follows(&self, key: &PublicKey, trusted: &PublicKey) -> bool {
        let mut at = trusted.clone();
        // Every rotation can be followed once.
        for _ in 0..=self.rotated.len() {
            if at == *key {
                return true;
            }
            if self.revoked(&at).is_some() {
                return false;
            }
            let name = at.to_string();
            let next = self.rotated.iter().rev().find_map(|(old, new, signature)| {
                let new = (*old == name).then(|| PublicKey::from_hex(new)).flatten()?;
                at.precedes(&new, signature).then_some(new)
            });
            match next {
                Some(next) => at = next,
                None => return false,
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_of_seal_key_and_date() {
        let key = PrivateKey::generate().unwrap();
        let public = PublicKey::parse(&key.public().text()).unwrap();
        let signature = PrivateKey::parse(&key.text()).unwrap().sign("ab12", Some("2027-01-01"));
        assert!(public.signed("ab12", Some("2027-01-01"), &signature));
        assert!(!public.signed("ab13", Some("2027-01-01"), &signature));
        assert!(!public.signed("ab12", Some("2028-01-01"), &signature));
        assert!(!public.signed("ab12", None, &signature));
        assert!(!PrivateKey::generate().unwrap().public().signed("ab12", Some("2027-01-01"), &signature));
        assert!(!public.signed("ab12", Some("2027-01-01"), "zz"));
        assert_eq!(format!("{key:?}"), "PrivateKey(..)");
    }

    // RFC 8032, section 7.1, test 1.
    #[test]
    fn keys_are_those_of_the_standard() {
        let secret = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
        let public = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
        let key = PrivateKey::parse(&format!("{PRIVATE} {secret}\n")).unwrap();
        assert_eq!(key.public().to_string(), public);
    }

    #[test]
    fn other_texts_are_not_keys() {
        let key = PrivateKey::generate().unwrap();
        for text in ["", "abc", PRIVATE, &key.public().text(), &format!("{PRIVATE} abc")] {
            assert_eq!(PrivateKey::parse(text).unwrap_err().faults()[0].code, "key.not-a-key", "{text}");
        }
        assert!(PublicKey::parse(&key.text()).is_err());
    }

    #[test]
    fn a_rotation_is_followed_until_a_key_is_revoked() {
        let keys: Vec<PrivateKey> = (0..4).map(|_| PrivateKey::generate().unwrap()).collect();
        let public: Vec<PublicKey> = keys.iter().map(PrivateKey::public).collect();
        let mut entries = vec![keys[0].rotate_to(&public[1]), keys[1].rotate_to(&public[2])];
        let history = KeyHistory::new(entries.iter());
        assert!(history.follows(&public[2], &public[0]) && history.follows(&public[0], &public[0]));
        assert!(!history.follows(&public[3], &public[0]) && !history.follows(&public[0], &public[1]));
        // A rotation that another key signed is none.
        let Body::KeyRotated { signature, .. } = keys[3].rotate_to(&public[3]) else { panic!("a rotation") };
        let forged = Body::KeyRotated { old: public[2].to_string(), new: public[3].to_string(), signature };
        assert!(
            !KeyHistory::new([&entries[0], &entries[1], &forged].into_iter()).follows(&public[3], &public[0])
        );
        entries.push(Body::KeyRevoked { key: public[1].to_string(), reason: "lost".into() });
        let history = KeyHistory::new(entries.iter());
        assert!(!history.follows(&public[2], &public[0]));
        assert_eq!(history.revoked(&public[1]), Some("lost"));
    }
}
