//! A ledger in a SQLite file.
//!
//! A transaction begins as a writer (`BEGIN IMMEDIATE`), so that two processes write one after the
//! other, and is on the disk when it ends (`synchronous = EXTRA` with a rollback journal, which
//! needs no shared memory). A process that is killed leaves a journal that the next one rolls back.
//! Only the owner may read the file.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, params};
use throng_terms::error::{Error, Fault, Result};
use throng_terms::fault;

use crate::chain::StoredEntry;
use crate::store::{Head, Store};

/// How long a writer waits for another one.
const PATIENCE: Duration = Duration::from_secs(60);

/// The least size of a page of SQLite.
const LEAST_PAGE: u64 = 512;

const TABLES: &str = "
CREATE TABLE IF NOT EXISTS throng_ledger (
    project TEXT PRIMARY KEY, schema INTEGER NOT NULL, key_check BLOB NOT NULL,
    head INTEGER NOT NULL, code BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS throng_entry (
    project TEXT NOT NULL, number INTEGER NOT NULL, text TEXT NOT NULL, code BLOB NOT NULL,
    PRIMARY KEY (project, number)
);
CREATE TABLE IF NOT EXISTS throng_part (
    project TEXT NOT NULL, entry INTEGER NOT NULL, number INTEGER NOT NULL, bytes BLOB NOT NULL,
    PRIMARY KEY (project, entry, number)
);";

/// A project in a SQLite file.
pub(crate) struct Sqlite {
    connection: Connection,
    project: String,
    path: PathBuf,
}

impl Sqlite {
    /// Opens a file; creates it if `create`.
    pub(crate) fn open(path: &Path, project: &str, create: bool) -> Result<Self> {
        let name = path.display().to_string();
        if !path.exists() {
            if !create {
                return Err(fault!(System, "ledger.not-found", "there is no such ledger")
                    .file(&name)
                    .help("the first `throng release` of the policy makes it; check ledger.path")
                    .into());
            }
            make_private(path).map_err(|e| {
                fault!(System, "ledger.unwritable", "the ledger cannot be made: {reason}", reason = e)
                    .file(&name)
                    .help("check the folder that ledger.path names, and its free space")
            })?;
        }
        cut_short(path, create)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let fail = |e: rusqlite::Error| failed(path, &e);
        let connection = Connection::open_with_flags(path, flags).map_err(fail)?;
        connection.busy_timeout(PATIENCE).map_err(fail)?;
        connection.pragma_update(None, "synchronous", "EXTRA").map_err(fail)?;
        let found: i64 = connection
            .query_row("SELECT count(*) FROM sqlite_master WHERE name LIKE 'throng_%'", [], |row| row.get(0))
            .map_err(fail)?;
        if found < 3 {
            connection.execute_batch(&format!("BEGIN IMMEDIATE;{TABLES}COMMIT;")).map_err(fail)?;
        }
        Ok(Sqlite { connection, project: project.to_owned(), path: path.to_owned() })
    }

    fn failed(&self, error: &rusqlite::Error) -> Error {
        failed(&self.path, error)
    }
}

/// Refuses a file that is shorter than the least page, which SQLite would take for a new database.
/// An empty one is a new ledger to a release alone, which makes it so.
fn cut_short(path: &Path, create: bool) -> Result<()> {
    let length = std::fs::metadata(path).map_or(0, |file| file.len());
    if length >= LEAST_PAGE || (length == 0 && create) {
        return Ok(());
    }
    Err(damaged().file(path.display().to_string()).into())
}

/// A file that holds no ledger that can be read.
fn damaged() -> Fault {
    fault!(Data, "ledger.damaged", "the file is not a ledger, or it is damaged")
        .help("restore the last backup whose `throng ledger check` holds; do not release until it holds")
}

/// Makes an empty file that only its owner may read.
fn make_private(path: &Path) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    match options.open(path) {
        Err(e) if e.kind() != std::io::ErrorKind::AlreadyExists => Err(e),
        _ => Ok(()),
    }
}

