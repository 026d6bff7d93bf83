//! The vocabulary of Throng: what a policy asks for, what cells and hierarchies mean, and what a
//! certificate states.
//!
//! Two sides share it: `throng` decides what to release, `throng-verify` judges it. Neither side's
//! code is here, so the verifier depends on this crate alone and cargo enforces its independence.
//! Modules are listed in reading order. Nothing here opens a file, reads the clock or draws an
//! unseeded number.

#![forbid(unsafe_code)]

pub mod error;
pub mod watch;
pub mod snippet;
pub mod table;
pub mod cell;
pub mod hierarchy;
pub mod poset;
pub mod registry;
mod lex;
pub mod predicate;
pub mod expression;
pub mod reading;
pub mod policy;
pub mod information;
pub mod network;
pub mod tuples;
pub mod rows;
pub mod preparation;
pub mod release;
pub mod page;
