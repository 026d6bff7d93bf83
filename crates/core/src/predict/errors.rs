//! Prediction errors: total, mean and standard deviation over rows [Katirai 2006, "The output of
//! the anonymization process was then fed …", and "Proposed Measure 2"].
//!
//! Costs two passes.

use serde::Serialize;

use crate::release::ErrorFacts;

/// Absolute errors over rows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Errors {
    /// Their sum.
    pub total: f64,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation, over the rows as they are.
    pub deviation: f64,
}

impl Errors {
    /// Of (predicted, expected, rows).
    pub fn of(rows: &[(f64, f64, u64)]) -> Self {
        let all = rows.iter().map(|row| row.2).sum::<u64>().max(1) as f64;
        let total: f64 = rows.iter().map(|(said, is, n)| *n as f64 * (said - is).abs()).sum();
        let mean = total / all;
        let squares: f64 =
            rows.iter().map(|(said, is, n)| *n as f64 * ((said - is).abs() - mean).powi(2)).sum();
        Errors { total, mean, deviation: (squares / all).sqrt() }
    }
}

impl From<Errors> for ErrorFacts {
    fn from(errors: Errors) -> Self {
        let Errors { total, mean, deviation } = errors;
        ErrorFacts { total, mean, deviation }
    }
}
