//! Finds and replaces what identifies people in letters and notes: detectors compete for spans with
//! certainties [Sweeney 2001, section 6.1].
//!
//! A text is tokenized once. Detectors look only at tokens of their interest and propose spans;
//! resolution chooses among them, and replacement makes up values. Modules are listed in reading
//! order. Nothing here opens a file, reads the clock or draws an unseeded number.

#![forbid(unsafe_code)]

#[macro_use]
pub mod words;
pub mod span;
pub mod settings;
pub mod subject;
pub mod lexicon;
mod cues;
mod token;
pub mod document;
pub mod candidates;
pub mod detect;
pub mod surrogates;
mod pieces;
mod resolve;
mod replace;
pub mod scrubber;
mod batch;
pub mod letters;

pub use scrubber::{Scrubbed, Scrubber};
pub use settings::{AgeRule, DateRule, Mode, Settings, UserPattern, WordList};
pub use span::{Kind, Reason, Span};
pub use subject::{Known, Meaning, Subject};
pub use throng_terms::snippet::Snippet;
