//! The table as codes: every value becomes a small integer once.

mod dictionary;

pub use dictionary::{Code, Dictionary};
