//! Mutual information of columns, and of single values.
//!
//! From [Katirai 2006]: the information of a column with respect to a target ("Method 2"), the
//! point-wise information of a value ("Method 3"), and the advice to leave out rare values, because
//! estimates are biased towards them ("How we calculate mutual information scores"). Everything is
//! computed in bits from counts of pairs of codes; a call costs a sort of the distinct pairs.
//! Counts are summed in one order, so equal counts give the same bits in any input order.

mod contingency;
mod pointwise;

pub use contingency::{Contingency, entropy};
pub use pointwise::{pointwise, worth};

/// Values with fewer rows than this are left out of an estimate by default.
pub const RARE: u64 = 6;

/// The mutual information of two columns, in bits: from (value, target value, rows), in any order,
/// a pair perhaps several times. Values with fewer than `rare` rows are left out; target values
/// stay.
pub fn mutual(counts: &[(u32, u32, u64)], rare: u64) -> f64 {
    Contingency::new(counts).without_rare(rare).mutual()
}

#[cfg(test)]
mod tests;
