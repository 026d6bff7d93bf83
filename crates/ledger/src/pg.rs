//! A ledger in a PostgreSQL database.
//!
//! Tables and transactions are those of `sqlite.rs`. A writer takes an advisory lock of the project
//! for its transaction, so that two write one after the other. The password is never in a policy:
//! it comes from `PGPASSWORD`. The connection is not encrypted; a server on another machine is
//! reached through a tunnel or a private network.

use postgres::{Client, Config, NoTls};
use throng_terms::error::{Error, Result};
use throng_terms::fault;

use crate::chain::StoredEntry;
use crate::store::{Head, Store};

const TABLES: &str = "
CREATE TABLE IF NOT EXISTS throng_ledger (
    project TEXT PRIMARY KEY, schema BIGINT NOT NULL, key_check BYTEA NOT NULL,
    head BIGINT NOT NULL, code BYTEA NOT NULL
);
CREATE TABLE IF NOT EXISTS throng_entry (
    project TEXT NOT NULL, number BIGINT NOT NULL, text TEXT NOT NULL, code BYTEA NOT NULL,
    PRIMARY KEY (project, number)
);
CREATE TABLE IF NOT EXISTS throng_part (
    project TEXT NOT NULL, entry BIGINT NOT NULL, number BIGINT NOT NULL, bytes BYTEA NOT NULL,
    PRIMARY KEY (project, entry, number)
);";

/// Taken while the tables are made.
const LOCK: i64 = 0x7468_726f_6e67;

/// A project in a PostgreSQL database.
pub(crate) struct Postgres {
    client: Client,
    project: String,
    /// The URL, which has no password.
    url: String,
}

impl Postgres {
    /// Connects, and makes the tables if `create`.
    pub(crate) fn open(url: &str, project: &str, create: bool) -> Result<Self> {
        let mut config: Config = url.parse().map_err(|e| failed(url, &e))?;
        if config.get_password().is_some() {
            return Err(fault!(Input, "ledger.password-in-url", "the URL of the ledger has a password")
                .key("ledger.url")
                .help("remove it, and export PGPASSWORD where throng runs")
                .into());
        }
        if let Some(password) = std::env::var_os("PGPASSWORD") {
            config.password(password.into_encoded_bytes());
        }
        config.application_name("throng");
        config.connect_timeout(std::time::Duration::from_secs(10));
        let mut client = config.connect(NoTls).map_err(|e| failed(url, &e))?;
        let found: i64 = client
            .query_one("SELECT count(*) FROM pg_tables WHERE tablename = 'throng_ledger'", &[])
            .map_err(|e| failed(url, &e))?
            .get(0);
        if found == 0 && create {
            let batch = format!("BEGIN; SELECT pg_advisory_xact_lock({LOCK}); {TABLES} COMMIT;");
            client.batch_execute(&batch).map_err(|e| failed(url, &e))?;
        } else if found == 0 {
            return Err(fault!(System, "ledger.not-found", "there is no such ledger")
                .file(url)
                .help("the first `throng release` of the policy makes it; check ledger.url")
                .into());
        }
        // An answer that waits for the disk is the default; a server may have another one.
        client
            .batch_execute("SET synchronous_commit = on; SET lock_timeout = '60s'")
            .map_err(|e| failed(url, &e))?;
        Ok(Postgres { client, project: project.to_owned(), url: url.to_owned() })
    }

    fn failed(&self, error: &postgres::Error) -> Error {
        failed(&self.url, error)
    }
}

