//! Throng releases data about people without releasing the people.
//!
//! This crate is the science: every noun and every decision. It touches no file, no clock and no
//! network. The `throng-engine` crate releases files; a table in memory needs this crate alone:
//!
//! ```
//! use throng::memory::{Table, release};
//! use throng::watch::Watch;
//!
//! let policy = r#"
//!     version = 1
//!     input.path = "people"
//!     columns.age = { role = "quasi", hierarchy = { intervals = { widths = [10, 20] } } }
//!     columns.sex = { role = "quasi" }
//!     columns.illness = { role = "sensitive" }
//!     privacy = { k = 2, suppression = 0.25 }
//! "#;
//! let people = ["34,f,flu", "36,f,asthma", "51,m,flu", "58,m,angina", "35,m,flu"];
//! let row = |line: &&str| line.split(',').map(|cell| Some(cell.to_owned())).collect();
//! let columns = ["age", "sex", "illness"].map(String::from).to_vec();
//! let table = Table::new(columns, people.iter().map(row).collect())?;
//!
//! let no_files = |path: &str| unreachable!("the policy names no file, not {path}");
//! let released = release(policy, &table, &no_files, &Watch::none())?;
//! assert!(released.verdict.holds());
//! assert_eq!(released.certificate.release.privacy["k-anonymity"].achieved, Some(2.0));
//! # Ok::<(), throng::error::Error>(())
//! ```
//!
//! [`decide`] is the heart: policy and grouped table in, [`decide::Decision`] out. [`verify`]
//! judges a release with code of its own. [`watch::Watch`] reports progress and stops work. The
//! modules are listed in reading order; the list is the flow.

#![forbid(unsafe_code)]

// The vocabulary that the verifier shares, and the verifier.
pub use throng_statistics as statistics;
pub use throng_terms::fault;
pub use throng_terms::{
    cell, error, expression, hierarchy, information, network, policy, poset, predicate, preparation, reading,
    registry, release, rows, table, tuples, watch,
};
pub use throng_verify as verify;

// Nouns: passed along; they use no verb. What is hidden from the docs is public for tests and
// benchmarks alone and may change in any version.
pub mod augment;
#[doc(hidden)]
pub mod lattice;
#[doc(hidden)]
pub mod histogram;
#[doc(hidden)]
pub mod classes;
mod worth;
mod rank;
#[doc(hidden)]
pub mod compatible;
#[doc(hidden)]
pub mod population;
pub mod predict;
pub mod deletion;
#[doc(hidden)]
pub mod model;
#[doc(hidden)]
pub mod loss;
#[doc(hidden)]
pub mod space;
pub mod pseudonym;
pub mod sampling;
pub mod recoding;
#[doc(hidden)]
pub mod recoded;
mod safe_union;
pub mod utility;
mod stars;
#[doc(hidden)]
pub mod consistency;
pub mod anonymous_system;
pub mod row_figures;
pub mod exposure;
mod class_risk;
#[doc(hidden)]
pub mod people;

// Verbs, in order.
pub mod describe;
pub mod template;
pub mod screen;
pub mod search;
#[doc(hidden)]
pub mod recode;
pub mod decide;
pub mod explore;
pub mod compare;
pub mod suggest;
pub mod evaluate;
pub mod risk;
pub mod measure;
pub mod argus;
pub mod report;
pub mod memory;

// Made-up data, for the demonstration and for benchmarks.
pub mod synth;
