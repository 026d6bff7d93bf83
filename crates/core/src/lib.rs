//! Throng releases data about people without releasing the people.
//!
//! This crate is the science: every noun and every decision. It touches no file, no clock and no
//! network. The modules are listed in reading order; the list is the flow.

#![forbid(unsafe_code)]

// Nouns.
pub mod error;
pub mod hierarchy;
pub mod policy;
pub mod release;
pub mod table;
