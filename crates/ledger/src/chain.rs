//! Entries of a ledger and the chain that links them.
//!
//! The code of an entry is HMAC-SHA256 of the code before, its number and its text. Who edits,
//! reorders or removes an entry without the secret cannot make codes that fit. The head, which is
//! kept beside the entries, shows that the last ones are missing. A ledger that was replaced by an
//! older copy of itself is consistent: `throng verify` finds that the entry of a certificate is not
//! in it.

use serde::{Deserialize, Serialize};
use throng_terms::error::{Fault, Result};
use throng_terms::fault;

use crate::compose::Promise;
use crate::members::Layout;
use crate::secret::Secret;

/// The code of an entry.
pub type Code = [u8; 32];

/// The code before the first entry.
pub const START: Code = [0; 32];

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its number, from 1.
    pub number: u64,
    /// When it was made, in UTC.
    pub at: String,
    /// What it records.
    pub body: Body,
    /// Its code in the chain.
    pub code: Code,
}

/// What an entry records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Body {
    /// A release.
    Release(Box<ReleaseBody>),
    /// A signing key that another one follows; the old key signed the new one.
    KeyRotated {
        /// The old public key.
        old: String,
        /// The new public key.
        new: String,
        /// The old key's signature of the new one.
        signature: String,
    },
    /// A signing key that must not be trusted any more.
    KeyRevoked {
        /// The public key.
        key: String,
        /// Why.
        reason: String,
    },
}

/// A release as the ledger keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReleaseBody {
    /// Who receives it.
    pub recipient: String,
    /// Recipients who may put their releases together with this one's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub colludes_with: Vec<String>,
    /// The path of the release, as its certificate states it.
    pub output: String,
    /// SHA-256 of the release.
    pub sha256: String,
    /// The seal of its certificate.
    pub seal: String,
    /// SHA-256 of its policy.
    pub policy_sha256: String,
    /// The version of Throng that made it.
    pub version: String,
    /// The k that it promises.
    pub k: u64,
    /// Sensitive columns, and the fewest values that candidates have there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sensitive: Vec<SensitiveColumn>,
    /// Released rows; where a recipient can see which rows belong together, people.
    pub records: u64,
    /// Subjects.
    pub people: u64,
    /// Classes.
    pub classes: u64,
    /// Subjects that were withheld because of earlier releases.
    pub withheld: u64,
    /// Whether records have contents, because some subjects have several.
    pub contents: bool,
    /// How many parts hold records, then withheld subjects.
    pub parts: [u64; 2],
    /// SHA-256 of all parts.
    pub parts_sha256: String,
}

/// A sensitive column of a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SensitiveColumn {
    /// Its name.
    pub column: String,
    /// The fewest distinct values that candidates have in it.
    pub values: u32,
}

impl ReleaseBody {
    /// What it promises.
    pub fn promise(&self) -> Promise {
        Promise { k: self.k, values: self.sensitive.iter().map(|column| column.values).collect() }
    }

    /// How its parts are laid out.
    pub fn layout(&self) -> Layout {
        Layout { contents: self.contents, columns: self.sensitive.len() }
    }
}

/// An entry as a store keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEntry {
    /// Its number.
    pub number: u64,
    /// Its text: a JSON object with `at` and what it records.
    pub text: String,
    /// Its code.
    pub code: Vec<u8>,
}

#[derive(Serialize, Deserialize)]
struct Text {
    at: String,
    #[serde(flatten)]
    body: Body,
}

impl Entry {
    /// The entry after another one.
    ///
    /// # Errors
    /// Only if it cannot be written as JSON, which would be a mistake of ours.
    pub fn after(previous: Option<&Entry>, at: String, body: Body, secret: &Secret) -> Result<Self> {
        let number = previous.map_or(0, |entry| entry.number) + 1;
        let before = previous.map_or(START, |entry| entry.code);
        let mut entry = Entry { number, at, body, code: START };
        entry.code = code(secret, &before, number, &entry.text()?);
        Ok(entry)
    }

    fn text(&self) -> Result<String> {
        let text = Text { at: self.at.clone(), body: self.body.clone() };
        serde_json::to_string(&text)
            .map_err(|e| Fault::bug(format!("an entry cannot be written: {e}")).into())
    }

    /// As a store keeps it.
    ///
    /// # Errors
    /// As [`Entry::after`].
    pub fn stored(&self) -> Result<StoredEntry> {
        Ok(StoredEntry { number: self.number, text: self.text()?, code: self.code.to_vec() })
    }

    /// The release that it records, if it is one.
    pub fn release(&self) -> Option<&ReleaseBody> {
        match &self.body {
            Body::Release(release) => Some(release),
            Body::KeyRotated { .. } | Body::KeyRevoked { .. } => None,
        }
    }
}

