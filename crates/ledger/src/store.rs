//! Where a ledger is kept: entries, parts and the head, per project.
//!
//! A store appends all of an entry or nothing, also if the process is killed or the machine loses
//! power, and lets one writer at a time do so. `sqlite.rs` and `pg.rs` implement it.

use throng_terms::error::Result;

use crate::chain::StoredEntry;

/// The version of the tables.
pub const SCHEMA: i64 = 1;

/// The head of a ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The version of the tables.
    pub schema: i64,
    /// Shows whether a secret is the ledger's.
    pub key_check: Vec<u8>,
    /// The number of the last entry; 0 without entries.
    pub number: u64,
    /// The code of the last entry.
    pub code: Vec<u8>,
}

/// A database that keeps ledgers.
pub trait Store: Send {
    /// Begins to write: waits until nobody else writes. What follows until [`Store::end`] is one
    /// transaction.
    ///
    /// # Errors
    /// When the database cannot be reached, or somebody else writes for too long.
    fn begin(&mut self) -> Result<()>;

    /// Ends the transaction; keeps what was written, durably, or forgets it.
    ///
    /// # Errors
    /// When it cannot be written; then nothing is kept.
    fn end(&mut self, keep: bool) -> Result<()>;

    /// The head, none for a new ledger, and all entries in order.
    ///
    /// # Errors
    /// What cannot be read.
    fn read(&mut self) -> Result<(Option<Head>, Vec<StoredEntry>)>;

    /// A part of an entry; none where there is no such part.
    ///
    /// # Errors
    /// What cannot be read.
    fn part(&mut self, entry: u64, part: u64) -> Result<Option<Vec<u8>>>;

    /// Writes a head and, if given, an entry with its parts.
    ///
    /// # Errors
    /// What cannot be written.
    fn write(&mut self, head: &Head, entry: Option<(&StoredEntry, &[Vec<u8>])>) -> Result<()>;
}
