//! The registry: everything that a policy can name, with its properties, a line of help and the
//! source.
//!
//! An entry is data. What a loss computes or an algorithm does is defined where it is computed; the
//! modules that do so match on the kinds of this registry exhaustively, so that the compiler lists
//! what a new kind still lacks. Error messages for unknown names come from here. Costs nothing at
//! run time.

mod algorithm;
mod entry;
mod kinds;
mod loss;
mod model;
mod predictor;
mod schema;
mod statistic;
mod tables;
#[cfg(test)]
mod tests;
mod unknown;

pub use algorithm::{Algorithm, AlgorithmEntry};
pub use entry::{Bounds, Entry, Need, Parameter, ParameterKind, Shape};
pub(crate) use kinds::kinds;
pub use loss::{LossEntry, LossKind, RegionMeasure, SuppressedRows, TargetInformation};
pub use model::{ModelEntry, Monotone};
pub use predictor::{Predictor, PredictorEntry};
pub use schema::schema;
pub use statistic::{StatisticEntry, StatisticKind};
pub use tables::{Table, table};
pub(crate) use unknown::family_of;
pub use unknown::{Family, MODEL_LOSS, unknown, unknown_among};
