//! Attacks on released tables, each against a control.
//!
//! A release is as good as the attacks that it survives. Every attack here does what an outsider
//! could do with the released table and what they know beside it, counts how often that succeeds,
//! and compares it with a control: the same attack on people who are not in the release, or a guess
//! that needs no release. The difference is what the release adds.
//!
//! Tables are dictionaries and codes ([`table`]), generalized cells cover codes of specific values
//! ([`cover`]), and a tree finds everybody whom a released tuple covers ([`tree`]). Modules are
//! listed in reading order. The crate depends on the vocabulary and on the reading of cells in
//! `throng-statistics`; it opens no file, reads no clock and draws no unseeded number.

#![forbid(unsafe_code)]

mod sample;
mod drawn;
mod rate;
pub mod table;
pub mod groups;
pub mod cover;
pub mod tree;
pub mod link;
pub mod database;
pub mod known;
pub mod knowledge;
mod owners;
mod view;
pub mod scene;
mod bayes;
mod attack;
mod attacks;
mod scorecard;
mod card_page;
#[cfg(test)]
mod people_tests;
#[cfg(test)]
mod tests;

pub use attack::{Attack, Criterion, Finding, Need, Skipped, all, named, run};
pub use card_page::page;
pub use rate::{Above, Rate};
pub use scorecard::{Attribution, Score, Scorecard, findings_text, scorecard, text};
