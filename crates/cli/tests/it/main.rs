//! The program as a user meets it: every test runs the real `throng` in a folder of its own.
//!
//! What it releases is judged by code of the tests alone (`naive.rs`), never by its own word.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[cfg(unix)]
mod background;
mod env;
mod naive;
mod people;
mod population;

mod happy;
mod formats;
mod files;
mod options;
mod hierarchies;
#[cfg(target_os = "linux")]
mod reads;
mod regions;
mod holder;
mod posets;
mod guided;
mod prepared;
mod repeat;
mod risk;
mod measure;
mod argus;
mod attack;
mod augment;
mod sampled;
mod screen;
mod stats;
mod utility;
mod network;
mod synth;
mod contract;
mod errors;
mod stop;
mod tamper;
mod notes;
mod scrub;
mod templates;
mod ledger;
mod ledger_faults;
mod nested;
#[cfg(unix)]
mod killed;
#[cfg(unix)]
mod terminal;
mod identifiers;
mod subjects;
mod models;
mod guarded;
mod whole;
mod datafly;
mod bundle;
mod bad_policy;
mod bad_table;
mod bad_paths;
mod headerless;
mod secrets;
mod overwrite_guard;
mod explore;
mod certificates;
mod compare;
mod suggest;
mod evaluate;
mod convert;
mod tutorial;
mod twelve;
mod adult;
