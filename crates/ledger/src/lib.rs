//! The record of a project's releases, what they reveal together, and signatures.
//!
//! A release that is safe alone may be unsafe beside an earlier one about the same people
//! [Katirai 2006, "Attacks on k-anonymity"]. The ledger keeps of every release who received it
//! and, for every subject in it, a keyed digest, a number of the class and numbers of the sensitive
//! values. It keeps no cell. [`compose`] joins the releases that one recipient has and counts the subjects that are
//! alike in all of them; [`Ledger`] refuses, or withholds rows, where that is fewer than k.
//!
//! `secret.rs` makes the digests, `members.rs` has the subjects of a release as columns,
//! `compose.rs` joins them, `traces.rs` numbers what earlier releases say of a subject,
//! `chain.rs` links the entries, `store.rs` with one file per database
//! keeps them, `signing.rs` signs certificates. docs/ledger.md states the adversary.

#![forbid(unsafe_code)]

pub mod chain;
pub mod compose;
pub mod diagram;
mod ledger;
pub mod members;
mod pg;
mod secret;
pub mod signing;
mod sqlite;
pub mod store;
mod traces;

pub use ledger::{Acceptance, Ledger, Offer, OnConflict, PUBLIC, Place, ReleaseFacts, Report, ViewReport};
pub use secret::{LEAST_SECRET, Secret, SubjectDigest};
pub use traces::EarlierTraces;

/// Bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The bytes that hexadecimal digits stand for; none if they are not such digits.
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |c: u8| (c as char).to_digit(16);
    let pairs = text.as_bytes().chunks(2).map(|pair| match pair {
        [high, low] => Some((digit(*high)? * 16 + digit(*low)?) as u8),
        _ => None,
    });
    pairs.collect()
}