fn code(secret: &Secret, before: &Code, number: u64, text: &str) -> Code {
    secret.code("throng ledger entry", &[before, &number.to_le_bytes(), text.as_bytes()])
}

/// Reads the entries of a ledger whose head is given, and checks every code.
///
/// # Errors
/// A chain that is broken, by the number of the entry where that shows.
pub fn read(stored: &[StoredEntry], head: (u64, &[u8]), secret: &Secret) -> Result<Vec<Entry>> {
    let mut entries: Vec<Entry> = Vec::with_capacity(stored.len());
    for (at, found) in stored.iter().enumerate() {
        let number = at as u64 + 1;
        let before = entries.last().map_or(START, |entry| entry.code);
        if found.number != number {
            return Err(broken(number, "it is missing").into());
        }
        let expected = code(secret, &before, number, &found.text);
        if expected[..] != found.code[..] {
            return Err(broken(number, "its text or its code was changed").into());
        }
        let text: Text = serde_json::from_str(&found.text).map_err(|_| {
            fault!(
                Input,
                "ledger.unknown-entry",
                "entry {number} was written by a newer throng",
                number = number
            )
            .help("use that version of throng, or a later one")
        })?;
        entries.push(Entry { number, at: text.at, body: text.body, code: expected });
    }
    let last = entries.last().map_or((0, START), |entry| (entry.number, entry.code));
    if last.0 < head.0 {
        return Err(broken(last.0 + 1, "it is missing, and the head of the ledger names a later one").into());
    }
    if (last.0, &last.1[..]) != head {
        return Err(broken(last.0, "it is not the one that the head of the ledger names").into());
    }
    Ok(entries)
}

/// A chain that is broken at an entry.
pub(crate) fn broken(number: u64, how: &str) -> Fault {
    fault!(
        Data,
        "ledger.broken-chain",
        "the chain is broken at entry {number}: {how}",
        number = number,
        how = how
    )
    .help(
        "somebody or something changed the ledger: restore the last backup whose `throng ledger check` holds, and find \
         out who wrote to it; do not release until it holds",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn revoked(reason: &str) -> Body {
        Body::KeyRevoked { key: "ab".into(), reason: reason.into() }
    }

    fn chain(secret: &Secret) -> Vec<Entry> {
        let mut entries: Vec<Entry> = Vec::new();
        for reason in ["one", "two", "three"] {
            let entry = Entry::after(entries.last(), "2026-01-01T00:00:00Z".into(), revoked(reason), secret);
            entries.push(entry.unwrap());
        }
        entries
    }

    #[test]
    fn a_chain_is_read_and_every_change_is_found() {
        let secret = Secret::new(b"0123456789abcdef").unwrap();
        let entries = chain(&secret);
        let stored: Vec<StoredEntry> = entries.iter().map(|entry| entry.stored().unwrap()).collect();
        let head = (3, &entries[2].code[..]);
        assert_eq!(read(&stored, head, &secret).unwrap(), entries);
        let broken_by = |change: &dyn Fn(&mut Vec<StoredEntry>)| {
            let mut changed = stored.clone();
            change(&mut changed);
            read(&changed, head, &secret).unwrap_err().faults()[0].clone()
        };
        type Change<'a> = (&'a dyn Fn(&mut Vec<StoredEntry>), &'a str);
        let changes: [Change<'_>; 6] = [
            (&|all| all[1].text = all[1].text.replace("two", "2"), "2"),
            (&|all| all[1].code[0] ^= 1, "2"),
            (&|all| drop(all.pop()), "3"),
            (&|all| drop(all.remove(0)), "1"),
            (&|all| all.swap(0, 1), "1"),
            (&|all| drop(all.remove(1)), "2"),
        ];
        for (change, number) in changes {
            let fault = broken_by(change);
            assert_eq!(fault.code, "ledger.broken-chain");
            assert_eq!(fault.arguments[0], ("number", number.to_owned()));
        }
        // Codes of another secret do not fit, so nobody else can continue the chain.
        let other = Secret::new(b"0123456789abcdeg").unwrap();
        let forged = Entry::after(Some(&entries[2]), "x".into(), revoked("four"), &other).unwrap();
        let mut longer = stored.clone();
        longer.push(forged.stored().unwrap());
        assert!(read(&longer, (4, &forged.code), &secret).is_err());
    }

    #[test]
    fn an_older_head_is_found() {
        let secret = Secret::new(b"0123456789abcdef").unwrap();
        let entries = chain(&secret);
        let stored: Vec<StoredEntry> = entries.iter().map(|entry| entry.stored().unwrap()).collect();
        let fault = read(&stored, (2, &entries[1].code), &secret).unwrap_err();
        assert_eq!(fault.faults()[0].code, "ledger.broken-chain");
    }
}
