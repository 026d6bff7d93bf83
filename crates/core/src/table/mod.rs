//! The table as codes: every value becomes a small integer once.

pub(crate) mod delimited;
mod dictionary;

pub use dictionary::{Code, Dictionary};
