//! Locations in, classes and releases out: the only crate that names Arrow and Parquet.
//!
//! A [`Source`] is a table somewhere; [`Engine::scan`] streams it, [`Engine::group`] turns it into classes, [`Engine::transform`] rewrites it as decided, and
//! [`Engine::verify`] reads a release again for the verifier. No decision is made here.

#![forbid(unsafe_code)]

mod argus;
mod attack;
mod augment;
mod cells;
mod chunks;
mod columns;
mod compare;
mod content;
mod csv_rows;
mod deleted;
mod describe;
mod diagnose;
mod digest;
mod draw;
mod encode;
mod error;
mod evaluate;
mod explore;
mod external;
mod files;
mod foreign;
mod group;
mod header;
mod holder;
mod intern;
mod ipc;
mod json_array;
mod ledger;
mod left_out;
mod beside;
mod leveled;
mod measure;
mod memory;
mod network;
mod notes;
mod parquet_pages;
mod paths;
mod pipeline;
mod policy_file;
mod population;
mod preparation;
mod prepare;
mod release;
mod rewrite;
mod risk;
mod scan;
mod screen;
pub mod scrub;
mod shape;
mod shift;
mod shuffle;
mod signing;
mod sink;
mod source;
mod overwrite_guard;
pub mod staging;
mod statistics;
mod stdin;
mod substitute;
mod suggest;
mod synth;
mod table;
mod text;
mod transform;
mod typed;
mod verify;
mod weights;

pub use argus::Held;
pub use attack::{Beside, Database, LinkRequest, Outside, known_columns};
pub use augment::Augmented;
pub use cells::Cells;
pub use compare::{ExperimentCommands, ExperimentFile};
pub use describe::{Inspected, sniff, sniff_as};
pub use digest::{Digesting, digest_file, digest_files};
pub use evaluate::Evaluating;
pub use explore::Exploration;
pub use external::External;
pub use group::GroupedTable;
pub use holder::HolderFiles;
pub use leveled::Leveled;
pub use notes::TextColumns;
pub use overwrite_guard::{Existing, OverwriteGuard, already};
pub use paths::Paths;
pub use policy_file::PolicyFile;
pub use release::{Done, Job};
pub use scrub::{ScrubDone, ScrubJob};
pub use shape::{Shape, shape};
pub use shift::Shifts;
pub use signing::{history, new_key, read_private_key, read_public_key, revoke_key, rotate_key};
pub use sink::{Written, write_atomically};
pub use source::{Delimited, Source};
pub use statistics::Known;
pub use stdin::forget_standard_input;
pub use substitute::Substitutes;
pub use suggest::Trial;
pub use synth::SynthFile;
pub use table::FileTable;
pub use transform::Transform;

/// Reads and writes tables.
#[derive(Debug, Default, Clone, Copy)]
#[non_exhaustive]
pub struct Engine {
    /// The most memory that a release may take, in bytes.
    memory: Option<u64>,
}

impl Engine {
    /// An engine for tables in files.
    pub fn new() -> Self {
        Engine::default()
    }
}
