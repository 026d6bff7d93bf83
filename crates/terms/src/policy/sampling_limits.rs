//! The ε and δ that differential privacy by sampling can have, and the sampling rate of an ε.
//!
//! [Li 2012, theorem 1]: −ln(1 − β) ≤ ε, and δ < β.

use std::ops::RangeInclusive;

use crate::error::Fault;
use crate::fault;

/// The allowed range of ε: below, hardly any row is sampled; above, it guarantees nothing.
pub const EPSILON: RangeInclusive<f64> = 0.001..=10.0;
/// The least allowed δ.
pub const LEAST_DELTA: f64 = 1e-30;
/// 2³²: β is a multiple of its inverse, so that 32 bits decide about a row exactly.
pub const WORD: f64 = 4_294_967_296.0;
/// Errors of ε or δ; the fault's key is the parameter.
pub fn out_of_range(epsilon: f64, delta: f64) -> Option<Fault> {
    if !EPSILON.contains(&epsilon) {
        let (low, high) = (EPSILON.start(), EPSILON.end());
        return Some(
            fault!(
                Input,
                "model.parameter-out-of-range",
                "{parameter} cannot be {value}",
                parameter = "epsilon",
                value = epsilon
            )
            .key("epsilon")
            .help(format!("give a number from {low} to {high}, for instance 1: the smaller, the safer")),
        );
    }
    let beta = f64::from(threshold(epsilon)) / WORD;
    if !(LEAST_DELTA..beta).contains(&delta) {
        let fault = fault!(
            Input,
            "model.parameter-out-of-range",
            "{parameter} cannot be {value}",
            parameter = "delta",
            value = delta
        );
        return Some(fault.key("delta").help(format!(
            "give a number from {LEAST_DELTA:e} to below {beta:.4}, which is the share of rows that epsilon lets be drawn; \
             it should be far below one in the number of rows, for instance 1e-6"
        )));
    }
    None
}

/// β·2³² of the largest β with −ln(1 − β) ≤ ε, rounded down; also where it is a whole number but
/// for rounding.
pub fn threshold(epsilon: f64) -> u32 {
    (-(-epsilon).exp_m1() * WORD - 1e-3).floor() as u32
}
