//! Integration tests of the engine: files in, files out, and what happens when they are not what
//! they should be.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

mod scan_csv;
mod scan_files;
mod scan_formats;
mod compressed;
mod workbooks;
mod foreign;
mod dirty;
mod group;
mod holder;
mod transform;
mod cells;
mod people;
mod substitute;
mod order;
mod partitions;
mod prepared;
mod release;
mod release_property;
mod verify;
mod messages;
mod external;

#[path = "../../../../fuzz/src/mutate.rs"]
mod mutate;
mod fuzz_csv;
