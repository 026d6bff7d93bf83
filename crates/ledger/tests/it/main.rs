//! Ledgers as files and databases: what is lost, changed, full, or written by two.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod accepted;
mod faults;
mod killed;
mod postgres;
mod sequences;
mod support;
