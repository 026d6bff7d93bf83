//! Ledgers as files and databases: what is lost, changed, full, or written by two.

mod accepted;
mod faults;
mod killed;
mod postgres;
mod support;
