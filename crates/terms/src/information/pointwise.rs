//! Point-wise mutual information: the information of a single value about a target.
//!
//! PMI(x,c) = log2(p(x,c) / (p(x)·p(c))) [Fano 1961; Katirai 2006, "Method 3"]. Katirai values
//! association and dissociation alike and therefore takes its absolute value. The worth of a value
//! is the mean over the target values of its own rows. One step per target value.

use super::contingency::lift;

/// The point-wise mutual information of a value and a target value, in bits: from the rows that
/// have both, the value, the target value, and all rows. Values that never meet have −∞.
pub fn pointwise(both: u64, value: u64, target: u64, all: u64) -> f64 {
    if both == 0 { f64::NEG_INFINITY } else { lift(both, value, target, all).log2() }
}

/// The worth of a value: Σ p(c|x)·|log2(p(x,c) / (p(x)·p(c)))| over target values c, in bits.
/// `with` holds the value's rows by target value, `all` those of the table in the same order; rows
/// of the value are rows of the table.
pub fn worth(with: &[u64], all: &[u64]) -> f64 {
    let (of_value, rows) = (with.iter().sum::<u64>(), all.iter().sum::<u64>());
    let met = with.iter().zip(all).filter(|(both, _)| **both > 0);
    met.map(|(&both, &target)| both as f64 / of_value as f64 * pointwise(both, of_value, target, rows).abs())
        .sum()
}