/// A fault of the database, by what the user can do.
fn failed(path: &Path, error: &rusqlite::Error) -> Error {
    let name = path.display().to_string();
    let code = error.sqlite_error_code();
    let fault = match code {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            fault!(System, "ledger.busy", "another process has been writing to the ledger for a minute")
                .help("wait until the other release has ended, then repeat this one")
        }
        Some(ErrorCode::DiskFull) => fault!(
            System,
            "ledger.disk-full",
            "the disk is full: nothing was added to the ledger, and nothing was released"
        )
        .help("free some space and repeat the release"),
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => damaged(),
        _ => fault!(System, "ledger.unreachable", "the ledger cannot be used: {reason}", reason = error)
            .help("check the path and the permissions of ledger.path"),
    };
    fault.file(name).into()
}

impl Store for Sqlite {
    fn begin(&mut self) -> Result<()> {
        self.connection.execute_batch("BEGIN IMMEDIATE").map_err(|e| self.failed(&e))
    }

    fn end(&mut self, keep: bool) -> Result<()> {
        let ended = self.connection.execute_batch(if keep { "COMMIT" } else { "ROLLBACK" });
        if ended.is_err() && !self.connection.is_autocommit() {
            // The first fault is the one to report.
            drop(self.connection.execute_batch("ROLLBACK"));
        }
        ended.map_err(|e| self.failed(&e))
    }

    fn read(&mut self) -> Result<(Option<Head>, Vec<StoredEntry>)> {
        let read = || {
            // One snapshot: another process may append in between.
            let own = self.connection.is_autocommit();
            if own {
                self.connection.execute_batch("BEGIN")?;
            }
            let head = self
                .connection
                .query_row(
                    "SELECT schema, key_check, head, code FROM throng_ledger WHERE project = ?1",
                    [&self.project],
                    |row| {
                        let number: i64 = row.get(2)?;
                        let (schema, key_check, code) = (row.get(0)?, row.get(1)?, row.get(3)?);
                        Ok(Head { schema, key_check, number: number as u64, code })
                    },
                )
                .optional();
            let entries = self
                .connection
                .prepare("SELECT number, text, code FROM throng_entry WHERE project = ?1 ORDER BY number")
                .and_then(|mut statement| {
                    let rows = statement.query_map([&self.project], |row| {
                        let number: i64 = row.get(0)?;
                        Ok(StoredEntry { number: number as u64, text: row.get(1)?, code: row.get(2)? })
                    })?;
                    rows.collect::<rusqlite::Result<Vec<_>>>()
                });
            if own {
                self.connection.execute_batch("COMMIT")?;
            }
            Ok((head?, entries?))
        };
        read().map_err(|e: rusqlite::Error| self.failed(&e))
    }

    fn part(&mut self, entry: u64, part: u64) -> Result<Option<Vec<u8>>> {
        let text = "SELECT bytes FROM throng_part WHERE project = ?1 AND entry = ?2 AND number = ?3";
        let mut statement = self.connection.prepare(text).map_err(|e| self.failed(&e))?;
        let found = statement.query_row(params![self.project, entry as i64, part as i64], |row| row.get(0));
        found.optional().map_err(|e| self.failed(&e))
    }

    fn write(&mut self, head: &Head, entry: Option<(&StoredEntry, &[Vec<u8>])>) -> Result<()> {
        let write = || {
            let project = &self.project;
            if let Some((entry, parts)) = entry {
                let number = entry.number as i64;
                self.connection.execute(
                    "INSERT INTO throng_entry (project, number, text, code) VALUES (?1, ?2, ?3, ?4)",
                    params![project, number, entry.text, entry.code],
                )?;
                let mut statement = self.connection.prepare(
                    "INSERT INTO throng_part (project, entry, number, bytes) VALUES (?1, ?2, ?3, ?4)",
                )?;
                for (at, bytes) in parts.iter().enumerate() {
                    statement.execute(params![project, number, at as i64, bytes])?;
                }
            }
            self.connection.execute(
                "INSERT INTO throng_ledger (project, schema, key_check, head, code) VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (project) DO UPDATE SET head = excluded.head, code = excluded.code",
                params![project, head.schema, head.key_check, head.number as i64, head.code],
            )
        };
        write().map(drop).map_err(|e: rusqlite::Error| self.failed(&e))
    }
}
