//! Ledgers and releases for tests.

use std::path::Path;

use throng_ledger::chain::SensitiveColumn;
use throng_ledger::members::{Members, Record};
use throng_ledger::{Ledger, Offer, Place, ReleaseFacts, Secret};
use throng_terms::error::Result;

/// The same secret as in `examples/append.rs`.
pub fn secret() -> Secret {
    Secret::new(b"a secret of the tests").unwrap()
}

pub fn open(path: &Path) -> Result<Ledger> {
    Ledger::open(Place::File(path), "test", secret(), true)
}

/// A release to a recipient: subjects with class and value.
pub fn offer(recipient: &str, k: u64, rows: &[(u128, u64, u64)]) -> Offer {
    let record = |&(subject, class, value): &(u128, u64, u64)| Record {
        subject,
        content: 0,
        class,
        values: vec![value],
    };
    Offer {
        recipient: recipient.into(),
        colludes_with: Vec::new(),
        k,
        sensitive: vec![SensitiveColumn { column: "diagnosis".into(), values: 2 }],
        members: Members::new(rows.iter().map(record).collect(), 1),
        withheld: Vec::new(),
    }
}

pub fn facts(seal: &str) -> ReleaseFacts {
    ReleaseFacts {
        output: "release.csv".into(),
        sha256: "ab".into(),
        seal: seal.into(),
        policy_sha256: "cd".into(),
        version: "0".into(),
    }
}

pub const AT: &str = "2026-01-01T00:00:00Z";
