//! Throng releases data about people without releasing the people.
//!
//! This crate is the science: every noun and every decision. It touches no file, no clock and no
//! network. The modules are listed in reading order; the list is the flow.

#![forbid(unsafe_code)]

// Nouns: passed along; they use no verb.
pub mod error;
pub mod watch;
pub mod table;
pub mod cell;
pub mod hierarchy;
pub mod augment;
pub mod poset;
pub mod lattice;
pub mod histogram;
pub mod information;
pub mod classes;
pub mod worth;
pub mod rank;
pub mod tuples;
pub mod population;
pub mod predict;
pub mod network;
pub mod model;
pub mod loss;
pub mod policy;
pub mod space;
pub mod pseudonym;
pub mod sampling;
pub mod recoding;
pub mod recoded;
pub mod release;

// Verbs, in order.
pub mod describe;
pub mod screen;
pub mod search;
pub mod recode;
pub mod explore;
pub mod compare;
pub mod risk;
pub mod argus;
pub mod verify;
pub mod report;

// Made-up data, for the demonstration and for benchmarks.
pub mod synth;
