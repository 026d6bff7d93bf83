//! Definitions of the papers against programs in Python that share nothing with this one, and the
//! examples that the papers give.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod information;
mod orders;
mod greedy_rows;
mod preferences;
mod implications;
mod k_map;
mod linkable;
mod minimality;
mod model;
mod profiles;
mod rare;
mod systems;
mod windows;

use std::collections::BTreeMap;
use std::process::Command;

use throng::error::{Error, Result};
use throng::memory::{Released, Table};
use throng::watch::Watch;

type Row = Vec<Option<String>>;

/// Releases a table that needs no other file.
fn release(policy: &str, columns: &[&str], rows: &[Row]) -> Result<Released> {
    let columns = columns.iter().map(|name| (*name).to_owned()).collect();
    let table = Table::new(columns, rows.to_vec()).unwrap();
    throng::memory::release(policy, &table, &|_| unreachable!(), &Watch::none())
}

/// A row as a line of text writes it; `-` is a missing cell.
fn row(line: &str) -> Row {
    line.split_whitespace().map(|cell| (cell != "-").then(|| cell.to_owned())).collect()
}

/// Rows in order, each with how often it occurs.
fn counted(rows: &[Row]) -> BTreeMap<Row, usize> {
    let mut counted = BTreeMap::new();
    rows.iter().for_each(|row| *counted.entry(row.clone()).or_insert(0) += 1);
    counted
}

fn codes(error: &Error) -> Vec<&str> {
    error.faults().iter().map(|fault| fault.code).collect()
}

/// The cases that a script wrote, each with its line.
fn cases<T: serde::de::DeserializeOwned>(recorded: &str) -> impl Iterator<Item = (&str, T)> {
    recorded.lines().map(|line| (line, serde_json::from_str(line).unwrap()))
}

/// What is recorded is what a script writes; nothing to compare where there is no Python.
fn recorded(script: &str, written: &str) {
    let path = format!("{}/tests/sources/{script}", env!("CARGO_MANIFEST_DIR"));
    let Ok(output) = Command::new("python3").arg(path).output() else { return };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8(output.stdout).unwrap() == written, "run {script} again");
}