/// A fault of the database, by what the user can do.
fn failed(url: &str, error: &postgres::Error) -> Error {
    let code = error.code().map(postgres::error::SqlState::code);
    let fault = match code {
        Some("55P03") => {
            fault!(System, "ledger.busy", "another process has been writing to the ledger for a minute")
                .help("wait until the other release has ended, then repeat this one")
        }
        Some("53100") => fault!(
            System,
            "ledger.disk-full",
            "the disk is full: nothing was added to the ledger, and nothing was released"
        )
        .help("free some space on the server and repeat the release"),
        _ => {
            let reason = error.as_db_error().map_or_else(|| error.to_string(), |e| e.message().to_owned());
            fault!(System, "ledger.unreachable", "the ledger cannot be used: {reason}", reason = reason)
                .help("check that the server runs, ledger.url, and the variable PGPASSWORD")
        }
    };
    fault.file(url).into()
}

impl Store for Postgres {
    fn begin(&mut self) -> Result<()> {
        let lock = "SELECT pg_advisory_xact_lock(hashtextextended('throng ' || $1, 0))";
        let begun = self
            .client
            .batch_execute("BEGIN")
            .and_then(|()| self.client.execute(lock, &[&self.project]).map(drop));
        begun.map_err(|e| {
            drop(self.client.batch_execute("ROLLBACK"));
            failed(&self.url, &e)
        })
    }

    fn end(&mut self, keep: bool) -> Result<()> {
        let ended = self.client.batch_execute(if keep { "COMMIT" } else { "ROLLBACK" });
        ended.map_err(|e| self.failed(&e))
    }

    fn read(&mut self) -> Result<(Option<Head>, Vec<StoredEntry>)> {
        // One statement is one snapshot: another process may append in between.
        let text = "SELECT l.schema, l.key_check, l.head, l.code, e.number, e.text, e.code
                    FROM throng_ledger l FULL JOIN throng_entry e ON e.project = l.project
                    WHERE l.project = $1 OR e.project = $1 ORDER BY e.number";
        let rows = self.client.query(text, &[&self.project]).map_err(|e| failed(&self.url, &e))?;
        let head = rows.first().and_then(|row| {
            let number: i64 = row.get::<_, Option<i64>>(2)?;
            let schema: i64 = row.get::<_, Option<i64>>(0)?;
            Some(Head { schema, key_check: row.get(1), number: number as u64, code: row.get(3) })
        });
        let entry = |row: &postgres::Row| {
            let number: i64 = row.get::<_, Option<i64>>(4)?;
            Some(StoredEntry { number: number as u64, text: row.get(5), code: row.get(6) })
        };
        Ok((head, rows.iter().filter_map(entry).collect()))
    }

    fn part(&mut self, entry: u64, part: u64) -> Result<Option<Vec<u8>>> {
        let text = "SELECT bytes FROM throng_part WHERE project = $1 AND entry = $2 AND number = $3";
        let found = self.client.query_opt(text, &[&self.project, &(entry as i64), &(part as i64)]);
        Ok(found.map_err(|e| failed(&self.url, &e))?.map(|row| row.get(0)))
    }

    fn write(&mut self, head: &Head, entry: Option<(&StoredEntry, &[Vec<u8>])>) -> Result<()> {
        let Postgres { client, project, url } = self;
        let mut write = || {
            if let Some((entry, parts)) = entry {
                let number = entry.number as i64;
                client.execute(
                    "INSERT INTO throng_entry (project, number, text, code) VALUES ($1, $2, $3, $4)",
                    &[project, &number, &entry.text, &entry.code],
                )?;
                let statement = client.prepare(
                    "INSERT INTO throng_part (project, entry, number, bytes) VALUES ($1, $2, $3, $4)",
                )?;
                for (at, bytes) in parts.iter().enumerate() {
                    client.execute(&statement, &[project, &number, &(at as i64), bytes])?;
                }
            }
            client.execute(
                "INSERT INTO throng_ledger (project, schema, key_check, head, code) VALUES ($1, $2, $3, $4, $5)
                 ON CONFLICT (project) DO UPDATE SET head = excluded.head, code = excluded.code",
                &[project, &head.schema, &head.key_check, &(head.number as i64), &head.code],
            )
        };
        write().map(drop).map_err(|e: postgres::Error| failed(url, &e))
    }
}
