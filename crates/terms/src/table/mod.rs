//! The table as codes: every value becomes a small integer once.

pub mod delimited;
mod dictionary;
pub(crate) mod index;

pub use dictionary::{Code, Dictionary};
